// The tool with which legalization's rules write: raw instructions into the block at hand.
//
// A rule gets a semantic instruction of the source kernel and answers with the words that take its place. It
// asks for its operands by number and gets what already took theirs, so it never sees a value of the source.
// Blocks of the source keep their numbers; those that rules open come after them.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "lower/composition.h"
#include "lower/kernel.h"

namespace vyre::lower {

/// The words that stand for one value, least significant (of a vector: first) first: one, two or four.
struct Limbs {
  std::array<Value, 4> word{};
  uint32_t count = 0;

  Limbs() = default;
  Limbs(Value only) : word{only}, count(1) {}  // a rule for one word gives a Value
  Limbs(Value low, Value high) : word{low, high}, count(2) {}
  Value operator[](uint32_t n) const { return word[n]; }
  void add(Value v) { word[count++] = v; }
};

/// Variables that hold one value: as many consecutive slots as it has words, or as it has long values.
struct Variable {
  uint32_t first = 0;
  uint32_t count = 0;  // slots
  bool is_long = false;
  Slot operator[](uint32_t n) const { return Slot{first + n}; }
};

/// What a raw access names; see InstKind::Raw.
struct RawAddress {
  uint32_t buffer = 0;
  Value index{};
  uint32_t word = 0;
  Access access = Access::Elements;
  spec::DataType type = spec::DataType::U32;  // or U64: two words, a long value
};

class Rewriter {
 public:
  Rewriter(const Kernel& source, const Target& target);

  const Target& target() const { return target_; }
  const Kernel& source() const { return *source_; }

  // Reading: the words that stand for an operand of an instruction of the source.
  const Limbs& operand(const Inst& inst, uint32_t n) const { return parts(source_->arg(inst, n)); }
  /// Domain: an operand of one word.
  Value word(const Inst& inst, uint32_t n) const { return operand(inst, n)[0]; }

  // Writing. Everything goes to the end of the block at hand and takes the origin of the instruction at hand.
  Value constant(uint32_t bits);
  Value raw(RawOp op, std::initializer_list<Value> operands);
  Value length(uint32_t buffer);
  Value load(RawAddress address);
  void store(RawAddress address, Value value);
  /// operands: [expected,] value.
  Value atomic(spec::Op op, RawAddress address, std::span<const Value> operands);
  /// A buffer of so many words in workgroup memory, which the source does not have: its number.
  uint32_t workgroup_words(std::string_view name, uint32_t count);
  Variable variable(std::string_view name, uint32_t words = 1);
  /// For a value of that type, in the slots that the target keeps it in.
  Variable variable(std::string_view name, spec::DataType type);
  Value get(Slot slot);
  Limbs get(Variable variable);
  void set(Slot slot, Value value);
  /// Every word of the variable becomes zero.
  void clear(Variable variable);
  void set(Variable variable, const Limbs& value);
  /// Writes an If on `condition` with what `body` writes.
  template <typename Body>
  void if_(Value condition, Body body) {
    const KBlock outside = open_if(condition);
    body();
    block_ = outside;
  }
  template <typename Body, typename Otherwise>
  void if_else(Value condition, Body body, Otherwise otherwise) {
    const Branches branches = open_branches(condition);
    body();
    block_ = branches.orelse;
    otherwise();
    block_ = branches.outside;
  }
  /// Writes a Loop over from .. to with what `body` writes.
  template <typename Body>
  void loop(Value from, Value to, Body body) {
    const KBlock outside = open_loop(from, to);
    body();
    block_ = outside;
  }

  /// Writes the legal form of a composition's body over these operands and gives its result.
  Limbs inlined(const Composition& composition, std::span<const Limbs> operands);

  /// Whether values of the type are computed in long values.
  bool has_longs(spec::DataType type) const {
    return target_.has_64bit_integers && (type == spec::DataType::U64 || type == spec::DataType::U128);
  }
  /// The two words of a long value, and long value n of words.
  void add_words(Limbs& words, Value long_value);
  Value long_of(const Limbs& words, uint32_t n) {
    return raw(RawOp::LongOf, {words[2 * n], words[2 * n + 1]});
  }

  /// What a constant is.
  std::optional<uint32_t> known(Value v) const {
    return out_[v].kind == InstKind::Const ? std::optional(out_[v].imm) : std::nullopt;
  }
  /// Whether the word is known to be 0 or 1.
  bool is_truth(Value v) const { return truth_[index(v)]; }

  // Driving. Blocks are visited in the order of their numbers, in which a definition comes before its uses.
  void at(KBlock block, Span origin) { block_ = block, origin_ = origin; }
  /// Another origin, in the block at hand.
  void from(Span origin) { origin_ = origin; }
  /// The instruction as it is, for its operands' words: those kinds that are in every kernel.
  void keep(Value v);
  void replace(Value v, const Limbs& by) { parts_[index(v)] = by; }
  /// What took the place of a value of the source.
  const Limbs& parts(Value v) const { return parts_[index(v)]; }
  Kernel finish();

 private:
  struct Branches {
    KBlock orelse, outside;
  };

  Value write(Inst inst, std::span<const Value> operands);
  /// What a long operator gives that only takes a value apart or puts it together again.
  std::optional<Value> known_long(RawOp op, std::span<const Value> operands) const;
  KBlock open_if(Value condition);
  Branches open_branches(Value condition);
  KBlock open_loop(Value from, Value to);
  Limbs constants(const Inst& constant);
  Variable variable(Slot of_the_source) const { return variables_[index(of_the_source)]; }

  const Kernel* source_;  // of what is being rewritten: the kernel, or a composition
  const Target& target_;
  Kernel out_;
  std::vector<Limbs> parts_;         // by Value of the source
  std::vector<Variable> variables_;  // by Slot of the source
  std::vector<bool> truth_;          // by Value
  std::vector<bool> truth_slots_;    // by Slot
  struct Place {
    KBlock block;
    uint32_t stretch;
    bool operator==(const Place&) const = default;
  };
  std::vector<Place> places_;  // by Value
  uint32_t stretch_ = 0;       // of a block: with no barrier and no control in it
  KBlock block_ = kNoKBlock;
  Span origin_;
};

/// Writes the legal form of a semantic operator (Apply) and gives its result; the rules are in rules.cpp.
Limbs legalize_apply(Rewriter& r, const Inst& apply);

}  // namespace vyre::lower
