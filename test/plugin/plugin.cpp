#include "plugin.h"

#include <cstring>

namespace vyre::test {

Answer HostMemory::write(uint64_t offset, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(data_ + offset, from.data(), from.size());
  return {};
}
Answer HostMemory::read(uint64_t offset, std::span<std::byte> to, uint64_t&) {
  if (!to.empty()) std::memcpy(to.data(), data_ + offset, to.size());
  return {};
}
Answer HostMemory::fill(uint64_t offset, uint64_t bytes, std::byte value) {
  if (bytes != 0) std::memset(data_ + offset, int(value), size_t(bytes));
  return {};
}

namespace {

vyre_plugin_status give(const Answer& answer, vyre_plugin_error* error) {
  if (!answer.done()) {
    put(error->message, answer.message);
    put(error->help, answer.help);
  }
  return answer.status;
}

/// The same of a call that makes something.
template <typename T, typename Make>
vyre_plugin_status give(T** out, vyre_plugin_error* error, Make&& make) {
  std::unique_ptr<T> made;
  const Answer answer = make(made);
  if (answer.done()) *out = made.release();
  return give(answer, error);
}

constexpr vyre_plugin_api kApi = {
    .struct_size = sizeof(vyre_plugin_api),
    .open =
        [](const char* argument, vyre_plugin_device** out, vyre_plugin_error* error) {
          return give(out, error, [&](auto& made) { return open_plugin(argument, made); });
        },
    .close = [](vyre_plugin_device* device) { delete device; },
    .identity = [](vyre_plugin_device* device, vyre_plugin_identity* out) { device->identity(*out); },
    .limits = [](vyre_plugin_device* device, vyre_plugin_limits* out) { device->limits(*out); },
    .has = [](vyre_plugin_device* device, const char* id, uint32_t) -> int { return device->has(id); },
    .compile =
        [](vyre_plugin_device* device, const vyre_plugin_program* program, vyre_plugin_pipeline** out,
           vyre_plugin_error* error) {
          return give(out, error, [&](auto& made) { return device->compile(*program, made); });
        },
    .free_pipeline = [](vyre_plugin_pipeline* pipeline) { delete pipeline; },
    .allocate =
        [](vyre_plugin_device* device, uint64_t bytes, vyre_plugin_buffer** out, vyre_plugin_error* error) {
          return give(out, error, [&](auto& made) { return device->allocate(bytes, made); });
        },
    .free_buffer = [](vyre_plugin_buffer* buffer) { delete buffer; },
    .write =
        [](vyre_plugin_buffer* buffer, uint64_t offset, const void* from, uint64_t bytes, uint64_t* done,
           vyre_plugin_error* error) {
          *done = bytes;
          return give(buffer->write(offset, {static_cast<const std::byte*>(from), size_t(bytes)}), error);
        },
    .read =
        [](vyre_plugin_buffer* buffer, uint64_t offset, void* to, uint64_t bytes, uint64_t* done,
           vyre_plugin_error* error) {
          *done = bytes;
          return give(buffer->read(offset, {static_cast<std::byte*>(to), size_t(bytes)}, *done), error);
        },
    .fill =
        [](vyre_plugin_buffer* buffer, uint64_t offset, uint64_t bytes, uint8_t value,
           vyre_plugin_error* error) { return give(buffer->fill(offset, bytes, std::byte{value}), error); },
    .dispatch =
        [](vyre_plugin_pipeline* pipeline, const vyre_plugin_range* ranges, size_t count,
           const uint32_t groups[3],
           vyre_plugin_error* error) { return give(pipeline->dispatch({ranges, count}, groups), error); },
    .convention = nullptr,
    .dispatch_engine = nullptr,
};

}  // namespace
}  // namespace vyre::test

extern "C" {
const uint32_t vyre_backend_abi = VYRE_BACKEND_ABI;
const vyre_plugin_api* vyre_backend_entry(const vyre_plugin_host*) { return &vyre::test::kApi; }
}
