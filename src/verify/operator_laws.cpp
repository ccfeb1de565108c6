#include "verify/operator_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "algebra/value_terms.h"
#include "base/random.h"
#include "spec/ops.h"
#include "verify/columns.h"
#include "verify/culprit.h"
#include "verify/elementwise.h"
#include "verify/examine.h"
#include "verify/families.h"
#include "verify/token.h"

namespace vyre::verify {
namespace {

using algebra::Values;
using ref::Bits;
using spec::DataType;
using spec::Law;
using spec::Op;
namespace laws = spec::laws;
using spec::DataType::Bool;
using spec::DataType::I32;
using spec::DataType::U128;
using spec::DataType::U64;

constexpr size_t kLawSlice = size_t{1} << 16;
constexpr uint64_t kOperatorLawPoison = 0x6f706c6177;  // "oplaw": a stream of its own
constexpr uint32_t kOnes = 0xffffffff;

/// The first or the last values of a type, and those around its seams.
std::vector<Bits> edges_of(DataType type) {
  if (type == Bool) return {0, 1};
  const uint32_t bits = spec::value_bits(type);
  const Bits max = algebra::low_bits(type, ~Bits{0}), top = Bits{1} << (bits - 1),
             half = Bits{1} << (bits / 2);
  const Bits alternating = max / 3;
  return {0,       1,   2,       3,           bits - 1,          bits,    half - 1, half, half + 1,
          top - 1, top, top + 1, alternating, max - alternating, max - 1, max};
}

// --- The laws

constexpr std::array kIntegerTypes = {I32, U64, U128};

/// Laws under construction: of an operator at several types.
class Table {
 public:
  std::vector<OperatorLaw> out;

