// Whole domains of families: which there are, that verdicts have the size that is planned, and what a wrong
// answer in one of 2^32 does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "backend/native/native.h"
#include "oracle.h"
#include "verify/families.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, the tiers: full runs every domain of at most 2^32 inputs whole, which standard does "
            "not; the planted input, by hand");

namespace vyre::verify {
namespace {

using spec::DataType;

constexpr uint64_t kAll = uint64_t{1} << 32;

/// Bits that an input has to take, by the specification's list of types; a bool has two values.
uint32_t bits_of(DataType type) {
  static const std::map<std::string_view, uint32_t> kBits = {
      {"u32", 32},      {"i32", 32}, {"u64", 64}, {"u128", 128}, {"vec2u32", 64},
      {"vec4u32", 128}, {"bool", 1}, {"f16", 16}, {"bf16", 16},  {"f32", 32}};
  return kBits.at(spec::text(type));
}

constexpr Family kElementwise[] = {Family::Operators, Family::Select, Family::Casts, Family::Atomics};

TEST(WholeDomains, AreAllOfAtMost32BitsAtFull) {
  const FamilyPlan full = family_plan(Strength::Full);
  std::set<std::string> alone;
  for (const Family family : kElementwise) {
    for (const Track track : {Track::Integer, Track::Float}) {
      uint64_t slice = 0;
      for (const WholeDomain& domain : whole_domains({family, track}, full)) {
        EXPECT_EQ(domain.cases, kAll) << domain.subject.name;
        EXPECT_EQ(domain.slice, slice) << domain.subject.name;
        slice += domain.cases / kLeafCases;
        alone.insert(domain.subject.name);
      }
      for (const Subject& subject : elementwise_subjects(family, track)) {
        uint32_t bits = 0;
        for (const DataType type : subject.application.inputs) bits += bits_of(type);
        if (bits > 32) {
          EXPECT_FALSE(alone.contains(subject.name)) << subject.name;
          continue;
        }
        // A small one is whole among the other cases.
        bool among = false;
        for (const CaseRange& range : plan_cases(subject, 1, full.cases_a_subject, 1 << 16, false))
          among = among || (range.strategy == "whole" && range.count == uint64_t{1} << bits);
        EXPECT_NE(among, alone.contains(subject.name)) << subject.name << " of " << bits << " bits";
      }
    }
  }
  for (const char* named : {"ir.casts/cast.u32.f32", "ir.casts/cast.i32.u64", "ir.casts/cast.f32.i32.nearest",
                            "ir.casts/bitcast.f32.u32", "ir.operators/popcount.i32",
                            "ir.operators/negate.i32", "ir.operators/flt.f16", "ir.operators/feq.bf16",
                            "ir.operators/fadd.f16", "ir.operators/fsqrt.f32", "ir.operators/fsin.f32"}) {
    EXPECT_TRUE(alone.contains(named)) << named;
  }
  for (const char* named : {"ir.operators/add.u32", "ir.casts/cast.u64.u32", "ir.operators/fadd.f32",
                            "ir.operators/and.bool", "ir.operators/fneg.f16"}) {
    EXPECT_FALSE(alone.contains(named)) << named;
  }
}

TEST(WholeDomains, AreNotOfTheLesserTiers) {
  for (const Strength strength : {Strength::Quick, Strength::Standard})
    EXPECT_TRUE(whole_domains({Family::Casts, Track::Integer}, family_plan(strength)).empty());
}

TEST(WholeDomains, AColumnIsEveryTuple) {
  VYRE_ORACLE(Property, "whole_case() says what a number stands for; CaseSource makes columns of them");
  for (const char* name : {"ir.operators/flt.f16", "ir.operators/eq.bool", "ir.operators/clz.i32"}) {
    for (const Subject& subject : elementwise_subjects(Family::Operators)) {
      if (subject.name != name) continue;
      const uint64_t all = whole_domain(subject), count = std::min<uint64_t>(all, 1000);
      const CaseRange range{"whole", count, 1, all - count};
      const size_t arity = subject.application.inputs.size();
      std::vector<std::vector<uint32_t>> columns(arity, std::vector<uint32_t>(count));
      std::vector<uint32_t*> writable;
      for (auto& column : columns) writable.push_back(column.data());
      CaseSource(subject, range, 1).fill(0, count, writable);
      std::vector<uint32_t> wanted(arity);
      for (uint64_t i = 0; i < count; ++i) {
        whole_case(subject, all - count + i, wanted);
        for (size_t k = 0; k < arity; ++k) ASSERT_EQ(columns[k][i], wanted[k]) << name << " " << i;
      }
    }
  }
}

/// The native backend, but of one input the answer of an operator or a cast has its lowest bit turned.
class OneWrong final : public backend::Backend {
 public:
  explicit OneWrong(uint32_t input) : input_(input) {}
  backend::Identity identity() const override { return {"one wrong", "", "", ""}; }
  backend::Limits limits() const override { return inner_->limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    VYRE_TRY(right, inner_->compile(program));
    return std::unique_ptr<backend::Pipeline>(std::make_unique<Wrong>(std::move(right), input_));
  }

 private:
  class Wrong final : public backend::Pipeline {
   public:
    Wrong(std::unique_ptr<backend::Pipeline> right, uint32_t input)
        : right_(std::move(right)), input_(input) {}
    Result<void> dispatch(std::span<const std::span<std::byte>> buffers, layout::Groups groups) override {
      VYRE_CHECK(right_->dispatch(buffers, groups));
      const size_t n = buffers[0].size() / 4;
      for (size_t i = 0; i < n; ++i) {
        if (load_u32(buffers[0].data() + 4 * i) == input_)
          store_u32(buffers[1].data() + 4 * i, load_u32(buffers[1].data() + 4 * i) ^ 1);
      }
      return {};
    }

