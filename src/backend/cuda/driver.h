// The CUDA driver, opened at run time.
//
// Neither building nor running vyre needs a CUDA toolkit: libcuda.so.1 comes with NVIDIA's driver and is
// looked up when the backend is opened. Types and numbers here are the driver's binary interface, written
// down from its public documentation; only what the backend calls is declared. Source: CUDA Driver API
// reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace vyre::backend::cuda {

/// B001.
Diag not_available(std::string message, std::string help);

using Status = int;  // CUresult
using DeviceHandle = int;
using DevicePointer = uint64_t;
struct ContextTag;
struct ModuleTag;
struct FunctionTag;
struct StreamTag;
struct EventTag;
struct LinkerTag;
using Context = ContextTag*;
using Module = ModuleTag*;
using Function = FunctionTag*;
using Stream = StreamTag*;
using Event = EventTag*;
using Linker = LinkerTag*;

// Of CUresult, those that mean something of their own here. Others are reported in the driver's words.
inline constexpr Status kSuccess = 0;
inline constexpr Status kOutOfMemory = 2;
inline constexpr Status kNoDevice = 100;
inline constexpr Status kNoPtxCompiler = 221;  // the library libnvidia-ptxjitcompiler.so.1 is missing
inline constexpr Status kPtxTooNew = 222;
inline constexpr Status kOutOfResources = 701;  // launch: threads, registers or shared memory

/// CUdevice_attribute.
enum class Attribute : int {
  MaxThreadsPerBlock = 1,
  WarpSize = 10,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MaxSharedBytesOptIn = 97,
};
/// CUfunction_attribute.
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
};
/// CUjit_option.
enum class JitOption : int { ErrorLog = 5, ErrorLogBytes = 6, Optimisation = 7 };
/// CUjitInputType.
enum class CodeKind : int { Ptx = 1 };
inline constexpr unsigned kNonBlockingStream = 1;
inline constexpr unsigned kEventWithoutTime = 2;

/// Every function of the driver that is called: VYRE_CUDA(name here, symbol, parameters).
#define VYRE_CUDA_FUNCTIONS(VYRE_CUDA)                                                                     \
  VYRE_CUDA(init, "cuInit", (unsigned flags))                                                              \
  VYRE_CUDA(device_count, "cuDeviceGetCount", (int* count))                                                \
  VYRE_CUDA(device, "cuDeviceGet", (DeviceHandle * device, int ordinal))                                   \
  VYRE_CUDA(device_name, "cuDeviceGetName", (char* name, int length, DeviceHandle device))                 \
  VYRE_CUDA(device_attribute, "cuDeviceGetAttribute",                                                      \
            (int* value, Attribute attribute, DeviceHandle device))                                        \
  VYRE_CUDA(device_memory, "cuDeviceTotalMem_v2", (size_t* bytes, DeviceHandle device))                    \
  VYRE_CUDA(retain_context, "cuDevicePrimaryCtxRetain", (Context * context, DeviceHandle device))          \
  VYRE_CUDA(release_context, "cuDevicePrimaryCtxRelease_v2", (DeviceHandle device))                        \
  VYRE_CUDA(set_context, "cuCtxSetCurrent", (Context context))                                             \
  VYRE_CUDA(load_module, "cuModuleLoadData", (Module * module, const void* image))                         \
  VYRE_CUDA(unload_module, "cuModuleUnload", (Module module))                                              \
  VYRE_CUDA(function, "cuModuleGetFunction", (Function * function, Module module, const char* name))       \
  VYRE_CUDA(function_attribute, "cuFuncGetAttribute",                                                      \
            (int* value, FunctionAttribute attribute, Function function))                                  \
  VYRE_CUDA(set_function_attribute, "cuFuncSetAttribute",                                                  \
            (Function function, FunctionAttribute attribute, int value))                                   \
  VYRE_CUDA(allocate, "cuMemAlloc_v2", (DevicePointer * address, size_t bytes))                            \
  VYRE_CUDA(release, "cuMemFree_v2", (DevicePointer address))                                              \
  VYRE_CUDA(memory_info, "cuMemGetInfo_v2", (size_t* left, size_t* total))                                 \
  VYRE_CUDA(allocate_pinned, "cuMemHostAlloc", (void** address, size_t bytes, unsigned flags))             \
  VYRE_CUDA(release_pinned, "cuMemFreeHost", (void* address))                                              \
  VYRE_CUDA(copy_in, "cuMemcpyHtoDAsync_v2",                                                               \
            (DevicePointer to, const void* from, size_t bytes, Stream stream))                             \
  VYRE_CUDA(copy_out, "cuMemcpyDtoHAsync_v2", (void* to, DevicePointer from, size_t bytes, Stream stream)) \
  VYRE_CUDA(fill, "cuMemsetD8Async", (DevicePointer at, unsigned char byte, size_t count, Stream stream))  \
  VYRE_CUDA(make_stream, "cuStreamCreate", (Stream * stream, unsigned flags))                              \
  VYRE_CUDA(release_stream, "cuStreamDestroy_v2", (Stream stream))                                         \
  VYRE_CUDA(wait, "cuStreamSynchronize", (Stream stream))                                                  \
  VYRE_CUDA(make_event, "cuEventCreate", (Event * event, unsigned flags))                                  \
  VYRE_CUDA(release_event, "cuEventDestroy_v2", (Event event))                                             \
  VYRE_CUDA(record_event, "cuEventRecord", (Event event, Stream stream))                                   \
  VYRE_CUDA(wait_event, "cuEventSynchronize", (Event event))                                               \
  VYRE_CUDA(make_linker, "cuLinkCreate_v2",                                                                \
            (unsigned options, JitOption* names, void** values, Linker* linker))                           \
  VYRE_CUDA(add_code, "cuLinkAddData_v2",                                                                  \
            (Linker linker, CodeKind kind, void* data, size_t bytes, const char* name, unsigned options,   \
             JitOption* names, void** values))                                                             \
  VYRE_CUDA(finish_linking, "cuLinkComplete", (Linker linker, void** binary, size_t* bytes))               \
  VYRE_CUDA(release_linker, "cuLinkDestroy", (Linker linker))                                              \
  VYRE_CUDA(launch, "cuLaunchKernel",                                                                      \
            (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,       \
             unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream, void** arguments,   \
             void** extra))                                                                                \
  VYRE_CUDA(error_name, "cuGetErrorName", (Status status, const char** name))                              \
  VYRE_CUDA(error_text, "cuGetErrorString", (Status status, const char** text))

