// Cases of operations on tensors. What a case is made of stands in tables: types, shapes, views, orders,
// kinds of values, and ways to lower. Each list is gone through, in an order of its own in each round, by the
// number of the graph; so so many graphs in a row as a list is long have all of it. All else is drawn.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "base/random.h"
#include "generate/float_values.h"
#include "generate/values.h"
#include "ops/operation.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "spec/packed.h"
#include "tensor/matmul.h"
#include "text/text.h"
#include "verify/tensor_check.h"

namespace vyre::verify {
namespace {

using ir::TensorOp;
using spec::DataType;

using Shape = std::vector<uint32_t>;
using Bits = uint64_t;
constexpr uint32_t kNowhere = UINT32_MAX;

// Types. Bool is not added, folded, multiplied or sorted.
constexpr DataType kFloatTypes[] = {DataType::F32, DataType::F16, DataType::BF16};
constexpr DataType kIntegerTypes[] = {DataType::U32, DataType::I32, DataType::U64, DataType::Bool};
/// What views and the like move.
constexpr DataType kMovedFloats[] = {DataType::F32,     DataType::FP4E2M1, DataType::F16,
                                     DataType::FP8E4M3, DataType::BF16,    DataType::FP8E5M2};
constexpr DataType kMovedIntegers[] = {DataType::U32, DataType::I8, DataType::I32,
                                       DataType::U64, DataType::U8, DataType::Bool};
constexpr auto kNumbers = std::span(kIntegerTypes).first(3);

// Shapes: 0 and 1, odd, prime, next to powers of two and to the edges of tiles.
const std::vector<Shape> kShapes = {{},           {0},      {257},          {64, 33}, {3, 0, 5},  {31, 1, 17},
                                    {4, 5, 6, 7}, {129, 8}, {2, 16, 15, 3}, {65, 63}, {1, 97, 1}, {7, 2, 9}};
/// Sizes of the axis of a fold or a scan: around powers of two and what a workgroup has at once.
constexpr uint32_t kLines[] = {0,   1,  2,  3,   7,   32,  33,   64,   65,  127,
                               129, 31, 63, 255, 257, 513, 1023, 1025, 4097};
/// The same of recurrences and sorting.
constexpr uint32_t kFewLines[] = {0, 1, 5, 17, 33, 64, 129, 1025};
/// The axes beside it, those before and those behind: few elements where the line is long.
struct Beside {
  Shape before, behind;
};
const std::vector<Beside> kBeside = {{{}, {}},     {{3}, {}},     {{}, {5}},  {{2}, {3}},
                                     {{7, 1}, {}}, {{2, 2}, {2}}, {{}, {33}}, {{17}, {}}};

struct Product {
  uint32_t m, k, n;
};
constexpr Product kProducts[] = {{1, 1, 1},    {0, 3, 2},    {3, 0, 5},    {2, 5, 0},    {3, 5, 7},
                                 {1, 129, 1},  {16, 17, 15}, {33, 31, 32}, {17, 64, 16}, {64, 33, 65},
                                 {65, 8, 63},  {129, 5, 33}, {31, 65, 8},  {8, 127, 31}, {5, 257, 9},
                                 {2, 1025, 3}, {63, 7, 129}, {40, 33, 3},  {67, 65, 2},  {1, 513, 66},
                                 {66, 63, 1},  {4, 96, 20},  {32, 32, 34}, {18, 128, 4}};
struct Accumulated {
  DataType operands;
  std::string_view accumulator;  // as it is written; empty: nothing is
};
constexpr Accumulated kFloatProducts[] = {
    {DataType::F32, ""},     {DataType::F16, "f32"},     {DataType::BF16, ""},    {DataType::F16, "f16"},
    {DataType::F32, "f32"},  {DataType::BF16, "bf16"},   {DataType::BF16, "f32"}, {DataType::F16, ""},
    {DataType::FP8E4M3, ""}, {DataType::FP8E5M2, "f32"}, {DataType::FP4E2M1, ""}};
constexpr Accumulated kIntegerProducts[] = {{DataType::U32, ""}, {DataType::I32, "i32"},
                                            {DataType::U64, ""}, {DataType::U32, "u32"},
                                            {DataType::I8, ""},  {DataType::U8, "i32"}};
/// Sizes of blocks; 0: none is written.
constexpr uint32_t kBlocks[] = {0, 32, 0, 64, 1, 0, 16, 33, 0, 2};
/// Tiles by name, which every shape gets; empty: by cost.
constexpr std::string_view kTiles[] = {"",      "plain",  "",       "strip4", "panel8", "",
                                       "row32", "tile16", "tile64", "tile32", "",       "tile128_8"};

/// How a tensor lies in its parameter.
enum class View : uint8_t { Plain, Transposed, Sliced, Stretched, Split, Turned, Padded };
constexpr View kViews[] = {View::Plain, View::Transposed, View::Sliced, View::Stretched,
                           View::Split, View::Turned,     View::Padded};

/// What the elements of a line are like.
enum class Fill : uint8_t {
  Mantissas,    // all bits of significands, few exponents: every order and each rounding shows
  Cancelling,   // large numbers and later their negatives, small ones between
  Special,      // the same as Mantissas, and one or two of infinities, NaN and the greatest number
  Tiny,         // subnormal or nearly
  Huge,         // next to the greatest number, both signs
  Zeros,        // of both signs, nearly all; on some lines all of them are -0
  Positive,     // the same as Mantissas without signs
  Wide,         // all exponents
  Ties,         // few values, among them both zeros, NaNs of different bits, infinities
  Adversarial,  // what breaks arithmetic
};
constexpr Fill kFloatFills[] = {Fill::Mantissas, Fill::Special, Fill::Cancelling,
                                Fill::Tiny,      Fill::Huge,    Fill::Zeros,
                                Fill::Wide,      Fill::Ties,    Fill::Adversarial};
constexpr std::string_view kFillNames[] = {"mantissas", "cancelling", "special", "tiny", "huge",
                                           "zeros",     "positive",   "wide",    "ties", "adversarial"};
/// Of integers: all kinds of words, few small ones, edges.
constexpr Fill kIntegerFills[] = {Fill::Wide, Fill::Ties, Fill::Adversarial, Fill::Zeros};

// What reduces and scans, of floats with its order.
constexpr std::string_view kFloatFolds[] = {"fadd, tree", "fadd, strict", "fmul, tree", "fmin, strict",
                                            "fmax, tree", "fmul, strict", "fmin, tree", "fmax, strict"};
constexpr std::string_view kIntegerFolds[] = {"add", "mul", "min", "max", "bit_and", "bit_or", "bit_xor"};

bool is_float(DataType type) { return spec::kFloats.contains(type); }

uint32_t count_of(const Shape& shape) { return check::elements(shape); }

template <typename F>
void for_each(const Shape& shape, const F& body) {
  Shape at(shape.size());
  const uint32_t count = count_of(shape);
  for (uint32_t i = 0; i < count; ++i) {
    body(i, std::as_const(at));
    for (size_t axis = shape.size(); axis-- > 0 && ++at[axis] == shape[axis];) at[axis] = 0;
  }
}

uint32_t place_of(const Shape& shape, const Shape& at) {
  uint32_t out = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) out = out * shape[axis] + at[axis];
  return out;
}

/// Of a subject: what keeps its cases apart from those of others, for ever.
uint64_t number_of(const TensorSubject& subject) {
  constexpr uint64_t kGenerated = 0x7f;
  const uint64_t tag = subject.op ? ir::info(*subject.op).wire_tag : kGenerated;
  return tag * 2 + uint64_t(subject.track == Track::Float);
}

std::string sizes(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string literal(DataType type, Bits bits) {
  return text::print_literal(type, std::array<uint32_t, 4>{uint32_t(bits), uint32_t(bits >> 32), 0, 0});
}
Bits one(DataType type) { return is_float(type) ? spec::float_format(type).one() : 1; }

/// What stands before the text of a parameter and behind it to make a view of it, and where each element of
/// the view is in it; kNowhere: in no place.
struct Seen {
  Shape given;
  std::string text;
  std::vector<uint32_t> places;
};

class CaseWriter {
 public:
  CaseWriter(const TensorSubject& subject, uint64_t seed, uint64_t index)
      : subject_(subject),
        seed_(seed),
        graph_(index / subject.inputs),
        input_(index % subject.inputs),
        turn_(index),
        random_(seed, stream('g', graph_)),
        values_(seed, stream('v', index)) {}

  TensorCase run(TensorOp op) {
    const TensorWay& way = pick('w', tensor_ways());
    out_.options = way.options;
    write(op);
    out_.what += fmt::format("; {}", way.name);
    std::string text = operations_;
    text += fmt::format("graph main({}) -> ({}) {{\n{}}}\n", fmt::join(parameters_, ", "),
                        fmt::join(outputs_, ", "), body_);
    auto module = text::parse_module(text, &ops::op_table());
    if (!module) throw std::logic_error(text + render(module.error(), nullptr));
    out_.graph.module = std::move(*module);
    return std::move(out_);
  }

 private:
  bool floats() const { return subject_.track == Track::Float; }

  uint64_t stream(char what, uint64_t number) const {
    return number_of(subject_) << 48 | uint64_t(uint8_t(what)) << 40 | number;
  }

  /// One of a list, whose turn it is.
  template <typename List>
  auto pick(char what, const List& list) const -> decltype(*std::data(list)) {
    const size_t count = std::size(list);
    RandomStream random(seed_,
                        number_of(subject_) / 2 << 48 | uint64_t(uint8_t(what)) << 40 | graph_ / count);
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(uint32_t(i))]);
    const size_t at = size_t(graph_ % count);
    return std::data(list)[order[floats() ? at : count - 1 - at]];
  }
  DataType pick_type(bool with_bool) const {
    if (floats()) return pick('t', kFloatTypes);
    return with_bool ? pick('t', kIntegerTypes) : pick('t', kNumbers);
  }
  DataType pick_moved_type() const { return floats() ? pick('t', kMovedFloats) : pick('t', kMovedIntegers); }
  uint32_t below(uint32_t bound) { return random_.below(bound); }

