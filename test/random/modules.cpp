#include "modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>

#include "ir/builder.h"
#include "operation_writer.h"
#include "spec/limits.h"

namespace vyre::generate {
namespace {

using ir::Command;
using ir::CommandKind;
using ir::ExprId;
using ir::Symbol;
using spec::BufferAccess;
using spec::DataType;
using spec::Op;

constexpr uint32_t kMaxDepth = 3;        // of commands in one another
constexpr uint32_t kMaxParameters = 12;  // of a pipeline; more where nothing else will do
constexpr uint32_t kMaxTurns = 4;        // of a loop
constexpr std::string_view kTick = "tick";

/// What a program or a pipeline is given.
struct Parameter {
  std::string name;
  BufferAccess access{};
  DataType element{};                   // of values
  size_t need = 0;                      // bytes, at least
  std::optional<Bytes> fixed;           // what it holds, where dimensions of tensors come from it
  std::optional<ir::TensorType> shape;  // of a tensor without named dimensions
};
struct Callee {
  std::string name;
  std::vector<Parameter> parameters;
  layout::Groups groups;    // of a program: at most
  uint32_t dispatches = 1;  // of one run
};

/// A program without loops and conditions of its own, so that repeats end: the first word halved.
ProgramCase tick() {
  ir::ProgramBuilder p{std::string(kTick)};
  const auto flag = p.read_write("flag", DataType::U32, 0);
  p.workgroup_size(1, 1, 1);
  p.store(flag, p.u32(0), p.load(flag, p.u32(0)) >> p.u32(1));
  return {.program = p.finish(), .buffers = {Bytes(4)}, .groups = {}};
}

Callee callee_of(const ProgramCase& c) {
  const ir::Program& program = c.program;
  std::set<Symbol> dims;
  for (const ir::TensorType& tensor : program.tensors) {
    for (const ir::Dim& dim : tensor.dims) {
      if (dim.dynamic()) dims.insert(dim.buffer);
    }
  }
  Callee out = {.name = program.name, .parameters = {}, .groups = c.groups};
  for (const ir::BufferDecl& decl : program.buffers) {
    if (!spec::is_bound(decl.access)) continue;
    const Bytes& contents = c.buffers[out.parameters.size()];
    Parameter& parameter = out.parameters.emplace_back();
    parameter.name = program.code.name(decl.name);
    parameter.access = decl.access;
    parameter.element = spec::element_value_type(program.element(decl));
    if (dims.contains(decl.name)) parameter.fixed = contents;
    const ir::TensorType* tensor = program.tensor(decl);
    if (tensor == nullptr) continue;
    parameter.need = contents.size();
    if (std::ranges::none_of(tensor->dims, &ir::Dim::dynamic)) parameter.shape = *tensor;
  }
  return out;
}

class PipelineWriter {
 public:
  PipelineWriter(Choices& choices, std::string name, std::span<const Callee> programs,
                 std::span<const Callee> pipelines, std::span<const spec::OpDef* const> library,
                 std::span<const ir::Operation> operations, std::span<const uint32_t> words,
                 uint32_t max_dispatches)
      : choices_(choices),
        programs_(programs),
        pipelines_(pipelines),
        library_(library),
        words_(words),
        left_(max_dispatches) {
    out_.name = std::move(name);
    for (const ir::Operation& operation : operations) {
      const auto& parameters = operation.function.parameters;
      if (operation.function.result_type == DataType::U32 &&
          std::ranges::all_of(parameters, [](const auto& p) { return p.type == DataType::U32; }))
        operations_.push_back(&operation);
    }
  }

  ir::Pipeline write(Callee& callee) {
    // Something that host expressions read.
    for (uint32_t n = choices_.below(3); n > 0; --n)
      add_parameter({.name = "u", .access = BufferAccess::Uniform, .element = DataType::U32});
    body(2 + choices_.below(5));
    if (dispatches_ == 0) dispatch(any(programs_), {});
    callee.name = out_.name;
    callee.dispatches = std::max(1u, dispatches_);
    for (const Buffer& buffer : buffers_) {
      if (!buffer.scratch) callee.parameters.push_back(buffer.what);
    }
    return std::move(out_);
  }

 private:
  struct Buffer {
    Parameter what;
    Symbol symbol;
    DataType declared;
    bool scratch;
    bool is_words() const { return what.element == DataType::U32 && declared != DataType::Tensor; }
  };
  struct Binding {
    Symbol parameter;
    size_t buffer = SIZE_MAX;  // none: a list
    const Parameter* list = nullptr;
  };

