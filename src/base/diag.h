// Diagnostics: what vyre says when something is wrong with its input.
//
// Every diagnostic has a permanent code of one letter and three digits, listed once in diag.def with its
// title and an explanation (`vyre explain V010`). The letter is the stage: P syntax, W wire, V validation, X
// execution, L lowering, B backend, C conformance, G graphs. A diagnostic carries data (code, span, message, help);
// only render() makes text of it, so that tools and the C API can show it their own way. Codes are never
// reused or renumbered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vyre {

enum class DiagCode : uint16_t {
#define VYRE_DIAG(code, title, explanation) code,
#include "base/diag.def"
#undef VYRE_DIAG
};

struct DiagInfo {
  DiagCode code;
  std::string_view name;         // "V010"
  std::string_view title;        // short, lower case, no full stop
  std::string_view explanation;  // a paragraph: the rule, why it is one, and the way out
};

/// All codes in the order of diag.def.
const std::vector<DiagInfo>& all_diagnostics();
const DiagInfo& diag_info(DiagCode code);
std::optional<DiagCode> find_diagnostic(std::string_view name);

/// A range of bytes of a source text; none() for programs that came from the wire or a builder.
struct Span {
  uint32_t begin = UINT32_MAX;
  uint32_t end = UINT32_MAX;
  static constexpr Span none() { return {}; }
  constexpr bool known() const { return begin != UINT32_MAX; }
  bool operator==(const Span&) const = default;
};

/// A second place that explains the first ("first declared here").
struct DiagNote {
  Span span;
  std::string message;
};

struct Diag {
  DiagCode code;
  std::string message;  // what is wrong, with the names and numbers concerned
  std::string help;     // the way out; empty only where there is none
  Span span;
  std::vector<DiagNote> notes;
};

using Diagnostics = std::vector<Diag>;

inline Diag make_diag(DiagCode code, Span span, std::string message, std::string help = {}) {
  return Diag{code, std::move(message), std::move(help), span, {}};
}

/// A named text with its line starts, for rendering positions.
class Source {
 public:
  Source(std::string name, std::string text);
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  struct Position {
    uint32_t line;    // from 1
    uint32_t column;  // from 1, in code points
  };
  Position position(uint32_t offset) const;
  std::string_view line(uint32_t number) const;  // from 1, without its end

 private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> starts_;
};

/// "file:line:col: error[V010]: message", the line, a caret under the span, notes and help; ends with a
/// newline. Without a source or span the position is left out: "file: error[...]".
std::string render(const Diag& diag, const Source* source, std::string_view file = {},
                   std::string_view severity = "error");

/// The process exit code that COMMANDS fixes for this diagnostic: 1 for X and C and everything that a check
/// found, 3 for L and B (usage errors have no code and exit with 2).
int exit_code(DiagCode code);

}  // namespace vyre
