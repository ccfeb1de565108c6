#include "shape_faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/operation.h"
#include "shape_plan.h"

namespace vyre::faults {
namespace {

using backend::DeviceBuffer;
using backend::DeviceRange;
using spec::BufferAccess;

/// Memory of the honest backend, by transfers that may be wrong.
class Memory final : public DeviceBuffer {
 public:
  Memory(std::unique_ptr<DeviceBuffer> honest, const FaultPlan& plan)
      : honest_(std::move(honest)), plan_(plan) {
    if (plan.stale_reads) written_.resize(size_t(bytes()));
  }
  uint64_t bytes() const override { return honest_->bytes(); }
  std::span<std::byte> host() override { return honest_->host(); }
  Result<void> write(uint64_t offset, std::span<const std::byte> from) override {
    const Transfer moved = changed(plan_.write, {offset, from.size()});
    VYRE_CHECK(honest_->write(moved.offset, from.first(size_t(moved.bytes))));
    if (plan_.stale_reads) std::ranges::copy(from, written_.data() + offset);
    return {};
  }
  Result<void> read(uint64_t offset, std::span<std::byte> to) override {
    const Transfer moved = changed(plan_.read, {offset, to.size()});
    return honest_->read(moved.offset, to.first(size_t(moved.bytes)));
  }
  Result<void> fill(uint64_t offset, uint64_t count, std::byte value) override {
    const Transfer moved = changed(plan_.fill, {offset, count});
    VYRE_CHECK(honest_->fill(moved.offset, moved.bytes, value));
    if (plan_.stale_reads) std::fill_n(written_.data() + offset, count, value);
    return {};
  }
  /// What the host wrote, where that is kept.
  std::span<std::byte> written() { return written_; }

 private:
  static Transfer changed(const std::function<void(Transfer&)>& change, Transfer transfer) {
    if (change) change(transfer);
    return transfer;
  }

  const std::unique_ptr<DeviceBuffer> honest_;
  const FaultPlan& plan_;
  std::vector<std::byte> written_;
};

/// What buffers that a change hides in its programs hold.
using Counter = std::array<std::byte, 4>;

class Misshapen final : public backend::Backend {
 public:
  Misshapen(backend::Backend& honest, ShapeFault fault)
      : honest_(honest), plan_(plan_of(fault)), text_(text_of(fault)) {}

  backend::Identity identity() const override {
    backend::Identity id = honest_.identity();
    id.name = fmt::format("{} with {}", id.name, text_);
    return id;
  }
  backend::Limits limits() const override { return honest_.limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override;
  Result<std::unique_ptr<DeviceBuffer>> allocate(uint64_t bytes) override {
    VYRE_TRY(memory, honest_.allocate(bytes));
    return std::make_unique<Memory>(std::move(memory), plan_);
  }

  const FaultPlan& plan() const { return plan_; }
  Counter& counter() { return counter_; }

 private:
  static std::string_view text_of(ShapeFault fault) {
    return fault == ShapeFault::None ? "no fault" : kShapeFaults[size_t(fault)].text;
  }

  backend::Backend& honest_;
  const FaultPlan plan_;
  const std::string_view text_;
  Counter counter_{};
};

class Run final : public backend::Pipeline {
 public:
  Run(Misshapen& backend, const check::Checked& program, std::unique_ptr<backend::Pipeline> honest,
      std::vector<Hidden> hidden)
      : backend_(backend), program_(program), honest_(std::move(honest)), hidden_(std::move(hidden)) {}

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    const FaultPlan& plan = backend_.plan();
    VYRE_CHECK(layout::bind(program_, host, groups));
    Call call{.program = program_,
              .memory = {host.begin(), host.end()},
              .groups = groups,
              .first = again_ ? &first_ : nullptr};
    if (!again_ && plan.dispatch) remember(call);
    if (plan.dispatch) plan.dispatch(call);
    // What breaks a rule is no fault of shape: then there is none.
    if (!layout::bind(program_, call.memory, call.groups)) {
      call.memory.assign(host.begin(), host.end());
      call.groups = groups;
    }
    const bool honest = !plan.honest || plan.honest(call);
    std::array<uint32_t, 3> axes = {groups.x, groups.y, groups.z};
    for (const Hidden hidden : hidden_) {
      call.memory.push_back(hidden == Hidden::Groups ? std::as_writable_bytes(std::span(axes))
                                                     : std::span<std::byte>(backend_.counter()));
    }
    VYRE_CHECK(honest_->dispatch(call.memory, call.groups));
    if (!honest) spoil(host);
    return {};
  }

