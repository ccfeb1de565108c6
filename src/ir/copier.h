// Copies of programs with something changed on the way.
//
// A Copier goes over a program in the order of its text and writes each part again, names and literals too,
// so that the copy has what it uses and nothing else. Who changes something overrides what copies a
// statement or an expression, and calls what it overrides for the rest. Blocks nest as a checked program's
// do, which is what bounds the recursion.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "ir/ir.h"

namespace vyre::ir {

class Copier {
 public:
  explicit Copier(const Program& from) : from_(from) {}
  virtual ~Copier() = default;

  Program run() {
    Program out = declarations();
    out.entry = block(from_.entry);
    out.code = std::move(code_);
    return out;
  }

 protected:
  /// All but the code.
  Program declarations() {
    Program out;
    out.name = from_.name;
    out.workgroup_size = from_.workgroup_size;
    out.workgroup_span = from_.workgroup_span;
    for (BufferDecl buffer : from_.buffers) {
      buffer.name = symbol(buffer.name);
      out.buffers.push_back(buffer);
    }
    for (TensorType tensor : from_.tensors) {
      for (Dim& dim : tensor.dims) {
        dim.name = symbol(dim.name);
        dim.buffer = symbol(dim.buffer);
      }
      out.tensors.push_back(std::move(tensor));
    }
    return out;
  }

  Symbol symbol(Symbol s) { return s == kNoSymbol ? s : code_.intern(from_.code.name(s)); }

  BlockId block(BlockId id) {
    if (id == kNoBlock) return id;
    std::vector<NodeId> nodes;
    statements(id, nodes);
    return code_.add_block(nodes);
  }
  virtual void statements(BlockId id, std::vector<NodeId>& out) {
    for (const NodeId node : from_.code.block(id)) statement(node, out);
  }
  virtual void statement(NodeId id, std::vector<NodeId>& out) {
    statement(from_.code[id], exprs(from_.code.args(from_.code[id])), out);
  }
  /// With these operands in place of its own.
  void statement(Node node, std::span<const ExprId> operands, std::vector<NodeId>& out) {
    node.symbol = symbol(node.symbol);
    node.body = block(node.body);
    node.orelse = block(node.orelse);
    add(node, operands, out);
  }
  void add(const Node& node, std::span<const ExprId> operands, std::vector<NodeId>& out) {
    out.push_back(code_.add(node, operands, Span::none()));
  }

  virtual ExprId expr(ExprId id) {
    const Expr& e = from_.code[id];
    if (e.kind == ExprKind::Literal) return literal(e, from_.code.literal_bits(e));
    return expr(e, exprs(from_.code.args(e)));
  }
  ExprId expr(Expr e, std::span<const ExprId> operands) {
    e.symbol = symbol(e.symbol);
    return code_.add(e, operands, Span::none());
  }
  std::vector<ExprId> exprs(std::span<const ExprId> ids) {
    std::vector<ExprId> out;
    for (const ExprId id : ids) out.push_back(expr(id));
    return out;
  }
  ExprId literal(Expr e, const std::array<uint32_t, 4>& bits) {
    e.immediate = bits[0];
    if (spec::info(e.type).bytes > 4) {
      e.immediate = uint32_t(code_.wide.size());
      code_.wide.push_back(bits);
    }
    return code_.add(e, {}, Span::none());
  }

  const Program& from_;
  Code code_;  // of the copy
};

}  // namespace vyre::ir
