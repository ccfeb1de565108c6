// The declaration of a test's oracle: where its expected values come from.
//
//   TEST(Registry, HoldsThePrimitivesOfTheSpecification) {
//     VYRE_ORACLE(SpecificationTable, "the list of primitives (semantics, \"The primitives\"), written out
//     here");
//
// It is the first statement of every test. The kind is one of spec/oracle.h, the words say where it is
// defined. test/oracles.py refuses a test without one, and a kind that is weaker than the strongest that
// applies. Reports of test runs carry both as properties of the test (--gtest_output=xml). Source: oracles,
// "The oracle declaration".
#pragma once

#include <gtest/gtest.h>

#include "spec/oracle.h"

#define VYRE_ORACLE(kind, where)                                                                      \
  do {                                                                                                \
    static_assert(sizeof(where) > 4, "say where the expected values are defined");                    \
    ::testing::Test::RecordProperty("oracle", ::vyre::spec::text(::vyre::spec::Oracle::kind).data()); \
    ::testing::Test::RecordProperty("defined", where);                                                \
  } while (false)
