// The state directory: what was acknowledged is there, and bad directories are refused by name.
#include "state/state.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <thread>

#include "oracle.h"
#include "state/journal.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable, "state.h, campaign.h and diag.def");

namespace vyre::state {
namespace {

using testing::HasSubstr;

std::string unit(int i) { return "primitive.math.add@1/parity/" + std::to_string(i); }
std::string result(int i) { return std::string(size_t(i % 50) * 20, 'x') + std::to_string(i); }

Results first(int count) {
  Results results;
  for (int i = 0; i < count; ++i) results[unit(i)] = result(i);
  return results;
}

Result<State> open(const std::string& path) { return State::open(path, kKey, kParts); }

TEST(State, GoesOnWhereItWas) {
  VYRE_ORACLE(Property, "what is put is there after opening again, in a directory that was made");
  const Folder folder;
  const std::string path = folder / "a/b/state";
  for (int i = 0; i < 5; ++i) {
    auto state = open(path);
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(state->results(), first(i));
    EXPECT_EQ(state->parts(), kParts);
    EXPECT_TRUE(state->damage().empty());
    EXPECT_EQ(state->cut_off(), 0u);
    ASSERT_TRUE(state->put(unit(i), result(i)));
    ASSERT_TRUE(state->put(unit(i), result(i)));  // nothing happens
    EXPECT_EQ(state->results(), first(i + 1));
  }
  const auto snapshot = read(path);
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->key, kKey);
  EXPECT_EQ(snapshot->results, first(5));
  EXPECT_EQ(snapshot->parts, kParts);
}

TEST(State, KeepsTheDayOnWhichItBegan) {
  // state.h: that of the first run, whatever the clock says later; the earliest.
  const Folder folder;
  ASSERT_TRUE(State::open(folder.path(), kKey, kParts));
  EXPECT_EQ(read(folder.path())->begun, "");
  ASSERT_TRUE(State::open(folder.path(), kKey, kParts, "2026-11-22"));
  for (const char* clock : {"1970-01-01", "2038-01-19", "2026-11-22"}) {
    const auto again = State::open(folder.path(), kKey, kParts, clock);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->begun(), "2026-11-22");
  }
  {
    auto merged = State::open(folder.path(), kKey, kParts);
    ASSERT_TRUE(merged);
    ASSERT_TRUE(merged->put_begun("2026-11-23"));
    EXPECT_EQ(merged->begun(), "2026-11-22");
    ASSERT_TRUE(merged->put_begun("2026-11-21"));
    EXPECT_EQ(merged->begun(), "2026-11-21");
  }
  EXPECT_EQ(read(folder.path())->begun, "2026-11-21");
}

TEST(State, KeepsTheListOfParts) {
  const Folder folder;
  const Part one = {"0/2", "GPU 1"}, two = {"0/2", "GPU 0"}, three = {"1/2", "GPU 0"};
  ASSERT_TRUE(State::open(folder.path(), kKey, {one}));
  ASSERT_TRUE(State::open(folder.path(), kKey, {three, one}));
  ASSERT_TRUE(State::open(folder.path(), kKey, {two}));
  const std::vector<Part> expected = {two, one, three};
  EXPECT_EQ(read(folder.path())->parts, expected);
}

TEST(State, TakesResultsFromManyThreads) {
  VYRE_ORACLE(Property, "what each thread has put is there, once");
  constexpr int kThreads = 8, kEach = 40;
  const Folder folder;
  {
    auto state = open(folder.path());
    ASSERT_TRUE(state);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = t; i < kThreads * kEach; i += kThreads) EXPECT_TRUE(state->put(unit(i), result(i)));
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(state->results(), first(kThreads * kEach));
  }
  EXPECT_EQ(read(folder.path())->results, first(kThreads * kEach));
  EXPECT_TRUE(read(folder.path())->damage.empty());
}

/// Puts results from two threads until it is killed, and acknowledges each through a pipe.
[[noreturn]] void put_until_killed(const std::string& path, int acknowledged) {
  auto state = open(path);
  if (!state) _exit(3);
  const int begin = int(state->results().size());
  const auto loop = [&](int offset) {
    for (int i = begin + offset;; i += 2) {
      if (!state->put(unit(i), result(i))) _exit(4);
      if (::write(acknowledged, &i, sizeof i) != sizeof i) _exit(5);
    }
  };
  std::thread other([&] { loop(1); });
  loop(0);
  _exit(6);
}

