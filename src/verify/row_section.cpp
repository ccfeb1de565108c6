// The section of ir.shapes: rows of a covering array, each judged by arithmetic on the host. Of a row that
// fails the levels are lowered, so a report names the factors that the failure takes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "verify/section.h"
#include "verify/shape_run.h"

namespace vyre::verify {
namespace {

using Factors = std::span<const ShapeFactor>;

/// The smallest row found that fails as well, and the factors that the failure takes.
struct LowestRow {
  Row row;
  Seen seen;
  std::vector<ShapeFactor> culprits;
};

/// Lowers the levels of a row as long as it fails.
class RowShrinker {
 public:
  RowShrinker(const AbsentLevels& absent, const Trials& trials) : absent_(absent), trials_(trials) {}

  std::optional<LowestRow> run(const Row& found) {
    auto first = fails(found);
    if (!first) return std::nullopt;
    LowestRow out{found, std::move(*first), {}};
    // First what the program cannot say by itself, so that it fails alone where it can.
    std::vector<ShapeFactor> present = {ShapeFactor::Again, ShapeFactor::Interface};
    for (const ShapeFactorInfo& info : shape_factors())
      if (info.factor != ShapeFactor::Kind && std::ranges::find(present, info.factor) == present.end())
        present.push_back(info.factor);
    std::erase_if(present, [&](ShapeFactor f) { return level_of(found, f) >= generate::kAbsent; });
    for (size_t k = 0; k < std::min(present.size(), size_t{2}); ++k)
      lower(out, Factors(present).subspan(k, 1));
    lower(out, present);
    std::ranges::sort(present);
    std::ranges::copy_if(present, std::back_inserter(out.culprits),
                         [&](ShapeFactor f) { return level_of(out.row, f) != 0 || is_needed(out.row, f); });
    return out;
  }

 private:
  /// Whether a row fails as well; what it shows then.
  std::optional<Seen> fails(const Row& row) {
    if (trials_.monitor.stopped() || has_any(row, absent_)) return std::nullopt;
    Seen seen = trials_.bench.run({0, {{0, number_of(row)}}});
    if (seen.error && (!trials_.is_attributed(*seen.error) || !trials_.culprit_search.restart()))
      return std::nullopt;
    return seen.bad() ? std::optional(std::move(seen)) : std::nullopt;
  }

  /// Moves every factor to the first of its levels with which the case still fails. Most are not needed at
  /// all, so many are moved at once, and halves where that passes.
  void lower(LowestRow& lowest, Factors factors) {
    if (std::ranges::none_of(factors, [&](ShapeFactor f) { return level_of(lowest.row, f) != 0; })) return;
    if (move(lowest, factors, 0)) return;
    if (factors.size() > 1) {
      lower(lowest, factors.first(factors.size() / 2));
      return lower(lowest, factors.subspan(factors.size() / 2));
    }
    for (uint8_t level = 1; level < level_of(lowest.row, factors.front()); ++level)
      if (move(lowest, factors, level)) return;
  }
  bool move(LowestRow& lowest, Factors factors, uint8_t level) {
    std::optional<Row> row = lowest.row;
    for (size_t k = 0; k < factors.size() && row; ++k)
      if (level_of(*row, factors[k]) != level) row = changed(*row, factors[k], level);
    if (!row) return false;
    auto seen = fails(*row);
    if (!seen) return false;
    lowest.row = *row;
    lowest.seen = std::move(*seen);
    return true;
  }
  /// Whether the failure takes a factor at its first level: the case passes with it at the second level and
  /// at the last. One at a time, since many away from their first level may be a case that takes minutes.
  bool is_needed(const Row& row, ShapeFactor factor) {
    bool any = false;
    const size_t levels = shape_factors()[size_t(factor)].levels.size();
    for (const size_t level : {size_t{1}, levels - 1}) {
      const auto other = changed(row, factor, uint8_t(level));
      if (!other || level == 0 || has_any(*other, absent_)) continue;
      if (fails(*other)) return false;
      any = true;
    }
    return any;
  }

  const AbsentLevels& absent_;
  const Trials& trials_;
};

bool is_shrunk(Fault fault) {
  return fault == Fault::WrongValue || fault == Fault::NotWritten || fault == Fault::WroteOutside ||
         fault == Fault::Crashed || fault == Fault::Refused || fault == Fault::BrokeContract;
}

class RowPrograms final : public ProgramSource {
 public:
  RowPrograms(uint64_t seed, const backend::Limits& limits, AbsentLevels absent)
      : seed_(seed), limits_(limits), absent_(std::move(absent)) {}

  Oracle oracle() const override { return Oracle::CpuReference; }
  std::string_view judged_by() const override { return "host arithmetic"; }
  bool has(uint64_t number) const override { return row_of(number).has_value(); }
  FamilyProgram make(uint64_t number) override { return make(number, stores_); }
  FamilyProgram make_alone(uint64_t number) override { return make(number, std::make_shared<ShapeStores>()); }
  generate::ProgramCase program(uint64_t number) const override { return program_case(shape(number)); }
  size_t runs(uint64_t number) const override { return is_repeated(*row_of(number)) ? 2 : 1; }
  std::string describe(uint64_t number) const override { return verify::describe(*row_of(number)); }
  std::string description(uint64_t number) const override { return fmt::format("  {}\n", describe(number)); }
  std::string headline(uint64_t number, const std::string& place) const override {
    return describe(number) + (place.empty() ? "" : ": " + place) + " of";
  }
  Bytes unanswered() const override { return Bytes(sizeof(uint64_t)); }
  bool examines(uint64_t number, const Verdict&) override {
    constexpr size_t kExamined = 2;  // failures of a kind
    size_t& examined = examined_[size_t(kind_of(*row_of(number)))];
    if (examined == kExamined) return false;
    ++examined;
    return true;
  }
  std::string spoiled(const std::string& victim, Wrong&) const override {
    return fmt::format("it spoils {}\n", victim);
  }
  std::string_view guards() const override { return "bytes outside of what was bound changed"; }

