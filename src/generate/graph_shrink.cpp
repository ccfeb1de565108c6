#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "check/module.h"
#include "generate/graph_sketch.h"
#include "generate/graphs.h"
#include "ref/graph.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "spec/packed.h"

namespace vyre::generate {
namespace {

using ir::ExprKind;
using ir::Op;
using spec::DataType;

uint32_t value_of_size(const SizeTree& tree, const check::Dimensions& dimensions) {
  if (tree.parts.empty()) return tree.name.empty() ? tree.number : dimensions.find(tree.name)->second;
  const uint32_t a = value_of_size(tree.parts[0], dimensions), b = value_of_size(tree.parts[1], dimensions);
  if (tree.op == Op::Add) return a + b;
  if (tree.op == Op::Sub) return a - b;
  if (tree.op == Op::Mul) return a * b;
  if (b == 0) return 0;
  return tree.op == Op::Call ? a / b + (a % b != 0) : a / b;
}

std::vector<SizeTree> numbers(std::span<const uint32_t> shape) {
  std::vector<SizeTree> out;
  for (const uint32_t size : shape) out.push_back({.number = size});
  return out;
}

/// Every size that is written in a sketch.
void for_each_size(GraphSketch& sketch, const std::function<void(SizeTree&)>& each) {
  for (auto* list : {&sketch.parameters, &sketch.outputs}) {
    for (SketchedTensor& tensor : *list) std::ranges::for_each(tensor.sizes, each);
  }
  for (SketchedCommand& command : sketch.commands) std::ranges::for_each(command.sizes, each);
}

void for_each_name(const ValueTree& tree, const std::function<void(const std::string&)>& each) {
  if (tree.kind == ExprKind::Var) each(tree.name);
  for (const ValueTree& operand : tree.operands) for_each_name(operand, each);
}

void replace_name(ValueTree& tree, const std::map<std::string, std::string>& names) {
  if (const auto found = names.find(tree.name); tree.kind == ExprKind::Var && found != names.end())
    tree.name = found->second;
  for (ValueTree& operand : tree.operands) replace_name(operand, names);
}

/// Every part of an expression, its root first.
void collect(ValueTree& tree, std::vector<ValueTree*>& out) {
  out.push_back(&tree);
  for (ValueTree& operand : tree.operands) collect(operand, out);
}

/// One, or what is nearest to it.
std::array<uint32_t, 4> one(DataType type) {
  if (spec::is_small(type) && spec::wide_type(type) == DataType::F32) {
    const spec::SmallFloat f = spec::small_float(type);
    return {uint32_t(f.bias()) << f.fraction_bits, 0, 0, 0};
  }
  if (!spec::kFloats.contains(type)) return {1, 0, 0, 0};
  return {type == DataType::F32 ? 0x3f800000u : type == DataType::F16 ? 0x3c00u : 0x3f80u, 0, 0, 0};
}

class Shrinker {
 public:
  Shrinker(GraphCase failing, const spec::OpTable& ops, const GraphFails& fails, size_t budget)
      : best_(std::move(failing)),
        ops_(ops),
        fails_(fails),
        budget_(budget),
        sketch_(sketch_of(best_.module.graphs[0])) {}

  GraphCase run() {
    name_all();
    inline_calls();
    while (one_output() || without_operation() || expressions()) {
    }
    dimensions();
    all_numbers();
    for (int round = 0; round < 3 && budget_ != 0; ++round) {
      bool changed = false;
      while (one_output() || cut_behind() || cut_before() || without_operation() || expressions())
        changed = true;
      while (smaller_sizes()) changed = true;
      values();
      if (!changed) break;
    }
    return std::move(best_);
  }

 private:
  struct Sized {
    std::shared_ptr<const check::CheckedModule> module;
    check::SizedGraph graph;
  };

  std::optional<Sized> sized(const GraphCase& c) const {
    auto checked = check::check(c.module, ops_);
    if (!checked) return std::nullopt;
    const auto at = check::dimensions_of((*checked)->graphs()[0], c.shapes);
    if (!at) return std::nullopt;
    auto graph = check::sized((*checked)->graphs()[0], *at);
    if (!graph) return std::nullopt;
    return Sized{*checked, std::move(*graph)};
  }

