// Plugins that are native but for one thing: of each program they replace a text by another before they
// compile it. What is judged before one of them has to find what that makes wrong.
//
//   librewriting.so   its argument is "THIS=>THAT", for the first THIS. A program without it is refused: it
//                     would test nothing.
//   libswapped.so     built with VYRE_SWAPPED: takes each % for /, and other programs as they are
#include <vyre/backend.h>
#include <vyre/vyre.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

struct vyre_plugin_device {
  vyre_backend* native;
  std::string from, to;
};
struct vyre_plugin_buffer {
  std::vector<unsigned char> memory;
};
struct vyre_plugin_pipeline {
  vyre_pipeline* native;
};

namespace {

#ifdef VYRE_SWAPPED
constexpr bool kEverywhere = true;
constexpr const char* kName = "swapped";
constexpr const char* kDriver = "native, with / for %";
const std::string kArgument = "%=>/";
#else
constexpr bool kEverywhere = false;
constexpr const char* kName = "rewriting";
constexpr const char* kDriver = "native, with one text for another";
const std::string kArgument;  // the caller's
#endif

vyre_plugin_status refuse(vyre_plugin_error* error, const char* what) {
  std::snprintf(error->message, sizeof error->message, "native refuses to %s", what);
  return VYRE_PLUGIN_FAULT;
}

vyre_plugin_status open(const char* argument, vyre_plugin_device** out, vyre_plugin_error* error) {
  vyre_backend* native = nullptr;
  vyre_diagnostics* wrong = nullptr;
  if (vyre_backend_open("native", 6, &native, &wrong) != VYRE_OK) {
    vyre_diagnostics_free(wrong);
    return refuse(error, "open");
  }
  const std::string text = kArgument.empty() ? argument : kArgument;
  const size_t arrow = text.find("=>");
  if (arrow == std::string::npos || arrow == 0) {
    vyre_backend_free(native);
    std::snprintf(error->message, sizeof error->message, "the argument is no THIS=>THAT");
    return VYRE_PLUGIN_UNAVAILABLE;
  }
  *out = new vyre_plugin_device{native, text.substr(0, arrow), text.substr(arrow + 2)};
  return VYRE_PLUGIN_OK;
}
void close(vyre_plugin_device* device) {
  vyre_backend_free(device->native);
  delete device;
}
void identity(vyre_plugin_device*, vyre_plugin_identity* out) {
  std::snprintf(out->name, sizeof out->name, "%s", kName);
  std::snprintf(out->device, sizeof out->device, "this CPU");
  std::snprintf(out->driver, sizeof out->driver, "%s", kDriver);
}
void limits(vyre_plugin_device*, vyre_plugin_limits* out) {
  out->max_workgroup_bytes = 1 << 20;
  out->max_buffer_bytes = 1 << 30;
  out->max_invocations_per_group = 1024;
}

/// The program's text with the one for the other; none where that is to occur and does not.
std::string rewritten(const vyre_plugin_device& device, const vyre_checked* checked) {
  vyre_blob* blob = nullptr;
  if (vyre_print(checked, &blob) != VYRE_OK) return {};
  const vyre_string view = vyre_blob_view(blob);
  std::string text(view.data, view.size);
  vyre_blob_free(blob);
  size_t at = text.find(device.from);
  if (at == std::string::npos && !kEverywhere) return {};
  while (at != std::string::npos) {
    text.replace(at, device.from.size(), device.to);
    at = kEverywhere ? text.find(device.from, at + device.to.size()) : std::string::npos;
  }
  return text;
}

vyre_plugin_status compile(vyre_plugin_device* device, const vyre_plugin_program* program,
                           vyre_plugin_pipeline** out, vyre_plugin_error* error) {
  vyre_program *decoded = nullptr, *parsed = nullptr;
  vyre_checked *right = nullptr, *wrong = nullptr;
  vyre_pipeline* native = nullptr;
  vyre_diagnostics* said = nullptr;
  vyre_status status = vyre_decode(program->wire, program->wire_size, &decoded, &said);
  if (status == VYRE_OK) status = vyre_check(decoded, &right, &said);
  if (status == VYRE_OK) {
    const std::string text = rewritten(*device, right);
    status = vyre_parse(text.data(), text.size(), &parsed, &said);
  }
  if (status == VYRE_OK) status = vyre_check(parsed, &wrong, &said);
  if (status == VYRE_OK) status = vyre_compile(device->native, wrong, &native, &said);
  vyre_diagnostics_free(said);
  vyre_checked_free(wrong);
  vyre_program_free(parsed);
  vyre_checked_free(right);
  vyre_program_free(decoded);
  if (status != VYRE_OK) return refuse(error, "compile");
  *out = new vyre_plugin_pipeline{native};
  return VYRE_PLUGIN_OK;
}
void free_pipeline(vyre_plugin_pipeline* pipeline) {
  vyre_pipeline_free(pipeline->native);
  delete pipeline;
}

vyre_plugin_status allocate(vyre_plugin_device*, uint64_t bytes, vyre_plugin_buffer** out,
                            vyre_plugin_error*) {
  *out = new vyre_plugin_buffer{std::vector<unsigned char>(size_t(bytes) + 1)};
  return VYRE_PLUGIN_OK;
}
void free_buffer(vyre_plugin_buffer* buffer) { delete buffer; }
vyre_plugin_status write(vyre_plugin_buffer* buffer, uint64_t offset, const void* from, uint64_t bytes,
                         uint64_t* done, vyre_plugin_error*) {
  std::memcpy(buffer->memory.data() + offset, from, size_t(bytes));
  *done = bytes;
  return VYRE_PLUGIN_OK;
}
vyre_plugin_status read(vyre_plugin_buffer* buffer, uint64_t offset, void* to, uint64_t bytes, uint64_t* done,
                        vyre_plugin_error*) {
  std::memcpy(to, buffer->memory.data() + offset, size_t(bytes));
  *done = bytes;
  return VYRE_PLUGIN_OK;
}
vyre_plugin_status fill(vyre_plugin_buffer* buffer, uint64_t offset, uint64_t bytes, uint8_t value,
                        vyre_plugin_error*) {
  std::memset(buffer->memory.data() + offset, value, size_t(bytes));
  return VYRE_PLUGIN_OK;
}

vyre_plugin_status dispatch(vyre_plugin_pipeline* pipeline, const vyre_plugin_range* ranges,
                            size_t range_count, const uint32_t groups[3], vyre_plugin_error* error) {
  std::vector<vyre_buffer> buffers;
  for (size_t k = 0; k < range_count; ++k)
    buffers.push_back({ranges[k].buffer->memory.data() + ranges[k].offset, size_t(ranges[k].bytes)});
  vyre_diagnostics* said = nullptr;
  const vyre_status status =
      vyre_dispatch(pipeline->native, buffers.data(), buffers.size(), groups[0], groups[1], groups[2], &said);
  vyre_diagnostics_free(said);
  return status == VYRE_OK ? VYRE_PLUGIN_OK : refuse(error, "dispatch");
}

constexpr vyre_plugin_api kApi = {
    .struct_size = sizeof(vyre_plugin_api),
    .open = open,
    .close = close,
    .identity = identity,
    .limits = limits,
    .has = nullptr,
    .compile = compile,
    .free_pipeline = free_pipeline,
    .allocate = allocate,
    .free_buffer = free_buffer,
    .write = write,
    .read = read,
    .fill = fill,
    .dispatch = dispatch,
};

}  // namespace

extern "C" {
const uint32_t vyre_backend_abi = VYRE_BACKEND_ABI;
const vyre_plugin_api* vyre_backend_entry(const vyre_plugin_host*) { return &kApi; }
}
