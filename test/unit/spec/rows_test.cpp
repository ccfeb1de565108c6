// The specification rows: every row of every published table is there, none twice, each says why.
#include "spec/rows.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(SpecificationTable, "the tables of \"Binary Operations\", copied from that page, and semantics");

namespace vyre::spec {
namespace {

constexpr uint32_t kOnes = 0xFFFFFFFF;

struct TableRow {
  Op op;
  uint32_t a, b, expected;
};

// The tables of "Binary Operations", copied from that page in its own notation.
constexpr TableRow kTables[] = {
    {Op::Add, 0, 0, 0},
    {Op::Add, 1, 1, 2},
    {Op::Add, 0xFFFFFFFF, 1, 0},
    {Op::Add, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE},
    {Op::Sub, 5, 3, 2},
    {Op::Sub, 0, 1, 0xFFFFFFFF},
    {Op::Sub, 0, 0, 0},
    {Op::Mul, 3, 7, 21},
    {Op::Mul, 0x10000, 0x10000, 0},
    {Op::Mul, 0xFFFFFFFF, 2, 0xFFFFFFFE},
    {Op::Div, 10, 3, 3},
    {Op::Div, 5, 0, 0},
    {Op::Div, 0, 0, 0},
    {Op::Div, 0xFFFFFFFF, 1, 0xFFFFFFFF},
    {Op::Div, 0xFFFFFFFF, 0xFFFFFFFF, 1},
    {Op::Mod, 10, 3, 1},
    {Op::Mod, 5, 0, 0},
    {Op::Mod, 0, 5, 0},
    {Op::BitAnd, 0xFF00, 0x0FF0, 0x0F00},
    {Op::BitOr, 0xFF00, 0x00FF, 0xFFFF},
    {Op::BitXor, 0xFF, 0xFF, 0},
    {Op::BitXor, 0xFF, 0x00, 0xFF},
    {Op::Shl, 1, 0, 1},
    {Op::Shl, 1, 1, 2},
    {Op::Shl, 1, 31, 0x80000000},
    {Op::Shl, 1, 32, 1},
    {Op::Shl, 0xFFFFFFFF, 1, 0xFFFFFFFE},
    {Op::Shr, 0x80000000, 1, 0x40000000},
    {Op::Shr, 1, 1, 0},
    {Op::Shr, 1, 32, 1},
    {Op::Lt, 0, 1, 1},
    {Op::Lt, 1, 0, 0},
    {Op::Lt, 5, 5, 0},
    {Op::Lt, 0xFFFFFFFE, 0xFFFFFFFF, 1},
    {Op::And, 0, 0, 0},
    {Op::And, 1, 0, 0},
    {Op::And, 0, 1, 0},
    {Op::And, 1, 1, 1},
    {Op::And, 42, 7, 1},
    {Op::Or, 0, 0, 0},
    {Op::Or, 1, 0, 1},
    {Op::Or, 0, 1, 1},
    {Op::Or, 42, 7, 1},
};

// The rows with a symbolic x: (op, a, what the result is).
enum class Result { X, Zero, Ones };
struct SymbolicRow {
  Op op;
  uint32_t a;
  Result result;
};
constexpr SymbolicRow kSymbolic[] = {
    {Op::BitAnd, kOnes, Result::X},   {Op::BitAnd, 0, Result::Zero}, {Op::BitOr, 0, Result::X},
    {Op::BitOr, kOnes, Result::Ones}, {Op::BitXor, 0, Result::X},
};

bool is_from_table(const OperatorRow& row) {
  return row.type == DataType::U32 &&
         row.source == "binary-operations: " + std::string(info(row.op).name) + ", table";
}

TEST(Rows, HoldEveryRowOfEveryTable) {
  for (const TableRow& wanted : kTables) {
    size_t found = 0;
    for (const OperatorRow& row : operator_rows()) {
      found += row.op == wanted.op && is_from_table(row) && row.values[0] == wanted.a &&
                       row.values[1] == wanted.b && row.expected == wanted.expected
                   ? 1
                   : 0;
    }
    EXPECT_EQ(found, 1u) << mnemonic(wanted.op) << " " << wanted.a << " " << wanted.b;
  }
}

TEST(Rows, HoldSeveralValuesOfEachSymbolicRow) {
  size_t concrete = 0;
  for (const SymbolicRow& wanted : kSymbolic) {
    std::set<uint32_t> values;
    for (const OperatorRow& row : operator_rows()) {
      if (row.op != wanted.op || !is_from_table(row) || row.values[0] != wanted.a) continue;
      const uint32_t x = row.values[1].words[0];
      EXPECT_EQ(row.expected.words[0], wanted.result == Result::X      ? x
                                       : wanted.result == Result::Zero ? 0
                                                                       : kOnes);
      values.insert(x);
    }
    EXPECT_GE(values.size(), 2u) << mnemonic(wanted.op) << " " << wanted.a;
    concrete += values.size();
  }
  // And nothing else claims to be from a table.
  size_t claimed = 0;
  for (const OperatorRow& row : operator_rows()) claimed += row.source.ends_with(", table") ? 1 : 0;
  EXPECT_EQ(claimed, std::size(kTables) + concrete);
}

TEST(Rows, AreForDifferentInputs) {
  // A row says one thing once; two rows for one input could disagree.
  std::set<std::tuple<Op, DataType, DataType, RoundingMode, std::vector<std::array<uint32_t, 4>>>> seen;
  for (const OperatorRow& row : operator_rows()) {
    std::vector<std::array<uint32_t, 4>> operands;
    for (const RowValue& value : row.operands()) operands.push_back(value.words);
    EXPECT_TRUE(seen.emplace(row.op, row.type, row.target, row.mode, operands).second)
        << mnemonic(row.op) << " " << text(row.type) << ": " << row.rationale;
  }
}

TEST(Rows, HoldTruthValues) {
  // Semantics, truth values are 0 or 1, and so are the results of comparisons; all else would be no row of
  // this language.
  for (const OperatorRow& row : operator_rows()) {
    if (row.target == DataType::Bool) EXPECT_LE(row.expected.words[0], 1u) << row.rationale;
    if (row.type == DataType::Bool && row.op != Op::Select) {
      for (const RowValue& value : row.operands()) EXPECT_LE(value.words[0], 1u) << row.rationale;
    }
    const Signature signature = info(row.op).signature;
    if (signature == Signature::TT_U || signature == Signature::T_B)
      EXPECT_LE(row.expected.words[0], 1u) << row.rationale;
  }
}

}  // namespace
}  // namespace vyre::spec
