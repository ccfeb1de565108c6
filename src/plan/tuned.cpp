#include "plan/tuned.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>

#include "backend/cache_files.h"
#include "check/module.h"
#include "lower/codegen/generator.h"
#include "plan/pipeline.h"
#include "tensor/matmul.h"
#include "tensor/plan.h"
#include "tensor/small.h"

namespace vyre::plan {
namespace {

constexpr std::string_view kTunedFormat = "vyre-tuned/1";
constexpr std::string_view kTunedSuffix = ".tuned";
constexpr int kRuns = 7;
constexpr double kHopeless = 3;    // times the best: not run again
constexpr double kNoticed = 1.03;  // less is no reason to choose otherwise

Digest tuned_key(const backend::Identity& device) {
  return backend::cache_key(
      {kTunedFormat, lower::generator_stamp(), device.name, device.device, device.driver, device.version});
}

/// The products of a graph as they are planned, one of each class.
std::vector<check::SizedGraph> products_of(const check::SizedGraph& graph) {
  const tensor::Plan plan = tensor::plan(tensor::without_small_types(graph));
  std::vector<std::string> seen;
  std::vector<check::SizedGraph> out;
  for (const check::SizedNode& node : plan.nodes) {
    if (node.op != check::NodeOp::Matmul) continue;
    const check::SizedNode* const operands[] = {&plan.nodes[node.operands[0]], &plan.nodes[node.operands[1]]};
    std::string work = tensor::class_of(tensor::matmul_shape(node, *operands[0], *operands[1]));
    if (std::ranges::find(seen, work) != seen.end() || check::elements(node.shape) == 0) continue;
    seen.push_back(std::move(work));
    // The same product alone, of parameters that lie in memory as its operands do.
    check::SizedGraph& alone = out.emplace_back();
    alone.name = "product";
    check::SizedNode product = node;
    product.operands.clear();
    for (const check::SizedNode* const operand : operands) {
      check::SizedNode parameter;
      parameter.op = check::NodeOp::Parameter;
      parameter.type = operand->type;
      parameter.shape = operand->shape;
      parameter.number = uint32_t(alone.parameters.size());
      const bool turned = operand->op == check::NodeOp::Transpose;
      if (turned) {
        for (size_t axis = 0; axis < operand->axes.size(); ++axis)
          parameter.shape[operand->axes[axis]] = operand->shape[axis];
      }
      alone.parameters.push_back({parameter.number == 0 ? "a" : "b", uint32_t(alone.nodes.size())});
      alone.nodes.push_back(std::move(parameter));
      if (turned) {
        check::SizedNode view = *operand;
        view.operands = {uint32_t(alone.nodes.size()) - 1};
        alone.nodes.push_back(std::move(view));
      }
      product.operands.push_back(uint32_t(alone.nodes.size()) - 1);
    }
    alone.outputs.push_back({"c", uint32_t(alone.nodes.size())});
    alone.nodes.push_back(std::move(product));
  }
  return out;
}

/// The best of some runs over memory of the device. Infinite: it is refused, or hopeless.
double best_time(backend::Backend& backend, const check::SizedGraph& graph, const spec::OpTable& ops,
                 const tensor::Options& options, std::span<const backend::DeviceRange> ranges, double best) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto checked = check::check(tensor::lower(graph, {}, options), ops);
  if (!checked) return kNever;
  auto executable = Executable::make(backend, *checked, 0, Scratch::Anything);
  if (!executable) return kNever;
  double least = kNever;
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    if (!executable->run(ranges)) return kNever;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (run != 0) least = std::min(least, took.count());  // the first one prepares the others
    if (run == 1 && least > kHopeless * best) break;
  }
  return least;
}

}  // namespace

std::filesystem::path tuned_folder() { return backend::cache_folder("tuned"); }

tensor::Tuned read_tuned(const backend::Identity& device, const std::filesystem::path& folder) {
  tensor::Tuned out;
  const auto kept = backend::CacheFiles(folder, kTunedSuffix).find(tuned_key(device));
  if (!kept) return out;
  // A line a choice: the class, a colon, the name.
  std::string_view left(reinterpret_cast<const char*>(kept->data()), kept->size());
  while (!left.empty()) {
    const size_t end = std::min(left.find('\n'), left.size());
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (const size_t colon = line.find(':'); colon != line.npos)
      out.emplace(line.substr(0, colon), line.substr(colon + 1));
  }
  return out;
}

void keep_tuned(const backend::Identity& device, const tensor::Tuned& tuned,
                const std::filesystem::path& folder) {
  tensor::Tuned all = read_tuned(device, folder);
  for (const auto& [work, choice] : tuned) all[work] = choice;
  std::string text;
  for (const auto& [work, choice] : all) text += fmt::format("{}:{}\n", work, choice);
  backend::CacheFiles(folder, kTunedSuffix).keep(tuned_key(device), std::as_bytes(std::span(text)));
}

Result<std::vector<Measured>> measure_products(backend::Backend& backend, const check::SizedGraph& graph,
                                               const spec::OpTable& ops, tensor::Device device) {
  std::vector<Measured> out;
  for (const check::SizedGraph& product : products_of(graph)) {
    const check::SizedNode& node = product.nodes.back();
    const tensor::MatmulShape shape =
        tensor::matmul_shape(node, product.nodes[node.operands[0]], product.nodes[node.operands[1]]);
    std::vector<std::unique_ptr<backend::DeviceBuffer>> buffers;
    std::vector<backend::DeviceRange> ranges;
    const auto add = [&](const check::SizedNode& of) -> Result<void> {
      const uint64_t bytes = uint64_t{check::elements(of.shape)} * spec::info(of.type).bytes;
      VYRE_TRY(buffer, backend.allocate(std::max<uint64_t>(bytes, 4)));
      // Numbers of every type that are no subnormals.
      VYRE_CHECK(buffer->fill(0, buffer->bytes(), std::byte{0x3c}));
      ranges.push_back({buffer.get(), 0, bytes});
      buffers.push_back(std::move(buffer));
      return {};
    };
    for (const auto& parameter : product.parameters) VYRE_CHECK(add(product.nodes[parameter.node]));
    VYRE_CHECK(add(node));
    Measured measured{.work = tensor::class_of(shape)};
    for (const tensor::MatmulChoice& choice : tensor::matmul_candidates(shape, device)) {
      const std::string name = tensor::name_of(choice);
      const bool first = measured.chosen.empty();
      const tensor::Options options{.plan = {}, .device = device, .tuned = {{measured.work, name}}};
      const double seconds =
          best_time(backend, product, ops, options, ranges,
                    first ? std::numeric_limits<double>::infinity() : measured.best_seconds);
      if (first) {
        measured.chosen = measured.best = name;
        measured.chosen_seconds = measured.best_seconds = seconds;
      } else if (seconds * kNoticed < std::min(measured.best_seconds, measured.chosen_seconds) ||
                 (measured.best != measured.chosen && seconds < measured.best_seconds)) {
        measured.best = name, measured.best_seconds = seconds;
      }
    }
    out.push_back(std::move(measured));
  }
  return out;
}

}  // namespace vyre::plan
