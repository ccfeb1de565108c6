#include "suite/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "check/checked.h"
#include "generate/shrink.h"
#include "ops/operation.h"
#include "spec/ops.h"
#include "suite/cases.h"
#include "text/operators.h"
#include "text/text.h"

namespace vyre::suite {
namespace {

using ir::Expr;
using ir::ExprKind;
using Traits = std::set<std::string>;

/// An operator as people write it.
std::string symbol_of(spec::Op op) {
  for (const text::InfixOperator& infix : text::kInfix) {
    if (infix.integer == op || infix.floating == op) return fmt::format("`{}`", infix.text);
  }
  return fmt::format("`{}`", spec::mnemonic(op));
}

/// `but`: an expression that does not count.
void add_expressions(const ir::Code& code, const check::Resolution& resolution, Traits& out,
                     std::optional<ir::ExprId> but = std::nullopt) {
  for (uint32_t k = 0; k < code.exprs.size(); ++k) {
    const Expr& e = code.exprs[k];
    if (e.kind != ExprKind::Apply || ir::ExprId{k} == but) continue;
    const ir::DataType result = resolution.type(ir::ExprId{k});
    if (e.op == spec::Op::Call) {
      out.insert(fmt::format("{}@{}", code.name(e.symbol), e.immediate));
    } else if (e.op == spec::Op::Cast || e.op == spec::Op::Bitcast) {
      out.insert(fmt::format("{} from {} to {}", symbol_of(e.op), spec::text(resolution.type(code.arg(e, 0))),
                             spec::text(result)));
    } else {
      // The second operand: of a select a value, of an atomic one too, and else the type that the first has.
      const bool later = e.op == spec::Op::Select && e.args.count > 1;
      const ir::DataType type = e.args.count == 0 ? result : resolution.type(code.arg(e, later ? 1 : 0));
      out.insert(fmt::format("{} of {}", symbol_of(e.op), spec::text(type)));
    }
  }
}

/// What runs in a program, and in the operations that it calls.
Traits traits_of(const ir::Program& program) {
  Traits out;
  const auto checked = check::check(program, ops::op_table());
  if (!checked) return out;
  // The guard that element-wise programs have around what they are about.
  std::optional<ir::ExprId> guard;
  for (const ir::Node& node : program.code.nodes) {
    if (node.kind == ir::NodeKind::If && program.name == "elementwise") guard = program.code.arg(node, 0);
  }
  add_expressions(program.code, checked->resolution(), out, guard);
  std::vector<const spec::OpDef*> todo(checked->resolution().callees);
  std::set<const spec::OpDef*> seen;
  while (!todo.empty()) {
    const spec::OpDef* def = todo.back();
    todo.pop_back();
    if (!seen.insert(def).second || def->body == nullptr) continue;
    const check::CheckedFunction& function = checked->function(*def);
    add_expressions(function.function->code, function.resolution, out);
    for (const spec::OpDef* callee : function.resolution.callees) {
      out.insert(fmt::format("{}@{}", callee->id, callee->version));
      todo.push_back(callee);
    }
  }
  return out;
}

/// The statements of a program but the stores and lets that every one has.
Traits statements_of(const ir::Program& program) {
  Traits out;
  for (const ir::Node& node : program.code.nodes) {
    switch (node.kind) {
      case ir::NodeKind::If: out.insert("`if`"); break;
      case ir::NodeKind::Loop: out.insert("`for`"); break;
      case ir::NodeKind::Barrier: out.insert("`barrier`"); break;
      case ir::NodeKind::Return: out.insert("`return`"); break;
      case ir::NodeKind::Let:
      case ir::NodeKind::Assign:
      case ir::NodeKind::Store:
      case ir::NodeKind::Block: break;
    }
  }
  for (const Expr& e : program.code.exprs) {
    if (e.kind == ExprKind::BufLen) out.insert("`len`");
    if (e.kind == ExprKind::LocalId) out.insert("`local_id`");
    if (e.kind == ExprKind::WorkgroupId) out.insert("`workgroup_id`");
    if (e.kind == ExprKind::NumWorkgroups) out.insert("`num_workgroups`");
  }
  return out;
}

/// What the wrong bits look like, where that is a pattern that may come again.
Traits patterns_of(const verify::Failure& failure) {
  Traits out;
  if (failure.expected.size() != 1 || failure.actual.size() != 1) return out;
  const uint32_t expected = failure.expected[0], actual = failure.actual[0];
  if (expected == actual) return out;
  if (std::has_single_bit(expected ^ actual))
    out.insert(fmt::format("bit {} wrong", std::countr_zero(expected ^ actual)));
  if (actual == 0) out.insert("zero given");
  if (actual == expected + 1) out.insert("one too many");
  if (actual + 1 == expected) out.insert("one too few");
  return out;
}

/// A line in which numbers count for nothing: of two cases sizes, places and addresses differ.
std::string without_numbers(std::string_view line) {
  std::string out;
  bool inside = false;
  for (const char c : line) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit || !inside) out += digit ? '#' : c;
    inside = digit;
  }
  return out;
}

