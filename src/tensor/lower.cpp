#include "tensor/lower.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "spec/limits.h"
#include "spec/ops.h"
#include "tensor/assembly.h"
#include "tensor/kernels.h"

namespace vyre::tensor {
namespace {

using check::elements;
using check::NodeOp;
using check::SizedNode;

using Shape = std::vector<uint32_t>;

constexpr uint32_t kMostInline = 16;  // an expression that is deeper becomes a variable
constexpr size_t kMostNesting = spec::kMaxNesting / 2;

/// The writer of the expressions of one dispatch.
class Writer {
 public:
  Writer(const Plan& plan, const std::vector<std::optional<Array>>& arrays,
         const std::vector<uint32_t>& group_of, uint32_t group, Body& body)
      : plan_(plan),
        arrays_(arrays),
        group_of_(group_of),
        group_(group),
        dispatch_(body.number()),
        body_(body),
        p_(body.program()) {}

  uint32_t dispatch() const { return dispatch_; }

  /// The position of these coordinates, or of this linear index, in a tensor.
  uint32_t position(const Shape& shape, Coordinates at) {
    for (ir::Ex& one : at) one = index(one);
    Key key = {shape.size()};
    key.insert(key.end(), shape.begin(), shape.end());
    for (size_t axis = 0; axis < shape.size(); ++axis) key.push_back(shape[axis] == 1 ? 0 : key_of(at[axis]));
    const auto known = by_coordinates_.find(key);
    if (known != by_coordinates_.end() && p_.is_open(known->second.scope)) return known->second.position;
    const uint32_t made = uint32_t(positions_.size());
    Position& position = positions_.emplace_back();
    Seen& seen = position.seen.emplace_back(shape);
    for (const ir::Ex ex : at) seen.at.emplace_back(Scoped{ex, p_.scope()});
    by_coordinates_.insert_or_assign(std::move(key), Found{made, p_.scope()});
    return made;
  }
  uint32_t position(ir::Ex flat) {
    positions_.emplace_back().flat = Scoped{flat, p_.scope()};
    return uint32_t(positions_.size()) - 1;
  }

  /// The linear index; the tensor may be of any shape with these elements.
  ir::Ex flat(uint32_t position, const Shape& shape) {
    if (const auto& known = positions_[position].flat; known && p_.is_open(known->scope)) return known->ex;
    if (elements(shape) <= 1) return p_.u32(0);
    const Coordinates at = all_of(position, shape);
    const ir::Ex made = index(linear(body_, shape, at));
    positions_[position].flat = Scoped{made, p_.scope()};
    return made;
  }

  /// A coordinate.
  ir::Ex at(uint32_t position, const Shape& shape, size_t axis) {
    if (shape[axis] <= 1) return p_.u32(0);
    {
      Seen& seen = seen_as(position, shape);
      if (const auto& known = seen.at[axis]; known && p_.is_open(known->scope)) return known->ex;
    }
    const ir::Ex made = computed(position, shape, axis);
    seen_as(position, shape).at[axis] = Scoped{made, p_.scope()};
    return made;
  }

  /// Says what a node is at a position.
  void know(uint32_t node, uint32_t position, ir::Ex value) {
    values_.insert_or_assign({node, position}, Value{value, p_.scope(), 1});
  }

  ir::Ex value(uint32_t n, uint32_t position) {
    const SizedNode& node = plan_.nodes[n];
    if (node.op == NodeOp::Literal) return p_.literal(node.type, node.bits);
    // Kernels may write what never runs of a tensor without elements.
    if (check::elements(node.shape) == 0) return p_.literal(node.type, std::array<uint32_t, 4>{});
    const std::pair<uint32_t, uint32_t> key(n, position);
    if (const auto known = values_.find(key); known != values_.end() && p_.is_open(known->second.scope)) {
      depth_ = std::max(depth_, known->second.depth);
      return known->second.ex;
    }
    const uint32_t around = std::exchange(depth_, 0);
    ir::Ex made = compute(n, position);
    ++depth_;
    if (!is_leaf(made) && (plan_.shared(n) || depth_ > kMostInline)) made = body_.let(made);
    if (is_leaf(made)) depth_ = 1;
    values_.insert_or_assign(key, Value{made, p_.scope(), depth_});
    depth_ = std::max(depth_, around);
    return made;
  }

