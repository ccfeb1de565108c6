// Certificates: levels follow from verdicts, texts are canonical, and every edit is noticed.
#include "certify/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/random.h"
#include "base/read_file.h"
#include "certify/console.h"
#include "operation_files.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "docs/certificate.md, commands, semantics, vyre-conform-spec, explain C001, C002 and C006, and "
            "the schemas of in-toto, DSSE, JUnit and Unicode; sums and counts by hand");

namespace vyre::certify {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using verify::Strength;
using verify::Verdict;

verify::LawVerdict settled_law() {
  verify::LawVerdict law{"Identity(0)", true, {}};
  for (const char* subject : {"spec", "device(0123456789abcdef, LLVM 19)"}) {
    law.evidence.push_back({subject, "exhausted(u8)", 256, true});
    law.evidence.push_back({subject, "exhausted(edge256)", 256, true});
    law.evidence.push_back({subject, "witnessed(1000000, 1)", 1'000'000, true});
  }
  return law;
}

verify::LawVerdict settled_denial() {
  verify::LawVerdict law{"Idempotent", false, {}};
  law.evidence.push_back({"spec", "refuted(0x1)", 1, true});
  law.evidence.push_back({"device(0123456789abcdef, LLVM 19)", "refuted(0x1)", 1, true});
  return law;
}

Verdict good_operation(std::string name = "primitive.math.add@1") {
  Verdict v;
  v.kind = verify::SubjectKind::Operation;
  v.subject = std::move(name);
  v.pipeline = std::string(64, 'a');
  v.parity = {{verify::Oracle::SpecificationTable, {8, 8, 0}},
              {verify::Oracle::CpuReference, {1'000'000, 1'000'000, 0}}};
  v.leaves = {
      {verify::Oracle::SpecificationTable, "rows", 0, {8, 8, 0}, std::string(32, 'b')},
      {verify::Oracle::CpuReference, "boundary..random", 0, {1'000'000, 1'000'000, 0}, std::string(32, 'c')}};
  v.definition = {100, 100, 0};
  v.determinism = {10'000'000, 10'000'000, 0};
  v.dispatches = 300;
  v.canaries = 9'000;
  v.classes = {{"every sum", 1'000'008}};
  v.boundaries = v.boundaries_hit = 4;
  v.laws = {settled_law(), settled_denial()};
  return v;
}

Verdict good_family() {
  Verdict v;
  v.kind = verify::SubjectKind::Family;
  v.subject = "ir.barriers";
  v.parity = {{verify::Oracle::ReferenceInterpreter, {20, 20, 0}}};
  v.leaves = {{verify::Oracle::ReferenceInterpreter, "program", 0, {20, 20, 0}, std::string(32, 'd')}};
  v.determinism = {40, 40, 0};
  v.dispatches = 60;
  v.canaries = 1'000;
  return v;
}

Certificate good() {
  Certificate c;
  c.vyre = "0.1.0";
  c.backend = "native";
  c.device = "x86_64, 2 threads";
  c.driver = "LLVM 19";
  c.registry = {std::string(64, '1'), 1, 1};
  c.strength = Strength::Standard;
  c.seed = 0xffff'ffff'ffff'ffff;
  c.selection = "*";
  c.verdicts = {good_operation(), good_family()};
  return c;
}

/// What stands in the envelope.
std::string statement_of(const Certificate& c) {
  return from_base64(nlohmann::json::parse(print(c))["payload"].get<std::string>()).value();
}

/// An unsigned envelope around a statement, with the digest that fits it.
std::string enclosed(nlohmann::json statement) {
  statement["predicate"].erase("digest");
  statement["predicate"]["digest"] = sha256(statement.dump()).hex();  // every key and string here is ASCII
  return print(Envelope{statement.dump(), {}});
}

Certificate failing() {
  Certificate c = good();
  Verdict& v = c.verdicts[0];
  v.parity[1].tally.failed = 3;
  v.leaves[1].tally.failed = 3;
  v.failure_count = 3;
  v.failures.push_back({verify::Check::Parity,
                        "cpu reference function",
                        verify::Minimality::Shrunk,
                        {1, 32},
                        {1},
                        {0xffffffff},
                        "",
                        "primitive.math.add@1:random:1:42"});
  return c;
}

TEST(Level, FollowsFromTheVerdicts) {
  EXPECT_EQ(good().level(), Level::L2);
  EXPECT_EQ(good().level_line(), "integer=L2");
  EXPECT_TRUE(good().passed());
  EXPECT_EQ(failing().level(), Level::None);
  EXPECT_EQ(failing().level_line(), "integer=none");

  Certificate c = good();
  c.registry.operations = 9;
  EXPECT_EQ(c.level_line(), "integer=L2(1 of 9)");
}

TEST(Level, OfSomeFamiliesIsNoWholeOne) {
  Certificate c = good();
  c.registry.families = 16;
  EXPECT_EQ(c.level(), Level::None) << "families that are not there, and were not left out";
  c.family_selection = "ir.b*";
  EXPECT_EQ(c.level_line(), "integer=L2(1 of 16 families)");
  EXPECT_EQ(c.level_text(verify::Track::Integer), "L2(1 of 16 families)");
  EXPECT_TRUE(c.passed());
  EXPECT_TRUE(c.conforms());
  const auto required = require(c, {verify::Track::Integer, Level::L1});
  ASSERT_FALSE(required.has_value());
  EXPECT_EQ(required.error().code, DiagCode::C006);
  const auto read = parse(print(c));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, c);
  Certificate none = c;
  none.registry.operations = 9;
  none.family_selection = "none";
  none.verdicts.pop_back();
  EXPECT_EQ(none.level_line(), "integer=L2(1 of 9, 0 of 16 families)");
  Certificate more = c;
  more.registry.families = 0;
  EXPECT_EQ(more.level(), Level::None);
  Certificate all = c;
  all.registry.families = 1;
  EXPECT_EQ(all.level_line(), "integer=L2");
  EXPECT_TRUE(require(all, {verify::Track::Integer, Level::L2}).has_value());
  // A certificate that claims the whole level is refused, and so is a second text of one certificate.
  for (const auto& [place, claim] : {std::pair<const char*, const char*>{"/predicate/levels/integer", "L2"},
                                     {"/predicate/levels/line", "integer=L2"},
                                     {"/predicate/family_selection", "*"}}) {
    nlohmann::json forged = nlohmann::json::parse(statement_of(c));
    forged[nlohmann::json::json_pointer(place)] = claim;
    const auto opened = parse(enclosed(forged));
    ASSERT_FALSE(opened.has_value()) << place;
    EXPECT_EQ(opened.error().code, DiagCode::C002) << place;
  }
  nlohmann::json hidden = nlohmann::json::parse(statement_of(c));
  hidden["predicate"].erase("family_selection");
  EXPECT_FALSE(parse(enclosed(hidden)).has_value());
}

