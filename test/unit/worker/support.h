// Programs and workers for the tests of this folder. The test program is its own worker: see main_test.cpp.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "project_programs.h"
#include "worker/worker.h"

namespace vyre::worker {

using test::checked;

inline check::Checked doubling() {
  return checked(
      "program doubling(read x: u32 @0, read_write y: u32 @1) workgroup(64, 1, 1) {\n"
      "  y[invocation_id.x] = x[invocation_id.x] + x[invocation_id.x];\n"
      "}\n");
}

inline Options options_for(std::string backend) {
  Options out;
  out.backend = std::move(backend);
  return out;
}

inline std::unique_ptr<backend::Backend> open_worker(const Options& options) {
  auto worker = make_worker(options);
  EXPECT_TRUE(worker) << worker.error().message;
  return worker ? std::move(*worker) : nullptr;
}

/// A dispatch of doubling() over n words that begin with `first` and go on with 1, 2, ...
struct Doubled {
  Result<void> outcome;
  std::vector<uint32_t> y;
};
inline constexpr uint32_t kUntouched = 0xabababab;
inline Doubled run_doubling(backend::Pipeline& pipeline, uint32_t first, size_t n = 100) {
  std::vector<uint32_t> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = i == 0 ? first : uint32_t(i);
  Bytes in = to_bytes(x);
  Bytes out = to_bytes(std::vector<uint32_t>(n, kUntouched));
  const std::vector<std::span<std::byte>> host = {in, out};
  Doubled result{pipeline.dispatch(host, {uint32_t((n + 63) / 64), 1, 1}), {}};
  EXPECT_EQ(to_words(in), x);
  result.y = to_words(out);
  return result;
}
/// 2 * first, 2, 4, 6, ...
inline std::vector<uint32_t> doubled(uint32_t first, size_t n = 100) {
  std::vector<uint32_t> y(n);
  for (size_t i = 0; i < n; ++i) y[i] = 2 * (i == 0 ? first : uint32_t(i));
  return y;
}
inline void expect_right(backend::Pipeline& pipeline, uint32_t first = 7, size_t n = 100) {
  const Doubled result = run_doubling(pipeline, first, n);
  ASSERT_TRUE(result.outcome) << result.outcome.error().message;
  EXPECT_EQ(result.y, doubled(first, n));
}

}  // namespace vyre::worker
