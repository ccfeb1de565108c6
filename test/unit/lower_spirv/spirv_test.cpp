// Modules as text: the entry, memory, modes of floats, and refusals. That they run right is for tests with a
// device.
#include <gmock/gmock.h>

#include <cstdlib>

#include "golden.h"
#include "oracle.h"
#include "programs.h"

VYRE_ORACLE(SpecificationTable,
            "spirv.h, the SPIR-V and Vulkan specifications, semantics, and the design, \"Traps\", by hand");

namespace vyre::lower {
namespace {

namespace fs = std::filesystem;
using test::kBareDevice;
using test::kRichDevice;
using test::spirv_kernel;
using test::spirv_text;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

SpirvModule emitted(std::string_view text, const SpirvTarget& target) {
  auto module = emit_spirv(spirv_kernel(text, target), target);
  if (!module) throw std::runtime_error(module.error().message);
  return std::move(*module);
}

// ---- The entry --------------------------------------------------------------------------------------------

/// The structure that a buffer is.
std::string type_of(const std::string& text, const std::string& buffer) {
  const std::string variable = "%" + buffer + " = OpVariable %_ptr_StorageBuffer_";
  const size_t at = text.find(variable);
  if (at == text.npos) return "no variable " + buffer;
  const size_t begin = at + variable.size();
  return "%" + text.substr(begin, text.find(' ', begin) - begin);
}

TEST(Spirv, TheInterfaceOfAnEntry) {
  // spirv.h, "Shape"; workgroup memory by hand: 5 words, and 2 elements of 16 bytes.
  constexpr const char* kText = R"(
      program p(read_write late: u32 @7, read early: u32 @3, workgroup a: u32[5], workgroup b: u128[2])
          workgroup(1, 2, 256) {
        a[0] = 1;
        late[len(early)] = invocation_id.z + local_id.y;
      })";
  const SpirvModule module = emitted(kText, kUsualDevice);
  EXPECT_EQ(module.threads, 512u);
  EXPECT_EQ(module.buffers, 2u);
  EXPECT_EQ(module.shared_bytes, 20u + 32u);
  const std::string text = spirv_text(kText, kUsualDevice);
  EXPECT_THAT(text, HasSubstr("OpEntryPoint GLCompute %1 \"main\""));
  EXPECT_THAT(text, HasSubstr("LocalSize 512 1 1\n"));
  const check::Checked checked = test::checked(kText);
  for (uint32_t i = 0; i < 2; ++i) {
    const auto& buffer = checked.program().buffers[i];
    const std::string name(checked.program().code.name(buffer.name));
    const KernelBuffer& bound = spirv_kernel(kText, kUsualDevice).buffers[i];
    EXPECT_THAT(text, HasSubstr("OpDecorate %" + name + " Binding " + std::to_string(bound.argument) + "\n"));
    EXPECT_THAT(text, HasSubstr("OpDecorate %" + name + " DescriptorSet 0\n"));
  }
  // Each buffer has a type of its own, and one is read-only.
  EXPECT_THAT(text, HasSubstr("OpMemberDecorate " + type_of(text, "early") + " 0 NonWritable"));
  EXPECT_NE(type_of(text, "early"), type_of(text, "late"));
  EXPECT_EQ(text.find("NonWritable"), text.rfind("NonWritable"));
}

TEST(Spirv, IdsAreThoseThatAreAskedFor) {
  const std::string text = spirv_text(
      "program p(read_write out: u32 @0) workgroup(4, 3, 2) { out[local_id.y] = 1; }", kUsualDevice);
  EXPECT_THAT(text, AllOf(HasSubstr("LocalInvocationIndex"), Not(HasSubstr("WorkgroupId"))));
  EXPECT_EQ(count(text, "OpUDiv"), 1u);
  EXPECT_EQ(count(text, "OpUMod"), 1u);
  const std::string group = spirv_text(
      "program p(read_write out: u32 @0) workgroup(4, 1, 1) { out[workgroup_id.y] = 1; }", kUsualDevice);
  EXPECT_THAT(group, AllOf(HasSubstr("WorkgroupId"), Not(HasSubstr("LocalInvocationIndex"))));
}

TEST(Spirv, LengthsArePushedAndNeverAsked) {
  // DESIGN, "Traps": OpArrayLength is wrong for empty and for padded buffers.
  for (const auto& [name, program] : test::every_program()) {
    Kernel kernel = spirv_kernel(*program, kUsualDevice, vulkan_promises(kUsualDevice.floats));
    if (kernel.invocations() % 32 != 0) kernel.workgroup_size = {32, 1, 1};
    const bool asks = std::ranges::any_of(kernel.insts, [&](const Inst& i) {
      return i.kind == InstKind::Len && spec::is_bound(kernel.buffers[i.target].access);
    });
    const std::string module = spirv_text(kernel, kUsualDevice);
    EXPECT_THAT(module, Not(HasSubstr("OpArrayLength"))) << name;
    EXPECT_EQ(count(module, "PushConstant\n") != 0, asks) << name;
  }
}

TEST(Spirv, TheSameKernelIsTheSameModule) {
  VYRE_ORACLE(Property, "spirv.h: a module is a function of its kernel and device");
  const Kernel kernel = spirv_kernel(test::file_text("examples/mandelbrot.vyre"), kUsualDevice);
  EXPECT_EQ(emit_spirv(kernel, kUsualDevice)->words, emit_spirv(kernel, kUsualDevice)->words);
}

// ---- Memory -----------------------------------------------------------------------------------------------

constexpr const char* kBarrier = R"(
    program p(read_write data: u32 @0, read table: u32 @1) workgroup(64, 1, 1) {
      data[local_id.x ^ 1] = table[local_id.x];
      barrier;
      data[local_id.x + 64] = data[local_id.x];
    })";

