// The state of a campaign: what has been judged so far, in a directory that survives its process.
//
// A campaign is a list of units; each has a name and, once judged, a result, which is a text. State::open()
// makes the directory or takes up the one of an earlier run, and results() says what need not be judged
// again. put() returns when a result is on the disk, so whatever ends the process afterwards, SIGKILL and
// power included, it is there at the next open(). Nothing depends on the time: what has to know the day is
// given that on which the campaign began, whatever the clock says since.
//
//   lock      held (flock) by the one process that runs there: its id and host
//   campaign  the key, as text
//   journal   the results (journal.h)
//
// Which errors there are: C018 it cannot be made, read or written; C019 it is of another program; C020 of
// another campaign; C021 in use; C022 damaged so that not even the campaign is known; C025 two results of one
// unit. Damage that leaves results intact is no error: damage() names it, and the units concerned are judged
// again.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "base/result.h"
#include "state/campaign.h"

namespace vyre::state {

/// Units and their results.
using Results = std::map<std::string, std::string>;

/// Which shard was judged, by what: "3/8", and a device as its backend names it. A list of the parts of a
/// campaign is in ascending order, each once.
struct Part {
  std::string shard;
  std::string device;
  auto operator<=>(const Part&) const = default;
};

/// What a state directory holds.
struct Snapshot {
  CampaignKey key;
  Results results;
  std::vector<Part> parts;
  std::string begun;     // the day of the campaign, YYYY-MM-DD; empty where it was not said
  Diagnostics damage;    // C022, one a damaged place, in their order
  uint64_t cut_off = 0;  // bytes of a record that a process was writing when it ended
};

/// Reads a state directory, which may be read-only, and leaves it as it is. Errors: C018, C019, C021, C022,
/// C025. Memory: twice the journal.
Result<Snapshot> read(const std::string& path);

class State {
 public:
  /// Makes the directory and those above it where there is none, locks it, and adds the parts to those that
  /// are known there. Errors: C018 to C022, C025; then nothing was changed but that a new directory may be
  /// there. `begun`: the day, YYYY-MM-DD, of a campaign that has none yet; may be empty.
  static Result<State> open(const std::string& path, const CampaignKey& key, const std::vector<Part>& parts,
                            const std::string& begun = {});
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;
  ~State();  // unlocks

  /// What was there when it was opened and what was put since. Thread: not while another is in put().
  const Results& results() const;
  const std::vector<Part>& parts() const;
  const std::string& begun() const;
  const Diagnostics& damage() const;
  uint64_t cut_off() const;

  /// Keeps a result; returns when it is on the disk. Calls at one time are written together, with one fsync.
  /// Putting what is there already does nothing. Errors: C025 when the unit has another result; C018, and
  /// then the result was not kept and those before were: the call may be made again when the cause is gone.
  /// Thread: any; one for each unit.
  Result<void> put(const std::string& unit, const std::string& result);
  /// The same for many, with one fsync: all are kept or, after an error, none that was not there before.
  Result<void> put_all(const Results& results);
  /// Keeps a day on which the campaign began if it is earlier than the one that is known. Errors: C018.
  Result<void> put_begun(const std::string& day);

 private:
  class Journal;
  explicit State(std::unique_ptr<Journal> journal);
  std::unique_ptr<Journal> journal_;
};

}  // namespace vyre::state
