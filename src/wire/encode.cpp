// The encoder: one walk over the program, which numbers strings as it meets them.
#include <string_view>
#include <unordered_map>

#include "spec/ops.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

namespace vyre::wire {
namespace {

using ir::ExprKind;
using ir::NodeKind;
using spec::Signature;

void put_byte(Bytes& out, uint8_t value) { out.push_back(std::byte{value}); }

/// LEB128: seven bits a byte, least significant first, the high bit set on all but the last.
void put_number(Bytes& out, uint32_t value) {
  while (value >= 0x80) {
    put_byte(out, uint8_t(value | 0x80));
    value >>= 7;
  }
  put_byte(out, uint8_t(value));
}

class Encoder {
 public:
  explicit Encoder(const ir::Program& program) : program_(program), code_(program.code) {
    number_of(program.name);  // string 0
  }

  Bytes run() {
    put_buffers();
    for (const uint32_t size : program_.workgroup_size) number(size);
    // The counts stand before the block and are known after it.
    Bytes head = std::move(rest_);
    rest_.clear();
    put_block(program_.entry);

    Bytes body;
    put_strings(body);
    body.insert(body.end(), head.begin(), head.end());
    put_number(body, expressions_);
    put_number(body, statements_);
    body.insert(body.end(), rest_.begin(), rest_.end());
    return body;
  }

 private:
  struct OpenBlock {
    std::span<const ir::NodeId> statements;
    size_t next;
  };

  void byte(uint8_t value) { put_byte(rest_, value); }
  void number(uint32_t value) { put_number(rest_, value); }
  void name(ir::Symbol symbol) { number(number_of(code_.name(symbol))); }

  uint32_t number_of(std::string_view string) {
    const auto [it, inserted] = numbers_.try_emplace(string, uint32_t(strings_.size()));
    if (inserted) strings_.push_back(string);
    return it->second;
  }

  void put_strings(Bytes& out) const {
    put_number(out, uint32_t(strings_.size()));
    for (const std::string_view string : strings_) {
      put_number(out, uint32_t(string.size()));
      const auto bytes = std::as_bytes(std::span(string));
      out.insert(out.end(), bytes.begin(), bytes.end());
    }
  }

  void put_buffers() {
    number(uint32_t(program_.buffers.size()));
    for (const ir::BufferDecl& decl : program_.buffers) {
      name(decl.name);
      byte(tag(decl.access));
      byte(spec::info(decl.element).wire_tag);
      if (decl.element == spec::DataType::Tensor) {
        put_shape(decl.tensor < program_.tensors.size() ? program_.tensors[decl.tensor] : ir::TensorType{});
      }
      number(decl.access == spec::BufferAccess::Workgroup ? decl.count : decl.binding);
    }
  }

  void put_shape(const ir::TensorType& tensor) {
    byte(spec::info(tensor.element).wire_tag);
    number(uint32_t(tensor.dims.size()));
    for (const ir::Dim& dim : tensor.dims) {
      byte(dim.dynamic() ? 1 : 0);
      if (dim.dynamic()) {
        name(dim.name);
        name(dim.buffer);
        number(dim.element);
      } else {
        number(dim.size);
      }
    }
    number(uint32_t(tensor.strides.size()));
    for (const uint32_t stride : tensor.strides) number(stride);
  }

  void put_block(ir::BlockId entry) {
    open(entry);
    while (!open_.empty()) {
      OpenBlock& top = open_.back();
      if (top.next == 0) number(uint32_t(top.statements.size()));
      if (top.next == top.statements.size()) {
        open_.pop_back();
      } else {
        put_statement(top.statements[top.next++]);
      }
    }
  }
  void open(ir::BlockId block) {
    open_.push_back({block == ir::kNoBlock ? std::span<const ir::NodeId>{} : code_.block(block), 0});
  }

