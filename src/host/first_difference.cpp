#include "host/first_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "check/checked.h"
#include "host/values.h"
#include "lower/lift.h"
#include "ops/operation.h"
#include "ref/plan.h"
#include "spec/ops.h"

namespace vyre::host {
namespace {

using lower::Control;
using lower::InstKind;
using lower::Kernel;
using lower::Trace;
using lower::Value;

// Invocations whose traces are kept at a time; of a larger workgroup, all.
constexpr uint64_t kWindow = uint64_t{1} << 20;

/// How far a run is hashed.
struct TraceDepth {
  uint32_t phase = UINT32_MAX;
  uint32_t number = UINT32_MAX;
};

using TraceWords = std::vector<uint32_t>;
uint32_t word_of(const TraceWords& traces, uint64_t invocation, Trace which) {
  return traces[size_t(invocation * lower::kTraceWords + uint32_t(which))];
}

/// One program with probes on one backend.
class Watched {
 public:
  static Result<Watched> make(backend::Backend& backend, const check::Checked& program) {
    Watched out;
    VYRE_TRY(pipeline, backend.compile(program));
    out.pipeline_ = std::move(pipeline);
    return out;
  }
  /// The traces of `count` workgroups from `first`, of `invocations` each.
  Result<TraceWords> run(const std::vector<const Bytes*>& inputs, layout::Groups groups, TraceDepth depth,
                         uint64_t first, uint64_t count, uint32_t invocations) {
    std::vector<Bytes> memory;
    for (const Bytes* input : inputs) memory.push_back(*input);
    const uint32_t control[lower::kControlWords] = {depth.phase,     depth.number, uint32_t(first),
                                                    uint32_t(count), groups.x,     groups.y};
    memory.push_back(to_bytes(control));
    memory.emplace_back(size_t(count) * invocations * lower::kTraceWords * 4);
    const std::vector<std::span<std::byte>> host(memory.begin(), memory.end());
    VYRE_CHECK(pipeline_->dispatch(host, groups));
    return to_words(memory.back());
  }

 private:
  std::unique_ptr<backend::Pipeline> pipeline_;
};

/// The bytes of the buffers that a step binds, in order.
std::vector<const Bytes*> bound(const Step& step, const Buffers& buffers) {
  std::vector<const Bytes*> out;
  for (const check::BufferId id : step.checked->bound_buffers()) {
    const std::string_view name = step.checked->program().code.name(step.checked->buffer(id).name);
    out.push_back(&buffers.by_name.find(name)->second.bytes);
  }
  return out;
}

/// Both backends over one step and its inputs.
class Search {
 public:
  Search(const Contestant& a, const Contestant& b, const Step& step, const Buffers& inputs,
         const Source* source, uint64_t guess)
      : contestants_{&a, &b},
        step_(step),
        inputs_(bound(step, inputs)),
        source_(source),
        kernel_(lower::build(*step.checked)),
        guess_(guess) {}

  /// The place, or why there is none. Errors: what a backend answers to the program with probes.
  Result<void> run(uint64_t at_most, FirstDifference& out) {
    const uint64_t all = step_.groups.total() * kernel_.invocations();
    if (all > at_most) {
      out.why = fmt::format("{} invocations are too many to watch ({} are the most): dispatch fewer groups",
                            all, at_most);
      return {};
    }
    watch_.values = lower::watchable(kernel_);
    const std::vector<bool> any_order = lower::depends_on_order(kernel_);
    for (size_t k = 0; k < any_order.size(); ++k) watch_.values[k] = watch_.values[k] && !any_order[k];
    VYRE_CHECK(open(watch_));
    // An invocation often writes the element of its number.
    if (const uint64_t guess = guess_ / kernel_.invocations(); guess < step_.groups.total()) {
      VYRE_TRY(found, look(guess, 1, out));
      if (found) return {};
    }
    const uint64_t window = std::max<uint64_t>(1, kWindow / kernel_.invocations());
    for (uint64_t first = 0; first < step_.groups.total(); first += window) {
      VYRE_TRY(found, look(first, std::min(window, step_.groups.total() - first), out));
      if (found) return {};
    }
    const bool some_order = std::ranges::find(any_order, true) != any_order.end();
    out.why = some_order ? "what differs depends on the order of atomics, which no backend promises"
                         : "with probes in the program no value differs";
    return {};
  }

 private:
  Result<void> open(const lower::Watch& watch) {
    auto checked = check::check(lower::raise_watched(kernel_, watch), ops::op_table());
    if (!checked) return std::unexpected(checked.error().front());
    for (size_t k = 0; k < 2; ++k) {
      VYRE_TRY(watched, Watched::make(contestants_[k]->backend, *checked));
      watched_[k] = std::move(watched);
    }
    return {};
  }

