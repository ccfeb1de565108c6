#include "verify/race_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "analyze/races.h"
#include "base/random.h"
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

}  // namespace

Result<std::optional<RaceWitness>> replay_race(const check::Checked& program, std::vector<Bytes> buffers,
                                               layout::Groups groups, uint64_t max_steps) {
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

namespace {

// --- Looking for a witness among small dispatches

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

std::vector<Bytes> make_buffers(const check::Checked& program, Filling filling, Sizing sizing,
                                uint64_t invocations) {
  constexpr uint64_t kUniformElements = 16, kMostElements = 1 << 16;
  RandomStream random(uint64_t(filling) * 8 + uint64_t(sizing), 1);
  std::vector<Bytes> out;
  for (const BufferId id : program.bound_buffers()) {
    const ir::BufferDecl& decl = program.buffer(id);
    const bool uniform = decl.access == BufferAccess::Uniform;
    const uint32_t bytes = spec::info(program.program().element(decl)).bytes;
    const uint64_t count = uniform
                               ? kUniformElements
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

std::optional<RaceWitness> search(const check::Checked& program, const std::array<bool, 3>& single) {
  constexpr uint64_t kSteps = 400'000;
  const auto& size = program.program().workgroup_size;
  for (const uint32_t groups_an_axis : {2u, 3u}) {
    layout::Groups groups;
    groups.x = single[0] ? 1 : groups_an_axis;
    groups.y = single[1] ? 1 : groups_an_axis;
    groups.z = single[2] ? 1 : groups_an_axis;
    const uint64_t invocations = groups.total() * size[0] * size[1] * size[2];
    for (const Sizing sizing : {Sizing::Four, Sizing::Invocations, Sizing::Few}) {
      for (uint8_t filling = 0; filling < kFillingNames.size(); ++filling) {
        auto found = replay_race(program, make_buffers(program, Filling(filling), sizing, invocations),
                                 groups, kSteps);
        if (!found || !*found) continue;
        (*found)->inputs = kFillingNames[filling];
        return std::move(**found);
      }
    }
  }
  return std::nullopt;
}

// --- Asking a solver

/// The dispatch that a model speaks of; none where it would be too large.
std::optional<RaceWitness> from_model(const check::Checked& program, const smt::Pool& pool,
                                      const analyze::RaceAnalysis::Question& question,
                                      const std::vector<smt::Assigned>& model) {
  constexpr uint64_t kMostBytes = 1 << 22;
  const auto named = [&](const std::string& name) -> std::optional<uint32_t> {
    for (const smt::Assigned& a : model) {
      if (pool.name(a.variable) == name) return uint32_t(a.value);
    }
    return std::nullopt;
  };
  std::array<uint32_t, 3> groups{1, 1, 1};
  for (uint32_t axis = 0; axis < 3; ++axis) {
    for (const auto side : {analyze::Side::First, analyze::Side::Second}) {
      const auto group = named(analyze::RaceFormulas::name("group", axis, side));
      if (group) groups[axis] = std::max(groups[axis], *group + 1);
    }
  }
  std::vector<Bytes> buffers;
  for (const BufferId id : program.bound_buffers()) {
    const ir::BufferDecl& decl = program.buffer(id);
    const uint32_t bytes = spec::info(program.program().element(decl)).bytes;
    const auto length = named(analyze::RaceFormulas::name("length", check::index(id), analyze::Side::First));
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
  auto found = replay_race(program, std::move(buffers), {groups[0], groups[1], groups[2]});
  if (!found || !*found) return std::nullopt;
  (*found)->inputs = "as a solver says";
  return std::move(**found);
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
std::optional<RaceWitness> ask(const check::Checked& program, analyze::RaceAnalysis& analysis,
                               const RaceOptions& options, std::vector<analyze::OpenPair>& open,
                               RaceVerdict& verdict) {
  if (open.size() > options.questions) {
    verdict.reason = fmt::format("{} pairs of accesses are beyond linear arithmetic", open.size());
    return std::nullopt;
  }
  auto opened = solver::open(solver::Which::Z3);
  if (!opened) {
    verdict.reason = "no solver: " + opened.error();
    return std::nullopt;
  }
  std::vector<analyze::OpenPair> left;
  std::optional<RaceWitness> witness;
  for (const analyze::OpenPair& pair : open) {
    smt::Pool pool;
    const auto question = analysis.question(pool, pair);
    const solver::Reply reply = (*opened)->check(pool, question.asked, options.limits);
    if (reply.answer == solver::Answer::Unsatisfiable) {
      ++verdict.by_solver;
      continue;
    }
    left.push_back(pair);
    verdict.reason = reply.answer == solver::Answer::Unknown
                         ? "the solver gives no answer: " + reply.reason
                         : "two accesses may meet, and no small dispatch was found in which they do";
    for (const auto& [elements, groups] : {std::pair(1024u, 4u), std::pair(1u << 16, 256u)}) {
      const smt::Term near = small(pool, question.asked, elements, groups);
      const solver::Reply model = (*opened)->check(pool, near, options.limits);
      if (model.answer == solver::Answer::Satisfiable)
        witness = from_model(program, pool, question, model.model);
      if (witness) break;
    }
    if (witness) break;
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

}  // namespace

RaceVerdict check_races(const check::Checked& program, const RaceOptions& options) {
  const check::Resolution& names = program.resolution();
  const auto span = [](const auto& arena) { return std::span(arena.data(), arena.size()); };
  analyze::RaceAnalysis analysis({.program = program.program(),
                                  .expr_target = span(names.expr_target),
                                  .node_target = span(names.node_target),
                                  .types = span(names.types),
                                  .variables = uint32_t(names.variables.size()),
                                  .callees = names.callees});
  RaceVerdict out;
  out.single = analysis.single();
  out.pairs = analysis.pairs();
  std::vector<analyze::OpenPair> open = analysis.open();
  const bool complete = analysis.incomplete().empty();
  if (!complete || !open.empty()) out.witness = search(program, out.single);
  if (!complete) out.reason = analysis.incomplete();
  if (complete && !open.empty() && !out.witness) {
    out.reason = fmt::format("{} pairs of accesses are beyond linear arithmetic", open.size());
    if (options.solver) out.witness = ask(program, analysis, options, open, out);
  }
  if (out.witness && !confirm(program, *out.witness)) {
    out.witness.reset();
    out.reason = "the detector of races does not confirm what a replay met";
  }
  for (const analyze::OpenPair& pair : open)
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
