// The decoder: bytes from anywhere to a program or a module, or a diagnostic that says at which byte they
// stop being one.
//
// Everything is read once, from front to back. Counts are checked against the bytes that remain before
// anything is allocated for them, and each rule that makes an encoding the only one of its content
// (docs/wire-format.md, "Canonical") is enforced where the byte is read.
//
// Nothing is kept twice. A block with statements claims places for them in node_list when their number is
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
using spec::Form;

/// More strings or statements than this are refused: 16 times the nodes of the largest valid program, and
/// what the arenas can number.
constexpr uint32_t kMaxCount = 16 * spec::kMaxNodes;

/// More items than this are refused: each takes memory of its own, however few its bytes are.
constexpr uint32_t kMaxItems = 1u << 16;

/// By operator: how many operands follow its tag at once, or kMore where something else stands between.
constexpr uint8_t kMore = 0xff;
constexpr auto kBareOperands = [] {
  std::array<uint8_t, spec::kOpCount> out{};
  for (size_t i = 0; i < spec::kOpCount; ++i) {
    const spec::Op op = spec::kOps[i].op;
    const bool bare = spec::is_scalar(op) || spec::form_of(op) == Form::Select;
    out[i] = bare ? uint8_t(*spec::operand_count(op)) : kMore;
  }
  return out;
}();

/// Reads one item; each has a decoder, and strings, of its own. What is read goes to `program_`, whose parts
/// become those of the item.
class Decoder {
 public:
  explicit Decoder(Reader& in) : in_(in) {}

  ir::Program program() {
    read_strings("program");
    read_buffers();
    for (uint32_t& size : program_.workgroup_size) size = in_.number();
    reserve(read_counts());
    read_body();
    return std::move(program_);
  }

  ir::Operation operation() {
    ir::Operation operation;
    ir::Function& function = operation.function;
    read_strings("operation");
    operation.version = in_.number();
    read_list(function.parameters, 2, "parameters", [&](ir::Function::Parameter& parameter) {
      parameter.name = read_name();
      parameter.type = read_type();
    });
    function.result_type = read_type();
    read_claims(operation);
    reserve(read_counts());
    read_body();
    const Range result = read_operands(1);
    if (!in_.failed()) function.result = code().expr_list[result.first];
    function.id = std::move(program_.name);
    function.code = std::move(program_.code);
    function.body = program_.entry;
    return operation;
  }

  ir::Pipeline pipeline() {
    ir::Pipeline pipeline;
    read_strings("pipeline");
    read_buffers();
    read_commands(pipeline);
    pipeline.name = std::move(program_.name);
    pipeline.buffers = std::move(program_.buffers);
    pipeline.tensors = std::move(program_.tensors);
    pipeline.code = std::move(program_.code);
    return pipeline;
  }

  /// What can only be said when the item was read.
  void check_end() {
    if (used_strings_ != string_count_) {
      in_.fail(DiagCode::W006, strings_at_,
               fmt::format("{} strings, of which {} are used", string_count_, used_strings_));
    }
    if (expressions_left_ != 0 || statements_left_ != 0 || arguments_left_ != 0) {
      in_.fail(DiagCode::W006, counts_at_,
               fmt::format("{} expressions, {} {} and {} arguments more are claimed than found",
                           expressions_left_, statements_left_, statements_name_, arguments_left_));
    }
  }

 private:
  ir::Code& code() { return program_.code; }

  /// A count and so many elements, each of at least `least` bytes.
  template <typename T, typename ReadOne>
  void read_list(std::vector<T>& list, size_t least, std::string_view things, ReadOne read_one) {
    list.resize(in_.count(least, things));
    for (T& element : list) {
      if (in_.failed()) return;
      read_one(element);
    }
  }

  // Strings. String 0 is the item's name; the others are numbered in the order of their first use.

  uint32_t count_at_most(size_t least, std::string_view things, uint64_t promised = 0) {
    const size_t begin = in_.at();
    const uint32_t count = in_.count(least, things, promised);
    if (count <= kMaxCount) return count;
    in_.fail(DiagCode::W007, begin,
             fmt::format("{} {} claimed, and at most {} are read", count, things, kMaxCount));
    return 0;
  }

