// integer_sweep: integer operators over all 2^32 values of their first operand, on a backend, against the
// oracle.
//
//   integer_sweep [--backend SPEC[,SPEC]] [--preset NAME] [--first N] [--count N] [--second B[,B]]
//                 [--threads N] [--expect] [OPERATION...]
//
// An operation is "popcount.u32", "div.i32" or a primitive's id. One operand: all 2^32 inputs. Two: all 2^32
// of the first with each of a structured list of the second, or with those of --second. The device tells one
// word of each chunk of inputs (integer_operation.h); every word is compared with the oracle's, which counts
// quotients, looks bits up in tables, and is itself held to the reference evaluator at samples. Of a word
// that differs, the chunk is run again one input at a time, and the first that is wrong is shown. A run ends
// with a row of a table: cases, wrong chunks, rate, digest of the words in order. What it says is about this
// pipeline on this driver.
// --preset: unary (every operator and primitive of one operand: minutes on 2 cores), structured (every
// operator of two: for a GPU and many cores). --first F, --count N: N inputs from F on, in whole chunks,
// instead of all from 0 on. --expect asks no backend and prints the oracle's own digests. Exit 0: nothing
// wrong; 1: something; 2: usage; 3: no such backend, or it failed.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "backend/registry/registry.h"
#include "base/digest.h"
#include "check/checked.h"
#include "command_line.h"
#include "integer_operation.h"
#include "integer_operators.h"

namespace {

using namespace vyre;
using sweep::IntegerOperation;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kWords = uint64_t{1} << 32;
constexpr uint32_t kChunk = 1u << 12;       // inputs that one word tells of
constexpr uint32_t kFirstSlice = 1u << 12;  // chunks of a dispatch; doubled while it is quick
constexpr uint32_t kLargestSlice = 1u << 18;
constexpr auto kQuick = std::chrono::milliseconds(100);
constexpr uint32_t kPart = 64;       // chunks that a thread of the oracle takes at a time
constexpr uint64_t kSampled = 4099;  // one input in so many is held to the reference evaluator: a prime

struct Arguments : sweep::CommonArguments {
  std::vector<uint32_t> second;
  uint32_t first = 0;  // of a chunk
  std::optional<uint64_t> count;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Runs a function of a part's first chunk and size on several threads.
template <typename F>
void in_parts(uint32_t chunks, unsigned threads, F f) {
  std::atomic<uint32_t> next = 0;
  std::vector<std::jthread> workers;
  for (unsigned t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      for (uint32_t first; (first = next.fetch_add(kPart)) < chunks;)
        f(first, std::min(kPart, chunks - first));
    });
  }
}

/// The words of the chunks from the input `start` on, by the oracle. False: it does not say what the
/// reference evaluator says.
bool expect(const IntegerOperation& operation, uint32_t start, uint32_t second, unsigned threads,
            std::vector<uint32_t>& words) {
  std::atomic<bool> right = true;
  in_parts(uint32_t(words.size()), threads, [&](uint32_t first, uint32_t n) {
    for (uint32_t chunk = first; chunk < first + n; ++chunk) {
      const uint64_t input = start + uint64_t{chunk} * kChunk;
      words[chunk] = sweep::expected_sum(operation, uint32_t(input), kChunk, second);
      const uint64_t sample = (input + kSampled - 1) / kSampled * kSampled;
      if (sample >= input + kChunk) continue;
      const auto at = uint32_t(sample);
      if (sweep::expected_sum(operation, at, 1, second) !=
          sweep::defined(operation, at, second) * test::weight(at))
        right = false;
    }
  });
  return right;
}

/// One pipeline of one backend.
class Device {
 public:
  static Result<std::unique_ptr<Device>> make(const std::string& spec, const check::Checked& checked,
                                              unsigned threads) {
    backend::Options options;
    options.threads = threads;
    auto out = std::make_unique<Device>();
    VYRE_TRY(opened, backend::open(spec, options));
    out->backend_ = std::move(opened);
    VYRE_TRY(pipeline, out->backend_->compile(checked));
    out->pipeline_ = std::move(pipeline);
    return out;
  }