/// What the backend may have said of a case that it refused: the lines of the note, by what they are without
/// numbers.
std::map<std::string, std::string> messages_of(const Found& one) {
  std::map<std::string, std::string> out;
  std::string_view note = one.failing.story.note;
  while (one.failure.fault == verify::Fault::Refused && !note.empty()) {
    const std::string_view line = note.substr(0, note.find('\n'));
    if (!line.empty()) out.emplace(without_numbers(line), line);
    note.remove_prefix(std::min(line.size() + 1, note.size()));
  }
  return out;
}

bool is_of_value(verify::Fault fault) {
  return fault == verify::Fault::WrongValue || fault == verify::Fault::NotWritten ||
         fault == verify::Fault::Law;
}

Traits traits_of(const verify::Subject& subject) {
  return traits_of(verify::elementwise_program(subject.application, 1));
}

/// What runs in operations that pass, and in those subjects of families that are not among the failures,
/// where all of these are named. An operator whose own subject fails is never cleared by an operation that
/// has it.
Traits passing_traits(std::span<const verify::Verdict> verdicts) {
  Traits out, failing;
  for (const verify::Verdict& verdict : verdicts) {
    if (!verdict.error.empty()) continue;
    const auto cases = find_cases(verdict);
    if (cases == nullptr) continue;
    const JudgedFunctions functions = cases->functions(verdict);
    for (const verify::Subject& subject : functions.passed) out.merge(traits_of(subject));
    for (const verify::Subject& subject : functions.failed) failing.merge(traits_of(subject));
  }
  for (const std::string& trait : failing) out.erase(trait);
  return out;
}

/// One failure as the cover sees it.
struct Suspect {
  std::string fault, subject;
  Traits unclear;   // what runs and is in nothing that passes, also without its type
  Traits patterns;  // of the wrong bits
  Traits all;       // what runs, also in what passes
  Traits messages;  // of what the backend refused
};

struct Shared {
  std::string trait;
  size_t subjects = 0, failures = 0;
  std::vector<std::string> equals = {};  // others that as many share, that say as much
  /// Of equals the one that says more: a typed operator rather than one of any type.
  bool operator>(const Shared& other) const {
    return std::tuple(subjects, failures, trait.size()) >
           std::tuple(other.subjects, other.failures, other.trait.size());
  }
};
/// The trait that most subjects share, then most failures; of equals the first by name.
Shared most_shared(std::span<const Suspect> suspects, const std::vector<size_t>& left, Traits Suspect::* of) {
  std::map<std::string, std::pair<std::set<std::string>, size_t>> shared;
  for (const size_t k : left) {
    for (const std::string& trait : suspects[k].*of) {
      shared[trait].first.insert(suspects[k].subject);
      ++shared[trait].second;
    }
  }
  Shared best;
  for (const auto& [trait, who] : shared) {
    const Shared one{trait, who.first.size(), who.second};
    if (one > best) best = one;
  }
  // An operator at a type says more than one of any type, and an operation more than what it is made of.
  const auto typed = [](const std::string& trait) { return trait.contains(" of "); };
  for (const auto& [trait, who] : shared) {
    const bool as_many = who.first.size() == best.subjects && who.second == best.failures;
    if (as_many && typed(trait) && typed(best.trait) && trait != best.trait) best.equals.push_back(trait);
  }
  return best;
}

/// Smaller cases first: fewer statements, fewer expressions, less memory; then by the operands.
bool is_smaller(const Found& a, const Found& b) {
  const auto size = [](const Found& f) {
    if (!f.failing.program) return std::array<size_t, 3>{SIZE_MAX, SIZE_MAX, SIZE_MAX};
    size_t bytes = 0;
    for (const Bytes& buffer : f.failing.program->buffers) bytes += buffer.size();
    return std::array<size_t, 3>{f.failing.program->program.code.nodes.size(),
                                 f.failing.program->program.code.exprs.size(), bytes};
  };
  const auto x = size(a), y = size(b);
  if (x != y) return x < y;
  return a.failure.input.size() == b.failure.input.size() &&
         generate::simpler(a.failure.input, b.failure.input);
}

