#include "tensor/row_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tensor/rows.h"

namespace vyre::tensor {
namespace {

using check::elements;
using check::NodeOp;
using check::SizedNode;
using Shape = std::vector<uint32_t>;

constexpr size_t kMostAhead = 16;          // groups behind the last one that has joined
constexpr uint32_t kMostOperators = 2048;  // of an invocation, all elements together

/// What a node is to the lines of a cluster.
enum class Kind : uint8_t {
  Free,     // nothing that the cluster computes is in it
  Element,  // at an element of a line, of the same element of others, and of results of the line
  Line,     // at a line, of results of that line
  Other,    // something else, so it has to be in another kernel
};

/// Some groups, as one kernel.
struct Cluster {
  Shape shape;
  std::optional<uint32_t> axis;  // none: there is no reduction yet
  std::vector<uint32_t> groups, rows;
  std::set<uint32_t> members;
  uint32_t operators = 0;
  std::map<uint32_t, Kind> kinds;
};

class Joining {
 public:
  explicit Joining(Plan& plan) : plan_(plan), group_of_(plan.nodes.size(), kNone) {
    for (uint32_t g = 0; g < plan.groups.size(); ++g) {
      order_.push_back(g);
      for (const uint32_t n : plan.groups[g].members) group_of_[n] = g;
      if (plan.groups[g].core) group_of_[*plan.groups[g].core] = g;
    }
    loads_.resize(plan.groups.size());
    for (uint32_t g = 0; g < plan.groups.size(); ++g) {
      loads_[g] = loads_of({plan.groups[g].members.begin(), plan.groups[g].members.end()}, operands_of(g), g);
      for (const uint32_t n : loads_[g]) readers_[n].push_back(g);
    }
  }

