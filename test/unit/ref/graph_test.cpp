// Graphs: every operation on tensors, on values worked out by hand or published, and the edges of each.
#include "ref/graph.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/random.h"
#include "oracle.h"
#include "ref/eval.h"
#include "run_text.h"

VYRE_ORACLE(
    SpecificationTable,
    "docs/spec/graphs.md, worked out by hand; examples of NumPy's and ONNX's documentation are named");

namespace vyre::ref::graphs {
namespace {

using check::NodeOp;
using check::SizedNode;
using spec::DataType;
using spec::Op;
using testing::ElementsAre;
using testing::ElementsAreArray;

/// Patterns, one an element.
using Values = std::vector<uint64_t>;
using Shape = std::vector<uint32_t>;

uint64_t f(float x) { return std::bit_cast<uint32_t>(x); }
Values fs(std::initializer_list<float> values) {
  Values out;
  for (const float x : values) out.push_back(f(x));
  return out;
}
constexpr uint64_t kNaN = 0x7fc00000, kOtherNaN = 0xffc12345, kMinusZero = 0x80000000;
constexpr float kInfinity = INFINITY;
constexpr float kBig = 16777216;  // 2^24: the next number is 2 above, and kBig + 1 is kBig

Bytes bytes_of(DataType type, const Values& values) {
  const size_t size = spec::info(type).bytes;
  Bytes out(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) std::memcpy(out.data() + i * size, &values[i], size);
  return out;
}
Values values_of(DataType type, const Bytes& bytes) {
  const size_t size = spec::info(type).bytes;
  Values out(bytes.size() / size);
  for (size_t i = 0; i < out.size(); ++i) std::memcpy(&out[i], bytes.data() + i * size, size);
  return out;
}

const check::CheckedModule& module_of(std::string_view text) {
  static std::map<std::string, std::shared_ptr<const check::CheckedModule>, std::less<>> known;
  auto& module = known[std::string(text)];
  if (module == nullptr) {
    static const spec::OpTable none;
    auto parsed = text::parse_module(text, &none);
    if (!parsed) throw std::runtime_error(render(parsed.error(), nullptr));
    auto checked = check::check(*std::move(parsed), none);
    if (!checked) throw std::runtime_error(all_messages(checked.error()));
    module = *checked;
  }
  return *module;
}
constexpr std::string_view kOperations = R"(
operation test.multiply_add(y: f32, a: f32, x: f32) -> f32 {
  return y * a + x;
}

operation test.next(y: u32) -> u32 {
  return y * 2 + 1;
}
)";

/// A graph under construction whose last node is its output.
class Graph {
 public:
  uint32_t parameter(DataType type, Shape shape, const Values& values) {
    const uint32_t node = add({.op = NodeOp::Parameter, .type = type, .shape = std::move(shape)});
    graph.nodes[node].number = uint32_t(inputs.size());
    graph.parameters.push_back({"p", node});
    inputs.push_back(bytes_of(type, values));
    return node;
  }
  uint32_t add(SizedNode node) {
    graph.nodes.push_back(std::move(node));
    return uint32_t(graph.nodes.size()) - 1;
  }
  Result<std::vector<Bytes>> try_run(const Options& options = {}) {
    if (graph.outputs.empty()) graph.outputs.push_back({"y", uint32_t(graph.nodes.size()) - 1});
    std::vector<std::span<const std::byte>> spans(inputs.begin(), inputs.end());
    return run_graph(module_of(kOperations), graph, spans, options);
  }
  Values run() {
    const auto out = try_run();
    if (!out) {
      ADD_FAILURE() << render(out.error(), nullptr);
      return {};
    }
    return values_of(graph.nodes[graph.outputs[0].node].type, (*out)[0]);
  }
  check::SizedGraph graph;
  std::vector<Bytes> inputs;
};

struct Input {
  DataType type;
  Shape shape;
  Values values;
};
/// One node over parameters.
Values run(SizedNode node, const std::vector<Input>& inputs) {
  Graph graph;
  for (const Input& input : inputs)
    node.operands.push_back(graph.parameter(input.type, input.shape, input.values));
  graph.add(std::move(node));
  return graph.run();
}

// Leaves and elements.

TEST(Graphs, GiveBackWhatTheyAreGiven) {
  Graph graph;
  graph.parameter(DataType::F32, {2, 2}, {kOtherNaN, kMinusZero, f(1), 1});
  EXPECT_THAT(graph.run(), ElementsAre(kOtherNaN, kMinusZero, f(1), 1));
}

TEST(Graphs, HaveBoolsOfOneBit) {
  Graph graph;
  graph.parameter(DataType::Bool, {4}, {0, 1, 5, 0x80000000});
  EXPECT_THAT(graph.run(), ElementsAre(0, 1, 1, 1));
}

TEST(Graphs, HaveOutputsInTheirOrderOneNodeTwiceToo) {
  Graph graph;
  const uint32_t a = graph.parameter(DataType::U32, {2}, {1, 2});
  const uint32_t b = graph.parameter(DataType::U32, {}, {7});
  graph.graph.outputs = {{"x", b}, {"y", a}, {"z", b}};
  const auto out = graph.try_run();
  ASSERT_TRUE(out);
  EXPECT_THAT(*out, ElementsAre(bytes_of(DataType::U32, {7}), bytes_of(DataType::U32, {1, 2}),
                                bytes_of(DataType::U32, {7})));
}

TEST(Graphs, Literals) {
  EXPECT_THAT(run({.op = NodeOp::Literal, .type = DataType::U64, .bits = {5, 1}}, {}),
              ElementsAre(0x100000005));
  EXPECT_THAT(run({.op = NodeOp::Literal, .type = DataType::F16, .bits = {0x3c00}}, {}), ElementsAre(0x3c00));
}

TEST(Graphs, IndexIsTheCoordinate) {
  const auto index = [](uint32_t axis) {
    return run({.op = NodeOp::Index, .type = DataType::U32, .shape = {2, 3}, .axis = axis}, {});
  };
  EXPECT_THAT(index(0), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(index(1), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(Graphs, OperatorsAreOfEachElement) {
  const auto apply = [](Op op, DataType result, const std::vector<Input>& inputs) {
    return run({.op = NodeOp::Apply, .type = result, .shape = inputs[0].shape, .scalar = op}, inputs);
  };
  EXPECT_THAT(
      apply(Op::FSub, DataType::F32,
            {{DataType::F32, {3}, fs({1, 2, kInfinity})}, {DataType::F32, {3}, fs({0.5, 3, kInfinity})}}),
      ElementsAre(f(0.5), f(-1), kNaN));
  // Of the operands' type, whatever the result's.
  EXPECT_THAT(
      apply(Op::Lt, DataType::U32, {{DataType::I32, {2}, {0xffffffff, 1}}, {DataType::I32, {2}, {0, 0}}}),
      ElementsAre(1, 0));
  EXPECT_THAT(apply(Op::Clz, DataType::U32, {{DataType::U64, {1}, {1}}}), ElementsAre(63));
  // The condition's type is none of theirs.
  EXPECT_THAT(apply(Op::Select, DataType::F16,
                    {{DataType::Bool, {3}, {0, 1, 2}},
                     {DataType::F16, {3}, {0x7c01, 0x7c01, 0x7c01}},
                     {DataType::F16, {3}, {1, 2, 3}}}),
              ElementsAre(1, 0x7c01, 0x7c01));
  EXPECT_THAT(apply(Op::Shl, DataType::U64, {{DataType::U64, {1}, {3}}, {DataType::U32, {1}, {33}}}),
              ElementsAre(uint64_t{3} << 33));
}

TEST(Graphs, CastsAndBitcasts) {
  EXPECT_THAT(run({.op = NodeOp::Apply,
                   .type = DataType::I32,
                   .shape = {3},
                   .scalar = Op::Cast,
                   .mode = spec::RoundingMode::Floor},
                  {{DataType::F32, {3}, fs({-1.5, 2.5, NAN})}}),
              ElementsAre(0xfffffffe, 2, 0));
  EXPECT_THAT(run({.op = NodeOp::Apply, .type = DataType::F16, .shape = {2}, .scalar = Op::Cast},
                  {{DataType::F32, {2}, fs({1, 65520})}}),
              ElementsAre(0x3c00, 0x7c00));
  EXPECT_THAT(run({.op = NodeOp::Apply, .type = DataType::U32, .shape = {1}, .scalar = Op::Bitcast},
                  {{DataType::BF16, {1}, {0xff81}}}),
              ElementsAre(0xff81));
}

TEST(Graphs, CallOperations) {
  const check::CheckedModule& module = module_of(kOperations);
  EXPECT_THAT(
      run({.op = NodeOp::Call, .type = DataType::F32, .shape = {2}, .operation = module.operations()[0]},
          {{DataType::F32, {2}, fs({2, 3})},
           {DataType::F32, {2}, fs({10, 20})},
           {DataType::F32, {2}, fs({1, -1})}}),
      ElementsAre(f(21), f(59)));
}

// Views.

TEST(Graphs, Transpose) {
  // numpy.transpose: [[1, 2], [3, 4]] is [[1, 3], [2, 4]].
  EXPECT_THAT(run({.op = NodeOp::Transpose, .type = DataType::U32, .shape = {2, 2}, .axes = {1, 0}},
                  {{DataType::U32, {2, 2}, {1, 2, 3, 4}}}),
              ElementsAre(1, 3, 2, 4));
  // A turn of three axes, which is not its own inverse: axis 0 is axis 2 of the operand [2, 1, 3].
  EXPECT_THAT(run({.op = NodeOp::Transpose, .type = DataType::U32, .shape = {3, 2, 1}, .axes = {2, 0, 1}},
                  {{DataType::U32, {2, 1, 3}, {1, 2, 3, 4, 5, 6}}}),
              ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Graphs, Slice) {
  // ONNX, Slice, example 1: starts [1, 0], ends [2, 3], steps [1, 2].
  EXPECT_THAT(run({.op = NodeOp::Slice, .type = DataType::U32, .shape = {1, 2}, .sizes = {1, 2, 1, 0, 3, 2}},
                  {{DataType::U32, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}}}),
              ElementsAre(5, 7));
  EXPECT_THAT(run({.op = NodeOp::Slice, .type = DataType::U32, .shape = {0}, .sizes = {2, 2, 1}},
                  {{DataType::U32, {2}, {1, 2}}}),
              ElementsAre());
}

TEST(Graphs, Broadcast) {
  // numpy.broadcast_to: [1, 2, 3] to (3, 3).
  EXPECT_THAT(run({.op = NodeOp::Broadcast, .type = DataType::U32, .shape = {3, 3}},
                  {{DataType::U32, {3}, {1, 2, 3}}}),
              ElementsAre(1, 2, 3, 1, 2, 3, 1, 2, 3));
  EXPECT_THAT(run({.op = NodeOp::Broadcast, .type = DataType::U32, .shape = {2, 3}},
                  {{DataType::U32, {2, 1}, {1, 2}}}),
              ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_THAT(run({.op = NodeOp::Broadcast, .type = DataType::U32, .shape = {2}}, {{DataType::U32, {}, {9}}}),
              ElementsAre(9, 9));
  EXPECT_THAT(run({.op = NodeOp::Broadcast, .type = DataType::U32, .shape = {0, 2}},
                  {{DataType::U32, {1, 2}, {1, 2}}}),
              ElementsAre());
}

TEST(Graphs, ReshapeKeepsTheOrder) {
  EXPECT_THAT(run({.op = NodeOp::Reshape, .type = DataType::F32, .shape = {3, 2}},
                  {{DataType::F32, {2, 3}, {1, kOtherNaN, 3, 4, 5, 6}}}),
              ElementsAre(1, kOtherNaN, 3, 4, 5, 6));
}

TEST(Graphs, Concat) {
  // numpy.concatenate: [[1, 2], [3, 4]] and [[5, 6]] along 0, and its transpose along 1.
  EXPECT_THAT(run({.op = NodeOp::Concat, .type = DataType::U32, .shape = {3, 2}, .axis = 0},
                  {{DataType::U32, {2, 2}, {1, 2, 3, 4}}, {DataType::U32, {1, 2}, {5, 6}}}),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(run({.op = NodeOp::Concat, .type = DataType::U32, .shape = {2, 3}, .axis = 1},
                  {{DataType::U32, {2, 2}, {1, 2, 3, 4}},
                   {DataType::U32, {2, 0}, {}},
                   {DataType::U32, {2, 1}, {5, 6}}}),
              ElementsAre(1, 2, 5, 3, 4, 6));
}

TEST(Graphs, Pad) {
  // ONNX, Pad, example 1: two columns before.
  EXPECT_THAT(
      run({.op = NodeOp::Pad, .type = DataType::F32, .shape = {3, 4}, .sizes = {0, 0, 2, 0}},
          {{DataType::F32, {3, 2}, fs({1.0, 1.2, 2.3, 3.4, 4.5, 5.7})}, {DataType::F32, {}, fs({0})}}),
      ElementsAreArray(fs({0, 0, 1.0, 1.2, 0, 0, 2.3, 3.4, 0, 0, 4.5, 5.7})));
  EXPECT_THAT(run({.op = NodeOp::Pad, .type = DataType::U32, .shape = {3, 2}, .sizes = {1, 1, 0, 1}},
                  {{DataType::U32, {1, 1}, {5}}, {DataType::U32, {}, {9}}}),
              ElementsAre(9, 9, 5, 9, 9, 9));
  EXPECT_THAT(run({.op = NodeOp::Pad, .type = DataType::U32, .shape = {2}, .sizes = {1, 1}},
                  {{DataType::U32, {0}, {}}, {DataType::U32, {}, {9}}}),
              ElementsAre(9, 9));
}

TEST(Graphs, Gather) {
  // ONNX, Gather, examples 1 and 2.
  EXPECT_THAT(run({.op = NodeOp::Gather, .type = DataType::F32, .shape = {2, 2, 2}, .axis = 0},
                  {{DataType::F32, {3, 2}, fs({1.0, 1.2, 2.3, 3.4, 4.5, 5.7})},
                   {DataType::U32, {2, 2}, {0, 1, 1, 2}}}),
              ElementsAreArray(fs({1.0, 1.2, 2.3, 3.4, 2.3, 3.4, 4.5, 5.7})));
  EXPECT_THAT(run({.op = NodeOp::Gather, .type = DataType::F32, .shape = {3, 1, 2}, .axis = 1},
                  {{DataType::F32, {3, 3}, fs({1.0, 1.2, 1.9, 2.3, 3.4, 3.9, 4.5, 5.7, 5.9})},
                   {DataType::U32, {1, 2}, {0, 2}}}),
              ElementsAreArray(fs({1.0, 1.9, 2.3, 3.9, 4.5, 5.9})));
}

TEST(Graphs, GatherBeyondTheAxisGivesZeroAndMovesEveryBit) {
  EXPECT_THAT(run({.op = NodeOp::Gather, .type = DataType::F32, .shape = {2, 3}, .axis = 1},
                  {{DataType::F32, {2, 2}, {1, 2, 3, kOtherNaN}}, {DataType::U32, {3}, {1, 2, 0xffffffff}}}),
              ElementsAre(2, 0, 0, kOtherNaN, 0, 0));
  EXPECT_THAT(run({.op = NodeOp::Gather, .type = DataType::U32, .shape = {2}, .axis = 0},
                  {{DataType::U32, {0}, {}}, {DataType::U32, {2}, {0, 1}}}),
              ElementsAre(0, 0));
  // One index of no axis takes the axis away.
  EXPECT_THAT(run({.op = NodeOp::Gather, .type = DataType::U32, .shape = {2}, .axis = 0},
                  {{DataType::U32, {2, 2}, {1, 2, 3, 4}}, {DataType::U32, {}, {1}}}),
              ElementsAre(3, 4));
}

// Folds.

SizedNode fold(NodeOp op, Op scalar, ir::Order order, DataType type, Shape shape, uint32_t axis) {
  return {.op = op, .type = type, .shape = std::move(shape), .scalar = scalar, .axis = axis, .order = order};
}
Values reduced(Op op, ir::Order order, DataType type, const Values& line) {
  return run(fold(NodeOp::Reduce, op, order, type, {1}, 0), {{type, {uint32_t(line.size())}, line}});
}
Values scanned(Op op, ir::Order order, DataType type, const Values& line) {
  const uint32_t n = uint32_t(line.size());
  return run(fold(NodeOp::Scan, op, order, type, {n}, 0), {{type, {n}, line}});
}
using ir::Order;

TEST(Graphs, ReduceAlongEachAxis) {
  // ONNX, ReduceSum, ReduceMin and ReduceMax, keepdims.
  const Values sums = fs({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (const Order order : {Order::Strict, Order::Tree}) {
    EXPECT_THAT(run(fold(NodeOp::Reduce, Op::FAdd, order, DataType::F32, {3, 1, 2}, 1),
                    {{DataType::F32, {3, 2, 2}, sums}}),
                ElementsAreArray(fs({4, 6, 12, 14, 20, 22})));
    EXPECT_THAT(run(fold(NodeOp::Reduce, Op::FAdd, order, DataType::F32, {1, 2, 2}, 0),
                    {{DataType::F32, {3, 2, 2}, sums}}),
                ElementsAreArray(fs({15, 18, 21, 24})));
    const Values values = fs({5, 1, 20, 2, 30, 1, 40, 2, 55, 1, 60, 2});
    EXPECT_THAT(run(fold(NodeOp::Reduce, Op::FMin, order, DataType::F32, {3, 1, 2}, 1),
                    {{DataType::F32, {3, 2, 2}, values}}),
                ElementsAreArray(fs({5, 1, 30, 1, 55, 1})));
    EXPECT_THAT(run(fold(NodeOp::Reduce, Op::FMax, order, DataType::F32, {3, 1, 2}, 1),
                    {{DataType::F32, {3, 2, 2}, values}}),
                ElementsAreArray(fs({20, 2, 40, 2, 60, 2})));
  }
}

TEST(Graphs, OrdersOfReductionsDiffer) {
  // ((b + 1) + 1) + 1 is b, (b + 1) + (1 + 1) is b + 2; of five the last one comes to the tree of four.
  EXPECT_THAT(reduced(Op::FAdd, Order::Strict, DataType::F32, fs({kBig, 1, 1, 1})), ElementsAre(f(kBig)));
  EXPECT_THAT(reduced(Op::FAdd, Order::Tree, DataType::F32, fs({kBig, 1, 1, 1})), ElementsAre(f(kBig + 2)));
  EXPECT_THAT(reduced(Op::FAdd, Order::Tree, DataType::F32, fs({1, 1, 1, 1, kBig})),
              ElementsAre(f(kBig + 4)));
  EXPECT_THAT(reduced(Op::FAdd, Order::Tree, DataType::F32, fs({kBig, 1, 1})), ElementsAre(f(kBig)));
}

TEST(Graphs, ReductionsOfNothing) {
  for (const Order order : {Order::Strict, Order::Tree}) {
    EXPECT_THAT(reduced(Op::FAdd, order, DataType::F32, {}), ElementsAre(0));
    EXPECT_THAT(reduced(Op::FMul, order, DataType::BF16, {}), ElementsAre(0x3f80));
    EXPECT_THAT(reduced(Op::FMin, order, DataType::F16, {}), ElementsAre(0x7c00));
    EXPECT_THAT(reduced(Op::FMax, order, DataType::F32, {}), ElementsAre(f(-kInfinity)));
  }
  const auto of = [](Op op, DataType type) { return reduced(op, Order::None, type, {}); };
  EXPECT_THAT(of(Op::Add, DataType::U32), ElementsAre(0));
  EXPECT_THAT(of(Op::Mul, DataType::I32), ElementsAre(1));
  EXPECT_THAT(of(Op::BitOr, DataType::U32), ElementsAre(0));
  EXPECT_THAT(of(Op::BitXor, DataType::U64), ElementsAre(0));
  EXPECT_THAT(of(Op::BitAnd, DataType::U64), ElementsAre(UINT64_MAX));
  EXPECT_THAT(of(Op::AtomicMin, DataType::U32), ElementsAre(0xffffffff));
  EXPECT_THAT(of(Op::AtomicMin, DataType::I32), ElementsAre(0x7fffffff));
  EXPECT_THAT(of(Op::AtomicMin, DataType::U64), ElementsAre(UINT64_MAX));
  EXPECT_THAT(of(Op::AtomicMax, DataType::U32), ElementsAre(0));
  EXPECT_THAT(of(Op::AtomicMax, DataType::I32), ElementsAre(0x80000000));
}

TEST(Graphs, ReductionsOfNaNsAndZeros) {
  for (const Order order : {Order::Strict, Order::Tree}) {
    EXPECT_THAT(reduced(Op::FAdd, order, DataType::F32, {kOtherNaN}), ElementsAre(kNaN));
    EXPECT_THAT(reduced(Op::FAdd, order, DataType::F32, {kMinusZero}), ElementsAre(kMinusZero));
    EXPECT_THAT(reduced(Op::FMin, order, DataType::F32, {kOtherNaN, f(3), kNaN}), ElementsAre(f(3)));
    EXPECT_THAT(reduced(Op::FMax, order, DataType::F32, {kOtherNaN, kOtherNaN}), ElementsAre(kNaN));
    EXPECT_THAT(reduced(Op::FMin, order, DataType::F32, {0, kMinusZero}), ElementsAre(kMinusZero));
    EXPECT_THAT(reduced(Op::FMax, order, DataType::F32, {kMinusZero, 0}), ElementsAre(0));
  }
}

TEST(Graphs, ReductionsOfIntegers) {
  const auto of = [](Op op, DataType type, const Values& line) {
    return reduced(op, Order::None, type, line);
  };
  EXPECT_THAT(of(Op::Add, DataType::U32, {0xffffffff, 2}), ElementsAre(1));
  EXPECT_THAT(of(Op::Mul, DataType::U32, {2, 3, 5}), ElementsAre(30));  // numpy.ufunc.reduce
  EXPECT_THAT(of(Op::Mul, DataType::U64, {uint64_t{1} << 32, 3}), ElementsAre(uint64_t{3} << 32));
  EXPECT_THAT(of(Op::BitAnd, DataType::U32, {12, 10}), ElementsAre(8));
  EXPECT_THAT(of(Op::BitOr, DataType::U32, {12, 10}), ElementsAre(14));
  EXPECT_THAT(of(Op::BitXor, DataType::U32, {12, 10}), ElementsAre(6));
  EXPECT_THAT(of(Op::AtomicMin, DataType::I32, {3, 0xffffffff, 1}), ElementsAre(0xffffffff));
  EXPECT_THAT(of(Op::AtomicMax, DataType::I32, {3, 0xffffffff, 1}), ElementsAre(3));
  EXPECT_THAT(of(Op::AtomicMin, DataType::U32, {3, 0xffffffff, 1}), ElementsAre(1));
  EXPECT_THAT(of(Op::AtomicMax, DataType::U32, {3, 0xffffffff, 1}), ElementsAre(0xffffffff));
}

TEST(Graphs, Scan) {
  // numpy.ufunc.accumulate; ONNX, CumSum.
  EXPECT_THAT(scanned(Op::Add, Order::None, DataType::U32, {2, 3, 5}), ElementsAre(2, 5, 10));
  EXPECT_THAT(scanned(Op::Mul, Order::None, DataType::U32, {2, 3, 5}), ElementsAre(2, 6, 30));
  EXPECT_THAT(scanned(Op::FAdd, Order::Strict, DataType::F32, fs({1, 2, 3})),
              ElementsAreArray(fs({1, 3, 6})));
  EXPECT_THAT(scanned(Op::AtomicMax, Order::None, DataType::I32, {0xffffffff, 1, 0}),
              ElementsAre(0xffffffff, 1, 1));
  EXPECT_THAT(scanned(Op::FAdd, Order::Tree, DataType::F32, {}), ElementsAre());
  EXPECT_THAT(run(fold(NodeOp::Scan, Op::Add, Order::None, DataType::U32, {2, 2}, 0),
                  {{DataType::U32, {2, 2}, {1, 2, 3, 4}}}),
              ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(scanned(Op::FAdd, Order::Strict, DataType::F32, {kOtherNaN, 0}), ElementsAre(kNaN, kNaN));
  EXPECT_THAT(scanned(Op::FAdd, Order::Tree, DataType::F32, {kMinusZero, kOtherNaN}),
              ElementsAre(kMinusZero, kNaN));
  EXPECT_THAT(scanned(Op::FAdd, Order::Strict, DataType::F32, fs({kBig, 1, 1, 1})),
              ElementsAreArray(fs({kBig, kBig, kBig, kBig})));
  // b; b + 1; (b + 1) + 1; (b + 1) + (1 + 1); that + 1, a tie to the even b + 4.
  EXPECT_THAT(scanned(Op::FAdd, Order::Tree, DataType::F32, fs({kBig, 1, 1, 1, 1})),
              ElementsAreArray(fs({kBig, kBig, kBig, kBig + 2, kBig + 4})));
}

TEST(Graphs, EachElementOfAScanIsTheReductionOfItsPrefix) {
  VYRE_ORACLE(CompositionTheorem,
              "docs/spec/graphs.md: element i of a scan is the reduction of elements 0..i");
  constexpr uint32_t kLength = 137;
  Values line(kLength);
  for (uint32_t i = 0; i < kLength; ++i) {  // signs and some 16 binades by chance
    const uint32_t word = philox(7, i)[0];
    line[i] = (word & 0x807fffff) | (0x78 + (word >> 23 & 15)) << 23;
  }
  for (const DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
    Values of_type = line;
    for (uint64_t& x : of_type) x = x >> (32 - spec::value_bits(type)) & 0xffffffff;
    for (const auto& [order, op] :
         {std::pair(Order::Strict, Op::FReduceStrict), std::pair(Order::Tree, Op::FReduceTreeBinary)}) {
      Values expected;
      for (uint32_t n = 1; n <= kLength; ++n)
        expected.push_back(
            uint64_t(eval_reduction(op, Op::FAdd, type, 0, n, [&](uint32_t i) { return Bits(of_type[i]); })));
      EXPECT_EQ(scanned(Op::FAdd, order, type, of_type), expected);
    }
  }
}

TEST(Graphs, Recur) {
  // y = y * a + x: 1 * 2 + 1, then 3 * 3 - 4; and from 0: 0 * 5 + 7, then 7 * 10 + 0.
  const check::CheckedModule& module = module_of(kOperations);
  EXPECT_THAT(run({.op = NodeOp::Recur,
                   .type = DataType::F32,
                   .shape = {2, 2},
                   .operation = module.operations()[0],
                   .axis = 0},
                  {{DataType::F32, {2}, fs({1, 0})},
                   {DataType::F32, {2, 2}, fs({2, 5, 3, 10})},
                   {DataType::F32, {2, 2}, fs({1, 7, -4, 0})}}),
              ElementsAreArray(fs({3, 7, 5, 70})));
  EXPECT_THAT(run({.op = NodeOp::Recur,
                   .type = DataType::F32,
                   .shape = {1, 2},
                   .operation = module.operations()[0],
                   .axis = 1},
                  {{DataType::F32, {1}, fs({1})},
                   {DataType::F32, {1, 2}, fs({2, 3})},
                   {DataType::F32, {1, 2}, fs({1, -4})}}),
              ElementsAreArray(fs({3, 5})));
  EXPECT_THAT(run({.op = NodeOp::Recur,
                   .type = DataType::F32,
                   .shape = {0},
                   .operation = module.operations()[0],
                   .axis = 0},
                  {{DataType::F32, {}, fs({1})}, {DataType::F32, {0}, {}}, {DataType::F32, {0}, {}}}),
              ElementsAre());
}

TEST(Graphs, ScatterAdd) {
  // numpy.ufunc.at: numpy.add.at([1, 2, 3, 4], [0, 1, 2, 2], 1).
  EXPECT_THAT(run({.op = NodeOp::ScatterAdd, .type = DataType::U32, .shape = {4}, .axis = 0},
                  {{DataType::U32, {4}, {1, 2, 3, 4}},
                   {DataType::U32, {4}, {0, 1, 2, 2}},
                   {DataType::U32, {4}, {1, 1, 1, 1}}}),
              ElementsAre(2, 3, 5, 4));
  // Along the last axis, with indices of two axes: updates are [2, 2, 1].
  EXPECT_THAT(run({.op = NodeOp::ScatterAdd, .type = DataType::U32, .shape = {2, 3}, .axis = 1},
                  {{DataType::U32, {2, 3}, {0, 0, 0, 100, 100, 100}},
                   {DataType::U32, {2, 1}, {2, 0}},
                   {DataType::U32, {2, 2, 1}, {1, 2, 3, 4}}}),
              ElementsAre(2, 0, 1, 104, 100, 103));
  // Along the first axis, rows of two.
  EXPECT_THAT(run({.op = NodeOp::ScatterAdd, .type = DataType::U32, .shape = {2, 2}, .axis = 0},
                  {{DataType::U32, {2, 2}, {0, 0, 0, 0}},
                   {DataType::U32, {3}, {1, 0, 1}},
                   {DataType::U32, {3, 2}, {1, 2, 3, 4, 5, 6}}}),
              ElementsAre(3, 4, 6, 8));
}

TEST(Graphs, ScatterAddFoldsTheOldValueAndThenUpdatesInTheirOrder) {
  // (1 + b) - b is 0; (0 + b) - b + 1 is 1; both turned round are 1 and 0.
  EXPECT_THAT(run({.op = NodeOp::ScatterAdd, .type = DataType::F32, .shape = {3}, .axis = 0},
                  {{DataType::F32, {3}, {f(1), 0, kMinusZero}},
                   {DataType::U32, {6}, {0, 1, 0, 1, 1, 3}},
                   {DataType::F32, {6}, fs({kBig, kBig, -kBig, -kBig, 1, 5})}}),
              ElementsAre(0, f(1), kMinusZero));
  // Out of range is nothing; where nothing goes every bit is kept.
  EXPECT_THAT(run({.op = NodeOp::ScatterAdd, .type = DataType::F32, .shape = {1}, .axis = 0},
                  {{DataType::F32, {1}, {kOtherNaN}},
                   {DataType::U32, {1}, {0xffffffff}},
                   {DataType::F32, {1}, {f(1)}}}),
              ElementsAre(kOtherNaN));
  EXPECT_THAT(run({.op = NodeOp::ScatterAdd, .type = DataType::F32, .shape = {1}, .axis = 0},
                  {{DataType::F32, {1}, {f(2)}}, {DataType::U32, {0}, {}}, {DataType::F32, {0}, {}}}),
              ElementsAre(f(2)));
}

// Products.

Values product(DataType type, DataType accumulator, uint32_t rows, uint32_t length, uint32_t columns,
               const Values& a, const Values& b, uint32_t block = ir::kWholeBlock) {
  return run({.op = NodeOp::Matmul, .type = accumulator, .shape = {rows, columns}, .block = block},
             {{type, {rows, length}, a}, {type, {length, columns}, b}});
}

TEST(Graphs, Matmul) {
  // numpy.matmul: [[1, 0], [0, 1]] and [[4, 1], [2, 2]].
  EXPECT_THAT(product(DataType::F32, DataType::F32, 2, 2, 2, fs({1, 0, 0, 1}), fs({4, 1, 2, 2})),
              ElementsAreArray(fs({4, 1, 2, 2})));
  EXPECT_THAT(product(DataType::U32, DataType::U32, 1, 3, 2, {1, 2, 3}, {1, 10, 2, 20, 3, 30}),
              ElementsAre(14, 140));
  // numpy.matmul: arange(16) as [2, 2, 4] and as [2, 4, 2]; [0, 1, 1] is 98.
  Values numbers(16);
  for (uint32_t i = 0; i < 16; ++i) numbers[i] = f(float(i));
  const Values batches = run({.op = NodeOp::Matmul, .type = DataType::F32, .shape = {2, 2, 2}},
                             {{DataType::F32, {2, 2, 4}, numbers}, {DataType::F32, {2, 4, 2}, numbers}});
  ASSERT_EQ(batches.size(), 8u);
  EXPECT_EQ(batches[3], f(98));
  EXPECT_EQ(batches[7], f(12 * 9 + 13 * 11 + 14 * 13 + 15 * 15));
}

TEST(Graphs, MatmulOfNothingIsZero) {
  EXPECT_THAT(product(DataType::F32, DataType::F32, 2, 0, 3, {}, {}), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(product(DataType::U32, DataType::U32, 1, 0, 1, {}, {}, 32), ElementsAre(0));
  EXPECT_THAT(product(DataType::F32, DataType::F32, 0, 2, 2, {}, fs({1, 2, 3, 4})), ElementsAre());
}

TEST(Graphs, MatmulIsAChainOfFusedProducts) {
  // With x = 1 + 2^-12: -(1 + 2^-11) + x * x is 2^-24 where the product is not rounded, and 0 where it is, or
  // where k goes down.
  const float x = 1 + 0x1p-12f, y = 1 + 0x1p-11f;
  EXPECT_THAT(product(DataType::F32, DataType::F32, 1, 2, 1, fs({-y, x}), fs({1, x})),
              ElementsAre(f(0x1p-24f)));
  EXPECT_THAT(product(DataType::F32, DataType::F32, 1, 2, 1, fs({x, -y}), fs({x, 1})), ElementsAre(0));
  // From +0: -0 is not kept. NaNs are one.
  EXPECT_THAT(product(DataType::F32, DataType::F32, 1, 1, 2, {kMinusZero}, {f(1), kOtherNaN}),
              ElementsAre(0, kNaN));
}

TEST(Graphs, MatmulOfBlocks) {
  // k = 70 in blocks of 32 are three, whose sums are added as (s0 + s1) + s2.
  constexpr uint32_t kLength = 70, kColumns = 4;
  Values b(kLength * kColumns);
  const auto set = [&](uint32_t column, std::initializer_list<std::pair<uint32_t, float>> values) {
    for (const auto& [k, value] : values) b[k * kColumns + column] = f(value);
  };
  set(0, {{0, kBig}, {32, 1}, {33, 1}});           // b + 2, and b in one chain
  set(1, {{0, kBig}, {32, 1}, {64, 1}});           // (b + 1) + 1 is b, and b + (1 + 1) is not
  set(2, {{0, kBig}, {31, 1}, {32, 1}});           // the first block ends before 32
  set(3, {{0, kBig}, {62, 1}, {63, 1}, {69, 3}});  // (b + 2) + 3 is a tie: b + 4, the even one
  const Values ones(kLength, f(1));
  EXPECT_THAT(product(DataType::F32, DataType::F32, 1, kLength, kColumns, ones, b, 32),
              ElementsAreArray(fs({kBig + 2, kBig, kBig, kBig + 4})));
  EXPECT_THAT(product(DataType::F32, DataType::F32, 1, kLength, kColumns, ones, b),
              ElementsAreArray(fs({kBig, kBig, kBig, kBig + 4})));
}

TEST(Graphs, MatmulInTheTypeOfTheAccumulator) {
  // 2048 + 1 is no f16, and 256 + 1 no bf16: ties to even.
  const Values f16 = {0x6800, 0x3c00}, bf16 = {0x4380, 0x3f80};
  EXPECT_THAT(product(DataType::F16, DataType::F32, 1, 2, 1, f16, {0x3c00, 0x3c00}), ElementsAre(f(2049)));
  EXPECT_THAT(product(DataType::F16, DataType::F16, 1, 2, 1, f16, {0x3c00, 0x3c00}), ElementsAre(0x6800));
  EXPECT_THAT(product(DataType::BF16, DataType::F32, 1, 2, 1, bf16, {0x3f80, 0x3f80}), ElementsAre(f(257)));
  EXPECT_THAT(product(DataType::BF16, DataType::BF16, 1, 2, 1, bf16, {0x3f80, 0x3f80}), ElementsAre(0x4380));
  EXPECT_THAT(product(DataType::I32, DataType::I32, 1, 2, 1, {0xffffffff, 0x40000000}, {5, 4}),
              ElementsAre(0xfffffffb));
  EXPECT_THAT(product(DataType::U32, DataType::U32, 1, 3, 1, {65536, 3, 1}, {65536, 1, 4}, 2),
              ElementsAre(7));
}

// Order of values.

Values ordered(NodeOp op, DataType type, const Values& line, uint32_t count) {
  const bool places = op == NodeOp::Argsort || op == NodeOp::ArgTopK;
  return run({.op = op, .type = places ? DataType::U32 : type, .shape = {count}, .axis = 0},
             {{type, {uint32_t(line.size())}, line}});
}

TEST(Graphs, Sort) {
  // numpy.sort and numpy.argsort.
  const Input table = {DataType::U32, {2, 2}, {1, 4, 3, 1}};
  EXPECT_THAT(run({.op = NodeOp::Sort, .type = DataType::U32, .shape = {2, 2}, .axis = 1}, {table}),
              ElementsAre(1, 4, 1, 3));
  EXPECT_THAT(run({.op = NodeOp::Sort, .type = DataType::U32, .shape = {2, 2}, .axis = 0}, {table}),
              ElementsAre(1, 1, 3, 4));
  EXPECT_THAT(ordered(NodeOp::Argsort, DataType::U32, {3, 1, 2}, 3), ElementsAre(1, 2, 0));
  const Input ties = {DataType::U32, {2, 2}, {0, 3, 2, 2}};
  EXPECT_THAT(run({.op = NodeOp::Argsort, .type = DataType::U32, .shape = {2, 2}, .axis = 0}, {ties}),
              ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(run({.op = NodeOp::Argsort, .type = DataType::U32, .shape = {2, 2}, .axis = 1}, {ties}),
              ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(ordered(NodeOp::Sort, DataType::I32, {1, 0xfffffffe, 0}, 3), ElementsAre(0xfffffffe, 0, 1));
  EXPECT_THAT(ordered(NodeOp::Sort, DataType::U32, {1, 0xfffffffe, 0}, 3), ElementsAre(0, 1, 0xfffffffe));
  EXPECT_THAT(ordered(NodeOp::Sort, DataType::U64, {uint64_t{1} << 40, 7}, 2),
              ElementsAre(7, uint64_t{1} << 40));
  EXPECT_THAT(ordered(NodeOp::Argsort, DataType::Bool, {1, 0, 1, 0}, 4), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(ordered(NodeOp::Sort, DataType::F32, {}, 0), ElementsAre());
}

TEST(Graphs, SortFloatsByValueWithEveryBit) {
  const Values line = {kOtherNaN, f(1), 0, f(-1), kMinusZero, kNaN, f(kInfinity), f(-kInfinity), 1, 0};
  EXPECT_THAT(ordered(NodeOp::Sort, DataType::F32, line, 10),
              ElementsAre(f(-kInfinity), f(-1), kMinusZero, 0, 0, 1, f(1), f(kInfinity), kOtherNaN, kNaN));
  EXPECT_THAT(ordered(NodeOp::Argsort, DataType::F32, line, 10), ElementsAre(7, 3, 4, 2, 9, 8, 1, 6, 0, 5));
  EXPECT_THAT(ordered(NodeOp::Sort, DataType::F16, {0x7c00, 0x3c00, 0xfc00, 0xfe00, 0x8000, 0}, 6),
              ElementsAre(0xfc00, 0x8000, 0, 0x3c00, 0x7c00, 0xfe00));
}

TEST(Graphs, TopK) {
  // ONNX, TopK, the first test of its documentation.
  Values numbers(12);
  for (uint32_t i = 0; i < 12; ++i) numbers[i] = f(float(i));
  const Input table = {DataType::F32, {3, 4}, numbers};
  EXPECT_THAT(run({.op = NodeOp::TopK, .type = DataType::F32, .shape = {3, 3}, .axis = 1}, {table}),
              ElementsAreArray(fs({3, 2, 1, 7, 6, 5, 11, 10, 9})));
  EXPECT_THAT(run({.op = NodeOp::ArgTopK, .type = DataType::U32, .shape = {3, 3}, .axis = 1}, {table}),
              ElementsAre(3, 2, 1, 3, 2, 1, 3, 2, 1));
  // Descending with the NaN last, +0 before -0, the first of equals first.
  const Values line = {f(1), f(3), kMinusZero, f(3), kOtherNaN, 0};
  EXPECT_THAT(ordered(NodeOp::TopK, DataType::F32, line, 6),
              ElementsAre(f(3), f(3), f(1), 0, kMinusZero, kOtherNaN));
  EXPECT_THAT(ordered(NodeOp::ArgTopK, DataType::F32, line, 6), ElementsAre(1, 3, 0, 5, 2, 4));
  EXPECT_THAT(ordered(NodeOp::TopK, DataType::I32, {0xffffffff, 5}, 1), ElementsAre(5));
  EXPECT_THAT(ordered(NodeOp::TopK, DataType::U32, {1, 2}, 0), ElementsAre());
}

// Whole graphs, and what is refused.

TEST(Graphs, KeepTensorsUntilTheirLastUse) {
  // s = a + a; t = s * a; u = t + s: of a = 3 it is 6, 18, 24.
  Graph graph;
  const uint32_t a = graph.parameter(DataType::U32, {1}, {3});
  const auto apply = [&](Op op, uint32_t x, uint32_t y) {
    return graph.add(
        {.op = NodeOp::Apply, .type = DataType::U32, .shape = {1}, .operands = {x, y}, .scalar = op});
  };
  const uint32_t s = apply(Op::Add, a, a), t = apply(Op::Mul, s, a);
  apply(Op::Add, t, s);
  EXPECT_THAT(graph.run(), ElementsAre(24));
}

TEST(Graphs, RefuseInputsThatDoNotFit) {
  Graph graph;
  graph.parameter(DataType::U32, {2, 3}, {1, 2, 3, 4, 5});
  const auto short_one = graph.try_run();
  ASSERT_FALSE(short_one);
  EXPECT_EQ(short_one.error().code, DiagCode::X007);
  EXPECT_THAT(short_one.error().message, testing::HasSubstr("u32[2, 3] takes 24"));
  graph.inputs.clear();
  const auto missing = graph.try_run();
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, DiagCode::X009);
}

TEST(Graphs, RefuseWhatTheReferenceHasNoRoomFor) {
  Graph graph;
  graph.add({.op = NodeOp::Index, .type = DataType::U32, .shape = {4096, 4097}});
  const auto out = graph.try_run();
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, DiagCode::X006);
}

TEST(Graphs, GiveUpWhenACallTakesTooManySteps) {
  Graph graph;
  const uint32_t x = graph.parameter(DataType::U32, {1}, {3});
  graph.add({.op = NodeOp::Call,
             .type = DataType::U32,
             .shape = {1},
             .operands = {x},
             .operation = module_of(kOperations).operations()[1]});
  EXPECT_TRUE(graph.try_run({.max_steps = 100}));
  const auto out = graph.try_run({.max_steps = 2});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, DiagCode::B003);
}

}  // namespace
}  // namespace vyre::ref::graphs
