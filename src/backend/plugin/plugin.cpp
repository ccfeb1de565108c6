#include "backend/plugin/plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "backend/plugin/answers.h"
#include "backend/plugin/device.h"
#include "backend/plugin/host.h"
#include "backend/plugin/library.h"
#include "lower/lift.h"
#include "ops/operation.h"
#include "spec/table.h"
#include "wire/wire.h"

namespace vyre::backend {
namespace {

/// The access of a binding, as plugins know it; there is none for memory of the program's own.
uint32_t plugin_access(spec::BufferAccess access) {
  switch (access) {
    case spec::BufferAccess::Read: return VYRE_PLUGIN_READ;
    case spec::BufferAccess::ReadWrite: return VYRE_PLUGIN_READ_WRITE;
    case spec::BufferAccess::Uniform: return VYRE_PLUGIN_UNIFORM;
    case spec::BufferAccess::Workgroup:
    case spec::BufferAccess::Private: break;
  }
  return UINT32_MAX;
}

/// Of workgroup memory, where an element counts at least `least`.
uint64_t workgroup_bytes(const ir::Program& program, uint32_t least = 1) {
  uint64_t bytes = 0;
  for (const ir::BufferDecl& decl : program.buffers) {
    if (decl.access == spec::BufferAccess::Workgroup)
      bytes += uint64_t{decl.count} * std::max(spec::info(program.element(decl)).bytes, least);
  }
  return bytes;
}

uint64_t invocations(const ir::Program& program) {
  return uint64_t{program.workgroup_size[0]} * program.workgroup_size[1] * program.workgroup_size[2];
}

/// B003 when the program needs more than the device says it has, B008 when its workgroups do not fit its
/// subgroups.
Result<void> check_fits(const PluginDevice& device, const check::Checked& checked) {
  const ir::Program& program = checked.program();
  const Limits& limits = device.limits();
  const auto exceeded = [&](std::string_view what, uint64_t wanted, uint64_t allowed) {
    return std::unexpected(make_diag(DiagCode::B003, program.workgroup_span,
                                     fmt::format("{}: the program wants {} {}, and the device allows {}",
                                                 device.identity().name, wanted, what, allowed),
                                     "use a smaller workgroup, or less workgroup memory"));
  };
  if (invocations(program) > limits.max_invocations_per_group)
    return exceeded("invocations a workgroup", invocations(program), limits.max_invocations_per_group);
  const uint64_t shared = workgroup_bytes(program, limits.workgroup_element_bytes);
  if (shared > limits.max_workgroup_bytes)
    return exceeded("bytes of workgroup memory", shared, limits.max_workgroup_bytes);
  if (checked.intrinsics().empty()) return {};
  if (limits.subgroup_size == 0) {
    return std::unexpected(broken_contract(
        device.identity().name, "it says that it has subgroup operations, and a subgroup size of 0"));
  }
  if (invocations(program) % limits.subgroup_size == 0) return {};
  return std::unexpected(
      make_diag(DiagCode::B008, program.workgroup_span,
                fmt::format("a workgroup of {} invocations is not made of whole subgroups of {}",
                            invocations(program), limits.subgroup_size),
                fmt::format("use a workgroup size that is a multiple of {}", limits.subgroup_size)));
}

/// B012 for a buffer or a program of another backend.
std::unexpected<Diag> foreign(std::string_view what) {
  return std::unexpected(make_diag(DiagCode::B012, Span::none(),
                                   fmt::format("a {} of another backend was bound", what),
                                   fmt::format("bind a {} of the backend that compiled the program", what)));
}

/// The range, of no elements.
Result<vyre_plugin_range> range_of(const PluginDevice& device, const DeviceRange& range) {
  const auto* const buffer = dynamic_cast<const PluginBuffer*>(range.buffer);
  if (buffer == nullptr || &buffer->device() != &device) return foreign("buffer");
  return vyre_plugin_range{buffer->handle(), range.offset, range.bytes, 0};
}

class PluginPipeline final : public Pipeline {
 public:
  PluginPipeline(std::shared_ptr<PluginDevice> device, std::shared_ptr<BufferPool> pool,
                 const check::Checked& program, vyre_plugin_pipeline* handle)
      : device_(std::move(device)), pool_(std::move(pool)), program_(program), handle_(handle) {}
  PluginPipeline(const PluginPipeline&) = delete;
  PluginPipeline& operator=(const PluginPipeline&) = delete;
  ~PluginPipeline() override { device_->free(handle_); }

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    VYRE_TRY(bindings, layout::bind(program_, host, groups));
    std::vector<std::unique_ptr<PluginBuffer>> buffers;
    std::vector<vyre_plugin_range> ranges;
    for (const layout::Binding& binding : bindings) {
      VYRE_TRY(buffer, pool_->take(binding.bytes.size()));
      VYRE_CHECK(buffer->write(0, binding.bytes));
      ranges.push_back({buffer->handle(), 0, binding.bytes.size(), binding.count});
      buffers.push_back(std::move(buffer));
    }
    VYRE_CHECK(device_->dispatch(handle_, ranges, groups));
    const auto& bound = program_.bound_buffers();
    for (size_t i = 0; i < bindings.size(); ++i) {
      if (program_.buffer(bound[i]).access == spec::BufferAccess::ReadWrite)
        VYRE_CHECK(buffers[i]->read(0, bindings[i].bytes));
    }
    // Only here: after a failure the device may still use them.
    pool_->give_back(std::move(buffers));
    return {};
  }

