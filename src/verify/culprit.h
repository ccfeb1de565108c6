// CulpritSearch: which case makes a backend fail, when many ran together or one after the other.
//
// A dispatch that dies, hangs or gives wrong answers has some ten thousand cases in it, and a process that it
// died in has run others before. The culprit is found by running fewer: a scenario (batches of cases,
// each batch one dispatch) is run in a restarted backend, and reduced to the smallest one that still goes
// wrong. One case left: it is the culprit, alone. More left: the fault depends on what runs beside or before,
// and the one that makes any case in the victim's place fail is the culprit. Nothing left to find in many
// equal runs: it is chance. What runs can be reduced because a case is made anew from its id.
//
// Nothing is attributed on one observation: what was found must happen three times, each time in a restarted
// backend. After a process or device was lost, a program whose answer is known by hand runs first; without
// that answer nothing is attributed at all. Source: docs/adr/0014.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "verify/monitor.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// A case by its name: a source of cases that its bench knows, and a number there.
struct CaseId {
  uint32_t source = 0;
  uint64_t number = 0;
  friend auto operator<=>(const CaseId&, const CaseId&) = default;
};

/// Cases of one dispatch, in order, and through which of the bench's pipelines they go.
struct Batch {
  uint32_t pipeline = 0;
  std::vector<CaseId> cases;
};
/// Dispatches one after the other.
using Scenario = std::vector<Batch>;

/// A wrong answer of a batch.
struct Wrong {
  size_t position = 0;  // of the case in its batch
  bool written = true;  // else what the result started as is still there
  std::vector<uint32_t> expected, actual;
  std::string place;  // for programs: the buffer and the word that differs first
};

/// What running a batch showed.
struct Seen {
  std::optional<Diag> error;  // then there are no answers
  uint64_t broken = 0;        // guard words overwritten
  std::vector<Wrong> wrong;
  bool bad() const { return error.has_value() || broken != 0 || !wrong.empty(); }
};

/// What can run batches of a subject.
class Bench {
 public:
  virtual ~Bench() = default;
  /// Runs it in the backend as it is, compares, and settles the backend. Thread: one call at a time.
  virtual Seen run(const Batch& batch) = 0;
};

struct Finding {
  Fault fault{};
  CaseId culprit;
  Scenario scenario;  // the smallest that is known to show it
  Seen seen;          // what its last batch showed
  /// The case whose answer is wrong, where that is not the culprit's.
  std::optional<CaseId> victim;
  std::string note;
  /// Any cases do it, as long as there are so many of them: there is none to take out of a dispatch.
  bool of_number = false;
};

/// What a diagnostic of a dispatch that one case causes says of the backend.
Fault fault_of(const Diag& diag);
/// What was done wrong, as far as one look says.
Fault fault_of(const Seen& seen);
/// Whether a diagnostic may be the fault of a case: what died, hung, was lost, broke its contract, or found
/// no resources. Others end a subject.
bool is_of_a_case(const Diag& diag);

class CulpritSearch {
 public:
  /// Both must outlive it.
  CulpritSearch(backend::Backend& backend, const Monitor& monitor) : backend_(backend), monitor_(monitor) {}

  /// Finds out which case is the culprit for what a batch showed after others (since the backend was
  /// restarted). Leaves a restarted backend. Errors  what stands in the way of judging: the device does not
  /// come back. Cost    some hundred dispatches, of which at most some twenty hang.
  Result<Finding> find(Bench& bench, std::span<const Batch> history, const Batch& batch, const Seen& seen);

  /// Starts the backend afresh; after a loss it must also give a known answer. Errors: B011.
  Result<void> restart();

  /// Whether the scenario goes wrong in a restarted backend: at which batch, and what it showed.
  struct Trial {
    size_t batch = 0;
    Seen seen;
  };
  Result<std::optional<Trial>> attempt(Bench& bench, const Scenario& scenario);
  /// The same three times; none when it went right once.
  Result<std::optional<Trial>> confirm(Bench& bench, const Scenario& scenario);

 private:
  struct Item {
    size_t batch;
    uint32_t pipeline;
    CaseId id;
    bool operator==(const Item&) const = default;
  };
  using Items = std::vector<Item>;

  Result<std::optional<Trial>> run_all(Bench& bench, const Scenario& scenario);
  Result<void> known_answer();
  Result<bool> fails(Bench& bench, const Items& items, bool afresh);
  Result<Items> reduce(Bench& bench, Items items, const Item* victim, bool afresh);
  Result<std::optional<Finding>> narrow(Bench& bench, const Scenario& scenario, const Batch& batch,
                                        const Seen& seen);
  Result<std::optional<Finding>> by_number(Bench& bench, const Batch& batch);
  static bool is_the_same(const Scenario& scenario, const Trial& trial, const Batch& batch, const Seen& seen);
  Result<void> attribute(Bench& bench, const Batch& batch, Finding& finding);
  Result<bool> spoils(Bench& bench, const Finding& finding, CaseId out, CaseId in, CaseId victim);
  Result<Finding> chance(Bench& bench, const Batch& batch, const Seen& seen);

  backend::Backend& backend_;
  const Monitor& monitor_;
  std::unique_ptr<backend::Pipeline> known_;
  bool lost_ = false;    // since the last restart()
  size_t hangs_ = 0;     // of this find()
  size_t attempts_ = 0;  // of this find()
};

}  // namespace vyre::verify
