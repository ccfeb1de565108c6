// Pipelines of many small dispatches, on any device: what one of a thousand costs, and a turn of a repeat.
#pragma once

#include <array>
#include <memory>

#include "base/bytes.h"
#include "device_bench.h"
#include "plan/pipeline.h"

namespace vyre::bench {

inline constexpr std::string_view kPipelines = R"(
program step(read_write x: u32 @0) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  x[i] = x[i] * 5 + 1;
}
program count_down(read_write n: u32 @0) workgroup(1, 1, 1) {
  n[0] = n[0] - 1;
}
pipeline thousand(read_write x: u32 @0) {
  for i in 0..1000 {
    dispatch step(x) groups(1);
  }
}
pipeline counted(read_write n: u32 @0) {
  repeat 1000000 while (n[0]) {
    dispatch count_down(n) groups(1);
  }
})";
inline constexpr std::string_view kStep = kPipelines.substr(1, kPipelines.find("program count_down") - 2);

inline std::shared_ptr<const check::CheckedModule> checked_module(std::string_view text) {
  auto out = check::check(must(text::parse_module(text, &ops::op_table())), ops::op_table());
  if (!out) stop(out.error().front());
  return std::move(*out);
}

/// The seconds that a dispatch of `thousand` takes, the whole pipeline waited for, run again and again.
inline double thousand_dispatches(backend::Backend& gpu) {
  auto pipeline = must(plan::Executable::make(gpu, checked_module(kPipelines), 0));
  const auto buffer = must(gpu.allocate(256));
  const backend::DeviceRange range = {buffer.get(), 0, 256};
  const std::vector<uint32_t> ones(64, 1);
  must(buffer->write(0, std::as_bytes(std::span(ones))));
  must(pipeline.run({&range, 1}));
  std::vector<uint32_t> found(64);
  must(buffer->read(0, std::as_writable_bytes(std::span(found))));
  uint32_t expected = 1;
  for (int i = 0; i < 1000; ++i) expected = expected * 5 + 1;
  must_be(found == std::vector<uint32_t>(64, expected), "a thousand dispatches");
  return best_of(50, [&] { must(pipeline.run({&range, 1})); }) / 1000;
}

/// The seconds that a turn of a repeat takes, of ten thousand.
inline double repeated_dispatches(backend::Backend& gpu) {
  constexpr uint32_t kTurns = 10'000;
  auto pipeline = must(plan::Executable::make(gpu, checked_module(kPipelines), 1));
  const auto buffer = must(gpu.allocate(4));
  const backend::DeviceRange range = {buffer.get(), 0, 4};
  double best = 1e9;
  for (int i = 0; i < 4; ++i) {
    const std::array<uint32_t, 1> turns = {kTurns};
    must(buffer->write(0, std::as_bytes(std::span(turns))));
    best = std::min(best, seconds([&] { must(pipeline.run({&range, 1})); }));
    std::array<uint32_t, 1> left = {1};
    must(buffer->read(0, std::as_writable_bytes(std::span(left))));
    must_be(left[0] == 0, "a repeat");
  }
  return best / kTurns;
}

inline void pipelines(backend::Backend& gpu, double rival) {
  const double step = thousand_dispatches(gpu), turn = repeated_dispatches(gpu);
  fmt::print("pipeline, a dispatch of 1000 {:6.2f} us", step * 1e6);
  if (rival > 0) fmt::print("     recorded by hand {:6.2f} us     ratio {:.2f}", rival * 1e6, step / rival);
  fmt::print("\npipeline, a turn of a repeat of 10000 {:6.2f} us\n", turn * 1e6);
}

}  // namespace vyre::bench
