#include "check/pipelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "check/body_checker.h"
#include "check/declarations.h"
#include "spec/limits.h"
#include "spec/ops.h"

namespace vyre::check {
namespace {

using ir::Command;
using ir::CommandKind;
using ir::Expr;
using ir::ExprKind;
using spec::BufferAccess;
using spec::Form;

/// Beyond so many parameters, a message does not list those that are missing.
constexpr size_t kMostListed = 64;

template <typename Item>
Parameters parameters_of(const Item& item) {
  Parameters out;
  for (const ir::BufferDecl& decl : item.buffers) {
    if (!spec::is_bound(decl.access)) continue;
    const bool shaped = decl.element != DataType::Tensor || decl.tensor < item.tensors.size();
    out.by_name.emplace(item.code.name(decl.name), uint32_t(out.list.size()));
    out.list.push_back({item.code.name(decl.name), decl.access,
                        shaped ? spec::element_value_type(item.element(decl)) : kUnknownType, decl.span});
  }
  return out;
}

/// The buffers of a pipeline: its parameters, then its scratch.
std::vector<ir::BufferDecl> all_buffers(const ir::Pipeline& pipeline) {
  std::vector<ir::BufferDecl> out = pipeline.buffers;
  for (const Command& command : pipeline.commands) {
    if (command.kind != CommandKind::Scratch) continue;
    out.push_back({.name = command.symbol,
                   .access = BufferAccess::ReadWrite,
                   .element = command.type,
                   .span = command.span});
  }
  return out;
}

}  // namespace

class PipelineChecker {
 public:
  PipelineChecker(const ir::Pipeline& pipeline, const ir::Module& module, const ItemNames& names,
                  ParametersOfItems& parameters, const spec::OpTable& ops, Linker& linker, Report& report)
      : pipeline_(pipeline),
        code_(pipeline.code),
        module_(module),
        names_(names),
        parameters_(parameters),
        linker_(linker),
        report_(report),
        buffers_(all_buffers(pipeline)),
        body_({pipeline.code, ir::kNoBlock, ops, buffers_, pipeline.tensors, nullptr, module.constants},
              report) {}

  PipelineResult run() {
    check_name(pipeline_.name, pipeline_.span, "pipeline", report_);
    check_buffers({pipeline_.buffers, pipeline_.tensors, code_}, report_);
    for (const ir::BufferDecl& decl : pipeline_.buffers) {
      if (!spec::is_bound(decl.access))
        unbuilt(decl.span, fmt::format("{} memory in a pipeline", spec::text(decl.access)));
    }
    out_.pipeline = &pipeline_;
    out_.parameters = uint32_t(pipeline_.buffers.size());
    out_.target.assign(pipeline_.commands.size(), kNoTarget);
    out_.given_of.resize(pipeline_.commands.size());
    body_.declare_constants();
    for (uint32_t i = 0; i < out_.parameters; ++i) body_.declare_buffer(i);
    next_scratch_ = out_.parameters;
    walk();
    check_host_code();
    if (body_.next_ != UINT32_MAX) body_.forget_from(body_.next_);
    body_.result_.size = body_.visited_ + pipeline_.commands.size();
    if (body_.result_.size > spec::kMaxNodes) {
      report_.add(DiagCode::V024, pipeline_.span,
                  fmt::format("{} commands and expressions; a pipeline has at most {}", body_.result_.size,
                              spec::kMaxNodes),
                  "split it into several pipelines");
    }
    out_.buffers = std::move(buffers_);
    out_.resolution = std::move(body_.result_.resolution);
    return {std::move(out_), std::move(body_.result_)};
  }

 private:
  /// A body whose commands are being walked.
  struct Frame {
    uint32_t end;    // of its commands
    size_t scope;    // names that were visible before it
    uint32_t owner;  // the command whose body it is
  };

