// A plugin's device and its buffers: the calls of the interface, one at a time, each answer checked.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "vyre/backend.h"

namespace vyre::backend {

class PluginBuffer;

/// An open device. Everything that was made on it holds it, so it is closed last.
///
/// Errors of all  what the plugin answers; B012 when an answer breaks the interface.
/// Thread         any; calls into the plugin wait for one another.
class PluginDevice : public std::enable_shared_from_this<PluginDevice> {
 public:
  /// path: for messages, until the plugin has said its name.
  static Result<std::shared_ptr<PluginDevice>> open(const std::string& path, const vyre_plugin_api& api,
                                                    const std::string& argument);
  PluginDevice(const PluginDevice&) = delete;
  PluginDevice& operator=(const PluginDevice&) = delete;
  ~PluginDevice();

  const Identity& identity() const { return identity_; }
  const Limits& limits() const { return limits_; }
  bool has(spec::Intrinsic intrinsic);
  /// The newest convention that it knows; 1 where it says nothing.
  uint32_t convention();

  Result<vyre_plugin_pipeline*> compile(const vyre_plugin_program& program);
  void free(vyre_plugin_pipeline* pipeline);
  Result<void> dispatch(vyre_plugin_pipeline* pipeline, std::span<const vyre_plugin_range> ranges,
                        layout::Groups groups);
  bool has_engines() const { return api_.dispatch_engine != nullptr; }
  /// Errors: also B012 for counts of turns that cannot be.
  Result<void> dispatch_engine(std::span<const vyre_plugin_command> commands, std::span<Taken> taken,
                               uint64_t statements);

  Result<std::unique_ptr<PluginBuffer>> allocate(uint64_t bytes);
  void free(vyre_plugin_buffer* buffer);
  Result<void> write(vyre_plugin_buffer* buffer, uint64_t offset, std::span<const std::byte> from);
  Result<void> read(vyre_plugin_buffer* buffer, uint64_t offset, std::span<std::byte> to);
  Result<void> fill(vyre_plugin_buffer* buffer, uint64_t offset, uint64_t bytes, std::byte value);

 private:
  PluginDevice(const vyre_plugin_api& api, vyre_plugin_device* device) : api_(api), device_(device) {}
  Result<void> ask(const std::string& path);
  Diag failed(std::string_view call, vyre_plugin_status status, const vyre_plugin_error& error) const;
  Result<void> check_moved(std::string_view call, uint64_t done, uint64_t bytes) const;

  const vyre_plugin_api api_;
  vyre_plugin_device* const device_;
  std::mutex mutex_;
  Identity identity_;
  Limits limits_;
};

class PluginBuffer final : public DeviceBuffer {
 public:
  PluginBuffer(std::shared_ptr<PluginDevice> device, vyre_plugin_buffer* handle, uint64_t bytes)
      : device_(std::move(device)), handle_(handle), bytes_(bytes) {}
  PluginBuffer(const PluginBuffer&) = delete;
  PluginBuffer& operator=(const PluginBuffer&) = delete;
  ~PluginBuffer() override { device_->free(handle_); }

  uint64_t bytes() const override { return bytes_; }
  Result<void> write(uint64_t offset, std::span<const std::byte> from) override;
  Result<void> read(uint64_t offset, std::span<std::byte> to) override;
  Result<void> fill(uint64_t offset, uint64_t count, std::byte value) override;

  const PluginDevice& device() const { return *device_; }
  vyre_plugin_buffer* handle() const { return handle_; }

 private:
  const std::shared_ptr<PluginDevice> device_;
  vyre_plugin_buffer* const handle_;
  const uint64_t bytes_;
};

/// Buffers between two dispatches over host memory, so that the next finds them and allocates nothing.
/// Thread  any.
class BufferPool {
 public:
  explicit BufferPool(std::shared_ptr<PluginDevice> device) : device_(std::move(device)) {}
  /// One of at least this many bytes, contents unspecified. Errors: B003, when it is not for what lies here.
  Result<std::unique_ptr<PluginBuffer>> take(uint64_t bytes);
  void give_back(std::vector<std::unique_ptr<PluginBuffer>> buffers);

 private:
  const std::shared_ptr<PluginDevice> device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PluginBuffer>> idle_;  // the one that was used last is last
};

}  // namespace vyre::backend
