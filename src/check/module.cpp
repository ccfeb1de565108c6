#include "check/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "check/body.h"
#include "check/graph.h"
#include "check/items.h"
#include "check/operations.h"
#include "check/pipelines.h"
#include "ir/builder.h"

namespace vyre::check {
namespace {

/// What host expressions call beside operations of the library and the file: a / b, rounded up. a % 0 is 0.
const ir::Function& ceil_div() {
  static const ir::Function function = [] {
    ir::FunctionBuilder f{std::string(ir::kCeilDiv)};
    const ir::Ex a = f.parameter("a", DataType::U32), b = f.parameter("b", DataType::U32);
    return f.finish(a / b + f.select(a % b != 0, f.u32(1), f.u32(0)), DataType::U32);
  }();
  return function;
}

}  // namespace

/// Texts of the library that were checked while one module is.
using Libraries = std::map<const ir::Module*, std::shared_ptr<const CheckedModule>>;

/// Makes a CheckedModule, and nothing else does.
class ModuleChecker {
 public:
  ModuleChecker(ir::Module module, const spec::OpTable& ops, bool watch_barriers, Libraries& libraries)
      : out_(std::shared_ptr<CheckedModule>(new CheckedModule)),
        watch_barriers_(watch_barriers),
        libraries_(libraries),
        library_ops_(ops) {
    out_->storage_ = std::make_shared<CheckedModule::Storage>(ops);
    out_->storage_->module = std::move(module);
  }

  std::expected<std::shared_ptr<const CheckedModule>, Diagnostics> run() {
    out_->storage_->host_ops.add({.id = std::string(ir::kCeilDiv),
                                  .signature = {{DataType::U32, DataType::U32}, DataType::U32},
                                  .body = &ceil_div()});
    Callees callees(out_->ops(), report_);
    check_constants();
    name_items();
    register_operations();
    check_operations(callees);
    check_programs(callees);
    check_pipelines(callees);
    check_tensors(callees);
    if (!report_.empty()) return std::unexpected(report_.take());
    out_->functions_ = callees.all();
    for (const auto& library : out_->libraries_)
      out_->functions_.insert(library->functions_.begin(), library->functions_.end());
    for (CheckedPipeline& pipeline : std::span(out_->pipelines_).first(module().pipelines.size()))
      pipeline.head = head_of(*pipeline.pipeline);
    return out_;
  }

 private:
  std::shared_ptr<const Checked> head_of(const ir::Pipeline& pipeline) const {
    ir::Program program;
    program.name = pipeline.name;
    program.buffers = pipeline.buffers;
    program.tensors = pipeline.tensors;
    program.code.symbols = pipeline.code.symbols;
    program.entry = program.code.add_block({});
    // Its buffers keep every rule, since those of the pipeline do.
    return std::make_shared<const Checked>(*check::check(std::move(program), out_->ops()));
  }

  const ir::Module& module() const { return out_->storage_->module; }
  Span program_span(size_t i) const {
    return i < module().program_spans.size() ? module().program_spans[i] : Span::none();
  }

  void twice(Span span, Span first, std::string what) {
    report_.add(DiagCode::V045, span, fmt::format("{} is declared twice", what), "rename one of the two")
        .notes.push_back({first, "first declared here"});
  }

  void check_constants() {
    std::map<std::string_view, const ir::Constant*> names;
    for (const ir::Constant& constant : module().constants) {
      check_name(constant.name, constant.span, "constant", report_);
      const auto [first, fresh] = names.emplace(constant.name, &constant);
      if (!fresh)
        twice(constant.span, first->second->span, fmt::format("constant {}", quoted(constant.name)));
      check_list(constant);
    }
  }

  void check_list(const ir::Constant& constant) {
    if (constant.allowed.empty()) return;
    std::string list;
    for (const uint32_t value : constant.allowed)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", value);
    std::vector<uint32_t> sorted = constant.allowed;
    std::ranges::sort(sorted);
    const auto double_value = std::ranges::adjacent_find(sorted);
    const std::string name = quoted(constant.name);
    if (double_value != sorted.end()) {
      report_.add(DiagCode::V046, constant.span, fmt::format("{} lists {} twice", name, *double_value),
                  "list each value once");
    }
    for (const uint32_t value : {constant.written, constant.value}) {
      if (std::ranges::binary_search(sorted, value)) continue;
      report_.add(DiagCode::V046, constant.span,
                  fmt::format("{} is {}, which its list does not have", name, value),
                  fmt::format("its values are {}", list));
      return;
    }
  }

  void name_items() {
    std::map<std::string_view, Span> spans;
    const auto add = [&](std::string_view name, Span span, ItemName item) {
      const auto [first, fresh] = spans.emplace(name, span);
      if (!fresh) return twice(span, first->second, fmt::format("{}", quoted(name)));
      names_.emplace(name, item);
    };
    for (uint32_t i = 0; i < module().programs.size(); ++i)
      add(module().programs[i].name, program_span(i), {false, i});
    for (uint32_t i = 0; i < module().pipelines.size(); ++i)
      add(module().pipelines[i].name, module().pipelines[i].span, {true, i});
    std::map<std::string_view, Span> graphs;
    for (const ir::Graph& graph : module().graphs) {
      const auto [first, fresh] = graphs.emplace(graph.name, graph.span);
      if (!fresh) twice(graph.span, first->second, fmt::format("graph {}", quoted(graph.name)));
    }
  }

