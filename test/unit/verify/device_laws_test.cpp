// Laws on the device, on the native backend: every law of the library, planted-false ones with their known
// counts, and backends that cheat.
#include "verify/device_laws.h"
#include "native.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <set>

#include "lower/codegen/ptx.h"
#include "ops/registry.h"
#include "oracle.h"
#include "verify/algebraic.h"
#include "verify/device_laws_code.h"

VYRE_ORACLE(SpecificationTable,
            "mathematics and IEEE 754: how often each law fails; the fault that was planted, and emitted "
            "code written by hand");

namespace vyre::verify {
namespace {

using algebra::BoundLaw;

BoundLaw bound(const spec::Law& law, std::string_view id) {
  auto out = algebra::bind(law, *ops::find_operation(id));
  EXPECT_TRUE(out) << out.error();
  return *out;
}

Result<DeviceLawVerdict> checked_on(backend::Backend& backend, const BoundLaw& law, uint64_t instances,
                                    uint64_t seed, const spec::OpTable& table = ops::op_table()) {
  Inspector inspector(backend, table);
  VYRE_TRY(compiled, DeviceLaw::make(backend, law, table));
  return check_law_on_device(*compiled, "device", instances, seed, {}, inspector);
}

TEST(DeviceLaws, AddCommutes) {
  const spec::Law law = spec::laws::commutative();
  const BoundLaw b = bound(law, "primitive.math.add");
  const auto found = checked_on(native(), b, 1u << 20, 42);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->evidence.holds) << found->counts.doubt();
  EXPECT_EQ(found->evidence.grade, "swept(1048576, 42, inspected)");
  EXPECT_EQ(found->evidence.cases, 1u << 20);
  // One chunk of 4096 in 64 has a run of 256 canaries.
  EXPECT_EQ(found->counts.canaries, 256u * (1u << 20) / 4096 / 64);
  EXPECT_GT(found->counts.samples, 0u);
}

// Two operations loop by themselves; every law without them must have whole code.
Inspected wanted_of(std::string_view name) {
  const bool loops = name.contains("primitive.math.gcd") || name.contains("primitive.math.lcm");
  return loops ? Inspected::NotInspected : Inspected::Whole;
}

/// Every law that the operations claim, with what was found on the native backend, where it holds.
void sweep_claims(const std::function<bool(std::string_view id)>& wanted, uint64_t instances,
                  const std::function<void(const std::string& law, const DeviceLawVerdict&)>& found_of) {
  Inspector inspector(native(), ops::op_table());
  for (const ops::Operation& operation : ops::all_operations()) {
    if (!wanted(operation.id)) continue;
    for (const spec::Law& law : operation.laws) {
      const std::string name = fmt::format("{} of {}", to_string(law), operation.id);
      const auto b = algebra::bind(law, operation);
      ASSERT_TRUE(b) << b.error();
      const auto compiled = DeviceLaw::make(native(), *b, ops::op_table());
      ASSERT_TRUE(compiled) << name << ": " << compiled.error().message;
      const auto found = check_law_on_device(**compiled, "device", instances, 1, {}, inspector);
      ASSERT_TRUE(found) << name << ": " << found.error().message;
      EXPECT_TRUE(found->evidence.holds) << name << ": " << found->counts.doubt();
      found_of(name, *found);
    }
  }
}

TEST(DeviceLaws, EveryClaimedLawOfTheLibraryHoldsAndIsWholeInLlvm) {
  size_t whole = 0;
  sweep_claims([](std::string_view id) { return !id.starts_with("float."); },  // of those the next test
               1u << 18,
               [&](const std::string& law, const DeviceLawVerdict& found) {
                 EXPECT_EQ(found.inspection.outcome, wanted_of(law))
                     << law << ": " << found.inspection.reason;
                 whole += found.inspection.outcome == Inspected::Whole;
               });
  EXPECT_GE(whole, 100u);
}

// Of floats the device counts, sees its canaries and agrees with the host in both sides; the code of anything
// but words is not inspected, and the evidence says so.
TEST(DeviceLaws, ThoseOfFloatsHoldAndSayThatTheyWereNotInspected) {
  size_t laws = 0;
  const auto some = [](std::string_view id) {
    return id.starts_with("float.f32.") || id == "float.f16.add" || id == "float.f16.to_f32" ||
           id == "float.bf16.min";
  };
  sweep_claims(some, 1u << 17, [&](const std::string& law, const DeviceLawVerdict& found) {
    EXPECT_GT(found.counts.samples, 0u) << law;
    EXPECT_EQ(found.inspection.outcome, Inspected::NotInspected) << law;
    ++laws;
  });
  EXPECT_GE(laws, 50u);
}

TEST(DeviceLaws, FalseOnesOfFloatsFailOnTheDevice) {
  // IEEE 754: these are false, and the device itself must find an instance.
  const std::pair<spec::Law, std::string_view> cases[] = {
      {spec::laws::associative(), "float.f32.add"},
      {spec::laws::commutative(), "float.f16.sub"},
      {spec::laws::monotone(), "float.f32.neg"},
      {spec::laws::identity(0x3f800000), "float.f32.min"}};
  for (const auto& [law, id] : cases) {
    const BoundLaw b = bound(law, id);
    const auto compiled = DeviceLaw::make(native(), b, ops::op_table());
    ASSERT_TRUE(compiled) << compiled.error().message;
    const auto counts = (*compiled)->run(random_sweep(b, 1u << 17, 1), {});
    ASSERT_TRUE(counts) << counts.error().message;
    EXPECT_EQ(counts->doubt(), "") << id;
    EXPECT_GT(counts->failures, 0u) << to_string(law) << " of " << id;
  }
}

Result<backend::EmittedCode> ptx_of(const check::Checked& checked) {
  VYRE_TRY(module, lower::emit_ptx(lower::legalize(lower::build(checked), lower::kPtxTarget), {.sm = 90}));
  return backend::EmittedCode{"ptx", module.text};
}

TEST(DeviceLaws, PtxHasEveryInstanceOfEveryOperation) {
  Inspector inspector(&ptx_of, ops::op_table());
  size_t whole = 0;
  for (const ops::Operation& operation : ops::all_operations()) {
    if (operation.id.starts_with("float.")) continue;  // words alone are counted
    for (const spec::Law& law : operation.laws) {
      const std::string name = fmt::format("{} of {}", to_string(law), operation.id);
      const auto b = algebra::bind(law, operation);
      const auto found = inspector.inspect(*b);
      ASSERT_TRUE(found) << name << ": " << found.error().message;
      EXPECT_EQ(found->outcome, wanted_of(name)) << name << ": " << found->reason;
      whole += found->outcome == Inspected::Whole;
    }
  }
  EXPECT_GE(whole, 100u);
}

// Without masks a compiler sees that both sides are the same: inspection must see that they are gone.
TEST(DeviceLaws, InspectionRefusesWhatWasFolded) {
  const std::pair<spec::Law, std::string_view> cases[] = {
      {spec::laws::commutative(), "primitive.math.add"},
      {spec::laws::commutative(), "primitive.math.mul"},
      {spec::laws::involution(), "primitive.bitwise.not"},
      {spec::laws::involution(), "primitive.bitwise.reverse_bits"},
      {spec::laws::self_inverse(0), "primitive.bitwise.xor"},
      {spec::laws::idempotent(), "primitive.math.min"},
      {spec::laws::self_inverse(1), "primitive.compare.eq"}};
  Inspector inspectors[] = {Inspector(native(), ops::op_table()), Inspector(&ptx_of, ops::op_table())};
  for (const auto& [law, id] : cases) {
    const BoundLaw b = bound(law, id);
    for (Inspector& inspector : inspectors) {
      const auto found = inspector.inspect(b, {.opaque = false});
      ASSERT_TRUE(found);
      EXPECT_EQ(found->outcome, Inspected::Folded) << to_string(law) << " of " << id;
    }
  }
}

// Code that is not shown, not read, or not written as it is read here is no evidence against the device.
TEST(DeviceLaws, WhatCannotBeReadIsNotInspected) {
  const spec::Law law = spec::laws::commutative();
  const std::pair<backend::EmittedCode, std::string_view> cases[] = {
      {{}, "not inspected: the backend shows no code"},
      {{"spirv", "OpIAdd"}, "not inspected: code of the form spirv is not read"},
      {{"llvm", "entry:\n  ret void\n"},
       "not inspected: no loop of one block has the instances of primitive.math.add alone"}};
  for (const auto& [code, said] : cases) {
    Inspector inspector([&](const check::Checked&) { return code; }, ops::op_table());
    const auto found = inspector.inspect(bound(law, "primitive.math.add"));
    ASSERT_TRUE(found);
    EXPECT_EQ(text(*found), said);
  }
}

TEST(DeviceLaws, InstructionsAreCountedByLanes) {
  const auto llvm = marked_blocks({"llvm", R"(
entry:
  %a = mul i32 %x, 3
  br label %loop
loop:                                             ; preds = %loop, %entry
  %v = add nuw <8 x i32> %p, %q
  %i = add i64 %j, 8
  %c = tail call range(i32 0, 33) <8 x i32> @llvm.ctpop.v8i32(<8 x i32> %v)
  %n = icmp ne <8 x i32> %c, %v
  %m = select <8 x i1> %n, <8 x i32> splat (i32 1592597053), <8 x i32> zeroinitializer
  br i1 %e, label %out, label %loop
out:
  ret void
})"});
  ASSERT_EQ(llvm.size(), 1u);
  EXPECT_EQ(llvm[0].instances, 8u);
  EXPECT_EQ(llvm[0].counts, (InstructionCounts{{"add", 7}, {"ctpop", 8}, {"icmp", 7}}));
  const auto ptx = marked_blocks({"ptx", R"(
	mul.lo.s32 	%r1, %r2, 3;
$L__BB0_6:
	min.u32 	%r3, %r4, %r5;
	mad.lo.s32 	%r6, %r3, %r7, %r8;
	setp.ne.s32 	%p1, %r6, %r3;
	selp.b32 	%r9, 1592597053, 0, %p1;
	selp.b32 	%r10, 1592597053, %r9, %p2;
	setp.ne.s32 	%p3, %r10, 0;
	@%p3 bra 	$L__BB0_6;
)"});
  ASSERT_EQ(ptx.size(), 1u);
  EXPECT_EQ(ptx[0].instances, 1u);
  EXPECT_EQ(ptx[0].counts, (InstructionCounts{{"add", 0}, {"icmp", 1}, {"mul", 1}, {"umin", 1}}));
}

// Which operations an optimiser can move `^` through.
TEST(DeviceLaws, XorPassesThroughAffineOperationsAndEquality) {
  for (const std::string_view id :
       {"primitive.bitwise.xor", "primitive.bitwise.not", "primitive.bitwise.reverse_bits",
        "primitive.compare.eq", "primitive.compare.ne"}) {
    EXPECT_TRUE(xor_passes(*ops::find_operation(id))) << id;
  }
  for (const std::string_view id :
       {"primitive.bitwise.and", "primitive.bitwise.or", "primitive.bitwise.popcount", "primitive.math.add",
        "primitive.math.mul", "primitive.math.negate", "primitive.compare.lt",
        "primitive.compare.logical_and"}) {
    EXPECT_FALSE(xor_passes(*ops::find_operation(id))) << id;
  }
}

/// Half of a sum, whose composition takes `^` of its operands: docs/adding-an-op.md.
ops::Operation avg_floor() {
  ops::Operation o;
  o.id = "primitive.math.avg_floor";
  o.signature = ops::words(2);
  o.parameter_names = {"a", "b"};
  o.reference = [](const uint32_t* x) { return uint32_t((uint64_t{x[0]} + x[1]) / 2); };
  o.compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) {
    return (p[0] & p[1]) + ((p[0] ^ p[1]) >> 1);
  };
  o.laws = {spec::laws::commutative(), spec::laws::idempotent(),
            spec::laws::distributive_over("primitive.math.min")};
  return o;
}

// Of one word, (a ^ y) ^ (a ^ z) is y ^ z, which a compiler computes before the loop: with such masks the
// law would be found folded, though nothing is wrong with it.
TEST(DeviceLaws, AnOperationThatTakesBitsTogetherInsideIsWhole) {
  const ops::Operation operation = avg_floor();
  const ir::Function body = ops::body_of(operation);
  EXPECT_TRUE(compares_bits(body));
  EXPECT_FALSE(compares_bits(ops::body_of(*ops::find_operation("primitive.math.add"))));
  spec::OpTable table = ops::op_table();
  ASSERT_TRUE(table.add({std::string(operation.id), 1, operation.signature, operation.category, &body}));
  for (const spec::Law& law : operation.laws) {
    const auto b = algebra::bind(law, operation);
    ASSERT_TRUE(b) << b.error();
    const auto found = checked_on(native(), *b, 1u << 18, 1, table);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(found->evidence.holds) << to_string(law) << ": " << found->counts.doubt();
    EXPECT_EQ(found->inspection.outcome, Inspected::Whole)
        << to_string(law) << ": " << found->inspection.reason;
  }
}

TEST(DeviceLaws, ValuesComeFromTheFormula) {
  // The finalizer of MurmurHash3 takes 1 to 0x514e28b7; the rest by hand.
  Sweep sweep;
  sweep.variables = {
      {.random = UINT32_MAX, .least_step = 1}, {.grid_shift = 8, .grid_mask = 255}, {.least_step = 3}};
  const spec::DataType types[] = {spec::DataType::U32, spec::DataType::U32, spec::DataType::Bool};
  uint32_t v[3];
  sweep.values(1, 0, types, v);
  EXPECT_THAT(v, testing::ElementsAre(0x514e28b7u, 0u, 0u));
  sweep.values(0x1234, 5, types, v);
  EXPECT_EQ(v[1], 0x12u);
  EXPECT_EQ(v[2], 1u);  // 15 & 1
  sweep.fold = 4;
  sweep.variables[0] = {.least_step = 0x10};
  sweep.values(0, 2, types, v);
  EXPECT_EQ(v[0], 0x22u);  // 0x20 ^ 0x2
}

TEST(DeviceLaws, PlantedLawsFailExactlyAsOftenAsTheyMust) {
  const auto found = check_planted_laws_on_device(native(), 3, 0, 1, {});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), algebra::planted_laws().size());
  for (const DevicePlantedVerdict& t : *found) {
    EXPECT_TRUE(t.exact) << t.planted->proof << ": " << t.failures << " of " << t.expected;
    EXPECT_EQ(t.instances, 3 * t.planted->instances);
  }
}

