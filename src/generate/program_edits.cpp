#include "generate/program_edits.h"

#include <algorithm>
#include <array>
#include <bit>

#include "ir/copier.h"
#include "spec/ops.h"

namespace vyre::generate {
namespace {

using check::VarId;
using ir::BlockId;
using ir::Code;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;
using ir::Program;

/// A copy with one edit.
class Rewriter final : public ir::Copier {
 public:
  Rewriter(const check::Checked& checked, const Edit& edit)
      : Copier(checked.program()), resolution_(checked.resolution()), edit_(edit) {
    if (edit.kind != Edit::Kind::Inline && edit.kind != Edit::Kind::Forward) return;
    variable_ = resolution_.variable(edit.node);
    value_ = from_.code.arg(from_.code[edit.node], 0);
  }

 private:
  void statements(BlockId id, std::vector<NodeId>& out) override {
    size_t dropped = 0;
    for (const NodeId node : from_.code.block(id)) {
      if (node == edit_.node && edit_.kind == Edit::Kind::Drop) dropped = edit_.count;
      if (dropped > 0) {
        --dropped;
      } else {
        statement(node, out);
      }
    }
  }
  void statement(NodeId id, std::vector<NodeId>& out) override {
    if (id == edit_.node) {
      const Node node = from_.code[id];
      switch (edit_.kind) {
        case Edit::Kind::KeepBody: keep(node, node.body, out); return;
        case Edit::Kind::KeepElse: keep(node, node.orelse, out); return;
        case Edit::Kind::Flatten: statements(node.body, out); return;
        case Edit::Kind::Inline:
        case Edit::Kind::Forward: substitutes_ = true; return;
        case Edit::Kind::Drop:
        case Edit::Kind::Replace:
        case Edit::Kind::Literal: break;
      }
    }
    Copier::statement(id, out);
  }
  /// The statements of a block in place of the construct around it, as a block of their own; a loop's
  /// variable becomes a let of the first value.
  void keep(const Node& node, BlockId body, std::vector<NodeId>& out) {
    std::vector<NodeId> inner;
    if (node.kind == NodeKind::Loop) {
      const ExprId from = expr(from_.code.arg(node, 0));
      add({.kind = NodeKind::Let, .symbol = symbol(node.symbol)}, {{from}}, inner);
    }
    if (body != ir::kNoBlock) statements(body, inner);
    add({.kind = NodeKind::Block, .body = code_.add_block(inner)}, {}, out);
  }

  ExprId expr(ExprId id) override {
    if (id == edit_.expr && edit_.kind == Edit::Kind::Replace) return expr(edit_.by);
    if (id == edit_.expr && edit_.kind == Edit::Kind::Literal)
      return literal({.kind = ExprKind::Literal, .type = edit_.type}, {edit_.bits, 0, 0, 0});
    if (substitutes_ && from_.code[id].kind == ExprKind::Var && resolution_.variable(id) == variable_) {
      substitutes_ = false;  // what the value says of the variable is what it was before
      const ExprId value = expr(value_);
      substitutes_ = true;
      return value;
    }
    return Copier::expr(id);
  }

  const check::Resolution& resolution_;
  const Edit& edit_;
  VarId variable_{UINT32_MAX};  // Inline, Forward
  ExprId value_{UINT32_MAX};    // Inline, Forward
  bool substitutes_ = false;    // from the edit's node on
};

class Edits {
 public:
  Edits(const check::Checked& checked, bool alone)
      : program_(checked.program()),
        checked_(checked),
        alone_(alone),
        uses_(checked.resolution().variables.size()) {
    for (uint32_t k = 0; k < code().exprs.size(); ++k) {
      // An expression that no statement has is about no variable.
      const auto variable = check::index(checked.resolution().variable(ExprId{k}));
      if (code().exprs[k].kind == ExprKind::Var && variable < uses_.size()) ++uses_[variable];
    }
    walk(program_.entry, nodes_);
  }

  std::vector<Edit> run() {
    keeps_barriers_ = !alone_ && has_shared_buffers();
    drops();
    for (const NodeId id : nodes_) constructs(id);
    for (const NodeId id : nodes_) substitutions(id);
    for (const NodeId id : nodes_) expressions(id);
    return std::move(list_);
  }

 private:
  const Code& code() const { return program_.code; }

