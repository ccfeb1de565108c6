// What it costs to compile a program of 10^2 to 10^5 operators: the time for each should stay what it is.
//
//   bench_growth [--backend NAME] [--most OPERATORS]
//
// Each shape is what programs are made of, so often that there are about as many operators: sums of integers
// in one line, floats, accesses to memory, loops side by side, and ifs. A row says what checking and
// compiling takes for one operator, in nanoseconds; the last column is the most that this grows with a
// program ten times as large: much above 1, a cost is not linear.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "backend/registry/registry.h"
#include "device_bench.h"

namespace {

using namespace vyre;
using namespace vyre::bench;

/// Statement number k, of so many operators.
struct Shape {
  std::string_view name;
  uint32_t operators;
  std::string (*statement)(uint32_t k);
};
constexpr Shape kShapes[] = {
    {"integers", 4,
     [](uint32_t k) { return fmt::format("u = (u ^ v) * {} + (v >> {});\n", 2 * k + 3, k % 31); }},
    {"floats", 2, [](uint32_t k) { return fmt::format("f = f * {}.5 + g;\n", k % 9); }},
    {"memory", 3, [](uint32_t k) { return fmt::format("out[x + {0}] = a[x + {0}] ^ u;\n", k % 4096); }},
    {"loops", 4,
     [](uint32_t k) { return fmt::format("for i in 0..{} {{ u = u * 5 + a[i]; }}\n", k % 7 + 2); }},
    {"literals", 3, [](uint32_t k) { return fmt::format("c = c + c; u = u << (c & {});\n", k % 31 + 1); }},
    {"ifs", 4, [](uint32_t k) { return fmt::format("if (u & {} == 0) {{ v = v + u; }}\n", k % 63 + 1); }}};

std::string text_of(const Shape& shape, uint32_t operators) {
  std::string text =
      "program grown(read a: u32 @0, read_write out: u32 @1) workgroup(64, 1, 1) {\n"
      "let x = invocation_id.x;\nlet u = a[x];\nlet v = x;\nlet c = 1;\nlet g = cast<f32>(x);\nlet f = g;\n";
  for (uint32_t k = 0; k < std::max(1u, operators / shape.operators); ++k) text += shape.statement(k);
  return text + "out[x] = u + v + bitcast<u32>(f);\n}";
}

}  // namespace

int main(int argc, char** argv) {
  std::string name = "native";
  uint32_t most = 100'000;
  CLI::App app("time to compile an operator, by the size of its program");
  app.add_option("--backend", name);
  app.add_option("--most", most)->check(CLI::Range(100, 1'000'000));
  CLI11_PARSE(app, argc, argv);
  const auto backend = must(backend::open(name, {.reference = {}, .threads = 1}));
  fmt::print("{}, {}: nanoseconds an operator\n", backend->identity().device, backend->identity().driver);
  fmt::print("{:<10} {:<8}", "shape", "");
  for (uint32_t n = 100; n <= most; n *= 10) fmt::print(" {:>9}", n);
  fmt::print(" {:>9}\n", "grows");
  for (const Shape& shape : kShapes) {
    std::vector<double> checking, compiling;
    for (uint32_t n = 100; n <= most; n *= 10) {
      const std::string text = text_of(shape, n);
      const int runs = n <= 1000 ? 5 : 1;
      checking.push_back(best_of(runs, [&] { checked(text); }) * 1e9 / n);
      const auto program = checked(text);
      compiling.push_back(best_of(runs, [&] { must(backend->compile(program)); }) * 1e9 / n);
    }
    const auto row = [&](std::string_view what, const std::vector<double>& times) {
      fmt::print("{:<10} {:<8}", what == "check" ? shape.name : "", what);
      for (const double time : times) fmt::print(" {:9.0f}", time);
      double most_growth = 0;
      for (size_t i = 1; i < times.size(); ++i) most_growth = std::max(most_growth, times[i] / times[i - 1]);
      fmt::print(" {:9.2f}\n", most_growth);
    };
    row("check", checking);
    row("compile", compiling);
    std::fflush(stdout);
  }
  return 0;
}
