#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
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
#include "host/run.h"
#include "host/values.h"
#include "ops/operation.h"
#include "spec/limits.h"
#include "spec/ops.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

struct Options {
  std::string path;
  std::vector<std::string> then, groups, set, get;
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
            .floats = *backend::parse_float_form(floats)};
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
  std::vector<host::Step> steps;
  std::vector<std::pair<std::string, std::shared_ptr<const Source>>> texts;  // of the steps; null: from wire
  host::Buffers buffers;
  std::vector<std::pair<std::string, std::string>> get;  // name, file or empty
};

/// That the machine has room for the buffers: memory that is not there would end the process without a word.
Result<void> check_memory(const Options& options, const host::Buffers& buffers) {
  uint64_t announced = 0;
  for (const std::string_view set : options.set) {
    const size_t equals = set.find('=');
    const auto buffer = buffers.by_name.find(set.substr(0, equals));
    if (equals == set.npos || buffer == buffers.by_name.end()) continue;  // refused where it is read
    announced += host::announced_bytes(set.substr(equals + 1), buffer->second.element);
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

void warn(const Diag& diag, const std::string& path, const Source* source) {
  std::string text = render(diag, source, path);
  const size_t at = text.find("error[");
  if (at != text.npos) text.replace(at, 5, "warning");
  fmt::print(stderr, "{}", text);
}

/// Where barriers are watched, one that may diverge is a warning: the run shows whether it does.
std::expected<host::CheckedFile, host::ProgramError> load(const std::string& path, bool watched) {
  if (!watched) return host::load_checked(path, ops::op_table());
  auto found = host::load_watchable(path, ops::op_table());
  if (!found) return std::unexpected(std::move(found.error()));
  for (const Diag& diag : found->divergent) warn(diag, path, found->file.source.get());
  return std::move(found->file);
}

/// The exit code when there is no plan.
std::expected<Plan, int> make_plan(const Options& options) {
  Plan plan;
  std::vector<std::string> paths = {options.path};
  paths.insert(paths.end(), options.then.begin(), options.then.end());
  if (options.groups.size() != paths.size()) {
    return std::unexpected(
        usage_error(fmt::format("{} program{} and {} --groups: each program takes one", paths.size(),
                                paths.size() == 1 ? "" : "s", options.groups.size())));
  }
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto groups = parse_groups(options.groups[i]);
    if (!groups) return std::unexpected(usage_error(groups.error().message));
    auto file = load(paths[i], options.detect_races);
    if (!file) return std::unexpected(report(file.error()));
    plan.steps.push_back({std::move(file->checked), *groups});
    plan.texts.emplace_back(paths[i], std::move(file->source));
  }
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
  if (const auto enough = check_memory(options, plan.buffers); !enough) {
    return std::unexpected(report(enough.error()));
  }
  for (const std::string& set : options.set) {
    const size_t equals = set.find('=');
    if (equals == std::string::npos) {
      return std::unexpected(usage_error(fmt::format("--set {}: wants NAME=SPEC", set)));
    }
    const std::string name = set.substr(0, equals);
    const auto buffer = find("--set", name);
    if (!buffer) return std::unexpected(buffer.error());
    auto bytes = host::parse_spec(std::string_view(set).substr(equals + 1), (*buffer)->element);
    if (!bytes) return std::unexpected(usage_error(fmt::format("--set {}: {}", name, bytes.error().message)));
    if (!set_already.insert(name).second) {
      return std::unexpected(usage_error(fmt::format("--set {}: the buffer is set twice", name)));
    }
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
    }
    plan.get.emplace_back(name, file);
  }
  if (options.get.empty()) {
    for (const std::string& name : plan.buffers.order) {
      if (plan.buffers.by_name.find(name)->second.writable) plan.get.emplace_back(name, "");
    }
  }
  return plan;
}

int print_buffers(const Plan& plan, const host::Buffers& buffers, bool hex) {
  for (const auto& [name, file] : plan.get) {
    const host::NamedBuffer& buffer = buffers.by_name.find(name)->second;
    const int code =
        file.empty() ? write_output("-", host::format_buffer(name, buffer.bytes, buffer.element, hex) + "\n")
                     : write_output(file, buffer.bytes);
    if (code != 0) return code;
  }
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
  for (size_t i = 0; i < times.size(); ++i)
    fmt::print(stderr, "  {}: {}\n", plan.texts[first + i].first,
               host::line_of(plan.steps[first + i], times[i]));
  for (const auto& file : backend::damaged_cache_files())
    fmt::print(stderr, "  the cache file {} was damaged, so it was made again\n", printable(file.string()));
}

