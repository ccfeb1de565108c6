// Signatures as data: what an application of an operator has, by its operator's signature.
//
// Seventeen signatures come in nine forms. Parser, printer, checker, codec and interpreter differ by form
// alone; what is left of a signature is how many operands there are and which type each has. A walk over
// expressions switches over the form, so that a new signature of a form that there is needs a row here and no
// more. Which signature an operator has is in its row of the ledger (ops.def).
#pragma once

#include <cstdint>
#include <optional>

#include "spec/table.h"

namespace vyre::spec {

/// The shape of an operator's type, over one type variable T; see the head of ops.def.
enum class Signature : uint8_t {
  T_T,
  TT_T,
  TU_T,
  T_U,
  TT_U,
  T_B,
  CTT_T,
  Cast,
  Bitcast,
  Call,
  A_T,
  AA_T,
  UU_V,
  UUUU_V,
  V_U,
  TTT_T,
  Reduce
};
inline constexpr size_t kSignatureCount = size_t(Signature::Reduce) + 1;

enum class Form : uint8_t {
  Scalar,      // the operator and operands of T, nothing else
  Select,      // a condition, and two of T
  Cast,        // type, mode; [value]
  Bitcast,     // type; [value]
  Call,        // symbol: the operation, immediate: its version; its operands
  Atomic,      // symbol: the buffer; [index, operands]
  MakeVector,  // the components
  Component,   // immediate: which one; [vector]
  Reduce,      // symbol: the buffer, immediate: the operator that folds and a tolerance; [] or [from, to]
};

template <>
struct KeyCount<Form> {
  static constexpr size_t value = size_t(Form::Reduce) + 1;
};

/// What says the type of a result: the operands' T, u32, a vector of words, the type that is written (of
/// casts), the operation that is called, the element of the buffer that is named.
enum class ResultType : uint8_t { T, Word, Pair, Quad, Written, Called, Element };
/// What a signature says, one row each.
struct SignatureInfo {
  /// How many operand expressions there are (an atomic counts its index); none for Call, whose operation says
  /// it, and Reduce, which has two or none.
  std::optional<uint32_t> operands;
  ResultType result;
  Form form;
  uint32_t word_operands = 0;  // bit n: operand n is a u32 whatever T is
};
template <>
struct KeyCount<Signature> {
  static constexpr size_t value = kSignatureCount;
};
inline constexpr Row<Signature, SignatureInfo> kSignatureRows[] = {
    {Signature::T_T, {1, ResultType::T, Form::Scalar}},
    {Signature::TT_T, {2, ResultType::T, Form::Scalar}},
    {Signature::TTT_T, {3, ResultType::T, Form::Scalar}},
    {Signature::TU_T, {2, ResultType::T, Form::Scalar, 0b10}},
    {Signature::T_U, {1, ResultType::Word, Form::Scalar}},
    {Signature::TT_U, {2, ResultType::Word, Form::Scalar}},
    {Signature::T_B, {1, ResultType::Word, Form::Scalar}},
    {Signature::UU_V, {2, ResultType::Pair, Form::MakeVector, 0b11}},
    {Signature::UUUU_V, {4, ResultType::Quad, Form::MakeVector, 0b1111}},
    {Signature::V_U, {1, ResultType::Word, Form::Component}},
    {Signature::CTT_T, {3, ResultType::T, Form::Select}},
    {Signature::Cast, {1, ResultType::Written, Form::Cast}},
    {Signature::Bitcast, {1, ResultType::Written, Form::Bitcast}},
    {Signature::Call, {std::nullopt, ResultType::Called, Form::Call}},
    {Signature::A_T, {2, ResultType::Word, Form::Atomic}},
    {Signature::AA_T, {3, ResultType::Word, Form::Atomic}},
    {Signature::Reduce, {std::nullopt, ResultType::Element, Form::Reduce}},
};
inline constexpr TotalTable<kSignatureRows> kSignatures;
constexpr const SignatureInfo& info(Signature signature) { return kSignatures[signature]; }

constexpr std::optional<uint32_t> operand_count(Signature signature) { return info(signature).operands; }

}  // namespace vyre::spec
