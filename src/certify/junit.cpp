// JUnit XML in the form that Jenkins, GitLab and Surefire share: a suite, a case a subject and one a promise
// of an engine ("engine.sort@1: Ordered"), and in a case at most one of `skipped` and `failure`.
// test/conform/junit.xsd has it as a schema.
#include <fmt/format.h>

#include "certify/console.h"

namespace vyre::certify {
namespace {

using verify::Verdict;

/// The code point at the front of a text, taken off; nothing for bytes that are no UTF-8, of which one is
/// taken off.
std::optional<uint32_t> take_code_point(std::string_view& text) {
  const auto byte = [&](size_t k) { return uint8_t(text[k]); };
  const uint8_t first = byte(0);
  const size_t size = first < 0x80   ? 1
                      : first < 0xc2 ? 0
                      : first < 0xe0 ? 2
                      : first < 0xf0 ? 3
                      : first < 0xf5 ? 4
                                     : 0;
  uint32_t code = size == 1 ? first : first & (0x7fu >> size);
  bool good = size != 0 && size <= text.size();
  for (size_t k = 1; good && k < size; ++k) {
    good = (byte(k) & 0xc0) == 0x80;
    code = code << 6 | (byte(k) & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // what fewer bytes say is said by them
  good = good && code >= kLeast[size] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  text.remove_prefix(good ? size : 1);
  if (!good) return std::nullopt;
  return code;
}

/// A text that stands between tags or quotes: XML has no control characters but three, in no form.
std::string escaped(std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD
  std::string out;
  while (!text.empty()) {
    const std::string_view before = text;
    const auto code = take_code_point(text);
    const std::string_view bytes = before.substr(0, before.size() - text.size());
    if (!code || (*code < 0x20 && *code != '\t' && *code != '\n' && *code != '\r') || *code == 0xfffe ||
        *code == 0xffff) {
      out += kReplacement;
    } else if (*code == '&') {
      out += "&amp;";
    } else if (*code == '<') {
      out += "&lt;";
    } else if (*code == '>') {
      out += "&gt;";
    } else if (*code == '"') {
      out += "&quot;";
    } else if (*code < 0x20 && *code != '\n') {
      out += fmt::format("&#{};", *code);  // else a reader makes a space of it, or a newline
    } else {
      out += bytes;
    }
  }
  return out;
}

/// The same between quotes, where a newline is a space to its reader.
std::string attribute(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) out += c == '\n' ? std::string("&#10;") : std::string(1, c);
  return out;
}

uint64_t unsupported(const Verdict& v) {
  uint64_t n = 0;
  for (const verify::OracleCases& oracle : v.parity) n += oracle.tally.unsupported;
  return n;
}

/// Why a verdict is waived: the links of what waives it.
std::string excuse(const Certificate& c, const Verdict& v) {
  std::string out = "waived";
  for (const Waiver& w : c.waivers) {
    if (w.subject == v.subject && w.track == v.track)
      out += fmt::format("{} {} failures, {} until {}: {}", out == "waived" ? ":" : ";", grouped(w.failures),
                         w.tag, w.expires, w.link);
  }
  return out;
}

/// Those of a promise, or those of none.
std::string failures_of(const Verdict& v, const ReportOptions& options, std::string_view promise = {}) {
  std::string out;
  for (const verify::Failure& f : v.failures) {
    const std::string_view of = f.check == verify::Check::Invariant ? std::string_view(f.oracle) : "";
    if (of == promise) out += describe(f, v.subject, options);
  }
  return out;
}

std::string test_case(const Verdict& v, std::string_view promise, double seconds, const std::string& inside) {
  const std::string name = promise.empty() ? name_of(v) : fmt::format("{}: {}", name_of(v), promise);
  const std::string head = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                                       text(v.kind), attribute(name), seconds);
  return inside.empty() ? head + "/>\n" : head + ">\n" + inside + "  </testcase>\n";
}

struct Counts {
  size_t tests = 0, failed = 0, skipped = 0;
};

/// A case of each promise. Its time is in that of the subject.
std::string promises_of(const Certificate& c, const Verdict& v, const ReportOptions& options,
                        Counts& counts) {
  std::string out;
  for (const verify::InvariantVerdict& promise : v.invariants) {
    ++counts.tests;
    const std::vector<std::string> missing = missing_for_promise(promise);
    const std::string failures = escaped(failures_of(v, options, promise.invariant));
    std::string inside;
    if (!missing.empty() && standing_of(c, v) == Standing::Waived) {
      ++counts.skipped;
      inside = fmt::format("    <skipped message=\"{}\"/>\n    <system-out>{}</system-out>\n",
                           attribute(excuse(c, v)), failures);
    } else if (!missing.empty()) {
      ++counts.failed;
      inside = fmt::format("    <failure message=\"{}\" type=\"{}\">{}</failure>\n",
                           attribute(missing.front()), text(Standing::PromisesFailed), failures);
    }
    out += test_case(v, promise.invariant, 0, inside);
  }
  return out;
}

}  // namespace

std::string junit(const Certificate& c, const ReportOptions& options) {
  Counts counts;
  std::string cases;
  for (size_t k = 0; k < c.verdicts.size(); ++k) {
    const Verdict& v = c.verdicts[k];
    const double seconds = k < options.seconds.size() ? options.seconds[k] : 0;
    std::string inside;
    Standing standing = standing_of(c, v);
    // Promises have cases of their own.
    if (standing == Standing::PromisesFailed && !v.invariants.empty()) standing = Standing::Passed;
    ++counts.tests;
    switch (standing) {
      case Standing::Passed: break;
      case Standing::Waived:
        ++counts.skipped;
        inside = fmt::format("    <skipped message=\"{}\"/>\n    <system-out>{}</system-out>\n",
                             attribute(excuse(c, v)), escaped(failures_of(v, options)));
        break;
      case Standing::PromisesFailed:
      case Standing::LawsFailed:
      case Standing::Failed:
      case Standing::Flaky: {
        ++counts.failed;
        std::vector<std::string> missing = missing_for_parity(v, c.strength);
        if (missing.empty()) missing = missing_for_laws(v, c.strength);
        if (missing.empty()) missing = missing_for_invariants(v);
        const std::string why = missing.empty() ? std::string(text(standing)) : missing.front();
        inside = fmt::format("    <failure message=\"{}\" type=\"{}\">{}</failure>\n", attribute(why),
                             text(standing), escaped(failures_of(v, options)));
        break;
      }
    }
    if (const uint64_t n = unsupported(v); n != 0 && standing == Standing::Passed) {
      const std::string why =
          fmt::format("{} cases are unsupported: the backend lacks what they need", grouped(n));
      const bool all = v.parity.size() == 1 && v.parity[0].tally.completed == 0;
      counts.skipped += all;
      inside = all ? fmt::format("    <skipped message=\"{}\"/>\n", why)
                   : fmt::format("    <system-out>{}</system-out>\n", why);
    }
    if (inside.empty() && v.track == verify::Track::Approximate) {
      inside =
          fmt::format("    <system-out>errors of at most {} {}, {} are allowed; {}</system-out>\n",
                      v.deviations.greatest, error_unit(v), v.deviations.bound, distribution(v.deviations));
    }
    if (inside.empty() && !v.coverage.factors.empty())
      inside = fmt::format("    <system-out>{}</system-out>\n", covered(v.coverage));
    cases += test_case(v, {}, seconds, inside) + promises_of(c, v, options, counts);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"vyre-conform {}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\">\n{}</testsuite>\n",
      attribute(c.backend), counts.tests, counts.failed, counts.skipped, options.total_seconds, cases);
}

}  // namespace vyre::certify
