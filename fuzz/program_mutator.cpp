#include "program_mutator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/ops.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

namespace vyre::fuzz {
namespace {

using ir::DataType;
using ir::ExprKind;
using ir::NodeKind;

constexpr size_t kMostNodes = 4000;  // of what is changed: bounds the recursion below

/// A program as trees, in which things are easily moved.
struct Expression {
  ir::Expr head;
  std::string name;
  std::array<uint32_t, 4> bits{};  // of a literal
  std::vector<Expression> operands;
};
struct Statement;
using Block = std::vector<Statement>;
struct Statement {
  NodeKind kind{};
  std::string name;
  std::vector<Expression> operands;
  Block body, orelse;
  bool has_else = false, unroll = false;
};

class ToTree {
 public:
  explicit ToTree(const ir::Code& code) : code_(code) {}
  Block block(ir::BlockId id) const {
    Block out;
    if (id == ir::kNoBlock) return out;
    for (const ir::NodeId node : code_.block(id)) out.push_back(statement(code_[node]));
    return out;
  }

 private:
  Expression expression(ir::ExprId id) const {
    const ir::Expr& e = code_[id];
    Expression out{.head = e, .name = std::string(code_.name(e.symbol))};
    if (e.kind == ExprKind::Literal) out.bits = code_.literal_bits(e);
    for (const ir::ExprId operand : code_.args(e)) out.operands.push_back(expression(operand));
    return out;
  }
  Statement statement(const ir::Node& node) const {
    Statement out{.kind = node.kind, .name = std::string(code_.name(node.symbol))};
    for (const ir::ExprId operand : code_.args(node)) out.operands.push_back(expression(operand));
    out.body = block(node.body);
    out.orelse = block(node.orelse);
    out.has_else = node.orelse != ir::kNoBlock;
    out.unroll = node.unroll;
    return out;
  }
  const ir::Code& code_;
};

class FromTree {
 public:
  explicit FromTree(ir::Code& code) : code_(code) {}
  ir::BlockId block(const Block& statements) {
    std::vector<ir::NodeId> ids;
    for (const Statement& s : statements) ids.push_back(statement(s));
    return code_.add_block(ids);
  }

 private:
  ir::ExprId expression(const Expression& e) {
    std::vector<ir::ExprId> operands;
    for (const Expression& operand : e.operands) operands.push_back(expression(operand));
    ir::Expr head = e.head;
    if (head.symbol != ir::kNoSymbol) head.symbol = code_.intern(e.name);
    if (head.kind == ExprKind::Literal) {
      head.immediate = e.bits[0];
      if (spec::info(head.type).bytes > 4) {
        head.immediate = uint32_t(code_.wide.size());
        code_.wide.push_back(e.bits);
      }
    }
    return code_.add(head, operands, Span::none());
  }
  ir::NodeId statement(const Statement& s) {
    ir::Node node{.kind = s.kind};
    std::vector<ir::ExprId> operands;
    for (const Expression& operand : s.operands) operands.push_back(expression(operand));
    switch (s.kind) {
      case NodeKind::Let:
      case NodeKind::Assign:
      case NodeKind::Store: node.symbol = code_.intern(s.name); break;
      case NodeKind::Loop:
        node.symbol = code_.intern(s.name);
        node.body = block(s.body);
        node.unroll = s.unroll;
        break;
      case NodeKind::If:
        node.body = block(s.body);
        if (s.has_else) node.orelse = block(s.orelse);
        break;
      case NodeKind::Block: node.body = block(s.body); break;
      case NodeKind::Return:
      case NodeKind::Barrier: break;
    }
    return code_.add(node, operands, Span::none());
  }
  ir::Code& code_;
};

/// Every block, statement and expression of a program; pointers last until something is moved.
struct ProgramNodes {
  std::vector<Block*> blocks;
  std::vector<Statement*> statements;
  std::vector<Expression*> expressions;
  std::vector<std::string> names;

  explicit ProgramNodes(Block& body) { add(body); }

 private:
  void add(Block& block) {
    blocks.push_back(&block);
    for (Statement& s : block) {
      statements.push_back(&s);
      names.push_back(s.name);
      for (Expression& e : s.operands) add(e);
      const bool has_body = s.kind == NodeKind::If || s.kind == NodeKind::Loop || s.kind == NodeKind::Block;
      if (has_body) add(s.body);
      if (s.has_else) add(s.orelse);
    }
  }
  void add(Expression& e) {
    expressions.push_back(&e);
    if (!e.name.empty()) names.push_back(e.name);
    for (Expression& operand : e.operands) add(operand);
  }
};

class Mutation {
 public:
  Mutation(ir::Program& program, Block& body, RandomStream& random)
      : program_(program), body_(body), random_(random) {}

