#include "spec/law_types.h"

#include <fmt/format.h>

#include <algorithm>
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

/// Reads the types of a law's row (spec/laws.def) for its operations.
class Typing {
 public:
  Typing(std::string_view text, const LawSubject& f, std::span<const LawSubject> others)
      : rest_(text), f_(f), others_(others) {}

  /// The types of the variables; error() says why the law does not apply.
  std::vector<DataType> variables() {
    std::vector<DataType> out;
    while (!rest_.empty() && !take("-> ")) {
      condition();
      if (!take("; ")) take(" ");
    }
    if (take("f...")) return f_.signature->inputs;
    while (!rest_.empty()) {
      out.push_back(type());
      take(", ");
    }
    return out;
  }
  const std::string& error() const { return error_; }

 private:
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  /// f, g or h.
  const LawSubject& operation() {
    const char name = rest_.front();
    rest_.remove_prefix(1);
    return name == 'f' ? f_ : others_[size_t(name - 'g')];
  }
  /// "f0", the type of an operand (the last, where there are fewer); "f", of the result; "g(f0, f)", of a
  /// result where the operands are of these types.
  DataType type() {
    const LawSubject& of = operation();
    const OpSignature& signature = *of.signature;
    if (take("(")) {
      std::vector<DataType> given;
      while (!take(")")) {
        given.push_back(type());
        take(", ");
      }
      if (signature.inputs != given)
        fail(fmt::format("{} has the signature {}, which does not fit here", of.id, describe(signature)));
    } else if (take("0")) {
      return signature.inputs.front();
    } else if (take("1")) {
      return signature.inputs[std::min<size_t>(1, signature.inputs.size() - 1)];
    }
    return signature.output;
  }
  void condition() {
    if (take("ordered ")) {
      if (const DataType t = type(); !(kIntegers | kFloats).contains(t))
        fail(fmt::format("{} has no order", text(t)));
    } else if (take("summed ")) {
      if (const DataType t = type(); !kIntegers.contains(t))
        fail(fmt::format("sums of {} are rounded", text(t)));
    } else if (take("words ")) {
      // Two patterns of a float may be one value.
      if (const DataType t = type(); kFloats.contains(t))
        fail(fmt::format("it compares words, and values of {} are not their words", text(t)));
    } else if (take("like ")) {
      const LawSubject& g = operation();
      if (g.signature->inputs != f_.signature->inputs)
        fail(fmt::format("{} has the signature {}, not that of {}", g.id, describe(*g.signature), f_.id));
    } else {
      const DataType a = type();
      if (!take(" = ")) return;
      if (const DataType b = type(); a != b) fail(fmt::format("it equates {} with {}", text(a), text(b)));
    }
  }
  void fail(std::string reason) {
    if (error_.empty()) error_ = std::move(reason);
  }

  std::string_view rest_;
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
  Typing typing(info(kind).types, f, others);
  auto variables = typing.variables();
  if (!typing.error().empty()) return std::unexpected(typing.error());
  return variables;
}

}  // namespace vyre::spec
