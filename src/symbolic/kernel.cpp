#include "symbolic/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "spec/ops.h"
#include "spec/types.h"
#include "symbolic/bits.h"
#include "symbolic/operators.h"

namespace vyre::symbolic {

using lower::Inst;
using lower::InstKind;
using lower::KBlock;
using lower::Kernel;
using lower::RawOp;
using lower::Value;
using smt::Pool;
using smt::Term;
using spec::DataType;
using spec::Op;

namespace {

// ---- Raw operators ----------------------------------------------------------------------------------------
// Values are what a target computes inside the domain; outside they are whatever the term says, for then an
// obligation fails. Source: lower/raw_ops.def.

using Operands = std::span<const Term>;
using Encoder = Term (*)(Pool&, Operands);

template <Term (Pool::*operation)(Term, Term)>
Term two(Pool& p, Operands x) {
  return (p.*operation)(x[0], x[1]);
}
template <Term (Pool::*comparison)(Term, Term)>
Term compare(Pool& p, Operands x) {
  return p.word((p.*comparison)(x[0], x[1]), 32);
}
template <Term (*function)(Pool&, Term)>
Term counted(Pool& p, Operands x) {
  return function(p, x[0]);
}
Term high_product(Pool& p, Operands x) {
  return p.extract(p.mul(p.zero_extend(x[0], 64), p.zero_extend(x[1], 64)), 32, 32);
}

// Of 64 bits, some with an operand or a result of 32.
Term high_product_of_longs(Pool& p, Operands x) {
  return p.extract(p.mul(p.zero_extend(x[0], 128), p.zero_extend(x[1], 128)), 64, 64);
}
template <Term (Pool::*shift)(Term, Term)>
Term shifted_long(Pool& p, Operands x) {
  return (p.*shift)(x[0], p.zero_extend(x[1], 64));
}
template <Term (*function)(Pool&, Term)>
Term counted_long(Pool& p, Operands x) {
  return p.extract(function(p, x[0]), 0, 32);
}
Term choice(Pool& p, Operands x) { return p.ite(p.is_not_zero(x[0]), x[1], x[2]); }

Term everywhere(Pool& p, Operands) { return p.truth(true); }
Term by_some(Pool& p, Operands x) { return p.is_not_zero(x[1]); }
Term within_range(Pool& p, Operands x) {
  const Term overflows =
      p.and_(p.eq(x[0], p.constant(32, 0x80000000)), p.eq(x[1], p.constant(32, 0xffffffff)));
  return p.and_(p.is_not_zero(x[1]), p.not_(overflows));
}
Term below_32(Pool& p, Operands x) { return p.ult(x[1], p.constant(32, 32)); }
Term below_64(Pool& p, Operands x) { return p.ult(x[1], p.constant(32, 64)); }
Term some_bit(Pool& p, Operands x) { return p.is_not_zero(x[0]); }
Term zero_or_one(Pool& p, Operands x) { return p.ule(x[0], p.constant(32, 1)); }

struct Raw {
  Encoder value, domain = everywhere;
};
constexpr bool is_integer(RawOp op) { return !lower::info(op).is_float; }

constexpr spec::Row<RawOp, Raw> kRawRows[] = {
    {RawOp::Add, {two<&Pool::add>}},
    {RawOp::Sub, {two<&Pool::sub>}},
    {RawOp::Mul, {two<&Pool::mul>}},
    {RawOp::UMulHi, {high_product}},
    {RawOp::UDiv, {two<&Pool::udiv>, by_some}},
    {RawOp::URem, {two<&Pool::urem>, by_some}},
    {RawOp::SDiv, {two<&Pool::sdiv>, within_range}},
    {RawOp::SRem, {two<&Pool::srem>, within_range}},
    {RawOp::And, {two<&Pool::bit_and>}},
    {RawOp::Or, {two<&Pool::bit_or>}},
    {RawOp::Xor, {two<&Pool::bit_xor>}},
    {RawOp::Not, {[](Pool& p, Operands x) { return p.bit_not(x[0]); }}},
    {RawOp::Shl, {two<&Pool::shl>, below_32}},
    {RawOp::LShr, {two<&Pool::lshr>, below_32}},
    {RawOp::AShr, {two<&Pool::ashr>, below_32}},
    {RawOp::Popcount, {counted<count_bits>}},
    {RawOp::Clz, {counted<count_leading_zeros>, some_bit}},
    {RawOp::Ctz, {counted<count_trailing_zeros>, some_bit}},
    {RawOp::ReverseBits, {counted<reverse>}},
    {RawOp::Eq, {compare<&Pool::eq>}},
    {RawOp::Ne, {compare<&Pool::ne>}},
    {RawOp::ULt, {compare<&Pool::ult>}},
    {RawOp::ULe, {compare<&Pool::ule>}},
    {RawOp::SLt, {compare<&Pool::slt>}},
    {RawOp::SLe, {compare<&Pool::sle>}},
    {RawOp::Select, {choice, zero_or_one}},
    {RawOp::LongOf, {[](Pool& p, Operands x) { return p.concat(x[1], x[0]); }}},
    {RawOp::LongLow, {[](Pool& p, Operands x) { return p.extract(x[0], 0, 32); }}},
    {RawOp::LongHigh, {[](Pool& p, Operands x) { return p.extract(x[0], 32, 32); }}},
    {RawOp::LongSelect, {choice, zero_or_one}},
    {RawOp::LongAdd, {two<&Pool::add>}},
    {RawOp::LongSub, {two<&Pool::sub>}},
    {RawOp::LongMul, {two<&Pool::mul>}},
    {RawOp::LongUMulHi, {high_product_of_longs}},
    {RawOp::LongUDiv, {two<&Pool::udiv>, by_some}},
    {RawOp::LongURem, {two<&Pool::urem>, by_some}},
    {RawOp::LongAnd, {two<&Pool::bit_and>}},
    {RawOp::LongOr, {two<&Pool::bit_or>}},
    {RawOp::LongXor, {two<&Pool::bit_xor>}},
    {RawOp::LongShl, {shifted_long<&Pool::shl>, below_64}},
    {RawOp::LongLShr, {shifted_long<&Pool::lshr>, below_64}},
    {RawOp::LongPopcount, {counted_long<count_bits>}},
    {RawOp::LongClz, {counted_long<count_leading_zeros>, some_bit}},
    {RawOp::LongCtz, {counted_long<count_trailing_zeros>, some_bit}},
    {RawOp::LongEq, {compare<&Pool::eq>}},
    {RawOp::LongNe, {compare<&Pool::ne>}},
    {RawOp::LongULt, {compare<&Pool::ult>}},
    {RawOp::LongULe, {compare<&Pool::ule>}},
};
constexpr spec::TotalTable<kRawRows, is_integer> kRaw;

// ---- Kernels ----------------------------------------------------------------------------------------------

/// Instructions that one kernel may take, loops unrolled.
constexpr uint64_t kMostKernelSteps = 100'000;

class Reader {
 public:
  Reader(Pool& pool, Memory& memory, const Kernel& kernel, LoopTheorem* theorem)
      : p_(pool),
        memory_(memory),
        k_(kernel),
        theorem_(theorem),
        path_(pool.truth(true)),
        values_(kernel.insts.size()),
        slots_(kernel.slots.size()) {}

