// The kernels of graphs against plain loops over bit patterns: every operator, type and axis, at sizes around
// those at which a kernel changes its way, on the reference; and some of each kernel as compiled code.
// `VYRE_TEST_BACKEND=vulkan test_tensor` runs all of them there.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "check/module.h"
#include "ops/operation.h"
#include "oracle.h"
#include "plan/pipeline.h"
#include "ref/eval.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "spec/reduction.h"
#include "tensor/kernels.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "docs/spec/graphs.md: each operation as a loop nest, written out here");

namespace vyre::tensor {
namespace {

using check::NodeOp;
using check::SizedNode;
using ir::Order;
using spec::DataType;
using spec::Op;

using Words = std::vector<uint32_t>;  // an element each
using Shape = std::vector<uint32_t>;

constexpr DataType kFloats[] = {DataType::F32, DataType::F16, DataType::BF16};

struct Tensor {
  DataType type;
  Shape shape;
  Words words;
};

std::vector<std::byte> packed(const Tensor& tensor) {
  const uint32_t bytes = spec::info(tensor.type).bytes;
  std::vector<std::byte> out(tensor.words.size() * bytes);
  for (size_t i = 0; i < tensor.words.size(); ++i)
    std::memcpy(out.data() + i * bytes, &tensor.words[i], bytes);
  return out;
}

std::string described(const SizedNode& node, const Tensor& t) {
  std::string out = std::string(spec::text(t.type)) + " [";
  for (const uint32_t size : t.shape) out += std::to_string(size) + " ";
  return out + "] axis " + std::to_string(node.axis) + " op " + std::to_string(int(node.op)) + " " +
         (node.scalar == Op{} ? "" : std::string(spec::mnemonic(node.scalar))) +
         (node.order == Order::Strict ? " strict" : "");
}

std::unique_ptr<backend::Backend> open(const char* name) {
  auto opened = backend::open(name, {});
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(*opened);
}

bool compiled = false;  // whether kernels are run as compiled code

backend::Backend& tested() {
  static const char* const named = std::getenv("VYRE_TEST_BACKEND");
  static const std::unique_ptr<backend::Backend> backends[] = {open(named == nullptr ? "reference" : named),
                                                               open(named == nullptr ? "native" : named)};
  return *backends[compiled ? 1 : 0];
}

using Kernel = void (*)(Assembly&, const KernelWork&);

Words run_for(Device device, Kernel kernel, const SizedNode& node, const std::vector<Tensor>& operands) {
  Assembly assembly("main", device);
  std::vector<SizedNode> nodes(operands.size());
  std::vector<const SizedNode*> pointers;
  std::vector<Element> elements;
  for (size_t i = 0; i < operands.size(); ++i) {
    nodes[i].type = operands[i].type;
    nodes[i].shape = operands[i].shape;
    pointers.push_back(&nodes[i]);
    const Array array = assembly.parameter("p" + std::to_string(i), operands[i].type);
    elements.push_back([array, shape = operands[i].shape](Body& body, const Coordinates& at) {
      return body.load(array, linear(body, shape, at));
    });
  }
  const Array output = assembly.output("output", node.type);
  const Array times = assembly.output("times", DataType::U32);
  const Sink sink = [&](Body& body, const Coordinates& at, ir::Ex value) {
    const ir::Ex place = body.let(linear(body, node.shape, at));
    body.store(output, place, value);
    body.store(times, place, body.load(times, place) + 1);
  };
  kernel(assembly, {node, pointers, elements, sink, device});
  ir::Module module = assembly.finish();
  auto checked = check::check(std::move(module), ops::op_table());
  if (!checked) throw std::runtime_error(checked.error().front().message);
  auto executable = plan::Executable::make(tested(), *checked, 0);
  if (!executable) throw std::runtime_error(executable.error().message);

  const uint32_t count = check::elements(node.shape), bytes = spec::info(node.type).bytes;
  std::vector<std::vector<std::byte>> host;
  for (const Tensor& operand : operands) host.push_back(packed(operand));
  host.emplace_back(size_t(count) * bytes, std::byte{0x5a});
  host.emplace_back(size_t(count) * 4);
  std::vector<std::span<std::byte>> spans(host.begin(), host.end());
  const auto ran = executable->run_host(spans);
  if (!ran) throw std::runtime_error(ran.error().message);
  Words out(count);
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(&out[i], host[operands.size()].data() + i * bytes, bytes);
    uint32_t given = 0;
    std::memcpy(&given, host.back().data() + i * 4, 4);
    if (given != 1) throw std::runtime_error("given " + std::to_string(given) + " times");
  }
  return out;
}

/// What the kernel gives of these tensors, for either kind of device; every coordinate has been given once.
Words run(Kernel kernel, const SizedNode& node, const std::vector<Tensor>& operands) {
  Words out = run_for(Device::Gpu, kernel, node, operands);
  if (run_for(Device::Cpu, kernel, node, operands) != out)
    throw std::runtime_error("a CPU has other bits than a GPU");
  return out;
}

/// Elements whose sums and products round in every step; now and then zeros, infinities and NaNs of any bits.
Tensor random_tensor(DataType type, Shape shape, uint64_t seed, bool special = false, uint32_t below = 0) {
  Tensor out{type, std::move(shape), {}};
  out.words.resize(check::elements(out.shape));
  for (size_t i = 0; i < out.words.size(); ++i) {
    const auto r = philox(seed, i, 11);
    if (spec::info(type).klass != spec::TypeClass::Float) {
      out.words[i] = below == 0 ? r[0] : r[0] % below;
      continue;
    }
    const spec::FloatFormat f = spec::float_format(type);
    uint32_t bits = (r[1] & f.fraction_mask()) | (uint32_t(f.bias()) - 2 + r[0] % 4) << f.fraction_bits;
    if (below != 0) bits = (r[1] % below) << (f.fraction_bits - 3) | uint32_t(f.bias()) << f.fraction_bits;
    if ((r[2] & 1) != 0) bits |= f.sign_bit();
    if (r[3] % 64 == 0) bits = r[3] % 128 == 0 ? f.sign_bit() : 0;
    if (special && r[3] % 8 == 1) bits = f.nan() | (r[1] & 15) | (r[2] & 1 ? f.sign_bit() : 0);
    if (special && r[3] % 8 == 2) bits = f.infinity() | (r[2] & 1 ? f.sign_bit() : 0);
    out.words[i] = bits;
  }
  return out;
}

/// A line of a tensor along an axis: the linear index of its first element, and how far the next one is.
struct LineOf {
  LineOf(const Shape& shape, uint32_t axis, uint32_t number) {
    for (uint32_t i = axis + 1; i < shape.size(); ++i) step *= shape[i];
    first = number / step * step * shape[axis] + number % step;
  }
  size_t at(uint32_t k) const { return first + size_t(k) * step; }
  size_t first = 0, step = 1;
};

uint32_t lines_of(const Shape& shape, uint32_t axis) {
  uint32_t count = 1;
  for (uint32_t i = 0; i < shape.size(); ++i) count *= i == axis ? 1 : shape[i];
  return count;
}

uint32_t fold_two(Op fold, DataType type, uint32_t a, uint32_t b) {
  if (spec::info(type).klass == spec::TypeClass::Float || !(fold == Op::FMin || fold == Op::FMax))
    return uint32_t(ref::eval(fold, type, std::array<ref::Bits, 2>{a, b}));
  const bool less = type == DataType::I32 ? int32_t(a) < int32_t(b) : a < b;
  return less == (fold == Op::FMin) ? a : b;
}

/// The reduction of `count` elements in an order; of floats as the reference has it.
uint32_t reduced(Op fold, Order order, DataType type, uint32_t count,
                 const std::function<uint32_t(uint32_t)>& at) {
  if (spec::info(type).klass == spec::TypeClass::Float) {
    return uint32_t(ref::eval_reduction(order == Order::Strict ? Op::FReduceStrict : Op::FReduceTreeBinary,
                                        fold, type, 0, count, [&](uint32_t i) { return ref::Bits(at(i)); }));
  }
  uint32_t sum = 0;
  if (fold == Op::Mul) sum = 1;
  if (fold == Op::BitAnd) sum = 0xffffffff;
  if (fold == Op::FMin) sum = type == DataType::I32 ? 0x7fffffff : 0xffffffff;
  if (fold == Op::FMax) sum = type == DataType::I32 ? 0x80000000 : 0;
  for (uint32_t i = 0; i < count; ++i) sum = fold_two(fold, type, sum, at(i));
  return sum;
}

void check_fold(NodeOp op, Op fold, Order order, const Tensor& t, uint32_t axis) {
  SizedNode node;
  node.op = op;
  node.type = t.type;
  node.shape = t.shape;
  if (op == NodeOp::Reduce) node.shape[axis] = 1;
  node.scalar = fold;
  node.order = order;
  node.axis = axis;
  SCOPED_TRACE(described(node, t));
  const Words got = run(op == NodeOp::Reduce ? write_reduce : write_scan, node, {t});
  const uint32_t n = t.shape[axis];
  uint32_t wrong = 0;
  for (uint32_t line = 0; line < lines_of(t.shape, axis); ++line) {
    const LineOf of(t.shape, axis, line), into(node.shape, axis, line);
    const auto at = [&](uint32_t i) { return t.words[of.at(i)]; };
    const bool chained = spec::info(t.type).klass != spec::TypeClass::Float || order == Order::Strict;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < (op == NodeOp::Reduce ? 1 : n); ++i) {
      if (op == NodeOp::Reduce)
        sum = reduced(fold, order, t.type, n, at);
      else if (i > 0 && chained)
        sum = fold_two(fold, t.type, sum, at(i));
      else
        sum = reduced(fold, order, t.type, i + 1, at);
      const uint32_t found = got[into.at(i)];
      if (found != sum && ++wrong < 4)
        ADD_FAILURE() << "line " << line << " element " << i << ": " << std::hex << found << " for " << sum;
    }
  }
  EXPECT_EQ(wrong, 0u);
}

