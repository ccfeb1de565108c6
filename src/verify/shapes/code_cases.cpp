// Code: loops of many rounds, deep nests and expressions, many variables and statements, constants that a
// compiler may fold, and the order in which operands are evaluated. 96 invocations store four words each, one
// a part; what is expected is the same in C++, which has no unrolling, folding or inlining of ours in it.
#include <fmt/format.h>

#include <algorithm>

#include "verify/shape_case.h"

namespace vyre::verify {
namespace {

using spec::DataType;
__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

constexpr uint32_t kWorkgroup = 32, kGroups = 3, kInvocations = kWorkgroup * kGroups;
constexpr uint32_t kParts = 4;      // words that each invocation stores
constexpr uint32_t kOwnWords = 16;  // that each has for atomics
/// By level of ShapeFactor::Trip; the second runs nothing, since its bounds are the wrong way round.
constexpr uint32_t kTrips[] = {3, 0, 1000, 65539, 200003, 1048583};
constexpr uint32_t kFewRounds = 1000;  // more are run by the first invocations alone
constexpr uint32_t kFirstInvocations = 2;
constexpr uint32_t kFroms[] = {0, 65530, 1048583};
constexpr uint32_t kTop = UINT32_MAX - 3;
/// By level of ShapeFactor::Depth.
constexpr uint32_t kNested[] = {3, 7, 20, 41, 63};
constexpr uint32_t kExpressions[] = {3, 7, 41, 200, 1000};
constexpr uint32_t kCalls[] = {3, 7, 15, 31, 60};
constexpr uint32_t kVariables[] = {3, 7, 40, 100, 200};
constexpr uint32_t kStatements[] = {3, 7, 100, 400, 1000};
constexpr uint32_t kTwice = 3;  // loops of a nest that have two rounds

enum class Nest : uint8_t { If, Else, ElseIf, Loop, Block, Expression, Call, Variables, Statements, Return };
enum class Operator : uint8_t { Sum, Product, Quotient, Remainder, Shift, Bitwise, Comparison };
enum class Order : uint8_t { Operands, Calls, Vectors, Bounds, Places };

class CodeCase {
 public:
  CodeCase(const Row& row, ShapeText& text)
      : row_(row),
        text_(text),
        type_(*spec::find_type(level_text(ShapeFactor::OperandType, at(ShapeFactor::OperandType)))) {
    depth_ = depth_of(nest(), at(ShapeFactor::Depth));
    trip_ = kTrips[at(ShapeFactor::Trip)];
    const uint8_t from = at(ShapeFactor::From);
    from_ = from < std::size(kFroms) ? kFroms[from] : kTop - trip_;
    to_ = from_ + trip_;
    if (trip_ == 0) from_ = to_ + 3;
    plain_ = make_pairs(DataType::U32);
    if (type_ != DataType::U32) typed_ = make_pairs(type_);
  }

  ShapeCase make() {
    text_.buffer("read", "c", "u32");
    text_.buffer("read", "k", "u32");
    text_.buffer("read", "l", std::string(spec::text(type_)));
    text_.buffer("read_write", "t", "u32");
    text_.buffer("read_write", "out", "u32");
    text_.line("let i = invocation_id.x;");
    text_.line(fmt::format("let own = i * {};", kOwnWords));
    write_loop();
    text_.line("let q = 0;");
    write_operators(plain_, "k");
    write_operators(typed_, "l");
    store(2, "q");
    write_order();
    write_nest();  // the last: invocations may return from it
    ShapeCase out;
    out.text = text_.print({kWorkgroup, 1, 1}, 0);
    ShapeDispatch& only = out.dispatches.emplace_back();
    only.groups = {kGroups, 1, 1};
    const uint32_t constants[] = {from_, to_, text_.word(1)};
    Bytes plain, typed;
    for (const Wide x : plain_.values) append(plain, x, 32);
    for (const Wide x : typed_.values) append(typed, x, typed_.bits());
    std::vector<uint32_t> words(kInvocations * kOwnWords), results(kInvocations * kParts, text_.word(2));
    only.before = {to_bytes(constants), plain, typed, to_bytes(words), to_bytes(results)};
    for (uint32_t i = 0; i < kInvocations; ++i) {
      results[i * kParts] = loop(i);
      results[i * kParts + 1] = nested(i);
      results[i * kParts + 2] = operators(operators(0, plain_), typed_);
      results[i * kParts + 3] = order(&words[i * kOwnWords]);
    }
    only.after = {only.before[0], only.before[1], only.before[2], to_bytes(words), to_bytes(results)};
    return out;
  }

