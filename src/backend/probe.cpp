#include "backend/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "backend/probe_contexts.h"
#include "lower/fast_forms.h"
#include "lower/kernel.h"
#include "spec/ops.h"

namespace vyre::backend::probe {
namespace {

using lower::FloatPromises;
using lower::RawOp;

constexpr size_t kProbeRows = 1024;
/// Contexts of a program: enough to share its loads and its compilation, few enough that programs compile
/// side by side.
constexpr size_t kProgramContexts = 24;
constexpr size_t kProgramFunctions = 6;  // each is as long as a few of the others

/// Some contexts that are one program.
struct Part {
  std::span<const Context> contexts;
  check::Checked program;
  std::vector<uint32_t> right = {};  // what the reference gives
};

/// What a part gave, both times.
struct Answers {
  std::vector<uint32_t> first, second;
  bool steady() const { return first == second; }
};

Result<std::vector<uint32_t>> run(Pipeline& pipeline, Rows rows) {
  std::vector<uint32_t> results(rows.count(), 0xdeadbeef);
  const auto bytes = [](std::vector<uint32_t>& words) { return std::as_writable_bytes(std::span(words)); };
  std::vector<uint32_t> same = {rows.same};
  const std::span<std::byte> buffers[] = {bytes(rows.a), bytes(rows.b), bytes(rows.c), bytes(same),
                                          bytes(results)};
  VYRE_CHECK(pipeline.dispatch(buffers, {uint32_t(rows.count() / kWorkgroup), 1, 1}));
  return results;
}

/// Parts of at most so many contexts, with their right answers.
Result<std::vector<Part>> make_parts(std::span<const Context> contexts, size_t most, const Rows& rows) {
  const auto reference = make_reference();
  std::vector<Part> parts;
  for (size_t first = 0; first < contexts.size(); first += most) {
    const auto some = contexts.subspan(first, std::min(most, contexts.size() - first));
    Part& part = parts.emplace_back(Part{some, make_program(some)});
    VYRE_TRY(pipeline, reference->compile(part.program));
    VYRE_TRY(right, run(*pipeline, rows));
    part.right = std::move(right);
  }
  return parts;
}

Result<std::vector<Answers>> ask(std::span<const Part> parts, const Rows& rows, const FloatPromises& promises,
                                 const Compile& compile) {
  std::vector<const check::Checked*> programs;
  for (const Part& part : parts) programs.push_back(&part.program);
  std::vector<Answers> out;
  for (auto& pipeline : compile(programs, promises)) {
    if (!pipeline) return std::unexpected(pipeline.error());
    VYRE_TRY(first, run(**pipeline, rows));
    VYRE_TRY(second, run(**pipeline, rows));
    out.push_back({std::move(first), std::move(second)});
  }
  return out;
}

/// The float instructions that a program has under some promises.
std::set<RawOp> float_operators(const check::Checked& program, const FloatPromises& promises) {
  lower::Target target = lower::kLlvmTarget;
  target.floats = promises;
  const lower::Kernel kernel = lower::legalize(lower::build(program), target);
  std::set<RawOp> out;
  for (const lower::Inst& inst : kernel.insts) {
    if (inst.kind == lower::InstKind::Raw && info(inst.raw).is_float) out.insert(inst.raw);
  }
  return out;
}

std::string list(const std::set<RawOp>& operators) {
  std::string out;
  for (const RawOp op : operators) out += fmt::format("{}{}", out.empty() ? "" : " ", info(op).mnemonic);
  return out;
}

std::string where(const Part& part, const Rows& rows, const std::vector<uint32_t>& answers) {
  const size_t row = size_t(std::ranges::mismatch(answers, part.right).in1 - answers.begin());
  return fmt::format("{}{}, a = {:08x}, b = {:08x}, c = {:08x}", part.contexts.front(),
                     part.contexts.size() == 1 ? "" : " and others", rows.a[row], rows.b[row], rows.c[row]);
}

/// A context, or the contexts of a program, that went wrong, and the instructions in it.
struct Failure {
  std::set<RawOp> operators;
  std::string where;
};

/// Each context of a part that is wrong by itself; the whole part when none is.
Result<std::vector<Failure>> find_failures(const Part& part, const Answers& answers, const Rows& rows,
                                           const FloatPromises& promises, const Compile& compile) {
  VYRE_TRY(singles, make_parts(part.contexts, 1, rows));
  VYRE_TRY(again, ask(singles, rows, promises, compile));
  std::vector<Failure> out;
  for (size_t i = 0; i < singles.size(); ++i) {
    if (again[i].first == singles[i].right) continue;
    out.push_back({float_operators(singles[i].program, promises), where(singles[i], rows, again[i].first)});
  }
  if (out.empty()) {
    out.push_back({float_operators(part.program, promises), where(part, rows, answers.first)});
  }
  return out;
}

/// Takes back the instructions of the failures that have the fewest: those of larger ones may be blameless.
/// So is the comparison that makes NaNs canonical wherever a result is stored, unless it is alone. False when
/// no failure has any.
bool demote(std::vector<Failure> failures, Verdict& verdict) {
  std::erase_if(failures, [](const Failure& f) { return f.operators.empty(); });
  if (failures.empty()) return false;
  const size_t fewest =
      std::ranges::min(failures, {}, [](const Failure& f) { return f.operators.size(); }).operators.size();
  for (Failure& failure : failures) {
    if (failure.operators.size() != fewest) continue;
    if (fewest > 1) failure.operators.erase(RawOp::FEq);
    const bool done =
        std::ranges::none_of(failure.operators, [&](RawOp op) { return verdict.kept[op].given; });
    if (done) continue;
    for (const RawOp op : failure.operators) verdict.kept[op] = {};
    verdict.findings.push_back(fmt::format("{} wrong: {}", list(failure.operators), failure.where));
  }
  return true;
}

}  // namespace

Result<Verdict> probe(const FloatPromises& promised, const Compile& compile) {
  const Rows rows = make_rows(kProbeRows);
  VYRE_TRY(parts, make_parts(contexts(), kProgramContexts, rows));
  if (lower::has_fast_form(spec::Op::FExp, promised)) {
    VYRE_TRY(functions, make_parts(function_contexts(), kProgramFunctions, rows));
    std::ranges::move(functions, std::back_inserter(parts));
  }
  Verdict verdict{.kept = promised};
  for (;;) {  // each round but the last takes something back
    VYRE_TRY(answers, ask(parts, rows, verdict.kept, compile));
    std::vector<Failure> failures;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!answers[i].steady()) {
        verdict.findings.push_back(
            "two runs differ: " +
            where(parts[i], rows, answers[i].first == parts[i].right ? answers[i].second : answers[i].first));
        verdict.kept = lower::kNoFloats;
        verdict.steady = false;
        return verdict;
      }
      if (answers[i].first == parts[i].right) continue;
      VYRE_TRY(found, find_failures(parts[i], answers[i], rows, verdict.kept, compile));
      failures.insert(failures.end(), found.begin(), found.end());
    }
    // What is wrong without float instructions is no matter of floats: parity tests are for that.
    if (failures.empty() || !demote(std::move(failures), verdict)) return verdict;
  }
}

}  // namespace vyre::backend::probe