TEST(Spirv, ABarrierOfTheNewerMemoryModelNamesWhatItOrders) {
  // SPIR-V specification, "Memory Semantics": AcquireRelease 8, UniformMemory 64, WorkgroupMemory 256,
  // MakeAvailable 8192, MakeVisible 16384; "Scope": Workgroup 2.
  const std::string text = spirv_text(kBarrier, kUsualDevice);
  EXPECT_THAT(text, HasSubstr("OpMemoryModel Logical Vulkan\n"));
  EXPECT_EQ(count(text, "OpControlBarrier %uint_2 %uint_2 %uint_24904\n"), 1u);
  EXPECT_EQ(count(text, "NonPrivatePointer"), 3u);  // every access of data, none of table
  EXPECT_THAT(text, Not(HasSubstr("Coherent")));
}
TEST(Spirv, ABarrierOfTheOlderMemoryModelHasCoherentBuffers) {
  const std::string text = spirv_text(kBarrier, kBareDevice);
  EXPECT_THAT(text, HasSubstr("OpMemoryModel Logical GLSL450\n"));
  EXPECT_EQ(count(text, "OpControlBarrier %uint_2 %uint_2 %uint_328\n"), 1u);
  EXPECT_THAT(text, HasSubstr("OpMemberDecorate " + type_of(text, "data") + " 0 Coherent\n"));
  EXPECT_EQ(text.find("Coherent"), text.rfind("Coherent"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("NonPrivatePointer")), Not(HasSubstr("VulkanMemoryModel"))));
}
TEST(Spirv, MemoryOfAKernelWithoutBarriersIsPrivate) {
  constexpr const char* kText =
      "program p(read_write data: u32 @0) workgroup(64, 1, 1) { data[local_id.x] = data[local_id.x] + 1; }";
  EXPECT_THAT(spirv_text(kText, kUsualDevice), Not(HasSubstr("NonPrivatePointer")));
  EXPECT_THAT(spirv_text(kText, kBareDevice), Not(HasSubstr("Coherent")));
}

