#include "smt/term.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace vyre::smt {
namespace {

constexpr auto kKinds = std::to_array<KindInfo>({
#define VYRE_TERM(Name, text, operands) {Kind::Name, text, operands},
#include "smt/terms.def"
#undef VYRE_TERM
});

/// A fault of the code that makes terms, not of any input: there is no caller to hand it to.
[[noreturn]] void fault(std::string_view what) {
  fmt::print(stderr, "smt: {}\n", what);
  std::abort();
}

Bits mask(uint32_t width) { return width >= 128 ? ~Bits{0} : (Bits{1} << width) - 1; }
Bits sign_bit(uint32_t width) { return Bits{1} << (width - 1); }
/// The value of the two's complement pattern, as 128 bits.
Bits extended(Bits a, uint32_t width) { return (a & sign_bit(width)) != 0 ? a | ~mask(width) : a; }
/// Division of magnitudes with signs, as SMT-LIB defines bvsdiv and bvsrem.
Bits sdiv(Bits a, Bits b, uint32_t w) {
  const bool minus_a = (a & sign_bit(w)) != 0, minus_b = (b & sign_bit(w)) != 0;
  const Bits x = minus_a ? -a & mask(w) : a, y = minus_b ? -b & mask(w) : b;
  const Bits q = y == 0 ? mask(w) : x / y;
  return (minus_a != minus_b ? -q : q) & mask(w);
}
Bits srem(Bits a, Bits b, uint32_t w) {
  const bool minus_a = (a & sign_bit(w)) != 0, minus_b = (b & sign_bit(w)) != 0;
  const Bits x = minus_a ? -a & mask(w) : a, y = minus_b ? -b & mask(w) : b;
  const Bits r = y == 0 ? x : x % y;
  return (minus_a ? -r : r) & mask(w);
}
/// Arithmetic shift to the right of a 128-bit two's complement value.
Bits shifted_right(Bits a, uint32_t by) {
  const Bits sign = (a >> 127) != 0 ? ~Bits{0} : Bits{0};
  if (by >= 128) return sign;
  return by == 0 ? a : (a >> by) | (sign << (128 - by));
}
bool signed_below(Bits a, Bits b, uint32_t w) { return (a ^ sign_bit(w)) < (b ^ sign_bit(w)); }

/// What a node is worth; `value` gives that of an operand. `of` is the width of the first operand.
template <typename Value>
Bits worth(const Node& n, uint32_t of, const Value& value) {
  const auto x = [&](int k) -> Bits { return value(n.operands[k]); };
  const uint32_t w = n.width;
  switch (n.kind) {
    case Kind::Constant: return n.bits;
    case Kind::Variable: fault("a variable has no value of its own");
    case Kind::Add: return (x(0) + x(1)) & mask(w);
    case Kind::Sub: return (x(0) - x(1)) & mask(w);
    case Kind::Mul: return (x(0) * x(1)) & mask(w);
    case Kind::UDiv: return x(1) == 0 ? mask(w) : x(0) / x(1);
    case Kind::URem: return x(1) == 0 ? x(0) : x(0) % x(1);
    case Kind::SDiv: return sdiv(x(0), x(1), w);
    case Kind::SRem: return srem(x(0), x(1), w);
    case Kind::BitAnd: return x(0) & x(1);
    case Kind::BitOr: return x(0) | x(1);
    case Kind::BitXor: return x(0) ^ x(1);
    case Kind::BitNot: return ~x(0) & mask(w);
    case Kind::Neg: return -x(0) & mask(w);
    case Kind::Shl: return x(1) >= w ? Bits{0} : (x(0) << uint32_t(x(1))) & mask(w);
    case Kind::LShr: return x(1) >= w ? Bits{0} : x(0) >> uint32_t(x(1));
    case Kind::AShr: {
      const uint32_t by = x(1) >= w ? 128 : uint32_t(x(1));
      return shifted_right(extended(x(0), w), by) & mask(w);
    }
    case Kind::Concat: return (x(0) << (w - of)) | x(1);
    case Kind::Extract: return (x(0) >> n.low) & mask(w);
    case Kind::ZeroExtend: return x(0);
    case Kind::SignExtend: return extended(x(0), of) & mask(w);
    case Kind::Eq: return x(0) == x(1);
    case Kind::ULt: return x(0) < x(1);
    case Kind::ULe: return x(0) <= x(1);
    case Kind::SLt: return signed_below(x(0), x(1), of);
    case Kind::SLe: return !signed_below(x(1), x(0), of);
    case Kind::And: return x(0) & x(1);
    case Kind::Or: return x(0) | x(1);
    case Kind::Not: return x(0) ^ 1;
    case Kind::Implies: return (x(0) ^ 1) | x(1);
    case Kind::Ite: return x(0) != 0 ? x(1) : x(2);
  }
  std::unreachable();
}

/// The nodes that a term is made of, operands first, each once.
std::vector<uint32_t> parts(const Pool& pool, Term root) {
  const std::vector<bool> needed = needed_by(pool, root);
  std::vector<uint32_t> out;
  for (uint32_t id = 0; id <= root.id; ++id) {
    if (needed[id]) out.push_back(id);
  }
  return out;
}

/// The same in the order in which the formula, read from left to right, is through with them: it depends on
/// nothing but the formula.
std::vector<uint32_t> reading_order(const Pool& pool, Term root) {
  struct Open {
    uint32_t id, next;
  };
  std::vector<uint32_t> out;
  std::vector<bool> met(root.id + 1);
  std::vector<Open> open = {{root.id, 0}};
  met[root.id] = true;
  while (!open.empty()) {
    const Node& n = pool[Term{open.back().id}];
    if (open.back().next == info(n.kind).operands) {
      out.push_back(open.back().id);
      open.pop_back();
      continue;
    }
    const uint32_t operand = n.operands[open.back().next++].id;
    if (met[operand]) continue;
    met[operand] = true;
    open.push_back({operand, 0});
  }
  return out;
}

std::string hexadecimal(Bits value, uint32_t width) {
  std::string out = width % 4 == 0 ? "#x" : "#b";
  const uint32_t digit = width % 4 == 0 ? 4 : 1;
  for (uint32_t at = width; at > 0; at -= digit)
    out += "0123456789abcdef"[uint32_t(value >> (at - digit)) & ((1u << digit) - 1)];
  return out;
}

std::string sort(uint32_t width) {
  return width == 0 ? std::string("Bool") : fmt::format("(_ BitVec {})", width);
}

}  // namespace

