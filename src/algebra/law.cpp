#include "algebra/law.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "algebra/operators.h"
#include "algebra/order.h"
#include "algebra/predicate.h"
#include "algebra/statements.h"
#include "generate/cases.h"

namespace vyre::algebra {
namespace {

using spec::DataType;
using spec::LawKind;

constexpr spec::Row<LawKind, Statement> kStatementRows[] = {
    {LawKind::Commutative, commutative},
    {LawKind::Associative, associative},
    {LawKind::Identity, identity},
    {LawKind::SelfInverse, self_inverse},
    {LawKind::Idempotent, idempotent},
    {LawKind::Absorbing, absorbing},
    {LawKind::Involution, involution},
    {LawKind::DeMorgan, de_morgan},
    {LawKind::Monotone, monotone},
    {LawKind::Bounded, bounded},
    {LawKind::Complement, complement},
    {LawKind::DistributiveOver, distributive_over},
    {LawKind::Projection, projection},
    {LawKind::RoundTrip, round_trip},
    {LawKind::LeftIdentity, left_identity},
    {LawKind::RightIdentity, right_identity},
    {LawKind::LeftAbsorbing, left_absorbing},
    {LawKind::RightAbsorbing, right_absorbing},
    {LawKind::InverseOf, inverse_of},
    {LawKind::Antitone, antitone},
    {LawKind::LatticeAbsorption, lattice_absorption},
    {LawKind::Trichotomy, trichotomy},
    {LawKind::ZeroProduct, zero_product},
    {LawKind::Transitive, transitive},
    {LawKind::Converse, converse},
    {LawKind::Custom, custom},
    {LawKind::Odd, odd},
    {LawKind::Even, even},
};
constexpr spec::TotalTable<kStatementRows> kStatements;

struct Reference {
  std::string_view id;
  uint32_t version = 1;
};
/// "id" or "id@2".
std::optional<Reference> parse_reference(std::string_view text) {
  const size_t at = text.find('@');
  if (at == std::string_view::npos) return Reference{text};
  const std::string_view number = text.substr(at + 1);
  uint32_t version = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), version);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return Reference{text.substr(0, at), version};
}

std::string describe(const spec::OpSignature& signature) {
  std::string out = "(";
  for (const DataType type : signature.inputs) {
    if (out.size() > 1) out += ", ";
    out += spec::text(type);
  }
  return out + fmt::format(") -> {}", spec::text(signature.output));
}

/// A column of a law's data flow, as its type.
class Typing {
 public:
  explicit Typing(const BoundLaw& law) : law_(law) {}

