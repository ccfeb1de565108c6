#include "backend/backend.h"

#include <fmt/format.h>

#include <algorithm>

namespace vyre::backend {
namespace {

/// Inputs, outputs and parameters are any number of read, read_write and uniform buffers, so every program
/// fits V1. V2 wants one buffer more than that.
Result<void> check_lookup(const check::Checked& program, uint32_t binding) {
  const auto& bound = program.bound_buffers();
  const auto found =
      std::ranges::find(bound, binding, [&](check::BufferId id) { return program.buffer(id).binding; });
  if (found == bound.end()) {
    return std::unexpected(
        make_diag(DiagCode::B007, Span::none(),
                  fmt::format("the program has no buffer at binding {}, the lookup table of V2", binding),
                  fmt::format("declare a read buffer @{}, or name the binding that has it", binding)));
  }
  const ir::BufferDecl& decl = program.buffer(*found);
  if (decl.access == spec::BufferAccess::Read) return {};
  return std::unexpected(
      make_diag(DiagCode::B007, decl.span,
                fmt::format("'{}' at binding {}, the lookup table of V2, is {}",
                            program.program().code.name(decl.name), binding, spec::text(decl.access)),
                "a lookup table is a read buffer: declare it read, or name the binding that has one"));
}

Result<void> check_convention(const check::Checked& program, const spec::Convention& convention) {
  if (convention.version == 1 && !convention.lookup_binding) return {};
  if (convention.version == 2 && convention.lookup_binding)
    return check_lookup(program, *convention.lookup_binding);
  return std::unexpected(make_diag(DiagCode::B007, Span::none(),
                                   convention.version == 2
                                       ? "V2 names the binding of its lookup table, and none is named"
                                       : fmt::format("V{} has no lookup table", convention.version),
                                   "use Convention::v1() or Convention::v2(binding)"));
}

}  // namespace

bool Backend::has(spec::Intrinsic) const { return false; }

Result<void> check_intrinsics(const Backend& backend, const check::Checked& program) {
  for (const auto& [intrinsic, span] : program.intrinsics()) {
    if (backend.has(intrinsic)) continue;
    const spec::IntrinsicInfo& info = spec::info(intrinsic);
    return std::unexpected(make_diag(
        DiagCode::B002, span,
        fmt::format("the {} backend has no {}@{}", backend.identity().name, info.id, info.version),
        "there is no software fallback: choose a backend that has it (`vyre backends`), or do without it"));
  }
  return {};
}

Result<std::unique_ptr<Pipeline>> make_pipeline(Backend& backend, const check::Checked& program,
                                                const spec::Convention& convention) {
  const uint32_t newest = std::min(backend.convention(), spec::kLatestConvention);
  if (convention.version < 1 || convention.version > newest) {
    return std::unexpected(
        make_diag(DiagCode::B006, Span::none(),
                  fmt::format("the host follows V{}, and the {} backend knows V1 to V{}", convention.version,
                              backend.identity().name, newest),
                  fmt::format("follow V{} or an older one, or use a newer backend", newest)));
  }
  VYRE_CHECK(check_convention(program, convention));
  return backend.compile(program);
}

std::vector<Result<std::unique_ptr<Pipeline>>> Backend::compile_batch(
    std::span<const check::Checked* const> programs) {
  std::vector<Result<std::unique_ptr<Pipeline>>> out;
  out.reserve(programs.size());
  for (const check::Checked* program : programs) out.push_back(compile(*program));
  return out;
}

}  // namespace vyre::backend
