#include "certify/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>

#include "certify/canonical_json.h"

namespace vyre::certify {
namespace {

using nlohmann::json;

// Both directions from one description: each struct lists its fields once, for a Writer or a Reader. A
// later field came into a format that was in use: it is left out when it says nothing, so that old
// certificates keep their one text.

/// T, or const T: a reader fills what a writer reads.
template <typename X, typename T>
concept Of = std::same_as<std::remove_const_t<X>, T>;

/// How the values of an enum are named.
template <typename E>
  requires std::is_enum_v<E>
constexpr auto names_of() {
  if constexpr (std::same_as<E, verify::Oracle>) return std::span(verify::kOracleNames);
  if constexpr (std::same_as<E, verify::Check>) return std::span(verify::kCheckNames);
  if constexpr (std::same_as<E, verify::Minimality>) return std::span(verify::kMinimalityNames);
  if constexpr (std::same_as<E, verify::Fault>) return std::span(verify::kFaultNames);
  if constexpr (std::same_as<E, verify::SubjectKind>) return std::span(verify::kSubjectKindNames);
  if constexpr (std::same_as<E, verify::Track>) return std::span(verify::kTrackNames);
  if constexpr (std::same_as<E, verify::Strength>) return std::span(verify::kStrengthNames);
}

void describe(auto& a, Of<verify::Tally> auto& x) {
  a.field("planned", x.planned);
  a.field("completed", x.completed);
  a.field("failed", x.failed);
  a.later_field("waived", x.waived);
  a.later_field("unsupported", x.unsupported);
}
void describe(auto& a, Of<verify::OracleCases> auto& x) {
  a.field("oracle", x.oracle);
  a.field("cases", x.tally);
}
void describe(auto& a, Of<verify::Leaf> auto& x) {
  a.field("oracle", x.oracle);
  a.field("generator", x.generator);
  a.field("slice", x.slice);
  a.field("cases", x.tally);
  a.later_field("digest", x.digest);
}
void describe(auto& a, Of<verify::FailingCases> auto& x) {
  a.field("generator", x.generator);
  a.field("first", x.first);
  a.field("last", x.last);
  a.field("stride", x.stride);
}
void describe(auto& a, Of<verify::ClassHits> auto& x) {
  a.field("class", x.name);
  a.field("cases", x.hits);
}
void describe(auto& a, Of<verify::Evidence> auto& x) {
  a.field("subject", x.subject);
  a.field("grade", x.grade);
  a.field("cases", x.cases);
  a.field("holds", x.holds);
}
void describe(auto& a, Of<verify::LawVerdict> auto& x) {
  a.field("law", x.law);
  a.field("claimed", x.claimed);
  a.field("evidence", x.evidence);
}
void describe(auto& a, Of<verify::InvariantVerdict> auto& x) {
  a.field("invariant", x.invariant);
  a.field("evidence", x.evidence);
  a.field("cases", x.cases);
}
void describe(auto& a, Of<verify::Failure> auto& x) {
  a.field("check", x.check);
  a.field("oracle", x.oracle);
  a.field("minimality", x.minimality);
  a.field("input", x.input);
  a.field("expected", x.expected);
  a.field("actual", x.actual);
  a.field("note", x.note);
  a.field("token", x.token);
  a.field("fault", x.fault);
  a.field("history", x.history);
}
void describe(auto& a, Of<verify::Deviations> auto& x) {
  a.field("bound", x.bound);
  a.counts("counts", x.counts);
  a.field("beyond", x.beyond);
  a.field("greatest", x.greatest);
}
void describe(auto& a, Of<verify::Coverage::Level> auto& x) {
  a.field("level", x.level);
  a.field("cases", x.cases);
}
void describe(auto& a, Of<verify::Coverage::Factor> auto& x) {
  a.field("factor", x.factor);
  a.field("levels", x.levels);
}
void describe(auto& a, Of<verify::Coverage::Tuples> auto& x) {
  a.field("strength", x.strength);
  a.field("covered", x.covered);
  a.field("feasible", x.feasible);
}
void describe(auto& a, Of<verify::Coverage> auto& x) {
  a.field("factors", x.factors);
  a.field("tuples", x.tuples);
  a.field("infeasible", x.infeasible);
}
void describe(auto& a, Of<verify::Verdict> auto& x) {
  a.field("kind", x.kind);
  a.field("subject", x.subject);
  a.later_field("entry", x.entry);
  a.field("pipeline", x.pipeline);
  a.field("parity", x.parity);
  a.field("leaves", x.leaves);
  a.field("definition", x.definition);
  a.field("determinism", x.determinism);
  a.field("dispatches", x.dispatches);
  a.field("canaries", x.canaries);
  a.later_field("canaries_broken", x.canaries_broken);
  a.field("classes", x.classes);
  a.field("boundaries", x.boundaries);
  a.field("boundaries_hit", x.boundaries_hit);
  a.field("laws", x.laws);
  a.later_field("invariants", x.invariants);
  a.later_field("failure_count", x.failure_count);
  a.later_field("failures", x.failures);
  a.later_field("failing", x.failing);
  a.later_field("failing_digest", x.failing_digest);
  a.later_field("error", x.error);
  a.later_field("track", x.track);
  a.later_field("deviations", x.deviations);
  a.later_field("operators", x.operators);
  a.later_field("shapes", x.shapes);
  a.later_field("coverage", x.coverage);
}
void describe(auto& a, Of<Waiver> auto& x) {
  a.field("subject", x.subject);
  a.later_field("track", x.track);
  a.field("failures", x.failures);
  a.field("tag", x.tag);
  a.field("link", x.link);
  a.field("expires", x.expires);
}
void describe(auto& a, Of<Registry> auto& x) {
  a.field("digest", x.digest);
  a.field("operations", x.operations);
  a.field("families", x.families);
  a.later_field("float_operations", x.float_operations);
  a.later_field("float_families", x.float_families);
  a.later_field("approximate_operations", x.approximate_operations);
  a.later_field("approximate_families", x.approximate_families);
  a.later_field("laws", x.laws);
  a.later_field("classes", x.classes);
  a.later_field("boundaries", x.boundaries);
  a.later_field("operators", x.operators);
  a.later_field("shapes", x.shapes);
  a.later_field("tensors", x.tensors);
}
void describe(auto& a, Of<Certificate> auto& x) {
  a.label("vyre", x.vyre);
  a.label("backend", x.backend);
  a.label("device", x.device);
  a.label("driver", x.driver);
  a.later_field("floats", x.floats);
  a.field("registry", x.registry);
  a.field("strength", x.strength);
  a.field("seed", x.seed);
  a.label("selection", x.selection);
  a.later_label("family_selection", x.family_selection, kAllFamilies);
  a.field("verdicts", x.verdicts);
  a.later_field("waivers", x.waivers);
}

void describe(auto& a, Of<Coverage::Share> auto& x) {
  a.field("covered", x.covered);
  a.field("of", x.of);
}
void describe(auto& a, Of<Coverage> auto& x) {
  a.later_field("operations", x.operations);
  a.later_field("families", x.families);
  a.later_field("operators", x.operators);
  a.later_field("shapes", x.shapes);
  a.later_field("laws", x.laws);
  a.later_field("classes", x.classes);
  a.later_field("boundaries", x.boundaries);
}
void describe(auto& a, Of<Totals> auto& x) {
  a.field("parity_cases", x.parity_cases);
  a.field("law_cases", x.law_cases);
  a.field("repeated_evaluations", x.repeated_evaluations);
  a.field("dispatches", x.dispatches);
  a.field("laws_claimed", x.laws_claimed);
  a.field("laws_verified", x.laws_verified);
  a.field("laws_denied", x.laws_denied);
  a.field("laws_refuted", x.laws_refuted);
  a.later_field("promises", x.promises);
  a.later_field("promises_kept", x.promises_kept);
  a.field("failures", x.failures);
  a.later_field("flaky", x.flaky);
  a.field("planned", x.planned);
  a.field("passed", x.passed);
  a.field("failed", x.failed);
  a.field("waived", x.waived);
  a.field("unsupported", x.unsupported);
}

std::string word(uint32_t bits) { return fmt::format("0x{:08x}", bits); }

// Texts have bounds, so that a certificate is no way to fill a disk or to write on a terminal. A label is one
// line.
constexpr size_t kMaxLabelBytes = 4'096;
constexpr size_t kMaxTextBytes = 65'536;

/// How many bytes at the start are a control character, but for a line feed: of C0, DEL or C1. Of UTF-8.
size_t control_bytes(std::string_view text) {
  const auto c = static_cast<unsigned char>(text[0]);
  if ((c < 0x20 && c != '\n') || c == 0x7f) return 1;
  return c == 0xc2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xa0 ? 2 : 0;
}

/// The text within the bounds: without control characters, and cut where it is too long. Of UTF-8.
std::string bounded(std::string_view text, size_t most, bool one_line) {
  std::string out;
  while (!text.empty()) {
    size_t bytes = control_bytes(text);
    const bool replaced = bytes != 0 || (one_line && text[0] == '\n');
    bytes = std::max<size_t>(bytes, 1);
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) ++bytes;
    const std::string_view next = replaced ? std::string_view("\ufffd") : text.substr(0, bytes);
    if (out.size() + next.size() > most) break;
    out += next;
    text.remove_prefix(bytes);
  }
  return out;
}

class Writer {
 public:
  json out = json::object();