  /// One change; it may come to nothing where there is nothing to change.
  void apply() {
    ProgramNodes nodes(body_);
    for (const ir::BufferDecl& decl : program_.buffers)
      nodes.names.emplace_back(program_.code.name(decl.name));
    switch (random_.below(12)) {
      case 0: return drop(nodes);
      case 1: return copy(nodes);
      case 2: return wrap(nodes);
      case 3: return declaration();
      case 4: return rename(nodes);
      case 5:
      case 6: return graft(nodes);
      case 7: return shape(nodes);
      default:
        if (Expression* e = pick(nodes.expressions)) head(*e);
    }
  }

 private:
  template <typename T>
  T* pick(const std::vector<T*>& from) {
    return from.empty() ? nullptr : from[random_.below(uint32_t(from.size()))];
  }
  template <typename Enum>
  Enum any(size_t count) {
    return static_cast<Enum>(random_.below(uint32_t(count)));
  }

  void drop(const ProgramNodes& nodes) {
    Block* block = pick(nodes.blocks);
    if (!block->empty()) block->erase(block->begin() + ptrdiff_t(random_.below(uint32_t(block->size()))));
  }

  /// Copies a statement to another place, or moves it within its block.
  void copy(const ProgramNodes& nodes) {
    Block* to = pick(nodes.blocks);
    if (random_.chance(2) && to->size() > 1) {
      const auto at = [&] { return to->begin() + ptrdiff_t(random_.below(uint32_t(to->size()))); };
      return std::iter_swap(at(), at());
    }
    const Statement* from = pick(nodes.statements);
    if (from == nullptr) return;
    Statement taken = *from;
    to->insert(to->begin() + ptrdiff_t(random_.below(uint32_t(to->size() + 1))), std::move(taken));
  }

  /// Puts a statement into a block, an if or a loop, or adds one that ends or waits.
  void wrap(const ProgramNodes& nodes) {
    Block* block = pick(nodes.blocks);
    Statement outer{.kind = any<NodeKind>(ir::kNodeKindCount),
                    .name = "fresh" + std::to_string(random_.below(8))};
    const auto number = [&] {
      return Expression{.head = {.kind = ExprKind::Literal, .type = DataType::U32},
                        .bits = {random_.below(9)}};
    };
    switch (outer.kind) {
      case NodeKind::Let:
      case NodeKind::Assign:
      case NodeKind::If: outer.operands = {number()}; break;
      case NodeKind::Store:
      case NodeKind::Loop: outer.operands = {number(), number()}; break;
      case NodeKind::Return:
      case NodeKind::Block:
      case NodeKind::Barrier: break;
    }
    outer.has_else = outer.kind == NodeKind::If && random_.chance(2);
    outer.unroll = outer.kind == NodeKind::Loop && random_.chance(2);
    const bool has_body =
        outer.kind == NodeKind::If || outer.kind == NodeKind::Loop || outer.kind == NodeKind::Block;
    if (has_body && !block->empty()) {
      Statement& inner = (*block)[random_.below(uint32_t(block->size()))];
      outer.body.push_back(std::move(inner));
      inner = std::move(outer);
    } else {
      block->push_back(std::move(outer));
    }
  }

  void declaration() {
    if (program_.buffers.empty() || random_.chance(6)) {
      program_.workgroup_size[random_.below(3)] = random_.below(80);
      return;
    }
    ir::BufferDecl& decl = program_.buffers[random_.below(uint32_t(program_.buffers.size()))];
    switch (random_.below(4)) {
      case 0: decl.access = any<spec::BufferAccess>(spec::kBufferAccessCount); break;
      case 1: decl.element = any<DataType>(spec::kTypeCount); break;
      case 2: decl.binding = random_.below(16); break;
      case 3: decl.count = random_.below(300); break;
    }
    // A declaration has a binding or a count, and a tensor a shape.
    (spec::is_bound(decl.access) ? decl.count : decl.binding) = 0;
    if (decl.element != DataType::Tensor) {
      decl.tensor = 0;
    } else if (decl.tensor >= program_.tensors.size()) {
      decl.tensor = uint32_t(program_.tensors.size());
      program_.tensors.push_back(
          {.element = any<DataType>(spec::kTypeCount - 1), .dims = {{.size = 8}}, .strides = {}});
    }
  }