  void walk() {
    const uint32_t count = uint32_t(pipeline_.commands.size());
    frames_ = {{count, body_.scope_.size(), count}};
    for (uint32_t at = 0; at < count; ++at) {
      while (frames_.back().end <= at) close();
      const Command& command = pipeline_.commands[at];
      // The else-branch is a body of its own.
      if (has_body(command.kind) &&
          !(at < command.orelse && command.orelse <= command.end && command.end <= frames_.back().end)) {
        body_.malformed(command.span, "a body that does not end in its own block");
        return;
      }
      check(at, command);
    }
    while (!frames_.empty()) close();
  }

  /// V036: what no text says, and bytes and builders can.
  void unbuilt(Span span, std::string_view what) {
    report_.add(DiagCode::V036, span, std::string(what), "write the pipeline as text, which cannot say it");
  }

  void open(uint32_t owner, uint32_t end) {
    if (frames_.size() == spec::kMaxNesting + 1) {
      report_.add(DiagCode::V022, pipeline_.commands[owner].span,
                  fmt::format("this block is nested deeper than {}", spec::kMaxNesting),
                  "move the inner part into a pipeline of its own");
    }
    frames_.push_back({end, body_.scope_.size(), owner});
  }

  void close() {
    const Frame frame = frames_.back();
    body_.close_scope(uint32_t(frame.scope));
    frames_.pop_back();
    if (frame.owner >= pipeline_.commands.size()) return;
    const Command& owner = pipeline_.commands[frame.owner];
    if (owner.kind == CommandKind::If && frame.end == owner.orelse && owner.orelse < owner.end)
      frames_.push_back({owner.end, body_.scope_.size(), frame.owner});
  }

  void check(uint32_t at, const Command& command) {
    const auto roots = pipeline_.exprs(command.exprs);
    const auto host = [&] {
      for (const ExprId root : roots) body_.expression(root);
    };
    uint32_t& target = out_.target[at];
    switch (command.kind) {
      case CommandKind::Scratch:
        host();
        target = next_scratch_++;
        if (frames_.size() > 1)
          unbuilt(command.span, "scratch inside a block, which lives as long as the pipeline");
        if (!spec::is_available(command.type) || command.type == DataType::Tensor ||
            spec::is_small(command.type)) {
          report_.add(DiagCode::V060, command.span, fmt::format("scratch of {}", spec::text(command.type)),
                      "scratch is a flat buffer of a type of values, or bytes");
        }
        body_.declare_buffer(target);
        return;
      case CommandKind::Let:
        host();
        target = body_.declare(command.symbol, DataType::U32, Variable::Kind::Let, command.span);
        return;
      case CommandKind::Dispatch:
        arguments(at, command);
        host();
        return;
      case CommandKind::Run: arguments(at, command); return;
      case CommandKind::Loop: {
        host();
        open(at, command.end);
        target = body_.declare(command.symbol, DataType::U32, Variable::Kind::Loop, command.span);
        return;
      }
      case CommandKind::Repeat:
        host();
        target = repeat_on(command);
        return open(at, command.end);
      case CommandKind::If: host(); return open(at, command.orelse);
    }
  }

  /// The buffer that a repeat looks at.
  uint32_t repeat_on(const Command& command) {
    const uint32_t buffer = body_.find_buffer(command.symbol, command.span);
    if (buffer == kNoTarget) return buffer;
    const DataType element = buffers_[buffer].element;
    if (element == DataType::U32 || element == DataType::Bytes) return buffer;
    report_
        .add(DiagCode::V059, command.span,
             fmt::format("{} is a buffer of {}", quoted(code_.name(command.symbol)), spec::text(element)),
             "what a repeat looks at is a word: a parameter or scratch of u32 or bytes, no tensor")
        .notes.push_back({buffers_[buffer].span, "it was declared here"});
    return buffer;
  }

  // Arguments.

