#include "ops/text_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "ref/eval.h"
#include "ref/postfix.h"
#include "spec/ops.h"
#include "text/text.h"

namespace vyre::ops {
namespace {

using ir::ExprKind;
using spec::DataType;

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? text.substr(0, 0)
                                         : text.substr(begin, text.find_last_not_of(" \r") + 1 - begin);
}

/// Where a part of the text stands in it.
Span span_of(std::string_view text, std::string_view part) {
  const auto begin = uint32_t(part.data() - text.data());
  return {begin, begin + uint32_t(part.size())};
}

/// A predicate over words: an expression, as a list in the order of its evaluation.
class Predicate {
 public:
  explicit Predicate(ir::Function function) : function_(std::move(function)), order_(function_.code) {}

  bool operator()(const uint32_t* operands) const {
    std::array<ref::Bits, kDepth> stack{};
    size_t size = 0;
    const ir::Code& code = function_.code;
    for (const ir::ExprId id : order_.of(function_.result)) {
      const ir::Expr& e = code[id];
      if (e.kind == ExprKind::Literal) {
        stack[size++] = literal(e);
      } else if (e.kind == ExprKind::Var) {
        stack[size++] = operands[index(e.symbol)];  // parameters are the first names
      } else {
        size -= e.args.count;
        const std::span<const ref::Bits> values(stack.data() + size, e.args.count);
        stack[size] = e.op == spec::Op::Cast
                          ? ref::eval_cast(DataType::U32, e.type, e.mode, values[0])
                          : ref::eval(e.op, is_wide(e) ? DataType::U64 : DataType::U32, values);
        ++size;
      }
    }
    return stack[0] != 0;
  }

  /// What is none of the expressions that are evaluated here; empty: nothing.
  std::string_view refused() const {
    const ir::Code& code = function_.code;
    if (!code.block(function_.body).empty()) return "a class is one expression";
    size_t size = 0;
    for (const ir::ExprId id : order_.of(function_.result)) {
      const ir::Expr& e = code[id];
      if (e.kind == ExprKind::Literal) {
        if (e.type != DataType::U32 && e.type != DataType::U64) return "classes are over u32 and u64";
      } else if (e.kind == ExprKind::Var) {
        if (index(e.symbol) >= function_.parameters.size()) return "no parameter has this name";
      } else if (e.kind != ExprKind::Apply ||
                 (e.op != spec::Op::Cast && e.op != spec::Op::Select && !spec::is_scalar(e.op)) ||
                 (e.op == spec::Op::Cast && (e.type != DataType::U64 || is_wide(code[code.args(e)[0]])))) {
        return "classes have operators on words, and cast<u64> of a word";
      }
      size = size - e.args.count + 1;
      if (size > kDepth) return "this nests too deep";
    }
    return {};
  }

 private:
  static constexpr size_t kDepth = 16;

  ref::Bits literal(const ir::Expr& e) const {
    if (e.type == DataType::U32) return e.immediate;
    const auto& words = function_.code.wide[e.immediate];
    return ref::Bits{words[1]} << 32 | words[0];
  }
  /// Whether the operands of an operator are of 64 bits. A comparison of such gives a word.
  bool is_wide(const ir::Expr& e) const {
    if (e.kind == ExprKind::Literal) return e.type == DataType::U64;
    if (e.kind != ExprKind::Apply) return false;
    if (e.op == spec::Op::Cast) return true;
    const ir::Expr& first = function_.code[function_.code.args(e)[0]];
    return first.kind == ExprKind::Apply && is_comparison(first.op) ? false : is_wide(first);
  }
  static bool is_comparison(spec::Op op) { return spec::result_type(op, DataType::U64) == DataType::U32; }

  ir::Function function_;
  ref::Postfix order_;
};

/// Reads the comments of one text.
class Facts {
 public:
  Facts(std::string_view text, const ir::Operation& operation, Operation& out)
      : text_(text), operation_(operation), out_(out) {}

  Result<void> read() {
    for (size_t at = 0; at < operation_.span.begin;) {
      const size_t end = std::min(text_.find('\n', at), text_.size());
      VYRE_CHECK(line(text_.substr(at, end - at)));
      at = end + 1;
    }
    if (out_.summary.empty() || source_.empty())
      return refused(text_.substr(0, text_.find('\n')),
                     "there is no line `// summary:` or none `// source:`");
    for (const auto& [name, source] : identities_)
      out_.identities[name].source = source.empty() ? source_ : source;
    for (const ir::Row& row : operation_.rows) VYRE_CHECK(this->row(row));
    return {};
  }

