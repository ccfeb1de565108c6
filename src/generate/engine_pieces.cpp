#include "generate/engine_pieces.h"

#include <fmt/format.h>

#include <algorithm>

#include "opspec/arrays.h"

namespace vyre::generate {

// Of this file alone, also where several files are compiled as one.
namespace engine_pieces {
namespace {

using opspec::Buffers;
using opspec::count;
using opspec::get;
using opspec::put;
using Lengths = std::span<const std::string>;

// Bounds that several pieces have, or that stand in those of others, as sums of products. `n` and the like
// are lengths.

/// 1 where it is not 0.
std::string any(const std::string& n) {
  const bool constant = std::ranges::all_of(n, [](char c) { return c >= '0' && c <= '9'; });
  return constant ? (n == "0" ? "0" : "1") : fmt::format("({} != 0)", n);
}
std::string any_of_both(const std::string& a, const std::string& b) {
  return a == b ? any(a) : fmt::format("(({} != 0) & ({} != 0))", a, b);
}
std::string scan(const std::string& n) { return fmt::format("8 * ({} / 2048 + 1)", n); }
std::string sort_dispatches(const std::string& n) { return fmt::format("12 + 8 * {}", any(n)); }
std::string sort_scratch(const std::string& n, int bytes, int tile) {
  return fmt::format("2048 * ceil_div({0}, {1}) + {2} * {0} + 32 * (256 * ceil_div({0}, {1}) / 2048 + 1)", n,
                     tile, bytes);
}
std::string sort_pairs_scratch(const std::string& n) { return sort_scratch(n, 16, 2048); }
template <size_t kArgument>
std::string once_where_any(Lengths n) {
  return any(n[kArgument]);
}
template <unsigned kNumber>
std::string always(Lengths) {
  return std::to_string(kNumber);
}
std::string scan_of_input(Lengths n) { return scan(n[0]); }
std::string choosing(Lengths n) {
  return fmt::format("1032 * ({0} / 8192 + 1) + 4 + {1}", n[0], scan(fmt::format("({} / 8192 + 1)", n[0])));
}
std::string counting(Lengths n) {
  return fmt::format("8 * ({0} / 2048 + 1) + 4 + {1}", n[0], scan(fmt::format("({} / 2048 + 1)", n[0])));
}

/// A word of an argument for each of `over`.
template <typename Word>
void each(Buffers& arguments, size_t over, size_t output, const Word& word) {
  for (size_t i = 0; i < count<uint32_t>(arguments[over]); ++i) put(arguments[output], i, uint32_t(word(i)));
}
uint32_t at(const Buffers& arguments, size_t argument, size_t i) {
  return get<uint32_t>(arguments[argument], i);
}
uint32_t rest(uint32_t x, uint32_t by) { return by == 0 ? x : x % by; }

void marks(Buffers& a) {
  each(a, 0, 2, [&](size_t i) {
    return i < at(a, 1, 0) && rest((at(a, 0, i) * 0x9e37'79b1) >> at(a, 3, 0), at(a, 3, 1)) == 0;
  });
}
void pad(Buffers& a) {
  each(a, 0, 2, [&](size_t i) { return i < at(a, 1, 0) ? at(a, 0, i) : at(a, 3, 0); });
}
void mix(Buffers& a) {
  each(a, 0, 1, [&](size_t i) { return at(a, 0, i) * at(a, 2, 0) + at(a, 2, 1); });
}
void less(Buffers& a) {
  each(a, 0, 2, [&](size_t i) { return at(a, 0, i) - at(a, 1, 0); });
}
void differ(Buffers& a) {
  each(a, 0, 2, [&](size_t i) { return at(a, 0, i) ^ at(a, 1, 0); });
}
void turned(Buffers& a) {
  const auto n = uint32_t(count<uint32_t>(a[0]));
  each(a, 0, 0, [&](size_t i) { return rest(uint32_t(i) + rest(at(a, 1, 0), n), n); });
}
void slots(Buffers& a) {
  const auto n = uint32_t(count<uint32_t>(a[0]));
  each(a, 0, 1, [&](size_t i) { return rest(at(a, 0, i) * at(a, 2, 0), n); });
}
void rests(Buffers& a) {
  each(a, 0, 1, [&](size_t i) { return rest(at(a, 0, i), at(a, 2, 0)); });
}
void tally(Buffers& a) {
  const auto bins = uint32_t(count<uint32_t>(a[2]));
  for (uint32_t i = 0; i < std::min<size_t>(count<uint32_t>(a[0]), at(a, 1, 0)); ++i) {
    const uint32_t bin = rest(at(a, 0, i), bins);
    put(a[2], bin, at(a, 2, bin) + 1);
  }
}
/// What all turns together make of an element.
void halve(Buffers& a) {
  each(a, 0, 0, [&](size_t i) {
    uint32_t x = at(a, 0, i);
    while (x > at(a, 2, 0)) x >>= 1;
    return x;
  });
  put(a[1], 0, uint32_t{0});
}
void hand_over(Buffers& a) {
  for (size_t i = 0; i < std::min<size_t>(count<uint32_t>(a[0]), at(a, 1, 0)); ++i) put(a[2], i, at(a, 0, i));
}
void say_how_many(Buffers& a) {
  put(a[2], 0, uint32_t(std::min<size_t>(count<uint32_t>(a[0]), at(a, 1, 0))));
}

constexpr std::string_view kMarks =
    R"(// flags[i]: whether element i, if there is one, is of a class by its value.
program marks(read input: u32 @0, read count: u32 @1, read_write flags: u32 @2, uniform params: u32 @3)
    workgroup(W, 1, 1) {
  let i = workgroup_id.x * W + local_id.x;
  flags[i] = (i < count[0]) & (((input[i] * 0x9e3779b1) >> params[0]) % params[1] == 0);
}
)";
constexpr std::string_view kPad = R"(// What is behind the count becomes params[0].
program pad(read input: u32 @0, read count: u32 @1, read_write output: u32 @2, uniform params: u32 @3)
    workgroup(W, 1, 1) {
  let i = workgroup_id.x * W + local_id.x;
  output[i] = select(i < count[0], input[i], params[0]);
}
)";
constexpr std::string_view kMix =
    R"(program mix(read input: u32 @0, read_write output: u32 @1, uniform params: u32 @2) workgroup(W, 1, 1) {
  let i = workgroup_id.x * W + local_id.x;
  output[i] = input[i] * params[0] + params[1];
}
)";
constexpr std::string_view kLess =
    R"(program less(read input: u32 @0, read by: u32 @1, read_write output: u32 @2) workgroup(W, 1, 1) {
  let i = workgroup_id.x * W + local_id.x;
  output[i] = input[i] - by[0];
}
)";
constexpr std::string_view kDiffer =
    R"(program differ(read input: u32 @0, read by: u32 @1, read_write output: u32 @2) workgroup(W, 1, 1) {
  let i = workgroup_id.x * W + local_id.x;
  output[i] = input[i] ^ by[0];
}
)";
constexpr std::string_view kTurned = R"(// Indices from params[0] on, and then from 0.
program turned(read_write indices: u32 @0, uniform params: u32 @1) workgroup(W, 1, 1) {
  let i = workgroup_id.x * W + local_id.x;
  indices[i] = (i + params[0] % len(indices)) % len(indices);
}
)";
constexpr std::string_view kSlots =
    R"(program slots(read input: u32 @0, read_write indices: u32 @1, uniform params: u32 @2) workgroup(W, 1, 1) {
  let i = workgroup_id.x * W + local_id.x;
  indices[i] = input[i] * params[0] % len(input);
}
)";
constexpr std::string_view kRests =
    R"(program rests(read input: u32 @0, read_write output: u32 @1, uniform params: u32 @2) workgroup(W, 1, 1) {
  let i = workgroup_id.x * W + local_id.x;
  output[i] = input[i] % params[0];
}
)";
constexpr std::string_view kTally = R"(// How many elements have each rest.
program tally(read input: u32 @0, read count: u32 @1, read_write bins: u32 @2) workgroup(W, 1, 1) {
  let i = workgroup_id.x * W + local_id.x;
  if (i < primitive.math.min(len(input), count[0])) {
    let old = atomic_add(bins[input[i] % len(bins)], 1);
  }
}
)";
constexpr std::string_view kHalve =
    R"(// Elements above params[0] are halved, and go[0] says whether one is still above.
