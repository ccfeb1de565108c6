#include "wgsl.h"

#include <fmt/format.h>

#include <chrono>

#include "backend/webgpu/device.h"

namespace vyre::admit {
namespace {

using namespace backend::webgpu;  // the device's own words: Instance, Device

constexpr uint32_t kThreads = 64;
constexpr auto kPatience = std::chrono::minutes(1);

/// A module around the function: one invocation an element. Each operand goes through a variable, since what
/// a compiler can compute by itself it computes by rules of its own.
lower::WgslModule module_around(std::string_view function, size_t arity) {
  std::string text, arguments;
  for (size_t i = 0; i < arity; ++i) {
    text += fmt::format("@group(0) @binding({}) var<storage, read> in{}: array<u32>;\n", i, i);
    arguments += fmt::format("{}in{}[i]", i == 0 ? "" : ", ", i);
  }
  text += fmt::format("@group(0) @binding({}) var<storage, read_write> out: array<u32>;\n", arity);
  text += fmt::format("@group(0) @binding({}) var<uniform> counts: array<vec4<u32>, 1>;\n{}\n", arity + 1,
                      function);
  text += fmt::format(
      "@compute @workgroup_size({})\n"
      "fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3<u32>) {{\n"
      "  let i = (group.x * {}u) + thread;\n"
      "  if (i < counts[0].x) {{\n    out[i] = alternate({});\n  }}\n}}\n",
      kThreads, kThreads, arguments);
  std::vector<bool> writable(arity + 1, false);
  writable[arity] = true;
  return {.text = std::move(text),
          .threads = kThreads,
          .shared_bytes = 0,
          .buffers = static_cast<uint32_t>(arity + 1),
          .writable = std::move(writable)};
}

}  // namespace

Result<std::string> run_wgsl(std::string_view function, const std::vector<std::vector<uint32_t>>& columns,
                             std::span<uint32_t> results, const std::string& library) {
  VYRE_TRY(instance, Instance::open(library));
  VYRE_TRY(device, Device::open(instance, kPatience));
  VYRE_TRY(code, device->make_code(module_around(function, columns.size())));
  const uint64_t bytes = results.size_bytes();
  std::vector<backend::DeviceMemory> memory;
  for (size_t i = 0; i <= columns.size(); ++i) {
    VYRE_TRY(allocation, device->allocate(bytes));
    memory.push_back(std::move(allocation));
  }
  VYRE_TRY(work, device->begin());
  const std::vector<bool>& written = code->module().writable;
  std::vector<backend::Bound> bound;
  for (const backend::DeviceMemory& allocation : memory)
    bound.push_back({&allocation.allocation(), 0, bytes});
  for (size_t i = 0; i < columns.size(); ++i) {
    VYRE_CHECK(work->write(memory[i].allocation(), bytes, 0, std::as_bytes(std::span(columns[i]))));
  }
  const std::vector<uint32_t> counts(columns.size() + 1, static_cast<uint32_t>(results.size()));
  const auto groups = static_cast<uint32_t>((results.size() + kThreads - 1) / kThreads);
  VYRE_CHECK(work->dispatch({code, {groups, 1, 1}, std::move(bound), written, counts}));
  VYRE_CHECK(work->read(memory.back().allocation(), 0, std::as_writable_bytes(results)));
  VYRE_CHECK(work->finish());
  return device->profile().device;
}

}  // namespace vyre::admit
