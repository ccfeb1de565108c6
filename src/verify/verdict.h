// Verdicts: what was found out about one subject of a certification, as plain data.
//
// A subject is an operation ("primitive.math.add@1", over buffers "hash.sha256@1", an engine "engine.bfs@1",
// over tensors "tensor.matmul@1") or a family of IR programs ("ir.barriers"). Verifying it gives a Verdict;
// certify/ derives levels, certificates and reports from verdicts alone, so whatever they say can be
// recomputed by the holder of the certificate. Every count stands beside the number that was planned: zero
// failures must not look like not having run. Source: semantics, "Laws and evidence"; oracles;
// docs/certificate.md, "A verdict".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "spec/oracle.h"

namespace vyre::verify {

enum class Strength : uint8_t { Quick, Standard, Full };
inline constexpr std::array<std::string_view, 3> kStrengthNames = {"quick", "standard", "full"};
constexpr std::string_view text(Strength s) { return kStrengthNames[static_cast<size_t>(s)]; }

/// Where the expected values of a case came from; the stronger first.
using Oracle = spec::Oracle;
using spec::kOracleNames;
using spec::text;

/// Which kind of check found a failure.
enum class Check : uint8_t { Definition, Parity, Law, Determinism, Invariant };
inline constexpr std::array<std::string_view, 5> kCheckNames = {"definition", "parity", "law", "determinism",
                                                                "invariant"};
constexpr std::string_view text(Check c) { return kCheckNames[static_cast<size_t>(c)]; }

/// How small a failing input is known to be. Smallest is a minimum by exhaustion, in the order of semantics;
/// Shrunk came from sampling; Found is as the generator made it.
enum class Minimality : uint8_t { Smallest, Shrunk, Found };
inline constexpr std::array<std::string_view, 3> kMinimalityNames = {"smallest", "shrunk", "as found"};
constexpr std::string_view text(Minimality m) { return kMinimalityNames[static_cast<size_t>(m)]; }

/// What a backend did wrong.
enum class Fault : uint8_t {
  WrongValue,      // an answer that is not the oracle's
  NotWritten,      // no answer: what the result started as is still there
  WroteOutside,    // a guard word was overwritten
  Crashed,         // the process died
  Hung,            // alone, three times, no answer within the budget
  LostDevice,      // and a known answer came right afterwards, so it was this case
  Refused,         // a resource that a case of this size must find, or a valid program not compiled
  BrokeContract,   // another size or message than the interface promises
  OrderDependent,  // right alone; wrong beside or after the cases of `history`
  Flaky,           // right alone and wrong in some of many equal runs
  LateWrite,       // results changed after the dispatch was answered
  FalseClaim,      // says that it has what it has not; or a file claims what its definition refutes
  Law,             // a law does not hold
  Invariant,       // a promise of an engine does not hold
};
inline constexpr std::array<std::string_view, 14> kFaultNames = {
    "wrong value", "not written",        "wrote outside",   "crashed", "hung",       "lost the device",
    "refused",     "broke the contract", "order-dependent", "flaky",   "late write", "false claim",
    "law",         "invariant"};
constexpr std::string_view text(Fault f) { return kFaultNames[static_cast<size_t>(f)]; }

struct Failure {
  Check check = Check::Parity;
  std::string oracle;  // what says so: "cpu reference function", "Commutative", a row's source
  Minimality minimality = Minimality::Found;
  std::vector<uint32_t> input;     // operands or a law's variables; empty for programs
  std::vector<uint32_t> expected;  // bits
  std::vector<uint32_t> actual;
  std::string note;   // the place that differs, a row's rationale, a backend's refusal
  std::string token;  // for `vyre-conform replay`
  Fault fault = Fault::WrongValue;
  /// Tokens of the cases that must be run beside or before this one for it to fail, in order; the one to
  /// the culprit is this failure's own `token`, and what it spoils stands in `note`.
  std::vector<std::string> history;
  bool operator==(const Failure&) const = default;
};

/// How many failures of a subject are kept whole; all are counted.
inline constexpr size_t kKeptFailures = 16;
/// How many cases the history of a failure names.
inline constexpr size_t kKeptHistory = 8;

/// Cases. Those that passed, failed, are waived or unsupported add up to what was planned.
struct Tally {
  uint64_t planned = 0;
  uint64_t completed = 0;  // answers that a run really produced
  uint64_t failed = 0;
  uint64_t waived = 0;       // failed as an expectation says; not among `failed`
  uint64_t unsupported = 0;  // not run, since the backend says that it lacks what they need
  bool whole() const {
    return planned > 0 && completed == planned && failed == 0 && waived == 0 && unsupported == 0;
  }
  bool operator==(const Tally&) const = default;
};

void add(Tally& sum, const Tally& more);

struct OracleCases {
  Oracle oracle{};
  Tally tally;
  bool operator==(const OracleCases&) const = default;
};

/// A leaf of a certificate: at most kLeafCases consecutive cases of a subject's plan under one oracle, and
/// what the backend answered to them. Where leaves begin follows from the plan alone, so the holder of a
/// certificate can pick one, run its cases again and compare the digest (suite/audit.h).
struct Leaf {
  Oracle oracle{};
  std::string generator;  // where its cases came from: "random", or the first and the last: "grid..random"
  uint64_t slice = 0;     // its number among the leaves of the subject under this oracle
  Tally tally;
  /// 128 bits in hexadecimal, of the answers in the order of the cases. Empty where there are none to
  /// compare: answers that stayed on the device, claims, and what is not the same in two equal runs.
  std::string digest;
  bool operator==(const Leaf&) const = default;
};
inline constexpr uint64_t kLeafCases = uint64_t{1} << 20;

/// Cases that failed: numbers first, first + stride, ... last.
struct FailingCases {
  std::string generator;  // what comes before the seed in their tokens: "primitive.math.add@1:random"
  uint64_t first = 0, last = 0, stride = 1;
  bool operator==(const FailingCases&) const = default;
};
/// How many runs of failing cases a verdict lists; the cases of the others are in the counts alone.
inline constexpr size_t kKeptFailing = 4096;

struct ClassHits {
  std::string name;
  uint64_t hits = 0;
  bool operator==(const ClassHits&) const = default;
};

/// What the statement of a law was tried on, for one subject of evidence.
struct Evidence {
  std::string subject;  // "spec", "device(9f8e7d6c5b4a3f2e, LLVM 19.1.7)": pipeline digest and driver
  std::string grade;  // "exhausted(u8)", "exhausted(edge256)", "witnessed(1000000, 42)", "refuted(0x1, 0x0)"
  uint64_t cases = 0;
  bool holds = false;  // for a denied law: its witness refuted it
  bool operator==(const Evidence&) const = default;
};

struct LawVerdict {
  std::string law;      // as the specification writes it: "Identity(0)"
  bool claimed = true;  // else denied
  std::vector<Evidence> evidence;
  bool operator==(const LawVerdict&) const = default;
};

/// What became of a promise of an engine.
struct InvariantVerdict {
  std::string invariant;  // "Ordered"
  std::string evidence;   // how it was judged: "records in their order, ties by tags"
  Tally cases;
  bool operator==(const InvariantVerdict&) const = default;
};

enum class SubjectKind : uint8_t {
  Operation,
  Family,
  BufferOperation,
  Engine,
  GeneratedEngines,
  TensorOperation,
  GeneratedGraphs
};
inline constexpr std::array<std::string_view, 7> kSubjectKindNames = {
    "operation",         "family",           "operation over buffers", "engine",
    "generated engines", "tensor operation", "generated graphs"};
constexpr std::string_view text(SubjectKind k) { return kSubjectKindNames[static_cast<size_t>(k)]; }
/// What certificates and reports hold of a verdict for the kind of its subject.
struct SubjectKindInfo {
  bool has_table = true;      // rows, two definitions, classes and boundary values, of which all must be run
  bool has_coverage = false;  // of the shape of programs and dispatches
  bool one_error_a_case = true;  // else one or more: a case is a program with several results
  std::string_view error_unit = "";
  std::string_view tolerance = "";  // what else is known of approximate results
  std::string_view beyond = "";  // of answers that are not right: their number, the bound, the greatest error
  std::string_view on_float_track = "";  // follows the name, where subjects have one on both tracks
  // By strength: the least cases of parity, and instances of a law that is witnessed alone; 0: none are
  // asked, or laws are exhausted as well.
  std::array<uint64_t, 3> cases = {}, laws = {};
  bool has_invariants = false;  // one at least, which all must hold for L3
  bool has_tensors = false;     // L3 is of such as well
};
inline constexpr SubjectKindInfo kOverBuffersInfo = {.cases = {100, 10'000, 40'000},
                                                     .laws = {10, 200, 2'000}};
inline constexpr std::array<SubjectKindInfo, 7> kSubjectKinds = {{
    {.error_unit = "ULP",
     .beyond = "{} answers beyond the bound of {} ULP, the farthest {} away",
     .cases = {10'000, 1'000'000, 4'000'000}},
    {.has_table = false,
     .has_coverage = true,
     .one_error_a_case = false,
     .error_unit = "ULP of the sum of magnitudes",
     .tolerance = "rounded up; each sum has its own tolerance, of which the bound is the greatest",
     .beyond = "{} answers beyond their tolerances of at most {} ULP of the sum of magnitudes, or not the "
               "only right one",
     .on_float_track = " (floats)"},
    kOverBuffersInfo,
    // An engine is an operation over buffers with promises.
    {.cases = kOverBuffersInfo.cases, .laws = kOverBuffersInfo.laws, .has_invariants = true},
    {.has_table = false, .has_invariants = true},
    {.has_table = false, .on_float_track = " (floats)", .cases = {12, 36, 480}, .has_tensors = true},
    {.has_table = false, .on_float_track = " (floats)", .cases = {6, 18, 240}, .has_tensors = true},
}};
constexpr const SubjectKindInfo& info(SubjectKind k) { return kSubjectKinds[static_cast<size_t>(k)]; }
constexpr bool is_operation(SubjectKind k) { return k != SubjectKind::Family; }

/// What a level is claimed of. A strict subject is of the float track when one of its types is a float. The
/// approximate track has nothing to do with the other two: no run and no certificate has both.
enum class Track : uint8_t { Integer, Float, Approximate };
inline constexpr std::array<std::string_view, 3> kTrackNames = {"integer", "float", "approximate"};
constexpr std::string_view text(Track t) { return kTrackNames[static_cast<size_t>(t)]; }

/// How far the answers to an approximate operation were from the correctly rounded values, in steps from
/// number to number (verify/deviation.h); of a family of sums, how far these were from the exact ones, in ULP
/// of the sum of magnitudes, the fraction rounded up (verify/sums.h). counts[n]: n of them, and right; there
/// are bound + 1.
struct Deviations {
  uint32_t bound = 0;
  std::vector<uint64_t> counts;
  uint64_t beyond = 0;    // answers that are not right
  uint64_t greatest = 0;  // steps of any answer that has a number of them
  bool operator==(const Deviations&) const = default;
};
void add(Deviations& sum, const Deviations& more);

/// What of the shape of programs and dispatches was run: of ir.shapes (verify/shape_factors.h).
struct Coverage {
  struct Level {
    std::string level;   // "97"
    uint64_t cases = 0;  // none: the device does not have it
    bool operator==(const Level&) const = default;
  };
  struct Factor {
    std::string factor;  // "workgroup"
    std::vector<Level> levels;
    bool operator==(const Factor&) const = default;
  };
  /// Combinations of so many levels of different factors.
  struct Tuples {
    uint32_t strength = 0;
    uint64_t covered = 0, feasible = 0;
    bool operator==(const Tuples&) const = default;
  };
  std::vector<Factor> factors;
  std::vector<Tuples> tuples;  // of one level, of two, up to the strength of the plan
  uint64_t infeasible = 0;     // of that strength, those that no case can have
  bool operator==(const Coverage&) const = default;
};

struct Verdict {
  SubjectKind kind{};
  std::string subject;              // "primitive.math.add@1", "ir.barriers"
  std::string entry;                // digest of what the registry says of it (certify/certificate.h)
  std::string pipeline;             // digest of the program that was dispatched (families: of all of them)
  std::vector<OracleCases> parity;  // the stronger oracle first
  std::vector<Leaf> leaves;         // of parity, in the order of the plan
  Tally definition;                 // the two definitions of an operation against its rows and one another
  Tally determinism;                // repeated evaluations
  uint64_t dispatches = 0;
  uint64_t canaries = 0;         // guard words looked at
  uint64_t canaries_broken = 0;  // of these, overwritten
  std::vector<ClassHits> classes;
  uint32_t boundaries = 0;      // boundary values declared
  uint32_t boundaries_hit = 0;  // and run
  std::vector<LawVerdict> laws;
  std::vector<InvariantVerdict> invariants;  // of an engine, one a promise
  uint64_t failure_count = 0;
  std::vector<Failure> failures;      // the first kKeptFailures different ones
  std::vector<FailingCases> failing;  // of parity, all of them: for the run report, not for the certificate
  std::string failing_digest;         // of that list, where it is not empty
  std::string error;                  // a diagnostic that stopped the subject, or empty
  Track track{};                      // a family may have a verdict for each
  Deviations deviations;              // of an approximate subject's cases
  uint32_t operators = 0;  // of a family: operators, casts and the like at a type, each judged on its cases
  uint32_t shapes = 0;     // of a family: programs whose inputs were all run
  Coverage coverage;       // of ir.shapes
  bool operator==(const Verdict&) const = default;
};

/// Adds a summand: what was found out about the same subject by a check of other things. The kept failures
/// are the first ones of the sum, so the order of summands matters for them alone.
/// Domain: at most one summand has evidence on a law.
void add(Verdict& sum, Verdict summand);

/// Keeps a failure when there is room, unless the same case came down to the same fault before.
void keep(Verdict& verdict, Failure failure);

/// Lists a case that failed, in the same run as the one before where it continues that.
void list_failing(Verdict& verdict, std::string_view generator, uint64_t number, uint64_t stride);

/// "primitive.math.add@1"
std::string subject_of(std::string_view id, uint32_t version);

}  // namespace vyre::verify
