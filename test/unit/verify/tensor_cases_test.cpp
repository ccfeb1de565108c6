// Cases of operations on tensors: what a quick run has of types, shapes, views and values, and that products
// and folds that are computed otherwise than they are defined give other bytes in some case of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "backend/registry/registry.h"
#include "check/module.h"
#include "ops/operation.h"
#include "oracle.h"
#include "ref/graph.h"
#include "spec/float_format.h"
#include "tensor/matmul.h"
#include "text/text.h"
#include "verify/tensor_check.h"

VYRE_ORACLE(SpecificationTable,
            "docs/spec/graphs.md: a product as a loop of fmaf() on the host; orders and folds as they are "
            "written; the lists of shapes and types of docs/certificate.md; planted faults");

namespace vyre::verify {
namespace {

using check::NodeOp;
using spec::DataType;

const TensorSubject& subject(std::string_view id, Track track) {
  const auto* found = find_tensor_subject(subject_of(id, 1), track);
  EXPECT_NE(found, nullptr) << id;
  return *found;
}

struct Prepared {
  TensorCase of;
  std::shared_ptr<const check::CheckedModule> module;
  check::SizedGraph graph;

  explicit Prepared(TensorCase c) : of(std::move(c)) {
    module = check::check(of.graph.module, ops::op_table()).value();
    const check::TensorGraph& checked = module->graphs().front();
    graph = check::sized(checked, check::dimensions_of(checked, of.graph.shapes).value()).value();
  }
  /// What the reference leaves of some nodes.
  std::vector<Bytes> values(std::vector<uint32_t> nodes) const {
    check::SizedGraph some = graph;
    some.outputs.clear();
    for (const uint32_t n : nodes) some.outputs.push_back({"n", n});
    return outputs(some);
  }
  std::vector<Bytes> outputs(const check::SizedGraph& other) const {
    const std::vector<std::span<const std::byte>> given(of.graph.inputs.begin(), of.graph.inputs.end());
    return ref::run_graph(*module, other, given).value();
  }
  std::vector<uint32_t> nodes(NodeOp op) const {
    std::vector<uint32_t> out;
    for (uint32_t n = 0; n < graph.nodes.size(); ++n)
      if (graph.nodes[n].op == op) out.push_back(n);
    return out;
  }
};

std::vector<TensorCase> quick_cases(const TensorSubject& of) {
  std::vector<TensorCase> out;
  const uint64_t all = tensor_plan(Strength::Quick).cases(of);
  for (uint64_t k = 0; k < all; ++k) out.push_back(make_tensor_case(of, 1, k));
  return out;
}

TEST(TensorSubjects, AreTheLedgerAndGeneratedGraphs) {
  std::set<std::string> ids;
  for (const TensorSubject& one : tensor_subjects()) ids.insert(one.id);
  std::set<std::string> wanted = {"tensor.elementwise", "tensor.generated"};
  for (const ir::TensorOpInfo& op : ir::kTensorOps)
    if (!op.text.empty()) wanted.insert(fmt::format("tensor.{}", op.text));
  EXPECT_EQ(ids, wanted);
  // All but index, which is of u32, on both tracks.
  EXPECT_EQ(tensor_subjects().size(), 2 * wanted.size() - 1);
  EXPECT_EQ(find_tensor_subject("tensor.index@1", Track::Float), nullptr);
  EXPECT_EQ(tensor_subject_of({"tensor.sort@1", "float", 1, 2, {}}), &subject("tensor.sort", Track::Float));
  EXPECT_EQ(tensor_subject_of({"tensor.sort@1", "approximate", 1, 2, {}}), nullptr);
  EXPECT_EQ(tensor_subject_of({"tensor.sort@1", "random", 1, 2, {}}), nullptr);
}

TEST(TensorCases, FollowFromTheirNumberAndAreValid) {
  for (const TensorSubject& of : tensor_subjects()) {
    std::set<std::string> texts;
    for (const TensorCase& c : quick_cases(of)) {
      const Prepared prepared{c};
      texts.insert(text::print(c.graph.module));
      for (const auto& node : prepared.graph.nodes)
        EXPECT_TRUE(of.track == Track::Float || !spec::kFloats.contains(node.type)) << of.id;
    }
    // Each graph is another one.
    EXPECT_GE(texts.size() + 2, of.graphs) << of.id;
    for (const uint64_t number : {0u, 7u}) {
      const TensorCase a = make_tensor_case(of, 3, number), b = make_tensor_case(of, 3, number);
      EXPECT_TRUE(ir::equal(a.graph.module, b.graph.module)) << of.id;
      EXPECT_EQ(a.graph.inputs, b.graph.inputs) << of.id;
    }
    const std::string digest = tensor_digest(of, 1, 8);
    EXPECT_EQ(digest, tensor_digest(of, 1, 8)) << of.id;
    EXPECT_NE(digest, tensor_digest(of, 2, 8)) << of.id;
  }
}

TEST(TensorCases, OfAQuickRunHaveAllTypesShapesViewsAndWays) {
  using ir::TensorOp;
  struct Seen {
    std::set<DataType> types;
    std::set<uint32_t> sizes;
    std::set<size_t> axes;
    std::set<NodeOp> nodes;
    std::vector<tensor::Options> ways;
    std::set<const void*> tiles;
  };
  std::map<TensorOp, Seen> all;
  for (const TensorSubject& of : tensor_subjects()) {
    if (!of.op) continue;
    Seen& seen = all[*of.op];
    for (const TensorCase& c : quick_cases(of)) {
      const Prepared prepared{c};
      for (const auto& node : prepared.graph.nodes) {
        if (node.op == NodeOp::Parameter) seen.types.insert(node.type);
        seen.sizes.insert(node.shape.begin(), node.shape.end());
        seen.axes.insert(node.shape.size());
        seen.nodes.insert(node.op);
      }
      tensor::Options way = c.options;
      seen.tiles.insert(std::exchange(way.tile, nullptr));
      if (std::ranges::count(seen.ways, way) == 0) seen.ways.push_back(way);
    }
  }
  // Sizes, axes and types of all operations together.
  Seen together;
  for (const auto& [op, seen] : all) {
    EXPECT_GE(seen.ways.size() + 1, tensor_ways().size()) << ir::info(op).text;
    together.types.insert(seen.types.begin(), seen.types.end());
    together.sizes.insert(seen.sizes.begin(), seen.sizes.end());
    together.axes.insert(seen.axes.begin(), seen.axes.end());
    together.nodes.insert(seen.nodes.begin(), seen.nodes.end());
  }
  for (const uint32_t size : {0u, 1u, 2u, 3u, 5u, 7u, 17u, 31u, 33u, 63u, 64u, 65u, 127u, 129u, 257u, 1025u})
    EXPECT_TRUE(together.sizes.contains(size)) << size;
  for (const size_t count : {0u, 1u, 2u, 3u, 4u}) EXPECT_TRUE(together.axes.contains(count)) << count;
  for (const NodeOp view : {NodeOp::Transpose, NodeOp::Slice, NodeOp::Broadcast, NodeOp::Reshape})
    EXPECT_TRUE(together.nodes.contains(view)) << size_t(view);
  for (const DataType type : {DataType::F32, DataType::F16, DataType::BF16, DataType::U32, DataType::I32,
                              DataType::U64, DataType::Bool})
    EXPECT_TRUE(together.types.contains(type)) << spec::text(type);
}

// Products.

float number_of(const Bytes& bytes, DataType type, size_t at) {
  if (type == DataType::F32) {
    float out = 0;
    std::memcpy(&out, bytes.data() + at * 4, 4);
    return out;
  }
  uint16_t bits = 0;
  std::memcpy(&bits, bytes.data() + at * 2, 2);
  if (type == DataType::BF16) return std::bit_cast<float>(uint32_t(bits) << 16);
  return float(std::bit_cast<_Float16>(bits));
}

/// Whether the operands of a product are of types that the host has.
bool is_plain(const Prepared& of, uint32_t product) {
  const DataType type = of.graph.nodes[of.graph.nodes[product].operands[0]].type;
  return type == DataType::F32 || type == DataType::F16 || type == DataType::BF16;
}

/// What an implementation may do otherwise.
enum class ProductFault : uint8_t {
  Nothing,
  Unfused,          // a product is rounded before it is added
  SplitInHalves,    // two chains over k
  SplitIn32,        // blocks that were not asked for
  HalfSum,          // the sum is kept in 16 bits
  Tf32,             // operands lose 13 bits
  EdgeOfK,          // the last value of k behind a multiple of 16 is left out
  EdgeOfColumns,    // of the columns behind a multiple of 32 the last is that before it
  PaddedTerm,       // one term of zeros too many, next to the last row of b
  FromTheProduct,   // the chain starts with a product, not with +0
  Descending,       // from the last k to the first
  FlushedOperands,  // subnormals are zeros
  StaleStride,      // rows of b are one element further apart
  ChainOfBlocks,    // sums of blocks are added one after the other, not by a tree
  BlocksOfHalf,     // blocks of half the size
};
constexpr ProductFault kProductFaults[] = {ProductFault::Unfused,
                                           ProductFault::SplitInHalves,
                                           ProductFault::SplitIn32,
                                           ProductFault::HalfSum,
                                           ProductFault::Tf32,
                                           ProductFault::EdgeOfK,
                                           ProductFault::EdgeOfColumns,
                                           ProductFault::PaddedTerm,
                                           ProductFault::FromTheProduct,
                                           ProductFault::Descending,
                                           ProductFault::FlushedOperands,
                                           ProductFault::StaleStride,
                                           ProductFault::ChainOfBlocks,
                                           ProductFault::BlocksOfHalf};

float tree(const std::vector<float>& values, size_t begin, size_t end) {
  if (end - begin == 1) return values[begin];
  size_t left = 1;  // the greatest power of two below the count
  while (left * 2 < end - begin) left *= 2;
  return tree(values, begin, begin + left) + tree(values, begin + left, end);
}

/// One element, of operands as functions of k.
float product(uint32_t k, uint32_t block, ProductFault wrong, const auto& a, const auto& b) {
  const auto operand = [&](float x) {
    if (wrong == ProductFault::Tf32) return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xffffe000u);
    if (wrong == ProductFault::FlushedOperands && std::fpclassify(x) == FP_SUBNORMAL)
      return std::copysign(0.0f, x);
    return x;
  };
  if (wrong == ProductFault::EdgeOfK && k > 16 && k % 16 != 0) --k;
  uint32_t of = std::min(block, std::max(k, 1u));
  if (wrong == ProductFault::SplitInHalves && k > 1) of = (k + 1) / 2;
  if (wrong == ProductFault::SplitIn32) of = std::min(of, 32u);
  if (wrong == ProductFault::BlocksOfHalf && block != ir::kWholeBlock && of > 1) of /= 2;
  std::vector<float> sums;
  for (uint32_t from = 0; from < k; from += of) {
    const uint32_t to = std::min(k, from + of);
    float sum = 0;
    for (uint32_t i = from; i < to; ++i) {
      const uint32_t at = wrong == ProductFault::Descending ? from + to - 1 - i : i;
      const float x = operand(a(at)), y = operand(b(at));
      if (wrong == ProductFault::FromTheProduct && i == from) {
        sum = x * y;
      } else if (wrong == ProductFault::Unfused) {
        const volatile float rounded = x * y;
        sum = sum + rounded;
      } else {
        sum = std::fma(x, y, sum);
      }
      if (wrong == ProductFault::HalfSum) sum = float(_Float16(sum));
    }
    if (wrong == ProductFault::PaddedTerm && to == k) sum = std::fma(0.0f, operand(b(k - 1)), sum);
    sums.push_back(sum);
  }
  if (sums.empty()) return 0;
  if (wrong != ProductFault::ChainOfBlocks) return tree(sums, 0, sums.size());
  float sum = sums.front();
  for (size_t i = 1; i < sums.size(); ++i) sum += sums[i];
  return sum;
}

/// All of it, as bits; NaNs are the canonical one.
std::vector<uint32_t> products(const Prepared& of, uint32_t n, ProductFault wrong) {
  const check::SizedNode& node = of.graph.nodes[n];
  const auto& left = of.graph.nodes[node.operands[0]];
  const auto& right = of.graph.nodes[node.operands[1]];
  const std::vector<Bytes> operands = of.values(node.operands);
  const size_t axes = node.shape.size();
  const uint32_t m = node.shape[axes - 2], columns = node.shape[axes - 1], k = left.shape[axes - 1];
  const uint32_t batches = check::elements(std::span(node.shape).first(axes - 2));
  std::vector<uint32_t> out;
  for (uint32_t batch = 0; batch < batches; ++batch) {
    for (uint32_t i = 0; i < m; ++i) {
      for (uint32_t j = 0; j < columns; ++j) {
        const uint32_t last =
            wrong == ProductFault::EdgeOfColumns && j + 1 == columns && columns % 32 == 1 && j > 0;
        const auto a = [&](uint32_t at) {
          return number_of(operands[0], left.type, (size_t(batch) * m + i) * k + at);
        };
        const auto b = [&](uint32_t at) {
          size_t place = (size_t(batch) * k + at) * columns + j - last;
          if (wrong == ProductFault::StaleStride)
            place = std::min(place + at, size_t(batches) * k * columns - 1);
          return number_of(operands[1], right.type, place);
        };
        const float value = product(k, node.block, wrong, a, b);
        out.push_back(std::isnan(value) ? spec::float_format(DataType::F32).nan()
                                        : std::bit_cast<uint32_t>(value));
      }
    }
  }
  return out;
}

TEST(TensorCases, OfProductsTellEachWrongWayFromTheRightOne) {
  std::map<ProductFault, int> caught;
  int judged = 0;
  for (const TensorCase& c : quick_cases(subject("tensor.matmul", Track::Float))) {
    const Prepared of{c};
    for (const uint32_t n : of.nodes(NodeOp::Matmul)) {
      if (of.graph.nodes[n].type != DataType::F32 || !is_plain(of, n)) continue;
      const Bytes expected = of.values({n}).front();
      std::vector<uint32_t> bits(expected.size() / 4);
      if (!bits.empty()) std::memcpy(bits.data(), expected.data(), expected.size());
      ASSERT_EQ(products(of, n, ProductFault::Nothing), bits) << c.what;
      ++judged;
      for (const ProductFault wrong : kProductFaults) caught[wrong] += products(of, n, wrong) != bits;
    }
  }
  EXPECT_GE(judged, 16);
  for (const ProductFault wrong : kProductFaults) EXPECT_GE(caught[wrong], 1) << size_t(wrong);
}

TEST(TensorCases, OfProductsHaveInfinitiesAndNansAtEveryK) {
  // Of the shapes with more rows than k, by the number of k.
  std::map<uint32_t, std::set<uint32_t>> infinite, nans;
  for (const TensorCase& c : quick_cases(subject("tensor.matmul", Track::Float))) {
    const Prepared of{c};
    for (const uint32_t n : of.nodes(NodeOp::Matmul)) {
      if (!is_plain(of, n)) continue;
      const auto& left = of.graph.nodes[of.graph.nodes[n].operands[0]];
      const Bytes a = of.values({of.graph.nodes[n].operands[0]}).front();
      const uint32_t k = left.shape.back();
      for (uint32_t at = 0; at < check::elements(left.shape); ++at) {
        const float x = number_of(a, left.type, at);
        if (std::isinf(x)) infinite[k].insert(at % k);
        if (std::isnan(x)) nans[k].insert(at % k);
      }
    }
  }
  const auto whole = [](const auto& places) {
    return std::ranges::count_if(places,
                                 [](const auto& of) { return of.first > 2 && of.second.size() == of.first; });
  };
  EXPECT_GE(whole(infinite), 1);
  EXPECT_GE(whole(nans), 1);
}

/// How many quick cases of a subject show that nodes of an operation are others.
int shown_by(const TensorSubject& of, const std::function<bool(check::SizedNode&)>& change) {
  int shown = 0;
  for (const TensorCase& c : quick_cases(of)) {
    const Prepared prepared{c};
    check::SizedGraph other = prepared.graph;
    bool changed = false;
    for (check::SizedNode& node : other.nodes) changed |= change(node);
    if (changed) shown += prepared.outputs(other) != prepared.outputs(prepared.graph);
  }
  return shown;
}

TEST(TensorCases, OfFoldsTellOrdersAndOperatorsApart) {
  for (const std::string_view id : {"tensor.reduce", "tensor.scan"}) {
    const TensorSubject& floats = subject(id, Track::Float);
    const NodeOp op = id == "tensor.reduce" ? NodeOp::Reduce : NodeOp::Scan;
    const auto of = [&](ir::Order from, ir::Order to) {
      return shown_by(floats, [&](check::SizedNode& node) {
        if (node.op != op || node.order != from) return false;
        node.order = to;
        return true;
      });
    };
    EXPECT_GE(of(ir::Order::Tree, ir::Order::Strict), 2) << id;
    EXPECT_GE(of(ir::Order::Strict, ir::Order::Tree), 2) << id;
    const auto instead = [&](Track track, spec::Op from, spec::Op to) {
      return shown_by(subject(id, track), [&](check::SizedNode& node) {
        if (node.op != op || node.scalar != from) return false;
        node.scalar = to;
        return true;
      });
    };
    EXPECT_GE(instead(Track::Float, spec::Op::FMin, spec::Op::FMax), 2);
    EXPECT_GE(instead(Track::Integer, spec::Op::BitAnd, spec::Op::BitOr), 1);
    EXPECT_GE(instead(Track::Integer, spec::Op::BitXor, spec::Op::Add), 1);
    EXPECT_GE(instead(Track::Integer, spec::Op::AtomicMin, spec::Op::AtomicMax), 1);
  }
}

TEST(TensorCases, OfViewsTellWrongStridesApart) {
  for (const Track track : {Track::Integer, Track::Float}) {
    EXPECT_GE(shown_by(subject("tensor.transpose", track),
                       [](check::SizedNode& node) {
                         if (node.op != NodeOp::Transpose || node.shape.size() < 2) return false;
                         std::ranges::rotate(node.axes, node.axes.begin() + 1);
                         return true;
                       }),
              0);
    EXPECT_GE(shown_by(subject("tensor.slice", track),
                       [](check::SizedNode& node) {
                         if (node.op != NodeOp::Slice || node.shape.empty() || node.sizes[2] == 1)
                           return false;
                         node.sizes[2] = 1;  // the step of the first axis
                         return true;
                       }),
              2);
    EXPECT_GE(shown_by(subject("tensor.pad", track),
                       [](check::SizedNode& node) {
                         if (node.op != NodeOp::Pad || node.shape.empty() || node.sizes[0] == 0) return false;
                         node.sizes[1] += node.sizes[0];
                         node.sizes[0] = 0;
                         return true;
                       }),
              2);
  }
}

// What every device allows.

/// The invocations of a workgroup, and the buffers that a program binds.
struct Asked {
  uint64_t invocations = 1, buffers = 0;
  explicit Asked(const ir::Program& program) {
    for (const uint32_t size : program.workgroup_size) invocations *= size;
    for (const ir::BufferDecl& buffer : program.buffers) buffers += spec::is_bound(buffer.access) ? 1 : 0;
  }
};

TEST(TensorCases, AreLoweredToProgramsThatEveryDeviceTakes) {
  // WebGPU's limits where a device has none of its own, which are the least of all backends.
  constexpr uint64_t kInvocations = 256, kBuffers = 8;
  uint64_t most = 0;
  size_t programs = 0;
  for (const TensorSubject& of : tensor_subjects()) {
    for (uint64_t k = 0; k < tensor_plan(Strength::Quick).cases(of); k += of.inputs) {
      const Prepared prepared{make_tensor_case(of, 1, k)};
      std::vector<tensor::Options> all;
      for (const tensor::Device device : {tensor::Device::Gpu, tensor::Device::Cpu}) {
        for (const tensor::PlanOptions& plan : std::initializer_list<tensor::PlanOptions>{
                 {}, {.fuse = false}, {.share = false}, {.always = true}, {.rows = false}})
          all.push_back({.plan = plan, .device = device});
        if (prepared.nodes(NodeOp::Matmul).empty()) continue;
        for (const tensor::MatmulTile& tile : tensor::matmul_tiles())
          all.push_back({.plan = {}, .device = device, .tile = &tile});
      }
      for (const tensor::Options& options : all) {
        const ir::Module module =
            tensor::lower(prepared.graph, prepared.module->module().operations, options);
        for (const ir::Program& program : module.programs) {
          const Asked asked(program);
          const bool within = asked.invocations <= kInvocations && asked.buffers <= kBuffers;
          EXPECT_TRUE(within) << of.id << ", case " << k << ", " << tensor::key_of(options) << ": "
                              << program.name << " has " << asked.invocations << " invocations, "
                              << asked.buffers << " buffers";
          most = std::max(most, asked.invocations);
          ++programs;
        }
      }
    }
  }
  // Kernels go as far as that.
  EXPECT_EQ(most, kInvocations);
  EXPECT_GT(programs, 3000u);
}

// The judge.

TEST(TensorJudge, WhatCannotBeCheckedIsAFault) {
  const auto reference = backend::open("reference", {}).value();
  const Lowering nothing = [](const auto& graph, auto operations, const auto& options) {
    ir::Module out = tensor::lower(graph, operations, options);
    out.pipelines[0].commands.clear();
    return out;
  };
  TensorJudge judge(*reference, nothing);
  const auto found = judge.judge(make_tensor_case(subject("tensor.transpose", Track::Float), 1, 0));
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->has_value());
}

}  // namespace
}  // namespace vyre::verify
