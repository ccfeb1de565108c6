#include "backend/webgpu/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "backend/resources.h"
#include "backend/webgpu/work.h"

namespace vyre::backend::webgpu {
namespace {

/// Buffers of a dispatch that are this large together stand in two blocks of device memory, one that is read
/// and one that is written; those of a larger one each for itself.
constexpr uint64_t kLargestBlock = 16ull << 20;

Diag foreign(const char* what) {
  return make_diag(DiagCode::B012, Span::none(),
                   fmt::format("webgpu: a {} of another backend was given", what),
                   fmt::format("give a {} of the backend that runs the program", what));
}

/// A word of which only some bytes are to change.
struct Edge {
  uint64_t at = 0;
  std::array<std::byte, 4> bytes = {};
};

class WebgpuBuffer final : public DeviceBuffer {
 public:
  WebgpuBuffer(std::shared_ptr<Device> device, DeviceMemory memory, uint64_t bytes)
      : device_(std::move(device)), memory_(std::move(memory)), bytes_(bytes) {}

  uint64_t bytes() const override { return bytes_; }
  const Piece& piece() const { return memory_.piece(); }
  const Device* device() const { return device_.get(); }

  Result<void> write(uint64_t offset, std::span<const std::byte> from) override {
    const auto byte_at = [&](uint64_t at) { return from[size_t(at - offset)]; };
    return change(offset, from.size(), byte_at, [&](Work& work, uint64_t at, uint64_t count) {
      return work.copy_in(piece(), at, from.subspan(size_t(at - offset), size_t(count)));
    });
  }
  Result<void> read(uint64_t offset, std::span<std::byte> to) override {
    VYRE_CHECK(check_within(bytes_, offset, to.size()));
    VYRE_TRY(work, Work::begin(device_));
    VYRE_CHECK(work->copy_out(piece(), offset, to));
    return work->finish();
  }
  Result<void> fill(uint64_t offset, uint64_t count, std::byte value) override {
    const auto byte_at = [&](uint64_t) { return value; };
    return change(offset, count, byte_at, [&](Work& work, uint64_t at, uint64_t words) -> Result<void> {
      if (value == std::byte{0}) {
        work.clear(piece(), at, words);
        return {};
      }
      const std::vector<std::byte> part(size_t(std::min<uint64_t>(words, 1 << 20)), value);
      while (words != 0) {
        const size_t now = size_t(std::min<uint64_t>(words, part.size()));
        VYRE_CHECK(work.copy_in(piece(), at, std::span(part).first(now)));
        at += now;
        words -= now;
      }
      return {};
    });
  }

 private:
  /// WebGPU writes whole words: those that change as a whole are `body`'s, of those at the edges the other
  /// bytes are read first. What stands behind the buffer's last byte is unspecified.
  template <typename ByteAt, typename Body>
  Result<void> change(uint64_t offset, uint64_t count, ByteAt&& byte_at, Body&& body) {
    VYRE_CHECK(check_within(bytes_, offset, count));
    if (count == 0) return {};
    VYRE_TRY(work, Work::begin(device_));
    const uint64_t end = offset + count, first = offset & ~uint64_t{3}, last = (end - 1) & ~uint64_t{3};
    std::vector<Edge> edges;
    if (offset != first) edges.push_back({.at = first});
    if (end % 4 != 0 && (edges.empty() || last != first)) edges.push_back({.at = last});
    for (Edge& edge : edges) {
      const bool has_neighbours = edge.at < offset || end < std::min(edge.at + 4, bytes_);
      if (has_neighbours) VYRE_CHECK(work->copy_out(piece(), edge.at, edge.bytes));
    }
    VYRE_CHECK(work->wait());
    for (Edge& edge : edges) {
      for (uint64_t at = std::max(offset, edge.at); at < std::min(end, edge.at + 4); ++at)
        edge.bytes[size_t(at - edge.at)] = byte_at(at);
      VYRE_CHECK(work->copy_in(piece(), edge.at, edge.bytes));
    }
    const uint64_t from = offset == first ? first : first + 4, to = end & ~uint64_t{3};
    if (from < to) VYRE_CHECK(body(*work, from, to - from));
    return work->finish();
  }

  const std::shared_ptr<Device> device_;
  const DeviceMemory memory_;
  const uint64_t bytes_;
};

class WebgpuPipeline final : public Pipeline {
 public:
  WebgpuPipeline(const check::Checked& program, std::shared_ptr<Device> device, std::shared_ptr<Code> code)
      : program_(program), device_(std::move(device)), code_(std::move(code)) {}

  const Device* device() const { return device_.get(); }

  Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
    VYRE_TRY(bindings, layout::bind(program_, host, groups));
    for (const layout::Binding& binding : bindings) VYRE_CHECK(check_size(binding.bytes.size()));
    std::vector<DeviceMemory> memory;
    VYRE_TRY(bound, memory_for(bindings, memory));
    VYRE_TRY(work, Work::begin(device_));
    for (size_t i = 0; i < bindings.size(); ++i) {
      if (bound[i].bytes != 0) VYRE_CHECK(work->copy_in(*bound[i].piece, bound[i].offset, bindings[i].bytes));
    }
    VYRE_CHECK(work->dispatch(*code_, bound, counts_of(bindings), groups));
    for (size_t i = 0; i < bindings.size(); ++i) {
      if (bound[i].bytes != 0 && is_writable(i))
        VYRE_CHECK(work->copy_out(*bound[i].piece, bound[i].offset, bindings[i].bytes));
    }
    return work->finish();
  }

