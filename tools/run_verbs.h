// What both programs do with their command line: find the verb, parse, say what was meant by what is not
// there, and print help.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
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

/// What is wrong with a command line. Words that nothing takes are named in their order, options first, and a
/// file where only --file takes one.
inline std::string wrong_with(const CLI::App& verb, const CLI::Error& error) {
  std::vector<std::string> words = verb.remaining(true);
  if (error.get_exit_code() != int(CLI::ExitCodes::ExtrasError) || words.empty())
    return error.what() + meant_option(verb);
  std::string options, others;
  for (const std::string& word : words) (word.starts_with("-") ? options : others) += " " + word;
  const std::string out = "not expected:" + options + others;
  const std::string meant = meant_option(verb);
  if (!meant.empty() || !options.empty()) return out + meant;
  return out + (verb.get_option_no_throw("--file") != nullptr
                    ? fmt::format("; did you mean --file {}?", words[0])
                    : "");
}

/// An option with what it takes, `--track strict|approximate=strict`, and no lists of options that it goes
/// with or without; descriptions within a terminal.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string out;
    if (option->get_type_size() != 0) {
      std::string type = option->get_type_name();
      for (const std::string_view check : {":{", ":UINT", ":POSITIVE"})  // what a validator adds
        type.resize(std::min(type.size(), type.find(check)));
      const bool named = option->nonpositional() || type != "TEXT";  // a positional has a name of its own
      if (named && !type.empty()) out += " " + type;
      if (!option->get_default_str().empty()) out += "=" + option->get_default_str();
      const bool many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
      if (many && !type.ends_with("...")) out += " ...";
      if (option->get_required() && option->nonpositional()) out += " REQUIRED";
    }
    for (const CLI::Option* needed : option->get_needs()) out += " with " + needed->get_name();
    return out;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr size_t kWidth = 80;
    std::string out, line;
    const std::string text = option->get_description();
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find(' ', begin), text.size());
      if (!line.empty() && line.size() + 1 + end - begin > kWidth) {
        out += line + "\n";
        line.clear();
      }
      line += (line.empty() ? "" : " ") + text.substr(begin, end - begin);
      begin = end + 1;
    }
    return out + line;
  }
};

/// Parses and so runs one verb. `exit` is what the verb's callback sets. The process's exit code: 2 for what
/// is no command line of this program.
inline int run_verbs(CLI::App& app, std::string_view program, int argc, char** argv, const int& exit) {
  app.failure_message([program](const CLI::App* failed, const CLI::Error& error) {
    const auto verbs = failed->get_subcommands();
    const CLI::App& verb = verbs.empty() ? *failed : *verbs.front();
    return fmt::format("{}: {}; `{} {}--help` shows how\n", program, wrong_with(verb, error), program,
                       verbs.empty() ? "" : verb.get_name() + " ");
  });
  const auto formatter = std::make_shared<HelpFormatter>();
  app.formatter(formatter);
  for (CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; })) verb->formatter(formatter);
  // `help VERB` is `VERB --help`.
  char help[] = "--help";
  std::vector<char*> words(argv, argv + argc);
  if (argc > 1 && argv[1] == std::string_view("help")) {
    words.erase(words.begin() + 1);
    words.insert(words.begin() + std::min<ptrdiff_t>(2, std::ssize(words)), help);
    argc = int(words.size());
    argv = words.data();
  }
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