  void read_strings(std::string_view item) {
    strings_at_ = in_.at();
    string_count_ = count_at_most(1, "strings");
    if (string_count_ == 0)
      in_.fail(DiagCode::W006, strings_at_, fmt::format("no strings, and the first is the {}'s name", item));
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
    read_list(tensor.dims, 2, "dimensions", [&](ir::Dim& dim) {
      if (in_.flag()) {
        dim.name = read_name();
        dim.buffer = read_name();
        dim.element = in_.number();
      } else {
        dim.size = in_.number();
      }
    });
    read_list(tensor.strides, 1, "strides", [&](uint32_t& stride) { stride = in_.number(); });
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
    reserve_expressions(counts.expressions);
    statements_left_ = unread_statements_ = counts.statements;
    code().nodes.reserve(counts.statements);
    code().node_list.resize(counts.statements);
    // A statement has at most two blocks, and a block takes a byte that nothing else has claimed.
    const uint64_t unclaimed = in_.remaining() - uint64_t(counts.expressions) * 2 - counts.statements;
    code().blocks.reserve(std::min<uint64_t>(uint64_t(counts.statements) * 2 + 1, unclaimed));
  }

  void reserve_expressions(uint32_t count) {
    expressions_left_ = unread_exprs_ = open_exprs_ = waiting_operands_ = count;
    code().exprs.resize(count);
    code().expr_list.resize(count);
    exprs_ = code().exprs.data();
    expr_list_ = code().expr_list.data();
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
    const uint32_t count = read_block_size(uint64_t(unread_exprs_) * 2 + unread_statements_);
    const uint32_t first = code().blocks.empty() ? 0 : code().blocks.back();
    code().blocks.push_back(first + count);
    if (count != 0) open_.push_back({first, count});
    return ir::BlockId{uint32_t(code().blocks.size() - 1)};
  }

  /// How many statements, or commands, a block has. The bytes that remain hold this block and all that was
  /// claimed and not read, which takes `unread` bytes, or the file is cut off: so there are no more blocks
  /// than reserve() made room for.
  uint32_t read_block_size(uint64_t unread) {
    const size_t begin = in_.at();
    uint32_t count = in_.number();
    if (count > in_.remaining() || unread > in_.remaining()) {
      in_.fail(DiagCode::W007, begin,
               fmt::format("{} {} of a block and {} bytes of the {} are to come, and {} remain", count,
                           statements_name_, unread, item_, in_.remaining()));
    }
    if (count > statements_left_) {
      in_.fail(DiagCode::W006, counts_at_, fmt::format("more {} than are claimed", statements_name_));
      count = 0;
    }
    statements_left_ -= count;
    return count;
  }

