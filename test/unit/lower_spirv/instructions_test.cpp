// Which instructions each raw operator and each operation of a subgroup is.
//
// A row is the code between the loads of the operands a, b and c and the store of the result; t0, t1, ... are
// what it makes.
#include <gmock/gmock.h>

#include <map>

#include "oracle.h"
#include "programs.h"

VYRE_ORACLE(SpecificationTable,
            "SPIR-V specification, \"Instructions\" and \"Extended Instructions for GLSL\", row by row, with "
            "the capabilities that it names at each; semantics of ballot");

namespace vyre::lower {
namespace {

using spec::Intrinsic;

/// A kernel that loads operands from `in`, applies one instruction, and stores its result to `out`. What is
/// wide is made of an f32 and becomes one; what is long is made of a word, as its two, and becomes its low
/// one.
class OneInstruction {
 public:
  OneInstruction() {
    kernel_.name = "one";
    kernel_.legal = true;
    kernel_.floats = test::every_promise();
    kernel_.workgroup_size = {64, 1, 1};
    kernel_.entry = kernel_.add_block();
    kernel_.buffers = {{.name = "in", .element = spec::DataType::U32, .binding = 0, .argument = 0},
                       {.name = "out",
                        .access = spec::BufferAccess::ReadWrite,
                        .element = spec::DataType::U32,
                        .binding = 1,
                        .argument = 1}};
  }
  Kernel make(Inst inst, uint32_t operands) {
    std::vector<Value> args;
    for (uint32_t i = 0; i < operands; ++i) {
      args.push_back(put({.kind = InstKind::RawLoad, .target = 0}, {constant(i)}));
    }
    const bool raw = inst.kind == InstKind::Raw;
    for (uint32_t i = 0; i < operands; ++i) {
      if (raw && takes_wide(inst.raw, i))
        args[i] = put({.kind = InstKind::Raw, .raw = RawOp::WideFrom}, {args[i]});
      if (raw && takes_long(inst.raw, i))
        args[i] = put({.kind = InstKind::Raw, .raw = RawOp::LongOf}, {args[i], args[i]});
    }
    Value result = put(inst, args);
    if (raw && gives_wide(inst.raw)) result = put({.kind = InstKind::Raw, .raw = RawOp::WideTo}, {result});
    if (raw && gives_long(inst.raw)) result = put({.kind = InstKind::Raw, .raw = RawOp::LongLow}, {result});
    put({.kind = InstKind::RawStore, .target = 1}, {constant(0), result});
    return kernel_;
  }

 private:
  Value put(Inst inst, const std::vector<Value>& operands) {
    const Value v = kernel_.add(inst, operands);
    kernel_.blocks[index(kernel_.entry)].push_back(v);
    return v;
  }
  Value constant(uint32_t bits) { return put({.kind = InstKind::Const, .imm = bits}, {}); }

