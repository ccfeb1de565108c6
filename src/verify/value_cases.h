// Value cases: the inputs of elementwise subjects, for operands of every type.
//
// Cases are addressed as in generate::Cases, and for operands that are words they are its cases. Values of
// other types are tuples of words, one column a word: the adversary's grid of what breaks carries, shifts and
// divisions at the seams between words, and seeded random tuples in which operands are often equal but for
// one bit. Operands that are rounded get cases of their own (Recipe). What a number stands for is fixed for
// ever, since replay tokens name it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "generate/cases.h"

namespace vyre::verify {

/// What is done with the values. Bits are moved, chosen or reinterpreted: any are as good as others. Rounded
/// are operands of arithmetic on floats, of casts from and to floats: cases that end at ties, at the borders
/// of the subnormals and of overflow, or cancel, which bits drawn at random hardly ever do.
enum class Recipe : uint8_t { Bits, Rounded };

class ValueCases {
 public:
  /// Cases of an operation of the library.
  ValueCases(const ops::Operation& operation, generate::Strategy strategy, uint64_t seed);
  /// Tuples of values for anything that has a name.
  ValueCases(std::string_view stream, std::span<const spec::DataType> types, generate::Strategy strategy,
             uint64_t seed, Recipe recipe = Recipe::Bits);

  /// How many cases there are; Random: 2^64 - 1.
  uint64_t size() const;
  /// Writes cases first, first + stride, ... Shape  columns: one array of `count` words a word of an
  /// operand. Domain  the last one's number is below size().
  void fill(uint64_t first, size_t count, std::span<uint32_t* const> columns, uint64_t stride = 1) const;

 private:
  using Value = std::array<uint32_t, 4>;

  void grid_case(uint64_t k, std::span<Value> out) const;
  void random_case(uint64_t k, std::span<Value> out) const;
  /// An integer at a tie of one of the formats, or beside it.
  Value integer_near_tie(uint64_t k, spec::DataType type) const;

  std::optional<generate::Cases> words_;  // when every operand is a word, and of floats those to be rounded
  std::vector<spec::DataType> types_;
  generate::Strategy strategy_{};
  bool near_ties_ = false;  // one integer, to be rounded: every other random case is integer_near_tie()
  uint64_t seed_ = 0;
  uint64_t stream_ = 0;
  std::vector<std::span<const Value>> domains_;  // Adversarial: what each operand ranges over
};

}  // namespace vyre::verify