 private:
  uint8_t at(ShapeFactor factor) const { return level_of(row_, factor); }
  Nest nest() const { return Nest(at(ShapeFactor::Nest)); }
  Operator operation() const { return Operator(at(ShapeFactor::Operator)); }

  static uint32_t depth_of(Nest nest, uint8_t level) {
    switch (nest) {
      case Nest::If:
      case Nest::Else:
      case Nest::ElseIf:
      case Nest::Loop:
      case Nest::Block:
      case Nest::Return: return kNested[level];
      case Nest::Expression: return kExpressions[level];
      case Nest::Call: return kCalls[level];
      case Nest::Variables: return kVariables[level];
      case Nest::Statements: return kStatements[level];
    }
    return 0;
  }

  void store(uint32_t part, std::string_view value) {
    text_.line(fmt::format("out[i * {} + {}] = {};", kParts, part, value));
  }

  // --- Loops

  /// How much later the bounds of invocation i are, where each has its own.
  uint32_t later(uint32_t i) const { return at(ShapeFactor::Bounds) == 2 ? i % 4 : 0; }
  void write_loop() {
    std::string from = fmt::format("{}", from_), to = fmt::format("{}", to_);
    if (at(ShapeFactor::Bounds) != 0) from = "c[0]", to = "c[1]";
    if (at(ShapeFactor::Bounds) == 2) to += " + (i & 3)";
    text_.line(fmt::format("let a = i + {};", text_.word(3)));
    const std::string loop = fmt::format("for r in {}..{} {{ a = a * 5 + r; }}", from, to);
    text_.line(trip_ <= kFewRounds ? loop : fmt::format("if (i < {}) {{ {} }}", kFirstInvocations, loop));
    store(0, "a");
  }
  uint32_t loop(uint32_t i) const {
    uint32_t a = i + text_.word(3);
    if (trip_ > kFewRounds && i >= kFirstInvocations) return a;
    for (uint64_t r = from_; r < uint64_t(to_) + later(i); ++r) a = a * 5 + uint32_t(r);
    return a;
  }

  // --- Nests

  /// Whether invocation i goes on into level j of nested conditions.
  static bool enters(uint32_t i, uint32_t j) { return (i + j * 5) % 61 != 0; }

  void write_nest() {
    text_.line(fmt::format("let m = i + {};", text_.word(4)));
    std::string open, close, inner;
    switch (nest()) {
      case Nest::If:
        for (uint32_t j = 0; j < depth_; ++j) {
          open += fmt::format("if ((i + {}) % 61 != 0) {{ m = m * 5 + {}; ", j * 5, j);
          close += " m = m + 7; }";
        }
        break;
      case Nest::Else:
        for (uint32_t j = 0; j < depth_; ++j) {
          open += fmt::format("if ((i + {}) % 61 == 0) {{ m = m ^ 1; }} else {{ m = m * 5 + {}; ", j * 5, j);
          close += " m = m + 7; }";
        }
        break;
      case Nest::ElseIf:
        for (uint32_t j = 0; j < depth_; ++j)
          open += fmt::format("{}if (i == {}) {{ m = m * 5 + {}; }}", j == 0 ? "" : " else ", j, j);
        open += " else { m = m + 999; }";
        break;
      case Nest::Loop:
        for (uint32_t j = 0; j < depth_; ++j) {
          open += fmt::format("for r{} in 0..{} {{ m = m * 3 + r{}; ", j, j < kTwice ? 2 : 1, j);
          close += " m = m + 7; }";
        }
        break;
      case Nest::Block:
        for (uint32_t j = 0; j < depth_; ++j) {
          open += fmt::format("{{ let b{} = m + {}; m = b{} * 3; ", j, j, j);
          close += fmt::format(" m = m + b{}; }}", depth_ - 1 - j);
        }
        break;
      case Nest::Expression:
        inner = "m";
        for (uint32_t j = 1; j < depth_; ++j)
          inner = j % 2 == 0 ? fmt::format("({} + {})", j, inner) : fmt::format("({} * 3)", inner);
        open = fmt::format("m = {};", inner);
        break;
      case Nest::Call:
        inner = "m";
        for (uint32_t j = 1; j < depth_; ++j) {
          inner = j % 2 == 0 ? fmt::format("primitive.math.sub({}, {})", j, inner)
                             : fmt::format("primitive.math.mul({}, 3)", inner);
        }
        open = fmt::format("m = {};", inner);
        break;
      case Nest::Variables:
        open = "let h = c[2]; let v0 = m; ";
        for (uint32_t j = 1; j < depth_; ++j)
          open += fmt::format("let v{} = h * {} ^ (v{} + {}); ", j, 2 * j + 1, j - 1, j);
        for (uint32_t j = 0; j < depth_; ++j) open += fmt::format("m = m * 3 + v{}; ", j);
        break;
      case Nest::Statements:
        for (uint32_t j = 0; j < depth_; ++j) {
          open +=
              j % 64 == 7 ? fmt::format("out[i * {} + 1] = m; ", kParts) : fmt::format("m = m * 3 + {}; ", j);
        }
        break;
      case Nest::Return:  // a third of the invocations in each round of the outermost loop
        store(1, "m");
        for (uint32_t j = 1; j < depth_; ++j) {
          open += fmt::format("for r{} in 0..{} {{ ", j, j == 1 ? 2 : 1);
          close += " }";
        }
        open += "if (i % 3 == r1) { return; } m = m + 7;";
        break;
    }
    text_.line(open + close);
    store(1, "m");
  }

