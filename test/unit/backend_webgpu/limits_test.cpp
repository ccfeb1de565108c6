// Limits in structures of either layout.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "backend/webgpu/limits.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "the members of webgpu.h, written down here by hand, with the defaults of the W3C's table");

namespace vyre::backend::webgpu {
namespace {

/// Words of 4 bytes in the order of the header; members of 8 bytes are two, and stand at even places.
std::vector<uint32_t> members(bool earlier) {
  std::vector<uint32_t> out = {
      0,         0,                         // nextInChain
      8192,      8192, 2048,      256,      // textures
      4,         24,   1000,      8,   4,   // groups, bindings, dynamic buffers
      16,        16,   8,         4,   12,  // textures, samplers, storage buffers, uniform buffers
      65536,     0,    134217728, 0,        // bytes of uniform and storage bindings
      256,       256,  8,         0,        // alignments, vertex buffers, a gap
      268435456, 0,    16,        2048};    // bytes of buffers, attributes, stride
  if (earlier) out.push_back(60);           // maxInterStageShaderComponents
  for (const uint32_t value : {16u, 8u, 32u, 16384u, 256u, 256u, 256u, 64u, 65535u}) out.push_back(value);
  return out;
}
LimitsMemory written(const std::vector<uint32_t>& words) {
  LimitsMemory out = marked_limits();
  std::memcpy(out.data(), words.data(), words.size() * sizeof words[0]);
  return out;
}

TEST(Limits, DefaultsInEitherLayout) {
  for (const bool earlier : {false, true}) {
    EXPECT_EQ(recognise_limits(written(members(earlier))), DispatchLimits{}) << earlier;
    std::vector<uint32_t> longer = members(earlier);
    longer.insert(longer.end(), {64, 8, 4, 8, 4});  // later members, at the end
    EXPECT_EQ(recognise_limits(written(longer)), DispatchLimits{}) << earlier;
  }
}

TEST(Limits, OfAnAdapterThatHasMore) {
  for (const bool earlier : {false, true}) {
    std::vector<uint32_t> words = members(earlier);
    const size_t tail = words.size() - 9;
    words[13] = 16;
    words[18] = 0xFFFF'FFFC;  // maxStorageBufferBindingSize
    words[25] = 2;            // maxBufferSize, 8 GiB and more
    words[tail + 3] = 49152;
    words[tail + 4] = 1024;
    words[tail + 5] = 512;
    const auto limits = recognise_limits(written(words));
    ASSERT_TRUE(limits) << earlier;
    EXPECT_EQ(*limits, (DispatchLimits{.storage_buffers = 16,
                                       .binding_bytes = 0xFFFF'FFFC,
                                       .buffer_bytes = (2ull << 32) + 268435456,
                                       .workgroup_bytes = 49152,
                                       .invocations = 1024,
                                       .size_x = 512}));
  }
}

// What is asked for stands where it was read; all else, known or not, is undefined.
TEST(Limits, AskForWhatIsWantedAlone) {
  for (const bool earlier : {false, true}) {
    const LimitsMemory request = request_of(written(members(earlier)), {.storage_buffers = 10,
                                                                        .binding_bytes = 200ull << 20,
                                                                        .buffer_bytes = 5ull << 30,
                                                                        .workgroup_bytes = 32768,
                                                                        .invocations = 512,
                                                                        .size_x = 300});
    std::vector<uint32_t> expected(request.size() * 2, UINT32_MAX);
    expected[0] = expected[1] = 0;
    expected[13] = 10;
    expected[18] = 200u << 20;
    expected[19] = 0;
    expected[24] = 1u << 30;
    expected[25] = 1;
    const size_t tail = members(earlier).size() - 9;
    expected[tail + 3] = 32768;
    expected[tail + 4] = 512;
    expected[tail + 5] = 300;
    std::vector<uint32_t> got(expected.size());
    std::memcpy(got.data(), request.data(), sizeof request);
    EXPECT_EQ(got, expected) << earlier;
  }
}

// A library that writes nothing, less than a layout, something else, or all the memory.
TEST(Limits, UnknownLayoutsAreNotUsed) {
  EXPECT_FALSE(recognise_limits(marked_limits()));
  for (const bool earlier : {false, true}) {
    const std::vector<uint32_t> words = members(earlier);
    for (size_t count = 2; count < words.size(); ++count) {
      const bool complete = count + 1 > words.size();
      EXPECT_EQ(bool(recognise_limits(written({words.begin(), words.begin() + ptrdiff_t(count)}))), complete)
          << count;
    }
    // Each member shifted by one, as in a layout that has another one at its beginning or in its middle.
    for (const size_t at : {size_t{2}, size_t{6}, size_t{13}, size_t{16}, size_t{24}}) {
      std::vector<uint32_t> shifted = words;
      shifted.insert(shifted.begin() + ptrdiff_t(at), 1);
      EXPECT_FALSE(recognise_limits(written(shifted))) << at;
    }
    LimitsMemory all = written(words);
    for (size_t i = words.size() / 2 + 1; i < all.size(); ++i) all[i] = 1;
    EXPECT_FALSE(recognise_limits(all));
  }
}

}  // namespace
}  // namespace vyre::backend::webgpu
