#include "lower/spirv/memory.h"

#include <algorithm>

#include "lower/inst_info.h"
#include "lower/spirv/raw.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spec::BufferAccess;
using spv::Decoration;
using spv::MemoryAccessMask;
using spv::MemorySemanticsMask;
using spv::Op;
using spv::StorageClass;

}  // namespace

SpirvMemory::SpirvMemory(const Kernel& kernel, const SpirvTarget& target, SpirvBuilder& builder,
                         const std::vector<bool>& in_fours)
    : k_(kernel), target_(target), b_(builder), views_(kernel.buffers.size()) {
  for (size_t i = 0; i < views_.size(); ++i) views_[i].in_fours = in_fours[i];
  const auto workgroup = [](const KernelBuffer& b) { return b.access == BufferAccess::Workgroup; };
  barriers_ = find(kernel, InstKind::Barrier) != nullptr || std::ranges::any_of(kernel.buffers, workgroup);
  bound_ = uint32_t(
      std::ranges::count_if(kernel.buffers, [](const KernelBuffer& b) { return spec::is_bound(b.access); }));
  if (target.memory_model) {
    b_.capability(spv::Capability::VulkanMemoryModel);
    b_.memory_model(spv::MemoryModel::Vulkan);
  }
  for (uint32_t i = 0; i < kernel.buffers.size(); ++i) declare(i);
}

void SpirvMemory::declare(uint32_t buffer) {
  const KernelBuffer& declared = k_.buffers[buffer];
  View& view = views_[buffer];
  if (declared.access == BufferAccess::Workgroup) {
    declare_workgroup(declared, view);
  } else if (declared.access == BufferAccess::Private) {
    declare_private(declared, view);
  } else {
    declare_bound(declared, view);
  }
  b_.name(view.variable, declared.name);
}

/// struct { array }, laid out for the host.
SpirvId SpirvMemory::block_of(SpirvId array, uint32_t stride) {
  const SpirvId block = b_.own_type(Op::OpTypeStruct, {array});
  b_.decorate(array, Decoration::ArrayStride, {stride});
  b_.decorate_member(block, 0, Decoration::Offset, {0u});
  b_.decorate(block, Decoration::Block);
  return block;
}

// Each buffer has a type of its own, which has its decorations: NVIDIA's driver (580) takes what is said of
// one variable for said of all of its type, and a buffer that it thinks is never written it reads when it
// likes (test/regress, loads-move-past-stores).
SpirvId SpirvMemory::buffer_block(bool halves, uint32_t width) {
  const SpirvId element = halves ? b_.integer(16) : width > 1 ? b_.vector(b_.word(), width) : b_.word();
  return block_of(b_.own_type(Op::OpTypeRuntimeArray, {element}), halves ? 2 : 4 * width);
}

void SpirvMemory::declare_bound(const KernelBuffer& buffer, View& view) {
  view.halves = target_.storage_16bit && spec::info(buffer.element).bytes == 2;
  if (view.halves) b_.capability(spv::Capability::StorageBuffer16BitAccess);
  view.width = std::max(spec::info(buffer.element).bytes / 4, 1u);
  const SpirvId block = buffer_block(view.halves, vector_words(view));
  view.variable = b_.global(StorageClass::StorageBuffer, block);
  b_.decorate(view.variable, Decoration::DescriptorSet, {0u});
  b_.decorate(view.variable, Decoration::Binding, {buffer.argument});
  b_.decorate(view.variable, Decoration::Restrict);  // layout::bind refuses bindings that overlap
  if (buffer.access != BufferAccess::ReadWrite) {
    b_.decorate_member(block, 0, Decoration::NonWritable);
  } else if (barriers_) {
    view.shared_by = true;
    if (!target_.memory_model) b_.decorate_member(block, 0, Decoration::Coherent);
  }
}

