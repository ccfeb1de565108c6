// The decoder: bytes from anywhere to a program, or a diagnostic that says at which byte they stop being one.
//
// Everything is read once, from front to back. Counts are checked against the bytes that remain before
// anything is allocated for them, and each rule that makes an encoding the only one of its program
// (docs/wire-format.md, "Canonical") is enforced where the byte is read.
//
// Nothing is kept twice. Whoever has statements claims places for them in node_list when their number is
// read, so that what comes next is written where it belongs, and what is open is only a range of places. An
// expression stands in the file before its operands and in the arena behind them, in the order in which
// programs are evaluated: until its operands are there it waits at the far end of the arena, which has room
// for all that the file claims.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>

#include "spec/limits.h"
#include "spec/ops.h"
#include "wire/reader.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

namespace vyre::wire {
namespace {

using ir::ExprKind;
using ir::NodeKind;
using ir::Range;
using spec::DataType;
using spec::Signature;

/// More strings or statements than this are refused: 16 times the nodes of the largest valid program, and
/// what the arenas can number.
constexpr uint32_t kMaxCount = 16 * spec::kMaxNodes;

/// By operator: how many operands follow its tag at once, or kMore where something else stands between.
constexpr uint8_t kMore = 0xff;
constexpr auto kBareOperands = [] {
  std::array<uint8_t, spec::kOpCount> out{};
  for (size_t i = 0; i < spec::kOpCount; ++i) {
    const spec::Op op = spec::kOps[i].op;
    const bool bare = spec::is_scalar(op) || spec::kOps[i].signature == Signature::CTT_T;
    out[i] = bare ? uint8_t(*spec::operand_count(op)) : kMore;
  }
  return out;
}();

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> file) : in_(file, kBodyAt) {}

  Result<ir::Program> run() {
    read_strings();
    read_buffers();
    for (uint32_t& size : program_.workgroup_size) size = in_.number();
    reserve(read_counts());
    read_body();
    check_end();
    if (in_.failed()) return std::unexpected(in_.take_fault());
    return std::move(program_);
  }

 private:
  ir::Code& code() { return program_.code; }

  void check_end() {
    if (in_.remaining() != 0) {
      in_.fail(DiagCode::W008, in_.at(), fmt::format("{} bytes follow the program", in_.remaining()),
               "cut them off");
    }
    if (used_strings_ != string_count_) {
      in_.fail(DiagCode::W006, kBodyAt,
               fmt::format("{} strings, of which {} are used", string_count_, used_strings_));
    }
    if (expressions_left_ != 0 || statements_left_ != 0) {
      in_.fail(DiagCode::W006, counts_at_,
               fmt::format("{} expressions and {} statements more are claimed than found", expressions_left_,
                           statements_left_));
    }
  }

  // Strings. String 0 is the program's name; the others are numbered in the order of their first use.

  uint32_t count_at_most(size_t least, std::string_view things, uint64_t promised = 0) {
    const size_t begin = in_.at();
    const uint32_t count = in_.count(least, things, promised);
    if (count <= kMaxCount) return count;
    in_.fail(DiagCode::W007, begin,
             fmt::format("{} {} claimed, and at most {} are read", count, things, kMaxCount));
    return 0;
  }

  void read_strings() {
    const size_t begin = in_.at();
    string_count_ = count_at_most(1, "strings");
    if (string_count_ == 0)
      in_.fail(DiagCode::W006, begin, "no strings, and the first is the program's name");
    program_.name = in_.string();
    code().symbols.reserve(string_count_);
    for (uint32_t i = 1; i < string_count_ && !in_.failed(); ++i) {
      const size_t at = in_.at();
      const std::string_view text = in_.string();
      const bool is_new = text != program_.name && ir::index(code().intern(text)) == i - 1;
      if (!is_new) in_.fail(DiagCode::W006, at, fmt::format("string '{}' a second time", text));
    }
  }

  ir::Symbol read_name() {
    const size_t begin = in_.at();
    const uint32_t string = in_.number();
    if (string >= used_strings_) {
      if (string >= string_count_) {
        in_.fail(DiagCode::W009, begin, fmt::format("string {} of {}", string, string_count_));
      } else if (string > used_strings_) {
        in_.fail(DiagCode::W006, begin,
                 fmt::format("string {} is used before string {}", string, used_strings_));
      } else {
        ++used_strings_;
      }
    }
    return string == 0 ? code().intern(program_.name) : ir::Symbol{string - 1};
  }

  // Tags.

  template <typename Enum>
  Enum read_tag(std::string_view what) {
    const size_t begin = in_.at();
    const uint8_t value = in_.byte();
    const auto found = find_tag<Enum>(value);
    if (found) return *found;
    in_.fail(DiagCode::W005, begin, fmt::format("0x{:02x} is no {}", value, what));
    return {};
  }