 private:
  using Key = std::vector<uint64_t>;
  struct Scoped {
    ir::Ex ex;
    uint32_t scope;
  };
  /// A position as one in a shape: coordinates, as far as they are known.
  struct Seen {
    explicit Seen(Shape s) : shape(std::move(s)) {}
    Shape shape;
    std::vector<std::optional<Scoped>> at;
  };
  struct Position {
    std::optional<Scoped> flat;
    std::vector<Seen> seen;
  };
  struct Found {
    uint32_t position, scope;
  };
  struct Value {
    ir::Ex ex;
    uint32_t scope, depth;
  };

  bool is_leaf(ir::Ex ex) const {
    const ir::ExprKind kind = p_.code()[ex.id()].kind;
    return kind == ir::ExprKind::Var || kind == ir::ExprKind::Literal;
  }
  std::optional<uint32_t> number(ir::Ex ex) const {
    const ir::Expr& e = p_.code()[ex.id()];
    return e.kind == ir::ExprKind::Literal ? std::optional(e.immediate) : std::nullopt;
  }
  /// Of a coordinate: which variable, or which number.
  uint64_t key_of(ir::Ex ex) const {
    const ir::Expr& e = p_.code()[ex.id()];
    return e.kind == ir::ExprKind::Literal ? uint64_t{e.immediate}
                                           : uint64_t{ir::index(e.symbol)} | 1ull << 32;
  }

  /// What makes an expression of indices what it is; false: it is more than that.
  bool describe(ir::ExprId id, Key& key) const {
    const ir::Expr& e = p_.code()[id];
    if (e.kind == ir::ExprKind::Load || e.kind == ir::ExprKind::BufLen) return false;
    key.insert(key.end(), {uint64_t(e.kind), uint64_t(e.type), uint64_t(e.mode), uint64_t(e.op),
                           uint64_t(ir::index(e.symbol)), uint64_t(e.immediate), uint64_t(e.args.count)});
    return std::ranges::all_of(p_.code().args(e), [&](ir::ExprId operand) { return describe(operand, key); });
  }
  /// A variable, or a number, for an index; the same for equal ones.
  ir::Ex index(ir::Ex ex) {
    if (is_leaf(ex)) return ex;
    Key key;
    if (!describe(ex.id(), key)) return body_.let(ex);
    const auto known = indices_.find(key);
    if (known != indices_.end() && p_.is_open(known->second.scope)) return known->second.ex;
    const ir::Ex made = body_.let(ex);
    indices_.insert_or_assign(std::move(key), Scoped{made, p_.scope()});
    return made;
  }

  // Index arithmetic. Results are variables or numbers.
  ir::Ex plus(ir::Ex a, uint32_t b) {
    if (b == 0) return a;
    if (const auto known = number(a)) return p_.u32(*known + b);
    return index(a + b);
  }
  ir::Ex minus(ir::Ex a, uint32_t b) {
    if (b == 0) return a;
    if (const auto known = number(a)) return p_.u32(*known - b);
    return index(a - b);
  }
  ir::Ex times(ir::Ex a, uint32_t b) {
    if (b == 1) return a;
    if (const auto known = number(a)) return p_.u32(*known * b);
    return index(a * b);
  }
  ir::Ex quotient(ir::Ex a, uint32_t b) {
    if (b == 1) return a;
    if (const auto known = number(a)) return p_.u32(*known / b);
    return index(a / b);
  }
  ir::Ex rest(ir::Ex a, uint32_t b) {
    if (b == 1) return p_.u32(0);
    if (const auto known = number(a)) return p_.u32(*known % b);
    return index(a % b);
  }

  Seen& seen_as(uint32_t position, const Shape& shape) {
    std::vector<Seen>& all = positions_[position].seen;
    const auto known = std::ranges::find(all, shape, &Seen::shape);
    Seen& seen = known != all.end() ? *known : all.emplace_back(shape);
    seen.at.resize(shape.size());
    return seen;
  }

