// Every rule of legalization, by running it: the semantic instruction and its legal form, for each target,
// against expectations that are written here.
#include <algorithm>
#include <array>

#include "integer_operators.h"
#include "operator_counts.h"
#include "oracle.h"
#include "spec/ops.h"
#include "three_ways.h"

VYRE_ORACLE(
    CpuReference,
    "what the specification's tables say, computed in wider arithmetic or bit by bit; no function of src/");

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;
using Triple = std::array<uint32_t, 3>;

struct Case {
  Op op;
  std::vector<DataType> operands;
  DataType type;  // T
  DataType result;
};

Kernel kernel_of(const Case& c, uint32_t workgroup) {
  return kernel_applying({.op = c.op, .type = c.result, .operand_type = c.type}, c.operands, workgroup);
}

const std::vector<uint32_t>& edges() {
  static const std::vector<uint32_t> values = [] {
    std::vector<uint32_t> out = {0,          1,          2,          3,          5,          7,
                                 10,         30,         31,         32,         33,         63,
                                 64,         255,        256,        0x7fffffff, 0x80000000, 0x80000001,
                                 0xfffffffe, 0xffffffff, 0x55555555, 0xaaaaaaaa, 0x01234567, 0xdeadbeef,
                                 0x0000ffff, 0xffff0000, 0x00010000, 0x10001};
    for (uint32_t b = 0; b < 32; ++b)
      out.push_back(1u << b), out.push_back((1u << b) - 1), out.push_back(~(1u << b));
    return out;
  }();
  return values;
}

/// All operands of the small domain and of the edges; a bool operand's memory word takes any value, since
/// loads make it 0 or 1.
std::vector<Triple> inputs(uint32_t count) {
  std::vector<Triple> out;
  if (count == 1) {
    for (uint32_t a = 0; a < 65536; ++a)
      out.push_back({a, 0, 0}), out.push_back({~a, 0, 0}), out.push_back({a << 16, 0, 0});
    for (const uint32_t a : edges()) out.push_back({a, 0, 0});
    return out;
  }
  for (uint32_t a = 0; a < 256; ++a) {
    for (uint32_t b = 0; b < 256; ++b) {
      out.push_back({a, b, 0x5a5a5a5a});
      out.push_back({uint32_t(int32_t(int8_t(a))), uint32_t(int32_t(int8_t(b))), 1});
    }
  }
  for (const uint32_t a : edges()) {
    for (const uint32_t b : edges()) out.push_back({a, b, ~b});
  }
  return out;
}

using Expect = test::WordExpectation;
Expect expectation(Op op, DataType type) {
  const test::WordExpectations& row = test::kWordExpectations[op];
  return type == DataType::Bool ? row.boolean : type == DataType::I32 ? row.i32 : row.u32;
}

void expect_rule(const Case& c, Expect expect) {
  constexpr uint32_t kWorkgroup = 256;
  const auto count = uint32_t(c.operands.size());
  std::vector<Triple> all = inputs(count);
  Buffers input(count + 1);
  Words expected;
  for (const Triple& x : all) {
    Triple value = x;
    for (uint32_t n = 0; n < count; ++n) {
      if (c.operands[n] == DataType::Bool) value[n] = x[n] == 0 ? 0 : 1;
      input[n].push_back(x[n]);
    }
    expected.push_back(expect(value[0], value[1], value[2]));
  }
  input.back().resize(all.size());
  const layout::Groups groups{.x = uint32_t((all.size() + kWorkgroup - 1) / kWorkgroup)};
  const auto compare = [&](const Kernel& kernel, std::string_view form) {
    const auto result = run_kernel(kernel, input, groups);
    ASSERT_TRUE(result.has_value()) << form << ": " << render(result.error(), nullptr);
    for (size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(result->back()[i], expected[i])
          << form << ": " << spec::mnemonic(c.op) << " " << spec::text(c.type) << " of " << all[i][0] << ", "
          << all[i][1] << ", " << all[i][2] << "\n"
          << print(kernel);
    }
  };
  const Kernel semantic = kernel_of(c, kWorkgroup);
  compare(semantic, "semantic");
  for (const Target& target : targets()) {
    const Kernel legal = legalize(semantic, target);
    expect_well_formed(legal);
    compare(legal, target.name);
  }
}