program halve(read_write values: u32 @0, read_write go: u32 @1, uniform params: u32 @2) workgroup(W, 1, 1) {
  let i = workgroup_id.x * W + local_id.x;
  let half = values[i] >> 1;
  if (values[i] > params[0]) {
    values[i] = half;
    if (half > params[0]) {
      let old = atomic_or(go[0], 1);
    }
  }
}
)";
constexpr std::string_view kHandOver = R"(// The elements that there are, as far as there is room.
program hand_over(read input: u32 @0, read count: u32 @1, read_write output: u32 @2) workgroup(W, 1, 1) {
  let i = workgroup_id.x * W + local_id.x;
  if (i < primitive.math.min(len(input), count[0])) {
    output[i] = input[i];
  }
}
)";
constexpr std::string_view kSayHowMany =
    R"(program say_how_many(read input: u32 @0, read count: u32 @1, read_write total: u32 @2) workgroup(1, 1, 1) {
  total[0] = primitive.math.min(len(input), count[0]);
}
)";

constexpr auto kChoosing = always<5>;
#define PER_FOLD(row) row("add") row("min") row("max") row("and") row("or") row("xor")
#define REDUCE(fold)                                                         \
  {.name = "collection.reduce_" fold,                                        \
   .parameters = "input output",                                             \
   .dispatches = [](Lengths n) { return fmt::format("1 + {}", any(n[0])); }, \
   .scratch_bytes = [](Lengths n) { return fmt::format("4 * ceil_div({}, 2048)", n[0]); }},