  void run() {
    for (size_t i = 0; i < order_.size(); ++i) {
      while (try_from(i)) {
      }
    }
    std::vector<Group> groups;
    for (const uint32_t g : order_) groups.push_back(std::move(plan_.groups[g]));
    plan_.groups = std::move(groups);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// What a group's kernel starts from, beside its members.
  std::vector<uint32_t> operands_of(uint32_t g) const {
    const Group& group = plan_.groups[g];
    return group.core ? plan_.nodes[*group.core].operands : std::vector<uint32_t>();
  }

  /// The nodes that are loaded where these are computed by this group, which computes what it writes.
  std::vector<uint32_t> loads_of(std::vector<uint32_t> pending, const std::vector<uint32_t>& more,
                                 uint32_t g) const {
    pending.insert(pending.end(), more.begin(), more.end());
    std::set<uint32_t> seen(pending.begin(), pending.end());
    std::vector<uint32_t> out;
    while (!pending.empty()) {
      const uint32_t n = pending.back();
      pending.pop_back();
      if (plan_.nodes[n].op == NodeOp::Parameter || (plan_.written[n] && group_of_[n] != g)) {
        out.push_back(n);
        continue;
      }
      if (plan_.groups[g].core == n) continue;
      for (const uint32_t o : plan_.nodes[n].operands) {
        if (seen.insert(o).second) pending.push_back(o);
      }
    }
    std::ranges::sort(out);
    return out;
  }

  bool is_in(const Cluster& cluster, uint32_t g) const {
    return g != kNone && std::ranges::find(cluster.groups, g) != cluster.groups.end();
  }

  Kind kind(Cluster& cluster, uint32_t n) const {
    const auto known = cluster.kinds.find(n);
    if (known != cluster.kinds.end()) return known->second;
    const Kind made = find_kind(cluster, n);
    cluster.kinds.emplace(n, made);
    return made;
  }
  // Expressions in one group nest as deep as plans allow.
  Kind find_kind(Cluster& cluster, uint32_t n) const {
    const SizedNode& node = plan_.nodes[n];
    if (std::ranges::find(cluster.rows, n) != cluster.rows.end()) return Kind::Line;
    const bool elsewhere = plan_.written[n] && !is_in(cluster, group_of_[n]);
    if (node.op == NodeOp::Parameter || elsewhere) return Kind::Free;
    std::set<Kind> of;
    for (const uint32_t o : node.operands) of.insert(kind(cluster, o));
    of.erase(Kind::Free);
    if (of.empty()) return Kind::Free;
    if (of.size() > 1 || of.contains(Kind::Other)) return Kind::Other;
    const Kind one = *of.begin();
    if (node.op == NodeOp::Apply || node.op == NodeOp::Call) return one;
    const SizedNode& operand = plan_.nodes[node.operands[0]];
    if (node.op == NodeOp::Reshape && (one == Kind::Line || node.shape == operand.shape)) return one;
    if (node.op != NodeOp::Broadcast || one != Kind::Line) return Kind::Other;
    // The result of a line at each of its elements: aligned from the right, so that the axes are the same.
    if (node.shape != cluster.shape || !cluster.axis) return Kind::Other;
    const size_t missing = node.shape.size() - operand.shape.size();
    for (size_t axis = 0; axis < node.shape.size(); ++axis) {
      const uint32_t size = axis < missing ? 1 : operand.shape[axis - missing];
      if (size != (axis == *cluster.axis ? 1 : node.shape[axis])) return Kind::Other;
    }
    return Kind::Element;
  }

  /// Whether a member can be computed along the lines.
  bool goes_along(Cluster& cluster, uint32_t n) const {
    const Kind of = kind(cluster, n);
    const Shape& shape = plan_.nodes[n].shape;
    if (of == Kind::Line) return true;
    return (of == Kind::Element || of == Kind::Free) && shape == cluster.shape;
  }

  bool is_row(const SizedNode& node) const {
    if (node.op != NodeOp::Reduce) return false;
    const Fold fold{node.scalar, node.type};
    if (fold.has_order() && node.order == ir::Order::Strict) return false;
    const Shape& shape = plan_.nodes[node.operands[0]].shape;
    const Lines lines(shape, node.axis);
    return lines.inner == 1 && lines.count() != 0 && fits_rows(lines.size, {{node.type}});
  }

  /// The cluster with another group, if one kernel can do all of it.
  std::optional<Cluster> joined(const Cluster& cluster, uint32_t g) const {
    const Group& group = plan_.groups[g];
    if (!group.rows.empty()) return std::nullopt;
    Cluster out = cluster;
    out.groups.push_back(g);
    out.operators += std::max(1u, group.operators);
    if (group.core) {
      const SizedNode& core = plan_.nodes[*group.core];
      if (!is_row(core)) return std::nullopt;
      const Shape& shape = plan_.nodes[core.operands[0]].shape;
      if (out.shape.empty()) out.shape = shape;
      if (out.shape != shape || out.axis.value_or(core.axis) != core.axis) return std::nullopt;
      const Kind of = kind(out, core.operands[0]);
      if (of != Kind::Element && of != Kind::Free) return std::nullopt;
      out.axis = core.axis;
      out.rows.push_back(*group.core);
      out.kinds[*group.core] = Kind::Line;
    } else if (out.shape.empty()) {
      out.shape = plan_.nodes[group.members.front()].shape;
    }
    for (const uint32_t n : group.members) {
      // What the cluster writes element by element is of it, and no longer free to be anywhere.
      if (!goes_along(out, n)) return std::nullopt;
      if (out.kinds[n] == Kind::Free) out.kinds[n] = Kind::Element;
      out.members.insert(n);
    }
    std::vector<spec::DataType> types;
    for (const uint32_t n : out.rows) {
      const spec::DataType type = plan_.nodes[n].type;
      if (std::ranges::find(types, type) == types.end()) types.push_back(type);
    }
    if (out.axis) {
      const uint32_t size = out.shape[*out.axis];
      if (!fits_rows(size, types)) return std::nullopt;
      if (uint64_t{out.operators} * elements_of_invocation(size) > kMostOperators) return std::nullopt;
    }
    return out;
  }

  /// Members that something else reads.
  std::vector<uint32_t> stored(const Cluster& cluster) const {
    std::vector<uint32_t> out;
    for (const uint32_t n : cluster.members) {
      bool read = std::ranges::find(plan_.outputs, n) != plan_.outputs.end();
      if (const auto of = readers_.find(n); of != readers_.end()) {
        for (const uint32_t reader : of->second) read |= !is_in(cluster, reader);
      }
      if (read) out.push_back(n);
    }
    return out;
  }

  bool has_arrays(const Cluster& cluster) const {
    std::set<uint32_t> loaded;
    for (const uint32_t g : cluster.groups) {
      for (const uint32_t n : loads_[g]) {
        if (!is_in(cluster, group_of_[n]) || plan_.nodes[n].op == NodeOp::Parameter) loaded.insert(n);
      }
    }
    size_t arrays = loaded.size();
    for (const uint32_t n : stored(cluster))
      arrays += std::max<size_t>(1, size_t(std::ranges::count(plan_.outputs, n)));
    return arrays <= kMostArrays;
  }

  bool try_from(size_t at) {
    if (!may_begin(order_[at])) return false;
    std::optional<Cluster> cluster = joined({}, order_[at]);
    if (!cluster) return false;
    std::set<uint32_t> blocked;
    // What has joined so far and is whole: it has reductions, and fewer than 9 arrays.
    std::optional<Cluster> best;
    size_t best_end = at;
    for (size_t i = at + 1; i < order_.size() && i <= best_end + kMostAhead; ++i) {
      const uint32_t g = order_[i];
      bool reads = false, waits = false;
      for (const uint32_t n : loads_[g]) {
        if (plan_.nodes[n].op == NodeOp::Parameter || group_of_[n] == kNone) continue;
        reads |= is_in(*cluster, group_of_[n]);
        waits |= blocked.contains(group_of_[n]);
      }
      if (!reads && !waits) continue;
      auto next = waits ? std::nullopt : joined(*cluster, g);
      if (!next) {
        blocked.insert(g);
        continue;
      }
      cluster = std::move(next);
      if (cluster->rows.empty() || !has_arrays(*cluster)) continue;
      best = cluster;
      best_end = i;
    }
    if (!best) return false;
    replace(*best, at, best_end);
    return true;
  }

  bool may_begin(uint32_t g) const {
    const Group& group = plan_.groups[g];
    if (!group.rows.empty()) return false;
    if (group.core) return is_row(plan_.nodes[*group.core]);
    return !group.members.empty() && plan_.written[group.members.front()];
  }

  /// The cluster stands where its last group stood: before it what does not read of it, behind it what does.
  void replace(const Cluster& cluster, size_t begin, size_t end) {
    Group made;
    made.rows = cluster.rows;
    made.members = stored(cluster);
    made.count = elements(cluster.shape);
    made.operators = cluster.operators;
    for (const uint32_t n : cluster.members) plan_.written[n] = false;
    for (const uint32_t n : cluster.rows) plan_.written[n] = false;
    for (const uint32_t n : made.members) plan_.written[n] = true;
    std::vector<uint32_t> before, behind;
    std::set<uint32_t> later(cluster.groups.begin(), cluster.groups.end());
    for (size_t i = begin; i <= end; ++i) {
      const uint32_t g = order_[i];
      if (is_in(cluster, g)) continue;
      const bool reads = std::ranges::any_of(
          loads_[g], [&](uint32_t n) { return group_of_[n] != kNone && later.contains(group_of_[n]); });
      if (reads) later.insert(g);
      (reads ? behind : before).push_back(g);
    }
    const uint32_t g = cluster.groups.front();
    std::set<uint32_t> loaded;
    for (const uint32_t one : cluster.groups) {
      for (const uint32_t n : loads_[one]) {
        if (plan_.nodes[n].op == NodeOp::Parameter || !is_in(cluster, group_of_[n])) loaded.insert(n);
      }
    }
    loads_[g].assign(loaded.begin(), loaded.end());
    for (const uint32_t n : cluster.members) group_of_[n] = g;
    for (const uint32_t n : cluster.rows) group_of_[n] = g;
    plan_.groups[g] = std::move(made);
    std::vector<uint32_t> order(order_.begin(), order_.begin() + ptrdiff_t(begin));
    order.insert(order.end(), before.begin(), before.end());
    order.push_back(g);
    order.insert(order.end(), behind.begin(), behind.end());
    order.insert(order.end(), order_.begin() + ptrdiff_t(end) + 1, order_.end());
    order_ = std::move(order);
  }

  Plan& plan_;
  std::vector<uint32_t> group_of_, order_;
  std::vector<std::vector<uint32_t>> loads_;           // by group
  std::map<uint32_t, std::vector<uint32_t>> readers_;  // by node that is written: groups
};

}  // namespace

void join_rows(Plan& plan) { Joining(plan).run(); }

}  // namespace vyre::tensor