  /// Whether barriers keep invocations apart: only shared buffers need them.
  bool has_shared_buffers() const {
    return std::ranges::any_of(program_.buffers, [&](const ir::BufferDecl& b) {
      return b.access == ir::BufferAccess::Workgroup || code().name(b.name).starts_with('g');
    });
  }
  /// Whether an index decides who owns what: then it stays.
  bool index_is_ownership(check::BufferId id) const {
    const ir::BufferAccess access = checked_.buffer(id).access;
    return !alone_ && (access == ir::BufferAccess::ReadWrite || access == ir::BufferAccess::Workgroup);
  }

  void walk(BlockId block, std::vector<NodeId>& out) {
    if (block == ir::kNoBlock) return;
    blocks_.push_back(block);
    for (const NodeId id : code().block(block)) {
      out.push_back(id);
      walk(code()[id].body, out);
      walk(code()[id].orelse, out);
    }
  }
  bool contains_barrier(BlockId block) const {
    if (block == ir::kNoBlock) return false;
    return std::ranges::any_of(code().block(block), [&](NodeId id) {
      const Node node = code()[id];
      return node.kind == NodeKind::Barrier || contains_barrier(node.body) || contains_barrier(node.orelse);
    });
  }
  bool touches_memory(ExprId id) const {
    const Expr& e = code()[id];
    const bool touches = e.kind == ExprKind::Load ||
                         (e.kind == ExprKind::Apply && (spec::is_atomic(e.op) || spec::is_reduction(e.op)));
    return touches || std::ranges::any_of(code().args(e), [&](ExprId arg) { return touches_memory(arg); });
  }
  bool touches_memory(NodeId id) const {
    const Node node = code()[id];
    if (node.kind == NodeKind::Store || node.body != ir::kNoBlock || node.kind == NodeKind::Return)
      return true;
    return std::ranges::any_of(code().args(node), [&](ExprId arg) { return touches_memory(arg); });
  }

  /// Whether nothing in the way from the barrier reaches another one, or the program's end, and touches
  /// memory.
  template <typename Range>
  bool is_idle(const Range& beyond) const {
    for (const NodeId id : beyond) {
      if (code()[id].kind == NodeKind::Barrier) return true;
      if (touches_memory(id)) return false;
    }
    return false;
  }
  bool is_needless_barrier(BlockId block, size_t at) const {
    const auto nodes = code().block(block);
    const auto before = nodes.first(at), after = nodes.subspan(at + 1);
    const std::vector<NodeId> backwards(before.rbegin(), before.rend());
    if (is_idle(backwards) || is_idle(after)) return true;
    const auto touches = [&](NodeId id) { return touches_memory(id); };
    return block == program_.entry &&
           (std::ranges::none_of(before, touches) || std::ranges::none_of(after, touches));
  }
  /// What a block leaves behind may be another phase; ifs and loops end in the one in which they began.
  bool may_drop(BlockId block, size_t at) const {
    if (!keeps_barriers_) return true;
    const Node node = code()[code().block(block)[at]];
    if (node.kind == NodeKind::Barrier) return is_needless_barrier(block, at);
    return node.kind != NodeKind::Block || !contains_barrier(node.body);
  }

  /// Runs of statements, the longest first: outer blocks stand before what they contain.
  void drops() {
    for (size_t length = 64; length >= 1; length /= 2) {
      for (const BlockId block : blocks_) {
        const size_t n = code().block(block).size();
        for (size_t at = 0; at + length <= n; at += length) {
          bool may = true;
          // Two barriers that each could go need not be able to go together.
          for (size_t k = at; k < at + length; ++k) {
            may =
                may && may_drop(block, k) &&
                (length == 1 || !keeps_barriers_ || code()[code().block(block)[k]].kind != NodeKind::Barrier);
          }
          if (may)
            list_.push_back(
                {.kind = Edit::Kind::Drop, .node = code().block(block)[at], .count = uint32_t(length)});
        }
      }
    }
  }

  void constructs(NodeId id) {
    const Node node = code()[id];
    if (node.kind == NodeKind::Block) {
      list_.push_back({.kind = Edit::Kind::Flatten, .node = id});
    } else if (node.body != ir::kNoBlock) {
      list_.push_back({.kind = Edit::Kind::KeepBody, .node = id});
    }
    if (node.orelse != ir::kNoBlock) list_.push_back({.kind = Edit::Kind::KeepElse, .node = id});
  }

