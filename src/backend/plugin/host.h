// What the host does for plugins: it lowers the program that is being compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "check/checked.h"
#include "vyre/backend.h"

namespace vyre::backend {

/// The table that every plugin is given.
const vyre_plugin_host& plugin_host();

/// What a plugin is given that asks for a form by its name in `vyre lower`: kernel, legal, llvm, ptx, spirv
/// (bytes) or wgsl. Nothing for another name.
std::optional<Result<std::string>> lowered_for_plugins(std::string_view form, const check::Checked& program,
                                                       uint32_t subgroup_size);
/// These names: "kernel, legal, ...".
std::string plugin_forms();

/// A program while a plugin compiles it, which vyre_plugin_program.handle stands for. A handle is a number
/// that is never given again, so one that a plugin kept for later is refused.
class Compiling {
 public:
  /// subgroup_size: as the plugin's limits have it.
  Compiling(const check::Checked& program, uint32_t subgroup_size);
  Compiling(const Compiling&) = delete;
  Compiling& operator=(const Compiling&) = delete;
  ~Compiling();

  const void* handle() const { return reinterpret_cast<const void*>(handle_); }
  const check::Checked& program() const { return program_; }
  uint32_t subgroup_size() const { return subgroup_size_; }
  /// Why the last lowering failed. A plugin can only pass it on as a status, and its reason is here.
  const std::optional<Diag>& failure() const { return failure_; }
  void set_failure(std::optional<Diag> failure) { failure_ = std::move(failure); }

 private:
  const check::Checked& program_;
  const uint32_t subgroup_size_;
  uintptr_t handle_ = 0;
  std::optional<Diag> failure_;
};

}  // namespace vyre::backend
