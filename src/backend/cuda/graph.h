// Recordings as CUDA graphs: many launches for the price of one, and repeats that the device drives.
//
// A graph is a chain of kernels and fills, instantiated once. A Repeat is a conditional node: its body ends
// in a kernel of one thread that counts the iteration, loads the condition word, and sets whether the loop
// goes on; so ten thousand iterations need no word from the host. That kernel is PTX written by hand, since
// it calls a function that the driver itself links in. Source: CUDA Driver API reference, "Graph Management",
// "Conditional Graph Nodes".
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/device.h"

namespace vyre::backend::cuda {

/// Domain  the device has graphs; with a Repeat conditional nodes too.
Result<std::unique_ptr<Recording>> record_graph(std::shared_ptr<Device> device,
                                                std::vector<DeviceCommand> commands);

}  // namespace vyre::backend::cuda
