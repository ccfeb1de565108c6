#include "opspec/laws_bytes.h"

#include <algorithm>

#include "base/names.h"

namespace vyre::opspec {
namespace {

bool is_ragged(std::string_view id) {
  return is_among(id,
                  "decode.* encode.* string.lower_ascii string.upper_ascii string.trim !decode.utf8_valid");
}
/// Whether all items have one digest.
bool is_of_all(std::string_view id) { return is_among(id, "hash.*_large hash.merkle_sha256"); }
bool is_hash(std::string_view id) { return id.starts_with("hash."); }

}  // namespace

OutputPlaces outputs_of(std::string_view id) {
  struct Row {
    std::string_view operations;
    OutputPlaces places;
  };
  constexpr Row kRows[] = {
      {"hash.* decode.utf8_valid string.count", {2, 3}},
      {"decode.* encode.* string.lower_ascii string.upper_ascii string.trim", {2, 5}},
      {"string.parse_* string.find_all", {2, 4}},
      {"string.equal string.compare string.levenshtein", {4, 5}},
      {"string.format_u32 string.json_index", {1, 4}},
      {"string.lines", {1, 3}},
      {"string.tokenize", {2, 6}},
      {"string.csv_index", {1, 6}},
      {"match.glob", {3, 4}},
      {"match.*", {3, 6}},
      {"engine.scan_rules", {5, 9}},
      {"engine.tokens", {2, 5}},
      {"engine.join", {2, 4}},
      {"engine.dataflow", {4, 9}},
      {"engine.prefix", {1, 4}},
      {"engine.sort", {1, 5}},
      {"engine.scatter_gather", {4, 7}},  // without the places, whose number says which homes there are
      {"engine.bfs", {3, 7}},
  };
  for (const Row& row : kRows)
    if (is_among(id, row.operations)) return row.places;
  return {};
}

Buffers packed(const Items& items) {
  Item data;
  Words offsets = {0};
  for (const Item& item : items) {
    data.insert(data.end(), item.begin(), item.end());
    offsets.push_back(uint32_t(data.size()));
  }
  data.resize((data.size() + 3) / 4 * 4);
  return {buffer_of(data), buffer_of(offsets)};
}
Item joined(const Item& a, const Item& b) {
  Item out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}
Item text(std::string_view letters) { return {letters.begin(), letters.end()}; }
uint32_t first_word(const Item& bytes) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data(), std::min(sizeof word, bytes.size()));
  return word;
}

Items some_items(const Trial& trial, size_t list) {
  constexpr size_t kItems = 24, kBytes = 4'096;
  Items out;
  size_t bytes = 0;
  for (Item& item : items_of(trial.input()[2 * list], trial.input()[2 * list + 1])) {
    bytes += item.size();
    if (out.size() == kItems || bytes > kBytes) break;
    out.push_back(std::move(item));
  }
  return out;
}
std::vector<Items> some_lists(const Trial& trial) {
  std::vector<Items> lists = {some_items(trial)};
  if (outputs_of(trial.id()).first == 4) {
    lists.push_back(some_items(trial, 1));
    const size_t pairs = std::min(lists[0].size(), lists[1].size());
    for (Items& list : lists) list.resize(pairs);
  }
  return lists;
}
Item some_text(const Trial& trial) {
  constexpr size_t kBytes = 2'000;
  const Words params = elements<uint32_t>(trial.input().back());
  Item out = elements<uint8_t>(trial.input()[0]);
  out.resize(std::min({out.size(), kBytes, params.empty() ? kBytes : size_t{params[0]}}));
  return out;
}
Item second_text(const Trial& trial) {
  const Words params = elements<uint32_t>(trial.input().back());
  Item out = elements<uint8_t>(trial.input()[1]);
  const bool is_needle = is_among(trial.id(), "string.find_all string.count");
  if (is_needle && params.size() > 1) out.resize(std::min<size_t>(out.size(), params[1]));
  return out;
}

Buffers results(const Trial& trial, std::string_view id, Buffers inputs, size_t room, const Buffers& params) {
  const size_t first = inputs.size(), count = outputs_of(id).end - outputs_of(id).first;
  // What differs after runs over zeros and over ones was not written.
  const auto run_over = [&](std::byte before) {
    Buffers buffers = inputs;
    buffers.insert(buffers.end(), count, Buffer((room + 7) / 8 * 8, before));
    buffers.insert(buffers.end(), params.begin(), params.end());
    buffers = trial.run(id, std::move(buffers));
    return Buffers(buffers.begin() + long(first), buffers.begin() + long(first + count));
  };
  Buffers out = run_over(std::byte{0});
  const Buffers ones = run_over(std::byte{0xff});
  for (size_t i = 0; i < count; ++i) out[i].erase(std::ranges::mismatch(out[i], ones[i]).in1, out[i].end());
  return out;
}

