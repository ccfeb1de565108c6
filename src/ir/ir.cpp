#include "ir/ir.h"
#include "ir/module.h"

#include <algorithm>
#include <utility>

namespace vyre::ir {

namespace {

/// Appends to the expressions or the nodes, with a place in the source where there is one.
template <typename Item, typename List, typename Items, typename Spans>
uint32_t append(Item item, std::span<const ExprId> args, Span span, List& list, Items& items, Spans& spans) {
  item.args = {uint32_t(list.size()), uint32_t(args.size())};
  list.insert(list.end(), args.begin(), args.end());
  items.push_back(item);
  if (span.known() || !spans.empty()) {
    spans.resize(items.size() - 1, Span::none());
    spans.push_back(span);
  }
  return uint32_t(items.size() - 1);
}

}  // namespace

ExprId Code::add(Expr expr, std::span<const ExprId> args, Span span) {
  return ExprId{append(expr, args, span, expr_list, exprs, expr_spans)};
}
NodeId Code::add(Node node, std::span<const ExprId> args, Span span) {
  return NodeId{append(node, args, span, expr_list, nodes, node_spans)};
}

BlockId Code::add_block(std::span<const NodeId> list) {
  node_list.insert(node_list.end(), list.begin(), list.end());
  blocks.push_back(uint32_t(node_list.size()));
  return BlockId{uint32_t(blocks.size() - 1)};
}

namespace {

/// Compares two trees with one explicit stack, since their depth comes from input.
class Comparison {
 public:
  Comparison(const Code& a, const Code& b) : a_(a), b_(b) {}

  bool run(BlockId a, BlockId b) { return push(a, b) && run(); }
  bool run(std::span<const ExprId> a, std::span<const ExprId> b) { return push(a, b) && run(); }

 private:
  bool run() {
    while (!stack_.empty()) {
      const Pair pair = stack_.back();
      stack_.pop_back();
      const bool same =
          pair.is_node ? step(NodeId{pair.a}, NodeId{pair.b}) : step(ExprId{pair.a}, ExprId{pair.b});
      if (!same) return false;
    }
    return true;
  }

  struct Pair {
    bool is_node;
    uint32_t a, b;
  };

  bool push(BlockId a, BlockId b) {
    if (a == kNoBlock || b == kNoBlock) return a == b;
    const auto left = a_.block(a), right = b_.block(b);
    if (left.size() != right.size()) return false;
    for (size_t i = 0; i < left.size(); ++i) stack_.push_back({true, index(left[i]), index(right[i])});
    return true;
  }
  bool push(std::span<const ExprId> a, std::span<const ExprId> b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) stack_.push_back({false, index(a[i]), index(b[i])});
    return true;
  }
  bool step(NodeId na, NodeId nb) {
    const Node a = a_[na], b = b_[nb];
    return a.kind == b.kind && a.unroll == b.unroll && a.malformed == b.malformed &&
           a_.name(a.symbol) == b_.name(b.symbol) && push(a_.args(a), b_.args(b)) && push(a.body, b.body) &&
           push(a.orelse, b.orelse);
  }
  bool step(ExprId ea, ExprId eb) {
    const Expr &a = a_[ea], &b = b_[eb];
    if (a.kind != b.kind || a.op != b.op || a.type != b.type || a.mode != b.mode) return false;
    if (a_.name(a.symbol) != b_.name(b.symbol)) return false;
    const bool same =
        a.kind == ExprKind::Literal ? a_.literal_bits(a) == b_.literal_bits(b) : a.immediate == b.immediate;
    return same && push(a_.args(a), b_.args(b));
  }

