#include "certify/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <nlohmann/json.hpp>

namespace vyre::certify {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 16;  // of nesting; a certificate has 6

// --- Both directions from one description: each struct lists its fields once, for a Writer or a Reader. A
// later field came into a format that was in use: it is left out when it says nothing, so that old
// certificates keep their one text.

template <typename Archive, typename T>
void describe(Archive& a, T& x)
  requires std::same_as<std::remove_const_t<T>, verify::Tally>
{
  a.field("planned", x.planned);
  a.field("completed", x.completed);
  a.field("failed", x.failed);
}
template <typename Archive, typename T>
void describe(Archive& a, T& x)
  requires std::same_as<std::remove_const_t<T>, verify::OracleCases>
{
  a.name("oracle", x.oracle, verify::kOracleNames);
  a.field("cases", x.tally);
}
template <typename Archive, typename T>
void describe(Archive& a, T& x)
  requires std::same_as<std::remove_const_t<T>, verify::ClassHits>
{
  a.field("class", x.name);
  a.field("cases", x.hits);
}
template <typename Archive, typename T>
void describe(Archive& a, T& x)
  requires std::same_as<std::remove_const_t<T>, verify::Evidence>
{
  a.field("subject", x.subject);
  a.field("grade", x.grade);
  a.field("cases", x.cases);
  a.field("holds", x.holds);
}
template <typename Archive, typename T>
void describe(Archive& a, T& x)
  requires std::same_as<std::remove_const_t<T>, verify::LawVerdict>
{
  a.field("law", x.law);
  a.field("claimed", x.claimed);
  a.field("evidence", x.evidence);
}
template <typename Archive, typename T>
void describe(Archive& a, T& x)
  requires std::same_as<std::remove_const_t<T>, verify::Failure>
{
  a.name("check", x.check, verify::kCheckNames);
  a.field("oracle", x.oracle);
  a.name("minimality", x.minimality, verify::kMinimalityNames);
  a.field("input", x.input);
  a.field("expected", x.expected);
  a.field("actual", x.actual);
  a.field("note", x.note);
  a.field("token", x.token);
  a.name("fault", x.fault, verify::kFaultNames);
  a.field("history", x.history);
}
template <typename Archive, typename T>
void describe(Archive& a, T& x)
  requires std::same_as<std::remove_const_t<T>, verify::Verdict>
{
  a.name("kind", x.kind, verify::kSubjectKindNames);
  a.field("subject", x.subject);
  a.field("pipeline", x.pipeline);
  a.field("parity", x.parity);
  a.field("definition", x.definition);
  a.field("determinism", x.determinism);
  a.field("dispatches", x.dispatches);
  a.field("canaries", x.canaries);
  a.field("canaries_broken", x.canaries_broken);
  a.field("classes", x.classes);
  a.field("boundaries", x.boundaries);
  a.field("boundaries_hit", x.boundaries_hit);
  a.field("laws", x.laws);
  a.field("failure_count", x.failure_count);
  a.field("failures", x.failures);
  a.field("error", x.error);
  a.later_name("track", x.track, verify::kTrackNames);
}
template <typename Archive, typename T>
void describe(Archive& a, T& x)
  requires std::same_as<std::remove_const_t<T>, Registry>
{
  a.field("digest", x.digest);
  a.field("operations", x.operations);
  a.field("families", x.families);
  a.later_field("float_operations", x.float_operations);
  a.later_field("float_families", x.float_families);
}
template <typename Archive, typename T>
void describe(Archive& a, T& x)
  requires std::same_as<std::remove_const_t<T>, Certificate>
{
  a.field("vyre", x.vyre);
  a.field("backend", x.backend);
  a.field("device", x.device);
  a.field("driver", x.driver);
  a.optional("floats", x.floats);
  a.field("registry", x.registry);
  a.name("strength", x.strength, verify::kStrengthNames);
  a.field("seed", x.seed);
  a.field("selection", x.selection);
  a.field("verdicts", x.verdicts);
}

std::string word(uint32_t bits) { return fmt::format("0x{:08x}", bits); }

class Writer {
 public:
  json out = json::object();