TEST(Spirv, WorkgroupMemoryIsClearedBeforeAnythingElse) {
  constexpr const char* kText = R"(
      program p(read_write out: u32 @0, workgroup a: u32[100]) workgroup(64, 1, 1) {
        out[local_id.x] = a[local_id.x + 36];
      })";
  for (const SpirvTarget& target : {kUsualDevice, kBareDevice}) {
    const std::string text = spirv_text(kText, target);
    const size_t cleared = text.find("OpStore");
    const size_t barrier = text.find("OpControlBarrier");
    const size_t loaded = text.find("%a", barrier);
    ASSERT_NE(barrier, text.npos);
    ASSERT_NE(loaded, text.npos);
    EXPECT_LT(cleared, barrier);
    EXPECT_THAT(text.substr(cleared, text.find('\n', cleared) - cleared), HasSubstr("%uint_0"));
  }
}

// Of compare-exchange the value comes before the comparator.
TEST(Spirv, EachAtomicOperator) {
  // SPIR-V specification, "Atomic Instructions", and "Scope": Device 1, Workgroup 2, QueueFamily 5; relaxed
  // is 0.
  const std::pair<const char*, const char*> cases[] = {
      {"atomic_add", "OpAtomicIAdd"},          {"atomic_or", "OpAtomicOr"},    {"atomic_and", "OpAtomicAnd"},
      {"atomic_xor", "OpAtomicXor"},           {"atomic_min", "OpAtomicUMin"}, {"atomic_max", "OpAtomicUMax"},
      {"atomic_exchange", "OpAtomicExchange"},
  };
  for (const auto& [name, op] : cases) {
    const std::string text =
        std::string("program p(read_write data: u32 @0) workgroup(1, 1, 1) { let old = ") + name +
        "(data[0], 77); data[1] = old; }";
    EXPECT_THAT(spirv_text(text, kUsualDevice),
                ContainsRegex(std::string(op) + " %uint %[0-9]+ %uint_5 %uint_0 %uint_77\n"));
    EXPECT_THAT(spirv_text(text, kBareDevice),
                ContainsRegex(std::string(op) + " %uint %[0-9]+ %uint_1 %uint_0 %uint_77\n"));
  }
  constexpr const char* kExchange = R"(
      program p(read_write data: u32 @0) workgroup(1, 1, 1) {
        let old = atomic_compare_exchange(data[0], 33, 77);
        data[1] = old;
      })";
  EXPECT_THAT(
      spirv_text(kExchange, kUsualDevice),
      ContainsRegex("OpAtomicCompareExchange %uint %[0-9]+ %uint_5 %uint_0 %uint_0 %uint_77 %uint_33\n"));
}

TEST(Spirv, AnElementOfSeveralWordsIsAVector) {
  // SPIR-V, OpAccessChain: element 0 of the block is the array, then its element, then a component of that.
  const auto text_of = [](const char* type, const char* statement) {
    return spirv_text(
        fmt::format("program p(read a: {0} @0, read_write b: {0} @1) workgroup(1, 1, 1) {{ let i = "
                    "workgroup_id.x; {1} }}",
                    type, statement),
        kUsualDevice);
  };
  const std::string pairs = text_of("u64", "b[i] = a[i];");
  EXPECT_THAT(pairs, ContainsRegex("OpAccessChain %_ptr_StorageBuffer_v2uint %a %uint_0 %[0-9]+\n"));
  EXPECT_EQ(count(pairs, "OpStore %"), 1u);
  const std::string fours = text_of("vec4u32", "b[i] = a[i] + a[i + 1];");
  EXPECT_EQ(count(fours, "OpAccessChain %_ptr_StorageBuffer_v4uint %a"), 2u);
  EXPECT_EQ(count(fours, "OpAccessChain %_ptr_StorageBuffer_v4uint %b"), 1u);
  EXPECT_THAT(fours, Not(HasSubstr("_ptr_StorageBuffer_uint")));
}
TEST(Spirv, AVectorThatARaceMayChangeIsLoadedOnce) {
  // As ARacyIndexIsLoadedOnce: one of its words becomes an index.
  const std::string text = spirv_text(
      "program p(read_write a: u64 @0, read_write b: u32 @1) workgroup(4, 1, 1) { let x = a[local_id.x]; "
      "a[local_id.x ^ 1] = x; b[cast<u32>(x)] = 1; }",
      kUsualDevice);
  EXPECT_EQ(count(text, "Volatile"), 1u);
  EXPECT_EQ(count(text, "_v2uint %a"), 2u);
}

