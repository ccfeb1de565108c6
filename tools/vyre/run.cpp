#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "backend/cache_files.h"
#include "backend/registry/registry.h"
#include "base/names.h"
#include "base/printable.h"
#include "host/first_difference.h"
#include "host/graphs.h"
#include "host/npy.h"
#include "host/run.h"
#include "host/safetensors.h"
#include "host/values.h"
#include "ops/operation.h"
#include "plan/lowered.h"
#include "plan/tuned.h"
#include "spec/float_format.h"
#include "spec/limits.h"
#include "spec/ops.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

/// A file on the command line, with the options that stand before it or behind it up to the next one.
struct RunFile {
  std::string path;
  std::optional<std::string> entry;
  std::vector<std::string> constants, groups, conventions;
};

struct RunOptions {
  std::string path;
  std::vector<std::string> then, groups, entries, constants, conventions, dimensions, set, get;
  std::vector<RunFile> files;  // made of those by file_options()
  std::string backend = "native";
  std::optional<std::string> compare;
  bool hex = false;
  double timeout = 0;
  uint32_t subgroup_size = 0;
  std::string floats = "auto";
  std::optional<uint64_t> schedule;
  bool detect_races = false;
  bool verbose = false;

  backend::Options of_backends() const {
    return {.reference = {.subgroup_size = subgroup_size, .schedule = schedule, .detect_races = detect_races},
            .floats = *backend::parse_float_form(floats),
            .keeps_code = true};
  }
  /// Both are of the reference alone.
  bool watched() const { return schedule.has_value() || detect_races; }
};

std::expected<layout::Groups, host::UsageError> parse_groups(std::string_view text) {
  std::array<uint32_t, 3> axes = {1, 1, 1};
  const std::string_view whole = text;
  for (size_t axis = 0;; ++axis) {
    const std::string_view part = text.substr(0, text.find(','));
    if (axis == 3)
      return std::unexpected(host::UsageError{fmt::format("--groups {}: there are three axes", whole)});
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), axes[axis]);
    if (error != std::errc() || end != part.data() + part.size() || axes[axis] < 1 ||
        axes[axis] > spec::kMaxGroupsPerAxis) {
      return std::unexpected(host::UsageError{
          fmt::format("--groups {}: each axis takes 1 to {}", whole, spec::kMaxGroupsPerAxis)});
    }
    if (part.size() == text.size()) return layout::Groups{axes[0], axes[1], axes[2]};
    text.remove_prefix(part.size() + 1);
  }
}

/// "V1", or "V2:BINDING". Whether there is such a convention is for the backend to say.
std::expected<spec::Convention, host::UsageError> parse_convention(std::string_view text) {
  const size_t colon = text.find(':');
  const auto version =
      text.starts_with('V') ? text::parse_integer(text.substr(0, colon).substr(1)) : std::nullopt;
  const auto binding = colon == text.npos ? std::nullopt : text::parse_integer(text.substr(colon + 1));
  if (version && (binding || colon == text.npos)) return spec::Convention{*version, binding};
  return std::unexpected(host::UsageError{
      fmt::format("--convention {}: wants V1, or V2:BINDING with the binding of the lookup table", text)});
}

/// Ends the process when a run outlasts its limit: a kernel that is running cannot be asked to stop.
class Watchdog {
 public:
  explicit Watchdog(double seconds) {
    if (seconds <= 0) return;
    thread_ = std::thread([this, seconds] {
      std::unique_lock lock(mutex_);
      if (done_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return finished_; })) return;
      const Diag diag =
          make_diag(DiagCode::B005, Span::none(), fmt::format("the run took more than {} s", seconds),
                    "give it more with --timeout, or less work");
      fmt::print(stderr, "{}", render(diag, nullptr));
      _exit(exit_code(DiagCode::B005));
    });
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    if (!thread_.joinable()) return;
    {
      const std::scoped_lock lock(mutex_);
      finished_ = true;
    }
    done_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = false;
  std::thread thread_;
};

