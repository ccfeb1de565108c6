#include "algebra/predicate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "algebra/operators.h"
#include "generate/cases.h"
#include "spec/ops.h"

namespace vyre::algebra {
namespace {

using ir::ExprId;
using ir::ExprKind;
using spec::DataType;
using spec::Op;

constexpr spec::TypeSet kWordTypes = spec::only(DataType::U32) | spec::only(DataType::Bool);

bool speaks_words(const spec::OpSignature& signature) {
  return kWordTypes.contains(signature.output) &&
         std::ranges::all_of(signature.inputs, [](DataType t) { return kWordTypes.contains(t); });
}

/// Looks through a predicate; what it finds first that no statement has is the error.
class Reading {
 public:
  Reading(const ir::Function& function, const ops::Operation& f, const Lookup& lookup)
      : function_(function), code_(function.code), f_(f), lookup_(lookup) {}

  std::expected<std::vector<const ops::Operation*>, std::string> calls() {
    for (const ir::Function::Parameter& p : function_.parameters) known_.push_back(p.name);
    for (const ir::NodeId id : code_.block(function_.body)) {
      const ir::Node node = code_[id];
      if (node.kind != ir::NodeKind::Let) return std::unexpected(says("it has statements other than let"));
      look(code_.arg(node, 0));
      known_.push_back(node.symbol);
    }
    look(function_.result);
    if (!error_.empty()) return std::unexpected(error_);
    return std::move(calls_);
  }

 private:
  std::string says(std::string_view what) const {
    return fmt::format("the predicate {} is no statement: {}", function_.id, what);
  }
  void fail(std::string_view what) {
    if (error_.empty()) error_ = says(what);
  }

  void look(ExprId id) {
    const ir::Expr& e = code_[id];
    for (const ExprId operand : code_.args(e)) look(operand);
    switch (e.kind) {
      case ExprKind::Literal:
        if (!kWordTypes.contains(e.type))
          fail(fmt::format("a literal of type {} is no word", spec::text(e.type)));
        return;
      case ExprKind::Var:
        if (std::ranges::find(known_, e.symbol) == known_.end())
          fail(fmt::format("{} is not defined before it is used", code_.name(e.symbol)));
        return;
      case ExprKind::Apply:
        if (e.op == Op::Call) return look_at_call(e);
        if (!is_word_operator(e.op))
          fail(fmt::format("{} is no operator on words", spec::mnemonic(e.op)));
        else if (code_.args(e).size() != spec::operand_count(e.op))
          fail(fmt::format("{} has another number of operands", spec::mnemonic(e.op)));
        return;
      case ExprKind::Load:
      case ExprKind::BufLen:
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId: return fail("it looks at more than its variables");
    }
  }

  void look_at_call(const ir::Expr& e) {
    const std::string_view id = code_.name(e.symbol);
    const bool own = id == f_.id && e.immediate == f_.version;
    const ops::Operation* called = own ? &f_ : lookup_(id, e.immediate);
    if (called == nullptr) return fail(fmt::format("there is no operation {}@{}", id, e.immediate));
    if (called->signature.inputs.size() != code_.args(e).size())
      return fail(fmt::format("{} has another number of operands", id));
    if (!speaks_words(called->signature)) return fail(fmt::format("{} is not of words", id));
    if (std::ranges::find(calls_, called) == calls_.end()) calls_.push_back(called);
  }

  const ir::Function& function_;
  const ir::Code& code_;
  const ops::Operation& f_;
  const Lookup& lookup_;
  std::vector<ir::Symbol> known_;
  std::vector<const ops::Operation*> calls_;
  std::string error_;
};

/// Writes a predicate that Reading has passed.
class Writing {
 public:
  Writing(Terms& terms, const BoundLaw& law) : terms_(terms), law_(law), code_(law.predicate->code) {}

  Column write() {
    const ir::Function& function = *law_.predicate;
    for (size_t v = 0; v < function.parameters.size(); ++v)
      named_.insert_or_assign(function.parameters[v].name, terms_.variable(v));
    for (const ir::NodeId id : code_.block(function.body)) {
      const ir::Node node = code_[id];
      const Column value = write(code_.arg(node, 0));
      named_.insert_or_assign(node.symbol, value);
    }
    return write(function.result);
  }

 private:
  Column write(ExprId id) {
    const ir::Expr& e = code_[id];
    if (e.kind == ExprKind::Literal) return terms_.constant(e.immediate);
    if (e.kind == ExprKind::Var) return named_.at(e.symbol);
    std::vector<Column> operands;
    for (const ExprId operand : code_.args(e)) operands.push_back(write(operand));
    if (e.op != Op::Call) return terms_.operate(e.op, operands);
    const auto called = std::ranges::find_if(law_.others, [&](const ops::Operation* other) {
      return other->id == code_.name(e.symbol) && other->version == e.immediate;
    });
    return terms_.apply(**called, operands);
  }

  Terms& terms_;
  const BoundLaw& law_;
  const ir::Code& code_;
  std::map<ir::Symbol, Column> named_;
};

}  // namespace

std::expected<BoundPredicate, std::string> bind_predicate(const spec::Law& law, const ops::Operation& f,
                                                          const Lookup& lookup) {
  constexpr std::string_view names[] = {"a", "b", "c"};
  static_assert(std::size(names) == generate::kMaxOperands);
  if (law.predicate == nullptr) return std::unexpected(fmt::format("{} has no predicate", law.name));
  if (law.value == 0 || law.value > generate::kMaxOperands) {
    return std::unexpected(
        fmt::format("{} has {} variables; laws range over 1 to {}", law.name, law.value, std::size(names)));
  }
  ir::FunctionBuilder builder(law.name);
  BoundPredicate out;
  std::vector<ir::Ex> variables;
  for (uint32_t v = 0; v < law.value; ++v) {
    const DataType type = f.signature.inputs[v % f.signature.inputs.size()];
    if (!kWordTypes.contains(type))
      return std::unexpected(fmt::format("{} would range over {}; predicates are over u32 and bool", law.name,
                                         spec::text(type)));
    out.variables.push_back(type);
    variables.push_back(builder.parameter(names[v], type));
  }
  const ir::Ex truth = law.predicate(builder, variables);
  out.function = std::make_shared<const ir::Function>(builder.finish(truth, DataType::U32));
  auto calls = Reading(*out.function, f, lookup).calls();
  if (!calls) return std::unexpected(std::move(calls).error());
  out.calls = std::move(*calls);
  return out;
}

Column write_predicate(Terms& terms, const BoundLaw& law) { return Writing(terms, law).write(); }

}  // namespace vyre::algebra
