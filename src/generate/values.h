// Words worth trying: the 256 structured values of the edge256 domain, the adversary's short list, and a
// mixture of distributions over one random word.
//
// All three are fixed for ever: a replay token or a certificate that names them must mean the same words in
// every build. Source: semantics, "Laws and evidence" (edge256); vyre-conform-spec, "generate/adversarial".
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "spec/types.h"

namespace vyre::generate {

/// 0, powers of two and their neighbours, complements and negatives of them, alternating and byte patterns,
/// shift amounts, MIN, MAX, packed bit fields, decimal and hash constants: unique, ascending.
std::span<const uint32_t, 256> edge256();

/// The words that break shifts, divisions, carries and sign handling; a subset that is small enough for
/// grids.
std::span<const uint32_t> adversarial_words();

/// A word from one of several distributions (uniform, small, near a power of two, negative small, sparse,
/// dense, edge256), chosen by `choice`; `random` supplies the bits.
uint32_t mixed_word(uint32_t choice, uint32_t random);

/// A value of any type, words as in spec::value_words: of words from mixed_word; of a wide integer also what
/// stands at the seams between words (one bit, all bits, MIN, MAX, a small number and its negative); of a
/// float also its zeros, infinities, NaNs with payloads and subnormals, and mostly numbers so close to one
/// that sums and products of several are numbers still. All zeros give 0. For streams that may change:
/// programs, not cases.
inline constexpr uint32_t kNearOne = 15;  // the choice that makes floats numbers near one, of any fraction
std::array<uint32_t, 4> mixed_value(spec::DataType type, uint32_t choice, std::array<uint32_t, 4> random);

/// Of a float type: a number of three significant bits between 1/8 and 16, or zero, of which sums and
/// products are often exact or a tie. For such streams too.
std::array<uint32_t, 4> short_float(spec::DataType type, uint32_t random);

}  // namespace vyre::generate
