// What code does, as terms: the common ground of everything that reads code here.
//
// A kernel, a function of LLVM IR and a module of SPIR-V are read by readers that share no code with whatever
// wrote them. Each gives the same thing, a Reading: which words it stores where, under which condition, as
// terms over what memory held before; and its obligations, the truths without which the code would have no
// meaning at all (a shift by 32, an access outside of a buffer, a poisoned value that is stored). Two
// readings over one Memory mean the same when one claim holds, which a solver is asked: every word of memory
// ends as the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "smt/term.h"

namespace vyre::symbolic {

/// A truth that must hold for all inputs, with the condition under which the code gets there already in it.
struct Obligation {
  smt::Term holds;
  std::string what;  // "udiv.raw: its domain is: b != 0"
};

/// One word stored, if `when`. Shape  word: 64 bits, counts words of 32 bits from the buffer's beginning;
/// value: 32 bits.
struct WordStore {
  uint32_t buffer = 0;
  smt::Term word, when, value;
};

struct Reading {
  std::vector<Obligation> obligations;
  std::vector<WordStore> stores;  // in the order in which they happen
};

/// The bound buffers as they are before the code runs: what is in them and how long they are, for all
/// memories and lengths at once. A word is a variable; two that were read at the same place are equal, which
/// consistent() says.
class Memory {
 public:
  struct Buffer {
    std::string name;
    uint32_t words = 1;  // an element
  };
  /// buffers: by the number under which they are bound.
  Memory(smt::Pool& pool, std::vector<Buffer> buffers) : pool_(pool), buffers_(std::move(buffers)) {}

  size_t size() const { return buffers_.size(); }
  uint32_t words(uint32_t buffer) const { return buffers_[buffer].words; }
  /// In elements, 32 bits; any number.
  smt::Term length(uint32_t buffer);
  /// 64 bits: where word `word` of element `index` (32 bits) stands.
  smt::Term place(uint32_t buffer, smt::Term index, uint32_t word);
  /// Whether the word exists: a binding has at least one element, whatever its length.
  smt::Term inside(uint32_t buffer, smt::Term word);
  /// What stands there. Shape  word: 64 bits; result 32.
  smt::Term load(uint32_t buffer, smt::Term word);
  /// Under this alone anything is claimed: one place has one content.
  smt::Term consistent();

 private:
  struct InitialWord {
    uint32_t buffer;
    smt::Term word, content;
  };
  smt::Pool& pool_;
  std::vector<Buffer> buffers_;
  std::vector<InitialWord> initial_words_;
};

/// Whether all obligations hold and memory ends as the other reading leaves it.
struct Equivalence {
  smt::Term holds;
  smt::Term assumed;  // a premise of it and of each part: what one may take for granted
  /// What together implies it and is easier, one by one: each obligation, and that the stores are the same in
  /// their order. None where there are more stores of one kind.
  std::vector<smt::Term> parts;
  std::vector<smt::Term> variables;  // of the claim: those that were named first come first
};
Equivalence equivalent(smt::Pool& pool, Memory& memory, const Reading& code, const Reading& meaning);

}  // namespace vyre::symbolic
