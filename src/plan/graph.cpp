#include "plan/graph.h"

#include <algorithm>
#include <chrono>

#include "base/bytes.h"
#include "plan/lowered.h"

namespace vyre::plan {

GraphExecutable::GraphExecutable(backend::Backend& backend,
                                 std::shared_ptr<const check::CheckedModule> module, uint32_t number,
                                 const spec::OpTable& ops, const tensor::Options& options,
                                 std::filesystem::path cache)
    : backend_(&backend),
      module_(std::move(module)),
      number_(number),
      ops_(&ops),
      options_(options),
      cache_(std::move(cache)) {}

std::vector<uint64_t> GraphExecutable::Sized::bytes() const {
  std::vector<uint64_t> out;
  const auto add = [&](uint32_t node) { out.push_back(check::memory_bytes(graph.nodes[node])); };
  for (const auto& parameter : graph.parameters) add(parameter.node);
  for (const auto& output : graph.outputs) add(output.node);
  return out;
}

namespace {

const check::SizedNode& node_of(const check::SizedGraph& graph, size_t i) {
  const size_t parameters = graph.parameters.size();
  return graph.nodes[i < parameters ? graph.parameters[i].node : graph.outputs[i - parameters].node];
}

}  // namespace

uint64_t device_bytes(const check::SizedGraph& graph, size_t i) {
  const check::SizedNode& node = node_of(graph, i);
  const uint64_t bytes = check::memory_bytes(node);
  return spec::is_small(node.type) ? (bytes + 3) / 4 * 4 : bytes;
}

Result<void> run_host(Executable& executable, const check::SizedGraph& graph,
                      std::span<const std::span<std::byte>> host, RunNotes* notes) {
  std::vector<std::span<std::byte>> whole(host.begin(), host.end());
  std::vector<Bytes> padded(host.size());
  for (size_t i = 0; i < std::min(host.size(), graph.parameters.size() + graph.outputs.size()); ++i) {
    if (host[i].size() != check::memory_bytes(node_of(graph, i))) continue;  // which is refused
    const uint64_t bytes = device_bytes(graph, i);
    if (bytes == host[i].size()) continue;
    padded[i].resize(bytes);
    std::ranges::copy(host[i], padded[i].begin());
    whole[i] = padded[i];
  }
  VYRE_CHECK(executable.run_host(whole, notes));
  for (size_t i = graph.parameters.size(); i < host.size(); ++i) {
    if (!padded[i].empty()) std::ranges::copy(std::span(padded[i]).first(host[i].size()), host[i].begin());
  }
  return {};
}

Result<GraphExecutable::Sized*> GraphExecutable::at(std::span<const std::vector<uint32_t>> shapes) {
  VYRE_TRY(dimensions, check::dimensions_of(graph(), shapes));
  ++asked_;
  if (const auto known = kept_.find(dimensions); known != kept_.end()) {
    known->second.last = asked_;
    return &known->second.sized;
  }
  const auto begin = std::chrono::steady_clock::now();
  VYRE_TRY(graph, check::sized(this->graph(), dimensions));
  VYRE_TRY(checked, lowered(*module_, number_, dimensions, graph, *ops_, options_, cache_));
  VYRE_TRY(executable, Executable::make(*backend_, checked, 0, Scratch::Anything));
  if (kept_.size() >= kMostSizes)
    kept_.erase(std::ranges::min_element(kept_, {}, [](const auto& one) { return one.second.last; }));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  Sized sized{std::move(graph), std::move(checked), std::move(executable), took.count()};
  return &kept_.emplace(std::move(dimensions), Kept{std::move(sized), asked_}).first->second.sized;
}

Result<void> GraphExecutable::run(std::span<const std::vector<uint32_t>> shapes,
                                  std::span<const backend::DeviceRange> ranges, RunNotes* notes) {
  VYRE_TRY(sized, at(shapes));
  return sized->executable.run(ranges, notes);
}

Result<void> GraphExecutable::run_host(std::span<const std::vector<uint32_t>> shapes,
                                       std::span<const std::span<std::byte>> host, RunNotes* notes) {
  VYRE_TRY(sized, at(shapes));
  return plan::run_host(sized->executable, sized->graph, host, notes);
}

}  // namespace vyre::plan
