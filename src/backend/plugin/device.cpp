#include "backend/plugin/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "backend/plugin/answers.h"
#include "backend/plugin/library.h"
#include "spec/intrinsics.h"

namespace vyre::backend {
namespace {

constexpr uint32_t kMaxSubgroupSize = 128;
/// What idle buffers of a device may take together.
constexpr uint64_t kMaxIdleBytes = 256ull << 20;
/// Buffers up to this size are powers of two, so that dispatches of nearly equal sizes share them.
constexpr uint64_t kMaxRounded = 16ull << 20;

Result<void> check_limits(const std::string& path, const Limits& limits) {
  const std::string help = "fill in every field of vyre_plugin_limits";
  if (limits.max_invocations_per_group == 0)
    return unusable(fmt::format("'{}' allows workgroups of 0 invocations", path), help);
  if (limits.max_buffer_bytes == 0)
    return unusable(fmt::format("'{}' allows buffers of 0 bytes", path), help);
  const uint32_t lanes = limits.subgroup_size;
  if (lanes == 0 || (std::has_single_bit(lanes) && lanes <= kMaxSubgroupSize)) return {};
  return unusable(fmt::format("'{}' has subgroups of {} lanes", path, lanes),
                  fmt::format("say a power of two up to {}, or 0 for no subgroups", kMaxSubgroupSize));
}

}  // namespace

Result<std::shared_ptr<PluginDevice>> PluginDevice::open(const std::string& path, const vyre_plugin_api& api,
                                                         const std::string& argument) {
  vyre_plugin_device* handle = nullptr;
  vyre_plugin_error error = no_error();
  const vyre_plugin_status status = api.open(argument.c_str(), &handle, &error);
  if (status != VYRE_PLUGIN_OK) return std::unexpected(to_diag(path, "open", status, error));
  if (handle == nullptr) return std::unexpected(broken_contract(path, "open succeeded and gave no device"));
  std::shared_ptr<PluginDevice> device(new PluginDevice(api, handle));
  VYRE_CHECK(device->ask(path));
  return device;
}

PluginDevice::~PluginDevice() {
  const std::scoped_lock lock(mutex_);
  api_.close(device_);
}

Result<void> PluginDevice::ask(const std::string& path) {
  vyre_plugin_identity said{};
  said.struct_size = sizeof said;
  api_.identity(device_, &said);
  identity_ = {.name = text_of(said.name),
               .device = text_of(said.device),
               .driver = text_of(said.driver),
               .version = VYRE_VERSION,
               .kind = said.kind == VYRE_PLUGIN_CPU ? spec::DeviceKind::Cpu : spec::DeviceKind::Gpu};
  if (identity_.name.empty())
    return unusable(fmt::format("'{}' gives no name", path), "fill in vyre_plugin_identity.name");
  vyre_plugin_limits limits{};
  limits.struct_size = sizeof limits;
  api_.limits(device_, &limits);
  limits_ = {.max_invocations_per_group = limits.max_invocations_per_group,
             .max_workgroup_bytes = limits.max_workgroup_bytes,
             .workgroup_element_bytes = std::max(limits.workgroup_element_bytes, 1u),
             .max_buffer_bytes = limits.max_buffer_bytes,
             .subgroup_size = limits.subgroup_size};
  return check_limits(path, limits_);
}

bool PluginDevice::has(spec::Intrinsic intrinsic) {
  if (api_.has == nullptr) return false;
  const spec::IntrinsicInfo& info = spec::info(intrinsic);
  const std::scoped_lock lock(mutex_);
  return api_.has(device_, std::string(info.id).c_str(), info.version) != 0;
}

uint32_t PluginDevice::convention() {
  if (api_.convention == nullptr) return 1;
  const std::scoped_lock lock(mutex_);
  return std::clamp(api_.convention(device_), 1u, spec::kLatestConvention);
}

Diag PluginDevice::failed(std::string_view call, vyre_plugin_status status,
                          const vyre_plugin_error& error) const {
  return to_diag(identity_.name, call, status, error);
}

Result<void> PluginDevice::check_moved(std::string_view call, uint64_t done, uint64_t bytes) const {
  if (done == bytes) return {};
  return std::unexpected(broken_contract(
      identity_.name,
      fmt::format("wrong size: {} moved {} bytes, and {} were asked for", call, done, bytes)));
}

Result<vyre_plugin_pipeline*> PluginDevice::compile(const vyre_plugin_program& program) {
  vyre_plugin_pipeline* pipeline = nullptr;
  vyre_plugin_error error = no_error();
  const std::scoped_lock lock(mutex_);
  const vyre_plugin_status status = api_.compile(device_, &program, &pipeline, &error);
  if (status != VYRE_PLUGIN_OK) return std::unexpected(failed("compile", status, error));
  if (pipeline == nullptr)
    return std::unexpected(broken_contract(identity_.name, "compile succeeded and gave no pipeline"));
  return pipeline;
}

void PluginDevice::free(vyre_plugin_pipeline* pipeline) {
  const std::scoped_lock lock(mutex_);
  api_.free_pipeline(pipeline);
}

Result<void> PluginDevice::dispatch(vyre_plugin_pipeline* pipeline, std::span<const vyre_plugin_range> ranges,
                                    layout::Groups groups) {
  const uint32_t extent[3] = {groups.x, groups.y, groups.z};
  vyre_plugin_error error = no_error();
  const std::scoped_lock lock(mutex_);
  const vyre_plugin_status status = api_.dispatch(pipeline, ranges.data(), ranges.size(), extent, &error);
  if (status != VYRE_PLUGIN_OK) return std::unexpected(failed("dispatch", status, error));
  return {};
}

namespace {

/// Whether repeats can have taken so many turns: each execution at least one and at most its `turns`, and as
/// many executions as what it stands in has turns, but where the statements did not suffice.
bool can_be(std::span<const vyre_plugin_command> commands, std::span<const vyre_plugin_taken> taken,
            uint64_t statements) {
  struct Open {
    size_t end;
    uint64_t turns;
  };
  std::vector<Open> open = {{commands.size(), 1}};
  bool good = true, at_least = true;
  uint64_t spent = 0;
  size_t number = 0;
  for (size_t i = 0; i < commands.size() && good; ++i) {
    while (open.back().end <= i) open.pop_back();
    const vyre_plugin_command& command = commands[i];
    if (command.kind != VYRE_PLUGIN_COMMAND_REPEAT) continue;
    const vyre_plugin_taken& found = taken[number++];
    const uint64_t executions = open.back().turns;
    // Counts of more turns than a run may have statements are wrong, and products of the others fit.
    good = found.turns <= statements + executions && found.unfinished <= executions &&
           found.turns <= executions * command.turns;
    at_least &= found.turns >= executions;
    spent += good ? found.turns * command.statements : 0;
    open.push_back({i + 1 + command.count, found.turns});
  }
  return good && (at_least || spent > statements);
}

}  // namespace

Result<void> PluginDevice::dispatch_engine(std::span<const vyre_plugin_command> commands,
                                           std::span<Taken> taken, uint64_t statements) {
  std::vector<vyre_plugin_taken> answer(taken.size());
  vyre_plugin_error error = no_error();
  {
    const std::scoped_lock lock(mutex_);
    const vyre_plugin_status status =
        api_.dispatch_engine(device_, commands.data(), commands.size(), statements, answer.data(), &error);
    if (status != VYRE_PLUGIN_OK) return std::unexpected(failed("dispatch_engine", status, error));
  }
  if (!can_be(commands, answer, statements)) {
    return std::unexpected(
        broken_contract(identity_.name, "dispatch_engine counts turns that its repeats cannot take"));
  }
  for (size_t i = 0; i < taken.size(); ++i) taken[i] = {answer[i].turns, answer[i].unfinished};
  return {};
}

Result<std::unique_ptr<PluginBuffer>> PluginDevice::allocate(uint64_t bytes) {
  if (bytes > limits_.max_buffer_bytes) {
    return std::unexpected(make_diag(DiagCode::B003, Span::none(),
                                     fmt::format("{}: a buffer of {} bytes, and one may have {}",
                                                 identity_.name, bytes, limits_.max_buffer_bytes),
                                     "use smaller buffers"));
  }
  vyre_plugin_buffer* buffer = nullptr;
  vyre_plugin_error error = no_error();
  {
    const std::scoped_lock lock(mutex_);
    const vyre_plugin_status status = api_.allocate(device_, bytes, &buffer, &error);
    if (status != VYRE_PLUGIN_OK) return std::unexpected(failed("allocate", status, error));
  }
  if (buffer == nullptr)
    return std::unexpected(broken_contract(identity_.name, "allocate succeeded and gave no buffer"));
  return std::make_unique<PluginBuffer>(shared_from_this(), buffer, bytes);
}

void PluginDevice::free(vyre_plugin_buffer* buffer) {
  const std::scoped_lock lock(mutex_);
  api_.free_buffer(buffer);
}

Result<void> PluginDevice::write(vyre_plugin_buffer* buffer, uint64_t offset,
                                 std::span<const std::byte> from) {
  uint64_t done = 0;
  vyre_plugin_error error = no_error();
  const std::scoped_lock lock(mutex_);
  const vyre_plugin_status status = api_.write(buffer, offset, from.data(), from.size(), &done, &error);
  if (status != VYRE_PLUGIN_OK) return std::unexpected(failed("write", status, error));
  return check_moved("write", done, from.size());
}

Result<void> PluginDevice::read(vyre_plugin_buffer* buffer, uint64_t offset, std::span<std::byte> to) {
  uint64_t done = 0;
  vyre_plugin_error error = no_error();
  const std::scoped_lock lock(mutex_);
  const vyre_plugin_status status = api_.read(buffer, offset, to.data(), to.size(), &done, &error);
  if (status != VYRE_PLUGIN_OK) return std::unexpected(failed("read", status, error));
  return check_moved("read", done, to.size());
}

Result<void> PluginDevice::fill(vyre_plugin_buffer* buffer, uint64_t offset, uint64_t bytes,
                                std::byte value) {
  vyre_plugin_error error = no_error();
  const std::scoped_lock lock(mutex_);
  const vyre_plugin_status status = api_.fill(buffer, offset, bytes, uint8_t(value), &error);
  if (status != VYRE_PLUGIN_OK) return std::unexpected(failed("fill", status, error));
  return {};
}

Result<void> PluginBuffer::write(uint64_t offset, std::span<const std::byte> from) {
  VYRE_CHECK(check_within(bytes_, offset, from.size()));
  return from.empty() ? Result<void>() : device_->write(handle_, offset, from);
}
Result<void> PluginBuffer::read(uint64_t offset, std::span<std::byte> to) {
  VYRE_CHECK(check_within(bytes_, offset, to.size()));
  return to.empty() ? Result<void>() : device_->read(handle_, offset, to);
}
Result<void> PluginBuffer::fill(uint64_t offset, uint64_t count, std::byte value) {
  VYRE_CHECK(check_within(bytes_, offset, count));
  return count == 0 ? Result<void>() : device_->fill(handle_, offset, count, value);
}

Result<std::unique_ptr<PluginBuffer>> BufferPool::take(uint64_t bytes) {
  uint64_t rounded = std::max(bytes, kRangeAlignment);
  if (rounded <= kMaxRounded) rounded = std::bit_ceil(rounded);
  rounded = std::max(bytes, std::min(rounded, device_->limits().max_buffer_bytes));
  {
    const std::scoped_lock lock(mutex_);
    const auto fits = [&](const auto& buffer) {
      return buffer->bytes() >= bytes && buffer->bytes() / 2 <= rounded;
    };
    const auto found = std::ranges::find_if(idle_.rbegin(), idle_.rend(), fits);
    if (found != idle_.rend()) {
      std::unique_ptr<PluginBuffer> taken = std::move(*found);
      idle_.erase(std::next(found).base());
      return taken;
    }
  }
  auto made = device_->allocate(rounded);
  if (made || made.error().code != DiagCode::B003) return made;
  {
    const std::scoped_lock lock(mutex_);
    idle_.clear();
  }
  return device_->allocate(bytes);
}

void BufferPool::give_back(std::vector<std::unique_ptr<PluginBuffer>> buffers) {
  const std::scoped_lock lock(mutex_);
  for (auto& buffer : buffers) idle_.push_back(std::move(buffer));
  uint64_t kept = 0;
  size_t first = idle_.size();
  while (first > 0 && kept + idle_[first - 1]->bytes() <= kMaxIdleBytes) kept += idle_[--first]->bytes();
  idle_.erase(idle_.begin(), idle_.begin() + ptrdiff_t(first));
}

}  // namespace vyre::backend