std::vector<bool> needed_by(const Pool& pool, Term t) {
  std::vector<bool> needed(t.id + 1);
  needed[t.id] = true;
  for (uint32_t id = t.id + 1; id-- > 0;) {  // operands have smaller ids
    if (!needed[id]) continue;
    const Node& n = pool[Term{id}];
    for (uint32_t k = 0; k < info(n.kind).operands; ++k) needed[n.operands[k].id] = true;
  }
  return needed;
}

const KindInfo& info(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }

Term Pool::keep(const Node& node) {
  uint64_t hash = uint64_t(node.kind) * 0x9e3779b97f4a7c15u + node.width;
  const auto mix = [&](uint64_t word) { hash = (hash ^ word) * 0xff51afd7ed558ccdu, hash ^= hash >> 29; };
  mix(node.low);
  mix(node.name);
  mix(uint64_t(node.bits));
  mix(uint64_t(node.bits >> 64));
  for (const Term t : node.operands) mix(t.id);
  const auto [first, last] = known_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    const Node& n = nodes_[at->second];
    if (n.kind == node.kind && n.width == node.width && n.low == node.low && n.name == node.name &&
        n.bits == node.bits && std::ranges::equal(n.operands, node.operands))
      return Term{at->second};
  }
  const Term out{uint32_t(nodes_.size())};
  nodes_.push_back(node);
  known_.emplace(hash, out.id);
  return out;
}

Term Pool::constant(uint32_t width, Bits value) {
  if (width == 0 || width > kMaxWidth) fault(fmt::format("a constant of {} bits", width));
  return keep({.kind = Kind::Constant, .width = width, .bits = value & mask(width)});
}
Term Pool::truth(bool value) { return keep({.kind = Kind::Constant, .width = 0, .bits = Bits{value}}); }

