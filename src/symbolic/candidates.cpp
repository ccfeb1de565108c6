#include "symbolic/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "spec/ops.h"
#include "symbolic/encodings.h"
#include "symbolic/functions.h"
#include "symbolic/operators.h"

namespace vyre::symbolic {
namespace {

using spec::DataType;
using spec::Law;
using spec::LawKind;
using spec::LawParameters;

/// What stands for u64 where laws are bound; see Family::Parts::wide.
constexpr DataType kWide = DataType::I32;

/// Laws over words of 64 bits: a constant is the low word of a number with a sign.
class WideTerms final : public LawTerms {
 public:
  using LawTerms::LawTerms;
  algebra::Column constant(uint32_t value) override {
    if (int32_t(value) >= 0) return LawTerms::constant(value);
    return algebra::Terms::operate(spec::Op::BitNot, {LawTerms::constant(~value)});
  }
};

std::expected<smt::Term, std::string> operator_meaning(DataType type, smt::Pool& pool,
                                                       const ops::Operation& operation,
                                                       std::span<const smt::Term> operands) {
  return encode(pool, *spec::find_op(operation.id), type, operands);
}

}  // namespace

Family::Family(Parts parts) : parts_(std::move(parts)) {
  for (const ops::Operation& f : parts_.functions) {
    std::function<uint32_t(const uint32_t*)> value;
    if (f.reference != nullptr) {
      value = f.reference;
    } else if (parts_.value) {
      value = [this, &f](const uint32_t* operands) { return parts_.value(f, operands); };
    } else {
      continue;
    }
    components_[std::string(f.id)] = {std::string(f.id), uint32_t(f.signature.inputs.size()),
                                      std::move(value), f.laws};
  }
}

std::vector<uint32_t> Family::constants() const {
  if (parts_.bits == 1) return {0, 1};
  if (parts_.type == DataType::I32) return {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 32};
  return {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, parts_.bits};
}

std::vector<std::pair<uint32_t, uint32_t>> Family::ranges() const {
  if (parts_.bits == 1) return {{0, 0}, {1, 1}};
  const uint32_t width = parts_.bits;
  if (parts_.type == DataType::I32)
    return {{0, 1},          {0xffffffff, 1},         {0, 31}, {0, 32}, {0, 0x7fffffff},
            {0x80000000, 0}, {0x80000001, 0x7fffffff}};
  return {{0, 1}, {0, width - 1}, {0, width}, {1, width}, {0, 0x7fffffff}, {0, 0x80000000}, {1, 0xffffffff}};
}

std::optional<Claim> Family::claim(smt::Pool& pool, const Law& law, const ops::Operation& f,
                                   std::string& reason) const {
  const auto lookup = [&](std::string_view id, uint32_t) -> const ops::Operation* {
    const auto found = std::ranges::find(parts_.functions, id, &ops::Operation::id);
    return found == parts_.functions.end() ? nullptr : &*found;
  };
  auto bound = algebra::bind(law, f, lookup);
  if (!bound) {
    reason = bound.error();
    return std::nullopt;
  }
  const uint32_t word = parts_.wide ? parts_.bits : 32;
  Claim out;
  std::vector<smt::Term> words;
  for (size_t i = 0; i < bound->variables.size(); ++i) {
    DataType& type = bound->variables[i];
    if (parts_.wide) type = DataType::U32;
    const bool truth = type == DataType::Bool;
    out.variables.push_back(pool.variable(std::string(1, char('a' + i)), truth ? 0 : word));
    words.push_back(truth ? pool.word(out.variables.back(), word) : out.variables.back());
  }
  if (parts_.wide) bound->result = DataType::U32;
  const auto said = [&](LawTerms&& terms) {
    algebra::state(terms, *bound);
    return terms.holds();
  };
  const auto holds = parts_.wide ? said(WideTerms(pool, words, word, parts_.meaning))
                                 : said(LawTerms(pool, words, word, parts_.meaning));
  if (!holds) return std::nullopt;
  out.holds = *holds;
  return out;
}

Component Family::component(const ops::Operation& f) const {
  const auto found = components_.find(f.id);
  return found == components_.end()
             ? Component{std::string(f.id), uint32_t(f.signature.inputs.size()), {}, {}}
             : found->second;
}

ComponentLookup Family::lookup() const {
  return [this](std::string_view name) {
    const auto found = components_.find(name);
    return found == components_.end() ? nullptr : &found->second;
  };
}

std::unique_ptr<Family> operators_of(DataType type) {
  const bool wide = type == DataType::U64;
  Family::Parts parts{.name = fmt::format("operators of {}", spec::text(type)),
                      .type = type,
                      .bits = type == DataType::Bool ? 1
                              : wide                 ? 64u
                                                     : 32u};
  parts.wide = wide;
  const auto shown = [&](DataType t) { return t == DataType::U64 ? kWide : t; };
  for (const spec::OpInfo& op : spec::kOps) {
    if (!spec::is_scalar(op.op) || !is_encoded(op.op, type)) continue;
    ops::Operation f;
    f.id = op.mnemonic;
    for (uint32_t i = 0; i < *spec::operand_count(op.op); ++i)
      f.signature.inputs.push_back(shown(spec::operand_type(op.op, type, i)));
    f.signature.output = shown(spec::result_type(op.op, type));
    parts.functions.push_back(std::move(f));
  }
  parts.meaning = [meant = wide ? DataType::U32 : type](smt::Pool& pool, const ops::Operation& operation,
                                                        std::span<const smt::Term> operands) {
    return operator_meaning(meant, pool, operation, operands);
  };
  return std::make_unique<Family>(std::move(parts));
}

std::unique_ptr<Family> integer_primitives() {
  Family::Parts parts{.name = "primitives", .type = DataType::U32, .bits = 32};
  for (const ops::Operation& f : ops::all_operations()) {
    const auto is_word = [](DataType type) { return type == DataType::U32 || type == DataType::I32; };
    if (std::ranges::all_of(f.signature.inputs, is_word) && is_word(f.signature.output) &&
        f.compose != nullptr)
      parts.functions.push_back(f);
  }
  parts.meaning = [](smt::Pool& pool, const ops::Operation& operation,
                     std::span<const smt::Term> operands) -> std::expected<smt::Term, std::string> {
    if (operation.define == nullptr) return compose(pool, operation, operands);
    if (const auto checked = definition_checked(operation); !checked) return std::unexpected(checked.error());
    return define(pool, operation, operands);
  };
  return std::make_unique<Family>(std::move(parts));
}

namespace {

/// Ids of the companions with so many operands.
std::vector<std::string> companions(const Family& family, size_t operands) {
  std::vector<std::string> out;
  for (const ops::Operation& g : family.functions()) {
    if (g.signature.inputs.size() == operands) out.emplace_back(g.id);
  }
  return out;
}

void with_one(const Family& family, const ops::Operation& f, LawKind kind, std::vector<Law>& out) {
  for (std::string& g : companions(family, kind == LawKind::RoundTrip ? 1 : f.signature.inputs.size()))
    out.push_back({kind, 0, 0, {std::move(g)}});
}

void with_two(const Family& family, LawKind kind, std::vector<Law>& out) {
  const std::vector<std::string> all = companions(family, 2);
  for (const std::string& inner : all) {
    for (const std::string& dual : all) out.push_back({kind, 0, 0, {inner, dual}});
  }
}

void of_kind(const Family& family, const ops::Operation& f, LawKind kind, std::vector<Law>& out) {
  switch (spec::info(kind).parameters) {
    case LawParameters::None: out.push_back({kind}); break;
    case LawParameters::Value:
      for (const uint32_t value : family.constants()) out.push_back({kind, value});
      break;
    case LawParameters::Range:
      for (const auto& [low, high] : family.ranges()) out.push_back({kind, low, high});
      break;
    case LawParameters::OneOperation: with_one(family, f, kind, out); break;
    case LawParameters::TwoOperations: with_two(family, kind, out); break;
    case LawParameters::OperationAndValue:
      for (const std::string& g : companions(family, f.signature.inputs.size())) {
        for (const uint32_t value : family.constants()) out.push_back({kind, value, 0, {g}});
      }
      break;
    case LawParameters::Predicate: break;  // a law of one operation alone
  }
}

}  // namespace

std::vector<Law> candidates(const Family& family, const ops::Operation& f) {
  std::vector<Law> out;
  for (const spec::LawInfo& law : spec::kLaws) {
    if (law.operands != 0 && law.operands != f.signature.inputs.size()) {
      out.push_back({law.kind});
    } else {
      of_kind(family, f, law.kind, out);
    }
  }
  const auto add = [&](const Law& law) {
    if (std::ranges::find(out, law) == out.end()) out.push_back(law);
  };
  for (const Law& law : f.laws) add(law);
  for (const spec::Denial& denial : f.denied) add(denial.law);
  return out;
}

Refuter::Refuter(const smt::Pool& pool, const Claim& claim, uint32_t bits)
    : trial_(pool, claim.holds, claim.variables),
      evaluation_(pool, claim.holds),
      bits_(bits),
      variables_(claim.variables.size()) {
  for (const smt::Term v : evaluation_.variables())
    place_.push_back(size_t(std::ranges::find(claim.variables, v) - claim.variables.begin()));
  values_.resize(place_.size());
  for (const smt::Term v : claim.variables) {
    const uint32_t width = std::clamp(pool.width(v), 1u, 64u);
    masks_.push_back(~uint64_t{0} >> (64 - width));
  }
}

bool Refuter::fails(std::span<const uint64_t> values) {
  for (size_t i = 0; i < place_.size(); ++i) values_[i] = values[place_[i]];
  return evaluation_(values_) == 0;
}

namespace {

/// The next tuple of digits below `base`, the last running fastest; false after the last.
template <typename Digits>
bool next_tuple(Digits& digits, uint64_t base) {
  for (size_t i = digits.size(); i-- > 0;) {
    if (++digits[i] < base) return true;
    digits[i] = 0;
  }
  return false;
}

constexpr double kSeconds = 60;  // some thousand tuples take no more, whatever the formula

std::vector<uint64_t> edges(uint32_t bits, bool few) {
  const uint64_t ones = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  std::vector<uint64_t> out = {0,
                               1,
                               2,
                               3,
                               bits - 1,
                               bits,
                               bits + 1,
                               ones,
                               ones - 1,
                               ones / 3,
                               ones >> 1,
                               (ones >> 1) + 1,
                               (ones >> 1) + 2,
                               0x9e3779b9u};
  for (uint32_t i = 2; i < bits && !few; ++i) {
    out.push_back(uint64_t{1} << i);
    out.push_back((uint64_t{1} << i) - 1);
  }
  return out;
}

}  // namespace

std::optional<std::vector<uint64_t>> Refuter::smallest() {
  using Found = solver::Enumeration::Found;
  if (trial_.up_to(trial_.small(), kSeconds) != Found::Counterexample) return std::nullopt;
  return std::vector<uint64_t>(trial_.tuple().begin(), trial_.tuple().end());
}

std::optional<std::vector<uint64_t>> Refuter::edge() {
  if (bits_ == 1 || variables_ > 3) return std::nullopt;
  const std::vector<uint64_t> values = edges(bits_, variables_ == 3);
  std::vector<size_t> index(variables_);
  std::vector<uint64_t> tuple(variables_);
  do {
    for (size_t i = 0; i < variables_; ++i) tuple[i] = values[index[i]] & masks_[i];
    if (fails(tuple)) return tuple;
  } while (next_tuple(index, values.size()));
  return std::nullopt;
}

}  // namespace vyre::symbolic
