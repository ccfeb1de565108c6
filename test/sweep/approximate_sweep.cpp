// approximate_sweep: the approximate forms of functions (lower/fast/single.h) on all 2^32 inputs, by the
// host's own arithmetic, against the oracle (num/functions.h).
//
//   approximate_sweep [--every N] [--threads N] [FUNCTION...]
//
// Of each form it prints how many results are how many numbers of f32 away from the correctly rounded value,
// and where the farthest is. --every N runs one block of 4096 inputs in N. Exit 1 where a result is farther
// away than spec/approximations.def allows, or where an operand is a zero, an infinity or NaN and the result
// is another one.
//
// What is hard, and taken by the strict function, is taken by the oracle here and counted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <mutex>
#include <thread>

#include "host_machine.h"
#include "lower/fast/single.h"
#include "num/functions.h"
#include "spec/ops.h"

namespace {

using namespace vyre;
namespace fast = lower::fast;
using Machine = fast::HostMachine<false>;
using Word = fast::Word<Machine>;

constexpr uint32_t kBlock = 4096;
constexpr uint32_t kMost = 17;

struct Function {
  spec::Op op;
  uint32_t (*form)(uint32_t x, bool& hard);
  void (*exact)(num::FloatFormat, num::Column, num::Results);
};
template <Word (*form)(Word)>
uint32_t plain(uint32_t x, bool&) {
  Machine machine;
  return form({&machine, x}).v;
}
/// The hard ones are not judged: the strict function takes them.
#define ANGLE(name)                                                                   \
  [](uint32_t x, bool& hard) {                                                        \
    Machine machine;                                                                  \
    return fast::short_##name(Word{&machine, x},                                      \
                              [&] {                                                   \
                                hard = true;                                          \
                                return Word{&machine, num::name(spec::kBinary32, x)}; \
                              })                                                      \
        .v;                                                                           \
  }
constexpr Function kFunctions[] = {
    {spec::Op::FSinApprox, ANGLE(sin), num::sin},
    {spec::Op::FCosApprox, ANGLE(cos), num::cos},
    {spec::Op::FTanApprox, ANGLE(tan), num::tan},
    {spec::Op::FExpApprox, plain<fast::short_exp<Machine>>, num::exp},
    {spec::Op::FExp2Approx, plain<fast::short_exp2<Machine>>, num::exp2},
    {spec::Op::FExp10Approx, plain<fast::short_exp10<Machine>>, num::exp10},
    {spec::Op::FLogApprox, plain<fast::short_log<Machine>>, num::log},
    {spec::Op::FLog2Approx, plain<fast::short_log2<Machine>>, num::log2},
    {spec::Op::FLog10Approx, plain<fast::short_log10<Machine>>, num::log10},
};
#undef ANGLE

struct Tally {
  uint64_t steps[kMost + 1] = {};  // the last: that many or more, or another kind of value
  uint64_t hard = 0, wrong = 0;
  uint32_t farthest = 0, at = 0;

  void add(const Tally& t) {
    for (uint32_t n = 0; n <= kMost; ++n) steps[n] += t.steps[n];
    hard += t.hard, wrong += t.wrong;
    if (t.farthest > farthest) farthest = t.farthest, at = t.at;
  }
};

void judge(const Function& f, uint32_t x, uint32_t got, uint32_t wanted, Tally& tally) {
  const uint32_t size = x & ~fast::kSign;
  const bool special = size == 0 || size >= fast::kInfinity;
  const bool alike =
      !spec::kBinary32.is_nan(got) && !spec::kBinary32.is_nan(wanted) && ((got ^ wanted) >> 31) == 0;
  const uint32_t steps = got == wanted ? 0
                         : alike       ? std::min(kMost, got > wanted ? got - wanted : wanted - got)
                                       : kMost;
  ++tally.steps[steps];
  if (steps > tally.farthest) tally.farthest = steps, tally.at = x;
  const uint32_t allowed = special ? 0 : spec::bound_of(f.op, spec::DataType::F32);
  if (steps <= allowed) return;
  if (++tally.wrong <= 5)
    fmt::print("{} of {:08x}: {:08x}, the strict function gives {:08x}\n", spec::mnemonic(f.op), x, got,
               wanted);
}

Tally sweep(const Function& f, uint64_t every, unsigned threads) {
  std::atomic<uint64_t> next = 0;
  std::mutex mutex;
  Tally total;
  const auto work = [&] {
    std::vector<uint32_t> x(kBlock), wanted(kBlock);
    Tally mine;
    for (uint64_t at; (at = next.fetch_add(every * kBlock)) < uint64_t{1} << 32;) {
      for (uint32_t i = 0; i < kBlock; ++i) x[i] = uint32_t(at) + i;
      f.exact(spec::kBinary32, x, wanted);
      for (uint32_t i = 0; i < kBlock; ++i) {
        bool hard = false;
        const uint32_t got = f.form(x[i], hard);
        mine.hard += hard;
        judge(f, x[i], got, wanted[i], mine);
      }
    }
    const std::lock_guard lock(mutex);
    total.add(mine);
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < threads; ++i) workers.emplace_back(work);
  workers.clear();
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("approximate forms of functions on all inputs");
  std::vector<std::string> names;
  uint64_t every = 1;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  app.add_option("--every", every, "one block in so many")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads)->check(CLI::PositiveNumber);
  app.add_option("FUNCTION", names, "by the operator's name, such as fsin_approx");
  CLI11_PARSE(app, argc, argv);

  bool right = true;
  for (const Function& f : kFunctions) {
    const std::string name(spec::mnemonic(f.op));
    if (!names.empty() && std::ranges::find(names, name) == names.end()) continue;
    const Tally t = sweep(f, every, threads);
    fmt::print("{:<13} bound {}, farthest {} (of {:08x}), hard {};", name,
               spec::bound_of(f.op, spec::DataType::F32), t.farthest, t.at, t.hard);
    for (uint32_t n = 0; n <= kMost; ++n) {
      if (t.steps[n] != 0) fmt::print(" {}: {}", n, t.steps[n]);
    }
    fmt::print("\n");
    std::fflush(stdout);
    right &= t.wrong == 0;
  }
  return right ? 0 : 1;
}
