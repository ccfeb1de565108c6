#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "check/module.h"
#include "modules.h"
#include "spec/ops.h"

namespace vyre::generate {
namespace {

using ir::Command;
using ir::CommandKind;
using ir::ExprId;
using ir::ExprKind;

/// One change of a pipeline.
struct Edit {
  enum class Kind : uint8_t {
    Drop,     // the command
    Body,     // its body in its place; a loop's variable becomes a let
    Else,     // its else-branch in its place
    NoElse,   // its else-branch is dropped
    Roots,    // its host expressions are these numbers
    Literal,  // expr by a number
    Operand,  // expr by one of its operands
  } kind{};
  uint32_t command = UINT32_MAX;
  std::vector<uint32_t> numbers;
  ExprId expr{UINT32_MAX};
  ExprId by{};
};

/// Copies a pipeline with one edit. Names may be unknown or declared twice then; check() says so.
class Copy {
 public:
  Copy(const ir::Pipeline& from, const Edit& edit) : from_(from), edit_(edit) {
    out_ = from;
    out_.commands.clear();
    out_.arguments.clear();
    out_.code = {};
    out_.code.symbols = from.code.symbols;
  }
  ir::Pipeline run() {
    walk(0, uint32_t(from_.commands.size()));
    return std::move(out_);
  }

 private:
  void walk(uint32_t begin, uint32_t end) {
    for (uint32_t at = begin; at < end; at = from_.commands[at].end) copy(at);
  }

  void copy(uint32_t at) {
    const Command& from = from_.commands[at];
    const bool here = edit_.command == at;
    if (here && edit_.kind == Edit::Kind::Drop) return;
    if (here && edit_.kind == Edit::Kind::Else) return walk(from.orelse, from.end);
    if (here && edit_.kind == Edit::Kind::Body) {
      if (from.kind == CommandKind::Loop) {
        Command let = {.kind = CommandKind::Let, .symbol = from.symbol};
        let.exprs = roots(std::array{copy(from_.exprs(from.exprs)[0])});
        add(let);
      }
      return walk(at + 1, from.orelse);
    }
    Command command = from;
    command.arguments = {uint32_t(out_.arguments.size()), from.arguments.count};
    std::vector<ir::Argument> arguments;
    for (ir::Argument argument : from_.of(from.arguments)) {
      if (argument.buffer == ir::kNoSymbol) argument.words = copy(argument.words);
      arguments.push_back(argument);
    }
    out_.arguments.insert(out_.arguments.end(), arguments.begin(), arguments.end());
    if (here && edit_.kind == Edit::Kind::Roots) {
      std::vector<ExprId> numbers;
      for (const uint32_t number : edit_.numbers) numbers.push_back(literal(number));
      command.exprs = roots(numbers);
    } else {
      command.exprs = copy(from.exprs);
    }
    const uint32_t copied = add(command);
    if (!ir::has_body(from.kind)) return;
    walk(at + 1, from.orelse);
    out_.commands[copied].orelse = size();
    if (here && edit_.kind == Edit::Kind::NoElse) {
      out_.commands[copied].has_else = false;
    } else {
      walk(from.orelse, from.end);
    }
    out_.commands[copied].end = size();
  }

  uint32_t size() const { return uint32_t(out_.commands.size()); }
  uint32_t add(Command command) {
    command.orelse = command.end = size() + 1;
    out_.commands.push_back(command);
    return size() - 1;
  }
  ir::Range roots(std::span<const ExprId> ids) {
    auto& list = out_.code.expr_list;
    const ir::Range out = {uint32_t(list.size()), uint32_t(ids.size())};
    list.insert(list.end(), ids.begin(), ids.end());
    return out;
  }
  ir::Range copy(ir::Range range) {
    std::vector<ExprId> ids;
    for (const ExprId id : from_.exprs(range)) ids.push_back(copy(id));
    return roots(ids);
  }
  ExprId literal(uint32_t value) {
    return out_.code.add({.kind = ExprKind::Literal, .type = ir::DataType::U32, .immediate = value}, {},
                         Span::none());
  }
  ExprId copy(ExprId id) {
    if (id == edit_.expr && edit_.kind == Edit::Kind::Literal) return literal(edit_.numbers[0]);
    if (id == edit_.expr && edit_.kind == Edit::Kind::Operand) return copy(edit_.by);
    const ir::Expr& e = from_.code[id];
    std::vector<ExprId> operands;
    for (const ExprId operand : from_.code.args(e)) operands.push_back(copy(operand));
    return out_.code.add(e, operands, Span::none());
  }