  const Code& a_;
  const Code& b_;
  std::vector<Pair> stack_;
};

template <typename Item>
bool equal_tensors(const Item& a, const TensorType& x, const Item& b, const TensorType& y) {
  if (x.element != y.element || x.dims.size() != y.dims.size() || x.strides != y.strides) return false;
  for (size_t i = 0; i < x.dims.size(); ++i) {
    const Dim &p = x.dims[i], &q = y.dims[i];
    if (p.size != q.size || p.element != q.element || a.code.name(p.name) != b.code.name(q.name) ||
        a.code.name(p.buffer) != b.code.name(q.buffer) || p.dynamic() != q.dynamic()) {
      return false;
    }
  }
  return true;
}

/// Of programs or of pipelines.
template <typename Item>
bool equal_buffers(const Item& a, const Item& b) {
  if (a.buffers.size() != b.buffers.size()) return false;
  for (size_t i = 0; i < a.buffers.size(); ++i) {
    const BufferDecl &x = a.buffers[i], &y = b.buffers[i];
    if (a.code.name(x.name) != b.code.name(y.name) || x.access != y.access || x.element != y.element ||
        x.binding != y.binding || x.count != y.count) {
      return false;
    }
    if (x.element == DataType::Tensor && !equal_tensors(a, a.tensors[x.tensor], b, b.tensors[y.tensor]))
      return false;
  }
  return true;
}

bool equal(const Operation& a, const Operation& b) {
  const Function &f = a.function, &g = b.function;
  const auto same_parameter = [&](const Function::Parameter& x, const Function::Parameter& y) {
    return f.code.name(x.name) == g.code.name(y.name) && x.type == y.type;
  };
  return f.id == g.id && a.version == b.version && f.result_type == g.result_type &&
         std::ranges::equal(f.parameters, g.parameters, same_parameter) && a.claims == b.claims &&
         a.denials == b.denials && a.rows == b.rows && Comparison(f.code, g.code).run(f.body, g.body) &&
         Comparison(f.code, g.code).run({&f.result, 1}, {&g.result, 1});
}

bool equal(const Pipeline& a, const Pipeline& b) {
  const auto list = [](const Pipeline& pipeline, Range range) { return pipeline.exprs(range); };
  const auto same_argument = [&](const Argument& x, const Argument& y) {
    return a.code.name(x.parameter) == b.code.name(y.parameter) &&
           a.code.name(x.buffer) == b.code.name(y.buffer) &&
           Comparison(a.code, b.code).run(list(a, x.words), list(b, y.words));
  };
  const auto same_command = [&](const Command& x, const Command& y) {
    return x.kind == y.kind && x.type == y.type && x.version == y.version && x.orelse == y.orelse &&
           x.end == y.end && x.has_else == y.has_else && a.code.name(x.symbol) == b.code.name(y.symbol) &&
           std::ranges::equal(a.of(x.arguments), b.of(y.arguments), same_argument) &&
           Comparison(a.code, b.code).run(list(a, x.exprs), list(b, y.exprs));
  };
  return a.name == b.name && equal_buffers(a, b) && std::ranges::equal(a.commands, b.commands, same_command);
}

bool equal_decls(const Graph& a, const std::vector<TensorDecl>& x, const Graph& b,
                 const std::vector<TensorDecl>& y) {
  return std::ranges::equal(x, y, [&](const TensorDecl& p, const TensorDecl& q) {
    return a.code.name(p.name) == b.code.name(q.name) && p.element == q.element &&
           Comparison(a.code, b.code).run(p.sizes, q.sizes);
  });
}

}  // namespace

bool equal(const Graph& a, const Graph& b) {
  const auto same_name = [&](Symbol x, Symbol y) { return a.code.name(x) == b.code.name(y); };
  const auto same = [&](const TensorCommand& x, const TensorCommand& y) {
    return x.op == y.op && std::ranges::equal(x.names, y.names, same_name) && x.axes == y.axes &&
           x.fold == y.fold && x.order == y.order && same_name(x.callee, y.callee) &&
           x.version == y.version && x.typed == y.typed && (!x.typed || x.type == y.type) &&
           x.block == y.block && Comparison(a.code, b.code).run(x.operands, y.operands) &&
           Comparison(a.code, b.code).run(x.sizes, y.sizes);
  };
  return a.name == b.name && a.version == b.version && equal_decls(a, a.parameters, b, b.parameters) &&
         equal_decls(a, a.outputs, b, b.outputs) && std::ranges::equal(a.commands, b.commands, same);
}

bool equal(const Program& a, const Program& b) {
  return a.name == b.name && a.workgroup_size == b.workgroup_size && equal_buffers(a, b) &&
         Comparison(a.code, b.code).run(a.entry, b.entry);
}

bool equal(const Module& a, const Module& b) {
  const auto same = [](const auto& x, const auto& y) { return equal(x, y); };
  return std::ranges::equal(a.operations, b.operations, same) &&
         std::ranges::equal(a.programs, b.programs, same) &&
         std::ranges::equal(a.pipelines, b.pipelines, same) && std::ranges::equal(a.graphs, b.graphs, same);
}

}  // namespace vyre::ir
