#include "host/file_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "host/graphs.h"
#include "host/values.h"
#include "ref/rows.h"

namespace vyre::host {
namespace {

std::unexpected<Diag> malformed(Span span, std::string message, std::string help) {
  return std::unexpected(make_diag(DiagCode::P017, span, std::move(message), std::move(help)));
}

/// Parses and checks.
std::expected<std::shared_ptr<const check::CheckedModule>, Diagnostics> checked_module(
    std::string_view text, const spec::OpTable& ops, const text::Constants& constants) {
  auto module = text::parse_module(text, &ops, constants);
  if (!module) return std::unexpected(Diagnostics{module.error()});
  return check::check(std::move(*module), ops);
}

/// The bytes that a directive gives a buffer.
Result<void> fill(const text::BufferValues& values, Buffers& buffers, bool expected, Buffers& into) {
  const auto declared = buffers.by_name.find(values.name);
  if (declared == buffers.by_name.end()) {
    std::string known;
    for (const std::string& name : buffers.order)
      known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
    return malformed(values.span, fmt::format("there is no buffer {}", values.name),
                     known.empty() ? "what is run has no buffers" : "what is run has " + known);
  }
  NamedBuffer& buffer =
      into.by_name.try_emplace(values.name, NamedBuffer{declared->second.element, expected, {}})
          .first->second;
  for (const std::string& value : values.values) {
    if (const auto parsed = parse_element(value, buffer.element, buffer.bytes); !parsed)
      return malformed(values.span, parsed.error().message, "values are written as for --set");
  }
  return {};
}

}  // namespace

TestFile read_test_file(std::string name, std::string text, const spec::OpTable& ops,
                        const MoreChecks& more) {
  TestFile out;
  out.source = std::make_shared<const Source>(std::move(name), std::move(text));
  if (auto checked = checked_module(out.source->text(), ops, {})) {
    out.module = std::move(*checked);
    out.diagnostics = ref::check_rows(*out.module);
    std::ranges::move(more(out.module), std::back_inserter(out.diagnostics));
  } else {
    out.diagnostics = std::move(checked.error());
  }
  if (auto directives = text::parse_directives(out.source->text())) {
    out.directives = std::move(*directives);
  } else {
    out.diagnostics.push_back(directives.error());
  }
  return out;
}

std::vector<std::string> unexpected_diagnostics(const TestFile& file) {
  std::vector<std::string> out;
  std::vector<const Diag*> left;
  for (const Diag& diag : file.diagnostics) left.push_back(&diag);
  for (const text::ErrorDirective& error : file.directives.errors) {
    const auto found = std::ranges::find_if(left, [&](const Diag* diag) {
      return diag->code == error.code && diag->span.known() &&
             file.source->position(diag->span.begin).line == error.line;
    });
    if (found != left.end()) {
      left.erase(found);
    } else {
      out.push_back(fmt::format("{}:{}: expected {} here, and it does not come\n", file.source->name(),
                                error.line, diag_info(error.code).name));
    }
  }
  const std::string_view why = file.directives.errors.empty()
                                   ? "expected no diagnostic"
                                   : "expected no other diagnostics than the error lines name";
  for (const Diag* diag : left)
    out.push_back(
        fmt::format("{}  {}, and this comes\n", render(*diag, file.source.get(), file.source->name()), why));
  return out;
}

Result<std::shared_ptr<const check::CheckedModule>> module_for(const TestFile& file,
                                                               const text::RunDirective& run,
                                                               const spec::OpTable& ops) {
  text::Constants constants = run.constants;
  std::erase_if(constants, [&](const auto& chosen) {
    return std::ranges::any_of(file.module->graphs(), [&](const check::TensorGraph& graph) {
      return has_dimension(graph, chosen.first);
    });
  });
  if (constants.empty()) return file.module;
  if (const auto unknown = unknown_constant(file.module->module(), constants))
    return malformed(run.span, *unknown,
                     "entry=NAME and constants stand without brackets, buffers with them");
  auto chosen = checked_module(file.source->text(), ops, constants);
  if (!chosen) return std::unexpected(chosen.error().front());
  return std::move(*chosen);
}

namespace {

/// The step of a graph: numbers behind names of dimensions are their sizes, and lists are tensors.
Result<Step> graph_step_of(const std::shared_ptr<const check::CheckedModule>& module, uint32_t number,
                           const text::RunDirective& run) {
  const check::TensorGraph& graph = module->graphs()[number];
  GivenTensors given;
  for (const text::BufferValues& input : run.inputs) given[input.name] = {std::nullopt, input.values.size()};
  for (const auto& output : graph.outputs)
    if (given.contains(output.name))
      return malformed(run.span, fmt::format("{} is an output of {}", output.name, graph.name),
                       "its values stand behind =>");
  auto dimensions = bind_dimensions(graph, given, {run.constants.begin(), run.constants.end()}, "{}=5");
  if (!dimensions) return malformed(run.span, dimensions.error().message, dimensions.error().help);
  auto step = graph_step(module, number, *dimensions);
  if (!step) return malformed(run.span, step.error().message, step.error().help);
  return step;
}

}  // namespace

Result<RunCase> case_of(std::shared_ptr<const check::CheckedModule> module, const text::RunDirective& run) {
  const auto entry = find_entry(*module, run.entry);
  if (!entry) return malformed(run.span, entry.error().message, "say which with entry=NAME");
  if (entry->kind != ItemKind::Program && run.groups_given) {
    return malformed(run.span, fmt::format("groups are given to a {}", text(entry->kind)),
                     fmt::format("a {} says itself how many there are", text(entry->kind)));
  }
  RunCase out;
  if (entry->kind == ItemKind::Graph) {
    VYRE_TRY(step, graph_step_of(module, entry->number, run));
    out.step = std::move(step);
  } else {
    out.step = Step::of(std::move(module), *entry, {run.groups[0], run.groups[1], run.groups[2]});
  }
  out.inputs = declare_buffers({&out.step, 1}).value();
  make_outputs(out.step, out.inputs);
  for (const text::BufferValues& input : run.inputs) VYRE_CHECK(fill(input, out.inputs, false, out.inputs));
  for (const text::BufferValues& output : run.outputs) {
    out.expected.order.push_back(output.name);
    VYRE_CHECK(fill(output, out.inputs, true, out.expected));
  }
  return out;
}

std::optional<std::string> difference(const RunCase& run, const Buffers& after, std::string_view backend) {
  const auto unequal = first_unequal(run.expected, after);
  if (!unequal) return std::nullopt;
  return fmt::format("{}[{}]: expected {}, and {} gives {}", unequal->buffer, unequal->index, unequal->a,
                     backend, unequal->b);
}

namespace {

/// The run lines of a file on one backend after the other.
class Runner {
 public:
  Runner(const TestFile& file, const OpenBackend& open, const spec::OpTable& ops,
         const std::function<void(const std::string&)>& show)
      : file_(file), open_(open), ops_(ops), show_(show) {}