  uint32_t below(size_t n) { return choices_.below(uint32_t(n)); }
  template <typename T>
  const T& any(std::span<const T> all) {
    return all[below(all.size())];
  }
  ir::Code& code() { return out_.code; }

  // Host expressions, in the order in which they stand in the text.

  ExprId add(ir::Expr expr, std::span<const ExprId> operands = {}) {
    return code().add(expr, operands, Span::none());
  }
  ExprId word(uint32_t value) {
    return add({.kind = ir::ExprKind::Literal, .type = DataType::U32, .immediate = value});
  }
  ExprId apply(Op op, ExprId a, ExprId b) {
    return add({.kind = ir::ExprKind::Apply, .op = op}, std::array{a, b});
  }
  ExprId call(std::string_view id, uint32_t version, size_t operands, uint32_t depth) {
    std::vector<ExprId> args;
    for (size_t i = 0; i < operands; ++i) args.push_back(host(depth));
    return add(
        {.kind = ir::ExprKind::Apply, .op = Op::Call, .symbol = code().intern(id), .immediate = version},
        args);
  }

  ExprId host(uint32_t depth) {
    if (depth == 0 || choices_.below(4) == 0) return leaf();
    switch (choices_.below(12)) {
      case 0: return call(ir::kCeilDiv, 1, 2, depth - 1);
      case 1:
        if (library_.empty()) break;
        if (const spec::OpDef* def = any(library_))
          return call(def->id, def->version, def->signature.inputs.size(), depth - 1);
        break;
      case 2:
      case 3:
        if (operations_.empty()) break;
        if (const ir::Operation* op = operations_[below(operations_.size())])
          return call(op->function.id, op->version, op->function.parameters.size(), depth - 1);
        break;
      case 4:
      case 5:
        if (const Buffer* uniform = pick(
                [](const Buffer& b) { return b.what.access == BufferAccess::Uniform && b.is_words(); })) {
          const ExprId index = choices_.chance(2) ? host(depth - 1) : word(below(3));
          return add({.kind = ir::ExprKind::Load, .symbol = uniform->symbol}, std::array{index});
        }
        break;
      default: break;
    }
    std::vector<TypedOp> ops;
    for (const TypedOp& op : typed_ops(DataType::U32)) {
      if (op.type == DataType::U32) ops.push_back(op);
    }
    const TypedOp& op = ops[below(ops.size())];
    std::vector<ExprId> operands;
    for (size_t i = operand_types(op).size(); i > 0; --i) operands.push_back(host(depth - 1));
    return add({.kind = ir::ExprKind::Apply, .op = op.op}, operands);
  }

  ExprId leaf() {
    switch (choices_.below(6)) {
      case 0:
      case 1:
        if (!names_.empty()) return add({.kind = ir::ExprKind::Var, .symbol = names_[below(names_.size())]});
        break;
      case 2:
        if (!buffers_.empty())
          return add({.kind = ir::ExprKind::BufLen, .symbol = buffers_[below(buffers_.size())].symbol});
        break;
      case 3:
        if (!words_.empty()) return word(any(words_));
        break;
      case 4: return word(choices_.chance(2) ? choices_.next() : UINT32_MAX - below(3));
      default: break;
    }
    return word(below(6));
  }

  /// Something below n, which is at least 1.
  ExprId small(uint32_t n) {
    if (choices_.chance(2)) return word(below(n));
    const ExprId value = host(2);
    return apply(Op::Mod, value, word(n));
  }

  // Buffers.

  template <typename Wanted>
  const Buffer* pick(Wanted&& wanted) {
    std::vector<const Buffer*> all;
    for (const Buffer& buffer : buffers_) {
      if (wanted(buffer)) all.push_back(&buffer);
    }
    return all.empty() ? nullptr : all[below(all.size())];
  }

  /// A name of its own: that of the parameter it was made for, or one of another buffer, so that both forms
  /// of an argument come up.
  Symbol fresh_name(std::string_view wanted, std::string_view other) {
    const auto taken = [&](std::string_view name) {
      return std::ranges::any_of(buffers_, [&](const Buffer& b) { return code().name(b.symbol) == name; });
    };
    if (choices_.chance(2) && !taken(wanted)) return code().intern(wanted);
    // A parameter may have kept such a name of another pipeline's.
    std::string name;
    for (size_t number = buffers_.size(); name.empty() || taken(name); ++number)
      name = fmt::format("{}{}", other, number);
    return code().intern(name);
  }
  DataType declared_element(DataType element) {
    return element == DataType::U32 && choices_.chance(4) ? DataType::Bytes : element;
  }

