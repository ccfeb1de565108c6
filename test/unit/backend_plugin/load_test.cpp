// Libraries that are no plugins, and what is said of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "oracle.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable,
            "include/vyre/backend.h, plugin.h and diag.def; what each library of plugins/ does");

namespace vyre::backend {
namespace {

using test::path_of;
using testing::AllOf;
using testing::HasSubstr;

Diag refusal(const std::string& spec) {
  auto opened = open_plugin(spec);
  EXPECT_FALSE(opened) << spec;
  return opened ? Diag{} : opened.error();
}

struct Unusable {
  std::string variant;
  std::string message;  // a part of it
};
class Load : public testing::TestWithParam<Unusable> {};
// include/vyre/backend.h, "What a plugin exports": each library breaks one of its rules.
INSTANTIATE_TEST_SUITE_P(
    Plugin, Load,
    testing::Values(Unusable{"no_abi", "does not export the constant vyre_backend_abi"},
                    Unusable{"no_entry", "does not export the function vyre_backend_entry"},
                    Unusable{"older", "version 0 of the plugin interface, and this vyre speaks version 1"},
                    Unusable{"newer", "version 2 of the plugin interface, and this vyre speaks version 1"},
                    Unusable{"refuses", "refuses this vyre"}, Unusable{"hole", "has no function 'fill'"},
                    Unusable{"short_table", "has no function 'dispatch'"}),
    [](const auto& info) { return info.param.variant; });

TEST_P(Load, SaysWhatIsWrongWithALibrary) {
  const Diag diag = refusal(path_of(GetParam().variant));
  EXPECT_EQ(diag.code, DiagCode::B013);
  EXPECT_THAT(diag.message, AllOf(HasSubstr(path_of(GetParam().variant)), HasSubstr(GetParam().message)));
  EXPECT_FALSE(diag.help.empty());
  EXPECT_EQ(exit_code(diag.code), 3);
}

// covers: CC-05
TEST(Convention, IsTheNewestThatThePluginKnows) {
  // include/vyre/backend.h, convention: absent is V1, between 1 and the host's newest.
  const check::Checked program = test::checked(
      "program p(read t: u32 @3, read_write out: u32 @5) workgroup(64, 1, 1) { out[0] = t[0] + 1; }");
  const auto refused = [&](const std::string& spec, const spec::Convention& convention) -> std::string {
    auto backend = open_plugin(spec);
    EXPECT_TRUE(backend) << spec;
    const auto pipeline = make_pipeline(**backend, program, convention);
    return pipeline ? "" : std::string(diag_info(pipeline.error().code).name);
  };
  const std::string good = path_of("good"), first = path_of("first_table");
  const auto v1 = spec::Convention::v1(), v2 = spec::Convention::v2(3);
  // A table from before the function, which is in the memory behind it all the same.
  EXPECT_EQ(refused(first + "?convention=2", v2), "B006");
  EXPECT_EQ(refused(first, v1), "");
  EXPECT_EQ(refused(good + "?convention=0", v2), "B006");
  EXPECT_EQ(refused(good + "?convention=0", v1), "");
  EXPECT_EQ(refused(good + "?convention=1", v2), "B006");
  EXPECT_EQ(refused(good + "?convention=2", v2), "");
  EXPECT_EQ(refused(good + "?convention=2", spec::Convention::v2(5)), "B007");
  EXPECT_EQ(refused(good + "?convention=9", v2), "");
  EXPECT_EQ(refused(good + "?convention=9", spec::Convention{3}), "B006");
}

TEST(Path, ThatIsNoLibrary) {
  const std::string text = testing::TempDir() + "/text.so";
  std::ofstream(text) << "this is a text\n";
  const std::string missing = testing::TempDir() + "/missing.so";
  for (const auto& [spec, message] : std::initializer_list<std::pair<std::string, const char*>>{
           {text, "cannot be loaded: "},
           {missing, "there is no plugin"},
           {testing::TempDir(), "is a folder"},
           {"/", "is a folder"},
           {"/dev/null", "is a folder or a device"},
           {"", "is a folder"},  // "./": names without '/' are below the current folder
           {".so", "there is no plugin './.so'"},
           {missing + "?mode", "missing.so'"}}) {
    const Diag diag = refusal(spec);
    EXPECT_EQ(diag.code, DiagCode::B013) << spec;
    EXPECT_THAT(diag.message, HasSubstr(message)) << spec;
    EXPECT_FALSE(diag.help.empty()) << spec;
  }
}

TEST(Path, IsTakenApartAtTheFirstQuestionMark) {
  // plugin.h: the argument begins after the first '?'.
  const auto parse = [](std::string_view spec) {
    const PluginSpec out = parse_plugin(spec);
    return std::pair(out.path, out.argument);
  };
  using Parts = std::pair<std::string, std::string>;
  EXPECT_EQ(parse("/a/b.so"), (Parts{"/a/b.so", ""}));
  EXPECT_EQ(parse("b.so"), (Parts{"./b.so", ""}));
  EXPECT_EQ(parse("b.so?"), (Parts{"./b.so", ""}));
  EXPECT_EQ(parse("../b.so?x=1?y=/2.so"), (Parts{"../b.so", "x=1?y=/2.so"}));
  for (const char* yes : {"/a", "a.so", "./a", "a.so?x", "a/b:1"}) EXPECT_TRUE(is_plugin(yes)) << yes;
  for (const char* no : {"", "cuda", "cuda:1", "a.so.1", "native?x.so", "?a.so"})
    EXPECT_FALSE(is_plugin(no)) << no;
}

TEST(Open, PassesTheArgumentOn) {
  test::plugin("speed=11?x");
  EXPECT_EQ(test::log_of_good().argument, "speed=11?x");
  ASSERT_TRUE(open_plugin(path_of("good")));
  EXPECT_EQ(test::log_of_good().argument, "");
}

TEST(Open, RefusesWhatADeviceSaysOfItself) {
  for (const auto& [mode, code, message] :
       std::initializer_list<std::tuple<const char*, DiagCode, const char*>>{
           {"no device", DiagCode::B012, "gave no device"},
           {"nameless", DiagCode::B013, "gives no name"},
           {"unlimited", DiagCode::B013, "workgroups of 0 invocations"},
           {"lanes=24", DiagCode::B013, "subgroups of 24 lanes"},
           {"lanes=256", DiagCode::B013, "subgroups of 256 lanes"},
           {"open=1", DiagCode::B001, "open: as was asked for"},
           {"open=3", DiagCode::B003, "open: as was asked for"},
           {"open=4", DiagCode::B011, "open: as was asked for"},
           {"open=5", DiagCode::B012, "open: as was asked for"},
           {"open=6", DiagCode::B012, "unknown status 6"},
           {"open=-1", DiagCode::B012, "unknown status -1"},
           {"silent", DiagCode::B001, "no reason given"}}) {
    Log& log = test::log_of_good();
    const int open_before = log.opened - log.closed;
    const Diag diag = refusal(path_of("good") + "?" + mode);
    EXPECT_EQ(diag.code, code) << mode;
    EXPECT_THAT(diag.message, HasSubstr(message)) << mode;
    EXPECT_FALSE(diag.help.empty()) << mode;
    EXPECT_EQ(log.opened - log.closed, open_before) << mode << ": a device was left open";
  }
  EXPECT_EQ(refusal(path_of("good") + "?open=1").help, "ask for something else");
}

TEST(Open, TrustsNoTextToEnd) {
  // The sizes of the fields in backend.h; U+FFFD for what is no text.
  const auto backend = test::plugin("endless");
  EXPECT_EQ(backend->identity().name, std::string(64, 'n'));
  EXPECT_EQ(backend->identity().device, std::string(192, 'd'));
  std::string bells;
  for (int i = 0; i < 192; ++i) bells += "\xef\xbf\xbd";
  EXPECT_EQ(backend->identity().driver, bells);
  const Diag diag = refusal(path_of("good") + "?rude");
  EXPECT_THAT(diag.message, testing::EndsWith(": open: " + std::string(480, 'x')));
  EXPECT_THAT(diag.help, testing::Not(HasSubstr("\x1b")));
}

TEST(Open, GivesWhatTheDeviceIs) {
  const auto backend = test::plugin();
  const Identity identity = backend->identity();
  EXPECT_EQ(identity.name, "plusone");
  EXPECT_EQ(identity.device, "a vector \xc3\xa9");
  EXPECT_EQ(identity.driver, "none");
  // backend.h: a plugin that says nothing, or what the host does not know, has the kernels of a GPU.
  EXPECT_EQ(identity.kind, spec::DeviceKind::Gpu);
  EXPECT_EQ(test::plugin("kind=0")->identity().kind, spec::DeviceKind::Gpu);
  EXPECT_EQ(test::plugin("kind=1")->identity().kind, spec::DeviceKind::Cpu);
  EXPECT_EQ(test::plugin("kind=7")->identity().kind, spec::DeviceKind::Gpu);
  const Limits limits = backend->limits();
  EXPECT_EQ(limits.max_invocations_per_group, 64u);
  EXPECT_EQ(limits.max_workgroup_bytes, 128u);
  EXPECT_EQ(limits.max_buffer_bytes, 1u << 20);
  EXPECT_EQ(limits.subgroup_size, 0u);
  EXPECT_FALSE(backend->has(spec::Intrinsic::SubgroupBallot));
  const auto with = test::plugin("lanes=8");
  EXPECT_EQ(with->limits().subgroup_size, 8u);
  EXPECT_TRUE(with->has(spec::Intrinsic::SubgroupBallot));
  EXPECT_FALSE(with->has(spec::Intrinsic::SubgroupAny));
}

}  // namespace
}  // namespace vyre::backend
