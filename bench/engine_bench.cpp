// The engines of the library over large inputs, each beside what a user would take instead on a CPU.
//
//   bench_engine [--backend NAME] [--elements N] [--threads N] [--processor-time] [--only ENGINE,...] [--runs
//   N]
//     [--rival-threads N]
//
// An engine is an operation of several dispatches over buffers (docs/engines.md); elements are vertices (with
// four edges each, from any to any), bytes of text, words, rows or keys. Its rival is an ordinary loop,
// algorithm or library of C++ on one thread, which shares nothing with the engine and leaves the same
// outputs: all of their bytes are compared before anything is timed, also those that neither may write. Both
// have their buffers where they want them; they run in turn, and the best run of each counts. Where there is
// a library for the same question (engine_rivals.h), a row of its own says what that takes on all threads.
// For inputs of 10^8 elements some loops have a form for many threads, lest one wait for minutes:
// --rival-threads.
#include <re2/set.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "device_bench.h"
#include "engine_rivals.h"
#include "plan/pipeline.h"
#include "tables/tables.h"

namespace {

// std::stable_sort of libstdc++ calls what the standard has given up.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

using namespace vyre;
using namespace vyre::bench;

/// One a parameter of an engine, in their order.
using Buffers = std::vector<std::vector<std::byte>>;
constexpr std::byte kUntouched{7};  // what outputs have before a run

template <typename T = uint32_t>
std::span<T> as(std::vector<std::byte>& buffer) {
  return {reinterpret_cast<T*>(buffer.data()), buffer.size() / sizeof(T)};
}
std::vector<std::byte> buffer_of(const std::vector<uint32_t>& words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}
/// Record number k of an output, if there is room for it.
void put(std::span<uint32_t> records, size_t k, std::initializer_list<uint32_t> record) {
  if ((k + 1) * record.size() <= records.size())
    std::ranges::copy(record, records.begin() + std::ptrdiff_t(k * record.size()));
}
std::vector<std::byte> room(size_t words) { return {words * 4, kUntouched}; }

template <typename Word>
std::vector<uint32_t> words_of(size_t n, const Word& word) {
  std::vector<uint32_t> words(n);
  for (size_t i = 0; i < n; ++i) words[i] = word(i);
  return words;
}

/// Offsets and targets of n vertices and four times as many edges, and more buffers.
Buffers random_graph(RandomStream& random, uint32_t n, std::initializer_list<std::vector<std::byte>> more) {
  std::vector<uint32_t> offsets(n + 1);
  for (uint64_t e = 0; e < uint64_t{4} * n; ++e) ++offsets[random.below(n) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  Buffers all = {buffer_of(offsets),
                 buffer_of(words_of(offsets[n], [&](size_t) { return random.below(n); }))};
  all.insert(all.end(), more);
  return all;
}

Buffers bfs_input(RandomStream& random, uint32_t n) {
  return random_graph(random, n, {buffer_of({0}), room(n), room(2 * size_t{n}), room(2), room(1)});
}
/// A queue; then vertices level by level, in their order within each.
void bfs_rival(Buffers& all) {
  const auto offsets = as(all[0]), targets = as(all[1]), levels = as(all[3]), reached = as(all[4]);
  std::ranges::fill(levels, ~0u);
  std::vector<uint32_t> queue = {as(all[2])[0]};
  levels[queue[0]] = 0;
  for (size_t next = 0; next < queue.size(); ++next) {
    const uint32_t v = queue[next];
    for (uint32_t e = offsets[v]; e < offsets[v + 1]; ++e) {
      if (levels[targets[e]] != ~0u) continue;
      levels[targets[e]] = levels[v] + 1;
      queue.push_back(targets[e]);
    }
  }
  std::vector<uint32_t> places(levels[queue.back()] + 1);
  for (size_t k = queue.size(); k-- > 0;) places[levels[queue[k]]] = uint32_t(k);
  for (uint32_t v = 0; v < levels.size(); ++v) {
    if (levels[v] != ~0u) put(reached, places[levels[v]]++, {levels[v], v});
  }
  put(as(all[5]), 0, {uint32_t(queue.size()), uint32_t(places.size())});
  as(all[6])[0] = 0;
}

/// The same outputs of levels that GraphBLAS found.
LibraryRival bfs_library(Buffers& all, unsigned threads) {
  auto search = graphblas_bfs(as(all[0]), as(all[1]), as(all[2])[0], as(all[3]), threads);
  const auto run = [&all, search = search.run] {
    search();
    const auto levels = as(all[3]), reached = as(all[4]);
    std::vector<uint32_t> places;
    for (const uint32_t level : levels) {
      if (level == ~0u) continue;
      if (places.size() <= level) places.resize(level + 1);
      ++places[level];
    }
    std::exclusive_scan(places.begin(), places.end(), places.begin(), 0u);
    uint32_t count = 0;
    for (uint32_t v = 0; v < levels.size(); ++v) {
      if (levels[v] == ~0u) continue;
      put(reached, places[levels[v]]++, {levels[v], v});
      ++count;
    }
    put(as(all[5]), 0, {count, uint32_t(places.size())});
    as(all[6])[0] = 0;
  };
  return {search.name, search.missing, run};
}

/// A word of facts a vertex: of eight vertices one adds a fact, and each takes some away.
Buffers dataflow_input(RandomStream& random, uint32_t n) {
  const auto gen = [&](size_t) { return random.chance(8) ? 1u << random.below(32) : 0; };
  const auto kill = [&](size_t) { return random.next() & random.next() & random.next(); };
  return random_graph(random, n,
                      {buffer_of(words_of(n, gen)), buffer_of(words_of(n, kill)), room(n), room(n), room(1),
                       room(1), room(1)});
}
/// A worklist of vertices with new facts, and the one of the next turn.
void dataflow_rival(Buffers& all) {
  const auto offsets = as(all[0]), targets = as(all[1]), kill = as(all[3]), ins = as(all[4]),
             outs = as(all[5]);
  std::ranges::fill(ins, 0);
  std::ranges::copy(as(all[2]), outs.begin());
  std::vector<uint32_t> now, next, fresh(outs.begin(), outs.end()), later(outs.size());
  for (uint32_t v = 0; v < outs.size(); ++v)
    if (outs[v] != 0) now.push_back(v);
  uint32_t turns = 0;
  for (bool more = !outs.empty(); more; ++turns) {
    for (const uint32_t v : now) {
      const uint32_t facts = std::exchange(fresh[v], 0);
      for (uint32_t e = offsets[v]; e < offsets[v + 1]; ++e) {
        const uint32_t t = targets[e];
        ins[t] |= facts;
        const uint32_t novel = facts & ~(kill[t] | outs[t]);
        if (novel == 0) continue;
        outs[t] |= novel;
        if (later[t] == 0) next.push_back(t);
        later[t] |= novel;
      }
    }
    more = !next.empty();
    now.swap(next);
    next.clear();
    fresh.swap(later);
  }
  as(all[6])[0] = std::accumulate(outs.begin(), outs.end(), 0u,
                                  [](uint32_t sum, uint32_t x) { return sum + std::popcount(x); });
  as(all[7])[0] = turns;
  as(all[8])[0] = 0;
}

/// The same turns, each over its vertices in parallel: what a turn adds does not depend on their order.
void dataflow_rival_threads(Buffers& all) {
  const auto offsets = as(all[0]), targets = as(all[1]), kill = as(all[3]), ins = as(all[4]),
             outs = as(all[5]);
  std::ranges::fill(ins, 0);
  std::ranges::copy(as(all[2]), outs.begin());
  std::vector<uint32_t> now, fresh(outs.begin(), outs.end()), later(outs.size());
  for (uint32_t v = 0; v < outs.size(); ++v)
    if (outs[v] != 0) now.push_back(v);
  const auto add = [](uint32_t& to, uint32_t facts) {
    return std::atomic_ref(to).fetch_or(facts, std::memory_order_relaxed);
  };
  const auto read = [](uint32_t& from) { return std::atomic_ref(from).load(std::memory_order_relaxed); };
  uint32_t turns = 0;
  for (bool more = !outs.empty(); more; ++turns) {
    tbb::enumerable_thread_specific<std::vector<uint32_t>> next;
    tbb::parallel_for(size_t{0}, now.size(), [&](size_t k) {
      const uint32_t v = now[k], facts = std::exchange(fresh[v], 0);
      for (uint32_t e = offsets[v]; e < offsets[v + 1]; ++e) {
        const uint32_t t = targets[e];
        if ((facts & ~read(ins[t])) == 0) continue;
        add(ins[t], facts);
        uint32_t novel = facts & ~(kill[t] | read(outs[t]));
        if (novel != 0) novel &= ~add(outs[t], novel);
        if (novel != 0 && add(later[t], novel) == 0) next.local().push_back(t);
      }
    });
    now.clear();
    for (const auto& its : next) now.insert(now.end(), its.begin(), its.end());
    more = !now.empty();
    fresh.swap(later);
  }
  as(all[6])[0] = std::accumulate(outs.begin(), outs.end(), 0u,
                                  [](uint32_t sum, uint32_t x) { return sum + std::popcount(x); });
  as(all[7])[0] = turns;
  as(all[8])[0] = 0;
}

/// One word of four is 0.
Buffers prefix_input(RandomStream& random, uint32_t n) {
  return {buffer_of(words_of(n, [&](size_t) { return random.chance(4) ? 0 : random.next(); })),
          room(2 * size_t{n}), room(2), room(2)};
}
void prefix_rival(Buffers& all) {
  const auto data = as(all[0]);
  const auto sums = as<uint64_t>(all[1]);
  std::inclusive_scan(data.begin(), data.end(), sums.begin(), std::plus<uint64_t>(), uint64_t{0});
  as<uint64_t>(all[2])[0] = sums.empty() ? 0 : sums.back();
  put(as(all[3]), 0, {uint32_t(data.size()), uint32_t(data.size() - size_t(std::ranges::count(data, 0u)))});
}

/// Rows of two columns; there are some sixteen of each first word.
Buffers sort_input(RandomStream& random, uint32_t n) {
  const auto keys =
      words_of(2 * size_t{n}, [&](size_t i) { return i % 2 == 0 ? random.below(n / 16) : random.next(); });
  return {buffer_of(keys), room(2 * size_t{n}), room(n), room(2), room(1), buffer_of({2})};
}
void sort_rival(Buffers& all) {
  const auto keys = as(all[0]), sorted = as(all[1]), order = as(all[2]);
  const auto row = [&](uint32_t i) { return std::pair(keys[2 * size_t{i}], keys[2 * size_t{i} + 1]); };
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, row);
  uint32_t different = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto [first, second] = row(order[i]);
    put(sorted, i, {first, second});
    different += i == 0 || row(order[i - 1]) != row(order[i]);
  }
  put(as(all[3]), 0, {uint32_t(order.size()), different});
  as(all[4])[0] = 0;
}

