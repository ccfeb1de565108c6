#include "verify/litmus.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "spec/ops.h"

namespace vyre::verify {
namespace {

using spec::Op;

/// A write of a value, and a read: an atomic that changes nothing.
constexpr LitmusAccess w(uint32_t word, uint32_t value) { return {Op::AtomicExchange, word, value}; }
constexpr LitmusAccess r(uint32_t word) { return {Op::AtomicAdd, word, 0}; }

std::vector<LitmusTest> make_tests() {
  constexpr uint32_t x = 0, y = 1;
  return {
      {"mp", "message passing", {{w(x, 1), w(y, 1)}, {r(y), r(x)}}},
      {"sb", "store buffering", {{w(x, 1), r(y)}, {w(y, 1), r(x)}}},
      {"lb", "load buffering", {{r(x), w(y, 1)}, {r(y), w(x, 1)}}},
      {"iriw", "independent reads of independent writes", {{w(x, 1)}, {w(y, 1)}, {r(x), r(y)}, {r(y), r(x)}}},
      {"wrc", "write to read causality", {{w(x, 1)}, {r(x), w(y, 1)}, {r(y), r(x)}}},
      {"two_plus_two_w", "two writes each, crossed", {{w(x, 1), w(y, 2)}, {w(y, 1), w(x, 2)}}},
      {"co_rr", "coherence: two reads", {{w(x, 1)}, {r(x), r(x)}}},
      {"co_rr_2",
       "coherence: two readers of two writers",
       {{w(x, 1)}, {w(x, 2)}, {r(x), r(x)}, {r(x), r(x)}}},
      {"co_ww", "coherence: two writes", {{w(x, 1), w(x, 2)}, {r(x), r(x)}}},
      {"co_wr", "coherence: a write, then a read", {{w(x, 1), r(x)}, {w(x, 2)}}},
      {"co_rw", "coherence: a read, then a write", {{r(x), w(x, 1)}, {w(x, 2)}}},
      {"cas_once",
       "one compare-exchange wins",
       {{{Op::AtomicCompareExchange, x, 1, 0}},
        {{Op::AtomicCompareExchange, x, 2, 0}},
        {{Op::AtomicCompareExchange, x, 3, 0}}}},
      {"add_and_exchange",
       "no addition is lost beside an exchange",
       {{{Op::AtomicAdd, x, 1, 0}, {Op::AtomicAdd, x, 2, 0}}, {w(x, 16), {Op::AtomicAdd, x, 4, 0}}}},
  };
}

/// What to say of a word whose history cannot be ordered.
std::string about(std::string_view what, const AtomicOrder& order) {
  return fmt::format("{}: {}", what, order.reason);
}

/// Judges the history of one word. An answer that is beyond the search says nothing against a backend.
std::string judge(std::string_view what, uint32_t first, uint32_t last, std::span<const AtomicEvent> events) {
  const AtomicOrder order = order_of({first, last, events});
  return order.ordered == Ordered::No ? about(what, order) : std::string{};
}

/// Where word `word` of instance `p` of `n` is.
uint32_t place(bool apart, uint32_t words, uint32_t n, uint32_t p, uint32_t word) {
  return apart ? word * n + p : p * words + word;
}

constexpr std::string_view kApart = "_apart";

}  // namespace

uint32_t LitmusTest::words() const {
  uint32_t most = 0;
  for (const auto& role : roles) {
    for (const LitmusAccess& a : role) most = std::max(most, a.word);
  }
  return most + 1;
}

size_t LitmusTest::accesses() const {
  size_t n = 0;
  for (const auto& role : roles) n += role.size();
  return n;
}

const std::vector<LitmusTest>& litmus_tests() {
  static const std::vector<LitmusTest> tests = make_tests();
  return tests;
}

std::string forbids(const LitmusTest& test, std::span<const uint32_t> saw, std::span<const uint32_t> left) {
  std::array<std::vector<AtomicEvent>, kLitmusWords> events;
  size_t k = 0;
  for (uint32_t role = 0; role < test.roles.size(); ++role) {
    for (const LitmusAccess& a : test.roles[role])
      events[a.word].push_back({a.op, saw[k++], a.value, a.expected, role});
  }
  for (uint32_t word = 0; word < left.size(); ++word) {
    std::string why = judge(fmt::format("{}, word {}", test.what, word), 0, left[word], events[word]);
    if (!why.empty()) return why;
  }
  return {};
}

// Of as few operators as there can be: a wrong operator is found by ir.operators, which names it.
std::string litmus_program(const LitmusTest& test, bool apart) {
  const size_t roles = test.roles.size();
  std::string out = fmt::format(
      "program {}{}(read_write t: u32 @0, read_write out: u32 @1) workgroup($W) {{\n"
      "  let i = $I;\n"
      "  let n = len(out) / {};\n"
      "  let role = {};\n"
      "  let p = {};\n"
      "  if (i < n * {}) {{\n",
      test.name, apart ? kApart : "", kLitmusAccesses * roles,
      apart ? "i / n" : fmt::format("i - i / {0} * {0}", roles),
      apart ? "i - role * n" : fmt::format("i / {}", roles), roles);
  for (size_t role = 0; role < roles; ++role) {
    out += fmt::format("    if (role == {}) {{\n", role);
    uint32_t slot = 0;
    for (const LitmusAccess& a : test.roles[role]) {
      const std::string at =
          apart ? fmt::format("{} * n + p", a.word) : fmt::format("p * {} + {}", test.words(), a.word);
      const std::string expected =
          a.op == Op::AtomicCompareExchange ? fmt::format("{}, ", a.expected) : std::string{};
      out += fmt::format("      out[i * {} + {}] = {}(t[{}], {}{});\n", kLitmusAccesses, slot++,
                         spec::info(a.op).mnemonic, at, expected, a.value);
    }
    out += "    }\n";
  }
  return out + "  }\n}\n";
}

std::string litmus_outcome(const generate::ProgramCase& c, std::span<const Bytes> after) {
  std::string_view name = c.program.name;
  const bool apart = name.ends_with(kApart);
  if (apart) name.remove_suffix(kApart.size());
  const auto test = std::ranges::find(litmus_tests(), name, &LitmusTest::name);
  if (test == litmus_tests().end()) return fmt::format("there is no litmus test {}", name);
  const std::vector<uint32_t> t = to_words(after[0]), out = to_words(after[1]);
  const uint32_t roles = uint32_t(test->roles.size()), words = test->words();
  const uint32_t n = uint32_t(out.size()) / (kLitmusAccesses * roles);
  std::vector<uint32_t> saw, left(words);
  for (uint32_t p = 0; p < n; ++p) {
    saw.clear();
    for (uint32_t role = 0; role < roles; ++role) {
      const uint32_t i = apart ? role * n + p : p * roles + role;
      for (uint32_t k = 0; k < test->roles[role].size(); ++k) saw.push_back(out[kLitmusAccesses * i + k]);
    }
    for (uint32_t word = 0; word < words; ++word) left[word] = t[place(apart, words, n, p, word)];
    std::string why = forbids(*test, saw, left);
    if (!why.empty()) return fmt::format("instance {}: {}", p, why);
  }
  return {};
}

std::string histories_outcome(const generate::ProgramCase& c, std::span<const Bytes> after) {
  const std::vector<uint32_t> first = to_words(c.buffers[0]), a = to_words(c.buffers[1]),
                              t = to_words(after[0]), out = to_words(after[2]);
  // As the program says it.
  constexpr std::array kOps = {Op::AtomicAdd, Op::AtomicOr,  Op::AtomicAnd,      Op::AtomicXor,
                               Op::AtomicMin, Op::AtomicMax, Op::AtomicExchange, Op::AtomicCompareExchange};
  const uint32_t n = uint32_t(a.size());
  std::vector<AtomicEvent> events(n);
  for (uint32_t k = 0; k < kOps.size(); ++k) {
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t x = a[i];
      AtomicEvent& e = events[i];
      e = {kOps[k], out[k * n + i], x, 0, i};
      if (e.op == Op::AtomicOr) e.value = 1u << (x & 31);
      if (e.op == Op::AtomicAnd) e.value = ~(1u << (x & 31));
      if (e.op == Op::AtomicCompareExchange) {
        e.expected = i & 7;
        e.value = (i + 1) & 7;
      }
    }
    std::string why = judge(spec::info(kOps[k]).mnemonic, first[k], t[k], events);
    if (!why.empty()) return why;
  }
  return {};
}

std::string mixed_outcome(const generate::ProgramCase& c, std::span<const Bytes> after) {
  const std::vector<uint32_t> first = to_words(c.buffers[0]), a = to_words(c.buffers[1]),
                              t = to_words(after[0]), out = to_words(after[2]);
  constexpr std::array kOps = {Op::AtomicAdd, Op::AtomicXor, Op::AtomicExchange, Op::AtomicMax};
  std::vector<AtomicEvent> events(a.size());
  for (uint32_t i = 0; i < a.size(); ++i) events[i] = {kOps[i & 3], out[i], a[i], 0, i};
  return judge("additions, exchanges and more on one word", first[0], t[0], events);
}

std::string sequence_outcome(const generate::ProgramCase& c, std::span<const Bytes> after) {
  const std::vector<uint32_t> first = to_words(c.buffers[0]), t = to_words(after[0]),
                              out = to_words(after[1]);
  std::vector<AtomicEvent> events(out.size());
  for (uint32_t k = 0; k < out.size(); ++k) events[k] = {Op::AtomicAdd, out[k], (k & 3) + 1, 0, k / 4};
  return judge("four additions of each invocation", first[0], t[0], events);
}

}  // namespace vyre::verify
