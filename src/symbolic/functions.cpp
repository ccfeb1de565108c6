#include "symbolic/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "ops/registry.h"
#include "spec/ops.h"
#include "symbolic/operators.h"

namespace vyre::symbolic {
namespace {

using ir::BlockId;
using ir::ExprId;
using ir::NodeId;
using smt::Bits;
using smt::Pool;
using smt::Term;
using spec::DataType;
using spec::Op;

/// Loops are unrolled as often as this in all, callees included: a formula has to end.
constexpr uint64_t kMostSteps = 4096;

using Checked = std::expected<std::shared_ptr<const check::CheckedFunction>, std::string>;

Checked checked(const ir::Function& function, const spec::OpTable& table) {
  auto out = check::check(function, table);
  if (!out) return std::unexpected(out.error().front().message);
  return std::make_shared<const check::CheckedFunction>(std::move(*out));
}

/// One call: its variables, as terms.
class Frame {
 public:
  Frame(Pool& pool, const check::CheckedFunction& function, const spec::OpTable& table, const Calls& calls,
        uint32_t word, uint64_t& steps)
      : pool_(pool),
        function_(*function.function),
        code_(function_.code),
        names_(function.resolution),
        table_(table),
        calls_(calls),
        word_(word),
        steps_(steps) {}

  std::expected<Term, std::string> run(std::span<const Term> operands) {
    values_.resize(names_.variables.size());
    std::ranges::copy(operands, values_.begin());
    block(function_.body);
    if (!error_.empty()) return std::unexpected(error_);
    const Term out = expression(function_.result);
    if (!error_.empty()) return std::unexpected(error_);
    return out;
  }

 private:
  void fail(std::string reason) {
    if (error_.empty()) error_ = std::move(reason);
  }
  Term nothing() { return pool_.constant(word_, 0); }

  void block(BlockId id) {
    for (const NodeId node : code_.block(id)) {
      if (!error_.empty()) return;
      statement(node);
    }
  }

  void statement(NodeId id) {
    const ir::Node node = code_[id];
    switch (node.kind) {
      case ir::NodeKind::Let:
      case ir::NodeKind::Assign:
        values_[check::index(names_.variable(id))] = expression(code_.arg(node, 0));
        return;
      case ir::NodeKind::If: return branch(node);
      case ir::NodeKind::Loop: return loop(id, node);
      case ir::NodeKind::Block: return block(node.body);
      case ir::NodeKind::Store:
      case ir::NodeKind::Return:
      case ir::NodeKind::Barrier: return fail("it has a statement that no operation may have");
    }
  }

  /// Both branches from the same state; what they leave differently is chosen by the condition.
  void branch(const ir::Node& node) {
    const Term condition = truth_of(pool_, expression(code_.arg(node, 0)));
    if (pool_.is_constant(condition)) {
      const BlockId taken = pool_[condition].bits != 0 ? node.body : node.orelse;
      return taken == ir::kNoBlock ? void() : block(taken);
    }
    const std::vector<Term> before = values_;
    block(node.body);
    const std::vector<Term> taken = std::exchange(values_, before);
    if (node.orelse != ir::kNoBlock) block(node.orelse);
    for (size_t i = 0; i < values_.size(); ++i) {
      // A variable of a branch is not seen after it: one that only one side gave a width is left alone.
      if (taken[i] == values_[i] || pool_.width(taken[i]) != pool_.width(values_[i])) continue;
      values_[i] = pool_.ite(condition, taken[i], values_[i]);
    }
  }

  void loop(NodeId id, const ir::Node& node) {
    const Term from = expression(code_.arg(node, 0)), to = expression(code_.arg(node, 1));
    if (!error_.empty()) return;
    if (!pool_.is_constant(from) || !pool_.is_constant(to))
      return fail("a loop runs as often as its operands say");
    const Bits end = pool_[to].bits;
    for (Bits step = pool_[from].bits; step < end && error_.empty(); ++step) {
      if (++steps_ > kMostSteps) return fail(fmt::format("its loops take more than {} steps", kMostSteps));
      values_[check::index(names_.variable(id))] = pool_.constant(word_, step);
      block(node.body);
    }
  }

  Term literal(const ir::Expr& e) {
    Bits value = 0;
    const auto words = code_.literal_bits(e);
    for (uint32_t i = spec::value_words(e.type); i-- > 0;) value = (value << 32) | words[i];
    return pool_.constant(width_of(e.type, word_), value);
  }

