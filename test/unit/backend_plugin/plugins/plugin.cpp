// A plugin that can do one thing, out[i] = in[i] + 1 for the bindings (in, out), and many things wrongly: by
// its argument, or by how it was compiled.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <thread>

#include "log.h"

extern "C" {
extern VYRE_PLUGIN_EXPORT Log vyre_test_log;
}
Log vyre_test_log;

struct vyre_plugin_device {
  std::string mode;
  uint64_t memory = 4096;  // with the mode "memory"
};
struct vyre_plugin_pipeline {
  vyre_plugin_device* device;
};
struct vyre_plugin_buffer {
  vyre_plugin_device* device;
  std::vector<uint8_t> bytes;
};

namespace {

Log& seen = vyre_test_log;
const vyre_plugin_host* host = nullptr;
vyre_plugin_program kept{};

class Call {
 public:
  Call() {
    if (++seen.inside > 1) ++seen.overlaps;
  }
  Call(const Call&) = delete;
  ~Call() { --seen.inside; }
};

/// Modes are "CALL=STATUS" among others: that call answers that number.
vyre_plugin_status asked(const vyre_plugin_device& device, std::string_view call, vyre_plugin_error* error) {
  const std::string_view mode = device.mode;
  if (!mode.starts_with(std::string(call) + "=")) return VYRE_PLUGIN_OK;
  std::snprintf(error->message, sizeof error->message, "as was asked for");
  std::snprintf(error->help, sizeof error->help, "ask for something else");
  return std::atoi(device.mode.c_str() + call.size() + 1);
}

vyre_plugin_status open(const char* argument, vyre_plugin_device** out, vyre_plugin_error* error) {
  seen.argument = argument;
  const std::string_view mode = argument;
  if (mode == "no device") return VYRE_PLUGIN_OK;
  if (mode == "rude") {
    std::memset(error->message, 'x', sizeof error->message);
    std::memset(error->help, '\x1b', sizeof error->help);
    return VYRE_PLUGIN_UNAVAILABLE;
  }
  if (mode == "silent") return VYRE_PLUGIN_UNAVAILABLE;
  auto* const device = new vyre_plugin_device{argument};
  if (const vyre_plugin_status status = asked(*device, "open", error); status != VYRE_PLUGIN_OK) {
    delete device;
    return status;
  }
  ++seen.opened;
  *out = device;
  return VYRE_PLUGIN_OK;
}

void close(vyre_plugin_device* device) {
  ++seen.closed;
  delete device;
}

void identity(vyre_plugin_device* device, vyre_plugin_identity* out) {
  if (device->mode == "nameless") return;
  if (device->mode == "endless") {
    std::memset(out->name, 'n', sizeof out->name);
    std::memset(out->device, 'd', sizeof out->device);
    std::memset(out->driver, '\x7', sizeof out->driver);
    return;
  }
  std::snprintf(out->name, sizeof out->name, "%s", device->mode == "impostor" ? "native" : "plusone");
  std::snprintf(out->device, sizeof out->device, "a vector \xc3\xa9");
  std::snprintf(out->driver, sizeof out->driver, "none");
  if (device->mode.starts_with("kind=")) out->kind = uint32_t(std::atoi(device->mode.c_str() + 5));
}

void limits(vyre_plugin_device* device, vyre_plugin_limits* out) {
  if (device->mode == "unlimited") return;  // says nothing
  out->max_invocations_per_group = 64;
  out->max_workgroup_bytes = 128;
  out->max_buffer_bytes = 1 << 20;
  if (device->mode.starts_with("lanes=")) out->subgroup_size = uint32_t(std::atoi(device->mode.c_str() + 6));
  if (device->mode == "compile=2") out->subgroup_size = 8;
}

/// Has ballots in the modes that want them.
int has(vyre_plugin_device* device, const char* id, uint32_t version) {
  const bool ballots = device->mode.starts_with("lanes=") || device->mode == "compile=2";
  return ballots && version == 1 && std::strcmp(id, "subgroup.ballot") == 0 ? 1 : 0;
}

void take_texts(const vyre_plugin_program* program) {
  seen.texts.clear();
  for (vyre_form form = 0; form < 9; ++form) {
    vyre_plugin_text text{};
    text.struct_size = sizeof text;
    vyre_plugin_error error{};
    error.struct_size = sizeof error;
    const vyre_plugin_status status = host->lower(program, form, &text, &error);
    const bool good = status == VYRE_PLUGIN_OK;
    // Whole only if the size and the null agree.
    const bool binary = form == VYRE_FORM_SPIRV;
    const bool whole = good && (binary ? text.data[text.size] == 0 : std::strlen(text.data) == text.size);
    seen.texts[form] = {status, whole ? std::string(text.data, text.size) : "", text.entry, error.message,
                        text.scratch_bytes};
    host->free_text(&text);
  }
}

vyre_plugin_status compile(vyre_plugin_device* device, const vyre_plugin_program* program,
                           vyre_plugin_pipeline** out, vyre_plugin_error* error) {
  const Call call;
  if (const vyre_plugin_status status = asked(*device, "compile", error); status != VYRE_PLUGIN_OK)
    return status;
  if (device->mode == "no pipeline") return VYRE_PLUGIN_OK;
  if (device->mode == "unknown form") {
    vyre_plugin_text text{};
    text.struct_size = sizeof text;
    return host->lower(program, 7, &text, error);
  }
  if (device->mode == "forms") take_texts(program);
  if (device->mode == "late") {
    vyre_plugin_text text{};
    text.struct_size = sizeof text;
    if (kept.handle != nullptr) seen.late = host->lower(&kept, VYRE_FORM_KERNEL, &text, error);
    kept = *program;
  }
  seen.bindings.assign(program->bindings, program->bindings + program->binding_count);
  seen.wire.assign(program->wire, program->wire + program->wire_size);
  seen.digest.assign(program->digest, program->digest + 32);
  seen.workgroup_bytes = program->workgroup_bytes;
  seen.workgroup_size.assign(program->workgroup_size, program->workgroup_size + 3);
  ++seen.pipelines;
  *out = new vyre_plugin_pipeline{device};
  return VYRE_PLUGIN_OK;
}

void free_pipeline(vyre_plugin_pipeline* pipeline) {
  ++seen.pipelines_freed;
  delete pipeline;
}

vyre_plugin_status allocate(vyre_plugin_device* device, uint64_t bytes, vyre_plugin_buffer** out,
                            vyre_plugin_error* error) {
  const Call call;
  if (const vyre_plugin_status status = asked(*device, "allocate", error); status != VYRE_PLUGIN_OK)
    return status;
  if (device->mode == "no buffer") return VYRE_PLUGIN_OK;
  if (device->mode == "memory") {
    if (bytes > device->memory) return VYRE_PLUGIN_RESOURCE_EXCEEDED;
    device->memory -= bytes;
  }
  ++seen.buffers;
  seen.allocated.push_back(bytes);
  *out = new vyre_plugin_buffer{device, std::vector<uint8_t>(bytes, 0xcd)};
  return VYRE_PLUGIN_OK;
}

void free_buffer(vyre_plugin_buffer* buffer) {
  ++seen.buffers_freed;
  buffer->device->memory += buffer->bytes.size();
  delete buffer;
}

vyre_plugin_status write(vyre_plugin_buffer* buffer, uint64_t offset, const void* from, uint64_t bytes,
                         uint64_t* done, vyre_plugin_error* error) {
  const Call call;
  if (const vyre_plugin_status status = asked(*buffer->device, "write", error); status != VYRE_PLUGIN_OK)
    return status;
  ++seen.writes;
  std::memcpy(buffer->bytes.data() + offset, from, bytes);
  *done = buffer->device->mode == "short write" ? bytes - 1 : bytes;
  return VYRE_PLUGIN_OK;
}

vyre_plugin_status read(vyre_plugin_buffer* buffer, uint64_t offset, void* to, uint64_t bytes, uint64_t* done,
                        vyre_plugin_error* error) {
  const Call call;
  if (const vyre_plugin_status status = asked(*buffer->device, "read", error); status != VYRE_PLUGIN_OK)
    return status;
  ++seen.reads;
  std::memcpy(to, buffer->bytes.data() + offset, bytes);
  if (buffer->device->mode != "short read") *done = bytes;  // else it forgets to say
  return VYRE_PLUGIN_OK;
}

vyre_plugin_status fill(vyre_plugin_buffer* buffer, uint64_t offset, uint64_t bytes, uint8_t value,
                        vyre_plugin_error* error) {
  const Call call;
  if (const vyre_plugin_status status = asked(*buffer->device, "fill", error); status != VYRE_PLUGIN_OK)
    return status;
  ++seen.fills;
  std::fill_n(buffer->bytes.begin() + ptrdiff_t(offset), bytes, value);
  return VYRE_PLUGIN_OK;
}

void plus_one(const vyre_plugin_range* ranges, size_t range_count, const uint32_t groups[3]) {
  seen.ranges.assign(ranges, ranges + range_count);
  seen.groups.assign(groups, groups + 3);
  const uint64_t count = std::min(ranges[0].count, ranges[1].count);
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, ranges[0].buffer->bytes.data() + ranges[0].offset + 4 * i, 4);
    ++word;
    std::memcpy(ranges[1].buffer->bytes.data() + ranges[1].offset + 4 * i, &word, 4);
  }
}

