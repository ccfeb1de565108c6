#include <algorithm>
#include <array>
#include <cstring>
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
  uint32_t bits = 0;      // Literal: its least significant word; the others are 0
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
    for (ir::TensorType tensor : from_.tensors) {
      for (ir::Dim& dim : tensor.dims) {
        dim.name = symbol(dim.name);
        dim.buffer = symbol(dim.buffer);
      }
      out.tensors.push_back(std::move(tensor));
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
    const Node node = from_.code[id];
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
    if (id == edit_.expr && edit_.kind == Edit::Kind::Literal)
      return literal({.kind = ExprKind::Literal, .type = edit_.type}, {edit_.bits, 0, 0, 0});
    const Expr& e = from_.code[id];
    if (e.kind == ExprKind::Literal) return literal(e, from_.code.literal_bits(e));
    std::vector<ExprId> args;
    for (const ExprId arg : from_.code.args(e)) args.push_back(expr(arg));
    Expr copy = e;
    copy.symbol = symbol(e.symbol);
    return code_.add(copy, args, Span::none());
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
      const Node node = code()[id];
      // What a block leaves behind may be another phase; ifs and loops end in the one in which they began.
      if (keep_barriers &&
          (node.kind == NodeKind::Barrier || (node.kind == NodeKind::Block && contains_barrier(node.body)))) {
        continue;
      }
      list.push_back({.kind = Edit::Kind::DropNode, .node = id});
    }
    for (const NodeId id : nodes) {
      const Node node = code()[id];
      if (node.body != ir::kNoBlock && node.kind != NodeKind::Block) {
        list.push_back({.kind = Edit::Kind::KeepBody, .node = id});
      }
      if (node.orelse != ir::kNoBlock) list.push_back({.kind = Edit::Kind::KeepElse, .node = id});
    }
    for (const NodeId id : nodes) {
      const Node node = code()[id];
      const auto args = code().args(node);
      // The identities are what ownership is made of.
      const std::string_view name = code().name(node.symbol);
      if (node.kind == NodeKind::Let && (name == "own" || name == "slot" || name == "group")) continue;
      for (size_t i = 0; i < args.size(); ++i) {
        if (node.kind == NodeKind::Store && i + 1 < args.size()) continue;  // indices
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
      const Node node = code()[id];
      return node.kind == NodeKind::Barrier || contains_barrier(node.body) || contains_barrier(node.orelse);
    });
  }
  void literal(ExprId id, uint32_t bits) {
    const Expr& e = code()[id];
    const std::array<uint32_t, 4> least = {bits, 0, 0, 0};
    if (e.kind == ExprKind::Literal &&
        (code().literal_bits(e) == least || code().literal_bits(e) == std::array<uint32_t, 4>{}))
      return;
    list.push_back(
        {.kind = Edit::Kind::Literal, .expr = id, .bits = bits, .type = checked_.resolution().type(id)});
  }
  void simplify(ExprId id) {
    const Expr& e = code()[id];
    literal(id, 0);
    literal(id, 1);
    const bool atomic = e.kind == ExprKind::Apply && spec::is_atomic(e.op);
    const bool fold = e.kind == ExprKind::Apply && spec::is_reduction(e.op);
    if (fold && index_is_ownership(checked_.resolution().buffer(id))) return;  // and so is a range
    const auto args = code().args(e);
    for (size_t i = 0; i < args.size(); ++i) {
      const bool same_type = checked_.resolution().type(args[i]) == checked_.resolution().type(id);
      const bool is_index = e.kind == ExprKind::Load || (i == 0 && atomic);
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
    const auto checked = check::check(candidate.program, ops_);
    if (!checked || !fits(*checked, candidate)) return false;
    --left_;
    if (!fails_(candidate)) return false;
    best = std::move(candidate);
    return true;
  }

  /// Whether what is bound is enough for the tensors and their dimensions.
  static bool fits(const check::Checked& checked, ProgramCase& candidate) {
    const std::vector<std::span<std::byte>> host(candidate.buffers.begin(), candidate.buffers.end());
    return layout::bind(checked, host, candidate.groups).has_value();
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
      drop_tensor(candidate.program, i);
      candidate.program.buffers.erase(candidate.program.buffers.begin() + long(i));
      any |= accepts(std::move(candidate), best);
    }
    return any;
  }
  static size_t bound_index(const Program& program, size_t buffer) {
    return size_t(std::count_if(program.buffers.begin(), program.buffers.begin() + long(buffer),
                                [](const auto& b) { return b.access != ir::BufferAccess::Workgroup; }));
  }

  /// Takes a buffer's tensor type out of the list, in which each has a place of its own.
  static void drop_tensor(Program& program, size_t buffer) {
    if (program.buffers[buffer].element != ir::DataType::Tensor) return;
    const uint32_t place = program.buffers[buffer].tensor;
    program.tensors.erase(program.tensors.begin() + place);
    for (ir::BufferDecl& other : program.buffers) {
      if (other.element == ir::DataType::Tensor && other.tensor > place) --other.tensor;
    }
  }

  bool shrink_contents(ProgramCase& best) {
    bool any = false;
    size_t bound = 0;
    for (size_t i = 0; i < best.program.buffers.size(); ++i) {
      const ir::BufferDecl& decl = best.program.buffers[i];
      if (decl.access == ir::BufferAccess::Workgroup) continue;
      any |= shrink_buffer(best, bound++, spec::info(best.program.element(decl)).bytes);
    }
    return any;
  }
  bool shrink_buffer(ProgramCase& best, size_t b, size_t element_bytes) {
    bool any = false;
    const size_t elements = best.buffers[b].size() / element_bytes;
    for (size_t count : {size_t{0}, size_t{1}, elements / 2, elements - 1}) {
      if (count >= best.buffers[b].size() / element_bytes) continue;
      ProgramCase candidate = best;
      candidate.buffers[b].resize(count * element_bytes);
      any |= accepts(std::move(candidate), best);
    }
    // Word by word; of 16-bit elements one by one.
    const size_t unit = std::min<size_t>(4, element_bytes);
    for (size_t at = 0; at + unit <= best.buffers[b].size(); at += unit) {
      const auto value = [&] {
        uint32_t out = 0;
        std::memcpy(&out, best.buffers[b].data() + at, unit);
        return out;
      };
      for (uint32_t smaller : {0u, 1u, value() & 0xff}) {
        if (smaller >= value()) continue;
        ProgramCase candidate = best;
        std::memcpy(candidate.buffers[b].data() + at, &smaller, unit);
        any |= accepts(std::move(candidate), best);
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
