#include "state/campaign.h"

#include <fmt/format.h>

#include <algorithm>

namespace vyre::state {
namespace {

constexpr std::string_view kKeyMagic = "vyre campaign ";
constexpr std::string_view kFirstLine = "vyre campaign 1\n";
constexpr std::string_view kDigest = "sha256 ";
constexpr size_t kDigestLine = kDigest.size() + 64 + 1;

/// A value on one line.
std::string escape(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string unescape(std::string_view line) {
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      out += line[i];
    } else {
      out += line[++i] == 'n' ? '\n' : line[i];
    }
  }
  return out;
}

std::string print_fields(const CampaignKey& key) {
  std::string out(kFirstLine);
  for (const Field& field : key) out += fmt::format("{} {}\n", field.name, escape(field.value));
  return out;
}

/// Whether at least half of two texts' common positions agree: a line of ours in which bits have flipped.
bool resembles(std::string_view text, std::string_view expected) {
  const size_t length = std::min(text.size(), expected.size());
  size_t equal = 0;
  for (size_t i = 0; i < length; ++i) equal += text[i] == expected[i];
  return 2 * equal > expected.size();
}

}  // namespace

std::optional<std::string> first_difference(const CampaignKey& there, const CampaignKey& here) {
  for (size_t i = 0; i < std::max(there.size(), here.size()); ++i) {
    if (i >= there.size()) return fmt::format("{} is not there, and {} here", here[i].name, here[i].value);
    if (i >= here.size())
      return fmt::format("{} is {} there, and nothing here", there[i].name, there[i].value);
    if (there[i].name != here[i].name)
      return fmt::format("field {} is {} there and {} here", i, there[i].name, here[i].name);
    if (there[i].value != here[i].value)
      return fmt::format("{} is {} there and {} here", here[i].name, there[i].value, here[i].value);
  }
  return std::nullopt;
}

std::string print_key(const CampaignKey& key) {
  const std::string fields = print_fields(key);
  return fmt::format("{}{}{}\n", fields, kDigest, sha256(fields).hex());
}

Digest key_digest(const CampaignKey& key) { return sha256(print_fields(key)); }

std::expected<CampaignKey, NoKey> parse_key(std::string_view text) {
  const size_t fields_end = text.size() >= kDigestLine ? text.size() - kDigestLine : 0;
  const std::string_view fields = text.substr(0, fields_end);
  const bool whole =
      fields_end > 0 && text.substr(fields_end) == fmt::format("{}{}\n", kDigest, sha256(fields).hex());
  if (!whole) return std::unexpected(resembles(text, kFirstLine) ? NoKey::Damaged : NoKey::Foreign);
  if (!fields.starts_with(kFirstLine))
    return std::unexpected(fields.starts_with(kKeyMagic) ? NoKey::OtherVersion : NoKey::Foreign);
  CampaignKey key;
  for (size_t at = kFirstLine.size(); at < fields.size();) {
    const size_t end = std::min(fields.find('\n', at), fields.size());
    const std::string_view line = fields.substr(at, end - at);
    const size_t space = std::min(line.find(' '), line.size());
    key.push_back({std::string(line.substr(0, space)),
                   space < line.size() ? unescape(line.substr(space + 1)) : std::string()});
    at = end + 1;
  }
  return key;
}

}  // namespace vyre::state
