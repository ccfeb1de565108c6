// The functions of a theorem as operations, so that the predicates of spec/laws.def can speak of them.
#pragma once

#include <array>
#include <optional>

#include "algebra/law.h"
#include "symbolic/theorems.h"

namespace vyre::symbolic {

/// f, g, k and h of one theorem. They have names and signatures and nothing else.
class Symbols {
 public:
  explicit Symbols(const Theorem& theorem);
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// Domain: one that the theorem names.
  const ops::Operation& operator[](char symbol) const { return operations_[slot(symbol)]; }
  /// 0: the theorem does not name it.
  uint32_t arity(char symbol) const { return uint32_t(operations_[slot(symbol)].signature.inputs.size()); }
  /// A premise or conclusion that is a law, with its constants as `values` says, bound. `law` must outlive
  /// the result.
  algebra::BoundLaw bind(const Premise& premise, std::span<const uint32_t> values, spec::Law& law) const;

 private:
  static size_t slot(char symbol) { return symbol == 'h' ? 3 : symbol == 'k' ? 2 : symbol == 'g' ? 1 : 0; }
  void note(const Expression& e);
  void note(const Premise& premise);
  void set(char symbol, uint32_t operands);
  std::array<ops::Operation, 4> operations_;
};

}  // namespace vyre::symbolic
