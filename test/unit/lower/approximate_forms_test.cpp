// Approximate functions and reductions as kernels: whatever a target promises, and however a promise is used
// up, their results stay within their bounds. All inputs of the forms are run by approximate_sweep.
#include "lower/fast_forms.h"

#include <cmath>

#include "base/random.h"
#include "float_cases.h"
#include "num/exact_product.h"
#include "num/exact_sum.h"
#include "num/functions.h"
#include "oracle.h"
#include "spec/float_format.h"
#include "spec/ops.h"

VYRE_ORACLE(Law,
            "exact sums and products in integers (num/exact_sum.h, num/exact_product.h); ULP as "
            "docs/spec/floats.md has it");

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::FloatFormat;
using spec::Op;

constexpr DataType kTypes[] = {DataType::F16, DataType::BF16, DataType::F32};

struct Subject {
  Op op;
  uint32_t (*oracle)(FloatFormat, uint32_t);
};
constexpr Subject kSubjects[] = {
    {Op::FSinApprox, num::sin},   {Op::FCosApprox, num::cos},     {Op::FTanApprox, num::tan},
    {Op::FASinApprox, num::asin}, {Op::FACosApprox, num::acos},   {Op::FATanApprox, num::atan},
    {Op::FExpApprox, num::exp},   {Op::FLogApprox, num::log},     {Op::FExp2Approx, num::exp2},
    {Op::FLog2Approx, num::log2}, {Op::FExp10Approx, num::exp10}, {Op::FLog10Approx, num::log10},
};

/// Every exponent, both signs; edges; numbers next to multiples of pi / 2 and where results overflow and
/// vanish.
Words inputs(DataType type, Op op) {
  const FloatFormat f = spec::float_format(type);
  Words out = {0,
               1,
               f.least_normal() - 1,
               f.least_normal(),
               f.one(),
               f.greatest(),
               f.infinity(),
               f.infinity() | 1,
               f.nan()};
  for (uint32_t field = 0; field < 1u << f.exponent_bits; ++field) {
    const uint32_t fraction = philox(uint64_t(op), field, 0)[0] & f.fraction_mask();
    out.push_back(field << f.fraction_bits | fraction);
  }
  for (const float x : {1.5707964f, 3.1415927f, 355.0f, 8191.0f, 8192.0f, 88.0f, 88.72284f, 103.9f, 149.0f,
                        38.5f, 45.1f, 11.0f, 17.3f, 0.75f, 1.25f}) {
    out.push_back(num::convert(spec::kBinary32, f, std::bit_cast<uint32_t>(x)));
  }
  const size_t n = out.size();
  for (size_t i = 0; i < n; ++i) out.push_back(out[i] | f.sign_bit());
  return out;
}

std::vector<std::byte> elements(DataType type, const Words& patterns) {
  std::vector<std::byte> out;
  for (const uint32_t p : patterns) {
    for (uint32_t k = 0; k < spec::info(type).bytes; ++k) out.push_back(std::byte(p >> 8 * k));
  }
  return out;
}
Words patterns(DataType type, const std::vector<std::byte>& bytes) {
  const uint32_t each = spec::info(type).bytes;
  Words out(bytes.size() / each);
  for (size_t i = 0; i < bytes.size(); ++i) out[i / each] |= uint32_t(bytes[i]) << 8 * (i % each);
  return out;
}

/// docs/spec/floats.md, "Approximate operators", written out again.
bool is_right(FloatFormat f, uint32_t operand, uint32_t strict, uint32_t result, uint32_t bound) {
  const uint32_t size = operand & ~f.sign_bit() & f.mask();
  if (f.is_nan(strict) || size == 0 || size >= f.infinity()) return result == strict;
  if (f.is_nan(result) || ((strict ^ result) & f.sign_bit()) != 0) return false;
  return std::abs(int64_t{strict} - int64_t{result}) <= int64_t{bound};
}