constexpr const char* kHalves = R"(
    program p(read a: f16 @0, read_write b: f16 @1, workgroup c: f16[3]) workgroup(3, 1, 1) {
      c[local_id.x] = a[local_id.x];
      barrier;
      b[local_id.x] = c[2 - local_id.x];
    })";

TEST(Spirv, HalvesAre16BitsWhereTheDeviceStoresThose) {
  // Vulkan specification, storageBuffer16BitAccess: 16-bit numbers in storage buffers, which are only loaded,
  // stored and converted; not in workgroup memory.
  const std::string text = spirv_text(kHalves, kRichDevice);
  EXPECT_THAT(text, AllOf(HasSubstr("OpCapability StorageBuffer16BitAccess"), HasSubstr("OpTypeInt 16 0"),
                          Not(HasSubstr("OpCapability Int16")), Not(HasSubstr("OpAtomic"))));
  EXPECT_EQ(count(text, "OpUConvert %uint "), 1u);
  EXPECT_EQ(count(text, "OpUConvert %ushort "), 1u);
  EXPECT_THAT(text, Not(HasSubstr("_ptr_Workgroup_ushort")));
  EXPECT_EQ(emitted(kHalves, kRichDevice).shared_bytes, 12u);  // a word each
}
TEST(Spirv, HalvesAreHalvesOfWordsElsewhere) {
  const std::string text = spirv_text(kHalves, kBareDevice);
  EXPECT_THAT(text, AllOf(Not(HasSubstr("16BitAccess")), Not(HasSubstr("OpTypeInt 16"))));
  EXPECT_THAT(text, HasSubstr(" %uint_2 %uint_0 "));  // an atomic of workgroup scope
  EXPECT_THAT(text, HasSubstr(" %uint_1 %uint_0 "));  // and one of the device's
  EXPECT_EQ(emitted(kHalves, kBareDevice).shared_bytes, 8u);
}

// ---- Races ------------------------------------------------------------------------------------------------

// SPIR-V: a volatile access is neither duplicated nor merged.
TEST(Spirv, ARacyIndexIsLoadedOnce) {
  // Semantics, "race": one value for the guard and for the access.
  const std::string text = spirv_text(R"(
      program p(read_write data: u32 @0, read table: u32 @1, read_write out: u32 @2) workgroup(32, 1, 1) {
        out[invocation_id.x] = table[data[invocation_id.x]];
        data[0] = 1;
      })",
                                      kUsualDevice);
  EXPECT_EQ(count(text, "Volatile"), 1u);
}

/// How many loads of a body are volatile; `d` is written, `r` is not.
size_t volatile_in(const std::string& body) {
  const std::string text = spirv_text(
      "program p(read_write d: u32 @0, read r: u32 @1, read_write out: u32 @2, workgroup w: u32[4]) "
      "workgroup(4, 1, 1) { let i = local_id.x; d[i ^ 1] = i; w[i ^ 1] = i; " +
          body + " }",
      kUsualDevice);
  return count(text, "Volatile");
}

