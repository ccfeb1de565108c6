// The definition of every operator on floats, against another project's arithmetic.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/random.h"
#include "float_operators.h"
#include "oracle.h"
#include "ref/eval.h"
#include "unit/num/cases.h"

VYRE_ORACLE(CpuReference, "MPFR, a row an operator in float_operators.h");

namespace vyre::ref {
namespace {

using spec::DataType;
using Row = std::array<uint32_t, 3>;

/// Directed values, all pairs of them, and random rows.
std::vector<Row> operand_rows(spec::FloatFormat f, uint32_t arity) {
  std::vector<Row> out;
  const std::vector<uint32_t> values = num::test::directed(f);
  for (const uint32_t a : values) {
    if (arity == 1) out.push_back({a});
    for (const uint32_t b : arity == 2 ? values : std::vector<uint32_t>{}) out.push_back({a, b});
  }
  RandomStream random(9, f.width() * 100 + f.exponent_bits);
  for (uint32_t i = 0; i < 20'000; ++i) out.push_back(num::test::random_row(f, random));
  return out;
}

TEST(Definitions, OfOperatorsOnFloatsAgreeWithMpfr) {
  size_t operators = 0;
  for (const spec::OpInfo& op : spec::kOps) {
    if (!test::is_on_floats(op.op)) continue;
    ++operators;
    const uint32_t arity = *spec::operand_count(op.op);
    for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32}) {
      const spec::FloatFormat f = spec::float_format(type);
      num::test::Mpfr mpfr(f);
      size_t differences = 0;
      for (const Row& x : operand_rows(f, arity)) {
        const std::array<Bits, 3> operands = {x[0], x[1], x[2]};
        const auto got = uint32_t(eval(op.op, type, std::span(operands).first(arity)));
        const uint32_t wanted = test::kFloatOperators[op.op].second(mpfr, x);
        if (got == wanted || ++differences > 3) continue;
        ADD_FAILURE() << op.mnemonic << " of " << spec::text(type) << std::hex << " " << x[0] << " " << x[1]
                      << " " << x[2] << ": " << got << ", MPFR gives " << wanted;
      }
      EXPECT_EQ(differences, 0u) << op.mnemonic << " of " << spec::text(type);
    }
  }
  EXPECT_EQ(operators, std::size(test::kFloatOperatorRows));
}

}  // namespace
}  // namespace vyre::ref
