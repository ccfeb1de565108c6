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
#include "suite/certify_file.h"
#include "suite/progress.h"
#include "suite/regressions.h"
#include "suite/suite.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

struct CertifyOptions {
  BackendOptions backend;
  std::string ops = "*", families = std::string(certify::kAllFamilies), track = "strict",
              strength = "standard", key, state, shard, regressions;
  Publication publication;
  std::vector<std::string> require;
  std::string file;                    // judged in the place of the library
  std::vector<std::string> constants;  // of the file
  uint64_t seed = 1;
  bool fail_fast = false;
  // One more than cores: each waits at times, to see whether something is written late.
  unsigned workers = std::thread::hardware_concurrency() + 1;
};

Result<suite::Run> judge(const CertifyOptions& o, const suite::Plan& plan, const std::atomic<bool>& stop) {
  suite::ProgressLine line;
  if (!o.backend.in_process) {
    BackendOptions one = o.backend;
    // The machine is shared out among those that still judge, to the nearest core: the last subjects, which
    // nothing runs beside, get all of it.
    std::atomic<unsigned> judging = o.workers;
    // Asked with every call, and the system answers from a file.
    one.cores = [&judging, cores = std::thread::hardware_concurrency()] {
      const unsigned shares = std::max(1u, judging.load());
      return std::max(1u, (cores + shares / 2) / shares);
    };
    return suite::run([&] { return open_backend(one); }, o.workers, plan, line.watch(), &stop, &judging);
  }
  VYRE_TRY(backend, open_backend(o.backend));
  return suite::run(*backend, plan, line.watch(), &stop);
}

/// What was kept goes first. Those that fail again; none when they cannot be judged, which is said.
std::optional<std::vector<suite::Story>> replay_kept(const CertifyOptions& o) {
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

/// Whether a kept case fails again that nothing waives. What is waived is reported.
bool any_unexpected(std::span<const suite::Story> failing, std::span<const suite::Expectation> expectations,
                    const std::string& day, const CertifyOptions& o) {
  const suite::Day today = suite::parse_day(day).value_or(suite::today());
  const auto waived = std::ranges::count_if(
      failing, [&](const suite::Story& story) { return suite::waives(expectations, today, story); });
  if (waived != 0)
    fmt::print("regressions: {} of {} failing are waived by {}\n", waived, failing.size(),
               o.publication.expect);
  return size_t(waived) != failing.size();
}

/// The smallest case of each cause, and all cases into the directory that was asked for. False when they
/// could not be written.
bool tell_found(const CertifyOptions& o, std::span<const suite::Found> found,
                std::span<const verify::Verdict> verdicts) {
  std::vector<suite::FailingCase> failing;
  // What has neither could not be read back: a law of a file whose values are wider than a word.
  const auto is_kept = [](const suite::FailingCase& one) { return one.program || !one.story.token.empty(); };
  for (const suite::Found& one : found) {
    if (is_kept(one.failing)) failing.push_back(one.failing);
  }
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
    if (o.regressions.empty() || !is_kept(one)) return std::string();
    return (std::filesystem::path(o.regressions) / suite::file_name(one)).string();
  };
  fmt::print("{}{}\n",
             suite::first_screen(found, suite::find_causes(found, verdicts), o.backend.spec, path_of),
             kept_line);
  std::fflush(stdout);
  return true;
}

/// Of a run with failures. False when they could not be written.
bool tell_failures(const CertifyOptions& o, std::span<const verify::Verdict> verdicts) {
  if (std::ranges::all_of(verdicts, [](const verify::Verdict& v) { return v.failures.empty(); })) {
    if (const std::string why = suite::unjudged(verdicts); !why.empty()) fmt::print("{}\n", why);
    return true;
  }
  auto backend = open_backend(o.backend);
  const auto found = backend ? suite::write_down(verdicts, **backend, suite::by_token(**backend))
                             : Result<std::vector<suite::Found>>(std::unexpected(backend.error()));
  if (found) return tell_found(o, *found, verdicts);
  report(found.error());  // the report of the run says what failed all the same
  return o.regressions.empty();
}

