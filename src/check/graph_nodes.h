// A graph under construction: nodes with their shapes, and what is said of those that do not fit together.
// Internal to check.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/body_checker.h"
#include "check/tensors.h"
#include "check/wording.h"
#include "spec/casts.h"
#include "spec/limits.h"
#include "spec/ops.h"

namespace vyre::check {

/// Graphs of a file, and what became of them.
struct GraphTable {
  const ir::Module& module;
  std::map<std::string_view, uint32_t> by_name;
  std::vector<std::optional<TensorGraph>> done;  // by number; none: it broke a rule, or was not reached
  size_t nodes = 0;                              // of all

  const ir::Graph* find(std::string_view name, uint32_t version, uint32_t& number) const {
    const auto found = by_name.find(name);
    if (found == by_name.end() || module.graphs[found->second].version != version) return nullptr;
    number = found->second;
    return &module.graphs[number];
  }
};

class GraphNodes {
 protected:
  using Shape = std::vector<Extent>;
  using Node = TensorNode<Extent>;
  using Expr = ir::Expr;
  using ExprKind = ir::ExprKind;
  using Op = spec::Op;
  using Symbol = ir::Symbol;
  using TensorCommand = ir::TensorCommand;
  using TensorOp = ir::TensorOp;
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kMaxFileNodes = spec::kMaxNodes;  // of all graphs of a file together
  /// What the elements of tensors may be.
  static constexpr spec::TypeSet kElements = spec::only(DataType::U32) | spec::only(DataType::I32) |
                                             spec::only(DataType::U64) | spec::only(DataType::Bool) |
                                             spec::kSmall | spec::kFloats;

  GraphNodes(const ir::Graph& graph, GraphTable& table, const spec::OpTable& ops, Report& report)
      : code_(graph.code),
        table_(table),
        report_(report),
        body_({graph.code, ir::kNoBlock, ops, {}, {}, nullptr, table.module.constants}, report) {}

  static bool is_element(DataType type) { return type != kUnknownType && kElements.contains(type); }
  static std::string count_of(size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  }
  /// An expression: its type is known even where something in it is wrong.
  struct Value {
    DataType type = kUnknownType;
    uint32_t node = kNone;
    Span span;
    bool known() const { return node != kNone; }
  };

  Diag& wrong(DiagCode code, Span span, std::string message, std::string help) {
    broken_ = true;
    return report_.add(code, span, std::move(message), std::move(help));
  }
  void malformed(Span span, std::string message) {
    broken_ = true;
    body_.malformed(span, std::move(message));
  }

  bool check_element(DataType type, Span span) {
    if (is_element(type)) return true;
    wrong(DiagCode::G017, span, fmt::format("a tensor of {}", spec::text(type)),
          fmt::format("elements are of {}", types_in(kElements)));
    return false;
  }

  void too_large_size(Span span) {
    wrong(DiagCode::G011, span, "a size that is too large to be spoken of",
          fmt::format("a size has at most {} terms of {} factors, and numbers of 64 bits", Extent::kMaxTerms,
                      Extent::kMaxFactors));
  }

  std::string text_of(const Node& node) const { return shape_text(node.type, node.shape); }
  std::string text_of(const Value& value) const { return text_of(made_.nodes[value.node]); }
  const Shape& shape_of(const Value& value) const { return made_.nodes[value.node].shape; }
  DiagNote this_is(const Value& value) const {
    return {value.span, fmt::format("this is {}", text_of(value))};
  }

  /// The node, or kNone after a report.
  uint32_t add(Node node) {
    if (made_.nodes.size() == kMaxGraphNodes || table_.nodes + made_.nodes.size() == kMaxFileNodes) {
      if (!full_) {
        wrong(DiagCode::G011, called_at_.value_or(node.span),
              made_.nodes.size() == kMaxGraphNodes
                  ? fmt::format("more than {} operations with all calls inlined", kMaxGraphNodes)
                  : fmt::format("more than {} operations in all graphs of the file", kMaxFileNodes),
              "split the graph and run its parts one after the other");
      }
      full_ = true;
      return kNone;
    }
    const auto operand =
        node.operands.empty() ? std::span<const Extent>() : std::span(made_.nodes[node.operands[0]].shape);
    if (auto fault = find_fault(node, operand)) {
      add_fault(std::move(*fault), node);
      return kNone;
    }
    made_.nodes.push_back(std::move(node));
    return uint32_t(made_.nodes.size() - 1);
  }

  void add_fault(Diag fault, const Node& node) {
    if (called_at_ && node.span != *called_at_) {
      Diag& diag = wrong(fault.code, *called_at_, fmt::format("in {}: {}", quoted(called_), fault.message),
                         std::move(fault.help));
      diag.notes.push_back({node.span, "here"});
      return;
    }
    wrong(fault.code, fault.span, std::move(fault.message), std::move(fault.help));
  }

  Value made(Node node) {
    Value out{node.type, kNone, node.span};
    out.node = add(std::move(node));
    return out;
  }

  /// The node with its elements cast.
  uint32_t cast(uint32_t node, DataType to, spec::RoundingMode mode, Span span) {
    if (node == kNone || made_.nodes[node].type == to) return node;
    Node made = {.op = NodeOp::Apply,
                 .type = to,
                 .shape = made_.nodes[node].shape,
                 .operands = {node},
                 .scalar = Op::Cast,
                 .mode = mode,
                 .span = span};
    return add(std::move(made));
  }

  /// The value with this shape, which it fits.
  uint32_t stretched(uint32_t node, const Shape& shape, Span span) {
    if (made_.nodes[node].shape == shape) return node;
    return add({.op = NodeOp::Broadcast,
                .type = made_.nodes[node].type,
                .shape = shape,
                .operands = {node},
                .span = span});
  }

  /// What shapes are stretched to together; none: they do not fit.
  static std::optional<Shape> together(const Shape& a, const Shape& b) {
    Shape out(std::max(a.size(), b.size()));
    for (size_t i = 0; i < out.size(); ++i) {
      // From the right.
      const Extent x = i < a.size() ? a[a.size() - 1 - i] : Extent(1);
      const Extent y = i < b.size() ? b[b.size() - 1 - i] : Extent(1);
      if (x != y && x != Extent(1) && y != Extent(1)) return std::nullopt;
      out[out.size() - 1 - i] = x == Extent(1) ? y : x;
    }
    return out;
  }

  /// The shape of an operator's result, or none after G001.
  std::optional<Shape> together(const std::vector<Value>& operands, Span span) {
    Shape shape;
    const Value* widest = nullptr;  // the operand that last decided
    for (const Value& operand : operands) {
      const auto wider = together(shape, shape_of(operand));
      if (!wider) {
        Diag& diag =
            wrong(DiagCode::G001, span,
                  fmt::format("{} and {} do not fit together", text_of(*widest), text_of(operand)),
                  "sizes are equal or 1 from the right on; add axes of size 1 with reshape(t, [...])");
        diag.notes.push_back(this_is(*widest));
        diag.notes.push_back(this_is(operand));
        return std::nullopt;
      }
      if (*wider != shape || widest == nullptr) widest = &operand;
      shape = *wider;
    }
    return shape;
  }

  const ir::Code& code_;
  GraphTable& table_;
  Report& report_;
  BodyChecker body_;
  TensorGraph made_;
  bool broken_ = false;
  bool full_ = false;
  std::optional<Span> called_at_;  // the call whose nodes are being added
  std::string called_;
};

}  // namespace vyre::check
