// Products of matrices by each tile, beside a library and a loop nest.
//
//   bench_matmul [--backend NAME] [--device gpu|cpu] [--shape M,N,K[,BATCH]]... [--block B] [--type
//   f32|f16|bf16|u32]
//                [--tile NAME]... [--swapped] [--levels N] [--runs N] [--threads N] [--processor-time]
//                [--print]
//                [--rivals LIBRARY]
//
// Without --tile it is what is chosen for the shape; `--tile all` is every one. All have to give the same
// bytes (exit 1). The library is OpenBLAS on a CPU, or what --rivals names with the same function
// cblas_sgemm, and cuBLAS on an NVIDIA GPU, without TF32 for f32; its sums have another order, so its results
// are only compared within a thousandth. Both have their buffers on the device, run in turn and are waited
// for; the best run counts, by the wall's clock or by the time of the processors. A ratio is the library's
// time over ours: 1 is as fast, less is slower.
#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "check/module.h"
#include "device_bench.h"
#include "plan/pipeline.h"
#include "tensor/matmul.h"

namespace {

using namespace vyre;
using namespace vyre::bench;
using namespace vyre::tensor;
using spec::DataType;
using Bytes = std::vector<std::byte>;

[[noreturn]] void fail(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

/// Floats between -1 and 1, or any words.
Bytes operand(DataType type, size_t count, uint64_t seed) {
  const size_t bytes = spec::info(type).bytes;
  Bytes out(count * bytes);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t r = philox(seed, i, 3)[0];
    const float number = float(int32_t(r)) * 0x1p-31f;
    uint32_t word = r;
    if (type == DataType::F32) word = std::bit_cast<uint32_t>(number);
    if (type == DataType::BF16) word = std::bit_cast<uint32_t>(number) >> 16;
    if (type == DataType::F16) word = (r & 0x83ff) | 0x3400;
    std::memcpy(out.data() + i * bytes, &word, bytes);
  }
  return out;
}

check::SizedNode node_of(std::vector<uint32_t> shape, DataType type) {
  check::SizedNode node;
  node.op = check::NodeOp::Parameter;
  node.type = type;
  node.shape = std::move(shape);
  return node;
}

ir::Module product(const MatmulShape& s, DataType operands_type, const MatmulChoice& choice, Device device) {
  const check::SizedNode a = node_of({s.batch, s.m, s.k}, operands_type);
  const check::SizedNode b = node_of({s.batch, s.k, s.n}, operands_type);
  check::SizedNode node = node_of({s.batch, s.m, s.n}, s.type);
  node.op = check::NodeOp::Matmul;
  node.block = s.block;
  Assembly assembly("product", device);
  const Array left = assembly.parameter("a", operands_type, check::elements(a.shape)),
              right = assembly.parameter("b", operands_type, check::elements(b.shape));
  const Array out = assembly.output("c", s.type, check::elements(node.shape));
  const check::SizedNode* operands[] = {&a, &b};
  const std::array<Element, 2> values = {
      [&](Body& body, const Coordinates& at) { return body.load(left, linear(body, a.shape, at)); },
      [&](Body& body, const Coordinates& at) { return body.load(right, linear(body, b.shape, at)); }};
  const Sink sink = [&](Body& body, const Coordinates& at, ir::Ex result) {
    body.store(out, linear(body, node.shape, at), result);
  };
  write_matmul(assembly, {node, operands, values, sink, device}, choice);
  return assembly.finish();
}

/// A library's product of matrices in device or host memory, or nothing.
class Rival {
 public:
  virtual ~Rival() = default;
  virtual std::string_view name() const = 0;
  virtual void run() = 0;  // and waits
  virtual Bytes result() = 0;
};

class OpenBlas : public Rival {
 public:
  static std::unique_ptr<Rival> make(const std::string& path, unsigned threads, const MatmulShape& s,
                                     const Bytes& a, const Bytes& b) {
    void* const library = dlopen(path.empty() ? "libopenblas.so.0" : path.c_str(), RTLD_NOW);
    if (library == nullptr) return nullptr;
    const auto set = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
    if (set != nullptr) set(int(threads));
    auto made = std::make_unique<OpenBlas>();
    made->call_ = reinterpret_cast<Call>(dlsym(library, "cblas_sgemm"));
    made->s_ = s, made->a_ = &a, made->b_ = &b;
    made->c_.resize(size_t(s.m) * s.n * 4);
    if (made->call_ == nullptr) return nullptr;
    return made;
  }
  std::string_view name() const override { return "OpenBLAS sgemm"; }
  void run() override {
    constexpr int kRowMajor = 101, kNoTranspose = 111;
    const int m = int(s_.m), n = int(s_.n), k = int(s_.k);
    call_(kRowMajor, kNoTranspose, kNoTranspose, m, n, k, 1, reinterpret_cast<const float*>(a_->data()), k,
          reinterpret_cast<const float*>(b_->data()), n, 0, reinterpret_cast<float*>(c_.data()), n);
  }
  Bytes result() override { return c_; }