/// Runs the steps on the reference one by one, in the schedule and with the detector that were asked for.
int run_watched(Plan& plan, const Options& options) {
  size_t step = 0;
  backend::Options backends = options.of_backends();
  backends.reference.warn = [&](const Diag& diag) {
    const auto& [path, source] = plan.texts[step];
    warn(diag, path, source.get());
  };
  backends.reference.covered = [&](const std::string& what) {
    fmt::print(stderr, "{}: no race found: {}\n", plan.texts[step].first, what);
  };
  const auto reference = backend::open("reference", backends);
  if (!reference) return report(reference.error());
  {
    const Watchdog watchdog(options.timeout);
    for (; step < plan.steps.size(); ++step) {
      std::vector<host::StepTime> times;
      const auto ran =
          host::run_steps(**reference, std::span(plan.steps).subspan(step, 1), plan.buffers, &times);
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
  const auto ran = host::run_steps(backend, plan.steps, buffers, &times);
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

int compare(const Plan& plan, std::string_view list, const Options& options) {
  std::vector<std::string> names;
  for (const std::string& name : CLI::detail::split(std::string(list), ',')) names.push_back(name);
  if (names.size() < 2) return usage_error(fmt::format("--compare {}: wants at least two backends", list));
  size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::vector<std::unique_ptr<backend::Backend>> backends;
  for (const std::string& name : names) {
    auto backend = backend::open(name, options.of_backends());
    if (!backend) return report(backend.error());
    backends.push_back(std::move(*backend));
  }
  const Watchdog watchdog(options.timeout);
  std::vector<host::Buffers> results;
  for (size_t i = 0; i < names.size(); ++i) {
    auto result = run_on(plan, *backends[i], plan.buffers, options.verbose);
    if (!result) return result.error();
    fmt::print("{:{}}  {}\n", names[i], width, host::digest_outputs(*result).hex());
    results.push_back(std::move(*result));
  }
  int exit = 0;
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
  }
  return exit;
}

int run_run(const Options& options, bool backend_given) {
  if (options.watched() && (options.compare || (backend_given && options.backend != "reference"))) {
    return usage_error(
        "--schedule and --detect-races are of the reference: leave --backend and --compare out");
  }
  auto plan = make_plan(options);
  if (!plan) return plan.error();
  if (options.watched()) return run_watched(*plan, options);
  if (options.compare) return compare(*plan, *options.compare, options);
  auto backend = backend::open(options.backend, options.of_backends());
  if (!backend) return report(backend.error());
  const auto result = [&] {
    // Not over the writing of files, which it would leave half done.
    const Watchdog watchdog(options.timeout);
    return run_on(*plan, **backend, std::move(plan->buffers), options.verbose);
  }();
  return result ? print_buffers(*plan, *result, options.hex) : result.error();
}

}  // namespace

void add_run(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("run", "Run programs over buffers");
  verb->add_option("FILE", options->path, "a program, text or wire")->required();
  verb->add_option("--groups", options->groups, "workgroups, for each program in turn")
      ->required()
      ->type_name("X[,Y[,Z]]")
      ->expected(1)
      ->take_all();
  verb->add_option("--then", options->then, "another program, run after over the same buffers")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  auto* backend =
      verb->add_option(
              "--backend", options->backend,
              "a name of `vyre backends`, cuda:N for device N, or the path of a plugin, PATH?argument")
          ->type_name("B")
          ->default_str("native");
  verb->add_option(
          "--compare", options->compare,
          "one digest a backend; exit 1 when they differ, with the first element and expression that do")
      ->type_name("B,B,...")
      ->excludes(backend);
  verb->add_option(
          "--set", options->set,
          "fill a buffer: @file, zeros:N, iota:N, random:N:SEED or literals 1,0x2,-3; else it is empty")
      ->type_name("NAME=SPEC")
      ->expected(1)
      ->take_all();
  verb->add_option("--get", options->get, "print a buffer or write it; all read_write buffers without it")
      ->type_name("NAME[=@FILE]")
      ->expected(1)
      ->take_all();
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
  verb->callback([options, backend, &exit] { exit = run_run(*options, backend->count() != 0); });
}

}  // namespace vyre::tool