TEST(Spirv, WhatARaceCannotTurnIntoAWildAccessIsPlain) {
  EXPECT_EQ(volatile_in("out[i] = d[i] * 3 + w[i];"), 0u);
  EXPECT_EQ(volatile_in("out[r[i]] = d[i];"), 0u);
  EXPECT_EQ(volatile_in("if (r[i]) { out[r[i]] = 7 / r[i]; }"), 0u);
  EXPECT_EQ(volatile_in("out[i] = r[out[i] & 3] & 0;"), 1u);  // out is written too
  EXPECT_EQ(
      volatile_in("let x = 0; let y = w[i]; if (d[i]) { x = 3; } else { if (y < 2) { x = i; } } out[i] = x;"),
      0u);
}
TEST(Spirv, WhatCouldIsVolatile) {
  EXPECT_EQ(volatile_in("out[d[i]] = 1;"), 1u);
  EXPECT_EQ(volatile_in("out[i] = r[w[i]];"), 1u);
  EXPECT_EQ(volatile_in("out[i] = r[(d[i] ^ 5) + i];"), 1u);
  EXPECT_EQ(volatile_in("out[i] = 7 / d[i];"), 1u);
  EXPECT_EQ(volatile_in("if (d[i]) { out[i] = 1; }"), 1u);
  EXPECT_EQ(volatile_in("for j in 0..d[i] { out[j] = 1; }"), 1u);
  EXPECT_EQ(volatile_in("let a = atomic_add(out[d[i]], 1);"), 1u);
  // Through a variable, assigned in another place.
  EXPECT_EQ(volatile_in("let x = 0; if (r[i]) { x = d[i]; } out[x] = 1;"), 1u);
  EXPECT_EQ(volatile_in("let x = 0; if (d[i]) { if (w[i]) { x = 1; } } out[x] = 1;"), 2u);
  EXPECT_EQ(volatile_in("let x = 0; if (d[i]) { if (r[i]) { x = r[x]; } } out[i] = x;"), 1u);
  EXPECT_EQ(volatile_in("if (d[i]) { return; } out[i] = 1;"), 1u);
}

// ---- Floats -----------------------------------------------------------------------------------------------

constexpr const char* kSum =
    "program p(read a: f32 @0, read_write b: f32 @1) workgroup(1, 1, 1) { b[0] = a[0] + a[1]; }";
constexpr const char* kIntegers = "program p(read_write b: u32 @0) workgroup(1, 1, 1) { b[0] = b[1] + 2; }";

TEST(Spirv, ModesAreThoseOfTheDeviceAndOfTheWidthsInUse) {
  // SPIR-V specification, "Execution Mode": RoundingModeRTE, DenormPreserve, SignedZeroInfNanPreserve, each
  // with the width that it is for.
  const auto native = [](const char* text, const SpirvTarget& target) {
    return spirv_text(spirv_kernel(text, target, test::every_promise()), target);
  };
  const std::string rich = native(kSum, kRichDevice);
  for (const char* mode : {"RoundingModeRTE", "DenormPreserve", "SignedZeroInfNanPreserve"}) {
    EXPECT_THAT(rich, HasSubstr(std::string("OpExecutionMode %1 ") + mode + " 32\n"));
    EXPECT_THAT(rich, HasSubstr(std::string("OpCapability ") + mode + "\n"));
    EXPECT_THAT(rich, Not(HasSubstr(std::string(mode) + " 16")));
    EXPECT_THAT(rich, Not(HasSubstr(std::string(mode) + " 64")));
  }
  const std::string usual = native(kSum, kUsualDevice);
  EXPECT_THAT(usual, AllOf(HasSubstr("RoundingModeRTE 32"), HasSubstr("SignedZeroInfNanPreserve 32"),
                           Not(HasSubstr("DenormPreserve"))));
  for (const SpirvTarget& target : {kRichDevice, kUsualDevice}) {
    const std::string integers = native(kIntegers, target);
    for (const char* word : {"RoundingMode", "Denorm", "SignedZero", "OpTypeFloat", "NoContraction"}) {
      EXPECT_THAT(integers, Not(HasSubstr(word)));
    }
  }
}

TEST(Spirv, ModesOfOtherWidthsNeedTheirIndependence) {
  // Vulkan specification, VkShaderFloatControlsIndependence.
  constexpr const char* kCast =
      "program p(read a: f32 @0, read_write b: f16 @1) workgroup(1, 1, 1) { b[0] = cast<f16>(a[0]); }";
  SpirvTarget target = kRichDevice;
  const std::string independent = spirv_text(spirv_kernel(kCast, target, test::every_promise()), target);
  EXPECT_THAT(independent, AllOf(HasSubstr("RoundingModeRTE 16"), HasSubstr("DenormPreserve 16"),
                                 HasSubstr("RoundingModeRTE 32"), HasSubstr("OpCapability Float16")));
  target.floats.independent = false;
  const std::string together = spirv_text(spirv_kernel(kCast, target, test::every_promise()), target);
  EXPECT_THAT(together, AllOf(Not(HasSubstr("RoundingModeRTE 16")), Not(HasSubstr("DenormPreserve 16")),
                              HasSubstr("RoundingModeRTE 32")));
}