  static void loop_nest(uint32_t j, uint32_t depth, uint32_t& m) {
    if (j == depth) return;
    for (uint32_t r = 0; r < (j < kTwice ? 2u : 1u); ++r) {
      m = m * 3 + r;
      loop_nest(j + 1, depth, m);
      m += 7;
    }
  }
  uint32_t nested(uint32_t i) const {
    uint32_t m = i + text_.word(4);
    uint32_t j = 0;
    std::vector<uint32_t> seen;
    switch (nest()) {
      case Nest::If:
      case Nest::Else:
        for (; j < depth_ && enters(i, j); ++j) m = m * 5 + j;
        if (nest() == Nest::Else && j < depth_) m ^= 1;
        return m + 7 * j;
      case Nest::ElseIf: return i < depth_ ? m * 5 + i : m + 999;
      case Nest::Loop: loop_nest(0, depth_, m); return m;
      case Nest::Block:
        for (; j < depth_; ++j) {
          seen.push_back(m + j);
          m = seen.back() * 3;
        }
        for (const uint32_t b : seen) m += b;
        return m;
      case Nest::Expression:
      case Nest::Call:
        for (j = 1; j < depth_; ++j) m = j % 2 != 0 ? m * 3 : nest() == Nest::Call ? j - m : j + m;
        return m;
      case Nest::Variables:
        seen.push_back(m);
        for (j = 1; j < depth_; ++j) seen.push_back((text_.word(1) * (2 * j + 1)) ^ (seen.back() + j));
        for (const uint32_t v : seen) m = m * 3 + v;
        return m;
      case Nest::Statements:
        for (; j < depth_; ++j) m = j % 64 == 7 ? m : m * 3 + j;
        return m;
      case Nest::Return: return i % 3 < 2 ? m : m + 14;
    }
    return m;
  }

  // --- Operators on constants: of u32 in every case, and of the type

  struct Pairs {
    DataType type = DataType::U32;
    std::vector<Wide> values;  // operands, two and two
    uint32_t bits() const { return spec::info(type).bytes * 8; }
    Wide mask() const { return bits() == 128 ? ~Wide{0} : (Wide{1} << bits()) - 1; }
  };