  void read_statement(uint32_t place) {
    const ir::NodeId id{uint32_t(code().nodes.size())};
    code().node_list[place] = id;
    --unread_statements_;
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

  // What is said of an operation.

  void read_claims(ir::Operation& operation) {
    read_list(operation.claims, 2, "claims", [&](ir::LawText& law) { read_law(law); });
    read_list(operation.denials, 3, "denials", [&](ir::DenialText& denial) {
      read_law(denial.law);
      read_values(denial.witness);
    });
    read_list(operation.rows, 3, "rows", [&](ir::Row& row) {
      read_values(row.operands);
      read_value(row.expected);
    });
  }

  void read_law(ir::LawText& law) {
    law.name = in_.string();
    read_list(law.arguments, 3, "arguments", [&](ir::LawText::Argument& argument) {
      argument.operation = in_.string();
      if (argument.operation.empty()) {
        for (uint32_t& word : argument.bits) word = in_.number();
      } else {
        argument.version = in_.number();
      }
    });
  }

  void read_values(std::vector<ir::Value>& values) {
    read_list(values, 2, "values", [&](ir::Value& value) { read_value(value); });
  }
  void read_value(ir::Value& value) {
    value.type = read_value_type();
    for (uint32_t i = 0; i < literal_words(value.type); ++i) value.bits[i] = in_.number();
  }

  // Commands. They stand in the file in the order in which they are kept.

  /// A body whose commands are being read. An if is open twice, for its else-branch again.
  struct OpenBody {
    uint32_t owner;  // the command whose body it is, or kWhole
    uint32_t missing;
  };
  static constexpr uint32_t kWhole = UINT32_MAX;

  void read_commands(ir::Pipeline& pipeline) {
    item_ = "pipeline";
    statements_name_ = "commands";
    counts_at_ = in_.at();
    const uint32_t expressions = in_.count(2, "expressions");
    uint64_t promised = uint64_t(expressions) * 2;
    statements_left_ = unread_statements_ = count_at_most(2, "commands", promised);
    promised += uint64_t(statements_left_) * 2;
    arguments_left_ = unread_arguments_ = in_.count(3, "arguments", promised);
    if (in_.failed()) return;
    reserve_expressions(expressions);
    pipeline.commands.reserve(statements_left_);
    pipeline.arguments.reserve(arguments_left_);
    open_body(kWhole);
    while (!bodies_.empty() && !in_.failed()) {
      if (bodies_.back().missing == 0) {
        close_body(pipeline);
      } else {
        --bodies_.back().missing;
        read_command(pipeline);
      }
    }
  }

  void open_body(uint32_t owner) {
    const uint64_t unread =
        uint64_t(unread_exprs_) * 2 + uint64_t(unread_statements_) * 2 + uint64_t(unread_arguments_) * 3;
    const uint32_t count = read_block_size(unread);
    bodies_.push_back({owner, count});
  }

  void close_body(ir::Pipeline& pipeline) {
    const uint32_t owner = bodies_.back().owner;
    bodies_.pop_back();
    if (owner == kWhole) return;
    ir::Command& command = pipeline.commands[owner];
    const uint32_t here = uint32_t(pipeline.commands.size());
    const bool first = command.orelse == 0;
    if (first) command.orelse = here;
    if (first && command.has_else) return open_body(owner);
    command.end = here;
  }

  void read_command(ir::Pipeline& pipeline) {
    const uint32_t at = uint32_t(pipeline.commands.size());
    --unread_statements_;
    ir::Command& command = pipeline.commands.emplace_back();
    command.kind = read_tag<ir::CommandKind>("command");
    switch (command.kind) {
      case ir::CommandKind::Scratch:
        command.symbol = read_name();
        command.type = read_type();
        command.exprs = read_operands(1);
        break;
      case ir::CommandKind::Let:
        command.symbol = read_name();
        command.exprs = read_operands(1);
        break;
      case ir::CommandKind::Dispatch:
        command.symbol = read_name();
        read_arguments(pipeline, command);
        command.exprs = read_operands(read_axes());
        break;
      case ir::CommandKind::Run:
        command.symbol = read_name();
        command.version = in_.number();
        read_arguments(pipeline, command);
        break;
      case ir::CommandKind::Loop:
      case ir::CommandKind::Repeat:
        command.symbol = read_name();
        command.exprs = read_operands(2);
        return open_body(at);
      case ir::CommandKind::If:
        command.exprs = read_operands(1);
        command.has_else = in_.flag();
        return open_body(at);
    }
    command.orelse = command.end = at + 1;
  }

  /// On how many axes a dispatch says how many groups there are.
  uint32_t read_axes() {
    const size_t begin = in_.at();
    const uint8_t axes = in_.byte();
    if (axes >= 1 && axes <= 3) return axes;
    in_.fail(DiagCode::W005, begin, fmt::format("{} axes; there are three", axes));
    return 0;
  }

  void read_arguments(ir::Pipeline& pipeline, ir::Command& command) {
    const uint32_t count = in_.count(3, "arguments");
    if (count > arguments_left_) {
      in_.fail(DiagCode::W006, counts_at_, "more arguments than are claimed");
      return;
    }
    arguments_left_ -= count;
    command.arguments = {uint32_t(pipeline.arguments.size()), count};
    for (uint32_t i = 0; i < count && !in_.failed(); ++i) {
      --unread_arguments_;
      ir::Argument& argument = pipeline.arguments.emplace_back();
      argument.parameter = read_name();
      if (in_.flag()) {
        argument.words = read_operands(in_.count(2, "further words") + 1);
      } else {
        argument.buffer = read_name();
      }
    }
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
    if (count == 0 || !claim(count)) return {};
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

  DataType read_value_type() {
    const size_t begin = in_.at();
    const DataType type = read_type();
    if (!spec::is_value_type(type)) {
      in_.fail(DiagCode::W005, begin, fmt::format("there are no literals of type {}", spec::text(type)));
    }
    return type;
  }

  void read_literal(ir::Expr& e) {
    e.type = read_value_type();
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
    switch (spec::form_of(e.op)) {
      case Form::Scalar:
      case Form::Select:
      case Form::MakeVector: break;
      case Form::Component: e.immediate = in_.number(); break;
      case Form::Cast:
        e.type = read_type();
        e.mode = read_tag<spec::RoundingMode>("rounding mode");
        break;
      case Form::Bitcast: e.type = read_type(); break;
      case Form::Call:
        e.symbol = read_name();
        e.immediate = in_.number();
        return in_.count(2, "arguments");
      case Form::Reduce:
        e.symbol = read_name();
        e.immediate = spec::info(read_operator_tag()).wire_tag;
        if (e.op == spec::Op::FReduceApprox) e.immediate |= read_tolerance() << spec::kToleranceShift;
        return in_.flag() ? 2 : 0;
      case Form::Atomic: e.symbol = read_name(); break;
    }
    return spec::operand_count(e.op).value_or(0);
  }

  Reader& in_;
  ir::Program program_;
  size_t strings_at_ = 0;
  uint32_t string_count_ = 0;
  uint32_t used_strings_ = 1;  // the item's name is
  size_t counts_at_ = 0;
  // Of what the counts claim: what no block and no operator has claimed yet, and what was not read yet.
  std::string_view item_ = "program", statements_name_ = "statements";
  uint32_t expressions_left_ = 0, unread_exprs_ = 0;
  uint32_t statements_left_ = 0, unread_statements_ = 0;  // or commands
  uint32_t arguments_left_ = 0, unread_arguments_ = 0;    // of commands
  // The arenas of expressions and of their operands' ids fill from both ends: from below with what is
  // complete, from above with what waits for the rest of its expression.
  ir::Expr* exprs_ = nullptr;
  ir::ExprId* expr_list_ = nullptr;
  uint32_t finished_exprs_ = 0, open_exprs_ = 0;
  uint32_t taken_operands_ = 0, waiting_operands_ = 0;
  // Not vectors: these grow by what they need.
  std::deque<Open> open_;
  std::deque<OpenBody> bodies_;
};

void check_nothing_follows(Reader& in, std::string_view what) {
  if (in.remaining() == 0) return;
  in.fail(DiagCode::W008, in.at(), fmt::format("{} bytes follow the {}", in.remaining(), what),
          "cut them off");
}

Result<ir::Program> read_program(std::span<const std::byte> file) {
  Reader in(file, kBodyAt);
  Decoder decoder(in);
  ir::Program program = decoder.program();
  check_nothing_follows(in, "program");
  decoder.check_end();
  if (in.failed()) return std::unexpected(in.take_fault());
  return program;
}

Result<ir::Module> read_module(std::span<const std::byte> file) {
  Reader in(file, kBodyAt);
  ir::Module module;
  uint32_t items = 0;
  const auto read_items = [&](auto& list, size_t least, std::string_view things, auto read_one) {
    const size_t begin = in.at();
    const uint32_t count = in.count(least, things);
    items += count;
    if (items > kMaxItems) {
      in.fail(DiagCode::W007, begin, fmt::format("{} items; at most {} are read", items, kMaxItems),
              "split the module");
      return;
    }
    list.reserve(count);
    for (uint32_t i = 0; i < count && !in.failed(); ++i) {
      Decoder decoder(in);
      list.push_back(read_one(decoder));
      decoder.check_end();
    }
  };
  // The fewest bytes of each: a name without a character, and nothing that need not be there.
  read_items(module.operations, 13, "operations", [](Decoder& decoder) { return decoder.operation(); });
  read_items(module.programs, 9, "programs", [](Decoder& decoder) { return decoder.program(); });
  read_items(module.pipelines, 7, "pipelines", [](Decoder& decoder) { return decoder.pipeline(); });
  if (module.is_program()) {
    in.fail(DiagCode::W006, kVersionAt, fmt::format("one program as version {}", kModuleVersion),
            fmt::format("it is version {}", kVersion));
  }
  check_nothing_follows(in, "module");
  if (in.failed()) return std::unexpected(in.take_fault());
  return module;
}

/// The version of a file whose header is as it should be, for a reader of modules or of one program.
Result<uint32_t> read_header(std::span<const std::byte> file, bool modules) {
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
  if (version != kVersion && version != kModuleVersion) {
    return fail(DiagCode::W002,
                fmt::format("at byte {}: version {}, and this build knows {} and {}", kVersionAt, version,
                            kVersion, kModuleVersion),
                "use a newer vyre, or encode the program again");
  }
  if (version == kModuleVersion && !modules) {
    return fail(
        DiagCode::W002,
        fmt::format("at byte {}: version {}, a module, where one program is wanted", kVersionAt, version),
        "a module runs with `vyre run`");
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
  return version;
}

}  // namespace

Result<ir::Program> decode(std::span<const std::byte> file) {
  VYRE_CHECK(read_header(file, false));
  return read_program(file);
}

Result<ir::Module> decode_module(std::span<const std::byte> file) {
  VYRE_TRY(version, read_header(file, true));
  if (version == kModuleVersion) return read_module(file);
  VYRE_TRY(program, read_program(file));
  ir::Module module;
  module.programs.push_back(std::move(program));
  return module;
}

}  // namespace vyre::wire
