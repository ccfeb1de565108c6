// The declaration of a test's oracle: where its expected values come from.
//
//   VYRE_ORACLE(SpecificationTable, "semantics, \"The primitives\", written out here");
//
//   TEST(Registry, HoldsThePrimitives) { ... }
//
// It stands once in a file of tests, above them at namespace scope, and holds for all tests of the file. A
// test whose oracle is of another kind declares that in its first statement, by the same macro. The kind is
// one of spec/oracle.h, the words say where it is defined. test/oracles.py refuses a test without one, and a
// kind that is weaker than the strongest that applies. Reports of test runs carry both as properties of each
// test
// (--gtest_output=xml): what a file declares is recorded when one of its tests starts, and what the test
// itself declares replaces it. Source: oracles, "The oracle declaration".
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "spec/oracle.h"

namespace vyre::test {

/// What VYRE_ORACLE declares: in a test, of that test; outside of all tests, of those of a file.
class OracleDeclaration {
 public:
  OracleDeclaration(std::string_view file, spec::Oracle kind, const char* where)
      : kind_(kind), where_(where) {
    if (testing::UnitTest::GetInstance()->current_test_info() != nullptr)
      record();
    else
      of_files().emplace(file, *this);
  }

 private:
  using Files = std::map<std::string_view, OracleDeclaration>;

  class Recorder : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo& test) override {
      const auto found = of_files().find(test.file());
      if (found != of_files().end()) found->second.record();
    }
  };

  void record() const {
    testing::Test::RecordProperty("oracle", spec::text(kind_).data());
    testing::Test::RecordProperty("defined", where_);
  }

  /// The declarations of this program's files. The first call, before main(), has GoogleTest ask for them.
  static Files& of_files() {
    static Files* const files = [] {
      testing::UnitTest::GetInstance()->listeners().Append(new Recorder);
      return new Files;
    }();
    return *files;
  }

  spec::Oracle kind_;
  const char* where_;
};

}  // namespace vyre::test

// Each has a name of its own also where several files are compiled as one.
#define VYRE_ORACLE_JOIN_(a, b) a##b
#define VYRE_ORACLE_NAME_(number) VYRE_ORACLE_JOIN_(vyre_oracle_, number)
#define VYRE_ORACLE(kind, where)                                                         \
  static_assert(sizeof(where) > 4, "say where the expected values are defined");         \
  [[maybe_unused]] const ::vyre::test::OracleDeclaration VYRE_ORACLE_NAME_(__COUNTER__)( \
      __FILE__, ::vyre::spec::Oracle::kind, where)
