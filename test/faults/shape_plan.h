// What each fault of shape changes: one row of a plan a fault.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "layout/dispatch.h"
#include "shape_change.h"
#include "shape_faults.h"

namespace vyre::faults {

/// A dispatch on its way to the honest backend: the memory of the program's own buffers.
struct Call {
  const check::Checked& program;
  std::vector<std::span<std::byte>> memory;
  layout::Groups groups;
  /// The pipeline's first dispatch: its groups, and what the buffers held before it. Null in that one.
  struct First {
    layout::Groups groups;
    std::vector<std::vector<std::byte>> contents;
  };
  const First* first = nullptr;
  /// Memory in the place of what was bound, which lives as long as the call.
  std::vector<std::vector<std::byte>> kept = {};

  spec::BufferAccess access(size_t k) const { return decl(k).access; }
  const ir::BufferDecl& decl(size_t k) const { return program.buffer(program.bound_buffers()[k]); }
  uint32_t element_bytes(size_t k) const { return spec::info(program.program().element(decl(k))).bytes; }
};

/// A transfer between host and device, of a buffer's bytes from `offset` on.
struct Transfer {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct FaultPlan {
  Change program = {};
  /// Changes a dispatch.
  std::function<void(Call&)> dispatch = {};
  std::function<void(Transfer&)> write = {}, read = {}, fill = {};
  /// Changes a range of a buffer that has this many bytes; `next` is where the next range of it begins.
  std::function<void(backend::DeviceRange&, uint64_t next)> range = {};
  /// Buffers that a program only reads have what the host wrote last.
  bool stale_reads = false;
  /// Whether a dispatch is answered rightly, as the memory is before it; nothing: it is.
  std::function<bool(const Call&)> honest = {};
};
FaultPlan plan_of(ShapeFault fault);

}  // namespace vyre::faults
