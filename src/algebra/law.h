// Laws: the predicates of spec/laws.def, executable on any subject.
//
// What a law says is a small data flow over columns of values: "f(f(a, b), c) = f(a, f(b, c))" is four
// applications and one comparison. An Evaluator applies f: the operation's reference function on the
// host (subject `spec`), its composition on the reference evaluator (`composition`), or a backend's pipelines
// (`device(...)`). There an application is a dispatch of its own, so no compiler sees both sides of a law and
// folds it to true. algebra/predicate.h makes the flow of a law's predicate. Source:
// vyre-conform-spec, "Ground Truth, Algebraic Laws"; semantics, "Laws and evidence".
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ops/operation.h"
#include "spec/laws.h"

namespace vyre::algebra {

/// Applies operations to columns of words, on some subject.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// What a verdict is about: "spec", "composition", "device(...)".
  virtual std::string subject() const = 0;
  /// out[i] = operation(inputs[0][i], inputs[1][i], ...) for i < n. `out` is none of the inputs.
  /// Errors  what the subject refuses or loses: then there is no verdict.
  virtual Result<void> apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs,
                             uint32_t* out, size_t n) = 0;
  /// Whether apply may be called from several threads at once.
  virtual bool concurrent() const { return false; }
  /// Whether equal inputs give equal results beyond doubt, as for functions of the host: then a sweep over a
  /// grid need not repeat an application whose inputs recur. A device is believed in nothing.
  virtual bool pure() const { return false; }
  /// How many instances a call should have.
  virtual size_t slice() const { return size_t{1} << 14; }
};

/// Finds an operation by id; a law names others without a version (1) or as "id@2".
using Lookup = std::function<const ops::Operation*(std::string_view id, uint32_t version)>;
/// The operation library.
const ops::Operation* find_in_library(std::string_view id, uint32_t version);

/// A law with its operations found and its types understood.
struct BoundLaw {
  const spec::Law* law = nullptr;
  const ops::Operation* f = nullptr;
  std::vector<const ops::Operation*> others;    // as Law::others
  std::vector<spec::DataType> variables;        // the type of each
  spec::DataType result = spec::DataType::U32;  // of f
  /// Custom: its statement, of which `others` are the operations that it calls.
  std::shared_ptr<const ir::Function> predicate = {};
};

/// Binds a law to an operation. The error is the reason why the law does not apply: another arity, types that
/// do not fit, an unknown operation. A law that does not apply is neither verified nor refuted.
std::expected<BoundLaw, std::string> bind(const spec::Law& law, const ops::Operation& f,
                                          const Lookup& lookup = find_in_library);

/// A column of values under construction.
struct Column {
  uint32_t index;
};

/// What a law is said in. Flow gives it to values on the host; an engine that wants a law as
/// something else, a program for a device, say, gives these a meaning of their own.
class Terms {
 public:
  explicit Terms(size_t variables) : variables_(variables) {}
  virtual ~Terms() = default;

  Column variable(size_t i) const { return Column{uint32_t(i)}; }
  virtual Column constant(uint32_t value) = 0;
  virtual Column apply(const ops::Operation& operation, std::span<const Column> inputs) = 0;
  /// Wrapping sum, by the checker: no operation is applied.
  virtual Column sum(Column a, Column b) = 0;
  /// An operator of the IR on words as u32, done by the checker. A bool is 0 or 1. Domain:
  /// ref::word_operator(op) is not null, and as many inputs as it has operands.
  virtual Column operate(spec::Op op, std::span<const Column> inputs) = 0;
  Column operate(spec::Op op, std::initializer_list<Column> inputs) {
    return operate(op, std::span(inputs.begin(), inputs.size()));
  }

  // What a law demands of each instance, in the terms of algebra/order.h. All demands of a statement must
  // hold.

