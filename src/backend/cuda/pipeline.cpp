#include "backend/cuda/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace vyre::backend::cuda {
namespace {

class CudaBuffer final : public DeviceBuffer {
 public:
  CudaBuffer(std::shared_ptr<Device> device, DeviceMemory memory, uint64_t bytes)
      : device_(std::move(device)), memory_(std::move(memory)), bytes_(bytes) {}

  uint64_t bytes() const override { return bytes_; }
  DevicePointer address() const { return memory_.address(); }
  const Device* device() const { return device_.get(); }

  Result<void> write(uint64_t offset, std::span<const std::byte> from) override {
    VYRE_CHECK(check_within(bytes_, offset, from.size()));
    VYRE_TRY(turn, device_->enter());
    // copy_in only reads; its parts are those of copy_out, which writes.
    const HostPart part = {{const_cast<std::byte*>(from.data()), from.size()}, 0};
    VYRE_CHECK(device_->copy_in(turn, address() + offset, {&part, 1}));
    return device_->wait(turn);
  }
  Result<void> read(uint64_t offset, std::span<std::byte> to) override {
    VYRE_CHECK(check_within(bytes_, offset, to.size()));
    VYRE_TRY(turn, device_->enter());
    const HostPart part = {to, 0};
    return device_->copy_out(turn, address() + offset, {&part, 1});
  }
  Result<void> fill(uint64_t offset, uint64_t count, std::byte value) override {
    VYRE_CHECK(check_within(bytes_, offset, count));
    VYRE_TRY(turn, device_->enter());
    VYRE_CHECK(device_->fill(turn, address() + offset, value, count));
    return device_->wait(turn);
  }

 private:
  const std::shared_ptr<Device> device_;
  const DeviceMemory memory_;
  const uint64_t bytes_;
};

Diag foreign(std::string_view what) {
  return make_diag(DiagCode::B012, Span::none(), fmt::format("cuda: a {} of another backend was bound", what),
                   "bind buffers of the backend that compiled the program");
}

Result<DevicePointer> address_of(const Device& device, const DeviceRange& range) {
  const auto* const buffer = dynamic_cast<const CudaBuffer*>(range.buffer);
  if (buffer == nullptr || buffer->device() != &device) return std::unexpected(foreign("buffer"));
  // Code may touch the first element of any binding, and behind a buffer's end there may be none.
  return buffer->address() + (range.bytes == 0 ? 0 : range.offset);
}

class CudaPipeline final : public Pipeline {
 public:
  CudaPipeline(const check::Checked& program, std::shared_ptr<Device> device, LoadedKernel kernel,
               lower::PtxTarget target, const lower::FloatPromises& floats)
      : program_(program),
        device_(std::move(device)),
        kernel_(std::move(kernel)),
        target_(target),
        floats_(floats) {
    const auto& bound = program_.bound_buffers();
    for (const spec::BufferAccess access :
         {spec::BufferAccess::Read, spec::BufferAccess::Uniform, spec::BufferAccess::ReadWrite}) {
      for (size_t i = 0; i < bound.size(); ++i) {
        if (program_.buffer(bound[i]).access == access) order_.push_back(i);
      }
      if (access != spec::BufferAccess::ReadWrite) inputs_ = order_.size();
    }
  }

  // All buffers stand in one block of device memory, those that come back at its end: a small dispatch is one
  // copy there, a launch and one copy back.
  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    VYRE_TRY(bindings, layout::bind(program_, host, groups));
    std::vector<HostPart> parts;
    std::vector<uint64_t> offsets(bindings.size());
    uint64_t bytes = 0;
    for (const size_t i : order_) {
      parts.push_back({bindings[i].bytes, bytes});
      offsets[i] = bytes;
      // Code may touch the first element of any binding.
      bytes += range_aligned(std::max<uint64_t>(bindings[i].bytes.size(), 1));
    }
    VYRE_TRY(memory, device_->allocate(bytes));
    for (uint64_t& offset : offsets) offset += memory.address();
    VYRE_TRY(turn, device_->enter());
    VYRE_CHECK(device_->copy_in(turn, memory.address(), parts));
    Launch prepared = {.kernel = &kernel_, .groups = groups, .addresses = std::move(offsets)};
    for (const layout::Binding& binding : bindings) prepared.counts.push_back(binding.count);
    VYRE_CHECK(launch(turn, prepared));
    const std::span<const HostPart> outputs = std::span<const HostPart>(parts).subspan(inputs_);
    if (outputs.empty()) return device_->wait(turn);
    VYRE_CHECK(device_->copy_out(turn, memory.address(), outputs));
    return device_->wait(turn);
  }

