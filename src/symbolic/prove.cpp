#include "symbolic/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <tuple>
#include <utility>

#include "algebra/engine.h"
#include "symbolic/asking.h"
#include "symbolic/encodings.h"
#include "symbolic/functions.h"
#include "symbolic/laws.h"
#include "symbolic/lemmas.h"
#include "symbolic/operators.h"
#include "symbolic/shown.h"
#include "symbolic/values.h"

namespace vyre::symbolic {
namespace {

using Clock = std::chrono::steady_clock;
using smt::Pool;
using smt::Term;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string named(const Pool& pool, std::span<const smt::Assigned> witness) {
  std::string out;
  for (const smt::Assigned& a : witness)
    out +=
        fmt::format("{}{}={}", out.empty() ? "" : ", ", pool.name(a.variable), shown_word(uint32_t(a.value)));
  return out;
}

/// Answers questions about the library.
class LibraryAsker final : public Asker {
 public:
  using Asker::Asker;

 private:
  void equality(const Question& q, Finding& out) override { equality(*q.operation, out); }
  void law(const Question& q, Finding& out) override { law(*q.operation, q.operation->laws[q.index], out); }
  void denial(const Question& q, Finding& out) override {
    denial(*q.operation, q.operation->denied[q.index], out);
  }
  void row(const Question& q, Finding& out) override {
    row(*q.operation, q.operation->identities[q.index], out);
  }

  static bool take(const Pool& pool, solver::Proof proof, Finding& out) {
    const std::string witness = named(pool, proof.witness);
    return Asker::take(std::move(proof), witness, out);
  }

  bool encodings(Finding& out) {
    if (const auto& checked = encodings_checked(); !checked) out.note = checked.error();
    return out.note.empty();
  }

  void equality(const ops::Operation& operation, Finding& out) {
    out.subject = text(Subject::Composition);
    Pool pool;
    const auto operands = operands_of(pool, operation);
    const auto definition = define(pool, operation, operands);
    if (!definition) return loop_equality(operation, definition.error(), out);
    const auto composition = compose(pool, operation, operands);
    if (!composition) {
      out.note = composition.error();
      return;
    }
    if (const auto checked = definition_checked(operation); !checked) {
      out.note = checked.error();
      return;
    }
    if (!encodings(out)) return;
    if (take(pool, prover_.prove(pool, pool.eq(*composition, *definition), operands), out)) return;
    exhaust_equality(operation, out);
  }

  /// An operation that no formula defines: its composition against its reference function, on values.
  void loop_equality(const ops::Operation& operation, const std::string& why, Finding& out) {
    exhaust_equality(operation, out);
    if (out.grade != Grade::Exhausted) return;
    out.note = why;
    auto derived = derive_equality(prover_, operation);
    if (!derived || derived->proof.outcome != solver::Outcome::Proved) return;
    out.note =
        std::exchange(out.evidence, fmt::format("derived({}; from {})", derived->theorem, derived->from));
    out.grade = Grade::Derived;
    out.proof = std::move(derived->proof);
  }
  void exhaust_equality(const ops::Operation& operation, Finding& out) {
    const auto same = composition_agrees(operation);
    if (!same) {
      out.grade = Grade::Refuted;
      out.evidence = same.error();
      return;
    }
    out.grade = Grade::Exhausted;
    out.evidence = *same;
  }

  void law(const ops::Operation& operation, const spec::Law& law, Finding& out) {
    const auto bound = algebra::bind(law, operation, options_.lookup);
    if (!bound) {
      out.note = "it does not apply: " + bound.error();
      return;
    }
    Pool names;
    for (size_t i = 0; i < bound->variables.size(); ++i)
      names.variable(std::string(1, char('a' + i)), 32);  // in the order in which prove_law() makes them
    if (take(names, prove_law(prover_, *bound, Subject::Spec), out)) {
      if (out.grade == Grade::Refuted) out.note = "the other engines: " + engines(operation, law);
      return;
    }
    if (const auto derived = derive(prover_, *bound); derived) {
      if (derived->proof.outcome == solver::Outcome::Proved) {
        out.grade = Grade::Derived;
        out.subject = text(Subject::Composition);
        out.evidence = fmt::format("derived({}; from {})", derived->theorem, derived->from);
        out.proof = derived->proof;
        return;
      }
      if (!derived->proof.reason.empty()) out.note = derived->proof.reason;
    }
    if (options_.laws_only) return;
    exhaust(operation, law, out);
  }