/// A certificate with both tracks, of which the float one has an operation and a family.
Certificate with_floats() {
  Certificate c = good();
  c.registry.float_operations = c.registry.float_families = 1;
  for (Verdict v : {good_operation("float.f32.add@1"), good_family()}) {
    v.track = verify::Track::Float;
    for (verify::LawVerdict& law : v.laws) {
      for (verify::Evidence& e : law.evidence) {
        if (e.grade == "exhausted(u8)") e.grade = "exhausted(e5m2)";
      }
    }
    c.verdicts.push_back(std::move(v));
  }
  return c;
}

// covers: LV-01 LV-05
TEST(Level, IsOfATrack) {
  using verify::Track;
  const Certificate c = with_floats();
  EXPECT_EQ(c.level_line(), "integer=L2 float=L2f");
  EXPECT_TRUE(c.passed());

  Certificate wrong = c;
  wrong.verdicts[2].parity[1].tally.failed = 1;
  EXPECT_EQ(wrong.level_line(), "integer=L2 float=none");
  EXPECT_FALSE(wrong.passed());
  wrong = c;
  wrong.verdicts[2].laws[0].evidence.clear();
  EXPECT_EQ(wrong.level_line(), "integer=L2 float=L1f");
  wrong = c;
  wrong.verdicts[3].determinism.failed = 1;  // of the family
  EXPECT_EQ(wrong.level_line(), "integer=L2 float=none");
  wrong = c;
  wrong.verdicts[0].parity[1].tally.failed = 1;
  EXPECT_EQ(wrong.level_line(), "integer=none float=L2f");

  Certificate some = c;
  some.registry.float_operations = 67;
  EXPECT_EQ(some.level_line(), "integer=L2 float=L2f(1 of 67)");
  // Nothing of a track was selected: it has no level, and the rest may pass.
  Certificate integers = c;
  integers.verdicts.resize(2);
  EXPECT_EQ(integers.level_line(), "integer=L2 float=none");
  EXPECT_TRUE(integers.passed());
  EXPECT_FALSE(require(integers, {Track::Float, Level::L1}).has_value());
  EXPECT_TRUE(require(integers, {Track::Integer, Level::L2}).has_value());
  Certificate missing = c;
  missing.verdicts.pop_back();
  EXPECT_EQ(missing.level_line(), "integer=L2 float=none");
  EXPECT_FALSE(missing.passed());
}

TEST(Level, IsRequiredByName) {
  using verify::Track;
  EXPECT_EQ(find_requirement("L1"), (Requirement{Track::Integer, Level::L1}));
  EXPECT_EQ(find_requirement("integer=L2"), (Requirement{Track::Integer, Level::L2}));
  EXPECT_EQ(find_requirement("L1f"), (Requirement{Track::Float, Level::L1}));
  EXPECT_EQ(find_requirement("float=L2f"), (Requirement{Track::Float, Level::L2}));
  for (const char* none :
       {"", "none", "L4", "L4f", "L2a", "float=L2", "integer=L2f", "L2f ", "f", "float=none"})
    EXPECT_EQ(find_requirement(none), std::nullopt) << none;
}

TEST(Certificate, SaysNothingOfFloatsWhereThereAreNone) {
  EXPECT_THAT(statement_of(good()), Not(HasSubstr("float")));
  EXPECT_TRUE(parse(print(good())).has_value());
  const std::string text = statement_of(with_floats());
  EXPECT_THAT(text, HasSubstr("\"track\"]"));  // among the keys of a packed verdict
  EXPECT_THAT(text, HasSubstr("\"float\":\"L2f\""));
  EXPECT_THAT(text, HasSubstr("\"float_operations\":1"));
  const auto back = parse(print(with_floats()));
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(*back, with_floats());
}

// covers: LV-02 LV-08
TEST(Level, NothingRunIsNothingShown) {
  // "zero failures must not look like not having run" (design, the harness): each of these ran less, or saw a
  // fault, and none may reach a level.
  const std::vector<std::pair<const char*, void (*)(Verdict&)>> spoilers = {
      {"no parity", [](Verdict& v) { v.parity.clear(); }},
      {"no cases planned", [](Verdict& v) { v.parity[1].tally = {}; }},
      {"too few cases", [](Verdict& v) { v.parity[1].tally = {999'000, 999'000, 0}; }},
      {"not completed", [](Verdict& v) { v.parity[1].tally.completed -= 1; }},
      {"a failing row", [](Verdict& v) { v.parity[0].tally.failed = 1; }},
      {"definitions not compared", [](Verdict& v) { v.definition = {}; }},
      {"definitions disagree", [](Verdict& v) { v.definition.failed = 1; }},
      {"not repeated", [](Verdict& v) { v.determinism = {}; }},
      {"answers changed", [](Verdict& v) { v.determinism.failed = 1; }},
      {"no canary", [](Verdict& v) { v.canaries = 0; }},
      {"a canary broken", [](Verdict& v) { v.canaries_broken = 1; }},
      {"a class without a case", [](Verdict& v) { v.classes[0].hits = 0; }},
      {"a boundary value left out", [](Verdict& v) { v.boundaries_hit = 3; }},
      {"the backend refused", [](Verdict& v) { v.error = "B003: too much"; }},
  };
  for (const auto& [name, spoil] : spoilers) {
    Certificate c = good();
    spoil(c.verdicts[0]);
    EXPECT_EQ(c.level(), Level::None) << name;
  }
  Certificate no_family = good();
  no_family.verdicts.pop_back();
  EXPECT_EQ(no_family.level(), Level::None);
  Certificate no_operation = good();
  no_operation.verdicts.erase(no_operation.verdicts.begin());
  EXPECT_EQ(no_operation.level(), Level::None);
}

