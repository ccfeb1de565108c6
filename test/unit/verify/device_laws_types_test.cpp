// Laws on the device over i32 and bool. The library's operations are all of words, so here are small ones of
// other types, with laws that hold and laws that do not.
#include <gtest/gtest.h>

#include <bit>
#include <deque>
#include <functional>

#include "native.h"
#include "oracle.h"
#include "verify/device_laws.h"

VYRE_ORACLE(SpecificationTable,
            "the statements, worked out by hand, at the very instances that the device makes; each fails "
            "there as often as it must");

namespace vyre::verify {
namespace {

using algebra::BoundLaw;
using ir::Ex;
using ir::FunctionBuilder;
using spec::DataType;

// The operations as plain functions of words; a bool is 0 or 1.
uint32_t i32_min(uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b) ? a : b; }
uint32_t i32_negate(uint32_t a) { return 0u - a; }
uint32_t i32_half(uint32_t a) { return uint32_t(int32_t(a) >> 1); }
uint32_t i32_below(uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b) ? 1 : 0; }
uint32_t bool_and(uint32_t a, uint32_t b) { return a & b; }
uint32_t bool_or(uint32_t a, uint32_t b) { return a | b; }
uint32_t bool_not(uint32_t a) { return a ^ 1; }
uint32_t bool_differ(uint32_t a, uint32_t b) { return a ^ b; }

using Compose = Ex (*)(FunctionBuilder&, std::span<const Ex>);
ops::Operation operation(std::string_view id, std::vector<DataType> inputs, DataType output,
                         ops::Reference reference, Compose compose) {
  ops::Operation out;
  out.id = id;
  out.signature = {std::move(inputs), output};
  out.parameter_names = {"a", "b"};
  out.parameter_names.resize(out.signature.inputs.size());
  out.reference = reference;
  out.compose = compose;
  return out;
}

/// The operations, and a table for programs that call them.
struct TypedLibrary {
  std::vector<ops::Operation> operations;
  std::deque<ir::Function> bodies;
  spec::OpTable table;

  TypedLibrary() {
    using P = std::span<const Ex>;
    using F = FunctionBuilder;
    constexpr DataType i = DataType::I32, b = DataType::Bool;
    operations = {
        operation("t.min", {i, i}, i, ops::reference_of<i32_min>,
                  [](F& f, P p) { return f.select(p[0] < p[1], p[0], p[1]); }),
        operation("t.negate", {i}, i, ops::reference_of<i32_negate>, [](F&, P p) { return -p[0]; }),
        operation("t.half", {i}, i, ops::reference_of<i32_half>, [](F&, P p) { return p[0] >> 1; }),
        operation("t.below", {i, i}, b, ops::reference_of<i32_below>,
                  [](F& f, P p) { return f.cast(DataType::Bool, p[0] < p[1]); }),
        operation("t.and", {b, b}, b, ops::reference_of<bool_and>,
                  [](F& f, P p) { return f.cast(DataType::Bool, p[0] && p[1]); }),
        operation("t.or", {b, b}, b, ops::reference_of<bool_or>,
                  [](F& f, P p) { return f.cast(DataType::Bool, p[0] || p[1]); }),
        operation("t.not", {b}, b, ops::reference_of<bool_not>,
                  [](F& f, P p) { return f.cast(DataType::Bool, !p[0]); }),
        operation("t.differ", {b, b}, b, ops::reference_of<bool_differ>,
                  [](F& f, P p) { return f.cast(DataType::Bool, p[0] != p[1]); }),
    };
    for (const ops::Operation& op : operations) {
      F f{std::string(op.id)};
      std::vector<Ex> parameters;
      for (size_t k = 0; k < op.parameter_names.size(); ++k)
        parameters.push_back(f.parameter(op.parameter_names[k], op.signature.inputs[k]));
      const Ex result = op.compose(f, parameters);
      const ir::Function& body = bodies.emplace_back(f.finish(result, op.signature.output));
      table.add({std::string(op.id), op.version, op.signature, op.category, &body});
    }
  }
  const ops::Operation* find(std::string_view id) const {
    for (const ops::Operation& op : operations) {
      if (op.id == id) return &op;
    }
    return nullptr;
  }
};
const TypedLibrary& typed_library() {
  static const TypedLibrary made;
  return made;
}

using Values = std::span<const uint32_t>;
struct Row {
  std::string_view id;
  spec::Law law;
  bool (*holds)(Values);  // the statement, by hand
};

