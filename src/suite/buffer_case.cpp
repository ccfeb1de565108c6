// Cases of operations over buffers: one run of a pipeline, a row, or a law.
#include <fmt/format.h>

#include "suite/case_kinds.h"
#include "suite/replay_report.h"
#include "verify/buffer_operation.h"

namespace vyre::suite {
namespace {

using verify::BufferJudge;

class BufferCase final : public Case {
 public:
  BufferCase(const verify::BufferSubject& operation, verify::Token token)
      : Case(std::move(token)), operation_(operation) {}

  Result<std::optional<generate::ProgramCase>> program(backend::Backend&) const override {
    return std::optional<generate::ProgramCase>();  // it is several programs
  }

  Result<Replay> replay(backend::Backend& backend) const override {
    VYRE_CHECK(backend.restart());
    if (const library::Law* law = verify::law_of(operation_, token().strategy))
      return replay_law(backend, *law);
    const auto input = verify::case_of(operation_, token());
    if (!input) return std::unexpected(unknown_part(token(), "strategy"));
    VYRE_TRY(judge, BufferJudge::make(backend, *operation_.spec));
    Replay out;
    out.report = fmt::format("{}\n{}", token().subject, verify::shown(judge.pipeline(), *input));
    // What the token says must run before it, or beside it.
    for (const auto& dispatch : token().scenario) {
      std::vector<opspec::Buffers> together;
      for (const verify::TokenCase& one : dispatch) {
        verify::Token other = token();
        other.strategy = one.strategy, other.index = one.index;
        if (auto before = verify::case_of(operation_, other)) together.push_back(std::move(*before));
      }
      if (together.empty()) continue;
      VYRE_TRY(left, judge.run_together(together));
      for (size_t k = 0; k < left.size() && together.size() > 1 && token().strategy != "rows"; ++k) {
        opspec::Buffers wanted = together[k];
        operation_.spec->reference(wanted);
        const auto difference = judge.difference(wanted, left[k]);
        if (!difference) continue;
        out.fails = true;
        out.report += fmt::format("  {}, in a run beside {} others\n", *difference, together.size() - 1);
      }
    }
    if (out.fails) return out;
    constexpr int kTries = 8;
    for (int attempt = 0; attempt < kTries && !out.fails; ++attempt) {
      VYRE_TRY(difference, differs(judge, *input));
      if (!difference) continue;
      out.fails = true;
      out.report += fmt::format("  {}, in run {}\n", *difference, attempt + 1);
    }
    if (!out.fails) {
      out.report += fmt::format("  passes, {} times\n", kTries);
    } else if (token().strategy != "rows") {
      VYRE_TRY(small, judge.shrink(*input));
      VYRE_TRY(difference, judge.judge(small.input));
      out.report += fmt::format("  shrunk to: {}\n{}", difference.value_or("it passes now"),
                                verify::shown(judge.pipeline(), small.input));
    }
    return out;
  }

 private:
  Result<std::optional<std::string>> differs(BufferJudge& judge, const opspec::Buffers& input) const {
    if (token().strategy != "rows") return judge.judge(input);
    VYRE_TRY(got, judge.run(input));
    const verify::BufferRow row = verify::rows_of(operation_)[token().index];
    for (const auto& [parameter, expected] : row.expected)
      if (auto different = judge.difference(parameter, expected, got[parameter])) return different;
    return std::nullopt;
  }

  Result<Replay> replay_law(backend::Backend& backend, const library::Law& law) const {
    verify::LawRuns runs(backend);
    const opspec::Buffers input = opspec::make_case(*operation_.spec, token().seed, token().index);
    VYRE_TRY(kept, runs.holds(operation_, law, input));
    const bool meant = verify::holds_on_references(operation_, law, input);
    Replay out;
    out.fails = kept != meant || (law.claimed && !meant);
    out.report = fmt::format("{}: {}, {}: {}\n  of this case it {} on the references, and {} on {}\n",
                             token().subject, law.name, law.claimed ? "claimed" : "denied", law.statement,
                             meant ? "holds" : "does not hold", kept ? "holds" : "does not hold",
                             backend.identity().name);
    return out;
  }

  const verify::BufferSubject operation_;
};

}  // namespace

std::unique_ptr<Case> buffer_case(const verify::BufferSubject& operation, verify::Token token) {
  return std::make_unique<BufferCase>(operation, std::move(token));
}

}  // namespace vyre::suite
