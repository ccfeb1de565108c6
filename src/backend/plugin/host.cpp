#include "backend/plugin/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "lower/codegen/cpu.h"
#include "lower/codegen/ptx.h"
#include "lower/kernel.h"
#include "lower/size.h"
#include "lower/spirv/spirv.h"
#include "lower/wgsl/wgsl.h"

namespace vyre::backend {
namespace {

struct Live {
  std::mutex mutex;
  uintptr_t last = 0;
  std::map<uintptr_t, Compiling*> programs;  // by handle
};
Live& live() {
  static Live table;
  return table;
}

struct Lowered {
  std::string text;
  uint64_t scratch_bytes = 0;
  std::string entry;
};

// A plugin may run what it gets on anything, and says nothing of floats: it gets integers alone, which are
// right everywhere. Arithmetic in "kernel" is the program's; a plugin that has exact floats may use them
// there.
Result<lower::Kernel> legal_for(const check::Checked& program, lower::Target target) {
  target.floats = lower::kNoFloats;
  return lower::legalize_bounded(lower::build(program), target);
}

Result<Lowered> to_kernel(const Compiling& asked) {
  return Lowered{.text = print(lower::build(asked.program()))};
}

Result<Lowered> to_legal(const Compiling& asked) {
  VYRE_TRY(kernel, legal_for(asked.program(), lower::kLlvmTarget));
  return Lowered{.text = print(kernel)};
}

Result<Lowered> to_llvm(const Compiling& asked) {
  VYRE_TRY(kernel, legal_for(asked.program(), lower::kLlvmTarget));
  VYRE_TRY(text, lower::print_llvm(kernel, /*optimise=*/false, VYRE_LLVM_ENTRY));
  VYRE_TRY(bytes, lower::workgroup_bytes(kernel));
  return Lowered{std::move(text), bytes, VYRE_LLVM_ENTRY};
}

Result<Lowered> to_ptx(const Compiling& asked) {
  VYRE_TRY(kernel, legal_for(asked.program(), lower::kPtxTarget));
  VYRE_TRY(module, lower::emit_ptx(kernel, lower::PtxTarget{.along_x = true}));
  return Lowered{std::move(module.text), module.shared_bytes, std::move(module.entry)};
}

/// For any device with Vulkan 1.2: nothing is asked that it may lack.
Result<Lowered> to_spirv(const Compiling& asked) {
  const lower::SpirvTarget target = {.memory_model = false, .subgroup_size = asked.subgroup_size()};
  VYRE_TRY(kernel, legal_for(asked.program(), lower::spirv_target(target, lower::kNoFloats)));
  VYRE_TRY(module, lower::emit_spirv(kernel, target));
  const auto bytes = std::as_bytes(std::span(module.words));
  return Lowered{std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), module.shared_bytes,
                 lower::kSpirvEntry};
}

Result<Lowered> to_wgsl(const Compiling& asked) {
  VYRE_TRY(kernel, legal_for(asked.program(), lower::kWgslTarget));
  VYRE_TRY(module, lower::emit_wgsl(kernel));
  return Lowered{std::move(module.text), module.shared_bytes, lower::kWgslEntry};
}

struct Form {
  vyre_form form;
  std::string_view name;
  Result<Lowered> (*lower)(const Compiling& asked);
};
constexpr Form kForms[] = {
    {VYRE_FORM_KERNEL, "kernel", &to_kernel}, {VYRE_FORM_LEGAL, "legal", &to_legal},
    {VYRE_FORM_LLVM, "llvm", &to_llvm},       {VYRE_FORM_PTX, "ptx", &to_ptx},
    {VYRE_FORM_SPIRV, "spirv", &to_spirv},    {VYRE_FORM_WGSL, "wgsl", &to_wgsl},
};

template <size_t n>
void copy_text(char (&to)[n], std::string_view from) {
  const size_t length = std::min(from.size(), n - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

vyre_plugin_status fail(vyre_plugin_error* error, vyre_plugin_status status, const Diag& diag) {
  if (error != nullptr) {
    copy_text(error->message, diag.message);
    copy_text(error->help, diag.help);
  }
  return status;
}

vyre_plugin_status status_of(DiagCode code) {
  if (code == DiagCode::B002) return VYRE_PLUGIN_UNSUPPORTED;
  if (code == DiagCode::B003) return VYRE_PLUGIN_RESOURCE_EXCEEDED;
  return VYRE_PLUGIN_FAULT;
}

/// The program that is being compiled under this handle, or null.
Compiling* find_compiling(const vyre_plugin_program* program) {
  if (program == nullptr || program->handle == nullptr) return nullptr;
  const std::scoped_lock lock(live().mutex);
  const auto found = live().programs.find(reinterpret_cast<uintptr_t>(program->handle));
  return found == live().programs.end() ? nullptr : found->second;
}

vyre_plugin_status lower_program(const vyre_plugin_program* program, vyre_form form, vyre_plugin_text* out,
                                 vyre_plugin_error* error) {
  Compiling* const compiling = find_compiling(program);
  if (compiling == nullptr || out == nullptr) {
    return fail(
        error, VYRE_PLUGIN_FAULT,
        make_diag(DiagCode::B012, Span::none(),
                  "lower() was given a program that is not being compiled, or nowhere to put the text",
                  "call it inside compile(), with the program that compile() was given"));
  }
  const auto* const found = std::ranges::find(kForms, form, &Form::form);
  if (found == std::end(kForms)) {
    compiling->set_failure(
        make_diag(DiagCode::B001, Span::none(),
                  fmt::format("the plugin wants form {}, which this vyre does not lower to", form),
                  "use a newer vyre, or another version of the plugin"));
    return fail(error, VYRE_PLUGIN_UNSUPPORTED, *compiling->failure());
  }
  auto lowered = found->lower(*compiling);
  if (!lowered) {
    compiling->set_failure(lowered.error());
    return fail(error, status_of(lowered.error().code), lowered.error());
  }
  auto text = std::make_unique<char[]>(lowered->text.size() + 1);
  std::memcpy(text.get(), lowered->text.c_str(), lowered->text.size() + 1);
  compiling->set_failure(std::nullopt);
  out->size = lowered->text.size();
  out->scratch_bytes = lowered->scratch_bytes;
  copy_text(out->entry, lowered->entry);
  out->data = text.release();
  return VYRE_PLUGIN_OK;
}

void free_text(vyre_plugin_text* text) {
  if (text == nullptr) return;
  delete[] text->data;
  text->data = nullptr;
  text->size = 0;
}

}  // namespace

Compiling::Compiling(const check::Checked& program, uint32_t subgroup_size)
    : program_(program), subgroup_size_(subgroup_size) {
  const std::scoped_lock lock(live().mutex);
  handle_ = ++live().last;
  live().programs.emplace(handle_, this);
}

Compiling::~Compiling() {
  const std::scoped_lock lock(live().mutex);
  live().programs.erase(handle_);
}

std::optional<Result<std::string>> lowered_for_plugins(std::string_view form, const check::Checked& program,
                                                       uint32_t subgroup_size) {
  const auto* const found = std::ranges::find(kForms, form, &Form::name);
  if (found == std::end(kForms)) return std::nullopt;
  auto lowered = found->lower(Compiling(program, subgroup_size));
  if (!lowered) return std::unexpected(std::move(lowered.error()));
  return std::move(lowered->text);
}

std::string plugin_forms() {
  std::string out;
  for (const Form& form : kForms) out += fmt::format("{}{}", out.empty() ? "" : ", ", form.name);
  return out;
}

const vyre_plugin_host& plugin_host() {
  static const vyre_plugin_host host = {.struct_size = sizeof(vyre_plugin_host),
                                        .abi = VYRE_BACKEND_ABI,
                                        .reserved = 0,
                                        .lower = &lower_program,
                                        .free_text = &free_text};
  return host;
}

}  // namespace vyre::backend
