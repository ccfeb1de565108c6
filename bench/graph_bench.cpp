// Graphs over f32[n, m] side by side, and beside them what a copy of the array takes.
//
//   bench_graph [GRAPH...] [--backend NAME] [--rows N] [--columns M] [--threads N] [--rivals LIB]
//               [--check] [--processor-time] [--quick]
//
// Every graph of bench/graphs.vyre is a line of the table: ours in ms, the GB/s of its parameters and outputs
// (what must be moved, scratch is not counted), and these as a share of the copy's. The copy is the device's
// own: memcpy by as many threads as the backend has, or cudaMemcpy of --rivals, which is the shared object of
// bench_kernels. Where a rival has the graph's name it runs as well, its bytes are compared with ours, and
// the ratio is our time over its.
//
// First each graph is run at small sizes and compared with the reference. Then all candidates of a line run
// in turn, several times in one submission on a device, and a ratio is the median of those of the rounds.
#include <dlfcn.h>
#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "base/read_file.h"
#include "check/module.h"
#include "device_bench.h"
#include "kernels/parallel.h"
#include "kernels/rivals.h"
#include "plan/graph.h"
#include "plan/lowered.h"
#include "ref/graph.h"
#include "text/text.h"

namespace vyre::bench {
namespace {
unsigned thread_count = 2;
}  // namespace

unsigned threads() { return thread_count; }

void parallel(size_t count, size_t grain, const std::function<void(size_t, size_t)>& body) {
  if (thread_count == 1 || count <= grain) return body(0, count);
  static tbb::task_arena arena{int(thread_count)};
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<size_t>(0, (count + grain - 1) / grain),
                      [&](const tbb::blocked_range<size_t>& part) {
                        body(part.begin() * grain, std::min(count, part.end() * grain));
                      });
  });
}