constexpr std::array kTypes = {DataType::U32, DataType::I32, DataType::Bool};  // others: wide_rules_test.cpp

// Every scalar operator at every available type, on the whole 8-bit domain (zero- and sign-extended) and the
// edges.
TEST(Rules, Operators) {
  uint32_t rules = 0;
  for (const spec::OpInfo& op : spec::kOps) {
    if (!spec::is_scalar(op.op) || !test::is_on_words(op.op)) continue;
    for (const DataType type : kTypes) {
      if (!op.types.contains(type)) continue;
      const uint32_t count = *spec::operand_count(op.op);
      Case c{.op = op.op, .operands = {}, .type = type, .result = spec::result_type(op.op, type)};
      for (uint32_t n = 0; n < count; ++n) c.operands.push_back(spec::operand_type(op.op, type, n));
      ASSERT_NE(expectation(op.op, type), nullptr) << op.name;
      expect_rule(c, expectation(op.op, type));
      ++rules;
    }
  }
  EXPECT_EQ(rules, operator_counts::scalar_of(kTypes));
}

// Conditions are u32 or bool; arms any type.
TEST(Rules, Select) {
  for (const DataType condition : {DataType::U32, DataType::Bool}) {
    for (const DataType type : kTypes) {
      expect_rule({.op = Op::Select, .operands = {condition, type, type}, .type = type, .result = type},
                  expectation(Op::Select, type));
    }
  }
}

// Source: semantics, "Casts".
TEST(Rules, Casts) {
  for (const DataType from : kTypes) {
    for (const DataType to : kTypes) {
      const bool to_truth = to == DataType::Bool;
      expect_rule({.op = Op::Cast, .operands = {from}, .type = from, .result = to},
                  to_truth ? Expect([](uint32_t a, uint32_t, uint32_t) { return a == 0 ? 0u : 1u; })
                           : Expect([](uint32_t a, uint32_t, uint32_t) { return a; }));
    }
  }
  for (const DataType from : {DataType::U32, DataType::I32}) {
    for (const DataType to : {DataType::U32, DataType::I32}) {
      expect_rule({.op = Op::Bitcast, .operands = {from}, .type = from, .result = to},
                  [](uint32_t a, uint32_t, uint32_t) { return a; });
    }
  }
}

// The rows of binary-operations.txt that decide something, word for word.
TEST(Rules, RowsOfTheSpecification) {
  struct Row {
    Op op;
    uint32_t a, b, result;
  };
  for (const Row row : {Row{Op::Add, 0xffffffff, 1, 0},
                        {Op::Sub, 0, 1, 0xffffffff},
                        {Op::Mul, 0x10000, 0x10000, 0},
                        {Op::Div, 5, 0, 0},
                        {Op::Div, 0, 0, 0},
                        {Op::Mod, 5, 0, 0},
                        {Op::Shl, 1, 32, 1},
                        {Op::Shl, 1, 31, 0x80000000},
                        {Op::Shr, 1, 32, 1},
                        {Op::Shr, 0x80000000, 1, 0x40000000},
                        {Op::Lt, 0xfffffffe, 0xffffffff, 1},
                        {Op::And, 42, 7, 1},
                        {Op::Or, 42, 7, 1}}) {
    const Case c{.op = row.op,
                 .operands = {DataType::U32, DataType::U32},
                 .type = DataType::U32,
                 .result = DataType::U32};
    for (const Target& target : targets()) {
      const auto result = run_kernel(legalize(kernel_of(c, 1), target), {{row.a}, {row.b}, {0}}, {});
      ASSERT_TRUE(result.has_value());
      EXPECT_EQ(result->back()[0], row.result) << spec::mnemonic(row.op);
    }
  }
}

}  // namespace
}  // namespace vyre::lower