/// What one run needs, put together and complained about before anything runs.
struct Plan {
  std::vector<std::pair<host::ModuleFile, host::Entry>> files;  // while it is made
  std::vector<host::Step> steps;
  std::vector<std::pair<std::string, std::shared_ptr<const Source>>> texts;  // of the steps; null: from wire
  std::vector<host::LoadTime> loads;                                         // of the steps
  host::Buffers buffers;
  std::vector<std::pair<std::string, std::string>> get;  // name, file or empty
  std::map<std::string, std::unique_ptr<backend::Backend>> backends;

  /// The backend of this name, opened once. Errors: as backend::open().
  Result<backend::Backend*> open(const std::string& name, const RunOptions& options) {
    auto& known = backends[name];
    if (known == nullptr) {
      VYRE_TRY(opened, backend::open(name, options.of_backends()));
      known = std::move(opened);
    }
    return known.get();
  }
};

std::vector<std::string> backends_of(const RunOptions& options) {
  if (options.watched()) return {"reference"};
  return CLI::detail::split(options.compare.value_or(options.backend), ',');
}

/// The element type of what is filled, by its name; none of a name that nothing has.
using ElementOf = std::function<std::optional<spec::DataType>(std::string_view name)>;

/// That the machine has room for the buffers: memory that is not there would end the process without a word.
Result<void> check_memory(const RunOptions& options, const ElementOf& element_of) {
  uint64_t announced = 0;
  for (const std::string_view set : options.set) {
    const size_t equals = set.find('=');
    const auto element = equals == set.npos ? std::nullopt : element_of(set.substr(0, equals));
    if (element) announced += host::announced_bytes(set.substr(equals + 1), *element);
  }
  // A comparison keeps one copy a backend beside the first.
  const uint64_t copies = options.compare ? 2 + uint64_t(std::ranges::count(*options.compare, ',')) : 1;
  const uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  if (announced <= memory / copies) return {};
  return std::unexpected(make_diag(
      DiagCode::B003, Span::none(),
      fmt::format("the buffers take {} bytes, and this machine has room for {}", announced, memory / copies),
      "give the buffers fewer elements"));
}

/// Where barriers are watched, one that may diverge is a warning: the run shows whether it does.
std::expected<host::ModuleFile, host::ProgramError> load(const RunFile& of, bool watched) {
  const auto constants = host::parse_constants(of.constants);
  if (!constants)
    return std::unexpected(host::ProgramError{fmt::format("vyre: {}\n", constants.error().message), 2});
  auto file = host::load_module(of.path, ops::op_table(), {*constants, watched});
  if (!file) return file;
  for (size_t i = 0; i < file->module->own_programs().size(); ++i)
    for (const Diag& diag : file->module->divergent(i)) warn(diag, of.path, file->source.get());
  return file;
}

/// The item that a file stands for, with groups where those belong; the exit code when there is none.
std::expected<host::Entry, int> find_entry(const RunFile& of, const host::ModuleFile& file) {
  const auto entry = host::find_entry(*file.module, of.entry);
  if (!entry) return std::unexpected(usage_error(fmt::format("{}: {}", of.path, entry.error().message)));
  if (entry->kind != host::ItemKind::Program) {
    if (of.groups.empty()) return *entry;
    return std::unexpected(
        usage_error(fmt::format("--groups {}: {} is a {}, which says itself how many", of.groups[0],
                                host::name_of(*file.module, *entry), host::text(entry->kind))));
  }
  if (of.groups.empty()) {
    const auto& size = file.module->module().programs[entry->number].workgroup_size;
    return std::unexpected(
        usage_error(fmt::format("{}: --groups X[,Y[,Z]] is missing: how many workgroups of {}x{}x{}", of.path,
                                size[0], size[1], size[2])));
  }
  if (of.groups.size() != 1) {
    return std::unexpected(usage_error(
        fmt::format("{}: {} --groups are given, and each program takes one", of.path, of.groups.size())));
  }
  return *entry;
}

/// What --set gave parameters of graphs, whose shapes say what a graph becomes.
struct GraphInputs {
  std::map<std::string, spec::DataType, std::less<>> elements;  // of all parameters of graphs
  std::map<std::string, host::Array, std::less<>> arrays;       // by parameter
  host::GivenTensors given;                                     // those, and outputs of graphs before
  check::Dimensions chosen;                                     // --dim
};

