// Folds of lines of neighbouring elements on a CPU.
//
// Invocations side by side are a vector there, and what a vector wants is to load neighbours. Where
// neighbours are elements of one line, a tree folds pairs of them: a vector of the even and one of the odd
// ones, which are two loads and two shuffles. A chain has nothing for a vector to do, so a few lines are
// folded side by side, one element of each in turn. docs/spec/graphs.md says what is folded; that is the same
// as elsewhere.
#pragma once

#include "tensor/fold.h"

namespace vyre::tensor {

/// The most elements of a block: two for each of the 256 invocations that a workgroup has on every device.
inline constexpr uint32_t kPairsBlock = 512;

/// The nodes of aligned blocks of each line: coordinate k along the axis is block k's. Domain: `block` is a
/// power of two from 32 to kPairsBlock.
void fold_pairs(Assembly& assembly, const Fold& fold, const Lines& lines, uint32_t block,
                const Element& element, const Sink& keep);

/// As write_chain().
void write_chains(Assembly& assembly, const Lines& lines, const Chain& chain);

}  // namespace vyre::tensor
