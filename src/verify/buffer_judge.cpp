#include "verify/buffer_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/values.h"
#include "ops/operation.h"
#include "verify/guarded_run.h"

namespace vyre::verify {

Result<BufferJudge> BufferJudge::make(backend::Backend& backend, const opspec::OperationSpec& operation) {
  const ir::Module* const text = ops::op_table().find_module(operation.id, 1);
  if (text == nullptr) {
    return std::unexpected(make_diag(DiagCode::X003, Span::none(),
                                     fmt::format("the library has no operation {}", operation.id),
                                     "`vyre ops` lists them"));
  }
  return make(backend, operation, *text);
}

Result<BufferJudge> BufferJudge::make(backend::Backend& backend, const opspec::OperationSpec& operation,
                                      const ir::Module& text) {
  auto module = check::check(text, ops::op_table());
  if (!module) return std::unexpected(module.error().front());
  return make(backend, operation, std::move(*module));
}

Result<BufferJudge> BufferJudge::make(backend::Backend& backend, const opspec::OperationSpec& operation,
                                      std::shared_ptr<const check::CheckedModule> module) {
  const auto& pipelines = module->module().pipelines;
  const auto entry = uint32_t(std::ranges::find(pipelines, "main", &ir::Pipeline::name) - pipelines.begin());
  VYRE_TRY(executable, plan::Executable::make(backend, module, entry));
  return BufferJudge(backend, operation, std::move(module), entry, std::move(executable));
}

Result<opspec::Buffers> BufferJudge::run(const opspec::Buffers& input, plan::RunNotes* notes) {
  VYRE_TRY(left, run({&input, 1}, notes));
  return std::move(left.front());
}

Result<std::vector<opspec::Buffers>> BufferJudge::run_together(std::span<const opspec::Buffers> inputs) {
  return run(inputs, nullptr);
}

Result<std::vector<opspec::Buffers>> BufferJudge::run(std::span<const opspec::Buffers> inputs,
                                                      plan::RunNotes* notes) {
  opspec::Buffers all;
  for (const opspec::Buffers& input : inputs) all.insert(all.end(), input.begin(), input.end());
  VYRE_TRY(ran, run_guarded(*backend_, memory_, all, [&](auto ranges, auto contents) -> Result<void> {
             if (inputs.size() == 1) return executable_.run(ranges, notes, contents);
             std::vector<plan::Executable::Together> runs;
             for (size_t at = 0; const opspec::Buffers& input : inputs) {
               const auto some = ranges.subspan(at, input.size());
               const auto held = contents.subspan(at, input.size());
               runs.push_back({{some.begin(), some.end()}, {held.begin(), held.end()}});
               at += input.size();
             }
             return executable_.run_together(runs);
           }));
  guard_words_ += ran.guard_words;
  broken_ += ran.broken;
  std::vector<opspec::Buffers> out;
  for (auto at = ran.buffers.begin(); const opspec::Buffers& input : inputs) {
    const auto behind = at + std::ptrdiff_t(input.size());
    out.emplace_back(std::make_move_iterator(at), std::make_move_iterator(behind));
    at = behind;
  }
  return out;
}

Result<void> BufferJudge::spoil(std::byte value) {
  if (memory_ != nullptr) VYRE_CHECK(memory_->fill(0, memory_->bytes(), value));
  return executable_.spoil(value);
}

std::optional<std::string> BufferJudge::difference(size_t parameter, const opspec::Buffer& wanted,
                                                   const opspec::Buffer& got) const {
  if (got == wanted) return std::nullopt;
  const std::string_view name = pipeline().pipeline->code.name(pipeline().buffers[parameter].name);
  if (got.size() != wanted.size())
    return fmt::format("{} has {} bytes, not {}", name, got.size(), wanted.size());
  const spec::DataType element = pipeline().element(check::BufferId(parameter));
  const size_t size = spec::info(element).bytes;
  size_t at = 0;
  while (std::memcmp(got.data() + at, wanted.data() + at, size) == 0) at += size;
  const auto shown = [&](const opspec::Buffer& buffer) {
    return host::format_element(buffer.data() + at, element, /*hexadecimal=*/true);
  };
  return fmt::format("{}[{}] is {}, not {}", name, at / size, shown(got), shown(wanted));
}

std::optional<std::string> BufferJudge::difference(const opspec::Buffers& wanted,
                                                   const opspec::Buffers& got) const {
  for (size_t b = 0; b < got.size(); ++b)
    if (auto different = difference(b, wanted[b], got[b])) return different;
  return std::nullopt;
}

Result<std::optional<std::string>> BufferJudge::judge(const opspec::Buffers& input) {
  opspec::Buffers wanted = input;
  operation_->reference(wanted);
  const uint64_t broken = broken_;
  VYRE_TRY(got, run(input));
  if (broken_ != broken) return fmt::format("{} guard words beside the buffers are others", broken_ - broken);
  return difference(wanted, got);
}

Result<BufferJudge::Shrunk> BufferJudge::shrink(opspec::Buffers input) {
  // The first size at which cases fail, if it is small.
  constexpr uint32_t kSizes = 24;
  constexpr uint64_t kCasesASize = 64;
  Shrunk out{std::move(input), std::nullopt};
  for (uint32_t size = 0; size < kSizes && !out.size_and_number; ++size) {
    for (uint64_t number = 0; number < kCasesASize && !out.size_and_number; ++number) {
      opspec::Buffers candidate = opspec::make_case(*operation_, 1, number, size);
      VYRE_TRY(difference, judge(candidate));
      if (difference) out = {std::move(candidate), std::pair(size, number)};
    }
  }
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (opspec::Buffers& candidate : opspec::smaller_cases(*operation_, out.input)) {
      VYRE_TRY(difference, judge(candidate));
      if (!difference) continue;
      out.input = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return out;
}

}  // namespace vyre::verify
