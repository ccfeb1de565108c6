// f is the format, p its digits, G the least exponent of an exact result that is certain not to be subnormal:
// twice the least normal number. Of f32, p = 24 and G = -125.
#include "lower/speculation.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "lower/float_rules.h"
#include "lower/inst_info.h"
#include "lower/walk.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::FloatFormat;
using spec::Op;

/// Operators of a line: what is in doubt is all computed again.
constexpr size_t kLongestLine = 512;

bool is_number(const Inst& inst) { return inst.kind == InstKind::Const && inst.type == DataType::F32; }
bool adds(Op op) { return op == Op::FAdd || op == Op::FSub || op == Op::FMulAdd; }

/// What gives one of its operands, but for the sign.
bool passes(Op op) {
  return op == Op::FNeg || op == Op::FAbs || op == Op::FMin || op == Op::FMax || op == Op::Select;
}
bool is_rounding(Op op) {
  return op == Op::FFloor || op == Op::FCeil || op == Op::FRound || op == Op::FTrunc;
}
bool compares(Op op) {
  return op == Op::FEq || op == Op::FLt || op == Op::FGt || op == Op::FLe || op == Op::FGe;
}

Reach least_of(const Reach& a, const Reach& b) {
  return {std::min(a.away, b.away), std::min(a.least, b.least), std::min(a.multiple, b.multiple)};
}

/// How much oftener than what stands outside of a loop what is in it is taken to run.
constexpr uint64_t kTurns = 8;

/// By Value: how often it runs, of a few loops around it.
std::vector<uint64_t> estimated_runs(const Kernel& kernel) {
  std::vector<uint64_t> of_blocks(kernel.blocks.size(), 1), out(kernel.insts.size());
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {  // a block has a smaller number than those in it
    for (const Value v : kernel.blocks[b]) {
      const uint64_t runs = out[index(v)] = of_blocks[b];
      const bool is_loop = kernel[v].kind == InstKind::Loop && runs < kTurns * kTurns * kTurns;
      for (const KBlock inner : {kernel[v].body, kernel[v].orelse}) {
        if (inner != kNoKBlock) of_blocks[index(inner)] = is_loop ? runs * kTurns : runs;
      }
    }
  }
  return out;
}

/// Words of workgroup memory, where an element has one of its own at least.
uint64_t workgroup_words(const Kernel& kernel) {
  uint64_t words = 0;
  for (const KernelBuffer& buffer : kernel.buffers) {
    if (buffer.access == spec::BufferAccess::Workgroup)
      words += uint64_t{std::max(buffer.count, 1u)} * std::max(spec::info(buffer.element).bytes / 4, 1u);
  }
  return words;
}

/// One more of the line: all of them are one word.
void collect(Rewriter& r, std::optional<Value>& doubt, Value more) {
  doubt = doubt ? either(r, *doubt, more) : more;
}

}  // namespace

bool has_line_form(const Inst& inst, const FloatPromises& floats, const GuardedFormat& format) {
  if (inst.kind != InstKind::Apply || inst.operand_type != DataType::F32) return false;
  return float_route(inst, floats) == Route::Guarded && has_line_form(inst.op, format.narrow, floats);
}

