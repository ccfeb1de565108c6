// Laws of engines that list records: what they have to do with the operations of the library that do one part
// of their work, and what follows from their definitions.
#include <algorithm>
#include <numeric>

#include "opspec/laws_bytes.h"

namespace vyre::opspec {
namespace {

uint32_t word(const Buffer& buffer, size_t i = 0) { return get<uint32_t>(buffer, i); }
Buffer words_of_zeros(size_t n) { return Buffer(n * sizeof(uint32_t)); }
/// The case with outputs of so many words, from `first` on.
Buffers with_room(const Trial& trial, size_t first, std::initializer_list<size_t> words) {
  Buffers out = trial.input();
  for (const size_t n : words) out[first++] = words_of_zeros(n);
  return out;
}

/// As many tokens as bytes have room; bins for classes up to so many.
Buffers all_tokens(const Trial& trial, const Buffer& text, const Buffer& params, size_t bins = 0) {
  Buffers buffers = with_room(trial, 2, {3 * text.size(), 1, bins});
  buffers[0] = text;
  buffers[5] = params;
  return trial.run(std::move(buffers));
}

/// Word `at` of what the sets of vertices hold: ins or outs.
struct Sets {
  Words ins, outs;
};
std::optional<Sets> sets_of(const Trial& trial, Buffers buffers) {
  const size_t n = count<uint32_t>(buffers[2]);
  for (const auto& [b, words] : {std::pair{4, n}, {5, n}, {6, size_t{1}}, {7, size_t{1}}, {8, size_t{1}}})
    buffers[size_t(b)] = words_of_zeros(words);
  const Buffers left = trial.run(std::move(buffers));
  if (word(left[8]) != 0) return std::nullopt;
  return Sets{elements<uint32_t>(left[4]), elements<uint32_t>(left[5])};
}

}  // namespace

// engine.tokens.

bool TokensAreTokenize(const Trial& trial) {
  const Buffers& input = trial.input();
  const size_t room = input[0].size();
  const Buffers left = all_tokens(trial, input[0], input[5]);
  const Buffers index =
      trial.run("string.tokenize", {input[0], input[1], words_of_zeros(room), words_of_zeros(room),
                                    words_of_zeros(room), words_of_zeros(1), input[5]});
  Words records(3 * room);
  for (size_t k = 0; k < room; ++k)
    for (size_t field = 0; field < 3; ++field) records[3 * k + field] = word(index[2 + field], k);
  return elements<uint32_t>(left[2]) == records && left[3] == index[5];
}
bool BinsSumToTokens(const Trial& trial) {
  constexpr uint32_t kMostBins = 4'096;
  const Words lookup = elements<uint32_t>(trial.input()[1]);
  const uint32_t greatest = lookup.empty() ? 0 : std::ranges::max(lookup);
  if (greatest >= kMostBins) return true;
  const Buffers left = all_tokens(trial, trial.input()[0], trial.input()[5], greatest + size_t{1});
  const Words bins = elements<uint32_t>(left[4]);
  return std::accumulate(bins.begin(), bins.end(), 0U) == word(left[3]);
}
bool TokensOfHalvesAddUp(const Trial& trial) {
  const Buffer& text = trial.input()[0];
  const auto middle = text.begin() + long(text.size() / 8 * 4);
  const auto tokens = [&](Buffer part) { return word(all_tokens(trial, part, {})[3]); };
  return tokens({text.begin(), middle}) + tokens({middle, text.end()}) == tokens(text);
}

// engine.join.

bool PairsAreJoins(const Trial& trial) {
  const Buffers& input = trial.input();
  const size_t room = count<uint32_t>(input[2]) / 2;
  const Buffers left = trial.run(with_room(trial, 2, {2 * room, 1}));
  const Buffers lists = trial.run(
      "collection.join", {input[0], input[1], words_of_zeros(room), words_of_zeros(room), words_of_zeros(1)});
  for (size_t p = 0; p < room; ++p)
    if (word(left[2], 2 * p) != word(lists[2], p) || word(left[2], 2 * p + 1) != word(lists[3], p))
      return false;
  return left[3] == lists[4];
}
bool PairsTurned(const Trial& trial) {
  const size_t room = count<uint32_t>(trial.input()[2]) / 2;
  Buffers buffers = with_room(trial, 2, {2 * room, 1});
  Words pairs = elements<uint32_t>(trial.run(buffers)[2]);
  std::swap(buffers[0], buffers[1]);
  for (size_t p = 0; p < room; ++p) std::swap(pairs[2 * p], pairs[2 * p + 1]);
  return elements<uint32_t>(trial.run(std::move(buffers))[2]) == pairs;
}

// engine.dataflow.

bool SetsAreConsistent(const Trial& trial) {
  const Buffers& input = trial.input();
  const auto sets = sets_of(trial, input);
  const Words offsets = elements<uint32_t>(input[0]), targets = elements<uint32_t>(input[1]);
  if (!sets || offsets.size() < 2) return true;
  const size_t words = sets->outs.size() / (offsets.size() - 1);
  Words ins(sets->ins.size());
  for (size_t v = 0; v + 1 < offsets.size(); ++v)
    for (size_t e = offsets[v]; e < offsets[v + 1]; ++e)
      for (size_t k = 0; k < words; ++k) ins.at(targets.at(e) * words + k) |= sets->outs.at(v * words + k);
  if (ins != sets->ins) return false;
  for (size_t i = 0; i < ins.size(); ++i)
    if (sets->outs[i] != (word(input[2], i) | (ins[i] & ~word(input[3], i)))) return false;
  return true;
}
bool NothingPassesAll(const Trial& trial) {
  Buffers buffers = trial.input();
  std::ranges::fill(buffers[3], std::byte{0xff});
  const auto sets = sets_of(trial, buffers);
  return !sets || sets->outs == elements<uint32_t>(buffers[2]);
}
bool BeginIsEnd(const Trial& trial) {
  const auto sets = sets_of(trial, trial.input());
  return !sets || sets->ins == sets->outs;
}

// engine.scan_rules.

namespace {

/// What a run with room for all leaves; nothing where it has a fault.
std::optional<Buffers> all_matches(const Trial& trial, Buffers buffers) {
  const size_t texts = std::max<size_t>(count<uint32_t>(buffers[1]), 1) - 1;
  const size_t rules = std::max<size_t>(count<uint32_t>(buffers[4]), 1) - 1;
  for (const auto& [b, words] : {std::pair{5, size_t{0}}, {6, size_t{1}}, {7, texts * rules}, {8, size_t{1}}})
    buffers[size_t(b)] = words_of_zeros(words);
  buffers[5] = words_of_zeros(3 * size_t{word(trial.run(buffers)[6])});
  Buffers left = trial.run(std::move(buffers));
  if (word(left[8]) != 0) return std::nullopt;
  return left;
}

}  // namespace

bool MatchesOfEachText(const Trial& trial) {
  constexpr uint32_t kAtEnds = 3;  // texts that are searched by themselves
  const Buffers& input = trial.input();
  const auto left = all_matches(trial, input);
  const Words offsets = elements<uint32_t>(input[1]);
  if (!left || offsets.empty()) return true;
  const Words matches = elements<uint32_t>((*left)[5]);
  for (uint32_t i = 0; i + 1 < offsets.size(); ++i) {
    if (i >= kAtEnds && i + 1 + kAtEnds < offsets.size()) continue;
    Words ends, patterns;
    for (size_t k = 0; k < matches.size(); k += 3) {
      if (matches[k] != i) continue;
      ends.push_back(matches[k + 1]);
      patterns.push_back(matches[k + 2]);
    }
    const Buffers alone = trial.run(
        "match.aho_corasick", {input[0], buffer_of(Words{offsets[i], offsets[i + 1]}), input[2],
                               words_of_zeros(ends.size()), words_of_zeros(ends.size()), words_of_zeros(1)});
    if (word(alone[5]) != ends.size() || alone[3] != buffer_of(ends) || alone[4] != buffer_of(patterns))
      return false;
  }
  return true;
}
bool AskingSaysTheSame(const Trial& trial) {
  Buffers buffers = trial.input();
  Words words = elements<uint32_t>(buffers[3]), offsets = elements<uint32_t>(buffers[4]);
  if (offsets.size() < 2 || offsets.back() != words.size()) return true;
  words.insert(words.end(), {0x8000'0003, 0});
  offsets.push_back(uint32_t(words.size()));
  buffers[3] = buffer_of(words);
  buffers[4] = buffer_of(offsets);
  const auto left = all_matches(trial, std::move(buffers));
  if (!left) return true;
  const Words verdicts = elements<uint32_t>((*left)[7]);
  const size_t rules = offsets.size() - 1;
  for (size_t i = 0; i < verdicts.size(); i += rules)
    if (verdicts[i] != verdicts[i + rules - 1]) return false;
  return true;
}
bool BordersDoNotMatter(const Trial& trial) {
  const auto left = all_matches(trial, trial.input());
  const Words offsets = elements<uint32_t>(trial.input()[1]);
  if (!left || offsets.empty()) return true;
  Buffers buffers = trial.input();
  buffers[1] = buffer_of(Words{offsets.front(), offsets.back()});
  const auto as_one = all_matches(trial, std::move(buffers));
  return !as_one || word((*as_one)[6]) == word((*left)[6]);
}

}  // namespace vyre::opspec