  void arguments(uint32_t at, const Command& command) {
    const bool dispatch = command.kind == CommandKind::Dispatch;
    for (const ir::Argument& argument : pipeline_.of(command.arguments)) {
      const auto& list = code_.expr_list;
      for (uint32_t i = 0; i < argument.words.count; ++i) body_.expression(list[argument.words.first + i]);
    }
    const std::string_view name = code_.name(command.symbol);
    if (command.version != 0) {
      const std::optional<uint32_t> linked = linker_.find(name, command.version);
      if (!linked) return no_such_item(command, "pipeline of the library");
      return give(at, command, name, *linked, [&] { return parameters_of(linker_.pipeline(*linked)); });
    }
    // Once a name, so that a long one costs its length once.
    const auto [known, fresh] = item_of_.try_emplace(command.symbol, names_.end());
    if (fresh) known->second = names_.find(name);
    const auto found = known->second;
    if (found == names_.end() || found->second.pipeline == dispatch) {
      return no_such_item(command, dispatch ? "program" : "pipeline");
    }
    const uint32_t number = found->second.number;
    give(at, command, name, number, [&] {
      return dispatch ? parameters_of(module_.programs[number]) : parameters_of(module_.pipelines[number]);
    });
  }

  /// The item of a number as the target of a command, and its parameters, which are made once.
  void give(uint32_t at, const Command& command, std::string_view callee, uint32_t number, auto&& make) {
    out_.target[at] = number;
    const auto [parameters, first] = parameters_.try_emplace({command.kind == CommandKind::Run, number});
    if (first) parameters->second = make();
    give(at, command, callee, parameters->second);
  }

  /// The parameter of this name, or kNoTarget; looked up once a name.
  uint32_t find_parameter(const Parameters& parameters, ir::Symbol name) {
    const auto [known, fresh] = parameter_of_.try_emplace({&parameters, name}, kNoTarget);
    if (!fresh) return known->second;
    const auto found = parameters.by_name.find(code_.name(name));
    if (found != parameters.by_name.end()) known->second = found->second;
    return known->second;
  }

  void no_such_item(const Command& command, std::string_view what) {
    const std::string_view name = code_.name(command.symbol);
    const bool wants_pipeline = command.kind == CommandKind::Run;
    std::string help;
    if (const auto other = names_.find(name); other != names_.end()) {
      help = wants_pipeline ? fmt::format("it is a program: dispatch {}(...) groups(...);", name)
                            : fmt::format("it is a pipeline: run {}(...);", name);
    } else if (report_.may_suggest()) {
      NearestName nearest(name);
      for (const auto& [known, item] : names_) {
        if (item.pipeline == wants_pipeline) nearest.consider(known);
      }
      if (command.version != 0) {
        for (const std::string_view id : linker_.ids()) nearest.consider(id);
      }
      help = nearest.help_or(command.version != 0 ? "`vyre ops` lists those of the library"
                                                  : fmt::format("declare the {} in this file", what));
    }
    report_.add(DiagCode::V053, command.span, fmt::format("no {} {}", what, quoted(name)), std::move(help));
  }

  void give(uint32_t at, const Command& command, std::string_view callee, const Parameters& wanted) {
    const auto arguments = pipeline_.of(command.arguments);
    const std::span<const Parameter> parameters = wanted.list;
    if (arguments.size() < parameters.size() && parameters.size() > kMostListed) {
      report_.add(
          DiagCode::V054, command.span,
          fmt::format("{} is given {} of {} buffers", quoted(callee), arguments.size(), parameters.size()),
          "give each of its buffers exactly one argument: name, or name = buffer");
      return;
    }
    std::vector<const ir::Argument*> given(parameters.size());
    std::vector<uint32_t> buffer_of(parameters.size(), kNoTarget);
    for (const ir::Argument& argument : arguments) {
      const uint32_t found = find_parameter(wanted, argument.parameter);
      if (found == kNoTarget) {
        unknown_parameter(argument, callee, parameters);
        continue;
      }
      if (given[found] != nullptr) {
        report_
            .add(DiagCode::V054, argument.span,
                 fmt::format("{} of {} is given twice", quoted(parameters[found].name), quoted(callee)),
                 "give each buffer once")
            .notes.push_back({given[found]->span, "first given here"});
        continue;
      }
      given[found] = &argument;
      buffer_of[found] = check_argument(argument, parameters[found], callee);
    }
    missing(command, callee, parameters, given);
    shared(callee, parameters, given, buffer_of);
    out_.given_of[at] = {uint32_t(out_.given.size()), uint32_t(parameters.size())};
    for (size_t i = 0; i < parameters.size(); ++i) {
      const bool list = given[i] != nullptr && given[i]->buffer == ir::kNoSymbol;
      out_.given.push_back({BufferId{buffer_of[i]}, list, list ? given[i]->words : ir::Range{}});
    }
  }