  Pairs make_pairs(DataType type) const {
    Pairs out{type, {}};
    const Wide top = out.mask(), minimum = Wide{1} << (out.bits() - 1);
    const auto random = [&](uint32_t name) {
      Wide x = 0;
      for (uint32_t k = 0; k < 4; ++k) x = x << 32 | text_.word(200 + 4 * name + k);
      return x & top;
    };
    const bool divides = operation() == Operator::Quotient || operation() == Operator::Remainder;
    if (operation() == Operator::Shift) {
      out.values = {top, 31, random(0), 32, minimum, out.bits() - 1, random(1), out.bits()};
    } else {
      out.values = {top, 1, random(0), 10, minimum, top, random(1), 0};
    }
    if (divides && spec::info(type).bytes > 4) out.values.resize(4);  // each is a long piece of code
    return out;
  }
  static void append(Bytes& out, Wide x, uint32_t bits) {
    for (uint32_t k = 0; k < bits / 8; ++k) out.push_back(std::byte(uint8_t(x >> (8 * k))));
  }
  static std::string literal(DataType type, Wide x) {
    if (type == DataType::U32) return fmt::format("{}", uint32_t(x));
    if (type == DataType::I32) return fmt::format("({}i32)", int32_t(uint32_t(x)));
    if (type == DataType::U64) return fmt::format("{}u64", uint64_t(x));
    return fmt::format("0x{:x}{:016x}u128", uint64_t(x >> 64), uint64_t(x));
  }
  /// By level of ShapeFactor::Operands: loaded, or a literal.
  std::string operand(const Pairs& pairs, std::string_view buffer, uint32_t place, bool left) const {
    const uint8_t level = at(ShapeFactor::Operands);
    const bool is_literal = level == 3 || level == (left ? 1 : 2);
    const bool amount = operation() == Operator::Shift && !left;  // always u32
    if (is_literal) return literal(amount ? DataType::U32 : pairs.type, pairs.values[place]);
    const std::string loaded = fmt::format("{}[{}]", buffer, place);
    return amount && pairs.type != DataType::U32 ? fmt::format("cast<u32>({})", loaded) : loaded;
  }
  void write_operators(const Pairs& pairs, std::string_view buffer) {
    for (uint32_t pair = 0; pair < pairs.values.size() / 2; ++pair) {
      const std::string l = operand(pairs, buffer, 2 * pair, true),
                        r = operand(pairs, buffer, 2 * pair + 1, false);
      const auto add = [&](std::string_view text, std::string_view name) {
        const std::string result = fmt::format("{}{}{}", buffer, name, pair);
        text_.line(fmt::format("let {} = {};", result, text));
        text_.line(fmt::format("q = q * 31 + {};", folded_word(pairs.type, std::string_view(result))));
      };
      switch (operation()) {
        case Operator::Sum:
          add(fmt::format("{} + {}", l, r), "x");
          add(fmt::format("{} - {}", l, r), "y");
          break;
        case Operator::Product: add(fmt::format("{} * {}", l, r), "x"); break;
        case Operator::Quotient: add(fmt::format("{} / {}", l, r), "x"); break;
        case Operator::Remainder: add(fmt::format("{} % {}", l, r), "x"); break;
        case Operator::Shift:
          add(fmt::format("{} << {}", l, r), "x");
          add(fmt::format("{} >> {}", l, r), "y");
          break;
        case Operator::Bitwise:
          add(fmt::format("({} & {}) | ~{}", l, r, l), "x");
          add(fmt::format("{} ^ {}", l, r), "y");
          break;
        case Operator::Comparison:
          text_.line(fmt::format("q = q * 31 + ({0} < {1}) + ({0} >= {1}) * 2 + ({0} == {1}) * 4;", l, r));
          break;
      }
    }
  }

  static SignedWide number(const Pairs& pairs, Wide x) {
    return pairs.type == DataType::I32 ? int32_t(uint32_t(x)) : SignedWide(x);
  }
  static Wide divided(const Pairs& pairs, Wide l, Wide r, bool remainder) {
    if (r == 0) return 0;
    if (pairs.type != DataType::I32) return remainder ? l % r : l / r;
    const SignedWide a = number(pairs, l), b = number(pairs, r);
    return Wide(remainder ? a % b : a / b);
  }
  uint32_t operators(uint32_t q, const Pairs& pairs) const {
    const auto add = [&](Wide x) {
      Bytes bytes;
      append(bytes, x & pairs.mask(), pairs.bits());
      q = q * 31 + folded_word(pairs.type, bytes);
    };
    for (size_t pair = 0; pair < pairs.values.size() / 2; ++pair) {
      const Wide l = pairs.values[2 * pair], r = pairs.values[2 * pair + 1];
      const uint32_t amount = uint32_t(r) % pairs.bits();
      switch (operation()) {
        case Operator::Sum:
          add(l + r);
          add(l - r);
          break;
        case Operator::Product: add(l * r); break;
        case Operator::Quotient: add(divided(pairs, l, r, false)); break;
        case Operator::Remainder: add(divided(pairs, l, r, true)); break;
        case Operator::Shift:
          add(l << amount);
          add(pairs.type == DataType::I32 ? Wide(number(pairs, l) >> amount) : l >> amount);
          break;
        case Operator::Bitwise:
          add((l & r) | ~l);
          add(l ^ r);
          break;
        case Operator::Comparison: {
          const bool less = pairs.type == DataType::I32 ? number(pairs, l) < number(pairs, r) : l < r;
          q = q * 31 + less + !less * 2 + (l == r) * 4;
          break;
        }
      }
    }
    return q;
  }

  // --- Order of evaluation: what comes first takes the smaller number