  DataType read_type() {
    const size_t begin = in_.at();
    const uint8_t value = in_.byte();
    const auto found = find_tag<DataType>(value);
    if (found) return *found;
    if (is_reserved_type_tag(value)) {
      in_.fail(DiagCode::W010, begin, fmt::format("type tag 0x{:02x} is reserved for a type to come", value),
               "a newer version of vyre may have it");
    }
    in_.fail(DiagCode::W005, begin, fmt::format("0x{:02x} is no type", value));
    return {};
  }

  spec::Op read_operator_tag() {
    const size_t begin = in_.at();
    const uint32_t value = in_.number();
    const auto found = find_tag<spec::Op>(value);
    if (found) return *found;
    if (is_reserved_operator_tag(value)) {
      in_.fail(DiagCode::W010, begin,
               fmt::format("operator tag 0x{:02x} is reserved for an operator to come", value),
               "a newer version of vyre may have it");
    }
    in_.fail(DiagCode::W005, begin, fmt::format("0x{:02x} is no operator", value));
    return {};
  }

  uint32_t read_tolerance() {
    const size_t begin = in_.at();
    const uint32_t value = in_.number();
    if (value <= spec::kGreatestTolerance) return value;
    in_.fail(DiagCode::W006, begin, fmt::format("a tolerance of more than {}", spec::kGreatestTolerance));
    return 0;
  }

  // Declarations.

  void read_buffers() {
    const uint32_t count = in_.count(4, "buffers");
    program_.buffers.reserve(count);
    program_.tensors.reserve(count_tensors(count));
    for (uint32_t i = 0; i < count && !in_.failed(); ++i) {
      ir::BufferDecl decl{.name = read_name(),
                          .access = read_tag<spec::BufferAccess>("buffer access"),
                          .element = read_type()};
      if (decl.element == DataType::Tensor) {
        decl.tensor = uint32_t(program_.tensors.size());
        program_.tensors.push_back(read_tensor());
      }
      (decl.access == spec::BufferAccess::Workgroup ? decl.count : decl.binding) = in_.number();
      program_.buffers.push_back(decl);
    }
  }

  /// Looks ahead, since a vector that grew would hold more than the input allows.
  uint32_t count_tensors(uint32_t buffers) const {
    Reader in = in_;
    uint32_t tensors = 0;
    for (; buffers != 0 && !in.failed(); --buffers) {
      in.number();  // name
      in.byte();    // access
      if (in.byte() == spec::info(DataType::Tensor).wire_tag) {
        ++tensors;
        in.byte();  // element
        for (uint32_t rank = in.number(); rank != 0 && !in.failed(); --rank) {
          for (int numbers = in.byte() == 0 ? 1 : 3; numbers != 0; --numbers) in.number();
        }
        for (uint32_t strides = in.number(); strides != 0 && !in.failed(); --strides) in.number();
      }
      in.number();  // binding or count
    }
    return tensors;
  }

  ir::TensorType read_tensor() {
    ir::TensorType tensor;
    const size_t begin = in_.at();
    tensor.element = read_type();
    if (tensor.element == DataType::Tensor)
      in_.fail(DiagCode::W005, begin, "there are no tensors of tensors");
    tensor.dims.resize(in_.count(2, "dimensions"));
    for (ir::Dim& dim : tensor.dims) {
      if (in_.failed()) break;
      if (in_.flag()) {
        dim.name = read_name();
        dim.buffer = read_name();
        dim.element = in_.number();
      } else {
        dim.size = in_.number();
      }
    }
    tensor.strides.resize(in_.count(1, "strides"));
    for (uint32_t& stride : tensor.strides) stride = in_.number();
    return tensor;
  }

  struct Counts {
    uint32_t expressions, statements;
  };
  /// An expression has at least two bytes, a statement one.
  Counts read_counts() {
    counts_at_ = in_.at();
    const uint32_t expressions = in_.count(2, "expressions");
    return {expressions, count_at_most(1, "statements", uint64_t(expressions) * 2)};
  }

  /// Gives every arena its final size, before anything is in it: whatever is claimed is written once.
  void reserve(Counts counts) {
    if (in_.failed()) return;
    expressions_left_ = unread_exprs_ = open_exprs_ = waiting_operands_ = counts.expressions;
    statements_ = statements_left_ = counts.statements;
    code().exprs.resize(counts.expressions);
    code().expr_list.resize(counts.expressions);
    exprs_ = code().exprs.data();
    expr_list_ = code().expr_list.data();
    code().nodes.reserve(counts.statements);
    code().node_list.resize(counts.statements);
    // A statement has at most two blocks, and a block takes a byte that nobody else has claimed.
    const uint64_t unclaimed = in_.remaining() - uint64_t(counts.expressions) * 2 - counts.statements;
    code().blocks.reserve(std::min<uint64_t>(uint64_t(counts.statements) * 2 + 1, unclaimed));
  }