  size_t add_parameter(Parameter parameter) {
    ir::BufferDecl decl = {.name = fresh_name(parameter.name, "b"),
                           .access = parameter.access,
                           .element = declared_element(parameter.element),
                           .binding = uint32_t(out_.buffers.size())};
    if (parameter.shape && choices_.chance(2)) {
      decl.element = DataType::Tensor;
      decl.tensor = uint32_t(out_.tensors.size());
      out_.tensors.push_back(*parameter.shape);
    } else {
      parameter.shape.reset();
    }
    if (parameter.access == BufferAccess::Read && choices_.chance(2)) decl.access = BufferAccess::ReadWrite;
    parameter.access = decl.access;
    parameter.name = code().name(decl.name);
    out_.buffers.push_back(decl);
    buffers_.push_back({std::move(parameter), decl.name, decl.element, false});
    return buffers_.size() - 1;
  }

  size_t add_scratch(std::string_view name, DataType element, size_t need) {
    const DataType declared = declared_element(element);
    const uint32_t least = uint32_t((need + spec::info(element).bytes - 1) / spec::info(element).bytes);
    ExprId count{};
    if (need == 0 && choices_.chance(3)) {
      count = small(40);
    } else {
      count = word(least + below(9));
      // The sum never wraps.
      if (choices_.chance(3)) count = apply(Op::Add, count, small(7));
    }
    const Symbol symbol = fresh_name(name, "s");
    add_command({.kind = CommandKind::Scratch, .symbol = symbol, .type = declared}, std::array{count});
    buffers_.push_back({{.name = std::string(code().name(symbol)),
                         .access = BufferAccess::ReadWrite,
                         .element = element,
                         .need = size_t{least} * spec::info(element).bytes,
                         .fixed = {},
                         .shape = {}},
                        symbol,
                        declared,
                        true});
    return buffers_.size() - 1;
  }

  // Commands.

  uint32_t add_command(Command command, std::span<const ExprId> roots) {
    command.exprs = {uint32_t(code().expr_list.size()), uint32_t(roots.size())};
    code().expr_list.insert(code().expr_list.end(), roots.begin(), roots.end());
    command.orelse = command.end = uint32_t(out_.commands.size()) + 1;
    out_.commands.push_back(command);
    return uint32_t(out_.commands.size() - 1);
  }
  uint32_t here() const { return uint32_t(out_.commands.size()); }
  bool affordable(uint32_t dispatches) const { return dispatches_ + turns_ * dispatches <= left_; }

  void body(uint32_t commands) {
    for (; commands > 0; --commands) command();
  }
  void nested(uint32_t turns = 1) {
    const size_t names = names_.size();
    const uint32_t outer = turns_;
    turns_ *= turns;
    ++depth_;
    body(below(4));
    --depth_;
    turns_ = outer;
    names_.resize(names);
  }

  void command() {
    const bool deep = depth_ == kMaxDepth;
    switch (choices_.below(12)) {
      case 0:
        if (depth_ == 0) return void(add_scratch("t", any_element(), 0));
        break;
      case 1: return let();
      case 2:
        if (!deep) return loop();
        break;
      case 3:
      case 4:
        if (!deep) return repeat();
        break;
      case 5:
        if (!deep) return branch();
        break;
      case 6:
      case 7:
        if (pipelines_.empty()) break;
        if (const Callee& callee = any(pipelines_); affordable(callee.dispatches)) return run(callee);
        break;
      default: break;
    }
    if (affordable(1)) return dispatch(any(programs_), {});
    let();
  }

  DataType any_element() {
    static const auto all = [] {
      std::vector<DataType> out;
      for (const spec::TypeInfo& type : spec::kTypes) {
        if (type.available && spec::is_value_type(type.type)) out.push_back(type.type);
      }
      return out;
    }();
    return all[below(all.size())];
  }

  /// Siblings use the same names again.
  Symbol host_name() { return code().intern(fmt::format("h{}", names_.size())); }

  void let() {
    const ExprId value = host(3);
    const Symbol name = host_name();
    add_command({.kind = CommandKind::Let, .symbol = name}, std::array{value});
    names_.push_back(name);
  }

