// Inspection: whether the code that a backend made of a law still has the law in it.
//
// A compiler may fold what it can prove. A law program is written so that it proves nothing, and here is
// looked whether that worked: every copy of an instance in the emitted code must have at least as many of the
// instructions of each operation as the statement has applications of it.
//
// Copies are recognised by kMark, which each instance has once, whatever was unrolled or vectorised: a block
// of code with marks for n instances (a vector of 8 lanes counts 8) must have n times what one instance
// needs. What that is comes from the same compiler: the law `lo <= f(a...) <= hi` of an operation alone, with
// bounds that are not known until run time, less what every instance has besides (making values, masks,
// comparing, counting), is the operation's signature. An operation with a loop or branch of its own is not
// inspected: its code is elsewhere. Nor is an operation of which nothing is left to count.
//
// LLVM IR and PTX are understood. PTX is what the driver gets; what it makes of that is seen by the
// planted-false laws and canaries alone. Source: docs/harness.md.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "verify/device_laws_program.h"

namespace vyre::verify {

/// How often each instruction on words stands in a block, lanes counted, under the names of LLVM.
using InstructionCounts = std::map<std::string, uint32_t, std::less<>>;

/// A loop of one basic block that has instances in it.
struct MarkedBlock {
  uint32_t instances = 0;
  InstructionCounts counts;
};
/// The innermost loops of emitted code that have marks, their own step and test left out. What stands behind
/// a loop for a last incomplete round is not among them: it is never reached, since runs are powers of two.
/// Domain: form "llvm" or "ptx".
std::vector<MarkedBlock> marked_blocks(const backend::EmittedCode& code);

/// Whether inlining brought in control flow that the program itself has not: an operation loops or branches.
bool has_branches_of_its_own(const check::Checked& checked);

enum class Inspected : uint8_t { Whole, Folded, NotInspected };
struct Inspection {
  Inspected outcome = Inspected::NotInspected;
  std::string reason;  // of Folded and NotInspected
};
/// As a grade of evidence says it: "inspected", "folded: <reason>", "not inspected: <reason>".
std::string text(const Inspection& inspection);

/// Inspects laws of one compiler; keeps the signatures of operations.
class Inspector {
 public:
  /// What makes code of a program. Form empty: the compiler shows none.
  using Emit = std::function<Result<backend::EmittedCode>(const check::Checked&)>;
  /// `table` has the operations and outlives this.
  Inspector(Emit emit, const spec::OpTable& table) : emit_(std::move(emit)), table_(table) {}
  /// Of a backend, which must outlive this.
  Inspector(backend::Backend& backend, const spec::OpTable& table);

  /// Errors: the compiler's. Cost: one compilation, and one more for each operation that is new.
  /// Thread: one call at a time.
  Result<Inspection> inspect(const algebra::BoundLaw& law, const LawProgramOptions& options = {});
  /// The same of code that the compiler made of the law's program: that of a pipeline which is going to run.
  Result<Inspection> inspect(const algebra::BoundLaw& law, const backend::EmittedCode& code);
  const spec::OpTable& table() const { return table_; }

 private:
  struct Signature {
    InstructionCounts counts;
    std::string unknown;  // why there is none
  };
  Result<const Signature*> signature(const ops::Operation& operation);
  Result<backend::EmittedCode> emit(const algebra::BoundLaw& law, const LawProgramOptions& options,
                                    bool* branches);

  const Emit emit_;
  const spec::OpTable& table_;
  std::map<const ops::Operation*, Signature> signatures_;
};

}  // namespace vyre::verify
