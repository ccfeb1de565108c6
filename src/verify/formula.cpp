#include "verify/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "smt/term.h"

namespace vyre::verify {
namespace {

using ir::Ex;
using smt::Kind;
using smt::Node;
using smt::Term;

constexpr uint32_t kWord = 32;

uint32_t low_bits(uint32_t width) { return width >= kWord ? UINT32_MAX : (1u << width) - 1; }

/// A term's value: its bits in words, the low one first. What lies above its width is zero.
struct Value {
  uint32_t width = 0;  // 0: a truth value, which is 0 or 1
  uint32_t top = 0;    // bits from here on are known to be zero
  Ex low;
  std::optional<Ex> high;  // of more than 32 bits
};

/// Writes terms into a function, each once.
class Formula {
 public:
  Formula(ir::FunctionBuilder& f, const smt::Pool& pool) : f_(f), pool_(pool) {}

  void bind(Term variable, Ex word) { known_.emplace(variable.id, Value{kWord, kWord, word, {}}); }
  const Value& write(Term term) {
    // Operands first, and without recursion over what is shared: each term once.
    if (const auto it = known_.find(term.id); it != known_.end()) return it->second;
    return known_.emplace(term.id, made(pool_[term])).first->second;
  }
  const std::string& missing() const { return missing_; }

 private:
  // --- Words

  Ex name(Ex value) { return f_.let(fmt::format("w{}", names_++), value); }
  Ex literal(uint32_t value) { return f_.u32(value); }
  Ex not_(Ex a) { return name(~a); }
  Ex and_(Ex a, Ex b) { return name(~name(~a | ~b)); }
  Ex mask(Ex a, uint32_t bits) { return bits >= kWord ? a : name(a & low_bits(bits)); }
  Ex or_(Ex a, Ex b) { return name(~name(~a & ~b)); }
  Ex xor_(Ex a, Ex b) { return name(name(a & ~b) | name(~a & b)); }
  /// Two columns of 16 bits.
  Ex sum(Ex a, Ex b) {
    const Ex low = name((a & 0xffff) + (b & 0xffff));
    const Ex high = name((a >> 16) + (b >> 16) + (low >> 16));
    return name((high << 16) | (low & 0xffff));
  }
  Ex negative(Ex a) { return sum(not_(a), literal(1)); }
  Ex difference(Ex a, Ex b) { return sum(sum(a, not_(b)), literal(1)); }
  Ex product(Ex a, Ex b) {
    const Ex low = name((a & 0xffff) * (b & 0xffff));
    const Ex cross = sum(name((a >> 16) * (b & 0xffff)), name((a & 0xffff) * (b >> 16)));
    return sum(low, name(cross << 16));
  }
  /// 1 where a < b: what is borrowed from the bit above.
  Ex below(Ex a, Ex b, uint32_t top) {
    if (top < kWord) return name((a - b) >> 31);  // no bit of either is there, so a sign is
    return borrowed(a, b, difference(a, b));
  }
  /// The same where the difference is known.
  Ex borrowed(Ex a, Ex b, Ex rest) { return name(name(name(~a & b) | name(name(~a | b) & rest)) >> 31); }
  /// 1 where any bit is set.
  Ex any(Ex a, uint32_t top) {
    if (top <= 1) return a;
    return name(name(a | negative(a)) >> 31);
  }
  Ex chosen(Ex truth, Ex a, Ex b) {
    const Ex all = name(literal(0) - truth);  // all bits, or none
    return name(name(a & all) | name(b & ~all));
  }
  Ex opposite(Ex truth) { return name(literal(1) - truth); }

  // --- Values of one or two words

  Value value(uint32_t width, Ex low, std::optional<Ex> high = {}) { return {width, width, low, high}; }
  static uint32_t upper(uint32_t width) { return width - kWord; }
  Ex high(const Value& v) { return v.high ? *v.high : literal(0); }

  Value add(const Value& a, const Value& b) {
    if (a.width <= kWord) {
      // A sum that has room needs no carrying.
      const bool narrow = a.width < kWord;
      return value(a.width, narrow ? mask(name(a.low + b.low), a.width) : sum(a.low, b.low));
    }
    const Ex low = sum(a.low, b.low), carry = below(low, a.low, kWord);
    return value(a.width, low, mask(sum(sum(high(a), high(b)), carry), upper(a.width)));
  }
  Value inverted(const Value& a) {
    if (a.width <= kWord) return value(a.width, mask(not_(a.low), a.width));
    return value(a.width, not_(a.low), mask(not_(high(a)), upper(a.width)));
  }
  Value one(uint32_t width) {
    Value out = value(width, literal(1));
    if (width > kWord) out.high = literal(0);
    return out;
  }
  Value sub(const Value& a, const Value& b) { return add(add(a, inverted(b)), one(a.width)); }

