// A kernel that is broken on purpose: no program gives one that uses a value where its definition has not
// run.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "lower/kernel.h"

namespace vyre::test {

inline constexpr std::string_view kTwoProducts = R"(
program p(read a: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
  if (a[1]) { out[0] = a[2] * 3; }
  out[1] = a[0] * 5;
})";

/// Makes the second of two products take the first, which stands inside the `if` before it.
inline void use_before_definition(lower::Kernel& kernel) {
  std::vector<lower::Value> products;
  for (const auto& block : kernel.blocks) {
    for (const lower::Value v : block) {
      if (kernel[v].kind == lower::InstKind::Raw && kernel[v].raw == lower::RawOp::Mul) products.push_back(v);
    }
  }
  ASSERT_EQ(products.size(), 2u);
  const auto factor = [&](lower::Value v) { return kernel[kernel.arg(kernel[v], 1)].imm; };
  if (factor(products[0]) != 3) std::swap(products[0], products[1]);
  ASSERT_EQ(factor(products[0]), 3u);
  kernel.values[kernel[products[1]].args.first] = products[0];
}

}  // namespace vyre::test
