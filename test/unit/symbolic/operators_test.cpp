#include "symbolic/operators.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "base/random.h"
#include "generate/values.h"
#include "operator_counts.h"
#include "oracle.h"
#include "ref/eval.h"
#include "spec/casts.h"
#include "spec/ops.h"
#include "symbolic/encodings.h"

VYRE_ORACLE(ReferenceInterpreter,
            "ref::eval, on pairs of edge values, on random tuples, and on all operands of 0 to 255");

namespace vyre::symbolic {
namespace {

using smt::Bits;
using smt::Pool;
using smt::Term;
using spec::DataType;
using spec::Op;

constexpr uint32_t kRandom = 100'000;

/// A term of an operator at full width, evaluated beside ref::eval.
class Beside {
 public:
  Beside(Op op, DataType type) : op_(op), type_(type), types_(operand_types(op, type)) {
    for (const DataType t : types_)
      operands_.push_back(pool_.variable(std::string(1, char('a' + operands_.size())), width_of(t)));
    term_ = encode(pool_, op, type, operands_);
    evaluation_.emplace(pool_, term_);
  }
  size_t operands() const { return operands_.size(); }
  DataType operand_type(size_t i) const { return types_[i]; }
  bool agree(std::span<const Bits> x) {
    // No operator ignores an operand, so the formula's variables are all of them, in order.
    EXPECT_EQ(evaluation_->variables().size(), operands_.size());
    return (*evaluation_)(x) == ref::eval(op_, type_, x);
  }

 private:
  Op op_;
  DataType type_;
  Pool pool_;
  std::vector<DataType> types_;
  std::vector<Term> operands_;
  Term term_;
  std::optional<smt::Evaluation> evaluation_;
};

/// An edge value at full width: of wide types in both its lowest and its highest word.
Bits edge(DataType type, uint32_t word) {
  if (type == DataType::Bool) return word & 1;
  const uint32_t width = width_of(type);
  return width == 32 ? Bits{word} : Bits{word} | (Bits{word} << (width - 32));
}

TEST(Encodings, AgreeWithTheReferenceOnEdgesAndRandomOperands) {
  // ref::eval: edge256 pairs and 10^5 random tuples, every operator and type.
  const auto edges = generate::edge256();
  uint32_t pairs = 0;
  for (const spec::TypeInfo& type : spec::kTypes) {
    for (const spec::OpInfo& op : spec::kOps) {
      if (!is_encoded(op.op, type.type)) continue;
      ++pairs;
      Beside beside(op.op, type.type);
      bool same = true;
      if (beside.operands() <= 2) {
        for (size_t i = 0; i < edges.size() && same; ++i) {
          for (size_t j = 0; j < (beside.operands() == 1 ? 1 : edges.size()) && same; ++j) {
            const std::array x = {edge(beside.operand_type(0), edges[i]),
                                  edge(beside.operand_type(beside.operands() - 1), edges[j])};
            same = beside.agree(std::span(x).first(beside.operands()));
          }
        }
      }
      RandomStream random(1, uint64_t(op.wire_tag) << 8 | type.wire_tag);
      for (uint32_t i = 0; i < kRandom && same; ++i) {
        std::array<Bits, 3> x{};
        for (size_t k = 0; k < beside.operands(); ++k) {
          const Bits wide = (Bits{random.next64()} << 64) | random.next64();
          const DataType t = beside.operand_type(k);
          x[k] = t == DataType::Bool ? wide & 1 : wide & (~Bits{0} >> (128 - width_of(t)));
        }
        same = beside.agree(std::span(x).first(beside.operands()));
      }
      EXPECT_TRUE(same) << op.mnemonic << " of " << type.text;
    }
  }
  constexpr std::array kTypes = {DataType::U32, DataType::I32, DataType::U64, DataType::U128, DataType::Bool};
  EXPECT_GE(pairs, operator_counts::scalar_of(kTypes) + kTypes.size()) << "each at its types, and select";
}

TEST(Encodings, StandTheCheckBeforeAnyVerdict) {
  const auto& checked = encodings_checked();
  ASSERT_TRUE(checked.has_value()) << checked.error();
  EXPECT_GE(*checked, operator_counts::scalar(DataType::U32, 2) * 65'536 * 4)
      << "binary operators on pairs of bytes at four types";
}

TEST(Encodings, AreParametricInTheWidth) {
  // ref::eval on bytes, cut to a byte: what wraps at 8 bits is the low byte at 32.
  for (const Op op : {Op::Add, Op::Sub, Op::Mul, Op::BitAnd, Op::BitOr, Op::BitXor}) {
    Pool pool;
    const std::array x = {pool.variable("a", 8), pool.variable("b", 8)};
    smt::Evaluation formula(pool, encode(pool, op, DataType::U32, x));
    for (uint32_t i = 0; i < 65'536; ++i) {
      const std::array<Bits, 2> values = {i & 255, i >> 8};
      ASSERT_EQ(formula(values), ref::eval(op, DataType::U32, values) & 255) << spec::mnemonic(op);
    }
  }
}

TEST(Encodings, TakeShiftAmountsModuloTheWidthOfWhatIsShifted) {
  VYRE_ORACLE(SpecificationTable, "semantics, \"Operators\": the amount is masked to width - 1");
  Pool pool;
  const auto shl = [&](uint32_t width, Bits value, uint32_t by) {
    const std::array x = {pool.constant(width, value), pool.constant(width, by)};
    return pool[encode(pool, Op::Shl, DataType::U32, x)].bits;
  };
  EXPECT_TRUE(shl(32, 1, 33) == 2);
  EXPECT_TRUE(shl(8, 1, 9) == 2);
  EXPECT_TRUE(shl(8, 1, 8) == 1);
  const std::array wide = {pool.constant(128, 1), pool.constant(32, 129)};
  EXPECT_TRUE(pool[encode(pool, Op::Shl, DataType::U128, wide)].bits == 2);
}

}  // namespace
}  // namespace vyre::symbolic
