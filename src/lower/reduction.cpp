#include "lower/reduction.h"

#include <array>
#include <string>

#include "lower/approximate_reduction.h"
#include "lower/kernel_writer.h"
#include "spec/ops.h"
#include "spec/reduction.h"

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;

/// Sizes of blocks that wait: 2^0 to 2^31.
constexpr uint32_t kLevels = 32;
/// Half of all blocks have one element, a quarter two: the first levels are looked through apart, so that the
/// others cost nothing most of the time.
constexpr uint32_t kNearLevels = 4;

/// What folds with x, on its left, to x as arithmetic gives it: 1 * x, -0 + x, and of NaN and a number, the
/// number.
uint32_t neutral(Op fold, spec::FloatFormat f) {
  if (fold == Op::FAdd) return f.sign_bit();
  return fold == Op::FMul ? f.one() : f.nan();
}

class Writer : KernelWriter {
 public:
  Writer(Kernel& kernel, KBlock block, Span origin, const Reduction& reduction)
      : KernelWriter(kernel, block, origin),
        reduction_(reduction),
        format_(spec::float_format(reduction.type)) {}

  Value write() {
    find_range();
    return reduction_.op == Op::FReduceStrict ? strict() : tree();
  }

 private:
  Value real(uint32_t bits) { return constant(reduction_.type, bits); }
  Value fold(Value left, Value right) { return apply(reduction_.fold, reduction_.type, {left, right}); }
  Value load(Value at) { return KernelWriter::load(reduction_.type, reduction_.buffer, at); }
  uint32_t slot(std::string name) { return KernelWriter::slot(std::move(name), reduction_.type); }

  /// Elements from_ to to_ - 1: the range, of which what lies beyond the buffer is left out.
  void find_range() {
    const Value length = KernelWriter::length(reduction_.buffer);
    from_ = reduction_.range ? reduction_.range->first : word(0);
    to_ = length;
    if (reduction_.range) {
      const Value to = reduction_.range->second;
      to_ = select(DataType::U32, on_words(Op::Lt, to, length), to, length);
    }
    some_ = on_words(Op::Lt, from_, to_);
  }
  Value or_identity(Value result) {
    return select(reduction_.type, some_, result,
                  real(spec::fold_identity(reduction_.fold, reduction_.type)));
  }

  /// acc = neutral; loop { acc = fold(acc, element) }
  Value strict() {
    const uint32_t sum = slot("fold");
    set(sum, real(neutral(reduction_.fold, format_)));
    loop(from_, to_, [&](Value i) { set(sum, fold(get(sum), load(i))); });
    return or_identity(get(sum));
  }

  /// Element i completes a block of 2^t elements, t the number of ones that i ends with, and those ones are
  /// the sizes of the blocks that it merges with on the way. The last element merges with all that wait: the
  /// ones of i, whatever lies between them.
  Value tree() {
    const uint32_t block = slot("block");
    set(block, real(spec::fold_identity(reduction_.fold, reduction_.type)));
    for (uint32_t n = 0; n < kLevels; ++n) {
      levels_[n] = slot("level");
      set(levels_[n], real(0));
    }
    const Value count = select(DataType::U32, some_, on_words(Op::Sub, to_, from_), word(0));
    const Value last = on_words(Op::Sub, count, word(1));
    loop(word(0), count, [&](Value i) {
      const Value element = load(on_words(Op::Add, from_, i));
      set(block, apply(Op::FMin, reduction_.type, {element, element}));  // itself, but of NaNs the one
      const Value ones = apply(Op::Ctz, DataType::U32, {apply(Op::BitNot, DataType::U32, {i})});
      const Value level = select(DataType::U32, on_words(Op::Eq, i, last), word(kLevels), ones);
      loop(word(0), level, [&](Value n) {
        const Value waits = on_words(Op::BitAnd, on_words(Op::Shr, i, n), word(1));
        if_(waits, [&] { set(block, fold(at_level(n), get(block))); });
      });
      set_level(level, get(block));
    });
    return get(block);
  }

  Value near(Value level) { return on_words(Op::Lt, level, word(kNearLevels)); }
  Value at_level(Value level) {
    const uint32_t found = slot("left");
    const auto look = [&](uint32_t first, uint32_t end) {
      Value value = get(levels_[first]);
      for (uint32_t n = first + 1; n < end; ++n)
        value = select(reduction_.type, on_words(Op::Eq, level, word(n)), get(levels_[n]), value);
      set(found, value);
    };
    set(found, real(0));
    if_else(near(level), [&] { look(0, kNearLevels); }, [&] { look(kNearLevels, kLevels); });
    return get(found);
  }
  void set_level(Value level, Value value) {
    const auto put = [&](uint32_t first, uint32_t end) {
      for (uint32_t n = first; n < end; ++n) {
        const Value here = on_words(Op::Eq, level, word(n));
        set(levels_[n], select(reduction_.type, here, value, get(levels_[n])));
      }
    };
    if_else(near(level), [&] { put(0, kNearLevels); }, [&] { put(kNearLevels, kLevels); });
  }

  const Reduction& reduction_;
  spec::FloatFormat format_;
  Value from_{}, to_{}, some_{};
  std::array<uint32_t, kLevels> levels_{};
};

}  // namespace

Value write_reduction(Kernel& kernel, KBlock block, Span origin, const Reduction& reduction) {
  return reduction.op == Op::FReduceApprox ? write_approximate_reduction(kernel, block, origin, reduction)
                                           : Writer(kernel, block, origin, reduction).write();
}

}  // namespace vyre::lower
