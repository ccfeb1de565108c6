#include "check/words_as_indices.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/body.h"
#include "check/report.h"
#include "spec/ops.h"

namespace vyre::check {

using ir::ExprKind;
using ir::NodeKind;

Diagnostics find_words_as_indices(const ir::Program& program, const Resolution& names) {
  if (std::ranges::find(program.buffers, DataType::Bytes, &ir::BufferDecl::element) == program.buffers.end())
    return {};
  const ir::Code& code = program.code;
  // By VarId: the element that a variable is, or its own kNoTarget.
  std::vector<uint32_t> elements(names.variables.size(), kNoTarget);
  const auto is_element = [&](ExprId id) {
    const uint32_t buffer = names.expr_target[ir::index(id)];
    return code[id].kind == ExprKind::Load && buffer != kNoTarget &&
           program.buffers[buffer].element == DataType::Bytes;
  };
  for (uint32_t i = 0; i < code.nodes.size(); ++i) {
    const uint32_t variable = names.node_target[i];
    const ir::Node node = code[NodeId{i}];
    if (node.kind != NodeKind::Let || variable == kNoTarget) continue;
    const ExprId value = code.arg(node, 0);
    if (is_element(value) && !names.variables[variable].assigned) elements[variable] = ir::index(value);
  }

  Report report;
  const auto look_at = [&](ExprId index) {
    uint32_t element = is_element(index) ? ir::index(index) : kNoTarget;
    const uint32_t target = names.expr_target[ir::index(index)];
    if (code[index].kind == ExprKind::Var && target != kNoTarget) element = elements[target];
    if (element == kNoTarget) return;
    const std::string name = quoted(code.name(code.exprs[element].symbol));
    Diag& diag = report.add(DiagCode::V044, code.span(index),
                            fmt::format("this index is a word of four bytes of {}", name),
                            "byte i of data is (data[i >> 2] >> ((i & 3) * 8)) & 0xff; declare the buffer "
                            "u32 if words are meant");
    const Span declared = program.buffers[names.expr_target[element]].span;
    diag.notes.push_back({declared, fmt::format("{} was declared here", name)});
  };
  for (uint32_t i = 0; i < code.exprs.size(); ++i) {
    const ir::Expr& e = code.exprs[i];
    if (names.expr_target[i] == kNoTarget) continue;  // also of what no statement has
    if (e.kind == ExprKind::Load) std::ranges::for_each(code.args(e), look_at);
    if (e.kind == ExprKind::Apply && spec::is_atomic(e.op)) look_at(code.arg(e, 0));
  }
  for (uint32_t i = 0; i < code.nodes.size(); ++i) {
    const ir::Node node = code[NodeId{i}];
    if (node.kind != NodeKind::Store || names.node_target[i] == kNoTarget) continue;
    std::ranges::for_each(code.args(node).first(node.args.count - 1), look_at);
  }
  return report.take();
}

}  // namespace vyre::check
