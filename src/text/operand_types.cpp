#include "text/operand_types.h"

#include <algorithm>

#include "spec/operation.h"
#include "spec/ops.h"

namespace vyre::text {
namespace {

using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;
using ir::Symbol;
using spec::DataType;

/// What a call gives, if there is a table that has the operation.
DataType result_of_call(const ir::Code& code, const Expr& call, const spec::OpTable* ops) {
  const spec::OpDef* def = ops == nullptr ? nullptr : ops->find(code.name(call.symbol), call.immediate);
  return def == nullptr ? kNoType : def->signature.output;
}

bool is_float(DataType type) { return type != kNoType && spec::kFloats.contains(type); }

/// Walks the statements in the order of the text with the scopes that are open there.
class Walk {
 public:
  Walk(const TypedBody& body, const spec::OpTable* ops)
      : body_(body),
        code_(body.code),
        ops_(ops),
        types_(code_.exprs.size(), kNotSeen),
        visible_(code_.symbols.size(), kNoType) {}

  std::vector<DataType> run() {
    for (const ir::BufferDecl& buffer : body_.buffers) declare(buffer.name, element_of(buffer));
    if (body_.function != nullptr) {
      for (const auto& parameter : body_.function->parameters) declare(parameter.name, parameter.type);
    }
    if (body_.graph != nullptr) tensors(*body_.graph);
    enter(body_.entry);
    while (!frames_.empty()) {
      Frame& top = frames_.back();
      const auto statements = code_.block(top.block);
      if (top.next == statements.size()) {
        if (frames_.size() == 1 && body_.function != nullptr) expression(body_.function->result);
        close_scope(top.scope);
        frames_.pop_back();
      } else {
        statement(statements[top.next++]);
      }
    }
    std::ranges::replace(types_, kNotSeen, kNoType);
    return std::move(types_);
  }

 private:
  static constexpr DataType kNotSeen{0xfe};
  struct Frame {
    ir::BlockId block;
    size_t next;
    size_t scope;  // size of scope_ when the block was entered
  };
  struct Shadowed {
    Symbol symbol;
    DataType previous;
  };

  DataType element_of(const ir::BufferDecl& buffer) const {
    const bool tensor = buffer.element == DataType::Tensor;
    if (tensor && buffer.tensor >= body_.tensors.size()) return kNoType;
    const DataType element =
        spec::element_value_type(tensor ? body_.tensors[buffer.tensor].element : buffer.element);
    return spec::is_value_type(element) ? element : kNoType;
  }

  void declare(Symbol name, DataType type) {
    if (name == ir::kNoSymbol) return;
    DataType& visible = visible_[ir::index(name)];
    scope_.push_back({name, visible});
    visible = type;
  }
  void close_scope(size_t size) {
    for (; scope_.size() > size; scope_.pop_back()) {
      visible_[ir::index(scope_.back().symbol)] = scope_.back().previous;
    }
  }
  DataType named(Symbol name) const { return name == ir::kNoSymbol ? kNoType : visible_[ir::index(name)]; }

  void enter(ir::BlockId block) {
    if (block != ir::kNoBlock) frames_.push_back({block, 0, scope_.size()});
  }

  void statement(NodeId id) {
    const Node node = code_[id];
    for (const ExprId operand : code_.args(node)) expression(operand);
    switch (node.kind) {
      case NodeKind::Let:
        return declare(node.symbol, node.args.count == 1 ? types_[ir::index(code_.arg(node, 0))] : kNoType);
      case NodeKind::If: enter(node.orelse); return enter(node.body);
      case NodeKind::Loop: {
        const size_t scope = scope_.size();
        declare(node.symbol, DataType::U32);
        enter(node.body);
        if (node.body != ir::kNoBlock) frames_.back().scope = scope;
        return;
      }
      case NodeKind::Block: return enter(node.body);
      case NodeKind::Assign:
      case NodeKind::Store:
      case NodeKind::Return:
      case NodeKind::Barrier: return;
    }
  }

  // Graphs. A tensor has the type of its elements.

  void tensors(const ir::Graph& graph) {
    for (const ir::TensorDecl& parameter : graph.parameters) {
      declare(parameter.name, parameter.element);
      // Dimensions; a number has no name.
      for (const ExprId size : parameter.sizes) declare(code_[size].symbol, DataType::U32);
    }
    for (const ir::TensorCommand& command : graph.commands) {
      for (const ExprId operand : command.operands) expression(operand);
      const DataType type = type_of(command);
      const ir::Graph* const callee = called(command);
      for (size_t i = 0; i < command.names.size(); ++i) {
        const bool of_many = callee != nullptr && i < callee->outputs.size();
        declare(command.names[i], of_many ? callee->outputs[i].element : type);
      }
    }
  }

