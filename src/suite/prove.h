// What the proof engine found, as text for people and as JSON.
#pragma once

#include <atomic>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "symbolic/prove.h"

namespace vyre::suite {

/// What can be asked, in the order in which it is.
enum class ProvePart : uint8_t {
  Declared,    // what operations declare
  Theorems,    // of compositions
  Lowering,    // rules, rows and emitted code
  Product,     // every law of every function
  Collisions,  // pairs that laws do not tell apart
};
inline constexpr size_t kProveParts = 5;
std::string_view text(ProvePart part);  // "declared", ...

struct ProveRequest {
  std::string pattern = "*";  // of operation ids and, but for what is declared, operators: "div"
  std::set<ProvePart> parts;  // none: declared and lowering; theorems and collisions want all operations
  bool json = false;
  const std::atomic<bool>* stop = nullptr;
};

struct Proved {
  std::string text;
  bool good = false;  // everything is as declared, and nothing that was asked is refuted
};

/// Asks about the operations and operators that match; progress goes to stderr where it is a terminal.
/// Errors: C004; C007 when `stop` became true before everything was asked. The JSON is documented in
/// docs/proofs.md. Cost    of all parts some 12 minutes of two cores, of Declared half a minute.
Result<Proved> prove(const ProveRequest& request);

/// The report as a table: operation, law, subject, grade, time; what no solver proved, by name; totals;
/// coverage. With the text of a file: where in it what is not as declared stands.
std::string prove_table(const symbolic::ProveReport& report, const Source* source = nullptr);
nlohmann::json prove_json(const symbolic::ProveReport& report, const Source* source = nullptr);

}  // namespace vyre::suite