  Result<void> dispatch_resident(std::span<const DeviceRange> ranges, layout::Groups groups) override {
    VYRE_TRY(bound, bind(ranges, groups));
    return device_->dispatch(handle_, bound, groups);
  }

  const PluginDevice& device() const { return *device_; }
  vyre_plugin_pipeline* handle() const { return handle_; }
  /// What a dispatch of the program binds, checked.
  Result<std::vector<vyre_plugin_range>> bind(std::span<const DeviceRange> ranges, layout::Groups groups) {
    std::vector<vyre_plugin_range> bound;
    for (const DeviceRange& range : ranges) {
      VYRE_TRY(made, range_of(*device_, range));
      bound.push_back(made);
    }
    std::vector<std::vector<std::byte>> contents;
    VYRE_TRY(extents, extents_of(program_, ranges, contents));
    VYRE_TRY(bindings, layout::bind(program_, std::span<const layout::Extent>(extents), groups));
    for (size_t i = 0; i < bound.size(); ++i) bound[i].count = bindings[i].count;
    return bound;
  }

 private:
  const std::shared_ptr<PluginDevice> device_;
  const std::shared_ptr<BufferPool> pool_;
  const check::Checked program_;
  vyre_plugin_pipeline* const handle_;
};

/// The commands of an engine as the plugin takes them.
class PluginRecording final : public Recording {
 public:
  static Result<std::unique_ptr<Recording>> make(std::shared_ptr<PluginDevice> device,
                                                 std::span<const Command> commands) {
    auto out = std::make_unique<PluginRecording>();
    for (const Command& command : commands) VYRE_CHECK(out->add(*device, command));
    out->device_ = std::move(device);
    return out;
  }

  Result<void> run(std::span<Taken> taken, uint64_t statements) override {
    std::vector<Taken> own(taken.empty() ? repeats_ : 0);
    // Lanes are one after the other here, and each may spend what there is.
    const uint64_t lanes = std::max<uint64_t>(1, lanes_);
    const uint64_t most = statements > UINT64_MAX / lanes ? UINT64_MAX : statements * lanes;
    return device_->dispatch_engine(commands_, taken.empty() ? own : taken, most);
  }

 private:
  Result<void> add(const PluginDevice& device, const Command& command) {
    if (command.kind == Command::Kind::Lane) {
      ++lanes_;
      return {};
    }
    vyre_plugin_command& made = commands_.emplace_back();
    std::vector<vyre_plugin_range>& ranges = ranges_.emplace_back();
    switch (command.kind) {
      case Command::Kind::Dispatch: {
        auto* const pipeline = dynamic_cast<PluginPipeline*>(command.step.pipeline);
        if (pipeline == nullptr || &pipeline->device() != &device) return foreign("program");
        VYRE_TRY(bound, pipeline->bind(command.step.ranges, command.step.groups));
        ranges = std::move(bound);
        made.kind = VYRE_PLUGIN_COMMAND_DISPATCH;
        made.pipeline = pipeline->handle();
        const layout::Groups& groups = command.step.groups;
        std::ranges::copy(std::to_array({groups.x, groups.y, groups.z}), made.groups);
        break;
      }
      case Command::Kind::Zero:
      case Command::Kind::Repeat: {
        VYRE_CHECK(check_range(command.range));
        VYRE_TRY(range, range_of(device, command.range));
        ranges = {range};
        made.kind = VYRE_PLUGIN_COMMAND_ZERO;
        if (command.kind == Command::Kind::Zero) break;
        made.kind = VYRE_PLUGIN_COMMAND_REPEAT;
        made.count = command.count;
        made.turns = command.turns;
        made.word = command.looks ? command.word : VYRE_PLUGIN_NO_WORD;
        made.statements = command.statements;
        ++repeats_;
        break;
      }
      case Command::Kind::Lane: break;
    }
    made.ranges = ranges.data();
    made.range_count = ranges.size();
    return {};
  }

