#include "lower/wgsl/wgsl.h"

#include <fmt/format.h>

#include <algorithm>

#include "lower/wgsl/entry_point.h"

namespace vyre::lower {
namespace {

Result<void> check_subgroups(const Kernel& kernel) {
  const auto call = std::ranges::find(kernel.insts, InstKind::Intrinsic, &Inst::kind);
  if (call == kernel.insts.end()) return {};
  const std::string_view operation = spec::info(spec::Intrinsic(call->imm)).id;
  return std::unexpected(
      make_diag(DiagCode::B002, call->origin,
                fmt::format("`{}` calls `{}`, and no operation of subgroups is in what all of WebGPU has",
                            kernel.name, operation),
                "choose a backend that has them"));
}

}  // namespace

Result<WgslModule> emit_wgsl(const Kernel& kernel, const WgslOptions& options) {
  VYRE_CHECK(check_subgroups(kernel));
  return emit_wgsl_shell(kernel, options);
}

}  // namespace vyre::lower
