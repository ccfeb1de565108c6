// Candidates for admission: one operation that passes every gate, as the others are it with one thing wrong.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "admit/gates.h"

namespace vyre::admit::test {

/// Half of the sum, rounded down, without overflow: what docs/adding-an-op.md adds.
inline uint32_t avg_floor(const uint32_t* x) { return static_cast<uint32_t>((uint64_t{x[0]} + x[1]) / 2); }

inline ops::Operation good() {
  constexpr std::string_view kSource = "semantics: The primitives (avg_floor)";
  return {
      .id = "primitive.math.avg_floor",
      .version = 1,
      .signature = ops::words(2),
      .category = spec::Category::A,
      .summary = "(a + b) / 2 rounded down, without overflow",
      .parameter_names = {"a", "b"},
      .reference = avg_floor,
      .compose = [](ir::FunctionBuilder&,
                    std::span<const ir::Ex> p) { return (p[0] & p[1]) + ((p[0] ^ p[1]) >> 1); },
      .laws = {ops::laws::commutative(), ops::laws::idempotent()},
      .denied = {{ops::laws::associative(), {0, 0, 4}}, {ops::laws::identity(0), {2}}},
      .classes = {{"the sum fits", [](const uint32_t* x) { return x[0] <= UINT32_MAX - x[1]; }, {3, 5}},
                  {"the sum would wrap",
                   [](const uint32_t* x) { return x[0] > UINT32_MAX - x[1]; },
                   {0xffffffff, 1}}},
      .boundaries = {{{0, 0}, "both operands at their least"},
                     {{0xffffffff, 0xffffffff}, "both operands at their greatest"},
                     {{0xffffffff, 1}, "the least sum that would wrap"},
                     {{0xffffffff, 0}, "the greatest against the least"}},
      .rows = {{{3, 5}, 4, "an even sum", kSource},
               {{3, 4}, 3, "an odd sum is rounded down", kSource},
               {{0, 1}, 0, "rounded down to zero", kSource},
               {{7, 7}, 7, "Idempotent", kSource},
               {{0xffffffff, 0xffffffff}, 0xffffffff, "the sum does not fit", kSource},
               {{0xffffffff, 1}, 0x80000000, "2^32 / 2", kSource},
               {{0xffffffff, 0}, 0x7fffffff, "unsigned: not half of -1", kSource},
               {{0x80000000, 0x80000000}, 0x80000000, "a wrapped sum would be 0", kSource}},
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const uint32_t width = pool.width(x[0]);
            return pool.extract(
                pool.add(pool.zero_extend(x[0], width + 1), pool.zero_extend(x[1], width + 1)), 1, width);
          },
  };
}

/// That a candidate is refused with this code and no other, in words among which are these.
inline void expect_refused(const Candidate& candidate, DiagCode code, std::string_view words) {
  const Diagnostics refusals = admit(candidate);
  ASSERT_FALSE(refusals.empty()) << "admitted, and not refused: " << words;
  for (const Diag& refusal : refusals) {
    EXPECT_EQ(refusal.code, code) << diag_info(refusal.code).name << ": " << refusal.message;
    EXPECT_FALSE(refusal.help.empty()) << refusal.message;
    EXPECT_THAT(refusal.message, testing::HasSubstr(std::string(candidate.operation->id)));
  }
  EXPECT_THAT(refusals.front().message, testing::HasSubstr(std::string(words)));
}
inline void expect_refused(const ops::Operation& operation, DiagCode code, std::string_view words) {
  expect_refused({&operation}, code, words);
}

}  // namespace vyre::admit::test
