// Operations of subgroups: each alone, then where compilers go wrong with them: in loops and under uniform
// conditions, between barriers and divergent code, chained, on values that changed a moment ago.
//
// The texts fit every size of subgroups: what depends on it is computed by the program or stands in a place
// that subgroup_sizes() fills.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "spec/intrinsics.h"
#include "verify/shapes.h"

namespace vyre::verify {
namespace {

constexpr BufferPlan kUnary[] = {{Count::Total, Fill::Any}, {Count::Total, Fill::Any}};
constexpr BufferPlan kVector[] = {{Count::Total, Fill::Any}, {Count::Vectors, Fill::Any}};
constexpr BufferPlan kNear[] = {{Count::Near, Fill::Any}, {Count::Near, Fill::Any}};
constexpr BufferPlan kBinary[] = {
    {Count::Total, Fill::Any}, {Count::Total, Fill::Index}, {Count::Total, Fill::Any}};
constexpr BufferPlan kSmallUnary[] = {{Count::Total, Fill::Small}, {Count::Total, Fill::Any}};
constexpr BufferPlan kEdges[] = {
    {Count::Total, Fill::Zero}, {Count::Total, Fill::Ones}, {Count::Total, Fill::Any}};
constexpr BufferPlan kUniform[] = {
    {Count::Fixed, Fill::Small, 4}, {Count::Total, Fill::Any}, {Count::Total, Fill::Any}};
constexpr BufferPlan kSums[] = {{Count::Total, Fill::Any}, {Count::Groups, Fill::Any}};
constexpr BufferPlan kInPlace[] = {{Count::Total, Fill::Any}};

constexpr uint32_t kGroups = 3;

// What no single operation shows.
constexpr Shape kComposed[] = {
    // Each lane reads each: all words of all lanes arrive.
    {"shuffle from every lane",
     R"(program every(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let x = a[$I];
  let h = 2166136261;
  for k in 0..subgroup.size() {
    h = (h ^ subgroup.shuffle(x, k)) * 16777619;
    h = h + subgroup.shuffle(x, subgroup.lane() + k);
  }
  out[$I] = h;
})",
     {},
     kGroups,
     kUnary},
    {"shuffle from lanes far outside",
     R"(program outside(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup($W) {
  let x = a[$I];
  out[$I] = subgroup.shuffle(x, b[$I] + 0x80000000) ^ subgroup.shuffle(x, 0 - subgroup.lane()) * 3;
})",
     {},
     kGroups,
     kBinary},
    {"butterfly",
     R"(program butterfly(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let x = a[$I];
  for step in 0..7 {
    x = (x << 1) + (subgroup.shuffle(x, subgroup.lane() ^ (1 << step)) ^ step);
  }
  out[$I] = x;
})",
     {},
     kGroups,
     kUnary},
    {"all zero and all ones",
     R"(program edges(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup($W) {
  let x = a[$I];
  let y = b[$I];
  let h = subgroup.any(x) + 2 * subgroup.all(x) + 4 * subgroup.any(y) + 8 * subgroup.all(y);
  h = h * 31 + subgroup.reduce_add(y);
  h = h * 31 + subgroup.reduce_and(x) + subgroup.reduce_and(y);
  h = h * 31 + subgroup.reduce_or(x) + subgroup.reduce_or(y);
  h = h * 31 + subgroup.reduce_xor(y);
  h = h * 31 + subgroup.reduce_min(y) + subgroup.reduce_max(x);
  h = h * 31 + subgroup.scan_add(y) + subgroup.scan_add_exclusive(y);
  let p = subgroup.ballot(x);
  let q = subgroup.ballot(y);
  out[$I] = h ^ (p.x | p.y | p.z | p.w) ^ (q.x + 3 * q.y + 5 * q.z + 7 * q.w);
})",
     {},
     kGroups,
     kEdges},
    {"one lane differs",
     R"(program alone(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let x = a[$I];
  let h = 0;
  for k in 0..subgroup.size() {
    let mine = select(subgroup.lane() == k, x, 0);
    let rest = select(subgroup.lane() == k, x, 0xffffffff);
    h = h * 3 + subgroup.any(mine) + subgroup.all(rest);
    h = h * 3 + subgroup.reduce_max(mine) + subgroup.reduce_min(rest);
    h = h ^ (subgroup.ballot(mine).x + subgroup.ballot(rest).w);
  }
  out[$I] = h;
})",
     {},
     1,
     kSmallUnary},
    {"uniform loop",
     R"(program loop(uniform u: u32 @0, read a: u32 @1, read_write out: u32 @2) workgroup($W) {
  let x = a[$I];
  for k in 0..u[0] + 1 {
    x = subgroup.scan_add(x ^ k) + subgroup.reduce_xor(x);
    for j in 0..(u[1] & 3) {
      x = x * 5 + subgroup.shuffle(x, j + k);
    }
  }
  out[$I] = x;
})",
     {},
     kGroups,
     kUniform},
    {"uniform conditions",
     R"(program conditions(uniform u: u32 @0, read a: u32 @1, read_write out: u32 @2) workgroup($W) {
  let x = a[$I];
  if (u[0] > 7) {
    x = subgroup.reduce_max(x) - x;
  } else {
    x = subgroup.scan_add_exclusive(x);
  }
  if ((workgroup_id.x & 1) == (u[1] & 1)) {
    x = x + subgroup.ballot(x & 1).x;
  }
  if (subgroup.size() > 4) {
    x = x ^ subgroup.reduce_min(x | 0xff);
  }
  out[$I] = x;
})",
     {},
     kGroups,
     kUniform},
    // Lanes part, each in its own way, and meet again before the operation.
    {"after divergence",
     R"(program parted(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let x = a[$I];
  let y = x;
  if (x & 1) {
    for k in 0..(x & 15) {
      y = y * 3 + k;
    }
  } else if (x & 2) {
    y = y / 7;
  }
  let sum = subgroup.scan_add(y);
  if ((subgroup.lane() & 1) == 0) {
    sum = sum ^ x;
  }
  out[$I] = subgroup.shuffle(sum, subgroup.lane() + 1) + subgroup.reduce_add(sum & 0xff);
})",
     {},
     kGroups,
     kUnary},
    {"chained",
     R"(program chained(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let x = a[$I];
  out[$I] = subgroup.shuffle(subgroup.scan_add(subgroup.reduce_xor(x) ^ x), subgroup.reduce_max(x) ^ x)
      + subgroup.reduce_or(subgroup.scan_add_exclusive(x & subgroup.ballot(subgroup.any(x) & x).x));
})",
     {},
     kGroups,
     kUnary},
    {"sums of blocks",
     R"(program blocks(read a: u32 @0, read_write sums: u32 @1, workgroup w: u32[$N]) workgroup($W) {
  let local = $L;
  let size = subgroup.size();
  let sum = subgroup.reduce_add(a[$I]);
  if (subgroup.lane() == 0) {
    w[local / size] = sum;
  }
  barrier;
  let total = 0;
  for k in 0..$N / size {
    total = total + w[k];
  }
  barrier;
  w[local] = subgroup.shuffle(total, local);
  barrier;
  if (local == 0) {
    sums[workgroup_id.x] = w[$N - 1];
  }
})",
     {},
     kGroups,
     kSums},
    {"between barriers",
     R"(program between(read_write data: u32 @0, workgroup w: u32[$N]) workgroup($W) {
  let local = $L;
  w[local] = data[$I];
  barrier;
  let x = subgroup.scan_add(w[$N - 1 - local]);
  barrier;
  w[local] = x;
  data[$I] = x;
  barrier;
  let y = subgroup.shuffle(w[(local + 1) % $N], local * 7);
  barrier;
  data[$I] = data[$I] ^ (subgroup.reduce_add(y) + w[local]);
})",
     {},
     kGroups,
     kInPlace},
    // The rank of a lane among those that keep their value: a ballot, all four words of it.
    {"ranks",
     R"(program ranks(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let keep = a[$I] & 1;
  let lane = subgroup.lane();
  let before = subgroup.scan_add_exclusive(keep);
  let votes = subgroup.ballot(keep);
  let rank = 0;
  for k in 0..lane {
    let low = select(k < 32, votes.x, votes.y);
    let high = select(k < 96, votes.z, votes.w);
    rank = rank + ((select(k < 64, low, high) >> k) & 1);
  }
  out[$I] = rank + 1000 * keep + 100000 * select(rank == before, 1, 0);
})",
     {},
     kGroups,
     kNear},
    {"after a uniform return",
     R"(program leave(uniform u: u32 @0, read a: u32 @1, read_write out: u32 @2) workgroup($W) {
  out[$I] = 1;
  if ((workgroup_id.x & 1) == (u[0] & 1)) {
    return;
  }
  out[$I] = subgroup.reduce_add(a[$I]) + subgroup.lane();
})",
     {},
     kGroups,
     kUniform},
    {"as index and as condition",
     R"(program used(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let x = a[$I];
  let ones = subgroup.scan_add(x & 1);
  let y = a[subgroup.reduce_min(x & 31)];
  if (subgroup.any(x >> 31)) {
    y = y + a[ones];
  }
  for k in 0..subgroup.reduce_max(x & 7) {
    y = y * 3 + a[k];
  }
  out[$I] = y;
})",
     {},
     kGroups,
     kUnary},
    // Operands that the lane itself has just changed in memory, and that others may not have yet.
    {"operands from memory",
     R"(program fresh(read_write data: u32 @0) workgroup($W) {
  let i = $I;
  data[i] = data[i] * 2 + subgroup.lane();
  data[i] = subgroup.shuffle(data[i], subgroup.lane() + 1);
  data[i] = data[i] ^ subgroup.scan_add(data[i]);
})",
     {},
     kGroups,
     kInPlace},
};