  Result<SmallestCase> smallest(const Finding& finding, const Trials& trials) override {
    SmallestCase out{finding.culprit.number, finding.seen};
    const Row found = *row_of(out.number);
    auto lowest = is_shrunk(finding.fault) ? RowShrinker(absent_, trials).run(found) : std::nullopt;
    if (lowest) {
      for (const ShapeFactor culprit : lowest->culprits) {
        out.note += fmt::format("factor {} = {}\n", shape_factors()[size_t(culprit)].text,
                                level_text(culprit, level_of(lowest->row, culprit)));
      }
      out.number = number_of(lowest->row);
      out.seen = std::move(lowest->seen);
      out.minimality = Minimality::Shrunk;
    }
    // A program as text, or as much of it as people read.
    constexpr size_t kMost = 4000;
    const ShapeCase c = shape(out.number);
    const layout::Groups groups = c.dispatches.back().groups;
    out.text = c.text.size() <= kMost ? c.text : c.text.substr(0, kMost) + " ...\n";
    out.text += fmt::format("with groups {},{},{}", groups.x, groups.y, groups.z);
    return out;
  }

 private:
  FamilyProgram make(uint64_t number, const std::shared_ptr<ShapeStores>& stores) const {
    const auto c = std::make_shared<const ShapeCase>(shape(number));
    return {{c, &c->program},
            c->text,
            [stores, c](backend::Backend& backend, backend::Pipeline& pipeline, const check::Checked&) {
              return run_shape(backend, pipeline, *stores, *c);
            }};
  }
  ShapeCase shape(uint64_t number) const { return shape_case(*row_of(number), seed_, limits_); }

  const uint64_t seed_;
  const backend::Limits limits_;
  const AbsentLevels absent_;
  const std::shared_ptr<ShapeStores> stores_ = std::make_shared<ShapeStores>();
  std::array<size_t, kShapeKinds> examined_{};
};

class RowSection final : public Section {
 public:
  uint32_t slices(std::optional<Track>, const FamilyPlan& plan) const override {
    return 1u << 2 * (plan.shape_strength - 1);  // of 70 to 200 rows each
  }
  Result<void> check(const SectionRun& run) const override {
    VYRE_TRY(absent, absent_levels(run.backend));
    const auto plan = shape_plan(run.plan.shape_strength, run.seed, absent);
    const size_t n = plan->rows.size(), begin = n * run.slice / run.slices,
                 end = n * (run.slice + 1) / run.slices;
    return check_rows(run.backend, std::span(plan->rows).subspan(begin, end - begin), absent, run.slice,
                      run.seed, run.monitor, run.verdict);
  }
  void count(const Part&, const FamilyPlan& plan, uint64_t seed, FamilySize& out) const override {
    const auto planned = shape_plan(plan.shape_strength, seed);  // of a device that lacks no level
    oracle_cases(out.parity, Oracle::CpuReference).tally.planned += planned->rows.size();
    out.repeated += uint64_t(std::ranges::count_if(planned->rows, is_repeated));
  }
  /// What a device may lack is not in its plan, and the coverage says what that is.
  std::optional<std::string> other_than_planned(const Verdict& verdict, const FamilyPlan& plan,
                                                uint64_t seed) const override {
    return wrong_coverage(verdict, plan.shape_strength, seed);
  }
  /// How many rows there are is known when the array has been made.
  void estimate(const Part&, const FamilyPlan& plan, FamilyEffort& out) const override {
    uint64_t rows = 3;
    for (uint32_t t = 0; t < plan.shape_strength; ++t) rows *= 9;
    out.programs += rows;
    out.compilations += rows;
  }
  std::unique_ptr<ProgramSource> source(Family, uint64_t seed, const backend::Limits& limits) const override {
    return std::make_unique<RowPrograms>(seed, limits, AbsentLevels{});
  }
  void describe(Family, EntryHasher& out) const override {
    for (const ShapeFactorInfo& factor : shape_factors()) {
      out.text(factor.text);
      for (const std::string_view level : factor.levels) out.text(level);
    }
  }
};

}  // namespace

const Section& row_section() { return the_section<RowSection>(); }

Result<void> check_rows(backend::Backend& backend, std::span<const Row> rows, const AbsentLevels& absent,
                        uint32_t slice, uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  RowPrograms programs(seed, backend.limits(), absent);
  ProgramPlan plan{.leaf = slice};
  for (const Row& row : rows) plan.numbers.push_back(number_of(row));
  verdict.coverage.factors = levels_of(rows);
  return judge_programs(backend, programs, plan, seed, monitor, verdict);
}

void complete(Verdict& verdict, const FamilyPlan& plan, uint64_t seed) {
  if (verdict.coverage.factors.empty()) return;
  const auto planned = shape_plan(plan.shape_strength, seed, levels_without_cases(verdict.coverage));
  const bool whole = verdict.error.empty() && verdict.coverage.factors == levels_of(planned->rows);
  verdict.coverage = whole ? coverage_of(*planned, plan.shape_strength) : Coverage{};
}

}  // namespace vyre::verify
