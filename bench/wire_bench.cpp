// How fast wire files are decoded and checked: megabytes a second on one core, over sizes from a thousand
// nodes to four million, and how time grows with size.
//
// The program is one unit, repeated, with a variable of its own in each: loads, stores, an atomic, a tensor
// and a wide integer, an if with an else, a loop, a call, a barrier; about three bytes a node, as usual
// programs have. The slope is that of a line through the logarithms of size and time: 1 is linear. `digest`
// is the part of decoding that computes SHA-256; checking includes the copy of the program that check takes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "check/checked.h"
#include "ops/operation.h"
#include "text/text.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

namespace {

using namespace vyre;

constexpr std::string_view kHead =
    R"(program bench(read input: u32 @0, read_write output: u32 @1, uniform params: u32 @2,
    read_write image: tensor<f32, [rows = params[0], 64]> @3, workgroup scratch: u32[64]) workgroup(64, 1, 1) {
  let sum = 0;
  let total = 0u64;
)";

/// One of the units of which the program is made.
std::string unit(size_t i) {
  return fmt::format(R"(
  let v{0} = input[(invocation_id.x + {1}) & 0xffff] ^ 0x9e3779b9;
  if (v{0} % 3 == 0 && invocation_id.x < len(input)) {{
    let mixed = primitive.bitwise.rotl(v{0}, 7) * 0x85ebca6b;
    output[invocation_id.x] = mixed ^ (mixed >> 16);
  }} else {{
    sum = sum + select(v{0} > 10, v{0}, 10);
  }}
  for k in 0..16 {{
    let word = input[(k * 4 + sum) % 64];
    sum = sum ^ (word << (k & 31));
    total = total + cast<u64>(word) * 7u64;
  }}
  scratch[local_id.x] = atomic_add(output[v{0} & 63], sum);
  barrier;
  image[v{0}, local_id.x] = select(scratch[63 - local_id.x] > {1}, image[0, local_id.x], 1.5);
)",
                     i, i % 1000);
}

ir::Program program_of(size_t nodes) {
  const auto parse = [](const std::string& text) {
    auto program = text::parse(text);
    if (!program) {
      const Source source("bench", text);
      fmt::print(stderr, "{}", render(program.error(), &source));
      std::exit(1);
    }
    return *std::move(program);
  };
  std::string text(kHead);
  const size_t each = parse(text + unit(0) + "}\n").code.node_count() - parse(text + "}\n").code.node_count();
  for (size_t i = 0; i < nodes / each; ++i) text += unit(i);
  return parse(text + "}\n");
}

/// Seconds of the processor for the fastest of the turns that fit into a second, of three at least; a turn is
/// as many runs as take 200 us, beside which the clock is exact. Not of the clock on the wall: what else the
/// machine does is not measured.
template <typename Work>
double fastest(const Work& work) {
  constexpr double kTurnSeconds = 200e-6;
  const auto now = [] {
    timespec at{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return double(at.tv_sec) + double(at.tv_nsec) * 1e-9;
  };
  const double first = now();
  work();
  const int runs = std::max(1, int(kTurnSeconds / (now() - first)));
  double best = 1e9;
  for (int turn = 0; turn < 3 || (turn < 1000 && now() - first < 1); ++turn) {
    const double begin = now();
    for (int run = 0; run < runs; ++run) work();
    best = std::min(best, (now() - begin) / runs);
  }
  return best;
}

struct Point {
  double size, seconds;
};
/// The slope of the line of least squares through the logarithms.
double slope(const std::vector<Point>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const Point& p : points) {
    const double a = std::log(p.size), b = std::log(p.seconds);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  const double n = double(points.size());
  return (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace

/// The sizes to measure, in nodes: those of the command line, or from a thousand to four million.
int main(int argc, char** argv) {
  std::vector<size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::stoul(argv[i]));
  if (sizes.empty()) sizes = {1'000, 10'000, 100'000, 1'000'000, 4'000'000};
  std::vector<Point> decode_points, check_points, both_points;
  fmt::print("{:>9} {:>9}   {:>22} {:>15} {:>22} {:>22}\n", "nodes", "bytes", "decode", "digest", "check",
             "both");
  for (const size_t nodes : sizes) {
    const Bytes file = wire::encode(program_of(nodes));
    const auto decoded = wire::decode(file);
    if (!decoded || !check::check(*decoded, ops::op_table())) {
      fmt::print(stderr, "{} nodes: not valid\n", nodes);
      return 1;
    }
    const double size = double(file.size());
    const double digest = fastest([&] {
      const auto body = std::span(file).subspan(wire::kBodyAt);
      if (wire::body_digest(wire::kVersion, body) == Digest{}) std::exit(1);
    });
    const double decode = fastest([&] {
      if (!wire::decode(file)) std::exit(1);
    });
    const double check = fastest([&] {
      if (!check::check(*decoded, ops::op_table())) std::exit(1);
    });
    const double both = fastest([&] {
      if (!check::check(*wire::decode(file), ops::op_table())) std::exit(1);
    });
    decode_points.push_back({size, decode});
    check_points.push_back({size, check});
    both_points.push_back({size, both});
    const auto rate = [&](double seconds) { return size / 1e6 / seconds; };
    fmt::print(
        "{:>9} {:>9}   {:.6f} s {:6.1f} MB/s   {:6.1f} MB/s   {:.6f} s {:6.1f} MB/s   {:.6f} s {:6.1f} "
        "MB/s\n",
        decoded->code.node_count(), file.size(), decode, rate(decode), rate(digest), check, rate(check), both,
        rate(both));
  }
  fmt::print("slope of time over size: decode {:.3f}, check {:.3f}, both {:.3f}\n", slope(decode_points),
             slope(check_points), slope(both_points));
  return 0;
}
