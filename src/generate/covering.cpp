#include "generate/covering.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/random.h"

namespace vyre::generate {
namespace {

/// Rows tried for each that is kept: more of them make a smaller array, and of many tuples they take long.
constexpr uint32_t candidates(uint32_t strength) { return strength <= 2 ? 20 : strength == 3 ? 6 : 2; }
constexpr size_t kMaxStrength = 6;

/// Every choice of `strength` factors has a block of tuples, one bit for each combination of their levels.
class Tuples {
 public:
  Tuples(const Factors& factors, uint32_t strength) : factors_(factors), strength_(strength) {
    std::array<size_t, kMaxStrength> chosen{};
    choose(chosen, 0, 0);
    open_.assign(size_, true);
  }

  size_t size() const { return size_; }
  bool is_open(size_t tuple) const { return open_[tuple]; }
  void close(size_t tuple) { open_[tuple] = false; }

  /// The levels of a tuple; all else unset.
  Row row_of(size_t tuple) const {
    Row out(factors_.levels.size(), kUnset);
    const auto block = std::ranges::upper_bound(blocks_, tuple, {}, &Block::first) - 1;
    size_t rest = tuple - block->first;
    for (size_t k = 0; k < strength_; ++k) {
      const size_t factor = block->factors[k];
      out[factor] = uint8_t(rest % factors_.levels[factor]);
      rest /= factors_.levels[factor];
    }
    return out;
  }

  /// Calls f(tuple) for those of the row that have `factor` (or, where that is SIZE_MAX, all).
  template <typename F>
  void each(const Row& row, size_t factor, F f) const {
    const auto set = [&](size_t k) { return row[k] < kAbsent; };
    if (factor == SIZE_MAX) {
      for (const Block& block : blocks_) visit(row, block, set, f);
    } else {
      for (const uint32_t b : of_[factor]) visit(row, blocks_[b], set, f);
    }
  }

 private:
  struct Block {
    std::array<size_t, kMaxStrength> factors{};
    size_t first = 0;
  };

  void choose(std::array<size_t, kMaxStrength>& chosen, size_t depth, size_t from) {
    of_.resize(factors_.levels.size());
    if (depth == strength_) {
      uint32_t together = factors_.with[0];
      size_t combinations = 1;
      for (size_t k = 0; k < strength_; ++k) {
        together &= factors_.with[chosen[k]];
        combinations *= factors_.levels[chosen[k]];
      }
      if (together == 0) return;  // no row has all of these factors
      for (size_t k = 0; k < strength_; ++k) of_[chosen[k]].push_back(uint32_t(blocks_.size()));
      blocks_.push_back({chosen, size_});
      size_ += combinations;
      return;
    }
    for (size_t f = from; f < factors_.levels.size(); ++f) {
      chosen[depth] = f;
      choose(chosen, depth + 1, f + 1);
    }
  }
  template <typename Set, typename F>
  void visit(const Row& row, const Block& block, Set set, F f) const {
    size_t tuple = block.first, weight = 1;
    for (size_t k = 0; k < strength_; ++k) {
      const size_t factor = block.factors[k];
      if (!set(factor)) return;
      tuple += weight * row[factor];
      weight *= factors_.levels[factor];
    }
    f(tuple);
  }

  const Factors& factors_;
  size_t strength_, size_ = 0;
  std::vector<Block> blocks_;
  std::vector<std::vector<uint32_t>> of_;  // blocks with a factor
  std::vector<bool> open_;
};

/// Completes rows around a few levels.
class Completion {
 public:
  Completion(const Factors& factors, const Tuples& tuples, RandomStream& random)
      : factors_(factors), tuples_(tuples), random_(random) {}

  /// Whether there is an allowed row with the levels that are set; then the row is it, with as many open
  /// tuples as greed finds.
  bool complete(Row& row) {
    order_.clear();
    for (size_t f = 1; f < row.size(); ++f) {
      if (row[f] == kUnset) order_.push_back(f);
    }
    for (size_t k = order_.size(); k > 1; --k) std::swap(order_[k - 1], order_[random_.below(uint32_t(k))]);
    if (row[0] == kUnset) order_.insert(order_.begin(), 0);
    return !factors_.allows || factors_.allows(row) ? next(row, 0) : false;
  }

