#include "lower/spirv/spirv.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lower/inst_info.h"
#include "lower/spirv/audit.h"
#include "lower/spirv/entry_point.h"

namespace vyre::lower {
namespace {

Result<void> check_subgroups(const Kernel& kernel, const SpirvTarget& target) {
  const Inst* const call = find(kernel, InstKind::Intrinsic);
  if (call == nullptr) return {};
  if (target.subgroup_size == 0) {
    return std::unexpected(
        make_diag(DiagCode::B002, call->origin,
                  fmt::format("`{}` calls operations of subgroups, and the target has none", kernel.name),
                  "choose a device that has them"));
  }
  const uint32_t threads = kernel.invocations();
  if (threads % target.subgroup_size == 0) return {};
  return std::unexpected(make_diag(
      DiagCode::B008, call->origin,
      fmt::format("`{}` calls operations of subgroups, and its workgroup of {} invocations is not a "
                  "multiple of {}",
                  kernel.name, threads, target.subgroup_size),
      fmt::format("choose a workgroup size that is a multiple of {}", target.subgroup_size)));
}

/// SPIR-V, "Universal Limits": the greatest bound on ids that every consumer takes.
Result<void> check_bound(const Kernel& kernel, const SpirvModule& module) {
  constexpr uint32_t kMostIds = 4'194'303;
  const uint32_t ids = module.words[3];
  if (ids <= kMostIds) return {};
  return std::unexpected(
      make_diag(DiagCode::B003, Span::none(),
                fmt::format("`{}` takes {} ids as SPIR-V; a module has {}", kernel.name, ids, kMostIds),
                "split the program into several dispatches"));
}

/// How deep ifs and loops stand in one another. A block has a greater number than the one that it stands in.
uint32_t nesting(const Kernel& kernel) {
  std::vector<uint32_t> depths(kernel.blocks.size());
  uint32_t deepest = 0;
  for (size_t block = 0; block < kernel.blocks.size(); ++block) {
    for (const Value v : kernel.blocks[block]) {
      for (const KBlock inner : {kernel[v].body, kernel[v].orelse}) {
        if (inner != kNoKBlock) deepest = std::max(deepest, depths[index(inner)] = depths[block] + 1);
      }
    }
  }
  return deepest;
}
/// The same: "Structured control flow nesting depth". Calls that have become part of the kernel may exceed
/// what check/ allows to a program.
Result<void> check_nesting(const Kernel& kernel) {
  constexpr uint32_t kDeepest = 1023;
  const uint32_t deep = nesting(kernel);
  if (deep <= kDeepest) return {};
  return std::unexpected(
      make_diag(DiagCode::B003, Span::none(),
                fmt::format("`{}` with its calls nests ifs and loops {} deep; SPIR-V has {}", kernel.name,
                            deep, kDeepest),
                "nest calls less deeply"));
}

}  // namespace

Target spirv_target(const SpirvTarget& target, const FloatPromises& floats) {
  return {.name = "spirv",
          .has_64bit_integers = target.integers_64bit,
          .has_16bit_access = target.storage_16bit,
          .load_guard = GuardForm::Select,
          .folds_constants = true,
          .workgroup_bytes = target.workgroup_bytes,
          .floats = floats};
}

Result<SpirvModule> emit_spirv(const Kernel& kernel, const SpirvTarget& target) {
  VYRE_CHECK(check_subgroups(kernel, target));
  VYRE_CHECK(check_nesting(kernel));
  SpirvModule module = emit_shell(kernel, target);
  VYRE_CHECK(check_bound(kernel, module));
#ifndef NDEBUG
  // A validator older than SPV_KHR_float_controls2 is shown the module that says the same in older words.
  SpirvTarget known = target;
  known.float_controls2 = false;
  VYRE_CHECK(validate(target.float_controls2 ? emit_shell(kernel, known).words : module.words));
  VYRE_CHECK(audit_spirv(module.words));
#endif
  return module;
}

}  // namespace vyre::lower