  std::shared_ptr<PluginDevice> device_;
  std::vector<vyre_plugin_command> commands_;
  std::deque<std::vector<vyre_plugin_range>> ranges_;  // of each
  size_t repeats_ = 0;
  uint64_t lanes_ = 0;
};

class Plugin final : public Backend {
 public:
  explicit Plugin(std::shared_ptr<PluginDevice> device)
      : device_(std::move(device)), pool_(std::make_shared<BufferPool>(device_)) {}

  Identity identity() const override { return device_->identity(); }
  Limits limits() const override { return device_->limits(); }
  bool has(spec::Intrinsic intrinsic) const override { return device_->has(intrinsic); }
  uint32_t convention() const override { return device_->convention(); }

  Result<std::unique_ptr<Pipeline>> compile(const check::Checked& checked) override {
    VYRE_CHECK(check_intrinsics(*this, checked));
    VYRE_CHECK(check_fits(*device_, checked));
    const std::optional<ir::Program> lifted = lower::lift_calls_outside_library(checked);
    const ir::Program& given = lifted ? *lifted : checked.program();
    const Bytes wire = wire::encode(given);
    const Digest digest = wire::digest(given);
    std::vector<vyre_plugin_binding> bindings;
    for (const check::BufferId id : checked.bound_buffers()) {
      const ir::BufferDecl& decl = checked.buffer(id);
      bindings.push_back(
          {decl.binding, plugin_access(decl.access), spec::info(checked.program().element(decl)).bytes, 0});
    }
    Compiling compiling(checked, device_->limits().subgroup_size);
    vyre_plugin_program program{};
    program.struct_size = sizeof program;
    program.wire = reinterpret_cast<const uint8_t*>(wire.data());
    program.wire_size = wire.size();
    std::ranges::copy(digest.bytes, program.digest);
    program.bindings = bindings.data();
    program.binding_count = bindings.size();
    program.workgroup_bytes = workgroup_bytes(checked.program());
    std::ranges::copy(checked.program().workgroup_size, program.workgroup_size);
    program.handle = compiling.handle();
    auto pipeline = device_->compile(program);
    if (!pipeline) return std::unexpected(explain(std::move(pipeline).error(), compiling));
    return std::make_unique<PluginPipeline>(device_, pool_, checked, *pipeline);
  }

  Result<std::unique_ptr<DeviceBuffer>> allocate(uint64_t bytes) override {
    VYRE_TRY(buffer, device_->allocate(bytes));
    return std::move(buffer);
  }

  Result<std::unique_ptr<Recording>> record(std::span<const Command> commands) override {
    return device_->has_engines() ? PluginRecording::make(device_, commands) : Backend::record(commands);
  }

 private:
  /// What a refusal really says. A lowering that failed is its reason. B002 is for operations that the plugin
  /// says it lacks, and programs that call one of those are refused before it is asked.
  Diag explain(Diag refusal, const Compiling& compiling) const {
    if (compiling.failure()) return *compiling.failure();
    if (refusal.code != DiagCode::B002) return refusal;
    return broken_contract(
        identity().name,
        fmt::format("it has every operation of the program by its own word, and says: {}", refusal.message));
  }

  const std::shared_ptr<PluginDevice> device_;
  const std::shared_ptr<BufferPool> pool_;
};

constexpr std::string_view kSuffix = ".so";

}  // namespace

bool is_plugin(std::string_view spec) {
  return spec.find('/') != spec.npos || spec.substr(0, spec.find('?')).ends_with(kSuffix);
}

PluginSpec parse_plugin(std::string_view spec) {
  const size_t mark = spec.find('?');
  PluginSpec out{std::string(spec.substr(0, mark)),
                 mark == spec.npos ? std::string() : std::string(spec.substr(mark + 1))};
  // The dynamic linker looks for a name without '/' among the system's libraries.
  if (out.path.find('/') == std::string::npos) out.path = "./" + out.path;
  return out;
}

Result<std::unique_ptr<Backend>> open_plugin(std::string_view spec) {
  const PluginSpec named = parse_plugin(spec);
  VYRE_TRY(api, load_plugin(named.path, plugin_host()));
  VYRE_TRY(device, PluginDevice::open(named.path, api, named.argument));
  return std::make_unique<Plugin>(std::move(device));
}

}  // namespace vyre::backend
