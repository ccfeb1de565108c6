// Sorting along an axis.
//
// Elements become keys, unsigned integers in whose order they are sorted: of floats that of their values,
// with -0 below +0 and every NaN last. A key goes with the place of its element in the line, and of equal
// keys the lower place comes first, so no two are equal and any way to sort is stable. A workgroup sorts a
// tile in workgroup memory; tiles of a line are merged by twos, where each element finds its place by a
// binary search in the other tile. Where few are wanted, the first ones of all tiles are sorted again
// instead.
#include <algorithm>
#include <bit>
#include <utility>

#include "spec/float_format.h"
#include "tensor/sort.h"

#include "tensor/kernels.h"

namespace vyre::tensor {
namespace {

using spec::DataType;

/// u32, or u64 of elements that have so many bits.
DataType key_type(DataType type) { return spec::info(type).bytes > 4 ? DataType::U64 : DataType::U32; }

ir::Ex all_ones(Body& body, DataType type) {
  return body.program().literal(type, {0xffffffff, type == DataType::U64 ? 0xffffffff : 0, 0, 0});
}

/// The greatest key, which NaNs have, is that of the greatest integer as well: they do not meet.
ir::Ex key_of(Body& body, DataType type, ir::Ex value, bool descending) {
  ir::ProgramBuilder& p = body.program();
  const auto turned = [&](ir::Ex key) { return descending ? ~key : key; };
  if (spec::info(type).klass == spec::TypeClass::Float) {
    const spec::FloatFormat f = spec::float_format(type);
    const ir::Ex x = body.let(value);
    const ir::Ex bits = body.let(p.bitcast(DataType::U32, x));
    const uint32_t ones = f.sign_bit() | (f.sign_bit() - 1);
    const ir::Ex order = p.select((bits & f.sign_bit()) != 0, bits ^ ones, bits ^ f.sign_bit());
    return p.select(p.apply(spec::Op::FIsNaN, {x}), all_ones(body, DataType::U32), turned(order));
  }
  if (type == DataType::I32) return turned(p.bitcast(DataType::U32, value) ^ 0x80000000);
  return turned(type == DataType::Bool ? p.cast(DataType::U32, value) : value);
}

class Sorter {
 public:
  Sorter(Assembly& assembly, const Lines& lines, DataType type, bool descending)
      : assembly_(assembly), lines_(lines), type_(type), key_(key_type(type)), descending_(descending) {}

  SortedLines sort(const Element& element, uint32_t first) {
    const Source elements = [&](Body& body, ir::Ex line, ir::Ex k) {
      const ir::Ex value = element(body, lines_.at(lines_.first(body, line), k));
      return std::pair(key_of(body, type_, value, descending_), k);
    };
    if (first <= kTile / 4 || lines_.size <= kTile) return best(elements, first);
    SortedLines from = allocate(lines_.size);
    tiles(elements, lines_.size, kTile, lines_.size, from);
    for (uint64_t run = kTile; run < lines_.size; run *= 2) {
      const SortedLines to = allocate(lines_.size);
      merge(uint32_t(run), from, to);
      from = to;
    }
    return from;
  }

 private:
  /// The key and the place of candidate `k` of a line.
  using Source = std::function<std::pair<ir::Ex, ir::Ex>(Body&, ir::Ex line, ir::Ex k)>;

  SortedLines allocate(uint32_t of_line) {
    const uint32_t all = lines_.count() * of_line;
    return {assembly_.scratch(key_, all), assembly_.scratch(DataType::U32, all), of_line};
  }

  static ir::Ex before(ir::Ex key, ir::Ex place, ir::Ex other_key, ir::Ex other_place) {
    return (key < other_key) | ((key == other_key) & (place < other_place));
  }

  /// The first ones of each line: those of each tile are candidates for the next round, until a line is a
  /// tile.
  SortedLines best(const Source& elements, uint32_t first) {
    Source source = elements;
    for (uint32_t size = lines_.size;;) {
      const uint32_t many = ceil_div(size, kTile);
      const SortedLines to = allocate(many * first);
      tiles(source, size, first, to.of_line, to);
      if (many == 1) return to;
      size = to.of_line;
      source = [to](Body& body, ir::Ex line, ir::Ex k) {
        const ir::Ex at = body.let(sum(times(line, to.of_line), k));
        return std::pair(body.load(to.keys, at), body.load(to.places, at));
      };
    }
  }