void sort_rival_threads(Buffers& all) {
  const auto keys = as(all[0]), sorted = as(all[1]), order = as(all[2]);
  struct Row {
    uint64_t key;
    uint32_t place;
    auto operator<=>(const Row&) const = default;
  };
  std::vector<Row> rows(order.size());
  tbb::parallel_for(size_t{0}, rows.size(), [&](size_t i) {
    rows[i] = {uint64_t{keys[2 * i]} << 32 | keys[2 * i + 1], uint32_t(i)};
  });
  tbb::parallel_sort(rows.begin(), rows.end());
  uint32_t different = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    order[i] = rows[i].place;
    put(sorted, i, {uint32_t(rows[i].key >> 32), uint32_t(rows[i].key)});
    different += i == 0 || rows[i - 1].key != rows[i].key;
  }
  put(as(all[3]), 0, {uint32_t(order.size()), different});
  as(all[4])[0] = 0;
}

/// A key on the right has one partner on the left, on average, and there is room for twice as many pairs.
Buffers join_input(RandomStream& random, uint32_t n) {
  const auto keys = [&] {
    return buffer_of(words_of(n, [&](size_t) { return random.below(n) * 2654435761u; }));
  };
  return {keys(), keys(), room(4 * size_t{n}), room(1)};
}
/// A table of the right keys, those of a slot in a chain.
void join_rival(Buffers& all) {
  const auto left = as(all[0]), right = as(all[1]), pairs = as(all[2]);
  const int bits = std::max(1, int(std::bit_width(right.size())));
  const auto slot = [bits](uint32_t key) { return key * 0x9e3779b97f4a7c15u >> (64 - bits); };
  std::vector<uint32_t> heads(size_t{1} << bits, ~0u), next(right.size());
  for (uint32_t j = uint32_t(right.size()); j-- > 0;) next[j] = std::exchange(heads[slot(right[j])], j);
  size_t count = 0;
  for (uint32_t i = 0; i < left.size(); ++i) {
    for (uint32_t j = heads[slot(left[i])]; j != ~0u; j = next[j]) {
      if (right[j] == left[i]) put(pairs, count++, {i, j});
    }
  }
  as(all[3])[0] = uint32_t(count);
}

