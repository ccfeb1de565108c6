// LLVM IR as terms: what a function stores and returns, and what it must not do.
//
// The reader goes through LLVM's own data structures and shares no code with what prints IR (lower/llvm): it
// knows the language reference, not the printers. Poison and undef are values of their own
// (symbolic/llvm/value.h); what is undefined behaviour at once, an access outside of a buffer, a division by
// zero, a branch on poison, is an obligation. Functions without loops can be read, on scalars: branches and
// phis become conditions. Source: LLVM Language Reference Manual.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>

#include "symbolic/reading.h"

namespace llvm {
class Function;
}

namespace vyre::symbolic {

/// What a parameter of the function is.
struct LlvmParameter {
  enum class Kind : uint8_t { Address, Number } kind{};
  uint32_t buffer = 0;  // Address: of the beginning of that buffer
  smt::Term number{};   // Number: what is passed, a term of the parameter's width
};

struct LlvmReading {
  Reading reading;
  /// Of a function that returns an integer: the result, and whether it is poison.
  std::optional<smt::Term> result, poison;
};

/// Domain  `parameters` are the function's; buffers of Memory hold words and their addresses are multiples of
///         `alignment` bytes.
/// Errors  what it is that this reader does not know: a loop, a vector, a float, a call.
std::expected<LlvmReading, std::string> read(smt::Pool& pool, Memory& memory, const llvm::Function& function,
                                             std::span<const LlvmParameter> parameters,
                                             uint32_t alignment = 4);

}  // namespace vyre::symbolic
