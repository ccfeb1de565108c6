// Texts and programs there and back: a corpus written by hand, all files of the repository, and random
// programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/random.h"
#include "float_texts.h"
#include "ir/ir.h"
#include "oracle.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(
    Property,
    "ir::equal and the property itself: formatting keeps the program, each comment and its own result, over "
    "every text of the tests and examples and programs that did not come from the parser");

namespace vyre::text {
namespace {

using ir::BlockId;
using ir::Code;
using ir::ExprId;
using ir::ExprKind;
using ir::NodeId;
using ir::NodeKind;
using spec::Op;

Result<ir::Program> parsed_like(const ir::Program&, const std::string& text) { return parse(text); }
Result<ir::Module> parsed_like(const ir::Module&, const std::string& text) { return parse_module(text); }

/// What holds for every program and every module: it prints to text that means the same and is formatted.
void expect_prints(const auto& program) {
  const std::string text = print(program);
  const auto again = parsed_like(program, text);
  const Source source("printed.vyre", text);
  ASSERT_TRUE(again.has_value()) << render(again.error(), &source) << text.substr(0, 2000);
  ASSERT_TRUE(ir::equal(program, *again)) << text.substr(0, 2000);
  const auto formatted = format(text);
  ASSERT_TRUE(formatted.has_value());
  ASSERT_EQ(*formatted, text);
}

/// Random programs of the grammar, not of the rules: names need not exist, types need not fit.
class Generator {
 public:
  Generator(uint64_t seed, uint32_t size) : random_(seed, 1), budget_(size) {}

  ir::Program program() {
    ir::Program p;
    p.name = name();
    for (uint32_t i = random_.below(6); i > 0; --i) {
      ir::BufferDecl buffer;
      buffer.name = code_.intern(name());
      buffer.access = spec::BufferAccess(random_.below(spec::kBufferAccessCount));
      buffer.element = type(true);
      if (buffer.element == ir::DataType::Tensor) {
        buffer.tensor = uint32_t(p.tensors.size());
        p.tensors.push_back(tensor());
      }
      (spec::is_bound(buffer.access) ? buffer.binding : buffer.count) = number();
      p.buffers.push_back(buffer);
    }
    p.workgroup_size = {number(), number(), number()};
    p.entry = block(0);
    p.code = std::move(code_);
    return p;
  }

 private:
  std::string name() {
    constexpr std::string_view kNames[] = {"a",   "b",      "_",    "x9",
                                           "add", "Select", "i32_", "a_rather_long_name_of_a_thing"};
    return std::string(kNames[random_.below(std::size(kNames))]);
  }
  std::string id() {
    constexpr std::string_view kIds[] = {"primitive.bitwise.and", "a.let", "x.y.u32.z"};
    return std::string(kIds[random_.below(std::size(kIds))]);
  }
  uint32_t number() {
    constexpr uint32_t kNumbers[] = {0, 1, 7, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff};
    return random_.chance(3) ? random_.next() : kNumbers[random_.below(std::size(kNumbers))];
  }
  /// The type of a value, or of a buffer.
  ir::DataType type(bool buffer) {
    while (true) {
      const ir::DataType t = spec::kTypes[random_.below(spec::kTypeCount)].type;
      if (buffer || spec::is_value_type(t)) return t;
    }
  }
  ir::TensorType tensor() {
    ir::TensorType t = {.element = type(random_.chance(8))};
    if (t.element == ir::DataType::Tensor) t.element = ir::DataType::Bytes;
    for (uint32_t i = random_.chance(20) ? 30 : 1 + random_.below(4); i > 0; --i) {
      ir::Dim dim;
      if (random_.chance(2)) {
        dim.size = number();
      } else {
        dim = {0, code_.intern(name()), code_.intern(name()), number()};
      }
      t.dims.push_back(dim);
    }
    if (random_.chance(2)) {
      for (uint32_t i = 1 + random_.below(4); i > 0; --i) t.strides.push_back(number());
    }
    return t;
  }
  ExprId literal(ir::DataType t) {
    std::array<uint32_t, 4> bits = {number(), number(), number(), number()};
    const uint32_t width = t == ir::DataType::Bool ? 1 : spec::value_bits(t);
    for (uint32_t i = 0; i < 4; ++i) {
      if (width <= i * 32) bits[i] = 0;
      if (width < 32) bits[0] &= (1u << width) - 1;
    }
    ir::Expr expr = {.kind = ExprKind::Literal, .type = t, .immediate = bits[0]};
    if (width > 32) {
      expr.immediate = uint32_t(code_.wide.size());
      code_.wide.push_back(bits);
    }
    return code_.add(expr, {}, Span::none());
  }

