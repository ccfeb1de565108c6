// Uniformity of kernels.
#include "kernel_uniformity.h"

#include <sstream>

#include "oracle.h"
#include "project_programs.h"
#include "three_ways.h"

VYRE_ORACLE(
    SpecificationTable,
    "semantics, \"Uniformity\", read by hand: uniformity_cases.txt; semantics, \"Uniformity\", read by hand "
    "for each small program; and the checker, which must agree that a barrier stands in uniform control");

namespace vyre::lower {
namespace {

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

TEST(Uniform, WhatTheCasesSay) {
  struct Case {
    std::string name, text;
    Facts wanted;
  };
  std::vector<Case> cases;
  std::istringstream lines(test::file_text("test/unit/lower/uniformity_cases.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("=== ")) cases.push_back({line.substr(4), "", {}});
    if (cases.empty() || line.starts_with("===")) continue;
    cases.back().text += line + "\n";
    const size_t mark = line.find("  // ");
    if (mark == line.npos) continue;
    cases.back().wanted.values.push_back(line.substr(mark).contains("uniform"));
    cases.back().wanted.control.push_back(!line.contains(", apart"));
  }
  ASSERT_GE(cases.size(), 6u);
  for (const Case& c : cases) {
    const Kernel kernel = build(test::checked(c.text));
    const Facts facts = probe(kernel);
    EXPECT_EQ(facts.values, c.wanted.values) << c.name << "\n" << print(kernel);
    EXPECT_EQ(facts.control, c.wanted.control) << c.name << "\n" << print(kernel);
    // Guards must not lose a fact about values.
    for (const Target& target : targets())
      EXPECT_EQ(probe(legalize(kernel, target)).values, c.wanted.values) << c.name << " " << target.name;
  }
}

// The checker has accepted these barriers, so control there is uniform, in the kernel and in all its legal
// forms.
TEST(Uniform, BarriersStayInUniformControl) {
  const Kernel kernel = build(test::checked(R"(
program p(read params: u32 @0, read_write out: u32 @1) workgroup(4, 1, 1) {
  let n = params[0];
  let m = 2;
  for i in n..params[n] {
    m = m + params[i];
    if (params[m] < 3) { barrier; }
  }
  if (m == 2) { return; }
  barrier;
  out[local_id.x] = m;
})"));
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
