#include "algebra/value_terms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "algebra/order.h"

namespace vyre::algebra {

using ref::Bits;
using spec::DataType;

namespace {

bool are_equal_bits(Bits a, Bits b, DataType type) {
  return spec::kFloats.contains(type) ? equal_values(uint32_t(a), uint32_t(b), type)
                                      : low_bits(type, a) == low_bits(type, b);
}
/// The order of the type; false where either value has none.
bool is_bits_below(Bits a, Bits b, DataType type) {
  a = low_bits(type, a), b = low_bits(type, b);
  return spec::value_words(type) == 1 ? is_below(uint32_t(a), uint32_t(b), type) : a < b;
}
bool are_bits_at_most(Bits a, Bits b, DataType type) {
  a = low_bits(type, a), b = low_bits(type, b);
  return spec::value_words(type) == 1 ? is_at_most(uint32_t(a), uint32_t(b), type) : a <= b;
}

class ValueTerms final : public Terms {
 public:
  ValueTerms(std::span<const Values> variables, DataType result, const ValueOfWord& constant,
             const ApplyValues& apply)
      : Terms(variables.size()),
        result_(result),
        constant_(constant),
        apply_(apply),
        columns_(variables.begin(), variables.end()),
        holds_(variables[0].size(), 1) {}

  Column constant(uint32_t value) override { return keep(Values(holds_.size(), constant_(value))); }
  Column apply(const ops::Operation& operation, std::span<const Column> inputs) override {
    std::vector<Values> typed;  // of what has bits that the type has not
    std::vector<const Values*> operands;
    typed.reserve(inputs.size());
    for (size_t k = 0; k < inputs.size(); ++k) {
      const Values& column = columns_[inputs[k].index];
      const DataType type = operation.signature.inputs[k];
      operands.push_back(&column);
      if (std::ranges::all_of(column, [&](Bits x) { return x == low_bits(type, x); })) continue;
      operands.back() = &typed.emplace_back(column);
      for (Bits& x : typed.back()) x = low_bits(type, x);
    }
    Values out(holds_.size());
    if (!error_) {
      if (const auto done = apply_(operation, operands, out); !done) error_ = done.error();
    }
    return keep(std::move(out));
  }
  Column sum(Column a, Column b) override {
    Values out(holds_.size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = low_bits(result_, at(a, i) + at(b, i));
    return keep(std::move(out));
  }
  /// Laws compare and count whole values, so an operator is that of the widest type.
  Column operate(spec::Op op, std::span<const Column> inputs) override {
    Values out(holds_.size());
    std::array<Bits, 3> operands{};
    for (size_t i = 0; i < out.size(); ++i) {
      for (size_t k = 0; k < inputs.size(); ++k) operands[k] = at(inputs[k], i);
      out[i] = ref::eval(op, DataType::U128, std::span(operands).first(inputs.size()));
    }
    return keep(std::move(out));
  }

  void require_equal(Column a, Column b, DataType type) override {
    demand([&](size_t i) { return are_equal_bits(at(a, i), at(b, i), type); });
  }
  void require_ordered(Column a, Column b, DataType type) override {
    demand([&](size_t i) { return !is_bits_below(at(b, i), at(a, i), type); });
  }
  void require_monotone(Column p, Column q, DataType domain, Column a, Column b, DataType range) override {
    demand([&](size_t i) {
      return !are_bits_at_most(at(p, i), at(q, i), domain) || !is_bits_below(at(b, i), at(a, i), range);
    });
  }
  void require(Column truth) override {
    demand([&](size_t i) { return at(truth, i) != 0; });
  }

  Result<std::vector<uint8_t>> holds() && {
    if (error_) return std::unexpected(*error_);
    if (!demanded_) std::ranges::fill(holds_, uint8_t{0});
    return std::move(holds_);
  }

 private:
  Bits at(Column c, size_t i) const { return columns_[c.index][i]; }
  Column keep(Values values) {
    columns_.push_back(std::move(values));
    return Column{uint32_t(columns_.size() - 1)};
  }
  void demand(const auto& truth) {
    demanded_ = true;
    for (size_t i = 0; i < holds_.size(); ++i) holds_[i] = holds_[i] != 0 && truth(i) ? 1 : 0;
  }

  const DataType result_;
  const ValueOfWord& constant_;
  const ApplyValues& apply_;
  std::vector<Values> columns_;
  std::vector<uint8_t> holds_;
  bool demanded_ = false;
  std::optional<Diag> error_;
};

}  // namespace

Bits low_bits(DataType type, Bits x) {
  if (type == DataType::Bool) return x != 0 ? 1 : 0;
  const uint32_t bits = spec::value_bits(type);
  return bits == 128 ? x : x & ((Bits{1} << bits) - 1);
}

Result<std::vector<uint8_t>> values_hold(const std::function<void(Terms&)>& say,
                                         std::span<const Values> variables, DataType result,
                                         const ValueOfWord& constant, const ApplyValues& apply) {
  ValueTerms terms(variables, result, constant, apply);
  say(terms);
  return std::move(terms).holds();
}

}  // namespace vyre::algebra
