// Indices: what may be touched where, and how an expression says it.
#include "generate/program_writer.h"
#include "spec/ops.h"

namespace vyre::generate {

using spec::DataType;
using spec::Op;

// ---- What it takes ----

uint32_t ProgramWriter::slot_cost(const Buffer& buffer, const Phase& phase) const {
  const uint32_t mine = phase.permutation == 0 ? 1 : phase.permutation == 1 ? 3 : 5;
  return mine + (buffer.workgroup || is_only_group() ? 0 : 4);
}

/// Nodes of the least index of a buffer in its present phase.
uint32_t ProgramWriter::index_cost(const Buffer& buffer) const {
  if (buffer.discipline != Discipline::Shared) return buffer.indices();
  const Phase& now = phase(buffer);
  if (now.mode == Mode::Slots) return slot_cost(buffer, now);
  return buffer.workgroup ? 1 : is_only_group() ? 3 : 7;
}

bool ProgramWriter::readable(const Buffer& buffer, DataType type, bool uniform) const {
  if (buffer.value() != type) return false;
  switch (buffer.discipline) {
    case Discipline::Read:
    case Discipline::Uniform: return true;
    case Discipline::Own:
    case Discipline::Private: return !uniform;
    case Discipline::Sum:
    case Discipline::Race: return false;
    case Discipline::Shared: return !uniform && phase(buffer).mode != Mode::Sum;
  }
  return false;
}

// ---- One index a dimension ----

ir::ExprId ProgramWriter::load(const Buffer& buffer, uint32_t budget, bool uniform) {
  std::array<ExprId, 4> at;
  const uint32_t count = indices(buffer, budget - 1, uniform, at);
  return add({.kind = ir::ExprKind::Load, .symbol = buffer.name}, {at.data(), count});
}

/// Writes the indices of an access that the buffer's discipline allows now, and says how many there are.
uint32_t ProgramWriter::indices(const Buffer& buffer, uint32_t budget, bool uniform,
                                std::span<ExprId, 4> out) {
  for (uint32_t i = 0; i < buffer.rank; ++i) {
    const size_t before = code_->node_count();
    const uint32_t part = share(budget, buffer.rank - 1 - i);
    out[i] = buffer.discipline == Discipline::Own && i == buffer.own_axis
                 ? own_coordinate(part)
                 : coordinate(buffer.dims[i], part, uniform);
    budget -= uint32_t(code_->node_count() - before);
  }
  if (buffer.rank > 0) return buffer.rank;
  switch (buffer.discipline) {
    case Discipline::Read:
    case Discipline::Uniform:
    case Discipline::Sum:
    case Discipline::Race:
    case Discipline::Private: out[0] = index_anywhere(budget, uniform); break;
    case Discipline::Own: out[0] = index_own(budget); break;
    case Discipline::Shared:
      out[0] = phase(buffer).mode == Mode::Slots ? index_slot(buffer) : index_shared(buffer, budget);
      break;
  }
  return 1;
}

/// Small, masked, by identity, or anything at all: then mostly out of bounds.
ir::ExprId ProgramWriter::index_anywhere(uint32_t budget, bool uniform) {
  const uint32_t roll = choices_->below(6);
  const Identity who = uniform ? Identity::Group : Identity::Own;
  if (roll == 1 && (is_named(who) || is_one_axis(who))) return identity(who);
  if (roll == 0 || (roll != 5 && budget < 3)) return word(choices_->below(8));
  if (roll == 5) return expr(DataType::U32, budget, uniform);
  const ExprId value = expr(DataType::U32, budget - 2, uniform);
  return roll == 4 ? apply(Op::Mod, {value, word(9)}) : apply(Op::BitAnd, {value, word(15)});
}

/// Within a dimension, at its end, or anywhere.
ir::ExprId ProgramWriter::coordinate(uint32_t dim, uint32_t budget, bool uniform) {
  const uint32_t roll = choices_->below(8);
  if (roll >= 6) return expr(DataType::U32, budget, uniform);
  if (roll >= 4 && budget >= 3) {
    const ExprId value = expr(DataType::U32, budget - 2, uniform);
    return apply(Op::Mod, {value, word(dim + (roll == 4 ? 1 : 0))});
  }
  return word(choices_->below(dim + 1));
}

/// An element that belongs to this invocation alone, or one that is out of bounds for all.
ir::ExprId ProgramWriter::index_own(uint32_t budget) {
  const uint32_t roll = budget < 3 ? 0 : choices_->below(10);
  const ExprId own = identity(Identity::Own);
  switch (roll) {
    case 4: return apply(Op::Add, {own, word(total_)});
    case 5: return apply(Op::Add, {own, word(2 * total_)});
    case 6: return apply(Op::BitOr, {own, word(0x40000000)});
    case 7: return apply(Op::BitNot, {own});
    default: return own;
  }
}

ir::ExprId ProgramWriter::own_coordinate(uint32_t budget) {
  const uint32_t roll = budget < 3 ? 0 : choices_->below(12);
  const ExprId own = identity(Identity::Own);
  if (roll == 10) return apply(Op::BitOr, {own, word(0x40000000)});
  return roll == 11 ? apply(Op::BitNot, {own}) : own;
}

// ---- Shared buffers ----

/// The element of the whole buffer that an element of this workgroup's part is.
ir::ExprId ProgramWriter::in_region(const Buffer& buffer, ExprId element) {
  if (buffer.workgroup || is_only_group()) return element;
  const ExprId base = apply(Op::Mul, {identity(Identity::Group), word(group_size_)});
  return apply(Op::Add, {base, element});
}

/// Where all may read: anywhere in workgroup memory, and in the region of this workgroup.
ir::ExprId ProgramWriter::index_shared(const Buffer& buffer, uint32_t budget) {
  if (buffer.workgroup) return index_anywhere(budget, false);
  if (choices_->chance(16)) {
    const ExprId value = expr(DataType::U32, budget - 2, false);
    return apply(Op::BitOr, {value, word(0x80000000)});
  }
  const ExprId value = expr(DataType::U32, budget - (is_only_group() ? 2 : 6), false);
  return in_region(buffer, apply(Op::Mod, {value, word(group_size_)}));
}

/// The one element of this phase that belongs to this invocation.
ir::ExprId ProgramWriter::index_slot(const Buffer& buffer) {
  const Phase& now = phase(buffer);
  const ExprId slot = identity(Identity::Slot);
  if (now.permutation == 0) return in_region(buffer, slot);
  if (now.permutation == 1) return in_region(buffer, apply(Op::Sub, {word(group_size_ - 1), slot}));
  const ExprId turned = apply(Op::Add, {slot, word(now.shift)});
  return in_region(buffer, apply(Op::Mod, {turned, word(group_size_)}));
}

}  // namespace vyre::generate
