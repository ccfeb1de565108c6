// The input of the cross product: families of functions with the laws to be tried of them, and values to try
// them on.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/operation.h"
#include "solver/enumeration.h"
#include "symbolic/consequences.h"
#include "symbolic/laws.h"

namespace vyre::symbolic {

/// Functions that are each other's companions. Immutable once made, so for any number of threads.
class Family {
 public:
  struct Parts {
    std::string name;
    spec::DataType type;  // of most of their values
    uint32_t bits;        // of a value: 1 of bool
    std::deque<ops::Operation> functions;
    Meaning meaning;
    /// A u64 is one word of 64 bits here, and its type has another name, which distinguishes it from u32:
    /// laws of two words are not enumerated.
    bool wide = false;
    /// What an operation without a reference function gives; for any number of threads.
    std::function<uint32_t(const ops::Operation&, const uint32_t*)> value = {};
  };
  explicit Family(Parts parts);

  const std::string& name() const { return parts_.name; }
  spec::DataType type() const { return parts_.type; }
  uint32_t bits() const { return parts_.bits; }
  const std::deque<ops::Operation>& functions() const { return parts_.functions; }
  const Meaning& meaning() const { return parts_.meaning; }
  /// Constants for laws to be given: 0, 1, all ones, the least, the greatest, the width. One of a u64 is its
  /// low word, of which the sign goes on.
  std::vector<uint32_t> constants() const;
  /// Ranges for Bounded, the tighter first.
  std::vector<std::pair<uint32_t, uint32_t>> ranges() const;

  /// The law as a formula; none with a reason: it does not apply; none without: there is no formula.
  std::optional<Claim> claim(smt::Pool& pool, const spec::Law& law, const ops::Operation& f,
                             std::string& reason) const;
  /// Whether composition theorems speak of its functions: they are operations, with laws and values.
  bool has_components() const { return !components_.empty(); }
  Component component(const ops::Operation& f) const;
  ComponentLookup lookup() const;

 private:
  Parts parts_;
  std::map<std::string, Component, std::less<>> components_;
};

/// The scalar integer operators at a type: u32, i32, bool or u64.
std::unique_ptr<Family> operators_of(spec::DataType type);
/// The primitives whose values are words of integers, by their definitions, or where they have none by
/// their compositions.
std::unique_ptr<Family> integer_primitives();

/// Every law that can be said of f with companions and constants of the family, and what f declares besides.
/// A kind of law for another arity is there once, to be found not applicable.
std::vector<spec::Law> candidates(const Family& family, const ops::Operation& f);

/// Looks for counterexamples by evaluating.
class Refuter {
 public:
  /// bits: of a value of a variable. The pool must not grow while this is used.
  Refuter(const smt::Pool& pool, const Claim& claim, uint32_t bits);
  /// The first in the order of counterexamples among tuples of small values; then there is none smaller.
  std::optional<std::vector<uint64_t>> smallest();
  /// Whether smallest() went through all values there are.
  bool exhausted() const { return trial_.exhausted(); }
  /// One among tuples of edge values: powers of two and their neighbours, alternating bits.
  std::optional<std::vector<uint64_t>> edge();

 private:
  bool fails(std::span<const uint64_t> values);
  solver::Enumeration trial_;
  smt::Evaluation evaluation_;
  uint32_t bits_;
  size_t variables_;
  std::vector<size_t> place_;  // of what the formula depends on among the law's variables
  std::vector<smt::Bits> values_;
  std::vector<uint64_t> masks_;  // of the law's variables
};

}  // namespace vyre::symbolic
