// One WebGPU device: its queue, its memory and its code, with the implementation's answers turned into
// diagnostics.
//
// An implementation may be called by one thread at a time, so the caller holds a Turn. Some calls answer
// later: await() waits for them, no longer than the timeout. Errors come in two ways: those of a group of
// calls that stands between push and pop of error scopes are asked for (ErrorScopes), and any others are
// reported on the library's own account, like the loss of the device (Reports).
//
// A device that is lost, or has not answered in time, stays lost, and what it holds is left to the end of the
// process: nothing may be destroyed that it might still use.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/backend.h"
#include "backend/device_core.h"
#include "backend/transfer.h"
#include "backend/webgpu/api.h"
#include "backend/webgpu/limits.h"
#include "lower/wgsl/wgsl.h"

namespace vyre::backend::webgpu {

std::string text(WGPUStringView view);

/// Where the answer to a request goes. On the heap, since it may come after the wait was given up.
template <typename Handle>
struct Answer {
  std::atomic<bool> done = false;
  bool worked = false;
  Handle handle = nullptr;
  std::string message;

  static void take(WGPURequestStatus status, Handle handle, WGPUStringView message, void* self, void*) {
    auto* const answer = static_cast<Answer*>(self);
    answer->worked = status == WGPURequestStatus_Success && handle != nullptr;
    answer->handle = handle;
    answer->message = text(message);
    answer->done = true;
  }
};

/// What the library says of a device unasked. Called from any of its threads.
class Reports {
 public:
  void lost(std::string why);
  void error(std::string what);
  /// Why the device is lost, if it is.
  std::optional<std::string> loss() const;
  /// Errors that no scope caught, and forgets them.
  std::vector<std::string> take_errors();

 private:
  mutable std::mutex mutex_;
  std::optional<std::string> loss_;
  std::vector<std::string> errors_;
};

/// The library, and waiting for what it answers later.
class Instance {
 public:
  /// Errors: B001.
  static Result<std::shared_ptr<Instance>> open(const std::string& library);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const Api& api() const { return api_; }
  WGPUInstance handle() const { return handle_; }

  /// Lets callbacks run until `done` is set by one. False when that takes longer than the timeout.
  bool wait(WGPUFuture future, const std::atomic<bool>& done, std::chrono::milliseconds timeout);

 private:
  Instance(Api api, WGPUInstance handle, bool waits) : api_(std::move(api)), handle_(handle), waits_(waits) {}
  bool poll(const std::atomic<bool>& done, std::chrono::steady_clock::time_point until);

  const Api api_;
  const WGPUInstance handle_;
  bool waits_;  // WaitAny can, for a time; else only ProcessEvents
};

/// What one device is and can do.
struct Profile {
  std::string device;               // "SwiftShader Device (Subzero)"
  std::string driver;               // "Dawn (libwebgpu_dawn.so), Vulkan; SwiftShader driver 5.0.0"
  bool bounds_by_exchange = false;  // see lower::WgslOptions
  spec::DeviceKind kind = spec::DeviceKind::Gpu;
  DispatchLimits limits;
};

class Device;

inline WGPUBuffer buffer_of(const Allocation& allocation) {
  return reinterpret_cast<WGPUBuffer>(allocation.handle);
}

/// A program on the device.
class Code final : public DeviceCode {
 public:
  Code(std::shared_ptr<Device> device, WGPUComputePipeline pipeline, WGPUBindGroupLayout layout,
       lower::WgslModule module)
      : device_(std::move(device)), pipeline_(pipeline), layout_(layout), module_(std::move(module)) {}
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() override;
  WGPUComputePipeline pipeline() const { return pipeline_; }
  WGPUBindGroupLayout layout() const { return layout_; }
  const lower::WgslModule& module() const { return module_; }
  Result<EmittedCode> text(const check::Checked&) const override {
    return EmittedCode{.form = "wgsl", .text = module_.text};
  }

 private:
  const std::shared_ptr<Device> device_;
  const WGPUComputePipeline pipeline_;
  const WGPUBindGroupLayout layout_;
  const lower::WgslModule module_;
};

/// Memory that the host maps, to read what was copied there.
struct Slot {
  static constexpr uint64_t kBytes = 8ull << 20;
  WGPUBuffer buffer = nullptr;
  WGPUFuture future;
  std::atomic<bool> done = false;  // the mapping was answered
  bool mapped = false;
  std::string message;
};

/// The library, for this thread alone.
using Turn = std::unique_lock<std::recursive_mutex>;

class Device final : public DeviceCore {
 public:
  /// Of counts that dispatches of one submission may have together.
  static constexpr uint64_t kCountsBytes = 64ull << 10;

