// Buffers: which there are, what shape tensors have, and what stands in them.
#include <algorithm>

#include "generate/program_writer.h"
#include "generate/values.h"
#include "spec/ops.h"

namespace vyre::generate {
namespace {

using spec::BufferAccess;
using spec::DataType;
using spec::Op;

// Which atomics commute with themselves: their order cannot be seen in what they leave.
constexpr DataType kElements[] = {DataType::U32,     DataType::I32,     DataType::U64,  DataType::U128,
                                  DataType::Vec2U32, DataType::Vec4U32, DataType::Bool, DataType::Bytes,
                                  DataType::F16,     DataType::BF16,    DataType::F32};
constexpr std::string_view kBufferNames[][4] = {{"r0", "r1", "r2", "r3"},
                                                {"u0", "u1", "u2", "u3"},
                                                {"o0", "o1", "o2", "o3"},
                                                {"a0", "a1", "a2", "a3"},
                                                {"g0", "g1", "g2", "g3"}};
constexpr std::string_view kWorkgroupNames[] = {"w0", "w1", "w2", "w3"};
constexpr std::string_view kDimNames[] = {"n0", "n1", "n2", "n3"};
/// Elements of a tensor: enough for every coordinate to matter, few enough to run quickly.
constexpr uint64_t kMaxTensorElements = 4096;

}  // namespace

DataType ProgramWriter::any_element() {
  return choices_->chance(4) ? pick(kElements) : palette_[choices_->below(3)];
}

void ProgramWriter::declare_buffers() {
  // A small program has no room for the numbers of a dispatch of several axes, nor for many buffers.
  const bool small = !digests_;
  const bool shared = !small || (is_one_axis(Identity::Slot) && is_one_axis(Identity::Group));
  declare(Discipline::Own, 1 + choices_->below(2));
  declare(Discipline::Read, small ? choices_->below(3) : 1 + choices_->below(3));
  declare(Discipline::Uniform, small ? choices_->below(5) / 4 : choices_->below(2));
  if (options_.atomics) declare(Discipline::Sum, small ? choices_->below(5) / 4 : choices_->below(2));
  if (options_.barriers && shared)
    declare(Discipline::Shared, small ? choices_->below(6) / 4 : choices_->below(3));
  if (options_.racy) declare_race_buffer();
  if (options_.additions) declare_private();
  if (!dims_words_.empty()) declare_dims();
}

void ProgramWriter::declare(Discipline discipline, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const bool first = buffers_.empty();  // where the digest goes, so it is never a tensor
    Buffer buffer{.discipline = discipline, .element = any_element(), .op = pick(kCommutativeAtomics)};
    buffer.workgroup = discipline == Discipline::Shared && choices_->chance(2);
    const bool for_atomics = discipline == Discipline::Shared && options_.atomics && choices_->chance(2);
    if (discipline == Discipline::Sum || (first && digests_) || (for_atomics && !buffer.workgroup))
      buffer.element = DataType::U32;
    const bool tensor = !first && discipline != Discipline::Sum && discipline != Discipline::Shared &&
                        buffer.element != DataType::Bytes && choices_->chance(3);
    if (tensor) buffer.rank = 1 + choices_->below(4);
    // A workgroup buffer is one element short or long at times, so that a slot may be out of bounds.
    buffer.count =
        buffer.workgroup ? std::max<uint32_t>(1, group_size_ + choices_->below(4) - 1) : any_count(buffer);
    std::string_view name = buffer.workgroup ? kWorkgroupNames[i] : kBufferNames[size_t(discipline)][i];
    const BufferAccess access = buffer.workgroup                    ? BufferAccess::Workgroup
                                : discipline == Discipline::Read    ? BufferAccess::Read
                                : discipline == Discipline::Uniform ? BufferAccess::Uniform
                                                                    : BufferAccess::ReadWrite;
    add_declaration(buffer, access, name);
  }
}

void ProgramWriter::add_declaration(Buffer& buffer, BufferAccess access, std::string_view name) {
  buffer.name = code_->intern(name);
  ir::BufferDecl decl{.name = buffer.name, .access = access, .element = buffer.element};
  if (buffer.rank > 0) {
    decl.element = DataType::Tensor;
    decl.tensor = uint32_t(program_->tensors.size());
    ir::TensorType& type = program_->tensors.emplace_back();
    shape_tensor(buffer, type);
    lay_out_tensor(buffer, type);
  }
  if (!spec::is_bound(access)) {
    decl.count = buffer.count;
  } else {
    decl.binding = uint32_t(buffers_.size());
  }
  program_->buffers.push_back(decl);
  if (buffer.discipline == Discipline::Shared) phases_[buffers_.size()] = any_phase(buffer);
  buffers_.push_back(buffer);
}

/// How many elements are bound: those that are needed, more, fewer, an odd number, one, none.
uint32_t ProgramWriter::any_count(const Buffer& buffer) {
  const uint32_t roll = choices_->below(8);
  const uint32_t n = total_;
  switch (buffer.discipline) {
    case Discipline::Own: {
      const std::array<uint32_t, 8> counts = {n, 3 * n, 2 * n + 1, 4 * n, n, n - n / 4, n + 1, 0};
      return buffers_.empty() && roll == 7 ? n : counts[roll];
    }
    case Discipline::Shared: return std::array<uint32_t, 4>{n, n + 3, n - 1, 0}[roll / 2];
    case Discipline::Read:
    case Discipline::Uniform:
    case Discipline::Sum:
    case Discipline::Race:
    case Discipline::Private: break;
  }
  return std::array<uint32_t, 8>{16, n, 9, n + 5, 1, n, 3, 0}[roll];
}

