#include "tensor/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "ir/ir.h"
#include "spec/ops.h"
#include "tensor/nodes.h"
#include "tensor/row_groups.h"

namespace vyre::tensor {
namespace {

using check::elements;
using check::NodeOp;
using check::SizedNode;

// Costs are in simple operators of one invocation.
constexpr double kCall = 20;           // of a call in an operation
constexpr double kDispatch = 65'536;   // what one more dispatch takes, as work of all invocations together
constexpr double kTile = 64;           // how often a product uses an operand that it has loaded once
constexpr uint32_t kMostOperands = 4;  // of a concatenation; more are a tree of them
constexpr uint32_t kMostDepth = 256;   // of expressions in expressions
constexpr size_t kMostPlaces = 8;      // of an expression, at which kernels compute it
constexpr size_t kMostOfGroup = 512;   // operators that are written out, so that compiling takes no time
constexpr double kCostOfSize =
    6;  // of a function of floats, which is long, so much is as long as an operator
constexpr size_t kArraysOfKernel = 2;  // that a kernel may need for itself
constexpr size_t kMostMembers = 4;
constexpr size_t kMostLookedAt = 32;  // groups that could write one more node

double cost_of(spec::Op op) {
  if (op >= spec::Op::FSin && op <= spec::Op::FPow) return 100;  // correctly rounded
  if (op >= spec::Op::FSinApprox && op <= spec::Op::FPowApprox) return 8;
  if (op == spec::Op::FDiv || op == spec::Op::FSqrt || op == spec::Op::Div || op == spec::Op::Mod) return 8;
  return 1;
}

double cost_of(const spec::OpDef& operation) {
  double cost = 1;
  if (operation.body == nullptr) return cost;
  for (const ir::Expr& e : operation.body->code.exprs) {
    if (e.kind == ir::ExprKind::Apply) cost += e.op == spec::Op::Call ? kCall : cost_of(e.op);
  }
  return cost;
}

double own_cost(const SizedNode& node) {
  if (node.op == NodeOp::Apply) return cost_of(node.scalar);
  return node.op == NodeOp::Call ? cost_of(*node.operation) : kNodes[node.op].cost;
}

// ---- the nodes ----

using Key = std::vector<uint64_t>;

/// All that makes a node what it is.
Key key_of(const SizedNode& n) {
  Key key = {uint64_t(n.op),     uint64_t(n.type), n.number,
             uint64_t(n.scalar), uint64_t(n.mode), n.axis,
             uint64_t(n.order),  n.block,          reinterpret_cast<uintptr_t>(n.operation)};
  const auto list = [&](const auto& numbers) {
    key.push_back(numbers.size());
    key.insert(key.end(), numbers.begin(), numbers.end());
  };
  list(n.shape);
  list(n.operands);
  list(n.bits);
  list(n.axes);
  list(n.sizes);
  return key;
}

/// Copies a graph, views that change nothing and equal nodes left out.
class Copying {
 public:
  /// packed: gets the nodes that have to be written, so that no program has too many arrays.
  Copying(const check::SizedGraph& graph, bool share, Plan& plan, std::set<uint32_t>& packed)
      : share_(share), nodes_(plan.nodes), packed_(packed) {
    std::vector<uint32_t> known;
    for (const SizedNode& node : graph.nodes) {
      SizedNode copied = node;
      for (uint32_t& operand : copied.operands) operand = known[operand];
      known.push_back(simplified(std::move(copied)));
    }
    for (const auto& output : graph.outputs) plan.outputs.push_back(known[output.node]);
  }

 private:
  uint32_t add(SizedNode node) {
    const uint32_t number = uint32_t(nodes_.size());
    if (share_) {
      const auto [at, fresh] = known_.emplace(key_of(node), number);
      if (!fresh) return at->second;
    }
    nodes_.push_back(std::move(node));
    return number;
  }

  /// The same elements in the same order.
  uint32_t reshaped(SizedNode node) {
    uint32_t from = node.operands[0];
    if (nodes_[from].op == NodeOp::Reshape) from = nodes_[from].operands[0];
    if (nodes_[from].shape == node.shape) return from;
    node.op = NodeOp::Reshape;
    node.operands = {from};
    node.axes.clear();
    return add(std::move(node));
  }

