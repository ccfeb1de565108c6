// I14, AtomicLinearizable: what the atomics of a run saw has an order.
//
// Some hundred invocations make one atomic each on one or two words, all eight operators mixed, and note what
// they saw. Of each word there must be an order of its atomics in which each of them saw what the one before
// left, the first one the value before the run and none after the last one.
// Source: vyre-conform-spec, "Atomic Operations": sequentially consistent.
#include <array>

#include "oracle.h"
#include "property/programs.h"
#include "spec/ops.h"
#include "text/text.h"
#include "verify/atomic_history.h"

VYRE_ORACLE(Property, "vyre-conform-spec, \"Atomic Operations\"; an order that explains what was seen");

namespace vyre::test {
namespace {

constexpr std::array kAtomics = {
    spec::Op::AtomicAdd, spec::Op::AtomicOr,  spec::Op::AtomicAnd,      spec::Op::AtomicXor,
    spec::Op::AtomicMin, spec::Op::AtomicMax, spec::Op::AtomicExchange, spec::Op::AtomicCompareExchange};

/// Invocation i makes atomic i % size() of these, on its word.
struct WordAtomic {
  uint32_t word = 0;
  verify::AtomicEvent event;
};

std::string text_of(const std::vector<WordAtomic>& atomics) {
  std::string text = fmt::format(
      "program p(read_write words: u32 @0, read_write saw: u32 @1) workgroup(32, 1, 1) {{\n"
      "  let i = invocation_id.x;\n  let kind = i % {};\n",
      atomics.size());
  for (size_t k = 0; k < atomics.size(); ++k) {
    const auto& [word, event] = atomics[k];
    const std::string expected =
        event.op == spec::Op::AtomicCompareExchange ? fmt::format("{}, ", event.expected) : "";
    text += fmt::format("  if (kind == {}) {{\n    let old = {}(words[{}], {}{});\n    saw[i] = old;\n  }}\n",
                        k, spec::info(event.op).mnemonic, word, expected, event.value);
  }
  return text + "}\n";
}

std::vector<WordAtomic> random_atomics(RandomStream& random, uint32_t words) {
  std::vector<WordAtomic> out(1 + random.below(12));
  // Few values, which many meet; or any.
  const uint32_t values = random.chance(2) ? 4 : 1u << 31;
  for (auto& [word, event] : out) {
    word = random.below(words);
    event.op = kAtomics[random.below(uint32_t(kAtomics.size()))];
    event.value = random.below(values);
    if (event.op == spec::Op::AtomicCompareExchange) event.expected = random.below(values);
  }
  return out;
}

/// Why what a run saw of a word has no order; empty where it has one.
std::string disorder(const std::vector<WordAtomic>& atomics, uint32_t word, std::span<const uint32_t> first,
                     std::span<const uint32_t> last, std::span<const uint32_t> saw) {
  std::vector<verify::AtomicEvent> events;
  for (uint32_t i = 0; i < saw.size(); ++i) {
    const auto& [of_word, event] = atomics[i % atomics.size()];
    if (of_word != word) continue;
    events.push_back(event);
    events.back().saw = saw[i];
    events.back().invocation = i;
  }
  return verify::order_of({first[word], last[word], events}).reason;
}

TEST(Property, I14AtomicLinearizable) {
  for_each_case(300, [](const PropertyCase& c) {
    RandomStream random = c.random(14);
    const uint32_t words = 1 + random.below(2);
    const std::vector<WordAtomic> atomics = random_atomics(random, words);
    const layout::Groups groups{1 + random.below(12), 1, 1};
    std::vector<uint32_t> first(words);
    for (uint32_t& word : first) word = random.below(4);
    generate::ProgramCase program{
        value_of(text::parse(text_of(atomics))), {to_bytes(first), Bytes(size_t{32} * groups.x * 4)}, groups};
    const auto run = run_of(checked(program.program), program);
    const uint32_t word = random.below(words);
    EXPECT_EQ(disorder(atomics, word, first, to_words(run.buffers[0]), to_words(run.buffers[1])), "")
        << text_of(atomics);
  });
}

}  // namespace
}  // namespace vyre::test