  void put_statement(ir::NodeId id) {
    const ir::Node node = code_[id];
    ++statements_;
    byte(tag(node.kind));
    switch (node.kind) {
      case NodeKind::Let:
      case NodeKind::Assign:
        name(node.symbol);
        put_operands(code_.args(node));
        return;
      case NodeKind::Store:
        name(node.symbol);
        number(further_indices(node.args.count - 1));
        put_operands(code_.args(node));
        return;
      case NodeKind::If:
        put_operands(code_.args(node));
        byte(node.orelse == ir::kNoBlock ? 0 : 1);
        if (node.orelse != ir::kNoBlock) open(node.orelse);
        open(node.body);  // on top, so written first
        return;
      case NodeKind::Loop:
        name(node.symbol);
        put_operands(code_.args(node));
        open(node.body);
        return;
      case NodeKind::Block: open(node.body); return;
      case NodeKind::Return:
      case NodeKind::Barrier: return;
    }
  }

  static uint32_t further_indices(uint32_t indices) { return indices - 1; }

  void put_operands(std::span<const ir::ExprId> roots) {
    for (const ir::ExprId root : roots) put_expression(root);
  }

  void put_expression(ir::ExprId root) {
    pending_.push_back(root);
    while (!pending_.empty()) {
      const ir::Expr& e = code_[pending_.back()];
      pending_.pop_back();
      ++expressions_;
      put_head(e);
      const auto operands = code_.args(e);
      pending_.insert(pending_.end(), operands.rbegin(), operands.rend());
    }
  }

  /// All of an expression but its operands.
  void put_head(const ir::Expr& e) {
    byte(tag(e.kind));
    switch (e.kind) {
      case ExprKind::Literal: put_literal(e); return;
      case ExprKind::Load:
        name(e.symbol);
        number(further_indices(e.args.count));
        return;
      case ExprKind::Var:
      case ExprKind::BufLen: name(e.symbol); return;
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId: number(e.immediate); return;
      case ExprKind::Apply: put_operator(e); return;
    }
  }

  void put_literal(const ir::Expr& e) {
    byte(spec::info(e.type).wire_tag);
    const uint32_t words = literal_words(e.type);
    const bool known = words == 1 || e.immediate < code_.wide.size();
    const auto bits = known ? code_.literal_bits(e) : std::array<uint32_t, 4>{};
    for (uint32_t i = 0; i < words; ++i) number(bits[i]);
  }

  void put_operator(const ir::Expr& e) {
    number(spec::info(e.op).wire_tag);
    switch (spec::info(e.op).signature) {
      case Signature::T_T:
      case Signature::TT_T:
      case Signature::TTT_T:
      case Signature::TU_T:
      case Signature::T_U:
      case Signature::TT_U:
      case Signature::T_B:
      case Signature::UU_V:
      case Signature::UUUU_V:
      case Signature::CTT_T: return;
      case Signature::V_U: number(e.immediate); return;
      case Signature::Cast:
        byte(spec::info(e.type).wire_tag);
        byte(tag(e.mode));
        return;
      case Signature::Bitcast: byte(spec::info(e.type).wire_tag); return;
      case Signature::Call:
        name(e.symbol);
        number(e.immediate);
        number(e.args.count);
        return;
      case Signature::Reduce:
        name(e.symbol);
        number(e.immediate & UINT16_MAX);  // the wire tag of the operator that folds
        if (e.op == spec::Op::FReduceApprox) number(spec::tolerance_of(e.immediate));
        byte(e.args.count != 0 ? 1 : 0);
        return;
      case Signature::A_T:
      case Signature::AA_T: name(e.symbol); return;
    }
  }

  const ir::Program& program_;
  const ir::Code& code_;
  Bytes rest_;  // what follows the strings
  uint32_t expressions_ = 0;
  uint32_t statements_ = 0;
  std::vector<std::string_view> strings_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
  std::vector<OpenBlock> open_;
  std::vector<ir::ExprId> pending_;
};

}  // namespace

Bytes encode(const ir::Program& program) { return seal(Encoder(program).run()); }

}  // namespace vyre::wire
