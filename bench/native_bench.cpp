// Native code against the same loops in C++, in one process and one run, on one thread.
//
// Each kernel comes as text and as a C++ function that does its work on the same arrays. The times are the
// best of many interleaved runs, so that a busy machine hurts both alike; the ratio is what counts (1.00: as
// fast as C++ compiled for this machine at -O3; larger is slower). Results are compared first: a fast wrong
// answer is no answer.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string_view>
#include <vector>

#include "backend/native/native.h"
#include "base/bytes.h"
#include "base/random.h"
#include "check/checked.h"
#include "text/text.h"

namespace {

using namespace vyre;
using Words = std::vector<uint32_t>;

struct Benchmark {
  std::string_view name;
  std::string_view text;
  std::vector<size_t> counts;
  layout::Groups groups;
  void (*rival)(std::vector<Words>& buffers);
};

void rival_xor(std::vector<Words>& buffers) {
  const uint32_t* __restrict a = buffers[0].data();
  const uint32_t* __restrict b = buffers[1].data();
  uint32_t* __restrict out = buffers[2].data();
  const size_t n = buffers[2].size();
  for (size_t i = 0; i < n; ++i) out[i] = a[i] ^ b[i];
}

void rival_block_sum(std::vector<Words>& buffers) {
  const uint32_t* __restrict in = buffers[0].data();
  uint32_t* __restrict sums = buffers[1].data();
  const size_t groups = buffers[1].size();
  for (size_t g = 0; g < groups; ++g) {
    uint32_t scratch[256];
    for (size_t l = 0; l < 256; ++l) scratch[l] = in[g * 256 + l];
    for (uint32_t step = 0; step < 8; ++step) {
      const size_t stride = 128 >> step;
      for (size_t l = 0; l < stride; ++l) scratch[l] += scratch[l + stride];
    }
    sums[g] = scratch[0];
  }
}

// A chain of 64 dependent steps a lane: xorshift.
void rival_loop(std::vector<Words>& buffers) {
  uint32_t* __restrict out = buffers[0].data();
  const size_t n = buffers[0].size();
  for (size_t i = 0; i < n; ++i) {
    uint32_t x = out[i];
    for (int round = 0; round < 64; ++round) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
    }
    out[i] = x;
  }
}

void rival_fnv1a(std::vector<Words>& buffers) {
  const uint32_t* __restrict data = buffers[0].data();
  uint32_t* __restrict out = buffers[1].data();
  const size_t n = buffers[1].size();
  for (size_t i = 0; i < n; ++i) {
    uint32_t hash = 2166136261u;
    for (size_t k = 0; k < 16; ++k) {
      const uint32_t word = data[i * 16 + k];
      for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (word >> shift & 255)) * 16777619u;
    }
    out[i] = hash;
  }
}

// Elements of 64 bits in arrays of words. In vyre they are pairs of words: what that costs is what these two
// show.
using Wide __attribute__((may_alias)) = uint64_t;
void rival_u64_add_shift(std::vector<Words>& buffers) {
  const Wide* __restrict a = reinterpret_cast<const Wide*>(buffers[0].data());
  const Wide* __restrict b = reinterpret_cast<const Wide*>(buffers[1].data());
  Wide* __restrict out = reinterpret_cast<Wide*>(buffers[2].data());
  const size_t n = buffers[2].size() / 2;
  for (size_t i = 0; i < n; ++i) out[i] = (a[i] + b[i]) ^ (a[i] << (b[i] & 63));
}

void rival_u64_mul(std::vector<Words>& buffers) {
  Wide* __restrict out = reinterpret_cast<Wide*>(buffers[0].data());
  const size_t n = buffers[0].size() / 2;
  for (size_t i = 0; i < n; ++i) {
    uint64_t x = out[i];
    for (int round = 0; round < 64; ++round) {
      x = x * 6364136223846793005u;
      x ^= x >> 29;
    }
    out[i] = x;
  }
}

constexpr uint32_t kLarge = 65'000 * 64;  // 16 MB an array: out of the caches
constexpr uint32_t kSmall = 1u << 14;     // 64 KiB an array: in them

