// A disk that fills up: what was acknowledged stays, the diagnostic says what to do, and there is a way on.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>

#include "oracle.h"
#include "state/state.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable,
            "setrlimit(2): EFBIG beyond the limit, and tmpfs(5): ENOSPC beyond its size; state.h: C018, and "
            "the call may be made again");

namespace vyre::state {
namespace {

const std::string kResult(3000, 'r');

/// Puts results until one is refused. How many were kept; -1 when none is ever refused, -2 for another
/// diagnostic.
int fill(State& state) {
  for (int i = 0; i < 1000; ++i) {
    const auto kept = state.put("unit/" + std::to_string(i), kResult);
    if (!kept) return kept.error().code == DiagCode::C018 && !kept.error().help.empty() ? i : -2;
  }
  return -1;
}

/// Whether exactly the first of fill() are there.
bool holds(const Results& results, int count) {
  for (int i = 0; i < count; ++i) {
    const auto at = results.find("unit/" + std::to_string(i));
    if (at == results.end() || at->second != kResult) return false;
  }
  return results.size() == size_t(count);
}

TEST(FullDisk, ALimitOnTheSizeOfFilesKeepsWhatWasThere) {
  const Folder folder;
  EXPECT_EQ(in_child([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              rlimit limit{};
              getrlimit(RLIMIT_FSIZE, &limit);
              rlimit small = limit;
              small.rlim_cur = 20000;
              setrlimit(RLIMIT_FSIZE, &small);
              auto state = State::open(folder.path(), kKey, kParts);
              if (!state) return 1;
              if (fill(*state) != 6) return 2;  // 6 * 3070 is less than 20000, and 7 * 3070 more
              if (!holds(state->results(), 6)) return 3;
              if (!state->put("small", "fits")) return 4;  // shorter than what was taken back
              if (std::filesystem::file_size(folder / "journal") == 20000) return 6;  // part of it was left
              setrlimit(RLIMIT_FSIZE, &limit);
              return state->put("unit/6", kResult) ? 0 : 5;
            }),
            0);
  const auto state = State::open(folder.path(), kKey, kParts);
  ASSERT_TRUE(state);
  Results results = state->results();
  EXPECT_EQ(results.extract("small").mapped(), "fits");
  EXPECT_TRUE(holds(results, 7));
  EXPECT_TRUE(state->damage().empty());
  EXPECT_EQ(state->cut_off(), 0u);
}

TEST(FullDisk, ASmallFileSystemKeepsWhatWasThere) {
  constexpr int kNoMount = 77;
  const Folder folder;
  const int answer = in_child([&] {
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) return kNoMount;
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return kNoMount;
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) return kNoMount;
    const std::string path = folder / "state";
    int kept = 0;
    {
      auto state = State::open(path, kKey, kParts);
      if (!state) return 1;
      kept = fill(*state);
      if (kept < 5 || kept > 20) return 2;
      if (!holds(state->results(), kept)) return 3;
    }
    if (!read(path) || !holds(read(path)->results, kept)) return 4;
    // No room for another directory either.
    overwrite(folder / "filler", std::string(100000, 'f'));
    if (code_of(State::open(folder / "second", kKey, kParts)) != "C018") return 5;
    // Files are deleted.
    std::filesystem::remove(folder / "filler");
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", MS_REMOUNT, "size=256k") != 0) return 6;
    {
      auto state = State::open(path, kKey, kParts);
      if (!state || !holds(state->results(), kept) || !state->damage().empty()) return 7;
      if (!state->put("unit/" + std::to_string(kept), kResult)) return 8;
    }
    // And it becomes read-only: no run can go on there, and its state can be read.
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") != 0) return 9;
    if (code_of(State::open(path, kKey, kParts)) != "C018") return 10;
    return read(path) && holds(read(path)->results, kept + 1) ? 0 : 11;
  });
  if (answer == kNoMount) GTEST_SKIP() << "this process may not mount a file system";
  EXPECT_EQ(answer, 0);
}

}  // namespace
}  // namespace vyre::state
