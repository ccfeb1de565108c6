// Small types of graphs: every pattern cast, every number near a middle rounded, and packed elements moved.
//
// Expected values of casts are the formulas of the OCP documents, in double, which holds everything exactly:
// a number is (-1)^s 2^(e - bias) (1 + f / 2^m), and rounding is rint(x / q) q, where q is the distance
// between neighbours there. Movement is expected as loops over elements that have a byte each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "ops/operation.h"
#include "oracle.h"
#include "plan/graph.h"
#include "ref/graph.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "docs/spec/graphs.md, \"Small types\", by the formulas of OFP8 1.0 and MX 1.0");

namespace vyre::tensor {
namespace {

using spec::DataType;
using Shapes = std::vector<std::vector<uint32_t>>;
using Words = std::vector<uint32_t>;

/// native, or the backend that VYRE_TEST_BACKEND names.
backend::Backend& tested() {
  static const auto backend = [] {
    const char* const name = std::getenv("VYRE_TEST_BACKEND");
    auto opened = backend::open(name == nullptr ? "native" : name, {});
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }();
  return *backend;
}

/// The outputs of a graph at these shapes; the reference and the backend have to agree on them.
std::vector<Bytes> run(std::string_view text, const Shapes& shapes, std::vector<Bytes> memory) {
  auto parsed = text::parse_module(text, &ops::op_table());
  if (!parsed) throw std::runtime_error(render(parsed.error(), nullptr));
  auto module = check::check(*std::move(parsed), ops::op_table());
  if (!module) throw std::runtime_error(render(module.error().front(), nullptr));
  plan::GraphExecutable graph(tested(), *module, 0, ops::op_table());
  const auto sized = graph.at(shapes);
  if (!sized) throw std::runtime_error(render(sized.error(), nullptr));
  const std::vector<std::span<const std::byte>> given(memory.begin(), memory.end());
  auto expected = ref::run_graph(**module, (*sized)->graph, given);
  if (!expected) throw std::runtime_error(render(expected.error(), nullptr));
  const std::vector<uint64_t> bytes = (*sized)->bytes();
  for (size_t i = shapes.size(); i < bytes.size(); ++i) memory.emplace_back(bytes[i], std::byte{0xee});
  const std::vector<std::span<std::byte>> host(memory.begin(), memory.end());
  const auto ran = graph.run_host(shapes, host);
  if (!ran) throw std::runtime_error(render(ran.error(), nullptr));
  for (size_t i = 0; i < expected->size(); ++i)
    EXPECT_TRUE(memory[shapes.size() + i] == (*expected)[i]) << text;
  return *std::move(expected);
}

// Elements in memory.

Bytes packed(DataType type, const Words& elements) {
  const bool nibbles = type == DataType::FP4E2M1;
  Bytes out(nibbles ? (elements.size() + 1) / 2 : elements.size());
  for (size_t i = 0; i < elements.size(); ++i)
    out[nibbles ? i / 2 : i] |= std::byte(elements[i] << (nibbles && i % 2 == 1 ? 4 : 0));
  return out;
}
Words unpacked(DataType type, const Bytes& bytes, size_t count) {
  const bool nibbles = type == DataType::FP4E2M1;
  Words out;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t byte = uint32_t(bytes[nibbles ? i / 2 : i]);
    out.push_back(nibbles ? byte >> (i % 2 * 4) & 0xf : byte);
  }
  return out;
}
Bytes bytes_of(const Words& words, size_t size = 4) {
  Bytes out(words.size() * size);
  for (size_t i = 0; i < words.size(); ++i) std::memcpy(out.data() + i * size, &words[i], size);
  return out;
}
Words words_of(const Bytes& bytes) {
  Words out(bytes.size() / 4);
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

// The formulas.

struct Format {
  DataType type;
  int exponent_bits, fraction_bits, bias;
  double greatest;
  bool has_infinity, has_nan;
  uint32_t nan;  // what a NaN is cast to
};
constexpr Format kFormats[] = {
    {DataType::FP8E4M3, 4, 3, 7, 448, false, true, 0x7f},
    {DataType::FP8E5M2, 5, 2, 15, 57344, true, true, 0x7e},
    {DataType::FP4E2M1, 2, 1, 1, 6, false, false, 0x7},
};

uint32_t patterns(const Format& f) { return 2u << (f.exponent_bits + f.fraction_bits); }

double value_of(const Format& f, uint32_t pattern) {
  const uint32_t fractions = 1u << f.fraction_bits, fraction = pattern % fractions;
  const int exponent = int(pattern / fractions) % (1 << f.exponent_bits);
  const double sign = pattern >= patterns(f) / 2 ? -1 : 1;
  const bool last = exponent == (1 << f.exponent_bits) - 1;
  if (f.has_infinity && last) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  if (f.has_nan && last && fraction == fractions - 1) return std::nan("");
  const double part = double(fraction) / fractions;
  return exponent == 0 ? sign * std::ldexp(part, 1 - f.bias) : sign * std::ldexp(1 + part, exponent - f.bias);
}

/// The pattern of a value that the format has.
uint32_t pattern_of(const Format& f, double value) {
  for (uint32_t pattern = 0; pattern < patterns(f); ++pattern) {
    const double other = value_of(f, pattern);
    if (other == value && std::signbit(other) == std::signbit(value)) return pattern;
  }
  throw std::logic_error("no such value");
}

uint32_t rounded(const Format& f, float x) {
  if (std::isnan(x)) return f.nan;
  double out = x;
  if (x != 0 && !std::isinf(x)) {
    const double place = std::ldexp(1, std::max(std::ilogb(x), 1 - f.bias) - f.fraction_bits);
    out = std::rint(x / place) * place;  // x is far from the ends of double
  }
  if (std::abs(out) <= f.greatest) return pattern_of(f, std::copysign(out, x));
  if (f.has_infinity) return pattern_of(f, std::copysign(HUGE_VAL, x));
  return f.has_nan ? f.nan : pattern_of(f, std::copysign(f.greatest, x));
}

uint32_t bits_of(double value) {
  return std::isnan(value) ? 0x7fc0'0000 : std::bit_cast<uint32_t>(float(value));
}

std::string cast_graph(std::string_view from, std::string_view to, std::string_view mode = "") {
  return fmt::format("graph g(x: {0}[n]) -> (y: {1}[n]) {{\n  y = cast<{1}{2}>(x);\n}}\n", from, to, mode);
}

TEST(SmallTypes, EveryPatternIsItsNumber) {
  for (const Format& f : kFormats) {
    Words all, expected;
    for (uint32_t pattern = 0; pattern < patterns(f); ++pattern) {
      all.push_back(pattern);
      expected.push_back(bits_of(value_of(f, pattern)));
    }
    const auto out =
        run(cast_graph(spec::text(f.type), "f32"), {{uint32_t(all.size())}}, {packed(f.type, all)});
    EXPECT_EQ(words_of(out[0]), expected) << spec::text(f.type);
  }
}

TEST(SmallTypes, EveryPatternIsCastBackToItself) {
  for (const Format& f : kFormats) {
    Words all, expected;
    for (uint32_t pattern = 0; pattern < patterns(f); ++pattern) {
      all.push_back(pattern);
      expected.push_back(std::isnan(value_of(f, pattern)) ? f.nan : pattern);
    }
    const auto out =
        run(fmt::format("graph g(x: {0}[n]) -> (y: {0}[n]) {{\n  y = cast<{0}>(cast<f32>(x));\n}}\n",
                        spec::text(f.type)),
            {{uint32_t(all.size())}}, {packed(f.type, all)});
    EXPECT_EQ(unpacked(f.type, out[0], all.size()), expected) << spec::text(f.type);
  }
}

TEST(SmallTypes, EveryHalfIsRoundedOnce) {
  Words halves, singles;
  for (uint32_t bits = 0; bits < 65'536; ++bits) {
    halves.push_back(bits);
    // (-1)^s 2^(e - 15) (1 + f / 2^10)
    const uint32_t e = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits >> 15 != 0 ? -1 : 1;
    const double value = e == 31  ? fraction == 0 ? HUGE_VAL : std::nan("")
                          : e == 0 ? std::ldexp(fraction, -24)
                                  : std::ldexp(1024 + fraction, int(e) - 25);
    singles.push_back(bits_of(sign * value));
  }
  for (const Format& f : kFormats) {
    const auto out = run(cast_graph("f16", spec::text(f.type)), {{65'536}}, {bytes_of(halves, 2)});
    const Words found = unpacked(f.type, out[0], 65'536);
    for (size_t i = 0; i < halves.size(); ++i)
      ASSERT_EQ(found[i], rounded(f, std::bit_cast<float>(singles[i]))) << spec::text(f.type) << " " << i;
  }
}

/// The middles between neighbours, the values themselves, what lies around each, and the ends of f32.
Words near_middles(const Format& f) {
  Words out = {0x0000'0000, 0x0000'0001, 0x007f'ffff, 0x0080'0000, 0x7f7f'ffff,
               0x7f80'0000, 0x7f80'0001, 0x7fc0'0000, 0x7fff'ffff};
  for (uint32_t pattern = 0; pattern < patterns(f) / 2; ++pattern) {
    const double low = value_of(f, pattern);
    if (!std::isfinite(low)) continue;
    const double next = pattern + 1 < patterns(f) / 2 ? value_of(f, pattern + 1) : HUGE_VAL;
    // Behind the greatest number: where the next one would be.
    const double high = std::isfinite(next) ? next : low + (low - value_of(f, pattern - 1));
    for (const double at :
         {low, low + (high - low) / 2, high, low + (high - low) * 0.25, low + (high - low) * 0.75}) {
      const uint32_t bits = std::bit_cast<uint32_t>(float(at));
      for (const uint32_t one : {bits - 1, bits, bits + 1}) {
        if (one < 0x7f80'0000) out.push_back(one);
      }
    }
  }
  const size_t count = out.size();
  for (size_t i = 0; i < count; ++i) out.push_back(out[i] | 0x8000'0000);
  return out;
}

TEST(SmallTypes, WhatLiesAroundMiddlesIsRoundedToEven) {
  for (const Format& f : kFormats) {
    Words numbers = near_middles(f);
    for (uint64_t i = 0; i < 5'000; ++i) numbers.push_back(philox(3, i)[0]);
    const auto out =
        run(cast_graph("f32", spec::text(f.type)), {{uint32_t(numbers.size())}}, {bytes_of(numbers)});
    const Words found = unpacked(f.type, out[0], numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(found[i], rounded(f, std::bit_cast<float>(numbers[i])))
          << spec::text(f.type) << fmt::format(" {:#x}", numbers[i]);
    }
  }
}

TEST(SmallTypes, LandmarksOfTheDocuments) {
  const auto cast = [](DataType type, float x) {
    const auto out =
        run(cast_graph("f32", spec::text(type)), {{1}}, {bytes_of({std::bit_cast<uint32_t>(x)})});
    return uint32_t(out[0][0]);
  };
  EXPECT_EQ(cast(DataType::FP8E4M3, 464), 0x7eu);  // the middle behind 448, which is even
  EXPECT_EQ(cast(DataType::FP8E4M3, 465), 0x7fu);
  EXPECT_EQ(cast(DataType::FP8E4M3, -HUGE_VALF), 0x7fu);
  EXPECT_EQ(cast(DataType::FP8E4M3, std::ldexp(1.f, -10)), 0x00u);
  EXPECT_EQ(cast(DataType::FP8E4M3, -std::ldexp(1.f, -9)), 0x81u);
  EXPECT_EQ(cast(DataType::FP8E5M2, 61439), 0x7bu);
  EXPECT_EQ(cast(DataType::FP8E5M2, 61440), 0x7cu);
  EXPECT_EQ(cast(DataType::FP8E5M2, -HUGE_VALF), 0xfcu);
  EXPECT_EQ(cast(DataType::FP4E2M1, 5), 0x6u);
  EXPECT_EQ(cast(DataType::FP4E2M1, 0.25f), 0x0u);
  EXPECT_EQ(cast(DataType::FP4E2M1, -1e30f), 0xfu);
  EXPECT_EQ(cast(DataType::FP4E2M1, std::nanf("")), 0x7u);
}

TEST(SmallTypes, IntegersAreExtendedAndWrap) {
  Words all, wide, signs;
  for (uint32_t i = 0; i < 256; ++i) {
    all.push_back(i);
    signs.push_back(i < 128 ? i : i - 256);
  }
  for (uint64_t i = 0; i < 600; ++i) wide.push_back(i < 300 ? uint32_t(i) - 150 : philox(4, i)[0]);
  EXPECT_EQ(words_of(run(cast_graph("u8", "u32"), {{256}}, {bytes_of(all, 1)})[0]), all);
  EXPECT_EQ(words_of(run(cast_graph("i8", "i32"), {{256}}, {bytes_of(all, 1)})[0]), signs);
  EXPECT_EQ(words_of(run(cast_graph("i8", "u32"), {{256}}, {bytes_of(all, 1)})[0]), signs);
  EXPECT_EQ(words_of(run(cast_graph("u8", "i32"), {{256}}, {bytes_of(all, 1)})[0]), all);
  for (const std::string_view from : {"u32", "i32"}) {
    for (const DataType to : {DataType::I8, DataType::U8}) {
      const Words found =
          unpacked(to, run(cast_graph(from, spec::text(to)), {{600}}, {bytes_of(wide)})[0], 600);
      for (size_t i = 0; i < wide.size(); ++i) EXPECT_EQ(found[i], wide[i] & 0xff);
    }
  }
}

TEST(SmallTypes, FloatsAreRoundedToIntegersAsTheModeSays) {
  Words numbers = {0x7f80'0000, 0xff80'0000, 0x7fc0'0000, 0xffc0'0001, 0x8000'0000,
                   1,           0x8000'0001, 0x7f7f'ffff, 0xcf00'0000, 0x4f80'0000};
  for (int i = -600; i <= 600; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(float(i) / 2);
    numbers.insert(numbers.end(), {bits - 1, bits, bits + 1});
  }
  const auto expected = [](float x, std::string_view mode, double least, double greatest) {
    if (std::isnan(x)) return 0u;
    const double whole = mode == ", trunc"     ? std::trunc(x)
                         : mode == ", nearest" ? std::rint(x)
                         : mode == ", floor"   ? std::floor(x)
                                               : std::ceil(x);
    return uint32_t(int32_t(std::clamp(whole, least, greatest))) & 0xff;
  };
  for (const std::string_view mode : {", trunc", ", nearest", ", floor", ", ceil"}) {
    for (const DataType to : {DataType::I8, DataType::U8}) {
      const auto out =
          run(cast_graph("f32", spec::text(to), mode), {{uint32_t(numbers.size())}}, {bytes_of(numbers)});
      const Words found = unpacked(to, out[0], numbers.size());
      const bool is_signed = to == DataType::I8;
      for (size_t i = 0; i < numbers.size(); ++i) {
        ASSERT_EQ(found[i], expected(std::bit_cast<float>(numbers[i]), mode, is_signed ? -128 : 0,
                                     is_signed ? 127 : 255))
            << spec::text(to) << mode << fmt::format(" {:#x}", numbers[i]);
      }
    }
  }
}

TEST(SmallTypes, PackedElementsAreMoved) {
  // Sizes at which the last word is full, and at which it has one element to seven.
  for (const DataType type : {DataType::U8, DataType::FP4E2M1}) {
    const uint32_t mask = type == DataType::U8 ? 0xff : 0xf;
    for (const uint32_t n : {1u, 2u, 3u, 5u, 8u, 13u}) {
      const uint32_t m = 7;
      Words x, i = {0, n - 1, n, 2};
      for (uint32_t k = 0; k < n * m; ++k) x.push_back(philox(n, k)[0] & mask);
      const auto out = run(fmt::format(R"(graph g(x: {0}[n, m], i: u32[k]) -> (
  t: {0}[m, n], s: {0}[n, ceil_div(m - 1, 2)], c: {0}[n, m + m], p: {0}[n + 3, m], g: {0}[k, m], f: {0}[n * m]) {{
  t = transpose(x, [1, 0]);
  s = slice(x, [0..n, 1..m step 2]);
  c = concat(1, x, x);
  p = pad(x, [1..2, 0..0], cast<{0}>({1}));
  g = gather(x, i, 0);
  f = reshape(t, [n * m]);
}}
)",
                                       spec::text(type), type == DataType::U8 ? "9" : "-3.0"),
                           {{n, m}, {4}}, {packed(type, x), bytes_of(i)});
      const auto expect = [&](size_t number, uint32_t rows, uint32_t columns, const auto& at) {
        Words expected;
        for (uint32_t r = 0; r < rows; ++r)
          for (uint32_t c = 0; c < columns; ++c) expected.push_back(at(r, c));
        EXPECT_EQ(out[number], packed(type, expected)) << number << " " << n;
      };
      const uint32_t padding = type == DataType::U8 ? 9 : 0xd;
      expect(0, m, n, [&](uint32_t r, uint32_t c) { return x[c * m + r]; });
      expect(1, n, 3, [&](uint32_t r, uint32_t c) { return x[r * m + 1 + 2 * c]; });
      expect(2, n, 2 * m, [&](uint32_t r, uint32_t c) { return x[r * m + c % m]; });
      expect(3, n + 3, m,
             [&](uint32_t r, uint32_t c) { return r < 1 || r > n ? padding : x[(r - 1) * m + c]; });
      expect(4, 4, m, [&](uint32_t r, uint32_t c) { return i[r] < n ? x[i[r] * m + c] : 0; });
      expect(5, m, n, [&](uint32_t r, uint32_t c) { return x[c * m + r]; });
    }
  }
}

TEST(SmallTypes, NothingOfNoElements) {
  const auto out =
      run("graph g(x: fp4_e2m1[n, m]) -> (y: fp4_e2m1[m, n], z: f32[n, 1]) {\n"
          "  y = transpose(x, [1, 0]);\n  z = reduce(fadd, tree, cast<f32>(x), 1);\n}\n",
          {{0, 3}}, {Bytes()});
  EXPECT_TRUE(out[0].empty());
  EXPECT_TRUE(out[1].empty());
}

TEST(SmallTypes, ProductsCastTheirOperandsExactly) {
  const uint32_t n = 5, k = 19, m = 6;
  for (const DataType type : {DataType::I8, DataType::U8}) {
    Words a, b;
    for (uint32_t i = 0; i < n * k; ++i) a.push_back(philox(1, i)[0] & 0xff);
    for (uint32_t i = 0; i < k * m; ++i) b.push_back(philox(2, i)[0] & 0xff);
    const auto number = [&](uint32_t pattern) {
      return type == DataType::I8 && pattern >= 128 ? int32_t(pattern) - 256 : int32_t(pattern);
    };
    Words expected;
    for (uint32_t r = 0; r < n; ++r) {
      for (uint32_t c = 0; c < m; ++c) {
        int32_t sum = 0;
        for (uint32_t i = 0; i < k; ++i) sum += number(a[r * k + i]) * number(b[i * m + c]);
        expected.push_back(uint32_t(sum));
      }
    }
    const auto out =
        run(fmt::format("graph g(a: {0}[n, k], b: {0}[k, m]) -> (y: i32[n, m]) {{\n  y = matmul(a, b);\n}}\n",
                        spec::text(type)),
            {{n, k}, {k, m}}, {bytes_of(a, 1), bytes_of(b, 1)});
    EXPECT_EQ(words_of(out[0]), expected) << spec::text(type);
  }
  for (const Format& f : kFormats) {
    // Sums of so few products of so few bits are exact in f32, in whatever order.
    Words a, b;
    const auto some = [&](uint64_t seed, uint32_t i) {
      const uint32_t about_one = uint32_t(f.bias) << f.fraction_bits;
      const uint32_t pattern = about_one + philox(seed, i)[0] % (1u << f.fraction_bits);
      return pattern | (philox(seed, i)[1] & 1) * (patterns(f) / 2);
    };
    for (uint32_t i = 0; i < n * k; ++i) a.push_back(some(5, i));
    for (uint32_t i = 0; i < k * m; ++i) b.push_back(some(6, i));
    Words expected;
    for (uint32_t r = 0; r < n; ++r) {
      for (uint32_t c = 0; c < m; ++c) {
        double sum = 0;
        for (uint32_t i = 0; i < k; ++i) sum += value_of(f, a[r * k + i]) * value_of(f, b[i * m + c]);
        expected.push_back(bits_of(sum));
      }
    }
    const auto out =
        run(fmt::format("graph g(a: {0}[n, k], b: {0}[k, m]) -> (y: f32[n, m]) {{\n  y = matmul(a, b);\n}}\n",
                        spec::text(f.type)),
            {{n, k}, {k, m}}, {packed(f.type, a), packed(f.type, b)});
    EXPECT_EQ(words_of(out[0]), expected) << spec::text(f.type);
  }
}

TEST(SmallTypes, CallsAndNamesHaveThem) {
  const auto out = run(R"(graph g(x: i8[n], y: i8[n]) -> (z: i8[n], w: f16[n]) {
  let u8 = both(x, y);
  z = u8;
  w = cast<f16>(u8);
}

graph both(x: i8[n], y: i8[n]) -> (z: i8[n]) {
  z = cast<i8>(cast<i32>(x) + cast<i32>(y));
}
)",
                       {{3}, {3}}, {bytes_of({127, 5, 0x80}, 1), bytes_of({1, 0xfe, 0x80}, 1)});
  EXPECT_EQ(out[0], bytes_of({0x80, 3, 0}, 1));
  EXPECT_EQ(out[1], bytes_of({0xd800, 0x4200, 0}, 2));
}

}  // namespace
}  // namespace vyre::tensor