vyre_plugin_status dispatch(vyre_plugin_pipeline* pipeline, const vyre_plugin_range* ranges,
                            size_t range_count, const uint32_t groups[3], vyre_plugin_error* error) {
  const Call call;
  if (pipeline->device->mode == "slow") {
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
  }
  if (const vyre_plugin_status status = asked(*pipeline->device, "dispatch", error); status != VYRE_PLUGIN_OK)
    return status;
  ++seen.dispatches;
  plus_one(ranges, range_count, groups);
  return VYRE_PLUGIN_OK;
}

/// False: the statements did not suffice.
bool run(std::span<const vyre_plugin_command> commands, uint64_t& statements, vyre_plugin_taken* taken) {
  for (size_t i = 0; i < commands.size(); ++i) {
    const vyre_plugin_command& command = commands[i];
    uint8_t* const data = command.ranges[0].buffer->bytes.data() + command.ranges[0].offset;
    if (command.kind == VYRE_PLUGIN_COMMAND_DISPATCH)
      plus_one(command.ranges, command.range_count, command.groups);
    if (command.kind == VYRE_PLUGIN_COMMAND_ZERO) std::fill_n(data, command.ranges[0].bytes, uint8_t{0});
    if (command.kind != VYRE_PLUGIN_COMMAND_REPEAT) continue;
    const auto body = commands.subspan(i + 1, command.count);
    vyre_plugin_taken& own = *taken++;
    uint32_t word = 1;
    for (uint32_t turn = 0; turn < command.turns && word != 0; ++turn) {
      ++own.turns;
      if (statements < command.statements) return false;
      statements -= command.statements;
      if (!run(body, statements, taken)) return false;
      word = 0;
      if (command.word != VYRE_PLUGIN_NO_WORD) std::memcpy(&word, data + command.word, 4);
    }
    own.unfinished += word != 0 ? 1 : 0;
    taken += std::ranges::count(body, uint32_t{VYRE_PLUGIN_COMMAND_REPEAT}, &vyre_plugin_command::kind);
    i += command.count;
  }
  return true;
}

