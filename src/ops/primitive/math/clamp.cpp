// primitive.math.clamp: x held between lo and hi, unsigned.
// Where lo is above hi, hi wins: min(max(x, lo), hi).
#include "ops/reference.h"

namespace {

// By cases: without an interval hi, else the nearest of its points.
uint32_t reference(uint32_t x, uint32_t lo, uint32_t hi) {
  if (lo >= hi) return hi;
  if (x <= lo) return lo;
  if (x >= hi) return hi;
  return x;
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_math_clamp() {
  return {
      .id = "primitive.math.clamp",
      .version = 1,
      .signature = words(3),
      .category = spec::Category::A,
      .summary = "min(max(x, lo), hi), unsigned",
      .parameter_names = {"x", "lo", "hi"},
      .reference = reference_of<reference>,
      .compose =
          [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
            return f.call("primitive.math.min", {f.call("primitive.math.max", {p[0], p[1]}), p[2]});
          },
      .laws = {laws::custom("between_bounds", 3,
                            [](ir::FunctionBuilder& f, std::span<const ir::Ex> v) {
                              const ir::Ex clamped =
                                  f.let("clamped", f.call("primitive.math.clamp", {v[0], v[1], v[2]}));
                              return v[1] > v[2] || (v[1] <= clamped && clamped <= v[2]);
                            })},
      .denied =
          {
              {laws::bounded(0, 0x7fffffff),
               {0xffffffff, 0, 0xffffffff}},  // unsigned: the greatest word stays
              {laws::bounded(0, 1), {2, 0, 2}},
          },
      .classes =
          {
              {"x below lo", [](const uint32_t* x) { return x[1] <= x[2] && x[0] < x[1]; }, {1, 5, 9}},
              {"x inside", [](const uint32_t* x) { return x[1] <= x[0] && x[0] <= x[2]; }, {7, 5, 9}},
              {"x above hi", [](const uint32_t* x) { return x[1] <= x[2] && x[0] > x[2]; }, {12, 5, 9}},
              {"lo above hi: hi", [](const uint32_t* x) { return x[1] > x[2]; }, {7, 9, 5}},
          },
      .boundaries =
          {
              {{0, 0, 0xffffffff}, "the whole range, at its least"},
              {{0xffffffff, 0, 0xffffffff}, "the whole range, at its greatest"},
              {{5, 5, 5}, "an interval of one point"},
              {{5, 0xffffffff, 0}, "no interval: hi, which is 0"},
              {{0x80000000, 0, 0x7fffffff}, "unsigned: above hi"},
          },
      .rows =
          {
              {{7, 5, 9}, 7, "inside", "semantics: The primitives (clamp)"},
              {{1, 5, 9}, 5, "below: lo", "semantics: The primitives (clamp)"},
              {{12, 5, 9}, 9, "above: hi", "semantics: The primitives (clamp)"},
              {{5, 5, 9}, 5, "at the lower end", "semantics: The primitives (clamp)"},
              {{9, 5, 9}, 9, "at the upper end", "semantics: The primitives (clamp)"},
              {{7, 9, 5},
               5,
               "lo above hi: max(7, 9) is 9, min(9, 5) is 5",
               "semantics: The primitives (clamp)"},
              {{1, 9, 5},
               5,
               "lo above hi, x below both: hi all the same",
               "semantics: The primitives (clamp)"},
              {{0xffffffff, 0, 10},
               10,
               "unsigned: ffffffff is above, not -1",
               "semantics: The primitives (clamp)"},
              {{0x80000000, 0, 0xffffffff},
               0x80000000,
               "unsigned: inside",
               "semantics: The primitives (clamp)"},
              {{0, 0xffffffff, 0xffffffff},
               0xffffffff,
               "an interval of one point at the greatest",
               "semantics: The primitives (clamp)"},
          },
      .identities =
          {
              {{{}, 0, 0xffffffff},
               {},
               "the whole range lets every word through",
               "semantics: The primitives (clamp)"},
              {{{}, 7, 7}, 7, "a range of one word", "semantics: The primitives (clamp)"},
              {{{}, 0xffffffff, 0},
               0,
               "the upper bound is applied last",
               "semantics: The primitives (clamp)"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            const smt::Term raised = pool.ite(pool.ule(x[1], x[0]), x[0], x[1]);
            return pool.ite(pool.ule(raised, x[2]), raised, x[2]);
          },
  };
}

}  // namespace vyre::ops
