// Programs over every type, three ways: memory of elements of 2, 4, 8 and 16 bytes, tensors, variables,
// subgroups.
#include <gmock/gmock.h>

#include "base/random.h"
#include "oracle.h"
#include "spec/ops.h"
#include "three_ways.h"

VYRE_ORACLE(ReferenceInterpreter,
            "ref/, and where a result says something by itself, bytes worked out by hand");

namespace vyre::lower {
namespace {

using ir::Ex;
using ir::ProgramBuilder;
using spec::DataType;
using spec::Op;

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int v : values) out.push_back(std::byte(v));
  return out;
}
std::vector<std::byte> noise(size_t count, uint64_t seed) {
  std::vector<std::byte> out(count);
  for (size_t n = 0; n < count; ++n) out[n] = std::byte(philox(seed, n)[0]);
  return out;
}
/// Whatever the bytes, a bool's word is 0 or 1 when stored by a program.
bool is_stored_as_it_is(DataType type) { return type != DataType::Bool; }

const std::vector<DataType>& value_types() {
  static const std::vector<DataType> all = [] {
    std::vector<DataType> out;
    for (const spec::TypeInfo& t : spec::kTypes) {
      if (spec::is_value_type(t.type)) out.push_back(t.type);
    }
    return out;
  }();
  return all;
}

// out[i + 1] = in[i] for lengths 0, 1, odd and even, shorter and longer than the dispatch: the first element
// and what is behind the last stored one stay.
TEST(Types, CopiesOfEveryLength) {
  for (const DataType type : value_types()) {
    ProgramBuilder p("copy");
    const auto in = p.read("source", type, 0);
    const auto out = p.read_write("out", type, 1);
    p.workgroup_size(4, 1, 1);
    const Ex i = p.let("i", p.invocation_id(0));
    p.store(out, i + p.u32(1), p.load(in, i));
    const check::Checked program = checked(p.finish());
    const uint32_t size = spec::info(type).bytes;
    for (const uint32_t from : {0u, 1u, 5u, 8u, 9u}) {
      for (const uint32_t to : {0u, 1u, 2u, 7u, 9u, 12u}) {
        SCOPED_TRACE(testing::Message() << spec::text(type) << " " << from << " to " << to);
        const auto source = noise(size_t(from) * size, 3), before = noise(size_t(to) * size, 4);
        const Memories got = expect_same_bytes(program, {source, before}, {.x = 2});
        if (!is_stored_as_it_is(type)) continue;
        auto wanted = before;  // elements 1 to 8 are stored to; what lies behind the source is zero
        for (uint32_t e = 1; e < to && e <= 8; ++e) {
          for (uint32_t b = 0; b < size; ++b)
            wanted[size_t(e) * size + b] = e - 1 < from ? source[size_t(e - 1) * size + b] : std::byte{0};
        }
        EXPECT_EQ(got[1], wanted);
      }
    }
  }
}

TEST(Types, IndicesFarOutOfBounds) {
  for (const DataType type : value_types()) {
    ProgramBuilder p("far");
    const auto in = p.read("source", type, 0);
    const auto out = p.read_write("out", type, 1);
    p.workgroup_size(1, 1, 1);
    uint32_t at = 0;
    for (const uint32_t i :
         {0x10000000u, 0x20000000u, 0x40000000u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 3u}) {
      p.store(out, p.u32(at++), p.load(in, p.u32(i)));
      p.store(out, p.u32(i), p.load(in, p.u32(0)));
    }
    const uint32_t size = spec::info(type).bytes;
    const Memories got = expect_same_bytes(checked(p.finish()), {noise(3 * size, 1), noise(2 * size, 2)});
    EXPECT_EQ(got[1], std::vector<std::byte>(2 * size)) << spec::text(type);
  }
}

// Neighbours in one word, stored by different invocations, and one without a store.
TEST(Types, HalvesOfAWordSurviveTheirNeighbours) {
  for (const DataType type : {DataType::F16, DataType::BF16}) {
    ProgramBuilder p("halves");
    const auto out = p.read_write("out", type, 0);
    p.workgroup_size(5, 1, 1);
    const Ex i = p.let("i", p.invocation_id(0));
    p.if_(p.apply(Op::Ne, {i, p.u32(2)}), [&] { p.store(out, i, p.bitcast(type, p.u32(0x1234a001) + i)); });
    const Memories got = expect_same_bytes(checked(p.finish()), {bytes({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})});
    EXPECT_EQ(got[0], bytes({0x01, 0xa0, 0x02, 0xa0, 5, 6, 0x04, 0xa0, 0x05, 0xa0}));
  }
}

