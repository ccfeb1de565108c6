// Cases of operands that are rounded: what arithmetic on floats goes wrong at does come up, and often enough.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <map>

#include "num/float.h"
#include "oracle.h"
#include "verify/families.h"
#include "verify/value_cases.h"

VYRE_ORACLE(Property, "the ledgers, and the definition of what is counted, on the operands alone");

namespace vyre::verify {
namespace {

using generate::Strategy;
using spec::DataType;
using spec::FloatFormat;

constexpr size_t kCases = 20'000;
constexpr DataType kTypes[] = {DataType::F16, DataType::BF16, DataType::F32};

using Words = std::array<uint32_t, 3>;
std::vector<Words> cases_of(std::string_view name, const std::vector<DataType>& types) {
  const ValueCases cases(name, types, Strategy::Random, 1, Recipe::Rounded);
  std::vector<std::vector<uint32_t>> columns;
  std::vector<uint32_t*> pointers;
  for (const DataType type : types) {
    for (uint32_t w = 0; w < spec::value_words(type); ++w) columns.emplace_back(kCases);
  }
  for (auto& column : columns) pointers.push_back(column.data());
  cases.fill(0, kCases, pointers);
  std::vector<Words> out(kCases);
  for (size_t i = 0; i < kCases; ++i) {
    for (size_t k = 0; k < columns.size(); ++k) out[i][k] = columns[k][i];
  }
  return out;
}

/// The number itself: every format's numbers are doubles.
double number(FloatFormat f, uint32_t x) {
  return double(std::bit_cast<float>(num::convert(f, spec::kBinary32, x)));
}
bool is_finite(FloatFormat f, uint32_t x) { return !f.is_nan(x) && !f.is_infinite(x); }

/// Whether an exact number stands in the middle between the pattern it was rounded to and a neighbour of it.
bool is_tie(FloatFormat f, double exact, uint32_t rounded) {
  if (!is_finite(f, rounded)) return false;
  for (const uint32_t other : {num::next_up(f, rounded), num::next_down(f, rounded)}) {
    if (is_finite(f, other) && exact == (number(f, rounded) + number(f, other)) / 2) return true;
  }
  return false;
}

/// How often things came up, by name; all that are asked for must, 1 time in 1000.
class Tally {
 public:
  explicit Tally(std::string title) : title_(std::move(title)) {}
  void count(const char* what, bool seen) { counts_[what] += seen ? 1 : 0; }
  ~Tally() {
    std::string line;
    for (const auto& [what, n] : counts_) {
      line += fmt::format("{}{} {:.1f}%", line.empty() ? "" : ", ", what, 100.0 * double(n) / double(kCases));
      EXPECT_GE(n, kCases / 1000) << title_ << ": " << what;
    }
    fmt::print("  {:<14} {}\n", title_, line);
  }

