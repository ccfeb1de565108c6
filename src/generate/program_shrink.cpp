#include <algorithm>
#include <optional>

#include "check/checked.h"
#include "generate/programs.h"

namespace vyre::generate {
namespace {

using ir::BlockId;
using ir::Code;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;
using ir::Program;

/// One change to a program.
struct Edit {
  enum class Kind : uint8_t { DropNode, KeepBody, KeepElse, Replace, Literal } kind{};
  NodeId node{UINT32_MAX};
  ExprId expr{UINT32_MAX};
  ExprId by{UINT32_MAX};  // Replace: an operand of expr
  uint32_t bits = 0;      // Literal
  ir::DataType type{};    // Literal
};

/// Copies a program with one edit. Generated programs nest a few levels deep, so this recurses.
class Rewriter {
 public:
  Rewriter(const Program& from, const Edit& edit) : from_(from), edit_(edit) {}

  Program run() {
    Program out;
    out.name = from_.name;
    out.workgroup_size = from_.workgroup_size;
    for (ir::BufferDecl buffer : from_.buffers) {
      buffer.name = symbol(buffer.name);
      out.buffers.push_back(buffer);
    }
    out.entry = block(from_.entry);
    out.code = std::move(code_);
    return out;
  }

 private:
  ir::Symbol symbol(ir::Symbol s) { return s == ir::kNoSymbol ? s : code_.intern(from_.code.name(s)); }

  BlockId block(BlockId id) {
    if (id == ir::kNoBlock) return id;
    std::vector<NodeId> nodes;
    statements(id, nodes);
    return code_.add_block(nodes);
  }
  void statements(BlockId id, std::vector<NodeId>& out) {
    for (const NodeId node : from_.code.block(id)) statement(node, out);
  }
  void statement(NodeId id, std::vector<NodeId>& out) {
    const Node& node = from_.code[id];
    if (id == edit_.node) {
      switch (edit_.kind) {
        case Edit::Kind::DropNode: return;
        case Edit::Kind::KeepBody: keep(node, node.body, out); return;
        case Edit::Kind::KeepElse: keep(node, node.orelse, out); return;
        case Edit::Kind::Replace:
        case Edit::Kind::Literal: break;
      }
    }
    std::vector<ExprId> args;
    for (const ExprId arg : from_.code.args(node)) args.push_back(expr(arg));
    Node copy = node;
    copy.symbol = symbol(node.symbol);
    copy.body = block(node.body);
    copy.orelse = block(node.orelse);
    out.push_back(code_.add(copy, args, Span::none()));
  }
  /// The statements of a block in place of the construct around it, as a block of their own; a loop's
  /// variable becomes a let of the first value.
  void keep(const Node& node, BlockId body, std::vector<NodeId>& out) {
    std::vector<NodeId> inner;
    if (node.kind == NodeKind::Loop) {
      const ExprId from = expr(from_.code.arg(node, 0));
      inner.push_back(
          code_.add(Node{.kind = NodeKind::Let, .symbol = symbol(node.symbol)}, {{from}}, Span::none()));
    }
    if (body != ir::kNoBlock) statements(body, inner);
    const BlockId id = code_.add_block(inner);
    out.push_back(code_.add(Node{.kind = NodeKind::Block, .body = id}, {}, Span::none()));
  }

  ExprId expr(ExprId id) {
    if (id == edit_.expr && edit_.kind == Edit::Kind::Replace) return expr(edit_.by);
    if (id == edit_.expr && edit_.kind == Edit::Kind::Literal) {
      return code_.add(Expr{.kind = ExprKind::Literal, .type = edit_.type, .immediate = edit_.bits}, {},
                       Span::none());
    }
    const Expr& e = from_.code[id];
    std::vector<ExprId> args;
    for (const ExprId arg : from_.code.args(e)) args.push_back(expr(arg));
    Expr copy = e;
    copy.symbol = symbol(e.symbol);
    return code_.add(copy, args, Span::none());
  }

  const Program& from_;
  const Edit& edit_;
  Code code_;
};

/// Every edit of a program that keeps the disciplines of programs.h, large cuts first.
class Edits {
 public:
  Edits(const check::Checked& checked) : program_(checked.program()), checked_(checked) { collect(); }
  std::vector<Edit> list;

 private:
  const Code& code() const { return program_.code; }