// covers: LW-04 LV-03
TEST(Level, ALawThatIsNotSettledLeavesL1) {
  // Semantics: claimed laws on both subjects by all three engines, 10^6 witnesses; denied ones refuted.
  for (size_t k = 0; k < settled_law().evidence.size(); ++k) {
    Certificate c = good();
    c.verdicts[0].laws[0].evidence.erase(c.verdicts[0].laws[0].evidence.begin() + ptrdiff_t(k));
    EXPECT_EQ(c.level(), Level::L1) << "evidence " << k << " is missing";
    c = good();
    c.verdicts[0].laws[0].evidence[k].holds = false;
    EXPECT_EQ(c.level(), Level::L1) << "evidence " << k << " says no";
    c = good();
    c.verdicts[0].laws[0].evidence[k].cases = 0;
    EXPECT_EQ(c.level(), Level::L1) << "evidence " << k << " ran no case";
  }
  // An exhausted domain is all of it: 256 values of one variable, 256^3 triples.
  for (const auto& [name, instances] : {std::pair{"Identity(0)", 256u}, {"Associative", 1u << 24}}) {
    for (const uint64_t cases : {instances, instances - 1}) {
      Certificate c = good();
      verify::LawVerdict& law = c.verdicts[0].laws[0];
      law.law = name;
      for (verify::Evidence& e : law.evidence) {
        if (e.grade.starts_with("exhausted")) e.cases = cases;
      }
      EXPECT_EQ(c.level(), cases == instances ? Level::L2 : Level::L1) << name << " on " << cases;
    }
  }
  Certificate c = good();
  c.verdicts[0].laws[0].law = "Unheard(0)";
  EXPECT_EQ(c.level(), Level::L1);
  c = good();
  c.verdicts[0].laws[0].evidence[5].cases = 999'999;
  EXPECT_EQ(c.level(), Level::L1);
  c = good();
  c.verdicts[0].laws[1].evidence.pop_back();
  EXPECT_EQ(c.level(), Level::L1);
  c.verdicts[0].laws[1].evidence.clear();
  EXPECT_EQ(c.level(), Level::L1);
  EXPECT_FALSE(c.passed());
}

/// Beside an operation and a family an engine that kept its promises.
Certificate with_engine() {
  Certificate c = good();
  Verdict engine = good_operation();
  engine.kind = verify::SubjectKind::Engine;
  engine.subject = "engine.sort@1";
  engine.laws.clear();
  engine.invariants = {{"Ordered", "records", {200, 200, 0}}, {"Bounded", "guard words", {200, 200, 0}}};
  c.registry.operations = 2;
  c.verdicts.insert(c.verdicts.begin() + 1, std::move(engine));
  return c;
}

// covers: LV-09
TEST(Level, PromisesOfEnginesAreWhatL3Says) {
  EXPECT_EQ(with_engine().level_line(), "integer=L3");
  EXPECT_TRUE(with_engine().passed());
  EXPECT_EQ(find_requirement("L3"), (Requirement{verify::Track::Integer, Level::L3}));
  const std::vector<std::pair<const char*, void (*)(Verdict&)>> spoilers = {
      {"no promise", [](Verdict& v) { v.invariants.clear(); }},
      {"no case", [](Verdict& v) { v.invariants[0].cases = {}; }},
      {"not completed", [](Verdict& v) { v.invariants[1].cases.completed = 199; }},
      {"broken",
       [](Verdict& v) {
         v.invariants[1].cases.failed = 1;
         v.failure_count = 1;
       }},
  };
  for (const auto& [name, spoil] : spoilers) {
    Certificate c = with_engine();
    spoil(c.verdicts[1]);
    EXPECT_EQ(c.level(), Level::L2) << name;
    EXPECT_FALSE(c.passed()) << name;
    const auto read = parse(print(c));
    ASSERT_TRUE(read.has_value()) << name << ": " << read.error().message;
    EXPECT_EQ(*read, c) << name;
    EXPECT_FALSE(require(c, {verify::Track::Integer, Level::L3}).has_value()) << name;
  }
  // A failure that no promise accounts for is one of the laws.
  Certificate c = with_engine();
  c.verdicts[1].failure_count = 1;
  EXPECT_EQ(c.level(), Level::L1);
  // Where no engine was judged, L2 is all that can be asked for.
  EXPECT_TRUE(good().passed());
  EXPECT_FALSE(require(good(), {verify::Track::Integer, Level::L3}).has_value());
}

/// An operation on tensors as a run of standard strength leaves it.
Verdict good_tensor(verify::Track track, uint64_t cases = 36) {
  Verdict v = good_family();
  v.kind = verify::SubjectKind::TensorOperation;
  v.subject = "tensor.matmul@1";
  v.track = track;
  v.parity[0].tally = v.leaves[0].tally = v.determinism = {cases, cases, 0};
  return v;
}

// covers: LV-10
TEST(Level, ThreeIsOfTensorsAsWell) {
  using verify::Track;
  Certificate c = with_floats();
  c.verdicts.insert(c.verdicts.begin() + 1, with_engine().verdicts[1]);
  c.registry.operations = 3, c.registry.float_operations = 2, c.registry.tensors = 2;
  EXPECT_EQ(c.level_line(), "integer=L3(2 of 3) float=L2f(1 of 2)");
  EXPECT_TRUE(c.passed());
  c.verdicts.insert(c.verdicts.begin() + 2, good_tensor(Track::Integer));
  EXPECT_EQ(c.level_line(), "integer=L3 float=L2f(1 of 2)");
  c.verdicts.insert(c.verdicts.begin() + 3, good_tensor(Track::Float));
  EXPECT_EQ(c.level_line(), "integer=L3 float=L3f");
  EXPECT_TRUE(c.passed());
  EXPECT_TRUE(require(c, {Track::Float, Level::L3}).has_value());
  EXPECT_EQ(find_requirement("L3f"), (Requirement{Track::Float, Level::L3}));
  EXPECT_EQ(find_requirement("float=L3f"), (Requirement{Track::Float, Level::L3}));
  const auto read = parse(print(c));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, c);

  const std::vector<std::pair<const char*, void (*)(Verdict&)>> spoilers = {
      {"too few", [](Verdict& v) { v = good_tensor(Track::Float, 35); }},
      {"wrong",
       [](Verdict& v) { v.parity[0].tally.failed = v.leaves[0].tally.failed = v.failure_count = 1; }},
      {"not run", [](Verdict& v) { v.parity[0].tally.completed = v.leaves[0].tally.completed = 35; }},
      {"another answer", [](Verdict& v) { v.determinism.failed = 1; }},
      {"broken guards", [](Verdict& v) { v.canaries_broken = 1; }},
      {"no guards", [](Verdict& v) { v.canaries = 0; }},
      {"stopped", [](Verdict& v) { v.error = "B004: no device"; }},
  };
  for (const auto& [name, spoil] : spoilers) {
    Certificate other = c;
    spoil(other.verdicts[3]);
    EXPECT_EQ(other.level_line(), "integer=L3 float=none") << name;
    EXPECT_FALSE(other.passed()) << name;
    const auto again = parse(print(other));
    ASSERT_TRUE(again.has_value()) << name << ": " << again.error().message;
    EXPECT_FALSE(require(other, {Track::Float, Level::L3}).has_value()) << name;
  }
}

