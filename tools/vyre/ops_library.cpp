// What `vyre ops` says of operations over buffers: their texts, as a page.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/names.h"
#include "ops/operation.h"
#include "ops_library.h"
#include "spec/types.h"

namespace vyre::tool {
namespace {

/// The comment at a file's top, without what begins with `// as`; each line without its slashes.
std::vector<std::string_view> head_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (text.starts_with("//")) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (library::named_id(line).empty()) lines.push_back(line.substr(std::min<size_t>(line.size(), 3)));
  }
  return lines;
}

struct Row {
  std::string_view run, source;  // "data=[1] => digests=[2]", and the comment above
};
/// The run lines of a file that are of this operation: of all constants, or of its own.
std::vector<Row> rows_of(const library::Entry& entry) {
  std::vector<Row> rows;
  std::string_view text = entry.file->text, above;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    constexpr std::string_view kRun = "// run: ";
    if (line.starts_with(kRun)) {
      const std::string_view run = line.substr(kRun.size());
      const bool own = std::ranges::all_of(entry.constants, [&](const auto& constant) {
        return run.starts_with(fmt::format("{}={} ", constant.first, constant.second)) ||
               run.contains(fmt::format(" {}={} ", constant.first, constant.second));
      });
      if (own && !run.contains("entry=")) rows.push_back({run, above});
    } else {
      above = line.starts_with("// ") ? line.substr(3) : std::string_view();
    }
  }
  return rows;
}

const ir::Pipeline* main_of(const library::Entry& entry) {
  const ir::Module* const module = ops::op_table().find_module(entry.id, 1);
  if (module == nullptr) return nullptr;
  const auto found = std::ranges::find(module->pipelines, "main", &ir::Pipeline::name);
  return found == module->pipelines.end() ? nullptr : &*found;
}

std::string buffer_text(const ir::Pipeline& pipeline, const ir::BufferDecl& buffer) {
  return fmt::format("{} {}: {}", spec::text(buffer.access), pipeline.code.name(buffer.name),
                     spec::text(buffer.element));
}

std::string signature_of(const ir::Pipeline& pipeline) {
  std::string out;
  for (const ir::BufferDecl& buffer : pipeline.buffers)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", buffer_text(pipeline, buffer));
  return "(" + out + ")";
}

/// What it runs of the library.
std::vector<std::string_view> runs_of(const ir::Pipeline& pipeline) {
  std::vector<std::string_view> out;
  for (const ir::Command& command : pipeline.commands) {
    if (command.kind != ir::CommandKind::Run || command.version == 0) continue;
    const std::string_view id = pipeline.code.name(command.symbol);
    if (std::ranges::find(out, id) == out.end()) out.push_back(id);
  }
  return out;
}

}  // namespace

void print_library_list(const std::vector<const library::Entry*>& list) {
  if (list.empty()) return;
  size_t width = 0;
  for (const library::Entry* entry : list) width = std::max(width, entry->id.size());
  fmt::print("Operations over buffers: run one with `vyre run ID`\n");
  for (const library::Entry* entry : list) fmt::print("  {:{}}  {}\n", entry->id, width, entry->summary());
}

void print_library_page(const library::Entry& entry) {
  fmt::print("{}\n", entry.id);
  for (bool first = true; std::string_view line : head_of(entry.file->text)) {
    if (std::exchange(first, false)) line = entry.summary();
    fmt::print("{}{}\n", line.empty() ? "" : "  ", line);
  }
  const ir::Pipeline* const pipeline = main_of(entry);
  if (pipeline == nullptr) return;
  fmt::print("\nBuffers\n");
  size_t width = 0;
  for (const ir::BufferDecl& buffer : pipeline->buffers)
    width = std::max(width, pipeline->code.name(buffer.name).size());
  for (const ir::BufferDecl& buffer : pipeline->buffers)
    fmt::print("  {:10}  {:{}}  {}\n", spec::text(buffer.access), pipeline->code.name(buffer.name), width,
               spec::text(buffer.element));
  if (const auto runs = runs_of(*pipeline); !runs.empty()) fmt::print("\nRuns\n  {}\n", fmt::join(runs, " "));
  if (const auto laws = library::laws_of(entry.id); !laws.empty()) {
    fmt::print("\nLaws\n");
    size_t widest = 0;
    for (const library::Law* law : laws) widest = std::max(widest, law->name.size());
    for (const library::Law* law : laws)
      fmt::print("  {:{}}  {}{}\n", law->name, widest, law->claimed ? "" : "DENIED: ", law->statement);
  }
  if (const library::Engine* engine = library::find_engine(entry.id)) {
    fmt::print("\nPromises\n");
    for (const library::Invariant one : library::kInvariants)
      if (engine->promises.has(one))
        fmt::print("  {:18}  {}\n", library::text(one), library::info(one).meaning);
    fmt::print("\nBounds of a run\n  {:18}  {}\n  {:18}  {}\n  {:18}  {}\n", "dispatches", engine->dispatches,
               "bytes of scratch", engine->scratch_bytes, "turns of repeats", engine->turns);
  }
  bool any_speed = false;
  for (const library::Speed& speed : library::speeds()) {
    if (!is_among(entry.id, speed.operations)) continue;
    if (!std::exchange(any_speed, true)) fmt::print("\nSpeed: time over that of another, less is faster\n");
    fmt::print("  {} of {}, {} ({})\n", speed.ratio, speed.beside, speed.input, speed.device);
  }
  const std::vector<Row> rows = rows_of(entry);
  fmt::print("\nRows: {}\n", rows.size());
  std::string_view above;
  constexpr size_t kWidest = 160;
  for (const Row& row : rows) {
    if (!row.source.empty() && row.source != above) fmt::print("  {}\n", above = row.source);
    const bool cut = row.run.size() > kWidest;
    fmt::print("    {}{}\n", row.run.substr(0, kWidest), cut ? " ..." : "");
  }
}

