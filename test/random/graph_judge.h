// The judge of random graphs: one graph, several ways to compute it, equal bytes.
//
// What the bytes are, the loop nests of the reference decide (ref/graph.h). Against them stands what becomes
// of the graph on a backend: lowered as it is planned, and by every other plan and choice of kernels, none of
// which may change a bit. On the way the module goes to text and wire and back. The reference, the layer
// `tensor` and the backend share the checker, so that graphs are valid and have these shapes is what
// generate/graphs.h promises.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "check/module.h"
#include "generate/graphs.h"
#include "judge.h"

namespace vyre::test {

struct GraphTrial {
  Judgement judgement;
  bool invalid = false;     // checking or the reference refuses it: then it is the generator that is wrong
  uint32_t plans = 0;       // that were run
  uint32_t dispatches = 0;  // of the default plan
};

struct GraphJudging {
  bool every_plan = true;  // else the default alone
  bool wrong_bit = false;  // planted: what the backend leaves has one wrong bit where an element is a NaN
};

GraphTrial judge_graph(const generate::GraphCase& c, const spec::OpTable& ops, backend::Backend& backend,
                       const GraphJudging& judging = {});

}  // namespace vyre::test