  void loop() {
    uint32_t turns = kMaxTurns;
    std::array<ExprId, 2> bounds{};
    switch (choices_.below(4)) {
      case 0:
        bounds[0] = small(kMaxTurns);
        bounds[1] = small(kMaxTurns + 1);
        break;
      case 1:
        turns = below(kMaxTurns);
        bounds[0] = word(UINT32_MAX - turns);
        bounds[1] = word(UINT32_MAX);
        break;
      case 2:
        turns = 2;
        bounds[0] = host(2);
        bounds[1] = small(3);
        break;
      default:
        turns = 1 + below(3);
        bounds[0] = word(below(5));
        bounds[1] = word(code().exprs[ir::index(bounds[0])].immediate + turns);
        break;
    }
    const Symbol name = host_name();
    const uint32_t at = add_command({.kind = CommandKind::Loop, .symbol = name}, bounds);
    names_.push_back(name);
    nested(std::max(1u, turns));
    names_.pop_back();
    out_.commands[at].orelse = out_.commands[at].end = here();
  }

  void repeat() {
    const Buffer* found = pick([](const Buffer& b) { return b.is_words(); });
    const size_t buffer =
        found != nullptr ? size_t(found - buffers_.data())
        : depth_ == 0
            ? add_scratch("w", DataType::U32, 4)
            : add_parameter({.name = "w", .access = BufferAccess::ReadWrite, .element = DataType::U32});
    uint32_t turns = kMaxTurns;
    std::array<ExprId, 2> roots{};
    if (choices_.chance(6)) {
      // Out of range is 0, and ends it after the first turn.
      turns = 1;
      roots[0] = word(UINT32_MAX - below(2));
      roots[1] = word(UINT32_MAX - below(3));
    } else {
      roots[0] = small(kMaxTurns + 1);
      roots[1] = choices_.chance(3) ? host(2) : word(below(2));
    }
    const uint32_t at = add_command({.kind = CommandKind::Repeat, .symbol = buffers_[buffer].symbol}, roots);
    const bool writable = buffers_[buffer].what.access == BufferAccess::ReadWrite;
    const auto ticking = std::ranges::find(programs_, kTick, &Callee::name);
    turns_ *= turns;
    if (writable && ticking != programs_.end() && affordable(1) && choices_.chance(2))
      dispatch(*ticking, buffer);
    turns_ /= turns;
    nested(turns);
    out_.commands[at].orelse = out_.commands[at].end = here();
  }

  void branch() {
    const uint32_t at = add_command({.kind = CommandKind::If}, std::array{host(3)});
    nested();
    out_.commands[at].orelse = here();
    if (choices_.chance(2)) {
      out_.commands[at].has_else = true;
      if (choices_.chance(2)) {
        branch();
      } else {
        nested();
      }
    }
    out_.commands[at].end = here();
  }

  /// A buffer for a parameter, or a list, and a new one where none fits. `written`, by buffer: whether the
  /// command writes it so far; absent where it does not use it.
  Binding bind(const Parameter& wanted, std::map<size_t, bool>& written) {
    const bool writes = wanted.access == BufferAccess::ReadWrite;
    const bool uniform = wanted.access == BufferAccess::Uniform;
    Binding out = {.parameter = code().intern(wanted.name)};
    const auto fits = [&](const Buffer& b) {
      const auto use = written.find(size_t(&b - buffers_.data()));
      if (use != written.end() && (writes || use->second)) return false;
      if (b.what.element != wanted.element) return false;
      if (writes && b.what.access != BufferAccess::ReadWrite) return false;
      if (uniform && b.what.access != BufferAccess::Uniform) return false;
      if (wanted.fixed && b.what.fixed != wanted.fixed) return false;
      const bool cannot_grow = b.scratch || b.what.fixed.has_value();
      const size_t has = b.what.fixed ? b.what.fixed->size() : b.what.need;
      return !cannot_grow || has >= wanted.need;
    };
    const bool full = out_.buffers.size() >= kMaxParameters;
    // A list has a word at least, and whole elements.
    const bool may_list = uniform && wanted.need == 0 && (!wanted.fixed || !wanted.fixed->empty());
    if (may_list && choices_.chance(2)) {
      out.list = &wanted;
      return out;
    }
    const Buffer* found = full || !choices_.chance(4) ? pick(fits) : nullptr;
    if (found != nullptr) {
      out.buffer = size_t(found - buffers_.data());
      Buffer& buffer = buffers_[out.buffer];
      if (!buffer.scratch && !buffer.what.fixed) buffer.what.need = std::max(buffer.what.need, wanted.need);
    } else if (!uniform && depth_ == 0 && choices_.chance(2)) {
      out.buffer = add_scratch(wanted.name, wanted.element, wanted.need);
    } else {
      out.buffer = add_parameter(wanted);
    }
    written[out.buffer] |= writes;
    return out;
  }

