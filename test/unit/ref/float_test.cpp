// Floats in programs: reductions against their definition, on the host's floats and written once more here;
// ranges, workgroup memory, tensors, and the budget of steps.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <functional>

#include "base/random.h"
#include "num/float.h"
#include "oracle.h"
#include "run_text.h"

VYRE_ORACLE(SpecificationTable, "semantics, \"Floats\", ref.h, and values worked out by hand");

namespace vyre::ref {
namespace {

using spec::DataType;
using Fold = std::function<uint32_t(uint32_t, uint32_t)>;

constexpr uint32_t kNaN = 0x7fc00000;
constexpr uint32_t kInfinity = 0x7f800000;

uint32_t bits(float x) { return std::isnan(x) ? kNaN : std::bit_cast<uint32_t>(x); }
float number(uint32_t bits) { return std::bit_cast<float>(bits); }

struct FoldCase {
  std::string_view text;
  Fold f32;
  uint32_t identity;
};
/// Over the host's floats. Of equal numbers, which are zeros or the same, the sign decides.
std::vector<FoldCase> folds() {
  const auto lesser = [](uint32_t a, uint32_t b) {
    const float x = number(a), y = number(b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? std::isnan(y) ? kNaN : b : a;
    return x < y || (x == y && std::signbit(x)) ? a : b;
  };
  const auto negated = [](uint32_t a) { return a ^ 0x80000000; };
  return {{"fadd", [](uint32_t a, uint32_t b) { return bits(number(a) + number(b)); }, 0},
          {"fmul", [](uint32_t a, uint32_t b) { return bits(number(a) * number(b)); }, 0x3f800000},
          {"fmin", lesser, kInfinity},
          {"fmax",
           [=](uint32_t a, uint32_t b) {
             const uint32_t least = lesser(negated(a), negated(b));
             return std::isnan(number(least)) ? kNaN : negated(least);
           },
           kInfinity | 0x80000000}};
}

uint32_t canonical(uint32_t a) { return std::isnan(number(a)) ? kNaN : a; }

/// Source: semantics, "Floats": left to right.
uint32_t strict(const Fold& fold, std::span<const uint32_t> x) {
  return x.size() == 1 ? canonical(x[0]) : fold(strict(fold, x.first(x.size() - 1)), x.back());
}
/// Source: semantics, "Floats": it splits after the largest power of two below n.
uint32_t tree(const Fold& fold, std::span<const uint32_t> x) {
  if (x.size() == 1) return canonical(x[0]);
  size_t half = 1;
  while (half * 2 < x.size()) half *= 2;
  return fold(tree(fold, x.first(half)), tree(fold, x.subspan(half)));
}
uint32_t expected(bool is_tree, const FoldCase& c, std::span<const uint32_t> x) {
  if (x.empty()) return c.identity;
  return is_tree ? tree(c.f32, x) : strict(c.f32, x);
}

std::string reduction(bool is_tree, std::string_view fold, std::string_view rest = "") {
  return std::string(is_tree ? "freduce_tree_binary(" : "freduce_strict(") + std::string(fold) + ", data" +
         std::string(rest) + ")";
}

/// Numbers around one, whose sums are rounded nearly always; now and then something special.
Words some_floats(uint64_t seed, size_t n, bool special) {
  constexpr uint32_t kSpecial[] = {0,          0x80000000, 1,          0x807fffff, 0x7f7fffff,
                                   0x7f800001, 0xffc00007, 0x7f800000, 0xff800000};
  Words out;
  for (size_t i = 0; i < n; ++i) {
    const auto r = philox(seed, i, 0);
    out.push_back((r[0] & 0x80ffffff) | 0x3f000000);
    if (special && r[1] % 4 == 0) out.back() = kSpecial[r[2] % std::size(kSpecial)];
  }
  return out;
}

TEST(Reductions, AreTheirDefinitionForEveryLength) {
  VYRE_ORACLE(CpuReference,
              "the recursion of the definition over the host's floats, rounded by the host's FPU");
  uint32_t order_matters = 0;
  for (const FoldCase& c : folds()) {
    for (const bool is_tree : {false, true}) {
      const auto program = checked(
          "program p(read data: f32 @0, read_write out: f32 @1) workgroup(1, 1, 1) {"
          " out[0] = " +
              reduction(is_tree, c.text) + "; }",
          {});
      for (size_t n = 0; n <= 70; ++n) {
        const Words data = some_floats(n, n, n % 3 == 0);
        const auto out = try_run(program, {data, {0xcccccccc}});
        ASSERT_TRUE(out);
        EXPECT_EQ((*out)[1][0], expected(is_tree, c, data)) << c.text << " " << is_tree << " of " << n;
        if (n > 0) order_matters += strict(c.f32, data) != tree(c.f32, data);
      }
    }
  }
  EXPECT_GT(order_matters, 100u);  // or nothing would distinguish the shapes
}

TEST(Reductions, ClampTheirRanges) {
  const FoldCase sum = folds()[0], greatest = folds()[3];
  Words data = some_floats(1, 9, false);
  for (uint32_t& x : data) x |= 0x80000000;  // so that no zero from beyond goes unnoticed
  const auto program = checked(
      "program p(read data: f32 @0, read range: u32 @1, read_write out: f32 @2) workgroup(1, 1, 1) {"
      " out[0] = freduce_strict(fadd, data, range[0], range[1]);"
      " out[1] = freduce_tree_binary(fadd, data, range[0], range[1]);"
      " out[2] = freduce_tree_binary(fmax, data, range[0], range[1]); }",
      {});
  constexpr uint32_t kAll = 0xffffffff;
  for (const uint32_t from : {0u, 1u, 4u, 8u, 9u, 10u, 0x80000000u, kAll}) {
    for (const uint32_t to : {0u, 1u, 4u, 8u, 9u, 10u, 0x80000000u, kAll}) {
      const auto out = try_run(program, {data, {from, to}, {1, 1, 1}});
      ASSERT_TRUE(out);
      const size_t end = std::min<size_t>(to, data.size()), begin = std::min<size_t>(from, end);
      const auto part = std::span(data).subspan(begin, end - begin);
      ASSERT_EQ((*out)[2][0], expected(false, sum, part)) << from << " " << to;
      ASSERT_EQ((*out)[2][1], expected(true, sum, part)) << from << " " << to;
      ASSERT_EQ((*out)[2][2], expected(true, greatest, part)) << from << " " << to;
    }
  }
}

TEST(Reductions, OfOneElementAreThatElement) {
  // Semantics, "Floats": of one element it is the element, canonical if NaN.
  for (const FoldCase& c : folds()) {
    const auto program = checked(
        "program p(read data: f32 @0, read_write out: f32 @1) workgroup(1, 1, 1) {"
        " out[0] = " +
            reduction(false, c.text) + "; out[1] = " + reduction(true, c.text) + "; }",
        {});
    for (const uint32_t x : {0u, 0x80000000u, 1u, 0xff800000u}) {
      EXPECT_THAT((*try_run(program, {{x}, {7, 7}}))[1], testing::ElementsAre(x, x)) << c.text;
    }
    for (const uint32_t nan : {0x7f800001u, 0xffc00000u, 0xffffffffu}) {
      EXPECT_THAT((*try_run(program, {{nan}, {7, 7}}))[1], testing::ElementsAre(kNaN, kNaN)) << c.text;
    }
  }
}

TEST(Reductions, OfNarrowFloatsRoundEachStep) {
  VYRE_ORACLE(CpuReference, "the recursion of the definition over num's operators on the 16-bit formats");
  for (const DataType type : {DataType::F16, DataType::BF16}) {
    const auto f = spec::float_format(type);
    const Fold add = [&](uint32_t a, uint32_t b) { return num::add(f, a, b); };
    const std::string name(spec::text(type));
    const auto program = checked("program p(read data: " + name + " @0, read_write out: " + name +
                                     " @1) workgroup(1, 1, 1) { out[0] = freduce_strict(fadd, data);"
                                     " out[1] = freduce_tree_binary(fadd, data); }",
                                 {});
    for (uint32_t n = 2; n <= 40; n += 2) {
      Words elements, packed;
      for (uint32_t i = 0; i < n; ++i) elements.push_back((f.one() - 40) + philox(n, i, 1)[0] % 80);
      for (uint32_t i = 0; i < n; i += 2) packed.push_back(elements[i] | elements[i + 1] << 16);
      uint32_t left = elements[0];
      for (uint32_t i = 1; i < n; ++i) left = add(left, elements[i]);
      const std::function<uint32_t(uint32_t, uint32_t)> whole = [&](uint32_t from, uint32_t to) {
        if (to - from == 1) return elements[from];
        uint32_t half = 1;
        while (half * 2 < to - from) half *= 2;
        return add(whole(from, from + half), whole(from + half, to));
      };
      const auto out = try_run(program, {packed, {0}});
      ASSERT_TRUE(out);
      EXPECT_EQ((*out)[1][0], left | whole(0, n) << 16) << name << " of " << n;
    }
  }
}

TEST(Reductions, SpendStepsByElements) {
  // ref.h, the contract of Options: one step for each element, and 10 for what is around.
  const auto program = checked(
      "program p(read data: f32 @0, read_write out: f32 @1) workgroup(1, 1, 1) {"
      " out[0] = freduce_strict(fadd, data); }",
      {});
  const Words data(1000, bits(1));
  const auto enough = try_run(program, {data, {0}}, {}, {.max_steps = 1010});
  ASSERT_TRUE(enough);
  EXPECT_EQ((*enough)[1][0], bits(1000));
  const auto short_of = try_run(program, {data, {0}}, {}, {.max_steps = 999});
  ASSERT_FALSE(short_of);
  EXPECT_EQ(short_of.error().code, DiagCode::B003);
}

TEST(Reductions, DoNotOutrunTheBudget) {
  // As above: 2^40 steps are wanted; without the bound this test would not end today.
  const auto program = checked(
      "program p(read data: f32 @0, read_write out: f32 @1) workgroup(1, 1, 1) {"
      " for i in 0..1048576 {"
      " out[0] = freduce_tree_binary(fadd, data) + freduce_tree_binary(fadd, data); } }",
      {});
  const auto result = try_run(program, {Words(1 << 20, bits(1)), {0}}, {}, {.max_steps = 1 << 21});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, DiagCode::B003);
}

}  // namespace
}  // namespace vyre::ref
