// The compile driver: the way from programs to code, which every backend that compiles goes.
//
// A program is checked against the device, built into a kernel, legalized by the floats that the device does
// natively, and made into code, alone or in a module with others. Many programs go that way at once, by
// several threads, and each has its own answer. Which floats are native the device's profile says
// (backend/floats.h); to find out, the probe compiles programs of its own, the same way but by the promises
// that it asks for. A backend brings what differs: the target, and the step from kernels to code.
#pragma once

#include <tbb/task_arena.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/floats.h"
#include "lower/kernel.h"

namespace vyre::backend {

struct CompileOptions {
  /// Threads that compile a batch; 0: as many as there are cores.
  unsigned threads = 0;
  /// A batch is compiled in modules of at most so many programs.
  size_t module_programs = 1;
  FloatForm floats = FloatForm::Auto;
  /// Of the target's floats. Where nothing is promised, nothing is probed.
  lower::FloatPromises promised = lower::kNoFloats;
  /// All that decides what the device's arithmetic does, and where verdicts of the probe are kept; empty:
  /// nowhere.
  std::string machine = {};
  std::filesystem::path verdicts = {};
};

class CompilingBackend : public Backend {
 public:
  Result<FloatUse> floats() final;
  /// What the backend keeps on disk, it keeps of programs that are compiled alone: those of a batch run once.
  Result<std::unique_ptr<Pipeline>> compile(const check::Checked& program) final;
  std::vector<Result<std::unique_ptr<Pipeline>>> compile_batch(
      std::span<const check::Checked* const> programs) override;
  void side_by_side(size_t count, const std::function<void(size_t)>& work) override { for_each(count, work); }

 protected:
  using Compiled = Result<std::unique_ptr<Pipeline>>;
  using Programs = std::span<const check::Checked* const>;

  explicit CompilingBackend(CompileOptions options);

  /// What kernels are legalized for, by these promises.
  virtual lower::Target target(const lower::FloatPromises& floats) const = 0;
  /// Before a kernel is built. Errors: B002, B003, B008.
  virtual Result<void> accept(const check::Checked& program) const;
  /// Whether a legal kernel may be one of several in a module.
  virtual bool shares_module(const lower::Kernel& kernel) const;
  /// What is on disk of a program that is compiled by these promises; null: nothing.
  virtual std::unique_ptr<Pipeline> find_kept(const check::Checked& program,
                                              const lower::FloatPromises& floats);
  /// Code of legal kernels, as one module, each of the program beside it. `keep`: on disk too.
  /// Shape  a result for each kernel.  Thread  several at once.
  virtual std::vector<Compiled> make(std::span<const lower::Kernel> kernels, Programs programs,
                                     bool keep) = 0;

  /// The program's legal kernel, by these promises of floats; null: by those of the device's profile.
  Result<lower::Kernel> lower_one(const check::Checked& program,
                                  const lower::FloatPromises* promises = nullptr);
  /// do_one(0) to do_one(count - 1), by the backend's threads.
  void for_each(size_t count, const std::function<void(size_t)>& do_one) const;
  const std::shared_ptr<tbb::task_arena>& arena() const { return arena_; }

 private:
  std::vector<Compiled> compile_all(Programs programs, const lower::FloatPromises* promises);
  void compile_module(Programs programs, const lower::FloatPromises* promises, std::span<Compiled> out);
  Result<const FloatProfile*> float_profile();
  /// For a kernel as lower::build() makes it. One without arithmetic on floats does not ask the device.
  Result<lower::FloatPromises> promises_for(const lower::Kernel& kernel);

  const std::shared_ptr<tbb::task_arena> arena_;
  const size_t module_programs_;
  FloatSupport floats_;
};

}  // namespace vyre::backend