  // Values.

  /// A number of this exponent, either sign, any significand.
  Bits number(DataType type, int32_t exponent) {
    const spec::FloatFormat& format = spec::float_format(type);
    exponent = std::clamp(exponent, format.min_exponent(), format.max_exponent());
    const uint32_t word = values_.next();
    return (word & format.fraction_mask()) | uint32_t(exponent + format.bias()) << format.fraction_bits |
           (values_.chance(2) ? format.sign_bit() : 0);
  }

  Bits special(DataType type) {
    const spec::FloatFormat& format = spec::float_format(type);
    const uint32_t sign = values_.chance(2) ? format.sign_bit() : 0;
    switch (values_.below(4)) {
      case 0: return format.nan() | sign | values_.below(8);
      case 1: return format.greatest() | sign;
      default: return format.infinity() | sign;
    }
  }

  /// Element `at` of a line of n.
  Bits element(DataType type, Fill fill, uint32_t line, uint32_t at, uint32_t n) {
    const std::array<uint32_t, 4> words = {values_.next(), values_.next(), values_.next(), values_.next()};
    if (!is_float(type)) {
      std::array<uint32_t, 4> value{};
      if (fill == Fill::Ties) value[0] = words[0] % 5;
      if (fill == Fill::Zeros) value[0] = words[0] % 16 == 0 ? words[1] : 0;
      if (fill == Fill::Adversarial) {
        const auto list = generate::adversarial_words();
        for (uint32_t w = 0; w < 2; ++w) value[w] = list[words[w] % list.size()];
      }
      if (fill == Fill::Wide) value = generate::mixed_value(type, words[3], words);
      if (type == DataType::Bool) return value[0] & 1;
      if (spec::is_small(type)) return value[0] & ((1u << spec::packed_bits(type)) - 1);
      return type == DataType::U64 ? value[0] | Bits{value[1]} << 32 : value[0];
    }
    const spec::FloatFormat& format = spec::float_format(type);
    const uint32_t sign = words[0] & 1 ? format.sign_bit() : 0;
    const int32_t near = int32_t(words[1] % 3) - 1;
    switch (fill) {
      case Fill::Mantissas: break;
      case Fill::Cancelling: {
        // The second half takes the large numbers of the first one away.
        if (n < 4 || at % 3 == 2) break;
        const uint32_t half = n / 2;
        if (at >= 2 * half) break;
        const auto large = philox(seed_ ^ line, at % half, stream('c', turn_));
        if (at % half % 3 == 2) break;
        return (large[0] & format.fraction_mask()) |
               uint32_t(format.bias() + 9 + int32_t(large[1] % 3)) << format.fraction_bits |
               (((large[2] & 1) != 0) != (at >= half) ? format.sign_bit() : 0);
      }
      case Fill::Special:
        // Each line at another place, so that over lines and inputs it is every one.
        if (at == (line + input_) % n || (line % 3 == 1 && at == (line * 5 + 1) % n)) return special(type);
        break;
      case Fill::Tiny: return (words[1] % (4 * format.least_normal())) | sign;
      case Fill::Huge: return number(type, format.max_exponent() - int32_t(words[1] & 1));
      case Fill::Zeros:
        if ((line + turn_) % 2 == 0) return format.sign_bit();  // a sum that begins with +0 loses it
        return words[1] % 16 == 0 ? number(type, near) : sign;
      case Fill::Positive: return number(type, near) & ~format.sign_bit();
      case Fill::Wide: {
        const int32_t half = type == DataType::F16 ? 7 : 40;
        return number(type, int32_t(words[1] % uint32_t(2 * half)) - half);
      }
      case Fill::Ties: {
        const uint32_t list[] = {0,
                                 format.sign_bit(),
                                 format.one(),
                                 format.one() | format.sign_bit(),
                                 format.nan(),
                                 format.nan() | format.sign_bit() | 1,
                                 format.infinity(),
                                 format.infinity() | format.sign_bit(),
                                 1};
        return list[words[1] % std::size(list)];
      }
      case Fill::Adversarial: {
        const auto list = generate::adversarial_floats(type);
        return list[words[1] % list.size()];
      }
    }
    return number(type, near);
  }

