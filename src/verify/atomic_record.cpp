#include "verify/atomic_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/bytes.h"
#include "ir/copier.h"
#include "spec/ops.h"

namespace vyre::verify {
namespace {

using ir::BlockId;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;
using ir::Symbol;
using spec::DataType;
using spec::Op;

// EventWord::What: the tag of the operator, and marks that no word of a cleared history has.
constexpr uint32_t kIsEvent = 1u << 16, kIsStore = 1u << 17;
constexpr uint32_t what_word(Op op, bool store) {
  return spec::info(op).wire_tag | kIsEvent | (store ? kIsStore : 0);
}
/// Where an event is stored that the history has no room for: beyond its end with all its words.
constexpr uint32_t kNoPlace = 0xffff'ff00;

/// The buffers, by number, of which the program changes elements atomically.
std::vector<bool> atomic_buffers(const check::Checked& program) {
  const ir::Code& code = program.program().code;
  std::vector<bool> out(program.program().buffers.size());
  for (uint32_t k = 0; k < code.exprs.size(); ++k) {
    const Expr& e = code.exprs[k];
    // An expression that no statement has is about no buffer.
    const uint32_t buffer = check::index(program.resolution().buffer(ExprId{k}));
    if (e.kind == ExprKind::Apply && spec::is_atomic(e.op) && buffer < out.size()) out[buffer] = true;
  }
  return out;
}

/// A copy in which each event has behind it what records it. Where an expression has an atomic in it, its
/// parts become variables, in the order of their evaluation, so that nothing moves past the atomic.
class Recording final : public ir::Copier {
 public:
  explicit Recording(const check::Checked& checked)
      : Copier(checked.program()), checked_(checked), atomic_(atomic_buffers(checked)) {
    // Operands stand before what they belong to.
    has_atomic_.resize(from_.code.exprs.size());
    for (uint32_t k = 0; k < from_.code.exprs.size(); ++k) {
      const Expr& e = from_.code.exprs[k];
      has_atomic_[k] = is_atomic(e) || std::ranges::any_of(from_.code.args(e), [&](ExprId arg) {
                         return has_atomic_[ir::index(arg)];
                       });
    }
    for (size_t k = 0; k < from_.code.symbols.size(); ++k) taken_.emplace(from_.code.symbols[k]);
  }

  ir::Program run() {
    ir::Program out = declarations();
    history_ = fresh("history");
    out.buffers.push_back({.name = history_,
                           .access = ir::BufferAccess::ReadWrite,
                           .element = DataType::U32,
                           .binding = free_binding()});
    std::vector<NodeId> nodes;
    invocation_ = let("invocation", invocation_number(), nodes);
    statements(from_.entry, nodes);
    out.entry = code_.add_block(nodes);
    out.code = std::move(code_);
    return out;
  }

 private:
  static bool is_atomic(const Expr& e) { return e.kind == ExprKind::Apply && spec::is_atomic(e.op); }

  /// A name that nothing else has.
  Symbol fresh(std::string_view stem) {
    std::string name(stem);
    while (!taken_.insert(name).second) name = fmt::format("{}_{}", stem, ++number_);
    return code_.intern(name);
  }
  uint32_t free_binding() const {
    std::set<uint32_t> used;
    for (const ir::BufferDecl& buffer : from_.buffers) used.insert(buffer.binding);
    uint32_t free = 0;
    while (used.contains(free)) ++free;
    return free;
  }

  // What is added.
  ExprId leaf(Expr e) { return code_.add(e, {}, Span::none()); }
  ExprId number(uint32_t value) {
    return leaf({.kind = ExprKind::Literal, .type = DataType::U32, .immediate = value});
  }
  ExprId var(Symbol name) { return leaf({.kind = ExprKind::Var, .symbol = name}); }
  ExprId id(ExprKind kind, uint32_t axis) { return leaf({.kind = kind, .immediate = axis}); }
  ExprId apply(Op op, std::initializer_list<ExprId> args, Symbol buffer = ir::kNoSymbol) {
    return code_.add(Expr{.kind = ExprKind::Apply, .op = op, .symbol = buffer},
                     std::span(args.begin(), args.size()), Span::none());
  }
  Symbol let(std::string_view stem, ExprId value, std::vector<NodeId>& out) {
    const Symbol name = fresh(stem);
    add({.kind = NodeKind::Let, .symbol = name}, {{value}}, out);
    return name;
  }

