// Every specification row through a whole program on every backend: with the operands as literals, and loaded
// from buffers.
#include <gtest/gtest.h>

#include "backend/registry/registry.h"
#include "base/bytes.h"
#include "ir/builder.h"
#include "spec/rows.h"

namespace vyre::backend {
namespace {

using spec::DataType;
using spec::Op;
using spec::OperatorRow;

/// A row as a program, the buffers to run it over, and what they must hold afterwards.
struct RowProgram {
  const OperatorRow* row;
  check::Checked checked;
  std::vector<Bytes> buffers;
  std::vector<Bytes> expected;
};

constexpr uint32_t kPoison = 0xcccccccc;

Bytes word(uint32_t value) { return to_bytes({{value}}); }

check::Checked checked(ir::Program program) {
  static const spec::OpTable no_operations;
  return check::check(std::move(program), no_operations).value();
}

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
RowProgram operator_program(const OperatorRow& row, bool literals) {
  ir::ProgramBuilder p("row");
  std::vector<Bytes> buffers;
  std::vector<ir::Ex> operands;
  for (uint32_t i = 0; i < row.count; ++i) {
    const DataType type = operand_type(row, i);
    const auto in = p.read("in" + std::to_string(i), type, i);
    buffers.push_back(word(row.values[i]));
    operands.push_back(literals ? p.literal(type, row.values[i]) : p.load(in, p.u32(0)));
  }
  const auto out = p.read_write("out", result_type(row), row.count);
  p.store(out, p.u32(0), apply(p, row, operands));
  std::vector<Bytes> expected = buffers;
  buffers.push_back(word(kPoison));
  expected.push_back(word(row.expected));
  return {&row, checked(p.finish()), std::move(buffers), std::move(expected)};
}

/// program(word, before): before[0] = atomic(word[0], ...).
RowProgram atomic_program(const OperatorRow& row) {
  ir::ProgramBuilder p("row");
  const auto cell = p.read_write("word", DataType::U32, 0);
  const auto before = p.read_write("before", DataType::U32, 1);
  const auto x = row.operands();
  p.store(before, p.u32(0),
          row.op == Op::AtomicCompareExchange
              ? p.atomic_compare_exchange(cell, p.u32(0), p.u32(x[1]), p.u32(x[2]))
              : p.atomic(row.op, cell, p.u32(0), p.u32(x[1])));
  return {&row, checked(p.finish()), {word(x[0]), word(kPoison)}, {word(row.expected), word(x[0])}};
}

std::vector<RowProgram> all_programs() {
  std::vector<RowProgram> out;
  for (const OperatorRow& row : spec::operator_rows()) {
    if (spec::is_atomic(row.op)) {
      out.push_back(atomic_program(row));
    } else {
      out.push_back(operator_program(row, true));
      out.push_back(operator_program(row, false));
    }
  }
  return out;
}

class Rows : public testing::TestWithParam<std::string> {};

// Oracle: the specification rows, worked out by hand.
TEST_P(Rows, HoldInWholePrograms) {
  const auto backend = open(GetParam()).value();
  std::vector<RowProgram> programs = all_programs();
  ASSERT_GE(programs.size(), 2 * 400u);
  std::vector<const check::Checked*> pointers;
  for (const RowProgram& p : programs) pointers.push_back(&p.checked);
  auto pipelines = backend->compile_batch(pointers);
  for (size_t i = 0; i < programs.size(); ++i) {
    RowProgram& p = programs[i];
    SCOPED_TRACE(testing::Message() << spec::mnemonic(p.row->op) << " " << spec::text(p.row->type) << ": "
                                    << p.row->rationale);
    ASSERT_TRUE(pipelines[i]) << pipelines[i].error().message;
    std::vector<std::span<std::byte>> spans(p.buffers.begin(), p.buffers.end());
    const auto ran = (*pipelines[i])->dispatch(spans, {});
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_EQ(p.buffers, p.expected);
  }
}
INSTANTIATE_TEST_SUITE_P(Backends, Rows, testing::Values("reference", "native"),
                         [](const auto& backend) { return backend.param; });

}  // namespace
}  // namespace vyre::backend