  Result<void> dispatch(TraceDepth depth) {
    for (size_t k = 0; k < 2; ++k) {
      VYRE_TRY(traces,
               watched_[k]->run(inputs_, step_.groups, depth, first_, groups_, kernel_.invocations()));
      traces_[k] = std::move(traces);
    }
    return {};
  }

  /// Looks into workgroups first .. first + count - 1. Return: whether it is settled.
  Result<bool> look(uint64_t first, uint64_t count, FirstDifference& out) {
    first_ = first;
    groups_ = count;
    VYRE_CHECK(dispatch({}));
    const auto who = parted();
    if (!who) return false;
    // From here on one workgroup is enough: they are independent.
    first_ += *who / kernel_.invocations();
    groups_ = 1;
    VYRE_TRY(sound, probes_are_sound(out));
    if (!sound) return true;
    VYRE_TRY(parts, part({}));
    if (parts) {
      VYRE_CHECK(bisect(out));
    } else {
      out.why = "the difference is not there in each run";
    }
    return true;
  }

  /// How many invocations are looked into.
  uint64_t count() const { return groups_ * kernel_.invocations(); }

  /// The first of these invocations whose hashes differ.
  std::optional<uint64_t> parted() const {
    for (uint64_t i = 0; i < count(); ++i) {
      if (word_of(traces_[0], i, Trace::Hash) != word_of(traces_[1], i, Trace::Hash)) return i;
    }
    return std::nullopt;
  }
  Result<bool> part(TraceDepth depth) {
    VYRE_CHECK(dispatch(depth));
    return parted().has_value();
  }

  /// A backend that cannot even say that it hashed nothing says nothing with its hashes.
  Result<bool> probes_are_sound(FirstDifference& out) {
    VYRE_CHECK(dispatch({0, 0}));
    for (size_t k = 0; k < 2; ++k) {
      for (uint64_t i = 0; i < count(); ++i) {
        if (word_of(traces_[k], i, Trace::Hash) == 1 && word_of(traces_[k], i, Trace::Caught) == 0) continue;
        out.why = fmt::format("{} does not run the probes themselves as it must", contestants_[k]->name);
        return false;
      }
    }
    return true;
  }

  /// The greatest of a word in all traces.
  uint32_t greatest(Trace which) const {
    uint32_t out = 0;
    for (const TraceWords& traces : traces_) {
      for (uint64_t i = 0; i < count(); ++i) out = std::max(out, word_of(traces, i, which));
    }
    return out;
  }

  /// The smallest x in 1 .. most for which part(place(x)); it does for `most`.
  template <typename DepthAt>
  Result<uint32_t> smallest(uint32_t most, DepthAt depth) {
    uint32_t low = 0, high = most;  // not below or at low; at high
    while (high - low > 1) {
      const uint32_t middle = low + (high - low) / 2;
      VYRE_TRY(parts, part(depth(middle)));
      (parts ? high : low) = middle;
    }
    return high;
  }

  Result<void> bisect(FirstDifference& out) {
    const uint32_t phases = greatest(Trace::Phase) + 1, most = greatest(Trace::Most);
    VYRE_TRY(after, smallest(phases, [](uint32_t x) { return TraceDepth{x - 1, UINT32_MAX}; }));
    const uint32_t phase = after - 1;
    VYRE_TRY(number, smallest(std::max(most, 1u), [&](uint32_t x) { return TraceDepth{phase, x}; }));
    const TraceDepth depth{phase, number};
    VYRE_CHECK(dispatch(depth));
    const auto who = parted();
    if (!who) {
      out.why = "the difference is not there in each run";
      return {};
    }
    return describe(depth, *who, out);
  }

  struct Caught {
    uint32_t instruction = 0;  // 0: there was no value at the place
    std::array<uint32_t, 4> words{};
    Value value() const { return Value{instruction - 1}; }
  };
  Caught caught(size_t k, uint64_t who) const {
    Caught out{.instruction = word_of(traces_[k], who, Trace::Caught)};
    if (out.instruction > kernel_.insts.size()) out.instruction = 0;
    for (uint32_t w = 0; w < 4; ++w)
      out.words[w] = traces_[k][size_t(who * lower::kTraceWords + uint32_t(Trace::Word0) + w)];
    return out;
  }

