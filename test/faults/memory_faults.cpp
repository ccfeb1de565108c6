#include "memory_faults.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ops/operation.h"
#include "ref/invocation.h"
#include "ref/memory.h"
#include "ref/ref.h"
#include "spec/ops.h"

namespace vyre::faults {
namespace {

using check::BufferId;
using ref::Bits;
using ref::Indices;
using spec::Op;

/// Every so many times a fault that is not there always strikes.
constexpr uint32_t kOnceIn = 3;

class FaultyMemory final : public ref::Memory {
 public:
  FaultyMemory(const check::Checked& program, std::span<const layout::Binding> bindings, MemoryFault fault)
      : program_(program), inner_(program, bindings), fault_(fault) {
    inner_.start_workgroup();
  }

  void start_workgroup() {
    publish();
    if (fault_ != MemoryFault::WorkgroupNotZeroed) inner_.start_workgroup();
  }
  /// Whose accesses the next ones are.
  void now(uint32_t invocation) { invocation_ = invocation; }
  /// What each invocation has for itself becomes shared by all.
  void publish() {
    for (const auto& [key, value] : kept_) inner_.store(key.buffer, key.indices, value);
    kept_.clear();
  }

  uint32_t length(BufferId buffer) const override { return inner_.length(buffer); }
  Bits load(BufferId buffer, Indices indices) override {
    if (is_kept(buffer)) {
      const auto own = kept_.find(key_of(buffer, indices));
      if (own != kept_.end()) return own->second;
    }
    return inner_.load(buffer, indices);
  }
  void store(BufferId buffer, Indices indices, Bits value) override {
    if (is_kept(buffer)) {
      kept_[key_of(buffer, indices)] = value;
    } else {
      inner_.store(buffer, indices, value);
    }
  }
  Bits atomic(Op op, BufferId buffer, Bits index, Bits expected, Bits value) override {
    const Bits before = inner_.atomic(op, buffer, index, expected, value);
    const Bits after = ref::eval_atomic(op, before, expected, value);
    const auto set = [&](Bits to) { inner_.atomic(Op::AtomicExchange, buffer, index, 0, to); };
    const auto last = last_.find({buffer, index});
    const bool struck = ++atomics_ % kOnceIn == 0;
    Bits answer = before;
    if (fault_ == MemoryFault::AtomicLost && struck) {
      set(before);
    } else if (fault_ == MemoryFault::AddNotAtomic && op == Op::AtomicAdd && last != last_.end() &&
               last->second.op == Op::AtomicAdd && last->second.invocation != invocation_ && struck) {
      answer = last->second.before;
      set(ref::eval_atomic(op, answer, 0, value));
    } else if (fault_ == MemoryFault::ExchangeWinsTwice && op == Op::AtomicCompareExchange &&
               last != last_.end() && last->second.op == op && last->second.before == expected &&
               last->second.invocation != invocation_) {
      answer = expected;
      set(value);
    } else if (fault_ == MemoryFault::AtomicReadsOldValue && before == after && last != last_.end() &&
               struck) {
      answer = last->second.before;
    }
    if (before != after || fault_ == MemoryFault::AddNotAtomic)
      last_[{buffer, index}] = {op, invocation_, before};
    return answer;
  }

 private:
  struct Key {
    BufferId buffer;
    uint32_t invocation;
    std::vector<Bits> indices;
    auto operator<=>(const Key&) const = default;
  };
  struct Last {
    Op op;
    uint32_t invocation;
    Bits before;
  };
  /// Whether an invocation keeps its stores to itself until its workgroup ends.
  bool is_kept(BufferId buffer) const {
    const bool workgroup = program_.buffer(buffer).access == spec::BufferAccess::Workgroup;
    return fault_ == (workgroup ? MemoryFault::BarrierForgetsWorkgroup : MemoryFault::BarrierForgetsStorage);
  }
  Key key_of(BufferId buffer, Indices indices) const {
    return {buffer, invocation_, {indices.begin(), indices.end()}};
  }