  /// By a number of places less than the width, 1 to 63.
  Value moved_left(const Value& a, uint32_t by) {
    if (a.width <= kWord) return value(a.width, mask(name(a.low << by), a.width));
    if (by >= kWord) {
      const Ex up = by == kWord ? a.low : name(a.low << (by - kWord));
      return value(a.width, literal(0), mask(up, upper(a.width)));
    }
    const Ex up = name(name(high(a) << by) | name(a.low >> (kWord - by)));
    return value(a.width, name(a.low << by), mask(up, upper(a.width)));
  }
  Value moved_right(const Value& a, uint32_t by) {
    if (a.width <= kWord) return value(a.width, name(a.low >> by));
    if (by >= kWord) return value(a.width, by == kWord ? high(a) : name(high(a) >> (by - kWord)), literal(0));
    return value(a.width, name(name(a.low >> by) | name(high(a) << (kWord - by))), name(high(a) >> by));
  }
  Value picked(Ex truth, const Value& a, const Value& b) {
    Value out = value(a.width, chosen(truth, a.low, b.low));
    if (a.high || b.high) out.high = chosen(truth, high(a), high(b));
    return out;
  }
  /// Place by place of the amount; an amount of the width or more leaves nothing.
  Value shifted(Value a, const Value& amount, bool left) {
    uint32_t place = 0;
    for (; (uint32_t{1} << place) < a.width; ++place) {
      if (place >= amount.top) return a;
      const uint32_t by = uint32_t{1} << place;
      a = picked(name((amount.low >> place) & 1), left ? moved_left(a, by) : moved_right(a, by), a);
    }
    if (place >= amount.top) return a;
    if (amount.high) return lacking("a shift by more than a word");
    const Value none{a.width, 0, literal(0), a.high ? std::optional(literal(0)) : std::nullopt};
    return picked(any(name(amount.low >> place), kWord), none, a);
  }
  /// Long division, one binary digit at a time. The rest is less than b, so with the next digit of a it is at
  /// most b. Twice the rest and that digit reach b when the rest and the digit reach what the rest lacks of
  /// b, and of these two sides neither overflows. Sums and differences are single instructions here, since no
  /// quotient is composed of any. By zero all digits are ones, and the rest is a.
  Value divided(const Value& a, const Value& b, bool wants_rest) {
    if (a.width != kWord) return lacking("a quotient of another width than a word");
    Ex rest = literal(0), zeros = literal(0);  // where the quotient has a zero
    for (uint32_t i = kWord; i-- > 0;) {
      const Ex more = name(rest + name((a.low >> i) & 1));
      const Ex lacks = name(b.low - rest);
      const Ex over = name(more - lacks);
      const Ex falls_short = borrowed(more, lacks, over);
      rest = name(over + name(b.low & name(literal(0) - falls_short)));
      zeros = name((zeros << 1) | falls_short);
    }
    if (wants_rest) return value(kWord, rest);
    return value(kWord, not_(name(zeros & name(literal(0) - any(b.low, kWord)))));
  }

  Value truth(Ex word) { return {0, 1, word, {}}; }
  Value equal(const Value& a, const Value& b) {
    Ex differ = xor_(a.low, b.low);
    if (a.high || b.high) differ = name(differ | xor_(high(a), high(b)));
    return truth(opposite(any(differ, std::max(a.top, b.top))));
  }
  Value less(const Value& a, const Value& b, bool is_signed) {
    if (a.width > kWord) return lacking("a comparison of more than a word");
    if (!is_signed) return truth(below(a.low, b.low, std::max(a.top, b.top)));
    const Ex sign = literal(uint32_t{1} << (a.width - 1));
    return truth(below(sum(a.low, sign), sum(b.low, sign), kWord));
  }
  Value extended(const Value& a, uint32_t width) {
    Value out = a;
    out.width = width;
    if (width > kWord && !out.high) out.high = literal(0);
    return out;
  }
  Value extracted(const Value& a, uint32_t low, uint32_t width) {
    const Value moved = low == 0 ? a : moved_right(a, low);
    Value out = value(width, width >= a.width - low ? moved.low : mask(moved.low, width));
    if (width > kWord) out.high = mask(high(moved), upper(width));
    return out;
  }
  Value joined(const Value& above, const Value& low) {
    const uint32_t width = above.width + low.width;
    if (width > 2 * kWord) return lacking("more than two words");
    const Value base = extended(low, width);
    const Value up = moved_left(extended(above, width), low.width);
    Value out = value(width, name(base.low | up.low));
    if (width > kWord) out.high = name(high(base) | high(up));
    return out;
  }
  Value constant(const Node& n) {
    const auto low = uint32_t(n.bits), up = uint32_t(n.bits >> kWord);
    Value out{n.width, 0, literal(low), {}};
    while (out.top < 2 * kWord && n.bits >> out.top != 0) ++out.top;
    if (n.width > kWord) out.high = literal(up);
    return out;
  }

  Value lacking(std::string_view what) {
    if (missing_.empty()) missing_ = fmt::format("its formula has {}", what);
    return truth(literal(0));
  }

