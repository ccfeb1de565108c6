// Subgroup operations: each of them at several sizes, and in every place where an expression can stand.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "base/random.h"
#include "oracle.h"
#include "run_text.h"
#include "spec/intrinsics.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Operators\", and ref.h, check_subgroups; values worked out by hand");

namespace vyre::ref {
namespace {

using spec::Intrinsic;

constexpr uint32_t kMembers = 128;  // of a workgroup
constexpr uint32_t kGroups = 2;
constexpr uint32_t kAll = kMembers * kGroups;

const spec::OpTable& intrinsics() {
  static const spec::OpTable table = [] {
    spec::OpTable out;
    spec::add_intrinsics(out);
    return out;
  }();
  return table;
}

std::vector<Words> run_subgroups(std::string_view text, std::vector<Words> buffers, uint32_t size,
                                 layout::Groups groups = {kGroups, 1, 1}) {
  auto result = try_run(checked(text, intrinsics()), std::move(buffers), groups, {.subgroup_size = size});
  if (!result) {
    ADD_FAILURE() << render(result.error(), nullptr);
    return {};
  }
  return *std::move(result);
}

/// What the operation gives to the lane that stands at `i`, written down without reference to the evaluator:
/// from where its subgroup begins, and how many lanes it has.
Words expected(Intrinsic intrinsic, const Words& a, const Words& b, uint32_t i, uint32_t size) {
  const uint32_t begin = i / size * size, end = begin + size;
  uint64_t sum = 0, before = 0;
  uint32_t least = a[begin], most = a[begin], common = a[begin], any = 0, odd = 0, set = 0;
  Words ballot(4);
  for (uint32_t k = begin; k < end; ++k) {
    sum += a[k];
    if (k < i) before += a[k];
    if (a[k] < least) least = a[k];
    if (a[k] > most) most = a[k];
    common = ~(~common | ~a[k]);
    any = ~(~any & ~a[k]);
    odd = (odd | a[k]) - (odd & a[k]);
    if (a[k] == 0) continue;
    ++set;
    ballot[(k - begin) / 32] += 1u << (k - begin) % 32;
  }
  switch (intrinsic) {
    case Intrinsic::SubgroupSize: return {size};
    case Intrinsic::SubgroupLane: return {i - begin};
    case Intrinsic::SubgroupShuffle: return {a[begin + b[i] % size]};
    case Intrinsic::SubgroupBallot: return ballot;
    case Intrinsic::SubgroupAny: return {set > 0 ? 1u : 0u};
    case Intrinsic::SubgroupAll: return {set == size ? 1u : 0u};
    case Intrinsic::SubgroupReduceAdd: return {uint32_t(sum % (1ull << 32))};
    case Intrinsic::SubgroupReduceMin: return {least};
    case Intrinsic::SubgroupReduceMax: return {most};
    case Intrinsic::SubgroupReduceAnd: return {common};
    case Intrinsic::SubgroupReduceOr: return {any};
    case Intrinsic::SubgroupReduceXor: return {odd};
    case Intrinsic::SubgroupScanAdd: return {uint32_t((before + a[i]) % (1ull << 32))};
    case Intrinsic::SubgroupScanAddExclusive: return {uint32_t(before % (1ull << 32))};
  }
  return {};
}

/// Words of which some are zero, some small and some large, and subgroups of only zeros, or of none.
Words some_words(uint64_t seed) {
  RandomStream random(seed, 0);
  Words out(kAll);
  for (uint32_t i = 0; i < kAll; ++i) {
    out[i] = random.chance(3) ? 0 : random.chance(2) ? random.below(100) : random.next();
  }
  std::fill(out.begin() + 32, out.begin() + 64, 0);
  for (uint32_t i = 64; i < 96; ++i) out[i] |= 0x10001;
  return out;
}

class Sizes : public testing::TestWithParam<uint32_t> {};

TEST_P(Sizes, EveryOperationGivesWhatItSays) {
  VYRE_ORACLE(CpuReference, "expected() above");
  const uint32_t size = GetParam();
  Words dense = some_words(2);
  for (uint32_t& word : dense) word |= 0x80000000;
  for (const Words& a : {some_words(1), dense}) {
    const Words b = some_words(3);
    for (const spec::IntrinsicInfo& info : spec::kIntrinsics) {
      const char* arguments[] = {"()", "(a[i])", "(a[i], b[i])"};
      const bool wide = info.output == spec::DataType::Vec4U32;
      const std::string text = "program p(read a: u32 @0, read b: u32 @1, read_write out: " +
                               std::string(spec::text(info.output)) +
                               " @2) workgroup(8, 4, 4) {\n  let i = workgroup_id.x * 128 + local_id.x + 8 * "
                               "local_id.y + 32 * local_id.z;\n"
                               "  out[i] = " +
                               std::string(info.id) + arguments[info.input_count] + ";\n}";
      const auto buffers = run_subgroups(text, {a, b, Words(kAll * (wide ? 4 : 1))}, size);
      ASSERT_EQ(buffers.size(), 3u);
      Words wanted;
      for (uint32_t i = 0; i < kAll; ++i) {
        for (const uint32_t word : expected(info.intrinsic, a, b, i, size)) wanted.push_back(word);
      }
      EXPECT_EQ(buffers[2], wanted) << info.id;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Subgroups, Sizes, testing::Values(1, 4, 32, 128), testing::PrintToStringParamName());

struct Refusal {
  uint32_t size;
  uint32_t workgroup;
  DiagCode code;
};

TEST(Subgroups, AreRefusedWhereTheyDoNotFit) {
  for (const Refusal& refusal :
       {Refusal{0, 8, DiagCode::B002}, Refusal{8, 12, DiagCode::B008}, Refusal{16, 8, DiagCode::B008},
        Refusal{3, 12, DiagCode::B003}, Refusal{256, 256, DiagCode::B003}}) {
    const auto program =
        checked("program p(read_write out: u32 @0) workgroup(" + std::to_string(refusal.workgroup) +
                    ", 1, 1) { out[local_id.x] = subgroup.reduce_or(1); }",
                intrinsics());
    const auto result = try_run(program, {Words(4)}, {}, {.subgroup_size = refusal.size});
    ASSERT_FALSE(result) << refusal.size;
    EXPECT_EQ(result.error().code, refusal.code) << refusal.size;
    EXPECT_FALSE(result.error().help.empty());
  }
}

TEST(Subgroups, DoNotConcernOtherPrograms) {
  const auto program =
      checked("program p(read_write out: u32 @0) workgroup(3, 1, 1) { out[local_id.x] = 7; }", {});
  for (const uint32_t size : {0u, 4u}) {
    const auto result = try_run(program, {Words(3)}, {}, {.subgroup_size = size});
    ASSERT_TRUE(result);
    EXPECT_EQ((*result)[0], (Words{7, 7, 7}));
  }
}

}  // namespace
}  // namespace vyre::ref
