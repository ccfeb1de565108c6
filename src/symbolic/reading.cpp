#include "symbolic/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace vyre::symbolic {

using smt::Term;

Term Memory::length(uint32_t buffer) { return pool_.variable(buffers_[buffer].name + ".len", 32); }

Term Memory::place(uint32_t buffer, Term index, uint32_t word) {
  const uint32_t words = buffers_[buffer].words;
  const Term wide = pool_.zero_extend(index, 64);
  if (words == 1) return wide;
  // As many words as an element has are a power of two.
  const Term first = pool_.shl(wide, pool_.constant(64, uint32_t(std::countr_zero(words))));
  return word == 0 ? first : pool_.bit_or(first, pool_.constant(64, word));
}

Term Memory::inside(uint32_t buffer, Term word) {
  const uint32_t words = buffers_[buffer].words;
  const Term within = pool_.ult(word, place(buffer, length(buffer), 0));
  return pool_.or_(within, pool_.ult(word, pool_.constant(64, words)));
}

Term Memory::load(uint32_t buffer, Term word) {
  uint32_t known = 0;
  for (const InitialWord& initial : initial_words_) {
    if (initial.buffer != buffer) continue;
    if (initial.word == word) return initial.content;
    ++known;
  }
  const Term content = pool_.variable(fmt::format("{}.{}", buffers_[buffer].name, known), 32);
  initial_words_.push_back({buffer, word, content});
  return content;
}

Term Memory::consistent() {
  std::vector<Term> facts;
  for (size_t i = 0; i < initial_words_.size(); ++i) {
    for (size_t j = i + 1; j < initial_words_.size(); ++j) {
      const InitialWord &a = initial_words_[i], &b = initial_words_[j];
      if (a.buffer != b.buffer) continue;
      facts.push_back(pool_.implies(pool_.eq(a.word, b.word), pool_.eq(a.content, b.content)));
    }
  }
  return pool_.all(facts);
}

namespace {

/// What stands at a place after all stores.
Term after(smt::Pool& pool, const Reading& reading, uint32_t buffer, Term place, Term before) {
  Term now = before;
  for (const WordStore& store : reading.stores) {
    if (store.buffer != buffer) continue;
    now = pool.ite(pool.and_(store.when, pool.eq(store.word, place)), store.value, now);
  }
  return now;
}

/// That the stores are the same one by one; none when there are more of one kind.
std::vector<Term> same_stores(smt::Pool& pool, const Reading& a, const Reading& b) {
  std::vector<Term> truths;
  if (a.stores.size() != b.stores.size()) return {};
  for (size_t n = 0; n < a.stores.size(); ++n) {
    const WordStore &x = a.stores[n], &y = b.stores[n];
    if (x.buffer != y.buffer) return {};
    truths.push_back(pool.eq(x.when, y.when));
    truths.push_back(pool.implies(x.when, pool.eq(x.word, y.word)));
    truths.push_back(pool.implies(x.when, pool.eq(x.value, y.value)));
  }
  return truths;
}

bool writes(const Reading& reading, uint32_t buffer) {
  return std::ranges::find(reading.stores, buffer, &WordStore::buffer) != reading.stores.end();
}

}  // namespace

Equivalence equivalent(smt::Pool& pool, Memory& memory, const Reading& code, const Reading& meaning) {
  std::vector<Term> truths;
  for (const Obligation& obligation : code.obligations) truths.push_back(obligation.holds);
  for (uint32_t buffer = 0; buffer < memory.size(); ++buffer) {
    if (!writes(code, buffer) && !writes(meaning, buffer)) continue;
    const Term place = pool.variable(fmt::format("place.{}", buffer), 64);
    const Term before = pool.variable(fmt::format("before.{}", buffer), 32);
    truths.push_back(
        pool.eq(after(pool, code, buffer, place, before), after(pool, meaning, buffer, place, before)));
  }
  const Term holds = pool.implies(memory.consistent(), pool.all(truths));
  Equivalence out{holds, memory.consistent(), same_stores(pool, code, meaning), pool.variables_of(holds)};
  if (out.parts.empty()) return out;
  for (const Obligation& obligation : code.obligations) out.parts.push_back(obligation.holds);
  for (Term& part : out.parts) part = pool.implies(memory.consistent(), part);
  return out;
}

}  // namespace vyre::symbolic
