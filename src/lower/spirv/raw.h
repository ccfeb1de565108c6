// Raw operators as SPIR-V instructions: one row an operator. Internal to lower/spirv.
//
// A raw operator is partial and means what the instruction means on its domain, so a row is an instruction or
// two. A row on floats makes floats of its operands' words, and words of its result again. Source: SPIR-V
// specification, "Instructions"; SPIR-V extended instructions for GLSL.
#pragma once

#include <span>

#include "lower/kernel.h"
#include "lower/spirv/builder.h"

namespace vyre::lower {

/// What an instruction does with operands outside the raw operator's domain. Undefined is what a race must
/// not lead to: there a word may not change between the guard and the instruction (lower/spirv/racy.h).
enum class SpirvOutside : uint8_t { SomeValue, Undefined };

struct SpirvRaw {
  /// Adds the code. Operands are words, wide ones floats and long ones integers of 64 bits; of a select the
  /// first one is a bool. What gives a truth gives a bool, which becomes a word only where one is wanted.
  SpirvId (*emit)(SpirvBuilder& builder, std::span<const SpirvId> operands);
  SpirvOutside outside = SpirvOutside::SomeValue;
};
const SpirvRaw& spirv_raw(RawOp op);

/// An integer of 64 bits of its low and its high word, and a word of one: 0 is the low one.
SpirvId long_of(SpirvBuilder& builder, SpirvId low, SpirvId high);
SpirvId word_of_long(SpirvBuilder& builder, SpirvId value, uint32_t which);

/// The instruction of an atomic operator of two operands: every one but compare-exchange.
spv::Op spirv_atomic(spec::Op op);

/// The half in the low bits of a word, and a word that has one there and is zero above.
SpirvId half_of(SpirvBuilder& b, SpirvId word);
SpirvId word_of_half(SpirvBuilder& b, SpirvId half);

}  // namespace vyre::lower
