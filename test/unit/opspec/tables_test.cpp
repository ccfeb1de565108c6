// Tables of automata that are not as the operations describe them.
#include <gtest/gtest.h>

#include "backend/registry/registry.h"
#include "opspec/opspec.h"
#include "oracle.h"
#include "verify/buffer_judge.h"

VYRE_ORACLE(ReferenceInterpreter, "the texts of the library, which say what becomes of any table");

namespace vyre {
namespace {

/// What has no meaning for an operation is the same everywhere nevertheless.
TEST(OperationTables, MeaninglessTablesGiveTheSameEverywhere) {
  constexpr uint64_t kCases = 40;
  const auto interpreter = backend::make_reference();
  const auto native = backend::open("native");
  ASSERT_TRUE(native) << native.error().message;
  for (opspec::OperationSpec operation : opspec::all_operations()) {
    if (!operation.id.starts_with("match.") || operation.mend == nullptr) continue;
    operation.mend = nullptr;
    auto meant = verify::BufferJudge::make(*interpreter, operation);
    auto judge = verify::BufferJudge::make(**native, operation);
    ASSERT_TRUE(meant && judge) << operation.id;
    for (uint64_t number = 0; number < kCases; ++number) {
      const opspec::Buffers input = opspec::make_malformed_case(operation, 1, number);
      const auto wanted = meant->run(input), got = judge->run(input);
      ASSERT_TRUE(wanted && got) << operation.id;
      EXPECT_EQ(judge->difference(*wanted, *got), std::nullopt) << operation.id << ", case " << number;
    }
    EXPECT_EQ(judge->broken(), 0) << operation.id;
  }
}

}  // namespace
}  // namespace vyre