// Workgroup memory of every type, an odd number of elements: zero at first, then what the neighbour left.
TEST(Types, WorkgroupMemory) {
  for (const DataType type : value_types()) {
    ProgramBuilder p("shared");
    const auto in = p.read("source", type, 0);
    const auto out = p.read_write("out", type, 1);
    const auto shared = p.workgroup("scratch", type, 5);
    p.workgroup_size(6, 1, 1);
    const Ex i = p.let("i", p.local_id(0)), base = p.let("base", p.workgroup_id(0) * p.u32(12));
    p.store(out, base + i, p.load(shared, i));
    p.barrier();
    p.store(shared, i, p.load(in, i));
    p.barrier();
    p.store(out, base + i + p.u32(6), p.load(shared, p.u32(5) - i));
    const uint32_t size = spec::info(type).bytes;
    const Memories got =
        expect_same_bytes(checked(p.finish()), {noise(6 * size, 5), noise(24 * size, 6)}, {.x = 2});
    for (const uint32_t group : {0u, 12u}) {  // element 5 of 5 is zero as well
      const auto begin = got[1].begin() + group * size;
      EXPECT_EQ(std::vector(begin, begin + 7 * size), std::vector<std::byte>(7 * size)) << spec::text(type);
    }
  }
}

// Literals, variables assigned in branches and loops, selects.
TEST(Types, VariablesOfEveryType) {
  for (const DataType type : value_types()) {
    ProgramBuilder p("variables");
    const auto in = p.read("source", type, 0);
    const auto out = p.read_write("out", type, 1);
    p.workgroup_size(3, 1, 1);
    const Ex i = p.let("i", p.invocation_id(0));
    const std::array<uint32_t, 4> literal = {0x3c01, 0x80000000, 7, 0xffffffff};
    const bool truth = type == DataType::Bool;
    std::array<uint32_t, 4> cut{};
    for (uint32_t w = 0; w < spec::value_words(type); ++w) cut[w] = truth ? 1 : literal[w];
    const auto literal_of = [&] {
      if (type == DataType::Vec2U32) return p.vec2u32(p.u32(cut[0]), p.u32(cut[1]));
      if (type == DataType::Vec4U32)
        return p.vec4u32(p.u32(cut[0]), p.u32(cut[1]), p.u32(cut[2]), p.u32(cut[3]));
      return p.literal(type, cut);
    };
    const Ex a = p.let("a", literal_of());
    const Ex kept = p.let("kept", a);
    p.store(out, i * p.u32(4), a);
    p.if_(i, [&] { p.assign(a, p.load(in, i)); }, [&] { p.assign(a, p.load(in, p.u32(2))); });
    p.store(out, i * p.u32(4) + p.u32(1), a);
    p.loop("k", p.u32(0), i, [&](Ex k) { p.assign(a, p.select(k, kept, p.load(in, k))); });
    p.store(out, i * p.u32(4) + p.u32(2), a);
    p.store(out, i * p.u32(4) + p.u32(3), p.select(p.apply(Op::Eq, {i, p.u32(1)}), a, kept));
    const uint32_t size = spec::info(type).bytes;
    const Memories got = expect_same_bytes(checked(p.finish()), {noise(3 * size, 8), noise(12 * size, 9)});
    for (uint32_t b = 0; b < size; ++b) EXPECT_EQ(got[1][b], std::byte(cut[b / 4] >> (8 * (b % 4)))) << b;
  }
}

// Words in registers that held wide values before: nothing of those may be left, whatever made the words.
TEST(Types, NarrowValuesAfterWideOnes) {
  ProgramBuilder p("narrow");
  const auto in = p.read("source", DataType::U128, 0);
  const auto out = p.read_write("out", DataType::U32, 1);
  p.workgroup_size(1, 1, 1);
  uint32_t at = 0, names = 0;
  const auto store = [&](auto word) {
    Ex wide = p.load(in, p.u32(0));  // ten at once, all ones
    for (int n = 0; n < 9; ++n) wide = p.load(in, p.u32(1)) | wide;
    p.store(out, p.u32(at++), p.cast(DataType::U32, wide));
    std::vector<Ex> words;  // eight at once, all zero: more than the registers that were narrow since
    for (int n = 0; n < 8; ++n) words.push_back(p.let("w" + std::to_string(names++), word()));
    Ex any = p.boolean(false);
    for (const Ex w : words) any = p.select(p.cast(DataType::Bool, w), p.boolean(true), any);
    p.store(out, p.u32(at++), p.cast(DataType::U32, any));
  };
  store([&] { return p.invocation_id(0); });
  store([&] { return p.local_id(0); });
  store([&] { return p.workgroup_id(0); });
  store([&] { return p.len(in) - p.u32(2); });
  store([&] { return p.u32(0); });
  store([&] { return p.atomic(Op::AtomicAnd, out, p.u32(15), p.u32(0)); });
  p.loop("k", p.u32(0), p.u32(1), [&](Ex k) { store([&] { return k; }); });
  const Buffers got = expect_three_ways(p.finish(), {Words(8, 0xffffffff), Words(16)});
  for (uint32_t n = 0; n < 14; ++n) EXPECT_EQ(got[1][n], n % 2 == 0 ? 0xffffffffu : 0u) << n;
}

