// Laws of collection.
#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "opspec/arrays.h"
#include "opspec/laws.h"

namespace vyre::opspec {

#define VYRE_BUFFER_LAW(operations, Name, claimed, statement) bool Name(const Trial& trial);
#include "library/laws.def"
#undef VYRE_BUFFER_LAW

// Of this file alone, also where several files are compiled as one.
namespace array_laws {
namespace {

constexpr size_t kWord = sizeof(uint32_t);

/// What an operation leaves in its last buffer, an output of so many bytes.
Buffer output(const Trial& trial, std::string_view id, Buffers inputs, size_t bytes) {
  inputs.emplace_back(bytes);
  return trial.run(id, std::move(inputs)).back();
}
Buffer part(const Buffer& buffer, size_t from, size_t to) {
  return {buffer.begin() + ptrdiff_t(from), buffer.begin() + ptrdiff_t(to)};
}
Buffer joined(Buffer a, const Buffer& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Words numbers(size_t n) {
  Words out(n);
  std::iota(out.begin(), out.end(), 0);
  return out;
}
template <typename T>
Buffer reversed(const Buffer& buffer) {
  std::vector<T> values = elements<T>(buffer);
  std::ranges::reverse(values);
  return buffer_of(values);
}
bool of_pairs(std::string_view id) { return id.starts_with("collection.sort_pairs_"); }
Buffer reversed_elements(std::string_view id, const Buffer& buffer) {
  return id.ends_with("u64") ? reversed<uint64_t>(buffer) : reversed<uint32_t>(buffer);
}

/// The operation of a kind with the operator of this one: collection.scan_inclusive_min of
/// collection.reduce_min. collection.segmented_scan adds.
std::string fellow(std::string_view id, std::string_view kind) {
  constexpr std::string_view kKinds[] = {"segmented_reduce", "segmented_scan", "scan_inclusive",
                                         "scan_exclusive", "reduce"};
  std::string_view fold = "_add";
  for (const std::string_view mine : kKinds) {
    const size_t at = id.find(mine);
    if (at == id.npos) continue;
    if (at + mine.size() < id.size()) fold = id.substr(at + mine.size());
    break;
  }
  return std::string("collection.").append(kind).append(fold);
}
Buffer folded(const Trial& trial, const Buffer& elements) {
  return output(trial, fellow(trial.id(), "reduce"), {elements}, kWord);
}
Buffer scanned(const Trial& trial, const Buffer& elements) {
  return output(trial, fellow(trial.id(), "scan_inclusive"), {elements}, elements.size());
}
/// Whether the folds of what is before an element and of the rest fold to that of all.
bool combines(const Trial& trial, size_t at) {
  const Buffer& all = trial.input()[0];
  const Buffer folds =
      joined(folded(trial, part(all, 0, at * kWord)), folded(trial, part(all, at * kWord, all.size())));
  return folded(trial, folds) == folded(trial, all);
}

}  // namespace
}  // namespace array_laws

using namespace array_laws;

bool ReduceIsLastOfScan(const Trial& trial) {
  const Buffer& all = trial.input()[0];
  if (all.empty()) return true;
  return part(scanned(trial, all), all.size() - kWord, all.size()) == folded(trial, all);
}

bool ExclusiveIsInclusiveShifted(const Trial& trial) {
  const Buffer& all = trial.input()[0];
  return output(trial, trial.id(), {all}, all.size() + kWord) ==
         joined(folded(trial, {}), scanned(trial, all));
}

bool EachIsOneBeforeAndElement(const Trial& trial) {
  const Buffer& all = trial.input()[0];
  const size_t n = all.size() / kWord;
  if (n < 2) return true;
  const Buffer scan = output(trial, trial.id(), {all}, all.size());
  const size_t behind = trial.id().starts_with("collection.scan_exclusive") ? kWord : 0;
  constexpr size_t kPlaces = 8;
  for (size_t k = 0; k < kPlaces; ++k) {
    const size_t at = (1 + (n - 2) * k / (kPlaces - 1)) * kWord;
    const Buffer two = joined(part(scan, at - kWord, at), part(all, at - behind, at - behind + kWord));
    if (folded(trial, two) != part(scan, at, at + kWord)) return false;
  }
  return true;
}

bool PartsCombine(const Trial& trial) { return combines(trial, count<uint32_t>(trial.input()[0]) / 3); }

bool TreeSplits(const Trial& trial) {
  const size_t n = count<uint32_t>(trial.input()[0]);
  return n < 2 || combines(trial, std::bit_floor(n - 1));
}

bool OrderDoesNotMatter(const Trial& trial) {
  Buffers forward = trial.input();
  const size_t inputs = of_pairs(trial.id()) ? 2 : 1;
  if (inputs == 2) forward[1].resize(forward[0].size() / (trial.id().ends_with("u64") ? 2 : 1));
  Buffers backward = forward;
  backward[0] = reversed_elements(trial.id(), forward[0]);
  if (inputs == 2) backward[1] = reversed<uint32_t>(forward[1]);
  const Buffers one = trial.run(std::move(forward)), other = trial.run(std::move(backward));
  return std::equal(one.begin() + ptrdiff_t(inputs), one.end(), other.begin() + ptrdiff_t(inputs));
}

bool ElementsTwice(const Trial& trial) {
  const Buffer& all = trial.input()[0];
  return folded(trial, joined(all, all)) == folded(trial, all);
}

bool SumsAsWrapping(const Trial& trial) {
  const Buffer& all = trial.input()[0];
  return folded(trial, all) == output(trial, "collection.reduce_add", {all}, kWord);
}

// Segments.

bool OneSegmentIsAll(const Trial& trial) {
  const Buffer& all = trial.input()[0];
  if (trial.id().starts_with("collection.segmented_scan"))
    return output(trial, trial.id(), {all, {}}, all.size()) == scanned(trial, all);
  const Words offsets = {0, uint32_t(all.size() / kWord)};
  return output(trial, trial.id(), {all, buffer_of(offsets)}, kWord) == folded(trial, all);
}

bool SegmentsOfOneAreElements(const Trial& trial) {
  const Buffer& all = trial.input()[0];
  const size_t n = all.size() / kWord;
  const bool scans = trial.id().starts_with("collection.segmented_scan");
  return output(trial, trial.id(), {all, buffer_of(scans ? Words(n, 1) : numbers(n + 1))}, all.size()) == all;
}

bool SegmentReduceIsLastOfScan(const Trial& trial) {
  const Buffer& all = trial.input()[0];
  const size_t n = all.size() / kWord;
  Words heads(n);
  const Words given = elements<uint32_t>(trial.input()[1]);
  const bool scans = trial.id().starts_with("collection.segmented_scan");
  if (scans)
    std::copy_n(given.begin(), std::min(n, given.size()), heads.begin());
  else
    for (const uint32_t at : given)
      if (at < n) heads[at] = 1;
  Words offsets;
  for (size_t i = 0; i < n; ++i)
    if (i == 0 || heads[i] != 0) offsets.push_back(uint32_t(i));
  const size_t segments = offsets.size();
  offsets.push_back(uint32_t(n));
  const Buffer scan = output(trial, scans ? std::string(trial.id()) : fellow(trial.id(), "segmented_scan"),
                             {all, buffer_of(heads)}, all.size());
  const Buffer folds = output(trial, scans ? fellow(trial.id(), "segmented_reduce") : std::string(trial.id()),
                              {all, buffer_of(offsets)}, segments * kWord);
  for (size_t s = 0; s < segments; ++s)
    if (get<uint32_t>(folds, s) != get<uint32_t>(scan, offsets[s + 1] - 1)) return false;
  return true;
}

bool SegmentsDoNotMatter(const Trial& trial) {
  const Buffer& all = trial.input()[0];
  if (trial.id().starts_with("collection.segmented_scan"))
    return output(trial, trial.id(), {all, trial.input()[1]}, all.size()) == scanned(trial, all);
  const Buffer folds = output(trial, trial.id(), {all, trial.input()[1]},
                              std::max<size_t>(trial.input()[1].size(), kWord) - kWord);
  return folded(trial, folds) == folded(trial, all);
}

// Made and moved.

bool IotaIsScanOfFill(const Trial& trial) {
  const size_t bytes = trial.input()[0].size();
  Words params = elements<uint32_t>(trial.input()[1]);
  params.resize(2);
  const uint32_t step = params[trial.id() == "collection.iota" ? 1 : 0];
  const Buffer steps = trial.run("collection.fill", {Buffer(bytes), buffer_of(Words{step})})[0];
  return trial.run("collection.iota", {Buffer(bytes), buffer_of(Words{0, step})})[0] ==
         output(trial, "collection.scan_exclusive_add", {steps}, bytes);
}

bool StepOfZeroFills(const Trial& trial) {
  const size_t bytes = trial.input()[0].size();
  Words params = elements<uint32_t>(trial.input()[1]);
  params.resize(1);
  const Buffer filled = trial.run("collection.fill", {Buffer(bytes), buffer_of(params)})[0];
  return trial.run("collection.iota", {Buffer(bytes), buffer_of(Words{params[0], 0})})[0] == filled;
}

bool IotaAscends(const Trial& trial) {
  const Buffer made = trial.run(trial.input())[0];
  return output(trial, "collection.sort_u32", {made}, made.size()) == made;
}

bool Involution(const Trial& trial) {
  const Buffer& input = trial.input()[0];
  const Buffer once = output(trial, trial.id(), {input}, input.size());
  return output(trial, trial.id(), {once}, input.size()) == input;
}

bool Idempotent(const Trial& trial) {
  const Buffer& input = trial.input()[0];
  const Buffer once = output(trial, trial.id(), {input}, input.size());
  return output(trial, trial.id(), {once}, input.size()) == once;
}

bool ReverseIsGather(const Trial& trial) {
  const Buffer& input = trial.input()[0];
  const Buffer places = reversed<uint32_t>(buffer_of(numbers(input.size() / kWord)));
  return output(trial, "collection.reverse", {input}, input.size()) ==
         output(trial, "collection.gather", {input, places}, input.size());
}

namespace array_laws {
namespace {

bool transposes_back(const Trial& trial, bool exchanged) {
  const Buffer& input = trial.input()[0];
  Words sides = elements<uint32_t>(trial.input()[2]);
  sides.resize(2);
  const uint64_t size = uint64_t{sides[0]} * sides[1];
  if (size > count<uint32_t>(input)) return true;
  const Buffer once = trial.run({input, Buffer(input.size()), buffer_of(sides)})[1];
  if (exchanged) std::swap(sides[0], sides[1]);
  const Buffer twice = trial.run({once, Buffer(input.size()), buffer_of(sides)})[1];
  return part(twice, 0, size * kWord) == part(input, 0, size * kWord);
}

/// The places of these words in their order: a permutation.
Words order_of(const Words& words) {
  Words out = numbers(words.size());
  std::ranges::sort(out, {}, [&](uint32_t i) { return std::pair(words[i], i); });
  return out;
}
/// Scatters to places, and gathers from them.
bool comes_back(const Trial& trial, const Buffer& input, const Words& places) {
  const Buffers put =
      trial.run("collection.scatter", {input, buffer_of(places), Buffer(input.size()), Buffer(2 * kWord)});
  return put[3] == Buffer(2 * kWord) &&
         output(trial, "collection.gather", {put[2], buffer_of(places)}, input.size()) == input;
}

}  // namespace
}  // namespace array_laws

bool TransposeBack(const Trial& trial) { return transposes_back(trial, true); }
bool TransposeTwice(const Trial& trial) { return transposes_back(trial, false); }

bool GatherOfIota(const Trial& trial) {
  const Buffer& input = trial.input()[0];
  return output(trial, trial.id(), {input, buffer_of(numbers(input.size() / kWord))}, input.size()) == input;
}

bool GatherUndoesPermutation(const Trial& trial) {
  Words places = elements<uint32_t>(trial.input()[1]);
  places.resize(count<uint32_t>(trial.input()[0]));
  return comes_back(trial, trial.input()[0], order_of(places));
}

bool GatherUndoesScatter(const Trial& trial) {
  Words places = elements<uint32_t>(trial.input()[1]);
  places.resize(count<uint32_t>(trial.input()[0]));
  return comes_back(trial, trial.input()[0], places);
}

// Chosen elements and runs.

namespace array_laws {
namespace {

/// By flags: the output, with ones before, and the count.
std::pair<Buffer, uint32_t> chosen(const Trial& trial, std::string_view id, const Buffer& input,
                                   const Words& flags) {
  Buffers after =
      trial.run(id, {input, buffer_of(flags), Buffer(input.size(), std::byte{255}), Buffer(kWord)});
  return {std::move(after[2]), get<uint32_t>(after[3], 0)};
}
Words flags_of(const Trial& trial) {
  Words flags = elements<uint32_t>(trial.input()[1]);
  flags.resize(count<uint32_t>(trial.input()[0]));
  return flags;
}

/// Without neighbours that are equal, by collection.unique, or by collection.run_length with the lengths.
struct Runs {
  Words values;
  Words lengths;
};
Runs runs_of(const Trial& trial, std::string_view id, const Buffer& input) {
  const bool lengths = id == "collection.run_length";
  Buffers buffers(lengths ? 3 : 2, Buffer(input.size()));
  buffers[0] = input;
  buffers.emplace_back(kWord);
  const Buffers after = trial.run(id, std::move(buffers));
  const size_t found = std::min<size_t>(get<uint32_t>(after.back(), 0), count<uint32_t>(input));
  Runs out{elements<uint32_t>(after[1]), lengths ? elements<uint32_t>(after[2]) : Words(found)};
  out.values.resize(found);
  out.lengths.resize(found);
  return out;
}

}  // namespace
}  // namespace array_laws

bool PartitionIsBothCompacts(const Trial& trial) {
  const Buffer& input = trial.input()[0];
  const size_t n = count<uint32_t>(input);
  Words flags = flags_of(trial);
  const auto [all, first] = chosen(trial, "collection.partition", input, flags);
  const auto [with, kept] = chosen(trial, "collection.compact", input, flags);
  for (uint32_t& flag : flags) flag = flag == 0;
  const auto [without, left] = chosen(trial, "collection.compact", input, flags);
  return first == kept && uint64_t{kept} + left == n &&
         all == joined(part(with, 0, kept * kWord), part(without, 0, left * kWord));
}

bool AllOrNoneIsChosen(const Trial& trial) {
  const Buffer& input = trial.input()[0];
  const size_t n = count<uint32_t>(input);
  const Buffer untouched(input.size(), std::byte{255});
  return chosen(trial, trial.id(), input, Words(n, 1)) == std::pair(input, uint32_t(n)) &&
         chosen(trial, trial.id(), input, Words(n)) ==
             std::pair(trial.id() == "collection.compact" ? untouched : input, 0U);
}

bool AgainByTheSameFlags(const Trial& trial) {
  const Words flags = flags_of(trial);
  const auto [once, kept] = chosen(trial, trial.id(), trial.input()[0], flags);
  const size_t bytes = trial.id() == "collection.compact" ? kept * kWord : once.size();
  const auto [twice, again] = chosen(trial, trial.id(), part(once, 0, std::min(bytes, once.size())), flags);
  return again == kept && part(once, 0, twice.size()) == twice;
}

bool UniqueTwice(const Trial& trial) {
  const Words once = runs_of(trial, trial.id(), trial.input()[0]).values;
  return runs_of(trial, trial.id(), buffer_of(once)).values == once;
}

bool ValuesOfRunsAreUnique(const Trial& trial) {
  return runs_of(trial, "collection.run_length", trial.input()[0]).values ==
         runs_of(trial, "collection.unique", trial.input()[0]).values;
}

bool RunsSpellTheInput(const Trial& trial) {
  const Runs runs = runs_of(trial, trial.id(), trial.input()[0]);
  const size_t n = count<uint32_t>(trial.input()[0]);
  Words spelled;
  for (size_t r = 0; r < runs.values.size() && runs.lengths[r] <= n - spelled.size(); ++r)
    spelled.insert(spelled.end(), runs.lengths[r], runs.values[r]);
  return spelled == elements<uint32_t>(trial.input()[0]);
}

bool LengthsSumToInput(const Trial& trial) {
  const Buffer lengths = buffer_of(runs_of(trial, trial.id(), trial.input()[0]).lengths);
  return output(trial, "collection.reduce_add", {lengths}, kWord) ==
         buffer_of(Words{uint32_t(count<uint32_t>(trial.input()[0]))});
}

bool NoElementTwice(const Trial& trial) {
  const Buffer& input = trial.input()[0];
  const Buffer sorted = output(trial, "collection.sort_u32", {input}, input.size());
  return runs_of(trial, trial.id(), input).values.size() == runs_of(trial, trial.id(), sorted).values.size();
}

// Counts.

bool BinsSumToCounted(const Trial& trial) {
  const Words bins = elements<uint32_t>(trial.run(trial.input())[1]);
  const auto counted = std::ranges::count_if(elements<uint32_t>(trial.input()[0]),
                                             [&](uint32_t x) { return x < bins.size(); });
  return std::accumulate(bins.begin(), bins.end(), 0U) == counted;
}

bool BinsSumToInput(const Trial& trial) {
  const Words bins = elements<uint32_t>(trial.run(trial.input())[1]);
  return std::accumulate(bins.begin(), bins.end(), 0U) == count<uint32_t>(trial.input()[0]);
}

bool HistogramsAdd(const Trial& trial) {
  const Buffer &input = trial.input()[0], &bins = trial.input()[1];
  const size_t cut = count<uint32_t>(input) / 3 * kWord;
  const Words first = elements<uint32_t>(trial.run({part(input, 0, cut), bins})[1]);
  Words sum = elements<uint32_t>(trial.run({part(input, cut, input.size()), bins})[1]);
  for (size_t v = 0; v < sum.size(); ++v) sum[v] += first[v];
  return buffer_of(sum) == trial.run({input, bins})[1];
}

// Sorted.

namespace array_laws {
namespace {

/// Calls `check` with a key's type, of integers as they are ordered; floats as integers in the same order.
template <typename Check>
bool with_keys(std::string_view id, const Buffer& keys, Check check) {
  if (id.ends_with("u64")) return check(elements<uint64_t>(keys));
  if (id.ends_with("u32")) return check(elements<uint32_t>(keys));
  return check(id.ends_with("f32") ? ordered_floats(keys) : elements<int32_t>(keys));
}
size_t key_bytes(std::string_view id) { return id.ends_with("u64") ? sizeof(uint64_t) : kWord; }

/// The keys of a case in order, with values or without.
Buffers sorted(const Trial& trial, const Buffer& keys, const Buffer& values) {
  if (!of_pairs(trial.id())) return {output(trial, trial.id(), {keys}, keys.size()), {}};
  Buffers after = trial.run({keys, values, Buffer(keys.size()), Buffer(values.size())});
  return {std::move(after[2]), std::move(after[3])};
}
Buffers sorted(const Trial& trial) {
  Buffer values = of_pairs(trial.id()) ? trial.input()[1] : Buffer();
  values.resize(trial.input()[0].size() / key_bytes(trial.id()) * kWord);
  return sorted(trial, trial.input()[0], values);
}
/// Of keys with their values, whatever their order.
uint64_t sum_of(std::string_view id, const Buffer& keys, Buffer values) {
  values.resize(keys.size() / key_bytes(id) * kWord);
  uint64_t sum = 0;
  with_keys(id, keys, [&](const auto& all) {
    for (size_t i = 0; i < all.size(); ++i) {
      uint64_t x = uint64_t(all[i]) ^ uint64_t { get<uint32_t>(values, i) } * 0x9e37'79b9'7f4a'7c15;
      x = (x ^ x >> 31) * 0xbf58'476d'1ce4'e5b9;  // any that mixes
      sum += x ^ x >> 29;
    }
    return true;
  });
  return sum;
}

}  // namespace
}  // namespace array_laws

bool Ascends(const Trial& trial) {
  return with_keys(trial.id(), sorted(trial)[0],
                   [](const auto& keys) { return std::ranges::is_sorted(keys); });
}

bool KeepsElements(const Trial& trial) {
  const Buffers after = sorted(trial);
  return sum_of(trial.id(), after[0], after[1]) ==
         sum_of(trial.id(), trial.input()[0], of_pairs(trial.id()) ? trial.input()[1] : Buffer());
}

bool KeysSortAlone(const Trial& trial) {
  std::string alone(trial.id());
  if (const size_t at = alone.find("pairs_"); at != alone.npos) alone.erase(at, 6);
  return sorted(trial)[0] == output(trial, alone, {trial.input()[0]}, trial.input()[0].size());
}

bool EqualKeysKeepOrder(const Trial& trial) {
  const Buffer& keys = trial.input()[0];
  const Buffer places = buffer_of(numbers(keys.size() / key_bytes(trial.id())));
  const Buffers after = sorted(trial, keys, places);
  return with_keys(trial.id(), after[0], [&](const auto& now) {
    return with_keys(trial.id(), keys, [&](const auto& before) {
      for (size_t i = 0; i < now.size(); ++i) {
        const auto place = get<uint32_t>(after[1], i);
        // Of one type both times.
        if (place >= before.size() || uint64_t(before[place]) != uint64_t(now[i])) return false;
        if (i > 0 && now[i] == now[i - 1] && place <= get<uint32_t>(after[1], i - 1)) return false;
      }
      return true;
    });
  });
}

bool SortsAsUnsigned(const Trial& trial) {
  const Buffer& keys = trial.input()[0];
  return sorted(trial)[0] == output(trial, "collection.sort_u32", {keys}, keys.size());
}

bool TopKIsEndOfSort(const Trial& trial) {
  const Buffer& input = trial.input()[0];
  const size_t k = std::min(input.size(), trial.input()[1].size());
  const Buffer order = reversed<uint32_t>(output(trial, "collection.sort_u32", {input}, input.size()));
  return trial.run({input, Buffer(k), Buffer(k)})[1] == part(order, 0, k);
}

bool IndicesGatherValues(const Trial& trial) {
  const Buffer& input = trial.input()[0];
  const size_t k = std::min(input.size(), trial.input()[1].size());
  const Buffers top = trial.run({input, Buffer(k), Buffer(k)});
  return output(trial, "collection.gather", {input, top[2]}, k) == top[1];
}

bool LastOfEqualComesFirst(const Trial& trial) {
  const Buffer& input = trial.input()[0];
  const size_t bytes = input.size();
  const Buffers pairs = trial.run("collection.sort_pairs_u32",
                                  {input, buffer_of(numbers(bytes / kWord)), Buffer(bytes), Buffer(bytes)});
  return trial.run({input, Buffer(bytes), Buffer(bytes)})[2] == reversed<uint32_t>(pairs[3]);
}

bool MergeIsSortOfBoth(const Trial& trial) {
  const Buffer both = joined(trial.input()[0], trial.input()[1]);
  return output(trial, trial.id(), {trial.input()[0], trial.input()[1]}, both.size()) ==
         output(trial, "collection.sort_u32", {both}, both.size());
}

bool MergeCommutes(const Trial& trial) {
  const Buffer &a = trial.input()[0], &b = trial.input()[1];
  return output(trial, trial.id(), {a, b}, a.size() + b.size()) ==
         output(trial, trial.id(), {b, a}, a.size() + b.size());
}

bool MergeSorts(const Trial& trial) {
  const Buffer backward = reversed<uint32_t>(trial.input()[0]);
  const Buffer both = joined(backward, trial.input()[1]);
  return output(trial, trial.id(), {backward, trial.input()[1]}, both.size()) ==
         output(trial, "collection.sort_u32", {both}, both.size());
}

// Searched.

bool BoundsCountEqual(const Trial& trial) {
  const Buffer &in = trial.input()[0], &queries = trial.input()[1];
  std::unordered_map<uint32_t, uint32_t> counts;
  for (const uint32_t x : elements<uint32_t>(in)) ++counts[x];
  const Words lower =
      elements<uint32_t>(output(trial, "collection.lower_bound", {in, queries}, queries.size()));
  const Words upper =
      elements<uint32_t>(output(trial, "collection.upper_bound", {in, queries}, queries.size()));
  for (size_t j = 0; j < lower.size(); ++j)
    if (upper[j] - lower[j] != counts[get<uint32_t>(queries, j)]) return false;
  return true;
}

bool BoundsAreRanks(const Trial& trial) {
  const Words in = elements<uint32_t>(trial.input()[0]);
  const bool upper = trial.id() == "collection.upper_bound";
  const Buffer& queries = trial.input()[1];
  const Words at = elements<uint32_t>(output(trial, trial.id(), {trial.input()[0], queries}, queries.size()));
  for (size_t j = 0; j < at.size(); ++j) {
    const auto before = [&](uint32_t x) {
      const auto query = get<uint32_t>(queries, j);
      return upper ? x <= query : x < query;
    };
    if (at[j] > in.size() || (at[j] > 0 && !before(in[at[j] - 1])) ||
        (at[j] < in.size() && before(in[at[j]])))
      return false;
  }
  return true;
}

bool EachFindsItself(const Trial& trial) {
  const Buffer& in = trial.input()[0];
  Words places = numbers(count<uint32_t>(in));
  if (trial.id() == "collection.upper_bound")
    for (uint32_t& place : places) ++place;
  return output(trial, trial.id(), {in, in}, in.size()) == buffer_of(places);
}

namespace array_laws {
namespace {

struct Pairs {
  Buffer left;
  Buffer right;
  uint32_t found;
};
Pairs pairs_of(const Trial& trial, const Buffer& left, const Buffer& right, size_t bytes) {
  Buffers after = trial.run({left, right, Buffer(bytes), Buffer(bytes), Buffer(kWord)});
  return {std::move(after[2]), std::move(after[3]), get<uint32_t>(after[4], 0)};
}
constexpr size_t kShownPairs = 4'096;

/// The keys of a hash table, in their slots' order.
Words keys_in(const Buffer& table) {
  const Words words = elements<uint32_t>(table);
  Words out;
  for (size_t s = 0; s < words.size(); ++s)
    if (words[s] != 0) out.push_back(s + 1 == words.size() ? UINT32_MAX : words[s] - 1);
  return out;
}
/// Table, places and status.
Buffers built(const Trial& trial, const Buffer& keys, size_t bytes) {
  Buffers after = trial.run("collection.hash_build", {keys, Buffer(bytes), Buffer(bytes), Buffer(kWord)});
  after.erase(after.begin());
  return after;
}
Words given_keys(const Trial& trial) {
  return trial.id() == "collection.hash_build" ? elements<uint32_t>(trial.input()[0])
                                               : keys_in(trial.input()[0]);
}

}  // namespace
}  // namespace array_laws

bool JoinCountsPairs(const Trial& trial) {
  const Buffer& keys = trial.input()[0];
  std::unordered_map<uint32_t, uint64_t> counts;
  for (const uint32_t key : elements<uint32_t>(keys)) ++counts[key];
  uint64_t squares = 0;
  for (const auto& [key, n] : counts) squares += n * n;
  return pairs_of(trial, keys, keys, 0).found == squares;
}

bool PairsHaveEqualKeys(const Trial& trial) {
  const Buffer &left = trial.input()[0], &right = trial.input()[1];
  const Pairs pairs = pairs_of(trial, left, right, kShownPairs * kWord);
  const size_t shown = std::min<size_t>(pairs.found, kShownPairs) * kWord;
  return output(trial, "collection.gather", {left, part(pairs.left, 0, shown)}, shown) ==
         output(trial, "collection.gather", {right, part(pairs.right, 0, shown)}, shown);
}

bool JoinTurnedHasAsMany(const Trial& trial) {
  const Buffer &left = trial.input()[0], &right = trial.input()[1];
  return pairs_of(trial, left, right, 0).found == pairs_of(trial, right, left, 0).found;
}

bool JoinTurned(const Trial& trial) {
  const Buffer &left = trial.input()[0], &right = trial.input()[1];
  const Pairs forward = pairs_of(trial, left, right, kShownPairs * kWord);
  const Pairs backward = pairs_of(trial, right, left, kShownPairs * kWord);
  return forward.left == backward.right && forward.right == backward.left;
}

bool TableOfAnyOrder(const Trial& trial) {
  const Buffer& keys = trial.input()[0];
  const size_t bytes = trial.input()[1].size();
  const Buffers forward = built(trial, keys, bytes), backward = built(trial, reversed<uint32_t>(keys), bytes);
  return forward[0] == backward[0] && forward[2] == backward[2];
}

bool TableOfItsKeys(const Trial& trial) {
  const Buffer table = built(trial, trial.input()[0], trial.input()[1].size())[0];
  return built(trial, buffer_of(keys_in(table)), table.size())[0] == table;
}

bool FindsWhatWasBuilt(const Trial& trial) {
  const Words keys = given_keys(trial);
  const Buffers made = built(trial, buffer_of(keys), (2 * keys.size() + 1) * kWord);
  // Keys, and their neighbours, of which most are none.
  Words queries = keys;
  for (const uint32_t key : keys) queries.push_back(key + 1);
  const Words found = elements<uint32_t>(
      output(trial, "collection.hash_find", {made[0], made[1], buffer_of(queries)}, queries.size() * kWord));
  std::unordered_map<uint32_t, uint32_t> first;
  for (uint32_t i = 0; i < keys.size(); ++i) first.emplace(keys[i], i);
  for (size_t j = 0; j < queries.size(); ++j) {
    const auto known = first.find(queries[j]);
    if (found[j] != (known == first.end() ? UINT32_MAX : known->second)) return false;
  }
  return true;
}

bool EachKeyIsFoundAtItsPlace(const Trial& trial) {
  const Words keys = given_keys(trial);
  const Buffers made = built(trial, buffer_of(keys), (2 * keys.size() + 1) * kWord);
  return output(trial, "collection.hash_find", {made[0], made[1], buffer_of(keys)}, keys.size() * kWord) ==
         buffer_of(numbers(keys.size()));
}

}  // namespace vyre::opspec
