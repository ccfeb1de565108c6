#include "ref/machine.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ref/subgroup.h"

namespace vyre::ref {

Identity identify(const std::array<uint32_t, 3>& size, layout::Groups groups,
                  const std::array<uint32_t, 3>& workgroup, uint32_t linear) {
  Identity out;
  out.workgroup = workgroup;
  out.workgroups = {groups.x, groups.y, groups.z};
  out.local = {linear % size[0], linear / size[0] % size[1], linear / size[0] / size[1]};
  for (size_t axis = 0; axis < 3; ++axis) {
    out.invocation[axis] = workgroup[axis] * size[axis] + out.local[axis];
  }
  return out;
}

/// The memory of a workgroup, which tells the watch of what the invocation at hand accesses.
struct Machine::WatchedMemory final : Memory {
  WatchedMemory(const check::Checked& program, std::span<const layout::Binding> bindings, const Watch& watch)
      : program_(program), plain(program, bindings), watch_(watch) {}

  uint32_t length(BufferId buffer) const override { return plain.length(buffer); }
  Bits load(BufferId buffer, Indices indices) override {
    tell(buffer, indices, AccessKind::Read);
    return plain.load(buffer, indices);
  }
  void store(BufferId buffer, Indices indices, Bits value) override {
    tell(buffer, indices, AccessKind::Write);
    plain.store(buffer, indices, value);
  }
  Bits atomic(spec::Op op, BufferId buffer, Bits index, Bits expected, Bits value) override {
    tell(buffer, {&index, 1}, AccessKind::Atomic);
    if (reads) return *std::exchange(reads, std::nullopt);
    return plain.atomic(op, buffer, index, expected, value);
  }
  Touched touched(BufferId buffer, Indices indices, AccessKind kind) const {
    const auto element = plain.element_at(buffer, indices);
    Touched out = {.buffer = buffer,
                   .type = plain.element_type(buffer),
                   .of_workgroup = program_.buffer(buffer).access == spec::BufferAccess::Workgroup,
                   .first = element.value_or(0),
                   .count = element ? 1u : 0u,
                   .who = running};
    out.who.kind = kind;
    return out;
  }

 private:
  void tell(BufferId buffer, Indices indices, AccessKind kind) {
    if (!watch_) return;
    running.span = at->place();
    const Touched touched = this->touched(buffer, indices, kind);
    if (touched.count != 0) watch_(touched, epoch);
  }

  const check::Checked& program_;

 public:
  PlainMemory plain;
  Toucher running;  // the invocation at hand
  const Invocation* at = nullptr;
  uint32_t epoch = 0;
  std::optional<Bits> reads;  // what the next atomic reads, without a change

 private:
  const Watch& watch_;
};

struct Machine::Group {
  enum class State : uint8_t { Ready, AtBarrier, AtSubgroup, Done };
  Group(const check::Checked& program, const ReadyProgram& ready, std::span<const layout::Binding> bindings,
        const Watch& watch, Budget& budget, uint32_t members)
      : memory(program, bindings, watch),
        invocations(members, Invocation(ready, memory, budget)),
        states(members, State::Done),
        identities(members) {
    counts[size_t(State::Done)] = members;
  }
  void set(uint32_t local, State state) {
    --counts[size_t(states[local])];
    ++counts[size_t(state)];
    states[local] = state;
  }
  uint32_t count(State state) const { return counts[size_t(state)]; }