struct Case {
  Shape shape;
  uint32_t axis;
};

// Sizes around those of blocks, and lines along the first, a middle and the last axis.
const Case kCases[] = {
    {{0}, 0},          {{1}, 0},       {{2}, 0},      {{16}, 0},      {{17}, 0},      {{2047}, 0},
    {{2049}, 0},       {{5000}, 0},    {{3, 31}, 1},  {{5, 64}, 1},   {{2, 257}, 1},  {{33, 7}, 1},
    {{300, 3}, 0},     {{31, 20}, 0},  {{32, 16}, 0}, {{130, 33}, 0}, {{600, 16}, 0}, {{3, 49, 5}, 1},
    {{2, 150, 17}, 1}, {{4, 0, 3}, 1}, {{0, 4}, 1},   {{2, 3, 4}, 2},
};
const Case kFewCases[] = {{{3, 40}, 1}, {{41, 19}, 0}};

/// Every shape and every operator and type, in both orders.
void check_folds_of_floats(NodeOp op) {
  uint64_t seed = uint64_t(op);
  for (const Order order : {Order::Strict, Order::Tree}) {
    for (const Case& c : kCases)
      check_fold(op, Op::FAdd, order, random_tensor(DataType::F32, c.shape, ++seed), c.axis);
    for (const uint32_t size : {1025u, 2048u, 2500u, 4096u})
      check_fold(op, Op::FAdd, order, random_tensor(DataType::F32, {2, size}, ++seed), 1);
    for (const Case& c : kFewCases) {
      for (const DataType type : kFloats) {
        for (const Op fold : {Op::FAdd, Op::FMul, Op::FMin, Op::FMax}) {
          ++seed;
          check_fold(op, fold, order, random_tensor(type, c.shape, seed, seed % 2 == 0), c.axis);
        }
      }
    }
  }
}

