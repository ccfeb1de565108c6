#include "verify/deviation.h"

#include <algorithm>

#include "verify/elementwise.h"
#include "verify/parity.h"

namespace vyre::verify {

std::optional<uint64_t> steps_between(spec::FloatFormat f, uint32_t a, uint32_t b) {
  if (a == b) return 0;
  if (f.is_nan(a) || f.is_nan(b) || ((a ^ b) & f.sign_bit()) != 0) return std::nullopt;
  return a > b ? a - b : b - a;
}

bool is_settled_at(spec::FloatFormat f, uint32_t operand) {
  const uint32_t magnitude = operand & (f.sign_bit() - 1);
  return magnitude == 0 || magnitude >= f.infinity();
}

void settle_approximate(const Subject& subject, std::span<const uint32_t* const> columns,
                        std::span<const uint32_t> wanted, std::span<uint32_t> answers, uint32_t poison,
                        Deviations* counted) {
  if (subject.bound == 0 || wanted.empty()) return;
  const spec::FloatFormat f = spec::float_format(subject.application.output);
  Deviations seen;
  seen.counts.resize(subject.bound + 1);
  for (size_t i = 0; i < answers.size(); ++i) {
    const bool written = answers[i] != poison;
    const auto steps = steps_between(f, wanted[i], answers[i]);
    const bool settled =
        std::ranges::any_of(columns, [&](const uint32_t* column) { return is_settled_at(f, column[i]); });
    const uint64_t allowed = settled ? 0 : subject.bound;
    if (steps && written) seen.greatest = std::max(seen.greatest, *steps);
    if (!steps || !written || *steps > allowed) {
      ++seen.beyond;
      continue;
    }
    ++seen.counts[*steps];
    answers[i] = wanted[i];
  }
  if (counted != nullptr) {
    seen.bound = subject.bound;
    add(*counted, seen);
  }
}

uint32_t poison_of(const Subject& subject, std::span<const uint32_t> wanted, uint64_t seed, uint64_t index) {
  if (subject.bound == 0) return poison_for(subject.application.output, wanted, seed, index);
  // A signalling NaN: operations give quiet ones. It is another one from slice to slice.
  const spec::FloatFormat f = spec::float_format(subject.application.output);
  const uint32_t quiet = f.nan() ^ f.infinity();
  constexpr uint64_t kMix = 0x9e3779b97f4a7c15;
  return f.infinity() | uint32_t(1 + ((seed ^ index) * kMix >> 32) % (quiet - 1));
}

}  // namespace vyre::verify