  /// Whether barriers keep anybody apart: only shared buffers need them.
  bool has_shared_buffers() const {
    return std::ranges::any_of(program_.buffers, [&](const ir::BufferDecl& b) {
      return b.access == ir::BufferAccess::Workgroup || code().name(b.name).starts_with('g');
    });
  }
  /// Whether an index decides who owns what: then it stays.
  bool index_is_ownership(check::BufferId id) const {
    const ir::BufferAccess access = checked_.buffer(id).access;
    return access == ir::BufferAccess::ReadWrite || access == ir::BufferAccess::Workgroup;
  }

  void collect() {
    const bool keep_barriers = has_shared_buffers();
    std::vector<NodeId> nodes;
    walk(program_.entry, nodes);
    // Outer statements stand before what they contain, so the first edits cut the most.
    for (const NodeId id : nodes) {
      const Node& node = code()[id];
      // What a block leaves behind may be another phase; ifs and loops end in the one in which they began.
      if (keep_barriers &&
          (node.kind == NodeKind::Barrier || (node.kind == NodeKind::Block && contains_barrier(node.body)))) {
        continue;
      }
      list.push_back({.kind = Edit::Kind::DropNode, .node = id});
    }
    for (const NodeId id : nodes) {
      const Node& node = code()[id];
      if (node.body != ir::kNoBlock && node.kind != NodeKind::Block) {
        list.push_back({.kind = Edit::Kind::KeepBody, .node = id});
      }
      if (node.orelse != ir::kNoBlock) list.push_back({.kind = Edit::Kind::KeepElse, .node = id});
    }
    for (const NodeId id : nodes) {
      const Node& node = code()[id];
      const auto args = code().args(node);
      // The identities are what ownership is made of.
      const std::string_view name = code().name(node.symbol);
      if (node.kind == NodeKind::Let && (name == "own" || name == "slot" || name == "group")) continue;
      for (size_t i = 0; i < args.size(); ++i) {
        if (node.kind == NodeKind::Store && i == 0) continue;
        if (node.kind == NodeKind::Loop) {
          // An operand may be far larger than what bounded the loop.
          for (uint32_t bits = 0; bits < 3; ++bits) literal(args[i], bits);
        } else {
          simplify(args[i]);
        }
      }
    }
  }
  void walk(BlockId block, std::vector<NodeId>& out) {
    if (block == ir::kNoBlock) return;
    for (const NodeId id : code().block(block)) {
      out.push_back(id);
      walk(code()[id].body, out);
      walk(code()[id].orelse, out);
    }
  }
  bool contains_barrier(BlockId block) const {
    if (block == ir::kNoBlock) return false;
    return std::ranges::any_of(code().block(block), [&](NodeId id) {
      const Node& node = code()[id];
      return node.kind == NodeKind::Barrier || contains_barrier(node.body) || contains_barrier(node.orelse);
    });
  }
  void literal(ExprId id, uint32_t bits) {
    const Expr& e = code()[id];
    if (e.kind == ExprKind::Literal && e.immediate <= bits) return;
    list.push_back(
        {.kind = Edit::Kind::Literal, .expr = id, .bits = bits, .type = checked_.resolution().type(id)});
  }
  void simplify(ExprId id) {
    const Expr& e = code()[id];
    literal(id, 0);
    literal(id, 1);
    const bool atomic = e.kind == ExprKind::Apply && spec::is_atomic(e.op);
    const auto args = code().args(e);
    for (size_t i = 0; i < args.size(); ++i) {
      const bool same_type = checked_.resolution().type(args[i]) == checked_.resolution().type(id);
      const bool is_index = i == 0 && (e.kind == ExprKind::Load || atomic);
      if (same_type && !is_index) list.push_back({.kind = Edit::Kind::Replace, .expr = id, .by = args[i]});
      if (is_index && index_is_ownership(checked_.resolution().buffer(id))) continue;
      simplify(args[i]);
    }
  }

  const Program& program_;
  const check::Checked& checked_;
};

class ProgramShrinker {
 public:
  ProgramShrinker(const spec::OpTable& ops, const ProgramFails& fails, size_t budget)
      : ops_(ops), fails_(fails), left_(budget) {}

