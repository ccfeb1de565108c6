#include "web/runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/backend.h"
#include "host/run.h"
#include "host/values.h"
#include "text/directives.h"

namespace vyre::web {
namespace {

Diag bad_directive(Span span, std::string message) {
  return make_diag(DiagCode::P017, span, std::move(message),
                   "docs/text-format.md, \"Tests in files\", has the form of a run directive");
}

/// The elements that a directive writes for a buffer.
Result<Bytes> elements(const text::BufferValues& values, const host::Buffers& buffers) {
  const auto buffer = buffers.by_name.find(values.name);
  if (buffer == buffers.by_name.end())
    return std::unexpected(
        bad_directive(values.span, fmt::format("the program has no buffer {}", values.name)));
  Bytes out;
  for (const std::string& value : values.values) {
    if (const auto parsed = host::parse_element(value, buffer->second.element, out); !parsed)
      return std::unexpected(bad_directive(values.span, parsed.error().message));
  }
  return out;
}

/// What a command line writes for a buffer: its elements, bit by bit; of vectors and bool, which are set from
/// files alone, a file that a shell makes.
std::string setting(const host::NamedBuffer& buffer) {
  if (spec::kVectors.contains(buffer.element) || buffer.element == spec::DataType::Bool) {
    std::string out;
    for (const std::byte byte : buffer.bytes) out += fmt::format("\\x{:02x}", uint8_t(byte));
    return fmt::format("@<(printf '{}')", out);
  }
  const size_t size = spec::info(buffer.element).bytes;
  std::vector<std::string> out;
  for (size_t at = 0; at < buffer.bytes.size(); at += size)
    out.push_back(host::format_element(buffer.bytes.data() + at, buffer.element, /*hex=*/true));
  return fmt::format("{}", fmt::join(out, ","));
}

/// A word as a shell reads it.
std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%,=";
  if (word.find_first_not_of(kPlain) == word.npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_of(const std::string& label, const text::RunDirective& run,
                       const host::Buffers& buffers) {
  constexpr size_t kLongest = 2000;
  std::string sets;
  for (const auto& [name, buffer] : buffers.by_name) {
    if (!buffer.bytes.empty()) sets += fmt::format(" --set {}={}", name, setting(buffer));
  }
  const std::string command =
      fmt::format("vyre run {}{} --groups {}", shell_word(label), run.entry ? " --entry " + *run.entry : "",
                  fmt::join(run.groups, ","));
  if (sets.size() > kLongest)
    return fmt::format("{} --compare reference,webgpu   # with --set for the inputs of line {}", command,
                       run.line);
  return fmt::format("{}{} --compare reference,webgpu", command, sets);
}

/// Runs a directive on the reference. Gives the buffers after it.
Result<host::Buffers> expected_of(const host::Step& step, const text::RunDirective& run,
                                  host::Buffers buffers) {
  const auto reference = backend::make_reference();
  VYRE_CHECK(host::run_steps(*reference, {&step, 1}, buffers));
  for (const text::BufferValues& output : run.outputs) {
    VYRE_TRY(written, elements(output, buffers));
    const host::NamedBuffer& actual = buffers.by_name.find(output.name)->second;
    if (written == actual.bytes) continue;
    return std::unexpected(
        make_diag(DiagCode::X008, output.span,
                  fmt::format("the directive is wrong: the reference has {}",
                              host::format_buffer(output.name, actual.bytes, actual.element, /*hex=*/false)),
                  "correct the directive or the program; a page is made of runs that hold on the reference"));
  }
  return buffers;
}

Result<Case> case_of(const host::CheckedFile& file, const std::string& label, const text::RunDirective& run,
                     const lower::WgslModule& module) {
  const check::Checked& program = *file.checked;
  const host::Step step{file.checked, {run.groups[0], run.groups[1], run.groups[2]}};
  auto buffers = host::declare_buffers({&step, 1}).value();
  for (const text::BufferValues& input : run.inputs) {
    VYRE_TRY(bytes, elements(input, buffers));
    buffers.by_name.find(input.name)->second.bytes = std::move(bytes);
  }
  VYRE_TRY(after, expected_of(step, run, buffers));
  Case out{.source = std::string(file.source->text()), .module = module, .groups = step.groups};
  for (const check::BufferId id : program.bound_buffers()) {
    const std::string name(program.program().code.name(program.buffer(id).name));
    const host::NamedBuffer& before = buffers.by_name.find(name)->second;
    const uint64_t count = before.bytes.size() / spec::info(before.element).bytes;
    Buffer& buffer = out.buffers.emplace_back(
        Buffer{name, before.element, uint32_t(count), before.bytes, before.writable, {}});
    if (!before.writable) continue;
    buffer.after = after.by_name.find(name)->second.bytes;
    out.instances += count;
  }
  out.replay.command = command_of(label, run, buffers);
  return out;
}

}  // namespace

Result<std::vector<Case>> cases_of(const host::CheckedFile& file, const std::string& label,
                                   const std::optional<std::string>& entry) {
  VYRE_TRY(module, portable_module(*file.checked));
  VYRE_TRY(directives, text::parse_directives(file.source ? file.source->text() : std::string_view()));
  if (directives.runs.empty()) {
    return std::unexpected(make_diag(
        DiagCode::P017, Span::none(), "the file has no run directive, so a page would have nothing to run",
        "write what to run and what must come into the file: // run: a=[1,2] groups=[1,1,1] => out=[2,4]"));
  }
  std::vector<Case> out;
  for (const text::RunDirective& run : directives.runs) {
    if (entry && run.entry != entry) continue;
    if (!entry && run.entry) {
      return std::unexpected(
          make_diag(DiagCode::P017, run.span, "the line chooses an entry",
                    fmt::format("a page holds one program of a file: --entry {} takes the lines of this one",
                                *run.entry)));
    }
    if (!run.constants.empty()) {
      return std::unexpected(make_diag(DiagCode::P017, run.span, "the line chooses a constant",
                                       "a page runs a program as it is written"));
    }
    VYRE_TRY(test, case_of(file, label, run, module));
    test.name = fmt::format("{}:{}", label, run.line);
    test.group = label.substr(0, label.find_last_of('/') + 1);
    out.push_back(std::move(test));
  }
  if (out.empty()) {
    return std::unexpected(
        make_diag(DiagCode::P017, Span::none(), fmt::format("no run directive has entry={}", *entry),
                  fmt::format("write what to run and what must come: // run: entry={} a=[1,2] groups=[1,1,1] "
                              "=> out=[2,4]",
                              *entry)));
  }
  return out;
}

}  // namespace vyre::web
