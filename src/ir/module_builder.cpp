#include "ir/module_builder.h"

#include <utility>

namespace vyre::ir {
namespace {

Value value_of(const Known& known) { return {known.type, known.words, Span::none()}; }

std::vector<Value> values_of(std::initializer_list<Known> list) {
  std::vector<Value> out;
  for (const Known& known : list) out.push_back(value_of(known));
  return out;
}

LawText law_of(std::string_view name, std::initializer_list<LawArgument> list) {
  LawText law{std::string(name), {}, Span::none()};
  for (const LawArgument& argument : list)
    law.arguments.push_back({argument.operation, argument.version, argument.words, Span::none()});
  return law;
}

}  // namespace

OperationBuilder::OperationBuilder(std::string id, uint32_t version) : FunctionBuilder(std::move(id)) {
  operation_.version = version;
}
void OperationBuilder::claims(std::string_view law, std::initializer_list<LawArgument> arguments) {
  operation_.claims.push_back(law_of(law, arguments));
}
void OperationBuilder::denies(std::string_view law, std::initializer_list<LawArgument> arguments,
                              std::initializer_list<Known> witness) {
  operation_.denials.push_back({law_of(law, arguments), values_of(witness), Span::none()});
}
void OperationBuilder::row(std::initializer_list<Known> operands, Known expected) {
  operation_.rows.push_back({values_of(operands), value_of(expected), Span::none()});
}
Operation OperationBuilder::finish(Ex result, DataType result_type) {
  operation_.function = FunctionBuilder::finish(result, result_type);
  return std::move(operation_);
}

PipelineBuilder::PipelineBuilder(std::string name) { pipeline_.name = std::move(name); }

Ex PipelineBuilder::ceil_div(Ex a, Ex b) { return call(kCeilDiv, {a, b}); }

Range PipelineBuilder::list(std::span<const Ex> roots) {
  std::vector<ExprId> ids;
  for (const Ex& root : roots) ids.push_back(claim(root));  // a copy appends its operands
  const Range range{uint32_t(code_.expr_list.size()), uint32_t(ids.size())};
  code_.expr_list.insert(code_.expr_list.end(), ids.begin(), ids.end());
  return range;
}

size_t PipelineBuilder::command(Command command, std::span<const Ex> roots) {
  command.exprs = list(roots);
  command.orelse = command.end = uint32_t(pipeline_.commands.size()) + 1;
  pipeline_.commands.push_back(command);
  return pipeline_.commands.size() - 1;
}

void PipelineBuilder::body(size_t number, const std::function<void()>& commands) {
  commands();
  pipeline_.commands[number].orelse = pipeline_.commands[number].end = uint32_t(pipeline_.commands.size());
}

BufferRef PipelineBuilder::scratch(std::string_view name, DataType type, Ex count) {
  const Symbol symbol = code_.intern(name);
  command({.kind = CommandKind::Scratch, .symbol = symbol, .type = type}, {{count}});
  return {symbol};
}

Ex PipelineBuilder::let(std::string_view name, Ex value) {
  command({.kind = CommandKind::Let, .symbol = code_.intern(name)}, {{value}});
  return var(name);
}

Range PipelineBuilder::arguments(std::span<const PipelineArgument> given) {
  const Range range{uint32_t(pipeline_.arguments.size()), uint32_t(given.size())};
  for (const PipelineArgument& one : given) {
    Argument argument{.parameter = one.name.empty() ? one.buffer : code_.intern(one.name),
                      .buffer = one.buffer};
    if (one.buffer == kNoSymbol) argument.words = list(one.words);
    pipeline_.arguments.push_back(argument);
  }
  return range;
}

void PipelineBuilder::dispatch(std::string_view program, std::span<const PipelineArgument> given,
                               std::span<const Ex> groups) {
  const Range range = arguments(given);
  command({.kind = CommandKind::Dispatch, .symbol = code_.intern(program), .arguments = range}, groups);
}

void PipelineBuilder::run(std::string_view pipeline, std::initializer_list<PipelineArgument> given,
                          uint32_t version) {
  const Range range = arguments({given.begin(), given.size()});
  command({.kind = CommandKind::Run,
           .symbol = code_.intern(pipeline),
           .version = pipeline.contains('.') ? version : 0,
           .arguments = range},
          {});
}

void PipelineBuilder::for_(std::string_view name, Ex from, Ex to, const std::function<void(Ex)>& commands) {
  const size_t number = command({.kind = CommandKind::Loop, .symbol = code_.intern(name)}, {{from, to}});
  body(number, [&] { commands(var(name)); });
}

void PipelineBuilder::repeat(Ex count, BufferRef looked_at, Ex at, const std::function<void()>& commands) {
  body(command({.kind = CommandKind::Repeat, .symbol = looked_at.name}, {{count, at}}), commands);
}

void PipelineBuilder::if_(Ex condition, const std::function<void()>& then) {
  body(command({.kind = CommandKind::If}, {{condition}}), then);
}

void PipelineBuilder::if_(Ex condition, const std::function<void()>& then,
                          const std::function<void()>& otherwise) {
  const size_t number = command({.kind = CommandKind::If}, {{condition}});
  body(number, then);
  otherwise();
  pipeline_.commands[number].has_else = true;
  pipeline_.commands[number].end = uint32_t(pipeline_.commands.size());
}

Pipeline PipelineBuilder::finish() {
  pipeline_.buffers = std::move(buffers_);
  pipeline_.tensors = std::move(tensors_);
  pipeline_.code = std::move(code_);
  return std::move(pipeline_);
}

}  // namespace vyre::ir