namespace {

constexpr int32_t least_sum(FloatFormat f) { return f.min_exponent() + 1; }

Reach reach_of_constant(FloatFormat f, uint32_t bits) {
  const uint32_t size = bits & (f.sign_bit() - 1);
  constexpr int32_t kAlways = Reach::kAlways;
  if (size == 0) return {Reach::kNothing, kAlways, kAlways};
  if (size >= f.infinity()) return {kAlways, kAlways, kAlways};
  if (size < f.least_normal()) return {};
  const int32_t exponent = int32_t(size >> f.fraction_bits) - f.bias();
  const uint32_t significand = (size & f.fraction_mask()) | f.least_normal();
  return {exponent, exponent, exponent - int32_t(f.fraction_bits) + std::countr_zero(significand)};
}

/// Whether the target's own sum, difference or product is right whatever the operands are.
bool is_right(const Inst& inst, const FloatPromises& floats) {
  return inst.kind == InstKind::Apply && inst.operand_type == DataType::F32 &&
         (inst.op == Op::FAdd || inst.op == Op::FSub || inst.op == Op::FMul) &&
         float_route(inst, floats) == Route::Native;
}

// A variable that is only ever set to numbers and to sums, once to one of itself that has a line. Those that
// are set in one block are a group.
void find_accumulators(const Kernel& k, const FloatPromises& floats, const GuardedFormat& format,
                       KeptFloats& out) {
  enum class Kind : uint8_t { Unknown, Sums, Other };
  const FloatFormat f = format.narrow;
  std::vector<Kind> kinds(k.slots.size());
  std::vector<uint32_t> leader(k.slots.size());
  std::iota(leader.begin(), leader.end(), 0u);
  const auto find = [&](uint32_t slot) {
    while (leader[slot] != slot) slot = leader[slot] = leader[leader[slot]];
    return slot;
  };
  for (const auto& block : k.blocks) {
    std::optional<uint32_t> beside;
    for (const Value v : block) {
      const Inst& set = k[v];
      if (set.kind != InstKind::Set) continue;
      Kind& kind = kinds[set.target];
      const Inst& value = k[k.arg(set, 0)];
      if (is_number(value) && reach_of_constant(f, value.imm).multiple >= least_sum(f)) continue;
      const bool has_line = has_line_form(value, floats, format);
      if ((!has_line && !is_right(value, floats)) || !adds(value.op)) {
        kind = Kind::Other;
        continue;
      }
      if (beside) leader[find(set.target)] = find(*beside);
      beside = set.target;
      const bool of_itself = std::ranges::any_of(k.args(value), [&](Value operand) {
        return k[operand].kind == InstKind::Get && k[operand].target == set.target;
      });
      if (has_line && of_itself && kind == Kind::Unknown) kind = Kind::Sums;
    }
  }
  std::vector<std::optional<uint32_t>> group_of(k.slots.size());  // by leader
  for (uint32_t slot = 0; slot < kinds.size(); ++slot) {
    if (kinds[slot] != Kind::Sums) continue;
    auto& group = group_of[find(slot)];
    if (!group) {
      group = uint32_t(out.members.size());
      out.members.push_back(0);
    }
    out.group_of[slot] = group;
    ++out.members[*group];
  }
}

// Arrays of workgroup memory whose elements are oftener operands than they are stored, if there is room for a
// word more. Atomics are none of floats.
void find_arrays(const Kernel& k, const Target& target, const GuardedFormat& format, KeptFloats& out) {
  std::vector<bool> is_operand(k.insts.size());
  for (const Inst& inst : k.insts) {
    const bool passed = inst.kind == InstKind::Apply && inst.type == DataType::F32 && passes(inst.op);
    if (!has_line_form(inst, target.floats, format) && !passed && !is_right(inst, target.floats)) continue;
    for (const Value v : k.args(inst)) is_operand[index(v)] = true;
  }
  std::vector<uint64_t> loads(k.buffers.size()), stores(k.buffers.size());
  const std::vector<uint64_t> runs = estimated_runs(k);
  for (uint32_t v = 0; v < k.insts.size(); ++v) {
    const Inst& inst = k.insts[v];
    if (inst.target >= k.buffers.size()) continue;
    if (inst.kind == InstKind::Load && is_operand[v]) loads[inst.target] += runs[v];
    if (inst.kind == InstKind::Store) stores[inst.target] += runs[v];
  }
  if (4 * (workgroup_words(k) + 1) > target.workgroup_bytes) return;
  out.arrays.resize(k.buffers.size());
  for (uint32_t b = 0; b < k.buffers.size(); ++b) {
    const KernelBuffer& buffer = k.buffers[b];
    if (buffer.access != spec::BufferAccess::Workgroup || buffer.element != DataType::F32) continue;
    out.arrays[b] = loads[b] >= 2 * stores[b] && loads[b] > 0;
  }
}

bool has_lines(const Kernel& k, const Target& target, const GuardedFormat& format) {
  return std::ranges::any_of(k.insts,
                             [&](const Inst& inst) { return has_line_form(inst, target.floats, format); });
}

KeptFloats kept_floats(const Kernel& k, const Target& target, const GuardedFormat& format) {
  KeptFloats out;
  out.group_of.resize(k.slots.size());
  find_accumulators(k, target.floats, format, out);
  find_arrays(k, target, format, out);
  return out;
}

/// Fewer multiply-adds in a turn are not worth a second loop.
constexpr size_t kLeastDoubled = 4;

/// Whether all floats that a block computes are multiply-adds of arrays to accumulators, and all else that it
/// does is to compute: then no line in it has a test of its own.
bool only_accumulates(const Kernel& k, KBlock block, const Target& target, const GuardedFormat& format,
                      const KeptFloats& kept) {
  size_t count = 0;
  const bool all = std::ranges::all_of(k.block(block), [&](Value v) {
    const Inst& inst = k[v];
    const auto is_accumulator = [&](const Inst& access) { return kept.group_of[access.target].has_value(); };
    const InstInfo& what = info(inst.kind);
    if (what.effect == Effect::SetsSlot)
      return is_accumulator(inst) && has_line_form(k[k.arg(inst, 0)], target.floats, format);
    if (what.effect != Effect::None || what.source == Source::Lanes) return false;
    if (!has_line_form(inst, target.floats, format)) return true;
    ++count;
    const auto is_known = [&](uint32_t n) {
      const Inst& operand = k[k.arg(inst, n)];
      return operand.kind == InstKind::Load && kept.has_array(operand);
    };
    const Inst& sum = k[k.arg(inst, inst.args.count - 1)];
    return inst.op == Op::FMulAdd && !doubts_itself(inst.op, target.floats) && is_known(0) && is_known(1) &&
           sum.kind == InstKind::Get && is_accumulator(sum);
  });
  return all && count >= kLeastDoubled;
}

}  // namespace