vyre_plugin_status dispatch_engine(vyre_plugin_device* device, const vyre_plugin_command* commands,
                                   size_t command_count, uint64_t statements, vyre_plugin_taken* taken,
                                   vyre_plugin_error* error) {
  const Call call;
  if (const vyre_plugin_status status = asked(*device, "dispatch_engine", error); status != VYRE_PLUGIN_OK)
    return status;
  ++seen.engines;
  seen.commands.assign(commands, commands + command_count);
  if (device->mode == "no turns") return VYRE_PLUGIN_OK;
  run({commands, command_count}, statements, taken);
  if (device->mode == "too many turns") taken[0].turns += 1'000;
  if (device->mode == "too often unfinished") taken[0].unfinished += 1'000;
  return VYRE_PLUGIN_OK;
}

/// Modes are "convention=N".
uint32_t convention(vyre_plugin_device* device) {
  constexpr std::string_view kMode = "convention=";
  return device->mode.starts_with(kMode) ? uint32_t(std::atoi(device->mode.c_str() + kMode.size())) : 1;
}

[[maybe_unused]] vyre_plugin_api table() {
  vyre_plugin_api api{sizeof(vyre_plugin_api),
                      open,
                      close,
                      identity,
                      limits,
                      has,
                      compile,
                      free_pipeline,
                      allocate,
                      free_buffer,
                      write,
                      read,
                      fill,
                      dispatch,
                      convention,
                      dispatch_engine};
#ifdef VYRE_TEST_HOLE
  api.fill = nullptr;
#endif
#ifdef VYRE_TEST_SHORT_TABLE
  api.struct_size = offsetof(vyre_plugin_api, dispatch);
#endif
#ifdef VYRE_TEST_FIRST_TABLE
  api.struct_size = offsetof(vyre_plugin_api, convention);
#endif
#ifdef VYRE_TEST_SECOND_TABLE
  api.struct_size = offsetof(vyre_plugin_api, dispatch_engine);
#endif
#ifdef VYRE_TEST_NO_ENGINES
  api.dispatch_engine = nullptr;
#endif
  return api;
}

}  // namespace

#ifdef VYRE_TEST_OLDER
const uint32_t vyre_backend_abi = VYRE_BACKEND_ABI - 1;
#elif defined(VYRE_TEST_NEWER)
const uint32_t vyre_backend_abi = VYRE_BACKEND_ABI + 1;
#elif !defined(VYRE_TEST_NO_ABI)
const uint32_t vyre_backend_abi = VYRE_BACKEND_ABI;
#endif

#ifndef VYRE_TEST_NO_ENTRY
const vyre_plugin_api* vyre_backend_entry(const vyre_plugin_host* given) {
  host = given;
#ifdef VYRE_TEST_REFUSES
  return nullptr;
#else
  static const vyre_plugin_api api = table();
  return &api;
#endif
}
#endif
