// Recordings as CUDA graphs: many launches for the price of one, and repeats that the device drives.
//
// A graph is a chain of kernels and fills, instantiated once. A Repeat is a conditional node: its body ends
// in a kernel of one thread that counts the iteration, loads the condition word, and sets whether the loop
// goes on; so ten thousand iterations need no word from the host. That kernel is PTX written by hand, since
// it calls a function that the driver itself links in. Source: CUDA Driver API reference, "Graph Management",
// "Conditional Graph Nodes".
#pragma once

#include <memory>
#include <span>

#include "backend/backend.h"
#include "backend/cuda/device.h"

namespace vyre::backend::cuda {

/// A kernel with its arguments, as a graph takes it.
struct Launch {
  const LoadedKernel* kernel = nullptr;
  layout::Groups groups;
  std::vector<DevicePointer> addresses;  // one a buffer
  std::vector<uint32_t> counts;          // its elements
};

/// One command for a graph.
struct GraphCommand {
  Command::Kind kind{};
  Launch launch;              // Dispatch
  DevicePointer address = 0;  // Zero: where; Repeat: of the word
  uint64_t bytes = 0;         // Zero
  uint32_t turns = 0;         // Repeat
  bool looks = true;
  uint32_t count = 0;
};

/// Domain  the device has graphs; with a Repeat conditional nodes too. Kernels must live as long as the
/// recording.
Result<std::unique_ptr<Recording>> record_graph(std::shared_ptr<Device> device,
                                                std::span<const GraphCommand> commands);

}  // namespace vyre::backend::cuda
