// What programs do with floats beyond applying operators: fold buffers, compare for conditions, accumulate in
// loops, and write what a compiler would like to contract.
#include <tuple>

#include "generate/program_writer.h"
#include "generate/values.h"
#include "spec/casts.h"
#include "spec/float_format.h"
#include "spec/ops.h"

namespace vyre::generate {
namespace {

using spec::DataType;
using spec::Op;

constexpr Op kFolds[] = {Op::FAdd, Op::FAdd, Op::FMul, Op::FMin, Op::FMax};
constexpr Op kRounding[] = {Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FMulAdd};
constexpr Op kComparisons[] = {Op::FLt, Op::FEq, Op::FGt, Op::FLe, Op::FGe};
constexpr Op kAccumulating[] = {Op::FAdd, Op::FAdd, Op::FSub, Op::FMul, Op::FMin, Op::FMax};

}  // namespace

// ---- Reductions ----

/// Nodes of the least reduction of a buffer in its present phase.
uint32_t ProgramWriter::reduction_cost(const Buffer& buffer) const {
  if (may_fold_anywhere(buffer)) return 1;
  if (buffer.discipline == Discipline::Own) return 5;
  const Phase& now = phase(buffer);
  return now.mode == Mode::Slots ? 3 + 2 * slot_cost(buffer, now) : 11;
}

/// Whether no invocation could do wrong by reading any element.
bool ProgramWriter::may_fold_anywhere(const Buffer& buffer) const {
  switch (buffer.discipline) {
    case Discipline::Read:
    case Discipline::Uniform: return true;
    case Discipline::Own: return total_ == 1;
    case Discipline::Shared:
      return phase(buffer).mode == Mode::ReadAll && (buffer.workgroup || is_only_group());
    case Discipline::Sum:
    case Discipline::Race:
    case Discipline::Private: return false;
  }
  return false;
}

/// A fold of a buffer of floats over what may be read of it: all, a range, or what an invocation has to
/// itself, the element of which a single fold is made.
ir::ExprId ProgramWriter::reduction(DataType type, uint32_t budget, bool uniform) {
  const Buffer* buffer = pick_if(buffers_, [&](const Buffer& b) {
    return b.rank == 0 && b.discipline != Discipline::Private && readable(b, type, uniform) &&
           reduction_cost(b) <= budget && spent_ + b.count * trips_ <= budget_;
  });
  if (buffer == nullptr) return scalar(type, budget, uniform);
  spent_ += buffer->count * trips_;
  const Op op = choices_->chance(2) ? Op::FReduceTreeBinary : Op::FReduceStrict;
  const ir::Expr fold{.kind = ir::ExprKind::Apply,
                      .op = op,
                      .symbol = buffer->name,
                      .immediate = spec::info(pick(kFolds)).wire_tag};
  if (may_fold_anywhere(*buffer)) {
    if (budget < 3 || choices_->chance(2)) return add(fold, {});
    ExprId range[2];
    range_anywhere(*buffer, budget - 1, uniform, range);
    return add(fold, range);
  }
  if (buffer->discipline == Discipline::Shared && phase(*buffer).mode == Mode::ReadAll) {
    const ExprId from = in_region(*buffer, word(choices_->below(group_size_ + 1)));
    const ExprId to = in_region(*buffer, word(choices_->below(group_size_ + 1)));
    return add(fold, {{from, to}});
  }
  const auto mine = [&] {
    return buffer->discipline == Discipline::Own ? identity(Identity::Own) : index_slot(*buffer);
  };
  const ExprId from = mine();
  const ExprId last = mine();
  return add(fold, {{from, apply(Op::Add, {last, word(1)})}});
}

/// Bounds of a range: constants within and beyond the buffer, where they cross too, or anything.
void ProgramWriter::range_anywhere(const Buffer& buffer, uint32_t budget, bool uniform,
                                   std::span<ExprId, 2> out) {
  constexpr DataType kWords[] = {DataType::U32, DataType::U32};
  switch (choices_->below(4)) {
    case 0:
      out[0] = word(choices_->below(4));
      out[1] = word(choices_->below(buffer.count + 3));
      return;
    case 1:
      out[0] = word(choices_->below(4));
      out[1] = expr(DataType::U32, budget - 1, uniform);
      return;
    case 2:
      out[0] = expr(DataType::U32, budget - 1, uniform);
      out[1] = add({.kind = ir::ExprKind::BufLen, .symbol = buffer.name}, {});
      return;
    default: return operands(kWords, budget, uniform, out.data());
  }
}

// ---- Applications ----

/// Whether two floats stand in some order, for a condition.
ir::ExprId ProgramWriter::comparison(DataType type, uint32_t budget, bool uniform) {
  const DataType types[] = {type, type};
  ExprId args[2];
  operands(types, budget - 1, uniform, args);
  return apply(pick(kComparisons), args);
}

/// A leaf, or a number near one with a full fraction, of which products and sums are rounded.
ir::ExprId ProgramWriter::rounded_leaf(DataType type, bool uniform) {
  if (choices_->chance(2)) return leaf(type, 1, uniform);
  return literal(type, mixed_value(type, kNearOne, {choices_->next(), 0, 0, 0}));
}

/// a * b + c with two roundings, which are not one, or with one. Domain: budget >= 5.
ir::ExprId ProgramWriter::contractible(DataType type, uint32_t budget, bool uniform) {
  const uint32_t form = choices_->below(5);
  const Op op = form % 2 == 0 ? Op::FAdd : Op::FSub;
  const auto addend = [&] {
    return budget > 5 && choices_->chance(3) ? expr(type, budget - 4, uniform) : rounded_leaf(type, uniform);
  };
  if (form == 3) {  // the addend comes first
    const ExprId first = addend();
    const ExprId a = rounded_leaf(type, uniform);
    return apply(op, {first, apply(Op::FMul, {a, rounded_leaf(type, uniform)})});
  }
  const ExprId a = rounded_leaf(type, uniform);
  const ExprId b = rounded_leaf(type, uniform);
  if (form == 4) return apply(Op::FMulAdd, {a, b, addend()});
  const ExprId product = apply(Op::FMul, {a, b});
  return apply(op, {product, addend()});
}

/// A value for all to see: of floats often one that has just been rounded, before anything hides how.
ir::ExprId ProgramWriter::shown(DataType type, uint32_t budget, bool uniform) {
  if (!spec::kFloats.contains(type)) return expr(type, budget, uniform);
  const uint32_t roll = choices_->below(8);
  if (roll == 7) return reduction(type, budget, uniform);
  return roll >= 5 && budget >= 5 ? contractible(type, budget, uniform) : expr(type, budget, uniform);
}

/// One of the operators whose results are rounded, the others being chosen by scalar(). Domain: budget >= 4.
ir::ExprId ProgramWriter::rounding(DataType type, uint32_t budget, bool uniform) {
  const Op op = pick(kRounding);
  const DataType types[] = {type, type, type};
  const uint32_t count = *spec::operand_count(op);
  ExprId args[3];
  operands({types, count}, budget - 1, uniform, args);
  return apply(op, {args, count});
}

/// In a loop: a variable from outside takes in something more in each round.
void ProgramWriter::accumulate() {
  const Variable* target = pick_if(variables_, [&](const Variable& v) {
    return v.assignable && v.usable && spec::kFloats.contains(v.type) && (uniform_control_ || !v.uniform);
  });
  if (target == nullptr || room() < 6) return;
  const auto [name, type, uniform] = std::tuple(target->name, target->type, target->uniform);
  const uint32_t budget = expr_budget(type, room() - 4) + 1;
  ExprId after;
  if (choices_->chance(4)) {
    const DataType types[] = {type, type};
    ExprId args[2];
    operands(types, budget, uniform, args);
    after = apply(Op::FMulAdd, {args[0], args[1], var(name)});
  } else {
    const ExprId before = var(name);
    after = apply(pick(kAccumulating), {before, expr(type, budget, uniform)});
  }
  add_statement({.kind = ir::NodeKind::Assign, .symbol = name}, {after});
}

/// What is infinite or no number often enough for a test of it to be one. Domain: budget >= 3.
ir::ExprId ProgramWriter::special_float(DataType type, uint32_t budget, bool uniform) {
  const spec::FloatFormat f = spec::float_format(type);
  const std::array<uint32_t, 4> divisors = {0, f.sign_bit(), f.infinity(), f.nan()};
  const ExprId dividend = expr(type, budget - 2, uniform);
  return apply(Op::FDiv, {dividend, literal(type, {pick(divisors), 0, 0, 0})});
}

/// A float to become an integer: often so large that it is near the last one. Domain: budget >= 3.
ir::ExprId ProgramWriter::large_float(DataType type, uint32_t budget, bool uniform) {
  const spec::FloatFormat f = spec::float_format(type);
  const uint32_t exponent = std::min<uint32_t>(29 + choices_->below(4), uint32_t(f.max_exponent()) - 1);
  const ExprId value = expr(type, budget - 2, uniform);
  return apply(Op::FMul, {value, literal(type, {f.one() + (exponent << f.fraction_bits), 0, 0, 0})});
}

spec::RoundingMode ProgramWriter::any_mode(DataType from, DataType to) {
  using enum spec::RoundingMode;
  constexpr spec::RoundingMode kModes[] = {Trunc, Nearest, Floor, Ceil};
  return spec::cast_takes_mode(from, to) ? pick(kModes) : None;
}

}  // namespace vyre::generate
