// The elementary functions of f32 beside those that others use: speed, and how often the others are wrong.
//
//   bench_functions                                native beside the C library's sinf, expf, ...
//   bench_functions --backend cuda --rival X.ptx   cuda beside CUDA's; X is bench/cuda_functions.cu, compiled
//   by
//                                                  nvcc -ptx -arch=sm_90 (no fast-math option)
//   bench_functions ... --all                      errors over all 2^32 inputs, not one in 64
//
// On the CPU one thread goes through 64 Ki numbers in its cache, ours and theirs in turns. On a GPU 2^28
// numbers stream from memory to memory, by kernels of several shapes of which the fastest counts, and a copy
// of as much by the driver stands beside both. The inputs of a function are ordinary ones for it
// (kFunctionRows). Ours are correctly rounded, which float_sweep shows; so where theirs differ they are
// wrong, and are counted, with the greatest distance in units of the last place. Exit 1 where ours differs
// from the oracle on one of a million inputs, 3 without a device.
#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <thread>

#include "backend/cuda/cuda.h"
#include "backend/cuda/driver.h"
#include "backend/native/native.h"
#include "base/random.h"
#include "device_bench.h"
#include "num/functions.h"
#include "spec/ops.h"
#include "spec/table.h"

namespace {

using namespace vyre;
using namespace vyre::bench;
using spec::Op;
using Words = std::vector<uint32_t>;

struct Function {
  float (*rival)(float);
  uint32_t (*oracle)(num::FloatFormat, uint32_t);
  float from, to;  // ordinary inputs
};
constexpr bool is_timed(Op op) { return spec::is_elementary(op) && spec::operand_count(op) == 1; }
constexpr spec::Row<Op, Function> kFunctionRows[] = {
    {Op::FSin, {sinf, num::sin, -100, 100}},     {Op::FCos, {cosf, num::cos, -100, 100}},
    {Op::FTan, {tanf, num::tan, -100, 100}},     {Op::FASin, {asinf, num::asin, -1, 1}},
    {Op::FACos, {acosf, num::acos, -1, 1}},      {Op::FATan, {atanf, num::atan, -10, 10}},
    {Op::FExp, {expf, num::exp, -80, 80}},       {Op::FLog, {logf, num::log, 0, 1000}},
    {Op::FExp2, {exp2f, num::exp2, -120, 120}},  {Op::FLog2, {log2f, num::log2, 0, 1000}},
    {Op::FExp10, {exp10f, num::exp10, -35, 35}}, {Op::FLog10, {log10f, num::log10, 0, 1000}},
};
constexpr spec::TotalTable<kFunctionRows, is_timed> kFunctions;

Words ordinary(const Function& f, size_t count) {
  Words out(count);
  for (size_t i = 0; i < count; ++i) {
    const float unit = float(philox(1, i, 0)[0] >> 8) * 0x1p-24f;
    out[i] = std::bit_cast<uint32_t>(f.from + (f.to - f.from) * unit);
  }
  return out;
}

/// How a kernel goes through the numbers: by words, or by vectors of four; so many of them an invocation, a
/// workgroup apart, so that several are under way at once.
struct Shape {
  uint32_t lanes, each, workgroup;
  constexpr uint32_t group() const { return lanes * each * workgroup; }  // numbers of a workgroup
};
constexpr Shape kWord{1, 1, 256};

std::unique_ptr<backend::Pipeline> compile(backend::Backend& backend, Op op, Shape shape = kWord) {
  const auto [lanes, each, workgroup] = shape;
  const std::string name(spec::mnemonic(op));
  std::string text = fmt::format(
      "program one(read a: {0} @0, read_write out: {0} @1) workgroup({1}, 1, 1) {{\n"
      "  let i = local_id.x + (workgroup_id.x + workgroup_id.y * 32768) * {2};\n",
      lanes == 1 ? "f32" : "vec4u32", workgroup, workgroup * each);
  for (uint32_t k = 0; k < each; ++k) text += fmt::format("  let x{} = a[i + {}];\n", k, k * workgroup);
  for (uint32_t k = 0; k < each; ++k) {
    const auto of_lane = [&](char lane) {
      return fmt::format("bitcast<u32>({}(bitcast<f32>(x{}.{})))", name, k, lane);
    };
    const std::string value = lanes == 1 ? fmt::format("{}(x{})", name, k)
                                         : fmt::format("vec4u32({}, {}, {}, {})", of_lane('x'), of_lane('y'),
                                                       of_lane('z'), of_lane('w'));
    text += fmt::format("  out[i + {}] = {};\n", k * workgroup, value);
  }
  return must(backend.compile(checked(text + "}")));
}
layout::Groups groups_for(size_t elements, Shape shape = kWord) {
  return rows_of(elements / shape.group(), 1);
}

Words apply(backend::Pipeline& pipeline, Words& in) {
  Words out(in.size());
  const std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(in)),
                                                  std::as_writable_bytes(std::span(out))};
  must(pipeline.dispatch(host, groups_for(in.size())));
  return out;
}

