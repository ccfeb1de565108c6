// Operations that their laws do not tell apart.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "symbolic/candidates.h"
#include "symbolic/cross_product.h"
#include "symbolic/functions.h"

namespace vyre::symbolic {
namespace {

bool contains(const std::vector<spec::Law>& all, const std::vector<spec::Law>& some) {
  return std::ranges::all_of(some,
                             [&](const spec::Law& law) { return std::ranges::find(all, law) != all.end(); });
}

bool differ(const ops::Operation& f, const ops::Operation& g, const std::vector<uint32_t>& operands) {
  return f.reference(operands.data()) != g.reference(operands.data());
}

/// What is declared and tells the two apart, or "". A custom law of one is a law of its own, so that the sets
/// are not equal; it counts where the other has none of that name.
std::string separation(const ops::Operation& f, const ops::Operation& g) {
  const auto operands = [](std::span<const uint32_t> words) {
    return fmt::format("{:#x}", fmt::join(words, ", "));
  };
  for (const ops::Operation* one : {&f, &g}) {
    for (const ops::BoundaryValue& b : one->boundaries) {
      if (differ(f, g, b.operands)) return fmt::format("boundary ({}): {}", operands(b.operands), b.reason);
    }
    for (const ops::EquivalenceClass& c : one->classes) {
      if (differ(f, g, c.representative))
        return fmt::format("class ({}): {}", operands(c.representative), c.name);
    }
  }
  for (const ops::Operation* one : {&f, &g}) {
    for (const spec::Law& law : one->laws) {
      const bool both = contains(f.laws, {law}) && contains(g.laws, {law});
      if (law.kind == spec::LawKind::Custom && !both) return fmt::format("law {}", spec::to_string(law));
    }
  }
  return {};
}

/// An input on which they differ, or a proof that there is none.
void separate(const Family& family, solver::Prover& prover, Collision& out) {
  smt::Pool pool;
  const auto operands = operands_of(pool, *out.first);
  const auto f = family.meaning()(pool, *out.first, operands),
             g = family.meaning()(pool, *out.second, operands);
  if (!f || !g) {
    out.by = f ? g.error() : f.error();
    return;
  }
  const Claim claim{pool.eq(*f, *g), operands};
  Refuter refuter(pool, claim, 32);
  if (const auto input = refuter.smallest()) {
    out.input.assign(input->begin(), input->end());
    out.smallest = true;
    out.by = "evaluation";
    return;
  }
  const solver::Proof proof = prover.prove(pool, claim.holds, operands);
  out.by = proof.outcome == solver::Outcome::Open ? proof.reason : proof.solver;
  out.equal = proof.outcome == solver::Outcome::Proved;
  for (const smt::Assigned& a : proof.witness) out.input.push_back(uint32_t(a.value));
  out.smallest = proof.smallest;
  // What separates formulas must separate the functions.
  if (!out.input.empty() && !differ(*out.first, *out.second, out.input)) out.input.clear();
}

}  // namespace

std::vector<Collision> collisions(std::span<const ops::Operation* const> operations, solver::Prover& prover) {
  const auto family = integer_primitives();
  std::vector<Collision> out;
  for (size_t i = 0; i < operations.size(); ++i) {
    for (size_t k = i + 1; k < operations.size(); ++k) {
      const ops::Operation &f = *operations[i], &g = *operations[k];
      if (f.signature != g.signature) continue;
      const bool first = contains(f.laws, g.laws), second = contains(g.laws, f.laws);
      if (!first && !second) continue;
      Collision& collision = out.emplace_back(Collision{.first = &f, .second = &g});
      collision.laws = first && second ? Collision::Laws::Equal
                       : first         ? Collision::Laws::FirstHasMore
                                       : Collision::Laws::SecondHasMore;
      collision.separated_by = separation(f, g);
      separate(*family, prover, collision);
    }
  }
  return out;
}

std::vector<Collision> collisions(solver::Prover& prover) {
  std::vector<const ops::Operation*> all;
  for (const ops::Operation& f : ops::all_operations()) {
    if (f.id.starts_with("primitive.")) all.push_back(&f);
  }
  return collisions(all, prover);
}

}  // namespace vyre::symbolic
