// Compositional verification: the laws of a composite from those of its parts.
//
// "popcount after and is commutative" needs no run: it follows from a composition theorem
// (symbolic/theorems.h) and from a law that and declares. What follows is said with the grade
// derived(theorem; from premises); where no theorem speaks, nothing is said. The premises are the laws that
// the library's operations declare, which are proved or run elsewhere: a derivation is as good as they are.
// Source: oracles, "Composition theorem"; semantics, "Laws and evidence".
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "ops/operation.h"
#include "symbolic/consequences.h"

namespace vyre::verify {

struct DerivedLaw {
  spec::Law law;
  std::string theorem;  // "any_after_commutative"
  std::string grade;    // "derived(any_after_commutative; primitive.bitwise.and: Commutative)"
};

/// A composite as a function, with what was derived of it as its laws.
struct Composite {
  symbolic::Component function;
  std::vector<DerivedLaw> derived;
};

/// The composite of a form, its parts operations of the library on words, null where the form has none.
/// Domain: as many operands as the form gives each.
Composite compose(symbolic::Form form, const ops::Operation* f, const ops::Operation* g = nullptr,
                  const ops::Operation* k = nullptr, std::optional<uint32_t> c = std::nullopt);
/// A after B: h(x...) = after(before(x...)). Domain: `after` of one operand, `before` of one or two.
Composite compose_after(const ops::Operation& after, const ops::Operation& before);

/// The laws of an operation from its composition: every application in it is of a form with operators and
/// calls as parts, and laws go up from the leaves. Errors: why the composition is no such tree (control flow,
/// three operands, an operator that is no operation of the library).
std::expected<Composite, std::string> derive_laws(const ops::Operation& operation);

/// A library operation as a part, with its declared laws; nullptr: none of u32 words with 1 or 2 operands.
const symbolic::Component* library_component(std::string_view id);

}  // namespace vyre::verify
