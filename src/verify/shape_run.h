// Running cases of ir.shapes, over memory of the host or of the device.
//
// A case's dispatches go through one pipeline. On the device its buffers live in one of the ways that
// ShapeInterface names: each by itself, as ranges of one buffer, written and read in pieces, changed in
// places between dispatches, or moved in transfers of 17 MiB. The host keeps an image of what every byte of
// device memory must be, so what was not bound is compared as well: those are the guard words.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "backend/backend.h"
#include "verify/culprit.h"
#include "verify/families.h"
#include "verify/shape_case.h"

namespace vyre::verify {

struct ShapeRun {
  uint64_t canaries = 0, broken = 0;  // guard words
  uint64_t dispatches = 0;
  /// The first word that is not as expected: "out[7] after dispatch 2".
  std::optional<Wrong> wrong;
  uint64_t answer = 0;  // a checksum of what was left in the buffers
};

/// Programs that store the contents of a buffer from another one, compiled when a case wants them. A pipeline
/// has buffers and groups of the same size each time: that others are right too is for cases to show.
class ShapeStores {
 public:
  /// That of words, or of 16-bit elements; it lives as long as this. Errors: of the backend.
  Result<backend::Pipeline*> of(backend::Backend& backend, bool words, uint64_t elements);

 private:
  std::map<std::pair<bool, uint64_t>, std::unique_ptr<backend::Pipeline>> made_;
};
/// Errors: of the backend.
Result<ShapeRun> run_shape(backend::Backend& backend, backend::Pipeline& pipeline, ShapeStores& stores,
                           const ShapeCase& c);

/// The bench of ir.shapes: rows by their numbers.
class ShapeBench final : public Bench {
 public:
  /// The backend must outlive it.
  ShapeBench(backend::Backend& backend, uint64_t seed) : backend_(backend), seed_(seed) {}
  Seen run(const Batch& batch) override;
  /// Compiles and runs one case.
  Seen run(const Row& row);

 private:
  backend::Backend& backend_;
  uint64_t seed_;
};

/// Slice `slice` of `slices` of the verdict on ir.shapes, by an array of this strength.
Result<void> check_shapes(backend::Backend& backend, uint32_t strength, uint32_t slice, uint32_t slices,
                          uint64_t seed, const Monitor& monitor, Verdict& verdict);
/// The same by these rows, on a device that lacks those levels.
Result<void> check_rows(backend::Backend& backend, std::span<const Row> rows, const AbsentLevels& absent,
                        uint32_t slice, uint64_t seed, const Monitor& monitor, Verdict& verdict);

}  // namespace vyre::verify
