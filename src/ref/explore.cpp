#include "ref/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "ref/machine.h"

namespace vyre::ref {
namespace {

constexpr size_t kMaxDepth = 4'000;  // accesses of one execution: the exploration is recursive

struct Option {
  Turn choice;
  Touched next;
};

bool overlap(const Touched& a, const Touched& b) {
  return a.buffer == b.buffer && (!a.of_workgroup || a.who.workgroup == b.who.workgroup) &&
         a.first < b.first + b.count && b.first < a.first + a.count;
}
/// Whether either order of the two leads to the same state.
bool commute(const Touched& a, const Touched& b) {
  return !overlap(a, b) || (a.who.kind == AccessKind::Read && b.who.kind == AccessKind::Read);
}

/// One execution, as far as it has come.
class Execution {
 public:
  Execution(const check::Checked& program, const ReadyProgram& ready,
            std::span<const std::span<std::byte>> host, const std::vector<layout::Binding>& bindings,
            layout::Groups groups, const Options& options, std::span<const uint32_t> workgroups,
            Watch watch = {})
      : program_(program), bindings_(bindings), budget_(options.max_steps) {
    for (size_t i = 0; i < host.size(); ++i) {
      bytes_.emplace_back(host[i].begin(), host[i].end());
      bindings_[i].bytes = bytes_[i];
    }
    machine_ = std::make_unique<Machine>(program, ready, bindings_, groups, options.subgroup_size, workgroups,
                                         budget_, std::move(watch));
  }
  Machine& machine() { return *machine_; }
  const std::vector<Bytes>& bytes() const { return bytes_; }

  std::vector<Option> options() const {
    std::vector<Option> out;
    for (const uint32_t invocation : machine_->ready()) {
      const Touched next = machine_->next(invocation);
      out.push_back({{invocation, std::nullopt}, next});
      if (next.who.kind != AccessKind::Atomic || next.count == 0) continue;
      for (const Bits older : older_values(invocation, next)) out.push_back({{invocation, older}, next});
    }
    return out;
  }
  bool advance(const Turn& choice) {
    const Touched next = machine_->next(choice.invocation);
    const uint32_t epoch = machine_->epoch(choice.invocation);
    if (next.who.kind == AccessKind::Atomic && next.count != 0) {
      std::vector<Bits>& history = history_of(next);
      size_t& seen = seen_[{choice.invocation, key(next)}];
      if (choice.older) {
        seen =
            size_t(std::ranges::find(history.begin() + std::ptrdiff_t(seen), history.end(), *choice.older) -
                   history.begin());
        return machine_->step_reading(choice.invocation, *choice.older) && settle(choice, epoch);
      }
      if (!machine_->step(choice.invocation)) return false;
      const Bits now = word(next);
      if (now != history.back()) history.push_back(now);
      seen = history.size() - 1;
    } else {
      if (!machine_->step(choice.invocation)) return false;
      if (next.who.kind == AccessKind::Write && next.count != 0) forget(key(next));
    }
    return settle(choice, epoch);
  }

 private:
  using ElementKey = std::pair<uint32_t, uint64_t>;  // a buffer and an element of it
  static ElementKey key(const Touched& t) { return {check::index(t.buffer), t.first}; }

