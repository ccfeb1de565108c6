// Choices between kernels of equal bits, measured on one device and kept on disk.
//
// Lowering chooses by shape, which is right for most devices and shapes. `vyre bench --tune` runs the
// candidates instead and keeps the best of each class of products (tensor/matmul.h), in one file for each
// device, driver and build of vyre; later runs of graphs there take them. A file that is damaged, or of
// another build, is as if there were none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "check/tensors.h"
#include "tensor/lower.h"

namespace vyre::plan {

/// Where users keep them. No worker may write there.
std::filesystem::path tuned_folder();

tensor::Tuned read_tuned(const backend::Identity& device, const std::filesystem::path& folder);
/// Adds to what is kept of this device.
void keep_tuned(const backend::Identity& device, const tensor::Tuned& tuned,
                const std::filesystem::path& folder);

/// What measuring one class showed.
struct Measured {
  std::string work;          // tensor::class_of()
  std::string chosen, best;  // by itself, and by the clock
  double chosen_seconds = 0, best_seconds = 0;
};
/// Measures the products of a graph, each class once, alone and over operands of its own.
/// Errors  those of the backend. A candidate that is refused is none.
Result<std::vector<Measured>> measure_products(backend::Backend& backend, const check::SizedGraph& graph,
                                               const spec::OpTable& ops, tensor::Device device);

}  // namespace vyre::plan
