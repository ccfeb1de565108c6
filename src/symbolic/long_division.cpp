#include "symbolic/long_division.h"

#include <span>

namespace vyre::symbolic {

using smt::Kind;
using smt::Pool;
using smt::Term;

namespace {

/// Quotient and remainder in one set of slots.
struct Pair {
  Term quotient, remainder;
};

Term joined(Pool& p, std::span<const Term> words) {
  Term out = words[0];
  for (const Term word : words.subspan(1)) out = p.concat(word, out);
  return out;
}

/// Domain: two or more slots of 32 bits, an even number of them.
Pair pair_of(Pool& p, std::span<const Term> slots) {
  const size_t words = slots.size() / 2;
  return {joined(p, slots.first(words)), joined(p, slots.subspan(words))};
}

Term top_bit(Pool& p, Term a) { return p.extract(a, p.width(a) - 1, 1); }

/// R is below b and keeps all its bits when it is doubled.
Term bounded(Pool& p, Term remainder, Term b) {
  return p.and_(p.ult(remainder, b), p.is_zero(top_bit(p, remainder)));
}

/// One step as the theorem has it. Domain: the remainder's top bit is zero.
Pair step(Pool& p, const Pair& state, Term b) {
  const uint32_t lower = p.width(b) - 1;
  const Term grown = p.concat(p.extract(state.remainder, 0, lower), top_bit(p, state.quotient));
  const Term fits = p.ule(b, grown);
  return {p.concat(p.extract(state.quotient, 0, lower), p.word(fits, 1)),
          p.ite(fits, p.sub(grown, b), grown)};
}

}  // namespace

Term LongDivision::invariant(Pool& p, const LoopTurn& turn) {
  const bool fits = turn.held.size() * 32 == 2 * size_t{p.width(b_)};
  return fits ? bounded(p, pair_of(p, turn.held).remainder, b_) : p.truth(true);
}

std::optional<std::vector<Term>> LongDivision::conclusion(Pool& p, const LoopTurn& turn,
                                                          std::vector<Obligation>& premises) {
  const uint32_t width = p.width(b_);
  if (turn.held.size() * 32 != 2 * size_t{width}) return {};
  used_ = true;
  const auto owe = [&](Term premise, const char* what) {
    premises.push_back({p.implies(turn.path, premise), what});
  };
  const Pair before = pair_of(p, turn.before);
  const Term count = p.zero_extend(turn.count, width), all = p.constant(width, width);
  owe(p.and_(p.ule(count, all), p.is_not_zero(b_)), "as many steps as bits at most, and a divisor");
  owe(p.eq(before.remainder, p.lshr(a_, count)), "the remainder begins as the dividend's upper bits");
  owe(p.eq(before.quotient, p.shl(a_, p.sub(all, count))),
      "the quotient begins as the dividend's lower bits");
  const Term some = p.is_not_zero(turn.count);
  owe(p.implies(some, p.is_zero(top_bit(p, before.remainder))), "the first remainder can be doubled");
  owe(p.ult(before.remainder, b_), "the first remainder is below the divisor");

  const Pair held = pair_of(p, turn.held), made = pair_of(p, turn.made), expected = step(p, held, b_);
  const Term begins = bounded(p, held.remainder, b_);
  owe(p.implies(begins, p.eq(made.quotient, expected.quotient)), "a turn's quotient is a step's");
  owe(p.implies(begins, p.eq(made.remainder, expected.remainder)), "a turn's remainder is a step's");
  // What a step leaves is below b by itself; that it can be doubled again is asked only where there is
  // another.
  const Term another = p.ult(p.constant(32, 1), turn.count);
  owe(p.implies(another, p.is_zero(top_bit(p, b_))), "every further remainder can be doubled");

  std::vector<Term> after;
  for (const Term result : {p.udiv(a_, b_), p.urem(a_, b_)}) {
    for (uint32_t low = 0; low < width; low += 32) after.push_back(p.extract(result, low, 32));
  }
  return after;
}

std::optional<LongDivision> division_of(const Pool& pool, const Reading& reading) {
  std::vector<Term> left;
  for (const WordStore& store : reading.stores) left.push_back(store.value);
  std::vector<bool> seen;
  while (!left.empty()) {
    const Term t = left.back();
    left.pop_back();
    if (t.id >= seen.size()) seen.resize(t.id + 1);
    if (seen[t.id]) continue;
    seen[t.id] = true;
    const smt::Node& node = pool[t];
    const bool divides = node.kind == Kind::UDiv || node.kind == Kind::URem;
    if (divides && node.width > 32 && node.width % 32 == 0)
      return LongDivision(node.operands[0], node.operands[1]);
    for (uint32_t k = 0; k < smt::info(node.kind).operands; ++k) left.push_back(node.operands[k]);
  }
  return {};
}

}  // namespace vyre::symbolic
