// Atomics: alone, where every value they return is known, and contended, where only what no order can change
// is looked at.
#include "verify/shapes.h"

namespace vyre::verify {
namespace {

constexpr BufferPlan kAlone[] = {
    {Count::Fixed, Fill::Any, 5}, {Count::Fixed, Fill::Index, 64}, {Count::Fixed, Fill::Any, 600}};
constexpr BufferPlan kOwn[] = {
    {Count::Total, Fill::Small}, {Count::Total, Fill::Small}, {Count::Total, Fill::Any}};
constexpr BufferPlan kContended[] = {{Count::Fixed, Fill::Any, 6}, {Count::Near, Fill::Any}};
constexpr BufferPlan kTickets[] = {{Count::Fixed, Fill::Zero, 2}, {Count::Total, Fill::Any}};
constexpr BufferPlan kBins[] = {{Count::Fixed, Fill::Any, 16}, {Count::Near, Fill::Any}};
constexpr BufferPlan kOutside[] = {
    {Count::Fixed, Fill::Any, 3}, {Count::Total, Fill::Index}, {Count::Total, Fill::Any}};
constexpr BufferPlan kOnce[] = {{Count::Fixed, Fill::Zero, 4}, {Count::Near, Fill::Any}};
constexpr BufferPlan kNone[] = {{Count::Fixed, Fill::Any, 0}, {Count::Total, Fill::Any}};

constexpr Shape kShapes[] = {
    // One invocation: every atomic returns what was there before.
    {"sequence",
     R"(program sequence(read_write t: u32 @0, read v: u32 @1, read_write out: u32 @2) workgroup($W) {
  for k in 0..64 {
    let at = v[k];
    out[k] = atomic_add(t[at], v[k + 1]);
    out[64 + k] = atomic_or(t[at + 1], v[k]);
    out[128 + k] = atomic_and(t[at], v[k] | v[k + 2]);
    out[192 + k] = atomic_xor(t[k & 7], v[k]);
    out[256 + k] = atomic_min(t[k & 3], v[k + 3] | 0xf0);
    out[320 + k] = atomic_max(t[at], v[k + 4] >> 1);
    out[384 + k] = atomic_exchange(t[k & 7], v[k]);
    out[448 + k] = atomic_compare_exchange(t[k & 7], v[k], v[k + 1]);
    out[512 + k] = atomic_compare_exchange(t[k & 3], v[k + 7], 11);
  }
})",
     kOne, 1, kAlone},
    // Each invocation has an element of its own, so the values before are known too.
    {"own elements",
     R"(program own(read a: u32 @0, read_write t: u32 @1, read_write out: u32 @2) workgroup($W) {
  let i = invocation_id.x;
  let x = atomic_compare_exchange(t[i], a[i], 100);
  let y = atomic_add(t[i], a[i]);
  let z = atomic_min(t[i], 50);
  let w = atomic_exchange(t[i], a[i] ^ 3);
  out[i] = x + 16 * y + 4096 * z + (w << 24);
})",
     kLineSizes, 4, kOwn},
    {"contended sums", R"(program contended(read_write t: u32 @0, read a: u32 @1) workgroup($W) {
  let x = a[invocation_id.x];
  let p = atomic_add(t[0], x);
  let q = atomic_or(t[1], x & 0x0f0f0f0f);
  let r = atomic_and(t[2], x | 0xff00ff00);
  let s = atomic_xor(t[3], x);
  let u = atomic_min(t[4], x);
  let v = atomic_max(t[5], x);
})",
     kLineSizes, 8, kContended},
    // The values before an addition of 1 are all different and leave none out: each ticket is drawn once.
    {"tickets", R"(program tickets(read_write t: u32 @0, read_write out: u32 @1) workgroup($W) {
  let ticket = atomic_add(t[0], 1);
  out[ticket] = ticket * 3 + 1;
  let outside = atomic_add(t[1], ticket >= len(out));
})",
     kLineSizes, 8, kTickets},
    {"histogram", R"(program histogram(read_write bins: u32 @0, read a: u32 @1) workgroup($W) {
  let i = invocation_id.x;
  if (i < len(a)) {
    for k in 0..8 {
      let old = atomic_add(bins[(a[i] >> (k * 4)) & 15], k + 1);
    }
  }
})",
     kLineSizes, 8, kBins},
    // Out of bounds an atomic changes nothing and gives 0.
    {"out of bounds",
     R"(program outside(read_write t: u32 @0, read index: u32 @1, read_write out: u32 @2) workgroup($W) {
  let i = invocation_id.x;
  let far = index[i] | 0x40000000;
  let x = atomic_add(t[far], 7) + atomic_exchange(t[3], 9) + atomic_min(t[far << 1], 0);
  let y = atomic_compare_exchange(t[far], 0, 5) + atomic_or(t[0xffffffff], 1) + atomic_and(t[far], 0);
  out[i] = x + y + i + atomic_xor(t[far], 3) + atomic_max(t[len(t)], 0xffffffff);
})",
     kLineSizes, 4, kOutside},
    {"atomics on an empty buffer",
     R"(program none(read_write t: u32 @0, read_write out: u32 @1) workgroup($W) {
  out[invocation_id.x] = atomic_add(t[0], 1) + atomic_compare_exchange(t[invocation_id.x], 0, 1) + 5;
})",
     kLineSizes, 3, kNone},
    // However many try, one compare-exchange from 0 and one exchange of the first value succeed.
    {"one winner", R"(program winner(read_write t: u32 @0, read a: u32 @1) workgroup($W) {
  let old = atomic_compare_exchange(t[0], 0, 1);
  let won = atomic_add(t[1], old == 0);
  let first = atomic_exchange(t[2], 1);
  let many = atomic_add(t[3], (first == 0) * 65536 + 1);
})",
     kLineSizes, 8, kOnce},
};

}  // namespace

std::span<const Shape> atomic_shapes() { return kShapes; }

}  // namespace vyre::verify
