// Sorting lines by integer keys, for kernels that want their elements in another order.
#pragma once

#include "tensor/fold.h"

namespace vyre::tensor {

struct SortedLines {
  Array keys;            // u32, or u64 of elements that have so many bits
  Array places;          // u32: where in its line the element of a key stands
  uint32_t of_line = 0;  // key i of line l, lines in row-major order, is at l * of_line + i
};

/// The keys of the elements in ascending order, equal ones in the order of the elements; of each line the
/// first `first` at least. A key of u32 in ascending order is the element itself.
SortedLines sort_lines(Assembly& assembly, const Lines& lines, spec::DataType type, bool descending,
                       uint32_t first, const Element& element);

}  // namespace vyre::tensor
