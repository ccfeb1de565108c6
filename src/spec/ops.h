// Operators: the enum and what the ledger says of each, generated from ops.def.
//
// An operator is anything with a mnemonic that is applied to operand expressions: binary, unary and atomic
// operators, Select, Cast, Bitcast and Call. Its meaning is a function in ref/eval; its laws, tables and
// lowerings are tables keyed by Op that are total at compile time (spec/table.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "spec/op.h"
#include "spec/signature.h"
#include "spec/types.h"

namespace vyre::spec {

enum class Op : uint8_t {
#define VYRE_OP(tag, Name, mnemonic, signature, types, effect, section) Name,
#include "spec/ops.def"
#undef VYRE_OP
};

/// Pure operators depend on their operands alone; atomics read and write one buffer word.
enum class Effect : uint8_t { Pure, Atomic };

struct OpInfo {
  Op op;
  uint16_t wire_tag;
  std::string_view name;      // "BitAnd"
  std::string_view mnemonic;  // "bit_and"
  Signature signature;
  TypeSet types;  // what T may be
  Effect effect;
  std::string_view section;  // where the specification defines it
};

inline constexpr auto kOps = std::to_array<OpInfo>({
#define VYRE_OP(tag, Name, mnemonic, signature, types, effect, section) \
  {Op::Name, tag, #Name, mnemonic, Signature::signature, types, Effect::effect, section},
#include "spec/ops.def"
#undef VYRE_OP
});
inline constexpr size_t kOpCount = kOps.size();
template <>
struct KeyCount<Op> {
  static constexpr size_t value = kOpCount;
};

constexpr const OpInfo& info(Op op) { return kOps[static_cast<size_t>(op)]; }
constexpr std::string_view mnemonic(Op op) { return info(op).mnemonic; }

constexpr std::optional<Op> find_op(std::string_view mnemonic) {
  for (const OpInfo& o : kOps) {
    if (o.mnemonic == mnemonic) return o.op;
  }
  return std::nullopt;
}
constexpr std::optional<Op> find_op_tag(uint16_t tag) {
  for (const OpInfo& o : kOps) {
    if (o.wire_tag == tag) return o.op;
  }
  return std::nullopt;
}

/// Of an application, by operator, so that a walk looks once.
inline constexpr auto kSignaturesOfOps = [] {
  std::array<const SignatureInfo*, kOpCount> out{};
  for (size_t i = 0; i < kOpCount; ++i) out[i] = &info(kOps[i].signature);
  return out;
}();
constexpr const SignatureInfo& signature_of(Op op) { return *kSignaturesOfOps[static_cast<size_t>(op)]; }
constexpr std::optional<uint32_t> operand_count(Op op) { return signature_of(op).operands; }

/// The operators on integers that floats have too, under the same sign.
inline constexpr std::pair<Op, Op> kOnFloats[] = {
    {Op::Mul, Op::FMul}, {Op::Div, Op::FDiv},   {Op::Add, Op::FAdd}, {Op::Sub, Op::FSub},
    {Op::Eq, Op::FEq},   {Op::Lt, Op::FLt},     {Op::Gt, Op::FGt},   {Op::Le, Op::FLe},
    {Op::Ge, Op::FGe},   {Op::Negate, Op::FNeg}};
constexpr std::optional<Op> on_floats(Op integer) {
  for (const auto& [on_integers, on_floats] : kOnFloats) {
    if (on_integers == integer) return on_floats;
  }
  return std::nullopt;
}

constexpr bool is_atomic(Op op) { return info(op).effect == Effect::Atomic; }

/// By operator, so that a walk looks once.
inline constexpr auto kFormsOfOps = [] {
  std::array<Form, kOpCount> out{};
  for (size_t i = 0; i < kOpCount; ++i) out[i] = info(kOps[i].signature).form;
  return out;
}();
constexpr Form form_of(Op op) { return kFormsOfOps[static_cast<size_t>(op)]; }

/// Binary, unary and shift operators: an application is the operator and its operands, nothing else.
constexpr bool is_scalar(Op op) { return form_of(op) == Form::Scalar; }
/// The elementary functions, correctly rounded: sines to powers, in the ledger's order. Of nearly every
/// argument their value has no end of digits, so nothing exact is left to decide how it rounds.
constexpr bool is_elementary(Op op) { return op >= Op::FSin && op <= Op::FPow; }
/// FReduceStrict, FReduceTreeBinary and FReduceApprox: T is the element of a buffer; Expr::immediate holds
/// the wire tag of the operator that folds and, of FReduceApprox, its tolerance. The operands are none, or
/// the range: from, to.
constexpr bool is_reduction(Op op) { return form_of(op) == Form::Reduce; }
/// The operators that a reduction may fold with. Source: text-format, "Mnemonics".
constexpr bool is_fold(Op op) { return op == Op::FAdd || op == Op::FMul || op == Op::FMin || op == Op::FMax; }

// Expr::immediate of a reduction: the wire tag of the operator that folds, and 2^16 times the tolerance.
constexpr uint32_t kToleranceShift = 16;
/// Of FReduceApprox, in ULP of the sum of magnitudes or of the product (docs/spec/floats.md).
constexpr uint32_t kLeastTolerance = 1, kGreatestTolerance = 0xffff;
constexpr uint32_t reduction_immediate(Op fold, uint32_t tolerance = 0) {
  return info(fold).wire_tag | tolerance << kToleranceShift;
}
constexpr uint32_t tolerance_of(uint32_t immediate) { return immediate >> kToleranceShift; }
/// The operator that folds; none where the tag is no operator's, or a strict reduction has a tolerance.
constexpr std::optional<Op> fold_of(Op reduction, uint32_t immediate) {
  if (reduction != Op::FReduceApprox && tolerance_of(immediate) != 0) return std::nullopt;
  return find_op_tag(uint16_t(immediate));
}

/// An approximate operator, but for FReduceApprox: approximations.def.
struct Approximation {
  Op op;
  Op of;                  // the strict operator
  uint32_t narrow, wide;  // how many numbers of the type away its result may be: of f16 and bf16, of f32
};
inline constexpr auto kApproximations = std::to_array<Approximation>({
#define VYRE_APPROXIMATION(Name, of, narrow, wide) {Op::Name, Op::of, narrow, wide},
#include "spec/approximations.def"
#undef VYRE_APPROXIMATION
});
constexpr const Approximation* find_approximation(Op op) {
  for (const Approximation& a : kApproximations) {
    if (a.op == op) return &a;
  }
  return nullptr;
}
/// Whether results are defined up to a bound only, so that two right backends may differ.
constexpr bool is_approximate(Op op) { return op >= Op::FSinApprox && op <= Op::FReduceApprox; }
/// What an approximate function approximates; any other operator itself.
constexpr Op strict_of(Op op) {
  const Approximation* a = find_approximation(op);
  return a == nullptr ? op : a->of;
}
/// How many numbers of the type away from its strict operator's result one of an approximate function may be;
/// of any other operator 0.
constexpr uint32_t bound_of(Op op, DataType type) {
  const Approximation* a = find_approximation(op);
  if (a == nullptr) return 0;
  return type == DataType::F32 ? a->wide : a->narrow;
}

/// MakeVec2U32, MakeVec4U32 (T is the vector) and Component (T is the vector that is taken apart).
constexpr bool is_vector_op(Op op) {
  return form_of(op) == Form::MakeVector || form_of(op) == Form::Component;
}

/// The type of the result of a scalar or vector operator applied at T = type, and of its operand number
/// `index`.
constexpr DataType result_type(Op op, DataType type) {
  return signature_of(op).gives == Gives::Word ? DataType::U32 : type;
}
constexpr DataType operand_type(Op op, DataType type, uint32_t index) {
  return signature_of(op).is_word(index) ? DataType::U32 : type;
}
/// The number of the first operand that has type T; none where T is the type of the result alone.
constexpr std::optional<uint32_t> first_of_type(Op op) {
  const SignatureInfo& signature = signature_of(op);
  for (uint32_t i = 0; i < signature.operands.value_or(0); ++i) {
    if (!signature.is_word(i)) return i;
  }
  return std::nullopt;
}

// Tags and mnemonics are looked up, so each must be unique.
consteval bool ops_are_unique() {
  for (size_t i = 0; i < kOpCount; ++i) {
    for (size_t j = i + 1; j < kOpCount; ++j) {
      if (kOps[i].wire_tag == kOps[j].wire_tag || kOps[i].mnemonic == kOps[j].mnemonic) return false;
    }
  }
  return true;
}
static_assert(ops_are_unique(), "two rows of ops.def share a wire tag or a mnemonic");

consteval bool approximations_are_total() {
  for (const OpInfo& o : kOps) {
    const Approximation* a = find_approximation(o.op);
    if (is_approximate(o.op) != (a != nullptr || o.op == Op::FReduceApprox)) return false;
    if (a == nullptr) continue;
    if (!is_elementary(a->of) || info(a->of).signature != o.signature ||
        info(a->of).types.bits != o.types.bits)
      return false;
  }
  return true;
}
static_assert(approximations_are_total(), "approximations.def needs a row for each approximate function");

}  // namespace vyre::spec
