#include "verify/device_laws_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/random.h"
#include "ir/builder.h"
#include "ops/registry.h"
#include "spec/float_format.h"
#include "spec/ops.h"

namespace vyre::verify {
namespace {

using algebra::BoundLaw;
using algebra::Column;
using ir::BufferRef;
using ir::Ex;
using ir::ProgramBuilder;
using spec::DataType;
using spec::Op;

constexpr uint64_t kXorStream = 0x786f7273;  // "xors"
constexpr uint64_t kXorTrials = 64;
using Words4 = std::array<uint32_t, 4>;
constexpr uint32_t kNever = UINT32_MAX;

/// The inverse of an odd number modulo 2^32, by Newton's iteration: each round doubles the bits that are
/// right.
constexpr uint32_t inverse(uint32_t odd) {
  uint32_t x = odd;
  for (int round = 0; round < 5; ++round) x *= 2 - odd * x;
  return x;
}
static_assert(inverse(kMark) * kMark == 1);

// A hash of words: multiply and fold, three times; the constants are MurmurHash3's finalizer's.
constexpr uint32_t kMultiply1 = 0x85ebca6b, kMultiply2 = 0xc2b2ae35;
uint32_t hash(uint32_t x) {
  x ^= x >> 16;
  x *= kMultiply1;
  x ^= x >> 13;
  x *= kMultiply2;
  return x ^ (x >> 16);
}

/// Where each parameter stands; behind these come six words a variable, the constants and the zeros.
enum class Parameter : uint32_t {
  FirstChunk,
  ChunkStride,
  Start,
  StartStride,
  Runs,
  Length,
  Threads,
  CanaryMask,
  CanaryValue,
  CanarySalt,
  CanaryWord,
  SlotMask,
  Samples,
  Fold,
};
constexpr uint32_t kFixedParameters = uint32_t(Parameter::Fold) + 1;
constexpr uint32_t kVariableParameters = 6;

/// The bits that a value of the type has in its word.
uint32_t word_mask(DataType type) {
  if (type == DataType::Bool) return 1;
  return spec::value_bits(type) == 16 ? 0xffff : ~0u;
}

/// The statement as counts.
class Counting final : public algebra::Terms {
 public:
  explicit Counting(size_t variables) : Terms(variables), columns_(uint32_t(variables)) {}
  Column constant(uint32_t value) override {
    shape.constants.push_back(value);
    return fresh();
  }
  Column apply(const ops::Operation& operation, std::span<const Column> inputs) override {
    shape.masks += uint32_t(inputs.size());
    for (const Column c : inputs) shape.still_operands += c.index >= variables_;
    ++shape.applications[&operation];
    return fresh();
  }
  Column sum(Column, Column) override {
    ++shape.sums;
    return fresh();
  }
  Column operate(Op op, std::span<const Column>) override {
    shape.tests += op == Op::Eq || op == Op::Ne;
    return fresh();
  }
  void require(Column) override { ++shape.sides; }
  void require_equal(Column, Column, DataType) override {
    ++shape.equations;
    ++shape.comparisons;
    shape.sides += 2;
  }
  void require_ordered(Column, Column, DataType) override {
    ++shape.comparisons;
    shape.sides += 2;
  }
  void require_monotone(Column, Column, DataType, Column, Column, DataType) override {
    shape.masks += 4;
    shape.still_operands += 2;
    shape.comparisons += 2;
    shape.sides += 4;
  }
  LawShape shape;

 private:
  Column fresh() { return Column{columns_++}; }
  uint32_t columns_;
};

/// The statement as IR, for one instance, inside the innermost loop.
class Writing final : public algebra::Terms {
 public:
  struct Words {
    std::vector<Ex> variables, constants, masks, canaries;  // canaries: the masks of equations
    Ex hit;
  };
  Writing(ProgramBuilder& p, const BoundLaw& law, const LawProgramOptions& options, const Words& words)
      : Terms(law.variables.size()),
        p_(p),
        options_(options),
        words_(words),
        columns_(words.variables),
        multiplies_(masks_product(law)) {}

