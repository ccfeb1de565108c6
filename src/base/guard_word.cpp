#include "base/guard_word.h"

#include <random>

namespace vyre {

uint32_t guard_word(uint64_t number) {
  static const uint64_t key = [] {
    std::random_device system;  // of the system, not of a seed: getrandom(2)
    return uint64_t{system()} << 32 | system();
  }();
  return uint32_t(key) ^ uint32_t((number + (key >> 32)) * 0x9e3779b9);
}

}  // namespace vyre
