// Words that cannot be guessed: what stands beside memory that is given away, to see whether it is kept to.
//
// They are no pattern that a backend could guess: each process draws its own, which no seed gives and no
// certificate has, so that nothing can be right only beside them.
#pragma once

#include <cstdint>

namespace vyre {

/// Another one for each number, and the same as long as the process runs.
uint32_t guard_word(uint64_t number);

}  // namespace vyre