  template <typename T>
  void field(const char* name, const T& x) {
    out[name] = value(x);
  }
  /// Not written when it is empty.
  void optional(const char* name, const std::string& x) {
    if (!x.empty()) field(name, x);
  }
  template <typename E, size_t n>
  void name(const char* field_name, E x, const std::array<std::string_view, n>& names) {
    out[field_name] = std::string(names[static_cast<size_t>(x)]);
  }
  template <typename T>
  void later_field(const char* name, const T& x) {
    if (x != T{}) field(name, x);
  }
  template <typename E, size_t n>
  void later_name(const char* field_name, E x, const std::array<std::string_view, n>& names) {
    if (x != E{}) name(field_name, x, names);
  }

 private:
  static json value(const std::string& x) { return x; }
  static json value(bool x) { return x; }
  static json value(uint32_t x) { return x; }
  // JSON readers may hold numbers as doubles, so 64-bit counts are decimal strings.
  static json value(uint64_t x) { return std::to_string(x); }
  static json value(const std::vector<uint32_t>& words) {
    json list = json::array();
    for (const uint32_t w : words) list.push_back(word(w));
    return list;
  }
  template <typename T>
  static json value(const std::vector<T>& xs) {
    json list = json::array();
    for (const T& x : xs) list.push_back(value(x));
    return list;
  }
  template <typename T>
  static json value(const T& x) {
    Writer w;
    describe(w, x);
    return std::move(w.out);
  }
};

// Reads what Writer wrote. The first fault is kept; after it everything reads as empty.
class Reader {
 public:
  Reader(const json& in, std::string& fault, std::string path)
      : in_(in), fault_(fault), path_(std::move(path)) {
    if (!in_.is_object()) fail("", "is not an object");
  }

  template <typename T>
  void field(const char* name, T& x) {
    if (const json* j = find(name)) read(*j, x, path_ + "/" + name);
  }
  void optional(const char* name, std::string& x) {
    if (in_.contains(name)) field(name, x);
  }
  template <typename E, size_t n>
  void name(const char* field_name, E& x, const std::array<std::string_view, n>& names) {
    const json* j = find(field_name);
    if (j == nullptr) return;
    const std::string* text = j->get_ptr<const std::string*>();
    const auto at = text == nullptr ? names.end() : std::find(names.begin(), names.end(), *text);
    if (at == names.end()) return fail(path_ + "/" + field_name, "names nothing that is known");
    x = static_cast<E>(at - names.begin());
  }
  template <typename T>
  void later_field(const char* name, T& x) {
    if (in_.is_object() && in_.contains(name)) field(name, x);
  }
  template <typename E, size_t n>
  void later_name(const char* field_name, E& x, const std::array<std::string_view, n>& names) {
    if (in_.is_object() && in_.contains(field_name)) name(field_name, x, names);
  }