  /// The elements of a tensor, row-major, by lines along an axis; of a scalar one line of one.
  std::vector<Bits> filled(DataType type, const Shape& shape, Fill fill, uint32_t axis) {
    std::vector<Bits> out(count_of(shape));
    for_each(shape, [&](uint32_t i, const Shape& at) {
      if (shape.empty()) {
        out[i] = element(type, fill, 0, 0, 1);
        return;
      }
      Shape line = shape;
      Shape of = at;
      line[axis] = 1;
      of[axis] = 0;
      out[i] = element(type, fill, place_of(line, of), at[axis], shape[axis]);
    });
    return out;
  }

  Fill fill(DataType type, uint64_t shift = 0) {
    const Fill out = is_float(type) ? kFloatFills[(turn_ + shift) % std::size(kFloatFills)]
                                    : kIntegerFills[(turn_ + shift) % std::size(kIntegerFills)];
    describe(kFillNames[size_t(out)]);
    return out;
  }

  /// Indices along an axis of n: all in range, equal ones, out of range, descending, few.
  std::vector<Bits> indices(const Shape& shape, uint32_t n) {
    std::vector<Bits> out(count_of(shape));
    const uint32_t kind = uint32_t(turn_ % 5), few = values_.next();
    for (size_t i = 0; i < out.size(); ++i) {
      const uint32_t inside = n == 0 ? 0 : values_.below(n);
      const uint32_t outside[] = {n, n + 1, UINT32_MAX, 0x80000000, 0x40000000, 2 * n};
      switch (kind) {
        case 0: out[i] = inside; break;
        case 1: out[i] = n == 0 ? 0 : few % n; break;
        case 2: out[i] = values_.chance(2) ? inside : outside[values_.below(6)]; break;
        case 3: out[i] = uint32_t(out.size() - 1 - i); break;
        case 4: out[i] = n == 0 ? 0 : (few + values_.below(2)) % n; break;
      }
    }
    return out;
  }