  Kernel kernel_;
};

std::vector<std::string> words_of(const std::string& line) {
  std::stringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

/// What stands between the loads of so many operands and the access to `out`, one instruction a line:
/// operation, type, operands.
std::string code_of(const std::string& text, uint32_t operands) {
  std::stringstream in(text);
  std::map<std::string, std::string> names;
  std::string pushed, zero, groups, group, mask;  // zero, a push constant, and a number of the workgroup
  uint32_t made = 0;
  bool function = false, inside = false;
  std::string out;
  for (std::string line; std::getline(in, line);) {
    const auto words = words_of(line);
    function = function || line.find("OpLabel") != line.npos;
    inside = inside || (function && operands == 0);
    if (!function || words.size() < 4 || words[1] != "=") continue;
    if (words[2] == "OpAccessChain" && line.find("%lengths") != line.npos) {
      pushed = words[0];
      continue;
    }
    if (words[2] == "OpLoad" && words[4] == pushed) {
      zero = words[0];
      continue;
    }
    if (words[2] == "OpLoad" && words[3] == "%v3uint") {
      groups = words[0];
      continue;
    }
    if (words[2] == "OpCompositeExtract" && words[4] == groups) {
      group = words[0];
      continue;
    }
    if (words[2] == "OpBitwiseAnd" && words[4] == zero && words[5] == group) {
      mask = words[0];  // the last one is that of results
      continue;
    }
    if (words[2] == "OpLoad" && names.size() < operands) {
      names[words[0]] = std::string(1, char('a' + names.size()));
      inside = names.size() == operands;
      continue;
    }
    if (!inside || words[2] == "OpLoad") continue;
    if (words[2] == "OpAccessChain") {
      if (line.find("%out") != line.npos) break;
      continue;
    }
    names[words[0]] = "t" + std::to_string(made++);
    if (!out.empty()) out += "; ";
    out += words[2];
    for (size_t i = 3; i < words.size(); ++i) {
      if (words[2] == "OpExtInst" && i == 4) continue;  // the library
      const auto known = names.find(words[i]);
      std::string word = known == names.end() ? words[i] : known->second;
      if (word == mask) word = "mask";
      if (word.front() == '%') word.erase(0, 1);
      out += " " + word;
    }
  }
  return out;
}

using RawRow = spec::Row<RawOp, const char*>;
constexpr auto kRawRows = std::to_array<RawRow>({
    {RawOp::Add, "OpIAdd uint a b"},
    {RawOp::Sub, "OpISub uint a b"},
    {RawOp::Mul, "OpIMul uint a b"},
    {RawOp::UMulHi, "OpUMulExtended _struct_ a b; OpCompositeExtract uint t0 1"},
    {RawOp::UDiv, "OpUDiv uint a b"},
    {RawOp::URem, "OpUMod uint a b"},
    {RawOp::SDiv, "OpSDiv uint a b"},
    {RawOp::SRem, "OpSDiv uint a b; OpIMul uint t0 b; OpISub uint a t1"},
    {RawOp::And, "OpBitwiseAnd uint a b"},
    {RawOp::Or, "OpBitwiseOr uint a b"},
    {RawOp::Xor, "OpBitwiseXor uint a b"},
    {RawOp::Not, "OpNot uint a"},
    {RawOp::Shl, "OpShiftLeftLogical uint a b"},
    {RawOp::LShr, "OpShiftRightLogical uint a b"},
    {RawOp::AShr, "OpShiftRightArithmetic uint a b"},
    {RawOp::Popcount, "OpBitCount uint a"},
    {RawOp::Clz, "OpExtInst uint FindUMsb a; OpISub uint uint_31 t0"},
    {RawOp::Ctz, "OpExtInst uint FindILsb a"},
    {RawOp::ReverseBits, "OpBitReverse uint a"},
    {RawOp::Eq, "OpIEqual bool a b; OpSelect uint t0 uint_1 uint_0"},
    {RawOp::Ne, "OpINotEqual bool a b; OpSelect uint t0 uint_1 uint_0"},
    {RawOp::ULt, "OpULessThan bool a b; OpSelect uint t0 uint_1 uint_0"},
    {RawOp::ULe, "OpULessThanEqual bool a b; OpSelect uint t0 uint_1 uint_0"},
    {RawOp::SLt, "OpSLessThan bool a b; OpSelect uint t0 uint_1 uint_0"},
    {RawOp::SLe, "OpSLessThanEqual bool a b; OpSelect uint t0 uint_1 uint_0"},
    {RawOp::Select, "OpINotEqual bool a uint_0; OpSelect uint t0 b c"},
    {RawOp::FAdd, "OpBitcast float a; OpBitcast float b; OpFAdd float t0 t1; OpBitcast uint t2"},
    {RawOp::FSub, "OpBitcast float a; OpBitcast float b; OpFSub float t0 t1; OpBitcast uint t2"},
    {RawOp::FMul, "OpBitcast float a; OpBitcast float b; OpFMul float t0 t1; OpBitcast uint t2"},
    {RawOp::FDiv, "OpBitcast float a; OpBitcast float b; OpFDiv float t0 t1; OpBitcast uint t2"},
    {RawOp::FMulAdd,
     "OpBitcast float a; OpBitcast float b; OpBitcast float c; OpExtInst float Fma t0 t1 t2; OpBitcast uint "
     "t3"},
    {RawOp::FSqrt, "OpBitcast float a; OpExtInst float Sqrt t0; OpBitcast uint t1"},
    {RawOp::FInverseSqrt, "OpBitcast float a; OpExtInst float InverseSqrt t0; OpBitcast uint t1"},
    {RawOp::FFloor, "OpBitcast float a; OpExtInst float Floor t0; OpBitcast uint t1"},
    {RawOp::FCeil, "OpBitcast float a; OpExtInst float Ceil t0; OpBitcast uint t1"},
    {RawOp::FRound, "OpBitcast float a; OpExtInst float RoundEven t0; OpBitcast uint t1"},
    {RawOp::FTrunc, "OpBitcast float a; OpExtInst float Trunc t0; OpBitcast uint t1"},
    {RawOp::FEq,
     "OpBitcast float a; OpBitcast float b; OpFOrdEqual bool t0 t1; OpSelect uint t2 uint_1 uint_0"},
    {RawOp::FLt,
     "OpBitcast float a; OpBitcast float b; OpFOrdLessThan bool t0 t1; OpSelect uint t2 uint_1 uint_0"},
    {RawOp::FLe,
     "OpBitcast float a; OpBitcast float b; OpFOrdLessThanEqual bool t0 t1; OpSelect uint t2 uint_1 uint_0"},
    {RawOp::FFromS32, "OpConvertSToF float a; OpBitcast uint t0"},
    {RawOp::FFromU32, "OpConvertUToF float a; OpBitcast uint t0"},
    {RawOp::FToS32, "OpBitcast float a; OpConvertFToS uint t0"},
    {RawOp::FToU32, "OpBitcast float a; OpConvertFToU uint t0"},
    {RawOp::FFromF16,
     "OpBitcast v2half a; OpCompositeExtract half t0 0; OpFConvert float t1; OpBitcast uint t2"},
    {RawOp::FToF16,
     "OpBitcast float a; OpFConvert half t0; OpCompositeConstruct v2half t1 half_0x0p_0; OpBitcast uint t2; "
     "OpBitwiseXor uint t3 mask"},
    {RawOp::FWideMulAdd,
     "OpBitcast float a; OpFConvert double t0; OpBitcast float b; OpFConvert double t2; OpFMul double t1 t3; "
     "OpBitcast float c; OpFConvert double t5; OpFAdd double t4 t6; OpFConvert float t7; OpBitcast uint t8"},
    {RawOp::FWideLow,
     "OpBitcast float a; OpFConvert double t0; OpBitcast float b; OpFConvert double t2; OpFMul double t1 t3; "
     "OpBitcast float c; OpFConvert double t5; OpFAdd double t4 t6; OpBitcast v2uint t7; "
     "OpCompositeExtract uint t8 0"},
    {RawOp::WideOf,
     "OpCompositeConstruct v2uint a b; OpBitcast double t0; OpFConvert float t1; OpBitcast uint t2"},
    {RawOp::WideLow,
     "OpBitcast float a; OpFConvert double t0; OpBitcast v2uint t1; OpCompositeExtract uint t2 0"},
    {RawOp::WideHigh,
     "OpBitcast float a; OpFConvert double t0; OpBitcast v2uint t1; OpCompositeExtract uint t2 1"},
    {RawOp::WideSelect,
     "OpBitcast float b; OpFConvert double t0; OpBitcast float c; OpFConvert double t2; OpINotEqual bool a "
     "uint_0; OpBitcast v2uint t1; OpCompositeExtract uint t5 0; OpBitcast v2uint t3; OpCompositeExtract "
     "uint "
     "t7 0; OpSelect uint t4 t6 t8; OpBitcast v2uint t1; OpCompositeExtract uint t10 1; OpBitcast v2uint t3; "
     "OpCompositeExtract uint t12 1; OpSelect uint t4 t11 t13; OpCompositeConstruct v2uint t9 t14; OpBitcast "
     "double t15; OpFConvert float t16; OpBitcast uint t17"},
    {RawOp::WideFrom, "OpBitcast float a; OpFConvert double t0; OpFConvert float t1; OpBitcast uint t2"},
    {RawOp::WideTo, "OpBitcast float a; OpFConvert double t0; OpFConvert float t1; OpBitcast uint t2"},
    {RawOp::WideAdd,
     "OpBitcast float a; OpFConvert double t0; OpBitcast float b; OpFConvert double t2; OpFAdd "
     "double t1 t3; OpFConvert float t4; OpBitcast uint t5"},
    {RawOp::WideSub,
     "OpBitcast float a; OpFConvert double t0; OpBitcast float b; OpFConvert double t2; OpFSub "
     "double t1 t3; OpFConvert float t4; OpBitcast uint t5"},
    {RawOp::WideMul,
     "OpBitcast float a; OpFConvert double t0; OpBitcast float b; OpFConvert double t2; OpFMul "
     "double t1 t3; OpFConvert float t4; OpBitcast uint t5"},
    {RawOp::WideDiv,
     "OpBitcast float a; OpFConvert double t0; OpBitcast float b; OpFConvert double t2; OpFDiv "
     "double t1 t3; OpFConvert float t4; OpBitcast uint t5"},
    {RawOp::WideMulAdd,
     "OpBitcast float a; OpFConvert double t0; OpBitcast float b; OpFConvert double t2; OpBitcast "
     "float c; OpFConvert double t4; OpExtInst double Fma t1 t3 t5; OpFConvert float t6; OpBitcast "
     "uint t7"},
    {RawOp::WideSqrt,
     "OpBitcast float a; OpFConvert double t0; OpExtInst double Sqrt t1; OpFConvert float t2; "
     "OpBitcast uint t3"},
    {RawOp::LongOf,
     "OpCompositeConstruct v2uint a b; OpBitcast ulong t0; OpBitcast v2uint t1; OpCompositeExtract uint t2 "
     "0"},
    {RawOp::LongLow,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpBitcast v2uint t1; OpCompositeExtract uint t2 "
     "0"},
    {RawOp::LongHigh,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpBitcast v2uint t1; OpCompositeExtract uint t2 "
     "1"},
    {RawOp::LongSelect,
     "OpCompositeConstruct v2uint b b; OpBitcast ulong t0; OpCompositeConstruct v2uint c c; OpBitcast ulong "
     "t2; OpINotEqual bool a uint_0; OpSelect ulong t4 t1 t3; OpBitcast v2uint t5; OpCompositeExtract uint "
     "t6 0"},
    {RawOp::LongAdd,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpIAdd ulong t1 t3; OpBitcast v2uint t4; OpCompositeExtract uint t5 0"},
    {RawOp::LongSub,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpISub ulong t1 t3; OpBitcast v2uint t4; OpCompositeExtract uint t5 0"},
    {RawOp::LongMul,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpIMul ulong t1 t3; OpBitcast v2uint t4; OpCompositeExtract uint t5 0"},
    {RawOp::LongUMulHi,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpBitwiseAnd ulong t1 ulong_4294967295; OpShiftRightLogical ulong t1 uint_32; OpBitwiseAnd ulong "
     "t3 ulong_4294967295; OpShiftRightLogical ulong t3 uint_32; OpIMul ulong t4 t7; OpIMul ulong t5 t6; "
     "OpIMul ulong t4 t6; OpShiftRightLogical ulong t10 uint_32; OpIAdd ulong t9 t11; OpBitwiseAnd ulong t12 "
     "ulong_4294967295; OpIAdd ulong t8 t13; OpShiftRightLogical ulong t14 uint_32; OpShiftRightLogical "
     "ulong t12 uint_32; OpIAdd ulong t15 t16; OpIMul ulong t5 t7; OpIAdd ulong t18 t17; OpBitcast v2uint "
     "t19; OpCompositeExtract uint t20 0"},
    {RawOp::LongUDiv,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpUDiv ulong t1 t3; OpBitcast v2uint t4; OpCompositeExtract uint t5 0"},
    {RawOp::LongURem,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpUMod ulong t1 t3; OpBitcast v2uint t4; OpCompositeExtract uint t5 0"},
    {RawOp::LongAnd,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpBitwiseAnd ulong t1 t3; OpBitcast v2uint t4; OpCompositeExtract uint t5 0"},
    {RawOp::LongOr,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpBitwiseOr ulong t1 t3; OpBitcast v2uint t4; OpCompositeExtract uint t5 0"},
    {RawOp::LongXor,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpBitwiseXor ulong t1 t3; OpBitcast v2uint t4; OpCompositeExtract uint t5 0"},
    {RawOp::LongShl,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpShiftLeftLogical ulong t1 b; OpBitcast v2uint "
     "t2; OpCompositeExtract uint t3 0"},
    {RawOp::LongLShr,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpShiftRightLogical ulong t1 b; OpBitcast v2uint "
     "t2; OpCompositeExtract uint t3 0"},
    {RawOp::LongPopcount,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpBitcast v2uint t1; OpCompositeExtract uint t2 "
     "0; OpBitCount uint t3; OpBitcast v2uint t1; OpCompositeExtract uint t5 1; OpBitCount uint t6; OpIAdd "
     "uint t4 t7"},
    {RawOp::LongClz,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpBitcast v2uint t1; OpCompositeExtract uint t2 "
     "1; OpBitcast v2uint t1; OpCompositeExtract uint t4 0; OpIEqual bool t3 uint_0; OpSelect uint t6 t5 t3; "
     "OpSelect uint t6 uint_32 uint_0; OpExtInst uint FindUMsb t7; OpISub uint uint_31 t9; OpIAdd uint t8 "
     "t10"},
    {RawOp::LongCtz,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpBitcast v2uint t1; OpCompositeExtract uint t2 "
     "0; OpBitcast v2uint t1; OpCompositeExtract uint t4 1; OpIEqual bool t3 uint_0; OpSelect uint t6 t5 t3; "
     "OpSelect uint t6 uint_32 uint_0; OpExtInst uint FindILsb t7; OpIAdd uint t8 t9"},
    {RawOp::LongEq,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpIEqual bool t1 t3; OpSelect uint t4 uint_1 uint_0"},
    {RawOp::LongNe,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpINotEqual bool t1 t3; OpSelect uint t4 uint_1 uint_0"},
    {RawOp::LongULt,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpULessThan bool t1 t3; OpSelect uint t4 uint_1 uint_0"},
    {RawOp::LongULe,
     "OpCompositeConstruct v2uint a a; OpBitcast ulong t0; OpCompositeConstruct v2uint b b; OpBitcast ulong "
     "t2; OpULessThanEqual bool t1 t3; OpSelect uint t4 uint_1 uint_0"},
});
constexpr spec::TotalTable<kRawRows, [](RawOp op) { return !is_bfloat(op); }> kRaw;

TEST(SpirvInstructions, EachRawOperator) {
  for (const RawOpInfo& op : kRawOps) {
    if (is_bfloat(op.op)) continue;  // no device is asked for them
    const Kernel kernel = OneInstruction().make({.kind = InstKind::Raw, .raw = op.op}, op.operands);
    const std::string text = test::spirv_text(kernel, test::kRichDevice);
    std::string code = code_of(text, op.operands);
    if (const size_t at = code.find("_struct_"); at != code.npos) {  // its number does not matter
      code.erase(at + 8, code.find(' ', at) - at - 8);
    }
    EXPECT_EQ(code, kRaw[op.op]) << op.name << "\n" << text;
  }
}

// SPIR-V specification, "Non-Uniform Instructions"; scope 3 is the subgroup.
using IntrinsicRow = spec::Row<Intrinsic, const char*>;
constexpr auto kIntrinsicRows = std::to_array<IntrinsicRow>({
    {Intrinsic::SubgroupSize, ""},
    {Intrinsic::SubgroupLane, "OpBitwiseAnd uint a uint_7"},
    {Intrinsic::SubgroupShuffle, "OpBitwiseAnd uint b uint_7; OpGroupNonUniformShuffle uint uint_3 a t0"},
    {Intrinsic::SubgroupBallot,
     "OpINotEqual bool a uint_0; OpGroupNonUniformBallot v4uint uint_3 t0; OpCompositeExtract uint t1 0"},
    {Intrinsic::SubgroupAny,
     "OpINotEqual bool a uint_0; OpGroupNonUniformAny bool uint_3 t0; OpSelect uint t1 uint_1 uint_0"},
    {Intrinsic::SubgroupAll,
     "OpINotEqual bool a uint_0; OpGroupNonUniformAll bool uint_3 t0; OpSelect uint t1 uint_1 uint_0"},
    {Intrinsic::SubgroupReduceAdd, "OpGroupNonUniformIAdd uint uint_3 Reduce a"},
    {Intrinsic::SubgroupReduceMin, "OpGroupNonUniformUMin uint uint_3 Reduce a"},
    {Intrinsic::SubgroupReduceMax, "OpGroupNonUniformUMax uint uint_3 Reduce a"},
    {Intrinsic::SubgroupReduceAnd, "OpGroupNonUniformBitwiseAnd uint uint_3 Reduce a"},
    {Intrinsic::SubgroupReduceOr, "OpGroupNonUniformBitwiseOr uint uint_3 Reduce a"},
    {Intrinsic::SubgroupReduceXor, "OpGroupNonUniformBitwiseXor uint uint_3 Reduce a"},
    {Intrinsic::SubgroupScanAdd, "OpGroupNonUniformIAdd uint uint_3 InclusiveScan a"},
    {Intrinsic::SubgroupScanAddExclusive, "OpGroupNonUniformIAdd uint uint_3 ExclusiveScan a"},
});
constexpr spec::TotalTable<kIntrinsicRows> kIntrinsics;

TEST(SpirvInstructions, EachOperationOfSubgroups) {
  for (size_t i = 0; i < spec::KeyCount<Intrinsic>::value; ++i) {
    const auto intrinsic = Intrinsic(i);
    const spec::IntrinsicInfo& row = spec::info(intrinsic);
    const Kernel kernel =
        OneInstruction().make({.kind = InstKind::Intrinsic, .imm = uint32_t(i)}, row.input_count);
    const std::string text = test::spirv_text(kernel, test::kRichDevice);
    // A lane is of the invocation's number, which is loaded first of all.
    const uint32_t loads = intrinsic == Intrinsic::SubgroupLane ? 1 : row.input_count;
    EXPECT_EQ(code_of(text, loads), kIntrinsics[intrinsic]) << row.id << "\n" << text;
  }
}

TEST(SpirvInstructions, CapabilitiesOfSubgroupsAreThoseThatAreUsed) {
  const auto capabilities = [](Intrinsic intrinsic) {
    const Kernel kernel = OneInstruction().make({.kind = InstKind::Intrinsic, .imm = uint32_t(intrinsic)},
                                                spec::info(intrinsic).input_count);
    std::stringstream in(test::spirv_text(kernel, test::kRichDevice));
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) {
      const auto words = words_of(line);
      if (words.size() == 2 && words[0] == "OpCapability" && words[1].starts_with("Group"))
        out.push_back(words[1]);
    }
    return out;
  };
  using testing::UnorderedElementsAre;
  EXPECT_THAT(capabilities(Intrinsic::SubgroupLane), UnorderedElementsAre("GroupNonUniform"));
  EXPECT_THAT(capabilities(Intrinsic::SubgroupAny),
              UnorderedElementsAre("GroupNonUniform", "GroupNonUniformVote"));
  EXPECT_THAT(capabilities(Intrinsic::SubgroupBallot),
              UnorderedElementsAre("GroupNonUniform", "GroupNonUniformBallot"));
  EXPECT_THAT(capabilities(Intrinsic::SubgroupShuffle),
              UnorderedElementsAre("GroupNonUniform", "GroupNonUniformShuffle"));
  EXPECT_THAT(capabilities(Intrinsic::SubgroupScanAdd),
              UnorderedElementsAre("GroupNonUniform", "GroupNonUniformArithmetic"));
}

TEST(SpirvInstructions, ABallotHasWordsForTheLanesThereAre) {
  // Semantics of ballot: bit i of the four words is lane i, and a lane that is not there has none.
  const auto code = [](uint32_t lanes, uint32_t word) {
    SpirvTarget target = test::kRichDevice;
    target.subgroup_size = lanes;
    const Inst ballot = {
        .kind = InstKind::Intrinsic, .imm = uint32_t(Intrinsic::SubgroupBallot), .target = word};
    return test::spirv_text(OneInstruction().make(ballot, 1), target);
  };
  EXPECT_THAT(code(64, 1), testing::HasSubstr("OpGroupNonUniformBallot"));
  EXPECT_THAT(code(64, 2), testing::Not(testing::HasSubstr("OpGroupNonUniformBallot")));
  EXPECT_THAT(code(32, 1), testing::Not(testing::HasSubstr("OpGroupNonUniformBallot")));
}

}  // namespace
}  // namespace vyre::lower
