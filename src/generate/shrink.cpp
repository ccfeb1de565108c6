#include "generate/shrink.h"

#include <algorithm>
#include <bit>

namespace vyre::generate {
namespace {

using Values = std::vector<uint32_t>;

/// Candidates for one word, most drastic first.
std::vector<uint32_t> smaller_words(uint32_t word) {
  std::vector<uint32_t> out;
  const auto add = [&](uint32_t candidate) {
    if (candidate < word && std::find(out.begin(), out.end(), candidate) == out.end())
      out.push_back(candidate);
  };
  for (uint32_t small = 0; small < 4; ++small) add(small);
  for (uint32_t k = 0; k < 32; ++k) add(1u << k);
  for (uint32_t k = 24; k >= 1; k /= 2) add(word >> k);
  for (uint32_t k = 32; k-- > 0;) add(word & ~(1u << k));          // without one bit
  for (uint32_t k = 31; k >= 1; --k) add(word & ((1u << k) - 1));  // the low bits alone
  for (uint32_t step = 0x10000; step >= 1; step /= 4) add(word - std::min(word, step));
  return out;
}

/// Changes to all operands at once, for failures that hang on a relation between them.
std::vector<Values> joint_changes(const Values& tuple) {
  std::vector<Values> out;
  const auto add = [&](auto change) {
    Values candidate = tuple;
    for (uint32_t& word : candidate) word = change(word);
    out.push_back(std::move(candidate));
  };
  const uint32_t least = *std::min_element(tuple.begin(), tuple.end());
  add([&](uint32_t word) { return word - least; });
  add([&](uint32_t) { return least; });
  for (uint32_t k : {16u, 8u, 4u, 2u, 1u}) add([&](uint32_t word) { return word >> k; });
  for (uint32_t k = 0; k < 32; ++k) add([&](uint32_t word) { return word & ~(1u << k); });
  for (uint32_t k : {65536u, 256u, 16u, 1u}) add([&](uint32_t word) { return word - std::min(word, k); });
  Values sorted = tuple;
  std::sort(sorted.begin(), sorted.end());
  out.push_back(std::move(sorted));
  return out;
}

class Descent {
 public:
  Descent(const Fails& fails, size_t budget) : fails_(fails), left_(budget) {}

  Values run(Values best) {
    if (try_small_tuples(best)) return best;
    while (left_ > 0 && step(best)) {
    }
    return best;
  }

 private:
  bool accepts(const Values& candidate, Values& best) {
    if (left_ == 0 || !simpler(candidate, best)) return false;
    --left_;
    if (!fails_(candidate)) return false;
    best = candidate;
    return true;
  }

  /// Every tuple of words up to 15 (7 for triples), in the order of counterexamples.
  bool try_small_tuples(Values& best) {
    const uint32_t limit = best.size() < 3 ? 16 : 8;
    for (uint32_t most = 0; most < limit; ++most) {
      Values tuple(best.size(), 0);
      for (;;) {
        if (*std::max_element(tuple.begin(), tuple.end()) == most && accepts(tuple, best)) return true;
        size_t i = tuple.size();
        while (i > 0 && tuple[i - 1] == most) tuple[--i] = 0;
        if (i == 0) break;
        ++tuple[i - 1];
      }
    }
    return false;
  }

  bool step(Values& best) {
    for (const Values& candidate : joint_changes(best)) {
      if (accepts(candidate, best)) return true;
    }
    // The largest operand decides the order, so it is tried first.
    std::vector<size_t> order(best.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return best[a] != best[b] ? best[a] > best[b] : a < b; });
    for (size_t i : order) {
      for (uint32_t word : smaller_words(best[i])) {
        Values candidate = best;
        candidate[i] = word;
        if (accepts(candidate, best)) return true;
      }
    }
    return false;
  }

  const Fails& fails_;
  size_t left_;
};

}  // namespace

bool simpler(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  if (a.empty()) return false;
  const uint32_t most_a = *std::max_element(a.begin(), a.end());
  const uint32_t most_b = *std::max_element(b.begin(), b.end());
  if (most_a != most_b) return most_a < most_b;
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

std::vector<uint32_t> shrink(std::vector<uint32_t> failing, const Fails& fails, size_t max_evaluations) {
  if (failing.empty()) return failing;
  return Descent(fails, max_evaluations).run(std::move(failing));
}

}  // namespace vyre::generate
