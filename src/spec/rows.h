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

/// A value of any type in a row: its words, least significant (or first component) first, the rest zero. A
/// number stands for up to 64 bits; wider ones and vectors are written with wide(), vec2() and vec4().
struct RowValue {
  std::array<uint32_t, 4> words{};
  constexpr RowValue() = default;
  constexpr RowValue(uint64_t low) : words{uint32_t(low), uint32_t(low >> 32), 0, 0} {}  // NOLINT: a literal
  constexpr explicit RowValue(std::array<uint32_t, 4> all) : words(all) {}
  bool operator==(const RowValue&) const = default;
};
/// A u128 by its two halves, as people read it: high first.
constexpr RowValue wide(uint64_t high, uint64_t low) {
  return RowValue({uint32_t(low), uint32_t(low >> 32), uint32_t(high), uint32_t(high >> 32)});
}
constexpr RowValue vec2(uint32_t x, uint32_t y) { return RowValue({x, y, 0, 0}); }
constexpr RowValue vec4(uint32_t x, uint32_t y, uint32_t z, uint32_t w) { return RowValue({x, y, z, w}); }

/// One row. Operands are the operator's own, but for atomics, where they are the word before and then
/// expected (of compare-exchange) and value, and `expected` is the word after; an atomic's result is always
/// the word before. A Component's second operand is which component.
struct OperatorRow {
  Op op;
  DataType type;                           // T of the operator; of a cast or bitcast, what is cast
  DataType target;                         // of a cast or bitcast, what to; else the same as type
  RoundingMode mode = RoundingMode::None;  // of a cast from float to integer
  std::array<RowValue, 4> values{};
  uint32_t count = 0;
  RowValue expected;
  std::string_view rationale;
  std::string_view source;

  constexpr DataType result() const {
    return op == Op::Cast || op == Op::Bitcast ? target
           : is_atomic(op)                     ? DataType::U32
                                               : result_type(op, type);
  }
  constexpr DataType operand_at(uint32_t index) const {
    if (op == Op::Component && index == 1) return DataType::U32;
    return operand_type(op, type, index);
  }
  std::span<const RowValue> operands() const { return {values.data(), count}; }

  consteval OperatorRow(Op row_op, DataType row_type, std::initializer_list<RowValue> operands,
                        RowValue result_value, std::string_view why, std::string_view where)
      : OperatorRow(row_op, row_type, row_type, operands, result_value, why, where) {
    if (op == Op::Cast || op == Op::Bitcast) throw "a cast's row names the type to cast to";
  }
  consteval OperatorRow(Op row_op, DataType from, DataType to, std::initializer_list<RowValue> operands,
                        RowValue result_value, std::string_view why, std::string_view where)
      : OperatorRow(row_op, from, to, RoundingMode::None, operands, result_value, why, where) {}
  consteval OperatorRow(Op row_op, DataType from, DataType to, RoundingMode rounding,
                        std::initializer_list<RowValue> operands, RowValue result_value, std::string_view why,
                        std::string_view where)
      : op(row_op),
        type(from),
        target(to),
        mode(rounding),
        expected(result_value),
        rationale(why),
        source(where) {
    if (rationale.empty()) throw "a row needs a rationale";
    if (source.empty()) throw "a row needs a source";
    if (*operand_count(op) + (op == Op::Component ? 1 : 0) != operands.size())
      throw "a row has as many operands as its operator";
    if (!info(op).types.contains(type) || !is_available(type)) throw "the operator does not have this type";
    if (op == Op::Cast && !can_cast(type, target)) throw "there is no such cast";
    if ((op == Op::Cast && cast_takes_mode(type, target)) != (mode != RoundingMode::None))
      throw "a cast from float to integer names its rounding mode, and nothing else does";
    if (op == Op::Bitcast && !can_bitcast(type, target)) throw "there is no such bitcast";
    for (const RowValue& value : operands) {
      if (!is_atomic(op) && op != Op::Select && !is_value(value.words, operand_at(count)))
        throw "an operand does not fit its type";
      values[count++] = value;
    }
    if (!is_value(expected.words, result())) throw "the result does not fit its type";
  }
};

/// Every row, operator by operator.
std::span<const OperatorRow> operator_rows();

}  // namespace vyre::spec
