#include "host/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "host/values.h"
#include "ref/graph.h"
#include "spec/ops.h"

namespace vyre::host {

namespace {

/// The node of a parameter or an output of the step's graph.
const check::SizedNode* graph_node(const Step& step, std::string_view name) {
  if (step.graph == nullptr) return nullptr;
  const check::SizedGraph& graph = step.graph->sized;
  for (const auto& output : graph.outputs)
    if (output.name == name) return &graph.nodes[output.node];
  for (const auto& parameter : graph.parameters)
    if (parameter.name == name) return &graph.nodes[parameter.node];
  return nullptr;
}

/// What the elements are to those who give and read them: of a graph's pipeline, those of the graph.
spec::DataType element_of(const Step& step, const ir::BufferDecl& decl) {
  const ir::Program& program = step.checked->program();
  const check::SizedNode* const node = graph_node(step, program.code.name(decl.name));
  return node != nullptr ? node->type : program.element(decl);
}

}  // namespace

std::expected<Buffers, UsageError> declare_buffers(std::span<const Step> steps) {
  Buffers buffers;
  for (const Step& step : steps) {
    const ir::Program& program = step.checked->program();
    for (const check::BufferId id : step.checked->bound_buffers()) {
      const ir::BufferDecl& decl = step.checked->buffer(id);
      const std::string name(program.code.name(decl.name));
      auto [it, fresh] = buffers.by_name.try_emplace(name, NamedBuffer{element_of(step, decl), false, {}});
      if (fresh) buffers.order.push_back(name);
      if (it->second.element != element_of(step, decl)) {
        return std::unexpected(UsageError{fmt::format(
            "buffer '{}' is {} in one program and {} in another: programs that share a buffer declare it "
            "with one type",
            name, spec::text(it->second.element), spec::text(element_of(step, decl)))});
      }
      it->second.writable |= decl.access == spec::BufferAccess::ReadWrite;
    }
  }
  return buffers;
}

std::optional<std::vector<uint32_t>> graph_shape(const Step& step, std::string_view name) {
  const check::SizedNode* const node = graph_node(step, name);
  return node == nullptr ? std::nullopt : std::optional(node->shape);
}

std::optional<std::vector<uint32_t>> tensor_shape(std::span<const Step> steps, const Buffers& buffers,
                                                  std::string_view name) {
  for (const Step& step : steps) {
    if (auto shape = graph_shape(step, name)) return shape;
    const check::Checked& program = *step.checked;
    std::vector<layout::Extent> extents;
    std::optional<size_t> tensor;
    for (const check::BufferId id : program.bound_buffers()) {
      const std::string_view of = program.program().code.name(program.buffer(id).name);
      const Bytes& bytes = buffers.by_name.find(of)->second.bytes;
      if (of == name && program.program().tensor(program.buffer(id)) != nullptr) tensor = extents.size();
      extents.push_back({&bytes, 0, bytes.size(), bytes});
    }
    const auto bindings = tensor ? layout::bind(program, extents, {}) : std::unexpected(Diag{});
    if (!bindings) continue;
    const layout::Binding& binding = (*bindings)[*tensor];
    uint64_t stride = 1;
    bool row_major = true;
    for (size_t i = binding.dims.size(); i-- > 0;) {
      row_major &= binding.dims[i] < 2 || binding.strides[i] == stride;
      stride *= binding.dims[i];
    }
    if (row_major && stride == binding.count) return binding.dims;
  }
  return std::nullopt;
}

namespace {

using Clock = std::chrono::steady_clock;

/// Elements of a small type as they are in memory: those of four bits two to a byte, and then to a multiple
/// of `whole` bytes.
Bytes packed(const NamedBuffer& buffer, size_t whole) {
  const size_t count = buffer.bytes.size();
  Bytes out((spec::packed_bytes(buffer.element, count) + whole - 1) / whole * whole);
  const bool nibbles = spec::packed_bits(buffer.element) == 4;
  for (size_t i = 0; i < count; ++i) out[nibbles ? i / 2 : i] |= buffer.bytes[i] << (nibbles ? i % 2 * 4 : 0);
  return out;
}
void unpack(std::span<const std::byte> from, NamedBuffer& buffer) {
  const bool nibbles = spec::packed_bits(buffer.element) == 4;
  for (size_t i = 0; i < buffer.bytes.size(); ++i)
    buffer.bytes[i] = nibbles ? (from[i / 2] >> (i % 2 * 4)) & std::byte{0xf} : from[i];
}

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

Result<ReadyStep> ReadyStep::make(backend::Backend& backend, const Step& step) {
  ReadyStep out(step);
  if (step.convention) VYRE_CHECK(backend::negotiate(backend, *step.checked, *step.convention));
  if (step.graph != nullptr && step.as_defined && backend.identity().name == "reference") {
    out.graph_ = step.graph;
  } else if (step.pipeline) {
    VYRE_TRY(executable, plan::Executable::make(backend, step.module, *step.pipeline,
                                                step.graph ? plan::Scratch::Anything : plan::Scratch::Zero));
    out.pipeline_.emplace(std::move(executable));
  } else {
    VYRE_TRY(program, backend.compile(*step.checked));
    out.program_ = std::move(program);
  }
  return out;
}

Result<void> ReadyStep::run_graph(Buffers& buffers, StepTime* time) const {
  std::vector<Bytes> memory(graph_->sized.parameters.size());
  std::vector<std::span<const std::byte>> inputs;
  for (const auto& parameter : graph_->sized.parameters) {
    const NamedBuffer& buffer = buffers.by_name.find(parameter.name)->second;
    Bytes& own = memory[inputs.size()];
    if (spec::is_small(buffer.element)) own = packed(buffer, 1);
    inputs.emplace_back(spec::is_small(buffer.element) ? own : buffer.bytes);
  }
  const Clock::time_point begin = Clock::now();
  VYRE_TRY(outputs, ref::run_graph(*graph_->module, graph_->sized, inputs));
  if (time != nullptr) {
    time->dispatch_seconds = since(begin);
    for (const auto& bytes : inputs) time->bytes += bytes.size();
    for (const Bytes& bytes : outputs) time->bytes += bytes.size();
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    NamedBuffer& buffer = buffers.by_name.find(graph_->sized.outputs[i].name)->second;
    if (spec::is_small(buffer.element)) {
      unpack(outputs[i], buffer);
    } else {
      buffer.bytes = std::move(outputs[i]);
    }
  }
  return {};
}

Result<void> ReadyStep::run(Buffers& buffers, const layout::Groups& groups, StepTime* time) {
  if (graph_ != nullptr) return run_graph(buffers, time);
  std::vector<NamedBuffer*> bound;
  for (const check::BufferId id : checked_->bound_buffers())
    bound.push_back(&buffers.by_name.find(checked_->program().code.name(checked_->buffer(id).name))->second);
  std::vector<Bytes> words(bound.size());  // of small types
  std::vector<std::span<std::byte>> host;
  for (size_t i = 0; i < bound.size(); ++i) {
    const bool small = spec::is_small(bound[i]->element);
    if (small) words[i] = packed(*bound[i], 4);
    host.emplace_back(small ? words[i] : bound[i]->bytes);
  }
  if (time != nullptr && pipeline_) {
    time->notes.timed = true;
    for (const auto& [program, seconds] : pipeline_->compile_seconds())
      time->programs.emplace_back(module_->programs()[program]->program().name, seconds);
  }
  const Clock::time_point begin = Clock::now();
  VYRE_CHECK(pipeline_ ? pipeline_->run_host(host, time == nullptr ? nullptr : &time->notes)
                       : program_->dispatch(host, groups));
  for (size_t i = 0; i < bound.size(); ++i)
    if (bound[i]->writable && spec::is_small(bound[i]->element)) unpack(words[i], *bound[i]);
  if (time == nullptr) return {};
  time->dispatch_seconds = since(begin);
  for (const std::span<std::byte> bytes : host) time->bytes += bytes.size();
  const auto& size = checked_->program().workgroup_size;
  time->invocations = groups.total() * size[0] * size[1] * size[2];
  return {};
}

Result<void> run_steps(backend::Backend& backend, std::span<const Step> steps, Buffers& buffers,
                       std::vector<StepTime>* times) {
  std::vector<StepTime> taken(steps.size());
  // Everything is compiled before anything runs, so that a program that a backend refuses changes no buffer.
  std::vector<ReadyStep> ready;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Clock::time_point begin = Clock::now();
    VYRE_TRY(compiled, ReadyStep::make(backend, steps[i]));
    ready.push_back(std::move(compiled));
    taken[i].compile_seconds = since(begin);
  }
  for (size_t i = 0; i < steps.size(); ++i)
    VYRE_CHECK(ready[i].run(buffers, steps[i].groups, times == nullptr ? nullptr : &taken[i]));
  if (times != nullptr) *times = std::move(taken);
  return {};
}

std::string line_of(const Step& step, const StepTime& time) {
  const std::string took = fmt::format("{} bytes; compiled in {:.2f} ms, ran in {:.2f} ms", time.bytes,
                                       time.compile_seconds * 1e3, time.dispatch_seconds * 1e3);
  if (step.pipeline) {
    uint64_t dispatches = time.notes.others.count;
    for (const plan::DispatchTime& row : time.notes.times) dispatches += row.count;
    if (dispatches == 0 && step.graph != nullptr)
      return fmt::format("{} tensors as they are defined, over {}", step.graph->sized.nodes.size(), took);
    return fmt::format("{} dispatch{} over {}", dispatches, dispatches == 1 ? "" : "es", took);
  }
  const auto& size = step.checked->program().workgroup_size;
  std::string out =
      fmt::format("{}x{}x{} groups of {}x{}x{}: {} invocations over {}", step.groups.x, step.groups.y,
                  step.groups.z, size[0], size[1], size[2], time.invocations, took);
  if (time.dispatch_seconds > 0) {
    out += fmt::format(": {:.1f} million invocations a second",
                       double(time.invocations) / time.dispatch_seconds / 1e6);
  }
  return out;
}

namespace {

/// Rows in columns: the first to the left, the others to the right.
std::string columns(std::span<const std::vector<std::string>> rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    out += fmt::format("    {:<{}}", row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i) out += fmt::format("  {:>{}}", row[i], widths[i]);
    out += '\n';
  }
  return out;
}

std::string milliseconds(double seconds) { return fmt::format("{:.2f} ms", seconds * 1e3); }

}  // namespace

