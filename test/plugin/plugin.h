// What a backend from outside is made of, for the tests that need one: a device, its programs and its memory
// as classes, and vyre/backend.h over them (plugin.cpp).
//
// Like a stranger's plugin this knows nothing of vyre but that header. A plugin derives what it does, defines
// open_plugin(), and is built together with plugin.cpp: vyre_add_plugin() in CMake.
#pragma once

#include <vyre/backend.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>

namespace vyre::test {

/// What a call answers: that it is done, or why it is not.
struct Answer {
  vyre_plugin_status status = VYRE_PLUGIN_OK;
  std::string message = {};
  std::string help = {};
  bool done() const { return status == VYRE_PLUGIN_OK; }
};

/// As much of a text as there is room for.
template <size_t n>
void put(char (&to)[n], std::string_view from) {
  to[from.copy(to, n - 1)] = '\0';
}

}  // namespace vyre::test

struct vyre_plugin_buffer {
  virtual ~vyre_plugin_buffer() = default;
  virtual vyre::test::Answer write(uint64_t offset, std::span<const std::byte> from) = 0;
  /// `count`: the bytes that it says it gave; all that were asked for, if it leaves it alone.
  virtual vyre::test::Answer read(uint64_t offset, std::span<std::byte> to, uint64_t& count) = 0;
  virtual vyre::test::Answer fill(uint64_t offset, uint64_t bytes, std::byte value) = 0;
};

struct vyre_plugin_pipeline {
  virtual ~vyre_plugin_pipeline() = default;
  virtual vyre::test::Answer dispatch(std::span<const vyre_plugin_range> ranges,
                                      const uint32_t groups[3]) = 0;
};

struct vyre_plugin_device {
  virtual ~vyre_plugin_device() = default;
  virtual void identity(vyre_plugin_identity& out) const = 0;
  virtual void limits(vyre_plugin_limits& out) const = 0;
  virtual bool has(std::string_view) const { return false; }
  virtual vyre::test::Answer compile(const vyre_plugin_program& program,
                                     std::unique_ptr<vyre_plugin_pipeline>& out) = 0;
  virtual vyre::test::Answer allocate(uint64_t bytes, std::unique_ptr<vyre_plugin_buffer>& out) = 0;
};

namespace vyre::test {

/// The device that this plugin has by this argument.
Answer open_plugin(std::string_view argument, std::unique_ptr<vyre_plugin_device>& out);

/// Memory of the host.
class HostMemory : public vyre_plugin_buffer {
 public:
  /// Null when there is none left.
  explicit HostMemory(uint64_t bytes)
      : data_(static_cast<std::byte*>(
            ::operator new(size_t(bytes) + 1, std::align_val_t{kAlignment}, std::nothrow))) {}
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() override { ::operator delete(data_, std::align_val_t{kAlignment}); }
  std::byte* data() const { return data_; }
  Answer write(uint64_t offset, std::span<const std::byte> from) override;
  Answer read(uint64_t offset, std::span<std::byte> to, uint64_t& count) override;
  Answer fill(uint64_t offset, uint64_t bytes, std::byte value) override;

 private:
  static constexpr size_t kAlignment = 256;  // of a range
  std::byte* const data_;
};

}  // namespace vyre::test
