#include "backend/resources.h"

#include <fmt/format.h>

#include "ref/ref.h"

namespace vyre::backend {

Diag exceeded(std::string_view backend, Span span, std::string_view asked, std::string_view allowed,
              std::string help) {
  return make_diag(DiagCode::B003, span,
                   fmt::format("{}: {} asked for, and this device has at most {}", backend, asked, allowed),
                   std::move(help));
}

Result<void> check_resources(const Backend& backend, const check::Checked& program) {
  VYRE_CHECK(check_intrinsics(backend, program));
  const Limits limits = backend.limits();
  VYRE_CHECK(ref::check_subgroups(program, limits.subgroup_size));
  const auto& size = program.program().workgroup_size;
  const uint32_t invocations = size[0] * size[1] * size[2];
  if (invocations <= limits.max_invocations_per_group) return {};
  return std::unexpected(exceeded(backend.identity().name, program.program().workgroup_span,
                                  fmt::format("a workgroup of {} invocations was", invocations),
                                  std::to_string(limits.max_invocations_per_group),
                                  "use a smaller workgroup"));
}

Result<void> check_workgroup_memory(const Backend& backend, uint64_t bytes) {
  const uint64_t allowed = backend.limits().max_workgroup_bytes;
  if (bytes <= allowed) return {};
  return std::unexpected(
      exceeded(backend.identity().name, Span::none(), fmt::format("{} bytes of workgroup memory were", bytes),
               fmt::format("{} for a workgroup", allowed),
               "use less workgroup memory: tile the computation, or move a part to a buffer"));
}

}  // namespace vyre::backend
