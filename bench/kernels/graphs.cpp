// Rivals of graphs: a chain of operators written by hand, and what a copy of as much takes.
#include <cstring>

#include "kernels/chain20.h"
#include "kernels/parallel.h"
#include "kernels/rivals.h"

namespace {
using vyre::bench::parallel;

VYRE_HAND(chain20) {
  const float* __restrict x = a.at<float>(0);
  float* __restrict y = a.at<float>(1);
  parallel(a.count<float>(1), 1 << 14, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) y[i] = chain20(x[i]);
  });
}

VYRE_BANDWIDTH(graph_copy, "memcpy") {
  const char* from = a.at<char>(0);
  char* to = a.at<char>(1);
  const size_t bytes = a.bytes[0];
  parallel(bytes, (bytes / vyre::bench::threads() + 4095) / 4096 * 4096,
           [=](size_t first, size_t last) { std::memcpy(to + first, from + first, last - first); });
}

}  // namespace
