#include "algebra/predicate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

#include "generate/cases.h"
#include "ref/eval.h"
#include "spec/ops.h"
#include "text/text.h"

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
        if (ref::word_operator(e.op) == nullptr)
          fail(fmt::format("{} is no operator on words", spec::mnemonic(e.op)));
        else if (code_.args(e).size() != spec::operand_count(e.op))
          fail(fmt::format("{} has another number of operands", spec::mnemonic(e.op)));
        return;
      case ExprKind::Load:
      case ExprKind::BufLen:
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId:
      case ExprKind::NumWorkgroups: return fail("it looks at more than its variables");
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

/// One step of a predicate. It makes the next column, behind the variables, or demands something of columns.
struct Step {
  enum class Kind : uint8_t { Literal, Constant, Apply, Operate, Sum, Equal, Ordered, Monotone, True };
  Kind kind;
  uint32_t what = 0;  // Literal: the word; Constant: 0 or 1 of the law's; Apply: 0 is f, then the others
  Op op{};            // Operate
  std::vector<uint32_t> columns = {};
  bool all = false;  // Apply: to all variables
};
/// Whose type a column has.
struct TypeOf {
  enum class Kind : uint8_t { Unknown, Variable, Operation } kind = Kind::Unknown;
  uint32_t index = 0;
};
struct Steps {
  uint32_t variables = 0;  // how many columns are there before
  std::vector<TypeOf> types;
  std::vector<Step> steps;
  size_t widest = 0;  // the most columns that a step takes
};

/// Makes the steps of a predicate. In the order of evaluation: operands from the left, each before what takes
/// it, a constant of the law where it is mentioned first.
class Compiling {
 public:
  /// The number of the operation that is called, as in Step::what.
  using Callee = std::function<uint32_t(const ir::Expr&)>;

  /// Shape  variables: how many of the parameters are; behind them come `all` and the constants.
  Compiling(const ir::Function& function, size_t variables, Callee callee)
      : function_(function), code_(function.code), callee_(std::move(callee)) {
    out_.variables = uint32_t(variables);
    for (uint32_t v = 0; v < variables; ++v) {
      named_.emplace(function.parameters[v].name, v);
      out_.types.push_back({TypeOf::Kind::Variable, v});
    }
    for (size_t p = variables; p < function.parameters.size(); ++p)
      parameters_.push_back(function.parameters[p].name);
    for (const ir::NodeId id : code_.block(function.body)) {
      const ir::Node node = code_[id];
      const uint32_t value = word(code_.arg(node, 0));
      named_.insert_or_assign(node.symbol, value);
    }
  }

  /// The result is a word that is not zero.
  Steps truth() && {
    demand(Step::Kind::True, {word(function_.result)});
    return std::move(out_);
  }
  /// The result is a condition as laws have them (spec/laws.def).
  Steps conditions() && {
    condition(function_.result);
    return std::move(out_);
  }

 private:
  bool is(ExprId id, Op op) const { return code_[id].kind == ExprKind::Apply && code_[id].op == op; }
  ExprId operand(ExprId id, size_t k) const { return code_.args(code_[id])[k]; }

  void push(Step step) {
    out_.widest = std::max(out_.widest, step.columns.size());
    out_.steps.push_back(std::move(step));
  }
  uint32_t add(Step step, TypeOf type) {
    push(std::move(step));
    out_.types.push_back(type);
    return uint32_t(out_.types.size() - 1);
  }
  void demand(Step::Kind kind, std::vector<uint32_t> columns) {
    push({.kind = kind, .columns = std::move(columns)});
  }

