// From legal kernels to C++20 and to CUDA C++: a whole file, with the data of one dispatch in it, that
// compiles by itself, runs and says whether the results are the expected ones.
//
// It is for people who were handed a failing case: a compiler, a debugger or a vendor's bug tracker takes
// such a file and needs nothing of vyre. So it is plain code: every value is a 32-bit word, wide integers and
// halves of words are already made of those (lower/legalize.cpp), and what is left means in C++ what the raw
// operator means on its domain. Floats are binary32 and binary64 with one rounding an operation, as raw
// operators promise (kIeeeFloats); nothing may be contracted, so a product is kept in a word of memory in C++
// and is an intrinsic in CUDA. Half floats are composed of words: neither language has them everywhere.
//
// In C++ the invocations of a workgroup run one after the other, or, where the kernel has a barrier, side by
// side in threads that wait for one another. Source: C++20, [expr], [atomics.ref.generic], [thread.mutex];
// CUDA C++ Programming Guide, "Single-Precision Floating-Point Intrinsics".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "layout/dispatch.h"
#include "lower/kernel.h"

namespace vyre::lower {

/// What legalization has to know of both languages.
inline constexpr Target kSourceTarget{.name = "source",
                                      .has_reverse_bits = false,
                                      .has_16bit_access = false,
                                      .load_guard = GuardForm::Branch,
                                      .floats = [] {
                                        FloatPromises out = kIeeeFloats;
                                        out.name = "source";
                                        out[RawOp::FFromF16] = out[RawOp::FToF16] = {};
                                        return out;
                                      }()};

enum class SourceDialect : uint8_t { Cpp, Cuda };

/// One dispatch: what is in each bound buffer, in the order of KernelBuffer::argument, before and, where that
/// is known, after.
struct SourceCase {
  layout::Groups groups;
  std::vector<Bytes> buffers;
  std::vector<Bytes> expected;  // empty: nothing is compared
};

/// The file: `head` as comments, the kernel, the data, and a main() that dispatches, prints the words of each
/// read_write buffer and ends with 1 when some differ from the expected ones.
///
/// Domain  a kernel that is legal for kSourceTarget; a binding for each bound buffer, in whole elements.
/// Errors  B002 for operations of subgroups; B003 for more workgroup memory than CUDA declares (48 KiB).
/// Cost    linear in kernel and data.
Result<std::string> emit_source(const Kernel& kernel, SourceDialect dialect, const SourceCase& data,
                                std::string_view head = {});

}  // namespace vyre::lower
