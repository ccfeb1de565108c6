#include "symbolic/prove_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <set>

#include "algebra/engine.h"
#include "algebra/tuples.h"
#include "generate/cases.h"
#include "ref/rows.h"
#include "symbolic/asking.h"
#include "symbolic/candidates.h"
#include "symbolic/encodings.h"
#include "symbolic/functions.h"
#include "symbolic/laws.h"
#include "symbolic/operators.h"

namespace vyre::symbolic {
namespace {

using algebra::Column;
using algebra::FileDefinition;
using algebra::FileDenial;
using algebra::FileLaw;
using algebra::FileOperation;
using algebra::FileOperations;
using algebra::Tuples;
using ref::Bits;
using smt::Pool;
using smt::Term;
using spec::DataType;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kRandom = 100'000;     // tuples at random, where tuples have to say it
constexpr uint64_t kFormulaTuples = 512;  // on which a formula has to be its operation

/// Why a solver cannot be asked of an operation: a type of its signature. Empty: it can.
std::string unencoded(const ops::Operation& operation) {
  std::vector<DataType> types(operation.signature.inputs.begin(), operation.signature.inputs.end());
  types.push_back(operation.signature.output);
  for (const DataType type : types) {
    if (!is_encoded(type))
      return fmt::format("{} has values of {}, which are not encoded for the solver", operation.id,
                         spec::text(type));
  }
  return {};
}

/// A variable of the type, as a value: a bool is a truth value, so that there are two of it.
Term variable_of(Pool& pool, size_t i, DataType type, std::vector<Term>& variables) {
  variables.push_back(
      pool.variable(std::string(1, char('a' + i)), type == DataType::Bool ? 0 : width_of(type)));
  return type == DataType::Bool ? pool.word(variables.back(), 32) : variables.back();
}

std::expected<Term, std::string> body_of(Pool& pool, const FileOperations& file,
                                         const ops::Operation& operation, std::span<const Term> operands) {
  const spec::OpDef& def = file.def(operation);
  return execute(pool, *def.body, file.module().ops(), operands);
}

/// A law whose values have several widths. A number is as wide as what it meets.
class FileTerms final : public LawTerms {
 public:
  FileTerms(Pool& pool, const FileLaw& law, std::span<const Term> variables, Meaning meaning)
      : LawTerms(pool, variables, 32, std::move(meaning)), pool_(pool), law_(law) {}

  Column constant(uint32_t value) override {
    const Column out = keep(pool_.constant(smt::kMaxWidth, algebra::constant_of(law_, value)));
    numbers_.insert(out.index);
    return out;
  }
  Column apply(const ops::Operation& operation, std::span<const Column> inputs) override {
    std::vector<Column> operands;
    for (size_t i = 0; i < inputs.size(); ++i)
      operands.push_back(as(inputs[i], width_of(operation.signature.inputs[i])));
    return LawTerms::apply(operation, operands);
  }
  Column operate(spec::Op op, std::span<const Column> inputs) override {
    uint32_t width = 32;
    for (const Column input : inputs) {
      if (!numbers_.contains(input.index)) width = std::max(width, pool_.width(term(input)));
    }
    std::vector<Term> operands;
    for (const Column input : inputs) operands.push_back(pool_.resize(term(input), width));
    return keep(encode(pool_, op,
                       width == 32   ? DataType::U32
                       : width == 64 ? DataType::U64
                                     : DataType::U128,
                       operands));
  }
  void require_equal(Column a, Column b, DataType type) override {
    LawTerms::require_equal(as(a, width_of(type)), as(b, width_of(type)), type);
  }
  void require_ordered(Column a, Column b, DataType type) override {
    LawTerms::require_ordered(as(a, width_of(type)), as(b, width_of(type)), type);
  }

 private:
  Column as(Column c, uint32_t width) {
    return pool_.width(term(c)) == width ? c : keep(pool_.resize(term(c), width));
  }