  // Views.

  Seen seen(View view, const std::string& name, DataType type, const Shape& shape) {
    const size_t axes = shape.size();
    const uint32_t count = count_of(shape);
    Seen out{shape, name, {}};
    const auto by = [&](const auto& coordinates) {
      for_each(shape, [&](uint32_t, const Shape& at) {
        Shape to(out.given.size());
        const bool inside = coordinates(at, to);
        out.places.push_back(inside ? place_of(out.given, to) : kNowhere);
      });
    };
    switch (view) {
      case View::Plain: break;
      case View::Transposed: {
        if (axes < 2) break;
        const Shape order = permutation(uint32_t(axes));
        for (size_t k = 0; k < axes; ++k) out.given[order[k]] = shape[k];
        out.text = fmt::format("transpose({}, {})", name, sizes(order));
        by([&](const Shape& at, Shape& to) {
          for (size_t k = 0; k < axes; ++k) to[order[k]] = at[k];
          return true;
        });
        return out;
      }
      case View::Sliced: {
        std::vector<std::string> ranges;
        Shape from(axes), step(axes);
        for (size_t k = 0; k < axes; ++k) {
          from[k] = below(3), step[k] = 1 + below(3);
          const uint32_t to = from[k] + shape[k] * step[k];
          out.given[k] = to + below(2);
          ranges.push_back(fmt::format("{}..{} step {}", from[k], to, step[k]));
        }
        out.text = fmt::format("slice({}, [{}])", name, fmt::join(ranges, ", "));
        by([&](const Shape& at, Shape& to) {
          for (size_t k = 0; k < axes; ++k) to[k] = from[k] + at[k] * step[k];
          return true;
        });
        return out;
      }
      case View::Stretched: {
        for (uint32_t& size : out.given)
          if (below(2) == 0) size = 1;
        if (axes != 0 && below(2) == 0) out.given[below(uint32_t(axes))] = 1;
        size_t dropped = 0;
        while (dropped < axes && out.given[dropped] == 1 && below(2) == 0) ++dropped;
        out.given.erase(out.given.begin(), out.given.begin() + std::ptrdiff_t(dropped));
        out.text = fmt::format("broadcast({}, {})", name, sizes(shape));
        by([&](const Shape& at, Shape& to) {
          for (size_t k = dropped; k < axes; ++k) to[k - dropped] = out.given[k - dropped] == 1 ? 0 : at[k];
          return true;
        });
        return out;
      }
      case View::Split:
      case View::Turned: {
        uint32_t rows = 1;
        for (const uint32_t prime : {2u, 3u, 5u, 7u, 2u})
          if (count % (rows * prime) == 0 && count > rows * prime && below(3) != 0) rows *= prime;
        const uint32_t columns = count / rows;
        const bool turned = view == View::Turned;
        out.given = turned ? Shape{columns, rows} : Shape{rows, columns};
        out.text = turned ? fmt::format("reshape(transpose({}, [1, 0]), {})", name, sizes(shape))
                          : fmt::format("reshape({}, {})", name, sizes(shape));
        for (uint32_t i = 0; i < count; ++i)
          out.places.push_back(turned ? i % columns * rows + i / columns : i);
        return out;
      }
      case View::Padded: {
        std::vector<std::string> pads;
        Shape before(axes);
        for (size_t k = 0; k < axes; ++k) {
          before[k] = std::min(below(3), shape[k]);
          const uint32_t behind = std::min(below(2), shape[k] - before[k]);
          out.given[k] = shape[k] - before[k] - behind;
          pads.push_back(fmt::format("{}..{}", before[k], behind));
        }
        out.text = fmt::format("pad({}, [{}], {})", name, fmt::join(pads, ", "), border(type));
        by([&](const Shape& at, Shape& to) {
          bool inside = true;
          for (size_t k = 0; k < axes; ++k) {
            to[k] = at[k] - before[k];
            inside &= at[k] >= before[k] && to[k] < out.given[k];
          }
          return inside;
        });
        return out;
      }
    }
    out.places.resize(count);
    std::iota(out.places.begin(), out.places.end(), 0u);
    return out;
  }