  Column constant(uint32_t) override { return keep(words_.constants[constant_++]); }
  Column apply(const ops::Operation& operation, std::span<const Column> inputs) override {
    std::vector<Ex> arguments;
    for (size_t k = 0; k < inputs.size(); ++k) {
      arguments.push_back(typed(opaque(inputs[k]), operation.signature.inputs[k]));
    }
    return keep(
        name("r", word(p_.call(operation.id, arguments, operation.version), operation.signature.output)));
  }
  Column sum(Column a, Column b) override { return keep(name("r", at(a) + at(b))); }
  Column operate(Op op, std::span<const Column> inputs) override {
    std::vector<Ex> operands;
    for (const Column c : inputs) operands.push_back(at(c));
    return keep(name("r", p_.apply(op, operands)));
  }
  void require(Column truth) override {
    sides_.push_back(at(truth));
    demand((at(truth) == 0) || words_.hit);
  }
  void require_equal(Column a, Column b, DataType type) override {
    sides_.insert(sides_.end(), {at(a), at(b)});
    // As values: after that a canary's flip makes them differ for sure.
    const Ex left = canonical(at(a), type), right = canonical(at(b), type);
    demand((options_.opaque ? left ^ words_.canaries[equation_++] : left) != right);
  }
  void require_ordered(Column a, Column b, DataType type) override {
    sides_.insert(sides_.end(), {at(a), at(b)});
    // Nothing makes an order fail for sure, so a canary is counted as failing outright.
    demand(ordered(at(b), at(a), type, false) || words_.hit);
  }
  void require_monotone(Column p, Column q, DataType domain, Column a, Column b, DataType range) override {
    sides_.insert(sides_.end(), {at(p), at(q), at(a), at(b)});
    const Ex premise = ordered(opaque(p), opaque(q), domain, true);
    // Opaque: ~a < ~b is b < a, and then nothing is left of what was applied.
    const Ex upper = opaque(b), lower = opaque(a);
    demand((premise && ordered(upper, lower, range, false)) || words_.hit);
  }

  const std::vector<Ex>& sides() const { return sides_; }
  Ex fails() { return *fails_; }

 private:
  Ex at(Column c) const { return columns_[c.index]; }
  Column keep(Ex word) {
    columns_.push_back(word);
    return Column{uint32_t(columns_.size() - 1)};
  }
  Ex name(std::string_view prefix, Ex value) {
    return p_.let(fmt::format("{}{}", prefix, columns_.size()), value);
  }
  Ex opaque(Column c) {
    if (!options_.opaque) return at(c);
    const Ex mask = words_.masks[mask_++];
    if (multiplies_) return at(c) * mask;
    return at(c) ^ (is_still(c) ? words_.variables[0] & mask : mask);
  }
  /// Of a constant, what is computed of it alone could be computed once; a result that is 0 or 1 could be
  /// looked at for each of the two beforehand. So these are made opaque by a word that changes, as far as
  /// anyone knows.
  bool is_still(Column c) const { return c.index >= variables_; }
  Ex typed(Ex word, DataType type) {
    if (type == DataType::Bool) return p_.cast(type, word & 1);  // a comparison would be a u32
    return type == DataType::U32 ? word : p_.bitcast(type, word);
  }
  Ex word(Ex value, DataType type) {
    if (type == DataType::Bool) return p_.select(value, p_.u32(1), p_.u32(0));
    return type == DataType::U32 ? value : p_.bitcast(DataType::U32, value);
  }
  /// a <= b, or strictly a < b; false where either is NaN. Floats are compared as integers: no operator that
  /// laws speak of is believed.
  Ex ordered(Ex a, Ex b, DataType type, bool or_equal) {
    if (spec::kFloats.contains(type)) return ordered_floats(a, b, spec::float_format(type), or_equal);
    const Ex x = typed(a, type), y = typed(b, type);
    return or_equal ? x <= y : x < y;
  }
  Ex ordered_floats(Ex a, Ex b, spec::FloatFormat f, bool or_equal) {
    std::vector<Ex> ranks, numbers;
    for (const Ex word : {a, b}) {
      const Ex x = own("word", word), magnitude = own("magnitude", x & (f.sign_bit() - 1));
      const Ex is_negative = (x & f.sign_bit()) != 0;
      ranks.push_back(p_.bitcast(DataType::I32, own("rank", p_.select(is_negative, -magnitude, magnitude))));
      numbers.push_back(magnitude <= f.infinity());
    }
    const Ex order = or_equal ? ranks[0] <= ranks[1] : ranks[0] < ranks[1];
    return (order && numbers[0]) && numbers[1];
  }
  /// The word that stands for a value in equations.
  Ex canonical(Ex word, DataType type) {
    if (!spec::kFloats.contains(type)) return word;
    const spec::FloatFormat f = spec::float_format(type);
    const Ex x = own("value", word);
    return own("canonical", p_.select((x & (f.sign_bit() - 1)) > f.infinity(), p_.u32(f.nan()), x));
  }
  Ex own(std::string_view prefix, Ex value) { return p_.let(fmt::format("{}{}", prefix, named_++), value); }
  void demand(Ex fails) { fails_ = fails_ ? *fails_ || fails : fails; }

