// What the atomics of a dispatch do when its invocations run in order: the evaluator of the reference, over a
// memory that writes each one down.
//
// Nothing of verify/atomic_record.cpp is used: a recording must list exactly these.
#pragma once

#include <vector>

#include "ref/invocation.h"
#include "ref/machine.h"
#include "ref/memory.h"
#include "verify/atomic_record.h"

namespace vyre::verify {

class AtomicWatch final : public ref::Memory {
 public:
  AtomicWatch(const check::Checked& program, std::span<const layout::Binding> bindings)
      : inner_(program, bindings) {}

  uint32_t length(ref::BufferId buffer) const override { return inner_.length(buffer); }
  ref::Bits load(ref::BufferId buffer, ref::Indices indices) override { return inner_.load(buffer, indices); }
  void store(ref::BufferId buffer, ref::Indices indices, ref::Bits value) override {
    inner_.store(buffer, indices, value);
  }
  ref::Bits atomic(spec::Op op, ref::BufferId buffer, ref::Bits index, ref::Bits expected,
                   ref::Bits value) override {
    const ref::Bits saw = inner_.atomic(op, buffer, index, expected, value);
    events.push_back({.buffer = buffer,
                      .element = uint32_t(index),
                      .event = {.op = op,
                                .saw = uint32_t(saw),
                                .value = uint32_t(value),
                                .expected = uint32_t(expected),
                                .invocation = invocation}});
    return saw;
  }
  void start_workgroup() { inner_.start_workgroup(); }

  uint32_t invocation = 0;  // whose accesses the next ones are: its linear number in the dispatch
  std::vector<RecordedEvent> events;

 private:
  ref::PlainMemory inner_;
};

/// All atomics of a dispatch without operations of subgroups, in the order in which they happen.
inline std::vector<RecordedEvent> atomics_in_order(const check::Checked& program, std::vector<Bytes> buffers,
                                                   layout::Groups groups) {
  const std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  const auto bindings = *layout::bind(program, host, groups);
  AtomicWatch memory(program, bindings);
  const ref::ReadyProgram ready(program);
  ref::Budget budget(0);
  const auto& size = program.program().workgroup_size;
  const uint32_t members = size[0] * size[1] * size[2];
  std::vector<ref::Invocation> all(members, ref::Invocation(ready, memory, budget));
  for (uint64_t group = 0; group < groups.total(); ++group) {
    const std::array<uint32_t, 3> workgroup = {uint32_t(group % groups.x),
                                               uint32_t(group / groups.x % groups.y),
                                               uint32_t(group / groups.x / groups.y)};
    memory.start_workgroup();
    std::vector<uint32_t> live, numbers;
    for (uint32_t i = 0; i < members; ++i) {
      const ref::Identity who = ref::identify(size, groups, workgroup, i);
      numbers.push_back((who.invocation[2] * groups.y * size[1] + who.invocation[1]) * groups.x * size[0] +
                        who.invocation[0]);
      all[i].start(who);
      live.push_back(i);
    }
    while (!live.empty()) {
      std::vector<uint32_t> waiting;
      for (const uint32_t i : live) {
        memory.invocation = numbers[i];
        if (all[i].run() == ref::Event::Barrier) waiting.push_back(i);
      }
      live.swap(waiting);
    }
  }
  return std::move(memory.events);
}

/// Of a history its atomics, without stores.
inline std::vector<RecordedEvent> atomics_of(const RecordedHistory& history) {
  std::vector<RecordedEvent> out;
  for (const RecordedEvent& event : history.kept)
    if (!event.store) out.push_back(event);
  return out;
}

}  // namespace vyre::verify
