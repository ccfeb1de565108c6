// What the meaning of one instruction is given and adds to, whatever the language it is written in.
//
// Emitted code is read back instruction by instruction. An instruction has a result, and may demand something
// besides: where that does not hold all behaviour is undefined, as of a division by zero. A result that may
// be anything is a variable of its own.
#pragma once

#include <vector>

#include "smt/term.h"

namespace vyre::symbolic {

/// What an instruction demands: at once undefined behaviour unless it holds.
struct Demand {
  smt::Term holds;
  const char* what;
};

/// One instruction's surroundings: the demands that it makes are added.
struct InstructionContext {
  smt::Pool& pool;
  std::vector<Demand>& demands;
  uint32_t& fresh;  // counts the variables that stand for anything

  smt::Term anything(uint32_t width);
};

}  // namespace vyre::symbolic