// What stands still must do so in every walk, and what walks must meet no word twice in the first 2^16.
TEST(DeviceLaws, OneVariableWalksAndTheOthersStandStill) {
  for (const uint32_t walk : {0u, 1u, 2u, 7u}) {
    for (const size_t walker : {size_t{0}, size_t{2}}) {
      const Sweep sweep = walking_sweep(3, walker, walk, 42);
      const std::array types = {spec::DataType::U32, spec::DataType::U32, spec::DataType::U32};
      std::array<uint32_t, 3> first{}, now{};
      sweep.values(walk, 0, types, first);
      std::set<uint32_t> met;
      for (uint32_t number = 0; number < 1u << 16; ++number) {
        sweep.values(walk, number, types, now);
        met.insert(now[walker]);
        now[walker] = first[walker];
        ASSERT_EQ(now, first) << "walk " << walk << ", number " << number;
      }
      EXPECT_EQ(met.size(), size_t{1} << 16);
    }
  }
}

// a - b = b - a only where 2a = 2b: for a fixed b two of all words.
TEST(DeviceLaws, AWalkThroughAllWordsFindsTheTwoExceptions) {
  const algebra::PlantedLaw& planted = algebra::planted_laws()[0];
  const auto b = algebra::bind(planted.law, *planted.operation, algebra::find_planted_operation);
  const auto law = DeviceLaw::make(native(), *b, algebra::planted_table());
  ASSERT_TRUE(law);
  const auto counts = (*law)->run(walking_sweep(2, 0, 7, 42));
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->doubt(), "");
  EXPECT_EQ(counts->instances, uint64_t{1} << 32);
  EXPECT_EQ(counts->failures, 4294967294u);
}

