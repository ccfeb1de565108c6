// Uniformity of kernels.
#include "kernel_uniformity.h"

#include "oracle.h"
#include "spec/ops.h"
#include "three_ways.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Uniformity\", read by hand for each small program; and the checker, which must "
            "agree that a barrier stands in uniform control");

namespace vyre::lower {
namespace {

using ir::Ex;
using ir::ProgramBuilder;
using spec::DataType;
using spec::Op;

/// Stores to `out` are probes: whether the n-th stored value, in the order of the text, is uniform, and
/// whether control is at the store.
struct Facts {
  std::vector<bool> values, control;
};
Facts probe(const Kernel& kernel) {
  const Uniformity facts = uniformity(kernel);
  Facts out;
  const auto visit = [&](auto&& self, KBlock b) -> void {
    for (const Value v : kernel.block(b)) {
      const Inst& inst = kernel[v];
      if (inst.kind == InstKind::Store || inst.kind == InstKind::RawStore) {
        out.values.push_back(facts.value(kernel.arg(inst, 1)));
        out.control.push_back(facts.reached_together(v));
      }
      if (inst.body != kNoKBlock) self(self, inst.body);
      if (inst.orelse != kNoKBlock) self(self, inst.orelse);
    }
  };
  visit(visit, kernel.entry);
  return out;
}

/// Expectations on the kernel and on its legal forms, where guards must not lose a fact about values.
void expect_facts(ir::Program program, const std::vector<bool>& values, const std::vector<bool>& control) {
  const Kernel kernel = build(checked(std::move(program)));
  const Facts facts = probe(kernel);
  EXPECT_EQ(facts.values, values) << print(kernel);
  EXPECT_EQ(facts.control, control) << print(kernel);
  for (const Target& target : targets())
    EXPECT_EQ(probe(legalize(kernel, target)).values, values) << target.name;
}

TEST(Uniform, Sources) {
  ProgramBuilder p("sources");
  const auto in = p.read("input", DataType::U32, 0), params = p.uniform("params", DataType::U32, 1);
  const auto out = p.read_write("out", DataType::U32, 2);
  const auto shared = p.workgroup("shared", DataType::U32, 4);
  p.workgroup_size(4, 1, 1);
  std::vector<bool> values;
  const auto store = [&](Ex e, bool uniform) {
    p.store(out, p.u32(0), e);
    values.push_back(uniform);
  };
  store(p.u32(7), true);
  store(p.len(out), true);
  store(p.workgroup_id(1), true);
  store(p.local_id(0), false);
  store(p.invocation_id(2), false);
  store(p.load(in, p.u32(3)), true);
  store(p.load(params, p.workgroup_id(0) * 2), true);
  store(p.load(in, p.local_id(0)), false);
  store(p.load(out, p.u32(0)), false);
  store(p.load(shared, p.u32(0)), false);
  store(p.atomic(Op::AtomicAdd, out, p.u32(0), p.u32(0)), false);
  store(p.local_id(0) * 0, false);  // no constant folding takes part
  store(p.select(p.workgroup_id(0), p.len(in), p.u32(2)), true);
  store(p.select(p.local_id(0), p.u32(1), p.u32(1)), false);
  const std::vector<bool> control(values.size(), true);
  expect_facts(p.finish(), values, control);
}

// Source: semantics, "Uniformity": lane ids are not uniform; intrinsics.def says it of each operation.
TEST(Uniform, Subgroups) {
  ProgramBuilder p("subgroups");
  const auto out = p.read_write("out", DataType::U32, 0);
  p.workgroup_size(4, 1, 1);
  p.store(out, p.u32(0), p.call("subgroup.size", {}));
  p.store(out, p.u32(0), p.call("subgroup.lane", {}));
  p.store(out, p.u32(0), p.call("subgroup.reduce_add", {p.u32(1)}));  // one for each subgroup
  const Ex votes = p.let("votes", p.call("subgroup.ballot", {p.u32(1)}));
  p.store(out, p.u32(0), votes.y());
  expect_facts(p.finish(), {true, false, false, false}, {true, true, true, true});
}

// Wide values are uniform as their operands are, in each of their words; so are what tensors give at uniform
// coordinates.
TEST(Uniform, WideValuesAndTensors) {
  ProgramBuilder p("wide");
  const auto size = p.uniform("size", DataType::U32, 0);
  const auto t = p.read("t", ir::Tensor{DataType::U64, {{"n", size, 0}, 2}}, 1);
  const auto out = p.read_write("out", DataType::U32, 2);
  p.workgroup_size(4, 1, 1);
  const Ex i = p.let("i", p.local_id(0));
  const Ex same = p.let("same", p.load(t, {p.u32(1), p.u32(0)}));
  const Ex own = p.let("own", p.load(t, {p.u32(1), i}));
  p.store(out, p.u32(0), p.cast(DataType::U32, same / p.u64(10)));
  p.store(out, p.u32(0), p.cast(DataType::U32, own));
  p.store(out, p.u32(0), p.apply(Op::Popcount, {same}));
  p.store(out, p.u32(0), p.cast(DataType::U32, same + own));
  expect_facts(p.finish(), {true, false, true, false}, {true, true, true, true});
}

TEST(Uniform, VariablesAndLoops) {
  ProgramBuilder p("variables");
  const auto out = p.read_write("out", DataType::U32, 0);
  p.workgroup_size(4, 1, 1);
  const auto store = [&](Ex e) { p.store(out, p.u32(0), e); };
  const Ex a = p.let("a", p.u32(0)), b = p.let("b", p.u32(0)), c = p.let("c", p.u32(0)),
           d = p.let("d", p.u32(0));
  p.loop("i", p.u32(0), p.len(out), [&](Ex i) {
    store(i);            // uniform: both bounds are
    store(c);            // not: a later iteration's assignment comes round
    p.assign(a, a + i);  // every assignment is uniform
    p.assign(c, b);
    p.assign(b, p.local_id(0));
  });
  p.loop("j", p.u32(0), p.local_id(0), [&](Ex j) {
    store(j);         // not: a bound varies
    store(p.u32(1));  // a uniform value where control is not
    p.assign(d, p.u32(1));
  });
  store(a);
  store(b);
  store(c);
  store(d);  // not: assigned under control that is not uniform
  expect_facts(p.finish(), {true, false, false, true, true, false, false, false},
               {true, true, false, false, true, true, true, true});
}

TEST(Uniform, ControlUntilADivergentReturn) {
  ProgramBuilder p("returns");
  const auto out = p.read_write("out", DataType::U32, 0);
  p.workgroup_size(4, 1, 1);
  const auto store = [&] { p.store(out, p.u32(0), p.u32(1)); };
  p.if_(p.workgroup_id(0), [&] {
    store();  // 0: uniform condition
    p.return_();
  });
  store();                                                   // 1: the return above was uniform
  p.if_(p.local_id(0), [&] { store(); }, [&] { store(); });  // 2, 3: not
  store();                                                   // 4: together again
  p.if_(
      p.workgroup_id(1),
      [&] {
        p.if_(p.local_id(0), [&] { p.return_(); });
        store();  // 5: not, some have returned
      },
      [&] { store(); });  // 6: the other side of a uniform condition
  store();                // 7: not
  expect_facts(p.finish(), std::vector<bool>(8, true), {true, true, false, false, true, false, true, false});
}

TEST(Uniform, ADivergentReturnComesRoundTheLoop) {
  ProgramBuilder p("round");
  const auto out = p.read_write("out", DataType::U32, 0);
  p.workgroup_size(4, 1, 1);
  const auto store = [&] { p.store(out, p.u32(0), p.u32(1)); };
  p.loop("i", p.u32(0), p.u32(3), [&](Ex i) {
    store();  // 0: not, from the second iteration on
    p.if_(i == p.local_id(0), [&] { p.return_(); });
    store();  // 1: not
  });
  store();  // 2: not
  expect_facts(p.finish(), {true, true, true}, {false, false, false});
}

// The checker has accepted these barriers, so control there is uniform, in the kernel and in all its legal
// forms.
TEST(Uniform, BarriersStayInUniformControl) {
  ProgramBuilder p("barriers");
  const auto params = p.read("params", DataType::U32, 0);
  const auto out = p.read_write("out", DataType::U32, 1);
  p.workgroup_size(4, 1, 1);
  const Ex n = p.let("n", p.load(params, p.u32(0)));
  const Ex m = p.let("m", p.u32(2));
  p.loop("i", n, p.load(params, n), [&](Ex i) {
    p.assign(m, m + p.load(params, i));
    p.if_(p.load(params, m) < 3, [&] { p.barrier(); });
  });
  p.if_(m == 2, [&] { p.return_(); });
  p.barrier();
  p.store(out, p.local_id(0), m);
  const Kernel kernel = build(checked(p.finish()));
  std::vector<Kernel> kernels = {kernel};
  for (const Target& target : targets()) kernels.push_back(legalize(kernel, target));
  for (const Kernel& k : kernels) {
    const Uniformity facts = uniformity(k);
    for (uint32_t v = 0; v < k.insts.size(); ++v) {
      if (k.insts[v].kind == InstKind::Barrier) EXPECT_TRUE(facts.reached_together(Value{v})) << print(k);
    }
  }
}

}  // namespace
}  // namespace vyre::lower
