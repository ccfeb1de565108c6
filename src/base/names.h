// Names that came from outside: shown in messages, and compared with the names that there are.
//
// A message about a mistyped name should show the one that was meant. NearestName is the one place that finds
// it, for operators, operations, variables, verbs, options and backends alike. Source of the distance:
// Damerau, "A technique for computer detection and correction of spelling errors" (CACM 7, 1964), as the
// optimal string alignment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vyre {

/// `name` between backticks, cut after 60 bytes, with everything that is not printable ASCII escaped.
std::string quoted(std::string_view name);

/// Whether a pattern of * (any characters) and ? (one) matches a whole name. Cost: |pattern| * |name|.
bool matches(std::string_view pattern, std::string_view name);
/// Whether one of several patterns, with blanks between them, matches, and none of those behind a `!`:
/// "hash.* !hash.*_large".
bool is_among(std::string_view name, std::string_view patterns);

/// Finds what was probably meant: the candidates nearest to a name, if they are near enough.
class NearestName {
 public:
  explicit NearestName(std::string_view wanted);
  /// What is pointed to must outlive this.
  void consider(std::string_view candidate) { consider(candidate, candidate); }
  /// The same for another way to say `meant`.
  void consider(std::string_view candidate, std::string_view meant);
  /// The id of an operation, also by its last word alone: `rotl` is primitive.bitwise.rotl.
  void consider_id(std::string_view id);
  bool found() const { return !best_.empty(); }
  /// "did you mean `x`?", of two that are equally near both, or nothing.
  std::string help() const;
  /// help(), or this when there is nothing near.
  std::string help_or(std::string other) const { return found() ? help() : std::move(other); }

 private:
  std::string_view wanted_;
  std::vector<std::string_view> best_;
  size_t best_distance_;
};

}  // namespace vyre