 private:
  const json* find(const char* name) {
    if (!fault_.empty()) return nullptr;
    const auto at = in_.find(name);
    if (at == in_.end()) {
      fail(path_ + "/" + name, "is missing");
      return nullptr;
    }
    return &*at;
  }
  void fail(const std::string& path, std::string_view what) {
    if (fault_.empty()) fault_ = fmt::format("{} {}", path.empty() ? "the document" : path, what);
  }
  /// C0 (but a line feed, which notes have), DEL and C1. The text is well-formed UTF-8: the JSON parser saw
  /// to it.
  static bool has_controls(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if ((c < 0x20 && c != '\n') || c == 0x7f) return true;
      if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
    }
    return false;
  }
  void read(const json& j, std::string& x, const std::string& path) {
    const std::string* text = j.get_ptr<const std::string*>();
    if (text == nullptr) return fail(path, "is not a string");
    if (has_controls(*text)) return fail(path, "holds a character that a terminal would obey");
    x = *text;
  }
  void read(const json& j, bool& x, const std::string& path) {
    if (!j.is_boolean()) return fail(path, "is not true or false");
    x = j.get<bool>();
  }
  void read(const json& j, uint32_t& x, const std::string& path) {
    if (!j.is_number_unsigned() || j.get<uint64_t>() > UINT32_MAX) return fail(path, "is not a 32-bit count");
    x = uint32_t(j.get<uint64_t>());
  }
  void read(const json& j, uint64_t& x, const std::string& path) {
    const std::string* text = j.get_ptr<const std::string*>();
    if (text == nullptr || !parse_number(*text, 10, x))
      return fail(path, "is not a decimal count in a string");
  }
  void read(const json& j, std::vector<uint32_t>& words, const std::string& path) {
    if (!j.is_array()) return fail(path, "is not a list");
    for (const json& item : j) {
      const std::string* text = item.get_ptr<const std::string*>();
      uint64_t bits = 0;
      if (text == nullptr || !text->starts_with("0x") || !parse_number(text->substr(2), 16, bits) ||
          bits > UINT32_MAX) {
        return fail(path, "holds something that is not a word");
      }
      words.push_back(uint32_t(bits));
    }
  }
  template <typename T>
  void read(const json& j, std::vector<T>& xs, const std::string& path) {
    if (!j.is_array()) return fail(path, "is not a list");
    for (const json& item : j) {
      if (!fault_.empty()) return;
      read(item, xs.emplace_back(), fmt::format("{}/{}", path, xs.size() - 1));
    }
  }
  template <typename T>
  void read(const json& j, T& x, const std::string& path) {
    Reader r(j, fault_, path);
    describe(r, x);
  }
  static bool parse_number(std::string_view text, int base, uint64_t& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
  }

  const json& in_;
  std::string& fault_;
  std::string path_;
};

// Everything but the digest.
json body(const Certificate& certificate) {
  Writer w;
  describe(w, certificate);
  json out = std::move(w.out);
  out["format"] = kFormatVersion;
  out["levels"] = {{"integer", std::string(text(certificate.level()))}, {"line", certificate.level_line()}};
  if (certificate.registry.has_floats()) {
    out["levels"]["float"] = text(verify::Track::Float, certificate.level(verify::Track::Float));
  }
  const Totals t = totals(certificate.verdicts);
  Writer n;
  n.field("parity_cases", t.parity_cases);
  n.field("law_cases", t.law_cases);
  n.field("repeated_evaluations", t.repeated_evaluations);
  n.field("dispatches", t.dispatches);
  n.field("laws_claimed", t.laws_claimed);
  n.field("laws_verified", t.laws_verified);
  n.field("laws_denied", t.laws_denied);
  n.field("laws_refuted", t.laws_refuted);
  n.field("failures", t.failures);
  out["totals"] = std::move(n.out);
  out["trusts"] = trusted();
  return out;
}

Digest digest_of(const json& without_digest) {
  return sha256(without_digest.dump(-1, ' ', false, json::error_handler_t::replace));
}

Diag unreadable(std::string message) {
  return make_diag(DiagCode::C001, Span::none(), std::move(message),
                   "give the file that `vyre-conform certify --out` wrote");
}
Diag inconsistent(std::string message) {
  return make_diag(DiagCode::C002, Span::none(), std::move(message),
                   "the file was changed after it was written; certify again");
}

}  // namespace

Level Certificate::level(verify::Track track) const {
  return level_of(track, verdicts, strength, registry.families_of(track));
}

std::string Certificate::level_line() const {
  const auto line = [&](verify::Track track) {
    return certify::level_line(track, level(track), operations(track), registry.operations_of(track));
  };
  const std::string integers = line(verify::Track::Integer);
  return registry.has_floats() ? fmt::format("{} {}", integers, line(verify::Track::Float)) : integers;
}

uint32_t Certificate::operations(verify::Track track) const {
  return uint32_t(std::ranges::count_if(verdicts, [&](const verify::Verdict& v) {
    return v.kind == verify::SubjectKind::Operation && v.track == track;
  }));
}

