#include "suite/prove_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "algebra/file_laws.h"
#include "suite/line.h"
#include "suite/prove_product.h"
#include "symbolic/prove_file.h"
#include "verify/verdict.h"

namespace vyre::suite {
namespace {

using nlohmann::json;
using symbolic::Finding;
using symbolic::Grade;

std::unexpected<Diag> interrupted() {
  return std::unexpected(
      make_diag(DiagCode::C007, Span::none(), "interrupted before everything was asked", "run it again"));
}

symbolic::ProveReport ask(const algebra::FileOperations& operations, bool laws_only, uint64_t seed,
                          const std::atomic<bool>* stop) {
  symbolic::ProveOptions options;
  options.solver.limits.seconds = 60;
  options.solver.confirm = true;
  options.laws_only = laws_only;
  options.seed = seed;
  options.stop = stop;
  Line line;
  options.progress = [&](size_t done, size_t all, const Finding& last) {
    line.show(done, all, fmt::format("{} {}", last.operation->id, last.statement));
  };
  return symbolic::prove_file(operations, options);
}

symbolic::Suggestions suggest(const algebra::FileOperations& operations, const ProveFileRequest& request) {
  Line line;
  return symbolic::suggest(
      operations, request.suggesting, request.stop,
      [&](size_t done, size_t all, const symbolic::Sentence& last) {
        if (done % 16 != 0) return;
        line.show(done, all,
                  fmt::format("suggestions: {} {}", last.function, spec::info(last.law.kind).name));
      });
}

std::string suggestions_text(const symbolic::Suggestions& found, double seconds) {
  const auto laws = found.product.suggestions();
  std::string out =
      laws.empty() ? "\nno further law was found to hold\n" : "\nthese hold and are not claimed:\n";
  std::string last;
  for (const symbolic::Sentence* s : laws) {
    out += s->function == last ? ", " : fmt::format("{}  {}: ", last.empty() ? "" : "\n", s->function);
    out += spec::to_string(s->law);
    last = s->function;
  }
  if (!laws.empty()) out += "\n";
  if (!found.whole)
    out += fmt::format("suggestions were sought for {:.0f} s, which did not suffice for all laws\n", seconds);
  return out;
}

}  // namespace

Result<void> expect_operations(const OperationsFile& file) {
  if (!file.module->operations().empty()) return {};
  return std::unexpected(
      make_diag(DiagCode::C004, Span::none(), fmt::format("{} has no operations", file.path),
                "programs and pipelines claim nothing; `vyre check --races` looks at programs"));
}

Result<Proved> prove_file(const OperationsFile& file, const ProveFileRequest& request) {
  VYRE_CHECK(expect_operations(file));
  const algebra::FileOperations operations(file.module);
  const symbolic::ProveReport report = ask(operations, false, 1, request.stop);
  if (report.stopped) return interrupted();
  std::optional<symbolic::Suggestions> suggestions;
  if (request.suggest) suggestions = suggest(operations, request);
  if (request.stop != nullptr && *request.stop) return interrupted();

  Proved out;
  out.good = report.good();
  if (!request.json) {
    if (suggestions) out.text = suggestions_text(*suggestions, request.suggesting);
    out.text = prove_table(report, file.source.get()) + out.text;
    return out;
  }
  json answer = prove_json(report, file.source.get());
  answer["format"] = 1, answer["good"] = out.good, answer["file"] = file.path;
  if (suggestions) {
    answer["suggestions"] = product_json(suggestions->product)["suggestions"];
    answer["suggestions_whole"] = suggestions->whole;
  }
  out.text = answer.dump(2) + "\n";
  return out;
}

Result<LawTable> law_table(const OperationsFile& file, uint64_t seed, const std::atomic<bool>* stop) {
  VYRE_CHECK(expect_operations(file));
  const algebra::FileOperations operations(file.module);
  const symbolic::ProveReport report = ask(operations, true, seed, stop);
  if (report.stopped) return interrupted();
  LawTable out;
  for (const auto& operation : operations.all()) {
    std::vector<const Finding*> own;
    size_t width = 0;
    for (const Finding& f : report.findings) {
      if (f.operation != &operation->operation) continue;
      own.push_back(&f);
      width = std::max(width, f.statement.size());
    }
    out.text += verify::subject_of(operation->operation.id, operation->operation.version) + "\n";
    if (own.empty()) out.text += "  no laws\n";
    for (const Finding* f : own) {
      const bool denied = f->declared == symbolic::Declared::Denial;
      const std::string_view status = denied && !f->good()         ? "NOT REFUTED"
                                      : f->grade == Grade::Refuted ? "refuted"
                                      : f->grade == Grade::Open    ? "not verified"
                                                                   : "verified";
      out.text += fmt::format("  {:<{}}  {:<12}  {}{}\n", f->statement, width, status, f->evidence,
                              f->note.empty() ? "" : " (" + f->note + ")");
      out.unsettled += !f->good();
      if (denied) ++(f->good() ? out.denied : out.undenied);
      out.refuted += !denied && f->grade == Grade::Refuted;
    }
    out.laws += own.size();
  }
  return out;
}

}  // namespace vyre::suite
