// The laws that the specification's tables give the binary operators, on u32: the primitives declare these
// and none beside them of the same kinds. A later kind (LeftIdentity, say) may say what a table has in words
// only.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ops/operation.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "binary-operations: the laws that are declared and denied of each operator");

namespace vyre::ops {
namespace {

using spec::Law;
using spec::LawKind;

/// The kinds that the tables know.
constexpr LawKind kOfTables[] = {LawKind::Commutative,      LawKind::Associative, LawKind::Identity,
                                 LawKind::SelfInverse,      LawKind::Idempotent,  LawKind::Absorbing,
                                 LawKind::DistributiveOver, LawKind::Bounded};

struct Table {
  const char* id;
  std::vector<Law> declared;
  std::vector<Law> denied;  // what it says does not hold
};

// binary-operations, operator by operator.
std::vector<Table> tables() {
  using namespace spec::laws;
  return {
      {"primitive.math.add", {commutative(), associative(), identity(0)}, {}},
      {"primitive.math.sub", {self_inverse(0)}, {commutative(), associative(), identity(0)}},
      {"primitive.math.mul",
       {commutative(), associative(), identity(1), absorbing(0)},
       {zero_product()}},                                                       // it wraps
      {"primitive.math.div", {}, {commutative(), associative(), identity(1)}},  // a / 1 and 0 / b on one side
      {"primitive.math.mod", {self_inverse(0)}, {}},
      {"primitive.bitwise.and",
       {commutative(), associative(), identity(0xffffffff), idempotent(), absorbing(0),
        distributive_over("primitive.bitwise.or")},
       {}},
      {"primitive.bitwise.or",
       {commutative(), associative(), identity(0), idempotent(), absorbing(0xffffffff),
        distributive_over("primitive.bitwise.and")},
       {}},
      {"primitive.bitwise.xor",
       {commutative(), associative(), identity(0), self_inverse(0)},
       {distributive_over("primitive.bitwise.and"), distributive_over("primitive.bitwise.or")}},
      {"primitive.bitwise.shl", {}, {commutative(), identity(0)}},
      {"primitive.bitwise.shr", {}, {commutative(), identity(0)}},
      {"primitive.compare.eq", {commutative(), self_inverse(1), bounded(0, 1)}, {}},
      {"primitive.compare.ne", {commutative(), self_inverse(0), bounded(0, 1)}, {}},
      {"primitive.compare.lt", {self_inverse(0), bounded(0, 1)}, {commutative()}},
      {"primitive.compare.gt", {self_inverse(0), bounded(0, 1)}, {}},
      {"primitive.compare.le", {self_inverse(1), bounded(0, 1)}, {}},
      {"primitive.compare.ge", {self_inverse(1), bounded(0, 1)}, {}},
      {"primitive.compare.logical_and", {}, {idempotent()}},  // of truth values alone
      {"primitive.compare.logical_or", {}, {absorbing(0xffffffff)}},
  };
}

// covers: LW-01 LW-02
TEST(Tables, PrimitivesDeclareTheLawsOfTheirTables) {
  for (const Table& table : tables()) {
    const Operation* op = find_operation(table.id);
    ASSERT_NE(op, nullptr) << table.id;
    for (const Law& law : table.declared)
      EXPECT_NE(std::ranges::find(op->laws, law), op->laws.end()) << table.id << " " << to_string(law);
    for (const Law& law : op->laws) {
      const bool known = std::ranges::find(kOfTables, law.kind) != std::end(kOfTables);
      EXPECT_EQ(known, std::ranges::find(table.declared, law) != table.declared.end())
          << table.id << " declares " << to_string(law);
    }
    for (const Law& law : table.denied) {
      EXPECT_NE(std::ranges::find(op->denied, law, &spec::Denial::law), op->denied.end())
          << table.id << " does not deny " << to_string(law);
    }
  }
}

// covers: LW-03
TEST(Tables, LogicalLawsHoldOfTruthValues) {
  // binary-operations, "Logical": which laws hold of 0 and 1; true operands of any words give 1.
  for (const auto& [id, neutral, absorbing] :
       {std::tuple{"primitive.compare.logical_and", 1u, 0u}, {"primitive.compare.logical_or", 0u, 1u}}) {
    const auto& f = find_operation(id)->reference;
    const auto value = [&](uint32_t a, uint32_t b) {
      const uint32_t operands[] = {a, b};
      return f(operands);
    };
    for (const uint32_t a : {0u, 1u}) {
      EXPECT_EQ(value(a, neutral), a) << id;
      EXPECT_EQ(value(a, absorbing), absorbing) << id;
      for (const uint32_t b : {0u, 1u}) {
        EXPECT_EQ(value(a, b), value(b, a)) << id;
        for (const uint32_t c : {0u, 1u}) EXPECT_EQ(value(value(a, b), c), value(a, value(b, c))) << id;
      }
    }
    for (const uint32_t a : {2u, 42u, 0xffffffffu}) EXPECT_EQ(value(a, a), 1u) << id;
  }
}

}  // namespace
}  // namespace vyre::ops
