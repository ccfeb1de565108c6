// Power loss: only what fdatasync() was called for is on the disk. This program has an fdatasync() of its
// own, which notes what the file holds at that moment, and which can fail as a broken disk does.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "oracle.h"
#include "state/state.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable, "state.h, and fsync(2)");

namespace {

std::atomic<int> syncs = 0;
std::atomic<off_t> durable = 0;  // bytes of the file that was synced last
std::atomic<bool> disk_is_broken = false;

}  // namespace

extern "C" int fdatasync(int fd) {
  ++syncs;
  if (disk_is_broken) {
    errno = EIO;
    return -1;
  }
  durable = lseek(fd, 0, SEEK_END);
  return int(syscall(SYS_fdatasync, fd));
}

namespace vyre::state {
namespace {

TEST(PowerLoss, WhatPutHasReturnedForIsOnTheDisk) {
  VYRE_ORACLE(Property, "with all that was not synced cut off, each result that was acknowledged is there");
  const Folder folder, after;
  Results acknowledged;
  auto state = State::open(folder.path(), kKey, kParts);
  ASSERT_TRUE(state);
  for (int i = 0; i < 10; ++i) {
    acknowledged["unit/" + std::to_string(i)] = std::string(size_t(i * 100), 'x');
    ASSERT_TRUE(state->put("unit/" + std::to_string(i), std::string(size_t(i * 100), 'x')));
    overwrite(after / "campaign", contents(folder / "campaign"));
    overwrite(after / "journal", contents(folder / "journal").substr(0, size_t(durable)));
    ASSERT_EQ(read(after.path())->results, acknowledged) << i;
  }
}

TEST(PowerLoss, ManyResultsTakeOneSync) {
  const Folder folder;
  auto state = State::open(folder.path(), kKey, kParts);
  ASSERT_TRUE(state);
  Results results;
  for (int i = 0; i < 100; ++i) results[std::to_string(i)] = "r";
  syncs = 0;
  ASSERT_TRUE(state->put_all(results));
  EXPECT_EQ(syncs, 1);
}

TEST(PowerLoss, ADiskThatFailsToSyncIsNotTrustedAgain) {
  // fsync(2): after EIO, what is on the disk is unknown, and a second call may succeed.
  const Folder folder;
  {
    auto state = State::open(folder.path(), kKey, kParts);
    ASSERT_TRUE(state && state->put("before", "1"));
    disk_is_broken = true;
    EXPECT_EQ(code_of(state->put("during", "2")), "C018");
    disk_is_broken = false;
    EXPECT_EQ(code_of(state->put("after", "3")), "C018");
    EXPECT_EQ(state->results(), (Results{{"before", "1"}}));
  }
  // A new process reads what is there, and goes on.
  auto state = State::open(folder.path(), kKey, kParts);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->results().at("before"), "1");
  EXPECT_FALSE(state->results().contains("after"));
  EXPECT_TRUE(state->put("after", "3"));
}

}  // namespace
}  // namespace vyre::state
