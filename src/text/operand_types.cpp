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
using spec::Signature;

/// What a call gives, if there is a table that has the operation.
DataType result_of_call(const ir::Code& code, const Expr& call, const spec::OpTable* ops) {
  const spec::OpDef* def = ops == nullptr ? nullptr : ops->find(code.name(call.symbol), call.immediate);
  return def == nullptr ? kNoType : def->signature.output;
}

bool is_float(DataType type) { return type != kNoType && spec::kFloats.contains(type); }

/// Walks the statements in the order of the text with the scopes that are open there.
class Walk {
 public:
  Walk(const ir::Program& program, const spec::OpTable* ops)
      : program_(program),
        code_(program.code),
        ops_(ops),
        types_(code_.exprs.size(), kNotSeen),
        visible_(code_.symbols.size(), kNoType) {}

  std::vector<DataType> run() {
    for (const ir::BufferDecl& buffer : program_.buffers) declare(buffer.name, element_of(buffer));
    enter(program_.entry);
    while (!frames_.empty()) {
      Frame& top = frames_.back();
      const auto statements = code_.block(top.block);
      if (top.next == statements.size()) {
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
    if (tensor && buffer.tensor >= program_.tensors.size()) return kNoType;
    const DataType element = spec::element_value_type(program_.element(buffer));
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
    for (size_t i = order_.size(); i-- > 0;) types_[ir::index(order_[i])] = type_of(code_[order_[i]]);
  }

  DataType type_of(const Expr& e) const {
    switch (e.kind) {
      case ExprKind::Literal: return e.type;
      case ExprKind::Var:
      case ExprKind::Load: return named(e.symbol);
      case ExprKind::BufLen:
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId: return DataType::U32;
      case ExprKind::Apply: break;
    }
    switch (spec::info(e.op).signature) {
      case Signature::T_T:
      case Signature::TT_T:
      case Signature::TTT_T:
      case Signature::TU_T:
      case Signature::CTT_T: return operand_type(code_, e, types_);
      case Signature::T_U:
      case Signature::TT_U:
      case Signature::T_B:
      case Signature::V_U:
      case Signature::A_T:
      case Signature::AA_T: return DataType::U32;
      case Signature::UU_V: return DataType::Vec2U32;
      case Signature::UUUU_V: return DataType::Vec4U32;
      case Signature::Cast:
      case Signature::Bitcast: return spec::is_value_type(e.type) ? e.type : kNoType;
      case Signature::Call: return result_of_call(code_, e, ops_);
      case Signature::Reduce: return named(e.symbol);
    }
    return kNoType;
  }

  const ir::Program& program_;
  const ir::Code& code_;
  const spec::OpTable* ops_;
  std::vector<DataType> types_;
  std::vector<DataType> visible_;  // by Symbol
  std::vector<Shadowed> scope_;
  std::vector<Frame> frames_;
  std::vector<ExprId> pending_, order_;  // scratch of expression()
};

}  // namespace

bool mentions_floats(const ir::Program& program, const spec::OpTable* ops) {
  const bool in_buffers = std::ranges::any_of(program.buffers, [&](const ir::BufferDecl& buffer) {
    return is_float(buffer.element) || buffer.element == DataType::Tensor;
  });
  return in_buffers || std::ranges::any_of(program.code.exprs, [&](const Expr& e) {
           if (e.kind == ExprKind::Literal) return is_float(e.type);
           if (e.kind != ExprKind::Apply) return false;
           return e.op == spec::Op::Call ? is_float(result_of_call(program.code, e, ops)) : is_float(e.type);
         });
}

std::vector<DataType> operand_types(const ir::Program& program, const spec::OpTable* ops) {
  return Walk(program, ops).run();
}

DataType operand_type(const ir::Code& code, const Expr& application, const std::vector<DataType>& types) {
  auto operands = code.args(application);
  // The condition of a select and the amount of a shift are no operands of type T.
  switch (spec::info(application.op).signature) {
    case Signature::CTT_T: operands = operands.subspan(std::min<size_t>(1, operands.size())); break;
    case Signature::TU_T: operands = operands.first(std::min<size_t>(1, operands.size())); break;
    case Signature::T_T:
    case Signature::TT_T:
    case Signature::TTT_T:
    case Signature::T_U:
    case Signature::TT_U:
    case Signature::T_B:
    case Signature::V_U:
    case Signature::A_T:
    case Signature::AA_T:
    case Signature::UU_V:
    case Signature::UUUU_V:
    case Signature::Cast:
    case Signature::Bitcast:
    case Signature::Call:
    case Signature::Reduce: break;
  }
  for (const ExprId operand : operands) {
    const DataType type = types[ir::index(operand)];
    if (type != kNoType) return type;
  }
  return kNoType;
}

}  // namespace vyre::text
