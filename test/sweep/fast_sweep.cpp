// fast_sweep: the fast forms of elementary functions (lower/fast) on all 2^32 inputs, by the host's own
// arithmetic.
//
//   fast_sweep [--variant fused|plain|flushing[,...]] [--every N] [--threads N]
//              [--agree] [FUNCTION...]
//
// Of each form the double is kept that is rounded to the result. If it lies within 2^8 units of its last
// place of the middle of two numbers of f32, or is not what was rounded, or the result is not a normal
// number, MPFR decides; of the others every 2048th on average is given to MPFR too, and the greatest error of
// its double is printed, which has to be far below 2^8 units. --agree compares the results of the variants
// with each other instead, all of them: where float_sweep has compared those of one with the oracle, nothing
// rests on samples. --every N runs one block of 4096 inputs in N. Exit 1 where a result is wrong.
//
// Whole domains want a build for the processor at hand (-O3 -march=native), with which the compiler writes
// fused multiply-adds and vectors: half a minute a function on one core, else many minutes.
#include <fmt/format.h>
#include <mpfr.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <mutex>
#include <thread>

#include "base/random.h"
#include "host_machine.h"
#include "lower/fast/arcs.h"
#include "lower/fast/exponentials.h"
#include "lower/fast/logarithms.h"

namespace {

using namespace vyre;
namespace fast = lower::fast;

constexpr uint32_t kBlock = 4096;
constexpr uint32_t kNear = 256;  // units of the last place of a double
struct Block {
  uint32_t result[kBlock];
  double rounded[kBlock];  // to the result
};

using Run = void (*)(uint32_t from, Block& out);
template <class M, fast::Word<M> (*form)(fast::Word<M>)>
void run(uint32_t from, Block& out) {
  for (uint32_t i = 0; i < kBlock; ++i) {
    M machine;
    out.result[i] = form({&machine, from + i}).v;
    out.rounded[i] = machine.last;
  }
}

enum Variant { kFused, kPlain, kFlushing };
constexpr const char* kVariants[] = {"fused", "plain", "flushing"};
struct Function {
  const char* name;
  Run variants[3];
  int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
};
#define FUNCTION(name)                                                                     \
  Function {                                                                               \
    #name,                                                                                 \
        {run<fast::HostMachine<true>, fast::name<fast::HostMachine<true>>>,                \
         run<fast::HostMachine<false>, fast::name<fast::HostMachine<false>>>,              \
         run<fast::HostMachine<false, true>, fast::name<fast::HostMachine<false, true>>>}, \
        mpfr_##name                                                                        \
  }
constexpr Function kFunctions[] = {FUNCTION(exp),  FUNCTION(exp2),  FUNCTION(exp10), FUNCTION(log),
                                   FUNCTION(log2), FUNCTION(log10), FUNCTION(sin),   FUNCTION(cos),
                                   FUNCTION(tan),  FUNCTION(atan),  FUNCTION(asin),  FUNCTION(acos)};
#undef FUNCTION

/// MPFR's opinion. 140 bits: no value of these functions that is not a number of f32 or a middle of two comes
/// nearer to one than 2^-70.
class Exact {
 public:
  explicit Exact(const Function& f) : f_(f) {
    mpfr_init2(x_, 24), mpfr_init2(value_, 140), mpfr_init2(off_, 60);
  }
  ~Exact() {
    mpfr_clears(x_, value_, off_, nullptr);
    mpfr_free_cache();
  }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;

  uint32_t operator()(uint32_t x) {
    mpfr_set_flt(x_, std::bit_cast<float>(x), MPFR_RNDN);
    f_.exact(value_, x_, MPFR_RNDN);
    return mpfr_nan_p(value_) != 0 ? fast::kNaN : std::bit_cast<uint32_t>(mpfr_get_flt(value_, MPFR_RNDN));
  }
  /// How far |a| is off the last value's magnitude, in units of 2^-53 of it.
  double error(double a) {
    mpfr_abs(value_, value_, MPFR_RNDN);
    mpfr_sub_d(off_, value_, std::abs(a), MPFR_RNDN);
    mpfr_div(off_, off_, value_, MPFR_RNDN);
    return std::abs(mpfr_get_d(off_, MPFR_RNDN)) * 0x1p53;
  }

 private:
  const Function& f_;
  mpfr_t x_, value_, off_;
};

struct Tally {
  uint64_t asked = 0, wrong = 0;
  double worst = 0;
};

class Sweep {
 public:
  Sweep(const Function& f, Variant variant, uint64_t every) : f_(f), variant_(variant), every_(every) {}

  Tally all(unsigned threads) {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < threads; ++i) workers.emplace_back([this] { work(); });
    workers.clear();
    return total_;
  }