  Pool& pool_;
  const FileLaw& law_;
  std::set<uint32_t> numbers_;  // the columns that are numbers of the statement
};

/// The first type without an encoding among those of a law.
std::expected<Claim, std::string> claim(Pool& pool, const FileOperations& file, const FileLaw& law) {
  std::vector<const ops::Operation*> all = law.others;
  all.push_back(law.f);
  for (const ops::Operation* operation : all) {
    if (std::string why = unencoded(*operation); !why.empty()) return std::unexpected(std::move(why));
  }
  Claim out;
  std::vector<Term> words;
  for (size_t i = 0; i < law.variables.size(); ++i)
    words.push_back(variable_of(pool, i, law.variables[i], out.variables));
  FileTerms terms(pool, law, words,
                  [&file](Pool& p, const ops::Operation& operation, std::span<const Term> operands) {
                    return body_of(p, file, operation, operands);
                  });
  algebra::state(law, terms);
  const auto holds = terms.holds();
  if (!holds) return std::unexpected(holds.error());
  out.holds = *holds;
  return out;
}

std::vector<Bits> values_of(std::span<const smt::Assigned> witness) {
  std::vector<Bits> out;
  for (const smt::Assigned& a : witness) out.push_back(a.value);
  return out;
}

/// What was asked once about the file, for all threads.
struct Asked {
  const FileOperations& file;
  const ProveOptions& options;
  mutable std::mutex mutex;
  mutable std::map<const ops::Operation*, std::string>
      formulas;  // why a formula is not its operation; "": it is
};

class FileAsker final : public Asker {
 public:
  explicit FileAsker(const Asked& asked)
      : Asker(asked.options),
        asked_(asked),
        file_(asked.file),
        definition_(file_),
        compositions_(file_.table()) {}

 private:
  const FileOperation& operation_of(const Question& q) const { return *file_.all()[q.place]; }
  void equality(const Question& q, Finding& out) override { equality(operation_of(q), out); }
  void law(const Question& q, Finding& out) override { law(operation_of(q).claims[q.index], out); }
  void denial(const Question& q, Finding& out) override { denial(operation_of(q).denials[q.index], out); }
  void row(const Question&, Finding&) override {}  // run_rows() runs them

  /// Why formulas of these operations say nothing about them; "": they do.
  std::string unchecked(std::span<const ops::Operation* const> operations) {
    if (const auto& checked = encodings_checked(); !checked) return checked.error();
    for (const ops::Operation* operation : operations) {
      const std::lock_guard lock(asked_.mutex);
      const auto [known, fresh] = asked_.formulas.try_emplace(operation);
      if (fresh) known->second = differs_from_formula(*operation);
      if (!known->second.empty()) return known->second;
    }
    return {};
  }

  std::string differs_from_formula(const ops::Operation& operation) {
    Pool pool;
    std::vector<Term> variables, operands;
    const auto& types = operation.signature.inputs;
    for (size_t i = 0; i < types.size(); ++i) operands.push_back(variable_of(pool, i, types[i], variables));
    const auto formula = body_of(pool, file_, operation, operands);
    if (!formula) return formula.error();
    const Tuples tuples(types, options_.seed);
    std::vector<Bits> values(types.size());
    std::vector<smt::Assigned> assigned(types.size());
    for (uint64_t k = 0; k < kFormulaTuples; ++k) {
      // Half of them in even steps through the edges, half at random.
      tuples.at(k % 2 == 0 ? k * tuples.grid() / kFormulaTuples : tuples.grid() + k, values);
      for (size_t i = 0; i < values.size(); ++i) assigned[i] = {variables[i], values[i]};
      const auto result = definition_(operation, values);
      if (!result) return fmt::format("{} takes too many steps", operation.id);
      if (smt::evaluate(pool, *formula, assigned) == *result) continue;
      return fmt::format("the formula of {} is not what it computes on {}: a fault of vyre", operation.id,
                         algebra::shown(values, types));
    }
    return {};
  }

  /// Takes a solver's answer, where the definition confirms what it refutes; whether it was one.
  bool take(solver::Proof proof, std::span<const DataType> types,
            const std::function<std::optional<bool>(std::span<const Bits>)>& holds, Finding& out) {
    const std::vector<Bits> values = values_of(proof.witness);
    if (proof.outcome == solver::Outcome::Refuted) {
      const auto truth = holds(values);
      if (!truth || *truth) {
        proof.outcome = solver::Outcome::Open;
        proof.reason = truth ? "the counterexample is one of the formula and not of the operation"
                             : "the counterexample takes too many steps";
      }
    }
    return Asker::take(std::move(proof), algebra::shown(values, types), out);
  }

  /// Whether a solver settled the law.
  bool solve(const FileLaw& law, Finding& out) {
    Pool pool;
    const auto said = claim(pool, file_, law);
    if (!said) {
      out.note = said.error();
      return false;
    }
    std::vector<const ops::Operation*> all = law.others;
    all.push_back(law.f);
    if (out.note = unchecked(all); !out.note.empty()) return false;
    return take(
        prover_.prove(pool, said->holds, said->variables), law.variables,
        [&](std::span<const Bits> values) { return definition_.holds(law, values); }, out);
  }

