#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "host/graphs.h"
#include "ops/operation.h"
#include "plan/graph.h"
#include "plan/lowered.h"
#include "plan/tuned.h"
#include "spec/packed.h"
#include "text/text.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

struct BenchOptions {
  std::string path, backend = "native";
  std::optional<std::string> entry;
  std::vector<std::string> constants, dimensions;
  bool tune = false;
  uint32_t runs = 20;
};

/// Numbers from 0 to 1, or words.
Result<std::unique_ptr<backend::DeviceBuffer>> filled(backend::Backend& backend, const check::SizedNode& node,
                                                      uint64_t bytes_there, uint64_t seed) {
  const uint64_t count = check::elements(node.shape);
  Bytes bytes(bytes_there);
  for (size_t i = 0; i < count; ++i) {
    const float number = float(philox(seed, i)[0] >> 8) * 0x1p-24f;
    uint32_t word = philox(seed, i)[1];
    if (node.type == spec::DataType::F32) word = std::bit_cast<uint32_t>(number);
    if (node.type == spec::DataType::BF16) word = std::bit_cast<uint32_t>(number) >> 16;
    if (node.type == spec::DataType::F16) word = 0x3800 | (word & 0x3ff);
    if (node.type == spec::DataType::Bool) word &= 1;
    spec::set_packed_element(bytes, node.type, i, {word, 0, 0, 0});
  }
  VYRE_TRY(buffer, backend.allocate(std::max<uint64_t>(bytes.size(), 4)));
  VYRE_CHECK(buffer->write(0, bytes));
  return std::move(buffer);
}

/// Measures the products of a graph and keeps what is better than what is chosen by itself.
Result<void> tune(backend::Backend& backend, const check::SizedGraph& graph, tensor::Device device) {
  VYRE_TRY(measured, plan::measure_products(backend, graph, ops::op_table(), device));
  tensor::Tuned tuned;
  for (const plan::Measured& one : measured) {
    fmt::print("{}: {} {:.4f} ms, best {} {:.4f} ms\n", one.work, one.chosen, one.chosen_seconds * 1e3,
               one.best, one.best_seconds * 1e3);
    tuned[one.work] = one.best;
  }
  if (measured.empty()) fmt::print("{} has no product of matrices, and nothing else is tuned\n", graph.name);
  plan::keep_tuned(backend.identity(), tuned, plan::tuned_folder());
  return {};
}

Result<void> bench(const BenchOptions& options, const host::ModuleFile& file, uint32_t number,
                   const check::Dimensions& dimensions) {
  VYRE_TRY(backend, backend::open(options.backend, {.reference = {}, .keeps_code = true}));
  VYRE_TRY(sized, check::sized(file.module->graphs()[number], dimensions));
  tensor::Options lowering{.plan = {}, .device = backend->identity().kind};
  if (options.tune) VYRE_CHECK(tune(*backend, sized, lowering.device));
  lowering.tuned = plan::read_tuned(backend->identity(), plan::tuned_folder());
  VYRE_TRY(lowered, plan::lowered(*file.module, number, dimensions, sized, ops::op_table(), lowering,
                                  plan::lowered_folder()));
  const auto begin = std::chrono::steady_clock::now();
  VYRE_TRY(executable, plan::Executable::make(*backend, lowered, 0, plan::Scratch::Anything));
  const std::chrono::duration<double> compiled = std::chrono::steady_clock::now() - begin;
  std::vector<std::unique_ptr<backend::DeviceBuffer>> buffers;
  std::vector<backend::DeviceRange> ranges;
  uint64_t moved = 0;
  const auto add = [&](uint32_t node) -> Result<void> {
    const uint64_t bytes = plan::device_bytes(sized, buffers.size());
    VYRE_TRY(buffer, filled(*backend, sized.nodes[node], bytes, buffers.size() + 1));
    ranges.push_back({buffer.get(), 0, bytes});
    moved += ranges.back().bytes;
    buffers.push_back(std::move(buffer));
    return {};
  };
  for (const auto& parameter : sized.parameters) VYRE_CHECK(add(parameter.node));
  for (const auto& output : sized.outputs) VYRE_CHECK(add(output.node));
  std::vector<double> times;
  plan::RunNotes notes;
  for (uint32_t run = 0; run <= options.runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    VYRE_CHECK(executable.run(ranges, &notes));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (run != 0) times.push_back(took.count());  // the first one prepares the others
  }
  std::ranges::sort(times);
  const double median = times[times.size() / 2];
  const backend::Identity identity = backend->identity();
  fmt::print("{}: {}; {}\n", identity.name, identity.device, identity.driver);
  fmt::print(
      "{}: {} dispatch{}, ready in {:.1f} ms; {:.4f} ms, at best {:.4f} ms, of {} runs; {:.1f} GB/s of {} "
      "bytes\n",
      sized.name, notes.dispatches, notes.dispatches == 1 ? "" : "es", compiled.count() * 1e3, median * 1e3,
      times.front() * 1e3, times.size(), double(moved) / median / 1e9, moved);
  return {};
}

int run_bench(const BenchOptions& options) {
  const auto file = load_module(options.path, options.constants);
  if (!file) return file.error();
  const auto entry = host::find_entry(*file->module, options.entry);
  if (!entry) return usage_error(fmt::format("{}: {}", options.path, entry.error().message));
  if (entry->kind != host::ItemKind::Graph)
    return usage_error(fmt::format("{}: {} is a {}, and graphs are measured: --entry names one", options.path,
                                   host::name_of(*file->module, *entry), host::text(entry->kind)));
  const check::TensorGraph& graph = file->module->graphs()[entry->number];
  const auto dimensions = read_dimensions(options.dimensions, graph);
  if (!dimensions) return dimensions.error();
  if (const auto name = host::first_without_size(graph, *dimensions))
    return usage_error(
        fmt::format("--dim {}=5 is missing: the size of a dimension of {}", *name, graph.name));
  if (const auto done = bench(options, *file, entry->number, *dimensions); !done) {
    const Diag& diag = done.error();
    return report(host::ProgramError{render(diag, file->source.get(), file->path), exit_code(diag.code)});
  }
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, int& exit) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb =
      app.add_subcommand("bench", "Measure a graph on a backend, and what is best for its device");
  verb->add_option("FILE", options->path, "a module with a graph, text or wire")->required();
  verb->add_option("--entry", options->entry, "the graph, where the file has several items")
      ->type_name("NAME");
  add_constants(*verb, options->constants, "choose the value of a constant of the file");
  add_repeated(*verb, "--dim", options->dimensions, "NAME=SIZE", "the size of a dimension");
  verb->add_option("--backend", options->backend, "a name of `vyre backends`, or the path of a plugin")
      ->type_name("B")
      ->capture_default_str();
  verb->add_flag(
      "--tune", options->tune,
      "first measure the kernels that the products of the graph could have, and keep the best of each "
      "for later runs on this device; results are the same");
  verb->add_option("--runs", options->runs, "how often it is run")
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->capture_default_str();
  verb->footer(
      "Example: vyre bench mlp.vyre --dim b=64 --backend cuda --tune\n"
      "Inputs are numbers from 0 to 1 and stay on the device; times are medians.");
  verb->callback([options, &exit] { exit = run_bench(*options); });
}

}  // namespace vyre::tool
