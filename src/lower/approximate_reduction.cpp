#include "lower/approximate_reduction.h"

#include <array>
#include <bit>

#include "lower/kernel_writer.h"
#include "spec/ops.h"
#include "spec/reduction.h"

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;

// Patterns of f32, which every element is widened to.
constexpr uint32_t kSign = spec::kBinary32.sign_bit(), kMagnitude = kSign - 1,
                   kInfinity = spec::kBinary32.infinity(), kNan = spec::kBinary32.nan(),
                   kFraction = spec::kBinary32.fraction_mask(), kFractionBits = 23;
constexpr uint32_t kBias = 127, kGreatestExponent = 255;

constexpr uint32_t kDigit = 20;  // bits of a digit of a sum: 2^11 of them fit a word with its sign
constexpr uint32_t kDigits = 3, kSumBlock = 1u << 11;
constexpr uint32_t kChains = 2, kRow = 4 * kChains;  // of a product: each takes four elements of a row
constexpr uint32_t kProductBlock = 1u << 20;         // the exponents of as many fit a word
/// What is added to exponents so that none is negative where they are compared: a shift by more is all gone.
constexpr uint32_t kOffset = 1u << 10;

class ApproximateWriter : KernelWriter {
 public:
  ApproximateWriter(Kernel& kernel, KBlock block, Span origin, const Reduction& reduction)
      : KernelWriter(kernel, block, origin), reduction_(reduction) {}

  Value write() {
    find_range();
    result_ = slot("result", DataType::F32);
    set(result_, constant(DataType::F32, spec::fold_identity(reduction_.fold, DataType::F32)));
    if (reduction_.fold == Op::FMin || reduction_.fold == Op::FMax)
      extreme();
    else
      if_(lt(word(1), count_), [&] { sum_or_product(); });
    // One element is itself, but of NaNs the one.
    if_(on_words(Op::Eq, count_, word(1)), [&] {
      const Value only = KernelWriter::load(reduction_.type, reduction_.buffer, from_);
      set(result_, widened(apply(Op::FMin, reduction_.type, {only, only})));
    });
    const Value result = get(result_);
    return reduction_.type == DataType::F32 ? result
                                            : convert(Op::Cast, DataType::F32, reduction_.type, result);
  }

 private:
  // --- Words and pairs of them

  Value add(Value a, Value b) { return on_words(Op::Add, a, b); }
  Value sub(Value a, Value b) { return on_words(Op::Sub, a, b); }
  Value and_(Value a, Value b) { return on_words(Op::BitAnd, a, b); }
  Value or_(Value a, Value b) { return on_words(Op::BitOr, a, b); }
  Value xor_(Value a, Value b) { return on_words(Op::BitXor, a, b); }
  Value shl(Value a, Value n) { return on_words(Op::Shl, a, n); }
  Value shr(Value a, Value n) { return on_words(Op::Shr, a, n); }
  Value lt(Value a, Value b) { return on_words(Op::Lt, a, b); }
  Value eq(Value a, Value b) { return on_words(Op::Eq, a, b); }
  Value pick(Value condition, Value yes, Value no) { return select(DataType::U32, condition, yes, no); }
  Value less(Value a, Value b) { return pick(lt(a, b), a, b); }
  Value more(Value a, Value b) { return pick(lt(a, b), b, a); }

  Value on_wide(Op op, Value a, Value b) { return apply(op, DataType::U64, {a, b}); }
  Value wide(Value word) { return convert(Op::Cast, DataType::U32, DataType::U64, word); }
  Value wide(uint64_t value) {
    if (value >> 32 == 0) return wide(word(uint32_t(value)));
    return on_wide(Op::BitOr, on_wide(Op::Shl, wide(word(uint32_t(value >> 32))), word(32)),
                   wide(word(uint32_t(value))));
  }
  Value low(Value x) {
    return convert(Op::Cast, DataType::U64, DataType::U32,
                   on_wide(Op::BitAnd, x, wide(uint64_t{UINT32_MAX})));
  }
  Value high(Value x) {
    return convert(Op::Cast, DataType::U64, DataType::U32, on_wide(Op::Shr, x, word(32)));
  }
  Value is_negative(Value x) { return apply(Op::Ge, DataType::U64, {x, wide(uint64_t{1} << 63)}); }
  /// A word in two's complement, widened.
  Value signed_wide(Value x) {
    const Value sign = sub(word(0), shr(x, word(31)));
    return on_wide(Op::BitOr, wide(x), on_wide(Op::Shl, wide(sign), word(32)));
  }
  /// Rounded down.
  Value signed_shift(Value x, uint32_t by) {
    const Value fill = wide(~uint64_t{0} << (64 - by));
    const Value shifted = on_wide(Op::Shr, x, word(by));
    return select(DataType::U64, is_negative(x), on_wide(Op::BitOr, shifted, fill), shifted);
  }