 private:
  using Call = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                        float*, int);
  Call call_ = nullptr;
  MatmulShape s_;
  const Bytes *a_ = nullptr, *b_ = nullptr;
  Bytes c_;
};

class CuBlas : public Rival {
 public:
  static std::unique_ptr<Rival> make(const std::string& path, const MatmulShape& s, DataType operands,
                                     const Bytes& a, const Bytes& b) {
    auto made = std::make_unique<CuBlas>();
    const auto open = [](std::initializer_list<const char*> names) -> void* {
      for (const char* name : names) {
        void* const found = *name == 0 ? nullptr : dlopen(name, RTLD_NOW);
        if (found != nullptr) return found;
      }
      return nullptr;
    };
    void* const runtime =
        open({"libcudart.so", "libcudart.so.13", "libcudart.so.12", "/usr/local/cuda/lib64/libcudart.so"});
    void* const blas = open({path.c_str(), "libcublas.so", "libcublas.so.13", "libcublas.so.12",
                             "/usr/local/cuda/lib64/libcublas.so"});
    if (runtime == nullptr || blas == nullptr) return nullptr;
    made->synchronize_ = reinterpret_cast<int (*)()>(dlsym(runtime, "cudaDeviceSynchronize"));
    made->copy_ = reinterpret_cast<Copy>(dlsym(runtime, "cudaMemcpy"));
    const auto allocate = reinterpret_cast<int (*)(void**, size_t)>(dlsym(runtime, "cudaMalloc"));
    const auto create = reinterpret_cast<int (*)(void**)>(dlsym(blas, "cublasCreate_v2"));
    made->gemm_ = reinterpret_cast<Gemm>(dlsym(blas, "cublasGemmEx"));
    if (allocate == nullptr || create == nullptr || made->gemm_ == nullptr) return nullptr;
    made->s_ = s;
    made->type_ = operands == DataType::F32 ? 0 : operands == DataType::F16 ? 2 : 14;
    made->bytes_ = size_t(s.m) * s.n * 4;
    if (create(&made->handle_) != 0 || allocate(&made->a_, a.size()) != 0 ||
        allocate(&made->b_, b.size()) != 0 || allocate(&made->c_, made->bytes_) != 0)
      return nullptr;
    made->copy_(made->a_, a.data(), a.size(), 1);
    made->copy_(made->b_, b.data(), b.size(), 1);
    return made;
  }
  std::string_view name() const override { return "cuBLAS"; }
  void run() override {
    constexpr int kNoTranspose = 0, kF32 = 0, kComputeF32 = 68;
    const float one = 1, none = 0;
    const int m = int(s_.m), n = int(s_.n), k = int(s_.k);
    // By columns it is the transpose of the product of transposes.
    if (gemm_(handle_, kNoTranspose, kNoTranspose, n, m, k, &one, b_, type_, n, a_, type_, k, &none, c_, kF32,
              n, kComputeF32, -1) != 0)
      fail("cuBLAS fails");
    if (synchronize_() != 0) fail("CUDA fails");
  }
  Bytes result() override {
    Bytes out(bytes_);
    copy_(out.data(), c_, bytes_, 2);
    return out;
  }

 private:
  using Copy = int (*)(void*, const void*, size_t, int);
  using Gemm = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int,
                       int, const void*, void*, int, int, int, int);
  int (*synchronize_)() = nullptr;
  Copy copy_ = nullptr;
  Gemm gemm_ = nullptr;
  MatmulShape s_;
  int type_ = 0;
  size_t bytes_ = 0;
  void *handle_ = nullptr, *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
};

