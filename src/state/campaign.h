// What makes two runs parts of one campaign.
//
// A campaign is one question asked of one class of backends: this registry, this seed, this strength. Its
// units may be judged on many machines and in many runs, and be put together only if all of them were asked
// the same. The key says what was asked as a list of names and values, so that a difference can be named. It
// has no times, no host and no device: instances of a class may differ, and are listed as parts of the
// campaign.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"

namespace vyre::state {

struct Field {
  std::string name;  // printable, without spaces: it begins a line
  std::string value;
  bool operator==(const Field&) const = default;
};

/// In an order that never changes: the first field that differs is the one that is named.
using CampaignKey = std::vector<Field>;

/// "seed is 1 there and 2 here": the first difference of two keys; none when they are equal.
std::optional<std::string> first_difference(const CampaignKey& there, const CampaignKey& here);

/// The one text of a key: a line that says what it is, a line a field, and a last one with the digest of the
/// rest.
std::string print_key(const CampaignKey& key);
/// What is kept of a campaign belongs to it by this digest.
Digest key_digest(const CampaignKey& key);

/// Why a text is no key: foreign, of another version, or one of ours that was changed.
enum class NoKey : uint8_t { Foreign, OtherVersion, Damaged };
std::expected<CampaignKey, NoKey> parse_key(std::string_view text);

}  // namespace vyre::state
