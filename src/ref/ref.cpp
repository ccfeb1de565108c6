#include "ref/ref.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "ref/invocation.h"
#include "ref/machine.h"
#include "ref/memory.h"
#include "ref/subgroup.h"
#include "spec/limits.h"

namespace vyre::ref {
namespace {

/// All that one workgroup holds at a time: its memory, and the variables of invocations that wait at a
/// barrier.
constexpr uint64_t kMaxWorkgroupState = 1ull << 30;

uint32_t group_size(const check::Checked& program) {
  const auto& size = program.program().workgroup_size;
  return size[0] * size[1] * size[2];  // at most 1024
}

/// Without barriers and subgroup operations no invocation waits for another, and one after the other is
/// enough.
uint32_t invocations_at_a_time(const check::Checked& program) {
  return program.has_barrier() || !program.intrinsics().empty() ? group_size(program) : 1;
}

/// The driver "in order": each invocation of a workgroup runs to its next barrier, subgroup operation or end,
/// then the next one.
class InOrder {
 public:
  InOrder(const check::Checked& program, std::span<const layout::Binding> bindings, layout::Groups groups,
          const Options& options)
      : size_(program.program().workgroup_size),
        groups_(groups),
        members_(group_size(program)),
        ready_(program),
        memory_(program, bindings),
        budget_(options.max_steps),
        subgroup_size_(options.subgroup_size),
        invocations_(invocations_at_a_time(program), Invocation(ready_, memory_, budget_)) {}

  /// False when the steps ran out.
  bool run_workgroup(const std::array<uint32_t, 3>& workgroup) {
    memory_.start_workgroup();
    for (uint32_t first = 0; first < members_; first += uint32_t(invocations_.size())) {
      for (uint32_t i = 0; i < invocations_.size(); ++i) {
        invocations_[i].start(identify(size_, groups_, workgroup, first + i));
      }
      if (!run_started()) return false;
    }
    return true;
  }

 private:
  bool run_started() {
    live_.clear();
    for (Invocation& invocation : invocations_) live_.push_back(&invocation);
    while (!live_.empty()) {
      waiting_.clear();
      bool at_subgroup_operation = false;
      for (Invocation* invocation : live_) {
        switch (invocation->run()) {
          case Event::Subgroup:
            at_subgroup_operation = true;
            waiting_.push_back(invocation);
            break;
          case Event::Barrier: waiting_.push_back(invocation); break;
          case Event::Access:  // not asked for
          case Event::Return: break;
          case Event::OutOfSteps: return false;
        }
      }
      live_.swap(waiting_);
      if (at_subgroup_operation) answer_subgroups();
    }
    return true;
  }

  /// Subgroup operations stand only where control is uniform, so when one invocation of the workgroup is at
  /// one, all of them are, at the same.
  void answer_subgroups() {
    for (size_t first = 0; first < live_.size(); first += subgroup_size_) {
      lanes_.clear();
      for (uint32_t lane = 0; lane < subgroup_size_; ++lane) {
        LaneOperands& operands = lanes_.emplace_back();
        std::ranges::copy(live_[first + lane]->lane_operands(), operands.begin());
      }
      for (uint32_t lane = 0; lane < subgroup_size_; ++lane) {
        Invocation& invocation = *live_[first + lane];
        invocation.answer(eval_subgroup(invocation.waits_for(), lanes_, lane));
      }
    }
  }

