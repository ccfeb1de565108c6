#include "certify/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "certify/canonical_json.h"
#include "certify/fields.h"
#include "certify/merkle.h"
#include "certify/packing.h"
#include "spec/ops.h"
#include "verify/leaves.h"

namespace vyre::certify {
namespace {

using nlohmann::json;

constexpr int kStatementDepth = 16;  // of nesting; a statement has 7
constexpr std::string_view kStatementType = "https://in-toto.io/Statement/v1";
constexpr std::string_view kPredicateType = "https://vyre.dev/conformance/v5";
constexpr size_t kMaxParts = size_t{1} << 22;  // of the verdicts, unpacked

/// What a tier gives, as SEMANTICS has it.
std::string tier(const Certificate& certificate) {
  const verify::Strength strength = certificate.strength;
  const bool approximate = certificate.registry.is_approximate();
  const uint64_t cases = parity_cases(strength);
  if (approximate)
    return fmt::format("{}: at least {} cases within the bound an operation", text(strength), cases);
  switch (strength) {
    case verify::Strength::Quick:
      return fmt::format("quick: all laws, and at least {} cases of parity an operation", cases);
    case verify::Strength::Standard:
      return fmt::format("standard: all laws, and at least {} cases of parity an operation", cases);
    case verify::Strength::Full:
      return fmt::format(
          "full: all laws, at least {} cases of parity an operation, and every domain of at most 2^32 inputs "
          "whole",
          cases);
  }
  return {};
}

/// The same with what operations over buffers get, where there are any: they came into a format that was in
/// use.
std::string whole_tier(const Certificate& certificate) {
  constexpr auto kind = verify::SubjectKind::BufferOperation;
  const bool any = std::ranges::any_of(certificate.verdicts, [](const verify::Verdict& v) {
    return v.kind == kind || v.kind == verify::SubjectKind::Engine;
  });
  const uint64_t cases = parity_cases(certificate.strength, kind);
  return tier(certificate) + (any ? fmt::format("; over buffers {}", cases) : "");
}

// Of evidence the pipeline is the verdict's own, which is said once: so evidence on different operations may
// be the same text.
constexpr std::string_view kOwnPipeline = "device(pipeline, ";
std::string own_pipeline(const json& verdict) {
  constexpr size_t kShort = 16;
  return fmt::format("device({}, ", verdict.at("pipeline").get<std::string>().substr(0, kShort));
}
void replace_in_evidence(json& verdicts, bool to_own) {
  for (json& verdict : verdicts) {
    const std::string mine = own_pipeline(verdict);
    const std::string_view from = to_own ? std::string_view(mine) : kOwnPipeline;
    const std::string_view to = to_own ? kOwnPipeline : std::string_view(mine);
    for (json& law : verdict.at("laws")) {
      for (json& evidence : law.at("evidence")) {
        std::string& subject = evidence.at("subject").get_ref<std::string&>();
        if (subject.starts_with(from)) subject.replace(0, from.size(), to);
      }
    }
  }
}

/// The root of the leaves of a verdict: of parity, of laws, and one of what else there is.
Digest root_of(const json& verdict) {
  std::vector<Digest> leaves;
  json rest = verdict;
  for (const char* part : {"leaves", "laws"}) {
    for (const json& leaf : verdict.at(part)) leaves.push_back(merkle_leaf(print_canonical(leaf).value()));
    rest.erase(part);
  }
  leaves.push_back(merkle_leaf(print_canonical(rest).value()));
  return merkle_root(leaves);
}

// The in-toto statement: what a certificate says, and what follows from it, but for the digest.
json statement(const Certificate& certificate) {
  json predicate = to_json(certificate);
  predicate["format"] = kFormatVersion;
  const bool approximate = certificate.registry.is_approximate();
  predicate["track"] = approximate ? "approximate" : "strict";
  predicate["tier"] = whole_tier(certificate);
  json& verdicts = predicate["verdicts"];
  replace_in_evidence(verdicts, true);
  std::vector<Digest> roots;
  for (json& verdict : verdicts) {
    verdict.erase("failing");  // it may be long, and is for the run report
    const Digest root = root_of(verdict);
    roots.push_back(merkle_leaf(root.hex()));
    verdict["root"] = root.hex().substr(0, verify::kDigestDigits);
  }
  predicate["root"] = merkle_root(roots).hex();
  verdicts = pack(verdicts);
  predicate["levels"] = {{"line", certificate.level_line()}};
  for (const verify::Track track : certificate.registry.tracks())
    predicate["levels"][std::string(text(track))] = certificate.level_text(track);
  predicate["coverage"] = to_json(coverage(certificate));
  predicate["totals"] = to_json(totals(certificate));
  predicate["trusts"] = trusted();
  // Of strings that went through to_json(), which leaves nothing that is no UTF-8.
  const std::string name =
      predicate["backend"].get<std::string>() + ": " + predicate["device"].get<std::string>();
  const json subject = {{"digest", {{"sha256", predicate["registry"]["digest"]}}}, {"name", name}};
  return {{"_type", std::string(kStatementType)},
          {"predicate", std::move(predicate)},
          {"predicateType", std::string(kPredicateType)},
          {"subject", json::array({subject})}};
}

// to_json() makes nothing that has no canonical text.
std::string canonical(const json& document) { return print_canonical(document).value(); }

Digest digest_of(const json& without_digest) { return sha256(canonical(without_digest)); }

std::string payload_of(const Certificate& certificate) {
  json out = statement(certificate);
  out["predicate"]["digest"] = digest_of(out).hex();
  return canonical(out);
}

Diag inconsistent(std::string message) {
  return make_diag(DiagCode::C002, Span::none(), std::move(message),
                   "the file was changed after it was written; certify again");
}

/// Of a file in an older format: they had no envelope, and a "format" in the outermost object.
std::optional<Diag> old_format(std::string_view text) {
  int depth_seen = 0;
  const auto flat = [&](int depth, json::parse_event_t, json&) {
    depth_seen = std::max(depth_seen, depth);
    return depth_seen <= kStatementDepth;
  };
  const json in = json::parse(text.begin(), text.end(), flat, /*allow_exceptions=*/false);
  if (depth_seen > kStatementDepth || !in.is_object()) return std::nullopt;
  const auto format = in.find("format");
  if (format == in.end() || !format->is_number_unsigned()) return std::nullopt;
  return unreadable(fmt::format("the certificate has format {}, this build reads format {}, in an envelope",
                                format->get<uint64_t>(), kFormatVersion));
}

/// Replaces the packed verdicts by what they stand for. Return: what is wrong with them.
std::optional<std::string> unpack_verdicts(json& predicate) {
  const auto packed = predicate.find("verdicts");
  if (packed == predicate.end()) return "/verdicts is missing";
  auto verdicts = unpack(*packed, kMaxParts);
  if (!verdicts) return "/verdicts " + verdicts.error();
  *packed = std::move(*verdicts);
  const auto is_text = [](const json& object, const char* key) {
    return object.is_object() && object.contains(key) && object.at(key).is_string();
  };
  const auto has_list = [](const json& object, const char* key) {
    return object.is_object() && object.contains(key) && object.at(key).is_array();
  };
  if (!packed->is_array()) return "/verdicts is not a list";
  for (const json& verdict : *packed) {
    if (!is_text(verdict, "pipeline") || !has_list(verdict, "laws"))
      return "/verdicts holds what is no verdict";
    for (const json& law : verdict.at("laws")) {
      if (!has_list(law, "evidence")) return "/verdicts has a law without evidence";
      for (const json& evidence : law.at("evidence")) {
        if (!is_text(evidence, "subject")) return "/verdicts has evidence without a subject";
      }
    }
  }
  replace_in_evidence(*packed, false);
  return std::nullopt;
}

/// Whether errors are reported of an approximate subject, and of nothing else; and each case that the
/// reference function judged is among them: of an operation it is one answer, of a family one or more.
std::optional<std::string> wrong_deviations(const verify::Verdict& verdict) {
  const verify::Deviations& d = verdict.deviations;
  if (verdict.track != verify::Track::Approximate)
    return d == verify::Deviations{} ? std::nullopt
                                     : std::optional<std::string>("a strict subject has errors");
  if (!verdict.error.empty() && d.bound == 0) return std::nullopt;  // what stopped it came before them
  if (d.counts.size() != size_t{d.bound} + 1) return "the errors are not counted up to the bound";
  uint64_t reported = d.beyond, most = 0;
  for (size_t n = 0; n < d.counts.size(); ++n) {
    reported += d.counts[n];
    if (d.counts[n] != 0) most = n;
  }
  if (d.greatest < most || (d.beyond == 0 && d.greatest != most))
    return "the greatest error is not that of the counts";
  for (const verify::OracleCases& oracle : verdict.parity) {
    if (oracle.oracle != verify::Oracle::CpuReference || !verdict.failures.empty() || !verdict.error.empty())
      continue;
    const bool one = info(verdict.kind).one_error_a_case;
    if (one ? reported != oracle.tally.completed : reported < oracle.tally.completed)
      return fmt::format("errors of {} cases are reported, and {} were judged", reported,
                         oracle.tally.completed);
  }
  return std::nullopt;
}

/// Whether coverage is reported for a family alone, and of all of its cases; what stopped it left some out.
/// Whether it is that of the plan is recomputed where the factors are known (suite/suite.h).
std::optional<std::string> wrong_coverage(const verify::Verdict& verdict) {
  const verify::Coverage& coverage = verdict.coverage;
  if (coverage == verify::Coverage{}) return std::nullopt;
  if (!info(verdict.kind).has_coverage) return "an operation has coverage of shapes";
  if (coverage.factors.empty() || coverage.tuples.empty()) return "the coverage has no factors or no tuples";
  uint64_t planned = 0;
  for (const verify::OracleCases& oracle : verdict.parity) planned += oracle.tally.planned;
  for (const verify::Coverage::Factor& factor : coverage.factors) {
    uint64_t cases = 0;
    for (const verify::Coverage::Level& level : factor.levels) cases += std::min(level.cases, planned);
    if (cases > planned)
      return fmt::format("{} cases of the factor {} are reported, and {} were planned", cases, factor.factor,
                         planned);
  }
  for (size_t k = 0; k < coverage.tuples.size(); ++k) {
    const verify::Coverage::Tuples& tuples = coverage.tuples[k];
    const bool whole = tuples.covered == tuples.feasible || !verdict.error.empty();
    if (tuples.strength != k + 1 || tuples.covered > tuples.feasible || !whole)
      return fmt::format("of tuples of {} levels {} are covered, and {} are feasible", tuples.strength,
                         tuples.covered, tuples.feasible);
  }
  return std::nullopt;
}

/// Whether leaves and tallies tell the same, and no other track's subject is among the verdicts.
std::optional<std::string> disagreement(const verify::Verdict& verdict, bool approximate) {
  if ((verdict.track == verify::Track::Approximate) != approximate)
    return "strict and approximate verdicts never share a certificate";
  if (const auto wrong = wrong_deviations(verdict)) return wrong;
  if (const auto wrong = wrong_coverage(verdict)) return wrong;
  // Promises have leaves too, but in certificates of before these.
  std::vector<verify::OracleCases> judged = verdict.parity;
  if (!verdict.invariants.empty() &&
      std::ranges::count(verdict.leaves, verify::Oracle::Property, &verify::Leaf::oracle) != 0) {
    judged.push_back({verify::Oracle::Property, {}});
    for (const verify::InvariantVerdict& promise : verdict.invariants)
      verify::add(judged.back().tally, promise.cases);
  }
  for (const verify::OracleCases& oracle : judged) {
    verify::Tally sum;
    for (const verify::Leaf& leaf : verdict.leaves) {
      if (leaf.tally.planned > verify::kLeafCases) return "a leaf has more cases than one may have";
      if (leaf.oracle == oracle.oracle) verify::add(sum, leaf.tally);
    }
    if (!verdict.error.empty()) continue;  // what stopped the subject left cases without a leaf
    if (sum.planned != oracle.tally.planned || sum.completed != oracle.tally.completed)
      return fmt::format("the leaves of the {} have {} of {} cases", text(oracle.oracle), sum.planned,
                         oracle.tally.planned);
  }
  return std::nullopt;
}

/// What a statement tells, once all that follows from it has been found to be there.
Result<Certificate> read_statement(std::string_view payload) {
  const auto in = parse_canonical(payload, kStatementDepth);
  if (!in) {
    return std::unexpected(in.error().is_json ? inconsistent("in the payload: " + in.error().message)
                                              : unreadable("the payload is not JSON"));
  }
  const auto predicate = in->is_object() ? in->find("predicate") : in->end();
  if (!in->is_object() || predicate == in->end() || !predicate->is_object())
    return std::unexpected(unreadable("the payload is no statement with a predicate"));
  const auto format = predicate->find("format");
  if (format == predicate->end() || !format->is_number_unsigned())
    return std::unexpected(unreadable("the statement has no format version, so it is not a certificate"));
  if (format->get<uint64_t>() != kFormatVersion) {
    return std::unexpected(unreadable(fmt::format("the certificate has format {}, this build reads format {}",
                                                  format->get<uint64_t>(), kFormatVersion)));
  }
  json reported = *predicate;
  if (const auto fault = unpack_verdicts(reported)) return std::unexpected(unreadable(*fault));
  auto certificate = from_json(reported);
  if (!certificate) return std::unexpected(unreadable(certificate.error()));

  for (const verify::Verdict& verdict : certificate->verdicts) {
    if (const auto wrong = disagreement(verdict, certificate->registry.is_approximate()))
      return std::unexpected(inconsistent(fmt::format("{}: {}", verdict.subject, *wrong)));
  }
  if (const auto wrong = wrong_waivers(*certificate)) return std::unexpected(inconsistent(*wrong));
  // What is derived must be what follows, first by name for a helpful message, then byte for byte.
  const json expected = statement(*certificate);
  for (const char* derived : {"coverage", "levels", "root", "tier", "totals", "track", "trusts"}) {
    const auto at = predicate->find(derived);
    const json& follows = expected["predicate"][derived];
    if (at == predicate->end() || *at != follows) {
      return std::unexpected(inconsistent(
          fmt::format("\"{}\" does not follow from the verdicts; they give {}", derived, follows.dump())));
    }
  }
  const auto claimed_digest = predicate->find("digest");
  if (claimed_digest == predicate->end() || *claimed_digest != json(digest_of(expected).hex()))
    return std::unexpected(inconsistent("the digest is not that of the contents"));
  if (payload_of(*certificate) != payload)
    return std::unexpected(
        inconsistent("the statement has more or other parts than follow from its verdicts"));
  return std::move(*certificate);
}

}  // namespace

Level Certificate::level(verify::Track track) const {
  return level_of(track, verdicts, strength, selected_families(track));
}

std::string Certificate::level_text(verify::Track track) const {
  return certify::level_text(track, level(track), {families(track), registry.families_of(track)});
}

std::string Certificate::level_line() const {
  const auto line = [&](verify::Track track) {
    return certify::level_line(track, level(track), {operations(track), registry.operations_of(track)},
                               {families(track), registry.families_of(track)});
  };
  std::string out;
  for (const verify::Track track : registry.tracks()) out += (out.empty() ? "" : " ") + line(track);
  return out;
}

uint32_t Certificate::judged(bool operations, verify::Track track) const {
  return uint32_t(std::ranges::count_if(verdicts, [&](const verify::Verdict& v) {
    return is_operation(v.kind) == operations && v.track == track;
  }));
}

uint32_t Certificate::selected_families(verify::Track track) const {
  const uint32_t all = registry.families_of(track);
  return family_selection == kAllFamilies ? all : std::min(all, families(track));
}

bool Certificate::passed() const {
  // A track of which nothing was selected has no level, and nothing that failed.
  const auto right = [&](verify::Track track) {
    const bool none =
        std::ranges::none_of(verdicts, [&](const verify::Verdict& v) { return v.track == track; });
    return none || level(track) == greatest_level(track, verdicts);
  };
  return !verdicts.empty() && std::ranges::all_of(registry.tracks(), right);
}

bool Certificate::conforms() const {
  if (passed()) return true;
  // As if what is waived had not been asked; but a family that is not there was not waived.
  for (const verify::Track track : registry.tracks()) {
    uint32_t any = 0;
    for (const verify::Verdict& v : verdicts) {
      if (v.track != track) continue;
      const Standing standing = standing_of(*this, v);
      if (standing != Standing::Passed && standing != Standing::Waived) return false;
      ++any;
    }
    if (any != 0 && (families(track) != selected_families(track) || operations(track) == 0)) return false;
  }
  return !verdicts.empty();
}

Result<void> require(const Certificate& certificate, const Requirement& wanted) {
  const bool whole =
      certificate.selected_families(wanted.track) == certificate.registry.families_of(wanted.track);
  if (whole && certificate.level(wanted.track) >= wanted.level) return {};
  return std::unexpected(make_diag(
      DiagCode::C006, Span::none(),
      fmt::format("the level is {}, and {} is required", certificate.level_line(),
                  text(wanted.track, wanted.level)),
      whole ? "the report says what is missing" : "a level is of all families; certify without --families"));
}

Coverage coverage(const Certificate& certificate) {
  const Registry& r = certificate.registry;
  Coverage out;
  out.operations.of = r.operations + r.float_operations + r.approximate_operations;
  out.families.of = r.families + r.float_families + r.approximate_families;
  out.operators.of = r.operators;
  out.shapes.of = r.shapes;
  out.laws.of = r.laws;
  out.classes.of = r.classes;
  out.boundaries.of = r.boundaries;
  for (const verify::Verdict& v : certificate.verdicts) {
    if (v.error.empty()) (is_operation(v.kind) ? out.operations : out.families).covered += 1;
    out.operators.covered += v.operators;
    out.shapes.covered += v.shapes;
    for (const verify::LawVerdict& law : v.laws)
      out.laws.covered += is_settled(v.kind, law, certificate.strength);
    for (const verify::ClassHits& c : v.classes) out.classes.covered += c.hits != 0;
    out.boundaries.covered += v.boundaries_hit;
  }
  return out;
}

Totals totals(const Certificate& certificate) {
  Totals t;
  for (const verify::Verdict& v : certificate.verdicts) {
    for (const verify::OracleCases& o : v.parity) {
      t.parity_cases += o.tally.completed;
      t.planned += o.tally.planned;
      t.waived += o.tally.waived;
      t.unsupported += o.tally.unsupported;
      // What failed has no answer or a wrong one. Where something stopped the subject, it is unknown which.
      uint64_t left = v.error.empty() ? o.tally.planned : o.tally.completed;
      for (const uint64_t other : {o.tally.failed, o.tally.waived, v.error.empty() ? o.tally.unsupported : 0})
        left -= std::min(left, other);
      t.passed += std::min(o.tally.completed, left);
    }
    t.repeated_evaluations += v.determinism.completed;
    t.dispatches += v.dispatches;
    t.failures += v.failure_count;
    t.flaky += is_flaky(v);
    t.promises += v.invariants.size();
    t.promises_kept += uint64_t(std::ranges::count_if(
        v.invariants, [](const verify::InvariantVerdict& promise) { return promise.cases.whole(); }));
    for (const verify::LawVerdict& law : v.laws) {
      for (const verify::Evidence& e : law.evidence) t.law_cases += e.cases;
      (law.claimed ? t.laws_claimed : t.laws_denied) += 1;
      if (is_settled(v.kind, law, certificate.strength))
        (law.claimed ? t.laws_verified : t.laws_refuted) += 1;
    }
  }
  t.failed = t.planned;
  for (const uint64_t other : {t.passed, t.waived, t.unsupported}) t.failed -= std::min(t.failed, other);
  return t;
}

const std::vector<std::string>& trusted() {
  static const std::vector<std::string> list = {
      "the specification rows, laws and families of the registry with this digest say what is meant",
      ("the CPU reference functions and the reference interpreter, which are checked against the rows and "
       "each other, but only on the inputs that were run"),
      "the compiler, the libraries and the machine that ran the harness",
      "an exhausted domain is that domain alone: full-width inputs are witnessed, not proved",
      ("powers and the angle of a point are witnessed, never proved: that two steps of precision leave no "
       "input "
       "undecided is an assumption about digits, and no input that was run was left so"),
      "the backend answers later as it answered then: same device, driver and version",
  };
  return list;
}

Digest digest(const Certificate& certificate) { return digest_of(statement(certificate)); }

std::string print(const Certificate& certificate, const PrivateKey* key) {
  return print(enclose(payload_of(certificate), key));
}

Result<Signed> open(std::string_view text) {
  auto envelope = parse_envelope(text);
  if (!envelope) {
    if (const auto old = old_format(text)) return std::unexpected(*old);
    return std::unexpected(envelope.error());
  }
  VYRE_TRY(certificate, read_statement(envelope->payload));
  return Signed{std::move(certificate), std::move(*envelope)};
}

Result<Certificate> parse(std::string_view text) {
  VYRE_TRY(opened, open(text));
  return std::move(opened.certificate);
}

}  // namespace vyre::certify
