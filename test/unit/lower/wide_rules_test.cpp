// Every rule of legalization for values that are not one word: u64, u128, vectors and floats; operators,
// casts, bitcasts. The semantic instruction and its legal form for each target, against expectations that are
// written here.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/random.h"
#include "integer_operators.h"
#include "operator_counts.h"
#include "oracle.h"
#include "spec/casts.h"
#include "spec/ops.h"
#include "three_ways.h"

VYRE_ORACLE(CpuReference,
            "128-bit arithmetic of the compiler and loops over bits; no function of src/. (The semantic "
            "evaluator works on arrays of words, legal kernels on words.)");

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;
using test::Big;

struct Application {
  Op op;
  DataType type, result;  // T (of casts: from), and what comes out
  std::vector<DataType> operands;
  uint32_t component = 0;
};

Big mask(unsigned bits) { return bits == 128 ? ~Big(0) : (Big(1) << bits) - 1; }

/// Values whose carries, counts and quotients differ: powers of two and their neighbours, words of zeros and
/// ones side by side, and some of every length.
std::vector<Big> edges(unsigned bits) {
  std::vector<Big> out = {0, 3, 5, 7, 10, 100, 1000003};
  const unsigned step = bits == 128 ? 3 : 1;
  for (unsigned b = 0; b < bits; b += step) {
    const Big one = Big(1) << b;
    out.insert(out.end(), {one, one - 1, ~one});
  }
  const std::array<uint32_t, 4> words = {0, 1, 0x80000000, 0xffffffff};
  for (unsigned mix = 0; mix < 256; mix += bits == 128 ? 3 : 1) {
    Big value = 0;
    for (unsigned w = 0; w < 4; ++w) value = value << 32 | words[mix >> (2 * w) & 3];
    out.push_back(value);
  }
  for (uint32_t n = 0; n < 140; ++n) {
    Big value = 0;
    for (uint32_t w = 0; w < 4; ++w) value = value << 32 | philox(7, n)[w];
    out.push_back(value >> (n * 11 % 128));
  }
  for (Big& value : out) value &= mask(bits);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void append(std::vector<std::byte>& bytes, Big value, DataType type) {
  for (uint32_t n = 0; n < spec::info(type).bytes; ++n) bytes.push_back(std::byte(value >> (8 * n)));
}

/// Vectors: each component as a word, but that equality is one answer for all.
Big expected(Op op, DataType type, Big a, Big b) {
  const unsigned bits = spec::value_bits(type);
  if (!spec::kVectors.contains(type) || op == Op::Eq || op == Op::Ne)
    return test::kWideExpectations[op](a, b, bits);
  Big out = 0;
  for (unsigned at = 0; at < bits; at += 32) {
    out |= (test::kWideExpectations[op](a >> at & mask(32), b >> at & mask(32), 32) & mask(32)) << at;
  }
  return out;
}

/// Runs the application on columns of operands, one value of each a row, and compares: all rows semantically
/// and for LLVM's target ("branch"), the first for those without integers of 64 bits, fewer for those in
/// between.
void expect_rule(const Application& c, const std::vector<std::vector<Big>>& columns,
                 const std::vector<Big>& results) {
  SCOPED_TRACE(std::string(spec::mnemonic(c.op)) + " " + std::string(spec::text(c.type)) + " to " +
               std::string(spec::text(c.result)));
  const Kernel kernel = kernel_applying(
      {.op = c.op, .type = c.result, .operand_type = c.type, .imm = c.component}, c.operands, 256);
  const auto run = [&](const Kernel& k, size_t rows, std::string_view form) {
    Memories input(c.operands.size() + 1), output;
    for (size_t n = 0; n < columns.size(); ++n) {
      for (size_t row = 0; row < rows; ++row) append(input[n], columns[n][row], c.operands[n]);
    }
    std::vector<std::byte> wanted;
    for (size_t row = 0; row < rows; ++row)
      append(wanted, results[row] & mask(spec::value_bits(c.result)), c.result);
    input.back().resize(wanted.size());
    const auto result = run_bytes(k, input, {.x = uint32_t((rows + 255) / 256)}, {.max_steps = 20 * kSteps});
    ASSERT_TRUE(result.has_value()) << form << ": " << render(result.error(), nullptr);
    const auto& got = result->back();
    if (got == wanted) return;
    const size_t at = size_t(std::mismatch(got.begin(), got.end(), wanted.begin()).first - got.begin());
    const size_t row = at / spec::info(c.result).bytes;
    std::string operands;
    for (const auto& column : columns) {
      for (int w = 3; w >= 0; --w) operands += fmt::format("{:08x}", uint32_t(column[row] >> (32 * w)));
      operands += ' ';
    }
    ADD_FAILURE() << form << ": row " << row << ", operands " << operands << "\n" << print(k);
  };
  run(kernel, results.size(), "semantic");
  for (const Target& target : targets()) {
    const bool in_words = !target.has_64bit_integers;
    const size_t most = target.name == "branch" ? results.size() : in_words ? 20'000 : 2000;
    run(legalize(kernel, target), std::min(results.size(), most), target.name);
  }
}

constexpr std::array kWideTypes = {DataType::U64, DataType::U128, DataType::Vec2U32, DataType::Vec4U32};

// More than 10^5 pairs for each operator of two operands and each type.
TEST(WideRules, Operators) {
  uint32_t rules = 0;
  for (const DataType type : kWideTypes) {
    const std::vector<Big> values = edges(spec::value_bits(type));
    for (const spec::OpInfo& op : spec::kOps) {
      if (!spec::is_scalar(op.op) || !op.types.contains(type)) continue;
      Application c{.op = op.op, .type = type, .result = spec::result_type(op.op, type), .operands = {}};
      for (uint32_t n = 0; n < *spec::operand_count(op.op); ++n)
        c.operands.push_back(spec::operand_type(op.op, type, n));
      std::vector<std::vector<Big>> columns(c.operands.size());
      std::vector<Big> results;
      const auto add = [&](Big a, Big b) {
        columns[0].push_back(a);
        if (columns.size() > 1) columns[1].push_back(b);
        results.push_back(expected(op.op, type, a, b));
      };
      for (size_t n = 0; n < values.size(); ++n) {
        if (columns.size() == 1) {
          add(values[n], 0);
        } else if (op.signature == spec::Signature::TU_T) {
          for (uint32_t by = 0; by < 330; ++by) add(values[n], by < 270 ? by : by * 0x01000193u);
        } else {
          // In an order that mixes, so that the first rows are of every kind.
          for (size_t m = 0; m < values.size(); ++m) add(values[(n * 7 + m) % values.size()], values[m]);
        }
      }
      if (columns.size() == 2) EXPECT_GE(results.size(), 100'000u) << op.name;
      expect_rule(c, columns, results);
      ++rules;
    }
  }
  EXPECT_EQ(rules, operator_counts::scalar_of(kWideTypes));
}

// Pairs in which the quotient is long, short, one bit and none, and the estimate by leading zeros is exact or
// one off.
TEST(WideRules, DivisionOfAllLengths) {
  for (const DataType type : {DataType::U64, DataType::U128}) {
    const unsigned bits = spec::value_bits(type);
    for (const Op op : {Op::Div, Op::Mod}) {
      std::vector<std::vector<Big>> columns(2);
      std::vector<Big> results;
      for (unsigned la = 0; la <= bits; la += bits / 32) {
        for (unsigned lb = 0; lb <= bits; lb += bits / 32) {
          for (uint32_t n = 0; n < 4; ++n) {
            Big a = 0, b = 0;
            for (uint32_t w = 0; w < 4; ++w) {
              a = a << 32 | philox(11 + n, la * 256 + lb)[w];
              b = b << 32 | philox(21 + n, la * 256 + lb)[w];
            }
            a = la == 0 ? 0 : (a & mask(la)) | Big(1) << (la - 1);
            b = lb == 0 ? 0 : (b & mask(lb)) | Big(1) << (lb - 1);
            if (n == 3 && lb > 1 && la > lb) a = b << (la - lb);  // the quotient is a power of two
            columns[0].push_back(a), columns[1].push_back(b);
            results.push_back(b == 0 ? 0 : op == Op::Div ? a / b : a % b);
          }
        }
      }
      expect_rule({.op = op, .type = type, .result = type, .operands = {type, type}}, columns, results);
    }
  }
}

/// Conditions and values side by side.
std::vector<Big> repeated(const std::vector<Big>& values, size_t rows, unsigned bits) {
  std::vector<Big> out(rows);
  for (size_t n = 0; n < rows; ++n) out[n] = values[n % values.size()] & mask(bits);
  return out;
}

TEST(WideRules, Select) {
  for (const spec::TypeInfo& type : spec::kTypes) {
    if (!spec::is_value_type(type.type)) continue;
    for (const DataType condition : {DataType::U32, DataType::Bool}) {
      const unsigned bits = spec::value_bits(type.type);
      std::vector<Big> c = repeated({0, 1, 2, 0x80000000, 0}, 777, 32);
      if (condition == DataType::Bool) c = repeated({0, 1, 1, 0, 0}, 777, 32);
      std::vector<Big> t = repeated(edges(bits), 777, bits), f = repeated(edges(128), 777, bits);
      if (type.type == DataType::Bool) t = repeated({0, 1, 1}, 777, 32), f = repeated({1, 0}, 777, 32);
      std::vector<Big> results(777);
      for (size_t n = 0; n < 777; ++n) results[n] = c[n] != 0 ? t[n] : f[n];
      expect_rule({.op = Op::Select,
                   .type = type.type,
                   .result = type.type,
                   .operands = {condition, type.type, type.type}},
                  {c, t, f}, results);
    }
  }
}

// Source: semantics, "Casts". Casts that convert to or from a float do not get here: check refuses them for
// now.
TEST(WideRules, Casts) {
  uint32_t casts = 0;
  for (const spec::TypeInfo& from : spec::kTypes) {
    for (const spec::TypeInfo& to : spec::kTypes) {
      const bool floating = spec::kFloats.contains(from.type) || spec::kFloats.contains(to.type);
      if (!spec::can_cast(from.type, to.type) || (floating && from.type != to.type)) continue;
      const unsigned bits = spec::value_bits(from.type);
      const std::vector<Big> values = from.type == DataType::Bool ? std::vector<Big>{0, 1} : edges(bits);
      std::vector<Big> results;
      for (const Big a : values) {
        Big out = a;
        if (from.type != to.type && from.type == DataType::I32 && spec::kIntegers.contains(to.type) &&
            a >> 31 != 0)
          out = a | ~mask(32);
        if (to.type == DataType::Bool) out = a != 0 ? 1 : 0;
        if (from.type != to.type && spec::kVectors.contains(to.type)) out = a | a << 32 | a << 64 | a << 96;
        results.push_back(out);
      }
      expect_rule({.op = Op::Cast, .type = from.type, .result = to.type, .operands = {from.type}}, {values},
                  results);
      ++casts;
    }
  }
  EXPECT_EQ(casts, 25u + 3u * 2 + 2u +
                       3u);  // integers and bool; splats of u32 i32 bool; a vector, a float to itself
}

TEST(WideRules, Bitcasts) {
  uint32_t bitcasts = 0;
  for (const spec::TypeInfo& from : spec::kTypes) {
    for (const spec::TypeInfo& to : spec::kTypes) {
      if (!spec::can_bitcast(from.type, to.type)) continue;
      const std::vector<Big> values = edges(spec::value_bits(from.type));
      // The low bits, as many as the result has: of a u32 to a 16-bit float the low half.
      expect_rule({.op = Op::Bitcast, .type = from.type, .result = to.type, .operands = {from.type}},
                  {values}, values);
      ++bitcasts;
    }
  }
  EXPECT_EQ(bitcasts, 9u + 4u + 4u + 4u + 4u);
}

TEST(WideRules, Vectors) {
  for (const Op op : {Op::MakeVec2U32, Op::MakeVec4U32}) {
    const DataType type = op == Op::MakeVec2U32 ? DataType::Vec2U32 : DataType::Vec4U32;
    const uint32_t count = spec::components(type);
    const std::vector<Big> vectors = edges(32 * count);
    std::vector<std::vector<Big>> columns(count);
    for (uint32_t n = 0; n < count; ++n) {
      for (const Big v : vectors) columns[n].push_back(v >> (32 * n) & mask(32));
      expect_rule(
          {.op = Op::Component, .type = type, .result = DataType::U32, .operands = {type}, .component = n},
          {vectors}, columns[n]);
    }
    expect_rule({.op = op, .type = type, .result = type, .operands = std::vector(count, DataType::U32)},
                columns, vectors);
  }
}

}  // namespace
}  // namespace vyre::lower
