#include "tensor/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "spec/limits.h"
#include "spec/ops.h"
#include "spec/types.h"
#include "tensor/fold.h"

namespace vyre::tensor {
namespace {

using ir::Ex;
using spec::DataType;
using spec::Op;
using Variables = std::vector<Ex>;

constexpr uint64_t kMostPartial = 1ull << 27;  // results of blocks in scratch
constexpr uint32_t kMostLevels = 3;            // in registers
constexpr uint32_t kManyGroups = 256;          // for which a device has not too few
constexpr uint32_t kFan = 32;                  // of a step of the tree over results of blocks
constexpr uint32_t kPanelRows = 64;            // of a panel, written by a workgroup
constexpr uint32_t kIntegerBlock = 256;        // of k where sums have no order
constexpr uint32_t kFewRows = 48;              // for which panels do not pay on a CPU
constexpr uint32_t kPad = 4;                   // words between rows of a tile that is stored by columns

constexpr auto kTiles = std::to_array<MatmulTile>({
    {"plain", MatmulKind::Plain, 256, 1, 1, 1, 8},
    {"strip1", MatmulKind::Strip, 64, 1, 1, 1, 16},
    {"strip16", MatmulKind::Strip, 16, 1, 1, 1, 8},
    {"strip4", MatmulKind::Strip, 64, 1, 4, 1, 8},
    {"strip8", MatmulKind::Strip, 64, 1, 8, 1, 4},
    {"panel8", MatmulKind::Panel, 32, 8, 8, 1, 1},
    {"row32", MatmulKind::Tile, 32, 8, 1, 1, 64, 1, 1},
    {"tile16", MatmulKind::Tile, 16, 16, 1, 1, 16, 1, 2},
    {"tile32", MatmulKind::Tile, 16, 16, 2, 2, 16, 2, 2},
    {"tile64", MatmulKind::Tile, 16, 16, 4, 4, 16, 4, 1, true},
    {"tile128_8", MatmulKind::Tile, 16, 16, 8, 8, 8, 4, 2, true},
    {"tile128_16", MatmulKind::Tile, 16, 8, 16, 8, 8, 4, 2, true},
});

bool is_float(DataType type) { return spec::kFloats.contains(type); }

Ex zero(Body& body, DataType type) { return body.program().literal(type, 0); }

/// A number that is known here or when the program runs.
struct Count {
  std::optional<uint32_t> fixed;
  std::optional<Ex> value;

  static Count of(uint32_t number) { return {number, std::nullopt}; }
  static Count of(Ex number) { return {std::nullopt, number}; }
  bool is(uint32_t number) const { return fixed == number; }
  Ex ex(Body& body) const { return fixed ? body.u32(*fixed) : *value; }
  Count operator/(uint32_t by) const { return fixed ? of(*fixed / by) : of(quotient(*value, by)); }
  Count operator%(uint32_t by) const { return fixed ? of(*fixed % by) : of(rest(*value, by)); }
};

/// Whether elements along its last axis are neighbours in memory, as far as one can see.
bool lines_up(const check::SizedNode& node) {
  return node.op != check::NodeOp::Transpose || node.axes.back() + 1 == node.axes.size();
}

/// The product as kernels see it: batches first, in the accumulator's type, rows and columns perhaps swapped.
struct Product {
  std::vector<uint32_t> batch;
  uint32_t batches = 1, m = 0, n = 0, k = 0;
  DataType type{};
  uint32_t block = 0, blocks = 1;  // values of k, and how many times
  uint32_t levels = 0;             // blocks of a workgroup: 2^levels
  bool swapped = false;
  const KernelWork* work = nullptr;

  uint32_t results() const { return batches * m * n; }
  uint32_t parts() const { return uint32_t((uint64_t(blocks) + (1ull << levels) - 1) >> levels); }

