// The C interface of WebGPU, as far as it is called here.
//
// No distribution packages webgpu.h, and its implementations ship copies of different ages, so this is our
// own declaration of it: the types, numbers and functions that the backend uses, with the names of the
// published header. Everything in it has been the same in every implementation since the interface took
// WGPUStringView and callback infos (early in 2025). What changed after that is avoided:
// WGPUBindGroupLayoutEntry (layouts come from pipelines), the callback of wgpuQueueOnSubmittedWorkDone (a
// mapping tells that work is done), and WGPULimits and WGPUInstanceDescriptor are recognised before they are
// used (limits.h, api.h). Source: webgpu-headers, "webgpu.h"; W3C WebGPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vyre::backend::webgpu {

using WGPUBool = uint32_t;
using WGPUFlags = uint64_t;

using WGPUInstance = struct WGPUInstanceImpl*;
using WGPUAdapter = struct WGPUAdapterImpl*;
using WGPUDevice = struct WGPUDeviceImpl*;
using WGPUQueue = struct WGPUQueueImpl*;
using WGPUBuffer = struct WGPUBufferImpl*;
using WGPUShaderModule = struct WGPUShaderModuleImpl*;
using WGPUPipelineLayout = struct WGPUPipelineLayoutImpl*;
using WGPUComputePipeline = struct WGPUComputePipelineImpl*;
using WGPUBindGroupLayout = struct WGPUBindGroupLayoutImpl*;
using WGPUBindGroup = struct WGPUBindGroupImpl*;
using WGPUCommandEncoder = struct WGPUCommandEncoderImpl*;
using WGPUComputePassEncoder = struct WGPUComputePassEncoderImpl*;
using WGPUCommandBuffer = struct WGPUCommandBufferImpl*;
using WGPUSampler = struct WGPUSamplerImpl*;
using WGPUTextureView = struct WGPUTextureViewImpl*;
using WGPUSurface = struct WGPUSurfaceImpl*;

inline constexpr size_t WGPU_STRLEN = SIZE_MAX;
inline constexpr uint64_t WGPU_WHOLE_SIZE = UINT64_MAX;

/// Not terminated; {null, WGPU_STRLEN} is no string, {text, WGPU_STRLEN} one that ends with a zero.
struct WGPUStringView {
  const char* data = nullptr;
  size_t length = WGPU_STRLEN;
};
struct WGPUChainedStruct {
  WGPUChainedStruct* next = nullptr;
  uint32_t sType = 0;
};
inline constexpr uint32_t WGPUSType_ShaderSourceWGSL = 2;

struct WGPUFuture {
  uint64_t id = 0;
};
struct WGPUFutureWaitInfo {
  WGPUFuture future;
  WGPUBool completed = 0;
};

/// All answers have these numbers: 1 is success.
enum WGPURequestStatus : uint32_t { WGPURequestStatus_Success = 1 };
enum WGPUStatus : uint32_t { WGPUStatus_Success = 1, WGPUStatus_Error = 2 };
enum WGPUWaitStatus : uint32_t {
  WGPUWaitStatus_Success = 1,
  WGPUWaitStatus_TimedOut = 2,
  WGPUWaitStatus_Error = 3
};
enum WGPUCallbackMode : uint32_t {
  WGPUCallbackMode_WaitAnyOnly = 1,
  WGPUCallbackMode_AllowProcessEvents = 2,
  WGPUCallbackMode_AllowSpontaneous = 3
};
enum WGPUFeatureLevel : uint32_t { WGPUFeatureLevel_Compatibility = 1, WGPUFeatureLevel_Core = 2 };
enum WGPUBackendType : uint32_t {
  WGPUBackendType_Undefined = 0,
  WGPUBackendType_Null = 1,
  WGPUBackendType_Vulkan = 6
};
inline constexpr uint32_t WGPUPowerPreference_HighPerformance = 2;
enum WGPUAdapterType : uint32_t {
  WGPUAdapterType_DiscreteGPU = 1,
  WGPUAdapterType_IntegratedGPU = 2,
  WGPUAdapterType_CPU = 3,
  WGPUAdapterType_Unknown = 4
};
enum WGPUErrorFilter : uint32_t {
  WGPUErrorFilter_Validation = 1,
  WGPUErrorFilter_OutOfMemory = 2,
  WGPUErrorFilter_Internal = 3
};
enum WGPUErrorType : uint32_t {
  WGPUErrorType_NoError = 1,
  WGPUErrorType_Validation = 2,
  WGPUErrorType_OutOfMemory = 3,
  WGPUErrorType_Internal = 4,
  WGPUErrorType_Unknown = 5
};
enum WGPUDeviceLostReason : uint32_t {
  WGPUDeviceLostReason_Unknown = 1,
  WGPUDeviceLostReason_Destroyed = 2,
  WGPUDeviceLostReason_CallbackCancelled = 3,
  WGPUDeviceLostReason_FailedCreation = 4
};

