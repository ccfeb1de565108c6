// The types of a law's variables, and whether a law fits an operation at all.
//
// "f(a, b) = f(b, a)" says nothing of an operation whose operands have two types, and one that names another
// operation says something only where the two fit together. What declares laws (operations of the library,
// and those of files) and what runs them ask the same question here. Source: vyre-conform-spec, "Ground Truth
// — Algebraic Laws"; semantics, "Laws and evidence".
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/laws.h"
#include "spec/operation.h"

namespace vyre::spec {

/// An operation as far as a law's types depend on it.
struct LawSubject {
  std::string_view id;
  const OpSignature* signature;
};

/// That the law speaks of operations of this arity. The error is the reason.
std::expected<void, std::string> check_arity(LawKind kind, const LawSubject& f);

/// The types of the variables of a law of f that names `others`, as many as it has to; of Custom none, since
/// a predicate is typed where it is built. The error is the reason why it does not apply. Domain: check_arity
/// holds.
std::expected<std::vector<DataType>, std::string> law_variables(LawKind kind, const LawSubject& f,
                                                                std::span<const LawSubject> others);

}  // namespace vyre::spec
