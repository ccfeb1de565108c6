// Solvers: programs that decide whether a formula can be true.
//
// Any program that speaks SMT-LIB 2.6 on its standard input will do; two are known, Z3 (which answers) and
// cvc5 (which is asked to confirm). They run as processes: one that crashes, hangs or wants too much memory
// loses one answer, Unknown with the reason, and is started again for the next question. No caller has to
// have one: without it nothing is proved, and whatever asks says so. VYRE_Z3 and VYRE_CVC5 name other
// programs than those on the path ("" for none). Source: SMT-LIB 2.6, "Commands".
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "smt/term.h"

namespace vyre::solver {

enum class Which : uint8_t { Z3, Cvc5 };
inline constexpr size_t kSolvers = 2;

struct Limits {
  double seconds = 10;        // of one question, on the wall
  uint64_t megabytes = 2048;  // of the process
  uint64_t steps = 0;         // the solver's own (Z3's rlimit), the same on every machine; 0: no limit
};

enum class Answer : uint8_t { Unsatisfiable, Satisfiable, Unknown };
std::string_view text(Answer answer);  // "unsat", "sat", "unknown"

struct Reply {
  Answer answer = Answer::Unknown;
  std::string reason;                // Unknown: "no answer within 10 s", "out of memory", "ended by signal 9"
  std::vector<smt::Assigned> model;  // Satisfiable: every variable of the assertion; not checked yet
  double seconds = 0;
  uint64_t steps = 0;  // that it took, where a limit on them was set and the solver counts any
};

/// One process of a solver. Not for several threads at once.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual const std::string& name() const = 0;     // "z3"
  virtual const std::string& version() const = 0;  // "4.8.12"
  /// Whether the assertion, a truth value, can be true for some values of its variables.
  virtual Reply check(const smt::Pool& pool, smt::Term assertion, const Limits& limits) = 0;
  /// The same for a script as smt::script() writes it, in any logic; no model is read.
  virtual Reply check(std::string_view script, const Limits& limits) = 0;
};

/// Starts one, or says why there is none: "z3: No such file or directory". That is no fault of any input: who
/// asked proves less.
std::expected<std::unique_ptr<Solver>, std::string> open(Which which);

}  // namespace vyre::solver