inline constexpr WGPUFlags WGPUBufferUsage_MapRead = 0x1;
inline constexpr WGPUFlags WGPUBufferUsage_CopySrc = 0x4;
inline constexpr WGPUFlags WGPUBufferUsage_CopyDst = 0x8;
inline constexpr WGPUFlags WGPUBufferUsage_Uniform = 0x40;
inline constexpr WGPUFlags WGPUBufferUsage_Storage = 0x80;
inline constexpr WGPUFlags WGPUMapMode_Read = 0x1;

// Callbacks, and how they are asked for.

using WGPURequestAdapterCallback = void (*)(WGPURequestStatus status, WGPUAdapter adapter,
                                            WGPUStringView message, void* userdata1, void* userdata2);
using WGPURequestDeviceCallback = void (*)(WGPURequestStatus status, WGPUDevice device,
                                           WGPUStringView message, void* userdata1, void* userdata2);
using WGPUBufferMapCallback = void (*)(WGPURequestStatus status, WGPUStringView message, void* userdata1,
                                       void* userdata2);
using WGPUPopErrorScopeCallback = void (*)(WGPURequestStatus status, WGPUErrorType type,
                                           WGPUStringView message, void* userdata1, void* userdata2);
using WGPUCreateComputePipelineAsyncCallback = void (*)(WGPURequestStatus status,
                                                        WGPUComputePipeline pipeline, WGPUStringView message,
                                                        void* userdata1, void* userdata2);
using WGPUDeviceLostCallback = void (*)(WGPUDevice const* device, WGPUDeviceLostReason reason,
                                        WGPUStringView message, void* userdata1, void* userdata2);
using WGPUUncapturedErrorCallback = void (*)(WGPUDevice const* device, WGPUErrorType type,
                                             WGPUStringView message, void* userdata1, void* userdata2);

template <typename Callback>
struct CallbackInfo {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUCallbackMode mode = WGPUCallbackMode_AllowProcessEvents;
  Callback callback = nullptr;
  void* userdata1 = nullptr;
  void* userdata2 = nullptr;
};
using WGPURequestAdapterCallbackInfo = CallbackInfo<WGPURequestAdapterCallback>;
using WGPURequestDeviceCallbackInfo = CallbackInfo<WGPURequestDeviceCallback>;
using WGPUBufferMapCallbackInfo = CallbackInfo<WGPUBufferMapCallback>;
using WGPUPopErrorScopeCallbackInfo = CallbackInfo<WGPUPopErrorScopeCallback>;
using WGPUCreateComputePipelineAsyncCallbackInfo = CallbackInfo<WGPUCreateComputePipelineAsyncCallback>;
using WGPUDeviceLostCallbackInfo = CallbackInfo<WGPUDeviceLostCallback>;
struct WGPUUncapturedErrorCallbackInfo {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUUncapturedErrorCallback callback = nullptr;
  void* userdata1 = nullptr;
  void* userdata2 = nullptr;
};

// Descriptors.

/// Two layouts of one size are in use; which one a library has is known by what it exports (api.h). Earlier:
/// what an instance can do stands inside. Later: features and limits, as of a device.
struct WGPUInstanceDescriptorEarlier {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUChainedStruct* capabilitiesNextInChain = nullptr;
  WGPUBool timedWaitAnyEnable = 0;
  size_t timedWaitAnyMaxCount = 0;
};
struct WGPUInstanceDescriptorLater {
  WGPUChainedStruct* nextInChain = nullptr;
  size_t requiredFeatureCount = 0;
  const uint32_t* requiredFeatures = nullptr;
  const void* requiredLimits = nullptr;
};
inline constexpr uint32_t WGPUInstanceFeatureName_TimedWaitAny = 1;

struct WGPURequestAdapterOptions {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUFeatureLevel featureLevel = WGPUFeatureLevel_Core;
  uint32_t powerPreference = 0;
  WGPUBool forceFallbackAdapter = 0;
  WGPUBackendType backendType = WGPUBackendType_Undefined;
  WGPUSurface compatibleSurface = nullptr;
};

