// Faults planted in legal kernels by hand: each must be found, so that the silence of the other tests means
// something.
#include <gmock/gmock.h>

#include <functional>

#include "lower/rewrite.h"
#include "oracle.h"
#include "spec/ops.h"
#include "three_ways.h"

VYRE_ORACLE(SpecificationTable, "the domain column of raw_ops.def, by hand");

namespace vyre::lower {
namespace {

using spec::BufferAccess;
using spec::DataType;
using spec::Op;
using testing::HasSubstr;

/// A legal kernel over `in` (read) and `out` (read_write) that is written by hand.
class HandMade {
 public:
  HandMade() {
    kernel.name = "planted";
    kernel.legal = true;
    kernel.entry = kernel.add_block();
    kernel.buffers = {{.name = "in", .element = DataType::U32, .binding = 0, .argument = 0},
                      {.name = "out", .access = BufferAccess::ReadWrite, .binding = 1, .argument = 1},
                      {.name = "shared", .access = BufferAccess::Workgroup, .count = 4}};
    block = kernel.entry;
  }
  Value put(Inst inst, std::vector<Value> operands = {}) {
    const Value v = kernel.add(inst, operands);
    kernel.blocks[index(block)].push_back(v);
    return v;
  }
  Value constant(uint32_t bits) { return put({.kind = InstKind::Const, .imm = bits}); }
  Value raw(RawOp op, std::vector<Value> operands) {
    const DataType type = gives_long(op) ? DataType::U64 : DataType::U32;
    return put({.kind = InstKind::Raw, .raw = op, .type = type}, operands);
  }
  /// An operand of a raw operator: a word, or of two words a long value.
  Value operand(RawOp op, uint32_t n, Value low, Value high) {
    return takes_long(op, n) ? raw(RawOp::LongOf, {low, high}) : low;
  }
  /// Element 0, 1, ... of `in`, unguarded: fine as long as `in` has it.
  Value input(uint32_t n) { return put({.kind = InstKind::RawLoad, .target = 0}, {constant(n)}); }
  void output(Value v) { put({.kind = InstKind::RawStore, .target = 1}, {constant(0), v}); }

