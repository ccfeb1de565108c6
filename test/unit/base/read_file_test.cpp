// Files from outside: what is read, and what is refused before it is.
#include "base/read_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <csignal>

#include <fstream>
#include <thread>

#include "base/printable.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "POSIX, sys/stat.h, the file system's and Unicode's definitions, by hand");

namespace vyre {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ReadFile : public testing::Test {
 protected:
  ReadFile() : folder_(fs::path(testing::TempDir()) / ("vyre-read-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ReadFile() override { fs::remove_all(folder_); }
  fs::path file(std::string_view content) {
    std::ofstream(folder_ / "file", std::ios::binary) << content;
    return folder_ / "file";
  }
  static std::string why(const fs::path& path, uint64_t most = 100) {
    const auto read = read_file_text(path, most);
    return read ? "read: " + *read : read.error();
  }
  fs::path folder_;
};

TEST_F(ReadFile, WholeUpToTheLimit) {
  EXPECT_EQ(read_file_text(file(""), 0), "");
  const std::string text("a\0b\n\xff", 5);
  EXPECT_EQ(read_file_text(file(text), 5), text);
  EXPECT_EQ(read_file_text(file(text), 1 << 20), text);
  EXPECT_THAT(why(file(text), 4), HasSubstr("it has 5 bytes, and at most this many are read here: 4"));
  const std::string large(300'000, 'x');
  EXPECT_EQ(read_file_text(file(large), 300'000), large);
  EXPECT_EQ(read_file_bytes(file(large), 300'000)->size(), 300'000u);
  // No size is known of these beforehand.
  EXPECT_THAT(read_file_text("/proc/self/status", 1 << 20).value(), HasSubstr("Pid:"));
  EXPECT_THAT(why("/proc/self/status", 10), HasSubstr("more bytes"));
}

TEST_F(ReadFile, NothingThatNeedNotEnd) {
  // POSIX, sys/stat.h: the kinds of files, of which only regular ones have an end.
  EXPECT_THAT(why(folder_), HasSubstr("it is a folder"));
  for (const char* device : {"/dev/zero", "/dev/urandom", "/dev/null"})
    EXPECT_THAT(why(device), HasSubstr("a device"));
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(why(folder_ / "pipe"), HasSubstr("a named pipe"));  // and there is no wait
  EXPECT_THAT(why(folder_ / "none"), HasSubstr("No such file"));
  std::ofstream(folder_ / "sparse").put('x');
  fs::resize_file(folder_ / "sparse", uintmax_t{1} << 40);
  EXPECT_THAT(why(folder_ / "sparse", UINT64_MAX), HasSubstr("this machine's memory"));
  EXPECT_THAT(why(folder_ / "sparse"), HasSubstr("it has 1099511627776 bytes"));
}

TEST_F(ReadFile, APipeThatAShellMade) {
  const std::string sent(200'000, 'y');
  for (const uint64_t most : {sent.size(), sent.size() - 1}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::jthread writer([&] {
      signal(SIGPIPE, SIG_IGN);
      for (size_t at = 0; at < sent.size();) {
        const ssize_t n = write(ends[1], sent.data() + at, std::min<size_t>(1000, sent.size() - at));
        if (n < 0) break;
        at += size_t(n);
      }
      close(ends[1]);
    });
    const auto read = read_file_text("/dev/fd/" + std::to_string(ends[0]), most);
    EXPECT_EQ(read.has_value(), most == sent.size());
    if (read) {
      EXPECT_EQ(*read, sent);
    }
    close(ends[0]);
  }
}

TEST(Printable, NothingThatATerminalObeys) {
  // Unicode: categories Cc and Zl, Zp, and the property Bidi_Control.
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(printable("plain \xc3\xa9 ~"), "plain \xc3\xa9 ~");
  EXPECT_EQ(printable("a\x1b[2J\x7f"), "a" + bad + "[2J" + bad);
  EXPECT_EQ(printable("a\nb"), "a" + bad + "b");
  EXPECT_EQ(printable("a\nb\r", true), "a\nb" + bad);
  for (const char* turns : {"\u061c", "\u200e", "\u200f", "\u2028", "\u202a", "\u202e", "\u2066", "\u2069"})
    EXPECT_THAT(printable(turns), testing::StartsWith(bad));
  for (const char* harmless : {"\u200d", "\u2027", "\u202f", "\u2065", "\u206a", "\u00a0"})
    EXPECT_EQ(printable(harmless), harmless);
}

}  // namespace
}  // namespace vyre
