// How fast programs are generated: a second of one core's time, and how large they are.
//
// Small programs are those of test/random, with at most 32 nodes and an input of a few elements; large ones
// are the default.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string_view>

#include "generate/programs.h"
#include "ops/operation.h"

namespace {

using namespace vyre;

/// Seconds that this process has computed, so that others on the machine do not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

/// Programs a second, the best of five runs of `count`.
void measure(std::string_view name, const generate::ProgramOptions& options, uint64_t count) {
  generate::ProgramGenerator generator(options);
  generate::ProgramCase program;
  double best = 0;
  uint64_t nodes = 0, most = 0, bytes = 0;
  for (int run = 0; run < 5; ++run) {
    nodes = most = bytes = 0;
    const double begin = cpu_seconds();
    for (uint64_t index = 0; index < count; ++index) {
      generator.make(1, index, program);
      nodes += program.program.code.node_count();
      most = std::max<uint64_t>(most, program.program.code.node_count());
      for (const Bytes& buffer : program.buffers) bytes += buffer.size();
    }
    best = std::max(best, double(count) / (cpu_seconds() - begin));
  }
  fmt::print("{:<6} {:8.0f} programs/s   {:5.1f} nodes on average, {} at most   {:6.1f} bytes of input\n",
             name, best, double(nodes) / double(count), most, double(bytes) / double(count));
}

}  // namespace

int main() {
  measure("small", generate::ProgramOptions::small(&ops::op_table()), 50'000);
  generate::ProgramOptions large;
  large.ops = &ops::op_table();
  measure("large", large, 2'000);
  return 0;
}
