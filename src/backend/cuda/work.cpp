#include "backend/cuda/work.h"

namespace vyre::backend::cuda {
namespace {

class Work final : public DeviceWork {
 public:
  Work(std::shared_ptr<Device> device, Device::Turn turn)
      : device_(std::move(device)), turn_(std::move(turn)) {}

  Result<void> write(const Allocation& to, uint64_t, uint64_t offset,
                     std::span<const std::byte> from) override {
    sent_ = true;
    // copy_in only reads; its parts are those of copy_out, which writes.
    const HostPart part = {{const_cast<std::byte*>(from.data()), from.size()}, 0};
    return device_->copy_in(turn_, address_of({&to, offset}), {&part, 1});
  }
  Result<void> fill(const Allocation& to, uint64_t, uint64_t offset, uint64_t count,
                    std::byte value) override {
    sent_ = true;
    return device_->fill(turn_, address_of({&to, offset}), value, count);
  }
  Result<void> read(const Allocation& from, uint64_t offset, std::span<std::byte> to) override {
    fetched_ = true;
    const HostPart part = {to, 0};
    return device_->copy_out(turn_, address_of({&from, offset}), {&part, 1});
  }

  // All bindings stand in one block, so a small dispatch is one copy there, a launch and one copy back.
  Result<void> copy_in(std::span<const Transfer> parts) override {
    sent_ = true;
    return parts.empty() ? Result<void>() : device_->copy_in(turn_, base_of(parts), host_parts(parts));
  }
  Result<void> copy_out(std::span<const Transfer> parts) override {
    fetched_ = true;
    return parts.empty() ? Result<void>() : device_->copy_out(turn_, base_of(parts), host_parts(parts));
  }
  Result<void> dispatch(const Launch& launch) override {
    sent_ = true;
    Arguments arguments(launch);
    return device_->launch(turn_, kernel_of(launch), launch.groups, arguments.pointers());
  }
  Result<void> finish() override {
    // A copy back has waited for everything before it.
    return fetched_ && !sent_ ? Result<void>() : device_->wait(turn_);
  }

 private:
  static DevicePointer base_of(std::span<const Transfer> parts) {
    return address_of({parts.front().device.allocation, 0});
  }
  static std::vector<HostPart> host_parts(std::span<const Transfer> parts) {
    std::vector<HostPart> out;
    for (const Transfer& part : parts) out.push_back({part.host, part.device.offset});
    return out;
  }

  const std::shared_ptr<Device> device_;
  const Device::Turn turn_;
  bool sent_ = false;
  bool fetched_ = false;
};

}  // namespace

Result<EmittedCode> Program::text(const check::Checked& program) const {
  const lower::Kernel kernel = lower::legalize(lower::build(program), target_with(floats_));
  VYRE_TRY(ptx, lower::emit_ptx(kernel, target_));
  return EmittedCode{.form = "ptx", .text = std::move(ptx.text)};
}

lower::Target target_with(const lower::FloatPromises& floats) {
  lower::Target target = lower::kPtxTarget;
  target.floats = floats;
  return target;
}

DevicePointer address_of(const Bound& bound) {
  return bound.allocation->handle + bound.allocation->offset + bound.offset;
}

const LoadedKernel& kernel_of(const Launch& launch) {
  return static_cast<const Program&>(*launch.code).kernel();
}

Arguments::Arguments(const Launch& launch) : counts_(launch.counts) {
  for (const Bound& bound : launch.bound) addresses_.push_back(address_of(bound));
  for (size_t i = 0; i < addresses_.size(); ++i) {
    pointers_.push_back(&addresses_[i]);
    pointers_.push_back(&counts_[i]);
  }
}

Result<std::unique_ptr<DeviceWork>> Device::begin() {
  VYRE_TRY(turn, enter());
  return std::make_unique<Work>(shared_device(), std::move(turn));
}

}  // namespace vyre::backend::cuda
