#include "library/library.h"

#include <algorithm>
#include <charconv>

#include "base/names.h"

namespace vyre::library {
namespace {

std::string_view trimmed(std::string_view s) {
  const size_t first = s.find_first_not_of(' ');
  return first == s.npos ? std::string_view() : s.substr(first, s.find_last_not_of(' ') - first + 1);
}

/// "OP=0, KEY=2". What is no constant is left to the check of the text, which finds the name unknown.
std::vector<std::pair<std::string, uint32_t>> constants(std::string_view list) {
  std::vector<std::pair<std::string, uint32_t>> out;
  while (!list.empty()) {
    const std::string_view one = trimmed(list.substr(0, list.find(',')));
    list.remove_prefix(std::min(list.find(','), list.size() - 1) + 1);
    const size_t equals = std::min(one.find('='), one.size());
    uint32_t value = 0;
    std::from_chars(one.data() + std::min(equals + 1, one.size()), one.data() + one.size(), value);
    out.emplace_back(one.substr(0, equals), value);
  }
  return out;
}

std::vector<Entry> make_entries() {
  std::vector<Entry> out;
  for (const File& file : files()) {
    bool named = false;
    std::string_view rest = file.text;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      const std::string_view id = named_id(line);
      if (id.empty()) continue;
      const size_t list = size_t(id.data() - line.data()) + id.size() + 1;
      out.push_back({std::string(id), &file, constants(line.substr(list))});
      named = true;
    }
    if (named) continue;
    std::string id(file.path);
    std::ranges::replace(id, '/', '.');
    out.push_back({std::move(id), &file, {}});
  }
  std::ranges::sort(out, {}, &Entry::id);
  return out;
}

}  // namespace

std::string_view named_id(std::string_view line) {
  constexpr std::string_view kAs = "// as ";
  if (!line.starts_with(kAs)) return {};
  const std::string_view rest = line.substr(kAs.size()), id = rest.substr(0, rest.find(':'));
  const bool is_id = id.size() < rest.size() && id.contains('.') &&
                     id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == id.npos;
  return is_id ? id : std::string_view();
}

std::string_view Entry::summary() const {
  std::string_view line = file->text.substr(0, file->text.find('\n'));
  const size_t colon = line.find(": ");
  return colon == line.npos ? std::string_view() : line.substr(colon + 2);
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = make_entries();
  return all;
}

const Entry* find(std::string_view id) {
  const auto found = std::ranges::lower_bound(entries(), id, {}, &Entry::id);
  return found != entries().end() && found->id == id ? &*found : nullptr;
}

std::span<const Law> laws() {
  constexpr bool Claimed = true, Denied = false;
  static constexpr Law all[] = {
#define VYRE_BUFFER_LAW(operations, Name, claimed, statement) {operations, #Name, claimed, statement},
#include "library/laws.def"
#undef VYRE_BUFFER_LAW
  };
  return all;
}

std::span<const Engine> engines() {
  using enum Invariant;
  static const std::vector<Engine> all = {
#define VYRE_ENGINE(id, promises, dispatches, scratch_bytes, turns) \
  {id, promises, dispatches, scratch_bytes, turns},
#include "library/engines.def"
#undef VYRE_ENGINE
  };
  return all;
}

const Engine* find_engine(std::string_view id) {
  const auto found = std::ranges::find(engines(), id, &Engine::id);
  return found != engines().end() ? &*found : nullptr;
}

std::span<const Speed> speeds() {
  static constexpr Speed all[] = {
#define VYRE_SPEED(operations, input, device, beside, ratio) {operations, input, device, beside, ratio},
#include "library/speed.def"
#undef VYRE_SPEED
  };
  return all;
}

std::vector<const Law*> laws_of(std::string_view id) {
  std::vector<const Law*> out;
  for (const Law& law : laws())
    if (is_among(id, law.operations)) out.push_back(&law);
  return out;
}

}  // namespace vyre::library