TEST(DeviceLaws, AFalseLawComesWithACounterexample) {
  const spec::Law law = spec::laws::commutative();
  const BoundLaw b = bound(law, "primitive.math.sub");
  const auto found = checked_on(native(), b, 1u << 18, 3);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->evidence.holds);
  EXPECT_GT(found->counts.failures, 262'000u);
  ASSERT_TRUE(found->counterexample);
  const std::vector<uint32_t>& v = *found->counterexample;
  EXPECT_NE(v[0] - v[1], v[1] - v[0]);
  EXPECT_LE(std::max(v[0], v[1]), 1u);
}

TEST(DeviceLaws, AllPairsOfU16AreRun) {
  // Mathematics: a = b in 2^16 of 2^32 pairs.
  // a - b = b - a where a = b; full-width also where they are 2^31 apart, which no u16 are.
  const algebra::PlantedLaw& commutative = algebra::planted_laws()[size_t(spec::LawKind::Commutative)];
  const auto b = algebra::bind(commutative.law, *commutative.operation, algebra::find_planted_operation);
  ASSERT_TRUE(has_u16_pairs(*b));
  const auto device = DeviceLaw::make(native(), *b, algebra::planted_table());
  ASSERT_TRUE(device);
  const auto found = exhaust_u16_on_device(**device, "device", {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->counts.instances, uint64_t{1} << 32);
  EXPECT_EQ(found->counts.failures, (uint64_t{1} << 32) - (uint64_t{1} << 16));
  EXPECT_FALSE(found->evidence.holds);
  EXPECT_EQ(found->evidence.grade, "exhausted(u16^2)");
  ASSERT_TRUE(found->counterexample);
  EXPECT_EQ(*found->counterexample, (std::vector<uint32_t>{0, 1}));
}

// A law that fails only rarely: x + 1 > x but for the greatest word.
TEST(DeviceLaws, OneFailureInAllWordsIsFound) {
  const algebra::PlantedLaw& bounded = algebra::planted_laws()[size_t(spec::LawKind::Bounded)];
  const spec::Law law = spec::laws::bounded(0, 0xfffffffe);
  const auto b = algebra::bind(law, *bounded.operation, algebra::find_planted_operation);
  const auto device = DeviceLaw::make(native(), *b, algebra::planted_table());
  ASSERT_TRUE(device);
  const Sweep sweep = walking_sweep(1, 0, 0, 9);
  const auto counts = (*device)->run(sweep);
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->failures, 1u);
  const auto found = (*device)->find(sweep, *counts->first_chunk, *counts->first_start);
  ASSERT_TRUE(found);
  ASSERT_TRUE(*found);
  EXPECT_EQ(**found, std::vector<uint32_t>{0xffffffff});
}

