// The judge of random modules: one module, several ways to run it, equal bytes.
//
// Against the plan (ref/plan.h) stands an interpreter of pipelines that walks their commands by name, with an
// evaluator of host expressions of its own and memory a scratch: it shares with the plan what an operator and
// a dispatch mean, and nothing of control flow, names, scratch or lists. Both say which dispatches they make,
// over what, and with how many groups. What the reference and another backend leave, run once and a second
// time over the same memory, has to be what the interpreter leaves. On the way the module goes to text and
// back, with constants and without, and to wire.
#pragma once

#include <string>

#include "backend/backend.h"
#include "check/module.h"
#include "judge.h"
#include "modules.h"

namespace vyre::test {

/// What is wrong on purpose with the plan that the interpreter is compared with.
enum class Planted : uint8_t { Nothing, SeventhDispatchDropped, SecondZeroSkipped };

struct ModuleTrial {
  std::shared_ptr<const check::CheckedModule> checked;  // null where it is refused
  Judgement judgement;
  bool invalid = false;  // checking or the interpreter refuses it: then it is the generator that is wrong
};

/// `reference` and `backend` run the entry; they may be one.
ModuleTrial judge_module(const generate::ModuleCase& c, const spec::OpTable& ops, backend::Backend& reference,
                         backend::Backend& backend, Planted planted = Planted::Nothing);

}  // namespace vyre::test