  std::expected<Reading, std::string> run() {
    for (size_t s = 0; s < slots_.size(); ++s) {  // whatever they hold before they are set
      const DataType type = k_.slots[s].type;
      slots_[s] = p_.variable(fmt::format("slot.{}", s), width_of(type));
    }
    block(k_.entry);
    if (!error_.empty()) return std::unexpected(error_);
    return std::move(out_);
  }

 private:
  void fail(std::string reason) {
    if (error_.empty()) error_ = std::move(reason);
  }
  Term arg(const Inst& inst, uint32_t n) { return values_[index(k_.arg(inst, n))]; }
  Term zero() { return p_.constant(32, 0); }

  void block(KBlock id) {
    for (const Value v : k_.block(id)) {
      if (++steps_ > kMostKernelSteps) fail("it runs too long to be unrolled");
      if (!error_.empty()) return;
      values_[index(v)] = instruction(v).value_or(zero());
    }
  }

  std::optional<Term> instruction(Value v) {
    const Inst& inst = k_[v];
    switch (inst.kind) {
      case InstKind::Const: return constant(inst);
      case InstKind::Len: return length(inst);
      case InstKind::InvocationId: return id("invocation_id", inst.imm);
      case InstKind::WorkgroupId: return id("workgroup_id", inst.imm);
      case InstKind::LocalId: return id("local_id", inst.imm);
      case InstKind::NumWorkgroups: return id("num_workgroups", inst.imm);
      case InstKind::Get: return slots_[inst.target];
      case InstKind::Set: slots_[inst.target] = arg(inst, 0); return {};
      case InstKind::If: branch(inst); return {};
      case InstKind::Loop: loop(v); return {};
      case InstKind::Apply: return apply(inst);
      case InstKind::Load: return load(inst);
      case InstKind::Store: store(inst); return {};
      case InstKind::Raw: return raw(v);
      case InstKind::RawLoad: return raw_load(v);
      case InstKind::RawStore: raw_store(v); return {};
      case InstKind::Return: fail("it returns early"); return {};
      case InstKind::Barrier: fail("it has a barrier"); return {};
      case InstKind::Intrinsic: fail("it has an operation of subgroups"); return {};
      case InstKind::Atomic:
      case InstKind::RawAtomic: fail("it has an atomic"); return {};
    }
    return {};
  }

