// Buffers, workgroup memory and lengths of a module, and every way to touch them. Internal to lower/spirv.
//
// A buffer is a block with one array of words, of vectors of two or four of them where elements have as many,
// or of 16-bit numbers; workgroup and private memory is an array
// of words for each of its buffers, the latter with zeros to begin with. Lengths are push constants. What
// makes writes of other invocations visible after a barrier depends on the memory model: the newer one names
// it at each access and at the barrier, the older one has coherent buffers. Source: Vulkan specification,
// appendix "Memory Model"; SPIR-V specification, "Memory Model".
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lower/kernel.h"
#include "lower/spirv/builder.h"
#include "lower/spirv/spirv.h"

namespace vyre::lower {

/// The index of an access, and of an array in fours the number of the four.
struct SpirvIndex {
  SpirvId at{};
  SpirvId four{};
};

class SpirvMemory {
 public:
  /// Declares what the kernel has. `in_fours`: by buffer, whether it is an array of vectors of four elements.
  /// Lives as long as the three of them.
  SpirvMemory(const Kernel& kernel, const SpirvTarget& target, SpirvBuilder& builder,
              const std::vector<bool>& in_fours);

  /// Reads the lengths that the kernel asks for. To be called at the start of the function.
  void read_lengths(bool opaque);
  /// Reads the masks. To be called after them, with a number that differs between workgroups.
  void read_masks(SpirvId group);
  /// Words that are zero, as the compiler does not know. Two, for what passes the one and then the other:
  /// twice the same would cancel out. Domain: they were read.
  SpirvId operand_mask() const { return masks_[0]; }
  SpirvId result_mask() const { return masks_[1]; }
  SpirvId length(uint32_t buffer) const { return views_[buffer].length; }

  /// The index is that of a raw access, in its domain; the rest as the instruction says.
  SpirvId load(const Inst& access, SpirvIndex at, bool once);
  void store(const Inst& access, SpirvIndex at, SpirvId value);
  /// How many words make a vector that can be accessed as a whole; 1 where there are none.
  uint32_t width(uint32_t buffer) const { return views_[buffer].width; }
  /// All words of an element, or four elements, at once, as drivers do not do by themselves; `at` is the
  /// element, or the four. Domain: width() is not 1, or the array is one in fours.
  std::vector<SpirvId> load_whole(uint32_t buffer, SpirvId at, bool once);
  void store_whole(uint32_t buffer, SpirvId at, std::span<const SpirvId> words);
  /// `expected` is none but for compare-exchange.
  SpirvId atomic(const Inst& access, SpirvId at, SpirvId expected, SpirvId value);

  void barrier();

  /// How many words workgroup memory has for a buffer; 0 of a bound one.
  uint32_t shared_words(uint32_t buffer) const { return views_[buffer].shared_words; }
  /// Writes zero to one of them.
  void clear(uint32_t buffer, SpirvId word);

  /// Declares a buffer of one word behind the bound ones.
  void declare_watch();
  bool has_watch() const { return watch_.variable != SpirvId{}; }
  /// Sets that word to one.
  void raise_watch();

  uint32_t bound_buffers() const { return bound_; }
  uint32_t shared_bytes() const;

 private:
  struct View {
    SpirvId variable{};
    spv::StorageClass storage = spv::StorageClass::StorageBuffer;
    bool halves = false;     // an array of 16-bit numbers
    uint32_t width = 1;      // words of an element that is a vector
    bool in_fours = false;   // an array of vectors of four elements
    bool shared_by = false;  // other invocations may write it while this one runs
    uint32_t shared_words = 0;
    SpirvId length{};
    SpirvId element{}, pointer{};  // types, from the first access on
  };
  struct TypedPointer {
    SpirvId pointer;
    SpirvId type;  // of what it points to
  };
  void declare(uint32_t buffer);
  static uint32_t vector_words(const View& view) { return view.in_fours ? 4 : view.width; }
  void declare_bound(const KernelBuffer& buffer, View& view);
  void declare_workgroup(const KernelBuffer& buffer, View& view);
  void declare_private(const KernelBuffer& buffer, View& view);
  SpirvId block_of(SpirvId array, uint32_t stride);
  SpirvId buffer_block(bool halves, uint32_t width);
  /// One of the push constants, which are so many words.
  SpirvId pushed(uint32_t word, uint32_t words);
  SpirvId load_word(const Inst& access, SpirvIndex at, bool once);
  void store_word(const Inst& access, SpirvIndex at, SpirvId value);
  TypedPointer pointer_to(const Inst& access, SpirvIndex index);
  TypedPointer in_four(View& view, SpirvIndex index);
  /// A component of what stands at `at`, where that is a vector.
  TypedPointer element(View& view, SpirvId at, uint32_t component = 0);
  TypedPointer whole(const View& view, SpirvId at);
  spv::MemoryAccessMask mask(const View& view, bool once) const;
  SpirvId read(TypedPointer from, spv::MemoryAccessMask how);
  void write(TypedPointer to, SpirvId value, spv::MemoryAccessMask how);
  SpirvId scope(const View& view);

  const Kernel& k_;
  const SpirvTarget& target_;
  SpirvBuilder& b_;
  bool barriers_ = false;
  uint32_t bound_ = 0;
  std::vector<View> views_;  // by buffer
  View watch_;
  SpirvId lengths_{};  // the push constants; none until they are read
  std::array<SpirvId, kSpirvMasks> masks_{};
};

}  // namespace vyre::lower
