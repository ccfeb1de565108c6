// Statements, and the phases of shared buffers between them.
#include <algorithm>

#include "generate/program_writer.h"
#include "spec/ops.h"

namespace vyre::generate {
namespace {

using spec::DataType;
using spec::Op;

/// Nodes without which it is not worth beginning: an if or loop with its operands and a store in it.
constexpr uint32_t kConstruct = 12;

}  // namespace

void ProgramWriter::add_statement(const ir::Node& node, std::initializer_list<ExprId> args) {
  spent_ += trips_;
  pending_.push_back(code_->add(node, {args.begin(), args.size()}, Span::none()));
}

void ProgramWriter::add_store(const Buffer& buffer, std::span<const ExprId> at, ExprId value) {
  std::array<ExprId, 5> args;
  std::ranges::copy(at, args.begin());
  args[at.size()] = value;
  spent_ += trips_;
  const ir::Node node{.kind = ir::NodeKind::Store, .symbol = buffer.name};
  pending_.push_back(code_->add(node, {args.data(), at.size() + 1}, Span::none()));
}

void ProgramWriter::block(uint32_t statements) {
  for (uint32_t i = 0; i < statements && statements_left_ > 0 && room() >= 3; ++i) statement();
}

void ProgramWriter::statement() {
  --statements_left_;
  const bool deeper = nesting_ < options_.max_nesting && room() >= kConstruct;
  switch (choices_->below(22)) {
    case 0:
    case 1:
    case 2:
    case 3: return let();
    case 4:
    case 5:
    case 6: return assign();
    case 7:
    case 8:
    case 9:
    case 10: return store();
    case 11:
    case 12: return atomic_statement();
    case 13:
    case 14: return deeper ? branch() : store();
    case 15:
    case 16: return deeper ? loop() : assign();
    case 17:
    case 18:
    case 19: return barrier();
    case 20: return deeper ? early_return() : let();
    default: return deeper ? inner_block() : let();
  }
}

void ProgramWriter::let() {
  const DataType type = any_type();
  const uint32_t show = show_cost(type);
  if (room() < 1 + least(type) + show) return store();
  const bool uniform = uniform_control_ && choices_->chance(3);
  const ExprId value = shown(type, expr_budget(type, room() - 1 - show), uniform);
  const Symbol name = fresh_name();
  bind(value, {.name = name, .type = type, .uniform = uniform, .assignable = !choices_->chance(8)});
}

void ProgramWriter::assign() {
  Variable* target = pick_if(
      variables_, [&](const Variable& v) { return v.assignable && (uniform_control_ || !v.uniform); });
  if (target == nullptr || room() < 1 + least(target->type)) return let();
  const Symbol name = target->name;
  const DataType type = target->type;
  const ExprId value = expr(type, expr_budget(type, room() - 1), target->uniform);
  add_statement({.kind = ir::NodeKind::Assign, .symbol = name}, {value});
}

bool ProgramWriter::may_store(const Buffer& buffer) const {
  return buffer.discipline == Discipline::Own || buffer.discipline == Discipline::Private ||
         (buffer.discipline == Discipline::Shared && phase(buffer).mode == Mode::Slots);
}

void ProgramWriter::store() {
  const uint32_t space = room();
  const Buffer* buffer =
      pick_if(buffers_, [&](const Buffer& b) { return may_store(b) && store_cost(b) <= space; });
  if (buffer == nullptr) return;
  store_to(*buffer, space);
}

/// An index and a value of at most `space` - 1 nodes.
void ProgramWriter::store_to(const Buffer& buffer, uint32_t space) {
  std::array<ExprId, 4> at;
  const size_t before = code_->node_count();
  // Few nodes for indices that anything goes in, most for the value.
  const uint32_t most = index_cost(buffer) + 2 * buffer.indices();
  const DataType type = buffer.value();
  const uint32_t count = indices(buffer, std::min(space - 1 - least(type), most), false, at);
  const uint32_t left = space - 1 - uint32_t(code_->node_count() - before);
  const ExprId value = shown(type, expr_budget(type, left), false);
  add_store(buffer, {at.data(), count}, value);
}

void ProgramWriter::atomic_statement() {
  const uint32_t space = room();
  const Buffer* buffer = pick_if(buffers_, [&](const Buffer& b) {
    const bool shared = b.discipline == Discipline::Shared && phase(b).mode == Mode::Sum;
    const bool own = b.discipline == Discipline::Own && b.atomic();
    return (shared || own || b.discipline == Discipline::Sum) && index_cost(b) + 3 <= space;
  });
  if (!options_.atomics || buffer == nullptr) return store();
  if (buffer->discipline != Discipline::Own) return add_shared(*buffer);
  const uint32_t show = show_cost(DataType::U32);
  if (space < 6 + show) return store();
  const ExprId value = any_atomic(std::max<uint32_t>(5, expr_budget(DataType::U32, space - 1 - show)));
  const Symbol name = fresh_name();
  bind(value, {.name = name, .type = DataType::U32, .uniform = false, .assignable = true});
}

// ---- Control ----

void ProgramWriter::branch() {
  const bool uniform = uniform_control_ && choices_->chance(2);
  const ExprId chosen = condition(expr_budget(DataType::U32, room() / 3), uniform);
  const Phases saved = phases_;
  const bool outer = uniform_control_;
  const auto arm = [&] {
    block(1 + choices_->below(4));
    restore(saved);
  };
  uniform_control_ = uniform;
  // The statement itself, and the block of the other arm.
  reserved_ += 1;
  const BlockId then = scope(arm);
  const BlockId otherwise = choices_->chance(2) ? scope(arm) : ir::kNoBlock;
  reserved_ -= 1;
  add_statement({.kind = ir::NodeKind::If, .body = then, .orelse = otherwise}, {chosen});
  // A divergent return in an arm makes what follows divergent; only the tail has those.
  uniform_control_ = outer && !tail_;
}

ProgramWriter::Bounds ProgramWriter::bounds(uint32_t budget, bool uniform) {
  const auto number = [&](uint32_t taken) {
    return expr(DataType::U32, expr_budget(DataType::U32, budget > taken ? budget - taken : 1), uniform);
  };
  const uint32_t roll = budget < 5 ? 0 : choices_->below(11);
  switch (roll) {
    case 1: {
      const ExprId from = word(choices_->below(5));
      const ExprId value = number(3);
      return {from, apply(Op::BitAnd, {value, word(7)}), 7};
    }
    case 2: {
      const ExprId value = number(3);
      const ExprId from = apply(Op::BitAnd, {value, word(3)});
      return {from, word(choices_->below(6)), 5};
    }
    case 3: {  // never runs
      const ExprId from = word(5);
      return {from, word(choices_->below(5)), 1};
    }
    case 4: {  // ends at the last word
      const ExprId from = word(0xfffffffd);
      return {from, word(0xffffffff), 2};
    }
    case 5: {
      const ExprId from = word(0);
      const ExprId length = add({.kind = ir::ExprKind::BufLen, .symbol = pick(buffers_).name}, {});
      return {from, apply(Op::Mod, {length, word(5)}), 4};
    }
    case 6: {
      // From anywhere; where the end wraps around nothing runs.
      const uint32_t show = show_cost(DataType::U32);
      if (budget < 9 + show) break;
      const ExprId value = number(7 + show);
      const Symbol name = fresh_name();
      bind(value, {.name = name, .type = DataType::U32, .uniform = uniform, .assignable = false});
      const ExprId from = var(name), base = var(name);
      const ExprId more = apply(Op::BitAnd, {leaf(DataType::U32, 1, uniform), word(3)});
      return {from, apply(Op::Add, {base, more}), 3};
    }
    case 7: {  // from anywhere to a small number, or from a large one to anywhere: that is a few times at
               // most
      const ExprId from = number(1);
      return {from, word(choices_->below(5)), 4};
    }
    case 8: {
      const ExprId from = word(0xfffffffb);
      return {from, number(1), 4};
    }
    default: break;
  }
  const uint32_t trips = 1 + choices_->below(4);
  const ExprId from = word(0);
  return {from, word(trips), trips};
}

void ProgramWriter::loop() {
  const bool uniform = uniform_control_ && choices_->chance(2);
  const Bounds range = bounds(room() / 2, uniform);
  const Phases saved = phases_;
  const bool outer = uniform_control_;
  const uint64_t outer_trips = trips_;
  const Symbol name = fresh_name();
  // A return of some, which the tail may have, comes around to the beginning of the body.
  uniform_control_ = uniform && !tail_;
  reserved_ += 1;
  const BlockId body = scope([&] {
    // In a small program its value shows in what uses it.
    declare_variable(
        {.name = name, .type = DataType::U32, .uniform = uniform, .assignable = false, .used = !digests_});
    trips_ *= range.trips;
    if (choices_->chance(2)) accumulate();
    block(1 + choices_->below(4));
    restore(saved);
  });
  trips_ = outer_trips;
  reserved_ -= 1;
  const bool unroll = options_.additions && choices_->chance(3);
  add_statement({.kind = ir::NodeKind::Loop, .symbol = name, .body = body, .unroll = unroll},
                {range.from, range.to});
  uniform_control_ = outer && !tail_;
}

void ProgramWriter::inner_block() {
  reserved_ += 1;
  const BlockId body = scope([&] { block(1 + choices_->below(3)); });
  reserved_ -= 1;
  add_statement({.kind = ir::NodeKind::Block, .body = body}, {});
}

void ProgramWriter::early_return() {
  // Under a uniform condition all of a workgroup leave together; one by one only where no barrier follows.
  const bool uniform = !tail_;
  // Leaving together ends the program for the group, so it is kept rare.
  if (stay_ || (uniform && (!uniform_control_ || !choices_->chance(4)))) return store();
  const ExprId chosen = condition(expr_budget(DataType::U32, room() / 3), uniform);
  const Phases saved = phases_;
  const bool outer = uniform_control_;
  uniform_control_ = uniform;
  const uint32_t wrapped = room() < kConstruct ? 0 : choices_->below(8);
  const uint32_t reserve = (digests_ ? 6 : 2) + (wrapped > 5 ? 3 : 0);
  reserved_ += reserve;
  const BlockId body = scope([&] {
    block(choices_->below(2));
    if (digests_) store_digest();
    return_from(wrapped);
    if (tail_ && choices_->chance(4)) block(1);  // never reached
    returned_ = true;
  });
  reserved_ -= reserve;
  add_statement({.kind = ir::NodeKind::If, .body = body}, {chosen});
  // An invocation that goes on has not been in there.
  phases_ = saved;
  uniform_control_ = outer && !tail_;
}

/// A return by itself, or 6: in a block, or 7: in a loop that runs, of its own.
void ProgramWriter::return_from(uint32_t wrapped) {
  const auto leave_now = [&] { add_statement({.kind = ir::NodeKind::Return}, {}); };
  if (wrapped == 6) {
    const BlockId body = scope(leave_now);
    add_statement({.kind = ir::NodeKind::Block, .body = body}, {});
  } else if (wrapped == 7) {
    const ExprId from = word(0), to = word(1);
    const Symbol name = fresh_name();
    const BlockId body = scope(leave_now);
    retired_.push_back(name);
    add_statement({.kind = ir::NodeKind::Loop, .symbol = name, .body = body}, {from, to});
  } else {
    leave_now();
  }
}

// ---- Barriers ----

ProgramWriter::Phase ProgramWriter::any_phase(const Buffer& buffer) {
  Phase out;
  const bool can_sum = options_.atomics && buffer.atomic();
  const uint32_t roll = choices_->below(can_sum ? 3 : 2);
  out.mode = roll == 0 ? Mode::Slots : roll == 1 ? Mode::ReadAll : Mode::Sum;
  out.permutation = choices_->below(3);
  out.shift = choices_->below(group_size_);
  out.op = pick(kCommutativeAtomics);
  return out;
}

void ProgramWriter::restore(const Phases& saved) {
  if (phases_ == saved) return;
  add_statement({.kind = ir::NodeKind::Barrier}, {});
  phases_ = saved;
}

void ProgramWriter::barrier() {
  if (!options_.barriers || tail_ || !uniform_control_) return store();
  // Something to wait for: all write or add, then all read what others left, or the other way round.
  Buffer* meeting = pick_if(buffers_, [](const Buffer& b) { return b.discipline == Discipline::Shared; });
  reserved_ += 1;
  if (meeting != nullptr) take_part(*meeting);
  reserved_ -= 1;
  add_statement({.kind = ir::NodeKind::Barrier}, {});
  if (meeting == nullptr) return;
  const bool wrote = phase(*meeting).mode != Mode::ReadAll;
  for (Buffer& buffer : buffers_) {
    if (buffer.discipline == Discipline::Shared) phase(buffer) = any_phase(buffer);
  }
  if (wrote) phase(*meeting).mode = Mode::ReadAll;
  take_part(*meeting);
}

/// What its phase has every invocation do with a buffer, if there is room for that.
void ProgramWriter::take_part(const Buffer& buffer) {
  const uint32_t space = room();
  if (store_cost(buffer) + 1 > space) return;
  switch (phase(buffer).mode) {
    case Mode::ReadAll: return read_neighbour(buffer);
    case Mode::Slots: return store_to(buffer, space);
    case Mode::Sum: return add_shared(buffer);
  }
}

/// Binds what another invocation of the workgroup may have left.
void ProgramWriter::read_neighbour(const Buffer& buffer) {
  const uint32_t show = show_cost(buffer.value());
  const uint32_t around = 2 + show + (buffer.workgroup || is_only_group() ? 0 : 4);
  const uint32_t space = room();
  if (space < around + 5) return;
  const uint32_t roll = choices_->below(3);
  ExprId other;
  if (roll == 2) {
    const ExprId anyone = expr(DataType::U32, std::min(4u, space - around - 2), false);
    other = apply(Op::Mod, {anyone, word(group_size_)});
  } else {
    const ExprId slot = identity(Identity::Slot);
    other = roll == 0 ? apply(Op::Mod, {apply(Op::Add, {slot, word(1)}), word(group_size_)})
                      : apply(Op::Sub, {word(group_size_ - 1), slot});
  }
  const ExprId at = in_region(buffer, other);
  const ExprId value = add({.kind = ir::ExprKind::Load, .symbol = buffer.name}, {{at}});
  const Symbol name = fresh_name();
  bind(value, {.name = name, .type = buffer.value(), .uniform = false, .assignable = true});
}

void ProgramWriter::add_shared(const Buffer& buffer) {
  const uint32_t space = room();
  const uint32_t least = index_cost(buffer);
  ExprId args[2];
  const size_t before = code_->node_count();
  const uint32_t budget = std::min(space - 3, least + 4);
  args[0] =
      buffer.discipline == Discipline::Sum ? index_anywhere(budget, false) : index_shared(buffer, budget);
  const Op op = buffer.discipline == Discipline::Sum ? buffer.op : phase(buffer).op;
  const uint32_t left = space - 2 - uint32_t(code_->node_count() - before);
  args[1] = expr(DataType::U32, std::min(left, 6u), false);
  const ExprId value = atomic(op, buffer, args);
  // Others take part, so the order shows in the result and the program may not use it.
  const Symbol name = fresh_name();
  bind(value, {.name = name,
               .type = DataType::U32,
               .uniform = false,
               .assignable = false,
               .usable = false,
               .used = true});
}

}  // namespace vyre::generate
