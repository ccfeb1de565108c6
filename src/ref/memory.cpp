#include "ref/memory.h"

#include <algorithm>
#include <cstring>

namespace vyre::ref {
namespace {

/// The bits of an element, which are little-endian in memory; a bool is 0 or 1, whatever the word.
Bits read_element(const std::byte* at, DataType element) {
  Bits bits = 0;
  std::memcpy(&bits, at, spec::info(element).bytes);
  return element == DataType::Bool && bits != 0 ? 1 : bits;
}
void write_element(std::byte* at, DataType element, Bits bits) {
  std::memcpy(at, &bits, spec::info(element).bytes);
}

}  // namespace

PrivateMemory::PrivateMemory(const ir::Program& program) {
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const ir::BufferDecl& decl = program.buffers[i];
    if (decl.access != spec::BufferAccess::Private) continue;
    arrays_.resize(i + 1);
    arrays_[i] = {memory_.size(), decl.count, decl.element};
    memory_.resize(memory_.size() + size_t(decl.count) * spec::info(decl.element).bytes);
  }
}

void PrivateMemory::clear() { std::ranges::fill(memory_, std::byte{0}); }

Bits PrivateMemory::load(BufferId buffer, Bits index) const {
  const Array& array = arrays_[check::index(buffer)];
  if (index >= array.count) return 0;
  return read_element(memory_.data() + array.first + size_t(index) * spec::info(array.element).bytes,
                      array.element);
}

void PrivateMemory::store(BufferId buffer, Bits index, Bits value) {
  const Array& array = arrays_[check::index(buffer)];
  if (index >= array.count) return;
  write_element(memory_.data() + array.first + size_t(index) * spec::info(array.element).bytes, array.element,
                value);
}

PlainMemory::PlainMemory(const check::Checked& program, std::span<const layout::Binding> bindings) {
  const auto& buffers = program.program().buffers;
  views_.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    const ir::BufferDecl& decl = buffers[i];
    views_[i].element = program.program().element(decl);
    if (decl.access != spec::BufferAccess::Workgroup) continue;
    workgroup_.emplace_back(size_t(decl.count) * spec::info(decl.element).bytes);
    views_[i].data = workgroup_.back().data();
    views_[i].count = decl.count;
  }
  const auto& bound = program.bound_buffers();
  for (size_t i = 0; i < bound.size(); ++i) {
    BufferView& view = views_[check::index(bound[i])];
    view.data = bindings[i].bytes.data();
    view.count = bindings[i].count;
    view.dims = bindings[i].dims;
    view.strides = bindings[i].strides;
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].element == DataType::Tensor) continue;
    views_[i].dims = {views_[i].count};
    views_[i].strides = {1};
  }
}

void PlainMemory::start_workgroup() {
  for (Bytes& allocation : workgroup_) std::ranges::fill(allocation, std::byte{0});
}

uint32_t PlainMemory::length(BufferId buffer) const { return view(buffer).count; }

std::optional<uint64_t> PlainMemory::element_at(BufferId buffer, Indices indices) const {
  const BufferView& at = view(buffer);
  for (size_t d = 0; d < indices.size(); ++d) {
    if (indices[d] >= at.dims[d]) return std::nullopt;
  }
  uint64_t element = 0;
  for (size_t d = 0; d < indices.size(); ++d) element += uint64_t(indices[d]) * at.strides[d];
  return element;
}

std::byte* PlainMemory::locate(BufferId buffer, Indices indices) const {
  const auto element = element_at(buffer, indices);
  return element ? view(buffer).data + *element * spec::info(view(buffer).element).bytes : nullptr;
}

Bits PlainMemory::load(BufferId buffer, Indices indices) {
  const std::byte* at = locate(buffer, indices);
  return at == nullptr ? 0 : read_element(at, view(buffer).element);
}

void PlainMemory::store(BufferId buffer, Indices indices, Bits value) {
  std::byte* at = locate(buffer, indices);
  if (at != nullptr) write_element(at, view(buffer).element, value);
}

Bits PlainMemory::atomic(spec::Op op, BufferId buffer, Bits index, Bits expected, Bits value) {
  std::byte* at = locate(buffer, {&index, 1});
  if (at == nullptr) return 0;
  const Bits before = read_element(at, DataType::U32);
  write_element(at, DataType::U32, eval_atomic(op, before, expected, value));
  return before;
}

}  // namespace vyre::ref
