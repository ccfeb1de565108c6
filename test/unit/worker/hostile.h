// Workers that speak something else than the protocol.
#pragma once

#include <string>

namespace vyre::worker {

/// backend: "hostile:" and what to do, or a number: the seed of random packets.
int be_hostile(const std::string& backend, int socket);

}  // namespace vyre::worker
