// The statements of a kernel, which C++ and CUDA C++ write alike. Internal to lower/source.
#pragma once

#include <string>
#include <vector>

#include "lower/kernel.h"

namespace vyre::lower {

/// The names of buffers in a file: "b_out", and of their counts of elements "len_out".
std::string source_buffer(const KernelBuffer& buffer);
std::string source_length(const KernelBuffer& buffer);
/// How many words the elements of a buffer take; at least those of one, since a guarded access may read it.
uint64_t source_words(uint64_t elements, spec::DataType element);

/// Lines, indented by two blanks, over `group` and `local` (arrays of three words), the buffers and lengths
/// by their names, and the functions of the prelude. Domain  a kernel that is legal for kSourceTarget and has
/// no operation of subgroups.
std::string source_body(const Kernel& kernel);

}  // namespace vyre::lower