TEST(State, TwoHundredKillsLoseNothingAcknowledged) {
  VYRE_ORACLE(Property, "what was acknowledged before a SIGKILL is there, and all that is there is right");
  const Folder folder;
  std::set<int> acknowledged;
  int waited_for = 0;
  for (int kill_number = 0; kill_number < 200; ++kill_number) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) put_until_killed(folder.path(), ends[1]);
    close(ends[1]);
    // After 0 to 4 acknowledgements: the child is then anywhere in what follows.
    int number = 0;
    for (int i = 0; i < kill_number % 5; ++i) {
      ASSERT_EQ(::read(ends[0], &number, sizeof number), ssize_t(sizeof number));
      acknowledged.insert(number);
      ++waited_for;
    }
    kill(child, SIGKILL);
    while (::read(ends[0], &number, sizeof number) == ssize_t(sizeof number)) acknowledged.insert(number);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);

    // The next one may have been killed before there was a campaign.
    const auto state = open(folder.path());
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_TRUE(state->damage().empty());
    for (const int i : acknowledged) ASSERT_TRUE(state->results().contains(unit(i))) << i;
    for (const auto& [name, value] : state->results())
      ASSERT_EQ(value, result(std::stoi(name.substr(name.rfind('/') + 1))));
  }
  EXPECT_EQ(waited_for, 40 * (0 + 1 + 2 + 3 + 4));
}

TEST(State, CutAnywhereGoesOn) {
  VYRE_ORACLE(Property, "a journal that ends anywhere has all whole records, and takes new ones");
  const Folder whole;
  {
    auto state = open(whole.path());
    ASSERT_TRUE(state->put_all(first(4)));
  }
  const std::string journal = contents(whole / "journal"), campaign = contents(whole / "campaign");
  for (size_t size = 0; size <= journal.size(); ++size) {
    const Folder folder(Folder::Where::Memory);
    overwrite(folder / "campaign", campaign);
    overwrite(folder / "journal", journal.substr(0, size));
    {
      auto state = open(folder.path());
      ASSERT_TRUE(state) << size << state.error().message;
      ASSERT_TRUE(state->damage().empty()) << size;
      for (const auto& [name, value] : state->results()) ASSERT_EQ(first(4)[name], value);
      if (size == journal.size()) EXPECT_EQ(state->results(), first(4));
      ASSERT_TRUE(state->put_all(first(4))) << size;
    }
    const auto again = open(folder.path());
    ASSERT_EQ(again->results(), first(4)) << size;
    ASSERT_TRUE(again->damage().empty() && again->cut_off() == 0) << size;
  }
}

TEST(State, NothingIsLeftOfARecordThatWasCutOff) {
  // state.h: cut_off is what a process was writing; it is no damage, then or later.
  const Folder folder;
  {
    ASSERT_TRUE(open(folder.path())->put("long", std::string(1000, 'x')));
  }
  std::filesystem::resize_file(folder / "journal", std::filesystem::file_size(folder / "journal") - 10);
  {
    auto state = open(folder.path());
    ASSERT_TRUE(state);
    EXPECT_EQ(state->cut_off(), 64u + 4 + 1000 - 10);
    ASSERT_TRUE(state->put("u", "1"));
  }
  const auto snapshot = read(folder.path());
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->results, (Results{{"u", "1"}}));
  EXPECT_TRUE(snapshot->damage.empty());
  EXPECT_EQ(snapshot->cut_off, 0u);
}

TEST(State, DamageIsNamedAndTheRestKept) {
  const Folder folder;
  {
    ASSERT_TRUE(open(folder.path())->put_all(first(9)));
  }
  std::string journal = contents(folder / "journal");
  journal[journal.find("parity/4") + 8] ^= 1;
  overwrite(folder / "journal", journal);
  Results kept = first(9);
  kept.erase(unit(4));
  {
    auto state = open(folder.path());
    ASSERT_TRUE(state);
    EXPECT_EQ(state->results(), kept);
    ASSERT_EQ(state->damage().size(), 1u);
    EXPECT_EQ(state->damage()[0].code, DiagCode::C022);
    EXPECT_THAT(state->damage()[0].message, HasSubstr(unit(4)));
    EXPECT_THAT(state->damage()[0].message, HasSubstr(folder / "journal"));
    ASSERT_TRUE(state->put(unit(4), result(4)));
  }
  EXPECT_EQ(read(folder.path())->results, first(9));
}

