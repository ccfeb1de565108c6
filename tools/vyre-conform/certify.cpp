#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "certify/console.h"
#include "certify/keys.h"
#include "publish.h"
#include "suite/progress.h"
#include "suite/suite.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

struct Options {
  BackendOptions backend;
  std::string ops = "*", track = "strict", strength = "standard", key, state, shard;
  Publication publication;
  std::vector<std::string> require;
  uint64_t seed = 1;
  // One more than cores: each waits at times, to see whether something is written late.
  unsigned workers = std::thread::hardware_concurrency() + 1;
};

Result<suite::Run> judge(const Options& o, const suite::Plan& plan, const std::atomic<bool>& stop) {
  suite::ProgressLine line;
  if (!o.backend.in_process) {
    BackendOptions one = o.backend;
    // The machine is shared out among those that still judge, to the nearest core: the last subjects, which
    // nothing runs beside, get all of it.
    std::atomic<unsigned> judging = o.workers;
    one.cores = [&judging] {
      const unsigned cores = std::thread::hardware_concurrency(), shares = std::max(1u, judging.load());
      return std::max(1u, (cores + shares / 2) / shares);
    };
    return suite::run([&] { return open_backend(one); }, o.workers, plan, line.watch(), &stop, &judging);
  }
  VYRE_TRY(backend, open_backend(o.backend));
  return suite::run(*backend, plan, line.watch(), &stop);
}

int run(const Options& o) {
  suite::Plan plan;
  for (size_t k = 0; k < verify::kStrengthNames.size(); ++k) {
    if (verify::kStrengthNames[k] == o.strength) plan.strength = static_cast<verify::Strength>(k);
  }
  plan.seed = o.seed;
  plan.selection = o.ops;
  std::vector<certify::Requirement> required;
  for (const std::string& level : o.require) {
    const auto found = certify::find_requirement(level);
    if (!found) {
      return usage_error(
          fmt::format("--require {}: the levels are L1 and L2 of integers, L1f and L2f of floats", level));
    }
    required.push_back(*found);
  }
  // A minute of work should not end at a path that was wrong from the start.
  for (const std::string& path : {o.publication.out, o.publication.junit}) {
    if (path.empty()) continue;
    if (const auto writable = certify::check_writable(path); !writable) return usage_error(writable.error());
  }
  std::optional<certify::PrivateKey> key;
  if (!o.key.empty()) {
    auto read = certify::read_private_key(o.key);
    if (!read) return usage_error(read.error());
    key = std::move(*read);
  }
  plan.state = o.state;
  if (!o.shard.empty()) {
    const auto shard = suite::shard_option(o.shard);
    if (!shard) return report(shard.error());
    plan.shard = *shard;
    if (plan.shard.count > 1 && (o.state.empty() || !o.publication.out.empty() ||
                                 !o.publication.junit.empty() || !o.require.empty())) {
      return usage_error(
          "--shard: a part of a campaign keeps its results with --state, and has no certificate, report or "
          "level; `vyre-conform merge` makes them of all parts");
    }
  }
  const std::atomic<bool>& stop = interruption();
  const Result<suite::Run> result = judge(o, plan, stop);
  if (!result) return report(result.error());
  for (const Diag& lost : result->damage) report(lost);
  if (!o.state.empty()) {
    fmt::print("state {}: {} units, {} of them from earlier runs\n", o.state, result->units, result->kept);
  }
  if (result->partial) {
    fmt::print("shard {} is done\nlevel: partial\n", text(plan.shard));
    return 0;
  }

  return publish(*result, o.backend.spec, o.publication, required, key ? &*key : nullptr);
}

}  // namespace

void add_certify(CLI::App& app, int& exit) {
  auto* verb = app.add_subcommand("certify", "judge a backend and write a certificate");
  auto o = std::make_shared<Options>();
  add_backend(*verb, o->backend);
  verb->add_option("--workers", o->workers, "processes of the backend at a time")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  verb->add_option("--ops", o->ops, "operations whose id matches; * is any text, ? any character")
      ->capture_default_str();
  verb->add_option("--track", o->track, "strict: bytes must be equal")
      ->check(CLI::IsMember({"strict"}))
      ->capture_default_str();
  verb->add_option("--strength", o->strength, "how many cases: quick, standard (10^6 an operation) or full")
      ->check(CLI::IsMember({"quick", "standard", "full"}))
      ->capture_default_str();
  add_seed(*verb, o->seed, "of generated cases; the same seed repeats the same cases");
  // An empty text would be as if the option were not there: `--require "$LEVEL"` with no LEVEL.
  const CLI::Validator something(
      [](const std::string& text) { return std::string(text.empty() ? "wants a value, not nothing" : ""); },
      "");
  auto* out = verb->add_option("--out", o->publication.out, "write the certificate here, whole or not at all")
                  ->check(something);
  verb->add_option("--junit", o->publication.junit, "write the result as JUnit XML here")->check(something);
  verb->add_option("--key", o->key, "sign the certificate with this key, as keygen writes it")
      ->check(something)
      ->needs(out);
  verb->add_option("--state", o->state,
                   "keep results in this directory as they come, and go on from what is there")
      ->check(something);
  verb->add_option("--shard", o->shard, "judge part I of N: I/N, or auto, from the environment")
      ->check(something);
  verb->add_option("--require", o->require,
                   "exit with 1 below this level: L1, L2, or of floats L1f, L2f; may be given twice")
      ->expected(1)
      ->take_all()
      ->check(something);
  verb->footer(
      "Example:\n  vyre-conform certify --backend native --ops 'primitive.bitwise.*' --out cert.json "
      "--require L2");
  verb->callback([o, &exit] { exit = run(*o); });
}

}  // namespace vyre::tool
