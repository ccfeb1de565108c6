#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "algebra/file_laws.h"
#include "ref/rows.h"
#include "verbs.h"
#include "verify/race_check.h"

namespace vyre::tool {
namespace {

/// "xor.vyre:3:5", or "?" for programs without a text.
std::string place(const host::CheckedFile& file, Span span) {
  if (!file.source || !span.known()) return "?";
  const Source::Position at = file.source->position(span.begin);
  return fmt::format("{}:{}:{}", file.path, at.line, at.column);
}

std::string triple(const std::array<uint32_t, 3>& of) { return fmt::format("{},{},{}", of[0], of[1], of[2]); }

/// A line for each pair of places of which nothing is known, and what that means: silence would read as an
/// answer.
std::string undecided(const host::CheckedFile& file, const verify::RaceVerdict& verdict) {
  std::set<std::pair<std::string, std::string>> places;
  for (const auto& [first, second] : verdict.left) places.emplace(place(file, first), place(file, second));
  std::string out;
  for (const auto& [first, second] : places)
    out += fmt::format("  not ruled out: {} and {}\n", first, second);
  if (places.empty()) out += "  not ruled out: any pair of accesses\n";
  return out +
         "  note: a race is neither proved nor excluded here; `vyre run --detect-races` looks for those of "
         "one dispatch\n";
}

/// Prints what is known of the races of a program; gives the exit code.
int report_races(const host::CheckedFile& file, bool named) {
  const verify::RaceVerdict verdict = verify::check_races(*file.checked);
  const std::string item = named ? fmt::format("{}: ", file.checked->program().name) : "";
  std::string line = fmt::format("{}: {}{}", file.path, item, verify::text(verdict.answer));
  if (verdict.answer == verify::RaceAnswer::Free) line += " " + verify::scope(verdict);
  if (verdict.witness) {
    const verify::RaceWitness& w = *verdict.witness;
    const ir::Program& program = file.checked->program();
    line += fmt::format(": {}[{}] with groups {},{},{} and inputs {}: invocation {} {}, invocation {} {}",
                        program.code.name(file.checked->buffer(w.buffer).name), w.element, w.groups.x,
                        w.groups.y, w.groups.z, w.inputs, triple(w.first.invocation),
                        verify::kAccessKindNames[size_t(w.first.kind)], triple(w.second.invocation),
                        verify::kAccessKindNames[size_t(w.second.kind)]);
    if (file.source)
      line += fmt::format(" ({} and {})", place(file, w.first_place), place(file, w.second_place));
  }
  if (verdict.answer == verify::RaceAnswer::Unknown) line += ": " + verdict.reason;
  fmt::print("{}\n", line);
  if (verdict.answer == verify::RaceAnswer::Unknown) fmt::print("{}", undecided(file, verdict));
  return verdict.answer == verify::RaceAnswer::Race ? 1 : 0;
}

}  // namespace

void add_check(CLI::App& app, int& exit) {
  auto files = std::make_shared<std::vector<std::string>>();
  auto races = std::make_shared<bool>(false);
  auto constants = std::make_shared<std::vector<std::string>>();
  CLI::App* verb = app.add_subcommand("check", "Check programs against every rule");
  verb->add_option("FILE", *files, "programs, text or wire")->required();
  verb->add_flag("--races", *races,
                 "say of each whether it is free of data races: proved, refuted, or unknown");
  add_constants(*verb, *constants);
  verb->footer(
      "Example: vyre check examples/block_sum.vyre\nEvery broken rule is shown with its line; `vyre explain "
      "V010` says more.\nWith --races a program that has one exits with 1.");
  verb->callback([files, races, constants, &exit] {
    if (const auto chosen = host::parse_constants(*constants); !chosen) {
      exit = usage_error(chosen.error().message);
      return;
    }
    for (const std::string& path : *files) {
      const auto file = load_module(path, *constants);
      if (!file) {
        exit = std::max(exit, file.error());
        continue;
      }
      Diagnostics wrong = ref::check_rows(*file->module);
      std::ranges::move(algebra::check_witnesses(file->module), std::back_inserter(wrong));
      std::ranges::sort(wrong, {}, [](const Diag& diag) { return diag.span.begin; });
      if (!wrong.empty())
        exit =
            std::max(exit, report(host::ProgramError{host::render_all(wrong, file->source.get(), path), 1}));
      warn(*file);
      if (!*races) continue;
      const std::span programs = file->module->own_programs();
      for (const auto& program : programs)
        exit = std::max(exit, report_races({path, file->source, program}, programs.size() > 1));
    }
  });
}

}  // namespace vyre::tool
