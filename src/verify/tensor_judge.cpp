#include <fmt/format.h>

#include <algorithm>

#include "check/module.h"
#include "check/tensors.h"
#include "ops/operation.h"
#include "plan/graph.h"
#include "ref/graph.h"
#include "spec/ops.h"
#include "spec/packed.h"
#include "text/text.h"
#include "verify/guarded_run.h"
#include "verify/tensor_check.h"

namespace vyre::verify {
namespace {

constexpr std::byte kUnwritten{0xee};  // what outputs hold before a run

/// The elements of a tensor that are not as expected, for people.
std::optional<std::string> difference(const std::string& name, const check::SizedNode& node,
                                      const Bytes& expected, const Bytes& found) {
  if (expected == found) return std::nullopt;
  const size_t count = check::elements(node.shape);
  size_t first = count, differ = 0;
  for (size_t at = count; at-- > 0;) {
    if (spec::packed_element(expected, node.type, at) == spec::packed_element(found, node.type, at)) continue;
    first = at;
    ++differ;
  }
  if (differ == 0)
    return fmt::format("{}, {}: there are bits behind the last element", name,
                       check::shape_text(node.type, node.shape));
  const auto shown = [&](const Bytes& from) {
    const auto bits = spec::packed_element(from, node.type, first);
    return fmt::format("{} (0x{:08x})", text::print_literal(node.type, bits), bits[0]);
  };
  return fmt::format("{}, {}: {} of {} elements differ, first number {}: {} where the reference has {}", name,
                     check::shape_text(node.type, node.shape), differ, count, first, shown(found),
                     shown(expected));
}

/// What a text calls the operation of a node.
std::string name_of(const check::SizedNode& node) {
  using check::NodeOp;
  static_assert(size_t(NodeOp::ArgTopK) - size_t(NodeOp::Transpose) ==
                size_t(ir::TensorOp::ArgTopK) - size_t(ir::TensorOp::Transpose));
  if (node.op == NodeOp::Call) return std::string(node.operation->id);
  if (node.op < NodeOp::Transpose) return std::string(spec::info(node.scalar).name);
  const size_t ordinal = size_t(node.op) - size_t(NodeOp::Transpose) + size_t(ir::TensorOp::Transpose);
  return std::string(ir::info(ir::TensorOp(ordinal)).text);
}

template <typename T>
Result<T> first_of(std::expected<T, Diagnostics> checked) {
  if (!checked) return std::unexpected(checked.error().front());
  return std::move(*checked);
}

}  // namespace

/// A graph at its sizes, and its pipeline on the backend.
struct TensorJudge::Compiled {
  generate::GraphCase of;
  tensor::Options options;
  std::shared_ptr<const check::CheckedModule> module;
  check::SizedGraph graph;
  std::optional<plan::Executable> executable;
  std::string refused;  // what is wrong with what the lowering made; empty: nothing

