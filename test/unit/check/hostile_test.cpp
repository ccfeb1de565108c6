// Whatever the bytes are, text or wire: a valid program, or a diagnostic with a code of the layer that gives
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "check/checked.h"
#include "oracle.h"
#include "text/text.h"
#include "wire/seal.h"
#include "wire/wire.h"

VYRE_ORACLE(Property, "whatever the bytes are, they are accepted or refused, and both happen");

namespace vyre::check {
namespace {

/// What became of the inputs of one test.
struct Tally {
  std::atomic<size_t> valid = 0, invalid = 0, unread = 0;
};

char class_of(DiagCode code) { return diag_info(code).name[0]; }

void judge(Result<ir::Program> program, char unread, Tally& tally) {
  if (!program) {
    if (class_of(program.error().code) != unread || program.error().message.empty()) {
      ADD_FAILURE() << render(program.error(), nullptr);
    }
    ++tally.unread;
    return;
  }
  const auto checked = check(*std::move(program), spec::OpTable());
  if (checked) {
    ++tally.valid;
    return;
  }
  for (const Diag& diag : checked.error()) {
    if (class_of(diag.code) != 'V' || diag.message.empty()) ADD_FAILURE() << render(diag, nullptr);
  }
  if (checked.error().empty()) ADD_FAILURE() << "refused without a word";
  ++tally.invalid;
}
void judge_text(std::string_view text, Tally& tally) { judge(text::parse(text), 'P', tally); }
void judge_wire(std::span<const std::byte> file, Tally& tally) { judge(wire::decode(file), 'W', tally); }

/// Calls `one` with every string of up to three bytes, on all cores.
template <typename One>
void every_short_input(const One& one) {
  one(std::string_view{});
  std::vector<std::thread> threads;
  std::atomic<int> next = 0;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (int a = next++; a < 256; a = next++) {
        one(std::string{char(a)});
        for (int b = 0; b < 256; ++b) {
          one(std::string{char(a), char(b)});
          for (int c = 0; c < 256; ++c) one(std::string{char(a), char(b), char(c)});
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}
constexpr size_t kShortInputs = 1 + 256 + (1 << 16) + (1 << 24);

TEST(Hostile, TextsOfUpToThreeBytes) {
  VYRE_ORACLE(SpecificationTable, "text-format: the shortest program takes more than three bytes");
  Tally tally;
  every_short_input([&](std::string_view text) { judge_text(text, tally); });
  EXPECT_EQ(tally.unread, kShortInputs);
}

TEST(Hostile, WireBodiesOfUpToThreeBytes) {
  VYRE_ORACLE(SpecificationTable,
              "docs/wire-format.md: a body takes eight bytes at least (two for the string, three for the "
              "size, three counts)");
  Tally tally;
  every_short_input(
      [&](std::string_view body) { judge_wire(wire::seal(std::as_bytes(std::span(body))), tally); });
  EXPECT_EQ(tally.unread, kShortInputs);
}
TEST(Hostile, WireFilesOfUpToThreeBytes) {
  Tally tally;
  every_short_input([&](std::string_view file) { judge_wire(std::as_bytes(std::span(file)), tally); });
  EXPECT_EQ(tally.unread, kShortInputs);
}

std::vector<std::string> corpus(const std::string& extension) {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(VYRE_SOURCE_DIR) / "test/wire/v1")) {
    if (entry.path().extension() != extension) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  EXPECT_GE(out.size(), 12u);
  return out;
}

/// Calls `one` with each truncation, and with each other value of each byte from `from` on.
template <typename One>
void every_edit(std::string content, size_t from, const One& one) {
  for (size_t size = 0; size <= content.size(); ++size) one(std::string_view(content).substr(0, size));
  for (size_t at = from; at < content.size(); ++at) {
    const char before = content[at];
    for (int value = 0; value < 256; ++value) {
      content[at] = char(value);
      if (content[at] != before) one(content);
    }
    content[at] = before;
  }
}

TEST(Hostile, EveryEditedText) {
  // Both happen, or the test shows nothing: a digit may be any digit, a bracket may not.
  Tally tally;
  for (const std::string& text : corpus(".vyre")) {
    if (text.size() < 800) every_edit(text, 0, [&](std::string_view edited) { judge_text(edited, tally); });
  }
  EXPECT_GT(tally.valid, 1000u);
  EXPECT_GT(tally.invalid, 1000u);
  EXPECT_GT(tally.unread, 1000u);
}

TEST(Hostile, EveryEditedWireBody) {
  Tally tally;
  constexpr size_t kHeader = 40;
  for (const std::string& file : corpus(".vyrb")) {
    every_edit(file.substr(kHeader), 0,
               [&](std::string_view body) { judge_wire(wire::seal(std::as_bytes(std::span(body))), tally); });
    Tally cut;  // a header of the whole file, and not all of it
    every_edit(file, file.size(), [&](std::string_view part) {
      if (part.size() < file.size()) judge_wire(std::as_bytes(std::span(part)), cut);
    });
    EXPECT_EQ(cut.unread, file.size());
  }
  EXPECT_GT(tally.valid, 1000u);
  EXPECT_GT(tally.invalid, 1000u);
  EXPECT_GT(tally.unread, 1000u);
}

}  // namespace
}  // namespace vyre::check
