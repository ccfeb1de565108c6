#include "lower/uniform.h"

namespace vyre::lower {
namespace {

using spec::BufferAccess;

class Analysis {
 public:
  explicit Analysis(const Kernel& kernel) : kernel_(kernel) {
    const size_t insts = kernel.insts.size(), blocks = kernel.blocks.size();
    facts_.values.assign(insts, true);
    facts_.slots.assign(kernel.slots.size(), true);
    facts_.control.assign(insts, true);
    owner_.assign(blocks, kNowhere);
    divergent_from_.resize(blocks);
    left_.assign(blocks, false);
    position_.assign(insts, 0);
    holder_.assign(insts, kNoKBlock);
    gets_.resize(kernel.slots.size());
    index_users();
    for (size_t b = 0; b < blocks; ++b) {
      const auto& block = kernel.blocks[b];
      divergent_from_[b] = uint32_t(block.size());
      for (uint32_t i = 0; i < block.size(); ++i) place(block[i], KBlock{uint32_t(b)}, i);
    }
  }

  Uniformity run() {
    for (uint32_t v = 0; v < kernel_.insts.size(); ++v) {
      if (varies_by_itself(kernel_.insts[v])) spoil(Value{v});
    }
    while (!spoilt_.empty()) {
      const Value v = spoilt_.back();
      spoilt_.pop_back();
      for (uint32_t u = first_user_[index(v)]; u < first_user_[index(v) + 1]; ++u) use(users_[u]);
    }
    return std::move(facts_);
  }

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  /// users_ lists, value by value, the instructions that have it as an operand.
  void index_users() {
    first_user_.assign(kernel_.insts.size() + 1, 0);
    for (const Inst& inst : kernel_.insts) {
      for (const Value v : kernel_.args(inst)) ++first_user_[index(v) + 1];
    }
    for (size_t i = 1; i < first_user_.size(); ++i) first_user_[i] += first_user_[i - 1];
    users_.resize(first_user_.back());
    std::vector<uint32_t> next(first_user_.begin(), first_user_.end() - 1);
    for (uint32_t u = 0; u < kernel_.insts.size(); ++u) {
      for (const Value v : kernel_.args(kernel_.insts[u])) users_[next[index(v)]++] = Value{u};
    }
  }

  void place(Value v, KBlock block, uint32_t at) {
    const Inst& inst = kernel_[v];
    position_[index(v)] = at;
    holder_[index(v)] = block;
    if (inst.body != kNoKBlock) owner_[index(inst.body)] = index(v);
    if (inst.orelse != kNoKBlock) owner_[index(inst.orelse)] = index(v);
    if (inst.kind == InstKind::Get) gets_[inst.target].push_back(v);
  }

  bool varies_by_itself(const Inst& inst) const {
    switch (inst.kind) {
      case InstKind::InvocationId:
      case InstKind::LocalId:
      case InstKind::Atomic:
      case InstKind::RawAtomic: return true;
      case InstKind::Intrinsic: return !spec::info(spec::Intrinsic(inst.imm)).uniform;
      case InstKind::Load:
      case InstKind::RawLoad: {
        const BufferAccess access = kernel_.buffers[inst.target].access;
        return access == BufferAccess::ReadWrite || access == BufferAccess::Workgroup;
      }
      case InstKind::Const:
      case InstKind::Len:
      case InstKind::WorkgroupId:
      case InstKind::Get:
      case InstKind::Set:
      case InstKind::If:
      case InstKind::Loop:
      case InstKind::Return:
      case InstKind::Barrier:
      case InstKind::Apply:
      case InstKind::Store:
      case InstKind::Raw:
      case InstKind::RawStore: return false;
    }
    return false;
  }

  void spoil(Value v) {
    if (!facts_.values[index(v)]) return;
    facts_.values[index(v)] = false;
    spoilt_.push_back(v);
  }
  void spoil(Slot s) {
    if (!facts_.slots[index(s)]) return;
    facts_.slots[index(s)] = false;
    for (const Value get : gets_[index(s)]) spoil(get);
  }

  /// An operand of `user` varies.
  void use(Value user) {
    const Inst& inst = kernel_[user];
    spoil(user);
    if (inst.kind == InstKind::Set) spoil(Slot{inst.target});
    if (inst.body != kNoKBlock) diverge(inst.body, 0);
    if (inst.orelse != kNoKBlock) diverge(inst.orelse, 0);
  }

  /// Control in `block` is not uniform from instruction number `from` on.
  void diverge(KBlock block, uint32_t from) {
    std::vector<std::pair<KBlock, uint32_t>> work = {{block, from}};
    while (!work.empty()) {
      const auto [b, first] = work.back();
      work.pop_back();
      const uint32_t end = divergent_from_[index(b)];
      if (first >= end) continue;
      divergent_from_[index(b)] = first;
      for (uint32_t i = first; i < end; ++i) {
        const Value v = kernel_.block(b)[i];
        const Inst& inst = kernel_[v];
        facts_.control[index(v)] = false;
        if (inst.kind == InstKind::Set) spoil(Slot{inst.target});
        if (inst.body != kNoKBlock) work.push_back({inst.body, 0});
        if (inst.orelse != kNoKBlock) work.push_back({inst.orelse, 0});
        if (inst.kind == InstKind::Return) leave(b, work);
      }
    }
  }

  /// Some invocations may have returned within `block`: whatever comes later, in it and around it, is reached
  /// by the others alone; a loop around it comes back to its beginning.
  void leave(KBlock block, std::vector<std::pair<KBlock, uint32_t>>& work) {
    for (KBlock b = block; !left_[index(b)];) {
      left_[index(b)] = true;
      const uint32_t owner = owner_[index(b)];
      if (owner == kNowhere) return;
      if (kernel_.insts[owner].kind == InstKind::Loop) work.push_back({b, 0});
      const KBlock around = holder_[owner];
      work.push_back({around, position_[owner] + 1});
      b = around;
    }
  }

  const Kernel& kernel_;
  Uniformity facts_;
  std::vector<Value> users_;
  std::vector<uint32_t> first_user_;
  std::vector<std::vector<Value>> gets_;  // by Slot
  std::vector<uint32_t> owner_;           // by KBlock: the If or Loop that it belongs to
  std::vector<KBlock> holder_;            // by Value: the block it stands in
  std::vector<uint32_t> position_;        // by Value: where in that block
  std::vector<uint32_t> divergent_from_;  // by KBlock: its first instruction under divergent control
  std::vector<bool> left_;                // by KBlock: some invocations may return in it
  std::vector<Value> spoilt_;
};

}  // namespace

Uniformity uniformity(const Kernel& kernel) { return Analysis(kernel).run(); }

}  // namespace vyre::lower
