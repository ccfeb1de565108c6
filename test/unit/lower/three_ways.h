// Running one program three ways: the reference, its kernel, and its legal kernel in every form there is.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "check/checked.h"
#include "layout/dispatch.h"
#include "lower/evaluate.h"
#include "lower/kernel.h"
#include "ops/operation.h"
#include "ref/ref.h"

namespace vyre::lower {

using Words = std::vector<uint32_t>;
/// One list of words a bound buffer.
using Buffers = std::vector<Words>;

/// Every target that the tests legalize for: both forms of guards, with and without composed operators.
inline const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {.name = "branch"},
      {.name = "select", .load_guard = GuardForm::Select},
      {.name = "poor", .has_reverse_bits = false, .has_popcount = false, .load_guard = GuardForm::Branch},
      {.name = "poor select",
       .has_reverse_bits = false,
       .has_popcount = false,
       .load_guard = GuardForm::Select},
  };
  return all;
}

inline check::Checked checked(ir::Program program, const spec::OpTable& ops = ops::op_table()) {
  auto result = check::check(std::move(program), ops);
  if (!result) {
    std::string all = "a test program is not valid:\n";
    for (const Diag& d : result.error()) all += render(d, nullptr);
    throw std::logic_error(all);
  }
  return std::move(*result);
}

inline std::vector<std::vector<std::byte>> bytes_of(const Buffers& buffers) {
  std::vector<std::vector<std::byte>> out;
  for (const Words& words : buffers) out.push_back(to_bytes(words));
  return out;
}
inline Buffers words_of(const std::vector<std::vector<std::byte>>& memory) {
  Buffers out;
  for (const auto& bytes : memory) out.push_back(to_words(bytes));
  return out;
}

inline Result<Buffers> run_kernel(const Kernel& kernel, const Buffers& input, layout::Groups groups,
                                  const EvaluateOptions& options = {}) {
  auto memory = bytes_of(input);
  std::vector<layout::Binding> bindings;
  for (auto& bytes : memory) bindings.push_back({bytes, uint32_t(bytes.size() / 4)});
  VYRE_CHECK(evaluate(kernel, bindings, groups, options));
  return words_of(memory);
}

inline Result<Buffers> run_reference(const check::Checked& program, const Buffers& input,
                                     layout::Groups groups) {
  auto memory = bytes_of(input);
  std::vector<std::span<std::byte>> host(memory.begin(), memory.end());
  VYRE_CHECK(ref::run(program, host, groups));
  return words_of(memory);
}

/// The invariants of Kernel: a value is used after its instruction, in its block or one nested in it; each
/// instruction and block stands in one place; a legal kernel has no semantic instruction and only words.
inline void expect_well_formed(const Kernel& kernel) {
  std::vector<bool> placed(kernel.insts.size(), false), visible(kernel.insts.size(), false);
  std::vector<bool> opened(kernel.blocks.size(), false);
  const auto visit = [&](auto&& self, KBlock b) -> void {
    ASSERT_FALSE(opened[index(b)]) << "a block stands in two places";
    opened[index(b)] = true;
    for (const Value v : kernel.block(b)) {
      const Inst& inst = kernel[v];
      ASSERT_FALSE(placed[index(v)]) << print(kernel, v) << " stands in two places";
      placed[index(v)] = true;
      for (const Value a : kernel.args(inst)) ASSERT_TRUE(visible[index(a)]) << print(kernel, v);
      visible[index(v)] = true;
      if (kernel.legal) {
        EXPECT_NE(inst.kind, InstKind::Apply);
        EXPECT_NE(inst.kind, InstKind::Load);
        EXPECT_NE(inst.kind, InstKind::Store);
        EXPECT_NE(inst.kind, InstKind::Atomic);
        EXPECT_EQ(inst.type, spec::DataType::U32);
      } else {
        EXPECT_NE(inst.kind, InstKind::Raw);
        EXPECT_NE(inst.kind, InstKind::RawLoad);
        EXPECT_NE(inst.kind, InstKind::RawStore);
        EXPECT_NE(inst.kind, InstKind::RawAtomic);
      }
      if (inst.body != kNoKBlock) self(self, inst.body);
      if (inst.orelse != kNoKBlock) self(self, inst.orelse);
    }
    for (const Value v : kernel.block(b)) visible[index(v)] = false;
  };
  visit(visit, kernel.entry);
  if (kernel.legal) {
    EXPECT_EQ(std::count(placed.begin(), placed.end(), false), 0) << "an instruction that no block holds";
  }
}

/// Far more than any program of the tests needs: a broken guard may hand a loop a bound from nowhere.
inline constexpr uint64_t kSteps = 100'000'000;

/// Runs the program three ways and expects the same words from each; gives what the reference answered.
inline Buffers expect_three_ways(const check::Checked& program, const Buffers& input,
                                 layout::Groups groups = {}) {
  const auto reference = run_reference(program, input, groups);
  if (!reference) {
    ADD_FAILURE() << render(reference.error(), nullptr);
    return {};
  }
  const Kernel kernel = build(program);
  expect_well_formed(kernel);
  const auto semantic = run_kernel(kernel, input, groups, {.max_steps = kSteps});
  EXPECT_TRUE(semantic.has_value()) << render(semantic.error(), nullptr) << print(kernel);
  if (semantic) EXPECT_EQ(*semantic, *reference) << print(kernel);
  for (const Target& target : targets()) {
    const Kernel legal = legalize(kernel, target);
    EXPECT_TRUE(legal.legal);
    expect_well_formed(legal);
    for (const uint64_t seed : {0, 1, 2}) {
      const auto result = run_kernel(legal, input, groups, {.seed = seed, .max_steps = kSteps});
      EXPECT_TRUE(result.has_value())
          << target.name << ": " << render(result.error(), nullptr) << print(legal);
      if (result) EXPECT_EQ(*result, *reference) << target.name << "\n" << print(legal);
    }
  }
  return *reference;
}

inline Buffers expect_three_ways(ir::Program program, const Buffers& input, layout::Groups groups = {},
                                 const spec::OpTable& ops = ops::op_table()) {
  return expect_three_ways(checked(std::move(program), ops), input, groups);
}

}  // namespace vyre::lower
