// What every device does with buffers of the host, whatever it is: run by the tests of each backend.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <thread>

#include "backend/backend.h"
#include "device_support.h"
#include "ref/ref.h"

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

/// The dispatch of this number, from 1 on, that adds 1 to 100 to `out`, which began as iota(128, 1000).
/// Oracle: a sum in C++.
inline void expect_sum(backend::Pipeline& add, std::vector<uint32_t>& out, uint32_t number) {
  std::vector<uint32_t> a = iota(100, 1);
  const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
  const auto ran = add.dispatch(host, {2, 1, 1});
  ASSERT_TRUE(ran) << diagnosis(ran.error());
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(out[i], 1000 + i + (i < 100 ? number * (i + 1) : 0)) << i;
  EXPECT_EQ(a, iota(100, 1));
}

/// Parts of a buffer that are filled, written and read, at any offset. Oracle: std::copy and std::fill on a
/// copy of the memory.
inline void expect_buffer_stays(backend::Backend& backend, bool host_sees_it) {
  constexpr size_t kBytes = 10'000'019;
  const auto buffer = backend.allocate(kBytes);
  ASSERT_TRUE(buffer) << diagnosis(buffer.error());
  Bytes expected(kBytes), got(kBytes);
  for (size_t k = 0; k < kBytes; ++k) expected[k] = std::byte(uint8_t(k * 2654435761u >> 11));
  ASSERT_TRUE((*buffer)->write(0, expected));
  struct Part {
    size_t offset, count;
  };
  for (const Part part :
       {Part{0, 1}, Part{1, 2}, Part{5, 11}, Part{4097, 3}, Part{8, 16}, Part{kBytes - 7, 7},
        Part{kBytes - 1, 1}, Part{kBytes, 0}, Part{100'001, 9'000'001}}) {
    for (const std::byte value : {std::byte{uint8_t(0x40 + part.count % 7)}, std::byte{0}}) {
      if (value == std::byte{0} && part.count % 2 == 0) continue;
      ASSERT_TRUE((*buffer)->fill(part.offset, part.count, value));
      std::fill_n(expected.begin() + ptrdiff_t(part.offset), part.count, value);
    }
  }
  for (const Part part :
       {Part{3, 5}, Part{77'777, 13}, Part{kBytes - 6, 6}, Part{kBytes - 2, 1}, Part{40, 8}}) {
    const Bytes fresh(part.count, std::byte{0x99});
    ASSERT_TRUE((*buffer)->write(part.offset, fresh));
    std::ranges::copy(fresh, expected.begin() + ptrdiff_t(part.offset));
  }
  ASSERT_TRUE((*buffer)->read(0, got));
  EXPECT_TRUE(got == expected);
  Bytes part(12'345);
  ASSERT_TRUE((*buffer)->read(77'770, part));
  EXPECT_TRUE(std::ranges::equal(part, std::span(expected).subspan(77'770, part.size())));
  expect_refused((*buffer)->read(kBytes, part), DiagCode::B012, {});
  expect_refused((*buffer)->write(kBytes - 1, part), DiagCode::B012, {});
  expect_refused((*buffer)->fill(kBytes, 1, std::byte{}), DiagCode::B012, {});
  EXPECT_EQ((*buffer)->host().empty(), !host_sees_it);
}

/// Ranges of one buffer, read and written at once, and empty ones at its end. Oracle: a sum in C++.
inline void expect_ranges(backend::Backend& backend, backend::Backend& other) {
  const auto pipeline = backend.compile(checked(kAdd));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  const auto buffer = backend.allocate(1024);
  ASSERT_TRUE(buffer);
  std::vector<uint32_t> words = iota(256, 0);
  ASSERT_TRUE((*buffer)->write(0, bytes_of(words)));
  const backend::DeviceRange ranges[] = {{buffer->get(), 512, 400}, {buffer->get(), 256, 256}};
  const auto ran = (*pipeline)->dispatch_resident(ranges, {1, 1, 1});
  ASSERT_TRUE(ran) << diagnosis(ran.error());
  ASSERT_TRUE((*buffer)->read(0, bytes_of(words)));
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(words[i], i >= 64 && i < 128 ? i + (i - 64 + 128) : i) << i;
  const backend::DeviceRange empty[] = {{buffer->get(), 1024, 0}, {buffer->get(), 0, 256}};
  ASSERT_TRUE((*pipeline)->dispatch_resident(empty, {1, 1, 1}));
  const backend::DeviceRange askew[] = {{buffer->get(), 4, 4}, {buffer->get(), 256, 256}};
  expect_refused((*pipeline)->dispatch_resident(askew, {1, 1, 1}), DiagCode::B012, {});
  const backend::DeviceRange beyond[] = {{buffer->get(), 0, 256}, {buffer->get(), 1024, 4}};
  expect_refused((*pipeline)->dispatch_resident(beyond, {1, 1, 1}), DiagCode::B012, {});
  const auto foreign = other.allocate(256);
  ASSERT_TRUE(foreign);
  const backend::DeviceRange mixed[] = {{foreign->get(), 0, 256}, {buffer->get(), 256, 256}};
  expect_refused((*pipeline)->dispatch_resident(mixed, {1, 1, 1}), DiagCode::B012, {"another backend"});
}

/// 600 steps in one call; `run` runs them. Oracle: x -> 3x + i in C++, n times; each step sees what those
/// before it wrote.
inline void expect_many_steps(backend::Backend& backend, backend::Backend& other,
                              const std::function<Result<void>(std::span<const backend::Step>)>& run) {
  const auto program = checked(R"(
program p(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  out[i] = a[63 - i] * 3 + i;
})");
  const auto pipeline = backend.compile(program);
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  const auto x = backend.allocate(256), y = backend.allocate(256);
  ASSERT_TRUE(x && y);
  std::vector<uint32_t> words = iota(64, 7), expected = words;
  ASSERT_TRUE((*x)->write(0, bytes_of(words)));
  const backend::DeviceRange there[] = {{x->get(), 0, 256}, {y->get(), 0, 256}};
  const backend::DeviceRange back[] = {{y->get(), 0, 256}, {x->get(), 0, 256}};
  std::vector<backend::Step> steps;
  for (uint32_t n = 0; n < 600; ++n) {
    steps.push_back({pipeline->get(), n % 2 == 0 ? std::span(there) : std::span(back), {1, 1, 1}});
    std::vector<uint32_t> next(64);
    for (uint32_t i = 0; i < 64; ++i) next[i] = expected[63 - i] * 3 + i;
    expected = next;
  }
  const auto ran = run(steps);
  ASSERT_TRUE(ran) << diagnosis(ran.error());
  ASSERT_TRUE((*x)->read(0, bytes_of(words)));
  EXPECT_EQ(words, expected);
  EXPECT_TRUE(backend.run({}));
  expect_refused(other.run(steps), DiagCode::B012, {"another backend"});
}

/// Oracle: a sum in C++, of every thread.
inline void expect_threads_at_once(backend::Backend& backend) {
  const auto program = checked(kAdd);
  std::vector<std::thread> threads;
  std::vector<std::string> failures(4);
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto pipeline = backend.compile(program);
      if (!pipeline) {
        failures[t] = diagnosis(pipeline.error());
        return;
      }
      std::vector<uint32_t> a = iota(64 * (t + 1), t), out(a.size());
      const std::vector<std::span<std::byte>> host = {bytes_of(a), bytes_of(out)};
      for (uint32_t round = 1; round <= 20 && failures[t].empty(); ++round) {
        const auto ran = (*pipeline)->dispatch(host, {t + 1, 1, 1});
        if (!ran) failures[t] = diagnosis(ran.error());
        for (uint32_t i = 0; i < out.size(); ++i) {
          if (out[i] != round * (t + i)) failures[t] = "a wrong sum";
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(failures, testing::Each(""));
}

/// Programs of buffers (a, out), over words from `first` on. Where a text has f16, the buffers end amid a
/// word. Oracle: the reference.
inline void expect_as_reference(backend::Backend& backend, uint32_t first,
                                std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    const auto program = checked(text);
    const auto pipeline = backend.compile(program);
    ASSERT_TRUE(pipeline) << diagnosis(pipeline.error()) << text;
    std::vector<uint32_t> a = iota(63, first), out(64), expected(64);
    const size_t bytes = text.contains("f16") ? 126 : 252;
    const std::vector<std::span<std::byte>> host = {bytes_of(a).first(bytes), bytes_of(out).first(bytes)};
    const std::vector<std::span<std::byte>> same = {bytes_of(a).first(bytes),
                                                    bytes_of(expected).first(bytes)};
    const auto ran = (*pipeline)->dispatch(host, {2, 1, 1});
    ASSERT_TRUE(ran) << diagnosis(ran.error());
    ASSERT_TRUE(ref::run(program, same, {2, 1, 1}, {.subgroup_size = backend.limits().subgroup_size}));
    EXPECT_EQ(out, expected) << text;
  }
}

/// A batch of which one program wants more workgroup memory than there is. Oracle, by hand: each program's
/// own constant, in the order that was asked.
inline void expect_batch(backend::Backend& backend, int count) {
  std::vector<check::Checked> all;
  std::vector<const check::Checked*> pointers;
  for (int i = 0; i < count; ++i) {
    all.push_back(checked("program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = out[0] * 3 + " +
                          std::to_string(i) + "; }"));
  }
  const uint64_t room = backend.limits().max_workgroup_bytes;
  const uint64_t more = room / 16 * 16 + 16;  // some devices count in 16 bytes
  all[7] = checked("program p(read_write o: u32 @0, workgroup t: u32[" + std::to_string(more / 4) +
                   "]) workgroup(1, 1, 1) { o[0] = t[o[0]]; }");
  for (const check::Checked& program : all) pointers.push_back(&program);
  auto pipelines = backend.compile_batch(pointers);
  ASSERT_EQ(pipelines.size(), all.size());
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (i == 7) continue;
    ASSERT_TRUE(pipelines[i]) << diagnosis(pipelines[i].error());
    std::vector<uint32_t> word = {1};
    const std::span<std::byte> host = bytes_of(word);
    ASSERT_TRUE((*pipelines[i])->dispatch({&host, 1}, {1, 1, 1}));
    EXPECT_EQ(word[0], 3 + i);
  }
  expect_refused(pipelines[7], DiagCode::B003,
                 {std::to_string(more) + " bytes of workgroup memory", "at most " + std::to_string(room)});
  EXPECT_TRUE(backend.compile_batch({}).empty());
}

/// Oracle: layout::bind's own codes.
inline void expect_host_is_checked(backend::Backend& backend) {
  const auto pipeline = backend.compile(checked(kAdd));
  ASSERT_TRUE(pipeline) << diagnosis(pipeline.error());
  std::vector<uint32_t> a(4);
  const std::vector<std::span<std::byte>> one = {bytes_of(a)};
  expect_refused((*pipeline)->dispatch(one, {1, 1, 1}), DiagCode::X009, {});
  std::vector<uint32_t> out(4);
  const std::vector<std::span<std::byte>> two = {bytes_of(a), bytes_of(out)};
  expect_refused((*pipeline)->dispatch(two, {0, 1, 1}), DiagCode::X005, {});
  const std::vector<std::span<std::byte>> twice = {bytes_of(a), bytes_of(a)};
  expect_refused((*pipeline)->dispatch(twice, {1, 1, 1}), DiagCode::X003, {});
}

}  // namespace vyre::test
