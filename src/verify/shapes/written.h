// Shapes that are written from templates: one text for many types and operators, $T and the like replaced.
//
// A Shape points to its texts and plans, so their maker keeps them: here, for as long as the table
// lives.
#pragma once

#include <array>
#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/shapes.h"

namespace vyre::verify {

class WrittenShapes {
 public:
  struct Replacement {
    std::string_view place;  // "$T"
    std::string_view by;
  };
  /// A shape of at most two workgroups along x. Return  the shape, valid until the next.
  Shape& add(std::string title, std::string_view text, std::initializer_list<Replacement> replacements,
             std::span<const std::array<uint32_t, 3>> sizes, std::vector<BufferPlan> plan) {
    std::string& written = texts_.emplace_back(text);
    for (const auto& [place, by] : replacements) {
      for (size_t at = written.find(place); at != std::string::npos; at = written.find(place, at + by.size()))
        written.replace(at, place.size(), by);
    }
    const std::string& kept = texts_.emplace_back(std::move(title));
    shapes_.push_back({kept, written, sizes, 2, plans_.emplace_back(std::move(plan))});
    return shapes_.back();
  }
  std::span<const Shape> shapes() const { return shapes_; }

 private:
  std::deque<std::string> texts_;
  std::deque<std::vector<BufferPlan>> plans_;
  std::vector<Shape> shapes_;
};

/// Sizes of workgroups for ranges and workgroup memory of 7 elements.
inline constexpr std::array<uint32_t, 3> kOfRanges[] = {{64, 1, 1}};
inline constexpr std::array<uint32_t, 3> kOfShared[] = {{32, 1, 1}};

}  // namespace vyre::verify
