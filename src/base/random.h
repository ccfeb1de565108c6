// Random numbers that are a pure function of (seed, position): Philox4x32-10.
//
// A counter-based generator has no state to carry, so case k of 2^64 costs the same as case 0, shards need no
// coordination, and a replay token is a number. Source: Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3" (SC11); the implementation is Random123.
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cstdint>

namespace vyre {

/// The four words of Philox4x32-10 with key (seed low, seed high) and counter (index low, index high, stream
/// low, stream high).
inline std::array<uint32_t, 4> philox(uint64_t seed, uint64_t index, uint64_t stream = 0) {
  const r123::Philox4x32 generator;
  const r123::Philox4x32::ctr_type counter = {
      {uint32_t(index), uint32_t(index >> 32), uint32_t(stream), uint32_t(stream >> 32)}};
  const r123::Philox4x32::key_type key = {{uint32_t(seed), uint32_t(seed >> 32)}};
  const auto out = generator(counter, key);
  return {out[0], out[1], out[2], out[3]};
}

/// A stream of words over philox(): for generators that draw an unknown number of values for one case.
class RandomStream {
 public:
  RandomStream(uint64_t seed, uint64_t stream) : seed_(seed), stream_(stream) {}
  uint32_t next() {
    if (used_ == 4) {
      block_ = philox(seed_, index_++, stream_);
      used_ = 0;
    }
    return block_[used_++];
  }
  uint64_t next64() {
    const uint64_t low = next();
    return low | uint64_t(next()) << 32;
  }
  /// Uniform enough in [0, bound): multiply-shift, bias below bound / 2^32. bound > 0.
  uint32_t below(uint32_t bound) { return uint32_t((uint64_t(next()) * bound) >> 32); }
  bool chance(uint32_t one_in) { return below(one_in) == 0; }

 private:
  uint64_t seed_;
  uint64_t stream_;
  uint64_t index_ = 0;
  std::array<uint32_t, 4> block_{};
  uint32_t used_ = 4;
};

}  // namespace vyre
