// Operations over buffers that list records, as the invariants of engines need them: cases, and runs.
//
// A listing is an opspec::EngineSpec: what the outputs of an operation list, and how many. The engines have
// theirs in src/opspec; a few operations of the library that list something (places of a needle, pairs of a
// join, tokens) have one here, so that the invariants are asked of them as well.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "library/library.h"
#include "opspec/engine.h"
#include "property/property.h"
#include "verify/buffer_judge.h"

namespace vyre::test {

/// Those that promise an invariant; an operation of the library that is here promises all.
std::vector<const opspec::EngineSpec*> listings(library::Invariant invariant);

/// A case of an operation that lists: the listing, and the contents of its buffers.
struct ListingCase {
  const opspec::EngineSpec& listing;
  const opspec::OperationSpec& operation;
  opspec::Buffers input;
  /// What the reference leaves.
  opspec::Buffers wanted() const;
  /// What a run on the backend under test leaves.
  opspec::Buffers got() const;
};
/// Of any listing that promises the invariant; malformed one time in four.
ListingCase listing_case(const PropertyCase& c, library::Invariant invariant);

/// A case of an operation, and what a run of it leaves. Operations are compiled once a process.
verify::BufferJudge& judge_of(const opspec::OperationSpec& operation);
opspec::Buffers run_of(const opspec::OperationSpec& operation, const opspec::Buffers& input);

/// The records that are listed, sorted: as a multiset.
std::vector<opspec::Record> sorted_records(const opspec::EngineSpec& listing, const opspec::Buffers& buffers);
/// One record for people, the first that is in `a` more often than in `b`; empty where there is none. Both
/// sorted.
std::string more_often(const std::vector<opspec::Record>& a, const std::vector<opspec::Record>& b);

}  // namespace vyre::test