  Result<void> run(uint32_t start, uint32_t second, std::span<uint32_t> words) {
    for (size_t first = 0; first < words.size();) {
      const size_t n = std::min<size_t>(slice_, words.size() - first);
      const auto begin = Clock::now();
      VYRE_CHECK(dispatch(start + uint32_t(first) * kChunk, kChunk, second, words.subspan(first, n)));
      if (Clock::now() - begin < kQuick) slice_ = std::min(2 * slice_, kLargestSlice);
      first += n;
    }
    return {};
  }

  /// Chunks of `length` inputs.
  Result<void> dispatch(uint32_t first, uint32_t length, uint32_t second, std::span<uint32_t> words) {
    std::vector<uint32_t> parameters = {first, length, second, 0};
    for (size_t k = 0; k < words.size(); ++k) words[k] = uint32_t(k) * 0x85ebca6b + 0x5eed1a3d;  // poison
    const std::array<std::span<std::byte>, 2> host = {std::as_writable_bytes(std::span(parameters)),
                                                      std::as_writable_bytes(words)};
    return pipeline_->dispatch(host, {.x = uint32_t((words.size() + 255) / 256), .y = 1, .z = 1});
  }

 private:
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<backend::Pipeline> pipeline_;
  uint32_t slice_ = kFirstSlice;
};

/// What one backend comes to on one operation.
struct Outcome {
  uint64_t wrong = 0;  // chunks
  std::string first;   // the first that is wrong, in words
  double seconds = 0;
  Hasher digest;
};

constexpr uint32_t inverse(uint32_t odd) {
  uint32_t x = odd;
  for (int round = 0; round < 5; ++round) x *= 2 - odd * x;
  return x;
}

/// The first wrong input of the chunk at `start`; the sums of one input each are divided by their weights.
Result<std::string> attribute(Device& device, const IntegerOperation& operation, uint32_t start,
                              uint32_t second) {
  std::vector<uint32_t> words(kChunk);
  VYRE_CHECK(device.dispatch(start, 1, second, words));
  for (uint32_t k = 0; k < kChunk; ++k) {
    const uint32_t input = start + k, result = words[k] * inverse(test::weight(input));
    const uint32_t right = sweep::expected_sum(operation, input, 1, second) * inverse(test::weight(input));
    if (result == right) continue;
    return fmt::format("operands {:#x} {:#x}, expected {:#x}, actual {:#x}", input, second, right, result);
  }
  return fmt::format("chunk {:#x} with {:#x}, of which each input is right on its own", start, second);
}

Result<void> compare(Device& device, const IntegerOperation& operation, uint32_t start, uint32_t second,
                     std::span<const uint32_t> expected, std::span<const uint32_t> actual, Outcome& out) {
  for (uint32_t chunk = 0; chunk < expected.size(); ++chunk) {
    if (actual[chunk] == expected[chunk] || out.wrong++ > 0) continue;
    VYRE_TRY(first, attribute(device, operation, start + chunk * kChunk, second));
    out.first = std::move(first);
  }
  return {};
}

void print(const IntegerOperation& operation, std::string_view backend, uint64_t cases, const Outcome& o) {
  fmt::print("| {:28} | {:9} | {:>14} | {:>10} | {:>7.0f} | {} |\n", operation.name(), backend, cases,
             o.wrong, double(cases) / o.seconds / 1e6, Hasher(o.digest).finish().short_hex());
  if (o.wrong > 0) fmt::print("  first: {}\n", o.first);
  std::fflush(stdout);
}