namespace {

using Shapes = std::vector<std::vector<uint32_t>>;

struct Options {
  std::string backend = "native";
  uint32_t rows = 4096, columns = 4096;
  bool check = false, processors = false, quick = false;
  tensor::Options lowering;
};

[[noreturn]] void fail(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

std::shared_ptr<const check::CheckedModule> checked_module(ir::Module module) {
  auto out = check::check(std::move(module), ops::op_table());
  if (!out) stop(out.error().front());
  return *out;
}

std::shared_ptr<const check::CheckedModule> all_graphs() {
  const char* const source = std::getenv("VYRE_SOURCE_DIR");  // as `./dev gpu` sets it
  const std::filesystem::path path =
      std::filesystem::path(source != nullptr ? source : VYRE_SOURCE_DIR) / "bench/graphs.vyre";
  const auto bytes = read_file_bytes(path, uint64_t{1} << 20);
  if (!bytes) fail("cannot read " + path.string());
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return checked_module(must(text::parse_module(text, &ops::op_table())));
}

/// The sizes of a graph's dimensions, which are n and m.
check::SizedGraph at_sizes(const check::TensorGraph& graph, uint32_t n, uint32_t m,
                           check::Dimensions& dimensions) {
  dimensions = {{"n", n}, {"m", m}};
  return must(check::sized(graph, dimensions));
}

/// Of the parameters and then the outputs. Parameters: floats from 0 to 1.
std::vector<Bytes> contents(const check::SizedGraph& graph) {
  std::vector<Bytes> out;
  const auto bytes = [&](uint32_t node) { return size_t(check::elements(graph.nodes[node].shape)) * 4; };
  for (const auto& parameter : graph.parameters) {
    Bytes& made = out.emplace_back(bytes(parameter.node));
    parallel(made.size() / 16 + 1, 4096, [&](size_t first, size_t last) {
      for (size_t i = first; i < last; ++i) {
        std::array<float, 4> floats;
        const auto words = philox(out.size(), i);
        for (size_t k = 0; k < 4; ++k) floats[k] = float(words[k] >> 8) * 0x1p-24f;
        std::memcpy(made.data() + i * 16, floats.data(), std::min<size_t>(16, made.size() - i * 16));
      }
    });
  }
  for (const auto& output : graph.outputs) out.emplace_back(bytes(output.node));
  return out;
}

/// One line's work: ours, a rival, or the copy.
class Candidate {
 public:
  virtual ~Candidate() = default;
  /// So many runs, one after the other, and waits for all.
  virtual void run(uint32_t times) = 0;
  virtual Bytes output() = 0;
};

class Ours final : public Candidate {
 public:
  Ours(backend::Backend& backend, std::shared_ptr<const check::CheckedModule> module,
       const std::vector<Bytes>& all)
      : backend_(backend), module_(std::move(module)) {
    for (const Bytes& bytes : all) {
      buffers_.push_back(must(backend.allocate(std::max<size_t>(bytes.size(), 4))));
      must(buffers_.back()->write(0, bytes));
      ranges_.push_back({buffers_.back().get(), 0, bytes.size()});
    }
    once_.emplace(must(plan::Executable::make(backend, module_, 0, plan::Scratch::Anything)));
  }

  void run(uint32_t times) override {
    const bool host = !buffers_.front()->host().empty();
    if (host || times == 1) {
      for (uint32_t i = 0; i < times; ++i) must(once_->run(ranges_));
      return;
    }
    if (in_a_row_ != times) {
      in_a_row_ = times;
      many_.emplace(
          must(plan::Executable::make(backend_, repeated(times), pipeline_, plan::Scratch::Anything)));
    }
    must(many_->run(ranges_));
  }
  Bytes output() override {
    Bytes out(ranges_.back().bytes);
    must(buffers_.back()->read(0, out));
    return out;
  }
  size_t dispatches() {
    plan::RunNotes notes;
    must(once_->run(ranges_, &notes));
    return notes.dispatches;
  }

 private:
  /// The module with a pipeline that runs its own so many times, so that a device is waited for once.
  std::shared_ptr<const check::CheckedModule> repeated(uint32_t times) {
    const ir::Module& module = module_->module();
    const std::string text = text::print(module), &name = module.pipelines[0].name;
    const size_t begin = text.find("pipeline " + name + "(") + 10 + name.size();
    std::string arguments;
    for (const ir::BufferDecl& buffer : module.pipelines[0].buffers)
      arguments +=
          fmt::format("{}{}", arguments.empty() ? "" : ", ", module.pipelines[0].code.name(buffer.name));
    const std::string source =
        fmt::format("{}\npipeline in_a_row({}) {{ for turn in 0..{} {{ run {}({}); }} }}", text,
                    text.substr(begin, text.find(')', begin) - begin), times, name, arguments);
    auto out = checked_module(must(text::parse_module(source, &ops::op_table())));
    for (uint32_t i = 0; i < out->pipelines().size(); ++i)
      if (out->pipelines()[i].pipeline->name == "in_a_row") pipeline_ = i;
    return out;
  }

  backend::Backend& backend_;
  std::shared_ptr<const check::CheckedModule> module_;
  std::vector<std::unique_ptr<backend::DeviceBuffer>> buffers_;
  std::vector<backend::DeviceRange> ranges_;
  std::optional<plan::Executable> once_, many_;
  uint32_t in_a_row_ = 0, pipeline_ = 0;
};

class RivalRun final : public Candidate {
 public:
  RivalRun(const Memory& memory, const Rival& rival, const std::vector<Bytes>& all)
      : memory_(memory), rival_(rival) {
    for (const Bytes& bytes : all) {
      data_.push_back(memory.allocate(std::max<size_t>(bytes.size(), 4)));
      if (data_.back() == nullptr) fail("the rival has no memory");
      sizes_.push_back(bytes.size());
      memory.write(data_.back(), bytes.data(), bytes.size());
    }
  }
  ~RivalRun() override {
    for (void* at : data_) memory_.release(at);
  }
  void run(uint32_t times) override {
    for (uint32_t i = 0; i < times; ++i) rival_.run({data_.data(), sizes_.data()});
    memory_.wait();
    if (const char* error = memory_.error()) fail(fmt::format("the rival failed: {}", error));
  }
  Bytes output() override {
    Bytes out(sizes_.back());
    memory_.read(out.data(), data_.back(), out.size());
    return out;
  }

 private:
  const Memory& memory_;
  const Rival& rival_;
  std::vector<void*> data_;
  std::vector<size_t> sizes_;
};

const Rival* rival_of(const RivalSet* set, std::string_view name) {
  for (const Rival* r = set == nullptr ? nullptr : set->first; r != nullptr; r = r->next)
    if (r->kernel == name) return r;
  return nullptr;
}

/// Small sizes, of which some are no whole tiles.
bool equals_reference(backend::Backend& backend, const std::shared_ptr<const check::CheckedModule>& module,
                      uint32_t number, const tensor::Options& lowering) {
  for (const auto& [n, m] : {std::pair(67u, 300u), std::pair(640u, 33u)}) {
    check::Dimensions dimensions;
    const check::SizedGraph graph = at_sizes(module->graphs()[number], n, m, dimensions);
    std::vector<Bytes> all = contents(graph);
    const std::vector<std::span<const std::byte>> inputs(all.begin(), all.end() - 1);
    const auto expected = must(ref::run_graph(*module, graph, inputs));
    const auto lowered = must(plan::lowered(*module, number, dimensions, graph, ops::op_table(), lowering));
    auto executable = must(plan::Executable::make(backend, lowered, 0, plan::Scratch::Anything));
    const std::vector<std::span<std::byte>> host(all.begin(), all.end());
    must(executable.run_host(host));
    if (all.back() != expected.front()) return false;
  }
  return true;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// By candidate, the best of each round. Unit  seconds.
std::vector<std::vector<double>> rounds_of(std::span<const std::unique_ptr<Candidate>> all,
                                           const Options& options) {
  const bool device = options.backend != "native";
  all[0]->run(1);
  const double once = seconds([&] { all[0]->run(1); });
  const auto times = device ? uint32_t(std::clamp(4e-3 / once, 1.0, 50.0)) : 1;
  std::vector<std::vector<double>> out(all.size());
  for (int round = 0; round < (options.quick ? 1 : 5); ++round) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (round == 0) all[i]->run(times);  // prepares it
      double best = 1e9, spent = 0;
      for (int turn = 0; turn < 3 || (spent < 0.06 && turn < 50); ++turn) {
        const double time = time_of(options.processors, [&] { all[i]->run(times); });
        best = std::min(best, time / times), spent += time;
      }
      out[i].push_back(best);
    }
  }
  return out;
}

int run(const std::vector<std::string>& names, Options options, const RivalSet* rivals) {
  const auto backend = must(backend::open(options.backend, {.reference = {}, .threads = thread_count}));
  options.lowering.device = backend->identity().kind;
  const auto module = all_graphs();
  fmt::print("{}, {}; f32[{}, {}]\n{:<17} {:>5} {:>10} {:>9} {:>8} {:>10} {:>8}  {}\n",
             backend->identity().device, backend->identity().driver, options.rows, options.columns, "graph",
             "kernels", "ms", "GB/s", "of copy", "rival ms", "ratio", "compile s");
  bool good = true;
  double copy_rate = 0;
  for (uint32_t number = 0; number < module->graphs().size(); ++number) {
    const check::TensorGraph& graph = module->graphs()[number];
    if (!names.empty() && std::ranges::find(names, graph.name) == names.end()) continue;
    if (!equals_reference(*backend, module, number, options.lowering)) {
      fmt::print("{:<17} OTHER BYTES than the reference\n", graph.name);
      good = false;
      continue;
    }
    if (options.check && rival_of(rivals, graph.name) == nullptr) {
      fmt::print("{:<17} the same bytes\n", graph.name);
      continue;
    }
    check::Dimensions dimensions;
    const check::SizedGraph sized = at_sizes(graph, options.rows, options.columns, dimensions);
    const std::vector<Bytes> all = contents(sized);
    double moved = 0;
    for (const Bytes& bytes : all) moved += double(bytes.size());
    const auto lowered =
        must(plan::lowered(*module, number, dimensions, sized, ops::op_table(), options.lowering));
    std::vector<std::unique_ptr<Candidate>> candidates;
    std::unique_ptr<Ours> ours;
    const double compile = seconds([&] { ours = std::make_unique<Ours>(*backend, lowered, all); });
    const size_t dispatches = ours->dispatches();
    candidates.push_back(std::move(ours));
    const Rival* const copy = rival_of(rivals, "graph_copy");
    if (copy != nullptr && copy_rate == 0 && !options.check) {  // an array, in and out
      check::Dimensions of_copy;
      const std::vector<Bytes> both =
          contents(at_sizes(module->graphs()[0], options.rows, options.columns, of_copy));
      const std::unique_ptr<Candidate> run[] = {std::make_unique<RivalRun>(rivals->memory, *copy, both)};
      const double time = median(rounds_of(run, options).front());
      copy_rate = 2 * double(both.front().size()) / time;
      fmt::print("{:<17} {:>5} {:>10.4f} {:>9.1f} {:>8.2f}\n", copy->library, "", time * 1e3,
                 copy_rate / kGigabyte, 1.0);
    }
    bool equal = true;
    if (const Rival* const rival = rival_of(rivals, graph.name)) {
      candidates.push_back(std::make_unique<RivalRun>(rivals->memory, *rival, all));
      for (const auto& one : candidates) one->run(1);
      equal = candidates[0]->output() == candidates[1]->output();
      good = good && equal;
    }
    if (options.check) {
      fmt::print("{:<17} {}\n", graph.name, equal ? "the same bytes" : "OTHER BYTES than the rival");
      continue;
    }
    const auto rounds = rounds_of(candidates, options);
    const double time = median(rounds[0]), rate = moved / time;
    std::string theirs = "-", ratio = "-";
    if (candidates.size() > 1) {
      std::vector<double> ratios;
      for (size_t i = 0; i < rounds[0].size(); ++i) ratios.push_back(rounds[0][i] / rounds[1][i]);
      theirs = fmt::format("{:.4f}", median(rounds[1]) * 1e3), ratio = fmt::format("{:.2f}", median(ratios));
    }
    fmt::print("{:<17} {:>5} {:>10.4f} {:>9.1f} {:>8} {:>10} {:>8}  {:>9.2f}{}\n", graph.name, dispatches,
               time * 1e3, rate / kGigabyte, copy_rate == 0 ? "-" : fmt::format("{:.2f}", rate / copy_rate),
               theirs, ratio, compile, equal ? "" : "  OTHER BYTES than the rival");
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}

const RivalSet* load_rivals(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) fail(dlerror());
  const auto rivals = reinterpret_cast<const RivalSet* (*)()>(dlsym(library, "vyre_rivals"));
  if (rivals == nullptr) fail(path + " has no vyre_rivals");
  return rivals();
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  using namespace vyre::bench;
  CLI::App app("graphs over one large array, beside a copy of it");
  std::vector<std::string> names;
  Options options;
  std::string rivals;
  app.add_option("names", names, "graphs; all of bench/graphs.vyre without any");
  app.add_option("--backend", options.backend, "whose code is measured");
  app.add_option("--rows", options.rows)->check(CLI::PositiveNumber);
  app.add_option("--columns", options.columns)->check(CLI::PositiveNumber);
  app.add_option("--threads", thread_count, "of ours and of rivals in C++")->check(CLI::PositiveNumber);
  app.add_option("--rivals", rivals, "a shared object of rivals; without one those in C++, for native");
  app.add_flag("--check", options.check, "compare results, and time nothing");
  app.add_flag("--processor-time", options.processors, "of all threads, instead of the wall's");
  app.add_flag("--quick", options.quick, "one round");
  CLI11_PARSE(app, argc, argv);
  const RivalSet in_cpp = {
      first_rival(),
      {.allocate = [](size_t bytes) { return std::aligned_alloc(256, (bytes + 256) / 256 * 256); },
       .release = [](void* at) { std::free(at); },
       .write = [](void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); },
       .read = [](void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); },
       .wait = [] {},
       .error = []() -> const char* { return nullptr; }}};
  const RivalSet* set = !rivals.empty()               ? load_rivals(rivals)
                        : options.backend == "native" ? &in_cpp
                                                      : nullptr;
  return run(names, options, set);
}
