// What a target promises of its own arithmetic on floats.
//
// A float operator is native on a target only where the target's specification promises what it does; the
// promise says how far that is from IEEE 754. A raw float operator is therefore a relation: for operands it
// allows a set of results, and the kernel evaluator picks one adversarially. Legalization must reach the one
// right answer whatever is picked: by guards where part of the domain is promised exactly, else by the
// integer compositions of ops/float. Of a NaN only that it is one is ever promised: its payload and sign are
// chosen. Source: the targets' specifications, named at each profile; docs/floats.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lower/raw.h"

namespace vyre::lower {

/// What is promised of one raw float operator. Not given: the target may do anything, so it is never used.
struct Promise {
  bool given = false;
  bool flushes_operands = false;  // a subnormal operand may count as a zero of its sign
  bool flushes_results = false;   // a subnormal result may become a zero of its sign
  bool fused = true;              // FMulAdd: rounds once; else it may round the product too
  uint8_t half_ulps = 0;          // error beyond the exact result; 0: rounded to nearest even. 5 is 2.5 ULP
  /// Promised only where the floats that go in and come out are normal numbers, and a divisor is at most a
  /// quarter of the least power of two that is infinite; anything may come of others.
  bool only_normal = false;
  bool operator==(const Promise&) const = default;

  constexpr bool exact() const {
    return given && !flushes_operands && !flushes_results && fused && half_ulps == 0 && !only_normal;
  }
};

/// The promises of a target: by raw operator; those on integers have none and need none.
struct FloatPromises {
  std::string_view name = "none";
  std::array<Promise, kRawOpCount> by_op{};
  constexpr const Promise& operator[](RawOp op) const { return by_op[static_cast<size_t>(op)]; }
  constexpr Promise& operator[](RawOp op) { return by_op[static_cast<size_t>(op)]; }
};

/// The same promise for every raw float operator but FInverseSqrt, which no target rounds right, and those of
/// BF16, which few targets have.
constexpr FloatPromises promise_all(std::string_view name, Promise promise) {
  FloatPromises out{.name = name, .by_op = {}};
  for (const RawOpInfo& info : kRawOps) {
    if (info.is_float && info.op != RawOp::FInverseSqrt && !is_bfloat(info.op)) out[info.op] = promise;
  }
  return out;
}

inline constexpr FloatPromises kNoFloats{};
/// IEEE 754, as CPUs and PTX's .rn have it.
inline constexpr FloatPromises kIeeeFloats = promise_all("ieee", {.given = true});
/// And with conversions to and from BF16.
inline constexpr FloatPromises kIeeeFloatsWithBfloat = [] {
  FloatPromises out = kIeeeFloats;
  out[RawOp::FFromBF16].given = out[RawOp::FToBF16].given = true;
  return out;
}();
/// Right but for subnormals, which may vanish on the way in and out.
inline constexpr FloatPromises kFlushingFloats =
    promise_all("flush", {.given = true, .flushes_operands = true, .flushes_results = true});
/// Division and square root within 2.5 ULP, as shading languages have them.
inline constexpr FloatPromises kLooseDivisionFloats = [] {
  FloatPromises out = kIeeeFloats;
  out.name = "loose-division";
  out[RawOp::FDiv].half_ulps = out[RawOp::FSqrt].half_ulps = 5;
  return out;
}();
/// A fused multiply-add that may round twice.
inline constexpr FloatPromises kUnfusedFloats = [] {
  FloatPromises out = kIeeeFloats;
  out.name = "unfused";
  out[RawOp::FMulAdd].fused = false;
  return out;
}();

}  // namespace vyre::lower
