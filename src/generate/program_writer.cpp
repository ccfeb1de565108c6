#include "generate/program_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "generate/values.h"
#include "spec/casts.h"

namespace vyre::generate {
namespace {

using spec::DataType;
using spec::Op;

constexpr DataType kTypes[] = {DataType::U32, DataType::I32, DataType::Bool};
constexpr uint64_t kCallCost = 200;
/// The variable that collects what all others held.
constexpr const char* kDigest = "digest";

/// A scalar operator at a type.
struct Application {
  Op op;
  DataType type;
};

/// Every application whose result has this type.
const std::vector<Application>& applications(DataType result) {
  static const auto all = [] {
    std::array<std::vector<Application>, spec::kTypeCount> out;
    for (const spec::OpInfo& info : spec::kOps) {
      if (!spec::is_scalar(info.op)) continue;
      for (const DataType type : kTypes) {
        if (info.types.contains(type))
          out[size_t(spec::result_type(info.op, type))].push_back({info.op, type});
      }
    }
    return out;
  }();
  return all[size_t(result)];
}

// Which atomics commute with themselves: their order cannot be seen in what they leave.
const std::vector<Op> kCommutativeAtomics = {Op::AtomicAdd, Op::AtomicOr,  Op::AtomicAnd,
                                             Op::AtomicXor, Op::AtomicMin, Op::AtomicMax};

}  // namespace

ProgramWriter::ProgramWriter(Choices& choices, const ProgramOptions& options)
    : choices_(choices), options_(options), builder_("generated"), callable_(spec::kTypeCount) {
  if (options.ops == nullptr) return;
  const auto simple = [](DataType t) { return std::ranges::find(kTypes, t) != std::end(kTypes); };
  for (const spec::OpDef* def : options.ops->all()) {
    if (def->category != spec::Category::A || def->body == nullptr || !simple(def->signature.output))
      continue;
    if (!std::ranges::all_of(def->signature.inputs, simple)) continue;
    callable_[size_t(def->signature.output)].push_back(def);
  }
}

ProgramCase ProgramWriter::write() {
  choose_shape();
  declare_buffers();
  declare_identity();
  // Up to here barriers may come; then a tail in which invocations may return one by one.
  block(statements_left_ - statements_left_ / 4);
  tail_ = true;
  statements_left_ = std::max<uint32_t>(1, statements_left_ / 4);
  block(statements_left_);
  absorb(0);
  store_digest();
  ProgramCase out;
  for (const Buffer& buffer : buffers_) {
    if (!buffer.workgroup) out.buffers.push_back(contents(buffer));
  }
  out.groups = groups_;
  out.program = builder_.finish();
  return out;
}

// ---- Shape of the dispatch, buffers ----

void ProgramWriter::choose_shape() {
  static const std::vector<std::array<uint32_t, 3>> kSizes = {
      {1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {8, 1, 1}, {3, 1, 1},  {2, 2, 1}, {16, 1, 1},
      {2, 3, 2}, {4, 4, 1}, {5, 1, 3}, {7, 1, 1}, {32, 1, 1}, {1, 8, 1}, {64, 1, 1}};
  static const std::vector<layout::Groups> kGroups = {{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {1, 2, 1},
                                                      {2, 2, 1}, {1, 1, 2}, {5, 1, 1}, {2, 1, 3}};
  const auto invocations = [&] { return uint64_t(size_[0]) * size_[1] * size_[2] * groups_.total(); };
  size_ = pick(kSizes);
  groups_ = pick(kGroups);
  if (invocations() > options_.max_invocations) groups_ = {1, 1, 1};
  if (invocations() > options_.max_invocations) size_ = {1, 1, 1};
  group_size_ = size_[0] * size_[1] * size_[2];
  total_ = uint32_t(invocations());
  builder_.workgroup_size(size_[0], size_[1], size_[2]);
  budget_ = std::max<uint64_t>(64, options_.max_steps / total_);
  statements_left_ = 1 + choices_.below(options_.max_statements);
}

void ProgramWriter::declare_buffers() {
  declare(Discipline::Own, 1 + choices_.below(2));
  declare(Discipline::Read, 1 + choices_.below(3));
  declare(Discipline::Uniform, choices_.below(2));
  if (options_.atomics) declare(Discipline::Sum, choices_.below(2));
  if (options_.barriers) declare(Discipline::Shared, choices_.below(3));
}

void ProgramWriter::declare(Discipline discipline, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t binding = uint32_t(buffers_.size());
    const bool workgroup = discipline == Discipline::Shared && choices_.chance(2);
    Buffer buffer{{}, discipline, any_element(!workgroup), workgroup, pick(kCommutativeAtomics), {}};
    if (buffers_.empty()) buffer.element = DataType::U32;  // the digest's
    const auto name = [&](char letter) { return fmt::format("{}{}", letter, i); };
    switch (discipline) {
      case Discipline::Read: buffer.ref = builder_.read(name('r'), buffer.element, binding); break;
      case Discipline::Uniform: buffer.ref = builder_.uniform(name('u'), buffer.element, binding); break;
      case Discipline::Own: buffer.ref = builder_.read_write(name('o'), buffer.element, binding); break;
      case Discipline::Sum:
        buffer.element = DataType::U32;
        buffer.ref = builder_.read_write(name('a'), buffer.element, binding);
        break;
      case Discipline::Shared:
        if (workgroup) {
          // One element short or long at times, so that a slot may be out of bounds.
          const uint32_t elements = std::max<uint32_t>(1, group_size_ + choices_.below(4) - 1);
          buffer.ref = builder_.workgroup(name('w'), buffer.element, elements);
        } else {
          if (options_.atomics && choices_.chance(2)) buffer.element = DataType::U32;
          buffer.ref = builder_.read_write(name('g'), buffer.element, binding);
        }
        break;
    }
    if (discipline == Discipline::Shared) buffer.phase = any_phase(buffer);
    buffers_.push_back(buffer);
  }
}

void ProgramWriter::declare_identity() {
  const uint32_t width = size_[0] * groups_.x, height = size_[1] * groups_.y;
  const auto linear = [&](Ex x, Ex y, Ex z, uint32_t across, uint32_t down) {
    return x + y * across + z * (across * down);
  };
  auto& b = builder_;
  b.let("own", linear(b.invocation_id(0), b.invocation_id(1), b.invocation_id(2), width, height));
  b.let("slot", linear(b.local_id(0), b.local_id(1), b.local_id(2), size_[0], size_[1]));
  b.let("group", linear(b.workgroup_id(0), b.workgroup_id(1), b.workgroup_id(2), groups_.x, groups_.y));
  variables_.push_back({"own", DataType::U32, false, false});
  variables_.push_back({"slot", DataType::U32, false, false});
  variables_.push_back({"group", DataType::U32, true, false});
  b.let(kDigest, b.u32(0x811c9dc5));
  variables_.push_back({kDigest, DataType::U32, false, false});
}

DataType ProgramWriter::any_type() {
  const uint32_t roll = choices_.below(8);
  return roll < 4 ? DataType::U32 : roll < 7 ? DataType::I32 : DataType::Bool;
}
DataType ProgramWriter::any_element(bool with_bytes) {
  const uint32_t roll = choices_.below(10);
  if (roll < 5) return DataType::U32;
  if (roll < 7) return DataType::I32;
  if (roll < 9 || !with_bytes) return DataType::Bool;
  return DataType::Bytes;
}

// ---- Expressions ----

ir::Ex ProgramWriter::literal(DataType type) {
  if (type == DataType::Bool) return builder_.boolean(choices_.below(2) != 0);
  // Small ones, what breaks shifts, divisions and signs, and anything.
  const uint32_t roll = choices_.below(4);
  if (roll == 0) return builder_.literal(type, choices_.below(9));
  const auto words = adversarial_words();
  if (roll == 1) return builder_.literal(type, words[choices_.below(uint32_t(words.size()))]);
  const uint32_t choice = choices_.next();
  return builder_.literal(type, mixed_word(choice, choices_.next()));
}

ir::Ex ProgramWriter::leaf(DataType type, bool uniform) {
  spend(1);
  const uint32_t roll = choices_.below(8);
  if (roll >= 3) {
    std::vector<const Variable*> fitting;
    for (const Variable& v : variables_) {
      if (v.usable && v.type == type && (v.uniform || !uniform)) fitting.push_back(&v);
    }
    if (!fitting.empty()) return builder_.var(pick(fitting)->name);
  }
  if (roll == 1) {
    // An input, one an invocation, which no compiler can know.
    for (const Buffer& b : buffers_) {
      if (b.discipline == Discipline::Read && spec::element_value_type(b.element) == type) {
        return builder_.load(b.ref, uniform ? identity("group") : identity("own"));
      }
    }
  }
  if (roll == 2 && type == DataType::U32) {
    const uint32_t axis = choices_.below(3);
    switch (choices_.below(uniform ? 2 : 4)) {
      case 0: return builder_.workgroup_id(axis);
      case 1: return builder_.len(pick(buffers_).ref);
      case 2: return builder_.local_id(axis);
      default: return builder_.invocation_id(axis);
    }
  }
  return literal(type);
}

ir::Ex ProgramWriter::expr(DataType type, uint32_t depth, bool uniform) {
  if (depth == 0 || !can_afford(2)) return leaf(type, uniform);
  spend(1);
  switch (choices_.below(16)) {
    case 0:
    case 1:
    case 2: return leaf(type, uniform);
    case 3: {
      std::vector<const Buffer*> fitting;
      for (const Buffer& b : buffers_) {
        if (readable(b, type, uniform)) fitting.push_back(&b);
      }
      return fitting.empty() ? leaf(type, uniform) : load(*pick(fitting), depth - 1, uniform);
    }
    case 4: {
      const Ex chosen = condition(depth - 1, uniform);
      const Ex then = expr(type, depth - 1, uniform);
      return builder_.select(chosen, then, expr(type, depth - 1, uniform));
    }
    case 5: {
      const DataType from = any_type();
      return builder_.cast(type, expr(from, depth - 1, uniform));
    }
    case 6: {
      if (type == DataType::Bool) return scalar(type, depth, uniform);
      return builder_.bitcast(type, expr(choices_.chance(4) ? type : DataType::I32, depth - 1, uniform));
    }
    case 7:
      if (!uniform && !callable_[size_t(type)].empty() && can_afford(kCallCost)) return call(type, depth);
      return scalar(type, depth, uniform);
    default: return scalar(type, depth, uniform);
  }
}

ir::Ex ProgramWriter::scalar(DataType type, uint32_t depth, bool uniform) {
  const auto& fitting = applications(type);
  if (fitting.empty())
    return builder_.cast(type, expr(any_type(), depth - 1, uniform));  // nothing makes a bool
  const Application chosen = pick(fitting);
  std::vector<Ex> operands;
  const uint32_t count = *spec::operand_count(chosen.op);
  for (uint32_t i = 0; i < count; ++i) {
    operands.push_back(expr(spec::operand_type(chosen.op, chosen.type, i), depth - 1, uniform));
  }
  return builder_.apply(chosen.op, operands);
}

ir::Ex ProgramWriter::call(DataType type, uint32_t depth) {
  spend(kCallCost);
  const spec::OpDef* def = pick(callable_[size_t(type)]);
  std::vector<Ex> arguments;
  for (const DataType input : def->signature.inputs) arguments.push_back(expr(input, depth - 1, false));
  return builder_.call(def->id, arguments, def->version);
}

ir::Ex ProgramWriter::condition(uint32_t depth, bool uniform) {
  return expr(choices_.chance(4) ? DataType::Bool : DataType::U32, depth, uniform);
}

bool ProgramWriter::readable(const Buffer& buffer, DataType type, bool uniform) const {
  if (spec::element_value_type(buffer.element) != type) return false;
  switch (buffer.discipline) {
    case Discipline::Read:
    case Discipline::Uniform: return true;
    case Discipline::Own: return !uniform;
    case Discipline::Sum: return false;
    case Discipline::Shared: return !uniform && buffer.phase.mode != Mode::Sum;
  }
  return false;
}

ir::Ex ProgramWriter::load(const Buffer& buffer, uint32_t depth, bool uniform) {
  switch (buffer.discipline) {
    case Discipline::Read:
    case Discipline::Uniform: return builder_.load(buffer.ref, index_anywhere(depth, uniform));
    case Discipline::Own: return builder_.load(buffer.ref, index_own());
    case Discipline::Sum:
    case Discipline::Shared: break;
  }
  return builder_.load(buffer.ref,
                       buffer.phase.mode == Mode::Slots ? index_slot(buffer) : index_shared(buffer, depth));
}

/// Small, masked, by identity, or anything at all: then mostly out of bounds.
ir::Ex ProgramWriter::index_anywhere(uint32_t depth, bool uniform) {
  spend(2);
  switch (choices_.below(6)) {
    case 0: return builder_.u32(choices_.below(8));
    case 1: return uniform ? identity("group") : identity("own");
    case 2:
    case 3: return expr(DataType::U32, depth, uniform) & 15;
    case 4: return expr(DataType::U32, depth, uniform) % 9;
    default: return expr(DataType::U32, depth, uniform);
  }
}

/// An element that belongs to this invocation alone, or one that is out of bounds for all.
ir::Ex ProgramWriter::index_own() {
  spend(2);
  switch (choices_.below(8)) {
    case 4: return identity("own") + total_;
    case 5: return identity("own") + 2 * total_;
    case 6: return identity("own") | 0x40000000;
    case 7: return ~identity("own");
    default: return identity("own");
  }
}

/// Where all may read: anywhere in workgroup memory, and in the region of this workgroup.
ir::Ex ProgramWriter::index_shared(const Buffer& buffer, uint32_t depth) {
  if (buffer.workgroup) return index_anywhere(depth, false);
  spend(4);
  if (choices_.chance(16)) return expr(DataType::U32, depth, false) | 0x80000000;
  return identity("group") * group_size_ + expr(DataType::U32, depth, false) % group_size_;
}

/// The one element of this phase that belongs to this invocation.
ir::Ex ProgramWriter::index_slot(const Buffer& buffer) {
  spend(4);
  const Ex slot = identity("slot");
  const Phase& phase = buffer.phase;
  const Ex mine = phase.permutation == 0   ? slot
                  : phase.permutation == 1 ? (group_size_ - 1) - slot
                                           : (slot + phase.shift) % group_size_;
  return buffer.workgroup ? mine : identity("group") * group_size_ + mine;
}

// ---- Statements ----

std::string ProgramWriter::fresh_name() {
  // Siblings may reuse a name.
  if (!retired_.empty() && choices_.chance(3)) {
    std::string name = retired_.back();
    retired_.pop_back();
    return name;
  }
  return fmt::format("v{}", names_++);
}

void ProgramWriter::scope(const std::function<void()>& body) {
  const size_t visible = variables_.size();
  ++nesting_;
  body();
  --nesting_;
  if (!returned_) absorb(visible);
  returned_ = false;
  while (variables_.size() > visible) {
    retired_.push_back(variables_.back().name);
    variables_.pop_back();
  }
}

void ProgramWriter::block(uint32_t statements) {
  for (uint32_t i = 0; i < statements && statements_left_ > 0 && can_afford(4); ++i) statement();
}

void ProgramWriter::statement() {
  --statements_left_;
  spend(1);
  const bool deeper = nesting_ < options_.max_nesting && can_afford(16);
  switch (choices_.below(22)) {
    case 0:
    case 1:
    case 2:
    case 3: let(); return;
    case 4:
    case 5:
    case 6: assign(); return;
    case 7:
    case 8:
    case 9:
    case 10: store(); return;
    case 11:
    case 12: atomic(); return;
    case 13:
    case 14: deeper ? branch() : store(); return;
    case 15:
    case 16: deeper ? loop() : assign(); return;
    case 17:
    case 18:
    case 19: barrier(); return;
    case 20: deeper ? early_return() : let(); return;
    default:
      if (!deeper) return let();
      builder_.block([&] { scope([&] { block(1 + choices_.below(3)); }); });
  }
}

void ProgramWriter::let() {
  const DataType type = any_type();
  const bool uniform = uniform_control_ && choices_.chance(3);
  const Ex value = expr(type, options_.max_depth, uniform);
  std::string name = fresh_name();
  builder_.let(name, value);
  variables_.push_back({std::move(name), type, uniform, !choices_.chance(8)});
}

void ProgramWriter::assign() {
  std::vector<const Variable*> fitting;
  for (const Variable& v : variables_) {
    if (v.assignable && (uniform_control_ || !v.uniform)) fitting.push_back(&v);
  }
  if (fitting.empty()) return let();
  const Variable* target = pick(fitting);
  const Ex value = expr(target->type, options_.max_depth, target->uniform);
  builder_.assign(builder_.var(target->name), value);
}

bool ProgramWriter::may_store(const Buffer& buffer) const {
  return buffer.discipline == Discipline::Own ||
         (buffer.discipline == Discipline::Shared && buffer.phase.mode == Mode::Slots);
}

void ProgramWriter::store() {
  std::vector<const Buffer*> fitting;
  for (const Buffer& b : buffers_) {
    if (may_store(b)) fitting.push_back(&b);
  }
  const Buffer& buffer = *pick(fitting);  // there is always one of its own
  const Ex index = buffer.discipline == Discipline::Own ? index_own() : index_slot(buffer);
  builder_.store(buffer.ref, index,
                 expr(spec::element_value_type(buffer.element), options_.max_depth, false));
}

void ProgramWriter::atomic() {
  std::vector<const Buffer*> fitting;
  for (const Buffer& b : buffers_) {
    const bool shared = b.discipline == Discipline::Shared && b.phase.mode == Mode::Sum;
    const bool own = b.discipline == Discipline::Own && b.element == DataType::U32;
    if (shared || own || b.discipline == Discipline::Sum) fitting.push_back(&b);
  }
  if (!options_.atomics || fitting.empty()) return store();
  const Buffer& buffer = *pick(fitting);
  if (buffer.discipline != Discipline::Own) return add_shared(buffer);
  const uint32_t depth = options_.max_depth / 2;
  const Ex index = index_own();
  std::string name = fresh_name();
  if (choices_.chance(4)) {
    // What is expected is sometimes what is there.
    const Ex expected = choices_.chance(2) ? builder_.load(buffer.ref, index_own()) : literal(DataType::U32);
    const Ex value = expr(DataType::U32, depth, false);
    builder_.let(name, builder_.atomic_compare_exchange(buffer.ref, index, expected, value));
  } else {
    std::vector<Op> any = kCommutativeAtomics;
    any.push_back(Op::AtomicExchange);
    const Op op = pick(any);
    builder_.let(name, builder_.atomic(op, buffer.ref, index, expr(DataType::U32, depth, false)));
  }
  variables_.push_back({std::move(name), DataType::U32, false, true});
}

void ProgramWriter::branch() {
  const bool uniform = uniform_control_ && choices_.chance(2);
  const Ex chosen = condition(options_.max_depth - 1, uniform);
  const std::vector<Phase> saved = phases();
  const bool outer = uniform_control_;
  const auto arm = [&] {
    scope([&] {
      block(1 + choices_.below(4));
      restore(saved);
    });
  };
  uniform_control_ = uniform;
  if (choices_.chance(2)) {
    builder_.if_(chosen, arm, arm);
  } else {
    builder_.if_(chosen, arm);
  }
  // A divergent return in an arm makes what follows divergent; only the tail has those.
  uniform_control_ = outer && !tail_;
}

ProgramWriter::Bounds ProgramWriter::bounds(bool uniform) {
  const uint32_t depth = options_.max_depth / 2;
  auto& b = builder_;
  switch (choices_.below(8)) {
    case 1: return {b.u32(choices_.below(5)), expr(DataType::U32, depth, uniform) & 7, 7};
    case 2: return {expr(DataType::U32, depth, uniform) & 3, b.u32(choices_.below(6)), 5};
    case 3: return {b.u32(5), b.u32(choices_.below(5)), 1};    // never runs
    case 4: return {b.u32(0xfffffffd), b.u32(0xffffffff), 2};  // ends at the last word
    case 5: return {b.u32(0), b.len(pick(buffers_).ref) % 5, 4};
    case 6: {
      // From anywhere; where the end wraps around nothing runs.
      const Ex value = expr(DataType::U32, depth, uniform);
      std::string name = fresh_name();
      const Ex base = b.let(name, value);
      variables_.push_back({std::move(name), DataType::U32, uniform, false});
      return {base, base + (expr(DataType::U32, depth, uniform) & 3), 3};
    }
    default: {
      const uint32_t trips = 1 + choices_.below(4);
      return {b.u32(0), b.u32(trips), trips};
    }
  }
}

void ProgramWriter::loop() {
  const bool uniform = uniform_control_ && choices_.chance(2);
  const Bounds range = bounds(uniform);
  const std::vector<Phase> saved = phases();
  const bool outer = uniform_control_;
  const uint64_t outer_trips = trips_;
  std::string name = fresh_name();
  uniform_control_ = uniform;
  builder_.loop(name, range.from, range.to, [&](Ex) {
    scope([&] {
      variables_.push_back({name, DataType::U32, uniform, false});
      trips_ *= range.trips;
      block(1 + choices_.below(4));
      restore(saved);
      trips_ = outer_trips;
    });
  });
  uniform_control_ = outer && !tail_;
}

void ProgramWriter::early_return() {
  // Under a uniform condition all of a workgroup leave together; one by one only where no barrier follows.
  if (!tail_ && !uniform_control_) return store();
  const bool uniform = !tail_;
  if (uniform && !choices_.chance(4)) return store();  // it ends the program for the group, so keep it rare
  const Ex chosen = condition(options_.max_depth - 1, uniform);
  const std::vector<Phase> saved = phases();
  const bool outer = uniform_control_;
  uniform_control_ = uniform;
  builder_.if_(chosen, [&] {
    scope([&] {
      block(choices_.below(2));
      store_digest();
      builder_.return_();
      if (tail_ && choices_.chance(4)) block(1);  // never reached
      returned_ = true;
    });
  });
  // Who goes on has not been in there.
  for (size_t i = 0; i < buffers_.size(); ++i) buffers_[i].phase = saved[i];
  uniform_control_ = outer;
  if (tail_) uniform_control_ = false;
}

ProgramWriter::Phase ProgramWriter::any_phase(const Buffer& buffer) {
  Phase out;
  const bool can_sum = options_.atomics && !buffer.workgroup && buffer.element == DataType::U32;
  const uint32_t roll = choices_.below(can_sum ? 3 : 2);
  out.mode = roll == 0 ? Mode::Slots : roll == 1 ? Mode::ReadAll : Mode::Sum;
  out.permutation = choices_.below(3);
  out.shift = choices_.below(group_size_);
  out.op = pick(kCommutativeAtomics);
  return out;
}

std::vector<ProgramWriter::Phase> ProgramWriter::phases() const {
  std::vector<Phase> out;
  for (const Buffer& buffer : buffers_) out.push_back(buffer.phase);
  return out;
}

void ProgramWriter::restore(const std::vector<Phase>& saved) {
  if (phases() == saved) return;
  builder_.barrier();
  for (size_t i = 0; i < buffers_.size(); ++i) buffers_[i].phase = saved[i];
}

void ProgramWriter::barrier() {
  if (!options_.barriers || tail_ || !uniform_control_) return store();
  // Something to wait for: all write or add, then all read what others left, or the other way round.
  Buffer* meeting = nullptr;
  for (Buffer& buffer : buffers_) {
    if (buffer.discipline == Discipline::Shared && (meeting == nullptr || choices_.chance(2)))
      meeting = &buffer;
  }
  const auto take_part = [&] {
    if (meeting == nullptr) return;
    switch (meeting->phase.mode) {
      case Mode::ReadAll: read_neighbour(*meeting); break;
      case Mode::Slots: {
        const Ex index = index_slot(*meeting);
        const DataType type = spec::element_value_type(meeting->element);
        builder_.store(meeting->ref, index, expr(type, options_.max_depth, false));
        break;
      }
      case Mode::Sum: add_shared(*meeting); break;
    }
  };
  take_part();
  builder_.barrier();
  const bool wrote = meeting != nullptr && meeting->phase.mode != Mode::ReadAll;
  for (Buffer& buffer : buffers_) {
    if (buffer.discipline == Discipline::Shared) buffer.phase = any_phase(buffer);
  }
  if (wrote) meeting->phase.mode = Mode::ReadAll;
  take_part();
}

/// Binds what another invocation of the workgroup may have left.
void ProgramWriter::read_neighbour(const Buffer& buffer) {
  spend(8);
  const Ex slot = identity("slot");
  const uint32_t roll = choices_.below(3);
  const Ex other = roll == 0   ? (slot + 1) % group_size_
                   : roll == 1 ? (group_size_ - 1) - slot
                               : expr(DataType::U32, 2, false) % group_size_;
  std::string name = fresh_name();
  builder_.let(name,
               builder_.load(buffer.ref, buffer.workgroup ? other : identity("group") * group_size_ + other));
  variables_.push_back({std::move(name), spec::element_value_type(buffer.element), false, true});
}

void ProgramWriter::add_shared(const Buffer& buffer) {
  const uint32_t depth = std::min<uint32_t>(2, options_.max_depth);
  const Ex index =
      buffer.discipline == Discipline::Sum ? index_anywhere(depth, false) : index_shared(buffer, depth);
  const Op op = buffer.discipline == Discipline::Sum ? buffer.op : buffer.phase.op;
  const Ex value = expr(DataType::U32, depth, false);
  // Others take part, so the order shows in the result and nobody may use it.
  std::string name = fresh_name();
  builder_.let(name, builder_.atomic(op, buffer.ref, index, value));
  variables_.push_back({std::move(name), DataType::U32, false, false, false});
}

void ProgramWriter::absorb(size_t first) {
  for (size_t i = first; i < variables_.size(); ++i) {
    const Variable& v = variables_[i];
    if (!v.usable || v.name == kDigest) continue;
    spend(6);
    Ex value = builder_.var(v.name);
    if (v.type != DataType::U32) value = builder_.cast(DataType::U32, value);
    builder_.assign(builder_.var(kDigest), (builder_.var(kDigest) ^ value) * 0x01000193);
  }
}

/// To the invocation's own element of the first buffer, which is a u32 one of its own.
void ProgramWriter::store_digest() {
  builder_.store(buffers_.front().ref, identity("own"), builder_.var(kDigest));
}

// ---- Input ----

Bytes ProgramWriter::contents(const Buffer& buffer) {
  const std::vector<uint32_t> counts =
      buffer.discipline == Discipline::Own
          ? std::vector<uint32_t>{total_, 3 * total_, 2 * total_ + 1, 4 * total_, total_, total_ - total_ / 4}
      : buffer.discipline == Discipline::Shared
          ? std::vector<uint32_t>{total_, total_ + 3, total_ - 1, 0}
          : std::vector<uint32_t>{16, total_, 9, total_ + 5, 1, total_, 3, 0};
  const bool small = choices_.chance(3);
  std::vector<uint32_t> words(pick(counts));
  for (uint32_t& word : words) {
    const uint32_t choice = choices_.next();
    word = small ? choices_.below(9) : mixed_word(choice, choices_.next());
    // Loads of a bool give 0 or 1 whatever the word is, so a few are other words.
    if (buffer.element == DataType::Bool && choice % 4 != 0) word &= 1;
  }
  return to_bytes(words);
}

}  // namespace vyre::generate
