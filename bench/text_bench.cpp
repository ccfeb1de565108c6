// How fast texts are read, printed and formatted: megabytes and nodes a second, the best of five runs in one
// thread.
//
// Two sizes of each text stand under one another, so that a cost that is not linear shows as a falling rate.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

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
  return failures == 0 ? 0 : 1;
}