void SpirvMemory::declare_workgroup(const KernelBuffer& buffer, View& view) {
  // Storage of 16 bits is for buffers alone; a 16-bit element in workgroup memory has a word of its own, and
  // where legalization packed two into one the accesses are words anyway.
  const uint32_t bytes = spec::info(buffer.element).bytes;
  const uint32_t each = target_.storage_16bit ? std::max(bytes, 4u) : bytes;
  const uint64_t words = (uint64_t{buffer.count} * each + 3) / 4;  // check/ keeps it far below 2^32
  view.shared_words = uint32_t(std::max<uint64_t>(words, 1));
  view.shared_by = true;
  view.storage = StorageClass::Workgroup;
  const SpirvId element = view.in_fours ? b_.vector(b_.word(), 4) : b_.word();
  const uint32_t elements = view.in_fours ? view.shared_words / 4 : view.shared_words;
  view.variable =
      b_.global(StorageClass::Workgroup, b_.type(Op::OpTypeArray, {element, b_.number(elements)}));
}

void SpirvMemory::declare_private(const KernelBuffer& buffer, View& view) {
  const uint32_t words = buffer.count * (spec::info(buffer.element).bytes / 4);  // check/ keeps it small
  view.storage = StorageClass::Private;
  const SpirvId array = b_.type(Op::OpTypeArray, {b_.word(), b_.number(words)});
  view.variable = b_.global(StorageClass::Private, array, b_.null(array));
}

uint32_t SpirvMemory::shared_bytes() const {
  uint32_t words = 0;
  for (const View& view : views_) words += view.shared_words;
  return words * 4;
}

SpirvId SpirvMemory::pushed(uint32_t word, uint32_t words) {
  if (lengths_ == SpirvId{}) {
    const SpirvId array = b_.own_type(Op::OpTypeArray, {b_.word(), b_.number(words)});
    lengths_ = b_.global(StorageClass::PushConstant, block_of(array, 4));
    b_.name(lengths_, "lengths");
  }
  const SpirvId pointer = b_.emit(Op::OpAccessChain, b_.pointer(StorageClass::PushConstant, b_.word()),
                                  {lengths_, b_.number(0), b_.number(word)});
  return b_.emit(Op::OpLoad, b_.word(), {pointer});
}

// Not OpArrayLength: it is wrong for empty buffers and for padded ones.
void SpirvMemory::read_lengths(bool opaque) {
  const uint32_t words = bound_ + (opaque ? kSpirvMasks : 0);
  for (uint32_t i = 0; i < k_.buffers.size(); ++i) {
    if (!spec::is_bound(k_.buffers[i].access)) views_[i].length = b_.number(k_.buffers[i].count);
  }
  for (const Inst& inst : k_.insts) {
    if (inst.kind != InstKind::Len || views_[inst.target].length != SpirvId{}) continue;
    views_[inst.target].length = pushed(k_.buffers[inst.target].argument, words);
  }
}

// Push constants alone are not enough to make an operand opaque: whether a value is the same in all
// invocations Mesa (22.3) asks of both operands of all that leads to it, over and over, as long as it finds
// only constants and push constants. That never ends for a composition of some hundred operators. A number of
// the workgroup ends it.
void SpirvMemory::read_masks(SpirvId group) {
  for (uint32_t i = 0; i < kSpirvMasks; ++i) {
    const SpirvId zero = pushed(bound_ + i, bound_ + kSpirvMasks);
    masks_[i] = b_.emit(Op::OpBitwiseAnd, b_.word(), {zero, group});
  }
}