constexpr uint32_t kLeast = 0x80000000;
bool always(Values) { return true; }
int32_t s(uint32_t word) { return std::bit_cast<int32_t>(word); }

std::vector<Row> rows() {
  namespace laws = spec::laws;
  return {
      {"t.min", laws::commutative(), always},
      {"t.min", laws::associative(), always},
      {"t.min", laws::identity(0x7fffffff), always},
      // Unsigned it would be the other way round.
      {"t.min", laws::identity(UINT32_MAX), [](Values x) { return s(x[0]) <= -1; }},
      {"t.min", laws::absorbing(kLeast), always},
      {"t.min", laws::absorbing(0), [](Values x) { return s(x[0]) >= 0; }},
      {"t.min", laws::idempotent(), always},
      {"t.negate", laws::involution(), always},
      // -a > -b wherever a < b, but for the least of all, which stays where it is.
      {"t.negate", laws::monotone(), [](Values x) { return s(x[0]) >= s(x[1]) || x[0] == kLeast; }},
      {"t.half", laws::monotone(), always},
      {"t.half", laws::bounded(uint32_t(-0x40000000), 0x3fffffff), always},
      {"t.half", laws::bounded(uint32_t(-1), 0x3fffffff), [](Values x) { return s(x[0]) >= -2; }},
      {"t.below", laws::self_inverse(0), always},
      {"t.below", laws::commutative(), [](Values x) { return x[0] == x[1]; }},
      {"t.and", laws::commutative(), always},
      {"t.and", laws::identity(1), always},
      {"t.and", laws::absorbing(0), always},
      {"t.and", laws::absorbing(1), [](Values x) { return x[0] == 1; }},
      {"t.and", laws::distributive_over("t.or"), always},
      {"t.or", laws::distributive_over("t.differ"),
       // a | (b ^ c) = (a | b) ^ (a | c) only for a = 0.
       [](Values x) { return x[0] == 0; }},
      {"t.not", laws::involution(), always},
      {"t.not", laws::de_morgan("t.and", "t.or"), always},
      {"t.not", laws::de_morgan("t.and", "t.and"), [](Values x) { return x[0] == x[1]; }},
      {"t.differ", laws::self_inverse(0), always},
      {"t.differ", laws::associative(), always},
  };
}

TEST(DeviceLaws, OverSignedNumbersAndTruthValuesFailAsOftenAsByHand) {
  size_t false_ones = 0;
  for (const Row& row : rows()) {
    const std::string name = spec::to_string(row.law) + " of " + std::string(row.id);
    const auto bound = algebra::bind(row.law, *typed_library().find(row.id),
                                     [](std::string_view id, uint32_t) { return typed_library().find(id); });
    ASSERT_TRUE(bound) << name << ": " << bound.error();
    const auto law = DeviceLaw::make(native(), *bound, typed_library().table);
    ASSERT_TRUE(law) << name << ": " << law.error().message;
    const Sweep sweep = random_sweep(*bound, 1u << 19, 7);
    uint64_t expected = 0;
    std::vector<uint32_t> values(bound->variables.size()), failing;
    for (uint32_t chunk = 0; chunk < sweep.threads; ++chunk) {
      const uint32_t instances =
          uint32_t(sweep.chunk_instances()) + (sweep.is_canary(chunk) ? sweep.length : 0);
      for (uint32_t number = 0; number < instances; ++number) {
        const bool is_canary = sweep.is_canary(chunk) && number / sweep.length == sweep.canary_run(chunk);
        if (is_canary) continue;
        sweep.values(chunk, number, bound->variables, values);
        if (row.holds(values)) continue;
        ++expected;
        if (failing.empty()) failing = values;
      }
    }
    const auto counts = (*law)->run(sweep);
    ASSERT_TRUE(counts) << name << ": " << counts.error().message;
    EXPECT_EQ(counts->doubt(), "") << name;
    EXPECT_GT(counts->canaries, 0u) << name;
    EXPECT_EQ(counts->failures, expected) << name;
    EXPECT_EQ(expected == 0, row.holds == always) << name;
    if (expected == 0) continue;
    ++false_ones;
    const auto at = (*law)->at(failing);
    ASSERT_TRUE(at) << name;
    EXPECT_EQ(at->failures, 1u) << name;
    EXPECT_EQ(at->doubt(), "") << name;
  }
  EXPECT_GE(false_ones, 8u);
}

}  // namespace
}  // namespace vyre::verify
