#include "verify/file_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>

#include "algebra/engine.h"
#include "algebra/tuples.h"
#include "verify/algebraic.h"
#include "verify/examine.h"
#include "verify/families.h"
#include "verify/leaves.h"
#include "verify/parity.h"

namespace vyre::verify {
namespace {

using algebra::FileLaw;
using algebra::FileOperation;
using algebra::FileOperations;
using ref::Bits;
using spec::DataType;

constexpr uint64_t kWideInstances = 1 << 18;  // of a law whose values are wider than a word

size_t words_of(std::span<const DataType> types) {
  size_t out = 0;
  for (const DataType type : types) out += spec::value_words(type);
  return out;
}

/// The words of a value, least significant first.
void put(Bits value, std::span<uint32_t> out) {
  for (uint32_t& word : out) word = uint32_t(value), value >>= 32;
}
Bits get(std::span<const uint32_t> words) {
  Bits out = 0;
  for (size_t k = words.size(); k-- > 0;) out = out << 32 | words[k];
  return out;
}

/// What an operation gives on columns, by its body.
class Expected {
 public:
  Expected(const FileOperations& file, const FileOperation& operation)
      : types_(operation.operation.signature.inputs),
        words_(spec::value_words(operation.operation.signature.output)),
        applied_(file.module(), *operation.def) {}

  void operator()(std::span<const uint32_t* const> columns, std::span<uint32_t> out) const {
    std::vector<Bits> operands(types_.size());
    for (size_t i = 0; i < out.size() / words_; ++i) {
      size_t column = 0;
      for (size_t k = 0; k < types_.size(); ++k) {
        std::array<uint32_t, 4> words{};
        for (size_t w = 0; w < spec::value_words(types_[k]); ++w) words[w] = columns[column++][i];
        operands[k] = algebra::bits_of(words);
      }
      const auto result = applied_(operands, ref::kMaxRowSteps);
      if (!result) late_ = true;
      put(result.value_or(0), out.subspan(i * words_, words_));
    }
  }
  /// Whether a case took too many steps: then nothing was judged by it.
  bool late() const { return late_; }

 private:
  std::vector<DataType> types_;
  size_t words_;
  ref::Applied applied_;
  mutable std::atomic<bool> late_ = false;
};

void append(std::vector<uint32_t>& words, const ir::Value& value) {
  words.insert(words.end(), value.bits.begin(), value.bits.begin() + spec::value_words(value.type));
}

class FileCheck {
 public:
  FileCheck(backend::Backend& backend, const FileOperations& file, const FileOperation& operation,
            const OperationPlan& plan, uint64_t seed, const Monitor& monitor, Verdict& verdict)
      : backend_(backend),
        file_(file),
        operation_(operation),
        plan_(plan),
        seed_(seed),
        monitor_(monitor),
        verdict_(verdict),
        expected_(file, operation.judged == nullptr ? operation : *operation.judged) {
    const auto& types = operation_.operation.signature.inputs;
    subject_.name = verdict.subject;
    subject_.application = application_of(operation_.applied);
    subject_.oracle = Oracle::ReferenceInterpreter;
    subject_.expected = [this](std::span<const uint32_t* const> columns, std::span<uint32_t> out) {
      expected_(columns, out);
    };
    const bool rounded =
        std::ranges::any_of(types, [](DataType type) { return spec::kFloats.contains(type); });
    subject_.cases = [name = subject_.name, types, recipe = rounded ? Recipe::Rounded : Recipe::Bits](
                         generate::Strategy strategy, uint64_t seed_of_cases) {
      return ValueCases(name, types, strategy, seed_of_cases, recipe);
    };
    // What an alternative judges has its rows, too.
    for (const FileOperation* one : {&operation_, operation_.judged}) {
      if (one == nullptr) continue;
      for (const ir::Row& row : one->text->rows) {
        TableRow& out = subject_.rows.emplace_back();
        for (const ir::Value& value : row.operands) append(out.operands, value);
        append(out.expected, row.expected);
        out.rationale = out.source = fmt::format("a row of {}", one->operation.id);
      }
    }
  }

