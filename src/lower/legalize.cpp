// legalize(): a kernel in raw operators alone, and the rules for memory.
//
// Instructions are rewritten one by one, block by block; operators by the rules in rules.cpp, accesses by
// those here. An index is compared before it is used in any way, as semantics ("Memory") wants it.
#include "lower/rewrite.h"

namespace vyre::lower {
namespace {

using spec::DataType;

Value in_bounds(Rewriter& r, const Inst& access) {
  return r.raw(RawOp::ULt, {r.source().arg(access, 0), r.length(access.target)});
}

// match:  load b[i], guard form Branch
// result: set s, 0; if (ult.raw(i, len b)) { set s, load.raw b[i] }; get s
Value load_branch(Rewriter& r, const Inst& load) {
  const Slot slot = r.variable("load");
  r.set(slot, r.constant(0));
  r.if_(in_bounds(r, load), [&] { r.set(slot, r.access(InstKind::RawLoad, load, r.source().arg(load, 0))); });
  return r.get(slot);
}

// match:  load b[i], guard form Select
// result: c = ult.raw(i, len b); select.raw(c, load.raw b[select.raw(c, i, 0)], 0)
Value load_select(Rewriter& r, const Inst& load) {
  const Value inside = in_bounds(r, load);
  const Value i = r.raw(RawOp::Select, {inside, r.source().arg(load, 0), r.constant(0)});
  const Value loaded = r.access(InstKind::RawLoad, load, i);
  return r.raw(RawOp::Select, {inside, loaded, r.constant(0)});
}

// match:  load b[i], elements bool
// result: ne.raw(guarded load of the word, 0)
Value load(Rewriter& r, const Inst& inst) {
  const Value word = r.target().load_guard == GuardForm::Branch ? load_branch(r, inst) : load_select(r, inst);
  if (r.source().buffers[inst.target].element != DataType::Bool) return word;
  return r.raw(RawOp::Ne, {word, r.constant(0)});
}

// match:  store b[i], x
// result: if (ult.raw(i, len b)) { store.raw b[i], x }
void store(Rewriter& r, const Inst& inst) {
  r.if_(in_bounds(r, inst), [&] { r.access(InstKind::RawStore, inst, r.source().arg(inst, 0)); });
}

// match:  atomic b[i], x
// result: set s, 0; if (ult.raw(i, len b)) { set s, atomic.raw b[i], x }; get s
Value atomic(Rewriter& r, const Inst& inst) {
  const Slot slot = r.variable("atomic");
  r.set(slot, r.constant(0));
  r.if_(in_bounds(r, inst),
        [&] { r.set(slot, r.access(InstKind::RawAtomic, inst, r.source().arg(inst, 0))); });
  return r.get(slot);
}

// match:  len b, b in workgroup memory
// result: the declared count
Value length(Rewriter& r, const Inst& inst) { return r.length(inst.target); }

void rewrite(Rewriter& r, Value v) {
  const Inst& inst = r.source()[v];
  switch (inst.kind) {
    case InstKind::Apply: return r.replace(v, legalize_apply(r, inst));
    case InstKind::Load: return r.replace(v, load(r, inst));
    case InstKind::Store: return store(r, inst);
    case InstKind::Atomic: return r.replace(v, atomic(r, inst));
    case InstKind::Len: return r.replace(v, length(r, inst));
    case InstKind::Const:
    case InstKind::InvocationId:
    case InstKind::WorkgroupId:
    case InstKind::LocalId:
    case InstKind::Get:
    case InstKind::Set:
    case InstKind::If:
    case InstKind::Loop:
    case InstKind::Return:
    case InstKind::Barrier:
    case InstKind::Intrinsic:
    case InstKind::Raw:
    case InstKind::RawLoad:
    case InstKind::RawStore:
    case InstKind::RawAtomic: return r.keep(v);
  }
}

}  // namespace

Kernel legalize(const Kernel& kernel, const Target& target) {
  Rewriter r(kernel, target);
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    for (const Value v : kernel.blocks[b]) {
      r.at(KBlock{b}, kernel[v].origin);
      rewrite(r, v);
    }
  }
  return r.finish();
}

}  // namespace vyre::lower
