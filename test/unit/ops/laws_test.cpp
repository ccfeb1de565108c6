// The laws that operations claim and deny, against their statements, with the reference functions on the
// host.
//
// The statements are written out again here, as the specification has them, so that this does not lean on the
// engines of algebra/.
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "library.h"
#include "oracle.h"

VYRE_ORACLE(Law, "the statement of the law");

namespace vyre::ops {
namespace {

using spec::Law;
using spec::LawKind;

/// A law with the operations that it names.
struct Bound {
  const Law* law;
  const Operation* f;
  std::vector<const Operation*> others;
};

Bound bind(const Operation& f, const Law& law) {
  Bound bound{&law, &f, {}};
  for (const std::string& id : law.others) bound.others.push_back(find_operation(id));
  return bound;
}

uint32_t apply(const Operation& f, uint32_t a) { return f.reference(&a); }
uint32_t apply(const Operation& f, uint32_t a, uint32_t b) {
  const uint32_t operands[] = {a, b};
  return f.reference(operands);
}

/// The types of the variables; of all operations here, operands have one type.
std::vector<spec::DataType> variables(const Bound& bound) {
  const bool is_custom = bound.law->kind == LawKind::Custom;
  const uint32_t n = is_custom ? bound.law->value : spec::info(bound.law->kind).variables;
  const auto& inputs = bound.f->signature.inputs;
  return std::vector(n == 0 ? inputs.size() : n, inputs[0]);
}

/// A number's value, or NaN; of the two zeros the negative one less. Exact for every type.
double number(uint32_t word, spec::DataType type) {
  if (!spec::kFloats.contains(type)) return word;
  const spec::FloatFormat f = spec::float_format(type);
  const uint32_t exponent = (word & f.infinity()) >> f.fraction_bits, fraction = word & f.fraction_mask();
  double magnitude = std::ldexp(fraction, 1 - f.bias() - int(f.fraction_bits));
  if (exponent != 0)
    magnitude = std::ldexp(f.least_normal() + fraction, int(exponent) - f.bias() - int(f.fraction_bits));
  if (f.is_infinite(word)) magnitude = INFINITY;
  if (f.is_nan(word)) magnitude = NAN;
  return (word & f.sign_bit()) != 0 ? -magnitude : magnitude;
}

/// Equal as laws mean it: the same bits, or two NaNs.
bool same(uint32_t a, uint32_t b, spec::DataType type) {
  return a == b || (std::isnan(number(a, type)) && std::isnan(number(b, type)));
}
/// A law about order is refuted by a below b, and by nothing else.
bool below(uint32_t a, uint32_t b, spec::DataType type) { return number(a, type) < number(b, type); }

/// The predicates of custom laws, written out.
const std::map<std::string, bool (*)(const Operation& f, const uint32_t* v)> kCustom = {
    {"equal_branches",
     [](const Operation& f, const uint32_t* v) {
       const uint32_t operands[] = {v[0], v[1], v[1]};
       return f.reference(operands) == v[1];
     }},
    {"between_bounds",
     [](const Operation& f, const uint32_t* v) {
       const uint32_t clamped = f.reference(v);
       return v[1] > v[2] || (v[1] <= clamped && clamped <= v[2]);
     }},
    {"ones_and_zeros",
     [](const Operation& f, const uint32_t* v) { return apply(f, v[0]) + apply(f, ~v[0]) == 32; }},
    {"counts_ones",
     [](const Operation& f, const uint32_t* v) {
       uint32_t ones = 0;
       for (uint32_t k = 0; k < 32; ++k) ones += v[0] >> k & 1;
       return apply(f, v[0]) == ones;
     }},
};

/// The statement of the law for one choice of its variables.
bool holds(const Bound& bound, const uint32_t* v) {
  const Operation& f = *bound.f;
  const Law& law = *bound.law;
  const spec::DataType in = f.signature.inputs[0], out = f.signature.output;
  const auto equal = [&](uint32_t a, uint32_t b) { return same(a, b, out); };
  switch (law.kind) {
    case LawKind::Commutative: return equal(apply(f, v[0], v[1]), apply(f, v[1], v[0]));
    case LawKind::Associative:
      return equal(apply(f, apply(f, v[0], v[1]), v[2]), apply(f, v[0], apply(f, v[1], v[2])));
    case LawKind::Identity:
      return equal(apply(f, v[0], law.value), v[0]) && equal(apply(f, law.value, v[0]), v[0]);
    case LawKind::SelfInverse: return equal(apply(f, v[0], v[0]), law.value);
    case LawKind::Idempotent: return equal(apply(f, v[0], v[0]), v[0]);
    case LawKind::Absorbing:
      return equal(apply(f, v[0], law.value), law.value) && equal(apply(f, law.value, v[0]), law.value);
    case LawKind::Involution: return equal(apply(f, apply(f, v[0])), v[0]);
    case LawKind::DeMorgan:
      return equal(apply(f, apply(*bound.others[0], v[0], v[1])),
                   apply(*bound.others[1], apply(f, v[0]), apply(f, v[1])));
    case LawKind::Monotone:
      return !(number(v[0], in) <= number(v[1], in)) || !below(apply(f, v[1]), apply(f, v[0]), out);
    case LawKind::Bounded:
      return !below(f.reference(v), law.value, out) && !below(law.high, f.reference(v), out);
    case LawKind::Complement: return f.reference(v) + bound.others[0]->reference(v) == law.value;
    case LawKind::DistributiveOver:
      return equal(apply(f, v[0], apply(*bound.others[0], v[1], v[2])),
                   apply(*bound.others[0], apply(f, v[0], v[1]), apply(f, v[0], v[2])));
    case LawKind::Projection: return equal(apply(f, apply(f, v[0])), apply(f, v[0]));
    case LawKind::RoundTrip: return same(apply(*bound.others[0], apply(f, v[0])), v[0], in);
    case LawKind::LeftIdentity: return equal(apply(f, law.value, v[0]), v[0]);
    case LawKind::RightIdentity: return equal(apply(f, v[0], law.value), v[0]);
    case LawKind::LeftAbsorbing: return equal(apply(f, law.value, v[0]), law.value);
    case LawKind::RightAbsorbing: return equal(apply(f, v[0], law.value), law.value);
    case LawKind::InverseOf: return equal(apply(f, apply(*bound.others[0], v[0], v[1]), v[1]), v[0]);
    case LawKind::Antitone:
      return !(number(v[0], in) <= number(v[1], in)) || !below(apply(f, v[0]), apply(f, v[1]), out);
    case LawKind::LatticeAbsorption: return equal(apply(f, v[0], apply(*bound.others[0], v[0], v[1])), v[0]);
    case LawKind::Trichotomy:
      return (apply(f, v[0], v[1]) != 0) + (apply(f, v[1], v[0]) != 0) + (v[0] == v[1]) == 1;
    case LawKind::ZeroProduct: return apply(f, v[0], v[1]) != 0 || v[0] == 0 || v[1] == 0;
    case LawKind::Transitive:
      return apply(f, v[0], v[1]) == 0 || apply(f, v[1], v[2]) == 0 || apply(f, v[0], v[2]) != 0;
    case LawKind::Converse: return equal(apply(f, v[0], v[1]), apply(*bound.others[0], v[1], v[0]));
    case LawKind::Odd:
      return equal(apply(f, apply(*bound.others[0], v[0])), apply(*bound.others[0], apply(f, v[0])));
    case LawKind::Even: return equal(apply(f, apply(*bound.others[0], v[0])), apply(f, v[0]));
    case LawKind::Custom: {
      const auto written = kCustom.find(law.name);
      EXPECT_TRUE(written != kCustom.end()) << "write " << law.name << " out for this test";
      return written != kCustom.end() && written->second(f, v);
    }
  }
  return false;
}

/// Whether the law fits the operation: the arity, and operations that exist and have the arity that it needs.
::testing::AssertionResult well_formed(const Bound& bound) {
  const spec::LawInfo& info = spec::info(bound.law->kind);
  const size_t arity = bound.f->signature.inputs.size();
  if (info.operands != 0 && info.operands != arity) return ::testing::AssertionFailure() << "wrong arity";
  const bool of_one = bound.law->kind == LawKind::RoundTrip || bound.law->kind == LawKind::Odd ||
                      bound.law->kind == LawKind::Even;
  const size_t want = bound.law->kind == LawKind::Complement ? arity : of_one ? 1 : 2;
  for (const Operation* other : bound.others) {
    if (other == nullptr) return ::testing::AssertionFailure() << "names an operation that does not exist";
    if (other->signature.inputs.size() != want)
      return ::testing::AssertionFailure() << "names one of another arity";
  }
  const size_t named = info.parameters == spec::LawParameters::TwoOperations ? 2
                       : info.parameters == spec::LawParameters::OneOperation ||
                               info.parameters == spec::LawParameters::OperationAndValue
                           ? 1
                           : 0;
  if (bound.others.size() != named)
    return ::testing::AssertionFailure() << "names too few or too many operations";
  return ::testing::AssertionSuccess();
}

class Laws : public EachOperation {};
VYRE_FOR_EACH_OPERATION(Laws);

TEST_P(Laws, FitTheOperation) {
  VYRE_ORACLE(SpecificationTable, "spec/binary-operations.txt, and the declaration of the operation");
  for (const Law& law : operation().laws) EXPECT_TRUE(well_formed(bind(operation(), law))) << to_string(law);
  for (const spec::Denial& denial : operation().denied) {
    const Bound bound = bind(operation(), denial.law);
    ASSERT_TRUE(well_formed(bound)) << to_string(denial.law);
    EXPECT_EQ(denial.witness.size(), variables(bound).size()) << to_string(denial.law);
  }
}

TEST_P(Laws, ClaimedOnesHoldOnSmallValues) {
  // The statement of the law, on all u8 (three variables: all u6; the law engines run all of u8).
  for (const Law& law : operation().laws) {
    const Bound bound = bind(operation(), law);
    const size_t n = variables(bound).size();
    const uint32_t bits = n == 3 ? 6 : 8;
    for (uint32_t k = 0; k < uint32_t{1} << (bits * n); ++k) {
      uint32_t v[3] = {};
      for (size_t i = 0; i < n; ++i) v[i] = (k >> (bits * i)) & ((1u << bits) - 1);
      ASSERT_TRUE(holds(bound, v)) << to_string(law) << " at " << show({v, v + n});
    }
  }
}

TEST_P(Laws, ClaimedOnesHoldAtFullWidth) {
  // The statement of the law, on edge values and 100,000 random ones of full width.
  for (const Law& law : operation().laws) {
    const Bound bound = bind(operation(), law);
    const std::vector<spec::DataType> types = variables(bound);
    for (const Tuple& v : edge_tuples(types))
      ASSERT_TRUE(holds(bound, v.data())) << to_string(law) << " at " << show(v);
    for (const Tuple& v : random_tuples(types, 100000, 3)) {
      ASSERT_TRUE(holds(bound, v.data())) << to_string(law) << " at " << show(v);
    }
  }
}

TEST_P(Laws, WitnessesRefuteTheDeniedOnes) {
  for (const spec::Denial& denial : operation().denied) {
    const Bound bound = bind(operation(), denial.law);
    EXPECT_FALSE(holds(bound, denial.witness.data()))
        << to_string(denial.law) << " at " << show(denial.witness);
  }
}

TEST_P(Laws, AreNamedOnce) {
  VYRE_ORACLE(Property, "spec/binary-operations.txt, and the declaration of the operation");
  std::set<std::string> seen;
  for (const Law& law : operation().laws) EXPECT_TRUE(seen.insert(to_string(law)).second) << to_string(law);
  for (const spec::Denial& denial : operation().denied) {
    EXPECT_TRUE(seen.insert(to_string(denial.law)).second)
        << to_string(denial.law) << " is denied and named before";
  }
}

/// What spec/binary-operations.txt declares, operation by operation. "Declared algebraic laws: none" is {}.
const std::map<std::string, std::set<std::string>> kDeclared = {
    {"primitive.math.add", {"Commutative", "Associative", "Identity(0)"}},
    {"primitive.math.sub", {"SelfInverse(0)"}},
    {"primitive.math.mul", {"Commutative", "Associative", "Identity(1)", "Absorbing(0)"}},
    {"primitive.math.div", {}},
    {"primitive.math.mod", {"SelfInverse(0)"}},
    {"primitive.bitwise.and",
     {"Commutative", "Associative", "Identity(0xffffffff)", "Idempotent", "Absorbing(0)",
      "DistributiveOver(primitive.bitwise.or)"}},
    {"primitive.bitwise.or",
     {"Commutative", "Associative", "Identity(0)", "Idempotent", "Absorbing(0xffffffff)",
      "DistributiveOver(primitive.bitwise.and)"}},
    {"primitive.bitwise.xor", {"Commutative", "Associative", "Identity(0)", "SelfInverse(0)"}},
    {"primitive.bitwise.shl", {}},
    {"primitive.bitwise.shr", {}},
    {"primitive.compare.eq", {"Commutative", "SelfInverse(1)", "Bounded(0, 1)"}},
    {"primitive.compare.ne", {"Commutative", "SelfInverse(0)", "Bounded(0, 1)"}},
    {"primitive.compare.lt", {"SelfInverse(0)", "Bounded(0, 1)"}},
    {"primitive.compare.gt", {"SelfInverse(0)", "Bounded(0, 1)"}},
    {"primitive.compare.le", {"SelfInverse(1)", "Bounded(0, 1)"}},
    {"primitive.compare.ge", {"SelfInverse(1)", "Bounded(0, 1)"}},
    {"primitive.compare.logical_and", {}},
    {"primitive.compare.logical_or", {}}};

// Beyond the declared ones stand laws of kinds that the page does not know, and the complements that the
// page's text implies: Ge is 1 - Lt(a, b), Le is 1 - Lt(b, a), which is 1 - Gt(a, b), and Ne is not Eq.
TEST(DeclaredLaws, AreThoseOfTheSpecification) {
  VYRE_ORACLE(SpecificationTable, "spec/binary-operations.txt, copied above");
  for (const auto& [id, declared] : kDeclared) {
    std::set<std::string> claimed;
    for (const Law& law : find_operation(id)->laws) {
      if (law.kind != LawKind::Complement && law.kind < LawKind::LeftIdentity) claimed.insert(to_string(law));
    }
    EXPECT_EQ(claimed, declared) << id;
  }
}

/// What spec/binary-operations.txt says does not hold.
TEST(DeclaredLaws, DeniedOnesAreDenied) {
  VYRE_ORACLE(SpecificationTable, "spec/binary-operations.txt, and the declaration of the operation");
  const std::map<std::string, std::set<std::string>> denied = {
      {"primitive.math.sub", {"Commutative", "Associative", "Identity(0)"}},
      {"primitive.math.div", {"Commutative", "Associative"}},
      {"primitive.bitwise.xor",
       {"DistributiveOver(primitive.bitwise.and)", "DistributiveOver(primitive.bitwise.or)"}},
      {"primitive.bitwise.shl", {"Commutative", "Identity(0)"}},
      {"primitive.bitwise.shr", {"Commutative", "Identity(0)"}},
      {"primitive.compare.lt", {"Commutative"}},
      {"primitive.compare.logical_and", {"Idempotent"}},
      {"primitive.compare.logical_or", {"Idempotent"}}};
  for (const auto& [id, laws] : denied) {
    std::set<std::string> found;
    for (const spec::Denial& denial : find_operation(id)->denied) found.insert(to_string(denial.law));
    for (const std::string& law : laws) EXPECT_TRUE(found.contains(law)) << id << " does not deny " << law;
  }
}

/// Laws without operations in them, with constants that could be right, and all distributions and
/// complements.
std::vector<Law> candidates(const Operation& f) {
  std::vector<Law> laws = {laws::commutative(), laws::associative(), laws::idempotent(),
                           laws::involution(),  laws::monotone(),    laws::projection()};
  std::vector<uint32_t> values = {0u, 1u, 2u, 31u, 32u, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu};
  if (spec::kFloats.contains(f.signature.inputs[0]))
    values = edge_patterns(spec::float_format(f.signature.inputs[0]));
  for (const uint32_t value : values) {
    // All NaNs are one value, and the canonical one stands for it.
    if (spec::kFloats.contains(f.signature.inputs[0]) && std::isnan(number(value, f.signature.inputs[0])) &&
        value != spec::float_format(f.signature.inputs[0]).nan()) {
      continue;
    }
    laws.push_back(laws::identity(value));
    laws.push_back(laws::self_inverse(value));
    laws.push_back(laws::absorbing(value));
  }
  for (const Operation& g : all_operations()) {
    if (g.id != f.id && g.signature == f.signature && f.signature.inputs[0] == f.signature.output)
      laws.push_back(laws::distributive_over(std::string(g.id)));
    const Tuple zero(f.signature.inputs.size());
    if (g.signature == f.signature) {
      laws.push_back(
          laws::complement(std::string(g.id), f.reference(zero.data()) + g.reference(zero.data())));
    }
  }
  std::erase_if(laws, [&](const Law& law) { return !well_formed(bind(f, law)); });
  return laws;
}

// An operation that the page does not declare laws for claims or denies, with a witness, each of the
// candidates above that these values do not refute. Other kinds are not tried here (`prove --only product`
// tries them).
TEST_P(Laws, NoneThatIsTriedHoldsUndeclared) {
  // The statements, on small, edge and random values.
  if (kDeclared.contains(GetParam())) return;
  if (operation().bound != 0) return;  // what holds of the value that is approximated need not of its results
  std::set<std::string> drained;
  for (const Law& law : operation().laws) drained.insert(to_string(law));
  for (const spec::Denial& denial : operation().denied) drained.insert(to_string(denial.law));
  for (const Law& law : candidates(operation())) {
    if (drained.contains(to_string(law))) continue;
    const Bound bound = bind(operation(), law);
    const std::vector<spec::DataType> types = variables(bound);
    const size_t n = types.size();
    bool survives = true;
    for (uint32_t k = 0; survives && k < uint32_t{1} << (4 * n); ++k) {
      const uint32_t v[3] = {k & 15, (k >> 4) & 15, (k >> 8) & 15};
      survives = holds(bound, v);
    }
    for (const Tuple& v : survives ? edge_tuples(types) : std::vector<Tuple>{})
      survives = survives && holds(bound, v.data());
    for (const Tuple& v : survives ? random_tuples(types, 20000, 4) : std::vector<Tuple>{}) {
      survives = survives && holds(bound, v.data());
    }
    EXPECT_FALSE(survives) << to_string(law) << " seems to hold: claim it, or deny it with a witness";
  }
}

// A claimed range is the range, and an operation that claims none reaches both ends of the type. A tangent
// does neither: it has no bound, and no number is a multiple of pi / 2.
TEST_P(Laws, RangesAreTight) {
  VYRE_ORACLE(CpuReference, "the values at edge inputs and at the operation's boundary values");
  if (operation().bound != 0) return;  // it claims no range
  if (GetParam().ends_with(".tan")) return;
  const spec::DataType out = operation().signature.output;
  double least = INFINITY;
  double greatest = -INFINITY;
  std::vector<Tuple> tuples = edge_tuples(inputs());
  for (const BoundaryValue& b : operation().boundaries) tuples.push_back(b.operands);
  for (const Tuple& v : tuples) {
    const double value = number(operation().reference(v.data()), out);
    least = std::fmin(least, value);
    greatest = std::fmax(greatest, value);
  }
  const auto it = std::ranges::find(operation().laws, LawKind::Bounded, &Law::kind);
  if (it != operation().laws.end()) {
    EXPECT_EQ(least, number(it->value, out));
    EXPECT_EQ(greatest, number(it->high, out));
  } else if (!kDeclared.contains(GetParam())) {
    const bool is_float = spec::kFloats.contains(out);
    EXPECT_EQ(least, is_float ? -std::numeric_limits<double>::infinity() : 0.0);
    EXPECT_EQ(greatest, is_float ? std::numeric_limits<double>::infinity() : 4294967295.0);
  }
}

}  // namespace
}  // namespace vyre::ops
