// Memory: every kind of buffer, in bounds, at the edge and far outside.
#include "verify/shapes.h"

namespace vyre::verify {
namespace {

constexpr BufferPlan kCopy[] = {{Count::Near, Fill::Any}, {Count::Near, Fill::Any}};
constexpr BufferPlan kGather[] = {
    {Count::Near, Fill::Any}, {Count::Total, Fill::Index}, {Count::Total, Fill::Any}};
constexpr BufferPlan kScatter[] = {{Count::Total, Fill::Any}, {Count::Near, Fill::Any}};
constexpr BufferPlan kEmpty[] = {
    {Count::Fixed, Fill::Any, 0}, {Count::Fixed, Fill::Any, 0}, {Count::Total, Fill::Any}};
constexpr BufferPlan kUniform[] = {
    {Count::Fixed, Fill::Any, 37}, {Count::Total, Fill::Index}, {Count::Total, Fill::Any}};
constexpr BufferPlan kScratch[] = {
    {Count::Total, Fill::Index}, {Count::Total, Fill::Any}, {Count::Total, Fill::Any}};
constexpr BufferPlan kSolid[] = {{Count::Fixed, Fill::Extents, 3}, {Count::Near, Fill::Any}};
constexpr BufferPlan kLengths[] = {{Count::Near, Fill::Any},
                                   {Count::Fixed, Fill::Any, 0},
                                   {Count::Fixed, Fill::Any, 9},
                                   {Count::Fixed, Fill::Any, 8}};
constexpr BufferPlan kOrder[] = {{Count::Fixed, Fill::Small, 4}, {Count::Fixed, Fill::Any, 40}};

constexpr Shape kShapes[] = {
    // The dispatch overshoots or undershoots both buffers: loads beyond give 0, stores beyond do nothing.
    {"copy u32", R"(program copy(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  out[invocation_id.x] = a[invocation_id.x];
})",
     kLineSizes, 4, kCopy},
    {"copy i32", R"(program copy(read a: i32 @0, read_write out: i32 @1) workgroup($W) {
  out[invocation_id.x] = a[invocation_id.x] - 1i32;
})",
     kLineSizes, 4, kCopy},
    {"copy bytes", R"(program copy(read a: bytes @0, read_write out: bytes @1) workgroup($W) {
  out[invocation_id.x] = a[invocation_id.x] ^ len(a);
})",
     kLineSizes, 4, kCopy},
    // A bool buffer holds any word; it loads as 0 or 1 and stores 0 or 1.
    {"copy bool", R"(program copy(read a: bool @0, read_write out: bool @1) workgroup($W) {
  out[invocation_id.x] = a[invocation_id.x];
})",
     kLineSizes, 4, kCopy},
    {"count bool", R"(program count(read a: bool @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  out[i] = select(a[i], 100, 200) + cast<u32>(a[i + 1]) + (a[i] == a[i + 1]);
})",
     kLineSizes, 4, kCopy},
    {"gather", R"(program gather(read a: u32 @0, read index: u32 @1, read_write out: u32 @2) workgroup($W) {
  let i = invocation_id.x;
  out[i] = a[index[i]];
})",
     kLineSizes, 4, kGather},
    {"gather with offsets",
     R"(program gather(read a: u32 @0, read index: u32 @1, read_write out: u32 @2) workgroup($W) {
  let i = invocation_id.x;
  out[i] = (a[index[i] + 1] ^ a[index[i] - 1]) + a[index[i] * 4] + a[index[i] << 30];
})",
     kLineSizes, 4, kGather},
    // In bounds each invocation has an element of its own; all other targets are far outside.
    {"scatter", R"(program scatter(read a: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  let far = select(a[i] & 1, 0x40000000, 0x80000000);
  let target = select(a[i] & 6, i, i | far);
  out[target] = a[i];
  out[i | 0xc0000000] = 0xdead;
})",
     kLineSizes, 4, kScatter},
    {"empty buffers",
     R"(program empty(read none: u32 @0, read_write nothing: i32 @1, read_write out: u32 @2) workgroup($W) {
  let i = invocation_id.x;
  nothing[0] = 7i32;
  nothing[i] = 7i32;
  out[i] = none[0] + none[i] + cast<u32>(nothing[0]) + len(none) + len(nothing) + 3;
})",
     kLineSizes, 3, kEmpty},
    {"uniform",
     R"(program uniforms(uniform u: u32 @0, read index: u32 @1, read_write out: u32 @2) workgroup($W) {
  let i = invocation_id.x;
  out[i] = u[index[i]] + u[36] * 3 + u[37] + u[workgroup_id.x];
})",
     kLineSizes, 4, kUniform},
    // Workgroup memory is zero at the start of every workgroup and has bounds of its own.
    {"workgroup memory is zero",
     R"(program zero(read index: u32 @0, read b: u32 @1, read_write out: u32 @2, workgroup w: u32[300]) workgroup($W) {
  let i = invocation_id.x;
  let before = w[local_id.x] + w[299 - local_id.x];
  barrier;
  w[local_id.x] = b[i] | 1;
  w[index[i] | 0x80000000] = 5;
  out[i] = before + w[local_id.x] + w[300] + w[index[i] | 0x40000000];
})",
     kLineSizes, 4, kScratch},
    {"workgroup bool",
     R"(program flags(read index: u32 @0, read b: u32 @1, read_write out: u32 @2, workgroup w: bool[256]) workgroup($W) {
  let i = invocation_id.x;
  w[local_id.x] = cast<bool>(b[i] & 4);
  out[i] = select(w[local_id.x], index[i], 9) + cast<u32>(w[local_id.x + 256]);
})",
     kLineSizes, 4, kScratch},
    {"ids in three dimensions", R"(program ids(uniform extent: u32 @0, read_write out: u32 @1) workgroup($W) {
  let i = invocation_id.x + extent[0] * (invocation_id.y + extent[1] * invocation_id.z);
  out[i] = local_id.x + 10 * local_id.y + 100 * local_id.z + 1000 * workgroup_id.x + 10000 * workgroup_id.y +
           100000 * workgroup_id.z + 7 * invocation_id.x;
})",
     kSolidSizes, 3, kSolid},
    {"lengths",
     R"(program lengths(read a: u32 @0, read none: bool @1, uniform u: u32 @2, read_write out: u32 @3,
    workgroup w: u32[5]) workgroup($W) {
  if (invocation_id.x == 0) {
    out[0] = len(a);
    out[1] = len(none);
    out[2] = len(u);
    out[3] = len(out);
    out[4] = len(w);
    out[len(out)] = 1;
    out[len(out) - 1] = 2;
  }
})",
     kLineSizes, 3, kLengths},
    // Operands from left to right; a store evaluates its index, then its value.
    {"order of evaluation", R"(program order(read_write t: u32 @0, read_write out: u32 @1) workgroup($W) {
  for k in 0..6 {
    out[atomic_add(t[0], 1) & 15] = atomic_add(t[0], 1) * 3;
    out[16 + k] = atomic_add(t[1], 1) - atomic_add(t[1], 2) * 5;
    out[24 + k] = select(atomic_add(t[2], 1) & 1, atomic_add(t[2], 3), atomic_add(t[2], 5));
    out[32 + k] = atomic_compare_exchange(t[atomic_add(t[3], 1) & 3], atomic_add(t[3], 1), atomic_add(t[3], 1));
  }
})",
     kOne, 1, kOrder},
};

}  // namespace

std::span<const Shape> memory_shapes() { return kShapes; }

}  // namespace vyre::verify
