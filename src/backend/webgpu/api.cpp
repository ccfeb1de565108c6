#include "backend/webgpu/api.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>

namespace vyre::backend::webgpu {
namespace {

/// What implementations are built as: Dawn, wgpu-native, either, and Dawn as it comes for JavaScript.
constexpr const char* kNames[] = {"libwebgpu_dawn.so", "libwgpu_native.so", "libwebgpu.so",
                                  "libwebgpu_wrapper.so"};
constexpr const char* kHowToGet =
    "let VYRE_WEBGPU_LIB name a library with the C interface webgpu.h of 2025 or later (Dawn, wgpu-native), "
    "or "
    "write webgpu:LIB";

std::filesystem::path folder_beside_program() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path{} : program.parent_path().parent_path() / "lib";
}

std::string last_error() {
  const char* const why = dlerror();
  return why != nullptr ? why : "the loader does not say why";
}

struct Opened {
  void* handle = nullptr;
  std::string name;
};

void* open_file(const std::string& name) { return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); }

Result<Opened> open_named(const std::string& name, const char* said_by) {
  // The loader would wait for the other end of a pipe.
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored) && !std::filesystem::is_regular_file(name, ignored)) {
    return std::unexpected(not_available(
        fmt::format("'{}', which {} names, is no file, and so no library", name, said_by), kHowToGet));
  }
  if (void* const handle = open_file(name)) return Opened{handle, name};
  return std::unexpected(not_available(
      fmt::format("the library that {} names cannot be opened: {}", said_by, last_error()), kHowToGet));
}

Result<Opened> open_usual() {
  const std::filesystem::path beside = folder_beside_program();
  for (const char* name : kNames) {
    std::error_code error;
    const std::filesystem::path file = beside / name;
    // One that is there and cannot be opened is reported, not passed over.
    if (!beside.empty() && std::filesystem::exists(file, error)) return open_named(file.string(), "../lib");
  }
  for (const char* name : kNames) {
    if (void* const handle = open_file(name)) return Opened{handle, name};
  }
  return std::unexpected(
      not_available(fmt::format("there is no library with webgpu.h's interface here: looked "
                                "for {} in {} and in the loader's path",
                                fmt::join(kNames, ", "), beside.string()),
                    kHowToGet));
}

Result<Opened> open_any(const std::string& asked) {
  if (!asked.empty()) return open_named(asked, "webgpu:LIB");
  const char* const named = std::getenv("VYRE_WEBGPU_LIB");
  if (named != nullptr && *named != '\0') return open_named(named, "VYRE_WEBGPU_LIB");
  return open_usual();
}

/// Came with WGPUStringView and callback infos: the structures that are declared in abi.h.
constexpr const char* kMarker = "wgpuSupportedFeaturesFreeMembers";

Result<void> check_age(const Opened& library) {
  if (dlsym(library.handle, kMarker) != nullptr) return {};
  const bool has_any = dlsym(library.handle, "wgpuCreateInstance") != nullptr;
  return std::unexpected(not_available(
      has_any ? fmt::format("{} has an interface older than the one that is called here: it lacks {}",
                            library.name, kMarker)
              : fmt::format("{} is no WebGPU implementation: it lacks wgpuCreateInstance", library.name),
      kHowToGet));
}

Api::Maker maker_of(void* handle) {
  if (dlsym(handle, "wgpuGetVersion") != nullptr && dlsym(handle, "wgpuDevicePoll") != nullptr)
    return Api::Maker::WgpuNative;
  return dlsym(handle, "wgpuDeviceTick") != nullptr ? Api::Maker::Dawn : Api::Maker::Other;
}

Api::InstanceLayout layout_of(void* handle) {
  if (dlsym(handle, "wgpuHasInstanceFeature") != nullptr) return Api::InstanceLayout::Later;
  return dlsym(handle, "wgpuGetInstanceCapabilities") != nullptr ? Api::InstanceLayout::Earlier
                                                                 : Api::InstanceLayout::Unknown;
}

}  // namespace

const char* text(Api::Maker maker) {
  switch (maker) {
    case Api::Maker::Dawn: return "Dawn";
    case Api::Maker::WgpuNative: return "wgpu-native";
    case Api::Maker::Other: break;
  }
  return "webgpu.h";
}

Diag not_available(std::string message, std::string help) {
  return make_diag(DiagCode::B001, Span::none(), "webgpu: " + std::move(message), std::move(help));
}

Result<Api> open_library(const std::string& asked) {
  VYRE_TRY(library, open_any(asked));
  VYRE_CHECK(check_age(library));
  Api api;
  api.file = std::filesystem::path(library.name).filename().string();
#define VYRE_WEBGPU(function, result, parameters)                                                     \
  api.function = reinterpret_cast<result(*) parameters>(dlsym(library.handle, "wgpu" #function));     \
  if (api.function == nullptr) {                                                                      \
    return std::unexpected(                                                                           \
        not_available(fmt::format("{} has no function wgpu{}", library.name, #function), kHowToGet)); \
  }
  VYRE_WEBGPU_FUNCTIONS(VYRE_WEBGPU)
#undef VYRE_WEBGPU
  api.maker = maker_of(library.handle);
  api.instance = layout_of(library.handle);
  return api;
}

}  // namespace vyre::backend::webgpu
