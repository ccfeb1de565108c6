#include "spy.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "oracle.h"
#include "support.h"
#include "worker/isolate.h"
#include "worker/process.h"

VYRE_ORACLE(SpecificationTable,
            "worker.h, isolate.h and docs/workers.md, proc(5), ptrace(2), kill(2): what a worker can reach; "
            "each route is tried as an attacker would");

namespace vyre::worker {
namespace {

namespace fs = std::filesystem;

bool reads(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  char byte = 0;
  return file && (::read(file.get(), &byte, 1) >= 0 || errno == EISDIR || errno == EAGAIN);
}

bool has_memory(const Target& t, int how) {
  const Fd file(::open(fmt::format("/proc/{}/mem", t.parent).c_str(), how | O_CLOEXEC));
  uint64_t seen = 0;
  if (!file || ::pread(file.get(), &seen, sizeof seen, off_t(t.memory)) != sizeof seen) return false;
  return seen == kSecret &&
         (how == O_RDONLY || ::pwrite(file.get(), &seen, sizeof seen, off_t(t.memory)) > 0);
}
bool moves_memory(const Target& t, bool write) {
  uint64_t seen = write ? kSecret : 0;
  const iovec local = {&seen, sizeof seen}, remote = {reinterpret_cast<void*>(t.memory), sizeof seen};
  return ::syscall(write ? SYS_process_vm_writev : SYS_process_vm_readv, t.parent, &local, 1, &remote, 1,
                   0) == sizeof seen &&
         seen == kSecret;
}
bool traces(const Target& t) {
  if (::ptrace(PTRACE_ATTACH, t.parent, nullptr, nullptr) != 0) return false;
  ::waitpid(t.parent, nullptr, __WALL);
  ::ptrace(PTRACE_DETACH, t.parent, nullptr, nullptr);
  return true;
}
bool takes_a_descriptor(const Target& t) {
  const Fd process(int(::syscall(SYS_pidfd_open, t.parent, 0)));
  return process && bool(Fd(int(::syscall(SYS_pidfd_getfd, process.get(), 2, 0))));
}
bool signals_by_pidfd(const Target& t) {
  const Fd process(int(::syscall(SYS_pidfd_open, t.parent, 0)));
  return process && ::syscall(SYS_pidfd_send_signal, process.get(), SIGURG, nullptr, 0) == 0;
}
/// Moves into the parent's group and signals that; whether it came is for the parent to say.
bool signals_by_group(const Target& t) {
  std::signal(SIGURG, SIG_IGN);
  return ::setpgid(0, ::getpgid(t.parent)) == 0 && ::kill(0, SIGURG) == 0 && ::kill(t.parent, 0) == 0;
}
bool limits(const Target& t) {
  const rlimit none = {0, 0};
  return ::syscall(SYS_prlimit64, t.parent, RLIMIT_CORE, &none, nullptr) == 0;
}
bool writes(const std::string& path, int how) {
  return bool(Fd(::open(path.c_str(), O_WRONLY | how | O_CLOEXEC, 0600)));
}
/// Of what a worker has open nothing is its parent's but pipes, sockets and the memory they share.
bool inherits() {
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string what = fs::read_symlink(entry.path(), error);
    const bool own = error || what == "/dev/null" || what.starts_with("pipe:") ||
                     what.starts_with("socket:") || what.starts_with("anon_inode:") ||
                     what.starts_with("/memfd:vyre-worker") ||
                     what.starts_with(fmt::format("/proc/{}", ::getpid()));
    if (!own) return true;
  }
  return false;
}
/// Some process that is not this one: a sibling, the entry-point emitter, any that `ps` lists.
bool reads_other_processes() {
  const std::string self = std::to_string(::getpid());
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (std::isdigit(static_cast<unsigned char>(name.front())) && name != self &&
        reads(at->path() / "cmdline"))
      return true;
  }
  return false;
}
bool has_capabilities() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    // One may stay: CAP_DAC_OVERRIDE, bit 1.
    if (line.starts_with("CapEff:")) return (std::stoull(line.substr(8), nullptr, 16) & ~uint64_t{2}) != 0;
  }
  return true;
}

struct Trick {
  std::string_view name;
  std::function<bool(const Target&)> works;
};

