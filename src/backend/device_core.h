// The device core: what every backend does whose device has memory of its own.
//
// A buffer, a program's dispatch, several dispatches in one call, a recording: each is a few copies and
// dispatches in their order, and the core says which. A backend brings the calls of its API: DeviceCore
// allocates memory and opens a DeviceWork, which copies, fills, dispatches and waits. What a kernel reads and
// writes of host memory is placed in blocks of device memory; what it binds of the device's is checked to be
// of this device. The core also remembers that a device was lost, which it then stays. DeviceBackend is a
// backend that is made of such a device and of the compile driver (backend/compile.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/compile.h"

namespace vyre::backend {

class DeviceCore;

/// N of "cuda:N", as "cuda" and "N"; `lists` is the command that shows devices with their numbers. Errors:
/// B004.
Result<uint32_t> parse_ordinal(std::string_view backend, std::string_view argument, std::string_view lists);

/// Device memory as its API names it.
struct Allocation {
  uint64_t handle = 0;          // an address, a VkBuffer, a WGPUBuffer
  uint64_t memory = 0;          // a VkDeviceMemory
  uint64_t offset = 0;          // in the buffer; a multiple of kRangeAlignment
  uint64_t bytes = 0;           // of its size class
  std::byte* mapped = nullptr;  // where the host sees it, if it does
};

/// An allocation, aligned to kRangeAlignment; goes back to its device at the end.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(std::shared_ptr<DeviceCore> device, const Allocation& allocation)
      : device_(std::move(device)), allocation_(allocation) {}
  DeviceMemory(DeviceMemory&& other) noexcept = default;
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  ~DeviceMemory();
  const Allocation& allocation() const { return allocation_; }

 private:
  std::shared_ptr<DeviceCore> device_;
  Allocation allocation_;
};

/// What a binding of a dispatch names: a part of an allocation. Code may touch the first element of any
/// binding, one without bytes included.
struct Bound {
  const Allocation* allocation = nullptr;
  uint64_t offset = 0;  // in the allocation; a multiple of kRangeAlignment
  uint64_t bytes = 0;
};

/// A program's code on a device.
class DeviceCode {
 public:
  virtual ~DeviceCode() = default;
  /// As Pipeline::code().
  virtual Result<EmittedCode> text(const check::Checked& program) const = 0;
};

/// A dispatch, checked. Of each buffer of the code a binding, whether it is written, and its elements.
struct Launch {
  std::shared_ptr<const DeviceCode> code;
  layout::Groups groups;
  std::vector<Bound> bound;
  std::vector<bool> written;
  std::vector<uint32_t> counts;
};

/// A Command, checked. `range`: what Zero fills, or the word that Repeat looks at.
struct DeviceCommand {
  Command command;
  Launch launch;
  Bound range;
};

/// Host memory, and where in a piece its copy stands.
struct Transfer {
  Bound device;
  std::span<std::byte> host;
};

/// Copies and dispatches, in their order; the device is the calling thread's until it goes. Each is done when
/// finish() returns, not before; but host memory that is copied from may change as soon as the call returns.
/// At the end it waits for what was sent, if anything was, and forgets what was not.
class DeviceWork {
 public:
  DeviceWork() = default;
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;
  virtual ~DeviceWork() = default;

  /// Bytes offset .. offset + from.size() - 1 of a piece of which `size` bytes are in use: what stands behind
  /// those may change.
  virtual Result<void> write(const Allocation& to, uint64_t size, uint64_t offset,
                             std::span<const std::byte> from) = 0;
  virtual Result<void> fill(const Allocation& to, uint64_t size, uint64_t offset, uint64_t count,
                            std::byte value) = 0;
  virtual Result<void> read(const Allocation& from, uint64_t offset, std::span<std::byte> to) = 0;
  /// Whole bindings, as DevicePipeline places them: those of one piece in the order of their offsets, with
  /// nothing between them that matters.
  virtual Result<void> copy_in(std::span<const Transfer> parts) = 0;
  virtual Result<void> copy_out(std::span<const Transfer> parts) = 0;
  virtual Result<void> dispatch(const Launch& launch) = 0;
  /// Sends what is left and waits for everything. Errors: also those of calls before it.
  virtual Result<void> finish() = 0;
};