  Result<void> run() {
    VYRE_CHECK(backend_.restart());
    VYRE_TRY(pipelines,
             make_pipelines(backend_, subject_, workgroups_of(backend_), seed_, verdict_, file_.table()));
    const Digest digest = pipelines.all[0]->digest();
    verdict_.pipeline = digest.hex().substr(0, kDigestDigits);
    device_ = fmt::format("device({}, {})", digest.short_hex(), backend_.identity().driver);
    {
      Examiner examiner(backend_, subject_, pipelines.all, seed_, monitor_, verdict_);
      const auto ranges = plan_cases(subject_, seed_, plan_.parity_cases, plan_.strategy_cap, false);
      VYRE_CHECK(check_parity(subject_, examiner, ranges, seed_, monitor_, verdict_));
      const Repetition repetition = repetition_of(subject_, plan_.repeated_evaluations);
      VYRE_CHECK(check_determinism(subject_, examiner, uint32_t(pipelines.all.size()), repetition, seed_,
                                   monitor_, verdict_));
    }
    pipelines.account(verdict_);
    if (expected_.late()) {
      return std::unexpected(make_diag(DiagCode::B005, operation_.text->span,
                                       "a case takes too many steps on the reference interpreter",
                                       "an operation whose steps depend on its operands has to bound them"));
    }
    return laws();
  }

 private:
  Result<void> laws() {
    DeviceEvaluator evaluator(backend_, file_.table(), seed_, monitor_, verdict_);
    Result<void> done;
    for (const FileLaw& law : operation_.claims) {
      if (!done || monitor_.stopped()) break;
      LawVerdict& out = verdict_.laws.emplace_back(LawVerdict{law.statement, true, {}});
      done = law.is_of_words() ? words_law(law, evaluator, out) : wide_law(law, out);
    }
    for (const algebra::FileDenial& denial : operation_.denials) {
      if (!done || monitor_.stopped()) break;
      LawVerdict& out = verdict_.laws.emplace_back(LawVerdict{denial.law.statement, false, {}});
      done = denied(denial, out);
    }
    evaluator.account();
    return done;
  }

  Result<void> words_law(const FileLaw& law, DeviceEvaluator& evaluator, LawVerdict& out) {
    algebra::EngineOptions options;
    options.exhaustive_u16 = 1;
    options.witnessed = plan_.witnessed;
    options.seed = seed_;
    options.stop = monitor_.stop;
    VYRE_TRY(found, algebra::check_law(law.law, *law.f, evaluator, options, file_.lookup()));
    uint64_t instances = 0;
    for (const algebra::EngineResult& engine : found.engines) instances += engine.instances;
    out.evidence.push_back(
        {device_, found.grade.empty() ? "none: " + found.reason : found.grade, instances, found.holds()});
    if (found.counterexample)
      failed(law, true, found.counterexample->values,
             found.counterexample->smallest ? Minimality::Smallest : Minimality::Shrunk);
    return {};
  }

  /// Values wider than a word: edge values with each other, and values at random.
  Result<void> wide_law(const FileLaw& law, LawVerdict& out) {
    const algebra::Tuples tuples(law.variables, seed_);
    const uint64_t n = tuples.grid() + kWideInstances;
    std::vector<algebra::Values> variables(law.variables.size(), algebra::Values(n));
    std::vector<Bits> tuple(law.variables.size());
    for (uint64_t i = 0; i < n; ++i) {
      tuples.at(i, tuple);
      for (size_t k = 0; k < tuple.size(); ++k) variables[k][i] = tuple[k];
    }
    VYRE_TRY(truth, on_device(law, variables));
    const auto first = std::ranges::find(truth, uint8_t{0});
    const bool right = first == truth.end();
    out.evidence.push_back(
        {device_,
         fmt::format("witnessed({} edge tuples and {} at random, {})", tuples.grid(), kWideInstances, seed_),
         n, right});
    if (right) return {};
    std::vector<uint32_t> words;
    for (size_t k = 0; k < variables.size(); ++k)
      append_value(words, variables[k][size_t(first - truth.begin())], law.variables[k]);
    failed(law, true, words, Minimality::Found);
    return {};
  }

  Result<void> denied(const algebra::FileDenial& denial, LawVerdict& out) {
    std::vector<algebra::Values> variables;
    for (const Bits value : denial.witness) variables.push_back({value});
    VYRE_TRY(truth, on_device(denial.law, variables));
    const bool refuted = truth.front() == 0;
    std::vector<uint32_t> words;
    for (size_t k = 0; k < denial.witness.size(); ++k)
      append_value(words, denial.witness[k], denial.law.variables[k]);
    out.evidence.push_back({device_,
                            fmt::format("refuted({})", algebra::shown(denial.witness, denial.law.variables)),
                            1, refuted});
    if (!refuted) failed(denial.law, false, words, Minimality::Found);
    return {};
  }

