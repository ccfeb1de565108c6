// Every operation over buffers on a backend, held to its reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "backend/registry/registry.h"
#include "library/library.h"
#include "opspec/opspec.h"
#include "oracle.h"
#include "verify/buffer_judge.h"

VYRE_ORACLE(CpuReference,
            "src/opspec: OpenSSL, zlib, xxHash, lz4, iconv, the standard library, and other algorithms");

namespace vyre {
namespace {

uint64_t cases() {
  const char* chosen = std::getenv("VYRE_CASES");
  return chosen == nullptr ? 100 : std::strtoull(chosen, nullptr, 10);
}

backend::Backend& backend_under_test() {
  static const auto backend = [] {
    const char* chosen = std::getenv("VYRE_BACKEND");
    auto opened = backend::open(chosen == nullptr ? "native" : chosen);
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }();
  return *backend;
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

TEST_P(Operation, Cases) {
  auto judge = verify::BufferJudge::make(backend_under_test(), GetParam());
  ASSERT_TRUE(judge) << judge.error().message;
  for (uint64_t number = 0; number < cases(); ++number) {
    const opspec::Buffers input = opspec::make_case(GetParam(), 1, number);
    const auto difference = judge->judge(input);
    ASSERT_TRUE(difference) << "case " << number << ": " << difference.error().message;
    if (!*difference) continue;
    const auto small = judge->shrink(input);
    ASSERT_TRUE(small);
    std::string shown;
    for (const opspec::Buffer& buffer : *small) {
      shown += "\n ";
      for (size_t i = 0; i < std::min<size_t>(buffer.size(), 96); ++i)
        shown += fmt::format("{}{:02x}", i % 4 == 0 ? " " : "", uint8_t(buffer[i]));
      if (buffer.size() > 96) shown += fmt::format(" ... ({} bytes)", buffer.size());
    }
    FAIL() << "case " << number << ": " << **difference << "; smaller: " << **judge->judge(*small) << shown;
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
