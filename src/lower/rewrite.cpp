#include "lower/rewrite.h"

#include <utility>

namespace vyre::lower {
namespace {

using spec::DataType;

/// Whether the result is 0 or 1 where the operands are; of a select, where its arms are.
constexpr bool keeps_truths(RawOp op) {
  return op == RawOp::And || op == RawOp::Or || op == RawOp::Xor || op == RawOp::Select;
}

/// Barriers and control, and what may be taken for one.
constexpr bool ends_stretch(InstKind kind) {
  return kind == InstKind::If || kind == InstKind::Loop || kind == InstKind::Return ||
         kind == InstKind::Barrier || kind == InstKind::Intrinsic;
}

}  // namespace

Rewriter::Rewriter(const Kernel& source, const Target& target)
    : source_(&source), target_(target), parts_(source.insts.size()) {
  out_.name = source.name;
  out_.workgroup_size = source.workgroup_size;
  out_.buffers = source.buffers;
  for (KernelBuffer& buffer : out_.buffers) {
    const bool half = spec::info(buffer.element).bytes == 2;
    if (buffer.access == spec::BufferAccess::Private && half) buffer.element = DataType::U32;
  }
  out_.blocks.resize(source.blocks.size());
  out_.entry = source.entry;
  out_.legal = true;
  out_.floats = target.floats;
  out_.insts.reserve(2 * source.insts.size());  // what most kernels need at least
  out_.values.reserve(2 * source.values.size());
  for (const SlotInfo& slot : source.slots) {
    variables_.push_back(variable(slot.name, slot.type));
    truth_slots_.back() = slot.type == DataType::Bool;
  }
}

Value Rewriter::write(Inst inst, std::span<const Value> operands) {
  if (inst.kind != InstKind::RawLoad && inst.kind != InstKind::RawStore) inst.type = DataType::U32;
  if (ends_stretch(inst.kind)) ++stretch_;
  inst.origin = origin_;
  const Value v = out_.add(inst, operands);
  out_.blocks[index(block_)].push_back(v);
  truth_.push_back(false);
  places_.push_back({block_, stretch_});
  return v;
}

Value Rewriter::constant(uint32_t bits) {
  const Value v = write({.kind = InstKind::Const, .imm = bits}, {});
  truth_.back() = bits <= 1;
  return v;
}

Value Rewriter::raw(RawOp op, std::initializer_list<Value> operands) {
  const std::span all(operands.begin(), operands.size());
  if (const auto known = known_long(op, all)) return *known;
  const Value v = write({.kind = InstKind::Raw, .raw = op}, all);
  if (gives_wide(op) || gives_long(op)) out_.insts.back().type = DataType::U64;
  const auto known = all.subspan(op == RawOp::Select ? 1 : 0);
  truth_.back() = gives_truth(op) || (keeps_truths(op) && is_truth(known[0]) && is_truth(known[1])) ||
                  (op == RawOp::And && (is_truth(known[0]) || is_truth(known[1])));
  return v;
}

std::optional<Value> Rewriter::known_long(RawOp op, std::span<const Value> operands) const {
  const auto is = [&](Value v, RawOp what) { return out_[v].kind == InstKind::Raw && out_[v].raw == what; };
  if (op == RawOp::LongLow && is(operands[0], RawOp::LongOf)) return out_.arg(out_[operands[0]], 0);
  if (op == RawOp::LongHigh && is(operands[0], RawOp::LongOf)) return out_.arg(out_[operands[0]], 1);
  if (op != RawOp::LongOf || !is(operands[0], RawOp::LongLow) || !is(operands[1], RawOp::LongHigh)) return {};
  const Value whole = out_.arg(out_[operands[0]], 0);
  const bool here = places_[index(whole)] == Place{block_, stretch_};
  if (!here || whole != out_.arg(out_[operands[1]], 0)) return {};
  return whole;
}

void Rewriter::add_words(Limbs& words, Value long_value) {
  words.add(raw(RawOp::LongLow, {long_value}));
  words.add(raw(RawOp::LongHigh, {long_value}));
}

Value Rewriter::length(uint32_t buffer) {
  const KernelBuffer& b = source_->buffers[buffer];
  if (!spec::is_bound(b.access)) return constant(b.count);
  return write({.kind = InstKind::Len, .target = buffer}, {});
}

Value Rewriter::load(RawAddress address) {
  return write({.kind = InstKind::RawLoad,
                .type = address.type,
                .access = address.access,
                .imm = address.word,
                .target = address.buffer},
               {{address.index}});
}
void Rewriter::store(RawAddress address, Value value) {
  write({.kind = InstKind::RawStore,
         .type = address.type,
         .access = address.access,
         .imm = address.word,
         .target = address.buffer},
        {{address.index, value}});
}
Value Rewriter::atomic(spec::Op op, RawAddress address, std::span<const Value> operands) {
  out_.buffers[address.buffer].used_atomically = true;
  std::vector<Value> all = {address.index};
  all.insert(all.end(), operands.begin(), operands.end());
  return write({.kind = InstKind::RawAtomic, .op = op, .access = address.access, .target = address.buffer},
               all);
}

uint32_t Rewriter::workgroup_words(std::string_view name, uint32_t count) {
  out_.buffers.push_back({.name = std::string(name),
                          .access = spec::BufferAccess::Workgroup,
                          .element = DataType::U32,
                          .count = count});
  return uint32_t(out_.buffers.size() - 1);
}

Variable Rewriter::variable(std::string_view name, uint32_t words) {
  const Variable out{uint32_t(out_.slots.size()), words};
  for (uint32_t n = 0; n < words; ++n) out_.slots.push_back({std::string(name), DataType::U32});
  truth_slots_.resize(out_.slots.size(), false);
  return out;
}
Variable Rewriter::variable(std::string_view name, DataType type) {
  const uint32_t words = spec::value_words(type);
  if (!has_longs(type)) return variable(name, words);
  Variable out = variable(name, words / 2);
  out.is_long = true;
  for (uint32_t n = 0; n < out.count; ++n) out_.slots[index(out[n])].type = DataType::U64;
  return out;
}
Value Rewriter::get(Slot slot) {
  const Value v = write({.kind = InstKind::Get, .target = index(slot)}, {});
  out_.insts.back().type = out_.slots[index(slot)].type;
  truth_.back() = truth_slots_[index(slot)];
  return v;
}
Limbs Rewriter::get(Variable variable) {
  Limbs out;
  for (uint32_t n = 0; n < variable.count; ++n) {
    const Value value = get(variable[n]);
    variable.is_long ? add_words(out, value) : out.add(value);
  }
  return out;
}
void Rewriter::set(Slot slot, Value value) {
  write({.kind = InstKind::Set, .target = index(slot)}, {{value}});
}
void Rewriter::clear(Variable variable) {
  for (uint32_t n = 0; n < variable.count; ++n) {
    const Value zero = constant(0);
    set(variable[n], variable.is_long ? raw(RawOp::LongOf, {zero, zero}) : zero);
  }
}
void Rewriter::set(Variable variable, const Limbs& value) {
  for (uint32_t n = 0; n < variable.count; ++n)
    set(variable[n], variable.is_long ? long_of(value, n) : value[n]);
}

KBlock Rewriter::open_if(Value condition) {
  const KBlock body = out_.add_block();
  write({.kind = InstKind::If, .body = body}, {{condition}});
  return std::exchange(block_, body);
}
Rewriter::Branches Rewriter::open_branches(Value condition) {
  const KBlock body = out_.add_block(), orelse = out_.add_block();
  write({.kind = InstKind::If, .body = body, .orelse = orelse}, {{condition}});
  return {orelse, std::exchange(block_, body)};
}
KBlock Rewriter::open_loop(Value from, Value to) {
  const KBlock body = out_.add_block();
  write({.kind = InstKind::Loop, .body = body}, {{from, to}});
  return std::exchange(block_, body);
}

Limbs Rewriter::constants(const Inst& inst) {
  const uint32_t words = spec::value_words(inst.type);
  if (words == 1) return constant(inst.imm);
  Limbs out;
  for (uint32_t n = 0; n < words; ++n) out.add(constant(source_->wide[inst.imm][n]));
  return out;
}

void Rewriter::keep(Value v) {
  const Inst& inst = (*source_)[v];
  if (inst.kind == InstKind::Const) return replace(v, constants(inst));
  if (inst.kind == InstKind::Get) return replace(v, get(variable(Slot{inst.target})));
  if (inst.kind == InstKind::Set) return set(variable(Slot{inst.target}), operand(inst, 0));
  std::vector<Value> operands;
  for (uint32_t n = 0; n < inst.args.count; ++n) operands.push_back(word(inst, n));
  if (inst.kind != InstKind::Intrinsic) return replace(v, write(inst, operands));
  Limbs words;
  for (uint32_t n = 0; n < spec::value_words(inst.type); ++n) {
    words.add(write({.kind = InstKind::Intrinsic, .imm = inst.imm, .target = n}, operands));
  }
  replace(v, words);
}

Limbs Rewriter::inlined(const Composition& composition, std::span<const Limbs> operands) {
  const Kernel* const outside = std::exchange(source_, &composition.kernel);
  std::vector<Limbs> body(composition.kernel.insts.size());
  for (size_t n = 0; n < operands.size(); ++n) body[index(composition.parameters[n])] = operands[n];
  parts_.swap(body);
  for (const Value v : composition.kernel.block(composition.kernel.entry)) {
    const Inst& inst = composition.kernel[v];
    inst.kind == InstKind::Apply ? replace(v, legalize_apply(*this, inst)) : keep(v);
  }
  const Limbs result = parts(composition.result);
  parts_.swap(body);
  source_ = outside;
  return result;
}

Kernel Rewriter::finish() { return std::move(out_); }

}  // namespace vyre::lower