  Result<std::vector<uint8_t>> on_device(const FileLaw& law, std::span<const algebra::Values> variables) {
    std::optional<Diag> error;
    const auto truth =
        algebra::holds(law, variables,
                       [&](const ops::Operation& operation, std::span<const algebra::Values* const> inputs,
                           algebra::Values& out) {
                         const auto done = apply(operation, inputs, out);
                         if (!done) error = done.error();
                         return done.has_value();
                       });
    if (!truth) return std::unexpected(std::move(*error));
    return *truth;
  }

  Result<void> apply(const ops::Operation& operation, std::span<const algebra::Values* const> inputs,
                     algebra::Values& out) {
    auto& pipeline = pipelines_[{operation.id, operation.version}];
    if (!pipeline) {
      VYRE_TRY(made, Elementwise::make(backend_, application_of(operation), file_.table()));
      pipeline = std::move(made);
    }
    const auto& types = operation.signature.inputs;
    Columns columns(words_of(types), out.size());
    const size_t words = spec::value_words(operation.signature.output);
    std::vector<uint32_t> operands(words_of(types)), results(out.size() * words);
    for (size_t i = 0; i < out.size(); ++i) {
      size_t at = 0;
      for (size_t k = 0; k < types.size(); ++k) {
        const size_t each = spec::value_words(types[k]);
        put((*inputs[k])[i], std::span(operands).subspan(at, each));
        at += each;
      }
      columns.set(i, operands);
    }
    uint64_t broken = 0;
    VYRE_CHECK(apply_in_parts(*pipeline, columns.readable(), results,
                              poison_for(operation.signature.output, {}, seed_, ++applications_), broken));
    for (size_t i = 0; i < out.size(); ++i) out[i] = get(std::span(results).subspan(i * words, words));
    return {};
  }

  static void append_value(std::vector<uint32_t>& words, Bits value, DataType type) {
    words.resize(words.size() + spec::value_words(type));
    put(value, std::span(words).last(spec::value_words(type)));
  }
  void failed(const FileLaw& law, bool claimed, std::vector<uint32_t> input, Minimality minimality) {
    Failure failure;
    failure.check = Check::Law;
    failure.fault = Fault::Law;
    algebra::Values values;
    for (size_t at = 0; const DataType type : law.variables) {
      values.push_back(get(std::span(input).subspan(at, spec::value_words(type))));
      at += spec::value_words(type);
    }
    if (claimed && algebra::FileDefinition(file_).holds(law, values) == std::optional(false)) {
      failure.fault = Fault::FalseClaim;
      failure.note = "refuted by the definition as well: the file is wrong here, and the backend is not";
    }
    failure.oracle = law.statement;
    failure.minimality = minimality;
    failure.input = std::move(input);
    add_failure(verdict_, std::move(failure));
  }

  backend::Backend& backend_;
  const FileOperations& file_;
  const FileOperation& operation_;
  const OperationPlan& plan_;
  const uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  const Expected expected_;
  Subject subject_;
  std::string device_;
  std::map<std::pair<std::string_view, uint32_t>, std::unique_ptr<Elementwise>> pipelines_;
  uint64_t applications_ = 0;
};

}  // namespace

Verdict check_file_operation(backend::Backend& backend, const FileOperations& file,
                             const FileOperation& operation, const OperationPlan& plan, uint64_t seed,
                             const Monitor& monitor) {
  Verdict verdict;
  verdict.kind = SubjectKind::Operation;
  verdict.subject = subject_of(operation.operation.id, operation.operation.version);
  verdict.track = track_of(operation.operation);
  const size_t operands = operation.operation.signature.inputs.size();
  const size_t most = std::ranges::all_of(operation.operation.signature.inputs, generate::is_word)
                          ? generate::kMaxOperands
                          : kMaxInputs;
  if (operands > most) {
    verdict.error = fmt::format("{} operands: there are cases of {} at most", operands, most);
    return verdict;
  }
  const auto done = FileCheck(backend, file, operation, plan, seed, monitor, verdict).run();
  if (!done) verdict.error = fmt::format("{}: {}", diag_info(done.error().code).name, done.error().message);
  return verdict;
}

}  // namespace vyre::verify