/// Native, but for what becomes of a dispatch, or of code that is shown.
using Tamper =
    std::function<Result<void>(backend::Pipeline&, std::span<const backend::DeviceRange>, layout::Groups)>;
using Forge = std::function<Result<backend::EmittedCode>(backend::Pipeline&)>;
class Tampering final : public backend::Backend {
 public:
  explicit Tampering(
      Tamper tamper, Forge forge = [](backend::Pipeline& real) { return real.code(); })
      : tamper_(std::move(tamper)), forge_(std::move(forge)) {}
  bool isolated() const override { return true; }
  Result<void> restart() override { return is_late = false, Result<void>{}; }
  Result<void> drain() override {
    if (!is_late) return {};
    is_late = false;
    return std::unexpected(make_diag(DiagCode::B012, Span::none(), "memory changed afterwards"));
  }
  bool is_late = false;  // something will be written that must not
  backend::Identity identity() const override { return native().identity(); }
  backend::Limits limits() const override { return native().limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    VYRE_TRY(pipeline, native().compile(program));
    return std::make_unique<TamperingPipeline>(std::move(pipeline), tamper_, forge_);
  }

 private:
  class TamperingPipeline final : public backend::Pipeline {
   public:
    TamperingPipeline(std::unique_ptr<backend::Pipeline> real, const Tamper& tamper, const Forge& forge)
        : real_(std::move(real)), tamper_(tamper), forge_(forge) {}
    Result<backend::EmittedCode> code() override { return forge_(*real_); }
    Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
      return real_->dispatch(host, groups);
    }
    Result<void> dispatch_resident(std::span<const backend::DeviceRange> ranges,
                                   layout::Groups groups) override {
      return tamper_(*real_, ranges, groups);
    }

