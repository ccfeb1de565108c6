#include "lower/lift.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "lower/inst_info.h"
#include "ops/operation.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using ir::ExprId;
using ir::ExprKind;
using ir::NodeId;
using ir::NodeKind;
using ir::Symbol;
using spec::DataType;
using spec::Op;

/// The beginning of all new names: no buffer's name begins so.
std::string free_prefix(const Kernel& kernel) {
  std::string prefix = "k";
  while (std::ranges::any_of(kernel.buffers,
                             [&](const KernelBuffer& b) { return b.name.starts_with(prefix); })) {
    prefix += "k";
  }
  return prefix;
}

/// The variables of an invocation that watches itself.
struct Variables {
  Symbol me, wanted_phase, wanted_number;   // set once
  Symbol phase, number, limit, last, most;  // `number` values so far in this phase; below `limit` is hashed
  Symbol hash, caught;
  std::array<Symbol, 4> words;
  Symbol control, trace;  // buffers
};

class Lifter {
 public:
  Lifter(const Kernel& kernel, const Watch* watch) : kernel_(kernel), watch_(watch) {
    prefix_ = free_prefix(kernel);
    defined_.assign(kernel.slots.size(), false);
  }

  ir::Program run() {
    program_.name = kernel_.name;
    program_.workgroup_size = kernel_.workgroup_size;
    for (const KernelBuffer& buffer : kernel_.buffers) declare(buffer);
    open_.emplace_back();
    if (watch_ != nullptr) begin_watching();
    statements(kernel_.entry);
    if (watch_ != nullptr) write_trace();
    program_.entry = close();
    program_.code = std::move(code_);
    return std::move(program_);
  }

 private:
  // Names.
  Symbol name(std::string_view kind, uint32_t number) {
    return code_.intern(fmt::format("{}{}{}", prefix_, kind, number));
  }
  Symbol value_name(Value v) { return name("v", index(v)); }
  Symbol slot_name(uint32_t slot) { return name("s", slot); }
  Symbol buffer_name(uint32_t buffer) { return code_.intern(kernel_.buffers[buffer].name); }

  void declare(const KernelBuffer& buffer) {
    ir::BufferDecl decl{.name = code_.intern(buffer.name),
                        .access = buffer.access,
                        .element = buffer.element,
                        .binding = buffer.binding,
                        .count = buffer.count,
                        .span = Span::none()};
    if (!buffer.dims.empty()) {
      ir::TensorType tensor{.element = buffer.element, .dims = {}, .strides = buffer.strides};
      for (const KernelDim& dim : buffer.dims) {
        ir::Dim out{.size = dim.size};
        if (dim.dynamic)
          out = {.name = name("d", dims_++), .buffer = buffer_name(dim.buffer), .element = dim.element};
        tensor.dims.push_back(out);
      }
      decl.element = DataType::Tensor;
      decl.tensor = uint32_t(program_.tensors.size());
      program_.tensors.push_back(std::move(tensor));
    }
    program_.buffers.push_back(decl);
  }

  // Expressions. All come from one instruction at a time.
  ExprId add(ir::Expr expr, std::span<const ExprId> args = {}) { return code_.add(expr, args, origin_); }
  ExprId var(Symbol symbol) { return add({.kind = ExprKind::Var, .symbol = symbol}); }
  ExprId var(Value v) { return var(value_name(v)); }
  ExprId u32(uint32_t bits) {
    return add({.kind = ExprKind::Literal, .type = DataType::U32, .immediate = bits});
  }
  ExprId apply(Op op, std::initializer_list<ExprId> args, DataType type = {}, uint32_t immediate = 0) {
    return add({.kind = ExprKind::Apply, .op = op, .type = type, .immediate = immediate},
               {args.begin(), args.size()});
  }
  std::vector<ExprId> operands(const Inst& inst) {
    std::vector<ExprId> out;
    for (const Value v : kernel_.args(inst)) out.push_back(var(v));
    return out;
  }

