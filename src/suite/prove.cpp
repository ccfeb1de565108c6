#include "suite/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "base/names.h"
#include "spec/ops.h"
#include "suite/line.h"
#include "suite/prove_lowering.h"
#include "suite/prove_product.h"
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

/// "file.vyre:3:5: ", or nothing.
std::string place_of(Span span, const Source* source) {
  if (!span.known() || source == nullptr) return {};
  const Source::Position at = source->position(span.begin);
  return fmt::format("{}:{}:{}: ", source->name(), at.line, at.column);
}

/// A number where every reader of JSON keeps it whole, else its digits.
json value_json(smt::Bits value) {
  if (value <= UINT32_MAX) return uint32_t(value);
  const uint64_t low = uint64_t(value), high = uint64_t(value >> 64);
  return high == 0 ? fmt::format("{:#x}", low) : fmt::format("{:#x}{:016x}", high, low);
}

size_t denials(const symbolic::ProveReport& report) {
  return size_t(std::ranges::count_if(
      report.findings, [](const Finding& f) { return f.declared == Declared::Denial && f.good(); }));
}

bool all_are_asked(const ProveRequest& request) { return request.pattern == "*"; }

/// What takes minutes, or is about the library as a whole, is asked by name.
bool wants(const ProveRequest& request, ProvePart part) {
  if (!request.parts.empty()) return request.parts.contains(part);
  return part == ProvePart::Declared || part == ProvePart::Lowering;
}

/// "--only theorems,product,collisions": the parts that were not asked for.
std::string not_asked(const ProveRequest& request) {
  std::string out;
  for (size_t p = 0; p < kProveParts; ++p) {
    const ProvePart part{uint8_t(p)};
    if (!wants(request, part)) out += fmt::format("{}{}", out.empty() ? "" : ",", text(part));
  }
  return out;
}

/// Whether a pattern is of operators, though no operation has such an id.
bool matches_operator(std::string_view pattern) {
  return std::ranges::any_of(spec::kOps,
                             [&](const spec::OpInfo& op) { return matches(pattern, op.mnemonic); });
}

/// The answer as it grows, part by part.
class Answer {
 public:
  explicit Answer(const ProveRequest& request) : request_(request) {}

  void declared(std::span<const ops::Operation* const> operations) {
    symbolic::ProveOptions options;
    options.solver.limits.seconds = 60;
    options.solver.confirm = true;
    options.stop = request_.stop;
    Line line;
    options.progress = [&](size_t done, size_t all, const Finding& last) {
      line.show(done, all, fmt::format("{} {}", last.operation->id, last.statement));
    };
    const symbolic::ProveReport report = symbolic::prove(operations, options);
    add(report.good(), [&] { return prove_table(report); }, [&] { json_.update(prove_json(report)); });
  }
  void theorems() {
    const auto proofs = symbolic::prove_theorems();
    add(true, [&] { return theorems_text(proofs); }, [&] { json_["theorems"] = theorems_json(proofs); });
  }
  void lowering() {
    LoweringOptions options;
    options.wanted = [&](std::string_view name) { return matches(request_.pattern, operator_of(name)); };
    options.stop = request_.stop;
    Line line;
    options.progress = [&](size_t done, size_t all, const symbolic::LoweringProof& last) {
      line.show(done, all, fmt::format("{} {}", last.subject, last.operation));
    };
    const LoweringReport report = prove_lowering(options);
    add(
        report.good(), [&] { return lowering_table(report); },
        [&] { json_["lowering"] = lowering_json(report); });
  }
  void product() {
    symbolic::ProductOptions options;
    options.glob = request_.pattern;
    options.threads = std::max(1u, std::thread::hardware_concurrency());
    options.stop = request_.stop;
    Line line;
    size_t done = 0, all = 0;
    options.planned = [&](size_t sentences) { all = sentences; };
    options.each = [&](const symbolic::Sentence& s) {
      line.show(++done, all, fmt::format("{} {}", s.function, spec::info(s.law.kind).name));
    };
    const symbolic::Product product = symbolic::cross_product(options);
    add(
        product.wrong.empty(), [&] { return product_text(product); },
        [&] { json_["product"] = product_json(product); });
  }
  void collisions() {
    solver::Prover prover;
    const auto found = symbolic::collisions(prover);
    add(
        std::ranges::none_of(found, &symbolic::Collision::is_fault), [&] { return collisions_text(found); },
        [&] { json_["collisions"] = collisions_json(found); });
  }
  Proved said() {
    if (!request_.json) {
      if (request_.parts.empty())
        text_ += fmt::format("not asked: --only {} asks the rest\n", not_asked(request_));
      return {std::move(text_), good_};
    }
    json_["format"] = 1, json_["good"] = good_;
    return {json_.dump(2) + "\n", good_};
  }

