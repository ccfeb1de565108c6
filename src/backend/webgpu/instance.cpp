// The library's instance: opening it, and waiting for what it answers later.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "backend/webgpu/device.h"

namespace vyre::backend::webgpu {
namespace {

/// Waiting costs a core or latency: first the one, then the other.
constexpr int kRounds = 50;
constexpr std::chrono::microseconds kShortest{20};
constexpr std::chrono::microseconds kLongest{1000};

/// Dawn waits itself when the instance was asked to be able to; wgpu-native's function ends the process.
WGPUInstance make_instance(const Api& api, bool* waits) {
  *waits = false;
  if (api.maker == Api::Maker::Dawn && api.instance == Api::InstanceLayout::Earlier) {
    const WGPUInstanceDescriptorEarlier descriptor = {.timedWaitAnyEnable = 1, .timedWaitAnyMaxCount = 1};
    *waits = true;
    if (const WGPUInstance made = api.CreateInstance(&descriptor)) return made;
  }
  if (api.maker == Api::Maker::Dawn && api.instance == Api::InstanceLayout::Later) {
    const uint32_t features[] = {WGPUInstanceFeatureName_TimedWaitAny};
    const WGPUInstanceDescriptorLater descriptor = {.requiredFeatureCount = 1, .requiredFeatures = features};
    *waits = true;
    if (const WGPUInstance made = api.CreateInstance(&descriptor)) return made;
  }
  *waits = false;
  return api.CreateInstance(nullptr);
}

}  // namespace

std::string text(WGPUStringView view) {
  if (view.data == nullptr) return {};
  std::string out = view.length == WGPU_STRLEN ? std::string(view.data) : std::string(view.data, view.length);
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
  return out;
}

void Reports::lost(std::string why) {
  const std::lock_guard lock(mutex_);
  if (!loss_) loss_ = std::move(why);
}
void Reports::error(std::string what) {
  const std::lock_guard lock(mutex_);
  errors_.push_back(std::move(what));
}
std::optional<std::string> Reports::loss() const {
  const std::lock_guard lock(mutex_);
  return loss_;
}
std::vector<std::string> Reports::take_errors() {
  const std::lock_guard lock(mutex_);
  return std::exchange(errors_, {});
}

Result<std::shared_ptr<Instance>> Instance::open(const std::string& library) {
  VYRE_TRY(api, open_library(library));
  bool waits = false;
  const WGPUInstance handle = make_instance(api, &waits);
  if (handle == nullptr) {
    return std::unexpected(not_available(fmt::format("{} makes no instance", api.file),
                                         "try another library with webgpu.h's interface"));
  }
  return std::shared_ptr<Instance>(new Instance(std::move(api), handle, waits));
}

Instance::~Instance() { api_.InstanceRelease(handle_); }

bool Instance::wait(WGPUFuture future, const std::atomic<bool>& done, std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  while (waits_ && !done) {
    const auto left =
        std::chrono::duration_cast<std::chrono::nanoseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    WGPUFutureWaitInfo info = {.future = future};
    const WGPUWaitStatus status = api_.InstanceWaitAny(handle_, 1, &info, uint64_t(left.count()));
    if (status == WGPUWaitStatus_TimedOut) return done;
    // It does not wait after all, or the answer is on its way through another thread.
    if (status != WGPUWaitStatus_Success) waits_ = false;
    if (!done) return poll(done, until);
  }
  return done || poll(done, until);
}

bool Instance::poll(const std::atomic<bool>& done, std::chrono::steady_clock::time_point until) {
  std::chrono::microseconds pause = kShortest;
  for (int round = 0; !done; ++round) {
    api_.InstanceProcessEvents(handle_);
    if (done) break;
    if (std::chrono::steady_clock::now() >= until) return false;
    if (round < kRounds) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongest);
    }
  }
  return true;
}

}  // namespace vyre::backend::webgpu