std::string table_of(const Step& step, const StepTime& time, const LoadTime& load, const Source* source) {
  const bool as_defined = step.graph != nullptr && time.notes.times.empty();
  if (!step.pipeline || as_defined) return {};
  std::string out = fmt::format("    before the first dispatch: read {}, check {}",
                                milliseconds(load.read_seconds), milliseconds(load.check_seconds));
  for (const auto& [program, seconds] : time.programs)
    out += fmt::format(", compile {} {}", program, milliseconds(seconds));
  out += fmt::format(", copy {}; after the last: copy back {}\n", milliseconds(time.notes.copy_in_seconds),
                     milliseconds(time.notes.copy_out_seconds));
  std::vector<std::vector<std::string>> rows = {{"dispatch", "groups", "count", "time", "bytes", "GB/s"}};
  for (const plan::DispatchTime& row : time.notes.times) {
    const uint64_t bytes = row.bytes * row.count;
    rows.push_back({step.module->programs()[row.program]->program().name,
                    fmt::format("{}x{}x{}", row.groups.x, row.groups.y, row.groups.z),
                    fmt::format("{}", row.count), milliseconds(row.seconds), fmt::format("{}", bytes),
                    row.seconds > 0 ? fmt::format("{:.2f}", double(bytes) / row.seconds / 1e9) : "-"});
  }
  if (const plan::DispatchTime& others = time.notes.others; others.count != 0)
    rows.push_back({"others", "", fmt::format("{}", others.count), milliseconds(others.seconds), "", ""});
  out += columns(rows);
  for (const auto& [place, count] : time.notes.unfinished) {
    const ir::Pipeline& pipeline = *step.module->pipelines()[place.first].pipeline;
    const ir::Command& command = pipeline.commands[place.second];
    std::string where;
    if (source != nullptr && command.span.known()) {
      const Source::Position at = source->position(command.span.begin);
      where = fmt::format(" at {}:{}", at.line, at.column);
    }
    out += fmt::format(
        "    note: the `repeat`{} of {} ended with its last turn, and its word in {} was not zero{}\n", where,
        pipeline.name, pipeline.code.name(command.symbol),
        count == 1 ? "" : fmt::format(", {} times", count));
  }
  return out;
}

