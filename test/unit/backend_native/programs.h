// Programs that reach every statement, operator and shape of control that the native backend has to get
// right, with the sizes of their inputs. The tests here run them on the reference and on native code.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "layout/dispatch.h"

namespace vyre::test {

struct NativeProgram {
  std::string_view name;
  layout::Groups groups;
  std::vector<uint32_t> counts;  // elements of each bound buffer, in order
  std::string_view text;
};

inline const std::vector<NativeProgram>& native_programs() {
  static const std::vector<NativeProgram> programs = {
      {"straight_line", {3, 1, 1}, {130, 150, 192}, R"(
program p(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  out[i] = (a[i] ^ b[i]) + ((a[i] * 3) - (b[i] & 255));
})"},
      {"every_binary_u32", {1, 1, 1}, {64, 64, 2048}, R"(
program p(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup(64, 1, 1) {
  let i = local_id.x;
  let x = a[i];
  let y = b[i];
  let o = i * 20;
  out[o] = x + y;         out[o + 1] = x - y;      out[o + 2] = x * y;      out[o + 3] = x / y;
  out[o + 4] = x % y;     out[o + 5] = x & y;      out[o + 6] = x | y;      out[o + 7] = x ^ y;
  out[o + 8] = x << y;    out[o + 9] = x >> y;     out[o + 10] = x == y;    out[o + 11] = x != y;
  out[o + 12] = x < y;    out[o + 13] = x > y;     out[o + 14] = x <= y;    out[o + 15] = x >= y;
  out[o + 16] = x && y;   out[o + 17] = x || y;    out[o + 18] = x / (y & 1);  out[o + 19] = x % (y & 3);
})"},
      {"every_binary_i32", {1, 1, 1}, {64, 64, 2048}, R"(
program p(read a: i32 @0, read b: i32 @1, read_write out: i32 @2) workgroup(64, 1, 1) {
  let i = local_id.x;
  let x = a[i];
  let y = b[i];
  let n = cast<u32>(y);
  let o = i * 21;
  out[o] = x + y;         out[o + 1] = x - y;      out[o + 2] = x * y;      out[o + 3] = x / y;
  out[o + 4] = x % y;     out[o + 5] = x & y;      out[o + 6] = x | y;      out[o + 7] = x ^ y;
  out[o + 8] = x << n;    out[o + 9] = x >> n;
  out[o + 10] = cast<i32>(x == y);  out[o + 11] = cast<i32>(x != y);  out[o + 12] = cast<i32>(x < y);
  out[o + 13] = cast<i32>(x > y);   out[o + 14] = cast<i32>(x <= y);  out[o + 15] = cast<i32>(x >= y);
  out[o + 16] = -2147483648i32 / (y | -(1i32));    out[o + 17] = -2147483648i32 % (y | -(1i32));
  out[o + 18] = x / (y & 1i32);     out[o + 19] = -x;                 out[o + 20] = ~x;
})"},
      {"every_unary", {1, 1, 1}, {64, 64, 1024}, R"(
program p(read a: u32 @0, read b: bool @1, read_write out: u32 @2) workgroup(64, 1, 1) {
  let i = local_id.x;
  let x = a[i] >> (i & 31);
  let o = i * 12;
  out[o] = -x;              out[o + 1] = ~x;            out[o + 2] = !x;           out[o + 3] = popcount(x);
  out[o + 4] = clz(x);      out[o + 5] = ctz(x);        out[o + 6] = reverse_bits(x);
  out[o + 7] = select(b[i], x, i);                      out[o + 8] = cast<u32>(b[i]);
  out[o + 9] = cast<u32>(cast<bool>(x & 2));            out[o + 10] = bitcast<u32>(cast<i32>(x) >> 3);
  out[o + 11] = select(x & 6, 1, 2);
})"},
      {"bool_buffers", {2, 1, 1}, {100, 70, 128}, R"(
program p(read a: bool @0, read_write b: bool @1, read_write out: u32 @2) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  let t = a[i];
  b[i] = cast<bool>(!t);
  if (t) { out[i] = 5; } else { out[i] = cast<u32>(b[i]) + 7; }
})"},
      {"bytes_histogram", {4, 1, 1}, {70, 1, 256}, R"(
program p(read data: bytes @0, uniform params: u32 @1, read_write bins: u32 @2) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  if (i < len(data) * 4) {
    let byte = (data[i >> 2] >> ((i & 3) * 8)) & 0xff;
    let old = atomic_add(bins[byte], params[0]);
  }
})"},
      {"out_of_bounds", {2, 1, 1}, {10, 16, 8}, R"(
program p(read a: u32 @0, read_write b: u32 @1, read_write out: u32 @2) workgroup(16, 1, 1) {
  let i = invocation_id.x;
  b[i + 0x40000000] = 9;
  b[0xffffffff - i] = 9;
  b[i] = a[i] + a[i + 0x40000000] + a[0x3fffffff * 4 + i];
  if (i == 3) {
    let x = atomic_add(out[100], 5);
    let y = atomic_compare_exchange(out[8], 0, 7);
    out[i] = x + y + 1;
  }
})"},
      {"empty_buffers", {1, 1, 1}, {0, 0, 4, 0}, R"(
program p(read a: u32 @0, read_write b: u32 @1, read_write out: u32 @2, uniform u: u32 @3) workgroup(4, 1, 1) {
  let i = local_id.x;
  b[i] = 3;
  b[0] = 4;
  let old = atomic_add(b[0], 1);
  out[i] = a[i] + b[i] + len(a) + len(b) + old + u[0] + 1;
})"},
      {"no_buffers", {3, 1, 1}, {}, R"(
program p() workgroup(8, 1, 1) { let x = invocation_id.x; })"},
      {"three_axes", {3, 2, 4}, {720}, R"(
program p(read_write out: u32 @0) workgroup(5, 3, 2) {
  let w = 15;
  let h = 6;
  let at = (invocation_id.z * h + invocation_id.y) * w + invocation_id.x;
  out[at] = workgroup_id.x + workgroup_id.y * 10 + workgroup_id.z * 100 + local_id.x * 1000
          + local_id.y * 10000 + local_id.z * 100000 + at * 1000000;
})"},
      {"three_axes_barrier", {2, 3, 2}, {768, 768}, R"(
program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[64]) workgroup(4, 4, 4) {
  let lane = (local_id.z * 4 + local_id.y) * 4 + local_id.x;
  let group = (workgroup_id.z * 3 + workgroup_id.y) * 2 + workgroup_id.x;
  t[lane] = a[group * 64 + lane] + invocation_id.y;
  barrier;
  let other = 63 - lane;
  out[group * 64 + lane] = t[other] + lane * 7 + invocation_id.z * 1000 + invocation_id.x;
})"},
      {"one_lane", {300, 1, 1}, {300, 300}, R"(
program p(read a: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
  let g = workgroup_id.x;
  out[g] = a[g] * g + local_id.x;
})"},
      {"tall_groups", {2, 3, 1}, {192}, R"(
program p(read_write out: u32 @0) workgroup(1, 32, 1) {
  out[invocation_id.y * 2 + invocation_id.x] = local_id.y + workgroup_id.y * 100;
})"},
      {"ids_in_divided_rows", {7, 1, 1}, {70, 70}, R"(
program p(read a: u32 @0, read_write out: u32 @1) workgroup(10, 1, 1) {
  out[invocation_id.x] = local_id.x * 100 + workgroup_id.x + a[local_id.x * 7 + workgroup_id.x];
})"},
      {"nested_control", {2, 1, 1}, {128, 128}, R"(
program p(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  let acc = 1;
  for j in 0..(a[i] & 15) {
    if (j & 1) {
      acc = acc * 3 + j;
    } else if (j == 4) {
      for k in j..j + 3 { acc = acc ^ (k << 5); }
    } else {
      let t = acc;
      { acc = t + a[j]; }
    }
  }
  out[i] = acc;
})"},
      {"empty_and_huge_loops", {1, 1, 1}, {8, 64}, R"(
program p(read a: u32 @0, read_write out: u32 @1) workgroup(8, 1, 1) {
  let i = local_id.x;
  let n = 0;
  for j in 10..5 { n = n + 100; }
  for j in 0xfffffffd..0xffffffff { n = n + j; }
  for j in 0..0 { n = 77; }
  for j in i..4 { n = n + 1; }
  out[i] = n;
})"},
      {"early_return", {2, 1, 1}, {128, 128}, R"(
program p(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  if (a[i] & 1) { return; }
  for j in 0..10 {
    if (j == (a[i] & 7)) { out[i] = j; return; }
    if (i > 100) { for k in 0..3 { if (k == 2) { return; } } }
  }
  out[i] = 99;
})"},
      {"return_first", {2, 1, 1}, {16}, R"(
program p(read_write out: u32 @0) workgroup(8, 1, 1) {
  out[invocation_id.x] = 3;
  return;
  out[invocation_id.x] = 4;
})"},
      {"return_always_in_loop", {1, 1, 1}, {8}, R"(
program p(read_write out: u32 @0) workgroup(8, 1, 1) {
  for i in 2..9 { out[local_id.x] = i; return; }
  out[local_id.x] = 100;
})"},
      {"both_arms_return", {1, 1, 1}, {8}, R"(
program p(read_write out: u32 @0) workgroup(8, 1, 1) {
  if (local_id.x & 1) { out[local_id.x] = 1; return; } else { out[local_id.x] = 2; return; }
  out[local_id.x] = 100;
})"},
      {"block_sum", {4, 1, 1}, {1000, 4}, R"(
program p(read input: u32 @0, read_write sums: u32 @1, workgroup scratch: u32[256]) workgroup(256, 1, 1) {
  let local = local_id.x;
  scratch[local] = input[invocation_id.x];
  barrier;
  for step in 0..8 {
    let stride = 128 >> step;
    if (local < stride) { scratch[local] = scratch[local] + scratch[local + stride]; }
    barrier;
  }
  if (local == 0) { sums[workgroup_id.x] = scratch[0]; }
})"},
      {"prefix_sum", {3, 1, 1}, {768, 768}, R"(
program p(read input: u32 @0, read_write out: u32 @1, workgroup s: u32[256]) workgroup(256, 1, 1) {
  let local = local_id.x;
  let i = invocation_id.x;
  let sum = input[i];
  s[local] = sum;
  barrier;
  for step in 0..8 {
    let stride = 1 << step;
    if (local >= stride) { sum = sum + s[local - stride]; }
    barrier;
    s[local] = sum;
    barrier;
  }
  out[i] = sum;
})"},
      {"values_across_barriers", {2, 1, 1}, {64, 64}, R"(
program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[32]) workgroup(32, 1, 1) {
  let l = local_id.x;
  let v = a[invocation_id.x];
  let w = v / (l + 1);
  let cheap = (l << 1) + 5;
  let uniform_value = len(a) * 3 + workgroup_id.x;
  let slot = v ^ 5;
  t[l] = w;
  barrier;
  slot = slot + t[(l + 1) & 31];
  let again = w + cheap;
  barrier;
  t[31 - l] = slot;
  barrier;
  out[invocation_id.x] = t[l] + w * 3 + cheap + uniform_value + slot + again;
})"},
      {"uniform_control", {5, 1, 1}, {4, 4, 160}, R"(
program p(read a: u32 @0, uniform u: u32 @1, read_write out: u32 @2, workgroup t: u32[32]) workgroup(32, 1, 1) {
  let l = local_id.x;
  let mode = a[workgroup_id.x] & 3;
  let bound = (u[1] & 3) + 1;
  t[l] = l;
  barrier;
  if (mode == 0) {
    t[l] = t[l] + 5;
    barrier;
  } else if (mode == 1) {
    for i in 0..bound {
      let v = t[(l + i) & 31];
      barrier;
      if (i < 2) { t[l] = v * 3; barrier; } else { t[31 - l] = v; }
      barrier;
    }
  } else {
    let n = 0;
    for i in 0..bound { n = n + a[i]; }
    if (n & 1) { let v = t[l ^ 1]; barrier; t[l] = v + n; barrier; }
  }
  out[invocation_id.x] = t[31 - l];
})"},
      {"uniform_slots", {3, 1, 1}, {8, 96}, R"(
program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[32]) workgroup(32, 1, 1) {
  let l = local_id.x;
  let stride = 1;
  let total = 0;
  let mine = l;
  for i in 0..4 {
    let before = stride;
    if (l & 1) { mine = mine + stride; }
    stride = stride * 2;
    total = total + a[i] * before;
    if (l < 7) { mine = mine ^ stride; }
    t[(l + stride) & 31] = mine;
    barrier;
    mine = mine + t[l];
    barrier;
    if (stride > 4) { if (total & 1) { total = total + 7; } }
  }
  if (stride == 16) { barrier; mine = mine + 1; }
  out[invocation_id.x] = mine * 100 + total + stride;
})"},
      {"varying_return_after_barrier", {3, 1, 1}, {96, 96}, R"(
program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[32]) workgroup(32, 1, 1) {
  let l = local_id.x;
  t[l] = a[invocation_id.x];
  barrier;
  out[invocation_id.x] = 1;
  if (t[l] & 1) { return; }
  out[invocation_id.x] = t[31 - l];
  if (workgroup_id.x == 1) { out[invocation_id.x] = 70; }
})"},
      {"return_in_one_arm", {4, 1, 1}, {128, 128}, R"(
program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[32]) workgroup(32, 1, 1) {
  let l = local_id.x;
  let i = invocation_id.x;
  if (workgroup_id.x & 1) {
    t[l] = a[i];
    barrier;
    out[i] = t[31 - l];
  } else {
    if (a[i] & 1) { out[i] = 7; return; }
    out[i] = 8;
  }
  out[i] = out[i] + 1000;
  for k in 0..3 { if (k == (l & 3)) { return; } out[i] = out[i] + 10; }
})"},
      {"uniform_return", {6, 1, 1}, {6, 192}, R"(
program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[32]) workgroup(32, 1, 1) {
  let l = local_id.x;
  let i = invocation_id.x;
  let g = a[workgroup_id.x] & 3;
  out[i] = 1;
  if (g == 0) { return; }
  t[l] = i;
  barrier;
  let n = g * 2;
  if (g == 1) { out[i] = t[31 - l]; barrier; out[i] = out[i] + 1; return; }
  for k in 0..n {
    t[l] = t[l] + k;
    barrier;
    if (k == 3) { out[i] = 55; return; }
    barrier;
  }
  out[i] = t[l] + 10000;
})"},
      {"workgroup_memory_is_zeroed", {9, 1, 1}, {9}, R"(
program p(read_write out: u32 @0, workgroup t: u32[40], workgroup b: bool[3]) workgroup(4, 1, 1) {
  let n = cast<u32>(b[local_id.x]);
  for i in 0..len(t) { n = n + t[i]; }
  barrier;
  t[local_id.x * 10] = 3;
  b[local_id.x] = true;
  barrier;
  for i in 0..50 { n = n + t[i]; }
  if (local_id.x == 2) { out[workgroup_id.x] = n + cast<u32>(b[1]) * 1000; }
})"},
      {"workgroup_memory_without_barrier", {5, 1, 1}, {40}, R"(
program p(read_write out: u32 @0, workgroup t: u32[8]) workgroup(8, 1, 1) {
  t[local_id.x] = t[local_id.x] + workgroup_id.x + 1;
  out[invocation_id.x] = t[local_id.x] + t[local_id.x + 100];
})"},
      {"all_atomics", {50, 1, 1}, {3200, 16}, R"(
program p(read a: u32 @0, read_write c: u32 @1) workgroup(64, 1, 1) {
  let v = a[invocation_id.x];
  let r0 = atomic_add(c[0], v);
  let r1 = atomic_or(c[1], v);
  let r2 = atomic_and(c[2], v | 0xffff);
  let r3 = atomic_xor(c[3], v);
  let r4 = atomic_min(c[4], v);
  let r5 = atomic_max(c[5], v);
  let r6 = atomic_add(c[6 + (v & 7)], 1);
  let r7 = atomic_add(c[99], 1);
})"},
      {"atomics_of_one_lane", {1, 1, 1}, {64}, R"(
program p(read_write c: u32 @0) workgroup(1, 1, 1) {
  c[1] = atomic_exchange(c[0], 5);
  c[2] = atomic_compare_exchange(c[0], 5, 6);
  c[3] = atomic_compare_exchange(c[0], 5, 7);
  c[4] = atomic_add(c[0], 0xfffffffe);
  c[5] = atomic_min(c[0], 3);
  c[6] = atomic_max(c[0], 0x80000000);
  c[7] = atomic_and(c[0], 0x80000000);
  c[8] = atomic_or(c[0], 0x10);
  c[9] = atomic_xor(c[0], 0xff);
})"},
      {"atomics_and_barriers", {20, 1, 1}, {1280, 20, 20}, R"(
program p(read a: u32 @0, read_write c: u32 @1, read_write out: u32 @2) workgroup(64, 1, 1) {
  let g = workgroup_id.x;
  let old = atomic_add(c[g], a[invocation_id.x] & 0xff);
  barrier;
  if (local_id.x == 5) { out[g] = c[g]; }
})"},
      {"storage_across_a_barrier", {4, 1, 1}, {512, 512}, R"(
program p(read_write a: u32 @0, read_write out: u32 @1) workgroup(128, 1, 1) {
  let i = invocation_id.x;
  a[i] = a[i] * 5 + 1;
  barrier;
  let v = a[workgroup_id.x * 128 + (127 - local_id.x)];
  barrier;
  a[i] = v;
  out[i] = v + a[i];
})"},
      {"largest_group", {3, 1, 1}, {3072, 3072}, R"(
program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[1024]) workgroup(1024, 1, 1) {
  t[local_id.x] = a[invocation_id.x];
  barrier;
  out[invocation_id.x] = t[1023 - local_id.x] ^ t[local_id.x ^ 512];
})"},
      {"slot_set_before_and_read_after", {2, 1, 1}, {32, 32}, R"(
program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[16]) workgroup(16, 1, 1) {
  let l = local_id.x;
  let state = a[invocation_id.x];
  let count = 0;
  for round in 0..5 {
    for j in 0..(l & 3) { state = state * 1664525 + 1013904223; count = count + 1; }
    t[l] = state;
    barrier;
    state = state ^ t[(l + 5) & 15];
    barrier;
  }
  out[invocation_id.x] = state + count;
})"},
      {"condition_kept_from_before", {4, 1, 1}, {8, 64}, R"(
program p(read a: u32 @0, read_write out: u32 @1, workgroup t: u32[16]) workgroup(16, 1, 1) {
  let l = local_id.x;
  let c = a[workgroup_id.x] & 1;
  let from = a[workgroup_id.x + 4] & 3;
  t[l] = l * 3;
  barrier;
  let flag = 0;
  if (c) { flag = from + 1; }
  barrier;
  if (flag > 1) {
    let v = t[15 - l];
    barrier;
    t[l] = v + flag;
    barrier;
  }
  for i in from..from + flag { let v = t[(l + i) & 15]; barrier; t[l] = v + i; barrier; }
  out[invocation_id.x] = t[l];
})"},
  };
  return programs;
}

}  // namespace vyre::test
