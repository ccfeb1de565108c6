// Kernels as machine code that runs wherever it is put: LLVM's object file, linked here by LLVM's JITLink
// into one block of bytes.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/result.h"
#include "lower/codegen/cpu.h"

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace vyre::lower {

class ImageMaker {
 public:
  ImageMaker();
  ~ImageMaker();
  /// As make_image() says (lower/codegen/cpu.h).
  Result<CpuImage> make(std::span<const Kernel> kernels, int level);

 private:
  using Machine = std::unique_ptr<llvm::TargetMachine>;

  // A machine serves one module at a time, and costs as much to make as the code of a small program.
  Result<Machine> take_machine(int level);
  void give_back(int level, Machine machine);

  std::mutex mutex_;
  std::vector<Machine> machines_[2];  // idle ones: of level 0, of the others
};

}  // namespace vyre::lower
