// A dispatch that can be run in any order: all its invocations side by side, and one step of one of them at a
// time.
//
// A step is one access to memory and all that follows up to the next one; nothing else that an invocation
// does concerns the others. Barriers and subgroup operations are waited for as they have to be. Which one
// moves is up to the driver: a random choice (ref/schedules.h), an exploration of all (ref/explore.h). What
// is accessed can be watched. Source: execution-model; semantics, "Memory".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "check/checked.h"
#include "layout/dispatch.h"
#include "ref/invocation.h"
#include "ref/memory.h"
#include "ref/race_detector.h"

namespace vyre::ref {

/// Elements that are accessed.
struct Touched {
  BufferId buffer{};
  DataType type{};
  bool of_workgroup = false;      // memory of the accessing invocation's workgroup
  uint64_t first = 0, count = 0;  // elements; none where all is out of bounds
  Toucher who;
};

/// Two invocations of a workgroup that a barrier keeps apart for good: one waits at it, the other waits
/// elsewhere or has ended. Only of programs that were not held to V010 (check/unchecked.h).
struct Divergence {
  uint32_t workgroup = 0;           // its number in the dispatch
  uint32_t waiting = 0, other = 0;  // their numbers in it
  Span barrier = Span::none();      // the one that the first waits at
  Span elsewhere = Span::none();    // where the other waits or returned; none at the program's end
  bool ended = false;               // the other
};

/// Gets every access that is in bounds, before it is made.
using Watch = std::function<void(const Touched&, uint32_t epoch)>;

class Machine {
 public:
  /// Some workgroups of a dispatch, ready to begin. `bindings` must outlive it.
  /// Domain  at most 1024 invocations a workgroup; subgroup operations: a size that check_subgroups accepts.
  Machine(const check::Checked& program, const ReadyProgram& ready, std::span<const layout::Binding> bindings,
          layout::Groups groups, uint32_t subgroup_size, std::span<const uint32_t> workgroups, Budget& budget,
          Watch watch);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Whom it is about: those that stand before an access, by number. Empty at the end.
  const std::vector<uint32_t>& ready() const { return ready_; }
  /// What one of them will access; where that is out of bounds, no elements.
  Touched next(uint32_t invocation) const;
  /// The same as the evaluator has it. The spans are valid until an invocation moves.
  PendingAccess pending(uint32_t invocation) const;
  /// Domain  one of ready(). False when it has stopped.
  bool step(uint32_t invocation);
  /// The same, but the atomic that it stands before changes nothing and reads this.
  bool step_reading(uint32_t invocation, Bits value);
  bool out_of_steps() const { return out_of_steps_; }
  /// Found when all of a workgroup wait or have ended.
  const std::optional<Divergence>& divergence() const { return divergence_; }
  /// Whether no invocation can go on, by the steps or by a barrier.
  bool stopped() const { return out_of_steps_ || divergence_; }
  const Identity& identity(uint32_t invocation) const;
  /// Barriers that the workgroup of an invocation has passed.
  uint32_t epoch(uint32_t invocation) const;

 private:
  struct Group;
  struct WatchedMemory;

  Group& group_of(uint32_t invocation) const { return *groups_[invocation / members_]; }
  /// Moves one on to where it stands before an access, or waits, or ends.
  void move(uint32_t invocation);
  /// Lets those go on that all wait for each other.
  void release(Group& group);
  static std::optional<Divergence> divergence_of(const Group& group);

  uint32_t members_;
  uint32_t subgroup_size_;
  Watch watch_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<uint32_t> ready_;  // in ascending order
  bool out_of_steps_ = false;
  std::optional<Divergence> divergence_;
};

/// The place of invocation number `linear` of a workgroup; x varies fastest.
Identity identify(const std::array<uint32_t, 3>& size, layout::Groups groups,
                  const std::array<uint32_t, 3>& workgroup, uint32_t linear);

}  // namespace vyre::ref