/// Whether anything is wrong. Errors: the backends'.
Result<bool> run_operation(const IntegerOperation& operation, const Arguments& arguments) {
  const std::vector<uint32_t> seconds =
      arguments.second.empty() || operation.arity() == 1 ? structured_operands(operation) : arguments.second;
  auto checked = check::check(sweep::program_of(operation), ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  std::vector<std::unique_ptr<Device>> devices;
  for (const std::string& spec : arguments.expect ? std::vector<std::string>{} : arguments.backends) {
    VYRE_TRY(device, Device::make(spec, *checked, arguments.threads));
    devices.push_back(std::move(device));
  }
  std::vector<Outcome> outcomes(std::max<size_t>(1, devices.size()));
  const uint64_t count = arguments.count.value_or(kWords - arguments.first);
  std::vector<uint32_t> expected((count + kChunk - 1) / kChunk), actual(expected.size());
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  for (size_t k = 0; k < seconds.size(); ++k) {
    if (terminal) fmt::print(stderr, "\r\033[K{}  {} of {}", operation.name(), k, seconds.size());
    const auto begin = Clock::now();
    if (!expect(operation, arguments.first, seconds[k], arguments.threads, expected)) {
      fmt::print("{} with {:#x}: the oracle does not say what the reference evaluator says\n",
                 operation.name(), seconds[k]);
      return true;
    }
    if (devices.empty()) {
      outcomes[0].seconds += seconds_since(begin);
      outcomes[0].digest.update(std::as_bytes(std::span(expected)));
    }
    for (size_t d = 0; d < devices.size(); ++d) {
      const auto start = Clock::now();
      VYRE_CHECK(devices[d]->run(arguments.first, seconds[k], actual));
      outcomes[d].seconds += seconds_since(start);
      outcomes[d].digest.update(std::as_bytes(std::span(actual)));
      VYRE_CHECK(compare(*devices[d], operation, arguments.first, seconds[k], expected, actual, outcomes[d]));
    }
  }
  if (terminal) fmt::print(stderr, "\r\033[K");
  const uint64_t cases = uint64_t{expected.size()} * kChunk * seconds.size();
  bool wrong = false;
  for (size_t d = 0; d < outcomes.size(); ++d) {
    print(operation, devices.empty() ? "oracle" : arguments.backends[d], cases, outcomes[d]);
    wrong = wrong || outcomes[d].wrong > 0;
  }
  return wrong;
}

int run(Arguments arguments) {
  const bool unary = arguments.preset == "unary";
  if (!arguments.preset.empty()) {
    for (std::string& name : sweep::integer_operations(unary ? 1 : 2, unary))
      arguments.operations.push_back(std::move(name));
  }
  if (arguments.operations.empty()) {
    fmt::print(stderr, "integer_sweep: name an operation, such as popcount.u32, or a --preset\n");
    return 2;
  }
  if (arguments.threads == 0) arguments.threads = std::max(1u, std::thread::hardware_concurrency());
  bool wrong = false;
  for (const std::string& name : arguments.operations) {
    const auto operation = sweep::find_integer_operation(name);
    if (!operation) {
      fmt::print(stderr, "integer_sweep: there is no operation `{}` of one or two words\n", name);
      return 2;
    }
    const Result<bool> failed = run_operation(*operation, arguments);
    if (!failed) {
      fmt::print(stderr, "integer_sweep: {}: {}\n", name, failed.error().message);
      return 3;
    }
    wrong = wrong || *failed;
  }
  return wrong ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"integer operators over all 2^32 values of their first operand, against the oracle"};
  Arguments a;
  sweep::add_common(app, a, {"unary", "structured"}, "unary, or structured: of two operands",
                    "such as popcount.u32, div.i32 or primitive.math.abs");
  app.add_option("--first", a.first, "the input to begin with, a multiple of 4096");
  app.add_option("--count", a.count, "inputs from there on, instead of all")
      ->check(CLI::Range(uint64_t{1}, kWords));
  sweep::add_list(app, "--second", a.second, "second operands, instead of the structured ones");
  if (const auto ended = sweep::parse(app, argc, argv)) return *ended;
  if (a.first % kChunk != 0 || a.first + a.count.value_or(1) > kWords) {
    fmt::print(stderr, "integer_sweep: --first is a multiple of {}, and --count ends at 2^32 at most\n",
               kChunk);
    return 2;
  }
  return run(a);
}
