// Tuples of values of any types, for what is tried on values wider than a word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "algebra/file_laws.h"
#include "base/random.h"
#include "spec/float_format.h"

namespace vyre::algebra {

/// Edge values with each other, in all combinations where these are few, then values at random. Tuple k is a
/// function of (types, seed, k).
class Tuples {
 public:
  static constexpr uint64_t kMostGrid = 1 << 14;

  Tuples(std::span<const spec::DataType> types, uint64_t seed)
      : types_(types.begin(), types.end()), seed_(seed) {
    uint64_t all = 1;
    for (const spec::DataType type : types_) {
      edges_.push_back(edges(type));
      all = std::min<uint64_t>(uint64_t{1} << 40, all * edges_.back().size());
    }
    grid_ = std::min(kMostGrid, all);
    // An odd step takes every operand everywhere, where not all are walked.
    step_ = all <= kMostGrid ? 1 : all / kMostGrid | 1;
  }
  /// How many begin with edge values.
  uint64_t grid() const { return grid_; }

  /// Shape  out: one a type.
  void at(uint64_t k, std::span<ref::Bits> out) const {
    if (k >= grid_) return at_random(k - grid_, out);
    k *= step_;
    for (size_t i = types_.size(); i-- > 0;) {
      out[i] = edges_[i][k % edges_[i].size()];
      k /= edges_[i].size();
    }
  }

 private:
  static constexpr uint64_t kStream = 0x66696c65;  // "file": a stream of its own

  static ref::Bits ones(spec::DataType type) {
    const uint32_t width = type == spec::DataType::Bool ? 1 : spec::value_bits(type);
    return ~ref::Bits{0} >> (128 - width);
  }
  static std::vector<ref::Bits> edges(spec::DataType type) {
    if (type == spec::DataType::Bool) return {0, 1};
    const ref::Bits all = ones(type), top = (all >> 1) + 1;
    std::vector<ref::Bits> out = {0,       1,   2,       3,       all,         all - 1,
                                  top - 1, top, top + 1, all / 3, all / 3 * 2, spec::value_bits(type)};
    if (!spec::kFloats.contains(type)) return out;
    const spec::FloatFormat f = spec::float_format(type);
    for (const uint32_t bits : {f.one(), f.infinity(), f.nan(), f.greatest(), f.least_normal()}) {
      out.push_back(bits);
      out.push_back(bits | f.sign_bit());
    }
    return out;
  }
  void at_random(uint64_t k, std::span<ref::Bits> out) const {
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = bits_of(philox(seed_, k * out.size() + i, kStream)) & ones(types_[i]);
  }

  std::vector<spec::DataType> types_;
  uint64_t seed_;
  std::vector<std::vector<ref::Bits>> edges_;
  uint64_t grid_ = 1, step_ = 1;
};

}  // namespace vyre::algebra
