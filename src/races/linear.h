// Linear systems over integers: can these equations and inequalities all hold?
//
// Indices of classic kernels are sums of ids times constants, and so are the bounds around them. Whether two
// invocations can meet is then a small system over integers, for which no solver has to be asked: equations
// are solved for variables with coefficient 1, and what is left is projected variable by variable
// (Fourier-Motzkin), every row tightened to integers on the way. "No" is a proof; whatever is too large or
// too subtle is "perhaps". Source: Pugh, "The Omega test" (1991), of which this is the part without
// splinters.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace vyre::races {

/// The quotient, rounded down. Domain: b is not 0, and a / b is in range.
constexpr int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// A sum of variables times coefficients, and a constant. Terms are in the order of their variables, none
/// with coefficient 0.
struct LinearSum {
  std::vector<std::pair<uint32_t, int64_t>> terms;
  int64_t constant = 0;
  bool lost =
      false;  // it was too large to be written: it may be anything, and terms and constant say nothing

  static LinearSum of(int64_t constant) { return {{}, constant, false}; }
  static LinearSum variable(uint32_t variable) { return {{{variable, 1}}, 0, false}; }
  bool is_constant() const { return terms.empty() && !lost; }
  auto operator<=>(const LinearSum&) const = default;
};
/// a + factor * b; lost where a coefficient passes 2^60, or either sum was lost.
LinearSum plus(const LinearSum& a, const LinearSum& b, int64_t factor = 1);

/// Rows that all have to hold. A row that was lost is left out, which proves less and never more.
class LinearSystem {
 public:
  void equal_zero(LinearSum sum) {
    if (!sum.lost) equal_.push_back(std::move(sum));
  }
  void at_least_zero(LinearSum sum) {
    if (!sum.lost) at_least_.push_back(std::move(sum));
  }
  /// a <= b
  void at_most(const LinearSum& a, const LinearSum& b) { at_least_zero(plus(b, a, -1)); }
  /// Whether no integers satisfy all rows. False says nothing. Takes a step a row that is made off `steps`,
  /// and gives up where none are left.
  bool is_infeasible(uint64_t& steps) const;
  bool is_infeasible() const {
    uint64_t steps = UINT64_MAX;
    return is_infeasible(steps);
  }

 private:
  std::vector<LinearSum> equal_, at_least_;
};

}  // namespace vyre::races