  /// The type of operation(inputs...), or the reason why it has none.
  DataType apply(const ops::Operation& operation, std::initializer_list<DataType> inputs) {
    if (!std::ranges::equal(operation.signature.inputs, inputs)) {
      fail(fmt::format("{} has the signature {}, which does not fit here", operation.id,
                       describe(operation.signature)));
    }
    return operation.signature.output;
  }
  void equal(DataType a, DataType b) {
    if (a != b) fail(fmt::format("it equates {} with {}", spec::text(a), spec::text(b)));
  }
  void ordered(DataType type) {
    if (!(spec::kIntegers | spec::kFloats).contains(type))
      fail(fmt::format("{} has no order", spec::text(type)));
  }
  void summed(DataType type) {
    if (!spec::kIntegers.contains(type)) fail(fmt::format("sums of {} are rounded", spec::text(type)));
  }
  /// Of values that are compared as words: two patterns of a float may be one value.
  void counted(DataType type) {
    if (spec::kFloats.contains(type))
      fail(fmt::format("it compares words, and values of {} are not their words", spec::text(type)));
  }
  const std::string& error() const { return error_; }
  /// The types of the law's variables; the statement's applications are then typed from them.
  std::vector<DataType> variables() {
    const std::vector<DataType>& inputs = law_.f->signature.inputs;
    switch (law_.law->kind) {
      case LawKind::Commutative: {
        apply(*law_.f, {inputs[1], inputs[0]});
        return inputs;
      }
      case LawKind::Associative: {
        apply(*law_.f, {law_.f->signature.output, inputs[1]});
        apply(*law_.f, {inputs[0], law_.f->signature.output});
        equal(inputs[0], inputs[1]);
        return {inputs[0], inputs[0], inputs[0]};
      }
      case LawKind::Identity:
      case LawKind::Absorbing:
      case LawKind::Idempotent: {
        equal(inputs[0], inputs[1]);
        equal(law_.f->signature.output, inputs[0]);
        return {inputs[0]};
      }
      case LawKind::SelfInverse: {
        equal(inputs[0], inputs[1]);
        return {inputs[0]};
      }
      case LawKind::Involution: {
        equal(law_.f->signature.output, inputs[0]);
        return {inputs[0]};
      }
      case LawKind::DeMorgan: {
        const DataType a = inputs[0], r = law_.f->signature.output;
        equal(apply(*law_.others[0], {a, a}), a);
        equal(apply(*law_.others[1], {r, r}), r);
        return {a, a};
      }
      case LawKind::Monotone: {
        ordered(inputs[0]);
        ordered(law_.f->signature.output);
        return {inputs[0], inputs[0]};
      }
      case LawKind::Bounded: {
        ordered(law_.f->signature.output);
        return inputs;
      }
      case LawKind::Complement: {
        if (law_.others[0]->signature.inputs != inputs) {
          fail(fmt::format("{} has the signature {}, not that of {}", law_.others[0]->id,
                           describe(law_.others[0]->signature), law_.f->id));
        }
        equal(law_.others[0]->signature.output, law_.f->signature.output);
        summed(law_.f->signature.output);
        return inputs;
      }
      case LawKind::DistributiveOver: {
        const DataType b = inputs[1], r = law_.f->signature.output;
        equal(apply(*law_.others[0], {b, b}), b);
        equal(apply(*law_.others[0], {r, r}), r);
        return {inputs[0], b, b};
      }
      case LawKind::Projection: {
        equal(law_.f->signature.output, inputs[0]);
        return {inputs[0]};
      }
      case LawKind::RoundTrip: {
        equal(apply(*law_.others[0], {law_.f->signature.output}), inputs[0]);
        return {inputs[0]};
      }
      case LawKind::LeftIdentity:
      case LawKind::RightAbsorbing: {
        const bool left = law_.law->kind == LawKind::LeftIdentity;
        equal(law_.f->signature.output, inputs[1]);
        return {inputs[left ? 1 : 0]};
      }
      case LawKind::RightIdentity:
      case LawKind::LeftAbsorbing: {
        const bool right = law_.law->kind == LawKind::RightIdentity;
        equal(law_.f->signature.output, inputs[0]);
        return {inputs[right ? 0 : 1]};
      }
      case LawKind::InverseOf: {
        const DataType a = law_.f->signature.output, b = inputs[1];
        equal(apply(*law_.others[0], {a, b}), inputs[0]);
        return {a, b};
      }
      case LawKind::Antitone: {
        ordered(inputs[0]);
        ordered(law_.f->signature.output);
        return {inputs[0], inputs[0]};
      }
      case LawKind::LatticeAbsorption: {
        const DataType b = law_.others[0]->signature.inputs.back();
        equal(apply(*law_.others[0], {inputs[0], b}), inputs[1]);
        equal(law_.f->signature.output, inputs[0]);
        return {inputs[0], b};
      }
      case LawKind::Trichotomy:
      case LawKind::ZeroProduct: {
        if (law_.law->kind == LawKind::Trichotomy) equal(inputs[0], inputs[1]);
        for (const DataType type : inputs) counted(type);
        counted(law_.f->signature.output);
        return inputs;
      }
      case LawKind::Transitive: {
        equal(inputs[0], inputs[1]);
        counted(law_.f->signature.output);
        return {inputs[0], inputs[0], inputs[0]};
      }
      case LawKind::Converse: {
        equal(apply(*law_.others[0], {inputs[1], inputs[0]}), law_.f->signature.output);
        return inputs;
      }
      case LawKind::Odd: {
        equal(apply(*law_.others[0], {inputs[0]}), inputs[0]);
        equal(apply(*law_.others[0], {law_.f->signature.output}), law_.f->signature.output);
        return inputs;
      }
      case LawKind::Even: {
        equal(apply(*law_.others[0], {inputs[0]}), inputs[0]);
        return inputs;
      }
      case LawKind::Custom: return {};  // a predicate is typed where it is built
    }
    return {};
  }

 private:
  void fail(std::string reason) {
    if (error_.empty()) error_ = std::move(reason);
  }
  const BoundLaw& law_;
  std::string error_;
};

}  // namespace

