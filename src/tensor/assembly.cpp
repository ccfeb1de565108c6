#include "tensor/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/text.h"
#include "wire/wire.h"

namespace vyre::tensor {
namespace {

constexpr uint32_t kInvocations = 256;  // of a workgroup of for_each
constexpr uint32_t kNoMemory = UINT32_MAX;
constexpr std::string_view kEqualName = "kernel";  // of every program while they are compared

}  // namespace

Body::Body(std::array<uint32_t, 3> workgroup) : program_(std::string(kEqualName)) {
  program_.workgroup_size(workgroup[0], workgroup[1], workgroup[2]);
}

std::string Body::fresh(std::string_view what) {
  std::string name;
  do {
    name = fmt::format("{}{}", what, names_++);
  } while (!text::is_name(name));  // i32
  return name;
}

ir::Ex Body::let(ir::Ex value) { return program_.let(fresh("v"), value); }

Body::Use& Body::use(Array array) {
  const auto known = std::ranges::find(uses_, array.number, [](const Use& u) { return u.array.number; });
  if (known != uses_.end()) return *known;
  const uint32_t binding = uint32_t(uses_.size());
  const auto buffer =
      program_.read(fmt::format("b{}", binding), assembly_->arrays_[array.number].element, binding);
  return uses_.emplace_back(array, buffer);
}

ir::Ex Body::load(Array array, ir::Ex index) { return program_.load(use(array).buffer, index); }

void Body::store(Array array, ir::Ex index, ir::Ex value) {
  Use& target = use(array);
  target.written = true;
  program_.store(target.buffer, index, value);
}

Array Assembly::parameter(std::string_view name, spec::DataType element, std::optional<uint32_t> count) {
  arrays_.push_back({Place::Parameter, std::string(name), element, count});
  return {uint32_t(arrays_.size()) - 1};
}

Array Assembly::output(std::string_view name, spec::DataType element, std::optional<uint32_t> count) {
  arrays_.push_back({Place::Output, std::string(name), element, count});
  return {uint32_t(arrays_.size()) - 1};
}

Array Assembly::scratch(spec::DataType element, uint32_t count) {
  std::string name = fmt::format("t{}", arrays_.size());
  while (std::ranges::find(arrays_, name, &Known::name) != arrays_.end()) name += '_';
  arrays_.push_back({Place::Scratch, std::move(name), element, count});
  return {uint32_t(arrays_.size()) - 1};
}

void Assembly::dispatch(std::string_view what, std::array<uint32_t, 3> workgroup,
                        std::array<uint32_t, 3> groups, const std::function<void(Body&)>& write) {
  if (std::ranges::find(groups, 0u) != groups.end()) return;
  const auto begun = [&](Body& body) {
    body.assembly_ = this;
    body.number_ = ++bodies_;
  };
  Body seen(workgroup);
  begun(seen);
  write(seen);
  Body body(workgroup);
  begun(body);
  ir::ProgramBuilder& p = body.program_;
  std::vector<ir::Ex> known;
  for (const Body::Use& use : seen.uses_) {
    const ir::BufferRef buffer = body.use(use.array).buffer;
    const std::optional<uint32_t> count = arrays_[use.array.number].count;
    if (count.value_or(0) != 0) known.push_back(p.len(buffer) >= *count);
  }
  // On a CPU workgroups that do not wait are one row after the other: what a row has to be below is looked at
  // before it, and the number of invocations along x says where it ends.
  const ir::Program first = seen.program_.finish();
  bool waits = false;
  for (size_t i = 0; i < first.code.nodes.size(); ++i)
    waits |= first.code.nodes[i].kind == ir::NodeKind::Barrier;
  const bool flat = device_ == Device::Cpu && !waits && workgroup[0] > 1;
  for (uint32_t axis = flat ? 1 : 0; axis < 3; ++axis) {
    if (groups[axis] <= 1) continue;
    const bool one = flat && workgroup[axis] == 1;
    known.push_back((one ? p.invocation_id(axis) : p.workgroup_id(axis)) < groups[axis]);
  }
  // A balanced tree: compilers look a few levels deep for what they know.
  const std::function<ir::Ex(std::span<const ir::Ex>)> all = [&](std::span<const ir::Ex> some) {
    if (some.size() == 1) return some[0];
    const size_t half = some.size() / 2;
    const ir::Ex first = all(some.first(half));
    return first && all(some.subspan(half));
  };
  const auto inside = [&] {
    if (!flat) return write(body);
    p.if_(p.invocation_id(0) < groups[0] * workgroup[0], [&] { write(body); });
  };
  known.empty() ? inside() : p.if_(all(known), inside);
  ir::Program program = body.program_.finish();
  Dispatch made{0, groups, {}};
  for (size_t i = 0; i < body.uses_.size(); ++i) {
    if (body.uses_[i].written) {
      const auto decl = std::ranges::find(program.buffers, body.uses_[i].buffer.name, &ir::BufferDecl::name);
      decl->access = spec::BufferAccess::ReadWrite;
    }
    made.arrays.push_back(body.uses_[i].array);
  }
  const auto [same, fresh] = by_wire_.emplace(wire::digest(program).bytes, uint32_t(programs_.size()));
  made.program = same->second;
  if (fresh) {
    program.name = fmt::format("{}_{}", what, programs_.size());
    if (program.name == name_) program.name += '_';
    programs_.push_back(std::move(program));
  }
  dispatches_.push_back(std::move(made));
}

void Assembly::for_each(std::string_view what, uint32_t count,
                        const std::function<void(Body&, ir::Ex)>& write) {
  // Full rows need no test; the rest is a row of its own, whose test is of invocation_id.x with a number.
  constexpr uint32_t kRow = 32'768 * kInvocations;
  const uint32_t rows = count / kRow, rest = count % kRow;
  dispatch(what, {kInvocations, 1, 1}, {kRow / kInvocations, rows, 1}, [&](Body& body) {
    ir::ProgramBuilder& p = body.program();
    const ir::Ex row = device_ == Device::Cpu ? p.invocation_id(1) : p.workgroup_id(1);
    write(body, body.let(rows <= 1 ? p.invocation_id(0) : row * kRow + p.invocation_id(0)));
  });
  const uint32_t groups = ceil_div(rest, kInvocations);
  dispatch(what, {kInvocations, 1, 1}, {groups, 1, 1}, [&](Body& body) {
    ir::ProgramBuilder& p = body.program();
    const ir::Ex x = body.let(p.invocation_id(0));
    const auto one = [&] { write(body, rows == 0 ? x : body.let(x + rows * kRow)); };
    if (rest % kInvocations == 0) return one();
    p.if_(x < rest, one);
  });
}

std::vector<uint32_t> Assembly::share_memory() {
  struct Life {
    size_t first = SIZE_MAX, last = 0;  // dispatches that use it
  };
  std::vector<Life> lives(arrays_.size());
  for (size_t d = 0; d < dispatches_.size(); ++d) {
    for (const Array array : dispatches_[d].arrays) {
      lives[array.number].first = std::min(lives[array.number].first, d);
      lives[array.number].last = d;
    }
  }
  std::vector<uint32_t> memory(arrays_.size(), kNoMemory), order;
  for (uint32_t a = 0; a < arrays_.size(); ++a) {
    if (arrays_[a].place == Place::Scratch && lives[a].first != SIZE_MAX) order.push_back(a);
  }
  std::ranges::sort(order, {}, [&](uint32_t a) { return std::pair(lives[a].first, a); });
  std::vector<std::pair<uint32_t, size_t>> taken;  // memory, and the dispatch after which it is free
  for (const uint32_t a : order) {
    // The smallest that suffices, or the largest, which grows.
    std::pair<uint32_t, size_t>* best = nullptr;
    const auto better = [&](uint32_t count, uint32_t than) {
      const bool fits = count >= *arrays_[a].count, did = than >= *arrays_[a].count;
      return fits != did ? fits : fits ? count < than : count > than;
    };
    for (auto& one : taken) {
      if (one.second >= lives[a].first || arrays_[one.first].element != arrays_[a].element) continue;
      if (best == nullptr || better(*arrays_[one.first].count, *arrays_[best->first].count)) best = &one;
    }
    if (best == nullptr) {
      memory[a] = a;
      taken.emplace_back(a, lives[a].last);
      continue;
    }
    memory[a] = best->first;
    best->second = lives[a].last;
    arrays_[best->first].count = std::max(*arrays_[best->first].count, *arrays_[a].count);
  }
  return memory;
}

ir::Module Assembly::finish() {
  ir::PipelineBuilder pipeline(std::move(name_));
  const std::vector<uint32_t> memory = share_memory();
  std::vector<ir::BufferRef> buffers(arrays_.size());
  uint32_t bindings = 0;
  for (uint32_t a = 0; a < arrays_.size(); ++a) {
    const Known& array = arrays_[a];
    switch (array.place) {
      case Place::Parameter: buffers[a] = pipeline.read(array.name, array.element, bindings++); break;
      case Place::Output: buffers[a] = pipeline.read_write(array.name, array.element, bindings++); break;
      case Place::Scratch:
        if (memory[a] == a)
          buffers[a] = pipeline.scratch(array.name, array.element, pipeline.u32(*array.count));
        break;
    }
  }
  for (uint32_t a = 0; a < arrays_.size(); ++a) {
    if (memory[a] != kNoMemory) buffers[a] = buffers[memory[a]];
  }
  for (const Dispatch& dispatch : dispatches_) {
    std::vector<ir::PipelineArgument> arguments;
    for (size_t i = 0; i < dispatch.arrays.size(); ++i)
      arguments.emplace_back(fmt::format("b{}", i), buffers[dispatch.arrays[i].number]);
    std::vector<ir::Ex> groups;
    for (const uint32_t count : dispatch.groups) groups.push_back(pipeline.u32(count));
    pipeline.dispatch(programs_[dispatch.program].name, arguments, groups);
  }
  ir::ModuleBuilder module;
  for (ir::Program& program : programs_) module.program(std::move(program));
  module.pipeline(pipeline.finish());
  return module.finish();
}

std::optional<uint32_t> number(ir::Ex index) {
  const ir::Expr& e = index.builder().code()[index.id()];
  return e.kind == ir::ExprKind::Literal ? std::optional(e.immediate) : std::nullopt;
}
ir::Ex plus(ir::Ex index, uint32_t by) {
  if (by == 0) return index;
  const auto known = number(index);
  return known ? index.builder().u32(*known + by) : index + by;
}
ir::Ex minus(ir::Ex index, uint32_t by) {
  if (by == 0) return index;
  const auto known = number(index);
  return known ? index.builder().u32(*known - by) : index - by;
}
ir::Ex times(ir::Ex index, uint32_t by) {
  if (by == 1) return index;
  const auto known = number(index);
  return by == 0 ? index.builder().u32(0) : known ? index.builder().u32(*known * by) : index * by;
}
ir::Ex quotient(ir::Ex index, uint32_t by) {
  if (by == 1) return index;
  const auto known = number(index);
  return known ? index.builder().u32(*known / by) : index / by;
}
ir::Ex rest(ir::Ex index, uint32_t by) {
  const auto known = number(index);
  return by == 1 ? index.builder().u32(0) : known ? index.builder().u32(*known % by) : index % by;
}

ir::Ex sum(ir::Ex a, ir::Ex b) {
  if (const auto known = number(a)) return plus(b, *known);
  const auto known = number(b);
  return known ? plus(a, *known) : a + b;
}

ir::Ex linear(Body& body, std::span<const uint32_t> shape, const Coordinates& at) {
  std::optional<ir::Ex> sum;
  uint32_t stride = 1, behind = 0;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
    if (shape[axis] == 1) continue;
    ir::Ex place = at[axis];
    // x + n: what is added to all of them comes last, so that neighbours are seen to be.
    if (const auto parts = body.program().as_sum_with_literal(place)) {
      place = parts->first;
      behind += parts->second * stride;
    }
    const ir::Ex term = times(place, stride);
    const auto known = number(term);
    if (known) behind += *known;
    if (!known) sum = sum ? term + *sum : term;
  }
  return plus(sum.value_or(body.u32(0)), behind);
}

Coordinates coordinates(Body& body, std::span<const uint32_t> shape, ir::Ex index) {
  const auto named = [&](ir::Ex ex) { return number(ex) ? ex : body.let(ex); };
  Coordinates at(shape.size(), body.u32(0));
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1) continue;
    const bool last = std::ranges::all_of(shape.first(axis), [](uint32_t size) { return size == 1; });
    at[axis] = last ? index : named(rest(index, shape[axis]));
    if (!last) index = named(quotient(index, shape[axis]));
  }
  return at;
}

}  // namespace vyre::tensor