constexpr Op kIntegerFolds[] = {Op::Add, Op::Mul, Op::FMin, Op::FMax, Op::BitAnd, Op::BitOr, Op::BitXor};

void check_folds_of_integers(NodeOp op) {
  uint64_t seed = 100 * uint64_t(op);
  for (const Case& c : kFewCases) {
    for (const DataType type : {DataType::U32, DataType::I32}) {
      for (const Op fold : kIntegerFolds)
        check_fold(op, fold, Order::None, random_tensor(type, c.shape, ++seed), c.axis);
    }
  }
  check_fold(op, Op::Add, Order::None, random_tensor(DataType::U32, {5000}, 1), 0);
  check_fold(op, Op::Add, Order::None, random_tensor(DataType::U32, {2, 2049}, 1), 1);
}

TEST(Kernels, ReductionsOfFloats) { check_folds_of_floats(NodeOp::Reduce); }
TEST(Kernels, ReductionsOfIntegers) { check_folds_of_integers(NodeOp::Reduce); }
TEST(Kernels, ReductionsOfNothing) {
  for (const Op fold : kIntegerFolds)
    check_fold(NodeOp::Reduce, fold, Order::None, random_tensor(DataType::I32, {2, 0}, 1), 1);
  for (const Op fold : {Op::FMul, Op::FMin, Op::FMax})
    check_fold(NodeOp::Reduce, fold, Order::Tree, random_tensor(DataType::F16, {2, 0}, 1), 1);
}
TEST(Kernels, ScansOfFloats) { check_folds_of_floats(NodeOp::Scan); }
TEST(Kernels, ScansOfIntegers) { check_folds_of_integers(NodeOp::Scan); }

