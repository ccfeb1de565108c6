// One CUDA device: memory, copies, code and launches, with the driver's answers turned into diagnostics.
//
// Copies and launches go through one stream, so they keep their order. Memory of the host is moved through
// two pinned buffers in turn: while the device fetches one, the host fills the other.
//
// Several threads may use a device: each holds the lock of the device (a Turn, from enter()) for copies and
// launches, so that what one of them does stays together; memory and code need none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/driver.h"
#include "backend/device_core.h"
#include "backend/transfer.h"
#include "base/bytes.h"

namespace vyre::backend::cuda {

/// One kernel in a piece of code.
struct Entry {
  std::string name;
  std::array<uint32_t, 3> block = {1, 1, 1};
  uint32_t shared_bytes = 0;  // of dynamic shared memory
  bool operator==(const Entry&) const = default;
};

/// Machine code of one or many kernels, as the driver's linker makes it.
struct Code {
  std::vector<Entry> entries;
  Bytes binary;
};

/// A kernel on the device; the module that it is part of stays there as long.
struct LoadedKernel {
  std::shared_ptr<ModuleTag> module;
  Function function = nullptr;
  std::array<uint32_t, 3> block = {1, 1, 1};
  uint32_t shared_bytes = 0;
};

/// A part of a copy: host memory, and where it stands behind the address that the whole copy names.
struct HostPart {
  std::span<std::byte> host;
  uint64_t offset = 0;
};

class Device final : public DeviceCore {
 public:
  /// Errors: B001 when there is no such device, its chip is older than sm_70, or the driver takes no PTX that
  /// suits it.
  static Result<std::shared_ptr<Device>> open(const Driver& driver, uint32_t ordinal);
  ~Device() override;

  const Driver& driver() const { return driver_; }
  uint32_t compute_capability() const { return capability_; }  // major * 10 + minor
  std::string description() const;                             // "NVIDIA H200 (sm_90), 139 GiB"
  /// Everything of the machine that code depends on: chip and driver.
  std::string code_identity() const;
  const Limits& limits() const { return limits_; }

  Result<std::unique_ptr<DeviceWork>> begin() override;
  Diag foreign(std::string_view what) const override;
  Result<std::unique_ptr<Recording>> record(std::vector<DeviceCommand> commands) override;
  bool records() const override { return driver_.has_graphs; }
  bool drives_repeats() const override { return driver_.has_conditionals; }

  /// Shows that it is the caller's turn, until it goes.
  class Turn {
   public:
    explicit Turn(std::mutex& mutex) : lock_(mutex) {}

   private:
    std::unique_lock<std::mutex> lock_;
  };
  /// The device for the calling thread alone. B011 when it was lost.
  Result<Turn> enter();

  /// Several parts of host memory to device memory from `base` on, each to base + its offset. They stand in
  /// the order of their offsets; what lies between them may be overwritten. The host may change them when it
  /// returns. Cost: a copy for every 8 MiB from the first to the last.
  Result<void> copy_in(const Turn&, DevicePointer base, std::span<const HostPart> parts);
  /// The way back; done when it returns.
  Result<void> copy_out(const Turn&, DevicePointer base, std::span<const HostPart> parts);
  Result<void> fill(const Turn&, DevicePointer at, std::byte value, uint64_t bytes);
  /// B003 when the kernel needs more registers or memory than there is. Shape: a pointer to each argument.
  Result<void> launch(const Turn&, const LoadedKernel& kernel, layout::Groups groups,
                      std::span<void*> arguments);
  Result<void> launch(const Turn&, GraphExec graph);
  Result<void> wait(const Turn&);
  Context context() const { return context_; }
  /// Success, or what a failed call means: B003 for exhausted memory, B011 for a lost device, which it then
  /// stays, B012 for anything else.
  Result<void> check(Status status, const char* doing);

  /// PTX to machine code for this chip. Errors: B001 when the driver is too old for it or lacks its compiler,
  /// L003 with the driver's log when it refuses. `optimisation`: 0 to 4.
  Result<Bytes> assemble(const std::string& ptx, uint32_t optimisation);
  /// The kernels of a piece of code, in its order. Errors: L003 when the driver does not take it; B003 when a
  /// kernel's registers leave no room for its workgroup.
  Result<std::vector<LoadedKernel>> load(const Code& code);
  /// The kernel at the end of a repeat's body (graph.cpp), loaded once: the driver assembles its text, which
  /// takes as long as a recording. It lives as long as the device. Errors: as load().
  Result<const LoadedKernel*> turn_kernel();

 private:
  Device(const Driver& driver, DeviceHandle handle);
  std::shared_ptr<Device> shared_device() { return std::static_pointer_cast<Device>(shared_from_this()); }
  Result<void> ask_properties();
  Result<void> prepare();
  uint32_t attribute(Attribute which) const;
  /// Makes the context current on this thread. B011 when the device was lost.
  Result<void> attach();
  Diag out_of_memory(const std::string& what);
  Diag refused(Status status, const std::string& ptx, const char* log);
  Result<LoadedKernel> find(const std::shared_ptr<ModuleTag>& module, const Entry& entry);
  Diag too_large(Function function, uint32_t threads);
  Result<Allocation> make_piece(uint64_t size, uint64_t bytes) override;
  void destroy_piece(const Allocation& allocation) override;
  uint64_t most_kept() const override;

  static constexpr uint64_t kPinnedBytes = 8ull << 20;
  struct Pinned {
    std::byte* memory = nullptr;
    Event done = nullptr;
    bool busy = false;
  };
  /// The next of the pinned buffers, when the device is done with it.
  Result<Pinned*> next_pinned();
  Result<void> sent(Pinned& pinned, Status status, const char* doing);

  const Driver driver_;
  const DeviceHandle handle_;
  Context context_ = nullptr;
  Stream stream_ = nullptr;
  std::string name_;
  uint32_t capability_ = 0;
  Limits limits_;

  std::mutex turn_kernel_mutex_;
  std::optional<LoadedKernel> turn_kernel_;

  std::mutex turn_;
  std::array<Pinned, 2> pinned_;
  size_t next_pinned_ = 0;
  Copier copier_;
};

}  // namespace vyre::backend::cuda
