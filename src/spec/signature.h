// Signatures as data: what an application of an operator has and gives, by its operator's signature.
//
// A signature is the shape of an operator's type over one type variable T; the head of ops.def lists them.
// Many signatures share a form. Parser, printer, checker, codec and interpreter differ by form
// alone; what is left of a signature is how many operands there are and which type each has. Whatever types
// expressions asks the row, and a walk over expressions switches over the form, so that a new signature of a
// form that there is needs a row here and no more.
#pragma once

#include <cstdint>
#include <optional>

#include "spec/table.h"

namespace vyre::spec {

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

/// The type that an application gives.
enum class Gives : uint8_t {
  T,        // that of its operands
  OnlyT,    // the one type that the ledger lets T be
  Word,     // u32, whatever T is
  Named,    // the one it names
  Element,  // that of the buffer's elements, which is T
  Output,   // that of the operation that it calls
};

struct SignatureInfo {
  Form form;
  Gives gives;
  /// How many operand expressions there are (an atomic counts its index); none for Call, whose operation says
  /// it, and Reduce, which has two or none.
  std::optional<uint32_t> operands;
  /// A bit for each operand that is u32 whatever T is; the condition of a select may be a bool too.
  uint8_t words = 0;

  constexpr bool is_word(uint32_t operand) const { return operand < 8 && (words >> operand & 1) != 0; }
};

template <>
struct KeyCount<Form> {
  static constexpr size_t value = static_cast<size_t>(Form::Reduce) + 1;
};
template <>
struct KeyCount<Signature> {
  static constexpr size_t value = static_cast<size_t>(Signature::Reduce) + 1;
};

inline constexpr Row<Signature, SignatureInfo> kSignatureRows[] = {
    {Signature::T_T, {Form::Scalar, Gives::T, 1}},
    {Signature::TT_T, {Form::Scalar, Gives::T, 2}},
    {Signature::TTT_T, {Form::Scalar, Gives::T, 3}},
    {Signature::TU_T, {Form::Scalar, Gives::T, 2, 0b10}},
    {Signature::T_U, {Form::Scalar, Gives::Word, 1}},
    {Signature::TT_U, {Form::Scalar, Gives::Word, 2}},
    {Signature::T_B, {Form::Scalar, Gives::Word, 1}},
    {Signature::CTT_T, {Form::Select, Gives::T, 3, 0b1}},
    {Signature::Cast, {Form::Cast, Gives::Named, 1}},
    {Signature::Bitcast, {Form::Bitcast, Gives::Named, 1}},
    {Signature::Call, {Form::Call, Gives::Output, std::nullopt}},
    {Signature::A_T, {Form::Atomic, Gives::OnlyT, 2, 0b1}},
    {Signature::AA_T, {Form::Atomic, Gives::OnlyT, 3, 0b1}},
    {Signature::UU_V, {Form::MakeVector, Gives::OnlyT, 2, 0b11}},
    {Signature::UUUU_V, {Form::MakeVector, Gives::OnlyT, 4, 0b1111}},
    {Signature::V_U, {Form::Component, Gives::Word, 1}},
    {Signature::Reduce, {Form::Reduce, Gives::Element, std::nullopt, 0b11}},
};
inline constexpr TotalTable<kSignatureRows> kSignatures;
constexpr const SignatureInfo& info(Signature signature) { return kSignatures[signature]; }

}  // namespace vyre::spec
