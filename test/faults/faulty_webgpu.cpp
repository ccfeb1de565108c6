#include "faulty_webgpu.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#define EXPORTED __attribute__((visibility("default")))

namespace vyre::test {
namespace {

using namespace backend::webgpu;

[[noreturn]] void stop(const char* why) {
  std::fprintf(stderr, "faulty_webgpu: %s\n", why);
  std::abort();
}

// What is planted.

bool plant(FaultyWebgpu& state, std::string_view name, const std::string& argument) {
  const int number = std::atoi(argument.c_str());
  const std::string words = argument.empty() ? kPlanted : argument;
  if (name == "no-adapter")
    state.no_adapter = words;
  else if (name == "no-device")
    state.no_device = words;
  else if (name == "silent-adapter")
    state.silent_adapter = true;
  else if (name == "silent-device")
    state.silent_device = true;
  else if (name == "lost")
    state.lost = number;
  else if (name == "silent")
    state.silent = number;
  else if (name == "unmapped")
    state.unmapped = number;
  else if (name == "idle")
    state.idle = number;
  else if (name == "refuses")
    state.refuses = argument;
  else if (name == "aborts")
    state.aborts = argument;
  else if (name == "loses")
    state.loses = argument;
  else if (name == "hangs")
    state.hangs = argument;
  else if (name == "validation")
    state.error = {WGPUErrorType_Validation, number};
  else if (name == "out-of-memory")
    state.error = {WGPUErrorType_OutOfMemory, number};
  else if (name == "internal")
    state.error = {WGPUErrorType_Internal, number};
  else if (name == "short-loops")
    state.short_loops = true;
  else if (name == "limits")
    state.limits = true;
  else
    return false;
  return true;
}

FaultyWebgpu from_environment() {
  FaultyWebgpu state;
  const char* const said = std::getenv("VYRE_FAULTY_WEBGPU");
  if (said == nullptr || *said == '\0') return state;
  const std::string_view text = said;
  const size_t equal = text.find('=');
  const std::string argument(equal == text.npos ? "" : text.substr(equal + 1));
  if (!plant(state, text.substr(0, equal), argument)) stop("VYRE_FAULTY_WEBGPU names no fault");
  return state;
}

FaultyWebgpu& state() {
  static FaultyWebgpu one = from_environment();
  return one;
}
std::mutex mutex;
WGPUDevice device = nullptr;  // the last that was given

/// Counts the call; its number, from 0 on.
int enter(const char* name) {
  const std::lock_guard lock(mutex);
  return state().calls[name]++;
}
bool from(const std::optional<int>& first, int number) { return first && number >= *first; }
WGPUStringView view(std::string_view text) { return {text.data(), text.size()}; }

// What is real.

template <typename F>
F real(const std::string& name) {
  static void* const library = [] {
    const char* const named = std::getenv("VYRE_WEBGPU_LIB");
    void* const opened = named != nullptr ? dlopen(named, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (opened == nullptr) stop("VYRE_WEBGPU_LIB names no library");
    return opened;
  }();
  void* const found = dlsym(library, name.c_str());
  if (found == nullptr) stop(("the real library has no " + name).c_str());
  return reinterpret_cast<F>(found);
}

#define VYRE_WEBGPU(name, result, parameters)                       \
  struct name##Tag {                                                \
    using Function = result(*) parameters;                          \
    static constexpr const char* kName = #name;                     \
    static Function real() {                                        \
      static const auto found = test::real<Function>("wgpu" #name); \
      return found;                                                 \
    }                                                               \
  };
VYRE_WEBGPU_FUNCTIONS(VYRE_WEBGPU)
#undef VYRE_WEBGPU

// What becomes of a call: the real one, unless there is something below. `number` of them came before.

template <typename Tag, typename... A>
auto call(Tag, int, A... arguments) {
  return Tag::real()(arguments...);
}

void adapter_unheard(WGPURequestStatus, WGPUAdapter adapter, WGPUStringView, void*, void*) {
  if (adapter != nullptr) AdapterReleaseTag::real()(adapter);
}
void device_unheard(WGPURequestStatus, WGPUDevice of, WGPUStringView, void*, void*) {
  if (of != nullptr) DeviceReleaseTag::real()(of);
}
void mapping_unheard(WGPURequestStatus, WGPUStringView, void*, void*) {}
constexpr auto kFailed = WGPURequestStatus(3);

WGPUFuture call(InstanceRequestAdapterTag, int, WGPUInstance instance,
                const WGPURequestAdapterOptions* options, WGPURequestAdapterCallbackInfo info) {
  if (const auto& why = state().no_adapter) {
    info.callback(kFailed, nullptr, view(*why), info.userdata1, info.userdata2);
    return {};
  }
  if (state().silent_adapter) info.callback = &adapter_unheard;
  return InstanceRequestAdapterTag::real()(instance, options, info);
}

/// What was asked for, so that an answer can be looked at, or replaced, on its way there.
template <typename Info>
struct Asked {
  Info info;
  std::optional<WGPUErrorType> planted;
};

void device_given(WGPURequestStatus status, WGPUDevice given, WGPUStringView message, void* asked, void*) {
  const std::unique_ptr<Asked<WGPURequestDeviceCallbackInfo>> whose(
      static_cast<Asked<WGPURequestDeviceCallbackInfo>*>(asked));
  device = given;
  whose->info.callback(status, given, message, whose->info.userdata1, whose->info.userdata2);
}
WGPUFuture call(AdapterRequestDeviceTag, int, WGPUAdapter adapter, const WGPUDeviceDescriptor* descriptor,
                WGPURequestDeviceCallbackInfo info) {
  if (const auto& why = state().no_device) {
    info.callback(kFailed, nullptr, view(*why), info.userdata1, info.userdata2);
    return {};
  }
  if (state().silent_device) {
    info.callback = &device_unheard;
  } else {
    info.userdata1 = new Asked<WGPURequestDeviceCallbackInfo>{info, {}};
    info.callback = &device_given;
  }
  return AdapterRequestDeviceTag::real()(adapter, descriptor, info);
}

WGPUStatus call(AdapterGetLimitsTag, int, WGPUAdapter adapter, void* limits) {
  const WGPUStatus status = AdapterGetLimitsTag::real()(adapter, limits);
  // The members behind the first moved by a word.
  if (state().limits) std::memset(static_cast<char*>(limits) + 8, 0x55, 160);
  return status;
}

/// The loop of the backend's own test of a device, which llvmpipe would end so.
void end_early(std::string& text) {
  const std::string_view bound = "< counts[0].z";
  const size_t at = text.find(bound);
  if (at != text.npos) text.replace(at, bound.size(), "< min(counts[0].z, 65535u)");
}

WGPUShaderModule call(DeviceCreateShaderModuleTag, int, WGPUDevice of,
                      const WGPUShaderModuleDescriptor* descriptor) {
  const auto* const source = reinterpret_cast<const WGPUShaderSourceWGSL*>(descriptor->nextInChain);
  const std::string_view text(source->code.data, source->code.length == WGPU_STRLEN
                                                     ? std::strlen(source->code.data)
                                                     : source->code.length);
  const auto has = [&](const std::string& what) { return !what.empty() && text.find(what) != text.npos; };
  if (has(state().aborts)) stop("a compiler that gives up");
  if (has(state().loses)) state().lost = state().calls["QueueSubmit"];
  if (has(state().hangs)) state().silent = state().calls["BufferMapAsync"];
  std::string changed(text);
  if (has(state().refuses)) changed += "\nthis is no WGSL\n";
  if (state().short_loops) end_early(changed);
  WGPUShaderSourceWGSL other = *source;
  other.code = view(changed);
  WGPUShaderModuleDescriptor with_other = *descriptor;
  with_other.nextInChain = &other.chain;
  return DeviceCreateShaderModuleTag::real()(of, &with_other);
}

void scope_popped(WGPURequestStatus status, WGPUErrorType type, WGPUStringView message, void* asked, void*) {
  const std::unique_ptr<Asked<WGPUPopErrorScopeCallbackInfo>> whose(
      static_cast<Asked<WGPUPopErrorScopeCallbackInfo>*>(asked));
  const auto& [info, planted] = *whose;
  info.callback(status, planted.value_or(type), planted ? view(kPlanted) : message, info.userdata1,
                info.userdata2);
}
WGPUFuture call(DevicePopErrorScopeTag, int number, WGPUDevice of, WGPUPopErrorScopeCallbackInfo info) {
  const auto& error = state().error;
  if (error && error->scope == number) {
    info.userdata1 = new Asked<WGPUPopErrorScopeCallbackInfo>{info, error->type};
    info.callback = &scope_popped;
  }
  return DevicePopErrorScopeTag::real()(of, info);
}

void call(QueueSubmitTag, int number, WGPUQueue queue, size_t count, const WGPUCommandBuffer* commands) {
  if (state().lost && number == *state().lost) {
    using ForceLoss = void (*)(WGPUDevice, WGPUDeviceLostReason, WGPUStringView);
    real<ForceLoss>("wgpuDeviceForceLoss")(device, WGPUDeviceLostReason_Unknown, view(kPlanted));
  }
  QueueSubmitTag::real()(queue, count, commands);
}

void call(ComputePassEncoderDispatchWorkgroupsTag, int number, WGPUComputePassEncoder pass, uint32_t x,
          uint32_t y, uint32_t z) {
  if (!from(state().idle, number)) ComputePassEncoderDispatchWorkgroupsTag::real()(pass, x, y, z);
}

WGPUFuture call(BufferMapAsyncTag, int number, WGPUBuffer buffer, WGPUFlags mode, size_t at, size_t size,
                WGPUBufferMapCallbackInfo info) {
  if (from(state().silent, number)) info.callback = &mapping_unheard;
  return BufferMapAsyncTag::real()(buffer, mode, at, size, info);
}

const void* call(BufferGetConstMappedRangeTag, int number, WGPUBuffer buffer, size_t at, size_t size) {
  return from(state().unmapped, number) ? nullptr : BufferGetConstMappedRangeTag::real()(buffer, at, size);
}

template <typename Tag, typename F>
struct Entry;
template <typename Tag, typename R, typename... A>
struct Entry<Tag, R (*)(A...)> {
  static R enter(A... arguments) { return call(Tag{}, test::enter(Tag::kName), arguments...); }
};

}  // namespace

// The table names no parameters, as a definition would have to: each function is exported by what resolves
// it.
#define VYRE_WEBGPU(name, result, parameters)                                      \
  extern "C" void* resolve_##name() {                                              \
    return reinterpret_cast<void*>(&Entry<name##Tag, name##Tag::Function>::enter); \
  }                                                                                \
  EXPORTED result wgpu##name parameters __asm__("wgpu" #name) __attribute__((ifunc("resolve_" #name)));
VYRE_WEBGPU_FUNCTIONS(VYRE_WEBGPU)
#undef VYRE_WEBGPU

// That they are there tells something of a library; they are not called.
extern "C" EXPORTED void wgpuSupportedFeaturesFreeMembers() { stop("wgpuSupportedFeaturesFreeMembers"); }
extern "C" EXPORTED void wgpuGetInstanceCapabilities() { stop("wgpuGetInstanceCapabilities"); }
extern "C" EXPORTED void wgpuDeviceTick() { stop("wgpuDeviceTick"); }

extern "C" EXPORTED FaultyWebgpu* vyre_faulty_webgpu() { return &state(); }

}  // namespace vyre::test