/// What another library's function gives for many inputs.
using Rival = std::function<void(const Words& in, Words& out)>;

struct Errors {
  uint64_t inputs = 0, wrong = 0, greatest = 0;  // greatest: distance in units of the last place
  Errors& operator+=(const Errors& more) {
    inputs += more.inputs, wrong += more.wrong, greatest = std::max(greatest, more.greatest);
    return *this;
  }
};
Errors compare(std::span<const uint32_t> right, std::span<const uint32_t> theirs) {
  const auto place = [](uint32_t x) { return (x >> 31) != 0 ? -int64_t(x & 0x7fffffff) : int64_t(x); };
  Errors out{.inputs = right.size()};
  for (size_t i = 0; i < right.size(); ++i) {
    const bool nan = spec::kBinary32.is_nan(right[i]);
    if (right[i] == theirs[i] || (nan && spec::kBinary32.is_nan(theirs[i]))) continue;
    ++out.wrong;
    const bool numbers = !nan && !spec::kBinary32.is_nan(theirs[i]);
    out.greatest = std::max(out.greatest, numbers ? uint64_t(std::abs(place(right[i]) - place(theirs[i])))
                                                  : uint64_t{UINT32_MAX});
  }
  return out;
}

/// Over all inputs, or one in 64.
Errors errors_of(backend::Pipeline& ours, const Rival& rival, bool all) {
  constexpr uint64_t kBlock = uint64_t{1} << 25;
  Errors sum;
  Words in(kBlock), theirs(kBlock);
  for (uint64_t first = 0; first < uint64_t{1} << 32; first += kBlock * (all ? 1 : 64)) {
    for (uint64_t i = 0; i < kBlock; ++i) in[i] = uint32_t(all ? first + i : first + 64 * i);
    const Words right = apply(ours, in);
    rival(in, theirs);
    const size_t threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<Errors> parts(threads);
    {
      std::vector<std::jthread> workers;
      for (size_t t = 0; t < threads; ++t) {
        workers.emplace_back([&, t] {
          const size_t begin = kBlock * t / threads, count = kBlock * (t + 1) / threads - begin;
          parts[t] = compare(std::span(right).subspan(begin, count), std::span(theirs).subspan(begin, count));
        });
      }
    }
    for (const Errors& part : parts) sum += part;
  }
  return sum;
}

void must_be_right(backend::Pipeline& pipeline, Op op) {
  Words in(1 << 20);
  for (size_t i = 0; i < in.size(); ++i) in[i] = philox(2, i, 0)[0];
  const Words out = apply(pipeline, in);
  for (size_t i = 0; i < in.size(); ++i)
    must_be(out[i] == kFunctions[op].oracle(spec::kBinary32, in[i]), spec::mnemonic(op));
}

/// Whether a kernel of another shape gave what the plain one gives, for some of the numbers.
void must_agree(backend::Pipeline& plain, backend::DeviceBuffer& results, const Words& in) {
  constexpr size_t kLooked = 1 << 20;
  Words some(in.end() - kLooked, in.end()), have(kLooked);
  const Words want = apply(plain, some);
  must(results.read((in.size() - kLooked) * 4, std::as_writable_bytes(std::span(have))));
  must_be(want == have, "another shape");
}

// ---- The CPU ----------------------------------------------------------------------------------------------

