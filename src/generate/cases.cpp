#include "generate/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/digest.h"
#include "base/random.h"
#include "generate/float_values.h"
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

/// How one operand follows from another in adversarial and random cases; relation 0 is equality.
constexpr uint32_t kRelations = 38;
uint32_t related(uint32_t word, uint32_t relation) {
  if (relation < 32) return relation == 0 ? word : word ^ (1u << (relation & 31));
  switch (relation) {
    case 32: return word ^ 1;
    case 33: return word + 1;
    case 34: return word - 1;
    case 35: return ~word;
    case 36: return 0u - word;
    default: return word << 16 | word >> 16;
  }
}

uint32_t as_type(DataType type, uint32_t word) {
  if (type == DataType::Bool) return word & 1;
  return spec::value_bits(type) == 16 ? word & 0xffff : word;
}

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

Tuple Cases::random_case(uint64_t k) const {
  const std::array<uint32_t, 4> bits = philox(seed_, k, stream_);
  const uint32_t control = bits[3];
  Tuple out{};
  if (are_floats(types_)) {
    // Eight in a row are directed alike: to turn every time takes longer than to make the values.
    directed_floats(types_[0], k >> 3, bits, std::span(out).first(types_.size()));
    return out;
  }
  for (size_t i = 0; i < types_.size(); ++i) {
    // Half of the cases are uniform bits in every operand: only they reach everywhere.
    uint32_t word = bits[i];
    if ((control & 1) != 0) word = mixed_word(control >> (4 + 3 * i), bits[i]);
    // One in eight has operands that depend on each other.
    if (i > 0 && (control & 0xe) == 0xe) word = related(out[0], (control >> (13 + 6 * i)) % kRelations);
    out[i] = as_type(types_[i], word);
  }
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

void Cases::fill_grid(uint64_t first, size_t count, std::span<uint32_t* const> columns) const {
  // Column i changes every `run` cases and repeats after domain * run.
  uint64_t run = 1;
  for (size_t i = types_.size(); i-- > 0;) {
    const auto domain = domain_[i];
    uint64_t at = first / run % domain.size();
    uint64_t left = run - first % run;
    for (size_t done = 0; done < count;) {
      const size_t n = size_t(std::min<uint64_t>(left, count - done));
      std::fill_n(columns[i] + done, n, domain[at]);
      done += n;
      at = at + 1 == domain.size() ? 0 : at + 1;
      left = run;
    }
    run *= domain.size();
  }
}

void Cases::fill(uint64_t first, size_t count, std::span<uint32_t* const> columns) const {
  if (strategy_ == Strategy::Exhaustive8 || strategy_ == Strategy::Edge256) {
    fill_grid(first, count, columns);
    return;
  }
  for (size_t j = 0; j < count; ++j) {
    const Tuple tuple = at(first + j);
    for (size_t i = 0; i < types_.size(); ++i) columns[i][j] = tuple[i];
  }
}

}  // namespace vyre::generate
