// Proving a file: what its operations claim, deny and show by rows and alternatives, for all inputs.
//
// The body of an operation is its definition, so it is its formula, too. That the two are one is tried on
// edge values of each operation before anything counts. A law is put to a solver at full width, of up to 128
// bits a value; where no formula says it (floats, vectors, loops without bounds) or no solver answers, it is
// run: of words by the engines of algebra/engine.h, of wider values on tuples that are made here. A false
// claim comes with the smallest counterexample where a solver or exhaustion can say so. Source:
// docs/proofs.md, "Operations in text"; semantics, "Laws and evidence".
#pragma once

#include <optional>

#include "algebra/file_laws.h"
#include "symbolic/cross_product.h"
#include "symbolic/prove.h"

namespace vyre::symbolic {

/// Asks everything about the operations of a file, which must outlive the report. Of ProveOptions `lookup` is
/// not used; with `laws_only` there are the laws alone. A finding of the kind Equality is that an alternative
/// gives what it judges gives; right rows are counted in the coverage and have no finding.
/// Cost    a second, and tens of milliseconds a claim that a solver answers.
/// Thread  one call at a time.
ProveReport prove_file(const algebra::FileOperations& file, const ProveOptions& options);

/// Laws that hold of the file's operations on u32, i32 and bool and are not claimed, with companions of the
/// file and of what its laws name. Ends after so many seconds, or when `stop` becomes true, with what was
/// found until then.
struct Suggestions {
  Product product;
  bool whole = true;  // every sentence was judged
};
Suggestions suggest(const algebra::FileOperations& file, double seconds, const std::atomic<bool>* stop,
                    const std::function<void(size_t done, size_t all, const Sentence& last)>& progress = {});

}  // namespace vyre::symbolic
