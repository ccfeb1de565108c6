#include "opspec/automata.h"

namespace vyre::opspec {

void put_header(Words& table, std::initializer_list<uint32_t> four, const Classes& classes) {
  table.insert(table.end(), four);
  for (size_t byte = 0; byte < 256; byte += 4)
    table.push_back(classes[byte] | classes[byte + 1] << 8 | classes[byte + 2] << 16 |
                    uint32_t(classes[byte + 3]) << 24);
}

void some_letters(RandomStream& random, uint32_t bytes, Item& item) {
  const uint32_t letters = random.chance(4) ? 256 : 1 + random.below(4);
  while (bytes-- > 0) item.push_back(uint8_t('a' + random.below(letters)));
}

}  // namespace vyre::opspec
