// vyre-conform worker: the other side of a worker, started by vyre-conform itself and not listed by --help.
#include <tbb/global_control.h>

#include <optional>

#include "algebra/planted_law.h"
#include "verbs.h"
#include "verify/device_values.h"
#include "worker/worker.h"

namespace vyre::tool {
namespace {

struct WorkerOptions {
  std::string backend;
  int socket = -1;
  std::string floats = "auto";
  backend::Options backend_options;
  worker::Isolation isolation;
};

/// What a certification runs: the library, the operations of the planted-false laws, and formulas.
spec::OpTable every_operation() {
  spec::OpTable out;
  for (const spec::OpTable* table : {&ops::op_table(), &algebra::planted_table(), &verify::value_table()}) {
    for (const spec::OpDef* def : table->all()) out.add(*def);  // the intrinsics may be in both
  }
  return out;
}

}  // namespace

void add_worker(CLI::App& app, int& exit) {
  const auto options = std::make_shared<WorkerOptions>();
  CLI::App* const verb =
      app.add_subcommand("worker", "serves a backend to the process that started this one");
  verb->group("");
  verb->add_option("--backend", options->backend, "the backend")->required();
  verb->add_option("--fd", options->socket, "the socket to serve on")->required();
  verb->add_option("--threads", options->backend_options.threads, "threads of native");
  verb->add_option("--subgroup-size", options->backend_options.reference.subgroup_size, "of the reference");
  verb->add_option("--float", options->floats, "how the backend does arithmetic on floats")
      ->check(CLI::IsMember(backend::kFloatForms));
  verb->add_option("--scratch", options->isolation.scratch, "a folder that the backend may write in");
  verb->add_option("--hide", options->isolation.hidden, "what the backend cannot read")
      ->expected(1)
      ->take_all();
  verb->callback([options, &exit] {
    // The backend stays what it is, with as many threads as it says; they only take turns.
    std::optional<tbb::global_control> limit;
    const auto limit_cores = [&](unsigned cores) {
      limit.reset();
      if (cores != 0) limit.emplace(tbb::global_control::max_allowed_parallelism, cores);
    };
    options->backend_options.floats = *backend::parse_float_form(options->floats);
    const spec::OpTable table = every_operation();
    exit = worker::serve([&] { return backend::open(options->backend, options->backend_options); },
                         options->socket, table, limit_cores, options->isolation);
  });
}

}  // namespace vyre::tool