/// What the core has to know of an API.
struct DeviceTraits {
  std::string_view name;       // "cuda"
  std::string_view lost_help;  // what to do about a lost device
  /// Buffers of a dispatch that are this large together stand in one block of device memory, those of a
  /// larger one each for itself.
  uint64_t largest_block = UINT64_MAX;
  /// One buffer must not be bound to be read and to be written: there are two blocks.
  bool separates_written = false;
  /// Pieces up to this size are parts of larger ones, and so never go back to the device.
  uint64_t largest_part = 0;
};

class DeviceCore : public std::enable_shared_from_this<DeviceCore> {
 public:
  explicit DeviceCore(const DeviceTraits& traits) : traits_(traits) {}
  DeviceCore(const DeviceCore&) = delete;
  DeviceCore& operator=(const DeviceCore&) = delete;
  virtual ~DeviceCore() = default;

  const DeviceTraits& traits() const { return traits_; }

  /// Memory that was given back is used again before the device is asked: that costs more than a small
  /// dispatch. Errors: B003 with what was asked for and what there is, when the device has no such memory
  /// left.
  Result<DeviceMemory> allocate(uint64_t bytes);
  /// Errors: B011 when the device was lost.
  virtual Result<std::unique_ptr<DeviceWork>> begin() = 0;
  /// B003 for a binding of more bytes than a dispatch may have.
  virtual Result<void> check_binding(uint64_t) const { return {}; }
  /// B012: what was bound belongs to another device. `what`: "buffer", "program".
  virtual Diag foreign(std::string_view what) const;
  /// Makes commands ready, or null where the core is to run them by begin(): there is nothing in common that
  /// could be prepared. Repeats are among them if drives_repeats().
  virtual Result<std::unique_ptr<Recording>> record(std::vector<DeviceCommand> commands);
  virtual bool records() const { return false; }
  virtual bool drives_repeats() const { return false; }

  /// B011 when the device was lost.
  virtual Result<void> check_alive();
  bool is_lost() const { return is_lost_; }
  /// The device is lost from now on: B011, with the first reason that was given.
  Diag lose(std::string why);

 protected:
  /// What is allocated for so many bytes: their size class. B003 where there is never so much.
  virtual Result<uint64_t> piece_bytes(uint64_t bytes) const;
  /// A new piece of this size, for a request of `bytes`. Errors: B003 when there is no memory left.
  virtual Result<Allocation> make_piece(uint64_t size, uint64_t bytes) = 0;
  virtual void destroy_piece(const Allocation& allocation) = 0;
  /// Of memory that was given back, at most this much is kept.
  virtual uint64_t most_kept() const = 0;
  /// For the next allocation of its size.
  void keep_unused(const Allocation& allocation);
  void drop_unused();
  /// Held while any of these are called.
  std::recursive_mutex& memory_mutex() { return memory_mutex_; }
  /// Once.
  virtual void on_loss() {}

 private:
  friend class DeviceMemory;
  void release(const Allocation& allocation);
  Diag lost() const;

  const DeviceTraits traits_;
  std::recursive_mutex memory_mutex_;
  std::multimap<uint64_t, Allocation> unused_;  // by size
  uint64_t unused_bytes_ = 0;                   // of those that could go back
  std::mutex lost_mutex_;
  std::atomic<bool> is_lost_ = false;
  std::string lost_;  // why
};

/// Keeps what a device may still write to, until the process ends.
void keep_for_ever(std::shared_ptr<void> what);

/// A backend over a device: its buffers, dispatches and recordings are the core's.
class DeviceBackend : public CompilingBackend {
 public:
  Result<std::unique_ptr<DeviceBuffer>> allocate(uint64_t bytes) final;
  /// All steps as one work.
  Result<void> run(std::span<const Step> steps) final;
  /// By the device, where it has recordings of its own. Errors: B012 for what is another backend's.
  Result<std::unique_ptr<Recording>> record_batch(std::span<const Command> commands) final;
  Result<void> run_and_look(std::span<const Command> commands, std::span<Taken> taken,
                            std::span<Look> looks) final;
  bool drives_repeats() const final { return core_->records() && core_->drives_repeats(); }

 protected:
  DeviceBackend(std::shared_ptr<DeviceCore> device, CompileOptions options)
      : CompilingBackend(std::move(options)), core_(std::move(device)) {}
  std::unique_ptr<Pipeline> pipeline_of(const check::Checked& program,
                                        std::shared_ptr<const DeviceCode> code) const;

 private:
  Result<std::vector<DeviceCommand>> prepare(std::span<const Command> commands) const;

  const std::shared_ptr<DeviceCore> core_;
};

}  // namespace vyre::backend
