// The two definitions of an operation agree: its reference function and its composition were written
// independently, so a fault in one shows here.
#include "composition.h"
#include "library.h"
#include "oracle.h"

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

TEST_P(Definitions, AgreeOnBoundariesAndRepresentatives) {
  VYRE_ORACLE(CpuReference, "the CPU reference function");
  std::vector<Tuple> inputs;
  for (const BoundaryValue& b : operation().boundaries) inputs.push_back(b.operands);
  for (const EquivalenceClass& c : operation().classes) inputs.push_back(c.representative);
  agree(inputs);
}

TEST_P(Definitions, AgreeOnEdges) {
  VYRE_ORACLE(CpuReference, "the CPU reference function");
  agree(edge_tuples(inputs()));
}

TEST_P(Definitions, AgreeOnRandomInputs) {
  VYRE_ORACLE(CpuReference, "the CPU reference function");
  agree(random_tuples(inputs(), 100000, 2));
}

TEST_P(Definitions, AgreeOnSmallInputsExhaustively) {
  VYRE_ORACLE(CpuReference, "the CPU reference function, on every u8 (pairs too; triples of u5)");
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

}  // namespace
}  // namespace vyre::ops