TEST(Kernels, RecurrencesOfAnOperation) {
  const spec::OpDef* clamp = ops::op_table().find("primitive.math.clamp", 1);
  ASSERT_NE(clamp, nullptr);
  const Case few[] = {{{1}, 0}, {{5, 33}, 1}, {{33, 17}, 0}, {{3, 20, 7}, 1}, {{0, 3}, 0}};
  for (const Case& c : few) {
    SizedNode node;
    node.op = NodeOp::Recur;
    node.type = DataType::U32;
    node.shape = c.shape;
    node.axis = c.axis;
    node.operation = clamp;
    Shape of_init = c.shape;
    of_init.erase(of_init.begin() + c.axis);
    const Tensor init = random_tensor(DataType::U32, of_init, 5),
                 t1 = random_tensor(DataType::U32, c.shape, 6), t2 = random_tensor(DataType::U32, c.shape, 7);
    const Words got = run(write_recur, node, {init, t1, t2});
    for (uint32_t line = 0; line < lines_of(c.shape, c.axis); ++line) {
      const LineOf of(c.shape, c.axis, line);
      uint32_t value = init.words[line];
      for (uint32_t i = 0; i < c.shape[c.axis]; ++i) {
        value = std::min(std::max(value, t1.words[of.at(i)]), t2.words[of.at(i)]);
        ASSERT_EQ(got[of.at(i)], value);
      }
    }
  }
}

/// Whether a stands before b in ascending order, or in descending order; NaN last in both.
bool before(DataType type, uint32_t a, uint32_t b, bool descending) {
  if (spec::info(type).klass != spec::TypeClass::Float) {
    const bool less = type == DataType::I32 ? int32_t(a) < int32_t(b) : a < b;
    const bool more = type == DataType::I32 ? int32_t(a) > int32_t(b) : a > b;
    return descending ? more : less;
  }
  const spec::FloatFormat f = spec::float_format(type);
  if (f.is_nan(a) || f.is_nan(b)) return !f.is_nan(a) && f.is_nan(b);
  const auto rank = [&](uint32_t x) {
    const int64_t magnitude = x & (f.sign_bit() - 1);
    return (x & f.sign_bit()) != 0 ? -1 - magnitude : magnitude;
  };
  return descending ? rank(a) > rank(b) : rank(a) < rank(b);
}

void check_sort(NodeOp op, const Tensor& t, uint32_t axis, uint32_t k) {
  const bool descending = op == NodeOp::TopK || op == NodeOp::ArgTopK;
  const bool values = op == NodeOp::Sort || op == NodeOp::TopK;
  SizedNode node;
  node.op = op;
  node.type = values ? t.type : DataType::U32;
  node.shape = t.shape;
  if (descending) node.shape[axis] = k;
  node.axis = axis;
  SCOPED_TRACE(described(node, t));
  const Words got = run(write_sort, node, {t});
  for (uint32_t line = 0; line < lines_of(t.shape, axis); ++line) {
    const LineOf of(t.shape, axis, line), into(node.shape, axis, line);
    std::vector<uint32_t> order(t.shape[axis]);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
      const uint32_t x = t.words[of.at(a)], y = t.words[of.at(b)];
      return before(t.type, x, y, descending) || (!before(t.type, y, x, descending) && a < b);
    });
    for (uint32_t i = 0; i < node.shape[axis]; ++i)
      ASSERT_EQ(got[into.at(i)], values ? t.words[of.at(order[i])] : order[i]) << line << " " << i;
  }
}