SpirvMemory::TypedPointer SpirvMemory::whole(const View& view, SpirvId at) {
  const SpirvId vector = b_.vector(b_.word(), vector_words(view)), type = b_.pointer(view.storage, vector);
  if (view.storage != StorageClass::StorageBuffer)
    return {b_.emit(Op::OpAccessChain, type, {view.variable, at}), vector};
  return {b_.emit(Op::OpAccessChain, type, {view.variable, b_.number(0), at}), vector};
}
SpirvMemory::TypedPointer SpirvMemory::element(View& view, SpirvId at, uint32_t component) {
  if (view.in_fours)
    return in_four(view, {at, b_.emit(Op::OpShiftRightLogical, b_.word(), {at, b_.number(2)})});
  if (view.element == SpirvId{}) {
    view.element = view.halves ? b_.integer(16) : b_.word();
    view.pointer = b_.pointer(view.storage, view.element);
  }
  if (view.storage != StorageClass::StorageBuffer) {
    return {b_.emit(Op::OpAccessChain, view.pointer, {view.variable, at}), view.element};
  }
  if (view.width > 1) {
    return {b_.emit(Op::OpAccessChain, view.pointer, {view.variable, b_.number(0), at, b_.number(component)}),
            view.element};
  }
  return {b_.emit(Op::OpAccessChain, view.pointer, {view.variable, b_.number(0), at}), view.element};
}
/// An element as a component.
SpirvMemory::TypedPointer SpirvMemory::in_four(View& view, SpirvIndex index) {
  const SpirvId component = b_.emit(Op::OpBitwiseAnd, b_.word(), {index.at, b_.number(3)});
  const SpirvId type = b_.pointer(view.storage, b_.word());
  if (view.storage != StorageClass::StorageBuffer)
    return {b_.emit(Op::OpAccessChain, type, {view.variable, index.four, component}), b_.word()};
  return {b_.emit(Op::OpAccessChain, type, {view.variable, b_.number(0), index.four, component}), b_.word()};
}

SpirvMemory::TypedPointer SpirvMemory::pointer_to(const Inst& access, SpirvIndex index) {
  const uint32_t bytes = spec::info(k_.buffers[access.target].element).bytes;
  View& view = views_[access.target];
  if (view.in_fours) return in_four(view, index);
  SpirvId at = index.at;
  if (view.width > 1) return element(view, at, access.imm);
  if (access.access == Access::Elements && bytes > 4) {
    // A buffer has fewer than 2^30 words, so nothing wraps.
    at = b_.emit(Op::OpIMul, b_.word(), {at, b_.number(bytes / 4)});
    if (access.imm != 0) at = b_.emit(Op::OpIAdd, b_.word(), {at, b_.number(access.imm)});
  }
  return element(view, at);
}

MemoryAccessMask SpirvMemory::mask(const View& view, bool once) const {
  MemoryAccessMask out = MemoryAccessMask::MaskNone;
  if (once) out = out | MemoryAccessMask::Volatile;
  if (target_.memory_model && view.shared_by) out = out | MemoryAccessMask::NonPrivatePointer;
  return out;
}

SpirvId SpirvMemory::read(TypedPointer from, MemoryAccessMask how) {
  if (how == MemoryAccessMask::MaskNone) return b_.emit(Op::OpLoad, from.type, {from.pointer});
  return b_.emit(Op::OpLoad, from.type, {from.pointer, how});
}
void SpirvMemory::write(TypedPointer to, SpirvId value, MemoryAccessMask how) {
  if (how == MemoryAccessMask::MaskNone) {
    b_.emit(Op::OpStore, {to.pointer, value});
  } else {
    b_.emit(Op::OpStore, {to.pointer, value, how});
  }
}

// Two words, so that the array is one of words whatever its elements are.
SpirvId SpirvMemory::load(const Inst& access, SpirvIndex at, bool once) {
  if (access.type != spec::DataType::U64) return load_word(access, at, once);
  Inst one = access;
  const SpirvId low = load_word(one, at, once);
  ++one.imm;
  return long_of(b_, low, load_word(one, at, once));
}
SpirvId SpirvMemory::load_word(const Inst& access, SpirvIndex at, bool once) {
  const View& view = views_[access.target];
  const TypedPointer from = pointer_to(access, at);
  const SpirvId loaded = read(from, mask(view, once));
  return view.halves ? b_.emit(Op::OpUConvert, b_.word(), {loaded}) : loaded;
}

std::vector<SpirvId> SpirvMemory::load_whole(uint32_t buffer, SpirvId at, bool once) {
  const View& view = views_[buffer];
  const TypedPointer from = whole(view, at);
  const SpirvId loaded = read(from, mask(view, once));
  std::vector<SpirvId> words;
  for (uint32_t n = 0; n < vector_words(view); ++n)
    words.push_back(b_.emit(Op::OpCompositeExtract, b_.word(), {loaded, n}));
  return words;
}
void SpirvMemory::store_whole(uint32_t buffer, SpirvId at, std::span<const SpirvId> words) {
  const View& view = views_[buffer];
  const TypedPointer to = whole(view, at);
  const SpirvId value = words.size() == 2 ? b_.emit(Op::OpCompositeConstruct, to.type, {words[0], words[1]})
                                          : b_.emit(Op::OpCompositeConstruct, to.type,
                                                    {words[0], words[1], words[2], words[3]});
  write(to, value, mask(view, false));
}

