// Reductions as expressions: the loop that build() makes of them, in every form that legalization gives it.
#include <bit>

#include "float_cases.h"
#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(ReferenceInterpreter, "ref/, which recurses on the definition; and rows worked out by hand");

namespace vyre::lower {
namespace {

using ir::Ex;
using spec::DataType;
using spec::Op;

constexpr std::array kFolds = {Op::FAdd, Op::FMul, Op::FMin, Op::FMax};
constexpr std::array kReductions = {Op::FReduceStrict, Op::FReduceTreeBinary};

class ReductionProgram : public ir::ProgramBuilder {
 public:
  using ProgramBuilder::ProgramBuilder;
  Ex reduce(Op op, Op fold, std::string_view buffer, std::initializer_list<Ex> range = {}) {
    return add({.kind = ir::ExprKind::Apply,
                .op = op,
                .symbol = code().intern(buffer),
                .immediate = spec::info(fold).wire_tag},
               {range.begin(), range.size()});
  }
};

/// The reference's answer, which every form of the kernel gives too.
Memories expect_same(const check::Checked& program, const Memories& input, uint64_t seeds) {
  const auto reference = reference_bytes(program, input, {});
  EXPECT_TRUE(reference.has_value());
  if (!reference) return {};
  const Kernel kernel = build(program);
  expect_well_formed(kernel);
  const auto semantic = run_bytes(kernel, input, {}, {.max_steps = kSteps});
  EXPECT_TRUE(semantic.has_value());
  if (semantic) EXPECT_EQ(*semantic, *reference) << print(kernel);
  for (const Target& target : float_targets()) {
    const Kernel legal = legalize(kernel, target);
    expect_well_formed(legal);
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      const auto result = run_bytes(legal, input, {}, {.seed = seed, .max_steps = kSteps});
      EXPECT_TRUE(result.has_value()) << target.name << ": " << render(result.error(), nullptr);
      if (result) EXPECT_EQ(*result, *reference) << target.name;
    }
  }
  return *reference;
}

/// out = every reduction with every fold, of all elements or of from .. to - 1.
check::Checked all_of(DataType type, bool with_range) {
  ReductionProgram p("reductions");
  p.read("data", type, 0);
  const auto range = p.uniform("range", DataType::U32, 1);
  const auto out = p.read_write("out", type, 2);
  p.workgroup_size(1, 1, 1);
  uint32_t at = 0;
  for (const Op op : kReductions) {
    for (const Op fold : kFolds) {
      const Ex result = with_range
                            ? p.reduce(op, fold, "data", {p.load(range, p.u32(0)), p.load(range, p.u32(1))})
                            : p.reduce(op, fold, "data");
      p.store(out, p.u32(at++), result);
    }
  }
  return checked(p.finish());
}

Memories input_of(DataType type, const Words& data, uint32_t from, uint32_t to) {
  return {elements_of(type, data), elements_of(DataType::U32, {from, to}),
          elements_of(type, Words(kReductions.size() * kFolds.size()))};
}

// Every length up to some powers of two and beyond, with values of which most orders give different sums.
TEST(Reductions, EveryLength) {
  for (const DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
    const check::Checked program = all_of(type, false);
    for (const uint32_t n : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u, 64u, 100u}) {
      SCOPED_TRACE(testing::Message() << n << " of " << spec::text(type));
      const spec::FloatFormat f = spec::float_format(type);
      Words data;
      for (uint32_t i = 0; i < n; ++i) {
        const uint32_t noise = philox(n, i)[0];
        data.push_back((noise & (f.fraction_mask() | f.sign_bit())) |
                       (uint32_t(f.bias()) - 3 + (noise >> 8) % 7) << f.fraction_bits);
      }
      expect_same(program, input_of(type, data, 0, 0), 2);
      if (HasFailure()) return;
    }
  }
}

// NaNs with payloads, infinities, zeros of both signs, subnormals.
TEST(Reductions, SpecialElements) {
  for (const DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
    const check::Checked program = all_of(type, false);
    const std::vector<uint32_t> edges = float_edges(spec::float_format(type));
    for (uint32_t round = 0; round < 60; ++round) {
      Words data;
      for (uint32_t i = 0; i < 1 + round % 7; ++i) data.push_back(edges[philox(round, i)[0] % edges.size()]);
      SCOPED_TRACE(testing::Message() << round << ", " << spec::text(type));
      expect_same(program, input_of(type, data, 0, 0), 3);
      if (HasFailure()) return;
    }
  }
}