  size_t size_of(ExprId id) const {
    size_t n = 1;
    for (const ExprId arg : code().args(code()[id])) n += size_of(arg);
    return n;
  }
  /// Values move past other statements, so they must not touch what others write.
  void substitutions(NodeId id) {
    constexpr size_t kMostCopies = 16;  // expressions that come of it
    const Node node = code()[id];
    if (node.kind != NodeKind::Let && node.kind != NodeKind::Assign) return;
    const ExprId value = code().arg(node, 0);
    const size_t uses = uses_[check::index(checked_.resolution().variable(id))];
    if (!alone_ && touches_memory(value)) return;
    if (uses > 1 && uses * size_of(value) > kMostCopies) return;
    const bool assigned =
        checked_.resolution().variables[check::index(checked_.resolution().variable(id))].assigned;
    if (node.kind == NodeKind::Assign) {
      list_.push_back({.kind = Edit::Kind::Forward, .node = id});
    } else if (!assigned) {
      list_.push_back({.kind = Edit::Kind::Inline, .node = id});
    }
  }

  void expressions(NodeId id) {
    const Node node = code()[id];
    const auto args = code().args(node);
    // The identities are what ownership is made of.
    const std::string_view name = code().name(node.symbol);
    if (!alone_ && node.kind == NodeKind::Let && (name == "own" || name == "slot" || name == "group")) return;
    for (size_t i = 0; i < args.size(); ++i) {
      if (!alone_ && node.kind == NodeKind::Store && i + 1 < args.size()) continue;  // indices
      if (node.kind == NodeKind::Loop) {
        // An operand may be far larger than what bounded the loop.
        for (uint32_t bits = 0; bits < 3; ++bits) literal(args[i], bits);
      } else {
        simplify(args[i]);
      }
    }
  }
  /// A literal only becomes a smaller one, or edits would take turns for ever.
  void literal(ExprId id, uint32_t bits) {
    const Expr& e = code()[id];
    if (e.kind == ExprKind::Literal) {
      const std::array<uint32_t, 4> now = code().literal_bits(e);
      if (now[0] <= bits && now[1] == 0 && now[2] == 0 && now[3] == 0) return;
    }
    list_.push_back(
        {.kind = Edit::Kind::Literal, .expr = id, .bits = bits, .type = checked_.resolution().type(id)});
  }
  /// Of a constant, those that are smaller and say more: small ones, its highest bit, half of it.
  void smaller_constants(ExprId id) {
    const Expr& e = code()[id];
    if (e.kind != ExprKind::Literal || spec::info(e.type).bytes > 4) return;
    const uint32_t bits = code().literal_bits(e)[0];
    for (const uint32_t smaller : {2u, 3u, 7u, 31u, 32u, std::bit_floor(bits), bits / 2}) {
      if (smaller < bits && smaller > 1) literal(id, smaller);
    }
  }
  void simplify(ExprId id) {
    const Expr& e = code()[id];
    literal(id, 0);
    literal(id, 1);
    smaller_constants(id);
    const bool atomic = e.kind == ExprKind::Apply && spec::is_atomic(e.op);
    const bool fold = e.kind == ExprKind::Apply && spec::is_reduction(e.op);
    if (fold && index_is_ownership(checked_.resolution().buffer(id))) return;  // and so is a range
    const auto args = code().args(e);
    for (size_t i = 0; i < args.size(); ++i) {
      const bool same_type = checked_.resolution().type(args[i]) == checked_.resolution().type(id);
      const bool is_index = e.kind == ExprKind::Load || (i == 0 && atomic);
      if (same_type && (alone_ || !is_index))
        list_.push_back({.kind = Edit::Kind::Replace, .expr = id, .by = args[i]});
      if (is_index && index_is_ownership(checked_.resolution().buffer(id))) continue;
      simplify(args[i]);
    }
  }

  const Program& program_;
  const check::Checked& checked_;
  const bool alone_;
  bool keeps_barriers_ = false;
  std::vector<size_t> uses_;     // by VarId
  std::vector<NodeId> nodes_;    // in the order of the text
  std::vector<BlockId> blocks_;  // the same
  std::vector<Edit> list_;
};

}  // namespace

Program apply(const check::Checked& checked, const Edit& edit) { return Rewriter(checked, edit).run(); }

std::vector<Edit> edits_of(const check::Checked& checked, bool alone) { return Edits(checked, alone).run(); }

}  // namespace vyre::generate
