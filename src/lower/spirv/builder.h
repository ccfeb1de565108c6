// A SPIR-V module while it is being written: numbered results, types and constants of which there is one
// each, and the sections in the order in which a module has them. Internal to lower/spirv.
//
// An instruction is a run of 32-bit words: its length and number, then its operands, most of which name the
// results (ids) of others. Nothing here knows what vyre means by a program; the entry-point emitter and the
// tables of raw operators say what is to be written. Source: SPIR-V specification, "Logical Layout of a
// Module", "Physical Layout of a SPIR-V Module and Instruction".
#pragma once

#include <spirv/unified1/GLSL.std.450.h>
#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace vyre::lower {

// SPV_KHR_float_controls2, which the headers of Debian 12 (1.3.239) do not have. Source: SPIR-V registry.
inline constexpr std::string_view kFloatControls2Extension = "SPV_KHR_float_controls2";
inline constexpr spv::Capability kFloatControls2{6029};
inline constexpr spv::ExecutionMode kFastMathDefault{6028};

/// The number of a result within a module; 0 is none.
enum class SpirvId : uint32_t {};
constexpr uint32_t index(SpirvId id) { return static_cast<uint32_t>(id); }

/// One word of an instruction: an id, a number, or a value of one of SPIR-V's enums.
struct SpirvOperand {
  uint32_t word;
  // Implicit, so that an instruction reads as its operands: {pointer, spv::Scope::Device, 0u}.
  SpirvOperand(SpirvId id) : word(index(id)) {}
  SpirvOperand(uint32_t number) : word(number) {}
  template <typename E>
    requires std::is_enum_v<E>
  SpirvOperand(E value) : word(static_cast<uint32_t>(value)) {}
};
using SpirvOperands = std::initializer_list<SpirvOperand>;

class SpirvBuilder {
 public:
  using Id = SpirvId;

  // ---- What stands before the function --------------------------------------------------------------------

  void capability(spv::Capability capability) { capabilities_.insert(capability); }
  bool has(spv::Capability capability) const { return capabilities_.contains(capability); }
  void memory_model(spv::MemoryModel model) { memory_model_ = model; }
  /// Arithmetic on floats is strict by the entry's own word, SPV_KHR_float_controls2's FPFastMathDefault
  /// without a flag for each width in use. That forbids NoContraction and SignedZeroInfNanPreserve, whose
  /// meaning it has. To be said before any arithmetic is written.
  void strict_by_default() { strict_by_default_ = true; }
  /// Without the entry's id, which comes first and is main's.
  void execution_mode(spv::ExecutionMode mode, SpirvOperands operands);
  void name(Id id, std::string_view name);
  void decorate(Id id, spv::Decoration decoration, SpirvOperands operands = {});
  void decorate_member(Id type, uint32_t member, spv::Decoration decoration, SpirvOperands operands = {});

  /// A type; the same one for the same operands, so it may not be decorated.
  Id type(spv::Op op, SpirvOperands operands);
  /// An array or structure of its own, to be decorated.
  Id own_type(spv::Op op, SpirvOperands operands);
  Id nothing() { return type(spv::Op::OpTypeVoid, {}); }
  // Asked for by nearly every instruction, so they are looked up once.
  Id truth() { return truth_ != Id{} ? truth_ : truth_ = type(spv::Op::OpTypeBool, {}); }
  Id word() { return word_ != Id{} ? word_ : word_ = integer(32); }
  /// Unsigned. Of 64 bits it asks for the capability; of 16 bits their loads and stores do.
  Id integer(uint32_t bits);
  /// Of 16 and of 64 bits it asks for the capability.
  Id real(uint32_t bits);
  /// Whether anything has asked for floats of this width.
  bool uses_real(uint32_t bits) const { return real_widths_.contains(bits); }
  Id vector(Id element, uint32_t count) { return type(spv::Op::OpTypeVector, {element, count}); }
  Id pointer(spv::StorageClass storage, Id to) { return type(spv::Op::OpTypePointer, {storage, to}); }

  /// A constant of a numeric type; `bits` has its words, least significant first.
  Id constant(Id type, SpirvOperands bits);
  /// A word.
  Id number(uint32_t value);
  Id boolean(bool value);

  /// The zero of a type.
  Id null(Id type);

  /// A variable outside the function; the entry's interface names it. `initial` is a constant, or none.
  Id global(spv::StorageClass storage, Id type, Id initial = {});

  // ---- The function ---------------------------------------------------------------------------------------

  /// The label of the function's first block.
  Id entry_label() const { return first_; }
  /// A variable of the function.
  Id variable(Id type);
  /// An id for a result that is used before it is made: a label, a loop's next index.
  Id fresh() { return Id{bound_++}; }

  /// Adds an instruction with a result.
  Id emit(spv::Op op, Id type, SpirvOperands operands);
  /// The same under an id from fresh().
  void emit_as(Id result, spv::Op op, Id type, SpirvOperands operands);
  /// Adds one without.
  void emit(spv::Op op, SpirvOperands operands);
  void label(Id label);

  /// Arithmetic on floats: the same with NoContraction, unless all of it is strict by default.
  Id arithmetic(spv::Op op, Id type, SpirvOperands operands);
  /// A function of GLSL.std.450; of floats with NoContraction.
  Id function(GLSLstd450 function, Id type, SpirvOperands operands);
  Id arithmetic(GLSLstd450 function, Id type, SpirvOperands operands);
  Id bitcast(Id type, Id value) { return emit(spv::Op::OpBitcast, type, {value}); }

  // ---- Functions beside it --------------------------------------------------------------------------------

  /// From here on code and variables are those of another function, of words that give a word; `parameters`
  /// become their ids. Gives the function's, and its first label's.
  struct Function {
    Id id, label;
  };
  Function begin_function(std::span<Id> parameters);
  /// What it gives; the function around it goes on. Domain: as many as were begun, one at a time.
  void end_function(Id result);
  Id call(Id function, std::span<const Id> arguments);

  /// One more than the greatest id.
  uint32_t bound() const { return bound_; }

  /// The whole module, whose one entry point has this name.
  std::vector<uint32_t> finish(std::string_view entry);

 private:
  using Words = std::vector<uint32_t>;
  static void append(Words& to, spv::Op op, SpirvOperands operands);
  Id strict(Id result);
  void say_strict_by_default();
  Id glsl();

  uint32_t bound_ = 1;
  const Id main_ = fresh();
  const Id first_ = fresh();
  Id word_{}, truth_{};  // none until they are used
  Id glsl_{};            // the import of GLSL.std.450; none until it is used
  std::set<spv::Capability> capabilities_ = {spv::Capability::Shader};
  bool strict_by_default_ = false;
  spv::MemoryModel memory_model_ = spv::MemoryModel::GLSL450;
  std::set<uint32_t> real_widths_;
  std::map<Words, Id> unique_;  // types and constants, by their instruction without the result
  std::unordered_map<uint32_t, Id> numbers_;
  std::vector<Id> interface_;
  Words modes_, names_, decorations_, globals_, variables_, code_;
  Words functions_, head_, outer_variables_,
      outer_code_;  // complete ones; of the one at hand; of main meanwhile
};

}  // namespace vyre::lower
