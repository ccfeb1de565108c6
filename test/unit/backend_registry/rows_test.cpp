// Every specification row through a whole program on every backend: with the operands as literals, and loaded
// from buffers.
#include <gtest/gtest.h>

#include <map>

#include "backend/registry/registry.h"
#include "base/bytes.h"
#include "ir/builder.h"
#include "oracle.h"
#include "spec/ops.h"
#include "spec/rows.h"
#include "wire/wire.h"

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

/// A value as one element of a buffer of its type.
Bytes element(DataType type, const spec::RowValue& value) {
  Bytes bytes = to_bytes(value.words);
  bytes.resize(spec::info(type).bytes);
  return bytes;
}
Bytes poison(DataType type) { return element(type, spec::RowValue({kPoison, kPoison, kPoison, kPoison})); }

check::Checked checked(ir::Program program) {
  static const spec::OpTable no_operations;
  return check::check(std::move(program), no_operations).value();
}

/// The type of operand i, where a condition of Select is u32.
DataType operand_type(const OperatorRow& row, uint32_t i) {
  return row.op == Op::Select && i == 0 ? DataType::U32 : row.operand_at(i);
}
/// How many operands are expressions: which component is taken is part of the application.
uint32_t expressions(const OperatorRow& row) { return row.op == Op::Component ? 1 : row.count; }

ir::Ex apply(ir::ProgramBuilder& p, const OperatorRow& row, std::span<const ir::Ex> operands) {
  if (row.op == Op::Cast) return p.cast(row.target, operands[0], row.mode);
  if (row.op == Op::Bitcast) return p.bitcast(row.target, operands[0]);
  if (row.op == Op::Component) return p.component(operands[0], row.values[1].words[0]);
  return p.apply(row.op, operands);
}

/// program(in0, ..., out): out[0] = operator(operands). A literal vector is made of its components.
RowProgram operator_program(const OperatorRow& row, bool literals) {
  ir::ProgramBuilder p("row");
  std::vector<Bytes> buffers;
  std::vector<ir::Ex> operands;
  const auto literal = [&](DataType type, const spec::RowValue& value) {
    const auto& w = value.words;
    if (type == DataType::Vec2U32) return p.vec2u32(p.u32(w[0]), p.u32(w[1]));
    if (type == DataType::Vec4U32) return p.vec4u32(p.u32(w[0]), p.u32(w[1]), p.u32(w[2]), p.u32(w[3]));
    return p.literal(type, w);
  };
  for (uint32_t i = 0; i < expressions(row); ++i) {
    const DataType type = operand_type(row, i);
    const auto in = p.read("in" + std::to_string(i), type, i);
    buffers.push_back(element(type, row.values[i]));
    operands.push_back(literals ? literal(type, row.values[i]) : p.load(in, p.u32(0)));
  }
  const auto out = p.read_write("out", row.result(), row.count);
  p.store(out, p.u32(0), apply(p, row, operands));
  std::vector<Bytes> expected = buffers;
  buffers.push_back(poison(row.result()));
  expected.push_back(element(row.result(), row.expected));
  return {&row, checked(p.finish()), std::move(buffers), std::move(expected)};
}

/// program(word, before): before[0] = atomic(word[0], ...).
RowProgram atomic_program(const OperatorRow& row) {
  ir::ProgramBuilder p("row");
  const auto cell = p.read_write("word", DataType::U32, 0);
  const auto before = p.read_write("before", DataType::U32, 1);
  const auto operand = [&](uint32_t i) { return p.u32(row.values[i].words[0]); };
  p.store(before, p.u32(0),
          row.op == Op::AtomicCompareExchange
              ? p.atomic_compare_exchange(cell, p.u32(0), operand(1), operand(2))
              : p.atomic(row.op, cell, p.u32(0), operand(1)));
  const auto word = [](const spec::RowValue& value) { return element(DataType::U32, value); };
  return {&row,
          checked(p.finish()),
          {word(row.values[0]), poison(DataType::U32)},
          {word(row.expected), word(row.values[0])}};
}

/// The functions are hundreds of instructions each: with literals, which a compiler works out, go the first
/// rows of each at a type.
constexpr size_t kLiteralRows = 2;

std::vector<RowProgram> all_programs() {
  std::vector<RowProgram> out;
  std::map<std::pair<Op, DataType>, size_t> seen;
  for (const OperatorRow& row : spec::operator_rows()) {
    if (spec::is_atomic(row.op)) {
      out.push_back(atomic_program(row));
    } else {
      const size_t before = seen[{row.op, row.type}]++;
      if (!spec::is_elementary(row.op) || before < kLiteralRows) out.push_back(operator_program(row, true));
      out.push_back(operator_program(row, false));
    }
  }
  return out;
}

class Rows : public testing::TestWithParam<std::string> {};

TEST_P(Rows, HoldInWholePrograms) {
  VYRE_ORACLE(SpecificationTable, "the specification rows, worked out by hand");
  const auto backend = open(GetParam()).value();
  std::vector<RowProgram> programs = all_programs();
  ASSERT_GE(programs.size(), 2 * 900u);
  // Rows of one operator at one type, loaded from buffers, are one program.
  std::vector<const check::Checked*> pointers;
  std::map<std::string, size_t> numbers;
  std::vector<size_t> number_of;
  for (const RowProgram& p : programs) {
    const auto [at, is_new] = numbers.emplace(wire::digest(p.checked.program()).hex(), pointers.size());
    if (is_new) pointers.push_back(&p.checked);
    number_of.push_back(at->second);
  }
  auto pipelines = backend->compile_batch(pointers);
  for (size_t i = 0; i < programs.size(); ++i) {
    RowProgram& p = programs[i];
    SCOPED_TRACE(testing::Message() << spec::mnemonic(p.row->op) << " " << spec::text(p.row->type) << ": "
                                    << p.row->rationale);
    auto& pipeline = pipelines[number_of[i]];
    ASSERT_TRUE(pipeline) << pipeline.error().message;
    std::vector<std::span<std::byte>> spans(p.buffers.begin(), p.buffers.end());
    const auto ran = (*pipeline)->dispatch(spans, {});
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_EQ(p.buffers, p.expected);
  }
}
INSTANTIATE_TEST_SUITE_P(Backends, Rows, testing::Values("reference", "native"),
                         [](const auto& backend) { return backend.param; });

}  // namespace
}  // namespace vyre::backend