  ExprId leaf() {
    switch (random_.below(5)) {
      case 0: return code_.add({.kind = ExprKind::Var, .symbol = code_.intern(name())}, {}, Span::none());
      case 1: return code_.add({.kind = ExprKind::BufLen, .symbol = code_.intern(name())}, {}, Span::none());
      case 2: {
        const ExprKind kinds[] = {ExprKind::InvocationId, ExprKind::WorkgroupId, ExprKind::LocalId,
                                  ExprKind::NumWorkgroups};
        return code_.add({.kind = kinds[random_.below(4)], .immediate = random_.below(3)}, {}, Span::none());
      }
      default: {
        const ir::DataType t = type(false);
        return literal(spec::kVectors.contains(t) ? ir::DataType::U32
                                                  : t);  // a vector is made of its components
      }
    }
  }

  /// The tree is at most 40 deep here; depth has tests of its own.
  ExprId expression(uint32_t depth = 0) {
    if (budget_ == 0 || depth == 40 || random_.chance(4)) return leaf();
    --budget_;
    std::vector<ExprId> args;
    if (random_.chance(8)) {
      for (uint32_t i = random_.chance(2) ? 1 + random_.below(4) : 1; i > 0; --i)
        args.push_back(expression(depth + 1));
      return code_.add({.kind = ExprKind::Load, .symbol = code_.intern(name())}, args, Span::none());
    }
    ir::Expr expr = {.kind = ExprKind::Apply, .op = Op(random_.below(spec::kOpCount))};
    const uint32_t count = expr.op == Op::Call           ? random_.below(4)
                           : spec::is_reduction(expr.op) ? 2 * random_.below(2)
                                                         : *spec::operand_count(expr.op);
    for (uint32_t i = 0; i < count; ++i) args.push_back(expression(depth + 1));
    if (expr.op == Op::Call) {
      expr.symbol = code_.intern(id());
      expr.immediate = random_.chance(2) ? 1 : number();
    }
    if (spec::is_reduction(expr.op)) {
      expr.symbol = code_.intern(name());
      expr.immediate = spec::kOps[random_.below(spec::kOpCount)].wire_tag;
    }
    if (expr.op == Op::Component) expr.immediate = random_.below(4);
    if (spec::is_atomic(expr.op)) expr.symbol = code_.intern(name());
    if (expr.op == Op::Cast || expr.op == Op::Bitcast) expr.type = type(true);
    if (expr.op == Op::Cast) expr.mode = spec::RoundingMode(random_.below(spec::kRoundingModeCount));
    return code_.add(expr, args, Span::none());
  }

  BlockId block(uint32_t depth) {
    std::vector<NodeId> nodes;
    while (budget_ > 0 && !random_.chance(depth == 0 ? 20 : 4)) nodes.push_back(statement(depth));
    return code_.add_block(nodes);
  }

