#include "lower/spirv/spirv.h"

#include <fmt/format.h>

#include <algorithm>

#include "lower/spirv/audit.h"
#include "lower/spirv/shell.h"

namespace vyre::lower {
namespace {

Result<void> check_subgroups(const Kernel& kernel, const SpirvTarget& target) {
  const auto call = std::ranges::find(kernel.insts, InstKind::Intrinsic, &Inst::kind);
  if (call == kernel.insts.end()) return {};
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

}  // namespace

Target spirv_target(const SpirvTarget& target, const FloatPromises& floats) {
  return {.name = "spirv",
          .has_16bit_access = target.storage_16bit,
          .load_guard = GuardForm::Select,
          .floats = floats};
}

Result<SpirvModule> emit_spirv(const Kernel& kernel, const SpirvTarget& target) {
  VYRE_CHECK(check_subgroups(kernel, target));
  SpirvModule module = emit_shell(kernel, target);
  VYRE_CHECK(check_bound(kernel, module));
#ifndef NDEBUG
  VYRE_CHECK(validate(module.words));
  VYRE_CHECK(audit_spirv(module.words));
#endif
  return module;
}

}  // namespace vyre::lower