std::vector<Outcome> outcomes(const Trial& trial, std::string_view id, const std::vector<Items>& lists,
                              const Buffer* params) {
  Buffers inputs;
  for (const Items& items : lists) std::ranges::move(packed(items), std::back_inserter(inputs));
  if (id.starts_with("match.")) inputs.push_back(trial.input()[2]);
  Buffers last;
  if (params != nullptr)
    last = {*params};
  else if (is_hash(id) && trial.input().size() > 3)
    last = {trial.input()[3]};
  const size_t count = is_of_all(id) ? 1 : lists[0].size();
  constexpr size_t kLongestDigest = 64;
  size_t room = is_hash(id) ? kLongestDigest * count : sizeof(uint32_t) * (count + 1);
  if (is_ragged(id)) {
    const Buffer offsets = results(trial, id, inputs, room)[1];
    room = std::max<size_t>(room, get<uint32_t>(offsets, count));
  }
  const Buffers left = results(trial, id, inputs, room, last);
  std::vector<Outcome> out(count);
  if (is_ragged(id)) {
    const Items items = items_of(left[0], left[1]);
    for (size_t i = 0; i < count; ++i) out[i] = {items.at(i), get<uint32_t>(left[2], i)};
    return out;
  }
  for (const Buffer& output : left) {
    const size_t each = count == 0 ? 0 : output.size() / count;
    const Item bytes = elements<uint8_t>(output);
    for (size_t i = 0; i < count; ++i) {
      const auto begin = bytes.begin() + long(i * each);
      out[i].bytes.insert(out[i].bytes.end(), begin, begin + long(each));
    }
  }
  return out;
}
std::vector<Outcome> outcomes(const Trial& trial, const Items& items) {
  return outcomes(trial, trial.id(), {items});
}
Items bytes_of(const std::vector<Outcome>& outcomes) {
  Items out;
  for (const Outcome& outcome : outcomes) out.push_back(outcome.bytes);
  return out;
}

std::vector<Words> index_of(const Trial& trial, std::string_view id, const Item& text, const Item& second) {
  Item data = text, other = second;
  for (Item* const bytes : {&data, &other}) bytes->resize((bytes->size() + 3) / 4 * 4);
  Buffers inputs = {buffer_of(data)};
  if (outputs_of(id).first == 2) inputs.push_back(buffer_of(other));
  const Words lengths = {uint32_t(text.size()), uint32_t(second.size())};
  std::vector<Words> out;
  for (const Buffer& output :
       results(trial, id, std::move(inputs), sizeof(uint32_t) * (text.size() + 2), {buffer_of(lengths)}))
    out.push_back(elements<uint32_t>(output));
  return out;
}

// Laws of all of them.

bool ItemByItem(const Trial& trial) {
  std::vector<Items> lists = some_lists(trial);
  const std::vector<Outcome> forward = outcomes(trial, trial.id(), lists);
  for (Items& items : lists) std::ranges::reverse(items);
  std::vector<Outcome> backward = outcomes(trial, trial.id(), lists);
  std::ranges::reverse(backward);
  return forward == backward;
}

bool ShorterOutputs(const Trial& trial) {
  const Buffers whole = trial.run(trial.input());
  for (size_t b = outputs_of(trial.id()).first; b < outputs_of(trial.id()).end; ++b) {
    Buffers expected = whole, input = trial.input();
    for (Buffer* const cut : {&expected[b], &input[b]})
      cut->resize(cut->size() / 16 * 8);  // of whole elements
    if (trial.run(std::move(input)) != expected) return false;
  }
  return true;
}

bool EarlierContents(const Trial& trial) {
  const auto run_over = [&](std::byte before) {
    Buffers buffers = trial.input();
    for (size_t b = outputs_of(trial.id()).first; b < outputs_of(trial.id()).end; ++b)
      std::ranges::fill(buffers[b], before);
    return trial.run(std::move(buffers));
  };
  const Buffers zeros = run_over(std::byte{0}), ones = run_over(std::byte{0xff});
  for (size_t b = 0; b < zeros.size(); ++b) {
    for (size_t i = 0; i < zeros[b].size(); ++i) {
      const bool kept = zeros[b][i] == std::byte{0} && ones[b][i] == std::byte{0xff};
      if (zeros[b][i] != ones[b][i] && !kept) return false;
    }
  }
  return true;
}

}  // namespace vyre::opspec