#define SCAN_INCLUSIVE(fold)                                                 \
  {.name = "collection.scan_inclusive_" fold,                                \
   .parameters = "input output",                                             \
   .dispatches = [](Lengths n) { return fmt::format("3 * {}", any(n[0])); }, \
   .scratch_bytes = [](Lengths n) { return fmt::format("8 * ceil_div({}, 2048)", n[0]); }},
#define SCAN_EXCLUSIVE(fold)                  \
  {.name = "collection.scan_exclusive_" fold, \
   .parameters = "input output",              \
   .dispatches = always<3>,                   \
   .scratch_bytes = scan_of_input},
#define SEGMENTED_SCAN(fold)                                                 \
  {.name = "collection.segmented_scan_" fold,                                \
   .parameters = "input heads output",                                       \
   .dispatches = [](Lengths n) { return fmt::format("3 * {}", any(n[0])); }, \
   .scratch_bytes = [](Lengths n) { return fmt::format("12 * ceil_div({}, 2048)", n[0]); }},
#define SEGMENTED_REDUCE(fold)                                                                       \
  {.name = "collection.segmented_reduce_" fold,                                                      \
   .parameters = "input offsets output",                                                             \
   .dispatches =                                                                                     \
       [](Lengths n) {                                                                               \
         return fmt::format("({0} >= 64) + ({0} >= 4096) + ({0} >= 262144) + {1}", n[0], any(n[2])); \
       },                                                                                            \
   .scratch_bytes =                                                                                  \
       [](Lengths n) {                                                                               \
         return fmt::format("4 * ({0} / 64) + 4 * ({0} / 4096) + 4 * ({0} / 262144)", n[0]);         \
       }},