  Coordinates all_of(uint32_t position, const Shape& shape) {
    Coordinates out;
    for (size_t axis = 0; axis < shape.size(); ++axis) out.push_back(at(position, shape, axis));
    return out;
  }

  static bool is_whole(const Seen& seen) {
    for (size_t axis = 0; axis < seen.shape.size(); ++axis) {
      if (seen.shape[axis] > 1 && (axis >= seen.at.size() || !seen.at[axis])) return false;
    }
    return true;
  }

  /// A coordinate, from what is known of the position: from the axes that hold the same elements of another
  /// shape, or from the linear index.
  ir::Ex computed(uint32_t position, const Shape& shape, size_t axis) {
    const auto& known = positions_[position].flat;
    if (known && p_.is_open(known->scope)) {
      uint32_t stride = 1, before = 1;
      for (size_t i = axis + 1; i < shape.size(); ++i) stride *= shape[i];
      for (size_t i = 0; i < axis; ++i) before *= shape[i];
      const ir::Ex from = known->ex;
      const ir::Ex whole = quotient(from, stride);
      return before == 1 ? whole : rest(whole, shape[axis]);
    }
    std::optional<Seen> other;
    for (const Seen& seen : positions_[position].seen) {
      if (seen.shape == shape || !is_whole(seen)) continue;
      other = seen;
      break;
    }
    if (!other) std::unreachable();  // a position begins with one or the other
    // Runs of axes with equal products.
    size_t a = 0, b = 0;
    for (;;) {
      const size_t a0 = a, b0 = b;
      uint64_t of_a = shape[a++], of_b = b < other->shape.size() ? other->shape[b++] : 1;
      while (of_a != of_b) {
        if (of_a < of_b)
          of_a *= shape[a++];
        else
          of_b *= other->shape[b++];
      }
      if (axis >= a) continue;
      ir::Ex whole = p_.u32(0);
      bool any = false;
      for (size_t i = b0; i < b; ++i) {
        if (other->shape[i] == 1) continue;
        const ir::Ex one = other->at[i]->ex;
        whole = any ? sum(times(whole, other->shape[i]), one) : one;
        any = true;
      }
      uint32_t stride = 1;
      for (size_t i = axis + 1; i < a; ++i) stride *= shape[i];
      const bool first = std::all_of(shape.begin() + ptrdiff_t(a0), shape.begin() + ptrdiff_t(axis),
                                     [](uint32_t size) { return size == 1; });
      whole = quotient(whole, stride);
      return first ? whole : rest(whole, shape[axis]);
    }
  }

  ir::Ex sum(ir::Ex a, ir::Ex b) {
    if (const auto known = number(a)) return plus(b, *known);
    if (const auto known = number(b)) return plus(a, *known);
    return index(a + b);
  }

  const SizedNode& operand(const SizedNode& node, size_t slot) const {
    return plan_.nodes[node.operands[slot]];
  }

