#include "check/barriers.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "analyze/uniformity.h"
#include "spec/ops.h"

namespace vyre::check {
namespace {

using analyze::DivergenceStep;
using analyze::Uniformity;
using ir::ExprKind;
using ir::NodeKind;

// A reason is as long as the chain of variables it goes through; this much of it is shown.
constexpr size_t kShownSteps = 6;

/// What makes an operand differ, as a writer would call it.
std::string name_of_cause(const ir::Code& code, ExprId id) {
  const ir::Expr& e = code[id];
  switch (e.kind) {
    case ExprKind::InvocationId: return "invocation_id";
    case ExprKind::LocalId: return "local_id";
    case ExprKind::WorkgroupId: return "workgroup_id";
    case ExprKind::NumWorkgroups: return std::string(ir::kNumWorkgroups);
    case ExprKind::Load:
      return fmt::format("a load from {}, which others may write,", quoted(code.name(e.symbol)));
    case ExprKind::Apply:
      return fmt::format(
          "{}, which gives each invocation its own value,",
          e.op == spec::Op::Call ? quoted(code.name(e.symbol)) : std::string(spec::mnemonic(e.op)));
    case ExprKind::BufLen: return fmt::format("the length of {}", quoted(code.name(e.symbol)));
    case ExprKind::Literal:
    case ExprKind::Var: break;
  }
  return quoted(code.name(e.symbol));
}

DiagNote note_of(const ir::Code& code, const DivergenceStep& step) {
  const ir::Node& node = code[step.node];
  switch (step.kind) {
    case DivergenceStep::Kind::Condition:
      return {code.span(step.expr), fmt::format("this {} can differ between invocations because of {} here",
                                                node.kind == NodeKind::Loop ? "loop bound" : "condition",
                                                name_of_cause(code, step.expr))};
    case DivergenceStep::Kind::Return:
      return {code.span(step.node), "some invocations may have returned here and others not"};
    case DivergenceStep::Kind::AssignedValue:
      return {code.span(step.expr),
              fmt::format("{} can differ between invocations because of {} here",
                          quoted(code.name(node.symbol)), name_of_cause(code, step.expr))};
    case DivergenceStep::Kind::AssignedControl:
      return {code.span(step.node),
              fmt::format("{} can differ between invocations because it is set here, which "
                          "not all of them may reach",
                          quoted(code.name(node.symbol)))};
  }
  return {};
}

/// What stands where control can differ: a barrier or a call of a subgroup operation.
struct DivergenceSite {
  ir::NodeId statement;
  Span span;
  std::string what;
};

std::vector<DivergenceSite> divergence_sites(const ir::Code& code, const BodyResult& body,
                                             const Uniformity& uniformity) {
  std::vector<DivergenceSite> out;
  for (const ir::NodeId barrier : uniformity.divergent_barriers())
    out.push_back({barrier, code.span(barrier), "barrier"});
  for (const auto& [statement, call] : body.intrinsic_calls) {
    if (uniformity.is_control_uniform(statement)) continue;
    out.push_back(
        {statement, code.span(call), fmt::format("call of {}", quoted(code.name(code[call].symbol)))});
  }
  return out;
}

}  // namespace

void check_barriers(const ir::Program& program, const BodyResult& body, Report& barriers, Report& calls) {
  if (!body.has_barrier && body.intrinsic_calls.empty()) return;
  const Resolution& names = body.resolution;
  const Uniformity uniformity({program.code, program.entry, program.buffers, names.expr_target,
                               names.node_target, uint32_t(names.variables.size()), names.callees,
                               body.in_order});
  for (const DivergenceSite& site : divergence_sites(program.code, body, uniformity)) {
    const auto steps = uniformity.explain(site.statement, kShownSteps);
    const bool returned = steps.front().kind == DivergenceStep::Kind::Return;
    const bool is_barrier = program.code[site.statement].kind == NodeKind::Barrier;
    Diag& diag =
        (is_barrier ? barriers : calls)
            .add(DiagCode::V010, site.span,
                 fmt::format("this {} may not be reached by every invocation of its workgroup", site.what),
                 returned ? "put the rest of the work under a condition instead of returning"
                          : fmt::format("move the {} out, and keep the rest under the condition", site.what));
    for (const DivergenceStep& step : steps) diag.notes.push_back(note_of(program.code, step));
  }
}

}  // namespace vyre::check
