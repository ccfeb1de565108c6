// Kinds of cases of engines that list records. What happens in a run is asked of the reference.
#include <algorithm>
#include <map>

#include "opspec/arrays.h"
#include "opspec/classes.h"

namespace vyre::opspec {
namespace {

uint32_t first_word(const Buffer& buffer) { return get<uint32_t>(buffer, 0); }
/// What the reference leaves where these outputs have one word.
Buffers left_by(std::string_view id, Buffers buffers, std::initializer_list<size_t> of_one_word) {
  for (const size_t b : of_one_word) buffers[b].assign(sizeof(uint32_t), std::byte{0});
  find_operation(id)->reference(buffers);
  return buffers;
}

// tokens: text, lookup, tokens, count, histogram, params.
const Buffers& tokens_left(const Buffers& b) {
  thread_local OfLastCase<Buffers> last;
  return last.get(b, [&] { return left_by("engine.tokens", b, {3}); });
}
bool more_tokens_than_room(const Buffers& b) {
  return first_word(tokens_left(b)[3]) > count<uint32_t>(b[2]) / 3;
}
bool room_within_a_record(const Buffers& b) {
  return count<uint32_t>(b[2]) % 3 != 0 && more_tokens_than_room(b);
}
bool a_token_of_a_block(const Buffers& b) {
  constexpr uint32_t kBlock = 32;
  const Buffers& left = tokens_left(b);
  const size_t listed = std::min<size_t>(first_word(left[3]), count<uint32_t>(b[2]) / 3);
  for (size_t k = 0; k < listed; ++k)
    if (get<uint32_t>(left[2], 3 * k + 1) > kBlock) return true;
  return false;
}
bool a_class_without_a_bin(const Buffers& b) {
  const Words lookup = elements<uint32_t>(b[1]);
  return !lookup.empty() && std::ranges::max(lookup) >= count<uint32_t>(b[4]);
}
bool no_table_of_all_bytes(const Buffers& b) { return count<uint32_t>(b[1]) < 256; }
bool many_bins(const Buffers& b) { return count<uint32_t>(b[4]) > 512; }

// join: left, right, pairs, count.
bool more_pairs_than_room(const Buffers& b) {
  return first_word(left_by("engine.join", b, {3})[3]) > count<uint32_t>(b[2]) / 2;
}
bool no_right_key(const Buffers& b) { return b[1].empty() && !b[0].empty(); }
bool the_greatest_key_on_both(const Buffers& b) {
  return contains(elements<uint32_t>(b[0]), UINT32_MAX) && contains(elements<uint32_t>(b[1]), UINT32_MAX);
}
/// Then some key goes on for more than the 32 steps of a turn.
bool a_crowd_at_one_home(const Buffers& b) {
  Words keys = elements<uint32_t>(b[1]);
  std::ranges::sort(keys);
  keys.erase(std::ranges::unique(keys).begin(), keys.end());
  std::map<uint64_t, size_t> at_home;
  for (const uint32_t key : keys) {
    uint32_t h = key + 1;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    ++at_home[(uint64_t{h ^ h >> 16} * 2 * count<uint32_t>(b[1])) >> 32];
  }
  return std::ranges::any_of(at_home, [](const auto& home) { return home.second > 40; });
}

// dataflow: offsets, targets, gen, kill, ins, outs, count, rounds, status.
const Buffers& sets_left(const Buffers& b) {
  thread_local OfLastCase<Buffers> last;
  return last.get(b, [&] { return left_by("engine.dataflow", b, {6, 7, 8}); });
}
template <uint32_t kFault>
bool a_fault_of_flow(const Buffers& b) {
  return (first_word(sets_left(b)[8]) & kFault) != 0;
}
bool many_rounds(const Buffers& b) { return first_word(sets_left(b)[7]) >= 8; }
bool no_facts(const Buffers& b) {
  const Buffers& left = sets_left(b);
  return first_word(left[8]) == 0 && first_word(left[6]) == 0;
}
bool takes_what_it_adds(const Buffers& b) {
  const Words gen = elements<uint32_t>(b[2]);
  for (size_t i = 0; i < gen.size(); ++i)
    if ((gen[i] & get<uint32_t>(b[3], i)) != 0) return true;
  return false;
}

// scan_rules: data, offsets, lookup, rules, rule_offsets, matches, count, verdicts, status, params.
const Buffers& scan_left(const Buffers& b) {
  thread_local OfLastCase<Buffers> last;
  return last.get(b, [&] { return left_by("engine.scan_rules", b, {6, 8}); });
}
template <uint32_t kFault>
bool a_fault_of_scan(const Buffers& b) {
  return (first_word(scan_left(b)[8]) & kFault) != 0;
}
bool more_matches_than_room(const Buffers& b) {
  return first_word(scan_left(b)[6]) > count<uint32_t>(b[5]) / 3;
}
bool a_circle_of_rules(const Buffers& b) {
  const Buffers& left = scan_left(b);
  const size_t texts = std::max<size_t>(count<uint32_t>(b[1]), 1) - 1;
  const size_t rules = std::max<size_t>(count<uint32_t>(b[4]), 1) - 1;
  if (first_word(left[8]) != 0) return false;
  for (size_t i = 0; i < texts * rules; ++i)
    if (get<uint32_t>(left[7], i) == 2) return true;
  return false;
}
bool literals_that_do_not_count(const Buffers& b) { return get<uint32_t>(b[2], 3) > first_word(b[9]); }
bool texts_of_nothing(const Buffers& b) {
  const Words offsets = elements<uint32_t>(b[1]);
  return std::ranges::adjacent_find(offsets) != offsets.end() && first_word(scan_left(b)[6]) != 0;
}

constexpr CaseClass kClasses[] = {
    {"engine.tokens", "more tokens than there is room for", more_tokens_than_room},
    {"engine.tokens", "room that ends within a record", room_within_a_record},
    {"engine.tokens", "a token of more than a block", a_token_of_a_block},
    {"engine.tokens", "a class without a bin", a_class_without_a_bin},
    {"engine.tokens", "bytes behind the table", no_table_of_all_bytes},
    {"engine.tokens", "more bins than copies for all", many_bins},
    {"engine.join", "more pairs than there is room for", more_pairs_than_room},
    {"engine.join", "no right key", no_right_key},
    {"engine.join", "the greatest key on both sides", the_greatest_key_on_both},
    {"engine.join", "many keys with one home", a_crowd_at_one_home},
    {"engine.dataflow", "a malformed graph", a_fault_of_flow<3>},
    {"engine.dataflow", "sets of another size", a_fault_of_flow<4>},
    {"engine.dataflow", "eight rounds or more", many_rounds},
    {"engine.dataflow", "no facts", no_facts},
    {"engine.dataflow", "a vertex that takes away what it adds", takes_what_it_adds},
    {"engine.scan_rules", "malformed offsets", a_fault_of_scan<1>},
    {"engine.scan_rules", "a malformed rule", a_fault_of_scan<2>},
    {"engine.scan_rules", "more occurrences than there is room for", more_matches_than_room},
    {"engine.scan_rules", "rules in a circle", a_circle_of_rules},
    {"engine.scan_rules", "literals that are not counted", literals_that_do_not_count},
    {"engine.scan_rules", "an empty text among others", texts_of_nothing},
};

}  // namespace

std::span<const CaseClass> classes_of_engine_records() { return kClasses; }

}  // namespace vyre::opspec
