#include "verify/leaves.h"

#include <fmt/format.h>

#include <algorithm>

namespace vyre::verify {
namespace {

/// Whether the answers of a run that failed so are not those of the next.
bool is_of_chance(const Failure& failure) {
  return failure.fault == Fault::Flaky || failure.fault == Fault::LateWrite;
}

}  // namespace

bool has_chance(const Verdict& verdict) { return std::ranges::any_of(verdict.failures, is_of_chance); }

Leaf& LeafWriter::leaf_for(std::string_view generator, uint64_t cases, bool by_chance) {
  if (leaf_ && leaf_->tally.planned + cases > kLeafCases) end(by_chance);
  if (!member_.empty()) generator = member_;
  if (!leaf_) {
    if (!slice_) slice_ = uint64_t(std::ranges::count(verdict_.leaves, oracle_, &Leaf::oracle));
    leaf_ = Leaf{oracle_, std::string(generator), (*slice_)++, {}, {}};
    first_ = generator;
    digested_ = true;
    hasher_ = Hasher();
  }
  if (first_ != generator) leaf_->generator = fmt::format("{}..{}", first_, generator);
  return *leaf_;
}

void LeafWriter::add(std::string_view generator, const Tally& tally, std::span<const std::byte> answers) {
  Leaf& leaf = leaf_for(generator, tally.planned, has_chance(verdict_));
  verify::add(leaf.tally, tally);
  hasher_.update(answers);
}

void LeafWriter::add(std::string_view generator, const Tally& tally, std::span<const uint32_t> answers,
                     bool by_chance) {
  Leaf& leaf = leaf_for(generator, tally.planned, by_chance);
  verify::add(leaf.tally, tally);
  hasher_.update(std::as_bytes(answers));
}

void LeafWriter::add(std::string_view generator, const Tally& tally) {
  verify::add(leaf_for(generator, tally.planned, has_chance(verdict_)).tally, tally);
  digested_ = false;
}

void LeafWriter::end() { end(has_chance(verdict_)); }

void LeafWriter::end(bool by_chance) {
  if (!leaf_) return;
  const bool stable = leaf_->tally.failed == 0 || !by_chance;
  if (digested_ && stable) leaf_->digest = hasher_.finish().hex().substr(0, kDigestDigits);
  verdict_.leaves.push_back(std::move(*leaf_));
  leaf_.reset();
}

}  // namespace vyre::verify
