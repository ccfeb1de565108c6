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
#include <cstring>
#include <deque>

#include "spec/limits.h"
#include "wire/fields.h"
#include "wire/reader.h"
#include "wire/seal.h"
#include "wire/wire.h"

namespace vyre::wire {
namespace {

using ir::Range;
using spec::DataType;

/// More strings or statements than this are refused: 16 times the nodes of the largest valid program, and
/// what the arenas can number.
constexpr uint32_t kMaxCount = 16 * spec::kMaxNodes;

/// More items than this are refused: each takes memory of its own, however few its bytes are.
constexpr uint32_t kMaxItems = 1u << 16;

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
    fields(*this, operation);
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
    pipeline_ = &pipeline;
    read_commands(pipeline);
    pipeline.name = std::move(program_.name);
    pipeline.buffers = std::move(program_.buffers);
    pipeline.tensors = std::move(program_.tensors);
    pipeline.code = std::move(program_.code);
    return pipeline;
  }

  ir::Graph graph() {
    ir::Graph graph;
    read_strings("graph");
    counts_at_ = in_.at();
    const uint32_t expressions = in_.count(2, "expressions");
    const uint32_t commands = count_at_most(3, "commands", uint64_t(expressions) * 2);
    if (in_.failed()) return graph;
    statements_name_ = "commands";
    reserve_expressions(expressions);
    fields(*this, graph);
    graph.commands.reserve(commands);
    for (uint32_t i = 0; i < commands && !in_.failed(); ++i) fields(*this, graph.commands.emplace_back());
    graph.name = std::move(program_.name);
    graph.code = std::move(program_.code);
    if (in_.failed()) return graph;
    if (const auto number = ir::misplaced(graph)) {
      in_.fail(DiagCode::W006, counts_at_,
               fmt::format("command {} does not stand where the one that uses it has it", *number));
    }
    return graph;
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

  // Fields (wire/fields.h).

  void flag(bool& value) { value = in_.flag(); }
  void number(uint32_t& value) { value = in_.number(); }
  void name(ir::Symbol& symbol) { symbol = read_name(); }
  void text(std::string& text) { text = in_.string(); }
  template <typename Enum>
  void tag(Enum& value, std::string_view what) {
    const size_t begin = in_.at();
    const uint8_t read = in_.byte();
    const auto found = find_tag<Enum>(read);
    value = found.value_or(Enum{});
    if (!found) in_.fail(DiagCode::W005, begin, fmt::format("0x{:02x} is no {}", read, what));
  }
  void statement(ir::NodeKind& kind, bool& unroll) {
    constexpr uint8_t kUnrolled = Tags<ir::NodeKind>::unrolled_loop;
    static_assert(!find_tag<ir::NodeKind>(kUnrolled));
    unroll = in_.peek() == kUnrolled;
    if (!unroll) return tag(kind, "statement");
    in_.byte();
    kind = ir::NodeKind::Loop;
  }
  void type(DataType& type) {
    const size_t begin = in_.at();
    type = find_kept_tag<DataType>(begin, in_.byte(), "type", "a type", is_reserved_type_tag);
  }
  void element_type(DataType& element) {
    const size_t begin = in_.at();
    type(element);
    if (element == DataType::Tensor) in_.fail(DiagCode::W005, begin, "there are no tensors of tensors");
  }
  void value_type(DataType& value) {
    const size_t begin = in_.at();
    type(value);
    if (!spec::is_value_type(value))
      in_.fail(DiagCode::W005, begin, fmt::format("there are no literals of type {}", spec::text(value)));
  }
  void words(std::array<uint32_t, 4>& bits, DataType type) {
    const size_t begin = in_.at();
    for (uint32_t i = 0; i < literal_words(type); ++i) number(bits[i]);
    if (!spec::is_value(bits, type)) {
      in_.fail(DiagCode::W006, begin,
               fmt::format("{:#x} has bits beyond those of a {}", bits[0], spec::text(type)));
    }
  }
  void op(spec::Op& op) {
    const size_t begin = in_.at();
    op = find_kept_tag<spec::Op>(begin, in_.number(), "operator", "an operator", is_reserved_operator_tag);
  }
  /// A count and so many elements, each of at least `least` bytes.
  template <typename T>
  void list(std::vector<T>& list, size_t least, std::string_view things) {
    list.resize(in_.count(least, things));
    for (T& element : list) {
      if (in_.failed()) return;
      if constexpr (std::is_same_v<T, uint32_t>) {
        number(element);
      } else {
        fields(*this, element);
      }
    }
  }
  void tensor(uint32_t& number, std::vector<ir::TensorType>& tensors) {
    number = uint32_t(tensors.size());
    fields(*this, tensors.emplace_back());
  }
  /// How many there are, when so many more than the least are claimed. Each has two bytes.
  void more_than(uint32_t least, uint32_t& count, std::string_view things) {
    count = in_.count(2, things) + least;
  }
  /// On how many axes a dispatch says how many groups there are.
  void axes(uint32_t& axes, Range) {
    const size_t begin = in_.at();
    axes = in_.byte();
    if (axes >= 1 && axes <= 3) return;
    in_.fail(DiagCode::W005, begin, fmt::format("{} axes; there are three", axes));
    axes = 0;
  }
  void arguments(Range& arguments) {
    const uint32_t count = in_.count(3, "arguments");
    if (count > arguments_left_) {
      in_.fail(DiagCode::W006, counts_at_, "more arguments than are claimed");
      return;
    }
    arguments_left_ -= count;
    arguments = {uint32_t(pipeline_->arguments.size()), count};
    for (uint32_t i = 0; i < count && !in_.failed(); ++i) {
      --unread_arguments_;
      fields(*this, pipeline_->arguments.emplace_back());
    }
  }
  void operands(Range& operands, uint32_t count) { operands = read_operands(count); }
  void literal(ir::Expr& e) {
    ir::Value value;
    fields(*this, value);
    e.type = value.type;
    e.immediate = value.bits[0];
    if (literal_words(e.type) == 1) return;
    e.immediate = uint32_t(code().wide.size());
    code().wide.push_back(value.bits);
  }
  void fold(ir::Expr& e) {
    spec::Op fold{};
    op(fold);
    e.immediate = spec::info(fold).wire_tag;
    if (e.op == spec::Op::FReduceApprox) e.immediate |= read_tolerance() << spec::kToleranceShift;
  }
  void fold(spec::Op& fold, ir::Order& order) {
    size_t begin = in_.at();
    op(fold);
    const ir::FoldInfo* const known = ir::find_fold(fold);
    if (known == nullptr) {
      in_.fail(DiagCode::W005, begin, fmt::format("`{}` is no operator to fold with", spec::mnemonic(fold)));
    } else if (known->ordered) {
      begin = in_.at();
      tag(order, "order");
      if (order == ir::Order::None) in_.fail(DiagCode::W005, begin, "floats are reduced without an order");
    }
  }
  void names(std::vector<ir::Symbol>& names, bool many) {
    names.resize(many ? in_.count(1, "further names") + 1 : 1);
    for (ir::Symbol& one : names) name(one);
  }
  void tensors(std::vector<ir::ExprId>& roots, uint32_t least, bool more) {
    read_roots(roots, uint64_t(more ? in_.count(2, "further tensors") : 0) + least);
  }
  void sizes(std::vector<ir::ExprId>& roots, uint32_t group) {
    read_roots(roots, uint64_t(in_.count(2 * size_t(group), "sizes")) * group);
  }
  void one_axis(std::vector<uint32_t>& axes) { axes.assign(1, in_.number()); }

 private:
  ir::Code& code() { return program_.code; }

  /// A tag of a ledger, some of which are promised to what is to come.
  template <typename Enum>
  Enum find_kept_tag(size_t at, uint32_t value, std::string_view what, std::string_view to_come,
                     bool (*is_reserved)(uint32_t)) {
    const auto found = find_tag<Enum>(value);
    if (found) [[likely]]
      return *found;
    if (is_reserved(value)) {
      in_.fail(DiagCode::W010, at,
               fmt::format("{} tag 0x{:02x} is reserved for {} to come", what, value, to_come),
               "a newer version of vyre may have it");
    }
    in_.fail(DiagCode::W005, at, fmt::format("0x{:02x} is no {}", value, what));
    return {};
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
      fields(*this, program_.buffers.emplace_back(), program_.tensors);
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
    ir::Node node;
    bool has_else = false;
    fields(*this, node, has_else);
    const bool has_body = ir::kNodeShapes[node.kind].body;
    if (has_body) node.body = ir::BlockId{uint32_t(code().blocks.size())};
    code().nodes.push_back(node);
    if (has_else) open_.push_back({ir::index(id), kElse});
    if (has_body) open_block();
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
    fields(*this, command);
    if (ir::has_body(command.kind)) return open_body(at);
    command.orelse = command.end = at + 1;
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

  void read_roots(std::vector<ir::ExprId>& roots, uint64_t count) {
    const Range range = read_operands(uint32_t(count));
    roots.assign(code().expr_list.begin() + range.first,
                 code().expr_list.begin() + range.first + range.count);
  }

  /// One expression with all that it is made of. An open one counts in args.first what it still misses.
  void read_tree() {
    const uint32_t bottom = open_exprs_;
    do {
      ir::Expr e;
      --unread_exprs_;
      uint32_t operands = 0;
      fields(*this, e, operands);
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

  Reader& in_;
  ir::Program program_;
  ir::Pipeline* pipeline_ = nullptr;  // whose commands are read
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
  if (!in.failed() && in.peek() == kGraphs) {
    in.byte();
    const size_t begin = in.at();
    read_items(module.graphs, 7, "graphs", [](Decoder& decoder) { return decoder.graph(); });
    if (module.graphs.empty()) in.fail(DiagCode::W006, begin, "graphs that are none");
  }
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
