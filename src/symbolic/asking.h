// Many questions, asked on several threads, each with a solver of its own.
//
// What is declared of operations, of the library's and of a file's, becomes questions; an Asker answers one
// after the other, and what that takes differs: formulas of definitions and engines over words there, bodies
// in the interpreter here. Sharing out, stopping, timing and the grades that a solver's answer gives are the
// same and stand here.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "symbolic/prove.h"

namespace vyre::symbolic {

/// One question: what is declared.
struct Question {
  const ops::Operation* operation;
  Declared declared{};
  size_t index = 0;  // among the operation's laws, denials or identities
  std::string statement;
  Span span = Span::none();  // where a file declares it
  size_t place = 0;          // of the operation in its file
};

/// Answers questions with a solver of its own; one a thread.
class Asker {
 public:
  explicit Asker(const ProveOptions& options) : options_(options), prover_(options.solver) {}
  virtual ~Asker() = default;
  std::string about() const { return prover_.about(); }
  Finding ask(const Question& question);
  /// What is found where it was not begun to ask.
  static Finding unasked(const Question& question);

 protected:
  virtual void equality(const Question& question, Finding& out) = 0;
  virtual void law(const Question& question, Finding& out) = 0;
  virtual void denial(const Question& question, Finding& out) = 0;
  virtual void row(const Question& question, Finding& out) = 0;
  /// Takes a solver's answer, whose witness reads so; whether it was one.
  static bool take(solver::Proof proof, const std::string& witness, Finding& out);

  const ProveOptions& options_;
  solver::Prover prover_;
};

/// Adds a finding a question to the report, in order. `make`: called on each thread.
void ask_all(std::span<const Question> questions, const ProveOptions& options,
             const std::function<std::unique_ptr<Asker>()>& make, ProveReport& out);

}  // namespace vyre::symbolic
