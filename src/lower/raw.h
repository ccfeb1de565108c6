// Raw operators: what targets offer, on 32-bit words and, for some, on floats and on integers of 64 bits.
// raw_ops.def is their ledger.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "spec/table.h"

namespace vyre::lower {

enum class RawOp : uint8_t {
#define VYRE_RAW(Name, mnemonic, operands, gives, domain) Name,
#define VYRE_RAW_FLOAT(Name, mnemonic, operands, gives, domain) Name,
#define VYRE_RAW_WIDE(Name, mnemonic, operands, wide_operands, gives, domain) Name,
#define VYRE_RAW_LONG(Name, mnemonic, operands, long_operands, gives, domain) Name,
#include "lower/raw_ops.def"
#undef VYRE_RAW
#undef VYRE_RAW_FLOAT
#undef VYRE_RAW_WIDE
#undef VYRE_RAW_LONG
};
/// What an operator gives: a word; one that is 0 or 1, which targets with a type for truths keep as one until
/// a word is wanted; a float of 64 bits; an integer of 64 bits.
enum class RawResult : uint8_t { Word, Truth, Wide, Long };
struct RawOpInfo {
  RawOp op;
  std::string_view name;
  std::string_view mnemonic;
  uint32_t operands;
  RawResult gives;
  std::string_view domain;
  bool is_float;  // a relation: what it gives depends on the target's promise (lower/promise.h)
  bool is_wide = false;
  uint8_t wide_operands = 0;  // bit k: operand k is wide
  bool is_long = false;
  uint8_t long_operands = 0;
};
inline constexpr auto kRawOps = std::to_array<RawOpInfo>({
#define VYRE_RAW(Name, mnemonic, operands, gives, domain) \
  {RawOp::Name, #Name, mnemonic, operands, RawResult::gives, domain, false},
#define VYRE_RAW_FLOAT(Name, mnemonic, operands, gives, domain) \
  {RawOp::Name, #Name, mnemonic, operands, RawResult::gives, domain, true},
#define VYRE_RAW_WIDE(Name, mnemonic, operands, wide_operands, gives, domain) \
  {RawOp::Name, #Name, mnemonic, operands, RawResult::gives, domain, true, true, wide_operands},
#define VYRE_RAW_LONG(Name, mnemonic, operands, long_operands, gives, domain) \
  {RawOp::Name, #Name, mnemonic, operands, RawResult::gives, domain, false, false, 0, true, long_operands},
#include "lower/raw_ops.def"
#undef VYRE_RAW
#undef VYRE_RAW_FLOAT
#undef VYRE_RAW_WIDE
#undef VYRE_RAW_LONG
});
inline constexpr size_t kRawOpCount = kRawOps.size();
constexpr const RawOpInfo& info(RawOp op) { return kRawOps[static_cast<size_t>(op)]; }
constexpr bool gives_truth(RawOp op) { return info(op).gives == RawResult::Truth; }
constexpr bool gives_wide(RawOp op) { return info(op).gives == RawResult::Wide; }
constexpr bool is_wide(RawOp op) { return info(op).is_wide; }
constexpr bool takes_wide(RawOp op, uint32_t operand) { return (info(op).wide_operands >> operand & 1) != 0; }
constexpr bool gives_long(RawOp op) { return info(op).gives == RawResult::Long; }
constexpr bool is_long(RawOp op) { return info(op).is_long; }
constexpr bool takes_long(RawOp op, uint32_t operand) { return (info(op).long_operands >> operand & 1) != 0; }
/// Between f32 and BF16: what few targets have, and all can do in a few operators on integers.
constexpr bool is_bfloat(RawOp op) { return op == RawOp::FFromBF16 || op == RawOp::FToBF16; }
/// On words alone: neither wide nor long.
constexpr bool is_of_words(RawOp op) { return !is_wide(op) && !is_long(op); }
/// Of one of three operands, the first of which says which of the others comes out.
constexpr bool selects(RawOp op) {
  return op == RawOp::Select || op == RawOp::WideSelect || op == RawOp::LongSelect;
}

/// Whether it may be computed where the kernel does not: no operands are outside its domain.
constexpr bool is_total(RawOp op) { return info(op).domain == "all"; }

}  // namespace vyre::lower

/// Tables keyed by raw operators are total at compile time, as those keyed by Op are.
template <>
struct vyre::spec::KeyCount<vyre::lower::RawOp> {
  static constexpr size_t value = vyre::lower::kRawOpCount;
};
