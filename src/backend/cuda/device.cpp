#include "backend/cuda/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/limits.h"

namespace vyre::backend::cuda {
namespace {

constexpr uint32_t kOldestChip = 70;

constexpr DeviceTraits kTraits = {
    .name = "cuda",
    .lost_help =
        "start a new process; if it happens again, the driver or the device is at fault "
        "(`nvidia-smi -q` and the kernel's log tell more)"};

}  // namespace

Device::Device(const Driver& driver, DeviceHandle handle)
    : DeviceCore(kTraits), driver_(driver), handle_(handle) {}

Result<std::shared_ptr<Device>> Device::open(const Driver& driver, uint32_t ordinal) {
  int count = 0;
  if (driver.device_count(&count) != kSuccess || count <= 0) {
    return std::unexpected(not_available(
        "the driver finds no device",
        "see that CUDA_VISIBLE_DEVICES does not hide it; `nvidia-smi -L` lists the devices of this machine"));
  }
  DeviceHandle handle = 0;
  if (ordinal >= uint32_t(count) || driver.device(&handle, int(ordinal)) != kSuccess) {
    return std::unexpected(not_available(
        fmt::format("cuda:{} was asked for, and there {} {}", ordinal, count == 1 ? "is" : "are", count),
        count == 1 ? "choose cuda:0" : fmt::format("choose one of cuda:0 to cuda:{}", count - 1)));
  }
  std::shared_ptr<Device> device(new Device(driver, handle));
  VYRE_CHECK(device->ask_properties());
  VYRE_CHECK(device->prepare());
  return device;
}

uint32_t Device::attribute(Attribute which) const {
  int value = 0;
  return driver_.device_attribute(&value, which, handle_) == kSuccess ? uint32_t(value) : 0;
}

Result<void> Device::ask_properties() {
  char name[256] = {};
  name_ = driver_.device_name(name, sizeof name - 1, handle_) == kSuccess ? name : "a device without a name";
  capability_ = attribute(Attribute::CapabilityMajor) * 10 + attribute(Attribute::CapabilityMinor);
  if (capability_ < kOldestChip) {
    return std::unexpected(not_available(fmt::format("{} is sm_{}, and sm_{} is the oldest that is supported",
                                                     name_, capability_, kOldestChip),
                                         "use a newer GPU (Volta or later), or --backend native"));
  }
  size_t memory = 0;
  if (driver_.device_memory(&memory, handle_) != kSuccess) memory = 0;
  limits_ = {.max_invocations_per_group =
                 std::min(attribute(Attribute::MaxThreadsPerBlock), spec::kMaxInvocationsPerGroup),
             .max_workgroup_bytes = attribute(Attribute::MaxSharedBytesOptIn),
             .max_buffer_bytes = memory,
             .subgroup_size = attribute(Attribute::WarpSize)};
  return {};
}

Result<void> Device::prepare() {
  const auto available = [&](Status status, const char* what) -> Result<void> {
    if (status == kSuccess) return {};
    return std::unexpected(not_available(
        fmt::format("{}: {}: {}", name_, what, driver_.describe(status)),
        status == kOutOfMemory ? "other processes hold its memory: `nvidia-smi` lists them"
                               : "does another process use the device exclusively? `nvidia-smi` lists them"));
  };
  VYRE_CHECK(available(driver_.retain_context(&context_, handle_), "no context can be made"));
  VYRE_CHECK(available(driver_.set_context(context_), "no context can be made"));
  VYRE_CHECK(available(driver_.make_stream(&stream_, kNonBlockingStream), "no stream can be made"));
  for (Pinned& p : pinned_) {
    void* memory = nullptr;
    VYRE_CHECK(available(driver_.allocate_pinned(&memory, kPinnedBytes, 0), "no pinned memory is left"));
    p.memory = static_cast<std::byte*>(memory);
    VYRE_CHECK(available(driver_.make_event(&p.done, kEventWithoutTime), "no event can be made"));
  }
  return {};
}

Device::~Device() {
  if (context_ == nullptr) return;
  // What fails here fails because the device is lost, and then there is nothing left to give back.
  driver_.set_context(context_);
  if (stream_ != nullptr) driver_.wait(stream_);
  if (turn_kernel_) driver_.unload_module(turn_kernel_->module.get());
  drop_unused();
  for (const Pinned& p : pinned_) {
    if (p.done != nullptr) driver_.release_event(p.done);
    if (p.memory != nullptr) driver_.release_pinned(p.memory);
  }
  if (stream_ != nullptr) driver_.release_stream(stream_);
  driver_.set_context(nullptr);
  driver_.release_context(handle_);
}

std::string Device::description() const {
  return fmt::format("{} (sm_{}), {:.0f} GiB", name_, capability_,
                     double(limits_.max_buffer_bytes) / double(1ull << 30));
}

std::string Device::code_identity() const {
  return fmt::format("{}|sm_{}|CUDA {}", name_, capability_, driver_.version);
}

Result<void> Device::attach() {
  VYRE_CHECK(check_alive());
  return check(driver_.set_context(context_), "making the context current");
}

Result<Device::Turn> Device::enter() {
  Turn turn(turn_);
  VYRE_CHECK(attach());
  return turn;
}

Result<void> Device::check(Status status, const char* doing) {
  if (status == kSuccess) return {};
  if (status == kOutOfMemory) return std::unexpected(out_of_memory(doing));
  std::string what = fmt::format("{}: {}", doing, driver_.describe(status));
  if (!Driver::is_lost(status)) {
    return std::unexpected(make_diag(DiagCode::B012, Span::none(),
                                     "cuda: the driver refused a call while " + what,
                                     "report the program and the output of `vyre backends`"));
  }
  return std::unexpected(lose(std::move(what)));
}

Diag Device::foreign(std::string_view what) const {
  return make_diag(DiagCode::B012, Span::none(), fmt::format("cuda: a {} of another backend was bound", what),
                   "bind buffers of the backend that compiled the program");
}

}  // namespace vyre::backend::cuda
