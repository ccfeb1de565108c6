#include "host/files.h"

#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/names.h"
#include "base/read_file.h"
#include "check/unchecked.h"
#include "library/library.h"
#include "ops/operation.h"
#include "text/text.h"
#include "wire/wire.h"

namespace vyre::host {
namespace {

std::string system_error() { return std::strerror(errno); }

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

}  // namespace

std::expected<Bytes, UsageError> read_file(const std::string& path, uint64_t most) {
  auto bytes = read_file_bytes(path, most);
  if (!bytes) return std::unexpected(UsageError{std::move(bytes.error())});
  return std::move(*bytes);
}

std::expected<void, UsageError> write_file(const std::string& path, std::span<const std::byte> bytes) {
  const auto failed = [&] {
    return std::unexpected(UsageError{fmt::format("cannot write '{}': {}", path, system_error())});
  };
  if (path == "-") {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0)
      return failed();
    return {};
  }
  // A device or a pipe cannot be renamed over; what exists and is no regular file is written in place.
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (std::filesystem::is_directory(status)) {
    errno = EISDIR;
    return failed();
  }
  const std::string part = in_place ? path : fmt::format("{}.part-{}", path, getpid());
  File file(std::fopen(part.c_str(), "wb"));
  if (!file) return failed();
  bool good = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  good = std::fflush(file.get()) == 0 && good;
  if (good && !in_place) good = fsync(fileno(file.get())) == 0;
  file.reset();
  if (good && !in_place) good = std::rename(part.c_str(), path.c_str()) == 0;
  if (!good) {
    const int error = errno;
    if (!in_place) std::remove(part.c_str());
    errno = error;
    return failed();
  }
  return {};
}

std::expected<void, UsageError> write_file(const std::string& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

std::string render_all(const Diagnostics& diagnostics, const Source* source, const std::string& path) {
  std::string out;
  for (const Diag& diag : diagnostics) out += render(diag, source, path);
  if (diagnostics.size() > 1) out += fmt::format("{}: {} errors\n", path, diagnostics.size());
  return out;
}

std::expected<text::Constants, UsageError> parse_constants(std::span<const std::string> words) {
  text::Constants out;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const auto value =
        equals == std::string::npos ? std::nullopt : text::parse_integer(word.substr(equals + 1));
    if (!value) return std::unexpected(UsageError{fmt::format("--const {}: wants NAME=INT", word)});
    if (!out.emplace(word.substr(0, equals), *value).second) {
      return std::unexpected(
          UsageError{fmt::format("--const {}: the constant is set twice", word.substr(0, equals))});
    }
  }
  return out;
}

namespace {

ProgramError wrong_usage(std::string_view message) { return {fmt::format("vyre: {}\n", message), 2}; }

}  // namespace

std::optional<std::string> unknown_constant(const ir::Module& module, const text::Constants& chosen) {
  for (const auto& [name, value] : chosen) {
    if (std::ranges::find(module.constants, name, &ir::Constant::name) != module.constants.end()) continue;
    NearestName nearest(name);
    std::string known;
    for (const ir::Constant& constant : module.constants) {
      nearest.consider(constant.name);
      known += fmt::format("{}{}", known.empty() ? "" : ", ", constant.name);
    }
    return fmt::format(
        "there is no constant '{}'; {}", name,
        nearest.help_or(known.empty() ? "the file has none" : fmt::format("the file has {}", known)));
  }
  return std::nullopt;
}

std::expected<ModuleFile, ProgramError> load_module(const std::string& path, const spec::OpTable& ops,
                                                    const LoadOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  auto bytes = read_file(path, kMaxProgramBytes);
  std::shared_ptr<const Source> source;
  Result<ir::Module> module;
  if (!bytes) {
    const library::Entry* entry = library::find(path);
    if (entry == nullptr) {
      std::string help;
      if (!path.contains('/')) {
        NearestName nearest(path);
        for (const library::Entry& known : library::entries()) nearest.consider(known.id);
        help = nearest.help_or("");
      }
      return std::unexpected(wrong_usage(bytes.error().message + (help.empty() ? "" : "; " + help)));
    }
    source = std::make_shared<const Source>(path, std::string(entry->file->text));
    text::Constants chosen = options.constants;
    chosen.insert(entry->constants.begin(), entry->constants.end());
    module = text::parse_module(source->text(), &ops, chosen);
  } else if (wire::is_wire(*bytes)) {
    module = wire::decode_module(*bytes);
  } else {
    source = std::make_shared<const Source>(
        path, std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
    module = text::parse_module(source->text(), &ops, options.constants);
  }
  if (!module) return std::unexpected(ProgramError{render(module.error(), source.get(), path), 1});
  if (const auto unknown = unknown_constant(*module, options.constants))
    return std::unexpected(wrong_usage(fmt::format("--const: {}: {}", path, *unknown)));
  const Clock::time_point read = Clock::now();
  auto checked = options.watch_barriers ? check::check_but_barriers(std::move(*module), ops)
                                        : check::check(std::move(*module), ops);
  if (!checked) return std::unexpected(ProgramError{render_all(checked.error(), source.get(), path), 1});
  const LoadTime time = {std::chrono::duration<double>(read - begin).count(),
                         std::chrono::duration<double>(Clock::now() - read).count()};
  return ModuleFile{path, std::move(source), std::move(*checked), time};
}

std::string_view text(ItemKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"program", "pipeline", "graph"};
  return kNames[size_t(kind)];
}

