// The door to LLVM: everything that makes code by it, behind one interface.
//
// Starting LLVM takes longer than all that a small program needs otherwise, and most runs find their code on
// disk. So the commands and libvyre.so do not hold it. It stands in a library of its own, libvyre-llvm.so
// (the layer lower/llvm and LLVM), which is opened when something has to be compiled; the dynamic loader
// finds it by the RUNPATH of the file that this layer is linked into, and cmake/llvm.cmake is the one place
// that says where that is. Programs that are tests, and vyre-conform, hold lower/llvm themselves, and nothing
// is opened. The interface is called by cpu.h and ptx.h alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lower/codegen/cpu.h"
#include "lower/codegen/ptx.h"

namespace vyre::lower {

/// What lower/llvm does. Thread  any number of calls at once.
class CodeGenerator {
 public:
  virtual ~CodeGenerator() = default;
  virtual uint64_t workgroup_bytes(const Kernel& kernel) = 0;
  virtual Result<CpuImage> make_image(std::span<const Kernel> kernels, int level) = 0;
  virtual Result<std::string> print_llvm(const Kernel& kernel, bool optimise, const std::string& symbol) = 0;
  virtual Result<std::string> print_asm(const Kernel& kernel) = 0;
  virtual Result<PtxBatch> emit_ptx(std::span<const Kernel> kernels, PtxTarget target) = 0;
};

/// The one of this process, which stays. Errors: B001 when its library cannot be opened, or is of another
/// build.
Result<CodeGenerator*> code_generator();

/// A digest of the sources that decide code: all from base to lower/llvm. Code that is kept on disk is kept
/// under it, and a library with another one is not used.
std::string_view generator_stamp();
/// "libvyre-llvm.so.0.1"
std::string_view generator_library();

}  // namespace vyre::lower

/// What lower/llvm, and so the library, defines: null where `stamp` is not its own generator_stamp().
extern "C" vyre::lower::CodeGenerator* vyre_code_generator(const char* stamp);
