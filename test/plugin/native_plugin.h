// A plugin that is native but for what a test changes, through the C API of libvyre.
#pragma once

#include <vyre/vyre.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin.h"

namespace vyre::test {

/// What native refuses, by its first diagnostic. Takes the diagnostics.
Answer refusal(vyre_status status, vyre_diagnostics* diagnostics);

class NativePipeline : public vyre_plugin_pipeline {
 public:
  explicit NativePipeline(vyre_pipeline* native) : native_(native) {}
  NativePipeline(const NativePipeline&) = delete;
  NativePipeline& operator=(const NativePipeline&) = delete;
  ~NativePipeline() override { vyre_pipeline_free(native_); }
  Answer dispatch(std::span<const vyre_plugin_range> ranges, const uint32_t groups[3]) override;

 private:
  vyre_pipeline* const native_;
};

class NativeDevice : public vyre_plugin_device {
 public:
  NativeDevice() = default;
  NativeDevice(const NativeDevice&) = delete;
  NativeDevice& operator=(const NativeDevice&) = delete;
  ~NativeDevice() override { vyre_backend_free(native_); }
  /// Before anything else.
  Answer open();
  void limits(vyre_plugin_limits& out) const override;
  Answer compile(const vyre_plugin_program& program, std::unique_ptr<vyre_plugin_pipeline>& out) override;
  Answer allocate(uint64_t bytes, std::unique_ptr<vyre_plugin_buffer>& out) override;

 protected:
  vyre_backend_info info() const;
  /// What is compiled in the place of a program; nothing: the program itself.
  virtual std::optional<std::string> replace(const std::string&) const { return std::nullopt; }
  virtual std::unique_ptr<vyre_plugin_pipeline> make_pipeline(const vyre_plugin_program&,
                                                              const std::string& text, vyre_pipeline* native);
  virtual std::unique_ptr<HostMemory> make_memory(uint64_t bytes);

 private:
  vyre_backend* native_ = nullptr;
};

}  // namespace vyre::test
