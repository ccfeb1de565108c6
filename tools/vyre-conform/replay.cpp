#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "base/read_file.h"
#include "host/files.h"
#include "suite/emit.h"
#include "suite/regressions.h"
#include "suite/replay.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

struct ReplayOptions {
  std::string what, emit, out;
  BackendOptions backend;
};

/// Writes a case in another form.
int write(const suite::FailingCase& failing, const ReplayOptions& o) {
  const suite::Format format = *suite::find_format(o.emit);
  const auto text = suite::emit(failing, format);
  if (!text) return report(text.error());
  const std::string path =
      o.out.empty() ? suite::base_name(failing) + std::string(suite::info(format).ending) : o.out;
  if (const auto written = host::write_file(path, *text); !written)
    return usage_error(written.error().message);
  if (path != "-") fmt::print("wrote {}\n", path);
  return 0;
}

int tell(const suite::Replay& replay, const ReplayOptions& o) {
  fmt::print("{}", replay.report);
  std::fflush(stdout);
  if (const auto passed = suite::require_passed(replay, o.what, o.backend.spec); !passed)
    return report(passed.error());
  return 0;
}

int replay_token(const ReplayOptions& o, backend::Backend& backend) {
  const auto replay = suite::replay(o.what, backend);
  if (!replay) return report(replay.error());
  if (!o.emit.empty()) {
    auto failing = suite::failing_case_of(o.what, backend);
    if (!failing) return report(failing.error());
    suite::sign(failing->story, backend.identity());
    if (const int exit = write(*failing, o); exit != 0) return exit;
  }
  return tell(*replay, o);
}

int replay_file(const ReplayOptions& o, backend::Backend& backend) {
  auto text = read_file_text(o.what, kMaxListBytes);
  if (!text) return usage_error(text.error());
  const Source source(o.what, std::move(*text));
  const auto failing = suite::parse_failing_case(source.text());
  if (!failing) {
    fmt::print(stderr, "{}", render(failing.error(), &source, o.what));
    return exit_code(failing.error().code);
  }
  const auto replay = suite::replay(*failing, backend);
  if (!replay) return report(replay.error(), o.what);
  if (!o.emit.empty()) {
    if (const int exit = write(*failing, o); exit != 0) return exit;
  }
  return tell(*replay, o);
}

int replay_folder(const ReplayOptions& o, backend::Backend& backend) {
  const auto regressions = suite::read_regressions(o.what);
  if (!regressions) return report(regressions.error());
  if (regressions->empty())
    return usage_error(fmt::format("{} has no failing cases (*.vyre, *.case)", o.what));
  const auto replayed = suite::replay_all(*regressions, backend);
  if (!replayed) return report(replayed.error());
  fmt::print("{}", suite::report(*replayed, o.backend.spec));
  return replayed->failing.empty() ? 0 : 1;
}

int run_replay(const ReplayOptions& o) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(o.what, error);
  if (folder && !o.emit.empty()) return usage_error("--emit writes one case: replay a file of the directory");
  if (!o.out.empty() && o.emit.empty()) return usage_error("-o goes with --emit");
  auto backend = open_backend(o.backend);
  if (!backend) return report(backend.error());
  if (folder) return replay_folder(o, **backend);
  // What is there is meant, and so is what looks like the path of something that is not.
  const std::string ending = std::filesystem::path(o.what).extension().string();
  const bool file = std::filesystem::exists(o.what, error) || ending == ".vyre" || ending == ".case";
  return file ? replay_file(o, **backend) : replay_token(o, **backend);
}

}  // namespace

void add_replay(CLI::App& app, int& exit) {
  auto* verb = app.add_subcommand("replay", "Run failing cases again");
  auto o = std::make_shared<ReplayOptions>();
  verb->add_option("CASE", o->what,
                   "a token from a report or certificate, a file of a case, or a directory of such files")
      ->type_name("TOKEN|FILE|DIR")
      ->required();
  add_backend(*verb, o->backend);
  std::vector<std::string> formats;
  for (const suite::FormatInfo& format : suite::kFormats) formats.emplace_back(format.text);
  verb->add_option("--emit", o->emit, "also write the case as a file that compiles by itself")
      ->type_name(fmt::format("{}", fmt::join(formats, "|")))
      ->check(CLI::IsMember(formats));
  verb->add_option("-o", o->out, "the file to write; without it one that is named after the case")
      ->type_name("OUT");
  verb->footer(
      "Example:\n  vyre-conform replay primitive.bitwise.shl@1:random:7:42 --backend native --emit cpp\n"
      "`docs/failures.md` says more.");
  verb->callback([o, &exit] { exit = run_replay(*o); });
}

}  // namespace vyre::tool
