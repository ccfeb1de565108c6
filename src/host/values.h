// Values as people write and read them: the --set specifications, and elements printed back.
// Source: COMMANDS, "SPEC" and "--get"; docs/commands.md.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "host/files.h"
#include "host/npy.h"
#include "spec/types.h"

namespace vyre::host {

/// The bytes of one element from a literal: a decimal is a value (1, -3, 1.5, inf, nan for floats), 0x
/// hexadecimal the bits; true and false for bool, (1,2) for vectors. Errors  a literal that does not fit the
/// type.
std::expected<void, UsageError> parse_element(std::string_view text, spec::DataType element, Bytes& out);

/// The bytes that a specification stands for: `@file`, `@file.safetensors:NAME`, `zeros:N`, `iota:N`,
/// `random:N:SEED`, `uniform:N:SEED`, or literals `1,0x2,-3`; the first two alone for bool and vectors,
/// uniform for floats. `element` of a tensor is that of its elements. Errors  a file whose size is not whole
/// elements (a `bytes` buffer is padded with zeros instead), or an array of NumPy (host/npy.h) or a tensor
/// (host/safetensors.h) that is none of this type.
std::expected<Bytes, UsageError> parse_spec(std::string_view spec, spec::DataType element);

/// The same with the shape, where the file says one.
std::expected<Array, UsageError> parse_array(std::string_view spec, spec::DataType element);

/// How many bytes `zeros`, `iota`, `random` and `uniform` will take, known before they are made; 0 for every
/// other form.
uint64_t announced_bytes(std::string_view spec, spec::DataType element);

/// One element, as --get prints it: the shortest decimal that reads back, `(a,b)` for vectors; hex: 0x and
/// the full width.
std::string format_element(const std::byte* at, spec::DataType element, bool hex);

/// "NAME: v v v".
std::string format_buffer(std::string_view name, std::span<const std::byte> bytes, spec::DataType element,
                          bool hex);

}  // namespace vyre::host