nlohmann::json library_json(const library::Entry& entry) {
  nlohmann::json buffers = nlohmann::json::array(), rows = nlohmann::json::array();
  if (const ir::Pipeline* const pipeline = main_of(entry)) {
    for (const ir::BufferDecl& buffer : pipeline->buffers) {
      buffers.push_back({{"name", pipeline->code.name(buffer.name)},
                         {"access", spec::text(buffer.access)},
                         {"type", spec::text(buffer.element)}});
    }
  }
  for (const Row& row : rows_of(entry)) rows.push_back({{"run", row.run}, {"comment", row.source}});
  nlohmann::json laws = nlohmann::json::array();
  for (const library::Law* law : library::laws_of(entry.id))
    laws.push_back({{"law", law->name}, {"claimed", law->claimed}, {"statement", law->statement}});
  nlohmann::json out = {{"id", entry.id},     {"version", 1}, {"summary", entry.summary()},
                        {"buffers", buffers}, {"laws", laws}, {"rows", rows}};
  if (const library::Engine* engine = library::find_engine(entry.id)) {
    for (const library::Invariant one : library::kInvariants)
      if (engine->promises.has(one)) out["promises"].push_back(library::text(one));
    out["bounds"] = {{"dispatches", engine->dispatches},
                     {"scratch_bytes", engine->scratch_bytes},
                     {"turns", engine->turns}};
  }
  return out;
}

void print_library_markdown(const std::vector<const library::Entry*>& list) {
  fmt::print(
      "\n## Operations over buffers\n\n`vyre run ID --set BUFFER=...` runs one, and `run ID(...)` in a "
      "pipeline; `vyre ops ID` "
      "is its page ([conventions](library.md)).\n\n| operation | buffers | meaning |\n|---|---|---|\n");
  for (const library::Entry* entry : list) {
    const ir::Pipeline* const pipeline = main_of(*entry);
    std::string summary(entry->summary());
    for (size_t at = 0; (at = summary.find('|', at)) != std::string::npos; at += 2) summary.insert(at, "\\");
    fmt::print("| `{}` | `{}` | {} |\n", entry->id, pipeline == nullptr ? "" : signature_of(*pipeline),
               summary);
  }
  fmt::print(
      "\n### Laws of operations over buffers\n\nA denied law does not hold, though a reader might expect it: "
      "certification shows a case that refutes it.\n\n| operations | law | meaning |\n|---|---|---|\n");
  for (const library::Law& law : library::laws())
    fmt::print("| `{}` | {}{} | {} |\n", law.operations, law.claimed ? "" : "denied: ", law.name,
               law.statement);
  fmt::print(
      "\n### Engines\n\nWhat each promises of every run, and uses at most ([how it is "
      "judged](engines.md)).\n\n"
      "| engine | promises | dispatches | bytes of scratch | turns of repeats |\n|---|---|---|---|---|\n");
  for (const library::Engine& engine : library::engines()) {
    std::vector<std::string_view> promises;
    for (const library::Invariant one : library::kInvariants)
      if (engine.promises.has(one)) promises.push_back(library::text(one));
    fmt::print("| `{}` | {} | `{}` | `{}` | `{}` |\n", engine.id, fmt::join(promises, " "), engine.dispatches,
               engine.scratch_bytes, engine.turns);
  }
  fmt::print(
      "\n### Speed\n\nTime over that of something else, measured side by side in one run; less is faster "
      "([how](performance.md)).\n\n| operations | input | device | beside | ratio "
      "|\n|---|---|---|---|---|\n");
  for (const library::Speed& speed : library::speeds())
    fmt::print("| `{}` | {} | {} | {} | {} |\n", speed.operations, speed.input, speed.device, speed.beside,
               speed.ratio);
}

}  // namespace vyre::tool
