#include "shape_plan.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "shape_cheats.h"
#include "spec/ops.h"

namespace vyre::faults {
namespace {

using ir::Ex;
using ir::ExprId;
using ir::ExprKind;
using ir::NodeId;
using ir::NodeKind;
using spec::BufferAccess;
using spec::DataType;
using spec::Op;

// --- Ids

/// ids(kind, f): an id is f of what it should be and of its axis.
Change ids(ExprKind kind, std::function<Ex(Copy&, Ex, uint32_t)> f) {
  return {.expression = [kind, f](Copy& c, ExprId id) -> std::optional<Ex> {
    const ir::Expr& e = c.code()[id];
    if (e.kind != kind) return std::nullopt;
    return f(c, c.plain(id), e.immediate);
  }};
}
Change kept_ids(ExprKind kind, uint32_t mask) {
  return ids(kind, [mask](Copy&, Ex id, uint32_t) { return id & mask; });
}
Change kept_id(ExprKind kind, uint32_t axis, uint32_t mask) {
  return ids(kind, [=](Copy&, Ex id, uint32_t of) { return of == axis ? id & mask : id; });
}

/// Groups that do not run.
Change left_out(std::function<Ex(Copy&)> condition) {
  return {.entry = [condition](Copy& c) { c.if_(condition(c), [&] { c.return_(); }); }};
}

// --- Workgroups

/// Invocations of workgroups of some sizes store nothing.
Change stores_nothing(std::function<bool(const ir::Program&)> sizes, std::function<Ex(Copy&)> lanes) {
  return {.statement = [=](Copy& c, NodeId id) {
    if (c.code()[id].kind != NodeKind::Store || !sizes(c.from())) return false;
    std::vector<Ex> operands = c.operands(c.code().args(c.code()[id]));
    operands[0] = c.select(lanes(c), c.u32(UINT32_MAX), operands[0]);
    c.with(id, operands);
    return true;
  }};
}
bool holds(const ir::Program& program, uint32_t invocations) {
  const auto& size = program.workgroup_size;
  return size[0] * size[1] * size[2] == invocations;
}

/// Turns of a loop whose bounds are literals; of another one 0.
uint32_t turns(Copy& c, NodeId loop) {
  const ir::Expr &from = c.code()[c.code().arg(c.code()[loop], 0)],
                 &to = c.code()[c.code().arg(c.code()[loop], 1)];
  if (from.kind != ExprKind::Literal || to.kind != ExprKind::Literal || from.immediate > to.immediate)
    return 0;
  return to.immediate - from.immediate;
}
/// Barriers that are not there.
Change barriers(std::function<bool(Copy&)> which) {
  return {
      .statement = [=](Copy& c, NodeId id) { return c.code()[id].kind == NodeKind::Barrier && which(c); }};
}

/// All that invocations of a workgroup store is there before others go on.
void leave_behind(Copy& c) {
  constexpr uint64_t kClear = 8 << 10;
  uint64_t at = 0;
  bool any = false;
  for (const ir::BufferDecl& buffer : c.from().buffers) {
    if (buffer.access != BufferAccess::Workgroup) continue;
    const uint32_t bytes = spec::info(buffer.element).bytes, n = c.invocations();
    const uint64_t clear = at >= kClear ? 0 : std::min<uint64_t>(buffer.count, (kClear - at) / bytes);
    at += uint64_t{buffer.count} * bytes;
    if (clear == buffer.count) continue;
    any = true;
    c.if_((c.workgroup_id(0) | c.workgroup_id(1) | c.workgroup_id(2)) != 0, [&] {
      const uint32_t turns = uint32_t((buffer.count - clear + n - 1) / n);
      c.loop("fault_k", c.u32(0), c.u32(turns), [&](Ex k) {
        const DataType type = buffer.element == DataType::Bytes ? DataType::U32 : buffer.element;
        c.store(c.ref(buffer), k * n + c.lane() + uint32_t(clear), c.literal(type, 1));
      });
    });
  }
  if (any) c.barrier();
}

// --- Indices

/// An access of which each index is in the text: loads and atomics as expressions, stores as statements.
/// `f` gives another first index, or nothing.
using OnIndex = std::function<std::optional<Ex>(Copy&, const ir::BufferDecl&, Ex)>;

bool statement_has_effect(Copy& c, std::span<const ExprId> args) {
  return std::ranges::any_of(args, [&](ExprId arg) { return c.has_effect(arg); });
}
Change accesses(std::function<bool(const ir::Expr&)> which, OnIndex f) {
  return {.expression = [=](Copy& c, ExprId id) -> std::optional<Ex> {
    const ir::Expr& e = c.code()[id];
    if (!which(e) || statement_has_effect(c, c.code().args(e).first(1))) return std::nullopt;
    std::vector<Ex> operands = c.operands(c.code().args(e));
    const auto other = f(c, c.buffer(id), operands[0]);
    if (other) operands[0] = *other;
    return c.with(id, operands);
  }};
}
bool is_load(const ir::Expr& e) { return e.kind == ExprKind::Load; }
bool is_atomic(const ir::Expr& e) { return e.kind == ExprKind::Apply && spec::is_atomic(e.op); }

Change stores(OnIndex f) {
  return {.statement = [=](Copy& c, NodeId id) {
    const auto args = c.code().args(c.code()[id]);
    if (c.code()[id].kind != NodeKind::Store || statement_has_effect(c, args)) return false;
    std::vector<Ex> operands = c.operands(args);
    const auto other = f(c, c.buffer(id), operands[0]);
    if (other) operands[0] = *other;
    c.with(id, operands);
    return true;
  }};
}
/// f for buffers that are bound, of the elements in `types`.
OnIndex of_types(spec::TypeSet types, std::function<Ex(Copy&, Ex length, Ex index)> f) {
  return [=](Copy& c, const ir::BufferDecl& buffer, Ex index) -> std::optional<Ex> {
    if (buffer.element == DataType::Tensor || buffer.access == BufferAccess::Workgroup) return std::nullopt;
    if (!types.contains(buffer.element)) return std::nullopt;
    return f(c, c.len(c.ref(buffer)), c.shared(index));
  };
}
std::function<Ex(Copy&, Ex, Ex)> wrapping(uint32_t size) {
  return [size](Copy& c, Ex length, Ex index) { return c.select(index < length, index & (size - 1), index); };
}
OnIndex of_workgroup(std::function<Ex(Copy&, const ir::BufferDecl&, Ex)> f) {
  return [=](Copy& c, const ir::BufferDecl& buffer, Ex index) -> std::optional<Ex> {
    if (buffer.access != BufferAccess::Workgroup) return std::nullopt;
    return f(c, buffer, c.shared(index));
  };
}
/// The first workgroup array of the elements and the count of this one, if that is another.
const ir::BufferDecl* first_alike(Copy& c, const ir::BufferDecl& buffer) {
  if (buffer.access != BufferAccess::Workgroup) return nullptr;
  const auto found = std::ranges::find_if(c.from().buffers, [&](const ir::BufferDecl& other) {
    return other.access == BufferAccess::Workgroup && other.element == buffer.element;
  });
  return &*found == &buffer ? nullptr : &*found;
}
/// Of two changes, of expressions and of statements.
Change both(Change a, const Change& b) {
  a.statement = b.statement;
  return a;
}
Change loads_and_stores(const OnIndex& f) { return both(accesses(is_load, f), stores(f)); }

/// Loads of these elements at an index above `most` are f of what they should be.
Change loads_above(DataType type, uint32_t most, std::function<Ex(Copy&, Ex)> f) {
  return {.expression = [=](Copy& c, ExprId id) -> std::optional<Ex> {
    const ir::Expr& e = c.code()[id];
    if (e.kind != ExprKind::Load || c.buffer(id).element != type || c.has_effect(id)) return std::nullopt;
    const Ex index = c.shared(c.expr(c.code().arg(e, 0)));
    const Ex value = c.hoisted(c.with(id, {{index}}));
    return c.select(index > most, f(c, value), value);
  }};
}

// --- Tensors

/// Of a tensor in row-major order, t[.., i, j] is the element (.., i * columns + j), whatever j is.
std::optional<Ex> last_unchecked(Copy& c, ExprId id) {
  const ir::Expr& e = c.code()[id];
  if (e.kind != ExprKind::Load || c.has_effect(id)) return std::nullopt;
  const ir::TensorType* tensor = c.from().tensor(c.buffer(id));
  if (tensor == nullptr || tensor->dims.size() < 2 || !tensor->strides.empty()) return std::nullopt;
  const ir::Dim& last = tensor->dims.back();
  std::vector<Ex> indices = c.operands(c.code().args(e));
  const Ex columns = last.dynamic() ? c.load({c.ProgramBuilder::code().intern(c.code().name(last.buffer))},
                                             c.u32(last.element))
                                    : c.u32(last.size);
  const Ex j = c.shared(indices.back());
  indices.back() = j % columns;
  Ex& before = indices[indices.size() - 2];
  before = before + j / columns;
  return c.with(id, indices);
}

// --- Order of evaluation, constants

/// Applications of an operator have the operand in this place first; counted from behind where negative.
Change operand_first(std::function<bool(const ir::Expr&)> which) {
  return {.expression = [=](Copy& c, ExprId id) -> std::optional<Ex> {
    const ir::Expr& e = c.code()[id];
    const auto args = c.code().args(e);
    if (!which(e) || args.size() < 2 || !statement_has_effect(c, args)) return std::nullopt;
    return c.with(id, c.first(args, args.size() - 1));
  }};
}
Change operand_first(std::initializer_list<Op> ops) {
  return operand_first([list = std::vector<Op>(ops)](const ir::Expr& e) {
    return e.kind == ExprKind::Apply && std::ranges::find(list, e.op) != list.end();
  });
}

/// Literals of at most 64 bits as numbers; nothing of other expressions.
struct Constant {
  DataType type;
  uint64_t bits;
  unsigned width;
  bool is_signed() const { return type == DataType::I32; }
  uint64_t greatest() const { return is_signed() ? INT32_MAX : width == 64 ? UINT64_MAX : UINT32_MAX; }
  int64_t value() const { return is_signed() || width == 32 ? int64_t(int32_t(bits)) : int64_t(bits); }
};
std::optional<Constant> constant(Copy& c, ExprId id) {
  const ir::Expr& e = c.code()[id];
  if (e.kind != ExprKind::Literal) return std::nullopt;
  if (e.type != DataType::U32 && e.type != DataType::I32 && e.type != DataType::U64) return std::nullopt;
  const auto words = c.code().literal_bits(e);
  return Constant{e.type, words[0] | uint64_t{words[1]} << 32, spec::info(e.type).bytes * 8};
}
/// An operator on two literals is what f says, where it says something.
Change folded(std::initializer_list<Op> ops, std::function<std::optional<uint64_t>(Constant, Constant)> f) {
  return {.expression = [f, list = std::vector<Op>(ops)](Copy& c, ExprId id) -> std::optional<Ex> {
    const ir::Expr& e = c.code()[id];
    if (e.kind != ExprKind::Apply || std::ranges::find(list, e.op) == list.end()) return std::nullopt;
    const auto a = constant(c, c.code().arg(e, 0)), b = constant(c, c.code().arg(e, 1));
    if (!a || !b) return std::nullopt;
    const auto value = f(*a, *b);
    if (!value) return std::nullopt;
    return c.literal(a->type, {uint32_t(*value), a->width == 64 ? uint32_t(*value >> 32) : 0, 0, 0});
  }};
}
/// The exact result when the type has it; else nothing.
template <typename F>
bool fits(Constant a, Constant b, F f) {
  const __int128 x = a.is_signed() ? __int128(int32_t(a.bits)) : __int128(a.bits);
  const __int128 y = b.is_signed() ? __int128(int32_t(b.bits)) : __int128(b.bits);
  const __int128 exact = f(x, y), least = a.is_signed() ? __int128(INT32_MIN) : 0;
  return exact >= least && exact <= __int128(a.greatest());
}

/// How many calls are in each other's arguments.
uint32_t nested_calls(Copy& c, ExprId id) {
  const ir::Expr& e = c.code()[id];
  uint32_t most = 0;
  for (const ExprId arg : c.code().args(e)) most = std::max(most, nested_calls(c, arg));
  return most + (e.kind == ExprKind::Apply && e.op == Op::Call);
}
/// Some expressions are zero.
Change zero_where(std::function<bool(Copy&, ExprId)> which) {
  return {.expression = [=](Copy& c, ExprId id) -> std::optional<Ex> {
    if (!which(c, id)) return std::nullopt;
    return c.zero(c.resolution().type(id));
  }};
}

// --- Atomics

/// Atomic additions add f of what they should.
Change additions(std::function<Ex(Copy&, const ir::BufferDecl&, Ex index, Ex value)> f) {
  return {.expression = [=](Copy& c, ExprId id) -> std::optional<Ex> {
    const ir::Expr& e = c.code()[id];
    const auto args = c.code().args(e);
    if (e.kind != ExprKind::Apply || e.op != Op::AtomicAdd || statement_has_effect(c, args))
      return std::nullopt;
    const Ex index = c.shared(c.expr(args[0])), value = c.expr(args[1]);
    return c.with(id, {{index, f(c, c.buffer(id), index, value)}});
  }};
}

// --- Statements

Change dropped(std::function<bool(Copy&, const ir::Node&)> which) {
  return {.statement = [=](Copy& c, NodeId id) { return which(c, c.code()[id]); }};
}
/// Loops from f to t have the bounds that `bounds` makes of these variables.
Change loops(std::function<std::array<Ex, 2>(Copy&, Ex from, Ex to)> bounds) {
  return {.statement = [=](Copy& c, NodeId id) {
    if (c.code()[id].kind != NodeKind::Loop) return false;
    const auto args = c.code().args(c.code()[id]);
    const Ex from = c.hoisted(c.expr(args[0])), to = c.hoisted(c.expr(args[1]));
    c.with(id, bounds(c, from, to));
    return true;
  }};
}
/// The same where bounds need no look at each other, so that what is uniform stays so.
Change loop_bounds(std::function<Ex(Ex)> f) {
  return {.statement = [=](Copy& c, NodeId id) {
    if (c.code()[id].kind != NodeKind::Loop) return false;
    const auto args = c.code().args(c.code()[id]);
    c.with(id, {{f(c.expr(args[0])), f(c.expr(args[1]))}});
    return true;
  }};
}

/// An else is empty, of ifs so deep.
Change without_else(uint32_t ifs) {
  return {.statement = [=](Copy& c, NodeId id) {
    const ir::Node node = c.code()[id];
    if (node.kind != NodeKind::If || node.orelse == ir::kNoBlock || c.ifs() < ifs) return false;
    c.if_(c.expr(c.code().arg(node, 0)), [&] { c.block(node.body); });
    return true;
  }};
}

// --- Dispatches

std::function<void(Call&)> empty_buffer(std::function<bool(const Call&, size_t)> which) {
  return [=](Call& call) {
    for (size_t k = 0; k < call.memory.size(); ++k) {
      if (which(call, k)) call.memory[k] = call.memory[k].first(0);
    }
  };
}
/// Positions of the bound buffers in the order of their binding numbers.
std::vector<size_t> by_number(const Call& call) {
  std::vector<size_t> order(call.memory.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::sort(order, {}, [&](size_t k) { return call.decl(k).binding; });
  return order;
}
/// As many whole elements of the memory as there are.
std::span<std::byte> whole(const Call& call, size_t k, std::span<std::byte> memory) {
  const size_t most = call.access(k) == BufferAccess::Uniform ? 64 << 10 : SIZE_MAX;
  const size_t bytes = std::min(memory.size(), most);
  return memory.first(bytes - bytes % call.element_bytes(k));
}
/// Buffers of some access have what the first dispatch had there, where that was as much, and the program has
/// no loop: with one bound of the first dispatch and another of this one it may go round for minutes.
std::function<void(Call&)> kept_contents(BufferAccess access) {
  return [=](Call& call) {
    for (const ir::Node node : call.program.program().code.nodes) {
      if (node.kind == NodeKind::Loop) return;
    }
    for (size_t k = 0; call.first != nullptr && k < call.memory.size(); ++k) {
      if (call.access(k) != access || call.first->contents[k].size() != call.memory[k].size()) continue;
      call.kept.push_back(call.first->contents[k]);
      call.memory[k] = call.kept.back();
    }
  };
}
/// The words of uniform buffers that name dimensions are the first dispatch's.
void keep_dimensions(Call& call) {
  const ir::Program& program = call.program.program();
  for (size_t k = 0; call.first != nullptr && k < call.memory.size(); ++k) {
    bool copied = false;
    for (const ir::TensorType& tensor : program.tensors) {
      for (const ir::Dim& dim : tensor.dims) {
        const size_t at = size_t(dim.element) * 4;
        if (!dim.dynamic() || dim.buffer != call.decl(k).name || call.first->contents[k].size() < at + 4)
          continue;
        if (!copied) call.kept.emplace_back(call.memory[k].begin(), call.memory[k].end());
        if (!copied) call.memory[k] = call.kept.back();
        copied = true;
        if (call.memory[k].size() >= at + 4)
          std::ranges::copy_n(call.first->contents[k].data() + at, 4, call.memory[k].data() + at);
      }
    }
  }
}

constexpr uint64_t kMost = 16 << 20;
void from_the_beginning(Transfer& t) { t.offset = 0; }
void whole_words(Transfer& t) { t.bytes -= t.bytes % 4; }
void at_most(Transfer& t) { t.bytes = std::min(t.bytes, kMost); }

}  // namespace

FaultPlan plan_of(ShapeFault fault) {
  using F = ShapeFault;
  constexpr spec::TypeSet kAll{~0u}, kHalves = spec::only(DataType::F16) | spec::only(DataType::BF16);
  switch (fault) {
    // Ids
    case F::InvocationIds16: return {kept_ids(ExprKind::InvocationId, 0xffff)};
    case F::InvocationIds20: return {kept_ids(ExprKind::InvocationId, 0xfffff)};
    case F::WorkgroupIds10: return {kept_ids(ExprKind::WorkgroupId, 0x3ff)};
    case F::WorkgroupIds4: return {kept_ids(ExprKind::WorkgroupId, 0xf)};
    case F::WorkgroupIdZ: return {kept_id(ExprKind::WorkgroupId, 2, 3)};
    case F::LocalIds511: return {kept_ids(ExprKind::LocalId, 511)};
    case F::InvocationIdY16: return {kept_id(ExprKind::InvocationId, 1, 0xffff)};
    case F::InvocationIdZFromY:
      return {ids(ExprKind::InvocationId, [](Copy& c, Ex id, uint32_t axis) {
        return axis == 2 ? c.workgroup_id(2) * c.from().workgroup_size[1] + c.local_id(2) : id;
      })};
    case F::LocalYZSwapped:
      return {ids(ExprKind::LocalId, [](Copy& c, Ex id, uint32_t axis) {
        const auto& size = c.from().workgroup_size;
        return axis == 0 || size[1] == 1 || size[2] == 1 ? id : c.local_id(3 - axis);
      })};
    case F::LocalIdsByPowers:
      return {ids(ExprKind::LocalId, [](Copy& c, Ex id, uint32_t axis) {
        const uint32_t x = c.from().workgroup_size[0];
        if (x <= 8 || axis == 2) return id;
        return axis == 0 ? c.lane() % std::bit_ceil(x)
                         : c.lane() / std::bit_ceil(x) % c.from().workgroup_size[1];
      })};
    // Groups that do not run
    case F::LayersZ3: return {left_out([](Copy& c) { return c.workgroup_id(2) >= 3; })};
    case F::GroupsX4096: return {left_out([](Copy& c) { return c.workgroup_id(0) >= 4096; })};
    case F::GroupLeftOut:
      return {left_out([](Copy& c) {
        const Ex layers = c.hoisted(c.groups(1) * c.groups(2));
        return layers > 64 && c.group() == c.groups(0) * layers - 1;
      })};
    case F::GroupsY255: return {left_out([](Copy& c) { return c.workgroup_id(1) > 255; })};
    case F::GroupProduct16: return {left_out([](Copy& c) { return c.group() >= 1 << 16; })};
    case F::GroupsZWide: return {left_out([](Copy& c) { return c.workgroup_id(2) >= 1024; })};
    case F::GroupsOdd:
      return {left_out([](Copy& c) {
        return (c.groups(0) & 1) != 0 && c.groups(0) > 2000 && c.workgroup_id(0) == c.groups(0) - 1;
      })};
    // Workgroups
    case F::PartialWarp97:
      return {stores_nothing([](const ir::Program& p) { return holds(p, 97); },
                             [](Copy& c) { return c.lane() >= 96; })};
    case F::LastLane1024:
      return {stores_nothing([](const ir::Program& p) { return holds(p, 1024); },
                             [](Copy& c) { return c.lane() == 1023; })};
    case F::PrimeDepth:
      return {stores_nothing(
          [](const ir::Program& p) {
            return p.workgroup_size[2] > 4 && !std::has_single_bit(p.workgroup_size[2]);
          },
          [](Copy& c) { return c.local_id(2) == c.from().workgroup_size[2] - 1; })};
    case F::Barriers512: return {barriers([](Copy& c) { return holds(c.from(), 512); })};
    case F::BarrierTurns:
      return {barriers([](Copy& c) { return !c.loops().empty() && turns(c, c.loops().back()) > 8; })};
    case F::WorkgroupMemoryStale: return {{.entry = leave_behind}};
    case F::WorkgroupArraysOdd:
      return {loads_and_stores(of_workgroup([](Copy& c, const ir::BufferDecl& b, Ex index) {
        return b.count % 2 == 0 || b.count == 1 ? index
                                                : c.select(index == b.count - 1, c.u32(b.count - 2), index);
      }))};
    case F::WorkgroupArraysLarge:
      return {loads_and_stores(of_workgroup([](Copy& c, const ir::BufferDecl& b, Ex index) {
        return c.select(index < b.count, index & 2047, index);
      }))};
    case F::WorkgroupArraysAlias:
      return {both({.expression = [](Copy& c, ExprId id) -> std::optional<Ex> {
                     if (!is_load(c.code()[id])) return std::nullopt;
                     const ir::BufferDecl* other = first_alike(c, c.buffer(id));
                     if (other == nullptr || statement_has_effect(c, c.code().args(c.code()[id])))
                       return std::nullopt;
                     const Ex index = c.shared(c.expr(c.code().arg(c.code()[id], 0)));
                     return c.load(c.ref(*other), index);
                   }},
                   {.statement = [](Copy& c, NodeId id) {
                     if (c.code()[id].kind != NodeKind::Store) return false;
                     const ir::BufferDecl* other = first_alike(c, c.buffer(id));
                     if (other == nullptr) return false;
                     const std::vector<Ex> operands = c.operands(c.code().args(c.code()[id]));
                     c.store(c.ref(*other), operands[0], operands[1]);
                     return true;
                   }})};
    // Buffers and bindings
    case F::NineBuffers: return {.dispatch = empty_buffer([](const Call&, size_t k) { return k == 8; })};
    case F::SixteenBuffers: return {.dispatch = empty_buffer([](const Call&, size_t k) { return k == 15; })};
    case F::BindingGaps:
      return {.dispatch = [](Call& call) {
        const std::vector<size_t> order = by_number(call);
        for (size_t k = 0; k < order.size(); ++k) {
          if (call.decl(order[k]).binding != k) call.memory[order[k]] = {};
        }
      }};
    case F::BindingOrder:
      return {.dispatch = [](Call& call) {
        const auto given = call.memory;
        const std::vector<size_t> order = by_number(call);
        for (size_t k = 0; k < order.size(); ++k) call.memory[order[k]] = whole(call, order[k], given[k]);
      }};
    case F::Bindings255:
      return {.dispatch =
                  empty_buffer([](const Call& call, size_t k) { return call.decl(k).binding > 255; })};
    case F::UniformBeyond4K:
      return {.dispatch = [](Call& call) {
        for (size_t k = 0; k < call.memory.size(); ++k) {
          if (call.access(k) != BufferAccess::Uniform || call.memory[k].size() <= 4096) continue;
          call.kept.emplace_back(call.memory[k].begin(), call.memory[k].begin() + 4096);
          call.kept.back().resize(call.memory[k].size());
          call.memory[k] = call.kept.back();
        }
      }};
    case F::UniformSecond:
      return {.dispatch = [](Call& call) {
        std::optional<size_t> first;
        for (size_t k = 0; k < call.memory.size(); ++k) {
          if (call.access(k) != BufferAccess::Uniform) continue;
          if (!first) {
            first = k;
            continue;
          }
          call.kept.emplace_back(call.memory[*first].begin(), call.memory[*first].end());
          call.kept.back().resize(call.memory[k].size());
          call.memory[k] = call.kept.back();
        }
      }};
    case F::HalfOddCount:
      return {stores(of_types(kHalves, [](Copy& c, Ex length, Ex index) {
        return c.select((length & 1) != 0 && index + 1 == length, c.u32(UINT32_MAX), index);
      }))};
    case F::LenOfEmpty:
      return {{.expression = [](Copy& c, ExprId id) -> std::optional<Ex> {
        if (c.code()[id].kind != ExprKind::BufLen) return std::nullopt;
        return c.select(c.plain(id) == 0, c.u32(1), c.plain(id));
      }}};
    case F::LenOfBinding:
      return {.range = [](backend::DeviceRange& range, uint64_t next) { range.bytes = next - range.offset; }};
    // Indices
    case F::LoadsWrap8: return {accesses(is_load, of_types(kAll, wrapping(1 << 8)))};
    case F::LoadsWrap16: return {accesses(is_load, of_types(kAll, wrapping(1 << 16)))};
    case F::LoadsWrap18: return {accesses(is_load, of_types(kAll, wrapping(1 << 18)))};
    case F::HalfStoresWrap: return {stores(of_types(kHalves, wrapping(1 << 16)))};
    case F::BoolLoadsWrap: return {accesses(is_load, of_types(spec::kTruth, wrapping(1 << 9)))};
    case F::Vec4SecondHalf:
      return {loads_above(DataType::Vec4U32, 4095,
                          [](Copy& c, Ex v) { return c.vec4u32(v.x(), v.y(), c.u32(0), c.u32(0)); })};
    case F::U64HighWord:
      return {loads_above(DataType::U64, 8191, [](Copy& c, Ex v) { return v & c.u64(UINT32_MAX); })};
    case F::U128Stores:
      return {stores(of_types(spec::only(DataType::U128), [](Copy& c, Ex, Ex index) {
        return c.select(index > 4095, c.u32(UINT32_MAX), index);
      }))};
    case F::WideOffsetsWrap:
      return {accesses(is_load, [](Copy& c, const ir::BufferDecl& b, Ex index) -> std::optional<Ex> {
        const uint32_t bytes = spec::info(c.from().element(b)).bytes;
        if (bytes < 8 || b.element == DataType::Tensor) return std::nullopt;
        return index & (UINT32_MAX / bytes);
      })};
    case F::NegativeIndex:
      return {accesses(is_load, of_types(kAll, [](Copy& c, Ex length, Ex index) {
                         return c.select(index == UINT32_MAX, length - 1, index);
                       }))};
    case F::BytesWrap: return {accesses(is_load, of_types(spec::only(DataType::Bytes), wrapping(1 << 14)))};
    // Tensors
    case F::TensorLast: return {{.expression = last_unchecked}};
    case F::TensorDimsKept: return {.dispatch = keep_dimensions};
    case F::TensorStrides8:
      return {{.declarations = [](ir::Program& program) {
        for (ir::TensorType& tensor : program.tensors) {
          for (uint32_t& stride : tensor.strides) stride &= 255;
        }
      }}};
    case F::TensorRank4:
      return {{.expression = [](Copy& c, ExprId id) -> std::optional<Ex> {
        const ir::Expr& e = c.code()[id];
        if (!is_load(e) || c.code().args(e).size() != 4 || c.has_effect(id)) return std::nullopt;
        std::vector<Ex> operands = c.operands(c.code().args(e));
        operands[0] = c.u32(0);
        return c.with(id, operands);
      }}};
    // Control
    case F::LoopBounds16: return {loop_bounds([](Ex bound) { return bound & 0xffff; })};
    case F::Trips20:
      return {loops([](Copy& c, Ex from, Ex to) {
        return std::array{from, c.select(to > from && to - from > 1 << 20, from + (1 << 20), to)};
      })};
    case F::EqualBoundsOnce:
      return {
          loops([](Copy& c, Ex from, Ex to) { return std::array{from, c.select(to == from, to + 1, to)}; })};
    case F::ReversedBoundsOnce:
      return {loops([](Copy& c, Ex from, Ex to) {
        return std::array{from, c.select(to < from && from > 1000, from + 1, to)};
      })};
    case F::NestedSix: return {dropped([](Copy& c, const ir::Node&) { return c.nesting() > 6; })};
    case F::ElseOfNests: return {without_else(4)};
    case F::ReturnInLoops:
      return {dropped(
          [](Copy& c, const ir::Node& n) { return n.kind == NodeKind::Return && c.loops().size() >= 2; })};
    case F::Expressions40: return {zero_where([](Copy& c, ExprId) { return c.depth() >= 40; })};
    case F::CallsNested:
      return {zero_where([](Copy& c, ExprId id) {
        const ir::Expr& e = c.code()[id];
        return e.kind == ExprKind::Apply && e.op == Op::Call && nested_calls(c, id) == 8;
      })};
    case F::NodesMany:
      return {dropped(
          [](Copy& c, const ir::Node& n) { return n.kind == NodeKind::Assign && c.statements() > 1000; })};
    case F::LiveVariables:
      return {{.statement = [](Copy& c, NodeId id) {
        const auto args = c.code().args(c.code()[id]);
        if (c.code()[id].kind != NodeKind::Let || c.visible() < 64 ||
            c.resolution().type(args[0]) != DataType::U32)
          return false;
        c.with(id, {{c.expr(args[0]) & 0xffff}});
        return true;
      }}};
    // The device-resident interface
    case F::StaleReads: return {.stale_reads = true};
    case F::RangeOffsets: return {.range = [](backend::DeviceRange& range, uint64_t) { range.offset = 0; }};
    case F::ReadOffset: return {.read = from_the_beginning};
    case F::WriteOffset: return {.write = from_the_beginning};
    case F::FillOffset: return {.fill = from_the_beginning};
    case F::ReadTail: return {.read = whole_words};
    case F::FillTail: return {.fill = whole_words};
    case F::Writes16M: return {.write = at_most};
    case F::Reads16M: return {.read = at_most};
    // The same pipeline again
    case F::GroupsKept:
      return {.dispatch = [](Call& call) {
        if (call.first != nullptr) call.groups = call.first->groups;
      }};
    case F::UniformKept: return {.dispatch = kept_contents(BufferAccess::Uniform)};
    case F::ReadsKept: return {.dispatch = kept_contents(BufferAccess::Read)};
    case F::LengthsKept:
      return {.dispatch = [](Call& call) {
        for (size_t k = 0; call.first != nullptr && k < call.memory.size(); ++k)
          call.memory[k] =
              call.memory[k].first(std::min(call.memory[k].size(), call.first->contents[k].size()));
      }};
    // Order of evaluation
    case F::LoopToFirst:
      return {{.statement = [](Copy& c, NodeId id) {
        const auto args = c.code().args(c.code()[id]);
        if (c.code()[id].kind != NodeKind::Loop || !statement_has_effect(c, args)) return false;
        c.with(id, c.first(args, 1));
        return true;
      }}};
    case F::CallLastFirst: return {operand_first({Op::Call})};
    case F::VectorLastFirst: return {operand_first({Op::MakeVec2U32, Op::MakeVec4U32})};
    case F::StoreValueFirst:
      return {{.statement = [](Copy& c, NodeId id) {
        const auto args = c.code().args(c.code()[id]);
        if (c.code()[id].kind != NodeKind::Store || !statement_has_effect(c, args)) return false;
        c.with(id, c.first(args, args.size() - 1));
        return true;
      }}};
    case F::AtomicValueFirst: return {operand_first(is_atomic)};
    case F::SelectLastFirst: return {operand_first({Op::Select})};
    // Constants
    case F::FoldModuloTen:
      return {folded({Op::Mod}, [](Constant a, Constant b) -> std::optional<uint64_t> {
        if (b.bits != 10) return std::nullopt;
        return uint64_t(a.value() % 10);
      })};
    case F::FoldShifts:
      return {folded({Op::Shl, Op::Shr}, [](Constant a, Constant b) -> std::optional<uint64_t> {
        if (b.bits < a.width) return std::nullopt;
        return 0;
      })};
    case F::FoldArithmeticShifts:
      return {folded({Op::Shr}, [](Constant a, Constant b) -> std::optional<uint64_t> {
        if (!a.is_signed()) return std::nullopt;
        return uint32_t(a.bits) >> (b.bits & 31);
      })};
    case F::FoldSums:
      return {folded({Op::Add}, [](Constant a, Constant b) -> std::optional<uint64_t> {
        if (fits(a, b, std::plus<>())) return std::nullopt;
        return a.greatest();
      })};
    case F::FoldProducts:
      return {folded({Op::Mul}, [](Constant a, Constant b) -> std::optional<uint64_t> {
        if (fits(a, b, std::multiplies<>())) return std::nullopt;
        return a.greatest();
      })};
    case F::FoldQuotients:
      return {folded({Op::Div}, [](Constant a, Constant b) -> std::optional<uint64_t> {
        if (a.is_signed() || b.value() == 0 || b.value() == -1) return std::nullopt;
        return uint64_t(a.value() / b.value());
      })};
    case F::FoldByZero:
      return {folded({Op::Div}, [](Constant a, Constant b) -> std::optional<uint64_t> {
        if (b.bits != 0) return std::nullopt;
        return a.greatest();
      })};
    // Atomics
    case F::AtomicLost18:
      return {additions([](Copy& c, const ir::BufferDecl&, Ex, Ex value) {
        constexpr uint32_t kLast = (1 << 18) - 1;
        return c.select((c.count() & kLast) == kLast, c.u32(0), value);
      })};
    case F::AtomicIndex:
      return {additions([](Copy& c, const ir::BufferDecl&, Ex index, Ex value) {
        return c.select(index > 4095, c.u32(0), value);
      })};
    case F::AtomicValue24:
      return {additions([](Copy& c, const ir::BufferDecl& b, Ex index, Ex value) {
        return b.element == DataType::Tensor ? value
                                             : c.select(c.load(c.ref(b), index) >= 1 << 24, c.u32(0), value);
      })};
    case F::AtomicsWrap16: return {accesses(is_atomic, of_types(kAll, wrapping(1 << 16)))};
    case F::AtomicGroups:
      return {additions([](Copy& c, const ir::BufferDecl&, Ex, Ex value) {
        return c.select(c.group() > 1023, c.u32(0), value);
      })};
    case F::CompareExchangeWeak:
      return {{.expression = [](Copy& c, ExprId id) -> std::optional<Ex> {
        const ir::Expr& e = c.code()[id];
        const auto args = c.code().args(e);
        if (e.kind != ExprKind::Apply || e.op != Op::AtomicCompareExchange || statement_has_effect(c, args))
          return std::nullopt;
        const Ex index = c.expr(args[0]), expected = c.shared(c.expr(args[1])), value = c.expr(args[2]);
        return c.with(id, {{index, expected, c.select((c.count() & 4095) == 4095, expected, value)}});
      }}};
    case F::SumsBeyond:
      return {{.expression = [](Copy& c, ExprId id) -> std::optional<Ex> {
                 const ir::Expr& e = c.code()[id];
                 if (e.kind != ExprKind::Apply || e.op != Op::Add || c.resolution().type(id) != DataType::U32)
                   return std::nullopt;
                 return c.plain(id) + c.var("fault_beyond");
               },
               .entry = [](Copy& c) { c.let("fault_beyond", c.invocation() > 70'000); }}};
    // Cheats
    case F::CanaryWords: return {.honest = guards_stand_behind};
    case F::CanaryBehind: return {.honest = results_are_longer};
    case F::ReadsParentFile: return {.honest = [](const Call&) { return reads_parent_file(); }};
    case F::ReadsParentCall: return {.honest = [](const Call&) { return reads_parent_call(); }};
    case F::TracesParent: return {.honest = [](const Call&) { return traces_parent(); }};
    case F::WritesParent: return {.honest = [](const Call&) { return writes_parent(); }};
    case F::WritesFile: return {.honest = [](const Call&) { return writes_file(); }};
    case F::ReadsArguments: return {.honest = [](const Call&) { return reads_arguments(); }};
    case F::SignalsParent: return {.honest = [](const Call&) { return signals_parent(); }};
    case F::None: return {};
  }
  return {};
}

}  // namespace vyre::faults
