#include "suite/failing_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>

#include "base/digest.h"
#include "check/checked.h"
#include "host/values.h"
#include "ops/operation.h"
#include "text/directives.h"
#include "text/text.h"

namespace vyre::suite {
namespace {

using generate::ProgramCase;
using spec::DataType;

constexpr std::string_view kTitle =
    "a failing case of vyre-conform, format 1: vyre-conform replay THIS_FILE --backend B";
constexpr size_t kKeyWidth = 10;

/// The entries that are one text each, in the order of the file.
struct Entry {
  std::string_view key;
  std::string Story::* text;
};
constexpr std::array kEntries = {Entry{"subject", &Story::subject},   Entry{"fault", &Story::fault},
                                 Entry{"found by", &Story::found_by}, Entry{"vyre", &Story::vyre},
                                 Entry{"backend", &Story::backend},   Entry{"device", &Story::device},
                                 Entry{"driver", &Story::driver},     Entry{"token", &Story::token},
                                 Entry{"input", &Story::input},       Entry{"expected", &Story::expected},
                                 Entry{"actual", &Story::actual},     Entry{"size", &Story::size},
                                 Entry{"note", &Story::note}};
constexpr std::string_view kBeside = "beside", kSubgroup = "subgroup";

void add_lines(std::string& out, std::string_view key, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string line = fmt::format("// {:<{}}{}", key, kKeyWidth, text.substr(0, end));
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

check::Checked checked_of(const ir::Program& program) {
  // The domain of print(): the program was checked before.
  return std::move(*check::check(program, ops::op_table()));
}

/// "a=[0x00000001, 0x00000002]" of each bound buffer for which `wanted` says so.
template <typename Wanted>
std::string buffers_text(const check::Checked& checked, const std::vector<Bytes>& buffers, Wanted wanted) {
  std::string out;
  for (size_t k = 0; k < buffers.size(); ++k) {
    const ir::BufferDecl& decl = checked.buffer(checked.bound_buffers()[k]);
    if (!wanted(decl)) continue;
    const DataType element = checked.program().element(decl);
    const size_t bytes = spec::info(element).bytes;
    fmt::format_to(std::back_inserter(out), "{}{}=[", out.empty() ? "" : " ",
                   checked.program().code.name(decl.name));
    for (size_t at = 0; at < buffers[k].size(); at += bytes) {
      // A truth has no bits in the text: any word but 0 is one.
      fmt::format_to(std::back_inserter(out), "{}{}", at == 0 ? "" : ", ",
                     host::format_element(buffers[k].data() + at, element, element != DataType::Bool));
    }
    out += "]";
  }
  return out;
}

std::string run_directive(const FailingCase& failing) {
  const ProgramCase& c = *failing.program;
  const check::Checked checked = checked_of(c.program);
  return fmt::format(
      "// run: {} groups=[{}, {}, {}] => {}\n",
      buffers_text(checked, c.buffers, [](const auto&) { return true; }), c.groups.x, c.groups.y, c.groups.z,
      buffers_text(checked, failing.expected,
                   [](const ir::BufferDecl& d) { return d.access == ir::BufferAccess::ReadWrite; }));
}

/// The entry that a comment line tells, if it is one.
void read_entry(std::string_view line, Story& story) {
  line.remove_prefix(2);
  if (line.starts_with(' ')) line.remove_prefix(1);
  const auto value = [&](std::string_view key) -> std::optional<std::string_view> {
    if (line.size() <= kKeyWidth || !line.starts_with(key)) return std::nullopt;
    const bool padded =
        std::ranges::all_of(line.substr(key.size(), kKeyWidth - key.size()), [](char c) { return c == ' '; });
    return padded ? std::optional(line.substr(kKeyWidth)) : std::nullopt;
  };
  for (const Entry& entry : kEntries) {
    const auto text = value(entry.key);
    if (!text) continue;
    std::string& into = story.*entry.text;
    into += (into.empty() ? "" : "\n") + std::string(*text);
    return;
  }
  if (const auto token = value(kBeside)) story.history.emplace_back(*token);
  if (const auto lanes = value(kSubgroup))
    std::from_chars(lanes->data(), lanes->data() + lanes->size(), story.subgroup);
}

Diag no_such_buffer(std::string_view name, Span span) {
  return make_diag(DiagCode::X001, span, fmt::format("the program has no bound buffer `{}`", name),
                   "name the buffers of the program in its `run` directive");
}

/// Puts the values of a directive into the bytes of the program's buffers, which they replace.
Result<void> read_buffers(const check::Checked& checked, const std::vector<text::BufferValues>& from,
                          std::vector<Bytes>& into, std::vector<bool>& given) {
  for (const text::BufferValues& values : from) {
    size_t k = 0;
    for (; k < into.size(); ++k) {
      const ir::BufferDecl& decl = checked.buffer(checked.bound_buffers()[k]);
      if (checked.program().code.name(decl.name) == values.name) break;
    }
    if (k == into.size()) return std::unexpected(no_such_buffer(values.name, values.span));
    into[k].clear();
    given[k] = true;
    const DataType element = checked.program().element(checked.buffer(checked.bound_buffers()[k]));
    for (const std::string& value : values.values) {
      if (const auto read = host::parse_element(value, element, into[k]); !read) {
        return std::unexpected(make_diag(DiagCode::X002, values.span, read.error().message,
                                         fmt::format("write elements of {}", spec::text(element))));
      }
    }
  }
  return {};
}

}  // namespace

std::string print(const FailingCase& failing) {
  const Story& story = failing.story;
  std::string out = fmt::format("// {}\n", kTitle);
  for (const Entry& entry : kEntries) {
    if (entry.key == "note") {
      for (const std::string& token : story.history) add_lines(out, kBeside, token);
      if (story.subgroup != 0) add_lines(out, kSubgroup, std::to_string(story.subgroup));
    }
    add_lines(out, entry.key, story.*entry.text);
  }
  if (failing.program) out += text::print(failing.program->program) + run_directive(failing);
  return out;
}

Result<FailingCase> parse_failing_case(std::string_view text) {
  FailingCase out;
  bool comments = true;  // and nothing else until now
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (comments && line.starts_with("//")) read_entry(line, out.story);
    comments = comments && (line.starts_with("//") || line.find_first_not_of(" \t\r") == line.npos);
    begin = end + 1;
  }
  if (comments) {
    if (!out.story.token.empty()) return out;
    return std::unexpected(
        make_diag(DiagCode::C003, Span::none(), "neither a program nor the token of a case",
                  "replay a file that vyre-conform wrote, or a program with a `// run:` line"));
  }
  VYRE_TRY(program, text::parse(text, &ops::op_table()));
  VYRE_TRY(directives, text::parse_directives(text));
  if (directives.runs.size() != 1) {
    return std::unexpected(make_diag(
        DiagCode::P017, Span::none(),
        fmt::format("the program has {} `run` directives; one says what is run", directives.runs.size()),
        "write // run: name=[values] groups=[x, y, z] => name=[values]"));
  }
  const text::RunDirective& run = directives.runs[0];
  if (!run.as_written()) {
    return std::unexpected(make_diag(DiagCode::P017, run.span, "the line chooses an entry or a constant",
                                     "a failing case is one program as it is written"));
  }
  const auto checked = check::check(program, ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  ProgramCase c{std::move(program),
                std::vector<Bytes>(checked->bound_buffers().size()),
                {run.groups[0], run.groups[1], run.groups[2]}};
  std::vector<bool> is_input(c.buffers.size()), is_output(c.buffers.size());
  VYRE_CHECK(read_buffers(*checked, run.inputs, c.buffers, is_input));
  out.expected = c.buffers;
  VYRE_CHECK(read_buffers(*checked, run.outputs, out.expected, is_output));
  // As in tests in files: what is only expected begins as zeros.
  for (size_t k = 0; k < c.buffers.size(); ++k) {
    if (is_output[k] && !is_input[k]) c.buffers[k] = Bytes(out.expected[k].size());
  }
  out.program = std::move(c);
  return out;
}

std::string base_name(const FailingCase& failing) {
  Hasher hasher;
  if (failing.program) {
    hasher.update(text::print(failing.program->program));
    hasher.update(run_directive(failing));
  } else {
    hasher.update(failing.story.token);
  }
  std::string subject = failing.story.subject.empty() ? "case" : failing.story.subject;
  for (char& c : subject) {
    const bool kept =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '_';
    if (!kept) c = '-';
  }
  return fmt::format("{}-{}", subject, hasher.finish().hex().substr(0, 12));
}

std::string file_name(const FailingCase& failing) {
  return base_name(failing) + (failing.program ? ".vyre" : ".case");
}

std::string describe_elements(std::span<const std::byte> bytes, DataType element, size_t most) {
  const size_t each = spec::info(element).bytes, count = bytes.size() / each;
  std::string out;
  for (size_t k = 0; k < std::min(count, most); ++k) {
    const std::byte* const at = bytes.data() + k * each;
    const std::string bits = host::format_element(at, element, true),
                      value = host::format_element(at, element, false);
    out += out.empty() ? "" : ", ";
    out += bits == value ? bits : fmt::format("{} ({}", bits, value);
    // A word is as often meant as a signed one.
    if (element == DataType::U32 && load_u32(at) >> 31 != 0)
      out += fmt::format(", as i32 {}", int32_t(load_u32(at)));
    if (bits != value) out += ")";
  }
  if (count > most) out += fmt::format(", and {} more", count - most);
  return count == 0 ? "no elements" : out;
}

std::string describe_words(std::span<const uint32_t> words, std::span<const DataType> types) {
  std::string out;
  size_t at = 0;
  for (const DataType type : types) {
    const size_t n = spec::value_words(type);
    Bytes bytes(spec::info(type).bytes);
    std::memcpy(bytes.data(), words.data() + at, std::min(bytes.size(), 4 * n));
    at += n;
    out += (out.empty() ? "" : ", ") + describe_elements(bytes, type);
  }
  return out;
}

}  // namespace vyre::suite
