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

namespace vyre::ops {

using Tuple = std::vector<uint32_t>;

/// A test that runs once for each operation file, under the operation's id.
class EachOperation : public testing::TestWithParam<std::string> {
 protected:
  const Operation& operation() const { return *find_operation(GetParam()); }
  size_t arity() const { return operation().signature.inputs.size(); }
};

inline std::vector<std::string> all_ids() {
  std::vector<std::string> ids;
  for (const OperationFile& file : operation_files()) ids.emplace_back(file.id);
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

/// All n-tuples of the edge words; for three operands, of every fifth of them and the last.
inline std::vector<Tuple> edge_tuples(size_t n) {
  std::vector<uint32_t> words = edge_words();
  if (n == 3) {
    std::vector<uint32_t> few;
    for (size_t i = 0; i < words.size(); i += 5) few.push_back(words[i]);
    few.push_back(words.back());
    words = few;
  }
  std::vector<Tuple> tuples = {{}};
  for (size_t i = 0; i < n; ++i) {
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
inline uint32_t random_word(RandomStream& random) {
  const uint32_t word = random.next();
  const uint32_t how = random.next();
  return (how & 1) == 0 ? word : word >> ((how >> 1) & 31);
}

inline std::vector<Tuple> random_tuples(size_t n, size_t count, uint64_t stream) {
  RandomStream random(0x7661726570726f67, stream);
  std::vector<Tuple> tuples(count, Tuple(n));
  for (Tuple& tuple : tuples) {
    for (uint32_t& word : tuple) word = random_word(random);
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
