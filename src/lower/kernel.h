// The kernel IR: a program as a target sees it.
//
// Linear, structured, in A-normal form: one operator an instruction, operands are results of earlier
// instructions, evaluation order is explicit, ifs and loops stay structured. build() makes a Kernel from a
// checked program and inlines every call on the way (operations of category A are bodies, and end here).
// legalize() then rewrites semantic instructions, which are total, into raw ones, which are partial but what
// targets really have: masked shifts, guarded division, guarded accesses. A legal kernel has no semantic
// instruction left, so printers know no semantics.
//
// Both forms have one evaluator (lower/evaluate.h): "legalized equals original, and no raw operator leaves
// its domain" can be executed, fuzzed and proved before any device is involved.
//
// Invariants: a Value is used only after its instruction, in the same block or one nested in it; a block has
// a greater number than the one that it is nested in. Slots are the variables that some Assign changes;
// unassigned ones are just Values. In a semantic kernel a value has any type; in a legal kernel all values
// are words: a u64 or vec2u32 has become two, a u128 or vec4u32 four (least significant, or first, first), a
// 16-bit float the low half of one. But wide and long values (lower/raw.h), of type U64, are floats and
// integers of 64 bits, used with no barrier and no control between, by operators of their own; of long ones
// there are slots and raw accesses too.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/checked.h"
#include "lower/promise.h"
#include "lower/raw.h"
#include "spec/op.h"
#include "spec/table.h"
#include "spec/types.h"

namespace vyre::lower {

/// An instruction's result; also the instruction's index in Kernel::insts.
enum class Value : uint32_t {};
/// A mutable variable.
enum class Slot : uint32_t {};
enum class KBlock : uint32_t {};
constexpr uint32_t index(Value v) { return static_cast<uint32_t>(v); }
constexpr uint32_t index(Slot s) { return static_cast<uint32_t>(s); }
constexpr uint32_t index(KBlock b) { return static_cast<uint32_t>(b); }
inline constexpr KBlock kNoKBlock{UINT32_MAX};

enum class InstKind : uint8_t {
  // In every kernel.
  Const,          // imm: bits of up to 32; of a wider type: index into Kernel::wide
  Len,            // target: buffer; its element count
  InvocationId,   // imm: axis
  WorkgroupId,    // imm: axis
  LocalId,        // imm: axis
  NumWorkgroups,  // imm: axis
  Get,            // target: slot
  Set,            // target: slot; args: value
  If,             // args: condition (any word, non-zero is true); body, orelse; imm: 0, kInDoubt or
                  // kInSharedDoubt
  Loop,           // args: from, to; body; its Value is the loop variable, visible in the body; imm: 1 to
                  // unroll it, a hint
  Return,
  Barrier,
  Intrinsic,  // imm: a spec::Intrinsic (category C); args; target: in a legal kernel, which word of its
              // result, so that one of four words is four instructions
  // Semantic: total; gone after legalize.
  Apply,   // op: scalar or vector operator, Select, Cast or Bitcast at type operand_type; args; imm: of
           // Component, which one
  Load,    // target: buffer; args: index, of a tensor one a dimension
  Store,   // target: buffer; args: as many, then the value
  Atomic,  // op; target: buffer; args: index, [expected,] value
  // Raw: partial. Accesses want index < max(length, 1): every binding has at least one element, and what an
  // element beyond an empty buffer's length holds is unspecified.
  //
  // A raw access moves one word: word number `imm` of the element (0 but for elements of 64 and 128 bits), at
  // byte index * element bytes + 4 * imm; one of type U64 moves two words, a long value. Of a 16-bit element
  // it moves the 16 bits, zero-extended, and wants a
  // target with 16-bit access; where there is none, access is Words: the buffer is seen as an array of words,
  // the index counts those and its domain is index < max(words, 1), words = ceil(length * element bytes / 4).
  Raw,        // raw; args
  RawLoad,    // target, imm, access; args: index
  RawStore,   // target, imm, access; args: index, value
  RawAtomic,  // op; target, access; args: index, [expected,] value: one word. On workgroup memory only
              // legalization writes it, for halves of words.
};
inline constexpr size_t kInstKindCount = 21;

/// Of an If whose two blocks do the same, a loop of float operators. The condition is whether what the loop
/// begins with is in doubt, the body its form operator by operator, the other block the quick one
/// (lower/speculation.h). Until lines are written the condition is no matter.
inline constexpr uint32_t kInDoubt = 1;
/// The same, of all invocations of a workgroup together: the floats are those that they stored in arrays.
inline constexpr uint32_t kInSharedDoubt = 2;

/// How a raw access sees a buffer; see InstKind::Raw.
enum class Access : uint8_t { Elements, Words };

struct Inst {
  InstKind kind{};
  spec::Op op{};          // Apply, Atomic, RawAtomic
  RawOp raw{};            // Raw
  spec::DataType type{};  // of the result; RawStore: U64 where it moves a long value
  spec::DataType
      operand_type{};  // Apply: T (the type of the first operand that has it; Cast, Bitcast: the source)
  spec::RoundingMode mode{};  // Cast
  Access access{};            // raw accesses
  uint32_t imm = 0;
  uint32_t target = 0;
  ir::Range args;  // in Kernel::values
  KBlock body = kNoKBlock;
  KBlock orelse = kNoKBlock;
  Span origin;  // the expression or statement it came from, in the program's text
};

/// One dimension of a tensor: a number, or an element of a uniform buffer (which layout::bind has made sure
/// of).
struct KernelDim {
  bool dynamic = false;
  uint32_t size = 0;     // fixed
  uint32_t buffer = 0;   // dynamic: among Kernel::buffers
  uint32_t element = 0;  // dynamic
};

struct KernelBuffer {
  std::string name;
  spec::BufferAccess access{};
  spec::DataType element{};  // of a tensor: of its elements; a legal kernel's private arrays have none of 16
                             // bits but words, whose upper half is zero
  uint32_t binding = 0;      // of a bound one: the number in the text
  uint32_t argument = 0;     // of a bound one: position among Checked::bound_buffers()
  uint32_t count = 0;        // Workgroup, Private: elements
  bool used_atomically = false;
  std::vector<KernelDim> dims;    // of a tensor; empty for a plain buffer
  std::vector<uint32_t> strides;  // of a tensor, in elements; empty: row-major
};

struct SlotInfo {
  std::string name;
  spec::DataType type{};
};

struct Kernel {
  std::string name;
  std::array<uint32_t, 3> workgroup_size = {1, 1, 1};
  std::vector<KernelBuffer> buffers;  // as Program::buffers
  std::vector<SlotInfo> slots;
  std::vector<Inst> insts;                    // in no particular order; blocks say what runs when
  std::vector<Value> values;                  // operand lists
  std::vector<std::array<uint32_t, 4>> wide;  // constants of more than 32 bits; none in a legal kernel
  std::vector<std::vector<Value>> blocks;
  KBlock entry = kNoKBlock;
  bool legal = false;    // no semantic instruction is left
  FloatPromises floats;  // of a legal kernel: what its raw float operators may do

