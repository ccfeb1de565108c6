#include "algebra/planted_law.h"

#include <algorithm>
#include <bit>
#include <deque>

#include "algebra/order.h"
#include "ops/float_reference.h"
#include "spec/ops.h"

namespace vyre::algebra {
namespace {

using ir::Ex;
using ir::FunctionBuilder;
using spec::DataType;

// The operations of the planted-false laws, as plain functions; their compositions stand beside them in
// make_operations().
uint32_t add(uint32_t a, uint32_t b) { return a + b; }
uint32_t sub(uint32_t a, uint32_t b) { return a - b; }
uint32_t mul(uint32_t a, uint32_t b) { return a * b; }
uint32_t bit_and(uint32_t a, uint32_t b) { return a & b; }
uint32_t bit_not(uint32_t a) { return ~a; }
uint32_t negate(uint32_t a) { return 0u - a; }
uint32_t successor(uint32_t a) { return a + 1; }
uint32_t same(uint32_t a) { return a; }
using Single = host_float::F32;
uint32_t float_sub(uint32_t a, uint32_t b) { return Single::pattern(Single::value(a) - Single::value(b)); }
uint32_t float_neg(uint32_t a) { return a ^ 0x80000000u; }

using Compose = Ex (*)(FunctionBuilder&, std::span<const Ex>);

ops::Operation operation(std::string_view id, size_t arity, std::string_view summary,
                         ops::Reference reference, Compose compose, DataType type = DataType::U32) {
  ops::Operation out;
  out.id = id;
  out.signature.inputs.assign(arity, type);
  out.signature.output = type;
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
      operation(
          "twin.float_sub", 2, "a - b of f32", ops::reference_of<float_sub>,
          [](FunctionBuilder& f, Parameters p) { return f.apply(spec::Op::FSub, p); }, DataType::F32),
      operation(
          "twin.float_neg", 1, "-a of f32", ops::reference_of<float_neg>,
          [](FunctionBuilder& f, Parameters p) { return f.apply(spec::Op::FNeg, p); }, DataType::F32),
  };
}

constexpr uint64_t kWords = uint64_t{1} << 32;
constexpr uint64_t kSubsets = 6561;  // 3^8: pairs of sets of 8 things, one a subset of the other

/// a + (b + b) = a + b
Ex twice_is_once(FunctionBuilder& f, std::span<const Ex> p) {
  const Ex twice = f.let("twice", f.call("twin.add", {p[1], p[1]}));
  return f.call("twin.add", {p[0], twice}) == f.call("twin.add", {p[0], p[1]});
}

struct PlantedLibrary {
  std::deque<ir::Function> bodies;
  spec::OpTable table;
};

PlantedLibrary make_library() {
  PlantedLibrary library;
  for (const ops::Operation& op : planted_operations()) {
    FunctionBuilder f{std::string(op.id)};
    std::vector<Ex> parameters;
    for (size_t k = 0; k < op.parameter_names.size(); ++k)
      parameters.push_back(f.parameter(op.parameter_names[k], op.signature.inputs[k]));
    const Ex result = op.compose(f, parameters);
    const ir::Function& body = library.bodies.emplace_back(f.finish(result, op.signature.output));
    library.table.add({std::string(op.id), op.version, op.signature, op.category, &body});
  }
  return library;
}

constexpr uint64_t kNans = (uint64_t{1} << 24) - 2;  // of f32
constexpr int64_t kInfinity = 0x7f800000;            // and the rank of its infinity

/// How many words are below a float.
uint64_t words_below(uint32_t b) {
  if (!has_order(b, DataType::F32)) return 0;
  const int64_t r = rank(b, DataType::F32);
  return uint64_t(r > 0 ? kInfinity + 2 + (r - 1) : kInfinity + r);  // both zeros have rank 0
}

#define VYRE_PLANTED_LAW(...) +1
#define VYRE_PLANTED_FLOAT_LAW(...)
constexpr size_t kPlantedLaws = 0
#include "algebra/planted_law.def"
    ;
#undef VYRE_PLANTED_LAW
#undef VYRE_PLANTED_FLOAT_LAW
static_assert(kPlantedLaws == spec::kLaws.size(), "a law of laws.def has no false one in planted_law.def");

std::vector<PlantedLaw> make_planted_laws() {
  namespace laws = spec::laws;
  constexpr uint64_t k1 = 256, k2 = k1 * k1;
  using Others = std::span<const uint32_t>;
  using Walked = uint64_t (*)(Others);
  const auto instances = [](size_t variables) { return uint64_t{1} << (8 * variables); };
  std::vector<PlantedLaw> out;
  const auto add = [&](std::string_view id, spec::Law law, uint64_t failures, size_t walker, Walked walked,
                       std::string_view proof, std::vector<uint32_t> smallest,
                       uint64_t pattern_failures = 0) {
    out.push_back({find_planted_operation(id, 1), std::move(law), instances(smallest.size()), failures,
                   std::move(smallest), proof, walker, walked, pattern_failures});
  };
#define VYRE_PLANTED_LAW(operation, law, failures, walker, walked, proof, ...) \
  add("twin." #operation, laws::law, failures, walker,                         \
      [](Others x [[maybe_unused]]) -> uint64_t { return walked; }, proof, {__VA_ARGS__});
#define VYRE_PLANTED_FLOAT_LAW(operation, law, failures, pattern_failures, walker, walked, proof, ...) \
  add(                                                                                                 \
      "twin." #operation, laws::law, failures, walker,                                                 \
      [](Others x [[maybe_unused]]) -> uint64_t { return walked; }, proof, {__VA_ARGS__}, pattern_failures);
#include "algebra/planted_law.def"
#undef VYRE_PLANTED_LAW
#undef VYRE_PLANTED_FLOAT_LAW
  return out;
}

}  // namespace