bool near(const Bytes& a, const Bytes& b) {
  for (size_t i = 0; i + 4 <= a.size(); i += 4) {
    float x = 0, y = 0;
    std::memcpy(&x, a.data() + i, 4);
    std::memcpy(&y, b.data() + i, 4);
    if (!(std::abs(x - y) <= 1e-3f * (1 + std::abs(y)))) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::string backend_name = "native", device_name, type_name = "f32", rivals;
  std::vector<std::string> shapes, tiles;
  uint32_t block = ir::kWholeBlock, runs = 7;
  int levels = -1;
  bool swapped = false, processors = false, printed = false;
  backend::Options options;
  CLI::App app;
  app.add_option("--backend", backend_name);
  app.add_option("--device", device_name);
  app.add_option("--shape", shapes);
  app.add_option("--tile", tiles);
  app.add_option("--block", block);
  app.add_option("--type", type_name);
  app.add_option("--runs", runs);
  app.add_option("--levels", levels);
  app.add_option("--threads", options.threads);
  app.add_option("--rivals", rivals);
  app.add_flag("--swapped", swapped);
  app.add_flag("--processor-time", processors);
  app.add_flag("--print", printed, "the module's text instead");
  CLI11_PARSE(app, argc, argv);
  if (shapes.empty()) shapes = {"1024,1024,1024"};
  const bool cpu = device_name.empty() ? backend_name == "native" : device_name == "cpu";
  const Device device = cpu ? Device::Cpu : Device::Gpu;
  DataType operands = DataType::F32;
  for (const DataType type : {DataType::F16, DataType::BF16, DataType::U32}) {
    if (spec::text(type) == type_name) operands = type;
  }
  const auto backend = must(backend::open(backend_name, options));
  fmt::print("{}\n{:<22} {:<10} {:>7} {:>11} {:>9} {:>11} {:>6} {:>11}\n", backend_name, "shape", "tile",
             "levels", "ms", "GFLOP/s", "library ms", "ratio", "compile ms");
  bool good = true;
  for (const std::string& shape : shapes) {
    MatmulShape s;
    s.block = block;
    s.type = operands == DataType::U32 ? operands : DataType::F32;
    s.narrow = spec::info(operands).bytes < 4;
    if (std::sscanf(shape.c_str(), "%u,%u,%u,%u", &s.m, &s.n, &s.k, &s.batch) < 3) fail("no shape: " + shape);
    std::vector<MatmulChoice> choices;
    if (tiles.empty()) choices.push_back(choose_matmul(s, device));
    for (const MatmulTile& tile : matmul_tiles()) {
      if (std::ranges::find(tiles, tile.name) == tiles.end() &&
          std::ranges::find(tiles, "all") == tiles.end())
        continue;
      choices.push_back(choose_matmul(s, tile, swapped));
    }
    const Bytes a = operand(operands, size_t(s.batch) * s.m * s.k, 1);
    const Bytes b = operand(operands, size_t(s.batch) * s.k * s.n, 2);
    const uint64_t bytes = uint64_t(s.batch) * s.m * s.n * spec::info(s.type).bytes;
    const auto da = must(backend->allocate(a.size())), db = must(backend->allocate(b.size()));
    const auto dc = must(backend->allocate(bytes));
    if (!da->write(0, a) || !db->write(0, b)) fail("writing fails");
    std::unique_ptr<Rival> rival;
    if (s.batch == 1 && operands != DataType::U32) {
      if (backend_name == "native" && operands == DataType::F32)
        rival = OpenBlas::make(rivals, options.threads == 0 ? 2 : options.threads, s, a, b);
      if (backend_name.starts_with("cuda") || backend_name.starts_with("vulkan"))
        rival = CuBlas::make(rivals, s, operands, a, b);
    }
    Bytes first;
    for (MatmulChoice choice : choices) {
      if (levels >= 0) choice.levels = uint32_t(levels);
      ir::Module module = product(s, operands, choice, device);
      if (printed) {
        fmt::print("{}", text::print(module));
        continue;
      }
      auto checked = check::check(std::move(module), ops::op_table());
      if (!checked) fail(checked.error().front().message);
      std::unique_ptr<plan::Executable> executable;
      const double compiling = seconds([&] {
        executable = std::make_unique<plan::Executable>(must(plan::Executable::make(*backend, *checked, 0)));
      });
      const std::array<backend::DeviceRange, 3> ranges = {backend::DeviceRange{da.get(), 0, a.size()},
                                                          backend::DeviceRange{db.get(), 0, b.size()},
                                                          backend::DeviceRange{dc.get(), 0, bytes}};
      double ours = std::numeric_limits<double>::infinity(), theirs = ours;
      for (uint32_t run = 0; run < runs + 1; ++run) {
        const auto once = [&] {
          if (const auto ran = executable->run(ranges); !ran) fail(ran.error().message);
        };
        ours = std::min(ours, time_of(processors, once));
        if (rival) theirs = std::min(theirs, time_of(processors, [&] { rival->run(); }));
      }
      Bytes got(bytes);
      if (!dc->read(0, got)) fail("reading fails");
      if (first.empty()) first = got;
      const bool equal = got == first, close = !rival || near(got, rival->result());
      good = good && equal && close;
      const double flops = 2.0 * s.batch * s.m * s.n * s.k;
      fmt::print("{:<22} {:<10} {:>7} {:>11.4f} {:>9.0f} {:>11} {:>6} {:>11.0f}{}{}\n", shape,
                 fmt::format("{}{}", choice.tile->name, choice.swapped ? "'" : ""), choice.levels, ours * 1e3,
                 flops / ours * 1e-9, rival ? fmt::format("{:.4f}", theirs * 1e3) : "-",
                 rival ? fmt::format("{:.2f}", theirs / ours) : "-", compiling * 1e3,
                 equal ? "" : "  OTHER BYTES than the first", close ? "" : "  FAR from the library");
      std::fflush(stdout);
    }
  }
  return good ? 0 : 1;
}
