#include "ref/schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/random.h"
#include "ref/explore.h"
#include "ref/machine.h"

namespace vyre::ref {
namespace {

constexpr uint32_t kInFlight = 4'096;     // invocations
constexpr uint32_t kRandomSchedules = 3;  // that find_races runs beside the two others
// What is explored: dispatches of so few invocations, for so long.
constexpr uint32_t kExploredInvocations = 64;
constexpr ExploreLimits kExploreLimits = {
    .max_executions = 2'000, .max_steps = 40'000, .max_repeated = 2'000'000};

uint32_t size_of(const check::Checked& program) {
  const auto& size = program.program().workgroup_size;
  return size[0] * size[1] * size[2];
}

/// The order in which workgroups come into flight.
std::vector<uint32_t> order_of(uint64_t workgroups, const Schedule& schedule, RandomStream& random) {
  std::vector<uint32_t> out(workgroups);
  std::iota(out.begin(), out.end(), 0u);
  if (schedule.kind == Schedule::Kind::Reversed) std::ranges::reverse(out);
  if (schedule.kind != Schedule::Kind::Random) return out;
  for (size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[random.next64() % i]);
  return out;
}

}  // namespace

Result<void> run_scheduled(const check::Checked& program, std::span<const std::span<std::byte>> host,
                           layout::Groups groups, const Options& options, const Schedule& schedule,
                           RaceDetector* detector) {
  VYRE_TRY(bindings, layout::bind(program, host, groups));
  VYRE_CHECK(check_sizes(program, bindings));
  VYRE_CHECK(check_subgroups(program, options.subgroup_size));
  Watch watch;
  if (detector != nullptr) {
    watch = [detector](const Touched& t, uint32_t epoch) {
      detector->access(t.buffer, t.first, t.type, t.of_workgroup, epoch, t.who);
    };
  }
  const ReadyProgram ready(program);
  Budget budget(options.max_steps);
  RandomStream random(schedule.seed, 0);
  const uint64_t count = uint64_t(groups.x) * groups.y * groups.z;
  const std::vector<uint32_t> order = order_of(count, schedule, random);
  const size_t window = std::max<size_t>(1, kInFlight / size_of(program));
  for (size_t first = 0; first < order.size(); first += window) {
    const auto in_flight = std::span(order).subspan(first, std::min(window, order.size() - first));
    Machine machine(program, ready, bindings, groups, options.subgroup_size, in_flight, budget, watch);
    while (!machine.ready().empty() && !machine.stopped()) {
      const auto& all = machine.ready();
      switch (schedule.kind) {
        case Schedule::Kind::InOrder: machine.step(all.front()); break;
        case Schedule::Kind::Reversed: machine.step(all.back()); break;
        case Schedule::Kind::Random: machine.step(all[random.next() % all.size()]); break;
      }
    }
    if (machine.out_of_steps()) return std::unexpected(out_of_steps(options));
    if (machine.divergence()) return std::unexpected(divergence_diagnostic(program, *machine.divergence()));
  }
  return {};
}

Result<RaceFindings> find_races(const check::Checked& program, std::span<const std::span<std::byte>> host,
                                layout::Groups groups, const Options& options, std::optional<uint64_t> seed) {
  std::vector<Bytes> before, after;
  for (const auto& bytes : host) before.emplace_back(bytes.begin(), bytes.end());
  RaceFindings out;
  const auto know = [](const std::vector<Race>& list, const Race& race) {
    return std::ranges::any_of(list, [&](const Race& r) {
      const auto is = [&](const Toucher& a, const Toucher& b) {
        return r.first.span == a.span && r.second.span == b.span;
      };
      return is(race.first, race.second) || is(race.second, race.first);
    });
  };
  const auto add = [&](const RaceDetector& detector) {
    for (const Race& race : detector.races())
      if (!know(out.races, race)) out.races.push_back(race);
    for (const Race& race : detector.unwritten())
      if (!know(out.unwritten, race)) out.unwritten.push_back(race);
  };
  const auto in_schedule = [&](const Schedule& schedule) -> Result<std::vector<Bytes>> {
    std::vector<Bytes> copy = before;
    const std::vector<std::span<std::byte>> spans(copy.begin(), copy.end());
    RaceDetector detector;
    VYRE_CHECK(run_scheduled(program, spans, groups, options, schedule, &detector));
    add(detector);
    ++out.schedules;
    return copy;
  };
  VYRE_TRY(first, in_schedule({}));
  after = std::move(first);
  std::vector<Schedule> others = {{Schedule::Kind::Reversed}};
  for (uint64_t i = 0; i < kRandomSchedules; ++i)
    others.push_back({Schedule::Kind::Random, seed.value_or(1) + i});
  for (const Schedule& schedule : others) {
    VYRE_TRY(result, in_schedule(schedule));
    for (size_t i = 0; i < result.size() && !out.dependence; ++i) {
      const auto differs = std::ranges::mismatch(result[i], after[i]);
      if (differs.in1 == result[i].end()) continue;
      const BufferId buffer = program.bound_buffers()[i];
      const DataType type = program.program().element(program.buffer(buffer));
      out.dependence = {buffer, uint64_t(differs.in1 - result[i].begin()) / spec::info(type).bytes};
    }
  }
  if (!out.races.empty()) out.dependence.reset();  // that is what races do
  out.covered = fmt::format("{} schedules were run", out.schedules);
  const uint64_t invocations = uint64_t(groups.x) * groups.y * groups.z * size_of(program);
  if (invocations <= kExploredInvocations && program.intrinsics().empty()) {
    const std::vector<std::span<std::byte>> spans(before.begin(), before.end());
    VYRE_TRY(all, explore(program, spans, groups, options, kExploreLimits));
    for (const Race& race : all.races)
      if (!know(out.races, race)) out.races.push_back(race);
    if (all.divergence) return std::unexpected(divergence_diagnostic(program, *all.divergence));
    out.explored = all.complete;
    out.covered += all.complete ? fmt::format(", and all there are explored ({} execution{})", all.executions,
                                              all.executions == 1 ? "" : "s")
                                : fmt::format("; exploring all was given up: {}", all.why_not);
  } else {
    out.covered += fmt::format("; {} invocations are too many to explore all", invocations);
  }
  for (size_t i = 0; i < host.size(); ++i) std::ranges::copy(after[i], host[i].begin());
  return out;
}

std::vector<Diag> warnings(const check::Checked& program, const RaceFindings& findings) {
  const auto name = [&](BufferId buffer) { return program.program().code.name(program.buffer(buffer).name); };
  std::vector<Diag> out;
  if (findings.dependence) {
    out.push_back(make_diag(DiagCode::X014, program.buffer(findings.dependence->buffer).span,
                            fmt::format("{}[{}] differs between schedules, by the order of atomics",
                                        name(findings.dependence->buffer), findings.dependence->element),
                            "use atomics whose order does not matter, or do not keep what they give"));
  }
  for (const Race& read : findings.unwritten) {
    out.push_back(
        make_diag(DiagCode::X015, read.second.span,
                  fmt::format("{}[{}] is read before any write; it is zero", name(read.buffer), read.element),
                  "write it first, and put a barrier between"));
  }
  return out;
}

namespace {

/// "invocation 1,0,0 of workgroup 0": its place in the workgroup, which is what differs.
std::string called(const check::Checked& program, uint32_t workgroup, uint32_t local) {
  const auto place = identify(program.program().workgroup_size, {}, {0, 0, 0}, local).local;
  return fmt::format("invocation {},{},{} of workgroup {}", place[0], place[1], place[2], workgroup);
}

}  // namespace

Diag divergence_diagnostic(const check::Checked& program, const Divergence& divergence) {
  const auto& [workgroup, waiting, other, barrier, elsewhere, ended] = divergence;
  const std::string_view where = ended ? "has ended" : "waits elsewhere";
  Diag diag =
      make_diag(DiagCode::X016, barrier,
                fmt::format("{} waits at this barrier, and {} {}", called(program, workgroup, waiting),
                            called(program, workgroup, other), where),
                "let the condition around the barrier be the same for the whole workgroup");
  if (!ended || elsewhere.known())
    diag.notes.push_back({elsewhere, fmt::format("{} {} here", called(program, workgroup, other),
                                                 ended ? "returned" : "waits")});
  return diag;
}

Diag race_diagnostic(const check::Checked& program, const Race& race) {
  const ir::Program& ir = program.program();
  const ir::BufferDecl& decl = program.buffer(race.buffer);
  const auto who = [&](const Toucher& t) { return called(program, t.workgroup, t.local); };
  const auto does = [](AccessKind kind) -> std::string_view {
    switch (kind) {
      case AccessKind::Read: return "reads";
      case AccessKind::Write: return "writes";
      case AccessKind::Atomic: return "accesses atomically";
    }
    std::unreachable();
  };
  Diag diag = make_diag(
      DiagCode::X013, race.second.span,
      fmt::format("data race on {}[{}]: {} {} it, and nothing orders that with {}", ir.code.name(decl.name),
                  race.element, who(race.second), does(race.second.kind), who(race.first)),
      "put a barrier between them, keep their places apart, or make both atomic");
  diag.notes.push_back(
      {race.first.span, fmt::format("{} {} it here", who(race.first), does(race.first.kind))});
  return diag;
}

}  // namespace vyre::ref
