// Engines over arrays and graphs: their cases, references and records.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "opspec/arrays.h"
#include "opspec/engine.h"

namespace vyre::opspec {

// Of this file alone, also where several files are compiled as one.
namespace array_engine {
namespace {

constexpr size_t kWord = sizeof(uint32_t);
constexpr size_t kWide = sizeof(uint64_t);

/// Counts of an engine: `words` of them, now and then fewer or more.
Buffer counts(RandomStream& random, uint32_t words) {
  return noise(random, kWord * (random.chance(8) ? random.below(words + 2) : words));
}
/// The counts' first word is how many records there are; without it nothing is known of any.
template <size_t kCount>
uint64_t count_of(const Buffers& buffers) {
  return get<uint32_t>(buffers[kCount], 0);
}
/// As many bytes of an output as so many elements take.
uint64_t up_to(const Buffer& buffer, uint64_t elements, size_t element = kWord) {
  return std::min<uint64_t>(buffer.size() / element, elements) * element;
}
/// How many records would be half of those of a case.
template <void (*kReference)(Buffers& buffers), std::vector<Record> (*kRecords)(const Buffers& buffers)>
size_t half(Buffers buffers) {
  kReference(buffers);
  return kRecords(buffers).size() / 2;
}

// engine.prefix: data, sums, total, count.

Buffers prefix_case(RandomStream& random, uint32_t size) {
  return {buffer_of(any_words(random, size)), room(random, size, kWide), one_or_so(random, kWide),
          counts(random, 2)};
}
/// Every word makes the sum rise, so that no two places have the same.
Buffers prefix_tagged(RandomStream& random, uint32_t size) {
  Words data = any_words(random, size);
  for (uint32_t& word : data) word = std::max(word, 1U);
  return {buffer_of(data), noise(random, size * kWide), noise(random, kWide), noise(random, 2 * kWord)};
}
void prefix(Buffers& buffers) {
  uint64_t sum = 0;
  uint32_t rises = 0;
  const Words data = elements<uint32_t>(buffers[0]);
  for (size_t i = 0; i < data.size(); ++i) {
    sum += data[i];
    rises += data[i] != 0 ? 1 : 0;
    put(buffers[1], i, sum);
  }
  put(buffers[2], 0, sum);
  leave(buffers[3], Words{uint32_t(data.size()), rises});
}
std::vector<Record> prefix_records(const Buffers& buffers) {
  std::vector<Record> out(std::min<uint64_t>(count_of<3>(buffers), count<uint64_t>(buffers[1])));
  for (size_t i = 0; i < out.size(); ++i) {
    const auto sum = get<uint64_t>(buffers[1], i);
    out[i] = {uint32_t(sum >> 32), uint32_t(sum)};
  }
  return out;
}
std::vector<uint64_t> prefix_written(const Buffers& buffers) {
  return {0, up_to(buffers[1], count<uint32_t>(buffers[0]), kWide), up_to(buffers[2], 1, kWide),
          up_to(buffers[3], 2)};
}

// engine.sort: keys, sorted, order, count, status, params.

uint32_t columns_of(const Buffers& buffers) { return get<uint32_t>(buffers[5], 0); }

/// Rows of one column to four, seldom more; of few different words in some columns, so that others decide.
Buffers sort_case(RandomStream& random, uint32_t size) {
  const uint32_t columns = random.chance(16) ? random.below(10) : 1 + random.below(4);
  const uint32_t rows = std::min(size, 5'000U);
  Words keys(size_t{rows} * columns);
  for (uint32_t c = 0; c < columns; ++c) {
    const Words column = any_words(random, rows);
    for (uint32_t r = 0; r < rows; ++r) keys[size_t{r} * columns + c] = column[r];
  }
  if (random.chance(12)) keys.push_back(random.next());
  Words params = {columns};
  if (random.chance(12)) params.resize(2 * random.below(2));
  return {buffer_of(keys),   room(random, keys.size()), room(random, rows),
          counts(random, 2), one_or_so(random),         buffer_of(params)};
}
void sort(Buffers& buffers) {
  const Words keys = elements<uint32_t>(buffers[0]);
  const uint32_t columns = columns_of(buffers);
  const bool whole = columns == 0 ? keys.empty() : keys.size() % columns == 0;
  std::vector<std::pair<Words, uint32_t>> rows;
  if (whole && columns != 0)
    for (size_t at = 0; at < keys.size(); at += columns) {
      const auto from = keys.begin() + ptrdiff_t(at);
      rows.emplace_back(Words(from, from + columns), uint32_t(rows.size()));
    }
  std::ranges::sort(rows);  // places break ties
  Words sorted, order;
  uint32_t different = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(rows[i].first, std::back_inserter(sorted));
    order.push_back(rows[i].second);
    different += i == 0 || rows[i].first != rows[i - 1].first ? 1 : 0;
  }
  leave(buffers[1], sorted);
  leave(buffers[2], order);
  leave(buffers[3], Words{uint32_t(rows.size()), different});
  put(buffers[4], 0, whole ? 0U : 1U);
}
std::vector<Record> sort_records(const Buffers& buffers) {
  const size_t columns = columns_of(buffers);
  if (columns == 0) return {};
  std::vector<Record> out(std::min<uint64_t>(
      {count_of<3>(buffers), count<uint32_t>(buffers[1]) / columns, count<uint32_t>(buffers[2])}));
  for (size_t i = 0; i < out.size(); ++i) {
    for (size_t c = 0; c < columns; ++c) out[i].push_back(get<uint32_t>(buffers[1], i * columns + c));
    out[i].push_back(get<uint32_t>(buffers[2], i));
  }
  return out;
}
std::vector<uint64_t> sort_written(const Buffers& buffers) {
  const uint64_t columns = columns_of(buffers);
  const uint64_t words = count<uint32_t>(buffers[0]);
  const uint64_t rows = columns != 0 && words % columns == 0 ? words / columns : 0;
  return {0,
          up_to(buffers[1], rows * columns),
          up_to(buffers[2], rows),
          up_to(buffers[3], 2),
          up_to(buffers[4], 1),
          0};
}

// engine.scatter_gather: values, destinations, forward, places, back, conflicts, count.

/// Where each place forwards to.
Words any_forwards(RandomStream& random, uint32_t places) {
  const uint32_t kind = random.below(6);
  Words out(kind == 0 ? 0 : about(random, places));
  for (uint32_t p = 0; p < out.size(); ++p) {
    switch (kind) {
      case 1: out[p] = random.below(places + 1); break;                          // circles, and outside
      case 2: out[p] = random.chance(3) ? random.below(p + 1) : p; break;        // a forest
      case 3: out[p] = p == 0 ? 0 : p - 1; break;                                // the longest way
      case 4: out[p] = p + 1 < places && !random.chance(40) ? p + 1 : p; break;  // ways of some length
      default: out[p] = random.chance(20) ? random.next() : p; break;            // hardly any
    }
  }
  return out;
}
Buffers scatter_case(RandomStream& random, uint32_t size) {
  const uint32_t places = 1 + random.below(random.chance(3) ? 8 : 2 * size + 1);
  const uint32_t outside = random.chance(3) ? 2 : 0;
  Words destinations(about(random, size));
  for (uint32_t i = 0; i < destinations.size(); ++i) destinations[i] = random.below(places + outside);
  if (random.chance(4))  // each its own
    for (uint32_t i = 0; i < destinations.size(); ++i)
      destinations[i] = uint32_t(destinations.size()) - 1 - i;
  const Words forward = any_forwards(random, places);
  return {buffer_of(any_words(random, size)),
          buffer_of(destinations),
          buffer_of(forward),
          noise(random, kWord * (random.chance(16) ? 0 : places)),
          room(random, size),
          room(random, 2 * size_t{size}),
          counts(random, 2)};
}
void scatter_gather(Buffers& buffers) {
  const Words values = elements<uint32_t>(buffers[0]), destinations = elements<uint32_t>(buffers[1]);
  const Words forward = elements<uint32_t>(buffers[2]);
  Words places = elements<uint32_t>(buffers[3]);
  // Homes are known first, then backwards who forwards to a place of which the home is known.
  std::vector<std::optional<uint32_t>> known(places.size());
  std::vector<Words> from(places.size());
  Words ready;
  for (uint32_t p = 0; p < places.size(); ++p) {
    if (p >= forward.size() || forward[p] == p) {
      known[p] = p;
      ready.push_back(p);
    } else if (forward[p] < places.size()) {
      from[forward[p]].push_back(p);
    }
  }
  for (size_t at = 0; at < ready.size(); ++at)
    for (const uint32_t p : from[ready[at]]) {
      known[p] = known[ready[at]];
      ready.push_back(p);
    }
  std::vector<Words> comers(places.size());
  const size_t n = std::min(values.size(), destinations.size());
  uint32_t lost = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const std::optional<uint32_t> home =
        destinations[i] < places.size() ? known[destinations[i]] : std::nullopt;
    if (home)
      comers[*home].push_back(i);
    else
      ++lost;
  }
  Words back(n), conflicts;
  for (uint32_t p = 0; p < places.size(); ++p) {
    for (const uint32_t i : comers[p]) {
      back[i] = values[comers[p].front()];
      places[p] = back[i];
      if (i != comers[p].front()) conflicts.insert(conflicts.end(), {p, i});
    }
  }
  leave(buffers[3], places);
  leave(buffers[4], back);
  leave(buffers[5], conflicts);
  leave(buffers[6], Words{uint32_t(conflicts.size() / 2), lost});
}
/// Records of two words in an output, as many as a count says.
template <size_t kRecords, size_t kCount>
std::vector<Record> pairs(const Buffers& buffers) {
  std::vector<Record> out(
      std::min<uint64_t>(count_of<kCount>(buffers), count<uint32_t>(buffers[kRecords]) / 2));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = {get<uint32_t>(buffers[kRecords], 2 * i), get<uint32_t>(buffers[kRecords], 2 * i + 1)};
  return out;
}
/// Of as many pairs as a count says; of all that could be where there is no count buffer.
template <size_t kCount>
uint64_t written_pairs(const Buffers& buffers, const Buffer& pairs) {
  return up_to(pairs, buffers[kCount].empty() ? UINT64_MAX : 2 * count_of<kCount>(buffers));
}
std::vector<uint64_t> scatter_written(const Buffers& buffers) {
  const uint64_t n = std::min(count<uint32_t>(buffers[0]), count<uint32_t>(buffers[1]));
  return {0,
          0,
          0,
          buffers[3].size(),
          up_to(buffers[4], n),
          written_pairs<6>(buffers, buffers[5]),
          up_to(buffers[6], 2)};
}

// engine.bfs: offsets, targets, sources, levels, reached, count, status.

const OperationSpec& plain_bfs() {
  return *std::ranges::find(graph_operations(), "graph.bfs", &OperationSpec::id);
}
/// A case of graph.bfs, whose fourth buffer is the levels and whose fifth the status.
Buffers bfs_case(RandomStream& random, uint32_t size) {
  Buffers out = plain_bfs().generate(random, size);
  const size_t n = count<uint32_t>(out[0]);
  out.insert(out.begin() + 4, {room(random, 2 * n), counts(random, 2)});
  return out;
}
size_t vertices_of(const Buffers& buffers) { return std::max<size_t>(count<uint32_t>(buffers[0]), 1) - 1; }
void bfs(Buffers& buffers) {
  constexpr uint32_t kNone = UINT32_MAX;
  Buffers plain = {buffers[0], buffers[1], buffers[2], buffer_of(Words(vertices_of(buffers), kNone)),
                   Buffer(kWord)};
  plain_bfs().reference(plain);
  const auto status = get<uint32_t>(plain[4], 0);
  const Words levels = elements<uint32_t>(plain[3]);
  std::vector<Record> reached;
  for (uint32_t v = 0; v < levels.size(); ++v)
    if (levels[v] != kNone) reached.push_back({levels[v], v});
  std::ranges::sort(reached);
  if (status == 0) {
    leave(buffers[3], levels);
    Words listed;
    for (const Record& record : reached) std::ranges::copy(record, std::back_inserter(listed));
    leave(buffers[4], listed);
  }
  leave(buffers[5], Words{uint32_t(reached.size()), reached.empty() ? 0 : reached.back()[0] + 1});
  put(buffers[6], 0, status);
}
/// With a fault the levels are kept.
std::vector<uint64_t> bfs_written(const Buffers& buffers) {
  const bool kept = get<uint32_t>(buffers[6], 0) != 0;
  return {0,
          0,
          0,
          up_to(buffers[3], kept ? 0 : vertices_of(buffers)),
          written_pairs<5>(buffers, buffers[4]),
          up_to(buffers[5], 2),
          up_to(buffers[6], 1)};
}

constexpr OperationSpec kOperations[] = {
    {"engine.prefix", prefix_case, prefix, with_less},
    {"engine.sort", sort_case, sort, with_less},
    {"engine.scatter_gather", scatter_case, scatter_gather, with_less},
    {"engine.bfs", bfs_case, bfs, with_less},
};
// Of the others than prefix records have places, sources or vertices in them, and so are there once in all
// cases.
constexpr EngineSpec kEngines[] = {
    {"engine.prefix", prefix_tagged, prefix_records, count_of<3>,
     [](Buffers& buffers) { buffers[1].resize(half<prefix, prefix_records>(buffers) * kWide); },
     prefix_written},
    {"engine.sort", nullptr, sort_records, count_of<3>,
     [](Buffers& buffers) {
       const size_t rows = half<sort, sort_records>(buffers);
       buffers[1].resize(rows * columns_of(buffers) * kWord);
       buffers[2].resize(rows * kWord);
     },
     sort_written},
    {"engine.scatter_gather", nullptr, pairs<5, 6>, count_of<6>,
     [](Buffers& buffers) { buffers[5].resize(half<scatter_gather, pairs<5, 6>>(buffers) * 2 * kWord); },
     scatter_written},
    {"engine.bfs", nullptr, pairs<4, 5>, count_of<5>,
     [](Buffers& buffers) { buffers[4].resize(half<bfs, pairs<4, 5>>(buffers) * 2 * kWord); }, bfs_written},
};

}  // namespace
}  // namespace array_engine

std::span<const OperationSpec> array_engines() { return array_engine::kOperations; }
std::span<const EngineSpec> array_engine_specs() { return array_engine::kEngines; }

}  // namespace vyre::opspec