  ProgramBuilder& p_;
  const LawProgramOptions& options_;
  const Words& words_;
  std::vector<Ex> columns_;
  std::vector<Ex> sides_;
  std::optional<Ex> fails_;
  const bool multiplies_;
  size_t constant_ = 0, mask_ = 0, equation_ = 0, named_ = 0;
};

Ex hash(ProgramBuilder& p, const std::string& name, Ex word) {
  const Ex x = p.let(name, word);
  p.assign(x, x ^ (x >> 16));
  p.assign(x, x * kMultiply1);
  p.assign(x, x ^ (x >> 13));
  p.assign(x, x * kMultiply2);
  p.assign(x, x ^ (x >> 16));
  return x;
}

/// Writes the program around the statement.
class Writer {
 public:
  Writer(const BoundLaw& law, const LawProgramOptions& options)
      : law_(law), options_(options), shape_(shape_of(law)), p_("law") {
    p_.workgroup_size(kLawWorkgroup, 1, 1);
    parameters_ = p_.read("parameters", DataType::Vec4U32, 0);
    results_ = p_.read_write("results", DataType::U32, 1);
    samples_ = p_.read_write("samples", DataType::U32, 2);
  }

  LawProgram write() {
    const auto variables = uint32_t(law_.variables.size());
    const uint32_t constants = kFixedParameters + kVariableParameters * variables;
    const uint32_t zeros = constants + uint32_t(shape_.constants.size());
    const uint32_t words = zeros + shape_.equations + shape_.masks;
    // Four at a time: every load has a guard.
    for (uint32_t k = 0; k < (words + 3) / 4; ++k) {
      fours_.push_back(p_.let(fmt::format("parameters{}", k), p_.load(parameters_, p_.u32(k))));
    }
    const Ex thread = p_.let("thread", p_.invocation_id(0));
    p_.if_(thread < fixed(Parameter::Threads), [&] { chunk(thread, constants, zeros); });
    return {p_.finish(), shape_, variables + shape_.sides, uint32_t(4 * fours_.size()),
            masks_product(law_) ? 1u : 0u};
  }

 private:
  Ex parameter(uint32_t index) { return p_.component(fours_[index / 4], index % 4); }
  Ex fixed(Parameter which) { return parameter(uint32_t(which)); }
  std::vector<Ex> load(std::string_view prefix, uint32_t first, size_t count) {
    std::vector<Ex> out;
    for (uint32_t k = 0; k < count; ++k) {
      out.push_back(p_.let(fmt::format("{}{}", prefix, k), parameter(first + k)));
    }
    return out;
  }