  // --- Elements

  void find_range() {
    const Value all = length(reduction_.buffer);
    from_ = reduction_.range ? reduction_.range->first : word(0);
    to_ = reduction_.range ? less(reduction_.range->second, all) : all;
    count_ = pick(lt(from_, to_), sub(to_, from_), word(0));
  }
  Value widened(Value x) {
    return reduction_.type == DataType::F32 ? x : convert(Op::Cast, reduction_.type, DataType::F32, x);
  }
  /// The pattern, in f32, of element `at`.
  Value pattern(Value at) {
    return convert(Op::Bitcast, DataType::F32, DataType::U32,
                   widened(KernelWriter::load(reduction_.type, reduction_.buffer, at)));
  }
  void finish(Value bits) { set(result_, convert(Op::Bitcast, DataType::U32, DataType::F32, bits)); }
  Value exponent(Value magnitude) { return more(shr(magnitude, word(kFractionBits)), word(1)); }
  Value significand(Value magnitude) {
    const Value normal = lt(word(kFraction), magnitude);
    return or_(and_(magnitude, word(kFraction)), pick(normal, word(kFraction + 1), word(0)));
  }

  // --- The least and the greatest, by keys: patterns in the order of their numbers, NaNs behind all

  void extreme() {
    const bool least = reduction_.fold == Op::FMin;
    const auto key = [&](Value bits) {
      const Value flip = pick(lt(bits, word(kSign)), word(kSign), word(UINT32_MAX));
      return xor_(bits, flip);
    };
    const uint32_t last = kInfinity | kSign, first = ~(kInfinity | kSign);  // keys of the infinities
    const uint32_t none = least ? UINT32_MAX : 0;
    const uint32_t best = slot("best", DataType::U32);
    set(best, word(none));
    loop(from_, to_, [&](Value i) {
      const Value bits = pattern(i);
      const Value number = on_words(Op::Le, and_(bits, word(kMagnitude)), word(kInfinity));
      const Value one = pick(number, key(bits), word(none)), before = get(best);
      set(best, least ? less(before, one) : more(before, one));
    });
    if_(on_words(Op::Ne, count_, word(0)), [&] {
      const Value found = get(best);
      const Value bits = xor_(found, pick(lt(found, word(kSign)), word(UINT32_MAX), word(kSign)));
      finish(pick(least ? lt(word(last), found) : lt(found, word(first)), word(kNan), bits));
    });
  }

  // --- Sums and products

  /// The elements, of which there are some, in blocks of a power of two.
  template <typename Body>
  void blocks(uint32_t size, const Body& body) {
    const Value number = add(shr(sub(count_, word(1)), word(uint32_t(std::countr_zero(size)))), word(1));
    loop(word(0), number, [&](Value block) {
      const Value done = on_words(Op::Mul, block, word(size)), begin = add(from_, done);
      body(begin, add(begin, less(sub(count_, done), word(size))));
    });
  }

  void sum_or_product() {
    const bool product = reduction_.fold == Op::FMul;
    const uint32_t greatest = slot("greatest", DataType::U32), least = slot("least", DataType::U32),
                   signs = slot("signs", DataType::U32);
    set(greatest, word(0));
    set(least, word(UINT32_MAX));
    set(signs, word(0));
    loop(from_, to_, [&](Value i) {
      const Value bits = pattern(i), magnitude = and_(bits, word(kMagnitude));
      set(greatest, more(get(greatest), magnitude));
      if (!product) return;
      set(least, less(get(least), magnitude));
      set(signs, xor_(get(signs), bits));
    });
    const Value most = get(greatest), finite = lt(most, word(kInfinity));
    if (!product) {
      if_else(finite, [&] { sum(exponent(most)); }, [&] { infinite_sum(); });
      return;
    }
    const Value sign = and_(get(signs), word(kSign)), zero = eq(get(least), word(0));
    if_else(
        finite, [&] { if_else(zero, [&] { finish(sign); }, [&] { this->product(get(least), sign); }); },
        [&] {
          const Value infinity = pick(zero, word(kNan), or_(word(kInfinity), sign));
          finish(pick(lt(word(kInfinity), most), word(kNan), infinity));
        });
  }

  /// Of infinities and NaNs: which there are.
  void infinite_sum() {
    const uint32_t seen = slot("seen", DataType::U32);
    set(seen, word(0));
    loop(from_, to_, [&](Value i) {
      const Value bits = pattern(i), magnitude = and_(bits, word(kMagnitude));
      const Value infinite = pick(lt(bits, word(kSign)), word(1), word(2));
      const Value what = pick(lt(word(kInfinity), magnitude), word(3), infinite);
      set(seen, or_(get(seen), pick(lt(magnitude, word(kInfinity)), word(0), what)));
    });
    const Value what = get(seen);
    const Value infinity = pick(eq(what, word(1)), word(kInfinity), word(kInfinity | kSign));
    finish(pick(eq(what, word(3)), word(kNan), infinity));
  }

