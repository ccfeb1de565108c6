#include "worker/isolate.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "backend/cache_files.h"
#include "worker/fd.h"

namespace vyre::worker {
namespace {

namespace fs = std::filesystem;

// Capabilities. A worker of root keeps one, so that it can open what root can; none of the others.

void drop_capabilities() {
  constexpr uint32_t kKept = CAP_DAC_OVERRIDE;
  for (unsigned long c = 0; c <= 63; ++c) {
    if (c != kKept && ::prctl(PR_CAPBSET_DROP, c, 0, 0, 0) != 0 && errno == EINVAL) break;
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets = {};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return;
  for (size_t k = 0; k < sets.size(); ++k) {
    const uint32_t kept = k == CAP_TO_INDEX(kKept) ? sets[k].permitted & CAP_TO_MASK(kKept) : 0;
    sets[k] = {.effective = kept, .permitted = kept, .inheritable = 0};
  }
  ::syscall(SYS_capset, &header, sets.data());
}

// System calls: those that reach into other processes are refused, and where Landlock does not do it (before
// ABI 6), so are signals to others.

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;  // not known: the other means have to do
#endif
constexpr uint32_t kX32 = 0x40000000;  // the other numbering of the same architecture

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    refuse();
    load(offsetof(seccomp_data, nr));
    add(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1);
    refuse();
  }
  void forbid(uint32_t call) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    refuse();
  }
  /// Unless the first argument is one of two.
  void forbid_but(uint32_t call, pid_t one, pid_t other) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 5);
    load(offsetof(seccomp_data, args));  // its low half: both architectures are little-endian
    add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(one), 2, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(other), 1, 0);
    refuse();
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  void install() {
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const sock_fprog program = {.len = uint16_t(code_.size()), .filter = code_.data()};
    ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
  }

 private:
  void add(uint16_t code, uint32_t k, uint8_t yes = 0, uint8_t no = 0) {
    code_.push_back({code, yes, no, k});
  }
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, uint32_t(offset)); }
  void refuse() { add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM); }

  std::vector<sock_filter> code_;
};