  /// What is put around a tensor: one, or of floats -0 or a NaN that is not the canonical one.
  std::string border(DataType type) {
    if (spec::is_small(type)) {
      const DataType wide = spec::wide_type(type);
      return fmt::format("cast<{}>({})", spec::text(type), literal(wide, one(wide)));
    }
    if (!is_float(type)) return literal(type, one(type));
    const spec::FloatFormat& format = spec::float_format(type);
    const Bits list[] = {format.one(), format.sign_bit(), format.nan() | format.sign_bit() | 1};
    return literal(type, list[below(uint32_t(std::size(list)))]);
  }

  Shape permutation(uint32_t axes) {
    Shape out;
    for (uint32_t i = 0; i < axes; ++i) out.insert(out.begin() + below(i + 1), i);
    return out;
  }

  // Graphs.

  void describe(std::string_view what) {
    out_.what += fmt::format("{}{}", out_.what.empty() ? "" : ", ", what);
  }

  /// A tensor of these elements: a parameter as `view` shows it. What is not in the view are other numbers.
  std::string operand(View view, DataType type, const Shape& shape, const std::vector<Bits>& values) {
    const std::string name = fmt::format("p{}", parameters_.size());
    const Seen of = seen(view, name, type, shape);
    parameters_.push_back(fmt::format("{}: {}{}", name, spec::text(type), sizes(of.given)));
    out_.graph.shapes.push_back(of.given);
    std::vector<Bits> all = filled(type, of.given, is_float(type) ? Fill::Mantissas : Fill::Wide, 0);
    for (size_t i = 0; i < values.size(); ++i)
      if (of.places[i] != kNowhere) all[of.places[i]] = values[i];
    Bytes& input = out_.graph.inputs.emplace_back(spec::packed_bytes(type, all.size()));
    for (size_t i = 0; i < all.size(); ++i)
      spec::set_packed_element(input, type, i, {uint32_t(all[i]), uint32_t(all[i] >> 32), 0, 0});
    return of.text;
  }
  /// The same of a turn's view and values. `what`: which of the operands.
  std::string operand(char what, DataType type, const Shape& shape, uint32_t axis = 0, uint64_t shift = 0) {
    return operand(pick(what, kViews), type, shape, filled(type, shape, fill(type, shift), axis));
  }

  void output(DataType type, const Shape& shape, const std::string& value) {
    const std::string name = fmt::format("y{}", outputs_.size());
    outputs_.push_back(fmt::format("{}: {}{}", name, spec::text(type), sizes(shape)));
    body_ += fmt::format("  {} = {};\n", name, value);
  }
  /// The result of the operation, as it is or with something behind it.
  void result(DataType type, const Shape& shape, const std::string& value) {
    describe(check::shape_text(type, shape));
    const uint32_t behind = type == DataType::Bool || spec::is_small(type) ? 0 : below(4);
    if (behind != 1) return output(type, shape, value);
    body_ += fmt::format("  let r = {};\n", value);
    output(type, shape, fmt::format("r + {}", operand('e', type, shape, 0, 3)));
    output(type, shape, "r");
  }