Term Pool::variable(std::string_view name, uint32_t width) {
  const auto known = std::ranges::find(names_, name);
  const auto place = uint32_t(known - names_.begin());
  if (known != names_.end()) {
    if (this->width(variables_[place]) != width) fault(fmt::format("variable {} has two widths", name));
    return variables_[place];
  }
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  if (name.empty() || name[0] == '.' || (name[0] >= '0' && name[0] <= '9') || name.starts_with("t.") ||
      !std::ranges::all_of(name, good) || width > kMaxWidth)
    fault(fmt::format("'{}' of {} bits is no variable", name, width));
  names_.emplace_back(name);
  variables_.push_back(keep({.kind = Kind::Variable, .width = width, .name = place}));
  return variables_.back();
}

Term Pool::concat(Term high, Term low) { return make(Kind::Concat, std::array{high, low}, 0, 0); }
Term Pool::extract(Term a, uint32_t low, uint32_t width) {
  return low == 0 && width == this->width(a) ? a : make(Kind::Extract, std::array{a}, width, low);
}
Term Pool::zero_extend(Term a, uint32_t width) {
  return width == this->width(a) ? a : make(Kind::ZeroExtend, std::array{a}, width, 0);
}
Term Pool::sign_extend(Term a, uint32_t width) {
  return width == this->width(a) ? a : make(Kind::SignExtend, std::array{a}, width, 0);
}
Term Pool::resize(Term a, uint32_t width) {
  return width < this->width(a) ? extract(a, 0, width) : zero_extend(a, width);
}
Term Pool::all(std::span<const Term> of) {
  Term out = truth(true);
  for (const Term t : of) out = t == of.front() ? t : and_(out, t);
  return out;
}
Term Pool::any(std::span<const Term> of) {
  Term out = truth(false);
  for (const Term t : of) out = t == of.front() ? t : or_(out, t);
  return out;
}

Term Pool::make(Kind kind, std::span<const Term> operands, uint32_t width, uint32_t low) {
  Node node{.kind = kind, .low = low};
  std::ranges::copy(operands, node.operands);
  const auto w = [&](size_t k) { return this->width(operands[k]); };
  const auto demand = [&](bool good) {
    if (good) return;
    std::string widths;
    for (const Term t : operands) widths += fmt::format(" {}", this->width(t));
    fault(fmt::format("{} of operands of{} bits", info(kind).text, widths));
  };
  demand(operands.size() == info(kind).operands);
  switch (kind) {
    case Kind::Constant:
    case Kind::Variable: fault("a leaf is not made of operands");
    case Kind::Add:
    case Kind::Sub:
    case Kind::Mul:
    case Kind::UDiv:
    case Kind::URem:
    case Kind::SDiv:
    case Kind::SRem:
    case Kind::BitAnd:
    case Kind::BitOr:
    case Kind::BitXor:
    case Kind::Shl:
    case Kind::LShr:
    case Kind::AShr:
      demand(w(0) != 0 && w(0) == w(1));
      node.width = w(0);
      break;
    case Kind::BitNot:
    case Kind::Neg:
      demand(w(0) != 0);
      node.width = w(0);
      break;
    case Kind::Concat:
      demand(w(0) != 0 && w(1) != 0 && w(0) + w(1) <= kMaxWidth);
      node.width = w(0) + w(1);
      break;
    case Kind::Extract:
      demand(width != 0 && low + width <= w(0));
      node.width = width;
      break;
    case Kind::ZeroExtend:
    case Kind::SignExtend:
      demand(w(0) != 0 && width > w(0) && width <= kMaxWidth);
      node.width = width;
      break;
    case Kind::Eq: demand(w(0) == w(1)); break;
    case Kind::ULt:
    case Kind::ULe:
    case Kind::SLt:
    case Kind::SLe: demand(w(0) != 0 && w(0) == w(1)); break;
    case Kind::And:
    case Kind::Or:
    case Kind::Implies: demand(w(0) == 0 && w(1) == 0); break;
    case Kind::Not: demand(w(0) == 0); break;
    case Kind::Ite:
      demand(w(0) == 0 && w(1) == w(2));
      node.width = w(1);
      break;
  }
  if (!std::ranges::all_of(operands, [&](Term t) { return is_constant(t); })) return keep(node);
  const Bits value = worth(node, w(0), [&](Term t) { return nodes_[t.id].bits; });
  return node.width == 0 ? truth(value != 0) : constant(node.width, value);
}

