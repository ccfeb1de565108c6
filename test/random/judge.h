// The judge of random programs: one program, every evaluator, equal bytes.
//
// The reference decides what the bytes are. Against it stand the kernel evaluator before legalization and
// after it, for a target that has everything and for one that has words alone (which also watches that no raw
// operator leaves its domain), and machine code. The reference and the kernel evaluator share no code; the
// native backend shares none of either's arithmetic. On the way the program goes to wire and text and back,
// and must come home as it was.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "check/checked.h"
#include "generate/programs.h"
#include "lower/kernel.h"

namespace vyre::test {

struct JudgeOptions {
  uint64_t max_steps = 1'000'000;  // of the reference
  uint32_t subgroup_size = 0;      // as in generate::ProgramOptions
  bool on_backend = true;          // whether the backend has subgroups of that size, or none are used
  bool round_trips = true;
};

enum class Verdict : uint8_t { Agree, Differ, TooLong };

struct Judgement {
  Verdict verdict = Verdict::Agree;
  std::string complaint;  // Differ: who, and how
};

/// A case on its way through the evaluators.
struct Trial {
  generate::ProgramCase program;
  std::optional<check::Checked> checked;
  std::vector<Bytes> expected;
  Judgement judgement;
};

/// Checks the program, sends it to wire and text and back, and runs it on the reference and as semantic and
/// legal kernels.
void judge_on_host(Trial& trial, const spec::OpTable& ops, const JudgeOptions& options = {});
/// Whether wire and text give the program back, and the same bytes and characters again; complains if not.
void judge_round_trips(Trial& trial);
/// Runs a kernel of a trial that agreed so far on the kernel evaluator.
void judge_kernel(Trial& trial, const lower::Kernel& kernel, std::string_view who, uint64_t max_steps,
                  uint32_t subgroup_size = 0);
/// Runs a trial that agreed so far on a backend's pipeline.
void judge_pipeline(Trial& trial, Result<std::unique_ptr<backend::Pipeline>>& pipeline, std::string_view who);
/// All of it for one case.
Judgement judge(generate::ProgramCase program, const spec::OpTable& ops, backend::Backend& backend,
                const JudgeOptions& options = {});

}  // namespace vyre::test
