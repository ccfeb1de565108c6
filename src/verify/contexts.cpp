#include "verify/contexts.h"

#include <fmt/format.h>

#include "ref/eval.h"
#include "spec/ops.h"
#include "verify/families.h"
#include "verify/strongest.h"

namespace vyre::verify {
namespace {

using spec::DataType;
using spec::Op;

/// outer(inner(a, b), c), or outer(inner(a, b)).
struct Context {
  Op outer, inner;
};
constexpr Context kContexts[] = {
    {Op::FAdd, Op::FMul},   // fused
    {Op::FSub, Op::FMul},   // fused
    {Op::FAdd, Op::FAdd},   // a + (b + c)
    {Op::FSub, Op::FAdd},   // a, where c is b
    {Op::FAdd, Op::FSub},   // a, where c is b
    {Op::FMul, Op::FMul},   // a * (b * c)
    {Op::FMul, Op::FDiv},   // a, where c is b; a * (c / b)
    {Op::FDiv, Op::FMul},   // a, where c is b
    {Op::FDiv, Op::FDiv},   // a / (b * c)
    {Op::FNeg, Op::FSub},   // b - a
    {Op::FSqrt, Op::FMul},  // |a|, where b is a; the product of two roots
};

Subject subject_of(Context context, DataType type) {
  const bool binary = spec::operand_count(context.outer) == 2;
  Application a;
  a.name =
      fmt::format("{}.{}.{}", spec::mnemonic(context.outer), spec::mnemonic(context.inner), spec::text(type));
  a.inputs.assign(binary ? 3 : 2, type);
  a.output = type;
  a.body = [=](ir::ProgramBuilder& p, std::span<const ir::Ex> x) {
    const ir::Ex inner = p.apply(context.inner, {x[0], x[1]});
    return binary ? p.apply(context.outer, {inner, x[2]}) : p.apply(context.outer, {inner});
  };
  Subject s;
  s.name = fmt::format("{}/{}", info(Family::Operators).text, a.name);
  s.oracle = strongest({.program = true});
  s.cases = [name = s.name, types = a.inputs](generate::Strategy strategy, uint64_t seed) {
    return ValueCases(name, types, strategy, seed, Recipe::Rounded);
  };
  s.expected = [=](std::span<const uint32_t* const> columns, std::span<uint32_t> out) {
    for (size_t i = 0; i < out.size(); ++i) {
      const ref::Bits operands[] = {columns[0][i], columns[1][i]};
      const ref::Bits inner = ref::eval(context.inner, type, operands);
      const ref::Bits outer[] = {inner, binary ? columns[2][i] : 0};
      out[i] = uint32_t(ref::eval(context.outer, type, std::span(outer).first(binary ? 2 : 1)));
    }
  };
  s.application = std::move(a);
  return s;
}

}  // namespace

std::vector<Subject> context_subjects() {
  std::vector<Subject> out;
  for (const Context context : kContexts) {
    for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32})
      out.push_back(subject_of(context, type));
  }
  return out;
}

}  // namespace vyre::verify
