// Fast forms against the oracle, computed by the host instead of a kernel: every exponent, every edge, the
// places where a form changes its way, and the exceptions; with and without fused multiply-adds and
// subnormals. All inputs are run by fast_sweep, and kernels with fast forms by float_rules_test.cpp and
// float_sweep.
#include "lower/fast_forms.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "host_machine.h"
#include "lower/fast/arcs.h"
#include "lower/fast/exponentials.h"
#include "lower/fast/logarithms.h"
#include "num/functions.h"
#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(SpecificationTable, "by hand: what a form is written in, named here");

namespace vyre::lower {
namespace {

using spec::Op;
using Words = std::vector<uint32_t>;

template <class M>
using FormOn = fast::Word<M> (*)(fast::Word<M>);
/// The form on each machine, and what it has to give.
struct FastForm {
  Op op;
  FormOn<fast::HostMachine<true>> fused;
  FormOn<fast::HostMachine<false>> plain;
  FormOn<fast::HostMachine<false, true>> flushing;
  uint32_t (*oracle)(num::FloatFormat, uint32_t);
};
#define SUBJECT(Name, name) \
  FastForm { Op::Name, fast::name, fast::name, fast::name, num::name }
constexpr FastForm kFastForms[] = {
    SUBJECT(FSin, sin),   SUBJECT(FCos, cos),   SUBJECT(FTan, tan),     SUBJECT(FASin, asin),
    SUBJECT(FACos, acos), SUBJECT(FATan, atan), SUBJECT(FExp, exp),     SUBJECT(FLog, log),
    SUBJECT(FExp2, exp2), SUBJECT(FLog2, log2), SUBJECT(FExp10, exp10), SUBJECT(FLog10, log10),
};
#undef SUBJECT

/// Each value with its neighbours, of both signs.
void add_around(uint32_t a, Words& out) {
  for (uint32_t near = a - 2; near != a + 3; ++near) {
    out.push_back(near & ~fast::kSign);
    out.push_back(near | fast::kSign);
  }
}
Words inputs(const FastForm& s) {
  // where forms change their way: small, tiny, far angles; bounds of exp, exp2, exp10; 1/2, 1, tan(pi/8),
  // tan(3 pi/8)
  constexpr uint32_t kTurns[] = {0,          fast::kTiny, 0x49800000, 0x42b17218, 0x42cff1b5, 0x43000000,
                                 0x43160000, 0x421a209b,  0x42349e36, 0x3f000000, 0x3f800000, 0x3ed413cd,
                                 0x401a827a, 0x7f7fffff,  0x7f800000, 0x7fffffff};
  // exceptions: sin, cos, exp2, log (and what would be one without its e_low), log10, atan, acos
  constexpr uint32_t kExceptions[] = {0x46199998, 0x55cafb2a, 0x5f18b878, 0x6115cb11, 0x7908cd73, 0x3b429d37,
                                      0x3cf3a937, 0x4c5d65a5, 0x65d890d3, 0x6f31a8ec, 0x3c413d3a, 0x41178feb,
                                      0x0efeee7a, 0x3d8d6b23, 0x328885a3, 0x39826222};
  Words out;
  for (const uint32_t at : kTurns) add_around(at, out);
  for (const uint32_t at : kExceptions) add_around(at, out);
  for (uint32_t field = 0; field < 512; ++field) {
    add_around(field << 23, out);
    for (uint32_t i = 0; i < 200; ++i) out.push_back(field << 23 | philox(uint64_t(s.op), field, i)[0] >> 9);
  }
  for (int32_t n = -160; n <= 160; ++n) {
    add_around(std::bit_cast<uint32_t>(float(n)), out);             // powers with an integer for a result
    add_around(std::bit_cast<uint32_t>(std::exp2(float(n))), out);  // logarithms with one
    add_around(std::bit_cast<uint32_t>(float(std::pow(10.0, n))), out);
  }
  return out;
}

template <class M>
void expect_right(FormOn<M> form, const FastForm& s, const Words& all, std::string_view variant) {
  uint32_t wrong = 0;
  for (const uint32_t x : all) {
    M machine;
    const uint32_t got = form({&machine, x}).v, wanted = s.oracle(spec::kBinary32, x);
    if (got != wanted && ++wrong < 5) {
      ADD_FAILURE() << spec::info(s.op).mnemonic << ' ' << variant << " of " << std::hex << x << " is " << got
                    << ", not " << wanted;
    }
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(FastForms, AreRightWhereTheyMayFail) {
  VYRE_ORACLE(CpuReference, "num/functions.h");
  for (const FastForm& s : kFastForms) {
    const Words all = inputs(s);
    expect_right(s.fused, s, all, "fused");
    expect_right(s.plain, s, all, "plain");
    expect_right(s.flushing, s, all, "flushing");
  }
}

TEST(FastForms, NeedSumsAndProductsThatRoundRight) {
  for (const FastForm& s : kFastForms) {
    EXPECT_TRUE(has_fast_form(s.op, kIeeeFloats));
    EXPECT_TRUE(has_fast_form(s.op, kFlushingFloats));
    EXPECT_FALSE(has_fast_form(s.op, kNoFloats));
    for (const RawOp op : {RawOp::WideOf, RawOp::WideLow, RawOp::WideHigh, RawOp::WideSelect, RawOp::WideFrom,
                           RawOp::WideTo, RawOp::WideAdd, RawOp::WideSub, RawOp::WideMul}) {
      FloatPromises less = kIeeeFloats;
      less[op].half_ulps = 1;
      EXPECT_FALSE(has_fast_form(s.op, less)) << info(op).name;
    }
    FloatPromises unfused = kIeeeFloats;
    unfused[RawOp::WideMulAdd] = unfused[RawOp::WideDiv] = unfused[RawOp::WideSqrt] = {};
    EXPECT_TRUE(has_fast_form(s.op, unfused));
  }
  EXPECT_FALSE(has_fast_form(Op::FPow, kIeeeFloats));
  EXPECT_FALSE(has_fast_form(Op::FAdd, kIeeeFloats));
}

}  // namespace
}  // namespace vyre::lower
