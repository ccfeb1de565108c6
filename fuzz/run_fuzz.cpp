// check, then the reference against everything else.
//
// The first byte chooses. Even: the rest are the decisions of a program generator, so that every input is a
// valid program without races (generate/programs.h); its bytes must be equal on the reference, on the kernel
// evaluator before and after legalization, and in machine code. Odd: the rest is a wire file; what decodes
// and checks is a program that may race, so nothing is compared, but it must run on the reference and as a
// legal kernel without a raw operator outside its domain. Runs are bounded in steps; a program that exceeds
// them says nothing.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "backend/native/native.h"
#include "judge.h"
#include "lower/evaluate.h"
#include "ops/operation.h"
#include "ref/ref.h"
#include "text/text.h"

namespace {

using namespace vyre;

constexpr uint64_t kMaxSteps = 100'000;

[[noreturn]] void fail(const ir::Program& program, const std::string& complaint) {
  std::fprintf(stderr, "%s\n%s\n", complaint.c_str(), text::print(program).c_str());
  std::abort();
}

backend::Backend& native() {
  static const auto backend = [] {
    auto made = backend::make_native({.optimisation = 0, .threads = 1});
    if (!made) std::abort();
    return std::move(*made);
  }();
  return *backend;
}

void run_generated(std::span<const uint8_t> decisions) {
  generate::ProgramOptions options;
  options.ops = &ops::op_table();
  options.max_steps = 5'000;
  options.max_invocations = 64;
  generate::ByteChoices choices(decisions);
  const generate::ProgramCase program = generate::random_program(choices, options);
  const test::Judgement judgement = test::judge(program, ops::op_table(), native(), kMaxSteps);
  if (judgement.verdict == test::Verdict::Differ) fail(program.program, judgement.complaint);
}

void run_text(std::string_view text) {
  auto program = text::parse(text);
  if (!program) return;
  auto checked = check::check(*program, ops::op_table());
  if (!checked) return;
  const auto buffers = [&] {
    std::vector<Bytes> out;
    const uint32_t words[] = {0, 1, 0xffffffff, 0x80000000};
    for (size_t i = 0; i < checked->bound_buffers().size(); ++i) {
      out.push_back(to_bytes(std::span(words).first(i % 5)));
    }
    return out;
  };
  const auto spans = [](std::vector<Bytes>& all) {
    return std::vector<std::span<std::byte>>(all.begin(), all.end());
  };
  const auto expect_fine = [&](const Result<void>& result) {
    if (!result && result.error().code != DiagCode::B003) fail(*program, render(result.error(), nullptr));
  };
  std::vector<Bytes> first = buffers(), second = buffers();
  const auto host = spans(first), other = spans(second);
  expect_fine(ref::run(*checked, host, {}, {.max_steps = kMaxSteps}));
  const auto bound = layout::bind(*checked, other, {});
  if (!bound) return;
  const lower::Kernel legal = lower::legalize(lower::build(*checked), lower::kLlvmTarget);
  expect_fine(lower::evaluate(legal, *bound, {}, {.max_steps = kMaxSteps}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const uint8_t> rest(data + 1, size - 1);
  data[0] % 2 == 0 ? run_generated(rest)
                   : run_text({reinterpret_cast<const char*>(rest.data()), rest.size()});
  return 0;
}
