#include "races/linear.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>

namespace vyre::races {
namespace {

constexpr int64_t kLargest = int64_t{1} << 60;  // of a coefficient; beyond it nothing is proved
constexpr size_t kMostRows = 400;

__extension__ using Wide = __int128;

enum class Row : uint8_t { Kept, Holds, Contradicts, TooLarge };

int64_t divisor(const LinearSum& sum) {
  int64_t g = 0;
  for (const auto& [variable, factor] : sum.terms) g = std::gcd(g, factor);
  return g;
}

/// a * x + b * y.
std::optional<LinearSum> combine(int64_t a, const LinearSum& x, int64_t b, const LinearSum& y) {
  if (x.lost || y.lost) return std::nullopt;
  LinearSum out;
  bool fits = true;
  const auto value = [&](int64_t p, int64_t q) {
    const Wide v = Wide(a) * p + Wide(b) * q;
    fits = fits && v <= kLargest && v >= -kLargest;
    return int64_t(v);
  };
  size_t i = 0, j = 0;
  while (i < x.terms.size() || j < y.terms.size()) {
    const uint32_t vx = i < x.terms.size() ? x.terms[i].first : UINT32_MAX;
    const uint32_t vy = j < y.terms.size() ? y.terms[j].first : UINT32_MAX;
    const uint32_t v = std::min(vx, vy);
    const int64_t factor = value(vx == v ? x.terms[i].second : 0, vy == v ? y.terms[j].second : 0);
    i += vx == v;
    j += vy == v;
    if (factor != 0) out.terms.push_back({v, factor});
  }
  out.constant = value(x.constant, y.constant);
  if (!fits) return std::nullopt;
  return out;
}

int64_t factor_of(const LinearSum& sum, uint32_t variable) {
  const auto at = std::ranges::lower_bound(sum.terms, variable, {}, &std::pair<uint32_t, int64_t>::first);
  return at != sum.terms.end() && at->first == variable ? at->second : 0;
}

Row tighten_equal(LinearSum& sum) {
  const int64_t g = divisor(sum);
  if (g == 0) return sum.constant == 0 ? Row::Holds : Row::Contradicts;
  if (sum.constant % g != 0) return Row::Contradicts;
  for (auto& term : sum.terms) term.second /= g;
  sum.constant /= g;
  return Row::Kept;
}

Row tighten_at_least(LinearSum& sum) {
  const int64_t g = divisor(sum);
  if (g == 0) return sum.constant >= 0 ? Row::Holds : Row::Contradicts;
  for (auto& term : sum.terms) term.second /= g;
  sum.constant = floor_of(sum.constant, g);
  return Row::Kept;
}

/// Of rows with the same variables and factors the strongest one: the least constant.
class Rows {
 public:
  Row add(LinearSum sum) {
    const Row row = tighten_at_least(sum);
    if (row != Row::Kept) return row;
    const auto [at, is_new] = by_terms_.try_emplace(sum.terms, sum.constant);
    if (!is_new) at->second = std::min(at->second, sum.constant);
    // The same with all signs turned bounds it from the other side.
    std::vector<std::pair<uint32_t, int64_t>> opposite = sum.terms;
    for (auto& term : opposite) term.second = -term.second;
    const auto other = by_terms_.find(opposite);
    if (other != by_terms_.end() && other->second + at->second < 0) return Row::Contradicts;
    return by_terms_.size() > kMostRows ? Row::TooLarge : Row::Kept;
  }
  std::map<std::vector<std::pair<uint32_t, int64_t>>, int64_t> by_terms_;
};

}  // namespace

LinearSum plus(const LinearSum& a, const LinearSum& b, int64_t factor) {
  return combine(1, a, factor, b).value_or(LinearSum{.terms = {}, .lost = true});
}

bool LinearSystem::is_infeasible(uint64_t& steps) const {
  std::vector<LinearSum> equal = equal_, at_least = at_least_;
  // Equations: one with a variable that stands alone gives its value to all other rows.
  for (;;) {
    for (size_t k = 0; k < equal.size();) {
      const Row row = tighten_equal(equal[k]);
      if (row == Row::Contradicts) return true;
      if (row == Row::Holds) {
        equal[k] = std::move(equal.back());
        equal.pop_back();
      } else {
        ++k;
      }
    }
    std::optional<std::pair<size_t, std::pair<uint32_t, int64_t>>> chosen;
    for (size_t k = 0; k < equal.size() && !chosen; ++k) {
      for (const auto& term : equal[k].terms) {
        if (term.second == 1 || term.second == -1) chosen = {k, term};
        if (chosen) break;
      }
    }
    if (!chosen) break;
    const LinearSum by = equal[chosen->first];
    equal.erase(equal.begin() + ptrdiff_t(chosen->first));
    const auto [variable, sign] = chosen->second;
    for (auto* rows : {&equal, &at_least}) {
      for (LinearSum& row : *rows) {
        const int64_t factor = factor_of(row, variable);
        if (factor == 0) continue;
        if (steps == 0) return false;
        --steps;
        auto replaced = combine(1, row, -factor * sign, by);
        if (!replaced) return false;
        row = std::move(*replaced);
      }
    }
  }
  Rows rows;
  const auto refused = [&](LinearSum sum, bool& contradiction) {
    const Row row = rows.add(std::move(sum));
    contradiction = row == Row::Contradicts;
    return contradiction || row == Row::TooLarge;
  };
  bool contradiction = false;
  for (const LinearSum& sum : equal) {
    if (refused(sum, contradiction)) return contradiction;
    if (refused(plus(LinearSum::of(0), sum, -1), contradiction)) return contradiction;
  }
  for (const LinearSum& sum : at_least) {
    if (refused(sum, contradiction)) return contradiction;
  }
  // Inequalities: the variable with the smallest factors goes first, so that what is left has large common
  // divisors to be tightened by; of these the one whose projection makes the fewest rows.
  struct Uses {
    int64_t largest = 0;
    size_t lower = 0, upper = 0;
  };
  for (;;) {
    std::map<uint32_t, Uses> uses;
    for (const auto& [terms, constant] : rows.by_terms_) {
      for (const auto& [variable, factor] : terms) {
        Uses& use = uses[variable];
        use.largest = std::max(use.largest, std::abs(factor));
        ++(factor > 0 ? use.lower : use.upper);
      }
    }
    if (uses.empty()) return false;
    const auto cost = [](const auto& entry) {
      return std::pair(entry.second.largest, entry.second.lower * entry.second.upper);
    };
    const uint32_t variable = std::ranges::min_element(uses, {}, cost)->first;
    std::vector<LinearSum> lower, upper, rest;
    for (const auto& [terms, constant] : rows.by_terms_) {
      LinearSum sum{terms, constant, false};
      const int64_t factor = factor_of(sum, variable);
      (factor > 0 ? lower : factor < 0 ? upper : rest).push_back(std::move(sum));
    }
    rows.by_terms_.clear();
    for (LinearSum& sum : rest) {
      if (refused(std::move(sum), contradiction)) return contradiction;
    }
    for (const LinearSum& low : lower) {
      for (const LinearSum& high : upper) {
        if (steps == 0) return false;
        --steps;
        auto sum = combine(-factor_of(high, variable), low, factor_of(low, variable), high);
        if (!sum) return false;
        if (refused(std::move(*sum), contradiction)) return contradiction;
      }
    }
  }
}

}  // namespace vyre::races
