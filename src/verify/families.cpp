#include "verify/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "generate/values.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "text/text.h"
#include "verify/shape_factors.h"
#include "verify/shapes.h"
#include "verify/sums.h"

namespace vyre::verify {

namespace {

struct SizedShape {
  const Shape* shape;
  std::array<uint32_t, 3> size;
};

/// Shapes that say no sizes of workgroups have those of whole subgroups.
size_t sizes_of(const Shape& shape) { return shape.sizes.empty() ? kSubgroupSizes : shape.sizes.size(); }

SizedShape sized_shape(Family family, size_t number, const backend::Limits& limits) {
  for (const Shape& shape : shapes_of(family)) {
    if (number >= sizes_of(shape)) {
      number -= sizes_of(shape);
      continue;
    }
    if (!shape.sizes.empty()) return {&shape, shape.sizes[number]};
    const uint32_t lanes = is_subgroup_size(limits.subgroup_size) ? limits.subgroup_size : 1;
    return {&shape, subgroup_sizes(lanes, limits.max_invocations_per_group)[number]};
  }
  return {};
}

std::string with_size(std::string_view text, const std::array<uint32_t, 3>& size) {
  const std::string local =
      fmt::format("(local_id.x + {} * (local_id.y + {} * local_id.z))", size[0], size[1]);
  const std::string all = fmt::format("{}", size[0] * size[1] * size[2]);
  return filled(text, {{"$W", fmt::format("{}, {}, {}", size[0], size[1], size[2])},
                       {"$I", fmt::format("(workgroup_id.x * {} + {})", all, local)},
                       {"$L", local},
                       {"$N", all}});
}

/// How many elements a buffer of floats to reduce has: none, few, and around powers of two, where trees turn.
uint32_t elements(RandomStream& random) {
  const uint32_t power = 1u << random.below(10);
  return random.below(2) == 0 ? random.below(9) : power - 1 + random.below(3);
}

/// A value of a float type, close enough to one that sums are rounded and not swallowed; seldom anything.
uint32_t float_word(spec::DataType type, RandomStream& random) {
  const spec::FloatFormat f = spec::float_format(type);
  if (random.below(16) == 0) return generate::mixed_value(type, random.next(), {random.next(), 0, 0, 0})[0];
  const uint32_t exponent = f.one() + random.below(9) * f.least_normal() - 4 * f.least_normal();
  return exponent | (random.next() & (f.sign_bit() | f.fraction_mask()));
}

/// How many of those of an approximate sum.
uint32_t many_elements(RandomStream& random) {
  const uint32_t power = 1u << random.below(13);
  switch (random.below(4)) {
    case 0: return random.below(5);
    case 1: return power - 1 + random.below(3);
    case 2: return 2 * random.below(100) + 1;
    case 3: return 2 * random.below(2000) + 1;
  }
  std::unreachable();  // below(4)
}

Bytes bytes_of(spec::DataType type, std::span<const uint32_t> patterns) {
  const uint32_t bytes = spec::info(type).bytes;
  Bytes out(patterns.size() * bytes);
  for (size_t k = 0; k < out.size(); ++k) out[k] = std::byte(patterns[k / bytes] >> 8 * (k % bytes));
  return out;
}

/// The contents of a buffer of floats. kind: of the elements of a sum or a product.
Bytes floats(const ShapeBuffer& plan, uint32_t count, uint32_t kind, RandomStream& random) {
  if (plan.fill == Fill::Sums) return bytes_of(plan.type, sum_elements(plan.type, count, kind, random));
  if (plan.fill == Fill::Factors) return bytes_of(plan.type, factors(plan.type, count, kind, random));
  std::vector<uint32_t> patterns(count, unwritten_of(plan.type));
  if (plan.fill == Fill::Floats) {
    for (uint32_t& pattern : patterns) pattern = float_word(plan.type, random);
  }
  return bytes_of(plan.type, patterns);
}

uint32_t count_of(const ShapeBuffer& plan, uint64_t total, uint64_t groups, RandomStream& random) {
  switch (plan.count) {
    case Count::Total: return uint32_t(total);
    case Count::Vectors: return uint32_t(4 * total);
    case Count::Eight: return uint32_t(8 * total);
    case Count::Near: {
      const int64_t near = int64_t(total) + int64_t(random.below(131)) - 65;
      return uint32_t(std::max<int64_t>(near, 0));
    }
    case Count::Groups: return uint32_t(groups);
    case Count::Fixed: return plan.number;
    case Count::Elements: return elements(random);
    case Count::Many: return many_elements(random);
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

std::vector<Part> all_parts() {
  std::vector<Part> out;
  for (const FamilyInfo& family : kFamilies) {
    for (const Track track : {Track::Integer, Track::Float, Track::Approximate}) {
      if (is_of(family.family, track)) out.push_back({family.family, track});
    }
  }
  return out;
}

uint32_t parts_of(Track track) {
  return uint32_t(std::ranges::count_if(all_parts(), [&](const Part& part) { return part.track == track; }));
}

namespace {
bool is_float(spec::DataType type) { return spec::kFloats.contains(type); }
}  // namespace

Track track_of(const Application& what) {
  const bool any = is_float(what.output) || std::ranges::any_of(what.inputs, is_float);
  return any ? Track::Float : Track::Integer;
}

Track track_of(const ops::Operation& operation) {
  return operation.bound != 0 ? Track::Approximate : track_of(application_of(operation));
}

Track track_of(const ir::Program& program) {
  // A float comes out of a buffer, a literal, a cast or a call.
  const auto is_called = [&](const ir::Expr& e) {
    if (e.kind != ir::ExprKind::Apply || e.op != spec::Op::Call) return false;
    const spec::OpDef* def = ops::op_table().find(program.code.name(e.symbol), e.immediate);
    return def != nullptr &&
           (is_float(def->signature.output) || std::ranges::any_of(def->signature.inputs, is_float));
  };
  const bool any =
      std::ranges::any_of(program.buffers,
                          [&](const ir::BufferDecl& b) { return is_float(program.element(b)); }) ||
      std::ranges::any_of(program.code.exprs, [&](const ir::Expr& e) {
        const bool typed =
            e.kind == ir::ExprKind::Literal ||
            (e.kind == ir::ExprKind::Apply && (e.op == spec::Op::Cast || e.op == spec::Op::Bitcast));
        return (typed && is_float(e.type)) || is_called(e);
      });
  return any ? Track::Float : Track::Integer;
}

std::vector<Subject> elementwise_subjects(Family family, Track track) {
  std::vector<Subject> out = elementwise_subjects(family);
  std::erase_if(out, [&](const Subject& s) { return track_of(s.application) != track; });
  return out;
}

FamilyPlan family_plan(Strength strength) {
  switch (strength) {
    case Strength::Quick: return {4'096, 4, 120, false, 10'000, shape_strength(strength)};
    case Strength::Standard: return {200'000, 24, 800, false, 1'000'000, shape_strength(strength)};
    case Strength::Full: return {2'000'000, 200, 20'000, true, 4'000'000, shape_strength(strength)};
  }
  return {};
}

uint64_t inputs_a_shape(Family family, const FamilyPlan& plan) {
  return info(family).tracks == Tracks::Approximate ? 2 * plan.inputs_a_shape : plan.inputs_a_shape;
}

size_t shapes(Family family) {
  size_t n = 0;
  for (const Shape& shape : shapes_of(family)) n += sizes_of(shape);
  return n;
}

std::string shape_name(Family family, size_t number, const backend::Limits& limits) {
  const SizedShape s = sized_shape(family, number, limits);
  return fmt::format("{}, workgroup {},{},{}", s.shape->name, s.size[0], s.size[1], s.size[2]);
}

bool uses_only(Family family, size_t number, const IntrinsicSet& usable) {
  const std::string_view text = sized_shape(family, number, {}).shape->text;
  return std::ranges::all_of(spec::kIntrinsics, [&](const spec::IntrinsicInfo& info) {
    return usable.test(size_t(info.intrinsic)) ||
           text.find(std::string(info.id) + "(") == std::string_view::npos;
  });
}

generate::ProgramCase text_case(Family family, uint64_t seed, uint64_t index, const backend::Limits& limits) {
  const SizedShape s = sized_shape(family, size_t(index % shapes(family)), limits);
  const Shape& shape = *s.shape;
  RandomStream random(seed, (uint64_t(family) + 1) << 56 | index);

  generate::ProgramCase out;
  auto parsed = text::parse(with_size(shape.text, s.size));
  out.program = std::move(*parsed);  // the texts are part of this library; a test parses them all
  out.outcome = shape.outcome;
  out.approximate = shape.approximate;
  const bool solid = std::any_of(shape.buffers.begin(), shape.buffers.end(),
                                 [](const ShapeBuffer& b) { return b.fill == Fill::Extents; });
  out.groups.x = 1 + random.below(shape.max_groups);
  if (solid) {
    out.groups.y = 1 + random.below(shape.max_groups);
    out.groups.z = 1 + random.below(shape.max_groups);
  }
  const uint32_t extents[] = {out.groups.x * s.size[0], out.groups.y * s.size[1], out.groups.z * s.size[2]};
  const uint64_t total = uint64_t(extents[0]) * extents[1] * extents[2];
  uint32_t first_count = 0;
  for (const ShapeBuffer& plan : shape.buffers) {
    const uint32_t count = count_of(plan, total, out.groups.total(), random);
    if (out.buffers.empty()) first_count = count;
    if (plan.fill == Fill::Floats || plan.fill == Fill::Sums || plan.fill == Fill::Factors ||
        plan.fill == Fill::Unwritten) {
      // Kinds of elements in turn, so that few inputs of a shape have them all.
      const auto kind = uint32_t(index / shapes(family) % kElementKinds);
      out.buffers.push_back(floats(plan, count, kind, random));
      continue;
    }
    std::vector<uint32_t> words(count);
    for (uint32_t k = 0; k < count; ++k) {
      switch (plan.fill) {
        case Fill::Any: words[k] = generate::mixed_word(random.next(), random.next()); break;
        case Fill::Index: words[k] = index_near(first_count, random); break;
        case Fill::Small: words[k] = random.below(16); break;
        case Fill::Zero: words[k] = 0; break;
        case Fill::Ones: words[k] = UINT32_MAX; break;
        case Fill::Extents: words[k] = extents[k % 3]; break;
        case Fill::Floats:
        case Fill::Sums:
        case Fill::Factors:
        case Fill::Unwritten: break;
      }
    }
    out.buffers.push_back(to_bytes(words));
  }
  return out;
}

}  // namespace vyre::verify
