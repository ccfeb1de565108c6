// Code of CPUs, as those who run it or show it need it, without LLVM: LLVM makes it when it is asked to
// (lower/codegen/generator.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "lower/kernel.h"

namespace vyre::lower {

/// What the code of a kernel takes, C ABI:
///   void <symbol>(const CpuBuffer* buffers, const uint32_t groups[3], uint64_t first, uint64_t count,
///                 std::byte* workgroup_memory)
/// It runs workgroups first .. first + count - 1 in the linear order x fastest. `buffers` has one entry a
/// bound buffer; workgroup_memory has workgroup_bytes(kernel) bytes, aligned to 64, which the function zeroes
/// itself at the start of each workgroup. Calls on disjoint ranges may run at the same time on different
/// threads.
struct CpuBuffer {
  std::byte* data;  // at least one element, also when count is 0
  uint64_t count;
};
using CpuEntry = void (*)(const CpuBuffer* buffers, const uint32_t* groups, uint64_t first, uint64_t count,
                          std::byte* workgroup_memory);

/// Bytes of scratch that one running call needs: workgroup buffers and values kept across barriers. Errors:
/// B001 when LLVM is not here.
Result<uint64_t> workgroup_bytes(const Kernel& kernel);

/// Whether a legal kernel gets LLVM's whole pipeline, which takes seconds and more for many instructions, and
/// for loops that feed one another a time that grows with the square of their number, and stack for each.
/// What is beyond gets the short one (level 0), alone.
bool is_optimised(const Kernel& kernel);

/// All that code calls by itself: functions of the C library, by their places in this list.
inline constexpr std::array<std::string_view, 3> kCpuFunctions = {"memset", "memcpy", "memmove"};

/// Machine code of kernels for this CPU, with its constants: one block of bytes that runs wherever it is put
/// at the beginning of a page. It names no address but those of kCpuFunctions, which are written into it.
struct CpuImage {
  /// Where the 8 bytes of a function's address stand.
  struct Import {
    uint64_t offset = 0;
    uint32_t function = 0;  // of kCpuFunctions
  };
  struct Entry {
    uint64_t offset = 0;           // of a CpuEntry
    uint64_t workgroup_bytes = 0;  // of its kernel
  };
  Bytes bytes;
  std::vector<Import> imports;
  std::vector<Result<Entry>> entries;  // by kernel; an error when LLVM refused this one
};

/// One image of legal kernels. Level 0 is for programs that run once, where compiling costs more than
/// running; 2 is LLVM's whole pipeline.
/// Errors  B001 when LLVM is not here or writes no code for this CPU, L003 for all kernels.
/// Thread  any number of calls at once.
Result<CpuImage> make_image(std::span<const Kernel> kernels, int level);

/// The module of one kernel as LLVM assembly; optimised for the host with `optimise` (`vyre lower --to
/// llvm`), else naming no target. The function has the kernel's name unless `symbol` gives another.
Result<std::string> print_llvm(const Kernel& kernel, bool optimise, const std::string& symbol = {});

/// The host's machine code as assembly (`vyre lower --to asm`).
Result<std::string> print_asm(const Kernel& kernel);

}  // namespace vyre::lower
