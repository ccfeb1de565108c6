// Running cases of ir.shapes, over memory of the host or of the device.
//
// A case's dispatches go through one pipeline. On the device its buffers live in one of the ways that
// ShapeInterface names: each by itself, as ranges of one buffer, written and read in pieces, changed in
// places between dispatches, or moved in transfers of 17 MiB. The host keeps an image of what every byte of
// device memory must be, so what was not bound is compared as well: those are the guard words.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>

#include "backend/backend.h"
#include "verify/program_judge.h"
#include "verify/shape_case.h"

namespace vyre::verify {

/// Programs that store the contents of a buffer from another one, compiled when a case wants them. A pipeline
/// has buffers and groups of the same size each time: that others are right too is for cases to show.
class ShapeStores {
 public:
  /// That of words, or of 16-bit elements; it lives as long as this. Errors: of the backend.
  Result<backend::Pipeline*> of(backend::Backend& backend, bool words, uint64_t elements);

 private:
  std::map<std::pair<bool, uint64_t>, std::unique_ptr<backend::Pipeline>> made_;
};
/// The first wrong word is named as "out, word 7 of 64 after dispatch 2 of 2"; the answer is a checksum of
/// what was left in the buffers. Errors: of the backend.
Result<CaseRun> run_shape(backend::Backend& backend, backend::Pipeline& pipeline, ShapeStores& stores,
                          const ShapeCase& c);

/// The verdict on ir.shapes by these rows, on a device that lacks those levels: slice number `slice`.
Result<void> check_rows(backend::Backend& backend, std::span<const Row> rows, const AbsentLevels& absent,
                        uint32_t slice, uint64_t seed, const Monitor& monitor, Verdict& verdict);

}  // namespace vyre::verify
