// Numbers of 64 bits in compositions: products, quotients and roots in fixed point.
//
// A wide number is a u64, which legalization turns into two words; what is a carry and what is not is settled
// there. "Qn" is a number that counts 2^-n. Products of two wide numbers come in two kinds: nearly the upper
// half (four multiplications of words, up to two units too small), and exactly (eight).
#pragma once

#include "ops/float/soft_compose.h"

namespace vyre::ops {

/// A literal.
Ex wide(Composer& c, uint64_t value);
Ex join(Composer& c, Ex high, Ex low);
Ex high_word(Composer& c, Ex a);
Ex low_word(Composer& c, Ex a);
struct Halves {
  Ex high, low;
};
/// Both words, bound.
Halves halves(Composer& c, Ex a);

/// All 64 bits of the product of two words.
Ex product(Composer& c, Ex a, Ex b);
/// Of a u64 and a word, modulo 2^64.
Ex add_word(Composer& c, Ex a, Ex b);
/// floor(a b / 2^64) - e with e in {0, 1, 2}, of two u64.
Ex high64(Composer& c, Ex a, Ex b);
/// floor(a b / 2^64) of two u64.
Ex high64_exact(Composer& c, Ex a, Ex b);
/// floor(a b / 2^32) of a u64 and a word.
Ex high_by_word(Composer& c, Ex a, Ex b);

/// floor(a b / 2^by) of a u64 and a word, modulo 2^64. Domain: 0 < by < 32.
Ex shift_right_product(Composer& c, Ex a, Ex b, uint32_t by);

/// Domain: 0 < by < 32.
Ex shift_right(Composer& c, Ex a, uint32_t by);
/// Domain: by below 32.
Ex shift_right(Composer& c, Ex a, Ex by);
Ex shift_left(Composer& c, Ex a, Ex by);
/// -a where `negative`, 0 or 1, is set.
Ex negate_if(Composer& c, Ex negative, Ex a);
/// a - b where `negative` is set, else a + b.
Ex add_signed(Composer& c, Ex a, Ex negative, Ex b);

/// A fixed-point number with its leading bit brought to bit 63: value * 2^-zeros of what it was.
struct Normal {
  Ex value, zeros;
};
/// Domain: at least 2^62.
Normal normalise_by_one(Composer& c, Ex a);

/// a / b = digits * 2^(more - 64), the leading bit of digits at bit 63 (but for a = 0); more is 0 or 1.
struct Quotient {
  Ex digits, more;
};
/// At most the true value, and less by at most 3 units of its last place. Domain: leading bits of both at bit
/// 63, or a = 0.
Quotient quotient(Composer& c, Ex a, Ex b);

/// sqrt(a), both Q64; at most the true value and less by at most 3 units. Domain: at least 1/4, or zero.
Ex root(Composer& c, Ex a);

/// v times a polynomial in v, a fraction in Q64, less by a unit a step: the coefficient of v^0 first, words
/// behind those of 64 bits. Domain: sums fit.
Ex series(Composer& c, std::span<const uint64_t> first, std::span<const uint32_t> last, Ex v);

/// The number of a table that stands at `index`; beyond its end, one of it. Its entries are literals: no
/// memory.
Ex pick(Composer& c, Ex index, std::span<const uint64_t> table);

/// digits * 2^(exponent - 64), which is no number of the format and no middle between two, rounded to a
/// magnitude. Domain: digits at least 2^32, or far below the least number.
Ex round_inexact(Composer& c, Ex digits, Ex exponent);

}  // namespace vyre::ops
