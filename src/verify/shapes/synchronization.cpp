// What the specification promises of barriers, as programs that show when it is not kept: writes before one
// are seen after it, writes after one are not seen before it, it concerns one workgroup alone, and it stands
// under control that is uniform, however that is made.
//
// Each program makes the promise matter many times over: what one invocation gets wrong goes into what all
// compute next. Some invocations are late, others in each round, so that who does not wait is ahead. Nothing
// in them is a race, so the bytes are the reference's, in every run.
// Source: vyre-conform-spec, "Barrier Semantics" and "Data-Race Detection"; semantics, "Memory".
#include "verify/shapes.h"

namespace vyre::verify {
namespace {

constexpr BufferPlan kInOut[] = {{Count::Total, Fill::Any}, {Count::Total, Fill::Any}};
constexpr BufferPlan kControlled[] = {
    {Count::Fixed, Fill::Small, 4}, {Count::Total, Fill::Any}, {Count::Total, Fill::Any}};
constexpr BufferPlan kInPlace[] = {{Count::Total, Fill::Any}};
constexpr BufferPlan kOut[] = {{Count::Total, Fill::Any}};

constexpr std::array<uint32_t, 3> kSizes[] = {{7, 1, 1}, {5, 3, 2}, {256, 1, 1}};
constexpr uint32_t kMostGroups = 3;

constexpr Shape kShapes[] = {
    // The first promise, of workgroup memory.
    {"seen after a barrier",
     R"(program seen(read a: u32 @0, read_write out: u32 @1, workgroup w: u32[256]) workgroup($W) {
  let l = $L;
  let x = a[$I];
  for round in 0..4 {
    for late in 0..select(l % 7 == round, 12, 0) {
      x = x * 1664525 + 1013904223;
    }
    w[l] = x;
    barrier;
    x = x + w[(l + 1) % $N] * 3 + w[(l * 5 + 3 + round) % $N] * 5 + w[$N - 1 - l];
    barrier;
  }
  out[$I] = x;
})",
     kSizes, kMostGroups, kInOut},
    // The same of storage memory, where a neighbour is one of the same workgroup.
    {"storage seen after a barrier", R"(program stored(read_write data: u32 @0) workgroup($W) {
  let l = $L;
  let base = workgroup_id.x * $N;
  let x = data[base + l];
  for round in 0..4 {
    for late in 0..select(l % 5 == round, 12, 0) {
      x = x * 1664525 + 1013904223;
    }
    data[base + l] = x;
    barrier;
    x = x + data[base + (l + 1) % $N] * 3 + data[base + (l * 5 + 3 + round) % $N] * 5;
    barrier;
  }
  data[base + l] = x;
})",
     kSizes, kMostGroups, kInPlace},
    // Both kinds of memory, each of which says where to look in the other.
    {"one kind of memory through the other",
     R"(program both(read_write data: u32 @0, workgroup w: u32[256]) workgroup($W) {
  let l = $L;
  let base = workgroup_id.x * $N;
  let x = data[base + l];
  for round in 0..3 {
    w[l] = x % $N;
    barrier;
    data[base + l] = x ^ w[(l + round) % $N];
    barrier;
    x = x * 3 + data[base + w[(l + 1) % $N]];
    barrier;
  }
  data[base + l] = x;
})",
     kSizes, kMostGroups, kInPlace},
    // The second promise: who is late with reading still finds what was there.
    {"not seen before a barrier",
     R"(program isolated(read a: u32 @0, read_write out: u32 @1, workgroup w: u32[256]) workgroup($W) {
  let l = $L;
  let x = a[$I];
  w[l] = x;
  barrier;
  for round in 0..4 {
    for late in 0..select(l % 6 == round, 12, 0) {
      x = x * 1664525 + 1013904223;
    }
    let y = w[(l + 1) % $N] + w[(l * 3 + round) % $N];
    barrier;
    x = x + y;
    w[l] = x;
    barrier;
  }
  out[$I] = x;
})",
     kSizes, kMostGroups, kInOut},
    {"storage not seen before a barrier", R"(program kept(read_write data: u32 @0) workgroup($W) {
  let l = $L;
  let base = workgroup_id.x * $N;
  for round in 0..4 {
    let late = 0;
    for k in 0..select(l % 6 == round, 12, 0) {
      late = late * 1664525 + k;
    }
    let y = data[base + (l + 1) % $N] * 3 + data[base + (l * 7 + round + (late & 0)) % $N];
    barrier;
    data[base + l] = y ^ data[base + l];
    barrier;
  }
})",
     kSizes, kMostGroups, kInPlace},
    // One barrier a round is enough where two halves of the memory take turns, and none is too few.
    {"one barrier a round",
     R"(program turns(read a: u32 @0, read_write out: u32 @1, workgroup w: u32[512]) workgroup($W) {
  let l = $L;
  let x = a[$I];
  for round in 0..6 {
    let half = (round & 1) * 256;
    w[half + l] = x;
    barrier;
    x = x + w[half + (l + 1) % $N] * 3 + w[half + (l * 5 + round) % $N];
  }
  out[$I] = x;
})",
     kSizes, kMostGroups, kInOut},
    // The third promise: workgroups meet as many barriers as they like, or none.
    {"barriers of one workgroup alone",
     R"(program alone(uniform u: u32 @0, read a: u32 @1, read_write out: u32 @2, workgroup w: u32[256]) workgroup($W) {
  let l = $L;
  let x = a[$I];
  out[$I] = x ^ 1;
  if ((workgroup_id.x + u[1]) % 4 == 3) {
    return;
  }
  for round in 0..(workgroup_id.x * 5 + u[0]) % 7 {
    w[l] = w[l] + x;
    barrier;
    x = x * 3 + w[(l + 1 + round) % $N];
    barrier;
  }
  out[$I] = x + w[l];
})",
     kSizes, kMostGroups, kControlled},
    // Nothing of one workgroup's memory is another's: it starts as zeros, and each leaves it full.
    {"memory of one workgroup alone",
     R"(program zeros(read_write out: u32 @0, workgroup w: u32[512], workgroup v: vec4u32[256]) workgroup($W) {
  let l = $L;
  let found = 0;
  for k in 0..6 {
    found = found | w[l + k * 50] | v[(l + k * 11) & 255].z;
  }
  barrier;
  w[l] = 0xffffffff - workgroup_id.x;
  w[l + 256] = found | 1;
  v[l] = vec4u32(l, 1, 0x80000000, 9);
  barrier;
  out[$I] = found * 2 + (w[l] == 0xffffffff - workgroup_id.x);
})",
     kSizes, kMostGroups, kOut},
    // The fourth promise: control is uniform by a constant, a uniform buffer, the workgroup, or a loop of
    // those.
    {"barriers under uniform control",
     R"(program uniformly(uniform u: u32 @0, read a: u32 @1, read_write out: u32 @2, workgroup w: u32[256]) workgroup($W) {
  let l = $L;
  let x = a[$I];
  w[l] = x;
  barrier;
  for i in 0..(u[0] & 3) + 1 {
    if ((workgroup_id.x ^ i) & 1 == 0 || u[1] > 11) {
      for j in 0..(u[2] & 1) + i {
        let y = w[(l + j + 1) % $N];
        barrier;
        if (u[3] > j) {
          w[l] = y * 3 + x;
          barrier;
          x = x ^ w[(l + 2) % $N];
        }
        barrier;
        w[l] = x + y;
        barrier;
      }
    } else {
      x = x + w[$N - 1 - l];
      barrier;
      w[l] = x;
      barrier;
    }
  }
  out[$I] = x;
})",
     kSizes, kMostGroups, kControlled},
};

}  // namespace

std::span<const Shape> synchronization_shapes() { return kShapes; }

}  // namespace vyre::verify
