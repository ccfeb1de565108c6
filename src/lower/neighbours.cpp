#include "lower/neighbours.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>

#include "lower/inst_info.h"
#include "lower/walk.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

constexpr uint32_t kFour = 4;
constexpr uint32_t kAllZeros = 32;             // trailing zeros of zero
constexpr size_t kFarthest = 256;              // instructions between the first access and the last
constexpr uint64_t kLargestWord = UINT32_MAX;  // of a word
constexpr uint64_t kTurnsOfLoop = 8;  // how much oftener than what is around it a loop is taken to run

uint32_t zeros_of(uint32_t word) { return uint32_t(std::countr_zero(word)); }

/// A word: what its rest's number stands for, and a literal. The rest is a multiple of 2^zeros, the word at
/// most `most`.
struct IndexTerm {
  uint32_t rest = 0;
  uint32_t literal = 0;
  uint32_t zeros = kAllZeros;
  uint64_t most = kLargestWord;

  bool is_literal() const { return rest == 0; }
  uint32_t trailing() const { return std::min(zeros, zeros_of(literal)); }
};

class NeighbourFinder {
 public:
  explicit NeighbourFinder(const Kernel& kernel)
      : k_(kernel),
        terms_(kernel.insts.size()),
        gains_(kernel.buffers.size()),
        runs_(kernel.blocks.size(), 1) {
    out_.sums.resize(kernel.insts.size());
    out_.in_fours.resize(kernel.buffers.size());
  }

  Neighbours run() {
    walk(k_, k_.entry, [&](Value v) { terms_[index(v)] = term(v); });
    for (const auto& block : k_.blocks)
      for (size_t i = 0; i < block.size(); ++i) join(block, i);
    choose();
    return std::move(out_);
  }

 private:
  // ---- Words ---------------------------------------------------------------------------------------------

  IndexTerm opaque(uint32_t zeros = 0, uint64_t most = kLargestWord) { return {++rests_, 0, zeros, most}; }
  /// The same number for the same operator over the same.
  IndexTerm made(std::array<uint32_t, 6> what, uint32_t zeros, uint64_t most) {
    const auto [at, fresh] = known_.try_emplace(what, rests_ + 1);
    if (fresh) ++rests_;
    return {at->second, 0, zeros, most};
  }
  static IndexTerm literal(uint32_t word) { return {.literal = word, .most = word}; }

  IndexTerm sum(IndexTerm a, IndexTerm b, bool& splits) {
    const uint64_t most = a.most + b.most;
    splits = most <= kLargestWord && (a.trailing() >= 2 || b.trailing() >= 2);
    IndexTerm out = a.is_literal() ? b : a;
    if (!a.is_literal() && !b.is_literal()) {
      const auto [low, high] = std::minmax(a.rest, b.rest);
      out = made({0, low, high}, std::min(a.zeros, b.zeros), 0);
    }
    out.literal = a.literal + b.literal;
    out.most = most > kLargestWord ? kLargestWord : most;
    return out;
  }
  IndexTerm product(IndexTerm a, uint32_t by) {
    if (a.is_literal()) return literal(a.literal * by);
    const uint64_t most = a.most * by;
    IndexTerm out = made({1, a.rest, by}, std::min(a.zeros + zeros_of(by), kAllZeros), 0);
    out.literal = a.literal * by;
    out.most = most > kLargestWord ? kLargestWord : most;
    return out;
  }
  IndexTerm other(const Inst& inst, uint32_t zeros, uint64_t most) {
    std::array<uint32_t, 6> what = {2 + uint32_t(inst.raw)};
    for (uint32_t n = 0; n < 2; ++n) {
      const IndexTerm t = of(inst, n);
      what[2 * n + 1] = t.rest;
      what[2 * n + 2] = t.literal;
    }
    return made(what, zeros, most);
  }
  const IndexTerm& of(const Inst& inst, uint32_t n) const { return terms_[index(k_.arg(inst, n))]; }

  IndexTerm term(Value v) {
    const Inst& inst = k_[v];
    switch (given_by(inst.kind)) {
      case BuiltinInput::Literal: return literal(inst.imm);
      case BuiltinInput::LocalId:
        return made({1000, inst.imm}, k_.workgroup_size[inst.imm] == 1 ? kAllZeros : 0,
                    k_.workgroup_size[inst.imm] - 1);
      case BuiltinInput::WorkgroupId: return made({1001, inst.imm}, 0, kLargestWord);
      case BuiltinInput::InvocationId: return made({1002, inst.imm}, 0, kLargestWord);
      case BuiltinInput::NumWorkgroups: return made({1003, inst.imm}, 0, kLargestWord);
      case BuiltinInput::Length: return made({1004, inst.target}, 0, kLargestWord);
      case BuiltinInput::Nothing: break;
    }
    if (inst.kind == InstKind::Loop) return opaque(0, std::max<uint64_t>(of(inst, 1).most, 1) - 1);
    if (inst.kind != InstKind::Raw || inst.args.count != 2) return opaque();
    const IndexTerm a = of(inst, 0), b = of(inst, 1);
    if (inst.raw == RawOp::And && a.is_literal() && b.is_literal()) return literal(a.literal & b.literal);
    const std::optional<uint32_t> by = b.is_literal() ? std::optional(b.literal) : std::nullopt;
    const bool is_amount = by && *by < 32;
    if (inst.raw == RawOp::Add) {
      bool splits = false;
      const IndexTerm out = sum(a, b, splits);
      out_.sums[index(v)] = splits;
      return out;
    }
    if (inst.raw == RawOp::Mul && by) return product(a, *by);
    if (inst.raw == RawOp::Mul && a.is_literal()) return product(b, a.literal);
    if (inst.raw == RawOp::Mul)
      return other(inst, std::min(a.trailing() + b.trailing(), kAllZeros), kLargestWord);
    if (inst.raw == RawOp::Shl && is_amount) return product(a, 1u << *by);
    if (inst.raw == RawOp::LShr && is_amount) return other(inst, divided(a, *by), a.most >> *by);
    if (inst.raw == RawOp::UDiv && by && *by != 0)
      return other(inst, std::has_single_bit(*by) ? divided(a, zeros_of(*by)) : 0, a.most / *by);
    if (inst.raw == RawOp::URem && by && *by != 0)
      return other(inst, std::min(a.trailing(), b.trailing()), std::min<uint64_t>(a.most, *by - 1));
    if (inst.raw == RawOp::And)
      return other(inst, std::max(a.trailing(), b.trailing()), std::min(a.most, b.most));
    return info(inst.raw).is_float ? opaque() : other(inst, 0, kLargestWord);
  }
  static uint32_t divided(const IndexTerm& a, uint32_t zeros) {
    return a.trailing() > zeros ? std::min(a.trailing(), 31u) - zeros : 0;
  }

