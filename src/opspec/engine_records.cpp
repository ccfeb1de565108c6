// Engines that list records of several words. The references go over their inputs one thing at a time, by
// the definition; the texts do it in pieces, with tables, scans and atomics.
#include <algorithm>
#include <map>
#include <optional>

#include "opspec/automata.h"
#include "opspec/engine.h"

namespace vyre::opspec {

// Of this file alone, also where several files are compiled as one.
namespace records {
namespace {

/// Room for about n records of so many words: often to a word, sometimes within one.
Buffer record_room(RandomStream& random, size_t n, size_t words) { return room(random, n * words); }

// What engines have in common whose records stand side by side in one buffer, and their number in another.

/// As many records as the buffer has whole, and not more than there are.
template <size_t kRecords, size_t kWords, size_t kCount>
std::vector<Record> listed(const Buffers& buffers) {
  const Words words = elements<uint32_t>(buffers[kRecords]);
  std::vector<Record> out;
  for (size_t k = 0; k < std::min<size_t>(get<uint32_t>(buffers[kCount], 0), words.size() / kWords); ++k)
    out.emplace_back(words.begin() + long(k * kWords), words.begin() + long((k + 1) * kWords));
  return out;
}
template <size_t kCount>
uint64_t counted(const Buffers& buffers) {
  return get<uint32_t>(buffers[kCount], 0);
}
template <size_t kRecords, size_t kWords>
void halve(Buffers& buffers) {
  buffers[kRecords].resize(count<uint32_t>(buffers[kRecords]) / kWords / 2 * kWords * sizeof(uint32_t));
}
/// What is written where records are: all of them, or an unknown number without a count.
template <size_t kRecords, size_t kWords, size_t kCount>
uint64_t record_bytes(const Buffers& buffers) {
  const uint64_t size = buffers[kRecords].size();
  if (count<uint32_t>(buffers[kCount]) == 0) return size;
  return std::min(size, uint64_t{get<uint32_t>(buffers[kCount], 0)} * kWords * sizeof(uint32_t));
}
uint64_t one_word(const Buffer& buffer) { return std::min(buffer.size(), sizeof(uint32_t)); }

// engine.tokens: text, lookup, tokens, count, histogram, params.

Item text_of(const Buffers& buffers) {
  Item text = elements<uint8_t>(buffers[0]);
  if (count<uint32_t>(buffers[5]) > 0)
    text.resize(std::min<size_t>(text.size(), get<uint32_t>(buffers[5], 0)));
  return text;
}
/// From where one begins to the first byte of another class.
std::vector<Record> tokens_of(const Item& text, const Words& lookup) {
  const auto class_of = [&](uint8_t byte) { return byte < lookup.size() ? lookup[byte] : 0; };
  std::vector<Record> out;
  for (auto begin = text.begin(); begin != text.end();) {
    const uint32_t own = class_of(*begin);
    const auto end = std::find_if(begin, text.end(), [&](uint8_t byte) { return class_of(byte) != own; });
    if (own != 0) out.push_back({uint32_t(begin - text.begin()), uint32_t(end - begin), own});
    begin = end;
  }
  return out;
}
/// What a run leaves of records, and of how many there are.
void leave_records(Buffer& buffer, Buffer& number, const std::vector<Record>& records) {
  size_t at = 0;
  for (const Record& record : records)
    for (const uint32_t word : record) put(buffer, at++, word);
  put(number, 0, uint32_t(records.size()));
}

void tokens(Buffers& buffers) {
  const std::vector<Record> found = tokens_of(text_of(buffers), elements<uint32_t>(buffers[1]));
  leave_records(buffers[2], buffers[3], found);
  std::map<uint32_t, uint32_t> of_class;
  for (const Record& token : found) ++of_class[token[2]];
  for (uint32_t c = 0; c < count<uint32_t>(buffers[4]); ++c)
    put(buffers[4], c, of_class.contains(c) ? of_class[c] : 0);
}
Buffers tokens_case(RandomStream& random, uint32_t size) {
  const uint32_t classes = random.below(6);
  Words lookup(random.chance(4) ? random.below(257) : 256);
  for (uint32_t& of_byte : lookup) of_byte = random.below(classes + 1);
  if (random.chance(8) && !lookup.empty()) lookup[random.below(uint32_t(lookup.size()))] = random.next();
  // Runs of one byte, of a few or of many; a few bytes more that params may leave out.
  Item text(size + random.below(4));
  const uint32_t bytes = random.chance(3) ? 256 : 1 + random.below(5);
  const uint32_t run = 1 + random.below(random.chance(4) ? 100 : 6);
  uint8_t byte = 0;
  for (uint8_t& one : text) {
    if (random.below(run) == 0) byte = uint8_t(random.below(bytes));
    one = byte;
  }
  Words params = {size};
  if (random.chance(8)) params[0] = random.chance(2) ? UINT32_MAX : size + random.below(9);
  if (random.chance(8)) params.clear();
  Buffers out = {padded(text, random), buffer_of(lookup), {}, one_or_so(random), {}, buffer_of(params)};
  const size_t found = tokens_of(text_of(out), lookup).size();
  out[2] = record_room(random, found, 3);
  out[4] = room(random, random.chance(16) ? 700 : classes + 1);
  return out;
}
std::vector<uint64_t> tokens_written(const Buffers& buffers) {
  return {0, 0, record_bytes<2, 3, 3>(buffers), one_word(buffers[3]), buffers[4].size(), 0};
}

// engine.join: left, right, pairs, count.

/// The pairs of a left key are the places of its equals, which a map lists.
void join(Buffers& buffers) {
  std::map<uint32_t, Words> partners;
  uint32_t place = 0;
  for (const uint32_t key : elements<uint32_t>(buffers[1])) partners[key].push_back(place++);
  uint64_t pairs = 0;
  uint32_t i = 0;
  for (const uint32_t key : elements<uint32_t>(buffers[0])) {
    for (const uint32_t j : partners[key]) {
      put(buffers[2], 2 * pairs, i);
      put(buffers[2], 2 * pairs++ + 1, j);
    }
    ++i;
  }
  put(buffers[3], 0, uint32_t(std::min<uint64_t>(pairs, UINT32_MAX)));
}
/// The key whose mixed bits are these: of small ones all have one home, and walks are long.
uint32_t key_of_mixed(uint32_t h) {
  h ^= h >> 16;
  h *= 0x7ed1b41d;  // the inverse of 0xc2b2ae35
  h ^= h >> 13 ^ h >> 26;
  h *= 0xa5cb9243;  // of 0x85ebca6b
  h ^= h >> 16;
  return h - 1;
}
Buffers join_case(RandomStream& random, uint32_t size) {
  const bool crowd = random.chance(6);
  const uint32_t n = std::min(size, crowd ? 300U : 3'000U);
  Words left = any_words(random, n);
  Words right = any_words(random, random.chance(2) ? n : random.below(n + 1));
  if (n > 0 && !random.chance(6))
    for (uint32_t& key : right) key = random.chance(3) ? key : left[random.below(n)];
  if (crowd)
    for (Words* const keys : {&left, &right})
      for (uint32_t& key : *keys) key = key_of_mixed(random.below(n));
  if (n > 0 && random.chance(4)) left[random.below(n)] = UINT32_MAX;
  if (!right.empty() && random.chance(4)) right[random.below(uint32_t(right.size()))] = UINT32_MAX;
  std::map<uint32_t, uint64_t> partners;
  for (const uint32_t key : right) ++partners[key];
  uint64_t pairs = 0;
  for (const uint32_t key : left) pairs += partners.contains(key) ? partners[key] : 0;
  return {buffer_of(left), buffer_of(right), record_room(random, size_t(std::min<uint64_t>(pairs, 2 * n)), 2),
          one_or_so(random)};
}
std::vector<uint64_t> join_written(const Buffers& buffers) {
  return {0, 0, record_bytes<2, 2, 3>(buffers), one_word(buffers[3])};
}

// engine.dataflow: offsets, targets, gen, kill, ins, outs, count, rounds, status.

struct Flow {
  uint32_t fault = 0;
  size_t n = 0, words = 0;
  Words offsets, targets, gen, kill;
};
bool has_bit(const Words& words, size_t bit) { return (words[bit / 32] >> bit % 32 & 1) != 0; }

Flow flow_of(const Buffers& buffers) {
  Flow out = {.offsets = elements<uint32_t>(buffers[0]),
              .targets = elements<uint32_t>(buffers[1]),
              .gen = elements<uint32_t>(buffers[2]),
              .kill = elements<uint32_t>(buffers[3])};
  if (out.offsets.empty()) out.offsets.push_back(0);
  out.n = out.offsets.size() - 1;
  out.words = out.n == 0 ? 0 : out.gen.size() / out.n;
  if (out.offsets.front() != 0 || out.offsets.back() != out.targets.size() ||
      !std::ranges::is_sorted(out.offsets))
    out.fault |= 1;
  if (std::ranges::any_of(out.targets, [&](uint32_t target) { return target >= out.n; })) out.fault |= 2;
  if (out.gen.size() != out.n * out.words || out.kill.size() != out.gen.size()) out.fault |= 4;
  return out;
}
/// Of each fact by itself: who adds it, then whom it reaches by one edge more, breadth first.
void dataflow(Buffers& buffers) {
  const Flow flow = flow_of(buffers);
  put(buffers[8], 0, flow.fault);
  put(buffers[6], 0, 0U);
  if (flow.fault != 0) return;
  const size_t bits = flow.words * 32;
  std::vector<bool> in(flow.n * bits), out(flow.n * bits);
  uint32_t rounds = flow.n == 0 ? 0 : 1;
  for (size_t fact = 0; fact < bits; ++fact) {
    Words now;
    for (uint32_t v = 0; v < flow.n; ++v)
      if (has_bit(flow.gen, v * bits + fact)) now.push_back(v);
    for (uint32_t round = 0; !now.empty(); ++round) {
      rounds = std::max(rounds, round + 1);
      Words next;
      for (const uint32_t v : now) out[v * bits + fact] = true;
      for (const uint32_t v : now) {
        for (uint32_t e = flow.offsets[v]; e < flow.offsets[v + 1]; ++e) {
          const size_t at = flow.targets[e] * bits + fact;
          if (!in[at] && !out[at] && !has_bit(flow.kill, at)) next.push_back(flow.targets[e]);
          in[at] = true;
        }
      }
      now = std::move(next);
    }
  }
  for (const auto& [set, b] : {std::pair(&in, size_t{4}), std::pair(&out, size_t{5})}) {
    Words words(flow.gen.size());
    for (size_t i = 0; i < set->size(); ++i) words[i / 32] |= uint32_t{(*set)[i]} << i % 32;
    leave(buffers[b], words);
  }
  put(buffers[6], 0, uint32_t(std::ranges::count(out, true)));
  put(buffers[7], 0, rounds);
}
Buffers dataflow_case(RandomStream& random, uint32_t size) {
  Buffers out;
  put_any_graph(out, random, std::min(size, 1'000U));
  const size_t n = std::max<size_t>(count<uint32_t>(out[0]), 1) - 1;
  // Facts of few vertices go far; what most take away does not.
  const uint32_t words = 1 + random.below(3), adds = 1 + random.below(8), takes = 1 + random.below(4);
  Words gen(n * words), kill(n * words);
  for (uint32_t& word : gen) word = random.below(adds) == 0 ? 1U << random.below(32) : 0;
  for (uint32_t& word : kill) word = random.below(takes) == 0 ? random.next() & random.next() : 0;
  if (random.chance(16)) gen.resize(random.below(uint32_t(gen.size()) + 1));
  if (random.chance(16)) kill.resize(about(random, kill.size()));
  for (const Words* const words_of : {&gen, &kill}) out.push_back(buffer_of(*words_of));
  out.push_back(room(random, gen.size()));
  out.push_back(room(random, gen.size()));
  for (int b = 0; b < 3; ++b) out.push_back(one_or_so(random));
  return out;
}
/// A fact of an out set: vertex, number. None where the run had a fault, as far as it says.
std::vector<Record> facts(const Buffers& buffers) {
  const Flow flow = flow_of(buffers);
  const Words outs = elements<uint32_t>(buffers[5]);
  std::vector<Record> out;
  if (flow.words == 0 || counted<6>(buffers) == 0) return out;
  for (size_t i = 0; i < std::min(outs.size(), flow.n * flow.words); ++i)
    for (uint32_t bit = 0; bit < 32; ++bit)
      if ((outs[i] >> bit & 1) != 0)
        out.push_back({uint32_t(i / flow.words), uint32_t(i % flow.words * 32 + bit)});
  return out;
}
std::vector<uint64_t> dataflow_written(const Buffers& buffers) {
  const uint64_t ins = std::min(buffers[4].size(), buffers[2].size());
  const uint64_t outs = std::min(buffers[5].size(), buffers[2].size());
  return {0, 0, 0, 0, ins, outs, one_word(buffers[6]), one_word(buffers[7]), one_word(buffers[8])};
}

// engine.scan_rules: data, offsets, lookup, rules, rule_offsets, matches, count, verdicts, status, params.

constexpr uint32_t kNot = 0x8000'0000, kAnd = kNot + 1, kOr = kNot + 2, kAsk = kNot + 3;

/// The words of each rule; nothing where one is malformed.
std::optional<std::vector<Words>> rules_of(const Buffers& buffers) {
  const Words words = elements<uint32_t>(buffers[3]), offsets = elements<uint32_t>(buffers[4]);
  std::vector<Words> out;
  for (size_t r = 0; r + 1 < offsets.size(); ++r) {
    const size_t begin = offsets[r], end = offsets[r + 1];
    if (begin > end || end > words.size()) return std::nullopt;
    const Words& rule = out.emplace_back(words.begin() + long(begin), words.begin() + long(end));
    constexpr size_t kMost = 32;
    size_t values = 0;
    for (size_t k = 0; k < rule.size(); ++k) {
      const bool operand = rule[k] < kNot || rule[k] == kAsk;
      if (!operand) {
        const size_t taken = rule[k] == kNot ? 1 : 2;
        if (rule[k] > kAsk || values < taken) return std::nullopt;
        values -= taken - 1;
        continue;
      }
      if (k + 1 == rule.size() || ++values > kMost) return std::nullopt;
      if (rule[k] == kAsk && rule[k + 1] + size_t{1} >= offsets.size()) return std::nullopt;
      ++k;
    }
    if (values != 1) return std::nullopt;
  }
  return out;
}
using Verdict = std::optional<bool>;
Verdict negation(Verdict a) { return a ? Verdict(!*a) : a; }
Verdict conjunction(Verdict a, Verdict b) {
  if (a == Verdict(false) || b == Verdict(false)) return false;
  return a && b ? Verdict(true) : std::nullopt;
}
Verdict said_by(const Words& rule, const Words& counts, const std::vector<Verdict>& verdicts) {
  std::vector<Verdict> stack;
  const auto pop = [&] {
    const Verdict top = stack.back();
    stack.pop_back();
    return top;
  };
  for (size_t k = 0; k < rule.size(); ++k) {
    switch (rule[k]) {
      case kNot: stack.push_back(negation(pop())); break;
      case kAnd: stack.push_back(conjunction(pop(), pop())); break;
      case kOr: stack.push_back(negation(conjunction(negation(pop()), negation(pop())))); break;
      case kAsk: stack.push_back(verdicts[rule[++k]]); break;
      default: {
        const uint32_t often = rule[k] < counts.size() ? counts[rule[k]] : 0;
        stack.push_back(often >= rule[++k]);
        break;
      }
    }
  }
  return stack.back();
}
/// Text by text; of each, the rules are asked one by one until none says anything new.
void scan_rules(Buffers& buffers) {
  const Words offsets = elements<uint32_t>(buffers[1]);
  const auto rules = rules_of(buffers);
  const bool outside =
      !std::ranges::is_sorted(offsets) || (!offsets.empty() && offsets.back() > buffers[0].size());
  put(buffers[6], 0, 0U);
  put(buffers[8], 0, (outside ? 1U : 0U) | (rules ? 0U : 2U));
  if (outside || !rules) return;
  const Table table = {elements<uint32_t>(buffers[2])};
  const std::vector<Item> literals = literals_of_table(table);
  std::vector<Record> found;
  Words said;
  uint32_t number = 0;
  for (Item& text : items_of(buffers[0], buffers[1])) {
    for (uint8_t& byte : text) byte = table.class_of(byte);
    Words counts(get<uint32_t>(buffers[9], 0));
    for (const Occurrence& one : occurrences_of(literals, text)) {
      found.push_back({number, one.end, one.pattern});
      if (one.pattern < counts.size()) ++counts[one.pattern];
    }
    std::vector<Verdict> verdicts(rules->size());
    for (bool again = true; again;) {
      again = false;
      for (size_t r = 0; r < rules->size(); ++r) {
        const Verdict now = said_by((*rules)[r], counts, verdicts);
        again |= now != verdicts[r];
        verdicts[r] = now;
      }
    }
    for (const Verdict verdict : verdicts) said.push_back(verdict ? uint32_t{*verdict} : 2);
    ++number;
  }
  leave_records(buffers[5], buffers[6], found);
  leave(buffers[7], said);
}
/// An expression of about so many operands, which count few literals and ask few rules.
void put_rule(RandomStream& random, Words& words, uint32_t operands, uint32_t literals, uint32_t rules) {
  if (operands > 1) {
    const uint32_t left = 1 + random.below(operands - 1);
    put_rule(random, words, left, literals, rules);
    put_rule(random, words, operands - left, literals, rules);
    words.push_back(random.chance(2) ? kAnd : kOr);
  } else if (random.chance(2)) {
    words.insert(words.end(), {kAsk, random.below(rules)});
  } else {
    words.insert(words.end(), {random.below(literals + 1), random.below(4)});
  }
  if (random.chance(4)) words.push_back(kNot);
}
Buffers scan_rules_case(RandomStream& random, uint32_t size) {
  std::vector<Item> literals(random.below(8));
  for (Item& literal : literals)
    some_letters(random, random.chance(16) ? random.below(90) : 1 + random.below(3), literal);
  const uint32_t counted_ones = random.chance(4) ? random.below(9) : uint32_t(literals.size());
  std::vector<Item> texts = make_items(random, std::min(size, 1'500U), some_letters);
  // Few long texts as well as many short ones; literals at the borders of two.
  if (random.chance(3) && !texts.empty()) {
    texts.resize(1 + random.below(3));
    some_letters(random, size, texts[0]);
  }
  if (!literals.empty())
    for (Item& text : texts) {
      const Item& literal = literals[random.below(uint32_t(literals.size()))];
      if (random.chance(3)) text.insert(text.end(), literal.begin(), literal.end());
    }
  const uint32_t rules = random.below(random.chance(4) ? 20 : 5);
  Words words, rule_offsets = {random.below(3)};
  words.resize(rule_offsets[0]);
  for (uint32_t r = 0; r < rules; ++r) {
    const uint32_t operands = random.chance(40) ? 30 + random.below(6) : 1 + random.below(5);
    put_rule(random, words, operands, uint32_t(literals.size()), rules);
    rule_offsets.push_back(uint32_t(words.size()));
  }
  if (random.chance(16) && !words.empty())
    words[random.below(uint32_t(words.size()))] = random.chance(2) ? kNot + random.below(5) : random.below(4);
  Buffers out;
  put_items(random, out, texts);
  for (const Words& one : {table_of_literals(literals), words, rule_offsets}) out.push_back(buffer_of(one));
  Buffers whole = out;
  for (const size_t bytes : {0, 4, 0, 0}) whole.emplace_back(bytes);
  whole.push_back(buffer_of(Words{counted_ones}));
  scan_rules(whole);
  // Now and then for more, where what is listed twice would stand.
  const uint32_t more = random.chance(4) ? random.below(5) : 0;
  out.push_back(record_room(random, size_t{get<uint32_t>(whole[6], 0)} + more, 3));
  out.push_back(one_or_so(random));
  out.push_back(room(random, texts.size() * rules));
  out.push_back(one_or_so(random));
  out.push_back(random.chance(16) ? Buffer() : whole[9]);
  return out;
}
/// Of other tables than that of literals occurrences mean nothing.
void keep_literals(Buffers& buffers, const Buffers& whole) {
  for (const size_t b : {2, 9}) buffers[b] = whole[b];
}
/// Besides less of one buffer: a text less at either end.
std::vector<Buffers> fewer_texts(const Buffers& buffers) {
  std::vector<Buffers> out = with_less(buffers);
  const Words offsets = elements<uint32_t>(buffers[1]);
  if (offsets.size() < 3) return out;
  out.emplace_back(buffers)[1] = buffer_of(Words(offsets.begin(), offsets.end() - 1));
  out.emplace_back(buffers)[1] = buffer_of(Words(offsets.begin() + 1, offsets.end()));
  return out;
}
std::vector<uint64_t> scan_rules_written(const Buffers& buffers) {
  const size_t texts = std::max<size_t>(count<uint32_t>(buffers[1]), 1) - 1;
  const size_t rules = std::max<size_t>(count<uint32_t>(buffers[4]), 1) - 1;
  const uint64_t verdicts = std::min(buffers[7].size(), texts * rules * sizeof(uint32_t));
  return {0, 0, 0, 0, 0, record_bytes<5, 3, 6>(buffers), one_word(buffers[6]), verdicts, one_word(buffers[8]),
          0};
}

constexpr OperationSpec kOperations[] = {
    {"engine.scan_rules", scan_rules_case, scan_rules, fewer_texts, keep_literals},
    {"engine.tokens", tokens_case, tokens, with_less},
    {"engine.join", join_case, join, with_less},
    {"engine.dataflow", dataflow_case, dataflow, with_less},
};
constexpr EngineSpec kEngines[] = {
    {.id = "engine.scan_rules",
     .records = listed<5, 3, 6>,
     .needed = counted<6>,
     .shorten = halve<5, 3>,
     .written = scan_rules_written},
    {.id = "engine.tokens",
     .records = listed<2, 3, 3>,
     .needed = counted<3>,
     .shorten = halve<2, 3>,
     .written = tokens_written},
    {.id = "engine.join",
     .records = listed<2, 2, 3>,
     .needed = counted<3>,
     .shorten = halve<2, 2>,
     .written = join_written},
    {.id = "engine.dataflow",
     .records = facts,
     .needed = counted<6>,
     .shorten = halve<5, 1>,
     .written = dataflow_written},
};

}  // namespace
}  // namespace records

std::span<const OperationSpec> record_engines() { return records::kOperations; }
std::span<const EngineSpec> record_engine_specs() { return records::kEngines; }

}  // namespace vyre::opspec
