// Sentences of the specification that no single file shows: what many invocations together may see of atomics
// and of races, and what a signature says.
//
// Each test takes what a backend gave and asks whether any order of the atomics explains it; none compares
// with another run.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <numeric>

#include "base/bytes.h"
#include "files.h"
#include "lower/evaluate.h"
#include "ops/operation.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "by hand, from the sentences themselves");

namespace vyre::file_test {
namespace {

using Words = std::vector<uint32_t>;

check::Checked checked(std::string_view text) {
  auto parsed = text::parse(text);
  if (!parsed) throw std::runtime_error(parsed.error().message);
  auto program = check::check(std::move(*parsed), ops::op_table());
  if (!program) throw std::runtime_error(program.error()[0].message);
  return std::move(*program);
}

/// Runs a program over buffers of words, in place.
void run(backend::Backend& backend, const check::Checked& program, std::vector<Words*> buffers,
         uint32_t groups) {
  const auto pipeline = backend.compile(program);
  ASSERT_TRUE(pipeline) << pipeline.error().message;
  std::vector<std::span<std::byte>> spans;
  for (Words* words : buffers) spans.push_back(std::as_writable_bytes(std::span(*words)));
  const auto ran = (*pipeline)->dispatch(spans, {groups, 1, 1});
  ASSERT_TRUE(ran) << ran.error().message;
}

constexpr uint32_t kMany = 64 * 64;

/// What `invocations` of one atomic each gave, and what was left.
struct Outcome {
  uint32_t initial;
  Words operands;  // by invocation
  Words before;    // what each invocation was given
  uint32_t final;
};

class Atomics : public testing::TestWithParam<size_t> {
 protected:
  backend::Backend& backend() const { return *backends()[GetParam()].backend; }

  /// One application of `expression` over `cell[0]` and `v` in each invocation. `operands` are whole groups
  /// of 32.
  Outcome apply(const std::string& expression, uint32_t initial, Words operands) const {
    const check::Checked program = checked(
        "program atomics(read operands: u32 @0, read_write cell: u32 @1, read_write before: u32 @2) "
        "workgroup(32, 1, 1) { let v = operands[invocation_id.x]; before[invocation_id.x] = " +
        expression + "; }");
    Words cell = {initial}, before(operands.size(), 77);
    run(backend(), program, {&operands, &cell, &before}, uint32_t(operands.size() / 32));
    return {initial, std::move(operands), std::move(before), cell[0]};
  }