  void unknown_parameter(const ir::Argument& argument, std::string_view callee,
                         std::span<const Parameter> parameters) {
    const std::string_view name = code_.name(argument.parameter);
    std::string help;
    if (parameters.empty()) {
      help = "it has no buffers";
    } else if (report_.may_suggest()) {
      NearestName nearest(name);
      std::string known;
      for (const Parameter& parameter : parameters) nearest.consider(parameter.name);
      for (const Parameter& parameter : parameters.first(std::min(parameters.size(), kMostListed)))
        known += fmt::format("{}{}", known.empty() ? "" : ", ", quoted(parameter.name));
      help = nearest.help_or(fmt::format("its buffers are {}", known));
    }
    report_.add(DiagCode::V054, argument.span,
                fmt::format("{} has no buffer {} to bind", quoted(callee), quoted(name)), std::move(help));
  }

  void missing(const Command& command, std::string_view callee, std::span<const Parameter> parameters,
               std::span<const ir::Argument* const> given) {
    std::string names;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (given[i] == nullptr && i < kMostListed)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", quoted(parameters[i].name));
    }
    if (names.empty()) return;
    report_.add(DiagCode::V054, command.span, fmt::format("{} is given no {}", quoted(callee), names),
                "give each of its buffers exactly one argument: name, or name = buffer");
  }

  /// The buffer that is given, or kNoTarget for a list or a name that is none.
  uint32_t check_argument(const ir::Argument& argument, const Parameter& parameter, std::string_view callee) {
    const std::string wanted = fmt::format("{} of {}", quoted(parameter.name), quoted(callee));
    const auto refuse = [&](std::string message, std::string help, Span note) {
      Diag& diag = report_.add(DiagCode::V055, argument.span, std::move(message), std::move(help));
      if (note.known()) diag.notes.push_back({note, "it was declared here"});
      diag.notes.push_back({parameter.span, "the parameter was declared here"});
    };
    if (argument.buffer == ir::kNoSymbol) {
      if (parameter.access != BufferAccess::Uniform) {
        refuse(fmt::format("{} is a {} buffer, and a list is a uniform one", wanted,
                           spec::text(parameter.access)),
               "give it a buffer", Span::none());
      } else if (parameter.element != kUnknownType &&
                 argument.words.count * 4 % spec::info(parameter.element).bytes != 0) {
        refuse(
            fmt::format("{} words are not whole elements of {}", argument.words.count,
                        spec::text(parameter.element)),
            fmt::format("an element has {} words, the lowest first", spec::info(parameter.element).bytes / 4),
            Span::none());
      }
      return kNoTarget;
    }
    const uint32_t number = body_.find_buffer(argument.buffer, argument.span);
    if (number == kNoTarget) return number;
    const ir::BufferDecl& buffer = buffers_[number];
    const std::string shown = quoted(code_.name(argument.buffer));
    const bool scratch = number >= out_.parameters;
    const bool shaped = buffer.element != DataType::Tensor || buffer.tensor < pipeline_.tensors.size();
    const DataType element = shaped ? spec::element_value_type(pipeline_.element(buffer)) : kUnknownType;
    if (element != parameter.element && element != kUnknownType && parameter.element != kUnknownType) {
      refuse(fmt::format("{} has elements of {}; {} has {}", wanted, spec::text(parameter.element), shown,
                         spec::text(element)),
             "bind a buffer with elements of the same type", buffer.span);
    }
    switch (parameter.access) {
      case BufferAccess::Read:
      case BufferAccess::Workgroup:
      case BufferAccess::Private: break;
      case BufferAccess::Uniform:
        if (buffer.access == BufferAccess::Uniform) break;
        refuse(fmt::format("{} is uniform, and {} is {}", wanted, shown,
                           scratch ? "scratch" : fmt::format("a {} buffer", spec::text(buffer.access))),
               "give it a uniform parameter of the pipeline, or a list of words", buffer.span);
        break;
      case BufferAccess::ReadWrite:
        if (buffer.access == BufferAccess::ReadWrite) break;
        refuse(fmt::format("{} is written, and {} is a {} buffer", wanted, shown, spec::text(buffer.access)),
               "give it a read_write parameter of the pipeline, or scratch", buffer.span);
        break;
    }
    return number;
  }

