// Products of matrices against their definition, a loop nest over bit patterns: every shape around the edges
// of tiles, every tile, types, batches and blocks, in values that tell one order from another.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "check/module.h"
#include "ops/operation.h"
#include "oracle.h"
#include "plan/pipeline.h"
#include "ref/eval.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "tensor/matmul.h"

VYRE_ORACLE(SpecificationTable,
            "docs/spec/graphs.md: matmul, its loop nest over the operators of bit patterns");

namespace vyre::tensor {
namespace {

using spec::DataType;
using spec::Op;

struct Case {
  uint32_t m = 1, n = 1, k = 1;
  uint32_t block = ir::kWholeBlock;
  DataType operands = DataType::F32, type = DataType::F32;
  std::vector<uint32_t> batch = {};
  bool specials = false;

  std::vector<uint32_t> shape(uint32_t rows, uint32_t columns) const {
    std::vector<uint32_t> all = batch;
    all.push_back(rows);
    all.push_back(columns);
    return all;
  }
};

using Words = std::vector<uint64_t>;  // the bits of elements

uint32_t bytes_of(DataType type) { return spec::info(type).bytes; }

std::vector<std::byte> packed(const Words& words, DataType type) {
  std::vector<std::byte> out(words.size() * bytes_of(type));
  for (size_t i = 0; i < words.size(); ++i)
    std::memcpy(out.data() + i * bytes_of(type), &words[i], bytes_of(type));
  return out;
}

Words unpacked(std::span<const std::byte> data, DataType type) {
  Words out(data.size() / bytes_of(type));
  for (size_t i = 0; i < out.size(); ++i)
    std::memcpy(&out[i], data.data() + i * bytes_of(type), bytes_of(type));
  return out;
}

/// Elements of which sums round in every step, and cancel now and then, so that orders differ; and with
/// specials zeros of both signs, infinities and NaNs.
Words elements(DataType type, size_t count, uint64_t seed, bool specials) {
  Words out(count);
  for (size_t i = 0; i < count; ++i) {
    const auto r = philox(seed, i, 11);
    if (!spec::kFloats.contains(type)) {
      out[i] = r[0] | uint64_t(r[1]) << 32;
      if (bytes_of(type) == 4) out[i] &= 0xffffffff;
      continue;
    }
    const spec::FloatFormat f = spec::float_format(type);
    uint32_t bits = (r[1] & f.fraction_mask()) | (uint32_t(f.bias()) - 3 + r[0] % 5) << f.fraction_bits;
    if ((r[2] & 1) != 0) bits |= f.sign_bit();
    if (specials) {
      const uint32_t of[] = {0, f.sign_bit(), f.nan() | 1, f.infinity(), f.infinity() | f.sign_bit(), 1};
      if (r[3] % 24 < 2) bits = of[r[3] / 24 % 2];
      if (r[3] % 97 == 3) bits = of[r[3] / 97 % 6];
    }
    out[i] = bits;
  }
  return out;
}

uint64_t evaluated(Op op, DataType type, std::initializer_list<uint64_t> operands) {
  std::vector<ref::Bits> bits(operands.begin(), operands.end());
  return uint64_t(ref::eval(op, type, bits));
}

/// What a wrong product might do.
struct Wrong {
  bool backwards = false, rounds_twice = false, adds_in_a_row = false;
};

/// The definition; or another one, from which the elements of a case have to tell it apart.
Words product(const Case& c, const Words& a, const Words& b, Wrong wrong = {}) {
  const bool floats = spec::kFloats.contains(c.type);
  const auto widened = [&](uint64_t bits) {
    if (c.operands == c.type) return bits;
    return uint64_t(ref::eval_cast(c.operands, c.type, spec::RoundingMode::None, bits));
  };
  Words out;
  const uint32_t batches = check::elements(c.batch);
  for (uint32_t z = 0; z < batches; ++z) {
    for (uint32_t i = 0; i < c.m; ++i) {
      for (uint32_t j = 0; j < c.n; ++j) {
        Words blocks;
        for (uint64_t from = 0; from < c.k; from += c.block) {
          uint64_t x = 0;
          const uint64_t to = std::min<uint64_t>(c.k, from + c.block);
          for (uint64_t step = from; step < to; ++step) {
            const uint64_t k = wrong.backwards ? to - 1 - (step - from) : step;
            const uint64_t p = widened(a[(size_t(z) * c.m + i) * c.k + k]);
            const uint64_t q = widened(b[(size_t(z) * c.k + k) * c.n + j]);
            if (!floats)
              x = evaluated(Op::Add, c.type, {evaluated(Op::Mul, c.type, {p, q}), x});
            else if (wrong.rounds_twice)
              x = evaluated(Op::FAdd, c.type, {evaluated(Op::FMul, c.type, {p, q}), x});
            else
              x = evaluated(Op::FMulAdd, c.type, {p, q, x});
          }
          blocks.push_back(x);
        }
        // Split after the greatest power of two below the number.
        const std::function<uint64_t(size_t, size_t)> tree = [&](size_t from, size_t count) -> uint64_t {
          if (count == 1) return blocks[from];
          size_t left = 1;
          while (left * 2 < count) left *= 2;
          if (wrong.adds_in_a_row) left = count - 1;
          return evaluated(floats ? Op::FAdd : Op::Add, c.type,
                           {tree(from, left), tree(from + left, count - left)});
        };
        out.push_back(blocks.empty() ? 0 : tree(0, blocks.size()));
      }
    }
  }
  return out;
}

std::unique_ptr<backend::Backend> open(const char* name) {
  auto opened = backend::open(name, {});
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(*opened);
}

backend::Backend& reference() {
  static const auto backend = open("reference");
  return *backend;
}
/// native, or the backend that VYRE_TEST_BACKEND names.
backend::Backend& tested() {
  static const auto backend = [] {
    const char* name = std::getenv("VYRE_TEST_BACKEND");
    return open(name == nullptr ? "native" : name);
  }();
  return *backend;
}

check::SizedNode node_of(std::vector<uint32_t> shape, DataType type) {
  check::SizedNode node;
  node.op = check::NodeOp::Parameter;
  node.type = type;
  node.shape = std::move(shape);
  return node;
}

struct Options {
  const MatmulTile* tile = nullptr;  // none: what is chosen
  bool swapped = false;
  std::optional<uint32_t> levels;
  Device device = Device::Gpu;
  bool transposed = false;  // b is a view of its transpose
};

ir::Module module_of(const Case& c, const Options& options) {
  const check::SizedNode a = node_of(c.shape(c.m, c.k), c.operands);
  check::SizedNode b = node_of(c.shape(c.k, c.n), c.operands);
  if (options.transposed) {
    b.op = check::NodeOp::Transpose;
    for (uint32_t axis = 0; axis < c.batch.size(); ++axis) b.axes.push_back(axis);
    b.axes.push_back(uint32_t(c.batch.size()) + 1);
    b.axes.push_back(uint32_t(c.batch.size()));
  }
  check::SizedNode node = node_of(c.shape(c.m, c.n), c.type);
  node.op = check::NodeOp::Matmul;
  node.block = c.block;
  Assembly assembly("product");
  const Array left = assembly.parameter("a", c.operands, check::elements(a.shape));
  const Array right = assembly.parameter("b", c.operands, check::elements(b.shape));
  const Array out = assembly.output("c", c.type, check::elements(node.shape));
  const check::SizedNode* operands[] = {&a, &b};
  const std::array<Element, 2> values = {
      [&](Body& body, const Coordinates& at) { return body.load(left, linear(body, a.shape, at)); },
      [&](Body& body, const Coordinates& at) {
        if (!options.transposed) return body.load(right, linear(body, b.shape, at));
        Coordinates turned = at;
        std::swap(turned.back(), turned[turned.size() - 2]);
        return body.load(right, linear(body, c.shape(c.n, c.k), turned));
      }};
  const KernelWork work{node, operands, values,
                        [&](Body& body, const Coordinates& at, ir::Ex value) {
                          body.store(out, linear(body, node.shape, at), value);
                        },
                        options.device};
  if (options.tile == nullptr) {
    write_matmul(assembly, work);
  } else {
    MatmulChoice choice = choose_matmul({check::elements(c.batch), c.m, c.n, c.k, c.block, c.type},
                                        *options.tile, options.swapped);
    if (options.levels) choice.levels = *options.levels;
    write_matmul(assembly, work, choice);
  }
  return assembly.finish();
}

Words run(backend::Backend& backend, const Case& c, const Words& a, Words b, const Options& options = {}) {
  if (options.transposed) {
    Words turned(b.size());
    for (size_t z = 0; z < check::elements(c.batch); ++z) {
      for (size_t k = 0; k < c.k; ++k) {
        for (size_t j = 0; j < c.n; ++j) turned[(z * c.n + j) * c.k + k] = b[(z * c.k + k) * c.n + j];
      }
    }
    b = turned;
  }
  auto checked = check::check(module_of(c, options), ops::op_table());
  if (!checked) throw std::runtime_error(checked.error().front().message);
  auto made = plan::Executable::make(backend, *checked, 0);
  if (!made) throw std::runtime_error(made.error().message);
  auto left = packed(a, c.operands), right = packed(b, c.operands);
  auto out = packed(Words(size_t(check::elements(c.batch)) * c.m * c.n, 0x5a5a5a5a), c.type);
  const std::array<std::span<std::byte>, 3> host = {left, right, out};
  const auto ran = made->run_host(host);
  if (!ran) throw std::runtime_error(ran.error().message);
  return unpacked(out, c.type);
}

Words operand_a(const Case& c) {
  return elements(c.operands, size_t(check::elements(c.batch)) * c.m * c.k, 1, c.specials);
}
Words operand_b(const Case& c) {
  return elements(c.operands, size_t(check::elements(c.batch)) * c.k * c.n, 2, c.specials);
}

std::string described(const Case& c) {
  return testing::PrintToString(c.batch) + " " + std::to_string(c.m) + " x " + std::to_string(c.n) + " x " +
         std::to_string(c.k) + " block " + std::to_string(c.block) + " " +
         std::string(spec::text(c.operands)) + " in " + std::string(spec::text(c.type));
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {.m = 1, .n = 1, .k = 1},
      {.m = 3, .n = 5, .k = 0},
      {.m = 0, .n = 5, .k = 3},
      {.m = 1, .n = 67, .k = 13},
      {.m = 67, .n = 1, .k = 13},
      {.m = 7, .n = 33, .k = 31, .specials = true},
      {.m = 17, .n = 15, .k = 16},
      {.m = 63, .n = 65, .k = 9},
      {.m = 97, .n = 31, .k = 8},
      {.m = 129, .n = 127, .k = 17},
      {.m = 128, .n = 128, .k = 16, .specials = true},
      {.m = 5, .n = 18, .k = 11, .batch = {2, 3}},
      {.m = 33, .n = 20, .k = 40, .block = 8},
      {.m = 20, .n = 33, .k = 41, .block = 8, .batch = {2}},
      {.m = 6, .n = 17, .k = 39, .block = 3, .specials = true},
      {.m = 4, .n = 16, .k = 130, .block = 1},
      {.m = 9, .n = 19, .k = 35, .operands = DataType::F16},
      {.m = 9, .n = 19, .k = 35, .operands = DataType::BF16},
      {.m = 9, .n = 19, .k = 35, .block = 4, .operands = DataType::F16, .type = DataType::F16},
      {.m = 9, .n = 19, .k = 35, .operands = DataType::BF16, .type = DataType::BF16},
      {.m = 18, .n = 17, .k = 700, .operands = DataType::U32, .type = DataType::U32},
      {.m = 18, .n = 17, .k = 21, .operands = DataType::I32, .type = DataType::I32},
      {.m = 18, .n = 17, .k = 21, .operands = DataType::U64, .type = DataType::U64},
  };
  return all;
}

TEST(Matmul, IsItsDefinition) {
  for (const Case& c : cases()) {
    const Words a = operand_a(c), b = operand_b(c), expected = product(c, a, b);
    EXPECT_EQ(run(tested(), c, a, b, {.device = Device::Cpu}), expected) << described(c);
    EXPECT_EQ(run(reference(), c, a, b, {.device = Device::Gpu}), expected) << described(c);
  }
}

TEST(Matmul, TheElementsTellWrongProductsApart) {
  VYRE_ORACLE(Property, "docs/spec/graphs.md: matmul, its loop nest over the operators of bit patterns");
  for (const DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
    const Case c = {.m = 20, .n = 33, .k = 41, .block = 8, .operands = type, .type = type};
    const Words a = operand_a(c), b = operand_b(c), right = product(c, a, b);
    EXPECT_NE(product(c, a, b, {.backwards = true}), right);
    EXPECT_NE(product(c, a, b, {.rounds_twice = true}), right);
    EXPECT_NE(product(c, a, b, {.adds_in_a_row = true}), right);
    for (const uint32_t block : {1u, 4u, 7u, 16u, ir::kWholeBlock}) {
      Case other = c;
      other.block = block;
      EXPECT_NE(product(other, a, b), right) << block;
    }
  }
}

// By the reference, which compiles nothing, and a few as native code.
TEST(Matmul, EveryTileGivesTheSameBits) {
  for (const Case& c : {Case{.m = 1, .n = 67, .k = 13}, Case{.m = 33, .n = 35, .k = 20, .specials = true},
                        Case{.m = 65, .n = 31, .k = 17}, Case{.m = 5, .n = 18, .k = 11, .batch = {2, 3}},
                        Case{.m = 20, .n = 17, .k = 41, .block = 8, .batch = {2}},
                        Case{.m = 9, .n = 19, .k = 35, .block = 12, .operands = DataType::F16},
                        Case{.m = 18, .n = 17, .k = 36, .operands = DataType::U64, .type = DataType::U64}}) {
    const Words a = operand_a(c), b = operand_b(c), expected = product(c, a, b);
    for (const MatmulTile& tile : matmul_tiles()) {
      // Tiles that are mostly empty take long, and show nothing.
      if (tile.down() * tile.across() > 4096) continue;
      for (const bool swapped : {false, true})
        EXPECT_EQ(run(reference(), c, a, b, {.tile = &tile, .swapped = swapped, .transposed = swapped}),
                  expected)
            << described(c) << " by " << tile.name << (swapped ? " swapped" : "");
    }
  }
  const Case large = {.m = 129, .n = 131, .k = 18, .block = 10, .specials = true};
  const Words a = operand_a(large), b = operand_b(large), expected = product(large, a, b);
  for (const MatmulTile& tile : matmul_tiles()) {
    backend::Backend& backend = tile.rows * tile.columns > 16 ? reference() : tested();
    EXPECT_EQ(run(backend, large, a, b, {.tile = &tile}), expected)
        << described(large) << " by " << tile.name;
  }
}

TEST(Matmul, EveryDivisionOfBlocksGivesTheSameBits) {
  for (const uint32_t k : {75u, 64u}) {  // 38 and 32 blocks
    const Case c = {.m = 9, .n = 17, .k = k, .block = 2};
    const Words a = operand_a(c), b = operand_b(c), expected = product(c, a, b);
    for (const MatmulTile& tile : matmul_tiles()) {
      if (tile.rows * tile.columns > 4) continue;
      for (const uint32_t levels : {0u, 1u, 3u, 6u})
        EXPECT_EQ(run(reference(), c, a, b, {.tile = &tile, .levels = levels}), expected)
            << described(c) << " by " << tile.name << ", " << levels << " levels";
    }
  }
}

TEST(Matmul, MoreBatchesThanWorkgroupsOfADispatch) {
  const Case c = {.m = 1, .n = 1, .k = 2, .batch = {65'537}};
  const Words a = operand_a(c), b = operand_b(c);
  const MatmulTile& strip = matmul_tiles()[1];
  ASSERT_EQ(strip.kind, MatmulKind::Strip);
  EXPECT_EQ(run(tested(), c, a, b, {.tile = &strip}), product(c, a, b));
}

TEST(Matmul, IsTheSameOnVulkan) {
  const auto vulkan = backend::open("vulkan");
  if (!vulkan) GTEST_SKIP() << vulkan.error().message;
  for (const Case& c : {Case{.m = 33, .n = 35, .k = 19}, Case{.m = 2, .n = 40, .k = 33, .block = 8}}) {
    const Words a = operand_a(c), b = operand_b(c);
    EXPECT_EQ(run(**vulkan, c, a, b), product(c, a, b)) << described(c);
  }
}

}  // namespace
}  // namespace vyre::tensor