  // Statements, into the innermost open block.
  void put(ir::Node node, std::span<const ExprId> args) {
    open_.back().push_back(code_.add(node, args, origin_));
  }
  void let(Symbol symbol, ExprId value) { put({.kind = NodeKind::Let, .symbol = symbol}, {&value, 1}); }
  void assign(Symbol symbol, ExprId value) { put({.kind = NodeKind::Assign, .symbol = symbol}, {&value, 1}); }
  void store(Symbol buffer, ExprId at, ExprId value) {
    const ExprId args[] = {at, value};
    put({.kind = NodeKind::Store, .symbol = buffer}, args);
  }
  ir::BlockId close() {
    const ir::BlockId block = code_.add_block(open_.back());
    open_.pop_back();
    return block;
  }

  void statements(KBlock block) {
    for (const Value v : kernel_.block(block)) statement(v);
  }
  ir::BlockId body(KBlock block) {
    open_.emplace_back();
    statements(block);
    return close();
  }

  void statement(Value v) {
    const Inst& inst = kernel_[v];
    origin_ = inst.origin;
    switch (inst.kind) {
      case InstKind::Set: return set(inst);
      case InstKind::Store: {
        put({.kind = NodeKind::Store, .symbol = buffer_name(inst.target)}, operands(inst));
        return watch_store(v);
      }
      case InstKind::If: {
        ir::Node node{.kind = NodeKind::If, .body = body(inst.body)};
        if (inst.orelse != kNoKBlock) node.orelse = body(inst.orelse);
        origin_ = inst.origin;
        return put(node, operands(inst));
      }
      case InstKind::Loop: {
        open_.emplace_back();
        watch(v, value_name(v), DataType::U32);
        statements(inst.body);
        const ir::BlockId rounds = close();
        origin_ = inst.origin;
        return put({.kind = NodeKind::Loop, .symbol = value_name(v), .body = rounds, .unroll = inst.imm != 0},
                   operands(inst));
      }
      case InstKind::Return:
        if (watch_ != nullptr) write_trace();
        return put({.kind = NodeKind::Return}, {});
      case InstKind::Barrier: put({.kind = NodeKind::Barrier}, {}); return next_phase();
      case InstKind::Intrinsic: next_phase(); break;
      case InstKind::Const:
      case InstKind::Len:
      case InstKind::InvocationId:
      case InstKind::WorkgroupId:
      case InstKind::LocalId:
      case InstKind::NumWorkgroups:
      case InstKind::Get:
      case InstKind::Apply:
      case InstKind::Load:
      case InstKind::Atomic: break;
      case InstKind::Raw:
      case InstKind::RawLoad:
      case InstKind::RawStore:
      case InstKind::RawAtomic: return;  // not in a semantic kernel
    }
    let(value_name(v), expression(inst));
    watch(v, value_name(v), inst.type);
  }

  /// The first Set of a slot is where its variable begins.
  void set(const Inst& inst) {
    const ExprId value = var(kernel_.arg(inst, 0));
    if (defined_[inst.target]) return assign(slot_name(inst.target), value);
    defined_[inst.target] = true;
    let(slot_name(inst.target), value);
  }

  ExprId expression(const Inst& inst) {
    const std::vector<ExprId> args = operands(inst);
    switch (inst.kind) {
      case InstKind::Const: return constant(inst);
      case InstKind::Len: return add({.kind = ExprKind::BufLen, .symbol = buffer_name(inst.target)});
      case InstKind::InvocationId: return add({.kind = ExprKind::InvocationId, .immediate = inst.imm});
      case InstKind::WorkgroupId: return add({.kind = ExprKind::WorkgroupId, .immediate = inst.imm});
      case InstKind::LocalId: return add({.kind = ExprKind::LocalId, .immediate = inst.imm});
      case InstKind::NumWorkgroups: return add({.kind = ExprKind::NumWorkgroups, .immediate = inst.imm});
      case InstKind::Get: return var(slot_name(inst.target));
      case InstKind::Intrinsic: {
        const spec::IntrinsicInfo& info = spec::kIntrinsics[inst.imm];
        return add({.kind = ExprKind::Apply,
                    .op = Op::Call,
                    .symbol = code_.intern(info.id),
                    .immediate = info.version},
                   args);
      }
      case InstKind::Apply: {
        const bool converts = inst.op == Op::Cast || inst.op == Op::Bitcast;
        return add({.kind = ExprKind::Apply,
                    .op = inst.op,
                    .type = converts ? inst.type : DataType{},
                    .mode = inst.mode,
                    .immediate = inst.imm},
                   args);
      }
      case InstKind::Load: return add({.kind = ExprKind::Load, .symbol = buffer_name(inst.target)}, args);
      case InstKind::Atomic:
        return add({.kind = ExprKind::Apply, .op = inst.op, .symbol = buffer_name(inst.target)}, args);
      case InstKind::Set:
      case InstKind::If:
      case InstKind::Loop:
      case InstKind::Return:
      case InstKind::Barrier:
      case InstKind::Store:
      case InstKind::Raw:
      case InstKind::RawLoad:
      case InstKind::RawStore:
      case InstKind::RawAtomic: break;  // statements
    }
    return u32(0);
  }

