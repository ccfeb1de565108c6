// Shrinking: from a failing tuple of operands to a smaller one that fails as well.
//
// The order of counterexamples is fixed: the largest operand first (as an unsigned bit pattern), then the
// operands left to right; smaller is better. Only exhaustion finds the smallest one; what comes out here is
// the end of a greedy descent and is called shrunk. Source: semantics, "Laws and evidence".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace vyre::generate {

/// Whether counterexample a comes before b. Domain: equal sizes.
bool simpler(std::span<const uint32_t> a, std::span<const uint32_t> b);

/// Whether the tuple still shows the failure.
using Fails = std::function<bool(std::span<const uint32_t>)>;

/// The end of a descent from a failing tuple; deterministic; never worse than the start.
/// Cost  at most max_evaluations calls of `fails`.
std::vector<uint32_t> shrink(std::vector<uint32_t> failing, const Fails& fails,
                             size_t max_evaluations = 20'000);

}  // namespace vyre::generate
