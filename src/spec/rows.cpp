#include "spec/rows.h"

#include "spec/ops.h"
#include "spec/table.h"

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

constexpr OperatorRow kSpecificationRows[] = {
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
#include "spec/rows/float_hard_cases.inc"
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

// Counted in one pass: by operator and types.
struct Counts {
  uint16_t rows[kOpCount][kTypeCount] = {};  // of all but casts
  uint16_t casts[2][kTypeCount][kTypeCount][kRoundingModeCount] = {};
};
constexpr Counts kCounts = [] {
  Counts out;
  for (const OperatorRow& row : kSpecificationRows) {
    if (row.op == Op::Cast || row.op == Op::Bitcast) {
      ++out.casts[row.op == Op::Bitcast][size_t(row.type)][size_t(row.target)][size_t(row.mode)];
    } else {
      ++out.rows[size_t(row.op)][size_t(row.type)];
    }
  }
  return out;
}();

// The first operator that has fewer rows than it should, in words; empty where all have enough.
consteval Message too_few() {
  Message out;
  const auto ask = [&](size_t rows, size_t wanted, Op op, DataType type) {
    if (rows >= wanted || out.size() != 0) return rows < wanted;
    if (rows == 0) {
      out << "no row for ";
    } else {
      out << "only " << rows << " of " << wanted << " rows for ";
    }
    out << info(op).name << " on " << info(type).text;
    return true;
  };
  for (const OpInfo& o : kOps) {
    for (const TypeInfo& from : kTypes) {
      if (o.op != Op::Cast && o.op != Op::Bitcast) {
        const size_t rows = kCounts.rows[size_t(o.op)][size_t(from.type)];
        if (ask(rows, wanted_rows(o.op, from.type), o.op, from.type)) return out << " in spec/rows";
        continue;
      }
      for (const TypeInfo& to : kTypes) {
        const bool modes = o.op == Op::Cast && cast_takes_mode(from.type, to.type);  // of each mode
        for (const RoundingMode mode : {RoundingMode::None, Trunc, Nearest, Floor, Ceil}) {
          if (modes == (mode == RoundingMode::None)) continue;
          const auto& counts = kCounts.casts[o.op == Op::Bitcast][size_t(from.type)][size_t(to.type)];
          if (ask(counts[size_t(mode)], wanted_rows(o.op, from.type, to.type), o.op, from.type))
            return out << " to " << info(to.type).text << " in spec/rows";
        }
      }
    }
  }
  return out;
}
static_assert(IncompleteTable<text_of<[] { return too_few(); }>()>::complete);

}  // namespace

std::span<const OperatorRow> operator_rows() { return kSpecificationRows; }

}  // namespace vyre::spec
