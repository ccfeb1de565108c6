// What libvyre-llvm.so is for (lower/codegen/generator.h).
#include "lower/codegen/generator.h"

#include "lower/llvm/codegen.h"
#include "lower/llvm/image.h"
#include "lower/llvm/ptx_module.h"
#include "lower/llvm/regions.h"

namespace vyre::lower {
namespace {

class LlvmGenerator final : public CodeGenerator {
 public:
  uint64_t workgroup_bytes(const Kernel& kernel) override { return plan_regions(kernel).bytes; }
  Result<CpuImage> make_image(std::span<const Kernel> kernels, int level) override {
    return images_.make(kernels, level);
  }
  Result<std::string> print_llvm(const Kernel& kernel, bool optimise, const std::string& symbol) override {
    return llvm_text(kernel, optimise, symbol);
  }
  Result<std::string> print_asm(const Kernel& kernel) override { return asm_text(kernel); }
  Result<PtxBatch> emit_ptx(std::span<const Kernel> kernels, PtxTarget target) override {
    return ptx_of(kernels, target);
  }

 private:
  ImageMaker images_;
};

}  // namespace
}  // namespace vyre::lower

extern "C" vyre::lower::CodeGenerator* vyre_code_generator(const char* stamp) {
  static vyre::lower::LlvmGenerator generator;
  return vyre::lower::generator_stamp() == stamp ? &generator : nullptr;
}
