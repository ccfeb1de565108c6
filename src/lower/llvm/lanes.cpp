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
  const Value left = k_.arg(inst, 0), right = k_.arg(inst, 1);
  const auto a = stride_of(left, budget), b = stride_of(right, budget);
  if (!a || !b) return std::nullopt;
  const auto literal = [&](Value w) { return k_[w].kind == InstKind::Const; };
  if (inst.raw == RawOp::Add) return *a + *b;
  if (inst.raw == RawOp::Sub) return *a - *b;
  if (inst.raw == RawOp::Mul && literal(right)) return *a * k_[right].imm;
  if (inst.raw == RawOp::Mul && literal(left)) return *b * k_[left].imm;
  if (inst.raw == RawOp::Shl && literal(right)) return *a << (k_[right].imm & 31);
  return *a == 0 && *b == 0 && is_total(inst.raw) ? std::optional(0u) : std::nullopt;
}

std::vector<LinearGuard> LanesOf::linear_guards(std::span<const Value> lanes) const {
  std::vector<LinearGuard> out;
  const auto visit = [&](Value v) {
    const Inst& branch = k_[v];
    if (branch.kind != InstKind::If || branch.orelse != kNoKBlock) return;
    const Value condition = k_.arg(branch, 0);
    const Inst& test = k_[condition];
    if (test.kind != InstKind::Raw || test.raw != RawOp::ULt) return;
    const Value index = k_.arg(test, 0), bound = k_.arg(test, 1);
    const bool guards = std::ranges::any_of(k_.block(branch.body), [&](Value inner) {
      const InstKind kind = k_[inner].kind;
      return (kind == InstKind::RawLoad || kind == InstKind::RawStore) && k_.arg(k_[inner], 0) == index;
    });
    if (!guards || !is_shared(bound)) return;
    const auto stride = stride_of(index);
    if (stride && *stride <= kMostStride) out.push_back({condition, index, bound, *stride});
  };
  for (const Value top : lanes) {
    visit(top);
    for (const KBlock inner : {k_[top].body, k_[top].orelse}) {
      if (inner != kNoKBlock) walk(k_, inner, visit);
    }
  }
  return out;
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
