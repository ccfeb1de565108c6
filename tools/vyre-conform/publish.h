// What a run ends with, whoever made it: the report, the files that were asked for, the level and the exit
// code.
#pragma once

#include <span>
#include <string>

#include "certify/certificate.h"
#include "suite/suite.h"

namespace vyre::tool {

struct Publication {
  std::string out, junit;  // paths; empty: none
};

/// Prints the report of a whole run and writes the files; a signed certificate with a key. Gives the exit
/// code.
int publish(const suite::Run& run, const std::string& backend, const Publication& publication,
            std::span<const certify::Requirement> required, const certify::PrivateKey* key);

}  // namespace vyre::tool