Digest digest_outputs(const Buffers& buffers) {
  Hasher hasher;
  for (const std::string& name : buffers.order) {
    const NamedBuffer& buffer = buffers.by_name.find(name)->second;
    if (!buffer.writable) continue;
    hasher.update_u32(uint32_t(name.size()))
        .update(name)
        .update_u64(buffer.bytes.size())
        .update(buffer.bytes);
  }
  return hasher.finish();
}

namespace {

bool is_approximate(const check::Checked& program, const ir::Code& code,
                    const check::Resolution& resolution) {
  const auto here = [](const ir::Expr& e) {
    return e.kind == ir::ExprKind::Apply && spec::is_approximate(e.op);
  };
  const auto within = [&](const spec::OpDef* def) {
    if (def->intrinsic) return false;
    const check::CheckedFunction& callee = program.function(*def);
    return is_approximate(program, callee.function->code, callee.resolution);
  };
  return std::ranges::any_of(code.exprs, here) || std::ranges::any_of(resolution.callees, within);
}

}  // namespace

bool is_approximate(std::span<const Step> steps) {
  const auto program = [](const check::Checked& checked) {
    return is_approximate(checked, checked.program().code, checked.resolution());
  };
  return std::ranges::any_of(steps, [&](const Step& step) {
    if (!step.pipeline) return program(*step.checked);
    return std::ranges::any_of(plan::programs_of(*step.module, *step.pipeline),
                               [&](uint32_t i) { return program(*step.module->programs()[i]); });
  });
}

