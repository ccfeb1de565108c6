// Programs as cases of a page.
#include "web/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "backend/backend.h"
#include "host/run.h"
#include "ops/operation.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "values worked out by hand; the digest that runs of the command line give; WebGPU's default "
            "limits, \"Limits\" of its specification");

namespace vyre::web {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// A program text as a file of a folder that goes with it.
class File {
 public:
  explicit File(std::string_view text) {
    std::string name = testing::TempDir() + "vyre-web-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made at " + name);
    folder_ = name;
    const std::string path = (folder_ / "program.vyre").string();
    EXPECT_TRUE(host::write_file(path, text));
    auto loaded = host::load_checked(path, ops::op_table());
    if (!loaded) throw std::runtime_error(loaded.error().rendered);
    file_ = std::move(*loaded);
  }
  ~File() { fs::remove_all(folder_); }
  const host::CheckedFile& operator*() const { return file_; }

 private:
  fs::path folder_;
  host::CheckedFile file_;
};

constexpr std::string_view kAddOne =
    "program p(read a: u32 @0, read_write out: u32 @1) workgroup(2, 1, 1) {\n"
    "  out[invocation_id.x] = a[invocation_id.x] + 1;\n"
    "}\n";

TEST(Runs, EachDirectiveIsACase) {
  const File file(std::string(kAddOne) +
                  "// run: groups=[2,1,1] a=[1,2,3] out=[9,9,9,9] => out=[2,3,4,1]\n"
                  "// run: a=[0xffffffff] out=[5] => out=[0]\n");
  const auto cases = cases_of(*file, "some/p.vyre");
  ASSERT_TRUE(cases) << cases.error().message;
  ASSERT_EQ(cases->size(), 2u);
  const Case& first = (*cases)[0];
  EXPECT_EQ(first.name, "some/p.vyre:4");
  EXPECT_EQ((*cases)[1].name, "some/p.vyre:5");
  EXPECT_EQ(first.group, "some/");
  EXPECT_EQ(first.groups, (layout::Groups{2, 1, 1}));
  EXPECT_EQ(first.instances, 4u);
  ASSERT_EQ(first.buffers.size(), 2u);
  EXPECT_EQ(first.buffers[0].name, "a");
  EXPECT_EQ(first.buffers[0].count, 3u);
  EXPECT_FALSE(first.buffers[0].output);
  EXPECT_THAT(to_words(first.buffers[0].before), ElementsAre(1, 2, 3));
  EXPECT_TRUE(first.buffers[1].output);
  EXPECT_THAT(to_words(first.buffers[1].before), ElementsAre(9, 9, 9, 9));
  EXPECT_THAT(to_words(first.buffers[1].after), ElementsAre(2, 3, 4, 1));
}

TEST(Runs, TheDigestIsThatOfTheCommandLine) {
  VYRE_ORACLE(ReferenceInterpreter, "the digest of the reference's run by the code of the command line");
  const File file(std::string(kAddOne) + "// run: a=[7,8] out=[0,0] => out=[8,9]\n");
  const auto cases = cases_of(*file, "p.vyre");
  ASSERT_TRUE(cases);
  const host::Step step{(*file).checked, {1, 1, 1}};
  auto buffers = host::declare_buffers({&step, 1}).value();
  buffers.by_name.at("a").bytes = to_bytes(std::vector<uint32_t>{7, 8});
  buffers.by_name.at("out").bytes.resize(8);
  const auto reference = backend::make_reference();
  ASSERT_TRUE(host::run_steps(*reference, {&step, 1}, buffers));
  EXPECT_EQ(digest_outputs((*cases)[0]), host::digest_outputs(buffers));
}

TEST(Runs, ADirectiveThatTheReferenceContradictsIsX008) {
  const File file(std::string(kAddOne) + "// run: a=[7] out=[0] => out=[7]\n");
  const auto cases = cases_of(*file, "p.vyre");
  ASSERT_FALSE(cases);
  EXPECT_EQ(cases.error().code, DiagCode::X008);
  EXPECT_THAT(cases.error().message, HasSubstr("out: 8"));
  EXPECT_EQ((*file).source->position(cases.error().span.begin).line, 4u);
}

TEST(Runs, AFileWithoutRunsIsP017) {
  const File file(kAddOne);
  const auto cases = cases_of(*file, "p.vyre");
  ASSERT_FALSE(cases);
  EXPECT_EQ(cases.error().code, DiagCode::P017);
  EXPECT_THAT(cases.error().help, HasSubstr("// run: "));
}

/// Whether a program is within what every device has; else the words of the refusal.
std::string refusal(std::string_view text) {
  const File file(text);
  const auto module = portable_module(*(*file).checked);
  if (module) return "";
  EXPECT_EQ(module.error().code, DiagCode::B003);
  EXPECT_NE(module.error().help, "");
  return module.error().message;
}

std::string with_threads(uint32_t n) {
  return "program p(read_write out: u32 @0) workgroup(" + std::to_string(n) + ", 1, 1) { out[0] = 1; }\n";
}
std::string with_memory(uint32_t words) {
  return "program p(read_write out: u32 @0, workgroup m: u32[" + std::to_string(words) +
         "]) workgroup(1, 1, 1) { m[out[0]] = 1; out[0] = m[1]; }\n";
}
std::string with_buffers(uint32_t n) {
  std::string out = "program p(read_write out: u32 @0";
  for (uint32_t k = 1; k < n; ++k) out += ", read b" + std::to_string(k) + ": u32 @" + std::to_string(k);
  return out + ") workgroup(1, 1, 1) { out[0] = 1; }\n";
}

TEST(PortableModule, EndsAtTheDefaultLimits) {
  // "Limits" of WebGPU: maxComputeInvocationsPerWorkgroup 256, maxComputeWorkgroupStorageSize 16384,
  // maxStorageBuffersPerShaderStage 8; a variable of workgroup memory counts in units of 16 bytes.
  EXPECT_EQ(refusal(with_threads(256)), "");
  EXPECT_THAT(refusal(with_threads(257)), HasSubstr("257 invocations a workgroup; a page may have 256"));
  EXPECT_EQ(refusal(with_memory(4096)), "");
  EXPECT_THAT(refusal(with_memory(4097)),
              HasSubstr("16400 bytes of workgroup memory; a page may have 16384"));
  EXPECT_EQ(refusal(with_buffers(8)), "");
  EXPECT_THAT(refusal(with_buffers(9)), HasSubstr("9 buffers; a page may have 8"));
}

}  // namespace
}  // namespace vyre::web
