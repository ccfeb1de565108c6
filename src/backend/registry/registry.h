// Backends by name: reference, native, cuda[:N], vulkan[:N], webgpu[:LIB], or a path to a plugin.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/float_form.h"

namespace vyre::backend {

/// Options of some backends; the others have no use for them.
struct Options {
  ReferenceOptions reference;
  /// Threads of native; 0: as many as there are cores.
  unsigned threads = 0;
  /// How native, cuda, vulkan and webgpu do arithmetic on floats.
  FloatForm floats = FloatForm::Auto;
  /// Of native: code of earlier processes is used, and this one's kept.
  bool keeps_code = false;
};

struct Entry {
  std::string_view name;
  std::string_view summary;
  // argument: what stands after ':', or empty
  Result<std::unique_ptr<Backend>> (*open)(std::string_view argument, const Options& options);
};

/// Every backend that this build knows, whether or not its device is here.
std::span<const Entry> all_backends();

/// Errors: B004 for an unknown name, B001 when it is not available here, with what is missing.
Result<std::unique_ptr<Backend>> open(std::string_view spec, const Options& options = {});

}  // namespace vyre::backend
