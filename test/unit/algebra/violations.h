// Planted violations of laws, for every engine that claims to find the smallest counterexample.
//
// Each is an operation and a law that is false of it: a true law of a plain operation that was changed at one
// or two inputs, or a law with a wrong constant or a wrong companion. Operations are given by functions that
// take the width as a mask, so that an engine at 32 bits and one at 8 can be held to the same list, and by
// definitions in terms. What is smallest is found by smallest_failure(), a plain loop in the order of the
// semantics over a statement written out here; nothing of it is shared with an engine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "algebra/law.h"
#include "ops/operation.h"
#include "smt/term.h"

namespace vyre::algebra::planted {

using Words = const uint32_t*;
using Operands = std::span<const smt::Term>;

/// An operation as it should be.
struct Plain {
  std::string_view id;
  size_t arity;
  /// At the width of the mask, 8 or 32 ones. Domain: operands within it.
  uint32_t (*value)(Words x, uint32_t mask);
  smt::Term (*define)(smt::Pool& p, Operands x);
};

inline const Plain kPlain[] = {
    {"plain.add", 2, [](Words x, uint32_t m) { return (x[0] + x[1]) & m; },
     [](smt::Pool& p, Operands x) { return p.add(x[0], x[1]); }},
    {"plain.sub", 2, [](Words x, uint32_t m) { return (x[0] - x[1]) & m; },
     [](smt::Pool& p, Operands x) { return p.sub(x[0], x[1]); }},
    {"plain.mul", 2, [](Words x, uint32_t m) { return (x[0] * x[1]) & m; },
     [](smt::Pool& p, Operands x) { return p.mul(x[0], x[1]); }},
    {"plain.and", 2, [](Words x, uint32_t) { return x[0] & x[1]; },
     [](smt::Pool& p, Operands x) { return p.bit_and(x[0], x[1]); }},
    {"plain.or", 2, [](Words x, uint32_t) { return x[0] | x[1]; },
     [](smt::Pool& p, Operands x) { return p.bit_or(x[0], x[1]); }},
    {"plain.xor", 2, [](Words x, uint32_t) { return x[0] ^ x[1]; },
     [](smt::Pool& p, Operands x) { return p.bit_xor(x[0], x[1]); }},
    {"plain.min", 2, [](Words x, uint32_t) { return std::min(x[0], x[1]); },
     [](smt::Pool& p, Operands x) { return p.ite(p.ult(x[0], x[1]), x[0], x[1]); }},
    {"plain.max", 2, [](Words x, uint32_t) { return std::max(x[0], x[1]); },
     [](smt::Pool& p, Operands x) { return p.ite(p.ult(x[0], x[1]), x[1], x[0]); }},
    {"plain.lt", 2, [](Words x, uint32_t) { return uint32_t{x[0] < x[1]}; },
     [](smt::Pool& p, Operands x) { return p.word(p.ult(x[0], x[1]), p.width(x[0])); }},
    {"plain.gt", 2, [](Words x, uint32_t) { return uint32_t{x[0] > x[1]}; },
     [](smt::Pool& p, Operands x) { return p.word(p.ult(x[1], x[0]), p.width(x[0])); }},
    {"plain.le", 2, [](Words x, uint32_t) { return uint32_t{x[0] <= x[1]}; },
     [](smt::Pool& p, Operands x) { return p.word(p.ule(x[0], x[1]), p.width(x[0])); }},
    {"plain.ge", 2, [](Words x, uint32_t) { return uint32_t{x[0] >= x[1]}; },
     [](smt::Pool& p, Operands x) { return p.word(p.ule(x[1], x[0]), p.width(x[0])); }},
    {"plain.eq", 2, [](Words x, uint32_t) { return uint32_t{x[0] == x[1]}; },
     [](smt::Pool& p, Operands x) { return p.word(p.eq(x[0], x[1]), p.width(x[0])); }},
    {"plain.shl", 2,
     [](Words x, uint32_t m) { return (x[0] << (x[1] & uint32_t(std::popcount(m) - 1))) & m; },
     [](smt::Pool& p, Operands x) {
       return p.shl(x[0], p.bit_and(x[1], p.constant(p.width(x[1]), p.width(x[1]) - 1)));
     }},
    {"plain.shr", 2, [](Words x, uint32_t m) { return x[0] >> (x[1] & uint32_t(std::popcount(m) - 1)); },
     [](smt::Pool& p, Operands x) {
       return p.lshr(x[0], p.bit_and(x[1], p.constant(p.width(x[1]), p.width(x[1]) - 1)));
     }},
    {"plain.not", 1, [](Words x, uint32_t m) { return ~x[0] & m; },
     [](smt::Pool& p, Operands x) { return p.bit_not(x[0]); }},
    {"plain.negate", 1, [](Words x, uint32_t m) { return (0 - x[0]) & m; },
     [](smt::Pool& p, Operands x) { return p.neg(x[0]); }},
    {"plain.square", 1, [](Words x, uint32_t m) { return (x[0] * x[0]) & m; },
     [](smt::Pool& p, Operands x) { return p.mul(x[0], x[0]); }},
    {"plain.same", 1, [](Words x, uint32_t) { return x[0]; }, [](smt::Pool&, Operands x) { return x[0]; }},
    {"plain.halve", 1, [](Words x, uint32_t) { return x[0] / 2; },
     [](smt::Pool& p, Operands x) { return p.lshr(x[0], p.constant(p.width(x[0]), 1)); }},
};
inline const Plain& plain(std::string_view id) { return *std::ranges::find(kPlain, id, &Plain::id); }

/// One input at which the operation was changed.
struct Patch {
  std::array<uint32_t, 2> at;
  uint32_t flips;  // bits of the result
};

struct Plant {
  const Plain* plain = nullptr;
  std::vector<Patch> patches;
  spec::Law law;

