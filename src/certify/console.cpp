#include "certify/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "spec/ops.h"
#include "verify/operation.h"

namespace vyre::certify {
namespace {

using verify::SubjectKind;
using verify::Verdict;

/// Failures of one subject that people are shown: mostly they have one cause. Certificate and JUnit have all
/// that are kept.
constexpr size_t kShown = 4;

struct Row {
  std::string subject, cases, laws, denied, promises, repeats, time, status;
};

uint64_t parity_total(const Verdict& v) {
  uint64_t n = 0;
  for (const verify::OracleCases& o : v.parity) n += o.tally.completed;
  return n;
}

Row row_of(const Certificate& c, const Verdict& v, double seconds) {
  Row row;
  row.subject = name_of(v);
  row.cases = grouped(parity_total(v));
  uint64_t claimed = 0, verified = 0, denied = 0, refuted = 0;
  for (const verify::LawVerdict& law : v.laws) {
    (law.claimed ? claimed : denied) += 1;
    if (is_settled(v.kind, law, c.strength)) (law.claimed ? verified : refuted) += 1;
  }
  row.laws = claimed == 0 ? "-" : fmt::format("{}/{}", verified, claimed);
  row.denied = denied == 0 ? "-" : fmt::format("{}/{}", refuted, denied);
  if (!v.invariants.empty()) {
    row.promises = fmt::format(
        "{}/{}",
        std::ranges::count_if(v.invariants, [](const auto& promise) { return promise.cases.whole(); }),
        v.invariants.size());
  }
  row.repeats = grouped(v.determinism.completed);
  row.time = fmt::format("{:.1f} s", seconds);
  row.status = text(standing_of(c, v));
  return row;
}

/// What a verdict's failures stand under.
std::string_view heading(Standing standing) {
  switch (standing) {
    case Standing::Flaky: return "FLAKY";
    case Standing::Waived: return "waived";
    case Standing::Passed:
    case Standing::PromisesFailed:
    case Standing::LawsFailed:
    case Standing::Failed: break;
  }
  return "FAILED";
}

std::string table(std::string_view title, const std::vector<Row>& rows, bool times) {
  if (rows.empty()) return {};
  const Row head{std::string(title), "cases", "laws", "denied", "promises", "repeated", "time", ""};
  const bool promises = std::ranges::any_of(rows, [](const Row& r) { return !r.promises.empty(); });
  size_t subject = title.size(), cases = head.cases.size(), repeats = head.repeats.size();
  for (const Row& r : rows) {
    subject = std::max(subject, r.subject.size());
    cases = std::max(cases, r.cases.size());
    repeats = std::max(repeats, r.repeats.size());
  }
  const auto line = [&](const Row& r) {
    std::string out =
        fmt::format("  {:<{}}  {:>{}}  {:>5}  {:>6}", r.subject, subject, r.cases, cases, r.laws, r.denied);
    if (promises) out += fmt::format("  {:>8}", r.promises);
    out += fmt::format("  {:>{}}", r.repeats, repeats);
    if (times) out += fmt::format("  {:>7}", r.time);
    if (!r.status.empty()) out += "  " + r.status;
    return out + "\n";
  };
  std::string out = line(head);
  for (const Row& r : rows) out += line(r);
  return out + "\n";
}

std::string words(const std::vector<uint32_t>& values) {
  std::string out;
  for (const uint32_t v : values) out += (out.empty() ? "" : ", ") + word_and_value(v);
  return out;
}

std::string indented(std::string_view text, std::string_view margin) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("{}{}\n", margin, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// Of an approximate track: how many answers were how far off.
std::string errors(const Certificate& c) {
  if (!c.registry.is_approximate()) return {};
  size_t width = std::string_view("errors in ULP").size();
  for (const Verdict& v : c.verdicts) width = std::max(width, v.subject.size());
  std::string out =
      fmt::format("  {:<{}}  {:>5}  {:>8}  distribution\n", "errors in ULP", width, "bound", "greatest");
  for (const Verdict& v : c.verdicts) {
    out += fmt::format("  {:<{}}  {:>5}  {:>8}  {}\n", v.subject, width, v.deviations.bound,
                       v.deviations.greatest, distribution(v.deviations));
  }
  for (const Verdict& v : c.verdicts) {
    if (const auto tolerance = info(v.kind).tolerance; !tolerance.empty())
      out += fmt::format("  {}: in {}, {}\n", v.subject, error_unit(v), tolerance);
  }
  return out + "\n";
}

/// What of the shape of programs and dispatches was run, and what the device has not.
std::string shapes(const Certificate& c) {
  std::string out;
  for (const Verdict& v : c.verdicts) {
    if (v.coverage.factors.empty()) continue;
    out += fmt::format("  {}: {}\n", v.subject, covered(v.coverage));
    for (const verify::Coverage::Factor& factor : v.coverage.factors) {
      std::string levels;
      for (const verify::Coverage::Level& level : factor.levels) {
        const std::string cases = level.cases == 0 ? "not applicable" : grouped(level.cases);
        levels += fmt::format("{}{}: {}", levels.empty() ? "" : "; ", level.level, cases);
      }
      out += fmt::format("    {}: {}\n", factor.factor, levels);
    }
  }
  return out.empty() ? out : out + "\n";
}

/// "auto: native fadd ffrom_s32; composed fdiv" with the operators of the language alone: certificates have
/// raw ones, which only say how those are made.
std::string without_raw_operators(std::string_view floats) {
  if (!floats.contains(": native ") && !floats.contains(": composed ")) return std::string(floats);
  std::string out, heading;
  while (!floats.empty()) {
    const size_t end = std::min(floats.find(' '), floats.size());
    std::string_view word = floats.substr(0, end);
    floats.remove_prefix(std::min(end + 1, floats.size()));
    if (word.ends_with(';')) word.remove_suffix(1);
    if (word.ends_with(':')) {
      out += word;
    } else if (word == "native" || word == "composed") {
      heading = (out.ends_with(':') ? " " : "; ") + std::string(word);
    } else if (spec::find_op(word)) {
      out += fmt::format("{} {}", std::exchange(heading, {}), word);
    }
  }
  return out;
}

/// How many cases each oracle judged, the stronger first.
std::string judges(std::span<const Verdict> verdicts) {
  std::map<verify::Oracle, uint64_t> cases;
  for (const Verdict& v : verdicts) {
    for (const verify::OracleCases& oracle : v.parity) cases[oracle.oracle] += oracle.tally.completed;
  }
  std::string out;
  for (const auto& [oracle, count] : cases) {
    out += fmt::format("{}{} {}", out.empty() ? "judged by: " : ", ", text(oracle), grouped(count));
  }
  return out.empty() ? out : out + "\n";
}

}  // namespace

std::string name_of(const Verdict& v) {
  return v.subject + std::string(v.track == verify::Track::Float ? info(v.kind).on_float_track : "");
}

std::string grouped(uint64_t n) {
  std::string out = std::to_string(n);
  for (size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
  return out;
}

std::string distribution(const verify::Deviations& d) {
  std::string out;
  for (size_t n = 0; n < d.counts.size(); ++n) {
    if (d.counts[n] != 0) out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", n, grouped(d.counts[n]));
  }
  if (d.beyond != 0) out += fmt::format("{}beyond: {}", out.empty() ? "" : ", ", grouped(d.beyond));
  return out;
}

std::string covered(const verify::Coverage& coverage) {
  std::string out;
  for (const verify::Coverage::Tuples& tuples : coverage.tuples) {
    out += fmt::format("{}{} of {} {}", out.empty() ? "" : ", ", grouped(tuples.covered),
                       grouped(tuples.feasible),
                       tuples.strength == 1 ? "levels" : fmt::format("{}-tuples of levels", tuples.strength));
  }
  return fmt::format("{} factors, {}; {} no case can have", coverage.factors.size(), out,
                     grouped(coverage.infeasible));
}

std::string_view error_unit(const Verdict& v) { return info(v.kind).error_unit; }

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string word_and_value(uint32_t bits) {
  if (bits >> 31 == 0) return fmt::format("0x{:08x} ({})", bits, bits);
  return fmt::format("0x{:08x} ({}, as i32 {})", bits, bits, int32_t(bits));
}

std::string describe(const verify::Failure& failure, std::string_view subject, const ReportOptions& options) {
  std::string out = fmt::format("  {}  {}: {}, by {}{}\n", subject, text(failure.fault), text(failure.check),
                                failure.oracle,
                                failure.input.empty() && failure.minimality == verify::Minimality::Found
                                    ? ""
                                    : fmt::format(" [{}]", text(failure.minimality)));
  const ValueTexts values =
      options.values ? options.values(failure)
                     : ValueTexts{words(failure.input), words(failure.expected), words(failure.actual)};
  if (!failure.input.empty()) out += fmt::format("      input     {}\n", values.input);
  if (!failure.expected.empty()) out += fmt::format("      expected  {}\n", values.expected);
  if (!failure.actual.empty()) out += fmt::format("      actual    {}\n", values.actual);
  for (size_t k = 0; k < failure.history.size(); ++k) {
    out += fmt::format("      {}   {}\n", k == 0 ? "beside" : "      ", failure.history[k]);
  }
  if (!failure.note.empty()) out += indented(failure.note, "      ");
  return out + fmt::format("      replay    vyre-conform replay {} --backend {}\n",
                           shell_quoted(failure.token), shell_quoted(options.backend));
}

std::string report(const Certificate& c, const ReportOptions& options) {
  std::string out = fmt::format("vyre {} on {}: {}, {}\n", c.vyre, c.backend, c.device, c.driver);
  if (!c.floats.empty()) out += fmt::format("floats {}\n", without_raw_operators(c.floats));
  const std::string floats =
      c.registry.has_floats() ? fmt::format(", {} on floats", c.registry.float_operations) : std::string();
  const uint32_t registered =
      c.registry.operations + c.registry.float_operations + c.registry.approximate_operations;
  out += fmt::format(
      "registry {} ({} operations{}), strength {}, seed {}{}{}\n\n", c.registry.digest.substr(0, 16),
      registered, c.registry.is_approximate() ? ", approximate" : floats, text(c.strength), c.seed,
      c.selection == "*" ? "" : fmt::format(", selection {}", c.selection),
      c.family_selection == kAllFamilies ? "" : fmt::format(", families {}", c.family_selection));
  std::array<std::vector<Row>, verify::kSubjectKindNames.size()> rows;
  for (size_t k = 0; k < c.verdicts.size(); ++k) {
    const Verdict& v = c.verdicts[k];
    const double seconds = k < options.seconds.size() ? options.seconds[k] : 0;
    rows[size_t(v.kind)].push_back(row_of(c, v, seconds));
  }
  for (size_t kind = 0; kind < rows.size(); ++kind)
    out += table(verify::kSubjectKindNames[kind], rows[kind], !options.seconds.empty());
  out += errors(c);
  out += shapes(c);

  for (const Verdict& v : c.verdicts) {
    std::vector<std::string> missing = missing_for_parity(v, c.strength);
    const std::vector<std::string> laws = missing_for_laws(v, c.strength);
    missing.insert(missing.end(), laws.begin(), laws.end());
    std::ranges::move(missing_for_invariants(v), std::back_inserter(missing));
    if (missing.empty()) continue;
    out += fmt::format("{} {}\n", heading(standing_of(c, v)), name_of(v));
    for (const Waiver& w : c.waivers) {
      if (w.subject == v.subject && w.track == v.track)
        out += fmt::format("  {} failures are waived until {}: {}, {}\n", grouped(w.failures), w.expires,
                           w.tag, w.link);
    }
    for (const std::string& reason : missing) out += fmt::format("  {}\n", reason);
    // The first ones, and the first one of each promise.
    std::vector<const verify::Failure*> shown;
    for (const verify::Failure& f : v.failures) {
      const bool is_first = f.check == verify::Check::Invariant &&
                            std::ranges::none_of(shown, [&](const verify::Failure* other) {
                              return other->check == f.check && other->oracle == f.oracle;
                            });
      if (is_first || &f < v.failures.data() + kShown) shown.push_back(&f);
    }
    for (const verify::Failure* f : shown) out += describe(*f, v.subject, options);
    if (v.failure_count > shown.size()) {
      const uint64_t more = v.failure_count - shown.size();
      const size_t kept = v.failures.size() - shown.size();
      out += fmt::format("  and {} more", grouped(more));
      if (kept != 0) {
        out += kept == more ? ", in the certificate (--out)"
                            : fmt::format("; {} of them in the certificate (--out)", kept);
      }
      out += "\n";
    }
    out += "\n";
  }

  const Totals t = totals(c);
  out += judges(c.verdicts);
  out += fmt::format("{} cases of parity, {} instances of laws, {} dispatches", grouped(t.parity_cases),
                     grouped(t.law_cases), grouped(t.dispatches));
  if (options.total_seconds > 0) out += fmt::format(" in {:.1f} s", options.total_seconds);
  out += fmt::format("\n{} of {} claimed laws verified, {} of {} denied laws refuted, {} failures\n",
                     t.laws_verified, t.laws_claimed, t.laws_refuted, t.laws_denied, grouped(t.failures));
  if (t.promises != 0) out += fmt::format("{} of {} promises of engines kept\n", t.promises_kept, t.promises);
  out +=
      fmt::format("{} cases planned: {} passed, {} failed, {} waived, {} unsupported\n", grouped(t.planned),
                  grouped(t.passed), grouped(t.failed), grouped(t.waived), grouped(t.unsupported));
  const Coverage covered = coverage(c);
  const auto share = [](Coverage::Share s) {
    return fmt::format("{} of {}", grouped(s.covered), grouped(s.of));
  };
  out += fmt::format(
      "covered: {} operations, {} families, {} operators at a type, {} programs of a shape, {} laws, {} "
      "classes, "
      "{} boundary values\n",
      share(covered.operations), share(covered.families), share(covered.operators), share(covered.shapes),
      share(covered.laws), share(covered.classes), share(covered.boundaries));
  if (t.flaky != 0) out += fmt::format("{} subjects are flaky, and nothing is certified of them\n", t.flaky);
  for (const verify::Track track : c.registry.tracks()) {
    uint64_t least = UINT64_MAX;
    for (const Verdict& v : c.verdicts) {
      if (v.kind == SubjectKind::Operation && v.track == track)
        least = std::min(least, v.determinism.completed);
    }
    if (least == UINT64_MAX || least == 0) continue;
    out += fmt::format(
        "repeated evaluations: at least {} an operation{}; a fault once in 10^6 is missed by one operation "
        "with odds {:.1e}\n",
        grouped(least), track == verify::Track::Float ? " on floats" : "",
        verify::odds_of_missing(1e6, double(least)));
  }
  return out;
}

}  // namespace vyre::certify
