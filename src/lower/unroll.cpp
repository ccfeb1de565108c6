#include "lower/unroll.h"

#include <algorithm>
#include <array>
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

/// The most that the quick form of a doubled loop becomes by being written out: no line in it has two forms.
constexpr uint64_t kMostQuick = 4096;

/// Writes a kernel anew, block by block.
class WriterOut {
 public:
  WriterOut(const Kernel& kernel, const std::function<bool(const Inst&)>& gains, const DoubledLoops& doubled,
            uint64_t most)
      : k_(kernel), rounds_(kernel.insts.size()), copies_(kernel.insts.size()), doubled_(doubled) {
    choose_loops(gains, most);
  }

  bool has_work() const {
    return std::ranges::any_of(rounds_, [](uint32_t rounds) { return rounds != 0; }) ||
           std::ranges::find(doubled_.loops, true) != doubled_.loops.end();
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
      if (top.alone != kNoValue) {
        const Open one = top;
        open.pop_back();
        write(open, one.alone, one.into, one.forms);
        continue;
      }
      if (top.turn != kNoValue) copies_[index(top.of)] = std::exchange(top.turn, kNoValue);
      const auto& block = k_.block(top.from);
      if (top.next < std::min(block.size(), top.end)) {
        write(open, block[top.next++], top.into, top.forms);
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
  /// Which forms of doubled loops are written.
  enum class Forms : uint8_t { Both, Quick, Slow };
  struct Open {
    KBlock from{}, into{};
    Forms forms = Forms::Both;
    Value loop = kNoValue;  // of which this is a round
    uint32_t round = 0;
    size_t next = 0;
    size_t end = SIZE_MAX;
    Value alone = kNoValue;                // not a block but this instruction
    Value of = kNoValue, turn = kNoValue;  // a loop whose body this is, and its variable here
  };

  bool is_doubled(Value v) const { return !doubled_.loops.empty() && doubled_.loops[index(v)]; }
  /// Where the barrier stands in a loop that is divided; 0: it is none.
  uint32_t barrier_in(Value v) const { return doubled_.barriers.empty() ? 0 : doubled_.barriers[index(v)]; }

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
            const bool twice = is_doubled(v);
            if (more <= (twice ? kMostQuick : most)) {
              if (!twice) most -= more;
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

  void write(std::vector<Open>& open, Value v, KBlock into, Forms forms) {
    if (forms == Forms::Both && barrier_in(v) != 0) return divide(open, v, into);
    if (forms == Forms::Both && is_doubled(v)) return write_twice(open, v, into);
    const bool rolled = forms == Forms::Slow && is_doubled(v);
    if (rounds_[index(v)] != 0 && !rolled)
      return start_round(open, {.from = k_[v].body, .into = into, .forms = forms, .loop = v});
    copy(open, v, into, forms);
    if (rolled) out_.insts[index(copies_[index(v)])].imm = 0;
  }
  Value number(KBlock into, const Inst& near) {
    return add(into, {.kind = InstKind::Const, .type = spec::DataType::U32, .origin = near.origin}, {});
  }
  void write_twice(std::vector<Open>& open, Value v, KBlock into) {
    const Value never = number(into, k_[v]);
    const KBlock quick = out_.add_block(), slow = out_.add_block();
    const Inst choice{
        .kind = InstKind::If, .imm = kInDoubt, .body = slow, .orelse = quick, .origin = k_[v].origin};
    add(into, choice, std::array{never});
    open.push_back({.into = quick, .forms = Forms::Quick, .alone = v});
    open.push_back({.into = slow, .forms = Forms::Slow, .alone = v});
  }

  // match:  for i in from..to { before; barrier; behind }
  // result: left = to
  //         for i in from..to {
  //           if (left == to) { before; barrier; if (in doubt) { left = i } else { behind, quickly } }
  //         }
  //         if (in doubt) { for i in left..to { before; barrier; behind, operator by operator } }
  //         // All of a workgroup are of one mind behind the barrier. What is before it may be done twice.
  void divide(std::vector<Open>& open, Value v, KBlock into) {
    const Inst& loop = k_[v];
    const Inst control{.kind = InstKind::If, .origin = loop.origin};
    const Value from = copies_[index(k_.arg(loop, 0))], to = copies_[index(k_.arg(loop, 1))];
    const uint32_t left = uint32_t(out_.slots.size());
    out_.slots.push_back({"left", spec::DataType::U32});
    const auto set_left = [&](KBlock block, Value value) {
      add(block, {.kind = InstKind::Set, .target = left, .origin = loop.origin}, std::array{value});
    };
    const auto get_left = [&](KBlock block) {
      return add(block,
                 {.kind = InstKind::Get, .type = spec::DataType::U32, .target = left, .origin = loop.origin},
                 {});
    };
    const auto choice = [&](KBlock block, KBlock body, KBlock orelse) {
      Inst inst = control;
      inst.imm = kInSharedDoubt, inst.body = body, inst.orelse = orelse;
      add(block, inst, std::array{number(block, loop)});
    };
    set_left(into, to);
    const KBlock turn = out_.add_block(), run = out_.add_block(), behind = out_.add_block(),
                 leave = out_.add_block(), slow = out_.add_block(), slow_turn = out_.add_block();
    Inst quick_loop = loop, slow_loop = loop;
    quick_loop.body = turn, slow_loop.body = slow_turn, slow_loop.imm = 0;
    const Value i = add(into, quick_loop, std::array{from, to});
    Inst goes_on = control;
    goes_on.body = run;
    const Inst equal{.kind = InstKind::Apply,
                     .op = spec::Op::Eq,
                     .type = spec::DataType::U32,
                     .operand_type = spec::DataType::U32,
                     .origin = loop.origin};
    add(turn, goes_on, std::array{add(turn, equal, std::array{get_left(turn), to})});
    const size_t behind_barrier = barrier_in(v) + 1;
    copies_[index(v)] = i;
    for (size_t n = 0; n < behind_barrier; ++n) copy(open, k_.block(loop.body)[n], run, Forms::Quick);
    choice(run, leave, behind);
    set_left(leave, i);
    choice(into, slow, kNoKBlock);
    const Value slow_i = add(slow, slow_loop, std::array{get_left(slow), to});
    open.push_back({.from = loop.body, .into = slow_turn, .forms = Forms::Slow, .of = v, .turn = slow_i});
    open.push_back({.from = loop.body, .into = behind, .forms = Forms::Quick, .next = behind_barrier});
  }

  void start_round(std::vector<Open>& open, Open round) {
    const Inst& loop = k_[round.loop];
    const uint32_t turn = k_[k_.arg(loop, 0)].imm + round.round;
    const Inst number{.kind = InstKind::Const, .type = loop.type, .imm = turn, .origin = loop.origin};
    copies_[index(round.loop)] = add(round.into, number, {});
    round.next = 0;
    open.push_back(round);
  }
  void copy(std::vector<Open>& open, Value v, KBlock into, Forms forms) {
    Inst inst = k_[v];
    std::vector<Value> operands;
    for (const Value operand : k_.args(inst)) operands.push_back(copies_[index(operand)]);
    for (KBlock* inner : {&inst.orelse, &inst.body}) {  // the body is on top, so it is written first
      if (*inner == kNoKBlock) continue;
      const KBlock from = std::exchange(*inner, out_.add_block());
      open.push_back({.from = from, .into = *inner, .forms = forms});
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
  const DoubledLoops& doubled_;
};

}  // namespace

std::optional<Kernel> written_out(const Kernel& kernel, const std::function<bool(const Inst&)>& gains,
                                  const DoubledLoops& doubled, uint64_t most) {
  WriterOut writer(kernel, gains, doubled, most);
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
