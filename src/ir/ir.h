// The intermediate representation: what a program is, before it is checked.
//
// A Program is buffers, a workgroup size and a body; a Function (the composition behind an operation) is
// parameters, a body and one result. Both keep their statements (Node) and expressions (Expr) in flat arenas
// inside Code and refer to them by index, so that a program of four million nodes is a handful of vectors and
// walking it needs no recursion.
//
// Invariants, kept by construction (Builder, the parser and the wire decoder all build through Code):
//  - an expression's operands have smaller ids than the expression, and each expression has exactly one
//    parent: expressions are trees, and walking ids upwards visits operands first;
//  - names are symbols, resolved only by check/: a Program may name buffers and variables that do not exist.
//
// Everything a program means beyond its shape is in check::Checked. Source: ir-types; vyre-conform-spec,
// "Program Structure", "Statement Nodes", "Expression Nodes".
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diag.h"
#include "ir/arena.h"
#include "ir/node.h"
#include "spec/op.h"
#include "spec/types.h"

namespace vyre::ir {

using spec::BufferAccess;
using spec::DataType;
using spec::Op;
using spec::RoundingMode;

/// Expression kinds. Everything with a mnemonic is Apply; the spec's LitU32, LitI32 and LitBool are Literal
/// with a type, its BinOp, UnOp, Select, Cast, Call and Atomic are Apply with an operator.
enum class ExprKind : uint8_t {
  Literal,
  Var,
  Load,
  BufLen,
  InvocationId,
  WorkgroupId,
  LocalId,
  NumWorkgroups,
  Apply
};
inline constexpr size_t kExprKindCount = 9;

/// The group counts of a dispatch have no word of their own in text: where a variable of this name is
/// visible, the name is that variable.
inline constexpr std::string_view kNumWorkgroups = "num_workgroups";

}  // namespace vyre::ir

template <>
struct vyre::spec::KeyCount<vyre::ir::ExprKind> {
  static constexpr size_t value = vyre::ir::kExprKindCount;
};

namespace vyre::ir {

struct Expr {
  ExprKind kind{};
  Op op{};                    // Apply
  DataType type{};            // Literal: its type; Cast, Bitcast: the target
  RoundingMode mode{};        // Cast
  Symbol symbol = kNoSymbol;  // Var: variable; Load, BufLen, atomics: buffer; Call: operation id
  uint32_t immediate = 0;     // Literal of up to 32 bits: its bits; wider: index into Code::wide; ids and
                              // group counts: axis 0..2; Call: version; Component: which one
  Range args;                 // operand ids in Code::expr_list; Load and atomics: the index (indices) first
};

/// The arenas, shared by programs and functions.
struct Code {
  Arena<Expr> exprs;
  Arena<ExprId> expr_list;
  Nodes nodes;
  Arena<NodeId> node_list;
  Arena<uint32_t> blocks;  // where each ends in node_list; it begins where the one before ends
  Symbols symbols;
  std::deque<std::array<uint32_t, 4>> wide;  // literals of more than 32 bits, least significant word first
  // Positions, parallel to exprs and nodes; empty when the program has no text.
  Arena<Span> expr_spans;
  Arena<Span> node_spans;

  const Expr& operator[](ExprId id) const { return exprs[index(id)]; }
  Node operator[](NodeId id) const { return nodes[index(id)]; }
  std::span<const ExprId> args(const Expr& e) const {
    return {expr_list.data() + e.args.first, e.args.count};
  }
  std::span<const ExprId> args(const Node& n) const {
    return {expr_list.data() + n.args.first, n.args.count};
  }
  ExprId arg(const Expr& e, uint32_t i) const { return expr_list[e.args.first + i]; }
  ExprId arg(const Node& n, uint32_t i) const { return expr_list[n.args.first + i]; }
  std::span<const NodeId> block(BlockId id) const {
    const uint32_t first = id == BlockId{0} ? 0 : blocks[index(id) - 1];
    return {node_list.data() + first, blocks[index(id)] - first};
  }
  std::string_view name(Symbol s) const { return s == kNoSymbol ? std::string_view{} : symbols[index(s)]; }
  Span span(ExprId id) const { return index(id) < expr_spans.size() ? expr_spans[index(id)] : Span::none(); }
  Span span(NodeId id) const { return index(id) < node_spans.size() ? node_spans[index(id)] : Span::none(); }
  /// A literal's bits, least significant word first; unused words are zero.
  std::array<uint32_t, 4> literal_bits(const Expr& e) const {
    if (spec::info(e.type).bytes <= 4) return {e.immediate, 0, 0, 0};
    return wide[e.immediate];
  }
  size_t node_count() const { return exprs.size() + nodes.size(); }

  // Appending. Each returns the new id; spans may be Span::none().
  Symbol intern(std::string_view name) { return symbols.intern(name); }
  ExprId add(Expr expr, std::span<const ExprId> args, Span span);
  NodeId add(Node node, std::span<const ExprId> args, Span span);
  BlockId add_block(std::span<const NodeId> nodes);
};

/// One dimension of a tensor: a number, or a name for an element of a uniform buffer that is read once at
/// dispatch.
struct Dim {
  uint32_t size = 0;          // of a fixed dimension
  Symbol name = kNoSymbol;    // of a dynamic one; kNoSymbol: fixed
  Symbol buffer = kNoSymbol;  // dynamic: the uniform buffer
  uint32_t element = 0;       // dynamic: which of its elements
  bool dynamic() const { return name != kNoSymbol; }
  bool operator==(const Dim&) const = default;
};

/// The shape of a tensor buffer. Strides are in elements; empty means row-major: the last dimension varies
/// fastest.
struct TensorType {
  DataType element = DataType::U32;
  std::vector<Dim> dims;
  std::vector<uint32_t> strides;
};

struct BufferDecl {
  Symbol name = kNoSymbol;
  BufferAccess access = BufferAccess::Read;
  DataType element = DataType::U32;  // Tensor: see Program::tensors
  uint32_t tensor = 0;               // of a tensor: index into Program::tensors
  uint32_t binding = 0;              // of a bound one: spec::is_bound
  uint32_t count = 0;                // Workgroup, Private: elements
  Span span;
};

struct Program {
  std::string name;
  std::vector<BufferDecl> buffers;  // in the order of their declaration
  std::vector<TensorType> tensors;  // of the tensor buffers, in the order of their declaration
  std::array<uint32_t, 3> workgroup_size = {1, 1, 1};
  Code code;
  BlockId entry = kNoBlock;
  Span workgroup_span;

  /// The tensor type of a buffer, or null.
  const TensorType* tensor(const BufferDecl& buffer) const {
    return buffer.element == DataType::Tensor ? &tensors[buffer.tensor] : nullptr;
  }
  /// What a buffer is made of: a tensor's element, else the buffer's own.
  DataType element(const BufferDecl& buffer) const {
    const TensorType* t = tensor(buffer);
    return t != nullptr ? t->element : buffer.element;
  }
};

/// The body of an operation of category A: statements over its parameters, then one result. It may use Let,
/// Assign, If, Loop and Block; no buffers, barriers, ids, atomics or Return.
struct Function {
  struct Parameter {
    Symbol name;
    DataType type;
    Span span;
  };
  std::string id;  // for messages
  std::vector<Parameter> parameters;
  DataType result_type = DataType::U32;
  Code code;
  BlockId body = kNoBlock;
  ExprId result{};  // evaluated after the body, in its scope
};

/// Structural equality: same shape, names, types and literal bits; spans, arena order and unused symbols do
/// not count.
bool equal(const Program& a, const Program& b);

}  // namespace vyre::ir
