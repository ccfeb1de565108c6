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

std::vector<PlantedLaw> make_planted_laws() {
  namespace laws = spec::laws;
  const auto op = [](std::string_view id) { return find_planted_operation(id, 1); };
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
      {op("twin.successor"),
       laws::projection(),
       k1,
       256,
       {0},
       "a + 2 = a + 1 never",
       0,
       [](Others) { return kWords; }},
      {op("twin.same"),
       laws::round_trip("twin.successor"),
       k1,
       256,
       {0},
       "a + 1 = a never",
       0,
       [](Others) { return kWords; }},
      {op("twin.sub"),
       laws::left_identity(0),
       k1,
       255,
       {1},
       "0 - a = a only where 2a = 0: over u8 where a = 0, full-width also at 2^31",
       0,
       [](Others) { return kWords - 2; }},
      {op("twin.mul"),
       laws::right_identity(2),
       k1,
       255,
       {1},
       "2a = a only for a = 0",
       0,
       [](Others) { return kWords - 1; }},
      {op("twin.mul"),
       laws::left_absorbing(1),
       k1,
       255,
       {0},
       "1 * a = 1 only for a = 1",
       0,
       [](Others) { return kWords - 1; }},
      {op("twin.sub"),
       laws::right_absorbing(0),
       k1,
       255,
       {1},
       "a - 0 = 0 only for a = 0",
       0,
       [](Others) { return kWords - 1; }},
      {op("twin.add"),
       laws::inverse_of("twin.add"),
       k2,
       k2 - k1,
       {0, 1},
       "(a + b) + b = a only where 2b = 0: over u8 where b = 0, full-width also at 2^31",
       1,
       [](Others) { return kWords - 2; }},
      {op("twin.same"),
       laws::antitone(),
       k2,
       256 * 255 / 2,
       {0, 1},
       "a <= b and b <= a only where a = b: every pair with a < b fails",
       0,
       [](Others x) { return uint64_t{x[1]}; }},
      {op("twin.and"),
       laws::lattice_absorption("twin.and"),
       k2,
       k2 - kSubsets,
       {1, 0},
       "a & (a & b) = a only where every bit of a is in b: 3 of 4 choices for each of 8 bits",
       1,
       [](Others x) { return kWords - (uint64_t{1} << (32 - std::popcount(x[0]))); }},
      {op("twin.sub"),
       laws::trichotomy(),
       k2,
       k2 - k1,
       {0, 1},
       "where a and b differ, a - b and b - a are both not zero; where they are equal both are",
       0,
       [](Others) { return kWords - 1; }},
      {op("twin.and"),
       laws::zero_product(),
       k2,
       kSubsets - (2 * k1 - 1),
       {1, 2},
       "a & b = 0 for 3 of 4 choices for each of 8 bits, of which 511 have a zero operand",
       1,
       [](Others x) { return x[0] == 0 ? 0 : (uint64_t{1} << (32 - std::popcount(x[0]))) - 1; }},
      {op("twin.sub"),
       laws::transitive(),
       k3,
       k2 - k1,
       {0, 1, 0},
       "that words differ is not transitive: it fails where a and c are equal and b is another",
       2,
       [](Others x) { return uint64_t{x[0] != x[1]}; }},
      {op("twin.sub"),
       laws::converse("twin.add"),
       k2,
       k2 - k1,
       {0, 1},
       "a - b = b + a only where 2b = 0: over u8 where b = 0, full-width also at 2^31",
       1,
       [](Others) { return kWords - 2; }},
      {op("twin.add"),
       laws::custom("twice_is_once", 2, twice_is_once),
       k2,
       k2 - k1,
       {0, 1},
       "a + (b + b) = a + b only where b = 0",
       1,
       [](Others) { return kWords - 1; }},
      {op("twin.successor"),
       laws::odd("twin.negate"),
       k1,
       256,
       {0},
       "-a + 1 = -(a + 1) never: they are 2 apart",
       0,
       [](Others) { return kWords; }},
      {op("twin.same"),
       laws::even("twin.negate"),
       k1,
       255,
       {1},
       "-a = a only where 2a = 0: over u8 where a = 0, full-width also at 2^31",
       0,
       [](Others) { return kWords - 2; }},
      // Of the 256 values of e5m2, 6 are NaN, 2 infinite and 2 zero.
      {op("twin.float_sub"),
       laws::commutative(),
       k2,
       k2 - (k2 - 250 * 250) - 2 - 248,
       {0, 1},
       "a - b = b - a where one is NaN, of equal infinities (NaN) and of equal finite patterns (+0); the two "
       "zeros give +0 and -0, and what differs is never flushed to zero",
       0,
       [](Others x) { return has_order(x[1], DataType::F32) ? kWords - kNans - 1 : 0; },
       k2 - k1},
      {op("twin.float_neg"),
       laws::monotone(),
       k2,
       250 * 249 / 2 - 1,
       {0, 1},
       "negation turns the order of every two numbers but the zeros, which are equal in it",
       0,
       [](Others x) { return words_below(x[1]); },
       k1 * (k1 - 1) / 2},
  };
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