  /// Takes the candidate if it is valid and still fails. What nothing uses goes first.
  bool take(GraphSketch sketch, std::vector<std::vector<uint32_t>> shapes, std::vector<Bytes> inputs) {
    if (budget_ == 0) return false;
    drop_unused(sketch, shapes, inputs);
    GraphCase candidate;
    candidate.module.operations = best_.module.operations;
    candidate.module.graphs = best_.module.graphs;
    candidate.module.graphs[0] = to_graph(sketch);
    candidate.shapes = std::move(shapes);
    candidate.inputs = std::move(inputs);
    drop_unused_items(candidate.module);
    if (!sized(candidate)) return false;
    --budget_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    sketch_ = std::move(sketch);
    return true;
  }
  bool take(GraphSketch sketch) { return take(std::move(sketch), best_.shapes, best_.inputs); }

  static void drop_unused(GraphSketch& sketch, std::vector<std::vector<uint32_t>>& shapes,
                          std::vector<Bytes>& inputs) {
    std::set<std::string> used;
    for (const SketchedTensor& output : sketch.outputs) used.insert(output.name);
    const auto use = [&](const std::string& name) { used.insert(name); };
    for (size_t i = sketch.commands.size(); i-- > 0;) {
      const SketchedCommand& command = sketch.commands[i];
      if (std::ranges::none_of(command.names, [&](const std::string& name) { return used.contains(name); })) {
        sketch.commands.erase(sketch.commands.begin() + ptrdiff_t(i));
        continue;
      }
      for (const ValueTree& operand : command.operands) for_each_name(operand, use);
    }
    // A parameter may be there for the dimensions that it binds.
    std::function<void(const SizeTree&)> bind = [&](const SizeTree& tree) {
      if (!tree.name.empty()) used.insert(tree.name);
      for (const SizeTree& part : tree.parts) bind(part);
    };
    for (const SketchedTensor& output : sketch.outputs) std::ranges::for_each(output.sizes, bind);
    for (const SketchedCommand& command : sketch.commands) std::ranges::for_each(command.sizes, bind);
    for (size_t i = sketch.parameters.size(); i-- > 0;) {
      const auto binds = [&](const SizeTree& tree) {
        return !tree.name.empty() && used.contains(tree.name) &&
               std::ranges::none_of(sketch.parameters, [&](const SketchedTensor& other) {
                 return &other != &sketch.parameters[i] && std::ranges::count(other.sizes, tree) != 0;
               });
      };
      if (used.contains(sketch.parameters[i].name) || std::ranges::any_of(sketch.parameters[i].sizes, binds))
        continue;
      sketch.parameters.erase(sketch.parameters.begin() + ptrdiff_t(i));
      shapes.erase(shapes.begin() + ptrdiff_t(i));
      inputs.erase(inputs.begin() + ptrdiff_t(i));
    }
  }

  static void drop_unused_items(ir::Module& module) {
    std::set<std::string, std::less<>> called;
    for (const ir::Graph& graph : module.graphs) {
      for (const ir::Expr& e : graph.code.exprs) {
        if (e.kind == ExprKind::Apply && e.op == Op::Call) called.emplace(graph.code.name(e.symbol));
      }
      for (const ir::TensorCommand& command : graph.commands) called.emplace(graph.code.name(command.callee));
    }
    const ir::Graph* main = module.graphs.data();
    std::erase_if(module.graphs,
                  [&](const ir::Graph& graph) { return &graph != main && !called.contains(graph.name); });
    std::erase_if(module.operations,
                  [&](const ir::Operation& operation) { return !called.contains(operation.function.id); });
  }

  /// Names for nested operations, so that commands come and go by themselves.
  void name_all() {
    std::map<std::string, std::string> names;
    GraphSketch out = sketch_;
    for (SketchedCommand& command : out.commands) {
      for (std::string& name : command.names) {
        if (!ir::is_nested_name(name)) continue;
        names[name] = "nested_" + name.substr(1);
        name = names[name];
      }
      for (ValueTree& operand : command.operands) replace_name(operand, names);
    }
    if (!names.empty()) take(std::move(out));
  }

