// Arrays of NumPy in files: .npy, as --set and --get take and give them.
//
// A file is a header in the syntax of Python, with type, order and shape, and then the elements. Read are
// versions 1.0, 2.0 and 3.0, written is 1.0. Source: numpy.lib.format; docs/commands.md, "Buffers on the
// command line".
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "host/files.h"
#include "spec/types.h"

namespace vyre::host {

/// Whether a path on the command line means an array of NumPy: it ends in .npy.
bool is_npy(std::string_view path);

/// How many bytes a header may have here.
inline constexpr uint64_t kMaxNpyHeader = 1 << 20;

/// The buffer that a file holds, C order, whatever its shape. `element` of a tensor is that of its elements.
/// Errors  no such file, one that is cut off or has more than its shape says, another type, another order, a
/// last axis
///         that is no vector of that type.
std::expected<Bytes, UsageError> parse_npy(std::span<const std::byte> file, spec::DataType element);

/// A file that holds the buffer: one axis, or `shape` if it has any; of vectors and u128 one more, of their
/// words. Domain  the product of the shape is the number of elements.
Bytes format_npy(std::span<const std::byte> buffer, spec::DataType element,
                 std::span<const uint32_t> shape = {});

}  // namespace vyre::host