Rival of_the_library(Op op) {
  return [function = kFunctions[op].rival](const Words& in, Words& out) {
    const size_t threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> workers;
    for (size_t t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        for (size_t i = in.size() * t / threads; i < in.size() * (t + 1) / threads; ++i)
          out[i] = std::bit_cast<uint32_t>(function(std::bit_cast<float>(in[i])));
      });
    }
  };
}

double median(std::vector<double> of) {
  std::ranges::nth_element(of, of.begin() + ptrdiff_t(of.size() / 2));
  return of[of.size() / 2];
}

void on_the_cpu(bool all) {
  const auto one = must(backend::make_native({.optimisation = 3, .threads = 1}));
  const auto many = must(backend::make_native({.optimisation = 3}));
  fmt::print(
      "| function | ours, ns | C library, ns | ours / theirs | inputs | theirs wrong | by at most, ULP |\n"
      "|---|--:|--:|--:|--:|--:|--:|\n");
  for (const spec::OpInfo& info : spec::kOps) {
    if (!is_timed(info.op)) continue;
    const auto pipeline = compile(*one, info.op), parallel = compile(*many, info.op);
    must_be_right(*pipeline, info.op);
    const Function& f = kFunctions[info.op];
    Words in = ordinary(f, 1 << 16), out(in.size());
    const std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(in)),
                                                    std::as_writable_bytes(std::span(out))};
    std::vector<double> ours, theirs, ratios;
    for (int turn = 0; turn < 101; ++turn) {
      ours.push_back(seconds([&] { must(pipeline->dispatch(host, groups_for(in.size()))); }));
      theirs.push_back(seconds([&] {
        for (size_t i = 0; i < in.size(); ++i)
          out[i] = std::bit_cast<uint32_t>(f.rival(std::bit_cast<float>(in[i])));
      }));
      ratios.push_back(ours.back() / theirs.back());
    }
    const Errors errors = errors_of(*parallel, of_the_library(info.op), all);
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {} | {} | {} |\n", info.mnemonic,
               median(ours) / double(in.size()) * 1e9, median(theirs) / double(in.size()) * 1e9,
               median(ratios), errors.inputs, errors.wrong, errors.greatest);
    std::fflush(stdout);
  }
}

// ---- A GPU ------------------------------------------------------------------------------------------------