 private:
  bool fits_first(const Row& row) const {
    for (size_t f = 1; f < row.size(); ++f) {
      if (row[f] < kAbsent && !factors_.applies(f, row[0])) return false;
    }
    return true;
  }
  size_t gain(Row& row, size_t factor) const {
    size_t out = 0;
    tuples_.each(row, factor, [&](size_t tuple) { out += tuples_.is_open(tuple); });
    return out;
  }
  bool next(Row& row, size_t at) {
    if (row[0] != kUnset && !fits_first(row)) return false;
    if (at == order_.size()) return true;
    const size_t factor = order_[at];
    if (factor != 0 && !factors_.applies(factor, row[0])) {
      row[factor] = kAbsent;
      if (next(row, at + 1)) return true;
      row[factor] = kUnset;
      return false;
    }
    struct Choice {
      uint8_t level;
      size_t gain;
      uint32_t chance;
    };
    std::vector<Choice> choices;
    for (uint8_t level = 0; level < factors_.levels[factor]; ++level) {
      row[factor] = level;
      if (factors_.allows && !factors_.allows(row)) continue;
      choices.push_back({level, gain(row, factor), random_.next()});
    }
    std::ranges::sort(choices, [](const Choice& a, const Choice& b) {
      return a.gain != b.gain ? a.gain > b.gain : a.chance < b.chance;
    });
    for (const Choice& choice : choices) {
      row[factor] = choice.level;
      if (next(row, at + 1)) return true;
    }
    row[factor] = kUnset;
    return false;
  }

  const Factors& factors_;
  const Tuples& tuples_;
  RandomStream& random_;
  std::vector<size_t> order_;
};

}  // namespace

Covering cover(const Factors& factors, uint32_t strength, uint64_t seed) {
  RandomStream random(seed, 0xC0FE);
  Tuples tuples(factors, strength);
  Completion completion(factors, tuples, random);
  Covering out;
  // Where a row begins is drawn, so that factors that come first are not finished first.
  std::vector<size_t> order(tuples.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(uint32_t(k))]);
  for (const size_t tuple : order) {
    if (!tuples.is_open(tuple)) continue;
    Row best;
    size_t most = 0;
    for (uint32_t k = 0; k < candidates(strength); ++k) {
      Row row = tuples.row_of(tuple);
      if (!completion.complete(row)) break;
      size_t gain = 0;
      tuples.each(row, SIZE_MAX, [&](size_t t) { gain += tuples.is_open(t); });
      if (gain > most) {
        most = gain;
        best = std::move(row);
      }
    }
    if (best.empty()) {
      ++out.infeasible;
      tuples.close(tuple);
      continue;
    }
    tuples.each(best, SIZE_MAX, [&](size_t t) { tuples.close(t); });
    out.rows.push_back(std::move(best));
  }
  out.feasible = tuples.size() - out.infeasible;
  return out;
}

uint64_t count_tuples(std::span<const Row> rows, uint32_t strength) {
  if (rows.empty()) return 0;
  const size_t n = rows.front().size();
  constexpr uint32_t kLevels = 16;
  uint64_t out = 0;
  std::vector<size_t> chosen(strength);
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  std::vector<bool> seen;
  for (;;) {
    seen.assign(size_t{1} << (4 * strength), false);
    for (const Row& row : rows) {
      size_t tuple = 0;
      bool whole = true;
      for (const size_t factor : chosen) {
        whole = whole && row[factor] < kAbsent;
        tuple = tuple * kLevels + (row[factor] & 15);
      }
      if (!whole || seen[tuple]) continue;
      seen[tuple] = true;
      ++out;
    }
    // The next choice of factors, in order.
    size_t k = strength;
    while (k > 0 && chosen[k - 1] == n - strength + k - 1) --k;
    if (k == 0) return out;
    ++chosen[k - 1];
    for (; k < strength; ++k) chosen[k] = chosen[k - 1] + 1;
  }
}

}  // namespace vyre::generate
