#include "lower/rewrite.h"

#include <utility>

namespace vyre::lower {
namespace {

using spec::DataType;

/// Whether the result is 0 or 1 where the operands are; of a select, where its arms are.
constexpr bool keeps_truths(RawOp op) {
  return op == RawOp::And || op == RawOp::Or || op == RawOp::Xor || op == RawOp::Select;
}

}  // namespace

Rewriter::Rewriter(const Kernel& source, const Target& target)
    : source_(&source), target_(target), parts_(source.insts.size()) {
  out_.name = source.name;
  out_.workgroup_size = source.workgroup_size;
  out_.buffers = source.buffers;
  out_.blocks.resize(source.blocks.size());
  out_.entry = source.entry;
  out_.legal = true;
  out_.floats = target.floats;
  out_.insts.reserve(2 * source.insts.size());  // what most kernels need at least
  out_.values.reserve(2 * source.values.size());
  for (const SlotInfo& slot : source.slots) {
    variables_.push_back(variable(slot.name, spec::value_words(slot.type)));
    truth_slots_.back() = slot.type == DataType::Bool;
  }
}

Value Rewriter::write(Inst inst, std::span<const Value> operands) {
  inst.type = DataType::U32;
  inst.origin = origin_;
  const Value v = out_.add(inst, operands);
  out_.blocks[index(block_)].push_back(v);
  truth_.push_back(false);
  return v;
}

Value Rewriter::constant(uint32_t bits) {
  const Value v = write({.kind = InstKind::Const, .imm = bits}, {});
  truth_.back() = bits <= 1;
  return v;
}

Value Rewriter::raw(RawOp op, std::initializer_list<Value> operands) {
  const std::span all(operands.begin(), operands.size());
  const Value v = write({.kind = InstKind::Raw, .raw = op}, all);
  if (gives_wide(op)) out_.insts.back().type = DataType::U64;
  const auto known = all.subspan(op == RawOp::Select ? 1 : 0);
  truth_.back() = gives_truth(op) || (keeps_truths(op) && is_truth(known[0]) && is_truth(known[1]));
  return v;
}

Value Rewriter::length(uint32_t buffer) {
  const KernelBuffer& b = source_->buffers[buffer];
  if (b.access == spec::BufferAccess::Workgroup) return constant(b.count);
  return write({.kind = InstKind::Len, .target = buffer}, {});
}

Value Rewriter::load(RawAddress address) {
  return write(
      {.kind = InstKind::RawLoad, .access = address.access, .imm = address.word, .target = address.buffer},
      {{address.index}});
}
void Rewriter::store(RawAddress address, Value value) {
  write({.kind = InstKind::RawStore, .access = address.access, .imm = address.word, .target = address.buffer},
        {{address.index, value}});
}
Value Rewriter::atomic(spec::Op op, RawAddress address, std::span<const Value> operands) {
  out_.buffers[address.buffer].used_atomically = true;
  std::vector<Value> all = {address.index};
  all.insert(all.end(), operands.begin(), operands.end());
  return write({.kind = InstKind::RawAtomic, .op = op, .access = address.access, .target = address.buffer},
               all);
}

Variable Rewriter::variable(std::string_view name, uint32_t words) {
  const Variable out{uint32_t(out_.slots.size()), words};
  for (uint32_t n = 0; n < words; ++n) out_.slots.push_back({std::string(name), DataType::U32});
  truth_slots_.resize(out_.slots.size(), false);
  return out;
}
Value Rewriter::get(Slot slot) {
  const Value v = write({.kind = InstKind::Get, .target = index(slot)}, {});
  truth_.back() = truth_slots_[index(slot)];
  return v;
}
Limbs Rewriter::get(Variable variable) {
  Limbs out;
  for (uint32_t n = 0; n < variable.count; ++n) out.add(get(variable[n]));
  return out;
}
void Rewriter::set(Slot slot, Value value) {
  write({.kind = InstKind::Set, .target = index(slot)}, {{value}});
}
void Rewriter::clear(Variable variable) {
  for (uint32_t n = 0; n < variable.count; ++n) set(variable[n], constant(0));
}
void Rewriter::set(Variable variable, const Limbs& value) {
  for (uint32_t n = 0; n < variable.count; ++n) set(variable[n], value[n]);
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
