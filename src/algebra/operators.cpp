#include "algebra/operators.h"

#include <bit>

#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::algebra {
namespace {

using spec::Op;
using Words = const uint32_t*;

uint32_t reversed(uint32_t word) {
  uint32_t out = 0;
  for (uint32_t k = 0; k < 32; ++k) out |= (word >> k & 1) << (31 - k);
  return out;
}

constexpr spec::Row<Op, WordOperator> kWordOperatorRows[] = {
    {Op::Add, [](Words x) { return x[0] + x[1]; }},
    {Op::Sub, [](Words x) { return x[0] - x[1]; }},
    {Op::Mul, [](Words x) { return x[0] * x[1]; }},
    {Op::Div, [](Words x) { return x[1] == 0 ? 0 : x[0] / x[1]; }},
    {Op::Mod, [](Words x) { return x[1] == 0 ? 0 : x[0] % x[1]; }},
    {Op::BitAnd, [](Words x) { return x[0] & x[1]; }},
    {Op::BitOr, [](Words x) { return x[0] | x[1]; }},
    {Op::BitXor, [](Words x) { return x[0] ^ x[1]; }},
    {Op::Shl, [](Words x) { return x[0] << (x[1] & 31); }},
    {Op::Shr, [](Words x) { return x[0] >> (x[1] & 31); }},
    {Op::Eq, [](Words x) { return uint32_t{x[0] == x[1]}; }},
    {Op::Ne, [](Words x) { return uint32_t{x[0] != x[1]}; }},
    {Op::Lt, [](Words x) { return uint32_t{x[0] < x[1]}; }},
    {Op::Gt, [](Words x) { return uint32_t{x[0] > x[1]}; }},
    {Op::Le, [](Words x) { return uint32_t{x[0] <= x[1]}; }},
    {Op::Ge, [](Words x) { return uint32_t{x[0] >= x[1]}; }},
    {Op::And, [](Words x) { return uint32_t{x[0] != 0 && x[1] != 0}; }},
    {Op::Or, [](Words x) { return uint32_t{x[0] != 0 || x[1] != 0}; }},
    {Op::Negate, [](Words x) { return 0 - x[0]; }},
    {Op::BitNot, [](Words x) { return ~x[0]; }},
    {Op::LogicalNot, [](Words x) { return uint32_t{x[0] == 0}; }},
    {Op::Popcount, [](Words x) { return uint32_t(std::popcount(x[0])); }},
    {Op::Clz, [](Words x) { return uint32_t(std::countl_zero(x[0])); }},
    {Op::Ctz, [](Words x) { return uint32_t(std::countr_zero(x[0])); }},
    {Op::ReverseBits, [](Words x) { return reversed(x[0]); }},
    {Op::Select, [](Words x) { return x[0] != 0 ? x[1] : x[2]; }},
};
constexpr spec::TotalTable<kWordOperatorRows, is_word_operator> kWordOperators;

}  // namespace

WordOperator word_operator(Op op) { return kWordOperators[op]; }

}  // namespace vyre::algebra
