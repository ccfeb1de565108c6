#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "host/drawing.h"
#include "spec/ops.h"
#include "tensor/nodes.h"
#include "tensor/plan.h"
#include "text/text.h"

namespace vyre::host {
namespace {

using check::Extent;
using check::NodeOp;

std::string text_of(const Extent& size) { return size.text(); }
std::string text_of(uint32_t size) { return fmt::format("{}", size); }

/// What is drawn: nodes, what they are called at both ends, and the kernels that compute them, if those are
/// known.
template <typename Size>
struct Subject {
  std::string name;
  std::string sizes;  // "at b = 2", or nothing
  const std::vector<check::TensorNode<Size>>& nodes;
  std::vector<std::pair<std::string, uint32_t>> parameters, outputs;
  std::vector<std::pair<uint32_t, std::string>> names = {};  // of nodes, in the text
  /// By node: its kernel; none where it is computed within several, or within none that is known.
  std::vector<std::optional<uint32_t>> kernel;
  std::vector<bool> written;  // by node, where kernels are known: to memory
  uint32_t kernels = 0;
};

template <typename Size>
class GraphDrawing {
 public:
  explicit GraphDrawing(const Subject<Size>& subject) : subject_(subject) {}

  std::string draw() {
    line("digraph \"{}\" {{", subject_.name);
    line("  graph [label=\"graph {}{}\", labelloc=t, fontname=\"sans-serif\", fontsize=12];", subject_.name,
         subject_.sizes);
    line("  node [fontname=\"sans-serif\", fontsize=11];");
    line("  edge [fontname=\"sans-serif\", fontsize=10];");
    for (const auto& [name, node] : subject_.parameters)
      line("  n{} [shape=box, style=filled, fillcolor=\"#dbe9f6\", label=\"{}\\n{}\"];", node, name,
           type(node));
    for (uint32_t i = 0; i < subject_.nodes.size(); ++i)
      if (is_drawn(i) && !kernel(i)) draw_node(i, 1);
    for (uint32_t k = 0; k < subject_.kernels; ++k) draw_kernel(k);
    for (size_t i = 0; i < subject_.outputs.size(); ++i) {
      const auto& [name, node] = subject_.outputs[i];
      line("  y{} [shape=box, style=filled, fillcolor=\"#e3f4e1\", label=\"{}\\n{}\"];", i, name, type(node));
      draw_edge(node, fmt::format("y{}", i));
    }
    out_ += edges_;
    line("}}");
    return std::move(out_);
  }

 private:
  using Node = check::TensorNode<Size>;

  template <typename... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
    out_ += '\n';
  }

  const Node& node(uint32_t i) const { return subject_.nodes[i]; }
  std::optional<uint32_t> kernel(uint32_t i) const {
    return subject_.kernel.empty() ? std::nullopt : subject_.kernel[i];
  }
  std::string type(uint32_t i) const { return check::shape_text(node(i).type, node(i).shape); }

  /// A number that is the same everywhere stands in the label of what takes it, and what stretches a tensor
  /// is its edge.
  static bool is_drawn(NodeOp op) {
    return op != NodeOp::Parameter && op != NodeOp::Literal && op != NodeOp::Broadcast;
  }
  bool is_drawn(uint32_t i) const { return is_drawn(node(i).op); }
  uint32_t before_broadcasts(uint32_t i) const {
    while (node(i).op == NodeOp::Broadcast) i = node(i).operands[0];
    return i;
  }

  std::string list(std::span<const Size> sizes) const {
    std::string out;
    for (const Size& size : sizes) out += fmt::format("{}{}", out.empty() ? "" : ", ", text_of(size));
    return out;
  }

  std::string_view name_of(spec::Op op) const {
    if (op == spec::Op::AtomicMin) return "min";
    return op == spec::Op::AtomicMax ? "max" : spec::mnemonic(op);
  }

  std::string title(const Node& n) const {
    if (n.op == NodeOp::Apply) return std::string(name_of(n.scalar));
    if (n.op == NodeOp::Call) return n.operation->id;
    const ir::TensorOpInfo* const op = check::tensor_op(n.op);
    if (op == nullptr) return {};
    if (op->list == ir::TensorList::CalleeAxis) return fmt::format("{} {}", op->text, n.operation->id);
    if (op->list != ir::TensorList::FoldAxis) return std::string(op->text);
    return fmt::format("{} {}{}", op->text, name_of(n.scalar),
                       n.order == ir::Order::None     ? ""
                       : n.order == ir::Order::Strict ? " strict"
                                                      : " tree");
  }

  /// Its other operands.
  std::string details(const Node& n) const {
    using enum ir::TensorList;
    const ir::TensorOpInfo* const op = check::tensor_op(n.op);
    if (op == nullptr) return {};
    switch (op->list) {
      case Axes: return fmt::format("axes {}", fmt::join(n.axes, ", "));
      case Ranges: return steps(n);
      case Pads: return pads(n);
      case Product: return n.block == ir::kWholeBlock ? "" : fmt::format("blocks of {}", n.block);
      case CountAxis: return fmt::format("{} of axis {}", list(n.sizes), n.axis);
      case Axis:
      case SizesAxis:
      case FoldAxis:
      case CalleeAxis: return fmt::format("axis {}", n.axis);
      case Nothing:
      case Sizes: return {};
    }
    return {};
  }
  std::string steps(const Node& n) const {
    std::string out;
    for (size_t i = 0; i + 2 < n.sizes.size(); i += 3) {
      const std::string step = text_of(n.sizes[i + 2]);
      out += fmt::format("{}{}..{}{}", i == 0 ? "" : ", ", text_of(n.sizes[i]), text_of(n.sizes[i + 1]),
                         step == "1" ? "" : " step " + step);
    }
    return out;
  }
  std::string pads(const Node& n) const {
    std::string out;
    for (size_t i = 0; i + 1 < n.sizes.size(); i += 2)
      out += fmt::format("{}{}..{}", i == 0 ? "" : ", ", text_of(n.sizes[i]), text_of(n.sizes[i + 1]));
    return out;
  }

