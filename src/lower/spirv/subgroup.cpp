#include "lower/spirv/subgroup.h"

#include "spec/ops.h"

namespace vyre::lower {
namespace {

using Builder = SpirvBuilder;
using Call = SpirvSubgroupCall;
using Id = SpirvId;
using spec::Intrinsic;
using spv::GroupOperation;
using spv::Op;

Id scope(Builder& b) { return b.number(static_cast<uint32_t>(spv::Scope::Subgroup)); }
Id predicate(Builder& b, const Call& c) { return b.emit(Op::OpINotEqual, b.truth(), {c.first, b.number(0)}); }

Id shuffle(Builder& b, const Call& c) {
  b.capability(spv::Capability::GroupNonUniformShuffle);
  const Id from = b.emit(Op::OpBitwiseAnd, b.word(), {c.second, b.number(c.size - 1)});
  return b.emit(Op::OpGroupNonUniformShuffle, b.word(), {scope(b), c.first, from});
}

// Four words, of which a subgroup fills those that it has lanes for.
Id ballot(Builder& b, const Call& c) {
  if (c.word * 32 >= c.size) return b.number(0);
  b.capability(spv::Capability::GroupNonUniformBallot);
  const Id votes = b.emit(Op::OpGroupNonUniformBallot, b.vector(b.word(), 4), {scope(b), predicate(b, c)});
  return b.emit(Op::OpCompositeExtract, b.word(), {votes, c.word});
}

template <Op op>
Id vote(Builder& b, const Call& c) {
  b.capability(spv::Capability::GroupNonUniformVote);
  return b.emit(op, b.truth(), {scope(b), predicate(b, c)});
}

template <Op op, GroupOperation group>
Id combine(Builder& b, const Call& c) {
  b.capability(spv::Capability::GroupNonUniformArithmetic);
  return b.emit(op, b.word(), {scope(b), group, c.first});
}

struct Emit {
  Id (*emit)(Builder&, const Call&);
  bool gives_truth = false;  // a bool
};
constexpr spec::Row<Intrinsic, Emit> kSpirvIntrinsicRows[] = {
    {Intrinsic::SubgroupSize, {[](Builder& b, const Call& c) { return b.number(c.size); }}},
    {Intrinsic::SubgroupLane, {[](Builder&, const Call& c) { return c.lane; }}},
    {Intrinsic::SubgroupShuffle, {shuffle}},
    {Intrinsic::SubgroupBallot, {ballot}},
    {Intrinsic::SubgroupAny, {vote<Op::OpGroupNonUniformAny>, /*gives_truth=*/true}},
    {Intrinsic::SubgroupAll, {vote<Op::OpGroupNonUniformAll>, /*gives_truth=*/true}},
    {Intrinsic::SubgroupReduceAdd, {combine<Op::OpGroupNonUniformIAdd, GroupOperation::Reduce>}},
    {Intrinsic::SubgroupReduceMin, {combine<Op::OpGroupNonUniformUMin, GroupOperation::Reduce>}},
    {Intrinsic::SubgroupReduceMax, {combine<Op::OpGroupNonUniformUMax, GroupOperation::Reduce>}},
    {Intrinsic::SubgroupReduceAnd, {combine<Op::OpGroupNonUniformBitwiseAnd, GroupOperation::Reduce>}},
    {Intrinsic::SubgroupReduceOr, {combine<Op::OpGroupNonUniformBitwiseOr, GroupOperation::Reduce>}},
    {Intrinsic::SubgroupReduceXor, {combine<Op::OpGroupNonUniformBitwiseXor, GroupOperation::Reduce>}},
    {Intrinsic::SubgroupScanAdd, {combine<Op::OpGroupNonUniformIAdd, GroupOperation::InclusiveScan>}},
    {Intrinsic::SubgroupScanAddExclusive,
     {combine<Op::OpGroupNonUniformIAdd, GroupOperation::ExclusiveScan>}},
};
constexpr spec::TotalTable<kSpirvIntrinsicRows> kEmit;

}  // namespace

SpirvId emit_subgroup(SpirvBuilder& builder, Intrinsic intrinsic, const SpirvSubgroupCall& call) {
  return kEmit[intrinsic].emit(builder, call);
}
bool gives_truth(Intrinsic intrinsic) { return kEmit[intrinsic].gives_truth; }

}  // namespace vyre::lower
