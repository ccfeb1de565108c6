// Sums and products: what a program with freduce_approx may leave, judged by exact arithmetic.
//
// An approximate sum is a relation, as approximate functions are (verify/deviation.h): a tolerance of t says
// that the result is at most t ULP of M from the exact sum S, M being the exact sum of magnitudes, so
// cancelling terms do not make it smaller; a product is at most t ULP of itself from the exact one. Folds
// with fmin and fmax, one element, none, infinities, NaNs, and in products zeros, leave nothing to
// approximate. So there is no reference's answer to compare bytes with: S, M and the product are counted in
// integers (num/exact_sum.h, num/exact_product.h), which share nothing with what backends, kernels and
// interpreter fold with. Each right result is then replaced by the one value that it stands for, the rounded
// S or product; what stays is wrong, and digests of leaves are the same on every backend that keeps its
// tolerances.
//
// Elements are chosen for what goes wrong in sums: terms that cancel, far apart, subnormal, so large that
// an order of additions decides what overflows, infinities, NaNs, zeros of both signs; and in products:
// factors whose product in most orders overflows or vanishes on the way and is near 1, or at an end of the
// format.
// Source: docs/spec/floats.md, "Approximate operators"; vyre-conform-spec, "Approximate track".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"
#include "generate/programs.h"
#include "spec/ops.h"
#include "spec/types.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// The greatest tolerance of a sum among the programs of ir.sums: the bound of its Deviations.
inline constexpr uint32_t kSumTolerance = 64;

/// What an oracle says of one result.
struct ReductionJudgement {
  uint32_t wanted = 0;  // the result, or of many right ones the nearest to the exact sum
  bool right = false;
  /// How far it is off, in ULP of the sum of magnitudes or of the product, rounded up: 0 also where every
  /// result is right. None where no number says it.
  std::optional<uint64_t> off;
};
/// Domain: is_fold(fold).
ReductionJudgement judge_reduction(spec::DataType type, spec::Op fold, uint32_t tolerance,
                                   std::span<const uint32_t> elements, uint32_t result);

/// What elements are like; how many kinds there are.
inline constexpr uint32_t kElementKinds = 8;
/// Patterns of a float type, for sums and for products. Domain: kind < kElementKinds.
std::vector<uint32_t> sum_elements(spec::DataType type, uint32_t count, uint32_t kind, RandomStream& random);
std::vector<uint32_t> factors(spec::DataType type, uint32_t count, uint32_t kind, RandomStream& random);
/// What results start as: a NaN that no operation gives.
uint32_t unwritten_of(spec::DataType type);

// Programs of ir.sums have one FReduceApprox each, of a buffer of which invocation i stores its result in the
// last buffer. Which elements are folded the program's name says (verify/shapes/sums.vyre).

/// The right contents of a case's buffers after a run, with what is wanted in the place of results.
std::vector<Bytes> wanted_sums(const generate::ProgramCase& c);
/// Replaces each right result of a run by what is wanted there, and counts how far they were off.
/// Return  about the first that is not right; empty where all are.
std::string settle_sums(const generate::ProgramCase& c, std::vector<Bytes>& after, Deviations& counted);

}  // namespace vyre::verify
