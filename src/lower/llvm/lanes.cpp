#include "lower/llvm/lanes.h"

#include <algorithm>

#include "lower/inst_info.h"
#include "lower/walk.h"

namespace vyre::lower {
namespace {

/// The largest stride of an access along lanes that is worth a version of its own.
constexpr uint32_t kMostStride = 64;
/// Operators of an index that are computed once more for the first lane.
constexpr uint32_t kMostOperators = 32;

/// A loop with fewer operators than that for each store at a place of its lane's own is not worth vectors.
constexpr size_t kOperatorsOfScatter = 8;

}  // namespace

bool LanesOf::is_shared(Value v) const {
  const Inst& inst = k_[v];
  if (given_by(inst.kind) != BuiltinInput::Nothing) {
    if (info(inst.kind).source == Source::Invocation) return inst.imm != 0;
    return !(many_workgroups_ && inst.kind == InstKind::WorkgroupId && inst.imm == 0);
  }
  return plan_.residence[index(v)] == Residence::Scalar || whole_.residence[index(v)] == Residence::Scalar;
}

std::optional<Value> LanesOf::mask_of_lane(Value v) const {
  const Inst& inst = k_[v];
  if (inst.kind != InstKind::Raw || inst.raw != RawOp::And) return std::nullopt;
  const Inst& id = k_[k_.arg(inst, 0)];
  if (info(id.kind).source != Source::Invocation || id.imm != 0) return std::nullopt;
  const Value mask = k_.arg(inst, 1);
  return is_shared(mask) ? std::optional(mask) : std::nullopt;
}
std::optional<uint32_t> LanesOf::stride_of(Value v) const {
  uint32_t budget = kMostOperators;
  return stride_of(v, budget);
}
std::optional<uint32_t> LanesOf::stride_of(Value v, uint32_t& budget, const Wrap* wrap) const {
  if (wrap != nullptr && v == wrap->select) return stride_of(wrap->along, budget);
  if (is_shared(v)) return 0;
  const Inst& inst = k_[v];
  if (inst.kind == InstKind::InvocationId) return 1;
  if (inst.kind == InstKind::LocalId && !many_workgroups_) return 1;
  if (inst.kind != InstKind::Raw || k_.args(inst).size() != 2 || budget == 0) return std::nullopt;
  --budget;
  if (parts_ && mask_of_lane(v)) return 1;
  if (parts_ && is_one_for_chunk(k_, inst, kLeastPart)) return 0;
  // The remainder of an id, in a chunk that has no multiple inside.
  if (inst.raw == RawOp::And && is_aligned(k_, plan_.lanes)) {
    const Inst& id = k_[k_.arg(inst, 0)];
    const bool of_id = info(id.kind).source == Source::Invocation && id.imm == 0;
    const uint32_t low = plan_.lanes - 1;
    if (of_id && (literal_of(k_, k_.arg(inst, 1)).value_or(0) & low) == low) return 1;
  }
  const Value left = k_.arg(inst, 0), right = k_.arg(inst, 1);
  const auto a = stride_of(left, budget, wrap), b = stride_of(right, budget, wrap);
  if (!a || !b) return std::nullopt;
  if (inst.raw == RawOp::Add) return *a + *b;
  if (inst.raw == RawOp::Sub) return *a - *b;
  const auto by = literal_of(k_, right), of = literal_of(k_, left);
  if (inst.raw == RawOp::Mul && by) return *a * *by;
  if (inst.raw == RawOp::Mul && of) return *b * *of;
  if (inst.raw == RawOp::Shl && by) return *a << (*by & 31);
  return *a == 0 && *b == 0 && is_total(inst.raw) ? std::optional(0u) : std::nullopt;
}

Value LanesOf::find_select(Value v, uint32_t& budget) const {
  const Inst& inst = k_[v];
  if (inst.kind != InstKind::Raw || is_shared(v) || budget == 0) return kNoValue;
  --budget;
  if (inst.raw == RawOp::Select) return v;
  for (const Value a : k_.args(inst)) {
    if (const Value found = find_select(a, budget); found != kNoValue) return found;
  }
  return kNoValue;
}
std::optional<Wrap> LanesOf::wrap_of(Value index) const {
  uint32_t budget = kMostOperators;
  const Value select = find_select(index, budget);
  if (select == kNoValue) return std::nullopt;
  const auto args = k_.args(k_[select]);
  // What the edge is has to be known in any loop, with no more than ids and what is shared.
  const Inst& test = k_[args[0]];
  const bool compares = test.kind == InstKind::Raw &&
                        (test.raw == RawOp::Eq || test.raw == RawOp::ULt || test.raw == RawOp::ULe);
  if (!compares || !std::ranges::all_of(k_.args(test), [&](Value a) { return stride_of(a).has_value(); }))
    return std::nullopt;
  Wrap wrap{select, args[1], args[2]};
  if (is_shared(wrap.along)) std::swap(wrap.along, wrap.at_edge);
  if (!is_shared(wrap.at_edge) || is_shared(wrap.along)) return std::nullopt;
  const auto stride = stride_of(index, budget, &wrap);
  return stride && *stride != 0 && *stride <= kMostStride ? std::optional(wrap) : std::nullopt;
}

std::vector<LinearGuard> LanesOf::linear_guards(std::span<const Value> lanes) const {
  std::vector<LinearGuard> out;
  collect(lanes, /*linear=*/true, out);
  return out;
}
std::vector<LinearGuard> LanesOf::all_guards() const {
  std::vector<LinearGuard> out;
  for (const Region& region : plan_.regions) {
    collect(region.scalars, /*linear=*/false, out);
    collect(region.lanes, /*linear=*/false, out);
  }
  return out;
}

void LanesOf::collect(std::span<const Value> block, bool linear, std::vector<LinearGuard>& out) const {
  const auto is_access = [&](Value v) {
    return k_[v].kind == InstKind::RawLoad || k_[v].kind == InstKind::RawStore;
  };
  const auto visit = [&](Value v) {
    const Inst& inst = k_[v];
    if (is_access(v)) {
      const Value index = k_.arg(inst, 0);
      if (k_[index].kind != InstKind::Raw) return;
      if (std::ranges::find(out, index, &LinearGuard::index) != out.end()) return;
      const auto stride = stride_of(index);
      if (stride && *stride != 0 && *stride <= kMostStride)
        out.push_back({kNoValue, index, kNoValue, *stride, kNoValue});
      return;
    }
    if (inst.kind != InstKind::If) return;
    const Value condition = k_.arg(inst, 0);
    const Inst& test = k_[condition];
    if (test.kind != InstKind::Raw || test.raw != RawOp::ULt) return;
    const Value index = k_.arg(test, 0), bound = k_.arg(test, 1);
    // A comparison with a length that a person wrote around accesses is a guard too.
    const bool guards =
        k_[bound].kind == InstKind::Len ||
        (inst.orelse == kNoKBlock && std::ranges::any_of(k_.block(inst.body), [&](Value inner) {
           return is_access(inner) && k_.arg(k_[inner], 0) == index;
         }));
    if (!guards || (linear && !is_shared(bound))) return;
    const auto stride = stride_of(index);
    const bool is_linear = stride && *stride <= kMostStride;
    if (linear && !is_linear && k_[bound].kind == InstKind::Len &&
        !spec::is_writable(k_.buffers[k_[bound].target].access)) {
      if (const auto wrap = wrap_of(index)) {
        uint32_t budget = kMostOperators;
        out.push_back({condition, index, bound, *stride_of(index, budget, &*wrap), wrap->select});
      }
    }
    if (is_linear || !linear) out.push_back({condition, index, bound, is_linear ? *stride : 0, kNoValue});
  };
  for (const Value top : block) {
    visit(top);
    for (const KBlock inner : {k_[top].body, k_[top].orelse}) {
      if (inner != kNoKBlock) walk(k_, inner, visit);
    }
  }
}

bool LanesOf::scatters(std::span<const Value> lanes) const {
  size_t operators = 0, stores = 0;
  bool some = false;  // a store that not all lanes reach: vectors have masks, a branch is mispredicted
  const auto visit = [&](Value v) {
    const Inst& inst = k_[v];
    operators += inst.kind == InstKind::Raw;
    if (inst.kind == InstKind::RawStore && !stride_of(k_.arg(inst, 0))) ++stores;
    if (inst.kind != InstKind::If || is_shared(k_.arg(inst, 0))) return;
    const Inst& test = k_[k_.arg(inst, 0)];
    for (const KBlock arm : {inst.body, inst.orelse}) {
      if (arm == kNoKBlock) continue;
      walk(k_, arm, [&](Value inner) {
        const bool guard = test.kind == InstKind::Raw && test.raw == RawOp::ULt &&
                           k_[inner].args.count != 0 && k_.arg(test, 0) == k_.arg(k_[inner], 0);
        some |= k_[inner].kind == InstKind::RawStore && !guard;
      });
    }
  };
  for (const Value top : lanes) {
    visit(top);
    for (const KBlock inner : {k_[top].body, k_[top].orelse}) {
      if (inner != kNoKBlock) walk(k_, inner, visit);
    }
  }
  return !some && stores * kOperatorsOfScatter > operators;
}

std::optional<LaneGuard> LanesOf::lone_guard(const Region& region) const {
  if (region.returns || region.checks_live) return std::nullopt;
  Value only = kNoValue;
  for (const Value v : region.lanes) {
    const InstKind kind = k_[v].kind;
    if (kind == InstKind::If && only == kNoValue && k_[v].orelse == kNoKBlock) {
      only = v;
    } else if ((kind != InstKind::Raw && kind != InstKind::RawLoad) ||
               plan_.value_offset[index(v)] != kNoOffset) {
      return std::nullopt;
    }
  }
  if (only == kNoValue) return std::nullopt;
  const Value condition = k_.arg(k_[only], 0);
  const Inst& test = k_[condition];
  if (test.kind != InstKind::Raw) return std::nullopt;
  const auto of = [&](LaneGuard::Relation relation, Value lane, Value bound) -> std::optional<LaneGuard> {
    const bool is_lane = k_[lane].kind == InstKind::LocalId && k_[lane].imm == 0;
    if (!is_lane || !is_shared(bound)) return std::nullopt;
    return LaneGuard{relation, condition, bound};
  };
  using enum LaneGuard::Relation;
  if (test.raw == RawOp::ULt) return of(Below, k_.arg(test, 0), k_.arg(test, 1));
  if (test.raw == RawOp::ULe) return of(From, k_.arg(test, 1), k_.arg(test, 0));
  if (test.raw == RawOp::Eq) return of(Only, k_.arg(test, 0), k_.arg(test, 1));
  return std::nullopt;
}

}  // namespace vyre::lower