  Result<void> dispatch_resident(std::span<const DeviceRange> ranges, layout::Groups groups) override {
    VYRE_TRY(prepared, prepare(ranges, groups));
    VYRE_TRY(turn, device_->enter());
    VYRE_CHECK(launch(turn, prepared));
    return device_->wait(turn);
  }

  const Device* device() const { return device_.get(); }
  const LoadedKernel& kernel() const { return kernel_; }

  /// A dispatch over device memory, checked. Reads uniform buffers that dimensions come from.
  Result<Launch> prepare(std::span<const DeviceRange> ranges, layout::Groups groups) const {
    Launch out = {.kernel = &kernel_, .groups = groups};
    for (const DeviceRange& range : ranges) {
      VYRE_TRY(address, address_of(*device_, range));
      out.addresses.push_back(address);
    }
    std::vector<std::vector<std::byte>> contents;
    VYRE_TRY(extents, extents_of(program_, ranges, contents));
    VYRE_TRY(bindings, layout::bind(program_, extents, groups));
    for (const layout::Binding& binding : bindings) out.counts.push_back(binding.count);
    return out;
  }

  Result<void> launch(const Device::Turn& turn, Launch& prepared) const {
    std::vector<void*> arguments;
    for (size_t i = 0; i < prepared.addresses.size(); ++i) {
      arguments.push_back(&prepared.addresses[i]);
      arguments.push_back(&prepared.counts[i]);
    }
    return device_->launch(turn, kernel_, prepared.groups, arguments);
  }

  Result<EmittedCode> code() override {
    const lower::Kernel kernel = lower::legalize(lower::build(program_), target_with(floats_));
    VYRE_TRY(ptx, lower::emit_ptx(kernel, target_));
    return EmittedCode{.form = "ptx", .text = std::move(ptx.text)};
  }

 private:
  const check::Checked program_;
  const std::shared_ptr<Device> device_;
  const LoadedKernel kernel_;
  const lower::PtxTarget target_;
  const lower::FloatPromises floats_;
  std::vector<size_t> order_;  // bound buffers as they stand in the block of a dispatch
  size_t inputs_ = 0;          // so many of them do not come back
};

}  // namespace

std::unique_ptr<Pipeline> make_pipeline(const check::Checked& program, std::shared_ptr<Device> device,
                                        LoadedKernel kernel, lower::PtxTarget target,
                                        const lower::FloatPromises& floats) {
  return std::make_unique<CudaPipeline>(program, std::move(device), std::move(kernel), target, floats);
}

lower::Target target_with(const lower::FloatPromises& floats) {
  lower::Target target = lower::kPtxTarget;
  target.floats = floats;
  return target;
}

Result<std::unique_ptr<DeviceBuffer>> make_buffer(const std::shared_ptr<Device>& device, uint64_t bytes) {
  VYRE_TRY(memory, device->allocate(bytes));
  return std::make_unique<CudaBuffer>(device, std::move(memory), bytes);
}

namespace {

Result<const CudaPipeline*> pipeline_of(const Device& device, const Step& step) {
  const auto* const pipeline = dynamic_cast<const CudaPipeline*>(step.pipeline);
  if (pipeline == nullptr || pipeline->device() != &device) return std::unexpected(foreign("program"));
  return pipeline;
}

}  // namespace

Result<std::vector<GraphCommand>> graph_commands(const Device& device, std::span<const Command> commands) {
  std::vector<GraphCommand> out;
  for (const Command& command : commands) {
    GraphCommand& made = out.emplace_back(GraphCommand{.kind = command.kind,
                                                       .bytes = command.range.bytes,
                                                       .turns = command.turns,
                                                       .looks = command.looks,
                                                       .count = command.count});
    if (command.kind == Command::Kind::Dispatch) {
      VYRE_TRY(pipeline, pipeline_of(device, command.step));
      VYRE_TRY(launch, pipeline->prepare(command.step.ranges, command.step.groups));
      made.launch = std::move(launch);
      continue;
    }
    VYRE_CHECK(check_range(command.range));
    VYRE_TRY(address, address_of(device, command.range));
    made.address = address + command.word;
  }
  return out;
}

Result<void> run_steps(const std::shared_ptr<Device>& device, std::span<const Step> steps) {
  std::vector<std::pair<const CudaPipeline*, Launch>> all;
  for (const Step& step : steps) {
    VYRE_TRY(pipeline, pipeline_of(*device, step));
    VYRE_TRY(launch, pipeline->prepare(step.ranges, step.groups));
    all.emplace_back(pipeline, std::move(launch));
  }
  VYRE_TRY(turn, device->enter());
  for (auto& [pipeline, launch] : all) VYRE_CHECK(pipeline->launch(turn, launch));
  return device->wait(turn);
}

}  // namespace vyre::backend::cuda
