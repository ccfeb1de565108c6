#include "lower/ranges.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "lower/inst_info.h"

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;

constexpr uint64_t kMost = UINT32_MAX;

/// Where it may wrap, everything.
WordRange unless_wrapped(uint64_t least, uint64_t most) {
  return most > kMost ? WordRange{} : WordRange{uint32_t(least), uint32_t(most)};
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

}  // namespace

std::vector<WordRange> word_ranges(const Kernel& kernel) {
  std::vector<WordRange> out(kernel.insts.size());
  for (size_t i = 0; i < out.size(); ++i) {  // operands stand before what uses them
    const Inst& inst = kernel.insts[i];
    const auto of = [&](uint32_t n) { return out[index(kernel.arg(inst, n))]; };
    if (inst.kind == InstKind::Const && inst.type == DataType::U32) out[i] = {inst.imm, inst.imm};
    if (inst.kind == InstKind::LocalId) out[i] = {0, kernel.workgroup_size[inst.imm] - 1};
    if (inst.kind == InstKind::Len && !spec::is_bound(kernel.buffers[inst.target].access))
      out[i] = {kernel.buffers[inst.target].count, kernel.buffers[inst.target].count};
    if (inst.kind == InstKind::Loop) out[i] = {of(0).least, std::max(of(1).most, 1u) - 1};
    if (inst.kind != InstKind::Apply || inst.type != DataType::U32) continue;
    if (inst.op == Op::Select) out[i] = joined(of(1), of(2));
    if (inst.operand_type != DataType::U32) continue;
    const auto known = std::ranges::find(kOperators, inst.op, &Operator::op);
    if (known != std::end(kOperators)) out[i] = known->range(of(0), of(1));
  }
  return out;
}

}  // namespace vyre::lower
