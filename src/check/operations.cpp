#include "check/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "check/body_checker.h"
#include "text/text.h"

namespace vyre::check {
namespace {

/// The first words of ids that are the library's.
constexpr auto kRoots = std::to_array<std::string_view>({"primitive", "float", "approx", "subgroup", "hash",
                                                         "decode", "encode", "string", "match", "collection",
                                                         "graph", "tensor", "nn", "engine", "matrix"});

std::string counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string listed(std::span<const DataType> types) {
  std::string out;
  for (const DataType type : types) out += fmt::format("{}{}", out.empty() ? "" : ", ", spec::text(type));
  return out;
}

/// How many constants a law has.
size_t values_of(spec::LawParameters parameters) {
  switch (parameters) {
    case spec::LawParameters::Value:
    case spec::LawParameters::OperationAndValue: return 1;
    case spec::LawParameters::Range: return 2;
    case spec::LawParameters::None:
    case spec::LawParameters::OneOperation:
    case spec::LawParameters::TwoOperations:
    case spec::LawParameters::Predicate: return 0;
  }
  return 0;
}

/// The type whose bits a law's constants are.
DataType type_of_values(spec::LawKind kind, const spec::OpSignature& f) {
  switch (spec::info(kind).parameters) {
    case spec::LawParameters::Value: {
      const bool left = kind == spec::LawKind::LeftIdentity || kind == spec::LawKind::LeftAbsorbing;
      return kind == spec::LawKind::SelfInverse ? f.output : f.inputs[left || f.inputs.size() < 2 ? 0 : 1];
    }
    case spec::LawParameters::OperationAndValue:
    case spec::LawParameters::Range:
    case spec::LawParameters::None:
    case spec::LawParameters::OneOperation:
    case spec::LawParameters::TwoOperations:
    case spec::LawParameters::Predicate: break;
  }
  return f.output;
}

/// How a value is written in another type, where a plain number stands: 1 is 1.0 as f32 and 1u64 as u64.
std::string written_as(const ir::Value& value, DataType type) {
  const bool number = value.type == DataType::U32;
  const uint32_t bits = value.bits[0];
  if (number && spec::kFloats.contains(type))
    return fmt::format("write {}.0{}", bits, type == DataType::F32 ? "" : spec::text(type));
  if (number && spec::kIntegers.contains(type)) return fmt::format("write {}{}", bits, spec::text(type));
  if (number && type == DataType::Bool && bits < 2) return bits == 0 ? "write false" : "write true";
  return fmt::format("write it as {} {}", type == DataType::I32 ? "an" : "a", spec::text(type));
}

/// V034: a value has no bits beyond its type. No text has such a one.
void check_bits(const ir::Value& value, Report& report) {
  if (!spec::is_value_type(value.type) || spec::is_value(value.bits, value.type)) return;
  const uint32_t width = value.type == DataType::Bool ? 1 : spec::value_bits(value.type);
  report.add(DiagCode::V034, value.span,
             fmt::format("a {} with more than {}", spec::text(value.type), counted(width, "bit")),
             "leave the bits beyond the type zero");
}

/// V049: each value is of exactly the type meant.
void check_values(std::span<const ir::Value> values, std::span<const DataType> wanted, Span span,
                  std::string_view what, Report& report) {
  for (const ir::Value& value : values) check_bits(value, report);
  if (values.size() != wanted.size()) {
    report.add(DiagCode::V049, span,
               fmt::format("{} has {}, not {}", what, counted(wanted.size(), "value"), values.size()),
               fmt::format("they are ({})", listed(wanted)));
    return;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].type == wanted[i]) continue;
    report.add(DiagCode::V049, values[i].span,
               fmt::format("value {} of {} is {}; this is {}", i + 1, what, spec::text(wanted[i]),
                           spec::text(values[i].type)),
               written_as(values[i], wanted[i]));
  }
}

}  // namespace

bool is_library_id(std::string_view id) {
  return std::ranges::find(kRoots, id.substr(0, id.find('.'))) != kRoots.end();
}

std::string_view judged_by(std::string_view id) {
  if (!id.ends_with(kAlternative)) return {};
  const std::string_view subject = id.substr(0, id.size() - kAlternative.size());
  return subject.contains('.') ? subject : std::string_view{};
}

