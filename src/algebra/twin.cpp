#include "algebra/twin.h"

#include <algorithm>
#include <deque>

namespace vyre::algebra {
namespace {

using ir::Ex;
using ir::FunctionBuilder;
using spec::DataType;

// The operations of the twins, as plain functions; their compositions stand beside them in make_operations().
uint32_t add(uint32_t a, uint32_t b) { return a + b; }
uint32_t sub(uint32_t a, uint32_t b) { return a - b; }
uint32_t mul(uint32_t a, uint32_t b) { return a * b; }
uint32_t bit_and(uint32_t a, uint32_t b) { return a & b; }
uint32_t bit_not(uint32_t a) { return ~a; }
uint32_t negate(uint32_t a) { return 0u - a; }
uint32_t successor(uint32_t a) { return a + 1; }
uint32_t same(uint32_t a) { return a; }

using Compose = Ex (*)(FunctionBuilder&, std::span<const Ex>);

ops::Operation operation(std::string_view id, size_t arity, std::string_view summary,
                         ops::Reference reference, Compose compose) {
  ops::Operation out;
  out.id = id;
  out.signature.inputs.assign(arity, DataType::U32);
  out.summary = summary;
  out.parameter_names = {"a", "b"};
  out.parameter_names.resize(arity);
  out.reference = reference;
  out.compose = compose;
  return out;
}

std::vector<ops::Operation> make_operations() {
  using Parameters = std::span<const Ex>;
  return {
      operation("twin.add", 2, "a + b", ops::reference_of<add>,
                [](FunctionBuilder&, Parameters p) { return p[0] + p[1]; }),
      operation("twin.sub", 2, "a - b", ops::reference_of<sub>,
                [](FunctionBuilder&, Parameters p) { return p[0] - p[1]; }),
      operation("twin.mul", 2, "a * b", ops::reference_of<mul>,
                [](FunctionBuilder&, Parameters p) { return p[0] * p[1]; }),
      operation("twin.and", 2, "a & b", ops::reference_of<bit_and>,
                [](FunctionBuilder&, Parameters p) { return p[0] & p[1]; }),
      operation("twin.not", 1, "~a", ops::reference_of<bit_not>,
                [](FunctionBuilder&, Parameters p) { return ~p[0]; }),
      operation("twin.negate", 1, "-a", ops::reference_of<negate>,
                [](FunctionBuilder&, Parameters p) { return -p[0]; }),
      operation("twin.successor", 1, "a + 1", ops::reference_of<successor>,
                [](FunctionBuilder&, Parameters p) { return p[0] + 1; }),
      operation("twin.same", 1, "a", ops::reference_of<same>,
                [](FunctionBuilder&, Parameters p) { return p[0]; }),
  };
}

constexpr uint64_t kWords = uint64_t{1} << 32;

struct TwinLibrary {
  std::deque<ir::Function> bodies;
  spec::OpTable table;
};

TwinLibrary make_library() {
  TwinLibrary library;
  for (const ops::Operation& op : twin_operations()) {
    FunctionBuilder f{std::string(op.id)};
    std::vector<Ex> parameters;
    for (const std::string_view name : op.parameter_names)
      parameters.push_back(f.parameter(name, DataType::U32));
    const Ex result = op.compose(f, parameters);
    const ir::Function& body = library.bodies.emplace_back(f.finish(result, DataType::U32));
    library.table.add({std::string(op.id), op.version, op.signature, op.category, &body});
  }
  return library;
}

std::vector<Twin> make_twins() {
  namespace laws = spec::laws;
  const auto op = [](std::string_view id) { return find_twin_operation(id, 1); };
  constexpr uint64_t k1 = 256, k2 = k1 * k1, k3 = k2 * k1;
  using Others = std::span<const uint32_t>;
  return {
      {op("twin.sub"),
       laws::commutative(),
       k2,
       k2 - k1,
       {0, 1},
       "a - b = b - a only where 2a = 2b: over u8 where a = b, full-width also where they are 2^31 apart",
       0,
       [](Others) { return kWords - 2; }},
      {op("twin.sub"),
       laws::associative(),
       k3,
       k2 * 255,
       {0, 0, 1},
       "(a - b) - c = a - (b - c) only where 2c = 0: over u8 where c = 0, full-width also at 2^31",
       2,
       [](Others) { return kWords - 2; }},
      {op("twin.sub"),
       laws::identity(0),
       k1,
       255,
       {1},
       "0 - a = a only where 2a = 0: over u8 where a = 0, full-width also at 2^31",
       0,
       [](Others) { return kWords - 2; }},
      {op("twin.add"),
       laws::self_inverse(0),
       k1,
       255,
       {1},
       "a + a = 0 over u8 only for a = 0, full-width also for 2^31",
       0,
       [](Others) { return kWords - 2; }},
      {op("twin.add"),
       laws::idempotent(),
       k1,
       255,
       {1},
       "a + a = a only for a = 0",
       0,
       [](Others) { return kWords - 1; }},
      {op("twin.mul"),
       laws::absorbing(1),
       k1,
       255,
       {0},
       "a * 1 = 1 only for a = 1",
       0,
       [](Others) { return kWords - 1; }},
      {op("twin.successor"),
       laws::involution(),
       k1,
       256,
       {0},
       "a + 2 = a never",
       0,
       [](Others) { return kWords; }},
      {op("twin.not"),
       laws::de_morgan("twin.and", "twin.and"),
       k2,
       k2 - k1,
       {0, 1},
       "~(a & b) = ~a | ~b, which is ~a & ~b only where a = b",
       0,
       [](Others) { return kWords - 1; }},
      {op("twin.negate"),
       laws::monotone(),
       k2,
       255 * 254 / 2,
       {1, 2},
       "-0 = 0 is below all; for 0 < a < b the order of -a and -b is reversed: b - 1 values of a",
       0,
       [](Others x) { return uint64_t{x[1] == 0 ? 0 : x[1] - 1}; }},
      {op("twin.same"),
       laws::bounded(0, 254),
       k1,
       1,
       {255},
       "only the words above 254 are: over u8 one",
       0,
       [](Others) { return kWords - 255; }},
      {op("twin.same"),
       laws::complement("twin.not", 0xfffffffe),
       k1,
       256,
       {0},
       "a + ~a = 0xffffffff always",
       0,
       [](Others) { return kWords; }},
      {op("twin.sub"),
       laws::distributive_over("twin.add"),
       k3,
       255 * k2,
       {1, 0, 0},
       "a - (b + c) = (a - b) + (a - c) only where a = 0",
       0,
       [](Others) { return kWords - 1; }},
  };
}

}  // namespace

const std::vector<ops::Operation>& twin_operations() {
  static const std::vector<ops::Operation> operations = make_operations();
  return operations;
}

const ops::Operation* find_twin_operation(std::string_view id, uint32_t version) {
  const auto& all = twin_operations();
  const auto it =
      std::ranges::find_if(all, [&](const auto& o) { return o.id == id && o.version == version; });
  return it == all.end() ? nullptr : &*it;
}

const spec::OpTable& twin_table() {
  static const TwinLibrary library = make_library();
  return library.table;
}

const std::vector<Twin>& twins() {
  static const std::vector<Twin> all = make_twins();
  return all;
}

Result<std::vector<TwinVerdict>> check_twins(Evaluator& evaluator) {
  EngineOptions options;
  options.edge256 = false;
  options.witnessed = 0;
  std::vector<TwinVerdict> out;
  for (const Twin& twin : twins()) {
    VYRE_TRY(verdict, check_law(twin.law, *twin.operation, evaluator, options, find_twin_operation));
    const bool refuted = verdict.outcome == Outcome::Refuted && verdict.engines.size() == 1;
    const bool caught = refuted && verdict.engines[0].instances == twin.instances &&
                        verdict.engines[0].failures == twin.failures &&
                        verdict.counterexample->values == twin.smallest && verdict.counterexample->smallest;
    out.push_back({&twin, std::move(verdict), caught});
  }
  return out;
}

}  // namespace vyre::algebra