  /// Its linear number in the dispatch, x fastest.
  ExprId invocation_number() {
    ExprId out = id(ExprKind::InvocationId, 2);
    for (uint32_t axis = 2; axis-- > 0;) {
      const ExprId row =
          apply(Op::Mul, {id(ExprKind::NumWorkgroups, axis), number(from_.workgroup_size[axis])});
      out = apply(Op::Add, {apply(Op::Mul, {out, row}), id(ExprKind::InvocationId, axis)});
    }
    return out;
  }

  struct Event {
    Op op{};
    bool store = false;
    uint32_t buffer = 0;
    std::vector<Symbol> operands;  // element, [expected], value
    Symbol saw{};
  };
  void record(const Event& event, std::vector<NodeId>& out) {
    const Symbol place = let("place", apply(Op::AtomicAdd, {number(0), number(1)}, history_), out);
    const ExprId length = leaf({.kind = ExprKind::BufLen, .symbol = history_});
    const ExprId room = apply(Op::Div, {apply(Op::Sub, {length, number(1)}), number(kEventWords)});
    const ExprId first = apply(Op::Add, {apply(Op::Mul, {var(place), number(kEventWords)}), number(1)});
    const Symbol at =
        let("at", apply(Op::Select, {apply(Op::Lt, {var(place), room}), first, number(kNoPlace)}), out);
    const auto put = [&](EventWord word, ExprId value) {
      const ExprId index = apply(Op::Add, {var(at), number(uint32_t(word))});
      add({.kind = NodeKind::Store, .symbol = history_}, {{index, value}}, out);
    };
    put(EventWord::What, number(what_word(event.op, event.store)));
    put(EventWord::Buffer, number(event.buffer));
    put(EventWord::Element, var(event.operands.front()));
    put(EventWord::Value, var(event.operands.back()));
    if (event.operands.size() == 3) put(EventWord::Expected, var(event.operands[1]));
    put(EventWord::Saw, var(event.saw));
    put(EventWord::Invocation, var(invocation_));
  }

  // What is copied.

  /// Of an expression, with statements before it for the atomics in it.
  ExprId value(ExprId from, std::vector<NodeId>& out) {
    if (!has_atomic_[ir::index(from)]) return expr(from);
    const Expr& e = from_.code[from];
    return is_atomic(e) ? var(atomic(from, out)) : expr(e, values(from_.code.args(e), out));
  }
  /// Of operands: what is evaluated before an atomic that stands to its right is kept in a variable.
  std::vector<ExprId> values(std::span<const ExprId> from, std::vector<NodeId>& out) {
    size_t last = from.size();
    while (last > 0 && !has_atomic_[ir::index(from[last - 1])]) --last;
    std::vector<ExprId> made;
    for (size_t k = 0; k < from.size(); ++k) {
      const ExprKind kind = from_.code[from[k]].kind;
      const bool may_change = kind == ExprKind::Load || kind == ExprKind::Apply;
      made.push_back(k + 1 < last && may_change ? kept(from[k], out) : value(from[k], out));
    }
    return made;
  }
  ExprId kept(ExprId from, std::vector<NodeId>& out) { return var(named("value", from, out)); }
  Symbol named(std::string_view stem, ExprId from, std::vector<NodeId>& out) {
    const ExprId made = value(from, out);
    return let(stem, made, out);
  }
  std::vector<Symbol> all_named(std::span<const ExprId> from, std::vector<NodeId>& out) {
    std::vector<Symbol> names;
    for (const ExprId arg : from) names.push_back(named("operand", arg, out));
    return names;
  }

  Symbol atomic(ExprId from, std::vector<NodeId>& out) {
    const Expr& e = from_.code[from];
    Event event{.op = e.op,
                .buffer = check::index(checked_.resolution().buffer(from)),
                .operands = all_named(from_.code.args(e), out)};
    std::vector<ExprId> operands;
    for (const Symbol name : event.operands) operands.push_back(var(name));
    event.saw = let("saw", expr(e, operands), out);
    record(event, out);
    return event.saw;
  }

