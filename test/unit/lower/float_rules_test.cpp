// Every rule for floats, on every target, against every choice that a promise leaves open: what is legalized
// equals what is meant, whatever the raw float operators answer within their promise.
//
// The relations of lower/relation.h are the adversary.
#include <fmt/format.h>

#include <algorithm>

#include "float_cases.h"
#include "lower/float_rules.h"
#include "oracle.h"
#include "spec/casts.h"
#include "spec/ops.h"

VYRE_ORACLE(ReferenceInterpreter,
            "num/, through the semantic kernel; that is compared with the standard, MPFR and the host in "
            "test/unit/num");

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;
using spec::RoundingMode;

constexpr std::array kFloatTypes = {DataType::F16, DataType::BF16, DataType::F32};
std::vector<Application> operators() {
  std::vector<Application> out;
  for (const spec::OpInfo& op : spec::kOps) {
    if (op.types != spec::kFloats || !spec::is_scalar(op.op) || spec::is_approximate(op.op)) continue;
    for (const DataType type : kFloatTypes) {
      out.push_back({.op = op.op,
                     .type = type,
                     .result = spec::result_type(op.op, type),
                     .operands = *spec::operand_count(op.op)});
    }
  }
  return out;
}

std::vector<Application> casts() {
  std::vector<Application> out;
  for (const spec::TypeInfo& from : spec::kTypes) {
    for (const spec::TypeInfo& to : spec::kTypes) {
      if (!spec::kFloats.contains(from.type) && !spec::kFloats.contains(to.type)) continue;
      if (!spec::can_cast(from.type, to.type)) continue;
      const Application cast{.op = Op::Cast, .type = from.type, .result = to.type};
      if (!spec::cast_takes_mode(from.type, to.type)) {
        out.push_back(cast);
        continue;
      }
      for (const RoundingMode mode :
           {RoundingMode::Trunc, RoundingMode::Nearest, RoundingMode::Floor, RoundingMode::Ceil}) {
        out.push_back(cast);
        out.back().mode = mode;
      }
    }
  }
  return out;
}

/// The first element that differs, for a message.
std::string difference(const Application& a, const std::vector<Words>& columns,
                       const std::vector<std::byte>& got, const std::vector<std::byte>& wanted) {
  const uint32_t bytes = spec::info(a.result).bytes;
  size_t n = 0;
  while (n < columns[0].size() &&
         std::equal(got.begin() + ptrdiff_t(n * bytes), got.begin() + ptrdiff_t((n + 1) * bytes),
                    wanted.begin() + ptrdiff_t(n * bytes)))
    ++n;
  std::string out = a.name() + " of";
  for (const Words& column : columns) out += fmt::format(" {:x}", column[n]);
  const auto hex = [&](const std::vector<std::byte>& all) {
    std::string digits;
    for (uint32_t b = bytes; b-- > 0;) digits += fmt::format("{:02x}", uint8_t(all[n * bytes + b]));
    return digits;
  };
  return out + " is " + hex(got) + ", not " + hex(wanted);
}

/// Gives how many choices there were at least.
uint64_t expect_right(const Application& a, const Target& target, uint32_t drawn, uint64_t seeds) {
  const std::vector<Words> columns = operands_of(a, drawn);
  const Run run = run_of(a, columns);
  const Kernel semantic = kernel_of(a, kWorkgroup);
  const auto wanted = run_bytes(semantic, run.memory, run.groups);
  EXPECT_TRUE(wanted.has_value());
  const Kernel legal = legalize(semantic, target);
  expect_well_formed(legal);
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const auto got = run_bytes(legal, run.memory, run.groups, {.seed = seed, .max_steps = 1'000'000'000});
    EXPECT_TRUE(got.has_value()) << target.name << ": " << render(got.error(), nullptr);
    if (!got || !wanted) return 0;
    EXPECT_EQ(got->back() == wanted->back(), true)
        << target.name << ", seed " << seed << ": " << difference(a, columns, got->back(), wanted->back());
  }
  return float_operators(legal) * columns[0].size() * seeds;
}

class FloatRules : public testing::TestWithParam<Target> {};

TEST_P(FloatRules, EveryOperatorAndCastUnderEveryChoice) {
  const Target& target = GetParam();
  uint64_t choices = 0;
  for (const Application& a : operators()) {
    const bool composed =
        float_operators(legalize(kernel_of(a, 1), target)) == 0;  // where nothing is chosen one seed will do
    choices += expect_right(a, target, composed ? 300 : 3000, composed ? 1 : 7);
    if (HasFailure()) return;
  }
  for (const Application& a : casts()) {
    choices += expect_right(a, target, 3000, 4);
    if (HasFailure()) return;
  }
  if (target.name == "none") {
    EXPECT_EQ(choices, 0u);
  } else {
    EXPECT_GE(choices, 1'000'000u);
  }
  RecordProperty("choices", std::to_string(choices));
}

/// fmin and fmax with a number have a form of their own.
TEST_P(FloatRules, TheLeastAndTheGreatestWithANumber) {
  const Words patterns = {0,          0x80000000, 1,          0x80000001, 0x3f800000, 0xbf800000,
                          0x3f800001, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
                          0x7f800001, 0x00800000, 0x42c80000, 0xc2c80000};
  for (const uint32_t number : patterns) {
    for (const Op op : {Op::FMin, Op::FMax}) {
      for (const bool first : {false, true}) {
        ir::ProgramBuilder p("with_a_number");
        p.workgroup_size(16, 1, 1);
        const auto a = p.read("a", DataType::F32, 0), out = p.read_write("out", DataType::F32, 1);
        const ir::Ex i = p.let("i", p.invocation_id(0)), x = p.load(a, i), c = p.f32_bits(number);
        p.store(out, i, p.apply(op, {first ? c : x, first ? x : c}));
        const Kernel semantic = build(checked(p.finish()));
        const Kernel legal = legalize(semantic, GetParam());
        const Buffers input = {patterns, Words(16)};
        for (uint64_t seed = 0; seed < 3; ++seed) {
          const auto wanted = run_kernel(semantic, input, {}),
                     got = run_kernel(legal, input, {}, {.seed = seed});
          ASSERT_TRUE(wanted && got);
          EXPECT_EQ(*got, *wanted) << GetParam().name << fmt::format(", {:x}", number);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, FloatRules, testing::ValuesIn(float_targets()), [](const auto& info) {
  std::string name(info.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace vyre::lower
