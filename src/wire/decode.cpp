// The decoder: bytes from anywhere to a program, or a diagnostic that says at which byte they stop being one.
//
// Everything is read once, from front to back. Counts are checked against the bytes that remain before
// anything is allocated for them, trees are rebuilt with explicit stacks, and each rule that makes an
// encoding the only one of its program (docs/wire-format.md, "Canonical") is enforced where the byte is read.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

namespace vyre::wire {
namespace {

using ir::ExprKind;
using ir::NodeKind;
using spec::DataType;
using spec::Signature;

/// The bytes, and how far they have been read.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, size_t at) : bytes_(bytes), at_(at) {}

  size_t at() const { return at_; }
  size_t remaining() const { return bytes_.size() - at_; }

  std::unexpected<Diag> fail(DiagCode code, size_t at, std::string_view what,
                             std::string_view help = {}) const {
    return std::unexpected(
        make_diag(code, Span::none(), fmt::format("at byte {}: {}", at, what), std::string(help)));
  }

  Result<uint8_t> byte() {
    if (remaining() == 0) return fail(DiagCode::W003, at_, "the file ends inside the program");
    return uint8_t(bytes_[at_++]);
  }

  /// LEB128 of at most 32 bits, in the fewest bytes.
  Result<uint32_t> number() {
    const size_t begin = at_;
    uint32_t value = 0;
    for (uint32_t shift = 0;; shift += 7) {
      VYRE_TRY(next, byte());
      if (shift == 28 && next > 0x0f) return fail(DiagCode::W006, begin, "a number of more than 32 bits");
      value |= uint32_t(next & 0x7f) << shift;
      if (next >= 0x80) continue;
      if (next == 0 && shift != 0) return fail(DiagCode::W006, begin, "a number in more bytes than it needs");
      return value;
    }
  }

  /// How many things of at least `least` bytes each follow.
  Result<uint32_t> count(size_t least, std::string_view things) {
    const size_t begin = at_;
    VYRE_TRY(value, number());
    if (uint64_t(value) * least > remaining()) {
      return fail(DiagCode::W007, begin,
                  fmt::format("{} {} claimed, and {} bytes remain", value, things, remaining()));
    }
    return value;
  }

