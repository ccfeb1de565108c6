// Sections of programs whose answer the reference gives: those that are written as texts, random ones, and
// operations of subgroups with what a backend claims of them.
#include <fmt/format.h>

#include <algorithm>

#include "ops/operation.h"
#include "text/text.h"
#include "verify/program_parity.h"
#include "verify/section.h"
#include "verify/shapes.h"
#include "verify/strongest.h"
#include "wire/wire.h"

namespace vyre::verify {
namespace {

constexpr size_t kCaseRepeats = 3;          // runs of each case
constexpr size_t kManyCaseRepeats = 10;     // of those that look for what happens seldom
constexpr size_t kShrinkEvaluations = 400;  // each compiles a program
constexpr size_t kShrunkFailures = 3;       // programs shrunk a family: the first ones say most

size_t repeats_of(Family family) {
  return info(family).has(FamilyTrait::Seldom) ? kManyCaseRepeats : kCaseRepeats;
}

/// Of what is approximate the interpreter gives one right answer of many, so it says nothing: exact
/// arithmetic does (verify/sums.h).
Oracle oracle_of(Family family) {
  return strongest({.program = info(family).tracks != Tracks::Approximate, .operation = true});
}

/// The program, and what it is dispatched with.
std::string text_of(const generate::ProgramCase& c) {
  constexpr size_t kShown = 8;
  std::string out =
      fmt::format("{}\nwith groups {},{},{}", text::print(c.program), c.groups.x, c.groups.y, c.groups.z);
  for (const Bytes& buffer : c.buffers) {
    const std::vector<uint32_t> words = to_words(buffer);
    out += fmt::format(" [{} words:", words.size());
    for (size_t k = 0; k < std::min(words.size(), kShown); ++k) out += fmt::format(" {:#x}", words[k]);
    out += words.size() > kShown ? " ...]" : "]";
  }
  return out;
}

class ReferredPrograms : public ProgramSource {
 public:
  ReferredPrograms(Family family, uint64_t seed, const backend::Limits& limits)
      : family_(family), seed_(seed), limits_(limits) {}

  Oracle oracle() const override { return oracle_of(family_); }
  FamilyProgram make(uint64_t number) override {
    const auto c = std::make_shared<const generate::ProgramCase>(program(number));
    const auto run = [c, expected = std::optional<std::vector<Bytes>>()](
                         backend::Backend& backend, backend::Pipeline& pipeline,
                         const check::Checked& checked) mutable -> Result<CaseRun> {
      if (!expected) {
        VYRE_TRY(answer, reference_answer(checked, *c, backend.limits().subgroup_size));
        expected = std::move(answer);
      }
      VYRE_TRY(run, run_on(pipeline, *c));
      CaseRun out{.dispatches = 1,
                  .canaries = run.canaries,
                  .broken = run.canaries_broken,
                  .deviations = std::move(run.deviations)};
      if (const auto d = first_difference(checked, *expected, run.buffers))
        out.wrong = Wrong{0, true, {d->expected}, {d->actual}, place_of(*d, run)};
      for (const Bytes& buffer : run.buffers)
        out.answer.insert(out.answer.end(), buffer.begin(), buffer.end());
      return out;
    };
    return {{c, &c->program}, wire::digest(c->program).hex(), run};
  }
  size_t runs(uint64_t) const override { return repeats_of(family_); }
  std::string headline(uint64_t number, const std::string& place) const override {
    const std::string name = describe(number);
    return (name.empty() ? "" : name + ": ") + (place.empty() ? "" : place + " of");
  }
  bool examines(uint64_t, const Verdict& verdict) override { return verdict.failures.size() < kKeptFailures; }
  std::string spoiled(const std::string& victim, Wrong& wrong) const override {
    std::string out =
        fmt::format("it spoils whatever runs after it, as {}: {}, expected {:#x}, actual {:#x}\n", victim,
                    wrong.place, wrong.expected.at(0), wrong.actual.at(0));
    wrong = {};
    return out;
  }

  Result<SmallestCase> smallest(const Finding& finding, const Trials& trials) override {
    SmallestCase out{finding.culprit.number, finding.seen};
    const generate::ProgramCase found = program(out.number);
    out.text = text_of(found);
    // An edited program would be judged by what the original does.
    if (finding.fault != Fault::WrongValue || depends_on_schedule(family_) ||
        trials.failures >= kShrunkFailures)
      return out;
    const auto fails = [&](const generate::ProgramCase& candidate) {
      if (trials.monitor.stopped()) return false;
      const auto result = compare_once(trials.backend, candidate);
      return result && result->has_value();
    };
    if (!fails(found)) return out;
    const generate::ProgramCase shrunk =
        generate::shrink_program(found, ops::op_table(), fails, kShrinkEvaluations);
    VYRE_TRY(again, compare_once(trials.backend, shrunk));
    if (!again) return out;
    out.seen.wrong = {
        {0, true, {again->expected}, {again->actual}, fmt::format("{}[{}]", again->buffer, again->index)}};
    out.minimality = Minimality::Shrunk;
    out.text = text_of(shrunk);
    return out;
  }