/// The exit code when an option is wrong.
std::expected<GraphInputs, int> read_graph_inputs(const RunOptions& options, const Plan& plan) {
  GraphInputs out;
  std::vector<const check::TensorGraph*> graphs;
  for (const auto& [file, entry] : plan.files)
    if (entry.kind == host::ItemKind::Graph) graphs.push_back(&file.module->graphs()[entry.number]);
  for (const check::TensorGraph* graph : graphs)
    for (const auto& parameter : graph->parameters)
      out.elements.emplace(parameter.name, graph->nodes[parameter.node].type);
  const auto element_of = [&](std::string_view name) -> std::optional<spec::DataType> {
    const auto found = out.elements.find(name);
    return found == out.elements.end() ? std::nullopt : std::optional(found->second);
  };
  if (const auto enough = check_memory(options, element_of); !enough)
    return std::unexpected(report(enough.error()));
  for (const std::string_view set : options.set) {
    const size_t equals = std::min(set.find('='), set.size());
    const std::string_view name = set.substr(0, equals);
    const auto element = element_of(name);
    if (!element || equals == set.size()) continue;  // a buffer, or refused with those
    auto array = host::parse_array(set.substr(equals + 1), *element);
    if (!array) return std::unexpected(usage_error(fmt::format("--set {}: {}", name, array.error().message)));
    out.given[std::string(name)] = {array->shape, array->bytes.size() / spec::info(*element).bytes};
    out.arrays[std::string(name)] = *std::move(array);
  }
  for (const std::string& word : options.dimensions) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals);
    const auto size = text::parse_integer(word.substr(std::min(equals + 1, word.size())));
    if (!size) return std::unexpected(usage_error(fmt::format("--dim {}: wants NAME=SIZE", word)));
    if (std::ranges::none_of(graphs, [&](const auto* graph) { return host::has_dimension(*graph, name); }))
      return std::unexpected(
          usage_error(fmt::format("--dim {}: no graph has a dimension of that name", word)));
    if (!out.chosen.emplace(name, *size).second)
      return std::unexpected(usage_error(fmt::format("--dim {}: the dimension is set twice", word)));
  }
  return out;
}

int report_refusal(const Plan& plan, const Diag& diag, size_t step);

/// Whose kernels are taken, which changes no bit: those of CPUs where all of it runs on them.
Result<tensor::Device> device_of(Plan& plan, const RunOptions& options) {
  for (const std::string& name : backends_of(options)) {
    VYRE_TRY(backend, plan.open(name, options));
    if (backend->identity().kind != tensor::Device::Cpu) return tensor::Device::Gpu;
  }
  return tensor::Device::Cpu;
}

/// The step of file number `number`; the exit code when there is none.
std::expected<host::Step, int> make_step(const RunOptions& options, Plan& plan, size_t number,
                                         GraphInputs& inputs) {
  const RunFile& of = options.files[number];
  const auto& [file, entry] = plan.files[number];
  if (entry.kind == host::ItemKind::Pipeline) return host::Step::of(file.module, entry);
  if (entry.kind == host::ItemKind::Program) {
    const auto groups = parse_groups(of.groups[0]);
    if (!groups) return std::unexpected(usage_error(groups.error().message));
    return host::Step::of(file.module, entry, *groups);
  }
  const check::TensorGraph& graph = file.module->graphs()[entry.number];
  const auto dimensions = host::bind_dimensions(graph, inputs.given, inputs.chosen, "--dim {}=5");
  if (!dimensions) return std::unexpected(report(dimensions.error()));
  const auto device = device_of(plan, options);
  if (!device) return std::unexpected(report(device.error()));
  tensor::Options lowering{.plan = {}, .device = *device};
  // What was measured on this device, if anything was.
  if (!options.compare && !options.watched() && std::filesystem::exists(plan::tuned_folder())) {
    const auto backend = plan.open(options.backend, options);
    if (!backend) return std::unexpected(report(backend.error()));
    lowering.tuned = plan::read_tuned((*backend)->identity(), plan::tuned_folder());
  }
  auto step = host::graph_step(file.module, entry.number, *dimensions, lowering, plan::lowered_folder());
  if (!step) return std::unexpected(report_refusal(plan, step.error(), number));
  const check::SizedGraph& sized = step->graph->sized;
  for (const auto& output : sized.outputs) {
    const auto& shape = sized.nodes[output.node].shape;
    inputs.given[output.name] = {shape, check::elements(shape)};
  }
  return *std::move(step);
}

