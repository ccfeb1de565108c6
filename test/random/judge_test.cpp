// What random programs notice. A judge that never complains would pass every night; so faults are planted,
// one at a time, in semantic and legal kernels, in machine code's answers and in programs, and each must be
// noticed by some of a few hundred programs.
#include "judge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "ops/operation.h"
#include "oracle.h"
#include "ref/ref.h"
#include "spec/ops.h"
#include "spec/table.h"

VYRE_ORACLE(SpecificationTable,
            "planted, so known by construction: each fault is another program, or another result");

namespace vyre::test {
namespace {

using lower::Inst;
using lower::InstKind;
using lower::Kernel;
using lower::RawOp;

constexpr uint64_t kMaxSteps = 1'000'000;
constexpr uint64_t kPrograms = 900;

generate::ProgramCase program(uint64_t index) {
  generate::ProgramOptions options;
  options.ops = &ops::op_table();
  return generate::random_program(77, index, options);
}

/// A trial that agrees before anything is planted, and its kernels.
struct Planting {
  Trial trial;
  Kernel semantic, legal, in_words;
};
/// What has a product of two words in full, and no integers of 64 bits.
constexpr lower::Target kInWords = [] {
  lower::Target out = lower::kLlvmTarget;
  out.has_64bit_integers = false;
  return out;
}();
/// Made once.
std::vector<Planting>& plantings() {
  static std::vector<Planting> all = [] {
    std::vector<Planting> out;
    for (uint64_t index = 0; index < kPrograms; ++index) {
      Trial trial{.program = program(index)};
      judge_on_host(trial, ops::op_table(), {.max_steps = kMaxSteps});
      EXPECT_EQ(trial.judgement.verdict, Verdict::Agree) << index << ": " << trial.judgement.complaint;
      if (trial.judgement.verdict != Verdict::Agree) continue;
      Kernel semantic = lower::build(*trial.checked);
      Kernel legal = lower::legalize(semantic, lower::kLlvmTarget);
      Kernel in_words = lower::legalize(semantic, kInWords);
      out.push_back({std::move(trial), std::move(semantic), std::move(legal), std::move(in_words)});
    }
    return out;
  }();
  return all;
}

/// How many programs notice a fault planted in their kernels, and how many have the place for it. A few are
/// enough.
struct Noticed {
  uint32_t planted = 0;
  uint32_t noticed = 0;
  bool enough() const { return planted >= 40 && noticed >= 10; }
};
void expect_noticed(std::string_view what, const Noticed& n) {
  EXPECT_GT(n.planted, 10u) << what;
  EXPECT_GT(n.noticed, 2u) << what << " of " << n.planted;
  fmt::print("  {:<34} noticed by {} of {} programs\n", what, n.noticed, n.planted);
}
/// Where: in the semantic kernel and run as such, there and then legalized, in the legal kernel, or in that
/// without long operators.
enum class Stage : uint8_t { Semantic, Legalized, Legal, LegalInWords };
Noticed plant(const std::function<bool(Kernel&)>& fault, Stage stage = Stage::Legal) {
  Noticed out;
  for (Planting& planting : plantings()) {
    if (out.enough()) break;
    Kernel kernel = stage == Stage::Legal          ? planting.legal
                    : stage == Stage::LegalInWords ? planting.in_words
                                                   : planting.semantic;
    if (!fault(kernel)) continue;
    if (stage == Stage::Legalized) kernel = lower::legalize(kernel, lower::kLlvmTarget);
    Trial& trial = planting.trial;
    ++out.planted;
    judge_kernel(trial, kernel, "faulty kernel", 64 * kMaxSteps);
    out.noticed += trial.judgement.verdict == Verdict::Differ;
    trial.judgement = {};
  }
  return out;
}

/// The fault wherever there is a place for it.
std::function<bool(Kernel&)> everywhere(std::function<bool(Inst&)> fault) {
  return [fault = std::move(fault)](Kernel& kernel) {
    bool changed = false;
    for (Inst& inst : kernel.insts) changed |= fault(inst);
    return changed;
  };
}

// A wrong operator for each right one, of the same number of operands and as close as there is.
constexpr spec::Row<RawOp, RawOp> kWrongRows[] = {
    {RawOp::Add, RawOp::Or},
    {RawOp::Sub, RawOp::Xor},
    {RawOp::Mul, RawOp::Add},
    {RawOp::UMulHi, RawOp::Mul},
    {RawOp::UDiv, RawOp::URem},
    {RawOp::URem, RawOp::UDiv},
    {RawOp::SDiv, RawOp::UDiv},
    {RawOp::SRem, RawOp::URem},
    {RawOp::And, RawOp::Or},
    {RawOp::Or, RawOp::Xor},
    {RawOp::Xor, RawOp::Or},
    {RawOp::Not, RawOp::Popcount},
    {RawOp::Shl, RawOp::LShr},
    {RawOp::LShr, RawOp::AShr},
    {RawOp::AShr, RawOp::LShr},
    {RawOp::Popcount, RawOp::Not},
    {RawOp::Clz, RawOp::Ctz},
    {RawOp::Ctz, RawOp::Clz},
    {RawOp::ReverseBits, RawOp::Not},
    {RawOp::Eq, RawOp::ULe},
    {RawOp::Ne, RawOp::ULt},
    {RawOp::ULt, RawOp::ULe},
    {RawOp::ULe, RawOp::ULt},
    {RawOp::SLt, RawOp::ULt},
    {RawOp::SLe, RawOp::SLt},
    {RawOp::Select, RawOp::Select},  // its arms are swapped instead
    {RawOp::FAdd, RawOp::FSub},
    {RawOp::FSub, RawOp::FAdd},
    {RawOp::FMul, RawOp::FAdd},
    {RawOp::FDiv, RawOp::FMul},
    {RawOp::FSqrt, RawOp::FFloor},
    {RawOp::FFloor, RawOp::FTrunc},
    {RawOp::FCeil, RawOp::FRound},
    {RawOp::FRound, RawOp::FTrunc},
    {RawOp::FTrunc, RawOp::FFloor},
    {RawOp::FEq, RawOp::FLe},
    {RawOp::FLt, RawOp::FLe},
    {RawOp::FLe, RawOp::FLt},
    {RawOp::FFromS32, RawOp::FFromU32},
    {RawOp::FFromU32, RawOp::FFromS32},
    {RawOp::FToS32, RawOp::FToU32},
    {RawOp::FToU32, RawOp::FToS32},
    {RawOp::FFromF16, RawOp::FFromU32},
    {RawOp::FToF16, RawOp::FTrunc},
    {RawOp::FMulAdd, RawOp::FMulAdd},  // its product is rounded instead, in the programs
    // Where a fused multiply-add is promised nothing goes through 64 bits, and where quotients are nothing
    // goes by inverse roots; faults of those forms are planted in test/unit/lower/guarded_test.cpp.
    {RawOp::FWideMulAdd, RawOp::FWideMulAdd},
    {RawOp::FWideLow, RawOp::FWideLow},
    {RawOp::FInverseSqrt, RawOp::FInverseSqrt},
    // Promised nowhere but on one family of GPUs.
    {RawOp::FFromBF16, RawOp::FFromBF16},
    {RawOp::FToBF16, RawOp::FToBF16},
    {RawOp::LongOf, RawOp::LongOf},  // of zeros and of counts, mostly: its operands are swapped below
    {RawOp::LongLow, RawOp::LongHigh},
    {RawOp::LongHigh, RawOp::LongLow},
    {RawOp::LongSelect, RawOp::LongSelect},
    {RawOp::LongAdd, RawOp::LongOr},
    {RawOp::LongSub, RawOp::LongXor},
    {RawOp::LongMul, RawOp::LongAdd},
    {RawOp::LongUMulHi, RawOp::LongMul},
    {RawOp::LongUDiv, RawOp::LongURem},
    {RawOp::LongURem, RawOp::LongUDiv},
    {RawOp::LongAnd, RawOp::LongOr},
    {RawOp::LongOr, RawOp::LongXor},
    {RawOp::LongXor, RawOp::LongOr},
    {RawOp::LongShl, RawOp::LongLShr},
    {RawOp::LongLShr, RawOp::LongShl},
    {RawOp::LongPopcount, RawOp::LongLow},
    {RawOp::LongClz, RawOp::LongCtz},
    {RawOp::LongCtz, RawOp::LongClz},
    {RawOp::LongEq, RawOp::LongULe},
    {RawOp::LongNe, RawOp::LongULt},
    {RawOp::LongULt, RawOp::LongULe},
    {RawOp::LongULe, RawOp::LongULt},
};
// Wide operators are those of the fast forms of functions, which are run on all inputs.
constexpr spec::TotalTable<kWrongRows, [](RawOp op) { return !lower::is_wide(op); }> kWrong;

TEST(Judge, NoticesEachWrongRawOperator) {
  for (const lower::RawOpInfo& info : lower::kRawOps) {
    if (info.is_wide || kWrong[info.op] == info.op) continue;
    const Noticed n = plant(everywhere([&](Inst& inst) {
                              if (inst.kind != InstKind::Raw || inst.raw != info.op) return false;
                              inst.raw = kWrong[info.op];
                              return true;
                            }),
                            info.is_long ? Stage::Legal : Stage::LegalInWords);
    expect_noticed(info.name, n);
  }
}

TEST(Judge, NoticesOperandsInTheOtherOrder) {
  for (const auto& [op, first] : {std::pair(RawOp::Select, 1u),
                                  {RawOp::Sub, 0u},
                                  {RawOp::LongOf, 0u},
                                  {RawOp::LongSelect, 1u},
                                  {RawOp::LongSub, 0u}}) {
    const auto swap = [&](Kernel& kernel) {
      bool changed = false;
      for (const Inst& inst : kernel.insts) {
        if (inst.kind != InstKind::Raw || inst.raw != op) continue;
        std::swap(kernel.values[inst.args.first + first], kernel.values[inst.args.first + first + 1]);
        changed = true;
      }
      return changed;
    };
    expect_noticed(lower::info(op).name, plant(swap));
  }
}

TEST(Judge, NoticesFaultsOfStructure) {
  const auto expect_all = [](std::string_view what, const std::function<bool(Kernel&)>& fault) {
    expect_noticed(what, plant(fault));
  };
  const auto expect = [&](std::string_view what, std::function<bool(Inst&)> fault) {
    expect_all(what, everywhere(std::move(fault)));
  };
  const auto axis = [](InstKind kind) {
    return [kind](Inst& inst) {
      if (inst.kind != kind || inst.imm != 0) return false;
      inst.imm = 1;
      return true;
    };
  };
  expect("invocation_id.x as .y", axis(InstKind::InvocationId));
  expect("workgroup_id.x as .y", axis(InstKind::WorkgroupId));
  expect("local_id.x as .y", axis(InstKind::LocalId));
  expect("a constant off by one", [](Inst& inst) {
    if (inst.kind != InstKind::Const) return false;
    ++inst.imm;
    return true;
  });
  expect_all("assignments lost but the first", [](Kernel& kernel) {
    std::vector<bool> set(kernel.slots.size());
    bool changed = false;
    for (Inst& inst : kernel.insts) {
      if (inst.kind != InstKind::Set) continue;
      if (set[inst.target]) {
        inst.kind = InstKind::Get;
        inst.args = {};
        changed = true;
      }
      set[inst.target] = true;
    }
    return changed;
  });
  expect("then taken for else", [](Inst& inst) {
    if (inst.kind != InstKind::If || inst.orelse == lower::kNoKBlock) return false;
    std::swap(inst.body, inst.orelse);
    return true;
  });
  for (const auto& [from, to] : {std::pair{spec::Op::AtomicAdd, spec::Op::AtomicOr},
                                 {spec::Op::AtomicMin, spec::Op::AtomicMax},
                                 {spec::Op::AtomicMax, spec::Op::AtomicMin},
                                 {spec::Op::AtomicAnd, spec::Op::AtomicOr},
                                 {spec::Op::AtomicOr, spec::Op::AtomicAdd},
                                 {spec::Op::AtomicXor, spec::Op::AtomicAdd},
                                 {spec::Op::AtomicExchange, spec::Op::AtomicAnd}}) {
    expect(fmt::format("{} as {}", spec::mnemonic(from), spec::mnemonic(to)), [&](Inst& inst) {
      if (inst.kind != InstKind::RawAtomic || inst.op != from) return false;
      inst.op = to;
      return true;
    });
  }
}

/// The next operator of the same signature that has the type, round and round: one that type-checks in its
/// place.
spec::Op another(spec::Op op, spec::DataType type) {
  for (size_t step = 1; step < spec::kOpCount; ++step) {
    const spec::OpInfo& other = spec::kOps[(size_t(op) + step) % spec::kOpCount];
    if (other.signature == spec::info(op).signature && other.types.contains(type) &&
        !spec::is_approximate(other.op))
      return other.op;
  }
  return op;
}

// In the semantic kernel, where a wide value is still one.
TEST(Judge, NoticesEachWrongOperatorOnWideTypesVectorsAndFloats) {
  using spec::DataType;
  uint32_t pairs = 0;
  for (const DataType type : {DataType::U64, DataType::U128, DataType::Vec2U32, DataType::Vec4U32,
                              DataType::F16, DataType::BF16, DataType::F32}) {
    Noticed all, functions;
    for (const spec::OpInfo& info : spec::kOps) {
      if (!spec::is_scalar(info.op) || spec::is_approximate(info.op) || !info.types.contains(type) ||
          another(info.op, type) == info.op)
        continue;
      const Noticed n =
          plant(everywhere([&](Inst& inst) {
                  if (inst.kind != InstKind::Apply || inst.op != info.op || inst.operand_type != type)
                    return false;
                  inst.op = another(info.op, type);
                  return true;
                }),
                Stage::Semantic);
      EXPECT_GT(n.planted, 5u) << info.name << " of " << spec::text(type);
      // Few programs have a given function, and of an arc of anything the answer is mostly NaN: they count
      // together.
      if (spec::is_elementary(info.op)) {
        functions.planted += n.planted;
        functions.noticed += n.noticed;
      } else {
        EXPECT_GT(n.noticed, 0u) << info.name << " of " << spec::text(type) << ", planted " << n.planted;
      }
      all.planted += n.planted;
      all.noticed += n.noticed;
      ++pairs;
    }
    if (functions.planted > 0) {
      EXPECT_GE(functions.noticed, 14u) << spec::text(type) << ", planted " << functions.planted;
      fmt::print("  {:<8} functions: noticed {} of {} faults\n", spec::text(type), functions.noticed,
                 functions.planted);
    }
    fmt::print("  {:<8} operators: noticed {} of {} faults\n", spec::text(type), all.noticed, all.planted);
  }
  EXPECT_GT(pairs, 100u);
}

TEST(Judge, NoticesFaultsInWordsOfWideValuesAndInTensors) {
  using spec::DataType;
  const auto expect = [](std::string_view what, Stage stage, const std::function<bool(Kernel&)>& fault) {
    expect_noticed(what, plant(fault, stage));
  };
  const auto is_wide = [](const Kernel& kernel, const Inst& inst) {
    return spec::info(kernel.buffers[inst.target].element).bytes >= 8;
  };
  for (const auto& [kind, what] : {std::pair{InstKind::RawLoad, "words of a load exchanged"},
                                   std::pair{InstKind::RawStore, "words of a store exchanged"}}) {
    expect(what, Stage::LegalInWords, [&](Kernel& kernel) {
      bool changed = false;
      for (Inst& inst : kernel.insts) {
        if (inst.kind != kind || !is_wide(kernel, inst)) continue;
        inst.imm ^= 1;
        changed = true;
      }
      return changed;
    });
  }
  expect("another component", Stage::Semantic, everywhere([](Inst& inst) {
           if (inst.kind != InstKind::Apply || inst.op != spec::Op::Component) return false;
           inst.imm ^= 1;
           return true;
         }));
  expect("i32 extended with zeros", Stage::Semantic, everywhere([](Inst& inst) {
           const bool extends = inst.type == DataType::U64 || inst.type == DataType::U128;
           if (inst.kind != InstKind::Apply || inst.op != spec::Op::Cast ||
               inst.operand_type != DataType::I32 || !extends)
             return false;
           inst.operand_type = DataType::U32;
           return true;
         }));
  expect("a dimension one larger", Stage::Legalized, [](Kernel& kernel) {
    bool changed = false;
    for (lower::KernelBuffer& buffer : kernel.buffers) {
      for (lower::KernelDim& dim : buffer.dims) {
        if (dim.dynamic) continue;
        ++dim.size;
        changed = true;
      }
    }
    return changed;
  });
  expect("strides in the other order", Stage::Legalized, [](Kernel& kernel) {
    bool changed = false;
    for (lower::KernelBuffer& buffer : kernel.buffers) {
      if (buffer.strides.size() < 2 || buffer.strides.front() == buffer.strides.back()) continue;
      std::swap(buffer.strides.front(), buffer.strides.back());
      changed = true;
    }
    return changed;
  });
  expect("another element of the dimensions", Stage::Legalized, [](Kernel& kernel) {
    bool changed = false;
    for (lower::KernelBuffer& buffer : kernel.buffers) {
      for (lower::KernelDim& dim : buffer.dims) {
        if (!dim.dynamic || dim.element == 0) continue;
        --dim.element;
        changed = true;
      }
    }
    return changed;
  });
}

/// How many of the programs that an edit changes leave other bytes behind, on the reference.
Noticed edit(const std::function<bool(ir::Program&)>& fault) {
  Noticed out;
  for (const auto& [trial, semantic, legal, in_words] : plantings()) {
    if (out.enough()) break;
    ir::Program program = trial.checked->program();
    if (!fault(program)) continue;
    const auto checked = check::check(std::move(program), ops::op_table());
    EXPECT_TRUE(checked.has_value());
    if (!checked) continue;
    std::vector<Bytes> buffers = trial.program.buffers;
    std::vector<std::span<std::byte>> host;
    for (Bytes& buffer : buffers) host.emplace_back(buffer);
    ++out.planted;
    EXPECT_TRUE(ref::run(*checked, host, trial.program.groups, {.max_steps = kMaxSteps}).has_value());
    out.noticed += buffers != trial.expected;
  }
  return out;
}
/// The fault in every expression that is an application.
std::function<bool(ir::Program&)> in_applications(std::function<bool(ir::Program&, ir::Expr&)> fault) {
  return [fault = std::move(fault)](ir::Program& program) {
    bool changed = false;
    const size_t count = program.code.exprs.size();
    for (size_t i = 0; i < count; ++i) {
      ir::Expr e = program.code.exprs[i];
      if (e.kind != ir::ExprKind::Apply || !fault(program, e)) continue;
      program.code.exprs[i] = e;
      changed = true;
    }
    return changed;
  };
}

TEST(Judge, NoticesOtherRoundingsAndReductions) {
  // Another program: a rounding, a shape, a range or an operator is not what was written.
  using spec::Op;
  const auto expect = [](std::string_view what, std::function<bool(ir::Program&, ir::Expr&)> fault) {
    expect_noticed(what, edit(in_applications(std::move(fault))));
  };
  expect("another rounding mode of a cast", [](ir::Program&, ir::Expr& e) {
    if (e.op != Op::Cast || e.mode == spec::RoundingMode::None) return false;
    e.mode = e.mode == spec::RoundingMode::Nearest ? spec::RoundingMode::Ceil : spec::RoundingMode::Nearest;
    return true;
  });
  expect("a reduction of the other shape", [](ir::Program&, ir::Expr& e) {
    if (!spec::is_reduction(e.op)) return false;
    e.op = e.op == Op::FReduceStrict ? Op::FReduceTreeBinary : Op::FReduceStrict;
    return true;
  });
  expect("a reduction of everything", [](ir::Program&, ir::Expr& e) {
    if (!spec::is_reduction(e.op) || e.args.count == 0) return false;
    e.args = {};
    return true;
  });
  expect("a reduction by another operator", [](ir::Program&, ir::Expr& e) {
    if (!spec::is_reduction(e.op)) return false;
    const Op fold = *spec::find_op_tag(uint16_t(e.immediate));
    e.immediate = spec::info(fold == Op::FMin ? Op::FMax : Op::FMin).wire_tag;
    return true;
  });
}

TEST(Judge, NoticesFloatsThatBreakTheirPromise) {
  VYRE_ORACLE(ReferenceInterpreter,
              "another promise than the one that the kernel was made for: the evaluator does what it allows");
  const auto expect = [](std::string_view what, Stage stage, const std::function<bool(Kernel&)>& fault) {
    expect_noticed(what, plant(fault, stage));
  };
  for (const lower::FloatPromises& floats :
       {lower::kFlushingFloats, lower::kLooseDivisionFloats, lower::kUnfusedFloats}) {
    expect(floats.name, Stage::Legal, [&](Kernel& kernel) {
      // Where the promises say the same nothing is planted.
      const bool differs = std::ranges::any_of(kernel.insts, [&](const Inst& inst) {
        return inst.kind == InstKind::Raw && !(floats[inst.raw] == kernel.floats[inst.raw]);
      });
      kernel.floats = floats;
      return differs;
    });
  }
  // What compilers do where they may: one rounding for a product and a sum.
  expect("a * b + c contracted", Stage::Semantic, [](Kernel& kernel) {
    bool changed = false;
    for (Inst& sum : kernel.insts) {
      if (sum.kind != InstKind::Apply || sum.op != spec::Op::FAdd) continue;
      const Inst& product = kernel.insts[lower::index(kernel.values[sum.args.first])];
      if (product.kind != InstKind::Apply || product.op != spec::Op::FMul) continue;
      const auto first = uint32_t(kernel.values.size());
      for (const uint32_t at : {product.args.first, product.args.first + 1, sum.args.first + 1}) {
        const lower::Value operand = kernel.values[at];
        kernel.values.push_back(operand);
      }
      sum.op = spec::Op::FMulAdd;
      sum.args = {first, 3};
      changed = true;
    }
    return changed;
  });
}

/// The program without its barriers.
ir::Program without_barriers(const ir::Program& program) {
  ir::Program out = program;
  for (size_t i = 0; i < out.code.nodes.size(); ++i) {
    if (out.code.nodes[i].kind == ir::NodeKind::Barrier)
      out.code.nodes.set(i, {.kind = ir::NodeKind::Block, .body = out.code.add_block({})});
  }
  return out;
}

TEST(Judge, BarriersMatter) {
  // Without its barriers a program is another one, and one that runs its invocations one after another must
  // show it: else barriers are generated and never tested.
  uint32_t with_barriers = 0, differ = 0;
  for (const auto& [trial, semantic, legal, in_words] : plantings()) {
    if (!trial.checked->has_barrier()) continue;
    ++with_barriers;
    const auto checked = check::check(without_barriers(trial.checked->program()), ops::op_table());
    ASSERT_TRUE(checked.has_value());
    std::vector<Bytes> buffers = trial.program.buffers;
    std::vector<std::span<std::byte>> host;
    for (Bytes& buffer : buffers) host.emplace_back(buffer);
    ASSERT_TRUE(ref::run(*checked, host, trial.program.groups, {.max_steps = kMaxSteps}).has_value());
    differ += buffers != trial.expected;
  }
  fmt::print("  {} of {} programs with barriers need them\n", differ, with_barriers);
  EXPECT_GT(with_barriers, 100u);
  EXPECT_GT(differ, 8u);
}

/// The reference as a pipeline, with the last bit of the last word of one buffer wrong.
class WrongBit final : public backend::Pipeline {
 public:
  WrongBit(const check::Checked& checked, size_t buffer) : checked_(checked), buffer_(buffer) {}
  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    VYRE_CHECK(ref::run(checked_, host, groups));
    host[buffer_].back() ^= std::byte{0x80};
    return {};
  }

 private:
  const check::Checked& checked_;
  size_t buffer_;
};

TEST(Judge, NoticesOneBit) {
  uint32_t planted = 0;
  for (auto& [trial, semantic, legal, in_words] : plantings()) {
    for (size_t b = 0; b < trial.expected.size(); ++b) {
      if (trial.expected[b].empty()) continue;
      Result<std::unique_ptr<backend::Pipeline>> pipeline = std::make_unique<WrongBit>(*trial.checked, b);
      judge_pipeline(trial, pipeline, "wrong");
      EXPECT_EQ(trial.judgement.verdict, Verdict::Differ);
      trial.judgement = {};
      ++planted;
    }
  }
  EXPECT_GT(planted, 400u);
}

}  // namespace
}  // namespace vyre::test
