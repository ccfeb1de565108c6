// How fast texts are read, printed and formatted: megabytes and nodes a second, the best of five runs in one
// thread.
//
// Two sizes of each text stand under one another, so that a cost that is not linear shows as a falling rate.
// Then one program with something of everything is read at sizes from a thousand nodes to the most that a
// program may have, with the slope of the line through the logarithms of time and size: 1 is linear.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spec/limits.h"
#include "text/text.h"

namespace {

using namespace vyre;

std::string repeat(std::string_view before, std::string_view piece, size_t count, std::string_view after) {
  std::string out(before);
  for (size_t i = 0; i < count; ++i) out += piece;
  out += after;
  return out;
}

/// Seconds of the fastest of five runs.
template <typename Work>
double best_of_five(const Work& work) {
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

int measure(std::string_view name, const std::string& text) {
  const auto program = text::parse(text);
  if (!program) {
    fmt::print(stderr, "{}: {}\n", name, program.error().message);
    return 1;
  }
  size_t bytes = 0;  // so that no run can be left out
  const double parsing = best_of_five([&] { bytes += text::parse(text)->code.node_count(); });
  const double printing = best_of_five([&] { bytes += text::print(*program).size(); });
  const double formatting = best_of_five([&] { bytes += text::format(text)->size(); });
  const double mb = double(text.size()) / 1e6, nodes = double(program->code.node_count()) / 1e6;
  fmt::print(
      "{:<12} {:6.1f} MB {:5.2f} M nodes   parse {:6.1f} MB/s {:5.1f} M nodes/s   print {:5.1f} M nodes/s   "
      "format {:6.1f} MB/s\n",
      name, mb, nodes, mb / parsing, nodes / parsing, nodes / printing, mb / formatting);
  return bytes == 0 ? 1 : 0;
}

/// A program of nearly so many nodes. Each statement has names of its own, as generated programs do.
std::string everything(size_t nodes) {
  std::string out =
      "program p(read a: u32 @0, read_write f: f32 @1, read t: tensor<u64, [n = u[0], 64]> @2, uniform u: "
      "u32 @3)\n"
      "    workgroup(64, 1, 1) {\n";
  constexpr size_t kNodesEach = 38;
  for (size_t i = 0; i < nodes / kNodesEach; ++i) {
    out += fmt::format(
        "  let x{0} = (a[{0}] ^ 0xff_ff) + primitive.bitwise.rotl(a[{0}], 7) * 3;  // a comment\n"
        "  if (x{0} < len(a)) {{\n"
        "    f[x{0}] = select(x{0} == 1, 1.5, -0x1.8p-3);\n"
        "  }} else {{\n"
        "    let y{0} = vec2u32(x{0}, 2).y + bitcast<u32>(0.1f32);\n"
        "  }}\n"
        "  let z{0} = t[{0}, 3] + 18446744073709551615u64;\n",
        i);
  }
  return out + "}\n";
}

/// Processor seconds of this thread: what else the machine does must not bend the line.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

/// Processor seconds of parsing at growing sizes, and the slope.
int measure_growth() {
  fmt::print("\n{:>10} {:>12} {:>10}\n", "nodes", "seconds", "ns/node");
  std::vector<std::pair<double, double>> points;  // logarithms of nodes and seconds
  for (const size_t size : {1'000uz, 10'000uz, 100'000uz, 1'000'000uz, size_t{spec::kMaxNodes} - 64}) {
    const std::string text = everything(size);
    const auto program = text::parse(text);
    if (!program) {
      fmt::print(stderr, "{}\n", program.error().message);
      return 1;
    }
    const double nodes = double(program->code.node_count());
    // Small texts many times, so that what is measured lasts longer than the clock's grain.
    const size_t repetitions = std::max<size_t>(1, 100'000 / size);
    size_t sum = 0;
    double seconds = 1e9;
    for (int run = 0; run < 5; ++run) {
      const double begin = cpu_seconds();
      for (size_t i = 0; i < repetitions; ++i) sum += text::parse(text)->code.node_count();
      seconds = std::min(seconds, (cpu_seconds() - begin) / double(repetitions));
    }
    if (sum == 0) return 1;
    fmt::print("{:10.0f} {:12.6f} {:10.1f}\n", nodes, seconds, seconds / nodes * 1e9);
    points.emplace_back(std::log(nodes), std::log(seconds));
  }
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [size, time] : points) {
    x += size;
    y += time;
    xx += size * size;
    xy += size * time;
  }
  const double n = double(points.size());
  fmt::print("slope of the logarithms: {:.3f}\n", (n * xy - x * y) / (n * xx - x * x));
  return 0;
}

}  // namespace

int main() {
  const std::string_view head = "program p(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) {\n";
  int failures = 0;
  for (const size_t size : {10'000uz, 100'000uz}) {
    failures += measure("sum", repeat(std::string(head) + "let x = y", " + a[1]", size * 10, ";\n}\n"));
    failures +=
        measure("statements", repeat(head, "  out[i] = (a[i] ^ 0xff) + 1;  // a comment\n", size * 5, "}\n"));
    failures += measure("parentheses", repeat(std::string(head) + "let x = ", "(1 + ", size * 10,
                                              "y" + repeat("", ")", size * 10, ";\n}\n")));
  }
  failures += measure_growth();
  return failures == 0 ? 0 : 1;
}