TEST(State, EveryFlippedBitOfTheCampaignIsFound) {
  VYRE_ORACLE(Property, "a reader refuses it; who knows the campaign goes on, since the journal proves it");
  const Folder folder(Folder::Where::Memory);
  {
    ASSERT_TRUE(open(folder.path())->put_all(first(2)));
  }
  const std::string campaign = contents(folder / "campaign");
  for (size_t bit = 0; bit < 8 * campaign.size(); ++bit) {
    std::string flipped = campaign;
    flipped[bit / 8] = char(flipped[bit / 8] ^ (1 << (bit % 8)));
    overwrite(folder / "campaign", flipped);
    ASSERT_EQ(code_of(read(folder.path())), "C022") << bit;
    const auto state = open(folder.path());
    ASSERT_TRUE(state) << bit << state.error().message;
    ASSERT_EQ(state->damage().size(), 1u) << bit;
    ASSERT_EQ(state->results(), first(2)) << bit;
    ASSERT_EQ(contents(folder / "campaign"), campaign) << bit;
  }
}

TEST(State, MissingFilesAreNamedOrWrittenAnew) {
  const Folder folder;
  {
    ASSERT_TRUE(open(folder.path())->put_all(first(2)));
  }
  std::filesystem::remove(folder / "campaign");
  EXPECT_EQ(code_of(read(folder.path())), "C022");
  CampaignKey other = kKey;
  other.back().value = "2";
  EXPECT_EQ(code_of(State::open(folder.path(), other, kParts)), "C022");
  EXPECT_FALSE(std::filesystem::exists(folder / "campaign"));
  EXPECT_EQ(open(folder.path())->results(), first(2));
  EXPECT_TRUE(std::filesystem::exists(folder / "campaign"));
  std::filesystem::remove(folder / "journal");
  EXPECT_TRUE(open(folder.path())->results().empty());
}

TEST(State, AnotherCampaignIsNamedByItsFirstDifference) {
  const Folder folder;
  ASSERT_TRUE(open(folder.path()));
  const auto message = [&](CampaignKey key) {
    const auto state = State::open(folder.path(), key, kParts);
    EXPECT_EQ(code_of(state), "C020");
    return state ? std::string() : state.error().message;
  };
  CampaignKey seed = kKey, both = kKey, more = kKey, fewer = kKey, renamed = kKey;
  seed[3].value = "2";
  both[3].value = "2";
  both[1].value = "77aa";
  more.push_back({"strength", "full"});
  fewer.pop_back();
  renamed[2].name = "device";
  EXPECT_THAT(message(seed), HasSubstr("seed is 1 there and 2 here"));
  EXPECT_THAT(message(both), HasSubstr("registry is 6b1f there and 77aa here"));
  EXPECT_THAT(message(more), HasSubstr("strength is not there, and full here"));
  EXPECT_THAT(message(fewer), HasSubstr("seed is 1 there, and nothing here"));
  EXPECT_THAT(message(renamed), HasSubstr("backend there and device here"));
  EXPECT_EQ(read(folder.path())->key, kKey);
}

TEST(State, KeysAreReadAsTheyWereWritten) {
  VYRE_ORACLE(Property, "parse_key gives what print_key was given, whatever the values hold");
  for (const std::string value : {"", " ", "\n", "\\", "\\n", "a\nb\\\nc ", "sha256 x\n", "\xff"}) {
    const CampaignKey key = {{"one", value}, {"two", value + value}};
    ASSERT_EQ(parse_key(print_key(key)), key) << value;
    const CampaignKey swapped = {{"one", value + value}, {"two", value}};
    if (!value.empty()) ASSERT_NE(key_digest(key), key_digest(swapped)) << value;
  }
}

TEST(State, TheSecondRunInADirectoryNamesTheFirst) {
  const Folder folder;
  {
    const auto holding = open(folder.path());
    ASSERT_TRUE(holding);
    for (const auto& refused : {code_of(open(folder.path())), code_of(read(folder.path()))})
      EXPECT_EQ(refused, "C021");
    EXPECT_THAT(open(folder.path()).error().message,
                HasSubstr("process " + std::to_string(getpid()) + " on "));
    EXPECT_EQ(in_child([&] { return code_of(open(folder.path())) == "C021" ? 0 : 1; }), 0);
  }
  EXPECT_TRUE(open(folder.path()));
}