  const ir::Pipeline& from_;
  const Edit& edit_;
  ir::Pipeline out_;
};

/// Every edit of a pipeline, those that cut the most first. Loops, counts and sizes only get numbers that are
/// small in every module, so that nothing runs longer, gets more groups, or has less room for its tensors,
/// which fails.
std::vector<Edit> edits_of(const ir::Pipeline& pipeline) {
  std::vector<Edit> cuts, numbers;
  const auto simpler = [&](ExprId root) {
    std::vector<ExprId> pending = {root};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      const ir::Expr& e = pipeline.code[id];
      for (const uint32_t number : {0u, 1u}) {
        if (e.kind == ExprKind::Literal && e.immediate <= number) continue;
        numbers.push_back({.kind = Edit::Kind::Literal, .numbers = {number}, .expr = id});
      }
      for (const ExprId operand : pipeline.code.args(e)) {
        numbers.push_back({.kind = Edit::Kind::Operand, .numbers = {}, .expr = id, .by = operand});
        pending.push_back(operand);
      }
    }
  };
  for (uint32_t at = 0; at < pipeline.commands.size(); ++at) {
    const Command& command = pipeline.commands[at];
    const auto roots = pipeline.exprs(command.exprs);
    const auto cut = [&](Edit::Kind kind) { cuts.push_back({.kind = kind, .command = at, .numbers = {}}); };
    const auto set = [&](std::vector<uint32_t> to) {
      const auto same = [&](ExprId id, uint32_t number) {
        return pipeline.code[id].kind == ExprKind::Literal && pipeline.code[id].immediate == number;
      };
      if (!std::ranges::equal(roots, to, same))
        numbers.push_back({.kind = Edit::Kind::Roots, .command = at, .numbers = std::move(to)});
    };
    cut(Edit::Kind::Drop);
    if (ir::has_body(command.kind)) cut(Edit::Kind::Body);
    switch (command.kind) {
      case CommandKind::Scratch:
        // Until one is accepted; then the smaller ones.
        for (const uint32_t count : {0u, 1u, 2u, 8u}) {
          const ir::Expr& e = pipeline.code[roots[0]];
          if (e.kind == ExprKind::Literal && e.immediate <= count) break;
          set({count});
        }
        break;
      case CommandKind::Let:
      case CommandKind::If:
        if (command.has_else) {
          cut(Edit::Kind::Else);
          cut(Edit::Kind::NoElse);
        }
        simpler(roots[0]);
        break;
      case CommandKind::Dispatch:
        if (roots.size() > 1 || pipeline.code[roots[0]].kind != ExprKind::Literal ||
            pipeline.code[roots[0]].immediate > 1)
          set({1});
        break;
      case CommandKind::Run: break;
      case CommandKind::Loop: {
        const ir::Expr &from = pipeline.code[roots[0]], &to = pipeline.code[roots[1]];
        const bool plain =
            from.kind == ExprKind::Literal && to.kind == ExprKind::Literal && from.immediate == 0;
        for (const uint32_t turns : {1u, 2u, 4u}) {
          if (!plain || to.immediate > turns) set({0, turns});
        }
        break;
      }
      case CommandKind::Repeat: {
        const ir::Expr& count = pipeline.code[roots[0]];
        for (const uint32_t turns : {1u, 2u, 4u}) {
          if (count.kind != ExprKind::Literal || count.immediate > turns) set({turns, 0});
        }
        break;
      }
    }
    for (const ir::Argument& argument : pipeline.of(command.arguments)) {
      if (argument.buffer != ir::kNoSymbol) continue;
      for (const ExprId root : pipeline.exprs(argument.words)) simpler(root);
    }
  }
  cuts.insert(cuts.end(), std::make_move_iterator(numbers.begin()), std::make_move_iterator(numbers.end()));
  return cuts;
}

class ModuleShrinker {
 public:
  ModuleShrinker(const spec::OpTable& ops, const ModuleFails& fails, size_t budget)
      : ops_(ops), fails_(fails), left_(budget) {}