  /// Where no two invocations can be given the same value, what each was given must lead from one to the
  /// next, from the first value to the last. `after` says what an atomic leaves.
  template <typename After>
  static void expect_chain(const Outcome& outcome, After after) {
    std::map<uint32_t, uint32_t> next;
    for (size_t i = 0; i < outcome.before.size(); ++i) {
      const auto [at, fresh] = next.emplace(outcome.before[i], after(outcome.before[i], outcome.operands[i]));
      ASSERT_TRUE(fresh) << "two invocations were given " << outcome.before[i];
    }
    uint32_t value = outcome.initial;
    for (size_t steps = 0; steps < outcome.before.size(); ++steps) {
      const auto at = next.find(value);
      ASSERT_NE(at, next.end()) << "no exchange was given " << value << ", which stood there after " << steps;
      value = at->second;
    }
    EXPECT_EQ(value, outcome.final);
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, Atomics, testing::Range(size_t(0), backends().size()),
                         [](const auto& at) { return backends()[at.param].name; });

/// 1, 2, 3, ...
Words counting(uint32_t count) {
  Words out(count);
  std::iota(out.begin(), out.end(), 1u);
  return out;
}
/// Each bit of a word once.
Words bits() {
  Words out;
  for (uint32_t i = 0; i < 32; ++i) out.push_back(1u << (i * 7 % 32));
  return out;
}

// covers: EX-38 EX-39 EX-40 AT-01 AT-02 AT-12
TEST_P(Atomics, AdditionsGiveConsecutiveValues) {
  Outcome outcome = apply("atomic_add(cell[0], 1)", 0xfffffff0, Words(kMany, 1));
  std::ranges::sort(outcome.before, {}, [](uint32_t v) { return v - 0xfffffff0; });
  for (uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(outcome.before[i], 0xfffffff0 + i);
  EXPECT_EQ(outcome.final, 0xfffffff0 + kMany);
}

// covers: EX-38 AT-13
TEST_P(Atomics, AdditionsSumUp) {
  const Outcome outcome = apply("atomic_add(cell[0], v)", 5, counting(kMany));
  EXPECT_EQ(outcome.final, 5 + kMany * (kMany + 1) / 2);
  expect_chain(outcome, [](uint32_t before, uint32_t v) { return before + v; });
}

// covers: AT-11
TEST_P(Atomics, OneCompareExchangeSucceeds) {
  const Outcome outcome = apply("atomic_compare_exchange(cell[0], 0, v)", 0, counting(kMany));
  const auto winner = std::ranges::find(outcome.before, 0u);
  ASSERT_NE(winner, outcome.before.end());
  EXPECT_EQ(std::ranges::count(outcome.before, 0u), 1);
  EXPECT_EQ(outcome.final, outcome.operands[size_t(winner - outcome.before.begin())]);
  EXPECT_EQ(std::ranges::count(outcome.before, outcome.final), kMany - 1)
      << "the others saw what the winner left";
}

// covers: EX-40 AT-14
TEST_P(Atomics, BitsAreOfOneOrder) {
  expect_chain(apply("atomic_or(cell[0], v)", 0, bits()),
               [](uint32_t before, uint32_t v) { return before | v; });
  expect_chain(apply("atomic_xor(cell[0], v)", 0x0f0f0f0f, bits()),
               [](uint32_t before, uint32_t v) { return before ^ v; });
  expect_chain(apply("atomic_and(cell[0], ~v)", 0xffffffff, bits()),
               [](uint32_t before, uint32_t v) { return before & ~v; });
}

// covers: AT-15
TEST_P(Atomics, BoundsMoveOneWay) {
  Words operands = counting(kMany);
  for (uint32_t& v : operands) v *= 2654435761u;  // spread over all words
  for (const bool max : {true, false}) {
    const Outcome outcome =
        apply(max ? "atomic_max(cell[0], v)" : "atomic_min(cell[0], v)", 0x80000000, operands);
    const auto better = [&](uint32_t a, uint32_t b) { return max ? a > b : a < b; };
    uint32_t best = outcome.initial;
    std::map<uint32_t, int>
        raised;  // values that were there, but for the first one, each left by one invocation
    for (size_t i = 0; i < operands.size(); ++i) {
      if (better(operands[i], best)) best = operands[i];
      if (better(operands[i], outcome.before[i])) ++raised[operands[i]];
    }
    EXPECT_EQ(outcome.final, best);
    for (const uint32_t seen : outcome.before) {
      ASSERT_TRUE(seen == outcome.initial || raised.contains(seen)) << seen << " was never there";
      ASSERT_FALSE(better(seen, outcome.final)) << "the word moved away from " << seen;
    }
    for (const auto& [value, times] : raised) ASSERT_EQ(times, 1) << value << " was left twice";
  }
}

// covers: AT-16
TEST_P(Atomics, ExchangesAreAChain) {
  expect_chain(apply("atomic_exchange(cell[0], v)", 0, counting(kMany)),
               [](uint32_t, uint32_t v) { return v; });
}

// The judge of the tests above must find that one chain was edited.
TEST(Chain, SeesAnOrderThatCannotBe) {
  const auto holds = [](const Outcome& outcome) {
    testing::TestPartResultArray results;
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    struct Open : Atomics {
      void TestBody() override {}
      using Atomics::expect_chain;
    };
    Open::expect_chain(outcome, [](uint32_t before, uint32_t v) { return before + v; });
    return results.size() == 0;
  };
  EXPECT_TRUE(holds({0, {3, 1, 2}, {1, 0, 4}, 6}));
  EXPECT_TRUE(holds({0, {1, 2}, {0, 1}, 3}));
  EXPECT_FALSE(holds({0, {1, 2}, {0, 0}, 3}));
  EXPECT_FALSE(holds({0, {1, 2}, {0, 1}, 4}));
  EXPECT_FALSE(holds({0, {1, 2}, {5, 1}, 3}));
}

/// What a program leaves in `data` and `out` when invocations run one after another, and in lock-step.
std::pair<Words, Words> two_orders(std::string_view text) {
  const check::Checked program = checked(text);
  Words first_data(8, 9), first_out(8, 9), second_data(8, 9), second_out(8, 9);
  run(*backends()[0].backend, program, {&first_data, &first_out}, 1);
  std::vector<std::span<std::byte>> spans = {std::as_writable_bytes(std::span(second_data)),
                                             std::as_writable_bytes(std::span(second_out))};
  const auto bindings = layout::bind(program, spans, {});
  if (!bindings) throw std::runtime_error(bindings.error().message);
  const auto ran = lower::evaluate(lower::build(program), *bindings, {});
  if (!ran) throw std::runtime_error(ran.error().message);
  return {first_out, second_out};
}

// covers: EX-46 EX-58
TEST(Races, ShowAsADifference) {
  const std::string head =
      "program p(read_write data: u32 @0, read_write out: u32 @1) workgroup(8, 1, 1) { let i = local_id.x; ";
  const auto racy = two_orders(head + "data[i] = i; out[i] = data[(i + 1) & 7]; }");
  EXPECT_NE(racy.first, racy.second);
  const auto parted = two_orders(head + "data[i] = i; barrier; out[i] = data[(i + 1) & 7]; }");
  EXPECT_EQ(parted.first, parted.second);
  EXPECT_EQ(parted.first, (Words{1, 2, 3, 4, 5, 6, 7, 0}));
}

// covers: CC-06 CC-09
TEST(Signatures, SayTheTypesAndTheFewestBytes) {
  using spec::DataType;
  EXPECT_EQ((spec::OpSignature{{DataType::U32, DataType::U32}, DataType::U32}).min_input_bytes(), 8u);
  EXPECT_EQ(
      (spec::OpSignature{{DataType::U64, DataType::F16, DataType::Bytes}, DataType::U32}).min_input_bytes(),
      10u);
  const spec::OpDef* rotl = ops::op_table().find("primitive.bitwise.rotl", 1);
  ASSERT_NE(rotl, nullptr);
  EXPECT_EQ(rotl->signature, (spec::OpSignature{{DataType::U32, DataType::U32}, DataType::U32}));
  const spec::OpDef* ballot = ops::op_table().find("subgroup.ballot", 1);
  ASSERT_NE(ballot, nullptr);
  EXPECT_EQ(ballot->signature, (spec::OpSignature{{DataType::U32}, DataType::Vec4U32}));
}

// A program around each operation of the library, its buffers allocated by the signature alone: it is
// accepted with these types and no others, and gives the rows of the specification on every backend.
// covers: CC-07 CC-08
TEST(Signatures, AllocateTheBuffers) {
  for (const ops::Operation& operation : ops::all_operations()) {
    const spec::OpSignature& signature = operation.signature;
    std::string buffers, arguments;
    std::vector<Bytes> memory;
    for (size_t i = 0; i < signature.inputs.size(); ++i) {
      buffers += "read a" + std::to_string(i) + ": " + std::string(spec::text(signature.inputs[i])) + " @" +
                 std::to_string(i) + ", ";
      arguments += (i == 0 ? "a" : ", a") + std::to_string(i) + "[i]";
      memory.emplace_back(operation.rows.size() * spec::min_bytes(signature.inputs[i]));
    }
    memory.emplace_back(operation.rows.size() * spec::min_bytes(signature.output));
    const check::Checked program =
        checked("program apply(" + buffers + "read_write out: " + std::string(spec::text(signature.output)) +
                " @9) workgroup(1, 1, 1) { let i = invocation_id.x; out[i] = " + std::string(operation.id) +
                "(" + arguments + "); }");
    for (size_t row = 0; row < operation.rows.size(); ++row) {
      for (size_t i = 0; i < signature.inputs.size(); ++i) {
        const size_t bytes = spec::min_bytes(signature.inputs[i]);
        std::memcpy(memory[i].data() + bytes * row, &operation.rows[row].operands[i], bytes);
      }
    }
    const std::vector<std::span<std::byte>> spans(memory.begin(), memory.end());
    for (const OpenBackend& open : backends()) {
      std::ranges::fill(memory.back(), std::byte{0x5a});
      const auto pipeline = open.backend->compile(program);
      ASSERT_TRUE(pipeline) << operation.id;
      ASSERT_TRUE((*pipeline)->dispatch(spans, {uint32_t(operation.rows.size()), 1, 1})) << operation.id;
      for (size_t row = 0; row < operation.rows.size(); ++row) {
        const size_t bytes = spec::min_bytes(signature.output);
        uint32_t actual = 0;  // of a type of up to 32 bits
        std::memcpy(&actual, memory.back().data() + bytes * row, bytes);
        EXPECT_EQ(actual, operation.rows[row].expected)
            << operation.id << ", row " << row << ", " << open.name;
      }
    }
  }
}

}  // namespace
}  // namespace vyre::file_test
