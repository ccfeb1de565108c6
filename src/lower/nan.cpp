#include "lower/nan.h"

#include <algorithm>
#include <utility>

#include "lower/float_rules.h"
#include "lower/inst_info.h"
#include "spec/float_format.h"
#include "spec/ops.h"

namespace vyre::lower {

using spec::Op;

namespace {

bool is_float(spec::DataType type) { return spec::kFloats.contains(type); }

bool is_copy(const Inst& inst) {
  return inst.op == Op::Select || (inst.op == Op::Cast && inst.type == inst.operand_type);
}
bool is_sign(const Inst& inst) { return inst.op == Op::FNeg || inst.op == Op::FAbs; }

}  // namespace

NanFlow::NanFlow(const Kernel& kernel, const FloatPromises& floats)
    : kernel_(kernel),
      floats_(floats),
      values_(kernel.insts.size(), Nan::Clean),
      slots_(kernel.slots.size(), Nan::Clean),
      arrays_(kernel.buffers.size(), Nan::Clean) {
  if (std::ranges::none_of(kernel.insts, [](const Inst& inst) { return is_float(inst.type); })) return;
  find_values();
  any_raw_ = std::ranges::count(values_, Nan::Raw) > 0;
  if (!any_raw_) return;
  find_seen();
  find_split();
}

bool NanFlow::is_internal(uint32_t buffer) const {
  const KernelBuffer& b = kernel_.buffers[buffer];
  return !spec::is_bound(b.access) && is_float(b.element);
}

bool NanFlow::is_number(Value v) const {
  const Inst& inst = kernel_[v];
  return inst.kind == InstKind::Const && is_float(inst.type) &&
         !spec::float_format(inst.type).is_nan(inst.imm);
}

/// What an instruction gives, by what its operands are known to be so far.
NanFlow::Nan NanFlow::result(const Inst& inst) const {
  if (!is_float(inst.type)) return Nan::Clean;
  if (inst.kind == InstKind::Get) return slots_[inst.target];
  if (inst.kind == InstKind::Load && is_internal(inst.target)) return arrays_[inst.target];
  if (inst.kind == InstKind::Const) {
    const spec::FloatFormat f = spec::float_format(inst.type);
    return f.is_nan(inst.imm) && inst.imm != f.nan() ? Nan::Kept : Nan::Clean;
  }
  if (inst.kind != InstKind::Apply || inst.op == Op::Bitcast || inst.op == Op::FNeg) return Nan::Kept;
  if (inst.op == Op::Select) return std::max(operand(inst, 1), operand(inst, 2));
  if (is_copy(inst)) return operand(inst, 0);
  if (inst.op == Op::FAbs) return operand(inst, 0) == Nan::Clean ? Nan::Clean : Nan::Kept;
  if ((inst.op == Op::FMin || inst.op == Op::FMax) &&
      (is_number(kernel_.arg(inst, 0)) || is_number(kernel_.arg(inst, 1))))
    return Nan::Clean;  // of a NaN and a number it is the number
  return gives_raw_nan(kernel_, inst, floats_) ? Nan::Raw : Nan::Clean;
}

/// Values only ever become greater, so this ends.
void NanFlow::find_values() {
  for (bool changed = true; std::exchange(changed, false);) {
    for (size_t v = 0; v < kernel_.insts.size(); ++v) {
      const Inst& inst = kernel_.insts[v];
      const bool sets = inst.kind == InstKind::Set;
      const bool stores = inst.kind == InstKind::Store && is_internal(inst.target);
      Nan& known = sets ? slots_[inst.target] : stores ? arrays_[inst.target] : values_[v];
      const Nan now = std::max(known, sets || stores ? operand(inst, inst.args.count - 1) : result(inst));
      changed |= now != known;
      known = now;
    }
  }
}

/// Whether the bits of a NaN are seen through an instruction that takes it as this operand.
bool NanFlow::sees(Value user, uint32_t n) const {
  const Inst& inst = kernel_[user];
  if (inst.kind == InstKind::Set) return seen_slots_[inst.target];
  if (inst.kind == InstKind::Store && is_internal(inst.target)) return seen_arrays_[inst.target];
  if (inst.kind == InstKind::Apply) {
    if (inst.op == Op::Bitcast) return true;
    return (is_sign(inst) || (is_copy(inst) && (inst.op == Op::Cast || n > 0))) && seen_[index(user)];
  }
  return writes_memory(inst.kind) || inst.kind == InstKind::Intrinsic;
}

void NanFlow::find_seen() {
  seen_.assign(kernel_.insts.size(), false);
  seen_slots_.assign(kernel_.slots.size(), false);
  seen_arrays_.assign(kernel_.buffers.size(), false);
  bool changed = true;
  const auto see = [&](std::vector<bool>::reference flag) {
    changed |= !flag;
    flag = true;
  };
  while (std::exchange(changed, false)) {
    for (size_t v = kernel_.insts.size(); v-- > 0;) {
      const Inst& inst = kernel_.insts[v];
      if (inst.kind == InstKind::Get && seen_[v]) see(seen_slots_[inst.target]);
      if (inst.kind == InstKind::Load && seen_[v]) see(seen_arrays_[inst.target]);
      for (uint32_t n = 0; n < inst.args.count; ++n) {
        if (sees(Value{uint32_t(v)}, n)) see(seen_[index(kernel_.arg(inst, n))]);
      }
    }
  }
}

void NanFlow::find_split() {
  std::vector<bool> set_raw(kernel_.slots.size(), false), got_unseen(kernel_.slots.size(), false);
  for (size_t v = 0; v < kernel_.insts.size(); ++v) {
    const Inst& inst = kernel_.insts[v];
    if (inst.kind == InstKind::Set && operand(inst, 0) == Nan::Raw) set_raw[inst.target] = true;
    if (inst.kind == InstKind::Get && !seen_[v]) got_unseen[inst.target] = true;
  }
  split_.assign(kernel_.slots.size(), false);
  for (size_t s = 0; s < split_.size(); ++s) {
    split_[s] = slots_[s] == Nan::Kept && seen_slots_[s] && set_raw[s] && got_unseen[s];
  }
}

bool NanFlow::must_canonicalise(Value user, uint32_t n) const {
  if (!any_raw_) return false;
  const Inst& inst = kernel_[user];
  if (operand(inst, n) != Nan::Raw || !sees(user, n)) return false;
  if (inst.kind == InstKind::Set) return slots_[inst.target] == Nan::Kept;
  if (inst.kind == InstKind::Store && is_internal(inst.target)) return arrays_[inst.target] == Nan::Kept;
  const bool copies = inst.kind == InstKind::Apply && is_copy(inst);
  return !copies || values_[index(user)] == Nan::Kept;
}

// match:  a raw NaN whose bits are seen
// result: select.raw(feq.raw(a, a), a, nan)     // f32, where comparisons are promised to be exact
//         select.raw(ult.raw(infinity, and.raw(a, ~sign)), nan, a)
//         // Two instructions instead of three, at every store of a float. Without fast-math flags no
//         optimiser
//         // may take either for nothing: a select keeps bits, and the audit refuses such flags.
Value canonical(Rewriter& r, spec::DataType type, Value a) {
  const spec::FloatFormat f = spec::float_format(type);
  if (type == spec::DataType::F32 && r.target().floats[RawOp::FEq].exact()) {
    return choose(r, r.raw(RawOp::FEq, {a, a}), a, r.constant(f.nan()));
  }
  const Value is_nan = less(r, r.constant(f.infinity()), magnitude(r, f, a));
  return choose(r, is_nan, r.constant(f.nan()), a);
}

}  // namespace vyre::lower
