#include "lower/unroll.h"

#include <algorithm>
#include <utility>

#include "lower/operators.h"
#include "lower/walk.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

/// By Value, whether it is the same in every run: a literal, the length of workgroup or private memory, or an
/// operator over such. Operands stand before what uses them.
std::vector<bool> known_values(const Kernel& kernel) {
  std::vector<bool> known(kernel.insts.size());
  for (size_t i = 0; i < known.size(); ++i) {
    const Inst& inst = kernel.insts[i];
    if (inst.kind == InstKind::Const) known[i] = true;
    if (inst.kind == InstKind::Len) known[i] = !spec::is_bound(kernel.buffers[inst.target].access);
    if (inst.kind != InstKind::Apply) continue;
    known[i] = std::ranges::all_of(kernel.args(inst), [&](Value v) { return known[index(v)]; });
  }
  return known;
}

/// Writes a kernel anew, block by block.
class WriterOut {
 public:
  WriterOut(const Kernel& kernel, const std::function<bool(const Inst&)>& gains, uint64_t most)
      : k_(kernel), rounds_(kernel.insts.size()), copies_(kernel.insts.size()) {
    choose_loops(gains, most);
  }

  bool has_work() const {
    return std::ranges::any_of(rounds_, [](uint32_t rounds) { return rounds != 0; });
  }

  Kernel run() {
    out_ = {.name = k_.name,
            .workgroup_size = k_.workgroup_size,
            .buffers = k_.buffers,
            .slots = k_.slots,
            .wide = k_.wide};
    out_.entry = out_.add_block();
    std::vector<Open> open = {{.from = k_.entry, .into = out_.entry}};
    while (!open.empty()) {
      Open& top = open.back();
      const auto& block = k_.block(top.from);
      if (top.next < block.size()) {
        const Value v = block[top.next++];
        const KBlock into = top.into;
        rounds_[index(v)] != 0 ? start_round(open, {.from = k_[v].body, .into = into, .loop = v})
                               : copy(open, v, into);
      } else if (top.loop != kNoValue && top.round + 1 < rounds_[index(top.loop)]) {
        Open next = top;
        open.pop_back();
        ++next.round;
        start_round(open, next);
      } else {
        open.pop_back();
      }
    }
    return std::move(out_);
  }

 private:
  struct Open {
    KBlock from{}, into{};
    Value loop = kNoValue;  // of which this is a round
    uint32_t round = 0;
    size_t next = 0;
  };

  void choose_loops(const std::function<bool(const Inst&)>& gains, uint64_t most) {
    std::vector<uint64_t> sizes(k_.blocks.size());  // with the blocks in them, as they will be
    std::vector<bool> gaining(k_.blocks.size());
    for (size_t b = k_.blocks.size(); b-- > 0;) {  // a block has a smaller number than those in it
      for (const Value v : k_.blocks[b]) {
        const Inst& inst = k_[v];
        ++sizes[b];
        if (gains(inst)) gaining[b] = true;
        for (const KBlock inner : {inst.body, inst.orelse}) {
          if (inner == kNoKBlock) continue;
          uint64_t size = sizes[index(inner)];
          if (const uint64_t rounds = rounds_of(inst); rounds > 0 && gaining[index(inner)]) {
            const uint64_t more = (rounds - 1) * size + rounds;
            if (more <= most) {
              most -= more;
              size += more;
              rounds_[index(v)] = uint32_t(rounds);
            }
          }
          sizes[b] += size;
          gaining[b] = gaining[b] || gaining[index(inner)];
        }
      }
    }
  }
  /// 0 where the loop is not to be written out.
  uint64_t rounds_of(const Inst& inst) const {
    if (inst.kind != InstKind::Loop || inst.imm == 0) return 0;
    const Inst& from = k_[k_.arg(inst, 0)];
    const Inst& to = k_[k_.arg(inst, 1)];
    if (from.kind != InstKind::Const || to.kind != InstKind::Const || to.imm <= from.imm) return 0;
    return to.imm - from.imm;
  }

  void start_round(std::vector<Open>& open, Open round) {
    const Inst& loop = k_[round.loop];
    const uint32_t turn = k_[k_.arg(loop, 0)].imm + round.round;
    const Inst number{.kind = InstKind::Const, .type = loop.type, .imm = turn, .origin = loop.origin};
    copies_[index(round.loop)] = add(round.into, number, {});
    round.next = 0;
    open.push_back(round);
  }
  void copy(std::vector<Open>& open, Value v, KBlock into) {
    Inst inst = k_[v];
    std::vector<Value> operands;
    for (const Value operand : k_.args(inst)) operands.push_back(copies_[index(operand)]);
    for (KBlock* inner : {&inst.orelse, &inst.body}) {  // the body is on top, so it is written first
      if (*inner == kNoKBlock) continue;
      const KBlock from = std::exchange(*inner, out_.add_block());
      open.push_back({.from = from, .into = *inner});
    }
    copies_[index(v)] = add(into, inst, operands);
  }
  Value add(KBlock into, const Inst& inst, std::span<const Value> operands) {
    const Value v = out_.add(inst, operands);
    out_.blocks[index(into)].push_back(v);
    return v;
  }

  const Kernel& k_;
  Kernel out_;
  std::vector<uint32_t> rounds_;  // by Value, a loop that is written out; else 0
  std::vector<Value> copies_;     // by Value of the source: what stands for it in the round at hand
};

}  // namespace

std::optional<Kernel> written_out(const Kernel& kernel, const std::function<bool(const Inst&)>& gains,
                                  uint64_t most) {
  WriterOut writer(kernel, gains, most);
  if (!writer.has_work()) return std::nullopt;
  return writer.run();
}

std::vector<Diag> unfollowed_hints(const Kernel& kernel, bool target_has_hint) {
  std::vector<Diag> out;
  const std::vector<bool> known = known_values(kernel);
  for (const Inst& inst : kernel.insts) {
    if (inst.kind != InstKind::Loop || inst.imm == 0) continue;
    if (!target_has_hint) {
      out.push_back(make_diag(DiagCode::L004, inst.origin, "this form has no word for `unroll`",
                              "nothing is lost: the compiler behind it decides by itself"));
      continue;
    }
    const bool counted = std::ranges::all_of(kernel.args(inst), [&](Value v) { return known[index(v)]; });
    if (counted) continue;
    out.push_back(make_diag(DiagCode::L004, inst.origin, "how often this loop runs is not known here",
                            "write bounds of literals and constants, or leave `unroll` out"));
  }
  return out;
}

}  // namespace vyre::lower
