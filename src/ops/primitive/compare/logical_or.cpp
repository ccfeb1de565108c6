// primitive.compare.logical_or: 1 where an operand is not zero.
// The specification declares no law: on 0 and 1 it would be idempotent and have the identity 0, on words it
// has neither.
#include "ops/reference.h"

namespace {

// A sum of words is zero exactly when both are; in 64 bits nothing of it is lost.
uint32_t reference(uint32_t a, uint32_t b) { return uint64_t{a} + b != 0 ? 1 : 0; }

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_compare_logical_or() {
  return {
      .id = "primitive.compare.logical_or",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "1 if a or b is non-zero, else 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] || p[1]; },
      .laws = {laws::left_absorbing(1), laws::right_absorbing(1), laws::zero_product()},
      .denied =
          {
              {laws::idempotent(), {2}},  // the truth of 2 is 1
              {laws::identity(0), {2}},
              {laws::absorbing(0xffffffff), {0}},  // the answer is 1
              {laws::self_inverse(0), {1}},
              {laws::self_inverse(1), {0}},
              {laws::transitive(), {0, 1, 0}},
              {laws::lattice_absorption("primitive.compare.logical_and"), {2, 0}},  // a truth is 0 or 1
          },
      .classes =
          {
              {"both false", [](const uint32_t* x) { return x[0] == 0 && x[1] == 0; }, {0, 0}},
              {"one false", [](const uint32_t* x) { return (x[0] == 0) != (x[1] == 0); }, {0, 7}},
              {"both true, with a bit in common",
               [](const uint32_t* x) { return (x[0] & x[1]) != 0; },
               {1, 1}},
              {"both true, no bit in common",
               [](const uint32_t* x) { return x[0] != 0 && x[1] != 0 && (x[0] & x[1]) == 0; },
               {1, 2}},
          },
      .boundaries =
          {
              {{0, 0}, "both false"},
              {{1, 1}, "both the usual true"},
              {{0xffffffff, 0xffffffff}, "both true at the greatest"},
              {{0x80000000, 1}, "true by the highest bit and by the lowest: no bit in common"},
              {{0, 0xffffffff}, "false and true"},
          },
      .rows =
          {
              {{0, 0}, 0, "false or false", "binary-operations: Or"},
              {{1, 0}, 1, "true or false", "binary-operations: Or"},
              {{0, 1}, 1, "false or true", "binary-operations: Or"},
              {{42, 7}, 1, "any word but zero is true, and the answer is 1", "binary-operations: Or"},
              {{1, 2}, 1, "the answer is 1, not the bits of both", "binary-operations: Or"},
              {{0x80000000, 0x80000000},
               1,
               "true though the sum of the words wraps to 0",
               "binary-operations: Or"},
              {{0xffffffff, 1}, 1, "true though the sum of the words wraps to 0", "binary-operations: Or"},
              {{0, 0xffffffff}, 1, "all ones is true, and the answer is 1", "binary-operations: Or"},
          },
      .identities =
          {
              {{1, {}}, 1, "true or anything", "binary-operations: Or"},
              {{{}, 1}, 1, "anything or true", "binary-operations: Or"},
              {{2, {}}, 1, "any word but zero is true", "binary-operations: Or"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.word(pool.or_(pool.is_not_zero(x[0]), pool.is_not_zero(x[1])), pool.width(x[0]));
          },
  };
}

}  // namespace vyre::ops
