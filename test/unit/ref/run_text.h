// Running a program given as text on buffers of words, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "check/checked.h"
#include "ref/ref.h"
#include "text/text.h"

namespace vyre::ref {

constexpr uint32_t kPoison = 0xcccccccc;  // in what a program has to write

using Words = std::vector<uint32_t>;

inline std::string all_messages(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diag& diag : diagnostics) out += render(diag, nullptr);
  return out;
}

/// The program, checked; a test that gives a bad one ends with the diagnostics.
inline check::Checked checked(ir::Program program, const spec::OpTable& ops) {
  auto result = check::check(std::move(program), ops);
  if (!result) {
    ADD_FAILURE() << all_messages(result.error());
    std::abort();
  }
  return *std::move(result);
}
inline check::Checked checked(std::string_view text, const spec::OpTable& ops) {
  auto program = text::parse(text);
  if (!program) {
    const Source source("test", std::string(text));
    ADD_FAILURE() << render(program.error(), &source);
    std::abort();
  }
  return checked(*std::move(program), ops);
}

/// One dispatch over a copy of the buffers, which it gives back.
inline Result<std::vector<Words>> try_run(const check::Checked& program, std::vector<Words> buffers,
                                          layout::Groups groups = {}, const Options& options = {}) {
  std::vector<std::span<std::byte>> host;
  for (Words& words : buffers) host.push_back(std::as_writable_bytes(std::span(words)));
  VYRE_CHECK(run(program, host, groups, options));
  return buffers;
}

}  // namespace vyre::ref
