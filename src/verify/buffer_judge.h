// Judging an operation over buffers: a case is run on a backend, and every byte of every buffer is compared
// with what the reference leaves (opspec/opspec.h).
//
// All buffers of a case lie in one piece of the backend's memory, with guard words before, between and behind
// them, so that an access outside of one is found.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "opspec/opspec.h"
#include "plan/pipeline.h"

namespace vyre::verify {

class BufferJudge {
 public:
  /// The text of the library with this id, compiled once. The backend must outlive it.
  /// Errors: X003 for an id that the library does not have; the backend's.
  static Result<BufferJudge> make(backend::Backend& backend, const opspec::OperationSpec& operation);

  /// The same of another text for it, whose entry is `main`.
  static Result<BufferJudge> make(backend::Backend& backend, const opspec::OperationSpec& operation,
                                  const ir::Module& text);

  /// The same of a module that was checked.
  static Result<BufferJudge> make(backend::Backend& backend, const opspec::OperationSpec& operation,
                                  std::shared_ptr<const check::CheckedModule> module);

  /// What a run leaves of the buffers. `notes`: unless null, gets what there is to say of the run.
  /// Errors: the backend's, where it did not run.
  Result<opspec::Buffers> run(const opspec::Buffers& input, plan::RunNotes* notes = nullptr);
  /// What runs of cases leave that are submitted together, each with guard words and scratch of its own.
  /// Errors: the backend's, where one of them did not run.
  Result<std::vector<opspec::Buffers>> run_together(std::span<const opspec::Buffers> inputs);
  /// Fills all memory that it keeps, the scratch of runs with it, with a byte that no run may see.
  Result<void> spoil(std::byte value);
  /// For a run after Backend::restart().
  void forget() { executable_.forget(); }
  /// Guard words that were looked at so far, and how many of them were others.
  uint64_t guard_words() const { return guard_words_; }
  uint64_t broken() const { return broken_; }

  /// The first element that is not as wanted: "digests[3] is 5, not 7".
  std::optional<std::string> difference(const opspec::Buffers& wanted, const opspec::Buffers& got) const;
  std::optional<std::string> difference(size_t parameter, const opspec::Buffer& wanted,
                                        const opspec::Buffer& got) const;

  /// What differs from what the reference leaves, or nothing where the case passes; a guard word that is
  /// another is a difference. Errors: of run().
  Result<std::optional<std::string>> judge(const opspec::Buffers& input);

  /// A case that is simpler than `input` and fails as it does: of the least size at which cases fail, then
  /// fewer items, then shorter ones. Cost: up to some thousand small runs.
  struct Shrunk {
    opspec::Buffers input;
    /// Where it began: the case of this number and size, of seed 1. None: from `input`.
    std::optional<std::pair<uint32_t, uint64_t>> size_and_number;
  };
  Result<Shrunk> shrink(opspec::Buffers input);

  const check::CheckedPipeline& pipeline() const { return module_->pipelines()[entry_]; }

 private:
  BufferJudge(backend::Backend& backend, const opspec::OperationSpec& operation,
              std::shared_ptr<const check::CheckedModule> module, uint32_t entry, plan::Executable executable)
      : backend_(&backend),
        operation_(&operation),
        module_(std::move(module)),
        entry_(entry),
        executable_(std::move(executable)) {}

  Result<std::vector<opspec::Buffers>> run(std::span<const opspec::Buffers> inputs, plan::RunNotes* notes);

  backend::Backend* backend_;
  const opspec::OperationSpec* operation_;
  std::shared_ptr<const check::CheckedModule> module_;
  uint32_t entry_;
  std::unique_ptr<backend::DeviceBuffer> memory_;
  plan::Executable executable_;
  uint64_t guard_words_ = 0, broken_ = 0;
};

}  // namespace vyre::verify