  /// A shape of lines of n elements along `axis`.
  Shape line(uint32_t n, uint32_t& axis, uint32_t most) {
    Shape before, behind;
    for (const Beside& beside : {pick('b', kBeside), kBeside[1], kBeside[0]}) {
      before = beside.before, behind = beside.behind;
      if (count_of(before) * count_of(behind) * uint64_t{n} <= most) break;
    }
    axis = uint32_t(before.size());
    Shape out = before;
    out.push_back(n);
    out.insert(out.end(), behind.begin(), behind.end());
    return out;
  }

  void write(TensorOp op) {
    switch (op) {
      case TensorOp::Value: elementwise(); break;
      case TensorOp::Transpose: transpose(); break;
      case TensorOp::Slice: view(View::Sliced); break;
      case TensorOp::Broadcast: view(View::Stretched); break;
      case TensorOp::Reshape: view(graph_ % 2 == 0 ? View::Split : View::Turned); break;
      case TensorOp::Pad: view(View::Padded); break;
      case TensorOp::Concat: concat(); break;
      case TensorOp::Gather: gather(); break;
      case TensorOp::ScatterAdd: scatter_add(); break;
      case TensorOp::Index: index(); break;
      case TensorOp::Reduce:
      case TensorOp::Scan: fold(op); break;
      case TensorOp::Recur: recur(); break;
      case TensorOp::Matmul: matmul(); break;
      case TensorOp::Sort:
      case TensorOp::Argsort:
      case TensorOp::TopK:
      case TensorOp::ArgTopK: sort(op); break;
    }
  }

  void transpose() {
    const DataType type = pick_moved_type();
    const Shape& shape = pick('s', kShapes);
    const Shape order = permutation(uint32_t(shape.size()));
    Shape turned;
    for (const uint32_t axis : order) turned.push_back(shape[axis]);
    result(type, turned, fmt::format("transpose({}, {})", operand('a', type, shape), sizes(order)));
  }

  /// A view of a view: the second is a parameter's.
  void view(View which) {
    const DataType type = pick_moved_type();
    const Shape& shape = pick('s', kShapes);
    const Seen of = seen(which, "v", type, shape);
    body_ += fmt::format("  let v = {};\n", operand('a', type, of.given));
    result(type, shape, of.text);
  }

  void concat() {
    const DataType type = pick_moved_type();
    Shape shape = pick('s', kShapes);
    if (shape.empty()) shape = {5};
    const uint32_t axis = below(uint32_t(shape.size())), parts = 1 + below(4);
    std::string operands;
    Shape whole = shape;
    whole[axis] = 0;
    for (uint32_t part = 0; part < parts; ++part) {
      Shape of = shape;
      if (part != 0) of[axis] = below(9);
      whole[axis] += of[axis];
      operands += ", " + operand(char('0' + part), type, of, 0, part);
    }
    result(type, whole, fmt::format("concat({}{})", axis, operands));
  }

  static Shape gathered(Shape from, const Shape& indices, uint32_t axis) {
    from.erase(from.begin() + axis);
    from.insert(from.begin() + axis, indices.begin(), indices.end());
    return from;
  }

  /// A tensor, an axis of it, and the shape of indices into that.
  struct Indexed {
    Shape shape, indices;
    uint32_t axis;
  };
  Indexed indexed() {
    const Indexed list[] = {{{33}, {17}, 0},        {{5, 7}, {9}, 0},    {{4, 31}, {}, 1}, {{3, 0}, {4}, 1},
                            {{2, 3, 8}, {3, 4}, 1}, {{64, 3}, {129}, 0}, {{1}, {5, 1}, 0}, {{129}, {0}, 0},
                            {{2, 5, 2, 3}, {7}, 3}, {{16, 4}, {65}, 1},  {{7, 0}, {2}, 0}, {{257}, {255}, 0}};
    return pick('i', list);
  }
  std::string places(const Indexed& of) {
    return operand(pick('p', kViews) == View::Padded ? View::Plain : pick('p', kViews), DataType::U32,
                   of.indices, indices(of.indices, of.shape[of.axis]));
  }

  void gather() {
    const DataType type = pick_moved_type();
    const Indexed of = indexed();
    const std::string t = operand('a', type, of.shape), i = places(of);
    result(type, gathered(of.shape, of.indices, of.axis), fmt::format("gather({}, {}, {})", t, i, of.axis));
  }

  void scatter_add() {
    const DataType type = pick_type(false);
    const Indexed of = indexed();
    const std::string t = operand('a', type, of.shape, 0, 1), i = places(of);
    const std::string u = operand('u', type, gathered(of.shape, of.indices, of.axis), of.axis);
    result(type, of.shape, fmt::format("scatter_add({}, {}, {}, {})", t, i, u, of.axis));
  }

