// Intrinsics: the operations of category C, generated from intrinsics.def.
//
// An operation of category C is one hardware instruction. It has a signature like every operation, is called
// by its id, and has no body: a backend has it or answers UnsupportedByBackend{op, backend} (B002), which is
// an outcome and not a failure. Source: vyre-conform-spec, "The Category A+C rule".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "spec/table.h"
#include "spec/types.h"

namespace vyre::spec {

enum class Intrinsic : uint8_t {
#define VYRE_INTRINSIC(Name, id, version, output, inputs, uniform, hardware) Name,
#include "spec/intrinsics.def"
#undef VYRE_INTRINSIC
};

struct IntrinsicInfo {
  Intrinsic intrinsic;
  std::string_view name;  // "SubgroupBallot"
  std::string_view id;    // "subgroup.ballot"
  uint32_t version;
  DataType output;
  std::array<DataType, 2> input_types{};
  uint32_t input_count = 0;
  bool uniform;               // the result is one for the whole workgroup
  std::string_view hardware;  // what it maps to

  constexpr std::span<const DataType> inputs() const { return {input_types.data(), input_count}; }
};

namespace detail {
/// Lets a row write its inputs as a parenthesised list of types.
struct IntrinsicInputs {
  std::array<DataType, 2> types{};
  uint32_t count = 0;
  template <typename... Types>
  static constexpr IntrinsicInputs of(Types... inputs) {
    return {{inputs...}, sizeof...(inputs)};
  }
};
inline constexpr auto U32 = DataType::U32;
inline constexpr auto Vec4U32 = DataType::Vec4U32;
}  // namespace detail

inline constexpr auto kIntrinsics = [] {
  using detail::U32, detail::Vec4U32;
#define VYRE_INTRINSIC(Name, id, version, output, inputs, uniform, hardware) \
  IntrinsicInfo{Intrinsic::Name,                                             \
                #Name,                                                       \
                id,                                                          \
                version,                                                     \
                output,                                                      \
                detail::IntrinsicInputs::of inputs.types,                    \
                detail::IntrinsicInputs::of inputs.count,                    \
                uniform,                                                     \
                hardware},
  return std::to_array<IntrinsicInfo>({
#include "spec/intrinsics.def"
  });
#undef VYRE_INTRINSIC
}();
inline constexpr size_t kIntrinsicCount = kIntrinsics.size();
template <>
struct KeyCount<Intrinsic> {
  static constexpr size_t value = kIntrinsicCount;
};

constexpr const IntrinsicInfo& info(Intrinsic intrinsic) {
  return kIntrinsics[static_cast<size_t>(intrinsic)];
}

}  // namespace vyre::spec
