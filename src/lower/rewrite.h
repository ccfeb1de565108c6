// The tool with which legalization's rules write: raw instructions into the block at hand.
//
// A rule gets a semantic instruction of the source kernel and answers with the value that takes its place,
// usually the last instruction that it wrote. Values of the source keep their numbers while rules run, so a
// rule names its operands as it finds them; where an operand was itself replaced, finish() puts the
// replacement in.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "lower/kernel.h"

namespace vyre::lower {

class Rewriter {
 public:
  Rewriter(const Kernel& source, const Target& target);

  const Target& target() const { return target_; }
  const Kernel& source() const { return source_; }

  // Writing. Everything goes to the end of the block at hand and takes the origin of the instruction at hand.
  Value constant(uint32_t bits);
  Value raw(RawOp op, std::initializer_list<Value> operands);
  Value length(uint32_t buffer);
  /// RawLoad, RawStore or RawAtomic in the place of a semantic access, with the same operands but this index.
  Value access(InstKind kind, const Inst& semantic, Value index);
  Slot variable(std::string_view name);
  Value get(Slot slot);
  void set(Slot slot, Value value);
  /// Writes an If on `condition` with what `body` writes.
  template <typename Body>
  void if_(Value condition, Body body) {
    const KBlock outside = open_if(condition);
    body();
    block_ = outside;
  }

  /// Whether the value is known to be 0 or 1.
  bool is_truth(Value v) const;

  // Driving.
  void at(KBlock block, Span origin) { block_ = block, origin_ = origin; }
  void keep(Value v);
  void replace(Value v, Value by) { forward_[index(v)] = by; }
  Kernel finish();

 private:
  Value write(Inst inst, std::span<const Value> operands);
  KBlock open_if(Value condition);
  Value resolve(Value v) const;

  const Kernel& source_;
  const Target& target_;
  Kernel out_;
  std::vector<Value> forward_;  // by Value of the source: itself, or what stands in its place
  KBlock block_ = kNoKBlock;
  Span origin_;
};

/// Writes the legal form of a semantic operator (Apply) and gives its result; the rules are in rules.cpp.
Value legalize_apply(Rewriter& r, const Inst& apply);

}  // namespace vyre::lower
