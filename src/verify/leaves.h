// Leaves: the answers of a backend, digested slice by slice, as a certificate keeps them.
//
// A certificate of 10^8 cases cannot hold 10^8 answers; it holds a digest of each 2^20 of them. A LeafWriter
// is fed with the answers in the order of the subject's plan and cuts them where the plan says, however the
// work was spread over threads, processes or machines. Source: docs/certificate.md, "Leaves".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/digest.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// Of a digest, in certificates: 128 bits, enough where there is nothing to gain by two things with one
/// digest.
inline constexpr size_t kDigestDigits = 32;

/// Whether a failure is among those kept which the next run may not have.
bool has_chance(const Verdict& verdict);

class LeafWriter {
 public:
  /// Leaves of one oracle go to the verdict, which must outlive it. `slice`: the number of the first; none:
  /// they follow those that are there.
  LeafWriter(Verdict& verdict, Oracle oracle, std::optional<uint64_t> slice = std::nullopt)
      : verdict_(verdict), oracle_(oracle), slice_(slice) {}
  LeafWriter(const LeafWriter&) = delete;
  LeafWriter& operator=(const LeafWriter&) = delete;
  /// Ends the last leaf: what a check did before an error is in the verdict too.
  ~LeafWriter() { end(); }

  /// What the next cases belong to, where that says more than their generators do: a family's member.
  void of(std::string_view member) { member_ = member; }
  /// The next cases and their answers. A leaf that has no room for all of them ends before them.
  /// Domain  tally.planned <= kLeafCases
  void add(std::string_view generator, const Tally& tally, std::span<const std::byte> answers);
  void add(std::string_view generator, const Tally& tally, std::span<const uint32_t> answers) {
    add(generator, tally, std::as_bytes(answers));
  }
  /// The same while the verdict gets more failures from another thread: `by_chance` is what has_chance() said
  /// of it when these cases had been judged. No other thread may touch the verdict's leaves meanwhile.
  void add(std::string_view generator, const Tally& tally, std::span<const uint32_t> answers, bool by_chance);
  /// Cases without answers that could be compared.
  void add(std::string_view generator, const Tally& tally);
  void end();

 private:
  Leaf& leaf_for(std::string_view generator, uint64_t cases, bool by_chance);
  void end(bool by_chance);

  Verdict& verdict_;
  const Oracle oracle_;
  std::optional<uint64_t> slice_;
  std::string member_;
  std::optional<Leaf> leaf_;
  std::string first_;  // generator of the leaf
  bool digested_ = true;
  Hasher hasher_;
};

}  // namespace vyre::verify
