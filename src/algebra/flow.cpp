// Laws over columns of words, on an evaluator.
#include <algorithm>
#include <array>

#include "algebra/law.h"
#include "algebra/order.h"
#include "generate/cases.h"
#include "ref/eval.h"

namespace vyre::algebra {

using spec::DataType;

void Flow::begin(std::span<const uint32_t* const> variables, size_t n) {
  warm_ = warm_ && n == n_;
  n_ = n;
  columns_.assign(variables.begin(), variables.end());
  depends_.clear();
  for (size_t i = 0; i < variables.size(); ++i) depends_.push_back(1u << i);
  variables_ = variables.size();
  used_ = 0;
  holds_.assign(n, 1);
  sides_.clear();
  error_.reset();
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
  ref::word_operator_on_columns(op)(columns.data(), out, n_);
  return Column{uint32_t(columns_.size() - 1)};
}

void Flow::demand(std::initializer_list<Column> sides, auto holds) {
  sides_.insert(sides_.end(), sides);
  uint8_t* const out = holds_.data();  // bytes could be anything's: not looked up in every turn
  for (size_t i = 0, n = n_; i < n; ++i) out[i] = uint8_t(out[i] & holds(i));
}

void Flow::require(Column truth) {
  demand({truth}, [x = data(truth)](size_t i) { return x[i] != 0; });
}

void Flow::require_equal(Column a, Column b, DataType type) {
  const uint32_t *x = data(a), *y = data(b);
  if (!spec::kFloats.contains(type)) return demand({a, b}, [x, y](size_t i) { return x[i] == y[i]; });
  demand({a, b}, [=](size_t i) { return equal_values(x[i], y[i], type); });
}

void Flow::require_ordered(Column a, Column b, DataType type) {
  demand({a, b}, [x = data(a), y = data(b), type](size_t i) { return !is_below(y[i], x[i], type); });
}

void Flow::require_monotone(Column p, Column q, DataType domain, Column a, Column b, DataType range) {
  const uint32_t *x = data(p), *y = data(q), *fx = data(a), *fy = data(b);
  demand({p, q, a, b},
         [=](size_t i) { return !is_at_most(x[i], y[i], domain) || !is_below(fy[i], fx[i], range); });
}

std::vector<uint32_t> Flow::sides(size_t i) const {
  std::vector<uint32_t> out;
  for (const Column side : sides_) out.push_back(data(side)[i]);
  return out;
}

Result<std::span<const uint8_t>> Flow::end() {
  if (error_) return std::unexpected(std::move(*error_));
  // A statement that demands nothing has shown nothing.
  if (sides_.empty()) std::ranges::fill(holds_, uint8_t{0});
  warm_ = true;
  return std::span<const uint8_t>(holds_);
}

}  // namespace vyre::algebra