  NodeId statement(uint32_t depth) {
    if (budget_ > 0) --budget_;
    ir::Node node = {.kind = NodeKind(random_.below(ir::kNodeKindCount))};
    std::vector<ExprId> args;
    switch (node.kind) {
      case NodeKind::Let:
      case NodeKind::Assign: args = {expression()}; break;
      case NodeKind::Store:
        for (uint32_t i = random_.chance(4) ? 1 + random_.below(4) : 0; i > 0; --i)
          args.push_back(expression());
        [[fallthrough]];
      case NodeKind::Loop:
        args.push_back(expression());
        args.push_back(expression());
        break;
      case NodeKind::If: args = {expression()}; break;
      case NodeKind::Return:
      case NodeKind::Barrier:
      case NodeKind::Block: break;
    }
    const bool named = node.kind == NodeKind::Let || node.kind == NodeKind::Assign ||
                       node.kind == NodeKind::Store || node.kind == NodeKind::Loop;
    if (named) node.symbol = code_.intern(name());
    if (node.kind == NodeKind::If || node.kind == NodeKind::Loop || node.kind == NodeKind::Block) {
      node.body = block(depth + 1);
    }
    if (node.kind == NodeKind::Loop) node.unroll = random_.chance(3);
    if (node.kind == NodeKind::If && random_.chance(2)) node.orelse = block(depth + 1);
    return code_.add(node, args, Span::none());
  }

  RandomStream random_;
  uint32_t budget_;
  Code code_;
};

TEST(RoundTrip, RandomPrograms) {
  size_t nodes = 0;
  for (uint64_t seed = 0; seed < 3000 && !HasFatalFailure(); ++seed) {
    const ir::Program program = Generator(seed, uint32_t(1 + seed % 400)).program();
    nodes += program.code.node_count();
    SCOPED_TRACE(seed);
    expect_prints(program);
  }
  EXPECT_GT(nodes, 300'000u);  // the generator makes something
}

/// Puts comments and line ends between the tokens of a text.
std::string strew(const std::string& text, uint64_t seed) {
  RandomStream random(seed, 2);
  std::string out;
  for (const char c : text) {
    out += c;
    if (c != ' ' && c != '\n') continue;  // only where a token ends
    if (random.chance(6)) out += "// " + std::to_string(random.below(100)) + "\n";
    if (random.chance(6)) out += "\n";
    if (random.chance(12)) out += "  // own\n";
  }
  return out;
}

size_t count_of(std::string_view text, std::string_view piece) {
  size_t count = 0;
  for (size_t at = text.find(piece); at != std::string_view::npos; at = text.find(piece, at + 1)) ++count;
  return count;
}

TEST(RoundTrip, FormattingKeepsCommentsAnywhere) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    const ir::Program program = Generator(seed, uint32_t(1 + seed % 60)).program();
    const std::string text = strew(print(program), seed);
    const auto once = format(text);
    ASSERT_TRUE(once.has_value()) << once.error().message << "\n" << text;
    const auto after = parse(*once);
    ASSERT_TRUE(after && ir::equal(program, *after)) << text << "\nbecame\n" << *once;
    ASSERT_EQ(count_of(*once, "//"), count_of(text, "//")) << text << "\nbecame\n" << *once;
    const auto twice = format(*once);
    ASSERT_TRUE(twice && *twice == *once) << text << "\nbecame\n"
                                          << *once << "\nbecame\n"
                                          << twice.value_or("");
  }
}

TEST(RoundTrip, FilesOfTheRepository) {
  auto files = test::float_texts();
  for (const char* folder : {"test/run", "test/modules", "test/invalid", "examples"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(VYRE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".vyre")
        files.emplace_back(entry.path().string(), operation_files::content(entry.path()));
    }
  }
  int read = 0;
  for (const auto& [name, text] : files) {
    SCOPED_TRACE(name);
    const auto module = parse_module(text);
    if (!module) continue;
    ++read;
    // Constants are gone in printed text, which of a file of constants alone is empty.
    if (!module->programs.empty() || !module->operations.empty() || !module->pipelines.empty())
      expect_prints(*module);
    const auto once = format(text);
    ASSERT_TRUE(once.has_value());
    const auto after = parse_module(*once);
    ASSERT_TRUE(after && ir::equal(*module, *after)) << *once;
    EXPECT_TRUE(std::ranges::equal(after->constants, module->constants, [](const auto& a, const auto& b) {
      return a.name == b.name && a.written == b.written && a.allowed == b.allowed;
    }));
    EXPECT_EQ(count_of(*once, "//"), count_of(text, "//"));
    EXPECT_EQ(format(*once).value_or(""), *once);
  }
  EXPECT_GT(read, 800);
}

}  // namespace
}  // namespace vyre::text