namespace {

/// Whether an instruction may be done twice, what is around it being the same: it reads only what is not
/// written, and writes only workgroup memory.
bool may_be_repeated(const Kernel& k, const Inst& inst) {
  const auto access = [&] { return k.buffers[inst.target].access; };
  if (inst.kind == InstKind::Load) return !spec::is_written_by_others(access());
  if (inst.kind == InstKind::Store) return access() == spec::BufferAccess::Workgroup;
  const InstInfo& what = info(inst.kind);
  return what.effect == Effect::None && what.source != Source::Lanes && what.source != Source::Memory;
}

/// Where the barrier stands in a loop that can be divided, or 0: before it is what may be repeated, behind it
/// no float is in a line but in doubled loops, and nothing is stored in an array that these rely on.
uint32_t barrier_of(const Kernel& k, const Inst& loop, const Target& target, const GuardedFormat& format,
                    const KeptFloats& kept, const std::vector<bool>& doubled) {
  const auto& body = k.block(loop.body);
  const auto barrier =
      std::ranges::find(body, InstKind::Barrier, [&](Value v) { return k[v].kind; }) - body.begin();
  if (barrier == 0 || size_t(barrier) == body.size()) return 0;
  bool has_doubled = false, right = true;
  for (auto n = body.begin(); n != body.begin() + barrier; ++n) right &= may_be_repeated(k, k[*n]);
  bool inside = false;  // of a doubled loop
  size_t place = 0;
  walk(
      k, loop.body,
      [&](Value v) {
        const Inst& inst = k[v];
        if (place < body.size() && body[place] == v) ++place;
        if (place <= size_t(barrier) + 1 && !inside) return true;
        const bool sets_accumulator =
            inst.kind == InstKind::Set && kept.group_of[inst.target].has_value() && !inside;
        const bool stores = inst.kind == InstKind::Store && kept.has_array(inst);
        const bool is_line = has_line_form(inst, target.floats, format) && !inside;
        right &= !sets_accumulator && !stores && !is_line && inst.kind != InstKind::Return;
        if (doubled[index(v)]) has_doubled = inside = true;
        return true;
      },
      [](Value) {}, [&](Value v) { inside = inside && !doubled[index(v)]; });
  return right && has_doubled ? uint32_t(barrier) : 0;
}

/// Whether accumulators are set to numbers alone where no doubled loop is: then none is in doubt before an
/// array is.
bool begin_with_numbers(const Kernel& k, const KeptFloats& kept, const std::vector<bool>& doubled) {
  const Nesting nesting(k);
  for (size_t v = 0; v < k.insts.size(); ++v) {
    const Inst& inst = k.insts[v];
    if (inst.kind != InstKind::Set || !kept.group_of[inst.target]) continue;
    if (is_number(k[k.arg(inst, 0)])) continue;
    const Value around = nesting.around(Value{uint32_t(v)});
    if (around == kNoValue || !doubled[index(around)]) return false;
  }
  return true;
}

}  // namespace

DoubledLoops loops_to_double(const Kernel& kernel, const Target& target, const GuardedFormat& format) {
  if (!has_lines(kernel, target, format)) return {};
  const KeptFloats kept = kept_floats(kernel, target, format);
  const auto is_loop = [&](size_t v) { return kernel.insts[v].kind == InstKind::Loop; };
  DoubledLoops out;
  out.loops.resize(kernel.insts.size());
  for (size_t v = 0; v < out.loops.size(); ++v)
    out.loops[v] = is_loop(v) && only_accumulates(kernel, kernel.insts[v].body, target, format, kept);
  if (std::ranges::find(out.loops, true) == out.loops.end()) return {};
  if (!begin_with_numbers(kernel, kept, out.loops)) return out;
  out.barriers.resize(kernel.insts.size());
  for (size_t v = 0; v < out.barriers.size(); ++v) {
    if (is_loop(v) && !out.loops[v])
      out.barriers[v] = barrier_of(kernel, kernel.insts[v], target, format, kept, out.loops);
  }
  return out;
}

