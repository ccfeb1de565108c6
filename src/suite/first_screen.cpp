// What people see first of a run that failed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "certify/console.h"
#include "check/checked.h"
#include "ops/operation.h"
#include "suite/case.h"
#include "suite/causes.h"
#include "text/text.h"

namespace vyre::suite {
namespace {

constexpr size_t kWidth = 110;         // of a line
constexpr size_t kMessageWidth = 60;   // of what a backend says, so that the counts fit behind it
constexpr size_t kMostStatements = 5;  // of a program that is shown

std::string cut(std::string line, size_t width = kWidth) {
  if (line.size() <= width) return line;
  return line.substr(0, width - 3) + "...";
}

/// The lines of a program's body.
std::vector<std::string> body_of(const ir::Program& program) {
  std::vector<std::string> out;
  const std::string text = text::print(program);
  bool inside = false;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line == "}") break;
    if (inside) out.push_back(line);
    inside = inside || line.ends_with("{");
  }
  return out;
}

/// "a = 0x00000001 (1); out = ..." of the bound buffers, or of those that are written.
std::string buffers_of(const FailingCase& failing, const std::vector<Bytes>& buffers, bool written) {
  const auto checked = check::check(failing.program->program, ops::op_table());
  std::string out;
  for (size_t k = 0; checked && k < buffers.size(); ++k) {
    const ir::BufferDecl& decl = checked->buffer(checked->bound_buffers()[k]);
    if (written && decl.access != ir::BufferAccess::ReadWrite) continue;
    out += fmt::format("{}{} = {}", out.empty() ? "" : "; ", checked->program().code.name(decl.name),
                       describe_elements(buffers[k], checked->program().element(decl), 4));
  }
  return out;
}

/// The token of the same operands, where they fail alone: they may be smaller than what the token of the
/// failure names.
std::string shortest_token(const Found& one) {
  const auto named = find_case(one.failure.token);
  if (!named || !one.failing.program || takes_company(one.failure.fault)) return one.failure.token;
  const auto smaller = (*named)->at(one.failure.input);
  if (!smaller) return one.failure.token;
  const std::string direct = verify::print(smaller->token());
  return direct.size() <= verify::kMaxToken ? direct : one.failure.token;
}

struct Block {
  std::vector<std::string> head, program, rest;
  size_t lines() const { return head.size() + program.size() + rest.size(); }
};

std::string counted(uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", certify::grouped(n), what, n == 1 ? "" : "s");
}

/// "1. wrong value, `%`: 28,771 failures in 3 subjects, smallest in ir.operators:"; where the backend said
/// something of all of them, that first: "1. no memory for 40 pages (refused): 12 failures in 3 subjects".
std::string title_of(size_t number, const Found& one, const Cause& cause) {
  constexpr size_t kMostEquals = 2;  // more say nothing
  std::string trait = cause.trait;
  if (cause.equals.size() <= kMostEquals)
    for (const std::string& other : cause.equals) trait += " or " + other;
  const std::string what = cause.message.empty()
                               ? fmt::format("{}, {}", cause.fault, trait)
                               : fmt::format("{} ({})", cut(cause.message, kMessageWidth), cause.fault);
  std::string out = fmt::format("{}. {}: {}", number, what, counted(cause.failures, "failure"));
  if (cause.subjects.size() > 1) {
    out += fmt::format(" in {} subjects, smallest in {}", cause.subjects.size(), one.subject);
  } else if (cause.trait != one.subject) {
    out += " in " + one.subject;
  }
  return out;
}

