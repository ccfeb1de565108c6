// What the benchmarks of every device share: stopping at what is wrong, best times, and programs to run.
//
// A rate that only a rival makes sense of has one in the same run. Times are the best of several runs.
// Results are looked at first: a fast wrong answer is no answer. Exit 1 when one is wrong, 3 when there is no
// device.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "backend/backend.h"
#include "check/checked.h"
#include "generate/programs.h"
#include "ops/operation.h"
#include "text/text.h"

namespace vyre::bench {

[[noreturn]] inline void stop(const Diag& why) {
  fmt::print(stderr, "{}", render(why, nullptr));
  std::exit(exit_code(why.code));
}
template <typename T>
T must(Result<T> result) {
  if (!result) stop(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}
inline void must_be(bool right, std::string_view what) {
  if (right) return;
  fmt::print(stderr, "{}: wrong result\n", what);
  std::exit(1);
}

inline check::Checked checked(std::string_view text) {
  auto program = must(text::parse(text));
  auto out = check::check(std::move(program), ops::op_table());
  if (!out) stop(out.error().front());
  return std::move(*out);
}

inline double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
/// What work takes: of the wall's clock, or of the processors' time, which a busy machine changes less.
inline double time_of(bool processors, const std::function<void()>& work) {
  if (!processors) return seconds(work);
  const auto now = [] {
    timespec t = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
  };
  const double start = now();
  work();
  return now() - start;
}
inline double best_of(int runs, const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) best = std::min(best, seconds(work));
  return best;
}

inline constexpr double kGigabyte = 1e9;

/// Groups of so many invocations, in rows of 32768: element x + y * 32768 * threads is invocation (x, y)'s.
/// Domain  a multiple of `threads` elements.
inline layout::Groups rows_of(uint64_t elements, uint32_t threads) {
  const uint64_t groups = elements / threads;
  return {uint32_t(std::min<uint64_t>(groups, 32768)), uint32_t((groups + 32767) / 32768), 1};
}

/// Reads and writes so many bytes of device memory, as words and as vectors, in workgroups of so many
/// invocations; beside it what a copy of as much takes. Unit  rival: seconds.
inline void streaming(backend::Backend& gpu, uint64_t bytes, uint32_t threads, double rival) {
  using backend::DeviceRange;
  struct Stream {
    const char *type, *result;
    uint32_t element_bytes;
    std::byte expected;
  };
  constexpr std::byte kInput{0x33};
  const auto from = must(gpu.allocate(bytes)), to = must(gpu.allocate(bytes));
  must(from->fill(0, bytes, kInput));
  const DeviceRange ranges[] = {{from.get(), 0, bytes}, {to.get(), 0, bytes}};
  const auto rate = [&](double time) { return 2 * double(bytes) / time / kGigabyte; };
  for (const Stream& stream : {Stream{"u32", "a[i] ^ 0x5a5a5a5a", 4, kInput ^ std::byte{0x5a}},
                               Stream{"vec4u32", "a[i]", 16, kInput}}) {
    const auto pipeline = must(gpu.compile(
        checked(fmt::format("program stream(read a: {0} @0, read_write out: {0} @1) workgroup({1}, 1, 1) {{\n"
                            "  let i = invocation_id.x + invocation_id.y * {2};\n  out[i] = {3};\n}}",
                            stream.type, threads, 32768 * threads, stream.result))));
    must(to->fill(0, bytes, std::byte{0}));
    const layout::Groups rows = rows_of(bytes / stream.element_bytes, threads);
    const double best = best_of(20, [&] { must(pipeline->dispatch_resident(ranges, rows)); });
    std::vector<std::byte> result(bytes);
    must(to->read(0, result));
    must_be(std::ranges::all_of(result, [&](std::byte b) { return b == stream.expected; }), stream.type);
    fmt::print("streaming, {:<12} {:7.1f} GB/s            device copy {:7.1f} GB/s         ratio {:.2f}\n",
               stream.type, rate(best), rate(rival), rival / best);
  }
}
inline constexpr std::string_view kSmall = R"(
program small(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  out[i] = a[i] + 1;
})";

