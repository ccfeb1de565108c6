// Judging an operation over buffers: a case is run on a backend, and every byte of every buffer is compared
// with what the reference leaves (opspec/opspec.h).
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

  /// What differs: "digests[3] is 5, not 7"; nothing where the case passes.
  /// Errors: the backend's, where it did not run.
  Result<std::optional<std::string>> judge(const opspec::Buffers& input);
  /// A case that is simpler than `input` and fails as it does: of the least size at which cases fail, then
  /// fewer items, then shorter ones. Cost: up to some thousand small runs.
  Result<opspec::Buffers> shrink(opspec::Buffers input);

  const check::CheckedPipeline& pipeline() const { return module_->pipelines()[entry_]; }

 private:
  BufferJudge(const opspec::OperationSpec& operation, std::shared_ptr<const check::CheckedModule> module,
              uint32_t entry, plan::Executable executable)
      : operation_(&operation),
        module_(std::move(module)),
        entry_(entry),
        executable_(std::move(executable)) {}

  const opspec::OperationSpec* operation_;
  std::shared_ptr<const check::CheckedModule> module_;
  uint32_t entry_;
  plan::Executable executable_;
};

}  // namespace vyre::verify