std::string_view name_of(const check::CheckedModule& module, const Entry& entry) {
  switch (entry.kind) {
    case ItemKind::Program: return module.module().programs[entry.number].name;
    case ItemKind::Pipeline: return module.module().pipelines[entry.number].name;
    case ItemKind::Graph: return module.module().graphs[entry.number].name;
  }
  return {};
}

std::expected<Entry, UsageError> find_entry(const check::CheckedModule& module,
                                            const std::optional<std::string>& name) {
  struct Candidate {
    std::string_view name;
    Entry entry;
    bool used = false;  // by another item
  };
  std::vector<Candidate> all;
  const std::span programs = module.own_programs();
  for (uint32_t i = 0; i < programs.size(); ++i)
    all.push_back({programs[i]->program().name, {ItemKind::Program, i}});
  const std::span pipelines = module.own_pipelines();
  for (uint32_t i = 0; i < pipelines.size(); ++i)
    all.push_back({pipelines[i].pipeline->name, {ItemKind::Pipeline, i}});
  for (const check::CheckedPipeline& pipeline : pipelines) {
    for (size_t i = 0; i < pipeline.target.size(); ++i) {
      const ir::CommandKind kind = pipeline.pipeline->commands[i].kind;
      if (kind == ir::CommandKind::Dispatch) all[pipeline.target[i]].used = true;
      if (kind == ir::CommandKind::Run && pipeline.target[i] < pipelines.size())
        all[programs.size() + pipeline.target[i]].used = true;
    }
  }
  const std::span graphs = module.graphs();
  for (uint32_t i = 0; i < graphs.size(); ++i) all.push_back({graphs[i].name, {ItemKind::Graph, i}});
  for (const ir::Graph& graph : module.module().graphs) {
    for (const ir::Expr& e : graph.code.exprs) {
      if (e.kind != ir::ExprKind::Apply || e.op != spec::Op::Call) continue;
      const auto called =
          std::ranges::find(std::span(all).last(graphs.size()), graph.code.name(e.symbol), &Candidate::name);
      if (called != std::span(all).end()) called->used = true;
    }
  }
  const std::string_view wanted = name ? std::string_view(*name) : "main";
  const auto found = std::ranges::find(all, wanted, &Candidate::name);
  if (found != all.end()) return found->entry;
  std::string names;
  NearestName nearest(wanted);
  for (const Candidate& candidate : all) {
    nearest.consider(candidate.name);
    if (name || !candidate.used) names += fmt::format("{}{}", names.empty() ? "" : ", ", candidate.name);
  }
  if (all.empty()) return std::unexpected(UsageError{"the file has no program, no pipeline and no graph"});
  if (name) {
    return std::unexpected(UsageError{
        fmt::format("--entry {}: there is no such program, pipeline or graph; {}", *name,
                    nearest.help_or(fmt::format("there {} {}", all.size() == 1 ? "is" : "are", names)))});
  }
  const auto free = [](const Candidate& candidate) { return !candidate.used; };
  if (std::ranges::count_if(all, free) == 1) return std::ranges::find_if(all, free)->entry;
  return std::unexpected(UsageError{fmt::format("which one is meant? --entry names one of {}", names)});
}

std::expected<CheckedFile, ProgramError> load_checked(const std::string& path, const spec::OpTable& ops,
                                                      const LoadOptions& options,
                                                      const std::optional<std::string>& name) {
  auto file = load_module(path, ops, options);
  if (!file) return std::unexpected(std::move(file.error()));
  const auto entry = find_entry(*file->module, name);
  if (!entry) return std::unexpected(wrong_usage(fmt::format("{}: {}", path, entry.error().message)));
  if (entry->kind != ItemKind::Program) {
    std::string programs;
    for (const ir::Program& program : file->module->module().programs)
      programs += fmt::format("{}{}", programs.empty() ? "" : ", ", program.name);
    return std::unexpected(wrong_usage(fmt::format(
        "{}: {} is a {}, and a program is wanted here: {}", path, name_of(*file->module, *entry),
        text(entry->kind),
        programs.empty() ? "the file has none" : fmt::format("--entry names one of {}", programs))));
  }
  return CheckedFile{path, std::move(file->source), file->module->programs()[entry->number]};
}

}  // namespace vyre::host
