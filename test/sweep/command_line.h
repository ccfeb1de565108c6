// What the command lines of the sweeps have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace vyre::sweep {

struct CommonArguments {
  std::vector<std::string> backends = {"native"};
  std::string preset;
  std::vector<std::string> operations;
  unsigned threads = 0;  // 0: as many as there are cores
  bool expect = false;   // no backend is asked
};

/// An option that takes one or several, with commas between them: what follows a blank is no more of it.
template <typename T>
CLI::Option* add_list(CLI::App& app, const char* name, std::vector<T>& values, const char* what) {
  return app.add_option(name, values, what)->delimiter(',')->allow_extra_args(false);
}

/// `presets`: the words that --preset takes.
inline void add_common(CLI::App& app, CommonArguments& a, const std::vector<std::string>& presets,
                       const char* preset_means, const char* operation_means) {
  add_list(app, "--backend", a.backends, "names of `vyre backends`");
  app.add_option("--preset", a.preset, preset_means)->check(CLI::IsMember(presets));
  app.add_option("--threads", a.threads, "on the host");
  app.add_flag("--expect", a.expect, "the oracle alone");
  app.add_option("OPERATION", a.operations, operation_means);
}

/// The exit code, where there is nothing more to do: after --help, or 2 after what is no command line.
inline std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return {};
}

}  // namespace vyre::sweep
