// From legal kernels to SPIR-V, for Vulkan: a binary writer over Khronos' numbers, which knows no semantics.
//
// One invocation is one invocation, and a workgroup is one axis of them, as on every other target: lanes of a
// subgroup then stand in linear order. Values are 32-bit words; a float exists only between two bitcasts,
// within one raw operator, and all arithmetic on it has NoContraction. What Vulkan leaves to drivers is
// said by the module: rounding to nearest even, signed zeros and infinities kept, subnormals kept where the
// device offers that. Lengths of buffers come with the dispatch, never from OpArrayLength. No device is
// asked, so `vyre lower --to spirv` works on any machine. Source: SPIR-V specification 1.6 revision 2,
// "Universal Validation Rules"; Vulkan specification, appendices "Vulkan Environment for SPIR-V" and "Memory
// Model".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "lower/kernel.h"
#include "lower/spirv/float_promises.h"

namespace vyre::lower {

/// What a module may use of a device: the features that Vulkan 1.2 makes optional.
struct SpirvTarget {
  bool memory_model = true;           // vulkanMemoryModel; else the older one, with Coherent where it matters
  bool storage_16bit = false;         // storageBuffer16BitAccess
  bool integers_64bit = false;        // shaderInt64; else u64 and u128 are computed in words
  uint32_t subgroup_size = 0;         // 0: no operations of subgroups
  uint32_t workgroup_bytes = 16'384;  // maxComputeSharedMemorySize
  VulkanFloats floats;                // features and modes that the device advertises
  bool float_controls2 = false;       // shaderFloatControls2
  /// The driver is known to end loops that run long, which it does not report: the module then watches them.
  bool watch_loops = false;
  bool operator==(const SpirvTarget&) const = default;
};

/// What nearly every device since Vulkan 1.2 has: shown by `vyre lower`, which asks none. Floats are rounded
/// to even and keep infinities and NaNs, and subnormals may vanish.
inline constexpr SpirvTarget kUsualDevice = {
    .subgroup_size = 32,
    .floats = {.single = {.arithmetic = true, .round_to_even = true, .keep_special = true}}};

/// The numbers of an entry's interface, for the caller of the dispatch.
///
/// Shape   descriptor set 0, binding KernelBuffer::argument: a storage buffer of at least one element. Push
///         constants: a word for each bound buffer, in the order of KernelBuffer::argument, its
///         element count; then, where a module computes with floats, kSpirvMasks zeros, which hide
///         constants from the driver (lower/spirv/foldable.h). A dispatch has the program's groups; a group
///         is (threads, 1, 1).
struct SpirvModule {
  std::vector<uint32_t> words;
  uint32_t threads = 1;       // invocations of a workgroup
  uint32_t shared_bytes = 0;  // of workgroup memory; the code clears it
  uint32_t buffers = 0;       // bound ones: descriptors, and words of push constants before the masks
  /// Binding number `buffers` is a storage buffer of one word, zero before the dispatch. When it is not after
  /// it, the driver has left some loop before its end, and no result is of any use.
  bool watched = false;
};
inline constexpr uint32_t kSpirvMasks = 2;
/// The name of every module's one entry point.
inline constexpr const char* kSpirvEntry = "main";

/// What legalization has to know: raw operators and accesses that such a module has, and promises of floats.
Target spirv_target(const SpirvTarget& target, const FloatPromises& floats);

/// Domain  a kernel that is legal for spirv_target(target, kernel.floats).
/// Errors  B002 for operations of subgroups where the target has none; B008 for them in a workgroup that has
///         partial ones; B003 for more ids or deeper nesting than a module has. Builds without NDEBUG ask
///         the validator and the audit (lower/spirv/audit.h) too: L003.
/// Cost    linear; well below a microsecond an instruction.
/// Thread  any.
Result<SpirvModule> emit_spirv(const Kernel& kernel, const SpirvTarget& target);

/// As SPIRV-Tools writes it, with friendly names. Errors: L003 for what is no module.
Result<std::string> disassemble(std::span<const uint32_t> words);
/// What SPIRV-Tools' validator says for Vulkan 1.2. Errors: L003 with its words.
Result<void> validate(std::span<const uint32_t> words);

}  // namespace vyre::lower