  uint32_t number = 0;  // of the workgroup in the dispatch
  uint32_t base = 0;    // of its first invocation in the machine
  WatchedMemory memory;
  std::vector<Invocation> invocations;
  std::vector<State> states;
  std::array<uint32_t, 4> counts{};  // of invocations in each state: asked after every step
  std::vector<Identity> identities;
};

Machine::Machine(const check::Checked& program, const ReadyProgram& ready,
                 std::span<const layout::Binding> bindings, layout::Groups groups, uint32_t subgroup_size,
                 std::span<const uint32_t> workgroups, Budget& budget, Watch watch)
    : subgroup_size_(subgroup_size), watch_(std::move(watch)) {
  const auto& size = program.program().workgroup_size;
  members_ = size[0] * size[1] * size[2];
  for (const uint32_t number : workgroups) {
    Group& group =
        *groups_.emplace_back(std::make_unique<Group>(program, ready, bindings, watch_, budget, members_));
    group.number = number;
    group.base = uint32_t(groups_.size() - 1) * members_;
    group.memory.plain.start_workgroup();
    const std::array<uint32_t, 3> place = {number % groups.x, number / groups.x % groups.y,
                                           number / groups.x / groups.y};
    for (uint32_t i = 0; i < members_; ++i) {
      group.identities[i] = identify(size, groups, place, i);
      group.invocations[i].start(group.identities[i]);
      group.invocations[i].stop_at_accesses();
    }
  }
  for (const auto& group : groups_) {
    for (uint32_t i = 0; i < members_ && !stopped(); ++i) move(group->base + i);
    release(*group);
  }
}

Machine::~Machine() = default;

void Machine::move(uint32_t invocation) {
  Group& group = group_of(invocation);
  const uint32_t local = invocation - group.base;
  group.memory.running = {group.number, local, AccessKind::Read, Span::none()};
  group.memory.at = &group.invocations[local];
  Group::State state{};
  switch (group.invocations[local].run()) {
    case Event::Barrier: state = Group::State::AtBarrier; break;
    case Event::Subgroup: state = Group::State::AtSubgroup; break;
    case Event::Access: state = Group::State::Ready; break;
    case Event::Return: state = Group::State::Done; break;
    case Event::OutOfSteps:
      state = Group::State::Done;
      out_of_steps_ = true;
      break;
  }
  const bool is_ready = state == Group::State::Ready;
  const bool was_ready = group.states[local] == Group::State::Ready;
  group.set(local, state);
  if (is_ready == was_ready) return;
  const auto at = std::ranges::lower_bound(ready_, invocation);
  if (is_ready)
    ready_.insert(at, invocation);
  else
    ready_.erase(at);
}

void Machine::release(Group& group) {
  using State = Group::State;
  while (!stopped()) {
    const uint32_t live = members_ - group.count(State::Done);
    if (live == 0 || group.count(State::Ready) != 0) return;
    if ((divergence_ = divergence_of(group))) return;
    // All that are live wait for the same.
    if (group.count(State::AtBarrier) == live) {
      ++group.memory.epoch;
    } else {
      for (uint32_t first = 0; first < members_; first += subgroup_size_) {
        std::vector<LaneOperands> lanes(subgroup_size_);
        for (uint32_t lane = 0; lane < subgroup_size_; ++lane) {
          std::ranges::copy(group.invocations[first + lane].lane_operands(), lanes[lane].begin());
        }
        for (uint32_t lane = 0; lane < subgroup_size_; ++lane) {
          Invocation& invocation = group.invocations[first + lane];
          invocation.answer(eval_subgroup(invocation.waits_for(), lanes, lane));
        }
      }
    }
    for (uint32_t i = 0; i < members_ && !stopped(); ++i) {
      if (group.states[i] != State::Done) move(group.base + i);
    }
  }
}

std::optional<Divergence> Machine::divergence_of(const Group& group) {
  using State = Group::State;
  const auto at = std::ranges::find(group.states, State::AtBarrier);
  if (at == group.states.end()) return std::nullopt;
  const auto waiting = uint32_t(at - group.states.begin());
  const Invocation& first = group.invocations[waiting];
  for (uint32_t i = 0; i < group.states.size(); ++i) {
    const Invocation& other = group.invocations[i];
    if (group.states[i] == State::AtBarrier && other.barrier() == first.barrier()) continue;
    return Divergence{group.number, waiting, i, first.place(), other.place(), group.states[i] == State::Done};
  }
  return std::nullopt;
}

Touched Machine::next(uint32_t invocation) const {
  Group& group = group_of(invocation);
  const Invocation& at = group.invocations[invocation - group.base];
  const PendingAccess access = at.pending();
  Touched out;
  if (access.whole) {
    const Bits zero = 0;
    out = group.memory.touched(access.buffer, {&zero, 1}, access.kind);
    out.first = access.from;
    out.count = access.to - access.from;
  } else {
    out = group.memory.touched(access.buffer, access.indices, access.kind);
  }
  out.who = {group.number, invocation - group.base, access.kind, at.place()};
  return out;
}

bool Machine::step(uint32_t invocation) {
  move(invocation);
  release(group_of(invocation));
  return !stopped();
}

bool Machine::step_reading(uint32_t invocation, Bits value) {
  group_of(invocation).memory.reads = value;
  return step(invocation);
}

PendingAccess Machine::pending(uint32_t invocation) const {
  const Group& group = group_of(invocation);
  return group.invocations[invocation - group.base].pending();
}

const Identity& Machine::identity(uint32_t invocation) const {
  const Group& group = group_of(invocation);
  return group.identities[invocation - group.base];
}

uint32_t Machine::epoch(uint32_t invocation) const { return group_of(invocation).memory.epoch; }

}  // namespace vyre::ref
