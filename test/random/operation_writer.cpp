#include "operation_writer.h"

#include <fmt/format.h>

#include <array>

namespace vyre::generate {
namespace {

using ir::Ex;
using spec::DataType;
using spec::Op;
using spec::Signature;

/// Words first, since host expressions and most programs have those.
constexpr auto kTypes = std::to_array<DataType>({DataType::U32, DataType::I32, DataType::U64, DataType::U128,
                                                 DataType::Bool, DataType::F32, DataType::Vec2U32});

class Writer {
 public:
  Writer(Choices& choices, std::string id, std::span<const ir::Operation> callable,
         std::span<const uint32_t> words)
      : choices_(choices), callable_(callable), words_(words), f_(std::move(id)) {}

  ir::Function write() {
    const uint32_t parameters = 1 + choices_.below(3);
    const bool words = choices_.chance(2);  // of these a host expression may call it
    const auto type = [&] {
      return words || choices_.chance(2) ? DataType::U32 : kTypes[choices_.below(kTypes.size())];
    };
    for (uint32_t i = 0; i < parameters; ++i) {
      const DataType t = type();
      variables_.push_back({f_.parameter(fmt::format("a{}", i), t), t, false});
    }
    for (uint32_t left = choices_.below(4); left > 0; --left) statement();
    const DataType result = type();
    return f_.finish(expr(result, 3), result);
  }

 private:
  struct Variable {
    Ex ex;
    DataType type;
    bool assignable;
  };

  void statement() {
    std::vector<Variable> assignable;
    for (const Variable& v : variables_) {
      if (v.assignable) assignable.push_back(v);
    }
    if (assignable.empty() || choices_.chance(2)) {
      const DataType type = kTypes[choices_.below(choices_.chance(2) ? 1 : kTypes.size())];
      variables_.push_back({f_.let(fmt::format("v{}", variables_.size()), expr(type, 2)), type, true});
      return;
    }
    const Variable target = assignable[choices_.below(uint32_t(assignable.size()))];
    const auto assign = [&] { f_.assign(target.ex, expr(target.type, 2)); };
    switch (choices_.below(4)) {
      case 0: return assign();
      case 1: return f_.if_(expr(DataType::U32, 2), assign);
      case 2: return f_.if_(expr(DataType::U32, 1), assign, [&] { f_.block(assign); });
      default: break;
    }
    const uint32_t calls = std::exchange(calls_, 0);
    f_.loop(fmt::format("i{}", loops_++), f_.u32(choices_.below(2)), f_.u32(choices_.below(4)), [&](Ex i) {
      variables_.push_back({i, DataType::U32, false});
      assign();
      variables_.pop_back();
    });
    calls_ = calls;
  }

  Ex expr(DataType type, uint32_t depth) {
    if (depth == 0 || choices_.below(4) == 0) return leaf(type);
    if (calls_ > 0 && choices_.chance(3)) {
      for (size_t tries = 0; tries < callable_.size(); ++tries) {
        const ir::Operation& callee = callable_[choices_.below(uint32_t(callable_.size()))];
        if (callee.function.result_type != type) continue;
        --calls_;
        std::vector<Ex> arguments;
        for (const auto& parameter : callee.function.parameters)
          arguments.push_back(expr(parameter.type, depth - 1));
        return f_.call(callee.function.id, arguments, callee.version);
      }
    }
    const auto ops = typed_ops(type);
    const TypedOp op = ops[choices_.below(uint32_t(ops.size()))];
    std::vector<Ex> operands;
    for (const DataType operand : operand_types(op)) operands.push_back(expr(operand, depth - 1));
    return f_.apply(op.op, operands);
  }

  Ex leaf(DataType type) {
    std::vector<Ex> known;
    for (const Variable& v : variables_) {
      if (v.type == type) known.push_back(v.ex);
    }
    if (!known.empty() && !choices_.chance(4)) return known[choices_.below(uint32_t(known.size()))];
    if (type == DataType::Vec2U32) {
      const Ex x = leaf(DataType::U32);
      return f_.vec2u32(x, leaf(DataType::U32));
    }
    if (type == DataType::Bool) return f_.boolean(choices_.chance(2));
    if (type == DataType::U32 && !words_.empty() && choices_.chance(2))
      return f_.u32(words_[choices_.below(uint32_t(words_.size()))]);
    std::array<uint32_t, 4> bits{};
    for (uint32_t i = 0; i < spec::value_words(type); ++i)
      bits[i] = choices_.chance(2) ? choices_.below(9) : choices_.next();
    return f_.literal(type, bits);
  }

  Choices& choices_;
  std::span<const ir::Operation> callable_;
  std::span<const uint32_t> words_;
  ir::FunctionBuilder f_;
  std::vector<Variable> variables_;
  uint32_t calls_ = 2;
  uint32_t loops_ = 0;
};

}  // namespace

std::span<const TypedOp> typed_ops(DataType result) {
  static const auto all = [] {
    std::array<std::vector<TypedOp>, spec::kTypeCount> out;
    for (const spec::OpInfo& op : spec::kOps) {
      // Functions are long compositions, and tests of their own go through them.
      if (spec::is_elementary(op.op) || spec::is_approximate(op.op) ||
          !(spec::is_scalar(op.op) || op.op == Op::Select))
        continue;
      for (const DataType type : kTypes) {
        if (op.types.contains(type)) out[size_t(spec::result_type(op.op, type))].push_back({op.op, type});
      }
    }
    return out;
  }();
  return all[size_t(result)];
}

std::vector<DataType> operand_types(const TypedOp& op) {
  std::vector<DataType> out;
  for (uint32_t i = 0; i < *spec::operand_count(op.op); ++i)
    out.push_back(spec::operand_type(op.op, op.type, i));
  return out;
}

ir::Operation random_operation(Choices& choices, std::string id, uint32_t version,
                               std::span<const ir::Operation> callable, std::span<const uint32_t> words) {
  ir::Operation out;
  out.function = Writer(choices, std::move(id), callable, words).write();
  out.version = version;
  return out;
}

}  // namespace vyre::generate