  void index() {
    Shape shape = pick('s', kShapes);
    if (shape.empty()) shape = {2, 3};
    const uint32_t axis = below(uint32_t(shape.size()));
    const std::string value = fmt::format("index({}, {})", sizes(shape), axis);
    output(DataType::U32, shape, fmt::format("{} * 3 + {}", value, operand('a', DataType::U32, shape)));
    result(DataType::U32, shape, value);
  }

  void fold(TensorOp op) {
    const DataType type = pick_type(false);
    uint32_t axis = 0;
    const Shape shape = line(pick('n', kLines), axis, 8'300);
    const std::string_view with = floats() ? pick('f', kFloatFolds) : pick('f', kIntegerFolds);
    describe(with);
    Shape to = shape;
    if (op == TensorOp::Reduce) to[axis] = 1;
    result(type, to,
           fmt::format("{}({}, {}, {})", ir::info(op).text, with, operand('a', type, shape, axis), axis));
    // Few graphs have the shortest lines, and each operator and order has its own results of them.
    for (const uint32_t n : {0u, 1u, 5u}) {
      const Shape lines = {6, n};
      const Fill kind = !is_float(type) ? Fill::Adversarial : n == 1 ? Fill::Ties : Fill::Mantissas;
      const std::string t = operand(View::Plain, type, lines, filled(type, lines, kind, 1));
      output(type, op == TensorOp::Reduce ? Shape{6, 1} : lines,
             fmt::format("{}({}, {}, 1)", ir::info(op).text, with, t));
    }
  }

  /// Operators beside each other that a compiler would like to make one of, or to do in another type.
  void elementwise() {
    const DataType type = pick_type(false);
    const Shape& picked = pick('s', kShapes);
    const Shape shape = count_of(picked) < 64 ? Shape{7, 31} : picked;
    const std::string a = operand('a', type, shape), b = operand('b', type, shape, 0, 6),
                      c = operand('c', type, shape, 0, 8);
    describe(check::shape_text(type, shape));
    const auto give = [&](DataType of, std::string_view text) {
      output(of, shape,
             fmt::format(fmt::runtime(text), fmt::arg("a", a), fmt::arg("b", b), fmt::arg("c", c)));
    };
    give(type, "{a} * {b} + {c}");
    give(type, "{a} * {b}");
    give(type, "{b} / {c}");
    give(type, "select({a} < {b}, {c}, {a})");
    if (!is_float(type)) {
      give(type, "({a} & {b}) - {c} % {a}");
      give(DataType::U32, "cast<u32>({a}) << cast<u32>({b})");
      give(DataType::U64, "cast<u64>({a}) * cast<u64>({c})");
      return give(DataType::I32, "cast<i32>({c}) >> cast<u32>({a})");
    }
    give(type, "fmin({a}, {b}) - fmax({b}, {c})");
    give(DataType::I32, "cast<i32, trunc>({a}) + cast<i32, nearest>({b})");
    for (const DataType to : kFloatTypes)
      if (to != type)
        give(to, fmt::format("cast<{}>({{a}}) * cast<{}>({{c}})", spec::text(to), spec::text(to)));
  }

  void recur() {
    const DataType type = pick_type(true);
    uint32_t axis = 0;
    const Shape shape = line(pick('n', kFewLines), axis, 4'200);
    Shape initial = shape;
    initial.erase(initial.begin() + axis);
    const bool two = graph_ % 2 != 0;
    const std::string name(spec::text(type));
    operations_ = fmt::format("operation t.step(y: {0}, x: {0}{1}) -> {0} {{\n  return {2};\n}}\n", name,
                              two ? fmt::format(", z: {}", name) : "",
                              type == DataType::Bool
                                  ? (two ? "select(y, x, z)" : "select(y, x, true)")
                                  : fmt::format("y * {} + x", two              ? "z"
                                                              : is_float(type) ? literal(type, half(type))
                                                                               : literal(type, 3)));
    std::string operands = operand('i', type, initial, 0, 1) + ", " + operand('a', type, shape, axis);
    if (two) operands += ", " + operand('b', type, shape, axis, 2);
    result(type, shape, fmt::format("recur(t.step, {}, {})", operands, axis));
  }
  static Bits half(DataType type) { return one(type) - (Bits{1} << spec::float_format(type).fraction_bits); }

  void matmul() {
    const Product& of = pick('s', kProducts);
    const Accumulated& types = floats() ? pick('t', kFloatProducts) : pick('t', kIntegerProducts);
    const uint32_t block = pick('k', kBlocks);
    const std::string_view tile = pick('T', kTiles);
    if (!tile.empty()) {
      out_.options.tile = &*std::ranges::find(tensor::matmul_tiles(), tile, &tensor::MatmulTile::name);
      describe(tile);
    }
    // Batches, which broadcast.
    struct Batches {
      Shape left, right, both;
    };
    const Batches list[] = {{{}, {}, {}},    {{3}, {3}, {3}},         {{}, {}, {}},
                            {{}, {2}, {2}},  {{2, 1}, {3}, {2, 3}},   {{}, {}, {}},
                            {{1}, {2}, {2}}, {{2, 2}, {1, 2}, {2, 2}}};
    Batches batches = pick('b', list);
    constexpr uint64_t kMostSteps = 70'000;
    if (count_of(batches.both) * uint64_t{of.m} * of.k * of.n > kMostSteps) batches = {};
    // More than there are workgroups along an axis.
    if (of.m * of.k * of.n == 1) batches = {{65'537}, {1}, {65'537}};
    Shape left = batches.left, right = batches.right, to = batches.both;
    left.insert(left.end(), {of.m, of.k});
    right.insert(right.end(), {of.k, of.n});
    to.insert(to.end(), {of.m, of.n});
    const DataType type = types.operands;
    const auto axes = std::pair(uint32_t(left.size()) - 1, uint32_t(right.size()) - 2);
    const Fill kind = fill(type);
    // What an order shows in are the values of one operand; those of the other leave them as they are, or
    // nearly.
    const bool both = kind == Fill::Mantissas || kind == Fill::Wide || kind == Fill::Adversarial ||
                      (kind == Fill::Tiny && values_.chance(2)) || !is_float(type);
    const Fill other = both ? kind : kind == Fill::Zeros ? Fill::Positive : Fill::Mantissas;
    const bool swapped = values_.chance(2);
    const std::string a =
        operand(pick('a', kViews), type, left, filled(type, left, swapped ? other : kind, axes.first));
    const std::string b =
        operand(pick('c', kViews), type, right, filled(type, right, swapped ? kind : other, axes.second));
    std::string written(types.accumulator);
    DataType sum = is_float(type) ? DataType::F32 : type;
    if (spec::is_small(type)) sum = spec::wide_type(type) == DataType::F32 ? DataType::F32 : DataType::I32;
    if (written == spec::text(type)) sum = type;
    if (block != 0) written = fmt::format("{}, {}", spec::text(sum), block);
    describe(fmt::format("{} by {} of {}{}", sizes(left), sizes(right), spec::text(type),
                         block == 0 ? "" : fmt::format(", blocks of {}", block)));
    result(sum, to, fmt::format("matmul({}, {}{}{})", a, b, written.empty() ? "" : ", ", written));
  }

  void sort(TensorOp op) {
    const DataType type = pick_type(false);
    uint32_t axis = 0;
    Shape shape = line(pick('n', kFewLines), axis, 4'200);
    const std::string t = operand('a', type, shape, axis, 7);
    const bool places = op == TensorOp::Argsort || op == TensorOp::ArgTopK;
    std::string count;
    if (op == TensorOp::TopK || op == TensorOp::ArgTopK) {
      const uint32_t n = shape[axis];
      const uint32_t list[] = {std::min(1u, n), n, std::min(5u, n), n / 2, 0};
      shape[axis] = pick('k', list);
      count = fmt::format("{}, ", shape[axis]);
    }
    result(places ? DataType::U32 : type, shape,
           fmt::format("{}({}, {}{})", ir::info(op).text, t, count, axis));
  }

  const TensorSubject& subject_;
  const uint64_t seed_, graph_, input_, turn_;
  RandomStream random_, values_;
  TensorCase out_;
  std::vector<std::string> parameters_, outputs_;
  std::string body_, operations_;
};

}  // namespace

std::span<const TensorWay> tensor_ways() {
  static const std::vector<TensorWay> ways = {
      {"for a processor", {.device = tensor::Device::Cpu}},
      {"for a graphics processor", {}},
      {"each node by itself", {.plan = {.fuse = false}}},
      {"always fused, for a processor", {.plan = {.always = true}, .device = tensor::Device::Cpu}},
      {"for a processor, each node by itself", {.plan = {.fuse = false}, .device = tensor::Device::Cpu}},
      {"always fused", {.plan = {.always = true}}},
      {"nothing shared", {.plan = {.share = false}}},
  };
  return ways;
}

TensorCase make_tensor_case(const TensorSubject& subject, uint64_t seed, uint64_t index) {
  const auto op = subject.op;
  // Of operators every second graph is random, with views in between.
  if (op && (*op != TensorOp::Value || index % 2 == 0)) return CaseWriter(subject, seed, index).run(*op);
  const generate::GraphOptions options = {
      .max_commands = op ? 6u : 30u, .floats = subject.track == Track::Float, .only_views = op.has_value()};
  const TensorWay& way = tensor_ways()[index % tensor_ways().size()];
  return {generate::random_graph(seed ^ number_of(subject) << 48, index, options), way.options,
          std::string(way.name)};
}

}  // namespace vyre::verify