Speculation::Speculation(Rewriter& r, const GuardedFormat& format, Write write)
    : r_(r),
      k_(r.source()),
      format_(format),
      write_(std::move(write)),
      least_sum_(least_sum(format.narrow)),
      least_factor_(std::max(least_sum_ / 2, format.narrow.min_exponent()) +
                    int32_t(format.narrow.fraction_bits)) {
  active_ = has_lines(k_, r_.target(), format_);
  if (!active_) return;
  kept_ = kept_floats(k_, r_.target(), format_);
  doubtful_.resize(kept_.members.size());
  uses_.resize(k_.insts.size());
  for (const Value v : k_.values) ++uses_[index(v)];
  in_line_.resize(k_.insts.size());
  chosen_.resize(k_.insts.size());
  set_in_line_.resize(k_.slots.size());
  first_set_.assign(k_.slots.size(), kNoValue);
  walk(k_, k_.entry, [&](Value v) {
    const Inst& inst = k_[v];
    if (inst.kind == InstKind::Set && first_set_[inst.target] == kNoValue) first_set_[inst.target] = v;
  });
  find_forms();
}

/// In which of the two forms of a doubled loop each block stands.
void Speculation::find_forms() {
  forms_.resize(k_.blocks.size(), Form::Either);
  for (size_t b = 0; b < k_.blocks.size(); ++b) {  // a block has a smaller number than those in it
    for (const Value v : k_.blocks[b]) {
      const Inst& inst = k_[v];
      const bool is_choice = inst.kind == InstKind::If && inst.imm != 0;
      if (inst.body != kNoKBlock) forms_[index(inst.body)] = is_choice ? Form::Slow : forms_[b];
      if (inst.orelse != kNoKBlock) forms_[index(inst.orelse)] = is_choice ? Form::Quick : forms_[b];
    }
  }
}

void Speculation::begin() {
  if (std::ranges::find(kept_.arrays, true) != kept_.arrays.end())
    array_doubt_ = r_.workgroup_words("too_small", 1);
  for (Variable& doubtful : doubtful_) {
    doubtful = r_.variable("too_small");
    r_.clear(doubtful);
  }
}

// ---- Accumulators -----------------------------------------------------------------------------------------

Value Speculation::too_small(Value v) {
  const FloatFormat f = format_.narrow;
  return is_below(r_, f, r_.parts(v)[0], least_sum_ + int32_t(f.fraction_bits));
}

/// After the line was computed operator by operator: nothing is known of what came.
void Speculation::doubt_accumulators(const std::vector<Value>& line) {
  std::map<uint32_t, Value> last;  // by slot
  for (const Value v : line) {
    const Inst& inst = k_[v];
    if (inst.kind == InstKind::Set && is_accumulator(inst.target)) last[inst.target] = k_.arg(inst, 0);
  }
  struct Seen {
    size_t members = 0;
    std::optional<Value> doubt;
  };
  std::map<uint32_t, Seen> seen;  // by group
  for (const auto& [slot, value] : last) {
    Seen& group = seen[*kept_.group_of[slot]];
    collect(r_, group.doubt, too_small(value));
    ++group.members;
  }
  for (auto& [number, group] : seen) {
    const Slot doubtful = doubtful_[number][0];
    if (group.members < kept_.members[number]) collect(r_, group.doubt, r_.get(doubtful));
    r_.set(doubtful, *group.doubt);
  }
}

// ---- Arrays -----------------------------------------------------------------------------------------------

// The doubt is stored before anything can see the value: before the next line and before whatever ends one.
// Of stores side by side it is one doubt.
void Speculation::test_stored(const Inst& store) {
  if (form_ == Form::Slow) return;  // the workgroup is in doubt
  const Value stored = k_.arg(store, store.args.count - 1);
  if (is_number(k_[stored]) && reach(stored).least >= least_factor_) return;
  collect(r_, stored_, is_below(r_, format_.narrow, r_.parts(stored)[0], least_factor_));
}
void Speculation::store_doubt() {
  if (!stored_) return;
  const Value doubt = *std::exchange(stored_, std::nullopt);
  r_.if_(doubt, [&] { r_.store(array_doubt(), r_.constant(1)); });
}

// ---- What is known of values ------------------------------------------------------------------------------

void Speculation::know(Value v, Reach reach) {
  reach.least = std::max({reach.least, reach.away, reach.multiple});
  reach.multiple = std::max(reach.multiple, reach.least - int32_t(format_.narrow.fraction_bits));
  for (int32_t* one : {&reach.away, &reach.least, &reach.multiple})
    *one = std::clamp(*one, Reach::kNothing, Reach::kAlways);
  known_[index(v)] = reach;
}

