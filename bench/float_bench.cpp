// What strict floats cost: native code against the same loops in C++, composed operators against native ones,
// and the parallel tree against sums in C++.
//
//   bench_float [--markdown]
//
// Everything runs on one thread in many interleaved runs, so that a busy machine hurts both sides alike: what
// is printed are medians, of the rates and of the ratios of neighbouring runs. Arrays begin at cache lines,
// each at another one of its page: where they lie decides up to a fifth of a loop that streams, for either
// side. C++ is compiled for this machine at -O3 and, as all of vyre, without contraction. Results are
// compared first: a fast wrong answer is no answer. --markdown prints the tables of docs/floats.md. Exit 1:
// some results differ.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "backend/native/native.h"
#include "base/random.h"
#include "check/module.h"
#include "ir/builder.h"
#include "ops/operation.h"
#include "plan/pipeline.h"
#include "spec/casts.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "text/text.h"

namespace {

using namespace vyre;
using spec::DataType;
using spec::Op;
using Bytes = std::vector<std::byte>;

bool markdown = false;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> of) {
  const auto middle = of.begin() + ptrdiff_t(of.size() / 2);
  std::ranges::nth_element(of, middle);
  return *middle;
}

/// The median times of two that take turns, and the median of how much longer ours takes than theirs does
/// right after it. Each turn is long enough for the clock, and there are enough for either to have had quiet
/// moments.
struct Race {
  double ours, theirs, ratio;
};
Race race(const std::function<void()>& ours, const std::function<void()>& theirs) {
  constexpr double kTurnSeconds = 0.2e-3;
  constexpr double kLeastSeconds = 0.25;
  constexpr size_t kLeastTurns = 21;
  const double once = std::min(seconds(ours), seconds(theirs));
  const int repeats = std::max(1, int(kTurnSeconds / once));
  const auto turn = [&](const std::function<void()>& work) {
    return seconds([&] {
             for (int k = 0; k < repeats; ++k) work();
           }) /
           repeats;
  };
  std::vector<double> a, b, ratios;
  for (double spent = 0; a.size() < kLeastTurns || spent < kLeastSeconds;
       spent += (a.back() + b.back()) * repeats) {
    // Who begins changes, so that neither always finds the caches as the other left them.
    if (a.size() % 2 == 0) {
      a.push_back(turn(ours));
      b.push_back(turn(theirs));
    } else {
      b.push_back(turn(theirs));
      a.push_back(turn(ours));
    }
    ratios.push_back(a.back() / b.back());
  }
  return {median(a), median(b), median(ratios)};
}

/// Memory that begins at a cache line, the `which`-th of these at another line of its page: bytes that lie a
/// multiple of 4096 apart hinder one another.
class Column {
 public:
  Column(size_t bytes, size_t which) : memory_(bytes + kLine * (kStep * which + 1)) {
    const auto at = reinterpret_cast<uintptr_t>(memory_.data());
    bytes_ = std::span(memory_).subspan((kPage - at % kPage) % kLine + kLine * kStep * which, bytes);
  }
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  static constexpr size_t kLine = 64, kPage = 4096, kStep = 13;
  std::vector<std::byte> memory_;
  std::span<std::byte> bytes_;
};

template <typename... Cells>
void heading(std::string_view title, Cells... cells) {
  const std::vector<std::string_view> all{cells...};
  if (!markdown) fmt::print("\n{}\n", title);
  std::string line = "|", rule = "|";
  for (size_t k = 0; k < all.size(); ++k) {
    line += k == 0 ? fmt::format(" {:<30} |", all[k]) : fmt::format(" {:>20} |", all[k]);
    rule += k == 0 ? "---|" : "--:|";
  }
  fmt::print("{}\n{}\n", line, rule);
}
void row(std::string_view name, const std::vector<std::string>& cells) {
  fmt::print("| {:<30} |", name);
  for (const std::string& cell : cells) fmt::print(" {:>20} |", cell);
  fmt::print("\n");
  std::fflush(stdout);
}