  /// What an instruction is in the text: `a[i] + b[i]`; without a text, as the kernel writes it.
  std::string quoted(Value v) const {
    constexpr size_t kShown = 60;
    const Span span = kernel_[v].origin;
    if (source_ == nullptr || !span.known()) return fmt::format("`{}`", lower::print(kernel_, v));
    std::string_view text = source_->text().substr(span.begin, span.end - span.begin);
    const size_t line = text.find('\n');
    const bool whole = line == text.npos && text.size() <= kShown;
    return fmt::format("`{}{}`", text.substr(0, std::min(line, kShown)), whole ? "" : "...");
  }
  spec::DataType type_of(Value v) const {
    const lower::Inst& inst = kernel_[v];
    if (inst.kind == InstKind::Loop) return spec::DataType::U32;
    if (inst.kind == InstKind::Store) return spec::element_value_type(kernel_.buffers[inst.target].element);
    return inst.type;
  }
  std::string shown(const Caught& c) const {
    std::array<std::byte, 16> bytes;
    for (size_t w = 0; w < 4; ++w) store_u32(bytes.data() + 4 * w, c.words[w]);
    const spec::DataType type = type_of(c.value());
    return fmt::format("{} ({})", format_element(bytes.data(), type, false),
                       format_element(bytes.data(), type, true));
  }

  std::string invocation(uint64_t linear) const {
    const auto& size = kernel_.workgroup_size;
    const uint64_t local = linear % kernel_.invocations(), group = linear / kernel_.invocations();
    const layout::Groups& g = step_.groups;
    return fmt::format("({}, {}, {})", group % g.x * size[0] + local % size[0],
                       group / g.x % g.y * size[1] + local / size[0] % size[1],
                       group / g.x / g.y * size[2] + local / size[0] / size[1]);
  }

  Result<void> describe(TraceDepth depth, uint64_t who, FirstDifference& out) {
    const Caught first = caught(0, who), second = caught(1, who);
    const std::string where =
        fmt::format("in invocation {}", invocation(first_ * kernel_.invocations() + who));
    const std::string_view a = contestants_[0]->name, b = contestants_[1]->name;
    if (first.instruction == 0 && second.instruction == 0) {
      out.why = "the backends do not say what they computed last";
      return {};
    }
    Diag diag = make_diag(DiagCode::X008, Span::none(), "", "");
    if (first.instruction == second.instruction) {
      const Value v = first.value();
      diag.span = kernel_[v].origin;
      diag.message = fmt::format("{} {} {} on {} and {} on {}, {}", quoted(v), verb(v), shown(first), a,
                                 shown(second), b, where);
    } else if (first.instruction == 0 || second.instruction == 0) {
      const bool more = first.instruction == 0;  // the second goes on
      const Value v = (more ? second : first).value();
      diag.span = kernel_[v].origin;
      diag.message = fmt::format("{} is computed on {}, and on {} no more, {}", quoted(v), more ? b : a,
                                 more ? a : b, where);
    } else {
      diag.span = kernel_[first.value()].origin;
      diag.message = fmt::format("{} goes on to {}, and {} to {}, {}", a, quoted(first.value()), b,
                                 quoted(second.value()), where);
      diag.notes.push_back({kernel_[second.value()].origin, fmt::format("where {} is", b)});
    }
    const Value v = (first.instruction != 0 ? first : second).value();
    add_callee(v, diag);
    VYRE_CHECK(add_times(depth, who, v, diag));
    out.place = std::move(diag);
    return {};
  }

  std::string_view verb(Value v) const {
    const InstKind kind = kernel_[v].kind;
    if (kind == InstKind::Store) return "then holds";
    if (kind == InstKind::Loop) return "begins a round with";
    return "gives";
  }

  /// Inlined code has the position of its call.
  void add_callee(Value v, Diag& diag) const {
    const ir::Code& code = step_.checked->program().code;
    const Span span = kernel_[v].origin;
    if (!span.known() || kernel_[v].kind == InstKind::Intrinsic) return;
    for (uint32_t k = 0; k < code.exprs.size(); ++k) {
      const ir::Expr& e = code.exprs[k];
      if (e.kind != ir::ExprKind::Apply || e.op != spec::Op::Call || code.span(ir::ExprId{k}) != span)
        continue;
      diag.notes.push_back({Span::none(), fmt::format("inside {}@{}, at {}", code.name(e.symbol), e.immediate,
                                                      lower::print(kernel_, v))});
      return;
    }
  }

  /// How often the first backend had computed it by then.
  Result<void> add_times(TraceDepth depth, uint64_t who, Value v, Diag& diag) {
    lower::Watch counting = watch_;
    counting.counted = v;
    VYRE_CHECK(open(counting));
    VYRE_CHECK(dispatch(depth));
    const uint32_t times = std::max(word_of(traces_[0], who, Trace::Hash), 1u) - 1;
    if (times > 0) {
      diag.notes.push_back(
          {Span::none(), fmt::format("this invocation had computed it {} time{} before, alike", times,
                                     times == 1 ? "" : "s")});
    }
    return {};
  }

