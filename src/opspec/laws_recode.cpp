// Laws of decode and encode.
#include <algorithm>

#include "opspec/laws_bytes.h"

namespace vyre::opspec {
namespace {

std::string other(std::string_view id, std::string_view category) {
  return std::string(category) + std::string(id.substr(id.find('.')));
}
bool is_good(const Outcome& outcome) { return outcome.status == 0; }
/// Those of the items of which the operation makes something.
Items good_items(const Trial& trial) {
  const Items items = some_items(trial);
  const std::vector<Outcome> made = outcomes(trial, items);
  Items out;
  for (size_t i = 0; i < items.size(); ++i)
    if (is_good(made[i])) out.push_back(items[i]);
  return out;
}
Items good_outcomes(const std::vector<Outcome>& outcomes) {
  Items out;
  for (const Outcome& outcome : outcomes)
    if (is_good(outcome)) out.push_back(outcome.bytes);
  return out;
}
/// Whether an operation makes `wanted` of items, none of which is at fault.
bool gives(const Trial& trial, std::string_view id, const Items& items, const Items& wanted) {
  const std::vector<Outcome> made = outcomes(trial, id, {items});
  return std::ranges::all_of(made, is_good) && bytes_of(made) == wanted;
}

}  // namespace

bool DecodeOfEncode(const Trial& trial) {
  const Items items = good_items(trial);
  return gives(trial, other(trial.id(), "decode"), bytes_of(outcomes(trial, items)), items);
}
bool EncodeOfDecode(const Trial& trial) {
  const Items items = good_items(trial);
  return gives(trial, other(trial.id(), "encode"), bytes_of(outcomes(trial, items)), items);
}
bool DecodeEncodeDecode(const Trial& trial) {
  const Items decoded = good_outcomes(outcomes(trial, some_items(trial)));
  const Items encoded = bytes_of(outcomes(trial, other(trial.id(), "encode"), {decoded}));
  return gives(trial, trial.id(), encoded, decoded);
}
bool Concatenation(const Trial& trial) {
  const Items items = good_items(trial);
  const Items made = bytes_of(outcomes(trial, items));
  Items pairs, wanted;
  for (size_t i = 0; i + 1 < items.size(); ++i) {
    pairs.push_back(joined(items[i], items[i + 1]));
    wanted.push_back(joined(made[i], made[i + 1]));
  }
  return gives(trial, trial.id(), pairs, wanted);
}
bool NotLonger(const Trial& trial) {
  const Items items = some_items(trial);
  const Items made = bytes_of(outcomes(trial, items));
  for (size_t i = 0; i < items.size(); ++i)
    if (made[i].size() > items[i].size()) return false;
  return true;
}
bool LettersOfEitherCase(const Trial& trial) {
  const Items items = some_items(trial);
  const Items upper = bytes_of(outcomes(trial, "string.upper_ascii", {items}));
  return outcomes(trial, upper) == outcomes(trial, items);
}

bool LiteralsAlone(const Trial& trial) {
  const Items items = some_items(trial);
  Items blocks;
  for (const Item& item : items) {
    Item& block = blocks.emplace_back();
    constexpr size_t kMostInToken = 15;
    block.push_back(uint8_t(std::min(item.size(), kMostInToken) << 4));
    if (item.size() >= kMostInToken) {
      const size_t more = item.size() - kMostInToken;
      block.insert(block.end(), more / 255, 255);
      block.push_back(uint8_t(more % 255));
    }
    block.insert(block.end(), item.begin(), item.end());
  }
  return gives(trial, trial.id(), blocks, items);
}
bool PlainText(const Trial& trial) {
  Items items = some_items(trial);
  const uint8_t special = trial.id() == "decode.percent" ? '%' : '\\';
  for (Item& item : items) std::erase(item, special);
  return gives(trial, trial.id(), items, items);
}
bool EscapeOfEach(const Trial& trial) {
  Items items = some_items(trial), escaped;
  for (Item& item : items) {
    Item& escapes = escaped.emplace_back();
    for (uint8_t& byte : item) {
      byte &= 0x7f;
      escapes = joined(escapes, text("\\u00"));
      for (const uint8_t digit : {byte / 16, byte % 16})
        escapes.push_back(uint8_t("0123456789aBcDeF"[digit]));
    }
  }
  return gives(trial, trial.id(), escaped, items);
}

bool PointsOfUnicode(const Trial& trial) {
  const Items points = good_outcomes(outcomes(trial, some_items(trial)));
  const std::vector<Outcome> encoded = outcomes(trial, "encode.utf8", {points});
  return std::ranges::all_of(encoded, is_good) && gives(trial, "decode.utf8", bytes_of(encoded), points);
}
bool StatusOfDecode(const Trial& trial) {
  const Items items = some_items(trial);
  const std::vector<Outcome> valid = outcomes(trial, items),
                             decoded = outcomes(trial, "decode.utf8", {items});
  for (size_t i = 0; i < items.size(); ++i)
    if (valid[i].word(0) != decoded[i].status) return false;
  return true;
}
bool ReversedIsValid(const Trial& trial) {
  Items items = some_items(trial);
  const std::vector<Outcome> forward = outcomes(trial, items);
  for (Item& item : items) std::ranges::reverse(item);
  const std::vector<Outcome> backward = outcomes(trial, items);
  for (size_t i = 0; i < items.size(); ++i)
    if (forward[i].word(0) == 0 && backward[i].word(0) != 0) return false;
  return true;
}

}  // namespace vyre::opspec