  Bits word(const Touched& t) const {
    const auto& bound = program_.bound_buffers();
    const auto at = size_t(std::ranges::find(bound, t.buffer) - bound.begin());
    uint32_t out = 0;
    std::memcpy(&out, bytes_[at].data() + t.first * 4, 4);  // atomics are on words of bound buffers
    return out;
  }
  std::vector<Bits>& history_of(const Touched& t) {
    std::vector<Bits>& history = history_[key(t)];
    if (history.empty()) history.push_back(word(t));
    return history;
  }
  /// Values before the newest that an atomic may still read, since it would leave them as they are.
  std::vector<Bits> older_values(uint32_t invocation, const Touched& next) const {
    std::vector<Bits> out;
    const auto history = history_.find(key(next));
    if (history == history_.end()) return out;
    const PendingAccess access = machine_->pending(invocation);
    const auto seen = seen_.find({invocation, key(next)});
    for (size_t i = seen == seen_.end() ? 0 : seen->second; i + 1 < history->second.size(); ++i) {
      const Bits value = history->second[i];
      if (eval_atomic(access.op, value, access.expected, access.value) == value &&
          std::ranges::find(out, value) == out.end())
        out.push_back(value);
    }
    return out;
  }
  /// After a plain write no invocation reads what was there before.
  void forget(const ElementKey& key) {
    history_.erase(key);
    std::erase_if(seen_, [&](const auto& entry) { return entry.first.second == key; });
  }
  /// After a barrier all of the workgroup have seen what one of them has.
  bool settle(const Turn& choice, uint32_t epoch_before) {
    if (machine_->epoch(choice.invocation) == epoch_before) return true;
    const auto& size = program_.program().workgroup_size;
    const uint32_t members = size[0] * size[1] * size[2];
    const uint32_t first = choice.invocation / members * members;
    for (const auto& [key, history] : history_) {
      size_t newest = 0;
      for (uint32_t i = first; i < first + members; ++i) {
        const auto seen = seen_.find({i, key});
        if (seen != seen_.end()) newest = std::max(newest, seen->second);
      }
      for (uint32_t i = first; i < first + members; ++i) seen_[{i, key}] = newest;
    }
    return true;
  }

  const check::Checked& program_;
  std::vector<Bytes> bytes_;
  std::vector<layout::Binding> bindings_;
  Budget budget_;
  std::unique_ptr<Machine> machine_;
  std::map<ElementKey, std::vector<Bits>> history_;         // values that an atomic left, oldest first
  std::map<std::pair<uint32_t, ElementKey>, size_t> seen_;  // by invocation: the newest that it knows of
};

std::vector<uint32_t> all_of(layout::Groups groups) {
  std::vector<uint32_t> out(size_t(groups.x) * groups.y * groups.z);
  std::iota(out.begin(), out.end(), 0u);
  return out;
}

class Explorer {
 public:
  Explorer(const check::Checked& program, std::span<const std::span<std::byte>> host,
           std::vector<layout::Binding> bindings, layout::Groups groups, const Options& options,
           const ExploreLimits& limits)
      : program_(program),
        ready_(program),
        host_(host),
        bindings_(std::move(bindings)),
        groups_(groups),
        options_(options),
        limits_(limits) {
    workgroups_ = all_of(groups);
  }
  Exploration run() {
    out_.complete = go(begin(), {}, {});
    return std::move(out_);
  }

 private:
  std::unique_ptr<Execution> begin() const {
    return std::make_unique<Execution>(program_, ready_, host_, bindings_, groups_, options_, workgroups_);
  }
  std::unique_ptr<Execution> again() const {
    auto execution = begin();
    for (const Turn& choice : path_) execution->advance(choice);
    return execution;
  }
  bool stop(std::string why) {
    if (out_.why_not.empty()) out_.why_not = std::move(why);
    return false;
  }

  /// Everything from here on. before: the options of the state that this one came from. False when that was
  /// too much.
  bool go(std::unique_ptr<Execution> execution, std::vector<Option> asleep,
          const std::vector<Option>& before) {
    if (execution->machine().out_of_steps()) return stop("an execution ran out of steps");
    if (execution->machine().divergence()) {
      out_.divergence = execution->machine().divergence();
      return stop("barriers diverge");
    }
    const std::vector<Option> options = execution->options();
    note_races(options, before);
    if (options.empty()) {
      ++out_.executions;
      out_.outcomes.insert(execution->bytes());
      if (out_.outcomes.size() > limits_.max_outcomes)
        return stop(fmt::format("more than {} outcomes", limits_.max_outcomes));
      return true;
    }
    if (path_.size() >= kMaxDepth) return stop(fmt::format("executions of more than {} accesses", kMaxDepth));
    for (const Option& option : options) {
      if (is_among(asleep, option)) continue;
      if (out_.executions >= limits_.max_executions)
        return stop(fmt::format("more than {} executions", limits_.max_executions));
      if (++out_.steps > limits_.max_steps) return stop(fmt::format("more than {} steps", limits_.max_steps));
      if (!execution) {
        out_.repeated += path_.size();
        if (out_.repeated > limits_.max_repeated)
          return stop(fmt::format("more than {} repeated steps", limits_.max_repeated));
        execution = again();
      }
      execution->advance(option.choice);
      std::vector<Option> still_asleep;
      for (const Option& o : asleep) {
        if (o.choice.invocation != option.choice.invocation && commute(o.next, option.next))
          still_asleep.push_back(o);
      }
      path_.push_back(option.choice);
      const bool all = go(std::move(execution), std::move(still_asleep), options);
      path_.pop_back();
      if (!all) return false;
      if (limits_.all_orders) continue;
      asleep.insert(std::ranges::upper_bound(asleep, option.choice.invocation, {},
                                             [](const Option& o) { return o.choice.invocation; }),
                    option);
    }
    return true;
  }

