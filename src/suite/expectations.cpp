#include "suite/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/names.h"
#include "ops/registry.h"
#include "suite/suite.h"
#include "verify/families.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace vyre::suite {
namespace {

using verify::Failure;
using verify::Fault;
using verify::Verdict;

constexpr std::string_view kFailures = "failure";
constexpr DiagCode kRefused = DiagCode::C015;  // a file of cited data

/// Reads one file; the first thing that is wrong ends it.
class Reader {
 public:
  Reader(const Source& source, std::span<const std::string> subjects)
      : source_(source), subjects_(subjects) {}

  Result<std::vector<Expectation>> read() {
    const toml::parse_result parsed = toml::parse(source_.text());
    if (!parsed) {
      return refuse(span_at(parsed.error().source()), std::string(parsed.error().description()),
                    "expectations are TOML; docs/expectations.md has an example");
    }
    std::vector<Expectation> out;
    for (const auto& [key, value] : parsed.table()) {
      if (key.str() != kFailures || !value.is_array_of_tables())
        return refuse(span_of(key), fmt::format("'{}' is no list of expectations", key.str()),
                      "each expectation begins with [[failure]]");
      for (const toml::node& entry : *value.as_array()) {
        VYRE_TRY(expectation, read_entry(*entry.as_table()));
        out.push_back(std::move(expectation));
      }
    }
    std::ranges::sort(out, {}, &Expectation::line);
    return out;
  }

 private:
  /// A key of an entry, whether it must be there, and what takes its value; empty, or what is wrong.
  struct Key {
    std::string_view name;
    bool needed;
    std::string_view type;  // for messages
    std::function<std::string(const toml::node&, Expectation&)> take;
  };

  static std::string text_into(const toml::node& value, std::string& to) {
    const auto text = value.value_exact<std::string>();
    if (!text || text->empty()) return "wants a text in quotes";
    to = *text;
    return {};
  }
  static std::string take_fault(const toml::node& value, Expectation& to) {
    std::string name;
    if (std::string wrong = text_into(value, name); !wrong.empty()) return wrong;
    const auto found = std::ranges::find(verify::kFaultNames, name);
    if (found == verify::kFaultNames.end())
      return fmt::format("is '{}', which is no fault; docs/certificate.md lists them", name);
    to.fault = Fault(found - verify::kFaultNames.begin());
    if (to.fault == Fault::Flaky) return "is 'flaky', and what comes by chance cannot be expected";
    return {};
  }
  static std::string take_link(const toml::node& value, Expectation& to) {
    if (std::string wrong = text_into(value, to.link); !wrong.empty()) return wrong;
    const size_t scheme = to.link.find("://");
    const bool is_link = (to.link.starts_with("https://") || to.link.starts_with("http://")) &&
                         to.link.size() > scheme + 3 &&
                         std::ranges::all_of(to.link, [](char c) { return c > ' ' && c <= '~'; });
    return is_link ? "" : fmt::format("is '{}', and wants an address that begins with https://", to.link);
  }
  static std::string take_day(const toml::node& value, Expectation& to) {
    const auto date = value.value_exact<toml::date>();
    if (!date) return "wants a day without quotes, as in 2026-12-31";
    to.expires = {std::chrono::year(date->year), std::chrono::month(date->month),
                  std::chrono::day(date->day)};
    return to.expires.ok() ? "" : "is a day that no calendar has";
  }
  static const std::array<Key, 7>& keys() {
    static const std::array<Key, 7> all = {{
        {"subject", true, "text",
         [](const toml::node& v, Expectation& e) { return text_into(v, e.subject); }},
        {"oracle", false, "text", [](const toml::node& v, Expectation& e) { return text_into(v, e.oracle); }},
        {"fault", false, "text", take_fault},
        {"token", false, "text", [](const toml::node& v, Expectation& e) { return text_into(v, e.token); }},
        {"tag", true, "text", [](const toml::node& v, Expectation& e) { return text_into(v, e.tag); }},
        {"link", true, "text", take_link},
        {"expires", true, "day", take_day},
    }};
    return all;
  }

