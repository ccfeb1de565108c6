// The test program is also the worker of its tests: started with the arguments of one it serves.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "faulty.h"
#include "hostile.h"
#include "worker/worker.h"

namespace {

/// worker --backend NAME --fd N ...: what make_worker() gives, in its order.
int serve(char** arguments) {
  using namespace vyre::worker;
  const std::string backend = arguments[2];
  const int socket = std::stoi(arguments[4]);
  if (backend.starts_with("hostile:")) return be_hostile(backend, socket);
  if (backend.starts_with("faulty")) return vyre::worker::serve([&] { return open_faulty(backend); }, socket);
  return vyre::worker::serve(backend, {}, socket);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 5 && std::strcmp(argv[1], "worker") == 0) return serve(argv + 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