  ir::Range arguments(std::span<const Binding> bindings) {
    const ir::Range out = {uint32_t(out_.arguments.size()), uint32_t(bindings.size())};
    for (const Binding& binding : bindings) {
      ir::Argument argument = {.parameter = binding.parameter};
      if (binding.list != nullptr) {
        argument.words = list(*binding.list);
      } else {
        argument.buffer = buffers_[binding.buffer].symbol;
      }
      out_.arguments.push_back(argument);
    }
    return out;
  }

  ir::Range list(const Parameter& parameter) {
    std::vector<ExprId> words;
    if (parameter.fixed) {
      for (size_t at = 0; at < parameter.fixed->size(); at += 4) {
        uint32_t value = 0;
        std::memcpy(&value, parameter.fixed->data() + at, 4);
        words.push_back(word(value));
      }
    } else {
      const uint32_t unit = std::max(1u, spec::info(parameter.element).bytes / 4);
      for (uint32_t left = unit * (1 + below(3)); left > 0; --left) words.push_back(host(2));
    }
    const ir::Range out = {uint32_t(code().expr_list.size()), uint32_t(words.size())};
    code().expr_list.insert(code().expr_list.end(), words.begin(), words.end());
    return out;
  }

  std::vector<Binding> bind_all(const Callee& callee, std::optional<size_t> first) {
    std::map<size_t, bool> written;
    std::vector<Binding> out;
    for (const Parameter& parameter : callee.parameters) {
      if (first && out.empty()) {
        out.push_back({.parameter = code().intern(parameter.name), .buffer = *first});
        written[*first] = true;
      } else {
        out.push_back(bind(parameter, written));
      }
    }
    // In any order.
    for (size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[below(i)]);
    return out;
  }

  /// `first`: the buffer of the first parameter, if it is chosen.
  void dispatch(const Callee& program, std::optional<size_t> first) {
    dispatches_ += turns_;
    const std::vector<Binding> bindings = bind_all(program, first);
    Command command = {.kind = CommandKind::Dispatch, .symbol = code().intern(program.name)};
    command.arguments = arguments(bindings);
    const std::array<uint32_t, 3> most = {program.groups.x, program.groups.y, program.groups.z};
    std::vector<ExprId> groups;
    if (choices_.chance(8)) {
      // Nothing happens, whatever the other counts are.
      const uint32_t axes = 1 + below(3), zero = below(axes);
      for (uint32_t i = 0; i < axes; ++i) groups.push_back(i == zero ? word(0) : host(2));
    } else {
      uint32_t axes = 3;
      while (axes > 1 && most[axes - 1] == 1 && !choices_.chance(4)) --axes;
      if (axes > 1 && choices_.chance(6)) --axes;
      for (uint32_t i = 0; i < axes; ++i) groups.push_back(count(most[i]));
    }
    add_command(command, groups);
  }

  /// A number of groups, of at most so many.
  ExprId count(uint32_t most) {
    switch (choices_.below(6)) {
      case 0: return small(most + 1);
      case 1: {
        const ExprId condition = host(2), then = word(most);
        return add({.kind = ir::ExprKind::Apply, .op = Op::Select},
                   std::array{condition, then, word(1 + below(most))});
      }
      case 2: {
        const ExprId value = small(most);
        return apply(Op::Add, value, word(1));
      }
      default: return word(most - (choices_.chance(3) ? below(most) : 0));
    }
  }

  void run(const Callee& callee) {
    dispatches_ += turns_ * callee.dispatches;
    const std::vector<Binding> bindings = bind_all(callee, {});
    Command command = {.kind = CommandKind::Run, .symbol = code().intern(callee.name)};
    command.arguments = arguments(bindings);
    add_command(command, {});
  }