// --- Inputs: ordinary numbers, since units that are slow with subnormals would be what is measured

constexpr uint32_t kLarge = 65'000 * 64;  // 16 MB an array: out of the caches
constexpr uint32_t kCached = 1u << 16;    // 256 KiB an array: in them, and what a dispatch costs is little
constexpr uint32_t kSmall = 1u << 14;

/// A number of either sign between 2^-4 and 2^4; of a radicand and where only sums are wanted, positive.
uint32_t ordinary(spec::FloatFormat f, uint32_t word, bool positive) {
  const uint32_t exponent = uint32_t(f.bias()) - 4 + (word >> 24) % 8;
  return (positive ? 0 : word & 1) << (f.width() - 1) | exponent << f.fraction_bits |
         (word & f.fraction_mask());
}
Bytes column(DataType type, size_t count, uint64_t which, bool positive = false) {
  const uint32_t bytes = spec::info(type).bytes;
  Bytes out(count * bytes);
  RandomStream random(7, which);
  for (size_t i = 0; i < count; ++i) {
    uint64_t value = random.next();
    if (spec::kFloats.contains(type)) value = ordinary(spec::float_format(type), uint32_t(value), positive);
    if (bytes == 8) value |= uint64_t{random.next()} << 32;
    std::memcpy(out.data() + i * bytes, &value, bytes);
  }
  return out;
}

// --- Native code and C++

/// A loop in both: columns of f32, the last of which is written.
struct Loop {
  std::string_view name;
  std::string_view body;  // of `let i`, with operands x0, x1, x2
  uint32_t operands;
  void (*rival)(const float* const* x, float* out, size_t n);
};

