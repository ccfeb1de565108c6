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
#include "spec/ops.h"

namespace vyre::lower {

using Words = std::vector<uint32_t>;
/// One list of words a bound buffer.
using Buffers = std::vector<Words>;
/// The same in bytes, for elements of half a word.
using Memories = std::vector<std::vector<std::byte>>;

/// A kernel of a workgroup that is written by hand.
struct KernelWriter {
  explicit KernelWriter(std::string name, uint32_t workgroup) {
    kernel.name = std::move(name);
    kernel.workgroup_size = {workgroup, 1, 1};
    kernel.entry = block = kernel.add_block();
  }
  Value put(Inst inst, std::vector<Value> operands = {}) {
    const Value v = kernel.add(inst, operands);
    kernel.blocks[index(block)].push_back(v);
    return v;
  }
  uint32_t buffer(std::string name, spec::BufferAccess access, spec::DataType element) {
    const auto n = uint32_t(kernel.buffers.size());
    kernel.buffers.push_back(
        {.name = std::move(name), .access = access, .element = element, .binding = n, .argument = n});
    return n;
  }
  Value id() { return put({.kind = InstKind::InvocationId, .type = spec::DataType::U32}); }
  Value load(uint32_t buffer, Value at) {
    return put({.kind = InstKind::Load, .type = kernel.buffers[buffer].element, .target = buffer}, {at});
  }
  void store(uint32_t buffer, Value at, Value value) {
    put({.kind = InstKind::Store, .target = buffer}, {at, value});
  }
  Value apply(spec::Op op, spec::DataType type, std::vector<Value> operands) {
    return put({.kind = InstKind::Apply, .op = op, .type = spec::result_type(op, type), .operand_type = type},
               std::move(operands));
  }

