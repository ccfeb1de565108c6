// Expressions: of a wanted type, with a number of nodes that they may take.
#include <algorithm>

#include "generate/program_writer.h"
#include "generate/values.h"
#include "spec/casts.h"
#include "spec/ops.h"

namespace vyre::generate {
namespace {

using spec::DataType;
using spec::Op;
using spec::Signature;

/// What a call may cost when it runs; the longest bodies loop some hundred times.
constexpr uint32_t kCallSteps = 200;

/// An operator at a type.
struct Application {
  Op op;
  DataType type;
};
template <typename Item>
using ByResult = std::array<std::vector<Item>, spec::kTypeCount>;

/// Every application of a scalar operator whose result has this type.
const std::vector<Application>& applications(DataType result) {
  static const auto all = [] {
    ByResult<Application> out;
    for (const spec::OpInfo& op : spec::kOps) {
      if (!spec::is_scalar(op.op) || spec::is_approximate(op.op)) continue;
      for (const spec::TypeInfo& type : spec::kTypes) {
        if (op.types.contains(type.type))
          out[size_t(spec::result_type(op.op, type.type))].push_back({op.op, type.type});
      }
    }
    return out;
  }();
  return all[size_t(result)];
}

/// Which types have a cast or a bitcast to this one.
const std::vector<DataType>& sources(Op op, DataType result) {
  static const auto make = [](auto allowed) {
    ByResult<DataType> out;
    for (const spec::TypeInfo& from : spec::kTypes) {
      for (const spec::TypeInfo& to : spec::kTypes) {
        if (allowed(from.type, to.type)) out[size_t(to.type)].push_back(from.type);
      }
    }
    return out;
  };
  static const auto casts = make(spec::can_cast);
  static const auto bitcasts = make(spec::can_bitcast);
  return (op == Op::Cast ? casts : bitcasts)[size_t(result)];
}

// How an expression begins, and how often.
enum class Form : uint8_t {
  Leaf,
  Load,
  Select,
  Cast,
  Bitcast,
  Call,
  Vector,
  Atomic,
  Intrinsic,
  Scalar,
  Reduction
};
constexpr size_t kForms = 11;
using Weights = std::array<uint8_t, kForms>;

//                               leaf load select cast bitcast call vector atomic intrinsic scalar reduction
constexpr Weights kWordWeights = {3, 2, 1, 2, 2, 1, 2, 2, 2, 8, 0};  // of u32; of other types by their class
constexpr Weights weights(DataType type) {
  if (type == DataType::U32) return kWordWeights;
  switch (spec::info(type).klass) {
    case spec::TypeClass::Integer: return {3, 2, 1, 2, 1, 0, 0, 0, 0, 7, 0};
    case spec::TypeClass::Vector: return {3, 2, 1, 1, 1, 0, 3, 0, 1, 6, 0};
    case spec::TypeClass::Truth: return {3, 3, 2, 8, 0, 0, 0, 0, 0, 0, 0};  // nothing but a cast makes one
    case spec::TypeClass::Float: return {3, 3, 1, 2, 2, 0, 0, 0, 0, 10, 2};
    case spec::TypeClass::Small:
    case spec::TypeClass::Memory: break;  // no value
  }
  return {};
}
constexpr auto kWeights = [] {
  std::array<Weights, spec::kTypeCount> out{};
  for (const spec::TypeInfo& type : spec::kTypes) out[size_t(type.type)] = weights(type.type);
  return out;
}();
constexpr auto kTotals = [] {
  std::array<uint32_t, spec::kTypeCount> out{};
  for (size_t i = 0; i < out.size(); ++i) {
    for (const uint8_t weight : kWeights[i]) out[i] += weight;
  }
  return out;
}();

Form any_form(DataType type, uint32_t roll) {
  const Weights& all = kWeights[size_t(type)];
  for (size_t form = 0; form < kForms; ++form) {
    if (roll < all[form]) return Form(form);
    roll -= all[form];
  }
  return Form::Leaf;
}

}  // namespace

// ---- Leaves ----

ir::ExprId ProgramWriter::literal(DataType type, std::array<uint32_t, 4> bits) {
  ir::Expr e{.kind = ir::ExprKind::Literal, .type = type, .immediate = bits[0]};
  if (spec::info(type).bytes > 4) {
    e.immediate = uint32_t(code_->wide.size());
    code_->wide.push_back(bits);
  }
  return add(e, {});
}

ir::ExprId ProgramWriter::literal(DataType type) {
  const uint32_t choice = choices_->next();
  const uint32_t words = spec::value_words(type);
  std::array<uint32_t, 4> random{};
  // Domain: no vector. Small ones, what breaks shifts, divisions and signs, and anything.
  switch (choice >> 30) {
    case 0: {
      if (spec::kFloats.contains(type) && choices_->chance(2)) break;
      if (spec::kFloats.contains(type)) return literal(type, short_float(type, choices_->next()));
      const uint32_t limit = type == DataType::Bool ? 2 : 9;
      random[0] = choices_->below(limit);
      return literal(type, random);
    }
    case 1:
      if (!spec::kFloats.contains(type) && type != DataType::Bool) {
        const auto list = adversarial_words();
        for (uint32_t i = 0; i < words; ++i) random[i] = list[choices_->below(uint32_t(list.size()))];
        return literal(type, random);
      }
      break;
    default: break;
  }
  for (uint32_t i = 0; i < words; ++i) random[i] = choices_->next();
  return literal(type, mixed_value(type, choice, random));
}

ir::ExprId ProgramWriter::var(Symbol name) { return add({.kind = ir::ExprKind::Var, .symbol = name}, {}); }

ir::ExprId ProgramWriter::use(Variable& variable) {
  variable.used = true;
  if (!digests_) release(variable);  // its user shows it now
  return var(variable.name);
}

ir::ExprId ProgramWriter::id(ir::ExprKind kind, uint32_t axis) {
  return add({.kind = kind, .immediate = axis}, {});
}

ir::ExprId ProgramWriter::leaf(DataType type, uint32_t budget, bool uniform) {
  const uint32_t roll = choices_->below(8);
  const auto fits = [&](const Variable& v) { return v.usable && v.type == type && (v.uniform || !uniform); };
  if (roll >= 5) {
    // What is not used yet would not show.
    if (Variable* fresh = pick_if(variables_, [&](const Variable& v) { return fits(v) && !v.used; }))
      return use(*fresh);
  }
  if (roll >= 3) {
    if (Variable* known = pick_if(variables_, fits)) return use(*known);
  }
  if (roll == 1 && budget >= 2) {
    // An input, one an invocation, which no compiler can know.
    const Identity who = uniform ? Identity::Group : Identity::Own;
    for (const Buffer& b : buffers_) {
      if (b.discipline == Discipline::Read && b.rank == 0 && b.value() == type &&
          (is_named(who) || is_one_axis(who))) {
        const ExprId at = identity(who);
        return add({.kind = ir::ExprKind::Load, .symbol = b.name}, {{at}});
      }
    }
  }
  if (roll == 2 && type == DataType::U32) {
    const uint32_t axis = choices_->below(3);
    if (options_.additions && choices_->chance(4)) return id(ir::ExprKind::NumWorkgroups, axis);
    switch (choices_->below(uniform ? 2 : 4)) {
      case 0: return id(ir::ExprKind::WorkgroupId, axis);
      case 1: return add({.kind = ir::ExprKind::BufLen, .symbol = pick(buffers_).name}, {});
      case 2: return id(ir::ExprKind::LocalId, axis);
      default: return id(ir::ExprKind::InvocationId, axis);
    }
  }
  return constant(type, budget);
}

/// A literal; vectors have none and are made of words, or of one, which takes two nodes.
ir::ExprId ProgramWriter::constant(DataType type, uint32_t budget) {
  const uint32_t count = spec::components(type);
  if (count == 1) return literal(type);
  if (budget <= count || choices_->chance(3)) return convert(Op::Cast, type, literal(DataType::U32));
  ExprId args[4];
  for (uint32_t i = 0; i < count; ++i) args[i] = literal(DataType::U32);
  return apply(count == 2 ? Op::MakeVec2U32 : Op::MakeVec4U32, {args, count});
}

// ---- Applications ----

ir::ExprId ProgramWriter::expr(DataType type, uint32_t budget, bool uniform) {
  if (budget <= least(type)) return leaf(type, budget, uniform);
  switch (any_form(type, choices_->below(kTotals[size_t(type)]))) {
    case Form::Leaf: return leaf(type, budget, uniform);
    case Form::Load: return any_load(type, budget, uniform);
    case Form::Select: return select(type, budget, uniform);
    case Form::Cast: return converted(Op::Cast, type, budget, uniform);
    case Form::Bitcast: return converted(Op::Bitcast, type, budget, uniform);
    case Form::Call: return any_call(type, budget, uniform);
    case Form::Vector: return vector(type, budget, uniform);
    case Form::Atomic: return uniform ? scalar(type, budget, uniform) : any_atomic(budget);
    case Form::Intrinsic: return any_intrinsic(type, budget, uniform);
    case Form::Scalar: return scalar(type, budget, uniform);
    case Form::Reduction: return reduction(type, budget, uniform);
  }
  return leaf(type, budget, uniform);
}

ir::ExprId ProgramWriter::any_load(DataType type, uint32_t budget, bool uniform) {
  const Buffer* buffer = pick_if(
      buffers_, [&](const Buffer& b) { return readable(b, type, uniform) && index_cost(b) < budget; });
  return buffer == nullptr ? leaf(type, budget, uniform) : load(*buffer, budget, uniform);
}

ir::ExprId ProgramWriter::condition(uint32_t budget, bool uniform) {
  for (const DataType type : palette_) {
    if (spec::kFloats.contains(type) && budget >= 3 && choices_->chance(3))
      return comparison(type, budget, uniform);
  }
  return expr(choices_->chance(4) ? DataType::Bool : DataType::U32, budget, uniform);
}

uint32_t ProgramWriter::least(std::span<const DataType> types) {
  uint32_t sum = 0;
  for (const DataType type : types) sum += least(type);
  return sum;
}

/// Operands of these types, which take at most `budget` nodes together, and that is at least what they need.
void ProgramWriter::operands(std::span<const DataType> types, uint32_t budget, bool uniform, ExprId* out) {
  for (size_t i = 0; i < types.size(); ++i) {
    const size_t before = code_->node_count();
    const uint32_t least_now = least(types[i]), most = budget - least(types.subspan(i + 1));
    out[i] = expr(types[i], i + 1 == types.size() ? most : least_now + choices_->below(most - least_now + 1),
                  uniform);
    budget -= uint32_t(code_->node_count() - before);
  }
}

ir::ExprId ProgramWriter::select(DataType type, uint32_t budget, bool uniform) {
  const DataType types[] = {choices_->chance(3) ? DataType::Bool : DataType::U32, type, type};
  if (budget <= least(types)) return leaf(type, budget, uniform);
  ExprId args[3];
  operands(types, budget - 1, uniform, args);
  return apply(Op::Select, args);
}

bool ProgramWriter::is_leaf(ExprId id) const {
  const ir::ExprKind kind = (*code_)[id].kind;
  return kind == ir::ExprKind::Literal || kind == ir::ExprKind::Var;
}
ir::ExprId ProgramWriter::copy_leaf(ExprId id) {
  const ir::Expr e = (*code_)[id];
  return e.kind == ir::ExprKind::Var ? var(e.symbol) : literal(e.type, code_->literal_bits(e));
}

ir::ExprId ProgramWriter::scalar(DataType type, uint32_t budget, bool uniform) {
  const auto& fitting = applications(type);
  if (fitting.empty()) return converted(Op::Cast, type, budget, uniform);
  if (spec::kFloats.contains(type) && budget >= 5) {
    const uint32_t roll = choices_->below(8);
    if (roll == 7) return contractible(type, budget, uniform);
    if (roll >= 4) return rounding(type, budget, uniform);
  }
  Application chosen = pick(fitting);
  while (spec::is_elementary(chosen.op) && (functions_ == 0 || !choices_->chance(4))) chosen = pick(fitting);
  if (spec::is_elementary(chosen.op)) --functions_;
  const uint32_t count = *spec::operand_count(chosen.op);
  const DataType all[] = {spec::operand_type(chosen.op, chosen.type, 0),
                          spec::operand_type(chosen.op, chosen.type, 1),
                          spec::operand_type(chosen.op, chosen.type, 2)};
  const std::span<const DataType> types(all, count);
  if (budget <= least(types)) return leaf(type, budget, uniform);
  ExprId args[3];
  const bool test = chosen.op == Op::FIsNaN || chosen.op == Op::FIsInf;
  if (test && budget >= 4 && choices_->chance(2)) {
    args[0] = special_float(all[0], budget - 1, uniform);
  } else if (count == 2 && all[0] == all[1] && choices_->chance(6)) {
    // Twice the same: what comparisons, differences and quotients turn on.
    args[0] = leaf(all[0], least(all[0]), uniform);
    args[1] = is_leaf(args[0]) ? copy_leaf(args[0]) : leaf(all[1], least(all[1]), uniform);
  } else {
    operands(types, budget - 1, uniform, args);
  }
  return apply(chosen.op, {args, count});
}

ir::ExprId ProgramWriter::convert(Op op, DataType to, ExprId value, spec::RoundingMode mode) {
  return add({.kind = ir::ExprKind::Apply, .op = op, .type = to, .mode = mode}, {{value}});
}

ir::ExprId ProgramWriter::converted(Op op, DataType type, uint32_t budget, bool uniform) {
  const auto& from = sources(op, type);
  if (from.empty()) return scalar(type, budget, uniform);
  const DataType chosen = pick(from);
  if (budget <= least(chosen)) return leaf(type, budget, uniform);
  const spec::RoundingMode mode = op == Op::Cast ? any_mode(chosen, type) : spec::RoundingMode::None;
  const bool large = mode != spec::RoundingMode::None && budget >= 4 && choices_->chance(3);
  const ExprId value = large ? large_float(chosen, budget - 1, uniform) : expr(chosen, budget - 1, uniform);
  return convert(op, type, value, mode);
}

/// A vector from its components, or a component of one.
ir::ExprId ProgramWriter::vector(DataType type, uint32_t budget, bool uniform) {
  const uint32_t count = spec::components(type);
  if (count == 1) {
    const DataType from = choices_->chance(2) ? DataType::Vec4U32 : DataType::Vec2U32;
    if (budget <= least(from)) return leaf(type, budget, uniform);
    const uint32_t which = choices_->below(spec::components(from));
    const ExprId value = expr(from, budget - 1, uniform);
    return add({.kind = ir::ExprKind::Apply, .op = Op::Component, .immediate = which}, {{value}});
  }
  if (budget <= count) return leaf(type, budget, uniform);
  constexpr DataType kWords[] = {DataType::U32, DataType::U32, DataType::U32, DataType::U32};
  ExprId args[4];
  operands({kWords, count}, budget - 1, uniform, args);
  return apply(count == 2 ? Op::MakeVec2U32 : Op::MakeVec4U32, {args, count});
}

// ---- Calls and atomics ----

ir::ExprId ProgramWriter::call(const spec::OpDef& def, uint32_t budget, bool uniform) {
  std::array<ExprId, 8> args;
  operands(def.signature.inputs, budget - 1, uniform, args.data());
  return add({.kind = ir::ExprKind::Apply,
              .op = Op::Call,
              .symbol = code_->intern(def.id),
              .immediate = def.version},
             {args.data(), def.signature.inputs.size()});
}

ir::ExprId ProgramWriter::any_call(DataType type, uint32_t budget, bool uniform) {
  const auto& all = callable_[size_t(type)];
  const bool affordable = spent_ + kCallSteps * trips_ <= budget_;
  if (uniform || all.empty() || !affordable) return scalar(type, budget, uniform);
  const spec::OpDef& def = *pick(all);
  if (budget <= least(def.signature.inputs)) return leaf(type, budget, uniform);
  spent_ += kCallSteps * trips_;
  return call(def, budget, uniform);
}

/// An operation of subgroups, where all lanes arrive; only the size of a subgroup is uniform.
ir::ExprId ProgramWriter::any_intrinsic(DataType type, uint32_t budget, bool uniform) {
  const auto& all = intrinsics_[size_t(type)];
  if (all.empty() || !uniform_control_) return scalar(type, budget, uniform);
  const spec::OpDef& def = *pick(all);
  if (uniform && !spec::info(*def.intrinsic).uniform) return scalar(type, budget, uniform);
  return budget <= least(def.signature.inputs) ? leaf(type, budget, uniform) : call(def, budget, uniform);
}

ir::ExprId ProgramWriter::atomic(Op op, const Buffer& buffer, std::span<const ExprId> args) {
  return add({.kind = ir::ExprKind::Apply, .op = op, .symbol = buffer.name}, args);
}

/// On an element of one's own, so that the result is known; evaluation order shows when there are several.
ir::ExprId ProgramWriter::any_atomic(uint32_t budget) {
  constexpr Op kAll[] = {Op::AtomicAdd, Op::AtomicOr,  Op::AtomicAnd,      Op::AtomicXor,
                         Op::AtomicMin, Op::AtomicMax, Op::AtomicExchange, Op::AtomicCompareExchange};
  const auto own = [](const Buffer& b) { return b.discipline == Discipline::Own && b.atomic(); };
  const Buffer* buffer = options_.atomics && budget >= 4 ? pick_if(buffers_, own) : nullptr;
  if (buffer == nullptr) return scalar(DataType::U32, budget, false);
  const Op op = pick(kAll);
  const size_t before = code_->node_count();
  ExprId args[3] = {index_own(budget - 3)};
  budget -= 1 + uint32_t(code_->node_count() - before);
  if (op != Op::AtomicCompareExchange) {
    args[1] = expr(DataType::U32, budget, false);
    return atomic(op, *buffer, {args, 2});
  }
  // What is expected is sometimes what is there.
  if (budget >= 3 && choices_->chance(2)) {
    const ExprId at = identity(Identity::Own);
    args[1] = add({.kind = ir::ExprKind::Load, .symbol = buffer->name}, {{at}});
    args[2] = expr(DataType::U32, budget - 2, false);
  } else {
    constexpr DataType kWords[] = {DataType::U32, DataType::U32};
    operands(kWords, budget, false, args + 1);
  }
  return atomic(op, *buffer, args);
}

}  // namespace vyre::generate
