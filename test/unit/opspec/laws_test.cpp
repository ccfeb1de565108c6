// Laws of operations over buffers, on the references: what is claimed holds, and what is denied is refuted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "library/library.h"
#include "opspec/laws.h"
#include "oracle.h"

VYRE_ORACLE(Law, "src/library/laws.def: what relates an operation to others, or to itself");

namespace vyre {
namespace {

uint64_t law_cases() {
  const char* chosen = std::getenv("VYRE_CASES");
  return chosen == nullptr ? 20 : std::strtoull(chosen, nullptr, 10);
}
uint64_t law_seed() {
  const char* chosen = std::getenv("VYRE_SEED");
  return chosen == nullptr ? 1 : std::strtoull(chosen, nullptr, 10);
}

class OperationLaws : public testing::TestWithParam<opspec::OperationSpec> {
 protected:
  /// Of the case with this number.
  static bool holds(const library::Law& law, uint64_t number) {
    static const opspec::Trial::Apply references = [](std::string_view id, opspec::Buffers buffers) {
      opspec::find_operation(id)->reference(buffers);
      return buffers;
    };
    const opspec::Holds check = opspec::law_checks()[size_t(&law - library::laws().data())];
    return check({GetParam().id, opspec::make_case(GetParam(), law_seed(), number), references});
  }
};

TEST_P(OperationLaws, ClaimedOnesHold) {
  for (const library::Law* law : library::laws_of(GetParam().id)) {
    if (!law->claimed) continue;
    for (uint64_t number = 0; number < law_cases(); ++number)
      ASSERT_TRUE(holds(*law, number)) << law->name << ", case " << number << ": " << law->statement;
  }
}
/// As many as a run of the least strength has.
TEST_P(OperationLaws, EachClassIsMet) {
  constexpr uint64_t kStructured = 100, kMalformed = 20;
  std::vector<opspec::Buffers> met;
  for (uint64_t number = 0; number < kStructured; ++number)
    met.push_back(opspec::make_case(GetParam(), law_seed(), number));
  for (uint64_t number = 0; number < opspec::kBoundarySizes.size(); ++number)
    met.push_back(opspec::make_case(GetParam(), law_seed(), number, opspec::kBoundarySizes[number]));
  for (uint64_t number = 0; number < kMalformed; ++number)
    met.push_back(opspec::make_malformed_case(GetParam(), law_seed(), number));
  for (const opspec::CaseClass* one : opspec::classes_of(GetParam().id))
    EXPECT_TRUE(std::ranges::any_of(met, one->has)) << one->name;
}
TEST_P(OperationLaws, DeniedOnesAreRefuted) {
  constexpr uint64_t kRefutingCases = 1'000;
  for (const library::Law* law : library::laws_of(GetParam().id)) {
    if (law->claimed) continue;
    uint64_t number = 0;
    while (number < kRefutingCases && holds(*law, number)) ++number;
    EXPECT_LT(number, kRefutingCases) << law->name << ": " << law->statement;
  }
}
INSTANTIATE_TEST_SUITE_P(All, OperationLaws, testing::ValuesIn(opspec::all_operations()), [](const auto& of) {
  std::string name(of.param.id);
  std::ranges::replace(name, '.', '_');
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OperationLaws);

}  // namespace
}  // namespace vyre
