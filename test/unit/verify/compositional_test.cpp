// Laws derived by composition theorems, each checked by running it: on all operands of 8 bits, which knows
// nothing of theorems.
#include "compositional.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "algebra/engine.h"
#include "oracle.h"

VYRE_ORACLE(Law, "the statement of the law, on all operands of 8 bits");

namespace vyre::verify {
namespace {

using symbolic::Form;

/// Applies one composite by its parts, everything else by its reference function.
class CompositeEvaluator final : public algebra::Evaluator {
 public:
  CompositeEvaluator(const ops::Operation& h, const Composite& composite) : h_(h), composite_(composite) {}
  std::string subject() const override { return "composite"; }
  bool pure() const override { return true; }
  size_t slice() const override { return size_t{1} << 16; }
  Result<void> apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs, uint32_t* out,
                     size_t n) override {
    if (&operation != &h_) return algebra::SpecEvaluator().apply(operation, inputs, out, n);
    for (size_t i = 0; i < n; ++i) {
      uint32_t operands[2] = {};
      for (size_t k = 0; k < inputs.size(); ++k) operands[k] = inputs[k][i];
      out[i] = composite_.function.value(operands);
    }
    return {};
  }

 private:
  const ops::Operation& h_;
  const Composite& composite_;
};

/// The few that are composed with one another, of each kind of law some.
std::vector<const ops::Operation*> some(size_t operands) {
  std::vector<const ops::Operation*> out;
  for (const char* id :
       {"primitive.bitwise.not", "primitive.math.negate", "primitive.bitwise.clz", "primitive.math.sign",
        "primitive.bitwise.and", "primitive.bitwise.xor", "primitive.math.min", "primitive.math.sub",
        "primitive.bitwise.shl", "primitive.compare.lt"}) {
    const ops::Operation* const f = ops::find_operation(id);
    if (f->signature == ops::words(operands)) out.push_back(f);
  }
  return out;
}

/// Runs every derived law of at most `variables` variables; how many.
size_t check(const Composite& composite, uint32_t variables = 2) {
  ops::Operation h;
  h.id = composite.function.name;
  h.signature = ops::words(composite.function.operands);
  CompositeEvaluator evaluator(h, composite);
  const auto lookup = [&](std::string_view id, uint32_t version) {
    return id == h.id ? &h : algebra::find_in_library(id, version);
  };
  algebra::EngineOptions options;
  options.edge256 = false;
  options.witnessed = 0;
  size_t checked = 0;
  for (const DerivedLaw& derived : composite.derived) {
    if (spec::info(derived.law.kind).variables > variables) continue;
    const auto verdict = algebra::check_law(derived.law, h, evaluator, options, lookup);
    EXPECT_TRUE(verdict) << verdict.error().message;
    if (!verdict) continue;
    EXPECT_TRUE(verdict->holds()) << h.id << ": " << spec::to_string(derived.law) << " is " << derived.grade
                                  << ", and the engine says " << verdict->grade << verdict->reason;
    EXPECT_TRUE(derived.grade.starts_with("derived(" + derived.theorem)) << derived.grade;
    ++checked;
  }
  return checked;
}

bool has(const Composite& composite, const spec::Law& law) {
  return std::ranges::find(composite.derived, law, &DerivedLaw::law) != composite.derived.end();
}

TEST(Compositional, LawsOfAfterHold) {
  size_t checked = 0;
  for (const ops::Operation* after : some(1)) {
    for (const size_t operands : {1u, 2u}) {
      for (const ops::Operation* before : some(operands)) checked += check(compose_after(*after, *before));
    }
  }
  EXPECT_GT(checked, 20u);
}

TEST(Compositional, LawsOfImagesConjugatesAndOneSideHold) {
  size_t checked = 0;
  for (const ops::Operation* f : some(2)) {
    for (const ops::Operation* g : some(1)) {
      for (const Form form : {Form::BinaryAfterUnary, Form::OnLeft, Form::OnRight})
        checked += check(compose(form, f, g));
      checked += check(compose(Form::Conjugate, f, g, g));
    }
  }
  EXPECT_GT(checked, 40u);
}

TEST(Compositional, LawsOfSectionsHold) {
  size_t checked = 0;
  for (const ops::Operation* f : some(2)) {
    checked += check(compose(Form::Swapped, f)) + check(compose(Form::Diagonal, f));
    for (const uint32_t c : {0u, 1u, 7u, 0x80000000u, 0xffffffffu})
      checked += check(compose(Form::SectionRight, f, nullptr, nullptr, c)) +
                 check(compose(Form::SectionLeft, f, nullptr, nullptr, c));
  }
  EXPECT_GT(checked, 40u);
}

// The laws of three variables on a few composites, for 256^3 instances take a second each.
TEST(Compositional, DeMorganGivesOrFromAnd) {
  const auto library = [](std::string_view id) { return ops::find_operation(id); };
  const ops::Operation *bit_and = library("primitive.bitwise.and"),
                       *bit_not = library("primitive.bitwise.not");
  const Composite bit_or = compose(Form::Conjugate, bit_and, bit_not, bit_not);
  EXPECT_TRUE(has(bit_or, spec::laws::associative()));
  EXPECT_TRUE(has(bit_or, spec::laws::commutative()));
  EXPECT_TRUE(has(bit_or, spec::laws::identity(0)));            // what and has at all ones
  EXPECT_TRUE(has(bit_or, spec::laws::absorbing(0xffffffff)));  // and at 0
  EXPECT_TRUE(has(bit_or, spec::laws::idempotent()));
  EXPECT_EQ(check(bit_or, 3), bit_or.derived.size());
}

// Nothing is claimed where the theorem fails: not (a and b) is not associative, though both parts could make
// one think so.
TEST(Compositional, ClaimsNothingWithoutATheorem) {
  const Composite nand = compose_after(*ops::find_operation("primitive.bitwise.not"),
                                       *ops::find_operation("primitive.bitwise.and"));
  EXPECT_TRUE(has(nand, spec::laws::commutative()));
  EXPECT_FALSE(has(nand, spec::laws::associative()));
  EXPECT_FALSE(has(nand, spec::laws::idempotent()));
  const Composite twice = compose_after(*ops::find_operation("primitive.bitwise.not"),
                                        *ops::find_operation("primitive.math.negate"));
  EXPECT_FALSE(has(twice, spec::laws::involution()));  // ~-a is a - 1
}

// covers: OR-06
TEST(Compositional, LawsOfCompositionsHold) {
  size_t derived = 0, operations = 0, declared = 0;
  for (const ops::Operation& f : ops::all_operations()) {
    const auto composite = derive_laws(f);
    if (!composite) {
      EXPECT_FALSE(composite.error().empty());
      continue;
    }
    ++operations;
    derived += check(*composite);
    for (const DerivedLaw& law : composite->derived)
      declared += std::ranges::count(f.laws, law.law) > 0 ? 1 : 0;
    // The tree is the function.
    for (const ops::SpecRow& row : f.rows)
      EXPECT_EQ(composite->function.value(row.operands.data()), row.expected) << f.id;
  }
  EXPECT_GT(operations, 20u);
  EXPECT_GT(derived, 30u);
  fmt::print("{} laws derived of the compositions of {} operations, {} of them declared\n", derived,
             operations, declared);
}

TEST(Compositional, SaysWhyNothingIsDerived) {
  const auto gcd = derive_laws(*ops::find_operation("primitive.math.gcd"));
  ASSERT_FALSE(gcd);
  EXPECT_EQ(gcd.error(), "the composition has more than values");
  const auto clamp = derive_laws(*ops::find_operation("primitive.math.clamp"));
  ASSERT_FALSE(clamp);
  EXPECT_EQ(clamp.error(), "theorems speak of functions of one or two words");
}

}  // namespace
}  // namespace vyre::verify