  void chunk(Ex thread, uint32_t constants, uint32_t zeros) {
    const Ex number = p_.let("chunk", fixed(Parameter::FirstChunk) + thread * fixed(Parameter::ChunkStride));
    const Ex start = p_.let("start", fixed(Parameter::Start) + thread * fixed(Parameter::StartStride));
    std::vector<Ex> x, step;
    for (uint32_t v = 0; v < law_.variables.size(); ++v) {
      const uint32_t at = kFixedParameters + kVariableParameters * v;
      const Ex base_hash = hash(p_, fmt::format("base_hash{}", v), number ^ parameter(at));
      const Ex step_hash = hash(p_, fmt::format("step_hash{}", v), number ^ parameter(at + 1));
      step.push_back(p_.let(fmt::format("step{}", v), (step_hash & parameter(at + 2)) | parameter(at + 3)));
      x.push_back(p_.let(fmt::format("x{}", v), (base_hash & parameter(at + 2)) +
                                                    ((number >> parameter(at + 4)) & parameter(at + 5)) +
                                                    start * step[v]));
    }
    const Ex fold = p_.let("fold", fixed(Parameter::Fold));
    std::vector<Ex> constant = load("constant", constants, shape_.constants.size());
    std::vector<Ex> equation_zeros = load("side_zero", zeros, shape_.equations);
    std::vector<Ex> masks = load("zero", zeros + shape_.equations, shape_.masks);

    const Ex is_canary =
        p_.let("is_canary", (number & fixed(Parameter::CanaryMask)) == fixed(Parameter::CanaryValue));
    const Ex canary_hash = hash(p_, "canary_hash", number ^ fixed(Parameter::CanarySalt));
    const Ex runs = p_.let("runs", fixed(Parameter::Runs));
    const Ex canary_run =
        p_.let("canary_run", p_.select(is_canary, canary_hash & (runs - 1), p_.u32(kNever)));
    const Ex canary_word = p_.let("canary_word", fixed(Parameter::CanaryWord));
    const Ex length = p_.let("length", fixed(Parameter::Length));
    const Ex completed = p_.let("completed", p_.u32(0)), failures = p_.let("failures", p_.u32(0)),
             canaries = p_.let("canaries", p_.u32(0));
    std::vector<Ex> last;
    for (uint32_t k = 0; k < law_.variables.size() + shape_.sides; ++k) {
      last.push_back(p_.let(fmt::format("last{}", k), p_.u32(0)));
    }

    p_.loop("run", p_.u32(0), runs + p_.select(is_canary, p_.u32(1), p_.u32(0)), [&](Ex run) {
      const Ex hit = p_.let("hit", run == canary_run);
      const Ex flip = p_.let("flip", p_.select(hit, canary_word, p_.u32(0)));
      std::vector<Ex> sides;
      for (size_t k = 0; k < equation_zeros.size(); ++k) {
        sides.push_back(p_.let(fmt::format("side{}", k), equation_zeros[k] ^ flip));
      }
      const Ex marks = p_.let("marks", p_.u32(0));
      p_.loop("instance", p_.u32(0), length, [&](Ex) {
        Writing::Words words{{}, constant, masks, sides, hit};
        for (uint32_t v = 0; v < x.size(); ++v) {
          Ex value = x[v] ^ (x[v] >> fold);
          const uint32_t mask = word_mask(law_.variables[v]);
          if (mask != ~0u) value = value & mask;
          words.variables.push_back(p_.let(fmt::format("v{}", v), value));
        }
        Writing statement(p_, law_, options_, words);
        algebra::state(statement, law_);
        p_.assign(marks, marks + p_.select(statement.fails(), p_.u32(kMark), p_.u32(0)));
        for (uint32_t v = 0; v < x.size(); ++v) {
          p_.assign(last[v], words.variables[v]);
          p_.assign(x[v], x[v] + step[v]);
        }
        for (size_t k = 0; k < shape_.sides; ++k) p_.assign(last[x.size() + k], statement.sides()[k]);
      });
      const Ex failed = p_.let("failed", marks * inverse(kMark));
      p_.if_(
          hit, [&] { p_.assign(canaries, canaries + failed); },
          [&] { p_.assign(failures, failures + failed); });
      p_.assign(completed, completed + length);
    });

    report(thread, completed, failures, canaries, last);
  }

  void report(Ex thread, Ex completed, Ex failures, Ex canaries, std::span<const Ex> last) {
    const Ex slot = p_.let("slot", (p_.workgroup_id(0) & fixed(Parameter::SlotMask)) * kCounts);
    const auto count = [&](DeviceCount which, Op op, Ex value) {
      p_.let(fmt::format("before{}", uint32_t(which)),
             p_.atomic(op, results_, slot + uint32_t(which), value));
    };
    count(DeviceCount::Completed, Op::AtomicAdd, completed);
    p_.if_(canaries != 0, [&] { count(DeviceCount::Canaries, Op::AtomicAdd, canaries); });
    p_.if_(failures != 0, [&] {
      count(DeviceCount::Failures, Op::AtomicAdd, failures);
      count(DeviceCount::FirstThread, Op::AtomicMin, thread);
    });
    p_.if_(thread < fixed(Parameter::Samples), [&] {
      for (uint32_t k = 0; k < last.size(); ++k) {
        p_.store(samples_, thread * uint32_t(last.size()) + k, last[k]);
      }
    });
  }