  Ex operand(Body& body, size_t which, Coordinates at, Ex row, Ex column) const {
    at.push_back(row);
    at.push_back(column);
    const Ex value = work->elements[which](body, at);
    return work->operands[which]->type == type ? value : body.program().cast(type, value);
  }
  Ex left(Body& body, const Coordinates& at, Ex row, Ex k_) const {
    return swapped ? operand(body, 1, at, k_, row) : operand(body, 0, at, row, k_);
  }
  Ex right(Body& body, const Coordinates& at, Ex k_, Ex column) const {
    return swapped ? operand(body, 0, at, column, k_) : operand(body, 1, at, k_, column);
  }
  /// Whether neighbours in memory are neighbours along k.
  bool left_along_k() const { return lines_up(*work->operands[swapped ? 1 : 0]) != swapped; }
  bool right_along_k() const { return lines_up(*work->operands[swapped ? 0 : 1]) == swapped; }
};

/// Where results go: to the sink, or as those of one part of k to scratch.
using Results = std::function<void(Body&, const Coordinates& batch, Ex z, Ex row, Ex column, Ex value)>;

Ex add(Body& body, DataType type, Ex a, Ex b) {
  return is_float(type) ? body.program().apply(Op::FAdd, {a, b}) : a + b;
}

void multiply_add(Body& body, DataType type, Ex sum, Ex a, Ex b) {
  body.program().assign(sum, is_float(type) ? body.program().apply(Op::FMulAdd, {a, b, sum}) : sum + a * b);
}

Variables zeros(Body& body, DataType type, size_t count) {
  Variables made;
  for (size_t i = 0; i < count; ++i) made.push_back(body.program().let(body.fresh("s"), zero(body, type)));
  return made;
}

void clear(Body& body, DataType type, const Variables& sums) {
  for (const Ex sum : sums) body.program().assign(sum, zero(body, type));
}

/// Runs `chain(first k, how many)`, which adds to `sums`, for each block of this part of k, and leaves in
/// `sums` what the tree of these blocks gives: of as many blocks as there are ones at the end of their
/// number, the tree is complete, and one variable a level keeps those that wait for a right half.
void in_blocks(Body& body, const Product& product, Ex part, const Variables& sums,
               const std::function<void(Ex, Count)>& chain) {
  ir::ProgramBuilder& p = body.program();
  if (product.blocks == 1) return chain(body.u32(0), Count::of(product.k));
  const auto one = [&](Ex block) {
    const Ex from = body.let(block * product.block);
    if (product.k % product.block == 0) return chain(from, Count::of(product.block));
    chain(from, Count::of(body.let(p.select(block == product.blocks - 1, body.u32(product.k % product.block),
                                            body.u32(product.block)))));
  };
  if (product.levels == 0) return one(part);
  const uint32_t most = 1u << product.levels;
  const Ex first = body.let(part * most);
  const Count number = product.blocks % most == 0
                           ? Count::of(most)
                           : Count::of(body.let(p.select(part == product.parts() - 1,
                                                         body.u32(product.blocks % most), body.u32(most))));
  std::vector<Variables> waiting;
  for (uint32_t level = 0; level < product.levels; ++level)
    waiting.push_back(zeros(body, product.type, sums.size()));
  const auto each = [&](const std::function<void(size_t)>& work) {
    for (size_t i = 0; i < sums.size(); ++i) work(i);
  };
  p.loop(body.fresh("block"), body.u32(0), number.ex(body), [&](Ex block) {
    clear(body, product.type, sums);
    one(body.let(first + block));
    const std::function<void(uint32_t)> carry = [&](uint32_t level) {
      if (level == product.levels) return;
      p.if_((block & (1u << level)) != 0,
            [&] {
              each([&](size_t i) { p.assign(sums[i], add(body, product.type, waiting[level][i], sums[i])); });
              carry(level + 1);
            },
            [&] { each([&](size_t i) { p.assign(waiting[level][i], sums[i]); }); });
    };
    carry(0);
  });
  if (number.fixed) return;  // a complete tree is in the sums
  // Those that still wait, the smallest first: each is the right part of the next.
  p.if_(number.ex(body) < most, [&] {
    for (uint32_t level = 0; level < product.levels; ++level) {
      p.if_((number.ex(body) & (1u << level)) != 0, [&] {
        const uint32_t below = (1u << level) - 1;
        if (below == 0) return each([&](size_t i) { p.assign(sums[i], waiting[level][i]); });
        p.if_(
            (number.ex(body) & below) != 0,
            [&] {
              each([&](size_t i) { p.assign(sums[i], add(body, product.type, waiting[level][i], sums[i])); });
            },
            [&] { each([&](size_t i) { p.assign(sums[i], waiting[level][i]); }); });
      });
    }
  });
}

/// `step` for k from `from`, `count` times, `depth` of them written out.
void along_k(Body& body, Ex from, Count count, uint32_t depth, const std::function<void(Ex)>& step) {
  ir::ProgramBuilder& p = body.program();
  if (count.is(0)) return;
  const Ex start = body.let(from);
  if (depth == 1) {
    return p.loop(body.fresh("k"), start, body.let(start + count.ex(body)), step);
  }
  const Count whole = count / depth, rest = count % depth;
  if (!whole.is(0)) {
    p.loop(body.fresh("part"), body.u32(0), whole.ex(body), [&](Ex part) {
      const Ex base = body.let(start + part * depth);
      p.unrolled_loop(body.fresh("k"), body.u32(0), body.u32(depth), [&](Ex k) { step(body.let(base + k)); });
    });
  }
  if (rest.is(0)) return;
  const Ex base = body.let(plus(start + times(whole.ex(body), depth), 0));
  p.loop(body.fresh("k"), body.u32(0), rest.ex(body), [&](Ex k) { step(body.let(base + k)); });
}

void plain(Assembly& assembly, const Product& product, const MatmulTile& tile, const Results& results) {
  const uint32_t parts = product.parts();
  assembly.for_each("matmul", product.results() * parts, [&](Body& body, Ex i) {
    const uint32_t shape[] = {parts, product.batches, product.m, product.n};
    const Coordinates at = coordinates(body, shape, i);
    const Coordinates batch = coordinates(body, product.batch, at[1]);
    const Variables sums = zeros(body, product.type, 1);
    in_blocks(body, product, at[0], sums, [&](Ex from, Count count) {
      along_k(body, from, count, tile.depth, [&](Ex k) {
        multiply_add(body, product.type, sums[0], product.left(body, batch, at[2], k),
                     product.right(body, batch, k, at[3]));
      });
    });
    const Ex z = body.let(sum(times(at[0], product.batches), at[1]));
    results(body, batch, z, at[2], at[3], sums[0]);
  });
}

/// A dispatch for each 65,535 of batches and parts of k.
void in_groups(Assembly& assembly, const Product& product, const MatmulTile& tile,
               const std::function<void(Body&, const Coordinates& batch, Ex part, Ex z)>& write) {
  const uint32_t all = product.batches * product.parts();
  for (uint32_t first = 0; first < all; first += spec::kMaxGroupsPerAxis) {
    const uint32_t here = std::min(spec::kMaxGroupsPerAxis, all - first);
    assembly.dispatch(
        "matmul", {tile.lanes_x, tile.lanes_y, 1},
        {ceil_div(product.n, tile.across()), ceil_div(product.m, tile.down()), here}, [&](Body& body) {
          const Ex z = all == 1 ? body.u32(0) : body.let(plus(body.program().workgroup_id(2), first));
          const uint32_t shape[] = {product.parts(), product.batches};
          const Coordinates at = coordinates(body, shape, z);
          write(body, coordinates(body, product.batch, at[1]), at[0], z);
        });
    if (all - first <= spec::kMaxGroupsPerAxis) return;
  }
}

/// What is inside of the product goes on.
void guarded(Body& body, Ex at, uint32_t size, uint32_t step, const std::function<void()>& then) {
  if (size % step == 0) return then();
  body.program().if_(at < size, then);
}

/// The right operand, the columns of a panel side by side and k below k: each is read once, from as many
/// pages as there are rows, and what is computed of it is computed once.
void write_panels(Assembly& assembly, const Product& product, Array packed, uint32_t width, uint32_t panels) {
  for (uint32_t first = 0; first < product.batches; first += spec::kMaxGroupsPerAxis) {
    const uint32_t here = std::min(spec::kMaxGroupsPerAxis, product.batches - first);
    assembly.dispatch(
        "panels", {width, 1, 1}, {panels, ceil_div(product.k, kPanelRows), here}, [&](Body& body) {
          ir::ProgramBuilder& p = body.program();
          const Ex z = product.batches == 1 ? body.u32(0) : body.let(plus(p.workgroup_id(2), first));
          const Coordinates batch = coordinates(body, product.batch, z);
          const Ex column = body.let(p.invocation_id(0));
          const Ex top = body.let(p.workgroup_id(1) * kPanelRows);
          const Ex base = body.let((z * panels + p.workgroup_id(0)) * (product.k * width) + p.local_id(0));
          const Ex end =
              product.k % kPanelRows == 0
                  ? body.let(top + kPanelRows)
                  : body.let(p.select(top + kPanelRows < product.k, top + kPanelRows, body.u32(product.k)));
          p.loop(body.fresh("k"), top, end,
                 [&](Ex k) { body.store(packed, base + k * width, product.right(body, batch, k, column)); });
        });
    if (product.batches - first <= spec::kMaxGroupsPerAxis) return;
  }
}

void strip(Assembly& assembly, const Product& product, const MatmulTile& tile, const Results& results) {
  const uint32_t width = tile.lanes_x, panels = ceil_div(product.n, width);
  std::optional<Array> packed;
  if (tile.kind == MatmulKind::Panel) {
    const uint32_t shape[] = {product.batches, panels, product.k, width};
    packed = assembly.scratch(product.type, check::elements(shape));
    write_panels(assembly, product, *packed, width, panels);
  }
  in_groups(assembly, product, tile, [&](Body& body, const Coordinates& batch, Ex part, Ex z) {
    ir::ProgramBuilder& p = body.program();
    const Ex column = body.let(p.invocation_id(0));
    const Ex row = body.let(times(p.invocation_id(1), tile.rows));
    const Variables sums = zeros(body, product.type, tile.rows);
    std::optional<Ex> panel;
    if (packed) {
      const Ex b =
          product.batches == 1 ? p.workgroup_id(0) : z % product.batches * panels + p.workgroup_id(0);
      panel = body.let(b * (product.k * width) + p.local_id(0));
    }
    Variables rows;
    for (uint32_t r = 0; r < tile.rows; ++r) rows.push_back(body.let(plus(row, r)));
    in_blocks(body, product, part, sums, [&](Ex from, Count count) {
      along_k(body, from, count, tile.depth, [&](Ex k) {
        const Ex q =
            body.let(packed ? body.load(*packed, *panel + k * width) : product.right(body, batch, k, column));
        for (uint32_t r = 0; r < tile.rows; ++r)
          multiply_add(body, product.type, sums[r], product.left(body, batch, rows[r], k), q);
      });
    });
    guarded(body, column, product.n, tile.across(), [&] {
      for (uint32_t r = 0; r < tile.rows; ++r) {
        guarded(body, rows[r], product.m, tile.down(),
                [&] { results(body, batch, z, rows[r], column, sums[r]); });
      }
    });
  });
}

/// Whether there is memory to keep neighbours along k in banks of their own.
bool padded(DataType type, const MatmulTile& tile) {
  return tile.places * tile.depth * (tile.across() + tile.down() + 2 * kPad) * spec::info(type).bytes <=
         kMostWorkgroupBytes;
}

/// One operand's part of a tile: what an invocation loads of it, and where it stands in workgroup memory, k
/// by k.
class TileLoader {
 public:
  /// `size`: rows or columns of the tile, of `all`, the first of which is at `origin`; `value`: at this row
  /// or column and k. Behind the end stand the first ones again, which are inside of the array.
  TileLoader(Body& body, DataType type, const MatmulTile& tile, uint32_t size, uint32_t all, bool along_k,
             bool fours, Ex lane, Ex origin, std::function<Ex(Ex, Ex)> value)
      : body_(body),
        value_(std::move(value)),
        stride_(size + (along_k && padded(type, tile) ? kPad : 0)),
        words_(tile.depth * stride_),
        memory_(body.program().workgroup(body.fresh("tile"), type, tile.places * words_)) {
    // Neighbours in memory, four of them or one, and then as many lanes as there are in a line.
    const uint32_t lanes = tile.lanes_x * tile.lanes_y, line = along_k ? tile.depth : size;
    const uint32_t wide = fours && line % 4 == 0 && size * tile.depth % (4 * lanes) == 0 ? 4 : 1;
    const uint32_t fast = line / wide;
    wide_ = wide;
    along_k_ = along_k;
    if (size * tile.depth < lanes * wide) few_ = body.let(lane < size * tile.depth / wide);
    for (uint32_t i = 0; i < ceil_div(size * tile.depth, lanes * wide); ++i) {
      const Ex quick = times(fast <= lanes ? lane % fast : plus(lane, i % (fast / lanes) * lanes), wide);
      const Ex slow = fast <= lanes ? plus(lane / fast, i * (lanes / fast)) : body.u32(i / (fast / lanes));
      const Ex at = body.let(along_k ? slow : quick), k = body.let(along_k ? quick : slow);
      k_.push_back(k);
      const uint32_t unit = along_k ? 1 : wide;
      const Ex first = body.let(origin + at);
      outer_.push_back(all % size == 0 ? first
                                       : body.let(times(rest(quotient(first, unit), all / unit), unit)));
      place_.push_back(body.let(k * stride_ + at));
    }
  }

