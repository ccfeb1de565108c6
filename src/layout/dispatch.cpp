#include "layout/dispatch.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/limits.h"

namespace vyre::layout {
namespace {

using spec::BufferAccess;

Diag error(DiagCode code, Span span, std::string message, std::string help) {
  return make_diag(code, span, std::move(message), std::move(help));
}

Result<void> check_groups(Groups groups) {
  const std::array<uint32_t, 3> axes = {groups.x, groups.y, groups.z};
  for (uint32_t i = 0; i < 3; ++i) {
    if (axes[i] >= 1 && axes[i] <= spec::kMaxGroupsPerAxis) continue;
    return std::unexpected(error(DiagCode::X005, Span::none(),
                                 fmt::format("{} workgroups on axis {}", axes[i], "xyz"[i]),
                                 fmt::format("give each axis 1 to {} workgroups", spec::kMaxGroupsPerAxis)));
  }
  return {};
}

Result<Binding> bind_one(const check::Checked& program, const ir::BufferDecl& decl,
                         std::span<std::byte> bytes) {
  const std::string_view name = program.program().code.name(decl.name);
  const uint32_t element = spec::info(decl.element).bytes;
  if (bytes.size() % element != 0) {
    return std::unexpected(
        error(DiagCode::X002, decl.span,
              fmt::format("buffer '{}' has {} bytes, and an element of {} is {}", name, bytes.size(),
                          spec::text(decl.element), element),
              fmt::format("give a multiple of {} bytes; pad the last word with zeros if the rest matters",
                          element)));
  }
  const uint64_t count = bytes.size() / element;
  if (count > UINT32_MAX) {
    return std::unexpected(error(DiagCode::X010, decl.span,
                                 fmt::format("buffer '{}' has {} elements", name, count),
                                 fmt::format("bind at most {} elements", UINT32_MAX)));
  }
  if (decl.access == BufferAccess::Uniform && bytes.size() > spec::kMaxUniformBytes) {
    return std::unexpected(
        error(DiagCode::X004, decl.span, fmt::format("uniform buffer '{}' has {} bytes", name, bytes.size()),
              fmt::format("give at most {} bytes, or declare it `read`", spec::kMaxUniformBytes)));
  }
  return Binding{bytes, uint32_t(count)};
}

/// Sorts the non-empty bindings by address: if any two overlap, then some two neighbours do.
Result<void> check_overlap(const check::Checked& program, std::span<const Binding> bindings) {
  std::vector<size_t> order;
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (!bindings[i].bytes.empty()) order.push_back(i);
  }
  const auto begin = [&](size_t i) { return reinterpret_cast<uintptr_t>(bindings[i].bytes.data()); };
  std::ranges::sort(order, {}, begin);
  for (size_t k = 1; k < order.size(); ++k) {
    const size_t low = order[k - 1], high = order[k];
    if (begin(high) - begin(low) >= bindings[low].bytes.size()) continue;
    const auto name = [&](size_t i) {
      return program.program().code.name(program.buffer(program.bound_buffers()[i]).name);
    };
    return std::unexpected(error(DiagCode::X003, Span::none(),
                                 fmt::format("buffers '{}' and '{}' share memory", name(std::min(low, high)),
                                             name(std::max(low, high))),
                                 "bind separate memory, or declare one buffer and use it for both"));
  }
  return {};
}

}  // namespace

Result<std::vector<Binding>> bind(const check::Checked& program, std::span<const std::span<std::byte>> host,
                                  Groups groups) {
  const auto& bound = program.bound_buffers();
  if (host.size() != bound.size()) {
    return std::unexpected(
        error(DiagCode::X009, Span::none(),
              fmt::format("{} buffers given, and the program declares {}", host.size(), bound.size()),
              "give one for each buffer that is not workgroup memory, in the order of their declaration"));
  }
  VYRE_CHECK(check_groups(groups));
  std::vector<Binding> bindings;
  bindings.reserve(bound.size());
  for (size_t i = 0; i < bound.size(); ++i) {
    VYRE_TRY(binding, bind_one(program, program.buffer(bound[i]), host[i]));
    bindings.push_back(binding);
  }
  VYRE_CHECK(check_overlap(program, bindings));
  return bindings;
}

}  // namespace vyre::layout