  uint32_t concatenated(SizedNode node) {
    std::erase_if(node.operands, [&](uint32_t o) { return nodes_[o].shape[node.axis] == 0; });
    if (node.operands.empty()) return add(std::move(node));
    if (node.operands.size() == 1) return node.operands[0];
    while (node.operands.size() > kMostOperands) {
      std::vector<uint32_t> parts;
      for (size_t i = 0; i < node.operands.size(); i += kMostOperands) {
        SizedNode part = node;
        part.operands.assign(
            node.operands.begin() + ptrdiff_t(i),
            node.operands.begin() + ptrdiff_t(std::min(i + kMostOperands, node.operands.size())));
        part.shape[node.axis] = 0;
        for (const uint32_t o : part.operands) part.shape[node.axis] += nodes_[o].shape[node.axis];
        parts.push_back(part.operands.size() == 1 ? part.operands[0] : add(std::move(part)));
      }
      node.operands = std::move(parts);
    }
    return add(std::move(node));
  }

  /// A node of one operand.
  SizedNode of(uint32_t from, NodeOp op, spec::DataType type, std::vector<uint32_t> shape) const {
    SizedNode made;
    made.op = op;
    made.type = type;
    made.shape = std::move(shape);
    made.operands = {from};
    made.span = nodes_[from].span;
    return made;
  }
  uint32_t reshaped(uint32_t from, std::vector<uint32_t> shape) {
    return reshaped(of(from, NodeOp::Reshape, nodes_[from].type, std::move(shape)));
  }
  uint32_t bitcast(spec::DataType type, uint32_t from) {
    if (nodes_[from].type == type) return from;
    SizedNode made = of(from, NodeOp::Apply, type, nodes_[from].shape);
    made.scalar = spec::Op::Bitcast;
    return add(std::move(made));
  }
  bool is_number(uint32_t n) const {
    while (kind_of(nodes_[n].op) == NodeKind::View && !nodes_[n].operands.empty()) n = nodes_[n].operands[0];
    return nodes_[n].op == NodeOp::Literal || nodes_[n].op == NodeOp::Index;
  }

  /// Where a node takes more tensors of its shape, from operand `first` on, than a program can have arrays
  /// for, those of one size of element are written one after the other into one array.
  void pack(SizedNode& node, size_t first, size_t most) {
    std::map<spec::DataType, std::vector<uint32_t>> by_type;
    std::set<uint32_t> tensors;
    const uint32_t count = elements(node.shape);
    for (const uint32_t o : std::span(node.operands).subspan(first)) {
      if (is_number(o) || !tensors.insert(o).second) continue;
      const spec::DataType type = nodes_[o].type;
      const bool word = type != spec::DataType::Bool && spec::info(type).bytes == 4;
      by_type[word ? spec::DataType::U32 : type].push_back(o);
    }
    if (tensors.size() <= most || count == 0) return;
    std::map<uint32_t, uint32_t> packed;
    for (const auto& [type, all] : by_type) {
      const size_t room = UINT32_MAX / count;
      for (size_t begin = 0; begin < all.size(); begin += room) {
        const auto some = std::span(all).subspan(begin, std::min(room, all.size() - begin));
        if (some.size() == 1) continue;
        SizedNode joined = of(some[0], NodeOp::Concat, type, {uint32_t(some.size()) * count});
        joined.operands.clear();
        for (const uint32_t o : some) joined.operands.push_back(bitcast(type, reshaped(o, {count})));
        const uint32_t array = concatenated(std::move(joined));
        packed_.insert(array);
        for (uint32_t i = 0; i < some.size(); ++i) {
          SizedNode part = of(array, NodeOp::Slice, type, {count});
          part.sizes = {i * count, (i + 1) * count, 1};
          packed[some[i]] = bitcast(nodes_[some[i]].type, reshaped(add(std::move(part)), node.shape));
        }
      }
    }
    for (uint32_t& o : std::span(node.operands).subspan(first)) {
      if (const auto found = packed.find(o); found != packed.end()) o = found->second;
    }
  }

