#include "fake_cuda.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>

namespace vyre::test {
namespace {

constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidImage = 200, kInvalidContext = 201,
              kNotFound = 500, kIllegalAddress = 700, kLaunchFailed = 719;
constexpr size_t kAlignment = 256;
constexpr char kMagic[] = "FAKECUBIN";

FakeCuda state;
std::recursive_mutex mutex;
thread_local void* current = nullptr;
int context_tag;

struct FakeModule {
  std::string ptx;
};
struct FakeFunction {
  std::string name;
  std::vector<size_t> parameter_bytes;
};
struct FakeStream {
  std::deque<std::function<int()>> queue;
  uint64_t done = 0, queued = 0;
};
struct FakeEvent {
  FakeStream* stream = nullptr;
  uint64_t position = 0;
};
struct FakeLinker {
  char* log = nullptr;
  size_t log_bytes = 0;
  std::string binary;
};

/// Counts the call, and answers what is planted for it.
int enter(const char* symbol, bool wants_context = true) {
  ++state.calls[symbol];
  if (state.lost != 0) return state.lost;
  if (const auto it = state.failures.find(symbol); it != state.failures.end() && it->second.after-- == 0) {
    const int status = it->second.status;
    state.failures.erase(it);
    if (status == kIllegalAddress || status == kLaunchFailed) state.lost = status;
    return status;
  }
  if (!wants_context || current != nullptr) return 0;
  state.violations.push_back(std::string(symbol) + " without a context");
  return kInvalidContext;
}

bool inside(const std::map<uint64_t, size_t>& memory, uint64_t address, size_t bytes) {
  auto it = memory.upper_bound(address);
  if (it == memory.begin()) return false;
  --it;
  return address + bytes <= it->first + it->second;
}

int touch(uint64_t device, const void* host, size_t bytes, const char* what) {
  const auto pinned = reinterpret_cast<uint64_t>(host);
  if (inside(state.allocations, device, bytes) && (host == nullptr || inside(state.pinned, pinned, bytes)))
    return 0;
  state.violations.push_back(std::string(what) + " outside an allocation");
  return kIllegalAddress;
}

void push(FakeStream* stream, std::function<int()> work) {
  stream->queue.push_back(std::move(work));
  ++stream->queued;
}

int run_until(FakeStream* stream, uint64_t position) {
  while (stream->done < position && !stream->queue.empty()) {
    const auto work = std::move(stream->queue.front());
    stream->queue.pop_front();
    ++stream->done;
    if (const int status = work(); status != 0) {
      state.lost = status;
      return status;
    }
  }
  return 0;
}

/// The widths of an entry's parameters, from its PTX; empty optional when there is no such entry.
bool find_entry(const std::string& ptx, const std::string& name, std::vector<size_t>& out) {
  size_t at = ptx.find(".entry " + name + "(");
  if (at == ptx.npos) return false;
  at = ptx.find('(', at);
  const std::string list = ptx.substr(at, ptx.find(')', at) - at);
  for (size_t p = list.find(".param ."); p != list.npos; p = list.find(".param .", p + 1)) {
    const std::string type = list.substr(p + 8, 3);
    if (type == "u64") out.push_back(8);
    if (type == "u32") out.push_back(4);
  }
  return true;
}

}  // namespace

extern "C" {

FakeCuda* vyre_fake_cuda() { return &state; }

#define FAKE(symbol, ...)            \
  const std::lock_guard lock(mutex); \
  if (const int planted = enter(symbol __VA_OPT__(, ) __VA_ARGS__); planted != 0) return planted

int cuDriverGetVersion(int* version) {
  *version = state.version;
  return 0;
}
int cuInit(unsigned) {
  FAKE("cuInit", false);
  return 0;
}
int cuDeviceGetCount(int* count) {
  FAKE("cuDeviceGetCount", false);
  *count = state.devices;
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  FAKE("cuDeviceGet", false);
  *device = ordinal;
  return ordinal < state.devices ? 0 : 101;
}
int cuDeviceGetName(char* name, int length, int) {
  FAKE("cuDeviceGetName", false);
  std::strncpy(name, "Fake GPU", size_t(length));
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  FAKE("cuDeviceGetAttribute", false);
  const std::map<int, int> values = {{1, 1024},
                                     {10, 32},
                                     {75, state.capability / 10},
                                     {76, state.capability % 10},
                                     {97, state.shared_bytes}};
  const auto it = values.find(attribute);
  if (it == values.end()) return kInvalidValue;
  *value = it->second;
  return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int) {
  FAKE("cuDeviceTotalMem_v2", false);
  *bytes = state.memory;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  FAKE("cuDevicePrimaryCtxRetain", false);
  *context = &context_tag;
  ++state.others;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  const std::lock_guard lock(mutex);
  --state.others;
  return 0;
}
int cuCtxSetCurrent(void* context) {
  FAKE("cuCtxSetCurrent", false);
  current = context;
  return 0;
}
int cuModuleLoadData(void** module, const void* image) {
  FAKE("cuModuleLoadData");
  const char* const text = static_cast<const char*>(image);
  if (std::strncmp(text, kMagic, sizeof kMagic - 1) != 0) return kInvalidImage;
  *module = new FakeModule{text + sizeof kMagic - 1};
  ++state.others;
  return 0;
}
int cuModuleUnload(void* module) {
  const std::lock_guard lock(mutex);
  delete static_cast<FakeModule*>(module);
  --state.others;
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  FAKE("cuModuleGetFunction");
  static std::deque<FakeFunction> functions;  // as long as the process, for there is no call that ends one
  FakeFunction found{name, {}};
  if (!find_entry(static_cast<FakeModule*>(module)->ptx, name, found.parameter_bytes)) return kNotFound;
  functions.push_back(std::move(found));
  *function = &functions.back();
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute, void*) {
  FAKE("cuFuncGetAttribute");
  *value = attribute == 0 ? state.threads_of_kernel : attribute == 4 ? 255 : attribute == 3 ? 4096 : 0;
  return 0;
}
int cuFuncSetAttribute(void*, int attribute, int value) {
  FAKE("cuFuncSetAttribute");
  if (attribute != 8 || value > state.shared_bytes) return kInvalidValue;
  state.function_shared_bytes.insert(value);
  return 0;
}
int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  FAKE("cuMemAlloc_v2");
  if (bytes == 0) return kInvalidValue;
  if (bytes > state.memory - state.used) return kOutOfMemory;
  *address = reinterpret_cast<uint64_t>(
      std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment));
  std::memset(state.at(*address), 0xcd, bytes);
  state.allocations[*address] = bytes;
  state.used += bytes;
  return 0;
}
int cuMemFree_v2(uint64_t address) {
  const std::lock_guard lock(mutex);
  const auto it = state.allocations.find(address);
  if (it == state.allocations.end()) {
    state.violations.push_back("freed what was not allocated");
    return kInvalidValue;
  }
  state.used -= it->second;
  state.allocations.erase(it);
  std::free(state.at(address));
  return 0;
}
int cuMemGetInfo_v2(size_t* left, size_t* total) {
  FAKE("cuMemGetInfo_v2");
  *left = state.memory - state.used;
  *total = state.memory;
  return 0;
}
int cuMemHostAlloc(void** address, size_t bytes, unsigned) {
  FAKE("cuMemHostAlloc");
  *address = std::malloc(bytes);
  state.pinned[reinterpret_cast<uint64_t>(*address)] = bytes;
  return 0;
}
int cuMemFreeHost(void* address) {
  const std::lock_guard lock(mutex);
  state.pinned.erase(reinterpret_cast<uint64_t>(address));
  std::free(address);
  return 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
  FAKE("cuMemcpyHtoDAsync_v2");
  push(static_cast<FakeStream*>(stream), [=] {
    if (const int status = touch(to, from, bytes, "a copy to the device"); status != 0) return status;
    std::memcpy(state.at(to), from, bytes);
    return 0;
  });
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
  FAKE("cuMemcpyDtoHAsync_v2");
  push(static_cast<FakeStream*>(stream), [=] {
    if (const int status = touch(from, to, bytes, "a copy from the device"); status != 0) return status;
    std::memcpy(to, state.at(from), bytes);
    return 0;
  });
  return 0;
}
int cuMemsetD8Async(uint64_t at, unsigned char byte, size_t count, void* stream) {
  FAKE("cuMemsetD8Async");
  push(static_cast<FakeStream*>(stream), [=] {
    if (const int status = touch(at, nullptr, count, "a fill"); status != 0) return status;
    std::memset(state.at(at), byte, count);
    return 0;
  });
  return 0;
}
int cuStreamCreate(void** stream, unsigned) {
  FAKE("cuStreamCreate");
  *stream = new FakeStream;
  ++state.others;
  return 0;
}
int cuStreamDestroy_v2(void* stream) {
  const std::lock_guard lock(mutex);
  delete static_cast<FakeStream*>(stream);
  --state.others;
  return 0;
}
int cuStreamSynchronize(void* stream) {
  FAKE("cuStreamSynchronize");
  auto* const s = static_cast<FakeStream*>(stream);
  return run_until(s, s->queued);
}
int cuEventCreate(void** event, unsigned) {
  FAKE("cuEventCreate");
  *event = new FakeEvent;
  ++state.others;
  return 0;
}
int cuEventDestroy_v2(void* event) {
  const std::lock_guard lock(mutex);
  delete static_cast<FakeEvent*>(event);
  --state.others;
  return 0;
}
int cuEventRecord(void* event, void* stream) {
  FAKE("cuEventRecord");
  auto* const s = static_cast<FakeStream*>(stream);
  *static_cast<FakeEvent*>(event) = {s, s->queued};
  return 0;
}
int cuEventSynchronize(void* event) {
  FAKE("cuEventSynchronize");
  const auto* const e = static_cast<FakeEvent*>(event);
  return run_until(e->stream, e->position);
}
#ifndef VYRE_FAKE_IS_OLD
int cuLinkCreate_v2(unsigned options, int* names, void** values, void** linker) {
  FAKE("cuLinkCreate_v2");
  auto* const made = new FakeLinker;
  for (unsigned i = 0; i < options; ++i) {
    if (names[i] == 5) made->log = static_cast<char*>(values[i]);
    if (names[i] == 6) made->log_bytes = reinterpret_cast<size_t>(values[i]);
  }
  *linker = made;
  ++state.others;
  return 0;
}
#endif
int cuLinkAddData_v2(void* linker, int kind, void* data, size_t bytes, const char*, unsigned, int*, void**) {
  auto* const l = static_cast<FakeLinker*>(linker);
  const std::lock_guard lock(mutex);
  if (const int planted = enter("cuLinkAddData_v2"); planted != 0) {
    if (l->log != nullptr) std::strncpy(l->log, "ptxas: line 7 says no", l->log_bytes);
    return planted;
  }
  const char* const text = static_cast<const char*>(data);
  if (kind != 1 || bytes == 0 || text[bytes - 1] != '\0') return kInvalidValue;
  state.assembled.emplace_back(text);
  l->binary = std::string(kMagic) + text + '\0';
  return 0;
}
int cuLinkComplete(void* linker, void** binary, size_t* bytes) {
  FAKE("cuLinkComplete");
  std::string& made = static_cast<FakeLinker*>(linker)->binary;
  *binary = made.data();
  *bytes = made.size();
  return 0;
}
int cuLinkDestroy(void* linker) {
  const std::lock_guard lock(mutex);
  delete static_cast<FakeLinker*>(linker);
  --state.others;
  return 0;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** arguments, void**) {
  FAKE("cuLaunchKernel");
  const auto* const f = static_cast<FakeFunction*>(function);
  FakeLaunch launch{f->name, {gx, gy, gz}, {bx, by, bz}, shared, {}};
  // Arguments are read now: the caller may let them go when this returns.
  for (size_t i = 0; i < f->parameter_bytes.size(); ++i) {
    uint64_t value = 0;
    std::memcpy(&value, arguments[i], f->parameter_bytes[i]);
    launch.parameters.push_back(value);
  }
  state.launches.push_back(launch);
  push(static_cast<FakeStream*>(stream), [launch] { return state.kernel ? state.kernel(launch) : 0; });
  return 0;
}
int cuGetErrorName(int status, const char** name) {
  static const std::map<int, const char*> names = {{2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                   {100, "CUDA_ERROR_NO_DEVICE"},
                                                   {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                   {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}};
  const auto it = names.find(status);
  if (it == names.end()) return kInvalidValue;
  *name = it->second;
  return 0;
}
int cuGetErrorString(int, const char** text) {
  *text = "in the words of the driver";
  return 0;
}

}  // extern "C"

}  // namespace vyre::test
