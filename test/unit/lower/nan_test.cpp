// One NaN: where legalization makes a raw NaN canonical, and where it does not have to.
#include <gmock/gmock.h>

#include "float_cases.h"
#include "oracle.h"
#include "spec/ops.h"

VYRE_ORACLE(ReferenceInterpreter,
            "by hand, counting the selects; the semantic kernel for what comes out, with an adversary that "
            "gives a different NaN each time");

namespace vyre::lower {
namespace {

using ir::Ex;
using ir::ProgramBuilder;
using spec::DataType;
using spec::Op;

/// Selects of the canonical NaN in a block and those nested in it: what nan.cpp writes, and nothing else does
/// in a kernel that has no composition in it.
uint32_t canonicalisations(const Kernel& legal, KBlock block, DataType type) {
  uint32_t count = 0;
  for (const Value v : legal.block(block)) {
    const Inst& inst = legal[v];
    count += nan_of_select(legal, inst, {spec::float_format(type).nan()}) ? 1 : 0;
    if (inst.body != kNoKBlock) count += canonicalisations(legal, inst.body, type);
    if (inst.orelse != kNoKBlock) count += canonicalisations(legal, inst.orelse, type);
  }
  return count;
}

const Target kIeee{.name = "ieee", .floats = kIeeeFloats};

/// NaNs of every kind and some numbers, so that most results are NaN.
Words payloads(uint32_t seed) {
  constexpr std::array<uint32_t, 9> kValues = {0x7fc00000, 0xffc00000, 0x7f800001, 0xff923456, 0x7fffffff,
                                               0x3f800000, 0x7f800000, 0xff800000, 0x80000001};
  Words out(16);
  for (uint32_t n = 0; n < out.size(); ++n) out[n] = kValues[philox(seed, n)[0] % kValues.size()];
  return out;
}

struct Body {
  ProgramBuilder p{"nan"};
  ir::BufferRef a = p.read("a", DataType::F32, 0), b = p.read("b", DataType::F32, 1);
  ir::BufferRef flags = p.read("flags", DataType::U32, 2), out = p.read_write("out", DataType::F32, 3);
  Ex i = p.let("i", p.invocation_id(0));
  Ex x() { return p.load(a, i); }
  Ex y() { return p.load(b, i); }
  Ex flag() { return p.load(flags, i); }
  Ex f(Op op, Ex l, Ex r) { return p.apply(op, {l, r}); }
  Ex neg(Ex v) { return p.apply(Op::FNeg, {v}); }
  void store(Ex v) { p.store(out, i, v); }
};

/// The program means the same in its legal form, and that has `wanted` canonicalisations.
void expect_canonicalised(const std::function<void(Body&)>& write, uint32_t wanted) {
  Body body;
  body.p.workgroup_size(16, 1, 1);
  write(body);
  const check::Checked program = checked(body.p.finish());
  const Kernel kernel = build(program), legal = legalize(kernel, kIeee);
  EXPECT_EQ(canonicalisations(legal, legal.entry, DataType::F32), wanted) << print(legal);
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Words flags(16);
    for (uint32_t n = 0; n < 16; ++n) flags[n] = philox(seed, n, 3)[0] % 3;
    const Buffers input = {payloads(seed), payloads(seed + 100), flags, Words(16)};
    const auto reference = run_reference(program, input, {});
    const auto semantic = run_kernel(kernel, input, {});
    const auto got = run_kernel(legal, input, {}, {.seed = seed});
    ASSERT_TRUE(reference && semantic && got);
    EXPECT_EQ(*semantic, *reference);
    EXPECT_EQ(*got, *reference) << print(legal);
  }
}

TEST(Nan, CopiesKeepEveryBit) {
  expect_canonicalised([](Body& t) { t.store(t.x()); }, 0);
  expect_canonicalised([](Body& t) { t.store(t.p.select(t.flag(), t.x(), t.y())); }, 0);
  expect_canonicalised([](Body& t) { t.store(t.neg(t.p.apply(Op::FAbs, {t.x()}))); }, 0);
  expect_canonicalised(
      [](Body& t) { t.store(t.p.bitcast(DataType::F32, t.p.bitcast(DataType::U32, t.x()))); }, 0);
  expect_canonicalised([](Body& t) { t.store(t.p.f32_bits(0xffabcdef)); }, 0);
}

TEST(Nan, AChainOfArithmeticPaysOnceAtItsEnd) {
  expect_canonicalised(
      [](Body& t) {
        const Ex p = t.p.let("p", t.f(Op::FMul, t.x(), t.y()));
        const Ex q = t.p.let("q", t.f(Op::FSub, t.f(Op::FAdd, p, t.x()), t.f(Op::FDiv, p, t.y())));
        const Ex r = t.p.apply(Op::FMulAdd, {q, t.p.apply(Op::FSqrt, {p}), t.p.apply(Op::FFloor, {q})});
        t.store(t.f(Op::FMin, r, t.f(Op::FMax, q, p)));
      },
      1);
}

TEST(Nan, TheLesserOfANumberIsNone) {
  expect_canonicalised([](Body& t) { t.store(t.f(Op::FMin, t.f(Op::FMul, t.x(), t.y()), t.p.f32(100))); }, 0);
  expect_canonicalised([](Body& t) { t.store(t.f(Op::FMax, t.p.f32(0), t.f(Op::FMul, t.x(), t.y()))); }, 0);
  expect_canonicalised(
      [](Body& t) { t.store(t.f(Op::FMax, t.p.f32_bits(0x7fc00001), t.f(Op::FMul, t.x(), t.y()))); }, 1);
}

TEST(Nan, TestsAndComparisonsTakeAnyNan) {
  expect_canonicalised(
      [](Body& t) {
        const Ex p = t.p.let("p", t.f(Op::FMul, t.x(), t.y()));
        const Ex truth = t.p.apply(Op::FIsNaN, {p}) + t.f(Op::FLe, p, t.x()) + t.p.apply(Op::FIsInf, {p}) +
                         t.p.cast(DataType::U32, p, spec::RoundingMode::Nearest);
        t.store(t.p.bitcast(DataType::F32, truth));
      },
      0);
}

TEST(Nan, AnAccumulatorCostsNothingInItsLoop) {
  expect_canonicalised(
      [](Body& t) {
        const Ex sum = t.p.let("sum", t.p.f32(0));
        t.p.loop("k", t.p.u32(0), t.p.u32(5),
                 [&](Ex k) { t.p.assign(sum, t.p.apply(Op::FMulAdd, {t.p.load(t.a, k), t.y(), sum})); });
        t.store(sum);
      },
      1);
}

// What a kernel keeps in memory of its own is a variable: a sum there is made canonical where it leaves.
TEST(Nan, ArraysOfTheKernelsOwn) {
  const auto write = [](bool kept, bool seen) {
    return [kept, seen](Body& t) {
      const auto sums = t.p.private_("sums", DataType::F32, 4);
      const Ex at = t.p.let("at", t.i & 3);
      t.p.store(sums, at, kept ? t.x() : t.f(Op::FAdd, t.x(), t.y()));
      t.p.store(sums, at, t.f(Op::FMul, t.p.load(sums, at), t.y()));
      t.store(seen ? t.p.load(sums, at) : t.f(Op::FSub, t.p.load(sums, at), t.y()));
    };
  };
  expect_canonicalised(write(false, false), 1);
  expect_canonicalised(write(false, true), 1);  // at the store to out
  expect_canonicalised(write(true, false), 1);
  expect_canonicalised(write(true, true), 1);  // of the product, which joins bits that must stay
}

// The variable begins with bits that must stay, and after the loop nothing distinguishes them: once in the
// loop.
TEST(Nan, AVariableThatBeginsInMemory) {
  const auto write = [](bool seen) {
    return [seen](Body& t) {
      const Ex sum = t.p.let("sum", t.x());
      t.p.loop("k", t.p.u32(0), t.flag(),
               [&](Ex k) { t.p.assign(sum, t.f(Op::FAdd, sum, t.p.load(t.b, k))); });
      t.store(seen ? sum : t.f(Op::FMul, sum, t.y()));
    };
  };
  expect_canonicalised(write(true), 1);
  expect_canonicalised(write(false), 1);  // at the store, not in the loop
}

// The canonical value of that loop is for what follows it: its own sum does not wait for a select.
TEST(Nan, ArithmeticReadsAVariableAsItWasAssigned) {
  Body t;
  t.p.workgroup_size(16, 1, 1);
  const Ex sum = t.p.let("sum", t.x());
  t.p.loop("k", t.p.u32(0), t.flag(), [&](Ex k) { t.p.assign(sum, t.f(Op::FAdd, sum, t.p.load(t.b, k))); });
  t.store(sum);
  const Kernel legal = legalize(build(checked(t.p.finish())), kIeee);
  std::vector<uint32_t> given_canonical(legal.slots.size(), 0);
  for (const Inst& inst : legal.insts) {
    if (inst.kind != InstKind::Set) continue;
    const Inst& value = legal[legal.arg(inst, 0)];
    if (value.kind == InstKind::Raw && value.raw == RawOp::Select) ++given_canonical[inst.target];
  }
  uint32_t sums = 0;
  for (const Inst& inst : legal.insts) {
    if (inst.kind != InstKind::Raw || inst.raw != RawOp::FAdd) continue;
    const Inst& before = legal[legal.arg(inst, 0)];
    ASSERT_EQ(before.kind, InstKind::Get) << print(legal);
    EXPECT_EQ(given_canonical[before.target], 0u) << print(legal);
    ++sums;
  }
  EXPECT_EQ(sums, 1u);
  EXPECT_EQ(std::ranges::count_if(given_canonical, [](uint32_t n) { return n != 0; }), 1) << print(legal);
}

// What is seen after the loop was given its sign a round before, further down in the text.
TEST(Nan, SeenARoundLater) {
  expect_canonicalised(
      [](Body& t) {
        const Ex now = t.p.let("now", t.p.f32(1)), next = t.p.let("next", t.p.f32(2));
        t.p.loop("k", t.p.u32(0), t.flag() + 1, [&](Ex k) {
          t.p.assign(now, next);
          t.p.assign(next, t.neg(t.f(Op::FAdd, t.x(), t.p.load(t.b, k))));
        });
        t.store(now);
      },
      1);
}

TEST(Nan, MergesOfResultsAndKeptBits) {
  // One arm is arithmetic, the other memory.
  expect_canonicalised([](Body& t) { t.store(t.p.select(t.flag(), t.f(Op::FAdd, t.x(), t.y()), t.y())); }, 1);
  // Both are arithmetic: after the select. Or a literal, which is no other NaN.
  expect_canonicalised(
      [](Body& t) {
        t.store(t.p.select(t.flag(), t.f(Op::FAdd, t.x(), t.y()), t.f(Op::FSub, t.x(), t.y())));
      },
      1);
  expect_canonicalised(
      [](Body& t) { t.store(t.p.select(t.flag(), t.f(Op::FAdd, t.x(), t.y()), t.p.f32(1))); }, 1);
  // No result shows which.
  expect_canonicalised(
      [](Body& t) {
        const Ex merged = t.p.select(t.flag(), t.f(Op::FAdd, t.x(), t.y()), t.y());
        t.store(t.f(Op::FMul, merged, t.x()));
      },
      1);
  // A literal with a payload is kept bits.
  expect_canonicalised(
      [](Body& t) { t.store(t.p.select(t.flag(), t.f(Op::FAdd, t.x(), t.y()), t.p.f32_bits(0x7fc00001))); },
      1);
}

TEST(Nan, ASignIsChangedOfTheCanonicalOne) {
  expect_canonicalised([](Body& t) { t.store(t.neg(t.f(Op::FAdd, t.x(), t.y()))); }, 1);
  expect_canonicalised([](Body& t) { t.store(t.p.apply(Op::FAbs, {t.f(Op::FAdd, t.x(), t.y())})); }, 1);
  // -(x + y) * x: the sign is changed of whatever NaN it is.
  expect_canonicalised([](Body& t) { t.store(t.f(Op::FMul, t.neg(t.f(Op::FAdd, t.x(), t.y())), t.x())); }, 1);
  expect_canonicalised(
      [](Body& t) {
        t.store(t.p.select(t.flag(), t.neg(t.f(Op::FAdd, t.x(), t.y())), t.f(Op::FMul, t.x(), t.y())));
      },
      2);
}

TEST(Nan, EveryPlaceWhereBitsAreSeen) {
  expect_canonicalised(
      [](Body& t) {
        const Ex sum = t.p.let("sum", t.f(Op::FAdd, t.x(), t.y()));
        t.store(
            t.p.bitcast(DataType::F32, t.p.bitcast(DataType::U32, sum) ^ t.p.bitcast(DataType::U32, sum)));
        t.store(sum);
      },
      3);
}

// A minimum of NaNs, and of a value with itself, is arithmetic: the payload does not pass.
TEST(Nan, MinimumOfOneValueTwice) {
  expect_canonicalised(
      [](Body& t) {
        const Ex x = t.p.let("x", t.x());
        t.store(t.f(Op::FMin, x, x));
      },
      1);
  expect_canonicalised([](Body& t) { t.store(t.f(Op::FMax, t.x(), t.y())); }, 1);
}

// Compositions give the canonical one by themselves, and BF16 its rounding.
TEST(Nan, ComposedResultsNeedNothing) {
  for (const DataType type : {DataType::F32, DataType::BF16}) {
    KernelWriter w("sum", 1);
    const uint32_t in = w.buffer("in", spec::BufferAccess::Read, type);
    const uint32_t out = w.buffer("out", spec::BufferAccess::ReadWrite, type);
    const Value i = w.id(), x = w.load(in, i);
    w.store(out, i, w.apply(Op::FAdd, type, {x, x}));
    const FloatPromises& floats = type == DataType::F32 ? kNoFloats : kIeeeFloats;
    const Kernel stored = legalize(w.kernel, {.name = "target", .floats = floats});
    const Value sum = w.apply(Op::FAdd, type, {x, x});  // of which nothing is seen
    static_cast<void>(sum);
    const Kernel twice = legalize(w.kernel, {.name = "target", .floats = floats});
    EXPECT_EQ(2 * canonicalisations(stored, stored.entry, type), canonicalisations(twice, twice.entry, type))
        << "each sum has its own select, and the store none";
  }
}

// --- Programs at random, in which most values are NaN

class RandomFloats {
 public:
  explicit RandomFloats(uint64_t number) : random_(number, 23), p_("floats" + std::to_string(number)) {}

