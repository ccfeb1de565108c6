#include "verify/value_cases.h"

#include <algorithm>

#include "base/digest.h"
#include "base/random.h"
#include "generate/values.h"
#include "spec/float_format.h"
#include "spec/types.h"

namespace vyre::verify {
namespace {

using generate::Strategy;
using spec::DataType;
using Value = std::array<uint32_t, 4>;

// What a word of a wide value may be so that it matters to its neighbours: nothing, the least, the highest
// bit, all.
constexpr uint32_t kSeamWords[] = {0, 1, 0x80000000, 0xffffffff};
// Small numbers and shift amounts; as values of any width.
constexpr uint32_t kLow[] = {2, 3, 7, 10, 31, 32, 33, 63, 64, 65, 127, 128, 0x7fffffff, 0xfffffffe};

template <size_t words>
constexpr auto kWide = [] {
  constexpr size_t kGrid = words == 2 ? 16 : 256;
  std::array<Value, kGrid + std::size(kLow)> out{};
  for (size_t i = 0; i < kGrid; ++i) {
    for (size_t k = 0; k < words; ++k) out[i][k] = kSeamWords[i >> (2 * k) & 3];
  }
  for (size_t i = 0; i < std::size(kLow); ++i) out[kGrid + i][0] = kLow[i];
  return out;
}();

// Zeros, the ends of the subnormals and of the numbers, one, infinities, quiet and signalling NaNs with
// payloads.
constexpr Value kHalfs[] = {{0x0000}, {0x8000}, {0x0001}, {0x83ff}, {0x0400}, {0x3c00}, {0xbc00}, {0x7bff},
                            {0xfbff}, {0x7c00}, {0xfc00}, {0x7c01}, {0xfdff}, {0x7e00}, {0xfe01}, {0x7fff}};
constexpr Value kBrains[] = {{0x0000}, {0x8000}, {0x0001}, {0x807f}, {0x0080}, {0x3f80}, {0xbf80}, {0x7f7f},
                             {0xff7f}, {0x7f80}, {0xff80}, {0x7f81}, {0xffbf}, {0x7fc0}, {0xffc1}, {0x7fff}};
constexpr Value kSingles[] = {{0x00000000}, {0x80000000}, {0x00000001}, {0x807fffff},
                              {0x00800000}, {0x3f800000}, {0xbf800000}, {0x7f7fffff},
                              {0xff7fffff}, {0x7f800000}, {0xff800000}, {0x7f800001},
                              {0xffbfffff}, {0x7fc00000}, {0xffc00001}, {0x7fffffff}};
constexpr Value kTruths[] = {{0}, {1}};

std::span<const Value> adversarial_values(DataType type) {
  static const std::vector<Value> words = [] {
    std::vector<Value> out;
    for (const uint32_t word : generate::adversarial_words()) out.push_back({word});
    return out;
  }();
  switch (type) {
    case DataType::U32:
    case DataType::I32: return words;
    case DataType::U64:
    case DataType::Vec2U32: return kWide<2>;
    case DataType::U128:
    case DataType::Vec4U32: return kWide<4>;
    case DataType::Bool: return kTruths;
    case DataType::F16: return kHalfs;
    case DataType::BF16: return kBrains;
    case DataType::F32: return kSingles;
    case DataType::Bytes:
    case DataType::I8:
    case DataType::U8:
    case DataType::FP8E4M3:
    case DataType::FP8E5M2:
    case DataType::FP4E2M1:
    case DataType::Tensor: return {};
  }
  return {};
}

bool is_word(DataType type) {
  return type == DataType::U32 || type == DataType::I32 || type == DataType::Bool;
}

/// The bits that a value of the type may have in word k.
uint32_t word_mask(DataType type, uint32_t k) {
  if (type == DataType::Bool) return k == 0 ? 1 : 0;
  if (k >= spec::value_words(type)) return 0;
  return spec::value_bits(type) == 16 ? 0xffff : UINT32_MAX;
}

uint64_t stream_of(std::string_view name) {
  const Digest digest = sha256(name);
  uint64_t out = 0;
  for (size_t i = 0; i < 8; ++i) out |= uint64_t(digest.bytes[i]) << (8 * i);
  return out;
}

}  // namespace

ValueCases::ValueCases(const ops::Operation& operation, Strategy strategy, uint64_t seed)
    : words_(std::in_place, operation, strategy, seed) {}

ValueCases::ValueCases(std::string_view stream, std::span<const DataType> types, Strategy strategy,
                       uint64_t seed, Recipe recipe)
    : types_(types.begin(), types.end()), strategy_(strategy), seed_(seed), stream_(stream_of(stream)) {
  const bool rounded = recipe == Recipe::Rounded;
  const bool words = std::ranges::all_of(
      types, [&](DataType t) { return is_word(t) || (rounded && spec::kFloats.contains(t)); });
  near_ties_ = rounded && types.size() == 1 && spec::kIntegers.contains(types[0]);
  if (words && types.size() <= generate::kMaxOperands) words_.emplace(stream, types, strategy, seed);
  for (const DataType type : types_) domains_.push_back(adversarial_values(type));
}

uint64_t ValueCases::size() const {
  if (words_) return words_->size();
  switch (strategy_) {
    case Strategy::Adversarial: {
      uint64_t n = 1;
      for (const auto domain : domains_) n *= domain.size();
      return n;
    }
    case Strategy::Random: return UINT64_MAX;
    case Strategy::Rows:
    case Strategy::Boundary:
    case Strategy::Equivalence:
    case Strategy::Exhaustive8:
    case Strategy::Edge256: return 0;
  }
  return 0;
}

void ValueCases::grid_case(uint64_t k, std::span<Value> out) const {
  for (size_t i = types_.size(); i-- > 0;) {
    out[i] = domains_[i][k % domains_[i].size()];
    k /= domains_[i].size();
  }
}

ValueCases::Value ValueCases::integer_near_tie(uint64_t k, DataType type) const {
  const Value bits = philox(seed_, k, stream_);
  const Value choice = philox(seed_, k, stream_ + 1);
  constexpr std::array<uint32_t, 3> kPrecisions = {spec::kBFloat16.precision(), spec::kBinary16.precision(),
                                                   spec::kBinary32.precision()};
  // `kept` leading bits, then a one and zeros, which is the tie; a little more or less; and the neighbours of
  // powers of two, where the rounding carries into the exponent.
  const uint32_t kept = kPrecisions[choice[0] % 3];
  const uint32_t widest = spec::value_bits(type) - (type == DataType::I32 ? 1 : 0);
  const uint32_t width = kept + 1 + choice[1] % (widest - kept);
  const uint64_t leading = choice[2] % 4 == 0 ? (uint64_t{1} << kept) - 1 : bits[0] | 1u << (kept - 1);
  const uint64_t significand = (leading & ((uint64_t{1} << kept) - 1)) << 1 | 1;
  const uint64_t near = (significand << (width - kept - 1)) + choice[3] % 3 - 1;
  const uint64_t value = type == DataType::I32 && choice[2] % 8 < 4 ? 0 - near : near;
  return {uint32_t(value), uint32_t(value >> 32), 0, 0};
}

void ValueCases::random_case(uint64_t k, std::span<Value> out) const {
  if (near_ties_ && k % 2 == 1) {
    out[0] = integer_near_tie(k, types_[0]);
    for (uint32_t w = 0; w < 4; ++w) out[0][w] &= word_mask(types_[0], w);
    return;
  }
  if (words_) {  // an integer, the other half of the cases
    uint32_t word = 0;
    uint32_t* column[] = {&word};
    words_->fill(k, 1, column);
    out[0] = {word};
    return;
  }
  for (size_t i = 0; i < types_.size(); ++i) {
    const Value bits = philox(seed_, k, stream_ + 2 * i);
    const Value choice = philox(seed_, k, stream_ + 2 * i + 1);
    Value& value = out[i] = bits;
    switch (choice[0] % 8) {
      case 0:
      case 1:
      case 2: break;  // uniform bits: only they reach everywhere
      case 3:
      case 4:  // each word from the mixture of distributions
        for (uint32_t w = 0; w < 4; ++w) value[w] = generate::mixed_word(choice[1] >> (8 * w), bits[w]);
        break;
      case 5:  // a number of few words, whose width decides which way a division goes
        for (uint32_t w = 1 + choice[1] % 4; w < 4; ++w) value[w] = 0;
        break;
      case 6: value = domains_[i][bits[0] % domains_[i].size()]; break;
      case 7:  // an earlier operand, or that but for one bit
        if (i == 0) break;
        value = out[0];
        if (choice[1] % 2 != 0) value[choice[2] % 4] ^= 1u << (choice[3] % 32);
        break;
    }
    for (uint32_t w = 0; w < 4; ++w) value[w] &= word_mask(types_[i], w);
  }
}

void ValueCases::fill(uint64_t first, size_t count, std::span<uint32_t* const> columns,
                      uint64_t stride) const {
  const bool mixed = near_ties_ && strategy_ == Strategy::Random;
  if (words_ && !mixed) return words_->fill(first, count, columns, stride);
  std::vector<Value> values(types_.size());
  for (size_t j = 0; j < count; ++j) {
    if (strategy_ == Strategy::Adversarial) {
      grid_case(first + j * stride, values);
    } else {
      random_case(first + j * stride, values);
    }
    size_t column = 0;
    for (size_t i = 0; i < types_.size(); ++i) {
      for (uint32_t w = 0; w < spec::value_words(types_[i]); ++w) columns[column++][j] = values[i][w];
    }
  }
}

}  // namespace vyre::verify