  uint32_t word(ExprId id) {
    const ir::Expr& e = code_[id];
    if (e.kind == ExprKind::Literal) return add({.kind = Step::Kind::Literal, .what = e.immediate}, {});
    if (e.kind == ExprKind::Var) return named(e.symbol);
    const bool call = e.op == Op::Call;
    Step step{.kind = call ? Step::Kind::Apply : Step::Kind::Operate, .op = e.op};
    for (const ExprId operand : code_.args(e)) {
      step.all = code_[operand].kind == ExprKind::Var && !parameters_.empty() &&
                 code_[operand].symbol == parameters_.front();
      if (!step.all) step.columns.push_back(word(operand));
    }
    if (!call) return add(std::move(step), {});
    step.what = callee_(e);
    const TypeOf type{TypeOf::Kind::Operation, step.what};
    return add(std::move(step), type);
  }
  uint32_t named(ir::Symbol symbol) {
    if (const auto known = named_.find(symbol); known != named_.end()) return known->second;
    const auto constant = uint32_t(std::ranges::find(parameters_, symbol) - parameters_.begin() - 1);
    return named_[symbol] = add({.kind = Step::Kind::Constant, .what = constant}, {});
  }
  /// A side of a condition: sums are of values.
  uint32_t value(ExprId id) {
    if (!is(id, Op::Add)) return word(id);
    const uint32_t a = word(operand(id, 0)), b = word(operand(id, 1));
    return add({.kind = Step::Kind::Sum, .columns = {a, b}}, out_.types[a]);
  }
  void condition(ExprId id) {
    if (is(id, Op::And)) {
      condition(operand(id, 0));
      return condition(operand(id, 1));
    }
    std::vector<uint32_t> sides;
    const auto take_sides = [&](ExprId comparison) {
      for (size_t k : {0, 1}) sides.push_back(value(operand(comparison, k)));
    };
    if (is(id, Op::Eq) || is(id, Op::Le)) {
      take_sides(id);
      return demand(is(id, Op::Eq) ? Step::Kind::Equal : Step::Kind::Ordered, std::move(sides));
    }
    if (is(id, Op::Or) && is(operand(id, 0), Op::LogicalNot)) {
      take_sides(operand(operand(id, 0), 0));
      take_sides(operand(id, 1));
      return demand(Step::Kind::Monotone, std::move(sides));
    }
    demand(Step::Kind::True, {word(id)});
  }

  const ir::Function& function_;
  const ir::Code& code_;
  Callee callee_;
  std::map<ir::Symbol, uint32_t> named_;
  std::vector<ir::Symbol> parameters_;  // `all` and the constants
  Steps out_;
};

constexpr std::string_view kOperationNames[] = {"law.f", "law.g", "law.h"};
constexpr size_t kMostVariables = 3;

/// The predicate of a row of the ledger, in the language of operations.
ir::Function read_predicate(const spec::LawInfo& law) {
  std::string text, names;
  for (size_t i = 0; i < law.predicate.size(); ++i) {
    // f, g and h are operations where they are called; an operation has a point in its name.
    const char c = law.predicate[i];
    if (c >= 'f' && c <= 'h' && law.predicate.substr(i + 1).starts_with('(')) text += "law.";
    text += c;
  }
  const size_t result = text.rfind("; ") == std::string::npos ? 0 : text.rfind("; ") + 2;
  auto module = text::parse_module(fmt::format(
      "operation law.{}(a: u32, b: u32, c: u32, all: u32, u: u32, v: u32) -> u32 {{ {}return {}; }}",
      law.mnemonic, text.substr(0, result), text.substr(result)));
  if (!module) {
    fmt::print(stderr, "laws: the predicate of {}: {}\n", law.name, module.error().message);
    std::abort();
  }
  return std::move(module->operations.front().function);
}

Steps steps_of(const spec::LawInfo& law) {
  const ir::Function function = read_predicate(law);
  return Compiling(function, kMostVariables,
                   [&](const ir::Expr& call) {
                     return uint32_t(std::ranges::find(kOperationNames, function.code.name(call.symbol)) -
                                     kOperationNames);
                   })
      .conditions();
}

