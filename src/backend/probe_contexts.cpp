#include "backend/probe_contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "ir/builder.h"
#include "num/float.h"
#include "num/functions.h"
#include "spec/ops.h"

namespace vyre::backend::probe {
namespace {

using spec::DataType;
using spec::FloatFormat;
using spec::Op;
using spec::RoundingMode;

// ---- Writing expressions

Tree variable(Leaf leaf) { return {.leaf = leaf}; }
Tree apply(Op op, std::vector<Tree> args) {
  const DataType type = spec::info(op).signature == spec::Signature::TT_U ? DataType::U32 : args.front().type;
  return {.kind = Tree::Kind::Apply, .op = op, .type = type, .args = std::move(args)};
}
Tree cast(DataType type, Tree value, RoundingMode mode = RoundingMode::None) {
  return {.kind = Tree::Kind::Cast, .type = type, .mode = mode, .args = {std::move(value)}};
}
Tree bits_of(Tree value, DataType type = DataType::U32) {
  return {.kind = Tree::Kind::Bitcast, .type = type, .args = {std::move(value)}};
}
Tree constant(uint32_t bits) { return {.kind = Tree::Kind::Constant, .bits = bits}; }

Tree operator+(const Tree& a, const Tree& b) { return apply(Op::FAdd, {a, b}); }
Tree operator-(const Tree& a, const Tree& b) { return apply(Op::FSub, {a, b}); }
Tree operator*(const Tree& a, const Tree& b) { return apply(Op::FMul, {a, b}); }
Tree operator/(const Tree& a, const Tree& b) { return apply(Op::FDiv, {a, b}); }
Tree operator-(const Tree& a) { return apply(Op::FNeg, {a}); }
Tree fma(const Tree& a, const Tree& b, const Tree& c) { return apply(Op::FMulAdd, {a, b, c}); }
Tree sqrt(const Tree& a) { return apply(Op::FSqrt, {a}); }

// ---- The contexts

using ColumnFunction = void (*)(FloatFormat f, num::Column a, num::Results out);
struct Function {
  Op op;
  ColumnFunction answers;
};
constexpr Function kFunctions[] = {
    {Op::FSin, num::sin},   {Op::FCos, num::cos},   {Op::FTan, num::tan},     {Op::FASin, num::asin},
    {Op::FACos, num::acos}, {Op::FATan, num::atan}, {Op::FExp, num::exp},     {Op::FLog, num::log},
    {Op::FExp2, num::exp2}, {Op::FLog2, num::log2}, {Op::FExp10, num::exp10}, {Op::FLog10, num::log10},
};

constexpr uint32_t kOne = 0x3f800000;
/// Constants that invite shortcuts: zeros, units, powers of two, inexact reciprocals, both ends of the range.
constexpr uint32_t kZero = 0, kMinusZero = 0x80000000, kMinusOne = 0xbf800000, kTwo = 0x40000000,
                   kHalf = 0x3f000000, kThree = 0x40400000, kTenth = 0x3dcccccd, kLeastNormal = 0x00800000,
                   kLeast = 1, kGreatest = 0x7f7fffff, kTwoTo24 = 0x4b800000;

void add_single(std::vector<Tree>& out, const Tree& a, const Tree& b, const Tree& c) {
  const Tree pairs[] = {a + b, a - b, a * b, a / b, apply(Op::FMin, {a, b}), apply(Op::FMax, {a, b})};
  out.insert(out.end(), std::begin(pairs), std::end(pairs));
  for (const Op op : {Op::FEq, Op::FLt, Op::FGt, Op::FLe, Op::FGe}) out.push_back(apply(op, {a, b}));
  for (const Op op : {Op::FSqrt, Op::FFloor, Op::FCeil, Op::FRound, Op::FTrunc}) {
    out.push_back(apply(op, {a}));
  }
  out.push_back(fma(a, b, c));
}

void add_constants(std::vector<Tree>& out, const Tree& a, const Tree& b) {
  for (const uint32_t k : {kZero, kMinusZero, kOne, kLeast, kTwoTo24}) out.push_back(a + constant(k));
  for (const uint32_t k : {kZero, kMinusZero, kOne}) out.push_back(constant(k) - a);
  for (const uint32_t k : {kZero, kOne, kMinusOne, kTwo, kHalf, kLeastNormal, kLeast, kGreatest}) {
    out.push_back(a * constant(k));
  }
  for (const uint32_t k : {kOne, kTwo, kThree, kTenth, kLeast, kGreatest}) out.push_back(a / constant(k));
  for (const uint32_t k : {kZero, kOne, kMinusOne, kThree}) out.push_back(constant(k) / a);
  const Tree one = constant(kOne);
  const Tree forms[] = {fma(a, one, b),
                        fma(a, b, constant(kZero)),
                        fma(a, b, constant(kMinusZero)),
                        one / sqrt(a),
                        one / (one / a),
                        a * constant(kThree) / constant(kThree)};
  out.insert(out.end(), std::begin(forms), std::end(forms));
}

void add_equal(std::vector<Tree>& out, const Tree& a, const Tree& b) {
  const Tree forms[] = {a / a,
                        a - a,
                        a + a,
                        a * a,
                        (a + b) - b,
                        (a - b) + b,
                        (a * b) / b,
                        (a / b) * b,
                        sqrt(a) * sqrt(a),
                        sqrt(a * a),
                        fma(a, a, a),
                        fma(a, b, -(a * b)),
                        apply(Op::FEq, {a, a})};
  out.insert(out.end(), std::begin(forms), std::end(forms));
}

void add_chains(std::vector<Tree>& out, const Tree& a, const Tree& b, const Tree& c) {
  const Tree forms[] = {a * b + c,
                        a * b - c,
                        c - a * b,
                        -(a * b) + c,
                        a * b + a,
                        (a + b) * c,
                        (a + b) + c,
                        a + (b + c),
                        (a * b) * c,
                        a * (b * c),
                        a * b + a * c,
                        a * (b + c),
                        a * b + c * a,
                        a / b + c,
                        (a / b) / c,
                        a / (b / c),
                        a / (b * c),
                        a / sqrt(b),
                        sqrt(a * b + c),
                        fma(a, b, c) + c,
                        fma(a, b, fma(a, c, b)),
                        apply(Op::FRound, {a * b}),
                        apply(Op::FFloor, {a + b}),
                        apply(Op::FLt, {a * b, c}),
                        apply(Op::FMin, {a * b, a + c})};
  out.insert(out.end(), std::begin(forms), std::end(forms));
}

void add_conversions(std::vector<Tree>& out, const Tree& a, const Tree& b, const Tree& c) {
  const Tree x = cast(DataType::F16, a), y = cast(DataType::F16, b), z = cast(DataType::F16, c);
  const Tree v = cast(DataType::BF16, a), w = cast(DataType::BF16, b);
  const Tree forms[] = {cast(DataType::U32, a, RoundingMode::Trunc),
                        cast(DataType::I32, a, RoundingMode::Trunc),
                        cast(DataType::U32, a, RoundingMode::Nearest),
                        cast(DataType::I32, a * b, RoundingMode::Floor),
                        cast(DataType::F32, bits_of(a)),
                        cast(DataType::F32, bits_of(a)) * b,
                        cast(DataType::F32, bits_of(a, DataType::I32)),
                        x,
                        x + y,
                        x * y + z,
                        x / y,
                        sqrt(x),
                        cast(DataType::F16, a * b),
                        cast(DataType::F32, x * y) + c,
                        v + w,
                        cast(DataType::BF16, a * b)};
  out.insert(out.end(), std::begin(forms), std::end(forms));
}

/// Functions, which are floats of 64 bits where those are promised.
std::vector<Tree> make_functions() {
  const Tree a = variable(Leaf::A), b = variable(Leaf::B);
  std::vector<Tree> out;
  for (const Function& function : kFunctions) out.push_back(apply(function.op, {a}));
  for (const Tree& x : {a * b, variable(Leaf::Uniform)})
    for (const Op op : {Op::FSin, Op::FExp, Op::FLog}) out.push_back(apply(op, {x}));
  return out;
}

std::vector<Tree> make_contexts() {
  std::vector<Tree> out;
  const Tree a = variable(Leaf::A), b = variable(Leaf::B), c = variable(Leaf::C);
  const Tree neighbour = variable(Leaf::Neighbour), uniform = variable(Leaf::Uniform);
  const Tree carried = variable(Leaf::Carried), shared = variable(Leaf::Shared);
  add_single(out, a, b, c);
  add_equal(out, a, b);
  add_chains(out, a, b, c);
  add_constants(out, a, b);
  add_conversions(out, a, b, c);
  const Tree elsewhere[] = {neighbour * b + c,    a * neighbour - a,
                            neighbour / a,        sqrt(neighbour) + a,
                            a * uniform + b,      a / uniform,
                            uniform / a,          uniform * uniform + a,
                            fma(a, uniform, b),   (a + uniform) - uniform,
                            carried * b + c,      fma(carried, b, c),
                            carried + b,          (carried - b) * c,
                            carried / b + a,      sqrt(carried * b),
                            shared * a + c,       shared / b,
                            (shared + a) - shared};
  out.insert(out.end(), std::begin(elsewhere), std::end(elsewhere));
  return out;
}

// ---- The right answers

using Column = std::vector<uint32_t>;
constexpr uint32_t kRounds = 3;        // of a loop
constexpr uint32_t kAnother = 21;      // shared values come from the row whose local id differs by this
constexpr uint32_t kMix = 0x9e3779b1;  // odd, so that no step of mixing loses a bit

using Variables = std::array<const Column*, kLeafCount>;

Column evaluate(const Tree& tree, const Variables& variables, size_t rows);

// The operators that contexts are made of.
using Answer = void (*)(FloatFormat f, const std::vector<Column>& x, Column& out);
template <RoundingMode mode>
void integral(FloatFormat f, const std::vector<Column>& x, Column& out) {
  num::round_to_integral(f, mode, x[0], out);
}
struct AnswerRow {
  Op op;
  Answer answer;
};
constexpr auto kAnswers = std::to_array<AnswerRow>({
    {Op::FAdd,
     [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::add(f, x[0], x[1], out); }},
    {Op::FSub,
     [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::sub(f, x[0], x[1], out); }},
    {Op::FMul,
     [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::mul(f, x[0], x[1], out); }},
    {Op::FDiv,
     [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::div(f, x[0], x[1], out); }},
    {Op::FMulAdd, [](FloatFormat f, const std::vector<Column>& x,
                     Column& out) { num::mul_add(f, x[0], x[1], x[2], out); }},
    {Op::FSqrt, [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::sqrt(f, x[0], out); }},
    {Op::FMin,
     [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::min(f, x[0], x[1], out); }},
    {Op::FMax,
     [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::max(f, x[0], x[1], out); }},
    {Op::FNeg, [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::negate(f, x[0], out); }},
    {Op::FEq,
     [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::equal(f, x[0], x[1], out); }},
    {Op::FLt,
     [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::less(f, x[0], x[1], out); }},
    {Op::FGt,
     [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::less(f, x[1], x[0], out); }},
    {Op::FLe,
     [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::less_equal(f, x[0], x[1], out); }},
    {Op::FGe,
     [](FloatFormat f, const std::vector<Column>& x, Column& out) { num::less_equal(f, x[1], x[0], out); }},
    {Op::FFloor, &integral<RoundingMode::Floor>},
    {Op::FCeil, &integral<RoundingMode::Ceil>},
    {Op::FRound, &integral<RoundingMode::Nearest>},
    {Op::FTrunc, &integral<RoundingMode::Trunc>},
});

Column evaluate_apply(const Tree& tree, const std::vector<Column>& x, size_t rows) {
  Column out(rows);
  if (const auto function = std::ranges::find(kFunctions, tree.op, &Function::op);
      function != std::end(kFunctions)) {
    function->answers(spec::float_format(tree.args.front().type), x[0], out);
    return out;
  }
  const auto row = std::ranges::find(kAnswers, tree.op, &AnswerRow::op);
  if (row == kAnswers.end()) throw std::logic_error("a context has an operator without an answer");
  row->answer(spec::float_format(tree.args.front().type), x, out);
  return out;
}

Column evaluate_cast(const Tree& tree, const Column& x, size_t rows) {
  const DataType from = tree.args.front().type;
  Column out(rows);
  if (tree.type == DataType::U32) {
    num::to_u32(spec::float_format(from), tree.mode, x, out);
  } else if (tree.type == DataType::I32) {
    num::to_i32(spec::float_format(from), tree.mode, x, out);
  } else if (spec::kFloats.contains(from)) {
    num::convert(spec::float_format(from), spec::float_format(tree.type), x, out);
  } else {
    const bool is_signed = from == DataType::I32;
    std::ranges::transform(x, out.begin(), [&](uint32_t v) {
      const bool negative = is_signed && int32_t(v) < 0;
      return num::from_integer(spec::float_format(tree.type), negative, negative ? 0u - v : v);
    });
  }
  return out;
}

Column evaluate(const Tree& tree, const Variables& variables, size_t rows) {
  std::vector<Column> args;
  for (const Tree& arg : tree.args) args.push_back(evaluate(arg, variables, rows));
  switch (tree.kind) {
    case Tree::Kind::Variable: return *variables[size_t(tree.leaf)];
    case Tree::Kind::Constant: return Column(rows, tree.bits);
    case Tree::Kind::Bitcast: return std::move(args.front());
    case Tree::Kind::Cast: return evaluate_cast(tree, args.front(), rows);
    case Tree::Kind::Apply: return evaluate_apply(tree, args, rows);
  }
  return {};
}

bool has(const Tree& tree, Leaf leaf) {
  if (tree.kind == Tree::Kind::Variable) return tree.leaf == leaf;
  return std::ranges::any_of(tree.args, [&](const Tree& arg) { return has(arg, leaf); });
}

// ---- Programs

using Operands = std::array<ir::Ex, kLeafCount>;

ir::Ex write(ir::ProgramBuilder& p, const Tree& tree, const Operands& operands) {
  std::vector<ir::Ex> args;
  for (const Tree& arg : tree.args) args.push_back(write(p, arg, operands));
  switch (tree.kind) {
    case Tree::Kind::Variable: return operands[size_t(tree.leaf)];
    case Tree::Kind::Constant: return p.f32_bits(tree.bits);
    case Tree::Kind::Bitcast: return p.bitcast(tree.type, args.front());
    case Tree::Kind::Cast: return p.cast(tree.type, args.front(), tree.mode);
    case Tree::Kind::Apply: break;
  }
  return p.apply(tree.op, std::span<const ir::Ex>(args));
}

}  // namespace

std::string text(const Tree& tree) {
  constexpr std::array<std::string_view, kLeafCount> kNames = {"a",       "b",       "c",     "neighbour",
                                                               "uniform", "carried", "shared"};
  std::string args;
  for (const Tree& arg : tree.args) args += (args.empty() ? "" : ", ") + text(arg);
  switch (tree.kind) {
    case Tree::Kind::Variable: return std::string(kNames[size_t(tree.leaf)]);
    case Tree::Kind::Constant: return fmt::format("{:#010x}", tree.bits);
    case Tree::Kind::Bitcast: return fmt::format("bitcast<{}>({})", spec::text(tree.type), args);
    case Tree::Kind::Cast:
      if (tree.mode == RoundingMode::None) return fmt::format("cast<{}>({})", spec::text(tree.type), args);
      return fmt::format("cast<{}, {}>({})", spec::text(tree.type), spec::text(tree.mode), args);
    case Tree::Kind::Apply: break;
  }
  return fmt::format("{}({})", spec::info(tree.op).mnemonic, args);
}

const std::vector<Tree>& function_contexts() {
  static const std::vector<Tree> all = make_functions();
  return all;
}
const std::vector<Tree>& contexts() {
  static const std::vector<Tree> all = make_contexts();
  return all;
}

check::Checked make_program(std::span<const Tree> trees) {
  ir::ProgramBuilder p("probe");
  const ir::BufferRef a = p.read("a", DataType::F32, 0), b = p.read("b", DataType::F32, 1);
  const ir::BufferRef c = p.read("c", DataType::F32, 2), u = p.uniform("u", DataType::F32, 3);
  const ir::BufferRef results = p.read_write("results", DataType::U32, 4);
  const bool shares = std::ranges::any_of(trees, [](const Tree& t) { return has(t, Leaf::Shared); });
  const ir::BufferRef scratch =
      shares ? p.workgroup("scratch", DataType::F32, kWorkgroup) : ir::BufferRef{ir::kNoSymbol};
  p.workgroup_size(kWorkgroup, 1, 1);
  const ir::Ex row = p.let("row", p.invocation_id(0));
  const ir::Ex x = p.let("x", p.load(a, row)), y = p.let("y", p.load(b, row));
  const ir::Ex z = p.let("z", p.load(c, row)), beside = p.let("beside", p.load(a, row ^ 1));
  const ir::Ex same = p.let("same", p.load(u, p.u32(0)));
  ir::Ex other = y;
  if (shares) {
    const ir::Ex local = p.let("local", p.local_id(0));
    p.store(scratch, local, y);
    p.barrier();
    other = p.let("other", p.load(scratch, local ^ kAnother));
  }
  const ir::Ex mix = p.let("mix", p.u32(0));
  const auto take = [&](const Tree& tree, ir::Ex result) {
    const ir::Ex word = tree.type == DataType::U32 ? result : p.bitcast(DataType::U32, result);
    p.assign(mix, (mix ^ word) * kMix);
  };
  for (size_t i = 0; i < trees.size(); ++i) {
    const Tree& tree = trees[i];
    if (!has(tree, Leaf::Carried)) {
      take(tree, write(p, tree, {x, y, z, beside, same, x, other}));
      continue;
    }
    const ir::Ex carried = p.let(fmt::format("carried{}", i), x);
    p.loop(fmt::format("round{}", i), p.u32(0), p.u32(kRounds),
           [&](ir::Ex) { p.assign(carried, write(p, tree, {x, y, z, beside, same, carried, other})); });
    take(tree, carried);
  }
  p.store(results, row, mix);
  static const spec::OpTable no_operations;
  auto checked = check::check(p.finish(), no_operations);
  if (!checked) throw std::logic_error("the probe's own program: " + checked.error().front().message);
  return std::move(*checked);
}

std::vector<uint32_t> right_answers(std::span<const Tree> trees, const Rows& rows) {
  const size_t count = rows.count();
  Column neighbour(count), shared(count);
  const Column uniform(count, rows.uniform);
  for (size_t i = 0; i < count; ++i) {
    neighbour[i] = rows.a[i ^ 1];
    shared[i] = rows.b[i ^ kAnother];  // kWorkgroup is a power of two above it
  }
  Column mix(count, 0);
  for (const Tree& tree : trees) {
    Column carried = rows.a;
    const Variables variables = {&rows.a, &rows.b, &rows.c, &neighbour, &uniform, &carried, &shared};
    const uint32_t rounds = has(tree, Leaf::Carried) ? kRounds : 1;
    for (uint32_t round = 0; round < rounds; ++round) carried = evaluate(tree, variables, count);
    for (size_t i = 0; i < count; ++i) mix[i] = (mix[i] ^ carried[i]) * kMix;
  }
  return mix;
}

}  // namespace vyre::backend::probe
