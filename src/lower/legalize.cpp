// legalize(): a kernel in raw operators alone, and the rules for memory.
//
// Instructions are rewritten one by one, block by block, but for lines of float operators of which a target
// promises a part (lower/speculation.h); operators by the rules in rules.cpp, accesses by those here. An
// index is compared before it is used in any way, as semantics ("Memory") wants it: of a tensor, each
// coordinate with its dimension, and only then do they become one index.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "lower/constants.h"
#include "lower/nan.h"
#include "lower/ranges.h"
#include "lower/rules.h"
#include "lower/speculation.h"
#include "lower/unroll.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;

/// Whether an element of 16 bits has a word of its own.
bool is_widened(const Rewriter& r, uint32_t buffer) {
  const KernelBuffer& b = r.source().buffers[buffer];
  return b.access == spec::BufferAccess::Private && spec::info(b.element).bytes == 2;
}

/// Whether an element is half a word that the target cannot reach by itself.
bool is_half(const Rewriter& r, uint32_t buffer) {
  const bool half = spec::info(r.source().buffers[buffer].element).bytes == 2;
  return half && !r.target().has_16bit_access && !is_widened(r, buffer);
}

// Elements that the guards have found in bounds, at `index`.

/// Where the word lies that element `index` of 16 bits is half of, and how far up in it.
struct Half {
  RawAddress word;
  Value shift;
};
Half half(Rewriter& r, uint32_t buffer, Value index) {
  const Value word = right(r, index, 1);
  const Value shift = left(r, mask(r, index, 1), 4);
  return {{.buffer = buffer, .index = word, .access = Access::Words}, shift};
}

// match:  an element of one word, or of 16 bits with access to them
// result: load.raw b[i]
// match:  an element of several words
// result: load.raw b[i]:0, load.raw b[i]:1, ...
// match:  an element of u64 or u128 for a target with integers of 64 bits
// result: load.raw long b[i]:0, load.raw long b[i]:2
// match:  an element of 16 bits, without
// result: and.raw(lshr.raw(load.raw words b[lshr.raw(i, 1)], shl.raw(and.raw(i, 1), 4)), ffff)
Limbs load_element(Rewriter& r, uint32_t buffer, DataType type, Value index) {
  if (is_half(r, buffer)) {
    const Half at = half(r, buffer, index);
    return mask(r, r.raw(RawOp::LShr, {r.load(at.word), at.shift}), 0xffff);
  }
  Limbs out;
  if (r.has_longs(type)) {
    for (uint32_t n = 0; n < spec::value_words(type); n += 2)
      r.add_words(out, r.load({.buffer = buffer, .index = index, .word = n, .type = DataType::U64}));
    return out;
  }
  for (uint32_t n = 0; n < spec::value_words(type); ++n) {
    out.add(r.load({.buffer = buffer, .index = index, .word = n}));
  }
  return out;
}

// match:  an element of one word, of several, or of 16 bits with access to them
// result: store.raw b[i], x, as load
// match:  an element of 16 bits of a private array, which has a word
// result: store.raw b[i], and.raw(x, ffff)
// match:  an element of 16 bits, without
// result: s = shl.raw(and.raw(i, 1), 4); atomic_and.raw words b[i / 2], not.raw(shl.raw(ffff, s));
//         atomic_or.raw words b[i / 2], shl.raw(x, s)
//         // Between the two the element is zero, which only a race could see; the other half is never
//         touched.
void store_element(Rewriter& r, uint32_t buffer, Value index, const Limbs& value) {
  if (is_half(r, buffer)) {
    const Half at = half(r, buffer, index);
    const Value keep = r.raw(RawOp::Not, {r.raw(RawOp::Shl, {r.constant(0xffff), at.shift})});
    r.atomic(Op::AtomicAnd, at.word, {{keep}});
    r.atomic(Op::AtomicOr, at.word, {{r.raw(RawOp::Shl, {value[0], at.shift})}});
    return;
  }
  if (is_widened(r, buffer)) return r.store({.buffer = buffer, .index = index}, mask(r, value[0], 0xffff));
  if (r.has_longs(r.source().buffers[buffer].element)) {
    for (uint32_t n = 0; n < value.count; n += 2) {
      const Value whole = r.long_of(value, n / 2);
      r.store({.buffer = buffer, .index = index, .word = n, .type = DataType::U64}, whole);
    }
    return;
  }
  for (uint32_t n = 0; n < value.count; ++n) r.store({.buffer = buffer, .index = index, .word = n}, value[n]);
}

/// The target without conversions of BF16 where the kernel has F16 too. LLVM 19 cannot select the bitcast
/// between the two that its optimiser makes of a pattern that goes from one to the other.
Target for_kernel(const Kernel& kernel, Target target) {
  const auto is_half = [](const Inst& inst) {
    return inst.type == DataType::F16 || inst.operand_type == DataType::F16;
  };
  if (std::ranges::any_of(kernel.insts, is_half)) {
    target.floats[RawOp::FFromBF16] = target.floats[RawOp::FToBF16] = {};
  }
  return target;
}

