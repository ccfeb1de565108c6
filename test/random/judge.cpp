#include "judge.h"

#include <fmt/format.h>

#include "lower/evaluate.h"
#include "ref/ref.h"

namespace vyre::test {
namespace {

void complain(Trial& trial, std::string complaint) {
  trial.judgement = {Verdict::Differ, std::move(complaint)};
}

std::vector<std::span<std::byte>> spans(std::vector<Bytes>& buffers) {
  std::vector<std::span<std::byte>> out;
  for (Bytes& buffer : buffers) out.emplace_back(buffer);
  return out;
}

/// False when the run took too long, or was refused: then the trial knows it.
bool accepted(Trial& trial, const Result<void>& result, std::string_view who) {
  if (result) return true;
  if (result.error().code == DiagCode::B003) {
    trial.judgement.verdict = Verdict::TooLong;
  } else {
    complain(trial, fmt::format("{}: {}", who, render(result.error(), nullptr)));
  }
  return false;
}

void compare(Trial& trial, const std::vector<Bytes>& actual, std::string_view who) {
  for (size_t b = 0; b < actual.size(); ++b) {
    if (actual[b] == trial.expected[b]) continue;
    const auto want = to_words(trial.expected[b]), got = to_words(actual[b]);
    for (size_t i = 0; i < want.size(); ++i) {
      if (want[i] == got[i]) continue;
      const auto& buffer = trial.checked->buffer(trial.checked->bound_buffers()[b]);
      complain(trial, fmt::format("{}: {}[{}] is {:08x}, the reference has {:08x}\n", who,
                                  trial.checked->program().code.name(buffer.name), i, got[i], want[i]));
      return;
    }
  }
}

}  // namespace

void judge_on_host(Trial& trial, const spec::OpTable& ops, uint64_t max_steps) {
  auto checked = check::check(trial.program.program, ops);
  if (!checked) {
    std::string all = "check refuses it:\n";
    for (const Diag& diag : checked.error()) all += render(diag, nullptr);
    complain(trial, std::move(all));
    return;
  }
  trial.checked = std::move(*checked);
  trial.expected = trial.program.buffers;
  const auto host = spans(trial.expected);
  if (!accepted(trial, ref::run(*trial.checked, host, trial.program.groups, {.max_steps = max_steps}),
                "reference")) {
    return;
  }
  const lower::Kernel kernel = lower::build(*trial.checked);
  // A kernel step is not a reference step, so the kernel evaluator gets more of them.
  judge_kernel(trial, kernel, "semantic kernel", max_steps * 4);
  if (trial.judgement.verdict != Verdict::Agree) return;
  judge_kernel(trial, lower::legalize(kernel, lower::kLlvmTarget), "legal kernel", max_steps * 16);
}

void judge_kernel(Trial& trial, const lower::Kernel& kernel, std::string_view who, uint64_t max_steps) {
  std::vector<Bytes> buffers = trial.program.buffers;
  const auto host = spans(buffers);
  const auto bound = layout::bind(*trial.checked, host, trial.program.groups);
  if (!bound) return complain(trial, fmt::format("{}: {}", who, render(bound.error(), nullptr)));
  const auto result =
      lower::evaluate(kernel, *bound, trial.program.groups, {.seed = 1, .max_steps = max_steps});
  if (accepted(trial, result, who)) compare(trial, buffers, who);
}

void judge_pipeline(Trial& trial, Result<std::unique_ptr<backend::Pipeline>>& pipeline,
                    std::string_view who) {
  if (!pipeline) {
    complain(trial, fmt::format("{} does not compile it: {}", who, render(pipeline.error(), nullptr)));
    return;
  }
  std::vector<Bytes> buffers = trial.program.buffers;
  const auto host = spans(buffers);
  if (accepted(trial, (*pipeline)->dispatch(host, trial.program.groups), who)) compare(trial, buffers, who);
}

Judgement judge(generate::ProgramCase program, const spec::OpTable& ops, backend::Backend& native,
                uint64_t max_steps) {
  Trial trial{std::move(program), std::nullopt, {}, {}};
  judge_on_host(trial, ops, max_steps);
  if (trial.judgement.verdict == Verdict::Agree) {
    auto pipeline = native.compile(*trial.checked);
    judge_pipeline(trial, pipeline, native.identity().name);
  }
  return trial.judgement;
}

}  // namespace vyre::test