std::vector<Term> Pool::variables_of(Term t) const {
  std::vector<Term> out;
  for (const uint32_t id : parts(*this, t)) {
    if (nodes_[id].kind == Kind::Variable) out.push_back(Term{id});
  }
  std::ranges::sort(out, {}, [&](Term v) { return nodes_[v.id].name; });
  return out;
}

Evaluation::Evaluation(const Pool& pool, Term t)
    : pool_(pool), root_(t), variables_(pool.variables_of(t)), order_(parts(pool, t)), values_(t.id + 1) {}

Bits Evaluation::operator()(std::span<const Bits> values) {
  for (size_t i = 0; i < variables_.size(); ++i) {
    const uint32_t width = pool_.width(variables_[i]);
    values_[variables_[i].id] = values[i] & mask(width == 0 ? 1 : width);
  }
  for (const uint32_t id : order_) {
    const Node& n = pool_[Term{id}];
    if (n.kind == Kind::Variable) continue;
    const uint32_t of = info(n.kind).operands == 0 ? 0 : pool_.width(n.operands[0]);
    values_[id] = worth(n, of, [&](Term operand) { return values_[operand.id]; });
  }
  return values_[root_.id];
}

Bits evaluate(const Pool& pool, Term t, std::span<const Assigned> variables) {
  Evaluation evaluation(pool, t);
  std::vector<Bits> values;
  for (const Term v : evaluation.variables()) {
    const auto found = std::ranges::find(variables, v, &Assigned::variable);
    if (found == variables.end()) fault(fmt::format("variable {} has no value", pool.name(v)));
    values.push_back(found->value);
  }
  return evaluation(values);
}

std::string script(const Pool& pool, Term assertion) {
  if (pool.width(assertion) != 0) fault("an assertion is a truth value");
  const std::vector<uint32_t> order = reading_order(pool, assertion);
  std::vector<std::string> text(assertion.id + 1);  // how each is written where it is used
  std::string out = "(set-logic QF_BV)\n";
  for (const uint32_t id : order) {
    if (pool[Term{id}].kind != Kind::Variable) continue;
    text[id] = pool.name(Term{id});
    out += fmt::format("(declare-const {} {})\n", text[id], sort(pool.width(Term{id})));
  }
  uint32_t defined = 0;
  for (const uint32_t id : order) {
    const Node& n = pool[Term{id}];
    if (n.kind == Kind::Variable) continue;
    if (n.kind == Kind::Constant) {
      text[id] = n.width == 0 ? (n.bits != 0 ? "true" : "false") : hexadecimal(n.bits, n.width);
      continue;
    }
    std::string head(info(n.kind).text);
    if (n.kind == Kind::Extract) head = fmt::format("(_ extract {} {})", n.low + n.width - 1, n.low);
    if (n.kind == Kind::ZeroExtend || n.kind == Kind::SignExtend)
      head = fmt::format("(_ {} {})", head, n.width - pool.width(n.operands[0]));
    std::string body = "(" + head;
    for (uint32_t k = 0; k < info(n.kind).operands; ++k) body += " " + text[n.operands[k].id];
    body += ")";
    // One definition a term: a text that repeated what is shared would grow without bound.
    text[id] = fmt::format("t.{}", defined++);
    out += fmt::format("(define-fun {} () {} {})\n", text[id], sort(n.width), body);
  }
  return out + fmt::format("(assert {})\n", text[assertion.id]);
}

Digest statement_digest(const Pool& pool, Term assertion) {
  const std::string text = script(pool, assertion);
  return sha256(std::as_bytes(std::span(text)));
}

}  // namespace vyre::smt
