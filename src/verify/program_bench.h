// The bench of a program family: its cases by their numbers, each a program with its input and a dispatch of
// its own, compared with the reference.
#pragma once

#include "backend/backend.h"
#include "generate/programs.h"
#include "verify/culprit.h"
#include "verify/families.h"

namespace vyre::verify {

class ProgramBench final : public Bench {
 public:
  /// The backend must outlive it.
  ProgramBench(backend::Backend& backend, Family family, uint64_t seed)
      : backend_(backend), family_(family), seed_(seed) {}
  /// Cost: compiles each program.
  Seen run(const Batch& batch) override;

 private:
  Result<void> run_one(const generate::ProgramCase& c, size_t position, Seen& seen);

  backend::Backend& backend_;
  Family family_;
  uint64_t seed_;
};

}  // namespace vyre::verify