  /// Of finite elements, of which the greatest has that exponent.
  void sum(Value top) {
    std::array<uint32_t, kDigits> all{}, part{};
    for (uint32_t& s : all) set(s = slot("digit", DataType::U64), wide(uint64_t{0}));
    for (uint32_t& s : part) s = slot("part", DataType::U32);
    blocks(kSumBlock, [&](Value begin, Value end) {
      for (const uint32_t s : part) set(s, word(0));
      loop(begin, end, [&](Value i) { add_digits(pattern(i), top, part); });
      for (uint32_t k = 0; k < kDigits; ++k)
        set(all[k], on_wide(Op::Add, get(all[k]), signed_wide(get(part[k]))));
    });
    // One number of them: a (signed) times 2^40, and below that 40 bits.
    const Value digit = wide(uint64_t{(1u << kDigit) - 1});
    const Value d2 = get(all[2]), d1 = on_wide(Op::Add, get(all[1]), signed_shift(d2, kDigit));
    const Value a = on_wide(Op::Add, get(all[0]), signed_shift(d1, kDigit));
    const Value b = on_wide(Op::BitOr, on_wide(Op::Shl, on_wide(Op::BitAnd, d1, digit), word(kDigit)),
                            on_wide(Op::BitAnd, d2, digit));
    const Value negative = is_negative(a), no = wide(uint64_t{0});
    const Value borrow = wide(pick(apply(Op::Eq, DataType::U64, {b, no}), word(0), word(1)));
    const Value upper = select(DataType::U64, negative, on_wide(Op::Sub, on_wide(Op::Sub, no, a), borrow), a);
    const Value back = on_wide(Op::BitAnd, on_wide(Op::Sub, no, b), wide((uint64_t{1} << 40) - 1));
    const Value lower = select(DataType::U64, negative, back, b);
    // Its leading 64 bits.
    const Value more_bits = sub(word(64), apply(Op::Clz, DataType::U64, {upper}));
    const Value left = on_wide(Op::Shl, upper, sub(word(64), more_bits));
    const Value right = on_wide(Op::Shr, on_wide(Op::Shl, lower, word(24)), more_bits);
    const Value leading = on_wide(Op::BitOr, left, right);
    const Value zeros = apply(Op::Clz, DataType::U64, {leading});
    // An element of the greatest's binade has its leading bit where a has its bit 19.
    const Value exponent = sub(add(add(top, more_bits), word(kOffset - kDigit)), zeros);
    const Value bits = rounded(on_wide(Op::Shl, leading, zeros), exponent);
    const Value signed_bits = or_(bits, pick(negative, word(kSign), word(0)));
    finish(pick(apply(Op::Eq, DataType::U64, {leading, no}), word(0), signed_bits));
  }

  void add_digits(Value bits, Value top, const std::array<uint32_t, kDigits>& part) {
    const Value magnitude = and_(bits, word(kMagnitude)), down = sub(top, exponent(magnitude));
    const Value digits = shl(significand(magnitude), word(8));
    const Value near = lt(down, word(32)), none = word(0);
    // The 64 bits of which the first is the leading one of the greatest's binade.
    const Value first = pick(near, shr(digits, down), none);
    const Value behind = pick(eq(down, none), none, shl(digits, sub(none, down)));
    const Value second = pick(near, behind, pick(lt(down, word(64)), shr(digits, down), none));
    const Value mask = word((1u << kDigit) - 1);
    const Value split[kDigits] = {shr(first, word(12)),
                                  or_(and_(shl(first, word(8)), mask), shr(second, word(24))),
                                  and_(shr(second, word(4)), mask)};
    const Value sign = sub(none, shr(bits, word(31)));
    for (uint32_t k = 0; k < kDigits; ++k) set(part[k], add(get(part[k]), sub(xor_(split[k], sign), sign)));
  }

