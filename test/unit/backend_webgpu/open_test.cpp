// Opening: the library, the device, and what is missing.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "oracle.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the faulty library does what its script says");

namespace vyre::test {
namespace {

namespace fs = std::filesystem;

/// An environment variable as a test wants it, and as it was afterwards.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* const was = std::getenv(name)) was_ = was;
    if (value != nullptr) {
      setenv(name, value, 1);
    } else {
      unsetenv(name);
    }
  }
  Environment(const Environment&) = delete;
  ~Environment() {
    if (was_) {
      setenv(name_, was_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* const name_;
  std::optional<std::string> was_;
};

using Open = WebgpuTest;

TEST_F(Open, TheLibraryThatIsNamed) {
  const std::string real = std::getenv("VYRE_WEBGPU_LIB");
  const Environment none("VYRE_WEBGPU_LIB", "/nowhere/libnone.so");
  EXPECT_TRUE(backend::make_webgpu({.library = real}));  // what is asked for comes before the environment
  expect_refused(backend::make_webgpu(), DiagCode::B001, {"/nowhere/libnone.so", "VYRE_WEBGPU_LIB"});
  expect_refused(backend::make_webgpu({.library = "/nowhere/libother.so"}), DiagCode::B001,
                 {"/nowhere/libother.so", "webgpu:LIB"});
}

TEST_F(Open, WithoutALibrary) {
  const Environment none("VYRE_WEBGPU_LIB", nullptr);
  expect_refused(backend::make_webgpu(), DiagCode::B001,
                 {"libwebgpu_dawn.so", "libwgpu_native.so", "loader's path", "VYRE_WEBGPU_LIB"});
  const Environment empty("VYRE_WEBGPU_LIB", "");
  expect_refused(backend::make_webgpu(), DiagCode::B001, {"libwebgpu_dawn.so"});
}

// COMMANDS, "B": beside the program in ../lib, before the loader's path. What lies there and is no library is
// reported, not passed over.
TEST_F(Open, TheLibraryBesideTheProgram) {
  const std::string real = std::getenv("VYRE_WEBGPU_LIB");
  const Environment none("VYRE_WEBGPU_LIB", nullptr);
  const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib";
  const bool was_there = fs::exists(beside);
  fs::create_directories(beside);
  const fs::path file = beside / "libwgpu_native.so";
  ASSERT_FALSE(fs::exists(file));
  fs::create_symlink(real, file);
  const auto opened = backend::make_webgpu();
  fs::remove(file);
  EXPECT_TRUE(opened) << diagnosis(opened.error());
  const fs::path other = beside / "libwebgpu.so";  // the loader knows the name above from before
  std::ofstream(other) << "no library";
  const auto broken = backend::make_webgpu();
  fs::remove(other);
  if (!was_there) fs::remove(beside);
  expect_refused(broken, DiagCode::B001, {"libwebgpu.so", "cannot be opened"});
}

TEST_F(Open, ALibraryOfSomethingElse) {
  expect_refused(backend::make_webgpu({.library = "libm.so.6"}), DiagCode::B001,
                 {"libm.so.6", "no WebGPU implementation", "wgpuCreateInstance"});
}

// Without a driver of Vulkan the library has nothing to run on.
TEST_F(Open, WithoutADriver) {
  const Environment no_driver("VK_ICD_FILENAMES", "/nowhere/icd.json"),
      no_driver_either("VK_DRIVER_FILES", "/nowhere/icd.json");
  expect_refused(backend::make_webgpu(), DiagCode::B001, {"no adapter", "VK_ICD_FILENAMES", "Vulkan driver"});
}

TEST_F(Open, FloatsAreComposed) {
  expect_refused(backend::make_webgpu({.floats = backend::FloatForm::Native}), DiagCode::B002,
                 {"no operator on floats can be native", "--float native"});
  for (const auto form : {backend::FloatForm::Auto, backend::FloatForm::Composed})
    EXPECT_TRUE(backend::make_webgpu({.floats = form}));
}

// One after the other, and two at once, each with a device of its own.
TEST_F(Open, AsOftenAsOneLikes) {
  VYRE_ORACLE(CpuReference, "a sum in C++");
  for (int round = 0; round < 3; ++round) {
    const auto one = open(), other = open();
    for (const auto* backend : {&one, &other}) {
      const auto pipeline = (*backend)->compile(checked(kAdd));
      ASSERT_TRUE(pipeline);
      std::vector<uint32_t> a = iota(64, 1), out = iota(64, 2);
      const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
      ASSERT_TRUE((*pipeline)->dispatch(host, {1, 1, 1}));
      for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], 3 + 2 * i);
    }
  }
}

// A pipeline and a buffer outlive nothing: they hold the device themselves.
TEST_F(Open, PipelinesAndBuffersMayGoLast) {
  auto backend = open();
  auto pipeline = backend->compile(checked(kAdd));
  auto buffer = backend->allocate(1000);
  ASSERT_TRUE(pipeline && buffer);
  backend.reset();
  EXPECT_TRUE((*buffer)->fill(0, 1000, std::byte{3}));
  std::vector<uint32_t> a(64), out(64);
  const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
  EXPECT_TRUE((*pipeline)->dispatch(host, {1, 1, 1}));
}

}  // namespace
}  // namespace vyre::test
