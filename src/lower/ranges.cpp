#include "lower/ranges.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "lower/inst_info.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;

constexpr uint64_t kLargest = UINT32_MAX;

/// Where it may wrap, everything.
WordRange unless_wrapped(uint64_t least, uint64_t most) {
  return most > kLargest ? WordRange{} : WordRange{uint32_t(least), uint32_t(most)};
}
/// The least number of that many bits all ones that is not below.
uint32_t ones(uint32_t most) { return most == 0 ? 0 : UINT32_MAX >> std::countl_zero(most); }

WordRange sum(WordRange a, WordRange b) {
  return unless_wrapped(uint64_t{a.least} + b.least, uint64_t{a.most} + b.most);
}
WordRange difference(WordRange a, WordRange b) {
  return a.least < b.most ? WordRange{} : WordRange{a.least - b.most, a.most - b.least};
}
WordRange product(WordRange a, WordRange b) {
  return unless_wrapped(uint64_t{a.least} * b.least, uint64_t{a.most} * b.most);
}
// Division by zero gives zero.
WordRange quotient(WordRange a, WordRange b) {
  return {b.least == 0 ? 0 : a.least / b.most, a.most / std::max(b.least, 1u)};
}
// So does a remainder by zero.
WordRange remainder(WordRange a, WordRange b) { return {0, std::min(a.most, std::max(b.most, 1u) - 1)}; }
WordRange masked(WordRange a, WordRange b) { return {0, std::min(a.most, b.most)}; }
WordRange with_bits(WordRange a, WordRange b) { return {std::max(a.least, b.least), ones(a.most | b.most)}; }
WordRange flipped(WordRange a, WordRange b) { return {0, ones(a.most | b.most)}; }
WordRange joined(WordRange a, WordRange b) { return {std::min(a.least, b.least), std::max(a.most, b.most)}; }
// Amounts count modulo 32.
WordRange shifted_right(WordRange a, WordRange by) {
  return by.most > 31 ? WordRange{0, a.most} : WordRange{a.least >> by.most, a.most >> by.least};
}
WordRange shifted_left(WordRange a, WordRange by) {
  if (by.most > 31) return {};
  return unless_wrapped(uint64_t{a.least} << by.least, uint64_t{a.most} << by.most);
}

struct Operator {
  Op op;
  WordRange (*range)(WordRange a, WordRange b);
};
/// Operators on u32 of which something is known; of others nothing is.
constexpr Operator kOperators[] = {
    {Op::Add, sum},          {Op::Sub, difference},    {Op::Mul, product},     {Op::Div, quotient},
    {Op::Mod, remainder},    {Op::BitAnd, masked},     {Op::BitOr, with_bits}, {Op::BitXor, flipped},
    {Op::Shl, shifted_left}, {Op::Shr, shifted_right},
};

class Ranges {
 public:
  explicit Ranges(const Kernel& kernel) : k_(kernel) {
    known_.words.resize(kernel.insts.size());
    known_.inside.resize(kernel.insts.size());
  }
  KnownRanges run() {
    block(k_.entry);
    return std::move(known_);
  }

 private:
  /// What holds in the block and in those in it.
  struct Fact {
    enum class Of : uint8_t { Word, WorkgroupId, Length } of;
    uint32_t which;  // Value, axis or buffer
    WordRange range;
  };

  WordRange with_facts(WordRange range, Fact::Of of, uint32_t which) const {
    for (const Fact& fact : facts_) {
      if (fact.of != of || fact.which != which) continue;
      const WordRange both = {std::max(range.least, fact.range.least), std::min(range.most, fact.range.most)};
      if (both.least <= both.most) range = both;  // else nothing runs here
    }
    return range;
  }
  WordRange of(Value v) const { return with_facts(known_.words[index(v)], Fact::Of::Word, index(v)); }
  bool is_bound(const Inst& inst) const { return spec::is_bound(k_.buffers[inst.target].access); }
  WordRange length(uint32_t buffer) const {
    const KernelBuffer& b = k_.buffers[buffer];
    if (!spec::is_bound(b.access)) return {b.count, b.count};
    return with_facts({}, Fact::Of::Length, buffer);
  }
  WordRange workgroup_id(uint32_t axis) const { return with_facts({}, Fact::Of::WorkgroupId, axis); }

