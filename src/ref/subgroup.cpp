#include "ref/subgroup.h"

#include <algorithm>

#include "spec/table.h"

namespace vyre::ref {
namespace {

using spec::Intrinsic;
using spec::Row;
using Lanes = std::span<const LaneOperands>;

uint32_t size_of(Lanes lanes) { return uint32_t(lanes.size()); }
uint32_t word(const LaneOperands& operands) { return uint32_t(operands[0]); }

/// Folds the first operands of some lanes, the lowest lane first.
template <typename Function>
Bits fold(Lanes lanes, uint32_t from, Function f) {
  uint32_t out = from;
  for (const LaneOperands& operands : lanes) out = f(out, word(operands));
  return out;
}

Bits eval_SubgroupSize(Lanes lanes, uint32_t) { return size_of(lanes); }
Bits eval_SubgroupLane(Lanes, uint32_t lane) { return lane; }
Bits eval_SubgroupShuffle(Lanes lanes, uint32_t lane) {
  const uint32_t source = uint32_t(lanes[lane][1]) & (size_of(lanes) - 1);
  return lanes[source][0];
}
Bits eval_SubgroupBallot(Lanes lanes, uint32_t) {
  Bits out = 0;
  for (uint32_t i = 0; i < size_of(lanes); ++i) out |= Bits(word(lanes[i]) != 0 ? 1 : 0) << i;
  return out;
}
Bits eval_SubgroupAny(Lanes lanes, uint32_t) {
  return std::ranges::any_of(lanes, [](const LaneOperands& x) { return word(x) != 0; }) ? 1 : 0;
}
Bits eval_SubgroupAll(Lanes lanes, uint32_t) {
  return std::ranges::all_of(lanes, [](const LaneOperands& x) { return word(x) != 0; }) ? 1 : 0;
}

uint32_t add(uint32_t a, uint32_t b) { return a + b; }

Bits eval_SubgroupReduceAdd(Lanes lanes, uint32_t) { return fold(lanes, 0, add); }
Bits eval_SubgroupReduceMin(Lanes lanes, uint32_t) {
  return fold(lanes, UINT32_MAX, [](uint32_t a, uint32_t b) { return std::min(a, b); });
}
Bits eval_SubgroupReduceMax(Lanes lanes, uint32_t) {
  return fold(lanes, 0, [](uint32_t a, uint32_t b) { return std::max(a, b); });
}
Bits eval_SubgroupReduceAnd(Lanes lanes, uint32_t) {
  return fold(lanes, UINT32_MAX, [](uint32_t a, uint32_t b) { return a & b; });
}
Bits eval_SubgroupReduceOr(Lanes lanes, uint32_t) {
  return fold(lanes, 0, [](uint32_t a, uint32_t b) { return a | b; });
}
Bits eval_SubgroupReduceXor(Lanes lanes, uint32_t) {
  return fold(lanes, 0, [](uint32_t a, uint32_t b) { return a ^ b; });
}
Bits eval_SubgroupScanAdd(Lanes lanes, uint32_t lane) { return fold(lanes.first(lane + 1), 0, add); }
Bits eval_SubgroupScanAddExclusive(Lanes lanes, uint32_t lane) { return fold(lanes.first(lane), 0, add); }

using Eval = Bits (*)(Lanes, uint32_t lane);
constexpr Row<Intrinsic, Eval> kEvalRows[] = {
    {Intrinsic::SubgroupSize, eval_SubgroupSize},
    {Intrinsic::SubgroupLane, eval_SubgroupLane},
    {Intrinsic::SubgroupShuffle, eval_SubgroupShuffle},
    {Intrinsic::SubgroupBallot, eval_SubgroupBallot},
    {Intrinsic::SubgroupAny, eval_SubgroupAny},
    {Intrinsic::SubgroupAll, eval_SubgroupAll},
    {Intrinsic::SubgroupReduceAdd, eval_SubgroupReduceAdd},
    {Intrinsic::SubgroupReduceMin, eval_SubgroupReduceMin},
    {Intrinsic::SubgroupReduceMax, eval_SubgroupReduceMax},
    {Intrinsic::SubgroupReduceAnd, eval_SubgroupReduceAnd},
    {Intrinsic::SubgroupReduceOr, eval_SubgroupReduceOr},
    {Intrinsic::SubgroupReduceXor, eval_SubgroupReduceXor},
    {Intrinsic::SubgroupScanAdd, eval_SubgroupScanAdd},
    {Intrinsic::SubgroupScanAddExclusive, eval_SubgroupScanAddExclusive},
};
constexpr spec::TotalTable<kEvalRows> kEval;

}  // namespace

Bits eval_subgroup(Intrinsic intrinsic, std::span<const LaneOperands> lanes, uint32_t lane) {
  return kEval[intrinsic](lanes, lane);
}

}  // namespace vyre::ref