  TestCounts run(std::span<const std::string> backends) {
    TestCounts counts;
    const auto count = [&](bool passed) { ++(passed ? counts.passed : counts.failed); };
    const auto wrong = unexpected_diagnostics(file_);
    for (const std::string& what : wrong) show_(what);
    if (!wrong.empty() || !file_.directives.errors.empty()) count(wrong.empty());
    if (!wrong.empty()) return counts;
    for (const text::RunDirective& line : file_.directives.runs) {
      for (const std::string& name : backends) {
        const auto failure = run_line(line, name);
        count(!failure);
        if (failure) show_(*failure);
      }
    }
    return counts;
  }

 private:
  /// What went wrong, or nothing.
  std::optional<std::string> run_line(const text::RunDirective& line, const std::string& name) {
    const auto said = [&](const Diag& diag) {
      return fmt::format("{}:{}: on {}:\n{}", file_.source->name(), line.line, name,
                         render(diag, file_.source.get(), file_.source->name()));
    };
    if (file_.module == nullptr) {
      return said(make_diag(DiagCode::P017, line.span, "the file has errors, so nothing in it can be run",
                            "a file has run lines or error lines"));
    }
    const auto backend = open_(name, file_.directives.subgroup_size);
    if (!backend) return said(backend.error());
    auto& module = modules_[line.constants];
    if (module == nullptr) {
      auto chosen = module_for(file_, line, ops_);
      if (!chosen) return said(chosen.error());
      module = std::move(*chosen);
    }
    auto run = case_of(module, line);
    if (!run) return said(run.error());
    const auto key = std::tuple(*backend, module.get(), run->step.checked.get());
    auto ready = ready_.find(key);
    if (ready == ready_.end()) {
      auto compiled = ReadyStep::make(**backend, run->step);
      if (!compiled) return said(compiled.error());
      ready = ready_.emplace(key, std::move(*compiled)).first;
    }
    if (const auto ran = ready->second.run(run->inputs, run->step.groups); !ran) return said(ran.error());
    const auto wrong = difference(*run, run->inputs, name);
    if (!wrong) return std::nullopt;
    return fmt::format("{}:{}: {}\n", file_.source->name(), line.line, *wrong);
  }

  const TestFile& file_;
  const OpenBackend& open_;
  const spec::OpTable& ops_;
  const std::function<void(const std::string&)>& show_;
  std::map<text::Constants, std::shared_ptr<const check::CheckedModule>> modules_;
  std::map<std::tuple<backend::Backend*, const check::CheckedModule*, const check::Checked*>, ReadyStep>
      ready_;
};

}  // namespace

TestCounts run_file_tests(const TestFile& file, std::span<const std::string> backends,
                          const OpenBackend& open, const spec::OpTable& ops,
                          const std::function<void(const std::string&)>& show) {
  return Runner(file, open, ops, show).run(backends);
}

std::expected<std::vector<std::string>, UsageError> test_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector{path};
  std::vector<std::string> out;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".vyre" && at->is_regular_file(error)) out.push_back(at->path().string());
  }
  if (error) return std::unexpected(UsageError{fmt::format("cannot read '{}': {}", path, error.message())});
  std::ranges::sort(out);
  return out;
}

}  // namespace vyre::host
