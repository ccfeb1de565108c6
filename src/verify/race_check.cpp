#include "verify/race_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <unordered_map>

#include "base/random.h"
#include "races/races.h"
#include "ref/invocation.h"
#include "ref/memory.h"
#include "ref/race_detector.h"
#include "ref/schedules.h"

namespace vyre::verify {
namespace {

using check::BufferId;
using ref::Bits;
using ref::Indices;
using spec::BufferAccess;

// --- Replay

/// The reference's memory, with a log of who came where.
class WatchedMemory final : public ref::Memory {
 public:
  WatchedMemory(const check::Checked& program, std::span<const layout::Binding> bindings)
      : program_(program), inner_(program, bindings) {
    for (size_t k = 0; k < bindings.size(); ++k) places_[program.bound_buffers()[k]] = &bindings[k];
  }
  void start_workgroup() {
    inner_.start_workgroup();
    std::erase_if(log_, [&](const auto& entry) {
      return program_.buffer(entry.first.first).access == BufferAccess::Workgroup;
    });
  }
  /// Whose accesses the next ones are.
  void now(const RacingAccess& who, uint32_t number) {
    who_ = who;
    number_ = number;
  }
  struct Found {
    BufferId buffer;
    uint64_t element;
    RacingAccess first, second;
  };
  const std::optional<Found>& found() const { return found_; }

  uint32_t length(BufferId buffer) const override { return inner_.length(buffer); }
  Bits load(BufferId buffer, Indices indices) override {
    note(buffer, indices, AccessKind::Read);
    return inner_.load(buffer, indices);
  }
  void store(BufferId buffer, Indices indices, Bits value) override {
    note(buffer, indices, AccessKind::Write);
    inner_.store(buffer, indices, value);
  }
  Bits atomic(spec::Op op, BufferId buffer, Bits index, Bits expected, Bits value) override {
    note(buffer, {&index, 1}, AccessKind::Atomic);
    return inner_.atomic(op, buffer, index, expected, value);
  }

 private:
  struct Done {
    RacingAccess access;
    uint32_t number;
  };
  static constexpr size_t kMostKept = 16;  // of an element: what is kept was there, what is not may be missed

  /// The element's number; none out of bounds, where an access is none.
  std::optional<uint64_t> element(BufferId buffer, Indices indices) const {
    const auto at = places_.find(buffer);
    if (at == places_.end() || at->second->dims.empty()) {
      if (indices[0] >= inner_.length(buffer)) return std::nullopt;
      return uint64_t(indices[0]);
    }
    uint64_t out = 0;
    for (size_t k = 0; k < indices.size(); ++k) {
      if (indices[k] >= at->second->dims[k]) return std::nullopt;
      out += uint64_t(indices[k]) * at->second->strides[k];
    }
    return out;
  }

  void note(BufferId buffer, Indices indices, AccessKind kind) {
    const BufferAccess access = program_.buffer(buffer).access;
    if (found_ || access == BufferAccess::Read || access == BufferAccess::Uniform) return;
    const auto at = element(buffer, indices);
    if (!at) return;
    RacingAccess now = who_;
    now.kind = kind;
    std::vector<Done>& before = log_[{buffer, *at}];
    bool known = false;
    for (const Done& d : before) {
      const bool same = d.number == number_;
      known = known || (same && d.access == now);
      const bool ordered = d.access.workgroup == now.workgroup && d.access.interval != now.interval;
      const bool conflict = (d.access.kind != AccessKind::Read || kind != AccessKind::Read) &&
                            !(d.access.kind == AccessKind::Atomic && kind == AccessKind::Atomic);
      if (same || ordered || !conflict) continue;
      found_ = Found{buffer, *at, d.access, now};
      return;
    }
    // Writes tell more than reads, so the first of a kind are kept and reads make room.
    if (!known && before.size() < kMostKept) before.push_back({now, number_});
    if (!known && before.size() == kMostKept && kind != AccessKind::Read) before.front() = {now, number_};
  }