  /// One buffer for two parameters is fine if neither writes it.
  void shared(std::string_view callee, std::span<const Parameter> parameters,
              std::span<const ir::Argument* const> given, std::span<const uint32_t> buffer_of) {
    std::map<uint32_t, std::vector<size_t>> users;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (buffer_of[i] != kNoTarget) users[buffer_of[i]].push_back(i);
    }
    for (const auto& [buffer, of] : users) {
      const auto writer =
          std::ranges::find_if(of, [&](size_t i) { return parameters[i].access == BufferAccess::ReadWrite; });
      if (of.size() < 2 || writer == of.end()) continue;
      const size_t other = of[writer == of.begin() ? 1 : 0];
      report_
          .add(DiagCode::V056, given[std::max(*writer, other)]->span,
               fmt::format("{} stands for {} and {} of {}, which writes the first",
                           quoted(code_.name(buffers_[buffer].name)), quoted(parameters[*writer].name),
                           quoted(parameters[other].name), quoted(callee)),
               "bindings never overlap where one is written: write to scratch, or to another buffer")
          .notes.push_back({given[std::min(*writer, other)]->span, "also given here"});
    }
  }

  // Host expressions.

  /// All expressions are host expressions: each is u32, and made of what the host knows.
  void check_host_code() {
    for (uint32_t i = 0; i < code_.exprs.size(); ++i) {
      const Expr& e = code_.exprs[i];
      const Span span = code_.span(ExprId{i});
      if (const std::string_view what = excluded(e, i); !what.empty()) {
        report_.add(DiagCode::V052, span, fmt::format("{} in a host expression", what),
                    "a host expression is made of numbers, host names, len(buffer), elements of uniform "
                    "parameters of "
                    "u32 or bytes, operators on u32 and calls");
        continue;
      }
      const DataType type = body_.type(ExprId{i});
      if (i >= body_.next_ || type == DataType::U32 || type == kUnknownType) continue;
      report_.add(DiagCode::V052, span, fmt::format("a host expression is u32; this is {}", spec::text(type)),
                  "compute it in a program");
    }
  }

  std::string_view excluded(const Expr& e, uint32_t number) const {
    switch (e.kind) {
      case ExprKind::Literal:
      case ExprKind::Var:
      case ExprKind::BufLen: return {};
      case ExprKind::InvocationId:
      case ExprKind::WorkgroupId:
      case ExprKind::LocalId: return "an id of an invocation";
      case ExprKind::NumWorkgroups: return "a number of workgroups";
      case ExprKind::Load: return excluded_load(number);
      case ExprKind::Apply: break;
    }
    switch (spec::form_of(e.op)) {
      case Form::Scalar:
      case Form::Select: return {};
      case Form::Call: {
        const uint32_t callee = body_.result_.resolution.expr_target[number];
        const auto& callees = body_.result_.resolution.callees;
        return callee < callees.size() && callees[callee]->intrinsic ? "an operation of category C" : "";
      }
      case Form::Component:
      case Form::MakeVector: return "a vector";
      case Form::Cast:
      case Form::Bitcast: return "a conversion";
      case Form::Reduce: return "a reduction";
      case Form::Atomic: return "an atomic";
    }
    return {};
  }

  std::string_view excluded_load(uint32_t number) const {
    const uint32_t buffer = body_.result_.resolution.expr_target[number];
    if (number >= body_.next_ || buffer >= buffers_.size()) return {};  // reported, or never reached
    if (buffers_[buffer].access != BufferAccess::Uniform) return "an element of a buffer that is not uniform";
    const DataType element = buffers_[buffer].element;
    return element == DataType::U32 || element == DataType::Bytes ? "" : "an element that is not a word";
  }

  const ir::Pipeline& pipeline_;
  const ir::Code& code_;
  const ir::Module& module_;
  const ItemNames& names_;
  ParametersOfItems& parameters_;
  Linker& linker_;
  Report& report_;
  std::map<ir::Symbol, ItemNames::const_iterator> item_of_;
  std::map<std::pair<const Parameters*, ir::Symbol>, uint32_t> parameter_of_;
  std::vector<ir::BufferDecl> buffers_;
  BodyChecker body_;
  CheckedPipeline out_;
  std::vector<Frame> frames_;
  uint32_t next_scratch_ = 0;
};

