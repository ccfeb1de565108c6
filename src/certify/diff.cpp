#include "certify/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "certify/console.h"

namespace vyre::certify {
namespace {

using verify::Track;
using verify::Verdict;

constexpr size_t kShownSubjects = 2;  // of those that lost or gained
constexpr size_t kShownNames = 3;     // of those that are in one certificate alone

/// Texts of a foreign certificate may hold line feeds.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// What a verdict supports, and what it lacks for more.
struct Support {
  Level level = Level::None;
  std::string lacks;
};
Support support_of(const Verdict& v, verify::Strength strength) {
  if (auto missing = missing_for_parity(v, strength); !missing.empty())
    return {Level::None, std::move(missing.front())};
  if (auto missing = missing_for_laws(v, strength); !missing.empty())
    return {Level::L1, std::move(missing.front())};
  if (auto missing = missing_for_invariants(v); !missing.empty())
    return {Level::L2, std::move(missing.front())};
  const auto& kind = info(v.kind);
  return {std::min(greatest_level(v.track), kind.has_invariants || kind.has_tensors ? Level::L3 : Level::L2),
          {}};
}

using SubjectKey = std::tuple<verify::SubjectKind, std::string, Track>;
SubjectKey key_of(const Verdict& v) { return {v.kind, v.subject, v.track}; }

/// "a, b, c and 4 more"
std::string listed(const std::vector<std::string>& names, size_t shown, std::string_view separator) {
  std::string out;
  for (size_t k = 0; k < std::min(names.size(), shown); ++k)
    out += (k == 0 ? "" : std::string(separator)) + names[k];
  if (names.size() > shown) out += fmt::format(" and {} more", names.size() - shown);
  return out;
}

/// The parts of one line that differ: "device A -> B, driver C -> D"; nothing when none does.
class Changes {
 public:
  template <typename T>
  Changes& of(std::string_view what, const T& from, const T& to) {
    if (from != to) parts_.push_back(fmt::format("{} {} -> {}", what, shown(from), shown(to)));
    return *this;
  }
  void append_to(std::vector<std::string>& lines, std::string_view title) const {
    if (!parts_.empty()) lines.push_back(fmt::format("{}: {}", title, listed(parts_, parts_.size(), ", ")));
  }

 private:
  static std::string shown(const std::string& text) { return text.empty() ? "nothing" : text; }
  static std::string shown(uint64_t n) { return std::to_string(n); }
  std::vector<std::string> parts_;
};

struct Subjects {
  std::vector<std::string> lost, gained, only_from, only_to;
  const Verdict* first_failing = nullptr;  // of those that lost or are new, with a case to show
};

Subjects compare(const Certificate& from, const Certificate& to) {
  std::map<SubjectKey, const Verdict*> before;
  for (const Verdict& v : from.verdicts) before.emplace(key_of(v), &v);
  Subjects out;
  for (const Verdict& v : to.verdicts) {
    const auto at = before.find(key_of(v));
    if (at == before.end()) {
      const Support is = support_of(v, to.strength);
      out.only_to.push_back(is.level == Level::L2
                                ? name_of(v)
                                : fmt::format("{} {} ({})", name_of(v), text(v.track, is.level), is.lacks));
      if (out.first_failing == nullptr && !v.failures.empty()) out.first_failing = &v;
      continue;
    }
    const Support was = support_of(*at->second, from.strength), is = support_of(v, to.strength);
    before.erase(at);
    if (was.level == is.level) continue;
    const std::string reason = is.level < was.level ? is.lacks : "was: " + was.lacks;
    (is.level < was.level ? out.lost : out.gained)
        .push_back(fmt::format("{} {} -> {} ({})", name_of(v), text(v.track, was.level),
                               text(v.track, is.level), reason));
    if (is.level < was.level && out.first_failing == nullptr && !v.failures.empty()) out.first_failing = &v;
  }
  for (const Verdict& v : from.verdicts) {
    if (before.contains(key_of(v))) out.only_from.push_back(name_of(v));
  }
  return out;
}

std::string word_list(const std::vector<uint32_t>& bits) {
  std::vector<std::string> out;
  for (const uint32_t word : bits) out.push_back(word_and_value(word));
  return out.empty() ? "nothing" : listed(out, 4, ", ");
}

void append(std::vector<std::string>& lines, std::string_view title, const std::vector<std::string>& subjects,
            size_t shown, std::string_view separator) {
  if (!subjects.empty()) lines.push_back(fmt::format("{}: {}", title, listed(subjects, shown, separator)));
}

}  // namespace

Difference diff(const Certificate& from, const Certificate& to) {
  Difference out;
  out.same_level =
      std::ranges::all_of(std::array{Track::Integer, Track::Float, Track::Approximate},
                          [&](Track track) { return from.level_text(track) == to.level_text(track); });
  const std::string was = from.level_line(), is = to.level_line();
  out.lines.push_back(was == is ? fmt::format("level: {} in both", is)
                                : fmt::format("level: {} -> {}", was, is));
  Changes()
      .of("vyre", from.vyre, to.vyre)
      .of("backend", from.backend, to.backend)
      .of("device", from.device, to.device)
      .of("driver", from.driver, to.driver)
      .of("floats", from.floats, to.floats)
      .append_to(out.lines, "who answered");
  Changes()
      .of("strength", std::string(text(from.strength)), std::string(text(to.strength)))
      .of("seed", from.seed, to.seed)
      .of("selection", from.selection, to.selection)
      .of("families", from.family_selection, to.family_selection)
      .append_to(out.lines, "what was asked");
  Changes()
      .of("digest", from.registry.digest.substr(0, 16), to.registry.digest.substr(0, 16))
      .of("operations", from.registry.operations, to.registry.operations)
      .of("families", from.registry.families, to.registry.families)
      .of("float operations", from.registry.float_operations, to.registry.float_operations)
      .of("float families", from.registry.float_families, to.registry.float_families)
      .of("approximate operations", from.registry.approximate_operations, to.registry.approximate_operations)
      .append_to(out.lines, "registry");
  const Subjects subjects = compare(from, to);
  append(out.lines, "lost", subjects.lost, kShownSubjects, "; ");
  append(out.lines, "gained", subjects.gained, kShownSubjects, "; ");
  append(out.lines, "no longer judged", subjects.only_from, kShownNames, ", ");
  append(out.lines, "newly judged", subjects.only_to, kShownNames, ", ");
  if (subjects.first_failing != nullptr) {
    const verify::Failure& failure = subjects.first_failing->failures.front();
    out.lines.push_back(fmt::format("first failing case: {} ({}): input {}; expected {}; actual {}",
                                    failure.token.empty() ? name_of(*subjects.first_failing) : failure.token,
                                    text(failure.fault), word_list(failure.input),
                                    word_list(failure.expected), word_list(failure.actual)));
  }
  for (std::string& line : out.lines) line = one_line(std::move(line));
  if (out.lines.size() == 1 && from != to) out.lines.emplace_back("only counts and evidence differ");
  return out;
}

}  // namespace vyre::certify