  ModuleCase run(ModuleCase best) {
    for (bool changed = true; changed && left_ > 0;) {
      changed = drop_items(best);
      changed |= shrink_pipelines(best);
      changed |= drop_parameters(best);
      if (!changed) changed = shrink_programs(best);
      if (!changed) changed = shrink_contents(best);
    }
    return best;
  }

 private:
  bool accepts(ModuleCase candidate, ModuleCase& best) {
    if (left_ == 0 || !check::check(candidate.module, ops_)) return false;
    --left_;
    if (!fails_(candidate)) return false;
    best = std::move(candidate);
    return true;
  }

  /// What nothing names.
  bool drop_items(ModuleCase& best) {
    bool any = false;
    const auto each = [&](auto ir::Module::* items, auto&& with) {
      for (size_t i = (best.module.*items).size(); i-- > 0;) {
        ModuleCase candidate = best;
        auto& list = candidate.module.*items;
        list.erase(list.begin() + ptrdiff_t(i));
        with(candidate, i);
        any |= accepts(std::move(candidate), best);
      }
    };
    const auto nothing = [](ModuleCase&, size_t) {};
    for (size_t i = best.module.pipelines.size(); i-- > 0;) {
      if (best.module.pipelines[i].name == best.entry) continue;
      ModuleCase candidate = best;
      candidate.module.pipelines.erase(candidate.module.pipelines.begin() + ptrdiff_t(i));
      any |= accepts(std::move(candidate), best);
    }
    each(&ir::Module::programs,
         [](ModuleCase& c, size_t i) { c.programs.erase(c.programs.begin() + ptrdiff_t(i)); });
    each(&ir::Module::operations, nothing);
    each(&ir::Module::constants, nothing);
    return any;
  }

  /// After an accepted edit the list is made anew, and goes on where it was.
  bool shrink_pipelines(ModuleCase& best) {
    bool any = false;
    for (size_t i = 0; i < best.module.pipelines.size(); ++i) {
      for (size_t at = 0; left_ > 0;) {
        const std::vector<Edit> edits = edits_of(best.module.pipelines[i]);
        bool accepted = false;
        for (; at < edits.size() && !accepted; at += !accepted) {
          ModuleCase candidate = best;
          candidate.module.pipelines[i] = Copy(best.module.pipelines[i], edits[at]).run();
          accepted = accepts(std::move(candidate), best);
        }
        any |= accepted;
        if (!accepted) break;
      }
    }
    return any;
  }

  /// Takes the arguments away whose parameter the item of this name does not have any more.
  static void drop_arguments(ir::Module& module, CommandKind kind, std::string_view callee,
                             std::string_view parameter) {
    for (ir::Pipeline& pipeline : module.pipelines) {
      std::vector<ir::Argument> arguments;
      for (Command& command : pipeline.commands) {
        const bool calls = command.kind == kind && pipeline.code.name(command.symbol) == callee;
        const uint32_t first = uint32_t(arguments.size());
        for (const ir::Argument& argument : pipeline.of(command.arguments)) {
          if (!calls || pipeline.code.name(argument.parameter) != parameter) arguments.push_back(argument);
        }
        command.arguments = {first, uint32_t(arguments.size()) - first};
      }
      pipeline.arguments = std::move(arguments);
      Copy copy(pipeline, Edit{});
      ir::Pipeline clean = copy.run();  // without the words of lists that are gone
      pipeline = std::move(clean);
    }
  }

