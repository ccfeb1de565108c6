#include "verify/shape_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "ops/operation.h"
#include "text/text.h"

namespace vyre::verify {
namespace {

using generate::kAbsent;
using generate::kUnset;

constexpr uint32_t Grid = 1, Memory = 2, Code = 4, Any = 7;  // as the ledger writes them

constexpr size_t kMaxLevels = 16;
struct Entry {
  ShapeFactor factor;
  std::string_view text;
  uint32_t kinds;
  std::array<std::string_view, kMaxLevels> levels;
};
constexpr Entry kEntries[] = {
#define VYRE_SHAPE_FACTOR(Name, text, kinds, ...) {ShapeFactor::Name, text, kinds, {__VA_ARGS__}},
#include "verify/shape_factors.def"
#undef VYRE_SHAPE_FACTOR
};
constexpr size_t kFactors = std::size(kEntries);

constexpr size_t level_count(const Entry& entry) {
  size_t n = 0;
  while (n < kMaxLevels && !entry.levels[n].empty()) ++n;
  return n;
}
/// A number has four bits a factor of its kind.
constexpr bool fits_a_number() {
  for (uint32_t kind = 0; kind < kShapeKinds; ++kind) {
    size_t bits = 0;
    for (const Entry& entry : kEntries) bits += (entry.kinds >> kind & 1) != 0 ? 4 : 0;
    if (bits > 64) return false;
  }
  return true;
}
static_assert(fits_a_number());

using Extent = std::array<uint32_t, 3>;
/// Of the levels of ShapeFactor::Groups and Workgroup, as their texts say: numbers with ',' between them.
constexpr Extent extent_of(std::string_view text) {
  Extent out = {0, 1, 1};
  size_t axis = 0;
  for (const char c : text) {
    if (c == ',') {
      out[++axis] = 0;
    } else {
      out[axis] = out[axis] * 10 + uint32_t(c - '0');
    }
  }
  return out;
}
constexpr Extent extent_of(ShapeFactor factor, uint8_t level) {
  return extent_of(kEntries[size_t(factor)].levels[level]);
}
constexpr uint64_t product(const Extent& e) { return uint64_t(e[0]) * e[1] * e[2]; }

/// Invocations of a dispatch: a few above 2^20, so that numbers of invocations need 21 bits.
constexpr uint64_t kMostInvocations = (uint64_t{1} << 20) + (1 << 13);
/// Elements of workgroup memory that all workgroups together go through.
constexpr uint64_t kMostShared = uint64_t{1} << 20;

/// A level that is set; none for one that is not, or of a factor that does not apply.
std::optional<uint8_t> level_in(std::span<const uint8_t> row, ShapeFactor factor) {
  const uint8_t level = row[size_t(factor)];
  return level >= kAbsent ? std::nullopt : std::optional(level);
}

using spec::DataType;
/// The levels of ShapeFactor::Element and OperandType are types by their names.
constexpr DataType type_of(std::string_view text) {
  for (const spec::TypeInfo& info : spec::kTypes) {
    if (info.text == text) return info.type;
  }
  return DataType::Tensor;
}
constexpr auto kElements = [] {
  std::array<DataType, kMaxLevels> out{};
  for (size_t k = 0; k < kMaxLevels; ++k) out[k] = type_of(kEntries[size_t(ShapeFactor::Element)].levels[k]);
  return out;
}();

/// Two factors that are both at their first level, which says "none", or both are not.
bool both_or_none(std::span<const uint8_t> row, ShapeFactor a, ShapeFactor b) {
  const auto first = level_in(row, a), second = level_in(row, b);
  return !first || !second || (*first == 0) == (*second == 0);
}

// Levels that the constraints name; tests hold them to the texts of the ledger.
constexpr uint8_t kAdd = 1, kManyAdditions = 2, kLargeTransfers = 5;
constexpr uint8_t kAround2To16 = 2, kAround2To20 = 4;
constexpr uint8_t kLoadUniform = 2, kAtomicAccess = 4;
constexpr uint64_t kSharedBytes[] = {0, 16, 1004, 8208, 16384, uint64_t{128} << 10};

generate::Factors model(const AbsentLevels& absent) {
  generate::Factors out;
  for (const Entry& entry : kEntries) {
    out.levels.push_back(uint8_t(level_count(entry)));
    out.with.push_back(entry.kinds);
  }
  out.allows = [absent](std::span<const uint8_t> row) {
    for (const auto& [factor, level] : absent) {
      if (row[size_t(factor)] == level) return false;
    }
    return goes_together(row);
  };
  return out;
}

std::string binding_program(uint32_t buffers) {
  std::string out = "program bindings(";
  for (uint32_t k = 0; k < buffers; ++k)
    out += fmt::format("{}read_write b{}: u32 @{}", k == 0 ? "" : ", ", k, k);
  return out + ") workgroup(1, 1, 1) { b0[0] = 1; }";
}

}  // namespace

std::span<const ShapeFactorInfo> shape_factors() {
  static const std::vector<ShapeFactorInfo> all = [] {
    std::vector<ShapeFactorInfo> out;
    for (const Entry& e : kEntries)
      out.push_back({e.factor, e.text, e.kinds, std::span(e.levels).first(level_count(e))});
    return out;
  }();
  return all;
}

std::string_view level_text(ShapeFactor factor, uint8_t level) {
  return kEntries[size_t(factor)].levels[level];
}

std::string describe(const Row& row) {
  std::string out(level_text(ShapeFactor::Kind, row[0]));
  for (size_t f = 1; f < kFactors; ++f) {
    if (row[f] != 0 && row[f] < kAbsent)
      out += fmt::format(", {} {}", kEntries[f].text, kEntries[f].levels[row[f]]);
  }
  return out;
}

uint64_t shared_bytes(uint8_t level) { return kSharedBytes[level]; }

std::array<uint32_t, 3> groups_of(const Row& row) {
  return extent_of(ShapeFactor::Groups, level_of(row, ShapeFactor::Groups));
}
std::array<uint32_t, 3> workgroup_of(const Row& row) {
  return extent_of(ShapeFactor::Workgroup, level_of(row, ShapeFactor::Workgroup));
}

bool may_be_absent(ShapeFactor factor, uint8_t level) {
  constexpr uint64_t kPortableInvocations = 256, kPortableBytes = 16384;  // semantics, "Structure"
  constexpr uint8_t kNineBuffers = 2;
  if (factor == ShapeFactor::Workgroup) return product(extent_of(factor, level)) > kPortableInvocations;
  if (factor == ShapeFactor::Shared) return kSharedBytes[level] > kPortableBytes;
  return factor == ShapeFactor::Buffers && level >= kNineBuffers;
}

Result<AbsentLevels> absent_levels(backend::Backend& backend) {
  constexpr uint8_t kDevicesMost = std::size(kSharedBytes) - 1;
  constexpr uint32_t kBuffers[] = {0, 8, 9, 16, 31};
  constexpr uint32_t kUniforms = 2;  // a program may have beside them
  const backend::Limits limits = backend.limits();
  AbsentLevels out;
  for (const ShapeFactorInfo& info : shape_factors()) {
    for (uint8_t level = 0; level < info.levels.size(); ++level) {
      if (!may_be_absent(info.factor, level)) continue;
      bool has = true;
      if (info.factor == ShapeFactor::Workgroup) {
        has = product(extent_of(info.factor, level)) <= limits.max_invocations_per_group;
      } else if (info.factor == ShapeFactor::Shared && level != kDevicesMost) {
        has = kSharedBytes[level] <= limits.max_workgroup_bytes;
      } else if (info.factor == ShapeFactor::Buffers) {
        const auto program = text::parse(binding_program(kBuffers[level] + kUniforms));
        const auto checked = check::check(*program, ops::op_table());  // the text is part of this file
        const auto compiled = backend.compile(*checked);
        if (!compiled && compiled.error().code != DiagCode::B003) return std::unexpected(compiled.error());
        has = compiled.has_value();
      }
      if (!has) out.emplace(info.factor, level);
    }
  }
  return out;
}

bool goes_together(std::span<const uint8_t> row) {
  using enum ShapeFactor;
  const auto groups = level_in(row, Groups), workgroup = level_in(row, Workgroup);
  if (groups && workgroup &&
      product(extent_of(Groups, *groups)) * product(extent_of(Workgroup, *workgroup)) > kMostInvocations)
    return false;
  const auto shared = level_in(row, Shared);
  if (groups && shared && product(extent_of(Groups, *groups)) * (kSharedBytes[*shared] / 4) > kMostShared)
    return false;
  if (!both_or_none(row, Shared, SharedType) || !both_or_none(row, Atomic, Word) ||
      !both_or_none(row, Atomic, Additions) || !both_or_none(row, Rank, Dimensions))
    return false;
  const auto atomic = level_in(row, Atomic), additions = level_in(row, Additions);
  if (atomic && additions && *additions == kManyAdditions && *atomic != kAdd) return false;
  // Large transfers take time: once a case, and of grids they would show no more.
  const auto interface = level_in(row, Interface), again = level_in(row, Again);
  const bool grid = row[0] == uint8_t(ShapeKind::Grid) || groups || workgroup;
  if (interface && *interface == kLargeTransfers && (grid || (again && *again != 0))) return false;
  const auto access = level_in(row, Access), element = level_in(row, Element), place = level_in(row, Place);
  const bool wide = element && spec::info(kElements[*element]).bytes > 4;
  if (wide && place && *place == kAround2To20) return false;
  if (element && access && *access == kAtomicAccess && kElements[*element] != DataType::U32) return false;
  // A uniform buffer has at most 64 KiB.
  if (access && place && *access == kLoadUniform && *place >= kAround2To16 && *place <= kAround2To20)
    return false;
  return true;
}

uint64_t number_of(const Row& row) {
  uint64_t out = 0;
  uint32_t shift = 0;
  for (size_t f = 0; f < kFactors; ++f) {
    if ((kEntries[f].kinds >> row[0] & 1) == 0) continue;
    out |= uint64_t(row[f]) << shift;
    shift += 4;
  }
  return out;
}

std::optional<Row> row_of(uint64_t number) {
  Row out(kFactors, kAbsent);
  const uint32_t kind = number & 15;
  if (kind >= kShapeKinds) return std::nullopt;
  for (size_t f = 0; f < kFactors; ++f) {
    if ((kEntries[f].kinds >> kind & 1) == 0) continue;
    out[f] = number & 15;
    if (out[f] >= level_count(kEntries[f])) return std::nullopt;
    number >>= 4;
  }
  return number == 0 && goes_together(out) ? std::optional(out) : std::nullopt;
}

uint32_t shape_strength(Strength strength) {
  switch (strength) {
    case Strength::Quick: return 2;
    case Strength::Standard: return 3;
    case Strength::Full: return 4;
  }
  return 0;
}

std::shared_ptr<const ShapePlan> shape_plan(uint32_t strength, uint64_t seed, const AbsentLevels& absent) {
  using Arguments = std::tuple<uint32_t, uint64_t, AbsentLevels>;
  static std::mutex mutex;
  static std::map<Arguments, std::shared_ptr<const ShapePlan>> known;
  const std::lock_guard lock(mutex);  // whose holder may take seconds, and others want the same plan
  auto& plan = known[{strength, seed, absent}];
  if (!plan) {
    generate::Covering covering = generate::cover(model(absent), strength, seed);
    plan =
        std::make_shared<const ShapePlan>(ShapePlan{std::move(covering.rows), covering.infeasible, absent});
  }
  return plan;
}

bool has_any(const Row& row, const AbsentLevels& absent) {
  return std::ranges::any_of(absent,
                             [&](const auto& level) { return row[size_t(level.first)] == level.second; });
}

std::optional<Row> changed(const Row& row, ShapeFactor factor, uint8_t level) {
  using enum ShapeFactor;
  Row out = row;
  out[size_t(factor)] = level;
  constexpr std::pair<ShapeFactor, ShapeFactor> kTogether[] = {
      {Shared, SharedType}, {Atomic, Word}, {Atomic, Additions}, {Rank, Dimensions}};
  for (const auto& [first, second] : kTogether) {
    uint8_t &a = out[size_t(first)], &b = out[size_t(second)];
    if (a >= kAbsent || (a == 0) == (b == 0)) continue;
    // Of two that come together the one that was changed takes the other along.
    (factor == second ? a : b) = (factor == second ? b : a) == 0 ? 0 : 1;
  }
  if (out[size_t(Atomic)] == 0) out[size_t(Word)] = out[size_t(Additions)] = 0;
  return goes_together(out) ? std::optional(out) : std::nullopt;
}

bool is_repeated(const Row& row) {
  constexpr uint64_t kMost = 1 << 16;
  return kind_of(row) != ShapeKind::Grid || product(groups_of(row)) * product(workgroup_of(row)) <= kMost;
}

// --- Coverage

std::vector<Coverage::Factor> levels_of(std::span<const Row> rows) {
  std::vector<Coverage::Factor> out;
  for (size_t f = 0; f < kFactors; ++f) {
    Coverage::Factor& factor = out.emplace_back();
    factor.factor = kEntries[f].text;
    for (size_t level = 0; level < level_count(kEntries[f]); ++level) {
      const auto cases = std::ranges::count_if(rows, [&](const Row& row) { return row[f] == level; });
      factor.levels.push_back({std::string(kEntries[f].levels[level]), uint64_t(cases)});
    }
  }
  return out;
}

Coverage coverage_of(const ShapePlan& plan, uint32_t strength) {
  Coverage out{levels_of(plan.rows), {}, plan.infeasible};
  for (uint32_t t = 1; t <= strength; ++t) {
    const uint64_t tuples = generate::count_tuples(plan.rows, t);
    out.tuples.push_back({t, tuples, tuples});
  }
  return out;
}

AbsentLevels levels_without_cases(const Coverage& coverage) {
  AbsentLevels out;
  for (size_t f = 0; f < std::min(coverage.factors.size(), kFactors); ++f) {
    const auto& levels = coverage.factors[f].levels;
    for (size_t level = 0; level < std::min(levels.size(), level_count(kEntries[f])); ++level) {
      if (levels[level].cases == 0) out.emplace(ShapeFactor(f), uint8_t(level));
    }
  }
  return out;
}

std::string wrong_coverage(const Verdict& verdict, uint32_t strength, uint64_t seed) {
  const AbsentLevels absent = levels_without_cases(verdict.coverage);
  for (const auto& [factor, level] : absent) {
    if (!may_be_absent(factor, level))
      return fmt::format("no case has {} = {}", kEntries[size_t(factor)].text, level_text(factor, level));
  }
  const auto plan = shape_plan(strength, seed, absent);
  uint64_t planned = 0;
  for (const OracleCases& cases : verdict.parity) planned += cases.tally.planned;
  if (planned != plan->rows.size()) {
    return fmt::format("{} cases were planned, and tuples of {} levels take {}", planned, strength,
                       plan->rows.size());
  }
  if (verdict.coverage != coverage_of(*plan, strength))
    return fmt::format("the coverage is not that of the {} cases", plan->rows.size());
  return {};
}

}  // namespace vyre::verify