// Every coordinate up to two beyond its dimension, each shape; linear indices of coordinates out of bounds
// are often in bounds, and must not count.
void copy_tensor(const std::vector<ir::Dimension>& shape, const std::vector<uint32_t>& strides,
                 const std::vector<uint32_t>& sizes, DataType type, uint32_t elements, ProgramBuilder& p,
                 Words parameters) {
  const auto in = p.read("source", ir::Tensor{type, shape, strides}, 1);
  const auto out = p.read_write("out", ir::Tensor{type, shape, strides}, 2);
  const auto log = p.read_write("log", type, 3);
  p.workgroup_size(sizes[0] + 2, 1, 1);
  std::vector<Ex> at = {p.let("c0", p.invocation_id(0))};
  uint32_t logged = sizes[0] + 2;
  const Ex number = p.let("number", at[0]);
  const auto nest = [&](auto&& self, size_t d) -> void {
    if (d < sizes.size()) {
      logged *= sizes[d] + 2;
      p.loop("c" + std::to_string(d), p.u32(0), p.u32(sizes[d] + 2), [&](Ex c) {
        at.push_back(c);
        self(self, d + 1);
        at.pop_back();
      });
      return;
    }
    const auto access = [&](auto&& act) {
      if (at.size() == 1) act(std::initializer_list<Ex>{at[0]});
      if (at.size() == 2) act(std::initializer_list<Ex>{at[0], at[1]});
      if (at.size() == 3) act(std::initializer_list<Ex>{at[0], at[1], at[2]});
    };
    access([&](std::initializer_list<Ex> i) { p.store(out, i, p.load(in, i)); });
    access([&](std::initializer_list<Ex> i) { p.store(log, number, p.load(in, i)); });
    p.assign(number, number + p.u32(sizes[0] + 2));
  };
  nest(nest, 1);
  const uint32_t size = spec::info(type).bytes;
  Memories input = {to_bytes(parameters), noise(size_t(elements) * size, 1),
                    noise(size_t(elements) * size, 2), std::vector<std::byte>(size_t(logged) * size)};
  const Memories got = expect_same_bytes(checked(p.finish()), input);
  // How many elements changed: those of the shape that noise tells apart.
  uint32_t in_shape = 1;
  for (const uint32_t s : sizes) in_shape *= s;
  uint32_t equal = 0;
  for (uint32_t e = 0; e < elements; ++e) {
    equal +=
        std::equal(&got[2][size_t(e) * size], &got[2][size_t(e) * size] + size, &input[1][size_t(e) * size]);
  }
  if (strides.empty()) EXPECT_EQ(equal, in_shape);
}

TEST(Types, Tensors) {
  for (const DataType type :
       {DataType::U32, DataType::F16, DataType::U128, DataType::Vec2U32, DataType::F32}) {
    SCOPED_TRACE(spec::text(type));
    const auto with = [&](auto shape_of, std::vector<uint32_t> strides, std::vector<uint32_t> sizes,
                          uint32_t elements, Words parameters) {
      ProgramBuilder p("tensors");
      const auto params = p.uniform("params", DataType::U32, 0);
      const std::vector<ir::Dimension> shape = shape_of(params);
      copy_tensor(shape, strides, sizes, type, elements, p, std::move(parameters));
    };
    using Shape = std::vector<ir::Dimension>;
    with([](auto) { return Shape{ir::Dimension(5)}; }, {}, {5}, 7, {0});
    with([](auto) { return Shape{2, 3}; }, {}, {2, 3}, 9, {0});
    with([](auto) { return Shape{2, 3, 2}; }, {}, {2, 3, 2}, 15, {0});
    with([](auto) { return Shape{2, 3}; }, {1, 2}, {2, 3}, 6, {0});   // columns first
    with([](auto) { return Shape{3, 2}; }, {4, 1}, {3, 2}, 10, {0});  // rows with gaps
    with([](auto u) { return Shape{{"n", u, 1}, 3}; }, {}, {2, 3}, 8, {9, 2});
    with([](auto u) { return Shape{2, {"n", u, 0}}; }, {}, {2, 3}, 8, {3});
    with([](auto u) { return Shape{{"m", u, 2}, {"n", u, 0}}; }, {}, {3, 2}, 8, {2, 0, 3});
  }
}