  // ---- Accesses ------------------------------------------------------------------------------------------

  bool is_candidate(uint32_t buffer) const {
    const KernelBuffer& b = k_.buffers[buffer];
    const bool words = spec::info(b.element).bytes == 4 && spec::value_words(b.element) == 1;
    const bool shared = b.access == spec::BufferAccess::Workgroup;
    return words && !b.used_atomically && b.access != spec::BufferAccess::Private &&
           (!shared || (b.count % kFour == 0 && b.count != 0));
  }
  static bool is_access(const Inst& inst) {
    return inst.kind == InstKind::RawLoad || inst.kind == InstKind::RawStore;
  }
  /// Whether the access may stand elsewhere, beside one that it does not follow.
  bool may_pass(const Inst& first, const Inst& next) const {
    if (!is_access(next)) return false;
    if (next.kind == InstKind::RawLoad && first.kind == InstKind::RawLoad) return true;
    if (next.target != first.target) return true;  // arrays do not overlap
    const IndexTerm &a = of(first, 0), &b = of(next, 0);
    return a.rest == b.rest && (b.literal - a.literal) >= kFour;
  }

  void join(const std::vector<Value>& block, size_t i) {
    const Value v = block[i];
    const Inst& first = k_[v];
    if (!is_access(first) || !is_candidate(first.target)) return;
    const IndexTerm& at = of(first, 0);
    if (out_.joined.contains(index(v)) || at.trailing() < 2) return;
    std::vector<Value> parts = {v};
    for (size_t j = i + 1; j < std::min(block.size(), i + kFarthest) && parts.size() < kFour; ++j) {
      const Inst& next = k_[block[j]];
      if (next.kind == InstKind::Raw || next.kind == InstKind::Get || next.kind == InstKind::Set ||
          given_by(next.kind) != BuiltinInput::Nothing)
        continue;
      const bool follows = next.kind == first.kind && next.target == first.target &&
                           of(next, 0).rest == at.rest &&
                           of(next, 0).literal == at.literal + uint32_t(parts.size());
      if (follows) {
        parts.push_back(block[j]);
      } else if (!may_pass(first, next)) {
        return;
      }
    }
    if (parts.size() != kFour) return;
    for (const Value part : parts) out_.joined.insert(index(part));
    out_.at[index(first.kind == InstKind::RawLoad ? parts.front() : parts.back())] = std::move(parts);
  }

  // ---- Arrays --------------------------------------------------------------------------------------------

  /// Fours count for what they save, others for the component that they have to name.
  void choose() {
    const Nesting nesting(k_);
    for (size_t b = 0; b < k_.blocks.size(); ++b) {
      const Value owner = nesting.owner[b];
      if (owner == kNoValue) continue;
      const uint64_t around = runs_[index(nesting.holder[index(owner)])];
      const bool turns =
          k_[owner].kind == InstKind::Loop && around < kTurnsOfLoop * kTurnsOfLoop * kTurnsOfLoop;
      runs_[b] = turns ? around * kTurnsOfLoop : around;
    }
    for (size_t b = 0; b < k_.blocks.size(); ++b) {
      for (const Value v : k_.blocks[b]) {
        const Inst& inst = k_[v];
        if (inst.kind != InstKind::RawLoad && inst.kind != InstKind::RawStore) continue;
        const bool joined = out_.joined.contains(index(v));
        gains_[inst.target] += joined ? int64_t(runs_[b]) : -int64_t(runs_[b]);
      }
    }
    for (size_t n = 0; n < gains_.size(); ++n) out_.in_fours[n] = is_candidate(uint32_t(n)) && gains_[n] > 0;
    std::erase_if(out_.joined, [&](uint32_t v) { return !out_.in_fours[k_.insts[v].target]; });
    std::erase_if(out_.at, [&](const auto& at) { return !out_.in_fours[k_.insts[at.first].target]; });
  }

  const Kernel& k_;
  Neighbours out_;
  std::vector<IndexTerm> terms_;  // by Value
  std::map<std::array<uint32_t, 6>, uint32_t> known_;
  uint32_t rests_ = 0;          // 0 is of literals: none
  std::vector<int64_t> gains_;  // by buffer
  std::vector<uint64_t> runs_;  // by KBlock
};

}  // namespace

Neighbours find_neighbours(const Kernel& kernel) { return NeighbourFinder(kernel).run(); }

}  // namespace vyre::lower