  /// Both are in the order of invocations.
  static bool is_among(const std::vector<Option>& some, const Option& one) {
    const auto same = std::ranges::equal_range(some, one.choice.invocation, {},
                                               [](const Option& o) { return o.choice.invocation; });
    return std::ranges::any_of(same, [&](const Option& o) { return o.choice == one.choice; });
  }

  /// Two that stood before the same accesses in the state before were looked at there.
  void note_races(const std::vector<Option>& options, const std::vector<Option>& before) {
    std::vector<bool> known(options.size());
    for (size_t i = 0, k = 0; i < options.size(); ++i) {
      const uint32_t invocation = options[i].choice.invocation;
      while (k < before.size() && before[k].choice.invocation < invocation) ++k;
      known[i] = k < before.size() && before[k].choice.invocation == invocation &&
                 before[k].next.buffer == options[i].next.buffer &&
                 before[k].next.first == options[i].next.first &&
                 before[k].next.count == options[i].next.count &&
                 before[k].next.who.kind == options[i].next.who.kind &&
                 before[k].next.who.span == options[i].next.who.span;
    }
    for (size_t i = 0; i < options.size(); ++i) {
      for (size_t j = 0; !known[i] && j < options.size(); ++j) {
        if (!known[j] && j <= i) continue;  // that pair's turn was before
        const Option &one = options[std::min(i, j)], &other = options[std::max(i, j)];
        const Touched &a = one.next, &b = other.next;
        if (one.choice.invocation == other.choice.invocation) continue;
        if (!overlap(a, b) || !conflict(a.who.kind, b.who.kind)) continue;
        const auto pair = std::minmax(a.who.span.begin, b.who.span.begin);
        if (!pairs_.insert(pair).second) continue;
        if (out_.races.empty()) {
          out_.witness = path_;
          out_.witness.push_back(one.choice);
          out_.witness.push_back(other.choice);
        }
        out_.races.push_back({a.buffer, std::max(a.first, b.first), a.who, b.who});
      }
    }
  }

  const check::Checked& program_;
  ReadyProgram ready_;
  std::span<const std::span<std::byte>> host_;
  std::vector<layout::Binding> bindings_;
  layout::Groups groups_;
  Options options_;
  ExploreLimits limits_;
  std::vector<uint32_t> workgroups_;
  std::vector<Turn> path_;
  std::set<std::pair<uint32_t, uint32_t>> pairs_;
  Exploration out_;
};

}  // namespace

Result<Exploration> explore(const check::Checked& program, std::span<const std::span<std::byte>> host,
                            layout::Groups groups, const Options& options, const ExploreLimits& limits) {
  VYRE_TRY(bindings, layout::bind(program, host, groups));
  VYRE_CHECK(check_subgroups(program, options.subgroup_size));
  return Explorer(program, host, std::move(bindings), groups, options, limits).run();
}

Result<RaceDetector> replay(const check::Checked& program, std::span<const std::span<std::byte>> host,
                            layout::Groups groups, const Options& options, std::span<const Turn> turns) {
  VYRE_TRY(bindings, layout::bind(program, host, groups));
  VYRE_CHECK(check_subgroups(program, options.subgroup_size));
  const ReadyProgram ready(program);
  const std::vector<uint32_t> workgroups = all_of(groups);
  RaceDetector detector;
  Execution execution(program, ready, host, bindings, groups, options, workgroups,
                      [&](const Touched& t, uint32_t epoch) {
                        detector.access(t.buffer, t.first, t.type, t.of_workgroup, epoch, t.who);
                      });
  for (const Turn& turn : turns) execution.advance(turn);
  return detector;
}

}  // namespace vyre::ref