  Result<std::string_view> string() {
    VYRE_TRY(length, count(1, "bytes of a string"));
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + at_, length);
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] < 0x21 || text[i] > 0x7e) {
        return fail(DiagCode::W011, at_ + i,
                    fmt::format("byte 0x{:02x} in a string", static_cast<unsigned char>(text[i])));
      }
    }
    at_ += length;
    return text;
  }

 private:
  std::span<const std::byte> bytes_;
  size_t at_;
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> file) : in_(file, kBodyAt) {}

  Result<ir::Program> run() {
    VYRE_CHECK(read_strings());
    VYRE_CHECK(read_buffers());
    for (uint32_t& size : program_.workgroup_size) {
      VYRE_TRY(value, in_.number());
      size = value;
    }
    VYRE_CHECK(read_counts());
    VYRE_CHECK(read_body());
    if (in_.remaining() != 0) {
      return in_.fail(DiagCode::W008, in_.at(), fmt::format("{} bytes follow the program", in_.remaining()),
                      "cut them off");
    }
    if (used_strings_ != string_count_) {
      return in_.fail(DiagCode::W006, kBodyAt,
                      fmt::format("{} strings, of which {} are used", string_count_, used_strings_));
    }
    if (code().exprs.size() != expression_count_ || code().nodes.size() != statement_count_) {
      return in_.fail(
          DiagCode::W006, counts_at_,
          fmt::format("{} expressions and {} statements claimed, {} and {} found", expression_count_,
                      statement_count_, code().exprs.size(), code().nodes.size()));
    }
    return std::move(program_);
  }

 private:
  ir::Code& code() { return program_.code; }

  // Strings. String 0 is the program's name; the others are numbered in the order of their first use.

  Result<void> read_strings() {
    const size_t begin = in_.at();
    VYRE_TRY(count, in_.count(1, "strings"));
    if (count == 0) return in_.fail(DiagCode::W006, begin, "no strings, and the first is the program's name");
    string_count_ = count;
    VYRE_TRY(name, in_.string());
    program_.name = name;
    for (uint32_t i = 1; i < count; ++i) {
      const size_t at = in_.at();
      VYRE_TRY(text, in_.string());
      const bool is_new = text != program_.name && ir::index(code().intern(text)) == i - 1;
      if (!is_new) return in_.fail(DiagCode::W006, at, fmt::format("string '{}' a second time", text));
    }
    return {};
  }

  Result<ir::Symbol> read_name() {
    const size_t begin = in_.at();
    VYRE_TRY(string, in_.number());
    if (string >= string_count_) {
      return in_.fail(DiagCode::W009, begin, fmt::format("string {} of {}", string, string_count_));
    }
    if (string > used_strings_) {
      return in_.fail(DiagCode::W006, begin,
                      fmt::format("string {} is used before string {}", string, used_strings_));
    }
    if (string == used_strings_) ++used_strings_;
    if (string == 0) return code().intern(program_.name);
    return ir::Symbol{string - 1};
  }

  // Tags.

  template <typename Enum>
  Result<Enum> read_tag(std::string_view what) {
    const size_t begin = in_.at();
    VYRE_TRY(value, in_.byte());
    const auto found = find_tag<Enum>(value);
    if (!found) return in_.fail(DiagCode::W005, begin, fmt::format("0x{:02x} is no {}", value, what));
    return *found;
  }

  Result<DataType> read_type() {
    const size_t begin = in_.at();
    VYRE_TRY(value, in_.byte());
    const auto found = spec::find_type_tag(value);
    if (found && spec::is_available(*found)) return *found;
    if (found) {
      return in_.fail(DiagCode::W010, begin, fmt::format("type {} is not available yet", spec::text(*found)),
                      "a newer version of vyre may have it");
    }
    if (is_reserved_type_tag(value)) {
      return in_.fail(DiagCode::W010, begin,
                      fmt::format("type tag 0x{:02x} is reserved for a type to come", value),
                      "a newer version of vyre may have it");
    }
    return in_.fail(DiagCode::W005, begin, fmt::format("0x{:02x} is no type", value));
  }

  // Declarations.

  Result<void> read_buffers() {
    VYRE_TRY(count, in_.count(4, "buffers"));
    program_.buffers.reserve(count);
    for (uint32_t i = 0; i < count; ++i) {
      ir::BufferDecl decl;
      VYRE_TRY(name, read_name());
      VYRE_TRY(access, read_tag<spec::BufferAccess>("buffer access"));
      VYRE_TRY(element, read_type());
      if (element == DataType::Tensor) {
        decl.tensor = uint32_t(program_.tensors.size());
        VYRE_CHECK(read_shape());
      }
      VYRE_TRY(value, in_.number());
      decl.name = name;
      decl.access = access;
      decl.element = element;
      (access == spec::BufferAccess::Workgroup ? decl.count : decl.binding) = value;
      program_.buffers.push_back(decl);
    }
    return {};
  }

  /// A tensor's element type, dimensions and strides.
  Result<void> read_shape() {
    ir::TensorType tensor;
    const size_t begin = in_.at();
    VYRE_TRY(element, read_type());
    if (element == DataType::Tensor) return in_.fail(DiagCode::W005, begin, "there are no tensors of tensors");
    tensor.element = element;
    VYRE_TRY(rank, in_.count(2, "dimensions"));
    tensor.dims.reserve(rank);
    for (uint32_t i = 0; i < rank; ++i) {
      VYRE_TRY(dim, read_dimension());
      tensor.dims.push_back(dim);
    }
    VYRE_TRY(strides, in_.count(1, "strides"));
    tensor.strides.reserve(strides);
    for (uint32_t i = 0; i < strides; ++i) {
      VYRE_TRY(stride, in_.number());
      tensor.strides.push_back(stride);
    }
    program_.tensors.push_back(std::move(tensor));
    return {};
  }

  Result<ir::Dim> read_dimension() {
    ir::Dim dim;
    VYRE_TRY(dynamic, read_flag());
    if (!dynamic) {
      VYRE_TRY(size, in_.number());
      dim.size = size;
      return dim;
    }
    VYRE_TRY(name, read_name());
    VYRE_TRY(buffer, read_name());
    VYRE_TRY(element, in_.number());
    dim.name = name;
    dim.buffer = buffer;
    dim.element = element;
    return dim;
  }

  Result<bool> read_flag() {
    const size_t at = in_.at();
    VYRE_TRY(flag, in_.byte());
    if (flag > 1) return in_.fail(DiagCode::W005, at, fmt::format("0x{:02x} is neither 0 nor 1", flag));
    return flag == 1;
  }

  /// An expression has at least two bytes, a statement one. Each is in exactly one list, so the counts give
  /// every arena its final size.
  Result<void> read_counts() {
    counts_at_ = in_.at();
    VYRE_TRY(expressions, in_.count(2, "expressions"));
    VYRE_TRY(statements, in_.count(1, "statements"));
    expression_count_ = expressions;
    statement_count_ = statements;
    code().exprs.reserve(expressions);
    code().expr_list.reserve(expressions);
    code().nodes.reserve(statements);
    code().node_list.reserve(statements);
    return {};
  }

  // Statements. A block that is open waits for statements; the statement that owns it is complete when its
  // last block is.

  struct OpenBlock {
    NodeKind owner;  // Block for the program's body
    uint8_t operand_count = 0;
    bool else_follows = false;
    ir::Symbol symbol = ir::kNoSymbol;
    std::array<ir::ExprId, 2> operands{};
    ir::BlockId then = ir::kNoBlock;  // of an if that is in its else
    uint32_t missing = 0;             // statements still to come
    uint32_t first_done = 0;          // where the complete ones begin in done_
  };
  // The stacks are what grows with hostile nesting, two bytes a level.
  static_assert(sizeof(OpenBlock) <= 28);

  Result<void> read_body() {
    VYRE_CHECK(open({.owner = NodeKind::Block}));
    while (true) {
      while (open_.back().missing == 0) {
        const ir::BlockId block = close_block();
        if (open_.size() == 1) {
          program_.entry = block;
          return {};
        }
        VYRE_CHECK(end_block(block));
      }
      --open_.back().missing;
      VYRE_CHECK(read_statement());
    }
  }

  Result<void> open(OpenBlock block) {
    VYRE_TRY(count, in_.count(1, "statements"));
    block.missing = count;
    block.first_done = uint32_t(done_.size());
    open_.push_back(block);
    return {};
  }

  ir::BlockId close_block() {
    const OpenBlock& top = open_.back();
    const ir::BlockId block = code().add_block(std::span(done_).subspan(top.first_done));
    done_.resize(top.first_done);
    return block;
  }

  /// Gives the block to its owner, which is then complete unless an else follows.
  Result<void> end_block(ir::BlockId block) {
    OpenBlock top = open_.back();
    open_.pop_back();
    if (top.else_follows) {
      top.else_follows = false;
      top.then = block;
      return open(top);
    }
    ir::Node node = {.kind = top.owner, .symbol = top.symbol, .body = block};
    if (top.then != ir::kNoBlock) {
      node.body = top.then;
      node.orelse = block;
    }
    return add(node, std::span(top.operands).first(top.operand_count));
  }

  Result<void> add(const ir::Node& node, std::span<const ir::ExprId> operands) {
    if (code().nodes.size() == statement_count_) {
      return in_.fail(DiagCode::W006, counts_at_,
                      fmt::format("more than the {} statements claimed", statement_count_));
    }
    done_.push_back(code().add(node, operands, Span::none()));
    return {};
  }

  Result<void> read_statement() {
    ir::Node node;
    VYRE_TRY(kind, read_tag<NodeKind>("statement"));
    node.kind = kind;
    switch (kind) {
      case NodeKind::Let:
      case NodeKind::Assign: {
        VYRE_TRY(name, read_name());
        VYRE_TRY(value, read_expression());
        node.symbol = name;
        return add(node, {{value}});
      }
      case NodeKind::Store: return read_store(node);
      case NodeKind::If: {
        VYRE_TRY(condition, read_expression());
        VYRE_TRY(has_else, read_flag());
        return open({.owner = kind, .operand_count = 1, .else_follows = has_else, .operands = {condition}});
      }
      case NodeKind::Loop: {
        VYRE_TRY(name, read_name());
        VYRE_TRY(from, read_expression());
        VYRE_TRY(to, read_expression());
        return open({.owner = kind, .operand_count = 2, .symbol = name, .operands = {from, to}});
      }
      case NodeKind::Block: return open({.owner = kind});
      case NodeKind::Return:
      case NodeKind::Barrier: return add(node, {});
    }
    std::unreachable();
  }

  Result<void> read_store(ir::Node node) {
    VYRE_TRY(name, read_name());
    VYRE_TRY(further, in_.count(2, "further indices"));
    node.symbol = name;
    std::vector<ir::ExprId> operands;
    for (uint64_t i = 0; i < uint64_t(further) + 2; ++i) {
      VYRE_TRY(operand, read_expression());
      operands.push_back(operand);
    }
    return add(node, operands);
  }

  // Expressions, in prefix order: an operator waits until its operands are complete.

  struct OpenExpr {
    ir::Expr expr;
    uint32_t missing;     // operands still to come
    uint32_t first_done;  // where the complete ones begin in operands_
  };
  struct Head {
    ir::Expr expr;
    uint32_t operands;
  };

  Result<ir::ExprId> read_expression() {
    open_exprs_.clear();
    operands_.clear();
    while (true) {
      VYRE_TRY(head, read_head());
      open_exprs_.push_back({head.expr, head.operands, uint32_t(operands_.size())});
      while (open_exprs_.back().missing == 0) {
        const OpenExpr top = open_exprs_.back();
        open_exprs_.pop_back();
        if (code().exprs.size() == expression_count_) {
          return in_.fail(DiagCode::W006, counts_at_,
                          fmt::format("more than the {} expressions claimed", expression_count_));
        }
        const ir::ExprId id =
            code().add(top.expr, std::span(operands_).subspan(top.first_done), Span::none());
        if (open_exprs_.empty()) return id;
        operands_.resize(top.first_done);
        operands_.push_back(id);
        --open_exprs_.back().missing;
      }
    }
  }

  Result<Head> read_head() {
    ir::Expr e;
    VYRE_TRY(kind, read_tag<ExprKind>("expression"));
    e.kind = kind;
    switch (kind) {
      case ExprKind::Literal: return read_literal(e);
      case ExprKind::Var:
      case ExprKind::BufLen: {
        VYRE_TRY(name, read_name());
        e.symbol = name;
        return Head{e, 0};
      }
      case ExprKind::Load: {
        VYRE_TRY(name, read_name());
        VYRE_TRY(further, in_.count(2, "further indices"));
        e.symbol = name;
        return Head{e, further + 1};
      }
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId: {
        VYRE_TRY(axis, in_.number());
        e.immediate = axis;
        return Head{e, 0};
      }
      case ExprKind::Apply: return read_operator(e);
    }
    std::unreachable();
  }

  Result<Head> read_literal(ir::Expr e) {
    const size_t begin = in_.at();
    VYRE_TRY(type, read_type());
    if (!spec::is_value_type(type)) {
      return in_.fail(DiagCode::W005, begin,
                      fmt::format("there are no literals of type {}", spec::text(type)));
    }
    std::array<uint32_t, 4> bits{};
    for (uint32_t i = 0; i < literal_words(type); ++i) {
      VYRE_TRY(word, in_.number());
      bits[i] = word;
    }
    e.type = type;
    e.immediate = bits[0];
    if (literal_words(type) > 1) {
      e.immediate = uint32_t(code().wide.size());
      code().wide.push_back(bits);
    }
    return Head{e, 0};
  }

  Result<Head> read_operator(ir::Expr e) {
    const size_t begin = in_.at();
    VYRE_TRY(value, in_.number());
    const auto op = value <= UINT16_MAX ? spec::find_op_tag(uint16_t(value)) : std::nullopt;
    if (!op) return in_.fail(DiagCode::W005, begin, fmt::format("0x{:02x} is no operator", value));
    e.op = *op;
    uint32_t operands = spec::operand_count(*op).value_or(0);
    switch (spec::info(*op).signature) {
      case Signature::T_T:
      case Signature::TT_T:
      case Signature::TU_T:
      case Signature::T_U:
      case Signature::TT_U:
      case Signature::T_B:
      case Signature::UU_V:
      case Signature::UUUU_V:
      case Signature::CTT_T: break;
      case Signature::V_U: {
        VYRE_TRY(component, in_.number());
        e.immediate = component;
        break;
      }
      case Signature::Cast: {
        VYRE_TRY(type, read_type());
        VYRE_TRY(mode, read_tag<spec::RoundingMode>("rounding mode"));
        e.type = type;
        e.mode = mode;
        break;
      }
      case Signature::Bitcast: {
        VYRE_TRY(type, read_type());
        e.type = type;
        break;
      }
      case Signature::Call: {
        VYRE_TRY(name, read_name());
        VYRE_TRY(version, in_.number());
        VYRE_TRY(count, in_.count(2, "arguments"));
        e.symbol = name;
        e.immediate = version;
        operands = count;
        break;
      }
      case Signature::A_T:
      case Signature::AA_T: {
        VYRE_TRY(name, read_name());
        e.symbol = name;
        break;
      }
    }
    return Head{e, operands};
  }

  Reader in_;
  ir::Program program_;
  uint32_t string_count_ = 0;
  uint32_t used_strings_ = 1;  // the program's name is
  size_t counts_at_ = 0;
  uint32_t expression_count_ = 0;
  uint32_t statement_count_ = 0;
  std::vector<OpenBlock> open_;
  std::vector<ir::NodeId> done_;
  std::vector<OpenExpr> open_exprs_;
  std::vector<ir::ExprId> operands_;
};

}  // namespace

