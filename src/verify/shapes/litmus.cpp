// Litmus: programs whose outcome the schedule decides, within what the memory model allows.
#include "verify/litmus.h"

#include <array>
#include <deque>
#include <string>

#include "verify/shapes.h"

namespace vyre::verify {
namespace {

constexpr BufferPlan kInstances[] = {{Count::Vectors, Fill::Zero}, {Count::Vectors, Fill::Zero}};
constexpr BufferPlan kHistories[] = {
    {Count::Fixed, Fill::Any, 8}, {Count::Total, Fill::Any}, {Count::Eight, Fill::Zero}};
constexpr BufferPlan kMixed[] = {
    {Count::Fixed, Fill::Any, 1}, {Count::Total, Fill::Any}, {Count::Total, Fill::Zero}};
constexpr BufferPlan kSequences[] = {{Count::Fixed, Fill::Any, 1}, {Count::Vectors, Fill::Zero}};

constexpr std::array<uint32_t, 3> kTestSizes[] = {{7, 1, 1}, {64, 1, 1}};  // apart, side by side
constexpr std::array<uint32_t, 3> kSizes[] = {{7, 1, 1}, {64, 1, 1}, {256, 1, 1}};

constexpr Shape kWhole[] = {
    // Every invocation once with every operator, each of which has a word of its own.
    {"histories",
     R"(program histories(read_write t: u32 @0, read a: u32 @1, read_write out: u32 @2) workgroup($W) {
  let i = $I;
  let n = len(a);
  let x = a[i];
  let bit = 1 << (x & 31);
  out[i] = atomic_add(t[0], x);
  out[n + i] = atomic_or(t[1], bit);
  out[n * 2 + i] = atomic_and(t[2], ~bit);
  out[n * 3 + i] = atomic_xor(t[3], x);
  out[n * 4 + i] = atomic_min(t[4], x);
  out[n * 5 + i] = atomic_max(t[5], x);
  out[n * 6 + i] = atomic_exchange(t[6], x);
  out[n * 7 + i] = atomic_compare_exchange(t[7], i & 7, (i + 1) & 7);
})",
     kSizes, 8, kHistories, histories_outcome},
    {"mixed history",
     R"(program mixed(read_write t: u32 @0, read a: u32 @1, read_write out: u32 @2) workgroup($W) {
  let i = $I;
  let kind = i & 3;
  if (kind == 0) {
    out[i] = atomic_add(t[0], a[i]);
  } else if (kind == 1) {
    out[i] = atomic_xor(t[0], a[i]);
  } else if (kind == 2) {
    out[i] = atomic_exchange(t[0], a[i]);
  } else {
    out[i] = atomic_max(t[0], a[i]);
  }
})",
     kSizes, 8, kMixed, mixed_outcome},
    {"histories in program order",
     R"(program sequences(read_write t: u32 @0, read_write out: u32 @1) workgroup($W) {
  for k in 0..4 {
    out[$I * 4 + k] = atomic_add(t[0], k + 1);
  }
})",
     kSizes, 8, kSequences, sequence_outcome},
};

std::vector<Shape> make_shapes() {
  static std::deque<std::string> texts;  // what the shapes refer to
  std::vector<Shape> out;
  for (const LitmusTest& test : litmus_tests()) {
    for (const bool apart : {false, true}) {
      const std::string& name =
          texts.emplace_back(std::string(test.what) + (apart ? ", apart" : ", side by side"));
      const std::string& text = texts.emplace_back(litmus_program(test, apart));
      const auto sizes = apart ? std::span(kTestSizes).first(1) : std::span(kTestSizes).last(1);
      out.push_back({name, text, sizes, 8, kInstances, litmus_outcome});
    }
  }
  out.insert(out.end(), std::begin(kWhole), std::end(kWhole));
  return out;
}

}  // namespace

std::span<const Shape> litmus_shapes() {
  static const std::vector<Shape> shapes = make_shapes();
  return shapes;
}

}  // namespace vyre::verify
