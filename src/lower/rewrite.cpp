#include "lower/rewrite.h"

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Signature;

/// The kernel with instructions in the order of their blocks, and without those that no block holds.
Kernel compact(Kernel&& kernel) {
  std::vector<Value> renumbered(kernel.insts.size(), Value{UINT32_MAX});
  std::vector<Inst> insts;
  for (auto& block : kernel.blocks) {
    for (Value& v : block) {
      renumbered[index(v)] = Value{uint32_t(insts.size())};
      insts.push_back(kernel[v]);
      v = renumbered[index(v)];
    }
  }
  std::vector<Value> values;
  for (Inst& inst : insts) {
    const auto old = kernel.args(inst);
    inst.args = {uint32_t(values.size()), uint32_t(old.size())};
    for (const Value v : old) values.push_back(renumbered[index(v)]);
  }
  kernel.insts = std::move(insts);
  kernel.values = std::move(values);
  return std::move(kernel);
}

bool gives_truth(spec::Op op) {
  switch (spec::info(op).signature) {
    case Signature::TT_U:
    case Signature::T_B: return true;
    case Signature::T_T:
    case Signature::TT_T:
    case Signature::TU_T:
    case Signature::T_U:
    case Signature::CTT_T:
    case Signature::Cast:
    case Signature::Bitcast:
    case Signature::Call:
    case Signature::A_T:
    case Signature::AA_T:
    case Signature::UU_V:
    case Signature::UUUU_V:
    case Signature::V_U: return false;
  }
  return false;
}

bool gives_truth(RawOp op) {
  switch (op) {
    case RawOp::Eq:
    case RawOp::Ne:
    case RawOp::ULt:
    case RawOp::ULe:
    case RawOp::SLt:
    case RawOp::SLe: return true;
    case RawOp::Add:
    case RawOp::Sub:
    case RawOp::Mul:
    case RawOp::UMulHi:
    case RawOp::UDiv:
    case RawOp::URem:
    case RawOp::SDiv:
    case RawOp::SRem:
    case RawOp::And:
    case RawOp::Or:
    case RawOp::Xor:
    case RawOp::Not:
    case RawOp::Shl:
    case RawOp::LShr:
    case RawOp::AShr:
    case RawOp::Popcount:
    case RawOp::Clz:
    case RawOp::Ctz:
    case RawOp::ReverseBits:
    case RawOp::Select: return false;
  }
  return false;
}

}  // namespace

Rewriter::Rewriter(const Kernel& source, const Target& target)
    : source_(source), target_(target), out_(source) {
  forward_.reserve(source.insts.size());
  for (uint32_t v = 0; v < source.insts.size(); ++v) forward_.push_back(Value{v});
  for (auto& block : out_.blocks) block.clear();
  for (SlotInfo& slot : out_.slots) slot.type = DataType::U32;
}

Value Rewriter::write(Inst inst, std::span<const Value> operands) {
  inst.type = DataType::U32;
  inst.origin = origin_;
  const Value v = out_.add(inst, operands);
  out_.blocks[index(block_)].push_back(v);
  return v;
}

Value Rewriter::constant(uint32_t bits) { return write({.kind = InstKind::Const, .imm = bits}, {}); }

Value Rewriter::raw(RawOp op, std::initializer_list<Value> operands) {
  return write({.kind = InstKind::Raw, .raw = op}, std::span(operands.begin(), operands.size()));
}

Value Rewriter::length(uint32_t buffer) {
  const KernelBuffer& b = source_.buffers[buffer];
  if (b.access == spec::BufferAccess::Workgroup) return constant(b.count);
  return write({.kind = InstKind::Len, .target = buffer}, {});
}

Value Rewriter::access(InstKind kind, const Inst& semantic, Value index) {
  const auto operands = source_.args(semantic);
  std::vector<Value> raw_operands(operands.begin(), operands.end());
  raw_operands[0] = index;
  return write({.kind = kind, .op = semantic.op, .target = semantic.target}, raw_operands);
}

Slot Rewriter::variable(std::string_view name) {
  out_.slots.push_back({std::string(name), DataType::U32});
  return Slot{uint32_t(out_.slots.size() - 1)};
}
Value Rewriter::get(Slot slot) { return write({.kind = InstKind::Get, .target = index(slot)}, {}); }
void Rewriter::set(Slot slot, Value value) {
  write({.kind = InstKind::Set, .target = index(slot)}, {{value}});
}

KBlock Rewriter::open_if(Value condition) {
  const KBlock body = out_.add_block();
  write({.kind = InstKind::If, .body = body}, {{condition}});
  return std::exchange(block_, body);
}

bool Rewriter::is_truth(Value v) const {
  const Inst& inst = out_[v];
  if (inst.type == DataType::Bool) return true;
  if (inst.kind == InstKind::Const) return inst.imm <= 1;
  if (inst.kind == InstKind::Apply) return gives_truth(inst.op);
  return inst.kind == InstKind::Raw && gives_truth(inst.raw);
}

void Rewriter::keep(Value v) { out_.blocks[index(block_)].push_back(v); }

Value Rewriter::resolve(Value v) const {
  while (index(v) < forward_.size() && forward_[index(v)] != v) v = forward_[index(v)];
  return v;
}

Kernel Rewriter::finish() {
  // Ascending, so that chains of replacements (casts of casts) are shortened as they are met.
  for (Value& v : forward_) v = resolve(v);
  for (Value& v : out_.values) v = resolve(v);
  Kernel kernel = compact(std::move(out_));
  for (Inst& inst : kernel.insts) inst.type = DataType::U32;
  kernel.legal = true;
  return kernel;
}

}  // namespace vyre::lower