  /// Of finite elements that are not zero, of which the least has that magnitude. A chain is a fraction of 64
  /// bits, of which the first is set; exponents are added apart.
  void product(Value least, Value sign) {
    const uint32_t all = slot("exponents", DataType::U64), part = slot("exponent", DataType::U32);
    set(all, wide(uint64_t{0}));
    set(part, word(0));  // here, since what follows the blocks uses it too
    blocks(kProductBlock, [&](Value begin, Value end) {
      set(part, word(0));
      loop(begin, end, [&](Value i) {
        const Value magnitude = and_(pattern(i), word(kMagnitude));
        const Value zeros = apply(Op::Clz, DataType::U32, {significand(magnitude)});
        set(part, add(get(part), sub(add(exponent(magnitude), word(8)), add(zeros, word(kBias)))));
      });
      set(all, on_wide(Op::Add, get(all), signed_wide(get(part))));
    });
    std::array<uint32_t, kChains> chain{};
    for (uint32_t& s : chain) set(s = slot("chain", DataType::U64), wide(uint64_t{1} << 63));
    set(part, word(0));
    // Without subnormal elements a row at a time, and one by one what is left; else all one by one.
    const Value normal = lt(word(kFraction), least);
    const Value rows = pick(normal, shr(count_, word(std::countr_zero(kRow))), word(0));
    loop(word(0), rows, [&](Value row) {
      const Value at = add(from_, on_words(Op::Mul, row, word(kRow)));
      for (uint32_t k = 0; k < kRow; k += 4) {
        const auto fraction = [&](uint32_t n) {
          return wide(or_(shl(pattern(add(at, word(k + n))), word(8)), word(kSign)));
        };
        const auto pair = [&](uint32_t n) { return on_wide(Op::Mul, fraction(n), fraction(n + 1)); };
        multiply(chain[k / 4], upper_half(pair(0), pair(2)), 4, part);
      }
    });
    loop(add(from_, on_words(Op::Mul, rows, word(kRow))), add(from_, count_), [&](Value i) {
      const Value digits = significand(and_(pattern(i), word(kMagnitude)));
      const Value fraction = shl(digits, apply(Op::Clz, DataType::U32, {digits}));
      multiply(chain[0], on_wide(Op::Shl, wide(fraction), word(32)), 1, part);
    });
    for (uint32_t k = 1; k < kChains; ++k) multiply(chain[0], get(chain[k]), 1, part);
    // Beyond a thousand either way it is an infinity or nothing.
    const Value carries = on_wide(Op::Add, wide(get(part)), wide(uint64_t{kOffset + kBias}));
    const Value sum = on_wide(Op::Add, get(all), carries);
    const Value small = is_negative(sum),
                large = apply(Op::Ge, DataType::U64, {sum, wide(uint64_t{2 * kOffset})});
    const Value exponent = pick(small, word(0), pick(large, word(2 * kOffset), low(sum)));
    finish(or_(rounded(get(chain[0]), exponent), sign));
  }

  /// The upper 64 bits of a product of 128, or up to two less.
  Value upper_half(Value x, Value y) {
    const Value a = wide(high(x)), b = wide(low(x)), c = wide(high(y)), d = wide(low(y));
    const auto carried = [&](Value one, Value other) {
      return on_wide(Op::Shr, on_wide(Op::Mul, one, other), word(32));
    };
    return on_wide(Op::Add, on_wide(Op::Mul, a, c), on_wide(Op::Add, carried(b, c), carried(a, d)));
  }
  /// Multiplies a chain by a product of `factors` numbers from 1 to below 2, of which 1 is 2^(64 - factors),
  /// and counts by how many exponents it grows.
  void multiply(uint32_t chain, Value by, uint32_t factors, uint32_t exponent) {
    const Value product = upper_half(get(chain), by);
    const Value zeros = apply(Op::Clz, DataType::U32, {high(product)});
    set(exponent, add(get(exponent), sub(word(factors), zeros)));
    set(chain, on_wide(Op::Shl, product, zeros));
  }

  /// The pattern of a magnitude: a fraction of 64 bits of which the first is set, and the exponent that a
  /// pattern would have if there were no end of them, plus kOffset.
  Value rounded(Value fraction, Value exponent) {
    const Value subnormal = on_words(Op::Le, exponent, word(kOffset));
    const Value further = pick(subnormal, sub(word(kOffset + 1), exponent), word(0));
    // Half an ULP is added, and the last bit taken off.
    const Value shift = less(add(word(63 - kFractionBits - 1), further), word(63));
    const Value gone = lt(word(kFractionBits + 1), further);
    const Value digits = pick(gone, word(0), low(on_wide(Op::Shr, fraction, shift)));
    const Value nearest = shr(add(digits, word(1)), word(1));
    // The leading bit counts the exponent up by the one that is taken off here.
    const Value base = pick(subnormal, word(0), sub(sub(exponent, word(kOffset)), word(1)));
    const Value bits = add(shl(base, word(kFractionBits)), nearest);
    return pick(lt(exponent, word(kOffset + kGreatestExponent)), bits, word(kInfinity));
  }

  const Reduction& reduction_;
  Value from_{}, to_{}, count_{};
  uint32_t result_ = 0;
};

}  // namespace

Value write_approximate_reduction(Kernel& kernel, KBlock block, Span origin, const Reduction& reduction) {
  return ApproximateWriter(kernel, block, origin, reduction).write();
}

}  // namespace vyre::lower
