#include "verify/buffer_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/values.h"
#include "ops/operation.h"

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
  const auto main = std::ranges::find(text.pipelines, "main", &ir::Pipeline::name);
  const auto entry = uint32_t(main - text.pipelines.begin());
  VYRE_TRY(executable, plan::Executable::make(backend, *module, entry));
  return BufferJudge(operation, *module, entry, std::move(executable));
}

Result<std::optional<std::string>> BufferJudge::judge(const opspec::Buffers& input) {
  opspec::Buffers wanted = input, got = input;
  operation_->reference(wanted);
  std::vector<std::span<std::byte>> host(got.begin(), got.end());
  VYRE_CHECK(executable_.run_host(host));
  for (size_t b = 0; b < got.size(); ++b) {
    if (got[b] == wanted[b]) continue;
    const auto& declared = pipeline().buffers[b];
    const spec::DataType element = pipeline().element(check::BufferId(b));
    const size_t size = spec::info(element).bytes;
    size_t at = 0;
    while (std::memcmp(got[b].data() + at, wanted[b].data() + at, size) == 0) at += size;
    const auto shown = [&](const opspec::Buffer& buffer) {
      return host::format_element(buffer.data() + at, element, /*hexadecimal=*/true);
    };
    return fmt::format("{}[{}] is {}, not {}", pipeline().pipeline->code.name(declared.name), at / size,
                       shown(got[b]), shown(wanted[b]));
  }
  return std::nullopt;
}

Result<opspec::Buffers> BufferJudge::shrink(opspec::Buffers input) {
  // The first size at which cases fail, if it is small.
  constexpr uint32_t kSizes = 24;
  constexpr uint64_t kCasesASize = 64;
  const auto failing = [&]() -> Result<std::optional<opspec::Buffers>> {
    for (uint32_t size = 0; size < kSizes; ++size) {
      for (uint64_t number = 0; number < kCasesASize; ++number) {
        opspec::Buffers candidate = opspec::make_case(*operation_, 1, number, size);
        VYRE_TRY(difference, judge(candidate));
        if (difference) return candidate;
      }
    }
    return std::nullopt;
  };
  VYRE_TRY(small, failing());
  if (small) input = std::move(*small);
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (opspec::Buffers& candidate : opspec::smaller_cases(*operation_, input)) {
      VYRE_TRY(difference, judge(candidate));
      if (!difference) continue;
      input = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return input;
}

}  // namespace vyre::verify