  ProgramCase run(ProgramCase best) {
    shrink_groups(best);
    for (bool changed = true; changed && left_ > 0;) {
      changed = shrink_code(best);
      changed |= shrink_groups(best);
      changed |= drop_buffers(best);
      changed |= shrink_contents(best);
    }
    return best;
  }

 private:
  bool accepts(ProgramCase candidate, ProgramCase& best) {
    if (left_ == 0) return false;
    if (!check::check(candidate.program, ops_)) return false;
    --left_;
    if (!fails_(candidate)) return false;
    best = std::move(candidate);
    return true;
  }

  /// One pass over the edits; after an accepted one the list is made anew and the pass goes on where it was.
  bool shrink_code(ProgramCase& best) {
    bool any = false;
    size_t at = 0;
    while (left_ > 0) {
      const auto checked = check::check(best.program, ops_);
      if (!checked) return any;
      const std::vector<Edit> edits = Edits(*checked).list;
      bool accepted = false;
      while (at < edits.size() && !accepted && left_ > 0) {
        ProgramCase candidate = best;
        candidate.program = Rewriter(best.program, edits[at]).run();
        accepted = accepts(std::move(candidate), best);
        if (!accepted) ++at;
      }
      any |= accepted;
      if (!accepted) return any;
    }
    return any;
  }

  bool shrink_groups(ProgramCase& best) {
    bool any = false;
    for (uint32_t layout::Groups::* axis : {&layout::Groups::x, &layout::Groups::y, &layout::Groups::z}) {
      for (uint32_t count : {1u, best.groups.*axis / 2, best.groups.*axis - 1}) {
        if (count == 0 || count >= best.groups.*axis) continue;
        ProgramCase candidate = best;
        candidate.groups.*axis = count;
        any |= accepts(std::move(candidate), best);
      }
    }
    for (size_t axis = 0; axis < 3; ++axis) {
      for (uint32_t size :
           {1u, best.program.workgroup_size[axis] / 2, best.program.workgroup_size[axis] - 1}) {
        if (size == 0 || size >= best.program.workgroup_size[axis]) continue;
        ProgramCase candidate = best;
        candidate.program.workgroup_size[axis] = size;
        any |= accepts(std::move(candidate), best);
      }
    }
    return any;
  }

  bool drop_buffers(ProgramCase& best) {
    bool any = false;
    for (size_t i = best.program.buffers.size(); i-- > 0;) {
      ProgramCase candidate = best;
      const bool bound = best.program.buffers[i].access != ir::BufferAccess::Workgroup;
      if (bound) candidate.buffers.erase(candidate.buffers.begin() + long(bound_index(best.program, i)));
      candidate.program.buffers.erase(candidate.program.buffers.begin() + long(i));
      any |= accepts(std::move(candidate), best);
    }
    return any;
  }
  static size_t bound_index(const Program& program, size_t buffer) {
    return size_t(std::count_if(program.buffers.begin(), program.buffers.begin() + long(buffer),
                                [](const auto& b) { return b.access != ir::BufferAccess::Workgroup; }));
  }

  bool shrink_contents(ProgramCase& best) {
    bool any = false;
    for (size_t b = 0; b < best.buffers.size(); ++b) {
      const size_t words = best.buffers[b].size() / 4;
      for (size_t count : {size_t{0}, size_t{1}, words / 2, words - 1}) {
        if (count >= best.buffers[b].size() / 4) continue;
        ProgramCase candidate = best;
        candidate.buffers[b].resize(count * 4);
        any |= accepts(std::move(candidate), best);
      }
      for (size_t i = 0; i < best.buffers[b].size() / 4; ++i) {
        const uint32_t word = load_u32(best.buffers[b].data() + 4 * i);
        for (uint32_t smaller : {0u, 1u, word & 0xff}) {
          if (smaller >= load_u32(best.buffers[b].data() + 4 * i)) continue;
          ProgramCase candidate = best;
          store_u32(candidate.buffers[b].data() + 4 * i, smaller);
          any |= accepts(std::move(candidate), best);
        }
      }
    }
    return any;
  }

  const spec::OpTable& ops_;
  const ProgramFails& fails_;
  size_t left_;
};

}  // namespace

ProgramCase shrink_program(ProgramCase failing, const spec::OpTable& ops, const ProgramFails& fails,
                           size_t max_evaluations) {
  return ProgramShrinker(ops, fails, max_evaluations).run(std::move(failing));
}

}  // namespace vyre::generate
