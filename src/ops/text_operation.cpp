#include "ops/text_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "check/module.h"
#include "ops/floating.h"
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

/// A predicate over words: the result of an operation without statements, as a list in the order of its
/// evaluation. For any number of threads.
class Predicate {
 public:
  /// nullptr: it has statements, or what is evaluated nowhere here.
  static std::shared_ptr<const Predicate> make(const check::CheckedFunction& function) {
    const ir::Code& code = function.function->code;
    if (!code.block(function.function->body).empty()) return nullptr;
    auto out = std::make_shared<Predicate>();
    size_t depth = 0;
    for (const ir::ExprId id : ref::Postfix(code).of(function.function->result)) {
      const ir::Expr& e = code[id];
      const bool applies = e.kind == ExprKind::Apply;
      const bool known =
          !applies || e.op == spec::Op::Cast || e.op == spec::Op::Select || spec::is_scalar(e.op);
      depth = depth + 1 - e.args.count;
      if (!known || depth > kDepth) return nullptr;
      Step step{e};
      if (e.kind == ExprKind::Literal) {
        const auto words = code.literal_bits(e);
        for (size_t i = words.size(); i-- > 0;) step.value = step.value << 32 | words[i];
      } else if (e.kind == ExprKind::Var) {
        step.value = index(function.resolution.variable(id));  // parameters are numbered first
      } else {
        step.type = function.resolution.type(code.args(e)[e.op == spec::Op::Select ? 1 : 0]);
      }
      out->steps_.push_back(step);
    }
    return out;
  }

  bool operator()(const uint32_t* operands) const {
    std::array<ref::Bits, kDepth> stack{};
    size_t size = 0;
    for (const Step& step : steps_) {
      const ir::Expr& e = step.e;
      size -= e.args.count;
      const std::span<const ref::Bits> values(stack.data() + size, e.args.count);
      stack[size++] = e.kind == ExprKind::Literal ? step.value
                      : e.kind == ExprKind::Var   ? operands[size_t(step.value)]
                      : e.op == spec::Op::Cast    ? ref::eval_cast(step.type, e.type, e.mode, values[0])
                                                  : ref::eval(e.op, step.type, values);
    }
    return stack[0] != 0;
  }

 private:
  static constexpr size_t kDepth = 16;
  struct Step {
    ir::Expr e;
    ref::Bits value = 0;            // of a literal; of a variable its number
    DataType type = DataType::U32;  // the T of an operator; of a cast what it is from
  };
  std::vector<Step> steps_;
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
    if (operator_) add_operator_rows(out_, *operator_);
    return {};
  }

  /// The approximate operation beside this one. Domain: read() has read it.
  std::optional<Operation> approximate() const {
    if (!approximate_) return std::nullopt;
    return approximation(out_, approximate_->op, approximate_->id, approximate_->summary);
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
    else if (key == "rows")
      return operator_rows(rest);
    else if (key == "approximation")
      return approximate(rest);
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
    for (size_t i = 0; i < out_.parameter_names.size(); ++i)
      source += fmt::format("{}: {}, ", out_.parameter_names[i], spec::text(out_.signature.inputs[i]));
    source.resize(source.size() - 2);
    auto parsed = text::parse_module(fmt::format("{}) -> u32 {{ return {}; }}", source, expression));
    if (!parsed) return refused(expression, parsed.error().message);
    static const spec::OpTable kNoOperations;
    const auto checked = check::check(std::move(*parsed), kNoOperations);
    if (!checked) return refused(expression, checked.error().front().message);
    const auto predicate = Predicate::make((*checked)->function(*(*checked)->operations()[0]));
    if (predicate == nullptr)
      return refused(expression, "a class is one expression of operators on words and floats");
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

  Result<void> operator_rows(std::string_view mnemonic) {
    operator_ = spec::find_op(mnemonic);
    if (!operator_) return refused(mnemonic, "the mnemonic of an operator stands here");
    return {};
  }

  /// "float.f32.exp_approx: its summary", of the operator fexp_approx.
  Result<void> approximate(std::string_view rest) {
    const std::string_view id = rest.substr(0, rest.find(": "));
    const auto op = spec::find_op(fmt::format("f{}", id.substr(id.rfind('.') + 1)));
    if (!op || !spec::is_approximate(*op)) return refused(id, "no operator is approximate and has that name");
    VYRE_TRY(summary, reason(rest.substr(id.size())));
    approximate_ = {*op, id, summary};
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
  std::optional<spec::Op> operator_;  // whose rows are the operation's as well
  struct Approximate {
    spec::Op op;
    std::string_view id, summary;
  };
  std::optional<Approximate> approximate_;
  std::vector<std::pair<size_t, std::string_view>>
      identities_;  // and the source of each; empty: that of the text
};

/// The first thing in the code that no operation has: memory, ids, statements of programs.
std::optional<Span> impure(const ir::Code& code) {
  for (uint32_t i = 0; i < code.exprs.size(); ++i) {
    switch (code.exprs[i].kind) {
      case ExprKind::Literal:
      case ExprKind::Var:
      case ExprKind::Apply: break;
      case ExprKind::Load:
      case ExprKind::BufLen:
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId:
      case ExprKind::NumWorkgroups: return code.span(ir::ExprId{i});
    }
  }
  for (uint32_t i = 0; i < code.nodes.size(); ++i) {
    switch (code[ir::NodeId{i}].kind) {
      case ir::NodeKind::Let:
      case ir::NodeKind::Assign:
      case ir::NodeKind::If:
      case ir::NodeKind::Loop:
      case ir::NodeKind::Block: break;
      case ir::NodeKind::Store:
      case ir::NodeKind::Return:
      case ir::NodeKind::Barrier: return code.span(ir::NodeId{i});
    }
  }
  return std::nullopt;
}

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

Result<std::vector<Operation>> read_operations(std::string_view text, const Beside& beside) {
  VYRE_TRY(module, text::parse_module(text));
  const auto refused = [](Span span, std::string message) {
    return std::unexpected(
        make_diag(DiagCode::C013, span, std::move(message),
                  "src/ops/text_operation.h says how an operation of the library is written"));
  };
  if (module.operations.size() != 1 || !module.programs.empty() || !module.pipelines.empty())
    return refused({0, 1}, "a file of the library is one operation");
  const ir::Operation& own = module.operations[0];
  if (const auto span = impure(own.function.code))
    return refused(*span, "an operation computes a value from values, and this is of programs");
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
  if (const DataType type = out.signature.inputs.at(0); spec::kFloats.contains(type)) {
    out.classes = operand_classes(type, out.signature.inputs.size());
    out.boundaries = operand_boundaries(type, out.signature.inputs.size());
  }
  Facts facts(text, own, out);
  VYRE_CHECK(facts.read());
  std::vector<Operation> all = {out};
  if (auto approximate = facts.approximate()) all.push_back(std::move(*approximate));
  return all;
}

}  // namespace vyre::ops