  void store_beside_atomics(NodeId from, const Node& node, std::vector<NodeId>& out) {
    const Symbol buffer = symbol(node.symbol);
    Event event{.op = Op::AtomicExchange,
                .store = true,
                .buffer = check::index(checked_.resolution().buffer(from)),
                .operands = all_named(from_.code.args(node), out)};
    event.saw = let(
        "saw",
        code_.add(Expr{.kind = ExprKind::Load, .symbol = buffer}, {{var(event.operands[0])}}, Span::none()),
        out);
    add({.kind = NodeKind::Store, .symbol = buffer}, {{var(event.operands[0]), var(event.operands[1])}}, out);
    record(event, out);
  }

  void statement(NodeId from, std::vector<NodeId>& out) override {
    const Node node = from_.code[from];
    if (node.kind == NodeKind::Store && atomic_[check::index(checked_.resolution().buffer(from))])
      return store_beside_atomics(from, node, out);
    Copier::statement(node, values(from_.code.args(node), out), out);
  }

  const check::Checked& checked_;
  const std::vector<bool> atomic_;  // by buffer
  std::vector<bool> has_atomic_;    // by expression: it or what it is made of
  std::set<std::string, std::less<>> taken_;
  uint64_t number_ = 0;
  Symbol history_{}, invocation_{};
};

}  // namespace

bool has_atomics(const check::Checked& program) {
  return std::ranges::count(atomic_buffers(program), true) != 0;
}

ir::Program record_atomics(const check::Checked& program) { return Recording(program).run(); }

Result<Recorded> Recorded::of(const check::Checked& program) {
  Recorded out;
  // Operations of its file are in no table of the library, and another file may name others the same.
  out.ops_ = std::make_unique<spec::OpTable>();
  for (const spec::OpDef* def : program.resolution().callees) out.ops_->add(*def);
  for (const auto& [def, function] : program.functions()) out.ops_->add(*def);
  auto checked = check::check(record_atomics(program), *out.ops_);
  if (!checked) return std::unexpected(std::move(checked.error().front()));
  out.program_ = std::make_unique<check::Checked>(std::move(*checked));
  return out;
}

RecordedHistory events_of(std::span<const std::byte> history) {
  RecordedHistory out;
  out.events = load_u32(history.data());
  const uint64_t room = (history.size() / 4 - 1) / kEventWords;
  for (uint64_t k = 0; k < std::min(out.events, room); ++k) {
    const auto word = [&](EventWord which) {
      return load_u32(history.data() + (history_words(k) + uint64_t(which)) * 4);
    };
    const uint32_t what = word(EventWord::What);
    const auto op = spec::find_op_tag(uint16_t(what));
    if ((what & kIsEvent) == 0 || !op || !spec::is_atomic(*op)) {
      if (out.damage.empty())
        out.damage = fmt::format("place {} of {} in the history has no event", k, out.events);
      continue;
    }
    out.kept.push_back({.buffer = check::BufferId{word(EventWord::Buffer)},
                        .element = word(EventWord::Element),
                        .store = (what & kIsStore) != 0,
                        .event = {.op = *op,
                                  .saw = word(EventWord::Saw),
                                  .value = word(EventWord::Value),
                                  .expected = word(EventWord::Expected),
                                  .invocation = word(EventWord::Invocation)}});
  }
  return out;
}

AtomicVerdict judge_atomics(const check::Checked& program, std::span<const BufferBytes> before,
                            std::span<const BufferBytes> after, const RecordedHistory& history,
                            uint64_t budget) {
  AtomicVerdict out;
  const auto refuse = [&](Ordered ordered, std::string reason) {
    if (out.ordered == Ordered::No || (out.ordered == ordered && !out.reason.empty())) return;
    out.ordered = ordered;
    out.reason = std::move(reason);
  };
  // With events missing, what is left says nothing of the words.
  if (!history.damage.empty()) return {Ordered::No, history.damage};
  if (history.events > history.kept.size())
    return {Ordered::Undecided,
            fmt::format("the history has {} of {} events", history.kept.size(), history.events)};
  const std::vector<bool> atomic = atomic_buffers(program);
  const auto name = [&](check::BufferId buffer) {
    return program.program().code.name(program.buffer(buffer).name);
  };
  // By word, those of a word in the order of their places.
  std::vector<const RecordedEvent*> sorted;
  for (const RecordedEvent& event : history.kept) sorted.push_back(&event);
  const auto word_of = [](const RecordedEvent* e) { return std::pair(e->buffer, e->element); };
  std::ranges::sort(sorted, {}, [&](const RecordedEvent* e) { return std::pair(word_of(e), e); });
  size_t at = 0;
  std::vector<AtomicEvent> events;
  for (size_t b = 0; b < program.bound_buffers().size(); ++b) {
    const check::BufferId buffer = program.bound_buffers()[b];
    const uint32_t count = uint32_t(after[b].size() / 4);
    for (; at < sorted.size() && sorted[at]->buffer < buffer; ++at)
      refuse(Ordered::No, fmt::format("an event is of buffer {}", check::index(sorted[at]->buffer)));
    if (!atomic[check::index(buffer)]) continue;
    for (uint32_t element = 0; element < count; ++element) {
      const size_t begin = at;
      for (; at < sorted.size() && word_of(sorted[at]) == std::pair(buffer, element); ++at) {
      }
      const uint32_t first = load_u32(before[b].data() + size_t(element) * 4);
      const uint32_t last = load_u32(after[b].data() + size_t(element) * 4);
      if (at == begin) {
        if (first != last)
          refuse(Ordered::No, fmt::format("{}[{}], {:#x} before and {:#x} after, was changed by no event",
                                          name(buffer), element, first, last));
        continue;
      }
      events.clear();
      for (size_t k = begin; k < at; ++k) events.push_back(sorted[k]->event);
      out.events += events.size();
      ++out.words;
      const AtomicOrder order = order_of({first, last, events}, budget);
      if (order.ordered != Ordered::Yes)
        refuse(order.ordered, fmt::format("{}[{}], {:#x} before and {:#x} after, {} events: {}", name(buffer),
                                          element, first, last, events.size(), order.reason));
    }
    // Beyond the end an atomic does nothing and gives zero.
    for (; at < sorted.size() && sorted[at]->buffer == buffer; ++at) {
      ++out.events;
      if (sorted[at]->event.saw != 0)
        refuse(Ordered::No, fmt::format("{} beyond its {} elements: element {} gave {:#x}", name(buffer),
                                        count, sorted[at]->element, sorted[at]->event.saw));
    }
  }
  if (at < sorted.size())
    refuse(Ordered::No, fmt::format("an event is of buffer {}", check::index(sorted[at]->buffer)));
  return out;
}

std::optional<std::string> unordered_store(const check::Checked& program, layout::Groups groups,
                                           std::span<const BufferBytes> buffers,
                                           const RecordedHistory& history) {
  const ir::Program& code = program.program();
  const auto [x, y, z] = code.workgroup_size;
  bool barriers = false;
  for (uint32_t k = 0; k < code.code.nodes.size(); ++k)
    barriers = barriers || code.code[NodeId{k}].kind == NodeKind::Barrier;
  // What runs in one order.
  const auto ordered = [&](uint32_t invocation) -> uint64_t {
    if (!barriers) return invocation;
    const uint64_t row = uint64_t{groups.x} * x, plane = row * groups.y * y;
    const uint64_t at_x = invocation % row / x, at_y = invocation % plane / row / y,
                   at_z = invocation / plane / z;
    return (at_z * groups.y + at_y) * groups.x + at_x;
  };
  std::map<std::pair<check::BufferId, uint32_t>, const RecordedEvent*> stores;
  const auto within = [&](const RecordedEvent& event) {
    const auto bound =
        std::ranges::find(program.bound_buffers(), event.buffer) - program.bound_buffers().begin();
    return event.element < buffers[size_t(bound)].size() / 4;
  };
  for (const RecordedEvent& event : history.kept)
    if (event.store && within(event)) stores.try_emplace({event.buffer, event.element}, &event);
  for (const RecordedEvent& event : history.kept) {
    const auto store = stores.find({event.buffer, event.element});
    if (store == stores.end()) continue;
    const uint32_t by = store->second->event.invocation;
    if (ordered(by) == ordered(event.event.invocation)) continue;
    return fmt::format("{}[{}] is stored to by invocation {}, and invocation {} changes it too",
                       code.code.name(program.buffer(event.buffer).name), event.element, by,
                       event.event.invocation);
  }
  return std::nullopt;
}

}  // namespace vyre::verify
