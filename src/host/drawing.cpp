#include "host/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "spec/ops.h"
#include "text/text.h"

namespace vyre::host {
namespace {

using ir::Command;
using ir::CommandKind;

/// What happens to a buffer.
struct Use {
  bool read = false, written = false;
};

/// What a program does with its buffer of this name.
Use use_of(const ir::Program& program, ir::Symbol name) {
  Use out;
  for (const ir::Expr& e : program.code.exprs) {
    if (e.kind == ir::ExprKind::Load && e.symbol == name) out.read = true;
    if (e.kind != ir::ExprKind::Apply) continue;
    const bool atomic = spec::is_atomic(e.op) && e.symbol == name;
    const bool reduced = spec::is_reduction(e.op) && e.symbol == name;
    out.read |= atomic || reduced;
    out.written |= atomic;
  }
  for (const ir::Node& node : program.code.nodes)
    out.written |= node.kind == ir::NodeKind::Store && node.symbol == name;
  return out;
}

class Drawing {
 public:
  Drawing(const check::CheckedModule& module, uint32_t pipeline)
      : module_(module), checked_(module.pipelines()[pipeline]), text_(text::print(module.module())) {
    // Host expressions as they are printed: read again, they know where they stand.
    auto printed = text::parse_module(text_, &module.ops());
    printed_ = std::move(printed->pipelines[pipeline]);
  }

  std::string draw() {
    line("digraph \"{}\" {{", printed_.name);
    line("  graph [label=\"pipeline {}{}\", labelloc=t, fontname=\"sans-serif\", fontsize=12];",
         printed_.name, lets(0, end()));
    line("  node [fontname=\"sans-serif\", fontsize=11];");
    line("  edge [fontname=\"sans-serif\", fontsize=10];");
    for (uint32_t i = 0; i < checked_.buffers.size(); ++i) draw_buffer(i);
    draw_commands(0, end(), 1);
    out_ += edges_;
    line("}}");
    return std::move(out_);
  }

 private:
  template <typename... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
    out_ += '\n';
  }
  template <typename... T>
  void edge(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(edges_), format, std::forward<T>(values)...);
    edges_ += '\n';
  }

  uint32_t end() const { return uint32_t(printed_.commands.size()); }
  std::string_view name(ir::Symbol symbol) const { return printed_.code.name(symbol); }

  /// A host expression, on one line and not longer than a label may be.
  std::string shown(ir::ExprId id) const {
    constexpr size_t kMost = 60;
    const Span span = printed_.code.span(id);
    std::string out;
    for (const char c : std::string_view(text_).substr(span.begin, span.end - span.begin)) {
      const bool blank = c == ' ' || c == '\n';
      if (!blank) out += c;
      if (blank && !out.ends_with(' ')) out += ' ';
    }
    return out.size() <= kMost ? out : out.substr(0, kMost - 3) + "...";
  }
  std::string shown(const Command& command, uint32_t which) const {
    return shown(printed_.exprs(command.exprs)[which]);
  }

  /// The host names of a block, each on a line.
  std::string lets(uint32_t begin, uint32_t until) const {
    std::string out;
    for (uint32_t at = begin; at < until; at = printed_.commands[at].end) {
      const Command& command = printed_.commands[at];
      if (command.kind == CommandKind::Let)
        out += fmt::format("\\n{} = {}", name(command.symbol), shown(command, 0));
    }
    return out;
  }

  void draw_buffer(uint32_t number) {
    const bool parameter = number < checked_.parameters;
    const ir::BufferDecl& decl = checked_.buffers[number];
    const std::string_view type = spec::text(checked_.element(check::BufferId{number}));
    const std::string_view of = checked_.pipeline->code.name(decl.name);
    if (parameter) {
      line("  b{} [shape=box, style=filled, fillcolor=\"#dbe9f6\", label=\"{}\\n{} {}\"];", number, of,
           spec::text(decl.access), type);
      return;
    }
    for (uint32_t at = 0; at < end(); ++at) {
      if (printed_.commands[at].kind != CommandKind::Scratch || checked_.target[at] != number) continue;
      line(
          "  b{} [shape=box, style=\"filled,dashed\", fillcolor=\"#f3f3f3\", label=\"{}\\nscratch {}[{}]\"];",
          number, of, type, shown(printed_.commands[at], 0));
    }
  }