/// Written by the library, which may know more members than these; they find room behind.
struct WGPUAdapterInfo {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUStringView vendor;
  WGPUStringView architecture;
  WGPUStringView device;
  WGPUStringView description;
  WGPUBackendType backendType = WGPUBackendType_Undefined;
  WGPUAdapterType adapterType{};
  uint32_t vendorID = 0;
  uint32_t deviceID = 0;
  uint64_t room[16] = {};
};

struct WGPUQueueDescriptor {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUStringView label;
};
struct WGPUDeviceDescriptor {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUStringView label;
  size_t requiredFeatureCount = 0;
  const uint32_t* requiredFeatures = nullptr;
  const void* requiredLimits = nullptr;  // limits.h
  WGPUQueueDescriptor defaultQueue;
  WGPUDeviceLostCallbackInfo deviceLostCallbackInfo;
  WGPUUncapturedErrorCallbackInfo uncapturedErrorCallbackInfo;
};
struct WGPUBufferDescriptor {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUStringView label;
  WGPUFlags usage = 0;
  uint64_t size = 0;
  WGPUBool mappedAtCreation = 0;
};
struct WGPUShaderSourceWGSL {
  WGPUChainedStruct chain = {nullptr, WGPUSType_ShaderSourceWGSL};
  WGPUStringView code;
};
struct WGPUShaderModuleDescriptor {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUStringView label;
};
struct WGPUComputeState {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUShaderModule module = nullptr;
  WGPUStringView entryPoint;
  size_t constantCount = 0;
  const void* constants = nullptr;
};
struct WGPUComputePipelineDescriptor {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUStringView label;
  WGPUPipelineLayout layout = nullptr;
  WGPUComputeState compute;
};
struct WGPUBindGroupEntry {
  WGPUChainedStruct* nextInChain = nullptr;
  uint32_t binding = 0;
  WGPUBuffer buffer = nullptr;
  uint64_t offset = 0;
  uint64_t size = WGPU_WHOLE_SIZE;
  WGPUSampler sampler = nullptr;
  WGPUTextureView textureView = nullptr;
};
struct WGPUBindGroupDescriptor {
  WGPUChainedStruct* nextInChain = nullptr;
  WGPUStringView label;
  WGPUBindGroupLayout layout = nullptr;
  size_t entryCount = 0;
  const WGPUBindGroupEntry* entries = nullptr;
};