template <auto f>
void map1(const float* const* x, float* __restrict out, size_t n) {
  const float* __restrict a = x[0];
  for (size_t i = 0; i < n; ++i) out[i] = f(a[i]);
}
template <auto f>
void map2(const float* const* x, float* __restrict out, size_t n) {
  const float* __restrict a = x[0];
  const float* __restrict b = x[1];
  for (size_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
}
template <auto f>
void map3(const float* const* x, float* __restrict out, size_t n) {
  const float* __restrict a = x[0];
  const float* __restrict b = x[1];
  const float* __restrict c = x[2];
  for (size_t i = 0; i < n; ++i) out[i] = f(a[i], b[i], c[i]);
}
constexpr auto kAdd = [](float a, float b) { return a + b; };
constexpr auto kMul = [](float a, float b) { return a * b; };
constexpr auto kDiv = [](float a, float b) { return a / b; };
constexpr auto kRoot = [](float a) { return std::sqrt(a); };
constexpr auto kMulAdd = [](float a, float b, float c) { return std::fma(a, b, c); };
constexpr auto kMulThenAdd = [](float a, float b, float c) { return a * b + c; };
/// 16 steps that depend on one another: arithmetic, not memory.
constexpr auto kHorner = [](float a, float b) {
  float s = 1;
  for (int k = 0; k < 16; ++k) s = s * a + b;
  return s;
};

const Loop kLoops[] = {
    {"a + b", "x0[i] + x1[i]", 2, map2<kAdd>},
    {"a * b", "x0[i] * x1[i]", 2, map2<kMul>},
    {"fmul_add(a, b, c)", "fmul_add(x0[i], x1[i], x2[i])", 3, map3<kMulAdd>},
    {"a * b + c", "x0[i] * x1[i] + x2[i]", 3, map3<kMulThenAdd>},
    {"a / b", "x0[i] / x1[i]", 2, map2<kDiv>},
    {"fsqrt(a)", "fsqrt(x0[i])", 1, map1<kRoot>},
    {"16 times s = s * a + b", "s", 2, map2<kHorner>},
};

std::string text_of(const Loop& loop) {
  std::string out = "program loop(";
  for (uint32_t k = 0; k < loop.operands; ++k) out += fmt::format("read x{}: f32 @{}, ", k, k);
  out += fmt::format("read_write out: f32 @{}) workgroup(64, 1, 1) {{\n  let i = invocation_id.x;\n",
                     loop.operands);
  if (loop.body == "s") {
    out += "  let a = x0[i];\n  let b = x1[i];\n  let s = 1.0;\n  for k in 0..16 { s = s * a + b; }\n";
  }
  return out + fmt::format("  if (i < len(out)) {{ out[i] = {}; }}\n}}\n", loop.body);
}

std::unique_ptr<backend::Pipeline> compile(backend::Backend& backend, ir::Program program) {
  static const spec::OpTable no_operations;
  const auto checked = check::check(std::move(program), no_operations);
  if (!checked) return fmt::print(stderr, "{}\n", render(checked.error().front(), nullptr)), nullptr;
  auto pipeline = backend.compile(*checked);
  if (!pipeline) return fmt::print(stderr, "{}\n", render(pipeline.error(), nullptr)), nullptr;
  return std::move(*pipeline);
}

bool run_loop(backend::Backend& native, const Loop& loop, uint32_t count, std::string_view where) {
  auto program = text::parse(text_of(loop));
  if (!program) return fmt::print(stderr, "{}\n", render(program.error(), nullptr)), false;
  const auto pipeline = compile(native, std::move(*program));
  if (!pipeline) return false;
  // Both read and write the same memory.
  std::vector<Column> columns;
  for (uint32_t k = 0; k <= loop.operands; ++k) columns.emplace_back(size_t{count} * 4, k);
  std::vector<std::span<std::byte>> host;
  std::vector<const float*> x;
  for (uint32_t k = 0; k < loop.operands; ++k) {
    std::ranges::copy(column(DataType::F32, count, k, true), columns[k].bytes().begin());
    x.push_back(reinterpret_cast<const float*>(columns[k].bytes().data()));
  }
  for (const Column& c : columns) host.push_back(c.bytes());
  const std::span<std::byte> out = columns.back().bytes();
  bool good = true;
  const auto us = [&] { good &= bool(pipeline->dispatch(host, {count / 64, 1, 1})); };
  const auto them = [&] { loop.rival(x.data(), reinterpret_cast<float*>(out.data()), count); };
  us();
  const Bytes ours(out.begin(), out.end());
  std::ranges::fill(out, std::byte{0});
  them();
  if (!good) return fmt::print(stderr, "{}: the dispatch failed\n", loop.name), false;
  if (!std::ranges::equal(ours, out))
    return fmt::print(stderr, "{}: native and C++ differ\n", loop.name), false;
  const Race times = race(us, them);
  const double bytes = 4.0 * count * (loop.operands + 1);
  row(fmt::format("{}, {}", loop.name, where),
      {fmt::format("{:.1f} GB/s", bytes / times.ours / 1e9),
       fmt::format("{:.1f} GB/s", bytes / times.theirs / 1e9), fmt::format("{:.2f}", times.ratio)});
  return true;
}

// --- Composed and native operators

/// An operator or a cast at a type.
struct Application {
  std::string name;
  std::vector<DataType> inputs;
  DataType output;
  std::function<ir::Ex(ir::ProgramBuilder&, std::vector<ir::Ex>)> apply;
};

constexpr DataType kFloatTypes[] = {DataType::F16, DataType::BF16, DataType::F32};

Application operator_at(Op op, DataType type) {
  return {fmt::format("{}.{}", spec::mnemonic(op), spec::text(type)),
          std::vector<DataType>(*spec::operand_count(op), type), spec::result_type(op, type),
          [op](ir::ProgramBuilder& p, const std::vector<ir::Ex>& x) { return p.apply(op, x); }};
}
Application cast_of(DataType from, DataType to) {
  const auto mode = spec::cast_takes_mode(from, to) ? spec::RoundingMode::Nearest : spec::RoundingMode::None;
  return {fmt::format("cast.{}.{}", spec::text(from), spec::text(to)),
          {from},
          to,
          [=](ir::ProgramBuilder& p, const std::vector<ir::Ex>& x) { return p.cast(to, x[0], mode); }};
}

ir::Program program_of(const Application& what) {
  ir::ProgramBuilder p("operator");
  p.workgroup_size(64, 1, 1);
  std::vector<ir::BufferRef> in;
  for (uint32_t k = 0; k < what.inputs.size(); ++k)
    in.push_back(p.read(fmt::format("x{}", k), what.inputs[k], k));
  const ir::BufferRef out = p.read_write("out", what.output, uint32_t(in.size()));
  const ir::Ex i = p.let("i", p.invocation_id(0));
  p.if_(i < p.len(out), [&] {
    std::vector<ir::Ex> x;
    for (const ir::BufferRef b : in) x.push_back(p.load(b, i));
    p.store(out, i, what.apply(p, x));
  });
  return p.finish();
}

/// "native / composed" in 10^6 elements a second, and how much longer the composed one takes. Empty when
/// something went wrong, which has been said.
std::string compare(backend::Backend& native, backend::Backend& composed, const Application& what) {
  const auto fast = compile(native, program_of(what)), slow = compile(composed, program_of(what));
  if (!fast || !slow) return {};
  std::vector<Bytes> columns;
  for (size_t k = 0; k < what.inputs.size(); ++k) columns.push_back(column(what.inputs[k], kSmall, k));
  Bytes ours(kSmall * spec::info(what.output).bytes), theirs = ours;
  bool good = true;
  const auto with = [&](backend::Pipeline& pipeline, Bytes& out) {
    std::vector<std::span<std::byte>> host(columns.begin(), columns.end());
    host.emplace_back(out);
    good &= bool(pipeline.dispatch(host, {kSmall / 64, 1, 1}));
  };
  const auto us = [&] { with(*fast, ours); };
  const auto them = [&] { with(*slow, theirs); };
  us();
  them();
  if (!good || ours != theirs) {
    fmt::print(stderr, "{}: native and composed differ\n", what.name);
    return {};
  }
  const Race times = race(us, them);
  return fmt::format("{:.0f} / {:.0f} = {:.1f}", kSmall / times.ours / 1e6, kSmall / times.theirs / 1e6,
                     1 / times.ratio);
}

bool run_operators(backend::Backend& native, backend::Backend& composed) {
  bool good = true;
  const auto cell = [&](const Application& what) {
    std::string out = compare(native, composed, what);
    good &= !out.empty();
    return out;
  };
  heading("operators, native / composed, 10^6 a second", "", "f16", "bf16", "f32");
  for (const spec::OpInfo& op : spec::kOps) {
    if (op.types != spec::kFloats || spec::is_reduction(op.op) || spec::is_approximate(op.op)) continue;
    std::vector<std::string> cells;
    for (const DataType type : kFloatTypes) cells.push_back(cell(operator_at(op.op, type)));
    row(op.mnemonic, cells);
  }
  heading("casts, to the nearest", "from", "to f16", "to bf16", "to f32", "to u32", "to i32");
  for (const spec::TypeInfo& from : spec::kTypes) {
    std::vector<std::string> cells;
    for (const DataType to : {DataType::F16, DataType::BF16, DataType::F32, DataType::U32, DataType::I32}) {
      const bool floats = spec::kFloats.contains(from.type) || spec::kFloats.contains(to);
      const bool there = floats && from.type != to && spec::can_cast(from.type, to);
      cells.push_back(there ? cell(cast_of(from.type, to)) : "");
    }
    if (std::ranges::any_of(cells, [](const std::string& c) { return !c.empty(); })) row(from.text, cells);
  }
  return good;
}

// --- The parallel tree

constexpr uint32_t kElements = 1u << 24;

float linear_sum(std::span<const float> x) {
  float sum = 0;
  for (const float v : x) sum += v;
  return sum;
}
/// The specification's tree, for powers of two: levels of pairs, a block at a time. The array is spent.
float tree_sum(std::span<float> x) {
  constexpr size_t kBlock = 2048;
  if (x.size() > kBlock) {
    const size_t half = x.size() / 2;
    const float left = tree_sum(x.first(half));
    return left + tree_sum(x.subspan(half));
  }
  float level[kBlock];
  std::ranges::copy(x, level);
  for (size_t n = x.size() / 2; n > 0; n /= 2) {
    for (size_t i = 0; i < n; ++i) level[i] = level[2 * i] + level[2 * i + 1];
  }
  return level[0];
}

/// The pipeline of examples/reduce.vyre.
Result<plan::Executable> tree_of(backend::Backend& native, uint32_t workgroup) {
  std::ifstream in(VYRE_SOURCE_DIR "/examples/reduce.vyre");
  std::ostringstream text;
  text << in.rdbuf();
  VYRE_TRY(module, text::parse_module(text.str(), &ops::op_table(), {{"W", workgroup}}));
  const auto main =
      std::ranges::find(module.pipelines, "main", &ir::Pipeline::name) - module.pipelines.begin();
  auto checked = check::check(std::move(module), ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  return plan::Executable::make(native, *checked, uint32_t(main));
}

bool run_tree(backend::Backend& native, uint32_t workgroup) {
  auto tree = tree_of(native, workgroup);
  auto data = native.allocate(uint64_t{kElements} * 4), result = native.allocate(4);
  if (!tree || !data || !result) return fmt::print(stderr, "tree: no plan, or no memory\n"), false;
  const Bytes values = column(DataType::F32, kElements, 0, true);
  if (!(*data)->write(0, values)) return false;
  Bytes copy = values;
  const std::span<float> floats(reinterpret_cast<float*>(copy.data()), kElements);
  bool good = true;
  const auto us = [&] {
    const std::array<backend::DeviceRange, 2> ranges = {
        backend::DeviceRange{data->get(), 0, uint64_t{kElements} * 4},
        backend::DeviceRange{result->get(), 0, 4}};
    good &= bool(tree->run(ranges));
  };
  float sum = 0;
  const auto them = [&] { sum = tree_sum(floats); };
  us();
  them();
  uint32_t word = 0;
  good &= bool((*result)->read(0, std::as_writable_bytes(std::span(&word, 1))));
  if (!good || word != std::bit_cast<uint32_t>(sum))
    return fmt::print(stderr, "tree: native and C++ differ\n"), false;
  volatile float linear = 0;
  const Race times = race(us, them);
  double strict = 1e9;
  for (int run = 0; run < 3; ++run) strict = std::min(strict, seconds([&] { linear = linear_sum(floats); }));
  constexpr double kBytes = 4.0 * kElements;
  row(fmt::format("2^24 f32, workgroups of {}", workgroup),
      {fmt::format("{:.1f} GB/s", kBytes / times.ours / 1e9),
       fmt::format("{:.1f} GB/s", kBytes / times.theirs / 1e9),
       fmt::format("{:.1f} GB/s", kBytes / strict / 1e9)});
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  markdown = argc > 1 && std::string_view(argv[1]) == "--markdown";
  const auto open = [](backend::FloatForm form) {
    return backend::make_native({.optimisation = 2, .threads = 1, .floats = form});
  };
  const auto native = open(backend::FloatForm::Native), composed = open(backend::FloatForm::Composed);
  if (!native || !composed) return fmt::print(stderr, "the native backend does not open\n"), 3;
  fmt::print("{}, {}\n", (*native)->identity().device, (*native)->identity().driver);
  bool good = true;
  heading("native code and C++ on f32", "", "native", "C++", "time, ratio");
  for (const Loop& loop : kLoops) {
    good &= run_loop(**native, loop, kCached, "256 KiB");
    good &= run_loop(**native, loop, kLarge, "16 MB");
  }
  heading("the tree in parallel, and sums in C++", "", "native", "C++, tree", "C++, in order");
  for (const uint32_t workgroup : {32, 256, 1024}) good &= run_tree(**native, workgroup);
  good &= run_operators(**native, **composed);
  return good ? 0 : 1;
}
