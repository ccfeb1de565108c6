// The judge of random graphs: what certificates judge of them (verify/tensor_check.h), on every way to lower
// them, and on the way the module goes to text and wire and back.
#pragma once

#include "backend/backend.h"
#include "generate/graphs.h"
#include "judge.h"
#include "verify/tensor_check.h"

namespace vyre::test {

struct GraphTrial {
  Judgement judgement;
  uint32_t plans = 0;       // that were run
  uint64_t dispatches = 0;  // of all of them
};

class GraphJudge {
 public:
  /// `every_plan`: else the first way alone.
  GraphJudge(backend::Backend& backend, bool every_plan, verify::Lowering lower = tensor::lower)
      : backend_(backend), every_plan_(every_plan), lower_(std::move(lower)) {}
  GraphTrial judge(const generate::GraphCase& c) const;

 private:
  backend::Backend& backend_;
  const bool every_plan_;
  const verify::Lowering lower_;
};

}  // namespace vyre::test
