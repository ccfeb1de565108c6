#include "spec/law_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace vyre::spec {
namespace {

std::string describe(const OpSignature& signature) {
  std::string out = "(";
  for (const DataType type : signature.inputs) {
    if (out.size() > 1) out += ", ";
    out += text(type);
  }
  return out + fmt::format(") -> {}", text(signature.output));
}

/// A column of a law's data flow, as its type.
class Typing {
 public:
  Typing(LawKind kind, const LawSubject& f, std::span<const LawSubject> others)
      : kind_(kind), f_(f), others_(others) {}

  /// The type of operation(inputs...), or the reason why it has none.
  DataType apply(const LawSubject& operation, std::initializer_list<DataType> inputs) {
    if (!std::ranges::equal(operation.signature->inputs, inputs)) {
      fail(fmt::format("{} has the signature {}, which does not fit here", operation.id,
                       describe(*operation.signature)));
    }
    return operation.signature->output;
  }
  void equal(DataType a, DataType b) {
    if (a != b) fail(fmt::format("it equates {} with {}", text(a), text(b)));
  }
  void ordered(DataType type) {
    if (!(kIntegers | kFloats).contains(type)) fail(fmt::format("{} has no order", text(type)));
  }
  void summed(DataType type) {
    if (!kIntegers.contains(type)) fail(fmt::format("sums of {} are rounded", text(type)));
  }
  /// Of values that are compared as words: two patterns of a float may be one value.
  void counted(DataType type) {
    if (kFloats.contains(type))
      fail(fmt::format("it compares words, and values of {} are not their words", text(type)));
  }
  const std::string& error() const { return error_; }
  /// The types of the law's variables; the statement's applications are then typed from them.
  std::vector<DataType> variables() {
    const std::vector<DataType>& inputs = f_.signature->inputs;
    switch (kind_) {
      case LawKind::Commutative: {
        apply(f_, {inputs[1], inputs[0]});
        return inputs;
      }
      case LawKind::Associative: {
        apply(f_, {f_.signature->output, inputs[1]});
        apply(f_, {inputs[0], f_.signature->output});
        equal(inputs[0], inputs[1]);
        return {inputs[0], inputs[0], inputs[0]};
      }
      case LawKind::Identity:
      case LawKind::Absorbing:
      case LawKind::Idempotent: {
        equal(inputs[0], inputs[1]);
        equal(f_.signature->output, inputs[0]);
        return {inputs[0]};
      }
      case LawKind::SelfInverse: {
        equal(inputs[0], inputs[1]);
        return {inputs[0]};
      }
      case LawKind::Involution: {
        equal(f_.signature->output, inputs[0]);
        return {inputs[0]};
      }
      case LawKind::DeMorgan: {
        const DataType a = inputs[0], r = f_.signature->output;
        equal(apply(others_[0], {a, a}), a);
        equal(apply(others_[1], {r, r}), r);
        return {a, a};
      }
      case LawKind::Monotone: {
        ordered(inputs[0]);
        ordered(f_.signature->output);
        return {inputs[0], inputs[0]};
      }
      case LawKind::Bounded: {
        ordered(f_.signature->output);
        return inputs;
      }
      case LawKind::Complement: {
        if (others_[0].signature->inputs != inputs) {
          fail(fmt::format("{} has the signature {}, not that of {}", others_[0].id,
                           describe(*others_[0].signature), f_.id));
        }
        equal(others_[0].signature->output, f_.signature->output);
        summed(f_.signature->output);
        return inputs;
      }
      case LawKind::DistributiveOver: {
        const DataType b = inputs[1], r = f_.signature->output;
        equal(apply(others_[0], {b, b}), b);
        equal(apply(others_[0], {r, r}), r);
        return {inputs[0], b, b};
      }
      case LawKind::Projection: {
        equal(f_.signature->output, inputs[0]);
        return {inputs[0]};
      }
      case LawKind::RoundTrip: {
        equal(apply(others_[0], {f_.signature->output}), inputs[0]);
        return {inputs[0]};
      }
      case LawKind::LeftIdentity:
      case LawKind::RightAbsorbing: {
        const bool left = kind_ == LawKind::LeftIdentity;
        equal(f_.signature->output, inputs[1]);
        return {inputs[left ? 1 : 0]};
      }
      case LawKind::RightIdentity:
      case LawKind::LeftAbsorbing: {
        const bool right = kind_ == LawKind::RightIdentity;
        equal(f_.signature->output, inputs[0]);
        return {inputs[right ? 0 : 1]};
      }
      case LawKind::InverseOf: {
        const DataType a = f_.signature->output, b = inputs[1];
        equal(apply(others_[0], {a, b}), inputs[0]);
        return {a, b};
      }
      case LawKind::Antitone: {
        ordered(inputs[0]);
        ordered(f_.signature->output);
        return {inputs[0], inputs[0]};
      }
      case LawKind::LatticeAbsorption: {
        const DataType b = others_[0].signature->inputs.back();
        equal(apply(others_[0], {inputs[0], b}), inputs[1]);
        equal(f_.signature->output, inputs[0]);
        return {inputs[0], b};
      }
      case LawKind::Trichotomy:
      case LawKind::ZeroProduct: {
        if (kind_ == LawKind::Trichotomy) equal(inputs[0], inputs[1]);
        for (const DataType type : inputs) counted(type);
        counted(f_.signature->output);
        return inputs;
      }
      case LawKind::Transitive: {
        equal(inputs[0], inputs[1]);
        counted(f_.signature->output);
        return {inputs[0], inputs[0], inputs[0]};
      }
      case LawKind::Converse: {
        equal(apply(others_[0], {inputs[1], inputs[0]}), f_.signature->output);
        return inputs;
      }
      case LawKind::Odd: {
        equal(apply(others_[0], {inputs[0]}), inputs[0]);
        equal(apply(others_[0], {f_.signature->output}), f_.signature->output);
        return inputs;
      }
      case LawKind::Even: {
        equal(apply(others_[0], {inputs[0]}), inputs[0]);
        return inputs;
      }
      case LawKind::Custom: return {};  // a predicate is typed where it is built
    }
    return {};
  }

 private:
  void fail(std::string reason) {
    if (error_.empty()) error_ = std::move(reason);
  }
  LawKind kind_;
  const LawSubject& f_;
  std::span<const LawSubject> others_;
  std::string error_;
};

}  // namespace

std::expected<void, std::string> check_arity(LawKind kind, const LawSubject& f) {
  const LawInfo& law = info(kind);
  const size_t arity = f.signature->inputs.size();
  if (law.operands == 0 || law.operands == arity) return {};
  return std::unexpected(fmt::format("{} speaks of operations of {} operand{}; {} has {}", law.name,
                                     law.operands, law.operands == 1 ? "" : "s", f.id, arity));
}

std::expected<std::vector<DataType>, std::string> law_variables(LawKind kind, const LawSubject& f,
                                                                std::span<const LawSubject> others) {
  Typing typing(kind, f, others);
  auto variables = typing.variables();
  if (!typing.error().empty()) return std::unexpected(typing.error());
  return variables;
}

}  // namespace vyre::spec
