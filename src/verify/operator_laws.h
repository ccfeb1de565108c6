// Laws of the IR's own operators at the types that no primitive has: i32, u64, u128 and bool.
//
// A primitive is a function of words, and its laws are certified with it. An operator at another type has no
// entry in the library, though it has laws as well: solvers prove them of its meaning (symbolic/), and here a
// backend is held to them. The statements are those of spec/laws.def; values are of any width, and each
// application is a dispatch of its own, so no compiler sees both sides. A claimed law is tried on every tuple
// of 16 structured values of its type (of bool: on every tuple there is) and on random ones, on the reference
// and on the device; a denied one at values that refute it. They are part of the verdict on ir.operators.
// Source: vyre-conform-spec, "Ground Truth, Algebraic Laws" (laws hold per operation and type); semantics,
// "Laws and evidence".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "ref/eval.h"
#include "spec/laws.h"
#include "verify/monitor.h"
#include "verify/verdict.h"

namespace vyre::verify {

struct OperatorLaw {
  spec::Op op{};
  spec::DataType type{};
  /// Other operators go by their mnemonics, at the same type. A constant is the low word of one, of which the
  /// sign goes on: 0xffffffff is all ones at any type.
  spec::Law law;
  bool claimed = true;
  std::vector<ref::Bits> witness = {};  // Denied: values of its variables at which it fails
};
/// All of them, in the order of certificates: append-only within an operator.
const std::vector<OperatorLaw>& operator_laws();
/// "add.u64: Commutative"
std::string name_of(const OperatorLaw& law);
/// How many values each variable ranges over where a law is exhausted: 2 of bool, else kLawEdges.
inline constexpr uint32_t kLawEdges = 16;

/// Tries laws number first .. last - 1 on both subjects and adds its verdict, and what failed. `witnessed`:
/// random instances of each claimed law; 0: none is checked, and the laws are in the verdict without
/// evidence. Names the verdict's pipeline in the evidence, so comes after it is known. What fails is
/// attributed on an application whose result is wrong. Errors: what the backend answers.
Result<void> check_operator_laws(backend::Backend& backend, size_t first, size_t last, uint64_t witnessed,
                                 uint64_t seed, const Monitor& monitor, Verdict& verdict);

}  // namespace vyre::verify
