// Running a program given as text, on the reference and on a backend.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "base/bytes.h"
#include "base/random.h"
#include "check/checked.h"
#include "ref/ref.h"
#include "text/text.h"

namespace vyre::test {

inline std::string diagnosis(const Diag& d) { return std::string(diag_info(d.code).name) + ": " + d.message; }

inline check::Checked checked(std::string_view text) {
  static const spec::OpTable no_operations;
  auto program = text::parse(text);
  if (!program) throw std::runtime_error(diagnosis(program.error()));
  auto result = check::check(std::move(*program), no_operations);
  if (!result) throw std::runtime_error(diagnosis(result.error().front()));
  return std::move(*result);
}

using Buffers = std::vector<std::vector<uint32_t>>;

/// Inputs that hit the edges often: half of the words are small or structured, half are random.
inline Buffers inputs(const std::vector<uint32_t>& counts, uint64_t seed) {
  constexpr uint32_t edges[] = {0,          1,          2,          3,         7,          31,
                                32,         33,         63,         64,        0x7fffffff, 0x80000000,
                                0x80000001, 0xffffffff, 0xfffffffe, 0x55555555};
  RandomStream random(seed, 17);
  Buffers out;
  for (const uint32_t count : counts) {
    auto& words = out.emplace_back(count);
    for (uint32_t& w : words) w = random.chance(2) ? edges[random.below(16)] : random.next();
  }
  return out;
}

inline std::vector<std::span<std::byte>> spans(Buffers& buffers) {
  std::vector<std::span<std::byte>> out;
  for (auto& b : buffers) out.push_back(std::as_writable_bytes(std::span(b)));
  return out;
}

inline Buffers reference_result(const check::Checked& program, Buffers buffers, layout::Groups groups) {
  const auto done = ref::run(program, spans(buffers), groups);
  EXPECT_TRUE(done) << diagnosis(done.error());
  return buffers;
}

inline Buffers pipeline_result(backend::Pipeline& pipeline, Buffers buffers, layout::Groups groups) {
  const auto done = pipeline.dispatch(spans(buffers), groups);
  EXPECT_TRUE(done) << diagnosis(done.error());
  return buffers;
}

}  // namespace vyre::test