  ir::Ex compute(uint32_t n, uint32_t position) {
    const SizedNode& node = plan_.nodes[n];
    if (node.op == NodeOp::Parameter || (plan_.written[n] && group_of_[n] != group_))
      return body_.load(*arrays_[n], flat(position, node.shape));
    switch (node.op) {
      case NodeOp::Literal: return p_.literal(node.type, node.bits);
      case NodeOp::Apply:
      case NodeOp::Call: {
        std::vector<ir::Ex> operands;
        for (const uint32_t o : node.operands) operands.push_back(value(o, position));
        if (node.op == NodeOp::Call) return p_.call(node.operation->id, operands, node.operation->version);
        if (node.scalar == spec::Op::Cast) return p_.cast(node.type, operands[0], node.mode);
        if (node.scalar == spec::Op::Bitcast) return p_.bitcast(node.type, operands[0]);
        return p_.apply(node.scalar, operands);
      }
      case NodeOp::Reshape: return value(node.operands[0], position);
      case NodeOp::Transpose: {
        const Shape& shape = operand(node, 0).shape;
        Coordinates at(shape.size(), p_.u32(0));
        for (size_t axis = 0; axis < shape.size(); ++axis)
          at[node.axes[axis]] = this->at(position, node.shape, axis);
        return value(node.operands[0], this->position(shape, at));
      }
      case NodeOp::Slice: {
        Coordinates at;
        for (size_t axis = 0; axis < node.shape.size(); ++axis)
          at.push_back(plus(times(this->at(position, node.shape, axis), node.sizes[3 * axis + 2]),
                            node.sizes[3 * axis]));
        return value(node.operands[0], this->position(operand(node, 0).shape, at));
      }
      case NodeOp::Broadcast: {
        const Shape& shape = operand(node, 0).shape;
        Coordinates at;
        for (size_t axis = 0; axis < shape.size(); ++axis)
          at.push_back(this->at(position, node.shape, node.shape.size() - shape.size() + axis));
        for (size_t axis = 0; axis < shape.size(); ++axis) {
          if (shape[axis] == 1) at[axis] = p_.u32(0);
        }
        return value(node.operands[0], this->position(shape, at));
      }
      case NodeOp::Index: return at(position, node.shape, node.axis);
      case NodeOp::Concat: return concat(node, all_of(position, node.shape), 0, 0);
      case NodeOp::Pad: return pad(node, all_of(position, node.shape));
      case NodeOp::Gather: return gather(node, all_of(position, node.shape));
      case NodeOp::Parameter:
      case NodeOp::ScatterAdd:
      case NodeOp::Reduce:
      case NodeOp::Scan:
      case NodeOp::Recur:
      case NodeOp::Matmul:
      case NodeOp::Sort:
      case NodeOp::Argsort:
      case NodeOp::TopK:
      case NodeOp::ArgTopK: break;  // known before, or written
    }
    std::unreachable();
  }

  /// Where the condition holds the one, else the other; at most one of them is computed where that is worth a
  /// branch.
  ir::Ex choose(ir::Ex condition, bool branch, spec::DataType type, const std::function<ir::Ex()>& then,
                const std::function<ir::Ex()>& otherwise) {
    if (const auto known = number(condition)) return *known != 0 ? then() : otherwise();
    if (!branch || p_.nesting() >= kMostNesting) {
      const ir::Ex yes = then();
      return p_.select(condition, yes, otherwise());
    }
    const ir::Ex chosen = body_.let(p_.literal(type, 0));
    const uint32_t depth = depth_;
    p_.if_(condition, [&] { p_.assign(chosen, then()); }, [&] { p_.assign(chosen, otherwise()); });
    depth_ = depth;
    return body_.let(chosen);
  }

  ir::Ex is_below(ir::Ex a, uint32_t b) {
    if (const auto known = number(a)) return p_.u32(*known < b ? 1 : 0);
    return a < b;
  }

  /// Whether a node is more than an array, a number or a view of one.
  bool is_costly(uint32_t n) const {
    for (; plan_.nodes[n].operands.size() == 1; n = plan_.nodes[n].operands[0]) {
      const NodeOp op = plan_.nodes[n].op;
      if (plan_.written[n] && group_of_[n] != group_) return false;
      if (op == NodeOp::Apply || op == NodeOp::Call || op == NodeOp::Concat) return true;
    }
    return !plan_.nodes[n].operands.empty();
  }

  ir::Ex concat(const SizedNode& node, const Coordinates& at, size_t slot, uint32_t before) {
    const SizedNode& part = operand(node, slot);
    const uint32_t end = before + part.shape[node.axis];
    const auto here = [&] {
      Coordinates inside = at;
      inside[node.axis] = minus(at[node.axis], before);
      return value(node.operands[slot], position(part.shape, inside));
    };
    if (slot + 1 == node.operands.size()) return here();
    const bool branch = std::any_of(node.operands.begin() + ptrdiff_t(slot), node.operands.end(),
                                    [&](uint32_t o) { return is_costly(o); });
    return choose(is_below(at[node.axis], end), branch, node.type, here,
                  [&] { return concat(node, at, slot + 1, end); });
  }

