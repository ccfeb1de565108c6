// Cases of whole families: programs, the planted-false laws, claims of category C.
#include <fmt/format.h>

#include "check/checked.h"
#include "ops/operation.h"
#include "suite/case_kinds.h"
#include "suite/case_program.h"
#include "suite/replay_report.h"
#include "text/text.h"
#include "verify/algebraic.h"
#include "verify/families.h"

namespace vyre::suite {
namespace {

using generate::ProgramCase;
using verify::Family;
using verify::Token;

/// A program of a family, by its number.
class FamilyProgram final : public Case {
 public:
  FamilyProgram(Family family, Token token) : Case(std::move(token)), family_(family) {}

  Result<std::optional<ProgramCase>> program(backend::Backend& backend) const override {
    if (verify::depends_on_schedule(family_)) return std::optional<ProgramCase>();
    VYRE_TRY(source, source_of(backend));
    return std::optional(source->program(token().index));
  }
  Result<Replay> replay(backend::Backend& backend) const override;

 private:
  /// Errors: C003 where the token names no case of it.
  Result<std::unique_ptr<verify::ProgramSource>> source_of(backend::Backend& backend) const {
    auto source = verify::program_source(family_, token().seed, backend.limits());
    if (token().strategy != "program" || source == nullptr)
      return std::unexpected(unknown_part(token(), "strategy"));
    VYRE_CHECK(expect_number(*source, token().index));
    return source;
  }
  Result<void> expect_number(const verify::ProgramSource& source, uint64_t number) const {
    if (source.has(number)) return {};
    return std::unexpected(
        no_such_case(fmt::format("{} has no case with number {}", token().subject, number)));
  }

  const Family family_;
};

Result<Replay> FamilyProgram::replay(backend::Backend& backend) const {
  constexpr int kTries = 32;
  constexpr spec::DataType kWord = spec::DataType::U32;  // the bench compares words
  VYRE_TRY(source, source_of(backend));
  verify::Scenario scenario;
  for (const auto& dispatch : token().scenario) {
    for (const verify::TokenCase& one : dispatch) {
      VYRE_CHECK(expect_number(*source, one.index));
      scenario.push_back({0, {{0, one.index}}});
    }
  }
  const ProgramCase c = source->program(token().index);
  Replay out;
  out.report = fmt::format("{}, program {}:\n{}groups {},{},{}\n", token().subject, token().index,
                           text::print(c.program), c.groups.x, c.groups.y, c.groups.z);
  if (const auto checked = check::check(c.program, ops::op_table()))
    out.report += buffer_lines(*checked, c.buffers, "input", false);
  out.report += source->description(token().index);
  verify::ProgramBench bench(backend, *source);
  if (!scenario.empty()) {
    VYRE_CHECK(replay_scenario(scenario, bench, backend, kWord, out));
    return out;
  }
  for (int attempt = 0; attempt < kTries && !out.fails; ++attempt) {
    VYRE_CHECK(tell(bench.run({0, {{0, token().index}}}), backend, fmt::format(", in run {}", attempt + 1),
                    kWord, out));
  }
  if (!out.fails) out.report += fmt::format("  passes, {} times\n", kTries);
  return out;
}

/// What is no program.
class NoProgram : public Case {
 public:
  using Case::Case;
  Result<std::optional<ProgramCase>> program(backend::Backend&) const override {
    return std::optional<ProgramCase>();
  }
};

/// All planted-false laws.
class PlantedLaws final : public NoProgram {
 public:
  using NoProgram::NoProgram;
  Result<Replay> replay(backend::Backend& backend) const override {
    if (token().strategy != "program") return std::unexpected(unknown_part(token(), "strategy"));
    VYRE_CHECK(backend.restart());
    const verify::Verdict verdict = verify::check_planted_laws(backend, token().seed, {});
    Replay out;
    out.fails = verdict.failure_count != 0 || !verdict.error.empty();
    out.report = fmt::format("{}: {} of the planted-false laws were not refuted as they must be\n",
                             token().subject, verdict.failure_count);
    for (const verify::Failure& f : verdict.failures) out.report += fmt::format("  {}\n", f.note);
    if (!verdict.error.empty()) out.report += fmt::format("  {}\n", verdict.error);
    return out;
  }
};

/// What the backend says of one operation of category C.
class Claim final : public NoProgram {
 public:
  Claim(Family family, Token token) : NoProgram(std::move(token)), family_(family) {}
  Result<Replay> replay(backend::Backend& backend) const override {
    if (!verify::info(family_).has(verify::SectionKind::Claims))
      return std::unexpected(unknown_part(token(), "strategy"));
    if (token().index >= spec::kIntrinsicCount) {
      return std::unexpected(
          no_such_case(fmt::format("there is no operation of category C with number {}", token().index)));
    }
    const spec::IntrinsicInfo& info = spec::kIntrinsics[token().index];
    verify::Verdict verdict;
    verdict.subject = token().subject;
    VYRE_TRY(usable, verify::check_claim(backend, info.intrinsic, token().seed, verdict));
    Replay out;
    out.fails = verdict.failure_count != 0;
    out.report = fmt::format("{}: {} says that it has {}{}@{}\n", token().subject, backend.identity().name,
                             backend.has(info.intrinsic) ? "" : "no ", info.id, info.version);
    for (const verify::Failure& f : verdict.failures) out.report += fmt::format("  {}\n", f.note);
    if (out.fails) return out;
    out.report +=
        usable ? "  and compiles a program that calls it\n" : "  and refuses a program that calls it\n";
    return out;
  }

 private:
  const Family family_;
};

}  // namespace

std::unique_ptr<Case> family_case(Family family, Token token) {
  if (verify::info(family).has(verify::SectionKind::Planted))
    return std::make_unique<PlantedLaws>(std::move(token));
  if (token.strategy == "claim") return std::make_unique<Claim>(family, std::move(token));
  return std::make_unique<FamilyProgram>(family, std::move(token));
}

}  // namespace vyre::suite
