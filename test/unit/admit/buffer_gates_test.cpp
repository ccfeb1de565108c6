// The gates for operations over buffers: the library passes, and texts that are wrong in one way each are
// refused by the gate of that way.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "admit/gates.h"
#include "opspec/opspec.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "docs/admission.md, the gates of operations over buffers");

namespace vyre::admit {
namespace {

/// The refusals of an operation with another text.
Diagnostics with_text(std::string_view id, const std::string& text) {
  library::Entry entry = *library::find(id);
  const library::File file{entry.file->path, text};
  entry.file = &file;
  return admit(entry);
}
std::string text_of(std::string_view id) { return std::string(library::find(id)->file->text); }

void expect_refused(std::string_view id, const std::string& text, DiagCode code, std::string_view why) {
  const Diagnostics refusals = with_text(id, text);
  ASSERT_FALSE(refusals.empty()) << why;
  EXPECT_EQ(refusals.front().code, code) << refusals.front().message;
  EXPECT_NE(refusals.front().message.find(why), std::string::npos) << refusals.front().message;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  size_t at = 0;
  while ((at = text.find(from, at)) != std::string::npos) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

TEST(BufferGates, AreOpenForTheLibrary) {
  for (const char* id : {"hash.crc32", "encode.hex", "collection.reduce_add", "graph.bfs"}) {
    const Diagnostics refusals = admit(*library::find(id));
    EXPECT_TRUE(refusals.empty()) << refusals.front().message;
  }
}

TEST(BufferGates, OfTheCategory) {
  const std::string text = text_of("collection.reverse");
  expect_refused("collection.reverse", replaced(text, "pipeline main(", "pipeline other("), DiagCode::C013,
                 "no pipeline `main`");
  expect_refused("collection.reverse", text + R"(
program large(read_write a: u32 @0, workgroup s: u32[9000]) workgroup(64, 1, 1) { s[local_id.x] = 1; }
)",
                 DiagCode::C008, "36000 bytes of workgroup memory");
  std::string many;
  for (int k = 0; k < 9; ++k)
    many += (k == 0 ? "" : ", ") + ("read_write b" + std::to_string(k)) + ": u32 @" + std::to_string(k);
  expect_refused("collection.reverse",
                 text + "\nprogram many(" + many + ") workgroup(64, 1, 1) { b0[0] = 1; }\n", DiagCode::C008,
                 "binds 9 buffers");
}

TEST(BufferGates, OfTheSignature) {
  // Cases of encode.hex have five buffers, and this `main` has two.
  expect_refused("encode.hex", text_of("collection.reverse"), DiagCode::C009,
                 "its cases have 5 buffers, and `main` has 2");
}

TEST(BufferGates, OfWhatNoRunUses) {
  expect_refused("collection.reverse",
                 text_of("collection.reverse") +
                     "\nprogram spare(read_write a: u32 @0) workgroup(64, 1, 1) { a[local_id.x] = 1; }\n",
                 DiagCode::C010, "no run dispatches program spare");
}

TEST(BufferGates, OfTheRules) {
  const std::string text = text_of("collection.reverse");
  expect_refused("collection.reverse", replaced(text, "// run:", "// once:"), DiagCode::C013, "0 rows");
  expect_refused("collection.reverse", replaced(text, "// oracle:", "// of:"), DiagCode::C013,
                 "without an oracle");
  library::Entry unknown = *library::find("collection.reverse");
  unknown.id = "engine.unknown";
  std::string engine;
  for (const Diag& refusal : admit(unknown)) engine += refusal.message + "\n";
  EXPECT_NE(engine.find("promises nothing"), std::string::npos) << engine;
  EXPECT_NE(engine.find("outputs have no records"), std::string::npos) << engine;
  unknown.id = "collection.unknown";
  const Diagnostics refusals = admit(unknown);
  ASSERT_FALSE(refusals.empty());
  EXPECT_NE(refusals.front().message.find("no reference"), std::string::npos) << refusals.front().message;
}

// What judges collection.reverse, wrong in one way each: the text is the library's.

void expect_judge_refused(const opspec::OperationSpec& judge, DiagCode code, std::string_view why) {
  const Diagnostics refusals = admit(*library::find(judge.id), &judge);
  ASSERT_FALSE(refusals.empty()) << why;
  EXPECT_EQ(refusals.front().code, code) << refusals.front().message;
  EXPECT_NE(refusals.front().message.find(why), std::string::npos) << refusals.front().message;
}

TEST(BufferGates, OfTheDeterministicReference) {
  opspec::OperationSpec judge = *opspec::find_operation("collection.reverse");
  judge.reference = [](opspec::Buffers& buffers) {
    static std::atomic<uint32_t> calls = 0;
    std::ranges::fill(buffers[1], std::byte(++calls));
  };
  expect_judge_refused(judge, DiagCode::C011, "the reference gives two results of case");
  // One that gives the same again on the thread that asks first, and something else on any other.
  judge.reference = [](opspec::Buffers& buffers) {
    static const std::thread::id first = std::this_thread::get_id();
    std::ranges::fill(buffers[1], std::byte(std::this_thread::get_id() == first ? 1 : 2));
  };
  expect_judge_refused(judge, DiagCode::C011, "the reference gives two results of case");
}

TEST(BufferGates, OfTheObservableReference) {
  opspec::OperationSpec judge = *opspec::find_operation("collection.reverse");
  judge.reference = [](opspec::Buffers&) {};
  expect_judge_refused(judge, DiagCode::C012, "the reference leaves everything as it was");
}

TEST(BufferGates, OfLawsThatCanFail) {
  // Of cases without an element every law holds, whatever the operation leaves.
  opspec::OperationSpec judge = *opspec::find_operation("collection.reverse");
  judge.generate = [](RandomStream&, uint32_t) { return opspec::Buffers(2); };
  expect_judge_refused(judge, DiagCode::C016, "holds of noise as well");
}

}  // namespace
}  // namespace vyre::admit