  /// What the engines that run a law say of it: their grade.
  std::string engines(const ops::Operation& operation, const spec::Law& law) {
    algebra::SpecEvaluator evaluator;
    const auto found = algebra::check_law(law, operation, evaluator, engine_options(), options_.lookup);
    if (!found) return found.error().message;
    return found->grade.empty() ? found->reason : found->grade;
  }
  algebra::EngineOptions engine_options() const {
    algebra::EngineOptions out;
    out.witnessed = options_.witnessed;
    out.seed = options_.seed;
    out.stop = options_.stop;
    return out;
  }
  void exhaust(const ops::Operation& operation, const spec::Law& law, Finding& out) {
    algebra::SpecEvaluator evaluator;
    out.take(algebra::check_law(law, operation, evaluator, engine_options(), options_.lookup));
  }

  /// The witness is run by the reference functions, and put into the formula where there is one.
  void denial(const ops::Operation& operation, const spec::Denial& denial, Finding& out) {
    algebra::SpecEvaluator evaluator;
    const auto found = algebra::check_denial(denial, operation, evaluator, options_.lookup);
    if (!found) {
      out.note = found.error().message;
      return;
    }
    if (found->outcome != algebra::Outcome::Refuted) {
      out.note = found->reason.empty() ? "it holds at the witness" : found->reason;
      return;
    }
    const auto bound = algebra::bind(denial.law, operation, options_.lookup);
    Pool pool;
    const auto said = bound ? claim(pool, *bound, Subject::Spec) : std::unexpected(bound.error());
    if (said) {
      std::vector<smt::Assigned> values;
      for (size_t i = 0; i < said->variables.size(); ++i)
        values.push_back({said->variables[i], denial.witness[i]});
      if (smt::evaluate(pool, said->holds, values) != 0) {
        out.note = "the formula holds at the witness, and the reference functions do not";
        return;
      }
      out.proof.statement = smt::statement_digest(pool, pool.not_(said->holds));
    }
    out.grade = Grade::Refuted;
    out.evidence = found->grade;
  }