  const Inst& operator[](Value v) const { return insts[index(v)]; }
  std::span<const Value> args(const Inst& i) const { return {values.data() + i.args.first, i.args.count}; }
  Value arg(const Inst& i, uint32_t n) const { return values[i.args.first + n]; }
  const std::vector<Value>& block(KBlock b) const { return blocks[index(b)]; }
  uint32_t invocations() const { return workgroup_size[0] * workgroup_size[1] * workgroup_size[2]; }

  Value add(Inst inst, std::span<const Value> operands);  // does not put it in a block
  KBlock add_block() {
    blocks.emplace_back();
    return KBlock{uint32_t(blocks.size() - 1)};
  }
};

/// How a load keeps its index in bounds.
///  Branch  slot = 0; if (index < len) slot = load.raw(index): no address is formed out of bounds, and what
///  an
///          optimiser makes of a contiguous index is a masked load.
///  Select  load.raw(select(index < len, index, 0)), and the result replaced by 0: straight-line code, but
///          the address is no longer contiguous, so a vectorised load is a gather.
/// Stores and atomics always branch: they must not happen out of bounds.
enum class GuardForm : uint8_t { Branch, Select };

/// What legalization has to know of a target. Raw operators that the target lacks are composed of others.
struct Target {
  std::string_view name;
  bool has_reverse_bits = true;
  bool has_popcount = true;
  bool has_umul_hi = true;
  bool has_64bit_integers = true;  // else u64 and u128 are computed in words
  bool has_16bit_access =
      true;  // else 16-bit elements are halves of words, and a store to one is two atomics
  GuardForm load_guard = GuardForm::Branch;
  bool folds_constants = false;  // before its compiler sees them: lower/constants.h
  uint64_t workgroup_bytes =
      0;  // that a legal kernel may have; what a program declares is the caller's matter
  FloatPromises floats = kNoFloats;
};
inline constexpr Target kLlvmTarget{.name = "llvm", .floats = kIeeeFloats};
/// NVIDIA's virtual machine: every raw operator, 16-bit accesses. Threads are not vectorised, so
/// straight-line loads lose nothing there, and large kernels compile several times faster.
inline constexpr Target kPtxTarget{.name = "ptx", .load_guard = GuardForm::Select, .floats = kIeeeFloats};
/// A language of 32-bit words that has little beyond them, as shading languages do.
inline constexpr Target kWordTarget{.name = "words",
                                    .has_reverse_bits = false,
                                    .has_popcount = false,
                                    .has_umul_hi = false,
                                    .has_64bit_integers = false,
                                    .has_16bit_access = false,
                                    .load_guard = GuardForm::Select};

/// Linear form of a checked program, every call inlined. Cannot fail. Cost: linear in the inlined size.
Kernel build(const check::Checked& program);

/// The same kernel in raw operators alone. Cannot fail.
Kernel legalize(const Kernel& kernel, const Target& target);

/// A text form for people and golden tests (`vyre lower --to kernel|legal`).
std::string print(const Kernel& kernel);

/// One instruction as print() writes it, numbered as there: for messages.
std::string print(const Kernel& kernel, Value instruction);

}  // namespace vyre::lower