   private:
    std::unique_ptr<backend::Pipeline> real_;
    const Tamper& tamper_;
    const Forge& forge_;
  };
  const Tamper tamper_;
  const Forge forge_;
};
Result<void> run_honestly(backend::Pipeline& real, std::span<const backend::DeviceRange> ranges,
                          layout::Groups groups) {
  return real.dispatch_resident(ranges, groups);
}

// A certificate holds the dispatches, and must have the same bytes wherever it is made.
TEST(DeviceLaws, HowFastADeviceIsChangesNoCount) {
  VYRE_ORACLE(Property, "docs/certificate.md: no time, nothing of how the work was spread");
  const auto three = std::ranges::find_if(algebra::planted_laws(), [](const algebra::PlantedLaw& planted) {
    return algebra::bind(planted.law, *planted.operation, algebra::find_planted_operation)
               ->variables.size() == 3;
  });
  ASSERT_NE(three, algebra::planted_laws().end());
  const std::span<const algebra::PlantedLaw> one(&*three, 1);
  size_t slices = 0;
  Tampering slow([&](backend::Pipeline& real, auto ranges, layout::Groups groups) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(25);  // slices do not grow
    while (std::chrono::steady_clock::now() < end) {
    }
    ++slices;
    return run_honestly(real, ranges, groups);
  });
  const auto slowly = check_planted_laws_on_device(slow, 1, 0, 1, {}, one);
  const auto fast = check_planted_laws_on_device(native(), 1, 0, 1, {}, one);
  ASSERT_TRUE(slowly && fast);
  ASSERT_EQ(slowly->size(), 1u);
  EXPECT_GT(slices, 8u);
  EXPECT_EQ(slowly->front().dispatches, 1u);
  EXPECT_EQ(fast->front().dispatches, 1u);
}

