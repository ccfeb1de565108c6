// Shapes: the programs of the program families, as texts with a plan for their inputs.
//
// A family's shapes stand in src/verify/shapes/<family>.vyre, which is compiled in. Above each program a line
// each says:
//
//   // shape: own elements                                 its name
//   // workgroups: 1 7 5x3x2                               sizes it is run with; if missing, subgroup_sizes()
//   // groups: 4                                           how many there are at most along x
//   // buffers: 5 any, total index, elements floats f32    of each bound buffer count, contents, float type
//   // folds: fadd fmin                                    the only reductions that it is written for
//
// Places filled when a program is made: $W, the workgroup size; $N, how many invocations a workgroup has; $L,
// an invocation's number in its workgroup, x fastest; $I, its number, workgroup by workgroup. Reductions and
// Sums are written for many types and operators, and their files say what else is filled. Texts are part of
// the registry's digest in certificates. Whole workgroups of grids, memory and code (ir.shapes) are made in
// C++, beside what they should leave: shapes/*_cases.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/families.h"

namespace vyre::verify {

/// How many elements a bound buffer gets.
enum class Count : uint8_t {
  Total,     // as many as there are invocations
  Vectors,   // four times that
  Eight,     // eight times that
  Near,      // up to 65 more or fewer
  Groups,    // as many as there are workgroups
  Fixed,     // `number`
  Elements,  // none, a few, or about a power of two up to 512
  Many,      // none, one, two, a few, or up to some thousands, of which many are odd
};
/// What is in it.
enum class Fill : uint8_t {
  Any,    // words of every kind
  Index,  // in bounds of the first buffer, just outside, and far outside: 2^30, 2^31, 2^32 - 1
  Small,  // 0..15
  Zero,
  Ones,       // every bit set
  Extents,    // the numbers of invocations along x, y and z
  Floats,     // values of `type`, mostly close to one
  Sums,       // values of `type`, of one kind of those that sums go wrong with (verify/sums.h)
  Factors,    // the same of products
  Unwritten,  // a NaN of `type` that no operation gives
};
struct ShapeBuffer {
  Count count;
  Fill fill;
  uint32_t number = 0;
  spec::DataType type = spec::DataType::U32;  // of Floats, Sums, Factors and Unwritten
};

struct Shape {
  std::string name;
  std::string text;
  std::vector<std::array<uint32_t, 3>> sizes;
  uint32_t max_groups = 0;  // along x; Extents: along every axis
  std::vector<ShapeBuffer> buffers;
  generate::Outcome outcome = nullptr;  // where the schedule decides what is left in memory
  bool approximate = false;             // where results are right within tolerances (verify/sums.h)
};

/// Those of a family; empty for families without shapes. All files are read at the first call.
std::span<const Shape> shapes_of(Family family);
/// Workgroups of whole subgroups of `lanes`, in one dimension and in three, of at most `most` invocations
/// where one subgroup has no more.
inline constexpr size_t kSubgroupSizes = 5;
std::array<std::array<uint32_t, 3>, kSubgroupSizes> subgroup_sizes(uint32_t lanes, uint32_t most);

struct Replacement {
  std::string_view place;  // "$T"
  std::string_view by;
};
/// The text with each place filled wherever it stands, one after the other.
std::string filled(std::string_view text, std::initializer_list<Replacement> replacements);

/// The file shapes/<name>.vyre; empty where there is none.
std::string_view shape_text(std::string_view name);

}  // namespace vyre::verify
