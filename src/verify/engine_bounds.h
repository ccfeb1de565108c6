// What an engine declares to use at most, in numbers (library/engines.def).
//
// A bound is a host expression over the engine's buffers and constants, and is parsed and checked as one. But
// host expressions are of words of 32 bits and wrap, and a bound that wrapped would be below what a run of
// many items rightly takes. So here each is evaluated in 64 bits, and what does not fit there, or lies below
// zero on the way, is an error and no other number. Source: docs/engines.md; docs/spec/pipelines.md, "Host
// expressions".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "check/module.h"
#include "ref/plan.h"

namespace vyre::verify {

/// Values of constants that are chosen, by name.
using EngineConstants = std::map<std::string, uint32_t, std::less<>>;

struct EngineBounds {
  uint64_t dispatches = 0, scratch_bytes = 0, turns = 0;
};

class DeclaredBounds {
 public:
  /// Of a module with a pipeline `main`, whose names the expressions are about.
  /// Errors: those of checking them as host expressions.
  static Result<DeclaredBounds> make(std::string_view text, const EngineConstants& constants,
                                     std::string_view dispatches, std::string_view scratch_bytes,
                                     std::string_view turns);
  /// Shape   parameters: one a parameter of `main`, as a run of it has them.
  /// Errors  B003 for what has no value in 64 bits, or is no arithmetic on numbers.
  Result<EngineBounds> of(std::span<const ref::PlanParameter> parameters) const;
  /// Whether all turns of `module` are those of one repeat of `main`, of which there is one execution, and
  /// its count is the declared bound, expression for expression: then no run takes more.
  bool turns_are_proved(const check::CheckedModule& module) const;

 private:
  std::shared_ptr<const check::CheckedModule> module_;
  const check::CheckedPipeline* bounds_ = nullptr;  // its scratch arrays have the bounds as lengths
};

}  // namespace vyre::verify