  /// Other graphs in the place of their calls, where their arguments are names.
  void inline_calls() {
    for (size_t i = 0; i < sketch_.commands.size(); ++i) {
      const ValueTree* call =
          sketch_.commands[i].operands.empty() ? nullptr : &sketch_.commands[i].operands[0];
      if (sketch_.commands[i].op != ir::TensorOp::Value || call->kind != ExprKind::Apply ||
          call->op != Op::Call)
        continue;
      const auto callee = std::ranges::find(best_.module.graphs, call->name, &ir::Graph::name);
      if (callee == best_.module.graphs.end() ||
          !std::ranges::all_of(call->operands, [](const ValueTree& t) { return t.kind == ExprKind::Var; }))
        continue;
      const GraphSketch inner = sketch_of(*callee);
      std::map<std::string, std::string> names;
      for (const SketchedCommand& command : inner.commands) {
        for (const std::string& name : command.names) {
          if (!ir::is_nested_name(name)) names[name] = "inner_" + name;
        }
      }
      for (size_t p = 0; p < inner.parameters.size(); ++p)
        names[inner.parameters[p].name] = call->operands[p].name;
      for (size_t o = 0; o < inner.outputs.size(); ++o)
        names[inner.outputs[o].name] = sketch_.commands[i].names[o];
      GraphSketch out = sketch_;
      out.commands.erase(out.commands.begin() + ptrdiff_t(i));
      for (size_t k = 0; k < inner.commands.size(); ++k) {
        SketchedCommand command = inner.commands[k];
        for (std::string& name : command.names) {
          if (ir::is_nested_name(name)) names[name] = "inner_" + name.substr(1);
          name = names[name];
        }
        for (ValueTree& operand : command.operands) replace_name(operand, names);
        out.commands.insert(out.commands.begin() + ptrdiff_t(i + k), std::move(command));
      }
      take(std::move(out));
    }
  }

  /// One output in the place of several.
  bool one_output() {
    if (sketch_.outputs.size() < 2) return false;
    for (const SketchedTensor& output : sketch_.outputs) {
      GraphSketch out = sketch_;
      out.outputs = {output};
      // What was another output is a let from now on, which no header has to name.
      if (take(std::move(out))) return true;
    }
    for (size_t i = sketch_.outputs.size(); i-- > 0;) {
      GraphSketch out = sketch_;
      out.outputs.erase(out.outputs.begin() + ptrdiff_t(i));
      if (take(std::move(out))) return true;
    }
    return false;
  }

  /// An earlier tensor as the one output.
  bool cut_behind() {
    const auto at = sized(best_);
    for (const auto& tensor : at->graph.named) {
      const auto& node = at->graph.nodes[tensor.node];
      GraphSketch out = sketch_;
      out.outputs = {{tensor.name, node.type, numbers(node.shape)}};
      if (take(std::move(out))) return true;
    }
    return false;
  }

  /// A parameter in the place of a command: with the values that the reference computes.
  bool cut_before() {
    const auto at = sized(best_);
    for (size_t i = sketch_.commands.size(); i-- > 0;) {
      const SketchedCommand& command = sketch_.commands[i];
      if (command.names.size() != 1) continue;
      const auto tensor =
          std::ranges::find(at->graph.named, command.names[0], [](const auto& t) { return t.name; });
      if (tensor == at->graph.named.end()) continue;
      check::SizedGraph only = at->graph;
      only.outputs = {{tensor->name, tensor->node}};
      std::vector<std::span<const std::byte>> given(best_.inputs.begin(), best_.inputs.end());
      auto values = ref::run_graph(*at->module, only, given);
      if (!values) continue;
      const auto& node = at->graph.nodes[tensor->node];
      GraphSketch out = sketch_;
      out.commands.erase(out.commands.begin() + ptrdiff_t(i));
      out.parameters.push_back({tensor->name, node.type, numbers(node.shape)});
      auto shapes = best_.shapes;
      shapes.push_back(node.shape);
      auto inputs = best_.inputs;
      inputs.push_back(std::move((*values)[0]));
      if (take(std::move(out), std::move(shapes), std::move(inputs))) return true;
    }
    return false;
  }