/// Between the host's memory and the device's, and beside it a copy by the host of its own.
inline void staging(backend::Backend& gpu, size_t bytes) {
  std::vector<std::byte> there(bytes), back(bytes);
  for (size_t i = 0; i < bytes; i += 64) there[i] = std::byte(uint8_t(i >> 6));
  const auto buffer = must(gpu.allocate(bytes));
  const double in = best_of(5, [&] { must(buffer->write(0, there)); });
  const double out = best_of(5, [&] { must(buffer->read(0, back)); });
  must_be(there == back, "staging");
  const double host = best_of(5, [&] { std::copy_n(there.data(), bytes, back.data()); });
  fmt::print(
      "staging, {:4} MiB      to the device {:6.1f} GB/s   back {:6.1f} GB/s   host's own copy {:6.1f} "
      "GB/s\n",
      bytes >> 20, double(bytes) / in / kGigabyte, double(bytes) / out / kGigabyte,
      double(bytes) / host / kGigabyte);
}

/// A dispatch of 64 elements, beside a rival by this name if there is one: what it takes at best, in seconds.
inline void latency(backend::Backend& gpu, std::string_view name = "",
                    const std::function<double()>& rival = {}) {
  const auto program = checked(kSmall);
  const auto pipeline = must(gpu.compile(program));
  std::vector<uint32_t> a(64, 41), out(64);
  const std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(a)),
                                                  std::as_writable_bytes(std::span(out))};
  const double copied = best_of(2000, [&] { must(pipeline->dispatch(host, {1, 1, 1})); });
  must_be(out == std::vector<uint32_t>(64, 42), "latency");
  const auto from = must(gpu.allocate(256)), to = must(gpu.allocate(256));
  const backend::DeviceRange ranges[] = {{from.get(), 0, 256}, {to.get(), 0, 256}};
  double resident = 1e9, other = 1e9;
  // In turns, so that a change of clocks meets both.
  for (int round = 0; round < 5; ++round) {
    if (rival) other = std::min(other, rival());
    resident =
        std::min(resident, best_of(500, [&] { must(pipeline->dispatch_resident(ranges, {1, 1, 1})); }));
  }
  fmt::print("latency, 64 elements   with copies {:6.1f} us     resident {:6.1f} us", copied * 1e6,
             resident * 1e6);
  if (rival) fmt::print("     {} {:6.1f} us     ratio {:.2f}", name, other * 1e6, resident / other);
  const std::vector<backend::Step> steps(100, {pipeline.get(), ranges, {1, 1, 1}});
  const double step = best_of(50, [&] { must(gpu.run(steps)); }) / double(steps.size());
  fmt::print("\na step of 100 in one submission {:6.2f} us\n", step * 1e6);
}

/// Compiling one kernel: on a backend that keeps code in a folder which is empty, and on the next one.
inline void compiling_one(
    const std::function<std::unique_ptr<backend::Backend>(const std::string& folder)>& make) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("vyre-bench-{}", getpid());
  const auto program = checked(kSmall);
  const auto time_of = [&](double& open) {
    std::unique_ptr<backend::Backend> gpu;
    open = seconds([&] { gpu = make(folder.string()); });
    return seconds([&] { must(gpu->compile(program)); });
  };
  double first_open = 0, open = 0;
  const double cold = time_of(first_open), kept = time_of(open);
  std::filesystem::remove_all(folder);
  fmt::print(
      "compiling one kernel   first {:6.1f} ms           kept on disk {:6.2f} ms         (opening {:.0f} "
      "ms)\n",
      cold * 1e3, kept * 1e3, open * 1e3);
}

/// The first small random programs of seed 1.
class RandomPrograms {
 public:
  explicit RandomPrograms(uint32_t count) {
    generate::ProgramGenerator generator(generate::ProgramOptions::small(&ops::op_table()));
    generate::ProgramCase one;
    for (uint32_t i = 0; i < count; ++i) {
      generator.make(1, i, one);
      auto good = check::check(one.program, ops::op_table());
      if (!good) stop(good.error().front());
      programs_.push_back(std::move(*good));
    }
  }

  /// How long a device takes to compile one of all of them. Unit  seconds.
  double time_to_compile(backend::Backend& gpu) const {
    std::vector<const check::Checked*> pointers;
    for (const check::Checked& p : programs_) pointers.push_back(&p);
    const double time = seconds([&] {
      for (auto& pipeline : gpu.compile_batch(pointers)) must(std::move(pipeline));
    });
    return time / double(programs_.size());
  }

 private:
  std::vector<check::Checked> programs_;
};

}  // namespace vyre::bench
