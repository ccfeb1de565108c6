#include "lower/memory.h"

#include <algorithm>
#include <cstring>

#include "base/random.h"

namespace vyre::lower {

using spec::BufferAccess;
using spec::DataType;

Memory::Memory(const Kernel& kernel, std::span<const layout::Binding> buffers, uint64_t seed)
    : workgroup_(kernel.buffers.size()), seed_(seed) {
  for (size_t b = 0; b < kernel.buffers.size(); ++b) {
    const KernelBuffer& buffer = kernel.buffers[b];
    View view{.data = nullptr,
              .count = buffer.count,
              .element_bytes = spec::info(buffer.element).bytes,
              .truth = buffer.element == DataType::Bool,
              .dims = {},
              .strides = {}};
    if (!spec::is_bound(buffer.access)) {
      view.per_lane = buffer.access == BufferAccess::Private;
      workgroup_[b].resize(view.bytes() * (view.per_lane ? kernel.invocations() : 1));
      view.data = workgroup_[b].data();
    } else {
      const layout::Binding& binding = buffers[buffer.argument];
      view.data = binding.bytes.data();
      view.count = binding.count;
      view.dims = binding.dims;
      view.strides = binding.strides;
    }
    views_.push_back(view);
  }
}

void Memory::clear_workgroup() {
  for (auto& memory : workgroup_) std::ranges::fill(memory, std::byte{0});
}

std::optional<size_t> Memory::element(uint32_t buffer, std::span<const Word> indices) const {
  const View& view = views_[buffer];
  if (view.dims.empty()) return indices[0] < view.count ? std::optional<size_t>(indices[0]) : std::nullopt;
  size_t sum = 0;
  for (size_t d = 0; d < view.dims.size(); ++d) {
    if (indices[d] >= view.dims[d]) return std::nullopt;
    sum += size_t(indices[d]) * view.strides[d];
  }
  return sum;
}

Bits Memory::load(uint32_t buffer, size_t element) const {
  const View& view = views_[buffer];
  Bits out{};
  std::memcpy(out.data(), data(view) + element * view.element_bytes, view.element_bytes);
  if (view.truth) out[0] = Word(out[0] != 0);
  return out;
}
void Memory::store(uint32_t buffer, size_t element, const Bits& value) {
  const View& view = views_[buffer];
  std::memcpy(data(view) + element * view.element_bytes, value.data(), view.element_bytes);
}

uint32_t Memory::domain(const Inst& access) const {
  const View& view = views_[access.target];
  const size_t units = access.access == Access::Words ? (view.bytes() + 3) / 4 : view.count;
  return uint32_t(std::max<size_t>(units, 1));
}

Memory::Bytes Memory::bytes(const Inst& access, Word index) const {
  if (access.access == Access::Words) return {size_t(index) * 4, 4};
  const uint32_t element = views_[access.target].element_bytes;
  return {size_t(index) * element + size_t(access.imm) * 4, std::min(element, 4u)};
}

Word Memory::load_raw(const Inst& access, Word index) {
  const View& view = views_[access.target];
  const Bytes at = bytes(access, index);
  const size_t owned = std::min<size_t>(view.bytes() - std::min(view.bytes(), at.first), at.count);
  Word out = 0;
  if (owned < at.count) {
    const Word unspecified = philox(seed_, unspecified_++)[0];
    std::memcpy(&out, &unspecified, at.count);
  }
  if (owned > 0) std::memcpy(&out, data(view) + at.first, owned);
  return out;
}
void Memory::store_raw(const Inst& access, Word index, Word value) {
  const View& view = views_[access.target];
  const Bytes at = bytes(access, index);
  const size_t owned = std::min<size_t>(view.bytes() - std::min(view.bytes(), at.first), at.count);
  if (owned > 0) std::memcpy(data(view) + at.first, &value, owned);
}

}  // namespace vyre::lower