  void first(Ex k) {
    for_each(k, [&](size_t, Ex value) { loaded_.push_back(body_.program().let(body_.fresh("w"), value)); });
  }
  void next(Ex k) {
    for_each(k, [&](size_t i, Ex value) { body_.program().assign(loaded_[i], value); });
  }
  void store(Ex place) {
    if (few_) return body_.program().if_(*few_, [&] { store_all(place); });
    store_all(place);
  }
  Ex at(Ex place_and_index, Ex k, uint32_t more) {
    return body_.program().load(memory_, plus(place_and_index + k * stride_, more));
  }
  uint32_t words() const { return words_; }

 private:
  void store_all(Ex place) {
    for (size_t i = 0; i < k_.size(); ++i) {
      const Ex base = body_.let(place * words_ + place_[i]);
      for (uint32_t w = 0; w < wide_; ++w) {
        body_.program().store(memory_, plus(base, along_k_ ? w * stride_ : w), loaded_[i * wide_ + w]);
      }
    }
  }

  // Neighbours differ by a number that is added last, by which compilers see that they are neighbours.
  void for_each(Ex k, const std::function<void(size_t, Ex)>& use) {
    for (size_t i = 0; i < k_.size(); ++i) {
      const Ex base = body_.let(k + k_[i]);
      for (uint32_t w = 0; w < wide_; ++w) {
        const Ex at = along_k_ || w == 0 ? outer_[i] : body_.let(outer_[i] + w);
        use(i * wide_ + w, value_(at, along_k_ && w != 0 ? body_.let(base + w) : base));
      }
    }
  }

