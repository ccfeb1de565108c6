#include "plugin_entry.h"

#include <vector>

#include "check/checked.h"
#include "ops/operation.h"
#include "plugin/plugin.h"
#include "wire/wire.h"

namespace vyre::test {
namespace {

Answer refusal(const Diag& diag) {
  Answer out = {VYRE_PLUGIN_FAULT, diag.message, diag.help};
  if (diag.code == DiagCode::B001) out.status = VYRE_PLUGIN_UNAVAILABLE;
  if (diag.code == DiagCode::B002) out.status = VYRE_PLUGIN_UNSUPPORTED;
  if (diag.code == DiagCode::B003) out.status = VYRE_PLUGIN_RESOURCE_EXCEEDED;
  return out;
}
Answer answer(const Result<void>& done) { return done ? Answer{} : refusal(done.error()); }

class Memory final : public vyre_plugin_buffer {
 public:
  explicit Memory(std::unique_ptr<backend::DeviceBuffer> memory) : memory_(std::move(memory)) {}
  backend::DeviceBuffer* get() const { return memory_.get(); }
  Answer write(uint64_t offset, std::span<const std::byte> from) override {
    return answer(memory_->write(offset, from));
  }
  Answer read(uint64_t offset, std::span<std::byte> to, uint64_t&) override {
    return answer(memory_->read(offset, to));
  }
  Answer fill(uint64_t offset, uint64_t bytes, std::byte value) override {
    return answer(memory_->fill(offset, bytes, value));
  }

 private:
  const std::unique_ptr<backend::DeviceBuffer> memory_;
};

class Compiled final : public vyre_plugin_pipeline {
 public:
  explicit Compiled(std::unique_ptr<backend::Pipeline> run) : run_(std::move(run)) {}
  Answer dispatch(std::span<const vyre_plugin_range> ranges, const uint32_t groups[3]) override {
    std::vector<backend::DeviceRange> bound;
    for (const vyre_plugin_range& range : ranges)
      bound.push_back({static_cast<Memory*>(range.buffer)->get(), range.offset, range.bytes});
    return answer(run_->dispatch_resident(bound, {groups[0], groups[1], groups[2]}));
  }

 private:
  const std::unique_ptr<backend::Pipeline> run_;
};

class Device final : public vyre_plugin_device {
 public:
  explicit Device(std::unique_ptr<backend::Backend> backend) : backend_(std::move(backend)) {}
  void identity(vyre_plugin_identity& out) const override {
    const backend::Identity is = backend_->identity();
    put(out.name, is.name);
    put(out.device, is.device);
    put(out.driver, is.driver);
  }
  void limits(vyre_plugin_limits& out) const override {
    const backend::Limits has = backend_->limits();
    out.max_workgroup_bytes = has.max_workgroup_bytes;
    out.max_buffer_bytes = has.max_buffer_bytes;
    out.max_invocations_per_group = has.max_invocations_per_group;
    out.subgroup_size = 0;
  }
  Answer compile(const vyre_plugin_program& program, std::unique_ptr<vyre_plugin_pipeline>& out) override {
    auto decoded = wire::decode(std::as_bytes(std::span(program.wire, program.wire_size)));
    if (!decoded) return refusal(decoded.error());
    const auto checked = check::check(std::move(*decoded), ops::op_table());
    if (!checked) return refusal(checked.error().front());
    auto pipeline = backend_->compile(*checked);
    if (!pipeline) return refusal(pipeline.error());
    out = std::make_unique<Compiled>(std::move(*pipeline));
    return {};
  }
  Answer allocate(uint64_t bytes, std::unique_ptr<vyre_plugin_buffer>& out) override {
    auto memory = backend_->allocate(bytes);
    if (!memory) return refusal(memory.error());
    out = std::make_unique<Memory>(std::move(*memory));
    return {};
  }

 private:
  const std::unique_ptr<backend::Backend> backend_;
};

}  // namespace

Answer open_plugin(std::string_view argument, std::unique_ptr<vyre_plugin_device>& out) {
  auto opened = faults::open_faulty(argument);
  if (!opened) return refusal(opened.error());
  out = std::make_unique<Device>(std::move(*opened));
  return {};
}

}  // namespace vyre::test