class Legalizer {
 public:
  Legalizer(const Kernel& kernel, const Target& target)
      : kernel_(kernel),
        r_(kernel, target),
        nan_(kernel, target.floats),
        ranges_(word_ranges(kernel)),
        lines_(r_, kGuardedSingle, [this](Value v) { rewrite(v); }) {}

  Kernel run() {
    r_.at(kernel_.entry, Span::none());
    load_dimensions();
    lines_.begin();
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      lines_.start(KBlock{b});
      for (const Value v : kernel_.blocks[b]) {
        r_.at(KBlock{b}, kernel_[v].origin);
        lines_.next(v);
      }
      lines_.end();
    }
    return r_.finish();
  }

 private:
  // match:  a tensor with dynamic dimensions that some instruction uses
  // result: load.raw params[element], once, at the kernel's beginning: uniform buffers do not change, and
  //         layout::bind has made sure that the element exists
  void load_dimensions() {
    for (const Inst& inst : kernel_.insts) {
      if (inst.kind != InstKind::Load && inst.kind != InstKind::Store) continue;
      for (const KernelDim& dim : kernel_.buffers[inst.target].dims) {
        if (!dim.dynamic || dimensions_.contains({dim.buffer, dim.element})) continue;
        const Value loaded = r_.load({.buffer = dim.buffer, .index = r_.constant(dim.element)});
        dimensions_.emplace(std::pair(dim.buffer, dim.element), loaded);
      }
    }
  }
  Value dimension(const KernelDim& dim) {
    return dim.dynamic ? dimensions_.at({dim.buffer, dim.element}) : r_.constant(dim.size);
  }

  // match:  an access b[i]; t[i, j, ...]
  // result: ult.raw(i, len b); and.raw(ult.raw(i, dimension 0), ult.raw(j, dimension 1)), ...
  Value in_bounds(const Inst& access) {
    const auto& dims = kernel_.buffers[access.target].dims;
    if (dims.empty()) return less(r_, r_.word(access, 0), r_.length(access.target));
    Value inside{};
    for (uint32_t d = 0; d < dims.size(); ++d) {
      const Value below = less(r_, r_.word(access, d), dimension(dims[d]));
      inside = d == 0 ? below : both(r_, inside, below);
    }
    return inside;
  }

  // match:  the index of b[i]; of t[i, j, ...] with strides; of t[i, j, ...] without
  // result: i; i * stride 0 + j * stride 1 + ...; ((i * dimension 1) + j) * dimension 2 + ...
  //         // In bounds the sum is below the length, as layout::bind has made sure; elsewhere it may wrap.
  Value linear_index(const Inst& access) {
    const KernelBuffer& buffer = kernel_.buffers[access.target];
    Value sum = r_.word(access, 0);
    if (buffer.dims.empty()) return sum;
    if (!buffer.strides.empty()) sum = mul(r_, sum, r_.constant(buffer.strides[0]));
    for (uint32_t d = 1; d < buffer.dims.size(); ++d) {
      const Value coordinate = r_.word(access, d);
      if (buffer.strides.empty()) {
        sum = add(r_, mul(r_, sum, dimension(buffer.dims[d])), coordinate);
      } else {
        sum = add(r_, sum, mul(r_, coordinate, r_.constant(buffer.strides[d])));
      }
    }
    return sum;
  }

  // match:  load b[i], guard form Branch
  // result: set s, 0; if (in bounds) { set s, load.raw b[i] }; get s
  Limbs load_branch(const Inst& load, DataType type) {
    const Variable out = r_.variable("load", type);
    r_.clear(out);
    r_.if_(in_bounds(load), [&] { r_.set(out, load_element(r_, load.target, type, linear_index(load))); });
    return r_.get(out);
  }

  // match:  load b[i], guard form Select
  // result: c = in bounds; select.raw(c, load.raw b[select.raw(c, i, 0)], 0)
  Limbs load_select(const Inst& load, DataType type) {
    const Value inside = in_bounds(load);
    const Value i = choose(r_, inside, linear_index(load), r_.constant(0));
    const Limbs loaded = load_element(r_, load.target, type, i);
    Limbs zero;
    for (uint32_t n = 0; n < loaded.count; ++n) zero.add(r_.constant(0));
    return choose_value(r_, type, inside, loaded, zero);
  }

  // match:  load b[i], whose index is inside as ranges prove
  // result: load.raw b[i]
  // match:  load b[i], elements bool
  // result: ne.raw(the load of the word, 0)
  Limbs load(Value v) {
    const Inst& inst = kernel_[v];
    const DataType element = kernel_.buffers[inst.target].element, type = spec::element_value_type(element);
    const bool branch = r_.target().load_guard == GuardForm::Branch;
    const Limbs words = ranges_.inside[index(v)] ? load_element(r_, inst.target, type, r_.word(inst, 0))
                        : branch                 ? load_branch(inst, type)
                                                 : load_select(inst, type);
    if (element != DataType::Bool) return words;
    return r_.raw(RawOp::Ne, {words[0], r_.constant(0)});
  }

  /// Whether an index is a literal beyond a count that is declared.
  bool is_beyond(const Inst& access) const {
    const KernelBuffer& buffer = kernel_.buffers[access.target];
    const Inst& i = kernel_[kernel_.arg(access, 0)];
    return !spec::is_bound(buffer.access) && i.kind == InstKind::Const && i.imm >= buffer.count;
  }

  // match:  store b[i], x
  // result: if (in bounds) { store.raw b[i], x }, without the if where ranges prove that; nothing where i is
  // a literal beyond a declared count, which
  //         WGSL's validators refuse even where it is not reached
  void store(Value v) {
    const Inst& inst = kernel_[v];
    if (is_beyond(inst)) return;
    const Limbs& value = r_.operand(inst, inst.args.count - 1);
    if (ranges_.inside[index(v)]) return store_element(r_, inst.target, r_.word(inst, 0), value);
    r_.if_(in_bounds(inst), [&] { store_element(r_, inst.target, linear_index(inst), value); });
  }

  // match:  atomic b[i], x
  // result: set s, 0; if (in bounds) { set s, atomic.raw b[i], x }; get s
  Value atomic(Value v) {
    const Inst& inst = kernel_[v];
    const auto write = [&] {
      std::vector<Value> operands;
      for (uint32_t n = 1; n < inst.args.count; ++n) operands.push_back(r_.word(inst, n));
      return r_.atomic(inst.op, {.buffer = inst.target, .index = r_.word(inst, 0)}, operands);
    };
    if (ranges_.inside[index(v)]) return write();
    const Variable before = r_.variable("atomic");
    r_.clear(before);
    r_.if_(in_bounds(inst), [&] { r_.set(before[0], write()); });
    return r_.get(before[0]);
  }

  // match:  an instruction that sees the bits of a raw NaN
  // result: the same of the canonical one
  void rewrite(Value v) {
    const Inst& inst = kernel_[v];
    if (inst.kind == InstKind::Get && nan_.reads_raw(v)) return r_.replace(v, r_.get(raw_slot(inst.target)));
    if (inst.kind == InstKind::Set && nan_.is_split(Slot{inst.target})) {
      r_.set(raw_slot(inst.target), r_.word(inst, 0));
    }
    std::vector<std::pair<Value, Limbs>> raw;
    for (uint32_t n = 0; n < inst.args.count; ++n) {
      if (!nan_.must_canonicalise(v, n)) continue;
      const Value operand = kernel_.arg(inst, n);
      raw.emplace_back(operand, r_.parts(operand));
      r_.replace(operand, canonical(r_, kernel_[operand].type, raw.back().second[0]));
    }
    rewrite_clean(v);
    while (!raw.empty()) {
      r_.replace(raw.back().first, raw.back().second);
      raw.pop_back();
    }
  }

  /// Of a variable that NanFlow splits: the one that arithmetic reads.
  Slot raw_slot(uint32_t slot) {
    const auto [at, fresh] = raw_slots_.try_emplace(slot);
    if (fresh) at->second = r_.variable(kernel_.slots[slot].name + ".raw");
    return at->second[0];
  }

  void rewrite_clean(Value v) {
    const Inst& inst = kernel_[v];
    switch (inst.kind) {
      case InstKind::Apply: return r_.replace(v, legalize_apply(r_, inst));
      case InstKind::Load: return r_.replace(v, load(v));
      case InstKind::Store: return store(v);
      case InstKind::Atomic: return r_.replace(v, atomic(v));
      case InstKind::Len: return r_.replace(v, r_.length(inst.target));  // of workgroup memory: the count
      case InstKind::Const:
      case InstKind::InvocationId:
      case InstKind::WorkgroupId:
      case InstKind::LocalId:
      case InstKind::NumWorkgroups:
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
      case InstKind::RawAtomic: return r_.keep(v);
    }
  }

  const Kernel& kernel_;
  Rewriter r_;
  NanFlow nan_;
  const KnownRanges ranges_;
  Speculation lines_;
  std::map<std::pair<uint32_t, uint32_t>, Value> dimensions_;  // by buffer and element
  std::map<uint32_t, Variable> raw_slots_;                     // by slot of the source
};

}  // namespace

// A line of floats goes on over the rounds of a loop that is written out.
Kernel legalize(const Kernel& kernel, const Target& target) {
  constexpr uint64_t kMostWrittenOut = 1536;
  const auto gains = [&](const Inst& inst) { return has_line_form(inst, target.floats, kGuardedSingle); };
  const DoubledLoops doubled = loops_to_double(kernel, target, kGuardedSingle);
  const std::optional<Kernel> rounds = written_out(kernel, gains, doubled, kMostWrittenOut);
  const Kernel& whole = rounds ? *rounds : kernel;
  if (!target.folds_constants) return Legalizer(whole, for_kernel(whole, target)).run();
  Kernel folded = whole;
  fold_constants(folded);
  return Legalizer(folded, for_kernel(folded, target)).run();
}

}  // namespace vyre::lower
