// The table of compositions, and those for the language's types, checked.
#include "ops/float/soft.h"

#include <array>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ops/float/soft_compose.h"
#include "spec/casts.h"
#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::ops {
namespace {

using spec::DataType;
using spec::Op;
using spec::RoundingMode;

constexpr spec::Row<Op, Compose> kSoftRows[] = {
#define VYRE_COMPOSITION(Name, function) {Op::Name, function},
#define VYRE_COMPOSITION_IN_STEPS(Name, first, second)
#include "ops/float/compositions.def"
#undef VYRE_COMPOSITION
#undef VYRE_COMPOSITION_IN_STEPS
};
constexpr bool is_in_rows(Op op) { return has_soft(op) && !has_second_step(op); }
constexpr spec::TotalTable<kSoftRows, is_in_rows> kCompositions;

struct Steps {
  Compose first, second;
};
constexpr spec::Row<Op, Steps> kStepRows[] = {
#define VYRE_COMPOSITION(Name, function)
#define VYRE_COMPOSITION_IN_STEPS(Name, first, second) {Op::Name, {first, second}},
#include "ops/float/compositions.def"
#undef VYRE_COMPOSITION
#undef VYRE_COMPOSITION_IN_STEPS
};
constexpr spec::TotalTable<kStepRows, has_second_step> kSteps;

std::string name_of(FloatFormat f) {
  return "e" + std::to_string(f.exponent_bits) + "m" + std::to_string(f.fraction_bits);
}

ir::Function compose(Op op, FloatFormat format, std::string_view prefix, Compose make, DataType result) {
  constexpr std::array names = {"a", "b", "c"};
  ir::FunctionBuilder f(std::string(prefix) + std::string(spec::mnemonic(op)) + "." + name_of(format));
  std::vector<Ex> operands;
  for (uint32_t i = 0; i < spec::operand_count(op); ++i)
    operands.push_back(f.parameter(names[i], DataType::U32));
  Composer c(f, format);
  return f.finish(make(c, operands), result);
}

}  // namespace

ir::Function soft_operator(Op op, FloatFormat format) {
  if (has_second_step(op)) return compose(op, format, "soft.", kSteps[op].first, DataType::Vec2U32);
  return compose(op, format, "soft.", kCompositions[op], DataType::U32);
}

ir::Function soft_second(Op op, FloatFormat format) {
  return compose(op, format, "soft.second.", kSteps[op].second, DataType::Vec2U32);
}

ir::Function soft_convert(FloatFormat from, FloatFormat to) {
  ir::FunctionBuilder f("soft.cast." + name_of(from) + "." + name_of(to));
  const Ex a = f.parameter("a", DataType::U32);
  Composer c(f, to);
  return f.finish(soft_convert(c, from, a), DataType::U32);
}

ir::Function soft_from_integer(DataType from, FloatFormat to) {
  ir::FunctionBuilder f("soft.cast." + std::string(spec::text(from)) + "." + name_of(to));
  Composer c(f, to);
  if (from == DataType::U64) {
    const Ex words = c.let("words", f.bitcast(DataType::Vec2U32, f.parameter("a", DataType::U64)));
    return f.finish(soft_from_u64(c, c.let("high", words.y()), c.let("low", words.x())), DataType::U32);
  }
  const Ex a = f.parameter("a", DataType::U32);
  if (from == DataType::U32) return f.finish(soft_from_word(c, c.word(0), a), DataType::U32);
  const Ex negative = c.let("negative", a >> 31);
  const Ex magnitude = c.let("magnitude", c.select(negative, 0 - a, a));
  return f.finish(soft_from_word(c, negative, magnitude), DataType::U32);
}

ir::Function soft_to_integer(FloatFormat from, DataType to, RoundingMode mode) {
  ir::FunctionBuilder f("soft.cast." + name_of(from) + "." + std::string(spec::text(to)) + "." +
                        std::string(spec::text(mode)));
  const Ex a = f.parameter("a", DataType::U32);
  Composer c(f, from);
  return f.finish(to == DataType::U32 ? soft_to_u32(c, mode, a) : soft_to_i32(c, mode, a), DataType::U32);
}

namespace {

/// A function and what check says of it. Compositions keep every rule, so there is no other outcome.
class Entry {
 public:
  template <typename Make>
  const check::CheckedFunction& get(const Make& make) {
    std::call_once(once_, [&] {
      function_ = std::make_unique<const ir::Function>(make());
      static const spec::OpTable no_operations;
      auto checked = check::check(*function_, no_operations);
      if (!checked) throw std::logic_error(function_->id + ": " + checked.error().front().message);
      checked_ = std::make_unique<const check::CheckedFunction>(std::move(*checked));
    });
    return *checked_;
  }

 private:
  std::once_flag once_;
  std::unique_ptr<const ir::Function> function_;
  std::unique_ptr<const check::CheckedFunction> checked_;
};

constexpr bool is_float(DataType type) { return spec::kFloats.contains(type); }

ir::Function make_cast(DataType from, DataType to, RoundingMode mode) {
  if (!is_float(from)) return soft_from_integer(from, spec::float_format(to));
  if (!is_float(to)) return soft_to_integer(spec::float_format(from), to, mode);
  return soft_convert(spec::float_format(from), spec::float_format(to));
}

}  // namespace

const check::CheckedFunction& soft(Op op, DataType type) {
  static std::array<std::array<Entry, spec::kTypeCount>, spec::kOpCount> entries;
  return entries[size_t(op)][size_t(type)].get([&] { return soft_operator(op, spec::float_format(type)); });
}

const check::CheckedFunction& soft_second(Op op, DataType type) {
  static std::array<std::array<Entry, spec::kTypeCount>, spec::kOpCount> entries;
  return entries[size_t(op)][size_t(type)].get([&] { return soft_second(op, spec::float_format(type)); });
}

const check::CheckedFunction& soft_cast(DataType from, DataType to, RoundingMode mode) {
  using ByMode = std::array<Entry, spec::kRoundingModeCount>;
  static std::array<std::array<ByMode, spec::kTypeCount>, spec::kTypeCount> entries;
  return entries[size_t(from)][size_t(to)][size_t(mode)].get([&] { return make_cast(from, to, mode); });
}

}  // namespace vyre::ops