const ops::Operation* find_in_library(std::string_view id, uint32_t version) {
  return ops::find_operation(id, version);
}

Statement statement(LawKind kind) { return kStatements[kind]; }

std::expected<BoundLaw, std::string> bind(const spec::Law& law, const ops::Operation& f,
                                          const Lookup& lookup) {
  const spec::LawInfo& info = spec::info(law.kind);
  const size_t arity = f.signature.inputs.size();
  if (info.operands != 0 && info.operands != arity) {
    return std::unexpected(fmt::format("{} speaks of operations of {} operand{}; {} has {}", info.name,
                                       info.operands, info.operands == 1 ? "" : "s", f.id, arity));
  }
  if (arity == 0 || arity > generate::kMaxOperands) {
    return std::unexpected(
        fmt::format("{} has {} operands; laws range over 1 to {}", f.id, arity, generate::kMaxOperands));
  }
  BoundLaw out{&law, &f, {}, {}, f.signature.output};
  const size_t wanted = spec::others_of(info.parameters);
  if (law.others.size() != wanted) {
    return std::unexpected(
        fmt::format("{} names {} other operations, not {}", info.name, wanted, law.others.size()));
  }
  for (const std::string& name : law.others) {
    const std::optional<Reference> reference = parse_reference(name);
    const ops::Operation* other = reference ? lookup(reference->id, reference->version) : nullptr;
    if (other == nullptr) return std::unexpected(fmt::format("there is no operation {}", name));
    out.others.push_back(other);
  }
  if (info.parameters == spec::LawParameters::Predicate) {
    auto predicate = bind_predicate(law, f, lookup);
    if (!predicate) return std::unexpected(std::move(predicate).error());
    out.others = std::move(predicate->calls);
    out.variables = std::move(predicate->variables);
    out.predicate = std::move(predicate->function);
    return out;
  }
  Typing typing(out);
  out.variables = typing.variables();
  if (!typing.error().empty()) return std::unexpected(typing.error());
  for (const DataType type : out.variables) {
    if (!generate::is_word(type)) {
      return std::unexpected(fmt::format("values of type {} cannot be enumerated yet", spec::text(type)));
    }
  }
  return out;
}

void Flow::begin(std::span<const uint32_t* const> variables, size_t n) {
  warm_ = warm_ && n == n_;
  n_ = n;
  columns_.assign(variables.begin(), variables.end());
  depends_.clear();
  for (size_t i = 0; i < variables.size(); ++i) depends_.push_back(1u << i);
  variables_ = variables.size();
  used_ = 0;
  holds_.assign(n, 1);
  demanded_ = false;
  error_.reset();
}

std::vector<Column> Terms::variables() const {
  std::vector<Column> out;
  for (size_t i = 0; i < variables_; ++i) out.push_back(variable(i));
  return out;
}

uint32_t* Flow::fresh(uint32_t depends) {
  if (used_ == scratch_.size()) scratch_.push_back(std::make_unique<uint32_t[]>(capacity_));
  uint32_t* column = scratch_[used_++].get();
  columns_.push_back(column);
  depends_.push_back(depends);
  return column;
}

Column Flow::constant(uint32_t value) {
  std::fill_n(fresh(0), n_, value);
  return Column{uint32_t(columns_.size() - 1)};
}

Column Flow::apply(const ops::Operation& operation, std::span<const Column> inputs) {
  uint32_t depends = 0;
  std::array<const uint32_t*, generate::kMaxOperands> columns{};
  for (size_t i = 0; i < inputs.size(); ++i) {
    columns[i] = data(inputs[i]);
    depends |= depends_[inputs[i].index];
  }
  const auto arguments = std::span(columns).first(inputs.size());
  uint32_t* out = fresh(depends);
  const Column result{uint32_t(columns_.size() - 1)};
  if (error_) return result;

  const bool recurs = inner_ != 0 && n_ == inner_ * inner_ && evaluator_.pure();
  const uint32_t last = 1u << (variables_ - 1), first = variables_ == 3 ? 1u : 0u;
  if (recurs && warm_ && first != 0 && (depends & first) == 0) {
    // Only the first variable has changed since the last slice: the column is still right.
  } else if (recurs && (depends & last) == 0) {
    // The last variable does not matter: one application a run of it.
    repeats_.resize(inner_ * (inputs.size() + 1));
    std::array<const uint32_t*, generate::kMaxOperands> few{};
    for (size_t k = 0; k < inputs.size(); ++k) {
      uint32_t* column = repeats_.data() + k * inner_;
      for (size_t run = 0; run < inner_; ++run) column[run] = columns[k][run * inner_];
      few[k] = column;
    }
    uint32_t* results = repeats_.data() + inputs.size() * inner_;
    call(operation, std::span(few).first(inputs.size()), results, inner_);
    for (size_t run = 0; run < inner_; ++run) std::fill_n(out + run * inner_, inner_, results[run]);
  } else if (recurs && (depends & ~(last | first)) == 0) {
    // Of what changes in this slice only the last variable matters: every run is the same.
    call(operation, arguments, out, inner_);
    for (size_t run = 1; run < inner_; ++run) std::copy_n(out, inner_, out + run * inner_);
  } else {
    call(operation, arguments, out, n_);
  }
  return result;
}

