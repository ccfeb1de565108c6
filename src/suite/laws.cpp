#include "suite/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "algebra/engine.h"
#include "symbolic/prove.h"

namespace vyre::suite {

namespace {

using Grades = std::map<std::pair<const ops::Operation*, std::string>, symbolic::Finding>;

/// What holds, or does not, for all inputs, where a solver or a lemma says so.
Grades best_grades(std::span<const ops::Operation* const> operations, const std::atomic<bool>* stop) {
  symbolic::ProveOptions options;
  options.laws_only = true;
  options.stop = stop;
  Grades out;
  for (symbolic::Finding& f : symbolic::prove(operations, options).findings) {
    if (f.grade == symbolic::Grade::Open) continue;
    const auto key = std::pair(f.operation, f.statement);
    out.emplace(key, std::move(f));
  }
  return out;
}

Diag stopped_early() {
  return make_diag(DiagCode::C007, Span::none(), "interrupted before every law was judged", "run it again");
}

struct Row {
  std::string law, status, evidence;
};

void add_subject(LawTable& out, std::string_view subject, const std::vector<Row>& rows) {
  out.laws += rows.size();
  size_t law_width = 0, status_width = 0;
  for (const Row& r : rows) {
    law_width = std::max(law_width, r.law.size());
    status_width = std::max(status_width, r.status.size());
  }
  out.text += fmt::format("{}\n", subject);
  if (rows.empty()) out.text += "  no laws\n";
  for (const Row& r : rows)
    out.text += fmt::format("  {:<{}}  {:<{}}  {}\n", r.law, law_width, r.status, status_width, r.evidence);
}

/// The laws of an operation over buffers, on the references.
void add_laws(LawTable& out, const verify::BufferSubject& subject, uint64_t seed,
              const verify::Monitor& monitor) {
  const uint64_t instances = verify::buffer_plan(verify::Strength::Standard).laws;
  std::vector<Row> rows;
  for (const library::Law* law : library::laws_of(subject.entry->id)) {
    const auto found = verify::law_on_references(subject, *law, instances, seed, monitor);
    const bool held = found.evidence.holds;
    out.unsettled += !held;
    if (law->claimed)
      out.refuted += !held;
    else
      ++(held ? out.denied : out.undenied);
    const std::string_view status = law->claimed ? (held ? "verified" : "refuted")
                                    : held       ? "refuted"
                                                 : "NOT REFUTED";
    rows.push_back({(law->claimed ? "" : "not ") + std::string(law->name), std::string(status),
                    fmt::format("{}: {}", found.evidence.grade, law->statement)});
  }
  add_subject(out, subject.name(), rows);
}

}  // namespace

std::string LawTable::counts() const {
  std::string out = fmt::format("{} law{}", laws, laws == 1 ? "" : "s");
  auto add = [&out, first = true](uint64_t count, std::string_view what) mutable {
    if (count == 0) return;
    out += fmt::format("{} {} {}", std::exchange(first, false) ? ":" : ",", count, what);
  };
  add(laws - unsettled - denied, "verified");
  add(refuted, "refuted");
  add(unsettled - refuted - undenied, "not verified");
  add(denied, "refuted as denied");
  add(undenied, "denied and not refuted");
  return out;
}

Result<LawTable> law_table(std::string_view pattern, uint64_t seed, const std::atomic<bool>* stop) {
  VYRE_TRY(selected, select(pattern));
  const std::vector<const ops::Operation*>& operations = selected.operations;
  algebra::SpecEvaluator definition;
  algebra::EngineOptions options;
  options.exhaustive_u16 = 1;
  options.witnessed = certify::kWitnessedCases;
  options.seed = seed;
  options.stop = stop;
  const auto proved = best_grades(operations, stop);
  LawTable out;
  for (const ops::Operation* op : operations) {
    std::vector<Row> rows;
    for (const spec::Law& law : op->laws) {
      VYRE_TRY(found, algebra::check_law(law, *op, definition, options));
      if (stop != nullptr && *stop) {
        return std::unexpected(stopped_early());
      }
      out.unsettled += !found.holds();
      std::string evidence = found.grade.empty() ? found.reason : found.grade;
      const auto best = proved.find({op, spec::to_string(law)});
      // What a solver refutes is refuted, whatever samples say.
      const bool refuted = best != proved.end() && best->second.grade == symbolic::Grade::Refuted;
      if (best != proved.end()) evidence = best->second.evidence + " " + evidence;
      out.unsettled += refuted && found.holds();
      out.refuted += refuted || found.outcome == algebra::Outcome::Refuted;
      rows.push_back(
          {spec::to_string(law), refuted ? "refuted" : std::string(text(found.outcome)), evidence});
    }
    for (const spec::Denial& denial : op->denied) {
      VYRE_TRY(found, algebra::check_denial(denial, *op, definition));
      out.unsettled += !found.confirmed();
      ++(found.confirmed() ? out.denied : out.undenied);
      rows.push_back({"not " + spec::to_string(denial.law), found.confirmed() ? "refuted" : "NOT REFUTED",
                      found.grade.empty() ? found.reason : found.grade});
    }
    add_subject(out, verify::subject_of(op->id, op->version), rows);
  }
  verify::Monitor monitor;
  monitor.stop = stop;
  for (const verify::BufferSubject& subject : selected.over_buffers) {
    add_laws(out, subject, seed, monitor);
    if (monitor.stopped()) return std::unexpected(stopped_early());
  }
  return out;
}

}  // namespace vyre::suite