  Result<Expectation> read_entry(const toml::table& table) {
    Expectation out;
    out.line = table.source().begin.line;
    const Span whole = span_at(table.source());
    for (const auto& [name, value] : table) {
      const auto key = std::ranges::find(keys(), name.str(), &Key::name);
      if (key == keys().end()) {
        NearestName nearest(name.str());
        for (const Key& known : keys()) nearest.consider(known.name);
        return refuse(span_of(name), fmt::format("an expectation has no '{}'", name.str()), nearest.help());
      }
      if (const std::string wrong = key->take(value, out); !wrong.empty())
        return refuse(span_at(value.source()), fmt::format("'{}' {}", name.str(), wrong),
                      "docs/expectations.md has an example");
    }
    for (const Key& key : keys()) {
      if (key.needed && !table.contains(key.name))
        return refuse(
            whole, fmt::format("the expectation has no '{}'", key.name),
            fmt::format("add {} = {}", key.name,
                        key.type == "day" ? "YYYY-MM-DD, the last day on which it is expected" : "\"...\""));
    }
    if (std::ranges::none_of(subjects_, [&](const std::string& s) { return matches(out.subject, s); })) {
      NearestName nearest(out.subject);
      for (const std::string& subject : subjects_) nearest.consider(subject);
      return std::unexpected(make_diag(
          DiagCode::C004, span_at(table.get("subject")->source()),
          fmt::format("no subject of the registry matches '{}'", out.subject),
          nearest.help() +
              " Subjects are operations with their versions, as in primitive.math.add@1, and families, "
              "as in ir.barriers."));
    }
    return out;
  }

  Span span_of(const toml::key& key) const { return span_at(key.source()); }
  /// Its lines and columns count from 1, columns in code points.
  Span span_at(const toml::source_region& region) const {
    const uint32_t begin = offset_of(region.begin);
    return {begin, std::max(begin, offset_of(region.end))};
  }
  uint32_t offset_of(const toml::source_position& at) const {
    const std::string_view text = source_.text();
    size_t offset = 0;
    for (uint32_t line = 1; line < at.line; ++line) {
      const size_t end = text.find('\n', offset);
      if (end == text.npos) break;
      offset = end + 1;
    }
    for (uint32_t column = 1; column < at.column && offset < text.size() && text[offset] != '\n'; ++column) {
      ++offset;
      while (offset < text.size() && (uint8_t(text[offset]) & 0xc0) == 0x80) ++offset;
    }
    return uint32_t(offset);
  }
  static std::unexpected<Diag> refuse(Span span, std::string message, std::string help) {
    return std::unexpected(make_diag(kRefused, span, std::move(message), std::move(help)));
  }

  const Source& source_;
  std::span<const std::string> subjects_;
};

/// What became of an entry in a run.
struct Fate {
  bool asked = false;    // a verdict has its subject
  bool matched = false;  // some failure is one that it tells of
};

/// The entries that cover a verdict's failures and how many each; nothing where one is left.
std::optional<std::vector<uint64_t>> cover(std::span<const Expectation> expectations,
                                           const std::vector<bool>& live, const Verdict& verdict,
                                           std::vector<Fate>& fates) {
  std::vector<uint64_t> counts(expectations.size());
  bool all = verdict.error.empty() && !certify::is_flaky(verdict);
  const auto take = [&](uint64_t failures, auto covers) {
    if (failures == 0) return;
    for (size_t k = 0; k < expectations.size(); ++k) {
      if (!live[k] || !matches(expectations[k].subject, verdict.subject) || !covers(expectations[k]))
        continue;
      fates[k].matched = true;
      counts[k] += failures;
      return;
    }
    all = false;
  };
  for (const Failure& failure : verdict.failures)
    take(1, [&](const Expectation& e) { return e.covers(failure); });
  // The others are a number, of which nothing narrower can be said.
  take(verdict.failure_count - std::min<uint64_t>(verdict.failure_count, verdict.failures.size()),
       [](const Expectation& e) { return e.covers_all(); });
  if (!all) return std::nullopt;
  return counts;
}

}  // namespace

