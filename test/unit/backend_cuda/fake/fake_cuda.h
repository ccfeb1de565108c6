// A CUDA driver without a GPU: what the tests of backend/cuda open in the place of libcuda.so.1.
//
// It keeps the rules that a real driver's documentation states and that are easy to break unseen: copies and
// launches happen when something waits for them and not before, a thread without a current context is
// refused, memory outside an allocation is an illegal address, a function is found only in a module that has
// it, parameters are as many and as wide as the PTX declares, a lost device stays lost. Its assembler keeps
// the PTX as it is. What a kernel does the test says, in C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace vyre::test {

struct FakeLaunch {
  std::string entry;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  std::vector<uint64_t> parameters;
};

struct FakeFailure {
  int status = 0;
  int after = 0;  // so many calls succeed before
};

struct FakeCuda {
  // What it is.
  int version = 12080;
  int devices = 1;
  int capability = 90;
  size_t memory = size_t{1} << 30;
  int shared_bytes = 232448;
  int threads_of_kernel = 1024;
  /// What fails, by symbol, once.
  std::map<std::string, FakeFailure> failures;
  /// Runs when a launch's turn comes; a result other than 0 is what the wait answers.
  std::function<int(const FakeLaunch&)> kernel;

  // What happened.
  std::map<std::string, int> calls;
  std::vector<FakeLaunch> launches;
  std::vector<std::string> assembled;  // PTX
  std::set<int> function_shared_bytes;
  std::vector<std::string> violations;

  // What is held, by kind: nothing, when all that opened it is gone.
  size_t held() const { return allocations.size() + pinned.size() + others; }
  std::map<uint64_t, size_t> allocations;
  std::map<uint64_t, size_t> pinned;
  size_t others = 0;  // contexts, streams, events, modules, linkers
  size_t used = 0;    // bytes
  int lost = 0;       // the status that stays

  std::byte* at(uint64_t address) { return reinterpret_cast<std::byte*>(address); }
};

/// The one of this library. Tests reset it by assigning.
extern "C" FakeCuda* vyre_fake_cuda();

}  // namespace vyre::test
