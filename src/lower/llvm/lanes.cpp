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

}  // namespace

bool LanesOf::is_shared(Value v) const {
  const Inst& inst = k_[v];
  if (given_by(inst.kind) != BuiltinInput::Nothing) {
    if (info(inst.kind).source == Source::Invocation) return inst.imm != 0;
    return !(many_workgroups_ && inst.kind == InstKind::WorkgroupId && inst.imm == 0);
  }
  return plan_.residence[index(v)] == Residence::Scalar || whole_.residence[index(v)] == Residence::Scalar;
}

std::optional<uint32_t> LanesOf::stride_of(Value v) const {
  uint32_t budget = kMostOperators;
  return stride_of(v, budget);
}
std::optional<uint32_t> LanesOf::stride_of(Value v, uint32_t& budget) const {
  if (is_shared(v)) return 0;
  const Inst& inst = k_[v];
  if (inst.kind == InstKind::InvocationId) return 1;
  if (inst.kind == InstKind::LocalId && !many_workgroups_) return 1;
  if (inst.kind != InstKind::Raw || k_.args(inst).size() != 2 || budget == 0) return std::nullopt;
  --budget;
  // The remainder of an id, in a chunk that has no multiple inside.
  if (inst.raw == RawOp::And && is_aligned(k_, plan_.lanes)) {
    const Inst& id = k_[k_.arg(inst, 0)];
    const bool of_id = info(id.kind).source == Source::Invocation && id.imm == 0;
    const uint32_t low = plan_.lanes - 1;
    if (of_id && (literal_of(k_, k_.arg(inst, 1)).value_or(0) & low) == low) return 1;
  }
  const Value left = k_.arg(inst, 0), right = k_.arg(inst, 1);
  const auto a = stride_of(left, budget), b = stride_of(right, budget);
  if (!a || !b) return std::nullopt;
  if (inst.raw == RawOp::Add) return *a + *b;
  if (inst.raw == RawOp::Sub) return *a - *b;
  const auto by = literal_of(k_, right), of = literal_of(k_, left);
  if (inst.raw == RawOp::Mul && by) return *a * *by;
  if (inst.raw == RawOp::Mul && of) return *b * *of;
  if (inst.raw == RawOp::Shl && by) return *a << (*by & 31);
  return *a == 0 && *b == 0 && is_total(inst.raw) ? std::optional(0u) : std::nullopt;
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
        out.push_back({kNoValue, index, kNoValue, *stride});
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
    if (is_linear || !linear) out.push_back({condition, index, bound, is_linear ? *stride : 0});
  };
  for (const Value top : block) {
    visit(top);
    for (const KBlock inner : {k_[top].body, k_[top].orelse}) {
      if (inner != kNoKBlock) walk(k_, inner, visit);
    }
  }
}

std::optional<LaneGuard> LanesOf::lone_guard(const Region& region) const {
  if (!region.slots_out.empty() || region.returns || region.checks_live) return std::nullopt;
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