  // Statements.

  /// Places in node_list that wait for their statements. Or an if that waits for its else: its NodeId and
  /// kElse.
  struct Open {
    uint32_t next;
    uint32_t missing;
  };
  static constexpr uint32_t kElse = UINT32_MAX;

  void read_body() {
    program_.entry = open_block();
    while (!open_.empty() && !in_.failed()) {
      Open& top = open_.back();
      if (top.missing == kElse) {
        const ir::NodeId owner{top.next};
        open_.pop_back();
        code().nodes.set_orelse(owner, open_block());
        continue;
      }
      const uint32_t place = top.next++;
      // Before the last statement opens a block of its own: nesting costs memory only where something follows
      // it.
      if (--top.missing == 0) open_.pop_back();
      read_statement(place);
    }
  }

  ir::BlockId open_block() {
    const size_t begin = in_.at();
    uint32_t count = in_.number();
    // The bytes that remain hold this block and all that was claimed and not read, or the file is cut off: so
    // there are no more blocks than reserve() made room for.
    const uint64_t unread = uint64_t(unread_exprs_) * 2 + (statements_ - code().nodes.size());
    if (count > in_.remaining() || unread > in_.remaining()) {
      in_.fail(DiagCode::W007, begin,
               fmt::format("{} statements of a block and {} bytes of the program are to come, and {} remain",
                           count, unread, in_.remaining()));
    }
    if (count > statements_left_) {
      in_.fail(DiagCode::W006, counts_at_, "more statements than are claimed");
      count = 0;
    }
    statements_left_ -= count;
    const uint32_t first = code().blocks.empty() ? 0 : code().blocks.back();
    code().blocks.push_back(first + count);
    if (count != 0) open_.push_back({first, count});
    return ir::BlockId{uint32_t(code().blocks.size() - 1)};
  }

  void read_statement(uint32_t place) {
    const ir::NodeId id{uint32_t(code().nodes.size())};
    code().node_list[place] = id;
    ir::Node node{.kind = read_tag<NodeKind>("statement")};
    bool has_body = false, has_else = false;
    switch (node.kind) {
      case NodeKind::Let:
      case NodeKind::Assign:
        node.symbol = read_name();
        node.args = read_operands(1);
        break;
      case NodeKind::Store:
        node.symbol = read_name();
        node.args = read_operands(in_.count(2, "further indices") + 2);
        break;
      case NodeKind::If:
        node.args = read_operands(1);
        has_else = in_.flag();
        has_body = true;
        break;
      case NodeKind::Loop:
        node.symbol = read_name();
        node.args = read_operands(2);
        has_body = true;
        break;
      case NodeKind::Block: has_body = true; break;
      case NodeKind::Return:
      case NodeKind::Barrier: break;
    }
    if (has_body) node.body = ir::BlockId{uint32_t(code().blocks.size())};
    code().nodes.push_back(node);
    if (has_else) open_.push_back({ir::index(id), kElse});
    if (has_body) open_block();
  }

  // Expressions, in prefix order.

  /// Whether so many operands are left of what the file claims.
  bool claim(uint32_t operands) {
    if (operands > expressions_left_) {
      in_.fail(DiagCode::W006, counts_at_, "more expressions than are claimed");
      return false;
    }
    expressions_left_ -= operands;
    return true;
  }

  Range read_operands(uint32_t count) {
    if (!claim(count)) return {};
    for (uint32_t i = 0; i < count; ++i) {
      read_tree();
      if (in_.failed()) return {};
    }
    return take_operands(count);
  }

  /// One expression with all that it is made of. An open one counts in args.first what it still misses.
  void read_tree() {
    const uint32_t bottom = open_exprs_;
    do {
      ir::Expr e;
      --unread_exprs_;
      const uint32_t operands = read_expression(e);
      if (!claim(operands) || in_.failed()) return;
      if (operands != 0) {
        e.args = {operands, operands};
        exprs_[--open_exprs_] = e;
        continue;
      }
      finish(e, {});
      while (open_exprs_ != bottom && --exprs_[open_exprs_].args.first == 0) {
        const ir::Expr& complete = exprs_[open_exprs_++];
        finish(complete, take_operands(complete.args.count));
      }
    } while (open_exprs_ != bottom);
  }

