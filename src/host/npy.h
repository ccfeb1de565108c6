// Arrays of NumPy in files: .npy, as --set and --get take and give them.
//
// A file is a header in the syntax of Python, with type, order and shape, and then the elements. Read are
// versions 1.0, 2.0 and 3.0, written is 1.0. Source: numpy.lib.format; docs/commands.md, "Buffers on the
// command line".
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "host/files.h"
#include "spec/types.h"

namespace vyre::host {

/// Whether a path on the command line means an array of NumPy: it ends in .npy.
bool is_npy(std::string_view path);

/// How many bytes a header may have here.
inline constexpr uint64_t kMaxNpyHeader = 1 << 20;

/// What a buffer is filled with, and the shape that it has in its file, where a file says one.
struct Array {
  Bytes bytes;
  std::optional<std::vector<uint32_t>> shape;
};

/// The buffer that a file holds, C order, and its shape without an axis of words. `element` of a tensor is
/// that of its elements.
/// Errors  no such file, one that is cut off or has more than its shape says, another type, another order, a
/// last axis
///         that is no vector of that type.
std::expected<Array, UsageError> parse_npy(std::span<const std::byte> file, spec::DataType element);

/// A file that holds the buffer: one axis, or `shape` if there is one; of vectors and u128 one more, of their
/// words. Domain  the product of the shape is the number of elements.
Bytes format_npy(std::span<const std::byte> buffer, spec::DataType element,
                 const std::optional<std::vector<uint32_t>>& shape = {});

// A bool has one byte in files, and a word in a buffer.
/// Whether a byte has more bits than an element, of those that have a byte each here and less in memory.
bool has_more_bits(std::span<const std::byte> bytes, spec::DataType element);

Bytes words_of_bools(std::span<const std::byte> bools);
Bytes bools_of_words(std::span<const std::byte> words);

}  // namespace vyre::host
