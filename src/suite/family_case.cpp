// Cases of whole families: programs, rows of ir.shapes, the planted-false laws, claims of category C.
#include <fmt/format.h>

#include "check/checked.h"
#include "ops/operation.h"
#include "suite/case_kinds.h"
#include "suite/case_program.h"
#include "suite/replay_report.h"
#include "text/text.h"
#include "verify/algebraic.h"
#include "verify/program_bench.h"
#include "verify/shape_run.h"

namespace vyre::suite {
namespace {

using generate::ProgramCase;
using verify::Family;
using verify::Token;

/// A program of a family, by its number.
class FamilyProgram : public Case {
 public:
  FamilyProgram(Family family, Token token) : Case(std::move(token)), family_(family) {}

  Result<std::optional<ProgramCase>> program(backend::Backend& backend) const override {
    if (verify::depends_on_schedule(family_)) return std::optional<ProgramCase>();
    VYRE_CHECK(expect_program());
    VYRE_CHECK(expect_number(token().index));
    return std::optional(made(backend));
  }
  Result<Replay> replay(backend::Backend& backend) const override;

 protected:
  /// Errors: C003 for a number that no case has.
  virtual Result<void> expect_number(uint64_t) const { return {}; }
  virtual std::unique_ptr<verify::Bench> bench(backend::Backend& backend) const {
    return std::make_unique<verify::ProgramBench>(backend, family_, token().seed);
  }
  /// Lines about the case for a replay.
  virtual std::string description() const { return {}; }

 private:
  ProgramCase made(backend::Backend& backend) const {
    return verify::family_case(family_, token().seed, token().index, backend.limits());
  }
  Result<void> expect_program() const {
    if (token().strategy == "program" && verify::has_programs(family_)) return {};
    return std::unexpected(unknown_part(token(), "strategy"));
  }

  const Family family_;
};

Result<Replay> FamilyProgram::replay(backend::Backend& backend) const {
  constexpr int kTries = 32;
  constexpr spec::DataType kWord = spec::DataType::U32;  // the bench compares words
  VYRE_CHECK(expect_program());
  VYRE_CHECK(expect_number(token().index));
  verify::Scenario scenario;
  for (const auto& dispatch : token().scenario) {
    for (const verify::TokenCase& one : dispatch) {
      VYRE_CHECK(expect_number(one.index));
      scenario.push_back({0, {{0, one.index}}});
    }
  }
  const ProgramCase c = made(backend);
  Replay out;
  out.report = fmt::format("{}, program {}:\n{}groups {},{},{}\n", token().subject, token().index,
                           text::print(c.program), c.groups.x, c.groups.y, c.groups.z);
  if (const auto checked = check::check(c.program, ops::op_table()))
    out.report += buffer_lines(*checked, c.buffers, "input", false);
  out.report += description();
  const auto made_bench = bench(backend);
  if (!scenario.empty()) {
    VYRE_CHECK(replay_scenario(scenario, *made_bench, backend, kWord, out));
    return out;
  }
  for (int attempt = 0; attempt < kTries && !out.fails; ++attempt) {
    VYRE_CHECK(tell(made_bench->run({0, {{0, token().index}}}), backend,
                    fmt::format(", in run {}", attempt + 1), kWord, out));
  }
  if (!out.fails) out.report += fmt::format("  passes, {} times\n", kTries);
  return out;
}

/// A row of ir.shapes, whose case is several dispatches over memory of the host or of the device.
class ShapeProgram final : public FamilyProgram {
 public:
  using FamilyProgram::FamilyProgram;

 private:
  Result<void> expect_number(uint64_t number) const override {
    if (verify::row_of(number)) return {};
    return std::unexpected(
        no_such_case(fmt::format("{} has no case with number {}", token().subject, number)));
  }
  std::unique_ptr<verify::Bench> bench(backend::Backend& backend) const override {
    return std::make_unique<verify::ShapeBench>(backend, token().seed);
  }
  std::string description() const override {
    return fmt::format("  {}\n", verify::describe(*verify::row_of(token().index)));
  }
};

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
    if (family_ != Family::Subgroups) return std::unexpected(unknown_part(token(), "strategy"));
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
  if (family == Family::PlantedLaws) return std::make_unique<PlantedLaws>(std::move(token));
  if (token.strategy == "claim") return std::make_unique<Claim>(family, std::move(token));
  if (family == Family::Shapes) return std::make_unique<ShapeProgram>(family, std::move(token));
  return std::make_unique<FamilyProgram>(family, std::move(token));
}

}  // namespace vyre::suite
