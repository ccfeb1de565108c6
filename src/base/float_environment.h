// The mode in which this thread's floating-point unit works: default while a guard lives, then as it was.
//
// IEEE 754 is promised of a processor only in a mode: to nearest, subnormals kept, traps off. A host program
// may run in another one (audio and game engines flush subnormals, interval arithmetic rounds up), and modes
// belong to threads. So a caller that runs emitted code, or folds constants as LLVM does, sets the mode
// first. The status flags are part of what comes back: a caller does not see which exceptions emitted code
// raised.
//
// Source: Intel SDM volume 1, 10.2.3 "MXCSR"; Arm Architecture Reference Manual, "FPCR" and "FPSR".
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace vyre {

/// Domain: lives and dies on one thread. Cost: some 10 ns.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

#if defined(__x86_64__)
  DefaultFloatEnvironment() : before_(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~DefaultFloatEnvironment() { _mm_setcsr(before_); }

 private:
  // Every exception masked (bits 7 to 12), to nearest (13, 14), no flush-to-zero (15), no
  // denormals-are-zeros (6).
  static constexpr uint32_t kDefault = 0x1f80;
  const uint32_t before_;
#elif defined(__aarch64__)
  DefaultFloatEnvironment() {
    asm volatile("mrs %0, fpcr" : "=r"(control_));
    asm volatile("mrs %0, fpsr" : "=r"(status_));
    asm volatile("msr fpcr, %0" : : "r"(uint64_t{0}));  // no traps, to nearest, no flushing
  }
  ~DefaultFloatEnvironment() {
    asm volatile("msr fpcr, %0" : : "r"(control_));
    asm volatile("msr fpsr, %0" : : "r"(status_));
  }

 private:
  uint64_t control_ = 0, status_ = 0;
#else
  DefaultFloatEnvironment() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&before_); }

 private:
  std::fenv_t before_;
#endif
};

}  // namespace vyre