const std::vector<Trick>& tricks() {
  const auto proc = [](const char* file) {
    return [file](const Target& t) { return reads(fmt::format("/proc/{}/{}", t.parent, file)); };
  };
  static const std::vector<Trick> all = {
      {"mem", [](const Target& t) { return has_memory(t, O_RDONLY); }},
      {"mem-write", [](const Target& t) { return has_memory(t, O_RDWR); }},
      {"vm-readv", [](const Target& t) { return moves_memory(t, false); }},
      {"vm-writev", [](const Target& t) { return moves_memory(t, true); }},
      {"ptrace", traces},
      {"environ", proc("environ")},
      {"cmdline", proc("cmdline")},
      {"maps", proc("maps")},
      {"task-cmdline",
       [](const Target& t) { return reads(fmt::format("/proc/{0}/task/{0}/cmdline", t.parent)); }},
      {"fd", proc("fd/2")},
      {"cwd", proc("cwd")},
      {"root", proc("root")},
      {"pidfd-getfd", takes_a_descriptor},
      {"others", [](const Target&) { return reads_other_processes(); }},
      {"inherited", [](const Target&) { return inherits(); }},
      {"kill", [](const Target& t) { return ::kill(t.parent, SIGURG) == 0; }},
      {"tgkill", [](const Target& t) { return ::syscall(SYS_tgkill, t.parent, t.parent, SIGURG) == 0; }},
      {"pidfd-signal", signals_by_pidfd},
      {"group-signal", signals_by_group},
      {"prlimit", limits},
      {"overwrite", [](const Target& t) { return writes(t.folder + "/kept", 0); }},
      {"truncate", [](const Target& t) { return ::truncate((t.folder + "/kept").c_str(), 0) == 0; }},
      {"make", [](const Target& t) { return writes(t.folder + "/made", O_CREAT); }},
      {"make-folder", [](const Target& t) { return ::mkdir((t.folder + "/made.d").c_str(), 0700) == 0; }},
      {"rename",
       [](const Target& t) {
         return ::rename((t.folder + "/kept").c_str(), (t.folder + "/moved").c_str()) == 0;
       }},
      // Code for this CPU is run outside of workers.
      {"code", [](const Target& t) { return writes(t.folder + "/cache/native/made", O_CREAT); }},
      {"code-by-rename",
       [](const Target& t) {
         const std::string made = t.folder + "/cache/floats/made";
         return writes(made, O_CREAT) &&
                ::rename(made.c_str(), (t.folder + "/cache/native/renamed").c_str()) == 0;
       }},
      {"code-folder",
       [](const Target& t) {
         const std::string cache = t.folder + "/cache";
         return ::rename((cache + "/native").c_str(), (cache + "/floats/native").c_str()) == 0;
       }},
      {"hidden", [](const Target& t) { return reads(t.folder + "/hidden"); }},
      {"hidden-folder", [](const Target& t) { return reads(t.folder + "/hidden.d/journal"); }},
      {"remove", [](const Target& t) { return ::unlink((t.folder + "/hidden").c_str()) == 0; }},
      {"capabilities", [](const Target&) { return has_capabilities(); }},
  };
  return all;
}

std::atomic<int> signals_seen = 0;
void count_signal(int) { ++signals_seen; }

class Spying : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "vyre-spied-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    fs::create_directory(folder_ / "hidden.d");
    for (const char* part : {"native", "floats"}) fs::create_directories(folder_ / "cache" / part);
    ::setenv("VYRE_CACHE_DIR", (folder_ / "cache").c_str(), 1);
    for (const char* name : {"kept", "hidden", "hidden.d/journal"})
      std::ofstream(folder_ / name) << "seed 1\n";
    signals_seen = 0;
    std::signal(SIGURG, count_signal);
  }
  void TearDown() override {
    std::signal(SIGURG, SIG_DFL);
    ::unsetenv("VYRE_CACHE_DIR");
    fs::remove_all(folder_);
  }
  Target target() const { return {::getpid(), reinterpret_cast<uintptr_t>(&secret_), folder_.string()}; }
  Options options() const {
    Options out = options_for("faulty:spy?" + target().text());
    out.hidden = {(folder_ / "hidden").string(), (folder_ / "hidden.d").string()};
    return out;
  }

  uint64_t secret_ = kSecret;
  fs::path folder_;
};

/// What the worker's backend reports, which is its code.
std::string found_by(backend::Backend& worker) {
  const auto pipeline = worker.compile(doubling());
  EXPECT_TRUE(pipeline) << pipeline.error().message;
  expect_right(**pipeline);
  const auto code = (*pipeline)->code();
  EXPECT_TRUE(code) << code.error().message;
  return code->text;
}