std::string text(Day day) {
  return fmt::format("{:04}-{:02}-{:02}", int(day.year()), unsigned(day.month()), unsigned(day.day()));
}

std::optional<Day> parse_day(std::string_view text_of_day) {
  int year = 0;
  unsigned month = 0, day = 0;
  if (std::sscanf(std::string(text_of_day).c_str(), "%4d-%2u-%2u", &year, &month, &day) != 3)
    return std::nullopt;
  const Day out{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!out.ok() || text(out) != text_of_day) return std::nullopt;
  return out;
}

Day today() { return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()); }

bool Expectation::covers(const Failure& failure) const {
  if (failure.fault == Fault::Flaky) return false;
  return (oracle.empty() || matches(oracle, failure.oracle)) && (!fault || *fault == failure.fault) &&
         (token.empty() || token == failure.token);
}

Result<std::vector<Expectation>> parse_expectations(const Source& source,
                                                    std::span<const std::string> subjects) {
  return Reader(source, subjects).read();
}

std::vector<std::string> registered_subjects() {
  std::vector<std::string> out;
  for (const ops::Operation& op : ops::all_operations()) out.push_back(verify::subject_of(op.id, op.version));
  for (const verify::FamilyInfo& family : verify::kFamilies) out.emplace_back(family.text);
  return out;
}

bool waives(std::span<const Expectation> expectations, Day today, const Story& story) {
  const auto fault = std::ranges::find(verify::kFaultNames, story.fault);
  if (fault == verify::kFaultNames.end()) return false;  // written by hand: what it was is unknown
  constexpr std::string_view kBy = ", by ";
  const size_t by = story.found_by.find(kBy);
  Failure found;
  found.fault = Fault(fault - verify::kFaultNames.begin());
  if (by != story.found_by.npos) found.oracle = story.found_by.substr(by + kBy.size());
  found.token = story.token;
  return std::ranges::any_of(expectations, [&](const Expectation& e) {
    return today <= e.expires && matches(e.subject, story.subject) && e.covers(found);
  });
}

std::vector<std::string> apply(std::span<const Expectation> expectations, Day today,
                               certify::Certificate& certificate) {
  std::vector<bool> live;
  for (const Expectation& e : expectations) live.push_back(today <= e.expires);
  std::vector<Fate> fates(expectations.size());
  std::vector<std::string> news;
  for (Verdict& verdict : certificate.verdicts) {
    for (size_t k = 0; k < expectations.size(); ++k)
      fates[k].asked = fates[k].asked || matches(expectations[k].subject, verdict.subject);
    if (verdict.failure_count == 0) continue;
    const auto counts = cover(expectations, live, verdict, fates);
    if (!counts) {
      for (size_t k = 0; k < expectations.size(); ++k)  // something did fail, if not as expected
        fates[k].matched = fates[k].matched || matches(expectations[k].subject, verdict.subject);
      const bool some = std::ranges::any_of(expectations, [&](const Expectation& e) {
        return today <= e.expires && matches(e.subject, verdict.subject);
      });
      if (some && certify::is_flaky(verdict)) {
        news.push_back(fmt::format("{} is flaky, which nothing waives", verdict.subject));
      } else if (some) {
        news.push_back(
            fmt::format("{} is not waived: not all of its failures are expected", verdict.subject));
      }
      continue;
    }
    certify::waive(verdict);
    for (size_t k = 0; k < expectations.size(); ++k) {
      const Expectation& e = expectations[k];
      if ((*counts)[k] != 0)
        certificate.waivers.push_back(
            {verdict.subject, verdict.track, (*counts)[k], e.tag, e.link, text(e.expires)});
    }
  }
  for (size_t k = 0; k < expectations.size(); ++k) {
    const Expectation& e = expectations[k];
    const std::string what = fmt::format("line {}: {} ({}, {})", e.line, e.subject, e.tag, e.link);
    if (!live[k]) {
      news.push_back(fmt::format("{} expired on {} and waives nothing", what, text(e.expires)));
    } else if (fates[k].asked && !fates[k].matched) {
      news.push_back(fmt::format("{} was expected to fail, and passes: take it out", what));
    }
  }
  return news;
}

}  // namespace vyre::suite
