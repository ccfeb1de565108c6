// The uniformity analysis by itself, against the paragraph of SEMANTICS read literally.
#include "analyze/uniformity.h"

#include <gtest/gtest.h>

#include <charconv>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "ir/builder.h"
#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(
    SpecificationTable,
    "by hand: the steps from a barrier under a condition on a variable that is set after a divergent return");

namespace vyre::analyze {
namespace {

using ir::BlockId;
using ir::DataType;
using ir::Ex;
using ir::ExprId;
using ir::ExprKind;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;

constexpr uint32_t kNamed = 8;

/// What names stand for in the programs of this file: variable `v<n>` is n, buffers are in the order
/// declared.
struct Names {
  explicit Names(const ir::Program& program) {
    const ir::Code& code = program.code;
    const auto of = [&](ir::Symbol symbol) {
      const std::string_view name = code.name(symbol);
      for (uint32_t i = 0; i < program.buffers.size(); ++i) {
        if (program.buffers[i].name == symbol) return i;
      }
      uint32_t number = kUnresolved;
      if (name.starts_with('v')) std::from_chars(name.data() + 1, name.data() + name.size(), number);
      return number;
    };
    spec::add_intrinsics(ops);
    for (const ir::Expr& e : code.exprs) {
      exprs.push_back(of(e.symbol));
      if (e.kind != ir::ExprKind::Apply || e.op != spec::Op::Call) continue;
      const spec::OpDef* callee = ops.find(code.name(e.symbol), e.immediate);
      exprs.back() = callee == nullptr ? kUnresolved : uint32_t(callees.size());
      if (callee != nullptr) callees.push_back(callee);
    }
    for (const Node& n : code.nodes) nodes.push_back(of(n.symbol));
  }
  spec::OpTable ops;
  std::vector<uint32_t> exprs, nodes;
  std::vector<const spec::OpDef*> callees;
};

/// The oracle: the paragraph, sentence by sentence, over the tree, again and again until nothing changes.
class Paragraph {
 public:
  Paragraph(const ir::Program& program, const Names& names)
      : program_(program),
        code_(program.code),
        names_(names),
        variables(kNamed, true),
        control(code_.nodes.size(), true) {
    do {
      changed_ = false;
      flow(program.entry, true);
    } while (changed_);
  }

 private:
  bool uniform(ExprId id) {
    const ir::Expr& e = code_[id];
    for (const ExprId operand : code_.args(e)) {
      if (!uniform(operand)) return false;
    }
    if (e.kind == ExprKind::Var) return variables[names_.exprs[index(id)]];
    if (e.kind == ExprKind::Load) {
      const auto access = program_.buffers[names_.exprs[index(id)]].access;
      return access == spec::BufferAccess::Read || access == spec::BufferAccess::Uniform;
    }
    if (e.kind == ExprKind::Apply && e.op == spec::Op::Call) return code_.name(e.symbol) == "subgroup.size";
    if (e.kind == ExprKind::Apply) return !spec::is_atomic(e.op);
    return e.kind != ExprKind::LocalId && e.kind != ExprKind::InvocationId;
  }
  void not_uniform(uint32_t variable) {
    changed_ = changed_ || variables[variable];
    variables[variable] = false;
  }
  /// Whether some invocations may have returned inside while others did not.
  bool flow(BlockId block, bool here) {
    bool left = false;
    if (block == ir::kNoBlock) return false;
    for (const NodeId id : code_.block(block)) {
      const Node& n = code_[id];
      // What is once not uniform stays so: a loop's body is gone through twice.
      changed_ = changed_ || (control[index(id)] && !here);
      control[index(id)] = control[index(id)] && here;
      bool left_inside = false;
      bool operands = true;
      for (const ExprId operand : code_.args(n)) operands = uniform(operand) && operands;
      switch (n.kind) {
        case NodeKind::Let:
        case NodeKind::Assign:
          if (!operands || !here) not_uniform(names_.nodes[index(id)]);
          break;
        case NodeKind::If:
          left_inside = flow(n.body, here && operands);
          left_inside = flow(n.orelse, here && operands) || left_inside;
          break;
        case NodeKind::Loop:
          if (!operands) not_uniform(names_.nodes[index(id)]);
          left_inside = flow(n.body, here && operands);
          if (left_inside) flow(n.body, false);
          break;
        case NodeKind::Block: left_inside = flow(n.body, here); break;
        case NodeKind::Return: left_inside = !here; break;
        case NodeKind::Store:
        case NodeKind::Barrier: break;
      }
      here = here && !left_inside;
      left = left || left_inside;
    }
    return left;
  }

  const ir::Program& program_;
  const ir::Code& code_;
  const Names& names_;
  bool changed_ = false;

 public:
  std::vector<bool> variables, control;
};

/// Random programs over eight variables, four buffers and every kind of statement.
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed, 1), p_("p") {
    buffers_ = {p_.read("data", DataType::U32, 0), p_.uniform("params", DataType::U32, 1),
                p_.read_write("out", DataType::U32, 2), p_.workgroup("shared", DataType::U32, 4)};
    // Variables 6 and 7 belong to loops.
    for (uint32_t v = 0; v < 6; ++v) p_.let(name(v), p_.u32(v));
    statements(3);
  }
  ir::Program finish() { return p_.finish(); }