// ---- Tensors ----

/// Dimensions of a few elements, at times 0; of an invocation's own tensor one goes over the invocations.
/// Half of them are read from a uniform buffer, whose words are collected here.
void ProgramWriter::shape_tensor(Buffer& buffer, ir::TensorType& type) {
  static constexpr uint32_t kDims[] = {2, 3, 1, 4, 2, 3, 5, 1};
  type.element = buffer.element;
  buffer.own_axis = choices_->below(buffer.rank);
  const bool own = buffer.discipline == Discipline::Own;
  uint64_t elements = own ? total_ + 1 : 1;
  for (uint32_t i = 0; i < buffer.rank; ++i) {
    uint32_t size = choices_->chance(24) ? 0 : pick(kDims);
    if (own && i == buffer.own_axis) {
      size = total_ + choices_->below(3) - 1;
    } else if (elements * size > kMaxTensorElements) {
      size = 1;
    } else {
      elements *= std::max(1u, size);
    }
    buffer.dims[i] = size;
    ir::Dim& dim = type.dims.emplace_back();
    if (choices_->chance(2)) {
      if (dims_buffer_ == ir::kNoSymbol) dims_buffer_ = code_->intern("d0");
      if (choices_->chance(4)) dims_words_.push_back(choices_->next());  // something else in between
      dim = {.size = 0,
             .name = code_->intern(kDimNames[i]),
             .buffer = dims_buffer_,
             .element = uint32_t(dims_words_.size())};
      dims_words_.push_back(size);
    } else {
      dim.size = size;
    }
  }
}

/// Strides, and how many elements that takes. Those of an own tensor keep different coordinates apart: the
/// axes in some order, with gaps. What is only read may overlap.
void ProgramWriter::lay_out_tensor(Buffer& buffer, ir::TensorType& type) {
  std::array<uint32_t, 4> strides{};
  const bool given = choices_->chance(2);
  uint32_t next = 1;
  const uint32_t turn = given ? choices_->below(buffer.rank) : 0;
  for (uint32_t k = 0; k < buffer.rank; ++k) {
    const uint32_t axis = (buffer.rank - 1 - k + turn) % buffer.rank;
    strides[axis] = next;
    next *= std::max(1u, buffer.dims[axis]) + (given ? choices_->below(2) : 0);
    if (given && buffer.discipline != Discipline::Own && choices_->chance(4))
      strides[axis] = choices_->below(6);
  }
  if (given) type.strides.assign(strides.begin(), strides.begin() + buffer.rank);
  uint32_t last = 0;
  bool empty = false;
  for (uint32_t i = 0; i < buffer.rank; ++i) {
    empty |= buffer.dims[i] == 0;
    if (!empty) last += (buffer.dims[i] - 1) * strides[i];
  }
  buffer.count = (empty ? 0 : last + 1) + choices_->below(3);
}

/// The uniform buffer that dimensions are read from, which any invocation may read as well.
void ProgramWriter::declare_dims() {
  Buffer buffer{.discipline = Discipline::Uniform,
                .element = choices_->chance(3) ? DataType::Bytes : DataType::U32};
  buffer.count = uint32_t(dims_words_.size());
  add_declaration(buffer, BufferAccess::Uniform, "d0");
}

/// Of a few elements, which are indexed with anything.
void ProgramWriter::declare_private() {
  static constexpr std::string_view kNames[] = {"p0", "p1"};
  const uint32_t count = choices_->below(3);
  for (uint32_t i = 0; i < count; ++i) {
    Buffer buffer{.discipline = Discipline::Private, .element = any_element()};
    if (buffer.element == DataType::Bytes) buffer.element = DataType::U32;
    buffer.count = 1 + choices_->below(choices_->chance(4) ? 200 : 12);
    add_declaration(buffer, BufferAccess::Private, kNames[i]);
  }
}

// ---- Contents ----

void ProgramWriter::fill(const Buffer& buffer, Bytes& out) {
  const uint32_t element_bytes = spec::info(buffer.element).bytes;
  out.resize(size_t(buffer.count) * element_bytes);
  if (buffer.name == dims_buffer_) {
    std::memcpy(out.data(), dims_words_.data(), out.size());
    return;
  }
  const DataType type = buffer.value();
  const uint32_t words = spec::value_words(type);
  const bool is_float = spec::kFloats.contains(type);
  const uint32_t style = is_float ? choices_->below(5) : choices_->below(3);
  std::byte* at = out.data();
  for (uint32_t i = 0; i < buffer.count; ++i, at += element_bytes) {
    std::array<uint32_t, 4> bits{};
    const uint32_t choice = choices_->next();
    if (style == 2 && is_float) {
      bits = short_float(type, choice);
    } else if (style == 2) {
      bits[0] = uint32_t((uint64_t(choice) * 9) >> 32);
    } else {
      std::array<uint32_t, 4> random{};
      for (uint32_t k = 0; k < words; ++k) random[k] = choices_->next();
      // Loads of a bool give 0 or 1 whatever the word is, so a few are other words. Among floats of all kinds
      // a fold is soon NaN, so some buffers hold numbers near one alone.
      const bool other = type == DataType::Bool && choice % 4 == 0;
      const bool near_one = is_float && style != 0;
      bits = mixed_value(other ? DataType::U32 : type, near_one ? kNearOne : choice, random);
    }
    std::memcpy(at, bits.data(), element_bytes);
  }
}

}  // namespace vyre::generate
