#include "judge.h"

#include <fmt/format.h>

#include "lower/evaluate.h"
#include "ref/ref.h"
#include "text/text.h"
#include "wire/wire.h"

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

/// An element as a number, its most significant byte first.
std::string hex(const Bytes& bytes, size_t element, size_t size) {
  std::string out;
  for (size_t i = size; i-- > 0;) out += fmt::format("{:02x}", uint8_t(bytes[element * size + i]));
  return out;
}

void compare(Trial& trial, const std::vector<Bytes>& actual, std::string_view who) {
  for (size_t b = 0; b < actual.size(); ++b) {
    if (actual[b] == trial.expected[b]) continue;
    const check::BufferId id = trial.checked->bound_buffers()[b];
    const ir::Program& program = trial.checked->program();
    const size_t size = spec::info(program.element(trial.checked->buffer(id))).bytes;
    size_t at = 0;
    while (actual[b][at] == trial.expected[b][at]) ++at;
    const size_t element = at / size;
    complain(trial, fmt::format("{}: element {} of {} is {}, the reference has {}\n", who, element,
                                program.code.name(trial.checked->buffer(id).name),
                                hex(actual[b], element, size), hex(trial.expected[b], element, size)));
    return;
  }
}

}  // namespace

void judge_on_host(Trial& trial, const spec::OpTable& ops, const JudgeOptions& options) {
  auto checked = check::check(trial.program.program, ops);
  if (!checked) {
    std::string all = "check refuses it:\n";
    for (const Diag& diag : checked.error()) all += render(diag, nullptr);
    complain(trial, std::move(all));
    return;
  }
  trial.checked = std::move(*checked);
  if (options.round_trips) judge_round_trips(trial);
  if (trial.judgement.verdict != Verdict::Agree) return;
  trial.expected = trial.program.buffers;
  const auto host = spans(trial.expected);
  const ref::Options limits{.max_steps = options.max_steps, .subgroup_size = options.subgroup_size};
  if (!accepted(trial, ref::run(*trial.checked, host, trial.program.groups, limits), "reference")) return;
  const lower::Kernel kernel = lower::build(*trial.checked);
  const auto run = [&](const lower::Kernel& k, std::string_view who, uint64_t steps) {
    if (trial.judgement.verdict == Verdict::Agree) judge_kernel(trial, k, who, steps, options.subgroup_size);
  };
  // A kernel step is not a reference step, so the kernel evaluator gets more of them; a division of 128 bits
  // is a loop.
  run(kernel, "semantic kernel", options.max_steps * 4);
  run(lower::legalize(kernel, lower::kLlvmTarget), "legal kernel", options.max_steps * 64);
  run(lower::legalize(kernel, lower::kWordTarget), "legal kernel of words", options.max_steps * 64);
}

void judge_round_trips(Trial& trial) {
  const ir::Program& program = trial.program.program;
  const Bytes bytes = wire::encode(program);
  const auto decoded = wire::decode(bytes);
  if (!decoded) return complain(trial, "wire: " + render(decoded.error(), nullptr));
  if (!ir::equal(*decoded, program)) return complain(trial, "wire: another program comes back\n");
  if (wire::encode(*decoded) != bytes) return complain(trial, "wire: other bytes the second time\n");
  const std::string text = text::print(program);
  const auto parsed = text::parse(text);
  if (!parsed) return complain(trial, "text: " + render(parsed.error(), nullptr));
  if (!ir::equal(*parsed, program)) return complain(trial, "text: another program comes back\n");
  if (text::print(*parsed) != text) return complain(trial, "text: other characters the second time\n");
}

void judge_kernel(Trial& trial, const lower::Kernel& kernel, std::string_view who, uint64_t max_steps,
                  uint32_t subgroup_size) {
  std::vector<Bytes> buffers = trial.program.buffers;
  const auto host = spans(buffers);
  const auto bound = layout::bind(*trial.checked, host, trial.program.groups);
  if (!bound) return complain(trial, fmt::format("{}: {}", who, render(bound.error(), nullptr)));
  const auto result = lower::evaluate(kernel, *bound, trial.program.groups,
                                      {.seed = 1, .max_steps = max_steps, .subgroup_size = subgroup_size});
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

Judgement judge(generate::ProgramCase program, const spec::OpTable& ops, backend::Backend& backend,
                const JudgeOptions& options) {
  Trial trial{.program = std::move(program)};
  judge_on_host(trial, ops, options);
  if (trial.judgement.verdict == Verdict::Agree && options.on_backend) {
    auto pipeline = backend.compile(*trial.checked);
    judge_pipeline(trial, pipeline, backend.identity().name);
  }
  return trial.judgement;
}

}  // namespace vyre::test