  void register_operations() {
    spec::OpTable& table = out_->storage_->ops;
    std::map<std::pair<std::string_view, uint32_t>, Span> spans;
    for (const ir::Operation& operation : module().operations) {
      spec::OpDef def = {.id = operation.function.id,
                         .version = operation.version,
                         .signature = {{}, operation.function.result_type},
                         .body = &operation.function};
      for (const auto& parameter : operation.function.parameters)
        def.signature.inputs.push_back(parameter.type);
      out_->operations_.push_back(nullptr);
      if (!check_operation_head(operation, report_)) continue;
      const auto [first, fresh] =
          spans.try_emplace({operation.function.id, operation.version}, operation.span);
      if (!fresh) {
        twice(operation.span, first->second,
              fmt::format("operation {} of version {}", quoted(operation.function.id), operation.version));
        continue;
      }
      table.add(std::move(def));
      out_->operations_.back() = table.find(operation.function.id, operation.version);
    }
  }

  void check_operations(Callees& callees) {
    std::vector<BodyResult> bodies;
    BodyResult laws;  // which call what they name
    for (size_t i = 0; i < module().operations.size(); ++i) {
      const ir::Operation& operation = module().operations[i];
      const spec::OpDef* def = out_->operations_[i];
      bodies.push_back(check_function_body(operation.function, out_->ops(), report_, module().constants));
      if (def == nullptr) continue;
      callees.add(*def, bodies.back());
      std::ranges::move(check_claims(operation, *def, out_->ops(), report_), std::back_inserter(laws.calls));
    }
    for (const BodyResult& body : bodies) callees.reach(body, 0);
    callees.reach(laws, 0);
    for (size_t i = 0; i < bodies.size(); ++i) {
      if (out_->operations_[i] != nullptr)
        check_alternative(module().operations[i], *out_->operations_[i], callees);
    }
  }

  void check_alternative(const ir::Operation& operation, const spec::OpDef& def, const Callees& callees) {
    if (!def.id.ends_with(kAlternative)) return;
    const std::string subject(judged_by(def.id));
    const spec::OpDef* judged = out_->ops().find(subject, def.version);
    if (judged == nullptr || judged->body == nullptr ||
        std::ranges::find(out_->operations_, judged) == out_->operations_.end()) {
      report_.add(
          DiagCode::V047, operation.span,
          fmt::format("{} judges {}@{}, which is not in this file", quoted(def.id), subject, def.version),
          "declare both with the same version; `alternative` as the last word is kept for this");
    } else if (judged->signature != def.signature) {
      report_.add(DiagCode::V047, operation.span,
                  fmt::format("{} has another signature than {}", quoted(def.id), quoted(subject)),
                  "a second definition has the parameters and the result of the first");
    } else if (callees.calls(def, *judged)) {
      report_.add(DiagCode::V061, operation.span, fmt::format("{} calls {}", quoted(def.id), quoted(subject)),
                  "it judges that operation, so it must not rest on it");
    }
  }

  void check_programs(Callees& callees) {
    for (const ir::Program& program : module().programs) {
      Report divergent;
      ItemChecker checker(out_->ops(), module().constants, callees, report_,
                          watch_barriers_ ? &divergent : nullptr);

      // A pointer to the program that keeps all alive which the program refers to.
      auto checked = checker.run(std::shared_ptr<const ir::Program>(out_->storage_, &program));
      out_->divergent_.push_back(divergent.take());
      out_->programs_.push_back(checked ? std::make_shared<const Checked>(std::move(*checked)) : nullptr);
    }
  }

  void check_pipelines(Callees& callees) {
    ParametersOfItems parameters;
    Linker linker(out_->ops(), module().programs.size(), module().pipelines.size(),
                  [this](const ir::Module& text) { return check_library(text); });
    for (const ir::Pipeline& pipeline : module().pipelines) {
      PipelineResult result =
          check_pipeline(pipeline, module(), names_, parameters, out_->storage_->host_ops, linker, report_);
      callees.reach(result.body, 0);
      out_->pipelines_.push_back(std::move(result.checked));
    }
    std::ranges::move(linker.programs, std::back_inserter(out_->programs_));
    std::ranges::move(linker.pipelines, std::back_inserter(out_->pipelines_));
    out_->libraries_ = std::move(linker.libraries);
    check_runs(out_->pipelines_, report_);
  }

  void check_tensors(Callees& callees) {
    CheckedGraphs checked = check_graphs(module(), out_->ops(), report_);
    for (const BodyResult& body : checked.bodies) callees.reach(body, 0);
    out_->graphs_ = std::move(checked.graphs);
  }

  /// Each text once, whichever texts run it. One that runs itself, directly or through others, is null in
  /// there.
  std::shared_ptr<const CheckedModule> check_library(const ir::Module& text) {
    const auto [known, fresh] = libraries_.try_emplace(&text);
    if (fresh) {
      auto checked = ModuleChecker(text, library_ops_, false, libraries_).run();
      if (checked) known->second = *checked;
    }
    return known->second;
  }

  std::shared_ptr<CheckedModule> out_;
  const bool watch_barriers_;
  Libraries& libraries_;
  const spec::OpTable& library_ops_;  // without those of the file
  Report report_;
  ItemNames names_;
};

std::expected<std::shared_ptr<const CheckedModule>, Diagnostics> check(ir::Module module,
                                                                       const spec::OpTable& ops) {
  Libraries libraries;
  return ModuleChecker(std::move(module), ops, false, libraries).run();
}

std::expected<std::shared_ptr<const CheckedModule>, Diagnostics> check_but_barriers(
    ir::Module module, const spec::OpTable& ops) {
  Libraries libraries;
  return ModuleChecker(std::move(module), ops, true, libraries).run();
}

}  // namespace vyre::check