struct GraphTag;
struct GraphNodeTag;
struct GraphExecTag;
using Graph = GraphTag*;
using GraphNode = GraphNodeTag*;
using GraphExec = GraphExecTag*;
using ConditionalHandle = uint64_t;

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNode {
  Function function = nullptr;
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  Context context = nullptr;
};
/// CUDA_MEMSET_NODE_PARAMS.
struct MemsetNode {
  DevicePointer to = 0;
  size_t pitch = 0;
  unsigned value = 0;
  unsigned element_bytes = 1;
  size_t width = 0;  // in elements
  size_t height = 1;
};
/// CUgraphNodeParams of a conditional node: 256 bytes, of which the rest is zero.
struct ConditionalNode {
  int type = 13;  // CU_GRAPH_NODE_TYPE_CONDITIONAL
  int reserved[3] = {};
  ConditionalHandle handle = 0;
  int condition = 1;  // CU_GRAPH_COND_TYPE_WHILE
  unsigned size = 1;
  Graph* bodies = nullptr;  // the driver's; set when the node is added
  Context context = nullptr;
  std::byte rest[256 - 48] = {};
};
static_assert(sizeof(ConditionalNode) == 256);
inline constexpr unsigned kAssignDefault = 1;  // CU_GRAPH_COND_ASSIGN_DEFAULT

/// Functions that a driver may lack: graphs, and their conditional nodes since CUDA 12.4.
#define VYRE_CUDA_GRAPH_FUNCTIONS(VYRE_CUDA)                                                                 \
  VYRE_CUDA(make_graph, "cuGraphCreate", (Graph * graph, unsigned flags))                                    \
  VYRE_CUDA(release_graph, "cuGraphDestroy", (Graph graph))                                                  \
  VYRE_CUDA(add_kernel, "cuGraphAddKernelNode_v2",                                                           \
            (GraphNode * node, Graph graph, const GraphNode* after, size_t count, const KernelNode* kernel)) \
  VYRE_CUDA(add_memset, "cuGraphAddMemsetNode",                                                              \
            (GraphNode * node, Graph graph, const GraphNode* after, size_t count, const MemsetNode* memset,  \
             Context context))                                                                               \
  VYRE_CUDA(instantiate, "cuGraphInstantiateWithFlags",                                                      \
            (GraphExec * exec, Graph graph, unsigned long long flags))                                       \
  VYRE_CUDA(launch_graph, "cuGraphLaunch", (GraphExec exec, Stream stream))                                  \
  VYRE_CUDA(release_exec, "cuGraphExecDestroy", (GraphExec exec))
#define VYRE_CUDA_CONDITIONAL_FUNCTIONS(VYRE_CUDA)                                                      \
  VYRE_CUDA(make_conditional, "cuGraphConditionalHandleCreate",                                         \
            (ConditionalHandle * handle, Graph graph, Context context, unsigned value, unsigned flags)) \
  VYRE_CUDA(add_conditional, "cuGraphAddNode",                                                          \
            (GraphNode * node, Graph graph, const GraphNode* after, size_t count, ConditionalNode* params))

/// A version of CUDA as the driver writes it: 1000 * major + 10 * minor. "12.8"
std::string cuda_version(int version);

/// The driver's functions. A copy costs nothing; the library stays open until the process ends, since a
/// driver does not survive being closed.
struct Driver {
#define VYRE_CUDA(name, symbol, parameters) Status(*name) parameters = nullptr;
  VYRE_CUDA_FUNCTIONS(VYRE_CUDA)
  VYRE_CUDA_GRAPH_FUNCTIONS(VYRE_CUDA)
  VYRE_CUDA_CONDITIONAL_FUNCTIONS(VYRE_CUDA)
#undef VYRE_CUDA
  bool has_graphs = false;
  bool has_conditionals = false;
  int version = 0;  // of the CUDA that the driver speaks

  /// "CUDA_ERROR_OUT_OF_MEMORY: out of memory"
  std::string describe(Status status) const;
  /// Whether a status says that the context can do nothing any more, whatever is asked next.
  static bool is_lost(Status status);
};

/// Opens the driver: of this file, or if that is empty of VYRE_CUDA_LIB, or if there is none of libcuda.so.1.
/// Errors  B001 naming what is missing: the library, a function of it, a newer version, a device.
Result<Driver> open_driver(const std::string& library);

}  // namespace vyre::backend::cuda