 private:
  void add(bool good, const auto& as_text, const auto& as_json) {
    good_ = good_ && good;
    if (request_.json) return as_json();
    text_ += as_text();
  }

  const ProveRequest& request_;
  bool good_ = true;
  std::string text_;
  json json_ = json::object();
};

}  // namespace

std::string prove_table(const symbolic::ProveReport& report, const Source* source) {
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
      bad += fmt::format("  {}{}: {}: {}{}\n", place_of(f.span, source), name_of(*f.operation), f.statement,
                         f.evidence, f.note.empty() ? "" : " (" + f.note + ")");
  }
  if (!bad.empty()) out += "\nnot as declared:\n" + bad;
  if (!report.skipped.empty())
    out += fmt::format(
        "\noperations on floats, which have no formula: {}; `vyre-conform laws` runs their laws\n",
        report.skipped.size());
  const size_t denied = denials(report);
  const auto undenied = size_t(std::ranges::count_if(report.findings, [](const Finding& f) {
    return f.declared == symbolic::Declared::Denial && !f.good();
  }));
  out += fmt::format(
      "\n{} declared: {} proved, {} derived, {} exhausted, {} denied and refuted; {} refuted, {} open{}\n",
      report.findings.size(), report.count(Grade::Proved), report.count(Grade::Derived),
      report.count(Grade::Exhausted), denied, report.count(Grade::Refuted) - denied,
      report.count(Grade::Open) - undenied,
      undenied == 0 ? "" : fmt::format(", {} denied and not refuted", undenied));
  out += fmt::format("coverage: {}\n", coverage_text(report.total));
  out += fmt::format("{}; encodings agree with the reference on {} small operands; {:.1f} s\n", report.solver,
                     report.encodings, report.seconds);
  return out;
}

json prove_json(const symbolic::ProveReport& report, const Source* source) {
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
    if (f.span.known() && source != nullptr) {
      const Source::Position at = source->position(f.span.begin);
      one["line"] = at.line, one["column"] = at.column;
    }
    if (f.proof.statement != Digest{}) one["digest"] = f.proof.statement.hex();
    if (!f.proof.solver.empty()) one["solver"] = f.proof.solver;
    if (!f.proof.confirmed.empty()) one["confirmed"] = f.proof.confirmed;
    if (f.proof.outcome == solver::Outcome::Refuted) {
      json witness = json::array();
      for (const smt::Assigned& a : f.proof.witness) witness.push_back(value_json(a.value));
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
  return {{"solver", report.solver},
          {"encodings", report.encodings},
          {"seconds", report.seconds},
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
}

std::string_view text(ProvePart part) {
  switch (part) {
    case ProvePart::Declared: return "declared";
    case ProvePart::Theorems: return "theorems";
    case ProvePart::Lowering: return "lowering";
    case ProvePart::Product: return "product";
    case ProvePart::Collisions: return "collisions";
  }
  std::unreachable();
}

Result<Proved> prove(const ProveRequest& request) {
  std::vector<const ops::Operation*> operations;
  if (auto selected = select(request.pattern)) {
    operations = std::move(selected->operations);
  } else if (!matches_operator(request.pattern)) {
    Diag unknown = selected.error();
    NearestName nearest(request.pattern);
    for (const spec::OpInfo& op : spec::kOps) nearest.consider(op.mnemonic);
    if (const std::string meant = nearest.help(); !meant.empty()) unknown.help = meant;
    return std::unexpected(unknown);
  }
  Answer answer(request);
  for (size_t p = 0; p < kProveParts; ++p) {
    const ProvePart part{uint8_t(p)};
    if (!wants(request, part)) continue;
    switch (part) {
      case ProvePart::Declared:
        if (!operations.empty()) answer.declared(operations);
        break;
      case ProvePart::Theorems:
        if (all_are_asked(request)) answer.theorems();
        break;
      case ProvePart::Lowering: answer.lowering(); break;
      case ProvePart::Product: answer.product(); break;
      case ProvePart::Collisions:
        if (all_are_asked(request)) answer.collisions();
        break;
    }
    if (request.stop != nullptr && *request.stop) {
      return std::unexpected(make_diag(DiagCode::C007, Span::none(),
                                       fmt::format("interrupted while \"{}\" was asked about", text(part)),
                                       "run it again; --only asks for a part"));
    }
  }
  return answer.said();
}

}  // namespace vyre::suite
