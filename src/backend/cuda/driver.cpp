#include "backend/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace vyre::backend::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";
/// Whose graphs have conditional nodes that may hold what ours do.
constexpr int kOldestConditionals = 12040;
constexpr int kOldestDriver = 11000;  // the first with cuDevicePrimaryCtxRelease_v2

// Of CUresult: after these every call fails until the process ends, by the documentation of each ("leaves the
// process in an inconsistent state") or because what the context stood on is gone.
constexpr std::array<Status, 20> kLost = {
    4,    // DEINITIALIZED
    46,   // DEVICE_UNAVAILABLE
    201,  // INVALID_CONTEXT: it was destroyed
    214,  // ECC_UNCORRECTABLE
    220,  // NVLINK_UNCORRECTABLE
    700,  // ILLEGAL_ADDRESS
    702,  // LAUNCH_TIMEOUT
    709,  // CONTEXT_IS_DESTROYED
    710,  // ASSERT
    714,  // HARDWARE_STACK_ERROR
    715,  // ILLEGAL_INSTRUCTION
    716,  // MISALIGNED_ADDRESS
    717,  // INVALID_ADDRESS_SPACE
    718,  // INVALID_PC
    719,  // LAUNCH_FAILED
    721,  // TENSOR_MEMORY_LEAK
    802,  // SYSTEM_NOT_READY
    805,  // MPS_CONNECTION_FAILED
    806,  // MPS_RPC_FAILURE
    999,  // UNKNOWN
};

std::string library_name(const std::string& asked) {
  if (!asked.empty()) return asked;
  const char* const named = std::getenv("VYRE_CUDA_LIB");
  return named != nullptr && *named != '\0' ? named : kLibrary;
}

Result<int> driver_version(void* library) {
  const auto ask = reinterpret_cast<Status (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  if (ask != nullptr && ask(&version) == kSuccess) return version;
  return std::unexpected(
      not_available("the library does not tell its version, so it is not a CUDA driver",
                    "install NVIDIA's driver, or let VYRE_CUDA_LIB name its libcuda.so.1"));
}

/// Fills in the functions; the first symbol that is not there, or null.
const char* find_functions(void* library, Driver& out) {
  const char* missing = nullptr;
#define VYRE_CUDA(name, symbol, parameters)                                \
  out.name = reinterpret_cast<decltype(out.name)>(dlsym(library, symbol)); \
  if (out.name == nullptr && missing == nullptr) missing = symbol;
  VYRE_CUDA_FUNCTIONS(VYRE_CUDA)
#undef VYRE_CUDA
  return missing;
}

/// Those that a driver may lack; what is missing stays null.
void find_graph_functions(void* library, Driver& out) {
  bool found = true;
#define VYRE_CUDA(name, symbol, parameters)                                \
  out.name = reinterpret_cast<decltype(out.name)>(dlsym(library, symbol)); \
  found = found && out.name != nullptr;
  VYRE_CUDA_GRAPH_FUNCTIONS(VYRE_CUDA)
  out.has_graphs = found;
  VYRE_CUDA_CONDITIONAL_FUNCTIONS(VYRE_CUDA)
  out.has_conditionals = found && out.version >= kOldestConditionals;
#undef VYRE_CUDA
}

}  // namespace

Diag not_available(std::string message, std::string help) {
  return make_diag(DiagCode::B001, Span::none(), "cuda: " + std::move(message), std::move(help));
}

std::string cuda_version(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string Driver::describe(Status status) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name(status, &name) != kSuccess || name == nullptr) return fmt::format("CUDA error {}", status);
  if (error_text(status, &text) != kSuccess || text == nullptr) return name;
  return fmt::format("{}: {}", name, text);
}

bool Driver::is_lost(Status status) { return std::ranges::find(kLost, status) != kLost.end(); }

Result<Driver> open_driver(const std::string& library) {
  const std::string name = library_name(library);
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    return std::unexpected(
        not_available(fmt::format("there is no NVIDIA driver here: {}", why != nullptr ? why : name.c_str()),
                      "install NVIDIA's driver (a CUDA toolkit is not needed), or let VYRE_CUDA_LIB name its "
                      "libcuda.so.1"));
  }
  Driver out;
  VYRE_TRY(version, driver_version(handle));
  out.version = version;
  const char* const missing = find_functions(handle, out);
  if (out.version < kOldestDriver || missing != nullptr) {
    // An old driver lacks much, and its version says it all; one that is new enough is not whole.
    const std::string lacks = out.version >= kOldestDriver ? fmt::format(" and has no {}", missing) : "";
    return std::unexpected(not_available(
        fmt::format("the driver speaks CUDA {}{}, and {} is the oldest that is supported",
                    cuda_version(out.version), lacks, cuda_version(kOldestDriver)),
        fmt::format("install NVIDIA's driver for CUDA {} or newer; a CUDA toolkit is not needed",
                    cuda_version(kOldestDriver))));
  }
  find_graph_functions(handle, out);
  const Status status = out.init(0);
  if (status == kSuccess) return out;
  return std::unexpected(not_available(
      status == kNoDevice ? "the driver finds no device"
                          : "the driver does not start: " + out.describe(status),
      "`nvidia-smi -L` must list a GPU, this user must be allowed to open it, CUDA_VISIBLE_DEVICES must not "
      "hide it, and the kernel's driver must be of the library's version"));
}

}  // namespace vyre::backend::cuda
