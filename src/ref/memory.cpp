#include "ref/memory.h"

#include <algorithm>

namespace vyre::ref {
namespace {

constexpr size_t kWordBytes = sizeof(Bits);

}  // namespace

PlainMemory::PlainMemory(const check::Checked& program, std::span<const layout::Binding> bindings) {
  const auto& buffers = program.program().buffers;
  places_.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    const ir::BufferDecl& decl = buffers[i];
    places_[i].truth = decl.element == spec::DataType::Bool;
    if (decl.access != spec::BufferAccess::Workgroup) continue;
    workgroup_.emplace_back(size_t(decl.count) * kWordBytes);
    places_[i].data = workgroup_.back().data();
    places_[i].count = decl.count;
  }
  const auto& bound = program.bound_buffers();
  for (size_t i = 0; i < bound.size(); ++i) {
    Place& place = places_[check::index(bound[i])];
    place.data = bindings[i].bytes.data();
    place.count = bindings[i].count;
  }
}

void PlainMemory::start_workgroup() {
  for (Bytes& allocation : workgroup_) std::ranges::fill(allocation, std::byte{0});
}

uint32_t PlainMemory::length(BufferId buffer) const { return place(buffer).count; }

Bits PlainMemory::load(BufferId buffer, Bits index) {
  const Place& from = place(buffer);
  if (index >= from.count) return 0;
  const Bits word = load_u32(from.data + size_t(index) * kWordBytes);
  if (from.truth) return word != 0 ? 1 : 0;
  return word;
}

void PlainMemory::store(BufferId buffer, Bits index, Bits value) {
  const Place& to = place(buffer);
  if (index >= to.count) return;
  store_u32(to.data + size_t(index) * kWordBytes, value);
}

Bits PlainMemory::atomic(spec::Op op, BufferId buffer, Bits index, Bits expected, Bits value) {
  const Place& at = place(buffer);
  if (index >= at.count) return 0;
  std::byte* word = at.data + size_t(index) * kWordBytes;
  const Bits before = load_u32(word);
  store_u32(word, eval_atomic(op, before, expected, value));
  return before;
}

}  // namespace vyre::ref
