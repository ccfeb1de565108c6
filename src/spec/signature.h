// Signatures as data: what an application of an operator has, by its operator's signature.
//
// Many signatures share a form. Parser, printer, checker, codec and interpreter differ by form
// alone; what is left of a signature is how many operands there are and which type each has. A walk over
// expressions switches over the form, so that a new signature of a form that there is needs a row here and no
// more.
#pragma once

#include <array>
#include <cstdint>

#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::spec {

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
struct KeyCount<Signature> {
  static constexpr size_t value = static_cast<size_t>(Signature::Reduce) + 1;
};

inline constexpr Row<Signature, Form> kFormRows[] = {
    {Signature::T_T, Form::Scalar},        {Signature::TT_T, Form::Scalar},
    {Signature::TU_T, Form::Scalar},       {Signature::T_U, Form::Scalar},
    {Signature::TT_U, Form::Scalar},       {Signature::T_B, Form::Scalar},
    {Signature::TTT_T, Form::Scalar},      {Signature::CTT_T, Form::Select},
    {Signature::Cast, Form::Cast},         {Signature::Bitcast, Form::Bitcast},
    {Signature::Call, Form::Call},         {Signature::A_T, Form::Atomic},
    {Signature::AA_T, Form::Atomic},       {Signature::UU_V, Form::MakeVector},
    {Signature::UUUU_V, Form::MakeVector}, {Signature::V_U, Form::Component},
    {Signature::Reduce, Form::Reduce},
};
inline constexpr TotalTable<kFormRows> kForms;

/// By operator, so that a walk looks once.
inline constexpr auto kFormsOfOps = [] {
  std::array<Form, kOpCount> out{};
  for (size_t i = 0; i < kOpCount; ++i) out[i] = kForms[kOps[i].signature];
  return out;
}();
constexpr Form form_of(Op op) { return kFormsOfOps[static_cast<size_t>(op)]; }

}  // namespace vyre::spec