TEST(Spirv, WithoutPromisesAModuleHasNoFloats) {
  VYRE_ORACLE(Property, "the kernels: where no raw operator on floats is left, none is in the module");
  size_t natives = 0;
  for (const auto& [name, program] : test::every_program()) {
    Kernel composed = spirv_kernel(*program, kBareDevice, kNoFloats);
    Kernel native = spirv_kernel(*program, kRichDevice, test::every_promise());
    const auto has_subgroups = [](const Inst& i) { return i.kind == InstKind::Intrinsic; };
    if (std::ranges::any_of(composed.insts, has_subgroups)) continue;
    EXPECT_THAT(spirv_text(composed, kBareDevice), Not(HasSubstr("OpTypeFloat"))) << name;
    const bool floats = std::ranges::any_of(
        native.insts, [](const Inst& i) { return i.kind == InstKind::Raw && info(i.raw).is_float; });
    EXPECT_EQ(count(spirv_text(native, kRichDevice), "OpTypeFloat") != 0, floats) << name;
    natives += floats ? 1 : 0;
  }
  EXPECT_GE(natives, 50u);
}

// ---- Loops that a driver ends -----------------------------------------------------------------------------

// That the word is raised is for tests on a driver that does it.
TEST(Spirv, LoopsAreWatchedWhereADriverEndsThem) {
  SpirvTarget watching = kUsualDevice;
  watching.watch_loops = true;
  constexpr const char* kLoop = R"(
      program p(uniform n: u32 @0, read_write out: u32 @5) workgroup(1, 1, 1) {
        for i in 0..n[0] { for j in 0..i { out[j] = i; } }
      })";
  EXPECT_TRUE(emitted(kLoop, watching).watched);
  EXPECT_EQ(emitted(kLoop, watching).buffers, 2u);
  const std::string text = spirv_text(kLoop, watching);
  EXPECT_THAT(text, HasSubstr("OpDecorate %ended_early Binding 2\n"));
  EXPECT_EQ(count(text, "OpAtomicOr"), 2u);  // a loop each
  EXPECT_FALSE(emitted(kLoop, kUsualDevice).watched);
  EXPECT_THAT(spirv_text(kLoop, kUsualDevice), Not(HasSubstr("ended_early")));
  EXPECT_FALSE(emitted(kIntegers, watching).watched);  // has no loop
  EXPECT_THAT(spirv_text(kIntegers, watching), Not(HasSubstr("ended_early")));
}

// ---- Refusals ---------------------------------------------------------------------------------------------

constexpr const char* kSubgroups =
    "program p(read_write out: u32 @0) workgroup(64, 1, 1) { out[local_id.x] = subgroup.reduce_add(1); }";

// Its one turn is all that there is.
TEST(Spirv, ALoopThatAlwaysReturnsIsNone) {
  const auto text = [](const std::string& body) {
    return spirv_text(
        "program p(read n: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) { for i in 0..n[0] {" + body +
            "} out[0] = 1; }",
        kUsualDevice);
  };
  EXPECT_THAT(text("return;"), Not(HasSubstr("OpLoopMerge")));
  EXPECT_THAT(text("if (n[1]) { out[1] = i; return; } else { return; }"), Not(HasSubstr("OpLoopMerge")));
  EXPECT_THAT(text("if (n[1]) { return; }"), HasSubstr("OpLoopMerge"));
  EXPECT_THAT(text("if (n[1]) { return; } else { out[1] = i; }"), HasSubstr("OpLoopMerge"));
  EXPECT_THAT(text("for j in 0..n[1] { return; }"), HasSubstr("OpLoopMerge"));  // the outer one may go on
}

