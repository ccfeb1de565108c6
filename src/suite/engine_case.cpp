// Cases of engines: a promise of one, or the bytes of a generated one.
#include <fmt/format.h>

#include "suite/case_kinds.h"
#include "suite/replay_report.h"
#include "verify/buffer_operation.h"
#include "verify/engine_check.h"

namespace vyre::suite {
namespace {

class EngineCase final : public Case {
 public:
  EngineCase(verify::EngineCase of, verify::Token token) : Case(std::move(token)), of_(std::move(of)) {}

  Result<std::optional<generate::ProgramCase>> program(backend::Backend&) const override {
    return std::optional<generate::ProgramCase>();  // it is several programs
  }

  Result<Replay> replay(backend::Backend& backend) const override {
    VYRE_CHECK(backend.restart());
    VYRE_TRY(judge, verify::EngineJudge::make(backend, of_.model));
    const opspec::Buffers input = of_.input(judge, token());
    Replay out;
    out.report = fmt::format("{}\n{}", token().subject, verify::shown(judge.pipeline(), input));
    if (of_.strategy.engine) out.report += of_.model.text;
    constexpr int kTries = 8;
    for (int attempt = 0; attempt < kTries && !out.fails; ++attempt) {
      VYRE_TRY(broken, what_is_broken(judge, input));
      if (broken.empty()) continue;
      out.fails = true;
      out.report += fmt::format("  {}, in run {}\n", broken, attempt + 1);
    }
    if (!out.fails) out.report += fmt::format("  passes, {} times\n", kTries);
    return out;
  }

 private:
  Result<std::string> what_is_broken(verify::EngineJudge& judge, const opspec::Buffers& input) const {
    if (!of_.strategy.invariant) {
      VYRE_TRY(difference, judge.judge_bytes(input, nullptr));
      return difference.value_or("");
    }
    VYRE_TRY(found, judge.judge(*of_.strategy.invariant, input, of_.thorough));
    if (!found) return std::string();
    return fmt::format("{}: {}{}{}", library::text(*of_.strategy.invariant), found->what,
                       found->stage.empty() ? "" : ", by ", found->stage);
  }

  const verify::EngineCase of_;
};

}  // namespace

std::unique_ptr<Case> engine_case(verify::EngineCase engine, verify::Token token) {
  return std::make_unique<EngineCase>(std::move(engine), std::move(token));
}

}  // namespace vyre::suite
