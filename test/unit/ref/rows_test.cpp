// Every specification row through a whole program: with the operands as literals, and loaded from buffers.
#include <gtest/gtest.h>

#include "ir/builder.h"
#include "run_text.h"
#include "spec/rows.h"

namespace vyre::ref {
namespace {

using spec::DataType;
using spec::Op;
using spec::OperatorRow;

/// The type of operand i, where a condition of Select is u32.
DataType operand_type(const OperatorRow& row, uint32_t i) {
  if (row.op == Op::Select && i == 0) return DataType::U32;
  return spec::is_scalar(row.op) ? spec::operand_type(row.op, row.type, i) : row.type;
}
DataType result_type(const OperatorRow& row) {
  return spec::is_scalar(row.op) ? spec::result_type(row.op, row.type) : row.target;
}

ir::Ex apply(ir::ProgramBuilder& p, const OperatorRow& row, std::span<const ir::Ex> operands) {
  if (row.op == Op::Cast) return p.cast(row.target, operands[0]);
  if (row.op == Op::Bitcast) return p.bitcast(row.target, operands[0]);
  return p.apply(row.op, operands);
}

/// program(in0, ..., out): out[0] = operator(operands).
uint32_t run_row(const OperatorRow& row, bool literals) {
  ir::ProgramBuilder p("row");
  std::vector<Words> buffers;
  std::vector<ir::Ex> operands;
  for (uint32_t i = 0; i < row.count; ++i) {
    const DataType type = operand_type(row, i);
    const auto in = p.read("in" + std::to_string(i), type, i);
    buffers.push_back({row.values[i]});
    operands.push_back(literals ? p.literal(type, row.values[i]) : p.load(in, p.u32(0)));
  }
  const auto out = p.read_write("out", result_type(row), row.count);
  buffers.push_back({0xcccccccc});
  p.store(out, p.u32(0), apply(p, row, operands));
  auto result = try_run(checked(p.finish(), {}), std::move(buffers));
  EXPECT_TRUE(result.has_value());
  return result->back()[0];
}

/// program(word, before): before[0] = atomic(word[0], ...). Gives word and before.
std::pair<uint32_t, uint32_t> run_atomic_row(const OperatorRow& row) {
  ir::ProgramBuilder p("row");
  const auto word = p.read_write("word", DataType::U32, 0);
  const auto before = p.read_write("before", DataType::U32, 1);
  const auto x = row.operands();
  p.store(before, p.u32(0),
          row.op == Op::AtomicCompareExchange
              ? p.atomic_compare_exchange(word, p.u32(0), p.u32(x[1]), p.u32(x[2]))
              : p.atomic(row.op, word, p.u32(0), p.u32(x[1])));
  auto result = try_run(checked(p.finish(), {}), {{x[0]}, {0xcccccccc}});
  EXPECT_TRUE(result.has_value());
  return {(*result)[0][0], (*result)[1][0]};
}

// Oracle: the specification rows, worked out by hand.
TEST(Rows, HoldInWholePrograms) {
  for (const OperatorRow& row : spec::operator_rows()) {
    SCOPED_TRACE(testing::Message() << spec::mnemonic(row.op) << " " << spec::text(row.type) << ": "
                                    << row.rationale);
    if (spec::is_atomic(row.op)) {
      const auto [after, before] = run_atomic_row(row);
      EXPECT_EQ(after, row.expected);
      EXPECT_EQ(before, row.values[0]);
    } else {
      EXPECT_EQ(run_row(row, true), row.expected);
      EXPECT_EQ(run_row(row, false), row.expected);
    }
  }
}

}  // namespace
}  // namespace vyre::ref