  std::array<uint32_t, 3> size_;
  layout::Groups groups_;
  uint32_t members_;
  ReadyProgram ready_;
  PlainMemory memory_;
  Budget budget_;
  uint32_t subgroup_size_;
  std::vector<Invocation> invocations_;
  std::vector<Invocation*> live_;
  std::vector<Invocation*> waiting_;
  std::vector<LaneOperands> lanes_;
};

}  // namespace

Result<void> check_sizes(const check::Checked& program, std::span<const layout::Binding> bindings) {
  const ir::Program& ir = program.program();
  for (size_t i = 0; i < bindings.size(); ++i) {
    const uint64_t bytes = bindings[i].bytes.size();
    if (bytes <= spec::kMaxReferenceBytes) continue;
    const ir::BufferDecl& decl = program.buffer(program.bound_buffers()[i]);
    return std::unexpected(make_diag(DiagCode::X006, decl.span,
                                     fmt::format("buffer '{}' has {} bytes, and the reference takes {}",
                                                 ir.code.name(decl.name), bytes, spec::kMaxReferenceBytes),
                                     "tile the computation, or run it on another backend"));
  }
  uint64_t state =
      uint64_t(invocations_at_a_time(program)) * program.resolution().variables.size() * sizeof(Bits);
  for (const ir::BufferDecl& decl : ir.buffers) {
    if (spec::is_bound(decl.access)) continue;
    const uint32_t copies = decl.access == spec::BufferAccess::Private ? invocations_at_a_time(program) : 1;
    state += uint64_t(copies) * decl.count * spec::info(decl.element).bytes;
  }
  if (state > kMaxWorkgroupState) {
    return std::unexpected(make_diag(
        DiagCode::B003, ir.workgroup_span,
        fmt::format("one workgroup needs {} bytes for its memory and variables, and the reference allows {}",
                    state, kMaxWorkgroupState),
        "use less workgroup memory, fewer variables or a smaller workgroup"));
  }
  return {};
}

Diag out_of_steps(const Options& options) {
  return make_diag(DiagCode::B003, Span::none(),
                   fmt::format("not finished after {} steps", options.max_steps),
                   "give it more steps or less work; the buffers hold what was stored until then");
}

Result<void> check_subgroups(const check::Checked& program, uint32_t subgroup_size) {
  if (subgroup_size > kMaxSubgroupSize || (subgroup_size != 0 && !std::has_single_bit(subgroup_size))) {
    return std::unexpected(
        make_diag(DiagCode::B003, Span::none(),
                  fmt::format("subgroups of {} lanes, and the reference has those of a power of two up to {}",
                              subgroup_size, kMaxSubgroupSize),
                  "choose a size of 1, 2, 4, 8, 16, 32, 64 or 128"));
  }
  if (program.intrinsics().empty()) return {};
  const check::Checked::IntrinsicUse& first = program.intrinsics().front();
  if (subgroup_size == 0) {
    return std::unexpected(make_diag(
        DiagCode::B002, first.span,
        fmt::format("the reference has no '{}' unless the size of a subgroup is given",
                    spec::info(first.intrinsic).id),
        "declare a subgroup size (vyre run --subgroup-size N), or choose a backend with subgroups"));
  }
  if (group_size(program) % subgroup_size != 0) {
    return std::unexpected(
        make_diag(DiagCode::B008, program.program().workgroup_span,
                  fmt::format("a workgroup of {} invocations is not made of whole subgroups of {}",
                              group_size(program), subgroup_size),
                  fmt::format("use a workgroup size that is a multiple of {}", subgroup_size)));
  }
  return {};
}

Result<void> run(const check::Checked& program, std::span<const std::span<std::byte>> host,
                 layout::Groups groups, const Options& options) {
  VYRE_TRY(bindings, layout::bind(program, host, groups));
  VYRE_CHECK(check_sizes(program, bindings));
  VYRE_CHECK(check_subgroups(program, options.subgroup_size));
  InOrder driver(program, bindings, groups, options);
  for (uint32_t z = 0; z < groups.z; ++z) {
    for (uint32_t y = 0; y < groups.y; ++y) {
      for (uint32_t x = 0; x < groups.x; ++x) {
        if (driver.run_workgroup({x, y, z})) continue;
        return std::unexpected(out_of_steps(options));
      }
    }
  }
  return {};
}

}  // namespace vyre::ref