bool is_output(std::span<const host::Step> steps, std::string_view name) {
  return std::ranges::any_of(steps, [&](const host::Step& step) {
    return step.graph != nullptr &&
           std::ranges::find(step.graph->sized.outputs, name, &check::SizedGraph::Output::name) !=
               step.graph->sized.outputs.end();
  });
}

/// The exit code when there is no plan.
std::expected<Plan, int> make_plan(const RunOptions& options) {
  Plan plan;
  for (const RunFile& of : options.files) {
    auto file = load(of, options.detect_races);
    if (!file) return std::unexpected(report(file.error()));
    warn(*file);
    const auto entry = find_entry(of, *file);
    if (!entry) return std::unexpected(entry.error());
    plan.texts.emplace_back(of.path, file->source);
    plan.loads.push_back(file->time);
    plan.files.emplace_back(*std::move(file), *entry);
  }
  auto inputs = read_graph_inputs(options, plan);
  if (!inputs) return std::unexpected(inputs.error());
  for (size_t i = 0; i < options.files.size(); ++i) {
    const RunFile& of = options.files[i];
    auto step = make_step(options, plan, i, *inputs);
    if (!step) return std::unexpected(step.error());
    if (of.conventions.size() > 1)
      return std::unexpected(usage_error(fmt::format("{} takes one --convention", of.path)));
    if (!of.conventions.empty()) {
      const auto convention = parse_convention(of.conventions[0]);
      if (!convention) return std::unexpected(usage_error(convention.error().message));
      step->convention = *convention;
    }
    plan.steps.push_back(*std::move(step));
  }
  plan.files.clear();
  auto buffers = host::declare_buffers(plan.steps);
  if (!buffers) return std::unexpected(usage_error(buffers.error().message));
  plan.buffers = std::move(*buffers);

  const auto find = [&](const std::string& option,
                        std::string_view name) -> std::expected<host::NamedBuffer*, int> {
    const auto it = plan.buffers.by_name.find(name);
    if (it != plan.buffers.by_name.end()) return &it->second;
    std::string known;
    NearestName nearest(name);
    for (const std::string& n : plan.buffers.order) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", n);
      nearest.consider(n);
    }
    return std::unexpected(usage_error(
        fmt::format("{} {}: there is no such buffer; {}", option, name,
                    nearest.help_or(fmt::format("there {} {}", plan.buffers.order.size() == 1 ? "is" : "are",
                                                known.empty() ? "none" : known)))));
  };
  std::set<std::string> set_already, files;
  const auto element_of = [&](std::string_view name) -> std::optional<spec::DataType> {
    const auto buffer = plan.buffers.by_name.find(name);
    return buffer == plan.buffers.by_name.end() ? std::nullopt : std::optional(buffer->second.element);
  };
  if (const auto enough = check_memory(options, element_of); !enough)
    return std::unexpected(report(enough.error()));
  for (const host::Step& step : plan.steps) host::make_outputs(step, plan.buffers);
  for (const std::string& set : options.set) {
    const size_t equals = set.find('=');
    if (equals == std::string::npos) {
      return std::unexpected(usage_error(fmt::format("--set {}: wants NAME=SPEC", set)));
    }
    const std::string name = set.substr(0, equals);
    const auto buffer = find("--set", name);
    if (!buffer) return std::unexpected(buffer.error());
    if (!set_already.insert(name).second) {
      return std::unexpected(usage_error(fmt::format("--set {}: the buffer is set twice", name)));
    }
    if (const auto known = inputs->arrays.find(name); known != inputs->arrays.end()) {
      (*buffer)->bytes = std::move(known->second.bytes);
      continue;
    }
    if (is_output(plan.steps, name))
      return std::unexpected(usage_error(fmt::format("--set {}: it is an output of a graph", name)));
    auto bytes = host::parse_spec(std::string_view(set).substr(equals + 1), (*buffer)->element);
    if (!bytes) return std::unexpected(usage_error(fmt::format("--set {}: {}", name, bytes.error().message)));
    (*buffer)->bytes = std::move(*bytes);
  }
  for (const std::string& get : options.get) {
    const size_t equals = get.find('=');
    const std::string name = get.substr(0, equals);
    const auto buffer = find("--get", name);
    if (!buffer) return std::unexpected(buffer.error());
    std::string file;
    if (equals != std::string::npos) {
      if (get.size() < equals + 3 || get[equals + 1] != '@') {
        return std::unexpected(usage_error(fmt::format("--get {}: wants NAME or NAME=@FILE", get)));
      }
      file = get.substr(equals + 2);
      if (!files.insert(file).second) {
        return std::unexpected(usage_error(fmt::format("--get {}: two buffers would go to one file", get)));
      }
      const auto place = host::tensor_place(file);
      if (place && (place->name.empty() || place->name == "__metadata__"))
        return std::unexpected(usage_error(
            fmt::format("--get {}: a name for the tensor in the file is wanted: @{}:NAME", get, file)));
      if (place && !host::is_storable((*buffer)->element)) {
        return std::unexpected(usage_error(fmt::format(
            "--get {}: {} is none of the types of .safetensors files", get, spec::text((*buffer)->element))));
      }
    }
    plan.get.emplace_back(name, file);
  }
  if (options.get.empty()) {
    for (const std::string& name : plan.buffers.order) {
      if (plan.buffers.by_name.find(name)->second.writable) plan.get.emplace_back(name, "");
    }
  }
  for (const std::string& name : plan.buffers.order) {
    if (set_already.contains(name) || is_output(plan.steps, name)) continue;
    fmt::print(stderr, "note: {0} was not given: 0 elements; --set {0}=zeros:0 says that you mean it\n",
               printable(name));
  }
  return plan;
}

