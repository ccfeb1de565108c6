// check, then the reference against everything else.
//
// The first byte chooses. Even: the rest are the decisions of a program generator, so that every input is a
// valid program without races (generate/programs.h); its bytes must be equal on the reference, on the kernel
// evaluator before and after legalization, and in machine code. Odd: the rest is a wire file, changed as a
// program (program_mutator.h); what decodes and checks is a program that may race, so nothing is compared,
// but it must run on the reference and as a legal kernel without a raw operator outside its domain. Runs are
// bounded in steps; a program that exceeds them says nothing.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "backend/native/native.h"
#include "judge.h"
#include "lower/evaluate.h"
#include "ops/operation.h"
#include "program_mutator.h"
#include "ref/ref.h"
#include "text/text.h"
#include "wire/wire.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace vyre;

constexpr uint64_t kMaxSteps = 100'000;
constexpr uint32_t kSubgroup = 8;

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
  options.additions = true;
  if (!decisions.empty() && decisions[0] % 4 == 0) options.subgroup_size = kSubgroup;
  generate::ByteChoices choices(decisions);
  const generate::ProgramCase program = generate::random_program(choices, options);
  const test::Judgement judgement = test::judge(
      program, ops::op_table(), native(), {.max_steps = kMaxSteps, .subgroup_size = options.subgroup_size});
  if (judgement.verdict == test::Verdict::Differ) fail(program.program, judgement.complaint);
}

void run_file(std::span<const uint8_t> file) {
  auto program = wire::decode(std::as_bytes(file));
  if (!program) return;
  auto checked = check::check(*program, ops::op_table());
  if (!checked) return;
  // Some empty, none of a size that would be refused for some type: whole elements of 16 bytes.
  const auto buffers = [&] {
    std::vector<Bytes> out;
    for (size_t i = 0; i < checked->bound_buffers().size(); ++i) {
      std::vector<uint32_t> words(i % 5 * 4, 0xffffffff);
      for (size_t k = 0; k < words.size(); k += 2) words[k] = uint32_t(k);
      out.push_back(to_bytes(words));
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
  const auto bound = layout::bind(*checked, other, {});
  if (!bound || !ref::check_subgroups(*checked, kSubgroup)) return;
  expect_fine(ref::run(*checked, host, {}, {.max_steps = kMaxSteps, .subgroup_size = kSubgroup}));
  for (const lower::Target& target : {lower::kLlvmTarget, lower::kWordTarget}) {
    const lower::Kernel legal = lower::legalize(lower::build(*checked), target);
    expect_fine(lower::evaluate(legal, *bound, {}, {.max_steps = kMaxSteps, .subgroup_size = kSubgroup}));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const uint8_t> rest(data + 1, size - 1);
  data[0] % 2 == 0 ? run_generated(rest) : run_file(rest);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  if (size < 2 || data[0] % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  return 1 + fuzz::mutate_file(data + 1, size - 1, max_size - 1, seed, LLVMFuzzerMutate);
}
