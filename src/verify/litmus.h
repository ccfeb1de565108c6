// Litmus tests: a few words, a few invocations, and the outcomes that the memory model allows.
//
// The model is small: atomics on one word happen in one order that keeps the program order of each
// invocation, and order nothing else. So what a run showed is allowed exactly where the history of every word
// can be put into such an order (verify/atomic_history.h), whatever stands between: message passing and store
// buffering allow everything, and two readers of one word may never disagree about who wrote first. The tests
// are those of the literature, as data; program and judge both follow from it.
// Source: semantics, "Memory" (atomics); vyre-conform-spec, "Atomic Operations"; the tests are named as in
// Alglave, Maranget, Tautschnig, "Herding cats" (2014).
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generate/programs.h"
#include "spec/ops.h"
#include "verify/atomic_history.h"

namespace vyre::verify {

struct LitmusAccess {
  spec::Op op{};
  uint32_t word = 0;  // of the test's words, which all start as zero
  uint32_t value = 0;
  uint32_t expected = 0;
};
inline constexpr uint32_t kLitmusAccesses = 4;  // of one role, at most
inline constexpr uint32_t kLitmusWords = 4;     // of one test, at most

struct LitmusTest {
  std::string_view name;  // an identifier; the program's
  std::string_view what;
  std::vector<std::vector<LitmusAccess>> roles;
  uint32_t words() const;
  /// What the accesses say, in order: those of role 0 first.
  size_t accesses() const;
};
const std::vector<LitmusTest>& litmus_tests();

/// Whether an outcome is one that the model allows: what each access saw, then what is left in each word.
/// Return  why not; empty where it is.
std::string forbids(const LitmusTest& test, std::span<const uint32_t> saw, std::span<const uint32_t> left);

/// The program that runs many instances of a test at once. Invocation i plays its role in one of them and
/// notes what it saw in out[4 * i ...]; word w of instance p is t[...]. Apart: the roles of one instance are
/// far from each other, mostly in different workgroups; else they are neighbours.
std::string litmus_program(const LitmusTest& test, bool apart);

/// Outcomes of whole runs (generate::Outcome). Litmus programs find their test by the program's name.
std::string litmus_outcome(const generate::ProgramCase& c, std::span<const Bytes> after);
/// Of the shapes "histories", "mixed history" and "histories in program order".
std::string histories_outcome(const generate::ProgramCase& c, std::span<const Bytes> after);
std::string mixed_outcome(const generate::ProgramCase& c, std::span<const Bytes> after);
std::string sequence_outcome(const generate::ProgramCase& c, std::span<const Bytes> after);

}  // namespace vyre::verify