  void label(const char* name, const std::string& x) {
    out[name] = bounded(utf8(x), kMaxLabelBytes, /*one_line=*/true);
  }

  void later_label(const char* name, const std::string& x, std::string_view nothing) {
    if (x != nothing) label(name, x);
  }
  template <typename T>
  void field(const char* name, const T& x) {
    out[name] = value(x);
  }
  void counts(const char* name, const std::vector<uint64_t>& xs) {
    json list = json::array();
    for (const uint64_t x : xs) list.push_back(decimal(x));
    out[name] = std::move(list);
  }
  template <typename T>
  void later_field(const char* name, const T& x) {
    if (x != T{}) field(name, x);
  }

 private:
  // A driver may name its device in bytes that are no UTF-8: they are replaced, as JSON has none.
  static std::string utf8(const std::string& x) {
    return json::parse(json(x).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
  }
  static json value(const std::string& x) { return bounded(utf8(x), kMaxTextBytes, /*one_line=*/false); }
  static json value(bool x) { return x; }
  static json value(uint32_t x) { return x; }
  static json value(uint64_t x) { return decimal(x); }
  template <typename E>
    requires std::is_enum_v<E>
  static json value(const E& x) {
    return std::string(names_of<E>()[static_cast<size_t>(x)]);
  }
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
  void label(const char* name, std::string& x) {
    field(name, x);
    if (fault_.empty() && (x.size() > kMaxLabelBytes || x.contains('\n')))
      fail(path_ + "/" + name, fmt::format("is not one line of at most {} bytes", kMaxLabelBytes));
  }
  void later_label(const char* name, std::string& x, std::string_view) {
    if (in_.is_object() && in_.contains(name)) label(name, x);
  }
  void counts(const char* name, std::vector<uint64_t>& xs) {
    const json* j = find(name);
    if (j == nullptr) return;
    const std::string path = path_ + "/" + name;
    if (!j->is_array()) return fail(path, "is not a list");
    for (const json& item : *j) read(item, xs.emplace_back(), path);
  }
  template <typename T>
  void later_field(const char* name, T& x) {
    if (in_.is_object() && in_.contains(name)) field(name, x);
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
  /// The text is well-formed UTF-8: the JSON parser saw to it. Notes have line feeds.
  static bool has_controls(std::string_view text) {
    for (; !text.empty(); text.remove_prefix(1))
      if (control_bytes(text) != 0) return true;
    return false;
  }
  void read(const json& j, std::string& x, const std::string& path) {
    const std::string* text = j.get_ptr<const std::string*>();
    if (text == nullptr) return fail(path, "is not a string");
    if (text->size() > kMaxTextBytes)
      return fail(path, fmt::format("is longer than {} bytes", kMaxTextBytes));
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
  template <typename E>
    requires std::is_enum_v<E>
  void read(const json& j, E& x, const std::string& path) {
    const std::span names = names_of<E>();
    const std::string* text = j.get_ptr<const std::string*>();
    const auto at = text == nullptr ? names.end() : std::ranges::find(names, *text);
    if (at == names.end()) return fail(path, "names nothing that is known");
    x = static_cast<E>(at - names.begin());
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

template <typename T>
json written(const T& x) {
  Writer w;
  describe(w, x);
  return std::move(w.out);
}

template <typename T>
std::expected<T, std::string> read(const json& in) {
  T out;
  std::string fault;
  Reader r(in, fault, "");
  describe(r, out);
  if (!fault.empty()) return std::unexpected(std::move(fault));
  return out;
}

}  // namespace

json to_json(const Certificate& certificate) { return written(certificate); }
json to_json(const Coverage& coverage) { return written(coverage); }
json to_json(const Totals& totals) { return written(totals); }
json to_json(const verify::Verdict& verdict) { return written(verdict); }

std::expected<Certificate, std::string> from_json(const json& in) { return read<Certificate>(in); }

std::string print_verdict(const verify::Verdict& verdict) {
  return print_canonical(to_json(verdict)).value();  // a writer makes nothing that has no canonical text
}

std::expected<verify::Verdict, std::string> parse_verdict(std::string_view text) {
  constexpr int kDepth = 16;
  const auto in = parse_canonical(text, kDepth);
  if (!in) return std::unexpected(in.error().message);
  return read<verify::Verdict>(*in);
}

}  // namespace vyre::certify
