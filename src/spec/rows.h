// Specification rows: what an operator gives for particular operands, worked out by hand.
//
// A row is the strongest oracle for one input: it was written from the specification, by a person, never by
// running code, and it is permanent. It says why it is there and where its value comes from; one without a
// rationale or a source does not compile, and neither does the table when an operator has too few rows for
// one of its types. The rows of every table of "Binary Operations" are among them, with the source
// "binary-operations: <operator>, table"; where such a table has a symbolic x, there are rows for several
// values of it. Source: oracles, "Specification table"; the sections that the rows name.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "spec/casts.h"
#include "spec/ops.h"

namespace vyre::spec {

/// One row. Operands are the operator's own, but for atomics, where they are the word before and then
/// expected (of compare-exchange) and value, and `expected` is the word after; an atomic's result is always
/// the word before.
struct OperatorRow {
  Op op;
  DataType type;    // T of the operator; of a cast or bitcast, what is cast
  DataType target;  // of a cast or bitcast, what to; else the same as type
  std::array<uint32_t, 3> values{};
  uint32_t count = 0;
  uint32_t expected;
  std::string_view rationale;
  std::string_view source;

  std::span<const uint32_t> operands() const { return {values.data(), count}; }

  consteval OperatorRow(Op row_op, DataType row_type, std::initializer_list<uint32_t> operands,
                        uint32_t result, std::string_view why, std::string_view where)
      : OperatorRow(row_op, row_type, row_type, operands, result, why, where) {
    if (op == Op::Cast || op == Op::Bitcast) throw "a cast's row names the type to cast to";
  }
  consteval OperatorRow(Op row_op, DataType from, DataType to, std::initializer_list<uint32_t> operands,
                        uint32_t result, std::string_view why, std::string_view where)
      : op(row_op), type(from), target(to), expected(result), rationale(why), source(where) {
    if (rationale.empty()) throw "a row needs a rationale";
    if (source.empty()) throw "a row needs a source";
    if (operand_count(op) != operands.size()) throw "a row has as many operands as its operator";
    if (!info(op).types.contains(type) || !is_available(type)) throw "the operator does not have this type";
    if (op == Op::Cast && !can_cast(type, target)) throw "there is no such cast";
    if (op == Op::Bitcast && !can_bitcast(type, target)) throw "there is no such bitcast";
    for (const uint32_t value : operands) values[count++] = value;
  }
};

/// Every row, operator by operator.
std::span<const OperatorRow> operator_rows();

}  // namespace vyre::spec
