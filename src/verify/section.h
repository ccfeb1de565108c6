// Sections: the kinds of cases that a family has, each with all that is done with it.
//
// Operators at every type have cases element by element, and laws; ir.atomics has single operators and
// programs of many invocations; ir.shapes has rows of a covering array. A family is the list of its sections
// in verify/families.def. Whatever is asked of a family (its verdict, the counts that a plan wants, how long
// it takes, what the registry's digest is of) is asked of each section in turn, and nothing else knows which
// families have which.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/digest.h"
#include "verify/families.h"

namespace vyre::verify {

/// A slice of a family under way: the arguments of check_slice(), and where the verdict goes.
struct SectionRun {
  backend::Backend& backend;
  Family family;
  std::optional<Track> track;
  const FamilyPlan& plan;
  uint64_t seed;
  const Monitor& monitor;
  Verdict& verdict;
  uint32_t slice = 0, slices = 1;  // of the section
};

/// Hashes what a registry says of an entry. Each text goes in after its length, so that no two entries hash
/// alike by concatenation.
class EntryHasher {
 public:
  void text(std::string_view text);
  void words(std::span<const uint32_t> words);
  void word(uint32_t word) { hasher_.update_u32(word); }
  void number(uint64_t number) { hasher_.update_u64(number); }
  Digest finish() { return hasher_.finish(); }

 private:
  Hasher hasher_;
};

class Section {
 public:
  virtual ~Section() = default;
  /// How many slices it is judged in; 0: the track has none of its cases.
  virtual uint32_t slices(std::optional<Track>, const FamilyPlan&) const { return 1; }
  /// Judges a slice and adds to the verdict. The backend was restarted before. Errors: what ends the family.
  virtual Result<void> check(const SectionRun& run) const = 0;
  /// Adds what it has to run, worked out from its lists.
  virtual void count(const Part& part, const FamilyPlan& plan, uint64_t seed, FamilySize& out) const = 0;
  /// Where counts do not say what was planned: what is not so in a verdict, or empty.
  virtual std::optional<std::string> other_than_planned(const Verdict&, const FamilyPlan&, uint64_t) const {
    return std::nullopt;
  }
  /// Adds what it takes.
  virtual void estimate(const Part& part, const FamilyPlan& plan, FamilyEffort& out) const = 0;
  /// Where its cases are programs.
  virtual std::unique_ptr<ProgramSource> source(Family, uint64_t, const backend::Limits&) const {
    return nullptr;
  }
  /// What the registry's digest is of.
  virtual void describe(Family, EntryHasher&) const {}
};

/// The sections of a family, in the order in which they are judged.
std::vector<const Section*> sections_of(Family family);

/// Sections have no state: there is one of a class.
template <typename Kind>
const Section& the_section() {
  static const Kind section;
  return section;
}
// One a kind.
const Section& element_section();
const Section& law_section();
const Section& text_section();
const Section& random_section();
const Section& claim_section();
const Section& row_section();
const Section& planted_section();

/// The digest of the programs of a family's elementwise subjects.
std::string pipelines_of(Family family, std::optional<Track> track);
/// "B004: no device".
std::string text_of(const Diag& diag);

}  // namespace vyre::verify
