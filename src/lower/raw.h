// Raw operators: what targets offer, on 32-bit words. raw_ops.def is their ledger.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "spec/table.h"

namespace vyre::lower {

enum class RawOp : uint8_t {
#define VYRE_RAW(Name, mnemonic, operands, domain) Name,
#define VYRE_RAW_FLOAT(Name, mnemonic, operands, domain) Name,
#include "lower/raw_ops.def"
#undef VYRE_RAW
#undef VYRE_RAW_FLOAT
};
struct RawOpInfo {
  RawOp op;
  std::string_view name;
  std::string_view mnemonic;
  uint32_t operands;
  std::string_view domain;
  bool is_float;  // a relation: what it gives depends on the target's promise (lower/promise.h)
};
inline constexpr auto kRawOps = std::to_array<RawOpInfo>({
#define VYRE_RAW(Name, mnemonic, operands, domain) {RawOp::Name, #Name, mnemonic, operands, domain, false},
#define VYRE_RAW_FLOAT(Name, mnemonic, operands, domain) \
  {RawOp::Name, #Name, mnemonic, operands, domain, true},
#include "lower/raw_ops.def"
#undef VYRE_RAW
#undef VYRE_RAW_FLOAT
});
inline constexpr size_t kRawOpCount = kRawOps.size();
constexpr const RawOpInfo& info(RawOp op) { return kRawOps[static_cast<size_t>(op)]; }

}  // namespace vyre::lower

/// Tables keyed by raw operators are total at compile time, as those keyed by Op are.
template <>
struct vyre::spec::KeyCount<vyre::lower::RawOp> {
  static constexpr size_t value = vyre::lower::kRawOpCount;
};