std::optional<UnequalElement> first_unequal(const Buffers& a, const Buffers& b) {
  for (const std::string& name : a.order) {
    const NamedBuffer& left = a.by_name.find(name)->second;
    const NamedBuffer& right = b.by_name.find(name)->second;
    if (!left.writable || left.bytes == right.bytes) continue;
    const size_t size = spec::info(left.element).bytes;
    const size_t shared = std::min(left.bytes.size(), right.bytes.size());
    size_t at = 0;
    while (at < shared && std::memcmp(left.bytes.data() + at, right.bytes.data() + at, size) == 0) at += size;
    const auto show = [&](const Bytes& bytes) {
      if (at >= bytes.size()) return std::string("no such element");
      return fmt::format("{} ({})", format_element(bytes.data() + at, left.element, false),
                         format_element(bytes.data() + at, left.element, true));
    };
    return UnequalElement{name, at / size, show(left.bytes), show(right.bytes)};
  }
  return std::nullopt;
}

Result<void> expect_equal(const Buffers& a, std::string_view a_name, const Buffers& b,
                          std::string_view b_name) {
  const auto unequal = first_unequal(a, b);
  if (!unequal) return {};
  return std::unexpected(make_diag(DiagCode::X008, Span::none(),
                                   fmt::format("{}[{}]: {} has {}, {} has {}", unequal->buffer,
                                               unequal->index, a_name, unequal->a, b_name, unequal->b),
                                   "one of the backends is wrong, or the program has a data race"));
}

}  // namespace vyre::host
