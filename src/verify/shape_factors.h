// What programs and dispatches of ir.shapes differ in, and which of it goes together.
//
// The families beside it say whether a backend computes the right values; ir.shapes says whether it does so
// whatever the shape: how many groups of which size, how many buffers bound in which order, indices, rounds,
// depths, memory. The shapes are levels of factors (verify/shape_factors.def), covered by an array
// (generate/covering.h) of strength 2 at quick, 3 at standard, 4 at full. A case is a row of it, and its
// number is that row: four bits a factor, so a token says what it is, and a smaller case is a number as well.
// docs/shapes.md has factors, constraints, and how expected answers are made.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "generate/covering.h"
#include "verify/verdict.h"

namespace vyre::verify {

using generate::Row;

/// Kinds of programs: ids, workgroup memory and atomics over large grids; buffers and accesses; loops, nests,
/// constants and the order of evaluation.
enum class ShapeKind : uint8_t { Grid, Memory, Code };
inline constexpr size_t kShapeKinds = 3;

enum class ShapeFactor : uint8_t {
#define VYRE_SHAPE_FACTOR(Name, text, kinds, ...) Name,
#include "verify/shape_factors.def"
#undef VYRE_SHAPE_FACTOR
};
struct ShapeFactorInfo {
  ShapeFactor factor{};
  std::string_view text;
  uint32_t kinds = 0;  // a bit a kind
  std::span<const std::string_view> levels;
};
std::span<const ShapeFactorInfo> shape_factors();

/// The level of a factor in a row that has it.
inline uint8_t level_of(const Row& row, ShapeFactor factor) { return row[size_t(factor)]; }
inline ShapeKind kind_of(const Row& row) { return ShapeKind{level_of(row, ShapeFactor::Kind)}; }
/// "97".
std::string_view level_text(ShapeFactor factor, uint8_t level);
/// "grid, groups 1,1,1, workgroup 97, ...": every level that is not the simplest one.
std::string describe(const Row& row);

/// Groups and workgroups of a grid.
std::array<uint32_t, 3> groups_of(const Row& row);
std::array<uint32_t, 3> workgroup_of(const Row& row);

/// Bytes of a level of ShapeFactor::Shared, the last of which a device may have fewer of.
uint64_t shared_bytes(uint8_t level);

/// Levels that a device does not have: of limits above those that every device has.
using AbsentLevels = std::set<std::pair<ShapeFactor, uint8_t>>;
/// Whether a device may do without a level: workgroups of more than 256 invocations, more than 16 KiB of
/// workgroup memory, more than 8 storage buffers.
bool may_be_absent(ShapeFactor factor, uint8_t level);
/// Those of a backend, by its limits; how many buffers it binds, by asking it to compile programs that do.
/// Errors: of compiling, other than B003.
Result<AbsentLevels> absent_levels(backend::Backend& backend);

/// Whether the levels that are set go together (generate::Factors::allows).
bool goes_together(std::span<const uint8_t> row);

/// The number of a case, and back: none for a number that is no allowed row.
uint64_t number_of(const Row& row);
std::optional<Row> row_of(uint64_t number);

/// The rows in the order in which they run, and how many tuples no row can have.
struct ShapePlan {
  std::vector<Row> rows;
  uint64_t infeasible = 0;
  AbsentLevels absent;
};
/// A pure function of its arguments, which is worked out once in a process.
std::shared_ptr<const ShapePlan> shape_plan(uint32_t strength, uint64_t seed,
                                            const AbsentLevels& absent = {});
/// Strength of the array: tuples of how many levels it covers.
uint32_t shape_strength(Strength strength);
/// How many rows have each level.
std::vector<Coverage::Factor> levels_of(std::span<const Row> rows);
/// What all rows of a plan cover.
Coverage coverage_of(const ShapePlan& plan, uint32_t strength);
/// The levels that a coverage has no case of.
AbsentLevels levels_without_cases(const Coverage& coverage);
/// What is not as planned in a verdict on ir.shapes; empty where all is.
std::string wrong_coverage(const Verdict& verdict, uint32_t strength, uint64_t seed);

/// The row with one factor at a level, and what depends on it at the simplest that goes with that. None: it
/// does not go.
std::optional<Row> changed(const Row& row, ShapeFactor factor, uint8_t level);
/// Whether a row has a level that is absent.
bool has_any(const Row& row, const AbsentLevels& absent);

/// Whether a case runs twice, to see the same again: not the largest grids.
bool is_repeated(const Row& row);

}  // namespace vyre::verify