  uint32_t simplified(SizedNode node) {
    const NodeOp op = node.op;
    const auto from = [&]() -> const SizedNode& { return nodes_[node.operands[0]]; };
    const auto stays = [&] {
      std::vector<uint32_t> moved;  // the axes that matter
      for (const uint32_t axis : node.axes) {
        if (from().shape[axis] != 1) moved.push_back(axis);
      }
      return std::ranges::is_sorted(moved);
    };
    if (op == NodeOp::Reshape || (op == NodeOp::Transpose && stays()) ||
        (op == NodeOp::Broadcast && elements(node.shape) == elements(from().shape)))
      return reshaped(std::move(node));
    if ((op == NodeOp::Slice && node.shape == from().shape) ||
        (op == NodeOp::Pad && std::ranges::all_of(node.sizes, [](uint32_t size) { return size == 0; })))
      return node.operands[0];
    if (op == NodeOp::Concat) return concatenated(std::move(node));
    // A result is an array, and so is the first value of a recurrence.
    if (op == NodeOp::Recur) pack(node, 1, kMostArrays - 2);
    if (op == NodeOp::Call) pack(node, 0, kMostArrays - 1);
    return add(std::move(node));
  }

  const bool share_;
  std::vector<SizedNode>& nodes_;
  std::set<uint32_t>& packed_;
  std::map<Key, uint32_t> known_;
};

/// Leaves out what no output needs; `marked` nodes get their new numbers.
void drop_dead(Plan& plan, std::set<uint32_t>& marked) {
  std::vector<bool> live(plan.nodes.size());
  for (const uint32_t output : plan.outputs) live[output] = true;
  for (size_t n = plan.nodes.size(); n-- > 0;) {
    if (!live[n]) continue;
    for (const uint32_t operand : plan.nodes[n].operands) live[operand] = true;
  }
  std::vector<uint32_t> number(plan.nodes.size());
  uint32_t kept = 0;
  for (size_t n = 0; n < plan.nodes.size(); ++n) {
    if (!live[n]) continue;
    for (uint32_t& operand : plan.nodes[n].operands) operand = number[operand];
    number[n] = kept;
    if (kept != n) plan.nodes[kept] = std::move(plan.nodes[n]);
    ++kept;
  }
  plan.nodes.resize(kept);
  for (uint32_t& output : plan.outputs) output = number[output];
  std::set<uint32_t> kept_marks;
  for (const uint32_t n : marked) {
    if (live[n]) kept_marks.insert(number[n]);
  }
  marked = std::move(kept_marks);
}

// ---- the groups ----

/// A place: how the coordinates at which a group computes a node follow from those at which the group writes.
/// Two expressions at one place of one group are computed once.
struct Place {
  uint32_t group;
  double times;  // how often the group is there
};

/// Decides which nodes are written, and by which group, from the last node to the first, so that all users of
/// a node are known when it is looked at.
class Grouping {
 public:
  /// forced: nodes that have to be written; alone: nodes that get a group of their own.
  Grouping(const Plan& plan, const PlanOptions& options, const std::set<uint32_t>& forced,
           const std::set<uint32_t>& alone)
      : plan_(plan), nodes_(plan.nodes), options_(options), forced_(forced), alone_(alone) {
    const size_t n = nodes_.size();
    is_output_.resize(n);
    for (const uint32_t output : plan.outputs) is_output_[output] = true;
    written_.resize(n);
    group_of_.resize(n, kNone);
    uses_.resize(n);
    measure();
    for (size_t i = n; i-- > 0;) look_at(uint32_t(i));
  }

  /// Groups that have more arrays than a program may: what is to be forced and to stand alone in another
  /// attempt. False: there are none that can be made smaller.
  bool fix(std::set<uint32_t>& forced, std::set<uint32_t>& alone) const;

  void finish(Plan& plan) const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Made {
    Group group;
    uint32_t identity = 0;          // the place of what it writes
    size_t size = 0;                // expressions at places
    std::set<uint32_t> later;       // groups that read what it writes
    std::vector<uint32_t> earlier;  // groups whose results it reads
    uint32_t level = 0;             // the longest way to a last one
  };

  uint32_t count(uint32_t n) const { return elements(nodes_[n].shape); }