  /// Operands in their order, where some are numbers: "(_, 0.5)".
  std::string numbers(const Node& n) const {
    std::string out;
    bool any = false;
    for (const uint32_t operand : n.operands) {
      const Node& source = node(before_broadcasts(operand));
      const bool number = source.op == NodeOp::Literal;
      any = any || number;
      const bool symbolic = number && !source.sizes.empty();
      out += fmt::format("{}{}", out.empty() ? "" : ", ",
                         !number    ? "_"
                         : symbolic ? list(source.sizes)
                                    : text::print_literal(source.type, source.bits));
    }
    return any ? fmt::format("({})", out) : "";
  }

  void draw_node(uint32_t i, size_t depth) {
    const Node& n = node(i);
    const std::string more = details(n);
    const bool heavy = tensor::has_kernel(n.op);
    const bool stays = !subject_.written.empty() && !subject_.written[i];
    std::string name;
    for (const auto& [named, text] : subject_.names)
      if (named == i && name.empty()) name = text + " = ";
    line("{}n{} [shape=box, style=\"rounded,filled\", fillcolor=\"{}\"{}, label=\"{}{}{}\\n{}{}\"];",
         std::string(2 * depth, ' '), i, heavy ? "#fde9c9" : "#ffffff", stays ? ", color=\"#aaaaaa\"" : "",
         name, title(n), numbers(n), more.empty() ? "" : more + "\\n", type(i));
    for (const uint32_t operand : n.operands) draw_edge(operand, fmt::format("n{}", i));
  }

  /// From what gives a value to what takes it; dashed where it is stretched.
  void draw_edge(uint32_t from, const std::string& to) {
    const uint32_t source = before_broadcasts(from);
    if (node(source).op == NodeOp::Literal) return;
    fmt::format_to(std::back_inserter(edges_), "  n{} -> {}{};\n", source, to,
                   source == from ? "" : " [style=dashed]");
  }

  void draw_kernel(uint32_t k) {
    line("  subgraph \"cluster_{}\" {{", k);
    line("    graph [label=\"kernel {}\", labeljust=l, style=rounded, color=\"#888888\", fontsize=11];",
         k + 1);
    bool empty = true;
    for (uint32_t i = 0; i < subject_.nodes.size(); ++i) {
      if (kernel(i) != k || !is_drawn(i)) continue;
      draw_node(i, 2);
      empty = false;
    }
    if (empty) line("    e{} [shape=point, style=invis];", k);  // an empty box is not drawn
    line("  }}");
  }

  const Subject<Size>& subject_;
  std::string out_, edges_;
};

/// By node, the kernel that it is computed in, where it is one: what is not written belongs to who reads it.
std::vector<std::optional<uint32_t>> kernels_of(const tensor::Plan& plan) {
  std::vector<std::set<uint32_t>> in(plan.nodes.size());
  for (uint32_t k = 0; k < plan.groups.size(); ++k) {
    for (const uint32_t member : plan.groups[k].members) in[member].insert(k);
    if (plan.groups[k].core) in[*plan.groups[k].core].insert(k);
  }
  for (size_t i = plan.nodes.size(); i-- > 0;) {
    for (const uint32_t operand : plan.nodes[i].operands)
      if (!plan.written[operand]) in[operand].insert(in[i].begin(), in[i].end());
  }
  std::vector<std::optional<uint32_t>> out(plan.nodes.size());
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i].size() == 1 && plan.nodes[i].op != NodeOp::Parameter) out[i] = *in[i].begin();
  return out;
}

}  // namespace

std::string draw_graph(const check::TensorGraph& graph) {
  Subject<Extent> subject = {.name = graph.name, .sizes = "", .nodes = graph.nodes};
  for (const auto& p : graph.parameters) subject.parameters.emplace_back(p.name, p.node);
  for (const auto& o : graph.outputs) subject.outputs.emplace_back(o.name, o.node);
  for (const auto& named : graph.named)  // what was nested in an expression has no name in the text
    if (!named.name.starts_with('#')) subject.names.emplace_back(named.node, named.name);
  return GraphDrawing(subject).draw();
}

std::string draw_graph(const check::SizedGraph& graph, const check::Dimensions& dimensions) {
  const tensor::Plan plan = tensor::plan(graph);
  Subject<uint32_t> subject = {.name = graph.name, .sizes = "", .nodes = plan.nodes};
  for (const auto& [name, size] : dimensions)
    subject.sizes += fmt::format("{}{} = {}", subject.sizes.empty() ? " at " : ", ", name, size);
  for (uint32_t i = 0; i < plan.nodes.size(); ++i)
    if (plan.nodes[i].op == NodeOp::Parameter)
      subject.parameters.emplace_back(graph.parameters[plan.nodes[i].number].name, i);
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    subject.outputs.emplace_back(graph.outputs[i].name, plan.outputs[i]);
  subject.kernel = kernels_of(plan);
  subject.written = plan.written;
  subject.kernels = uint32_t(plan.groups.size());
  return GraphDrawing(subject).draw();
}

}  // namespace vyre::host