  /// Keeps what a condition says of the side `v` of a comparison with `range`.
  void know(Value v, WordRange range) {
    const Inst& inst = k_[v];
    facts_.push_back({Fact::Of::Word, index(v), range});
    if (inst.kind == InstKind::WorkgroupId) facts_.push_back({Fact::Of::WorkgroupId, inst.imm, range});
    if (inst.kind == InstKind::Len && is_bound(inst))
      facts_.push_back({Fact::Of::Length, inst.target, range});
  }
  void know(Value condition) {
    const Inst& inst = k_[condition];
    if (inst.kind != InstKind::Apply) return;
    if (inst.op == Op::BitAnd || inst.op == Op::And) {
      // Of bools and of words: where a & b is not zero, neither is a.
      know(k_.arg(inst, 0));
      return know(k_.arg(inst, 1));
    }
    if (inst.operand_type != DataType::U32) return;
    const bool less = inst.op == Op::Lt || inst.op == Op::Le,
               greater = inst.op == Op::Gt || inst.op == Op::Ge;
    if (!less && !greater) return;
    const Value low = k_.arg(inst, less ? 0 : 1), high = k_.arg(inst, less ? 1 : 0);
    const uint32_t apart = inst.op == Op::Lt || inst.op == Op::Gt ? 1 : 0;
    const WordRange of_low = of(low), of_high = of(high);
    if (of_high.most >= apart) know(low, {0, of_high.most - apart});
    if (of_low.least <= UINT32_MAX - apart) know(high, {of_low.least + apart, UINT32_MAX});
  }

  /// Of a < b ? a : b only what is below b.
  WordRange selected(const Inst& inst) const {
    const Value then = k_.arg(inst, 1);
    WordRange first = of(then);
    const Inst& condition = k_[k_.arg(inst, 0)];
    const bool clips = condition.kind == InstKind::Apply && condition.op == Op::Lt &&
                       condition.operand_type == DataType::U32 && k_.arg(condition, 0) == then;
    if (clips) first.most = std::min(first.most, std::max(of(k_.arg(condition, 1)).most, 1u) - 1);
    return first.least > first.most ? of(k_.arg(inst, 2)) : joined(first, of(k_.arg(inst, 2)));
  }

  WordRange computed(const Inst& inst) const {
    if (inst.op == Op::Select) return selected(inst);
    if (inst.operand_type != DataType::U32) return {};
    const auto known = std::ranges::find(kOperators, inst.op, &Operator::op);
    return known == std::end(kOperators) ? WordRange{}
                                         : known->range(of(k_.arg(inst, 0)), of(k_.arg(inst, 1)));
  }

  void block(KBlock b) {
    if (b == kNoKBlock) return;
    for (const Value v : k_.block(b)) {
      const Inst& inst = k_[v];
      WordRange& out = known_.words[index(v)];
      const uint32_t size = inst.imm < 3 ? k_.workgroup_size[inst.imm] : 1;
      switch (inst.kind) {
        case InstKind::Const:
          if (inst.type == DataType::U32) out = {inst.imm, inst.imm};
          break;
        case InstKind::LocalId: out = {0, size - 1}; break;
        case InstKind::WorkgroupId: out = workgroup_id(inst.imm); break;
        case InstKind::InvocationId: {
          const WordRange groups = workgroup_id(inst.imm);
          out = unless_wrapped(uint64_t{groups.least} * size, uint64_t{groups.most} * size + (size - 1));
          break;
        }
        case InstKind::Len: out = length(inst.target); break;
        case InstKind::Apply:
          if (inst.type == DataType::U32) out = computed(inst);
          break;
        case InstKind::Load:
        case InstKind::Store:
        case InstKind::Atomic:
          if (k_.buffers[inst.target].dims.empty())
            known_.inside[index(v)] = of(k_.arg(inst, 0)).most < length(inst.target).least;
          break;
        case InstKind::Loop:
          out = {of(k_.arg(inst, 0)).least, std::max(of(k_.arg(inst, 1)).most, 1u) - 1};
          block(inst.body);
          break;
        case InstKind::If: {
          const size_t before = facts_.size();
          know(k_.arg(inst, 0));
          block(inst.body);
          facts_.resize(before);
          block(inst.orelse);
          break;
        }
        case InstKind::NumWorkgroups:
        case InstKind::Get:
        case InstKind::Set:
        case InstKind::Return:
        case InstKind::Barrier:
        case InstKind::Intrinsic:
        case InstKind::Raw:
        case InstKind::RawLoad:
        case InstKind::RawStore:
        case InstKind::RawAtomic: break;
      }
    }
  }

  const Kernel& k_;
  KnownRanges known_;
  std::vector<Fact> facts_;
};

}  // namespace

KnownRanges word_ranges(const Kernel& kernel) { return Ranges(kernel).run(); }

}  // namespace vyre::lower
