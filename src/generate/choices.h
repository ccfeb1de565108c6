// Choices: where a generator takes its decisions from.
//
// A generator asks for numbers and never cares whether they come from a random stream or from a fuzzer's
// bytes. 0 always means the simplest decision, so that an exhausted source ends what is being generated.
// Words are made some dozens at a time, so that a decision costs a load and a multiplication and no virtual
// call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace vyre::generate {

class Choices {
 public:
  virtual ~Choices() = default;
  uint32_t next() {
    if (at_ == kWords) {
      refill(words_);
      at_ = 0;
    }
    return words_[at_++];
  }
  /// In [0, bound), bound > 0.
  uint32_t below(uint32_t bound) { return uint32_t((uint64_t(next()) * bound) >> 32); }
  /// True one time in n.
  bool chance(uint32_t n) { return below(n) == n - 1; }

 protected:
  static constexpr size_t kWords = 32;
  virtual void refill(std::span<uint32_t, kWords> words) = 0;
  /// Forgets what was made ahead.
  void restart() { at_ = kWords; }

 private:
  std::array<uint32_t, kWords> words_{};
  size_t at_ = kWords;
};

/// Philox with the seed as its key and (block, index) as its counter: every program has a stream of its own,
/// and the stream of program 10^12 costs what that of program 0 does.
class RandomChoices final : public Choices {
 public:
  RandomChoices(uint64_t seed, uint64_t index) : seed_(seed), index_(index) {}
  /// Goes to the beginning of another program's stream.
  void seek(uint64_t seed, uint64_t index) {
    seed_ = seed;
    index_ = index;
    block_ = 0;
    restart();
  }

 private:
  void refill(std::span<uint32_t, kWords> words) override;
  uint64_t seed_;
  uint64_t index_;
  uint64_t block_ = 0;
};

/// The bytes of an input as decisions, two a word, then zeros.
class ByteChoices final : public Choices {
 public:
  explicit ByteChoices(std::span<const uint8_t> bytes) : bytes_(bytes) {}

 private:
  void refill(std::span<uint32_t, kWords> words) override;
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

}  // namespace vyre::generate
