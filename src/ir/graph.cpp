#include "ir/graph.h"

#include <fmt/format.h>

namespace vyre::ir {

std::string nested_name(size_t number) { return fmt::format("#{}", number); }

std::optional<uint32_t> misplaced(const Graph& graph) {
  struct Waiting {
    Symbol name;
    uint32_t depth;  // of operations in each other
  };
  std::vector<Waiting> waiting;  // for the command that uses them
  std::vector<Symbol> used;      // by one command, in the order of the text
  std::vector<ExprId> pending;
  for (uint32_t i = 0; i < graph.commands.size(); ++i) {
    const TensorCommand& command = graph.commands[i];
    used.clear();
    pending.assign(command.operands.rbegin(), command.operands.rend());
    while (!pending.empty()) {
      const Expr& e = graph.code[pending.back()];
      pending.pop_back();
      if (e.kind == ExprKind::Var && is_nested_name(graph.code.name(e.symbol))) used.push_back(e.symbol);
      const auto args = graph.code.args(e);
      pending.insert(pending.end(), args.rbegin(), args.rend());
    }
    if (used.size() > waiting.size()) return i;
    uint32_t depth = 0;
    const size_t rest = waiting.size() - used.size();
    for (size_t k = 0; k < used.size(); ++k) {
      if (waiting[rest + k].name != used[k]) return i;
      depth = std::max(depth, waiting[rest + k].depth);
    }
    waiting.resize(rest);
    const bool nested = is_nested(graph, command);
    const bool value = command.op == TensorOp::Value;
    const Expr* const root = command.operands.empty() ? nullptr : &graph.code[command.operands[0]];
    const bool calls = value && root != nullptr && root->kind == ExprKind::Apply && root->op == Op::Call;
    if (command.names.size() != 1 && !calls) return i;
    if (value && used.size() == 1 && root->kind == ExprKind::Var) return i;
    if (nested) {
      if (value || depth == kMaxTensorNesting || graph.code.name(command.names[0]) != nested_name(i))
        return i;
      waiting.push_back({command.names[0], depth + 1});
    } else if (!waiting.empty() || std::ranges::any_of(command.names, [&](Symbol name) {
                 return is_nested_name(graph.code.name(name));
               })) {
      return i;
    }
  }
  if (!waiting.empty()) return uint32_t(graph.commands.size() - 1);
  return std::nullopt;
}

}  // namespace vyre::ir
