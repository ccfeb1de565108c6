// Elementwise: one function of a backend applied to columns of values, with everything around it that notices
// a backend which does something else instead.
//
// Values are words here, as many as spec::value_words says, least significant first: a column is one word of
// one operand, so a u128 is four columns; the words of a result stand side by side. Buffers hold what the
// types say: a 16-bit float is two bytes there.
//
// The function (an operation, an operator at a type) is wrapped into a program
//   let i = invocation_id.x;  if (i < len(a)) { out[i] = f(a[i], b[i], c[i]); }
// and compiled once. Each apply() is one dispatch. The output starts as a poison word that the caller knows
// not to be an answer, so an element that was not computed is seen. The binding is longer than the count: the
// canaries behind it look like elements that are not written yet, so nothing can be right only where it sees
// them, and a store that strays is seen too. Guard words stand on both sides outside. Source:
// docs/harness.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "ir/builder.h"
#include "ops/operation.h"
#include "verify/verdict.h"

namespace vyre::worker {
class InPlacePipeline;
}

namespace vyre::verify {

/// A function of up to kMaxInputs values, as types and a body in the IR.
struct Application {
  std::string name;
  std::vector<ir::DataType> inputs;
  ir::DataType output{};
  std::function<ir::Ex(ir::ProgramBuilder&, std::span<const ir::Ex>)> body;
};
inline constexpr size_t kMaxInputs = 4;
/// How many columns the inputs are, and how many words a result is.
size_t input_words(const Application& what);
size_t output_words(const Application& what);
Application application_of(const ops::Operation& operation);

/// The wrapper program.
ir::Program elementwise_program(const Application& what, uint32_t workgroup);

inline constexpr uint32_t kWorkgroup = 256;

class Elementwise {
 public:
  /// Errors: what check or the backend say of the wrapper program.
  static Result<std::unique_ptr<Elementwise>> make(backend::Backend& backend, const Application& what,
                                                   const spec::OpTable& table = ops::op_table(),
                                                   uint32_t workgroup = kWorkgroup);

  /// The words of f(columns[0][i], ...) at out[i * output_words], for all i below n, in one dispatch. Words
  /// that the backend did not write hold `poison`.
  ///
  /// Shape   columns: input_words of n words; out: n * output_words.
  /// Domain  1 to 2^20 elements; poison of a result of 16 bits below 2^16.
  /// Thread  one call at a time.
  Result<void> apply(std::span<const uint32_t* const> columns, std::span<uint32_t> out, uint32_t poison);

  /// The same pipeline with bindings of results that end where the results end: what is right only where it
  /// sees a binding longer than its operands is wrong there.
  std::unique_ptr<Elementwise> without_canaries() const;

  const Digest& digest() const { return digest_; }
  uint64_t dispatches() const { return dispatches_; }
  /// Guard words that the last dispatch overwrote.
  uint64_t broken_last() const { return broken_last_; }
  size_t result_words() const { return spec::value_words(output_type_); }
  /// Adds dispatches and canaries so far to a verdict.
  void account(Verdict& verdict) const;
  uint32_t workgroup() const { return workgroup_; }
  bool has_canaries() const { return canary_bytes_ != 0; }

 private:
  Elementwise() = default;
  using Memory = std::span<const std::span<std::byte>>;  // of each bound buffer
  void fill(std::span<const uint32_t* const> columns, size_t n, uint32_t poison, Memory bound) const;
  uint64_t broken_canaries(std::span<const std::byte> canaries, uint32_t poison) const;
  Result<void> dispatch(std::span<const uint64_t> sizes, uint32_t groups,
                        const std::function<void(Memory)>& fill, const std::function<void(Memory)>& copy_out);
  std::shared_ptr<backend::Pipeline> pipeline_;
  worker::InPlacePipeline* in_place_ = nullptr;  // pipeline_, when it is one
  Digest digest_;
  std::vector<ir::DataType> types_;  // of the inputs
  ir::DataType output_type_{};
  uint32_t workgroup_ = kWorkgroup;
  size_t canary_bytes_ = 0;    // in the binding, behind the results
  std::vector<Bytes> inputs_;  // unless in place
  Bytes output_;               // in place: only what stands beside the binding
  uint64_t dispatches_ = 0;
  uint64_t canaries_ = 0;
  uint64_t canaries_broken_ = 0;
  uint64_t broken_last_ = 0;
};

/// A word that is not among `results`, for poison; drawn from (seed, index). Of a 16-bit type, of which there
/// must be fewer than 2^16, a word below 2^16.
uint32_t poison_for(ir::DataType type, std::span<const uint32_t> results, uint64_t seed, uint64_t index);

}  // namespace vyre::verify