LibraryRival join_library(Buffers& all, unsigned threads) {
  const auto count = std::make_shared<size_t>(0);
  auto join = duckdb_join(as(all[0]), as(all[1]), threads, [&all, count](auto left, auto right) {
    for (size_t k = 0; k < left.size(); ++k) put(as(all[2]), (*count)++, {left[k], right[k]});
  });
  const auto run = [&all, count, join = join.run] {
    *count = 0;
    join();
    as(all[3])[0] = uint32_t(*count);
  };
  return {join.name, join.missing, run};
}

/// Words of up to eleven letters, now and then a number, six words a line.
std::string text_of(RandomStream& random, uint32_t n) {
  constexpr std::string_view kLetters = "etaoinshrdlucmfwypvbgkqjxz";
  std::string text;
  for (uint32_t word = 1; text.size() < n; ++word) {
    const bool number = random.chance(12);
    for (uint32_t k = 1 + random.below(11); k > 0; --k)
      text += number ? char('0' + random.below(10)) : kLetters[random.below(1 + random.below(26))];
    text += word % 6 == 0 ? '\n' : ' ';
  }
  text.resize(n);
  return text;
}
std::vector<std::byte> text_buffer(std::string text) {
  text.resize((text.size() + 3) / 4 * 4);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Letters, digits and line feeds; room for a token of every two bytes.
Buffers tokens_input(RandomStream& random, uint32_t n) {
  const auto lookup = words_of(256, [](size_t c) {
    return c == '\n' ? 3u : c >= 'a' && c <= 'z' ? 1u : c >= '0' && c <= '9' ? 2u : 0u;
  });
  return {text_buffer(text_of(random, n)),
          buffer_of(lookup),
          room(3 * (size_t{n} / 2)),
          room(1),
          room(4),
          buffer_of({n})};
}
void tokens_rival(Buffers& all) {
  const auto text = as<uint8_t>(all[0]);
  const auto lookup = as(all[1]), tokens = as(all[2]), histogram = as(all[4]);
  const size_t length = as(all[5])[0];
  std::ranges::fill(histogram, 0);
  size_t count = 0;
  for (size_t i = 0; i < length;) {
    const uint32_t its = lookup[text[i]];
    size_t end = i + 1;
    while (end < length && lookup[text[end]] == its) ++end;
    if (its != 0) {
      put(tokens, count++, {uint32_t(i), uint32_t(end - i), its});
      if (its < histogram.size()) ++histogram[its];
    }
    i = end;
  }
  as(all[3])[0] = uint32_t(count);
}

// Each line is a text. Some literals are in few lines, and the last ones in none.
constexpr std::string_view kLiterals[] = {"tea",   "note",   "tate",  "esta",  "ationt", "sheet",
                                          "rose",  "lattte", "eeee",  "0000",  "1234",   "777",
                                          "noisy", "stone",  "quiet", "zebra", "attack", "shell",
                                          "token", "secret", "admin", "root",  "4242",   "passwd"};
constexpr uint32_t kNumber = std::size(kLiterals);
constexpr uint32_t kNot = 0x80000000, kAnd = 0x80000001, kOr = 0x80000002, kRule = 0x80000003;

Buffers scan_rules_input(RandomStream& random, uint32_t n) {
  const std::string text = text_of(random, n);
  std::vector<uint32_t> offsets = {0};
  for (uint32_t i = 1; i < n; ++i)
    if (text[i - 1] == '\n') offsets.push_back(i);
  offsets.push_back(n);
  const auto table = tables::make_table(tables::Kind::Literals, kLiterals);
  must_be(table.has_value(), "the table of literals");
  const size_t texts = offsets.size() - 1;
  return {text_buffer(text),
          buffer_of(offsets),
          buffer_of(table->words),
          buffer_of({0, 1, 1, 2, kOr, /**/ 2, 1, kNot, /**/ kRule, 0, kRule, 1, kAnd, /**/ 9, 1, 3, 1, kAnd}),
          buffer_of({0, 5, 8, 13, 18}),
          room(3 * (size_t{n} / 8)),
          room(1),
          room(4 * texts),
          room(1),
          buffer_of({kNumber})};
}
/// Which literals are in a line at all says RE2; where they are, memmem.
void scan_rules_rival(Buffers& all) {
  static const auto set = [] {
    RE2::Options options(RE2::Latin1);
    options.set_literal(true);
    auto made = std::make_unique<RE2::Set>(options, RE2::UNANCHORED);
    for (const std::string_view literal : kLiterals) made->Add({literal.data(), literal.size()}, nullptr);
    must_be(made->Compile(), "RE2::Set");
    return made;
  }();
  const auto data = as<char>(all[0]);
  const auto offsets = as(all[1]), matches = as(all[5]), verdicts = as(all[7]);
  size_t count = 0;
  std::vector<int> present;
  std::vector<std::pair<uint32_t, uint32_t>> found;  // end, literal
  for (uint32_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::string_view line(data.data() + offsets[i], offsets[i + 1] - offsets[i]);
    std::array<uint32_t, kNumber> times{};
    if (set->Match({line.data(), line.size()}, &present)) {
      found.clear();
      for (const int p : present) {
        const std::string_view literal = kLiterals[p];
        for (size_t at = 0;; ++at) {
          const void* const hit =
              ::memmem(line.data() + at, line.size() - at, literal.data(), literal.size());
          if (hit == nullptr) break;
          at = size_t(static_cast<const char*>(hit) - line.data());
          found.emplace_back(uint32_t(at + literal.size()), uint32_t(p));
          ++times[p];
        }
      }
      std::ranges::sort(found);
      for (const auto& [end, literal] : found) put(matches, count++, {i, end, literal});
    }
    const bool either = times[0] >= 1 || times[1] >= 2, without = times[2] == 0;
    put(verdicts, i, {either, without, either && without, times[9] >= 1 && times[3] >= 1});
  }
  as(all[6])[0] = uint32_t(count);
  as(all[8])[0] = 0;
}

/// The whole text at once; what is found goes to its line.
LibraryRival scan_rules_library(Buffers& all, unsigned) {
  using Found = std::vector<std::pair<uint32_t, uint32_t>>;  // end, literal
  const auto found = std::make_shared<Found>();
  const uint32_t length = as(all[1]).back();
  auto scan = hyperscan_literals(
      kLiterals, {as<char>(all[0]).data(), length},
      [found](uint32_t literal, uint64_t end) { found->emplace_back(uint32_t(end), literal); });
  const auto run = [&all, found, scan = scan.run] {
    const auto offsets = as(all[1]), matches = as(all[5]), verdicts = as(all[7]);
    found->clear();
    scan();
    // By their ends already; of one end by nothing.
    for (auto at = found->begin(); at != found->end();) {
      const auto same =
          std::find_if(at, found->end(), [&](const auto& one) { return one.first != at->first; });
      std::sort(at, same);
      at = same;
    }
    size_t count = 0;
    for (uint32_t i = 0; i + 1 < offsets.size(); ++i) {
      std::array<uint32_t, kNumber> times{};
      for (; count < found->size() && (*found)[count].first <= offsets[i + 1]; ++count) {
        const auto [end, literal] = (*found)[count];
        ++times[literal];
        put(matches, count, {i, end - offsets[i], literal});
      }
      const bool either = times[0] >= 1 || times[1] >= 2, without = times[2] == 0;
      put(verdicts, i, {either, without, either && without, times[9] >= 1 && times[3] >= 1});
    }
    as(all[6])[0] = uint32_t(count);
    as(all[8])[0] = 0;
  };
  return {scan.name, scan.missing, run};
}

/// As many places as values. One place of four forwards to an earlier one, and one value of a thousand goes
/// nowhere.
Buffers scatter_gather_input(RandomStream& random, uint32_t n) {
  const auto destination = [&](size_t) { return random.chance(1000) ? n : random.below(n); };
  const auto forward = [&](size_t p) {
    return random.chance(4) ? random.below(uint32_t(p) + 1) : uint32_t(p);
  };
  const auto values = words_of(n, [&](size_t) { return random.next(); });
  return {buffer_of(values),
          buffer_of(words_of(n, destination)),
          buffer_of(words_of(n, forward)),
          room(n),
          room(n),
          room(2 * size_t{n}),
          room(2)};
}
/// Each value goes its way step by step; those that come too late are sorted.
void scatter_gather_rival(Buffers& all) {
  const auto values = as(all[0]), destinations = as(all[1]), forward = as(all[2]), places = as(all[3]),
             back = as(all[4]), conflicts = as(all[5]);
  std::vector<bool> taken(places.size());
  std::vector<uint64_t> late;
  uint32_t lost = 0;
  for (uint32_t i = 0; i < values.size(); ++i) {
    uint32_t at = destinations[i];
    size_t steps = 0;
    for (; at < places.size() && forward[at] != at && steps <= places.size(); ++steps) at = forward[at];
    if (at >= places.size() || steps > places.size()) {
      ++lost;
      back[i] = 0;
      continue;
    }
    if (taken[at])
      late.push_back(uint64_t{at} << 32 | i);
    else
      places[at] = values[i];
    taken[at] = true;
    back[i] = places[at];
  }
  std::ranges::sort(late);
  for (size_t k = 0; k < late.size(); ++k) put(conflicts, k, {uint32_t(late[k] >> 32), uint32_t(late[k])});
  put(as(all[6]), 0, {uint32_t(late.size()), lost});
}

struct Contest {
  std::string_view engine, elements, rival;
  Buffers (*input)(RandomStream& random, uint32_t n);
  void (*by_rival)(Buffers& buffers);
  LibraryRival (*by_library)(Buffers& buffers, unsigned threads) = nullptr;
  std::string_view name_of_threads = {};  // of the rival's form for many threads
  void (*by_rival_threads)(Buffers& buffers) = nullptr;
};
constexpr Contest kContests[] = {
    {"bfs", "vertices", "a queue", bfs_input, bfs_rival, bfs_library},
    {"dataflow", "vertices", "a worklist", dataflow_input, dataflow_rival, nullptr, "parallel worklists",
     dataflow_rival_threads},
    {"join", "keys a side", "hash table of chains", join_input, join_rival, join_library},
    {"prefix", "words", "std::inclusive_scan", prefix_input, prefix_rival},
    {"scan_rules", "bytes", "RE2::Set, memmem", scan_rules_input, scan_rules_rival, scan_rules_library},
    {"scatter_gather", "values", "a loop, std::sort", scatter_gather_input, scatter_gather_rival},
    {"sort", "rows", "std::stable_sort", sort_input, sort_rival, nullptr, "tbb::parallel_sort",
     sort_rival_threads},
    {"tokens", "bytes", "a loop", tokens_input, tokens_rival}};

struct Options {
  std::string backend = "native";
  uint32_t elements = 1'000'000, runs = 7;
  unsigned threads = 0, rival_threads = 1;
  bool processors = false;
  std::vector<std::string> only;
};

void print_row(std::string_view id, const Contest& contest, uint32_t elements, double ours,
               std::string_view name, double rival) {
  fmt::print("{:<22} {:>9} {:<11} {:9.2f}   {:<21} {:9.2f} {:7.2f} {:12.3e}\n", id, elements,
             contest.elements, ours * 1e3, name, rival * 1e3, ours / rival, elements / ours);
  std::fflush(stdout);
}

void run(backend::Backend& backend, const Contest& contest, const Options& options) {
  const std::string id = fmt::format("engine.{}", contest.engine);
  const ir::Module* const text = ops::op_table().find_module(id, 1);
  must_be(text != nullptr, id);
  auto module = check::check(*text, ops::op_table());
  if (!module) stop(module.error().front());
  const auto main = std::ranges::find(text->pipelines, "main", &ir::Pipeline::name);
  auto engine = must(plan::Executable::make(backend, *module, uint32_t(main - text->pipelines.begin())));

  RandomStream random(1, 0);
  Buffers wanted = contest.input(random, options.elements);
  std::vector<std::unique_ptr<backend::DeviceBuffer>> memory;
  std::vector<backend::DeviceRange> ranges;
  for (const auto& buffer : wanted) {
    memory.push_back(must(backend.allocate(buffer.size())));
    must(memory.back()->write(0, buffer));
    ranges.push_back({memory.back().get(), 0, buffer.size()});
  }
  const bool many = options.rival_threads > 1 && contest.by_rival_threads != nullptr;
  const auto by_rival = many ? contest.by_rival_threads : contest.by_rival;
  const std::string named = many ? fmt::format("{}, {}", contest.name_of_threads, options.rival_threads)
                                 : std::string(contest.rival);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, options.rival_threads);
  // A rival of minutes is waited for once.
  constexpr double kPatience = 5;
  double ours = 1e9, rival = time_of(options.processors, [&] { by_rival(wanted); });
  must(engine.run(ranges));
  for (size_t b = 0; b < wanted.size(); ++b) {
    std::vector<std::byte> found(wanted[b].size());
    must(memory[b]->read(0, found));
    must_be(found == wanted[b], fmt::format("{}, buffer {}", id, b));
  }
  for (uint32_t k = 0; k < options.runs; ++k) {
    ours = std::min(ours, time_of(options.processors, [&] { must(engine.run(ranges)); }));
    if (rival < kPatience) rival = std::min(rival, time_of(options.processors, [&] { by_rival(wanted); }));
  }
  print_row(id, contest, options.elements, ours, named, rival);
  if (contest.by_library == nullptr) return;
  RandomStream again(1, 0);
  Buffers theirs = contest.input(again, options.elements);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const LibraryRival library = contest.by_library(theirs, options.threads == 0 ? cores : options.threads);
  if (!library.missing.empty()) {
    fmt::print("{:<22} no {}: it wants {}\n", id, library.name, library.missing);
    return;
  }
  double best = time_of(options.processors, library.run);
  for (size_t b = 0; b < wanted.size(); ++b)
    must_be(theirs[b] == wanted[b], fmt::format("{} by {}, buffer {}", id, library.name, b));
  for (uint32_t k = 1; k < options.runs && best < kPatience; ++k)
    best = std::min(best, time_of(options.processors, library.run));
  print_row(id, contest, options.elements, ours, library.name, best);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("engines beside their rivals");
  app.add_option("--backend", options.backend);
  app.add_option("--elements", options.elements)->check(CLI::Range(1'000, 1 << 28));
  app.add_option("--runs", options.runs)->check(CLI::Range(1, 1000));
  app.add_option("--threads", options.threads, "of the native backend; 0: as many as cores");
  app.add_option("--rival-threads", options.rival_threads, "of rivals that have a form for many");
  app.add_flag("--processor-time", options.processors, "which a busy machine changes less");
  app.add_option("--only", options.only, "names without `engine.`")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  for (const std::string& name : options.only)
    must_be(std::ranges::find(kContests, name, &Contest::engine) != std::end(kContests), name);
  const auto backend = must(backend::open(options.backend, {.reference = {}, .threads = options.threads}));
  fmt::print("{}, {}\n", backend->identity().device, backend->identity().driver);
  fmt::print("{:<22} {:>9} {:<11} {:>9}   {:<21} {:>9} {:>7} {:>12}\n", "engine", "elements", "", "ms",
             "rival", "ms", "ratio", "elements/s");
  for (const Contest& contest : kContests)
    if (options.only.empty() || std::ranges::find(options.only, contest.engine) != options.only.end())
      run(*backend, contest, options);
  return 0;
}
