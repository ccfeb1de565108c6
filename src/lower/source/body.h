// The statements of a kernel, which C++ and CUDA C++ write alike. Internal to lower/source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

/// The names of buffers in a file: "b_out", and of their counts of elements "len_out".
std::string source_buffer(const KernelBuffer& buffer);
std::string source_length(const KernelBuffer& buffer);
/// An array of three words, how many workgroups there are: only where the kernel asks.
inline constexpr std::string_view kSourceGroups = "groups";
/// Before a loop with the hint to unroll it; the file says what it is.
inline constexpr std::string_view kSourceUnroll = "VYRE_UNROLL";
/// How many words the elements of a buffer take; at least those of one, since a guarded access may read it.
uint64_t source_words(uint64_t elements, spec::DataType element);

/// Lines, indented by two blanks, over `group`, `local` and kSourceGroups (arrays of three words), the
/// buffers and lengths by their names, and the functions of the prelude. Domain  a kernel that is legal for
/// kSourceTarget and has no operation of subgroups.
std::string source_body(const Kernel& kernel);

}  // namespace vyre::lower
