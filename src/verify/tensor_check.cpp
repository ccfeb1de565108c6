#include "verify/tensor_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "verify/culprit.h"
#include "verify/leaves.h"
#include "verify/parity.h"
#include "verify/section.h"
#include "wire/wire.h"

namespace vyre::verify {
namespace {

constexpr Oracle kOracle = Oracle::ReferenceInterpreter;
constexpr uint64_t kShrunkFailures = 2;  // of a unit
constexpr uint64_t kInputsAGraph = 4;

/// Graphs of a quick run, on the integer and the float track. Compiling takes the time, so there are more
/// where more can be wrong: lists of shapes are gone through by both tracks together.
constexpr std::array<uint64_t, 2> graphs_of(ir::TensorOp op) {
  using ir::TensorOp;
  switch (op) {
    case TensorOp::Value: return {12, 12};
    case TensorOp::Matmul: return {7, 17};
    case TensorOp::Reduce:
    case TensorOp::Scan: return {7, 12};
    case TensorOp::Index: return {6, 0};  // it gives u32 alone
    case TensorOp::Transpose:
    case TensorOp::Slice:
    case TensorOp::Broadcast:
    case TensorOp::Reshape:
    case TensorOp::Concat:
    case TensorOp::Pad:
    case TensorOp::Gather:
    case TensorOp::ScatterAdd:
    case TensorOp::Sort: return {6, 6};
    case TensorOp::Recur:
    case TensorOp::Argsort:
    case TensorOp::TopK:
    case TensorOp::ArgTopK: return {4, 4};
  }
  return {};
}
constexpr std::array<uint64_t, 2> kRandomGraphs = {6, 6};

std::vector<TensorSubject> make_subjects() {
  std::vector<TensorSubject> out;
  const auto add = [&](std::string_view name, std::optional<ir::TensorOp> op, uint64_t inputs,
                       const std::array<uint64_t, 2>& graphs) {
    for (const Track track : {Track::Integer, Track::Float}) {
      const uint64_t of_track = graphs[size_t(track)];
      if (of_track != 0) out.push_back({fmt::format("tensor.{}", name), op, track, of_track, inputs});
    }
  };
  for (const ir::TensorOpInfo& info : ir::kTensorOps) {
    const bool elementwise = info.op == ir::TensorOp::Value;
    add(elementwise ? "elementwise" : info.text, info.op, elementwise ? 1 : kInputsAGraph,
        graphs_of(info.op));
  }
  add("generated", std::nullopt, 1, kRandomGraphs);
  return out;
}

/// The judging of one unit under way.
class UnitCheck {
 public:
  UnitCheck(backend::Backend& backend, const TensorSubject& subject, const TensorPlan& plan, uint64_t seed,
            const Monitor& monitor, Verdict& verdict)
      : backend_(backend),
        subject_(subject),
        seed_(seed),
        monitor_(monitor),
        verdict_(verdict),
        judge_(backend, plan.lower) {}

  Result<void> run(uint64_t first, uint64_t end, uint64_t unit) {
    VYRE_CHECK(backend_.restart());
    LeafWriter leaves(verdict_, kOracle, unit);
    Result<void> done;
    for (uint64_t number = first; number < end && done && !monitor_.stopped(); ++number)
      done = one(number, leaves);
    verdict_.dispatches += judge_.dispatches;
    verdict_.canaries += judge_.guard_words;
    verdict_.canaries_broken += judge_.broken;
    return done;
  }

 private:
  Result<void> one(uint64_t number, LeafWriter& leaves) {
    const TensorCase c = make_tensor_case(subject_, seed_, number);
    Bytes left;
    auto judged = judge_.judge(c, &left);
    monitor_.done(2);
    std::optional<TensorFault> fault;
    const bool answered = judged.has_value();
    if (answered) {
      fault = std::move(*judged);
    } else {
      if (!backend_.isolated() || !is_of_a_case(judged.error())) return std::unexpected(judged.error());
      fault.emplace(text_of(judged.error()));
      VYRE_CHECK(restart());
    }
    Tally& all = oracle_cases(verdict_, kOracle).tally;
    add(all, {0, 1, fault.has_value()});
    const bool again = !fault || !fault->differs_from_itself;
    add(verdict_.determinism, {0, 1, !again});
    leaves.add(text(subject_.track), {1, 1, fault.has_value()}, left);
    if (!fault) return {};
    const Token token{subject_.name(), std::string(text(subject_.track)), seed_, number, {}};
    list_failing(verdict_, fmt::format("{}:{}", token.subject, token.strategy), number, 1);
    return report(c, *fault, token, answered ? Fault::WrongValue : fault_of(judged.error()));
  }