  Kernel kernel;
  KBlock block;
};

void expect_fault(const Kernel& kernel, const Buffers& input, std::string_view instruction) {
  const auto result = run_kernel(kernel, input, {});
  ASSERT_FALSE(result.has_value()) << print(kernel);
  EXPECT_EQ(result.error().code, DiagCode::L001);
  EXPECT_THAT(result.error().message, HasSubstr(std::string(instruction)));
  EXPECT_FALSE(result.error().help.empty());
}
void expect_fine(const Kernel& kernel, const Buffers& input, uint32_t expected) {
  const auto result = run_kernel(kernel, input, {});
  ASSERT_TRUE(result.has_value()) << render(result.error(), nullptr);
  EXPECT_EQ((*result)[1][0], expected);
}

// Each partial operator, just inside and just outside its domain; the result is not used, which makes no
// difference.
TEST(Faults, OperatorsOutsideTheirDomain) {
  struct Plant {
    RawOp op;
    Words inside, outside;  // of a long operand two words, the low one first
  };
  const std::vector<Plant> plants = {
      {RawOp::UDiv, {5, 1}, {5, 0}},
      {RawOp::URem, {0, 1}, {0, 0}},
      {RawOp::SDiv, {0x80000000, 1}, {7, 0}},
      {RawOp::SDiv, {0x80000001, 0xffffffff}, {0x80000000, 0xffffffff}},
      {RawOp::SRem, {0x80000000, 0xfffffffe}, {0x80000000, 0xffffffff}},
      {RawOp::SRem, {1, 0xffffffff}, {1, 0}},
      {RawOp::Shl, {1, 31}, {1, 32}},
      {RawOp::LShr, {0, 31}, {0, 0xffffffff}},
      {RawOp::AShr, {1, 0}, {1, 32}},
      {RawOp::Clz, {1}, {0}},
      {RawOp::Ctz, {0x80000000}, {0}},
      {RawOp::Select, {1, 4, 5}, {2, 4, 5}},
      {RawOp::LongUDiv, {5, 0, 0, 1}, {5, 1, 0, 0}},
      {RawOp::LongURem, {5, 0, 0, 0x80000000}, {0, 0, 0, 0}},
      {RawOp::LongShl, {1, 0, 63}, {1, 0, 64}},
      {RawOp::LongLShr, {0, 1, 32}, {0, 1, 0xffffffff}},
      {RawOp::LongClz, {0, 1}, {0, 0}},
      {RawOp::LongCtz, {0, 0x80000000}, {0, 0}},
      {RawOp::LongSelect, {1, 4, 5, 6, 7}, {2, 4, 5, 6, 7}},
  };
  for (const RawOpInfo& op : kRawOps) {
    const bool is_planted = std::ranges::find(plants, op.op, &Plant::op) != plants.end();
    EXPECT_TRUE(op.domain == "all" || op.is_float || is_planted) << op.name;
  }
  for (const Plant& plant : plants) {
    HandMade k;
    std::vector<Value> operands;
    for (uint32_t n = 0, word = 0; n < info(plant.op).operands; ++n) {
      const bool is_long = takes_long(plant.op, n);
      const Value low = k.input(word);
      operands.push_back(k.operand(plant.op, n, low, is_long ? k.input(word + 1) : low));
      word += is_long ? 2 : 1;
    }
    k.raw(plant.op, operands);
    k.output(k.constant(1));
    expect_fine(k.kernel, {plant.inside, {0}}, 1);
    expect_fault(k.kernel, {plant.outside, {0}}, std::string(info(plant.op).mnemonic) + ".raw");
  }
}

// Whatever the ledger says is total is applied to everything.
TEST(Faults, TotalOperatorsHaveNone) {
  for (const RawOpInfo& op : kRawOps) {
    if (op.domain != "all") continue;
    for (const uint32_t a : {0u, 1u, 32u, 0x80000000u, 0xffffffffu}) {
      for (const uint32_t b : {0u, 1u, 32u, 0x80000000u, 0xffffffffu}) {
        HandMade k;
        k.kernel.floats = kIeeeFloats;
        if (op.is_float) k.kernel.floats[op.op].given = true;
        const Value words[] = {k.input(0), k.input(1), k.input(1)};
        std::vector<Value> operands;
        for (uint32_t n = 0; n < op.operands; ++n)
          operands.push_back(k.operand(op.op, n, words[n], words[0]));
        k.raw(op.op, operands);
        k.output(k.constant(3));
        expect_fine(k.kernel, {{a, b}, {0}}, 3);
      }
    }
  }
}

// A float operator is in its domain only where something is promised of it.
TEST(Faults, FloatOperatorsWithoutAPromise) {
  for (const RawOpInfo& op : kRawOps) {
    if (!op.is_float) continue;
    HandMade k;
    k.kernel.floats = promise_all("all but one", {.given = true});
    k.kernel.floats[op.op] = {};
    std::vector<Value> operands = {k.input(0)};  // 1: a condition, too
    while (operands.size() < op.operands) operands.push_back(k.input(0));
    k.output(k.raw(op.op, operands));
    expect_fault(k.kernel, {{1}, {0}}, std::string(op.mnemonic) + ".raw");
    k.kernel.floats[op.op].given = true;
    const auto result = run_kernel(k.kernel, {{1}, {0}}, {});
    EXPECT_TRUE(result.has_value()) << op.name;
  }
}

// Integers that there are, and the neighbours of those that there are not.
TEST(Faults, FloatsThatAreNoIntegers) {
  struct Case {
    RawOp op;
    uint32_t fine, fault;
  };
  for (const Case c : {Case{RawOp::FToS32, 0x4effffff, 0x4f000000},  // 2^31 - 128, 2^31
                       {RawOp::FToS32, 0xcf000000, 0xcf000001},      // -2^31, -2^31 - 256
                       {RawOp::FToS32, 0x807fffff, 0x7fc00000},
                       {RawOp::FToS32, 0x80000000, 0xff800000},
                       {RawOp::FToU32, 0x4f7fffff, 0x4f800000},  // 2^32 - 256, 2^32
                       {RawOp::FToU32, 0xbf7fffff, 0xbf800000},  // above -1, -1
                       {RawOp::FToU32, 0x80000000, 0xffc00000},
                       {RawOp::FFromF16, 0x0000ffff, 0x00010000}}) {
    HandMade k;
    k.kernel.floats = kIeeeFloats;
    k.output(k.raw(c.op, {k.input(0)}));
    EXPECT_TRUE(run_kernel(k.kernel, {{c.fine}, {0}}, {}).has_value()) << info(c.op).name;
    expect_fault(k.kernel, {{c.fault}, {0}}, std::string(info(c.op).mnemonic) + ".raw");
  }
}

TEST(Faults, AccessesOutOfBounds) {
  for (const InstKind kind : {InstKind::RawLoad, InstKind::RawStore, InstKind::RawAtomic}) {
    for (const uint32_t buffer : {1u, 2u}) {
      if (kind == InstKind::RawAtomic && buffer == 2) continue;
      HandMade k;
      std::vector<Value> operands = {k.input(0)};
      if (kind != InstKind::RawLoad) operands.push_back(k.constant(8));
      k.put({.kind = kind, .op = Op::AtomicAdd, .target = buffer}, operands);
      k.output(k.constant(1));
      expect_fine(k.kernel, {{3}, Words(4)}, 1);
      expect_fault(k.kernel, {{4}, Words(4)}, ".raw");
      expect_fault(k.kernel, {{0x40000000}, Words(4)}, ".raw");
      expect_fault(k.kernel, {{0xffffffff}, Words(4)}, ".raw");
    }
  }
}

// The last invocation alone leaves the domain, in a block that only it enters.
TEST(Faults, OneInvocationOfMany) {
  HandMade k;
  k.kernel.workgroup_size = {64, 1, 1};
  const Value lane = k.put({.kind = InstKind::LocalId});
  const Value last = k.raw(RawOp::Eq, {lane, k.constant(63)});
  const KBlock body = k.kernel.add_block();
  k.put({.kind = InstKind::If, .body = body}, {last});
  k.block = body;
  k.raw(RawOp::UDiv, {lane, k.raw(RawOp::Sub, {k.constant(63), lane})});
  const auto result = run_kernel(k.kernel, {{}, {}}, {});
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, HasSubstr("local id (63, 0, 0)"));
  EXPECT_THAT(result.error().message, HasSubstr("0x3f, 0x0"));
}

// Element 0 of an empty buffer is there, holds anything, and keeps nothing.
TEST(Faults, TheElementBehindAnEmptyBuffer) {
  HandMade k;
  const Value first = k.input(0);
  k.output(first);
  Words seen;
  for (const uint64_t seed : {0, 1, 2}) {
    const auto result = run_kernel(k.kernel, {{}, {0}}, {}, {.seed = seed});
    ASSERT_TRUE(result.has_value());
    seen.push_back((*result)[1][0]);
  }
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_NE(seen[1], seen[2]);
  const auto dropped = run_kernel(k.kernel, {{5}, {}}, {});
  ASSERT_TRUE(dropped.has_value());
  EXPECT_TRUE((*dropped)[1].empty());
}

// Seen as words, n elements of 16 bits have n / 2 of them, rounded up; an empty buffer has one.
TEST(Faults, WordsOfHalves) {
  for (const InstKind kind : {InstKind::RawLoad, InstKind::RawStore, InstKind::RawAtomic}) {
    HandMade k;
    k.kernel.buffers[0].access = BufferAccess::ReadWrite;
    k.kernel.buffers[0].element = DataType::F16;
    k.kernel.buffers.push_back({.name = "index", .binding = 2, .argument = 2});
    const Value i = k.put({.kind = InstKind::RawLoad, .target = 3}, {k.constant(0)});
    std::vector<Value> operands = {i};
    if (kind != InstKind::RawLoad) operands.push_back(k.constant(0));
    k.put({.kind = kind, .op = Op::AtomicAnd, .access = Access::Words, .target = 0}, operands);
    for (const auto& [halves, last] : {std::pair(0u, 0u), {1u, 0u}, {2u, 0u}, {3u, 1u}, {4u, 1u}, {5u, 2u}}) {
      const auto run = [&](uint32_t at) {
        const Words where = {at};
        return run_bytes(k.kernel, {std::vector<std::byte>(halves * 2), {}, to_bytes(where)}, {});
      };
      EXPECT_TRUE(run(last).has_value());
      ASSERT_FALSE(run(last + 1).has_value());
      EXPECT_EQ(run(last + 1).error().code, DiagCode::L001);
      EXPECT_THAT(run(last + 1).error().message, HasSubstr("words in["));
    }
  }
}

// The upper half of the last word of an odd number of halves holds anything, and keeps nothing.
TEST(Faults, TheHalfBehindAnOddNumber) {
  HandMade k;
  k.kernel.buffers[0].access = BufferAccess::ReadWrite;
  k.kernel.buffers[0].element = DataType::BF16;
  const Inst access{.kind = InstKind::RawLoad, .access = Access::Words, .target = 0};
  k.output(k.put(access, {k.constant(0)}));
  k.put({.kind = InstKind::RawAtomic, .op = Op::AtomicOr, .access = Access::Words, .target = 0},
        {k.constant(0), k.constant(0x00f000f0)});
  Words seen;
  for (const uint64_t seed : {0, 1}) {
    const Memories memory = {{std::byte{1}, std::byte{2}}, std::vector<std::byte>(4)};
    const auto result = run_bytes(k.kernel, memory, {}, {.seed = seed});
    ASSERT_TRUE(result.has_value()) << render(result.error(), nullptr);
    EXPECT_EQ((*result)[0], (std::vector<std::byte>{std::byte{0xf1}, std::byte{2}}));
    seen.push_back(to_words((*result)[1])[0]);
    EXPECT_EQ(seen.back() % 0x10000, 0x0201u);
  }
  EXPECT_NE(seen[0], seen[1]);
}

TEST(Faults, AnIntrinsicThatNotAllReach) {
  HandMade k;
  k.kernel.workgroup_size = {2, 1, 1};
  const Value lane = k.put({.kind = InstKind::LocalId});
  const KBlock body = k.kernel.add_block();
  k.put({.kind = InstKind::If, .body = body}, {lane});
  k.block = body;
  k.put({.kind = InstKind::Intrinsic, .imm = uint32_t(spec::Intrinsic::SubgroupAny)}, {lane});
  const auto result = run_kernel(k.kernel, {{}, {}}, {}, {.subgroup_size = 2});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, DiagCode::L001);
  EXPECT_THAT(result.error().message, HasSubstr("1 of 2 invocations"));
}