std::string doubt_about(Tamper tamper) {
  Tampering cheat(std::move(tamper));
  const spec::Law law = spec::laws::commutative();
  const BoundLaw b = bound(law, "primitive.math.add");
  const auto found = checked_on(cheat, b, 1u << 22, 1);
  EXPECT_TRUE(found);
  EXPECT_FALSE(found->evidence.holds);
  return found->counts.doubt();
}

std::span<uint32_t> words(const backend::DeviceRange& range) {
  const auto bytes = range.buffer->host();
  return {reinterpret_cast<uint32_t*>(bytes.data()), bytes.size() / 4};
}

TEST(DeviceLaws, ADispatchThatDoesNothingIsNoEvidence) {
  EXPECT_EQ(doubt_about([](auto&, auto, auto) { return Result<void>{}; }), "0 of 4198400 instances were run");
}

TEST(DeviceLaws, WorkgroupsThatAreLeftOutAreMissed) {
  EXPECT_EQ(doubt_about([](backend::Pipeline& real, auto ranges, layout::Groups groups) {
              return real.dispatch_resident(ranges, {groups.x / 2, 1, 1});
            }),
            "2099200 of 4198400 instances were run");
}

// A kernel that never sees a difference does not see the canaries either.
TEST(DeviceLaws, ACountOfFailuresThatNeverMovesMissesTheCanaries) {
  EXPECT_THAT(doubt_about([](backend::Pipeline& real, auto ranges, layout::Groups groups) -> Result<void> {
                const std::vector<uint32_t> before(words(ranges[1]).begin(), words(ranges[1]).end());
                VYRE_CHECK(real.dispatch_resident(ranges, groups));
                for (size_t k = 0; k < before.size(); ++k) {
                  if (k % kCounts != size_t(DeviceCount::Completed)) words(ranges[1])[k] = before[k];
                }
                return {};
              }),
              testing::HasSubstr("0 of 4096 canaries were seen"));
}

// Right about the law, wrong about the values.
TEST(DeviceLaws, SidesAreHeldToTheReferenceFunctions) {
  EXPECT_THAT(doubt_about([](backend::Pipeline& real, auto ranges, layout::Groups groups) -> Result<void> {
                VYRE_CHECK(real.dispatch_resident(ranges, groups));
                words(ranges[2])[2] ^= 1;
                words(ranges[2])[3] ^= 1;
                return {};
              }),
              testing::HasSubstr("1 of 1024 samples are wrong"));
}

/// Certification's sweep of the laws of an operation, which must be there as the other engines leave them.
Verdict swept_on(backend::Backend& backend, const ops::Operation& operation, uint64_t instances) {
  Verdict verdict;
  for (const spec::Law& law : operation.laws) verdict.laws.push_back({to_string(law), true, {}});
  const auto swept = sweep_laws(backend, operation, "device", instances, false, 1, {}, verdict);
  EXPECT_TRUE(swept) << swept.error().message;
  return verdict;
}

