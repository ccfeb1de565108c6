// Memory: what an invocation can reach, and the rule that nothing is ever out of reach.
//
// Every access compares its indices with the dimensions first; only then is an address computed. Outside, a
// load gives zero, a store does nothing, an atomic does nothing and gives zero. A buffer that is no tensor
// has one dimension, its element count. The interface is small so that a driver can watch accesses or delay
// them; the plain memory here just does them. Source: semantics, "Memory".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "check/checked.h"
#include "layout/dispatch.h"
#include "ref/eval.h"

namespace vyre::ref {

using check::BufferId;
using spec::DataType;
/// One index a dimension.
using Indices = std::span<const Bits>;

enum class AccessKind : uint8_t { Read, Write, Atomic };
/// Whether two accesses of one place by two invocations have to be ordered.
constexpr bool conflict(AccessKind a, AccessKind b) { return a != b || a == AccessKind::Write; }

/// The buffers of one workgroup, as its invocations see them.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual uint32_t length(BufferId buffer) const = 0;
  virtual Bits load(BufferId buffer, Indices indices) = 0;
  virtual void store(BufferId buffer, Indices indices, Bits value) = 0;
  /// The value before. `expected` is used by compare-exchange alone.
  virtual Bits atomic(spec::Op op, BufferId buffer, Bits index, Bits expected, Bits value) = 0;
};

/// The private arrays of one invocation, which no other invocation reaches.
class PrivateMemory {
 public:
  PrivateMemory() = default;
  explicit PrivateMemory(const ir::Program& program);

  bool has(BufferId buffer) const {
    return check::index(buffer) < arrays_.size() && arrays_[check::index(buffer)].count != 0;
  }
  /// Zero, as an invocation finds them.
  void clear();
  /// Bytes of all.
  uint64_t bytes() const { return memory_.size(); }

  // Domain: has(buffer).
  uint32_t length(BufferId buffer) const { return arrays_[check::index(buffer)].count; }
  Bits load(BufferId buffer, Bits index) const;
  void store(BufferId buffer, Bits index, Bits value);

 private:
  struct Array {
    size_t first = 0;    // in memory_
    uint32_t count = 0;  // elements; none: it is no private array
    DataType element{};
  };
  std::vector<Array> arrays_;  // by BufferId, up to the last of them
  Bytes memory_;
};

/// Host memory for the bound buffers, its own for workgroup memory.
class PlainMemory final : public Memory {
 public:
  /// Shape   bindings: one a bound buffer, in the order of Checked::bound_buffers(); must outlive this.
  PlainMemory(const check::Checked& program, std::span<const layout::Binding> bindings);

  /// Workgroup memory is zero when a workgroup starts.
  void start_workgroup();

  uint32_t length(BufferId buffer) const override;
  Bits load(BufferId buffer, Indices indices) override;
  void store(BufferId buffer, Indices indices, Bits value) override;
  Bits atomic(spec::Op op, BufferId buffer, Bits index, Bits expected, Bits value) override;

  /// The number of an element in its allocation, or none where it is out of bounds.
  std::optional<uint64_t> element_at(BufferId buffer, Indices indices) const;
  DataType element_type(BufferId buffer) const { return view(buffer).element; }

 private:
  struct BufferView {
    std::byte* data;
    uint32_t count;  // elements
    DataType element;
    std::vector<uint32_t> dims;
    std::vector<uint32_t> strides;  // in elements, as many as dims
  };
  /// Where an element is; null when it is out of bounds.
  std::byte* locate(BufferId buffer, Indices indices) const;
  const BufferView& view(BufferId buffer) const { return views_[check::index(buffer)]; }

  std::vector<BufferView> views_;  // by BufferId
  std::vector<Bytes> workgroup_;   // one an allocation
};

}  // namespace vyre::ref
