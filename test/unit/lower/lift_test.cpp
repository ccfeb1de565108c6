// Lifted programs, and what of a kernel depends on the order of atomics.
#include "lower/lift.h"

#include "oracle.h"
#include "spec/ops.h"
#include "text/text.h"
#include "three_ways.h"

VYRE_ORACLE(SpecificationTable, "the text format: one operator a statement; and by hand");

namespace vyre::lower {
namespace {

check::Checked parsed(std::string_view text) {
  auto program = text::parse(text);
  if (!program) throw std::logic_error(render(program.error(), nullptr));
  return checked(std::move(*program));
}

TEST(Raise, WritesOneOperatorAStatement) {
  const auto program = parsed(R"(program p(read k: u32 @0, read_write v0: u32 @7) workgroup(2, 1, 1) {
  let x = k[0];
  if (x > 2) {
    x = x + 1;
  }
  for i in 0..x {
    v0[i] = x * i;
  }
})");
  EXPECT_EQ(text::print(lift(build(program))),
            R"(program p(read k: u32 @0, read_write v0: u32 @7) workgroup(2, 1, 1) {
  let kkv0 = 0;
  let kkv1 = k[kkv0];
  let kks0 = kkv1;
  let kkv3 = kks0;
  let kkv4 = 2;
  let kkv5 = kkv3 > kkv4;
  if (kkv5) {
    let kkv7 = kks0;
    let kkv8 = 1;
    let kkv9 = kkv7 + kkv8;
    kks0 = kkv9;
  }
  let kkv11 = 0;
  let kkv12 = kks0;
  for kkv13 in kkv11..kkv12 {
    let kkv14 = kks0;
    let kkv15 = kkv14 * kkv13;
    v0[kkv13] = kkv15;
  }
}
)");
}

TEST(Raise, ProbesSayWhatWasComputedLast) {
  // Probes are numbered in the order of evaluation, a barrier begins a phase.
  const auto program = parsed(R"(program p(read a: u32 @0, read_write out: u32 @1) workgroup(2, 1, 1) {
  let x = a[local_id.x] + 10;
  barrier;
  out[local_id.x] = x * 3;
})");
  const Kernel kernel = build(program);
  const auto probed = checked(raise_watched(kernel, {watchable(kernel), {}}));
  ASSERT_EQ(probed.bound_buffers().size(), 4u);
  const auto traces = [&](uint32_t phase, uint32_t number, uint32_t first = 0) {
    const auto ran = run_reference(
        probed, {{5, 6}, {0, 0}, {phase, number, first, 1, 2, 1}, Words(2 * kTraceWords)}, {2, 1, 1});
    EXPECT_TRUE(ran) << ran.error().message;
    EXPECT_EQ((*ran)[1], (Words{45, 48}));
    return (*ran)[3];
  };
  const auto caught = [&](const Words& trace, size_t invocation) {
    const uint32_t number = trace[invocation * kTraceWords + uint32_t(Trace::Caught)];
    return number == 0 ? std::string() : print(kernel, Value{number - 1});
  };
  const auto word = [&](const Words& trace, size_t invocation, Trace which) {
    return trace[invocation * kTraceWords + uint32_t(which)];
  };
  // Phase 0: local_id, a[], 10, the sum. Phase 1: local_id, 3, the product, what the store left.
  const Words none = traces(0, 0), sum = traces(0, 4), stored = traces(1, 4),
              all = traces(UINT32_MAX, UINT32_MAX);
  EXPECT_EQ(caught(none, 0), "");
  EXPECT_EQ(word(none, 0, Trace::Hash), 1u);
  EXPECT_NE(caught(sum, 1).find("add"), std::string::npos) << caught(sum, 1);
  EXPECT_EQ(word(sum, 0, Trace::Word0), 15u);
  EXPECT_EQ(word(sum, 1, Trace::Word0), 16u);
  EXPECT_NE(caught(stored, 0).find("store"), std::string::npos) << caught(stored, 0);
  EXPECT_EQ(word(stored, 1, Trace::Word0), 48u);
  EXPECT_EQ(word(all, 0, Trace::Phase), 1u);
  EXPECT_EQ(word(all, 0, Trace::Most), 4u);
  EXPECT_EQ(word(all, 0, Trace::Hash), word(stored, 0, Trace::Hash)) << "there are no more values";
  EXPECT_NE(word(all, 0, Trace::Hash), word(all, 1, Trace::Hash));
  // The other workgroup has the same traces, and each alone.
  EXPECT_EQ(traces(0, 4, 1), sum);
  EXPECT_EQ(traces(UINT32_MAX, UINT32_MAX, 1), all);
}

TEST(DependsOnOrder, FollowsValuesMemoryAndControl) {
  // Tickets decide what follows from them, in values, memory and control, and nothing else.
  const auto program = parsed(R"(program p(read_write t: u32 @0, read a: u32 @1, read_write out: u32 @2,
    read_write other: u32 @3) workgroup(4, 1, 1) {
  let free = a[0] * 3;
  let ticket = atomic_add(t[0], 1);
  let after = ticket - 5;
  out[ticket] = 1;
  let seen = out[0] / 7;
  if (after > 2) {
    let inside = free % 9;
    other[0] = 4;
  }
  let last = free ^ 6;
})");
  const Kernel kernel = build(program);
  const std::vector<bool> depends = depends_on_order(kernel);
  const auto of = [&](spec::Op op) {
    for (size_t k = 0; k < kernel.insts.size(); ++k) {
      if (kernel.insts[k].kind == InstKind::Apply && kernel.insts[k].op == op) return bool(depends[k]);
    }
    throw std::logic_error("no such operator");
  };
  EXPECT_FALSE(of(spec::Op::Mul));
  EXPECT_TRUE(of(spec::Op::Sub));
  EXPECT_TRUE(of(spec::Op::Div)) << "memory";
  EXPECT_TRUE(of(spec::Op::Mod)) << "control";
  EXPECT_FALSE(of(spec::Op::BitXor)) << "after the if all are there again";
}

TEST(DependsOnOrder, ReachesAllThatFollowsAReturn) {
  const auto program = parsed(R"(program p(read_write t: u32 @0, read a: u32 @1) workgroup(4, 1, 1) {
  if (atomic_add(t[0], 1) == 3) {
    return;
  }
  let x = a[0] * 3;
})");
  const Kernel kernel = build(program);
  const std::vector<bool> depends = depends_on_order(kernel);
  for (size_t k = 0; k < kernel.insts.size(); ++k) {
    if (kernel.insts[k].op == spec::Op::Mul && kernel.insts[k].kind == InstKind::Apply) {
      EXPECT_TRUE(depends[k]);
    }
  }
}

}  // namespace
}  // namespace vyre::lower
