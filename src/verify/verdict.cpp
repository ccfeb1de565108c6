#include "verify/verdict.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vyre::verify {

void add(Tally& sum, const Tally& more) {
  sum.planned += more.planned;
  sum.completed += more.completed;
  sum.failed += more.failed;
  sum.waived += more.waived;
  sum.unsupported += more.unsupported;
}

void add(Deviations& sum, const Deviations& more) {
  sum.bound = std::max(sum.bound, more.bound);
  if (sum.counts.size() < more.counts.size()) sum.counts.resize(more.counts.size());
  for (size_t n = 0; n < more.counts.size(); ++n) sum.counts[n] += more.counts[n];
  sum.beyond += more.beyond;
  sum.greatest = std::max(sum.greatest, more.greatest);
}

namespace {

/// Adds what has a key to the entry with that key, in the order in which keys were first seen.
template <typename T, typename Key, typename Add>
void add_by(std::vector<T>& sum, std::vector<T>& more, Key key, Add add_to) {
  for (T& one : more) {
    const auto known = std::ranges::find(sum, one.*key, key);
    if (known == sum.end()) {
      sum.push_back(std::move(one));
    } else {
      add_to(*known, one);
    }
  }
}

}  // namespace

void list_failing(Verdict& verdict, std::string_view generator, uint64_t number, uint64_t stride) {
  std::vector<FailingCases>& all = verdict.failing;
  if (!all.empty() && all.back().generator == generator && all.back().stride == stride &&
      all.back().last + stride == number) {
    all.back().last = number;
  } else if (all.size() < kKeptFailing) {
    all.push_back({std::string(generator), number, number, stride});
  }
}

/// Cases of each level. Tuples of a few are those of all cases together, which verify::complete() counts.
void add(Coverage& sum, Coverage summand) {
  if (sum.factors.empty()) sum = std::exchange(summand, {});
  for (size_t f = 0; f < summand.factors.size(); ++f) {
    for (size_t level = 0; level < summand.factors[f].levels.size(); ++level)
      sum.factors[f].levels[level].cases += summand.factors[f].levels[level].cases;
  }
}

void add(Verdict& sum, Verdict summand) {
  if (sum.pipeline.empty()) sum.pipeline = std::move(summand.pipeline);
  if (sum.error.empty()) sum.error = std::move(summand.error);
  add_by(sum.parity, summand.parity, &OracleCases::oracle,
         [](OracleCases& a, const OracleCases& b) { add(a.tally, b.tally); });
  std::ranges::sort(sum.parity, {}, &OracleCases::oracle);
  std::ranges::move(summand.leaves, std::back_inserter(sum.leaves));
  add(sum.definition, summand.definition);
  add(sum.deviations, summand.deviations);
  add(sum.coverage, std::move(summand.coverage));
  add(sum.determinism, summand.determinism);
  sum.dispatches += summand.dispatches;
  sum.canaries += summand.canaries;
  sum.canaries_broken += summand.canaries_broken;
  add_by(sum.classes, summand.classes, &ClassHits::name,
         [](ClassHits& a, const ClassHits& b) { a.hits += b.hits; });
  sum.boundaries = std::max(sum.boundaries, summand.boundaries);
  sum.boundaries_hit += summand.boundaries_hit;
  std::ranges::move(summand.laws, std::back_inserter(sum.laws));
  add_by(sum.invariants, summand.invariants, &InvariantVerdict::invariant,
         [](InvariantVerdict& a, const InvariantVerdict& b) { add(a.cases, b.cases); });
  for (FailingCases& cases : summand.failing) {
    if (sum.failing.size() < kKeptFailing) sum.failing.push_back(std::move(cases));
  }
  sum.operators += summand.operators;
  sum.shapes += summand.shapes;
  sum.failure_count += summand.failure_count;
  for (Failure& failure : summand.failures) keep(sum, std::move(failure));
}

void keep(Verdict& verdict, Failure failure) {
  const bool known = std::ranges::any_of(verdict.failures, [&](const Failure& kept) {
    return !failure.token.empty() && kept.token == failure.token && kept.check == failure.check &&
           kept.fault == failure.fault;
  });
  if (!known && verdict.failures.size() < kKeptFailures) verdict.failures.push_back(std::move(failure));
}

}  // namespace vyre::verify
