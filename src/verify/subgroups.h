// Operations of subgroups as a backend declares them: what it has must work, what it has not must be refused.
//
// Category C is optional, so a backend without it is no worse; but it must say so, in the words that the
// specification fixes: compiling a program with such a call answers B002 and names operation and backend. A
// claim is what a backend says of one operation (Backend::has), and each claim is a case. Where it says no,
// the program with the call must be refused and the same program without it must run, so the refusal is about
// nothing else. Where it says yes, the program must compile at the size of subgroups that it declares; the
// programs of ir.subgroups then hold the answers to the reference's. Source: vyre-conform-spec, "The Category
// A+C rule".
#pragma once

#include <bitset>

#include "backend/backend.h"
#include "verify/monitor.h"
#include "verify/verdict.h"

namespace vyre::verify {

using IntrinsicSet = std::bitset<spec::kIntrinsicCount>;

/// Whether programs of subgroups of this many lanes can be run: a power of two up to 128.
bool is_subgroup_size(uint32_t lanes);

/// Checks one claim: case number `intrinsic` of strategy "claim". Adds to the verdict its tallies,
/// dispatches, canaries, and the failure if there is one. Errors  what the backend answers to a program that
/// has no such operation; the work is then undone. Return  whether programs may use the operation on this
/// backend.
Result<bool> check_claim(backend::Backend& backend, spec::Intrinsic intrinsic, uint64_t seed,
                         Verdict& verdict);

/// All claims. Return: the operations that programs may use.
Result<IntrinsicSet> check_claims(backend::Backend& backend, uint64_t seed, const Monitor& monitor,
                                  Verdict& verdict);

}  // namespace vyre::verify