  ExprId constant(const Inst& inst) {
    ir::Expr expr{.kind = ExprKind::Literal, .type = inst.type, .immediate = inst.imm};
    if (spec::value_words(inst.type) > 1) {
      expr.immediate = uint32_t(code_.wide.size());
      code_.wide.push_back(kernel_.wide[inst.imm]);
    }
    return add(expr);
  }

  // Probes.
  void begin_watching() {
    origin_ = Span::none();
    vars_ = {.me = name("me", 0),
             .wanted_phase = name("wanted", 0),
             .wanted_number = name("wanted", 1),
             .phase = name("phase", 0),
             .number = name("number", 0),
             .limit = name("limit", 0),
             .last = name("last", 0),
             .most = name("most", 0),
             .hash = name("hash", 0),
             .caught = name("caught", 0),
             .words = {name("word", 0), name("word", 1), name("word", 2), name("word", 3)},
             .control = name("control", 0),
             .trace = name("trace", 0)};
    declare_extra(vars_.control, spec::BufferAccess::Uniform);
    declare_extra(vars_.trace, spec::BufferAccess::ReadWrite);
    let(vars_.wanted_phase, control(Control::Phase));
    let(vars_.wanted_number, control(Control::Number));
    leave_unless_wanted();
    for (const Symbol zero : {vars_.phase, vars_.number, vars_.most, vars_.caught, vars_.words[0],
                              vars_.words[1], vars_.words[2], vars_.words[3]}) {
      let(zero, u32(0));
    }
    let(vars_.hash, u32(watch_->counted ? 0 : 1));
    let(vars_.limit, limit());
    let(vars_.last, last());
  }

  void declare_extra(Symbol symbol, spec::BufferAccess access) {
    std::set<uint32_t> taken;
    for (const ir::BufferDecl& b : program_.buffers) {
      if (spec::is_bound(b.access)) taken.insert(b.binding);
    }
    uint32_t binding = 0;
    while (taken.contains(binding)) ++binding;
    program_.buffers.push_back({.name = symbol,
                                .access = access,
                                .element = DataType::U32,
                                .binding = binding,
                                .count = 0,
                                .span = Span::none()});
  }

