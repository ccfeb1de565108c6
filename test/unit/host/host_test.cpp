// Files, values and comparisons of the host layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "host/files.h"
#include "host/run.h"
#include "host/values.h"

namespace vyre::host {
namespace {

using spec::DataType;
using testing::HasSubstr;

Buffers one_buffer(DataType type, bool writable, std::vector<uint32_t> words) {
  Buffers buffers;
  buffers.order = {"out"};
  buffers.by_name["out"] = {type, writable, to_bytes(words)};
  return buffers;
}

// Oracle: COMMANDS, "--compare": the first element that differs; X008.
TEST(ExpectEqual, NamesTheFirstElementThatDiffers) {
  const Buffers a = one_buffer(DataType::I32, true, {1, 2, 3, 4});
  const Buffers b = one_buffer(DataType::I32, true, {1, 2, 0xffffffff, 5});
  const auto result = expect_equal(a, "reference", b, "native");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, DiagCode::X008);
  EXPECT_EQ(result.error().message, "out[2]: reference has 3 (0x00000003), native has -1 (0xffffffff)");
  EXPECT_TRUE(expect_equal(a, "reference", a, "native"));
  EXPECT_NE(digest_outputs(a), digest_outputs(b));
}

// Oracle: only read_write buffers are results.
TEST(ExpectEqual, IgnoresBuffersThatNobodyWrites) {
  const Buffers a = one_buffer(DataType::U32, false, {1});
  const Buffers b = one_buffer(DataType::U32, false, {2});
  EXPECT_TRUE(expect_equal(a, "x", b, "y"));
  EXPECT_EQ(digest_outputs(a), digest_outputs(b));
}

// Oracle: COMMANDS, "SPEC", by hand.
TEST(Spec, LiteralsAreElements) {
  EXPECT_EQ(to_words(*parse_spec("1,0x2,-3,0x80000000,-2147483648", DataType::I32)),
            (std::vector<uint32_t>{1, 2, 0xfffffffd, 0x80000000, 0x80000000}));
  EXPECT_EQ(to_words(*parse_spec("", DataType::U32)), std::vector<uint32_t>{});
  for (const char* bad :
       {"-1", "4294967296", "0x100000000", "1,,2", "1,", "1 2", "x", "0x", "-", "1.5", "inf"}) {
    EXPECT_FALSE(parse_spec(bad, DataType::U32)) << bad;
  }
  for (const char* bad : {"2147483648", "-2147483649", "99999999999999999999"}) {
    EXPECT_FALSE(parse_spec(bad, DataType::I32)) << bad;
  }
  EXPECT_FALSE(parse_spec("1", DataType::Bool));
  EXPECT_EQ(parse_spec("zeros:3", DataType::Bool)->size(), 12u);
}

// Oracle: a file that cannot be written whole is not written at all.
TEST(WriteFile, IsWholeOrNotThere) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "vyre_host_test";
  fs::create_directories(folder);
  const std::string path = (folder / "file").string();
  ASSERT_TRUE(write_file(path, std::string_view("first")));
  ASSERT_TRUE(write_file(path, std::string_view("second")));
  EXPECT_EQ(read_file(path)->size(), 6u);
  const auto failed = write_file((folder / "missing" / "file").string(), std::string_view("x"));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("cannot write"));
  EXPECT_FALSE(write_file(folder.string(), std::string_view("x")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "a part was left behind";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace vyre::host