  const check::Checked& program_;
  ref::PlainMemory inner_;
  std::map<BufferId, const layout::Binding*> places_;
  std::map<std::pair<BufferId, uint64_t>, std::vector<Done>> log_;
  RacingAccess who_;
  uint32_t number_ = 0;
  std::optional<Found> found_;
};

Diag out_of_steps(uint64_t steps) {
  return make_diag(DiagCode::B003, Span::none(), fmt::format("not finished after {} steps", steps),
                   "look at a smaller dispatch");
}

/// Takes what it needs off `steps`; B003 where that is not enough.
Result<std::optional<RaceWitness>> replay(const check::Checked& program, std::vector<Bytes> buffers,
                                          layout::Groups groups, uint64_t max_steps, uint64_t& taken) {
  if (!program.intrinsics().empty()) {
    return std::unexpected(make_diag(DiagCode::B002, program.intrinsics().front().span,
                                     "replays for races know no operations of subgroups",
                                     "leave them out of what is to be looked at"));
  }
  RaceWitness out{.groups = groups, .buffers = buffers};
  std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  VYRE_TRY(bindings, layout::bind(program, host, groups));
  WatchedMemory memory(program, bindings);
  const ref::ReadyProgram ready(program);
  ref::Budget budget(max_steps);
  const auto count = [&] { taken = max_steps - std::min(budget.left(), max_steps); };
  const auto& size = program.program().workgroup_size;
  const uint32_t members = size[0] * size[1] * size[2];
  std::vector<ref::Invocation> all(members, ref::Invocation(ready, memory, budget));
  for (uint64_t group = 0; group < groups.total(); ++group) {
    const std::array<uint32_t, 3> workgroup = {uint32_t(group % groups.x),
                                               uint32_t(group / groups.x % groups.y),
                                               uint32_t(group / groups.x / groups.y)};
    memory.start_workgroup();
    std::vector<ref::Identity> who(members);
    std::vector<uint32_t> live;
    for (uint32_t i = 0; i < members; ++i) {
      who[i].workgroup = workgroup;
      who[i].local = {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
      for (size_t axis = 0; axis < 3; ++axis)
        who[i].invocation[axis] = workgroup[axis] * size[axis] + who[i].local[axis];
      all[i].start(who[i]);
      live.push_back(i);
    }
    for (uint32_t interval = 0; !live.empty(); ++interval) {
      std::vector<uint32_t> waiting;
      for (const uint32_t i : live) {
        memory.now({who[i].invocation, workgroup, interval, {}}, uint32_t(group) * members + i);
        const ref::Event event = all[i].run();
        count();
        if (memory.found()) {
          const auto& found = *memory.found();
          out.buffer = found.buffer;
          out.element = found.element;
          out.first = found.first;
          out.second = found.second;
          return std::optional(std::move(out));
        }
        if (event == ref::Event::OutOfSteps) return std::unexpected(out_of_steps(max_steps));
        if (event == ref::Event::Barrier) waiting.push_back(i);
      }
      live.swap(waiting);
    }
  }
  return std::optional<RaceWitness>();
}

// --- Looking for a witness among small dispatches

constexpr uint32_t kMostUnrolled = 256;  // rounds of loops with barriers, together

/// Steps that are left of what a program may cost.
class Replays {
 public:
  explicit Replays(uint64_t steps) : left_(steps) {}
  bool any_left() const { return left_ > 0; }
  std::optional<RaceWitness> replay(const check::Checked& program, std::vector<Bytes> buffers,
                                    layout::Groups groups, uint64_t at_most) {
    uint64_t taken = 0;
    auto found = verify::replay(program, std::move(buffers), groups, std::min(at_most, left_), taken);
    // One that did not come to its first event counts too.
    left_ -= std::min(left_, std::max<uint64_t>(taken, 1));
    return found ? std::move(*found) : std::nullopt;
  }

 private:
  uint64_t left_;
};

enum class Filling : uint8_t { CountingUp, Zeros, Small, Ones, Random };
constexpr std::array<std::string_view, 5> kFillingNames = {"counting up", "zeros", "small numbers",
                                                           "all bits set", "random words"};

/// How long the buffers are.
enum class Sizing : uint8_t { Invocations, Four, Few };

uint64_t elements(Sizing sizing, uint64_t invocations) {
  switch (sizing) {
    case Sizing::Invocations: return invocations;
    case Sizing::Four: return 4 * invocations + 64;
    case Sizing::Few: return 5;
  }
  return 0;
}

uint32_t word_of(Filling filling, uint64_t k, uint64_t invocations, RandomStream& random) {
  switch (filling) {
    case Filling::CountingUp: return uint32_t(k);
    case Filling::Zeros: return 0;
    case Filling::Small: return random.below(uint32_t(std::min<uint64_t>(invocations, 7)) + 1);
    case Filling::Ones: return UINT32_MAX;
    case Filling::Random: return random.next();
  }
  return 0;
}

/// The fewest elements that a tensor's fixed dimensions want; 0 for other buffers.
uint64_t least_elements(const ir::Program& program, const ir::BufferDecl& decl) {
  const ir::TensorType* tensor = program.tensor(decl);
  if (tensor == nullptr) return 0;
  uint64_t last = 0, row = 1;
  for (size_t k = tensor->dims.size(); k-- > 0;) {
    const uint64_t size = std::max<uint64_t>(tensor->dims[k].size, 1);
    last += (size - 1) * (tensor->strides.empty() ? row : tensor->strides[k]);
    row *= size;
  }
  return last + 1;
}

/// One buffer of another length than the others: what is beyond the end of a counter is zero for every
/// invocation.
struct Short {
  size_t place;  // among the bound buffers
  uint64_t elements;
};

std::vector<Bytes> make_buffers(const check::Checked& program, Filling filling, Sizing sizing,
                                uint64_t invocations, std::optional<Short> other = {}) {
  constexpr uint64_t kUniformElements = 16, kMostElements = 1 << 16;
  RandomStream random(uint64_t(filling) * 8 + uint64_t(sizing), 1);
  std::vector<Bytes> out;
  for (const BufferId id : program.bound_buffers()) {
    const ir::BufferDecl& decl = program.buffer(id);
    const bool uniform = decl.access == BufferAccess::Uniform;
    const uint32_t bytes = spec::info(program.program().element(decl)).bytes;
    const bool is_other = other && other->place == out.size() && program.program().tensor(decl) == nullptr;
    const uint64_t count = uniform ? kUniformElements
                           : is_other
                               ? other->elements
                               : std::max(elements(sizing, invocations),
                                          std::min(least_elements(program.program(), decl), kMostElements));
    std::vector<uint32_t> words((count * std::max(bytes, 4u) + 3) / 4);
    for (size_t k = 0; k < words.size(); ++k) {
      // What uniform buffers hold is mostly how much there is to do.
      words[k] = uniform && filling == Filling::CountingUp ? uint32_t(invocations)
                                                           : word_of(filling, k, invocations, random);
    }
    Bytes& buffer = out.emplace_back(to_bytes(words));
    buffer.resize(count * std::max(bytes, 1u));
  }
  return out;
}

std::optional<RaceWitness> search(const check::Checked& program, const std::array<bool, 3>& single,
                                  Replays& replays) {
  constexpr uint64_t kSteps = 400'000;  // of one dispatch
  const auto& size = program.program().workgroup_size;
  const auto groups_of = [&](uint32_t an_axis) {
    return layout::Groups{single[0] ? 1 : an_axis, single[1] ? 1 : an_axis, single[2] ? 1 : an_axis};
  };
  const auto invocations_of = [&](const layout::Groups& groups) {
    return groups.total() * size[0] * size[1] * size[2];
  };
  const auto attempt = [&](std::vector<Bytes> buffers, const layout::Groups& groups) {
    return replays.replay(program, std::move(buffers), groups, kSteps);
  };
  for (const uint32_t groups_an_axis : {2u, 3u}) {
    const layout::Groups groups = groups_of(groups_an_axis);
    for (const Sizing sizing : {Sizing::Four, Sizing::Invocations, Sizing::Few}) {
      for (uint8_t filling = 0; filling < kFillingNames.size() && replays.any_left(); ++filling) {
        auto found = attempt(make_buffers(program, Filling(filling), sizing, invocations_of(groups)), groups);
        if (!found) continue;
        found->inputs = kFillingNames[filling];
        return found;
      }
    }
  }
  // One buffer empty, or with an element or two.
  const layout::Groups groups = groups_of(2);
  for (size_t place = 0; place < program.bound_buffers().size(); ++place) {
    const ir::BufferDecl& decl = program.buffer(program.bound_buffers()[place]);
    if (decl.access == BufferAccess::Uniform) continue;
    for (const uint64_t elements : {0, 1, 2}) {
      for (const Filling filling : {Filling::CountingUp, Filling::Zeros}) {
        if (!replays.any_left()) return std::nullopt;
        auto found = attempt(
            make_buffers(program, filling, Sizing::Four, invocations_of(groups), Short{place, elements}),
            groups);
        if (!found) continue;
        found->inputs = fmt::format("{}, {} of length {}", kFillingNames[size_t(filling)],
                                    program.program().code.name(decl.name), elements);
        return found;
      }
    }
  }
  return std::nullopt;
}

// --- Asking a solver

/// The dispatch that a model speaks of; none where it would be too large.
std::optional<RaceWitness> from_model(const check::Checked& program, const smt::Pool& pool,
                                      const races::RaceAnalysis::Question& question,
                                      const std::vector<smt::Assigned>& model, Replays& replays) {
  constexpr uint64_t kMostBytes = 1 << 22;
  const auto named = [&](const std::string& name) -> std::optional<uint32_t> {
    for (const smt::Assigned& a : model) {
      if (pool.name(a.variable) == name) return uint32_t(a.value);
    }
    return std::nullopt;
  };
  std::array<uint32_t, 3> groups{1, 1, 1};
  for (uint32_t axis = 0; axis < 3; ++axis) {
    for (const auto side : {races::Side::First, races::Side::Second}) {
      const auto group = named(races::RaceFormulas::name("group", axis, side));
      if (group) groups[axis] = std::max(groups[axis], *group + 1);
    }
  }
  std::vector<Bytes> buffers;
  for (const BufferId id : program.bound_buffers()) {
    const ir::BufferDecl& decl = program.buffer(id);
    const uint32_t bytes = spec::info(program.program().element(decl)).bytes;
    const auto length = named(races::RaceFormulas::name("length", check::index(id), races::Side::First));
    uint64_t count = std::max<uint64_t>(length.value_or(16), least_elements(program.program(), decl));
    if (count * bytes > kMostBytes) return std::nullopt;
    if (decl.access == BufferAccess::Uniform) count = std::max<uint64_t>(count, 16);
    Bytes& buffer = buffers.emplace_back(count * bytes);
    for (const auto& load : question.loads) {
      if (load.buffer != check::index(id) || bytes != 4) continue;
      const auto at = smt::evaluate(pool, load.at, model), value = smt::evaluate(pool, load.value, model);
      if (at < count) store_u32(buffer.data() + 4 * uint64_t(at), uint32_t(value));
    }
  }
  auto found = replays.replay(program, std::move(buffers), {groups[0], groups[1], groups[2]}, UINT64_MAX);
  if (found) found->inputs = "as a solver says";
  return found;
}

/// What keeps a model within what is worth replaying.
smt::Term small(smt::Pool& pool, smt::Term asked, uint32_t elements, uint32_t groups) {
  std::vector<smt::Term> all = {asked};
  for (const smt::Term v : pool.variables_of(asked)) {
    const bool length = pool.name(v).starts_with("length"), group = pool.name(v).starts_with("group");
    if (length || group) all.push_back(pool.ult(v, pool.constant(32, length ? elements : groups)));
  }
  return pool.all(all);
}

/// Asks about every open pair. Takes out those that cannot meet; gives a witness where a model replays.
std::optional<RaceWitness> ask(const check::Checked& program, races::RaceAnalysis& analysis,
                               const RaceLimits& limits, Replays& replays, std::vector<races::OpenPair>& open,
                               RaceVerdict& verdict) {
  if (open.size() > limits.questions) {
    verdict.reason = fmt::format("{} pairs of accesses are beyond linear arithmetic", open.size());
    return std::nullopt;
  }
  auto opened = solver::open(solver::Which::Z3);
  if (!opened) {
    verdict.reason = "no solver: " + opened.error();
    return std::nullopt;
  }
  std::vector<races::OpenPair> left;
  std::optional<RaceWitness> witness;
  uint64_t steps = limits.solver;
  // No question may take so much that the others get none; the time is for a solver that hangs.
  const uint64_t each = std::max<uint64_t>(limits.solver / 4, 1);
  const auto put = [&](const smt::Pool& pool, smt::Term asked) {
    const uint64_t given = std::min(each, steps);
    const solver::Reply reply = (*opened)->check(pool, asked, {.seconds = 60, .steps = given});
    steps -=
        std::min(steps, std::max<uint64_t>(reply.answer == solver::Answer::Unknown ? given : reply.steps, 1));
    return reply;
  };
  for (size_t k = 0; k < open.size() && !witness; ++k) {
    const races::OpenPair& pair = open[k];
    if (steps == 0) {
      left.insert(left.end(), open.begin() + ptrdiff_t(k), open.end());
      verdict.reason = fmt::format("the solver's {} steps are spent", limits.solver);
      break;
    }
    smt::Pool pool;
    const auto question = analysis.question(pool, pair);
    const solver::Reply reply = put(pool, question.asked);
    if (reply.answer == solver::Answer::Unsatisfiable) {
      ++verdict.by_solver;
      continue;
    }
    left.push_back(pair);
    verdict.reason = reply.answer == solver::Answer::Unknown
                         ? "the solver gives no answer: " + reply.reason
                         : "two accesses may meet, and no small dispatch was found in which they do";
    for (const auto& [elements, groups] : {std::pair(1024u, 4u), std::pair(1u << 16, 256u)}) {
      if (steps == 0) break;
      const solver::Reply model = put(pool, small(pool, question.asked, elements, groups));
      if (model.answer == solver::Answer::Satisfiable)
        witness = from_model(program, pool, question, model.model, replays);
      if (witness) break;
    }
  }
  if (!witness) open = std::move(left);
  return witness;
}

/// Whether the reference's own detector meets a race in the dispatch of a witness; then also where in the
/// text. It keeps one race a pair of places, and one in all where there is no text.
bool confirm(const check::Checked& program, RaceWitness& witness) {
  std::vector<Bytes> buffers = witness.buffers;
  std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  ref::RaceDetector detector;
  // Steps that run out say nothing against what was met before.
  (void)ref::run_scheduled(program, host, witness.groups, {.max_steps = 2'000'000}, {}, &detector);
  const ref::Race* shown = nullptr;
  for (const ref::Race& race : detector.races()) {
    if (race.buffer != witness.buffer) continue;
    if (shown == nullptr || (race.element == witness.element && shown->element != witness.element))
      shown = &race;
  }
  if (shown != nullptr) {
    witness.first_place = shown->first.span;
    witness.second_place = shown->second.span;
  }
  return !detector.races().empty();
}

/// The analysis with loops unrolled as far as that helps: what is unrolled is known more exactly, and more.
races::RaceAnalysis analysed(const check::Checked& program, uint64_t steps) {
  const check::Resolution& names = program.resolution();
  const auto span = [](const auto& arena) { return std::span(arena.data(), arena.size()); };
  const auto with = [&](uint32_t rounds) {
    races::RaceAnalysis out({.program = program.program(),
                             .expr_target = span(names.expr_target),
                             .node_target = span(names.node_target),
                             .types = span(names.types),
                             .variables = uint32_t(names.variables.size()),
                             .callees = names.callees,
                             .most_rounds = rounds,
                             .steps = steps});
    steps = out.steps_left();
    return out;
  };
  const auto settled = [](const races::RaceAnalysis& a) {
    return a.incomplete().empty() && a.open().empty();
  };
  races::RaceAnalysis best = with(kMostUnrolled);
  if (settled(best) || !best.unrolled() || steps == 0) return best;
  races::RaceAnalysis rolled = with(0);
  const bool better = settled(rolled) || !best.incomplete().empty();
  return better ? std::move(rolled) : std::move(best);
}

}  // namespace

Result<std::optional<RaceWitness>> replay_race(const check::Checked& program, std::vector<Bytes> buffers,
                                               layout::Groups groups, uint64_t max_steps) {
  uint64_t taken = 0;
  return replay(program, std::move(buffers), groups, max_steps, taken);
}

std::string scope(const RaceVerdict& verdict) {
  const auto axes = [&](bool single) {
    std::string out;
    for (size_t axis = 0; axis < 3; ++axis) {
      if (verdict.single[axis] != single) continue;
      const bool last =
          axis == 2 || std::ranges::count(verdict.single | std::views::drop(axis + 1), single) == 0;
      out += fmt::format("{}{}", out.empty() ? "" : last ? " and " : ", ", "xyz"[axis]);
    }
    return out;
  };
  const std::string all = axes(false), one = axes(true);
  if (all.empty()) return "for one group: no id is mentioned";
  return one.empty() ? fmt::format("for every number of workgroups along {}", all)
                     : fmt::format("for every number of workgroups along {}, one along {}", all, one);
}

RaceVerdict check_races(const check::Checked& program, const RaceOptions& options) {
  races::RaceAnalysis analysis = analysed(program, options.limits.arithmetic);
  Replays replays(options.limits.replays);
  RaceVerdict out;
  out.single = analysis.single();
  out.pairs = analysis.pairs();
  std::vector<races::OpenPair> open = analysis.open();
  const bool complete = analysis.incomplete().empty();
  if (!complete || !open.empty()) out.witness = search(program, out.single, replays);
  if (!complete) out.reason = analysis.incomplete();
  if (complete && !open.empty() && !out.witness) {
    out.reason = fmt::format("{} pairs of accesses are beyond linear arithmetic", open.size());
    if (options.solver) out.witness = ask(program, analysis, options.limits, replays, open, out);
  }
  if (out.witness && !confirm(program, *out.witness)) {
    out.witness.reset();
    out.reason = "the detector of races does not confirm what a replay met";
  }
  for (const races::OpenPair& pair : open)
    out.left.push_back({analysis.accesses()[pair.first].span, analysis.accesses()[pair.second].span});
  if (out.witness) {
    out.answer = RaceAnswer::Race;
    out.reason.clear();
  } else if (complete && open.empty()) {
    out.answer = RaceAnswer::Free;
    out.reason.clear();
  }
  return out;
}

}  // namespace vyre::verify