/// The family of operators with a law of one of them, claimed, as a run settles it.
Certificate with_operator_law(std::string law, std::vector<std::pair<std::string, uint64_t>> grades) {
  Certificate c = good();
  verify::LawVerdict& out = c.verdicts[1].laws.emplace_back();
  out = {std::move(law), true, {}};
  for (const char* subject : {"spec", "device(0123456789abcdef, LLVM 19)"}) {
    for (const auto& [grade, cases] : grades) out.evidence.push_back({subject, grade, cases, true});
  }
  return c;
}

TEST(Level, TakesTheLawsOfOperators) {
  // docs/certificate.md, "Levels": 16 values of each variable and as many witnesses as the tier wants cases;
  // both values of a bool.
  using Grades = std::vector<std::pair<std::string, uint64_t>>;
  const auto level = [](const char* law, const Grades& grades, Strength strength = Strength::Standard) {
    Certificate c = with_operator_law(law, grades);
    c.strength = strength;
    EXPECT_TRUE(parse(print(c)).has_value());
    return c.level();
  };
  const Grades whole = {{"exhausted(edge16)", 256}, {"witnessed(1000000, 1)", 1'000'000}};
  EXPECT_EQ(level("add.u64: Commutative", whole), Level::L2);
  EXPECT_EQ(level("mul.i32: DistributiveOver(add)", {{"exhausted(edge16)", 4096}, whole[1]}), Level::L2);
  EXPECT_EQ(level("mul.i32: DistributiveOver(add)", whole), Level::L1);
  EXPECT_EQ(level("add.u64: Commutative", {whole[0]}), Level::L1);
  EXPECT_EQ(level("add.u64: Commutative", {whole[1]}), Level::L1);
  EXPECT_EQ(level("add.u64: Commutative", {whole[0], {"witnessed(999999, 1)", 999'999}}), Level::L1);
  EXPECT_EQ(level("add.u64: Commutative", {whole[0], {"witnessed(10000, 1)", 10'000}}, Strength::Quick),
            Level::L2);
  EXPECT_EQ(level("eq.bool: Commutative", {{"exhausted(bool)", 4}}), Level::L2);
  EXPECT_EQ(level("eq.bool: Commutative", {{"exhausted(bool)", 3}}), Level::L1);
  EXPECT_EQ(level("add.u64: Unheard", whole), Level::L1);
  Certificate one_side = with_operator_law("add.u64: Commutative", whole);
  one_side.verdicts[1].laws[0].evidence.resize(2);
  EXPECT_EQ(one_side.level(), Level::L1);
}

TEST(Certificate, SaysHowMuchWasCovered) {
  Certificate c = good();
  c.registry.operations = 9;
  c.registry.laws = 7;
  c.registry.classes = 3;
  c.registry.boundaries = 11;
  c.registry.operators = 90;
  c.registry.shapes = 20;
  c.verdicts[1].operators = 90;
  c.verdicts[1].shapes = 19;
  c.verdicts[0].boundaries_hit = 3;
  const Coverage covered = coverage(c);
  EXPECT_EQ(covered.operations, (Coverage::Share{1, 9}));
  EXPECT_EQ(covered.families, (Coverage::Share{1, 1}));
  EXPECT_EQ(covered.operators, (Coverage::Share{90, 90}));
  EXPECT_EQ(covered.shapes, (Coverage::Share{19, 20}));
  EXPECT_EQ(covered.laws, (Coverage::Share{2, 7}));
  EXPECT_EQ(covered.classes, (Coverage::Share{1, 3}));
  EXPECT_EQ(covered.boundaries, (Coverage::Share{3, 11}));
  nlohmann::json statement = nlohmann::json::parse(statement_of(c));
  EXPECT_EQ(statement["predicate"]["coverage"]["operations"], (nlohmann::json{{"covered", 1}, {"of", 9}}));
  c.verdicts[0].error = "B003: too much";
  EXPECT_EQ(coverage(c).operations, (Coverage::Share{0, 9}));

  statement["predicate"]["coverage"]["operations"]["of"] = 1;
  const auto flattered = parse(enclosed(statement));
  ASSERT_FALSE(flattered.has_value());
  EXPECT_EQ(flattered.error().code, DiagCode::C002);
  EXPECT_THAT(flattered.error().message, HasSubstr("\"coverage\" does not follow"));
}

TEST(Level, BelowWhatIsRequired) {
  Certificate only_parity = good();
  only_parity.verdicts[0].laws[0].evidence.clear();
  for (const auto& [certificate, reached] :
       {std::pair{good(), Level::L2}, {only_parity, Level::L1}, {failing(), Level::None}}) {
    for (const Level wanted : {Level::L1, Level::L2}) {
      const auto result = require(certificate, {verify::Track::Integer, wanted});
      ASSERT_EQ(result.has_value(), reached >= wanted) << text(reached) << " against " << text(wanted);
      if (result) continue;
      EXPECT_EQ(result.error().code, DiagCode::C006);
      EXPECT_THAT(result.error().message, HasSubstr(std::string(text(wanted))));
    }
  }
}

/// Ways in which a verdict may have less evidence, or evidence against it.
const std::vector<std::function<void(Verdict&, uint32_t)>>& losses() {
  static const std::vector<std::function<void(Verdict&, uint32_t)>> list = {
      [](Verdict& v, uint32_t at) { v.parity[at % v.parity.size()].tally.completed -= 1; },
      [](Verdict& v, uint32_t at) { v.parity[at % v.parity.size()].tally.failed += 1; },
      [](Verdict& v, uint32_t at) { v.parity[at % v.parity.size()].tally.waived += 1; },
      [](Verdict& v, uint32_t at) { v.parity[at % v.parity.size()].tally.unsupported += 1; },
      [](Verdict& v, uint32_t at) { v.parity.erase(v.parity.begin() + at % v.parity.size()); },
      [](Verdict& v, uint32_t) { v.determinism.failed += 1; },
      [](Verdict& v, uint32_t) { v.determinism = {}; },
      [](Verdict& v, uint32_t) { v.definition.failed += 1; },
      [](Verdict& v, uint32_t) { v.canaries_broken += 1; },
      [](Verdict& v, uint32_t) { v.canaries = 0; },
      [](Verdict& v, uint32_t) { v.boundaries_hit -= v.boundaries_hit != 0; },
      [](Verdict& v, uint32_t) { v.failure_count += 1; },
      [](Verdict& v, uint32_t) { v.error = "B003: no memory"; },
      [](Verdict& v, uint32_t) {
        if (!v.classes.empty()) v.classes[0].hits = 0;
      },
      [](Verdict& v, uint32_t at) {
        if (!v.laws.empty()) v.laws[at % v.laws.size()].evidence.pop_back();
      },
      [](Verdict& v, uint32_t at) {
        if (!v.laws.empty()) v.laws[at % v.laws.size()].evidence[0].holds = false;
      },
      [](Verdict& v, uint32_t at) {
        if (!v.laws.empty()) v.laws[at % v.laws.size()].evidence[0].cases -= 1;
      },
  };
  return list;
}

TEST(Level, NeverRisesByLosingEvidence) {
  VYRE_ORACLE(Property, "a level is a monotone function of the evidence");
  for (uint64_t k = 0; k < 2'000; ++k) {
    RandomStream random(3, k);
    Certificate c = good();
    Level before = c.level();
    for (int step = 0; step < 4; ++step) {
      if (random.below(12) == 0 && c.verdicts.size() > 1) {
        c.verdicts.erase(c.verdicts.begin() + random.below(uint32_t(c.verdicts.size())));
      } else {
        Verdict& v = c.verdicts[random.below(uint32_t(c.verdicts.size()))];
        const uint32_t loss = random.below(uint32_t(losses().size()));
        const bool has_something = !v.parity.empty() && (v.laws.empty() || !v.laws[0].evidence.empty()) &&
                                   (v.laws.empty() || !v.laws[1].evidence.empty());
        if (has_something) losses()[loss](v, random.next());
      }
      const Level after = c.level();
      ASSERT_LE(after, before) << "case " << k << ", step " << step;
      before = after;
    }
  }
}

TEST(Level, FallsWithEachLoss) {
  for (size_t loss = 0; loss < losses().size(); ++loss) {
    for (uint32_t at : {0u, 1u}) {
      Certificate c = good();
      losses()[loss](c.verdicts[0], at);
      EXPECT_LT(c.level(), Level::L2) << "loss " << loss << " at " << at;
    }
  }
}

TEST(Certificate, ReadsBack) {
  VYRE_ORACLE(Property, "print, whose inverse parse is");
  for (const Certificate& c : {good(), failing()}) {
    const auto back = parse(print(c));
    ASSERT_TRUE(back.has_value()) << back.error().message;
    EXPECT_EQ(*back, c);
    EXPECT_EQ(print(*back), print(c));
  }
}

TEST(Certificate, KeepsSixtyFourBits) {
  EXPECT_THAT(statement_of(good()), HasSubstr("\"seed\":\"18446744073709551615\""));
  EXPECT_THAT(statement_of(failing()), HasSubstr("\"0xffffffff\""));
}

TEST(Certificate, IsAStatementInAnEnvelope) {
  const std::string text = print(good());
  EXPECT_THAT(text, testing::StartsWith("{\"payload\":\""));
  EXPECT_THAT(text,
              testing::EndsWith("\",\"payloadType\":\"application/vnd.in-toto+json\",\"signatures\":[]}\n"));
  const auto statement = nlohmann::json::parse(statement_of(good()));
  EXPECT_EQ(statement["_type"], "https://in-toto.io/Statement/v1");
  EXPECT_EQ(statement["predicateType"], "https://vyre.dev/conformance/v5");
  ASSERT_EQ(statement["subject"].size(), 1u);
  EXPECT_EQ(statement["subject"][0]["name"], "native: x86_64, 2 threads");
  EXPECT_EQ(statement["subject"][0]["digest"]["sha256"], std::string(64, '1'));
  EXPECT_EQ(statement.size(), 4u);
  EXPECT_EQ(statement["predicate"]["format"], 5);
}

/// A failing one with something of everything, and not twice: bits take a second for each kilobyte.
Certificate small() {
  Certificate c = failing();
  c.verdicts.resize(1);
  verify::LawVerdict law = settled_denial();
  law.evidence.resize(1);
  c.verdicts[0].laws = {law};
  return c;
}

/// Whether each text that differs from this one in one bit is refused.
void every_bit_counts(const std::string& text, const std::function<bool(const std::string&)>& is_taken) {
  ASSERT_TRUE(is_taken(text));
  for (size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string edited = text;
    edited[bit / 8] = char(uint8_t(edited[bit / 8]) ^ (1u << bit % 8));
    ASSERT_FALSE(is_taken(edited)) << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

TEST(Certificate, NoticesEveryBitThatChanges) {
  VYRE_ORACLE(Property, "there is one text a certificate; any other bit anywhere is an edit");
  const std::string text = print(small());
  every_bit_counts(text, [](const std::string& edited) { return parse(edited).has_value(); });
  for (size_t at = 0; at < text.size(); ++at)
    ASSERT_FALSE(parse(text.substr(0, at)).has_value()) << "cut at " << at;
  for (const char* more : {"\n", " ", "{}"}) EXPECT_FALSE(parse(text + more).has_value());
}

TEST(Certificate, NoticesEveryBitThatChangesInASignedOne) {
  VYRE_ORACLE(Property, "a signature covers the payload, and the rest of an envelope has one text");
  const PrivateKey key = PrivateKey::generate();
  const PublicKey known = key.public_key();
  every_bit_counts(print(small(), &key), [&](const std::string& edited) {
    const auto opened = open(edited);
    return opened && check_signature(opened->envelope, known).has_value();
  });
}

TEST(Certificate, IsTheSameUnderItsSignature) {
  VYRE_ORACLE(Property, "a signature is around a certificate and not in it");
  const PrivateKey key = PrivateKey::generate();
  const auto opened = open(print(failing(), &key));
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_EQ(opened->certificate, failing());
  EXPECT_EQ(opened->envelope.payload, statement_of(failing()));
  const auto unsigned_one = open(print(failing()));
  ASSERT_TRUE(unsigned_one.has_value());
  const auto refused = check_signature(unsigned_one->envelope, key.public_key());
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("unsigned"));
}

TEST(Certificate, RecomputesWhatFollows) {
  const auto statement = nlohmann::json::parse(statement_of(failing()));
  ASSERT_TRUE(parse(enclosed(statement)).has_value());
  const std::vector<std::pair<const char*, std::function<void(nlohmann::json&)>>> edits = {
      {"levels", [](nlohmann::json& s) { s["predicate"]["levels"]["integer"] = "L2"; }},
      {"totals", [](nlohmann::json& s) { s["predicate"]["totals"]["failures"] = "0"; }},
      {"trusts", [](nlohmann::json& s) { s["predicate"]["trusts"].erase(0); }},
      {"parts", [](nlohmann::json& s) { s["predicate"]["more"] = 1; }},
      {"root", [](nlohmann::json& s) { s["predicate"]["root"] = std::string(64, '0'); }},
      {"tier", [](nlohmann::json& s) { s["predicate"]["tier"] = "full"; }},
      {"track", [](nlohmann::json& s) { s["predicate"]["track"] = "approximate"; }},
      {"parts", [](nlohmann::json& s) { s["predicate"]["verdicts"]["shared"].push_back("more"); }},
      {"parts", [](nlohmann::json& s) { s["predicate"]["verdicts"]["more"] = 1; }},
      {"parts", [](nlohmann::json& s) { s["predicateType"] = "https://vyre.dev/conformance/v6"; }},
      {"parts", [](nlohmann::json& s) { s["_type"] = "https://in-toto.io/Statement/v2"; }},
      {"parts", [](nlohmann::json& s) { s["subject"][0]["name"] = "cuda: x86_64, 2 threads"; }},
      {"parts", [](nlohmann::json& s) { s["subject"][0]["digest"]["sha256"] = std::string(64, '2'); }},
  };
  for (const auto& [what, edit] : edits) {
    nlohmann::json edited = statement;
    edit(edited);
    const auto raised = parse(enclosed(edited));
    ASSERT_FALSE(raised.has_value()) << edited;
    EXPECT_EQ(raised.error().code, DiagCode::C002);
    // What is not read does not come into the digest that is expected, so that may be what differs.
    if (std::string_view(what) != "parts") EXPECT_THAT(raised.error().message, HasSubstr(what));
  }
}

TEST(Certificate, HoldsLeavesAndTalliesToOneAnother) {
  const auto refused = [](auto&& edit, std::string_view why) {
    Certificate c = good();
    edit(c.verdicts[0]);
    const auto result = parse(print(c));
    ASSERT_FALSE(result.has_value()) << why;
    EXPECT_EQ(result.error().code, DiagCode::C002);
    EXPECT_THAT(result.error().message, HasSubstr(std::string(why)));
  };
  refused([](Verdict& v) { v.leaves.pop_back(); }, "have 0 of 1000000 cases");
  refused([](Verdict& v) { v.leaves[1].tally.planned -= 1; }, "have 999999 of 1000000 cases");
  refused([](Verdict& v) { v.leaves[1].tally.completed -= 1; }, "the leaves of the cpu reference function");
  refused([](Verdict& v) { v.leaves[1].tally.planned = v.parity[1].tally.planned = verify::kLeafCases + 1; },
          "more cases than one may have");
  Certificate stopped = good();
  stopped.verdicts[0].leaves.pop_back();
  stopped.verdicts[0].error = "B003: no memory";
  EXPECT_TRUE(parse(print(stopped)).has_value()) << "what stopped a subject left cases without a leaf";
}

TEST(Certificate, SaysWhatBecameOfEveryCase) {
  Certificate c = failing();
  c.verdicts[0].parity[1].tally = {1'000'000, 999'000, 3, 5, 900};  // and 100 that gave no answer
  c.verdicts[0].error = "B003: no memory";
  c.verdicts[1].parity[0].tally = {20, 18, 0, 2, 0};
  const Totals t = totals(c);
  EXPECT_EQ(t.planned, 1'000'028u);
  EXPECT_EQ(t.passed, 8u + (999'000 - 3 - 5) + (20 - 2));
  EXPECT_EQ(t.waived, 7u);
  EXPECT_EQ(t.unsupported, 900u);
  EXPECT_EQ(t.failed, 3u + 100);
  EXPECT_EQ(t.passed + t.failed + t.waived + t.unsupported, t.planned);
}

TEST(Certificate, RefusesControlCharacters) {
  // A foreign certificate is printed on a terminal, so it may not hold what a terminal obeys.
  // Of a name and of a note: what JSON has for them, by hand.
  const auto forged = [](const std::string& text, bool name) {
    Certificate c = good();
    (name ? c.device : c.verdicts[0].error) = "MARK";
    Envelope envelope = parse_envelope(print(c)).value();
    const size_t at = envelope.payload.find("\"MARK\"");
    EXPECT_NE(at, std::string::npos);
    envelope.payload.replace(at + 1, 4, text);
    return parse(print(envelope));
  };
  for (const bool name : {true, false}) {
    for (const std::string& text :
         {std::string("\\u001b[2J"), std::string("\\r"), std::string("\x7f"), std::string("\xc2\x9b"),
          std::string("\\u0000"), std::string(name ? 4'097 : 65'537, 'x'), std::string(1'000'000, 'x'),
          std::string(name ? "\\n" : "\\t")}) {
      const auto result = forged(text, name);
      ASSERT_FALSE(result.has_value()) << text.substr(0, 20);
      EXPECT_EQ(result.error().code, DiagCode::C001) << text.substr(0, 20);
      EXPECT_LT(result.error().message.size(), 1000u);
    }
    // These are bounds and no more: only the digest no longer fits.
    const auto result = forged(std::string(name ? 4'096 : 65'536, 'x'), name);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, DiagCode::C002);
  }
}

TEST(Certificate, IsReadableWhateverADriverSays) {
  const std::string bad = "\xef\xbf\xbd";
  for (const auto& [said, written] :
       {std::pair(std::string("caf\xc3\xa9"), std::string("caf\xc3\xa9")),
        std::pair(std::string("a\x1b[2J\n\r\x7f\xc2\x9b"), "a" + bad + "[2J" + bad + bad + bad + bad),
        std::pair(std::string(5'000, 'x'), std::string(4'096, 'x')),
        std::pair(std::string(4'095, 'x') + "\xc3\xa9", std::string(4'095, 'x'))}) {
    Certificate c = good();
    c.device = said;
    const auto result = parse(print(c));
    ASSERT_TRUE(result.has_value()) << result.error().message;
    EXPECT_EQ(result->device, written);
  }
  Certificate c = good();
  c.verdicts[0].error = "two\nlines\t" + std::string(70'000, 'y');
  const auto result = parse(print(c));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->verdicts[0].error, "two\nlines" + bad + std::string(65'536 - 12, 'y'));
}

TEST(Certificate, RefusesWhatIsNone) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  std::vector<std::string> texts = {"",
                                    "{}\n",
                                    "[1,2]\n",
                                    "null\n",
                                    "{\"format\": 2}",
                                    "{\"format\": 1}",
                                    "\xff\xfe",
                                    std::string(100'000, '['),
                                    deep,
                                    "{\"format\": 2, \"a\": " + deep + "}"};
  for (const std::string& payload :
       {std::string(), std::string("{}"), std::string("7"), std::string("\xff"),
        std::string("{\"predicate\":7}"), std::string("{\"predicate\":{}}"),
        std::string("{\"predicate\":{\"format\":2}}"), std::string("{\"predicate\":{\"format\":\"4\"}}"),
        std::string("{\"predicate\":{\"format\":4}}"), deep}) {
    texts.push_back(print(Envelope{payload, {}}));
  }
  for (const std::string& text : texts) {
    const auto result = parse(text);
    ASSERT_FALSE(result.has_value()) << text.substr(0, 40);
    EXPECT_EQ(result.error().code, DiagCode::C001) << text.substr(0, 40) << " " << result.error().message;
    EXPECT_THAT(result.error().help, Not(IsEmpty()));
  }
  EXPECT_THAT(parse("{\"format\": 2}").error().message, HasSubstr("has format 2, this build reads format 5"));
  EXPECT_THAT(parse(texts[16]).error().message, HasSubstr("has format 2, this build reads format 5"));
}

TEST(Certificate, ReplacesBytesThatAreNoText) {
  // Unicode, chapter 3.9: U+FFFD stands for bytes that are no UTF-8.
  Certificate c = good();
  c.device = "a\xffz";
  const auto back = parse(print(c));
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->device, "a\xef\xbf\xbdz");
}

TEST(Certificate, KeepsFaultAndHistory) {
  Certificate c = failing();
  verify::Failure& failure = c.verdicts[0].failures[0];
  failure.fault = verify::Fault::OrderDependent;
  failure.history = {"primitive.math.add@1:random:1:7"};
  EXPECT_THAT(statement_of(c), HasSubstr("\"order-dependent\""));
  const auto again = parse(print(c));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->verdicts[0].failures[0].fault, verify::Fault::OrderDependent);
  EXPECT_EQ(again->verdicts[0].failures[0].history, failure.history);
  const std::string shown = report(c, {"native", {}, 0});
  EXPECT_THAT(shown, HasSubstr("order-dependent: parity, by cpu reference function"));
  EXPECT_THAT(shown, HasSubstr("beside   primitive.math.add@1:random:1:7"));
}

TEST(WriteAtomically, WritesWholeOrNothing) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "vyre-certify";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_atomically(folder / "c.json", "one").has_value());
  ASSERT_TRUE(write_atomically(folder / "c.json", "two").has_value());
  EXPECT_EQ(read_file_text(folder / "c.json", kMaxCertificateBytes), "two");
  EXPECT_FALSE(write_atomically(folder / "none" / "c.json", "x").has_value());
  EXPECT_FALSE(write_atomically(folder, "x").has_value());
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files += entry.is_regular_file();
  EXPECT_EQ(files, 1u) << "a temporary was left behind";
  EXPECT_FALSE(read_file_text(folder / "none", kMaxCertificateBytes).has_value());
  EXPECT_FALSE(read_file_text(folder, kMaxCertificateBytes).has_value());
}

TEST(Report, ShowsAFailureAndHowToReplayIt) {
  const std::string text = report(failing(), {"native", {}, 0});
  EXPECT_THAT(text, HasSubstr("FAILED primitive.math.add@1"));
  EXPECT_THAT(text, HasSubstr("[shrunk]"));
  EXPECT_THAT(text, HasSubstr("input     0x00000001 (1), 0x00000020 (32)"));
  EXPECT_THAT(text, HasSubstr("actual    0xffffffff (4294967295, as i32 -1)"));
  EXPECT_THAT(text, HasSubstr("vyre-conform replay primitive.math.add@1:random:1:42 --backend native"));
  EXPECT_THAT(report(good(), {"native", {}, 0}), Not(HasSubstr("FAILED")));
  EXPECT_THAT(
      report(good(), {"native", {}, 0}),
      HasSubstr(
          "judged by: specification table 8, reference interpreter 20, cpu reference function 1,000,000\n"));
}

TEST(Report, ShowsFewOfManyFailures) {
  // 4 failures are shown, 3 more are kept, 993 were only counted.
  Certificate c = failing();
  verify::Verdict& verdict = c.verdicts[0];
  verdict.failures.resize(7, verdict.failures[0]);
  for (size_t k = 0; k < 7; ++k) verdict.failures[k].token = "token-" + std::to_string(k);
  verdict.failure_count = 1000;
  const std::string text = report(c, {"native", {}, 0});
  EXPECT_THAT(text, HasSubstr("token-3"));
  EXPECT_THAT(text, Not(HasSubstr("token-4")));
  EXPECT_THAT(text, HasSubstr("and 996 more; 3 of them in the certificate (--out)\n"));
  EXPECT_THAT(junit(c, {"native", {}, 0}), HasSubstr("token-6"));
  verdict.failure_count = 7;
  EXPECT_THAT(report(c, {"native", {}, 0}), HasSubstr("and 3 more, in the certificate (--out)\n"));
}

TEST(Report, JunitEscapes) {
  Certificate c = failing();
  c.verdicts[0].failures[0].note = "a < b && \"c\"";
  const std::string text = junit(c, {"native", {}, 0});
  EXPECT_THAT(text, HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_THAT(text, HasSubstr("a &lt; b &amp;&amp; &quot;c&quot;"));
}

TEST(Report, GroupsDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
}

/// Of the approximate track: one operation with a bound of 4.
Certificate approximate() {
  Certificate c = good();
  c.registry = {.digest = std::string(64, '1'), .approximate_operations = 1};
  Verdict v = good_operation("float.f32.exp_approx@1");
  v.track = verify::Track::Approximate;
  v.laws.clear();
  v.deviations = {4, {999'000, 990, 0, 10, 0}, 0, 3};
  c.verdicts = {v};
  return c;
}

TEST(Approximate, HasALevelOfItsOwn) {
  const Certificate c = approximate();
  EXPECT_EQ(c.level_line(), "approximate=L1a");
  EXPECT_TRUE(c.passed());
  const auto again = parse(print(c));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again, c);
  const auto statement = nlohmann::json::parse(statement_of(c));
  EXPECT_EQ(statement["predicate"]["track"], "approximate");
  EXPECT_EQ(statement["predicate"]["levels"],
            (nlohmann::json{{"approximate", "L1a"}, {"line", "approximate=L1a"}}));
  EXPECT_EQ(find_requirement("L1a"), (Requirement{verify::Track::Approximate, Level::L1}));
  EXPECT_EQ(find_requirement("approximate=L1a"), (Requirement{verify::Track::Approximate, Level::L1}));
  EXPECT_EQ(find_requirement("L2a"), std::nullopt);
  Certificate few = approximate();
  few.registry.approximate_operations = 5;
  EXPECT_EQ(few.level_line(), "approximate=L1a(1 of 5)");
}

TEST(Approximate, ErrorsAreReported) {
  const std::string text = report(approximate(), {"native", {}, 0});
  EXPECT_THAT(text, HasSubstr("errors in ULP"));
  EXPECT_THAT(text, HasSubstr("0: 999,000, 1: 990, 3: 10"));
  EXPECT_THAT(junit(approximate(), {"native", {}, 0}), HasSubstr("errors of at most 3 ULP, 4 are allowed"));
  EXPECT_THAT(report(good(), {"native", {}, 0}), Not(HasSubstr("errors in ULP")));
}

/// The same with a family of sums: 20 cases, of 28 sums.
Certificate with_sums() {
  Certificate c = approximate();
  c.registry.approximate_families = 1;
  Verdict v = good_family();
  v.subject = "ir.sums";
  v.track = verify::Track::Approximate;
  for (verify::OracleCases& oracle : v.parity) oracle.oracle = verify::Oracle::CpuReference;
  for (verify::Leaf& leaf : v.leaves) leaf.oracle = verify::Oracle::CpuReference;
  v.deviations = {64, std::vector<uint64_t>(65), 0, 2};
  v.deviations.counts[0] = 20, v.deviations.counts[2] = 8;
  c.verdicts.push_back(v);
  return c;
}

TEST(Approximate, FamiliesAreWanted) {
  const Certificate c = with_sums();
  EXPECT_EQ(c.level_line(), "approximate=L1a");
  const auto again = parse(print(c));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again, c);
  Certificate less = c;
  less.verdicts.pop_back();
  EXPECT_EQ(less.level_line(), "approximate=none");
  less = c;
  less.verdicts[1].deviations.beyond = 1;
  EXPECT_EQ(less.level_line(), "approximate=none");
  // A case may have several sums, but none may have none.
  less = c;
  less.verdicts[1].deviations.counts[0] -= 9;
  const auto refused = parse(print(less));
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("errors of"));
  // A registry from before there were families has none to want.
  less = approximate();
  EXPECT_THAT(statement_of(less), Not(HasSubstr("approximate_families")));
}

TEST(Approximate, ErrorsOfSumsHaveTheirUnit) {
  EXPECT_THAT(report(with_sums(), {"native", {}, 0}),
              HasSubstr("ir.sums: in ULP of the sum of magnitudes, rounded up"));
  EXPECT_THAT(junit(with_sums(), {"native", {}, 0}),
              HasSubstr("errors of at most 2 ULP of the sum of magnitudes, 64 are allowed; 0: "));
  Certificate wrong = with_sums();
  wrong.verdicts[1].deviations.beyond = 3;
  EXPECT_THAT(report(wrong, {"native", {}, 0}),
              HasSubstr("3 answers beyond their tolerances of at most 64 ULP of the sum of magnitudes"));
}

TEST(Approximate, WhatIsBeyondTheBoundHasNoLevel) {
  Certificate c = approximate();
  c.verdicts[0].deviations = {4, {999'000, 990, 0, 9, 0}, 1, 5};
  EXPECT_EQ(c.level_line(), "approximate=none");
  c = approximate();
  c.verdicts[0].deviations = {};
  EXPECT_EQ(c.level_line(), "approximate=none");
}

// covers: LV-07
TEST(Approximate, NeverSharesACertificateWithStrict) {
  const auto refused = [](const Certificate& c, std::string_view why) {
    const auto result = parse(print(c));
    ASSERT_FALSE(result.has_value()) << why;
    EXPECT_EQ(result.error().code, DiagCode::C002);
    EXPECT_THAT(result.error().message, HasSubstr(std::string(why)));
  };
  Certificate c = approximate();
  c.verdicts.push_back(good_operation());
  refused(c, "never share a certificate");
  c = good();
  c.verdicts.push_back(approximate().verdicts[0]);
  refused(c, "never share a certificate");
  c = good();
  c.verdicts[0].deviations = approximate().verdicts[0].deviations;
  refused(c, "a strict subject has errors");
  c = approximate();
  c.verdicts[0].deviations.counts[0] -= 1;
  refused(c, "errors of 999999 cases are reported, and 1000000 were judged");
  c = approximate();
  c.verdicts[0].deviations.greatest = 1;
  refused(c, "the greatest error is not that of the counts");
  c = approximate();
  c.verdicts[0].deviations.counts.pop_back();
  refused(c, "not counted up to the bound");
}

TEST(Registry, IsWholeAndStable) {
  // Generated engines are one more.
  EXPECT_EQ(this_registry().operations, operation_files::primitives() + operation_files::over_buffers(false) +
                                            1 + operation_files::tensors());
  EXPECT_EQ(this_registry().float_operations,
            operation_files::float_operations() + operation_files::over_buffers(true) +
                operation_files::tensors() - 1);  // `index` gives integers alone
  EXPECT_EQ(this_registry().tensors, 2 * operation_files::tensors() - 1);
  EXPECT_GE(this_registry().families, 9u);
  EXPECT_EQ(this_registry().digest.size(), 64u);
  EXPECT_EQ(this_registry().approximate_operations, 0u);
  EXPECT_EQ(this_registry(true).approximate_operations, operation_files::approximate_operations());
  EXPECT_EQ(this_registry(true).operations, 0u);
  EXPECT_NE(this_registry(true).digest, this_registry().digest);
}

}  // namespace
}  // namespace vyre::certify