  ExprId control(Control word) {
    const ExprId at = u32(uint32_t(word));
    return add({.kind = ExprKind::Load, .symbol = vars_.control}, {&at, 1});
  }
  ExprId id(ExprKind kind, uint32_t axis) { return add({.kind = kind, .immediate = axis}); }
  /// (z * y_extent + y) * x_extent + x
  ExprId flat(ExprKind kind, ExprId x_extent, ExprId y_extent) {
    const ExprId rows = apply(Op::Add, {apply(Op::Mul, {id(kind, 2), y_extent}), id(kind, 1)});
    return apply(Op::Add, {apply(Op::Mul, {rows, x_extent}), id(kind, 0)});
  }
  /// Workgroups are independent, atomics aside, so those without a probe need not run.
  void leave_unless_wanted() {
    const Symbol group = name("group", 0);
    const ExprId linear = flat(ExprKind::WorkgroupId, control(Control::GroupsX), control(Control::GroupsY));
    let(group, apply(Op::Sub, {linear, control(Control::FirstGroup)}));
    open_.emplace_back();
    put({.kind = NodeKind::Return}, {});
    const ir::BlockId leave = close();
    const ExprId unwanted = apply(Op::Ge, {var(group), control(Control::GroupCount)});
    put({.kind = NodeKind::If, .body = leave}, {&unwanted, 1});
    const auto& size = kernel_.workgroup_size;
    const ExprId local = flat(ExprKind::LocalId, u32(size[0]), u32(size[1]));
    let(vars_.me, apply(Op::Add, {apply(Op::Mul, {var(group), u32(kernel_.invocations())}), local}));
  }
  ExprId in_wanted_phase() { return apply(Op::Eq, {var(vars_.phase), var(vars_.wanted_phase)}); }
  /// How many values of this phase are hashed.
  ExprId limit() {
    const ExprId here = apply(Op::Select, {in_wanted_phase(), var(vars_.wanted_number), u32(0)});
    const ExprId before = apply(Op::Lt, {var(vars_.phase), var(vars_.wanted_phase)});
    return apply(Op::Select, {before, u32(UINT32_MAX), here});
  }
  /// The number of the value that is caught; no value has the greatest number.
  ExprId last() {
    const ExprId one_less = apply(Op::Sub, {var(vars_.wanted_number), u32(1)});
    return apply(Op::Select, {in_wanted_phase(), one_less, u32(UINT32_MAX)});
  }

  void next_phase() {
    if (watch_ == nullptr) return;
    assign(vars_.most, most());
    assign(vars_.phase, apply(Op::Add, {var(vars_.phase), u32(1)}));
    assign(vars_.number, u32(0));
    assign(vars_.limit, limit());
    assign(vars_.last, last());
  }
  ExprId most() {
    const ExprId more = apply(Op::Lt, {var(vars_.most), var(vars_.number)});
    return apply(Op::Select, {more, var(vars_.number), var(vars_.most)});
  }

  /// What a store left, in the element that it stored to.
  void watch_store(Value v) {
    if (watch_ == nullptr || !watch_->values[index(v)]) return;
    const Inst& inst = kernel_[v];
    std::vector<ExprId> at = operands(inst);
    at.pop_back();
    let(value_name(v), add({.kind = ExprKind::Load, .symbol = buffer_name(inst.target)}, at));
    watch(v, value_name(v), spec::element_value_type(kernel_.buffers[inst.target].element));
  }

  /// The words of a value, as expressions to be used once.
  std::vector<ExprId> words_of(Value v, Symbol value, DataType type) {
    if (type == DataType::U32) return {var(value)};
    const uint32_t words = spec::value_words(type);
    switch (spec::info(type).klass) {
      case spec::TypeClass::Truth: return {apply(Op::Cast, {var(value)}, DataType::U32)};
      case spec::TypeClass::Float: return {apply(Op::Bitcast, {var(value)}, DataType::U32)};
      case spec::TypeClass::Integer: {
        if (words == 1) return {apply(Op::Bitcast, {var(value)}, DataType::U32)};
        const DataType vector = words == 2 ? DataType::Vec2U32 : DataType::Vec4U32;
        let(name("w", index(v)), apply(Op::Bitcast, {var(value)}, vector));
        return words_of(v, name("w", index(v)), vector);
      }
      case spec::TypeClass::Vector: {
        std::vector<ExprId> out;
        for (uint32_t k = 0; k < words; ++k) out.push_back(apply(Op::Component, {var(value)}, {}, k));
        return out;
      }
      case spec::TypeClass::Small:
      case spec::TypeClass::Memory: break;  // buffers, not values
    }
    return {};
  }