  Result<void> restart() {
    judge_.forget();
    return backend_.restart();
  }

  Result<void> report(const TensorCase& c, const TensorFault& fault, const Token& token, Fault kind) {
    ++verdict_.failure_count;
    if (shrunk_ == kShrunkFailures) return {};
    Failure failure{.check = Check::Parity, .oracle = std::string(text(kOracle)), .token = print(token)};
    failure.fault = fault.differs_from_itself ? Fault::Flaky : kind;
    TensorCase smallest = c;
    TensorFault shown = fault;
    if (failure.fault == Fault::WrongValue) {
      ++shrunk_;
      smallest = judge_.shrink(c);
      const auto found = judge_.judge(smallest);
      if (found && *found) {
        shown = **found;
        failure.minimality = Minimality::Shrunk;
      } else {
        smallest = c;
      }
    }
    failure.note = fmt::format("found with {}\n", c.what) + describe_failure(judge_, smallest, shown);
    keep(verdict_, std::move(failure));
    return backend_.isolated() ? restart() : Result<void>();
  }

  backend::Backend& backend_;
  const TensorSubject& subject_;
  const uint64_t seed_;
  const Monitor& monitor_;
  Verdict& verdict_;
  TensorJudge judge_;
  uint64_t shrunk_ = 0;
};

}  // namespace

std::span<const TensorSubject> tensor_subjects() {
  static const std::vector<TensorSubject> all = make_subjects();
  return all;
}

const TensorSubject* find_tensor_subject(std::string_view name, Track track) {
  for (const TensorSubject& subject : tensor_subjects())
    if (subject.track == track && subject.name() == name) return &subject;
  return nullptr;
}

const TensorSubject* tensor_subject_of(const Token& token) {
  const auto track = std::ranges::find(kTrackNames, token.strategy);
  return track == kTrackNames.end() ? nullptr
                                    : find_tensor_subject(token.subject, Track(track - kTrackNames.begin()));
}

TensorPlan tensor_plan(Strength strength) {
  switch (strength) {
    case Strength::Quick: return {1};
    case Strength::Standard: return {3};
    case Strength::Full: return {40};
  }
  return {};
}

size_t tensor_units(const TensorSubject& subject, const TensorPlan& plan) {
  return size_t((plan.cases(subject) + kTensorCasesAUnit - 1) / kTensorCasesAUnit);
}

std::string tensor_digest(const TensorSubject& subject, uint64_t seed, uint64_t cases) {
  Hasher out;
  for (uint64_t number = 0; number < cases; ++number) {
    const TensorCase c = make_tensor_case(subject, seed, number);
    out.update(wire::encode(c.graph.module));
    for (const Bytes& input : c.graph.inputs) out.update(input);
  }
  return out.finish().hex().substr(0, kDigestDigits);
}

std::string describe_failure(TensorJudge& judge, const TensorCase& smallest, const TensorFault& fault) {
  std::string out = fault.what + "\n";
  if (const std::string culprit = judge.culprit(smallest); !culprit.empty())
    out += fmt::format("operation: {}\n", culprit);
  return out + generate::describe(smallest.graph);
}

Verdict check_tensor_unit(backend::Backend& backend, const TensorSubject& subject, const TensorPlan& plan,
                          size_t unit, uint64_t seed, const Monitor& monitor) {
  Verdict verdict;
  verdict.kind = subject.kind();
  verdict.subject = subject.name();
  verdict.track = subject.track;
  const uint64_t all = plan.cases(subject), first = unit * kTensorCasesAUnit;
  verdict.pipeline = tensor_digest(subject, seed, all);
  const uint64_t end = std::min(first + kTensorCasesAUnit, all);
  oracle_cases(verdict, kOracle).tally.planned = end - first;
  verdict.determinism.planned = end - first;
  UnitCheck check(backend, subject, plan, seed, monitor, verdict);
  if (const auto done = check.run(first, end, unit); !done) verdict.error = text_of(done.error());
  return verdict;
}

}  // namespace vyre::verify