TEST(Reductions, RangesClampToTheBuffer) {
  const check::Checked program = all_of(DataType::F32, true);
  Words data;
  for (uint32_t i = 0; i < 11; ++i) data.push_back(std::bit_cast<uint32_t>(1.0f + 0.3f * float(i)));
  for (const uint32_t from : {0u, 1u, 4u, 10u, 11u, 12u, 0xffffffffu}) {
    for (const uint32_t to : {0u, 1u, 5u, 11u, 12u, 0x80000000u, 0xffffffffu}) {
      SCOPED_TRACE(testing::Message() << from << " .. " << to);
      expect_same(program, input_of(DataType::F32, data, from, to), 1);
    }
  }
}

// By hand. 2^24 + 1 + 1: from the left each 1 is lost (a tie to even); 1 + 1 first is kept. Of none:
// identities.
TEST(Reductions, ByHand) {
  const auto word = [](float x) { return std::bit_cast<uint32_t>(x); };
  const auto run = [&](const Words& data) {
    return to_words(expect_same(all_of(DataType::F32, false), input_of(DataType::F32, data, 0, 0), 4)[2]);
  };
  const Words none = run({});
  EXPECT_EQ(none, (Words{0, word(1), 0x7f800000, 0xff800000, 0, word(1), 0x7f800000, 0xff800000}));
  // Four elements: (2^24 + 1) + 1 + 1 from the left; (2^24 + 1) + (1 + 1) as a tree.
  const Words four = run({word(16777216), word(1), word(1), word(1)});
  EXPECT_EQ(four[0], word(16777216));
  EXPECT_EQ(four[4], word(16777218));
  // Five: the tree splits after four: ((2^24 + 1) + (1 + 1)) + 1 = 16777218 + 1, a tie, to 16777220.
  EXPECT_EQ(run({word(16777216), word(1), word(1), word(1), word(1)})[4], word(16777220));
  // Three: the tree splits after two: (1 + 2^24) + 1, not 1 + (2^24 + 1).
  EXPECT_EQ(run({word(1), word(16777216), word(-16777216)})[4], word(0));
  // One NaN, one element: the canonical one; minimum and maximum pass by a NaN.
  EXPECT_EQ(run({0xff812345}), Words(8, 0x7fc00000));
  EXPECT_EQ(run({0xff812345, word(3)}),
            (Words{0x7fc00000, 0x7fc00000, word(3), word(3), 0x7fc00000, 0x7fc00000, word(3), word(3)}));
  // -0 alone stays; -0 + 0 does not.
  EXPECT_EQ(run({0x80000000})[0], 0x80000000);
  EXPECT_EQ(run({0x80000000, 0})[0], 0u);
}

// An operator that folds stands in one place, so a composed one does not fill the kernel.
TEST(Reductions, OneOperatorInTheTree) {
  const Kernel kernel = build(all_of(DataType::F32, false));
  for (const Op fold : {Op::FAdd, Op::FMul, Op::FMax}) {
    EXPECT_EQ(
        std::ranges::count_if(
            kernel.insts, [&](const Inst& inst) { return inst.kind == InstKind::Apply && inst.op == fold; }),
        2)
        << spec::mnemonic(fold);
  }
}

// Reductions in conditions, bounds and loops, of workgroup memory, next to each other.
TEST(Reductions, WhereverAnExpressionMayStand) {
  ReductionProgram p("places");
  p.read("data", DataType::F32, 0);
  const auto out = p.read_write("out", DataType::F32, 1);
  const auto shared = p.workgroup("shared", DataType::F32, 4);
  p.workgroup_size(4, 1, 1);
  const Ex me = p.let("me", p.local_id(0));
  p.store(shared, me, p.load(out, me));
  p.barrier();
  const Ex sum = p.let("sum", p.f32(0));
  p.loop("i", p.u32(0), p.u32(3), [&](Ex i) {
    p.assign(sum, p.apply(Op::FAdd, {p.reduce(Op::FReduceTreeBinary, Op::FAdd, "shared", {i, me + 2}), sum}));
  });
  const Ex positive =
      p.apply(Op::FLt, {p.f32(0), p.reduce(Op::FReduceStrict, Op::FMul, "data", {p.u32(0), me})});
  p.if_(positive, [&] { p.store(out, me, sum); });
  p.store(out, me + 4,
          p.apply(Op::FSub, {p.reduce(Op::FReduceStrict, Op::FMax, "data"),
                             p.reduce(Op::FReduceTreeBinary, Op::FMin, "data")}));
  const auto words = [](std::initializer_list<float> all) {
    Words bits;
    for (const float x : all) bits.push_back(std::bit_cast<uint32_t>(x));
    return to_bytes(bits);
  };
  expect_same(checked(p.finish()), {words({2, -3, 5, 0.1f, 7}), words({0.1f, 0.2f, 0.3f, 0.4f, 0, 0, 0, 0})},
              2);
}

}  // namespace
}  // namespace vyre::lower