  /// Its fields one by one: its range was written in halves just now, and is not read as a whole.
  void finish(const ir::Expr& e, Range operands) {
    ir::Expr& to = exprs_[finished_exprs_];
    to.kind = e.kind;
    to.op = e.op;
    to.type = e.type;
    to.mode = e.mode;
    to.symbol = e.symbol;
    to.immediate = e.immediate;
    to.args = operands;
    expr_list_[--waiting_operands_] = ir::ExprId{finished_exprs_++};
  }

  /// The operands that wait, the last of them first, become the list of their owner. When no expression is
  /// open or unread, the ends of the list meet, so each is read before any is written.
  Range take_operands(uint32_t count) {
    const Range places{taken_operands_, count};
    ir::ExprId* const to = expr_list_ + taken_operands_;
    ir::ExprId* const from = expr_list_ + waiting_operands_;
    taken_operands_ += count;
    waiting_operands_ += count;
    switch (count) {
      case 1: to[0] = from[0]; break;
      case 2: {
        const ir::ExprId second = from[0];
        to[0] = from[1];
        to[1] = second;
        break;
      }
      default: std::reverse(from, from + count); std::memmove(to, from, count * sizeof(ir::ExprId));
    }
    return places;
  }

  /// All of an expression but its operands; gives how many these are.
  uint32_t read_expression(ir::Expr& e) {
    e.kind = read_tag<ExprKind>("expression");
    switch (e.kind) {
      case ExprKind::Literal: read_literal(e); return 0;
      case ExprKind::Var:
      case ExprKind::BufLen: e.symbol = read_name(); return 0;
      case ExprKind::Load: e.symbol = read_name(); return in_.count(2, "further indices") + 1;
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId: e.immediate = in_.number(); return 0;
      case ExprKind::Apply: return read_operator(e);
    }
    std::unreachable();
  }

  void read_literal(ir::Expr& e) {
    const size_t begin = in_.at();
    e.type = read_type();
    if (!spec::is_value_type(e.type)) {
      in_.fail(DiagCode::W005, begin, fmt::format("there are no literals of type {}", spec::text(e.type)));
    }
    e.immediate = in_.number();
    const uint32_t words = literal_words(e.type);
    if (words == 1) return;
    std::array<uint32_t, 4> bits{e.immediate};
    for (uint32_t i = 1; i < words; ++i) bits[i] = in_.number();
    e.immediate = uint32_t(code().wide.size());
    code().wide.push_back(bits);
  }

  uint32_t read_operator(ir::Expr& e) {
    e.op = read_operator_tag();
    const uint8_t operands = kBareOperands[static_cast<size_t>(e.op)];
    if (operands != kMore) return operands;
    const Signature signature = spec::info(e.op).signature;
    switch (signature) {
      case Signature::T_T:
      case Signature::TT_T:
      case Signature::TTT_T:
      case Signature::TU_T:
      case Signature::T_U:
      case Signature::TT_U:
      case Signature::T_B:
      case Signature::UU_V:
      case Signature::UUUU_V:
      case Signature::CTT_T: break;
      case Signature::V_U: e.immediate = in_.number(); break;
      case Signature::Cast:
        e.type = read_type();
        e.mode = read_tag<spec::RoundingMode>("rounding mode");
        break;
      case Signature::Bitcast: e.type = read_type(); break;
      case Signature::Call:
        e.symbol = read_name();
        e.immediate = in_.number();
        return in_.count(2, "arguments");
      case Signature::Reduce:
        e.symbol = read_name();
        e.immediate = spec::info(read_operator_tag()).wire_tag;
        if (e.op == spec::Op::FReduceApprox) e.immediate |= read_tolerance() << spec::kToleranceShift;
        return in_.flag() ? 2 : 0;
      case Signature::A_T:
      case Signature::AA_T: e.symbol = read_name(); break;
    }
    return spec::operand_count(signature).value_or(0);
  }

  Reader in_;
  ir::Program program_;
  uint32_t string_count_ = 0;
  uint32_t used_strings_ = 1;  // the program's name is
  size_t counts_at_ = 0;
  uint32_t expressions_left_ = 0;  // to be claimed
  uint32_t statements_ = 0, statements_left_ = 0;
  // The arenas of expressions and of their operands' ids fill from both ends: from below with what is
  // complete, from above with what waits for the rest of its expression.
  ir::Expr* exprs_ = nullptr;
  ir::ExprId* expr_list_ = nullptr;
  uint32_t unread_exprs_ = 0;
  uint32_t finished_exprs_ = 0, open_exprs_ = 0;
  uint32_t taken_operands_ = 0, waiting_operands_ = 0;
  std::deque<Open> open_;  // not a vector: it grows by what it needs
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
  if (file.size() > UINT32_MAX) {
    return fail(DiagCode::W007,
                fmt::format("at byte 0: a file of {} bytes; at most {} are read", file.size(), UINT32_MAX),
                "split the program");
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
