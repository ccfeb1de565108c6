#include "plugin_entry.h"

#include <vyre/backend.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "check/checked.h"
#include "ops/operation.h"
#include "wire/wire.h"

namespace backend = vyre::backend;

struct vyre_plugin_device {
  std::unique_ptr<backend::Backend> backend;
};
struct vyre_plugin_pipeline {
  std::unique_ptr<backend::Pipeline> run;
};
struct vyre_plugin_buffer {
  std::unique_ptr<backend::DeviceBuffer> memory;
};

namespace {

template <size_t n>
void put(char (&to)[n], std::string_view from) {
  const size_t count = std::min(from.size(), n - 1);
  std::memcpy(to, from.data(), count);
  to[count] = 0;
}
vyre_plugin_status status_of(vyre::DiagCode code) {
  if (code == vyre::DiagCode::B001) return VYRE_PLUGIN_UNAVAILABLE;
  if (code == vyre::DiagCode::B002) return VYRE_PLUGIN_UNSUPPORTED;
  if (code == vyre::DiagCode::B003) return VYRE_PLUGIN_RESOURCE_EXCEEDED;
  return VYRE_PLUGIN_FAULT;
}
vyre_plugin_status refuse(vyre_plugin_error* error, const vyre::Diag& diag) {
  put(error->message, diag.message);
  put(error->help, diag.help);
  return status_of(diag.code);
}
vyre_plugin_status answer(const vyre::Result<void>& done, vyre_plugin_error* error) {
  return done ? VYRE_PLUGIN_OK : refuse(error, done.error());
}

vyre_plugin_status open_device(const char* argument, vyre_plugin_device** out, vyre_plugin_error* error) {
  auto opened = vyre::faults::open_faulty(argument);
  if (!opened) return refuse(error, opened.error());
  *out = new vyre_plugin_device{std::move(*opened)};
  return VYRE_PLUGIN_OK;
}
void close_device(vyre_plugin_device* device) { delete device; }

void identity(vyre_plugin_device* device, vyre_plugin_identity* out) {
  const backend::Identity is = device->backend->identity();
  put(out->name, is.name);
  put(out->device, is.device);
  put(out->driver, is.driver);
}
void limits(vyre_plugin_device* device, vyre_plugin_limits* out) {
  const backend::Limits has = device->backend->limits();
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
  auto pipeline = device->backend->compile(*checked);
  if (!pipeline) return refuse(error, pipeline.error());
  *out = new vyre_plugin_pipeline{std::move(*pipeline)};
  return VYRE_PLUGIN_OK;
}
void free_pipeline(vyre_plugin_pipeline* pipeline) { delete pipeline; }

vyre_plugin_status allocate(vyre_plugin_device* device, uint64_t bytes, vyre_plugin_buffer** out,
                            vyre_plugin_error* error) {
  auto memory = device->backend->allocate(bytes);
  if (!memory) return refuse(error, memory.error());
  *out = new vyre_plugin_buffer{std::move(*memory)};
  return VYRE_PLUGIN_OK;
}
void free_buffer(vyre_plugin_buffer* buffer) { delete buffer; }
vyre_plugin_status write_buffer(vyre_plugin_buffer* buffer, uint64_t offset, const void* from, uint64_t bytes,
                                uint64_t* done, vyre_plugin_error* error) {
  *done = bytes;
  return answer(buffer->memory->write(offset, {static_cast<const std::byte*>(from), size_t(bytes)}), error);
}
vyre_plugin_status read_buffer(vyre_plugin_buffer* buffer, uint64_t offset, void* to, uint64_t bytes,
                               uint64_t* done, vyre_plugin_error* error) {
  *done = bytes;
  return answer(buffer->memory->read(offset, {static_cast<std::byte*>(to), size_t(bytes)}), error);
}
vyre_plugin_status fill_buffer(vyre_plugin_buffer* buffer, uint64_t offset, uint64_t bytes, uint8_t value,
                               vyre_plugin_error* error) {
  return answer(buffer->memory->fill(offset, bytes, std::byte{value}), error);
}

vyre_plugin_status dispatch(vyre_plugin_pipeline* pipeline, const vyre_plugin_range* ranges, size_t count,
                            const uint32_t groups[3], vyre_plugin_error* error) {
  std::vector<backend::DeviceRange> bound;
  for (size_t k = 0; k < count; ++k)
    bound.push_back({ranges[k].buffer->memory.get(), ranges[k].offset, ranges[k].bytes});
  return answer(pipeline->run->dispatch_resident(bound, {groups[0], groups[1], groups[2]}), error);
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