/// The shape of a buffer: that of its tensor, or one axis.
std::vector<uint32_t> shape_of(const Plan& plan, const host::Buffers& buffers, std::string_view name) {
  const host::NamedBuffer& buffer = buffers.by_name.find(name)->second;
  return host::tensor_shape(plan.steps, buffers, name)
      .value_or(std::vector{uint32_t(buffer.bytes.size() / spec::info(buffer.element).bytes)});
}

/// "y[2, 3]" of a tensor of a graph, whose shape the program does not show.
std::string label_of(const Plan& plan, const host::Buffers& buffers, const std::string& name) {
  const bool of_graph = std::ranges::any_of(
      plan.steps, [&](const host::Step& step) { return host::graph_shape(step, name).has_value(); });
  return of_graph ? fmt::format("{}[{}]", name, fmt::join(shape_of(plan, buffers, name), ", ")) : name;
}

int print_buffers(const Plan& plan, const host::Buffers& buffers, bool hex) {
  std::map<std::string, std::vector<host::TensorToStore>> stored;  // by path
  for (const auto& [name, file] : plan.get) {
    const host::NamedBuffer& buffer = buffers.by_name.find(name)->second;
    int code = 0;
    if (file.empty()) {
      code = write_output(
          "-", host::format_buffer(label_of(plan, buffers, name), buffer.bytes, buffer.element, hex) + "\n");
    } else if (const auto place = host::tensor_place(file)) {
      stored[place->path].push_back(
          {place->name, buffer.element, shape_of(plan, buffers, name), buffer.bytes});
    } else if (host::is_npy(file)) {
      code = write_output(file, host::format_npy(buffer.bytes, buffer.element,
                                                 host::tensor_shape(plan.steps, buffers, name)));
    } else {
      code = write_output(file, buffer.bytes);
    }
    if (code != 0) return code;
  }
  for (const auto& [path, tensors] : stored)
    if (const int code = write_output(path, host::format_tensors(tensors)); code != 0) return code;
  return 0;
}

