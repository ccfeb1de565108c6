// The encoder: one walk over each item, which numbers its strings as it meets them.
#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <unordered_map>

#include "wire/fields.h"
#include "wire/seal.h"
#include "wire/wire.h"

namespace vyre::wire {
namespace {

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
    fields(*this, operation);
    begin_code();
    put_block(operation.function.body);
    put_expression(operation.function.result);
    finish({expressions_, statements_});
  }

  void pipeline(const ir::Pipeline& pipeline) {
    put_buffers(pipeline);
    begin_code();
    pipeline_ = &pipeline;
    put_commands(pipeline);
    finish({expressions_, uint32_t(pipeline.commands.size()), uint32_t(pipeline.arguments.size())});
  }

  void graph(const ir::Graph& graph) {
    begin_code();
    fields(*this, graph);
    for (const ir::TensorCommand& command : graph.commands) fields(*this, command);
    finish({expressions_, uint32_t(graph.commands.size())});
  }

  // Fields (wire/fields.h).

  void flag(bool value) { put_byte(rest_, value ? 1 : 0); }
  void number(uint32_t value) { put_number(rest_, value); }
  void name(ir::Symbol symbol) { number(number_of(code_.name(symbol))); }
  void text(std::string_view text) { put_string(rest_, text); }
  template <typename Enum>
  void tag(Enum value, std::string_view) {
    put_byte(rest_, wire::tag(value));
  }
  void statement(ir::NodeKind kind, bool unroll) {
    put_byte(rest_, unroll ? Tags<ir::NodeKind>::unrolled_loop : wire::tag(kind));
  }
  void type(spec::DataType type) { put_byte(rest_, wire::tag(type)); }
  void element_type(spec::DataType element) { type(element); }
  void words(const std::array<uint32_t, 4>& bits, spec::DataType type) {
    for (uint32_t i = 0; i < literal_words(type); ++i) number(bits[i]);
  }
  void value_type(spec::DataType value) { type(value); }
  void op(spec::Op op) { number(wire::tag(op)); }
  template <typename T>
  void list(const std::vector<T>& list, size_t, std::string_view) {
    number(uint32_t(list.size()));
    for (const T& element : list) {
      if constexpr (std::is_same_v<T, uint32_t>) {
        number(element);
      } else {
        fields(*this, element);
      }
    }
  }
  void tensor(uint32_t number, const std::vector<ir::TensorType>& tensors) {
    const ir::TensorType none;
    fields(*this, number < tensors.size() ? tensors[number] : none);
  }
  /// How many there are beyond those that there always are.
  void more_than(uint32_t least, uint32_t count, std::string_view) { number(count - least); }
  void axes(uint32_t, ir::Range roots) { put_byte(rest_, uint8_t(roots.count)); }
  void arguments(ir::Range arguments) {
    number(arguments.count);
    for (const ir::Argument& argument : pipeline_->of(arguments)) fields(*this, argument);
  }
  void operands(ir::Range roots, uint32_t) {
    for (uint32_t i = 0; i < roots.count; ++i) put_expression(code_.expr_list[roots.first + i]);
  }
  void literal(const ir::Expr& e) {
    const bool known = literal_words(e.type) == 1 || e.immediate < code_.wide.size();
    const ir::Value value{.type = e.type, .bits = known ? code_.literal_bits(e) : std::array<uint32_t, 4>{}};
    fields(*this, value);
  }
  void fold(const ir::Expr& e) {
    number(e.immediate & UINT16_MAX);  // the wire tag of the operator that folds
    if (e.op == spec::Op::FReduceApprox) number(spec::tolerance_of(e.immediate));
  }
  void fold(spec::Op fold, ir::Order order) {
    op(fold);
    if (const ir::FoldInfo* const known = ir::find_fold(fold); known != nullptr && known->ordered)
      tag(order, {});
  }
  /// One name, or any number of them.
  void names(const std::vector<ir::Symbol>& names, bool many) {
    if (many) number(uint32_t(names.size()) - 1);
    for (const ir::Symbol one : names) name(one);
  }
  /// So many expressions, or more than that.
  void tensors(const std::vector<ir::ExprId>& roots, uint32_t least, bool more) {
    if (more) number(uint32_t(roots.size()) - least);
    for (const ir::ExprId root : roots) put_expression(root);
  }
  /// A list with `group` expressions in each place.
  void sizes(const std::vector<ir::ExprId>& roots, uint32_t group) {
    number(uint32_t(roots.size()) / group);
    for (const ir::ExprId root : roots) put_expression(root);
  }
  void one_axis(const std::vector<uint32_t>& axes) { number(axes[0]); }

 private:
  struct OpenBlock {
    std::span<const ir::NodeId> statements;
    size_t next;
  };

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
    for (const ir::BufferDecl& decl : item.buffers) fields(*this, decl, item.tensors);
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
      fields(*this, command);
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
    bool has_else = node.orelse != ir::kNoBlock;
    fields(*this, node, has_else);
    if (has_else) open(node.orelse);
    if (ir::kNodeShapes[node.kind].body) open(node.body);  // on top, so written first
  }

  void put_expression(ir::ExprId root) {
    pending_.push_back(root);
    while (!pending_.empty()) {
      const ir::Expr& e = code_[pending_.back()];
      pending_.pop_back();
      ++expressions_;
      const auto operands = code_.args(e);
      uint32_t count = uint32_t(operands.size());
      fields(*this, e, count);
      pending_.insert(pending_.end(), operands.rbegin(), operands.rend());
    }
  }

  const ir::Code& code_;
  const ir::Pipeline* pipeline_ = nullptr;  // whose commands are written
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
  if (!module.graphs.empty()) {
    put_byte(body, kGraphs);
    put_number(body, uint32_t(module.graphs.size()));
    for (const ir::Graph& graph : module.graphs) Encoder(graph.name, graph.code, body).graph(graph);
  }
  return seal(body, kModuleVersion);
}

}  // namespace vyre::wire
