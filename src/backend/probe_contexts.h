// The contexts in which a probe asks for arithmetic: small expressions, their programs and right answers.
//
// One operator by itself is the least that a compiler or a chip gets wrong. What goes wrong is a product that
// meets a sum, a quotient of equal variables, a constant that invites a shortcut, a value that is carried
// around a loop or comes from a neighbour; so each context is an expression of a few operators over such
// operands. A program evaluates many of them for each row of inputs and stores one word a row, a mix of all
// results that any wrong bit changes. The right answers come from num/, which has no floats in it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "check/checked.h"
#include "spec/ops.h"
#include "spec/types.h"

namespace vyre::backend::probe {

/// What an expression's variables stand for.
enum class Leaf : uint8_t {
  A,
  B,
  C,          // of the row
  Neighbour,  // a, of the row beside
  Uniform,    // the same in all rows, known when the program runs
  Carried,    // the expression's own result, the time around before; a at first
  Shared,     // b, of another row of the workgroup, through workgroup memory
};
inline constexpr size_t kLeafCount = 7;

struct Tree {
  enum class Kind : uint8_t { Variable, Constant, Apply, Cast, Bitcast };
  Kind kind = Kind::Variable;
  Leaf leaf{};
  spec::Op op{};                                       // Apply
  spec::DataType type = spec::DataType::F32;           // of the result
  spec::RoundingMode mode = spec::RoundingMode::None;  // Cast
  uint32_t bits = 0;                                   // Constant
  std::vector<Tree> args;
};
/// For people: "fadd(fmul(a, b), c)".
std::string text(const Tree& tree);

/// All of them, in the order in which programs have them.
const std::vector<Tree>& contexts();
/// Those for devices whose 64-bit floats are used: the elementary functions are made of them there. They come
/// after the others; elsewhere functions are integers, and nothing is asked.
const std::vector<Tree>& function_contexts();

/// Inputs, a column a variable of a row.
struct Rows {
  std::vector<uint32_t> a, b, c;
  uint32_t uniform = 0;
  size_t count() const { return a.size(); }
};
/// Directed ones: ties, cancellation, subnormals on the way in and out, near overflow, specials, mixed. A
/// pure function of the count. Shape: a multiple of kWorkgroup.
Rows make_rows(size_t count);
inline constexpr uint32_t kWorkgroup = 64;

/// A program that gives, for each row, the mix of the results of some contexts.
/// Shape   bindings: 0 to 2 the columns a, b, c (f32), 3 the uniform value (f32, one element), 4 the results
///         (u32, one a row). Workgroups of kWorkgroup rows.
check::Checked make_program(std::span<const Tree> trees);
/// What it has to give.
std::vector<uint32_t> right_answers(std::span<const Tree> trees, const Rows& rows);

}  // namespace vyre::backend::probe
