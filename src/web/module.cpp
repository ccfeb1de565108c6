#include <fmt/format.h>

#include "lower/kernel.h"
#include "lower/size.h"
#include "web/page.h"

namespace vyre::web {
namespace {

/// Errors: B003, when what a program asks for is more than every device has.
Result<void> within(uint64_t wanted, uint64_t allowed, std::string_view what) {
  if (wanted <= allowed) return {};
  return std::unexpected(
      make_diag(DiagCode::B003, Span::none(),
                fmt::format("the program has {} {}; a page may have {}", wanted, what, allowed),
                "a page asks for no more than every WebGPU device has; make it smaller, or run it with "
                "--backend webgpu, which "
                "asks for what the device can do"));
}

}  // namespace

Result<lower::WgslModule> portable_module(const check::Checked& program) {
  VYRE_TRY(kernel, lower::legalize_bounded(lower::build(program), lower::kWgslTarget));
  VYRE_TRY(module, lower::emit_wgsl(kernel));
  VYRE_CHECK(within(module.threads, kPortable.invocations, "invocations a workgroup"));
  VYRE_CHECK(within(module.shared_bytes, kPortable.workgroup_bytes, "bytes of workgroup memory"));
  VYRE_CHECK(within(module.buffers, kPortable.storage_buffers, "buffers"));
  return std::move(module);
}

}  // namespace vyre::web
