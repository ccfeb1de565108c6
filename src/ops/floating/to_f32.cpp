// float.<type>.to_f32: the same number; every value of the 16-bit formats is one of f32.
#include "ops/float_reference.h"

namespace {

template <typename Float>
uint32_t reference(uint32_t a) {
  return host_float::F32::pattern(static_cast<float>(Float::value(a)));
}

}  // namespace

#include "ops/floating.h"

namespace vyre::ops {
namespace {

template <typename Float>
Operation widening(std::string_view back) {
  using V = Values<Float>;
  Operation o = conversion<Float, spec::DataType::F32>("to_f32", reference_of<reference<Float>>);
  const std::string min(float_id(spec::DataType::F32, "min")), add(float_id(spec::DataType::F32, "add")),
      mul(float_id(spec::DataType::F32, "mul"));
  o.summary = "a as f32, exact";
  o.laws = {laws::round_trip(std::string(float_id(spec::DataType::F32, back))), laws::monotone(),
            laws::de_morgan(beside<Float>("min"), min)};
  o.denied = {
      {laws::de_morgan(beside<Float>("add"), add), {V::one, V::tie}},  // which f32 does not lose
      {laws::de_morgan(beside<Float>("mul"), mul), {V::tiny, V::half}},
  };
  o.classes = operand_classes<Float, 1>();
  o.boundaries = unary_boundaries<Float>();
  return o;
}

}  // namespace

std::vector<Operation> floating_to_f32() {
  Operation f16 = widening<host_float::F16>("to_f16"), bf16 = widening<host_float::BF16>("to_bf16");
  f16.rows = {
      {{0x3c00}, 0x3f800000, "one", "vyre-conform-spec: Conversion operations"},
      {{0xc000}, 0xc0000000, "minus two", "vyre-conform-spec: Conversion operations"},
      {{0x8000}, 0x80000000, "minus zero", "vyre-conform-spec: Conversion operations"},
      {{0x0001},
       0x33800000,
       "the least subnormal is 2^-24, a normal number of f32",
       "vyre-conform-spec: Conversion operations"},
      {{0x03ff},
       0x387fc000,
       "the greatest subnormal is 1023 * 2^-24",
       "vyre-conform-spec: Conversion operations"},
      {{0x7bff}, 0x477fe000, "the greatest number is 65504", "vyre-conform-spec: Conversion operations"},
      {{0x7c00}, 0x7f800000, "infinity", "vyre-conform-spec: Conversion operations"},
      {{0xfc00}, 0xff800000, "minus infinity", "vyre-conform-spec: Conversion operations"},
      {{0xfe01}, 0x7fc00000, "the payload is not kept", "semantics: Floats (one NaN)"},
      {{0x7c01}, 0x7fc00000, "a signalling NaN counts as quiet", "semantics: Floats (one NaN)"},
  };
  bf16.rows = {
      {{0x3f80}, 0x3f800000, "one", "vyre-conform-spec: Conversion operations"},
      {{0xc000}, 0xc0000000, "minus two", "vyre-conform-spec: Conversion operations"},
      {{0x8000}, 0x80000000, "minus zero", "vyre-conform-spec: Conversion operations"},
      {{0x0001},
       0x00010000,
       "the least subnormal is 2^-133, subnormal in f32 too",
       "vyre-conform-spec: Conversion operations"},
      {{0x007f}, 0x007f0000, "the greatest subnormal", "vyre-conform-spec: Conversion operations"},
      {{0x7f7f}, 0x7f7f0000, "the greatest number", "vyre-conform-spec: Conversion operations"},
      {{0x7f80}, 0x7f800000, "infinity", "vyre-conform-spec: Conversion operations"},
      {{0xff80}, 0xff800000, "minus infinity", "vyre-conform-spec: Conversion operations"},
      {{0xffc1}, 0x7fc00000, "the payload is not kept", "semantics: Floats (one NaN)"},
      {{0x7f81}, 0x7fc00000, "a signalling NaN counts as quiet", "semantics: Floats (one NaN)"},
  };
  return {std::move(f16), std::move(bf16)};
}

}  // namespace vyre::ops
