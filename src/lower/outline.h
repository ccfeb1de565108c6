// Equal blocks of a legal kernel as one function, for targets that have functions.
//
// What is behind the guard of a float operator is long, seldom run and the same for each operator of a kind:
// a composition of integers. A kernel has it at each of them; a printer that has functions writes it once and
// calls it. Nothing of the kernel changes, and printers without functions do not ask. That two blocks are the
// same, but for the values that they take from outside and the variable that they set, is found here by
// comparing them instruction by instruction. docs/adr/0070.
#pragma once

#include <unordered_map>
#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

/// The body of some If: it sets one variable of outside, in any case, and has no other effect.
struct OutlinedFunction {
  KBlock body{};                  // one of those that are the same
  std::vector<Value> parameters;  // what that one takes from outside, words
  Slot result{};                  // what it sets
};
struct OutlinedCall {
  uint32_t function = 0;
  std::vector<Value> arguments;
  Slot result{};
};
struct Outlines {
  std::vector<OutlinedFunction> functions;
  std::unordered_map<uint32_t, OutlinedCall> calls;  // by block, the body of an If; none within another
  const OutlinedCall* call(KBlock block) const {
    const auto found = calls.find(index(block));
    return found == calls.end() ? nullptr : &found->second;
  }
};

/// Blocks without memory, loops and barriers that stand there at least twice and are long enough to be
/// called. Domain: a legal kernel. Cost: about linear.
Outlines outline(const Kernel& kernel);

}  // namespace vyre::lower
