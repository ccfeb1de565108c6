// Code that is kept on disk: what is run is right whatever was done to the files, and what is whole is not
// made again.
#include "backend/native/code_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "backend/native/code.h"
#include "backend/native/native.h"
#include "base/read_file.h"
#include "lower/codegen/generator.h"
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(ReferenceInterpreter,
            "the reference, on the same buffers; a file that was written again is another file");

namespace vyre::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAdd =
    "program add(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) {"
    "  let i = invocation_id.x; if (i < len(out)) { out[i] = out[i] + a[i] * 3; } }";
/// With workgroup memory, which is cleared by memset, barriers, and a division, which wants constants.
constexpr std::string_view kShared =
    "program sums(read a: u32 @0, read_write out: u32 @1, workgroup scratch: u32[4096]) workgroup(64, 1, 1) {"
    "  let i = local_id.x;"
    "  scratch[i * 17] = a[invocation_id.x] / 7;"
    "  barrier;"
    "  for step in 0..6 { let s = 32 >> step;"
    "    if (i < s) { scratch[i * 17] = scratch[i * 17] + scratch[(i + s) * 17] * 10; } barrier; }"
    "  if (i == 0) { out[workgroup_id.x] = scratch[0] ^ scratch[4095]; } }";
constexpr std::string_view kFloats =
    "program floats(read a: f32 @0, read_write out: f32 @1) workgroup(64, 1, 1) {"
    "  let i = invocation_id.x; out[i] = out[i] / 3.0 + a[i] * 0.1 - 1.0e-3; }";