/// With its place in the text of that step, if there is one.
int report_refusal(const Plan& plan, const Diag& diag, size_t step) {
  if (!diag.span.known() || plan.texts.size() <= step) return report(diag);
  const auto& [path, source] = plan.texts[step];
  return report(host::ProgramError{render(diag, source.get(), path), exit_code(diag.code)});
}

/// Says on stderr what was run where, and what it took; `first` is the number of the first of these steps.
void tell_times(const Plan& plan, backend::Backend& backend, size_t first,
                std::span<const host::StepTime> times) {
  const backend::Identity identity = backend.identity();
  fmt::print(stderr, "{}: {}; {}\n", identity.name, identity.device, identity.driver);
  for (size_t i = 0; i < times.size(); ++i) {
    const auto& [path, source] = plan.texts[first + i];
    const host::Step& step = plan.steps[first + i];
    fmt::print(stderr, "  {}: {}\n{}", path, host::line_of(step, times[i]),
               host::table_of(step, times[i], plan.loads[first + i], source.get()));
  }
  for (const auto& file : backend::damaged_cache_files())
    fmt::print(stderr, "  the cache file {} was damaged, so it was made again\n", printable(file.string()));
}

/// Runs the steps on the reference one by one, in the schedule and with the detector that were asked for.
int run_watched(Plan& plan, const RunOptions& options) {
  for (host::Step& each : plan.steps) each.as_defined = false;  // accesses are those of dispatches
  size_t step = 0;
  backend::Options backends = options.of_backends();
  backends.reference.warn = [&](const Diag& diag) {
    const auto& [path, source] = plan.texts[step];
    warn(diag, path, source.get());
  };
  size_t dispatch = 0;  // of the step, where that is a pipeline
  backends.reference.covered = [&](const std::string& what) {
    const std::string number = plan.steps[step].pipeline ? fmt::format("dispatch {}: ", ++dispatch) : "";
    fmt::print(stderr, "{}: {}{}\n", plan.texts[step].first, number, what);
  };
  const auto reference = backend::open("reference", backends);
  if (!reference) return report(reference.error());
  {
    const Watchdog watchdog(options.timeout);
    for (; step < plan.steps.size(); ++step) {
      dispatch = 0;
      std::vector<host::StepTime> times;
      const auto ran = host::run_steps(**reference, std::span(plan.steps).subspan(step, 1), plan.buffers,
                                       options.verbose ? &times : nullptr);
      if (!ran) return report_refusal(plan, ran.error(), step);
      if (options.verbose) tell_times(plan, **reference, step, times);
    }
  }
  return print_buffers(plan, plan.buffers, options.hex);
}

/// Runs the steps on one backend, in place.
std::expected<host::Buffers, int> run_on(const Plan& plan, backend::Backend& backend, host::Buffers buffers,
                                         bool verbose) {
  std::vector<host::StepTime> times;
  const auto ran = host::run_steps(backend, plan.steps, buffers, verbose ? &times : nullptr);
  if (!ran)
    return std::unexpected(report_refusal(plan, ran.error(), plan.texts.size() == 1 ? 0 : plan.texts.size()));
  if (verbose) tell_times(plan, backend, 0, times);
  return buffers;
}

/// Says on stderr which expression is the first that two backends compute differently, or why that is
/// unknown.
void explain_difference(const Plan& plan, const host::Contestant& a, const host::Contestant& b) {
  const host::FirstDifference found = host::find_first_difference(
      a, b, plan.steps, plan.buffers, [&](size_t step) { return plan.texts[step].second.get(); });
  if (found.place) {
    const auto& [path, source] = plan.texts[found.step];
    fmt::print(stderr, "{}", render(*found.place, source.get(), path));
  } else {
    fmt::print(stderr, "note: the first expression that differs was not found: {}\n", found.why);
  }
}

