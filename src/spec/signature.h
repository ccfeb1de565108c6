// Signatures as data: what an application of an operator has, by its operator's signature (signatures.def).
//
// Seventeen signatures come in nine forms. Parser, printer, checker, codec and interpreter differ by form
// alone; what is left of a signature is how many operands there are and which type each has. A walk over
// expressions switches over the form, so that a new signature of a form that there is needs a row and no
// more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "spec/op.h"

namespace vyre::spec {

/// The shape of an operator's type, over one type variable T.
enum class Signature : uint8_t {
#define VYRE_SIGNATURE(Name, form, operands, gives_word, words) Name,
#include "spec/signatures.def"
#undef VYRE_SIGNATURE
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

/// How many operands a Call has, which its operation says, and a Reduce, which has none or a range.
inline constexpr uint8_t kAnyNumber = 0xff;

struct SignatureInfo {
  Form form;
  uint8_t operands;
  bool gives_word;  // the result is u32 whatever T is
  uint8_t words;    // the operands that are, a bit each
};
inline constexpr auto kSignatures = std::to_array<SignatureInfo>({
#define VYRE_SIGNATURE(Name, form, operands, gives_word, words) {Form::form, operands, gives_word, words},
#include "spec/signatures.def"
#undef VYRE_SIGNATURE
});
constexpr const SignatureInfo& info(Signature signature) {
  return kSignatures[static_cast<size_t>(signature)];
}

template <>
struct KeyCount<Signature> {
  static constexpr size_t value = kSignatures.size();
};

}  // namespace vyre::spec
