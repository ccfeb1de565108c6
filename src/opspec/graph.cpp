// Graphs: textbook algorithms on lists of neighbours are the references, each of them another one than the
// text's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "opspec/arrays.h"

namespace vyre::opspec {

// Of this file alone, also where several files are compiled as one.
namespace graph {
namespace {

constexpr uint32_t kNone = 0xffff'ffff;

struct Edge {
  uint32_t target;
  uint32_t place;  // among all edges
};
/// The first two buffers: offsets and targets.
struct Graph {
  uint32_t fault = 0;  // 1: offsets; 2: a target
  std::vector<std::vector<Edge>> from;
  size_t size() const { return from.size(); }
};

Graph graph_of(const Buffers& buffers) {
  const Words offsets = elements<uint32_t>(buffers[0]);
  const Words targets = elements<uint32_t>(buffers[1]);
  Graph out;
  const size_t n = offsets.empty() ? 0 : offsets.size() - 1;
  const bool ends =
      offsets.empty() ? targets.empty() : offsets.front() == 0 && offsets.back() == targets.size();
  if (!ends || !std::ranges::is_sorted(offsets)) out.fault |= 1;
  if (std::ranges::any_of(targets, [&](uint32_t target) { return target >= n; })) out.fault |= 2;
  out.from.resize(n);
  if (out.fault == 0)
    for (size_t v = 0; v < n; ++v)
      for (uint32_t e = offsets[v]; e < offsets[v + 1]; ++e) out.from[v].push_back({targets[e], e});
  return out;
}

void validate(Buffers& buffers) { put(buffers[2], 0, graph_of(buffers).fault); }

void edge_sources(Buffers& buffers) {
  const Words offsets = elements<uint32_t>(buffers[0]);
  for (uint32_t e = 0; e < count<uint32_t>(buffers[1]); ++e)
    put(buffers[1], e, uint32_t(std::ranges::count_if(offsets, [&](uint32_t at) { return at <= e; }) - 1));
}

/// An operation with a graph, an output before the status, and what it leaves there if there is no fault; of
/// kSources, the buffer of that number has sources, and a source that is no vertex is the fault 4.
template <typename T, std::vector<T> (*kMake)(const Graph& graph, const Buffers& buffers), size_t kOutput,
          size_t kSources = 0>
void of_graph(Buffers& buffers) {
  Graph graph = graph_of(buffers);
  if (kSources > 0)
    for (const uint32_t source : elements<uint32_t>(buffers[kSources]))
      if (source >= graph.size()) graph.fault |= 4;
  put(buffers[kOutput + 1], 0, graph.fault);
  if (graph.fault == 0) leave(buffers[kOutput], kMake(graph, buffers));
}

/// A queue of vertices.
Words bfs(const Graph& graph, const Buffers& buffers) {
  Words levels(graph.size(), kNone);
  std::queue<uint32_t> queue;
  const auto reach = [&](uint32_t v, uint32_t level) {
    if (levels[v] != kNone) return;
    levels[v] = level;
    queue.push(v);
  };
  for (const uint32_t source : elements<uint32_t>(buffers[2])) reach(source, 0);
  for (; !queue.empty(); queue.pop())
    for (const Edge& edge : graph.from[queue.front()]) reach(edge.target, levels[queue.front()] + 1);
  return levels;
}

/// A stack of vertices: depth first.
Words reachable(const Graph& graph, const Buffers& buffers) {
  Words reached(graph.size());
  Words stack = elements<uint32_t>(buffers[2]);
  while (!stack.empty()) {
    const uint32_t v = stack.back();
    stack.pop_back();
    if (std::exchange(reached[v], 1) == 0)
      for (const Edge& edge : graph.from[v]) stack.push_back(edge.target);
  }
  return reached;
}

/// Dijkstra.
Words sssp(const Graph& graph, const Buffers& buffers) {
  const Words weights = elements<uint32_t>(buffers[2]);
  Words distances(graph.size(), kNone);
  using Offer = std::pair<uint32_t, uint32_t>;  // distance, vertex
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers;
  for (const uint32_t source : elements<uint32_t>(buffers[3])) offers.emplace(0, source);
  while (!offers.empty()) {
    const auto [distance, v] = offers.top();
    offers.pop();
    if (distance >= distances[v]) continue;
    distances[v] = distance;
    for (const Edge& edge : graph.from[v]) {
      const uint64_t weight = edge.place < weights.size() ? weights[edge.place] : 0;
      offers.emplace(uint32_t(std::min<uint64_t>(distance + weight, kNone)), edge.target);
    }
  }
  return distances;
}

/// Sets that are joined, each with its least vertex for a root.
Words connected_components(const Graph& graph, const Buffers&) {
  Words parents(graph.size());
  std::iota(parents.begin(), parents.end(), 0);
  const auto root = [&](uint32_t v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
  };
  for (uint32_t v = 0; v < graph.size(); ++v)
    for (const Edge& edge : graph.from[v]) {
      const auto [less, more] = std::minmax({root(v), root(edge.target)});
      parents[more] = less;
    }
  for (uint32_t v = 0; v < graph.size(); ++v) parents[v] = root(v);
  return parents;
}

/// Who has an edge to each vertex, in order.
std::vector<Words> sources_of(const Graph& graph) {
  std::vector<Words> out(graph.size());
  for (uint32_t v = 0; v < graph.size(); ++v)
    for (const Edge& edge : graph.from[v]) out[edge.target].push_back(v);
  return out;
}

/// The tree of docs/spec/floats.md.
float tree_sum(std::span<const float> x) {
  if (x.size() < 2) return x.empty() ? 0 : x[0];
  const size_t left = std::bit_floor(x.size() - 1);
  return tree_sum(x.first(left)) + tree_sum(x.subspan(left));
}

/// Few enough iterations to wait for.
void few_iterations(Buffers& buffers, const Buffers&) {
  constexpr uint32_t kMost = 8;
  if (count<uint32_t>(buffers[4]) > 0) put(buffers[4], 0, get<uint32_t>(buffers[4], 0) % kMost);
}
/// Its definition, which says each rounding; of NaNs there is one.
std::vector<float> pagerank(const Graph& graph, const Buffers& buffers) {
  Words params = elements<uint32_t>(buffers[4]);
  params.resize(2);
  const float damping = std::bit_cast<float>(params[1]);
  const float n = float(graph.size());
  const std::vector<Words> sources = sources_of(graph);
  std::vector<float> ranks(graph.size(), 1 / n);
  for (uint32_t turn = 0; turn < params[0]; ++turn) {
    std::vector<float> lost(graph.size());
    for (size_t v = 0; v < graph.size(); ++v) lost[v] = graph.from[v].empty() ? ranks[v] : 0;
    const float share_of_lost = tree_sum(lost) / n;
    std::vector<float> next;
    for (const Words& of : sources) {
      float sum = 0;
      for (const uint32_t source : of) sum += ranks[source] / float(graph.from[source].size());
      const float moved = damping * (sum + share_of_lost);
      next.push_back((1 - damping) / n + moved);
    }
    ranks = next;
  }
  for (float& rank : ranks)
    if (std::isnan(rank)) rank = std::numeric_limits<float>::quiet_NaN();
  return ranks;
}

/// All pairs of neighbours that are neighbours, from the least vertex of the three.
std::vector<uint64_t> triangles(const Graph& graph, const Buffers&) {
  std::vector<std::set<uint32_t>> greater(graph.size());
  for (uint32_t v = 0; v < graph.size(); ++v)
    for (const Edge& edge : graph.from[v])
      if (edge.target != v) greater[std::min(v, edge.target)].insert(std::max(v, edge.target));
  uint64_t found = 0;
  for (const std::set<uint32_t>& neighbours : greater)
    for (const uint32_t a : neighbours)
      found +=
          uint64_t(std::ranges::count_if(neighbours, [&](uint32_t b) { return greater[a].contains(b); }));
  return {found};
}

/// One vertex at a time, when all that have an edge to it are done.
Words topological_levels(const Graph& graph) {
  Words left(graph.size());
  for (const auto& edges : graph.from)
    for (const Edge& edge : edges) ++left[edge.target];
  Words longest(graph.size());
  Words levels(graph.size(), kNone);
  Words ready;
  for (uint32_t v = 0; v < graph.size(); ++v)
    if (left[v] == 0) ready.push_back(v);
  while (!ready.empty()) {
    const uint32_t v = ready.back();
    ready.pop_back();
    levels[v] = longest[v];
    for (const Edge& edge : graph.from[v]) {
      longest[edge.target] = std::max(longest[edge.target], levels[v] + 1);
      if (--left[edge.target] == 0) ready.push_back(edge.target);
    }
  }
  return levels;
}
void topological(Buffers& buffers) {
  const Graph graph = graph_of(buffers);
  put(buffers[3], 0, graph.fault);
  if (graph.fault != 0) return;
  const Words levels = topological_levels(graph);
  leave(buffers[2], levels);
  if (std::ranges::find(levels, kNone) != levels.end()) put(buffers[3], 0, 8U);
}

/// The vertex of the fewest edges goes, one at a time.
Words k_core(const Graph& graph, const Buffers&) {
  Words degrees(graph.size());
  for (uint32_t v = 0; v < graph.size(); ++v)
    for (const Edge& edge : graph.from[v]) degrees[edge.target] += edge.target != v ? 1 : 0;
  std::set<std::pair<uint32_t, uint32_t>> here;  // degree, vertex
  for (uint32_t v = 0; v < graph.size(); ++v) here.emplace(degrees[v], v);
  Words cores(graph.size());
  uint32_t core = 0;
  while (!here.empty()) {
    const auto [degree, v] = *here.begin();
    here.erase(here.begin());
    core = cores[v] = std::max(core, degree);
    for (const Edge& edge : graph.from[v]) {
      const auto found = here.find({degrees[edge.target], edge.target});
      if (found == here.end()) continue;
      here.erase(found);
      here.emplace(--degrees[edge.target], edge.target);
    }
  }
  return cores;
}

void transpose_graph(Buffers& buffers) {
  const Graph graph = graph_of(buffers);
  put(buffers[4], 0, graph.fault);
  if (graph.fault != 0) return;
  Words offsets = {0};
  Words targets;
  for (const Words& sources : sources_of(graph)) {
    std::ranges::copy(sources, std::back_inserter(targets));
    offsets.push_back(uint32_t(targets.size()));
  }
  leave(buffers[2], offsets);
  leave(buffers[3], targets);
}

// Graphs of a kind. Of some there are fewer vertices: a chain takes as many rounds as it is long.

using Lists = std::vector<Words>;
using MakeGraph = void (*)(RandomStream& random, Lists& lists);

template <uint32_t kEdges>
void any_edges(RandomStream& random, Lists& lists) {
  const uint32_t n = uint32_t(lists.size());
  for (uint32_t e = 0; e < n * kEdges; ++e) lists[random.below(n)].push_back(random.below(n));
}
/// From lesser vertices to greater ones, so that there is no cycle.
void forward(RandomStream& random, Lists& lists) {
  const uint32_t n = uint32_t(lists.size());
  for (uint32_t v = 0; v + 1 < n; ++v)
    for (uint32_t k = random.below(4); k > 0; --k) lists[v].push_back(v + 1 + random.below(n - v - 1));
}
void chain(RandomStream& random, Lists& lists) {
  lists.resize(std::min<size_t>(lists.size(), 200));
  for (uint32_t v = 0; v + 1 < lists.size(); ++v) lists[v].push_back(v + 1);
  if (random.chance(2)) lists.back().push_back(random.below(uint32_t(lists.size())));
}
/// All edges at one vertex, and a few elsewhere.
void star(RandomStream& random, Lists& lists) {
  const uint32_t n = uint32_t(lists.size());
  const uint32_t centre = random.below(n);
  for (uint32_t v = 0; v < n; ++v)
    lists[random.chance(2) ? centre : v].push_back(random.chance(3) ? centre : v);
}
/// Edges among few vertices, of which many are there more than once, and to themselves.
void dense(RandomStream& random, Lists& lists) {
  const uint32_t n = std::min<uint32_t>(uint32_t(lists.size()), 40);
  for (uint32_t e = 0; e < n * 12; ++e) lists[random.below(n)].push_back(random.below(n));
}
void none(RandomStream&, Lists&) {}

void both_ways(Lists& lists) {
  const Lists before = lists;
  for (uint32_t v = 0; v < before.size(); ++v)
    for (const uint32_t target : before[v]) lists[target].push_back(v);
}

/// Appends offsets and targets. One time in five they are malformed.
void put_graph(Buffers& buffers, RandomStream& random, const Lists& lists) {
  Words offsets = {0};
  Words targets;
  for (const Words& list : lists) {
    std::ranges::copy(list, std::back_inserter(targets));
    offsets.push_back(uint32_t(targets.size()));
  }
  if (lists.empty() && random.chance(2)) offsets.clear();
  if (!offsets.empty() && random.chance(5)) {
    const uint32_t v = random.below(uint32_t(offsets.size()));
    const uint32_t other = random.below(uint32_t(offsets.size()));
    switch (random.below(7)) {
      case 0: offsets[v] = random.next(); break;
      case 1: std::swap(offsets[v], offsets[other]); break;
      case 2: offsets.back() += random.below(3); break;
      case 3: offsets.resize(v); break;
      case 4: ++offsets.front(); break;
      case 5: offsets.clear(); break;
      default:
        if (!targets.empty())
          targets[random.below(uint32_t(targets.size()))] =
              random.chance(2) ? uint32_t(lists.size()) : random.next();
        break;
    }
  }
  buffers.push_back(buffer_of(offsets));
  buffers.push_back(buffer_of(targets));
}

Lists any_lists(RandomStream& random, uint32_t size) {
  constexpr MakeGraph kKinds[] = {any_edges<1>, any_edges<2>, any_edges<5>, forward, forward,
                                  chain,        star,         star,         dense,   none};
  Lists lists(std::min(size, 2'000U));
  if (lists.empty()) return lists;
  kKinds[random.below(uint32_t(std::size(kKinds)))](random, lists);
  if (random.chance(3)) both_ways(lists);
  return lists;
}

Words any_sources(RandomStream& random, size_t n) {
  Words out(random.chance(2) ? 1 : random.below(6));
  for (uint32_t& source : out) source = random.below(uint32_t(n) + (random.chance(40) ? 1 : 0));
  return out;
}

// What stands behind the graph: words, sources, an output of so many bytes a vertex, the status.
enum class With : uint8_t { Output, Sources, WeightsAndSources, Parameters };

template <With kWith>
Buffers vertices(RandomStream& random, uint32_t size) {
  Buffers out;
  const Lists lists = any_lists(random, size);
  put_graph(out, random, lists);
  if (kWith == With::WeightsAndSources) {
    Words weights = any_words(random, about(random, count<uint32_t>(out[1])));
    if (random.chance(2))
      for (uint32_t& weight : weights) weight %= 100;
    out.push_back(buffer_of(weights));
  }
  if (kWith == With::Sources || kWith == With::WeightsAndSources)
    out.push_back(buffer_of(any_sources(random, lists.size())));
  out.push_back(room(random, lists.size()));
  out.push_back(one_or_so(random));
  if (kWith == With::Parameters) {
    constexpr float kDamping[] = {0.85F, 0.5F, 0, 1};
    out.push_back(buffer_of(Words{random.below(5), std::bit_cast<uint32_t>(kDamping[random.below(4)])}));
  }
  return out;
}
Buffers with_status(RandomStream& random, uint32_t size) {
  Buffers out;
  put_graph(out, random, any_lists(random, size));
  out.push_back(one_or_so(random));
  return out;
}
Buffers with_count(RandomStream& random, uint32_t size) {
  Buffers out = with_status(random, size);
  out.insert(out.begin() + 2, one_or_so(random, 8));
  return out;
}
Buffers with_edges(RandomStream& random, uint32_t size) {
  Buffers out;
  put_graph(out, random, any_lists(random, size));
  const size_t n = count<uint32_t>(out[0]);
  const size_t m = count<uint32_t>(out[1]);
  out.push_back(room(random, n));
  out.push_back(room(random, m));
  out.push_back(one_or_so(random));
  return out;
}
/// Offsets that do not decrease, and some edges before and behind them.
Buffers sorted_offsets(RandomStream& random, uint32_t size) {
  Words offsets(std::min(size, 1'000U));
  for (uint32_t& offset : offsets) offset = random.below(size + 5);
  std::ranges::sort(offsets);
  return {buffer_of(offsets), noise(random, size_t{4} * (std::min(size, 2'000U) + random.below(9)))};
}

void ascending_offsets(Buffers& buffers, const Buffers&) {
  Words offsets = elements<uint32_t>(buffers[0]);
  std::ranges::sort(offsets);
  leave(buffers[0], offsets);
}

constexpr OperationSpec kOperations[] = {
    {"graph.validate", with_status, validate, with_less},
    {"graph.edge_sources", sorted_offsets, edge_sources, with_less, ascending_offsets},
    {"graph.bfs", vertices<With::Sources>, of_graph<uint32_t, bfs, 3, 2>, with_less},
    {"graph.reachable", vertices<With::Sources>, of_graph<uint32_t, reachable, 3, 2>, with_less},
    {"graph.connected_components", vertices<With::Output>, of_graph<uint32_t, connected_components, 2>,
     with_less},
    {"graph.sssp", vertices<With::WeightsAndSources>, of_graph<uint32_t, sssp, 4, 3>, with_less},
    {"graph.pagerank", vertices<With::Parameters>, of_graph<float, pagerank, 2>, with_less, few_iterations},
    {"graph.triangles", with_count, of_graph<uint64_t, triangles, 2>, with_less},
    {"graph.topological_levels", vertices<With::Output>, topological, with_less},
    {"graph.k_core", vertices<With::Output>, of_graph<uint32_t, k_core, 2>, with_less},
    {"graph.transpose_graph", with_edges, transpose_graph, with_less},
};

}  // namespace
}  // namespace graph

void put_any_graph(Buffers& buffers, RandomStream& random, uint32_t size) {
  graph::put_graph(buffers, random, graph::any_lists(random, size));
}

std::span<const OperationSpec> graph_operations() { return graph::kOperations; }

}  // namespace vyre::opspec