  void draw_commands(uint32_t begin, uint32_t until, size_t depth) {
    for (uint32_t at = begin; at < until; at = printed_.commands[at].end) {
      const Command& command = printed_.commands[at];
      switch (command.kind) {
        case CommandKind::Scratch:
        case CommandKind::Let: break;  // drawn with their block
        case CommandKind::Dispatch: draw_dispatch(at, depth); break;
        case CommandKind::Run: draw_run(at, depth); break;
        case CommandKind::Loop:
          draw_block(
              at + 1, command.end, depth,
              fmt::format("for {} in {}..{}", name(command.symbol), shown(command, 0), shown(command, 1)));
          break;
        case CommandKind::Repeat: draw_repeat(at, depth); break;
        case CommandKind::If:
          draw_block(at + 1, command.orelse, depth, fmt::format("if ({})", shown(command, 0)));
          if (command.has_else) draw_block(command.orelse, command.end, depth, "else");
          break;
      }
    }
  }

  std::string indent(size_t depth) const { return std::string(2 * depth, ' '); }

  void draw_block(uint32_t begin, uint32_t until, size_t depth, const std::string& label) {
    const std::string in = indent(depth);
    const uint32_t block = ++blocks_;
    line("{}subgraph \"cluster_{}\" {{", in, block);
    line("{}  graph [label=\"{}{}\", labeljust=l, style=rounded, color=\"#888888\", fontsize=11];", in, label,
         lets(begin, until));
    if (begin == until) line("{}  e{} [shape=point, style=invis];", in, block);  // an empty box is not drawn
    draw_commands(begin, until, depth + 1);
    line("{}}}", in);
  }

  void draw_repeat(uint32_t at, size_t depth) {
    const Command& command = printed_.commands[at];
    draw_block(at + 1, command.end, depth, fmt::format("repeat {} while", shown(command, 0)));
    // The word that is looked at, behind what is repeated.
    out_.resize(out_.rfind('\n', out_.size() - 2) + 1);
    const std::string in = indent(depth);
    line("{}  c{} [shape=diamond, style=filled, fillcolor=\"#fde9c9\", label=\"{}[{}]\"];", in, at,
         name(command.symbol), shown(command, 1));
    line("{}}}", in);
    edge("  b{} -> c{} [style=dashed];", checked_.target[at], at);
    then(fmt::format("c{}", at));
  }

  /// The invisible edge that keeps commands in their order from top to bottom.
  void then(std::string node) {
    if (!last_.empty()) edge("  {} -> {} [style=invis];", last_, node);
    last_ = std::move(node);
  }