/// Of a run that ended at the first unit that failed: its first case, made smaller, and what was not run.
int tell_first_failure(const CertifyOptions& o, suite::Run& run) {
  for (verify::Verdict& verdict : run.failed) {
    if (!verdict.error.empty()) fmt::print("{}: {}\n", certify::name_of(verdict), verdict.error);
    verdict.failures.resize(std::min<size_t>(verdict.failures.size(), 1));
  }
  const bool reported = tell_failures(o, run.failed);
  std::fflush(stderr);
  fmt::print(
      "--fail-fast: {} of {} units were judged, {} were not run; there is no certificate\nlevel: none\n",
      run.units, run.units + run.not_run, run.not_run);
  return reported ? 1 : 2;
}

verify::Strength strength_of(const CertifyOptions& o) {
  const auto found = std::ranges::find(verify::kStrengthNames, o.strength);
  return verify::Strength(found - verify::kStrengthNames.begin());
}

/// Whether failing cases can be kept where the options say, before a minute of work. A sentence if not.
std::expected<void, std::string> check_regressions(const CertifyOptions& o) {
  std::error_code error;
  const bool there = std::filesystem::is_directory(o.regressions, error);
  return certify::check_writable(there ? o.regressions + "/new.case" : o.regressions);
}

/// The operations of a file.
int run_file(const CertifyOptions& o) {
  const auto file = read_operations(o.file, o.constants);
  if (!file) return file.error();
  std::vector<suite::Story> failing_again;
  if (!o.regressions.empty()) {
    if (const auto writable = check_regressions(o); !writable) return usage_error(writable.error());
    auto again = replay_kept(o);
    if (!again) return 2;
    failing_again = std::move(*again);
  }
  const auto backend = open_backend(o.backend);
  if (!backend) return report(backend.error());
  suite::CertifyFileRequest request{.strength = strength_of(o), .seed = o.seed, .backend = o.backend.spec};
  request.stop = &interruption();
  const auto certified = suite::certify_file(**backend, *file, request);
  if (!certified) {
    fmt::print(stderr, "{}", render(certified.error(), file->source.get(), file->path));
    return exit_code(certified.error().code);
  }
  if (!certified->found.empty() && !tell_found(o, certified->found, certified->verdicts)) return 2;
  fmt::print("{}", certified->text);
  return certified->good && failing_again.empty() ? 0 : 1;
}

