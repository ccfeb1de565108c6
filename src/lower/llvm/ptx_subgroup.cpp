#include "lower/llvm/ptx_subgroup.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "spec/table.h"

namespace vyre::lower {
namespace {

using spec::Intrinsic;
using Builder = llvm::IRBuilder<>;
using Ir = llvm::Value*;
using Call = SubgroupCall;

constexpr uint32_t kEveryLane = 0xffffffff;
constexpr uint32_t kLastLane = kPtxSubgroupSize - 1;
constexpr uint32_t kFirstWithRedux = 80;  // sm_80

Ir shuffle(Builder& b, llvm::Intrinsic::ID mode, Ir value, Ir by, uint32_t clamp) {
  return b.CreateIntrinsic(mode, {}, {b.getInt32(kEveryLane), value, by, b.getInt32(clamp)});
}

Ir vote(Builder& b, llvm::Intrinsic::ID mode, const Call& c) {
  Ir predicate = b.CreateICmpNE(c.first, b.getInt32(0));
  return b.CreateIntrinsic(mode, {}, {b.getInt32(kEveryLane), predicate});
}

// Four words, of which a warp fills the first.
Ir ballot(Builder& b, const Call& c) {
  return c.word == 0 ? vote(b, llvm::Intrinsic::nvvm_vote_ballot_sync, c) : b.getInt32(0);
}

using Combine = Ir (*)(Builder&, Ir, Ir);
template <llvm::Intrinsic::ID redux, Combine combine>
Ir reduce(Builder& b, const Call& c) {
  if (c.target.sm >= kFirstWithRedux) {
    return b.CreateIntrinsic(redux, {}, {c.first, b.getInt32(kEveryLane)});
  }
  Ir value = c.first;
  for (uint32_t by = kPtxSubgroupSize / 2; by != 0; by /= 2) {
    Ir other =
        shuffle(b, llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, value, b.getInt32(by), /*clamp=*/kLastLane);
    value = combine(b, value, other);
  }
  return value;
}

Ir inclusive_sum(Builder& b, const Call& c) {
  Ir sum = c.first;
  for (uint32_t by = 1; by < kPtxSubgroupSize; by *= 2) {
    Ir below = shuffle(b, llvm::Intrinsic::nvvm_shfl_sync_up_i32, sum, b.getInt32(by), /*clamp=*/0);
    Ir has_one = b.CreateICmpUGE(c.lane, b.getInt32(by));
    sum = b.CreateAdd(sum, b.CreateSelect(has_one, below, b.getInt32(0)));
  }
  return sum;
}

Ir shuffle_any(Builder& b, const Call& c) {
  Ir from = b.CreateAnd(c.second, b.getInt32(kLastLane));
  return shuffle(b, llvm::Intrinsic::nvvm_shfl_sync_idx_i32, c.first, from, /*clamp=*/kLastLane);
}

Ir sum(Builder& b, Ir x, Ir y) { return b.CreateAdd(x, y); }
Ir least(Builder& b, Ir x, Ir y) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, y); }
Ir greatest(Builder& b, Ir x, Ir y) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x, y); }
Ir both(Builder& b, Ir x, Ir y) { return b.CreateAnd(x, y); }
Ir either(Builder& b, Ir x, Ir y) { return b.CreateOr(x, y); }
Ir differ(Builder& b, Ir x, Ir y) { return b.CreateXor(x, y); }

using Emit = Ir (*)(Builder&, const Call&);
constexpr spec::Row<Intrinsic, Emit> kPtxIntrinsicRows[] = {
    {Intrinsic::SubgroupSize, [](Builder& b, const Call&) -> Ir { return b.getInt32(kPtxSubgroupSize); }},
    {Intrinsic::SubgroupLane, [](Builder&, const Call& c) -> Ir { return c.lane; }},
    {Intrinsic::SubgroupShuffle, shuffle_any},
    {Intrinsic::SubgroupBallot, ballot},
    {Intrinsic::SubgroupAny,
     [](Builder& b, const Call& c) -> Ir { return vote(b, llvm::Intrinsic::nvvm_vote_any_sync, c); }},
    {Intrinsic::SubgroupAll,
     [](Builder& b, const Call& c) -> Ir { return vote(b, llvm::Intrinsic::nvvm_vote_all_sync, c); }},
    {Intrinsic::SubgroupReduceAdd, reduce<llvm::Intrinsic::nvvm_redux_sync_add, sum>},
    {Intrinsic::SubgroupReduceMin, reduce<llvm::Intrinsic::nvvm_redux_sync_umin, least>},
    {Intrinsic::SubgroupReduceMax, reduce<llvm::Intrinsic::nvvm_redux_sync_umax, greatest>},
    {Intrinsic::SubgroupReduceAnd, reduce<llvm::Intrinsic::nvvm_redux_sync_and, both>},
    {Intrinsic::SubgroupReduceOr, reduce<llvm::Intrinsic::nvvm_redux_sync_or, either>},
    {Intrinsic::SubgroupReduceXor, reduce<llvm::Intrinsic::nvvm_redux_sync_xor, differ>},
    {Intrinsic::SubgroupScanAdd, inclusive_sum},
    {Intrinsic::SubgroupScanAddExclusive,
     [](Builder& b, const Call& c) -> Ir { return b.CreateSub(inclusive_sum(b, c), c.first); }},
};
constexpr spec::TotalTable<kPtxIntrinsicRows> kEmit;

}  // namespace

llvm::Value* emit_subgroup(llvm::IRBuilder<>& builder, spec::Intrinsic intrinsic, const SubgroupCall& call) {
  return kEmit[intrinsic](builder, call);
}

}  // namespace vyre::lower