/// Results that say little of a backend: NaN is one pattern, and every operator gives it on.
void note_nans(const host::Buffers& results) {
  for (const std::string& name : results.order) {
    const host::NamedBuffer& buffer = results.by_name.find(name)->second;
    if (!buffer.writable || !spec::kFloats.contains(buffer.element) || buffer.bytes.empty()) continue;
    const size_t size = spec::info(buffer.element).bytes;
    bool all = true;
    for (size_t at = 0; all && at < buffer.bytes.size(); at += size) {
      uint32_t bits = 0;
      std::memcpy(&bits, buffer.bytes.data() + at, size);
      all = spec::float_format(buffer.element).is_nan(bits);
    }
    if (all)
      fmt::print(stderr,
                 "note: every element of {} is NaN, which compares little; uniform:COUNT:SEED fills a buffer "
                 "with floats from 0 to 1\n",
                 printable(name));
  }
}

int compare(Plan& plan, std::string_view list, const RunOptions& options) {
  const std::vector<std::string> names = backends_of(options);
  if (names.size() < 2) return usage_error(fmt::format("--compare {}: wants at least two backends", list));
  size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::vector<backend::Backend*> backends;
  for (const std::string& name : names) {
    const auto backend = plan.open(name, options);
    if (!backend) return report(backend.error());
    backends.push_back(*backend);
  }
  const Watchdog watchdog(options.timeout);
  std::vector<host::Buffers> results;
  for (size_t i = 0; i < names.size(); ++i) {
    auto result = run_on(plan, *backends[i], plan.buffers, options.verbose);
    if (!result) return result.error();
    fmt::print("{:{}}  {}\n", names[i], width, host::digest_outputs(*result).hex());
    results.push_back(std::move(*result));
  }
  note_nans(results[0]);
  int exit = 0;
  std::string different;
  for (size_t i = 1; i < results.size(); ++i) {
    const auto equal = host::expect_equal(results[0], names[0], results[i], names[i]);
    if (equal) continue;
    Diag difference = equal.error();
    if (host::is_approximate(plan.steps)) {
      difference.help =
          "the program applies approximate operators, so right backends may differ: `vyre-conform certify "
          "--track "
          "approximate` holds each of them to its bound; strict operators give the same bytes everywhere";
    }
    exit = report(difference);
    explain_difference(plan, {*backends[0], names[0]}, {*backends[i], names[i]});
    different += fmt::format("{}{}", different.empty() ? "" : ", ", names[i]);
  }
  fmt::print("{}\n", different.empty() ? fmt::format("equal: {} backends", names.size())
                                       : fmt::format("different: {} from {}", different, names[0]));
  return exit;
}

int run_run(const RunOptions& options, bool backend_given) {
  if (options.watched() && (options.compare || (backend_given && options.backend != "reference"))) {
    return usage_error(
        "--schedule and --detect-races are of the reference: leave --backend and --compare out");
  }
  auto plan = make_plan(options);
  if (!plan) return plan.error();
  if (options.watched()) return run_watched(*plan, options);
  if (options.compare) return compare(*plan, *options.compare, options);
  const auto backend = plan->open(options.backend, options);
  if (!backend) return report(backend.error());
  const auto result = [&] {
    // Not over the writing of files, which it would leave half done.
    const Watchdog watchdog(options.timeout);
    return run_on(*plan, **backend, std::move(plan->buffers), options.verbose);
  }();
  return result ? print_buffers(*plan, *result, options.hex) : result.error();
}

/// Which file each --entry, --const, --convention and --groups is about: the first, and after each --then
/// that one.
std::vector<RunFile> files_of(const CLI::App& verb, const RunOptions& options) {
  std::vector<RunFile> files = {{.path = options.path}};
  size_t groups = 0, entries = 0, constants = 0, conventions = 0;
  for (const CLI::Option* option : verb.parse_order()) {
    const auto is = [&](const char* name) { return option->check_name(name); };
    if (is("--then")) files.push_back({.path = options.then[files.size() - 1]});
    if (is("--groups")) files.back().groups.push_back(options.groups[groups++]);
    if (is("--entry")) files.back().entry = options.entries[entries++];
    if (is("--convention")) files.back().conventions.push_back(options.conventions[conventions++]);
    if (is("--const")) files.back().constants.push_back(options.constants[constants++]);
  }
  // Groups that stand together belong to the files in turn, if there are as many.
  const bool one_each =
      std::ranges::all_of(files, [](const RunFile& file) { return file.groups.size() == 1; });
  if (!one_each && options.groups.size() == files.size()) {
    for (size_t i = 0; i < files.size(); ++i) files[i].groups = {options.groups[i]};
  }
  return files;
}

}  // namespace