// covers: FL-26
TEST(Approximate, FunctionsKeepTheirBoundsUnderEveryPromise) {
  VYRE_ORACLE(CpuReference, "num/functions.h, and bounds written out here");
  uint64_t away = 0;
  for (const DataType type : kTypes) {
    const FloatFormat f = spec::float_format(type);
    for (const Subject& s : kSubjects) {
      const uint32_t bound = type != DataType::F32 ? 1 : s.op == Op::FTanApprox ? 6 : 4;
      EXPECT_EQ(spec::bound_of(s.op, type), bound);
      ir::ProgramBuilder p("approximate");
      const auto a = p.read("a", type, 0);
      const auto out = p.read_write("out", type, 1);
      p.workgroup_size(64, 1, 1);
      const ir::Ex i = p.let("i", p.invocation_id(0));
      p.store(out, i, p.apply(s.op, {p.load(a, i)}));
      const check::Checked program = checked(p.finish());
      Words x = inputs(type, s.op);
      x.resize((x.size() + 1) / 2 * 2);
      const Memories memory = {elements(type, x), elements(type, Words(x.size(), 0x1234))};
      const layout::Groups groups{uint32_t(x.size() + 63) / 64, 1, 1};
      const Kernel kernel = build(program);
      for (const Target& target : float_targets()) {
        const Kernel legal = legalize(kernel, target);
        expect_well_formed(legal);
        for (const uint64_t seed : {0, 1}) {
          const auto result = run_bytes(legal, memory, groups, {.seed = seed, .max_steps = kSteps});
          ASSERT_TRUE(result.has_value()) << render(result.error(), nullptr);
          const Words got = patterns(type, (*result)[1]);
          for (size_t k = 0; k < x.size(); ++k) {
            const uint32_t strict = s.oracle(f, x[k]);
            away += got[k] != strict;
            EXPECT_TRUE(is_right(f, x[k], strict, got[k], bound))
                << target.name << ' ' << spec::mnemonic(s.op) << ' ' << spec::text(type) << std::hex << " of "
                << x[k] << ": " << got[k] << ", the strict function gives " << strict;
          }
        }
      }
    }
  }
  EXPECT_GT(away, 0u) << "nothing is approximated here";
}

TEST(Approximate, FormsWantSumsAndProductsThatRoundRight) {
  VYRE_ORACLE(SpecificationTable, "by hand: what a form is written in, named here");
  EXPECT_TRUE(has_approximate_form(Op::FSinApprox, DataType::F32, kIeeeFloats));
  EXPECT_TRUE(has_approximate_form(Op::FLogApprox, DataType::F16, kIeeeFloats));
  EXPECT_TRUE(has_approximate_form(Op::FExpApprox, DataType::BF16, kUnfusedFloats));
  EXPECT_TRUE(has_approximate_form(Op::FExpApprox, DataType::F32, kLooseDivisionFloats));
  EXPECT_FALSE(has_approximate_form(Op::FExpApprox, DataType::F32, kNoFloats));
  EXPECT_TRUE(has_approximate_form(Op::FExpApprox, DataType::F32, kFlushingFloats));
  EXPECT_FALSE(has_approximate_form(Op::FPowApprox, DataType::F32, kIeeeFloats));
  for (const RawOp op : {RawOp::FAdd, RawOp::FSub, RawOp::FMul}) {
    FloatPromises less = kIeeeFloats;
    less[op].half_ulps = 1;
    EXPECT_FALSE(has_approximate_form(Op::FSinApprox, DataType::F32, less)) << info(op).name;
  }
  FloatPromises no_conversions = kIeeeFloats;
  no_conversions[RawOp::FToF16] = {};
  EXPECT_FALSE(has_approximate_form(Op::FSinApprox, DataType::F16, no_conversions));
  EXPECT_TRUE(has_approximate_form(Op::FSinApprox, DataType::BF16, no_conversions));
}

__extension__ using Int128 = __int128;

/// A finite number as a count of 2^-100. Domain: a multiple of it, below 2^26.

Int128 counts(FloatFormat f, uint32_t pattern) {
  const uint32_t single = num::convert(f, spec::kBinary32, pattern);
  return Int128(std::ldexp(double(std::bit_cast<float>(single)), 50)) << 50;
}

// Elements of both signs from 2^-20 to 2^20, so that sums are exact in 128 bits and cancel.
// covers: FL-27
TEST(Approximate, SumsStayWithinTheirTolerance) {
  // Exact sums in integers of 128 bits; ULP of the sum of magnitudes, as docs/spec/floats.md has it.
  double farthest = 0;
  for (const DataType type : kTypes) {
    const FloatFormat f = spec::float_format(type);
    ir::ProgramBuilder p("sum");
    const auto data = p.read("data", type, 0);
    const auto out = p.read_write("out", type, 1);
    p.workgroup_size(1, 1, 1);
    p.store(out, p.u32(0), p.reduce_approx(Op::FAdd, data, 1));
    const check::Checked program = checked(p.finish());
    const Kernel kernel = build(program);
    const int range = type == DataType::F16 ? 4 : 20;
    for (uint32_t trial = 0; trial < 40; ++trial) {
      Words x(2 + 2 * (trial * 13 % 97));
      Int128 sum = 0, magnitudes = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const auto r = philox(trial, i, uint64_t(type));
        const int exponent = int(r[1] % uint32_t(2 * range)) - range + f.bias();
        x[i] = uint32_t(exponent) << f.fraction_bits | (r[0] & f.fraction_mask()) |
               ((r[2] & 1) != 0 ? f.sign_bit() : 0);
        const Int128 c = counts(f, x[i]);
        sum += c, magnitudes += c < 0 ? -c : c;
      }
      int top = 0;  // of the magnitudes' leading bit
      while (magnitudes >> (top + 1) != 0) ++top;
      const Int128 ulp = Int128{1} << (top - int(f.fraction_bits));
      const Memories memory = {elements(type, x), elements(type, Words(2, 0))};
      const auto judge = [&](const Result<Memories>& result) {
        ASSERT_TRUE(result.has_value());
        const Int128 off = counts(f, patterns(type, (*result)[1])[0]) - sum;
        farthest = std::max(farthest, double(off < 0 ? -off : off) / double(ulp));
        EXPECT_LE(off < 0 ? -off : off, ulp);
      };
      judge(reference_bytes(program, memory, {}));
      for (const Target& target : float_targets())
        judge(run_bytes(legalize(kernel, target), memory, {}, {.seed = trial, .max_steps = kSteps}));
    }
  }
  EXPECT_GT(farthest, 0.1) << "nothing was rounded";
}

