// primitive.compare.logical_and: 1 where both operands are not zero.
// The specification declares no law: on 0 and 1 it would be idempotent and have the identity 1, on words it
// has neither.
#include "ops/reference.h"

namespace {

// A product is zero exactly when a factor is; in 64 bits nothing of it is lost.
uint32_t reference(uint32_t a, uint32_t b) { return uint64_t{a} * b != 0 ? 1 : 0; }

}  // namespace

#include "ops/operation.h"

namespace vyre::ops {

Operation primitive_compare_logical_and() {
  return {
      .id = "primitive.compare.logical_and",
      .version = 1,
      .signature = words(2),
      .category = spec::Category::A,
      .summary = "1 if a and b are both non-zero, else 0",
      .parameter_names = {"a", "b"},
      .reference = reference_of<reference>,
      .compose = [](ir::FunctionBuilder&, std::span<const ir::Ex> p) { return p[0] && p[1]; },
      .laws = {laws::left_absorbing(0), laws::right_absorbing(0), laws::transitive(), laws::zero_product()},
      .denied =
          {
              {laws::idempotent(), {2}},  // the truth of 2 is 1
              {laws::identity(1), {2}},
              {laws::identity(0xffffffff), {2}},
              {laws::absorbing(1), {0}},
              {laws::self_inverse(0), {1}},
              {laws::right_identity(1), {2}},
              {laws::lattice_absorption("primitive.compare.logical_or"), {2, 0}},  // a truth is 0 or 1
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
              {{0, 0}, 0, "false and false", "binary-operations: And"},
              {{1, 0}, 0, "true and false", "binary-operations: And"},
              {{0, 1}, 0, "false and true", "binary-operations: And"},
              {{1, 1}, 1, "true and true", "binary-operations: And"},
              {{42, 7}, 1, "any word but zero is true, and the answer is 1", "binary-operations: And"},
              {{1, 2}, 1, "both true though they share no bit", "binary-operations: And"},
              {{0x80000000, 0x80000000},
               1,
               "both true though their product ends in 32 zeros",
               "binary-operations: And"},
              {{0xffffffff, 0}, 0, "all ones is true and no more", "binary-operations: And"},
          },
      .identities =
          {
              {{0, {}}, 0, "false and anything", "binary-operations: And"},
              {{{}, 0}, 0, "anything and false", "binary-operations: And"},
          },
      .define =
          [](smt::Pool& pool, std::span<const smt::Term> x) {
            return pool.word(pool.and_(pool.is_not_zero(x[0]), pool.is_not_zero(x[1])), pool.width(x[0]));
          },
  };
}

}  // namespace vyre::ops