const std::vector<Benchmark>& benchmarks() {
  constexpr std::string_view xor_text = R"(
program xor(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  if (i < len(out)) { out[i] = a[i] ^ b[i]; }
})";
  static const std::vector<Benchmark> all = {
      {"xor, 4.2M words", xor_text, {kLarge, kLarge, kLarge}, {kLarge / 64, 1, 1}, &rival_xor},
      {"xor, 16Ki words", xor_text, {kSmall, kSmall, kSmall}, {kSmall / 64, 1, 1}, &rival_xor},
      {"block_sum, 1Mi words",
       R"(
program block_sum(read input: u32 @0, read_write sums: u32 @1, workgroup scratch: u32[256]) workgroup(256, 1, 1) {
  let local = local_id.x;
  scratch[local] = input[invocation_id.x];
  barrier;
  for step in 0..8 {
    let stride = 128 >> step;
    if (local < stride) { scratch[local] = scratch[local] + scratch[local + stride]; }
    barrier;
  }
  if (local == 0) { sums[workgroup_id.x] = scratch[0]; }
})",
       {1u << 20, 1u << 12},
       {1u << 12, 1, 1},
       &rival_block_sum},
      {"xorshift, 64 rounds, 16Ki words",
       R"(
program xorshift(read_write out: u32 @0) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  let x = out[i];
  for round in 0..64 {
    x = x ^ (x << 13);
    x = x ^ (x >> 17);
    x = x ^ (x << 5);
  }
  out[i] = x;
})",
       {kSmall},
       {kSmall / 64, 1, 1},
       &rival_loop},
      {"fnv1a of 16Ki records of 64 bytes",
       R"(
program fnv1a(read data: bytes @0, read_write out: u32 @1) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  let hash = 2166136261;
  for k in 0..16 {
    let word = data[i * 16 + k];
    for b in 0..4 { hash = (hash ^ ((word >> (b * 8)) & 255)) * 16777619; }
  }
  out[i] = hash;
})",
       {kSmall * 16, kSmall},
       {kSmall / 64, 1, 1},
       &rival_fnv1a},
      {"u64 add, shift: 16Ki elements",
       R"(
program u64_add_shift(read a: u64 @0, read b: u64 @1, read_write out: u64 @2) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  let x = a[i];
  let y = b[i];
  out[i] = (x + y) ^ (x << cast<u32>(y));
})",
       {kSmall * 2, kSmall * 2, kSmall * 2},
       {kSmall / 64, 1, 1},
       &rival_u64_add_shift},
      {"u64 mul, shift: 64 rounds, 16Ki",
       R"(
program u64_mul(read_write out: u64 @0) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  let x = out[i];
  for round in 0..64 {
    x = x * 6364136223846793005u64;
    x = x ^ (x >> 29);
  }
  out[i] = x;
})",
       {kSmall * 2},
       {kSmall / 64, 1, 1},
       &rival_u64_mul},
  };
  return all;
}

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool run(backend::Backend& native, const Benchmark& b) {
  static const spec::OpTable no_operations;
  auto program = text::parse(b.text);
  if (!program) return fmt::print(stderr, "{}\n", render(program.error(), nullptr)), false;
  const auto checked = check::check(std::move(*program), no_operations);
  if (!checked) return fmt::print(stderr, "{}\n", render(checked.error().front(), nullptr)), false;
  const double first = seconds([&] { (void)native.compile(*checked); });
  const auto pipeline = native.compile(*checked);
  if (!pipeline) return fmt::print(stderr, "{}\n", render(pipeline.error(), nullptr)), false;

  std::vector<Words> ours;
  RandomStream random(1, 1);
  for (const size_t count : b.counts) {
    Words& words = ours.emplace_back(count);
    for (uint32_t& w : words) w = random.next();
  }
  std::vector<Words> theirs = ours;
  std::vector<std::span<std::byte>> host;
  for (Words& words : ours) host.push_back(std::as_writable_bytes(std::span(words)));
  const auto dispatch = [&] { return bool((*pipeline)->dispatch(host, b.groups)); };
  if (!dispatch()) return fmt::print(stderr, "{}: dispatch failed\n", b.name), false;
  b.rival(theirs);
  if (ours != theirs) return fmt::print(stderr, "{}: native and C++ differ\n", b.name), false;
  double best = 1e9, rival = 1e9;
  for (int repeat = 0; repeat < 60; ++repeat) {
    best = std::min(best, seconds([&] { (void)dispatch(); }));
    rival = std::min(rival, seconds([&] { b.rival(theirs); }));
  }
  fmt::print("{:<36} {:>10.1f} us {:>10.1f} us {:>8.2f} {:>12.1f} ms\n", b.name, best * 1e6, rival * 1e6,
             best / rival, first * 1e3);
  return true;
}

}  // namespace

int main() {
  const auto native = backend::make_native({.optimisation = 2, .threads = 1});
  if (!native) return fmt::print(stderr, "{}\n", render(native.error(), nullptr)), 3;
  fmt::print("{}, {}\n", (*native)->identity().device, (*native)->identity().driver);
  fmt::print("{:<36} {:>13} {:>13} {:>8} {:>15}\n", "", "native", "C++", "ratio", "compiling");
  bool good = true;
  for (const Benchmark& b : benchmarks()) good &= run(**native, b);
  return good ? 0 : 1;
}
