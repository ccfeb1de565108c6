#include "backend/plugin/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "backend/plugin/answers.h"
#include "base/printable.h"

namespace vyre::backend {
namespace {

/// What the linker said, without the path that it repeats.
std::string linker_error(const std::string& path) {
  const char* said = dlerror();
  std::string text = printable(said == nullptr ? "no reason given" : said);
  if (text.starts_with(path + ": ")) text.erase(0, path.size() + 2);
  return text;
}

Result<void*> open_library(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return unusable(fmt::format("there is no plugin '{}'", path), "give the path of a shared library (.so)");
  }
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return unusable(fmt::format("'{}' is a folder or a device, and a plugin is a shared library", path),
                    "give the path of the library itself");
  }
  // Now, so that a missing function is found here and not in a kernel; locally, so that two plugins may have
  // names in common.
  if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return unusable(
      fmt::format("'{}' cannot be loaded: {}", path, linker_error(path)),
      "a plugin is a shared library for this machine, with all that it needs in reach of the linker");
}

Result<void> check_version(const std::string& path, void* library) {
  const void* const found = dlsym(library, "vyre_backend_abi");
  if (found == nullptr) {
    return unusable(
        fmt::format("'{}' is no plugin of vyre: it does not export the constant vyre_backend_abi", path));
  }
  uint32_t abi = 0;
  std::memcpy(&abi, found, sizeof abi);
  if (abi == VYRE_BACKEND_ABI) return {};
  return unusable(
      fmt::format("'{}' was built for version {} of the plugin interface, and this vyre speaks version {}",
                  path, abi, VYRE_BACKEND_ABI),
      abi < VYRE_BACKEND_ABI
          ? "build the plugin against the vyre/backend.h of this vyre"
          : "use a newer vyre, or build the plugin against the vyre/backend.h of this one");
}

/// A required place in the table, and what it is called.
struct Required {
  std::string_view name;
  bool (*present)(const vyre_plugin_api& api);
};
constexpr Required kRequired[] = {
#define VYRE_REQUIRED(name) {#name, [](const vyre_plugin_api& api) { return api.name != nullptr; }}
    VYRE_REQUIRED(open),    VYRE_REQUIRED(close),         VYRE_REQUIRED(identity), VYRE_REQUIRED(limits),
    VYRE_REQUIRED(compile), VYRE_REQUIRED(free_pipeline), VYRE_REQUIRED(allocate), VYRE_REQUIRED(free_buffer),
    VYRE_REQUIRED(write),   VYRE_REQUIRED(read),          VYRE_REQUIRED(fill),     VYRE_REQUIRED(dispatch),
#undef VYRE_REQUIRED
};

}  // namespace

std::unexpected<Diag> unusable(std::string message, std::string help) {
  return std::unexpected(make_diag(DiagCode::B013, Span::none(), std::move(message), std::move(help)));
}

Result<vyre_plugin_api> load_plugin(const std::string& path, const vyre_plugin_host& host) {
  VYRE_TRY(library, open_library(path));
  VYRE_CHECK(check_version(path, library));
  void* const symbol = dlsym(library, "vyre_backend_entry");
  if (symbol == nullptr) {
    return unusable(
        fmt::format("'{}' is no plugin of vyre: it does not export the function vyre_backend_entry", path));
  }
  const auto entry = reinterpret_cast<decltype(&vyre_backend_entry)>(symbol);
  const vyre_plugin_api* const given = entry(&host);
  if (given == nullptr) {
    return unusable(fmt::format("'{}' refuses this vyre: its vyre_backend_entry gives no table", path),
                    "ask the author of the plugin which version of vyre it wants");
  }
  vyre_plugin_api api{};
  std::memcpy(&api, given, std::min(sizeof api, given->struct_size));
  for (const Required& function : kRequired) {
    if (function.present(api)) continue;
    return unusable(fmt::format("'{}' has no function '{}' in its table of {} bytes", path, function.name,
                                given->struct_size),
                    "set struct_size to sizeof(vyre_plugin_api), and fill in every function but `has`, "
                    "`convention` and `dispatch_engine`");
  }
  return api;
}

}  // namespace vyre::backend