  /// What one element costs where it is computed in place, shared parts divided between those that share
  /// them; and how deep expressions are.
  void measure() {
    std::vector<double> consumers(nodes_.size());
    for (const SizedNode& node : nodes_) {
      for (const uint32_t operand : node.operands) ++consumers[operand];
    }
    std::vector<uint32_t> depth(nodes_.size());
    cost_.resize(nodes_.size());
    deep_.resize(nodes_.size());
    for (size_t n = 0; n < nodes_.size(); ++n) {
      cost_[n] = own_cost(nodes_[n]);
      if (has_kernel(nodes_[n].op)) continue;
      for (const uint32_t operand : nodes_[n].operands) {
        // What is stretched is written before, if it costs more than a load.
        const bool stretched = elements(nodes_[operand].shape) <= elements(nodes_[n].shape) / 2;
        const double cost = stretched ? std::min(kLoad, cost_[operand]) : cost_[operand];
        cost_[n] += cost / std::max(1.0, consumers[operand]);
        depth[n] = std::max(depth[n], depth[operand] + 1);
      }
      deep_[n] = depth[n] >= kMostDepth;
      if (deep_[n] || forced_.contains(uint32_t(n))) depth[n] = 0, cost_[n] = kLoad;
    }
  }

  uint32_t place(uint32_t group, double times) {
    places_.push_back({group, times});
    return uint32_t(places_.size()) - 1;
  }

  /// The place of operand `slot` of a node that is computed at a place.
  uint32_t place_of(const SizedNode& node, size_t slot, uint32_t at) {
    const SizedNode& operand = nodes_[node.operands[slot]];
    if (kind_of(node.op) == NodeKind::Elementwise || node.op == NodeOp::Reshape) return at;
    double times = places_[at].times;
    Key key = {at, uint64_t(node.op), node.axis};
    const auto list = [&](const std::vector<uint32_t>& numbers) {
      key.push_back(numbers.size());
      key.insert(key.end(), numbers.begin(), numbers.end());
    };
    if (node.op == NodeOp::Concat) {
      uint64_t before = 0;
      for (size_t i = 0; i < slot; ++i) before += nodes_[node.operands[i]].shape[node.axis];
      key.push_back(before);
    } else {
      key.push_back(slot);
    }
    if (node.op == NodeOp::Gather && slot == 0) key.push_back(node.operands[1]);
    const double of = std::max(1.0, double(elements(node.shape)));
    if (node.op == NodeOp::Concat || (node.op == NodeOp::Pad && slot == 0))
      times *= std::min(1.0, elements(operand.shape) / of);
    if (elements(operand.shape) == 1) {
      key = {groups_[places_[at].group].identity, UINT64_MAX};
    } else {
      list(node.axes);
      list(node.sizes);
      list(node.shape);
      list(operand.shape);
    }
    const auto [found, fresh] = known_places_.emplace(std::move(key), uint32_t(places_.size()));
    if (fresh) return place(places_[at].group, times);
    places_[found->second].times = std::max(places_[found->second].times, times);
    return found->second;
  }

  /// How often the kernel of a node asks for each element of an operand.
  double times_of(const SizedNode& node, size_t slot) const {
    if (node.op != NodeOp::Matmul) return 1;
    const size_t rank = node.shape.size();
    return std::max(1.0, node.shape[slot == 0 ? rank - 1 : rank - 2] / kTile);
  }

  bool computed_at(uint32_t n, uint32_t at) const {
    return std::ranges::find(uses_[n], at) != uses_[n].end();
  }

  void use(uint32_t n, uint32_t at) {
    if (computed_at(n, at)) return;
    uses_[n].push_back(at);
    groups_[places_[at].group].size += size_t(std::ceil(own_cost(nodes_[n]) / kCostOfSize));
  }

  bool must_write(uint32_t n) const {
    const SizedNode& node = nodes_[n];
    if (is_output_[n]) return true;
    if (is_leaf(node.op)) return false;
    if (has_kernel(node.op) || forced_.contains(n) || deep_[n] || !options_.fuse) return true;
    if (kind_of(node.op) != NodeKind::Elementwise) return false;
    if (uses_[n].size() > kMostPlaces) return true;
    for (const uint32_t at : uses_[n]) {
      if (groups_[places_[at].group].size > kMostOfGroup) return true;
    }
    if (options_.always) return false;
    double times = 0;
    for (const uint32_t at : uses_[n]) times += places_[at].times;
    const double once = count(n);
    return times * cost_[n] > once * (cost_[n] + kStore) + times * kLoad + kDispatch;
  }

  /// Whether group b runs behind group a.
  bool reaches(uint32_t a, uint32_t b) const {
    std::vector<uint32_t> pending = {a};
    std::set<uint32_t> seen;
    while (!pending.empty()) {
      const uint32_t at = pending.back();
      pending.pop_back();
      if (at == b) return true;
      for (const uint32_t next : groups_[at].later) {
        if (groups_[next].level >= groups_[b].level && seen.insert(next).second) pending.push_back(next);
      }
    }
    return false;
  }