void add_run(CLI::App& app, int& exit) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = app.add_subcommand("run", "Run programs over buffers");
  verb->add_option("FILE", options->path, "programs or a module, text or wire")->required();
  add_repeated(*verb, "--groups", options->groups, "X[,Y[,Z]]",
               "workgroups of a program; a pipeline says itself how many");
  add_repeated(*verb, "--entry", options->entries, "NAME",
               "the program, pipeline or graph to run; else `main`, or the only one that no other names");
  add_constants(*verb, options->constants, "choose the value of a constant of the file");
  add_repeated(
      *verb, "--convention", options->conventions, "V1|V2:BINDING",
      "the contract on buffers that is followed: V2 is V1 and a lookup table, the read buffer at this "
      "binding; exit 3 where the backend does not know it");
  add_repeated(*verb, "--then", options->then, "FILE", "another file, run after over the same buffers");
  auto* backend =
      verb->add_option(
              "--backend", options->backend,
              "a name of `vyre backends`, cuda:N for device N, or the path of a plugin, PATH?argument")
          ->type_name("B")
          ->default_str("native");
  verb->add_option("--compare", options->compare,
                   "one digest a backend, then a verdict; exit 1 when they differ, with the first element "
                   "and expression that do")
      ->type_name("B,B,...")
      ->excludes(backend);
  add_repeated(*verb, "--set", options->set, "NAME=SPEC",
               "fill a buffer: @file (@a.npy: an array, @m.safetensors:NAME: a tensor), zeros:N, iota:N, "
               "random:N:SEED, uniform:N:SEED "
               "or literals "
               "1,0x2,-3; else it is empty");
  add_repeated(*verb, "--dim", options->dimensions, "NAME=SIZE",
               "the size of a dimension of a graph that no array in a file says");
  add_repeated(*verb, "--get", options->get, "NAME[=@FILE]",
               "print a buffer or write it; all read_write buffers without it");
  verb->add_flag("--hex", options->hex, "print hexadecimal");
  verb->add_flag("-v,--verbose", options->verbose, "say on stderr what was run, where, and how long it took");
  verb->add_option("--float", options->floats,
                   "arithmetic on floats, of the same result: by the device's instructions where they are "
                   "promised exact, by integers alone, or as a probe of the device decides")
      ->type_name("native|composed|auto")
      ->check(CLI::IsMember(backend::kFloatForms))
      ->capture_default_str();
  verb->add_option("--timeout", options->timeout, "give up after this long, with exit code 3")
      ->type_name("SECONDS")
      ->check([](const std::string& text) {
        double seconds = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        const bool good = error == std::errc() && end == text.data() + text.size() && seconds > 0;
        return good ? std::string() : fmt::format("'{}' is not a number of seconds above 0", text);
      });
  verb->add_option("--subgroup-size", options->subgroup_size,
                   "lanes of a subgroup on the reference: a power of two up to 128; without it subgroup "
                   "operations are "
                   "unsupported there (exit code 3)")
      ->type_name("N");
  verb->add_option("--schedule", options->schedule,
                   "run on the reference, in a random order of accesses that SEED repeats")
      ->type_name("SEED");
  verb->add_flag(
      "--detect-races", options->detect_races,
      "run on the reference in several orders, in all of them if they are few; exit 1 on a data race");
  verb->footer(
      "Example: vyre run xor.vyre --groups 1 --set a=1,2,3 --set b=0xff,0,3 --set out=zeros:3\n"
      "         vyre run block_sum.vyre --groups 4 --set input=iota:1024 --set sums=zeros:4 --compare "
      "reference,native");
  verb->callback([options, backend, verb, &exit] {
    options->files = files_of(*verb, *options);
    exit = run_run(*options, backend->count() != 0);
  });
}

}  // namespace vyre::tool