  Body& body_;
  std::function<Ex(Ex, Ex)> value_;
  uint32_t stride_, words_, wide_ = 1;
  bool along_k_ = false;
  std::optional<Ex> few_;  // whether this invocation loads, where there are more of them than words
  ir::BufferRef memory_;
  Variables k_, outer_, place_, loaded_;
};

void tiled(Assembly& assembly, const Product& product, const MatmulTile& tile, const Results& results) {
  in_groups(assembly, product, tile, [&](Body& body, const Coordinates& batch, Ex part, Ex z) {
    ir::ProgramBuilder& p = body.program();
    const Ex x = body.let(p.local_id(0)), y = body.let(p.local_id(1));
    const Ex lane = body.let(y * tile.lanes_x + x);
    // 32 lanes in a row read fewer words of workgroup memory if they are a block of 4 by 8 than of 2 by 16.
    const uint32_t blocks = tile.lanes_x / 8;
    const Ex lx = tile.blocks ? body.let(lane / 32 % blocks * 8 + lane % 8) : x;
    const Ex ly = tile.blocks ? body.let(lane / (32 * blocks) * 4 + lane / 8 % 4) : y;
    const Ex top = body.let(p.workgroup_id(1) * tile.down()),
             from_left = body.let(p.workgroup_id(0) * tile.across());
    const Variables sums = zeros(body, product.type, size_t(tile.rows) * tile.columns);
    TileLoader a(body, product.type, tile, tile.down(), product.m, product.left_along_k(),
                 (product.left_along_k() ? product.k : product.m) % 4 == 0, lane, top,
                 [&](Ex row, Ex k) { return product.left(body, batch, row, k); });
    TileLoader b(body, product.type, tile, tile.across(), product.n, product.right_along_k(),
                 (product.right_along_k() ? product.k : product.n) % 4 == 0, lane, from_left,
                 [&](Ex column, Ex k) { return product.right(body, batch, k, column); });
    // The columns of an invocation: groups of neighbours, a group of each invocation side by side.
    const auto column_of = [&](uint32_t c) {
      return c / tile.together * tile.lanes_x * tile.together + c % tile.together;
    };
    const auto multiply = [&](Ex at_a, Ex at_b, Ex k) {
      Variables left, right;
      for (uint32_t r = 0; r < tile.rows; ++r) left.push_back(body.let(a.at(at_a, k, r)));
      for (uint32_t c = 0; c < tile.columns; ++c) right.push_back(body.let(b.at(at_b, k, column_of(c))));
      for (uint32_t r = 0; r < tile.rows; ++r) {
        for (uint32_t c = 0; c < tile.columns; ++c)
          multiply_add(body, product.type, sums[r * tile.columns + c], left[r], right[c]);
      }
    };
    // Where there are fewer rows than invocations, the others only load.
    const auto inside = [&](const std::function<void()>& then) {
      if (product.m > tile.down() - tile.rows) return then();
      p.if_(times(ly, tile.rows) < product.m, then);
    };
    const auto places = [&](Ex turn, const std::function<void(Ex, Ex)>& then) {
      const Ex place = tile.places == 1 ? body.u32(0) : body.let(turn & 1);
      a.store(place);
      b.store(place);
      p.barrier();
      then(body.let(place * a.words() + times(ly, tile.rows)),
           body.let(place * b.words() + times(lx, tile.together)));
    };
    // Where all blocks are whole tiles, the first tile of a block comes as the one behind the last of the
    // block before.
    const bool streamed = product.k != 0 && product.block % tile.depth == 0 && product.k % tile.depth == 0;
    if (streamed) {
      const Ex from = product.blocks == 1 ? body.u32(0) : body.let(part * (product.block << product.levels));
      a.first(from);
      b.first(from);
      p.barrier();
    }
    in_blocks(body, product, part, sums, [&](Ex from, Count count) {
      const Count whole = count / tile.depth, rest = streamed ? Count::of(0u) : count % tile.depth;
      if (count.is(0)) return;
      // A barrier behind the first loads: the tiles of the block before are used no more. And LLVM would make
      // one load of the first and the next one, at the head of the loop, where the tile is waited for.
      if (!streamed) {
        a.first(from);
        b.first(from);
      }
      if (!streamed || product.levels != 0) p.barrier();
      const Ex from_tile = body.let(from / tile.depth);
      if (!whole.is(0)) {
        p.loop(body.fresh("turn"), body.u32(0), whole.ex(body), [&](Ex turn) {
          places(turn, [&](Ex at_a, Ex at_b) {
            // The next tile is on its way while this one is used; behind the last one none is wanted, so it
            // may be the first again, which is inside of the array.
            const Ex next = streamed
                                ? body.let((from_tile + turn + 1) % (product.k / tile.depth) * tile.depth)
                                : body.let(from + (turn + 1) * tile.depth);
            a.next(next);
            b.next(next);
            inside([&] {
              p.unrolled_loop(body.fresh("k"), body.u32(0), body.u32(tile.depth),
                              [&](Ex k) { multiply(at_a, at_b, k); });
            });
          });
          if (tile.places == 1) p.barrier();
        });
      }
      if (rest.is(0)) return;
      places(whole.ex(body), [&](Ex at_a, Ex at_b) {
        inside([&] {
          p.loop(body.fresh("k"), body.u32(0), rest.ex(body), [&](Ex k) { multiply(at_a, at_b, k); });
        });
      });
    });
    const Ex row = body.let(top + times(ly, tile.rows)),
             column = body.let(from_left + times(lx, tile.together));
    Variables columns;
    for (uint32_t c = 0; c < tile.columns; ++c) columns.push_back(body.let(plus(column, column_of(c))));
    for (uint32_t r = 0; r < tile.rows; ++r) {
      const Ex i = body.let(plus(row, r));
      guarded(body, i, product.m, tile.down(), [&] {
        for (uint32_t c = 0; c < tile.columns; ++c) {
          guarded(body, columns[c], product.n, tile.across(),
                  [&] { results(body, batch, z, i, columns[c], sums[r * tile.columns + c]); });
        }
      });
    }
  });
}

/// Adds the parts of each result, kFan at a time, so that each step is a level or more of the tree.
void add_parts(Assembly& assembly, const Product& product, Array array, uint32_t parts,
               const std::function<void(Body&, Ex, Ex)>& sink) {
  const Fold fold{is_float(product.type) ? Op::FAdd : Op::Add, product.type};
  const uint32_t results = product.results();
  while (parts > kFan) {
    const uint32_t whole = parts / kFan, rest = parts % kFan;
    const Array sums = assembly.scratch(product.type, ceil_div(parts, kFan) * results);
    const auto step = [&](uint32_t first, uint32_t groups, uint32_t fan) {
      assembly.for_each("sums", groups * results, [&](Body& body, Ex i) {
        const Ex group = body.let(i / results);
        const Ex base = body.let(group * (fan * results) + i % results + first * kFan * results);
        const Ex value = small_tree(
            body, fold, fan, [&](uint32_t p) { return body.let(body.load(array, plus(base, p * results))); });
        body.store(sums, plus(i, first * results), value);
      });
    };
    step(0, whole, kFan);
    if (rest != 0) step(whole, 1, rest);
    array = sums;
    parts = ceil_div(parts, kFan);
  }
  assembly.for_each("sum", results, [&](Body& body, Ex i) {
    sink(body, i, small_tree(body, fold, parts, [&](uint32_t p) {
           return body.let(body.load(array, plus(i, p * results)));
         }));
  });
}

const MatmulTile& tile_named(std::string_view name) {
  return *std::ranges::find(kTiles, name, &MatmulTile::name);
}

bool fits(const MatmulShape& shape, const MatmulTile& tile) {
  if (tile.kind == MatmulKind::Plain) return true;
  if (ceil_div(shape.n, tile.across()) > spec::kMaxGroupsPerAxis ||
      ceil_div(shape.m, tile.down()) > spec::kMaxGroupsPerAxis)
    return false;
  return tile.kind != MatmulKind::Panel ||
         (ceil_div(shape.k, kPanelRows) <= spec::kMaxGroupsPerAxis &&
          uint64_t(shape.batch) * ceil_div(shape.n, tile.lanes_x) * tile.lanes_x * shape.k < 1ull << 31);
}

}  // namespace

std::span<const MatmulTile> matmul_tiles() { return kTiles; }

MatmulChoice choose_matmul(const MatmulShape& shape, const MatmulTile& tile, bool swapped) {
  MatmulShape turned = shape;
  if (swapped) std::swap(turned.m, turned.n);
  MatmulChoice choice{&tile, swapped, shape.block, 0};
  if (!fits(turned, tile)) choice.tile = &kTiles[0];
  const uint64_t results = uint64_t(shape.batch) * shape.m * shape.n;
  const uint64_t groups = std::max<uint64_t>(1, results / (tile.across() * tile.down()));
  // Sums of integers have no order: as many blocks as there are workgroups wanted.
  if (!is_float(shape.type)) choice.block = groups >= 512 ? ir::kWholeBlock : kIntegerBlock;
  if (choice.block >= shape.k) return choice;
  const uint32_t blocks = ceil_div(shape.k, choice.block);
  // A workgroup has more of the blocks as long as there are workgroups enough, and where their results would
  // be too many.
  const auto parts = [&] { return (uint64_t(blocks) + (1ull << choice.levels) - 1) >> choice.levels; };
  while (parts() > 1 && (parts() * results > kMostPartial ||
                         (choice.levels < kMostLevels && groups * (parts() / 2) >= kManyGroups)))
    ++choice.levels;
  return choice;
}

MatmulChoice choose_matmul(const MatmulShape& shape, Device device) {
  const bool swapped = shape.n < 16 && shape.m > shape.n;
  const uint32_t m = swapped ? shape.n : shape.m, n = swapped ? shape.m : shape.n;
  const auto of = [&](std::string_view name) { return choose_matmul(shape, tile_named(name), swapped); };
  if (n < 16 && (m < 3 || device == Device::Gpu)) return of("plain");
  if (device == Device::Cpu) {
    // What the lanes read side by side stands one below the other in memory.
    const bool below = swapped ? !shape.left_turned : shape.right_turned;
    return of(m < 3           ? (below ? "strip16" : "strip1")
              : m <= 4        ? "strip4"
              : m <= kFewRows ? "strip8"
                              : "panel8");
  }
  if (spec::info(shape.type).bytes > 4) return of(m < 4 ? "strip1" : "tile16");
  if (m <= 8) return of("row32");
  if (m <= 16) return of("tile16");
  const uint64_t parts = is_float(shape.type) ? ceil_div(shape.k, shape.block) : 1;
  const auto groups = [&](uint32_t size, uint64_t times) {
    return shape.batch * times * ceil_div(m, size) * ceil_div(n, size);
  };
  // Sums that wait for their right half are as many registers again.
  if (parts > 1) return of(groups(64, parts) >= 128 ? "tile64" : "tile32");
  if (groups(128, 1) >= 96) return of("tile128_16");
  return of(groups(64, 1) >= 64 ? "tile64" : "tile32");
}

MatmulShape matmul_shape(const check::SizedNode& node, const check::SizedNode& left,
                         const check::SizedNode& right) {
  const auto& sizes = node.shape;
  const size_t axes = sizes.size();
  MatmulShape shape;
  shape.batch = check::elements(std::span(sizes).first(axes - 2));
  shape.m = sizes[axes - 2], shape.n = sizes[axes - 1], shape.k = left.shape.back();
  shape.block = node.block;
  shape.type = node.type;
  shape.narrow = spec::info(left.type).bytes < 4;
  shape.left_turned = !lines_up(left);
  shape.right_turned = !lines_up(right);
  return shape;
}

std::string class_of(const MatmulShape& shape) {
  const auto size = [](uint32_t n) { return n <= 16 ? n : std::bit_ceil(n); };
  return fmt::format("matmul {}{} {} {} {} {} {}{}{}", spec::text(shape.type), shape.narrow ? " narrow" : "",
                     size(shape.batch), size(shape.m), size(shape.n), size(shape.k),
                     shape.block >= shape.k ? "whole" : fmt::format("by {}", shape.block),
                     shape.left_turned ? " left turned" : "", shape.right_turned ? " right turned" : "");
}

std::string name_of(const MatmulChoice& choice) {
  return std::string(choice.tile->name) + (choice.swapped ? "'" : "");
}

std::optional<MatmulChoice> choice_named(const MatmulShape& shape, std::string_view name) {
  const bool swapped = name.ends_with('\'');
  if (swapped) name.remove_suffix(1);
  const auto tile = std::ranges::find(kTiles, name, &MatmulTile::name);
  return tile == kTiles.end() ? std::nullopt : std::optional(choose_matmul(shape, *tile, swapped));
}

std::vector<MatmulChoice> matmul_candidates(const MatmulShape& shape, Device device) {
  std::vector<MatmulChoice> out = {choose_matmul(shape, device)};
  for (const MatmulTile& tile : kTiles) {
    // Tiles of workgroup memory are slow on a CPU, and strips and panels on a GPU, whatever the shape.
    const bool of_gpus = tile.kind == MatmulKind::Tile;
    if (tile.kind != MatmulKind::Plain && of_gpus != (device == Device::Gpu)) continue;
    for (const bool swapped : {false, true}) {
      const MatmulChoice choice = choose_matmul(shape, tile, swapped);
      const auto same = [&](const MatmulChoice& other) { return name_of(other) == name_of(choice); };
      if (choice.tile == &tile && std::ranges::none_of(out, same)) out.push_back(choice);
    }
  }
  return out;
}

void write_matmul(Assembly& assembly, const KernelWork& work) {
  const MatmulShape shape = matmul_shape(work.node, *work.operands[0], *work.operands[1]);
  MatmulChoice choice = choose_matmul(shape, work.device);
  if (work.tile != nullptr) {
    choice = choose_matmul(shape, *work.tile, choice.swapped);
  } else if (work.tuned != nullptr && !work.tuned->empty()) {
    if (const auto known = work.tuned->find(class_of(shape)); known != work.tuned->end())
      choice = choice_named(shape, known->second).value_or(choice);
  }
  write_matmul(assembly, work, choice);
}

void write_matmul(Assembly& assembly, const KernelWork& work, const MatmulChoice& choice) {
  const auto& sizes = work.node.shape;
  Product product;
  product.batch.assign(sizes.begin(), sizes.end() - 2);
  product.batches = check::elements(product.batch);
  product.m = sizes[sizes.size() - 2], product.n = sizes.back();
  product.k = work.operands[0]->shape.back();
  product.type = work.node.type;
  product.swapped = choice.swapped;
  product.work = &work;
  if (choice.swapped) std::swap(product.m, product.n);
  product.block = std::min(choice.block, std::max(product.k, 1u));
  product.blocks = std::max(1u, ceil_div(product.k, product.block));
  product.levels = choice.levels;
  if (product.results() == 0) return;

  const auto sink = [&](Body& body, const Coordinates& batch, Ex row, Ex column, Ex value) {
    Coordinates at = batch;
    at.push_back(choice.swapped ? column : row);
    at.push_back(choice.swapped ? row : column);
    work.sink(body, at, value);
  };
  const uint32_t parts = product.parts();
  std::optional<Array> partial;
  if (parts > 1) partial = assembly.scratch(product.type, parts * product.results());
  const Results results = [&](Body& body, const Coordinates& batch, Ex z, Ex row, Ex column, Ex value) {
    if (!partial) return sink(body, batch, row, column, value);
    body.store(*partial, sum(times(z, product.m * product.n), sum(times(row, product.n), column)), value);
  };
  switch (choice.tile->kind) {
    case MatmulKind::Plain: plain(assembly, product, *choice.tile, results); break;
    case MatmulKind::Strip:
    case MatmulKind::Panel: strip(assembly, product, *choice.tile, results); break;
    case MatmulKind::Tile: tiled(assembly, product, *choice.tile, results); break;
  }
  if (!partial) return;
  add_parts(assembly, product, *partial, parts, [&](Body& body, Ex i, Ex value) {
    const uint32_t shape[] = {product.batches, product.m, product.n};
    const Coordinates at = coordinates(body, shape, i);
    sink(body, coordinates(body, product.batch, at[0]), at[1], at[2], value);
  });
}

}  // namespace vyre::tensor
