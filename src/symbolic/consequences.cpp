#include "symbolic/consequences.h"

#include <fmt/format.h>

#include <algorithm>

namespace vyre::symbolic {
namespace {

/// One way to read a theorem's letters.
struct Reading {
  std::array<const Component*, 3> functions{};  // f, g, k
  std::array<std::string, 3> names;             // the same, of which nothing but the name may be known
  std::array<std::optional<uint32_t>, 2> constants;
  std::vector<std::string> from;
};

size_t slot(char function) { return function == 'k' ? 2 : function == 'g' ? 1 : 0; }

/// Matches a theorem's premises with laws, one after the other, all ways.
class Match {
 public:
  Match(const Theorem& theorem, const ComponentLookup& lookup, std::vector<Consequence>& out)
      : theorem_(theorem), lookup_(lookup), out_(out) {}

  void from(size_t premise, const Reading& reading) {
    if (premise == theorem_.premises.size()) return conclude(reading);
    const Premise& p = theorem_.premises[premise];
    // Equations are evaluated when all laws have said what the letters are.
    if (p.subject == 0) return from(premise + 1, reading);
    const Component* const subject = reading.functions[slot(p.subject)];
    if (subject == nullptr) return;
    for (const spec::Law& law : subject->laws) {
      if (law.kind != p.kind) continue;
      Reading next = reading;
      if (!name_others(p, law, next) || !name_values(p, law, next)) continue;
      next.from.push_back(fmt::format("{}: {}", subject->name, spec::to_string(law)));
      from(premise + 1, next);
    }
  }

 private:
  bool name_others(const Premise& p, const spec::Law& law, Reading& reading) const {
    for (size_t i = 0; i < p.others.size(); ++i) {
      std::string& name = reading.names[slot(p.others[i])];
      if (name.empty()) {
        name = law.others[i];
        reading.functions[slot(p.others[i])] = lookup_(name);
      } else if (name != law.others[i]) {
        return false;
      }
    }
    return true;
  }
  static bool name_values(const Premise& p, const spec::Law& law, Reading& reading) {
    const uint32_t values[] = {law.value, law.high};
    for (size_t i = 0; i < p.values.size(); ++i) {
      auto& constant = reading.constants[size_t(p.values[i].symbol - 'c')];
      if (constant && *constant != values[i]) return false;
      constant = values[i];
    }
    return true;
  }

  static std::optional<uint32_t> value(const Expression& e, const Reading& reading) {
    if (e.operands.empty()) return reading.constants[size_t(e.symbol - 'c')];
    const Component* const function = reading.functions[slot(e.symbol)];
    std::array<uint32_t, 3> operands{};
    for (size_t i = 0; i < e.operands.size(); ++i) {
      const auto operand = value(e.operands[i], reading);
      if (!operand) return std::nullopt;
      operands[i] = *operand;
    }
    if (function == nullptr) return std::nullopt;
    return function->value(operands.data());
  }

  void conclude(Reading reading) {
    for (const Premise& p : theorem_.premises) {
      if (p.subject != 0) continue;
      const auto left = value(p.values[0], reading), right = value(p.values[1], reading);
      if (!left || !right || *left != *right) return;
      reading.from.push_back(fmt::format("{} at {:#x}", p.text, *right));
    }
    const Premise& conclusion = theorem_.conclusion;
    spec::Law law{conclusion.kind};
    for (size_t i = 0; i < conclusion.values.size(); ++i) {
      const auto constant = value(conclusion.values[i], reading);
      if (!constant) return;
      (i == 0 ? law.value : law.high) = *constant;
    }
    for (const char other : conclusion.others) {
      const std::string& name = reading.names[slot(other)];
      if (name.empty()) return;
      law.others.push_back(name);
    }
    if (std::ranges::find(out_, law, &Consequence::law) == out_.end())
      out_.push_back({std::move(law), &theorem_, std::move(reading.from)});
  }

  const Theorem& theorem_;
  const ComponentLookup& lookup_;
  std::vector<Consequence>& out_;
};

}  // namespace

std::vector<Consequence> consequences(const Composition& composition, const ComponentLookup& lookup) {
  std::vector<Consequence> out;
  Reading reading;
  reading.functions = {composition.f, composition.g, composition.k};
  for (size_t i = 0; i < reading.functions.size(); ++i) {
    if (reading.functions[i] != nullptr) reading.names[i] = reading.functions[i]->name;
  }
  reading.constants[0] = composition.c;
  for (const Theorem& theorem : theorems()) {
    if (theorem.form == composition.form) Match(theorem, lookup, out).from(0, reading);
  }
  return out;
}

bool is_implied(const spec::Law& law, const Component& component, const ComponentLookup& lookup) {
  Component grown = component;
  const Form form = component.operands == 1 ? Form::Same1 : Form::Same;
  const auto known = [&] {
    return std::ranges::any_of(grown.laws, [&](const spec::Law& other) {
      return other == law || (law.kind == spec::LawKind::Bounded && other.kind == law.kind &&
                              law.value <= other.value && other.high <= law.high);
    });
  };
  // What follows may have consequences of its own; the kinds of law are few, so this ends.
  for (size_t before = 0; !known() && before != grown.laws.size();) {
    before = grown.laws.size();
    for (const Consequence& c : consequences({form, &grown, nullptr, nullptr, {}}, lookup)) {
      if (std::ranges::find(grown.laws, c.law) == grown.laws.end()) grown.laws.push_back(c.law);
    }
  }
  return known();
}

}  // namespace vyre::symbolic
