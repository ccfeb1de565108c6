// Whole domains by digest: every input of a function of one f32, without its oracle.
//
// What an elementary function gives for all 2^32 patterns is 16 GiB that take the oracle minutes to work out.
// So the oracle's answers were worked out once, and of each slice of 2^20 the first word of their SHA-256 is
// kept in domain_digests.bin. That was recorded from this project's own oracle, so it is a regression and no
// specification. A backend's slice with the same digest is right; of one with another digest every answer is
// compared with the operation's reference, which locates the wrong ones. A fault that changes answers by
// chance goes unnoticed in one slice of 2^32. Source: vyre-conform-spec, "L1 Parity"; docs/floats.md, "What
// was run".
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "verify/examine.h"
#include "verify/leaves.h"

namespace vyre::verify {

/// The first words of the digests of the oracle's answers, slice after slice of kLeafCases; empty where
/// they have not been made.
///
/// operation: an operation's id, as "float.f32.sin"
std::span<const uint32_t> domain_digests(std::string_view operation);

/// All of domain_digests.bin, function after function (`float_sweep --expect --slices FILE`).
std::span<const uint32_t> recorded_digests();

/// What domain_digests() keeps of answers: the first word of their digest, as people read it.
uint32_t digest_word(std::span<const uint32_t> answers);

/// A slice of a whole domain, judged by its digest or, where that differs, case by case. `wanted`: its
/// digest; part: the range "whole", kLeafCases of it. Adds to the verdict and the leaves what check_cases()
/// adds. Errors: as of check_cases(). Cost: a dispatch; where the digest differs, the reference of each case.
Result<void> check_domain(const Subject& subject, Examiner& examiner, const CaseRange& part, uint32_t wanted,
                          uint64_t seed, const Monitor& monitor, Verdict& verdict, LeafWriter& leaves);

}  // namespace vyre::verify
