// random_graphs: generated graphs of tensors on the reference and, lowered by every plan, on a backend.
//
//   random_graphs --count N --seed S [--from K] [--backend SPEC] [--commands N] [--one-plan] [--print]
//                 [--plant]
//
// Graph k of a seed is the same in every run of a build. --one-plan runs the default plan alone, --print
// writes each graph as text; --plant reduces in the wrong order, to see that it is found.
// A failure is shrunk and printed as text with its inputs. Exit 0: all agree; 1: some does not; 2: usage.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <string_view>

#include "backend/registry/registry.h"
#include "generate/graphs.h"
#include "graph_judge.h"
#include "ops/operation.h"

namespace {

using namespace vyre;

struct Arguments {
  uint64_t count = 1000, seed = 1, from = 0, commands = 30;
  std::string backend = "native";
  bool one_plan = false, print = false, plant = false;
};

bool parse(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    bool* flag = name == "--one-plan" ? &out.one_plan
                 : name == "--print"  ? &out.print
                 : name == "--plant"  ? &out.plant
                                      : nullptr;
    if (flag != nullptr) {
      *flag = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const std::string_view value = argv[++i];
    if (name == "--backend") {
      out.backend = value;
      continue;
    }
    uint64_t* number = name == "--count"      ? &out.count
                       : name == "--seed"     ? &out.seed
                       : name == "--from"     ? &out.from
                       : name == "--commands" ? &out.commands
                                              : nullptr;
    if (number == nullptr) return false;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *number);
    if (error != std::errc() || end != value.data() + value.size()) return false;
  }
  return out.commands >= 1 && out.commands <= 1000;
}

/// A lowering that is wrong: it reduces and scans floats in the order that was not asked for.
ir::Module other_order(const check::SizedGraph& graph, std::span<const ir::Operation> operations,
                       const tensor::Options& options) {
  check::SizedGraph turned = graph;
  for (check::SizedNode& node : turned.nodes) {
    if (node.order != ir::Order::None)
      node.order = node.order == ir::Order::Tree ? ir::Order::Strict : ir::Order::Tree;
  }
  return tensor::lower(turned, operations, options);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    fmt::print(stderr,
               "usage: random_graphs [--count N] [--seed S] [--from K] [--backend SPEC] [--commands N] "
               "[--one-plan] [--print] [--plant]\n");
    return 2;
  }
  auto backend = backend::open(arguments.backend, {});
  if (!backend) {
    fmt::print(stderr, "{}", render(backend.error(), nullptr));
    return 2;
  }
  const generate::GraphOptions options = {.max_commands = uint32_t(arguments.commands)};
  const test::GraphJudge judge(**backend, !arguments.one_plan,
                               arguments.plant ? verify::Lowering(other_order) : tensor::lower);
  const auto start = std::chrono::steady_clock::now();
  uint64_t plans = 0, dispatches = 0, commands = 0;
  for (uint64_t index = arguments.from; index < arguments.from + arguments.count; ++index) {
    const generate::GraphCase c = generate::random_graph(arguments.seed, index, options);
    if (arguments.print) fmt::print("// index {}\n{}\n", index, generate::describe(c));
    const test::GraphTrial trial = judge.judge(c);
    plans += trial.plans;
    dispatches += trial.dispatches;
    commands += c.module.graphs[0].commands.size();
    if (trial.judgement.verdict == test::Verdict::Agree) continue;
    fmt::print("index {}: {}", index, trial.judgement.complaint);
    fmt::print("replay: random_graphs --seed {} --commands {} --backend {} --from {} --count 1\n",
               arguments.seed, arguments.commands, arguments.backend, index);
    std::fflush(stdout);
    const auto shrunk = generate::shrink_graph(c, ops::op_table(), [&](const generate::GraphCase& candidate) {
      return judge.judge(candidate).judgement.verdict == test::Verdict::Differ;
    });
    const test::Judgement last = judge.judge(shrunk).judgement;
    fmt::print("shrunk: {}{}",
               last.verdict == test::Verdict::Differ ? last.complaint : "it agrees the second time\n",
               generate::describe(shrunk));
    return 1;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{} graphs of {} commands agree on {}: {} runs, {} dispatches, {:.1f} s\n", arguments.count,
             commands, arguments.backend, plans, dispatches, seconds);
  return 0;
}
