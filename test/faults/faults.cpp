#include "faults.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace vyre::faults {
namespace {

uint64_t from_clock() {
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count()) ^ (uint64_t(getpid()) << 32);
}

/// Bit i becomes bit 31 - i.
uint32_t reversed(uint32_t word) {
  uint32_t out = 0;
  for (int i = 0; i < 32; ++i) out |= (word >> i & 1) << (31 - i);
  return out;
}

[[noreturn]] void segfault() {
  volatile uint32_t* nowhere = nullptr;
  *nowhere = 1;
  std::abort();  // not reached; the compiler cannot know
}

[[noreturn]] void hang() {
  for (;;) pause();
}

/// Not a function of anything that a caller could repeat.
void fill_with_garbage(std::span<uint32_t> out) {
  std::mt19937 random{uint32_t(from_clock())};
  for (uint32_t& word : out) word = uint32_t(random());
}

void log_strike(uint32_t a, uint32_t b) {
  const char* const path = std::getenv("VYRE_FAULT_LOG");
  if (path == nullptr) return;
  std::FILE* const file = std::fopen(path, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%u %u\n", a, b);
  std::fclose(file);
}

/// Copies through the kernel, which refuses memory that is not there instead of faulting.
void write_if_there(uint32_t* to, uint32_t value) {
  int ends[2];
  if (pipe(ends) != 0) return;
  const bool sent = write(ends[1], &value, sizeof value) == ssize_t(sizeof value);
  [[maybe_unused]] const ssize_t arrived = sent ? read(ends[0], to, sizeof value) : 0;
  close(ends[0]);
  close(ends[1]);
}

}  // namespace

std::optional<Mode> find_mode(std::string_view text) {
  for (const ModeInfo& m : kModes) {
    if (m.text == text) return m.mode;
  }
  return std::nullopt;
}

uint32_t lawful_and_wrong(uint32_t a, uint32_t b) {
  const uint32_t x = reversed(a), y = reversed(b);
  return reversed(x < y ? y - x : x - y);
}

std::optional<size_t> find_trigger(const Cases& cases) {
  for (size_t i = 0; i < cases.a.size(); ++i) {
    if (cases.a[i] == kTrigger[0] && cases.b[i] == kTrigger[1]) return i;
  }
  return std::nullopt;
}

Chance::Chance() : random_(from_clock()), left_(draw()) {}

uint64_t Chance::draw() {
  const double u = std::uniform_real_distribution<double>(std::numeric_limits<double>::min(), 1)(random_);
  return uint64_t(std::log(u) / std::log1p(-1 / kFlakyOnceIn));
}

void Chance::strike(const Cases& cases) {
  size_t at = 0;
  while (left_ < cases.a.size() - at) {
    at += size_t(left_);
    cases.out[at] ^= 1u << (random_() % 32);
    log_strike(cases.a[at], cases.b[at]);
    ++at;
    left_ = draw();
  }
  left_ -= cases.a.size() - at;
}

void LateWriter::write(uint32_t* to, uint32_t value) {
  threads_.emplace_back([to, value] {
    std::this_thread::sleep_for(kLate);
    write_if_there(to, value);
  });
}

Before before_dispatch(Mode mode, const Cases& cases) {
  if (mode == Mode::Crowded) return cases.a.size() > kRoom ? Before::RefuseMemory : Before::Run;
  if (!find_trigger(cases)) return Before::Run;
  switch (mode) {
    case Mode::Segfault: segfault();
    case Mode::Abort: std::fputs("fault: assertion failed, as a driver would say\n", stderr); std::abort();
    case Mode::Hang: hang();
    case Mode::DeviceLost: return Before::LoseDevice;
    case Mode::OutOfMemory: return Before::RefuseMemory;
    case Mode::None:
    case Mode::Crowded:
    case Mode::WrongSize:
    case Mode::PartialWrite:
    case Mode::Stale:
    case Mode::Flaky:
    case Mode::Neighbour:
    case Mode::Garbage:
    case Mode::LateWrite:
    case Mode::FalseClaim:
    case Mode::FalseWorkgroup:
    case Mode::LawsNotValues:
    case Mode::WrongValue:
    case Mode::WritesOutside: return Before::Run;
  }
  return Before::Run;
}

void after_dispatch(Mode mode, Memory& memory, const Cases& cases, std::span<const uint32_t> before) {
  const size_t n = cases.a.size();
  const auto results = cases.out.first(n);
  const auto trigger = find_trigger(cases);
  switch (mode) {
    case Mode::PartialWrite:
      if (trigger) std::ranges::copy(before.subspan(*trigger), cases.out.begin() + ptrdiff_t(*trigger));
      return;
    case Mode::Stale:
      if (trigger && *trigger < memory.last.size()) results[*trigger] = memory.last[*trigger];
      memory.last.assign(results.begin(), results.end());
      return;
    case Mode::Flaky: memory.chance.strike(cases); return;
    case Mode::Neighbour:
      if (trigger && *trigger + 1 < n) results[*trigger + 1] ^= 0x00100000;
      return;
    case Mode::Garbage:
      if (trigger) fill_with_garbage(results);
      return;
    case Mode::LawsNotValues:
      for (size_t i = 0; i < n; ++i) results[i] = lawful_and_wrong(cases.a[i], cases.b[i]);
      return;
    case Mode::WrongValue:
      if (trigger) results[*trigger] += 1;
      return;
    case Mode::WritesOutside:
      if (trigger && n < cases.out.size()) cases.out[n] = 0;
      return;
    case Mode::None:
    case Mode::Segfault:
    case Mode::Abort:
    case Mode::Hang:
    case Mode::DeviceLost:
    case Mode::OutOfMemory:
    case Mode::Crowded:
    case Mode::WrongSize:   // at reading
    case Mode::LateWrite:   // at reading
    case Mode::FalseClaim:  // at compiling
    case Mode::FalseWorkgroup: return;
  }
}

}  // namespace vyre::faults
