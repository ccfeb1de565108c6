// Cases of operations on tensors and random graphs: a graph, its inputs and how it is lowered.
#include <fmt/format.h>

#include "suite/case_kinds.h"
#include "suite/replay_report.h"

namespace vyre::suite {
namespace {

class TensorCase final : public Case {
 public:
  TensorCase(const verify::TensorSubject& subject, verify::Token token)
      : Case(std::move(token)), subject_(subject) {}

  Result<std::optional<generate::ProgramCase>> program(backend::Backend&) const override {
    return std::optional<generate::ProgramCase>();  // it is several programs
  }

  /// What fails is made smaller, in the same way as when it was found.
  Result<Replay> replay(backend::Backend& backend) const override {
    VYRE_CHECK(backend.restart());
    verify::TensorCase c = make_tensor_case(subject_, token().seed, token().index);
    verify::TensorJudge judge(backend);
    Replay out;
    out.report = fmt::format("{}: {}\n", token().subject, c.what);
    constexpr int kTries = 3;
    for (int attempt = 0; attempt < kTries && !out.fails; ++attempt) {
      auto found = judge.judge(c);
      if (!found) {
        if (!is_fault(found.error(), backend)) return std::unexpected(found.error());
        out.fails = true;
        out.report += fmt::format("  {}, in run {}\n{}", found.error().message, attempt + 1,
                                  generate::describe(c.graph));
        return out;
      }
      if (!*found) continue;
      out.fails = true;
      out.report += fmt::format("  {}, in run {}\n", (*found)->what, attempt + 1);
      verify::TensorCase smallest = judge.shrink(c);
      if (auto again = judge.judge(smallest); again && *again) {
        c = std::move(smallest);
        *found = std::move(*again);
      }
      out.report += "of the smallest graph that fails:\n" + describe_failure(judge, c, **found);
    }
    if (!out.fails) out.report += fmt::format("{}  passes, {} times\n", generate::describe(c.graph), kTries);
    return out;
  }

 private:
  const verify::TensorSubject& subject_;
};

}  // namespace

std::unique_ptr<Case> tensor_case(const verify::TensorSubject& subject, verify::Token token) {
  return std::make_unique<TensorCase>(subject, std::move(token));
}

}  // namespace vyre::suite
