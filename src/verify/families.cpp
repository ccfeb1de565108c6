#include "verify/families.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "generate/values.h"
#include "text/text.h"
#include "verify/shapes.h"

namespace vyre::verify {
namespace {

std::span<const Shape> shapes_of(Family family) {
  switch (family) {
    case Family::Memory: return memory_shapes();
    case Family::Control: return control_shapes();
    case Family::Loops: return loop_shapes();
    case Family::Barriers: return barrier_shapes();
    case Family::Atomics: return atomic_shapes();
    case Family::Subgroups: return subgroup_shapes();
    case Family::Operators:
    case Family::Select:
    case Family::Casts:
    case Family::Programs:
    case Family::Twins: return {};
  }
  return {};
}

struct SizedShape {
  const Shape* shape;
  std::array<uint32_t, 3> size;
};

SizedShape sized_shape(Family family, size_t number, const backend::Limits& limits) {
  if (family == Family::Subgroups) {
    const uint32_t lanes = is_subgroup_size(limits.subgroup_size) ? limits.subgroup_size : 1;
    const auto sizes = subgroup_sizes(lanes, limits.max_invocations_per_group);
    return {&subgroup_shapes()[number / kSubgroupSizes], sizes[number % kSubgroupSizes]};
  }
  for (const Shape& shape : shapes_of(family)) {
    if (number < shape.sizes.size()) return {&shape, shape.sizes[number]};
    number -= shape.sizes.size();
  }
  return {};
}

void replace(std::string& text, std::string_view place, std::string_view by) {
  for (size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + by.size()))
    text.replace(at, place.size(), by);
}

std::string with_size(std::string_view text, const std::array<uint32_t, 3>& size) {
  std::string out(text);
  const std::string local =
      fmt::format("(local_id.x + {} * (local_id.y + {} * local_id.z))", size[0], size[1]);
  const std::string all = fmt::format("{}", size[0] * size[1] * size[2]);
  replace(out, "$W", fmt::format("{}, {}, {}", size[0], size[1], size[2]));
  replace(out, "$I", fmt::format("(workgroup_id.x * {} + {})", all, local));
  replace(out, "$L", local);
  replace(out, "$N", all);
  return out;
}

uint32_t count_of(const BufferPlan& plan, uint64_t total, uint64_t groups, RandomStream& random) {
  switch (plan.count) {
    case Count::Total: return uint32_t(total);
    case Count::Vectors: return uint32_t(4 * total);
    case Count::Near: {
      const int64_t near = int64_t(total) + int64_t(random.below(131)) - 65;
      return uint32_t(std::max<int64_t>(near, 0));
    }
    case Count::Groups: return uint32_t(groups);
    case Count::Fixed: return plan.number;
  }
  return 0;
}

uint32_t index_near(uint32_t count, RandomStream& random) {
  switch (random.below(8)) {
    case 0: return count;
    case 1: return count - 1;
    case 2: return count + random.below(40);
    case 3: return 1u << (30 + random.below(2));
    case 4: return 0u - random.below(4);
    default: return random.below(std::max(count, 1u));
  }
}

}  // namespace

FamilyPlan family_plan(Strength strength) {
  switch (strength) {
    case Strength::Quick: return {4'096, 4, 120};
    case Strength::Standard: return {200'000, 24, 800};
    case Strength::Full: return {2'000'000, 200, 20'000};
  }
  return {};
}

size_t shapes(Family family) {
  if (family == Family::Subgroups) return subgroup_shapes().size() * kSubgroupSizes;
  size_t n = 0;
  for (const Shape& shape : shapes_of(family)) n += shape.sizes.size();
  return n;
}

std::string shape_name(Family family, size_t number, const backend::Limits& limits) {
  const SizedShape s = sized_shape(family, number, limits);
  return fmt::format("{}, workgroup {},{},{}", s.shape->name, s.size[0], s.size[1], s.size[2]);
}

bool uses_only(Family family, size_t number, const IntrinsicSet& usable) {
  if (family != Family::Subgroups) return true;
  const std::string_view text = subgroup_shapes()[number / kSubgroupSizes].text;
  return std::ranges::all_of(spec::kIntrinsics, [&](const spec::IntrinsicInfo& info) {
    return usable.test(size_t(info.intrinsic)) ||
           text.find(std::string(info.id) + "(") == std::string_view::npos;
  });
}

generate::ProgramCase family_case(Family family, uint64_t seed, uint64_t index,
                                  const backend::Limits& limits) {
  if (family == Family::Programs) {
    // A fault is found soonest by many small programs; a large one in four has what they cannot: depth.
    constexpr uint64_t kLargeOneIn = 4;
    generate::ProgramOptions options = generate::ProgramOptions::small(&ops::op_table());
    if (index % kLargeOneIn == 0) options = {.ops = &ops::op_table(), .max_steps = 40'000};
    return generate::random_program(seed, index, options);
  }
  const SizedShape s = sized_shape(family, size_t(index % shapes(family)), limits);
  const Shape& shape = *s.shape;
  RandomStream random(seed, (uint64_t(family) + 1) << 56 | index);

  generate::ProgramCase out;
  auto parsed = text::parse(with_size(shape.text, s.size));
  out.program = std::move(*parsed);  // the texts are part of this library; a test parses them all
  const bool solid = std::any_of(shape.buffers.begin(), shape.buffers.end(),
                                 [](const BufferPlan& b) { return b.fill == Fill::Extents; });
  out.groups.x = 1 + random.below(shape.max_groups);
  if (solid) {
    out.groups.y = 1 + random.below(shape.max_groups);
    out.groups.z = 1 + random.below(shape.max_groups);
  }
  const uint32_t extents[] = {out.groups.x * s.size[0], out.groups.y * s.size[1], out.groups.z * s.size[2]};
  const uint64_t total = uint64_t(extents[0]) * extents[1] * extents[2];
  uint32_t first_count = 0;
  for (const BufferPlan& plan : shape.buffers) {
    const uint32_t count = count_of(plan, total, out.groups.total(), random);
    if (out.buffers.empty()) first_count = count;
    std::vector<uint32_t> words(count);
    for (uint32_t k = 0; k < count; ++k) {
      switch (plan.fill) {
        case Fill::Any: words[k] = generate::mixed_word(random.next(), random.next()); break;
        case Fill::Index: words[k] = index_near(first_count, random); break;
        case Fill::Small: words[k] = random.below(16); break;
        case Fill::Zero: words[k] = 0; break;
        case Fill::Ones: words[k] = UINT32_MAX; break;
        case Fill::Extents: words[k] = extents[k % 3]; break;
      }
    }
    out.buffers.push_back(to_bytes(words));
  }
  return out;
}

}  // namespace vyre::verify