  void row(const ops::Operation& operation, const ops::ForAllRow& row, Finding& out) {
    Pool pool;
    const auto x = pool.variable("x", 32);
    std::vector<Term> operands;
    for (const auto& operand : row.operands) operands.push_back(operand ? pool.constant(32, *operand) : x);
    const auto value = define(pool, operation, operands);
    if (!value) {
      out.note = value.error();
      return run_row(operation, row, out);
    }
    if (const auto checked = definition_checked(operation); !checked) {
      out.note = checked.error();
      return;
    }
    const Term expected = row.expected ? pool.constant(32, *row.expected) : x;
    const std::array variables = {x};
    if (take(pool, prover_.prove(pool, pool.eq(*value, expected), variables), out)) return;
    run_row(operation, row, out);
  }
  void run_row(const ops::Operation& operation, const ops::ForAllRow& row, Finding& out) {
    if (const auto x = row_fails(operation, row); x) {
      out.grade = Grade::Refuted;
      out.evidence = fmt::format("refuted(x={}; as found)", shown_word(*x));
      return;
    }
    out.grade = Grade::Exhausted;
    out.evidence = "exhausted(u16)";
  }
};

bool is_encoded_operation(const ops::Operation& operation) {
  return is_encoded(operation.signature.output) &&
         std::ranges::all_of(operation.signature.inputs, [](spec::DataType t) { return is_encoded(t); });
}

std::vector<Question> questions_of(std::span<const ops::Operation* const> operations, bool laws_only) {
  std::vector<Question> out;
  for (const ops::Operation* operation : operations) {
    const auto& [laws, denied, rows] = std::tie(operation->laws, operation->denied, operation->identities);
    if (!laws_only && operation->compose != nullptr)
      out.push_back({operation, Declared::Equality, 0, "composition = definition"});
    for (size_t i = 0; i < laws.size(); ++i)
      out.push_back({operation, Declared::Law, i, spec::to_string(laws[i])});
    if (laws_only) continue;
    for (size_t i = 0; i < denied.size(); ++i)
      out.push_back({operation, Declared::Denial, i, "not " + spec::to_string(denied[i].law)});
    for (size_t i = 0; i < rows.size(); ++i) out.push_back({operation, Declared::Row, i, shown_row(rows[i])});
  }
  return out;
}

}  // namespace

std::string_view text(Grade grade) {
  switch (grade) {
    case Grade::Proved: return "proved";
    case Grade::Derived: return "derived";
    case Grade::Exhausted: return "exhausted";
    case Grade::Refuted: return "refuted";
    case Grade::Open: return "open";
  }
  std::unreachable();
}

std::string_view text(Declared declared) {
  switch (declared) {
    case Declared::Equality: return "equality";
    case Declared::Law: return "law";
    case Declared::Denial: return "denial";
    case Declared::Row: return "row";
  }
  std::unreachable();
}

void Finding::take(const Result<algebra::LawVerdict>& found) {
  if (!found) {
    note = found.error().message;
    return;
  }
  switch (found->outcome) {
    case algebra::Outcome::Verified: grade = Grade::Exhausted; break;
    case algebra::Outcome::Refuted: grade = Grade::Refuted; break;
    case algebra::Outcome::NotApplicable:
    case algebra::Outcome::NotVerified: note = found->reason; return;
  }
  evidence = found->grade;
}

bool Finding::good() const {
  if (declared == Declared::Denial) return grade == Grade::Refuted;
  return grade == Grade::Proved || grade == Grade::Derived || grade == Grade::Exhausted;
}

std::string Coverage::text() const { return declared == 0 ? "n/a" : fmt::format("{}/{}", hit, declared); }

void CoverageParts::add(const CoverageParts& other) {
  for (const auto part :
       {&CoverageParts::laws, &CoverageParts::rows, &CoverageParts::classes, &CoverageParts::boundaries}) {
    (this->*part).hit += (other.*part).hit;
    (this->*part).declared += (other.*part).declared;
  }
}

Coverage CoverageParts::smallest() const {
  Coverage out;
  for (const Coverage& part : {laws, rows, classes, boundaries}) {
    if (part.declared == 0) continue;
    if (out.declared == 0 || part.hit * out.declared < out.hit * part.declared) out = part;
  }
  return out;
}

size_t ProveReport::count(Grade grade) const {
  return size_t(std::ranges::count(findings, grade, &Finding::grade));
}
bool ProveReport::good() const { return std::ranges::all_of(findings, &Finding::good); }

void cover_laws(ProveReport& report) {
  for (OperationCoverage& c : report.coverage) {
    for (const Finding& f : report.findings) {
      if (f.operation != c.operation) continue;
      const bool hit =
          f.declared == Declared::Denial ? f.good() : f.grade == Grade::Proved || f.grade == Grade::Derived;
      switch (f.declared) {
        case Declared::Equality: continue;
        case Declared::Law:
        case Declared::Denial: ++c.parts.laws.declared, c.parts.laws.hit += hit; break;
        case Declared::Row: ++c.parts.rows.declared, c.parts.rows.hit += hit; break;
      }
    }
    report.total.add(c.parts);
  }
}

ProveReport prove(std::span<const ops::Operation* const> operations, const ProveOptions& options) {
  const auto begin = Clock::now();
  ProveReport out;
  std::vector<const ops::Operation*> asked;
  for (const ops::Operation* operation : operations)
    (is_encoded_operation(*operation) ? asked : out.skipped).push_back(operation);
  if (const auto& checked = encodings_checked(); checked) out.encodings = *checked;

  const std::vector<Question> questions = questions_of(asked, options.laws_only);
  ask_all(questions, options, [&] { return std::make_unique<LibraryAsker>(options); }, out);
  for (const ops::Operation* operation : asked)
    out.coverage.push_back({operation, values_covered(*operation)});
  cover_laws(out);
  out.seconds = since(begin);
  return out;
}

}  // namespace vyre::symbolic
