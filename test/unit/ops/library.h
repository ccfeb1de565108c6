// What the tests of the operation library share: one test an operation, and inputs that are hard on integers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "base/random.h"
#include "ops/operation.h"
#include "ops/registry.h"
#include "spec/float_format.h"

namespace vyre::ops {

using Tuple = std::vector<uint32_t>;

/// A test that runs once for each operation, under its id.
class EachOperation : public testing::TestWithParam<std::string> {
 protected:
  const Operation& operation() const { return *find_operation(GetParam()); }
  size_t arity() const { return operation().signature.inputs.size(); }
  const std::vector<spec::DataType>& inputs() const { return operation().signature.inputs; }
};

inline std::vector<std::string> all_ids() {
  std::vector<std::string> ids;
  for (const Operation& operation : all_operations()) ids.emplace_back(operation.id);
  return ids;
}

inline std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '.', '_');
  return name;
}

#define VYRE_FOR_EACH_OPERATION(Suite) \
  INSTANTIATE_TEST_SUITE_P(Library, Suite, testing::ValuesIn(all_ids()), test_name)

/// Words at which integer arithmetic turns: the least, the greatest, powers of two and their neighbours,
/// alternating bits.
inline std::vector<uint32_t> edge_words() {
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t power = uint32_t{1} << i;
    for (const uint32_t word : {power - 1, power, power + 1, ~power, -power}) words.push_back(word);
  }
  for (const uint32_t word : {0xaaaaaaaau, 0x55555555u, 0x0f0f0f0fu, 0xff00ff00u, 0x12345678u, 0xfffffffeu}) {
    words.push_back(word);
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

/// Patterns at which arithmetic on floats turns: the ends of the subnormals and of the numbers, one and its
/// neighbours, ties, integers and halves, infinities, NaNs; of both signs.
inline std::vector<uint32_t> edge_patterns(spec::FloatFormat f) {
  std::vector<uint32_t> words;
  const auto add = [&](uint32_t word) {
    for (const uint32_t sign : {0u, f.sign_bit()}) words.push_back((word & ~f.sign_bit() & f.mask()) | sign);
  };
  const uint32_t unit = f.least_normal();
  for (const uint32_t around : {f.least_normal(), f.one(), f.one() + unit, f.one() - unit, f.infinity(),
                                f.one() - unit * f.precision(), f.one() + unit * f.fraction_bits, f.nan()}) {
    for (const uint32_t step : {0u, 1u, ~0u}) add(around + step);
  }
  for (const uint32_t word : {0u, 1u, 2u, 3u, unit / 2, f.one() + unit / 2, f.one() + unit + unit / 4,
                              f.one() - 8 * unit, f.infinity() - unit, f.fraction_mask() | f.infinity()}) {
    add(word);
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

inline std::vector<uint32_t> edge_words(spec::DataType type) {
  return spec::kFloats.contains(type) ? edge_patterns(spec::float_format(type)) : edge_words();
}

/// All tuples of the types' edge words; for three operands, of every fifth of them and the last (of floats,
/// every other).
inline std::vector<Tuple> edge_tuples(const std::vector<spec::DataType>& types) {
  std::vector<Tuple> tuples = {{}};
  for (const spec::DataType type : types) {
    std::vector<uint32_t> words = edge_words(type);
    if (types.size() == 3) {
      std::vector<uint32_t> few;
      for (size_t i = 0; i < words.size(); i += spec::kFloats.contains(type) ? 2 : 5) few.push_back(words[i]);
      few.push_back(words.back());
      words = few;
    }
    std::vector<Tuple> longer;
    for (const Tuple& tuple : tuples) {
      for (const uint32_t word : words) {
        longer.push_back(tuple);
        longer.back().push_back(word);
      }
    }
    tuples = std::move(longer);
  }
  return tuples;
}

/// A word whose size is spread evenly too: half of the draws are uniform, half are shifted right by 0 to 31.
/// Of a float, half have an exponent near that of one, so that operands meet.
inline uint32_t random_word(RandomStream& random, spec::DataType type) {
  const uint32_t word = random.next();
  const uint32_t how = random.next();
  if (!spec::kFloats.contains(type)) return (how & 1) == 0 ? word : word >> ((how >> 1) & 31);
  const spec::FloatFormat f = spec::float_format(type);
  if ((how & 1) == 0) return word & f.mask();
  const uint32_t exponent = f.one() + (how >> 1 & 15) * f.least_normal() - 8 * f.least_normal();
  return (word & (f.sign_bit() | f.fraction_mask())) | exponent;
}

inline std::vector<Tuple> random_tuples(const std::vector<spec::DataType>& types, size_t count,
                                        uint64_t stream) {
  RandomStream random(0x7661726570726f67, stream);
  std::vector<Tuple> tuples(count, Tuple(types.size()));
  for (Tuple& tuple : tuples) {
    for (size_t i = 0; i < tuple.size(); ++i) tuple[i] = random_word(random, types[i]);
  }
  return tuples;
}

inline std::string show(const Tuple& tuple) {
  std::string text = "(";
  for (const uint32_t word : tuple) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%s%x", text.size() > 1 ? ", " : "", word);
    text += digits;
  }
  return text + ")";
}

}  // namespace vyre::ops
