// What the verbs of both programs share: how they report, and options of the same form.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "base/printable.h"

namespace vyre::tool {

/// The program that this is; its main.cpp says it.
extern const std::string_view kProgram;

/// Prints "PROGRAM: message" to stderr; gives 2.
inline int usage_error(std::string_view message) {
  constexpr size_t kMost = 2'000;  // of an argument that is repeated here
  fmt::print(stderr, "{}: {}\n", kProgram, printable(message.substr(0, kMost)));
  return 2;
}

/// Prints a diagnostic that has no position in a text; gives its exit code.
inline int report(const Diag& diag, std::string_view file = {}) {
  fmt::print(stderr, "{}", render(diag, nullptr, file));
  return exit_code(diag.code);
}

/// An option with one value that may be given several times.
inline CLI::Option* add_repeated(CLI::App& verb, const std::string& name, std::vector<std::string>& values,
                                 const std::string& type, const std::string& what) {
  return verb.add_option(name, values, what)->type_name(type)->expected(1)->take_all();
}
/// Adds --const.
inline CLI::Option* add_constants(CLI::App& verb, std::vector<std::string>& constants,
                                  const std::string& what = "choose the value of a constant") {
  return add_repeated(verb, "--const", constants, "NAME=INT", what);
}

}  // namespace vyre::tool
