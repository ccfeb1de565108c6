// The test program is also the worker of its tests: started with the arguments of one it serves.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "faulty.h"
#include "hostile.h"
#include "spy.h"
#include "support.h"
#include "worker/worker.h"

namespace {

/// worker --backend NAME --fd N ...: what make_worker() gives, in its order.
int serve(char** arguments) {
  using namespace vyre::worker;
  const std::string backend = arguments[2];
  const int socket = std::stoi(arguments[4]);
  if (backend.starts_with("hostile:")) return be_hostile(backend, socket);
  if (backend == "faulty:cores") {
    return vyre::worker::serve([] { return open_faulty("faulty"); }, socket, vyre::ops::op_table(),
                               [](unsigned cores) { std::fprintf(stderr, "cores %u\n", cores); });
  }
  Isolation isolation;
  for (size_t k = 11; arguments[k] != nullptr && arguments[k + 1] != nullptr; k += 2) {
    if (std::strcmp(arguments[k], "--scratch") == 0) isolation.scratch = arguments[k + 1];
    if (std::strcmp(arguments[k], "--hide") == 0) isolation.hidden.emplace_back(arguments[k + 1]);
  }
  if (backend.starts_with("faulty"))
    return vyre::worker::serve([&] { return open_faulty(backend); }, socket, vyre::ops::op_table(), {},
                               isolation);
  const vyre::backend::Options options{.floats = *vyre::backend::parse_float_form(arguments[10])};
  return vyre::worker::serve([&] { return vyre::backend::open(backend, options); }, socket);
}

/// Starts a worker, lets it hang, and waits for it: a parent to be killed in the middle of a call.
int hang_with_a_worker() {
  using namespace vyre::worker;
  Options options = options_for("faulty");
  options.dispatch_seconds = 1000;
  const auto worker = open_worker(options);
  const auto pipeline = worker->compile(doubling());
  (void)run_doubling(**pipeline, kHang);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 5 && std::strcmp(argv[1], "worker") == 0) return serve(argv + 1);
  if (argc == 3 && std::strcmp(argv[1], "spy") == 0) {
    // One line: its parent quotes the last ones.
    std::string found = "found ";
    for (const std::string& name : vyre::worker::spy_on(vyre::worker::Target::parse(argv[2])))
      found += name + " ";
    std::fprintf(stderr, "%send\n", found.c_str());
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "hang-with-a-worker") == 0) return hang_with_a_worker();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
