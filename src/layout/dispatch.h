// Dispatch: the host's side of running a program, shared by the reference and every backend.
//
// Buffers are raw little-endian bytes of whole elements, packed without gaps: a u32, i32, bool or f32 is one
// 32-bit word (a bool is 0 or 1 when loaded, whatever the word), an f16 or bf16 half of one, a u64 or vec2u32
// two words, a u128 or vec4u32 four, the least significant or the first component first; a `bytes` buffer is
// words. A tensor's elements lie where its strides say. Counts come from the sizes that the host gives; no
// kernel ever asks a device for a length. Source: semantics, "Memory", "Tensors"; execution-model, "Dispatch
// Lifecycle".
#pragma once

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

/// One bound buffer: its bytes, and how many elements they are.
struct Binding {
  std::span<std::byte> bytes;
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

}  // namespace vyre::layout