  /// The graph that a command calls, and does nothing else.
  const ir::Graph* called(const ir::TensorCommand& command) const {
    if (command.op != ir::TensorOp::Value || command.operands.size() != 1) return nullptr;
    return called(code_[command.operands[0]]);
  }
  const ir::Graph* called(const Expr& e) const {
    if (body_.graphs == nullptr || e.kind != ExprKind::Apply || e.op != spec::Op::Call) return nullptr;
    const auto found = body_.graphs->find(code_.name(e.symbol));
    return found == body_.graphs->end() ? nullptr : found->second;
  }

  DataType type_of(const ir::TensorCommand& command) const {
    const DataType first = command.operands.empty() ? kNoType : types_[ir::index(command.operands[0])];
    switch (command.op) {
      case ir::TensorOp::Index:
      case ir::TensorOp::Argsort:
      case ir::TensorOp::ArgTopK: return DataType::U32;
      case ir::TensorOp::Matmul:
        if (command.typed) return command.type;
        if (first != kNoType && spec::is_small(first))
          return spec::wide_type(first) == DataType::F32 ? DataType::F32 : DataType::I32;
        return is_float(first) ? DataType::F32 : first;
      case ir::TensorOp::Value:
      case ir::TensorOp::Transpose:
      case ir::TensorOp::Slice:
      case ir::TensorOp::Broadcast:
      case ir::TensorOp::Reshape:
      case ir::TensorOp::Concat:
      case ir::TensorOp::Pad:
      case ir::TensorOp::Gather:
      case ir::TensorOp::ScatterAdd:
      case ir::TensorOp::Reduce:
      case ir::TensorOp::Scan:
      case ir::TensorOp::Recur:
      case ir::TensorOp::Sort:
      case ir::TensorOp::TopK: return first;
    }
    return kNoType;
  }

  /// Gives every expression of a tree its type.
  void expression(ExprId root) {
    order_.clear();
    pending_.assign(1, root);
    while (!pending_.empty()) {
      const ExprId id = pending_.back();
      pending_.pop_back();
      DataType& type = types_[ir::index(id)];
      if (type != kNotSeen) continue;  // it stands in two places, which check refuses
      type = kNoType;
      order_.push_back(id);
      const auto operands = code_.args(code_[id]);
      pending_.insert(pending_.end(), operands.begin(), operands.end());
    }
    // Expressions stand before their operands.
    for (size_t i = order_.size(); i-- > 0;) type_of(order_[i]);
  }

  void type_of(ExprId id) {
    const Expr& e = code_[id];
    const bool calls = e.kind == ExprKind::Apply && e.op == spec::Op::Call;
    const ir::Graph* const graph = called(e);
    const DataType result = graph != nullptr && graph->outputs.size() == 1 ? graph->outputs[0].element
                            : calls                                        ? result_of_call(code_, e, ops_)
                                                                           : kNoType;
    types_[ir::index(id)] = ir::type_of(code_, e, types_, named(e.symbol), result);
  }

  const TypedBody& body_;
  const ir::Code& code_;
  const spec::OpTable* ops_;
  std::vector<DataType> types_;
  std::vector<DataType> visible_;  // by Symbol
  std::vector<Shadowed> scope_;
  std::vector<Frame> frames_;
  std::vector<ExprId> pending_, order_;  // scratch of expression()
};

}  // namespace

GraphsByName by_name(std::span<const ir::Graph> graphs) {
  GraphsByName known;
  for (const ir::Graph& graph : graphs) known.emplace(graph.name, &graph);
  return known;
}

bool mentions_floats(const TypedBody& body, const spec::OpTable* ops) {
  if (body.graph != nullptr) return true;
  const bool declared =
      std::ranges::any_of(body.buffers,
                          [](const ir::BufferDecl& buffer) {
                            return is_float(buffer.element) || buffer.element == DataType::Tensor;
                          }) ||
      (body.function != nullptr &&
       std::ranges::any_of(body.function->parameters, is_float, &ir::Function::Parameter::type));
  return declared || std::ranges::any_of(body.code.exprs, [&](const Expr& e) {
           if (e.kind == ExprKind::Literal) return is_float(e.type);
           if (e.kind != ExprKind::Apply) return false;
           return e.op == spec::Op::Call ? is_float(result_of_call(body.code, e, ops)) : is_float(e.type);
         });
}

std::vector<DataType> operand_types(const TypedBody& body, const spec::OpTable* ops) {
  return Walk(body, ops).run();
}

}  // namespace vyre::text