/// Every function that is called: name, result, parameters. A library that lacks one is refused.
#define VYRE_WEBGPU_FUNCTIONS(VYRE_WEBGPU)                                                                   \
  VYRE_WEBGPU(CreateInstance, WGPUInstance, (const void* descriptor))                                        \
  VYRE_WEBGPU(InstanceRequestAdapter, WGPUFuture,                                                            \
              (WGPUInstance, const WGPURequestAdapterOptions*, WGPURequestAdapterCallbackInfo))              \
  VYRE_WEBGPU(InstanceProcessEvents, void, (WGPUInstance))                                                   \
  VYRE_WEBGPU(InstanceWaitAny, WGPUWaitStatus,                                                               \
              (WGPUInstance, size_t count, WGPUFutureWaitInfo*, uint64_t nanoseconds))                       \
  VYRE_WEBGPU(InstanceRelease, void, (WGPUInstance))                                                         \
  VYRE_WEBGPU(AdapterGetInfo, WGPUStatus, (WGPUAdapter, WGPUAdapterInfo*))                                   \
  VYRE_WEBGPU(AdapterInfoFreeMembers, void, (WGPUAdapterInfo))                                               \
  VYRE_WEBGPU(AdapterGetLimits, WGPUStatus, (WGPUAdapter, void* limits))                                     \
  VYRE_WEBGPU(AdapterRequestDevice, WGPUFuture,                                                              \
              (WGPUAdapter, const WGPUDeviceDescriptor*, WGPURequestDeviceCallbackInfo))                     \
  VYRE_WEBGPU(AdapterRelease, void, (WGPUAdapter))                                                           \
  VYRE_WEBGPU(DeviceGetQueue, WGPUQueue, (WGPUDevice))                                                       \
  VYRE_WEBGPU(DeviceGetLimits, WGPUStatus, (WGPUDevice, void* limits))                                       \
  VYRE_WEBGPU(DevicePushErrorScope, void, (WGPUDevice, WGPUErrorFilter))                                     \
  VYRE_WEBGPU(DevicePopErrorScope, WGPUFuture, (WGPUDevice, WGPUPopErrorScopeCallbackInfo))                  \
  VYRE_WEBGPU(DeviceCreateBuffer, WGPUBuffer, (WGPUDevice, const WGPUBufferDescriptor*))                     \
  VYRE_WEBGPU(DeviceCreateShaderModule, WGPUShaderModule, (WGPUDevice, const WGPUShaderModuleDescriptor*))   \
  VYRE_WEBGPU(                                                                                               \
      DeviceCreateComputePipelineAsync, WGPUFuture,                                                          \
      (WGPUDevice, const WGPUComputePipelineDescriptor*, WGPUCreateComputePipelineAsyncCallbackInfo))        \
  VYRE_WEBGPU(DeviceCreateComputePipeline, WGPUComputePipeline,                                              \
              (WGPUDevice, const WGPUComputePipelineDescriptor*))                                            \
  VYRE_WEBGPU(DeviceCreateBindGroup, WGPUBindGroup, (WGPUDevice, const WGPUBindGroupDescriptor*))            \
  VYRE_WEBGPU(DeviceCreateCommandEncoder, WGPUCommandEncoder, (WGPUDevice, const void* descriptor))          \
  VYRE_WEBGPU(DeviceRelease, void, (WGPUDevice))                                                             \
  VYRE_WEBGPU(ShaderModuleRelease, void, (WGPUShaderModule))                                                 \
  VYRE_WEBGPU(ComputePipelineGetBindGroupLayout, WGPUBindGroupLayout, (WGPUComputePipeline, uint32_t group)) \
  VYRE_WEBGPU(ComputePipelineRelease, void, (WGPUComputePipeline))                                           \
  VYRE_WEBGPU(BindGroupLayoutRelease, void, (WGPUBindGroupLayout))                                           \
  VYRE_WEBGPU(BindGroupRelease, void, (WGPUBindGroup))                                                       \
  VYRE_WEBGPU(CommandEncoderBeginComputePass, WGPUComputePassEncoder,                                        \
              (WGPUCommandEncoder, const void* descriptor))                                                  \
  VYRE_WEBGPU(                                                                                               \
      CommandEncoderCopyBufferToBuffer, void,                                                                \
      (WGPUCommandEncoder, WGPUBuffer from, uint64_t at, WGPUBuffer to, uint64_t there, uint64_t size))      \
  VYRE_WEBGPU(CommandEncoderClearBuffer, void, (WGPUCommandEncoder, WGPUBuffer, uint64_t at, uint64_t size)) \
  VYRE_WEBGPU(CommandEncoderFinish, WGPUCommandBuffer, (WGPUCommandEncoder, const void* descriptor))         \
  VYRE_WEBGPU(CommandEncoderRelease, void, (WGPUCommandEncoder))                                             \
  VYRE_WEBGPU(CommandBufferRelease, void, (WGPUCommandBuffer))                                               \
  VYRE_WEBGPU(ComputePassEncoderSetPipeline, void, (WGPUComputePassEncoder, WGPUComputePipeline))            \
  VYRE_WEBGPU(ComputePassEncoderSetBindGroup, void,                                                          \
              (WGPUComputePassEncoder, uint32_t group, WGPUBindGroup, size_t offsets, const uint32_t*))      \
  VYRE_WEBGPU(ComputePassEncoderDispatchWorkgroups, void,                                                    \
              (WGPUComputePassEncoder, uint32_t x, uint32_t y, uint32_t z))                                  \
  VYRE_WEBGPU(ComputePassEncoderEnd, void, (WGPUComputePassEncoder))                                         \
  VYRE_WEBGPU(ComputePassEncoderRelease, void, (WGPUComputePassEncoder))                                     \
  VYRE_WEBGPU(QueueWriteBuffer, void, (WGPUQueue, WGPUBuffer, uint64_t at, const void* data, size_t size))   \
  VYRE_WEBGPU(QueueSubmit, void, (WGPUQueue, size_t count, const WGPUCommandBuffer*))                        \
  VYRE_WEBGPU(QueueRelease, void, (WGPUQueue))                                                               \
  VYRE_WEBGPU(BufferMapAsync, WGPUFuture,                                                                    \
              (WGPUBuffer, WGPUFlags mode, size_t at, size_t size, WGPUBufferMapCallbackInfo))               \
  VYRE_WEBGPU(BufferGetConstMappedRange, const void*, (WGPUBuffer, size_t at, size_t size))                  \
  VYRE_WEBGPU(BufferUnmap, void, (WGPUBuffer))                                                               \
  VYRE_WEBGPU(BufferRelease, void, (WGPUBuffer))

}  // namespace vyre::backend::webgpu