Result<ir::Program> decode(std::span<const std::byte> file) {
  const auto fail = [](DiagCode code, std::string message, std::string help) {
    return std::unexpected(make_diag(code, Span::none(), std::move(message), std::move(help)));
  };
  if (!is_wire(file)) {
    return fail(DiagCode::W001, "at byte 0: the file does not begin with `VYRE`",
                "make a wire file with `vyre encode`, or give the text");
  }
  if (file.size() < kBodyAt) {
    return fail(DiagCode::W003,
                fmt::format("at byte {}: the file ends inside its header of {} bytes", file.size(), kBodyAt),
                "copy the whole file");
  }
  const uint32_t version = load_u32(file.data() + kVersionAt);
  if (version != kVersion) {
    return fail(DiagCode::W002,
                fmt::format("at byte {}: version {}, and this build knows {}", kVersionAt, version, kVersion),
                "use a newer vyre, or encode the program again");
  }
  Digest stated;
  std::memcpy(stated.bytes.data(), file.data() + kDigestAt, stated.bytes.size());
  const Digest found = body_digest(version, file.subspan(kBodyAt));
  if (stated != found) {
    return fail(DiagCode::W004,
                fmt::format("at byte {}: the digest begins {}, and that of the bytes begins {}", kDigestAt,
                            stated.short_hex(), found.short_hex()),
                "copy the file again, or encode the program again");
  }
  return Decoder(file).run();
}

}  // namespace vyre::wire