  const check::Checked& program_;
  ref::PlainMemory inner_;
  MemoryFault fault_;
  uint32_t invocation_ = 0;
  uint32_t atomics_ = 0;
  std::map<Key, Bits> kept_;
  std::map<std::pair<BufferId, Bits>, Last> last_;
};

/// Runs invocations in order from barrier to barrier, as the reference does.
class FaultyPipeline final : public backend::Pipeline {
 public:
  FaultyPipeline(check::Checked program, MemoryFault fault) : program_(std::move(program)), fault_(fault) {}

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    VYRE_TRY(bindings, layout::bind(program_, host, groups));
    FaultyMemory memory(program_, bindings, fault_);
    const ref::ReadyProgram ready(program_);
    ref::Budget budget(0);
    const auto& size = program_.program().workgroup_size;
    const uint32_t members = size[0] * size[1] * size[2];
    std::vector<ref::Invocation> all(members, ref::Invocation(ready, memory, budget));
    for (uint32_t z = 0; z < groups.z; ++z) {
      for (uint32_t y = 0; y < groups.y; ++y) {
        for (uint32_t x = 0; x < groups.x; ++x) {
          memory.start_workgroup();
          run_workgroup(all, memory, {x, y, z});
        }
      }
    }
    memory.publish();
    return {};
  }

 private:
  void run_workgroup(std::vector<ref::Invocation>& all, FaultyMemory& memory,
                     const std::array<uint32_t, 3>& workgroup) const {
    const auto& size = program_.program().workgroup_size;
    std::vector<uint32_t> live;
    for (uint32_t i = 0; i < all.size(); ++i) {
      ref::Identity who;
      who.workgroup = workgroup;
      who.local = {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
      for (size_t axis = 0; axis < 3; ++axis)
        who.invocation[axis] = workgroup[axis] * size[axis] + who.local[axis];
      all[i].start(who);
      live.push_back(i);
    }
    const auto step = [&](uint32_t i) {
      memory.now(i);
      return all[i].run() == ref::Event::Barrier;
    };
    while (!live.empty()) {
      std::vector<uint32_t> waiting;
      for (const uint32_t i : live) {
        if (!step(i)) continue;
        // One that does not wait: what it stores after the barrier is there before others have loaded.
        const bool ahead = fault_ == MemoryFault::LoadsComeLate && i % 4 == 1;
        if (!ahead || step(i)) waiting.push_back(i);
      }
      live.swap(waiting);
    }
  }

  check::Checked program_;
  MemoryFault fault_;
};

/// The program without its barriers in statements of a kind.
ir::Program without_barriers(const ir::Program& from, ir::NodeKind within) {
  ir::Program out = from;
  out.code = {};
  ir::Code& to = out.code;
  to.symbols = from.code.symbols;
  to.wide = from.code.wide;
  // Operands have smaller ids than what they are operands of, so copying in order keeps all ids.
  for (uint32_t k = 0; k < from.code.exprs.size(); ++k) {
    const ir::Expr& e = from.code.exprs[k];
    to.add(e, from.code.args(e), Span::none());
  }
  const auto copy = [&](const auto& self, ir::BlockId block, bool drop) -> ir::BlockId {
    std::vector<ir::NodeId> nodes;
    for (const ir::NodeId id : from.code.block(block)) {
      ir::Node node = from.code[id];
      if (drop && node.kind == ir::NodeKind::Barrier) continue;
      const bool inside = drop || node.kind == within;
      if (node.body != ir::kNoBlock) node.body = self(self, node.body, inside);
      if (node.orelse != ir::kNoBlock) node.orelse = self(self, node.orelse, inside);
      nodes.push_back(to.add(node, from.code.args(from.code[id]), Span::none()));
    }
    return to.add_block(nodes);
  };
  out.entry = copy(copy, from.entry, false);
  return out;
}

}  // namespace

backend::Identity Forgetful::identity() const {
  const bool none = fault_ == MemoryFault::None;
  return {"forgetful", none ? "none" : std::string(kMemoryFaults[size_t(fault_)].name), "test", "1"};
}

Result<std::unique_ptr<backend::Pipeline>> Forgetful::compile(const check::Checked& program) {
  VYRE_CHECK(backend::check_intrinsics(*this, program));
  ir::Program changed = program.program();
  if (fault_ == MemoryFault::BarrierInLoopDropped) changed = without_barriers(changed, ir::NodeKind::Loop);
  if (fault_ == MemoryFault::BarrierInBranchDropped) changed = without_barriers(changed, ir::NodeKind::If);
  auto checked = check::check(std::move(changed), ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  return std::make_unique<FaultyPipeline>(std::move(*checked), fault_);
}

}  // namespace vyre::faults
