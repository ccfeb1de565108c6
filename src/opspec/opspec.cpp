#include "opspec/opspec.h"

#include <algorithm>
#include <iterator>

#include "opspec/engine.h"
#include "opspec/items.h"

namespace vyre::opspec {
namespace {

/// Of the stream of words that a case is made of; any number that nothing else uses.
constexpr uint64_t kStream = 0x6f70'7370'6563;
constexpr uint64_t kMalformedStream = kStream << 8;
/// Into how many parts the items of a case are cut at most, to make it simpler: each part is a whole case.
constexpr size_t kMostParts = 64;

/// Beside none and few: one less, as many and one more than blocks of workgroups and of elements have.
uint32_t size_of(RandomStream& random) {
  constexpr uint32_t kBlocks[] = {32, 64, 128, 256, 512, 1024, 2048, 4096};
  switch (random.below(8)) {
    case 0: return random.below(4);
    case 1:
    case 2:
    case 3: return random.below(40);
    case 4:
    case 5: return kBlocks[random.below(4)] - 1 + random.below(3);
    case 6: return kBlocks[random.below(uint32_t(std::size(kBlocks)))] - 1 + random.below(3);
    default: return random.chance(8) ? random.below(20'000) : random.below(1'000);
  }
}

/// One word is another, two have changed places, or there are fewer or more of them.
void spoil(RandomStream& random, Buffer& buffer) {
  // Elements have at most so many bytes, so what is cut or added is whole ones.
  constexpr size_t kElement = 8;
  const auto words = uint32_t(count<uint32_t>(buffer));
  const auto at = [&] { return random.below(words); };
  switch (words == 0 ? 5 : random.below(7)) {
    case 0: return put(buffer, at(), random.next());
    case 1: return put(buffer, at(), random.chance(2) ? 0u : UINT32_MAX);
    case 2: return put(buffer, at(), random.below(2 * words));
    case 3: return put(buffer, at(), get<uint32_t>(buffer, at()) + (random.chance(2) ? 1u : UINT32_MAX));
    case 4: {
      const uint32_t a = at(), b = at();
      const auto value = get<uint32_t>(buffer, a);
      put(buffer, a, get<uint32_t>(buffer, b));
      return put(buffer, b, value);
    }
    case 5: {
      const Buffer more = noise(random, kElement * (1 + random.below(4)));
      buffer.insert(buffer.end(), more.begin(), more.end());
      return;
    }
    default: buffer.resize(buffer.size() - kElement * random.below(uint32_t(buffer.size() / kElement) + 1));
  }
}

}  // namespace

const std::vector<OperationSpec>& all_operations() {
  static const std::vector<OperationSpec> all = [] {
    std::vector<OperationSpec> out;
    for (const auto part : {hash_operations(), recode_operations(), string_operations(), match_operations(),
                            match_table_operations(), collection_operations(), graph_operations(),
                            array_engines(), record_engines()})
      out.insert(out.end(), part.begin(), part.end());
    std::ranges::sort(out, {}, &OperationSpec::id);
    return out;
  }();
  return all;
}

const OperationSpec* find_operation(std::string_view id) {
  const auto found = std::ranges::lower_bound(all_operations(), id, {}, &OperationSpec::id);
  return found != all_operations().end() && found->id == id ? &*found : nullptr;
}

Buffers make_case(const OperationSpec& operation, uint64_t seed, uint64_t number,
                  std::optional<uint32_t> size) {
  RandomStream random(seed, kStream + number);
  const uint32_t drawn = size_of(random);
  return operation.generate(random, size.value_or(drawn));
}

Buffers make_malformed_case(const OperationSpec& operation, uint64_t seed, uint64_t number) {
  RandomStream random(seed, kMalformedStream + number);
  Buffers buffers = operation.generate(random, random.below(random.chance(4) ? 300 : 24));
  const Buffers whole = buffers;
  for (uint32_t edits = 1 + random.below(4); edits > 0; --edits)
    spoil(random, buffers[random.below(uint32_t(buffers.size()))]);
  if (operation.mend != nullptr) operation.mend(buffers, whole);
  return buffers;
}

std::vector<Buffers> smaller_cases(const OperationSpec& operation, const Buffers& buffers) {
  if (operation.smaller != nullptr) return operation.smaller(buffers);
  std::vector<Buffers> out;
  if (buffers.size() > 1 && count<uint32_t>(buffers[1]) > 1) {
    const std::vector<uint32_t> offsets = elements<uint32_t>(buffers[1]);
    const auto with = [&](std::vector<uint32_t> kept) {
      Buffers& smaller = out.emplace_back(buffers);
      smaller[1] = buffer_of(kept);
    };
    if (offsets.size() > 2) {  // parts of the items, in their place
      const size_t items = offsets.size() - 1;
      for (size_t parts = std::min(items, kMostParts); parts > 1; parts /= 2) {
        for (size_t k = 0; k < parts; ++k) {
          const auto from = offsets.begin() + std::ptrdiff_t(k * items / parts);
          const auto to = offsets.begin() + std::ptrdiff_t((k + 1) * items / parts);
          with({from, to + 1});
        }
      }
    } else if (offsets[1] > offsets[0]) {
      const uint32_t length = offsets[1] - offsets[0];
      for (uint32_t less = (length + 1) / 2; less > 0; less /= 2) {
        with({offsets[0], offsets[1] - less});
        with({offsets[0] + less, offsets[1]});
      }
    }
  }
  return out;
}

}  // namespace vyre::opspec