  bool is_of(const TensorCase& c) const {
    return options == c.options && of.shapes == c.graph.shapes && ir::equal(of.module, c.graph.module);
  }
};

Result<std::shared_ptr<TensorJudge::Compiled>> TensorJudge::compile(const TensorCase& c,
                                                                    std::optional<uint32_t> only) {
  auto out = std::make_shared<Compiled>();
  out->of = c.graph;
  out->options = c.options;
  VYRE_TRY(module, first_of(check::check(c.graph.module, ops::op_table())));
  out->module = std::move(module);
  const check::TensorGraph& graph = out->module->graphs().front();
  VYRE_TRY(dimensions, check::dimensions_of(graph, c.graph.shapes));
  VYRE_TRY(sized, check::sized(graph, dimensions));
  out->graph = std::move(sized);
  if (only) out->graph.outputs = {{"node", *only}};
  auto lowered =
      check::check(lower_(out->graph, out->module->module().operations, c.options), ops::op_table());
  if (!lowered) {
    out->refused = "it was lowered to what is not valid: " + render(lowered.error().front(), nullptr);
    return out;
  }
  VYRE_TRY(executable, plan::Executable::make(*backend_, *lowered, 0, plan::Scratch::Anything));
  out->executable.emplace(std::move(executable));
  return out;
}

Result<std::optional<TensorFault>> TensorJudge::run(Compiled& compiled, const TensorCase& c, Bytes* left) {
  if (!compiled.refused.empty()) return TensorFault{compiled.refused};
  const std::vector<std::span<const std::byte>> given(c.graph.inputs.begin(), c.graph.inputs.end());
  VYRE_TRY(expected, ref::run_graph(*compiled.module, compiled.graph, given));
  std::vector<Bytes> buffers = c.graph.inputs;
  for (const Bytes& output : expected) buffers.emplace_back(output.size(), kUnwritten);
  // On the device those of small types are whole words.
  for (size_t i = 0; i < buffers.size(); ++i)
    buffers[i].resize(plan::device_bytes(compiled.graph, i), kUnwritten);
  const size_t inputs = c.graph.inputs.size();
  const auto once = [&](uint32_t guard_bytes) -> Result<GuardedRun> {
    plan::RunNotes notes{.guard_bytes = guard_bytes};
    VYRE_TRY(ran, run_guarded(*backend_, memory_, buffers, [&](auto ranges, auto contents) {
               return compiled.executable->run(ranges, &notes, contents);
             }));
    dispatches += notes.dispatches;
    ran.guard_words += notes.guard_words;
    ran.broken += notes.broken_guards;
    guard_words += ran.guard_words;
    broken += ran.broken;
    for (size_t i = 0; i < expected.size(); ++i) ran.buffers[inputs + i].resize(expected[i].size());
    return ran;
  };
  const auto fault_of = [&](const GuardedRun& ran) -> std::optional<std::string> {
    if (ran.broken != 0) return fmt::format("{} guard words beside the tensors are others", ran.broken);
    if (!std::equal(buffers.begin(), buffers.begin() + std::ptrdiff_t(inputs), ran.buffers.begin()))
      return "an input was written";
    for (size_t i = 0; i < expected.size(); ++i) {
      const auto& output = compiled.graph.outputs[i];
      const auto& node = compiled.graph.nodes[output.node];
      if (auto different = difference(output.name, node, expected[i], ran.buffers[inputs + i]))
        return different;
    }
    return std::nullopt;
  };
  // The second time scratch has guard words, so that other arrays share memory than the first time.
  constexpr std::array<uint32_t, 2> kGuards = {0, 256};
  for (const uint32_t guard_bytes : std::span(kGuards).first(repeats ? 2 : 1)) {
    VYRE_TRY(ran, once(guard_bytes));
    if (left != nullptr && guard_bytes == 0) {
      for (size_t i = 0; i < expected.size(); ++i)
        left->insert(left->end(), ran.buffers[inputs + i].begin(), ran.buffers[inputs + i].end());
    }
    const auto fault = fault_of(ran);
    if (!fault) continue;
    VYRE_TRY(again, once(guard_bytes));
    return TensorFault{*fault, again.buffers != ran.buffers};
  }
  return std::nullopt;
}

Result<std::optional<TensorFault>> TensorJudge::judge(const TensorCase& c, Bytes* left) {
  if (compiled_ == nullptr || !compiled_->is_of(c)) {
    compiled_.reset();
    VYRE_TRY(compiled, compile(c, std::nullopt));
    compiled_ = std::move(compiled);
  }
  return run(*compiled_, c, left);
}

TensorCase TensorJudge::shrink(const TensorCase& failing, size_t max_evaluations) {
  TensorCase out = failing;
  const auto fails = [&](const generate::GraphCase& candidate) {
    out.graph = candidate;
    const auto found = judge(out);
    return found && found->has_value();
  };
  // As planned by default, if it fails so as well: then the plan is not what is wrong.
  out.options = {};
  if (failing.options == out.options || !fails(failing.graph)) out.options = failing.options;
  out.graph = generate::shrink_graph(failing.graph, ops::op_table(), fails, max_evaluations);
  return out;
}

std::string TensorJudge::culprit(const TensorCase& failing) {
  const auto all = compile(failing, std::nullopt);
  if (!all) return {};
  const std::vector<check::SizedNode>& nodes = (*all)->graph.nodes;
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].op == check::NodeOp::Parameter || nodes[n].op == check::NodeOp::Literal) continue;
    const auto alone = compile(failing, n);
    if (!alone) return {};
    const auto found = run(**alone, failing, nullptr);
    if (!found || *found)
      return fmt::format("{}, {}", name_of(nodes[n]), check::shape_text(nodes[n].type, nodes[n].shape));
  }
  return {};
}

}  // namespace vyre::verify
