// Cases: the inputs on which operations are tried, each addressable by its number.
//
// A case is a tuple of operands. Case k is a pure function of (operation id and version, strategy, seed, k)
// and costs the same for every k, so a shard is an arithmetic progression, a resumed run skips nothing and a
// replay token is a few numbers. Only Random depends on the seed. Operands are words; a bool operand is 0
// or 1. Source: vyre-conform-spec, "generate/"; docs/generate.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ops/operation.h"

namespace vyre::generate {

enum class Strategy : uint8_t {
#define VYRE_STRATEGY(Name, text, meaning) Name,
#include "generate/strategies.def"
#undef VYRE_STRATEGY
};
struct StrategyInfo {
  Strategy strategy;
  std::string_view text;
  std::string_view meaning;
};
inline constexpr auto kStrategies = std::to_array<StrategyInfo>({
#define VYRE_STRATEGY(Name, text, meaning) {Strategy::Name, text, meaning},
#include "generate/strategies.def"
#undef VYRE_STRATEGY
});
constexpr const StrategyInfo& info(Strategy strategy) { return kStrategies[static_cast<size_t>(strategy)]; }
std::optional<Strategy> find_strategy(std::string_view text);

inline constexpr size_t kMaxOperands = 3;

/// Whether a value of the type is one word, so that there are cases of it.
constexpr bool is_word(spec::DataType type) { return spec::value_words(type) == 1; }

class Cases {
 public:
  /// Domain: an operation of 1 to kMaxOperands operands that are words; it must outlive this.
  Cases(const ops::Operation& operation, Strategy strategy, uint64_t seed);
  /// Tuples of values for anything that has a name, such as the variables of a law. Rows, Boundary and
  /// Equivalence are empty.
  Cases(std::string_view stream, std::span<const spec::DataType> types, Strategy strategy, uint64_t seed);

  /// How many cases there are; Random: 2^64 - 1.
  uint64_t size() const { return size_; }
  size_t operands() const { return types_.size(); }
  /// Writes cases first, first + stride, ... Shape  columns: one array of `count` words an operand.
  /// Domain  the last one's number is below size(). Cost  some nanoseconds a case for words at random.
  void fill(uint64_t first, size_t count, std::span<uint32_t* const> columns, uint64_t stride = 1) const;
  /// Case k; unused operands are 0.
  std::array<uint32_t, kMaxOperands> at(uint64_t k) const;

 private:
  std::array<uint32_t, kMaxOperands> table_case(uint64_t k) const;
  std::array<uint32_t, kMaxOperands> grid_case(uint64_t k) const;
  std::array<uint32_t, kMaxOperands> adversarial_case(uint64_t k) const;
  std::array<uint32_t, kMaxOperands> random_case(uint64_t k) const;
  void fill_grid(uint64_t first, uint64_t stride, size_t count, std::span<uint32_t* const> columns) const;
  std::array<uint32_t, kMaxOperands> floats_of(uint64_t k, const std::array<uint32_t, 4>& bits) const;
  void fill_random(uint64_t first, size_t count, std::span<uint32_t* const> columns) const;
  void prepare();

  const ops::Operation* operation_ = nullptr;
  std::vector<spec::DataType> types_;
  Strategy strategy_;
  uint64_t seed_;
  uint64_t stream_;
  uint64_t size_ = 0;
  /// Exhaustive8, Edge256, Adversarial: the values each operand ranges over.
  std::array<std::span<const uint32_t>, kMaxOperands> domain_;
  uint64_t grid_ = 0;  // the size of their product
};

}  // namespace vyre::generate