  void write_order() {
    const auto next = [](uint32_t word, uint32_t by) {
      return fmt::format("atomic_add(t[own + {}], {})", word, by);
    };
    text_.line("let o = 0;");
    switch (Order(at(ShapeFactor::Order))) {
      case Order::Operands:
        text_.line(fmt::format("o = {} - {} * 3;", next(0, 2), next(0, 5)));
        text_.line(fmt::format("o = o * 31 + select({}, {}, {}) * 7;", next(1, 1), next(1, 4), next(1, 9)));
        text_.line(fmt::format("o = o * 31 + ({} << {}) + ({} < {});", next(2, 3), next(2, 2), next(3, 1),
                               next(3, 1)));
        break;
      case Order::Calls:
        text_.line(fmt::format("o = primitive.math.sub({}, {});", next(0, 2), next(0, 5)));
        text_.line(fmt::format("o = o * 31 + primitive.math.sub(primitive.math.mul({}, 3), {});", next(1, 7),
                               next(1, 1)));
        text_.line(fmt::format("o = o * 31 + primitive.compare.select({}, {}, {});", next(2, 1), next(2, 4),
                               next(2, 9)));
        break;
      case Order::Vectors:
        text_.line(fmt::format("let two = vec2u32({}, {});", next(0, 2), next(0, 5)));
        text_.line(fmt::format("let four = vec4u32({}, {}, {}, {});", next(1, 1), next(1, 2), next(1, 4),
                               next(1, 8)));
        text_.line("o = two.x + two.y * 3 + four.x * 5 + four.y * 7 + four.z * 11 + four.w * 13;");
        break;
      case Order::Bounds:
        text_.line(fmt::format("for r in {}..({} + 5) {{ o = o * 3 + r + 1; }}", next(0, 2), next(0, 3)));
        break;
      case Order::Places:
        text_.line(fmt::format("t[own + 4 + {}] = {} + 10;", next(0, 1), next(0, 1)));
        text_.line(fmt::format("o = atomic_add(t[own + 8 + {}], {} + 20);", next(1, 1), next(1, 1)));
        text_.line(fmt::format("o = o * 31 + atomic_compare_exchange(t[own + 12 + {}], {} - 1, {} + 30);",
                               next(2, 1), next(2, 1), next(2, 1)));
        break;
    }
    store(3, "o");
  }
  uint32_t order(uint32_t* t) const {
    const auto next = [&](uint32_t word, uint32_t by) {
      const uint32_t before = t[word];
      t[word] += by;
      return before;
    };
    switch (Order(at(ShapeFactor::Order))) {
      case Order::Operands: {
        uint32_t o = next(0, 2);
        o -= next(0, 5) * 3;
        const uint32_t condition = next(1, 1), then = next(1, 4), otherwise = next(1, 9);
        o = o * 31 + (condition != 0 ? then : otherwise) * 7;
        const uint32_t shifted = next(2, 3), amount = next(2, 2), left = next(3, 1), right = next(3, 1);
        return o * 31 + (shifted << amount) + (left < right);
      }
      case Order::Calls: {
        uint32_t o = next(0, 2);
        o -= next(0, 5);
        const uint32_t product = next(1, 7) * 3;
        o = o * 31 + (product - next(1, 1));
        const uint32_t condition = next(2, 1), then = next(2, 4), otherwise = next(2, 9);
        return o * 31 + (condition != 0 ? then : otherwise);
      }
      case Order::Vectors: {
        uint32_t o = next(0, 2);
        o += next(0, 5) * 3;
        for (uint32_t k = 0; k < 4; ++k) {
          constexpr uint32_t kWeights[] = {5, 7, 11, 13};
          o += next(1, 1u << k) * kWeights[k];
        }
        return o;
      }
      case Order::Bounds: {
        uint32_t o = 0;
        const uint32_t from = next(0, 2), to = next(0, 3) + 5;
        for (uint32_t r = from; r < to; ++r) o = o * 3 + r + 1;
        return o;
      }
      case Order::Places: {
        const uint32_t stored = next(0, 1);
        t[4 + stored] = next(0, 1) + 10;
        const uint32_t word = 8 + next(1, 1), by = next(1, 1) + 20;
        const uint32_t o = next(word, by);
        const uint32_t place = 12 + next(2, 1), expected = next(2, 1) - 1, value = next(2, 1) + 30;
        const uint32_t before = t[place];
        if (before == expected) t[place] = value;
        return o * 31 + before;
      }
    }
    return 0;
  }

  const Row& row_;
  ShapeText& text_;
  const DataType type_;
  uint32_t depth_ = 0, trip_ = 0, from_ = 0, to_ = 0;
  Pairs plain_, typed_;
};

}  // namespace

ShapeCase code_case(const Row& row, ShapeText& text) { return CodeCase(row, text).make(); }

}  // namespace vyre::verify