 private:
  std::unexpected<Diag> refused(std::string_view part, std::string message) const {
    return std::unexpected(make_diag(DiagCode::C013, span_of(text_, part), std::move(message),
                                     "src/ops/text_operation.h has the lines that there are"));
  }

  Result<void> line(std::string_view comment) {
    if (!comment.starts_with("//")) return {};
    comment = trimmed(comment.substr(2));
    const size_t colon = comment.find(": ");
    if (colon == std::string_view::npos) return {};
    const std::string_view key = comment.substr(0, colon), rest = trimmed(comment.substr(colon + 2));
    if (key == "summary")
      out_.summary = rest;
    else if (key == "source")
      source_ = rest;
    else if (key == "class")
      return equivalence_class(rest);
    else if (key == "boundary")
      return boundary(rest);
    else if (key == "identity")
      return identity(rest);
    return {};
  }

  /// "(1, x)" at the beginning of `rest`, which then begins behind it; an x is no word.
  Result<std::vector<std::optional<uint32_t>>> tuple(std::string_view& rest) const {
    const size_t end = rest.find(')');
    if (!rest.starts_with('(') || end == std::string_view::npos)
      return refused(rest, "a tuple stands here: (1, 2)");
    std::string_view values = rest.substr(1, end - 1);
    rest = trimmed(rest.substr(end + 1));
    std::vector<std::optional<uint32_t>> out;
    while (!values.empty()) {
      const size_t comma = std::min(values.find(','), values.size());
      VYRE_TRY(value, word(trimmed(values.substr(0, comma))));
      out.push_back(value);
      values.remove_prefix(std::min(comma + 1, values.size()));
    }
    if (out.size() != out_.signature.inputs.size())
      return refused(rest, fmt::format("{} has {} operands", out_.id, out_.signature.inputs.size()));
    return out;
  }
  Result<std::optional<uint32_t>> word(std::string_view text) const {
    if (text == "x") return std::optional<uint32_t>();
    const auto value = text::parse_integer(text);
    if (!value) return refused(text, "a word stands here");
    return value;
  }
  Result<std::vector<uint32_t>> words(std::string_view& rest) const {
    const std::string_view all = rest;
    VYRE_TRY(values, tuple(rest));
    std::vector<uint32_t> out;
    for (const auto& value : values) {
      if (!value) return refused(all, "words stand here");
      out.push_back(*value);
    }
    return out;
  }
  /// ": why" to the end.
  Result<std::string_view> reason(std::string_view rest) const {
    if (!rest.starts_with(": ")) return refused(rest, "a colon and a reason stand here");
    return trimmed(rest.substr(2));
  }

  Result<void> equivalence_class(std::string_view rest) {
    constexpr std::string_view kSuchAs = ", such as ";
    const size_t end = rest.find(kSuchAs);
    if (end == std::string_view::npos) return refused(rest, "`, such as (1, 2): name` stands behind a class");
    const std::string_view expression = rest.substr(0, end);
    std::string source = "operation a.class(";
    for (const auto& name : out_.parameter_names) source += fmt::format("{}: u32, ", name);
    source.resize(source.size() - 2);
    auto parsed = text::parse_module(fmt::format("{}) -> u32 {{ return {}; }}", source, expression));
    if (!parsed) return refused(expression, parsed.error().message);
    const auto predicate = std::make_shared<const Predicate>(std::move(parsed->operations[0].function));
    if (const auto why = predicate->refused(); !why.empty()) return refused(expression, std::string(why));
    rest.remove_prefix(end + kSuchAs.size());
    VYRE_TRY(representative, words(rest));
    VYRE_TRY(name, reason(rest));
    out_.classes.push_back(
        {name, [predicate](const uint32_t* x) { return (*predicate)(x); }, representative});
    return {};
  }

  Result<void> boundary(std::string_view rest) {
    VYRE_TRY(operands, words(rest));
    VYRE_TRY(why, reason(rest));
    out_.boundaries.push_back({operands, why});
    return {};
  }

  Result<void> identity(std::string_view rest) {
    VYRE_TRY(operands, tuple(rest));
    const size_t end = rest.find(": ");
    if (!rest.starts_with("=> ") || end == std::string_view::npos)
      return refused(rest, "`=> result: reason` stands here");
    VYRE_TRY(expected, word(trimmed(rest.substr(3, end - 3))));
    const auto [why, source] = rationale(rest.substr(end + 2));
    identities_.emplace_back(out_.identities.size(), source);
    out_.identities.push_back({operands, expected, why, {}});
    return {};
  }