  void runs_before(uint32_t g, uint32_t later) {
    if (!groups_[g].later.insert(later).second) return;
    groups_[later].earlier.push_back(g);
    std::vector<uint32_t> pending = {g};
    while (!pending.empty()) {
      const uint32_t at = pending.back();
      pending.pop_back();
      uint32_t level = 0;
      for (const uint32_t next : groups_[at].later) level = std::max(level, groups_[next].level + 1);
      if (level <= groups_[at].level) continue;
      groups_[at].level = level;
      const auto& earlier = groups_[at].earlier;
      pending.insert(pending.end(), earlier.begin(), earlier.end());
    }
  }

  /// Whether this group can write a node as well.
  bool can_join(uint32_t g, uint32_t n, bool kernel) const {
    const Made& made = groups_[g];
    if (made.group.count != count(n) || made.size > kMostOfGroup) return false;
    if (made.group.members.size() >= kMostMembers) return false;
    const bool there = computed_at(n, made.identity);
    if (there && (deep_[n] || forced_.contains(n))) return false;
    if (kernel ? made.group.core || !there : made.group.core && !there) return false;
    return std::ranges::all_of(uses_[n], [&](uint32_t at) {
      return at == made.identity || (places_[at].group != g && !reaches(places_[at].group, g));
    });
  }

  /// One that computes the node anyway, or one of the last few of its size, or none.
  uint32_t group_for(uint32_t n, bool kernel) const {
    if (!options_.fuse || alone_.contains(n)) return kNone;
    for (const uint32_t at : uses_[n]) {
      const uint32_t g = places_[at].group;
      if (at == groups_[g].identity && can_join(g, n, kernel)) return g;
    }
    if (kernel) return kNone;
    for (size_t i = groups_.size(); i > 0 && i + kMostLookedAt > groups_.size(); --i) {
      const uint32_t g = uint32_t(i) - 1;
      const bool closed =
          std::ranges::any_of(groups_[g].group.members, [&](uint32_t m) { return alone_.contains(m); });
      if (!closed && can_join(g, n, kernel)) return g;
    }
    return kNone;
  }

  void look_at(uint32_t n) {
    const SizedNode& node = nodes_[n];
    if (!must_write(n)) {
      if (is_leaf(node.op)) return;
      const std::vector<uint32_t> places = uses_[n];
      for (size_t slot = 0; slot < node.operands.size(); ++slot) {
        for (const uint32_t at : places) use(node.operands[slot], place_of(node, slot, at));
      }
      return;
    }
    const bool kernel = has_kernel(node.op);
    uint32_t g = group_for(n, kernel);
    if (g == kNone) {
      g = uint32_t(groups_.size());
      groups_.emplace_back().group.count = count(n);
      groups_[g].identity = place(g, count(n));
    }
    Made& made = groups_[g];
    // A group that does not compute it reads it, but leaves are where they are.
    bool read = is_output_[n];
    for (const uint32_t at : uses_[n]) {
      if (at == made.identity) continue;
      read = true;
      if (!is_leaf(node.op)) runs_before(g, places_[at].group);
    }
    if (kernel && !read && uses_[n].empty()) read = true;
    if (read || !kernel) made.group.members.push_back(n);
    written_[n] = !is_leaf(node.op);
    group_of_[n] = g;
    if (is_leaf(node.op)) return use(n, made.identity);
    if (kernel) made.group.core = n;
    if (!kernel) use(n, made.identity);
    for (size_t slot = 0; slot < node.operands.size(); ++slot) {
      const uint32_t operand = node.operands[slot];
      use(operand, kernel ? place(g, count(operand) * times_of(node, slot))
                          : place_of(node, slot, groups_[g].identity));
    }
  }

  /// Whether a group finds a node in memory.
  bool loads(uint32_t g, uint32_t n) const {
    return nodes_[n].op == NodeOp::Parameter || (written_[n] && group_of_[n] != g);
  }
  bool used_by(uint32_t g, uint32_t n) const {
    return std::ranges::any_of(uses_[n], [&](uint32_t at) { return places_[at].group == g; });
  }