void filter_calls(bool signals_are_scoped) {
  if (kArchitecture == 0) return;
  Filter filter;
  for (const int call : {SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp,
                         SYS_perf_event_open, SYS_bpf, SYS_process_madvise})
    filter.forbid(uint32_t(call));
  const pid_t self = ::getpid();
  filter.forbid_but(SYS_prlimit64, self, 0);
  if (!signals_are_scoped) {
    for (const int call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
      filter.forbid_but(uint32_t(call), self, self);
    filter.forbid(SYS_tkill);
    filter.forbid(SYS_pidfd_send_signal);
  }
  filter.install();
}

// Files: Landlock refuses everything that no rule allows, and rules can only allow.

// The numbers of landlock(7) that headers older than the kernel lack.
constexpr uint64_t kTruncate = 1ULL << 14, kIoctlDevice = 1ULL << 15, kScopeSignals = 1ULL << 1;
constexpr uint64_t kExecute = LANDLOCK_ACCESS_FS_EXECUTE;
constexpr uint64_t kRead = kExecute | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kOfFiles =
    kExecute | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kIoctlDevice;

struct RulesetAttributes {
  uint64_t files, network, scopes;
};
/// All rights that an ABI has.
constexpr uint64_t rights_of(long abi) {
  return abi >= 5   ? (1ULL << 16) - 1
         : abi >= 3 ? (1ULL << 15) - 1
         : abi >= 2 ? (1ULL << 14) - 1
                    : (1ULL << 13) - 1;
}

class Landlock {
 public:
  Landlock() : abi_(::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION)) {
    if (abi_ < 1) return;
    const RulesetAttributes attributes = {rights_of(abi_), 0, scopes_signals() ? kScopeSignals : 0};
    ruleset_ = Fd(int(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  }
  bool works() const { return bool(ruleset_); }
  bool scopes_signals() const { return abi_ >= 6; }

  void allow(const fs::path& path, uint64_t rights) {
    Fd file(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status = {};
    if (!file || ::fstat(file.get(), &status) != 0) return;  // what is not there needs no rule
    if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
    const landlock_path_beneath_attr rule = {rights & rights_of(abi_), file.get()};
    ::syscall(SYS_landlock_add_rule, ruleset_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  bool restrict_self() { return ::syscall(SYS_landlock_restrict_self, ruleset_.get(), 0) == 0; }

 private:
  long abi_;
  Fd ruleset_;
};

constexpr uint64_t kAll = ~uint64_t{0};

bool is_beneath(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

/// Allows to read everything in a folder but what is hidden. What a link points to is in some folder too.
void allow_reading_all_but(Landlock& landlock, const fs::path& folder, std::span<const fs::path> hidden) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    std::error_code ignored;
    if (at->is_symlink(ignored)) continue;
    if (std::ranges::find(hidden, path) != hidden.end()) continue;
    if (std::ranges::any_of(hidden, [&](const fs::path& h) { return is_beneath(h, path); })) {
      allow_reading_all_but(landlock, path, hidden);
    } else {
      landlock.allow(path, kRead);
    }
  }
}

bool is_process(const fs::path& entry) {
  return std::ranges::all_of(entry.filename().string(), [](unsigned char c) { return std::isdigit(c); });
}

/// What drivers open below /dev, to read, write and control.
constexpr std::array<std::string_view, 18> kDevices = {
    "null",  "zero",  "full",    "random",   "urandom", "shm",   "dri",  "kfd", "dxg",
    "accel", "nvmap", "udmabuf", "dma_heap", "nvgpu",   "mali0", "hpet", "ion", "kgsl-3d0"};
constexpr std::string_view kDevicesOfNvidia = "nv";  // nvidia0, nvidiactl, nvidia-uvm, nvhost-...

/// Where drivers keep what they compiled, below the user's cache folder.
constexpr std::array<std::string_view, 5> kCachesOfDrivers = {"mesa_shader_cache", "mesa_shader_cache_db",
                                                              "nvidia", "AMD", "radv_builtin_shaders"};
constexpr std::array<const char*, 5> kCacheVariables = {"CUDA_CACHE_PATH", "MESA_SHADER_CACHE_DIR",
                                                        "MESA_GLSL_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH",
                                                        "CUDA_MPS_PIPE_DIRECTORY"};

std::optional<fs::path> folder_in(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

void allow_caches(Landlock& landlock) {
  // Not the folder itself: code for this CPU stands in it too, which vyre runs outside of workers.
  for (const std::string_view part : backend::kDeviceParts) {
    const fs::path own = backend::cache_folder(part);
    if (own.empty()) continue;
    std::error_code ignored;
    fs::create_directories(own, ignored);
    landlock.allow(own, kAll);
  }
  for (const char* variable : kCacheVariables) {
    if (const auto folder = folder_in(variable)) landlock.allow(*folder, kAll);
  }
  landlock.allow("/tmp/nvidia-mps", kAll);
  const auto home = folder_in("HOME");
  if (home) landlock.allow(*home / ".nv", kAll);
  std::optional<fs::path> caches = folder_in("XDG_CACHE_HOME");
  if (!caches && home) caches = *home / ".cache";
  if (!caches) return;
  for (const std::string_view cache : kCachesOfDrivers) landlock.allow(*caches / cache, kAll);
}

void allow_devices(Landlock& landlock) {
  std::error_code error;
  for (fs::directory_iterator at("/dev", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (name.starts_with(kDevicesOfNvidia) || std::ranges::find(kDevices, name) != kDevices.end())
      landlock.allow(at->path(), kAll);
  }
}

/// Of /proc what is of no process, and this one's part.
void allow_proc(Landlock& landlock) {
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (!is_process(at->path()) && !at->is_symlink(ignored)) landlock.allow(at->path(), kRead);
  }
  // A rule is about a folder that is open somewhere: once it is not, the kernel may forget it and make
  // another of this name. So it stays open.
  [[maybe_unused]] static const int kept = ::open("/proc/self", O_PATH | O_CLOEXEC);
  landlock.allow("/proc/self", kAll);
}

/// Whether signals are kept in.
bool restrict_files(const Isolation& isolation) {
  Landlock landlock;
  if (!landlock.works()) return false;
  std::vector<fs::path> hidden(isolation.hidden.begin(), isolation.hidden.end());
  hidden.emplace_back("/dev");
  hidden.emplace_back("/proc");
  allow_reading_all_but(landlock, "/", hidden);
  allow_proc(landlock);
  allow_devices(landlock);
  allow_caches(landlock);
  if (!isolation.scratch.empty()) landlock.allow(isolation.scratch, kAll);
  return landlock.restrict_self() && landlock.scopes_signals();
}

// Trying.

bool opens(const std::string& path, int flags) {
  return bool(Fd(::open(path.c_str(), flags | O_CLOEXEC, 0600)));
}

bool reads_memory(pid_t parent) {
  if (opens("/proc/" + std::to_string(parent) + "/mem", O_RDONLY)) return true;
  // A process that may read learns that there is nothing at this address.
  std::byte byte{};
  const iovec local = {&byte, 1}, remote = {reinterpret_cast<void*>(8), 1};
  return ::process_vm_readv(parent, &local, 1, &remote, 1, 0) == 1 || errno == EFAULT;
}

bool takes_descriptors(pid_t parent) {
  // Its links are followed by a process that may: those of its descriptors, and this one, which is always
  // there.
  char target = 0;
  if (::readlink(("/proc/" + std::to_string(parent) + "/cwd").c_str(), &target, 1) > 0) return true;
  const Fd process(int(::syscall(SYS_pidfd_open, parent, 0)));
  return process && bool(Fd(int(::syscall(SYS_pidfd_getfd, process.get(), 0, 0))));
}

bool writes_files() {
  for (const char* folder : {".", "/tmp", "/"}) {
    if (opens(folder, O_TMPFILE | O_WRONLY)) return true;
  }
  const auto home = folder_in("HOME");
  return home && opens(*home, O_TMPFILE | O_WRONLY);
}

bool is_open(Route route, pid_t parent) {
  const std::string folder = "/proc/" + std::to_string(parent);
  switch (route) {
    case Route::Memory: return reads_memory(parent);
    case Route::Environment: return opens(folder + "/environ", O_RDONLY);
    case Route::Descriptors: return takes_descriptors(parent);
    case Route::CommandLine: return opens(folder + "/cmdline", O_RDONLY);
    case Route::Signals: return ::kill(parent, 0) == 0;
    case Route::Files: return writes_files();
  }
  std::unreachable();
}

}  // namespace

std::string_view text(Route route) {
  switch (route) {
    case Route::Memory: return "read the memory of the process that judges it";
    case Route::Environment: return "read that process's environment";
    case Route::Descriptors: return "take that process's open files";
    case Route::CommandLine: return "read that process's command line, which may have the seed";
    case Route::Signals: return "send that process signals";
    case Route::Files: return "write the user's files";
  }
  std::unreachable();
}

bool is_tolerable(Route route) {
  switch (route) {
    case Route::Memory:
    case Route::Descriptors: return false;
    case Route::Environment:
    case Route::CommandLine:
    case Route::Signals:
    case Route::Files: return true;
  }
  std::unreachable();
}

void close_to_others() { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void isolate(const Isolation& isolation) {
  if (!isolation.scratch.empty()) ::setenv("TMPDIR", isolation.scratch.c_str(), 1);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  drop_capabilities();
  const bool signals_are_scoped = restrict_files(isolation);
  filter_calls(signals_are_scoped);
}

std::vector<Route> find_open_routes(pid_t parent) {
  std::vector<Route> out;
  if (parent == 0) return out;  // in another namespace of processes, which this one cannot even name
  for (size_t k = 0; k < kRouteCount; ++k) {
    if (is_open(static_cast<Route>(k), parent)) out.push_back(static_cast<Route>(k));
  }
  return out;
}

Scratch::Scratch() {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "vyre-worker-XXXXXX").string();
  if (!error && ::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace vyre::worker
