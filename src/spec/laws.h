// Algebraic laws as data: what is claimed, and what is denied with a witness.
//
// A law is a kind and its parameters: constants, and ids of other operations ("primitive.bitwise.or"; version
// 1 unless it ends in @n). What each kind says is a row of laws.def, which the engines in algebra/ read; here
// is the vocabulary, so that an operation can declare its laws in one line each. Laws hold per (operation,
// type). Source: vyre-conform-spec, "Ground Truth — Algebraic Laws"; semantics, "Laws and evidence".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vyre::ir {
// What a custom law is written with. Named only: nothing here looks into them.
class Ex;
class FunctionBuilder;
}  // namespace vyre::ir

namespace vyre::spec {

enum class LawKind : uint8_t {
#define VYRE_LAW(Name, mnemonic, operands, variables, parameters, statement, predicate, types) Name,
#include "spec/laws.def"
#undef VYRE_LAW
};

enum class LawParameters : uint8_t {
  None,
  Value,
  Range,
  OneOperation,
  TwoOperations,
  OperationAndValue,
  Predicate
};
/// How many other operations a law with these names.
constexpr uint32_t others_of(LawParameters parameters) {
  switch (parameters) {
    case LawParameters::OneOperation:
    case LawParameters::OperationAndValue: return 1;
    case LawParameters::TwoOperations: return 2;
    case LawParameters::None:
    case LawParameters::Value:
    case LawParameters::Range:
    case LawParameters::Predicate: return 0;
  }
  return 0;
}

struct LawInfo {
  LawKind kind;
  std::string_view name;      // "DeMorgan"
  std::string_view mnemonic;  // "de_morgan"
  uint32_t operands;          // the arity of the operation; 0: any
  uint32_t variables;  // how many values the statement ranges over; 0: as many as the operation's operands,
                       // or of Custom as many as it says
  LawParameters parameters;
  std::string_view statement;
  std::string_view predicate;  // the statement as IR, and
  std::string_view types;      // where it applies, as laws.def says; both empty of Custom
};

inline constexpr auto kLaws = std::to_array<LawInfo>({
#define VYRE_LAW(Name, mnemonic, operands, variables, parameters, statement, predicate, types) \
  {LawKind::Name, #Name,     #mnemonic, operands, variables, LawParameters::parameters,        \
   statement,     predicate, types},
#include "spec/laws.def"
#undef VYRE_LAW
});
constexpr const LawInfo& info(LawKind kind) { return kLaws[static_cast<size_t>(kind)]; }

/// The statement of a custom law: a word that is not zero, from the law's variables. It may apply integer
/// operators, call operations, its own above all, and name values by let; it has no control flow.
using Predicate = ir::Ex (*)(ir::FunctionBuilder& f, std::span<const ir::Ex> variables);

struct Law {
  LawKind kind{};
  uint32_t value = 0;  // Value; Range: lo; OperationAndValue: u; Predicate: how many variables it has
  uint32_t high = 0;   // Range: hi
  std::vector<std::string> others;  // OneOperation: g; TwoOperations: inner, dual; OperationAndValue: g
  std::string name = {};            // Predicate: what it is called, one name a predicate
  Predicate predicate = nullptr;
  bool operator==(const Law&) const = default;
};

/// What makes a law of a kind from its parameters.
template <LawKind kKind, LawParameters kParameters>
struct LawMaker {
  Law operator()() const
    requires(kParameters == LawParameters::None)
  {
    return {kKind};
  }
  Law operator()(uint32_t value) const
    requires(kParameters == LawParameters::Value)
  {
    return {kKind, value};
  }
  Law operator()(uint32_t lo, uint32_t hi) const
    requires(kParameters == LawParameters::Range)
  {
    return {kKind, lo, hi};
  }
  Law operator()(std::string g) const
    requires(kParameters == LawParameters::OneOperation)
  {
    return {kKind, 0, 0, {std::move(g)}};
  }
  Law operator()(std::string g, std::string h) const
    requires(kParameters == LawParameters::TwoOperations)
  {
    return {kKind, 0, 0, {std::move(g), std::move(h)}};
  }
  Law operator()(std::string g, uint32_t u) const
    requires(kParameters == LawParameters::OperationAndValue)
  {
    return {kKind, u, 0, {std::move(g)}};
  }
  Law operator()(std::string name, uint32_t variables, Predicate predicate) const
    requires(kParameters == LawParameters::Predicate)
  {
    return {kKind, variables, 0, {}, std::move(name), predicate};
  }
};

// One maker a law, so that a declaration reads as the law is written: laws::identity(0).
namespace laws {
#define VYRE_LAW(Name, mnemonic, operands, variables, parameters, statement, predicate, types) \
  inline constexpr LawMaker<LawKind::Name, LawParameters::parameters> mnemonic;
#include "spec/laws.def"
#undef VYRE_LAW
}  // namespace laws

/// "Identity(0)", "DistributiveOver(primitive.bitwise.or)": as the specification writes it.
std::string to_string(const Law& law);

/// A law that does not hold, and full-width values of its variables that show it.
struct Denial {
  Law law;
  std::vector<uint32_t> witness;
};

}  // namespace vyre::spec
