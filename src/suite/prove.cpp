#include "suite/prove.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "suite/suite.h"
#include "verify/verdict.h"

namespace vyre::suite {
namespace {

using nlohmann::json;
using symbolic::Coverage;
using symbolic::Declared;
using symbolic::Finding;
using symbolic::Grade;

std::string name_of(const ops::Operation& operation) {
  return verify::subject_of(operation.id, operation.version);
}

/// Findings of one grade among what is claimed, by name, a line an operation.
std::string listed(const symbolic::ProveReport& report, Grade grade) {
  std::string out;
  const ops::Operation* last = nullptr;
  for (const Finding& f : report.findings) {
    if (f.grade != grade || f.declared == Declared::Denial) continue;
    if (f.operation == last) {
      out += ", " + f.statement;
    } else {
      out += fmt::format("{}  {:<9}  {}: {}", out.empty() ? "" : "\n", text(grade), f.operation->id,
                         f.statement);
    }
    last = f.operation;
  }
  return out.empty() ? out : out + "\n";
}

std::string share(const Coverage& c) {
  return c.declared == 0 ? "n/a" : fmt::format("{:.1f} %", 100.0 * double(c.hit) / double(c.declared));
}

std::string coverage_text(const symbolic::CoverageParts& parts) {
  return fmt::format("laws {}, rows {}, classes {}, boundaries {}; overall {}", parts.laws.text(),
                     parts.rows.text(), parts.classes.text(), parts.boundaries.text(),
                     share(parts.smallest()));
}

json coverage_json(const symbolic::CoverageParts& parts) {
  const auto part = [](const Coverage& c) { return json{{"hit", c.hit}, {"declared", c.declared}}; };
  const Coverage least = parts.smallest();
  json out = {{"laws", part(parts.laws)},
              {"rows", part(parts.rows)},
              {"classes", part(parts.classes)},
              {"boundaries", part(parts.boundaries)}};
  out["overall"] = least.declared == 0 ? json(nullptr) : part(least);
  return out;
}

size_t denials(const symbolic::ProveReport& report) {
  return size_t(std::ranges::count_if(
      report.findings, [](const Finding& f) { return f.declared == Declared::Denial && f.good(); }));
}

/// The line on a terminal that is rewritten in place.
class Line {
 public:
  Line() : terminal_(::isatty(STDERR_FILENO) != 0) {}
  ~Line() {
    if (terminal_) fmt::print(stderr, "\r\033[K");
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  void show(size_t done, size_t all, const Finding& last) {
    if (!terminal_) return;
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    fmt::print(stderr, "\r\033[K{:.{}}",
               fmt::format("{}/{}  {} {}", done, all, last.operation->id, last.statement),
               known ? size.ws_col - 1 : 79);
    std::fflush(stderr);
  }

 private:
  bool terminal_;
};

}  // namespace

std::string prove_table(const symbolic::ProveReport& report) {
  size_t statement = 0, evidence = 0;
  for (const Finding& f : report.findings) {
    statement = std::max(statement, f.statement.size());
    evidence = std::max(evidence, f.evidence.size());
  }
  statement = std::min<size_t>(statement, 44), evidence = std::min<size_t>(evidence, 44);
  std::string out;
  for (const symbolic::OperationCoverage& c : report.coverage) {
    out += name_of(*c.operation) + "\n";
    for (const Finding& f : report.findings) {
      if (f.operation != c.operation) continue;
      out += fmt::format("  {:<{}}  {:<11}  {:<{}}  {:6.2f} s{}{}\n", f.statement, statement, f.subject,
                         f.evidence, evidence, f.seconds, f.good() ? "" : "  NOT AS DECLARED",
                         f.note.empty() ? "" : "  (" + f.note + ")");
    }
    out += fmt::format("  coverage: {}\n", coverage_text(c.parts));
  }
  const std::string weaker = listed(report, Grade::Derived) + listed(report, Grade::Exhausted);
  if (!weaker.empty()) out += "\nwithout a proof for all inputs by bits:\n" + weaker;
  std::string bad;
  for (const Finding& f : report.findings) {
    if (!f.good())
      bad += fmt::format("  {}: {}: {}{}\n", name_of(*f.operation), f.statement, f.evidence,
                         f.note.empty() ? "" : " (" + f.note + ")");
  }
  if (!bad.empty()) out += "\nnot as declared:\n" + bad;
  if (!report.skipped.empty())
    out += fmt::format(
        "\noperations on floats, which have no formula: {}; `vyre-conform laws` runs their laws\n",
        report.skipped.size());
  const size_t denied = denials(report);
  out += fmt::format(
      "\n{} declared: {} proved, {} derived, {} exhausted, {} denied and refuted; {} refuted, {} open\n",
      report.findings.size(), report.count(Grade::Proved), report.count(Grade::Derived),
      report.count(Grade::Exhausted), denied, report.count(Grade::Refuted) - denied,
      report.count(Grade::Open));
  out += fmt::format("coverage: {}\n", coverage_text(report.total));
  out += fmt::format("{}; encodings agree with the reference on {} small operands; {:.1f} s\n", report.solver,
                     report.encodings, report.seconds);
  return out;
}

std::string prove_json(const symbolic::ProveReport& report) {
  json findings = json::array();
  for (const Finding& f : report.findings) {
    json one = {{"operation", name_of(*f.operation)},
                {"declared", text(f.declared)},
                {"statement", f.statement},
                {"subject", f.subject},
                {"grade", text(f.grade)},
                {"evidence", f.evidence},
                {"good", f.good()},
                {"seconds", f.seconds}};
    if (!f.note.empty()) one["note"] = f.note;
    if (f.proof.statement != Digest{}) one["digest"] = f.proof.statement.hex();
    if (!f.proof.solver.empty()) one["solver"] = f.proof.solver;
    if (!f.proof.confirmed.empty()) one["confirmed"] = f.proof.confirmed;
    if (f.proof.outcome == solver::Outcome::Refuted) {
      json witness = json::array();
      for (const smt::Assigned& a : f.proof.witness) witness.push_back(uint32_t(a.value));
      one["witness"] = std::move(witness);
      one["smallest"] = f.proof.smallest;
    }
    findings.push_back(std::move(one));
  }
  json coverage = json::object();
  for (const symbolic::OperationCoverage& c : report.coverage)
    coverage[name_of(*c.operation)] = coverage_json(c.parts);
  json skipped = json::array();
  for (const ops::Operation* operation : report.skipped) skipped.push_back(name_of(*operation));
  const size_t denied = denials(report);
  const json out = {
      {"format", 1},
      {"solver", report.solver},
      {"encodings", report.encodings},
      {"seconds", report.seconds},
      {"good", report.good()},
      {"counts",
       {{"proved", report.count(Grade::Proved)},
        {"derived", report.count(Grade::Derived)},
        {"exhausted", report.count(Grade::Exhausted)},
        {"denied", denied},
        {"refuted", report.count(Grade::Refuted) - denied},
        {"open", report.count(Grade::Open)}}},
      {"coverage", {{"total", coverage_json(report.total)}, {"operations", std::move(coverage)}}},
      {"skipped", std::move(skipped)},
      {"findings", std::move(findings)}};
  return out.dump(2) + "\n";
}

Result<Proved> prove(std::string_view pattern, bool json, const std::atomic<bool>* stop) {
  VYRE_TRY(operations, select(pattern));
  symbolic::ProveOptions options;
  options.solver.limits.seconds = 60;
  options.solver.confirm = true;
  options.stop = stop;
  Line line;
  options.progress = [&](size_t done, size_t all, const Finding& last) { line.show(done, all, last); };
  const symbolic::ProveReport report = symbolic::prove(operations, options);
  if (report.stopped) {
    return std::unexpected(
        make_diag(DiagCode::C007, Span::none(), "interrupted before every law was judged", "run it again"));
  }
  return Proved{json ? prove_json(report) : prove_table(report), report.good()};
}

}  // namespace vyre::suite
