#include "verify/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "spec/intrinsics.h"
#include "spec/ops.h"
#include "verify/litmus.h"
#include "verify/sums.h"

namespace vyre::verify {
namespace {

using spec::DataType;
using spec::Op;

/// In the order of Count and Fill. A number stands for Fixed.
constexpr auto kCounts =
    std::to_array<std::string_view>({"total", "vectors", "eight", "near", "groups", "", "elements", "many"});
static_assert(kCounts.size() == size_t(Count::Many) + 1 && kCounts[size_t(Count::Fixed)].empty());
constexpr auto kFills = std::to_array<std::string_view>(
    {"any", "index", "small", "zero", "ones", "extents", "floats", "sums", "factors", "unwritten"});
static_assert(kFills.size() == size_t(Fill::Unwritten) + 1);

/// The texts are part of this library, and a test reads them all.
[[noreturn]] void refuse(std::string_view what) {
  fmt::print(stderr, "a shape has \"{}\"\n", what);
  std::abort();
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  for (size_t end = text.find(at); end != std::string_view::npos; end = text.find(at)) {
    out.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  out.push_back(text);
  return out;
}

uint32_t number(std::string_view word) {
  uint32_t out = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  if (error != std::errc{} || end != word.data() + word.size()) refuse(word);
  return out;
}

std::array<uint32_t, 3> size(std::string_view word) {
  std::array<uint32_t, 3> out = {1, 1, 1};
  const auto along = split(word, 'x');
  for (size_t axis = 0; axis < along.size(); ++axis) out.at(axis) = number(along[axis]);
  return out;
}

ShapeBuffer buffer(std::string_view plan) {
  const auto words = split(plan, ' ');
  if (words.size() < 2 || words.size() > 3) refuse(plan);
  ShapeBuffer out{Count::Fixed, Fill::Any};
  const auto count = std::ranges::find(kCounts, words[0]);
  if (count != kCounts.end())
    out.count = Count(count - kCounts.begin());
  else
    out.number = number(words[0]);
  const auto fill = std::ranges::find(kFills, words[1]);
  if (fill == kFills.end()) refuse(plan);
  out.fill = Fill(fill - kFills.begin());
  if (words.size() == 3) {
    const auto type = spec::find_type(words[2]);
    if (!type) refuse(plan);
    out.type = *type;
  }
  return out;
}

/// The shapes of a file, but for those that are not written for the fold.
std::vector<Shape> read_shapes(std::string_view text, std::string_view fold = {}) {
  std::vector<Shape> out;
  Shape shape;
  bool wanted = true;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    const auto says = [&](std::string_view key) {
      if (!line.starts_with(key)) return false;
      line.remove_prefix(key.size());
      return true;
    };
    size_t taken = line.size();
    if (line.starts_with("program ")) {
      taken = text.find("\n}\n");
      if (taken == std::string_view::npos || shape.name.empty() || shape.max_groups == 0) refuse(line);
      shape.text = text.substr(0, taken += 2);
      if (wanted) out.push_back(std::move(shape));
      shape = {};
      wanted = true;
    } else if (says("// shape: ")) {
      shape.name = line;
    } else if (says("// workgroups: ")) {
      for (const std::string_view word : split(line, ' ')) shape.sizes.push_back(size(word));
    } else if (says("// groups: ")) {
      shape.max_groups = number(line);
    } else if (says("// buffers: ")) {
      for (std::string_view plan : split(line, ','))
        shape.buffers.push_back(buffer(plan.substr(plan[0] == ' ')));
    } else if (says("// folds: ")) {
      const auto folds = split(line, ' ');
      wanted = std::ranges::find(folds, fold) != folds.end();
    } else if (!line.empty() && !line.starts_with("//")) {
      refuse(line);
    }
    text.remove_prefix(std::min(taken + 1, text.size()));
  }
  return out;
}

void append(std::vector<Shape>& to, std::vector<Shape> more) {
  std::ranges::move(more, std::back_inserter(to));
}

std::vector<Shape> reduction_shapes(std::string_view text) {
  std::vector<Shape> out;
  for (const spec::OpInfo& reduction : spec::kOps) {
    if (!spec::is_reduction(reduction.op) || spec::is_approximate(reduction.op)) continue;
    for (const spec::TypeInfo& type : spec::kTypes) {
      if (!reduction.types.contains(type.type)) continue;
      for (const spec::OpInfo& fold : spec::kOps) {
        if (!spec::is_fold(fold.op)) continue;
        const std::string written =
            filled(text, {{"$R", reduction.mnemonic}, {"$F", fold.mnemonic}, {"$T", type.text}});
        append(out, read_shapes(written, fold.mnemonic));
      }
    }
  }
  return out;
}

std::vector<Shape> sum_shapes(std::string_view text) {
  std::vector<Shape> out;
  const auto add = [&](Op fold, const spec::TypeInfo& type, std::initializer_list<uint32_t> tolerances) {
    const std::string_view name = spec::info(fold).mnemonic, elements = fold == Op::FMul ? "factors" : "sums";
    for (const uint32_t tolerance : tolerances) {
      const std::string written = filled(
          text, {{"$F", name}, {"$T", type.text}, {"$E", std::to_string(tolerance)}, {"$K", elements}});
      append(out, read_shapes(written, name));
    }
  };
  const auto each_type = [](const auto& visit) {
    for (const spec::TypeInfo& type : spec::kTypes) {
      if (spec::info(Op::FReduceApprox).types.contains(type.type)) visit(type);
    }
  };
  each_type([&](const spec::TypeInfo& type) {
    for (const spec::OpInfo& fold : spec::kOps) {
      if (!spec::is_fold(fold.op) || fold.op == Op::FMul) continue;
      // The least and the greatest are exact whatever the tolerance, so theirs may be any.
      add(fold.op, type, {40, fold.op == Op::FAdd ? kSumTolerance : spec::kGreatestTolerance});
    }
  });
  // Products and the least tolerances came later; what is above keeps its places.
  each_type([&](const spec::TypeInfo& type) {
    add(Op::FAdd, type, {1, 2});
    add(Op::FMul, type, {1, 2, kSumTolerance});
    for (const Op fold : {Op::FMin, Op::FMax}) add(fold, type, {1});
  });
  for (Shape& shape : out) shape.approximate = true;
  return out;
}

/// One shape an operation, in the order of the ledger, and the composed ones.
std::vector<Shape> subgroup_shapes(std::string_view text) {
  std::vector<Shape> out;
  for (const spec::IntrinsicInfo& info : spec::kIntrinsics) {
    const bool vector = info.output == DataType::Vec4U32;
    const bool binary = info.input_count == 2;
    const std::string_view arguments = info.input_count == 0 ? "" : binary ? "a[$I], b[$I]" : "a[$I]";
    Shape& shape = out.emplace_back();
    shape.name = info.id;
    shape.text = fmt::format(
        "program one(read a: u32 @0, {}read_write out: {} @2) workgroup($W) {{\n  out[$I] = {}({});\n}}",
        binary ? "read b: u32 @1, " : "", vector ? "vec4u32" : "u32", info.id, arguments);
    shape.max_groups = 3;
    shape.buffers.push_back({Count::Total, Fill::Any});
    if (binary) shape.buffers.push_back({Count::Total, Fill::Index});
    shape.buffers.push_back({vector ? Count::Vectors : Count::Total, Fill::Any});
  }
  append(out, read_shapes(text));
  return out;
}

/// Each litmus test with its roles side by side and apart, and the histories.
std::vector<Shape> litmus_shapes(std::string_view text) {
  std::vector<Shape> out;
  for (const LitmusTest& test : litmus_tests()) {
    for (const bool apart : {false, true}) {
      const ShapeBuffer words{Count::Vectors, Fill::Zero};
      out.push_back({std::string(test.what) + (apart ? ", apart" : ", side by side"),
                     litmus_program(test, apart),
                     {{apart ? 7u : 64u, 1, 1}},
                     8,
                     {words, words},
                     litmus_outcome});
    }
  }
  std::vector<Shape> histories = read_shapes(text);
  const generate::Outcome outcomes[] = {histories_outcome, mixed_outcome, sequence_outcome};
  for (size_t k = 0; k < std::size(outcomes); ++k) histories.at(k).outcome = outcomes[k];
  append(out, std::move(histories));
  return out;
}

std::vector<Shape> make_shapes(Family family) {
  const std::string_view name = info(family).text, text = shape_text(name.substr(name.find('.') + 1));
  if (text.empty()) return {};
  if (family == Family::Reductions) return reduction_shapes(text);
  if (family == Family::Sums) return sum_shapes(text);
  if (family == Family::Subgroups) return subgroup_shapes(text);
  if (family == Family::Litmus) return litmus_shapes(text);
  return read_shapes(text);
}

}  // namespace

std::string filled(std::string_view text, std::initializer_list<Replacement> replacements) {
  std::string out(text);
  for (const auto& [place, by] : replacements) {
    for (size_t at = out.find(place); at != std::string::npos; at = out.find(place, at + by.size()))
      out.replace(at, place.size(), by);
  }
  return out;
}

std::span<const Shape> shapes_of(Family family) {
  static const auto all = [] {
    std::array<std::vector<Shape>, kFamilies.size()> out;
    std::ranges::transform(kFamilies, out.begin(), [](const FamilyInfo& f) { return make_shapes(f.family); });
    return out;
  }();
  return all[size_t(family)];
}

std::array<std::array<uint32_t, 3>, kSubgroupSizes> subgroup_sizes(uint32_t lanes, uint32_t most) {
  std::array<std::array<uint32_t, 3>, kSubgroupSizes> sizes = {{
      {lanes, 1, 1},
      {3 * lanes, 1, 1},
      {lanes * std::max(1u, std::min(8u, most / lanes)), 1, 1},
      {3, lanes, 2},  // rows that are no whole subgroups
      {lanes, 2, 3},
  }};
  for (auto& size : sizes) {
    if (size[0] * size[1] * size[2] > most) size = {lanes, 1, 1};
  }
  return sizes;
}

}  // namespace vyre::verify