Reach Speculation::reach(Value v) const {
  if (const auto known = known_.find(index(v)); known != known_.end()) return known->second;
  const Inst& inst = k_[v];
  if (is_number(inst)) return reach_of_constant(format_.narrow, inst.imm);
  if (inst.kind == InstKind::Load && is_array(inst)) {
    return {.least = least_factor_, .multiple = least_factor_ - int32_t(format_.narrow.fraction_bits)};
  }
  if (inst.kind != InstKind::Apply || inst.type != DataType::F32) return {};
  if (is_rounding(inst.op)) return {Reach::kNothing, 0, 0};
  if (inst.op != Op::Cast) return {};
  if (!spec::kFloats.contains(inst.operand_type)) return {Reach::kNothing, 0, 0};
  if (inst.operand_type != DataType::F16) return {};
  const int32_t least = spec::kBinary16.min_exponent() - int32_t(spec::kBinary16.fraction_bits);
  return {Reach::kNothing, least, least};
}

// Of a sum of which one operand, of size 2^k at least, is a multiple of 2^m: the other one is below
// 2^(k - p - 1), and then the first one is the result; or it is a multiple of 2^(k - 2 p). A product in its
// place is one of 2^(k - 3 p). Rounded a multiple of 2^m stays one, for either it has p digits or more is
// cut.
Reach Speculation::result_reach(const Inst& inst) const {
  const FloatFormat f = format_.narrow;
  const int32_t digits = int32_t(f.precision());
  const auto of = [&](uint32_t n) { return reach(k_.arg(inst, n)); };
  const auto sum = [&](const Reach& a, const Reach& b, int32_t away) {
    int32_t multiple = std::min(a.multiple, b.multiple);
    if (away > Reach::kNothing) multiple = std::max(multiple, away);
    return Reach{.multiple = multiple};
  };
  if (inst.op == Op::FNeg || inst.op == Op::FAbs) return of(0);
  if (inst.op == Op::FMin || inst.op == Op::FMax) return least_of(of(0), of(1));
  if (inst.op == Op::Select) return least_of(of(1), of(2));
  if (inst.op == Op::FMul) {
    const Reach a = of(0), b = of(1);
    return {a.away + b.away, a.least + b.least, a.multiple + b.multiple};
  }
  if (inst.op == Op::FAdd || inst.op == Op::FSub) {
    const Reach a = of(0), b = of(1);
    const auto beside = [&](const Reach& c) { return std::min(c.multiple, c.away - 2 * digits); };
    return sum(a, b, std::max(beside(a), beside(b)));
  }
  if (inst.op == Op::FMulAdd) {
    const Reach a = of(0), b = of(1), c = of(2);
    return sum({.multiple = a.multiple + b.multiple}, c, c.away - 3 * digits);
  }
  if (inst.op == Op::FDiv) return {.least = quotient_exponent(f)};
  if (inst.op == Op::FSqrt) return {.away = root_operand_exponent(f) / 2};
  return {};
}

/// What the instruction's operands are known by.
Speculation::Values Speculation::relied_on_by(const Inst& inst) const {
  Values out;
  for (const Value v : k_.args(inst)) {
    if (k_[v].kind == InstKind::Load && is_array(k_[v])) out.insert(v);
    if (const auto found = relies_.find(index(v)); found != relies_.end())
      out.insert(found->second.begin(), found->second.end());
  }
  return out;
}

// ---- What operators need ----------------------------------------------------------------------------------

Reach Speculation::with(Value v, const std::vector<Test>& tests) const {
  Reach out = reach(v);
  for (const Test& test : tests) {
    if (test.value != v) continue;
    out.least = std::max(out.least, test.least);
    out.multiple = std::max(out.multiple, test.least - int32_t(format_.narrow.fraction_bits));
  }
  return out;
}

bool Speculation::need_least(Value v, int32_t least, std::vector<Test>& tests) const {
  if (with(v, tests).least >= least) return true;
  if (is_number(k_[v]) || least > format_.narrow.max_exponent()) return false;
  tests.push_back({v, std::max(least, format_.narrow.min_exponent())});
  return true;
}
bool Speculation::need_multiple(Value v, int32_t multiple, std::vector<Test>& tests) const {
  if (with(v, tests).multiple >= multiple) return true;
  return need_least(v, multiple + int32_t(format_.narrow.fraction_bits), tests);
}

/// That exponents of the two add up to G: each has half of that, or one what the other leaves.
bool Speculation::need_product(Value a, Value b, int32_t Reach::* what, std::vector<Test>& tests) const {
  const int32_t normal = format_.narrow.min_exponent(), half = least_sum_ / 2;
  const auto need_one = [&](Value v, int32_t exponent) {
    exponent = std::max(exponent, normal);
    const bool enough =
        what == &Reach::least ? need_least(v, exponent, tests) : need_multiple(v, exponent, tests);
    return enough && need_least(v, normal, tests);
  };
  const int32_t of_a = reach(a).*what, of_b = reach(b).*what;
  if (of_a + of_b >= least_sum_) return need_least(a, normal, tests) && need_least(b, normal, tests);
  const bool a_is_enough = a != b && (is_number(k_[a]) || of_a >= half);
  if (a_is_enough) return of_a >= least_sum_ && need_one(a, normal) && need_one(b, least_sum_ - of_a);
  const bool b_is_enough = a != b && (is_number(k_[b]) || of_b >= half);
  if (b_is_enough) return of_b >= least_sum_ && need_one(b, normal) && need_one(a, least_sum_ - of_b);
  return need_one(a, half) && need_one(b, half);
}

