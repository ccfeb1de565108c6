// What is wrong with a driver or a device is said when the backend is opened. Oracle of all: the state that
// the fake driver was put in, and diag.def, B001 and B004.
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; the driver of fake/ does what its script says");

namespace vyre::test {
namespace {

using backend::make_cuda;

class Open : public CudaTest {};

TEST_F(Open, TellsWhatItIs) {
  fake().capability = 89;
  fake().version = 12040;
  const auto backend = open();
  EXPECT_EQ(backend->identity().name, "cuda");
  EXPECT_EQ(backend->identity().device, "Fake GPU (sm_89), 1 GiB");
  EXPECT_THAT(backend->identity().driver, testing::StartsWith("CUDA 12.4, LLVM 19."));
  const backend::Limits limits = backend->limits();
  EXPECT_EQ(limits.max_invocations_per_group, 1024u);
  EXPECT_EQ(limits.max_workgroup_bytes, 232448u);
  EXPECT_EQ(limits.max_buffer_bytes, 1u << 30);
  EXPECT_EQ(limits.subgroup_size, 32u);
  EXPECT_TRUE(backend->has(spec::Intrinsic::SubgroupBallot));
}

TEST_F(Open, WithoutADriver) {
  expect_refused(make_cuda({.library = "libno-such-driver.so.1"}), DiagCode::B001,
                 {"no NVIDIA driver", "libno-such-driver.so.1", "install NVIDIA's driver", "VYRE_CUDA_LIB"});
  expect_refused(make_cuda({.library = "libm.so.6"}), DiagCode::B001, {"not a CUDA driver"});
}

TEST_F(Open, FindsTheDriverThatTheEnvironmentNames) {
  ASSERT_EQ(setenv("VYRE_CUDA_LIB", VYRE_FAKE_CUDA, 1), 0);
  EXPECT_EQ(open({.cache = "none"})->identity().device, "Fake GPU (sm_90), 1 GiB");
  ASSERT_EQ(setenv("VYRE_CUDA_LIB", "libno-such-driver.so.1", 1), 0);
  expect_refused(make_cuda({.cache = "none"}), DiagCode::B001, {"libno-such-driver.so.1"});
  ASSERT_EQ(unsetenv("VYRE_CUDA_LIB"), 0);
}

TEST_F(Open, WithADriverThatIsTooOld) {
  fake().version = 10020;
  expect_refused(make_cuda(options()), DiagCode::B001, {"CUDA 10.2", "11.0"});
  backend::CudaOptions old = options();
  old.library = VYRE_OLD_FAKE_CUDA;
  expect_refused(make_cuda(old), DiagCode::B001, {"cuLinkCreate_v2", "11.0"});
}

TEST_F(Open, WithoutADevice) {
  fake().failures["cuInit"] = {100};
  expect_refused(make_cuda(options()), DiagCode::B001, {"finds no device", "nvidia-smi"});
  fake().failures["cuInit"] = {803};
  expect_refused(make_cuda(options()), DiagCode::B001, {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"});
  fake().devices = 0;
  expect_refused(make_cuda(options()), DiagCode::B001, {"finds no device", "CUDA_VISIBLE_DEVICES"});
}

TEST_F(Open, WithAnOrdinalThatIsNotThere) {
  fake().devices = 2;
  backend::CudaOptions seventh = options();
  seventh.ordinal = 7;
  expect_refused(make_cuda(seventh), DiagCode::B001, {"cuda:7", "there are 2", "cuda:0 to cuda:1"});
  fake().devices = 1;
  expect_refused(make_cuda(seventh), DiagCode::B001, {"cuda:7", "there is 1", "cuda:0"});
  seventh.ordinal = 0;
  EXPECT_TRUE(make_cuda(seventh));
}

TEST_F(Open, ReadsOrdinals) {
  for (const char* malformed : {"x", "", "-1", "1x", " 1", "4294967296"}) {
    expect_refused(backend::parse_cuda_ordinal(malformed), DiagCode::B004, {malformed, "cuda:N"});
  }
  EXPECT_EQ(backend::parse_cuda_ordinal("12").value(), 12u);
}

TEST_F(Open, WithAChipThatIsTooOld) {
  fake().capability = 61;
  expect_refused(make_cuda(options()), DiagCode::B001, {"sm_61", "sm_70"});
}

TEST_F(Open, WithADeviceThatGivesNothing) {
  for (const char* symbol :
       {"cuDevicePrimaryCtxRetain", "cuStreamCreate", "cuMemHostAlloc", "cuEventCreate"}) {
    fake().failures[symbol] = {2};
    expect_refused(make_cuda(options()), DiagCode::B001, {"Fake GPU", "CUDA_ERROR_OUT_OF_MEMORY"});
    EXPECT_EQ(fake().held(), 0u) << symbol;
  }
}

}  // namespace
}  // namespace vyre::test
