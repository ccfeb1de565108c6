// num_functions: the oracle for functions against plain MPFR, on as many inputs as one likes.
//
//   num_functions --count 10000000            so many inputs of each function, over all exponents and hard
//   places num_functions --all exp                   all 2^32 values of F32: hours of one core, most of it
//   MPFR's
//
// MPFR is asked as in mpfr_float.h: 24 bits to nearest, then mpfr_subnormalize. That shares no step of the
// oracle's way from MPFR to patterns. A line a function says how many inputs there were, how many were wrong
// (any: exit code 1), how many the estimates left to MPFR, and the seconds.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "functions_opinions.h"
#include "num/decision.h"

namespace vyre::num::test {
namespace {

constexpr FloatFormat kFormat = spec::kBinary32;

struct Arguments {
  std::vector<std::string> functions;
  uint64_t count = 100000;
  bool all = false;
  uint64_t first = 0, end = uint64_t{1} << 32;  // of all
  unsigned threads = 1;
};

/// What a sweep has seen; its threads add to it.
class Findings {
 public:
  explicit Findings(const char* name) : name_(name) {}
  void wrong(uint32_t a, uint32_t b, uint32_t got, uint32_t expected) {
    if (wrong_++ >= 5) return;
    const std::lock_guard lock(mutex_);
    fmt::print("{} {:08x} {:08x}: {:08x}, MPFR says {:08x}\n", name_, a, b, got, expected);
  }
  void add(uint64_t cases, uint64_t undecided) {
    cases_ += cases;
    undecided_ += undecided;
  }
  bool report() const {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
    fmt::print("{:6} {:>11} inputs {:>3} wrong {:>8} left to MPFR {:>8.1f} s\n", name_, cases_.load(),
               wrong_.load(), undecided_.load(), time.count());
    std::fflush(stdout);
    return wrong_ == 0;
  }

 private:
  const char* name_;
  std::atomic<uint64_t> cases_ = 0, wrong_ = 0, undecided_ = 0;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

bool is_ordinary(uint32_t a) {
  return !kFormat.is_nan(a) && !kFormat.is_infinite(a) && (a & ~kFormat.sign_bit()) != 0;
}
/// 1 and -1 are edges of some functions and ordinary operands of others: they are never counted as undecided.
bool is_unit(uint32_t a) { return (a & ~kFormat.sign_bit()) == kFormat.one(); }

/// Blocks of 2^16 inputs, each with its own random numbers, so that threads do not change what is run.
template <class Block>
void in_blocks(const Arguments& arguments, uint64_t begin, uint64_t end, Block block) {
  std::atomic<uint64_t> next = begin;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < arguments.threads; ++i) {
    threads.emplace_back([&] {
      for (uint64_t first; (first = next.fetch_add(1 << 16)) < end;) {
        block(first, uint32_t(std::min<uint64_t>(end - first, 1 << 16)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

bool sweep(const UnaryFunction& function, const Arguments& arguments) {
  Findings findings(function.name);
  in_blocks(arguments, arguments.all ? arguments.first : 0, arguments.all ? arguments.end : arguments.count,
            [&](uint64_t first, uint32_t count) {
              Mpfr mpfr(kFormat);
              Exact x;
              RandomStream random(first, 1);
              std::vector<uint32_t> a(count), out(count);
              for (uint32_t i = 0; i < count; ++i)
                a[i] = arguments.all ? uint32_t(first + i) : random_operand(kFormat, random);
              function.columns(kFormat, a, out);
              uint64_t undecided = 0;
              for (uint32_t i = 0; i < count; ++i) {
                x.set(kFormat, a[i]);
                const uint32_t expected = mpfr.apply(function.mpfr, x);
                if (out[i] != expected) findings.wrong(a[i], 0, out[i], expected);
                if (!is_ordinary(a[i]) || is_unit(a[i]) || kFormat.is_nan(expected)) continue;
                undecided += is_decided(kFormat, function.estimate(exact_ball(kFormat, a[i]))) ? 0 : 1;
              }
              findings.add(count, undecided);
            });
  return findings.report();
}

bool sweep(const BinaryFunction& function, const Arguments& arguments) {
  Findings findings(function.name);
  in_blocks(arguments, 0, arguments.count, [&](uint64_t first, uint32_t count) {
    Mpfr mpfr(kFormat);
    Exact x, y;
    RandomStream random(first, 2);
    std::vector<uint32_t> a(count), b(count), out(count);
    for (uint32_t i = 0; i < count; ++i) std::tie(a[i], b[i]) = random_pair(kFormat, random);
    function.columns(kFormat, a, b, out);
    uint64_t undecided = 0;
    for (uint32_t i = 0; i < count; ++i) {
      x.set(kFormat, a[i]);
      y.set(kFormat, b[i]);
      const uint32_t expected = mpfr.apply(function.mpfr, x, y);
      if (out[i] != expected) findings.wrong(a[i], b[i], out[i], expected);
      if (!is_ordinary(a[i]) || !is_ordinary(b[i]) || is_unit(a[i]) || kFormat.is_nan(expected)) continue;
      const Ball ball = function.estimate(exact_ball(kFormat, a[i]), exact_ball(kFormat, b[i]));
      undecided += is_decided(kFormat, ball) ? 0 : 1;
    }
    findings.add(count, undecided);
  });
  return findings.report();
}

template <class Functions>
void add_names(std::vector<std::string>& names, const Functions& functions) {
  for (const auto& function : functions) names.emplace_back(function.name);
}

int run(int argc, char** argv) {
  Arguments arguments;
  std::vector<std::string> names;
  add_names(names, kUnaryFunctions);
  add_names(names, kBinaryFunctions);
  CLI::App app{"The oracle for functions against MPFR, at 32 bits"};
  app.add_option("FUNCTION", arguments.functions, "all of them, if none is named")
      ->check(CLI::IsMember(names));
  app.add_option("--count", arguments.count, "inputs a function");
  app.add_flag("--all", arguments.all, "all 2^32 inputs instead, of functions of one operand");
  app.add_option("--first", arguments.first, "with --all: the first pattern")
      ->check(CLI::Range(uint64_t{1} << 32));
  app.add_option("--end", arguments.end, "with --all: the one after the last")
      ->check(CLI::Range(uint64_t{1} << 32));
  app.add_option("--threads", arguments.threads)->check(CLI::Range(1u, 1024u));
  CLI11_PARSE(app, argc, argv);

  bool good = true;
  const auto go_through = [&](const auto& functions) {
    for (const auto& function : functions) {
      const auto& wanted = arguments.functions;
      if (wanted.empty() || std::ranges::find(wanted, function.name) != wanted.end()) {
        good = sweep(function, arguments) && good;
      }
    }
  };
  go_through(kUnaryFunctions);
  if (!arguments.all) go_through(kBinaryFunctions);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace vyre::num::test

int main(int argc, char** argv) { return vyre::num::test::run(argc, argv); }