// match:  fmul(a, b)
// right:  a and b are not subnormal, their least exponents add up to G
// match:  fadd, fsub(a, b)
// right:  both are multiples of 2^G, as then is the exact result; or of one the size is 2^(min + p + 1) at
//         least, min being that of the least normal number: as lower/guarded.cpp says of sums
// match:  fmul_add(a, b, c)
// right:  a and b are not subnormal, their multiples' exponents add up to G, and c is a multiple of 2^G;
//         or the size of c is 2^k, k >= G + 2 p: a product of half that size or more is a multiple of
//         2^(k - 2 p), and another leaves half of c
// match:  fdiv(a, b), fsqrt(a)
// right:  they doubt themselves
bool Speculation::need(const Inst& inst, std::vector<Test>& tests) const {
  const FloatFormat f = format_.narrow;
  const int32_t digits = int32_t(f.precision()), normal = f.min_exponent();
  const Value a = k_.arg(inst, 0);
  if (inst.op == Op::FDiv || inst.op == Op::FSqrt) return true;
  const Value b = k_.arg(inst, 1);
  if (inst.op == Op::FMul) return need_product(a, b, &Reach::least, tests);
  if (inst.op == Op::FAdd || inst.op == Op::FSub) {
    if (std::max(reach(a).away, reach(b).away) >= normal + digits + 1) return true;
    return need_multiple(a, least_sum_, tests) && need_multiple(b, least_sum_, tests);
  }
  const Value c = k_.arg(inst, 2);
  if (reach(c).away >= least_sum_ + 2 * digits)
    return need_least(a, normal, tests) && need_least(b, normal, tests);
  return need_product(a, b, &Reach::multiple, tests) && need_multiple(c, least_sum_, tests);
}

void Speculation::add_tests(const std::vector<Test>& tests) {
  for (const Test& test : tests) {
    const Reach reach = with(test.value, {test});
    know(test.value, reach);
    const auto same = std::ranges::find(tests_, test.value, &Test::value);
    same == tests_.end() ? tests_.push_back(test) : void(same->least = std::max(same->least, test.least));
  }
}

/// Whether the operator can be computed in the line; then it is planned.
bool Speculation::plan(Value v) {
  const Inst& inst = k_[v];
  std::vector<Test> tests;
  if (!need(inst, tests)) return false;
  add_tests(tests);
  relied_on_.merge(relied_on_by(inst));
  know(v, result_reach(inst));
  const FloatFormat f = format_.narrow;
  const Value last = k_.arg(inst, inst.args.count - 1);
  const auto is_away = [&](int32_t exponent) {
    Reach reach = this->reach(last);
    reach.away = std::max(reach.away, exponent);
    know(last, reach);
  };
  if (inst.op == Op::FDiv) is_away(root_operand_exponent(f) / 2);  // its square was looked at
  if (inst.op == Op::FSqrt) is_away(root_operand_exponent(f));
  return true;
}

// ---- Lines ------------------------------------------------------------------------------------------------

bool Speculation::takes(const Inst& inst) const { return has_line_form(inst, r_.target().floats, format_); }

bool Speculation::depends(const Inst& inst) const {
  const bool on_slot =
      (inst.kind == InstKind::Get || inst.kind == InstKind::Set) && set_in_line_[inst.target];
  return on_slot || std::ranges::any_of(k_.args(inst), [&](Value v) { return in_line_[index(v)]; });
}

/// Whether it costs little to write it twice.
bool Speculation::is_light(const Inst& inst) const {
  if (inst.kind == InstKind::Get || inst.kind == InstKind::Set) return true;
  if (inst.kind == InstKind::Load) return is_array(inst);
  if (inst.kind != InstKind::Apply || spec::is_elementary(inst.op) || spec::is_approximate(inst.op))
    return false;
  if (spec::value_words(inst.type) != 1 || spec::value_words(inst.operand_type) != 1) return false;
  if (passes(inst.op) || compares(inst.op) || inst.op == Op::Bitcast) return true;
  if (!spec::kFloats.contains(inst.type) && !spec::kFloats.contains(inst.operand_type)) {
    return inst.op != Op::Div && inst.op != Op::Mod;
  }
  const Route route = float_route(inst, r_.target().floats);
  return route == Route::Bits || (route == Route::Native && inst.type != DataType::BF16);
}