bool Certificate::passed() const {
  // A track of which nothing was selected has no level, and nothing that failed.
  const auto right = [&](verify::Track track) {
    const bool none =
        std::ranges::none_of(verdicts, [&](const verify::Verdict& v) { return v.track == track; });
    return none || level(track) == Level::L2;
  };
  return !verdicts.empty() && right(verify::Track::Integer) && right(verify::Track::Float);
}

Result<void> require(const Certificate& certificate, const Requirement& wanted) {
  if (certificate.level(wanted.track) >= wanted.level) return {};
  return std::unexpected(make_diag(DiagCode::C006, Span::none(),
                                   fmt::format("the level is {}, and {} is required",
                                               certificate.level_line(), text(wanted.track, wanted.level)),
                                   "the report says what is missing"));
}

Totals totals(const std::vector<verify::Verdict>& verdicts) {
  Totals t;
  for (const verify::Verdict& v : verdicts) {
    for (const verify::OracleCases& o : v.parity) t.parity_cases += o.tally.completed;
    t.repeated_evaluations += v.determinism.completed;
    t.dispatches += v.dispatches;
    t.failures += v.failure_count;
    for (const verify::LawVerdict& law : v.laws) {
      for (const verify::Evidence& e : law.evidence) t.law_cases += e.cases;
      (law.claimed ? t.laws_claimed : t.laws_denied) += 1;
      if (is_settled(law)) (law.claimed ? t.laws_verified : t.laws_refuted) += 1;
    }
  }
  return t;
}

const std::vector<std::string>& trusted() {
  static const std::vector<std::string> list = {
      "the specification rows, laws and families of the registry with this digest say what is meant",
      ("the CPU reference functions and the reference interpreter, which are checked against the rows and "
       "each other, but only on the inputs that were run"),
      "the compiler, the libraries and the machine that ran the harness",
      "an exhausted domain is that domain alone: full-width inputs are witnessed, not proved",
      "the backend answers later as it answered then: same device, driver and version",
  };
  return list;
}

Digest digest(const Certificate& certificate) { return digest_of(body(certificate)); }

std::string print(const Certificate& certificate) {
  json out = body(certificate);
  out["digest"] = digest_of(out).hex();
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Certificate> parse(std::string_view text) {
  bool too_deep = false;
  const auto watch_depth = [&](int depth, json::parse_event_t, json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  const json in = json::parse(text.begin(), text.end(), watch_depth, /*allow_exceptions=*/false);
  if (in.is_discarded() || too_deep || !in.is_object())
    return std::unexpected(unreadable("the file is not a JSON object"));
  const auto format = in.find("format");
  if (format == in.end() || !format->is_number_unsigned()) {
    return std::unexpected(unreadable("the file has no format version, so it is not a certificate"));
  }
  if (format->get<uint64_t>() != kFormatVersion) {
    return std::unexpected(unreadable(fmt::format(
        "the certificate has format {}, this build reads format {}{}", format->get<uint64_t>(),
        kFormatVersion, format->get<uint64_t>() == 1 ? "; 1 does not say what a backend did wrong" : "")));
  }
  Certificate certificate;
  std::string fault;
  Reader reader(in, fault, "");
  describe(reader, certificate);
  if (!fault.empty()) return std::unexpected(unreadable(fault));

  // What is derived must be what follows, first by name for a helpful message, then byte for byte.
  const json expected = body(certificate);
  for (const char* derived : {"levels", "totals", "trusts"}) {
    const auto at = in.find(derived);
    if (at == in.end() || *at != expected[derived]) {
      return std::unexpected(inconsistent(fmt::format(
          "\"{}\" does not follow from the verdicts; they give {}", derived, expected[derived].dump())));
    }
  }
  const auto claimed_digest = in.find("digest");
  if (claimed_digest == in.end() || *claimed_digest != json(digest_of(expected).hex())) {
    return std::unexpected(inconsistent("the digest is not that of the contents"));
  }
  if (print(certificate) != text) {
    return std::unexpected(inconsistent("the text is not the canonical one of its contents"));
  }
  return certificate;
}

}  // namespace vyre::certify
