// libfault.so: the backend ABI around native, with one fault (faults.h).
//
// The mode is the plugin's argument, or, when that is empty, the environment variable VYRE_FAULT. All right
// answers come from native through the C API of libvyre, so what remains is the fault.
#include <stdlib.h>
#include <string.h>
#include <vyre/backend.h>
#include <vyre/vyre.h>

#include <memory>
#include <new>
#include <string>

#include "faults.h"

using vyre::faults::Mode;
namespace faults = vyre::faults;

struct vyre_plugin_device {
  vyre_backend* native = nullptr;
  Mode mode = Mode::None;
  bool lost = false;
  faults::Memory memory;
  faults::LateWriter late;
};

struct vyre_plugin_pipeline {
  vyre_plugin_device* device = nullptr;
  vyre_pipeline* native = nullptr;
  bool chosen = false;  // applies the chosen operation, element by element
};

struct vyre_plugin_buffer {
  vyre_plugin_device* device = nullptr;
  uint8_t* data = nullptr;
  uint64_t bytes = 0;
  /// Where the trigger's result lies: what reading it does wrong.
  std::optional<uint64_t> trigger;
};

namespace {

constexpr uint64_t kAlignment = 256;  // of a range

vyre_plugin_status refuse(vyre_plugin_error* error, vyre_plugin_status status, std::string_view message,
                          std::string_view help) {
  const auto copy = [](char* to, size_t room, std::string_view from) {
    const size_t n = std::min(from.size(), room - 1);
    memcpy(to, from.data(), n);
    to[n] = 0;
  };
  copy(error->message, sizeof error->message, message);
  copy(error->help, sizeof error->help, help);
  return status;
}

/// What native refuses is passed on by its first diagnostic.
vyre_plugin_status refuse(vyre_plugin_error* error, vyre_status status, vyre_diagnostics* diagnostics) {
  vyre_diagnostic first = {};
  first.struct_size = sizeof first;
  vyre_plugin_status out = VYRE_PLUGIN_FAULT;
  if (vyre_diagnostics_get(diagnostics, 0, &first) == VYRE_OK) {
    const std::string_view code(first.code.data, first.code.size);
    if (code == "B002") out = VYRE_PLUGIN_UNSUPPORTED;
    if (code == "B003" || code == "B007") out = VYRE_PLUGIN_RESOURCE_EXCEEDED;
    refuse(error, out, {first.message.data, first.message.size}, {first.help.data, first.help.size});
  } else {
    const vyre_string text = vyre_status_text(status);
    refuse(error, out, {text.data, text.size}, "");
  }
  vyre_diagnostics_free(diagnostics);
  return out;
}

vyre_plugin_status lost(vyre_plugin_error* error) {
  return refuse(error, VYRE_PLUGIN_DEVICE_LOST, "the device is lost", "open it again");
}

vyre_plugin_status open_device(const char* argument, vyre_plugin_device** out, vyre_plugin_error* error) {
  const char* const variable = getenv("VYRE_FAULT");
  std::string_view text = argument;
  if (text.empty()) text = variable != nullptr ? variable : "none";
  const auto mode = faults::find_mode(text);
  if (!mode) {
    std::string modes;
    for (const faults::ModeInfo& m : faults::kModes)
      modes += (modes.empty() ? "" : " ") + std::string(m.text);
    return refuse(error, VYRE_PLUGIN_UNAVAILABLE, "there is no fault \"" + std::string(text) + "\"",
                  "one of: " + modes);
  }
  auto device = std::make_unique<vyre_plugin_device>();
  device->mode = *mode;
  vyre_diagnostics* wrong = nullptr;
  const vyre_status status = vyre_backend_open("native", 6, &device->native, &wrong);
  if (status != VYRE_OK) return refuse(error, status, wrong);
  *out = device.release();
  return VYRE_PLUGIN_OK;
}

void close_device(vyre_plugin_device* device) {
  vyre_backend_free(device->native);
  delete device;
}

vyre_backend_info info_of(const vyre_plugin_device* device) {
  vyre_backend_info info = {};
  info.struct_size = sizeof info;
  (void)vyre_backend_get_info(device->native, &info);
  return info;
}

void identity(vyre_plugin_device* device, vyre_plugin_identity* out) {
  const vyre_backend_info info = info_of(device);
  const std::string_view mode = faults::kModes[size_t(device->mode)].text;
  snprintf(out->name, sizeof out->name, "fault");
  snprintf(out->device, sizeof out->device, "native with the fault \"%.*s\"", int(mode.size()), mode.data());
  snprintf(out->driver, sizeof out->driver, "%.*s", int(info.driver.size), info.driver.data);
}

void limits(vyre_plugin_device* device, vyre_plugin_limits* out) {
  const vyre_backend_info info = info_of(device);
  out->max_workgroup_bytes = info.max_workgroup_bytes;
  out->max_buffer_bytes = info.max_buffer_bytes;
  out->max_invocations_per_group = info.max_invocations_per_group;
  out->subgroup_size = device->mode == Mode::FalseClaim ? 32 : 0;
}

int has(vyre_plugin_device* device, const char* id, uint32_t) {
  return device->mode == Mode::FalseClaim && strncmp(id, "subgroup.", 9) == 0;
}

/// Whether the program reads two buffers of u32, writes a third and calls the chosen operation: the shape in
/// which operations are judged.
bool applies_chosen(const vyre_plugin_program* program, const vyre_checked* checked) {
  if (program->binding_count != 3) return false;
  constexpr uint32_t kAccess[] = {VYRE_PLUGIN_READ, VYRE_PLUGIN_READ, VYRE_PLUGIN_READ_WRITE};
  for (size_t k = 0; k < 3; ++k) {
    const vyre_plugin_binding& binding = program->bindings[k];
    if (binding.access != kAccess[k] || binding.element_bytes != 4) return false;
  }
  vyre_blob* text = nullptr;
  if (vyre_print(checked, &text) != VYRE_OK) return false;
  const vyre_string view = vyre_blob_view(text);
  const std::string call = std::string(faults::kOperation) + "(";
  const bool found = std::string_view(view.data, view.size).find(call) != std::string_view::npos;
  vyre_blob_free(text);
  return found;
}

vyre_plugin_status compile(vyre_plugin_device* device, const vyre_plugin_program* program,
                           vyre_plugin_pipeline** out, vyre_plugin_error* error) {
  if (device->lost) return lost(error);
  const uint64_t invocations =
      uint64_t{program->workgroup_size[0]} * program->workgroup_size[1] * program->workgroup_size[2];
  const uint32_t claimed = info_of(device).max_invocations_per_group;
  const uint32_t allowed = device->mode == Mode::FalseWorkgroup ? claimed / 2 : claimed;
  if (invocations > allowed) {
    return refuse(error, VYRE_PLUGIN_RESOURCE_EXCEEDED,
                  "the workgroup has " + std::to_string(invocations) + " invocations, and " +
                      std::to_string(allowed) + " are allowed",
                  "make the workgroup smaller");
  }
  vyre_diagnostics* wrong = nullptr;
  vyre_program* decoded = nullptr;
  vyre_checked* checked = nullptr;
  vyre_pipeline* native = nullptr;
  vyre_status status = vyre_decode(program->wire, program->wire_size, &decoded, &wrong);
  if (status == VYRE_OK) status = vyre_check(decoded, &checked, &wrong);
  if (status == VYRE_OK) status = vyre_compile(device->native, checked, &native, &wrong);
  vyre_plugin_status answer = VYRE_PLUGIN_OK;
  if (status == VYRE_OK) {
    *out = new vyre_plugin_pipeline{device, native, applies_chosen(program, checked)};
  } else {
    answer = refuse(error, status, wrong);
  }
  vyre_checked_free(checked);
  vyre_program_free(decoded);
  return answer;
}

void free_pipeline(vyre_plugin_pipeline* pipeline) {
  vyre_pipeline_free(pipeline->native);
  delete pipeline;
}

vyre_plugin_status allocate(vyre_plugin_device* device, uint64_t bytes, vyre_plugin_buffer** out,
                            vyre_plugin_error* error) {
  if (device->lost) return lost(error);
  void* const data = ::operator new(bytes + 1, std::align_val_t{kAlignment}, std::nothrow);
  if (data == nullptr) {
    return refuse(error, VYRE_PLUGIN_RESOURCE_EXCEEDED, "no memory for " + std::to_string(bytes) + " bytes",
                  "use smaller buffers");
  }
  *out = new vyre_plugin_buffer{device, static_cast<uint8_t*>(data), bytes, {}};
  return VYRE_PLUGIN_OK;
}

void free_buffer(vyre_plugin_buffer* buffer) {
  ::operator delete(buffer->data, std::align_val_t{kAlignment});
  delete buffer;
}

vyre_plugin_status write_buffer(vyre_plugin_buffer* buffer, uint64_t offset, const void* from, uint64_t bytes,
                                uint64_t* done, vyre_plugin_error* error) {
  if (buffer->device->lost) return lost(error);
  if (bytes != 0) memcpy(buffer->data + offset, from, bytes);
  buffer->trigger.reset();
  *done = bytes;
  return VYRE_PLUGIN_OK;
}

vyre_plugin_status read_buffer(vyre_plugin_buffer* buffer, uint64_t offset, void* to, uint64_t bytes,
                               uint64_t* done, vyre_plugin_error* error) {
  vyre_plugin_device& device = *buffer->device;
  if (device.lost) return lost(error);
  if (bytes != 0) memcpy(to, buffer->data + offset, bytes);
  *done = bytes;
  if (!buffer->trigger || *buffer->trigger < offset || *buffer->trigger + 4 > offset + bytes)
    return VYRE_PLUGIN_OK;
  if (device.mode == Mode::WrongSize) *done = bytes / 2;
  if (device.mode == Mode::LateWrite) {
    auto* const result = static_cast<uint8_t*>(to) + (*buffer->trigger - offset);
    device.late.write(reinterpret_cast<uint32_t*>(result), 0xbadbad00);
  }
  return VYRE_PLUGIN_OK;
}

vyre_plugin_status fill_buffer(vyre_plugin_buffer* buffer, uint64_t offset, uint64_t bytes, uint8_t value,
                               vyre_plugin_error* error) {
  if (buffer->device->lost) return lost(error);
  if (bytes != 0) memset(buffer->data + offset, value, bytes);
  buffer->trigger.reset();
  return VYRE_PLUGIN_OK;
}

std::span<uint32_t> words_of(const vyre_plugin_range& range) {
  return {reinterpret_cast<uint32_t*>(range.buffer->data + range.offset), size_t(range.bytes / 4)};
}

vyre_plugin_status dispatch(vyre_plugin_pipeline* pipeline, const vyre_plugin_range* ranges,
                            size_t range_count, const uint32_t groups[3], vyre_plugin_error* error) {
  vyre_plugin_device& device = *pipeline->device;
  if (device.lost) return lost(error);
  faults::Cases cases;
  std::vector<uint32_t> before;
  if (pipeline->chosen) {
    cases = {words_of(ranges[0]), words_of(ranges[1]), words_of(ranges[2])};
    // A dispatch over columns of different lengths is not one of cases.
    if (cases.b.size() != cases.a.size() || cases.out.size() < cases.a.size()) cases = {};
    before.assign(cases.out.begin(), cases.out.end());
    switch (faults::before_dispatch(device.mode, cases)) {
      case faults::Before::Run: break;
      case faults::Before::LoseDevice: device.lost = true; return lost(error);
      case faults::Before::RefuseMemory:
        return refuse(
            error, VYRE_PLUGIN_RESOURCE_EXCEEDED,
            "a dispatch over " + std::to_string(cases.a.size()) + " elements wants more than there is",
            "dispatch fewer at a time");
    }
  }
  std::vector<vyre_buffer> buffers;
  for (size_t k = 0; k < range_count; ++k)
    buffers.push_back({ranges[k].buffer->data + ranges[k].offset, size_t(ranges[k].bytes)});
  vyre_diagnostics* wrong = nullptr;
  const vyre_status status = vyre_dispatch(pipeline->native, buffers.data(), buffers.size(), groups[0],
                                           groups[1], groups[2], &wrong);
  if (status != VYRE_OK) return refuse(error, status, wrong);
  if (cases.a.empty()) return VYRE_PLUGIN_OK;
  faults::after_dispatch(device.mode, device.memory, cases, before);
  if (const auto trigger = faults::find_trigger(cases))
    ranges[2].buffer->trigger = ranges[2].offset + *trigger * 4;
  return VYRE_PLUGIN_OK;
}

constexpr vyre_plugin_api kApi = {
    .struct_size = sizeof(vyre_plugin_api),
    .open = open_device,
    .close = close_device,
    .identity = identity,
    .limits = limits,
    .has = has,
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