const Piece kPieces[] = {
    PER_FOLD(REDUCE) REDUCE("add_sat")                  //
    PER_FOLD(SCAN_INCLUSIVE) SCAN_INCLUSIVE("add_sat")  //
    PER_FOLD(SCAN_EXCLUSIVE) SCAN_EXCLUSIVE("add_sat")  //
    PER_FOLD(SEGMENTED_SCAN)                            //
    PER_FOLD(SEGMENTED_REDUCE)                          //
    {.name = "collection.fill", .parameters = "output params", .dispatches = once_where_any<0>},
    {.name = "collection.iota", .parameters = "output params", .dispatches = once_where_any<0>},
    {.name = "collection.reverse", .parameters = "input output", .dispatches = once_where_any<0>},
    {.name = "collection.transpose",
     .parameters = "input output params",
     .dispatches = once_where_any<2>},  // columns; rows are not 0
    {.name = "collection.gather",
     .parameters = "input indices output",
     .dispatches = [](Lengths n) { return any_of_both(n[1], n[2]); }},
    {.name = "collection.scatter",
     .parameters = "input indices output status",
     .dispatches = [](Lengths n) { return fmt::format("1 + 2 * {}", any_of_both(n[0], n[1])); },
     .scratch_bytes = [](Lengths n) { return fmt::format("4 * {} + 8", n[2]); }},
    {.name = "collection.compact",
     .parameters = "input flags output count",
     .dispatches = kChoosing,
     .scratch_bytes = choosing},
    {.name = "collection.partition",
     .parameters = "input flags output count",
     .dispatches = kChoosing,
     .scratch_bytes = choosing},
    {.name = "collection.unique",
     .parameters = "input output count",
     .dispatches = always<5>,
     .scratch_bytes = counting},
    {.name = "collection.run_length",
     .parameters = "input values lengths count",
     .dispatches = [](Lengths n) { return fmt::format("5 + {}", any(n[0])); },
     .scratch_bytes = [](Lengths n) { return fmt::format("{} + 4 * {} + 4", counting(n), n[0]); }},
    {.name = "collection.histogram",  // of at most 256 bins
     .parameters = "input bins",
     .dispatches = [](Lengths n) { return fmt::format("{} + {}", any(n[0]), any(n[1])); }},
    {.name = "collection.sort_u32",
     .parameters = "input output",  // of one length
     .dispatches = [](Lengths n) { return sort_dispatches(n[0]); },
     .scratch_bytes = [](Lengths n) { return sort_scratch(n[0], 4, 4096); }},
    {.name = "collection.sort_pairs_u32",
     .parameters = "keys values out_keys out_values",
     .dispatches = [](Lengths n) { return sort_dispatches(n[0]); },
     .scratch_bytes = [](Lengths n) { return sort_pairs_scratch(n[0]); }},
    {.name = "collection.top_k",
     .parameters = "input values indices",  // no more values than input
     .dispatches =
         [](Lengths n) {
           return fmt::format("13 + 4 * {} + {} + {}", any(n[0]), sort_dispatches(n[1]), any(n[1]));
         },
     .scratch_bytes =
         [](Lengths n) {
           const std::string parts = fmt::format("({} / 2048 + 1)", n[0]);
           return fmt::format("1032 + 16 * {0} + 12 * {1} + {2} + {2} + {3}", parts, n[1], scan(parts),
                              sort_pairs_scratch(n[1]));
         }},
    {.name = "collection.lower_bound",
     .parameters = "sorted queries output",
     .dispatches = once_where_any<1>},
    {.name = "collection.upper_bound",
     .parameters = "sorted queries output",
     .dispatches = once_where_any<1>},
    {.name = "collection.merge", .parameters = "a b output", .dispatches = once_where_any<2>},
    {.name = "collection.join",
     .parameters = "left right left_indices right_indices count",
     .dispatches =
         [](Lengths n) {
           return fmt::format("4 + {} + {} + 3 * {}", any(n[1]), sort_dispatches(n[1]), any(n[0]));
         },
     .scratch_bytes =
         [](Lengths n) {
           return fmt::format("12 * {1} + 16 * {0} + 4 + {2} + {3}", n[0], n[1], sort_pairs_scratch(n[1]),
                              scan(n[0]));
         }},
    {.name = "collection.hash_build",
     .parameters = "keys table places status",
     .dispatches = [](Lengths n) { return fmt::format("2 + 2 * {}", any(n[0])); },
     .scratch_bytes = always<4>},
    {.name = "collection.hash_find",
     .parameters = "table places queries output",
     .dispatches = once_where_any<2>},
    // Own programs.
    {"marks", "input count flags params", once_where_any<0>, nullptr, kMarks, marks},
    {"pad", "input count output params", once_where_any<0>, nullptr, kPad, pad},
    {"mix", "input output params", once_where_any<0>, nullptr, kMix, mix},
    {"less", "input by output", once_where_any<0>, nullptr, kLess, less},
    {"differ", "input by output", once_where_any<0>, nullptr, kDiffer, differ},
    {"turned", "indices params", once_where_any<0>, nullptr, kTurned, turned},
    {"slots", "input indices params", once_where_any<0>, nullptr, kSlots, slots},
    {"rests", "input output params", once_where_any<0>, nullptr, kRests, rests},
    {"tally", "input count bins", once_where_any<0>, nullptr, kTally, tally},
    {"halve", "values go params", once_where_any<0>, nullptr, kHalve, halve},
    {"hand_over", "input count output", once_where_any<0>, nullptr, kHandOver, hand_over},
    {"say_how_many", "input count total", always<1>, nullptr, kSayHowMany, say_how_many, 2},
};

}  // namespace
}  // namespace engine_pieces

std::span<const Piece> pieces() { return engine_pieces::kPieces; }

const Piece& piece(std::string_view name) { return *std::ranges::find(pieces(), name, &Piece::name); }

}  // namespace vyre::generate
