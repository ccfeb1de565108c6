// Certificates: verdicts, what they are about and what follows from them, as one canonical JSON document.
//
// A certificate is a pure function of the verdicts and the plan: no time, no host name, no order of threads
// is in it, so two runs with one seed on one device give the same bytes. Its derived parts (levels, totals)
// are written for people and recomputed by its reader; its digest covers everything else in it. There
// is exactly one text a certificate: parse() accepts only what print() would have written, so any edit is
// noticed. It is a statement as in-toto has them, in an envelope that may be signed (certify/envelope.h).
// docs/certificate.md describes the schema.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "base/digest.h"
#include "base/result.h"
#include "certify/envelope.h"
#include "certify/level.h"
#include "certify/waiver.h"
#include "verify/verdict.h"

namespace vyre::certify {

inline constexpr uint32_t kFormatVersion = 5;
inline constexpr std::string_view kAllFamilies = "*";

/// What was there to be certified: the operations and families of this build.
struct Registry {
  std::string digest;
  uint32_t operations = 0;  // of the integer track
  uint32_t families = 0;
  uint32_t float_operations = 0;  // of the other
  uint32_t float_families = 0;
  uint32_t approximate_operations = 0;  // and then there are none of the others
  uint32_t approximate_families = 0;
  // What the entries have: of operations and operators the laws, claimed and denied; of operations the
  // classes and boundary values; of families the operators at a type and the programs of a shape.
  uint32_t laws = 0;
  uint32_t classes = 0;
  uint32_t boundaries = 0;
  uint32_t operators = 0;
  uint32_t shapes = 0;
  /// Of the operations of both tracks, those on tensors: builds before them had none.
  uint32_t tensors = 0;

  uint32_t operations_of(verify::Track track) const {
    switch (track) {
      case verify::Track::Integer: return operations;
      case verify::Track::Float: return float_operations;
      case verify::Track::Approximate: return approximate_operations;
    }
    return 0;
  }
  uint32_t families_of(verify::Track track) const {
    switch (track) {
      case verify::Track::Integer: return families;
      case verify::Track::Float: return float_families;
      case verify::Track::Approximate: return approximate_families;
    }
    return 0;
  }
  /// Whether it is that of the approximate track.
  bool is_approximate() const { return approximate_operations != 0; }
  /// The tracks that a certificate speaks of.
  std::vector<verify::Track> tracks() const {
    if (is_approximate()) return {verify::Track::Approximate};
    if (has_floats()) return {verify::Track::Integer, verify::Track::Float};
    return {verify::Track::Integer};
  }
  /// Whether there are two tracks: builds before floats had one.
  bool has_floats() const { return float_operations != 0 || float_families != 0; }
  bool operator==(const Registry&) const = default;
};
/// The registry that is built in. The digest covers names and digests of its entries: id, version, signature,
/// composition (as wire bytes), laws, denials, classes, boundary values and specification rows of each
/// operation; name, members, rows and programs of each family.
/// The approximate track has a registry of its own, which has the bounds besides.
const Registry& this_registry(bool approximate = false);
/// The digest of what this build's registry says of a subject, 128 bits in hexadecimal; empty for a name that
/// it does not have. A verdict on an entry holds in any registry that has the same entry, so a new operation
/// does not void the verdicts on the others.
std::string entry_of(std::string_view subject);

struct Certificate {
  std::string vyre;     // version that wrote it
  std::string backend;  // "native"
  std::string device;
  std::string driver;
  std::string floats;  // backend::FloatUse::line(); empty: the backend says nothing of floats
  Registry registry;
  verify::Strength strength{};
  uint64_t seed = 0;
  std::string selection;                                     // the pattern of --ops
  std::string family_selection = std::string(kAllFamilies);  // of --families
  std::vector<verify::Verdict> verdicts;
  std::vector<Waiver> waivers;  // in the order of the verdicts

  /// Of what was selected: where families were left out, the level of a part.
  Level level(verify::Track track = verify::Track::Integer) const;
  /// "L2"; of a part "L2(3 of N families)", which is no whole level.
  std::string level_text(verify::Track track) const;
  /// What follows "level: ": "integer=L2 float=L2f".
  std::string level_line() const;
  /// How many operations, over values and over buffers, or families were selected and judged.
  uint32_t judged(bool operations, verify::Track track) const;
  uint32_t operations(verify::Track track = verify::Track::Integer) const { return judged(true, track); }
  uint32_t families(verify::Track track) const { return judged(false, track); }
  /// Families that a level of the track is of: all of the registry, but for those that were left out.
  uint32_t selected_families(verify::Track track) const;
  /// Whether every verdict supports every level.
  bool passed() const;
  /// The same of those that are not waived: whether there is nothing unexpected.
  bool conforms() const;
  bool operator==(const Certificate&) const = default;
};

/// How much of a registry a run covered.
struct Coverage {
  struct Share {
    uint32_t covered = 0, of = 0;
    bool operator==(const Share&) const = default;
  };
  Share operations, families;  // judged to the end
  Share operators, shapes;     // of families, the same
  Share laws;                  // verified, or refuted as they are denied
  Share classes;               // that a case was in
  Share boundaries;            // boundary values that were run
  bool operator==(const Coverage&) const = default;
};
Coverage coverage(const Certificate& certificate);

struct Totals {
  uint64_t parity_cases = 0;
  uint64_t law_cases = 0;  // instances of statements, on the definition and on the backend
  uint64_t repeated_evaluations = 0;
  uint64_t dispatches = 0;
  uint64_t laws_claimed = 0, laws_verified = 0;
  uint64_t laws_denied = 0, laws_refuted = 0;
  uint64_t promises = 0, promises_kept = 0;  // of engines
  uint64_t failures = 0;
  uint64_t flaky = 0;  // verdicts with a failure by chance
  /// Cases of parity. What was planned is passed, failed, waived or unsupported; failed is also what gave no
  /// answer.
  uint64_t planned = 0, passed = 0, failed = 0, waived = 0, unsupported = 0;
};
Totals totals(const Certificate& certificate);

/// Whether the level is at least the one that was asked for, and of all families. Errors: C006.
Result<void> require(const Certificate& certificate, const Requirement& wanted);

/// Statements that a reader of the certificate has to believe, since it does not show them.
const std::vector<std::string>& trusted();

/// The one text of a certificate, signed when there is a key; one line.
std::string print(const Certificate& certificate, const PrivateKey* key = nullptr);

/// The digest that print() puts in: of the statement without it.
Digest digest(const Certificate& certificate);

/// A certificate and the envelope that it came in, whose signature open() does not check: see
/// check_signature().
struct Signed {
  Certificate certificate;
  Envelope envelope;
};

/// Errors: C001 for what is not a certificate of this format; C002 when digest, levels or totals do not
/// follow from the verdicts or when the text is not the canonical one.
Result<Signed> open(std::string_view text);

/// The certificate that open() gives.
Result<Certificate> parse(std::string_view text);

/// Whether write_atomically() could start: the folder is there and may be written to, the path is no folder.
std::expected<void, std::string> check_writable(const std::filesystem::path& path);

/// Writes all of it, however often that is interrupted: 0, or the errno of what failed.
int write_all(int file, std::string_view text);

/// Writes a file whole or not at all: into a temporary beside it, then renamed. Errors: a message for exit
/// code 2.
std::expected<void, std::string> write_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace vyre::certify
