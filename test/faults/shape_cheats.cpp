#include "shape_cheats.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>

#include "base/bytes.h"

namespace vyre::faults {
namespace {

constexpr std::string_view kLeftBehind = "/tmp/vyre-fault-left-behind";

bool is_elementwise(const Call& call) {
  return call.program.program().name == "elementwise" && call.memory.size() >= 2;
}

/// Where the parent has memory that it reads and writes: its first such mapping, or nothing.
uintptr_t memory_of_parent() {
  std::ifstream maps(fmt::format("/proc/{}/maps", ::getppid()));
  for (std::string line; std::getline(maps, line);) {
    if (line.find(" rw-p ") != line.npos) return std::stoull(line, nullptr, 16);
  }
  return 0;
}

/// Moves bytes between this process and its parent; how many were moved.
template <typename F>
bool moves(F move) {
  static uint64_t here = 0;
  const uintptr_t there = memory_of_parent();
  const iovec local{&here, sizeof here}, remote{reinterpret_cast<void*>(there), sizeof here};
  return there != 0 && move(local, remote) == ssize_t(sizeof here);
}

}  // namespace

bool guards_stand_behind(const Call& call) {
  if (!is_elementwise(call)) return true;
  constexpr size_t kWords = 64;  // verify/elementwise.h, kGuardWords, known to a reader of the source
  const auto results = call.memory.back();
  if (results.size() < 4) return false;
  return load_u32(results.data() + results.size() - 4) ==
         (0xC0FFEE00u ^ uint32_t((2 * kWords - 1) * 0x9E3779B9u));
}
bool results_are_longer(const Call& call) {
  if (!is_elementwise(call)) return true;
  return call.memory.back().size() / call.element_bytes(call.memory.size() - 1) >
         call.memory.front().size() / call.element_bytes(0);
}

bool reads_parent_file() {
  static const bool reads = [] {
    const int file = ::open(fmt::format("/proc/{}/mem", ::getppid()).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    uint64_t word = 0;
    const bool read = ::pread(file, &word, sizeof word, off_t(memory_of_parent())) == ssize_t(sizeof word);
    ::close(file);
    return read;
  }();
  return reads;
}
bool reads_parent_call() {
  static const bool reads = moves([](const iovec& local, const iovec& remote) {
    return ::process_vm_readv(::getppid(), &local, 1, &remote, 1, 0);
  });
  return reads;
}
/// By a child, since who traces must let go again, which ending does.
bool traces_parent() {
  static const bool traces = [] {
    const pid_t parent = ::getppid(), child = ::fork();
    if (child < 0) return false;
    if (child == 0) ::_exit(::ptrace(PTRACE_SEIZE, parent, nullptr, nullptr) == 0 ? 0 : 1);
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }();
  return traces;
}
/// What was read is written again, so that nothing changes.
bool writes_parent() {
  static const bool writes = moves([](const iovec& local, const iovec& remote) -> ssize_t {
    if (::process_vm_readv(::getppid(), &local, 1, &remote, 1, 0) < 0) return -1;
    return ::process_vm_writev(::getppid(), &local, 1, &remote, 1, 0);
  });
  return writes;
}
bool writes_file() {
  static const bool writes = [] {
    std::ofstream file(std::string(kLeftBehind), std::ios::app);
    file << "what was asked\n" << std::flush;
    return bool(file);
  }();
  return writes;
}
bool reads_arguments() {
  static const bool reads = [] {
    std::ifstream file(fmt::format("/proc/{}/cmdline", ::getppid()));
    return file.get() != std::ifstream::traits_type::eof();
  }();
  return reads;
}
/// No signal: whether one would be sent.
bool signals_parent() {
  static const bool signals = ::kill(::getppid(), 0) == 0;
  return signals;
}

}  // namespace vyre::faults
