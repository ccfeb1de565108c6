// Buffers, workgroup memory and counts of a module, and every way to touch them. Internal to lower/wgsl.
//
// A buffer is an array of words; of atomic words if the kernel does one atomic operation on it, for WGSL has
// no other way to have both, and then every load and store is atomic too. Elements of two or four words are
// vectors where each store is of all words. Counts of elements come in a
// uniform buffer: arrayLength is wrong for empty buffers and for padded ones. An index is in its domain, and
// where a race has defeated the guard WGSL keeps the access in the buffer. Workgroup memory and private
// arrays are variables of the module, which begin as zeros.
#pragma once

#include <string>
#include <vector>

#include "lower/kernel.h"
#include "lower/wgsl/wgsl.h"
#include "lower/wgsl/writer.h"
#include "lower/whole_accesses.h"

namespace vyre::lower {

class WgslMemory {
 public:
  /// `live`: by Value. All three live as long as this.
  WgslMemory(const Kernel& kernel, const std::vector<bool>& live, const WgslOptions& options,
             WgslWriter& writer);

  /// Module-scope declarations of all that the kernel has.
  std::string declarations() const;
  /// What makes bindings part of the entry's interface that no instruction touches: a load, since naga took
  /// addresses for no use of them until 2025.
  void begin();

  std::string length(uint32_t buffer);

  std::string array(uint32_t buffer) const;
  bool is_atomic(uint32_t buffer) const { return views_[buffer].atomic; }
  /// How many words make an element of the array: more than one where every store is of a whole element.
  uint32_t width(uint32_t buffer) const { return views_[buffer].width; }
  const WholeAccesses& whole() const { return whole_; }
  /// Writes `name`, the word before; of an atomic whose result is not read an empty name. `expected` is
  /// empty but for compare-exchange.
  void atomic(spec::Op op, const std::string& name, const std::string& place, const std::string& expected,
              const std::string& value);

  uint32_t bound_buffers() const { return bound_; }
  uint32_t shared_bytes() const;
  uint64_t private_bytes() const { return uint64_t{private_words_} * 4; }
  std::vector<bool> writable() const;

 private:
  struct View {
    std::string name;
    bool atomic = false;   // some instruction does something atomic to it
    bool written = false;  // some instruction may
    bool touched = false;
    bool counted = false;
    uint32_t width = 1;
    uint32_t own_words = 0;  // of workgroup memory or a private array; 0: a bound buffer
  };
  /// Whether arrays of workgroup memory are members of one variable: WebGPU rounds each variable up to 16
  /// bytes, and so what is within its limit would not be.
  bool is_structure() const { return arrays_ > 1; }
  bool is_bound(uint32_t buffer) const { return views_[buffer].own_words == 0; }

  void note(const Inst& inst);
  void find_vectors(const std::vector<bool>& live);

  const Kernel& k_;
  WgslOptions options_;
  WgslWriter& w_;
  std::vector<View> views_;  // by buffer
  WholeAccesses whole_;
  uint32_t bound_ = 0;
  uint32_t arrays_ = 0;  // of workgroup memory
  uint32_t shared_words_ = 0, private_words_ = 0;
};

}  // namespace vyre::lower
