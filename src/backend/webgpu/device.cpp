#include "backend/webgpu/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "backend/resources.h"

namespace vyre::backend::webgpu {
namespace {

/// Programs with more buffers than this are not written by people; adapters may allow a million.
constexpr uint32_t kMostBuffers = 512;

constexpr DeviceTraits kTraits = {
    .name = "webgpu",
    .lost_help =
        "start a new process; if it happens again, the driver or the device is at fault (the kernel's "
        "log may tell more)",
    .largest_block = 16ull << 20,
    .separates_written = true};

void when_lost(WGPUDevice const*, WGPUDeviceLostReason reason, WGPUStringView message, void* reports, void*) {
  // No caller asks after a device that was never made, or was given back.
  const bool is_news =
      reason != WGPUDeviceLostReason_CallbackCancelled && reason != WGPUDeviceLostReason_FailedCreation;
  if (is_news) static_cast<Reports*>(reports)->lost(text(message));
}
void when_error(WGPUDevice const*, WGPUErrorType, WGPUStringView message, void* reports, void*) {
  static_cast<Reports*>(reports)->error(text(message));
}

const char* text(WGPUAdapterType type) {
  switch (type) {
    case WGPUAdapterType_DiscreteGPU: return "discrete GPU";
    case WGPUAdapterType_IntegratedGPU: return "integrated GPU";
    case WGPUAdapterType_CPU: return "CPU";
    case WGPUAdapterType_Unknown: break;
  }
  return "device of unknown kind";
}

const char* text(WGPUBackendType type) {
  static constexpr const char* kBackendNames[] = {"unknown", "null",   "WebGPU", "D3D11",    "D3D12",
                                                  "Metal",   "Vulkan", "OpenGL", "OpenGL ES"};
  return size_t(type) < std::size(kBackendNames) ? kBackendNames[type] : kBackendNames[0];
}

}  // namespace

Device::Device(std::shared_ptr<Instance> instance, std::chrono::milliseconds timeout)
    : DeviceCore(kTraits), instance_(std::move(instance)), timeout_(std::min(timeout, kOpening)) {}

Result<std::shared_ptr<Device>> Device::open(std::shared_ptr<Instance> instance,
                                             std::chrono::milliseconds timeout) {
  std::shared_ptr<Device> device(new Device(std::move(instance), timeout));
  const Turn turn = device->turn();
  VYRE_CHECK(device->choose_adapter());
  VYRE_CHECK(device->open_device());
  VYRE_CHECK(device->prepare());
  VYRE_CHECK(device->test_itself());
  device->timeout_ = timeout;
  return device;
}

Result<void> Device::choose_adapter() {
  std::string said;
  // Vulkan is what every Linux has drivers for; an implementation that is built without it has another.
  for (const WGPUBackendType backend : {WGPUBackendType_Vulkan, WGPUBackendType_Undefined}) {
    const auto answer = std::make_shared<Answer<WGPUAdapter>>();
    const WGPURequestAdapterOptions options = {.powerPreference = WGPUPowerPreference_HighPerformance,
                                               .backendType = backend};
    const WGPUFuture future = api().InstanceRequestAdapter(
        instance_->handle(), &options,
        {.mode = WGPUCallbackMode_AllowProcessEvents, .callback = &answer->take, .userdata1 = answer.get()});
    if (!instance_->wait(future, answer->done, timeout_)) {
      keep_for_ever(instance_);
      keep_for_ever(answer);
      said = fmt::format("it did not answer within {} ms", timeout_.count());
      break;
    }
    if (answer->worked) {
      adapter_ = answer->handle;
      if (describe()) return {};
      api().AdapterRelease(std::exchange(adapter_, nullptr));
    }
    if (!answer->message.empty()) said = answer->message;
  }
  return std::unexpected(
      not_available(fmt::format("{} has no adapter{}{}", api().file, said.empty() ? "" : ": ", said),
                    "install the Vulkan driver of the GPU, or one for CPUs (Debian: SwiftShader comes with "
                    "chromium, as /usr/lib/chromium/vk_swiftshader_icd.json), and let VK_ICD_FILENAMES and "
                    "VK_DRIVER_FILES name it where the loader does not find it"));
}

bool Device::describe() {
  WGPUAdapterInfo info;
  profile_.device = "a device that does not say its name";
  profile_.driver = fmt::format("{} ({})", webgpu::text(api().maker), api().file);
  if (api().AdapterGetInfo(adapter_, &info) != WGPUStatus_Success) return true;
  std::string name = webgpu::text(info.device);
  if (name.empty()) name = fmt::format("{} {:#06x}", webgpu::text(info.vendor), info.deviceID);
  std::string details = webgpu::text(info.vendor);
  if (const std::string family = webgpu::text(info.architecture); !family.empty())
    details += (details.empty() ? "" : " ") + family;
  profile_.device =
      fmt::format("{} ({}{}{})", name, details, details.empty() ? "" : ", ", text(info.adapterType));
  if (info.adapterType == WGPUAdapterType_CPU) profile_.kind = spec::DeviceKind::Cpu;
  profile_.driver += fmt::format(", {}", text(info.backendType));
  if (const std::string said = webgpu::text(info.description); !said.empty()) profile_.driver += ": " + said;
  // SwiftShader's atomicMin and atomicMax are not one step beside other atomics: ir.litmus finds it.
  constexpr uint32_t kGoogle = 0x1ae0;
  profile_.bounds_by_exchange = info.vendorID == kGoogle;
  api().AdapterInfoFreeMembers(info);
  return info.backendType != WGPUBackendType_Null;
}

Result<bool> Device::request_device(const void* limits) {
  const auto answer = std::make_shared<Answer<WGPUDevice>>();
  const WGPUDeviceDescriptor descriptor = {
      .requiredLimits = limits,
      .deviceLostCallbackInfo = {.mode = WGPUCallbackMode_AllowSpontaneous,
                                 .callback = &when_lost,
                                 .userdata1 = &reports_},
      .uncapturedErrorCallbackInfo = {.callback = &when_error, .userdata1 = &reports_}};
  const WGPUFuture future = api().AdapterRequestDevice(
      adapter_, &descriptor,
      {.mode = WGPUCallbackMode_AllowProcessEvents, .callback = &answer->take, .userdata1 = answer.get()});
  if (!instance_->wait(future, answer->done, timeout_)) {
    keep_for_ever(answer);
    keep_for_ever(shared_from_this());
    return std::unexpected(not_available(
        fmt::format("{} did not open {} within {} ms", api().file, profile_.device, timeout_.count()),
        "see whether another process holds the device"));
  }
  if (answer->worked) {
    handle_ = answer->handle;
    return true;
  }
  reports_.error(answer->message);
  return false;
}

Result<void> Device::open_device() {
  LimitsMemory written = marked_limits();
  const bool answered = api().AdapterGetLimits(adapter_, written.data()) == WGPUStatus_Success;
  bool opened = false;
  if (auto has = answered ? recognise_limits(written) : std::nullopt) {
    has->storage_buffers = std::min(has->storage_buffers, kMostBuffers);
    const LimitsMemory request = request_of(written, *has);
    VYRE_TRY(more, request_device(request.data()));
    opened = more;
  }
  if (!opened) {
    VYRE_TRY(portable, request_device(nullptr));
    opened = portable;
  }
  if (opened) {
    reports_.take_errors();  // of a request for more
    // What was asked for is not always what one gets.
    LimitsMemory got = marked_limits();
    if (api().DeviceGetLimits(handle_, got.data()) == WGPUStatus_Success)
      profile_.limits = recognise_limits(got).value_or(DispatchLimits{});
    profile_.limits.storage_buffers = std::min(profile_.limits.storage_buffers, kMostBuffers);
    // Buffers are made of ranges, and bindings of words.
    profile_.limits.buffer_bytes -= profile_.limits.buffer_bytes % kRangeAlignment;
    profile_.limits.binding_bytes -= profile_.limits.binding_bytes % 4;
    return {};
  }
  const auto said = reports_.take_errors();
  return std::unexpected(
      not_available(fmt::format("{} gives no device on {}: {}", api().file, profile_.device,
                                said.empty() ? "it does not say why" : said.back()),
                    "see whether another process holds the device or its memory"));
}

Result<void> Device::prepare() {
  queue_ = api().DeviceGetQueue(handle_);
  const auto made = queue_ == nullptr
                        ? Result<WGPUBuffer>(std::unexpected(out_of_memory("a queue")))
                        : make_buffer(kCountsBytes, WGPUBufferUsage_Uniform | WGPUBufferUsage_CopySrc |
                                                        WGPUBufferUsage_CopyDst);
  if (!made) {
    return std::unexpected(not_available(
        fmt::format("{} on {} makes no buffers: {}", profile_.driver, profile_.device, made.error().message),
        "use another library, or another Vulkan driver (VK_ICD_FILENAMES)"));
  }
  counts_ = {.handle = reinterpret_cast<uint64_t>(*made), .bytes = kCountsBytes};
  return {};
}

// Of a device that is not lost: on_loss() keeps the others.
Device::~Device() {
  const Turn turn = this->turn();
  drop_unused();
  if (counts_.handle != 0) api().BufferRelease(buffer_of(counts_));
  for (const Slot& slot : slots_) {
    if (slot.buffer != nullptr) api().BufferRelease(slot.buffer);
  }
  if (queue_ != nullptr) api().QueueRelease(queue_);
  if (handle_ != nullptr) api().DeviceRelease(handle_);
  if (adapter_ != nullptr) api().AdapterRelease(adapter_);
  // What the library still has to say of the device, it says now, while the callback lives.
  api().InstanceProcessEvents(instance_->handle());
}

void Device::on_loss() { keep_for_ever(shared_from_this()); }

Result<void> Device::check_alive() {
  if (is_lost()) return DeviceCore::check_alive();
  if (const auto loss = reports_.loss()) return std::unexpected(lose("nothing was asked of it: " + *loss));
  return {};
}

Result<void> Device::check_binding(uint64_t bytes) const {
  const DispatchLimits& limits = profile_.limits;
  const bool binding = limits.binding_bytes <= limits.buffer_bytes;
  const uint64_t allowed = binding ? limits.binding_bytes : limits.buffer_bytes;
  if (bytes <= allowed) return {};
  return std::unexpected(
      exceeded("webgpu", Span::none(), fmt::format("a buffer of {} bytes was", bytes),
               fmt::format("{} ({})", allowed, binding ? "maxStorageBufferBindingSize" : "maxBufferSize"),
               "dispatch in pieces, or use smaller buffers"));
}

Result<void> Device::await(WGPUFuture future, const std::atomic<bool>& done, const char* doing) {
  if (instance_->wait(future, done, timeout_)) return {};
  return std::unexpected(lose(fmt::format("{}: it did not answer within {} ms", doing, timeout_.count())));
}

}  // namespace vyre::backend::webgpu
