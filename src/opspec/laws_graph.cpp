// Laws of graph.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "base/names.h"
#include "opspec/arrays.h"
#include "opspec/laws.h"

namespace vyre::opspec {

#define VYRE_BUFFER_LAW(operations, Name, claimed, statement) bool Name(const Trial& trial);
#include "library/laws.def"
#undef VYRE_BUFFER_LAW

// Of this file alone, also where several files are compiled as one.
namespace graph_laws {
namespace {

constexpr uint32_t kFar = UINT32_MAX;  // the level or distance of what is not reached
constexpr uint32_t kCycle = 8;         // in a status

struct Arc {
  uint32_t target;
  uint32_t weight;
  bool operator==(const Arc&) const = default;
};
/// A graph, and what else a case of an operation says.
struct Case {
  std::vector<std::vector<Arc>> from;
  Words sources;
  Buffer params;
  uint32_t size() const { return uint32_t(from.size()); }
};

bool has_sources(std::string_view id) { return is_among(id, "graph.bfs graph.reachable graph.sssp"); }
/// The buffer of the status. Outputs end before it.
size_t status_of(std::string_view id) {
  if (id == "graph.sssp") return 5;
  if (id == "graph.validate") return 2;
  return has_sources(id) || id == "graph.transpose_graph" ? 4 : 3;
}
size_t first_output(std::string_view id) {
  return id == "graph.transpose_graph" ? 2 : std::max<size_t>(status_of(id), 3) - 1;
}

/// None of a case that is malformed: of that laws say nothing.
std::optional<Case> case_in(const Trial& trial) {
  const Buffers& input = trial.input();
  const Words offsets = elements<uint32_t>(input[0]), targets = elements<uint32_t>(input[1]);
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != targets.size() ||
      !std::ranges::is_sorted(offsets))
    return std::nullopt;
  const size_t n = offsets.size() - 1;
  const auto outside = [&](uint32_t v) { return v >= n; };
  Case out;
  if (has_sources(trial.id())) out.sources = elements<uint32_t>(input[first_output(trial.id()) - 1]);
  if (trial.id() == "graph.pagerank") out.params = input[4];
  if (std::ranges::any_of(targets, outside) || std::ranges::any_of(out.sources, outside)) return std::nullopt;
  Words weights(targets.size());
  if (trial.id() == "graph.sssp") {
    weights = elements<uint32_t>(input[2]);
    weights.resize(targets.size());
  }
  out.from.resize(n);
  for (size_t v = 0; v < n; ++v)
    for (uint32_t e = offsets[v]; e < offsets[v + 1]; ++e) out.from[v].push_back({targets[e], weights[e]});
  return out;
}

/// What an operation leaves in its outputs, and the status. Outputs are as long as is needed.
struct Answer {
  Words words;
  uint32_t status = 0;
  bool operator==(const Answer&) const = default;
};
Buffers buffers_of(std::string_view id, const Case& given) {
  Words offsets = {0}, targets, weights;
  for (const std::vector<Arc>& arcs : given.from) {
    for (const auto& [target, weight] : arcs) {
      targets.push_back(target);
      weights.push_back(weight);
    }
    offsets.push_back(uint32_t(targets.size()));
  }
  Buffers out = {buffer_of(offsets), buffer_of(targets)};
  if (id == "graph.sssp") out.push_back(buffer_of(weights));
  if (has_sources(id)) out.push_back(buffer_of(given.sources));
  if (id == "graph.transpose_graph") {
    out.emplace_back(out[0].size());
    out.emplace_back(out[1].size());
  } else if (id != "graph.validate") {
    out.emplace_back(id == "graph.triangles" ? sizeof(uint64_t) : given.size() * sizeof(uint32_t));
  }
  out.emplace_back(sizeof(uint32_t));
  if (id == "graph.pagerank") out.push_back(given.params);
  return out;
}
Answer answer(const Trial& trial, std::string_view id, const Case& given) {
  const Buffers after = trial.run(id, buffers_of(id, given));
  Answer out;
  const size_t status = status_of(id);
  for (size_t b = first_output(id); b < status; ++b)
    std::ranges::copy(elements<uint32_t>(after[b]), std::back_inserter(out.words));
  out.status = get<uint32_t>(after[status], 0);
  return out;
}
Answer answer(const Trial& trial, const Case& given) { return answer(trial, trial.id(), given); }

/// Whether the same comes of a graph and of another one that `change` makes of it.
template <typename Change>
bool is_same_of(const Trial& trial, Change change) {
  const std::optional<Case> given = case_in(trial);
  if (!given) return true;
  Case other = *given;
  change(other);
  return answer(trial, *given) == answer(trial, other);
}

void turn(Case& given) {
  std::vector<std::vector<Arc>> from(given.size());
  for (uint32_t v = 0; v < given.size(); ++v)
    for (const auto& [target, weight] : given.from[v]) from[target].push_back({v, weight});
  given.from = std::move(from);
}
void double_edges(Case& given) {
  for (auto& arcs : given.from) {
    const std::vector<Arc> once = arcs;
    arcs.insert(arcs.end(), once.begin(), once.end());
  }
}

/// Whether `check`(answer, source, arc) holds of each edge.
template <typename Check>
bool of_each_edge(const Trial& trial, Check check) {
  const std::optional<Case> given = case_in(trial);
  if (!given) return true;
  const Words words = answer(trial, *given).words;
  for (uint32_t v = 0; v < given->size(); ++v)
    for (const Arc& arc : given->from[v])
      if (!check(words, v, arc)) return false;
  return true;
}

/// The length of an edge, which for graph.bfs is 1.
uint32_t length(const Trial& trial, const Arc& arc) { return trial.id() == "graph.bfs" ? 1 : arc.weight; }
uint32_t sum(uint32_t a, uint32_t b) { return a > kFar - b ? kFar : a + b; }

/// The case with one word for the status, and the status after the run.
std::pair<Buffers, uint32_t> with_status(const Trial& trial) {
  Buffers buffers = trial.input();
  const size_t status = status_of(trial.id());
  buffers[status] = Buffer(sizeof(uint32_t));
  Buffers after = trial.run(std::move(buffers));
  const auto faults = get<uint32_t>(after[status], 0);
  return {std::move(after), faults};
}
uint32_t faults_of(const Trial& trial, const Buffer& offsets, const Buffer& targets) {
  return get<uint32_t>(trial.run("graph.validate", {offsets, targets, Buffer(sizeof(uint32_t))})[2], 0);
}

/// Offsets and targets.
Buffers transposed(const Trial& trial, const Buffer& offsets, const Buffer& targets) {
  Buffers after = trial.run("graph.transpose_graph", {offsets, targets, Buffer(offsets.size()),
                                                      Buffer(targets.size()), Buffer(sizeof(uint32_t))});
  return {std::move(after[2]), std::move(after[3])};
}

/// Ranks of a case that has vertices.
std::optional<std::vector<float>> ranks_of(const Trial& trial) {
  const std::optional<Case> given = case_in(trial);
  if (!given || given->size() == 0) return std::nullopt;
  return elements<float>(buffer_of(answer(trial, *given).words));
}

/// The places before the last offset, the vertex of each, and how many offsets a search puts before each.
std::pair<Buffer, Buffer> sources_and(const Trial& trial, std::string_view search) {
  const Buffer& offsets = trial.input()[0];
  Words places(std::min(count<uint32_t>(trial.input()[1]), size_t{4'096}));
  std::iota(places.begin(), places.end(), 0);
  const size_t bytes = places.size() * sizeof(uint32_t);
  return {trial.run({offsets, Buffer(bytes)})[1],
          trial.run(search, {offsets, buffer_of(places), Buffer(bytes)})[2]};
}
bool is_search_less_one(const Trial& trial, std::string_view search) {
  const auto [sources, found] = sources_and(trial, search);
  Words less = elements<uint32_t>(found);
  for (uint32_t& place : less) --place;
  return sources == buffer_of(less);
}

}  // namespace
}  // namespace graph_laws

using namespace graph_laws;

bool FaultsAreValidates(const Trial& trial) {
  constexpr uint32_t kOfGraphs = 3;
  return (with_status(trial).second & kOfGraphs) == faults_of(trial, trial.input()[0], trial.input()[1]);
}

bool StatusIsValidates(const Trial& trial) {
  return with_status(trial).second == faults_of(trial, trial.input()[0], trial.input()[1]);
}

bool FaultKeepsOutputs(const Trial& trial) {
  const auto [after, status] = with_status(trial);
  if ((status & ~kCycle) == 0) return true;
  for (size_t b = first_output(trial.id()); b < status_of(trial.id()); ++b)
    if (after[b] != trial.input()[b]) return false;
  return true;
}

bool EdgeOrderDoesNotMatter(const Trial& trial) {
  return is_same_of(trial, [](Case& given) {
    for (auto& arcs : given.from) std::ranges::reverse(arcs);
  });
}

bool EdgesTwice(const Trial& trial) { return is_same_of(trial, double_edges); }

bool TurnedEdges(const Trial& trial) { return is_same_of(trial, turn); }

bool EdgesToThemselves(const Trial& trial) {
  return is_same_of(trial, [](Case& given) {
    for (uint32_t v = 0; v < given.size(); ++v) given.from[v].push_back({v, 0});
  });
}

bool UpwardEdgesDecide(const Trial& trial) {
  return is_same_of(trial, [](Case& given) {
    for (uint32_t v = 0; v < given.size(); ++v)
      std::erase_if(given.from[v], [&](const Arc& arc) { return arc.target < v; });
  });
}

bool RenamedVertices(const Trial& trial) {
  const std::optional<Case> given = case_in(trial);
  if (!given) return true;
  const auto renamed = [&](uint32_t v) { return given->size() - 1 - v; };
  Case other = *given;
  std::ranges::reverse(other.from);
  for (auto& arcs : other.from)
    for (Arc& arc : arcs) arc.target = renamed(arc.target);
  for (uint32_t& source : other.sources) source = renamed(source);
  Answer after = answer(trial, other);
  if (trial.id() != "graph.triangles") std::ranges::reverse(after.words);
  return after == answer(trial, *given);
}

// Ways.

bool ReachedHaveLevels(const Trial& trial) {
  const std::optional<Case> given = case_in(trial);
  if (!given) return true;
  Words levels = answer(trial, "graph.bfs", *given).words;
  for (uint32_t& level : levels) level = level != kFar ? 1 : 0;
  return answer(trial, "graph.reachable", *given).words == levels;
}

bool UnitLengthsGiveLevels(const Trial& trial) {
  std::optional<Case> given = case_in(trial);
  if (!given) return true;
  for (auto& arcs : given->from)
    for (Arc& arc : arcs) arc.weight = 1;
  return answer(trial, "graph.sssp", *given) == answer(trial, "graph.bfs", *given);
}

bool DistancesAreLevels(const Trial& trial) {
  const std::optional<Case> given = case_in(trial);
  return !given || answer(trial, "graph.sssp", *given) == answer(trial, "graph.bfs", *given);
}

bool NoEdgeIsAShortcut(const Trial& trial) {
  return of_each_edge(trial, [&](const Words& far, uint32_t v, const Arc& arc) {
    return far[arc.target] <= sum(far[v], length(trial, arc));
  });
}

bool SomeEdgeIsTheWay(const Trial& trial) {
  const std::optional<Case> given = case_in(trial);
  if (!given) return true;
  const Words far = answer(trial, *given).words;
  std::vector<bool> explained(far.size());
  for (uint32_t v = 0; v < far.size(); ++v) explained[v] = far[v] == kFar;
  for (const uint32_t source : given->sources) explained[source] = far[source] == 0;
  for (uint32_t v = 0; v < given->size(); ++v)
    for (const Arc& arc : given->from[v])
      if (far[arc.target] == sum(far[v], length(trial, arc))) explained[arc.target] = true;
  return std::ranges::all_of(explained, std::identity());
}

bool EdgeEndsAreLevelNeighbours(const Trial& trial) {
  return of_each_edge(trial, [](const Words& levels, uint32_t v, const Arc& arc) {
    return sum(levels[arc.target], 1) >= levels[v] && sum(levels[v], 1) >= levels[arc.target];
  });
}

bool ReachedGoesOn(const Trial& trial) {
  return of_each_edge(trial, [](const Words& reached, uint32_t v, const Arc& arc) {
    return reached[v] <= reached[arc.target];
  });
}

bool ReachedComesBack(const Trial& trial) {
  return of_each_edge(trial, [](const Words& reached, uint32_t v, const Arc& arc) {
    return reached[arc.target] <= reached[v];
  });
}

// Parts and levels.

bool EdgeEndsAreTogether(const Trial& trial) {
  return of_each_edge(trial, [](const Words& components, uint32_t v, const Arc& arc) {
    return components[v] == components[arc.target];
  });
}

bool ComponentIsItsLeast(const Trial& trial) {
  const std::optional<Case> given = case_in(trial);
  if (!given) return true;
  const Words components = answer(trial, *given).words;
  for (uint32_t v = 0; v < components.size(); ++v)
    if (components[v] > v || components[components[v]] != components[v]) return false;
  return true;
}

bool LevelsRise(const Trial& trial) {
  return of_each_edge(trial, [](const Words& levels, uint32_t v, const Arc& arc) {
    return levels[arc.target] == kFar || (levels[v] != kFar && levels[arc.target] > levels[v]);
  });
}

bool LevelsRiseByOne(const Trial& trial) {
  return of_each_edge(trial, [](const Words& levels, uint32_t v, const Arc& arc) {
    return levels[arc.target] == kFar || levels[arc.target] == sum(levels[v], 1);
  });
}

bool CycleHasStatus(const Trial& trial) {
  const std::optional<Case> given = case_in(trial);
  if (!given) return true;
  const Answer found = answer(trial, *given);
  return (found.status == kCycle) == (std::ranges::find(found.words, kFar) != found.words.end());
}

bool CoreIsAtMostDegree(const Trial& trial) {
  const std::optional<Case> given = case_in(trial);
  if (!given) return true;
  const Words cores = answer(trial, *given).words;
  Words degrees(given->size());
  for (uint32_t v = 0; v < given->size(); ++v)
    for (const Arc& arc : given->from[v]) degrees[arc.target] += arc.target != v ? 1 : 0;
  return std::ranges::equal(cores, degrees, std::less_equal());
}

bool EdgesTwiceDoubleCores(const Trial& trial) {
  std::optional<Case> given = case_in(trial);
  if (!given) return true;
  Words cores = answer(trial, *given).words;
  for (uint32_t& core : cores) core *= 2;
  double_edges(*given);
  return answer(trial, *given).words == cores;
}

bool CopiesHaveTwice(const Trial& trial) {
  std::optional<Case> given = case_in(trial);
  if (!given) return true;
  const auto found = [&] { return get<uint64_t>(buffer_of(answer(trial, *given).words), 0); };
  const uint64_t once = found();
  const uint32_t n = given->size();
  for (uint32_t v = 0; v < n; ++v) {
    std::vector<Arc> arcs = given->from[v];
    for (Arc& arc : arcs) arc.target += n;
    given->from.push_back(std::move(arcs));
  }
  return found() == 2 * once;
}

// Ranks.

bool RanksSumToAboutOne(const Trial& trial) {
  const auto ranks = ranks_of(trial);
  constexpr double kNear = 1e-3;  // some thousand roundings of f32
  return !ranks || std::abs(std::accumulate(ranks->begin(), ranks->end(), 0.0) - 1) < kNear;
}

bool RanksSumToOne(const Trial& trial) {
  const auto ranks = ranks_of(trial);
  return !ranks || trial.run("collection.reduce_fadd", {buffer_of(*ranks), Buffer(sizeof(float))})[1] ==
                       buffer_of(std::vector<float>{1});
}

// Graphs of graphs.

bool TransposedIsValid(const Trial& trial) {
  if (!case_in(trial)) return true;
  const Buffers other = transposed(trial, trial.input()[0], trial.input()[1]);
  return faults_of(trial, other[0], other[1]) == 0;
}

bool GreatestTargetDecides(const Trial& trial) {
  const Buffer &offsets = trial.input()[0], &targets = trial.input()[1];
  const Buffer greatest = trial.run("collection.reduce_max", {targets, Buffer(sizeof(uint32_t))})[1];
  const size_t vertices = std::max<size_t>(count<uint32_t>(offsets), 1) - 1;
  const bool outside = !targets.empty() && get<uint32_t>(greatest, 0) >= vertices;
  return ((faults_of(trial, offsets, targets) & 2) != 0) == outside;
}

bool WithoutLastVertexIsValid(const Trial& trial) {
  const std::optional<Case> given = case_in(trial);
  if (!given || given->size() == 0) return true;
  Buffer offsets = trial.input()[0];
  offsets.resize(offsets.size() - sizeof(uint32_t));
  return faults_of(trial, offsets, trial.input()[1]) == 0;
}

bool TransposedTwiceIsSorted(const Trial& trial) {
  std::optional<Case> given = case_in(trial);
  if (!given) return true;
  for (auto& arcs : given->from) std::ranges::sort(arcs, {}, &Arc::target);
  const Buffers expected = buffers_of("graph.validate", *given);
  const Buffers once = transposed(trial, trial.input()[0], trial.input()[1]);
  return std::ranges::equal(transposed(trial, once[0], once[1]), std::span(expected).first(2));
}

bool TransposedTwice(const Trial& trial) {
  if (!case_in(trial)) return true;
  const Buffers once = transposed(trial, trial.input()[0], trial.input()[1]);
  return std::ranges::equal(transposed(trial, once[0], once[1]), std::span(trial.input()).first(2));
}

bool SourcesAreUpperBounds(const Trial& trial) { return is_search_less_one(trial, "collection.upper_bound"); }
bool SourcesAreLowerBounds(const Trial& trial) { return is_search_less_one(trial, "collection.lower_bound"); }

bool SourcesCountDegrees(const Trial& trial) {
  const Words offsets = elements<uint32_t>(trial.input()[0]);
  if (offsets.empty()) return true;
  Words degrees;
  for (size_t v = 0; v + 1 < offsets.size(); ++v) degrees.push_back(offsets[v + 1] - offsets[v]);
  const Buffer sources = trial.run({trial.input()[0], Buffer(offsets.back() * sizeof(uint32_t))})[1];
  return trial.run("collection.histogram", {sources, Buffer(degrees.size() * sizeof(uint32_t))})[1] ==
         buffer_of(degrees);
}

}  // namespace vyre::opspec
