#include "plan/tree_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "ir/builder.h"
#include "spec/ops.h"
#include "spec/reduction.h"

namespace vyre::plan {
namespace {

using backend::DeviceRange;
using ir::Ex;
using spec::DataType;
using spec::Op;

/// Elements that an invocation reduces by itself: enough that most of the work needs no barrier.
constexpr uint32_t kPerInvocation = 8;
/// Workgroups along x; more go along y, since an axis holds 65,535.
constexpr uint32_t kRow = 32768;

/// Writes the pass. A node of the tree whose right half lies beyond the elements is its left half.
class Pass {
 public:
  Pass(Op fold, DataType type, uint32_t workgroup_size)
      : p_("tree_pass"), fold_(fold), type_(type), size_(workgroup_size) {}

  ir::Program write() {
    p_.workgroup_size(size_, 1, 1);
    const ir::BufferRef data = p_.read("data", type_, 0);
    out_ = p_.read_write("out", type_, 1);
    shared_ = p_.workgroup("shared", type_, size_);
    p_.let("group", p_.workgroup_id(1) * kRow + p_.workgroup_id(0));
    p_.let("lane", p_.local_id(0));
    p_.let("count", p_.len(data));
    p_.let("base", (p_.var("group") * size_ + p_.var("lane")) * kPerInvocation);
    reduce_own(data);
    p_.store(shared_, p_.var("lane"), p_.var("x0"));
    reduce_shared();
    p_.if_(p_.var("lane") == 0, [&] { write_result(); });
    return p_.finish();
  }

 private:
  Ex fold(Ex a, Ex b) { return p_.apply(fold_, {a, b}); }
  static std::string name(uint32_t i) { return fmt::format("x{}", i); }

  /// The invocation's own elements, into x0: those that do not exist take no part.
  void reduce_own(ir::BufferRef data) {
    const auto f = spec::float_format(type_);
    for (uint32_t i = 0; i < kPerInvocation; ++i) {
      const std::string raw = fmt::format("element{}", i);
      p_.let(raw, p_.load(data, p_.var("base") + i));
      // One element alone is its own sum, and a sum is never another NaN than the one.
      p_.let(name(i),
             p_.select(p_.apply(Op::FIsNaN, {p_.var(raw)}), p_.literal(type_, f.nan()), p_.var(raw)));
    }
    for (uint32_t step = 1; step < kPerInvocation; step *= 2) {
      for (uint32_t i = 0; i < kPerInvocation; i += 2 * step) {
        const Ex both = fold(p_.var(name(i)), p_.var(name(i + step)));
        p_.assign(p_.var(name(i)),
                  p_.select(p_.var("base") + (i + step) < p_.var("count"), both, p_.var(name(i))));
      }
    }
  }

  /// The invocations' results, into the first one's.
  void reduce_shared() {
    for (uint32_t step = 1; step < size_; step *= 2) {
      p_.barrier();
      const Ex owner = (p_.var("lane") & (2 * step - 1)) == 0;
      const Ex exists = p_.var("base") + step * kPerInvocation < p_.var("count");
      p_.if_(owner && exists, [&] {
        const Ex other = p_.load(shared_, p_.var("lane") + step);
        p_.store(shared_, p_.var("lane"), fold(p_.load(shared_, p_.var("lane")), other));
      });
    }
  }

  void write_result() {
    const Ex nothing = p_.literal(type_, spec::fold_identity(fold_, type_));
    p_.store(out_, p_.var("group"), p_.select(p_.var("count") == 0, nothing, p_.load(shared_, p_.u32(0))));
  }

  ir::ProgramBuilder p_;
  Op fold_;
  DataType type_;
  uint32_t size_;
  ir::BufferRef out_{}, shared_{};
};

layout::Groups groups_of(uint64_t blocks) {
  const uint64_t rows = (blocks + kRow - 1) / kRow;
  return {.x = uint32_t(std::clamp<uint64_t>(blocks, 1, kRow)),
          .y = uint32_t(std::max<uint64_t>(rows, 1)),
          .z = 1};
}

}  // namespace

ir::Program tree_pass(Op fold, DataType type, const TreeOptions& options) {
  return Pass(fold, type, options.workgroup_size).write();
}

Result<TreeReduction> TreeReduction::make(backend::Backend& backend, Op fold, DataType type,
                                          const TreeOptions& options) {
  const uint32_t most = backend.limits().max_invocations_per_group;
  if (options.workgroup_size > most) {
    return std::unexpected(
        make_diag(DiagCode::B003, Span::none(),
                  fmt::format("workgroups of {} invocations, and the {} backend has at most {}",
                              options.workgroup_size, backend.identity().name, most),
                  fmt::format("use at most {}: the result is the same", std::bit_floor(most))));
  }
  static const spec::OpTable no_operations;
  auto checked = check::check(tree_pass(fold, type, options), no_operations);
  if (!checked) return std::unexpected(checked.error().front());
  VYRE_TRY(pipeline, backend.compile(*checked));
  return TreeReduction(backend, type, options.workgroup_size * kPerInvocation, std::move(pipeline));
}

Result<DeviceRange> TreeReduction::partials(size_t which, uint64_t elements) {
  const uint64_t bytes = elements * spec::info(type_).bytes;
  partials_.resize(std::max(partials_.size(), which + 1));
  auto& buffer = partials_[which];
  if (buffer == nullptr || buffer->bytes() < bytes) {
    VYRE_TRY(larger, backend_->allocate(bytes));
    buffer = std::move(larger);
  }
  return DeviceRange{.buffer = buffer.get(), .offset = 0, .bytes = bytes};
}

Result<void> TreeReduction::run(const DeviceRange& data, const DeviceRange& result) {
  const uint64_t element = spec::info(type_).bytes;
  DeviceRange from = data;
  for (size_t pass = 0;; ++pass) {
    const uint64_t count = from.bytes / element;
    const uint64_t blocks = std::max<uint64_t>(1, (count + block_ - 1) / block_);
    DeviceRange to{.buffer = result.buffer, .offset = result.offset, .bytes = element};
    if (blocks > 1) {
      VYRE_TRY(between, partials(pass % 2, blocks));
      to = between;
    } else {
      VYRE_CHECK(backend::check_within(result.bytes, 0, element));
    }
    // Groups fill whole rows along x; the last row's may begin beyond the elements, where they write nothing:
    // their element of `out` does not exist.
    const std::array<DeviceRange, 2> ranges = {from, to};
    VYRE_CHECK(pipeline_->dispatch_resident(ranges, groups_of(blocks)));
    if (blocks == 1) return {};
    from = to;
  }
}

Result<uint32_t> TreeReduction::run(std::span<const std::byte> data) {
  VYRE_TRY(input, backend_->allocate(std::max<uint64_t>(data.size(), 4)));
  VYRE_TRY(output, backend_->allocate(4));
  VYRE_CHECK(input->write(0, data));
  VYRE_CHECK(run(DeviceRange{.buffer = input.get(), .offset = 0, .bytes = data.size()},
                 DeviceRange{.buffer = output.get(), .offset = 0, .bytes = 4}));
  std::array<std::byte, 4> bits{};
  VYRE_CHECK(output->read(0, std::span(bits).first(spec::info(type_).bytes)));
  return std::bit_cast<uint32_t>(bits);
}

}  // namespace vyre::plan