Block block_of(size_t number, const Found& one, const Cause& cause, std::string_view backend,
               const std::string& path) {
  Block out;
  out.head.push_back(cut(title_of(number, one, cause) + ":"));
  const FailingCase& failing = one.failing;
  const Story& story = failing.story;
  const auto add = [&](std::string_view label, const std::string& text) {
    if (!text.empty())
      out.rest.push_back(cut(fmt::format("   {:<9} {}", label, text.substr(0, text.find('\n')))));
  };
  // What takes company or chance shows nothing alone, so that is reported as it was found.
  if (failing.program && !takes_company(one.failure.fault)) {
    if (failing.program->program.code.nodes.size() <= kMostStatements) {
      for (const std::string& line : body_of(failing.program->program))
        out.program.push_back(cut("   " + line));
    }
    add("input", buffers_of(failing, failing.program->buffers, false));
    add("expected", buffers_of(failing, failing.expected, true));
    add("actual", one.actual.empty() ? cause.fault : buffers_of(failing, one.actual, true));
  } else {
    add("input", story.input);
    if (one.failure.check == verify::Check::Law) add("law", one.failure.oracle);
    add("expected", story.expected);
    add("actual", story.actual);
    if (!story.history.empty()) add("beside", fmt::format("{}", fmt::join(story.history, ", ")));
    add("note", story.note);
  }
  const std::string what = path.empty() ? shortest_token(one) : path;
  if (!what.empty()) {
    out.rest.push_back(fmt::format("   vyre-conform replay {} --backend {}", certify::shell_quoted(what),
                                   certify::shell_quoted(backend)));
  } else if (failing.program) {
    out.rest.emplace_back("   run it again with --regressions DIR to keep this case as a file for replay");
  }
  return out;
}

}  // namespace

std::string first_screen(std::span<const Found> found, std::span<const Cause> causes,
                         std::string_view backend,
                         const std::function<std::string(const FailingCase&)>& path_of) {
  if (causes.empty()) return {};
  constexpr size_t kFrame = 2;  // the first line, and the one that says what is left out
  uint64_t failures = 0;
  for (const Cause& cause : causes) failures += cause.failures;
  std::vector<Block> blocks;
  size_t lines = kFrame;
  for (const Cause& cause : causes) {
    const Found& one = found[cause.members.front()];
    Block block = block_of(blocks.size() + 1, one, cause, backend, path_of(one.failing));
    const size_t least = block.head.size() + block.rest.size();
    if (lines + least > kScreenLines) break;
    lines += least;
    blocks.push_back(std::move(block));
  }
  std::string out =
      fmt::format("FAILED: {}, {}\n", counted(failures, "failure"), counted(causes.size(), "cause"));
  for (const Block& block : blocks) {
    const bool fits = lines + block.program.size() <= kScreenLines;
    if (fits) lines += block.program.size();
    for (const auto* part : {&block.head, &block.program, &block.rest}) {
      if (part == &block.program && !fits) continue;
      for (const std::string& line : *part) out += line + "\n";
    }
  }
  if (blocks.size() < causes.size())
    out += fmt::format("and {}; all failures stand below\n",
                       counted(causes.size() - blocks.size(), "more cause"));
  return out;
}

std::string unjudged(std::span<const verify::Verdict> verdicts) {
  std::vector<std::pair<std::string, size_t>> messages;  // and of how many subjects
  size_t subjects = 0;
  for (const verify::Verdict& verdict : verdicts) {
    if (verdict.error.empty()) continue;
    ++subjects;
    const auto at = std::ranges::find(messages, verdict.error, &std::pair<std::string, size_t>::first);
    if (at == messages.end()) {
      messages.emplace_back(verdict.error, 1);
    } else {
      ++at->second;
    }
  }
  if (subjects == 0) return {};
  constexpr size_t kMostMessages = 5;
  std::string out = fmt::format("FAILED: {} ended before they were judged\n", counted(subjects, "subject"));
  for (size_t k = 0; k < std::min(messages.size(), kMostMessages); ++k) {
    const auto& [message, count] = messages[k];
    out +=
        fmt::format("{}. {} ({})\n", k + 1, message.substr(0, message.find('\n')), counted(count, "subject"));
  }
  return out;
}

}  // namespace vyre::suite