  void law(const FileLaw& law, Finding& out) {
    if (solve(law, out)) return;
    if (law.is_of_words()) return run_engines(law, out);
    try_tuples(
        law.variables, [&](std::span<const Bits> values) { return definition_.holds(law, values); }, out);
  }

  void run_engines(const FileLaw& law, Finding& out) {
    algebra::EngineOptions engines;
    // The reference interpreter runs them here: a grid of three variables would take minutes.
    engines.exhaustive_u8 = engines.edge256 = law.variables.size() <= 2;
    engines.exhaustive_u16 = 1;
    engines.witnessed = options_.witnessed;
    engines.seed = options_.seed;
    engines.stop = options_.stop;
    out.take(algebra::check_law(law.law, *law.f, compositions_, engines, file_.lookup()));
  }

  void try_tuples(std::span<const DataType> types,
                  const std::function<std::optional<bool>(std::span<const Bits>)>& holds, Finding& out) {
    const Tuples tuples(types, options_.seed);
    std::vector<Bits> values(types.size());
    const uint64_t count = tuples.grid() + kRandom;
    for (uint64_t k = 0; k < count; ++k) {
      if (options_.stop != nullptr && *options_.stop) {
        out.note = "interrupted";
        return;
      }
      tuples.at(k, values);
      const auto truth = holds(values);
      if (!truth) {
        out.note = fmt::format("it takes too many steps on {}", algebra::shown(values, types));
        return;
      }
      if (*truth) continue;
      out.grade = Grade::Refuted;
      out.evidence = fmt::format("refuted({}; as found)", algebra::shown(values, types));
      return;
    }
    out.grade = Grade::Exhausted;
    out.evidence = fmt::format("witnessed({} edge tuples and {} at random, seed {})", tuples.grid(), kRandom,
                               options_.seed);
  }

  void equality(const FileOperation& alternative, Finding& out) {
    const ops::Operation& mine = alternative.operation;
    const ops::Operation& judged = alternative.judged->operation;
    const auto& types = mine.signature.inputs;
    const auto agree = [&](std::span<const Bits> values) -> std::optional<bool> {
      const auto a = definition_(mine, values), b = definition_(judged, values);
      if (!a || !b) return std::nullopt;
      return *a == *b;
    };
    Pool pool;
    std::vector<Term> variables, operands;
    if (out.note = unencoded(mine); out.note.empty()) {
      for (size_t i = 0; i < types.size(); ++i) operands.push_back(variable_of(pool, i, types[i], variables));
      const auto a = body_of(pool, file_, mine, operands), b = body_of(pool, file_, judged, operands);
      const std::array both = {&mine, &judged};
      if (!a || !b) {
        out.note = a ? b.error() : a.error();
      } else if (out.note = unchecked(both); out.note.empty()) {
        if (take(prover_.prove(pool, pool.eq(*a, *b), variables), types, agree, out)) return;
      }
    }
    try_tuples(types, agree, out);
  }

  void denial(const FileDenial& denial, Finding& out) {
    const auto holds = definition_.holds(denial.law, denial.witness);
    const std::string at = algebra::shown(denial.witness, denial.law.variables);
    if (!holds) {
      out.note = "the witness takes too many steps";
    } else if (!*holds) {
      out.grade = Grade::Refuted;
      out.evidence = fmt::format("refuted({})", at);
    } else {
      Finding whole;  // what there is to say instead
      const bool settled = solve(denial.law, whole);
      out.note = fmt::format("it holds at the witness {}", at);
      if (settled) {
        out.note += whole.grade == Grade::Proved ? ", and everywhere: claim it"
                                                 : fmt::format("; {} is one that refutes it", whole.evidence);
      }
    }
  }