  const BoundLaw& law_;
  const LawProgramOptions& options_;
  const LawShape shape_;
  ProgramBuilder p_;
  BufferRef parameters_{}, results_{}, samples_{};
  std::vector<Ex> fours_;
};

}  // namespace

LawShape shape_of(const BoundLaw& law) {
  Counting counting(law.variables.size());
  algebra::state(counting, law);
  return std::move(counting.shape);
}

bool xor_passes(const ops::Operation& operation) {
  const size_t arity = operation.signature.inputs.size();
  const auto at = [&](Words4 x) {
    for (size_t k = 0; k < arity; ++k) x[k] &= word_mask(operation.signature.inputs[k]);
    return operation.reference(x.data());
  };
  const Words4 zero{}, first = philox(0, 0, kXorStream);
  bool affine = true, together = arity > 1, varies = false;
  for (uint64_t trial = 0; trial < kXorTrials; ++trial) {
    Words4 x = philox(0, 2 * trial, kXorStream), y = philox(0, 2 * trial + 1, kXorStream);
    Words4 both{}, moved{};
    // Every other time equal operands: by chance they never are.
    if (trial % 2 == 1) x.fill(x[0]);
    for (size_t k = 0; k < x.size(); ++k) {
      both[k] = x[k] ^ y[k];
      moved[k] = x[k] ^ y[0];
    }
    affine = affine && (at(x) ^ at(y) ^ at(both) ^ at(zero)) == 0;
    together = together && at(moved) == at(x);
    varies = varies || at(x) != at(first);
  }
  return affine || (together && varies);
}

bool compares_bits(const ir::Function& composition) {
  const ir::Code& code = composition.code;
  const auto is_literal = [&](ir::ExprId e) { return code[e].kind == ir::ExprKind::Literal; };
  return std::ranges::any_of(code.exprs, [&](const ir::Expr& e) {
    if (e.kind != ir::ExprKind::Apply) return false;
    if (e.op == Op::Call) {
      const ops::Operation* const called = ops::find_operation(code.name(e.symbol), e.immediate);
      return called != nullptr && compares_bits(ops::body_of(*called));
    }
    const bool compares = e.op == Op::BitXor || e.op == Op::Eq || e.op == Op::Ne;
    return compares && std::ranges::none_of(code.args(e), is_literal);
  });
}

bool masks_product(const BoundLaw& law) {
  const auto wants = [](const ops::Operation& operation) {
    const bool pairs = operation.signature.inputs.size() > 1 && operation.compose != nullptr;
    return xor_passes(operation) || (pairs && compares_bits(ops::body_of(operation)));
  };
  return wants(*law.f) ||
         std::ranges::any_of(law.others, [&](const ops::Operation* other) { return wants(*other); });
}

uint32_t Sweep::canary_run(uint32_t chunk) const { return hash(chunk ^ canary_salt) & (runs - 1); }

void Sweep::values(uint32_t chunk, uint32_t number, std::span<const DataType> types,
                   std::span<uint32_t> out) const {
  for (size_t v = 0; v < variables.size(); ++v) {
    const VariableFormula& f = variables[v];
    const uint32_t step = (hash(chunk ^ f.step_salt) & f.random) | f.least_step;
    const uint32_t base =
        (hash(chunk ^ f.base_salt) & f.random) + ((chunk >> (f.grid_shift % 32)) & f.grid_mask);
    const uint32_t x = base + number * step, value = x ^ (x >> fold);
    out[v] = value & word_mask(types[v]);
  }
}

std::vector<uint32_t> LawProgram::parameters(const Sweep& sweep, uint32_t samples) const {
  std::vector<uint32_t> out(kFixedParameters);
  const auto set = [&](Parameter which, uint32_t value) { out[uint32_t(which)] = value; };
  set(Parameter::FirstChunk, sweep.first_chunk);
  set(Parameter::ChunkStride, sweep.chunk_stride);
  set(Parameter::Start, sweep.start);
  set(Parameter::StartStride, sweep.start_stride);
  set(Parameter::Runs, sweep.runs);
  set(Parameter::Length, sweep.length);
  set(Parameter::Threads, sweep.threads);
  set(Parameter::CanaryMask, sweep.canary_mask);
  set(Parameter::CanaryValue, sweep.canary_value);
  set(Parameter::CanarySalt, sweep.canary_salt);
  set(Parameter::CanaryWord, hash(sweep.canary_salt) | 1);
  set(Parameter::SlotMask, kSlots - 1);
  set(Parameter::Samples, samples);
  set(Parameter::Fold, sweep.fold);
  for (const VariableFormula& f : sweep.variables) {
    out.insert(out.end(), {f.base_salt, f.step_salt, f.random, f.least_step, f.grid_shift, f.grid_mask});
  }
  out.insert(out.end(), shape.constants.begin(), shape.constants.end());
  out.resize(out.size() + shape.equations, 0);
  out.resize(out.size() + shape.masks, mask);
  out.resize(parameter_words, 0);
  return out;
}

LawProgram law_program(const BoundLaw& law, const LawProgramOptions& options) {
  return Writer(law, options).write();
}

LawAt law_at(const BoundLaw& law, std::span<const uint32_t> values) {
  algebra::SpecEvaluator definition;
  algebra::Flow flow(definition, 1);
  std::vector<const uint32_t*> columns;
  for (const uint32_t& value : values) columns.push_back(&value);
  flow.begin(columns, 1);
  algebra::state(flow, law);
  const auto holds = flow.end();  // functions of the host do not fail
  return {holds->front() != 0, flow.sides(0)};
}

}  // namespace vyre::verify
