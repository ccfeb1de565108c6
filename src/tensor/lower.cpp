#include "tensor/lower.h"

#include <fmt/format.h>

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
#include "spec/types.h"
#include "tensor/assembly.h"
#include "tensor/matmul.h"
#include "tensor/nodes.h"
#include "tensor/rows.h"
#include "tensor/small.h"

namespace vyre::tensor {
namespace {

using check::elements;
using check::NodeOp;
using check::SizedNode;

using Shape = std::vector<uint32_t>;

constexpr uint32_t kMostInline = 16;  // an expression that is deeper becomes a variable
constexpr size_t kMostNesting = spec::kMaxNesting / 2;
// A workgroup turns kTurned times as many elements, each invocation kTurnedEach; rows of a tile are a word
// longer, so that neither rows nor columns meet in a bank of memory.
constexpr uint32_t kTurned = 32, kTurnedEach = 4, kTurnedWords = kTurned * (kTurned + 1);
constexpr uint32_t kTurnedLeast = 16;        // of both axes, for which tiles are worth it
constexpr uint32_t kRowNeighbours = 4;       // in row kernels
constexpr uint32_t kMostOfNeighbours = 128;  // operators of a chain that is written out for each of them

/// Whether it is computed of coordinates, and not found in memory in any case.
constexpr bool is_expression(NodeOp op) { return !has_kernel(op) && op != NodeOp::Parameter; }

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
    Key key;  // the axes that matter
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] != 1) key.insert(key.end(), {shape[axis], key_of(at[axis])});
    }
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

  /// base + more for a base, a variable, that is a multiple of `unit`; more < unit. As long as sizes are
  /// multiples of it as well, all coordinates but the last are those of the base, and linear indices end in
  /// "+ more", by which compilers see which loads are neighbours.
  ir::Ex neighbour(ir::Ex base, uint32_t more, uint32_t unit) {
    const ir::Ex made = more == 0 ? base : index(base + more);
    if (more != 0) near_.insert_or_assign(key_of(made), Near{base, more, unit});
    return made;
  }

  /// The linear index; the tensor may be of any shape with these elements.
  ir::Ex flat(uint32_t position, const Shape& shape) {
    if (const auto& known = positions_[position].flat; known && p_.is_open(known->scope)) return known->ex;
    if (elements(shape) <= 1) return p_.u32(0);
    // The index is that in any shape: best in the one that the position began with.
    const Seen seen = positions_[position].seen.front();
    const Shape& of = seen.shape;
    Coordinates at;
    for (size_t axis = 0; axis < of.size(); ++axis)
      at.push_back(of[axis] == 1 ? p_.u32(0) : seen.at[axis]->ex);
    size_t last = of.size() - 1;
    while (of[last] == 1) --last;
    const Near* near = near_of(at[last]);
    const Near found = near != nullptr ? *near : Near{at[last], 0, 1};
    at[last] = found.base;
    const ir::Ex base = index(linear(body_, of, at));
    const ir::Ex made =
        of[last] % found.unit == 0 ? neighbour(base, found.more, found.unit) : plus(base, found.more);
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

  /// Loads all that a node wants at a position, as far as no branch decides about it: what is computed may
  /// have branches of its own, and loads are only seen to be neighbours where none is between them.
  void fetch(uint32_t n, uint32_t position) {
    const SizedNode& node = plan_.nodes[n];
    if (check::elements(node.shape) == 0) return;
    const std::pair<uint32_t, uint32_t> key(n, position);
    if (const auto known = values_.find(key); known != values_.end() && p_.is_open(known->second.scope))
      return;
    if (is_loaded(n)) {
      const ir::Ex made = body_.load(*arrays_[n], flat(position, node.shape));
      values_.insert_or_assign(key, Value{body_.let(made), p_.scope(), 1});
    } else if (node.op == NodeOp::Apply || node.op == NodeOp::Call) {
      if (const auto [at, fresh] = fetched_.emplace(key); !fresh) return;
      for (const uint32_t o : node.operands) fetch(o, position);
    } else if (const auto inner = viewed(node, position)) {
      fetch(node.operands[0], *inner);
    }
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

  struct Near {
    ir::Ex base;
    uint32_t more, unit;
  };
  const Near* near_of(ir::Ex ex) const {
    const auto known = near_.find(key_of(ex));
    return known == near_.end() ? nullptr : &known->second;
  }

  // Index arithmetic. Results are variables or numbers.
  ir::Ex plus(ir::Ex a, uint32_t b) {
    if (const Near* near = near_of(a); near != nullptr && b != 0 && b % near->unit == 0) {
      const Near from = *near;
      return neighbour(plus(from.base, b), from.more, from.unit);
    }
    return index(tensor::plus(a, b));
  }
  ir::Ex minus(ir::Ex a, uint32_t b) { return index(tensor::minus(a, b)); }
  ir::Ex times(ir::Ex a, uint32_t b) { return index(tensor::times(a, b)); }
  ir::Ex quotient(ir::Ex a, uint32_t b) {
    if (const Near* near = near_of(a); near != nullptr && b != 1 && b % near->unit == 0)
      return quotient(near->base, b);
    return index(tensor::quotient(a, b));
  }
  ir::Ex rest(ir::Ex a, uint32_t b) {
    if (const Near* near = near_of(a); near != nullptr && b != 1 && b % near->unit == 0) {
      const Near from = *near;
      return neighbour(rest(from.base, b), from.more, from.unit);
    }
    return index(tensor::rest(a, b));
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

  /// Of a view: the position of its operand.
  std::optional<uint32_t> viewed(const SizedNode& node, uint32_t position) {
    if (node.op == NodeOp::Reshape) return position;
    if (kind_of(node.op) != NodeKind::View || node.operands.empty()) return std::nullopt;
    const Shape& shape = operand(node, 0).shape;
    Coordinates at(shape.size(), p_.u32(0));
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (node.op == NodeOp::Transpose) {
        at[node.axes[axis]] = this->at(position, node.shape, axis);
      } else if (node.op == NodeOp::Slice) {
        at[axis] =
            plus(times(this->at(position, node.shape, axis), node.sizes[3 * axis + 2]), node.sizes[3 * axis]);
      } else if (shape[axis] != 1) {
        at[axis] = this->at(position, node.shape, node.shape.size() - shape.size() + axis);
      }
    }
    return this->position(shape, at);
  }

  bool is_loaded(uint32_t n) const {
    return plan_.nodes[n].op == NodeOp::Parameter || (plan_.written[n] && group_of_[n] != group_);
  }

  ir::Ex compute(uint32_t n, uint32_t position) {
    const SizedNode& node = plan_.nodes[n];
    if (is_loaded(n)) return body_.load(*arrays_[n], flat(position, node.shape));
    static constexpr spec::Row<NodeOp, ir::Ex (Writer::*)(const SizedNode&, uint32_t)> kRows[] = {
        {NodeOp::Literal, &Writer::literal},     {NodeOp::Apply, &Writer::apply},
        {NodeOp::Call, &Writer::call},           {NodeOp::Transpose, &Writer::view},
        {NodeOp::Slice, &Writer::view},          {NodeOp::Broadcast, &Writer::view},
        {NodeOp::Reshape, &Writer::view},        {NodeOp::Index, &Writer::coordinate},
        {NodeOp::Concat, &Writer::concatenated}, {NodeOp::Pad, &Writer::pad},
        {NodeOp::Gather, &Writer::gather},
    };
    static constexpr spec::TotalTable<kRows, is_expression> kExpressions;
    return (this->*kExpressions[node.op])(node, position);
  }

  ir::Ex literal(const SizedNode& node, uint32_t) { return p_.literal(node.type, node.bits); }

  std::vector<ir::Ex> operands_of(const SizedNode& node, uint32_t position) {
    std::vector<ir::Ex> operands;
    for (const uint32_t o : node.operands) operands.push_back(value(o, position));
    return operands;
  }
  ir::Ex apply(const SizedNode& node, uint32_t position) {
    const std::vector<ir::Ex> operands = operands_of(node, position);
    if (node.scalar == spec::Op::Cast) return p_.cast(node.type, operands[0], node.mode);
    if (node.scalar == spec::Op::Bitcast) return p_.bitcast(node.type, operands[0]);
    return p_.apply(node.scalar, operands);
  }
  ir::Ex call(const SizedNode& node, uint32_t position) {
    return p_.call(node.operation->id, operands_of(node, position), node.operation->version);
  }

  ir::Ex view(const SizedNode& node, uint32_t position) {
    return value(node.operands[0], *viewed(node, position));
  }
  ir::Ex coordinate(const SizedNode& node, uint32_t position) { return at(position, node.shape, node.axis); }

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
      if (kind_of(op) == NodeKind::Elementwise || op == NodeOp::Concat) return true;
    }
    return !plan_.nodes[n].operands.empty();
  }

  ir::Ex concatenated(const SizedNode& node, uint32_t position) {
    return concat(node, all_of(position, node.shape), 0, 0);
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

  ir::Ex pad(const SizedNode& node, uint32_t position) {
    const Coordinates at = all_of(position, node.shape);
    const SizedNode& inner = operand(node, 0);
    const auto outside = [&] {
      return value(node.operands[1], this->position(operand(node, 1).shape, Coordinates()));
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
        [&] { return value(node.operands[0], this->position(inner.shape, inside)); }, outside);
  }

  ir::Ex gather(const SizedNode& node, uint32_t position) {
    const Coordinates at = all_of(position, node.shape);
    const SizedNode &table = operand(node, 0), &indices = operand(node, 1);
    const auto nothing = [&] { return p_.literal(node.type, 0); };
    const uint32_t size = table.shape[node.axis];
    if (elements(table.shape) == 0) return nothing();
    const auto first = at.begin() + node.axis;
    const auto last = first + ptrdiff_t(indices.shape.size());
    ir::Ex which = value(node.operands[1], this->position(indices.shape, Coordinates(first, last)));
    which = index(which);
    Coordinates inside(at.begin(), first);
    inside.push_back(which);
    inside.insert(inside.end(), last, at.end());
    return choose(
        is_below(which, size), is_costly(node.operands[0]), node.type,
        [&] { return value(node.operands[0], this->position(table.shape, inside)); }, nothing);
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
  std::map<uint64_t, Near> near_;  // by the variable
  std::map<std::pair<uint32_t, uint32_t>, Value> values_;
  std::set<std::pair<uint32_t, uint32_t>> fetched_;
  uint32_t depth_ = 0;  // of the expression being written
};

class Lowering {
 public:
  Lowering(const check::SizedGraph& graph, const Plan& plan, const Options& options)
      : graph_(graph),
        plan_(plan),
        options_(options),
        assembly_(name_of(graph), options.device),
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
      for (const uint32_t n : group.rows) group_of_[n] = g;
      for (const uint32_t n : group.members) {
        group_of_[n] = g;
        if (arrays_[n]) continue;
        arrays_[n] = assembly_.scratch(plan_.nodes[n].type, elements(plan_.nodes[n].shape));
        stores_[n].push_back(*arrays_[n]);
      }
    }
    for (uint32_t g = 0; g < plan_.groups.size(); ++g) {
      const Group& group = plan_.groups[g];
      group.core ? kernel(g) : group.rows.empty() ? loop(g) : rows(g);
    }
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
  /// At several positions: a node is stored when all of its values are there, so that loads are neighbours.
  /// By node and position. All loads come first, and a node is stored when all of its values are there.
  std::vector<std::vector<ir::Ex>> values(std::span<const uint32_t> nodes, Writer& writer, Body& body,
                                          std::span<const uint32_t> positions) {
    for (const uint32_t position : positions) {
      for (const uint32_t n : nodes) writer.fetch(n, position);
    }
    std::vector<std::vector<ir::Ex>> out(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const uint32_t position : positions) out[i].push_back(body.let(writer.value(nodes[i], position)));
    }
    return out;
  }
  void store(std::span<const uint32_t> nodes, Writer& writer, Body& body,
             std::span<const uint32_t> positions) {
    const auto values = this->values(nodes, writer, body, positions);
    for (size_t n = 0; n < nodes.size(); ++n) {
      for (const Array array : stores_[nodes[n]]) {
        for (size_t i = 0; i < positions.size(); ++i)
          body.store(array, writer.flat(positions[i], plan_.nodes[nodes[n]].shape), values[n][i]);
      }
    }
  }

  /// How many neighbours an invocation writes: of a GPU, what makes loads and stores of four words.
  uint32_t neighbours(uint32_t g) const {
    if (options_.device == Device::Cpu || plan_.groups[g].operators > kMostOfNeighbours) return 1;
    uint32_t bytes = 2;
    for (const uint32_t n : plan_.groups[g].members)
      bytes = std::max(bytes, spec::info(plan_.nodes[n].type).bytes);
    return bytes > 2 ? 4 : 8;
  }

  /// A transposition that changes which axis is the last one, as axes that move together: of the result, and
  /// for each axis of the operand which of these it is.
  struct Turn {
    std::vector<uint32_t> nodes;  // that turn alike
    Shape shape;
    std::vector<uint32_t> order;
  };

  /// What the members compute, element by element, of transpositions whose tiles a workgroup can turn.
  std::optional<Turn> turn_of(uint32_t g) const {
    const Group& group = plan_.groups[g];
    if (options_.device == Device::Cpu) return std::nullopt;
    std::vector<uint32_t> pending = group.members;
    std::set<uint32_t> seen(pending.begin(), pending.end());
    std::optional<Turn> found;
    uint32_t bytes = 0;
    while (!pending.empty()) {
      const uint32_t n = pending.back();
      pending.pop_back();
      const SizedNode& node = plan_.nodes[n];
      if (plan_.written[n] && group_of_[n] != g) continue;
      if (node.op == NodeOp::Transpose && node.shape == plan_.nodes[group.members.front()].shape) {
        Turn turn = turned(node);
        const uint32_t a = turn.shape.back(), b = turn.shape[turn.order.back()];
        const bool worth = turn.order.back() + 1 != turn.shape.size() && std::min(a, b) >= kTurnedLeast;
        const uint32_t more = std::max(spec::info(node.type).bytes, 4u) * kTurnedWords;
        const bool alike = !found || (found->shape == turn.shape && found->order == turn.order);
        if (!worth || !alike || bytes + more > kMostWorkgroupBytes) continue;
        bytes += more;
        if (!found) found = std::move(turn);
        found->nodes.push_back(n);
      } else if (node.op == NodeOp::Apply || node.op == NodeOp::Call) {
        for (const uint32_t o : node.operands) {
          if (seen.insert(o).second) pending.push_back(o);
        }
      }
    }
    return found;
  }

  Turn turned(const SizedNode& node) const {
    const Shape& of = plan_.nodes[node.operands[0]].shape;
    Turn turn;
    std::vector<uint32_t> first;  // by axis that moves: its first axis of the operand
    uint32_t next = UINT32_MAX;   // axis of the operand behind the last one
    for (const uint32_t axis : node.axes) {
      if (of[axis] == 1) continue;
      if (axis == next) {
        turn.shape.back() *= of[axis];
      } else {
        turn.shape.push_back(of[axis]);
        first.push_back(axis);
      }
      next = axis + 1;
      while (next < of.size() && of[next] == 1) ++next;
    }
    turn.order.resize(first.size());
    std::iota(turn.order.begin(), turn.order.end(), 0u);
    std::ranges::sort(turn.order, {}, [&](uint32_t i) { return first[i]; });
    return turn;
  }

  /// A workgroup loads a tile of neighbours along the operand's last axis, and stores it along the result's.
  void turn_tiles(uint32_t g, const Turn& turn) {
    const uint32_t a = uint32_t(turn.shape.size()) - 1, b = turn.order.back();
    const uint32_t size_a = turn.shape[a], size_b = turn.shape[b];
    Shape groups, of;  // of the other axes and then of tiles; of the operand
    for (uint32_t i = 0; i < a; ++i) {
      if (i != b) groups.push_back(turn.shape[i]);
    }
    groups.push_back(ceil_div(size_b, kTurned));
    groups.push_back(ceil_div(size_a, kTurned));
    for (const uint32_t i : turn.order) of.push_back(turn.shape[i]);
    const std::array<uint32_t, 3> workgroup = {kTurned, kTurned / kTurnedEach, 1};
    for_each_group(assembly_, "turned", workgroup, check::elements(groups), [&](Body& body, ir::Ex group) {
      ir::ProgramBuilder& p = body.program();
      Writer& writer = this->writer(g, body);
      const Coordinates where = coordinates(body, groups, group);
      const ir::Ex x = body.let(p.local_id(0)), y = body.let(p.local_id(1));
      const ir::Ex from_a = body.let(where[where.size() - 1] * kTurned);
      const ir::Ex from_b = body.let(where[where.size() - 2] * kTurned);
      // What would be behind the end is the last one, which is in the array.
      const auto inside = [&](ir::Ex at, uint32_t size) {
        return size % kTurned == 0 ? at : body.let(p.select(at < size - 1, at, body.u32(size - 1)));
      };
      const auto place = [&](ir::Ex at_a, ir::Ex at_b) {
        Coordinates at;
        size_t other = 0;
        for (uint32_t i = 0; i <= a; ++i) at.push_back(i == a ? at_a : i == b ? at_b : where[other++]);
        return at;
      };
      std::vector<ir::Ex> rows;
      for (uint32_t i = 0; i < kTurnedEach; ++i)
        rows.push_back(i == 0 ? y : body.let(y + i * (kTurned / kTurnedEach)));
      std::vector<ir::BufferRef> tiles;
      for (const uint32_t n : turn.nodes) {
        const uint32_t operand = plan_.nodes[n].operands[0];
        tiles.push_back(p.workgroup(body.fresh("tile"), plan_.nodes[n].type, kTurnedWords));
        std::vector<uint32_t> positions;
        for (const ir::Ex row : rows) {
          const Coordinates at =
              place(inside(body.let(from_a + row), size_a), inside(body.let(from_b + x), size_b));
          Coordinates permuted;
          for (const uint32_t i : turn.order) permuted.push_back(at[i]);
          positions.push_back(writer.position(of, permuted));
          writer.fetch(operand, positions.back());
        }
        std::vector<ir::Ex> values;
        for (const uint32_t position : positions) values.push_back(body.let(writer.value(operand, position)));
        for (size_t i = 0; i < rows.size(); ++i)
          p.store(tiles.back(), rows[i] * (kTurned + 1) + x, values[i]);
      }
      p.barrier();
      const ir::Ex at_a = body.let(from_a + x);
      std::vector<ir::Ex> at_b;
      std::vector<uint32_t> positions;
      for (const ir::Ex row : rows) {
        at_b.push_back(body.let(from_b + row));
        positions.push_back(
            writer.position(turn.shape, place(inside(at_a, size_a), inside(at_b.back(), size_b))));
        for (size_t t = 0; t < tiles.size(); ++t)
          writer.know(turn.nodes[t], positions.back(), body.let(p.load(tiles[t], x * (kTurned + 1) + row)));
      }
      const auto values = this->values(plan_.groups[g].members, writer, body, positions);
      for (size_t i = 0; i < rows.size(); ++i) {
        const auto give = [&] {
          for (size_t m = 0; m < values.size(); ++m) {
            const uint32_t n = plan_.groups[g].members[m];
            for (const Array array : stores_[n])
              body.store(array, writer.flat(positions[i], plan_.nodes[n].shape), values[m][i]);
          }
        };
        const auto in_a = [&] { size_a % kTurned == 0 ? give() : p.if_(at_a < size_a, give); };
        size_b % kTurned == 0 ? in_a() : p.if_(at_b[i] < size_b, in_a);
      }
    });
  }

  void loop(uint32_t g) {
    if (const auto turn = turn_of(g)) return turn_tiles(g, *turn);
    const uint32_t count = plan_.groups[g].count, unit = neighbours(g);
    const uint32_t whole = count / unit, rest = count % unit;
    assembly_.for_each("elementwise", whole + (rest == 0 ? 0 : 1), [&](Body& body, ir::Ex i) {
      ir::ProgramBuilder& p = body.program();
      Writer& writer = this->writer(g, body);
      const auto one = [&](ir::Ex at) { store(g, writer, body, writer.position(at)); };
      if (unit == 1) return one(i);
      const auto all = [&] {
        const ir::Ex base = body.let(i * unit);
        std::vector<uint32_t> positions;
        for (uint32_t j = 0; j < unit; ++j)
          positions.push_back(writer.position(writer.neighbour(base, j, unit)));
        store(plan_.groups[g].members, writer, body, positions);
      };
      const auto last = [&] { p.loop(body.fresh("i"), body.u32(whole * unit), body.u32(count), one); };
      if (rest == 0) return all();
      whole == 0 ? last() : p.if_(i < whole, all, last);
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
    const KernelWork work{node, operands, elements, sink, options_.device, options_.tile, &options_.tuned};
    kNodes[node.op].write(assembly_, work);
  }

  void rows(uint32_t g) {
    const Group& group = plan_.groups[g];
    const SizedNode& first = plan_.nodes[group.rows.front()];
    const Lines lines(plan_.nodes[first.operands[0]].shape, first.axis);
    std::vector<Fold> folds;
    for (const uint32_t n : group.rows) folds.push_back({plan_.nodes[n].scalar, plan_.nodes[n].type});
    std::vector<uint32_t> of_elements, of_lines;
    for (const uint32_t n : group.members)
      (plan_.nodes[n].shape == lines.shape ? of_elements : of_lines).push_back(n);
    const auto operand = [&](uint32_t n) { return plan_.nodes[n].operands[0]; };
    const auto at_line = [&](Body& body, const Coordinates& line) {
      return writer(g, body).position(lines.with(1), line);
    };
    const RowWork work = {
        folds,
        [&](Body& body, ir::Ex base, uint32_t more) {
          return writer(g, body).neighbour(base, more, kRowNeighbours);
        },
        [&](Body& body, const Coordinates& at) { return writer(g, body).position(lines.shape, at); },
        [&](Body& body, std::span<const uint32_t> positions) {
          for (const uint32_t position : positions) {
            for (const uint32_t n : group.rows) writer(g, body).fetch(operand(n), position);
            for (const uint32_t n : of_elements) writer(g, body).fetch(n, position);
          }
        },
        [&](Body& body, size_t fold, uint32_t position) {
          return writer(g, body).value(operand(group.rows[fold]), position);
        },
        [&](Body& body, size_t fold, const Coordinates& line, ir::Ex result) {
          writer(g, body).know(group.rows[fold], at_line(body, line), result);
        },
        [&](Body& body, std::span<const uint32_t> positions) {
          store(of_elements, writer(g, body), body, positions);
        },
        [&](Body& body, const Coordinates& line) {
          const uint32_t position = at_line(body, line);
          store(of_lines, writer(g, body), body, {&position, 1});
        }};
    write_rows(assembly_, lines, work);
  }

  const check::SizedGraph& graph_;
  const Plan& plan_;
  const Options& options_;
  Assembly assembly_;
  std::vector<std::optional<Array>> arrays_;       // by node: where it is read
  std::map<uint32_t, std::vector<Array>> stores_;  // by node: where it is written
  std::vector<uint32_t> group_of_;
  std::optional<Writer> writer_;
};

}  // namespace

