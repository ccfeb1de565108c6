#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace vyre {
namespace {

constexpr size_t kMaxShownName = 60;
constexpr size_t kMaxComparedName = 64;
constexpr size_t kMostShown = 2;

/// Edit distance with transpositions of neighbours (optimal string alignment). Domain: names of at most
/// kMaxComparedName bytes.
size_t distance(std::string_view a, std::string_view b) {
  std::array<size_t, kMaxComparedName + 1> before{}, last{}, row{};
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string quoted(std::string_view name) {
  std::string out = "`";
  for (const char c : name.substr(0, kMaxShownName)) {
    if (c >= ' ' && c <= '~' && c != '`' && c != '\\') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (name.size() > kMaxShownName) out += "...";
  out += '`';
  return out;
}

bool matches(std::string_view pattern, std::string_view name) {
  // The usual two-pointer walk: on a mismatch, the last * takes one character more.
  size_t p = 0, n = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool is_among(std::string_view name, std::string_view patterns) {
  bool found = false;
  while (!patterns.empty()) {
    std::string_view pattern = patterns.substr(0, patterns.find(' '));
    patterns.remove_prefix(std::min(pattern.size() + 1, patterns.size()));
    const bool excluded = pattern.starts_with('!');
    if (excluded) pattern.remove_prefix(1);
    if (!matches(pattern, name)) continue;
    if (excluded) return false;
    found = true;
  }
  return found;
}

NearestName::NearestName(std::string_view wanted)
    : wanted_(wanted), best_distance_(std::max<size_t>(1, wanted.size() / 3)) {}

void NearestName::consider(std::string_view candidate, std::string_view meant) {
  if (wanted_.size() > kMaxComparedName || candidate.size() > kMaxComparedName) return;
  const size_t longer = std::max(wanted_.size(), candidate.size());
  if (longer - std::min(wanted_.size(), candidate.size()) > best_distance_) return;
  const size_t d = distance(wanted_, candidate);
  // A distance of the whole length says only that both are names.
  if (d > best_distance_ || d == longer) return;
  if (d < best_distance_) best_.clear();
  best_distance_ = d;
  if (best_.size() < kMostShown && std::ranges::find(best_, meant) == best_.end()) best_.push_back(meant);
}

void NearestName::consider_id(std::string_view id) {
  consider(id);
  consider(id.substr(id.rfind('.') + 1), id);
}

std::string NearestName::help() const {
  if (best_.empty()) return {};
  std::string out = "did you mean " + quoted(best_.front());
  for (const std::string_view other : std::span(best_).subspan(1)) out += " or " + quoted(other);
  return out + "?";
}

}  // namespace vyre
