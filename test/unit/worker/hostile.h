// Workers that speak something else than the protocol.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace vyre::worker {

/// What a hostile worker can do after an honest greeting, by name.
inline constexpr std::array<std::string_view, 9> kHostilities = {
    "no-greeting",   // answers the first call with 4 bytes
    "old-version",   // greets with another version
    "close",         // closes its socket and lives on
    "silent-close",  // closes it before it greets
    "wrong-number",  // answers a call that was not made
    "twice",         // answers each call twice
    "long-packet",   // sends packets beyond the size of packets
    "huge-message",  // claims a message of 4 GiB
    "shrink",        // tries to make shared memory smaller, then answers
};

/// backend: "hostile:" and one of these, a number: the seed of random answers, or "open-memory",
/// "open-files": greets with these routes open.
int be_hostile(const std::string& backend, int socket);

}  // namespace vyre::worker