TEST(State, ForeignDirectoriesStayAsTheyAre) {
  // state.h: C019, and the first name in order.
  const Folder folder;
  overwrite(folder / "thesis.tex", "x");
  overwrite(folder / "zebra", "x");
  const auto state = open(folder.path());
  ASSERT_EQ(code_of(state), "C019");
  EXPECT_THAT(state.error().message, HasSubstr("'thesis.tex'"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);

  for (const char* file : {"campaign", "journal"}) {
    const Folder other;
    overwrite(other / file, "Dear diary, this belongs to nobody else.\n");
    const std::string before = contents(other / file);
    EXPECT_THAT(code_of(open(other.path())), testing::AnyOf("C019", "C022")) << file;
    EXPECT_EQ(contents(other / file), before);
  }
  const Folder linked;
  overwrite(folder / "target", "");
  std::filesystem::create_symlink(folder / "target", linked / "journal");
  EXPECT_EQ(code_of(open(linked.path())), "C019");
  const Folder piped;
  ASSERT_EQ(mkfifo((piped / "campaign").c_str(), 0600), 0);
  EXPECT_EQ(code_of(open(piped.path())), "C019");
  const Folder nested;
  std::filesystem::create_directory(nested / "lock");
  EXPECT_EQ(code_of(open(nested.path())), "C019");
  const Folder empty;
  EXPECT_EQ(code_of(read(empty.path())), "C019");
}

TEST(State, AnotherVersionIsNamed) {
  const Folder folder;
  const std::string later = "vyre campaign 2\nseed 1\n";
  const std::string text = later + "sha256 " + sha256(later).hex() + "\n";
  overwrite(folder / "campaign", text);
  EXPECT_EQ(code_of(read(folder.path())), "C019");
  const auto state = open(folder.path());
  ASSERT_EQ(code_of(state), "C019");
  EXPECT_THAT(state.error().message, HasSubstr("a version that this build does not know"));
  EXPECT_EQ(contents(folder / "campaign"), text);
}

TEST(State, WhatCannotBeWrittenIsSaid) {
  const Folder folder;
  overwrite(folder / "file", "x");
  EXPECT_EQ(code_of(open(folder / "file")), "C018");
  EXPECT_EQ(code_of(open(folder / "file/below")), "C018");
  EXPECT_EQ(code_of(read(folder / "missing")), "C018");
  {
    ASSERT_TRUE(open(folder / "state")->put_all(first(3)));
  }
  std::filesystem::create_directory(folder / "empty");
  for (const char* name : {"", "state", "empty"}) chmod((folder / name).c_str(), 0555);
  EXPECT_EQ(in_child([&] {
              if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
                return 1;  // root may write everywhere
              if (code_of(open(folder / "state")) != "C018") return 2;
              if (code_of(open(folder / "empty")) != "C018") return 3;
              if (code_of(open(folder / "new")) != "C018") return 4;
              return read(folder / "state")->results == first(3) ? 0 : 5;
            }),
            0);
  for (const char* name : {"", "state", "empty"}) chmod((folder / name).c_str(), 0755);
}

TEST(State, TwoResultsOfOneUnitAreRefused) {
  const Folder folder;
  {
    auto state = open(folder.path());
    ASSERT_TRUE(state->put("u", "1"));
    EXPECT_EQ(code_of(state->put("u", "2")), "C025");
    EXPECT_EQ(state->results().at("u"), "1");
  }
  Bytes more;
  const std::string journal = contents(folder / "journal");
  append_record(more, key_digest(kKey), journal.size(), RecordKind::Result, "u", "2");
  overwrite(folder / "journal",
            journal + std::string(reinterpret_cast<const char*>(more.data()), more.size()));
  EXPECT_EQ(code_of(open(folder.path())), "C025");
  EXPECT_EQ(code_of(read(folder.path())), "C025");
}

TEST(State, TimesOfFilesMeanNothing) {
  VYRE_ORACLE(Property, "results are there whatever the clock says, in the past and in the future");
  const Folder folder;
  for (const time_t time : {time_t(0), time_t(1) << 33}) {
    {
      ASSERT_TRUE(open(folder.path())->put_all(first(3)));
    }
    for (const char* name : {"lock", "campaign", "journal"}) {
      const timespec times[2] = {{time, 0}, {time, 0}};
      ASSERT_EQ(utimensat(AT_FDCWD, (folder / name).c_str(), times, 0), 0);
    }
    EXPECT_EQ(open(folder.path())->results(), first(3));
  }
}

}  // namespace
}  // namespace vyre::state
