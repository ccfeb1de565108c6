// How a product of matrices is divided among invocations, and the choice for a shape.
//
// A result is a chain over ascending k, so k is not divided, but for two cases: where the graph says blocks,
// whose results are added by a tree, and where elements are integers, whose sums have no order. All else is
// divided as one likes: which results an invocation has, what comes to workgroup memory at once, whether one
// operand is written in panels first. A tile says that; every tile gives the same bits, and the choice is
// only a matter of time. Rows and columns may change places, since a product of two numbers has no order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/kernels.h"

namespace vyre::tensor {

enum class MatmulKind : uint8_t {
  Plain,  // a result an invocation, whatever the shape
  Strip,  // `rows` results of one column an invocation, from memory
  Panel,  // the same, and the right operand has been written in panels of `lanes_x` columns
  Tile,   // `rows` by `columns` results an invocation, through workgroup memory
};

struct MatmulTile {
  std::string_view name;
  MatmulKind kind{};
  uint32_t lanes_x = 1, lanes_y = 1;  // invocations of a workgroup along columns and along rows
  uint32_t rows = 1, columns = 1;     // results of an invocation
  uint32_t depth = 1;                 // values of k at once: in workgroup memory, or written out
  uint32_t together = 1;              // of an invocation's columns so many are neighbours
  uint32_t places = 1;                // tiles of workgroup memory in turn
  bool blocks = false;                // 32 invocations in a row are 4 rows of 8

  uint32_t across() const { return lanes_x * columns; }
  uint32_t down() const { return lanes_y * rows; }
};
std::span<const MatmulTile> matmul_tiles();

struct MatmulShape {
  uint32_t batch = 1, m = 0, n = 0, k = 0;
  uint32_t block = ir::kWholeBlock;                // any for integers
  spec::DataType type{};                           // of the accumulator
  bool narrow = false;                             // operands of 16 bits
  bool left_turned = false, right_turned = false;  // the operand is a view of its transpose
};

struct MatmulChoice {
  const MatmulTile* tile = nullptr;
  bool swapped = false;  // rows are computed as columns
  uint32_t block = ir::kWholeBlock;
  uint32_t levels = 0;  // of the tree that a workgroup adds by itself: 2^levels blocks of k
};
MatmulChoice choose_matmul(const MatmulShape& shape, Device device);
/// The same with a tile that is given.
MatmulChoice choose_matmul(const MatmulShape& shape, const MatmulTile& tile, bool swapped);

/// Of a product, from its node and those of its operands.
MatmulShape matmul_shape(const check::SizedNode& node, const check::SizedNode& left,
                         const check::SizedNode& right);

/// "matmul f32 narrow 1 1024 1024 512 whole": what shapes have in common that have the same best choice, near
/// enough. Sizes above 16 are rounded up to powers of two.
std::string class_of(const MatmulShape& shape);
/// The choices that are worth measuring on such a device, that which is made by itself first.
std::vector<MatmulChoice> matmul_candidates(const MatmulShape& shape, Device device);
/// "tile64", and with rows as columns "tile64'".
std::string name_of(const MatmulChoice& choice);
/// The choice of this name for a shape; none where there is no such tile.
std::optional<MatmulChoice> choice_named(const MatmulShape& shape, std::string_view name);

void write_matmul(Assembly& assembly, const KernelWork& work, const MatmulChoice& choice);

}  // namespace vyre::tensor
