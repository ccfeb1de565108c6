#include "symbolic/instruction.h"

#include <fmt/format.h>

namespace vyre::symbolic {

smt::Term InstructionContext::anything(uint32_t width) {
  return pool.variable(fmt::format("any.{}", fresh++), width);
}

}  // namespace vyre::symbolic