  bool drop_parameters(ModuleCase& best) {
    bool any = false;
    for (size_t p = 0; p < best.module.pipelines.size(); ++p) {
      for (size_t i = best.module.pipelines[p].buffers.size(); i-- > 0;) {
        ModuleCase candidate = best;
        ir::Pipeline& pipeline = candidate.module.pipelines[p];
        const ir::BufferDecl decl = pipeline.buffers[i];
        pipeline.buffers.erase(pipeline.buffers.begin() + ptrdiff_t(i));
        if (decl.element == ir::DataType::Tensor) {
          pipeline.tensors.erase(pipeline.tensors.begin() + decl.tensor);
          for (ir::BufferDecl& other : pipeline.buffers) {
            if (other.element == ir::DataType::Tensor && other.tensor > decl.tensor) --other.tensor;
          }
        }
        if (pipeline.name == best.entry) candidate.buffers.erase(candidate.buffers.begin() + ptrdiff_t(i));
        drop_arguments(candidate.module, CommandKind::Run, best.module.pipelines[p].name,
                       best.module.pipelines[p].code.name(decl.name));
        any |= accepts(std::move(candidate), best);
      }
    }
    return any;
  }

  /// Groups stay what they are at most, since pipelines say how many there are.
  bool shrink_programs(ModuleCase& best) {
    bool any = false;
    for (size_t p = 0; p < best.module.programs.size() && left_ > 0; ++p) {
      const auto checked = check::check(best.module, ops_);
      if (!checked) return any;
      const ProgramCase start = {.program = best.module.programs[p],
                                 .buffers = best.programs[p].buffers,
                                 .groups = best.programs[p].groups};
      const auto fails = [&](const ProgramCase& c) {
        if (!(c.groups.x == start.groups.x && c.groups.y == start.groups.y && c.groups.z == start.groups.z))
          return false;
        if (ir::equal(c.program, best.module.programs[p])) return false;  // other contents alone
        ModuleCase candidate = best;
        for (const ir::BufferDecl& decl : best.module.programs[p].buffers) {
          const std::string_view name = best.module.programs[p].code.name(decl.name);
          const bool kept = std::ranges::any_of(c.program.buffers, [&](const ir::BufferDecl& other) {
            return c.program.code.name(other.name) == name;
          });
          if (!kept) drop_arguments(candidate.module, CommandKind::Dispatch, c.program.name, name);
        }
        candidate.module.programs[p] = c.program;
        candidate.programs[p].buffers = c.buffers;
        if (!accepts(std::move(candidate), best)) return false;
        return any = true;
      };
      shrink_program(start, (*checked)->ops(), fails, left_);
    }
    return any;
  }

  bool shrink_contents(ModuleCase& best) {
    bool any = false;
    const auto entry = std::ranges::find(best.module.pipelines, best.entry, &ir::Pipeline::name);
    for (size_t i = 0; i < best.buffers.size(); ++i) {
      const size_t bytes = spec::info(entry->element(entry->buffers[i])).bytes;
      for (const size_t count : {size_t{0}, size_t{1}, best.buffers[i].size() / bytes / 2}) {
        if (count * bytes >= best.buffers[i].size()) continue;
        ModuleCase candidate = best;
        candidate.buffers[i].resize(count * bytes);
        any |= accepts(std::move(candidate), best);
      }
      if (std::ranges::all_of(best.buffers[i], [](std::byte b) { return b == std::byte{0}; })) continue;
      ModuleCase candidate = best;
      std::ranges::fill(candidate.buffers[i], std::byte{0});
      any |= accepts(std::move(candidate), best);
    }
    return any;
  }

  const spec::OpTable& ops_;
  const ModuleFails& fails_;
  size_t left_;
};

}  // namespace

ModuleCase shrink_module(ModuleCase failing, const spec::OpTable& ops, const ModuleFails& fails,
                         size_t max_evaluations) {
  return ModuleShrinker(ops, fails, max_evaluations).run(std::move(failing));
}

}  // namespace vyre::generate
