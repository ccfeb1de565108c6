// What the tests of every backend on a device share: programs from text, and how a refusal is looked at.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "project_programs.h"

namespace vyre::test {

inline std::string diagnosis(const Diag& d) {
  return std::string(diag_info(d.code).name) + ": " + d.message + " (" + d.help + ")";
}

inline std::vector<uint32_t> iota(size_t count, uint32_t first) {
  std::vector<uint32_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}
inline std::span<std::byte> bytes_of(std::vector<uint32_t>& words) {
  return std::as_writable_bytes(std::span(words));
}

/// A folder for this test of this process alone: "vyre-<kind>-<test>-<pid>". It is not made here.
inline std::filesystem::path folder_of_test(std::string_view kind) {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  return std::filesystem::path(testing::TempDir()) /
         ("vyre-" + std::string(kind) + "-" + test + "-" + std::to_string(getpid()));
}

/// The files in a folder, which need not be there.
inline std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  if (!std::filesystem::exists(folder)) return out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) out.push_back(entry.path());
  return out;
}
/// Damages a file of a cache, a bit or its length, and looks after each time: it has to be written again.
inline void expect_mended(const std::filesystem::path& file,
                          const std::function<void(const std::string& damage)>& look) {
  const uintmax_t size = std::filesystem::file_size(file);
  for (const uintmax_t at : {uintmax_t{0}, uintmax_t{33}, size / 2, size - 1}) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(std::streamoff(at));
    const char old = char(stream.get());
    stream.seekp(std::streamoff(at));
    stream.put(char(old ^ 1));
    stream.close();
    look("byte " + std::to_string(at));
  }
  for (const uintmax_t length : {uintmax_t{0}, uintmax_t{31}, uintmax_t{32}, uintmax_t{40}, size - 1}) {
    std::filesystem::resize_file(file, length);
    look("cut to " + std::to_string(length));
    EXPECT_EQ(std::filesystem::file_size(file), size);
  }
}

/// That it is refused with this code, that message or help have these words, and that help there is.
template <typename T>
void expect_refused(const Result<T>& result, DiagCode code, const std::vector<std::string>& words) {
  ASSERT_FALSE(result) << "it was not refused";
  EXPECT_EQ(diag_info(result.error().code).name, diag_info(code).name) << diagnosis(result.error());
  for (const std::string& word : words) EXPECT_THAT(diagnosis(result.error()), testing::HasSubstr(word));
  EXPECT_FALSE(result.error().help.empty());
}

inline constexpr std::string_view kAdd = R"(
program add(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  if (i < len(out)) { out[i] = out[i] + a[i]; }
})";

}  // namespace vyre::test
