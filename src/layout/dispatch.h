// Dispatch: the host's side of running a program, shared by the reference and every backend.
//
// Buffers are raw little-endian bytes of whole elements, packed without gaps: a u32, i32, bool or f32 is one
// 32-bit word (a bool is 0 or 1 when loaded, whatever the word), an f16 or bf16 half of one, a u64 or vec2u32
// two words, a u128 or vec4u32 four, the least significant or the first component first; a `bytes` buffer is
// words. A tensor's elements lie where its strides say. Counts come from the sizes that the host gives; no
// kernel ever asks a device for a length. Source: semantics, "Memory", "Tensors"; execution-model, "Dispatch
// Lifecycle".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "check/checked.h"

namespace vyre::layout {

struct Groups {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t total() const { return uint64_t(x) * y * z; }
  bool operator==(const Groups&) const = default;
};

/// Memory that a host binds, as far as checking needs it: where it lies, how much it is, and what a uniform
/// buffer holds, which may name the dimensions of tensors.
struct Extent {
  /// Two extents overlap only within one space: an address space, a buffer of a device.
  const void* space = nullptr;
  uint64_t begin = 0;  // in the space, in bytes
  uint64_t bytes = 0;
  std::span<const std::byte> uniform;  // the contents; wanted of uniform buffers alone
  bool shared = false;                 // it may be the same memory as another one, since neither is written
};

/// One bound buffer: its bytes, and how many elements they are.
struct Binding {
  std::span<std::byte> bytes;  // empty when it was bound by an Extent
  uint32_t count = 0;
  // Of a tensor: its dimensions as read at dispatch, and its strides in elements, those of row-major order
  // made out. An access is in bounds when every coordinate is below its dimension; the sum of coordinate *
  // stride is then below count.
  std::vector<uint32_t> dims;
  std::vector<uint32_t> strides;
};

/// Checks what the host gives against the program: number of buffers (X009), whole elements (X002), no
/// overlap (X003), uniform buffers of at most 64 KiB (X004), group counts 1..65535 an axis (X005), tensors
/// whose last element lies in their buffer (X007) at an index below 2^32 (X011), and the elements that name
/// their dimensions (X012).
///
/// Shape   host: one span a bound buffer, in the order of Checked::bound_buffers().
Result<std::vector<Binding>> bind(const check::Checked& program, std::span<const std::span<std::byte>> host,
                                  Groups groups);

/// The same for memory that the host cannot see: the bindings have counts, dimensions and strides, and no
/// bytes.
Result<std::vector<Binding>> bind(const check::Checked& program, std::span<const Extent> extents,
                                  Groups groups);

/// Accepts most dispatches that bind() accepts, at a tenth of its cost, from a few cache lines that a
/// pipeline keeps: those of at most kMost buffers, none of them a tensor. About all others bind() is to be
/// asked, which also says what is wrong.
class QuickBinding {
 public:
  static constexpr size_t kMost = 8;
  using Counts = std::array<uint32_t, kMost>;

  explicit QuickBinding(const check::Checked& program);

  /// Whether bind() would succeed; then also how many elements each buffer has.
  bool accept(std::span<const std::span<std::byte>> host, Groups groups, Counts& counts) const;

  /// What one buffer may hold.
  struct Slot {
    uint64_t most_bytes = 0;
    uint32_t log2_element_bytes = 0;
    bool admits(uint64_t bytes) const {
      return bytes <= most_bytes && (bytes & ((uint64_t{1} << log2_element_bytes) - 1)) == 0;
    }
    uint32_t count(uint64_t bytes) const { return uint32_t(bytes >> log2_element_bytes); }
  };

 private:
  bool quick_ = false;
  uint32_t size_ = 0;
  std::array<Slot, kMost> slots_;
};

}  // namespace vyre::layout