void Flow::call(const ops::Operation& operation, std::span<const uint32_t* const> inputs, uint32_t* out,
                size_t n) {
  // Each application starts from a poison of its own, so that an evaluator that does nothing leaves both
  // sides of an equation different.
  poison_ = poison_ * 0x9e3779b1u + 0x7f4a7c15u;
  std::fill_n(out, n, poison_);
  if (auto applied = evaluator_.apply(operation, inputs, out, n); !applied)
    error_ = std::move(applied).error();
}

Column Flow::sum(Column a, Column b) {
  uint32_t* out = fresh(depends_[a.index] | depends_[b.index]);
  const uint32_t *x = data(a), *y = data(b);
  for (size_t i = 0; i < n_; ++i) out[i] = x[i] + y[i];
  return Column{uint32_t(columns_.size() - 1)};
}

Column Flow::operate(spec::Op op, std::span<const Column> inputs) {
  uint32_t depends = 0;
  std::array<const uint32_t*, generate::kMaxOperands> columns{};
  for (size_t k = 0; k < inputs.size(); ++k) {
    columns[k] = data(inputs[k]);
    depends |= depends_[inputs[k].index];
  }
  uint32_t* out = fresh(depends);
  const WordOperator f = word_operator(op);
  std::array<uint32_t, generate::kMaxOperands> operands{};
  for (size_t i = 0; i < n_; ++i) {
    for (size_t k = 0; k < inputs.size(); ++k) operands[k] = columns[k][i];
    out[i] = f(operands.data());
  }
  return Column{uint32_t(columns_.size() - 1)};
}

void Flow::require(Column truth) {
  demanded_ = true;
  const uint32_t* x = data(truth);
  for (size_t i = 0; i < n_; ++i) holds_[i] = uint8_t(holds_[i] & (x[i] != 0));
}

void Flow::require_equal(Column a, Column b, DataType type) {
  demanded_ = true;
  const uint32_t *x = data(a), *y = data(b);
  if (!spec::kFloats.contains(type)) {
    for (size_t i = 0; i < n_; ++i) holds_[i] = uint8_t(holds_[i] & (x[i] == y[i]));
    return;
  }
  for (size_t i = 0; i < n_; ++i) holds_[i] = uint8_t(holds_[i] & equal_values(x[i], y[i], type));
}

void Flow::require_ordered(Column a, Column b, DataType type) {
  demanded_ = true;
  const uint32_t *x = data(a), *y = data(b);
  for (size_t i = 0; i < n_; ++i) holds_[i] = uint8_t(holds_[i] & !is_below(y[i], x[i], type));
}

void Flow::require_monotone(Column p, Column q, DataType domain, Column a, Column b, DataType range) {
  demanded_ = true;
  const uint32_t *x = data(p), *y = data(q), *fx = data(a), *fy = data(b);
  for (size_t i = 0; i < n_; ++i) {
    const bool refuted = is_at_most(x[i], y[i], domain) && is_below(fy[i], fx[i], range);
    holds_[i] = uint8_t(holds_[i] & !refuted);
  }
}

Result<std::span<const uint8_t>> Flow::end() {
  if (error_) return std::unexpected(std::move(*error_));
  // A statement that demands nothing has shown nothing.
  if (!demanded_) std::ranges::fill(holds_, uint8_t{0});
  warm_ = true;
  return std::span<const uint8_t>(holds_);
}

}  // namespace vyre::algebra
