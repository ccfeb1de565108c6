#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"

namespace vyre {
namespace {

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// What is shown of a line: all of it, or of a long one the part around an offset. A file may be one line of
/// megabytes with thousands of faults in it.
std::string_view window(std::string_view line, size_t at) {
  constexpr size_t kBefore = 80, kAfter = 160;
  if (line.size() <= kBefore + kAfter) return line;
  const auto inside = [&](size_t i) { return i < line.size() && continues_code_point(line[i]); };
  size_t begin = at > kBefore ? at - kBefore : 0, end = std::min(line.size(), at + kAfter);
  while (begin < at && inside(begin)) ++begin;
  while (end > at + 1 && inside(end)) --end;
  return line.substr(begin, end - begin);
}

/// The line and a caret line under it. What a terminal could not show, or would obey, becomes U+FFFD; tabs
/// stay, and the caret line repeats them, so that the caret stands under the text whatever a tab's width is.
void render_place(std::string& out, const Source& source, Span span) {
  const auto at = source.position(span.begin);
  const std::string_view whole = source.line(at.line);
  const size_t whole_begin = size_t(whole.data() - source.text().data());
  const std::string_view line = window(whole, std::min<size_t>(span.begin - whole_begin, whole.size()));
  const size_t line_begin = size_t(line.data() - source.text().data());
  const bool cut_before = line_begin > whole_begin, cut_after = line.end() != whole.end();
  std::string shown = cut_before ? "..." : "", carets = cut_before ? "   " : "";
  for (size_t i = 0; i < line.size();) {
    const size_t offset = line_begin + i;
    const bool before = offset < span.begin, inside = offset < span.end || offset == span.begin;
    const size_t length = printable_length(line.substr(i));
    const bool tab = line[i] == '\t';
    if (tab) {
      shown += '\t';
    } else if (length == 0) {
      shown += "\xef\xbf\xbd";
    } else {
      shown += line.substr(i, length);
    }
    if (before) {
      carets += tab ? '\t' : ' ';
    } else if (inside) {
      carets += offset == span.begin || carets.find('^') == std::string::npos ? '^' : '~';
    }
    i += std::max<size_t>(length, 1);
  }
  if (carets.find('^') == std::string::npos) carets += '^';
  if (cut_after) shown += "...";
  const std::string number = std::to_string(at.line);
  out += fmt::format(" {} | {}\n {} | {}\n", number, shown, std::string(number.size(), ' '), carets);
}

}  // namespace

const std::vector<DiagInfo>& all_diagnostics() {
  static const std::vector<DiagInfo> table = {
#define VYRE_DIAG(code, title, explanation) {DiagCode::code, #code, title, explanation},
#include "base/diag.def"
#undef VYRE_DIAG
  };
  return table;
}

const DiagInfo& diag_info(DiagCode code) { return all_diagnostics()[static_cast<size_t>(code)]; }

std::optional<DiagCode> find_diagnostic(std::string_view name) {
  for (const DiagInfo& info : all_diagnostics()) {
    if (info.name == name) return info.code;
  }
  return std::nullopt;
}

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  starts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') starts_.push_back(uint32_t(i + 1));
  }
}

Source::Position Source::position(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, uint32_t(text_.size()));
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const uint32_t line = uint32_t(after - starts_.begin());
  uint32_t column = 1;
  for (uint32_t i = starts_[line - 1]; i < offset; ++i) column += continues_code_point(text_[i]) ? 0 : 1;
  return {line, column};
}

std::string_view Source::line(uint32_t number) const {
  const uint32_t begin = starts_[number - 1];
  uint32_t end = number < starts_.size() ? starts_[number] - 1 : uint32_t(text_.size());
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

std::string render(const Diag& diag, const Source* source, std::string_view file, std::string_view severity) {
  const DiagInfo& info = diag_info(diag.code);
  std::string out;
  const std::string name = printable(source != nullptr ? std::string_view(source->name()) : file);
  if (source != nullptr && diag.span.known()) {
    const auto at = source->position(diag.span.begin);
    out += fmt::format("{}:{}:{}: ", name, at.line, at.column);
  } else if (!name.empty()) {
    out += fmt::format("{}: ", name);
  }
  out += fmt::format("{}[{}]: {}\n", severity, info.name, printable(diag.message, /*lines=*/true));
  if (source != nullptr && diag.span.known()) render_place(out, *source, diag.span);
  for (const DiagNote& note : diag.notes) {
    if (source != nullptr && note.span.known()) {
      const auto at = source->position(note.span.begin);
      out += fmt::format("{}:{}:{}: note: {}\n", name, at.line, at.column, printable(note.message, true));
      render_place(out, *source, note.span);
    } else {
      out += fmt::format("  note: {}\n", printable(note.message, true));
    }
  }
  if (!diag.help.empty()) out += fmt::format("  help: {}\n", printable(diag.help, true));
  return out;
}

int exit_code(DiagCode code) {
  // Files, locks and options: the user can mend it.
  for (const DiagCode io : {DiagCode::C018, DiagCode::C019, DiagCode::C021, DiagCode::C023})
    if (code == io) return 2;
  // Of neither L nor B is the program the cause: this backend cannot run it here.
  const char family = diag_info(code).name[0];
  return family == 'B' || family == 'L' ? 3 : 1;
}

}  // namespace vyre
