// history_sweep: histories of atomics, all there are of up to N events over few values, decided by
// verify/atomic_history.h and by trying every order.
//
//   history_sweep [--events N] [--threads N]
//
// Each of the eight operators alone, on the values 0, 1, 2 and with all of them as operands, and any mixture
// of all eight on the values 0 and 1; each event by an invocation of its own, between all pairs of ends. Exit
// 1 where the two disagree, where an order that is given is none, or where nothing is decided.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>

#include "atomic_orders.h"
#include "spec/ops.h"

namespace {

using namespace vyre;
using namespace vyre::verify;

struct Counts {
  std::atomic<uint64_t> histories = 0, possible = 0, wrong = 0;
};

void judge(const AtomicHistory& h, Counts& counts) {
  const AtomicOrder answer = order_of(h);
  const bool possible = by_trying(h);
  ++counts.histories;
  counts.possible += possible;
  const bool right = possible ? answer.ordered == Ordered::Yes && explains(h, answer)
                              : answer.ordered == Ordered::No && !answer.reason.empty();
  if (right || counts.wrong++ != 0) return;
  fmt::print("{} -> {}, which is {}possible, answered {} ({}):\n", h.first, h.last, possible ? "" : "im",
             static_cast<int>(answer.ordered), answer.reason);
  for (const AtomicEvent& e : h.events)
    fmt::print("  {} saw {} value {} expected {}\n", spec::mnemonic(e.op), e.saw, e.value, e.expected);
}

/// Threads take the multisets by turns.
void sweep(std::string_view name, std::span<const AtomicEvent> letters, uint32_t values, uint32_t most,
           unsigned threads, uint64_t& wrong) {
  const auto begin = std::chrono::steady_clock::now();
  Counts counts;
  std::vector<std::jthread> workers;
  for (unsigned mine = 0; mine < threads; ++mine) {
    workers.emplace_back([&, mine] {
      uint64_t number = 0;
      for (uint32_t n = 0; n <= most; ++n) {
        for_all_multisets(letters, n, [&](std::span<const AtomicEvent> events) {
          if (number++ % threads != mine) return true;
          for (uint32_t first = 0; first < values; ++first) {
            for (uint32_t last = 0; last < values; ++last) judge({first, last, events}, counts);
          }
          return true;
        });
      }
    });
  }
  workers.clear();
  wrong += counts.wrong;
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("| {:<24} | {:>7} | {:>11} | {:>10} | {:>5} | {:>5.0f} s |\n", name, letters.size(),
             counts.histories.load(), counts.possible.load(), counts.wrong.load(), took);
  std::fflush(stdout);
}

std::vector<AtomicEvent> letters_of(spec::Op op, uint32_t values) {
  std::vector<AtomicEvent> out;
  const bool compares = op == spec::Op::AtomicCompareExchange;
  for (uint32_t saw = 0; saw < values; ++saw) {
    for (uint32_t value = 0; value < values; ++value) {
      for (uint32_t expected = 0; expected < (compares ? values : 1); ++expected)
        out.push_back({op, saw, value, expected, 0});
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("histories of atomics against all orders");
  uint32_t events = 6;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  app.add_option("--events", events, "of a history, at most")->check(CLI::Range(1, 8));
  app.add_option("--threads", threads)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  fmt::print("| {:<24} | {:>7} | {:>11} | {:>10} | {:>5} | {:>7} |\n", "operators", "letters", "histories",
             "possible", "wrong", "time");
  uint64_t wrong = 0;
  std::vector<AtomicEvent> all;
  for (const spec::OpInfo& info : spec::kOps) {
    if (!spec::is_atomic(info.op)) continue;
    sweep(info.mnemonic, letters_of(info.op, 3), 3, events, threads, wrong);
    const auto two = letters_of(info.op, 2);
    all.insert(all.end(), two.begin(), two.end());
  }
  sweep("all, mixed", all, 2, events, threads, wrong);
  return wrong == 0 ? 0 : 1;
}