std::optional<UnderstoodLaw> understand(const ir::LawText& law, const ir::Operation& operation,
                                        const spec::OpSignature& signature, const spec::OpTable& ops,
                                        Report& report) {
  const auto refuse = [&](Span span, std::string message, std::string help) {
    report.add(DiagCode::V048, span, std::move(message), std::move(help));
    return std::nullopt;
  };
  const auto found = std::ranges::find(spec::kLaws, law.name, &spec::LawInfo::name);
  if (found == spec::kLaws.end() || found->kind == spec::LawKind::Custom) {
    NearestName nearest(law.name);
    for (const spec::LawInfo& known : spec::kLaws) {
      if (known.kind != spec::LawKind::Custom) nearest.consider(known.name);
    }
    return refuse(law.span, fmt::format("no law {}", quoted(law.name)),
                  nearest.help_or("docs/spec/laws.md lists the laws"));
  }
  UnderstoodLaw out{.kind = found->kind};
  std::vector<spec::LawSubject> others;
  const size_t operations = spec::others_of(found->parameters), values = values_of(found->parameters);
  const std::string form = fmt::format("{} says {}", found->name, found->statement);
  if (law.arguments.size() != operations + values) {
    return refuse(law.span,
                  fmt::format("{} takes {} and {}, not {}", found->name, counted(operations, "operation"),
                              counted(values, "constant"), counted(law.arguments.size(), "argument")),
                  form);
  }
  for (size_t i = 0; i < law.arguments.size(); ++i) {
    const ir::LawText::Argument& argument = law.arguments[i];
    if (argument.operation.empty() != (i >= operations)) {
      return refuse(argument.span,
                    fmt::format("argument {} of {} is {}", i + 1, found->name,
                                i < operations ? "the id of an operation" : "a constant"),
                    form);
    }
    if (i >= operations) {
      out.values.push_back(argument.bits);
      continue;
    }
    const spec::OpDef* other = ops.find(argument.operation, argument.version);
    if (other == nullptr || !other->id.contains('.')) {
      NearestName nearest(argument.operation);
      if (report.may_suggest()) {
        for (const spec::OpDef* def : ops.all()) nearest.consider(def->id);
      }
      return refuse(argument.span,
                    fmt::format("no operation {}{}", quoted(argument.operation),
                                argument.version == 1 ? "" : fmt::format(" of version {}", argument.version)),
                    nearest.help_or("`vyre ops` lists the library's operations"));
    }
    out.others.push_back(other);
    others.push_back({other->id, &other->signature});
  }
  const spec::LawSubject f{operation.function.id, &signature};
  if (const auto arity = spec::check_arity(out.kind, f); !arity) return refuse(law.span, arity.error(), form);
  auto variables = spec::law_variables(out.kind, f, others);
  if (!variables)
    return refuse(law.span, fmt::format("{} does not apply: {}", found->name, variables.error()), form);
  out.variables = std::move(*variables);
  const DataType type = type_of_values(out.kind, signature);
  for (size_t i = operations; i < law.arguments.size(); ++i) {
    if (spec::is_value(law.arguments[i].bits, type)) continue;
    return refuse(law.arguments[i].span,
                  fmt::format("a value of {} has {} bits", spec::text(type), spec::value_bits(type)),
                  "a law names a value by its bits, without a suffix");
  }
  return out;
}

bool check_operation_head(const ir::Operation& operation, Report& report) {
  const std::string_view id = operation.function.id;
  const auto refuse = [&](std::string message, std::string help) {
    report.add(DiagCode::V047, operation.span, std::move(message), std::move(help));
    return false;
  };
  if (!text::is_operation_id(id)) {
    return refuse(fmt::format("{} is no id of an operation", quoted(id)),
                  "write words joined by points: my.average");
  }
  if (is_library_id(id)) {
    return refuse(fmt::format("ids that begin with {} are the library's", quoted(id.substr(0, id.find('.')))),
                  fmt::format("choose another first word: my.{}", id.substr(id.find('.') + 1)));
  }
  if (operation.version == 0) return refuse("versions count from 1", "leave the version out, or write @1");
  if (operation.function.parameters.empty()) {
    return refuse(fmt::format("{} has no parameter", quoted(id)),
                  "an operation computes a value from values");
  }
  // Of other types than those of values the check of the body speaks.
  return spec::is_value_type(operation.function.result_type) &&
         std::ranges::all_of(operation.function.parameters,
                             [](const auto& parameter) { return spec::is_value_type(parameter.type); });
}

std::vector<CallSite> check_claims(const ir::Operation& operation, const spec::OpDef& def,
                                   const spec::OpTable& ops, Report& report) {
  std::vector<CallSite> named;
  const auto understood = [&](const ir::LawText& text) {
    auto law = understand(text, operation, def.signature, ops, report);
    if (law) {
      for (size_t i = 0; i < law->others.size(); ++i)
        named.push_back({law->others[i], text.arguments[i].span});
    }
    return law;
  };
  for (const ir::LawText& law : operation.claims) understood(law);
  for (const ir::DenialText& denial : operation.denials) {
    const auto law = understood(denial.law);
    if (law) check_values(denial.witness, law->variables, denial.span, "the witness", report);
  }
  for (const ir::Row& row : operation.rows) {
    check_values(row.operands, def.signature.inputs, row.span, "the row", report);
    check_bits(row.expected, report);
    if (row.expected.type == def.signature.output) continue;
    report.add(DiagCode::V049, row.expected.span,
               fmt::format("the result is {}; this is {}", spec::text(def.signature.output),
                           spec::text(row.expected.type)),
               written_as(row.expected, def.signature.output));
  }
  return named;
}

}  // namespace vyre::check
