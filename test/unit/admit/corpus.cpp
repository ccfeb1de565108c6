#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace vyre::admit {
namespace {

constexpr std::string_view kForm = "write `operation operand... = expected # who published it, and where`";
constexpr size_t kCitation = 8;  // letters: a name and a place have more

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::optional<uint32_t> number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// One line; `begin` is where it stands in the file.
class Line {
 public:
  Line(std::string_view text, size_t begin, uint32_t number) : text_(text), begin_(begin), line_(number) {}

  Result<Vector> read() const {
    const size_t hash = text_.find('#'), equals = text_.find('=');
    const std::string_view citation = hash == std::string_view::npos ? "" : trimmed(text_.substr(hash + 1));
    if (citation.size() < kCitation)
      return fail("there is no citation, so it cannot be told where this comes from");
    if (equals == std::string_view::npos || equals > hash) return fail("nothing is expected");
    const auto left = words_of(text_.substr(0, equals));
    const auto right = words_of(text_.substr(equals + 1, hash - equals - 1));
    if (left.empty() || right.size() != 1) return fail("that is no vector");
    const ops::Operation* operation = ops::find_operation(left[0]);
    if (operation == nullptr) return fail(fmt::format("`{}` is no operation; {}", left[0], nearest(left[0])));
    const auto& types = operation->signature.inputs;
    if (left.size() - 1 != types.size()) {
      return fail(
          fmt::format("{} takes {} operands, and there are {}", left[0], types.size(), left.size() - 1));
    }
    Vector vector = {operation, {}, 0, std::string(citation), line_};
    for (size_t i = 0; i < types.size(); ++i) {
      VYRE_TRY(word, value(left[i + 1], types[i]));
      vector.operands.push_back(word);
    }
    VYRE_TRY(expected, value(right[0], operation->signature.output));
    vector.expected = expected;
    return vector;
  }

  std::unexpected<Diag> fail(std::string message) const {
    const Span span{uint32_t(begin_), uint32_t(begin_ + text_.size())};
    return std::unexpected(
        make_diag(DiagCode::C015, span, fmt::format("line {}: {}", line_, message), std::string(kForm)));
  }

 private:
  Result<uint32_t> value(std::string_view word, spec::DataType type) const {
    const auto found = number(word);
    if (!found) return fail(fmt::format("`{}` is no word", word));
    const uint32_t bits = type == spec::DataType::Bool ? 1 : spec::value_bits(type);
    if (bits < 32 && *found >> bits != 0) return fail(fmt::format("`{}` is no {}", word, spec::text(type)));
    return *found;
  }

  /// An operation with the same first and last name, or the same last one.
  static std::string nearest(std::string_view id) {
    const auto first = [](std::string_view name) { return name.substr(0, name.find('.')); };
    const auto last = [](std::string_view name) { return name.substr(name.rfind('.') + 1); };
    std::string_view found;
    for (const ops::Operation& operation : ops::all_operations()) {
      if (last(operation.id) != last(id)) continue;
      if (found.empty() || first(operation.id) == first(id)) found = operation.id;
    }
    return found.empty() ? "`vyre ops` lists them" : fmt::format("`{}` is one", found);
  }

  std::string_view text_;
  size_t begin_;
  uint32_t line_;
};

}  // namespace

Result<std::vector<Vector>> read_corpus(std::string_view text) {
  std::vector<Vector> vectors;
  std::map<std::pair<const ops::Operation*, std::vector<uint32_t>>, uint32_t> seen;
  uint32_t number = 1;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view content = trimmed(text.substr(begin, end - begin));
    if (!content.empty() && !content.starts_with("//")) {
      const Line line(text.substr(begin, end - begin), begin, number);
      VYRE_TRY(vector, line.read());
      const auto [at, is_new] = seen.try_emplace({vector.operation, vector.operands}, vector.expected);
      if (!is_new && at->second != vector.expected)
        return line.fail("another vector of the file says otherwise");
      vectors.push_back(std::move(vector));
    }
    begin = end + 1;
  }
  return vectors;
}

}  // namespace vyre::admit