  const Asked& asked_;
  const FileOperations& file_;
  FileDefinition definition_;
  algebra::CompositionEvaluator compositions_;
};

std::vector<Question> questions_of(const FileOperations& file, bool laws_only) {
  std::vector<Question> out;
  for (size_t place = 0; place < file.all().size(); ++place) {
    const FileOperation& f = *file.all()[place];
    const auto ask = [&](Declared declared, size_t index, std::string statement, Span span) {
      out.push_back({&f.operation, declared, index, std::move(statement), span, place});
    };
    if (!laws_only && f.judged != nullptr)
      ask(Declared::Equality, 0, fmt::format("equals {}", f.judged->operation.id), f.text->span);
    for (size_t i = 0; i < f.claims.size(); ++i)
      ask(Declared::Law, i, f.claims[i].statement, f.claims[i].span);
    for (size_t i = 0; i < f.denials.size(); ++i)
      ask(Declared::Denial, i, "not " + f.denials[i].law.statement, f.denials[i].span);
  }
  return out;
}

void run_rows(const FileOperations& file, ProveReport& report) {
  for (size_t i = 0; i < file.all().size(); ++i) {
    const FileOperation& operation = *file.all()[i];
    const Diagnostics wrong = ref::check_rows(file.module(), i);
    OperationCoverage& coverage = report.coverage[i];
    const uint64_t right = operation.text->rows.size() - wrong.size();
    coverage.parts.rows = {right, right};  // cover_laws() adds those that have a finding
    for (const Diag& diag : wrong) {
      Finding finding{.operation = &operation.operation,
                      .declared = Declared::Row,
                      .statement = "row",
                      .subject = "spec"};
      finding.grade = Grade::Refuted;
      finding.evidence = "refuted";
      finding.note = diag.message;
      finding.span = diag.span;
      report.findings.push_back(std::move(finding));
    }
  }
}

}  // namespace

ProveReport prove_file(const FileOperations& file, const ProveOptions& options) {
  const auto begin = Clock::now();
  ProveReport out;
  if (const auto& checked = encodings_checked(); checked) out.encodings = *checked;
  const std::vector<Question> questions = questions_of(file, options.laws_only);
  const Asked asked{file, options, {}, {}};
  ask_all(questions, options, [&] { return std::make_unique<FileAsker>(asked); }, out);
  for (const auto& operation : file.all()) out.coverage.push_back({&operation->operation, {}});
  if (!options.laws_only) run_rows(file, out);
  cover_laws(out);
  out.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return out;
}

Suggestions suggest(const FileOperations& file, double seconds, const std::atomic<bool>* stop,
                    const std::function<void(size_t, size_t, const Sentence&)>& progress) {
  Family::Parts parts{.name = "operations of the file", .type = DataType::U32, .bits = 32};
  const auto is_word = [](DataType type) {
    return type == DataType::U32 || type == DataType::I32 || type == DataType::Bool;
  };
  std::set<std::pair<std::string_view, uint32_t>> taken;
  const auto add = [&](const ops::Operation& operation) {
    const bool fits = std::ranges::all_of(operation.signature.inputs, is_word) &&
                      is_word(operation.signature.output) &&
                      operation.signature.inputs.size() <= generate::kMaxOperands && operation.version == 1;
    if (fits && taken.insert({operation.id, operation.version}).second) parts.functions.push_back(operation);
  };
  for (const auto& operation : file.all()) {
    if (operation->judged == nullptr) add(operation->operation);
  }
  const size_t own = parts.functions.size();
  for (const auto& operation : file.all()) {
    for (const FileLaw& law : operation->claims)
      for (const ops::Operation* other : law.others) add(*other);
  }
  for (size_t i = own; i < parts.functions.size(); ++i)
    parts.functions[i].laws.clear(), parts.functions[i].denied.clear();
  parts.meaning = [&file](Pool& pool, const ops::Operation& operation, std::span<const Term> operands) {
    return body_of(pool, file, operation, operands);
  };
  FileDefinition definition(file);
  std::mutex mutex;
  parts.value = [&](const ops::Operation& operation, const uint32_t* operands) {
    const std::lock_guard lock(mutex);
    const std::vector<Bits> values(operands, operands + operation.signature.inputs.size());
    return uint32_t(definition(operation, values).value_or(0));
  };
  std::set<std::string_view> mine;
  for (size_t i = 0; i < own; ++i) mine.insert(parts.functions[i].id);
  const Family family(std::move(parts));

  Suggestions out;
  std::atomic<bool> enough = false;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  ProductOptions options;
  options.prover.limits.seconds = 0.5;
  options.prover.smallest = false;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  options.stop = &enough;
  size_t done = 0, all = 0;
  options.planned = [&](size_t sentences) { all = sentences; };
  options.each = [&](const Sentence& sentence) {
    ++done;
    if (progress) progress(done, all, sentence);
    if (Clock::now() >= end || (stop != nullptr && *stop)) enough = true;
  };
  out.product = cross_product(family, options);
  out.whole = done == all;
  // That a function commutes with itself says nothing of it.
  const auto idle = [&](const Sentence& s) {
    return !mine.contains(s.function) ||
           (s.law.kind == spec::LawKind::Odd && s.law.others.front() == s.function);
  };
  for (auto* sentences : {&out.product.proved, &out.product.open, &out.product.wrong})
    std::erase_if(*sentences, idle);
  return out;
}

}  // namespace vyre::symbolic
