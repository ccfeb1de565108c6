// What both programs do with their command line: find the verb, parse, and say what was meant by what is
// not there.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"

namespace vyre::tool {

/// "; did you mean ...?" for a word that begins with dashes and is no option of the verb; else nothing.
inline std::string meant_option(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty()) continue;  // not listed by --help either
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& word : verb.remaining(true)) {
    if (!word.starts_with("--")) continue;
    NearestName nearest(std::string_view(word).substr(0, word.find('=')));
    for (const std::string& name : names) nearest.consider(name);
    if (nearest.found()) return fmt::format("; {}", nearest.help());
  }
  return {};
}

/// Parses and so runs one verb. `exit` is what the verb's callback sets. The process's exit code: 2 for what
/// is no command line of this program.
inline int run_verbs(CLI::App& app, std::string_view program, int argc, char** argv, const int& exit) {
  app.failure_message([program](const CLI::App* failed, const CLI::Error& error) {
    const auto verbs = failed->get_subcommands();
    const CLI::App& verb = verbs.empty() ? *failed : *verbs.front();
    return fmt::format("{}: {}{}; `{} {}--help` shows how\n", program, error.what(), meant_option(verb),
                       program, verbs.empty() ? "" : verb.get_name() + " ");
  });
  if (argc > 1 && argv[1][0] != '-') {
    const std::string_view word = argv[1];
    NearestName nearest(word);
    bool known = false;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
      known = known || verb->get_name() == word;
      if (!verb->get_group().empty()) nearest.consider(verb->get_name());
    }
    if (!known) {
      fmt::print(stderr, "{}: there is no verb '{}'; {}`{} --help` lists them\n", program, word,
                 nearest.found() ? nearest.help() + " " : "", program);
      return 2;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  }
  return exit;
}

}  // namespace vyre::tool