  ir::Program make() {
    type_ = std::array{DataType::F32, DataType::F32, DataType::F16, DataType::BF16}[random_.below(4)];
    in_ = p_.read("data", type_, 0);
    out_ = p_.read_write("out", type_, 1);
    own_ = p_.private_("own", type_, 4);
    p_.workgroup_size(8, 1, 1);
    id_.push_back(p_.let("i", p_.invocation_id(0)));
    for (uint32_t n = 0; n < 3; ++n) declare();
    statements(6, 0);
    for (uint32_t n = 0; n < 4 && n < scope_.size(); ++n) store(scope_[scope_.size() - 1 - n]);
    return p_.finish();
  }
  Memories input() {
    const auto f = spec::float_format(type_);
    const std::vector<uint32_t> edges = float_edges(f);
    Words words(16);
    for (uint32_t& w : words) {
      w = random_.chance(2) ? f.infinity() | (random_.next() & (f.sign_bit() | f.fraction_mask()))
                            : edges[random_.below(uint32_t(edges.size()))];
    }
    return {elements_of(type_, words), elements_of(type_, Words(64))};
  }

 private:
  Ex any() { return scope_[random_.below(uint32_t(scope_.size()))]; }
  std::string name() { return "v" + std::to_string(names_++); }
  Ex condition() {
    return random_.chance(2) ? p_.apply(Op::FLt, {any(), any()}) : id_[0] & (1u << random_.below(3));
  }