  const Plan& plan_;
  const std::vector<SizedNode>& nodes_;
  const PlanOptions& options_;
  const std::set<uint32_t>&forced_, &alone_;
  std::vector<bool> is_output_, written_, deep_;
  std::vector<double> cost_;
  std::vector<uint32_t> group_of_;
  std::vector<std::vector<uint32_t>> uses_;  // by node: the places
  std::vector<Made> groups_;
  std::vector<Place> places_;
  std::map<Key, uint32_t> known_places_;
};

bool Grouping::fix(std::set<uint32_t>& forced, std::set<uint32_t>& alone) const {
  std::vector<std::vector<uint32_t>> of(groups_.size());  // nodes, ascending
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    std::set<uint32_t> in;
    for (const uint32_t at : uses_[n]) in.insert(places_[at].group);
    if (group_of_[n] != kNone) in.insert(group_of_[n]);
    for (const uint32_t g : in) of[g].push_back(n);
  }
  bool changed = false;
  for (uint32_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g].group;
    size_t stored = 0;
    for (const uint32_t m : group.members)
      stored += std::max<size_t>(1, size_t(std::ranges::count(plan_.outputs, m)));
    const size_t loaded = size_t(std::ranges::count_if(of[g], [&](uint32_t n) { return loads(g, n); }));
    const size_t most = kMostArrays - (group.core ? kArraysOfKernel : 0);
    if (stored + loaded <= most) continue;
    // The core leaves its epilogue, or one of several members goes.
    if (group.core && (group.members.size() > 1 || group.members[0] != *group.core)) {
      changed |= alone.insert(*group.core).second;
      continue;
    }
    if (group.members.size() > 1) {
      changed |= alone.insert(group.members.back()).second;
      continue;
    }
    // Of one, the part that loads most but fits is written before.
    std::map<uint32_t, std::set<uint32_t>> below;
    uint32_t best = kNone;
    size_t most_below = 1;
    for (const uint32_t n : of[g]) {
      std::set<uint32_t>& arrays = below[n];
      if (loads(g, n)) {
        arrays.insert(n);
        continue;
      }
      for (const uint32_t operand : nodes_[n].operands) {
        if (const auto known = below.find(operand); known != below.end())
          arrays.insert(known->second.begin(), known->second.end());
      }
      if (group_of_[n] == g || is_leaf(nodes_[n].op)) continue;
      if (arrays.size() > most_below && arrays.size() < most) best = n, most_below = arrays.size();
    }
    if (best != kNone) changed |= forced.insert(best).second;
  }
  return changed;
}

void Grouping::finish(Plan& plan) const {
  // Groups whose earlier ones are done, that of the first node first.
  std::vector<uint32_t> waits(groups_.size()), first(groups_.size(), kNone);
  for (const Made& made : groups_) {
    for (const uint32_t later : made.later) ++waits[later];
  }
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    if (group_of_[n] != kNone) first[group_of_[n]] = std::min(first[group_of_[n]], n);
  }
  std::set<std::pair<uint32_t, uint32_t>> ready;
  for (uint32_t g = 0; g < groups_.size(); ++g) {
    if (waits[g] == 0) ready.emplace(first[g], g);
  }
  while (!ready.empty()) {
    const uint32_t g = ready.begin()->second;
    ready.erase(ready.begin());
    for (const uint32_t later : groups_[g].later) {
      if (--waits[later] == 0) ready.emplace(first[later], later);
    }
    plan.groups.push_back(groups_[g].group);
    plan.groups.back().operators = uint32_t(groups_[g].size);
    std::ranges::sort(plan.groups.back().members);
  }
  plan.written = written_;
  plan.uses.assign(nodes_.size(), 0);
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    if (written_[n]) ++plan.uses[n];
    // A kernel may ask for an element as often as it likes.
    for (const uint32_t operand : nodes_[n].operands) plan.uses[operand] += has_kernel(nodes_[n].op) ? 2 : 1;
  }
}

}  // namespace

Plan plan(const check::SizedGraph& graph, const PlanOptions& options) {
  Plan made;
  std::set<uint32_t> forced, alone;
  Copying(graph, options.share, made, forced);
  drop_dead(made, forced);
  for (;;) {
    const Grouping grouping(made, options, forced, alone);
    if (grouping.fix(forced, alone)) continue;
    grouping.finish(made);
    if (options.fuse && options.rows) join_rows(made);
    return made;
  }
}

}  // namespace vyre::tensor
