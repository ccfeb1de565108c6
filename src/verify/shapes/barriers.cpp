// Barriers: what one invocation wrote before one, every invocation of its workgroup sees after it.
#include "verify/shapes.h"

namespace vyre::verify {
namespace {

constexpr BufferPlan kOneIn[] = {{Count::Near, Fill::Any}, {Count::Near, Fill::Any}};
constexpr BufferPlan kSums[] = {{Count::Near, Fill::Any}, {Count::Groups, Fill::Any}};
constexpr BufferPlan kUniform[] = {
    {Count::Fixed, Fill::Small, 4}, {Count::Total, Fill::Any}, {Count::Total, Fill::Any}};
constexpr BufferPlan kInPlace[] = {{Count::Total, Fill::Any}};
// A neighbour in storage memory must be of the same workgroup.
constexpr std::array<uint32_t, 3> kEvenSizes[] = {{2, 1, 1}, {32, 1, 1}, {64, 1, 1}, {256, 1, 1}};
constexpr std::array<uint32_t, 3> kSquare[] = {{8, 8, 1}};
constexpr std::array<uint32_t, 3> kTallSizes[] = {{4, 2, 3}, {2, 2, 2}, {1, 2, 4}};
constexpr BufferPlan kSolid[] = {{Count::Fixed, Fill::Extents, 3}, {Count::Total, Fill::Any}};

constexpr Shape kShapes[] = {
    {"reverse",
     R"(program reverse(read a: u32 @0, read_write out: u32 @1, workgroup w: u32[256]) workgroup($W) {
  let n = len(w);
  w[local_id.x] = a[invocation_id.x];
  barrier;
  out[invocation_id.x] = w[(n - 1 - local_id.x) & 7] + w[local_id.x ^ 1];
})",
     kLineSizes, 4, kOneIn},
    {"tree sum",
     R"(program tree(read a: u32 @0, read_write sums: u32 @1, workgroup w: u32[256]) workgroup($W) {
  let local = local_id.x;
  w[local] = a[invocation_id.x];
  barrier;
  for step in 0..8 {
    let stride = 128 >> step;
    if (local < stride) {
      w[local] = w[local] + w[local + stride];
    }
    barrier;
  }
  if (local == 0) {
    sums[workgroup_id.x] = w[0];
  }
})",
     kPowerSizes, 4, kSums},
    {"prefix sum",
     R"(program scan(read a: u32 @0, read_write out: u32 @1, workgroup w: u32[512]) workgroup($W) {
  let local = local_id.x;
  let from = 0;
  w[local] = a[invocation_id.x];
  barrier;
  for step in 0..8 {
    let to = 256 - from;
    let x = w[from + local];
    if (local >= (1 << step)) {
      x = x + w[from + local - (1 << step)];
    }
    w[to + local] = x;
    from = to;
    barrier;
  }
  out[invocation_id.x] = w[from + local];
})",
     kPowerSizes, 4, kOneIn},
    // Variables of an invocation, changed and not, live across barriers.
    {"variables across barriers",
     R"(program across(read a: i32 @0, read_write out: i32 @1, workgroup w: i32[256]) workgroup($W) {
  let i = invocation_id.x;
  let kept = a[i];
  let changed = kept * 3i32;
  w[local_id.x] = changed;
  barrier;
  changed = changed + w[local_id.x ^ 1];
  if (kept < 0i32) {
    changed = -changed;
  }
  barrier;
  w[local_id.x] = changed;
  barrier;
  out[i] = kept + w[local_id.x ^ 1] * 5i32 - changed;
})",
     kLineSizes, 4, kOneIn},
    // Storage memory is ordered too, within the workgroup.
    {"storage across barriers", R"(program storage(read_write data: u32 @0) workgroup($W) {
  let i = invocation_id.x;
  let base = i - local_id.x;
  let x = data[i];
  barrier;
  data[i] = x * 7 + 1;
  barrier;
  let y = data[base + (local_id.x ^ 1)];
  barrier;
  data[i] = y ^ x;
})",
     kEvenSizes, 4, kInPlace},
    {"barriers under uniform control",
     R"(program control(uniform u: u32 @0, read a: u32 @1, read_write out: u32 @2, workgroup w: u32[256]) workgroup($W) {
  let i = invocation_id.x;
  let x = a[i];
  w[local_id.x] = x;
  if (u[0] > 7) {
    barrier;
    x = x + w[local_id.x ^ 1];
    barrier;
    w[local_id.x] = x;
  } else {
    w[local_id.x] = x * 2;
  }
  for k in 0..u[1] {
    barrier;
    let y = w[local_id.x ^ 1];
    if (k < u[2]) {
      barrier;
      w[local_id.x] = y + k;
    } else {
      barrier;
    }
  }
  barrier;
  out[i] = w[local_id.x ^ 1] + x;
})",
     kPowerSizes, 3, kUniform},
    // A whole workgroup may return; the others meet at their barriers.
    {"uniform return", R"(program leave(uniform u: u32 @0, read a: u32 @1, read_write out: u32 @2,
    workgroup w: u32[256]) workgroup($W) {
  let i = invocation_id.x;
  out[i] = 1;
  if ((workgroup_id.x & 1) == (u[0] & 1)) {
    return;
  }
  w[local_id.x] = a[i];
  barrier;
  out[i] = w[local_id.x ^ 1];
})",
     kPowerSizes, 4, kUniform},
    {"transpose",
     R"(program transpose(uniform extent: u32 @0, read_write data: u32 @1, workgroup t: u32[72]) workgroup($W) {
  let i = invocation_id.x + extent[0] * (invocation_id.y + extent[1] * invocation_id.z);
  t[local_id.y * 9 + local_id.x] = data[i];
  barrier;
  data[i] = t[local_id.x * 9 + local_id.y];
})",
     kSquare, 3, kSolid},
    {"three dimensions",
     R"(program solid(uniform extent: u32 @0, read_write data: u32 @1, workgroup t: u32[32]) workgroup($W) {
  let i = invocation_id.x + extent[0] * (invocation_id.y + extent[1] * invocation_id.z);
  let local = local_id.x + 4 * local_id.y + 8 * local_id.z;
  t[local & 31] = local;
  barrier;
  data[i] = t[local & 31] + t[31] + data[i];
})",
     kTallSizes, 2, kSolid},
};

}  // namespace

std::span<const Shape> barrier_shapes() { return kShapes; }

}  // namespace vyre::verify
