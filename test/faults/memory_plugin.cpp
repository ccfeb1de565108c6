// libforgetful.so: the backend of memory_faults.h behind the backend ABI, so that the commands can be pointed
// at it:
//   vyre-conform certify --backend libforgetful.so?AddNotAtomic
// The argument is a name of memory_faults.def, or None.
#include <vyre/backend.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/checked.h"
#include "memory_faults.h"
#include "ops/operation.h"
#include "wire/wire.h"

namespace faults = vyre::faults;

struct vyre_plugin_device {
  faults::Forgetful backend;
  explicit vyre_plugin_device(faults::MemoryFault fault) : backend(fault) {}
};
struct vyre_plugin_pipeline {
  std::unique_ptr<vyre::backend::Pipeline> run;
};
struct vyre_plugin_buffer {
  std::vector<uint64_t> words;  // aligned for every element
  std::byte* data() { return reinterpret_cast<std::byte*>(words.data()); }
};

namespace {

template <size_t n>
void put(char (&to)[n], std::string_view from) {
  const size_t count = std::min(from.size(), n - 1);
  std::memcpy(to, from.data(), count);
  to[count] = 0;
}
vyre_plugin_status refuse(vyre_plugin_error* error, vyre_plugin_status status, std::string_view message,
                          std::string_view help) {
  put(error->message, message);
  put(error->help, help);
  return status;
}
vyre_plugin_status refuse(vyre_plugin_error* error, const vyre::Diag& diag) {
  const bool unsupported = diag.code == vyre::DiagCode::B002;
  return refuse(error, unsupported ? VYRE_PLUGIN_UNSUPPORTED : VYRE_PLUGIN_FAULT, diag.message, diag.help);
}

std::optional<faults::MemoryFault> find(std::string_view name) {
  if (name.empty() || name == "None") return faults::MemoryFault::None;
  for (const faults::MemoryFaultInfo& info : faults::kMemoryFaults)
    if (info.name == name) return info.fault;
  return std::nullopt;
}

vyre_plugin_status open_device(const char* argument, vyre_plugin_device** out, vyre_plugin_error* error) {
  const auto fault = find(argument);
  if (!fault) {
    std::string names = "None";
    for (const faults::MemoryFaultInfo& info : faults::kMemoryFaults) names += " " + std::string(info.name);
    return refuse(error, VYRE_PLUGIN_UNAVAILABLE, "there is no such fault of memory", "one of: " + names);
  }
  *out = new vyre_plugin_device(*fault);
  return VYRE_PLUGIN_OK;
}
void close_device(vyre_plugin_device* device) { delete device; }

void identity(vyre_plugin_device* device, vyre_plugin_identity* out) {
  const vyre::backend::Identity is = device->backend.identity();
  put(out->name, is.name);
  put(out->device, is.device);
  put(out->driver, is.driver);
}
void limits(vyre_plugin_device* device, vyre_plugin_limits* out) {
  const vyre::backend::Limits has = device->backend.limits();
  out->max_workgroup_bytes = has.max_workgroup_bytes;
  out->max_buffer_bytes = has.max_buffer_bytes;
  out->max_invocations_per_group = has.max_invocations_per_group;
  out->subgroup_size = 0;
}

vyre_plugin_status compile(vyre_plugin_device* device, const vyre_plugin_program* program,
                           vyre_plugin_pipeline** out, vyre_plugin_error* error) {
  auto decoded = vyre::wire::decode(std::as_bytes(std::span(program->wire, program->wire_size)));
  if (!decoded) return refuse(error, decoded.error());
  const auto checked = vyre::check::check(std::move(*decoded), vyre::ops::op_table());
  if (!checked) return refuse(error, checked.error().front());
  auto pipeline = device->backend.compile(*checked);
  if (!pipeline) return refuse(error, pipeline.error());
  *out = new vyre_plugin_pipeline{std::move(*pipeline)};
  return VYRE_PLUGIN_OK;
}
void free_pipeline(vyre_plugin_pipeline* pipeline) { delete pipeline; }

vyre_plugin_status allocate(vyre_plugin_device*, uint64_t bytes, vyre_plugin_buffer** out,
                            vyre_plugin_error*) {
  *out = new vyre_plugin_buffer{std::vector<uint64_t>(bytes / 8 + 1)};
  return VYRE_PLUGIN_OK;
}
void free_buffer(vyre_plugin_buffer* buffer) { delete buffer; }
vyre_plugin_status write_buffer(vyre_plugin_buffer* buffer, uint64_t offset, const void* from, uint64_t bytes,
                                uint64_t* done, vyre_plugin_error*) {
  if (bytes != 0) std::memcpy(buffer->data() + offset, from, bytes);
  *done = bytes;
  return VYRE_PLUGIN_OK;
}
vyre_plugin_status read_buffer(vyre_plugin_buffer* buffer, uint64_t offset, void* to, uint64_t bytes,
                               uint64_t* done, vyre_plugin_error*) {
  if (bytes != 0) std::memcpy(to, buffer->data() + offset, bytes);
  *done = bytes;
  return VYRE_PLUGIN_OK;
}
vyre_plugin_status fill_buffer(vyre_plugin_buffer* buffer, uint64_t offset, uint64_t bytes, uint8_t value,
                               vyre_plugin_error*) {
  if (bytes != 0) std::memset(buffer->data() + offset, value, bytes);
  return VYRE_PLUGIN_OK;
}

vyre_plugin_status dispatch(vyre_plugin_pipeline* pipeline, const vyre_plugin_range* ranges, size_t count,
                            const uint32_t groups[3], vyre_plugin_error* error) {
  std::vector<std::span<std::byte>> host;
  for (size_t k = 0; k < count; ++k)
    host.emplace_back(ranges[k].buffer->data() + ranges[k].offset, size_t(ranges[k].bytes));
  const auto done = pipeline->run->dispatch(host, {groups[0], groups[1], groups[2]});
  return done ? VYRE_PLUGIN_OK : refuse(error, done.error());
}

constexpr vyre_plugin_api kApi = {
    .struct_size = sizeof(vyre_plugin_api),
    .open = open_device,
    .close = close_device,
    .identity = identity,
    .limits = limits,
    .has = nullptr,
    .compile = compile,
    .free_pipeline = free_pipeline,
    .allocate = allocate,
    .free_buffer = free_buffer,
    .write = write_buffer,
    .read = read_buffer,
    .fill = fill_buffer,
    .dispatch = dispatch,
};

}  // namespace

extern "C" {
const uint32_t vyre_backend_abi = VYRE_BACKEND_ABI;
const vyre_plugin_api* vyre_backend_entry(const vyre_plugin_host*) { return &kApi; }
}
