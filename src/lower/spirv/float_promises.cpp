#include "lower/spirv/float_promises.h"

namespace vyre::lower {

FloatPromises vulkan_promises(const VulkanFloats& floats) {
  if (!floats.single.round_to_even || !floats.single.keep_special) return kNoFloats;
  FloatPromises out{.name = "vulkan", .by_op = {}};
  for (const RawOp op : {RawOp::FAdd, RawOp::FSub, RawOp::FMul}) {
    const bool flushes = !floats.single.keep_subnormals;
    out[op] = {.given = true, .flushes_operands = flushes, .flushes_results = flushes};
  }
  return out;
}

}  // namespace vyre::lower
