#include "faulty.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "base/bytes.h"
#include "spy.h"

namespace vyre::worker {
namespace {

constexpr std::string_view kSpy = "faulty:spy?";

using Host = std::span<const std::span<std::byte>>;

[[noreturn]] void hang() {
  for (;;) ::pause();
}

Diag diag(DiagCode code, std::string message) { return make_diag(code, Span::none(), std::move(message)); }

Result<void> misbehave(uint32_t ask, Host host) {
  std::byte* const first = host.front().data();
  std::byte* const last = host.back().data();
  switch (ask) {
    case kSegfault: *static_cast<volatile int*>(nullptr) = 1; break;
    case kAbort: std::abort();
    case kExit3: ::_exit(3);
    case kHang: hang();
    case kLoseDevice: return std::unexpected(diag(DiagCode::B011, "the device fell off the bus"));
    case kRefuse: return std::unexpected(diag(DiagCode::B003, "too much for this device"));
    case kWriteBehind: last[host.back().size()] ^= std::byte(1); break;
    case kWriteBefore: last[-1] ^= std::byte(1); break;
    case kWriteBehindInput: first[host.front().size() + 700] ^= std::byte(1); break;
    case kWriteInput: first[9] ^= std::byte(1); break;
    case kWriteLate:
      std::thread([last] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        *last = std::byte(0xee);
      }).detach();
      break;
    case kWriteFarBehind: last[host.back().size() + 1000] = std::byte(0); break;
    case kPrintAndDie:
      for (int i = 0; i < 20000; ++i) std::fprintf(stderr, "line %d of the driver's log\n", i);
      std::fprintf(stderr, "driver: \x1b[31mbad page\n");
      std::abort();
    case kPrintMuch:
      for (int i = 0; i < 20000; ++i) std::fprintf(stderr, "line %d of the driver's log\n", i);
      break;
    case kForge: return std::unexpected(diag(DiagCode::B009, "the backend's process died"));
    default: break;
  }
  return {};
}

class FaultyPipeline final : public backend::Pipeline {
 public:
  FaultyPipeline(std::unique_ptr<backend::Pipeline> inner, std::string mode)
      : inner_(std::move(inner)), mode_(std::move(mode)) {}
  Result<void> dispatch(Host host, layout::Groups groups) override {
    VYRE_CHECK(inner_->dispatch(host, groups));
    if (host.empty() || host.front().size() < 4) return {};
    const uint32_t ask = load_u32(host.front().data());
    return ask < kSegfault ? Result<void>{} : misbehave(ask, host);
  }
  Result<backend::EmittedCode> code() override {
    if (mode_.starts_with(kSpy))
      return backend::EmittedCode{
          "llvm", fmt::format("{}", fmt::join(spy_on(Target::parse(mode_.substr(kSpy.size()))), " "))};
    if (mode_ == "faulty:scratch") {
      std::ofstream out(std::string(std::getenv("TMPDIR")) + "/file");
      out << "written" << std::flush;
      return backend::EmittedCode{"llvm", out ? "written" : "refused"};
    }
    return backend::EmittedCode{"llvm", std::string(100'000, 'x')};
  }

 private:
  const std::unique_ptr<backend::Pipeline> inner_;
  const std::string mode_;
};

class Faulty final : public backend::Backend {
 public:
  explicit Faulty(std::string_view mode) : mode_(mode) {}
  backend::Identity identity() const override { return {"faulty", "any", "none", "1"}; }
  backend::Limits limits() const override { return inner_->limits(); }
  bool has(spec::Intrinsic intrinsic) const override { return intrinsic == spec::Intrinsic::SubgroupAny; }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    if (mode_ == "faulty:compile-hang") hang();
    if (mode_ == "faulty:compile-abort") std::abort();
    VYRE_TRY(made, inner_->compile(program));
    return std::make_unique<FaultyPipeline>(std::move(made), mode_);
  }

 private:
  const std::string mode_;
  const std::unique_ptr<backend::Backend> inner_ = backend::make_reference();
};

}  // namespace

Result<std::unique_ptr<backend::Backend>> open_faulty(std::string_view name) {
  if (name == "faulty:exit") ::_exit(5);
  if (name == "faulty:hang") hang();
  if (name == "faulty:refuse")
    return std::unexpected(make_diag(DiagCode::B001, Span::none(), "no such device", "plug one in"));
  return std::make_unique<Faulty>(name);
}

}  // namespace vyre::worker
