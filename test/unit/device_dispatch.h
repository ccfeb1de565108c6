// What every device does with buffers of the host, whatever it is: run by the tests of each backend.
#pragma once

#include <array>

#include "backend/backend.h"
#include "device_support.h"

namespace vyre::test {

/// Buffers larger than what a device takes at once, at host addresses of any alignment, and one in its middle
/// that is small. Oracle: a complement in C++. Shape  sizes: bytes of a, x, y; `rows` of 65536 invocations
/// are enough for the larger of x and y.
inline void expect_large_buffers(backend::Backend& backend, const std::array<size_t, 3>& sizes,
                                 uint32_t rows) {
  const auto pipeline = backend.compile(checked(R"(
program p(read a: bytes @0, read_write x: u32 @1, read_write y: u32 @2) workgroup(256, 1, 1) {
  let i = invocation_id.x + invocation_id.y * 65536;
  x[i] = x[i] ^ 0xffffffff;
  y[i] = y[i] ^ 0xffffffff;
  if (i == 0) { x[0] = a[0]; }
})"));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  std::vector<Bytes> memory, before;
  for (const size_t size : sizes) {
    Bytes& bytes = memory.emplace_back(size + 3);
    for (size_t k = 0; k < bytes.size(); ++k) bytes[k] = std::byte(uint8_t(k * 2654435761u >> 13));
  }
  before = memory;
  std::vector<std::span<std::byte>> host;
  for (size_t i = 0; i < 3; ++i) host.push_back(std::span(memory[i]).subspan(i, sizes[i]));
  const auto ran = (*pipeline)->dispatch(host, {256, rows, 1});
  ASSERT_TRUE(ran) << diagnosis(ran.error());
  EXPECT_EQ(load_u32(memory[1].data() + 1), load_u32(before[0].data()));
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < memory[i].size(); ++k) {
      if (i == 1 && k >= 1 && k < 5) continue;
      const bool changed = i > 0 && k >= i && k < i + sizes[i];
      ASSERT_EQ(memory[i][k], changed ? ~before[i][k] : before[i][k]) << "buffer " << i << ", byte " << k;
    }
  }
}

/// Oracle: kernel.h: every binding has at least one element, though its count be 0; reads of it give zero.
inline void expect_empty_buffers(backend::Backend& backend) {
  const auto pipeline = backend.compile(checked(kAdd));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  std::vector<uint32_t> none, out = iota(64, 5);
  std::vector<std::span<std::byte>> host = {bytes_of(none), bytes_of(out)};
  ASSERT_TRUE((*pipeline)->dispatch(host, {1, 1, 1}));
  EXPECT_EQ(out, iota(64, 5));
  host = {bytes_of(none), bytes_of(none)};
  EXPECT_TRUE((*pipeline)->dispatch(host, {1, 1, 1}));
}

/// Oracle: layout::bind's own codes.
inline void expect_host_is_checked(backend::Backend& backend) {
  const auto pipeline = backend.compile(checked(kAdd));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  std::vector<uint32_t> a(4);
  const std::vector<std::span<std::byte>> one = {bytes_of(a)};
  expect_refused((*pipeline)->dispatch(one, {1, 1, 1}), DiagCode::X009, {});
  const std::vector<std::span<std::byte>> twice = {bytes_of(a), bytes_of(a)};
  expect_refused((*pipeline)->dispatch(twice, {1, 1, 1}), DiagCode::X003, {});
}

}  // namespace vyre::test