  Ex value() {
    switch (random_.below(13)) {
      case 12: return p_.load(own_, p_.u32(random_.below(5)));
      case 0:
      case 1: return p_.load(in_, (id_[0] + random_.below(16)) & 15);
      case 2: return p_.apply(Op::FNeg, {any()});
      case 3: return p_.apply(Op::FAbs, {any()});
      case 4:
      case 5: return p_.select(condition(), any(), any());
      case 6: return p_.bitcast(type_, p_.bitcast(DataType::U32, any()) ^ 1);
      case 7: return p_.apply(random_.chance(2) ? Op::FMin : Op::FMax, {any(), any()});
      case 8: return p_.cast(type_, p_.cast(random_.chance(2) ? DataType::F32 : DataType::BF16, any()));
      default: break;
    }
    constexpr std::array kTwo = {Op::FAdd, Op::FSub, Op::FMul, Op::FDiv};
    if (random_.chance(5)) return p_.apply(Op::FMulAdd, {any(), any(), any()});
    if (random_.chance(5)) return p_.apply(random_.chance(2) ? Op::FTrunc : Op::FSqrt, {any()});
    return p_.apply(kTwo[random_.below(4)], {any(), any()});
  }
  void declare() {
    if (scope_.empty()) scope_.push_back(p_.let(name(), p_.load(in_, id_[0])));
    scope_.push_back(p_.let(name(), value()));
  }
  void store(Ex v) {
    if (random_.chance(3)) p_.store(own_, p_.u32(random_.below(5)), v);
    p_.store(out_, id_[0] * 4 + random_.below(4), v);
  }

