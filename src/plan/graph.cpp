#include "plan/graph.h"

#include <algorithm>
#include <chrono>

namespace vyre::plan {

GraphExecutable::GraphExecutable(backend::Backend& backend,
                                 std::shared_ptr<const check::CheckedModule> module, uint32_t number,
                                 const spec::OpTable& ops, const tensor::Options& options)
    : backend_(&backend), module_(std::move(module)), number_(number), ops_(&ops), options_(options) {}

std::vector<uint64_t> GraphExecutable::Sized::bytes() const {
  std::vector<uint64_t> out;
  const auto add = [&](uint32_t node) {
    const check::SizedNode& n = graph.nodes[node];
    out.push_back(uint64_t{check::elements(n.shape)} * spec::info(n.type).bytes);
  };
  for (const auto& parameter : graph.parameters) add(parameter.node);
  for (const auto& output : graph.outputs) add(output.node);
  return out;
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
  auto checked = check::check(tensor::lower(graph, module_->module().operations, options_), *ops_);
  if (!checked) return std::unexpected(checked.error().front());
  VYRE_TRY(executable, Executable::make(*backend_, *checked, 0, Scratch::Anything));
  if (kept_.size() >= kMostSizes)
    kept_.erase(std::ranges::min_element(kept_, {}, [](const auto& one) { return one.second.last; }));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  Sized sized{std::move(graph), *checked, std::move(executable), took.count()};
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
  return sized->executable.run_host(host, notes);
}

}  // namespace vyre::plan