  Term constant(const Inst& inst) {
    const uint32_t words = spec::value_words(inst.type);
    if (words == 1) return p_.constant(32, inst.imm);
    smt::Bits bits = 0;
    for (uint32_t i = words; i-- > 0;) bits = bits << 32 | k_.wide[inst.imm][i];
    return p_.constant(32 * words, bits);
  }
  Term id(const char* name, uint32_t axis) {
    return p_.variable(fmt::format("{}.{}", name, "xyz"[axis]), 32);
  }

  // ---- Control -------------------------------------------------------------------------------------------

  void branch(const Inst& inst) {
    const Term condition = p_.is_not_zero(arg(inst, 0));
    const Term outside = path_;
    const std::vector<Term> before = slots_;
    path_ = p_.and_(outside, condition);
    block(inst.body);
    const std::vector<Term> then = std::exchange(slots_, before);
    if (inst.orelse != lower::kNoKBlock) {
      path_ = p_.and_(outside, p_.not_(condition));
      block(inst.orelse);
    }
    path_ = outside;
    for (size_t s = 0; s < slots_.size(); ++s) {
      if (then[s] != slots_[s]) slots_[s] = p_.ite(condition, then[s], slots_[s]);
    }
  }
  void loop(Value v) {
    const Inst& inst = k_[v];
    const Term from = arg(inst, 0), to = arg(inst, 1);
    if (!p_.is_constant(from) || !p_.is_constant(to)) return loop_by_theorem(v, from, to);
    for (smt::Bits i = p_[from].bits; i < p_[to].bits && error_.empty(); ++i) {
      values_[index(v)] = p_.constant(32, i);
      block(inst.body);
    }
  }