  /// a = b as values of the type.
  virtual void require_equal(Column a, Column b, spec::DataType type) = 0;
  /// a <= b in the order of the type, or they have no order.
  virtual void require_ordered(Column a, Column b, spec::DataType type) = 0;
  /// If p <= q, then a <= b or they have no order; each in the order of its type.
  virtual void require_monotone(Column p, Column q, spec::DataType domain, Column a, Column b,
                                spec::DataType range) = 0;
  /// The word is not zero.
  virtual void require(Column truth) = 0;

 protected:
  size_t variables_;
};

/// The data flow of one law over one slice of instances. After a failed application the rest does nothing.
class Flow final : public Terms {
 public:
  Flow(Evaluator& evaluator, size_t capacity) : Terms(0), evaluator_(evaluator), capacity_(capacity) {}

  /// Says that slices come from a grid, aligned: the last variable runs through `inner` values while the
  /// others stand still, and a slice is `inner` such runs (with three variables the first stands still in all
  /// of it).
  void on_grid(size_t inner) { inner_ = inner; }
  /// Starts a slice. Shape  variables: one column of n words each; they must live through the slice.
  void begin(std::span<const uint32_t* const> variables, size_t n);

  Column constant(uint32_t value) override;
  Column apply(const ops::Operation& operation, std::span<const Column> inputs) override;
  Column sum(Column a, Column b) override;
  Column operate(spec::Op op, std::span<const Column> inputs) override;
  void require_equal(Column a, Column b, spec::DataType type) override;
  void require_ordered(Column a, Column b, spec::DataType type) override;
  void require_monotone(Column p, Column q, spec::DataType domain, Column a, Column b,
                        spec::DataType range) override;
  void require(Column truth) override;

  /// Ends the slice: one byte an instance, non-zero where the law holds.
  Result<std::span<const uint8_t>> end();
  /// What the demands compared, in order, of instance i of the slice that was ended.
  std::vector<uint32_t> sides(size_t i) const;

 private:
  void demand(std::initializer_list<Column> sides, auto holds);
  const uint32_t* data(Column c) const { return columns_[c.index]; }
  uint32_t* fresh(uint32_t depends);
  void call(const ops::Operation& operation, std::span<const uint32_t* const> inputs, uint32_t* out,
            size_t n);

  Evaluator& evaluator_;
  size_t capacity_;
  size_t n_ = 0;
  std::vector<const uint32_t*> columns_;
  std::vector<uint32_t> depends_;  // by column: a bit for each variable that it depends on
  size_t inner_ = 0;               // 0: not a grid
  bool warm_ = false;              // a slice was run before, and its columns are still there
  std::vector<std::unique_ptr<uint32_t[]>> scratch_;
  size_t used_ = 0;
  std::vector<uint32_t> repeats_;  // what an application is given when its inputs recur
  uint32_t poison_ = 0;
  std::vector<uint8_t> holds_;
  std::vector<Column> sides_;
  std::optional<Diag> error_;
};

/// Says a law in these terms (algebra/predicate.h). Operands come from the left, each before what takes it; a
/// column is made once for a let and for a constant of the law.
void state(Terms& terms, const BoundLaw& law);

/// Applies the reference functions on the host.
class SpecEvaluator final : public Evaluator {
 public:
  std::string subject() const override { return "spec"; }
  bool pure() const override { return true; }
  size_t slice() const override { return size_t{1} << 16; }
  Result<void> apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs, uint32_t* out,
                     size_t n) override;
  bool concurrent() const override { return true; }
};

/// Runs the compositions on the reference evaluator. Slow: give it small engines.
class CompositionEvaluator final : public Evaluator {
 public:
  /// The table has every operation that will be applied and what they call; it must outlive this.
  explicit CompositionEvaluator(const spec::OpTable& table);
  ~CompositionEvaluator() override;
  std::string subject() const override { return "composition"; }
  Result<void> apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs, uint32_t* out,
                     size_t n) override;

 private:
  struct Programs;
  std::unique_ptr<Programs> programs_;
};

}  // namespace vyre::algebra
