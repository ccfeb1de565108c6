// The conformance page as data.
#include "web/conformance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "backend/backend.h"
#include "ops/operation.h"
#include "oracle.h"
#include "verify/examine.h"
#include "verify/families.h"
#include "verify/parity.h"

VYRE_ORACLE(Property,
            "the lists of operations, families and shapes; the cases that replay tokens name; what a page "
            "must be that can see a wrong answer, a missing one and a stray store");

namespace vyre::web {
namespace {

const Page& page() {
  static const Page made = conformance_page({.cases_a_subject = 64, .strategy_cap = 16}).value();
  return made;
}

std::vector<verify::Subject> subjects() {
  std::vector<verify::Subject> out;
  for (const ops::Operation& operation : ops::all_operations()) {
    if (operation.bound == 0) out.push_back(verify::subject_of(operation));
  }
  for (const verify::FamilyInfo& family : verify::kFamilies) {
    for (verify::Subject& subject : verify::elementwise_subjects(family.family))
      out.push_back(std::move(subject));
  }
  return out;
}

const Case& case_named(std::string_view name) {
  const auto found = std::ranges::find(page().cases, name, &Case::name);
  if (found == page().cases.end()) throw std::runtime_error("no case " + std::string(name));
  return *found;
}

TEST(Conformance, HasEverySubjectAndEveryShape) {
  size_t wanted = 0;
  for (const verify::Subject& subject : subjects()) {
    EXPECT_NO_THROW(case_named(subject.name));
    ++wanted;
  }
  for (const verify::FamilyInfo& family : verify::kFamilies) {
    const bool shown =
        family.family != verify::Family::Subgroups && !verify::depends_on_schedule(family.family);
    if (shown) wanted += verify::shapes(family.family);
  }
  EXPECT_EQ(page().cases.size(), wanted);
  EXPECT_TRUE(page().left_out.empty()) << page().left_out[0];
  std::set<std::string> names;
  for (const Case& test : page().cases) EXPECT_TRUE(names.insert(test.name).second) << test.name << " twice";
}

// What leaves every byte as it was would pass without having run.
TEST(Conformance, NoCasePassesWithoutHavingRun) {
  for (const Case& test : page().cases) {
    EXPECT_GT(test.instances, 0u) << test.name;
    EXPECT_TRUE(std::ranges::any_of(test.buffers, [](const Buffer& b) {
      return b.output && b.before != b.after;
    })) << test.name;
  }
}

/// The words of element i of a buffer.
std::vector<uint32_t> element(const Bytes& bytes, spec::DataType type, size_t i) {
  const size_t size = spec::info(type).bytes;
  std::vector<uint32_t> out(spec::value_words(type));
  std::memcpy(out.data(), bytes.data() + i * size, size);
  return out;
}

// An operator's results are never all poison, and the poison is none of them; what lies behind stays.
TEST(Conformance, MissingAnswersAndStrayStoresWouldShow) {
  for (const verify::Subject& subject : subjects()) {
    const Case& test = case_named(subject.name);
    const Buffer& out = test.buffers.back();
    ASSERT_TRUE(out.output) << test.name;
    ASSERT_GT(out.count, test.instances) << test.name;
    const size_t size = spec::info(out.element).bytes, end = test.instances * size;
    for (size_t i = 0; i < test.instances; ++i)
      ASSERT_NE(element(out.before, out.element, i), element(out.after, out.element, i))
          << test.name << ", " << i;
    EXPECT_TRUE(std::equal(out.before.begin() + std::ptrdiff_t(end), out.before.end(),
                           out.after.begin() + std::ptrdiff_t(end), out.after.end()))
        << test.name;
  }
}

// The token of a failure names exactly the operands of its element.
TEST(Conformance, ElementsAreTheCasesThatTokensName) {
  VYRE_ORACLE(ReferenceInterpreter,
              "the lists of operations, families and shapes; the cases that replay tokens name; what a page "
              "must be that can see a wrong answer, a missing one and a stray store");
  const auto reference = backend::make_reference();
  for (const verify::Subject& subject : subjects()) {
    const Case& test = case_named(subject.name);
    verify::SubjectBench bench(*reference, subject, {}, test.replay.seed);
    uint64_t first = 0;
    for (const Range& range : test.replay.ranges) {
      for (uint64_t k = 0; k < range.count; ++k) {
        const verify::CaseId id{*verify::SubjectBench::source_of(range.strategy), k * range.stride};
        const std::vector<uint32_t> operands = bench.operands(id);
        std::vector<uint32_t> have;
        for (const Buffer& buffer : test.buffers) {
          if (buffer.output) continue;
          std::ranges::copy(element(buffer.before, buffer.element, first + k), std::back_inserter(have));
        }
        ASSERT_EQ(have, operands) << test.name << ":" << range.strategy << ":" << k;
        const Buffer& out = test.buffers.back();
        ASSERT_EQ(element(out.after, out.element, first + k), bench.expected(id, operands)) << test.name;
      }
      first += range.count;
    }
    EXPECT_EQ(first, test.instances) << test.name;
  }
}

// A walk through a grid of operands that leaves one where it is shows little of the others.
TEST(Conformance, EveryOperandTakesManyValues) {
  for (const verify::Subject& subject : subjects()) {
    const Case& test = case_named(subject.name);
    uint64_t first = 0;
    for (const Range& range : test.replay.ranges) {
      for (const Buffer& buffer : test.buffers) {
        if (buffer.output || range.count < 16 || buffer.element == spec::DataType::Bool) continue;
        std::set<std::vector<uint32_t>> values;
        for (uint64_t k = 0; k < range.count; ++k)
          values.insert(element(buffer.before, buffer.element, first + k));
        EXPECT_GE(values.size(), 8u) << test.name << ":" << range.strategy << ", " << buffer.name;
      }
      first += range.count;
    }
  }
}

TEST(Conformance, StaysWithinWhatEveryDeviceHas) {
  VYRE_ORACLE(SpecificationTable,
              "WebGPU's default limits, and the lists of operations, families and shapes; the cases that "
              "replay tokens name; what a page "
              "must be that can see a wrong answer, a missing one and a stray store");
  for (const Case& test : page().cases) {
    EXPECT_LE(test.module.threads, 256u) << test.name;
    EXPECT_LE(test.module.shared_bytes, 16384u) << test.name;
    EXPECT_LE(test.buffers.size(), 8u) << test.name;
    EXPECT_EQ(test.module.writable.size(), test.buffers.size()) << test.name;
    for (const Buffer& buffer : test.buffers) EXPECT_LE(buffer.before.size(), 128u << 20) << test.name;
  }
}

TEST(Conformance, IsTheSamePageEachTime) {
  const Page again = conformance_page({.cases_a_subject = 64, .strategy_cap = 16}).value();
  ASSERT_EQ(again.cases.size(), page().cases.size());
  for (size_t k = 0; k < again.cases.size(); ++k) {
    EXPECT_EQ(again.cases[k].name, page().cases[k].name);
    EXPECT_EQ(again.cases[k].module.text, page().cases[k].module.text) << again.cases[k].name;
    EXPECT_EQ(digest_outputs(again.cases[k]), digest_outputs(page().cases[k])) << again.cases[k].name;
  }
}

}  // namespace
}  // namespace vyre::web
