// Laws as programs: one for each (operation, law), in the IR, for any backend.
//
// An invocation walks a chunk of instances of the law. It makes the values of the law's variables from the
// instance's number, computes both sides with the operations called as they are, compares and counts; nothing
// but counts leaves the device. What values there are is said by parameters that are read at run time, so the
// same program runs random full-width sweeps, exhaustive grids and walks of one variable through all words.
//
// A compiler that saw both sides of a law would fold it to "true" and never run the operation. So every
// occurrence of an operand is opaque: an operation with a word that changes nothing, but only the host, which
// fills the buffer, knows it. Constants of a law are such words too. The mask is `^ 0`; but `^` passes
// through some operations (not, xor, reversal of bits, equality), and optimisers know, so there it is `* 1`.
// What came of it is looked at: device_laws_code.h.
//
// The one side of each equation is made opaque by a word that turns into something else for a known stretch
// of some chunks: the canaries, instances that must fail. A kernel that does not run, or not all of it,
// misses them. Source: docs/harness.md.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "algebra/law.h"
#include "ir/ir.h"

namespace vyre::verify {

/// What a statement consists of.
struct LawShape {
  std::vector<uint32_t> constants;  // in the order in which it mentions them
  uint32_t masks = 0;               // occurrences of operands
  uint32_t still_operands = 0;      // of these, other than variables
  uint32_t equations = 0;
  uint32_t comparisons = 0;
  uint32_t sums = 0;   // by the checker
  uint32_t tests = 0;  // `=` and `!=` by the checker; other operators may melt into each other
  uint32_t sides = 0;  // words that demands compare
  std::map<const ops::Operation*, uint32_t> applications;
};
LawShape shape_of(const algebra::BoundLaw& law);

/// Whether `^` passes through an operation, judged by its reference function on random words: it is affine
/// over bits, op(x ^ y) = op(x) ^ op(y) ^ op(0), or does not see that all its operands were changed alike, as
/// `==`.
bool xor_passes(const ops::Operation& operation);
/// Whether a composition takes `^`, `==` or `!=` of two words neither of which is a literal: where both come
/// from one variable, a compiler sees the variable cancel out and two masks left over.
bool compares_bits(const ir::Function& composition);
/// Whether the masks of a law are `* 1`, since `^` passes through one of its operations or through a part of
/// one; else they are `^ 0`.
bool masks_product(const algebra::BoundLaw& law);

/// Values of one variable: x = base + number * step, and of that x ^ (x >> Sweep::fold).
///   base = (hash(chunk ^ base_salt) & random) + ((chunk >> grid_shift) & grid_mask)
///   step = (hash(chunk ^ step_salt) & random) | least_step
struct VariableFormula {
  uint32_t base_salt = 0;
  uint32_t step_salt = 0;
  uint32_t random = 0;  // a mask: all ones for random values, zero for grids
  uint32_t least_step = 0;
  uint32_t grid_shift = 0;
  uint32_t grid_mask = 0;
};

/// Which instances a dispatch runs. Invocation t has chunk first_chunk + t * chunk_stride and in it the
/// numbers start + t * start_stride and on, `runs` runs of `length` of them; a canary chunk has one run more,
/// all of it canaries, which stands at a place that a hash of the chunk gives.
struct Sweep {
  std::vector<VariableFormula> variables;
  uint32_t fold = 31;  // 1 to 31
  uint32_t first_chunk = 0, chunk_stride = 1;
  uint32_t start = 0, start_stride = 0;
  uint32_t runs = 1, length = 256;  // runs: a power of two
  uint32_t threads = 0;
  uint32_t canary_mask = 0, canary_value = 1;  // a canary chunk: (chunk & mask) == value; so: none
  uint32_t canary_salt = 0;

  uint64_t chunk_instances() const { return uint64_t{runs} * length; }
  bool is_canary(uint32_t chunk) const { return (chunk & canary_mask) == canary_value; }
  /// The run of a canary chunk that is the canaries.
  uint32_t canary_run(uint32_t chunk) const;
  /// The words of the law's variables; a bool is 0 or 1, a 16-bit float the low half. This is the host's
  /// account of the formula, which samples from the device are held to.
  void values(uint32_t chunk, uint32_t number, std::span<const spec::DataType> types,
              std::span<uint32_t> out) const;
};

/// What a slot of the results counts, one word each.
enum class DeviceCount : uint32_t { Completed, Failures, Canaries, FirstThread };
inline constexpr uint32_t kCounts = 4;
inline constexpr uint32_t kSlots = 1024;  // workgroups spread their counts over these
inline constexpr uint32_t kLawWorkgroup = 256;

/// Every instance that fails adds this to a word that started at zero; it is odd, so the number of them comes
/// back by its inverse. It costs nothing and marks, in the emitted code, each copy that a compiler made of an
/// instance: inspection counts them.
inline constexpr uint32_t kMark = 0x5eed1a3d;

/// How a law is written down.
struct LawProgramOptions {
  /// False: without masks, as no law should be run: for tests of inspection.
  bool opaque = true;
};

/// Buffers, in this order: parameters (vec4u32, read), results (kSlots * kCounts words), samples (for each of
/// the first invocations, its last instance: the variables, then the sides of the demands in order).
struct LawProgram {
  ir::Program program;
  LawShape shape;
  uint32_t sample_words = 0;
  uint32_t parameter_words = 0;
  uint32_t mask = 0;  // what leaves operands as they are: 0 or 1

  /// The contents of the parameters. `samples`: how many invocations write one.
  std::vector<uint32_t> parameters(const Sweep& sweep, uint32_t samples) const;
};
LawProgram law_program(const algebra::BoundLaw& law, const LawProgramOptions& options = {});

/// The statement at one point, by the reference functions.
struct LawAt {
  bool holds = true;
  std::vector<uint32_t> sides;
};
LawAt law_at(const algebra::BoundLaw& law, std::span<const uint32_t> values);

}  // namespace vyre::verify
