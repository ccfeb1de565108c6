// Code that is kept on disk, and code of many programs. Oracle of all: how often the fake driver was asked to
// assemble, and what it was given.
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the driver of fake/ does what its script says");

namespace vyre::test {
namespace {

namespace fs = std::filesystem;

class Code : public CudaTest {
 protected:
  static size_t assembled_by(const backend::CudaOptions& options, std::string_view text = kAdd) {
    const size_t before = fake().assembled.size();
    const auto backend = open(options);
    const auto program = checked(text);
    const auto pipeline = backend->compile(program);
    EXPECT_TRUE(pipeline) << diagnosis(pipeline.error());
    if (!pipeline) return SIZE_MAX;
    fake().kernel = kernel_of(program);
    std::vector<uint32_t> a = {7}, out = {8};
    const std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(a)),
                                                    std::as_writable_bytes(std::span(out))};
    EXPECT_TRUE((*pipeline)->dispatch(host, {1, 1, 1}));
    EXPECT_EQ(fake().launches.back().block[0], 64u);
    EXPECT_EQ(out[0], 15u);
    return fake().assembled.size() - before;
  }
  static std::vector<fs::path> files() { return files_in(folder()); }
};

TEST_F(Code, IsAssembledOnce) {
  EXPECT_EQ(assembled_by(cached()), 1u);
  EXPECT_EQ(assembled_by(cached()), 0u);
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(
      assembled_by(cached(), std::string(kAdd).replace(kAdd.find("out[i] + a[i]"), 13, "a[i] + out[i]")), 1u);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(Code, OfAnotherDriverOrChipIsAnother) {
  EXPECT_EQ(assembled_by(cached()), 1u);
  fake().version = 12090;
  EXPECT_EQ(assembled_by(cached()), 1u);
  fake().capability = 80;
  EXPECT_EQ(assembled_by(cached()), 1u);
  fake().version = 12080;
  fake().capability = 90;
  EXPECT_EQ(assembled_by(cached()), 0u);
}

TEST_F(Code, OfAnotherFormOfFloatsIsAnother) {
  const std::string text = std::string(kAdd).replace(kAdd.find("out[i] + a[i]"), 13,
                                                     "cast<u32, trunc>(cast<f32>(out[i]) + cast<f32>(a[i]))");
  backend::CudaOptions native = cached(), composed = cached();
  native.floats = backend::FloatForm::Native;
  composed.floats = backend::FloatForm::Composed;
  EXPECT_EQ(assembled_by(native, text), 1u);
  EXPECT_THAT(fake().assembled.back(), testing::HasSubstr("add.rn.f32"));
  EXPECT_EQ(assembled_by(composed, text), 1u);
  EXPECT_THAT(fake().assembled.back(), testing::Not(testing::HasSubstr(".f32")));
  EXPECT_EQ(assembled_by(native, text), 0u);
  EXPECT_EQ(assembled_by(composed, text), 0u);
  // Where there are no floats the form is nothing.
  EXPECT_EQ(assembled_by(native), 1u);
  EXPECT_EQ(assembled_by(composed), 0u);
}

TEST_F(Code, ThatIsDamagedIsMadeAgain) {
  EXPECT_EQ(assembled_by(cached()), 1u);
  ASSERT_EQ(files().size(), 1u);
  expect_mended(files().front(), [](const std::string& damage) {
    EXPECT_EQ(assembled_by(cached()), 1u) << damage;
    EXPECT_EQ(assembled_by(cached()), 0u) << damage;
  });
}

TEST_F(Code, ThatTheDriverDoesNotTakeIsMadeAgain) {
  EXPECT_EQ(assembled_by(cached()), 1u);
  fake().failures["cuModuleLoadData"] = {200};
  EXPECT_EQ(assembled_by(cached()), 1u);
}

TEST_F(Code, ThatCannotBeKeptIsNoError) {
  backend::CudaOptions nowhere = cached();
  nowhere.cache = "/dev/null/nowhere";
  EXPECT_EQ(assembled_by(nowhere), 1u);
  EXPECT_EQ(assembled_by(nowhere), 1u);
  EXPECT_EQ(assembled_by(options()), 1u);
  EXPECT_TRUE(files().empty());
}

std::vector<check::Checked> programs(uint32_t count) {
  std::vector<check::Checked> out;
  for (uint32_t i = 0; i < count; ++i) {
    out.push_back(checked("program same(read_write out: u32 @0) workgroup(" + std::to_string(i % 7 + 1) +
                          ", 1, 1) { out[0] = out[0] * 3 + " + std::to_string(i) + "; }"));
  }
  return out;
}

// Each pipeline must run its own program, which the size of its workgroup tells, and 64 share a module.
TEST_F(Code, OfManyProgramsIsOfFewModules) {
  backend::CudaOptions many = cached();
  for (const unsigned threads : {1u, 3u}) {
    many.threads = threads;
    const auto backend = open(many);
    const auto all = programs(130);
    std::vector<const check::Checked*> pointers;
    for (const check::Checked& program : all) pointers.push_back(&program);
    fake().assembled.clear();
    fake().launches.clear();
    auto pipelines = backend->compile_batch(pointers);
    EXPECT_EQ(fake().assembled.size(), 3u);
    EXPECT_TRUE(files().empty());
    std::set<std::string> names;
    for (uint32_t i = 0; i < all.size(); ++i) {
      ASSERT_TRUE(pipelines[i]) << diagnosis(pipelines[i].error());
      uint32_t word = 1;
      const std::span<std::byte> host = std::as_writable_bytes(std::span(&word, 1));
      ASSERT_TRUE((*pipelines[i])->dispatch({&host, 1}, {1, 1, 1}));
      EXPECT_EQ(fake().launches.back().block[0], i % 7 + 1);
    }
    for (const FakeLaunch& launch : fake().launches) names.insert(launch.entry);
    EXPECT_EQ(names.size(), threads == 1 ? 64u : 44u);  // as many as are in the largest of three modules
  }
}

TEST_F(Code, OfOneBadProgramIsItsAlone) {
  const auto backend = open();
  auto all = programs(5);
  all[1] = checked(
      "program p(read_write o: u32 @0, workgroup t: u32[65536]) workgroup(1, 1, 1) { o[0] = t[o[0]]; }");
  all[3] = checked("program p(read_write o: u32 @0) workgroup(5, 1, 1) { o[0] = subgroup.reduce_add(1); }");
  std::vector<const check::Checked*> pointers;
  for (const check::Checked& program : all) pointers.push_back(&program);
  const auto pipelines = backend->compile_batch(pointers);
  ASSERT_EQ(pipelines.size(), 5u);
  for (const size_t good : {0u, 2u, 4u}) EXPECT_TRUE(pipelines[good]);
  expect_refused(pipelines[1], DiagCode::B003, {"262144 bytes"});
  expect_refused(pipelines[3], DiagCode::B008, {"5 invocations"});
  EXPECT_TRUE(backend->compile_batch({}).empty());
}

}  // namespace
}  // namespace vyre::test