/// CUDA's functions, by the driver: memory and modules of their own in the context that the backend made
/// current.
class CudaFunctions {
 public:
  CudaFunctions(const std::string& file, size_t elements) : driver_(must(backend::cuda::open_driver(""))) {
    std::ifstream in(file, std::ios::binary);
    const std::string ptx{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    must_be(!ptx.empty() && driver_.load_module(&module_, ptx.c_str()) == 0, file);
    must_be(driver_.allocate(&from_, elements * 4) == 0 && driver_.allocate(&to_, elements * 4) == 0,
            "memory");
    void* const library = dlopen(
        std::getenv("VYRE_CUDA_LIB") != nullptr ? std::getenv("VYRE_CUDA_LIB") : "libcuda.so.1", RTLD_NOW);
    copy_ = reinterpret_cast<Copy>(dlsym(library, "cuMemcpyDtoD_v2"));
    wait_ = reinterpret_cast<int (*)()>(dlsym(library, "cuCtxSynchronize"));
  }
  ~CudaFunctions() {
    driver_.release(from_);
    driver_.release(to_);
    driver_.unload_module(module_);
  }
  CudaFunctions(const CudaFunctions&) = delete;
  CudaFunctions& operator=(const CudaFunctions&) = delete;

  void upload(const Words& in) {
    must_be(driver_.copy_in(from_, in.data(), in.size() * 4, nullptr) == 0 && wait_() == 0, "copy");
  }
  void download(Words& out) {
    must_be(driver_.copy_out(out.data(), to_, out.size() * 4, nullptr) == 0 && wait_() == 0, "copy");
  }
  void run(Op op, size_t elements) {
    backend::cuda::Function function = nullptr;
    must_be(driver_.function(&function, module_, std::string(spec::mnemonic(op)).c_str()) == 0, "rival");
    uint64_t count = elements;
    void* arguments[] = {&from_, &to_, &count};
    must_be(driver_.launch(function, unsigned((elements + 255) / 256), 1, 1, 256, 1, 1, 0, nullptr, arguments,
                           nullptr) == 0 &&
                wait_() == 0,
            "rival");
  }
  void copy(size_t elements) { must_be(copy_(to_, from_, elements * 4) == 0 && wait_() == 0, "copy"); }

 private:
  using Copy = int (*)(uint64_t, uint64_t, size_t);
  backend::cuda::Driver driver_;
  backend::cuda::Module module_ = nullptr;
  backend::cuda::DevicePointer from_ = 0, to_ = 0;
  Copy copy_ = nullptr;
  int (*wait_)() = nullptr;
};

/// The best of these is shown. What a device likes depends on the registers of the function, and so on it.
constexpr Shape kShapes[] = {kWord,       {1, 4, 256}, {4, 1, 64}, {4, 1, 128},
                             {4, 1, 256}, {4, 2, 128}, {4, 2, 256}};
std::string text(Shape shape) {
  return fmt::format("{} x {} in {}", shape.each, shape.lanes == 1 ? "f32" : "vec4u32", shape.workgroup);
}

void on_a_gpu(const std::string& ptx, bool all, const std::vector<std::string>& only) {
  constexpr size_t kElements = size_t{1} << 28;
  constexpr double kBytes = 8.0 * double(kElements);
  const auto gpu = must(backend::make_cuda({}));
  fmt::print("{}; {}\n", gpu->identity().device, gpu->identity().driver);
  const auto from = must(gpu->allocate(kElements * 4)), to = must(gpu->allocate(kElements * 4));
  const backend::DeviceRange ranges[] = {{from.get(), 0, kElements * 4}, {to.get(), 0, kElements * 4}};
  CudaFunctions rival(ptx, kElements);
  const double copy = best_of(20, [&] { rival.copy(kElements); });
  fmt::print(
      "device copy {:.0f} GB/s\n\n"
      "| function | ours, GB/s | of the copy | by | CUDA's, GB/s | inputs | CUDA's wrong | by "
      "at most, ULP |\n"
      "|---|--:|--:|---|--:|--:|--:|--:|\n",
      kBytes / copy / kGigabyte);
  for (const spec::OpInfo& info : spec::kOps) {
    if (!is_timed(info.op)) continue;
    if (!only.empty() && std::ranges::find(only, info.mnemonic) == only.end()) continue;
    const auto pipeline = compile(*gpu, info.op);
    must_be_right(*pipeline, info.op);
    const Words in = ordinary(kFunctions[info.op], kElements);
    must(from->write(0, std::as_bytes(std::span(in))));
    rival.upload(in);
    double ours = 1e9;
    Shape best = kWord;
    for (const Shape shape : kShapes) {
      const auto kernel = compile(*gpu, info.op, shape);
      must(to->fill(0, kElements * 4, std::byte{0}));
      const double time =
          best_of(20, [&] { must(kernel->dispatch_resident(ranges, groups_for(kElements, shape))); });
      must_agree(*pipeline, *to, in);
      if (time < ours) ours = time, best = shape;
    }
    const double theirs = best_of(20, [&] { rival.run(info.op, kElements); });
    const Errors errors = errors_of(
        *pipeline,
        [&](const Words& x, Words& out) {
          rival.upload(x);
          rival.run(info.op, x.size());
          rival.download(out);
        },
        all);
    fmt::print("| {} | {:.0f} | {:.2f} | {} | {:.0f} | {} | {} | {} |\n", info.mnemonic,
               kBytes / ours / kGigabyte, copy / ours, text(best), kBytes / theirs / kGigabyte, errors.inputs,
               errors.wrong, errors.greatest);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"elementary functions beside those of C and CUDA: speed, and how often those are wrong"};
  std::string backend = "native", rival;
  bool all = false;
  app.add_option("--backend", backend, "native or cuda")->check(CLI::IsMember({"native", "cuda"}));
  app.add_option("--rival", rival, "cuda: bench/cuda_functions.cu as PTX");
  std::vector<std::string> only;
  app.add_option("--only", only, "these functions");
  app.add_flag("--all", all, "errors over all inputs");
  CLI11_PARSE(app, argc, argv);
  if (backend == "native") {
    on_the_cpu(all);
  } else if (rival.empty()) {
    fmt::print(stderr, "bench_functions: name CUDA's functions as PTX: --rival FILE\n");
    return 2;
  } else {
    on_a_gpu(rival, all, only);
  }
  return 0;
}