void cover(std::span<const Suspect> suspects, std::vector<size_t> left, std::vector<Cause>& out) {
  const auto take = [&](const Shared& shared, Traits Suspect::* of) {
    const std::string& trait = shared.trait;
    Cause cause{.trait = trait, .fault = suspects[left.front()].fault, .equals = shared.equals};
    std::erase_if(left, [&](size_t k) {
      const bool mine = (suspects[k].*of).contains(trait);
      if (mine) cause.members.push_back(k);
      return mine;
    });
    out.push_back(std::move(cause));
  };
  for (Shared said = most_shared(suspects, left, &Suspect::messages); said.failures > 1;
       said = most_shared(suspects, left, &Suspect::messages)) {
    take(said, &Suspect::messages);
    out.back().message = said.trait;
  }
  // Small operands often differ in one low bit, so a pattern says something only where very many share it.
  constexpr size_t kManySubjects = 8;
  for (bool more = true; more;) {
    const Shared operation = most_shared(suspects, left, &Suspect::unclear);
    const Shared pattern = most_shared(suspects, left, &Suspect::patterns);
    more = operation.subjects != 0;
    if (pattern.subjects >= kManySubjects && 10 * pattern.subjects >= 9 * operation.subjects) {
      take(pattern, &Suspect::patterns);
      more = true;
    } else if (more) {
      take(operation, &Suspect::unclear);
    }
  }
  for (Shared any = most_shared(suspects, left, &Suspect::all); any.subjects != 0;
       any = most_shared(suspects, left, &Suspect::all)) {
    take(any, &Suspect::all);
  }
  // Nothing is known of these: a subject is a cause.
  while (!left.empty()) {
    Cause cause{.trait = suspects[left.front()].subject, .fault = suspects[left.front()].fault};
    std::erase_if(left, [&](size_t k) {
      const bool mine = suspects[k].subject == cause.trait;
      if (mine) cause.members.push_back(k);
      return mine;
    });
    out.push_back(std::move(cause));
  }
}

/// Causes whose smallest case is one and the same are one. Members are sorted.
void merge_equal(std::span<const Found> found, std::vector<Cause>& causes) {
  std::map<std::string, size_t> first;
  std::vector<Cause> out;
  for (Cause& cause : causes) {
    const FailingCase& smallest = found[cause.members.front()].failing;
    const auto [at, fresh] = first.try_emplace(
        smallest.program
            ? cause.fault +
                  base_name({.story = {}, .program = smallest.program, .expected = smallest.expected})
            : fmt::format("{}", out.size()),
        out.size());
    if (fresh) {
      out.push_back(std::move(cause));
    } else {
      out[at->second].members.insert(out[at->second].members.end(), cause.members.begin(),
                                     cause.members.end());
    }
  }
  causes = std::move(out);
}

}  // namespace

std::vector<Cause> find_causes(std::span<const Found> found, std::span<const verify::Verdict> verdicts) {
  const Traits passing = passing_traits(verdicts);
  std::vector<Suspect> suspects;
  std::map<std::string, std::vector<size_t>> by_fault;
  for (const Found& one : found) {
    Suspect suspect{.fault = is_of_value(one.failure.fault) ? "wrong value"
                                                            : std::string(verify::text(one.failure.fault)),
                    .subject = one.subject};
    const std::string_view token = one.failure.token;
    if (const size_t slash = token.find('/'); slash < token.find(':'))
      suspect.subject = token.substr(0, token.find(':'));
    if (one.failing.program) {
      suspect.all = traits_of(one.failing.program->program);
      for (const std::string& trait : suspect.all) {
        if (passing.contains(trait)) continue;
        suspect.unclear.insert(trait);
        if (const size_t type = trait.find(" of "); type != trait.npos)
          suspect.unclear.insert(trait.substr(0, type));
      }
      suspect.all.merge(statements_of(one.failing.program->program));
    }
    suspect.patterns = patterns_of(one.failure);
    for (const auto& [message, line] : messages_of(one)) suspect.messages.insert(message);
    by_fault[suspect.fault].push_back(suspects.size());
    suspects.push_back(std::move(suspect));
  }
  std::vector<Cause> out;
  for (auto& [fault, members] : by_fault) cover(suspects, members, out);
  for (Cause& cause : out) {
    std::ranges::sort(cause.members, [&](size_t a, size_t b) {
      if (is_smaller(found[a], found[b])) return true;
      return !is_smaller(found[b], found[a]) && a < b;
    });
    if (!cause.message.empty()) cause.message = messages_of(found[cause.members.front()])[cause.message];
  }
  merge_equal(found, out);
  std::map<std::string, uint64_t> only_counted;
  for (const verify::Verdict& verdict : verdicts)
    only_counted[verdict.subject] += verdict.failure_count - verdict.failures.size();
  for (Cause& cause : out) {
    cause.failures = cause.members.size();
    for (const size_t k : cause.members) {
      if (std::ranges::find(cause.subjects, found[k].subject) == cause.subjects.end())
        cause.subjects.push_back(found[k].subject);
      cause.failures += std::exchange(only_counted[found[k].subject], 0);
    }
  }
  std::ranges::sort(out, [](const Cause& a, const Cause& b) {
    const auto size = [](const Cause& c) { return std::pair(c.subjects.size(), c.failures); };
    return size(a) != size(b) ? size(a) > size(b) : a.members < b.members;
  });
  return out;
}

}  // namespace vyre::suite