 protected:
  const Family family_;
  const uint64_t seed_;
  const backend::Limits limits_;
};

class RandomPrograms final : public ReferredPrograms {
 public:
  using ReferredPrograms::ReferredPrograms;
  generate::ProgramCase program(uint64_t number) const override {
    // A fault is found soonest by many small programs; a large one in four has what they cannot: depth.
    constexpr uint64_t kLargeOneIn = 4;
    generate::ProgramOptions options = generate::ProgramOptions::small(&ops::op_table());
    if (number % kLargeOneIn == 0) options = {.ops = &ops::op_table(), .max_steps = 40'000};
    return generate::random_program(seed_, number, options);
  }
};

class TextPrograms final : public ReferredPrograms {
 public:
  using ReferredPrograms::ReferredPrograms;
  generate::ProgramCase program(uint64_t number) const override {
    return text_case(family_, seed_, number, limits_);
  }
  std::string describe(uint64_t number) const override {
    return shape_name(family_, size_t(number % shapes(family_)), limits_);
  }
};

/// How many random programs a track gets: one with floats takes ten times as long to compile, composed
/// operators above all.
uint64_t random_programs_of(std::optional<Track> track, const FamilyPlan& plan) {
  return track == Track::Float ? (plan.random_programs + 2) / 3 : plan.random_programs;
}

void count_programs(Family family, uint64_t programs, FamilySize& out) {
  if (programs != 0) oracle_cases(out.parity, oracle_of(family)).tally.planned += programs;
}

class RandomSection final : public Section {
 public:
  Result<void> check(const SectionRun& run) const override {
    RandomPrograms programs(run.family, run.seed, run.backend.limits());
    // The first ones of the track, or of all.
    std::vector<uint64_t> numbers;
    const uint64_t wanted = random_programs_of(run.track, run.plan);
    for (uint64_t k = 0; numbers.size() < wanted; ++k) {
      if (!run.track || track_of(programs.program(k).program) == *run.track) numbers.push_back(k);
    }
    return judge_programs(run.backend, programs, {.numbers = std::move(numbers)}, run.seed, run.monitor,
                          run.verdict);
  }
  void count(const Part& part, const FamilyPlan& plan, uint64_t, FamilySize& out) const override {
    const uint64_t programs = random_programs_of(part.track, plan);
    count_programs(part.family, programs, out);
    out.repeated += programs * (repeats_of(part.family) - 1);
  }
  void estimate(const Part& part, const FamilyPlan& plan, FamilyEffort& out) const override {
    out.programs += random_programs_of(part.track, plan);
    out.compilations += random_programs_of(part.track, plan);
  }
  std::unique_ptr<ProgramSource> source(Family family, uint64_t seed,
                                        const backend::Limits& limits) const override {
    return std::make_unique<RandomPrograms>(family, seed, limits);
  }
};

class TextSection : public Section {
 public:
  Result<void> check(const SectionRun& run) const override { return check(run, IntrinsicSet().set()); }
  void count(const Part& part, const FamilyPlan& plan, uint64_t, FamilySize& out) const override {
    const uint64_t programs = shapes(part.family) * inputs_a_shape(part.family, plan);
    count_programs(part.family, programs, out);
    out.shapes = uint32_t(shapes(part.family));
    // Programs that a backend lacks something for are not repeated.
    if (!info(part.family).has(FamilyTrait::Optional))
      out.repeated += programs * (repeats_of(part.family) - 1);
  }
  void estimate(const Part& part, const FamilyPlan& plan, FamilyEffort& out) const override {
    out.programs += shapes(part.family) * inputs_a_shape(part.family, plan);
    out.compilations += shapes(part.family);
  }
  std::unique_ptr<ProgramSource> source(Family family, uint64_t seed,
                                        const backend::Limits& limits) const override {
    return std::make_unique<TextPrograms>(family, seed, limits);
  }
  void describe(Family family, EntryHasher& out) const override {
    for (const Shape& shape : shapes_of(family)) {
      out.text(shape.name);
      out.text(shape.text);
    }
  }

 protected:
  /// Runs the shapes whose operations of subgroups are all `usable`.
  static Result<void> check(const SectionRun& run, const IntrinsicSet& usable) {
    TextPrograms programs(run.family, run.seed, run.backend.limits());
    const uint64_t n = shapes(run.family), inputs = inputs_a_shape(run.family, run.plan);
    ProgramPlan plan{.numbers = {}, .together = inputs, .one_program = true};
    for (uint64_t shape = 0; shape < n; ++shape) {
      if (!uses_only(run.family, shape, usable)) {
        plan.left_out += inputs;
        continue;
      }
      for (uint64_t k = 0; k < inputs; ++k) plan.numbers.push_back(shape + k * n);
    }
    return judge_programs(run.backend, programs, plan, run.seed, run.monitor, run.verdict);
  }
};

/// Programs of subgroups, of which a backend says what it has.
class ClaimSection final : public TextSection {
 public:
  Result<void> check(const SectionRun& run) const override {
    VYRE_TRY(usable, check_claims(run.backend, run.seed, run.monitor, run.verdict));
    return TextSection::check(run, usable);
  }
  void count(const Part& part, const FamilyPlan& plan, uint64_t seed, FamilySize& out) const override {
    TextSection::count(part, plan, seed, out);
    oracle_cases(out.parity, Oracle::ReferenceInterpreter).tally.planned += spec::kIntrinsicCount;
  }
};

}  // namespace

const Section& text_section() { return the_section<TextSection>(); }
const Section& random_section() { return the_section<RandomSection>(); }
const Section& claim_section() { return the_section<ClaimSection>(); }

}  // namespace vyre::verify