bool kernel_closes_everything() { return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) >= 1; }

TEST_F(Spying, FindsEveryRouteClosed) {
  if (!kernel_closes_everything()) GTEST_SKIP() << "this kernel has no Landlock: see ClosesMemoryWithoutIt";
  std::vector<std::string> warnings;
  Options with_warnings = options();
  with_warnings.warn = [&](const Diag& diag) { warnings.push_back(diag.message); };
  const auto worker = open_worker(with_warnings);
  ASSERT_NE(worker, nullptr);
  EXPECT_EQ(found_by(*worker), "");
  EXPECT_EQ(warnings, std::vector<std::string>());
  EXPECT_EQ(signals_seen, 0);
  EXPECT_EQ(secret_, kSecret);
  for (const char* name : {"kept", "hidden", "hidden.d/journal"})
    EXPECT_EQ(fs::file_size(folder_ / name), 7u);
  EXPECT_TRUE(fs::is_empty(folder_ / "cache/native"));
  EXPECT_TRUE(fs::exists(folder_ / "cache/floats/made")) << "verdicts it may write";
}

// The same spy in a child that is not closed off: a trick that never works would prove nothing above.
TEST_F(Spying, WorksWhereNothingIsClosed) {
  ASSERT_EQ(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // where Yama asks for it
  auto child = Process::start("/proc/self/exe", {"spy", target().text()});
  ASSERT_TRUE(child) << child.error().message;
  const std::string report = (*child)->end(30);
  for (const Trick& trick : tricks()) {
    const bool root = ::geteuid() == 0;
    if (trick.name == "inherited" || (trick.name == "capabilities" && !root)) continue;
    EXPECT_NE(report.find(fmt::format(" {} ", trick.name)), std::string::npos) << trick.name << "\n"
                                                                               << report;
  }
  EXPECT_GE(signals_seen, 1);  // those of one kind are one while they wait
}

TEST_F(Spying, MayWriteToItsOwnFolder) {
  // isolate.h: a folder where it may write, known to it as TMPDIR, removed at the end.
  const auto scratch_folders = [] {
    size_t n = 0;
    for (const auto& entry : fs::directory_iterator(fs::temp_directory_path()))
      n += entry.path().filename().string().starts_with("vyre-worker-");
    return n;
  };
  const size_t before = scratch_folders();
  {
    const auto worker = open_worker(options_for("faulty:scratch"));
    ASSERT_NE(worker, nullptr);
    EXPECT_EQ(found_by(*worker), "written");
    EXPECT_EQ(scratch_folders(), before + 1);
  }
  EXPECT_EQ(scratch_folders(), before);
}

// What an open route means is the parent's to say, and a worker cannot be asked: so this parent is given a
// false report.
TEST(Isolation, RefusesAWorkerThatCanReadMemory) {
  // isolate.h, is_tolerable(): where expected values lie, a parent does not go on.
  const auto worker = make_worker(options_for("hostile:open-memory"));
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.error().code, DiagCode::B001);
  EXPECT_THAT(worker.error().message, testing::HasSubstr("read the memory of the process that judges it"));
}

TEST(Isolation, WarnsOfAWorkerThatCanWriteFiles) {
  std::vector<std::string> warnings;
  Options options = options_for("hostile:open-files");
  options.warn = [&](const Diag& diag) { warnings.push_back(diag.message); };
  ASSERT_NE(open_worker(options), nullptr);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings.front(), testing::HasSubstr("write the user's files"));
}

TEST(Isolation, TellsWhatIsOpen) {
  auto child = Process::start("/bin/sleep", {"60"});
  ASSERT_TRUE(child) << child.error().message;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until it is /bin/sleep
  const std::vector<Route> open = find_open_routes((*child)->pid());
  for (const Route route : {Route::Environment, Route::CommandLine, Route::Signals, Route::Files})
    EXPECT_THAT(open, testing::Contains(route)) << text(route);
}

}  // namespace

std::string Target::text() const { return fmt::format("{} {} {}", parent, memory, folder); }
Target Target::parse(const std::string& text) {
  Target out{};
  std::istringstream(text) >> out.parent >> out.memory >> out.folder;
  return out;
}

std::vector<std::string> spy_on(const Target& target) {
  std::vector<std::string> out;
  for (const Trick& trick : tricks()) {
    if (trick.works(target)) out.emplace_back(trick.name);
  }
  return out;
}

}  // namespace vyre::worker
