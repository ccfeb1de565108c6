// float.f32.to_f16: to the nearest value of the narrower format, ties to even; what is too large is infinite.
#include "ops/float_reference.h"

namespace {

uint32_t reference(uint32_t a) { return host_float::F16::pattern(host_float::F32::value(a)); }

}  // namespace

#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_to_f16() {
  using V = Values<host_float::F32>;
  Operation o = conversion<host_float::F32, spec::DataType::F16>("to_f16", reference_of<reference>);
  const std::string back(float_id(spec::DataType::F16, "to_f32")), add(float_id(spec::DataType::F16, "add"));
  o.summary = "a as f16, to nearest even; what is too large is infinite";
  o.laws = {laws::monotone()};
  o.denied = {
      {laws::round_trip(back), {V::one + 1}},
      // Half of the least subnormal is lost alone, and not when it is doubled first.
      {laws::de_morgan(beside<host_float::F32>("add"), add), {V::power(-25), V::power(-25)}},
  };
  o.classes = operand_classes<host_float::F32, 1>();
  o.boundaries = unary_boundaries<host_float::F32>();
  o.rows = {
      {{0x3f800000}, 0x3c00, "one", "vyre-conform-spec: Conversion operations"},
      {{0x80000000}, 0x8000, "minus zero", "vyre-conform-spec: Conversion operations"},
      {{0x477fe000}, 0x7bff, "65504 is the greatest number", "vyre-conform-spec: Conversion operations"},
      {{0x477fefff}, 0x7bff, "below the tie to infinity", "vyre-conform-spec: Conversion operations"},
      {{0x477ff000},
       0x7c00,
       "65520 is the tie: infinity is even",
       "vyre-conform-spec: Conversion operations"},
      {{0xc7800000}, 0xfc00, "-65536", "vyre-conform-spec: Conversion operations"},
      {{0x3f801000}, 0x3c00, "one and half a unit: even, down", "vyre-conform-spec: Conversion operations"},
      {{0x3f803000},
       0x3c02,
       "one and one and a half units: even, up",
       "vyre-conform-spec: Conversion operations"},
      {{0x3f801001}, 0x3c01, "just above a tie", "vyre-conform-spec: Conversion operations"},
      {{0x33800000}, 0x0001, "2^-24 is the least subnormal", "vyre-conform-spec: Conversion operations"},
      {{0x33000000}, 0x0000, "half of it is a tie: zero is even", "vyre-conform-spec: Conversion operations"},
      {{0x33000001}, 0x0001, "just above", "vyre-conform-spec: Conversion operations"},
      {{0x00000001}, 0x0000, "a subnormal of f32", "vyre-conform-spec: Conversion operations"},
      {{0x7f800000}, 0x7c00, "infinity", "vyre-conform-spec: Conversion operations"},
      {{0x7f800001},
       0x7e00,
       "a NaN whose payload would be lost is no infinity",
       "semantics: Floats (one NaN)"},
      {{0xffc00001}, 0x7e00, "one NaN", "semantics: Floats (one NaN)"},
  };
  return {std::move(o)};
}

}  // namespace vyre::ops
