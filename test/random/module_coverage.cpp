#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "modules.h"
#include "operation_writer.h"
#include "spec/ops.h"

namespace vyre::generate {
namespace {

using ir::Command;
using ir::CommandKind;
using ir::ExprKind;
using spec::DataType;

constexpr std::string_view word(CommandKind kind) {
  switch (kind) {
    case CommandKind::Scratch: return "scratch";
    case CommandKind::Let: return "let";
    case CommandKind::Dispatch: return "dispatch";
    case CommandKind::Run: return "run";
    case CommandKind::Loop: return "for";
    case CommandKind::Repeat: return "repeat";
    case CommandKind::If: return "if";
  }
  return {};
}

// What is no kind, operator or type. hit() refuses a part that is not in the list.
constexpr auto kForms = std::to_array<std::string_view>({"a constant",
                                                         "if without else",
                                                         "if with else",
                                                         "else if",
                                                         "an empty else",
                                                         "a command in a command in a command",
                                                         "an argument of the parameter's name",
                                                         "an argument of another name",
                                                         "a list",
                                                         "a list of several words",
                                                         "a buffer for two parameters",
                                                         "one count of groups",
                                                         "two counts of groups",
                                                         "three counts of groups",
                                                         "a zero among the groups",
                                                         "a repeat on scratch",
                                                         "a repeat on a parameter",
                                                         "a read parameter",
                                                         "a read_write parameter",
                                                         "a uniform parameter",
                                                         "a tensor parameter",
                                                         "a run in what is run",
                                                         "a host literal",
                                                         "a host name",
                                                         "a host len",
                                                         "a host element",
                                                         "a host call of the library",
                                                         "a host call of the file",
                                                         "a host call of ceil_div",
                                                         "an operation that calls one of the file",
                                                         "a program that calls one of the file",
                                                         "an operation of version 2",
                                                         "several programs",
                                                         "several pipelines"});

std::string scratch_of(DataType type) { return fmt::format("scratch of {}", spec::text(type)); }

bool calls_file(const ir::Code& code, const ir::Module& module) {
  return std::ranges::any_of(module.operations, [&](const ir::Operation& operation) {
    return std::ranges::any_of(code.exprs, [&](const ir::Expr& e) {
      return e.kind == ExprKind::Apply && e.op == spec::Op::Call && e.immediate == operation.version &&
             code.name(e.symbol) == operation.function.id;
    });
  });
}

}  // namespace

ModuleCoverage::ModuleCoverage() {
  for (size_t i = 0; i < ir::kCommandKindCount; ++i) parts_[std::string(word(CommandKind(i)))];
  for (const std::string_view form : kForms) parts_[std::string(form)];
  for (const TypedOp& op : typed_ops(DataType::U32)) {
    if (op.type == DataType::U32) parts_[std::string(spec::mnemonic(op.op))];
  }
  for (const spec::TypeInfo& type : spec::kTypes) {
    const bool is_element = type.type != DataType::Tensor && !spec::is_small(type.type);
    if (type.available && is_element) parts_[scratch_of(type.type)];
  }
}

void ModuleCoverage::hit(std::string_view part) { ++parts_.find(part)->second; }

void ModuleCoverage::add(const check::CheckedModule& checked) {
  const ir::Module& module = checked.module();
  if (!module.constants.empty()) hit("a constant");
  if (module.programs.size() > 1) hit("several programs");
  if (module.pipelines.size() > 1) hit("several pipelines");
  for (const ir::Operation& operation : module.operations) {
    if (operation.version == 2) hit("an operation of version 2");
    if (calls_file(operation.function.code, module)) hit("an operation that calls one of the file");
  }
  for (const ir::Program& program : module.programs) {
    if (calls_file(program.code, module)) hit("a program that calls one of the file");
  }
  for (const check::CheckedPipeline& pipeline : checked.pipelines()) {
    for (const ir::BufferDecl& decl : pipeline.pipeline->buffers) {
      hit(fmt::format("a {} parameter", spec::text(decl.access)));
      if (decl.element == DataType::Tensor) hit("a tensor parameter");
    }
    for (uint32_t at = 0; at < pipeline.pipeline->commands.size(); ++at) add_command(checked, pipeline, at);
    add_host(checked, pipeline);
  }
}

void ModuleCoverage::add_command(const check::CheckedModule& module, const check::CheckedPipeline& checked,
                                 uint32_t at) {
  const ir::Pipeline& pipeline = *checked.pipeline;
  const Command& command = pipeline.commands[at];
  hit(word(command.kind));
  const auto around = std::ranges::count_if(pipeline.commands.begin(), pipeline.commands.begin() + at,
                                            [&](const Command& other) { return other.end > at; });
  if (around >= 2) hit("a command in a command in a command");
  for (const ir::Argument& argument : pipeline.of(command.arguments)) {
    if (argument.buffer == ir::kNoSymbol) {
      hit("a list");
      if (argument.words.count > 1) hit("a list of several words");
    } else {
      hit(argument.buffer == argument.parameter ? "an argument of the parameter's name"
                                                : "an argument of another name");
    }
  }
  switch (command.kind) {
    case CommandKind::Scratch: return hit(scratch_of(command.type));
    case CommandKind::Let:
    case CommandKind::Loop: return;
    case CommandKind::Repeat:
      return hit(checked.target[at] < checked.parameters ? "a repeat on a parameter" : "a repeat on scratch");
    case CommandKind::Run: {
      const auto& inner = module.pipelines()[checked.target[at]].pipeline->commands;
      if (std::ranges::find(inner, CommandKind::Run, &Command::kind) != inner.end())
        hit("a run in what is run");
      return;
    }
    case CommandKind::If: {
      if (!command.has_else) return hit("if without else");
      hit("if with else");
      if (command.orelse == command.end) return hit("an empty else");
      const Command& first = pipeline.commands[command.orelse];
      if (first.kind == CommandKind::If && first.end == command.end) hit("else if");
      return;
    }
    case CommandKind::Dispatch: break;
  }
  std::set<ir::Symbol> buffers;
  for (const ir::Argument& argument : pipeline.of(command.arguments)) {
    if (argument.buffer != ir::kNoSymbol && !buffers.insert(argument.buffer).second)
      hit("a buffer for two parameters");
  }
  const auto groups = pipeline.exprs(command.exprs);
  hit(groups.size() == 1   ? "one count of groups"
      : groups.size() == 2 ? "two counts of groups"
                           : "three counts of groups");
  if (std::ranges::any_of(groups, [&](ir::ExprId id) {
        return pipeline.code[id].kind == ExprKind::Literal && pipeline.code[id].immediate == 0;
      }))
    hit("a zero among the groups");
}

void ModuleCoverage::add_host(const check::CheckedModule& module, const check::CheckedPipeline& checked) {
  const ir::Code& code = checked.pipeline->code;
  for (const ir::Expr& e : code.exprs) {
    switch (e.kind) {
      case ExprKind::Literal: hit("a host literal"); break;
      case ExprKind::Var: hit("a host name"); break;
      case ExprKind::BufLen: hit("a host len"); break;
      case ExprKind::Load: hit("a host element"); break;
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId:
      case ExprKind::NumWorkgroups: break;
      case ExprKind::Apply: {
        if (e.op != spec::Op::Call) {
          hit(spec::mnemonic(e.op));
          break;
        }
        const std::string_view callee = code.name(e.symbol);
        const bool own = std::ranges::any_of(module.module().operations, [&](const auto& operation) {
          return operation.function.id == callee;
        });
        hit(callee == ir::kCeilDiv ? "a host call of ceil_div"
            : own                  ? "a host call of the file"
                                   : "a host call of the library");
      }
    }
  }
}

void ModuleCoverage::add(const ModuleCoverage& other) {
  for (const auto& [part, count] : other.parts_) parts_[part] += count;
}

std::vector<std::string> ModuleCoverage::missing() const {
  std::vector<std::string> out;
  for (const auto& [part, count] : parts_) {
    if (count == 0) out.push_back(part);
  }
  return out;
}

std::string ModuleCoverage::print() const {
  const auto absent = missing();
  std::string out = fmt::format("modules have {} of {} parts", parts_.size() - absent.size(), parts_.size());
  for (const std::string& part : absent)
    out += fmt::format("{} {}", &part == absent.data() ? "; none has" : ",", part);
  return out + "\n";
}

}  // namespace vyre::generate