  /// Nothing but the first operand in the place of an operation.
  bool without_operation() {
    for (size_t i = 0; i < sketch_.commands.size(); ++i) {
      const SketchedCommand& command = sketch_.commands[i];
      if (command.op == ir::TensorOp::Value) continue;
      for (const ValueTree& operand : command.operands) {
        GraphSketch out = sketch_;
        out.commands[i] = {.op = ir::TensorOp::Value, .names = command.names, .operands = {operand}};
        if (take(std::move(out))) return true;
      }
    }
    return false;
  }

  /// A part of an expression by one of its own parts, or by 1.
  bool expressions() {
    bool changed = false;
    for (size_t c = 0; c < sketch_.commands.size(); ++c) {
      for (size_t o = 0; o < sketch_.commands[c].operands.size(); ++o) {
        for (size_t part = 0;; ++part) {
          std::vector<ValueTree*> parts;
          collect(sketch_.commands[c].operands[o], parts);
          if (part >= parts.size()) break;
          const ValueTree now = *parts[part];
          const auto with = [&](const ValueTree& by) {
            GraphSketch out = sketch_;
            std::vector<ValueTree*> places;
            collect(out.commands[c].operands[o], places);
            *places[part] = by;
            const size_t before = sketch_.commands.size();
            const bool taken = take(std::move(out));
            // Commands that went may have moved this one.
            if (taken && sketch_.commands.size() != before) moved_ = true;
            return taken;
          };
          bool taken = false;
          for (const ValueTree& operand : now.operands) taken = taken || with(operand);
          for (const DataType type : {DataType::F32, DataType::U32, DataType::I32, DataType::F16,
                                      DataType::BF16, DataType::U64, DataType::Bool}) {
            if (now.kind == ExprKind::Literal) break;
            taken = taken || with({.kind = ExprKind::Literal, .type = type, .bits = one(type)});
          }
          const bool of_literal = !now.operands.empty() && now.operands[0].kind == ExprKind::Literal;
          for (const DataType type :
               {DataType::U8, DataType::I8, DataType::FP8E4M3, DataType::FP8E5M2, DataType::FP4E2M1}) {
            if (now.kind == ExprKind::Literal || (now.op == Op::Cast && of_literal)) break;
            const DataType wide = spec::wide_type(type);
            taken = taken || with({.kind = ExprKind::Apply,
                                   .op = Op::Cast,
                                   .type = type,
                                   .operands = {{.type = wide, .bits = one(wide)}}});
          }
          changed = changed || taken;
          if (std::exchange(moved_, false)) return true;
        }
      }
    }
    return changed;
  }

  /// Smaller dimensions, each wherever it stands.
  void dimensions() {
    const auto at = sized(best_);
    auto sizes = check::dimensions_of(at->module->graphs()[0], best_.shapes);
    for (auto& [name, size] : *sizes) {
      for (bool smaller = true; smaller;) {
        smaller = false;
        for (const uint32_t next :
             {uint32_t(0), uint32_t(1), uint32_t(2), size / 2, size - std::min(size, 1u)}) {
          if (next >= size) continue;
          auto shapes = best_.shapes;
          for (size_t i = 0; i < shapes.size(); ++i) {
            for (size_t axis = 0; axis < shapes[i].size(); ++axis) {
              if (sketch_.parameters[i].sizes[axis].name == name) shapes[i][axis] = next;
            }
          }
          if (!take(sketch_, shapes, cropped(shapes, false)) && !take(sketch_, shapes, cropped(shapes, true)))
            continue;
          size = next;
          smaller = true;
          break;
        }
      }
    }
  }

  void all_numbers() {
    const auto at = sized(best_);
    const auto sizes = check::dimensions_of(at->module->graphs()[0], best_.shapes);
    GraphSketch out = sketch_;
    for_each_size(out, [&](SizeTree& tree) { tree = {.number = value_of_size(tree, *sizes)}; });
    std::function<void(ValueTree&)> known = [&](ValueTree& tree) {
      const auto found = sizes->find(tree.name);
      if (tree.kind == ExprKind::Var && found != sizes->end())
        tree = {.kind = ExprKind::Literal, .type = DataType::U32, .bits = {found->second, 0, 0, 0}};
      for (ValueTree& operand : tree.operands) known(operand);
    };
    for (SketchedCommand& command : out.commands) std::ranges::for_each(command.operands, known);
    take(std::move(out));
  }