  void draw_dispatch(uint32_t at, size_t depth) {
    const Command& command = printed_.commands[at];
    const check::Checked& program = *module_.programs()[checked_.target[at]];
    std::string groups;
    for (uint32_t i = 0; i < command.exprs.count; ++i)
      groups += fmt::format("{}{}", i == 0 ? "" : ", ", shown(command, i));
    line(
        "{}c{} [shape=box, style=\"rounded,filled\", fillcolor=\"#e3f4e1\", label=\"{}. "
        "{}\\ngroups({}){}\"];",
        indent(depth), at, ++number_, name(command.symbol), groups, lists(command));
    const auto given = checked_.of(at);
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i].list) continue;
      const ir::BufferDecl& decl = program.buffer(program.bound_buffers()[i]);
      draw_use(at, given[i].buffer, host::use_of(program.program(), decl.name),
               program.program().code.name(decl.name));
    }
    then(fmt::format("c{}", at));
  }

  void draw_run(uint32_t at, size_t depth) {
    const Command& command = printed_.commands[at];
    line("{}c{} [shape=component, style=filled, fillcolor=\"#efe3f6\", label=\"{}. run {}{}\"];",
         indent(depth), at, ++number_, name(command.symbol), lists(command));
    const uint32_t pipeline = checked_.target[at];
    const auto given = checked_.of(at);
    const ir::Pipeline& other = *module_.pipelines()[pipeline].pipeline;
    for (uint32_t i = 0; i < given.size(); ++i) {
      if (given[i].list) continue;
      draw_use(at, given[i].buffer, use_of(pipeline, i), other.code.name(other.buffers[i].name));
    }
    then(fmt::format("c{}", at));
  }

  /// The arguments that are lists of words.
  std::string lists(const Command& command) const {
    std::string out;
    for (const ir::Argument& argument : printed_.of(command.arguments)) {
      if (argument.buffer != ir::kNoSymbol) continue;
      constexpr uint32_t kMost = 4;
      std::string words;
      const auto ids = printed_.exprs(argument.words);
      for (uint32_t i = 0; i < std::min(kMost, argument.words.count); ++i)
        words += fmt::format("{}{}", i == 0 ? "" : ", ", shown(ids[i]));
      if (argument.words.count > kMost) words += fmt::format(", ... {} words", argument.words.count);
      out += fmt::format("\\n{} = [{}]", name(argument.parameter), words);
    }
    return out;
  }

  void draw_use(uint32_t at, check::BufferId buffer, Use use, std::string_view parameter) {
    const std::string_view own = checked_.pipeline->code.name(checked_.buffers[check::index(buffer)].name);
    const std::string label = own == parameter ? "" : fmt::format(" [label=\"{}\"]", parameter);
    if (use.read) edge("  b{} -> c{}{};", check::index(buffer), at, label);
    if (use.written) edge("  c{} -> b{}{};", at, check::index(buffer), use.read ? "" : label);
  }

  /// What a pipeline and those that it runs do with a parameter.
  Use use_of(uint32_t pipeline, uint32_t parameter) {
    if (const auto known = uses_.find({pipeline, parameter}); known != uses_.end()) return known->second;
    const check::CheckedPipeline& of = module_.pipelines()[pipeline];
    Use out;
    for (uint32_t at = 0; at < of.pipeline->commands.size(); ++at) {
      const CommandKind kind = of.pipeline->commands[at].kind;
      if (kind == CommandKind::Repeat) out.read |= of.target[at] == parameter;
      if (kind != CommandKind::Dispatch && kind != CommandKind::Run) continue;
      const auto given = of.of(at);
      for (uint32_t i = 0; i < given.size(); ++i) {
        if (given[i].list || check::index(given[i].buffer) != parameter) continue;
        Use inner;
        if (kind == CommandKind::Run) {
          inner = use_of(of.target[at], i);
        } else {
          const check::Checked& program = *module_.programs()[of.target[at]];
          inner = host::use_of(program.program(), program.buffer(program.bound_buffers()[i]).name);
        }
        out.read |= inner.read;
        out.written |= inner.written;
      }
    }
    uses_[{pipeline, parameter}] = out;
    return out;
  }

  const check::CheckedModule& module_;
  const check::CheckedPipeline& checked_;
  std::string text_;
  ir::Pipeline printed_;
  std::map<std::pair<uint32_t, uint32_t>, Use> uses_;  // by pipeline and parameter
  std::string out_, edges_;
  std::string last_;     // the node of the command before
  uint32_t number_ = 0;  // of dispatches and runs so far
  uint32_t blocks_ = 0;  // drawn so far
};

}  // namespace

std::string draw(const check::CheckedModule& module, uint32_t pipeline) {
  return Drawing(module, pipeline).draw();
}

}  // namespace vyre::host
