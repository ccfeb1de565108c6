#include "lower/codegen/ptx.h"

#include <fmt/format.h>

#include "lower/codegen/float_promises.h"
#include "lower/codegen/generator.h"

namespace vyre::lower {

std::vector<PtxTarget> ptx_targets() {
  std::vector<PtxTarget> targets;
  for (const PtxChip& chip : kPtxChips) targets.push_back({chip.sm});
  return targets;
}

Result<PtxTarget> ptx_target(uint32_t compute_capability) {
  const PtxChip* newest = nullptr;
  for (const PtxChip& chip : kPtxChips) {
    if (chip.sm <= compute_capability) newest = &chip;
  }
  if (newest == nullptr) {
    return std::unexpected(make_diag(DiagCode::B001, Span::none(),
                                     fmt::format("a GPU of compute capability {}.{} is too old",
                                                 compute_capability / 10, compute_capability % 10),
                                     fmt::format("{}.{} is the oldest that is supported",
                                                 kPtxChips.front().sm / 10, kPtxChips.front().sm % 10)));
  }
  return PtxTarget{newest->sm};
}

FloatPromises ptx_promises(PtxTarget target) {
  constexpr uint32_t kFirstWithBfloat = 90;
  return target.sm < kFirstWithBfloat ? kIeeeFloats : kIeeeFloatsWithBfloat;
}

Result<PtxBatch> emit_ptx(std::span<const Kernel> kernels, PtxTarget target) {
  VYRE_TRY(generator, code_generator());
  return generator->emit_ptx(kernels, target);
}

Result<PtxModule> emit_ptx(const Kernel& kernel, PtxTarget target) {
  VYRE_TRY(batch, emit_ptx(std::span(&kernel, 1), target));
  PtxEntry& entry = batch.entries.front();
  return PtxModule{.text = std::move(batch.text),
                   .entry = std::move(entry.name),
                   .shared_bytes = entry.shared_bytes,
                   .block = entry.block};
}

}  // namespace vyre::lower