  void claim(Op op, std::span<const DataType> types, std::initializer_list<Law> all) {
    for (const DataType type : types) {
      for (const Law& law : all) out.push_back({op, type, law});
    }
  }
  void deny(Op op, std::span<const DataType> types, const Law& law, const std::vector<Bits>& witness) {
    for (const DataType type : types) out.push_back({op, type, law, false, witness});
  }
};

std::vector<OperatorLaw> make_laws() {
  using namespace laws;
  constexpr std::array kWithBool = {I32, U64, U128, Bool};
  constexpr std::array kUnsigned = {U64, U128};
  constexpr std::array kI32 = {I32}, kU64 = {U64}, kU128 = {U128}, kBool = {Bool};
  const auto& kAll = kIntegerTypes;
  Table t;
  t.claim(Op::Add, kAll, {commutative(), associative(), identity(0), inverse_of("sub")});
  t.deny(Op::Add, kAll, idempotent(), {1});
  t.claim(Op::Sub, kAll, {right_identity(0), self_inverse(0), inverse_of("add")});
  t.deny(Op::Sub, kAll, commutative(), {0, 1});
  t.deny(Op::Sub, kAll, associative(), {0, 0, 1});
  t.claim(Op::Mul, kAll,
          {commutative(), associative(), identity(1), absorbing(0), distributive_over("add"),
           distributive_over("sub")});
  // Numbers modulo a power of two have divisors of zero.
  t.deny(Op::Mul, kI32, zero_product(), {Bits{1} << 16, Bits{1} << 16});
  t.deny(Op::Mul, kU64, zero_product(), {Bits{1} << 32, Bits{1} << 32});
  t.deny(Op::Mul, kU128, zero_product(), {Bits{1} << 64, Bits{1} << 64});
  // What holds on one side is declared of that side, as the specification's tables have it.
  t.claim(Op::Div, kAll, {right_identity(1), left_absorbing(0), right_absorbing(0)});  // x / 0 is 0
  t.deny(Op::Div, kAll, identity(1), {2});
  t.deny(Op::Div, kAll, self_inverse(1), {0});
  t.deny(Op::Div, kAll, commutative(), {1, 2});
  t.deny(Op::Div, kAll, associative(), {8, 2, 2});
  t.deny(Op::Div, kAll, inverse_of("mul"), {1, 0});
  t.claim(Op::Mod, kAll, {self_inverse(0), left_absorbing(0), right_absorbing(0)});
  t.deny(Op::Mod, kAll, commutative(), {1, 2});
  t.deny(Op::Mod, kAll, idempotent(), {1});
  t.claim(Op::BitAnd, kAll,
          {commutative(), associative(), idempotent(), identity(kOnes), absorbing(0),
           distributive_over("bit_or"), distributive_over("bit_xor"), lattice_absorption("bit_or")});
  t.claim(Op::BitOr, kAll,
          {commutative(), associative(), idempotent(), identity(0), absorbing(kOnes),
           distributive_over("bit_and"), lattice_absorption("bit_and")});
  t.deny(Op::BitOr, kAll, self_inverse(0), {1});
  t.claim(Op::BitXor, kAll,
          {commutative(), associative(), identity(0), self_inverse(0), inverse_of("bit_xor")});
  t.deny(Op::BitXor, kAll, idempotent(), {1});
  t.claim(Op::Shl, kAll, {right_identity(0), left_absorbing(0)});
  t.claim(Op::Shr, kAll, {right_identity(0), left_absorbing(0)});
  t.claim(Op::Shr, kI32, {left_absorbing(kOnes)});  // of a sign there is always more
  t.deny(Op::Shr, kUnsigned, left_absorbing(kOnes), {1});
  t.claim(Op::Eq, kWithBool, {commutative(), self_inverse(1), transitive(), bounded(0, 1)});
  t.claim(Op::Ne, kWithBool, {commutative(), self_inverse(0), bounded(0, 1)});
  t.deny(Op::Ne, kWithBool, transitive(), {0, 1, 0});
  t.claim(Op::Lt, kAll, {transitive(), trichotomy(), self_inverse(0), converse("gt")});
  t.claim(Op::Gt, kAll, {transitive(), trichotomy(), self_inverse(0), converse("lt")});
  t.claim(Op::Le, kAll, {transitive(), self_inverse(1), converse("ge")});
  t.claim(Op::Ge, kAll, {transitive(), self_inverse(1), converse("le")});
  t.deny(Op::Lt, kAll, commutative(), {0, 1});
  t.deny(Op::Le, kAll, trichotomy(), {0, 0});
  // The specification declares none of the two-sided laws of these on integers, where the answer to true
  // operands is 1 and not one of them; on truth values there are.
  t.claim(Op::And, kAll, {left_absorbing(0), right_absorbing(0), zero_product()});
  t.claim(Op::Or, kAll, {left_absorbing(1), right_absorbing(1), zero_product()});
  t.deny(Op::And, kAll, idempotent(), {2});
  t.deny(Op::Or, kAll, idempotent(), {2});
  t.deny(Op::And, kAll, identity(1), {2});
  t.deny(Op::Or, kAll, identity(0), {2});
  t.claim(Op::And, kBool, {commutative(), idempotent(), identity(1), absorbing(0)});
  t.claim(Op::Or, kBool, {commutative(), idempotent(), identity(0), absorbing(1)});
  t.claim(Op::Negate, kAll, {involution(), de_morgan("add", "add"), de_morgan("sub", "sub")});
  t.deny(Op::Negate, kAll, monotone(), {1, 2});
  t.claim(Op::BitNot, kAll,
          {involution(), antitone(), de_morgan("bit_and", "bit_or"), de_morgan("bit_or", "bit_and")});
  t.deny(Op::BitNot, kAll, projection(), {0});
  t.claim(Op::LogicalNot, kWithBool, {bounded(0, 1)});
  t.claim(Op::Popcount, kAll, {even("reverse_bits")});
  t.deny(Op::Popcount, kAll, monotone(), {3, 4});
  t.claim(Op::Clz, kUnsigned, {antitone()});
  t.deny(Op::Clz, kI32, antitone(), {kOnes, 0});  // -1 is below 0
  for (const Op count : {Op::Popcount, Op::Clz, Op::Ctz}) {
    for (const DataType type : kAll)
      t.claim(count, std::span(&type, 1), {bounded(0, spec::value_bits(type))});
  }
  t.claim(Op::ReverseBits, kAll,
          {involution(), de_morgan("bit_and", "bit_and"), de_morgan("bit_or", "bit_or"),
           de_morgan("bit_xor", "bit_xor")});
  t.deny(Op::ReverseBits, kAll, monotone(), {2, 4});
  return std::move(t.out);
}

// --- Operators as operations, for statements that name them

/// An operator at a type under the name that laws have for it.
struct Named {
  Op op;
  DataType type;
  ops::Operation operation;
};

Named named(Op op, DataType type) {
  Named out{op, type, {}};
  const Application a = application_of(op, type);
  out.operation.id = spec::mnemonic(op);
  out.operation.signature = {a.inputs, a.output};
  return out;
}

Op operator_of(std::string_view mnemonic) {
  const auto found = std::ranges::find(spec::kOps, mnemonic, &spec::OpInfo::mnemonic);
  return found->op;  // a test looks all of them up
}

/// A law with its operators found. The statement points into it, so it stays where it is.
struct Bound {
  const OperatorLaw& law;
  Named f;
  std::vector<Named> others;
  algebra::BoundLaw statement;