  Result<void> dispatch_resident(std::span<const DeviceRange> ranges, layout::Groups groups) override {
    VYRE_TRY(prepared, prepare(ranges, groups));
    VYRE_TRY(work, Work::begin(device_));
    VYRE_CHECK(record(*work, prepared));
    return work->finish();
  }

  Result<EmittedCode> code() override { return EmittedCode{.form = "wgsl", .text = code_->module().text}; }

  /// A dispatch over device memory, checked.
  struct Prepared {
    std::vector<Bound> bound;
    std::vector<uint32_t> counts;
    layout::Groups groups;
  };
  // Reads uniform buffers that dimensions may come from, so it is no part of a Work.
  Result<Prepared> prepare(std::span<const DeviceRange> ranges, layout::Groups groups) const {
    Prepared out = {.bound = {}, .counts = {}, .groups = groups};
    for (const DeviceRange& range : ranges) {
      const auto* const buffer = dynamic_cast<const WebgpuBuffer*>(range.buffer);
      if (buffer == nullptr || buffer->device() != device_.get()) return std::unexpected(foreign("buffer"));
      VYRE_CHECK(check_size(range.bytes));
      out.bound.push_back({&buffer->piece(), range.offset, range.bytes});
    }
    std::vector<std::vector<std::byte>> contents;
    VYRE_TRY(extents, extents_of(program_, ranges, contents));
    VYRE_TRY(bindings, layout::bind(program_, extents, groups));
    out.counts = counts_of(bindings);
    return out;
  }
  Result<void> record(Work& work, const Prepared& prepared) const {
    return work.dispatch(*code_, prepared.bound, prepared.counts, prepared.groups);
  }

 private:
  bool is_writable(size_t argument) const { return code_->module().writable[argument]; }
  static std::vector<uint32_t> counts_of(std::span<const layout::Binding> bindings) {
    std::vector<uint32_t> out;
    for (const layout::Binding& binding : bindings) out.push_back(binding.count);
    return out;
  }

  Result<void> check_size(uint64_t bytes) const {
    const DispatchLimits& limits = device_->profile().limits;
    const bool binding = limits.binding_bytes <= limits.buffer_bytes;
    const uint64_t allowed = binding ? limits.binding_bytes : limits.buffer_bytes;
    if (bytes <= allowed) return {};
    return std::unexpected(
        exceeded("webgpu", Span::none(), fmt::format("a buffer of {} bytes was", bytes),
                 fmt::format("{} ({})", allowed, binding ? "maxStorageBufferBindingSize" : "maxBufferSize"),
                 "dispatch in pieces, or use smaller buffers"));
  }

  /// Room for every binding that is not empty. A block holds those that are read or those that are written,
  /// since WebGPU forbids to bind one buffer both ways.
  Result<std::vector<Bound>> memory_for(std::span<const layout::Binding> bindings,
                                        std::vector<DeviceMemory>& memory) const {
    uint64_t together[2] = {};
    for (size_t i = 0; i < bindings.size(); ++i)
      together[is_writable(i)] += range_aligned(bindings[i].bytes.size());
    memory.reserve(bindings.size() + 2);  // bounds point into it
    const Piece* block[2] = {};
    uint64_t used[2] = {};
    std::vector<Bound> out;
    for (size_t i = 0; i < bindings.size(); ++i) {
      const uint64_t bytes = bindings[i].bytes.size();
      const bool kind = is_writable(i), alone = together[kind] > kLargestBlock;
      if (bytes != 0 && (alone || block[kind] == nullptr)) {
        VYRE_TRY(made, device_->allocate(alone ? bytes : together[kind]));
        memory.push_back(std::move(made));
        block[kind] = &memory.back().piece();
        used[kind] = 0;
      }
      out.push_back({block[kind], used[kind], bytes});
      used[kind] += range_aligned(bytes);
    }
    return out;
  }

  const check::Checked program_;
  const std::shared_ptr<Device> device_;
  const std::shared_ptr<Code> code_;
};

}  // namespace

std::unique_ptr<Pipeline> make_pipeline(const check::Checked& program, std::shared_ptr<Device> device,
                                        std::shared_ptr<Code> code) {
  return std::make_unique<WebgpuPipeline>(program, std::move(device), std::move(code));
}

Result<std::unique_ptr<DeviceBuffer>> make_buffer(const std::shared_ptr<Device>& device, uint64_t bytes) {
  VYRE_TRY(memory, device->allocate(bytes));
  return std::make_unique<WebgpuBuffer>(device, std::move(memory), bytes);
}

Result<void> run_steps(const std::shared_ptr<Device>& device, std::span<const Step> steps) {
  std::vector<std::pair<const WebgpuPipeline*, WebgpuPipeline::Prepared>> all;
  for (const Step& step : steps) {
    const auto* const pipeline = dynamic_cast<const WebgpuPipeline*>(step.pipeline);
    if (pipeline == nullptr || pipeline->device() != device.get()) return std::unexpected(foreign("program"));
    VYRE_TRY(prepared, pipeline->prepare(step.ranges, step.groups));
    all.emplace_back(pipeline, std::move(prepared));
  }
  VYRE_TRY(work, Work::begin(device));
  for (const auto& [pipeline, prepared] : all) VYRE_CHECK(pipeline->record(*work, prepared));
  return work->finish();
}

}  // namespace vyre::backend::webgpu
