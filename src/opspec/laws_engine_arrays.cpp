// Laws of the engines over arrays and graphs: what they have to do with the operations of the library that do
// a part of their work, or the same for less.
#include <algorithm>
#include <numeric>

#include "opspec/arrays.h"
#include "opspec/laws.h"

namespace vyre::opspec {

#define VYRE_BUFFER_LAW(operations, Name, claimed, statement) bool Name(const Trial& trial);
#include "library/laws.def"
#undef VYRE_BUFFER_LAW

// Of this file alone, also where several files are compiled as one.
namespace array_engine_laws {
namespace {

constexpr size_t kWord = sizeof(uint32_t);

Words numbers(size_t n) {
  Words out(n);
  std::iota(out.begin(), out.end(), 0);
  return out;
}
Buffer cut(Buffer buffer, size_t words) {
  buffer.resize(std::min(buffer.size(), words * kWord));
  return buffer;
}

/// The sums and the total of words.
struct Sums {
  std::vector<uint64_t> sums;
  uint64_t total;
};
Sums sums_of(const Trial& trial, const Words& data) {
  const Buffers after =
      trial.run({buffer_of(data), Buffer(data.size() * 2 * kWord), Buffer(2 * kWord), Buffer(2 * kWord)});
  return {elements<uint64_t>(after[1]), get<uint64_t>(after[2], 0)};
}

/// Rows in order, and where they were.
struct Rows {
  Words sorted, order;
  bool operator==(const Rows&) const = default;
};
Rows sorted(const Trial& trial, const Buffer& keys, uint32_t columns) {
  const size_t rows = columns == 0 ? 0 : count<uint32_t>(keys) / columns;
  const Buffers after = trial.run({keys, Buffer(rows * columns * kWord), Buffer(rows * kWord),
                                   Buffer(2 * kWord), Buffer(kWord), buffer_of(Words{columns})});
  return {elements<uint32_t>(after[1]), elements<uint32_t>(after[2])};
}
/// Columns of the case, 0 where its keys are not whole rows.
uint32_t columns_of(const Trial& trial) {
  const auto columns = get<uint32_t>(trial.input()[5], 0);
  return columns != 0 && count<uint32_t>(trial.input()[0]) % columns == 0 ? columns : 0;
}
Rows sorted(const Trial& trial) { return sorted(trial, trial.input()[0], columns_of(trial)); }

/// Values of the case, each with a destination, over these places.
struct Delivered {
  Buffer places, back, conflicts;
  bool operator==(const Delivered&) const = default;
};
size_t values_of(const Trial& trial) {
  return std::min(count<uint32_t>(trial.input()[0]), count<uint32_t>(trial.input()[1]));
}
Delivered delivered(const Trial& trial, const Buffer& destinations, const Buffer& forward) {
  const size_t n = values_of(trial);
  const Buffers after = trial.run({trial.input()[0], cut(destinations, n), forward, trial.input()[3],
                                   Buffer(n * kWord), Buffer(2 * n * kWord), Buffer(2 * kWord)});
  return {after[3], after[4], after[5]};
}

/// Of the graph of the case, with room for all.
struct Levels {
  Buffer levels;
  Words reached;
  uint32_t status = 0;
};
size_t vertices_of(const Trial& trial) { return std::max<size_t>(count<uint32_t>(trial.input()[0]), 1) - 1; }
Levels levels_of(const Trial& trial) {
  const size_t n = vertices_of(trial);
  const Buffers& input = trial.input();
  const Buffers after = trial.run({input[0], input[1], input[2], Buffer(n * kWord), Buffer(2 * n * kWord),
                                   Buffer(2 * kWord), Buffer(kWord)});
  Levels out = {after[3], elements<uint32_t>(after[4]), get<uint32_t>(after[6], 0)};
  out.reached.resize(std::min(out.reached.size(), size_t{2} * get<uint32_t>(after[5], 0)));
  return out;
}
/// What an operation of graph leaves over it: its output and its status.
Buffers of_graph(const Trial& trial, std::string_view id) {
  const Buffers& input = trial.input();
  const Buffers after =
      trial.run(id, {input[0], input[1], input[2], Buffer(vertices_of(trial) * kWord), Buffer(kWord)});
  return {after[3], after[4]};
}

}  // namespace
}  // namespace array_engine_laws

using namespace array_engine_laws;

// engine.prefix

bool LowWordsAreScan(const Trial& trial) {
  const Words data = elements<uint32_t>(trial.input()[0]);
  Words low;
  for (const uint64_t sum : sums_of(trial, data).sums) low.push_back(uint32_t(sum));
  const Buffers scan =
      trial.run("collection.scan_inclusive_add", {trial.input()[0], Buffer(data.size() * kWord)});
  return buffer_of(low) == scan[1];
}

bool SumsGoOnFromTotal(const Trial& trial) {
  const Words data = elements<uint32_t>(trial.input()[0]);
  const auto middle = data.begin() + ptrdiff_t(data.size() / 3);
  Sums all = sums_of(trial, Words(data.begin(), middle));
  const Sums rest = sums_of(trial, Words(middle, data.end()));
  for (const uint64_t sum : rest.sums) all.sums.push_back(all.total + sum);
  const Sums expected = sums_of(trial, data);
  return all.sums == expected.sums && all.total + rest.total == expected.total;
}

bool SumsFitAWord(const Trial& trial) {
  return std::ranges::all_of(sums_of(trial, elements<uint32_t>(trial.input()[0])).sums,
                             [](uint64_t sum) { return sum <= UINT32_MAX; });
}

// engine.sort

bool SortedRowsStay(const Trial& trial) {
  const Rows once = sorted(trial);
  return sorted(trial, buffer_of(once.sorted), columns_of(trial)) ==
         Rows{once.sorted, numbers(once.order.size())};
}

bool OrderIsPermutation(const Trial& trial) {
  const uint32_t columns = columns_of(trial);
  const Rows rows = sorted(trial);
  Words places;  // of words, where rows.order has those of rows
  for (const uint32_t row : rows.order)
    for (uint32_t c = 0; c < columns; ++c) places.push_back(row * columns + c);
  const Buffers fetched =
      trial.run("collection.gather", {trial.input()[0], buffer_of(places), Buffer(places.size() * kWord)});
  const Buffers ascending =
      trial.run("collection.sort_u32", {buffer_of(rows.order), Buffer(rows.order.size() * kWord)});
  return fetched[2] == buffer_of(rows.sorted) && ascending[1] == buffer_of(numbers(rows.order.size()));
}

bool OneColumnSortsPairs(const Trial& trial) {
  const Buffer& keys = trial.input()[0];
  const Rows rows = sorted(trial, keys, 1);
  const Buffers pairs =
      trial.run("collection.sort_pairs_u32",
                {keys, buffer_of(numbers(count<uint32_t>(keys))), Buffer(keys.size()), Buffer(keys.size())});
  return pairs[2] == buffer_of(rows.sorted) && pairs[3] == buffer_of(rows.order);
}

bool FirstColumnDecides(const Trial& trial) {
  const uint32_t columns = columns_of(trial);
  const Words keys = elements<uint32_t>(trial.input()[0]);
  Words first;
  if (columns != 0)
    for (size_t at = 0; at < keys.size(); at += columns) first.push_back(keys[at]);
  return sorted(trial).order == sorted(trial, buffer_of(first), 1).order;
}

// engine.scatter_gather

bool ScatterWithoutForwards(const Trial& trial) {
  const Buffers& input = trial.input();
  const Buffers scattered =
      trial.run("collection.scatter", {input[0], input[1], input[3], Buffer(2 * kWord)});
  return delivered(trial, input[1], {}).places == scattered[2];
}

bool BackIsGathered(const Trial& trial) {
  const Buffer destinations = cut(trial.input()[1], values_of(trial));
  const Delivered found = delivered(trial, destinations, {});
  return trial.run("collection.gather", {found.places, destinations, Buffer(destinations.size())})[2] ==
         found.back;
}

bool OneStepAhead(const Trial& trial) {
  const Words forward = elements<uint32_t>(trial.input()[2]);
  const size_t places = count<uint32_t>(trial.input()[3]);
  Words ahead = elements<uint32_t>(trial.input()[1]);
  for (uint32_t& place : ahead)
    if (place < std::min(places, forward.size())) place = forward[place];
  return delivered(trial, buffer_of(ahead), trial.input()[2]) ==
         delivered(trial, trial.input()[1], trial.input()[2]);
}

bool EachComesBack(const Trial& trial) {
  return delivered(trial, trial.input()[1], trial.input()[2]).back == cut(trial.input()[0], values_of(trial));
}

// engine.bfs

bool LevelsAreOfGraph(const Trial& trial) {
  const Levels found = levels_of(trial);
  return of_graph(trial, "graph.bfs") == Buffers{found.levels, buffer_of(Words{found.status})};
}

bool ReachedAreReachable(const Trial& trial) {
  const Levels found = levels_of(trial);
  if (found.status != 0) return found.reached.empty();
  Words reachable(vertices_of(trial));
  for (size_t i = 0; i + 1 < found.reached.size(); i += 2) {
    const uint32_t v = found.reached[i + 1];
    if (v >= reachable.size() || get<uint32_t>(found.levels, v) != found.reached[i]) return false;
    ++reachable[v];
  }
  return of_graph(trial, "graph.reachable")[0] == buffer_of(reachable);
}

bool ReachedAscend(const Trial& trial) {
  Words vertices;
  const Levels found = levels_of(trial);
  for (size_t i = 1; i < found.reached.size(); i += 2) vertices.push_back(found.reached[i]);
  return std::ranges::is_sorted(vertices);
}

}  // namespace vyre::opspec
