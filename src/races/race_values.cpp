#include "races/race_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "spec/limits.h"
#include "spec/ops.h"

namespace vyre::races {
namespace {

using spec::DataType;
using spec::Op;
using Kind = RaceValues::Kind;

__extension__ using Wide = __int128;

constexpr int64_t kWord = int64_t{1} << 32;
constexpr int64_t kMostExact = int64_t{1} << 56;  // of forms before they wrap
constexpr uint32_t kMostBits = 4;                 // of a constant that is taken apart bit by bit
constexpr int64_t kMostWraps = 4;                 // that are distinguished
constexpr uint32_t kMostSystems = 96;             // of one question

bool is_word(DataType type) {
  return type == DataType::U32 || type == DataType::I32 || type == DataType::Bool;
}
bool is_comparison(Op op) {
  return op == Op::Eq || op == Op::Ne || op == Op::Lt || op == Op::Gt || op == Op::Le || op == Op::Ge;
}
bool is_truth(Op op) { return is_comparison(op) || op == Op::And || op == Op::Or || op == Op::LogicalNot; }

LinearSum scaled(const LinearSum& sum, int64_t factor) { return plus(LinearSum::of(0), sum, factor); }

/// An operator on words of which all operands are known; none where it is not worth it.
std::optional<uint32_t> folded(Op op, DataType type, std::span<const uint32_t> x) {
  const bool is_signed = type == DataType::I32;
  const auto s = [](uint32_t w) { return int32_t(w); };
  if (x.size() == 2) {
    const uint32_t a = x[0], b = x[1];
    if (op == Op::Add) return a + b;
    if (op == Op::Sub) return a - b;
    if (op == Op::Mul) return a * b;
    if (op == Op::BitAnd) return a & b;
    if (op == Op::BitOr) return a | b;
    if (op == Op::BitXor) return a ^ b;
    if (op == Op::Shl) return a << (b & 31);
    if (op == Op::Eq) return a == b;
    if (op == Op::Ne) return a != b;
    if (op == Op::And) return a != 0 && b != 0;
    if (op == Op::Or) return a != 0 || b != 0;
    if (op == Op::Lt) return is_signed ? s(a) < s(b) : a < b;
    if (op == Op::Gt) return is_signed ? s(a) > s(b) : a > b;
    if (op == Op::Le) return is_signed ? s(a) <= s(b) : a <= b;
    if (op == Op::Ge) return is_signed ? s(a) >= s(b) : a >= b;
    if (is_signed) return std::nullopt;
    if (op == Op::Div) return b == 0 ? 0 : a / b;
    if (op == Op::Mod) return b == 0 ? 0 : a % b;
    if (op == Op::Shr) return a >> (b & 31);
  }
  if (x.size() == 1) {
    if (op == Op::LogicalNot) return x[0] == 0;
    if (op == Op::BitNot) return ~x[0];
    if (op == Op::Negate) return 0u - x[0];
  }
  return std::nullopt;
}

}  // namespace

// --- The graph

Value RaceValues::keep(Node node) {
  for (const Value arg : node.args) node.scope = std::max(node.scope, nodes_[index(arg)].scope);
  const Key key{node.kind, node.op, node.type, node.number, node.args};
  const auto [at, is_new] = known_.try_emplace(key, Value(nodes_.size()));
  if (is_new) {
    nodes_.push_back(std::move(node));
    forms_.emplace_back();
  }
  return at->second;
}

Value RaceValues::constant(uint32_t bits, DataType type) {
  return keep({.kind = Kind::Constant, .type = type, .number = bits, .least = bits, .most = bits});
}
Value RaceValues::local(uint32_t axis) {
  if (size_[axis] == 1) return constant(0);
  return keep({.kind = Kind::Local,
               .type = DataType::U32,
               .number = axis,
               .scope = Scope::Invocation,
               .most = size_[axis] - 1});
}
Value RaceValues::workgroup(uint32_t axis) {
  return keep({.kind = Kind::Workgroup,
               .type = DataType::U32,
               .number = axis,
               .scope = Scope::Workgroup,
               .most = spec::kMaxGroupsPerAxis - 1});
}
Value RaceValues::invocation(uint32_t axis) {
  const Value scaled_group[] = {workgroup(axis), constant(size_[axis])};
  const Value sum[] = {apply(Op::Mul, DataType::U32, scaled_group), local(axis)};
  return apply(Op::Add, DataType::U32, sum);
}
Value RaceValues::length(uint32_t buffer) {
  return keep({.kind = Kind::Length, .type = DataType::U32, .number = buffer});
}
Value RaceValues::unknown(DataType type, Scope scope, uint32_t least, uint32_t most) {
  return keep({.kind = Kind::Unknown,
               .type = type,
               .number = unknowns_++,
               .scope = scope,
               .least = least,
               .most = type == DataType::Bool ? std::min(most, 1u) : most});
}
Value RaceValues::load(uint32_t buffer, DataType type, std::span<const Value> indices) {
  return keep({.kind = Kind::Load,
               .type = type,
               .number = buffer,
               .args = {indices.begin(), indices.end()},
               .most = type == DataType::Bool ? 1 : UINT32_MAX});
}

Value RaceValues::apply(Op op, DataType type, std::span<const Value> args, uint32_t number) {
  Node node{
      .kind = Kind::Apply, .op = op, .type = type, .number = number, .args = {args.begin(), args.end()}};
  std::vector<uint32_t> known;
  for (const Value arg : args) {
    if (const auto bits = constant_of(arg)) known.push_back(*bits);
  }
  // Bits of comparisons are those of their operands' type.
  const DataType operand = args.empty() ? type : nodes_[index(args[0])].type;
  if (is_word(type) && is_word(operand) && known.size() == args.size()) {
    if (op == Op::Bitcast) return constant(known[0], type);
    if (op == Op::Cast) return constant(type == DataType::Bool ? known[0] != 0 : known[0], type);
    if (const auto bits = folded(op, operand, known)) return constant(*bits, type);
  }
  if (op == Op::Select) {
    if (const auto condition = constant_of(args[0])) return *condition != 0 ? args[1] : args[2];
    if (args[1] == args[2]) return args[1];
  }
  if (is_truth(op)) node.most = 1;
  if (op == Op::Popcount || op == Op::Clz || op == Op::Ctz) node.most = 128;
  return keep(std::move(node));
}

std::optional<uint32_t> RaceValues::constant_of(Value v) const {
  const Node& node = nodes_[index(v)];
  if (node.kind != Kind::Constant || !is_word(node.type)) return std::nullopt;
  return node.number;
}

std::pair<Value, Value> RaceValues::peeled(Value a, Value b, bool same_workgroup) const {
  // Odd factors can be undone modulo 2^32.
  const auto is_odd = [&](Value v) {
    const Node& node = nodes_[index(v)];
    if (const auto known = constant_of(v)) return (*known & 1) != 0;
    if (node.kind != Kind::Apply || node.op != Op::BitOr) return false;
    return std::ranges::any_of(node.args, [&](Value arg) { return (constant_of(arg).value_or(0) & 1) != 0; });
  };
  for (;;) {
    const Node &x = nodes_[index(a)], &y = nodes_[index(b)];
    const bool alike = x.kind == Kind::Apply && y.kind == Kind::Apply && x.op == y.op && is_word(x.type) &&
                       is_word(y.type) && x.args.size() == y.args.size();
    if (!alike) return {a, b};
    if (x.op == Op::BitNot || x.op == Op::Negate) {
      a = x.args[0];
      b = y.args[0];
      continue;
    }
    const bool turns = x.op == Op::Add || x.op == Op::BitXor || x.op == Op::Mul;
    if (!turns && x.op != Op::Sub) return {a, b};
    std::optional<std::pair<Value, Value>> rest;
    for (size_t i = 0; i < 2 && !rest; ++i) {
      for (size_t j = 0; j < 2 && !rest; ++j) {
        if (!turns && i != j) continue;
        if (x.args[i] != y.args[j] || !is_shared(x.args[i], same_workgroup)) continue;
        if (x.op == Op::Mul && !is_odd(x.args[i])) continue;
        rest = {x.args[1 - i], y.args[1 - j]};
      }
    }
    if (!rest) return {a, b};
    std::tie(a, b) = *rest;
  }
}

// --- Linear forms

int64_t RaceValues::least(const LinearSum& sum) const {
  // Factors are below 2^60 and variables below 2^32, so a product may pass 64 bits.
  constexpr int64_t kFar = int64_t{1} << 62;
  if (sum.lost) return -kFar;
  Wide out = sum.constant;
  for (const auto& [variable, factor] : sum.terms) {
    const Node& node = nodes_[variable / 2];
    out += Wide(factor) * (factor > 0 ? node.least : node.most);
  }
  return int64_t(std::clamp(out, Wide(-kFar), Wide(kFar)));
}
int64_t RaceValues::most(const LinearSum& sum) const { return -least(scaled(sum, -1)); }

const RaceValues::Form& RaceValues::form(Value v) {
  if (!forms_[index(v)]) {
    Form made = make_form(v);
    // A form that was too large to be written says nothing: the value is a variable of its own.
    forms_[index(v)] = made.sum.lost ? opaque(v) : std::move(made);
  }
  return *forms_[index(v)];
}

RaceValues::Form RaceValues::opaque(Value v) const {
  const Node& node = nodes_[index(v)];
  return {LinearSum::variable(2 * index(v)), node.least, node.most};
}

RaceValues::Form RaceValues::wrapped(Value v, Form exact) {
  if (exact.sum.lost) return opaque(v);
  exact.least = std::max(exact.least, least(exact.sum));
  exact.most = std::min(exact.most, most(exact.sum));
  if (exact.least >= 0 && exact.most < kWord) return exact;
  if (exact.least < -kMostExact || exact.most > kMostExact) return opaque(v);
  Definition& d = definitions_[index(v)];
  d.wraps = true;
  d.least_wraps = floor_of(exact.least, kWord);
  d.most_wraps = floor_of(exact.most, kWord);
  LinearSum row = plus(exact.sum, LinearSum::variable(2 * index(v)), -1);
  d.equal.push_back(plus(row, LinearSum::variable(2 * index(v) + 1), -kWord));
  return opaque(v);
}

RaceValues::Form RaceValues::make_form(Value v) {
  const Node node = nodes_[index(v)];  // a copy: more nodes may be made
  if (node.kind == Kind::Constant) return {LinearSum::of(node.number), node.number, node.number};
  if (node.kind != Kind::Apply || !is_word(node.type)) return opaque(v);
  const auto& args = node.args;
  const bool words =
      std::ranges::all_of(args, [&](Value a) { return is_word(nodes_[index(a)].type); }) && !args.empty();
  if (!words) return opaque(v);
  const auto bounded = [&](int64_t low, int64_t high) {
    nodes_[index(v)].least = uint32_t(std::clamp<int64_t>(low, 0, kWord - 1));
    nodes_[index(v)].most = uint32_t(std::clamp<int64_t>(high, 0, kWord - 1));
    return opaque(v);
  };
  const auto with = [&](Op op, Value a, uint32_t by) {
    const Value operands[] = {a, constant(by)};
    return apply(op, DataType::U32, operands);
  };
  const auto exact = [&](LinearSum sum) {
    const int64_t low = least(sum), high = most(sum);
    return wrapped(v, {std::move(sum), low, high});
  };
  const Form a = form(args[0]);
  const bool is_signed = nodes_[index(args[0])].type == DataType::I32;
  if (args.size() == 1) {
    if (node.op == Op::Negate) return exact(scaled(a.sum, -1));
    if (node.op == Op::BitNot) return exact(plus(LinearSum::of(kWord - 1), a.sum, -1));
    // Between words a cast keeps the bits, but for one to bool.
    const bool keeps = node.type != DataType::Bool || nodes_[index(args[0])].type == DataType::Bool;
    if ((node.op == Op::Cast || node.op == Op::Bitcast) && keeps) return a;
    if (node.op == Op::Cast) return bounded(0, 1);
    return opaque(v);
  }
  if (node.op == Op::Select) {
    const Form t = form(args[1]), e = form(args[2]);
    return bounded(std::min(t.least, e.least), std::max(t.most, e.most));
  }
  if (args.size() != 2 || is_truth(node.op)) return opaque(v);
  const Form b = form(args[1]);
  const auto by = constant_of(args[1]);
  const bool is_small = a.most < kWord / 2 && b.most < kWord / 2;  // as if unsigned
  const auto scaled_by = [&](uint32_t factor) {
    const bool negative = factor >= kWord / 2 && a.most * (int64_t(factor) >> 1) >= kWord / 2;
    return exact(scaled(a.sum, negative ? int64_t(factor) - kWord : int64_t(factor)));
  };
  const auto quotient = [&](uint32_t divisor) {
    if (divisor == 1) return a;
    const Form out = bounded(a.least / divisor, a.most / divisor);
    Definition& d = definitions_[index(v)];
    // 0 <= a - divisor * quotient < divisor
    LinearSum rest = plus(a.sum, out.sum, -int64_t(divisor));
    d.at_least.push_back(plus(LinearSum::of(divisor - 1), rest, -1));
    d.at_least.push_back(std::move(rest));
    return out;
  };
  const auto remainder = [&](Value of, uint32_t divisor) -> Form {
    const Form f = form(of);
    if (f.most < divisor) return f;
    const Form q = form(with(Op::Div, of, divisor));
    return {plus(f.sum, q.sum, -int64_t(divisor)), 0, divisor - 1};
  };
  /// Bit number `bit` of the first operand, as a form.
  const auto bit_of = [&](uint32_t bit) {
    return remainder(bit == 0 ? args[0] : with(Op::Div, args[0], 1u << bit), 2).sum;
  };
  /// Both operands below a power of two.
  const auto below = [&] {
    const uint64_t top = std::bit_ceil(uint64_t(std::max(a.most, b.most)) + 1);
    return int64_t(top) - 1;
  };
  if (node.op == Op::Add) return exact(plus(a.sum, b.sum));
  if (node.op == Op::Sub) return exact(plus(a.sum, b.sum, -1));
  if (node.op == Op::Mul) {
    if (by) return scaled_by(*by);
    if (const auto first = constant_of(args[0])) return form(with(Op::Mul, args[1], *first));
    const unsigned __int128 most_product = static_cast<unsigned __int128>(a.most) * uint64_t(b.most);
    if (most_product < kWord) return bounded(a.least * b.least, a.most * b.most);
    return opaque(v);
  }
  if (node.op == Op::Shl) {
    if (by) return scaled_by(1u << (*by & 31));
    return opaque(v);
  }
  if (is_signed && !is_small) return opaque(v);
  if (node.op == Op::Div) {
    if (by && *by == 0) return {LinearSum::of(0), 0, 0};
    return by ? quotient(*by) : bounded(0, a.most);
  }
  if (node.op == Op::Shr) {
    const uint32_t bits = by.value_or(0) & 31;
    return by ? form(with(Op::Div, args[0], 1u << bits)) : bounded(0, a.most);
  }
  if (node.op == Op::Mod) {
    if (by && *by == 0) return {LinearSum::of(0), 0, 0};
    return by ? remainder(args[0], *by) : bounded(0, std::min(a.most, std::max<int64_t>(b.most - 1, 0)));
  }
  if (node.op == Op::BitAnd) {
    if (!by && constant_of(args[0])) return form(with(Op::BitAnd, args[1], *constant_of(args[0])));
    if (!by) return bounded(0, std::min(a.most, b.most));
    if (*by == UINT32_MAX) return a;
    if (std::has_single_bit(*by + 1)) return remainder(args[0], *by + 1);
    if (const uint32_t low = ~*by; std::has_single_bit(low + 1)) {
      const Form rest = remainder(args[0], low + 1);
      return {plus(a.sum, rest.sum, -1), 0, a.most};
    }
    if (std::popcount(*by) <= int(kMostBits)) {
      LinearSum sum;
      for (uint32_t bit = 0; bit < 32; ++bit) {
        if ((*by >> bit & 1) != 0) sum = plus(sum, bit_of(bit), int64_t{1} << bit);
      }
      return {sum, 0, *by};
    }
    return bounded(0, std::min<int64_t>(a.most, *by));
  }
  if (node.op == Op::BitOr || node.op == Op::BitXor) {
    const bool is_or = node.op == Op::BitOr;
    if (!by && constant_of(args[0])) return form(with(node.op, args[1], *constant_of(args[0])));
    // Of bits that are never both set, both are the sum.
    const auto apart = [](const Form& high, const Form& low) {
      const int64_t step = int64_t(std::bit_ceil(uint64_t(low.most) + 1));
      return high.sum.constant % step == 0 &&
             std::ranges::all_of(high.sum.terms, [&](const auto& t) { return t.second % step == 0; });
    };
    if (apart(a, b) || apart(b, a)) return {plus(a.sum, b.sum), a.least + b.least, a.most + b.most};
    if (by && std::popcount(*by) <= int(kMostBits)) {
      LinearSum sum = a.sum;
      for (uint32_t bit = 0; bit < 32; ++bit) {
        if ((*by >> bit & 1) == 0) continue;
        const int64_t weight = int64_t{1} << bit;
        sum = plus(plus(sum, LinearSum::of(weight)), bit_of(bit), is_or ? -weight : -2 * weight);
      }
      return {sum, 0, below()};
    }
    return bounded(0, below());
  }
  return opaque(v);
}

// --- Linear systems

uint32_t RaceSystem::variable(uint32_t of_form, Side side) {
  const auto& node = values_.nodes_[of_form / 2];
  const bool shared = node.scope == Scope::Dispatch || (node.scope == Scope::Workgroup && same_);
  if (shared) side = Side::First;
  const auto [at, is_new] = variables_.try_emplace({of_form, side}, uint32_t(variables_.size()));
  const uint32_t out = at->second;
  if (!is_new) return out;
  const LinearSum self = LinearSum::variable(out);
  if (of_form % 2 == 1) return out;  // the wraps, whose bounds are alternatives
  system_.at_most(LinearSum::of(node.least), self);
  system_.at_most(self, LinearSum::of(node.most));
  const auto found = values_.definitions_.find(of_form / 2);
  if (found == values_.definitions_.end()) return out;
  const auto definition = found->second;
  for (const LinearSum& row : definition.equal) system_.equal_zero(renamed(row, side));
  for (const LinearSum& row : definition.at_least) system_.at_least_zero(renamed(row, side));
  if (definition.wraps) {
    const LinearSum wraps = LinearSum::variable(variable(of_form + 1, side));
    const auto between = [&](int64_t low, int64_t high) {
      return Alternative{plus(wraps, LinearSum::of(low), -1), plus(LinearSum::of(high), wraps, -1)};
    };
    if (definition.most_wraps - definition.least_wraps < kMostWraps) {
      auto& all = alternatives_.emplace_back();
      for (int64_t k = definition.least_wraps; k <= definition.most_wraps; ++k) all.push_back(between(k, k));
    } else {
      for (LinearSum& row : between(definition.least_wraps, definition.most_wraps))
        system_.at_least_zero(std::move(row));
    }
  }
  return out;
}

LinearSum RaceSystem::renamed(const LinearSum& sum, Side side) {
  LinearSum out = LinearSum::of(sum.constant);
  for (const auto& [v, factor] : sum.terms) out = plus(out, LinearSum::variable(variable(v, side)), factor);
  return out;
}

LinearSum RaceSystem::of(Value v, Side side) {
  const RaceValues::Form form = values_.form(v);
  LinearSum out = renamed(form.sum, side);
  // What is known of the whole and does not follow from its parts.
  if (!out.is_constant()) {
    system_.at_most(LinearSum::of(form.least), out);
    system_.at_most(out, LinearSum::of(form.most));
  }
  return out;
}

void RaceSystem::equal(Value a, Side of_a, Value b, Side of_b) {
  const LinearSum x = of(a, of_a);
  system_.equal_zero(plus(x, of(b, of_b), -1));
}

void RaceSystem::less(Value a, Side of_a, Value b, Side of_b) {
  const LinearSum x = plus(of(a, of_a), LinearSum::of(1));
  system_.at_most(x, of(b, of_b));
}

std::optional<RaceSystem::Alternative> RaceSystem::rows_of(Value condition, bool holds, Side side) {
  const RaceValues::Node node = values_[condition];
  const auto both = [&](bool each) -> std::optional<Alternative> {
    auto first = rows_of(node.args[0], each, side);
    const auto second = rows_of(node.args[1], each, side);
    if (!first && !second) return std::nullopt;
    if (!first) return second;
    if (second) first->insert(first->end(), second->begin(), second->end());
    return first;
  };
  if (!is_word(node.type)) return std::nullopt;
  if (node.kind == Kind::Constant) {
    if ((node.number != 0) == holds) return Alternative{};
    return Alternative{LinearSum::of(-1)};
  }
  if (node.kind == Kind::Apply && is_truth(node.op)) {
    for (const Value arg : node.args) {
      if (!is_word(values_[arg].type)) return std::nullopt;
    }
    if (node.op == Op::LogicalNot) return rows_of(node.args[0], !holds, side);
    if (node.op == Op::And) return holds ? both(true) : std::nullopt;
    if (node.op == Op::Or) return holds ? std::nullopt : both(false);
    const RaceValues::Form fa = values_.form(node.args[0]), fb = values_.form(node.args[1]);
    const bool is_signed = values_[node.args[0]].type == DataType::I32;
    if (is_signed && node.op != Op::Eq && node.op != Op::Ne && (fa.most >= kWord / 2 || fb.most >= kWord / 2))
      return std::nullopt;
    const LinearSum a = of(node.args[0], side), b = of(node.args[1], side);
    const LinearSum less = plus(plus(b, a, -1), LinearSum::of(-1)),
                    more = plus(plus(a, b, -1), LinearSum::of(-1));
    const LinearSum at_most = plus(b, a, -1), at_least = plus(a, b, -1);
    if (node.op == Op::Lt) return Alternative{holds ? less : at_least};
    if (node.op == Op::Gt) return Alternative{holds ? more : at_most};
    if (node.op == Op::Le) return Alternative{holds ? at_most : more};
    if (node.op == Op::Ge) return Alternative{holds ? at_least : less};
    if ((node.op == Op::Eq) == holds) return Alternative{at_most, at_least};
    return std::nullopt;  // different: one of two
  }
  // Of truths as words.
  const bool truths = node.kind == Kind::Apply && node.op == Op::BitAnd && node.args.size() == 2 &&
                      values_.form(node.args[0]).most <= 1 && values_.form(node.args[1]).most <= 1;
  if (truths && holds) return both(true);
  const LinearSum x = of(condition, side);
  return Alternative{holds ? plus(x, LinearSum::of(-1)) : plus(LinearSum::of(0), x, -1)};
}

void RaceSystem::say(Value condition, bool holds, Side side) {
  const RaceValues::Node node = values_[condition];
  if (node.kind == Kind::Apply && is_word(node.type)) {
    if (node.op == Op::LogicalNot) return say(node.args[0], !holds, side);
    if ((node.op == Op::And && holds) || (node.op == Op::Or && !holds)) {
      say(node.args[0], holds, side);
      return say(node.args[1], holds, side);
    }
    if ((node.op == Op::And && !holds) || (node.op == Op::Or && holds)) {
      auto first = rows_of(node.args[0], holds, side);
      auto second = rows_of(node.args[1], holds, side);
      if (first && second) alternatives_.push_back({std::move(*first), std::move(*second)});
      return;
    }
    const bool differ = (node.op == Op::Ne && holds) || (node.op == Op::Eq && !holds);
    if (differ && is_word(values_[node.args[0]].type)) {
      const LinearSum a = of(node.args[0], side), b = of(node.args[1], side);
      alternatives_.push_back(
          {{plus(plus(b, a, -1), LinearSum::of(-1))}, {plus(plus(a, b, -1), LinearSum::of(-1))}});
      return;
    }
  }
  if (auto rows = rows_of(condition, holds, side)) {
    for (LinearSum& row : *rows) system_.at_least_zero(std::move(row));
  }
}

void RaceSystem::require(const Guard& guard, Side side) { say(guard.condition, guard.holds, side); }

bool RaceSystem::refuted(LinearSystem system, size_t alternative, uint32_t& budget) const {
  if (budget == 0) return false;
  --budget;
  if (system.is_infeasible(values_.steps_)) return true;
  if (alternative == alternatives_.size()) return false;
  for (const Alternative& one : alternatives_[alternative]) {
    LinearSystem with = system;
    for (const LinearSum& row : one) with.at_least_zero(row);
    if (!refuted(std::move(with), alternative + 1, budget)) return false;
  }
  return true;
}

bool RaceSystem::is_impossible() {
  uint32_t budget = kMostSystems;
  return refuted(system_, 0, budget);
}

// --- Formulas

std::string RaceFormulas::name(const char* what, uint32_t number, Side side) {
  return fmt::format("{}_{}_{}", what, number, side == Side::First ? "a" : "b");
}

Side RaceFormulas::canonical(Value v, Side side) const {
  const Scope scope = values_[v].scope;
  const bool shared = scope == Scope::Dispatch || (scope == Scope::Workgroup && same_);
  return shared ? Side::First : side;
}

smt::Term RaceFormulas::of(Value v, Side side) {
  side = canonical(v, side);
  const auto known = terms_.find({v, side});
  if (known != terms_.end()) return known->second;
  const smt::Term made = make(v, side);
  terms_[{v, side}] = made;
  return made;
}

smt::Term RaceFormulas::make(Value v, Side side) {
  const RaceValues::Node& node = values_[v];
  const auto within = [&](smt::Term t) {
    if (node.least != 0) facts_.push_back(pool_.ule(pool_.constant(32, node.least), t));
    if (node.most != UINT32_MAX) facts_.push_back(pool_.ule(t, pool_.constant(32, node.most)));
    return t;
  };
  if (node.kind == Kind::Constant && is_word(node.type)) return pool_.constant(32, node.number);
  if (node.kind == Kind::Local) return within(pool_.variable(name("local", node.number, side), 32));
  if (node.kind == Kind::Workgroup) return within(pool_.variable(name("group", node.number, side), 32));
  if (node.kind == Kind::Length) return pool_.variable(name("length", node.number, side), 32);
  const smt::Term unknown = pool_.variable(name("value", index(v), side), 32);
  if (node.kind == Kind::Load && node.args.size() == 1 && is_word(values_[node.args[0]].type) &&
      is_word(node.type)) {
    const smt::Term at = of(node.args[0], side);
    const smt::Term value = within(unknown);
    const smt::Term length = pool_.variable(name("length", node.number, Side::First), 32);
    facts_.push_back(pool_.or_(pool_.ult(at, length), pool_.is_zero(value)));
    loads_.push_back({node.number, at, value});
    return value;
  }
  const bool words =
      is_word(node.type) && std::ranges::all_of(node.args, [&](Value a) { return is_word(values_[a].type); });
  if (node.kind != Kind::Apply || !words) return within(unknown);
  std::vector<smt::Term> args;
  for (const Value arg : node.args) args.push_back(of(arg, side));
  return apply(node, args, unknown);
}

smt::Term RaceFormulas::apply(const RaceValues::Node& node, std::span<const smt::Term> args,
                              smt::Term unknown) {
  smt::Pool& p = pool_;
  const bool is_signed = !node.args.empty() && values_[node.args[0]].type == DataType::I32;
  const auto truth = [&](smt::Term t) { return p.word(t, 32); };
  const smt::Term zero = p.constant(32, 0);
  if (node.op == Op::Select) return p.ite(p.is_not_zero(args[0]), args[1], args[2]);
  if (args.size() == 1) {
    if (node.op == Op::Negate) return p.neg(args[0]);
    if (node.op == Op::BitNot) return p.bit_not(args[0]);
    if (node.op == Op::LogicalNot) return truth(p.is_zero(args[0]));
    if (node.op == Op::Cast && node.type == DataType::Bool) return truth(p.is_not_zero(args[0]));
    if (node.op == Op::Cast || node.op == Op::Bitcast) return args[0];
  }
  if (args.size() == 2) {
    const smt::Term a = args[0], b = args[1];
    const smt::Term amount = p.bit_and(b, p.constant(32, 31));
    if (node.op == Op::Add) return p.add(a, b);
    if (node.op == Op::Sub) return p.sub(a, b);
    if (node.op == Op::Mul) return p.mul(a, b);
    if (node.op == Op::BitAnd) return p.bit_and(a, b);
    if (node.op == Op::BitOr) return p.bit_or(a, b);
    if (node.op == Op::BitXor) return p.bit_xor(a, b);
    if (node.op == Op::Shl) return p.shl(a, amount);
    if (node.op == Op::Shr) return is_signed ? p.ashr(a, amount) : p.lshr(a, amount);
    if (node.op == Op::Div && !is_signed) return p.ite(p.is_zero(b), zero, p.udiv(a, b));
    if (node.op == Op::Mod && !is_signed) return p.ite(p.is_zero(b), zero, p.urem(a, b));
    if (node.op == Op::Eq) return truth(p.eq(a, b));
    if (node.op == Op::Ne) return truth(p.ne(a, b));
    if (node.op == Op::And) return truth(p.and_(p.is_not_zero(a), p.is_not_zero(b)));
    if (node.op == Op::Or) return truth(p.or_(p.is_not_zero(a), p.is_not_zero(b)));
    const auto less = [&](smt::Term x, smt::Term y) { return is_signed ? p.slt(x, y) : p.ult(x, y); };
    if (node.op == Op::Lt) return truth(less(a, b));
    if (node.op == Op::Gt) return truth(less(b, a));
    if (node.op == Op::Le) return truth(p.not_(less(b, a)));
    if (node.op == Op::Ge) return truth(p.not_(less(a, b)));
  }
  if (node.most != UINT32_MAX) facts_.push_back(p.ule(unknown, p.constant(32, node.most)));
  return unknown;
}

smt::Term RaceFormulas::holds(const Guard& guard, Side side) {
  const smt::Term word = of(guard.condition, side);
  return guard.holds ? pool_.is_not_zero(word) : pool_.is_zero(word);
}

smt::Term RaceFormulas::facts() {
  std::vector<smt::Term> all = facts_;
  for (size_t i = 0; i < loads_.size(); ++i) {
    for (size_t j = i + 1; j < loads_.size(); ++j) {
      if (loads_[i].buffer != loads_[j].buffer) continue;
      all.push_back(
          pool_.implies(pool_.eq(loads_[i].at, loads_[j].at), pool_.eq(loads_[i].value, loads_[j].value)));
    }
  }
  return pool_.all(all);
}

}  // namespace vyre::races
