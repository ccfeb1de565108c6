// Lines of float operators in formats of 6 to 12 bits: over all operands and under all choices that a promise
// leaves open, what is not computed again is right. With a test taken out, or a threshold one exponent lower,
// something is wrong. At 32 bits programs are run against the adversarial evaluator.
#include "lower/speculation.h"

#include <fmt/format.h>

#include "float_cases.h"
#include "oracle.h"
#include "small_formats.h"
#include "text/text.h"

VYRE_ORACLE(
    CpuReference,
    "num/, applied to one operator after the other; what a promise allows is worked out in small_formats.h, "
    "from the text of the Vulkan specification");

namespace vyre::lower {
namespace {

using small::FloatFormat;
using small::Op;
using small::Words;
using spec::DataType;

/// A program of three floats that stores one, by hand.
class LineWriter {
 public:
  LineWriter() {
    k_.entry = block_ = k_.add_block();
    k_.buffers.resize(small::kFirstArray);
    k_.buffers.push_back({.access = spec::BufferAccess::Workgroup, .element = DataType::F32, .count = 2});
  }
  Value operand(uint32_t n) {
    return add({.kind = InstKind::Load, .type = DataType::F32, .target = n}, {number(0)});
  }
  Value number(Word bits) { return add({.kind = InstKind::Const, .type = DataType::F32, .imm = bits}, {}); }
  Value apply(Op op, std::initializer_list<Value> x) {
    return add({.kind = InstKind::Apply, .op = op, .type = DataType::F32, .operand_type = DataType::F32}, x);
  }
  Value loaded(Word at) {
    return add({.kind = InstKind::Load, .type = DataType::F32, .target = small::kFirstArray}, {number(at)});
  }
  void put(Word at, Value v) {
    add({.kind = InstKind::Store, .target = small::kFirstArray}, {number(at), v});
  }
  uint32_t variable(Value first) {
    k_.slots.push_back({"s", DataType::F32});
    set(uint32_t(k_.slots.size() - 1), first);
    return uint32_t(k_.slots.size() - 1);
  }
  Value get(uint32_t slot) { return add({.kind = InstKind::Get, .type = DataType::F32, .target = slot}, {}); }
  void set(uint32_t slot, Value v) { add({.kind = InstKind::Set, .target = slot}, {v}); }
  template <typename Body>
  void loop(uint32_t turns, Body body) {
    const Value from = number(0), to = number(turns);
    const KBlock inside = k_.add_block();
    add({.kind = InstKind::Loop, .type = DataType::U32, .body = inside}, {from, to});
    const KBlock outside = std::exchange(block_, inside);
    body();
    block_ = outside;
  }
  Kernel store(Value result) {
    add({.kind = InstKind::Store, .target = small::kResult}, {number(0), result});
    return k_;
  }

 private:
  Value add(Inst inst, std::initializer_list<Value> x) {
    const Value v = k_.add(inst, {x.begin(), x.size()});
    k_.blocks[index(block_)].push_back(v);
    return v;
  }
  Kernel k_;
  KBlock block_{};
};

/// Each operator as it is meant.
class Meaning {
 public:
  Meaning(const Kernel& k, FloatFormat f) : k_(k), f_(f), values_(k.insts.size()), slots_(k.slots.size()) {}
  Word of(const Word* x) {
    memory_[0] = memory_[1] = 0;
    run(k_.entry, x);
    return result_;
  }

