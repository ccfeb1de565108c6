// Fuzzes the text format: any bytes are parsed, and what parses is printed, formatted and parsed again. Half
// of the mutations change tokens (token_mutator.h), the others bytes.
//
// Oracle: parse, print and format are each other's: print(m) parses to an equal module, format() changes no
// module, both give the same text when they are applied to their own result, and a diagnostic points into
// the text.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "text/directives.h"
#include "text/text.h"
#include "token_mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

void require_in_text(const vyre::Diag& diag, std::string_view text) {
  const bool inside = diag.span.known() && diag.span.begin <= diag.span.end && diag.span.end <= text.size();
  require(inside && !diag.message.empty(), "a diagnostic without a place", diag.message);
  const vyre::Source source("fuzz.vyre", std::string(text));
  require(!vyre::render(diag, &source).empty(), "a diagnostic that cannot be shown", diag.message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto directives = vyre::text::parse_directives(text); !directives) {
    require_in_text(directives.error(), text);
  }
  const auto module = vyre::text::parse_module(text);
  if (!module) {
    require_in_text(module.error(), text);
    return 0;
  }

  const auto formatted = vyre::text::format(text);
  require(formatted.has_value(), "a module cannot be formatted", std::string(text));
  const auto kept = vyre::text::parse_module(*formatted);
  require(kept && vyre::ir::equal(*module, *kept), "formatting changed the module", *formatted);
  const auto again = vyre::text::format(*formatted);
  require(again && *again == *formatted, "formatting twice differs", *formatted);

  const std::string printed = vyre::text::print(*module);
  if (printed.empty()) return 0;  // constants alone
  const auto reparsed = vyre::text::parse_module(printed);
  require(reparsed && vyre::ir::equal(*module, *reparsed), "printing changed the module", printed);
  const auto canonical = vyre::text::format(printed);
  require(canonical && *canonical == printed, "printed text is not canonical", printed);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  vyre::RandomStream random(seed, 0x7e47);
  if (random.chance(2)) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text =
      vyre::fuzz::mutate_tokens({reinterpret_cast<const char*>(data), size}, random).substr(0, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
