// Extent: the size of an axis while the dimensions of a graph have no sizes: a polynomial over their names.
//
// It is kept as a sum of products in one order, so that two sizes are known to be equal when they are equal
// as values of this type: (n + 1) * 2 is 2 * n + 2. A quotient that is no polynomial is a factor of its own,
// named by what it divides, after all that can be taken out of it was: (4 * n + 3) / 4 is n, and ceil_div(n,
// 4) is (n + 3) / 4. Numbers are integers of 64 bits, which neither wrap nor go below: n - 1 is negative
// where n is 0. What does not fit, or has more than kMaxTerms terms, makes no Extent. Source:
// docs/spec/graphs.md, "Sizes".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vyre::check {

class Extent {
 public:
  /// More than any size that is written needs, and few enough that no size costs much.
  static constexpr size_t kMaxTerms = 64, kMaxFactors = 16, kMaxText = 1024;

  Extent() = default;
  Extent(int64_t number) : number_(number) {}  // NOLINT: sizes are numbers
  static Extent named(std::string_view dimension);

  /// Whether both say the same, wherever they were made.
  friend bool operator==(const Extent& a, const Extent& b) { return equal(a, b); }
  std::optional<int64_t> number() const;
  /// The dimension that this is, and nothing else.
  std::optional<std::string_view> name() const;
  /// Whether some part is a quotient, so that two that differ here may be equal at every size.
  bool has_quotient() const;
  /// "2 * n + 2", as a text has it.
  std::string text() const;

  // None: it does not fit.
  static std::optional<Extent> sum(const Extent& a, const Extent& b);
  static std::optional<Extent> difference(const Extent& a, const Extent& b);
  static std::optional<Extent> product(const Extent& a, const Extent& b);
  /// Rounded down, or up; by 0 it is 0, as in host expressions.
  static std::optional<Extent> quotient(const Extent& a, const Extent& b, bool up);

  /// The same over other dimensions: each name is what `of` says.
  std::optional<Extent> with(const std::function<Extent(std::string_view)>& of) const;
  /// Its value where dimensions have these sizes; none: one has no size, or the value does not fit.
  std::optional<int64_t> at(const std::map<std::string, uint32_t, std::less<>>& sizes) const;

 private:
  struct Sum;  // of products of names and quotients
  struct Term;
  struct Factor;
  struct Quotient;
  static bool equal(const Extent& a, const Extent& b);
  static std::optional<Extent> make(Sum sum);
  Sum terms() const;

  int64_t number_ = 0;              // all there is where sum_ is null
  std::shared_ptr<const Sum> sum_;  // is no number
};

}  // namespace vyre::check
