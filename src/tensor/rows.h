// Row kernels: reductions of one line after the other, and what is computed between them, in one program.
//
// A softmax reads a line, folds it, computes of each element and the result another line, folds that, and
// divides. Where a line fits a workgroup, each invocation keeps its elements in variables from the first use
// to the last, so the line is loaded once and only what is wanted is stored. Orders are those of reductions
// that stand alone: the canonical tree.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tensor/fold.h"

namespace vyre::tensor {

/// What a row kernel computes. Positions are numbers that `position` gives; they stand for coordinates.
struct RowWork {
  std::span<const Fold> folds;  // in an order in which each may use the results of those before
  std::function<ir::Ex(Body&, ir::Ex base, uint32_t more)> neighbour;  // of a base that is a multiple of 4
  std::function<uint32_t(Body&, const Coordinates&)> position;         // of an element
  std::function<void(Body&, std::span<const uint32_t> positions)> fetch;
  std::function<ir::Ex(Body&, size_t fold, uint32_t position)> element;
  std::function<void(Body&, size_t fold, const Coordinates& line, ir::Ex result)> know;
  std::function<void(Body&, std::span<const uint32_t> positions)> store;  // of neighbours
  std::function<void(Body&, const Coordinates& line)> store_line;
};

/// Whether lines of this size fit, and the nodes of folds of these types.
bool fits_rows(uint32_t size, std::span<const spec::DataType> types);

/// How many elements of a line an invocation has.
uint32_t elements_of_invocation(uint32_t size);

/// Domain: lines along the last axis that is longer than 1; fits_rows().
void write_rows(Assembly& assembly, const Lines& lines, const RowWork& work);

}  // namespace vyre::tensor