PipelineResult check_pipeline(const ir::Pipeline& pipeline, const ir::Module& module, const ItemNames& names,
                              ParametersOfItems& parameters, const spec::OpTable& ops, Linker& linker,
                              Report& report) {
  return PipelineChecker(pipeline, module, names, parameters, ops, linker, report).run();
}

void check_runs(std::span<const CheckedPipeline> pipelines, Report& report) {
  // Depth first; a pipeline's height is the longest chain of runs below it, itself included.
  struct Frame {
    uint32_t pipeline;
    uint32_t command;
  };
  std::vector<uint32_t> height(pipelines.size(), 0);
  std::vector<bool> open(pipelines.size());
  for (uint32_t root = 0; root < pipelines.size(); ++root) {
    if (height[root] != 0) continue;
    std::vector<Frame> path = {{root, 0}};
    open[root] = true;
    height[root] = 1;
    while (!path.empty()) {
      auto& [at, next] = path.back();
      const auto& commands = pipelines[at].pipeline->commands;
      if (next == commands.size()) {
        const uint32_t done = at;
        open[done] = false;
        path.pop_back();
        if (path.empty()) continue;
        Frame& caller = path.back();
        height[caller.pipeline] = std::max(height[caller.pipeline], height[done] + 1);
        continue;
      }
      const uint32_t command = next++;
      const uint32_t callee = pipelines[at].target[command];
      if (commands[command].kind != CommandKind::Run || callee >= pipelines.size()) continue;
      if (open[callee]) {
        std::string cycle;
        const auto first = std::ranges::find(path, callee, &Frame::pipeline);
        constexpr ptrdiff_t kShown = 8;
        for (auto frame = first; frame != path.end() && frame - first < kShown; ++frame)
          cycle += quoted(pipelines[frame->pipeline].pipeline->name) + " runs ";
        if (path.end() - first > kShown) cycle += "... runs ";
        report.add(
            DiagCode::V057, commands[command].span,
            fmt::format("a pipeline that runs itself: {}{}", cycle, quoted(pipelines[callee].pipeline->name)),
            "write it with for or repeat");
      } else if (height[callee] == 0) {
        open[callee] = true;
        height[callee] = 1;
        path.push_back({callee, 0});
      } else {
        height[at] = std::max(height[at], height[callee] + 1);
      }
    }
    if (height[root] > spec::kMaxCallDepth + 1) {
      report.add(DiagCode::V058, pipelines[root].pipeline->span,
                 fmt::format("pipelines run one another {} deep; at most {} are allowed", height[root] - 1,
                             spec::kMaxCallDepth),
                 "write a part of the chain out");
    }
  }
}

}  // namespace vyre::check
