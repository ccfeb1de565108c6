// A backend that is native but for one fault, for tests of what judges backends.
//
// A fault strikes one case of one operation: where both operands of primitive.math.abs_diff are the trigger.
// They are those of one random case that every certification with seed 1 runs, far from all that laws, rows
// and structured strategies try, so exactly one case is the culprit and its name is known beforehand. The
// modes for which a trigger makes no sense (a false claim, a flaky answer, a function that keeps the laws
// alone) say so.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace vyre::faults {

enum class Mode : uint8_t {
#define VYRE_FAULT_MODE(Name, text, meaning) Name,
#include "modes.def"
#undef VYRE_FAULT_MODE
};
struct ModeInfo {
  Mode mode;
  std::string_view text;
  std::string_view meaning;
};
inline constexpr auto kModes = std::to_array<ModeInfo>({
#define VYRE_FAULT_MODE(Name, text, meaning) {Mode::Name, text, meaning},
#include "modes.def"
#undef VYRE_FAULT_MODE
});

inline constexpr std::string_view kOperation = "primitive.math.abs_diff";
inline constexpr std::string_view kSubject = "primitive.math.abs_diff@1";
inline constexpr std::string_view kTriggerToken = "primitive.math.abs_diff@1:random:1:137";
inline constexpr std::array<uint32_t, 2> kTrigger = {0x34abff3f, 0xe95e8d90};

/// How many cases fit into a dispatch of Mode::Crowded.
inline constexpr size_t kRoom = 1000;
/// One answer of so many is flaky.
inline constexpr double kFlakyOnceIn = 1e6;
/// How long after a read a late write comes: later than the caller has looked at the results, sooner than a
/// test has patience for.
inline constexpr std::chrono::milliseconds kLate{5};

/// A function with every law that abs_diff claims (Commutative, Identity(0), SelfInverse(0)) and without
/// those that it denies: the distance of a and b with their bits reversed, reversed back.
uint32_t lawful_and_wrong(uint32_t a, uint32_t b);

/// The elements of one dispatch of the chosen operation.
struct Cases {
  std::span<const uint32_t> a;
  std::span<const uint32_t> b;
  std::span<uint32_t> out;  // longer than a, where the caller put guards behind the results
};
std::optional<size_t> find_trigger(const Cases& cases);

/// What was drawn by chance: which answers strike, at an average of one in kFlakyOnceIn. Seeded from the
/// clock, since a fault that can be repeated is another one.
class Chance {
 public:
  Chance();
  /// Flips a bit in each answer that is struck, and writes its operands to the file VYRE_FAULT_LOG, if that
  /// is set: the only one who knows.
  void strike(const Cases& cases);

 private:
  uint64_t draw();
  std::mt19937_64 random_;
  uint64_t left_;  // answers until the next strike
};

/// Writes that come late. They go through the kernel, as a device's do, so they cannot fault when the memory
/// has gone. Joins its threads when it ends.
class LateWriter {
 public:
  void write(uint32_t* to, uint32_t value);

 private:
  std::vector<std::jthread> threads_;
};

/// What a dispatch of the chosen operation does instead of running.
enum class Before : uint8_t { Run, LoseDevice, RefuseMemory };
/// May not return.
Before before_dispatch(Mode mode, const Cases& cases);

/// State between dispatches.
struct Memory {
  std::vector<uint32_t> last;  // results of the dispatch before
  Chance chance;
};
/// What a dispatch of the chosen operation does after it ran. before: what the results held until then.
void after_dispatch(Mode mode, Memory& memory, const Cases& cases, std::span<const uint32_t> before);

/// Errors: none for a text that is no mode.
std::optional<Mode> find_mode(std::string_view text);

}  // namespace vyre::faults