  void statements(uint32_t count, uint32_t nesting) {
    for (uint32_t n = 0; n < count; ++n) {
      const uint32_t kind = random_.below(nesting < 2 ? 8 : 5);
      if (kind <= 1) {
        declare();
      } else if (kind <= 3) {
        p_.assign(any(), value());
      } else if (kind == 4) {
        store(any());
      } else {
        const size_t visible = scope_.size();
        const auto body = [&] {
          statements(3, nesting + 1);
          scope_.erase(scope_.begin() + ptrdiff_t(visible), scope_.end());
        };
        if (kind == 5) {
          p_.loop(name(), p_.u32(0), p_.u32(1 + random_.below(3)), [&](Ex) { body(); });
        } else {
          p_.if_(condition(), body, body);
        }
      }
    }
  }

  RandomStream random_;
  ProgramBuilder p_;
  DataType type_{};
  ir::BufferRef in_{}, out_{}, own_{};
  std::vector<Ex> id_, scope_;
  uint32_t names_ = 0;
};

TEST(Nan, ProgramsAtRandom) {
  for (uint64_t number = 0; number < 400; ++number) {
    RandomFloats random(number);
    const check::Checked program = checked(random.make());
    const Memories input = random.input();
    const auto reference = reference_bytes(program, input, {});
    ASSERT_TRUE(reference.has_value());
    const Kernel kernel = build(program);
    const auto semantic = run_bytes(kernel, input, {});
    ASSERT_TRUE(semantic && *semantic == *reference) << "program " << number << "\n" << print(kernel);
    for (const Target& target : float_targets()) {
      const Kernel legal = legalize(kernel, target);
      for (uint64_t seed = 0; seed < 4; ++seed) {
        const auto got = run_bytes(legal, input, {}, {.seed = seed});
        ASSERT_TRUE(got.has_value()) << render(got.error(), nullptr);
        ASSERT_TRUE(*got == *reference) << "program " << number << ", " << target.name << "\n"
                                        << print(kernel);
      }
    }
  }
}

}  // namespace
}  // namespace vyre::lower
