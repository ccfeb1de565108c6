// Faults planted in the texts of the library: each is caught by the cases of its operation, and the case that
// shows it comes down to one item, or to few elements.
//
// A fault is a row of planted_faults.def: an operation, a part of its text, and what stands there instead: a
// byte of padding, a carry, a tie, a last item. The text with it is a module of its own, judged as the
// library's is.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "backend/native/native.h"
#include "library/library.h"
#include "ops/operation.h"
#include "oracle.h"
#include "text/text.h"
#include "verify/buffer_judge.h"

VYRE_ORACLE(CpuReference, "src/opspec, of the text without the fault");

namespace vyre {
namespace {

struct Fault {
  std::string_view operation, what, from, to;
};
constexpr Fault kFaults[] = {
#define FAULT(operation, what, from, to) {operation, what, from, to},
#include "planted_faults.def"
#undef FAULT
};

/// Of all faults: programs that they leave as they are are compiled once for an operation. The code is
/// written quickly, since it runs seldom.
backend::Backend& native() {
  static const auto backend = backend::make_native({.optimisation = 0});
  return **backend;
}

class Planted : public testing::TestWithParam<Fault> {};

TEST_P(Planted, IsCaught) {
  const Fault& fault = GetParam();
  const library::Entry* entry = library::find(fault.operation);
  const opspec::OperationSpec* operation = opspec::find_operation(fault.operation);
  ASSERT_NE(entry, nullptr);
  ASSERT_NE(operation, nullptr);
  std::string text(entry->file->text);
  const size_t code = text.find("\n\n");  // behind the comment at the top
  const size_t at = text.find(fault.from, code);
  ASSERT_NE(at, text.npos) << "the text has no such part: " << fault.from;
  text.replace(at, fault.from.size(), fault.to);

  auto module =
      text::parse_module(text, &ops::op_table(), {entry->constants.begin(), entry->constants.end()});
  ASSERT_TRUE(module) << module.error().message;
  auto judge = verify::BufferJudge::make(native(), *operation, *module);
  ASSERT_TRUE(judge) << judge.error().message;
  for (uint64_t number = 0; number < 10'000; ++number) {
    // Small ones first: most faults show in them, and one of many items is made smaller in many steps.
    const auto size = number < 2'000 ? std::optional(uint32_t(number % 40)) : std::nullopt;
    const opspec::Buffers input = opspec::make_case(*operation, 1, number, size);
    const auto difference = judge->judge(input);
    ASSERT_TRUE(difference) << difference.error().message;
    if (!*difference) continue;
    const auto small = judge->shrink(input);
    ASSERT_TRUE(small);
    const ir::Pipeline& main = *judge->pipeline().pipeline;
    const bool over_items = main.buffers.size() > 1 && main.code.name(main.buffers[1].name) == "offsets" &&
                            main.code.name(main.buffers[0].name) == "data";
    // A fault between neighbours takes two.
    if (over_items) EXPECT_LE(small->input[1].size() / 4, 3u) << **judge->judge(small->input);
    return;
  }
  FAIL() << "10,000 cases do not show it";
}
INSTANTIATE_TEST_SUITE_P(All, Planted, testing::ValuesIn(kFaults), [](const auto& of) {
  std::string name = std::string(of.param.operation) + "_" + std::string(of.param.what);
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace vyre