  explicit Bound(const OperatorLaw& of) : law(of), f(named(of.op, of.type)) {
    for (const std::string& name : of.law.others) others.push_back(named(operator_of(name), of.type));
    statement.law = &law.law;
    statement.f = &f.operation;
    for (const Named& other : others) statement.others.push_back(&other.operation);
    const spec::LawInfo& info = spec::info(of.law.kind);
    const auto& inputs = f.operation.signature.inputs;
    // Of a shift the second operand is a word.
    const bool of_second =
        of.law.kind == spec::LawKind::LeftIdentity || of.law.kind == spec::LawKind::LeftAbsorbing;
    if (info.variables == 0) {
      statement.variables = inputs;
    } else {
      statement.variables.assign(info.variables, of_second ? inputs.back() : inputs.front());
    }
    statement.result = f.operation.signature.output;
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  const Named& of(const ops::Operation& operation) const {
    for (const Named& other : others) {
      if (&other.operation == &operation) return other;
    }
    return f;
  }
};

/// The constant of a law from its low word, of which the sign goes on.
Bits sign_extended(uint32_t word) { return word >> 31 != 0 ? ~Bits{0xffffffff} | word : Bits{word}; }

/// Applies an operator to columns, to as many as it has operands.
using Apply = std::function<Result<void>(const Named&, std::span<const Values* const>, Values& out)>;

// --- The two subjects

Result<void> apply_reference(const Named& what, std::span<const Values* const> inputs, Values& out) {
  std::array<Bits, kMaxInputs> operands{};
  for (size_t i = 0; i < out.size(); ++i) {
    for (size_t k = 0; k < inputs.size(); ++k) operands[k] = (*inputs[k])[i];
    out[i] = ref::eval(what.op, what.type, std::span(operands).first(inputs.size()));
  }
  return {};
}

/// The operators as the backend has them, compiled on first use.
class Device {
 public:
  Device(backend::Backend& backend, uint64_t seed, Verdict& verdict)
      : backend_(backend), seed_(seed), verdict_(verdict) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Result<void> apply(const Named& what, std::span<const Values* const> inputs, Values& out) {
    VYRE_TRY(pipeline, pipeline_of(what));
    const size_t n = out.size(), each = pipeline->result_words();
    size_t columns = 0;
    for (const DataType type : what.operation.signature.inputs) columns += spec::value_words(type);
    Columns words(columns, n);
    size_t column = 0;
    for (size_t k = 0; k < inputs.size(); ++k) {
      for (uint32_t w = 0; w < spec::value_words(what.operation.signature.inputs[k]); ++w, ++column) {
        uint32_t* const to = words.writable()[column];
        for (size_t i = 0; i < n; ++i) to[i] = uint32_t((*inputs[k])[i] >> (32 * w));
      }
    }
    std::vector<uint32_t> answers(n * each);
    // Another word each time, so that two sides do not agree on what was not written.
    const uint32_t poison = philox(seed_, ++applications_, kOperatorLawPoison)[0];
    uint64_t broken = 0;
    VYRE_CHECK(apply_in_parts(*pipeline, words.readable(), answers, poison, broken));
    for (size_t i = 0; i < n; ++i) {
      out[i] = 0;
      for (size_t w = 0; w < each; ++w) out[i] |= Bits{answers[i * each + w]} << (32 * w);
    }
    return {};
  }
  void account() {
    for (const auto& [key, pipeline] : pipelines_) pipeline->account(verdict_);
    pipelines_.clear();
  }