const std::vector<ops::Operation>& planted_operations() {
  static const std::vector<ops::Operation> operations = make_operations();
  return operations;
}

const ops::Operation* find_planted_operation(std::string_view id, uint32_t version) {
  const auto& all = planted_operations();
  const auto it =
      std::ranges::find_if(all, [&](const auto& o) { return o.id == id && o.version == version; });
  return it == all.end() ? nullptr : &*it;
}

const spec::OpTable& planted_table() {
  static const PlantedLibrary library = make_library();
  return library.table;
}

const std::vector<PlantedLaw>& planted_laws() {
  static const std::vector<PlantedLaw> all = make_planted_laws();
  return all;
}

bool PlantedLaw::of_floats() const { return spec::kFloats.contains(operation->signature.inputs[0]); }

std::span<const PlantedLaw> integer_planted_laws() {
  return std::span(planted_laws())
      .first(size_t(std::ranges::find_if(planted_laws(), &PlantedLaw::of_floats) - planted_laws().begin()));
}
std::span<const PlantedLaw> float_planted_laws() {
  return std::span(planted_laws()).subspan(integer_planted_laws().size());
}

Result<std::vector<PlantedVerdict>> check_planted_laws(Evaluator& evaluator,
                                                       std::span<const PlantedLaw> which) {
  EngineOptions options;
  options.edge256 = false;
  options.witnessed = 0;
  std::vector<PlantedVerdict> out;
  for (const PlantedLaw& planted : which) {
    VYRE_TRY(verdict, check_law(planted.law, *planted.operation, evaluator, options, find_planted_operation));
    const bool refuted = verdict.outcome == Outcome::Refuted && verdict.engines.size() == 1;
    const bool caught = refuted && verdict.engines[0].instances == planted.instances &&
                        verdict.engines[0].failures == planted.failures &&
                        verdict.counterexample->values == planted.smallest &&
                        verdict.counterexample->smallest != planted.of_floats();
    out.push_back({&planted, std::move(verdict), caught});
  }
  return out;
}

}  // namespace vyre::algebra