  /// Takes no longer than the timeout, and half a minute at most.
  /// Errors: B001 when there is no adapter, it gives no device, or the device does not compute.
  static Result<std::shared_ptr<Device>> open(std::shared_ptr<Instance> instance,
                                              std::chrono::milliseconds timeout);
  ~Device() override;

  const Api& api() const { return instance_->api(); }
  const Profile& profile() const { return profile_; }
  WGPUDevice handle() const { return handle_; }
  WGPUQueue queue() const { return queue_; }
  [[nodiscard]] Turn turn() { return Turn(memory_mutex()); }

  Result<std::unique_ptr<DeviceWork>> begin() override;
  Result<void> check_binding(uint64_t bytes) const override;

  /// WGSL to code, the same text once. Of several, some are compiled at the same time where the library can.
  /// Errors  each its own: L003 when the implementation refuses the module, in its words; B003, B011.
  std::vector<Result<std::shared_ptr<Code>>> make_code(std::span<const lower::WgslModule* const> modules);
  Result<std::shared_ptr<Code>> make_code(const lower::WgslModule& module);

  Result<void> check_alive() override;
  /// Waits for an answer; B011 when it takes longer than the timeout: the device is lost then.
  Result<void> await(WGPUFuture future, const std::atomic<bool>& done, const char* doing);
  Diag out_of_memory(const std::string& what) const;

 private:
  friend class Code;
  friend class Work;
  friend class ErrorScopes;
  Device(std::shared_ptr<Instance> instance, std::chrono::milliseconds timeout);
  std::shared_ptr<Device> shared_device() { return std::static_pointer_cast<Device>(shared_from_this()); }

  /// Patience with a library before it has shown that it works.
  static constexpr std::chrono::milliseconds kOpening = std::chrono::seconds(30);

  Result<void> choose_adapter();
  Result<void> open_device();
  Result<bool> request_device(const void* limits);
  /// False for an adapter that only pretends: Dawn has one, for tests.
  bool describe();
  Result<void> prepare();
  Result<void> test_itself();

  Result<WGPUBuffer> make_buffer(uint64_t bytes, WGPUFlags usage);
  Result<uint64_t> piece_bytes(uint64_t bytes) const override;
  Result<Allocation> make_piece(uint64_t size, uint64_t bytes) override;
  void destroy_piece(const Allocation& allocation) override;
  uint64_t most_kept() const override;
  void on_loss() override;

  Result<WGPUShaderModule> make_module(const lower::WgslModule& module);
  Result<WGPUComputePipeline> make_pipeline(WGPUShaderModule module);
  struct Compiling;
  Result<void> start_code(const lower::WgslModule& module, Compiling& out);
  Result<std::shared_ptr<Code>> end_code(Compiling& compiling);
  std::shared_ptr<Code> find_code(const std::string& text);
  std::shared_ptr<Code> keep_code(WGPUComputePipeline pipeline, const lower::WgslModule& module);

  const std::shared_ptr<Instance> instance_;
  std::chrono::milliseconds timeout_;
  Reports reports_;
  Profile profile_;
  WGPUAdapter adapter_ = nullptr;
  WGPUDevice handle_ = nullptr;
  WGPUQueue queue_ = nullptr;

  // What stands below is of the thread that has the turn.
  std::array<Slot, 2> slots_;
  Allocation counts_;  // of elements, for dispatches: kCountsBytes
  Copier copier_;
  uint64_t held_bytes_ = 0;
  uint64_t written_bytes_ = 0;                                  // to the queue, since it was last waited for
  std::unordered_map<std::string, std::weak_ptr<Code>> codes_;  // by text
  size_t live_codes_ = 64;                                      // when they were counted last
};

/// A group of calls, whose errors are asked for at its end. Its thread has the turn.
class ErrorScopes {
 public:
  explicit ErrorScopes(Device& device);
  ~ErrorScopes();
  ErrorScopes(const ErrorScopes&) = delete;
  ErrorScopes& operator=(const ErrorScopes&) = delete;

  /// The end of the group. B003 for exhausted memory, B011 for a lost device; for anything else the code that
  /// is given, with the implementation's own words.
  Result<void> finish(const char* doing, DiagCode code = DiagCode::B012);

 private:
  Device& device_;
  bool open_ = true;
};

/// What it means that the implementation says this. `type`: as for ErrorScopes.
Diag refusal(const Device& device, WGPUErrorType type, const char* doing, std::string message, DiagCode code);

}  // namespace vyre::backend::webgpu
