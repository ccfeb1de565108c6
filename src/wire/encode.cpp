// The encoder: one walk over each item, which numbers its strings as it meets them.
#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <unordered_map>

#include "spec/ops.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

namespace vyre::wire {
namespace {

using ir::ExprKind;
using ir::NodeKind;
using spec::Form;

void put_byte(Bytes& out, uint8_t value) { out.push_back(std::byte{value}); }

/// LEB128: seven bits a byte, least significant first, the high bit set on all but the last.
void put_number(Bytes& out, uint32_t value) {
  while (value >= 0x80) {
    put_byte(out, uint8_t(value | 0x80));
    value >>= 7;
  }
  put_byte(out, uint8_t(value));
}

void put_string(Bytes& out, std::string_view string) {
  put_number(out, uint32_t(string.size()));
  const auto bytes = std::as_bytes(std::span(string));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Encodes one item; each has an encoder, and strings, of its own.
class Encoder {
 public:
  Encoder(std::string_view name, const ir::Code& code, Bytes& out) : code_(code), out_(out) {
    number_of(name);  // string 0
  }

  void program(const ir::Program& program) {
    put_buffers(program);
    for (const uint32_t size : program.workgroup_size) number(size);
    begin_code();
    put_block(program.entry);
    finish({expressions_, statements_});
  }

  void operation(const ir::Operation& operation) {
    const ir::Function& function = operation.function;
    number(operation.version);
    number(uint32_t(function.parameters.size()));
    for (const ir::Function::Parameter& parameter : function.parameters) {
      name(parameter.name);
      byte(spec::info(parameter.type).wire_tag);
    }
    byte(spec::info(function.result_type).wire_tag);
    put_claims(operation);
    begin_code();
    put_block(function.body);
    put_expression(function.result);
    finish({expressions_, statements_});
  }

  void pipeline(const ir::Pipeline& pipeline) {
    put_buffers(pipeline);
    begin_code();
    put_commands(pipeline);
    finish({expressions_, uint32_t(pipeline.commands.size()), uint32_t(pipeline.arguments.size())});
  }

 private:
  struct OpenBlock {
    std::span<const ir::NodeId> statements;
    size_t next;
  };

  void byte(uint8_t value) { put_byte(rest_, value); }
  void number(uint32_t value) { put_number(rest_, value); }
  void name(ir::Symbol symbol) { number(number_of(code_.name(symbol))); }

  uint32_t number_of(std::string_view string) {
    const auto [it, inserted] = numbers_.try_emplace(string, uint32_t(strings_.size()));
    if (inserted) strings_.push_back(string);
    return it->second;
  }

  /// The counts stand before the code and are known after it.
  void begin_code() {
    head_ = std::move(rest_);
    rest_.clear();
  }
  void finish(std::initializer_list<uint32_t> counts) {
    put_number(out_, uint32_t(strings_.size()));
    for (const std::string_view string : strings_) put_string(out_, string);
    out_.insert(out_.end(), head_.begin(), head_.end());
    for (const uint32_t count : counts) put_number(out_, count);
    out_.insert(out_.end(), rest_.begin(), rest_.end());
  }

  /// Of a program or a pipeline.
  template <typename Item>
  void put_buffers(const Item& item) {
    number(uint32_t(item.buffers.size()));
    for (const ir::BufferDecl& decl : item.buffers) {
      name(decl.name);
      byte(tag(decl.access));
      byte(spec::info(decl.element).wire_tag);
      if (decl.element == spec::DataType::Tensor) {
        put_shape(decl.tensor < item.tensors.size() ? item.tensors[decl.tensor] : ir::TensorType{});
      }
      number(decl.access == spec::BufferAccess::Workgroup ? decl.count : decl.binding);
    }
  }

  void put_shape(const ir::TensorType& tensor) {
    byte(spec::info(tensor.element).wire_tag);
    number(uint32_t(tensor.dims.size()));
    for (const ir::Dim& dim : tensor.dims) {
      byte(dim.dynamic() ? 1 : 0);
      if (dim.dynamic()) {
        name(dim.name);
        name(dim.buffer);
        number(dim.element);
      } else {
        number(dim.size);
      }
    }
    number(uint32_t(tensor.strides.size()));
    for (const uint32_t stride : tensor.strides) number(stride);
  }

  // What is said of an operation. Laws are no names of its code, so they are written out.

  void put_claims(const ir::Operation& operation) {
    number(uint32_t(operation.claims.size()));
    for (const ir::LawText& law : operation.claims) put_law(law);
    number(uint32_t(operation.denials.size()));
    for (const ir::DenialText& denial : operation.denials) {
      put_law(denial.law);
      put_values(denial.witness);
    }
    number(uint32_t(operation.rows.size()));
    for (const ir::Row& row : operation.rows) {
      put_values(row.operands);
      put_value(row.expected);
    }
  }

  void put_law(const ir::LawText& law) {
    put_string(rest_, law.name);
    number(uint32_t(law.arguments.size()));
    for (const ir::LawText::Argument& argument : law.arguments) {
      put_string(rest_, argument.operation);
      if (argument.operation.empty()) {
        for (const uint32_t word : argument.bits) number(word);
      } else {
        number(argument.version);
      }
    }
  }

  void put_values(std::span<const ir::Value> values) {
    number(uint32_t(values.size()));
    for (const ir::Value& value : values) put_value(value);
  }
  void put_value(const ir::Value& value) { put_bits(value.type, value.bits); }

  void put_bits(spec::DataType type, const std::array<uint32_t, 4>& bits) {
    byte(spec::info(type).wire_tag);
    for (uint32_t i = 0; i < literal_words(type); ++i) number(bits[i]);
  }

  // Commands stand in the order of the encoding; what is added is how many each body has.

  void put_commands(const ir::Pipeline& pipeline) {
    const auto& commands = pipeline.commands;
    const uint32_t count = uint32_t(commands.size());
    std::vector<uint32_t> branches;  // ifs whose else-branch is still to come
    const auto begin_branches = [&](uint32_t at) {
      while (!branches.empty() && commands[branches.back()].orelse <= at) {
        const ir::Command& branch = commands[branches.back()];
        branches.pop_back();
        put_body_size(pipeline, branch.orelse, branch.end);
      }
    };
    put_body_size(pipeline, 0, count);
    for (uint32_t at = 0; at < count; ++at) {
      begin_branches(at);
      const ir::Command& command = commands[at];
      put_command(pipeline, command);
      if (!has_body(command.kind)) continue;
      const bool branch = command.kind == ir::CommandKind::If;
      put_body_size(pipeline, at + 1, branch ? command.orelse : command.end);
      if (branch && command.has_else) branches.push_back(at);
    }
    begin_branches(count);
  }

  void put_body_size(const ir::Pipeline& pipeline, uint32_t first, uint32_t end) {
    uint32_t size = 0;
    for (uint32_t at = first; at < end; ++size) {
      const ir::Command& command = pipeline.commands[at];
      at = has_body(command.kind) ? std::max(command.end, at + 1) : at + 1;
    }
    number(size);
  }

  void put_command(const ir::Pipeline& pipeline, const ir::Command& command) {
    const auto roots = pipeline.exprs(command.exprs);
    byte(tag(command.kind));
    switch (command.kind) {
      case ir::CommandKind::Scratch:
        name(command.symbol);
        byte(spec::info(command.type).wire_tag);
        put_operands(roots);
        return;
      case ir::CommandKind::Let:
      case ir::CommandKind::Loop:
      case ir::CommandKind::Repeat:
        name(command.symbol);
        put_operands(roots);
        return;
      case ir::CommandKind::Dispatch:
        name(command.symbol);
        put_arguments(pipeline, command);
        byte(uint8_t(roots.size()));
        put_operands(roots);
        return;
      case ir::CommandKind::Run:
        name(command.symbol);
        number(command.version);
        put_arguments(pipeline, command);
        return;
      case ir::CommandKind::If:
        put_operands(roots);
        byte(command.has_else ? 1 : 0);
        return;
    }
  }

  void put_arguments(const ir::Pipeline& pipeline, const ir::Command& command) {
    number(command.arguments.count);
    for (const ir::Argument& argument : pipeline.of(command.arguments)) {
      name(argument.parameter);
      const bool list = argument.buffer == ir::kNoSymbol;
      byte(list ? 1 : 0);
      if (list) {
        number(further(argument.words.count));
        put_operands(pipeline.exprs(argument.words));
      } else {
        name(argument.buffer);
      }
    }
  }

  void put_block(ir::BlockId entry) {
    open(entry);
    while (!open_.empty()) {
      OpenBlock& top = open_.back();
      if (top.next == 0) number(uint32_t(top.statements.size()));
      if (top.next == top.statements.size()) {
        open_.pop_back();
      } else {
        put_statement(top.statements[top.next++]);
      }
    }
  }
  void open(ir::BlockId block) {
    open_.push_back({block == ir::kNoBlock ? std::span<const ir::NodeId>{} : code_.block(block), 0});
  }

  void put_statement(ir::NodeId id) {
    const ir::Node node = code_[id];
    ++statements_;
    byte(tag(node.kind));
    switch (node.kind) {
      case NodeKind::Let:
      case NodeKind::Assign:
        name(node.symbol);
        put_operands(code_.args(node));
        return;
      case NodeKind::Store:
        name(node.symbol);
        number(further(node.args.count - 1));
        put_operands(code_.args(node));
        return;
      case NodeKind::If:
        put_operands(code_.args(node));
        byte(node.orelse == ir::kNoBlock ? 0 : 1);
        if (node.orelse != ir::kNoBlock) open(node.orelse);
        open(node.body);  // on top, so written first
        return;
      case NodeKind::Loop:
        name(node.symbol);
        put_operands(code_.args(node));
        open(node.body);
        return;
      case NodeKind::Block: open(node.body); return;
      case NodeKind::Return:
      case NodeKind::Barrier: return;
    }
  }

  /// How many there are beyond the first, where there is always one.
  static uint32_t further(uint32_t count) { return count - 1; }

  void put_operands(std::span<const ir::ExprId> roots) {
    for (const ir::ExprId root : roots) put_expression(root);
  }

  void put_expression(ir::ExprId root) {
    pending_.push_back(root);
    while (!pending_.empty()) {
      const ir::Expr& e = code_[pending_.back()];
      pending_.pop_back();
      ++expressions_;
      put_head(e);
      const auto operands = code_.args(e);
      pending_.insert(pending_.end(), operands.rbegin(), operands.rend());
    }
  }

  /// All of an expression but its operands.
  void put_head(const ir::Expr& e) {
    byte(tag(e.kind));
    switch (e.kind) {
      case ExprKind::Literal: put_literal(e); return;
      case ExprKind::Load:
        name(e.symbol);
        number(further(e.args.count));
        return;
      case ExprKind::Var:
      case ExprKind::BufLen: name(e.symbol); return;
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId: number(e.immediate); return;
      case ExprKind::Apply: put_operator(e); return;
    }
  }

  void put_literal(const ir::Expr& e) {
    const bool known = literal_words(e.type) == 1 || e.immediate < code_.wide.size();
    put_bits(e.type, known ? code_.literal_bits(e) : std::array<uint32_t, 4>{});
  }

  void put_operator(const ir::Expr& e) {
    number(spec::info(e.op).wire_tag);
    switch (spec::form_of(e.op)) {
      case Form::Scalar:
      case Form::Select:
      case Form::MakeVector: return;
      case Form::Component: number(e.immediate); return;
      case Form::Cast:
        byte(spec::info(e.type).wire_tag);
        byte(tag(e.mode));
        return;
      case Form::Bitcast: byte(spec::info(e.type).wire_tag); return;
      case Form::Call:
        name(e.symbol);
        number(e.immediate);
        number(e.args.count);
        return;
      case Form::Reduce:
        name(e.symbol);
        number(e.immediate & UINT16_MAX);  // the wire tag of the operator that folds
        if (e.op == spec::Op::FReduceApprox) number(spec::tolerance_of(e.immediate));
        byte(e.args.count != 0 ? 1 : 0);
        return;
      case Form::Atomic: name(e.symbol); return;
    }
  }

  const ir::Code& code_;
  Bytes& out_;
  Bytes head_, rest_;  // what stands between the strings and the counts, and what follows these
  uint32_t expressions_ = 0;
  uint32_t statements_ = 0;
  std::vector<std::string_view> strings_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
  std::vector<OpenBlock> open_;
  std::vector<ir::ExprId> pending_;
};

}  // namespace

Bytes encode(const ir::Program& program) {
  Bytes body;
  Encoder(program.name, program.code, body).program(program);
  return seal(body, kVersion);
}

Bytes encode(const ir::Module& module) {
  if (module.is_program()) return encode(module.programs.front());
  Bytes body;
  put_number(body, uint32_t(module.operations.size()));
  for (const ir::Operation& operation : module.operations)
    Encoder(operation.function.id, operation.function.code, body).operation(operation);
  put_number(body, uint32_t(module.programs.size()));
  for (const ir::Program& program : module.programs)
    Encoder(program.name, program.code, body).program(program);
  put_number(body, uint32_t(module.pipelines.size()));
  for (const ir::Pipeline& pipeline : module.pipelines)
    Encoder(pipeline.name, pipeline.code, body).pipeline(pipeline);
  return seal(body, kModuleVersion);
}

}  // namespace vyre::wire
