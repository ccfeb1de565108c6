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

SizedShape sized_shape(Family family, size_t number) {
  for (const Shape& shape : shapes_of(family)) {
    if (number < shape.sizes.size()) return {&shape, shape.sizes[number]};
    number -= shape.sizes.size();
  }
  return {};
}

std::string with_size(std::string_view text, const std::array<uint32_t, 3>& size) {
  std::string out(text);
  const std::string place = "$W";
  for (size_t at = out.find(place); at != std::string::npos; at = out.find(place, at)) {
    out.replace(at, place.size(), fmt::format("{}, {}, {}", size[0], size[1], size[2]));
  }
  return out;
}

uint32_t count_of(const BufferPlan& plan, uint64_t total, uint64_t groups, RandomStream& random) {
  switch (plan.count) {
    case Count::Total: return uint32_t(total);
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
    case Strength::Quick: return {4'096, 4, 60};
    case Strength::Standard: return {200'000, 24, 400};
    case Strength::Full: return {2'000'000, 200, 10'000};
  }
  return {};
}

size_t shapes(Family family) {
  size_t n = 0;
  for (const Shape& shape : shapes_of(family)) n += shape.sizes.size();
  return n;
}

std::string shape_name(Family family, size_t number) {
  const SizedShape s = sized_shape(family, number);
  return fmt::format("{}, workgroup {},{},{}", s.shape->name, s.size[0], s.size[1], s.size[2]);
}

generate::ProgramCase family_case(Family family, uint64_t seed, uint64_t index) {
  if (family == Family::Programs) {
    generate::ProgramOptions options;
    options.ops = &ops::op_table();
    options.max_steps = 40'000;
    return generate::random_program(seed, index, options);
  }
  const SizedShape s = sized_shape(family, size_t(index % shapes(family)));
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