  /// Sorts tiles of lines of `size` candidates, and stores the first `kept` of each tile one after the other,
  /// at most `of_line` of a line. What a tile has less than that is the greatest key at no place.
  void tiles(const Source& source, uint32_t size, uint32_t kept, uint32_t of_line, const SortedLines& to) {
    const uint32_t tile = std::max(std::bit_ceil(std::min(size, kTile)), 2u), lanes = tile / 2;
    const uint32_t each = ceil_div(size, tile);
    for_each_group(
        assembly_, "sort_tiles", {lanes, 1, 1}, lines_.count() * each, [&](Body& body, ir::Ex group) {
          ir::ProgramBuilder& p = body.program();
          const ir::BufferRef keys = p.workgroup("keys", key_, tile);
          const ir::BufferRef places = p.workgroup("places", DataType::U32, tile);
          const ir::Ex lane = body.let(p.local_id(0));
          const ir::Ex line = each == 1 ? group : body.let(group / each);
          const ir::Ex number = each == 1 ? body.u32(0) : body.let(group % each);
          for (uint32_t half = 0; half < 2; ++half) {
            const ir::Ex i = body.let(plus(lane, half * lanes));
            const ir::Ex k = each == 1 ? i : body.let(number * tile + i);
            const ir::Ex key = body.let(all_ones(body, key_)), place = body.let(body.u32(kNowhere));
            p.if_(k < size, [&] {
              const auto [its_key, its_place] = source(body, line, k);
              p.assign(key, its_key);
              p.assign(place, its_place);
            });
            p.store(keys, i, key);
            p.store(places, i, place);
          }
          const uint32_t steps = uint32_t(std::countr_zero(tile));
          p.loop(body.fresh("s"), body.u32(0), body.u32(steps), [&](ir::Ex s) {
            p.loop(body.fresh("t"), body.u32(0), s + 1, [&](ir::Ex t) {
              p.barrier();
              const ir::Ex step = body.let(body.u32(1) << (s - t));
              const ir::Ex low = body.let(lane + (lane & ~(step - 1))), high = body.let(low + step);
              const ir::Ex a = body.let(p.load(keys, low)), b = body.let(p.load(keys, high));
              const ir::Ex i = body.let(p.load(places, low)), j = body.let(p.load(places, high));
              p.if_(before(b, j, a, i) == (((low >> s) & 2) == 0), [&] {
                p.store(keys, low, b);
                p.store(keys, high, a);
                p.store(places, low, j);
                p.store(places, high, i);
              });
            });
          });
          p.barrier();
          for (uint32_t half = 0; half < 2; ++half) {
            const ir::Ex i = body.let(plus(lane, half * lanes));
            const ir::Ex k = each == 1 ? i : body.let(sum(times(number, kept), i));
            p.if_((i < kept) & (k < of_line), [&] {
              const ir::Ex at = body.let(line * of_line + k);
              body.store(to.keys, at, p.load(keys, i));
              body.store(to.places, at, p.load(places, i));
            });
          }
        });
  }

  /// Each element of two runs goes behind those of its own run and of the other that are before it.
  void merge(uint32_t run, const SortedLines& from, const SortedLines& to) {
    const uint32_t n = lines_.size;
    assembly_.for_each("sort_merge", lines_.count() * n, [&](Body& body, ir::Ex at) {
      ir::ProgramBuilder& p = body.program();
      const auto least = [&](ir::Ex a, uint32_t b) { return body.let(p.select(a < b, a, body.u32(b))); };
      const ir::Ex k = body.let(at % n), start = body.let(at - k);
      const ir::Ex pair = body.let(k - k % (2 * run)), second = body.let((k / run) & 1);
      // The other run, from `low` to below `end`.
      const ir::Ex other = least(pair + (1 - second) * run, n), end = least(other + run, n);
      const ir::Ex key = body.let(body.load(from.keys, at)), place = body.let(body.load(from.places, at));
      const ir::Ex low = body.let(other), high = body.let(end);
      p.loop(body.fresh("i"), body.u32(0), body.u32(uint32_t(std::bit_width(run))), [&](ir::Ex) {
        p.if_(low < high, [&] {
          const ir::Ex middle = body.let((low + high) >> 1);
          const ir::Ex there = body.let(start + middle);
          p.if_(
              before(body.load(from.keys, there), body.load(from.places, there), key, place),
              [&] { p.assign(low, middle + 1); }, [&] { p.assign(high, middle); });
        });
      });
      const ir::Ex target = body.let(start + pair + k % run + (low - other));
      body.store(to.keys, target, key);
      body.store(to.places, target, place);
    });
  }

  static constexpr uint32_t kNowhere = 0xffffffff;
  static constexpr uint32_t kTile = 512;  // of two elements an invocation

  Assembly& assembly_;
  const Lines& lines_;
  DataType type_, key_;
  bool descending_;
};

}  // namespace

SortedLines sort_lines(Assembly& assembly, const Lines& lines, DataType type, bool descending, uint32_t first,
                       const Element& element) {
  return Sorter(assembly, lines, type, descending).sort(element, first);
}

void write_sort(Assembly& assembly, const KernelWork& work) {
  using enum check::NodeOp;
  const Lines lines(work.operands[0]->shape, work.node.axis);
  const std::vector<uint32_t>& shape = work.node.shape;
  if (check::elements(shape) == 0) return;
  const bool descending = work.node.op == TopK || work.node.op == ArgTopK;
  const bool values = work.node.op == Sort || work.node.op == TopK;
  const SortedLines sorted =
      sort_lines(assembly, lines, work.operands[0]->type, descending, shape[lines.axis], work.elements[0]);
  const std::vector<uint32_t> one = lines.with(1);
  assembly.for_each("sort_out", check::elements(shape), [&](Body& body, ir::Ex element) {
    const Coordinates at = coordinates(body, shape, element);
    Coordinates first = lines.at(at, body.u32(0));
    const ir::Ex line = linear(body, one, first);
    const ir::Ex place = body.let(body.load(sorted.places, sum(times(line, sorted.of_line), at[lines.axis])));
    work.sink(body, at, values ? body.let(work.elements[0](body, lines.at(at, place))) : place);
  });
}

}  // namespace vyre::tensor
