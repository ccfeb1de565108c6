// The two definitions of an operation agree: its reference function and its composition were written
// independently, so a fault in one shows here.
#include "composition.h"
#include "library.h"
#include "oracle.h"

VYRE_ORACLE(CpuReference, "the CPU reference function");

namespace vyre::ops {
namespace {

class Definitions : public EachOperation {
 protected:
  void agree(const std::vector<Tuple>& inputs) const {
    const std::vector<uint32_t> results = evaluate_composition(operation(), inputs);
    ASSERT_EQ(results.size(), inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      ASSERT_EQ(results[i], operation().reference(inputs[i].data())) << show(inputs[i]);
    }
  }
};
VYRE_FOR_EACH_OPERATION(Definitions);

// covers: OR-07
TEST_P(Definitions, AgreeOnBoundariesAndRepresentatives) {
  std::vector<Tuple> inputs;
  for (const BoundaryValue& b : operation().boundaries) inputs.push_back(b.operands);
  for (const EquivalenceClass& c : operation().classes) inputs.push_back(c.representative);
  agree(inputs);
}

TEST_P(Definitions, AgreeOnEdges) { agree(edge_tuples(inputs())); }

TEST_P(Definitions, AgreeOnRandomInputs) { agree(random_tuples(inputs(), 100000, 2)); }

TEST_P(Definitions, AgreeOnSmallInputsExhaustively) {
  // The CPU reference function, on every u8 (pairs too; triples of u5).
  std::vector<Tuple> inputs;
  const uint32_t bits = arity() == 3 ? 5 : 8;
  const uint32_t total = uint32_t{1} << (bits * arity());
  for (uint32_t n = 0; n < total; ++n) {
    Tuple tuple;
    for (size_t i = 0; i < arity(); ++i) tuple.push_back((n >> (bits * i)) & ((1u << bits) - 1));
    inputs.push_back(tuple);
  }
  agree(inputs);
}

TEST_P(Definitions, ColumnsAreTheFunctionOfEachCase) {
  // The reference function of one case, which is what defines it.
  // Edges and random words, of a number that fills no vector: its rest is a loop of its own.
  std::vector<Tuple> tuples = edge_tuples(inputs());
  for (Tuple& tuple : random_tuples(inputs(), 4099, 3)) tuples.push_back(std::move(tuple));
  std::vector<std::vector<uint32_t>> words(arity());
  for (const Tuple& tuple : tuples) {
    for (size_t k = 0; k < arity(); ++k) words[k].push_back(tuple[k]);
  }
  std::vector<const uint32_t*> columns;
  for (const auto& w : words) columns.push_back(w.data());
  std::vector<uint32_t> results(tuples.size());
  operation().reference(columns, results.data(), results.size());
  for (size_t i = 0; i < tuples.size(); ++i)
    ASSERT_EQ(results[i], operation().reference(tuples[i].data())) << show(tuples[i]);
}

}  // namespace
}  // namespace vyre::ops
