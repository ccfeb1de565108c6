// Expressions that stand in order, operands first, as they do in whatever was parsed or decoded: most
// programs are that and nothing else, and checking spends its time here.
//
// What is valid and usual is seen to be so by one look at a table. Whatever is not goes to type_of(), which
// knows every rule and every message: to be left out here costs time and nothing else.
#include <algorithm>
#include <array>

#include "check/body_checker.h"
#include "spec/ops.h"

namespace vyre::check {

using ir::Expr;
using ir::ExprKind;
using spec::TypeSet;

namespace {

/// An application whose type follows from the types of its operands, and which has no field but these.
struct Rule {
  uint8_t operands = 0;     // 0: not one of them
  bool word_last = false;   // the last operand is u32 whatever T is
  bool gives_word = false;  // so is the result
  uint32_t types = 0;       // T, which is the type of the first operand and of the result
};

constexpr Rule rule_of(const spec::OpInfo& op) {
  const spec::SignatureInfo& signature = spec::info(op.signature);
  Rule rule{.gives_word = signature.gives == spec::Gives::Word, .types = op.types.bits};
  const uint32_t operands = signature.operands.value_or(0);
  if (signature.form == spec::Form::Scalar && operands <= 2) {
    rule.operands = uint8_t(operands);
    rule.word_last = signature.is_word(operands - 1);
  }
  return rule;
}

constexpr auto kRules = [] {
  std::array<Rule, spec::kOpCount> out{};
  for (size_t i = 0; i < spec::kOpCount; ++i) out[i] = rule_of(spec::kOps[i]);
  return out;
}();

/// Types any 32 bits of which are a value and a literal.
constexpr TypeSet kWords = [] {
  TypeSet out;
  for (const spec::TypeInfo& t : spec::kTypes) {
    const bool plain = t.klass == spec::TypeClass::Integer || t.klass == spec::TypeClass::Float;
    if (plain && t.available && t.bytes == 4) out = out | spec::only(t.type);
  }
  return out;
}();

/// Also of kUnknownType, which is in no set.
bool contains(uint32_t set, DataType type) {
  const auto bit = static_cast<uint32_t>(type);
  return bit < 32 && (set >> bit & 1) != 0;
}

}  // namespace

bool BodyChecker::stands_in_order(ExprId root) {
  const uint32_t first = next_, last = ir::index(root);
  if (pending_.size() < last - first + 1) pending_.resize(last - first + 1);
  ExprId* const bottom = pending_.data();
  ExprId* top = bottom;  // the roots of the trees so far
  const Expr* const exprs = code_.exprs.data();
  const ExprId* const list = code_.expr_list.data();
  for (uint32_t i = first; i <= last; ++i) {
    const ir::Range operands = exprs[i].args;
    if (operands.count > size_t(top - bottom)) return false;
    top -= operands.count;
    const ExprId* wanted = list + operands.first;
    for (uint32_t k = 0; k < operands.count; ++k) {
      if (top[k] != wanted[k]) return false;
    }
    *top++ = ExprId{i};
  }
  return top - bottom == 1;
}

void BodyChecker::type_row(uint32_t first, uint32_t last) {
  DataType* const types = result_.resolution.types.data();
  uint32_t* const targets = result_.resolution.expr_target.data();
  for (uint32_t i = first; i <= last; ++i) {
    targets[i] = kNoTarget;
    const DataType found = usual_type(code_.exprs[i], targets[i]);
    types[i] = found != kUnknownType ? found : type_of(ExprId{i});
  }
}

DataType BodyChecker::usual_type(const Expr& e, uint32_t& target) const {
  const DataType* const types = result_.resolution.types.data();
  const ExprId* const operands = code_.expr_list.data() + e.args.first;
  constexpr Expr unset;
  switch (e.kind) {
    case ExprKind::Literal: {
      const bool bare = e.op == unset.op && e.mode == unset.mode && e.symbol == unset.symbol;
      return bare && e.args.count == 0 && contains(kWords.bits, e.type) ? e.type : kUnknownType;
    }
    case ExprKind::Var: {
      const bool bare = e.op == unset.op && e.type == unset.type && e.mode == unset.mode;
      if (!bare || e.immediate != unset.immediate || e.args.count != 0 || e.symbol == ir::kNoSymbol) break;
      const Binding binding = visible_[ir::index(e.symbol)];
      if (binding.kind != Binding::Kind::Variable) break;
      target = binding.index;
      return result_.resolution.variables[binding.index].type;
    }
    case ExprKind::Apply: {
      const Rule& rule = kRules[static_cast<size_t>(e.op)];
      const bool bare = e.type == unset.type && e.mode == unset.mode && e.symbol == unset.symbol &&
                        e.immediate == unset.immediate;
      if (!bare || e.args.count != rule.operands || rule.operands == 0) break;
      const DataType type = types[ir::index(operands[0])];
      const DataType last = types[ir::index(operands[rule.operands - 1])];
      if (!contains(rule.types, type) || last != (rule.word_last ? DataType::U32 : type)) break;
      return rule.gives_word ? DataType::U32 : type;
    }
    case ExprKind::Load: {
      const bool bare = e.op == unset.op && e.type == unset.type && e.mode == unset.mode;
      if (!bare || e.immediate != unset.immediate || e.args.count != 1 || e.symbol == ir::kNoSymbol) break;
      const Binding binding = visible_[ir::index(e.symbol)];
      if (binding.kind != Binding::Kind::Buffer || input_.function != nullptr) break;
      const DataType element = input_.buffers[binding.index].element;
      if (!contains(kWords.bits, element) || types[ir::index(operands[0])] != DataType::U32) break;
      target = binding.index;
      return element;
    }
    case ExprKind::BufLen:
    case ExprKind::InvocationId:
    case ExprKind::WorkgroupId:
    case ExprKind::LocalId:
    case ExprKind::NumWorkgroups: break;
  }
  return kUnknownType;
}

}  // namespace vyre::check
