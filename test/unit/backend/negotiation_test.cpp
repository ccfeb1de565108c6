// Conventions and operations of category C: what is asked before a program is compiled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "backend/backend.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "ir-types, \"Convention\", convention.h, backend.h, and B002 and B007 of diag.def");

namespace vyre::backend {
namespace {

using spec::Convention;
using spec::Intrinsic;
using testing::HasSubstr;

check::Checked program(std::string_view buffers, std::string_view body = {}) {
  spec::OpTable ops;
  spec::add_intrinsics(ops);
  const std::string text =
      "program p(" + std::string(buffers) + ") workgroup(32, 1, 1) {" + std::string(body) + "}";
  auto result = check::check(*text::parse(text), ops);
  EXPECT_TRUE(result.has_value());
  return *std::move(result);
}

class NoPipeline final : public Pipeline {
 public:
  Result<void> dispatch(std::span<const std::span<std::byte>>, layout::Groups) override { return {}; }
};

/// A backend that has what the test gives it, and counts what reaches its compiler.
class Fake final : public Backend {
 public:
  Identity identity() const override { return {.name = "fake", .device = "", .driver = "", .version = ""}; }
  Limits limits() const override { return {}; }
  bool has(Intrinsic intrinsic) const override { return intrinsics.contains(intrinsic); }
  uint32_t convention() const override { return newest; }
  Result<std::unique_ptr<Pipeline>> compile(const check::Checked& checked) override {
    VYRE_CHECK(check_intrinsics(*this, checked));
    ++compiled;
    return std::make_unique<NoPipeline>();
  }
  std::set<Intrinsic> intrinsics;
  uint32_t newest = spec::kLatestConvention;
  int compiled = 0;
};

/// One that says nothing of either.
class Plain final : public Backend {
 public:
  Identity identity() const override { return {.name = "plain", .device = "", .driver = "", .version = ""}; }
  Limits limits() const override { return {}; }
  Result<std::unique_ptr<Pipeline>> compile(const check::Checked&) override {
    return std::make_unique<NoPipeline>();
  }
};

constexpr std::string_view kThree =
    "read a: u32 @3, read_write out: u32 @0, uniform params: u32 @7, workgroup w: u32[4]";

// covers: CC-03 CC-04 CC-05
TEST(Negotiation, B006NewerThanTheBackendKnows) {
  Fake backend;
  const auto p = program(kThree);
  EXPECT_TRUE(make_pipeline(backend, p, Convention::v1()));
  EXPECT_TRUE(make_pipeline(backend, p, Convention::v2(3)));
  EXPECT_EQ(backend.compiled, 2);
  backend.newest = 1;
  EXPECT_TRUE(make_pipeline(backend, p, Convention::v1()));
  const auto newer = make_pipeline(backend, p, Convention::v2(3));
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, DiagCode::B006);
  EXPECT_THAT(newer.error().message, HasSubstr("V2"));
  EXPECT_THAT(newer.error().message, HasSubstr("fake"));
  EXPECT_EQ(backend.compiled, 3);
}

TEST(Negotiation, B006VersionsThatDoNotExist) {
  // convention.h: there are versions 1 and 2; a backend of another build that claims more does not make them.
  Fake backend;
  backend.newest = 9;
  const auto p = program(kThree);
  for (const uint32_t version : {0u, 3u, 9u, UINT32_MAX}) {
    const auto result = make_pipeline(backend, p, Convention{version, std::nullopt});
    ASSERT_FALSE(result) << version;
    EXPECT_EQ(result.error().code, DiagCode::B006) << version;
  }
  EXPECT_EQ(backend.compiled, 0);
}

// covers: CC-01 CC-02 CC-05
TEST(Negotiation, B007LookupTable) {
  // B007 in diag.def: the lookup table of V2 is a read buffer at the binding that the host names.
  Fake backend;
  const auto p = program(kThree);
  const auto code = [&](const Convention& convention) {
    const auto result = make_pipeline(backend, p, convention);
    return result ? std::string()
                  : std::string(diag_info(result.error().code).name) + " " + result.error().message;
  };
  EXPECT_EQ(code(Convention::v2(3)), "");
  EXPECT_THAT(code(Convention::v2(1)), HasSubstr("B007 the program has no buffer at binding 1"));
  EXPECT_THAT(code(Convention::v2(0)),
              HasSubstr("B007 'out' at binding 0, the lookup table of V2, is read_write"));
  EXPECT_THAT(code(Convention::v2(7)),
              HasSubstr("B007 'params' at binding 7, the lookup table of V2, is uniform"));
  EXPECT_THAT(code(Convention{2, std::nullopt}), HasSubstr("B007 V2 names the binding"));
  EXPECT_THAT(code(Convention{1, 3}), HasSubstr("B007 V1 has no lookup table"));
  EXPECT_EQ(backend.compiled, 1);
  // A workgroup buffer has no binding: its 0 is none.
  const auto only_scratch = program("workgroup w: u32[4]");
  EXPECT_FALSE(make_pipeline(backend, only_scratch, Convention::v2(0)));
  EXPECT_TRUE(make_pipeline(backend, only_scratch, Convention::v1()));
}

TEST(Negotiation, B002MissingIntrinsics) {
  const auto p = program("read_write out: u32 @0",
                         "out[0] = subgroup.lane(); out[1] = subgroup.any(1) + subgroup.shuffle(1, 2);");
  Fake backend;
  const auto none = make_pipeline(backend, p, Convention::v1());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, DiagCode::B002);
  EXPECT_THAT(none.error().message, HasSubstr("fake"));
  EXPECT_THAT(none.error().message, HasSubstr("subgroup.lane@1"));
  EXPECT_TRUE(none.error().span.known());
  backend.intrinsics = {Intrinsic::SubgroupLane, Intrinsic::SubgroupAny};
  const auto some = make_pipeline(backend, p, Convention::v1());
  ASSERT_FALSE(some);
  EXPECT_THAT(some.error().message, HasSubstr("subgroup.shuffle@1"));
  backend.intrinsics.insert(Intrinsic::SubgroupShuffle);
  EXPECT_TRUE(make_pipeline(backend, p, Convention::v1()));
  EXPECT_EQ(backend.compiled, 1);
}

TEST(Negotiation, Defaults) {
  Plain backend;
  for (const spec::IntrinsicInfo& info : spec::kIntrinsics) EXPECT_FALSE(backend.has(info.intrinsic));
  EXPECT_EQ(backend.convention(), 2u);
  const auto calls = program("", "let x = subgroup.size();");
  EXPECT_FALSE(check_intrinsics(backend, calls));
  EXPECT_TRUE(check_intrinsics(backend, program(kThree)));
}

}  // namespace
}  // namespace vyre::backend