  /// "why [source]"; the source may be missing.
  static std::pair<std::string_view, std::string_view> rationale(std::string_view text) {
    text = trimmed(text);
    const size_t open = text.rfind(" [");
    if (!text.ends_with(']') || open == std::string_view::npos) return {text, {}};
    return {trimmed(text.substr(0, open)), text.substr(open + 2, text.size() - open - 3)};
  }

  Result<void> row(const ir::Row& row) {
    const size_t end = std::min(text_.find('\n', row.span.end), text_.size());
    const std::string_view rest = text_.substr(row.span.end, end - row.span.end);
    const size_t comment = rest.find("//");
    const std::string_view whole = text_.substr(row.span.begin, row.span.end - row.span.begin);
    if (comment == std::string_view::npos) return refused(whole, "a comment behind a row says why it is so");
    const auto [why, source] = rationale(rest.substr(comment + 2));
    std::vector<uint32_t> operands;
    for (const ir::Value& value : row.operands) operands.push_back(value.bits[0]);
    out_.rows.push_back({operands, row.expected.bits[0], why, source.empty() ? source_ : source});
    return {};
  }

  const std::string_view text_;
  const ir::Operation& operation_;
  Operation& out_;
  std::string_view source_;
  std::vector<std::pair<size_t, std::string_view>>
      identities_;  // and the source of each; empty: that of the text
};

std::optional<spec::Law> law_of(const ir::LawText& text) {
  const auto known = std::ranges::find(spec::kLaws, text.name, &spec::LawInfo::name);
  if (known == spec::kLaws.end() || known->kind == spec::LawKind::Custom) return std::nullopt;
  spec::Law law{known->kind};
  std::vector<uint32_t> values;
  for (const ir::LawText::Argument& argument : text.arguments) {
    if (argument.operation.empty())
      values.push_back(argument.bits[0]);
    else
      law.others.push_back(argument.version == 1
                               ? argument.operation
                               : fmt::format("{}@{}", argument.operation, argument.version));
  }
  if (!values.empty()) law.value = values.front();
  if (values.size() > 1) law.high = values.back();
  return law;
}

}  // namespace

Result<Operation> read_operation(std::string_view text, const Beside& beside) {
  VYRE_TRY(module, text::parse_module(text));
  const auto refused = [](Span span, std::string message) {
    return std::unexpected(
        make_diag(DiagCode::C013, span, std::move(message),
                  "src/ops/text_operation.h says how an operation of the library is written"));
  };
  if (module.operations.size() != 1 || !module.programs.empty() || !module.pipelines.empty())
    return refused({0, 1}, "a file of the library is one operation");
  const ir::Operation& own = module.operations[0];
  const auto function = std::make_shared<const ir::Function>(own.function);
  const auto piece = [&](std::string_view of) {
    return text.substr(text.find(of, own.span.begin), of.size());
  };
  Operation out;
  out.id = text.substr(own.span.begin, function->id.size());
  out.version = own.version;
  for (const auto& parameter : function->parameters) {
    out.signature.inputs.push_back(parameter.type);
    out.parameter_names.push_back(piece(function->code.name(parameter.name)));
  }
  out.signature.output = function->result_type;
  out.reference = beside.reference;
  out.define = beside.define;
  out.compose = [function](ir::FunctionBuilder& f, std::span<const ir::Ex> parameters) {
    return f.inlined(*function, parameters);
  };
  for (const ir::LawText& claim : own.claims) {
    const auto law = law_of(claim);
    if (!law) return refused(claim.span, fmt::format("no law '{}'", claim.name));
    out.laws.push_back(*law);
  }
  out.laws.insert(out.laws.end(), beside.custom.begin(), beside.custom.end());
  for (const ir::DenialText& denial : own.denials) {
    const auto law = law_of(denial.law);
    if (!law) return refused(denial.law.span, fmt::format("no law '{}'", denial.law.name));
    std::vector<uint32_t> witness;
    for (const ir::Value& value : denial.witness) witness.push_back(value.bits[0]);
    out.denied.push_back({*law, std::move(witness)});
  }
  VYRE_CHECK(Facts(text, own, out).read());
  return out;
}

}  // namespace vyre::ops
