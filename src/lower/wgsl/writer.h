// Lines of WGSL, and names that stand for literals. Internal to lower/wgsl.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <string>
#include <string_view>

namespace vyre::lower {

/// What a program calls something, as part of a name: letters, digits and underscores. A name that begins
/// with a letter, a number or none, and an underscore is neither a word of WGSL nor reserved, whatever
/// follows.
inline std::string wgsl_name(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const bool kept = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!kept) c = '_';
  }
  return out;
}

/// The body of the function, line by line, and the literals that it names.
class WgslWriter {
 public:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  /// A line that opens a brace; then close(), or otherwise() and close().
  template <typename... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    line("{} {{", fmt::format(format, std::forward<Args>(args)...));
    ++depth_;
  }
  void otherwise() {
    --depth_;
    line("}} else {{");
    ++depth_;
  }
  void close() {
    --depth_;
    line("}}");
  }

  /// A name for the word: n31, or h80000000 from 2^16 on, as print() writes them.
  std::string number(uint32_t bits) {
    numbers_.insert(bits);
    return name_of(bits);
  }
  /// `let` for each literal. They are no constant expressions by the language's rules, which is the point.
  std::string numbers() const {
    std::string out;
    for (const uint32_t bits : numbers_) {
      const auto to = std::back_inserter(out);
      if (bits < kHexadecimalFrom) {
        fmt::format_to(to, "  let {} = {}u;\n", name_of(bits), bits);
      } else {
        fmt::format_to(to, "  let {} = 0x{:x}u;\n", name_of(bits), bits);
      }
    }
    return out;
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr uint32_t kHexadecimalFrom = 1u << 16;
  static std::string name_of(uint32_t bits) {
    return bits < kHexadecimalFrom ? fmt::format("n{}", bits) : fmt::format("h{:x}", bits);
  }

  std::string text_;
  std::set<uint32_t> numbers_;
  uint32_t depth_ = 1;
};

}  // namespace vyre::lower
