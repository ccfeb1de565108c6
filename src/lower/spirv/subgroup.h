// Operations of category C as SPIR-V: instructions of group operations over the subgroup. Internal to
// lower/spirv.
//
// They stand only in uniform control flow and workgroups are made of whole subgroups, so every lane takes
// part. Source: SPIR-V specification, "Non-Uniform Instructions".
#pragma once

#include "lower/spirv/builder.h"
#include "spec/intrinsics.h"

namespace vyre::lower {

/// A call of an operation of category C; operands that it does not have are none.
struct SpirvSubgroupCall {
  SpirvId first{};    // word
  SpirvId second{};   // word
  SpirvId lane{};     // word: this invocation's
  uint32_t size = 0;  // of a subgroup: a power of two
  uint32_t word = 0;  // which one of the result
};

/// Adds the code, and asks for the capabilities that it needs. The result is a word, or a bool where
/// gives_truth() says so.
SpirvId emit_subgroup(SpirvBuilder& builder, spec::Intrinsic intrinsic, const SpirvSubgroupCall& call);
bool gives_truth(spec::Intrinsic intrinsic);

}  // namespace vyre::lower