 private:
  std::string title_;
  std::map<std::string, size_t> counts_;
};

void count_result(Tally& tally, FloatFormat f, bool operands_finite, uint32_t result) {
  tally.count("subnormal", operands_finite && f.is_subnormal(result));
  tally.count("overflow", operands_finite && f.is_infinite(result));
  tally.count("near overflow",
              (result & ~f.sign_bit()) >= f.greatest() - f.fraction_mask() && is_finite(f, result));
  tally.count("NaN", f.is_nan(result));
}

/// Counts over the cases of an operator, at each float type.
void count_cases(std::string_view op, size_t operands,
                 const std::function<void(Tally& tally, FloatFormat f, const Words& x)>& count) {
  for (const DataType type : kTypes) {
    const std::string name = fmt::format("{}.{}", op, spec::text(type));
    Tally tally(name);
    for (const Words& x : cases_of("ir.operators/" + name, std::vector(operands, type)))
      count(tally, spec::float_format(type), x);
  }
}

TEST(FloatCases, OfSumsRoundAndCancel) {
  VYRE_ORACLE(CpuReference,
              "exact arithmetic in double: sums of numbers of less than 2^28 between their exponents are "
              "exact there");
  count_cases("fadd", 2, [](Tally& tally, FloatFormat f, const Words& x) {
    const bool finite = is_finite(f, x[0]) && is_finite(f, x[1]);
    const uint32_t sum = num::add(f, x[0], x[1]);
    count_result(tally, f, finite, sum);
    if (!finite) return;
    const double a = number(f, x[0]), b = number(f, x[1]), exact = a + b;
    const bool close = std::abs(std::ilogb(a) - std::ilogb(b)) <= 28 && a != 0 && b != 0;
    tally.count("tie", close && is_tie(f, exact, sum));
    tally.count("inexact", close && exact != number(f, sum));
    tally.count("cancel", exact != 0 && std::abs(exact) < std::abs(a) / 16);
    tally.count("zero", exact == 0 && a != 0);
    tally.count("lost", a != 0 && b != 0 && (number(f, sum) == a || number(f, sum) == b));
  });
}

TEST(FloatCases, OfProductsAndQuotientsMeetEveryBorder) {
  VYRE_ORACLE(CpuReference, "exact arithmetic in double: products of two numbers of 24 bits are exact there");
  count_cases("fmul", 2, [](Tally& tally, FloatFormat f, const Words& x) {
    const bool finite = is_finite(f, x[0]) && is_finite(f, x[1]);
    const uint32_t product = num::mul(f, x[0], x[1]);
    count_result(tally, f, finite, product);
    if (!finite) return;
    const double exact = number(f, x[0]) * number(f, x[1]), rounded = number(f, product);
    tally.count("tie", is_tie(f, exact, product));
    tally.count("to zero", exact != 0 && rounded == 0);
    tally.count("inexact subnormal", f.is_subnormal(product) && exact != rounded);
  });
  count_cases("fdiv", 2, [](Tally& tally, FloatFormat f, const Words& x) {
    const bool finite = is_finite(f, x[0]) && is_finite(f, x[1]);
    count_result(tally, f, finite && number(f, x[1]) != 0, num::div(f, x[0], x[1]));
    tally.count("by subnormal", f.is_subnormal(x[1]));
  });
}

TEST(FloatCases, OfFusedOperationsTellThemFromTwo) {
  // Fusing is the definition; a product that is rounded first gives another result where it matters.
  count_cases("fmul_add", 3, [](Tally& tally, FloatFormat f, const Words& x) {
    const bool finite = is_finite(f, x[0]) && is_finite(f, x[1]) && is_finite(f, x[2]);
    const uint32_t fused = num::mul_add(f, x[0], x[1], x[2]), product = num::mul(f, x[0], x[1]);
    const uint32_t two = num::add(f, product, x[2]);
    count_result(tally, f, finite, fused);
    if (!finite) return;
    tally.count("not two roundings", fused != two);
    const double result = std::abs(number(f, fused)), addend = std::abs(number(f, x[2]));
    tally.count("massive cancel", result != 0 && std::ldexp(result, int(f.fraction_bits) - 1) < addend);
    tally.count("product overflows", f.is_infinite(product) && is_finite(f, fused));
  });
}

TEST(FloatCases, OfComparisonsAreOftenClose) {
  count_cases("flt", 2, [](Tally& tally, FloatFormat f, const Words& x) {
    tally.count("same", x[0] == x[1]);
    tally.count("neighbours", num::next_up(f, x[0]) == x[1] || num::next_up(f, x[1]) == x[0]);
    tally.count("NaN", f.is_nan(x[0]) || f.is_nan(x[1]));
    tally.count("opposite", x[0] == (x[1] ^ f.sign_bit()));
    tally.count("numbers", is_finite(f, x[0]) && is_finite(f, x[1]));
  });
}

TEST(FloatCases, OfRoundingsStandAtHalves) {
  count_cases("fround", 1, [](Tally& tally, FloatFormat f, const Words& x) {
    if (!is_finite(f, x[0])) return;
    const double value = number(f, x[0]);
    tally.count("fraction", value != std::floor(value));
    tally.count("half", value - std::floor(value) == 0.5);
    tally.count("below 1", value != 0 && std::abs(value) < 1);
    tally.count("beside a half",
                number(f, num::next_up(f, x[0])) * 2 == std::floor(number(f, num::next_up(f, x[0])) * 2) &&
                    value * 2 != std::floor(value * 2));
  });
}

TEST(FloatCases, OfConversionsStandAtTies) {
  VYRE_ORACLE(CpuReference, "exact numbers in double");
  for (const auto& [from, to] : {std::pair{DataType::F32, DataType::F16},
                                 {DataType::F32, DataType::BF16},
                                 {DataType::F16, DataType::BF16},
                                 {DataType::BF16, DataType::F16}}) {
    const FloatFormat f = spec::float_format(from), g = spec::float_format(to);
    Tally tally(fmt::format("{} to {}", spec::text(from), spec::text(to)));
    for (const Words& x :
         cases_of(fmt::format("ir.casts/cast.{}.{}", spec::text(from), spec::text(to)), {from})) {
      if (!is_finite(f, x[0])) continue;
      const uint32_t converted = num::convert(f, g, x[0]);
      if (to != DataType::F16 || from == DataType::F32)
        tally.count("tie", is_tie(g, number(f, x[0]), converted));
      if (to == DataType::F16) {
        tally.count("overflow", g.is_infinite(converted));
        tally.count("subnormal", g.is_subnormal(converted));
      }
    }
  }
  for (const DataType from : {DataType::U32, DataType::I32, DataType::U64}) {
    for (const DataType to : kTypes) {
      const FloatFormat g = spec::float_format(to);
      Tally tally(fmt::format("{} to {}", spec::text(from), spec::text(to)));
      for (const Words& x :
           cases_of(fmt::format("ir.casts/cast.{}.{}", spec::text(from), spec::text(to)), {from})) {
        const bool negative = from == DataType::I32 && x[0] >> 31 != 0;
        const uint64_t magnitude = negative                ? uint64_t(-int64_t(int32_t(x[0])))
                                   : from == DataType::U64 ? x[0] | uint64_t(x[1]) << 32
                                                           : x[0];
        const uint32_t converted = num::from_integer(g, negative, magnitude);
        // A tie has few bits, so it is a double; what is beside one may not be.
        const bool exact = uint64_t(double(magnitude)) == magnitude && magnitude < uint64_t{1} << 63;
        tally.count("tie", exact && is_tie(g, negative ? -double(magnitude) : double(magnitude), converted));
        const uint32_t above = num::from_integer(g, negative, magnitude + 1);
        const uint32_t below = num::from_integer(g, negative, magnitude - 1);
        tally.count("at a step", above != converted || below != converted);
      }
    }
  }
}

TEST(FloatCases, AreThoseOfEverySubjectThatRounds) {
  // The ledgers: every subject whose operands are rounded has such cases, each a value of its type.
  size_t subjects = 0;
  for (const Family family : {Family::Operators, Family::Casts}) {
    for (const Subject& subject : elementwise_subjects(family)) {
      const auto& inputs = subject.application.inputs;
      if (subject.name.find("/bitcast.") != std::string::npos || inputs.size() > 3) continue;
      if (!spec::kFloats.contains(inputs[0])) continue;
      const uint64_t grid = subject.cases(Strategy::Adversarial, 0).size();
      const bool stored = inputs.size() == 1 && subject.application.output == inputs[0] &&
                          subject.name.find("/cast.") != std::string::npos;
      if (stored) continue;
      ++subjects;
      EXPECT_GE(grid, size_t(std::pow(40, inputs.size()))) << subject.name;
      EXPECT_EQ(subject.cases(Strategy::Edge256, 0).size(), uint64_t{1} << 8 * inputs.size()) << subject.name;
    }
  }
  EXPECT_GE(subjects, 3u * 21 + 3 * 2 + 3 * 2 * 4);
}

}  // namespace
}  // namespace vyre::verify