// The code of the one law is what a compiler leaves of it that sees both sides; all others are whole.
TEST(DeviceLaws, ALawWhoseCodeIsFoldedFails) {
  const ops::Operation& add = *ops::find_operation("primitive.math.add");
  const spec::Law law = spec::laws::commutative();
  const BoundLaw b = bound(law, add.id);
  const auto checked = check::check(law_program(b, {.opaque = false}).program, ops::op_table());
  ASSERT_TRUE(checked);
  const auto folded = native().compile(*checked);
  ASSERT_TRUE(folded);
  ASSERT_EQ(add.laws[0], law);
  size_t shown = 0;
  Tampering cheat(run_honestly,
                  [&](backend::Pipeline& real) { return shown++ == 0 ? (*folded)->code() : real.code(); });
  const Verdict verdict = swept_on(cheat, add, 1u << 18);
  ASSERT_GE(verdict.laws.size(), 3u);
  for (size_t k = 0; k < verdict.laws.size(); ++k) {
    ASSERT_EQ(verdict.laws[k].evidence.size(), 1u);
    const Evidence& e = verdict.laws[k].evidence[0];
    EXPECT_EQ(e.holds, k != 0) << verdict.laws[k].law;
    EXPECT_EQ(e.grade,
              k == 0 ? "swept(262144, 1, folded: no instance is left)" : "swept(262144, 1, inspected)");
  }
  ASSERT_EQ(verdict.failures.size(), 1u);
  EXPECT_EQ(verdict.failures[0].fault, Fault::Law);
  EXPECT_EQ(verdict.failures[0].oracle, "Commutative");
  EXPECT_THAT(verdict.failures[0].note, testing::HasSubstr("lacks applications: no instance is left"));
}

TEST(DeviceLaws, OperationsThatLoopAreSweptAndNotInspected) {
  const Verdict verdict = swept_on(native(), *ops::find_operation("primitive.math.gcd"), 1u << 18);
  ASSERT_FALSE(verdict.laws.empty());
  for (const LawVerdict& law : verdict.laws) {
    ASSERT_EQ(law.evidence.size(), 1u);
    EXPECT_TRUE(law.evidence[0].holds);
    EXPECT_THAT(law.evidence[0].grade, testing::StartsWith("swept("));
    EXPECT_THAT(law.evidence[0].grade,
                testing::HasSubstr(", 1, not inspected: control flow in its operations)"));
  }
}

/// Whether a dispatch has an instance: by its parameters, which stand in the order of Parameter (private to
/// programs; here read off the first words: first chunk, stride, start, stride, runs, length, threads).
bool has_instance(std::span<const uint32_t> p, uint32_t chunk, uint32_t number) {
  for (uint32_t t = 0; t < p[6]; ++t) {
    const uint32_t first = p[2] + t * p[3];
    if (p[0] + t * p[1] == chunk && number - first < p[4] * p[5]) return true;
  }
  return false;
}
Tamper dies_at(uint32_t chunk, uint32_t number, DiagCode code, size_t* deaths) {
  return [=](backend::Pipeline& real, auto ranges, layout::Groups groups) -> Result<void> {
    if (!has_instance(words(ranges[0]), chunk, number)) return real.dispatch_resident(ranges, groups);
    ++*deaths;
    return std::unexpected(make_diag(code, Span::none(), "it is gone"));
  };
}

TEST(DeviceLaws, TheInstanceThatKillsIsNamedAndTheOtherLawsGoOn) {
  // The formula for values, at the instance that kills; every other law of the operation is swept.
  const ops::Operation& add = *ops::find_operation("primitive.math.add");
  constexpr uint32_t kChunk = 37, kNumber = 1234;
  for (const auto& [code, fault] :
       {std::pair{DiagCode::B009, Fault::Crashed}, std::pair{DiagCode::B010, Fault::Hung},
        std::pair{DiagCode::B011, Fault::LostDevice}}) {
    size_t deaths = 0;
    Tampering cheat(dies_at(kChunk, kNumber, code, &deaths));
    const Verdict verdict = swept_on(cheat, add, 1u << 18);
    EXPECT_GE(deaths, 3u);
    // All laws have an instance with these numbers.
    ASSERT_EQ(verdict.failures.size(), add.laws.size());
    for (size_t k = 0; k < add.laws.size(); ++k) {
      const BoundLaw b = bound(add.laws[k], add.id);
      std::vector<uint32_t> values(b.variables.size());
      random_sweep(b, 1u << 18, 1).values(kChunk, kNumber, b.variables, values);
      EXPECT_EQ(verdict.failures[k].fault, fault);
      EXPECT_EQ(verdict.failures[k].input, values);
      EXPECT_EQ(verdict.failures[k].oracle, to_string(add.laws[k]));
      ASSERT_EQ(verdict.laws[k].evidence.size(), 1u);
      EXPECT_FALSE(verdict.laws[k].evidence[0].holds);
      EXPECT_THAT(verdict.laws[k].evidence[0].grade, testing::StartsWith("none: "));
    }
  }
}

