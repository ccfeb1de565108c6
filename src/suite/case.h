// Cases: what a replay token names, with everything that is done with it.
//
// A token is short since generators know the rest. There are several kinds: an operation or an operator at
// operands, a law at values of its variables, a program of a family, the shape of one, the planted-false laws
// of a track, a claim about category C. Each is a class of its own (suite/case_kinds.h), and find_case() is
// the one place that distinguishes them: replay, minimising, emitting and the report of failures ask the
// case.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "base/result.h"
#include "generate/programs.h"
#include "suite/replay.h"
#include "verify/token.h"

namespace vyre::suite {

/// The types of the values that a failure of a case names; empty where they are words.
struct ValueTypes {
  std::vector<spec::DataType> inputs, output;
};

class Case {
 public:
  explicit Case(verify::Token token) : token_(std::move(token)) {}
  virtual ~Case() = default;
  const verify::Token& token() const { return token_; }

  virtual ValueTypes types() const { return {}; }
  /// The same function at other operands, as when a failing input was made smaller; null where the case has
  /// no operands, or not so many words of them.
  virtual std::unique_ptr<Case> at(std::span<const uint32_t>) const { return nullptr; }
  /// The case written out with its input: an operation is a store of one element, a law the sides that it
  /// compares, a program what it is. None where the case is no program (planted-false laws, claims of
  /// category C), or one whose bytes depend on the schedule.
  /// Errors: C003 for a case that there is not. The backend is asked for its limits alone.
  virtual Result<std::optional<generate::ProgramCase>> program(backend::Backend& backend) const = 0;
  /// Runs it: what the token says must run, else the case alone, and then among its neighbours.
  /// Errors: C003 for a case that there is not; what the backend answers that is no fault of the case.
  virtual Result<Replay> replay(backend::Backend& backend) const = 0;

 private:
  const verify::Token token_;
};

/// The case of a token. That the case is there is known only when it is made or run.
/// Errors: C003 for a subject that this build does not have.
Result<std::unique_ptr<Case>> find_case(const verify::Token& token);
/// The same of its text. Errors: C003.
Result<std::unique_ptr<Case>> find_case(std::string_view token);

}  // namespace vyre::suite
