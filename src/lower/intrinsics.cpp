// What the kernel evaluator takes the operations of category C to mean, over all lanes of a subgroup at once.
#include <algorithm>
#include <numeric>

#include "lower/operators.h"

namespace vyre::lower {
namespace {

using spec::Intrinsic;

struct Lanes {
  std::span<const Word> x;  // operand 0, by lane
  uint32_t lane;
  Word second;
};
using LaneMeaning = Bits (*)(const Lanes& s);

Bits one(Word w) { return {w, 0, 0, 0}; }

/// Folds the lanes before `end`.
template <typename Combine>
Bits folded(const Lanes& s, size_t end, Word start, Combine combine) {
  return one(std::accumulate(s.x.begin(), s.x.begin() + std::ptrdiff_t(end), start, combine));
}

Bits ballot(const Lanes& s) {
  Bits out{};
  for (size_t i = 0; i < s.x.size(); ++i) out[i / 32] |= Word(s.x[i] != 0) << (i % 32);
  return out;
}

constexpr spec::Row<Intrinsic, LaneMeaning> kIntrinsicRows[] = {
    {Intrinsic::SubgroupSize, [](const Lanes& s) { return one(Word(s.x.size())); }},
    {Intrinsic::SubgroupLane, [](const Lanes& s) { return one(s.lane); }},
    {Intrinsic::SubgroupShuffle, [](const Lanes& s) { return one(s.x[s.second % s.x.size()]); }},
    {Intrinsic::SubgroupBallot, ballot},
    {Intrinsic::SubgroupAny,
     [](const Lanes& s) { return one(std::ranges::any_of(s.x, [](Word w) { return w != 0; })); }},
    {Intrinsic::SubgroupAll,
     [](const Lanes& s) { return one(std::ranges::all_of(s.x, [](Word w) { return w != 0; })); }},
    {Intrinsic::SubgroupReduceAdd,
     [](const Lanes& s) { return folded(s, s.x.size(), 0, std::plus<Word>()); }},
    {Intrinsic::SubgroupReduceMin, [](const Lanes& s) { return one(std::ranges::min(s.x)); }},
    {Intrinsic::SubgroupReduceMax, [](const Lanes& s) { return one(std::ranges::max(s.x)); }},
    {Intrinsic::SubgroupReduceAnd,
     [](const Lanes& s) { return folded(s, s.x.size(), ~0u, std::bit_and<Word>()); }},
    {Intrinsic::SubgroupReduceOr,
     [](const Lanes& s) { return folded(s, s.x.size(), 0, std::bit_or<Word>()); }},
    {Intrinsic::SubgroupReduceXor,
     [](const Lanes& s) { return folded(s, s.x.size(), 0, std::bit_xor<Word>()); }},
    {Intrinsic::SubgroupScanAdd, [](const Lanes& s) { return folded(s, s.lane + 1, 0, std::plus<Word>()); }},
    {Intrinsic::SubgroupScanAddExclusive,
     [](const Lanes& s) { return folded(s, s.lane, 0, std::plus<Word>()); }},
};
constexpr spec::TotalTable<kIntrinsicRows> kLaneMeanings;

}  // namespace

Bits apply_intrinsic(Intrinsic intrinsic, std::span<const Word> first, uint32_t lane, Word second) {
  return kLaneMeanings[intrinsic]({.x = first, .lane = lane, .second = second});
}

}  // namespace vyre::lower