  Term expression(ExprId id) {
    if (!error_.empty()) return nothing();
    const ir::Expr& e = code_[id];
    if (!is_encoded(names_.type(id))) {
      fail(fmt::format("values of type {} have no encoding", spec::text(names_.type(id))));
      return nothing();
    }
    switch (e.kind) {
      case ir::ExprKind::Literal: return literal(e);
      case ir::ExprKind::Var: return values_[check::index(names_.variable(id))];
      case ir::ExprKind::Apply: return application(id, e);
      case ir::ExprKind::Load:
      case ir::ExprKind::BufLen:
      case ir::ExprKind::InvocationId:
      case ir::ExprKind::WorkgroupId:
      case ir::ExprKind::LocalId:
      case ir::ExprKind::NumWorkgroups:
        fail("it has an expression that no operation may have");
        return nothing();
    }
    std::unreachable();
  }

  Term application(ExprId id, const ir::Expr& e) {
    std::vector<Term> operands;
    for (const ExprId operand : code_.args(e)) operands.push_back(expression(operand));
    if (!error_.empty()) return nothing();
    if (e.op == Op::Call) return call(*names_.callee(id), operands);
    if (e.op == Op::Cast) return encode_cast(pool_, names_.type(code_.arg(e, 0)), e.type, operands[0]);
    if (e.op == Op::Bitcast) return encode_bitcast(pool_, names_.type(code_.arg(e, 0)), e.type, operands[0]);
    // T is the type of the first operand, but for Select, whose first is the condition.
    const DataType type = names_.type(code_.arg(e, e.op == Op::Select ? 1 : 0));
    if (!is_encoded(e.op, type)) {
      fail(fmt::format("{} of {} has no encoding", spec::mnemonic(e.op), spec::text(type)));
      return nothing();
    }
    return encode(pool_, e.op, type, operands);
  }

  Term call(const spec::OpDef& callee, std::span<const Term> operands) {
    if (calls_) {
      if (const auto given = calls_(pool_, callee, operands)) return *given;
    }
    if (callee.body == nullptr) {
      fail(fmt::format("{} is an instruction and has no composition", callee.id));
      return nothing();
    }
    const Checked body = checked(*callee.body, table_);
    if (!body) {
      fail(body.error());
      return nothing();
    }
    const auto out = Frame(pool_, **body, table_, calls_, word_, steps_).run(operands);
    if (out) return *out;
    fail(fmt::format("{}: {}", callee.id, out.error()));
    return nothing();
  }

  Pool& pool_;
  const ir::Function& function_;
  const ir::Code& code_;
  const check::Resolution& names_;
  const spec::OpTable& table_;
  const Calls& calls_;
  uint32_t word_;
  uint64_t& steps_;
  std::vector<Term> values_;  // by variable
  std::string error_;
};

/// Bits of a word, as the operands have it. Errors: an operand that is none.
std::expected<uint32_t, std::string> word_width(const Pool& pool, std::span<const DataType> types,
                                                std::span<const Term> operands) {
  if (types.empty()) return 32;
  for (const DataType type : types) {
    if (!is_encoded(type))
      return std::unexpected(fmt::format("values of type {} have no encoding", spec::text(type)));
  }
  return pool.width(operands[0]) / spec::value_words(types[0]);
}

}  // namespace

std::expected<Term, std::string> execute(Pool& pool, const ir::Function& function, const spec::OpTable& table,
                                         std::span<const Term> operands, const Calls& calls) {
  std::vector<DataType> types;
  for (const ir::Function::Parameter& p : function.parameters) types.push_back(p.type);
  const auto word = word_width(pool, types, operands);
  if (!word) return std::unexpected(word.error());
  const Checked body = checked(function, table);
  if (!body) return std::unexpected(body.error());
  uint64_t steps = 0;
  return Frame(pool, **body, table, calls, *word, steps).run(operands);
}

std::expected<Term, std::string> compose(Pool& pool, const ops::Operation& operation,
                                         std::span<const Term> operands) {
  if (operation.compose == nullptr)
    return std::unexpected(fmt::format("{} has no composition", operation.id));
  return execute(pool, ops::body_of(operation), ops::op_table(), operands);
}

std::expected<Term, std::string> define(Pool& pool, const ops::Operation& operation,
                                        std::span<const Term> operands) {
  if (operation.define == nullptr)
    return std::unexpected(fmt::format("{} has no definition by formula", operation.id));
  return operation.define(pool, operands);
}

std::vector<Term> operands_of(Pool& pool, const ops::Operation& operation, uint32_t word) {
  std::vector<Term> out;
  for (const DataType type : operation.signature.inputs)
    out.push_back(pool.variable(std::string(1, char('a' + out.size())), width_of(type, word)));
  return out;
}

}  // namespace vyre::symbolic