  Kernel kernel;
  KBlock block;
};

/// out[i] = op(a[i], b[i], ...), with no check of i: loads and stores are guarded by their own rules.
inline Kernel kernel_applying(Inst apply, const std::vector<spec::DataType>& operands, uint32_t workgroup) {
  KernelWriter w(std::string(spec::mnemonic(apply.op)), workgroup);
  const Value i = w.id();
  std::vector<Value> loaded;
  for (const spec::DataType type : operands) {
    const std::string name(1, char('a' + loaded.size()));
    loaded.push_back(w.load(w.buffer(name, spec::BufferAccess::Read, type), i));
  }
  apply.kind = InstKind::Apply;
  const Value result = w.put(apply, loaded);
  w.store(w.buffer("out", spec::BufferAccess::ReadWrite, apply.type), i, result);
  return std::move(w.kernel);
}

/// Every target that the tests legalize for: both forms of guards, with and without composed operators,
/// integers of 64 bits and access to 16.
inline const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {.name = "branch"},
      {.name = "select", .load_guard = GuardForm::Select},
      {.name = "poor", .has_reverse_bits = false, .has_popcount = false, .load_guard = GuardForm::Branch},
      {.name = "poor select",
       .has_reverse_bits = false,
       .has_popcount = false,
       .load_guard = GuardForm::Select},
      {.name = "halves", .has_16bit_access = false},
      {.name = "no longs", .has_64bit_integers = false},
      kWordTarget,
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

inline Memories bytes_of(const Buffers& buffers) {
  Memories out;
  for (const Words& words : buffers) out.push_back(to_bytes(words));
  return out;
}
inline Buffers words_of(const Memories& memory) {
  Buffers out;
  for (const auto& bytes : memory) out.push_back(to_words(bytes));
  return out;
}

/// Bindings of whole elements, with the shapes of tensors worked out here: dimensions from memory, strides as
/// declared or in row-major order.
inline std::vector<layout::Binding> bindings_of(const Kernel& kernel, Memories& memory) {
  std::vector<layout::Binding> out(memory.size());
  for (const KernelBuffer& buffer : kernel.buffers) {
    if (!spec::is_bound(buffer.access)) continue;
    auto& bytes = memory[buffer.argument];
    layout::Binding& binding = out[buffer.argument];
    binding = {.bytes = bytes, .count = uint32_t(bytes.size() / spec::info(buffer.element).bytes)};
    for (const KernelDim& dim : buffer.dims) {
      const auto& sizes = memory[kernel.buffers[dim.buffer].argument];
      binding.dims.push_back(dim.dynamic ? to_words(sizes)[dim.element] : dim.size);
    }
    binding.strides = buffer.strides;
    if (!buffer.strides.empty()) continue;
    binding.strides.assign(binding.dims.size(), 1);
    for (size_t d = binding.dims.size(); d-- > 1;)
      binding.strides[d - 1] = binding.strides[d] * binding.dims[d];
  }
  return out;
}

inline Result<Memories> run_bytes(const Kernel& kernel, Memories memory, layout::Groups groups,
                                  const EvaluateOptions& options = {}) {
  VYRE_CHECK(evaluate(kernel, bindings_of(kernel, memory), groups, options));
  return memory;
}
inline Result<Buffers> run_kernel(const Kernel& kernel, const Buffers& input, layout::Groups groups,
                                  const EvaluateOptions& options = {}) {
  VYRE_TRY(memory, run_bytes(kernel, bytes_of(input), groups, options));
  return words_of(memory);
}

inline Result<Memories> reference_bytes(const check::Checked& program, Memories memory, layout::Groups groups,
                                        uint32_t subgroup_size = 0) {
  std::vector<std::span<std::byte>> host(memory.begin(), memory.end());
  VYRE_CHECK(ref::run(program, host, groups, {.subgroup_size = subgroup_size}));
  return memory;
}
inline Result<Buffers> run_reference(const check::Checked& program, const Buffers& input,
                                     layout::Groups groups) {
  VYRE_TRY(memory, reference_bytes(program, bytes_of(input), groups));
  return words_of(memory);
}

/// Of a legal kernel: whether a value is a word, a truth among them, a float or an integer of 64 bits.
inline RawResult class_of(const Kernel& kernel, Value v) {
  const Inst& inst = kernel[v];
  if (inst.kind == InstKind::Raw) {
    const RawResult gives = info(inst.raw).gives;
    return gives == RawResult::Truth ? RawResult::Word : gives;
  }
  const bool slot = inst.kind == InstKind::Get && kernel.slots[inst.target].type == spec::DataType::U64;
  const bool access =
      (inst.kind == InstKind::RawLoad || inst.kind == InstKind::RawStore) && inst.type == spec::DataType::U64;
  return slot || access ? RawResult::Long : RawResult::Word;
}
inline RawResult class_taken(const Kernel& kernel, const Inst& inst, uint32_t n) {
  if (inst.kind == InstKind::Raw && takes_wide(inst.raw, n)) return RawResult::Wide;
  const bool raw = inst.kind == InstKind::Raw && takes_long(inst.raw, n);
  const bool slot = inst.kind == InstKind::Set && kernel.slots[inst.target].type == spec::DataType::U64;
  const bool stored = inst.kind == InstKind::RawStore && n == 1 && inst.type == spec::DataType::U64;
  return raw || slot || stored ? RawResult::Long : RawResult::Word;
}

/// The invariants of Kernel: a value is used after its instruction, in its block or one nested in it; each
/// instruction and block stands in one place; a legal kernel has no semantic instruction, and only words but
/// for floats and integers of 64 bits, which are taken by what takes such and with no control between.
inline void expect_well_formed(const Kernel& kernel) {
  std::vector<bool> placed(kernel.insts.size(), false), visible(kernel.insts.size(), false);
  std::vector<bool> opened(kernel.blocks.size(), false);
  std::vector<uint32_t> stretches(kernel.insts.size(), 0);
  uint32_t stretch = 0;
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
        EXPECT_EQ(class_of(kernel, v) != RawResult::Word, inst.type == spec::DataType::U64)
            << print(kernel, v);
        for (uint32_t n = 0; n < inst.args.count; ++n) {
          const Value a = kernel.arg(inst, n);
          EXPECT_EQ(class_of(kernel, a), class_taken(kernel, inst, n)) << print(kernel, v);
          if (class_of(kernel, a) != RawResult::Word)
            EXPECT_EQ(stretches[index(a)], stretch) << print(kernel, v);
        }
        if (inst.kind == InstKind::If || inst.kind == InstKind::Loop || inst.kind == InstKind::Barrier)
          ++stretch;
        stretches[index(v)] = stretch;
      } else {
        EXPECT_NE(inst.kind, InstKind::Raw);
        EXPECT_NE(inst.kind, InstKind::RawLoad);
        EXPECT_NE(inst.kind, InstKind::RawStore);
        EXPECT_NE(inst.kind, InstKind::RawAtomic);
      }
      if (inst.body != kNoKBlock) self(self, inst.body);
      if (inst.orelse != kNoKBlock) ++stretch, self(self, inst.orelse);
      if (inst.body != kNoKBlock) ++stretch;
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

/// Runs the program three ways and expects the same bytes from each; gives what the reference answered.
inline Memories expect_same_bytes(const check::Checked& program, const Memories& input,
                                  layout::Groups groups = {}, uint32_t subgroup_size = 0) {
  const auto reference = reference_bytes(program, input, groups, subgroup_size);
  if (!reference) {
    ADD_FAILURE() << render(reference.error(), nullptr);
    return {};
  }
  const EvaluateOptions options{.max_steps = kSteps, .subgroup_size = subgroup_size};
  const Kernel kernel = build(program);
  expect_well_formed(kernel);
  const auto semantic = run_bytes(kernel, input, groups, options);
  EXPECT_TRUE(semantic.has_value()) << render(semantic.error(), nullptr) << print(kernel);
  if (semantic) EXPECT_EQ(*semantic, *reference) << print(kernel);
  for (const Target& target : targets()) {
    const Kernel legal = legalize(kernel, target);
    EXPECT_TRUE(legal.legal);
    expect_well_formed(legal);
    for (const uint64_t seed : {0, 1, 2}) {
      EvaluateOptions seeded = options;
      seeded.seed = seed;
      const auto result = run_bytes(legal, input, groups, seeded);
      EXPECT_TRUE(result.has_value())
          << target.name << ": " << render(result.error(), nullptr) << print(legal);
      if (result) EXPECT_EQ(*result, *reference) << target.name << "\n" << print(legal);
    }
  }
  return *reference;
}

inline Buffers expect_three_ways(const check::Checked& program, const Buffers& input,
                                 layout::Groups groups = {}) {
  return words_of(expect_same_bytes(program, bytes_of(input), groups));
}
inline Buffers expect_three_ways(ir::Program program, const Buffers& input, layout::Groups groups = {},
                                 const spec::OpTable& ops = ops::op_table()) {
  return expect_three_ways(checked(std::move(program), ops), input, groups);
}

}  // namespace vyre::lower
