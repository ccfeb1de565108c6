#include "generate/choices.h"

#include "base/random.h"

namespace vyre::generate {

void RandomChoices::refill(std::span<uint32_t, kWords> words) {
  for (size_t i = 0; i < kWords; i += 4) {
    const auto block = philox(seed_, block_++, index_);
    for (size_t k = 0; k < 4; ++k) words[i + k] = block[k];
  }
}

void ByteChoices::refill(std::span<uint32_t, kWords> words) {
  for (uint32_t& word : words) {
    word = 0;
    for (uint32_t i = 0; i < 2; ++i) {
      const uint32_t byte = at_ < bytes_.size() ? bytes_[at_++] : 0;
      word |= byte << (24 - 8 * i);  // below() looks at the high bits
    }
  }
}

}  // namespace vyre::generate