  uint32_t value(Words x, uint32_t mask) const {
    uint32_t out = plain->value(x, mask);
    for (const Patch& p : patches) {
      if (x[0] == p.at[0] && (plain->arity == 1 || x[1] == p.at[1])) out ^= p.flips;
    }
    return out;
  }
  smt::Term define(smt::Pool& pool, Operands x) const {
    smt::Term out = plain->define(pool, x);
    for (const Patch& p : patches) {
      const uint32_t width = pool.width(x[0]);
      smt::Term here = pool.eq(x[0], pool.constant(width, p.at[0]));
      if (plain->arity == 2) here = pool.and_(here, pool.eq(x[1], pool.constant(width, p.at[1])));
      out = pool.ite(here, pool.bit_xor(out, pool.constant(width, p.flips)), out);
    }
    return out;
  }
  /// The statement at one instance.
  bool holds(Words v, uint32_t mask) const;
  size_t variables() const {
    const spec::LawInfo& info = spec::info(law.kind);
    if (law.kind == spec::LawKind::Custom) return law.value;
    return info.variables == 0 ? plain->arity : info.variables;
  }
};

inline bool Plant::holds(Words v, uint32_t mask) const {
  using spec::LawKind;
  const auto f1 = [&](uint32_t a) { return value(&a, mask); };
  const auto f = [&](uint32_t a, uint32_t b) {
    const uint32_t x[] = {a, b};
    return value(x, mask);
  };
  const auto other = [&](size_t k, uint32_t a, uint32_t b) {
    const uint32_t x[] = {a, b};
    return planted::plain(law.others[k]).value(x, mask);
  };
  const uint32_t a = v[0], b = variables() > 1 ? v[1] : 0, c = variables() > 2 ? v[2] : 0, k = law.value;
  const auto all = [&] { return plain->arity == 1 ? f1(a) : f(a, b); };
  switch (law.kind) {
    case LawKind::Commutative: return f(a, b) == f(b, a);
    case LawKind::Associative: return f(f(a, b), c) == f(a, f(b, c));
    case LawKind::Identity: return f(a, k) == a && f(k, a) == a;
    case LawKind::SelfInverse: return f(a, a) == k;
    case LawKind::Idempotent: return f(a, a) == a;
    case LawKind::Absorbing: return f(a, k) == k && f(k, a) == k;
    case LawKind::Involution: return f1(f1(a)) == a;
    case LawKind::DeMorgan: return f1(other(0, a, b)) == other(1, f1(a), f1(b));
    case LawKind::Monotone: return a > b || f1(a) <= f1(b);
    case LawKind::Bounded: return k <= all() && all() <= law.high;
    case LawKind::Complement: return ((all() + other(0, a, b)) & mask) == k;
    case LawKind::DistributiveOver: return f(a, other(0, b, c)) == other(0, f(a, b), f(a, c));
    case LawKind::Projection: return f1(f1(a)) == f1(a);
    case LawKind::RoundTrip: return other(0, f1(a), 0) == a;
    case LawKind::LeftIdentity: return f(k, a) == a;
    case LawKind::RightIdentity: return f(a, k) == a;
    case LawKind::LeftAbsorbing: return f(k, a) == k;
    case LawKind::RightAbsorbing: return f(a, k) == k;
    case LawKind::InverseOf: return f(other(0, a, b), b) == a;
    case LawKind::Antitone: return a > b || f1(b) <= f1(a);
    case LawKind::LatticeAbsorption: return f(a, other(0, a, b)) == a;
    case LawKind::Trichotomy: return (f(a, b) != 0) + (f(b, a) != 0) + (a == b) == 1;
    case LawKind::ZeroProduct: return f(a, b) != 0 || a == 0 || b == 0;
    case LawKind::Transitive: return f(a, b) == 0 || f(b, c) == 0 || f(a, c) != 0;
    case LawKind::Converse: return f(a, b) == other(0, b, a);
    case LawKind::Odd: return f1(other(0, a, 0)) == other(0, f1(a), 0);
    case LawKind::Even: return f1(other(0, a, 0)) == f1(a);
    case LawKind::Custom: return f(a, b) == f(b, a);  // there is one
  }
  return false;
}

/// The smallest failing tuple of words 0..255 at the width of the mask: by its largest word, then from left
/// to right.
inline std::optional<std::vector<uint32_t>> smallest_failure(const Plant& plant, uint32_t mask) {
  const size_t n = plant.variables();
  for (uint32_t largest = 0; largest < 256; ++largest) {
    uint32_t v[3] = {};
    const uint32_t last[3] = {largest, n > 1 ? largest : 0, n > 2 ? largest : 0};
    for (v[0] = 0; v[0] <= last[0]; ++v[0]) {
      for (v[1] = 0; v[1] <= last[1]; ++v[1]) {
        // Smaller ones have been looked at: one of the words is the largest.
        for (v[2] = std::max(v[0], v[1]) == largest ? 0 : last[2]; v[2] <= last[2]; ++v[2]) {
          if (std::max({v[0], v[1], v[2]}) == largest && !plant.holds(v, mask))
            return std::vector<uint32_t>(v, v + n);
        }
      }
    }
  }
  return std::nullopt;
}

namespace detail {

/// Custom laws call by id: an operation that was changed keeps its own.
inline ir::Ex turns(ir::FunctionBuilder& f, std::span<const ir::Ex> v) {
  return f.call("plain.add", {v[0], v[1]}) == f.call("plain.add", {v[1], v[0]});
}

struct True {
  const char* id;
  spec::Law law;
};
inline std::vector<True> true_laws() {
  using namespace spec::laws;
  return {{"plain.add", commutative()},
          {"plain.add", associative()},
          {"plain.add", identity(0)},
          {"plain.add", left_identity(0)},
          {"plain.add", inverse_of("plain.sub")},
          {"plain.add", custom("turns", 2, turns)},
          {"plain.sub", self_inverse(0)},
          {"plain.sub", right_identity(0)},
          {"plain.sub", inverse_of("plain.add")},
          {"plain.mul", commutative()},
          {"plain.mul", identity(1)},
          {"plain.mul", absorbing(0)},
          {"plain.mul", right_absorbing(0)},
          {"plain.mul", distributive_over("plain.add")},
          {"plain.and", commutative()},
          {"plain.and", associative()},
          {"plain.and", idempotent()},
          {"plain.and", absorbing(0)},
          {"plain.and", left_absorbing(0)},
          {"plain.and", lattice_absorption("plain.or")},
          {"plain.and", distributive_over("plain.or")},
          {"plain.or", idempotent()},
          {"plain.or", identity(0)},
          {"plain.or", zero_product()},
          {"plain.or", lattice_absorption("plain.and")},
          {"plain.xor", self_inverse(0)},
          {"plain.xor", commutative()},
          {"plain.xor", inverse_of("plain.xor")},
          {"plain.min", commutative()},
          {"plain.min", idempotent()},
          {"plain.min", zero_product()},
          {"plain.min", lattice_absorption("plain.max")},
          {"plain.min", distributive_over("plain.max")},
          {"plain.max", identity(0)},
          {"plain.max", lattice_absorption("plain.min")},
          {"plain.lt", transitive()},
          {"plain.lt", trichotomy()},
          {"plain.lt", converse("plain.gt")},
          {"plain.lt", self_inverse(0)},
          {"plain.lt", bounded(0, 1)},
          {"plain.lt", complement("plain.ge", 1)},
          {"plain.le", transitive()},
          {"plain.le", converse("plain.ge")},
          {"plain.eq", commutative()},
          {"plain.eq", transitive()},
          {"plain.eq", self_inverse(1)},
          {"plain.shl", right_identity(0)},
          {"plain.shl", left_absorbing(0)},
          {"plain.shr", right_identity(0)},
          {"plain.not", involution()},
          {"plain.not", antitone()},
          {"plain.not", de_morgan("plain.and", "plain.or")},
          {"plain.negate", involution()},
          {"plain.not", odd("plain.not")},
          {"plain.square", even("plain.negate")},
          {"plain.same", monotone()},
          {"plain.same", projection()},
          {"plain.same", round_trip("plain.same")},
          {"plain.halve", monotone()}};
}

/// Changes where laws look: anywhere, on the diagonal, at the law's constant on either side; and a few at
/// once.
inline constexpr size_t kPlaces = 7;
inline void add_patched(const True& t, uint32_t number, size_t place, std::vector<Plant>& out) {
  const uint32_t x = number * 37 % 200, y = number * 101 % 180 + 1, k = t.law.value;
  const uint32_t low = 1, some = 1 + number % 7;
  const std::vector<Patch> patches[kPlaces] = {
      {{{x, y}, low}},
      {{{y, y}, some}},
      {{{x, k}, some}},
      {{{k, y}, low}, {{y / 2, x}, 0x40}},
      {{{255, 254}, some}, {{x, x}, 0x80}},
      {{{y / 2, k}, low}},
      {{{k, x}, some}},
  };
  // Three variables take an engine 2^24 instances.
  if (spec::info(t.law.kind).variables == 3 && place > 1) return;
  out.push_back({&plain(t.id), patches[place], t.law});
  if (t.law.kind != spec::LawKind::ZeroProduct) return;
  for (Patch& p : out.back().patches) p.flips = plain(t.id).value(p.at.data(), 0xff);  // to zero
}

/// The constant beside the right one, and the operation itself as its companion.
inline void add_misstated(const True& t, std::vector<Plant>& out) {
  const spec::LawParameters parameters = spec::info(t.law.kind).parameters;
  spec::Law law = t.law;
  if (parameters == spec::LawParameters::Value || parameters == spec::LawParameters::OperationAndValue) {
    ++law.value;
    out.push_back({&plain(t.id), {}, law});
  }
  law = t.law;
  if (!law.others.empty() && plain(law.others[0]).arity == 2) {
    law.others[0] = law.others[0] == "plain.or" ? "plain.xor" : "plain.or";
    out.push_back({&plain(t.id), {}, law});
  }
}

}  // namespace detail

inline constexpr size_t kViolations = 200;

/// Exactly kViolations plants of which the law fails at 32 bits on words 0..255 and at 8 bits, misstated laws
/// first.
inline const std::vector<Plant>& violations() {
  static const std::vector<Plant> all = [] {
    // A word that is changed to another is a projection still.
    std::vector<Plant> candidates = {{&plain("plain.halve"), {}, spec::laws::projection()}}, out;
    const std::vector<detail::True> laws = detail::true_laws();
    for (const detail::True& t : laws) detail::add_misstated(t, candidates);
    for (size_t place = 0; place < detail::kPlaces; ++place) {
      for (uint32_t n = 0; n < laws.size(); ++n) detail::add_patched(laws[n], n + 1, place, candidates);
    }
    for (Plant& plant : candidates) {
      if (out.size() < kViolations && smallest_failure(plant, 0xffffffff) && smallest_failure(plant, 0xff))
        out.push_back(std::move(plant));
    }
    return out;
  }();
  return all;
}

/// Plant number i as an operation, whose id is that of the plain one.
inline ops::Operation operation_of(size_t i);
/// The plain operations, as companions.
inline const ops::Operation* find_plain(std::string_view id, uint32_t version);

namespace detail {

template <size_t i>
uint32_t reference(Words x) {
  return violations()[i].value(x, 0xffffffff);
}
template <size_t i>
smt::Term define(smt::Pool& pool, Operands x) {
  return violations()[i].define(pool, x);
}
template <size_t i>
uint32_t plain_reference(Words x) {
  return kPlain[i].value(x, 0xffffffff);
}
struct Functions {
  ops::Reference reference;
  ops::Definition define;
};
template <size_t... i>
constexpr std::array<Functions, sizeof...(i)> functions(std::index_sequence<i...>) {
  return {Functions{reference<i>, define<i>}...};
}
template <size_t... i>
constexpr std::array<ops::Reference, sizeof...(i)> plain_references(std::index_sequence<i...>) {
  return {plain_reference<i>...};
}
inline ops::Operation make(const Plain& plain, ops::Reference reference, ops::Definition define) {
  ops::Operation out;
  out.id = plain.id;
  out.signature = ops::words(plain.arity);
  out.reference = reference;
  out.define = define;
  return out;
}

}  // namespace detail

inline ops::Operation operation_of(size_t i) {
  static constexpr auto kFunctions = detail::functions(std::make_index_sequence<kViolations>());
  return detail::make(*violations()[i].plain, kFunctions[i].reference, kFunctions[i].define);
}

inline const ops::Operation* find_plain(std::string_view id, uint32_t version) {
  static constexpr auto kReferences = detail::plain_references(std::make_index_sequence<std::size(kPlain)>());
  static const std::vector<ops::Operation> all = [] {
    std::vector<ops::Operation> out;
    for (size_t i = 0; i < std::size(kPlain); ++i)
      out.push_back(detail::make(kPlain[i], kReferences[i], kPlain[i].define));
    return out;
  }();
  const auto it = std::ranges::find(all, id, &ops::Operation::id);
  return it == all.end() || version != 1 ? nullptr : &*it;
}

}  // namespace vyre::algebra::planted
