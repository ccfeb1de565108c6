// Small types in a graph that is lowered: they become words.
//
// Programs have no elements below 16 bits, so a tensor of i8, u8, fp8 or fp4 is a tensor of u32 here, one
// element a word in the low bits, and its casts are arithmetic of u32 and f32. Only in memory of the caller
// are elements packed, four or eight to a word: a parameter is an array of words and a view of it, which
// shifts and masks, and an output is an array of words, each put together of its elements. All of that is
// written with nodes that graphs have anyway, so whatever is done with nodes is done with these: views of
// packed elements are index arithmetic, and casts are fused with what they stand beside. Source:
// docs/spec/graphs.md, "Small types".
#pragma once

#include "check/tensors.h"

namespace vyre::tensor {

/// The same graph, in which a parameter or an output of a small type is u32[words] of its packed elements.
check::SizedGraph without_small_types(const check::SizedGraph& graph);

}  // namespace vyre::tensor
