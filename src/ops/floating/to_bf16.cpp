// float.f32.to_bf16: to the nearest value of the narrower format, ties to even; what is too large is
// infinite.
#include "ops/float_reference.h"

namespace {

uint32_t reference(uint32_t a) { return host_float::BF16::pattern(host_float::F32::value(a)); }

}  // namespace

#include "ops/floating.h"

namespace vyre::ops {

std::vector<Operation> floating_to_bf16() {
  using V = Values<host_float::F32>;
  Operation o = conversion<host_float::F32, spec::DataType::BF16>("to_bf16", reference_of<reference>);
  const std::string back(float_id(spec::DataType::BF16, "to_f32")),
      add(float_id(spec::DataType::BF16, "add"));
  o.summary = "a as bf16, to nearest even; what is too large is infinite";
  o.laws = {laws::monotone()};
  o.denied = {
      {laws::round_trip(back), {V::one + 1}},
      // Half of the least subnormal is lost alone, and not when it is doubled first.
      {laws::de_morgan(beside<host_float::F32>("add"), add), {V::power(-134), V::power(-134)}},
  };
  o.classes = operand_classes<host_float::F32, 1>();
  o.boundaries = unary_boundaries<host_float::F32>();
  o.rows = {
      {{0x3f800000}, 0x3f80, "one", "vyre-conform-spec: Conversion operations"},
      {{0x80000000}, 0x8000, "minus zero", "vyre-conform-spec: Conversion operations"},
      {{0x3f808000}, 0x3f80, "one and half a unit: even, down", "vyre-conform-spec: Conversion operations"},
      {{0x3f818000},
       0x3f82,
       "one and one and a half units: even, up",
       "vyre-conform-spec: Conversion operations"},
      {{0x3f808001}, 0x3f81, "just above a tie", "vyre-conform-spec: Conversion operations"},
      {{0x7f7f7fff}, 0x7f7f, "below the tie to infinity", "vyre-conform-spec: Conversion operations"},
      {{0x7f7f8000}, 0x7f80, "the tie: infinity is even", "vyre-conform-spec: Conversion operations"},
      {{0xff7fffff}, 0xff80, "the least number of f32", "vyre-conform-spec: Conversion operations"},
      {{0x00008000},
       0x0000,
       "half of the least subnormal is a tie: zero is even",
       "vyre-conform-spec: Conversion operations"},
      {{0x00008001}, 0x0001, "just above", "vyre-conform-spec: Conversion operations"},
      {{0x00018000}, 0x0002, "one and a half of it: two is even", "vyre-conform-spec: Conversion operations"},
      {{0x7f800000}, 0x7f80, "infinity", "vyre-conform-spec: Conversion operations"},
      {{0x7f800001},
       0x7fc0,
       "a NaN whose payload would be lost is no infinity",
       "semantics: Floats (one NaN)"},
      {{0xffc00001}, 0x7fc0, "one NaN", "semantics: Floats (one NaN)"},
  };
  return {std::move(o)};
}

}  // namespace vyre::ops