  /// Sizes, strides and names of a tensor's dimensions.
  void shape(const ProgramNodes& nodes) {
    if (program_.tensors.empty()) return rename(nodes);
    ir::TensorType& tensor = program_.tensors[random_.below(uint32_t(program_.tensors.size()))];
    switch (random_.below(4)) {
      case 0: tensor.element = any<DataType>(spec::kTypeCount - 1); return;
      case 1: tensor.strides.resize(random_.chance(2) ? 0 : tensor.dims.size(), random_.below(70)); return;
      case 2: tensor.dims.push_back({.size = random_.below(20)}); return;
      default: break;
    }
    if (tensor.dims.empty()) return;
    ir::Dim& dim = tensor.dims[random_.below(uint32_t(tensor.dims.size()))];
    if (random_.chance(2)) {
      dim = {.size = uint32_t(random_.next()) >> random_.below(32)};
    } else if (!program_.buffers.empty()) {
      dim = {.size = 0,
             .name = program_.code.intern("n" + std::to_string(random_.below(4))),
             .buffer = program_.buffers[random_.below(uint32_t(program_.buffers.size()))].name,
             .element = random_.below(6)};
    }
  }

  void rename(const ProgramNodes& nodes) {
    const std::string& name =
        nodes.names.empty() ? "x" : nodes.names[random_.below(uint32_t(nodes.names.size()))];
    if (name.empty()) return;
    if (Expression* e = pick(nodes.expressions); e != nullptr && random_.chance(2)) {
      e->name = name;
    } else if (Statement* s = pick(nodes.statements)) {
      s->name = name;
    }
  }

  /// Puts an expression in the place of another one.
  void graft(const ProgramNodes& nodes) {
    Expression* to = pick(nodes.expressions);
    const Expression* from = pick(nodes.expressions);
    if (to == nullptr) return;
    Expression taken = *from;  // a copy, since one may be a part of the other
    *to = std::move(taken);
  }

  /// What an expression is, its operands left as they are.
  void head(Expression& e) {
    switch (e.head.kind) {
      case ExprKind::Literal: return literal(e);
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId:
      case ExprKind::NumWorkgroups: e.head.immediate = random_.below(4); return;
      case ExprKind::Apply: return operation(e);
      case ExprKind::Var:
      case ExprKind::Load:
      case ExprKind::BufLen: return;  // rename() is for these
    }
  }

  void literal(Expression& e) {
    constexpr std::array<uint32_t, 10> kWords = {0,          1,          0x80000000, 0xffffffff, 0x7fffffff,
                                                 0x7f800000, 0x7fc00001, 0x8000,     0x7c01,     31};
    if (random_.chance(3)) e.head.type = any<DataType>(spec::kTypeCount);
    if (!spec::is_value_type(e.head.type)) e.head.type = DataType::U32;
    uint32_t& word = e.bits[random_.below(wire::literal_words(e.head.type))];
    word = random_.chance(2) ? word ^ 1u << random_.below(32) : kWords[random_.below(kWords.size())];
    for (uint32_t i = wire::literal_words(e.head.type); i < 4; ++i) e.bits[i] = 0;
    if (random_.chance(8)) return;  // as it is, whatever the type allows
    if (e.head.type == DataType::Bool) word &= 1;
    if (spec::value_bits(e.head.type) == 16) word &= 0xffff;
  }

  /// Another operator of as many operands that is applied in the same way, or another type to cast to.
  void operation(Expression& e) {
    const spec::Signature signature = spec::info(e.head.op).signature;
    switch (signature) {
      case spec::Signature::Cast:
      case spec::Signature::Bitcast:
        e.head.type = any<DataType>(spec::kTypeCount);
        if (signature == spec::Signature::Cast && random_.chance(4))
          e.head.mode = any<spec::RoundingMode>(spec::kRoundingModeCount);
        return;
      case spec::Signature::V_U: e.head.immediate = random_.below(5); return;
      case spec::Signature::Call:
        if (random_.chance(2)) e.head.immediate = random_.below(3);
        return;
      case spec::Signature::Reduce: return reduction(e);
      case spec::Signature::T_T:
      case spec::Signature::TT_T:
      case spec::Signature::TTT_T:
      case spec::Signature::TU_T:
      case spec::Signature::T_U:
      case spec::Signature::TT_U:
      case spec::Signature::T_B:
      case spec::Signature::CTT_T:
      case spec::Signature::A_T:
      case spec::Signature::AA_T:
      case spec::Signature::UU_V:
      case spec::Signature::UUUU_V: break;
    }
    const spec::Op other = any<spec::Op>(spec::kOpCount);
    const bool plain = spec::is_scalar(e.head.op) && spec::is_scalar(other);
    const bool same_kind = spec::is_atomic(e.head.op) && spec::is_atomic(other);
    if ((plain || same_kind) && spec::operand_count(e.head.op) == spec::operand_count(other))
      e.head.op = other;
  }