  /// A number by a smaller one, wherever it is a size.
  bool smaller_sizes() {
    std::set<uint32_t> sizes;
    for (const auto& shape : best_.shapes) sizes.insert(shape.begin(), shape.end());
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
      for (const uint32_t next : {uint32_t(1), uint32_t(2), *size / 2, *size - std::min(*size, 1u)}) {
        if (next >= *size || next == 0) continue;
        GraphSketch out = sketch_;
        for_each_size(out, [&](SizeTree& tree) {
          if (tree.parts.empty() && tree.name.empty() && tree.number == *size) tree.number = next;
        });
        auto shapes = best_.shapes;
        for (auto& shape : shapes) std::ranges::replace(shape, *size, next);
        if (take(out, shapes, cropped(shapes, false)) || take(out, shapes, cropped(shapes, true)))
          return true;
      }
    }
    return false;
  }

  /// The inputs of smaller shapes: what stands at the first coordinates, or at the last.
  std::vector<Bytes> cropped(const std::vector<std::vector<uint32_t>>& shapes, bool last) const {
    std::vector<Bytes> out;
    for (size_t i = 0; i < shapes.size(); ++i) {
      const DataType type = sketch_.parameters[i].type;
      const uint32_t count = check::elements(shapes[i]);
      Bytes& made = out.emplace_back(spec::packed_bytes(type, count));
      for (uint32_t k = 0; k < count; ++k) {
        uint64_t rest = k, from = 0, stride = 1;
        for (size_t axis = shapes[i].size(); axis-- > 0;) {
          const uint32_t skipped = last ? best_.shapes[i][axis] - shapes[i][axis] : 0;
          from += (rest % shapes[i][axis] + skipped) * stride;
          rest /= shapes[i][axis];
          stride *= best_.shapes[i][axis];
        }
        spec::set_packed_element(made, type, k, spec::packed_element(best_.inputs[i], type, from));
      }
    }
    return out;
  }

  /// Zeros and ones in the place of whole inputs, of halves, quarters, and so on.
  void values() {
    for (size_t i = 0; i < best_.inputs.size(); ++i) {
      const DataType type = sketch_.parameters[i].type;
      const size_t count = check::elements(best_.shapes[i]);
      const auto simplest = one(type);
      for (size_t run = count; run != 0; run = run / 2) {
        if (count / run > 256) break;
        for (size_t from = 0; from < count; from += run) {
          for (const bool zero : {true, false}) {
            auto inputs = best_.inputs;
            for (size_t at = from; at < std::min(from + run, count); ++at) {
              const std::array<uint32_t, 4> bits = zero ? std::array<uint32_t, 4>{} : simplest;
              spec::set_packed_element(inputs[i], type, at, bits);
            }
            // What is zero already is as simple as it gets.
            if (inputs == best_.inputs || (!zero && is_simple(i, from, std::min(from + run, count)))) break;
            if (take(sketch_, best_.shapes, std::move(inputs))) break;
          }
        }
      }
    }
  }

  /// Whether these elements of an input are zeros and ones.
  bool is_simple(size_t input, size_t from, size_t to) const {
    const DataType type = sketch_.parameters[input].type;
    const auto simplest = one(type);
    for (size_t at = from; at < to; ++at) {
      const auto bits = spec::packed_element(best_.inputs[input], type, at);
      if (bits != simplest && bits != std::array<uint32_t, 4>{}) return false;
    }
    return true;
  }

  GraphCase best_;
  const spec::OpTable& ops_;
  const GraphFails& fails_;
  size_t budget_;
  GraphSketch sketch_;  // of the first graph
  bool moved_ = false;
};

}  // namespace

GraphCase shrink_graph(GraphCase failing, const spec::OpTable& ops, const GraphFails& fails,
                       size_t max_evaluations) {
  return Shrinker(std::move(failing), ops, fails, max_evaluations).run();
}

}  // namespace vyre::generate
