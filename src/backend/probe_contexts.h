// The contexts in which a probe asks for arithmetic: expressions of the language, and programs of them.
//
// One operator by itself is the least that a compiler or a chip gets wrong. What goes wrong is a product that
// meets a sum, a quotient of equal variables, a constant that invites a shortcut, a value that is carried
// around a loop or comes from a neighbour; so each context is an expression of a few operators over such
// operands. A program evaluates many of them for each row of inputs and stores one word a row, a mix of all
// results that any wrong bit changes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "check/checked.h"

namespace vyre::backend::probe {

/// An expression of these variables:
///   a b c      of the row
///   neighbour  a, of the row beside
///   same       the same in all rows, known when the program runs
///   carried    the expression's own result, the time around before; a at first
///   shared     b, of another row of the workgroup, through workgroup memory
using Context = std::string_view;

/// All of them, in the order in which programs have them.
std::span<const Context> contexts();
/// Those for devices whose 64-bit floats are used: the elementary functions are made of them there. They come
/// after the others; elsewhere functions are integers, and nothing is asked.
std::span<const Context> function_contexts();

/// Inputs, a column a variable of a row.
struct Rows {
  std::vector<uint32_t> a, b, c;
  uint32_t same = 0;
  size_t count() const { return a.size(); }
};
/// Directed ones: ties, cancellation, subnormals on the way in and out, near overflow, specials, mixed. A
/// pure function of the count. Shape: a multiple of kWorkgroup.
Rows make_rows(size_t count);
inline constexpr uint32_t kWorkgroup = 64;

/// A program that gives, for each row, the mix of the results of some contexts.
/// Shape   bindings: 0 to 2 the columns of a, b, c (f32), 3 the uniform value (f32, one element), 4 the
///         results (u32, one a row). Workgroups of kWorkgroup rows.
check::Checked make_program(std::span<const Context> contexts);

}  // namespace vyre::backend::probe
