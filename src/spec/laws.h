// Algebraic laws as data: what is claimed, and what is denied with a witness.
//
// A law is a kind and its parameters: constants, and ids of other operations ("primitive.bitwise.or"; version
// 1 unless it ends in @n). The engines in algebra/ give laws their statements; here is only the vocabulary,
// so that an operation can declare its laws in one line each. Laws hold per (operation, type). Source:
// vyre-conform-spec, "Ground Truth — Algebraic Laws"; semantics, "Laws and evidence".
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
#define VYRE_LAW(Name, mnemonic, operands, variables, parameters, statement) Name,
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
};

inline constexpr auto kLaws = std::to_array<LawInfo>({
#define VYRE_LAW(Name, mnemonic, operands, variables, parameters, statement) \
  {LawKind::Name, #Name, mnemonic, operands, variables, LawParameters::parameters, statement},
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

// One maker a law, so that a declaration reads as the law is written: laws::identity(0).
namespace laws {
inline Law commutative() { return {LawKind::Commutative}; }
inline Law associative() { return {LawKind::Associative}; }
inline Law identity(uint32_t e) { return {LawKind::Identity, e}; }
inline Law self_inverse(uint32_t r) { return {LawKind::SelfInverse, r}; }
inline Law idempotent() { return {LawKind::Idempotent}; }
inline Law absorbing(uint32_t z) { return {LawKind::Absorbing, z}; }
inline Law involution() { return {LawKind::Involution}; }
inline Law de_morgan(std::string inner, std::string dual) {
  return {LawKind::DeMorgan, 0, 0, {std::move(inner), std::move(dual)}};
}
inline Law monotone() { return {LawKind::Monotone}; }
inline Law bounded(uint32_t lo, uint32_t hi) { return {LawKind::Bounded, lo, hi}; }
inline Law complement(std::string g, uint32_t u) { return {LawKind::Complement, u, 0, {std::move(g)}}; }
inline Law distributive_over(std::string g) { return {LawKind::DistributiveOver, 0, 0, {std::move(g)}}; }
inline Law projection() { return {LawKind::Projection}; }
inline Law round_trip(std::string g) { return {LawKind::RoundTrip, 0, 0, {std::move(g)}}; }
inline Law left_identity(uint32_t e) { return {LawKind::LeftIdentity, e}; }
inline Law right_identity(uint32_t e) { return {LawKind::RightIdentity, e}; }
inline Law left_absorbing(uint32_t z) { return {LawKind::LeftAbsorbing, z}; }
inline Law right_absorbing(uint32_t z) { return {LawKind::RightAbsorbing, z}; }
inline Law inverse_of(std::string g) { return {LawKind::InverseOf, 0, 0, {std::move(g)}}; }
inline Law antitone() { return {LawKind::Antitone}; }
inline Law lattice_absorption(std::string g) { return {LawKind::LatticeAbsorption, 0, 0, {std::move(g)}}; }
inline Law trichotomy() { return {LawKind::Trichotomy}; }
inline Law zero_product() { return {LawKind::ZeroProduct}; }
inline Law transitive() { return {LawKind::Transitive}; }
inline Law converse(std::string g) { return {LawKind::Converse, 0, 0, {std::move(g)}}; }
inline Law odd(std::string g) { return {LawKind::Odd, 0, 0, {std::move(g)}}; }
inline Law even(std::string g) { return {LawKind::Even, 0, 0, {std::move(g)}}; }
inline Law custom(std::string name, uint32_t variables, Predicate predicate) {
  return {LawKind::Custom, variables, 0, {}, std::move(name), predicate};
}
}  // namespace laws

/// "Identity(0)", "DistributiveOver(primitive.bitwise.or)": as the specification writes it.
std::string to_string(const Law& law);

/// A law that does not hold, and full-width values of its variables that show it.
struct Denial {
  Law law;
  std::vector<uint32_t> witness;
};

}  // namespace vyre::spec