  void watch(Value v, Symbol value, DataType type) {
    if (watch_ == nullptr || !watch_->values[index(v)]) return;
    std::vector<Symbol> words;
    const std::vector<ExprId> parts = words_of(v, value, type);
    for (uint32_t k = 0; k < parts.size(); ++k) {
      words.push_back(name(fmt::format("p{}_", k), index(v)));
      let(words.back(), parts[k]);
    }
    const Symbol at = name("at", index(v));
    let(at, apply(Op::Eq, {var(vars_.number), var(vars_.last)}));
    assign(vars_.caught, apply(Op::Select, {var(at), u32(index(v) + 1), var(vars_.caught)}));
    for (uint32_t k = 0; k < 4; ++k) {
      const ExprId word = k < words.size() ? var(words[k]) : u32(0);
      assign(vars_.words[k], apply(Op::Select, {var(at), word, var(vars_.words[k])}));
    }
    const ExprId hashed = apply(Op::Lt, {var(vars_.number), var(vars_.limit)});
    const ExprId next = watch_->counted ? count(v) : hash(v, words);
    assign(vars_.hash, apply(Op::Select, {hashed, next, var(vars_.hash)}));
    assign(vars_.number, apply(Op::Add, {var(vars_.number), u32(1)}));
  }

  ExprId count(Value v) { return apply(Op::Add, {var(vars_.hash), u32(*watch_->counted == v ? 1 : 0)}); }
  /// Bijective in what it was, so a difference once there is not lost but by chance.
  ExprId hash(Value v, const std::vector<Symbol>& words) {
    ExprId h = apply(Op::Add, {var(vars_.hash), u32(index(v) * 0x9e3779b9u)});
    for (const Symbol word : words) {
      const Symbol step = name(fmt::format("h{}_", steps_++), index(v));
      let(step, apply(Op::Mul, {apply(Op::BitXor, {h, var(word)}), u32(0x85ebca6b)}));
      h = apply(Op::BitXor, {var(step), apply(Op::Shr, {var(step), u32(15)})});
    }
    return h;
  }

  void write_trace() {
    static_assert(kTraceWords == 8);
    const ExprId words = add({.kind = ExprKind::BufLen, .symbol = vars_.trace});
    ExprId fits = apply(Op::Shr, {words, u32(3)});
    fits = apply(Op::Lt, {var(vars_.me), fits});
    open_.emplace_back();
    const ExprId results[] = {var(vars_.hash),     var(vars_.phase),    most(),
                              var(vars_.caught),   var(vars_.words[0]), var(vars_.words[1]),
                              var(vars_.words[2]), var(vars_.words[3])};
    static_assert(std::size(results) == kTraceWords);
    for (uint32_t k = 0; k < kTraceWords; ++k) {
      const ExprId base = apply(Op::Mul, {var(vars_.me), u32(kTraceWords)});
      store(vars_.trace, apply(Op::Add, {base, u32(k)}), results[k]);
    }
    const ir::BlockId stores = close();
    put({.kind = NodeKind::If, .body = stores}, {&fits, 1});
  }

  const Kernel& kernel_;
  const Watch* watch_;
  std::string prefix_;
  ir::Program program_;
  ir::Code code_;
  std::vector<std::vector<NodeId>> open_;
  std::vector<bool> defined_;  // by slot
  uint32_t dims_ = 0, steps_ = 0;
  Variables vars_{};
  Span origin_;
};

}  // namespace

ir::Program lift(const Kernel& kernel) { return Lifter(kernel, nullptr).run(); }

std::optional<ir::Program> lift_calls_outside_library(const check::Checked& checked) {
  const auto is_of_library = [](const spec::OpDef* callee) {
    return ops::op_table().find(callee->id, callee->version) != nullptr;
  };
  if (std::ranges::all_of(checked.resolution().callees, is_of_library)) return std::nullopt;
  return lift(build(checked));
}

ir::Program raise_watched(const Kernel& kernel, const Watch& watch) { return Lifter(kernel, &watch).run(); }

std::vector<bool> watchable(const Kernel& kernel) {
  std::vector<bool> out(kernel.insts.size());
  for (size_t k = 0; k < out.size(); ++k) {
    const Inst& inst = kernel.insts[k];
    out[k] = has_result(inst.kind) || inst.kind == InstKind::Store;
  }
  return out;
}

}  // namespace vyre::lower
