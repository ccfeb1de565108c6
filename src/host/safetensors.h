// Tensors in files: .safetensors, as --set and --get take and give them.
//
// A file is 8 bytes that say how long its header is, the header, an object of JSON that has the type, the
// shape and the place of each tensor by its name, and then the elements of all of them, without holes. One
// file has the weights of a whole network, so only the header and the tensor that is wanted are read.
// Source: github.com/huggingface/safetensors, "Format"; docs/commands.md, "Buffers on the command line".
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "host/files.h"
#include "host/npy.h"
#include "spec/types.h"

namespace vyre::host {

/// A tensor on the command line: FILE.safetensors:NAME.
struct TensorPlace {
  std::string path, name;  // no name: it is missing
};
/// None: a path that is no .safetensors.
std::optional<TensorPlace> tensor_place(std::string_view text);

/// How many bytes a header may have.
inline constexpr uint64_t kMaxTensorHeader = 100'000'000;

/// What a header says of a tensor.
struct StoredTensor {
  std::string type;  // "F32"
  std::vector<uint64_t> shape;
  uint64_t begin = 0, end = 0;  // in the bytes behind the header
};
using StoredTensors = std::map<std::string, StoredTensor, std::less<>>;

/// Reads a header. `size`: of what stands behind it.
/// Errors  no object of JSON as it has to be; a name that is there twice; places that overlap, leave holes or
///         are not as long as type and shape say.
std::expected<StoredTensors, UsageError> parse_tensor_header(std::string_view header, uint64_t size);

/// One tensor of a file.
/// Errors  no such file, a file that is cut off, no such tensor, another type, a bad header.
std::expected<Array, UsageError> read_tensor(const TensorPlace& place, spec::DataType element);

/// What a file gets.
struct TensorToStore {
  std::string name;
  spec::DataType element{};
  std::vector<uint32_t> shape;
  std::span<const std::byte> bytes;
};
/// A file of these, in their order. Domain  value types but vectors and u128; no name twice.
Bytes format_tensors(std::span<const TensorToStore> tensors);
/// Whether a file can have elements of this type.
bool is_storable(spec::DataType element);

}  // namespace vyre::host
