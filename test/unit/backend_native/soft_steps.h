// Compositions of two steps: each of their results, and what is left open.
#pragma once

#include "soft.h"

namespace vyre::test {

class Steps {
 public:
  Steps(Op op, FloatFormat format)
      : op_(op),
        format_(format),
        first_(ops::soft_operator(op, format), 0),
        open_(ops::soft_operator(op, format), 1),
        second_(ops::soft_second(op, format), 0),
        still_open_(ops::soft_second(op, format), 1) {}

  /// Compares with the oracle what the first step decides, and the second step's result of every row, which
  /// it has to decide. Gives how many rows the first step leaves open.
  size_t expect_right(const Words& a, const Words& b) {
    const size_t count = a.size();
    const Words first = first_.apply({a, b}, count), open = open_.apply({a, b}, count);
    const Words second = second_.apply({a, b}, count), still_open = still_open_.apply({a, b}, count);
    size_t wrong = 0, left_open = 0;
    for (size_t i = 0; i < count; ++i) {
      const uint32_t want = oracle(op_, format_, {a[i], b[i], 0});
      left_open += open[i];
      const bool right = (open[i] == 1 || (open[i] == 0 && first[i] == want)) && second[i] == want;
      if ((right && still_open[i] == 0) || ++wrong > 3) continue;
      ADD_FAILURE() << first_.name() << "(" << hex(a[i]) << ", " << hex(b[i]) << ") gives " << hex(first[i])
                    << (open[i] != 0 ? " (open), then " : ", then ") << hex(second[i])
                    << (still_open[i] != 0 ? " (open)" : "") << ", not " << hex(want);
    }
    EXPECT_EQ(wrong, 0u) << first_.name() << ": of " << count << " rows";
    return left_open;
  }

 private:
  Op op_;
  FloatFormat format_;
  Columns first_, open_, second_, still_open_;
};

}  // namespace vyre::test