 private:
  Result<Elementwise*> pipeline_of(const Named& what) {
    auto& pipeline = pipelines_[{what.op, what.type}];
    if (!pipeline) {
      auto made = Elementwise::make(backend_, application_of(what.op, what.type));
      if (!made) {
        pipelines_.erase({what.op, what.type});
        return std::unexpected(std::move(made).error());
      }
      pipeline = std::move(*made);
    }
    return pipeline.get();
  }

  backend::Backend& backend_;
  uint64_t seed_;
  Verdict& verdict_;
  uint64_t applications_ = 0;
  std::map<std::pair<Op, DataType>, std::unique_ptr<Elementwise>> pipelines_;
};

/// What became of the instances of one engine on one subject.
struct Tried {
  uint64_t instances = 0, failures = 0;
  Values first;  // that failed
};

/// Where instances come from: `fill` writes those number first, first + 1, ... into columns.
struct Instances {
  uint64_t count;
  std::function<void(uint64_t first, std::vector<Values>& columns)> fill;
};

Instances all_edges(const Bound& law) {
  std::vector<std::vector<Bits>> domains;
  uint64_t count = 1;
  for (const DataType type : law.statement.variables) {
    domains.push_back(edges_of(type));
    count *= domains.back().size();
  }
  return {count, [domains](uint64_t first, std::vector<Values>& columns) {
            for (size_t i = 0; i < columns[0].size(); ++i) {
              uint64_t number = first + i;
              for (size_t v = columns.size(); v-- > 0; number /= domains[v].size())
                columns[v][i] = domains[v][number % domains[v].size()];
            }
          }};
}

/// Random instances, which all laws of the same types and both subjects have in common: making them takes
/// longer than trying them.
class RandomOnes {
 public:
  RandomOnes(uint64_t count, uint64_t seed) : count_(count), seed_(seed) {}
  uint64_t count() const { return count_; }
  uint64_t seed() const { return seed_; }
  /// Those of a law, until those of another one are asked for.
  Instances of(const Bound& law) {
    if (count_ > kKept) made_.clear();  // memory has a bound
    std::vector<Values>& all = made_[law.statement.variables];
    if (all.empty()) all = make(law.statement.variables);
    return {count_, [&all](uint64_t first, std::vector<Values>& columns) {
              for (size_t v = 0; v < columns.size(); ++v)
                std::copy_n(all[v].begin() + ptrdiff_t(first), columns[v].size(), columns[v].begin());
            }};
  }

