// Integer compositions run by the native backend, the oracle's answers, and inputs that are hard on floats.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/native/native.h"
#include "base/random.h"
#include "check/checked.h"
#include "float_operators.h"
#include "ir/builder.h"
#include "num/float.h"
#include "ops/float/soft.h"
#include "spec/ops.h"

namespace vyre::test {

using spec::DataType;
using spec::FloatFormat;
using spec::Op;
using spec::RoundingMode;
using Words = std::vector<uint32_t>;

inline std::string name_format(const testing::TestParamInfo<FloatFormat>& info) {
  return "e" + std::to_string(info.param.exponent_bits) + "m" + std::to_string(info.param.fraction_bits);
}
inline constexpr FloatFormat kSmall[] = {{3, 2}, {4, 3}, {5, 2}};
inline constexpr FloatFormat kLanguage[] = {spec::kBinary16, spec::kBFloat16, spec::kBinary32};

inline std::string hex(uint32_t word) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%x", word);
  return digits;
}

/// A function of words applied to columns of words, in one dispatch. Of a function that gives a vector one
/// component is taken.
class Columns {
 public:
  explicit Columns(ir::Function function, uint32_t component = 0) : function_(std::move(function)) {
    spec::OpDef def{.id = "test.soft", .signature = {}, .body = &function_};
    for (const auto& parameter : function_.parameters) def.signature.inputs.push_back(parameter.type);
    def.signature.output = function_.result_type;
    ir::ProgramBuilder p("soft");
    p.workgroup_size(1024, 1, 1);
    std::vector<ir::BufferRef> in;
    for (size_t k = 0; k < function_.parameters.size(); ++k) {
      in.push_back(p.read("in" + std::to_string(k), function_.parameters[k].type, uint32_t(k)));
    }
    const ir::BufferRef out = p.read_write("out", DataType::U32, uint32_t(in.size()));
    const ir::Ex i = p.let("i", p.invocation_id(0));
    std::vector<ir::Ex> arguments;
    for (const ir::BufferRef column : in) arguments.push_back(p.load(column, i));
    const ir::Ex result = p.call(def.id, arguments);
    p.store(out, i, function_.result_type == DataType::U32 ? result : p.component(result, component));
    table_.add(def);
    auto checked = check::check(p.finish(), table_);
    if (!checked) throw std::runtime_error(function_.id + ": " + checked.error().front().message);
    auto pipeline = backend().compile(*checked);
    if (!pipeline) throw std::runtime_error(function_.id + ": " + pipeline.error().message);
    pipeline_ = std::move(*pipeline);
  }

  /// Columns of one word an element, of u64 two.
  Words apply(std::vector<Words> columns, size_t count) {
    columns.emplace_back(count, 0xdeadbeef);
    std::vector<std::span<std::byte>> buffers;
    for (Words& column : columns) buffers.push_back(std::as_writable_bytes(std::span(column)));
    const auto done = pipeline_->dispatch(buffers, {uint32_t((count + 1023) / 1024), 1, 1});
    if (!done) throw std::runtime_error(function_.id + ": " + done.error().message);
    return std::move(columns.back());
  }
  const std::string& name() const { return function_.id; }

 private:
  static backend::Backend& backend() {
    static const auto native = [] {
      auto made = backend::make_native({.optimisation = 2, .threads = 1});
      if (!made) throw std::runtime_error(made.error().message);
      return std::move(*made);
    }();
    return *native;
  }

  ir::Function function_;
  spec::OpTable table_;
  std::unique_ptr<backend::Pipeline> pipeline_;
};

/// Compares what a composition gives for each row with expected(operands); shows the first few that differ.
template <typename Expected>
void expect_columns(Columns& columns, const std::vector<Words>& operands, const Expected& expected) {
  const size_t count = operands.front().size();
  const Words results = columns.apply(operands, count);
  size_t wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    std::array<uint32_t, 3> x{};
    for (size_t k = 0; k < operands.size(); ++k) x[k] = operands[k][i];
    const uint32_t want = expected(x);
    if (results[i] == want || ++wrong > 3) continue;
    std::string row = columns.name() + "(";
    for (size_t k = 0; k < operands.size(); ++k) row += (k > 0 ? ", " : "") + hex(x[k]);
    ADD_FAILURE() << row << ") gives " << hex(results[i]) << ", not " << hex(want);
  }
  EXPECT_EQ(wrong, 0u) << columns.name() << ": of " << count << " rows";
}

using Operands = FloatOperands;
/// What num/ says of an operator.
inline uint32_t oracle(Op op, FloatFormat f, const Operands& x) { return kFloatOperators[op].value(f, x); }

/// Those of one step; for the others see soft_steps.h.
inline std::vector<Op> soft_operators(size_t arity) {
  std::vector<Op> out;
  for (const spec::OpInfo& op : spec::kOps) {
    if (!ops::has_soft(op.op) || ops::has_second_step(op.op)) continue;
    if (spec::operand_count(op.op) == arity) out.push_back(op.op);
  }
  return out;
}

/// Patterns of a format on which arithmetic turns, both signs.
inline Words edges(FloatFormat f) {
  Words out;
  const uint32_t fraction = f.fraction_mask();
  for (const uint32_t x : {0u,
                           1u,
                           2u,
                           3u,
                           fraction / 2,
                           fraction - 1,
                           fraction,
                           fraction + 1,
                           fraction + 2,
                           f.one() - 1,
                           f.one(),
                           f.one() + 1,
                           f.one() + (1u << f.fraction_bits),
                           f.one() - (1u << f.fraction_bits),
                           f.greatest() - 1,
                           f.greatest(),
                           f.infinity(),
                           f.infinity() + 1,
                           f.nan(),
                           f.nan() + 1,
                           f.infinity() | fraction}) {
    out.push_back(x & (f.sign_bit() - 1));
    out.push_back((x & (f.sign_bit() - 1)) | f.sign_bit());
  }
  return out;
}

/// Draws patterns: any, edges, and those whose fraction is a few bits, so that ties and exact results come
/// up.
class Draw {
 public:
  Draw(FloatFormat f, uint64_t stream) : f_(f), edges_(edges(f)), random_(0x736f6674, stream) {}
  RandomStream& random() { return random_; }

  uint32_t any() {
    switch (random_.below(8)) {
      case 0: return edges_[random_.below(uint32_t(edges_.size()))];
      case 1:
      case 2: return sparse(random_.next());
      default: return random_.next() & f_.mask();
    }
  }
  /// A pattern near another one: its neighbours, its negation's, or one some binades off.
  uint32_t near(uint32_t x) {
    const uint32_t sign = random_.next() & f_.sign_bit();
    switch (random_.below(4)) {
      case 0: return ((x + random_.below(5) - 2) & f_.mask()) ^ sign;
      case 1: return any();
      default: {
        const uint32_t binades = random_.below(2 * f_.precision() + 4) - f_.precision() - 2;
        const uint32_t exponent = (x + (binades << f_.fraction_bits)) & f_.infinity();
        return sign | exponent | (sparse(random_.next()) & f_.fraction_mask());
      }
    }
  }

 private:
  uint32_t sparse(uint32_t word) {
    uint32_t fraction = 0;
    for (uint32_t i = random_.below(4); i > 0; --i) fraction ^= 1u << random_.below(f_.fraction_bits);
    if (random_.chance(2)) fraction = ~fraction & f_.fraction_mask();
    return (word & (f_.infinity() | f_.sign_bit())) | fraction;
  }

  FloatFormat f_;
  Words edges_;
  RandomStream random_;
};

}  // namespace vyre::test
