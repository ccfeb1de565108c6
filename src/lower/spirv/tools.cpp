// What SPIRV-Tools is asked: whether a module is valid, and how it reads.
#include <fmt/format.h>
#include <spirv-tools/libspirv.h>

#include <memory>

#include "lower/spirv/spirv.h"

namespace vyre::lower {
namespace {

template <auto destroy>
struct Destroy {
  template <typename T>
  void operator()(T* what) const {
    destroy(what);
  }
};
using Context = std::unique_ptr<spv_context_t, Destroy<spvContextDestroy>>;
using Diagnostic = std::unique_ptr<spv_diagnostic_t, Destroy<spvDiagnosticDestroy>>;
using Text = std::unique_ptr<spv_text_t, Destroy<spvTextDestroy>>;

Context make_context() { return Context(spvContextCreate(SPV_ENV_VULKAN_1_2)); }

Diag refused(std::string_view who, spv_result_t result, const Diagnostic& why) {
  const std::string words =
      why == nullptr || why->error == nullptr ? fmt::format("error {}", int(result)) : why->error;
  return make_diag(DiagCode::L003, Span::none(), fmt::format("SPIR-V: {}: {}", who, words),
                   "report the program; another backend can run it");
}

}  // namespace

Result<void> validate(std::span<const uint32_t> words) {
  const Context context = make_context();
  spv_const_binary_t binary{words.data(), words.size()};
  spv_diagnostic said = nullptr;
  const spv_result_t result = spvValidate(context.get(), &binary, &said);
  const Diagnostic diagnostic(said);
  if (result == SPV_SUCCESS) return {};
  return std::unexpected(refused("the validator refuses the module", result, diagnostic));
}

Result<std::string> disassemble(std::span<const uint32_t> words) {
  const Context context = make_context();
  constexpr uint32_t kOptions = SPV_BINARY_TO_TEXT_OPTION_NO_HEADER |
                                SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT;
  spv_text printed = nullptr;
  spv_diagnostic said = nullptr;
  const spv_result_t result =
      spvBinaryToText(context.get(), words.data(), words.size(), kOptions, &printed, &said);
  const Text text(printed);
  const Diagnostic diagnostic(said);
  if (result != SPV_SUCCESS) return std::unexpected(refused("this is no module", result, diagnostic));
  return std::string(text->str, text->length);
}

}  // namespace vyre::lower