 private:
  void run(KBlock block, const Word* x) {
    for (const Value v : k_.block(block)) {
      const Inst& inst = k_[v];
      Word operands[3] = {};
      for (uint32_t n = 0; n < inst.args.count; ++n) operands[n] = values_[index(k_.arg(inst, n))];
      if (inst.kind == InstKind::Const) values_[index(v)] = inst.imm;
      if (inst.kind == InstKind::Load)
        values_[index(v)] = inst.target < small::kResult ? x[inst.target] : memory_[operands[0]];
      if (inst.kind == InstKind::Get) values_[index(v)] = slots_[inst.target];
      if (inst.kind == InstKind::Set) slots_[inst.target] = operands[0];
      if (inst.kind == InstKind::Store)
        (inst.target == small::kResult ? result_ : memory_[operands[0]]) = operands[1];
      if (inst.kind == InstKind::Apply && inst.op == Op::FNeg)
        values_[index(v)] = operands[0] ^ f_.sign_bit();
      else if (inst.kind == InstKind::Apply)
        values_[index(v)] = small::right_answer(f_, inst.op, operands);
      if (inst.kind == InstKind::Loop) {
        for (Word turn = operands[0]; turn < operands[1]; ++turn) run(inst.body, x);
      }
    }
  }
  const Kernel& k_;
  const FloatFormat f_;
  Words values_, slots_;
  Word memory_[2] = {};
  Word result_ = 0;
};

/// The kernel with its lines; operator by operator each is an exact one.
Kernel with_lines(const Kernel& source, FloatFormat f, const FloatPromises& floats) {
  const Target target{.name = "lines", .workgroup_bytes = 12, .floats = floats};
  Rewriter r(source, target);
  const auto write = [&](Value v) {
    const Inst& inst = source[v];
    if (inst.kind == InstKind::Load) {
      r.replace(v, r.load({.buffer = inst.target, .index = r.word(inst, 0)}));
    } else if (inst.kind == InstKind::Store) {
      r.store({.buffer = inst.target, .index = r.word(inst, 0)}, r.word(inst, 1));
    } else if (inst.kind == InstKind::Apply && inst.op == Op::FNeg) {
      r.replace(v, r.raw(RawOp::Xor, {r.word(inst, 0), r.constant(f.sign_bit())}));
    } else if (inst.kind == InstKind::Apply) {
      const RawOp exact = small::exactly(inst.op);
      const Value a = r.word(inst, 0);
      r.replace(v, inst.args.count == 1   ? r.raw(exact, {a})
                   : inst.args.count == 2 ? r.raw(exact, {a, r.word(inst, 1)})
                                          : r.raw(exact, {a, r.word(inst, 1), r.word(inst, 2)}));
    } else {
      r.keep(v);
    }
  };
  Speculation lines(r, small::beside(f), write);
  r.at(source.entry, Span::none());
  lines.begin();
  for (uint32_t b = 0; b < source.blocks.size(); ++b) {
    for (const Value v : source.blocks[b]) {
      r.at(KBlock{b}, Span::none());
      lines.next(v);
    }
    lines.end();
  }
  return r.finish();
}

struct Counts {
  uint64_t choices = 0, wrong = 0, exact = 0;
  Words first_wrong;
};
/// Over all operands, or one in so many.
Counts exhaust(const Kernel& source, const Kernel& legal, FloatFormat f, uint32_t operands,
               uint32_t every = 1, bool stop = false) {
  Counts out;
  small::Runner runner(legal, f);
  Meaning meaning(source, f);
  const uint64_t all = uint64_t{1} << (f.width() * operands);
  for (uint64_t n = 0; n < all; n += every) {
    const Word x[] = {Word(n) & f.mask(), Word(n >> f.width()) & f.mask(),
                      Word(n >> 2 * f.width()) & f.mask()};
    // Of quotients and roots of what is not normal there are thousands of choices.
    const bool is_long = f.width() > 8 && !(small::is_normal(f, x[0]) && small::is_normal(f, x[1]));
    if (is_long && n / every % 16 != 0) continue;
    const Word right = meaning.of(x);
    runner.run(x, [&](Word got) {
      ++out.choices;
      if (got == right || (f.is_nan(got) && f.is_nan(right))) return;
      if (out.wrong++ == 0) out.first_wrong = {x[0], x[1], x[2], got, right};
    });
    if (stop && out.wrong > 0) break;
  }
  out.exact = runner.exact();
  return out;
}

/// A line in the operands a, b, c of a format.
struct Line {
  const char* name;
  uint32_t operands;
  Kernel (*write)(LineWriter& s, FloatFormat f);
};
const Line kLines[] = {
    {"a * b * c", 3,
     [](LineWriter& s, FloatFormat) {
       const Value ab = s.apply(Op::FMul, {s.operand(0), s.operand(1)});
       return s.store(s.apply(Op::FMul, {ab, s.operand(2)}));
     }},
    {"(a + b) * c", 3,
     [](LineWriter& s, FloatFormat) {
       const Value sum = s.apply(Op::FAdd, {s.operand(0), s.operand(1)});
       return s.store(s.apply(Op::FMul, {sum, s.operand(2)}));
     }},
    {"a * b - c", 3,
     [](LineWriter& s, FloatFormat) {
       const Value product = s.apply(Op::FMul, {s.operand(0), s.operand(1)});
       return s.store(s.apply(Op::FSub, {product, s.operand(2)}));
     }},
    {"fma(a, a, -b) + b", 2,
     [](LineWriter& s, FloatFormat) {
       const Value a = s.operand(0), b = s.operand(1);
       return s.store(s.apply(Op::FAdd, {s.apply(Op::FMulAdd, {a, a, s.apply(Op::FNeg, {b})}), b}));
     }},
    {"fma(a, b, c) * a", 3,
     [](LineWriter& s, FloatFormat) {
       const Value a = s.operand(0);
       return s.store(s.apply(Op::FMul, {s.apply(Op::FMulAdd, {a, s.operand(1), s.operand(2)}), a}));
     }},
    {"fma(c, fma(a, b, c), b)", 3,
     [](LineWriter& s, FloatFormat) {
       const Value b = s.operand(1), c = s.operand(2);
       return s.store(s.apply(Op::FMulAdd, {c, s.apply(Op::FMulAdd, {s.operand(0), b, c}), b}));
     }},
    {"fma(a, b, 4 or more) * c", 3,
     [](LineWriter& s, FloatFormat f) {
       const Value large = s.number((f.infinity() - f.least_normal()) | 1);
       const Value sum = s.apply(Op::FMulAdd, {s.operand(0), s.operand(1), large});
       return s.store(s.apply(Op::FMul, {sum, s.operand(2)}));
     }},
    {"(a - large) * b", 2,
     [](LineWriter& s, FloatFormat f) {
       const Value large = s.number(f.infinity() - f.least_normal());
       const Value sum = s.apply(Op::FSub, {s.operand(0), large});
       return s.store(s.apply(Op::FMul, {sum, s.operand(1)}));
     }},
    {"(a * half) * (b * large)", 2,
     [](LineWriter& s, FloatFormat f) {
       const Value a = s.apply(Op::FMul, {s.operand(0), s.number(f.one() - f.least_normal())});
       const Value b = s.apply(Op::FMul, {s.operand(1), s.number(f.infinity() - f.least_normal())});
       return s.store(s.apply(Op::FMul, {a, b}));
     }},
    {"s = fma(a, b, s), thrice, then * c", 3,
     [](LineWriter& s, FloatFormat) {
       const Value a = s.operand(0), b = s.operand(1);
       const uint32_t sum = s.variable(s.number(0));
       s.loop(3, [&] { s.set(sum, s.apply(Op::FMulAdd, {a, b, s.get(sum)})); });
       return s.store(s.apply(Op::FMul, {s.get(sum), s.operand(2)}));
     }},
    {"s = s + a, t = t - a * b, u = s, thrice", 2,
     [](LineWriter& s, FloatFormat) {
       const Value a = s.operand(0), b = s.operand(1);
       const uint32_t sum = s.variable(s.number(0)), rest = s.variable(s.number(0)), u = s.variable(a);
       s.loop(3, [&] {
         s.set(u, s.get(sum));
         s.set(sum, s.apply(Op::FAdd, {s.get(sum), a}));
         s.set(rest, s.apply(Op::FSub, {s.get(rest), s.apply(Op::FMul, {a, b})}));
       });
       const Value both = s.apply(Op::FAdd, {s.get(sum), s.get(rest)});
       return s.store(s.apply(Op::FAdd, {both, s.get(u)}));
     }},
    {"s = fma(a, b, s), thrice, then -s - a - c", 3,
     [](LineWriter& s, FloatFormat) {
       const Value a = s.operand(0), b = s.operand(1);
       const uint32_t sum = s.variable(s.number(0));
       s.loop(3, [&] { s.set(sum, s.apply(Op::FMulAdd, {a, b, s.get(sum)})); });
       const Value rest = s.apply(Op::FSub, {s.apply(Op::FNeg, {s.get(sum)}), a});
       return s.store(s.apply(Op::FSub, {rest, s.operand(2)}));
     }},
    {"w = a; s = fma(w, b, s), thrice, then - c", 3,
     [](LineWriter& s, FloatFormat) {
       s.put(0, s.operand(0));
       const Value b = s.operand(1);
       const uint32_t sum = s.variable(s.number(0));
       s.loop(3, [&] { s.set(sum, s.apply(Op::FMulAdd, {s.loaded(0), b, s.get(sum)})); });
       return s.store(s.apply(Op::FSub, {s.get(sum), s.operand(2)}));
     }},
    {"w = a, w' = a + b - b; (w' - w) * w' * -w, twice", 2,
     [](LineWriter& s, FloatFormat) {
       const Value a = s.operand(0), b = s.operand(1);
       s.put(0, a);
       s.put(1, s.apply(Op::FSub, {s.apply(Op::FAdd, {a, b}), b}));
       const uint32_t out = s.variable(a);
       s.loop(2, [&] {
         const Value w = s.loaded(0), w1 = s.loaded(1);
         const Value rest = s.apply(Op::FSub, {w1, w});
         s.set(out, s.apply(Op::FMul, {s.apply(Op::FMul, {rest, w1}), s.apply(Op::FNeg, {w})}));
       });
       return s.store(s.get(out));
     }},
    {"s = s + a, in turns that each set it to a number first", 2,
     [](LineWriter& s, FloatFormat f) {
       const Value a = s.operand(0), b = s.operand(1);
       const uint32_t sum = s.variable(s.number(0));
       s.loop(2, [&] {
         s.set(sum, s.apply(Op::FMulAdd, {a, b, s.get(sum)}));
         const Value before = s.get(sum);
         s.set(sum, s.number(f.one()));
         s.set(sum, s.apply(Op::FSub, {s.get(sum), before}));
       });
       return s.store(s.apply(Op::FAdd, {s.get(sum), a}));
     }},
};
constexpr FloatFormat kSmall[] = {{3, 2}, {4, 2}};

TEST(Lines, AreRightForAllOperandsUnderAllChoices) {
  for (const Line& line : kLines) {
    for (const FloatFormat f : kSmall) {
      for (const bool fused : {true, false}) {
        LineWriter s;
        const Kernel source = line.write(s, f);
        const Kernel legal = with_lines(source, f, small::promised(fused));
        const uint32_t every = f.width() * line.operands > 18 ? 149 : f.width() > 6 ? 3 : fused ? 1 : 5;
        const Counts counts = exhaust(source, legal, f, line.operands, every);
        EXPECT_EQ(counts.wrong, 0u) << line.name << ", format 1-" << f.exponent_bits << "-" << f.fraction_bits
                                    << (fused ? ", fused" : "") << testing::PrintToString(counts.first_wrong);
      }
    }
  }
}

// Quotients and roots want seven digits.
TEST(Lines, OfQuotientsAndRootsAreRight) {
  const Line lines[] = {
      {"(a / b) * a", 2,
       [](LineWriter& s, FloatFormat) {
         const Value a = s.operand(0);
         return s.store(s.apply(Op::FMul, {s.apply(Op::FDiv, {a, s.operand(1)}), a}));
       }},
      {"sqrt(a) * b", 2,
       [](LineWriter& s, FloatFormat) {
         return s.store(s.apply(Op::FMul, {s.apply(Op::FSqrt, {s.operand(0)}), s.operand(1)}));
       }},
      {"b * (b - a / b)", 2, [](LineWriter& s, FloatFormat) {
         const Value b = s.operand(1);
         const Value rest = s.apply(Op::FSub, {b, s.apply(Op::FDiv, {s.operand(0), b})});
         return s.store(s.apply(Op::FMul, {b, rest}));
       }}};
  const FloatFormat f{5, 6};
  for (const Line& line : lines) {
    LineWriter s;
    const Kernel source = line.write(s, f);
    const Counts counts = exhaust(source, with_lines(source, f, small::promised()), f, 2, 5003);
    EXPECT_EQ(counts.wrong, 0u) << line.name << testing::PrintToString(counts.first_wrong);
  }
}

// A zero is in no doubt; nor is an accumulator that does not change.
TEST(Lines, LetZerosPass) {
  const FloatFormat f{3, 2};
  for (const Line& line : kLines) {
    LineWriter s;
    const Kernel source = line.write(s, f);
    const Kernel legal = with_lines(source, f, small::promised(true));
    small::Runner runner(legal, f);
    const Word zeros[] = {0, f.sign_bit(), 0};
    runner.run(zeros, [](Word) {});
    EXPECT_EQ(runner.exact(), 0u) << line.name;
  }
}

std::vector<Value> tests_of(const Kernel& kernel) {
  std::vector<Value> out;
  for (uint32_t v = 0; v < kernel.insts.size(); ++v) {
    if (kernel.insts[v].kind == InstKind::Raw && kernel.insts[v].raw == RawOp::ULt) out.push_back(Value{v});
  }
  return out;
}

// All of them taken for false. One by one not all are missed: what is known of a value is less than what
// holds.
TEST(Lines, AreWrongWithoutTheirTests) {
  const FloatFormat f{3, 2};
  size_t tests = 0, missed = 0;
  for (const Line& line : kLines) {
    LineWriter s;
    const Kernel source = line.write(s, f);
    const Kernel whole = with_lines(source, f, small::promised(true));
    EXPECT_FALSE(tests_of(whole).empty()) << line.name;
    const auto is_missed = [&](const std::vector<Value>& left_out) {
      Kernel changed = whole;
      for (const Value v : left_out)
        changed.insts[index(v)] = {.kind = InstKind::Const, .type = DataType::U32, .imm = 0};
      return exhaust(source, changed, f, line.operands, 1, /*stop=*/true).wrong > 0;
    };
    EXPECT_TRUE(is_missed(tests_of(whole))) << line.name;
    for (const Value v : tests_of(whole)) {
      ++tests;
      missed += is_missed({v}) ? 1 : 0;
    }
  }
  EXPECT_GT(3 * missed, 2 * tests) << missed << " of " << tests;
}

/// As many tests with this threshold as there are, each a step lower.
bool is_noticed(const char* name, FloatFormat f, int32_t exponent) {
  const auto line = std::ranges::find(kLines, std::string_view(name), &Line::name);
  LineWriter s;
  const Kernel source = line->write(s, f);
  Kernel kernel = with_lines(source, f, small::promised(true));
  const auto threshold = [&](int32_t e) {
    return (uint32_t(e + f.bias()) << (f.fraction_bits + 33 - f.width())) - 1;
  };
  bool found = false;
  for (Inst& inst : kernel.insts) {
    if (inst.kind != InstKind::Const || inst.imm != threshold(exponent)) continue;
    inst.imm = threshold(exponent - 1);
    found = true;
  }
  return found && exhaust(source, kernel, f, line->operands, 1, /*stop=*/true).wrong > 0;
}

// By hand from the rules. Least normal 2^-2 of 1-3-2, so G = -1: factors of a product at least 1 = 2^0, terms
// of a sum multiples of 2^-1, which is 2^(-1 + 2) at least; factors in a sum multiples of 1, 2^(0 + 2) at
// least.
TEST(Lines, HaveThresholdsThatCannotBeLower) {
  const FloatFormat f{3, 2};
  EXPECT_TRUE(is_noticed("a * b * c", f, 0));
  EXPECT_TRUE(is_noticed("a * b - c", f, 1));
  EXPECT_TRUE(is_noticed("fma(a, b, c) * a", f, 2));
}

// ---- At 32 bits

constexpr const char* kPrograms[] = {
    "s = a * b + c;", "s = fmul_add(a, b, c) * a - b;",
    "s = (a - b) / fsqrt(fmul_add(a, a, fmul_add(b, b, 0.01)));",
    "s = fmul_add(a, 0.5, 1.0) * (b + 2.0); s = fmul_add(s, a, 0.333);",
    "for i in 0..4 { s = fmul_add(a, b, s); t = t + s * c; }",
    "for i in 0..4 { s = fmul_add(x[(invocation_id.x + i) & 63], b, s); if (s > c) { s = s - c; } t = t - s; "
    "} s = s * t;",
    "s = fmax(a * b, 0.0) + fmin(c, a - b); t = -s * s; if (t < a) { s = s / b; }",
    "s = bitcast<f32>(bitcast<u32>(a * b + c) ^ 0x80000000) + c; out[invocation_id.x] = bitcast<u32>(s * s); "
    "s = s + a;",
    "s = a + b; s = s * c; t = s; s = s + t; x2[invocation_id.x] = s; s = x2[invocation_id.x] * b - t;",
    "w[local_id.x] = a; barrier; for i in 0..4 { s = fmul_add(w[(local_id.x + i) & 63], b, s); t = t - w[i] "
    "* "
    "c; }",
    "w[local_id.x] = a * b; barrier; unroll for i in 1..5 { s = fmul_add(w[local_id.x ^ i], -w[i], "
    "s); if (t < c) { t = t + w[i] * s; } }",
    // Loops in two forms: of values that are in doubt at first, later, or never.
    "w[local_id.x] = a; barrier; let s1 = 0.0; let s2 = 0.0; let s3 = 0.0; for turn in 0..3 { unroll for k "
    "in "
    "0..4 { let l = w[k]; let r = w[local_id.x ^ k]; s = fmul_add(l, r, s); s1 = fmul_add(l, w[63 - k], s1); "
    "s2 = fmul_add(w[k + 8], r, s2); s3 = fmul_add(w[63 - k], r, s3); } for k in 0..turn { s = "
    "fmul_add(w[local_id.x], w[k], s); s1 = fmul_add(w[local_id.x], w[k + 1], s1); s2 = "
    "fmul_add(w[local_id.x], "
    "w[k + 2], s2); s3 = fmul_add(w[local_id.x], w[k + 3], s3); } barrier; if (turn == 0) { "
    "w[63 - local_id.x] = c; } else { w[local_id.x] = select(local_id.x == 7 && workgroup_id.x % 2 == 0, "
    "0x1.0p-130, c); } barrier; t = t + s * c; } s = s + s1; t = t - s2 * s3;"};

/// Most operands as programs have them, zeros among them; the rest as hard as they come.
Words column(uint64_t seed, size_t count) {
  OperandSource hard(DataType::F32, seed);
  RandomStream random(seed, 1);
  Words out;
  for (size_t n = 0; n < count; ++n) {
    const uint32_t usual = (random.next() & 0x807fffff) | (120 + random.below(14)) << 23;
    out.push_back(n / 64 % 2 == 0 || random.chance(9) ? hard.next() : random.chance(5) ? 0 : usual);
  }
  return out;
}

void expect_lines_are_right(const std::string& text) {
  constexpr size_t kRows = 64 * 24;
  auto parsed = text::parse(text);
  ASSERT_TRUE(parsed.has_value()) << text;
  const Kernel semantic = build(checked(std::move(*parsed)));
  Buffers memory;
  for (const uint64_t seed : {1, 2, 3}) memory.push_back(column(seed, kRows));
  memory.push_back(Words(kRows, 0));
  memory.push_back(Words(kRows, 0));
  const layout::Groups groups{.x = kRows / 64};
  const auto right = run_kernel(semantic, memory, groups);
  ASSERT_TRUE(right.has_value());
  for (const Target& target : float_targets()) {
    const Kernel legal = legalize(semantic, target);
    expect_well_formed(legal);
    for (uint64_t seed = 0; seed < 6; ++seed) {
      const auto got = run_kernel(legal, memory, groups, {.seed = seed, .max_steps = 1'000'000'000});
      ASSERT_TRUE(got.has_value()) << target.name << ": " << render(got.error(), nullptr);
      EXPECT_EQ(*got == *right, true) << target.name << ", seed " << seed << '\n' << text;
    }
  }
}

TEST(Lines, OfProgramsUnderEveryPromise) {
  for (const char* body : kPrograms) {
    const std::string text = fmt::format(
        "program p(read x: f32 @0, read y: f32 @1, read z: f32 @2, read_write out: u32 @3, read_write x2: "
        "f32 @4, workgroup w: f32[64])"
        " workgroup(64, 1, 1) {{\n let a = x[invocation_id.x]; let b = y[invocation_id.x]; let c = "
        "z[invocation_id.x];\n"
        " let s = 0.0; let t = 0.0;\n {}\n"
        " out[invocation_id.x] = out[invocation_id.x] ^ bitcast<u32>(s) ^ (bitcast<u32>(t) << 1);\n}}\n",
        body);
    expect_lines_are_right(text);
  }
}

}  // namespace
}  // namespace vyre::lower