struct Texts {
  std::vector<std::string> kept;
  std::vector<Shape> shapes;
};

/// One shape an operation, in the order of the ledger, and the composed ones.
Texts make_texts() {
  Texts out;
  for (const spec::IntrinsicInfo& info : spec::kIntrinsics) {
    const bool vector = info.output == spec::DataType::Vec4U32;
    const bool binary = info.input_count == 2;
    const std::string arguments = info.input_count == 0 ? "" : binary ? "a[$I], b[$I]" : "a[$I]";
    out.kept.push_back(fmt::format(
        "program one(read a: u32 @0, {}read_write out: {} @2) workgroup($W) {{\n  out[$I] = {}({});\n}}",
        binary ? "read b: u32 @1, " : "", vector ? "vec4u32" : "u32", info.id, arguments));
  }
  for (size_t k = 0; k < spec::kIntrinsicCount; ++k) {
    const spec::IntrinsicInfo& info = spec::kIntrinsics[k];
    const bool vector = info.output == spec::DataType::Vec4U32;
    const std::span<const BufferPlan> buffers =
        info.input_count == 2 ? std::span(kBinary) : std::span<const BufferPlan>(vector ? kVector : kUnary);
    out.shapes.push_back({info.id, out.kept[k], {}, kGroups, buffers});
  }
  out.shapes.insert(out.shapes.end(), std::begin(kComposed), std::end(kComposed));
  return out;
}

}  // namespace

std::span<const Shape> subgroup_shapes() {
  static const Texts texts = make_texts();
  return texts.shapes;
}

std::array<std::array<uint32_t, 3>, kSubgroupSizes> subgroup_sizes(uint32_t lanes, uint32_t most) {
  std::array<std::array<uint32_t, 3>, kSubgroupSizes> sizes = {{
      {lanes, 1, 1},
      {3 * lanes, 1, 1},
      {lanes * std::max(1u, std::min(8u, most / lanes)), 1, 1},
      {3, lanes, 2},  // rows that are no whole subgroups
      {lanes, 2, 3},
  }};
  for (auto& size : sizes) {
    if (size[0] * size[1] * size[2] > most) size = {lanes, 1, 1};
  }
  return sizes;
}

}  // namespace vyre::verify
