// Error scopes: what an implementation finds wrong with a group of calls.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/webgpu/device.h"

namespace vyre::backend::webgpu {
namespace {

constexpr WGPUErrorFilter kFilters[] = {WGPUErrorFilter_Validation, WGPUErrorFilter_OutOfMemory,
                                        WGPUErrorFilter_Internal};

struct Popped {
  std::atomic<bool> done = false;
  bool worked = false;
  WGPUErrorType type = WGPUErrorType_NoError;
  std::string message;

  static void take(WGPURequestStatus status, WGPUErrorType type, WGPUStringView message, void* self, void*) {
    auto* const popped = static_cast<Popped*>(self);
    popped->worked = status == WGPURequestStatus_Success;
    popped->type = type;
    popped->message = text(message);
    popped->done = true;
  }
};

}  // namespace

Diag refusal(const Device& device, WGPUErrorType type, const char* doing, std::string message,
             DiagCode code) {
  if (type == WGPUErrorType_OutOfMemory) return device.out_of_memory(doing);
  if (code == DiagCode::L003) {
    return make_diag(code, Span::none(), "the WebGPU implementation refuses the WGSL: " + message,
                     "report the program; another backend can run it");
  }
  return make_diag(code, Span::none(),
                   fmt::format("webgpu: the implementation refused a call for {}: {}", doing, message),
                   "report the program and the output of `vyre backends`");
}

ErrorScopes::ErrorScopes(Device& device) : device_(device) {
  for (const WGPUErrorFilter filter : kFilters) device_.api().DevicePushErrorScope(device_.handle_, filter);
}

ErrorScopes::~ErrorScopes() {
  // Another error has been reported already.
  if (open_ && !device_.is_lost()) (void)finish("nothing");
}

Result<void> ErrorScopes::finish(const char* doing, DiagCode code) {
  if (!std::exchange(open_, false)) return {};
  std::array<std::shared_ptr<Popped>, std::size(kFilters)> all;
  std::array<WGPUFuture, std::size(kFilters)> futures;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = std::make_shared<Popped>();
    futures[i] = device_.api().DevicePopErrorScope(
        device_.handle_,
        {.mode = WGPUCallbackMode_AllowSpontaneous, .callback = &Popped::take, .userdata1 = all[i].get()});
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i]->done) continue;
    if (auto answered = device_.await(futures[i], all[i]->done, doing); !answered) {
      for (const auto& popped : all) keep_for_ever(popped);
      return answered;
    }
  }
  if (const auto loss = device_.reports_.loss())
    return std::unexpected(device_.lose(fmt::format("{}: {}", doing, *loss)));
  for (const auto& popped : all) {
    if (popped->worked && popped->type != WGPUErrorType_NoError)
      return std::unexpected(refusal(device_, popped->type, doing, popped->message, code));
  }
  const auto errors = device_.reports_.take_errors();
  if (errors.empty()) return {};
  return std::unexpected(
      refusal(device_, WGPUErrorType_Unknown, doing, fmt::format("{}", fmt::join(errors, "; ")), code));
}

}  // namespace vyre::backend::webgpu