class NativeCode : public testing::Test {
 protected:
  NativeCode() : folder_(fs::path(testing::TempDir()) / ("vyre-native-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
  }
  ~NativeCode() override { fs::remove_all(folder_); }

  backend::NativeOptions options(backend::FloatForm floats = backend::FloatForm::Composed) const {
    return {.floats = floats, .cache = folder_.string(), .keeps_code = true};
  }
  /// Compiles, runs, and compares with the reference.
  static void run(const backend::NativeOptions& options, std::string_view text = kAdd) {
    const check::Checked program = checked(text);
    const auto backend = backend::make_native(options);
    ASSERT_TRUE(backend);
    const auto pipeline = (*backend)->compile(program);
    ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
    const Buffers in = inputs({1024, 1024}, 5);
    EXPECT_EQ(pipeline_result(**pipeline, in, {16, 1, 1}), reference_result(program, in, {16, 1, 1}));
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    if (!fs::exists(folder_)) return out;
    for (const auto& entry : fs::directory_iterator(folder_)) out.push_back(entry.path());
    return out;
  }
  /// Whether running the program wrote its file again. Domain: there is one file.
  bool made_again(const backend::NativeOptions& with) const {
    const fs::path file = files().at(0);
    // The old file stays open, so that its number is not given to the new one.
    const std::ifstream held(file);
    const ino_t before = number_of(file);
    run(with);
    EXPECT_EQ(files().size(), 1u);
    return number_of(file) != before;
  }
  static ino_t number_of(const fs::path& file) {
    struct stat status{};
    EXPECT_EQ(::stat(file.c_str(), &status), 0);
    return status.st_ino;
  }

  fs::path folder_;
};

TEST_F(NativeCode, IsMadeOnce) {
  run(options());
  ASSERT_EQ(files().size(), 1u);
  EXPECT_FALSE(made_again(options()));
  run(options(), kShared);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(NativeCode, FromDiskGivesTheSame) {
  for (const std::string_view text : {kAdd, kShared, kFloats}) {
    for (int time = 0; time < 3; ++time) run(options(backend::FloatForm::Native), text);
  }
  EXPECT_EQ(files().size(), 3u);
}

TEST_F(NativeCode, OfOtherOptionsIsAnother) {
  run(options(), kFloats);
  run(options(backend::FloatForm::Native), kFloats);
  EXPECT_EQ(files().size(), 2u);
  backend::NativeOptions quick = options();
  quick.optimisation = 0;
  run(quick, kFloats);
  EXPECT_EQ(files().size(), 3u);
  run(options());  // without floats their form is nothing
  run(options(backend::FloatForm::Native));
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(NativeCode, ThatIsFreshIsNotKeptAndNotTakenFromDisk) {
  backend::NativeOptions fresh = options();
  fresh.keeps_code = false;
  run(fresh);
  EXPECT_TRUE(files().empty());
  run(options());
  const fs::path file = files().at(0);
  const auto whole = read_file_text(file, 1 << 20);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << "damaged";
  run(fresh);
  EXPECT_EQ(read_file_text(file, 1 << 20), "damaged");
}

TEST_F(NativeCode, OfABatchIsNotKept) {
  const check::Checked program = checked(kAdd);
  const check::Checked* const two[] = {&program, &program};
  const auto backend = backend::make_native(options());
  for (const auto& pipeline : (*backend)->compile_batch(two)) EXPECT_TRUE(pipeline);
  EXPECT_TRUE(files().empty());
}

TEST_F(NativeCode, ThatIsDamagedOrCutIsMadeAgain) {
  run(options());
  const fs::path file = files().at(0);
  const std::string whole = read_file_text(file, 1 << 20).value();
  const size_t size = whole.size();
  const auto expect_made = [&](const std::string& content, const std::string& what) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    EXPECT_TRUE(made_again(options())) << what;
    EXPECT_EQ(read_file_text(file, 1 << 20).value(), whole) << what << ": code is made the same";
    EXPECT_FALSE(made_again(options())) << what;
  };
  for (const size_t at : {size_t{0}, size_t{20}, size_t{60}, size_t{90}, size / 2, size - 1}) {
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 4);
    expect_made(damaged, "byte " + std::to_string(at));
  }
  for (const size_t length : {size_t{0}, size_t{40}, size_t{82}, size_t{100}, size - 1})
    expect_made(whole.substr(0, length), "cut to " + std::to_string(length));
  expect_made(whole + "x", "longer");
}

TEST_F(NativeCode, ThatOthersMayWriteIsMadeAgain) {
  run(options());
  const fs::path file = files().at(0);
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  EXPECT_TRUE(made_again(options()));
  EXPECT_FALSE(made_again(options()));
  fs::permissions(folder_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_TRUE(made_again(options()));
  EXPECT_TRUE(made_again(options()));
  if (geteuid() == 0) {  // of another user
    fs::permissions(folder_, fs::perms::others_write, fs::perm_options::remove);
    ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
    EXPECT_TRUE(made_again(options()));
  }
}

TEST_F(NativeCode, ThatCannotBeKeptIsNoError) {
  backend::NativeOptions nowhere = options();
  nowhere.cache = "/dev/null/nowhere";
  run(nowhere);
  nowhere.cache = "none";
  run(nowhere);
}

/// A whole file whose content is none: as a damaged generator would write it.
TEST_F(NativeCode, ContentIsHeldToItsForm) {
  VYRE_ORACLE(SpecificationTable, "by hand: code_cache.h, offsets within the image");
  const backend::CodeKey key = {
      .format = backend::kNativeCodeFormat, .program = {}, .machine = "m", .writer = "w"};
  const backend::NativeCodeCache cache(folder_);
  backend::KeptCode code;
  code.image.bytes = Bytes(64, std::byte{0xc3});
  code.image.imports = {{.offset = 56, .function = 2}};
  code.image.entries.push_back(lower::CpuImage::Entry{.offset = 63, .workgroup_bytes = 7});
  code.kernel = {.steps = 11, .alignments = {4, 2}};
  cache.keep(key, code);
  const auto found = cache.find(key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->image.bytes, code.image.bytes);
  EXPECT_EQ(found->kernel, code.kernel);
  EXPECT_EQ(found->image.entries.at(0)->workgroup_bytes, 7u);
  EXPECT_EQ(found->image.imports.at(0).offset, 56u);

  const auto refused = [&](auto change) {
    backend::KeptCode other = code;
    change(other);
    cache.keep(key, other);
    return !cache.find(key);
  };
  EXPECT_TRUE(refused([](auto& c) { c.image.entries[0]->offset = 64; }));
  EXPECT_TRUE(refused([](auto& c) { c.image.entries[0]->offset = UINT64_MAX; }));
  EXPECT_TRUE(refused([](auto& c) { c.image.imports[0].offset = 57; }));
  EXPECT_TRUE(refused([](auto& c) { c.image.imports[0].offset = UINT64_MAX - 3; }));
  EXPECT_TRUE(refused([](auto& c) { c.image.imports[0].function = 3; }));
  EXPECT_TRUE(refused([](auto& c) { c.kernel.alignments[1] = 0; }));
  EXPECT_TRUE(refused([](auto& c) { c.image.bytes.clear(); }));

  // Of every length: the header with nothing behind it is cut content, and is refused.
  const backend::CacheFiles raw(folder_, ".code");
  cache.keep(key, code);
  const Bytes whole = raw.find(backend::digest_of(key)).value();
  for (size_t length = 0; length + 64 <= whole.size(); ++length) {
    raw.keep(backend::digest_of(key), std::span(whole).first(length));
    EXPECT_FALSE(cache.find(key)) << length;
  }
}

TEST_F(NativeCode, RunsWhereverItIsPut) {
  VYRE_ORACLE(SpecificationTable, "by hand: 100 in 64 places, which six halvings make 100 * (1 + 10)^6");
  const lower::Kernel kernel = lower::legalize(lower::build(checked(kShared)), lower::kLlvmTarget);
  const auto image = lower::make_image({&kernel, 1}, 2), again = lower::make_image({&kernel, 1}, 2);
  ASSERT_TRUE(image && again);
  EXPECT_EQ(image->bytes, again->bytes);
  EXPECT_FALSE(image->imports.empty()) << "memset is called, or this test shows little";
  const auto one = backend::NativeCode::load(*image), two = backend::NativeCode::load(*image);
  ASSERT_TRUE(one && two);
  std::vector<uint32_t> results;
  for (const auto& code : {*one, *two}) {
    std::vector<uint32_t> a(64, 700), out(1);
    alignas(64) static std::byte memory[1 << 20];
    ASSERT_LE(image->entries[0]->workgroup_bytes, sizeof memory);
    const lower::CpuBuffer buffers[] = {{reinterpret_cast<std::byte*>(a.data()), a.size()},
                                        {reinterpret_cast<std::byte*>(out.data()), out.size()}};
    const uint32_t groups[] = {1, 1, 1};
    code->entry(image->entries[0]->offset)(buffers, groups, 0, 1, memory);
    results.push_back(out[0]);
  }
  EXPECT_NE((*one)->entry(0), (*two)->entry(0));
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], 177156100u);
}

}  // namespace
}  // namespace vyre::test