TEST(Spirv, SubgroupsWantADeviceThatHasThemAndWholeOnes) {
  Kernel kernel = spirv_kernel(kSubgroups, kRichDevice);
  EXPECT_TRUE(emit_spirv(kernel, kRichDevice));
  const auto none = emit_spirv(kernel, kBareDevice);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, DiagCode::B002);
  kernel.workgroup_size = {3, 4, 1};
  const auto partial = emit_spirv(kernel, kRichDevice);
  ASSERT_FALSE(partial);
  EXPECT_EQ(partial.error().code, DiagCode::B008);
  EXPECT_THAT(partial.error().message, AllOf(HasSubstr("12"), HasSubstr("8")));
}

TEST(Spirv, MoreIdsThanAModuleHasAreRefused) {
  // SPIR-V specification, "Universal Limits": ids below 4,194,303.
  Kernel kernel = spirv_kernel(kIntegers, kUsualDevice);
  const Value one = kernel.add({.kind = InstKind::InvocationId}, {});
  const Value two = kernel.add({.kind = InstKind::WorkgroupId}, {});
  std::vector<Value>& entry = kernel.blocks[index(kernel.entry)];
  for (uint32_t i = 0; i < 4'300'000; ++i) {
    const std::array<Value, 2> args = {one, two};
    entry.push_back(kernel.add({.kind = InstKind::Raw, .raw = RawOp::Add}, args));
  }
  const auto refused = emit_spirv(kernel, kUsualDevice);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::B003);
  EXPECT_THAT(refused.error().message, HasSubstr("4194303"));
}

TEST(Spirv, DeeperNestingThanAModuleHasIsRefused) {
  // SPIR-V specification, the same: structured control flow nests 1,023 deep.
  const auto nested = [](uint32_t depth) {
    Kernel kernel = spirv_kernel(kIntegers, kUsualDevice);
    KBlock block = kernel.entry;
    for (uint32_t i = 0; i < depth; ++i) {
      const KBlock inner = kernel.add_block();
      const std::array<Value, 1> one = {kernel.add({.kind = InstKind::Const, .imm = 1}, {})};
      kernel.blocks[index(block)].push_back(kernel.add({.kind = InstKind::If, .body = inner}, one));
      block = inner;
    }
    return kernel;
  };
  EXPECT_EQ(test::refusal(*emit_spirv(nested(128), kUsualDevice)), "");  // the validator's cost is not linear
  const auto refused = emit_spirv(nested(1024), kUsualDevice);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::B003);
  EXPECT_THAT(refused.error().message, HasSubstr("1024"));
}

TEST(Spirv, WhatIsNoModuleIsRefused) {
  const std::vector<uint32_t> nothing;
  const std::vector<uint32_t> garbage = {0x07230203, 0x00010500, 0, 8, 0, 0xffff0011};
  for (const auto& words : {nothing, garbage}) {
    EXPECT_EQ(validate(words).error().code, DiagCode::L003);
    EXPECT_EQ(disassemble(words).error().code, DiagCode::L003);
    EXPECT_EQ(audit_spirv(words).error().code, DiagCode::L003);
  }
}

TEST(Spirv, WhatTheValidatorRefusesIsADiagnostic) {
  // SPIR-V specification: a value is used only where its definition has run.
  SpirvModule module = emitted(kIntegers, kUsualDevice);
  bool planted = false;
  for (size_t at = 5; at < module.words.size(); at += module.words[at] >> 16) {
    if ((module.words[at] & 0xffff) != 128) continue;  // OpIAdd
    module.words[at + 3] = module.words[at + 2];       // of its own result
    planted = true;
  }
  ASSERT_TRUE(planted);
  const auto refused = validate(module.words);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::L003);
}

// ---- Golden text. Read by a person, and by the validator.
// ----------------------------------------------------

TEST(Spirv, GoldenText) {
  VYRE_ORACLE(Regression, "test/golden/spirv: printed by this project, read by a person when blessed");
  test::expect_golden_texts(
      {"examples/block_sum", "examples/histogram", "test/golden/kernel/subgroups",
       "test/golden/kernel/halves", "test/golden/kernel/tensors", "test/golden/spirv/shapes"},
      "test/golden/spirv", ".spvasm", [](const std::string& text) { return spirv_text(text, kUsualDevice); });
}

}  // namespace
}  // namespace vyre::lower