  Result<void> dispatch_resident(std::span<const DeviceRange> ranges, layout::Groups groups) override {
    std::vector<std::span<std::byte>> memory;
    for (size_t k = 0; k < ranges.size(); ++k) {
      VYRE_CHECK(backend::check_range(ranges[k]));
      auto& buffer = static_cast<Memory&>(*ranges[k].buffer);
      const DeviceRange range = changed(ranges, k);
      const bool stale = backend_.plan().stale_reads && access(k) == BufferAccess::Read;
      memory.push_back(
          (stale ? buffer.written() : buffer.host()).subspan(size_t(range.offset), size_t(range.bytes)));
    }
    if (!backend_.plan().range) return dispatch(memory, groups);
    // What is moved may be moved onto another range, which a dispatch of the honest backend may not be.
    std::vector<std::vector<std::byte>> copies;
    for (const std::span<std::byte> part : memory) copies.emplace_back(part.begin(), part.end());
    const auto done = dispatch(std::vector<std::span<std::byte>>(copies.begin(), copies.end()), groups);
    for (size_t k = 0; k < copies.size(); ++k) {
      if (access(k) == BufferAccess::ReadWrite) std::ranges::copy(copies[k], memory[k].begin());
    }
    return done;
  }

 private:
  BufferAccess access(size_t k) const { return program_.buffer(program_.bound_buffers()[k]).access; }

  /// What the fault makes of a range: whole elements that are no other range's.
  DeviceRange changed(std::span<const DeviceRange> ranges, size_t k) const {
    DeviceRange range = ranges[k];
    if (!backend_.plan().range) return range;
    const auto next_after = [&](uint64_t offset) {
      uint64_t next = range.buffer->bytes();
      for (size_t other = 0; other < ranges.size(); ++other) {
        if (other != k && ranges[other].buffer == range.buffer && ranges[other].offset >= offset)
          next = std::min(next, ranges[other].offset);
      }
      return next;
    };
    backend_.plan().range(range, next_after(range.offset));
    const uint32_t element =
        spec::info(program_.program().element(program_.buffer(program_.bound_buffers()[k]))).bytes;
    range.bytes = std::min(range.bytes, range.buffer->bytes() - range.offset);
    range.bytes -= range.bytes % element;
    return range;
  }
  void remember(const Call& call) {
    again_ = true;
    first_.groups = call.groups;
    for (const std::span<std::byte> memory : call.memory)
      first_.contents.emplace_back(memory.begin(), memory.end());
  }
  void spoil(std::span<const std::span<std::byte>> host) const {
    for (size_t k = 0; k < host.size(); ++k) {
      if (access(k) == BufferAccess::ReadWrite && !host[k].empty()) host[k][0] ^= std::byte{1};
    }
  }

  Misshapen& backend_;
  const check::Checked program_;
  const std::unique_ptr<backend::Pipeline> honest_;
  const std::vector<Hidden> hidden_;
  bool again_ = false;
  Call::First first_;
};

Result<std::unique_ptr<backend::Pipeline>> Misshapen::compile(const check::Checked& program) {
  Copy copy(program, plan_.program);
  const auto wrong = check::check(copy.run(), ops::op_table());
  VYRE_TRY(honest, honest_.compile(wrong ? *wrong : program));
  return std::make_unique<Run>(*this, program, std::move(honest),
                               wrong ? copy.hidden() : std::vector<Hidden>{});
}

}  // namespace

std::unique_ptr<backend::Backend> make_misshapen(backend::Backend& honest, ShapeFault fault) {
  return std::make_unique<Misshapen>(honest, fault);
}

bool may_strike(ShapeFault fault, const check::Checked& program) {
  const FaultPlan plan = plan_of(fault);
  const bool outside =
      plan.dispatch || plan.write || plan.read || plan.fill || plan.range || plan.stale_reads || plan.honest;
  return outside || !ir::equal(Copy(program, plan.program).run(), program.program());
}

}  // namespace vyre::faults