  std::array<const Contestant*, 2> contestants_;
  const Step& step_;
  std::vector<const Bytes*> inputs_;
  const Source* source_;
  Kernel kernel_;
  lower::Watch watch_;
  std::array<std::optional<Watched>, 2> watched_;
  std::array<TraceWords, 2> traces_;
  uint64_t guess_;                   // a number of an invocation
  uint64_t first_ = 0, groups_ = 0;  // workgroups that are looked into
};

/// The index of the first element that differs, in the first buffer that does.
uint64_t differing_element(const Buffers& a, const Buffers& b) {
  for (const std::string& name : a.order) {
    const NamedBuffer& left = a.by_name.find(name)->second;
    const Bytes& right = b.by_name.find(name)->second.bytes;
    const auto at = std::ranges::mismatch(left.bytes, right).in1;
    if (at != left.bytes.end()) return uint64_t(at - left.bytes.begin()) / spec::info(left.element).bytes;
  }
  return 0;
}

/// Runs a pipeline dispatch by dispatch on both backends over equal memory of the host, up to the first
/// dispatch after which they differ.
class Stepwise final : public ref::PlanRunner {
 public:
  /// The dispatch that was found.
  struct Found {
    uint64_t number = 0;  // from 1
    Step step;
    Buffers before;
    uint64_t element = 0;  // the first that differs
    Span place;            // of the command
  };

  Stepwise(const Contestant& a, const Contestant& b, const Step& pipeline, const Buffers& inputs)
      : contestants_{&a, &b}, pipeline_(pipeline) {
    for (const Bytes* bytes : bound(pipeline, inputs)) parameters_.push_back(*bytes);
  }

  /// Errors  what a backend answers to a dispatch, or the pipeline itself.
  Result<std::optional<Found>> look() {
    std::vector<ref::PlanParameter> parameters;
    for (const Bytes& bytes : parameters_) parameters.push_back({bytes.size(), bytes});
    ref::PlanOptions options;
    for (const Contestant* contestant : contestants_)
      options.max_scratch_bytes =
          std::min<uint64_t>(options.max_scratch_bytes, contestant->backend.limits().max_buffer_bytes);
    const auto ran = ref::run_plan(*pipeline_.module, *pipeline_.pipeline, parameters, options, *this);
    if (!ran && !found_) return std::unexpected(ran.error());
    return std::move(found_);
  }

  Result<void> run(const ref::Segment& segment, ref::Statements& statements) override {
    chunks_.resize(std::max(chunks_.size(), segment.chunks.size()));
    for (size_t i = 0; i < segment.chunks.size(); ++i)
      chunks_[i].resize(std::max<size_t>(chunks_[i].size(), size_t(segment.chunks[i])));
    return run(segment, 0, segment.steps.size(), statements);
  }

 private:
  Result<void> run(const ref::Segment& segment, size_t begin, size_t end, ref::Statements& statements) {
    for (size_t i = begin; i < end; ++i) {
      const ref::PlanStep& step = segment.steps[i];
      const auto buffers = segment.of(step);
      switch (step.kind) {
        case ref::PlanStep::Kind::Dispatch: VYRE_CHECK(dispatch(segment, step)); break;
        case ref::PlanStep::Kind::Zero: std::ranges::fill(memory(buffers[0]), std::byte{0}); break;
        case ref::PlanStep::Kind::Repeat:
          for (uint32_t turn = 0; turn < step.turns; ++turn) {
            if (!statements.spend(step.statements))
              return std::unexpected(ref::out_of_statements(place(step)));
            VYRE_CHECK(run(segment, i + 1, i + 1 + step.count, statements));
            const auto looked_at = memory(buffers[0]);
            const size_t word = size_t(step.word) * 4;
            if (word + 4 > looked_at.size() || load_u32(looked_at.data() + word) == 0) break;
          }
          i += step.count;
          break;
      }
    }
    return {};
  }

  /// A buffer that steps may write.
  std::span<std::byte> memory(const ref::PlanBuffer& buffer) {
    const bool scratch = buffer.kind == ref::PlanBuffer::Kind::Scratch;
    return std::span(scratch ? chunks_[buffer.number] : parameters_[buffer.number])
        .subspan(size_t(buffer.offset), size_t(buffer.bytes));
  }
  Bytes contents(const ref::Segment& segment, const ref::PlanBuffer& buffer) {
    std::span<const std::byte> bytes;
    if (buffer.kind == ref::PlanBuffer::Kind::Words) {
      bytes =
          std::as_bytes(std::span(segment.words).subspan(size_t(buffer.offset), size_t(buffer.bytes / 4)));
    } else {
      bytes = memory(buffer);
    }
    return {bytes.begin(), bytes.end()};
  }