// A device that dies once, and never again, is not said to die of an instance.
TEST(DeviceLaws, ADeathThatDoesNotComeAgainIsChance) {
  bool died = false;
  Tampering cheat([&](backend::Pipeline& real, auto ranges, layout::Groups groups) -> Result<void> {
    if (!died) {
      died = true;
      return std::unexpected(make_diag(DiagCode::B009, Span::none(), "it is gone"));
    }
    return real.dispatch_resident(ranges, groups);
  });
  const Verdict verdict = swept_on(cheat, *ops::find_operation("primitive.math.add"), 1u << 18);
  ASSERT_EQ(verdict.failures.size(), 1u);
  EXPECT_EQ(verdict.failures[0].fault, Fault::Flaky);
  for (size_t k = 1; k < verdict.laws.size(); ++k) EXPECT_TRUE(verdict.laws[k].evidence.at(0).holds);
}

// Nothing is said until the backend settles, which is after all laws: the one is found all the same.
TEST(DeviceLaws, WhatIsWrittenLateNamesTheLawAndTheInstance) {
  const ops::Operation& add = *ops::find_operation("primitive.math.add");
  constexpr uint32_t kChunk = 11, kNumber = 300;
  const spec::Law culprit = spec::laws::associative();  // the one with three variables
  const BoundLaw b = bound(culprit, add.id);
  const auto parameters = DeviceLaw::make(native(), b, ops::op_table());
  ASSERT_TRUE(parameters);
  const size_t size = (*parameters)->program().parameter_words;
  Tampering* self = nullptr;
  Tampering cheat([&](backend::Pipeline& real, auto ranges, layout::Groups groups) -> Result<void> {
    const auto p = words(ranges[0]);
    self->is_late |= p.size() == size && has_instance(p, kChunk, kNumber);
    return real.dispatch_resident(ranges, groups);
  });
  self = &cheat;
  const Verdict verdict = swept_on(cheat, add, 1u << 18);
  std::vector<uint32_t> values(3);
  random_sweep(b, 1u << 18, 1).values(kChunk, kNumber, b.variables, values);
  ASSERT_EQ(verdict.failures.size(), 1u);
  EXPECT_EQ(verdict.failures[0].oracle, "Associative");
  EXPECT_EQ(verdict.failures[0].input, values);
  EXPECT_THAT(verdict.failures[0].note, testing::HasSubstr("memory changed afterwards"));
}

// A device that answers applications and runs no program of a law is not believed: all its counts are
// missing.
TEST(DeviceLaws, PlantedLawsAreCountedByTheDeviceInCertificationToo) {
  for (const bool runs : {true, false}) {
    Tampering cheat([=](backend::Pipeline& real, auto ranges, layout::Groups groups) {
      return runs ? real.dispatch_resident(ranges, groups) : Result<void>{};
    });
    const Verdict verdict = check_planted_laws(cheat, 1, {});
    EXPECT_EQ(verdict.error, "");
    ASSERT_EQ(verdict.parity.size(), 1u);
    // On the definition, twice as applications, and as programs.
    const uint64_t planted_laws = algebra::planted_laws().size();
    EXPECT_EQ(verdict.parity[0].tally, (Tally{4 * planted_laws, 4 * planted_laws, runs ? 0 : planted_laws}));
    EXPECT_EQ(verdict.failure_count, runs ? 0 : planted_laws);
    for (const Failure& f : verdict.failures) {
      EXPECT_EQ(f.fault, Fault::Law);
      EXPECT_THAT(f.note, testing::HasSubstr("instances were run"));
    }
  }
}

}  // namespace
}  // namespace vyre::verify
