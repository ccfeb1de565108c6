// What a run ends with, however it was started: the report, the files that were asked for, the level and the
// exit code.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "certify/certificate.h"
#include "suite/expectations.h"
#include "suite/suite.h"

namespace vyre::tool {

struct Publication {
  std::string out, junit;  // paths; empty: none
  std::string expect;      // the file of expectations
};

/// What --expect names. Errors: an exit code, when it was said what is wrong.
std::expected<std::vector<suite::Expectation>, int> read_expectations(const std::string& path);

/// Waives what was expected, prints the report of a whole run and writes the files; a signed certificate with
/// a key. Gives the exit code.
int publish(suite::Run run, const std::string& backend, const Publication& publication,
            std::span<const certify::Requirement> required, const certify::PrivateKey* key,
            std::span<const suite::Expectation> expectations);

}  // namespace vyre::tool