  Span place(const ref::PlanStep& step) const {
    return pipeline_.module->pipelines()[step.pipeline].pipeline->commands[step.command].span;
  }

  Result<void> dispatch(const ref::Segment& segment, const ref::PlanStep& step) {
    ++number_;
    const Step program{pipeline_.module->programs()[step.program], step.groups};
    const std::span<const ref::PlanBuffer> given = segment.of(step);
    // Every buffer by itself: one that is read twice is there twice.
    Buffers before = declare_buffers({&program, 1}).value();
    for (size_t i = 0; i < given.size(); ++i)
      before.by_name.find(before.order[i])->second.bytes = contents(segment, given[i]);
    std::array<Buffers, 2> after = {before, before};
    for (size_t k = 0; k < 2; ++k) {
      auto& ready = ready_[{k, step.program}];
      if (!ready) {
        VYRE_TRY(made, ReadyStep::make(contestants_[k]->backend, program));
        ready.emplace(std::move(made));
      }
      VYRE_CHECK(ready->run(after[k], step.groups));
    }
    if (first_unequal(after[0], after[1])) {
      const uint64_t element = differing_element(after[0], after[1]);
      found_ = Found{number_, program, std::move(before), element, place(step)};
      return std::unexpected(make_diag(DiagCode::X008, place(step), "", ""));  // which ends the walk
    }
    for (size_t i = 0; i < given.size(); ++i) {
      const NamedBuffer& buffer = after[0].by_name.find(before.order[i])->second;
      if (buffer.writable) std::ranges::copy(buffer.bytes, memory(given[i]).begin());
    }
    return {};
  }

  std::array<const Contestant*, 2> contestants_;
  const Step& pipeline_;
  std::vector<Bytes> parameters_, chunks_;
  std::map<std::pair<size_t, uint32_t>, std::optional<ReadyStep>> ready_;  // by contestant and program
  uint64_t number_ = 0;                                                    // of dispatches so far
  std::optional<Found> found_;
};

/// Looks into a pipeline: the first dispatch after which the backends differ, and the expression in it.
Result<void> look_into_pipeline(const Contestant& a, const Contestant& b, const Step& step,
                                const Buffers& inputs, const Source* source, uint64_t most,
                                FirstDifference& out) {
  VYRE_TRY(found, Stepwise(a, b, step, inputs).look());
  if (!found) {
    out.why =
        "run dispatch by dispatch over equal buffers no program differs, so it is in how the pipeline is run "
        "as a "
        "whole, or in an order that no backend promises";
    return {};
  }
  VYRE_CHECK(Search(a, b, found->step, found->before, source, found->element).run(most, out));
  const std::string where = fmt::format("dispatch {} of the run, of {}, is the first after which they differ",
                                        found->number, found->step.checked->program().name);
  if (out.place) {
    out.place->notes.push_back({found->place, where});
  } else {
    out.why = fmt::format("{}; {}", where, out.why);
  }
  return {};
}

}  // namespace

FirstDifference find_first_difference(const Contestant& a, const Contestant& b, std::span<const Step> steps,
                                      const Buffers& inputs,
                                      const std::function<const Source*(size_t)>& source, uint64_t most) {
  FirstDifference out;
  Buffers before = inputs;
  for (out.step = 0; out.step < steps.size(); ++out.step) {
    Buffers left = before, right = before;
    const std::span<const Step> step = steps.subspan(out.step, 1);
    Result<void> ran = run_steps(a.backend, step, left);
    if (ran) ran = run_steps(b.backend, step, right);
    if (ran && expect_equal(left, a.name, right, b.name)) {
      before = std::move(left);
      continue;
    }
    if (ran && step[0].pipeline) {
      ran = look_into_pipeline(a, b, step[0], before, source(out.step), most, out);
    } else if (ran) {
      ran = Search(a, b, step[0], before, source(out.step), differing_element(left, right)).run(most, out);
    }
    if (!ran) {
      out.why = fmt::format("with probes in the program there is {}: {}", diag_info(ran.error().code).name,
                            ran.error().message);
    }
    return out;
  }
  out.step = 0;
  out.why = "run one by one over equal inputs, no program differs";
  return out;
}

}  // namespace vyre::host