TEST(Kernels, SortingIsStableAndNaNsAreLast) {
  uint64_t seed = 4000;
  const Case few[] = {{{0}, 0},     {{1}, 0},     {{2}, 0},        {{7}, 0},
                      {{3, 64}, 1}, {{65, 3}, 0}, {{2, 33, 3}, 1}, {{2, 700}, 1}};
  for (const Case& c : few) {
    for (const NodeOp op : {NodeOp::Sort, NodeOp::Argsort, NodeOp::TopK, NodeOp::ArgTopK}) {
      for (const DataType type :
           {DataType::F32, DataType::U32, DataType::F16, DataType::I32, DataType::BF16}) {
        ++seed;
        check_sort(op, random_tensor(type, c.shape, seed, true, seed % 2 == 0 ? 6 : 0), c.axis,
                   std::min(c.shape[c.axis], uint32_t(1 + seed % 9)));
      }
    }
  }
  for (const NodeOp op : {NodeOp::Argsort, NodeOp::ArgTopK})
    check_sort(op, random_tensor(DataType::F32, {1500}, seed, true), 0, 200);
}

void check_scatter(DataType type, const Shape& shape, uint32_t axis, const Shape& indices, uint32_t below) {
  Shape of_updates(shape.begin(), shape.begin() + axis);
  of_updates.insert(of_updates.end(), indices.begin(), indices.end());
  of_updates.insert(of_updates.end(), shape.begin() + axis + 1, shape.end());
  const Tensor t = random_tensor(type, shape, 1), updates = random_tensor(type, of_updates, 2),
               where = random_tensor(DataType::U32, indices, 3, false, below);
  SizedNode node;
  node.op = NodeOp::ScatterAdd;
  node.type = type;
  node.shape = shape;
  node.axis = axis;
  SCOPED_TRACE(described(node, t));
  const Words got = run(write_scatter_add, node, {t, where, updates});
  Words expected = t.words;
  const uint32_t inner = check::elements(std::span(shape).subspan(axis + 1));
  const uint32_t outer = check::elements(std::span(shape).first(axis));
  const uint32_t many = uint32_t(where.words.size());
  const Op add = spec::info(type).klass == spec::TypeClass::Float ? Op::FAdd : Op::Add;
  for (uint32_t o = 0; o < outer; ++o) {
    for (uint32_t e = 0; e < many; ++e) {
      if (where.words[e] >= shape[axis]) continue;
      for (uint32_t q = 0; q < inner; ++q) {
        uint32_t& to = expected[(o * shape[axis] + where.words[e]) * inner + q];
        to = fold_two(add, type, to, updates.words[(o * many + e) * inner + q]);
      }
    }
  }
  EXPECT_EQ(got, expected);
}

TEST(Kernels, ScatteredSumsAreInTheOrderOfTheUpdates) {
  for (const DataType type : {DataType::U32, DataType::I32, DataType::F32, DataType::F16, DataType::BF16})
    check_scatter(type, {3, 10, 5}, 1, {5, 9}, 11);
  check_scatter(DataType::F32, {10}, 0, {0}, 10);
  check_scatter(DataType::F32, {10}, 0, {1}, 10);
  check_scatter(DataType::F16, {10, 7}, 0, {30}, 12);
  check_scatter(DataType::F32, {3, 0}, 1, {5}, 10);
  check_scatter(DataType::F32, {3}, 0, {2000}, 4);
  check_scatter(DataType::F32, {2, 200, 17}, 1, {700}, 230);
}

TEST(Kernels, OfCompiledCode) {
  compiled = true;
  const Case few[] = {{{2, 257}, 1}, {{130, 33}, 0}};
  for (const Case& c : few) {
    for (const NodeOp op : {NodeOp::Reduce, NodeOp::Scan}) {
      check_fold(op, Op::FAdd, Order::Tree, random_tensor(DataType::F32, c.shape, 1), c.axis);
      check_fold(op, Op::FAdd, Order::Strict, random_tensor(DataType::F32, c.shape, 2), c.axis);
      check_fold(op, Op::FMax, Order::None, random_tensor(DataType::I32, c.shape, 3), c.axis);
    }
  }
  check_fold(NodeOp::Scan, Op::FMul, Order::Tree, random_tensor(DataType::F16, {5000}, 4), 0);
  check_sort(NodeOp::Argsort, random_tensor(DataType::F32, {2, 700}, 5, true), 1, 0);
  check_sort(NodeOp::TopK, random_tensor(DataType::BF16, {2, 700}, 6, true), 1, 5);
  check_scatter(DataType::F32, {2, 200, 17}, 1, {700}, 230);
  compiled = false;
}

}  // namespace
}  // namespace vyre::tensor
