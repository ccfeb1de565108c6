// The cross product of functions and laws, and collisions: a slice of it here, all of it at night.
#include "symbolic/cross_product.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "algebra/engine.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "arithmetic modulo 2^32, and IEEE 754: which laws hold of which functions, by hand");

namespace vyre::symbolic {
namespace {

using spec::DataType;
namespace laws = spec::laws;

/// All sentences of the functions that match.
std::vector<Sentence> sentences(ProductOptions options, Product* product = nullptr) {
  std::vector<Sentence> out;
  options.each = [&](const Sentence& s) { out.push_back(s); };
  Product all = cross_product(options);
  if (product != nullptr) *product = std::move(all);
  return out;
}

const Sentence* find(const std::vector<Sentence>& all, DataType type, const spec::Law& law) {
  const auto found =
      std::ranges::find_if(all, [&](const Sentence& s) { return s.type == type && s.law == law; });
  return found == all.end() ? nullptr : &*found;
}

TEST(CrossProduct, SaysOfSubtractionWhatArithmeticSays) {
  const auto all = sentences({.glob = "sub", .primitives = false});
  for (const DataType type : {DataType::U32, DataType::I32, DataType::U64}) {
    SCOPED_TRACE(spec::text(type));
    const auto verdict = [&](const spec::Law& law) {
      const Sentence* const s = find(all, type, law);
      return s == nullptr ? "missing"
                          : std::string(text(s->verdict)) + fmt::format(" {}", fmt::join(s->witness, ","));
    };
    EXPECT_EQ(verdict(laws::right_identity(0)), "proved ");
    EXPECT_EQ(verdict(laws::self_inverse(0)), "proved ");
    EXPECT_EQ(verdict(laws::inverse_of("add")), "proved ");
    EXPECT_EQ(verdict(laws::commutative()), "refuted 0,1");
    EXPECT_EQ(verdict(laws::associative()), "refuted 0,0,1");
    EXPECT_EQ(verdict(laws::left_identity(0)), "refuted 1");  // 0 - 1
    EXPECT_EQ(verdict(laws::trichotomy()), "refuted 0,1");
  }
  // a bool has no difference, and an involution one operand
  EXPECT_EQ(find(all, DataType::Bool, laws::commutative()), nullptr);
  EXPECT_EQ(find(all, DataType::U32, laws::involution())->verdict, Verdict::NotApplicable);
}

TEST(CrossProduct, KnowsTheConstantsOfWideWords) {
  const auto all = sentences({.glob = "bit_and", .operator_types = {DataType::U64}, .primitives = false});
  EXPECT_EQ(find(all, DataType::U64, laws::identity(0xffffffff))->verdict, Verdict::Proved);  // all 64 ones
  EXPECT_EQ(find(all, DataType::U64, laws::identity(0x7fffffff))->verdict, Verdict::Refuted);
}

TEST(CrossProduct, OrdersSignedWordsBySign) {
  const auto types = {DataType::U32, DataType::I32, DataType::U64};
  const auto all = sentences({.glob = "bit_not", .operator_types = types, .primitives = false});
  for (const DataType type : types) {
    EXPECT_EQ(find(all, type, laws::antitone())->verdict, Verdict::Proved);
    EXPECT_EQ(find(all, type, laws::involution())->verdict, Verdict::Proved);
  }
  const auto negate = sentences({.glob = "negate", .operator_types = {DataType::I32}, .primitives = false});
  const Sentence* const s = find(negate, DataType::I32, laws::antitone());
  EXPECT_EQ(s->verdict, Verdict::Refuted);  // the least number is its own negative
  EXPECT_NE(std::ranges::find(s->witness, 0x80000000u), s->witness.end());
}

// The witnesses of primitives are the smallest that brute force finds. What words of 8 bits refute needs no
// solver, so none is asked.
TEST(CrossProduct, WitnessesAreTheSmallest) {
  const auto all = sentences({.glob = "primitive.math.abs_diff", .operator_types = {}, .solve = false});
  algebra::SpecEvaluator evaluator;
  size_t checked = 0;
  for (const Sentence& s : all) {
    if (s.verdict != Verdict::Refuted || spec::info(s.law.kind).variables > 2 || s.witness.empty()) continue;
    algebra::EngineOptions options;
    options.edge256 = false;
    options.witnessed = 0;
    const auto verdict = algebra::check_law(s.law, *ops::find_operation(s.function), evaluator, options);
    ASSERT_TRUE(verdict);
    const std::vector<uint32_t> witness(s.witness.begin(), s.witness.end());
    if (verdict->counterexample && verdict->counterexample->smallest) {
      EXPECT_EQ(witness, verdict->counterexample->values) << spec::to_string(s.law);
      EXPECT_TRUE(s.smallest);
      ++checked;
    }
  }
  EXPECT_GT(checked, 300u);
}

// Of all others CrossProductNightly says it.
TEST(CrossProduct, FindsNoDeclarationThatFails) {
  for (const char* glob : {"primitive.bitwise.xor", "primitive.compare.lt"}) {
    Product product;
    sentences({.glob = glob, .operator_types = {}}, &product);
    ASSERT_FALSE(product.parts.empty());
    EXPECT_GT(product.parts[0].counts[size_t(Verdict::Proved)], 0u);
    for (const Sentence& s : product.wrong) ADD_FAILURE() << s.function << ": " << spec::to_string(s.law);
  }
}

TEST(CrossProduct, WithoutASolverNothingOfTheseIsProved) {
  Product product;
  sentences({.glob = "add", .operator_types = {DataType::U32}, .primitives = false, .solve = false},
            &product);
  EXPECT_TRUE(product.proved.empty());
  EXPECT_FALSE(product.open.empty());
  EXPECT_TRUE(product.wrong.empty());
}

// layer.cmake runs it at night: minutes on two cores. What Z3 does not answer within a second stays open.
TEST(CrossProductNightly, DISABLED_Whole) {
  const Product product =
      cross_product({.prover = {.limits = {.seconds = 1}, .minimising = {.seconds = 1}, .trying = 0}});
  fmt::print("{}", table(product));
  for (const Sentence& s : product.wrong) ADD_FAILURE() << s.function << ": " << spec::to_string(s.law);
  for (const Sentence& s : product.open)
    fmt::print("open: {} of {}: {}: {}\n", s.function, spec::text(s.type), spec::to_string(s.law), s.by);
  for (const Sentence* s : product.suggestions())
    fmt::print("holds and is not declared: {}: {}\n", s->function, spec::to_string(s->law));
  EXPECT_GT(product.proved.size(), 800u);
}

// covers: LW-05
TEST(Collisions, AreDistinguishedInTheLibrary) {
  solver::Prover prover;
  const std::vector<Collision> all = collisions(prover);
  EXPECT_FALSE(all.empty());
  size_t floats = 0;
  for (const Collision& c : all) {
    floats += c.first->id.starts_with("float.");
    EXPECT_FALSE(c.is_fault()) << c.first->id << " and " << c.second->id
                               << " satisfy the same laws and nothing "
                               << "declared separates them; "
                               << fmt::format("({})", fmt::join(c.input, ", "));
    if (c.equal) {
      EXPECT_EQ(c.first->id, "primitive.bitwise.popcount");
      EXPECT_EQ(c.second->id, "primitive.bitwise.popcount_sw");
      continue;
    }
    ASSERT_FALSE(c.input.empty()) << c.first->id << " and " << c.second->id << ": " << c.by;
    EXPECT_NE(c.first->reference(c.input.data()), c.second->reference(c.input.data()));
  }
  EXPECT_GT(floats, 0u);
  fmt::print("{} pairs of which laws do not tell one from the other, {} of floats\n", all.size(), floats);
}

// Two that declare nothing but what both satisfy.
TEST(Collisions, AreReportedWithAnInputThatSeparates) {
  ops::Operation add = *ops::find_operation("primitive.math.add"),
                 sum = *ops::find_operation("primitive.math.add_sat");
  for (ops::Operation* f : {&add, &sum}) {
    f->laws = {laws::commutative()};
    f->boundaries = {{{0, 0}, "nothing"}};
    f->classes.clear();
  }
  const std::vector<const ops::Operation*> both = {&add, &sum};
  solver::Prover prover;
  const auto found = collisions(both, prover);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_fault());
  EXPECT_EQ(found[0].laws, Collision::Laws::Equal);
  ASSERT_EQ(found[0].input.size(), 2u);
  EXPECT_GT(uint64_t{found[0].input[0]} + found[0].input[1], 0xffffffffu);  // a sum that does not fit
  if (found[0].smallest) {
    EXPECT_EQ(found[0].input, (std::vector<uint32_t>{0x80000000, 0x80000000}));
  }
  sum.laws.push_back(laws::associative());
  EXPECT_EQ(collisions(both, prover)[0].laws, Collision::Laws::SecondHasMore);
  add.laws.push_back(laws::self_inverse(0));
  EXPECT_TRUE(collisions(both, prover).empty());
}

// covers: LW-05
TEST(Collisions, AreLookedForAmongFloats) {
  // IEEE 754: a sum and a product of two numbers, and of zeros alone.
  ops::Operation add = *ops::find_operation("float.f16.add"), mul = *ops::find_operation("float.f16.mul"),
                 wide = *ops::find_operation("float.f32.mul");
  for (ops::Operation* f : {&add, &mul, &wide}) {
    f->laws = {laws::commutative()};
    f->boundaries = {{{0, 0}, "zeros: 0 + 0 and 0 * 0 are 0"}};
    f->classes.clear();
  }
  solver::Prover prover;
  const std::vector<const ops::Operation*> all = {&add, &mul, &wide};
  const auto found = collisions(all, prover);
  ASSERT_EQ(found.size(), 1u);  // the third is of another type
  EXPECT_TRUE(found[0].is_fault());
  ASSERT_EQ(found[0].input.size(), 2u);
  EXPECT_NE(add.reference(found[0].input.data()), mul.reference(found[0].input.data()));
  mul.boundaries.push_back({{0x3c00, 0x3c00}, "1 + 1 is 2, 1 * 1 is 1"});
  EXPECT_FALSE(collisions(all, prover)[0].is_fault());
  EXPECT_TRUE(collisions(all, prover)[0].separated_by.starts_with("boundary"));
}

}  // namespace
}  // namespace vyre::symbolic