 private:
  void work() {
    Exact exact(f_);
    Block block;
    Tally mine;
    for (uint64_t at; (at = next_.fetch_add(every_ * kBlock)) < uint64_t{1} << 32;) {
      f_.variants[variant_](uint32_t(at), block);
      const uint32_t sampled = philox(uint64_t(variant_), at, 0)[0] % 2048;
      for (uint32_t i = 0; i < kBlock; ++i)
        judge(uint32_t(at) + i, i % 2048 == sampled, i, block, exact, mine);
    }
    const std::lock_guard lock(mutex_);
    total_.asked += mine.asked;
    total_.wrong += mine.wrong;
    total_.worst = std::max(total_.worst, mine.worst);
  }

  void judge(uint32_t x, bool sampled, uint32_t i, const Block& block, Exact& exact, Tally& tally) {
    const uint32_t result = block.result[i], size = result & ~fast::kSign;
    const uint32_t rounded = std::bit_cast<uint32_t>(float(block.rounded[i])) & ~fast::kSign;
    const uint32_t last = uint32_t(std::bit_cast<uint64_t>(block.rounded[i])) & 0x1fffffff;
    const bool normal = size >= fast::kLeastNormal && size < fast::kInfinity && rounded == size;
    const bool near = last - (0x10000000 - kNear) < 2 * kNear;
    if (normal && !near && !sampled) return;
    if (is_plain_edge(x, result) && !sampled) return;
    ++tally.asked;
    const uint32_t wanted = exact(x);
    if (normal && rounded == (wanted & ~fast::kSign))
      tally.worst = std::max(tally.worst, exact.error(block.rounded[i]));
    if (result == wanted) return;
    if (++tally.wrong > 20) return;
    fmt::print("{} {}: {{0x{:08x}, 0x{:08x}}} but got {:08x}, rounded from {:a}\n", f_.name,
               kVariants[variant_], x, wanted, result, block.rounded[i]);
  }
  /// What is so common and so simple that a sample is enough: NaN of NaN, x of a tiny x, zero and infinity.
  static bool is_plain_edge(uint32_t x, uint32_t result) {
    const uint32_t size = x & ~fast::kSign;
    if (size > fast::kInfinity) return result == fast::kNaN;
    if (size < fast::kTiny && result == x) return true;
    return result == 0 || result == fast::kInfinity || result == fast::kNaN;
  }

  const Function& f_;
  Variant variant_;
  uint64_t every_;
  std::atomic<uint64_t> next_ = 0;
  std::mutex mutex_;
  Tally total_;
};

/// How many inputs have results that are not the same in all variants.
uint64_t disagreements(const Function& f, uint64_t every, unsigned threads) {
  std::atomic<uint64_t> next = 0, out = 0;
  const auto work = [&] {
    Block one, other;
    for (uint64_t at; (at = next.fetch_add(every * kBlock)) < uint64_t{1} << 32;) {
      f.variants[kFused](uint32_t(at), one);
      for (const Variant variant : {kPlain, kFlushing}) {
        f.variants[variant](uint32_t(at), other);
        if (!std::ranges::equal(one.result, other.result)) {
          for (uint32_t i = 0; i < kBlock; ++i) out += one.result[i] != other.result[i];
        }
      }
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < threads; ++i) workers.emplace_back(work);
  workers.clear();
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("fast forms of elementary functions on all inputs");
  std::vector<std::string> variants = {"fused", "plain"}, names;
  uint64_t every = 1;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  app.add_option("--variant", variants)
      ->check(CLI::IsMember({"fused", "plain", "flushing"}))
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--every", every, "one block in so many")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads)->check(CLI::PositiveNumber);
  bool agree = false;
  app.add_flag("--agree", agree, "whether the variants give the same results");
  app.add_option("FUNCTION", names);
  CLI11_PARSE(app, argc, argv);

  bool right = true;
  for (const Function& f : kFunctions) {
    if (!names.empty() && std::ranges::find(names, f.name) == names.end()) continue;
    if (agree) {
      const uint64_t different = disagreements(f, every, threads);
      fmt::print("{:<6} {} results differ between variants\n", f.name, different);
      right &= different == 0;
      continue;
    }
    for (const Variant variant : {kFused, kPlain, kFlushing}) {
      if (std::ranges::find(variants, kVariants[variant]) == variants.end()) continue;
      const Tally t = Sweep(f, variant, every).all(threads);
      fmt::print("{:<6} {:<8} wrong {}, MPFR asked {} times, worst error {:.2f} * 2^-53\n", f.name,
                 kVariants[variant], t.wrong, t.asked, t.worst);
      right &= t.wrong == 0;
    }
  }
  return right ? 0 : 1;
}