  ir::Ex pad(const SizedNode& node, const Coordinates& at) {
    const SizedNode& inner = operand(node, 0);
    const auto outside = [&] {
      return value(node.operands[1], position(operand(node, 1).shape, Coordinates()));
    };
    if (elements(inner.shape) == 0) return outside();
    Coordinates inside;
    std::optional<ir::Ex> condition;
    for (size_t axis = 0; axis < node.shape.size(); ++axis) {
      const uint32_t before = node.sizes[2 * axis], behind = node.sizes[2 * axis + 1];
      inside.push_back(minus(at[axis], before));
      if (before == 0 && behind == 0) continue;
      // Coordinates before it wrap to large numbers.
      const ir::Ex one = is_below(inside.back(), inner.shape[axis]);
      condition = condition ? p_.apply(spec::Op::BitAnd, {*condition, one}) : one;
    }
    return choose(
        *condition, is_costly(node.operands[0]), node.type,
        [&] { return value(node.operands[0], position(inner.shape, inside)); }, outside);
  }

  ir::Ex gather(const SizedNode& node, const Coordinates& at) {
    const SizedNode &table = operand(node, 0), &indices = operand(node, 1);
    const auto nothing = [&] { return p_.literal(node.type, 0); };
    const uint32_t size = table.shape[node.axis];
    if (elements(table.shape) == 0) return nothing();
    const auto first = at.begin() + node.axis;
    const auto last = first + ptrdiff_t(indices.shape.size());
    ir::Ex which = value(node.operands[1], position(indices.shape, Coordinates(first, last)));
    which = index(which);
    Coordinates inside(at.begin(), first);
    inside.push_back(which);
    inside.insert(inside.end(), last, at.end());
    return choose(
        is_below(which, size), is_costly(node.operands[0]), node.type,
        [&] { return value(node.operands[0], position(table.shape, inside)); }, nothing);
  }

  const Plan& plan_;
  const std::vector<std::optional<Array>>& arrays_;
  const std::vector<uint32_t>& group_of_;
  const uint32_t group_, dispatch_;
  Body& body_;
  ir::ProgramBuilder& p_;
  std::vector<Position> positions_;
  std::map<Key, Found> by_coordinates_;
  std::map<Key, Scoped> indices_;
  std::map<std::pair<uint32_t, uint32_t>, Value> values_;
  uint32_t depth_ = 0;  // of the expression being written
};

using Kernel = void (*)(Assembly&, const KernelWork&);
Kernel kernel_of(NodeOp op) {
  switch (op) {
    case NodeOp::Reduce: return write_reduce;
    case NodeOp::Scan: return write_scan;
    case NodeOp::Recur: return write_recur;
    case NodeOp::Matmul: return write_matmul;
    case NodeOp::ScatterAdd: return write_scatter_add;
    case NodeOp::Sort:
    case NodeOp::Argsort:
    case NodeOp::TopK:
    case NodeOp::ArgTopK: return write_sort;
    case NodeOp::Parameter:
    case NodeOp::Literal:
    case NodeOp::Apply:
    case NodeOp::Call:
    case NodeOp::Transpose:
    case NodeOp::Slice:
    case NodeOp::Broadcast:
    case NodeOp::Reshape:
    case NodeOp::Concat:
    case NodeOp::Pad:
    case NodeOp::Gather:
    case NodeOp::Index: return nullptr;
  }
  std::unreachable();
}

class Lowering {
 public:
  Lowering(const check::SizedGraph& graph, const Plan& plan, Device device)
      : graph_(graph),
        plan_(plan),
        device_(device),
        assembly_(name_of(graph)),
        arrays_(plan.nodes.size()),
        group_of_(plan.nodes.size(), UINT32_MAX) {}

