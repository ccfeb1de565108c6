// A directory that goes away with the test, and processes of its own for what would spoil this one.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "state/state.h"

namespace vyre::state {

class Folder {
 public:
  enum class Where : uint8_t { Disk, Memory };  // memory is quicker where a test makes hundreds
  explicit Folder(Where where = Where::Disk)
      : path_((where == Where::Memory && access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : testing::TempDir()) +
              "vyre-state-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder can be made at " + path_);
  }
  Folder(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void overwrite(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// Runs it in a process of its own; its answer, or -1 when it was killed.
inline int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline const CampaignKey kKey = {
    {"vyre", "0.1.0"}, {"registry", "6b1f"}, {"backend", "native"}, {"seed", "1"}};
inline const std::vector<Part> kParts = {{"0/1", "a CPU"}};

/// "C020", or "" when there is a value.
template <typename T>
std::string code_of(const Result<T>& result) {
  return result ? "" : std::string(diag_info(result.error().code).name);
}

}  // namespace vyre::state