 private:
  std::vector<Values> make(const std::vector<DataType>& types) const {
    const ValueCases cases("laws of operators", types, generate::Strategy::Random, seed_);
    size_t words = 0;
    for (const DataType type : types) words += spec::value_words(type);
    std::vector<Values> out(types.size(), Values(count_));
    Columns made(words, kLawSlice);
    for (uint64_t first = 0; first < count_; first += kLawSlice) {
      const auto n = size_t(std::min<uint64_t>(kLawSlice, count_ - first));
      cases.fill(first, n, made.writable());
      size_t column = 0;
      for (size_t v = 0; v < types.size(); ++v) {
        Bits* const to = out[v].data() + first;
        for (uint32_t w = 0; w < spec::value_words(types[v]); ++w, ++column) {
          for (size_t i = 0; i < n; ++i) to[i] |= Bits{made.readable()[column][i]} << (32 * w);
        }
        for (size_t i = 0; i < n; ++i) to[i] = algebra::low_bits(types[v], to[i]);
      }
    }
    return out;
  }

  static constexpr uint64_t kKept = uint64_t{1} << 20;  // of all types
  uint64_t count_, seed_;
  std::map<std::vector<DataType>, std::vector<Values>> made_;
};

Result<Tried> try_on(const Bound& law, const Instances& instances, const Apply& apply,
                     const Monitor& monitor) {
  Tried out;
  for (uint64_t first = 0; first < instances.count && !monitor.stopped(); first += kLawSlice) {
    const auto n = size_t(std::min<uint64_t>(kLawSlice, instances.count - first));
    std::vector<Values> columns(law.statement.variables.size(), Values(n));
    instances.fill(first, columns);
    VYRE_TRY(holds,
             algebra::values_hold([&](algebra::Terms& terms) { algebra::state(terms, law.statement); },
                                  columns, law.statement.result, sign_extended,
                                  [&](const ops::Operation& operation, std::span<const Values* const> inputs,
                                      Values& values) { return apply(law.of(operation), inputs, values); }));
    out.instances += n;
    for (size_t i = 0; i < n; ++i) {
      if (holds[i] != 0) continue;
      if (out.failures++ != 0) continue;
      for (const Values& column : columns) out.first.push_back(column[i]);
    }
    monitor.done(n);
  }
  return out;
}

Instances these(const Values& values) {
  return {1, [values](uint64_t, std::vector<Values>& columns) {
            for (size_t v = 0; v < columns.size(); ++v) columns[v][0] = values[v];
          }};
}

std::vector<uint32_t> words_of(std::span<const DataType> types, std::span<const Bits> values) {
  std::vector<uint32_t> out;
  for (size_t k = 0; k < types.size(); ++k) {
    for (uint32_t w = 0; w < spec::value_words(types[k]); ++w) out.push_back(uint32_t(values[k] >> (32 * w)));
  }
  return out;
}

/// One application of the law at values, the first that the device does not do as the reference does, or the
/// first of all: what a person is given to run again.
Result<std::string> token_at(const Bound& law, const Values& values, Device& device) {
  std::optional<Token> first, wrong;
  const Apply watch = [&](const Named& what, std::span<const Values* const> inputs,
                          Values& out) -> Result<void> {
    VYRE_CHECK(device.apply(what, inputs, out));
    Values right(1), operands;
    VYRE_CHECK(apply_reference(what, inputs, right));
    for (const Values* column : inputs) operands.push_back((*column)[0]);
    const Token token{
        fmt::format("{}/{}.{}", info(Family::Operators).text, spec::mnemonic(what.op), spec::text(what.type)),
        "operands", 0, 0, words_of(what.operation.signature.inputs, operands)};
    if (!first) first = token;
    if (!wrong && out != right) wrong = token;
    return {};
  };
  VYRE_CHECK(try_on(law, these(values), watch, {}));
  return print(wrong ? *wrong : *first);
}

Result<void> report(const Bound& law, const Values& values, std::string_view on, Fault fault, Device& device,
                    Verdict& verdict) {
  ++verdict.failure_count;
  if (verdict.failures.size() >= kKeptFailures) return {};
  Failure failure;
  failure.check = Check::Law;
  failure.oracle = (law.law.claimed ? "" : "not ") + name_of(law.law);
  failure.input = words_of(law.statement.variables, values);
  failure.note = law.law.claimed
                     ? fmt::format("{} does not hold on {}", spec::info(law.law.law.kind).statement, on)
                     : fmt::format("the witness of the denial does not refute it on {}", on);
  failure.fault = fault;
  VYRE_TRY(token, token_at(law, values, device));
  failure.token = std::move(token);
  verdict.failures.push_back(std::move(failure));
  return {};
}

/// A law on one subject: its evidence, and a failure where it is not as declared.
Result<void> check_on(const Bound& law, bool on_device, const std::string& label, const Apply& apply,
                      RandomOnes& random, const Monitor& monitor, Device& device, LawVerdict& found,
                      Verdict& verdict) {
  const auto fault_at = [&](const Values& values) -> Result<Fault> {
    if (!on_device) return Fault::Law;
    VYRE_TRY(again, try_on(law, these(values), apply, monitor));
    return again.failures == 0 ? Fault::Flaky : Fault::Law;
  };
  if (!law.law.claimed) {
    VYRE_TRY(tried, try_on(law, these(law.law.witness), apply, monitor));
    std::string grade;
    for (const Bits value : law.law.witness)
      grade += fmt::format("{}{:#x}", grade.empty() ? "" : ", ", value);
    found.evidence.push_back({label, fmt::format("refuted({})", grade), 1, tried.failures == 1});
    if (tried.failures == 1 || monitor.stopped()) return {};
    return report(law, law.law.witness, label, Fault::Law, device, verdict);
  }
  const bool truth = std::ranges::count(law.statement.variables, Bool) != 0;
  std::vector<std::pair<std::string, Instances>> engines;
  engines.emplace_back(truth ? "exhausted(bool)" : "exhausted(edge16)", all_edges(law));
  if (!truth)
    engines.emplace_back(fmt::format("witnessed({}, {})", random.count(), random.seed()), random.of(law));
  for (const auto& [grade, instances] : engines) {
    VYRE_TRY(tried, try_on(law, instances, apply, monitor));
    found.evidence.push_back({label, grade, tried.instances, tried.failures == 0});
    if (tried.failures == 0 || monitor.stopped()) continue;
    VYRE_TRY(fault, fault_at(tried.first));
    VYRE_CHECK(report(law, tried.first, label, fault, device, verdict));
  }
  return {};
}

}  // namespace

const std::vector<OperatorLaw>& operator_laws() {
  static const std::vector<OperatorLaw> all = make_laws();
  return all;
}

std::string name_of(const OperatorLaw& law) {
  return fmt::format("{}.{}: {}", spec::mnemonic(law.op), spec::text(law.type), spec::to_string(law.law));
}

Result<void> check_operator_laws(backend::Backend& backend, size_t first, size_t last, uint64_t witnessed,
                                 uint64_t seed, const Monitor& monitor, Verdict& verdict) {
  constexpr size_t kShort = 16;  // digits of a pipeline's digest in evidence
  const std::string label =
      fmt::format("device({}, {})", verdict.pipeline.substr(0, kShort), backend.identity().driver);
  Device device(backend, seed, verdict);
  RandomOnes random(witnessed, seed);
  const Apply on_device = [&](const Named& what, std::span<const Values* const> inputs, Values& out) {
    return device.apply(what, inputs, out);
  };
  for (const OperatorLaw& law : std::span(operator_laws()).subspan(first, last - first)) {
    LawVerdict found{name_of(law), law.claimed, {}};
    if (witnessed != 0) {
      const Bound bound(law);
      VYRE_CHECK(check_on(bound, false, "spec", apply_reference, random, monitor, device, found, verdict));
      VYRE_CHECK(check_on(bound, true, label, on_device, random, monitor, device, found, verdict));
    }
    if (monitor.stopped()) return {};
    verdict.laws.push_back(std::move(found));
  }
  device.account();
  return {};
}

}  // namespace vyre::verify
