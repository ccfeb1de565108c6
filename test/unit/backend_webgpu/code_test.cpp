// Programs to code: what fits the device, and what it says of what does not.
#include "../device_dispatch.h"
#include "backend/webgpu/device.h"
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(
    SpecificationTable,
    "backend.h and diag.def; the faulty library does what its script says; constants and limits by hand");

namespace vyre::test {
namespace {

using Code = WebgpuTest;

TEST_F(Code, OfManyPrograms) {
  for (const unsigned threads : {1u, 3u}) expect_batch(*open({.threads = threads}), 20);
}

TEST_F(Code, BeyondTheDevice) {
  // The limits that the device says it has; one more of each is refused by name.
  const auto backend = open();
  const backend::Limits limits = backend->limits();
  ASSERT_LT(limits.max_invocations_per_group, 1024u) << "no program is too large for this device";
  expect_refused(
      backend->compile(checked("program p(read_write o: u32 @0) workgroup(1, 1024, 1) { o[0] = 1; }")),
      DiagCode::B003, {"1024 invocations", "at most " + std::to_string(limits.max_invocations_per_group)});
  EXPECT_TRUE(
      backend->compile(checked("program p(read_write o: u32 @0) workgroup(1, " +
                               std::to_string(limits.max_invocations_per_group) + ", 1) { o[0] = 1; }")));
  expect_refused(backend->compile(checked("program p(read_write out: u32 @0) workgroup(64, 1, 1) { "
                                          "out[invocation_id.x] = subgroup.size(); }")),
                 DiagCode::B002, {"subgroup.size"});
  expect_refused(backend->allocate(UINT64_MAX), DiagCode::B003, {"maxBufferSize"});
  expect_refused(backend->allocate(1ull << 48), DiagCode::B003, {"maxBufferSize"});
}

TEST_F(Code, WithManyBuffers) {
  const auto device =
      backend::webgpu::Device::open(*backend::webgpu::Instance::open(""), std::chrono::minutes(1));
  ASSERT_TRUE(device) << diagnosis(device.error());
  const uint32_t most = (*device)->profile().limits.storage_buffers;
  ASSERT_GE(most, 8u);
  const auto with = [](uint32_t buffers) {
    std::string text = "program p(read_write b0: u32 @0";
    for (uint32_t i = 1; i < buffers; ++i)
      text += ", read_write b" + std::to_string(i) + ": u32 @" + std::to_string(i);
    return checked(text + ") workgroup(1, 1, 1) { b0[0] = len(b" + std::to_string(buffers - 1) + "); }");
  };
  const auto backend = open();
  expect_refused(backend->compile(with(most + 1)), DiagCode::B003,
                 {std::to_string(most + 1) + " bound buffers", "at most " + std::to_string(most),
                  "maxStorageBuffersPerShaderStage"});
  const auto pipeline = backend->compile(with(most));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  std::vector<std::vector<uint32_t>> words(most, std::vector<uint32_t>(4));
  words.back().resize(77);
  std::vector<std::span<std::byte>> host;
  for (auto& one : words) host.push_back(bytes_of(one));
  const auto ran = (*pipeline)->dispatch(host, {1, 1, 1});
  ASSERT_TRUE(ran) << diagnosis(ran.error());
  EXPECT_EQ(words[0][0], 77u);
}

// What the implementation refuses is reported in its own words; a good module goes after it as before.
TEST_F(Code, ThatIsRefused) {
  const auto device =
      backend::webgpu::Device::open(*backend::webgpu::Instance::open(""), std::chrono::minutes(1));
  ASSERT_TRUE(device) << diagnosis(device.error());
  const auto module = [](std::string body) {
    return lower::WgslModule{
        .text =
            "@group(0) @binding(0) var<uniform> counts: array<vec4<u32>, 1>;\n@compute @workgroup_size(1)\n"
            "fn main() {\n  _ = &counts;\n" +
            body + "\n}\n",
        .buffers = 0};
  };
  expect_refused((*device)->make_code(module("nonsense_here;")), DiagCode::L003, {"nonsense_here"});
  EXPECT_TRUE((*device)->make_code(module("")));
  // A pipeline that is wrong though its module is right: no entry of that name.
  lower::WgslModule other = module("");
  other.text.replace(other.text.find("fn main"), 7, "fn nain");
  expect_refused((*device)->make_code(other), DiagCode::L003, {"main"});
  EXPECT_TRUE((*device)->make_code(module(" ")));
}

// The same text is compiled once, as long as a pipeline has it.
TEST_F(Code, OfTheSameTextIsTheSame) {
  const auto device =
      backend::webgpu::Device::open(*backend::webgpu::Instance::open(""), std::chrono::minutes(1));
  ASSERT_TRUE(device) << diagnosis(device.error());
  const lower::WgslModule module = {
      .text =
          "@group(0) @binding(0) var<uniform> counts: array<vec4<u32>, 1>;\n@compute @workgroup_size(1)\n"
          "fn main() { _ = &counts; }\n"};
  const auto one = (*device)->make_code(module), other = (*device)->make_code(module);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->get(), other->get());
}

}  // namespace
}  // namespace vyre::test
