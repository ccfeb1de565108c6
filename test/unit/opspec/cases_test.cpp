// Every operation over buffers on a backend, held to its reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string>

#include "library/library.h"
#include "opspec/opspec.h"
#include "oracle.h"
#include "unit/opspec/device.h"
#include "verify/buffer_operation.h"

VYRE_ORACLE(CpuReference,
            "src/opspec: OpenSSL, zlib, xxHash, lz4, iconv, the standard library, and other algorithms");

namespace vyre {
namespace {

uint64_t cases() {
  const char* chosen = std::getenv("VYRE_CASES");
  return chosen == nullptr ? 100 : std::strtoull(chosen, nullptr, 10);
}

std::string_view group_of(const opspec::OperationSpec& operation) {
  return operation.id.substr(0, operation.id.find('.'));
}

/// VYRE_CASES_A_GROUP: so many of a group (hash, match, engine, ...), as many of each of its operations.
uint64_t malformed_cases(const opspec::OperationSpec& operation) {
  const char* chosen = std::getenv("VYRE_CASES_A_GROUP");
  if (chosen == nullptr) return cases();
  const auto operations =
      uint64_t(std::ranges::count(opspec::all_operations(), group_of(operation), group_of));
  return (std::strtoull(chosen, nullptr, 10) + operations - 1) / operations;
}

TEST(OperationSpecs, EachOperationHasOne) {
  for (const library::Entry& entry : library::entries())
    EXPECT_NE(opspec::find_operation(entry.id), nullptr) << entry.id;
}
TEST(OperationSpecs, EachIsOfAnOperation) {
  for (const opspec::OperationSpec& operation : opspec::all_operations())
    EXPECT_NE(library::find(operation.id), nullptr) << operation.id;
}

class Operation : public testing::TestWithParam<opspec::OperationSpec> {};

using Maker = opspec::Buffers (*)(const opspec::OperationSpec&, uint64_t number);

void judge_all(const opspec::OperationSpec& operation, uint64_t count, Maker make) {
  auto judge = verify::BufferJudge::make(test::backend_under_test(), operation);
  ASSERT_TRUE(judge) << judge.error().message;
  for (uint64_t number = 0; number < count; ++number) {
    const opspec::Buffers input = make(operation, number);
    const auto difference = judge->judge(input);
    ASSERT_TRUE(difference) << "case " << number << ": " << difference.error().message;
    if (!*difference) continue;
    const auto small = judge->shrink(input);
    ASSERT_TRUE(small);
    FAIL() << "case " << number << ": " << **difference
           << "; smaller: " << judge->judge(small->input)->value_or("it passes now") << "\n"
           << verify::shown(judge->pipeline(), small->input);
  }
}

TEST_P(Operation, Cases) {
  judge_all(GetParam(), cases(), [](const opspec::OperationSpec& operation, uint64_t number) {
    return opspec::make_case(operation, 1, number);
  });
}
TEST_P(Operation, MalformedCases) {
  const uint64_t count = malformed_cases(GetParam());
  judge_all(GetParam(), count, [](const opspec::OperationSpec& operation, uint64_t number) {
    return opspec::make_malformed_case(operation, 1, number);
  });
}
// More turns of loops than llvmpipe lets an invocation have: there it is refused, and nowhere is the answer
// another one.
TEST(LongLoops, OfTwoLongItems) {
  const opspec::OperationSpec& operation = *opspec::find_operation("string.levenshtein");
  constexpr uint32_t kLength = 3'000, kNothing = 7;
  opspec::Buffers input;
  for (const uint32_t step : {7u, 11u}) {
    opspec::Buffer& data = input.emplace_back(kLength);
    for (uint32_t i = 0; i < kLength; ++i) data[i] = std::byte(i * i / step % 5);
    const std::array<uint32_t, 2> offsets = {0, kLength};
    const auto bytes = std::as_bytes(std::span(offsets));
    input.emplace_back(bytes.begin(), bytes.end());
  }
  input.emplace_back(4, std::byte{kNothing});
  auto judge = verify::BufferJudge::make(test::backend_under_test(), operation);
  ASSERT_TRUE(judge) << judge.error().message;
  const auto difference = judge->judge(input);
  if (!difference) {
    EXPECT_EQ(difference.error().code, DiagCode::B003);
    EXPECT_TRUE(difference.error().message.contains("the driver ended a loop")) << difference.error().message;
    EXPECT_TRUE(test::backend_under_test().identity().driver.contains("llvmpipe"));
  } else {
    EXPECT_FALSE(*difference) << **difference;
  }
}
INSTANTIATE_TEST_SUITE_P(All, Operation, testing::ValuesIn(opspec::all_operations()), [](const auto& of) {
  std::string name(of.param.id);
  std::ranges::replace(name, '.', '_');
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Operation);

}  // namespace
}  // namespace vyre
