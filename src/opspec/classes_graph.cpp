// Kinds of cases of graph.
#include <algorithm>
#include <numeric>
#include <optional>

#include "opspec/arrays.h"
#include "opspec/classes.h"

namespace vyre::opspec {

// Of this file alone, also where several files are compiled as one.
namespace graph_cases {
namespace {

struct Edge {
  uint32_t from;
  uint32_t to;
  auto operator<=>(const Edge&) const = default;
};
/// The edges of a graph that is whole.
struct Graph {
  uint32_t vertices = 0;
  std::vector<Edge> edges;
};
bool is_ascending(const Buffers& b) { return std::ranges::is_sorted(elements<uint32_t>(b[0])); }
std::optional<Graph> graph_of(const Buffers& b) {
  const Words offsets = elements<uint32_t>(b[0]), targets = elements<uint32_t>(b[1]);
  if (offsets.empty() && targets.empty()) return Graph();
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != targets.size() || !is_ascending(b))
    return std::nullopt;
  Graph out{uint32_t(offsets.size() - 1), {}};
  for (uint32_t v = 0; v < out.vertices; ++v)
    for (uint32_t e = offsets[v]; e < offsets[v + 1]; ++e) out.edges.push_back({v, targets[e]});
  if (std::ranges::any_of(targets, [&](uint32_t v) { return v >= out.vertices; })) return std::nullopt;
  return out;
}

const std::optional<Graph>& last_graph(const Buffers& b) {
  thread_local OfLastCase<std::optional<Graph>> last;
  return last.get(b, [&] { return graph_of(b); });
}

template <typename Has>
bool in_graph(const Buffers& b, Has has) {
  const std::optional<Graph>& graph = last_graph(b);
  return graph && has(*graph);
}
template <typename Has>
bool any_edge(const Buffers& b, Has has) {
  return in_graph(b, [&](const Graph& graph) { return std::ranges::any_of(graph.edges, has); });
}
Words degrees(const Graph& graph, uint32_t Edge::* end) {
  Words out(graph.vertices);
  for (const Edge& edge : graph.edges) ++out[edge.*end];
  return out;
}

bool no_vertices(const Buffers& b) {
  return in_graph(b, [](const Graph& graph) { return graph.vertices == 0; });
}
bool no_edges(const Buffers& b) {
  return in_graph(b, [](const Graph& graph) { return graph.vertices > 0 && graph.edges.empty(); });
}
bool an_edge_to_itself(const Buffers& b) {
  return any_edge(b, [](const Edge& edge) { return edge.from == edge.to; });
}
bool an_edge_twice(const Buffers& b) {
  return in_graph(b, [](Graph graph) {
    std::ranges::sort(graph.edges);
    return std::ranges::adjacent_find(graph.edges) != graph.edges.end();
  });
}
bool a_vertex_without_edges(const Buffers& b) {
  return in_graph(b, [](const Graph& graph) {
    return !graph.edges.empty() && contains(degrees(graph, &Edge::from), 0U);
  });
}
bool a_vertex_of_many_edges(const Buffers& b) {
  return in_graph(b, [](const Graph& graph) {
    return std::ranges::any_of(degrees(graph, &Edge::from), [](uint32_t n) { return n >= 64; });
  });
}
bool all_both_ways(const Buffers& b) {
  return in_graph(b, [](Graph graph) {
    std::ranges::sort(graph.edges);
    return !graph.edges.empty() && std::ranges::all_of(graph.edges, [&](const Edge& edge) {
      return std::ranges::binary_search(graph.edges, Edge{edge.to, edge.from});
    });
  });
}

/// Whether vertices can be taken one after the other, each when no edge to it is left.
bool has_order(const Graph& graph) {
  Words left = degrees(graph, &Edge::to), ready;
  std::vector<Words> to(graph.vertices);
  for (const Edge& edge : graph.edges) to[edge.from].push_back(edge.to);
  for (uint32_t v = 0; v < graph.vertices; ++v)
    if (left[v] == 0) ready.push_back(v);
  for (size_t at = 0; at < ready.size(); ++at)
    for (const uint32_t target : to[ready[at]])
      if (--left[target] == 0) ready.push_back(target);
  return ready.size() == graph.vertices;
}
bool a_cycle(const Buffers& b) {
  return in_graph(b, [](Graph graph) {
    std::erase_if(graph.edges, [](const Edge& edge) { return edge.from == edge.to; });
    return !has_order(graph);
  });
}
bool no_cycle(const Buffers& b) {
  return in_graph(b, [](const Graph& graph) { return !graph.edges.empty() && has_order(graph); });
}

/// The vertices with a way from `reached`, if edges go in both directions or in one.
std::vector<bool> spread(const Graph& graph, const Words& sources, bool both) {
  std::vector<bool> out(graph.vertices);
  std::vector<Words> to(graph.vertices);
  for (const Edge& edge : graph.edges) {
    to[edge.from].push_back(edge.to);
    if (both) to[edge.to].push_back(edge.from);
  }
  Words open = sources;
  while (!open.empty()) {
    const uint32_t v = open.back();
    open.pop_back();
    if (v >= graph.vertices || out[v]) continue;
    out[v] = true;
    open.insert(open.end(), to[v].begin(), to[v].end());
  }
  return out;
}
bool in_parts(const Buffers& b) {
  return in_graph(b, [](const Graph& graph) {
    return graph.vertices > 0 && !graph.edges.empty() && contains(spread(graph, {0}, true), false);
  });
}
bool in_one_part(const Buffers& b) {
  return in_graph(
      b, [](const Graph& graph) { return graph.vertices > 1 && !contains(spread(graph, {0}, true), false); });
}

// What is malformed.

bool no_offsets(const Buffers& b) { return b[0].empty(); }
bool decreasing_offsets(const Buffers& b) { return !is_ascending(b); }
bool another_start(const Buffers& b) { return !b[0].empty() && get<uint32_t>(b[0], 0) != 0; }
bool another_end(const Buffers& b) {
  return !b[0].empty() && elements<uint32_t>(b[0]).back() != count<uint32_t>(b[1]);
}
bool a_target_outside(const Buffers& b) {
  return std::ranges::any_of(elements<uint32_t>(b[1]),
                             [&](uint32_t v) { return v + uint64_t{1} >= count<uint32_t>(b[0]); });
}

// Sources, lengths and parameters.

template <size_t kSources>
bool no_sources(const Buffers& b) {
  return b[kSources].empty();
}
template <size_t kSources>
bool several_sources(const Buffers& b) {
  return count<uint32_t>(b[kSources]) > 1;
}
template <size_t kSources>
bool a_source_outside(const Buffers& b) {
  return in_graph(b, [&](const Graph& graph) {
    return std::ranges::any_of(elements<uint32_t>(b[kSources]),
                               [&](uint32_t v) { return v >= graph.vertices; });
  });
}
template <size_t kSources>
bool a_vertex_out_of_reach(const Buffers& b) {
  return in_graph(b, [&](const Graph& graph) {
    const auto reached = spread(graph, elements<uint32_t>(b[kSources]), false);
    return contains(reached, false) && contains(reached, true);
  });
}
bool fewer_lengths_than_edges(const Buffers& b) { return b[2].size() < b[1].size(); }
bool a_length_of_none(const Buffers& b) { return contains(elements<uint32_t>(b[2]), 0U); }
bool a_great_length(const Buffers& b) {
  return std::ranges::any_of(elements<uint32_t>(b[2]), [](uint32_t length) { return length >> 31 != 0; });
}
bool no_iterations(const Buffers& b) { return count<uint32_t>(b[4]) == 0 || get<uint32_t>(b[4], 0) == 0; }
bool some_iterations(const Buffers& b) { return count<uint32_t>(b[4]) > 0 && get<uint32_t>(b[4], 0) > 1; }

template <size_t kOutput>
bool no_room(const Buffers& b) {
  return in_graph(b, [&](const Graph& graph) { return count<uint32_t>(b[kOutput]) < graph.vertices; });
}
template <size_t kStatus>
bool no_status(const Buffers& b) {
  return b[kStatus].empty();
}

// graph.edge_sources, whose buffer 1 are the edges.

bool a_vertex_of_none(const Buffers& b) {
  const Words offsets = elements<uint32_t>(b[0]);
  return std::ranges::adjacent_find(offsets) != offsets.end();
}
bool an_edge_before(const Buffers& b) { return another_start(b) && !b[1].empty(); }
bool an_edge_behind(const Buffers& b) {
  return !b[0].empty() && elements<uint32_t>(b[0]).back() < count<uint32_t>(b[1]);
}

#define GRAPHS "graph.* engine.bfs !graph.edge_sources"
#define WAYS "graph.bfs graph.reachable engine.bfs"
#define OF_VERTICES "graph.connected_components graph.k_core graph.topological_levels graph.pagerank"
constexpr CaseClass kClasses[] = {
    {GRAPHS, "no vertices", no_vertices},
    {GRAPHS, "vertices and no edges", no_edges},
    {GRAPHS, "an edge to itself", an_edge_to_itself},
    {GRAPHS, "an edge twice", an_edge_twice},
    {GRAPHS, "a vertex that no edge leaves", a_vertex_without_edges},
    {GRAPHS, "a vertex of 64 edges or more", a_vertex_of_many_edges},
    {GRAPHS, "all edges both ways", all_both_ways},
    {GRAPHS, "a cycle", a_cycle},
    {GRAPHS, "edges and no cycle", no_cycle},
    {GRAPHS, "in several parts", in_parts},
    {GRAPHS, "in one part", in_one_part},
    {GRAPHS, "no offsets", no_offsets},
    {GRAPHS, "offsets that decrease", decreasing_offsets},
    {GRAPHS, "offsets that do not begin with 0", another_start},
    {GRAPHS, "offsets that do not end with the edges", another_end},
    {GRAPHS, "a target outside", a_target_outside},
    {WAYS, "no sources", no_sources<2>},
    {WAYS, "several sources", several_sources<2>},
    {WAYS, "a source outside", a_source_outside<2>},
    {WAYS, "a vertex out of reach", a_vertex_out_of_reach<2>},
    {WAYS, "an output that is too short", no_room<3>},
    {"graph.sssp", "no sources", no_sources<3>},
    {"graph.sssp", "several sources", several_sources<3>},
    {"graph.sssp", "a source outside", a_source_outside<3>},
    {"graph.sssp", "a vertex out of reach", a_vertex_out_of_reach<3>},
    {"graph.sssp", "an output that is too short", no_room<4>},
    {"graph.sssp", "fewer lengths than edges", fewer_lengths_than_edges},
    {"graph.sssp", "a length of 0", a_length_of_none},
    {"graph.sssp", "a length of half the range", a_great_length},
    {"graph.pagerank", "no iterations", no_iterations},
    {"graph.pagerank", "several iterations", some_iterations},
    {OF_VERTICES, "an output that is too short", no_room<2>},
    {OF_VERTICES " graph.triangles", "no status", no_status<3>},
    {"graph.edge_sources", "no offsets", no_offsets},
    {"graph.edge_sources", "a vertex that no edge leaves", a_vertex_of_none},
    {"graph.edge_sources", "edges before the first offset", an_edge_before},
    {"graph.edge_sources", "edges behind the last offset", an_edge_behind},
};
#undef GRAPHS
#undef WAYS
#undef OF_VERTICES

}  // namespace
}  // namespace graph_cases

std::span<const CaseClass> graph_classes() { return graph_cases::kClasses; }

}  // namespace vyre::opspec
