#include "num/float.h"

#include "num/arithmetic.h"

namespace vyre::num {

namespace {

using arithmetic::with_format;

template <class Body>
void rows(FloatFormat f, Results out, Body body) {
  with_format(f, [&](auto format) {
    // A call a row: inside a loop the compiler makes branches of selects, and what operands select is unknown
    // predicts. Additions are twice as fast so.
    const auto row = [&] [[gnu::noinline]] (size_t i) { return uint32_t(body(format, i)); };
    for (size_t i = 0; i < out.size(); ++i) out[i] = row(i);
  });
}

}  // namespace

// One line an operation: its case and its columns.
#define VYRE_UNARY(name)                                                                 \
  uint32_t name(FloatFormat f, uint32_t a) {                                             \
    return with_format(f, [&](auto format) { return arithmetic::name(format, a); });     \
  }                                                                                      \
  void name(FloatFormat f, Column a, Results out) {                                      \
    rows(f, out, [&](auto format, size_t i) { return arithmetic::name(format, a[i]); }); \
  }
#define VYRE_BINARY(type, name)                                                                \
  type name(FloatFormat f, uint32_t a, uint32_t b) {                                           \
    return with_format(f, [&](auto format) { return arithmetic::name(format, a, b); });        \
  }                                                                                            \
  void name(FloatFormat f, Column a, Column b, Results out) {                                  \
    rows(f, out, [&](auto format, size_t i) { return arithmetic::name(format, a[i], b[i]); }); \
  }
#define VYRE_ROUNDING(name)                                                                    \
  uint32_t name(FloatFormat f, RoundingMode mode, uint32_t a) {                                \
    return with_format(f, [&](auto format) { return arithmetic::name(format, mode, a); });     \
  }                                                                                            \
  void name(FloatFormat f, RoundingMode mode, Column a, Results out) {                         \
    rows(f, out, [&](auto format, size_t i) { return arithmetic::name(format, mode, a[i]); }); \
  }

VYRE_BINARY(uint32_t, add)
VYRE_BINARY(uint32_t, sub)
VYRE_BINARY(uint32_t, mul)
VYRE_BINARY(uint32_t, div)
VYRE_UNARY(sqrt)
VYRE_BINARY(uint32_t, min)
VYRE_BINARY(uint32_t, max)
VYRE_UNARY(negate)
VYRE_UNARY(abs)
VYRE_BINARY(bool, equal)
VYRE_BINARY(bool, less)
VYRE_BINARY(bool, less_equal)
VYRE_ROUNDING(round_to_integral)
VYRE_ROUNDING(to_u32)
VYRE_ROUNDING(to_i32)

#undef VYRE_UNARY
#undef VYRE_BINARY
#undef VYRE_ROUNDING

uint32_t mul_add(FloatFormat f, uint32_t a, uint32_t b, uint32_t c) {
  return with_format(f, [&](auto format) { return arithmetic::mul_add(format, a, b, c); });
}
void mul_add(FloatFormat f, Column a, Column b, Column c, Results out) {
  rows(f, out, [&](auto format, size_t i) { return arithmetic::mul_add(format, a[i], b[i], c[i]); });
}

uint32_t convert(FloatFormat from, FloatFormat to, uint32_t a) { return arithmetic::convert(from, to, a); }
void convert(FloatFormat from, FloatFormat to, Column a, Results out) {
  rows(from, out, [&](auto format, size_t i) { return arithmetic::convert(format, to, a[i]); });
}

uint32_t from_integer(FloatFormat f, bool negative, uint64_t magnitude) {
  return arithmetic::from_integer(f, negative, magnitude);
}

uint32_t next_up(FloatFormat f, uint32_t a) { return arithmetic::next_up(f, a); }
uint32_t next_down(FloatFormat f, uint32_t a) { return arithmetic::next_down(f, a); }
uint32_t flush(FloatFormat f, uint32_t a) { return arithmetic::flush(f, a); }

}  // namespace vyre::num