int run_certify(const CertifyOptions& o) {
  const std::string_view judged = std::string_view(o.backend.spec).substr(0, o.backend.spec.find(':'));
  if (judged == "reference") {
    return usage_error(
        "--backend reference: it is the definition that answers are compared with, so this would compare it "
        "with itself and certify nothing; name a backend that is to be judged: native, cuda, vulkan, webgpu "
        "or the path of a plugin (`vyre backends` lists those that are here)");
  }
  if (!o.file.empty()) return run_file(o);
  std::vector<suite::Story> failing_again;
  suite::Plan plan;
  plan.strength = strength_of(o);
  plan.seed = o.seed;
  plan.selection = o.ops;
  plan.family_selection = o.families;
  plan.fail_fast = o.fail_fast;
  plan.approximate = o.track == "approximate";
  std::vector<certify::Requirement> required;
  for (const std::string& level : o.require) {
    const auto found = certify::find_requirement(level);
    if (!found) {
      return usage_error(fmt::format(
          "--require {}: the levels are L1, L2 and L3 of integers, L1f, L2f and L3f of floats, L1a of "
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
    if (const auto writable = check_regressions(o); !writable) return usage_error(writable.error());
    auto again = replay_kept(o);
    if (!again) return 2;
    failing_again = std::move(*again);
    if (o.fail_fast && !failing_again.empty()) {
      fmt::print(
          "--fail-fast: what was kept fails again, so no unit was judged; there is no certificate\nlevel: "
          "none\n");
      return 1;
    }
  }
  const std::atomic<bool>& stop = interruption();
  Result<suite::Run> result = judge(o, plan, stop);
  if (!result) return report(result.error());
  for (const Diag& lost : result->damage) report(lost);
  if (!o.state.empty()) {
    fmt::print("state {}: {} units, {} of them from earlier runs\n", o.state, result->units, result->kept);
  }
  if (result->not_run != 0) return tell_first_failure(o, *result);
  const bool reported = tell_failures(o, result->partial ? result->failed : result->certificate.verdicts);
  if (result->partial) {
    fmt::print("shard {} is done\nlevel: partial\n", text(plan.shard));
    return reported ? 0 : 2;
  }
  const bool unexpected = any_unexpected(failing_again, *expectations, result->day, o);
  const int exit = publish(std::move(*result), o.backend.spec, o.publication, required, key ? &*key : nullptr,
                           *expectations);
  if (!reported) return 2;
  return exit == 0 && unexpected ? 1 : exit;
}

}  // namespace

void add_certify(CLI::App& app, int& exit) {
  auto* verb = app.add_subcommand("certify", "Judge a backend and write a certificate");
  auto o = std::make_shared<CertifyOptions>();
  // An empty text would be as if the option were not there: `--require "$LEVEL"` with no LEVEL.
  const CLI::Validator something(
      [](const std::string& text) { return std::string(text.empty() ? "wants a value, not nothing" : ""); },
      "");
  add_backend(*verb, o->backend);
  verb->add_option("--workers", o->workers, "processes of the backend at a time")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  verb->add_option("--ops", o->ops, "operations whose id matches; * is any text, ? any character")
      ->type_name("GLOB")
      ->capture_default_str();
  verb->add_option(
          "--families", o->families,
          "families of IR programs whose name matches, or none; a level without all of them is not whole")
      ->type_name("GLOB")
      ->capture_default_str()
      ->check(something);
  verb->add_option("--track", o->track,
                   "strict: bytes must be equal; approximate: bounds of error, never in one certificate with "
                   "the other")
      ->type_name("strict|approximate")
      ->check(CLI::IsMember({"strict", "approximate"}))
      ->capture_default_str();
  verb->add_option("--strength", o->strength, "how many cases: quick, standard (10^6 an operation) or full")
      ->type_name("quick|standard|full")
      ->check(CLI::IsMember({"quick", "standard", "full"}))
      ->capture_default_str();
  add_seed(*verb, o->seed, "of generated cases; the same seed repeats the same cases");
  auto* out = verb->add_option("--out", o->publication.out, "write the certificate here, whole or not at all")
                  ->type_name("FILE")
                  ->check(something);
  verb->add_option("--junit", o->publication.junit, "write the result as JUnit XML here")
      ->type_name("FILE")
      ->check(something);
  auto* expect = verb->add_option("--expect", o->publication.expect,
                                  "known failures, in TOML: each is waived until its day, with a link")
                     ->type_name("FILE")
                     ->check(something);
  verb->add_flag("--fail-fast", o->fail_fast,
                 "end after the first failing unit, the cheapest first; then there is no certificate")
      ->excludes(expect);
  verb->add_option("--key", o->key, "sign the certificate with this key, as keygen writes it")
      ->type_name("FILE")
      ->check(something)
      ->needs(out);
  verb->add_option("--state", o->state,
                   "keep results in this directory as they come, and go on from what is there")
      ->type_name("DIR")
      ->check(something);
  verb->add_option("--shard", o->shard, "judge part I of N: I/N, or auto, from the environment")
      ->type_name("I/N")
      ->check(something);
  verb->add_option("--regressions", o->regressions,
                   "run the failing cases in this directory first, and keep new ones there; none by default")
      ->type_name("DIR")
      ->check(something);
  add_repeated(
      *verb, "--require", o->require, "LEVEL",
      "exit with 1 below this level: L1, L2, L3, of floats L1f, L2f, L3f, or L1a; may be given twice")
      ->check(something);
  auto* file =
      verb->add_option("--file", o->file, "judge the operations of this file; a report, and no certificate")
          ->type_name("FILE")
          ->check(something);
  for (const char* of_library : {"--ops", "--families", "--track", "--out", "--junit", "--expect",
                                 "--fail-fast", "--state", "--shard", "--require", "--workers"})
    file->excludes(verb->get_option(of_library));
  add_constants(*verb, o->constants, "choose the value of a constant of the file")->needs(file);
  verb->footer(
      "Example:\n  vyre-conform certify --backend native --ops 'primitive.bitwise.*' --out cert.json "
      "--require L2\n  vyre-conform certify --file examples/operations.vyre --backend native");
  verb->callback([o, &exit] {
    o->backend.hidden = {o->state, o->regressions};
    exit = run_certify(*o);
  });
}

}  // namespace vyre::tool
