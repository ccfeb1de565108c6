#include "check/declarations.h"

#include <fmt/format.h>

#include <unordered_map>

#include "check/body.h"
#include "spec/limits.h"

namespace vyre::check {
namespace {

void check_workgroup_size(const ir::Program& program, Report& report) {
  const auto& size = program.workgroup_size;
  const std::string shown = fmt::format("workgroup({}, {}, {})", size[0], size[1], size[2]);
  uint64_t invocations = 1;
  for (const uint32_t axis : size) {
    if (axis == 0) {
      report.add(DiagCode::V009, program.workgroup_span, fmt::format("{} has an axis of size 0", shown),
                 "each axis is at least 1");
      return;
    }
    // Capped at each step, so that no product of three axes overflows.
    invocations = std::min<uint64_t>(invocations * axis, uint64_t(1) << 31);
  }
  if (invocations > spec::kMaxInvocationsPerGroup) {
    report.add(DiagCode::V009, program.workgroup_span,
               fmt::format("{} has more than {} invocations", shown, spec::kMaxInvocationsPerGroup),
               "make workgroups smaller and dispatch more of them");
  }
}

void check_binding(const ir::BufferDecl& decl, const ir::Program& program,
                   std::unordered_map<uint32_t, size_t>& taken, Report& report) {
  const auto [first, fresh] = taken.try_emplace(decl.binding, size_t(&decl - program.buffers.data()));
  if (fresh) return;
  const ir::BufferDecl& other = program.buffers[first->second];
  report
      .add(DiagCode::V002, decl.span,
           fmt::format("binding {} of {} is taken", decl.binding, quoted(program.code.name(decl.name))),
           "give each buffer a number of its own")
      .notes.push_back({other.span, fmt::format("{} has it", quoted(program.code.name(other.name)))});
}

void check_workgroup_memory(const ir::BufferDecl& decl, std::string_view shown, uint64_t& bytes,
                            Report& report) {
  if (decl.count == 0) {
    report.add(DiagCode::V030, decl.span, fmt::format("workgroup buffer {} has no elements", shown),
               "give it at least one element");
    return;
  }
  const bool fitted = bytes <= spec::kMaxWorkgroupBytes;
  bytes += uint64_t(decl.count) * spec::info(decl.element).bytes;
  if (fitted && bytes > spec::kMaxWorkgroupBytes) {
    report.add(DiagCode::V030, decl.span,
               fmt::format("with {} the workgroup buffers take {} bytes; at most {} are allowed", shown,
                           bytes, spec::kMaxWorkgroupBytes),
               "tile the computation");
  }
}

}  // namespace

void check_declarations(const ir::Program& program, Report& report) {
  check_name(program.name, Span::none(), "program", report);
  std::unordered_map<uint32_t, size_t> bindings;
  uint64_t workgroup_bytes = 0;
  for (const ir::BufferDecl& decl : program.buffers) {
    const std::string shown = quoted(program.code.name(decl.name));
    if (!spec::is_available(decl.element)) {
      report.add(DiagCode::V025, decl.span,
                 fmt::format("{} holds {}, which this version does not have", shown, text(decl.element)),
                 "use u32, i32, bool or bytes");
    }
    if (decl.access == spec::BufferAccess::Workgroup) {
      check_workgroup_memory(decl, shown, workgroup_bytes, report);
    } else {
      check_binding(decl, program, bindings, report);
    }
    const uint32_t unused = decl.access == spec::BufferAccess::Workgroup ? decl.binding : decl.count;
    if (unused != 0) {
      report.add(
          DiagCode::V036, decl.span,
          fmt::format("{} has a {}, which {} buffers do not have", shown,
                      decl.access == spec::BufferAccess::Workgroup ? "binding" : "count", text(decl.access)),
          "build programs through ir::ProgramBuilder, text::parse or wire::decode");
    }
  }
  check_workgroup_size(program, report);
}

}  // namespace vyre::check
