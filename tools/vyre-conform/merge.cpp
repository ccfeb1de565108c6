#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "certify/certificate.h"
#include "publish.h"
#include "verbs.h"

namespace vyre::tool {
namespace {

struct MergeOptions {
  std::vector<std::string> paths;
  std::string state;
  Publication publication;
};

int run_merge(const MergeOptions& o) {
  if (!o.publication.out.empty()) {
    if (const auto writable = certify::check_writable(o.publication.out); !writable)
      return usage_error(writable.error());
  }
  const auto expectations = read_expectations(o.publication.expect);
  if (!expectations) return expectations.error();
  auto merged = suite::run_of_states(o.paths, o.state);
  if (!merged) return report(merged.error());
  for (const Diag& lost : merged->damage) report(lost);
  for (const std::string& device : merged->devices) fmt::print("judged by {}\n", device);
  fmt::print("{} units from {} {}\n", merged->units, o.paths.size(),
             o.paths.size() == 1 ? "directory" : "directories");
  if (merged->partial) {
    fmt::print("units are missing: merge {} with the other parts\nlevel: partial\n", o.state);
    return 0;
  }
  const std::string backend = merged->certificate.backend;
  return publish(std::move(*merged), backend, o.publication, {}, nullptr, *expectations);
}

}  // namespace

void add_merge(CLI::App& app, int& exit) {
  auto* verb = app.add_subcommand("merge", "Put the parts of a campaign together");
  auto o = std::make_shared<MergeOptions>();
  verb->add_option("STATE_DIR", o->paths, "state directories of the parts")->required();
  verb->add_option("--state", o->state, "keep what was merged in this directory, to be merged again")
      ->type_name("DIR");
  verb->add_option("--out", o->publication.out, "write the certificate here, whole or not at all")
      ->type_name("FILE");
  verb->add_option("--expect", o->publication.expect, "known failures, which are waived until their day")
      ->type_name("FILE");
  verb->footer("Example:\n  vyre-conform merge part-* --out cert.json");
  verb->callback([o, &exit] { exit = run_merge(*o); });
}

}  // namespace vyre::tool