  /// Slots that instructions of a block and of those within it set, ascending; others mean a loop of another
  /// kind.
  void slots_set_in(KBlock id, std::vector<uint32_t>& out) {
    for (const Value v : k_.block(id)) {
      const Inst& inst = k_[v];
      if (inst.kind == InstKind::Set) out.push_back(inst.target);
      if (inst.kind != InstKind::If && inst.kind != InstKind::Loop) continue;
      slots_set_in(inst.body, out);
      if (inst.orelse != lower::kNoKBlock) slots_set_in(inst.orelse, out);
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  void loop_by_theorem(Value v, Term from, Term to) {
    const char* const reason = "it has a loop whose bounds are not numbers";
    if (theorem_ == nullptr || !p_.is_constant(from) || p_[from].bits != 0) return fail(reason);
    std::vector<uint32_t> slots;
    slots_set_in(k_[v].body, slots);
    LoopTurn turn{.path = path_,
                  .count = to,
                  .index = p_.variable(fmt::format("turn.{}", index(v)), 32),
                  .before = {},
                  .held = {},
                  .made = {}};
    for (const uint32_t slot : slots) {
      turn.before.push_back(slots_[slot]);
      turn.held.push_back(p_.variable(fmt::format("held.{}.{}", index(v), slot), p_.width(slots_[slot])));
      slots_[slot] = turn.held.back();
    }
    const size_t stores = out_.stores.size();
    values_[index(v)] = turn.index;
    path_ = p_.and_(path_, p_.and_(p_.ult(turn.index, turn.count), theorem_->invariant(p_, turn)));
    block(k_[v].body);
    path_ = turn.path;
    if (!error_.empty()) return;
    if (out_.stores.size() != stores) return fail("it stores in a loop whose bounds are not numbers");
    for (const uint32_t slot : slots) turn.made.push_back(slots_[slot]);
    const auto after = theorem_->conclusion(p_, turn, out_.obligations);
    if (!after) return fail(reason);
    for (size_t i = 0; i < slots.size(); ++i) slots_[slots[i]] = (*after)[i];
  }

  // ---- Semantic instructions -----------------------------------------------------------------------------

  Term part(Term value, uint32_t word) {
    return p_.width(value) == 32 ? value : p_.extract(value, 32 * word, 32);
  }
  Term joined(std::span<const Term> words) {
    Term out = words[0];
    for (const Term word : words.subspan(1)) out = p_.concat(word, out);
    return out;
  }
  std::vector<Term> arguments(const Inst& inst) {
    std::vector<Term> out;
    for (uint32_t n = 0; n < inst.args.count; ++n) out.push_back(arg(inst, n));
    return out;
  }

  Term apply(const Inst& inst) {
    const std::vector<Term> x = arguments(inst);
    const bool vector = spec::kVectors.contains(inst.operand_type) || spec::kVectors.contains(inst.type);
    if (!vector && !is_encoded(inst.operand_type)) {
      fail("it computes with " + std::string(spec::info(inst.operand_type).text));
      return zero();
    }
    if (inst.op == Op::Select) return p_.ite(p_.is_not_zero(x[0]), x[1], x[2]);
    if (vector) return apply_vector(inst, x);
    if (inst.op == Op::Cast) return encode_cast(p_, inst.operand_type, inst.type, x[0]);
    if (inst.op == Op::Bitcast) return encode_bitcast(p_, inst.operand_type, inst.type, x[0]);
    return symbolic::encode(p_, inst.op, inst.operand_type, x);
  }
  Term apply_vector(const Inst& inst, std::span<const Term> x) {
    if (inst.op == Op::Bitcast || (inst.op == Op::Cast && inst.type == inst.operand_type)) return x[0];
    if (inst.op == Op::MakeVec2U32 || inst.op == Op::MakeVec4U32) return joined(x);
    if (inst.op == Op::Component) return part(x[0], inst.imm);
    if (inst.op == Op::Eq) return p_.word(p_.eq(x[0], x[1]), 32);
    if (inst.op == Op::Ne) return p_.word(p_.ne(x[0], x[1]), 32);
    std::vector<Term> words;
    for (uint32_t w = 0; w < spec::value_words(inst.type); ++w) {
      std::vector<Term> parts;
      for (const Term operand : x) parts.push_back(part(operand, inst.op == Op::Cast ? 0 : w));
      words.push_back(inst.op == Op::Cast ? parts[0] : symbolic::encode(p_, inst.op, DataType::U32, parts));
    }
    return joined(words);
  }

  // ---- Memory --------------------------------------------------------------------------------------------

  /// The number under which an access's buffer is bound, if it can be read here.
  std::optional<uint32_t> bound(const Inst& inst) {
    const lower::KernelBuffer& buffer = k_.buffers[inst.target];
    if (!spec::is_bound(buffer.access)) fail(fmt::format("it has {} memory", spec::text(buffer.access)));
    if (!buffer.dims.empty()) fail("it has a tensor");
    if (spec::info(buffer.element).bytes < 4 || inst.access == lower::Access::Words)
      fail("it has 16-bit elements");
    if (!error_.empty()) return {};
    return buffer.argument;
  }
  std::optional<Term> length(const Inst& inst) {
    const auto buffer = bound(inst);
    if (!buffer) return {};
    return memory_.length(*buffer);
  }
  bool is_stored(uint32_t buffer) const {
    return std::ranges::any_of(out_.stores, [&](const WordStore& s) { return s.buffer == buffer; });
  }
  Term read_word(uint32_t buffer, Term place) {
    if (is_stored(buffer)) fail("it loads from a buffer into which it has stored");
    return memory_.load(buffer, place);
  }

  std::optional<Term> load(const Inst& inst) {
    const auto buffer = bound(inst);
    if (!buffer) return {};
    const Term at = arg(inst, 0), inside = p_.ult(at, memory_.length(*buffer));
    std::vector<Term> words;
    for (uint32_t w = 0; w < memory_.words(*buffer); ++w) {
      Term word = read_word(*buffer, memory_.place(*buffer, at, w));
      if (inst.type == DataType::Bool) word = p_.word(p_.is_not_zero(word), 32);
      words.push_back(p_.ite(inside, word, zero()));
    }
    return joined(words);
  }
  void store(const Inst& inst) {
    const auto buffer = bound(inst);
    if (!buffer) return;
    const Term at = arg(inst, 0), value = arg(inst, 1);
    const Term when = p_.and_(path_, p_.ult(at, memory_.length(*buffer)));
    for (uint32_t w = 0; w < memory_.words(*buffer); ++w) {
      out_.stores.push_back({*buffer, memory_.place(*buffer, at, w), when, part(value, w)});
    }
  }

  // ---- Raw instructions ----------------------------------------------------------------------------------

  void owe(Term truth, Value v, std::string_view why) {
    if (p_.is_constant(truth) && p_[truth].bits == 1) return;
    const Term holds = p_.implies(path_, truth);
    out_.obligations.push_back({holds, fmt::format("{}: {}", lower::print(k_, v), why)});
  }
  Term raw(Value v) {
    const Inst& inst = k_[v];
    if (!is_integer(inst.raw)) {
      fail("it computes with floats");
      return zero();
    }
    const RawMeaning meaning = encode(p_, inst.raw, arguments(inst));
    owe(meaning.domain, v, lower::info(inst.raw).domain);
    return meaning.value;
  }
  std::optional<Term> raw_place(Value v) {
    const Inst& inst = k_[v];
    const auto buffer = bound(inst);
    if (!buffer) return {};
    const Term length = memory_.length(*buffer), at = arg(inst, 0);
    owe(p_.or_(p_.ult(at, length), p_.is_zero(at)), v, "the index is below max(length, 1)");
    return memory_.place(*buffer, at, inst.imm);
  }
  /// Of the second word of a long value.
  Term second_place(Value v) {
    const Inst& inst = k_[v];
    return memory_.place(k_.buffers[inst.target].argument, arg(inst, 0), inst.imm + 1);
  }
  std::optional<Term> raw_load(Value v) {
    const auto place = raw_place(v);
    if (!place) return {};
    const uint32_t buffer = k_.buffers[k_[v].target].argument;
    const Term low = read_word(buffer, *place);
    if (k_[v].type != DataType::U64) return low;
    return p_.concat(read_word(buffer, second_place(v)), low);
  }
  void raw_store(Value v) {
    const auto place = raw_place(v);
    if (!place) return;
    const uint32_t buffer = k_.buffers[k_[v].target].argument;
    const Term value = arg(k_[v], 1);
    out_.stores.push_back({buffer, *place, path_, part(value, 0)});
    if (k_[v].type == DataType::U64) out_.stores.push_back({buffer, second_place(v), path_, part(value, 1)});
  }

  Pool& p_;
  Memory& memory_;
  const Kernel& k_;
  LoopTheorem* const theorem_;
  Term path_;                 // the condition under which the code gets here
  std::vector<Term> values_;  // by Value
  std::vector<Term> slots_;   // by Slot
  Reading out_;
  std::string error_;
  uint64_t steps_ = 0;
};

}  // namespace

std::vector<Memory::Buffer> buffers_of(const Kernel& kernel) {
  std::vector<Memory::Buffer> out;
  for (const lower::KernelBuffer& buffer : kernel.buffers) {
    if (!spec::is_bound(buffer.access)) continue;
    if (out.size() <= buffer.argument) out.resize(buffer.argument + 1);
    out[buffer.argument] = {buffer.name, std::max(spec::info(buffer.element).bytes / 4, 1u)};
  }
  return out;
}

std::expected<Reading, std::string> read(Pool& pool, Memory& memory, const Kernel& kernel,
                                         LoopTheorem* theorem) {
  return Reader(pool, memory, kernel, theorem).run();
}

RawMeaning encode(Pool& pool, RawOp op, Operands operands) {
  const Raw& row = kRaw[op];
  return {row.value(pool, operands), row.domain(pool, operands)};
}

}  // namespace vyre::symbolic
