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
#include "suite/causes.h"
#include "suite/progress.h"
#include "suite/regressions.h"
#include "suite/suite.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

struct Options {
  BackendOptions backend;
  std::string ops = "*", track = "strict", strength = "standard", key, state, shard, regressions;
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

/// What was kept goes first. Those that fail again; none when they cannot be judged, which is said.
std::optional<std::vector<suite::Story>> replay_kept(const Options& o) {
  const auto regressions = suite::read_regressions(o.regressions);
  if (!regressions) {
    report(regressions.error());
    return std::nullopt;
  }
  std::vector<suite::Story> failing;
  if (regressions->empty()) return failing;
  auto backend = open_backend(o.backend);
  const auto replayed = backend ? suite::replay_all(*regressions, **backend)
                                : Result<suite::Replayed>(std::unexpected(backend.error()));
  if (!replayed) {
    report(replayed.error());
    return std::nullopt;
  }
  fmt::print("{}\n", suite::report(*replayed, o.backend.spec));
  std::fflush(stdout);
  for (const suite::Replayed::Failing& one : replayed->failing) failing.push_back(one.story);
  return failing;
}

/// Whether a kept case fails again that nothing waives. What is waived is told.
bool any_unexpected(std::span<const suite::Story> failing, std::span<const suite::Expectation> expectations,
                    const std::string& day, const Options& o) {
  const suite::Day today = suite::parse_day(day).value_or(suite::today());
  const auto waived = std::ranges::count_if(
      failing, [&](const suite::Story& story) { return suite::waives(expectations, today, story); });
  if (waived != 0)
    fmt::print("regressions: {} of {} failing are waived by {}\n", waived, failing.size(),
               o.publication.expect);
  return size_t(waived) != failing.size();
}

/// Of a run with failures: the smallest case of each cause, and all of them into the directory that was asked
/// for. False when they could not be written.
bool tell_failures(const Options& o, std::span<const verify::Verdict> verdicts) {
  if (std::ranges::all_of(verdicts, [](const verify::Verdict& v) { return v.failures.empty(); })) return true;
  auto backend = open_backend(o.backend);
  const auto found = backend ? suite::write_down(verdicts, **backend)
                             : Result<std::vector<suite::Found>>(std::unexpected(backend.error()));
  if (!found) {
    report(found.error());  // the report of the run says what failed all the same
    return o.regressions.empty();
  }
  std::vector<suite::FailingCase> failing;
  for (const suite::Found& one : *found) failing.push_back(one.failing);
  std::string kept_line;
  if (!o.regressions.empty()) {
    const auto kept = suite::keep(failing, o.regressions);
    if (!kept) {
      usage_error(kept.error());
      return false;
    }
    kept_line = fmt::format("regressions: {} new in {}, {} known\n", kept->fresh, o.regressions, kept->known);
  }
  const auto path_of = [&](const suite::FailingCase& one) {
    if (o.regressions.empty()) return std::string();
    return (std::filesystem::path(o.regressions) / suite::file_name(one)).string();
  };
  fmt::print("{}{}\n",
             suite::first_screen(*found, suite::find_causes(*found, verdicts), o.backend.spec, path_of),
             kept_line);
  std::fflush(stdout);
  return true;
}

int run(const Options& o) {
  const std::string_view judged = std::string_view(o.backend.spec).substr(0, o.backend.spec.find(':'));
  if (judged == "reference") {
    return usage_error(
        "--backend reference: it is the definition that answers are compared with, so this would compare it "
        "with itself and certify nothing; name a backend that is to be judged: native, cuda, vulkan, webgpu "
        "or the path of a plugin (`vyre backends` lists those that are here)");
  }
  std::vector<suite::Story> failing_again;
  suite::Plan plan;
  for (size_t k = 0; k < verify::kStrengthNames.size(); ++k) {
    if (verify::kStrengthNames[k] == o.strength) plan.strength = static_cast<verify::Strength>(k);
  }
  plan.seed = o.seed;
  plan.selection = o.ops;
  plan.approximate = o.track == "approximate";
  std::vector<certify::Requirement> required;
  for (const std::string& level : o.require) {
    const auto found = certify::find_requirement(level);
    if (!found) {
      return usage_error(
          fmt::format("--require {}: the levels are L1 and L2 of integers, L1f and L2f of floats, L1a of "
                      "--track approximate",
                      level));
    }
    if ((found->track == verify::Track::Approximate) != plan.approximate) {
      return usage_error(fmt::format("--require {}: that is no level of --track {}", level, o.track));
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
  plan.today = suite::text(suite::today());
  const auto expectations = read_expectations(o.publication.expect);
  if (!expectations) return expectations.error();
  if (!o.shard.empty()) {
    const auto shard = suite::shard_option(o.shard);
    if (!shard) return report(shard.error());
    plan.shard = *shard;
    if (plan.shard.count > 1 &&
        (o.state.empty() || !o.publication.out.empty() || !o.publication.junit.empty() ||
         !o.publication.expect.empty() || !o.require.empty())) {
      return usage_error(
          "--shard: a part of a campaign keeps its results with --state, and has no certificate, report or "
          "level; `vyre-conform merge` makes them of all parts");
    }
  }
  if (!o.regressions.empty()) {
    std::error_code error;
    const bool there = std::filesystem::is_directory(o.regressions, error);
    const std::string inside = there ? o.regressions + "/new.case" : o.regressions;
    if (const auto writable = certify::check_writable(inside); !writable)
      return usage_error(writable.error());
    auto again = replay_kept(o);
    if (!again) return 2;
    failing_again = std::move(*again);
  }
  const std::atomic<bool>& stop = interruption();
  Result<suite::Run> result = judge(o, plan, stop);
  if (!result) return report(result.error());
  for (const Diag& lost : result->damage) report(lost);
  if (!o.state.empty()) {
    fmt::print("state {}: {} units, {} of them from earlier runs\n", o.state, result->units, result->kept);
  }
  const bool told = tell_failures(o, result->partial ? result->failed : result->certificate.verdicts);
  if (result->partial) {
    fmt::print("shard {} is done\nlevel: partial\n", text(plan.shard));
    return told ? 0 : 2;
  }
  const bool unexpected = any_unexpected(failing_again, *expectations, result->day, o);
  const int exit = publish(std::move(*result), o.backend.spec, o.publication, required, key ? &*key : nullptr,
                           *expectations);
  if (!told) return 2;
  return exit == 0 && unexpected ? 1 : exit;
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
  verb->add_option("--track", o->track,
                   "strict: bytes must be equal; approximate: bounds of error, never in one certificate with "
                   "the other")
      ->check(CLI::IsMember({"strict", "approximate"}))
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
  verb->add_option("--expect", o->publication.expect,
                   "known failures, in TOML: each is waived until its day, with a link")
      ->check(something);
  verb->add_option("--key", o->key, "sign the certificate with this key, as keygen writes it")
      ->check(something)
      ->needs(out);
  verb->add_option("--state", o->state,
                   "keep results in this directory as they come, and go on from what is there")
      ->check(something);
  verb->add_option("--shard", o->shard, "judge part I of N: I/N, or auto, from the environment")
      ->check(something);
  verb->add_option("--regressions", o->regressions,
                   "run the failing cases in this directory first, and keep new ones there; none by default")
      ->check(something);
  verb->add_option("--require", o->require,
                   "exit with 1 below this level: L1, L2, of floats L1f, L2f, or L1a; may be given twice")
      ->expected(1)
      ->take_all()
      ->check(something);
  verb->footer(
      "Example:\n  vyre-conform certify --backend native --ops 'primitive.bitwise.*' --out cert.json "
      "--require L2");
  verb->callback([o, &exit] {
    o->backend.hidden = {o->state, o->regressions};
    exit = run(*o);
  });
}

}  // namespace vyre::tool
