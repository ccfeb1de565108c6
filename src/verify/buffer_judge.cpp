#include "verify/buffer_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/values.h"
#include "ops/operation.h"
#include "verify/guard_words.h"

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
  const auto begin_after = [](size_t end) {
    return (end + kGuardBytes + backend::kRangeAlignment - 1) / backend::kRangeAlignment *
           backend::kRangeAlignment;
  };
  std::vector<size_t> begins;
  size_t end = 0;
  for (const opspec::Buffer& buffer : input) {
    begins.push_back(begin_after(end));
    end = begins.back() + buffer.size();
  }
  std::vector<std::byte> image(end + kGuardBytes);
  // Before the first buffer, and behind each.
  const auto each_guard = [&](const auto& at) {
    at(image.data() + begins.front() - kGuardBytes, size_t{0});
    for (size_t b = 0; b < input.size(); ++b)
      at(image.data() + begins[b] + input[b].size(), (b + 1) * kGuardWords);
  };
  each_guard([](std::byte* at, size_t first) { put_guard(at, first); });
  std::vector<backend::DeviceRange> ranges;
  if (memory_ == nullptr || memory_->bytes() < image.size()) {
    VYRE_TRY(memory, backend_->allocate(image.size() * 2));
    memory_ = std::move(memory);
  }
  for (size_t b = 0; b < input.size(); ++b) {
    std::ranges::copy(input[b], image.begin() + std::ptrdiff_t(begins[b]));
    ranges.push_back({memory_.get(), begins[b], input[b].size()});
  }
  VYRE_CHECK(memory_->write(0, image));
  const std::vector<std::span<const std::byte>> contents(input.begin(), input.end());
  VYRE_CHECK(executable_.run(ranges, notes, contents));
  VYRE_CHECK(memory_->read(0, image));
  guard_words_ += (input.size() + 1) * kGuardWords;
  each_guard([&](const std::byte* at, size_t first) { broken_ += broken_guard(at, first); });
  opspec::Buffers out;
  for (size_t b = 0; b < input.size(); ++b) {
    const auto from = image.begin() + std::ptrdiff_t(begins[b]);
    out.emplace_back(from, from + std::ptrdiff_t(input[b].size()));
  }
  return out;
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
