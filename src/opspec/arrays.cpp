#include "opspec/arrays.h"

#include <algorithm>

namespace vyre::opspec {

Words any_words(RandomStream& random, size_t n) {
  const uint32_t kind = random.below(9);
  const uint32_t few = random.chance(3) ? 1 : 1 + random.below(8);
  const uint32_t shift = random.below(32);
  Words out(n);
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t word = random.next();
    switch (kind) {
      case 0:
      case 1: out[i] = word; break;
      case 2: out[i] = word % few; break;
      case 3: out[i] = ~(word % few); break;
      case 4: out[i] = 1U << word % 32; break;
      case 5: out[i] = i << shift; break;
      case 6: out[i] = uint32_t(n) - i; break;
      case 7: out[i] = (word & 3) << shift; break;
      default: out[i] = i == 0 || word % 16 == 0 ? word : out[i - 1]; break;  // runs
    }
  }
  return out;
}

std::vector<int32_t> ordered_floats(const Buffer& floats) {
  std::vector<int32_t> out = elements<int32_t>(floats);
  for (int32_t& key : out) key ^= key < 0 ? INT32_MAX : 0;
  return out;
}

size_t about(RandomStream& random, size_t n) {
  const uint32_t by = random.below(9);
  switch (random.below(8)) {
    case 0: return n - std::min<size_t>(n, by);
    case 1:
    case 2: return n + by;
    case 3: return random.below(uint32_t(n) + 1);
    default: return n;
  }
}

Buffer room(RandomStream& random, size_t n, size_t element) {
  return noise(random, about(random, n) * element);
}

Buffer one_or_so(RandomStream& random, size_t element) { return noise(random, element * random.below(3)); }

std::vector<Buffers> with_less(const Buffers& buffers) {
  std::vector<Buffers> out;
  for (size_t b = 0; b < buffers.size(); ++b) {
    const size_t size = buffers[b].size();
    const size_t step = size % 8 == 0 ? 8 : 4;  // whole elements, of whatever type
    const auto keep = [&](size_t from, size_t to) {
      if (to - from == size) return;
      Buffers& smaller = out.emplace_back(buffers);
      smaller[b].assign(buffers[b].begin() + ptrdiff_t(from), buffers[b].begin() + ptrdiff_t(to));
    };
    const size_t half = size / 2 / step * step;
    keep(0, half);
    keep(half, size);
    keep(0, size - std::min(size, step));
    keep(std::min(size, step), size);
  }
  return out;
}

}  // namespace vyre::opspec
