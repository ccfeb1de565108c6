#include "state/state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "state/directory.h"
#include "state/journal.h"

namespace vyre::state {
namespace {

/// A name that may have been damaged, for a message.
std::string shown(std::string_view name) {
  constexpr size_t kLongest = 120;
  std::string out(name.substr(0, kLongest));
  std::ranges::replace_if(out, [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

Diag damaged(std::string message, std::string help) {
  return make_diag(DiagCode::C022, Span::none(), std::move(message), std::move(help));
}

Diag describe(const Hole& hole, const std::string& path) {
  const std::string place = fmt::format("'{}': bytes {} to {} are damaged", path, hole.begin, hole.end);
  const std::string help = "All other results are kept, and what was lost is judged again.";
  if (hole.name.empty()) return damaged(place, help);
  return damaged(fmt::format("{}; they were the result of {}", place, shown(hole.name)), help);
}

Diag two_results(const std::string& path, const std::string& unit) {
  return make_diag(DiagCode::C025, Span::none(),
                   fmt::format("'{}': {} has two results that differ", path, shown(unit)),
                   "Run the campaign in a new directory, twice, and compare.");
}

bool contains(const std::vector<Part>& parts, const Part& part) {
  return std::ranges::binary_search(parts, part);
}

Result<void> add(const Record& record, const std::string& path, Snapshot& to) {
  switch (record.kind) {
    case RecordKind::Result: {
      const auto [at, added] = to.results.emplace(record.name, record.value);
      if (!added && at->second != record.value) return std::unexpected(two_results(path, record.name));
      return {};
    }
    case RecordKind::Part: to.parts.push_back({record.name, record.value}); return {};
    case RecordKind::Begun:
      if (to.begun.empty() || record.value < to.begun) to.begun = record.value;
      return {};
  }
  return {};
}

/// What is in a directory, and how to go on there.
struct FoundFile {
  Snapshot snapshot;
  uint64_t end = 0;        // of the journal
  bool write_key = false;  // there is none, or it is damaged
};

Result<FoundFile> gather(const Directory& directory, CampaignKey key, const Bytes& journal, bool write_key) {
  FoundFile found{.write_key = write_key};
  const std::string path = directory.path_of(kJournal);
  const Scan scan = scan_journal(journal, key_digest(key));
  for (const Record& record : scan.records) VYRE_CHECK(add(record, path, found.snapshot));
  std::ranges::sort(found.snapshot.parts);
  const auto [first, last] = std::ranges::unique(found.snapshot.parts);
  found.snapshot.parts.erase(first, last);
  for (const Hole& hole : scan.holes) found.snapshot.damage.push_back(describe(hole, path));
  found.snapshot.key = std::move(key);
  found.snapshot.cut_off = journal.size() - scan.end;
  found.end = scan.end;
  return found;
}

/// What to say of a directory whose key cannot be read and that shows in no other way whose it is.
Diag keyless(const Directory& directory, bool missing, bool empty, NoKey why) {
  const std::string other = "Give a new or an empty directory with --state, or that of an earlier run.";
  if (missing && empty)
    return make_diag(DiagCode::C019, Span::none(), fmt::format("'{}' holds no campaign", directory.path()),
                     "Give the state directory of a run.");
  const std::string path = directory.path_of(kCampaign);
  const std::string help =
      "Run the command again that the directory was begun with: when the journal shows that it is that "
      "campaign's, the file is written anew. Or give another directory.";
  if (missing)
    return damaged(
        fmt::format("'{}' is not there or empty, and nothing else shows which campaign it is", path), help);
  switch (why) {
    case NoKey::Damaged:
      return damaged(fmt::format("'{}' is damaged, and nothing else shows which campaign it is", path), help);
    case NoKey::OtherVersion:
      return make_diag(DiagCode::C019, Span::none(),
                       fmt::format("'{}' is of a version that this build does not know", path),
                       "Use the build that made it, or give a new directory with --state.");
    case NoKey::Foreign: break;
  }
  return make_diag(DiagCode::C019, Span::none(), fmt::format("'{}' was written by no campaign", path), other);
}

/// `key`: of who wants to go on there; null for who only reads.
Result<FoundFile> look(const Directory& directory, const CampaignKey* key) {
  VYRE_TRY(bytes, directory.read_file(kCampaign));
  VYRE_TRY(journal, directory.read_file(kJournal));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto there = parse_key(text);
  if (there) {
    const auto difference = key != nullptr ? first_difference(*there, *key) : std::nullopt;
    if (!difference) return gather(directory, std::move(*there), journal, false);
    return std::unexpected(
        make_diag(DiagCode::C020, Span::none(),
                  fmt::format("'{}' belongs to another campaign: {}", directory.path(), *difference),
                  "Give the options that it was begun with, or another directory with --state."));
  }
  if (key == nullptr)
    return std::unexpected(keyless(directory, text.empty(), journal.empty(), there.error()));
  VYRE_TRY(found, gather(directory, *key, journal, true));
  const bool proved = !found.snapshot.results.empty() || !found.snapshot.parts.empty();
  if (!proved && !(text.empty() && journal.empty()))
    return std::unexpected(keyless(directory, text.empty(), journal.empty(), there.error()));
  if (proved) {
    found.snapshot.damage.insert(
        found.snapshot.damage.begin(),
        damaged(fmt::format("'{}' was damaged or missing", directory.path_of(kCampaign)),
                "The journal belongs to this campaign, so the file is written anew and nothing is lost."));
  }
  return std::move(found);
}

}  // namespace

/// The journal that a process writes. Records that are put at one time make a batch: the first of their
/// threads writes and syncs it while the next batch gathers.
class State::Journal {
 public:
  Journal(Fd lock, Fd file, std::string path, FoundFile found)
      : lock_(std::move(lock)),
        file_(std::move(file)),
        path_(std::move(path)),
        campaign_(key_digest(found.snapshot.key)),
        held_(std::move(found.snapshot)),
        next_(found.end) {}

  const Snapshot& held() const { return held_; }
  Result<void> put(const Results& results);
  Result<void> add_parts(const std::vector<Part>& parts);
  Result<void> put_begun(const std::string& day);

 private:
  struct Batch {
    Bytes bytes;
    uint64_t begin = 0;
    std::vector<std::string> units;
    bool done = false;
    std::optional<Diag> error;
  };
  using Lock = std::unique_lock<std::mutex>;

  void append(RecordKind kind, std::string_view name, std::string_view value);
  Result<void> wait(Lock& lock);
  void write(Lock& lock);
  void fail(Batch& batch, const Diag& error);
  std::optional<Diag> write_batch(const Batch& batch);

  const Fd lock_, file_;
  const std::string path_;
  const Digest campaign_;
  std::mutex mutex_;
  std::condition_variable written_;
  Snapshot held_;
  uint64_t next_;  // where the next record will stand
  bool writing_ = false;
  std::shared_ptr<Batch> gathering_ = std::make_shared<Batch>();
  std::optional<Diag> broken_;  // it is unknown what is on the disk behind what was acknowledged
};

void State::Journal::append(RecordKind kind, std::string_view name, std::string_view value) {
  Batch& batch = *gathering_;
  if (batch.bytes.empty()) batch.begin = next_;
  const size_t before = batch.bytes.size();
  append_record(batch.bytes, campaign_, next_, kind, name, value);
  next_ += batch.bytes.size() - before;
}

Result<void> State::Journal::put(const Results& results) {
  Lock lock(mutex_);
  for (const auto& [unit, result] : results) {
    const auto held = held_.results.find(unit);
    if (held != held_.results.end() && held->second != result)
      return std::unexpected(two_results(path_, unit));
  }
  for (const auto& [unit, result] : results) {
    if (!held_.results.emplace(unit, result).second) continue;
    gathering_->units.push_back(unit);
    append(RecordKind::Result, unit, result);
  }
  return wait(lock);
}

Result<void> State::Journal::add_parts(const std::vector<Part>& parts) {
  Lock lock(mutex_);
  for (const Part& part : parts) {
    if (contains(held_.parts, part)) continue;
    append(RecordKind::Part, part.shard, part.device);
    held_.parts.insert(std::ranges::lower_bound(held_.parts, part), part);
  }
  return wait(lock);
}

Result<void> State::Journal::put_begun(const std::string& day) {
  Lock lock(mutex_);
  if (!day.empty() && (held_.begun.empty() || day < held_.begun)) {
    append(RecordKind::Begun, {}, day);
    held_.begun = day;
  }
  return wait(lock);
}

/// Until the batch that is gathering is written, and with it all before it.
Result<void> State::Journal::wait(Lock& lock) {
  const std::shared_ptr<Batch> batch = gathering_;
  while (!batch->done) {
    if (writing_) {
      written_.wait(lock);
    } else {
      write(lock);
    }
  }
  if (batch->error) return std::unexpected(*batch->error);
  return {};
}

void State::Journal::write(Lock& lock) {
  const std::shared_ptr<Batch> batch = std::exchange(gathering_, std::make_shared<Batch>());
  std::optional<Diag> error = broken_;
  if (!error && !batch->bytes.empty()) {
    writing_ = true;
    lock.unlock();
    error = write_batch(*batch);
    lock.lock();
    writing_ = false;
  }
  batch->done = true;
  if (error) {
    // What has gathered meanwhile was to stand behind this batch, so it cannot be written either.
    next_ = batch->bytes.empty() ? next_ : batch->begin;
    fail(*batch, *error);
    const std::shared_ptr<Batch> later = std::exchange(gathering_, std::make_shared<Batch>());
    fail(*later, *error);
  }
  written_.notify_all();
}

void State::Journal::fail(Batch& batch, const Diag& error) {
  for (const std::string& unit : batch.units) held_.results.erase(unit);
  batch.done = true;
  batch.error = error;
}

std::optional<Diag> State::Journal::write_batch(const Batch& batch) {
  if (const int error = write_at(file_.get(), batch.bytes, batch.begin); error != 0) {
    // What was written of it is taken back, so that the journal ends with a whole record.
    if (ftruncate(file_.get(), off_t(batch.begin)) != 0) broken_ = cannot("shorten", path_, errno);
    return cannot("write", path_, error);
  }
  if (fdatasync(file_.get()) != 0) {
    // The kernel may have dropped the pages: another fsync would succeed and mean nothing.
    broken_ = cannot("write", path_, errno);
    return broken_;
  }
  return std::nullopt;
}

State::State(std::unique_ptr<Journal> journal) : journal_(std::move(journal)) {}
State::State(State&&) noexcept = default;
State& State::operator=(State&&) noexcept = default;
State::~State() = default;

Result<State> State::open(const std::string& path, const CampaignKey& key, const std::vector<Part>& parts,
                          const std::string& begun) {
  VYRE_TRY(directory, Directory::make(path));
  VYRE_TRY(lock, directory.lock(Directory::Share::Writing));
  VYRE_TRY(found, look(directory, &key));
  if (found.write_key) VYRE_CHECK(directory.replace_campaign(print_key(key)));
  VYRE_TRY(file, directory.open_file(kJournal, O_RDWR | O_CREAT));
  VYRE_CHECK(directory.sync());
  const std::string journal_path = directory.path_of(kJournal);
  if (found.snapshot.cut_off != 0 && ftruncate(file.get(), off_t(found.end)) != 0)
    return std::unexpected(cannot("shorten", journal_path, errno));
  State state(std::make_unique<Journal>(std::move(lock), std::move(file), journal_path, std::move(found)));
  VYRE_CHECK(state.journal_->add_parts(parts));
  if (state.begun().empty()) VYRE_CHECK(state.journal_->put_begun(begun));
  return state;
}

const Results& State::results() const { return journal_->held().results; }
const std::vector<Part>& State::parts() const { return journal_->held().parts; }
const std::string& State::begun() const { return journal_->held().begun; }
const Diagnostics& State::damage() const { return journal_->held().damage; }
uint64_t State::cut_off() const { return journal_->held().cut_off; }

Result<void> State::put(const std::string& unit, const std::string& result) {
  return journal_->put({{unit, result}});
}
Result<void> State::put_all(const Results& results) { return journal_->put(results); }

Result<void> State::put_begun(const std::string& day) { return journal_->put_begun(day); }

Result<Snapshot> read(const std::string& path) {
  VYRE_TRY(directory, Directory::open(path));
  const Result<Fd> lock = directory.lock(Directory::Share::Reading);
  if (!lock) return std::unexpected(lock.error());
  VYRE_TRY(found, look(directory, nullptr));
  return std::move(found.snapshot);
}

}  // namespace vyre::state