  Choices& choices_;
  std::span<const Callee> programs_, pipelines_;
  std::span<const spec::OpDef* const> library_;
  std::vector<const ir::Operation*> operations_;
  std::span<const uint32_t> words_;
  ir::Pipeline out_;
  std::vector<Buffer> buffers_;
  std::vector<Symbol> names_;  // of the host, that are visible
  uint32_t depth_ = 0;
  uint32_t turns_ = 1;       // how often what is being written is executed, at most
  uint32_t dispatches_ = 0;  // so far
  const uint32_t left_;
};

/// What the entry is run on.
Bytes contents(Choices& choices, const Parameter& parameter) {
  if (parameter.fixed) return *parameter.fixed;
  static constexpr auto kCounts = std::to_array<uint32_t>({1, 0, 2, 3, 5, 8, 17, 33, 70});
  const uint32_t bytes = spec::info(parameter.element).bytes;
  size_t count = kCounts[choices.below(kCounts.size())];
  while (count * bytes < parameter.need) ++count;
  Bytes out(count * bytes);
  const uint32_t style = choices.below(3);
  for (std::byte& byte : out) {
    const uint32_t value = choices.next();
    byte = std::byte(style == 0 ? value & 0xff : style == 1 && value % 8 == 0 ? value >> 24 & 3 : 0);
  }
  return out;
}

}  // namespace

ModuleGenerator::ModuleGenerator(const ModuleOptions& options) : options_(options) {
  if (options.ops == nullptr) return;
  for (const spec::OpDef* def : options.ops->all()) {
    const auto& inputs = def->signature.inputs;
    const bool words = def->signature.output == DataType::U32 && inputs.size() <= 4 &&
                       std::ranges::all_of(inputs, [](DataType type) { return type == DataType::U32; });
    if (def->category == spec::Category::A && def->body != nullptr && words) host_callable_.push_back(def);
  }
}

ModuleCase ModuleGenerator::make(uint64_t seed, uint64_t index) const {
  RandomChoices choices(seed, index);
  return make(choices);
}

ModuleCase ModuleGenerator::make(Choices& choices) const {
  ModuleCase out;
  ir::Module& module = out.module;
  std::vector<uint32_t> words;
  for (uint32_t left = choices.below(4); left > 0; --left) {
    static constexpr auto kValues =
        std::to_array<uint32_t>({4, 8, 16, 2, 31, 64, 256, 1000, 65'535, 0x8000'0000});
    const uint32_t value = kValues[choices.below(kValues.size())];
    if (std::ranges::find(words, value) == words.end()) words.push_back(value);
  }
  for (size_t i = 0; i < words.size(); ++i)
    module.constants.push_back({.name = fmt::format("C{}", i), .value = words[i], .written = words[i]});

  const uint32_t operations = choices.below(5);
  for (uint32_t i = 0; i < operations; ++i) {
    module.operations.push_back(
        random_operation(choices, fmt::format("random.f{}", i / 2), 1 + i % 2, module.operations, words));
  }

  // Every other module's programs know its own operations alone, so that these are called often.
  spec::OpTable table(choices.chance(2) ? options_.ops : nullptr);
  for (const ir::Operation& operation : module.operations) {
    spec::OpDef def = {.id = operation.function.id,
                       .version = operation.version,
                       .signature = {{}, operation.function.result_type},
                       .body = &operation.function};
    for (const auto& parameter : operation.function.parameters)
      def.signature.inputs.push_back(parameter.type);
    table.add(std::move(def));
  }
  ProgramOptions of_programs = options_.programs;
  of_programs.ops = &table;
  ProgramGenerator generator(of_programs);
  std::vector<Callee> programs, pipelines;
  const auto add_program = [&](ProgramCase c) {
    programs.push_back(callee_of(c));
    out.programs.push_back({c.groups, std::move(c.buffers)});
    module.programs.push_back(std::move(c.program));
  };
  for (uint32_t left = 1 + choices.below(3); left > 0; --left) {
    ProgramCase c;
    generator.make(choices, c);
    c.program.name = fmt::format("p{}", programs.size());
    add_program(std::move(c));
  }
  if (choices.chance(2)) add_program(tick());

  for (uint32_t left = 1 + choices.below(4); left > 0; --left) {
    Callee callee;
    module.pipelines.push_back(PipelineWriter(choices, fmt::format("q{}", pipelines.size()), programs,
                                              pipelines, host_callable_, module.operations, words,
                                              options_.max_dispatches)
                                   .write(callee));
    pipelines.push_back(std::move(callee));
  }
  out.entry = pipelines.back().name;
  for (const Parameter& parameter : pipelines.back().parameters)
    out.buffers.push_back(contents(choices, parameter));
  return out;
}

}  // namespace vyre::generate
