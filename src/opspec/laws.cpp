#include "opspec/laws.h"

namespace vyre::opspec {

#define VYRE_BUFFER_LAW(operations, Name, claimed, statement) bool Name(const Trial& trial);
#include "library/laws.def"
#undef VYRE_BUFFER_LAW

std::span<const Holds> law_checks() {
  static constexpr Holds all[] = {
#define VYRE_BUFFER_LAW(operations, Name, claimed, statement) Name,
#include "library/laws.def"
#undef VYRE_BUFFER_LAW
  };
  return all;
}

}  // namespace vyre::opspec