  bool is(Term t, smt::Bits bits) const { return pool_.is_constant(t) && pool_[t].bits == bits; }

  Value made(const Node& n) {
    const uint32_t operands = smt::info(n.kind).operands;
    // "Bit i is one" and "one if so" are the bit itself.
    if (n.kind == Kind::Eq && pool_.width(n.operands[0]) == 1 && is(n.operands[1], 1))
      return truth(write(n.operands[0]).low);
    if (n.kind == Kind::Ite && n.width > 0 && n.width <= kWord && is(n.operands[1], 1) &&
        is(n.operands[2], 0)) {
      Value out = value(n.width, write(n.operands[0]).low);
      out.top = 1;
      return out;
    }
    std::vector<Value> x;
    for (uint32_t k = 0; k < operands; ++k) x.push_back(write(n.operands[k]));
    if (n.width > 2 * kWord) return lacking("more than two words");
    switch (n.kind) {
      case Kind::Constant: return constant(n);
      case Kind::Variable: return lacking("a variable that is no operand");
      case Kind::Add: return add(x[0], x[1]);
      case Kind::Sub: return sub(x[0], x[1]);
      case Kind::Neg: return add(inverted(x[0]), one(n.width));
      case Kind::Mul:
        if (n.width > kWord) return lacking("a product of more than a word");
        return value(n.width, mask(product(x[0].low, x[1].low), n.width));
      case Kind::UDiv: return divided(x[0], x[1], false);
      case Kind::URem: return divided(x[0], x[1], true);
      case Kind::BitNot: return inverted(x[0]);
      case Kind::BitAnd: return each_word(n, x, [this](Ex a, Ex b) { return and_(a, b); });
      case Kind::BitOr: return each_word(n, x, [this](Ex a, Ex b) { return or_(a, b); });
      case Kind::BitXor: return each_word(n, x, [this](Ex a, Ex b) { return xor_(a, b); });
      case Kind::Shl: return shifted(x[0], x[1], true);
      case Kind::LShr: return shifted(x[0], x[1], false);
      case Kind::Concat: return joined(x[0], x[1]);
      case Kind::Extract: return extracted(x[0], n.low, n.width);
      case Kind::ZeroExtend: return extended(x[0], n.width);
      case Kind::Eq: return equal(x[0], x[1]);
      case Kind::ULt: return less(x[0], x[1], false);
      case Kind::ULe: return truth(opposite(less(x[1], x[0], false).low));
      case Kind::SLt: return less(x[0], x[1], true);
      case Kind::SLe: return truth(opposite(less(x[1], x[0], true).low));
      case Kind::And: return truth(name(x[0].low & x[1].low));
      case Kind::Or: return truth(name(x[0].low | x[1].low));
      case Kind::Not: return truth(opposite(x[0].low));
      case Kind::Implies: return truth(name(opposite(x[0].low) | x[1].low));
      case Kind::Ite:
        return n.width == 0 ? truth(picked(x[0].low, x[1], x[2]).low) : picked(x[0].low, x[1], x[2]);
      case Kind::SDiv:
      case Kind::SRem:
      case Kind::AShr:
      case Kind::SignExtend: return lacking(smt::info(n.kind).text);
    }
    return lacking("something new");
  }

  template <typename Of>
  Value each_word(const Node& n, const std::vector<Value>& x, const Of& of) {
    Value out = value(n.width, of(x[0].low, x[1].low));
    if (n.width > kWord) out.high = of(high(x[0]), high(x[1]));
    return out;
  }

  ir::FunctionBuilder& f_;
  const smt::Pool& pool_;
  std::unordered_map<uint32_t, Value> known_;  // by term
  uint32_t names_ = 0;
  std::string missing_;
};

}  // namespace

std::string formula_id(const ops::Operation& operation) {
  const std::string_view id = operation.id;
  return fmt::format("definition{}", id.substr(std::min(id.find('.'), id.size())));
}

std::expected<ir::Function, std::string> formula_of(const ops::Operation& operation) {
  if (operation.define == nullptr) return std::unexpected("it has no definition by formula");
  const auto& inputs = operation.signature.inputs;
  const auto is_word = [](spec::DataType t) { return t == spec::DataType::U32; };
  if (!is_word(operation.signature.output) || !std::ranges::all_of(inputs, is_word))
    return std::unexpected("its operands are not words");
  smt::Pool pool;
  ir::FunctionBuilder f(formula_id(operation));
  Formula formula(f, pool);
  std::vector<Term> operands;
  for (size_t k = 0; k < inputs.size(); ++k) {
    operands.push_back(pool.variable(operation.parameter_names[k], kWord));
    formula.bind(operands.back(), f.parameter(operation.parameter_names[k], inputs[k]));
  }
  const Term root = operation.define(pool, operands);
  const Ex result = formula.write(root).low;
  if (!formula.missing().empty()) return std::unexpected(formula.missing());
  return f.finish(result, operation.signature.output);
}

}  // namespace vyre::verify
