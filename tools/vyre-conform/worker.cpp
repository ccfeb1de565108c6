// vyre-conform worker: the other side of a worker, started by vyre-conform itself and not listed by --help.
#include "worker/worker.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

struct Options {
  std::string backend;
  int socket = -1;
  backend::Options backend_options;
};

}  // namespace

void add_worker(CLI::App& app, int& exit) {
  const auto options = std::make_shared<Options>();
  CLI::App* const verb =
      app.add_subcommand("worker", "serves a backend to the process that started this one");
  verb->group("");
  verb->add_option("--backend", options->backend, "the backend")->required();
  verb->add_option("--fd", options->socket, "the socket to serve on")->required();
  verb->add_option("--threads", options->backend_options.threads, "threads of native");
  verb->add_option("--subgroup-size", options->backend_options.reference.subgroup_size, "of the reference");
  verb->callback([options, &exit] {
    exit = worker::serve(options->backend, options->backend_options, options->socket);
  });
}

}  // namespace vyre::tool
