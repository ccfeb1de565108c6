#include <fmt/format.h>

#include <algorithm>

#include "modules.h"
#include "text/text.h"

namespace vyre::generate {
namespace {

bool in_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Whether the number at `begin` stands for a binding or a version, or is the index behind a named dimension.
bool must_stay(std::string_view text, size_t begin) {
  if (begin == 0) return true;
  if (text[begin - 1] == '@') return true;
  if (text[begin - 1] != '[') return false;
  size_t at = begin - 1;
  while (at > 0 && in_word(text[at - 1])) --at;
  // `[n = d0[2], 3]`; `let x = a[2]` looks the same, and nothing is lost there.
  return at < begin - 1 && text.substr(0, at).ends_with("= ");
}

}  // namespace

NamedText with_constants(const ir::Module& module) {
  NamedText out;
  for (const ir::Constant& constant : module.constants) {
    const uint32_t other = constant.value ^ 1;
    out.text += fmt::format("const {} = {} in {{{}, {}}};\n", constant.name, other, other, constant.value);
    out.chosen.emplace(constant.name, constant.value);
  }
  const std::string text = text::print(module);
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end == at) {
      out.text += text[at++];
      continue;
    }
    // A number with a point is of a float, and so is a word of digits behind one or behind the sign of an
    // exponent.
    const std::string_view word(text.data() + at, end - at);
    const bool dotted = (at > 0 && text[at - 1] == '.' && (at < 2 || text[at - 2] != '.')) ||
                        (end + 1 < text.size() && text[end] == '.' && text[end + 1] != '.');
    const bool exponent = at > 1 && (text[at - 1] == '-' || text[at - 1] == '+') && text[at - 2] == 'e';
    const auto constant = std::ranges::find_if(
        module.constants, [&](const ir::Constant& c) { return fmt::format("{}", c.value) == word; });
    if (constant != module.constants.end() && !dotted && !exponent && !must_stay(text, at)) {
      out.text += constant->name;
    } else {
      out.text += word;
    }
    at = end;
  }
  return out;
}

}  // namespace vyre::generate
