#include "generate/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/digest.h"
#include "base/random.h"
#include "base/vectors.h"
#include "generate/float_values.h"
#include "generate/mixed_word.h"
#include "generate/values.h"

namespace vyre::generate {
namespace {

using spec::DataType;
using Tuple = std::array<uint32_t, kMaxOperands>;

constexpr auto kBytes = [] {
  std::array<uint32_t, 256> out{};
  for (uint32_t i = 0; i < 256; ++i) out[i] = i;
  return out;
}();
// The sign-extended i8, in the order of their patterns: 0..127, then -128..-1.
constexpr auto kSignedBytes = [] {
  std::array<uint32_t, 256> out{};
  for (uint32_t i = 0; i < 256; ++i) out[i] = i < 128 ? i : i | 0xffffff00u;
  return out;
}();
constexpr std::array<uint32_t, 2> kTruths = {0, 1};

std::span<const uint32_t> float_domain(Strategy strategy, DataType type) {
  switch (strategy) {
    case Strategy::Exhaustive8: return small_floats(type);
    case Strategy::Edge256: return edge_floats(type);
    case Strategy::Adversarial: return adversarial_floats(type);
    case Strategy::Rows:
    case Strategy::Boundary:
    case Strategy::Equivalence:
    case Strategy::Random: return {};
  }
  return {};
}

std::span<const uint32_t> domain_of(Strategy strategy, DataType type) {
  if (type == DataType::Bool) return kTruths;
  if (spec::kFloats.contains(type)) return float_domain(strategy, type);
  switch (strategy) {
    case Strategy::Exhaustive8: return type == DataType::I32 ? std::span(kSignedBytes) : std::span(kBytes);
    case Strategy::Edge256: return edge256();
    case Strategy::Adversarial: return adversarial_words();
    case Strategy::Rows:
    case Strategy::Boundary:
    case Strategy::Equivalence:
    case Strategy::Random: return {};
  }
  return {};
}

/// How one operand follows from another in adversarial and random cases; relation 0 is equality. Without
/// branches, so that columns of it are vectors.
constexpr uint32_t kRelations = 38;
inline uint32_t related(uint32_t word, uint32_t relation) {
  uint32_t out = word << 16 | word >> 16;
  out = relation == 36 ? 0u - word : out;
  out = relation == 35 ? ~word : out;
  out = relation == 34 ? word - 1 : out;
  out = relation == 33 ? word + 1 : out;
  out = relation == 32 ? word ^ 1 : out;
  out = relation < 32 ? word ^ (1u << (relation & 31)) : out;
  return relation == 0 ? word : out;
}

/// Operand `i` of a random case that is not of floats. Half of the cases are uniform bits in every operand:
/// only they reach everywhere. One in eight has operands that depend on each other.
inline uint32_t random_operand(uint32_t i, uint32_t bits, uint32_t control, uint32_t first,
                               const uint32_t* edges) {
  const uint32_t mixed = mixed_word_inline(control >> (4 + 3 * i), bits, edges);
  const uint32_t word = (control & 1) != 0 ? mixed : bits;
  const uint32_t relative = related(first, (control >> (13 + 6 * i)) % kRelations);
  return i > 0 && (control & 0xe) == 0xe ? relative : word;
}

// Blocks of random cases, small enough to stay in the nearest cache; loops of their own, so that they are
// vectors.
constexpr size_t kBlock = 1024;
using Bits = std::array<std::array<uint32_t, kBlock>, 4>;

/// philox(seed, first + j, stream) for j < n. One counter a 64-bit lane, of which the low half counts: then a
/// round is two products and what becomes of them, and nothing is packed in between.
inline void draw(uint64_t seed, uint64_t stream, uint64_t first, size_t n, Bits& bits) {
  constexpr uint64_t kLow = UINT32_MAX;
  for (size_t j = 0; j < n; ++j) {
    uint64_t x0 = first + j, x1 = x0 >> 32, x2 = stream, x3 = stream >> 32;
    uint64_t key0 = seed, key1 = seed >> 32;
    for (uint32_t round = 0; round < 10; ++round) {
      const uint64_t a = (x0 & kLow) * PHILOX_M4x32_0, b = (x2 & kLow) * PHILOX_M4x32_1;
      x0 = (b >> 32) ^ x1 ^ key0;
      x1 = b;
      x2 = (a >> 32) ^ x3 ^ key1;
      x3 = a;
      key0 += PHILOX_W32_0;
      key1 += PHILOX_W32_1;
    }
    bits[0][j] = uint32_t(x0);
    bits[1][j] = uint32_t(x1);
    bits[2][j] = uint32_t(x2);
    bits[3][j] = uint32_t(x3);
  }
}

inline void fill_operand(uint32_t i, const uint32_t* bits, const uint32_t* control, const uint32_t* of_first,
                         const uint32_t* edges, uint32_t mask, uint32_t* __restrict out, size_t n) {
  for (size_t j = 0; j < n; ++j)
    VYRE_INLINED out[j] = mask & random_operand(i, bits[j], control[j], of_first[j], edges);
}

uint32_t type_mask(DataType type) {
  if (type == DataType::Bool) return 1;
  return spec::value_bits(type) == 16 ? 0xffff : UINT32_MAX;
}
uint32_t as_type(DataType type, uint32_t word) { return word & type_mask(type); }

/// The words whose relatives the adversary tries: the floats' own where the operands are of one float type.
std::span<const uint32_t> words_with_relatives(std::span<const DataType> types) {
  return spec::kFloats.contains(types[0]) ? adversarial_floats(types[0]) : adversarial_words();
}

/// Whether the operands are floats of one type.
bool are_floats(std::span<const DataType> types) {
  return !types.empty() && spec::kFloats.contains(types[0]) &&
         std::ranges::all_of(types, [&](DataType t) { return t == types[0]; });
}

uint64_t stream_of(std::string_view name) {
  const Digest digest = sha256(name);
  uint64_t out = 0;
  for (size_t i = 0; i < 8; ++i) out |= uint64_t(digest.bytes[i]) << (8 * i);
  return out;
}

std::vector<uint32_t> row_operands(const ops::Operation& operation, Strategy strategy, uint64_t k) {
  switch (strategy) {
    case Strategy::Rows: return operation.rows[k].operands;
    case Strategy::Boundary: return operation.boundaries[k].operands;
    case Strategy::Equivalence: return operation.classes[k].representative;
    case Strategy::Exhaustive8:
    case Strategy::Edge256:
    case Strategy::Adversarial:
    case Strategy::Random: return {};
  }
  return {};
}

}  // namespace

std::optional<Strategy> find_strategy(std::string_view name) {
  for (const StrategyInfo& s : kStrategies) {
    if (s.text == name) return s.strategy;
  }
  return std::nullopt;
}

Cases::Cases(const ops::Operation& operation, Strategy strategy, uint64_t seed)
    : operation_(&operation),
      types_(operation.signature.inputs),
      strategy_(strategy),
      seed_(seed),
      stream_(stream_of(fmt::format("{}@{}", operation.id, operation.version))) {
  prepare();
}

Cases::Cases(std::string_view stream, std::span<const DataType> types, Strategy strategy, uint64_t seed)
    : types_(types.begin(), types.end()), strategy_(strategy), seed_(seed), stream_(stream_of(stream)) {
  prepare();
}

void Cases::prepare() {
  grid_ = types_.empty() ? 0 : 1;
  for (size_t i = 0; i < types_.size(); ++i) {
    domain_[i] = domain_of(strategy_, types_[i]);
    grid_ *= domain_[i].size();
  }
  switch (strategy_) {
    case Strategy::Rows: size_ = operation_ == nullptr ? 0 : operation_->rows.size(); return;
    case Strategy::Boundary: size_ = operation_ == nullptr ? 0 : operation_->boundaries.size(); return;
    case Strategy::Equivalence: size_ = operation_ == nullptr ? 0 : operation_->classes.size(); return;
    case Strategy::Exhaustive8:
    case Strategy::Edge256: size_ = grid_; return;
    case Strategy::Adversarial:
      // The grid of the short list, then each of its words beside its relatives, at every pair of positions.
      size_ = grid_;
      if (types_.size() > 1) size_ += types_.size() * words_with_relatives(types_).size() * kRelations;
      return;
    case Strategy::Random: size_ = UINT64_MAX; return;
  }
}

Tuple Cases::table_case(uint64_t k) const {
  Tuple out{};
  const std::vector<uint32_t> row = row_operands(*operation_, strategy_, k);
  std::copy_n(row.begin(), std::min(row.size(), types_.size()), out.begin());
  return out;
}

Tuple Cases::grid_case(uint64_t k) const {
  Tuple out{};
  for (size_t i = types_.size(); i-- > 0;) {
    out[i] = domain_[i][k % domain_[i].size()];
    k /= domain_[i].size();
  }
  return out;
}

Tuple Cases::adversarial_case(uint64_t k) const {
  if (k < grid_) return grid_case(k);
  k -= grid_;
  const auto words = words_with_relatives(types_);
  const uint32_t relation = uint32_t(k % kRelations);
  const uint32_t word = words[k / kRelations % words.size()];
  const size_t place = size_t(k / kRelations / words.size());  // of the relative
  Tuple out{};
  for (size_t i = 0; i < types_.size(); ++i)
    out[i] = as_type(types_[i], i == place ? related(word, relation) : word);
  return out;
}

/// Case k of random floats, whose words were drawn.
Tuple Cases::floats_of(uint64_t k, const std::array<uint32_t, 4>& bits) const {
  Tuple out{};
  // Eight in a row are directed alike: to turn every time takes longer than to make the values.
  directed_floats(types_[0], k >> 3, bits, std::span(out).first(types_.size()));
  return out;
}

Tuple Cases::random_case(uint64_t k) const {
  const std::array<uint32_t, 4> bits = philox(seed_, k, stream_);
  if (are_floats(types_)) return floats_of(k, bits);
  const uint32_t control = bits[3];
  Tuple out{};
  for (size_t i = 0; i < types_.size(); ++i)
    out[i] = as_type(types_[i], random_operand(uint32_t(i), bits[i], control, out[0], edge256().data()));
  return out;
}

Tuple Cases::at(uint64_t k) const {
  switch (strategy_) {
    case Strategy::Rows:
    case Strategy::Boundary:
    case Strategy::Equivalence: return table_case(k);
    case Strategy::Exhaustive8:
    case Strategy::Edge256: return grid_case(k);
    case Strategy::Adversarial: return adversarial_case(k);
    case Strategy::Random: return random_case(k);
  }
  return {};
}

void Cases::fill_grid(uint64_t first, uint64_t stride, size_t count,
                      std::span<uint32_t* const> columns) const {
  if (stride == 1) {
    // Each operand has each of its values for as long as the operands behind it go through theirs.
    uint64_t period = 1;
    for (size_t i = types_.size(); i-- > 0; period *= domain_[i].size()) {
      uint64_t digit = first / period % domain_[i].size(), used = first % period;
      for (size_t j = 0; j < count; used = 0) {
        const uint64_t left = period == 1 ? domain_[i].size() - digit : period - used;
        const size_t n = size_t(std::min<uint64_t>(left, count - j));
        if (period == 1) {
          std::copy_n(domain_[i].begin() + ptrdiff_t(digit), n, columns[i] + j);
          digit = 0;
        } else {
          std::fill_n(columns[i] + j, n, domain_[i][digit]);
          digit = digit + 1 == domain_[i].size() ? 0 : digit + 1;
        }
        j += n;
      }
    }
    return;
  }
  // An odometer: the digits of a case's number, to the bases of the domains, and those of the stride.
  std::array<uint64_t, kMaxOperands> digits{}, steps{};
  for (size_t i = types_.size(); i-- > 0;) {
    digits[i] = first % domain_[i].size();
    steps[i] = stride % domain_[i].size();
    first /= domain_[i].size();
    stride /= domain_[i].size();
  }
  for (size_t j = 0; j < count; ++j) {
    uint64_t carry = 0;
    for (size_t i = types_.size(); i-- > 0;) {
      columns[i][j] = domain_[i][digits[i]];
      digits[i] += steps[i] + carry;
      carry = digits[i] >= domain_[i].size() ? 1 : 0;
      digits[i] -= carry * domain_[i].size();
    }
  }
}

/// random_case() for many, operand by operand.
void Cases::fill_random(uint64_t first, size_t count, std::span<uint32_t* const> columns) const {
  Bits bits;
  for (size_t done = 0; done < count; done += kBlock) {
    const size_t n = std::min(kBlock, count - done);
    vectorised([&, begin = first + done] { VYRE_INLINED draw(seed_, stream_, begin, n, bits); });
    if (are_floats(types_)) {
      for (size_t j = 0; j < n; ++j) {
        const Tuple tuple = floats_of(first + done + j, {bits[0][j], bits[1][j], bits[2][j], bits[3][j]});
        for (size_t i = 0; i < types_.size(); ++i) columns[i][done + j] = tuple[i];
      }
      continue;
    }
    for (size_t i = 0; i < types_.size(); ++i) {
      const uint32_t* const of_first = i == 0 ? bits[0].data() : columns[0] + done;
      vectorised([&, i] {
        VYRE_INLINED fill_operand(uint32_t(i), bits[i].data(), bits[3].data(), of_first, edge256().data(),
                                  type_mask(types_[i]), columns[i] + done, n);
      });
    }
  }
}

void Cases::fill(uint64_t first, size_t count, std::span<uint32_t* const> columns, uint64_t stride) const {
  if (strategy_ == Strategy::Exhaustive8 || strategy_ == Strategy::Edge256) {
    fill_grid(first, stride, count, columns);
    return;
  }
  if (strategy_ == Strategy::Random && stride == 1) {
    fill_random(first, count, columns);
    return;
  }
  for (size_t j = 0; j < count; ++j) {
    const Tuple tuple = at(first + j * stride);
    for (size_t i = 0; i < types_.size(); ++i) columns[i][j] = tuple[i];
  }
}

}  // namespace vyre::generate
