#include "verify/device_values.h"

#include <fmt/format.h>

#include <deque>
#include <map>

#include "ops/registry.h"
#include "verify/culprit.h"
#include "verify/formula.h"
#include "verify/leaves.h"
#include "verify/parity.h"
#include "verify/token.h"

namespace vyre::verify {
namespace {

using algebra::BoundLaw;

struct Formulas {
  std::deque<ir::Function> bodies;
  std::deque<ops::Operation> operations;  // the formulas, as laws speak of operations
  std::deque<std::string> ids;
  std::deque<spec::Law> statements;
  std::map<const ops::Operation*, std::expected<BoundLaw, std::string>> laws;
  spec::OpTable table;
};

/// f(a, b) = definition(a, b)
std::shared_ptr<const ir::Function> statement_of(const ops::Operation& f, const ops::Operation& formula) {
  ir::FunctionBuilder p("is_its_formula");
  std::vector<ir::Ex> operands;
  for (size_t k = 0; k < f.signature.inputs.size(); ++k)
    operands.push_back(p.parameter(f.parameter_names[k], f.signature.inputs[k]));
  const ir::Ex same = p.call(f.id, operands, f.version) == p.call(formula.id, operands, formula.version);
  return std::make_shared<const ir::Function>(p.finish(same, spec::DataType::U32));
}

Formulas make_formulas() {
  Formulas out;
  for (const spec::OpDef* def : ops::op_table().all()) out.table.add(*def);
  for (const ops::Operation& f : ops::all_operations()) {
    auto body = formula_of(f);
    if (!body) {
      out.laws.emplace(&f, std::unexpected(body.error()));
      continue;
    }
    const std::string& id = out.ids.emplace_back(formula_id(f));
    out.table.add(
        {id, f.version, f.signature, spec::Category::A, &out.bodies.emplace_back(std::move(*body))});
    ops::Operation& formula = out.operations.emplace_back();
    formula.id = id;
    formula.version = f.version;
    formula.signature = f.signature;
    formula.parameter_names = f.parameter_names;
    formula.reference = f.reference;  // which samples are held to
    const spec::Law& law = out.statements.emplace_back(spec::Law{
        spec::LawKind::Custom, uint32_t(f.signature.inputs.size()), 0, {}, "is_its_formula", nullptr});
    out.laws.emplace(
        &f, BoundLaw{
                &law, &f, {&f, &formula}, f.signature.inputs, spec::DataType::U32, statement_of(f, formula)});
  }
  return out;
}

const Formulas& formulas() {
  static const Formulas all = make_formulas();
  return all;
}

// Compilers simplify formulas, as they may, so there is no saying what must be left of one. Operands of both
// sides are opaque operands (device_laws_program.h), so that neither can become the other.
const Inspection kNotInspected{Inspected::NotInspected, "formulas are simplified"};

Result<DeviceLawVerdict> swept(backend::Backend& backend, const BoundLaw& bound, uint64_t cases,
                               uint64_t seed, const Monitor& monitor) {
  VYRE_TRY(law, DeviceLaw::make(backend, bound, value_table()));
  return sweep_law_on_device(*law, {}, cases, seed, monitor, kNotInspected);
}

std::string token_of(const ops::Operation& operation, const std::vector<uint32_t>& operands) {
  return print(Token{subject_of(operation.id, operation.version), "operands", 0, 0, operands});
}

Failure failure_of(const ops::Operation& operation, const Diag& died) {
  Failure out;
  out.oracle = text(Oracle::Law);
  out.fault = fault_of(died);
  out.input.resize(operation.signature.inputs.size());
  out.note = "its formula, on the device, at no case of it: " + died.message;
  out.token = token_of(operation, out.input);
  return out;
}

Failure failure_of(const ops::Operation& operation, const DeviceLawVerdict& found) {
  Failure out;
  out.oracle = text(Oracle::Law);
  out.note = fmt::format("its formula, on the device: {} of {} cases differ", found.counts.failures,
                         found.counts.instances);
  if (const std::string doubt = found.counts.doubt(); !doubt.empty()) {
    out.note = "its formula, on the device: " + doubt;
    out.fault = Fault::Law;
  }
  // Replay wants operands: those of a wrong sample, or zeros where nothing was run.
  out.input = found.counterexample.value_or(found.counts.wrong_values);
  out.input.resize(operation.signature.inputs.size());
  if (found.counterexample) {
    out.minimality = Minimality::Shrunk;
    out.expected = {operation.reference(out.input.data())};
  }
  out.token = token_of(operation, out.input);
  return out;
}

}  // namespace

const spec::OpTable& value_table() { return formulas().table; }

std::expected<const BoundLaw*, std::string> value_law(const ops::Operation& operation) {
  const auto found = formulas().laws.find(&operation);
  if (found == formulas().laws.end()) return std::unexpected("it is not of the library");
  if (!found->second) return std::unexpected(found->second.error());
  return &*found->second;
}

Result<void> check_values(backend::Backend& backend, const ops::Operation& operation, uint64_t cases,
                          uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  const auto bound = value_law(operation);
  if (!bound || cases == 0) return {};
  const uint64_t units = (cases + kValueCases - 1) / kValueCases;
  auto found = swept(backend, **bound, units * kValueCases, seed, monitor);
  if (monitor.stopped()) return {};
  if (!found && !(backend.isolated() && is_of_a_case(found.error()))) return std::unexpected(found.error());
  ++verdict.dispatches;  // of a sweep, however many slices it was cut into
  Tally tally{.planned = units};
  if (!found) {
    // It died, hung or was lost: at which case, a sweep does not say.
    tally.failed = 1;
    add_failure(verdict, failure_of(operation, found.error()));
    VYRE_CHECK(backend.restart());
  } else {
    tally.completed = units;
    if (!found->evidence.holds) {
      // At least one; which of the units they are in does not come back.
      tally.failed = std::min(units, std::max<uint64_t>(1, found->counts.failures));
      add_failure(verdict, failure_of(operation, *found));
    }
  }
  Tally& sum = oracle_cases(verdict, Oracle::Law).tally;
  sum.planned += tally.planned;
  sum.completed += tally.completed;
  sum.failed += tally.failed;
  LeafWriter(verdict, Oracle::Law).add("device", tally);
  return {};
}

}  // namespace vyre::verify
