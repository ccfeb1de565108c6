#include "spec/rows.h"

#include <utility>

namespace vyre::spec {
namespace {

constexpr DataType U32 = DataType::U32;
constexpr DataType I32 = DataType::I32;
constexpr DataType U64 = DataType::U64;
constexpr DataType U128 = DataType::U128;
constexpr DataType Vec2 = DataType::Vec2U32;
constexpr DataType Vec4 = DataType::Vec4U32;
constexpr DataType Bool = DataType::Bool;
constexpr DataType F16 = DataType::F16;
constexpr DataType BF16 = DataType::BF16;
constexpr DataType F32 = DataType::F32;
constexpr RoundingMode Trunc = RoundingMode::Trunc;
constexpr RoundingMode Nearest = RoundingMode::Nearest;
constexpr RoundingMode Floor = RoundingMode::Floor;
constexpr RoundingMode Ceil = RoundingMode::Ceil;

constexpr OperatorRow kRows[] = {
#include "spec/rows/arithmetic.inc"
#include "spec/rows/atomic.inc"
#include "spec/rows/bitwise.inc"
#include "spec/rows/cast.inc"
#include "spec/rows/comparison.inc"
#include "spec/rows/float.inc"
#include "spec/rows/float_arithmetic.inc"
#include "spec/rows/float_cast.inc"
#include "spec/rows/float_compare.inc"
#include "spec/rows/float_functions.inc"
#include "spec/rows/float_round.inc"
#include "spec/rows/logical.inc"
#include "spec/rows/u128.inc"
#include "spec/rows/u64.inc"
#include "spec/rows/vector.inc"
};

// How many rows are wanted for an operator at a type: enough to tell it from its neighbours. Truth values
// have two or four inputs, and all of them are wanted.

consteval size_t all_truth_values(Op op) { return operand_count(op) == 1 ? 2 : 4; }

consteval size_t wanted_rows(Op op, DataType type) {
  if (op == Op::Call || is_reduction(op)) return 0;  // not of operands alone
  if (is_approximate(op)) return 0;  // rows are of results that are decided; its operations have those
  if (!is_available(type) || !info(op).types.contains(type)) return 0;
  if (type == Bool) return all_truth_values(op);
  return type == U32 ? 8 : 4;
}

consteval size_t wanted_rows(Op op, DataType from, DataType to) {
  const bool exists = op == Op::Cast ? can_cast(from, to) : can_bitcast(from, to);
  if (!exists || !is_available(from) || !is_available(to)) return 0;
  return from == Bool || op == Op::Bitcast ? 2 : 3;
}

template <Op op, DataType from, DataType to, RoundingMode mode, size_t rows, size_t wanted>
struct RowsOf {
  static_assert(rows >= wanted, "an operator needs more specification rows for this type (spec/rows/*.inc)");
  static constexpr bool enough = rows >= wanted;
};

// Counted in one pass: by operator and types.
struct Counts {
  uint16_t rows[kOpCount][kTypeCount] = {};  // of all but casts
  uint16_t casts[2][kTypeCount][kTypeCount][kRoundingModeCount] = {};
};
constexpr Counts kCounts = [] {
  Counts out;
  for (const OperatorRow& row : kRows) {
    if (row.op == Op::Cast || row.op == Op::Bitcast) {
      ++out.casts[row.op == Op::Bitcast][size_t(row.type)][size_t(row.target)][size_t(row.mode)];
    } else {
      ++out.rows[size_t(row.op)][size_t(row.type)];
    }
  }
  return out;
}();

template <Op op, DataType from, DataType to, RoundingMode mode = RoundingMode::None>
consteval bool enough_for_cast() {
  constexpr size_t rows = kCounts.casts[op == Op::Bitcast][size_t(from)][size_t(to)][size_t(mode)];
  return RowsOf<op, from, to, mode, rows, wanted_rows(op, from, to)>::enough;
}
template <Op op, DataType from, DataType to>
consteval bool enough_for_casts() {
  if constexpr (op == Op::Cast && cast_takes_mode(from, to)) {  // of each mode
    return enough_for_cast<op, from, to, Trunc>() && enough_for_cast<op, from, to, Nearest>() &&
           enough_for_cast<op, from, to, Floor>() && enough_for_cast<op, from, to, Ceil>();
  } else {
    return enough_for_cast<op, from, to>();
  }
}
template <Op op, DataType type>
consteval bool enough_for_type() {
  if constexpr (op == Op::Cast || op == Op::Bitcast) {
    return []<size_t... to>(std::index_sequence<to...>) {
      return (enough_for_casts<op, type, kTypes[to].type>() && ...);
    }(std::make_index_sequence<kTypeCount>{});
  } else {
    constexpr size_t rows = kCounts.rows[size_t(op)][size_t(type)];
    return RowsOf<op, type, type, RoundingMode::None, rows, wanted_rows(op, type)>::enough;
  }
}
template <Op op>
consteval bool enough_for_operator() {
  return []<size_t... type>(std::index_sequence<type...>) {
    return (enough_for_type<op, kTypes[type].type>() && ...);
  }(std::make_index_sequence<kTypeCount>{});
}
consteval bool enough_for_all() {
  return []<size_t... op>(std::index_sequence<op...>) {
    return (enough_for_operator<kOps[op].op>() && ...);
  }(std::make_index_sequence<kOpCount>{});
}
static_assert(enough_for_all());

}  // namespace

std::span<const OperatorRow> operator_rows() { return kRows; }

}  // namespace vyre::spec
