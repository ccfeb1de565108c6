#include "tensor/fold.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "spec/float_format.h"
#include "spec/limits.h"
#include "spec/reduction.h"
#include "spec/types.h"
#include "tensor/lines_cpu.h"

namespace vyre::tensor {
namespace {

using spec::DataType;
using spec::Op;

constexpr uint32_t kTileLines = 64;                        // of a workgroup that stages chains
constexpr uint32_t kWalkedLines = 32, kWalkedLanes = 256;  // of a workgroup that walks along lines
constexpr uint32_t kWalkedLeast = 32;                      // elements of a line in a tile of it
constexpr uint32_t kWalkedTurn = 16;                       // of them at once on their way from the tile
constexpr uint32_t kLineLanes = 256;                       // of a workgroup that for_each_line makes

std::array<uint32_t, 4> all_words(DataType type, uint32_t word) {
  std::array<uint32_t, 4> words{};
  std::fill_n(words.begin(), spec::info(type).bytes / 4, word);
  return words;
}

/// Of integers: what folds with x to x.
std::array<uint32_t, 4> integer_identity(Op op, DataType type) {
  if (op == Op::Mul) return {1, 0, 0, 0};
  if (is_least(op)) return type == DataType::I32 ? all_words(type, 0x7fffffff) : all_words(type, 0xffffffff);
  if (is_greatest(op) && type == DataType::I32) return all_words(type, 0x80000000);
  return all_words(type, op == Op::BitAnd ? 0xffffffff : 0);
}

/// Elements of a line in a tile; 0: tiles do not fit.
uint32_t tile_size(const Chain& chain) {
  uint32_t bytes = spec::info(chain.type).bytes;
  if (chain.types[0] == chain.type || !chain.each) bytes = 0;
  for (const spec::DataType type : chain.types) bytes += std::max(spec::info(type).bytes, 4u);
  for (const uint32_t size : {32u, 16u, 8u}) {
    if (bytes * kTileLines * (size + 1) <= kMostWorkgroupBytes) return size;
  }
  return 0;
}

void write_staged(Assembly& assembly, const Lines& lines, const Chain& chain, uint32_t size) {
  // The tile of the first input holds the values as well, if they have its type.
  const uint32_t rows = kTileLines / size, pitch = size + 1, turns = ceil_div(lines.size, size);
  for_each_group(
      assembly, chain.what, {size, rows, 1}, ceil_div(lines.count(), kTileLines),
      [&](Body& body, ir::Ex group) {
        ir::ProgramBuilder& p = body.program();
        std::vector<ir::BufferRef> tiles;
        for (size_t i = 0; i < chain.inputs.size(); ++i)
          tiles.push_back(p.workgroup("tile" + std::to_string(i), chain.types[i], kTileLines * pitch));
        const ir::BufferRef values = chain.each && chain.types[0] != chain.type
                                         ? p.workgroup("values", chain.type, kTileLines * pitch)
                                         : tiles[0];
        const ir::Ex x = body.let(p.local_id(0)), y = body.let(p.local_id(1));
        const ir::Ex lane = body.let(y * size + x), line = body.let(group * kTileLines + lane);
        const Coordinates own = lines.first(body, line);
        const ir::Ex value = body.let(chain.start(body, own));
        // Of each line of the tile, the elements side by side.
        const auto sweep =
            [&](const std::function<void(const Coordinates&, ir::Ex line, ir::Ex place)>& with) {
              p.loop(body.fresh("r"), body.u32(0), body.u32(size), [&](ir::Ex r) {
                const ir::Ex row = body.let(r * rows + y);
                const ir::Ex of = body.let(group * kTileLines + row);
                with(lines.first(body, of), of, body.let(row * pitch + x));
              });
            };
        p.loop(body.fresh("t"), body.u32(0), body.u32(turns), [&](ir::Ex t) {
          const ir::Ex from = body.let(t * size), k = body.let(from + x);
          sweep([&](const Coordinates& first, ir::Ex, ir::Ex place) {
            for (size_t i = 0; i < tiles.size(); ++i)
              p.store(tiles[i], place, chain.inputs[i](body, lines.at(first, k)));
          });
          p.barrier();
          const ir::Ex end =
              lines.size % size == 0
                  ? body.u32(size)
                  : body.let(p.select(t == turns - 1, body.u32(lines.size % size), body.u32(size)));
          p.loop(body.fresh("i"), body.u32(0), end, [&](ir::Ex i) {
            const ir::Ex place = body.let(lane * pitch + i);
            std::vector<ir::Ex> elements;
            for (const ir::BufferRef tile : tiles) elements.push_back(body.let(p.load(tile, place)));
            p.assign(value, chain.next(body, value, elements));
            if (chain.each) p.store(values, place, value);
          });
          p.barrier();
          if (!chain.each) return;
          sweep([&](const Coordinates& first, ir::Ex of, ir::Ex place) {
            const auto give = [&] { chain.sink(body, lines.at(first, k), body.let(p.load(values, place))); };
            const bool all_lines = lines.count() % kTileLines == 0, all_places = lines.size % size == 0;
            if (all_lines && all_places) return give();
            p.if_(all_lines    ? k < lines.size
                  : all_places ? of < lines.count()
                               : (of < lines.count()) & (k < lines.size),
                  give);
          });
          p.barrier();
        });
        if (chain.each) return;
        const auto give = [&] { chain.sink(body, own, value); };
        lines.count() % kTileLines == 0 ? give() : p.if_(line < lines.count(), give);
      });
}

/// Elements of a line in a tile of write_walked; 0: tiles do not fit.
uint32_t walked_size(const Lines& lines, const Chain& chain) {
  uint32_t bytes = chain.each && chain.types[0] != chain.type ? spec::info(chain.type).bytes : 0;
  for (const spec::DataType type : chain.types) bytes += std::max(spec::info(type).bytes, 4u);
  for (uint32_t size = 128; size >= kWalkedLeast; size /= 2) {
    if (bytes * kWalkedLines * size <= kMostWorkgroupBytes && size <= lines.size) return size;
  }
  return 0;
}

/// Element k of the lines of a tile stands in row k, the lines changed about so that neither those that have
/// neighbours of a line nor those that have neighbouring lines meet in a bank of memory.
void write_walked(Assembly& assembly, const Lines& lines, const Chain& chain, uint32_t size) {
  const uint32_t rows = kWalkedLanes / kWalkedLines, each = size / rows;
  const uint32_t whole = lines.size / size, rest = lines.size % size;
  const bool columns = lines.inner >= kSideBySide;
  const uint32_t parts = !chain.each && size >= 2 * kWalkedLeast ? 2 : 1;
  for_each_group(
      assembly, chain.what, {kWalkedLines, rows, 1}, ceil_div(lines.count(), kWalkedLines),
      [&](Body& body, ir::Ex group) {
        ir::ProgramBuilder& p = body.program();
        std::vector<ir::BufferRef> tiles;
        for (size_t i = 0; i < chain.inputs.size(); ++i)
          tiles.push_back(p.workgroup("tile" + std::to_string(i), chain.types[i], kWalkedLines * size));
        const ir::BufferRef values = chain.each && chain.types[0] != chain.type
                                         ? p.workgroup("values", chain.type, kWalkedLines * size)
                                         : tiles[0];
        const ir::Ex x = body.let(p.local_id(0)), y = body.let(p.local_id(1));
        const auto place_of = [&](ir::Ex k, ir::Ex line) {
          return columns ? k * kWalkedLines + line : k * kWalkedLines + (line ^ (k % kWalkedLines));
        };
        const auto in_lines = [&](ir::Ex of, const std::function<void()>& then) {
          lines.count() % kWalkedLines == 0 ? then() : p.if_(of < lines.count(), then);
        };
        // What this invocation moves: neighbours in memory are side by side.
        struct Moved {
          Coordinates first;
          ir::Ex of, k, place;
        };
        std::vector<Moved> moved;
        for (uint32_t i = 0; i < each; ++i) {
          const uint32_t across = size / kWalkedLines / parts;  // times the lanes go along a part of a line
          const uint32_t part = i / (each / parts), inside = i % (each / parts);
          const ir::Ex k =
              body.let(columns ? y + i * rows : x + (part * across + inside % across) * kWalkedLines);
          const ir::Ex line = columns ? x : body.let(y + inside / across * rows);
          // Behind the last line stands the last one again.
          const bool fresh = i == 0 || (!columns && inside % across == 0);
          ir::Ex of = fresh ? body.let(group * kWalkedLines + line) : moved.back().of;
          ir::Ex read = of;
          if (fresh && lines.count() % kWalkedLines != 0)
            read = body.let(p.select(of < lines.count() - 1, of, body.u32(lines.count() - 1)));
          Coordinates first = fresh ? lines.first(body, read) : moved.back().first;
          moved.push_back({std::move(first), of, k, body.let(place_of(k, line))});
        }
        std::vector<ir::Ex> loaded;
        const auto load_part = [&](uint32_t part, ir::Ex from,
                                   const std::function<void(size_t, ir::Ex)>& use) {
          for (size_t t = 0; t < tiles.size(); ++t) {
            for (uint32_t i = part * each / parts; i < (part + 1) * each / parts; ++i) {
              use(i * tiles.size() + t,
                  chain.inputs[t](body, lines.at(moved[i].first, body.let(from + moved[i].k))));
            }
          }
        };
        const ir::Ex own_line = body.let(group * kWalkedLines + x);
        const Coordinates own = lines.first(
            body,
            lines.count() % kWalkedLines == 0
                ? own_line
                : body.let(p.select(own_line < lines.count() - 1, own_line, body.u32(lines.count() - 1))));
        const ir::Ex value = body.let(chain.start(body, own));
        // A barrier stands behind the first loads: LLVM would else make one load of the first and the next
        // one and put it at the head of the loop, where it is waited for.
        loaded.resize(each * tiles.size(), x);
        for (uint32_t part = 0; part < parts; ++part)
          load_part(part, body.u32(0), [&](size_t i, ir::Ex element) { loaded[i] = body.let(element); });
        p.barrier();
        const auto keep = [&](uint32_t part) {
          for (size_t t = 0; t < tiles.size(); ++t) {
            for (uint32_t i = part * each / parts; i < (part + 1) * each / parts; ++i)
              p.store(tiles[t], moved[i].place, loaded[i * tiles.size() + t]);
          }
        };
        // Behind the last tile none is wanted, so it may be the first one again, which is in the array.
        const auto load_next = [&](uint32_t part, ir::Ex tile) {
          const ir::Ex next = body.let(tile % ceil_div(lines.size, size) * size);
          load_part(part, next, [&](size_t i, ir::Ex element) { p.assign(loaded[i], element); });
        };
        const auto some = [&](ir::Ex from, uint32_t count) {
          std::vector<std::vector<ir::Ex>> elements(count);
          std::vector<ir::Ex> places;
          for (uint32_t i = 0; i < count; ++i) {
            places.push_back(body.let(place_of(count == 1 ? from : body.let(from + i), x)));
            for (const ir::BufferRef tile : tiles) elements[i].push_back(body.let(p.load(tile, places[i])));
          }
          for (uint32_t i = 0; i < count; ++i) {
            p.assign(value, chain.next(body, value, elements[i]));
            if (chain.each) p.store(values, places[i], value);
          }
        };
        // Of a tile.
        const auto fold = [&](uint32_t first, uint32_t end) {
          const auto turns_of = [&](uint32_t turn) {
            const uint32_t turns = (end - first) / turn;
            if (turns != 0) {
              p.loop(body.fresh("i"), body.u32(first / turn), body.u32(first / turn + turns),
                     [&](ir::Ex i) { some(body.let(i * turn), turn); });
            }
            if ((end - first) % turn == 0) return;
            p.loop(body.fresh("i"), body.u32(first + turns * turn), body.u32(end),
                   [&](ir::Ex i) { some(i, 1); });
          };
          p.if_(y == 0, [&] { turns_of(chain.each ? kWalkedTurn : 2 * kWalkedTurn); });
          p.barrier();
        };
        const auto give = [&](ir::Ex from, uint32_t count) {
          if (!chain.each) return;
          for (uint32_t i = 0; i < each; ++i) {
            const auto one = [&] {
              chain.sink(body, lines.at(moved[i].first, body.let(from + moved[i].k)),
                         body.let(p.load(values, moved[i].place)));
            };
            in_lines(moved[i].of, [&] { count == size ? one() : p.if_(moved[i].k < count, one); });
          }
          p.barrier();
        };
        if (parts == 1) {
          p.loop(body.fresh("t"), body.u32(0), body.u32(whole), [&](ir::Ex t) {
            keep(0);
            p.barrier();
            load_next(0, t + 1);
            fold(0, size);
            give(body.let(t * size), size);
          });
          if (rest != 0) {
            keep(0);
            p.barrier();
            fold(0, rest);
            give(body.u32(whole * size), rest);
          }
        } else {
          // One half of the tile is folded while the other one is stored.
          constexpr uint32_t kFirst = 0, kSecond = 1;
          const uint32_t half = size / 2;
          keep(kFirst);
          load_next(kFirst, body.u32(1));
          p.barrier();
          p.loop(body.fresh("t"), body.u32(0), body.u32(whole), [&](ir::Ex t) {
            keep(kSecond);
            load_next(kSecond, t + 1);
            fold(0, half);
            keep(kFirst);
            load_next(kFirst, t + 2);
            fold(half, size);
          });
          if (rest > half) keep(kSecond);
          if (rest != 0) fold(0, std::min(rest, half));
          if (rest > half) fold(half, rest);
        }
        if (chain.each) return;
        p.if_(y == 0, [&] { in_lines(own_line, [&] { chain.sink(body, own, value); }); });
      });
}

}  // namespace

void write_chain(Assembly& assembly, const Lines& lines, const Chain& chain) {
  if (const uint32_t size = walked_size(lines, chain); chain.device == Device::Gpu && size != 0)
    return write_walked(assembly, lines, chain, size);
  if (chain.device == Device::Cpu && lines.inner < kSideBySide && lines.size >= 32)
    return write_chains(assembly, lines, chain);
  const uint32_t size = tile_size(chain);
  if (lines.inner < kSideBySide && lines.size >= 32 && size != 0)
    return write_staged(assembly, lines, chain, size);
  for_each_line(assembly, chain.what, lines, 1, [&](Body& body, const Coordinates& first, ir::Ex) {
    ir::ProgramBuilder& p = body.program();
    const ir::Ex value = body.let(chain.start(body, first));
    p.loop(body.fresh("i"), body.u32(0), body.u32(lines.size), [&](ir::Ex i) {
      const Coordinates at = lines.at(first, i);
      std::vector<ir::Ex> elements;
      for (const Element& input : chain.inputs) elements.push_back(body.let(input(body, at)));
      p.assign(value, chain.next(body, value, elements));
      if (chain.each) chain.sink(body, at, value);
    });
    if (!chain.each) chain.sink(body, first, value);
  });
}

ir::Ex Fold::operator()(Body& body, ir::Ex a, ir::Ex b) const {
  ir::ProgramBuilder& p = body.program();
  if (spec::kFloats.contains(type) || !(is_least(op) || is_greatest(op))) return p.apply(op, {a, b});
  const ir::Ex x = body.let(a), y = body.let(b);
  return is_least(op) ? p.select(x < y, x, y) : p.select(x < y, y, x);
}

ir::Ex Fold::neutral(Body& body) const {
  if (!spec::kFloats.contains(type)) return body.program().literal(type, integer_identity(op, type));
  const spec::FloatFormat f = spec::float_format(type);
  if (op == Op::FMul) return body.program().literal(type, f.one());
  return body.program().literal(type, op == Op::FAdd ? f.sign_bit() : f.nan());
}

ir::Ex Fold::identity(Body& body) const {
  return spec::kFloats.contains(type) ? body.program().literal(type, spec::fold_identity(op, type))
                                      : neutral(body);
}

Lines::Lines(std::span<const uint32_t> of, uint32_t along) : shape(of.begin(), of.end()), axis(along) {
  size = shape[axis];
  for (uint32_t i = 0; i < shape.size(); ++i) {
    if (i < axis) outer *= shape[i];
    if (i > axis) inner *= shape[i];
  }
}

Coordinates Lines::first(Body& body, ir::Ex line) const { return coordinates(body, with(1), line); }

std::vector<uint32_t> Lines::with(uint32_t size_along) const {
  std::vector<uint32_t> out = shape;
  out[axis] = size_along;
  return out;
}

ir::Ex small_tree(Body& body, const Fold& fold, uint32_t count,
                  const std::function<ir::Ex(uint32_t)>& element) {
  const std::function<ir::Ex(uint32_t, uint32_t)> part = [&](uint32_t from, uint32_t size) {
    if (size == 1) return element(from);
    const uint32_t left = std::bit_floor(size - 1);
    const ir::Ex first = part(from, left);
    return fold(body, first, part(from + left, size - left));
  };
  return part(0, count);
}

ir::Ex tree_of(Body& body, const Fold& fold, uint32_t count, uint32_t leaves, const OfLine& element) {
  ir::ProgramBuilder& p = body.program();
  if (count == 1) return fold(body, fold.neutral(body), element(body.u32(0)));
  if (count <= leaves) return small_tree(body, fold, count, [&](uint32_t i) { return element(body.u32(i)); });
  const uint32_t turns = count / leaves, rest = count % leaves, levels = uint32_t(std::bit_width(turns));
  std::vector<ir::Ex> kept;
  for (uint32_t level = 0; level < levels; ++level) kept.push_back(body.let(fold.neutral(body)));
  p.loop(body.fresh("i"), body.u32(0), body.u32(turns), [&](ir::Ex i) {
    const ir::Ex base = leaves == 1 ? i : body.let(i * leaves);
    ir::Ex node = body.let(
        small_tree(body, fold, leaves, [&](uint32_t j) { return element(j == 0 ? base : base + j); }));
    for (uint32_t level = 0; level < levels; ++level) {
      std::optional<ir::Ex> above;
      if (level + 1 < levels) above = body.let(fold(body, kept[level], node));
      // Of the lowest level any node may be kept: the next one comes before it is wanted.
      const uint32_t ones = (2u << level) - 1;
      p.assign(kept[level], level == 0 ? node : p.select((i & ones) == ones / 2, node, kept[level]));
      if (above) node = *above;
    }
  });
  std::optional<ir::Ex> node;
  if (rest != 0)
    node = small_tree(body, fold, rest, [&](uint32_t j) { return element(body.u32(turns * leaves + j)); });
  for (uint32_t level = 0; level < levels; ++level) {
    if ((turns >> level & 1) != 0) node = node ? fold(body, kept[level], *node) : kept[level];
  }
  return *node;
}

void for_each_line(Assembly& assembly, std::string_view what, const Lines& lines, uint32_t blocks,
                   const std::function<void(Body&, const Coordinates& first, ir::Ex block)>& write) {
  const std::vector<uint32_t> shape = lines.with(blocks);
  const auto with_block = [&](Body& body, Coordinates at) {
    const ir::Ex block = std::exchange(at[lines.axis], body.u32(0));
    write(body, at, block);
  };
  if (lines.inner < kSideBySide || ceil_div(lines.inner, kLineLanes) > spec::kMaxGroupsPerAxis) {
    return assembly.for_each(what, check::elements(shape),
                             [&](Body& body, ir::Ex i) { with_block(body, coordinates(body, shape, i)); });
  }
  // Invocations side by side differ in the coordinates behind the axis alone, so nothing is divided for what
  // they load.
  const std::span<const uint32_t> behind = std::span(shape).subspan(lines.axis + 1);
  const std::span<const uint32_t> before = std::span(shape).first(lines.axis + 1);
  const uint32_t across = std::bit_ceil(std::min(kLineLanes, lines.inner)), some = kLineLanes / across;
  const uint32_t rows = lines.outer * blocks, groups = ceil_div(rows, some),
                 slices = ceil_div(groups, spec::kMaxGroupsPerAxis);
  const uint32_t high = slices <= 1 ? groups : spec::kMaxGroupsPerAxis;
  assembly.dispatch(what, {across, some, 1}, {ceil_div(lines.inner, across), high, slices}, [&](Body& body) {
    ir::ProgramBuilder& p = body.program();
    const ir::Ex x = body.let(p.invocation_id(0));
    const ir::Ex row =
        body.let(slices <= 1 ? p.invocation_id(1) : p.workgroup_id(2) * (high * some) + p.invocation_id(1));
    const auto inside = [&] {
      Coordinates at = coordinates(body, before, row);
      const Coordinates inner = coordinates(body, behind, x);
      at.insert(at.end(), inner.begin(), inner.end());
      with_block(body, at);
    };
    const auto row_inside = [&] { rows % some == 0 && slices <= 1 ? inside() : p.if_(row < rows, inside); };
    lines.inner % across == 0 ? row_inside() : p.if_(x < lines.inner, row_inside);
  });
}

void for_each_group(Assembly& assembly, std::string_view what, std::array<uint32_t, 3> workgroup,
                    uint32_t groups, const std::function<void(Body&, ir::Ex group)>& write) {
  const uint32_t rows = ceil_div(groups, spec::kMaxGroupsPerAxis),
                 across = rows <= 1 ? groups : ceil_div(groups, rows);
  assembly.dispatch(what, workgroup, {across, rows, 1}, [&](Body& body) {
    ir::ProgramBuilder& p = body.program();
    if (rows <= 1) return write(body, body.let(p.workgroup_id(0)));
    const ir::Ex group = body.let(p.workgroup_id(1) * across + p.workgroup_id(0));
    p.if_(group < groups, [&] { write(body, group); });
  });
}

}  // namespace vyre::tensor
