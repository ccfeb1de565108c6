// Shapes: the programs of the program families, as texts with a plan for their inputs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

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
struct BufferPlan {
  Count count;
  Fill fill;
  uint32_t number = 0;
  spec::DataType type = spec::DataType::U32;  // of Floats, Sums, Factors and Unwritten
};

struct Shape {
  std::string_view name;
  /// "$W" stands for the workgroup size.
  std::string_view text;
  std::span<const std::array<uint32_t, 3>> sizes;
  uint32_t max_groups;  // along x; Extents: along every axis
  std::span<const BufferPlan> buffers;
  generate::Outcome outcome = nullptr;  // where the schedule decides what is left in memory
  bool approximate = false;             // where results are right within tolerances (verify/sums.h)
};

/// One table a program family.
std::span<const Shape> memory_shapes();
std::span<const Shape> control_shapes();
std::span<const Shape> loop_shapes();
std::span<const Shape> barrier_shapes();
std::span<const Shape> atomic_shapes();
std::span<const Shape> reduction_shapes();
std::span<const Shape> synchronization_shapes();
std::span<const Shape> litmus_shapes();
std::span<const Shape> sum_shapes();
/// In all of these, "$I" stands for the number of the invocation, workgroup by workgroup, "$L" for its number
/// in the workgroup, x fastest, and "$N" for how many a workgroup has. `sizes` is empty: subgroup_sizes() has
/// them.
std::span<const Shape> subgroup_shapes();
/// Those of a family; empty for families without shapes.
std::span<const Shape> shapes_of(Family family);
/// Workgroups of whole subgroups of `lanes`, in one dimension and in three, of at most `most` invocations
/// where one subgroup has no more.
inline constexpr size_t kSubgroupSizes = 5;
std::array<std::array<uint32_t, 3>, kSubgroupSizes> subgroup_sizes(uint32_t lanes, uint32_t most);

inline constexpr std::array<uint32_t, 3> kLineSizes[] = {{1, 1, 1}, {7, 1, 1}, {64, 1, 1}, {256, 1, 1}};
inline constexpr std::array<uint32_t, 3> kPowerSizes[] = {{1, 1, 1}, {32, 1, 1}, {64, 1, 1}, {256, 1, 1}};
inline constexpr std::array<uint32_t, 3> kSolidSizes[] = {{1, 1, 1}, {5, 3, 2}, {8, 8, 1}, {4, 4, 4}};
inline constexpr std::array<uint32_t, 3> kOne[] = {{1, 1, 1}};

}  // namespace vyre::verify
