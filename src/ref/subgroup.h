// Subgroups: what each operation of category C gives, lane by lane.
//
// A subgroup is some consecutive invocations of a workgroup that hardware runs side by side; its members are
// lanes, numbered from 0. Its operations let a lane see the operands of the others, so they are defined on
// the operands of all lanes at once. Source: spec/intrinsics.def.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/eval.h"
#include "spec/intrinsics.h"

namespace vyre::ref {

/// The largest subgroup: a ballot has 128 bits.
inline constexpr uint32_t kMaxSubgroupSize = 128;

/// What one lane gave; of an operation of fewer operands the first ones count.
using LaneOperands = std::array<Bits, 2>;

/// The result of one lane.
/// Shape   lanes: one a lane; a power of two of them, at most kMaxSubgroupSize.
Bits eval_subgroup(spec::Intrinsic intrinsic, std::span<const LaneOperands> lanes, uint32_t lane);

}  // namespace vyre::ref