  /// The other reduction, another operator to fold with, or no range.
  void reduction(Expression& e) {
    constexpr std::array<spec::Op, 5> kFolds = {spec::Op::FAdd, spec::Op::FMul, spec::Op::FMin,
                                                spec::Op::FMax, spec::Op::FSub};
    if (random_.chance(3))
      e.head.op = random_.chance(2) ? spec::Op::FReduceStrict : spec::Op::FReduceTreeBinary;
    if (random_.chance(2)) e.head.immediate = spec::info(kFolds[random_.below(kFolds.size())]).wire_tag;
    if (random_.chance(4)) e.operands.clear();
  }

  ir::Program& program_;
  Block& body_;
  RandomStream& random_;
};

/// The program with this body in place of its own: its names, buffers and shapes stay.
ir::Program rebuild(const ir::Program& program, const Block& body) {
  ir::Program out;
  out.name = program.name;
  out.workgroup_size = program.workgroup_size;
  out.tensors = program.tensors;
  const auto moved = [&](ir::Symbol& symbol) {
    if (symbol != ir::kNoSymbol) symbol = out.code.intern(program.code.name(symbol));
  };
  for (ir::BufferDecl decl : program.buffers) {
    moved(decl.name);
    out.buffers.push_back(decl);
  }
  for (ir::TensorType& tensor : out.tensors) {
    for (ir::Dim& dim : tensor.dims) {
      moved(dim.name);
      moved(dim.buffer);
    }
  }
  out.entry = FromTree(out.code).block(body);
  return out;
}

std::optional<ir::Program> program_of(std::span<const uint8_t> file) {
  auto program = wire::decode(std::as_bytes(file));
  return program ? std::optional(*std::move(program)) : std::nullopt;
}

}  // namespace

ir::Program mutate(const ir::Program& program, RandomStream& random) {
  if (program.code.node_count() > kMostNodes) return program;
  ir::Program changed = program;
  Block body = ToTree(program.code).block(program.entry);
  for (uint32_t changes = 1 + random.below(4); changes != 0; --changes)
    Mutation(changed, body, random).apply();
  return rebuild(changed, body);
}

ir::Program cross(const ir::Program& into, const ir::Program& from, RandomStream& random) {
  if (into.code.node_count() + from.code.node_count() > kMostNodes) return into;
  Block body = ToTree(into.code).block(into.entry);
  Block other = ToTree(from.code).block(from.entry);
  const ProgramNodes nodes(other);
  if (!nodes.statements.empty()) {
    const Statement& taken = *nodes.statements[random.below(uint32_t(nodes.statements.size()))];
    const ProgramNodes targets(body);
    Block& to = *targets.blocks[random.below(uint32_t(targets.blocks.size()))];
    to.insert(to.begin() + ptrdiff_t(random.below(uint32_t(to.size() + 1))), taken);
  }
  return rebuild(into, body);
}

size_t mutate_file(uint8_t* data, size_t size, size_t max_size, uint32_t seed, ByteMutation bytes) {
  RandomStream random(seed, 0xf112);
  if (random.chance(20)) return bytes(data, size, max_size);
  if (!random.chance(4)) {
    if (const auto program = program_of({data, size})) {
      const Bytes file = wire::encode(mutate(*program, random));
      if (file.size() <= max_size) {
        std::memcpy(data, file.data(), file.size());
        return file.size();
      }
    }
  }
  if (size < wire::kBodyAt || max_size < wire::kBodyAt) return bytes(data, size, max_size);
  const uint32_t version = load_u32(std::as_bytes(std::span(data, size)).data() + wire::kVersionAt);
  const size_t body = bytes(data + wire::kBodyAt, size - wire::kBodyAt, max_size - wire::kBodyAt);
  const Bytes file = wire::seal(std::as_bytes(std::span(data + wire::kBodyAt, body)),
                                version == wire::kModuleVersion ? version : wire::kVersion);
  std::memcpy(data, file.data(), file.size());
  return file.size();
}

size_t cross_files(std::span<const uint8_t> a, std::span<const uint8_t> b, std::span<uint8_t> out,
                   uint32_t seed) {
  const auto into = program_of(a), from = program_of(b);
  if (!into || !from) return 0;
  RandomStream random(seed, 0xc105);
  const Bytes file = wire::encode(cross(*into, *from, random));
  if (file.size() > out.size()) return 0;
  std::memcpy(out.data(), file.data(), file.size());
  return file.size();
}

}  // namespace vyre::fuzz
