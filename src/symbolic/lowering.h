// Proofs of lowering: that what is run is what was meant.
//
// Between an operator and a device stand legalization (subject `legalize(target)`), which makes raw operators
// of it, the target's own rows for those (`raw(target)`), and a compiler, which may change whatever no result
// shows (`emitted(target)`: the optimised code, read back). Each is a claim about all inputs that a
// solver decides; where it cannot, or where a reader meets what it does not know, the row is open and says
// why. Source: semantics, "Laws and evidence".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lower/kernel.h"
#include "solver/prover.h"
#include "symbolic/scalar_programs.h"

namespace vyre::symbolic {

struct LoweringProof {
  std::string operation;  // "div i32", "primitive.math.add", "udiv.raw"
  std::string subject;    // "legalize(llvm)", "raw(spirv)", "emitted(ptx)"
  solver::Proof proof;
  /// On which the proof rests, such as "long division"; empty: on the solver alone.
  std::string theorem = {};
};

/// What is to be proved, by name, and who hears of each proof as it comes.
struct LoweringRequest {
  std::function<bool(std::string_view operation)> wanted = [](std::string_view) { return true; };
  std::function<void(const LoweringProof&)> done = [](const LoweringProof&) {};
};

/// The operators and operations that are wanted and whose values have one word: an address of several would
/// wrap in buffers longer than there are, and compilers may not leave them scalar.
std::vector<ScalarProgram> programs_of_words(const LoweringRequest& request);

/// Asks about claims on code. Words that are multiplied or divided and are the same in code and meaning are
/// made one term, which is shown first. Then part by part, without the path that leads there and without
/// multiplication and division (symbolic/arithmetic.h), which decides most at once; then as they are.
/// Not for several threads at once.
class CodeProver {
 public:
  explicit CodeProver(solver::ProverOptions options = {});
  /// Whether the code has the meaning, where `assumed` holds.
  solver::Proof prove(smt::Pool& pool, Memory& memory, const Reading& code, const Reading& meaning);
  solver::Proof prove(smt::Pool& pool, Memory& memory, const Reading& code, const RawReading& meaning);
  solver::Proof prove(smt::Pool& pool, const Equivalence& claim);
  /// Seconds of solvers that one claim may take in all; by default some times what one question may.
  void allow(double seconds) { budget_ = seconds; }
  double seconds_a_question() const { return question_; }
  std::string about() const { return exact_.about(); }

 private:
  solver::Proof quickly(smt::Pool& pool, smt::Term question);
  Equivalence with_equal_factors(smt::Pool& pool, const Equivalence& claim);

  solver::Prover quick_, easy_, exact_;
  bool smallest_;
  double question_, budget_;
  std::map<std::string, solver::Proof> known_;  // by the statement's digest: targets share most rules
};

/// Legalization of every integer operator and operation for each target, with all domains of raw operators.
std::vector<LoweringProof> prove_legalize(CodeProver& prover, const LoweringRequest& request,
                                          std::span<const lower::Target> targets);
/// The targets whose rules differ: "llvm", "ptx", "words".
std::span<const lower::Target> legalized_targets();
/// One program: that its legal form does what it does.
LoweringProof prove_legalize(CodeProver& prover, const ScalarProgram& program, const lower::Target& target);
/// The same of any legal kernel. `theorem` gets what else the proof rests on.
solver::Proof prove_legal(CodeProver& prover, const ScalarProgram& program, const lower::Kernel& legal,
                          std::string* theorem = nullptr);

}  // namespace vyre::symbolic