void Speculation::keep(Value v, bool is_chosen) {
  const Inst& inst = k_[v];
  line_.push_back(v);
  in_line_[index(v)] = true;
  chosen_[index(v)] = is_chosen;
  chosen_count_ += is_chosen ? 1 : 0;
  if (inst.kind == InstKind::Set) set_in_line_[inst.target] = true;
  if (chosen_count_ == kLongestLine) write_line();
}

void Speculation::next(Value v) {
  const Inst& inst = k_[v];
  if (!active_) return write_(v);
  if (takes(inst) && plan(v)) return keep(v, true);
  const InstInfo& what = info(inst.kind);
  const bool ends = what.effect == Effect::Control || what.effect == Effect::Returns ||
                    what.effect == Effect::Waits || what.source == Source::Lanes;
  if (ends || (depends(inst) && !is_light(inst))) write_line();
  if (ends) store_doubt();
  if (inst.kind == InstKind::If && inst.imm != 0) return choose_form(v);
  const bool accumulates = inst.kind == InstKind::Set && is_accumulator(inst.target);
  const bool is_get = inst.kind == InstKind::Get && is_accumulator(inst.target);
  if (is_get) {
    know(v, {.multiple = least_sum_});
    relies_[index(v)] = {v};
  }
  const bool is_passed = inst.kind == InstKind::Apply && inst.type == DataType::F32 && passes(inst.op);
  if (is_passed || is_right(inst, r_.target().floats)) {
    know(v, result_reach(inst));
    relies_[index(v)] = relied_on_by(inst);
  }
  if (inst.kind == InstKind::Store && is_array(inst)) {
    write_line();  // which may load what is stored here
    test_stored(inst);
  }
  if (inst.kind == InstKind::Load && is_array(inst)) return keep(v, false);
  if (!depends(inst)) {
    write_(v);
    if (!accumulates || is_number(k_[k_.arg(inst, 0)])) return;
    // A sum whose line was written before.
    const Variable doubtful = doubtful_[*kept_.group_of[inst.target]];
    return r_.set(doubtful[0], either(r_, r_.get(doubtful[0]), too_small(k_.arg(inst, 0))));
  }
  if (accumulates) {
    std::vector<Test> tests;
    need_multiple(k_.arg(inst, 0), least_sum_, tests);
    add_tests(tests);
    sets_accumulator_ = true;
  }
  keep(v, false);
}

/// By place in the line: what is written in both forms. Others follow from it and go behind.
std::vector<bool> Speculation::members() const {
  std::vector<bool> out(line_.size());
  std::unordered_map<uint32_t, size_t> places;
  for (size_t i = 0; i < line_.size(); ++i) {
    const Inst& inst = k_[line_[i]];
    places[index(line_[i])] = i;
    out[i] = chosen_[index(line_[i])] ||
             (inst.kind == InstKind::Set && (is_accumulator(inst.target) || chosen_[index(k_.arg(inst, 0))]));
  }
  std::set<uint32_t> slots;  // of which a Get or a Set is within: then all are, in their order
  for (bool changed = true; std::exchange(changed, false);) {
    for (size_t i = line_.size(); i-- > 0;) {
      const Inst& inst = k_[line_[i]];
      const bool has_slot = inst.kind == InstKind::Get || inst.kind == InstKind::Set;
      if (has_slot && !out[i] && slots.contains(inst.target)) out[i] = changed = true;
      if (!out[i]) continue;
      if (has_slot) changed |= slots.insert(inst.target).second;
      for (const Value operand : k_.args(inst)) {
        const auto place = places.find(index(operand));
        if (place == places.end() || out[place->second]) continue;
        out[place->second] = changed = true;
      }
    }
  }
  return out;
}

bool Speculation::is_worth_it() const {
  const bool doubtless = tests_.empty() && std::ranges::none_of(line_, [&](Value v) {
                           return chosen_[index(v)] && doubts_itself(k_[v].op, r_.target().floats);
                         });
  return chosen_count_ > 1 || !relied_on_.empty() || sets_accumulator_ || doubtless;
}

/// A variable must not be set for the first time in a branch.
bool Speculation::can_test_first(const std::vector<Value>& line) const {
  const bool on_line =
      std::ranges::any_of(tests_, [&](const Test& test) { return in_line_[index(test.value)]; });
  return !on_line && std::ranges::none_of(line, [&](Value v) {
    const Inst& inst = k_[v];
    if (inst.kind == InstKind::Set) return first_set_[inst.target] == v;
    return chosen_[index(v)] && doubts_itself(inst.op, r_.target().floats);
  });
}