 private:
  static std::string name(uint32_t v) { return "v" + std::to_string(v); }
  Ex leaf() {
    switch (random_.below(24)) {
      case 0: return p_.local_id(0);
      case 1: return p_.workgroup_id(0);
      case 2: return p_.len(buffers_[2]);
      case 3:
      case 4: return p_.load(buffers_[random_.below(4)], p_.var(name(random_.below(6))));
      case 5: return p_.call("subgroup.size", {});
      case 6: return p_.call("subgroup.any", {p_.u32(1)});
      case 7:
      case 8:
      case 9:
      case 10:
      case 11: return p_.u32(1);
      default: return p_.var(name(random_.below(6)));
    }
  }
  Ex value() { return random_.chance(3) ? leaf() + leaf() : leaf(); }
  void statements(uint32_t depth) {
    for (uint32_t n = 1 + random_.below(5); n != 0; --n) statement(depth);
  }
  void statement(uint32_t depth) {
    const uint32_t kinds = depth == 0 ? 4 : 8;
    switch (random_.below(kinds)) {
      case 0: return p_.barrier();
      case 1:
        if (random_.chance(6)) return p_.return_();
        return p_.barrier();
      case 2: return p_.assign(p_.var(name(random_.below(6))), value());
      case 3: return p_.store(buffers_[2], p_.u32(0), value());
      case 4: return p_.if_(value(), [&] { statements(depth - 1); });
      case 5: return p_.if_(value(), [&] { statements(depth - 1); }, [&] { statements(depth - 1); });
      case 6:
        return p_.loop(name(6 + random_.below(2)), value(), value(), [&](Ex) { statements(depth - 1); });
      default: return p_.block([&] { statements(depth - 1); });
    }
  }
  RandomStream random_;
  ir::ProgramBuilder p_;
  std::vector<ir::BufferRef> buffers_;
};

TEST(Uniformity, AgreesWithTheParagraphOnRandomPrograms) {
  VYRE_ORACLE(CpuReference,
              "class Paragraph above: SEMANTICS' sentences over the tree, iterated; no graph, no work list");
  size_t uniform = 0, divergent = 0;
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    const ir::Program program = Generator(seed).finish();
    const Names names(program);
    const Paragraph expected(program, names);
    const Uniformity found(
        {program.code, program.entry, program.buffers, names.exprs, names.nodes, kNamed, names.callees});
    std::vector<NodeId> barriers;
    const std::function<void(BlockId)> walk = [&](BlockId block) {
      if (block == ir::kNoBlock) return;
      for (const NodeId id : program.code.block(block)) {
        const Node& n = program.code[id];
        const bool control = expected.control[index(id)];
        ASSERT_EQ(found.is_control_uniform(id), control) << "seed " << seed << " node " << index(id);
        if (n.kind == NodeKind::Barrier) {
          ++(control ? uniform : divergent);
          if (!control) barriers.push_back(id);
        }
        walk(n.body);
        walk(n.orelse);
      }
    };
    walk(program.entry);
    for (uint32_t v = 0; v < kNamed; ++v) {
      ASSERT_EQ(found.is_uniform(v), expected.variables[v]) << "seed " << seed << " variable " << v;
    }
    ASSERT_EQ(found.divergent_barriers(), barriers);
    for (const NodeId barrier : barriers) {
      const auto steps = found.explain(barrier, 100);
      ASSERT_FALSE(steps.empty());
      ASSERT_LT(steps.size(), 100u);
      // A reason ends at what differs by itself.
      const auto& last = steps.back();
      const ir::Expr& origin = program.code[last.expr];
      const bool lane_wise =
          origin.op == spec::Op::Call && program.code.name(origin.symbol) == "subgroup.any";
      ASSERT_TRUE(origin.kind == ExprKind::LocalId || origin.kind == ExprKind::Load || lane_wise)
          << "seed " << seed;
    }
  }
  // The programs reach both answers often.
  EXPECT_GT(uniform, 10'000u);
  EXPECT_GT(divergent, 10'000u);
}

TEST(Uniformity, ExplainsStepByStep) {
  ir::ProgramBuilder p("p");
  const Ex flag = p.let("v0", p.u32(0));            // node 0
  p.if_(p.local_id(1) == 0, [&] { p.return_(); });  // nodes 2 and 1
  p.assign(flag, p.u32(1));                         // node 3
  p.if_(flag, [&] { p.barrier(); });                // nodes 5 and 4
  const ir::Program program = p.finish();
  const Names names(program);
  const Uniformity found({program.code, program.entry, program.buffers, names.exprs, names.nodes, 1});
  ASSERT_EQ(found.divergent_barriers(), std::vector<NodeId>{NodeId{4}});
  EXPECT_FALSE(found.is_uniform(0));
  EXPECT_TRUE(found.is_control_uniform(NodeId{2}));
  EXPECT_FALSE(found.is_control_uniform(NodeId{3}));
  // The shortest reason: the return, not the flag.
  const auto steps = found.explain(NodeId{4}, 10);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].kind, DivergenceStep::Kind::Return);
  EXPECT_EQ(steps[0].node, NodeId{1});
  EXPECT_EQ(steps[1].kind, DivergenceStep::Kind::Condition);
  EXPECT_EQ(steps[1].node, NodeId{2});
  EXPECT_EQ(program.code[steps[1].expr].kind, ExprKind::LocalId);
  EXPECT_EQ(found.explain(NodeId{4}, 1).size(), 1u);
}

}  // namespace
}  // namespace vyre::analyze