  ir::Module run() {
    std::vector<Array> parameters;
    for (const auto& parameter : graph_.parameters) {
      const check::SizedNode& node = graph_.nodes[parameter.node];
      parameters.push_back(assembly_.parameter(parameter.name, node.type, check::elements(node.shape)));
    }
    for (uint32_t n = 0; n < plan_.nodes.size(); ++n) {
      if (plan_.nodes[n].op == NodeOp::Parameter) arrays_[n] = parameters[plan_.nodes[n].number];
    }
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const uint32_t n = plan_.outputs[i];
      const Array array = assembly_.output(graph_.outputs[i].name, plan_.nodes[n].type,
                                           check::elements(plan_.nodes[n].shape));
      stores_[n].push_back(array);
      if (!arrays_[n]) arrays_[n] = array;
    }
    for (uint32_t g = 0; g < plan_.groups.size(); ++g) {
      const Group& group = plan_.groups[g];
      if (group.core) group_of_[*group.core] = g;
      for (const uint32_t n : group.members) {
        group_of_[n] = g;
        if (arrays_[n]) continue;
        arrays_[n] = assembly_.scratch(plan_.nodes[n].type, group.count);
        stores_[n].push_back(*arrays_[n]);
      }
    }
    for (uint32_t g = 0; g < plan_.groups.size(); ++g) plan_.groups[g].core ? kernel(g) : loop(g);
    return assembly_.finish();
  }

 private:
  static std::string name_of(const check::SizedGraph& graph) {
    std::string name = graph.name;
    std::ranges::replace(name, '.', '_');
    return name;
  }

  Writer& writer(uint32_t g, Body& body) {
    if (!writer_ || writer_->dispatch() != body.number()) writer_.emplace(plan_, arrays_, group_of_, g, body);
    return *writer_;
  }

  void store(uint32_t g, Writer& writer, Body& body, uint32_t position) {
    for (const uint32_t n : plan_.groups[g].members) {
      ir::Ex value = writer.value(n, position);
      const auto& arrays = stores_[n];
      if (arrays.size() > 1) value = body.let(value);
      for (const Array array : arrays) body.store(array, writer.flat(position, plan_.nodes[n].shape), value);
    }
  }

  void loop(uint32_t g) {
    assembly_.for_each("elementwise", plan_.groups[g].count, [&](Body& body, ir::Ex i) {
      Writer& writer = this->writer(g, body);
      store(g, writer, body, writer.position(i));
    });
  }

  void kernel(uint32_t g) {
    const uint32_t core = *plan_.groups[g].core;
    const SizedNode& node = plan_.nodes[core];
    std::vector<const SizedNode*> operands;
    std::vector<Element> elements;
    for (const uint32_t o : node.operands) {
      operands.push_back(&plan_.nodes[o]);
      elements.emplace_back([this, g, o](Body& body, const Coordinates& at) {
        Writer& writer = this->writer(g, body);
        return writer.value(o, writer.position(plan_.nodes[o].shape, at));
      });
    }
    const Sink sink = [this, g, core](Body& body, const Coordinates& at, ir::Ex value) {
      Writer& writer = this->writer(g, body);
      const uint32_t position = writer.position(plan_.nodes[core].shape, at);
      writer.know(core, position, body.let(value));
      store(g, writer, body, position);
    };
    const KernelWork work{node, operands, elements, sink, device_};
    kernel_of(node.op)(assembly_, work);
  }

  const check::SizedGraph& graph_;
  const Plan& plan_;
  const Device device_;
  Assembly assembly_;
  std::vector<std::optional<Array>> arrays_;       // by node: where it is read
  std::map<uint32_t, std::vector<Array>> stores_;  // by node: where it is written
  std::vector<uint32_t> group_of_;
  std::optional<Writer> writer_;
};

}  // namespace

ir::Module lower(const check::SizedGraph& graph, std::span<const ir::Operation> operations,
                 const Options& options) {
  const Plan made = plan(graph, options.plan);
  ir::Module module = Lowering(graph, made, options.device).run();
  const bool calls =
      std::ranges::any_of(made.nodes, [](const SizedNode& n) { return n.operation != nullptr; });
  if (calls) module.operations.assign(operations.begin(), operations.end());
  return module;
}

}  // namespace vyre::tensor