/// The result of a fold of all elements, in a kernel legalized for each kind of float target, and in the
/// reference.
template <typename Judge>
void fold_everywhere(DataType type, Op fold, const std::vector<Words>& data, const Judge& judge) {
  ir::ProgramBuilder p("fold");
  const auto in = p.read("data", type, 0);
  const auto out = p.read_write("out", type, 1);
  p.workgroup_size(1, 1, 1);
  p.store(out, p.u32(0), p.reduce_approx(fold, in, 1));
  const check::Checked program = checked(p.finish());
  const Kernel kernel = build(program);
  std::vector<Kernel> kernels;
  for (const Target& target : float_targets()) kernels.push_back(legalize(kernel, target));
  for (const Words& x : data) {
    const Memories memory = {elements(type, x), elements(type, Words(2, 0))};
    const auto look = [&](const Result<Memories>& result) {
      ASSERT_TRUE(result.has_value());
      judge(x, patterns(type, (*result)[1])[0]);
    };
    look(reference_bytes(program, memory, {}));
    for (const Kernel& legal : kernels) look(run_bytes(legal, memory, {}, {.seed = 1, .max_steps = kSteps}));
  }
}

// covers: FL-27
TEST(Approximate, ProductsStayWithinOneUlpWhateverOverflowsOnTheWay) {
  for (const DataType type : kTypes) {
    const FloatFormat f = spec::float_format(type);
    std::vector<Words> data;
    for (uint32_t trial = 0; trial < 20; ++trial) {
      Words x(2 + trial * 7 % 43);
      for (size_t i = 0; i < x.size(); ++i) {
        const auto r = philox(trial, i, uint64_t(type) + 9);
        // Any exponent, but so that they cancel; now and then a subnormal one.
        const uint32_t fields = 2 * uint32_t(f.bias()) - 1, field = 1 + r[1] % fields;
        const uint32_t mirrored =
            i % 2 == 0
                ? field
                : 2 * uint32_t(f.bias()) - (x[i - 1] >> f.fraction_bits & (f.infinity() >> f.fraction_bits));
        x[i] = (trial % 5 == 0 && i % 4 == 0 ? 0 : mirrored) << f.fraction_bits | (r[0] & f.fraction_mask()) |
               1 | ((r[2] & 1) != 0 ? f.sign_bit() : 0);
      }
      data.push_back(std::move(x));
    }
    uint32_t finite = 0;
    fold_everywhere(type, Op::FMul, data, [&](const Words& x, uint32_t result) {
      const num::ExactProduct product(f, x);
      EXPECT_LE(product.ulps_off(result).value_or(UINT64_MAX), 1u)
          << std::hex << result << " for " << product.rounded();
      finite += !f.is_infinite(result) && (result & ~f.sign_bit()) != 0;
    });
    EXPECT_GT(finite, 20u);
  }
}

// More elements than a block of a sum and a row of a product have, far apart, subnormal and at the upper end.
// covers: FL-27
TEST(Approximate, SumsOfManyStayWithinOneUlp) {
  // The exact sum, of integers (num/exact_sum.h); ULP of the sum of magnitudes.
  for (const DataType type : kTypes) {
    const FloatFormat f = spec::float_format(type);
    std::vector<Words> data;
    for (uint32_t trial = 0; trial < 3; ++trial) {
      Words x(2040 + 9 * trial);
      const uint32_t last = (f.infinity() >> f.fraction_bits) - 13;
      for (size_t i = 0; i < x.size(); ++i) {
        const auto r = philox(trial, i, uint64_t(type) + 5);
        const uint32_t field = trial % 3 == 0   ? r[1] % (last + 1)
                               : trial % 3 == 1 ? r[1] % 2
                                                : last - r[1] % 3;
        x[i] = field << f.fraction_bits | (r[0] & f.fraction_mask()) | ((r[2] & 1) != 0 ? f.sign_bit() : 0);
      }
      data.push_back(std::move(x));
    }
    fold_everywhere(type, Op::FAdd, data, [&](const Words& x, uint32_t result) {
      num::ExactSum sum(f);
      for (const uint32_t e : x) sum.add(e);
      ASSERT_FALSE(sum.overflows());
      EXPECT_LE(sum.ulps_off(result).value_or(UINT64_MAX), 1u)
          << std::hex << result << " for " << sum.rounded();
    });
  }
}

}  // namespace
}  // namespace vyre::lower