Result<void> check_countable(const check::SizedGraph& graph) {
  for (const SizedNode& node : graph.nodes) {
    if (!has_kernel(node.op)) continue;
    const auto check = [&](const SizedNode& tensor) -> Result<void> {
      if (elements(tensor.shape) <= kMostOfKernels) return {};
      return std::unexpected(make_diag(
          DiagCode::L005, node.span,
          fmt::format("{} and {}, of {} elements", check::tensor_op(node.op)->text,
                      check::shape_text(tensor.type, tensor.shape), elements(tensor.shape)),
          fmt::format(
              "it takes and gives at most {}: cut the tensors along another axis with slice, and join "
              "the results with concat",
              kMostOfKernels)));
    };
    VYRE_CHECK(check(node));
    for (const uint32_t operand : node.operands) VYRE_CHECK(check(graph.nodes[operand]));
  }
  return {};
}

std::string key_of(const Options& options) {
  const auto& [plan, device, tile, tuned] = options;  // by name: one more of them has to be thought of here
  const auto& [fuse, share, always, rows] = plan;
  std::string out = fmt::format("{} {} {} {} {} {}", int(device), fuse, share, always, rows,
                                tile == nullptr ? "" : tile->name);
  for (const auto& [work, choice] : tuned) out += fmt::format(", {}: {}", work, choice);
  return out;
}

ir::Module lower(const check::SizedGraph& of_any_types, std::span<const ir::Operation> operations,
                 const Options& options) {
  const check::SizedGraph graph = without_small_types(of_any_types);
  PlanOptions planned = options.plan;
  // Made and measured for GPUs alone.
  planned.rows &= options.device == Device::Gpu;
  const Plan made = plan(graph, planned);
  ir::Module module = Lowering(graph, made, options).run();
  const bool calls =
      std::ranges::any_of(made.nodes, [](const SizedNode& n) { return n.operation != nullptr; });
  if (calls) module.operations.assign(operations.begin(), operations.end());
  return module;
}

}  // namespace vyre::tensor