// Each intrinsic, for subgroups of every size; expectations by loops over lanes.
TEST(Types, Subgroups) {
  constexpr uint32_t kLanes = 128;
  ProgramBuilder p("subgroups");
  const auto in = p.read("source", DataType::U32, 0);
  const auto out = p.read_write("out", DataType::U32, 1);
  p.workgroup_size(16, 8, 1);
  const Ex lane = p.let("lane", p.local_id(1) * p.u32(16) + p.local_id(0));
  const Ex x = p.let("x", p.load(in, lane));
  uint32_t column = 0;
  const auto store = [&](Ex value) { p.store(out, p.u32(kLanes * column++) + lane, value); };
  for (const spec::IntrinsicInfo& intrinsic : spec::kIntrinsics) {
    if (intrinsic.output != DataType::U32) continue;
    if (intrinsic.input_count == 0) store(p.call(intrinsic.id, {}));
    if (intrinsic.input_count == 1) store(p.call(intrinsic.id, {x}));
    if (intrinsic.input_count == 2) store(p.call(intrinsic.id, {x, lane * p.u32(5) + p.u32(3)}));
  }
  const Ex ballot = p.let("ballot", p.call("subgroup.ballot", {x & p.u32(1)}));
  store(ballot.x()), store(ballot.y()), store(ballot.z()), store(ballot.w());
  const check::Checked program = checked(p.finish());
  Words source(kLanes);
  for (uint32_t n = 0; n < kLanes; ++n) source[n] = n % 16 == 3 ? 0 : philox(5, n)[0];
  for (const uint32_t size : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u}) {
    SCOPED_TRACE(size);
    const Memories got =
        expect_same_bytes(program, bytes_of({source, Words(size_t(kLanes) * column)}), {}, size);
    ASSERT_EQ(got.size(), 2u);
    const Words words = to_words(got[1]);
    for (uint32_t n = 0; n < kLanes; ++n) {
      const uint32_t base = n - n % size;
      Words wanted;  // in the order of intrinsics.def
      uint32_t any = 0, all = 1, sum = 0, least = ~0u, most = 0, conj = ~0u, disj = 0, parity = 0, up_to = 0,
               below = 0;
      Words bits(4);
      for (uint32_t m = base; m < base + size; ++m) {
        const uint32_t w = source[m];
        any |= w != 0, all &= w != 0, sum += w, conj &= w, disj |= w, parity ^= w;
        least = std::min(least, w), most = std::max(most, w);
        if (m <= n) up_to += w;
        if (m < n) below += w;
        if (w % 2 == 1) bits[(m - base) / 32] |= 1u << ((m - base) % 32);
      }
      const uint32_t from = base + (n * 5 + 3) % size;
      wanted = {size, n - base, source[from], any, all, sum, least, most, conj, disj, parity, up_to, below};
      wanted.insert(wanted.end(), bits.begin(), bits.end());
      ASSERT_EQ(wanted.size(), column);
      for (uint32_t c = 0; c < column; ++c)
        EXPECT_EQ(words[size_t(c) * kLanes + n], wanted[c]) << "column " << c;
    }
  }
}

// What the evaluator refuses before it runs anything.
TEST(Types, SubgroupsThatDoNotFit) {
  ProgramBuilder p("subgroups");
  const auto out = p.read_write("out", DataType::U32, 0);
  p.workgroup_size(12, 1, 1);
  p.store(out, p.u32(0), p.call("subgroup.size", {}));
  const Kernel kernel = build(checked(p.finish()));
  for (const Kernel& form : {kernel, legalize(kernel, kLlvmTarget)}) {
    const auto none = run_kernel(form, Buffers{{0}}, {});
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().code, DiagCode::B002);
    const auto eight = run_kernel(form, Buffers{{0}}, {}, {.subgroup_size = 8});
    ASSERT_FALSE(eight.has_value());
    EXPECT_EQ(eight.error().code, DiagCode::B008);
    const auto four = run_kernel(form, Buffers{{0}}, {}, {.subgroup_size = 4});
    ASSERT_TRUE(four.has_value());
    EXPECT_EQ((*four)[0][0], 4u);
  }
}

}  // namespace
}  // namespace vyre::lower
