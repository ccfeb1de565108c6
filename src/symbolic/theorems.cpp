#include "symbolic/theorems.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace vyre::symbolic {
namespace {

[[noreturn]] void fault(std::string_view text, std::string_view why) {
  fmt::print(stderr, "theorems.def: '{}': {}\n", text, why);
  std::abort();
}

/// One expression from the front of `rest`.
Expression take(std::string_view& rest, std::string_view whole) {
  if (rest.empty() || rest[0] < 'a' || rest[0] > 'z') fault(whole, "a letter was expected");
  Expression out{rest[0], {}};
  rest.remove_prefix(1);
  if (!rest.starts_with('(')) return out;
  do {
    rest.remove_prefix(1);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    out.operands.push_back(take(rest, whole));
  } while (rest.starts_with(','));
  if (!rest.starts_with(')')) fault(whole, "')' was expected");
  rest.remove_prefix(1);
  return out;
}

bool is_function(const Expression& e) { return e.operands.empty() && (e.symbol >= 'f' && e.symbol <= 'k'); }

/// "Bounded(c, d)" of a subject.
Premise parse_law(char subject, std::string_view text) {
  Premise out{subject, {}, {}, {}, fmt::format("{}: {}", subject, text)};
  const size_t open = text.find('(');
  const auto found = std::ranges::find(spec::kLaws, text.substr(0, open), &spec::LawInfo::name);
  if (found == spec::kLaws.end()) fault(text, "no such law");
  out.kind = found->kind;
  if (open == std::string_view::npos) return out;
  // The parameters read as operands do.
  const std::string application = fmt::format("x{}", text.substr(open));
  for (Expression& e : parse_expression(application).operands) {
    if (is_function(e)) {
      out.others.push_back(e.symbol);
    } else {
      out.values.push_back(std::move(e));
    }
  }
  return out;
}

Premise parse_premise(std::string_view text) {
  if (text.size() > 3 && text.substr(1, 2) == ": ") return parse_law(text[0], text.substr(3));
  const size_t equals = text.find(" = ");
  if (equals == std::string_view::npos) fault(text, "neither a law nor an equation");
  return {0,
          {},
          {},
          {parse_expression(text.substr(0, equals)), parse_expression(text.substr(equals + 3))},
          std::string(text)};
}

Theorem theorem(std::string_view name, Form form, std::string_view premises, std::string_view conclusion) {
  Theorem out{name, form, {}, parse_law('h', conclusion), {}};
  out.text =
      fmt::format("{}{}h = {}: {}", premises, premises.empty() ? "" : " => ", info(form).text, conclusion);
  while (!premises.empty()) {
    const size_t end = premises.find("; ");
    out.premises.push_back(parse_premise(premises.substr(0, end)));
    premises = end == std::string_view::npos ? "" : premises.substr(end + 2);
  }
  return out;
}

std::vector<uint32_t> digits(std::string_view text) {
  std::vector<uint32_t> out;
  for (const char c : text) out.push_back(uint32_t(c - '0'));
  return out;
}

/// As to_string writes it.
Structure parse_structure(std::string_view text) {
  Structure out;
  const auto field = [&](std::string_view name) {
    const size_t at = text.find(name);
    if (at == std::string_view::npos) return std::string_view{};
    const std::string_view rest = text.substr(at + name.size());
    return rest.substr(0, rest.find(' '));
  };
  const auto number = [&](std::string_view name) {
    const std::vector<uint32_t> value = digits(field(name));
    return value.empty() ? 0 : value[0];
  };
  out.size = text.empty() ? 0 : uint32_t(text[0] - '0');
  out.f = digits(field("f=")), out.g = digits(field("g=")), out.k = digits(field("k="));
  out.c = number("c="), out.d = number("d=");
  return out;
}

}  // namespace

Expression parse_expression(std::string_view text) {
  std::string_view rest = text;
  Expression out = take(rest, text);
  if (!rest.empty()) fault(text, "there is something after the expression");
  return out;
}

const Expression& expression(Form form) {
  static const std::vector<Expression> all = [] {
    std::vector<Expression> out;
    for (const FormInfo& f : kForms) out.push_back(parse_expression(f.text));
    return out;
  }();
  return all[size_t(form)];
}

std::string to_string(const Structure& structure) {
  std::string out = fmt::format("{}:", structure.size);
  const auto table = [&](char name, const std::vector<uint32_t>& values) {
    if (!values.empty()) out += fmt::format(" {}={}", name, fmt::join(values, ""));
  };
  table('f', structure.f), table('g', structure.g), table('k', structure.k);
  return out + fmt::format(" c={} d={}", structure.c, structure.d);
}

const std::vector<Theorem>& theorems() {
  static const std::vector<Theorem> all = {
#define VYRE_THEOREM(name, Form_, premises, conclusion) theorem(#name, Form::Form_, premises, conclusion),
#include "symbolic/theorems.def"
  };
  return all;
}

const std::vector<Refutation>& refutations() {
  static const std::vector<Refutation> all = {
#define VYRE_REFUTED(name, Form_, premises, conclusion, structure) \
  {theorem(#name, Form::Form_, premises, conclusion), parse_structure(structure)},
#include "symbolic/theorems.def"
  };
  return all;
}

}  // namespace vyre::symbolic
