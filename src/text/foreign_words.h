// What programmers of other languages write, and what to write here: the help of diagnostics that stand at
// such a word or sign. Nothing here is reserved, and no program is refused for it. The words themselves are
// in foreign_words.def.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ranges>
#include <string_view>

namespace vyre::text {

/// A word or sign; a type; a suffix of numbers, whose help is the suffix that they have here.
enum class Foreign : uint8_t { Word, Type, Suffix };

struct ForeignWords {
  Foreign kind;
  std::string_view words;  // with a space between any two
  std::string_view help;
  std::string_view in_pipeline{};  // the help in the body of a pipeline, where it is another one
};
inline constexpr auto kForeignWords = std::to_array<ForeignWords>({
#define VYRE_FOREIGN(kind, ...) {Foreign::kind, __VA_ARGS__},
#include "text/foreign_words.def"
#undef VYRE_FOREIGN
});

/// The row that has the word, or null.
constexpr const ForeignWords* find_foreign(Foreign kind, std::string_view word) {
  for (const ForeignWords& row : kForeignWords) {
    const auto same = [&](auto part) { return std::string_view(part) == word; };
    if (row.kind == kind && std::ranges::any_of(std::views::split(row.words, ' '), same)) return &row;
  }
  return nullptr;
}

/// The help where a type should stand, or nothing.
constexpr std::string_view foreign_type_help(std::string_view text) {
  const ForeignWords* const found = find_foreign(Foreign::Type, text);
  return found == nullptr ? std::string_view{} : found->help;
}

/// The help for a word or sign, or nothing. A type, where none should stand, begins a declaration.
constexpr std::string_view foreign_help(std::string_view text, bool in_pipeline = false) {
  if (const ForeignWords* const found = find_foreign(Foreign::Word, text))
    return in_pipeline && !found->in_pipeline.empty() ? found->in_pipeline : found->help;
  const std::string_view type = foreign_type_help(text);
  return type.empty() || type == foreign_type_help("vec2") ? type : foreign_help("var");
}

}  // namespace vyre::text
