// What the host does for plugins: it lowers the program that is being compiled.
#pragma once

#include <optional>

#include "base/result.h"
#include "check/checked.h"
#include "vyre/backend.h"

namespace vyre::backend {

/// The table that every plugin is given.
const vyre_plugin_host& plugin_host();

/// A program while a plugin compiles it: what vyre_plugin_program.handle points to. The host knows which of
/// them there are, so a handle that a plugin kept for later is refused, not followed.
class Compiling {
 public:
  explicit Compiling(const check::Checked& program);
  Compiling(const Compiling&) = delete;
  Compiling& operator=(const Compiling&) = delete;
  ~Compiling();

  const check::Checked& program() const { return program_; }
  /// Why the last lowering failed. A plugin can only pass it on as a status, and its reason is here.
  const std::optional<Diag>& failure() const { return failure_; }
  void set_failure(std::optional<Diag> failure) { failure_ = std::move(failure); }

 private:
  const check::Checked& program_;
  std::optional<Diag> failure_;
};

}  // namespace vyre::backend
