// Operations that their laws do not tell apart.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "spec/float_format.h"
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

bool has_float(const ops::Operation& f) {
  const auto is_float = [](spec::DataType type) { return spec::kFloats.contains(type); };
  return is_float(f.signature.output) || std::ranges::any_of(f.signature.inputs, is_float);
}

/// Values of a type at which functions turn, the simple ones first.
std::vector<uint32_t> values_of(spec::DataType type) {
  if (!spec::kFloats.contains(type)) return {0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff};
  const spec::FloatFormat x = spec::float_format(type);
  std::vector<uint32_t> out = {
      0,      x.one(),          x.one() + x.least_normal(), x.one() + 1,  x.one() - 1,
      1,      x.least_normal(), x.one() - x.least_normal(), x.greatest(), x.infinity(),
      x.nan()};
  for (size_t k = 0, n = out.size(); k < n; ++k) out.push_back(out[k] | x.sign_bit());
  return out;
}

/// An input on which two functions of floats, which have no formula, differ: by trying.
void separate_by_values(Collision& out) {
  const auto& types = out.first->signature.inputs;
  std::vector<std::vector<uint32_t>> values;
  size_t tuples = 1;
  for (const spec::DataType type : types) {
    values.push_back(values_of(type));
    tuples *= values.back().size();
  }
  out.by = fmt::format("evaluation of {} inputs", tuples);
  for (size_t number = 0; number < tuples; ++number) {
    std::vector<uint32_t> operands(types.size());
    size_t rest = number;
    for (size_t k = operands.size(); k-- > 0; rest /= values[k].size())
      operands[k] = values[k][rest % values[k].size()];
    if (!differ(*out.first, *out.second, operands)) continue;
    out.input = std::move(operands);
    return;
  }
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
      const bool one_registry = (f.bound == 0) == (g.bound == 0);
      if (f.signature != g.signature || !one_registry) continue;
      const bool first = contains(f.laws, g.laws), second = contains(g.laws, f.laws);
      if (!first && !second) continue;
      Collision& collision = out.emplace_back(Collision{.first = &f, .second = &g});
      collision.laws = first && second ? Collision::Laws::Equal
                       : first         ? Collision::Laws::FirstHasMore
                                       : Collision::Laws::SecondHasMore;
      collision.separated_by = separation(f, g);
      if (has_float(f)) {
        separate_by_values(collision);
      } else {
        separate(*family, prover, collision);
      }
    }
  }
  return out;
}

std::vector<Collision> collisions(solver::Prover& prover) {
  std::vector<const ops::Operation*> all;
  for (const ops::Operation& f : ops::all_operations()) all.push_back(&f);
  return collisions(all, prover);
}

}  // namespace vyre::symbolic