void Speculation::test(std::optional<Value>& doubt) {
  for (const Test& test : tests_) {
    collect(r_, doubt, is_below(r_, format_.narrow, r_.parts(test.value)[0], test.least));
  }
  test_kept(relied_on_, doubt);
}
void Speculation::test_kept(const Values& values, std::optional<Value>& doubt) {
  std::set<uint32_t> groups;
  for (const Value v : values) {
    if (k_[v].kind == InstKind::Get) groups.insert(*kept_.group_of[k_[v].target]);
  }
  for (const uint32_t group : groups) collect(r_, doubt, r_.get(doubtful_[group][0]));
  const bool loads = std::ranges::any_of(values, [&](Value v) { return k_[v].kind == InstKind::Load; });
  if (loads) collect(r_, doubt, r_.load(array_doubt()));
}

// What the multiply-adds of a doubled loop are known by does not change in the loop but in its slow form: it
// is asked once, before.
void Speculation::choose_form(Value v) {
  const Inst& choice = k_[v];
  if (choice.imm == kInSharedDoubt) {
    r_.replace(k_.arg(choice, 0), r_.load(array_doubt()));
    return write_(v);
  }
  Values kept;
  walk(k_, choice.orelse, [&](Value inner) {
    const Inst& inst = k_[inner];
    const bool counts = inst.kind == InstKind::Load
                            ? is_array(inst)
                            : inst.kind == InstKind::Get && is_accumulator(inst.target);
    if (counts) kept.insert(inner);
  });
  std::optional<Value> doubt;
  test_kept(kept, doubt);
  r_.replace(k_.arg(choice, 0), doubt ? *doubt : r_.constant(0));
  write_(v);
}

void Speculation::write_quickly(const std::vector<Value>& line, std::optional<Value>& doubt) {
  for (const Value v : line) {
    const Inst& inst = k_[v];
    r_.from(inst.origin);
    if (!chosen_[index(v)]) {
      write_(v);
      continue;
    }
    const auto operand = [&](uint32_t n) { return n < inst.args.count ? r_.word(inst, n) : Value{}; };
    const Attempt attempt = in_line(r_, format_, inst.op, {operand(0), operand(1), operand(2)});
    r_.replace(v, attempt.result);
    if (doubts_itself(inst.op, r_.target().floats)) collect(r_, doubt, attempt.doubt);
  }
}
void Speculation::write_slowly(const std::vector<Value>& line) {
  for (const Value v : line) {
    r_.from(k_[v].origin);
    write_(v);
  }
  doubt_accumulators(line);
}

void Speculation::set_all(const std::vector<std::pair<Value, Variable>>& results) {
  for (const auto& [v, variable] : results) r_.set(variable, r_.parts(v));
}

// match:  a line, in which operators of floats have a form for lines
// result: where all tests can come first:
//           if (doubt) { operator by operator } else { quickly }
//         otherwise
//           quickly; if (doubt) { operator by operator }
//         and behind it what nothing in the line needs
void Speculation::write_line() {
  if (!line_.empty()) store_doubt();
  const std::vector<bool> within = is_worth_it() ? members() : std::vector<bool>(line_.size());
  std::vector<Value> line, behind;
  for (size_t i = 0; i < line_.size(); ++i) (within[i] ? line : behind).push_back(line_[i]);
  if (!line.empty()) {
    std::unordered_map<uint32_t, uint32_t> used;
    for (const Value v : line) {
      for (const Value operand : k_.args(k_[v])) ++used[index(operand)];
    }
    std::vector<std::pair<Value, Variable>> results;
    for (const Value v : line) {
      if (has_result(k_[v].kind) && used[index(v)] < uses_[index(v)])
        results.emplace_back(v, r_.variable("line", k_[v].type));
    }
    std::optional<Value> doubt;
    if (form_ == Form::Slow) {
      write_slowly(line);
    } else if (form_ == Form::Quick) {
      write_quickly(line, doubt);
    } else if (can_test_first(line)) {
      test(doubt);
      if (doubt) {
        for (const auto& [v, variable] : results) r_.clear(variable);
        std::optional<Value> none;
        r_.if_else(
            *doubt, [&] { write_slowly(line), set_all(results); },
            [&] { write_quickly(line, none), set_all(results); });
      } else {
        write_quickly(line, doubt);
      }
    } else {
      write_quickly(line, doubt);
      test(doubt);
      if (doubt) {
        set_all(results);
        r_.if_(*doubt, [&] { write_slowly(line), set_all(results); });
      }
    }
    if (doubt) {
      for (const auto& [v, variable] : results) r_.replace(v, r_.get(variable));
    }
  }
  for (const Value v : behind) {
    r_.from(k_[v].origin);
    write_(v);
  }
  for (const Value v : line_) {
    in_line_[index(v)] = chosen_[index(v)] = false;
    if (k_[v].kind == InstKind::Set) set_in_line_[k_[v].target] = false;
  }
  line_.clear();
  known_.clear();
  relies_.clear();
  tests_.clear();
  relied_on_.clear();
  chosen_count_ = 0;
  sets_accumulator_ = false;
}

}  // namespace vyre::lower
