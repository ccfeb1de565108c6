// Cached files: whatever was done to one, what it held is used only for what it was made.
#include "backend/cache_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/read_file.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "by hand: what was kept under a key, and nothing else, comes back for it; a file that is not "
            "byte for byte what was written is none");

namespace vyre::backend {
namespace {

namespace fs = std::filesystem;

class CacheFilesTest : public testing::Test {
 protected:
  CacheFilesTest() : folder_(fs::path(testing::TempDir()) / ("vyre-cache-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
  }
  ~CacheFilesTest() override { fs::remove_all(folder_); }

  static Bytes bytes(std::string_view text) {
    const auto all = std::as_bytes(std::span(text));
    return Bytes(all.begin(), all.end());
  }
  fs::path only_file() const { return fs::directory_iterator(folder_)->path(); }
  static std::string content(const fs::path& path) { return read_file_text(path, 1 << 20).value(); }
  static void write(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }

  fs::path folder_;
};

TEST_F(CacheFilesTest, GiveBackWhatWasKept) {
  const CacheFiles files(folder_, ".test");
  const Digest one = cache_key({"format", "machine", "x"}), other = cache_key({"format", "machinex", ""});
  EXPECT_NE(one, other) << "parts are kept apart";
  EXPECT_FALSE(files.find(one));
  files.keep(one, bytes("content"));
  EXPECT_EQ(files.find(one), bytes("content"));
  EXPECT_FALSE(files.find(other));
  files.keep(one, {});
  EXPECT_EQ(files.find(one), Bytes());
  const CacheFiles nowhere({}, ".test");
  nowhere.keep(one, bytes("content"));
  EXPECT_FALSE(nowhere.find(one));
}

TEST_F(CacheFilesTest, EveryDamageIsSeen) {
  const CacheFiles files(folder_, ".test");
  const Digest key = cache_key({"format", "machine"});
  files.keep(key, bytes("steady\nfadd fmul\n"));
  const fs::path path = only_file();
  const std::string whole = content(path);
  const size_t before = damaged_cache_files().size();
  size_t damages = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit, ++damages) {
      std::string damaged = whole;
      damaged[at] = char(damaged[at] ^ (1 << bit));
      write(path, damaged);
      ASSERT_FALSE(files.find(key)) << "byte " << at << ", bit " << bit;
    }
  }
  for (size_t length = 0; length < whole.size(); ++length, ++damages) {
    write(path, whole.substr(0, length));
    ASSERT_FALSE(files.find(key)) << "cut to " << length;
  }
  for (const std::string& longer : {whole + '\0', whole + whole, '\0' + whole}) {
    ++damages;
    write(path, longer);
    ASSERT_FALSE(files.find(key));
  }
  const auto all = damaged_cache_files();
  EXPECT_EQ(all.size() - before, damages) << "each is reported";
  EXPECT_EQ(all.back(), path);
  files.keep(key, bytes("steady\nfadd fmul\n"));
  EXPECT_EQ(content(path), whole) << "and it is written again";
  EXPECT_TRUE(files.find(key));
}

// A verdict on a device that keeps its promises, under the name of one on another that does not.
TEST_F(CacheFilesTest, AnotherEntryUnderTheNameOfThis) {
  const CacheFiles files(folder_, ".test");
  const Digest good = cache_key({"format", "good device"}), bad = cache_key({"format", "bad device"});
  files.keep(good, bytes("native fadd"));
  const fs::path from = only_file();
  files.keep(bad, bytes("composed fadd"));
  fs::path to;
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.path() != from) to = entry.path();
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(files.find(bad));
  EXPECT_EQ(files.find(good), bytes("native fadd"));
}

TEST_F(CacheFilesTest, WhatIsNoFileIsNone) {
  const CacheFiles files(folder_, ".test");
  const Digest key = cache_key({"format"});
  files.keep(key, bytes("x"));
  const fs::path path = only_file();
  fs::remove(path);
  fs::create_symlink("/dev/zero", path);
  EXPECT_FALSE(files.find(key));
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_FALSE(files.find(key));
  files.keep(key, bytes("x"));  // cannot be: no error
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "no part is left";
}

}  // namespace
}  // namespace vyre::backend