void SpirvMemory::store(const Inst& access, SpirvIndex at, SpirvId value) {
  if (access.type != spec::DataType::U64) return store_word(access, at, value);
  Inst one = access;
  store_word(one, at, word_of_long(b_, value, 0));
  ++one.imm;
  store_word(one, at, word_of_long(b_, value, 1));
}
void SpirvMemory::store_word(const Inst& access, SpirvIndex at, SpirvId value) {
  const View& view = views_[access.target];
  const bool half =
      access.access == Access::Elements && spec::info(k_.buffers[access.target].element).bytes == 2;
  const TypedPointer to = pointer_to(access, at);
  if (view.halves) {
    value = b_.emit(Op::OpUConvert, to.type, {value});
  } else if (half) {
    value = b_.emit(Op::OpBitwiseAnd, to.type, {value, b_.number(0xffff)});
  }
  write(to, value, mask(view, false));
}

/// The invocations that an atomic is atomic among: all of the dispatch, which is of one queue. So the newer
/// model needs no feature for the whole device.
SpirvId SpirvMemory::scope(const View& view) {
  const spv::Scope all = target_.memory_model ? spv::Scope::QueueFamily : spv::Scope::Device;
  const spv::Scope among = view.storage == StorageClass::Workgroup ? spv::Scope::Workgroup : all;
  return b_.number(static_cast<uint32_t>(among));
}

SpirvId SpirvMemory::atomic(const Inst& access, SpirvId at, SpirvId expected, SpirvId value) {
  const View& view = views_[access.target];
  const TypedPointer to = pointer_to(access, {at});
  const SpirvId relaxed = b_.number(static_cast<uint32_t>(MemorySemanticsMask::MaskNone));
  if (access.op == spec::Op::AtomicCompareExchange) {
    return b_.emit(Op::OpAtomicCompareExchange, to.type,
                   {to.pointer, scope(view), relaxed, relaxed, value, expected});
  }
  return b_.emit(spirv_atomic(access.op), to.type, {to.pointer, scope(view), relaxed, value});
}

void SpirvMemory::barrier() {
  MemorySemanticsMask what = MemorySemanticsMask::AcquireRelease | MemorySemanticsMask::UniformMemory |
                             MemorySemanticsMask::WorkgroupMemory;
  if (target_.memory_model) {
    what = what | MemorySemanticsMask::MakeAvailable | MemorySemanticsMask::MakeVisible;
  }
  const SpirvId workgroup = b_.number(static_cast<uint32_t>(spv::Scope::Workgroup));
  b_.emit(Op::OpControlBarrier, {workgroup, workgroup, b_.number(static_cast<uint32_t>(what))});
}

void SpirvMemory::declare_watch() {
  watch_.variable = b_.global(StorageClass::StorageBuffer, buffer_block(false, 1));
  b_.decorate(watch_.variable, Decoration::DescriptorSet, {0u});
  b_.decorate(watch_.variable, Decoration::Binding, {bound_});
  b_.name(watch_.variable, "ended_early");
}

// Many may raise it at once, so it is an atomic.
void SpirvMemory::raise_watch() {
  const TypedPointer to = element(watch_, b_.number(0));
  const SpirvId relaxed = b_.number(static_cast<uint32_t>(MemorySemanticsMask::MaskNone));
  b_.emit(Op::OpAtomicOr, to.type, {to.pointer, scope(watch_), relaxed, b_.number(1)});
}

void SpirvMemory::clear(uint32_t buffer, SpirvId word) {
  View& view = views_[buffer];
  const TypedPointer to = element(view, word);
  write(to, b_.number(0), mask(view, false));
}

}  // namespace vyre::lower
