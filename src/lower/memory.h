// Buffers as the kernel evaluator sees them: elements for semantic accesses, bytes for raw ones.
//
// A raw access may reach bytes that no element owns: element 0 of an empty buffer, or the upper half of the
// last word of an odd number of 16-bit elements. A load finds them unspecified, another value each time,
// chosen from the seed; a store to them is dropped.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "layout/dispatch.h"
#include "lower/operators.h"

namespace vyre::lower {

class Memory {
 public:
  Memory(const Kernel& kernel, std::span<const layout::Binding> buffers, uint64_t seed);

  /// Whose private arrays the accesses from now on are to.
  void of_lane(uint32_t lane) { lane_ = lane; }
  /// Zero, as a workgroup finds its memory.
  void clear_workgroup();
  uint32_t length(uint32_t buffer) const { return views_[buffer].count; }

  /// The element at an index, or a tensor's at its coordinates; none out of bounds.
  std::optional<size_t> element(uint32_t buffer, std::span<const Word> indices) const;
  /// Domain: what element() gave.
  Bits load(uint32_t buffer, size_t element) const;
  void store(uint32_t buffer, size_t element, const Bits& value);

  /// How many indices a raw access may have.
  uint32_t domain(const Inst& access) const;
  /// Domain: index < domain(access).
  Word load_raw(const Inst& access, Word index);
  void store_raw(const Inst& access, Word index, Word value);

 private:
  struct View {
    std::byte* data;
    uint32_t count;  // elements
    uint32_t element_bytes;
    bool truth;                               // elements are bool
    std::span<const uint32_t> dims, strides;  // of a tensor
    bool per_lane = false;                    // one for each lane, behind one another
    size_t bytes() const { return size_t(count) * element_bytes; }
  };
  struct Bytes {
    size_t first;
    uint32_t count;
  };
  Bytes bytes(const Inst& access, Word index) const;
  std::byte* data(const View& view) const {
    return view.per_lane ? view.data + lane_ * view.bytes() : view.data;
  }

  std::vector<std::vector<std::byte>> workgroup_;  // by buffer, private ones too; empty for bound ones
  std::vector<View> views_;                        // by buffer
  const uint64_t seed_;
  uint64_t unspecified_ = 0;
  uint32_t lane_ = 0;
};

}  // namespace vyre::lower
