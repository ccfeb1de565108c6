// What is kept of compiled programs. Oracle of all: what the driver was given, seen by the loader with
// faults, which also says what the driver wants to be kept.
#include "../device_dispatch.h"
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable,
            "backend.h and diag.def; the layer of faults/ does what its script says; each program's own "
            "constant, by hand");

namespace vyre::test {
namespace {

namespace fs = std::filesystem;

class Code : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    faults().pipeline_data = kData;
  }
  /// What the driver is given for the program: what it wanted to be kept, or nothing.
  static std::string given_by(const backend::VulkanOptions& options, std::string_view text = kAdd) {
    faults().pipeline_data_given = "no pipeline cache was made";
    const auto backend = open(options);
    const auto pipeline = backend->compile(checked(text));
    EXPECT_TRUE(pipeline) << diagnosis(pipeline.error());
    return faults().pipeline_data_given;
  }
  static backend::VulkanOptions cached() {
    backend::VulkanOptions out = options();
    out.cache = folder().string();
    return out;
  }
  static std::vector<fs::path> files() { return files_in(folder()); }
  static inline const std::string kData = std::string(100, 'k');
};

TEST_F(Code, IsKeptForEachProgram) {
  EXPECT_EQ(given_by(cached()), "");
  EXPECT_EQ(given_by(cached()), kData);
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(given_by(cached(), std::string(kAdd).replace(kAdd.find("out[i] + a[i]"), 13, "a[i] + out[i]")),
            "");
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(Code, OfAnotherDriverOrDeviceIsAnother) {
  EXPECT_EQ(given_by(cached()), "");
  faults().change_properties12 = [](auto& p) { p.driverInfo[0] ^= 1; };
  EXPECT_EQ(given_by(cached()), "");
  faults().change_properties12 = {};
  faults().change_properties11 = [](auto& p) { p.deviceUUID[3] ^= 1; };
  EXPECT_EQ(given_by(cached()), "");
  faults().change_properties11 = {};
  faults().device_version = VK_API_VERSION_1_2;
  EXPECT_EQ(given_by(cached()), "");
  faults().device_version = {};
  EXPECT_EQ(given_by(cached()), kData);
}

TEST_F(Code, ThatIsDamagedIsNotUsed) {
  EXPECT_EQ(given_by(cached()), "");
  ASSERT_EQ(files().size(), 1u);
  expect_mended(files().front(), [](const std::string& damage) {
    EXPECT_EQ(given_by(cached()), "") << damage;
    EXPECT_EQ(given_by(cached()), kData) << damage;
  });
}

TEST_F(Code, ThatTheDriverDoesNotTakeIsMadeAgain) {
  EXPECT_EQ(given_by(cached()), "");
  faults().failures["CreateComputePipelines"] = {VK_ERROR_UNKNOWN};
  EXPECT_EQ(given_by(cached()), "");
}

// lavapipe's own answer: a header, and nothing behind it.
TEST_F(Code, OfADriverThatKeepsNothingIsNotKept) {
  faults().pipeline_data = std::string(sizeof(VkPipelineCacheHeaderVersionOne), 'h');
  EXPECT_EQ(given_by(cached()), "");
  EXPECT_TRUE(files().empty());
}

TEST_F(Code, ThatCannotBeKeptIsNoError) {
  backend::VulkanOptions nowhere = cached();
  nowhere.cache = "/dev/null/nowhere";
  EXPECT_EQ(given_by(nowhere), "");
  EXPECT_EQ(given_by(nowhere), "");
  EXPECT_EQ(given_by(options()), "");
  EXPECT_TRUE(files().empty());
}

TEST_F(Code, OfManyPrograms) {
  for (const unsigned threads : {1u, 3u}) {
    backend::VulkanOptions many = cached();
    many.threads = threads;
    const auto backend = open(many);
    expect_batch(*backend, 40);
    EXPECT_TRUE(files().empty());
  }
}

}  // namespace
}  // namespace vyre::test
