// primitive.compare.select: t where c is not zero, else f; all three are evaluated.
#include "ops/reference.h"

namespace {

// Begins with f and flips what t has otherwise, under a mask of the condition.
uint32_t reference(uint32_t c, uint32_t t, uint32_t f) {
  const uint32_t mask = c == 0 ? 0 : 0xffffffff;
  return f ^ ((t ^ f) & mask);
}

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_compare_select() {
  return {
      .id = "primitive.compare.select",
      .version = 1,
      .signature = words(3),
      .category = spec::Category::A,
      .summary = "t if c is non-zero, else f",
      .parameter_names = {"c", "t", "f"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) { return f.select(p[0], p[1], p[2]); },
      .laws = {laws::custom("equal_branches", 2,
                            [](ir::FunctionBuilder& f, std::span<const ir::Ex> v) {
                              return f.call("primitive.compare.select", {v[0], v[1], v[1]}) == v[1];
                            })},
      .denied =
          {
              {laws::bounded(0, 1), {1, 2, 3}},  // the condition is a truth, the result is any word
              {laws::bounded(0, 0x7fffffff), {0, 0, 0xffffffff}},
          },
      .classes =
          {
              {"the condition is 0", [](const uint32_t* x) { return x[0] == 0; }, {0, 10, 20}},
              {"the condition is 1", [](const uint32_t* x) { return x[0] == 1; }, {1, 10, 20}},
              {"the condition is another word, which is true",
               [](const uint32_t* x) { return x[0] > 1; },
               {0x80000000, 10, 20}},
          },
      .boundaries =
          {
              {{0, 0, 0xffffffff}, "false"},
              {{1, 0, 0xffffffff}, "the usual true"},
              {{2, 0xffffffff, 0}, "true without the lowest bit"},
              {{0x80000000, 0xffffffff, 0}, "true by the highest bit alone"},
              {{0xffffffff, 0, 0}, "both arms are equal"},
          },
      .rows =
          {
              {{0, 10, 20}, 20, "zero is false", "semantics: Operators (Select)"},
              {{1, 10, 20}, 10, "one is true", "semantics: Operators (Select)"},
              {{2, 10, 20},
               10,
               "any word but zero is true, also an even one",
               "semantics: Operators (Select)"},
              {{0x80000000, 10, 20}, 10, "the highest bit alone is true", "semantics: Operators (Select)"},
              {{0xffffffff, 10, 20}, 10, "all ones is true", "semantics: Operators (Select)"},
              {{0, 0, 0xffffffff}, 0xffffffff, "every bit of f arrives", "semantics: Operators (Select)"},
              {{1, 0xffffffff, 0}, 0xffffffff, "every bit of t arrives", "semantics: Operators (Select)"},
              {{1, 0, 0xffffffff}, 0, "no bit of f shines through", "semantics: Operators (Select)"},
              {{7, 5, 5}, 5, "equal arms: the condition does not matter", "semantics: Operators (Select)"},
          },
      .identities =
          {
              {{0, 5, {}}, {}, "zero is false: the third operand", "semantics: The primitives"},
              {{1, {}, 5}, {}, "true: the second operand", "semantics: The primitives"},
              {{2, {}, 5}, {}, "any word but zero is true", "semantics: The primitives"},
              {{{}, 9, 9}, 9, "both ways are alike", "semantics: The primitives"},
          },
      .define = [](smt::Pool& pool,
                   std::span<const smt::Term> x) { return pool.ite(pool.is_not_zero(x[0]), x[1], x[2]); },
  };
}

}  // namespace vyre::ops