/// The steps of each kind of law; of Custom, none.
const Steps& steps_of(spec::LawKind kind) {
  static const std::vector<Steps> all = [] {
    std::vector<Steps> out;
    for (const spec::LawInfo& law : spec::kLaws)
      out.push_back(law.predicate.empty() ? Steps{} : steps_of(law));
    return out;
  }();
  return all[size_t(kind)];
}

Steps steps_of(const BoundLaw& custom) {
  const ir::Function& function = *custom.predicate;
  return Compiling(
             function, function.parameters.size(),
             [&](const ir::Expr& call) {
               const auto called = std::ranges::find_if(custom.others, [&](const ops::Operation* other) {
                 return other->id == function.code.name(call.symbol) && other->version == call.immediate;
               });
               return uint32_t(called - custom.others.begin() + 1);
             })
      .truth();
}

/// Takes the steps of a law in an engine's terms.
class Stating {
 public:
  Stating(Terms& terms, const BoundLaw& law, const Steps& steps)
      : terms_(terms),
        law_(law),
        steps_(steps),
        columns_(steps.types.size() + std::max(steps.widest, law.variables.size())) {
    for (size_t v = 0; v < steps.variables; ++v) keep(terms.variable(v));
  }

  void take(const Step& step) {
    const size_t count = step.all ? law_.variables.size() : step.columns.size();
    const std::span inputs = std::span(columns_).subspan(steps_.types.size(), count);
    for (size_t k = 0; k < count; ++k) inputs[k] = step.all ? terms_.variable(k) : columns_[step.columns[k]];
    switch (step.kind) {
      case Step::Kind::Literal: return keep(terms_.constant(step.what));
      case Step::Kind::Constant:
        return keep(terms_.constant(step.what == 0 ? law_.law->value : law_.law->high));
      case Step::Kind::Apply: return keep(terms_.apply(operation(step.what), inputs));
      case Step::Kind::Operate: return keep(terms_.operate(step.op, inputs));
      case Step::Kind::Sum: return keep(terms_.sum(inputs[0], inputs[1]));
      case Step::Kind::Equal: return terms_.require_equal(inputs[0], inputs[1], type(step, 0));
      case Step::Kind::Ordered: return terms_.require_ordered(inputs[0], inputs[1], type(step, 0));
      case Step::Kind::Monotone:
        return terms_.require_monotone(inputs[0], inputs[1], type(step, 0), inputs[2], inputs[3],
                                       type(step, 2));
      case Step::Kind::True: return terms_.require(inputs[0]);
    }
  }

 private:
  void keep(Column column) { columns_[made_++] = column; }
  const ops::Operation& operation(uint32_t number) const {
    return number == 0 ? *law_.f : *law_.others[number - 1];
  }
  /// Of two sides from there on; a constant has the type of what it is compared with.
  DataType type(const Step& step, size_t side) const {
    TypeOf of = steps_.types[step.columns[side]];
    if (of.kind == TypeOf::Kind::Unknown) of = steps_.types[step.columns[side + 1]];
    if (of.kind == TypeOf::Kind::Variable) return law_.variables[of.index];
    return of.index == 0 ? law_.result : operation(of.index).signature.output;
  }

  Terms& terms_;
  const BoundLaw& law_;
  const Steps& steps_;
  std::vector<Column> columns_;  // those of the steps, then room for what one step takes
  size_t made_ = 0;
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

uint32_t operands_of_other(spec::LawKind kind, size_t other, uint32_t all) {
  for (const Step& step : steps_of(kind).steps) {
    if (step.kind == Step::Kind::Apply && step.what == other + 1)
      return step.all ? all : uint32_t(step.columns.size());
  }
  return 0;
}

void state(Terms& terms, const BoundLaw& law) {
  const bool custom = law.law->kind == spec::LawKind::Custom;
  const Steps own = custom ? steps_of(law) : Steps{};
  const Steps& steps = custom ? own : steps_of(law.law->kind);
  Stating stating(terms, law, steps);
  for (const Step& step : steps.steps) stating.take(step);
}

}  // namespace vyre::algebra