TEST(Faults, ABarrierThatNotAllReach) {
  HandMade k;
  k.kernel.workgroup_size = {2, 1, 1};
  const Value lane = k.put({.kind = InstKind::LocalId});
  const KBlock body = k.kernel.add_block();
  k.put({.kind = InstKind::If, .body = body}, {lane});
  k.block = body;
  k.put({.kind = InstKind::Barrier});
  expect_fault(k.kernel, {{}, {}}, "barrier");
}

// Legalization with one rule left out: the guard of a shift, of a division and of a load, in turn, is what
// keeps the kernel in its domain.
TEST(Faults, EachGuardIsNeeded) {
  for (const Op op : {Op::Shl, Op::Div, Op::Mod, Op::Clz}) {
    ir::ProgramBuilder p("guarded");
    const auto in = p.read("input", DataType::U32, 0);
    const auto out = p.read_write("out", DataType::U32, 1);
    p.workgroup_size(1, 1, 1);
    const auto a = p.load(in, p.u32(0)), b = p.load(in, p.u32(1));
    p.store(out, p.u32(0), op == Op::Clz ? p.apply(op, {a}) : p.apply(op, {a, b}));
    Kernel legal = legalize(build(checked(p.finish())), kLlvmTarget);
    const Words input = op == Op::Shl ? Words{1, 40} : Words{0, 0};
    ASSERT_TRUE(run_kernel(legal, {input, {0}}, {}).has_value());
    // Take the guard out: a masked or chosen operand of the partial operator becomes what was masked or
    // chosen.
    for (Inst& inst : legal.insts) {
      if (inst.kind != InstKind::Raw || info(inst.raw).domain == "all" || inst.raw == RawOp::Select) continue;
      Value& operand = legal.values[inst.args.first + inst.args.count - 1];
      const Inst guard = legal[operand];
      ASSERT_TRUE(guard.raw == RawOp::And || guard.raw == RawOp::Select);
      operand = legal.arg(guard, guard.raw == RawOp::And ? 0 : 2);
    }
    expect_fault(legal, {input, {0}}, ".raw");
  }
}

}  // namespace
}  // namespace vyre::lower