   private:
    std::unique_ptr<backend::Pipeline> right_;
    uint32_t input_;
  };
  uint32_t input_;
  std::unique_ptr<backend::Backend> inner_ = *backend::make_native();
};

const WholeDomain& domain_of(const std::vector<WholeDomain>& all, std::string_view name) {
  return *std::ranges::find(all, name, [](const WholeDomain& d) { return std::string_view(d.subject.name); });
}

TEST(WholeDomains, FindTheOneWrongInput) {
  // The plant, one input of 2^32, in the leaf that has it and in no other.
  constexpr uint32_t kInput = 0x8123'4567;
  const auto all = whole_domains({Family::Casts, Track::Integer}, family_plan(Strength::Full));
  const WholeDomain& domain = domain_of(all, "ir.casts/cast.u32.i32");
  OneWrong backend(kInput);
  const uint64_t leaf = kInput / kLeafCases;
  const Verdict clean =
      check_whole_domain(backend, {Family::Casts, Track::Integer}, domain, leaf - 1, 1, 1, {});
  EXPECT_EQ(clean.failure_count, 0u);
  ASSERT_EQ(clean.leaves.size(), 1u);
  EXPECT_EQ(clean.leaves[0].slice, domain.slice + leaf - 1);
  EXPECT_EQ(clean.leaves[0].tally.completed, kLeafCases);
  const Verdict verdict =
      check_whole_domain(backend, {Family::Casts, Track::Integer}, domain, leaf, 1, 1, {});
  EXPECT_EQ(verdict.failure_count, 1u);
  ASSERT_EQ(verdict.failures.size(), 1u);
  EXPECT_EQ(verdict.failures[0].token, "ir.casts/cast.u32.i32:whole:1:" + std::to_string(kInput));
  ASSERT_EQ(verdict.leaves.size(), 1u);
  EXPECT_EQ(verdict.leaves[0].slice, domain.slice + leaf);
  EXPECT_EQ(verdict.leaves[0].tally.failed, 1u);
}

// For ctest's entry of the night: 2^32 inputs take half a minute or more.
TEST(WholeDomainsForReal, OneCastAndOneComparison) {
  VYRE_ORACLE(ReferenceInterpreter, "the operator functions of ref/eval.h, on every input");
  const auto backend = backend::make_native();
  ASSERT_TRUE(backend.has_value());
  for (const auto& [part, name] : {std::pair{Part{Family::Casts, Track::Float}, "ir.casts/cast.u32.f32"},
                                   {Part{Family::Operators, Track::Float}, "ir.operators/flt.f16"}}) {
    const auto all = whole_domains(part, family_plan(Strength::Full));
    const WholeDomain& domain = domain_of(all, name);
    const Verdict verdict = check_whole_domain(**backend, part, domain, 0, domain.cases / kLeafCases, 1, {});
    EXPECT_EQ(verdict.error, "");
    ASSERT_EQ(verdict.parity.size(), 1u);
    EXPECT_EQ(verdict.parity[0].tally, (Tally{kAll, kAll, 0})) << name;
    EXPECT_EQ(verdict.leaves.size(), kAll / kLeafCases);
    EXPECT_EQ(verdict.canaries_broken, 0u);
  }
}

TEST(Families, HaveTheSizeThatIsPlanned) {
  VYRE_ORACLE(ReferenceInterpreter,
              "the reference as a backend: what its run counts is what size_of() works out");
  const auto backend = backend::make_reference();
  const FamilyPlan plan{48, 1, 3, false, 40};
  for (const Part& part : all_parts()) {
    const std::string name = std::string(info(part.family).text) + " " + std::string(text(part.track));
    const FamilySize size = size_of(part, plan, 5);
    if (part.family == Family::PlantedLaws) {  // minutes on the reference: by hand
      ASSERT_EQ(size.parity.size(), 1u);
      EXPECT_EQ(size.parity[0].tally.planned, 4 * size.repeated) << name;
      EXPECT_GT(size.repeated, 0u);
      continue;
    }
    const Verdict verdict = check_family(*backend, part.family, plan, 5, {}, part.track);
    ASSERT_EQ(verdict.error, "") << name;
    ASSERT_EQ(verdict.parity.size(), size.parity.size()) << name;
    for (size_t k = 0; k < size.parity.size(); ++k) {
      EXPECT_EQ(verdict.parity[k].oracle, size.parity[k].oracle) << name;
      EXPECT_EQ(verdict.parity[k].tally.planned, size.parity[k].tally.planned) << name;
    }
    EXPECT_EQ(verdict.operators, size.operators) << name;
    if (part.family == Family::Subgroups) {  // of what a backend lacks no program is run
      EXPECT_LE(verdict.shapes, size.shapes);
    } else {
      EXPECT_EQ(verdict.determinism.planned, size.repeated) << name;
      EXPECT_EQ(verdict.shapes, size.shapes) << name;
    }
    ASSERT_EQ(verdict.laws.size(), size.laws.size()) << name;
    for (size_t k = 0; k < size.laws.size(); ++k) EXPECT_EQ(verdict.laws[k].law, size.laws[k].law);
  }
}

}  // namespace
}  // namespace vyre::verify
