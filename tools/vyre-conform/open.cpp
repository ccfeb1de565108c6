// Opening the backend that a verb judges: in a worker, which may die, or here.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "backend/registry/registry.h"
#include "verbs.h"
#include "worker/worker.h"

namespace vyre::tool {
namespace {

/// Every process of a worker says the same.
void warn_once(const Diag& diag) {
  static std::mutex mutex;
  static std::set<std::string> reported;
  const std::scoped_lock lock(mutex);
  if (reported.insert(diag.message).second)
    fmt::print(stderr, "vyre-conform: warning: {}\n  help: {}\n", diag.message, diag.help);
}

}  // namespace

void add_backend(CLI::App& verb, BackendOptions& options) {
  verb.add_option("--backend", options.spec,
                  "a name of `vyre backends`, cuda:N for device N, or the path of a plugin, PATH?argument")
      ->type_name("B")
      ->capture_default_str();
  verb.add_flag("--in-process", options.in_process,
                "run the backend in this process, for debugging: a crash ends the tool");
  verb.add_option("--float", options.floats,
                  "arithmetic on floats: by the device's instructions where they are promised exact, by "
                  "integers alone, or as a probe of the device decides")
      ->type_name("native|composed|auto")
      ->check(CLI::IsMember(backend::kFloatForms))
      ->capture_default_str();
  // Not shown: tests of what hangs have no ten seconds to wait.
  verb.add_option("--budget", options.budget)->check(CLI::PositiveNumber)->group("");
}

Result<std::unique_ptr<backend::Backend>> open_backend(const BackendOptions& options) {
  const backend::Options of_backend{.floats = *backend::parse_float_form(options.floats)};
  if (options.in_process) return backend::open(options.spec, of_backend);
  worker::Options worker;
  worker.backend_options = of_backend;
  worker.backend = options.spec;
  worker.dispatch_seconds = options.budget;
  worker.cores = options.cores;
  std::error_code ignored;
  for (const std::string& path : options.hidden) {
    if (path.empty()) continue;
    const auto real = std::filesystem::weakly_canonical(path, ignored);
    worker.hidden.push_back((real.has_filename() ? real : real.parent_path()).string());
  }
  worker.warn = warn_once;
  return worker::make_worker(worker);
}

}  // namespace vyre::tool
